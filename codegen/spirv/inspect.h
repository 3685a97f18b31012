/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a finished module says of itself, read from its words: for those who get
 * words from a file and must know that they fit what the file says of them. Takes
 * any words, valid or not, and reads no further than the first function. */

#pragma once

#include "codegen/spirv/spirv.h"

#define SPIRV_MAX_BINDINGS 256

struct spirv_interface_binding
{
  bool used;
  enum spirv_binding_kind kind;          /* never ARGUMENT_BLOCK: words cannot tell it from another buffer */
  uint32_t dimension;                    /* images: 2 or 3 */
  enum xir_type_kind component;          /* images: FLOAT32, INT32 or UINT32 */
};

struct spirv_interface
{
  uint32_t version;                      /* 0x00010500 is 1.5 */
  uint32_t group_size[3];
  uint64_t features[SPIRV_N_FEATURES];   /* of each capability: bits of those that it may be there for */
  uint32_t n_features;
  struct spirv_interface_binding bindings[SPIRV_MAX_BINDINGS];    /* by number, all of set 0 */
  uint32_t n_bindings;                   /* 1 + the largest number */
  uint32_t push_constant_size;           /* bytes */
  uint64_t shared_size;                  /* bytes of workgroup memory */
};

/* False with an error of SPIRV_ERROR, for anything but one compute kernel "main" in SPIR-V 1.0 to 1.5 that declares no more
 * than our own writer does. `*out` is untouched then. */
bool spirv_inspect (const uint32_t *words, gsize n_words, struct spirv_interface *out, GError **error);
