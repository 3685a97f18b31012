/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The builder: a finger on the page. Instructions go in where the finger is;
 * moving it is an act of its own. It checks nothing but types it must compute:
 * the verifier does. All functions return the new instruction's value, or the
 * instruction where it has none. */

#pragma once

#include "codegen/xir/xir.h"

struct xir_builder
{
  struct xir_module *module;
  struct xir_function *function;
  struct xir_block *block;
  struct xir_instruction *before;        /* NULL: at the end of `block` */
  struct xir_location location;          /* given to each new instruction */
  bool is_volatile;                      /* given to reads and writes of buffers */
};

struct xir_function *xir_function_new (struct xir_module *module, enum xir_function_kind kind, const char *name,
                                       const struct xir_type *return_type);
struct xir_argument *xir_function_add_argument (struct xir_function *function, enum xir_argument_kind kind,
                                                const struct xir_type *type, const char *name);
/* Appends an empty block to the function. */
struct xir_block *xir_block_new (struct xir_function *function);

void xir_builder_init       (struct xir_builder *builder, struct xir_function *function);
void xir_builder_at_end     (struct xir_builder *builder, struct xir_block *block);
void xir_builder_before     (struct xir_builder *builder, struct xir_instruction *instruction);
/* Whether the block at the finger already ends in a terminator. */
bool xir_builder_terminated (const struct xir_builder *builder);

/* Any op whose result type follows from its row or is given; `type` is read for RESULT_EXPLICIT only. */
struct xir_value *xir_build_op (struct xir_builder *builder, enum xir_op op, const struct xir_type *type,
                                struct xir_value *const *operands, uint32_t n_operands);
struct xir_value *xir_build_unary   (struct xir_builder *builder, enum xir_op op, struct xir_value *a);
struct xir_value *xir_build_binary  (struct xir_builder *builder, enum xir_op op, struct xir_value *a, struct xir_value *b);
struct xir_value *xir_build_ternary (struct xir_builder *builder, enum xir_op op, struct xir_value *a, struct xir_value *b, struct xir_value *c);
struct xir_value *xir_build_cast    (struct xir_builder *builder, const struct xir_type *type, struct xir_value *a);
struct xir_value *xir_build_bitcast (struct xir_builder *builder, const struct xir_type *type, struct xir_value *a);

/* Allocas go to the top of the function's entry block wherever the finger is. */
struct xir_value *xir_build_alloca  (struct xir_builder *builder, enum xir_storage storage, const struct xir_type *type, const char *name);
struct xir_value *xir_build_load    (struct xir_builder *builder, struct xir_value *lvalue);
void              xir_build_store   (struct xir_builder *builder, struct xir_value *lvalue, struct xir_value *value);
/* NULL indices are not allowed; the result's type is walked from the base. */
struct xir_value *xir_build_gep     (struct xir_builder *builder, struct xir_value *base, struct xir_value *const *indices, uint32_t n);
struct xir_value *xir_build_call    (struct xir_builder *builder, struct xir_function *callee, struct xir_value *const *arguments, uint32_t n);

struct xir_value *xir_build_aggregate (struct xir_builder *builder, const struct xir_type *type, struct xir_value *const *parts, uint32_t n);
struct xir_value *xir_build_shuffle   (struct xir_builder *builder, struct xir_value *vector, const uint8_t *lanes, uint32_t n);
struct xir_value *xir_build_extract   (struct xir_builder *builder, struct xir_value *aggregate, struct xir_value *const *indices, uint32_t n);
struct xir_value *xir_build_insert    (struct xir_builder *builder, struct xir_value *aggregate, struct xir_value *value,
                                       struct xir_value *const *indices, uint32_t n);

struct xir_value *xir_build_buffer_size  (struct xir_builder *builder, struct xir_value *buffer);
/* indices[0] is the element; the rest walk into it. */
struct xir_value *xir_build_buffer_read  (struct xir_builder *builder, struct xir_value *buffer, struct xir_value *const *indices, uint32_t n);
void              xir_build_buffer_write (struct xir_builder *builder, struct xir_value *buffer, struct xir_value *value,
                                          struct xir_value *const *indices, uint32_t n);
struct xir_value *xir_build_byte_buffer_read  (struct xir_builder *builder, const struct xir_type *type, struct xir_value *buffer,
                                               struct xir_value *offset);
void              xir_build_byte_buffer_write (struct xir_builder *builder, struct xir_value *buffer, struct xir_value *value,
                                               struct xir_value *offset);
struct xir_value *xir_build_buffer_first      (struct xir_builder *builder, struct xir_value *buffer);
/* `expected` is NULL but for compare_exchange; no indices where `base` is an lvalue in shared memory. */
struct xir_value *xir_build_atomic       (struct xir_builder *builder, enum xir_op op, struct xir_value *base, struct xir_value *expected,
                                          struct xir_value *value, struct xir_value *const *indices, uint32_t n);
struct xir_value *xir_build_texture_size  (struct xir_builder *builder, struct xir_value *texture);
struct xir_value *xir_build_texture_read  (struct xir_builder *builder, struct xir_value *texture, struct xir_value *at);
void              xir_build_texture_write (struct xir_builder *builder, struct xir_value *texture, struct xir_value *at, struct xir_value *texel);

struct xir_instruction *xir_build_if       (struct xir_builder *builder, struct xir_value *condition, struct xir_block *if_true,
                                            struct xir_block *if_false, struct xir_block *merge);
/* Cases are added in source order; the default's place among them is fixed by xir_switch_set_default. */
struct xir_instruction *xir_build_switch   (struct xir_builder *builder, struct xir_value *selector, struct xir_block *merge);
void                    xir_switch_add_case (struct xir_instruction *instruction, uint64_t value, struct xir_block *block);
/* The default stands here among the cases added so far and later. Without a call: the merge. */
void                    xir_switch_set_default (struct xir_instruction *instruction, struct xir_block *block);
struct xir_instruction *xir_build_loop     (struct xir_builder *builder, struct xir_block *prepare, struct xir_block *body,
                                            struct xir_block *update, struct xir_block *merge);
struct xir_instruction *xir_build_branch   (struct xir_builder *builder, struct xir_block *target);
struct xir_instruction *xir_build_conditional_branch (struct xir_builder *builder, struct xir_value *condition,
                                            struct xir_block *if_true, struct xir_block *if_false);
struct xir_instruction *xir_build_break    (struct xir_builder *builder, struct xir_block *merge);
struct xir_instruction *xir_build_continue (struct xir_builder *builder, struct xir_block *update);
struct xir_instruction *xir_build_return   (struct xir_builder *builder, struct xir_value *value);
struct xir_instruction *xir_build_unreachable (struct xir_builder *builder, const char *message);
/* PRINT or ASSERT, whose first value is what has to be true. `condition` may be NULL. */
struct xir_instruction *xir_build_print    (struct xir_builder *builder, enum xir_op op, const char *format, const char *condition,
                                            struct xir_value *const *values, uint32_t n);
struct xir_value       *xir_build_phi      (struct xir_builder *builder, const struct xir_type *type);
void                    xir_phi_add        (struct xir_value *phi, struct xir_value *value, struct xir_block *predecessor);

/* The type reached from `type` by `n` indices, or NULL where the walk is wrong
 * (structure index not a constant in range, walk into a scalar). */
const struct xir_type *xir_walk_type (const struct xir_type *type, struct xir_value *const *indices, uint32_t n);
