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
  struct check_memory *shadow;
  uint64_t shadow_offset;
};

/* run-check.c: a run with checks. NULL: there are none. `views`: as many as the program has arguments. */
struct check_run *interpret_check_begin (const struct interpret_dispatch *dispatch, struct check_view *views);
/* Subgroups have stopped at barriers, or ended. */
void interpret_check_together (struct check_run *check, const struct subgroup *subgroups, uint32_t n_subgroups);
/* Finds and reports the loop that a subgroup does not leave: it goes on for some steps. */
void interpret_check_endless  (struct subgroup *subgroup, const struct code *code, uint64_t steps);

/* execute-check.c: the handlers of checks, for registers of every width. */
#define INTERPRET_CHECK(name) \
  const struct code *interpret_##name (struct subgroup *subgroup, const struct code *code);
INTERPRET_CHECK (check_element)
INTERPRET_CHECK (check_bytes)
INTERPRET_CHECK (check_index)
INTERPRET_CHECK (check_buffer)
INTERPRET_CHECK (check_memory)
INTERPRET_CHECK (check_image)
INTERPRET_CHECK (check_shift)
INTERPRET_CHECK (check_divide)
INTERPRET_CHECK (check_convert)
INTERPRET_CHECK (check_nan)
INTERPRET_CHECK (check_barrier)
INTERPRET_CHECK (check_unreachable)
INTERPRET_CHECK (check_assert)
INTERPRET_CHECK (check_lane)
INTERPRET_CHECK (check_defined)
INTERPRET_CHECK (forget)
INTERPRET_CHECK (undefined_read_buffer)
INTERPRET_CHECK (undefined_read)
INTERPRET_CHECK (undefined_write_buffer)
INTERPRET_CHECK (undefined_write)
INTERPRET_CHECK (undefined_copy)
INTERPRET_CHECK (undefined_none)
INTERPRET_CHECK (undefined_pick)
INTERPRET_CHECK (undefined_put)
INTERPRET_CHECK (undefined_select)
#undef INTERPRET_CHECK

struct trace_run;

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
  uint32_t group_id[3];
  struct trace_run *trace;       /* NULL: nobody looks */
  uint64_t steps;
  uint64_t *clock;               /* atomic */
  /* Checks; all NULL without. */
  struct check_run *check;
  const struct check_group *group;
  struct check_memory *local_shadow, *shared_shadow;
  uint64_t *undefined;           /* lanes in which a slot of a structure or array is not defined */
  const struct check_site *waits_at;
};
