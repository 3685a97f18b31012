/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state of a subgroup between two instructions: all of it, so that a subgroup stops
 * at a barrier and goes on later. */

#pragma once

#include "codegen/interpret/program.h"

enum subgroup_state
{
  SUBGROUP_ENDED,
  SUBGROUP_RUNS,
  SUBGROUP_AT_BARRIER
};

/* A resource argument of one dispatch. */
struct resource
{
  uint8_t *data;
  uint64_t size;
  uint64_t n_elements;
  uint64_t element_size;
  const struct interpret_image *image;
};

struct call_frame
{
  const struct code *code;
  uint64_t mask;
};

/* Pointers into local memory are offsets in their lane's, those into shared memory have this bit. */
#define POINTER_SHARED  UINT32_C (0x80000000)
#define POINTER_INVALID UINT32_MAX
#define OFFSET_INVALID  UINT64_MAX

struct subgroup
{
  uint32_t *registers;
  uint64_t *masks;               /* what waits for each block */
  struct call_frame *frame;      /* the next free one */
  uint64_t mask;                 /* active lanes */
  uint64_t launched;             /* lanes that began */
  uint64_t spread_mask;          /* that `spread` shows */
  uint32_t spread[64];           /* all ones in active lanes */
  uint8_t *local;
  uint64_t local_size;
  uint8_t *shared;
  const struct resource *resources;
  const struct interpret_program *program;
  const struct code *code;       /* where to go on */
  enum subgroup_state state;
  struct call_frame *frames;
  void *memory;
  uint32_t first_thread;         /* of the workgroup */
  uint64_t steps;
};
