/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of this folder and the passes share and nobody else needs. */

#pragma once

#include "codegen/xir/xir.h"

/* Arrays that can be given back: power-of-two classes with a free list each.
 * `size` in bytes; the same size must be given to free. */
gpointer xir_array_alloc (struct xir_module *module, gsize size);
void     xir_array_free  (struct xir_module *module, gpointer array, gsize size);

/* An instruction that stands nowhere yet; operands and blocks are NULL. */
struct xir_instruction *xir_instruction_new (struct xir_module *module, enum xir_op op, const struct xir_type *type,
                                             uint32_t n_operands, uint32_t n_blocks);
/* In front of `before`, or at the end of `block` when that is NULL. */
void xir_instruction_insert      (struct xir_instruction *instruction, struct xir_block *block,
                                  struct xir_instruction *before);
/* Growth of phi and switch; both must stand in a block. */
void xir_instruction_add_operand (struct xir_instruction *instruction, struct xir_value *value);
void xir_instruction_add_block   (struct xir_instruction *instruction, struct xir_block *block);
/* Takes operand `index` and its block out of a phi. */
void xir_phi_remove              (struct xir_instruction *phi, uint32_t index);
/* All uses of an instruction's operands are dropped. */
void xir_instruction_drop_operands (struct xir_instruction *instruction);
void xir_value_init              (struct xir_module *module, struct xir_value *value, enum xir_value_kind kind,
                                  const struct xir_type *type);

/* The type an op's row gives: `explicit_type` for XIR_RESULT_EXPLICIT. NULL: none, or the operand has no fit type. */
const struct xir_type *xir_op_result_type (struct xir_context *context, enum xir_op op,
                                           const struct xir_type *explicit_type, const struct xir_type *operand);

void xir_constants_init  (struct xir_module *module);
void xir_constants_clear (struct xir_module *module);

/* Names of enumerators in text. */
const char *xir_special_name (enum xir_special special);

/* Copies blocks and instructions of `from` to the empty function `to`. `map`
 * gives what stands for a value, function or block of the source (arguments must
 * be in it; a value that is not stands for itself) and learns the copies. */
void xir_function_copy_body (const struct xir_function *from, struct xir_function *to, GHashTable *map);

/* Prints with notes under the lines they belong to: block or instruction -> GString
 * that ends in a newline; the function itself: under its head. `notes` may be NULL. */
void xir_print_function_with_notes (const struct xir_function *function, GHashTable *notes, GString *out);
