/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The translator's own: what its files share. */

#pragma once

#include "codegen/interpret/program.h"

#define NO_LOOP UINT32_MAX

/* What is known of an id of the module: of a value, a block or a function. */
struct item
{
  /* Values. An lvalue in memory has its pointer here, one in registers what it names. */
  uint32_t slot;
  uint32_t shadow;               /* a copy written under the mask, for uses outside of its loop */
  uint32_t offset;               /* bytes, to be added to the pointer */
  const struct xir_instruction *variable;        /* the alloca in registers that this is or leads into */
  uint32_t ordinal;              /* of an instruction, in its function */
  uint32_t last_use;             /* in its block; UINT32_MAX: somewhere else */
  bool is_defined;               /* an lvalue in memory that needs no look: it is always written before it is read */
  const char *object;            /* what a value or an lvalue comes from, for reports; may be NULL */
  bool is_view;                  /* a load that needs no copy: nothing is stored before its last use */
  /* While the uses of a block's instructions are looked at: of an alloca. */
  const struct xir_block *store_block;
  uint32_t store_ordinal;

  /* Blocks. */
  uint32_t position;             /* plus one; 0: not in the function's order */
  uint32_t loop;                 /* the innermost around it; of an instruction too */
  uint32_t mask;                 /* that waits for it */
  uint32_t phi_slot, n_phi_slots;        /* phis stand side by side */
  const struct xir_instruction *owner;   /* whose block it is */
  enum { ROLE_OTHER, ROLE_TRUE, ROLE_BODY, ROLE_PREPARE } role;
  bool is_skipped;               /* an arm that only leads on */

  /* Functions. */
  bool is_entered, is_translated;
  uint32_t entry;
  uint32_t depth;                /* of calls in it */
  uint32_t return_slot;
};

struct ordered_block
{
  const struct xir_block *block;
  uint32_t end;                  /* position behind what the block dominates */
  uint32_t code;
};

/* Positions of the blocks of a loop: its merge stands at `end`. */
struct loop
{
  uint32_t start, end;
};

struct fixup
{
  uint32_t code, position;
};

struct translator
{
  const struct xir_module *module;
  struct interpret_program *program;
  struct item *items;
  GArray *code;                  /* struct code; `run` is an enum interpret_op until the end */
  GArray *locations;
  uint64_t n_slots;
  uint32_t n_masks;
  uint64_t local_size, shared_size;
  GHashTable *words;             /* constant of 32 bits -> slot + 1 */
  GError *error;                 /* the first */

  /* Of the function at hand. */
  const struct xir_function *function;
  GArray *blocks;                /* struct ordered_block */
  GArray *loops;                 /* struct loop */
  GArray *fixups;                /* struct fixup */
  uint32_t position;             /* of the block at hand */
  struct xir_location location;
};

static inline struct item *
item_of (const struct translator *translator, const struct xir_value *value)
{
  return &translator->items[value->id];
}

static inline struct item *
block_item (const struct translator *translator, const struct xir_block *block)
{
  return &translator->items[block->id];
}

static inline uint32_t
words_at (const struct translator *translator, uint32_t slot)
{
  return slot * translator->program->width;
}

/* translate.c */
void translate_fail (struct translator *translator, enum interpret_error code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Appends an instruction; slots are turned into offsets by whoever calls. Valid until the next. */
struct code *translate_emit (struct translator *translator, enum interpret_op op);
/* The same with slots for d, a, b. */
struct code *translate_emit_slots (struct translator *translator, enum interpret_op op, uint32_t d, uint32_t a, uint32_t b,
                                   uint32_t n);

/* translate-layout.c: the order of blocks, regions and loops. */
void translate_layout (struct translator *translator);
bool translate_is_inside (const struct translator *translator, uint32_t loop, uint32_t position);

/* translate-variable.c: which variables live in registers, which loads are views, what outlives its loop. */
void translate_variables (struct translator *translator);

/* translate-value.c */
uint32_t translate_slots       (struct translator *translator, uint64_t n);
uint32_t translate_type_slots  (struct translator *translator, const struct xir_type *type);
uint32_t translate_word        (struct translator *translator, uint32_t value);
uint32_t translate_operand     (struct translator *translator, const struct xir_value *value);
/* Registers for an instruction's result. */
uint32_t translate_result      (struct translator *translator, const struct xir_instruction *instruction);
void     translate_copy        (struct translator *translator, uint32_t d, uint32_t a, uint64_t n);
/* Under the mask. */
void     translate_move        (struct translator *translator, const struct xir_type *type, uint32_t d, uint32_t a);
/* An index as 32 bits, those that are out of any range as one that is too. */
uint32_t translate_index       (struct translator *translator, const struct xir_value *value);

/* translate-control.c */
void translate_function (struct translator *translator, const struct xir_function *function);

/* translate-instruction.c, translate-memory.c: what is no terminator and no phi. */
void translate_instruction (struct translator *translator, const struct xir_instruction *instruction);
bool translate_memory      (struct translator *translator, const struct xir_instruction *instruction);

/* translate-check.c: what a program with checks has more; nothing in others. */
static inline bool
translate_checks (const struct translator *translator)
{
  return translator->program->options.check;
}
/* Structures and arrays: the registers of theirs say what is not defined. */
static inline bool
translate_carries (const struct translator *translator, const struct xir_type *type)
{
  return translate_checks (translator) && type != NULL && xir_type_lanes (type) == 0;
}
/* Whether all reads of a variable come behind a write of all of it, and nothing undefined is written to it. */
bool translate_is_always_written (const struct translator *translator, const struct xir_instruction *variable);
void translate_check_element    (struct translator *translator, const struct xir_instruction *instruction, uint32_t at,
                                 const struct xir_value *index, uint32_t buffer);
void translate_check_bytes      (struct translator *translator, const struct xir_instruction *instruction, uint32_t at,
                                 const struct xir_value *offset, const struct xir_type *type, uint32_t buffer);
/* Only where the index may be out of range. */
void translate_check_index      (struct translator *translator, const struct xir_instruction *instruction,
                                 const struct xir_value *index, uint64_t count);
/* The accesses of a whole value, before they are done: at pointers, or at offsets of a buffer. */
void translate_check_access     (struct translator *translator, const struct xir_instruction *instruction,
                                 const struct value_run *run, uint32_t place, const uint32_t *buffer, enum check_access access);
/* The same of a structure or array, behind them. */
void translate_undefined_access (struct translator *translator, const struct value_run *run, uint32_t place,
                                 const uint32_t *buffer, bool writes);
void translate_undefined_copy   (struct translator *translator, const struct xir_type *type, uint32_t d, uint32_t a);
void translate_undefined_none   (struct translator *translator, uint32_t d, uint64_t n);
void translate_check_image      (struct translator *translator, const struct xir_instruction *instruction, uint32_t at,
                                 uint32_t image);
void translate_check_before     (struct translator *translator, const struct xir_instruction *instruction);
void translate_check_after      (struct translator *translator, const struct xir_instruction *instruction);
/* A part of `type` of the structure, array or matrix `whole` is used, `dynamic` slots behind `a` where that is one. */
void translate_check_defined    (struct translator *translator, const struct xir_instruction *instruction,
                                 const struct xir_value *whole, const struct xir_type *type, uint32_t a, uint32_t dynamic);
void translate_check_variable   (struct translator *translator, const struct xir_instruction *variable, uint64_t begin);
void translate_check_loops      (struct translator *translator);
