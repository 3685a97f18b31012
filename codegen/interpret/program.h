/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the translator makes and the executor runs.
 *
 * A subgroup's registers are one array of words. A scalar takes one slot, the words of
 * all lanes side by side, and two slots where it is wider than 32 bits, the double words
 * of all lanes side by side. Narrow integers and floats stand zero-extended, bool is
 * 0 or 1. Vectors, structures and arrays are their scalars in order, without padding,
 * in neighbouring slots, so that one instruction does a whole vector. There is no
 * recursion, so every function has its own slots, and operands are plain offsets.
 *
 * Which lanes are active is a mask. Blocks stand in an order in which every edge but a
 * loop's way back leads forward. An edge adds the active lanes to the mask that waits for
 * the block it leads to; a block takes what waits for it, or is skipped with all that
 * it dominates where nothing does.
 *
 * Arithmetic runs on all lanes, the inactive ones too: it traps nowhere. What has to keep
 * its value in lanes that are elsewhere is written under the mask: phis, variables, and
 * what leaves the loop that it was computed in. */

#pragma once

#include "codegen/interpret/check.h"
#include "codegen/interpret/interpret.h"

/* One row an instruction. */
enum interpret_op
{
#define INTERPRET_OP(name, function) INTERPRET_OP_##name,
#include "codegen/interpret/instructions.def"
#undef INTERPRET_OP
#define LANES_1(name, xir_op, kind, result, type, expression) INTERPRET_OP_##name,
#define LANES_2(name, xir_op, kind, result, type, expression) INTERPRET_OP_##name,
#define LANES_3(name, xir_op, kind, result, type, expression) INTERPRET_OP_##name,
#include "codegen/interpret/lanes.def"
#undef LANES_1
#undef LANES_2
#undef LANES_3
  INTERPRET_N_OPS
};

struct subgroup;
struct code;

/* Returns the next instruction, NULL to leave the subgroup (see its `state`). */
typedef const struct code *(*interpret_handler) (struct subgroup *subgroup, const struct code *code);

struct code
{
  interpret_handler run;
  uint32_t d, a, b, c;           /* offsets of words in the registers, or as the instruction says */
  uint32_t n;                    /* how many scalars */
  uint32_t x;                    /* target, or index of a table beside the code */
};

/* How a row of ops.def that has no instruction of its own is evaluated. */
struct generic
{
  enum xir_op op;
  enum xir_type_kind kinds[3], result;
  uint8_t lanes[3];              /* of the operands */
  uint8_t result_lanes;
  uint8_t n_operands;
  bool across;                   /* the op mixes the lanes of its vectors */
};

/* Shapes of an op of matrices with n columns. */
struct matrix_shapes
{
  enum xir_op op;
  uint32_t n;
  uint8_t numbers[2];            /* of the operands: n * n, n, 1; 0: there is none */
  uint8_t result_numbers;
};

/* How an atomic works. */
struct atomic
{
  enum xir_op op;
  enum xir_type_kind kind;
  uint32_t value, expected;      /* offsets of words */
};

#define CHECKED_CONDITIONS 8

/* What a check instruction knows beside its operands. */
struct checked
{
  uint32_t site;                 /* in the program's */
  enum check_access access;
  enum check_storage storage;
  enum xir_op op;
  enum xir_type_kind kinds[3], result;
  uint32_t operands[3];          /* offsets of words */
  const char *text;              /* of the source; may be NULL */
  uint8_t lanes[3];
  uint8_t n_operands;
  bool across;                   /* the op mixes the lanes of its vectors */
  /* Bools, or where inverted their opposites, without which the result is thrown away. */
  uint8_t n_conditions, inverted;
  uint32_t conditions[CHECKED_CONDITIONS];
};

/* Code of a loop, for who never leaves it. */
struct program_loop
{
  uint32_t begin, end;
  uint32_t site;
};

struct switch_case
{
  uint64_t value;
  uint32_t mask;
};

struct switch_table
{
  struct switch_case *cases;     /* by value */
  uint32_t n_cases;
  uint32_t default_mask;
};

/* Scalars of one size that lie side by side, in memory and in registers. */
struct value_run
{
  uint32_t slot;
  uint32_t count;
  uint64_t offset;               /* bytes */
  enum xir_type_kind kind;       /* one that stands for all of this size; bool for bool */
};

struct constant_slot
{
  uint32_t slot;
  uint32_t n_runs;
  struct value_run *runs;
  uint8_t *data;                 /* host layout */
};

struct program_argument
{
  enum xir_argument_kind kind;
  const struct xir_type *type;
  const char *name;
  uint32_t slot;                 /* of a value */
  uint32_t n_runs;
  struct value_run *runs;
  uint64_t element_size;         /* of a buffer */
  bool is_read, is_written;      /* with checks */
};

#define INTERPRET_NO_SLOT UINT32_MAX

struct trace_table;

struct interpret_program
{
  struct xir_context *context;   /* types */
  char *kernel, *source_name;
  struct interpret_options options;
  uint32_t width;                /* lanes of the registers: at least those of a subgroup */
  uint32_t group_size[3];
  uint32_t group_threads;
  uint32_t n_subgroups;          /* of a workgroup */
  bool has_barrier;
  bool runs_outside;             /* threads past the dispatch size run too */

  struct code *code;
  uint32_t n_code;
  uint32_t entry;
  struct xir_location *locations;        /* of each instruction; with check or trace */

  uint32_t n_slots;
  uint32_t n_masks;
  uint32_t n_calls;              /* deepest chain */
  uint64_t local_size;           /* bytes a lane */
  uint64_t shared_size;
  uint32_t special_slots[XIR_N_SPECIALS];

  struct program_argument *arguments;
  uint32_t n_arguments;
  GArray *constants;             /* struct constant_slot */
  GArray *generics;              /* struct generic */
  GArray *matrices;              /* struct matrix_shapes */
  GArray *atomics;               /* struct atomic */
  GArray *switches;              /* struct switch_table */

  /* With checks. */
  GStringChunk *names;
  GArray *sites;                 /* struct check_site */
  GArray *checked;               /* struct checked */
  GArray *variables;             /* struct check_variable */
  GArray *loops;                 /* struct program_loop, inner ones behind those around them */
  struct xir_location location;  /* of the kernel */
  struct trace_table *trace;     /* with options.trace */
};

static inline bool
interpret_kind_is_wide (enum xir_type_kind kind)
{
  return kind == XIR_TYPE_INT64 || kind == XIR_TYPE_UINT64 || kind == XIR_TYPE_FLOAT64;
}

/* Slots of a value. False: more than there may be. */
bool interpret_type_slots (const struct xir_type *type, uint64_t *slots);
/* Appends the runs of a value at a slot and an offset to an array of struct value_run. */
void interpret_type_runs  (const struct xir_type *type, uint32_t slot, uint64_t offset, GArray *runs);

/* The handlers for registers of 32 and of 64 lanes. */
extern const interpret_handler interpret_handlers_32[INTERPRET_N_OPS];
extern const interpret_handler interpret_handlers_64[INTERPRET_N_OPS];
