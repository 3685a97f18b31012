/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ten examples that have a twin in GLSL, what they work on, and how ours are compiled. */

#pragma once

#include <glib.h>

#include "codegen/spirv/spirv.h"

#define TWIN_MAX_RESOURCES 3
#define TWIN_MAX_VALUES    3
#define N_TWINS            10

/* Plain: no guards, as [[unchecked]] [[fast_math]] has it. Guarded: what the language promises otherwise, which the
 * GLSL has written by hand behind #ifdef GUARDED. */
enum twin_mode { TWIN_PLAIN, TWIN_GUARDED, TWIN_N_MODES };

enum twin_kind { TWIN_BUFFER, TWIN_SAMPLED, TWIN_STORAGE };

/* A CPU gets less to do than a GPU. */
enum twin_scale { TWIN_SMALL, TWIN_LARGE, TWIN_N_SCALES };

struct twin_resource
{
  enum twin_kind kind;
  bool has_floats;                       /* a buffer of them, else of whole numbers */
  uint32_t element_words;                /* of a buffer */
  uint32_t size[TWIN_N_SCALES];          /* words of a buffer, side of a picture */
};

/* What a guarded twin has behind its values: the group offset, then first element and length of each resource. */
#define TWIN_GROUP_OFFSET 32
#define TWIN_VIEWS        48
#define TWIN_PUSH_SIZE    128

/* Behind the three words of the dispatch size, with which all twins begin. */
struct twin_value
{
  const char *name;                      /* the kernel's argument */
  uint32_t offset;                       /* in the twin's push constants */
  uint32_t n_words;
  uint32_t words[TWIN_N_SCALES][2];
};

struct twin
{
  const char *file, *kernel;
  uint32_t n_resources, n_values;
  struct twin_resource resources[TWIN_MAX_RESOURCES];      /* in the order of the arguments; those of the twin are bound so */
  struct twin_value values[TWIN_MAX_VALUES];
  uint32_t output;                       /* the resource to look at */
  bool is_flat;                          /* threads in one dimension */
  uint32_t threads[TWIN_N_SCALES];       /* in each dimension */
};

extern const struct twin twins[N_TWINS];
const char *twin_mode_name (enum twin_mode mode);

/* Exits with a message where there is none. */
char *twin_read_text (const char *folder, const char *name, const char *suffix);

/* The example's text without its other kernels, with attributes in front of each function where no guards are wanted. */
char *twin_our_text (const char *folder, const struct twin *twin, enum twin_mode mode);

/* Words of SPIR-V from the text; without SPIRV-Tools if `bare`. */
void twin_compile (const struct twin *twin, const char *text, uint32_t level, bool bare, const struct spirv_target *target,
                   struct spirv_result *result);
