/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/builder.h"

#include <string.h>

#include "codegen/xir/xir-private.h"

void
xir_builder_init (struct xir_builder *builder,
                  struct xir_function *function)
{
  memset (builder, 0, sizeof *builder);
  builder->module = function->module;
  builder->function = function;
  builder->block = xir_function_entry (function);
}

void
xir_builder_at_end (struct xir_builder *builder,
                    struct xir_block *block)
{
  builder->block = block;
  builder->before = NULL;
}

void
xir_builder_before (struct xir_builder *builder,
                    struct xir_instruction *instruction)
{
  builder->block = instruction->block;
  builder->before = instruction;
}

bool
xir_builder_terminated (const struct xir_builder *builder)
{
  return builder->before == NULL && xir_block_terminator (builder->block) != NULL;
}

static struct xir_instruction *
add (struct xir_builder *builder,
     enum xir_op op,
     const struct xir_type *type,
     struct xir_value *const *operands,
     uint32_t n_operands,
     uint32_t n_blocks)
{
  struct xir_instruction *instruction
    = xir_instruction_new (builder->module, op, type, n_operands, n_blocks);

  instruction->location = builder->location;
  if (xir_op_is_buffer_access (op))
    instruction->u.is_volatile = builder->is_volatile;
  for (uint32_t i = 0; i < n_operands; i++)
    xir_instruction_set_operand (instruction, i, operands[i]);
  xir_instruction_insert (instruction, builder->block, builder->before);
  return instruction;
}

static struct xir_value *
add_value (struct xir_builder *builder,
           enum xir_op op,
           const struct xir_type *type,
           struct xir_value *const *operands,
           uint32_t n_operands)
{
  return &add (builder, op, type, operands, n_operands, 0)->value;
}

const struct xir_type *
xir_op_result_type (struct xir_context *context,
                    enum xir_op op,
                    const struct xir_type *explicit_type,
                    const struct xir_type *operand)
{
  switch (xir_op_info (op)->result)
    {
    case XIR_RESULT_EXPLICIT:
      return explicit_type;
    case XIR_RESULT_SAME:
      return operand;
    case XIR_RESULT_BOOL:
      return xir_type_scalar (context, XIR_TYPE_BOOL);
    case XIR_RESULT_BOOL_SHAPE:
      return xir_type_with_scalar (context, operand, XIR_TYPE_BOOL);
    case XIR_RESULT_ELEMENT:
      return xir_type_scalar_of (operand);
    case XIR_RESULT_NONE:
    default:
      return NULL;
    }
}

struct xir_value *
xir_build_op (struct xir_builder *builder,
              enum xir_op op,
              const struct xir_type *type,
              struct xir_value *const *operands,
              uint32_t n_operands)
{
  const struct xir_type *operand = n_operands > 0 ? operands[0]->type : NULL;

  return add_value (builder, op, xir_op_result_type (builder->module->context, op, type, operand),
                    operands, n_operands);
}

struct xir_value *
xir_build_unary (struct xir_builder *builder,
                 enum xir_op op,
                 struct xir_value *a)
{
  return xir_build_op (builder, op, NULL, &a, 1);
}

struct xir_value *
xir_build_binary (struct xir_builder *builder,
                  enum xir_op op,
                  struct xir_value *a,
                  struct xir_value *b)
{
  struct xir_value *operands[] = { a, b };

  return xir_build_op (builder, op, NULL, operands, 2);
}

struct xir_value *
xir_build_ternary (struct xir_builder *builder,
                   enum xir_op op,
                   struct xir_value *a,
                   struct xir_value *b,
                   struct xir_value *c)
{
  struct xir_value *operands[] = { a, b, c };

  return xir_build_op (builder, op, NULL, operands, 3);
}

struct xir_value *
xir_build_cast (struct xir_builder *builder,
                const struct xir_type *type,
                struct xir_value *a)
{
  return xir_build_op (builder, XIR_OP_CAST, type, &a, 1);
}

struct xir_value *
xir_build_bitcast (struct xir_builder *builder,
                   const struct xir_type *type,
                   struct xir_value *a)
{
  return xir_build_op (builder, XIR_OP_BITCAST, type, &a, 1);
}

struct xir_value *
xir_build_alloca (struct xir_builder *builder,
                  enum xir_storage storage,
                  const struct xir_type *type,
                  const char *name)
{
  struct xir_module *module = builder->module;
  struct xir_function *function = builder->function;
  struct xir_block *entry = xir_function_entry (function);
  struct xir_instruction *instruction = xir_instruction_new (module, XIR_OP_ALLOCA, type, 0, 0);
  struct gb_list *next = function->last_alloca != NULL ? function->last_alloca->link.next : entry->instructions.next;

  instruction->location = builder->location;
  instruction->value.is_lvalue = true;
  instruction->u.alloca_.storage = storage;
  instruction->u.alloca_.name = name != NULL ? gb_arena_strdup (&module->arena, name) : NULL;
  xir_instruction_insert (instruction, entry,
                          next != &entry->instructions ? gb_list_entry (next, struct xir_instruction, link) : NULL);
  return &instruction->value;
}

struct xir_value *
xir_build_load (struct xir_builder *builder,
                struct xir_value *lvalue)
{
  return add_value (builder, XIR_OP_LOAD, lvalue->type, &lvalue, 1);
}

void
xir_build_store (struct xir_builder *builder,
                 struct xir_value *lvalue,
                 struct xir_value *value)
{
  struct xir_value *operands[] = { lvalue, value };

  add (builder, XIR_OP_STORE, NULL, operands, 2, 0);
}

const struct xir_type *
xir_walk_type (const struct xir_type *type,
               struct xir_value *const *indices,
               uint32_t n)
{
  for (uint32_t i = 0; i < n && type != NULL; i++)
    {
      int64_t index = 0;

      if (type->kind == XIR_TYPE_STRUCTURE
          && (!xir_constant_to_int (indices[i], &index) || index < 0))
        return NULL;
      type = xir_type_child (type, (uint64_t) index);
    }
  return type;
}

/* An instruction whose operands are one or two values and then a list. */
static struct xir_instruction *
add_with_list (struct xir_builder *builder,
               enum xir_op op,
               const struct xir_type *type,
               struct xir_value *first,
               struct xir_value *second,
               struct xir_value *const *list,
               uint32_t n)
{
  uint32_t n_fixed = second != NULL ? 2 : 1;
  struct xir_instruction *instruction = xir_instruction_new (builder->module, op, type, n + n_fixed, 0);

  instruction->location = builder->location;
  if (xir_op_is_buffer_access (op))
    instruction->u.is_volatile = builder->is_volatile;
  xir_instruction_set_operand (instruction, 0, first);
  if (second != NULL)
    xir_instruction_set_operand (instruction, 1, second);
  for (uint32_t i = 0; i < n; i++)
    xir_instruction_set_operand (instruction, i + n_fixed, list[i]);
  xir_instruction_insert (instruction, builder->block, builder->before);
  return instruction;
}

struct xir_value *
xir_build_gep (struct xir_builder *builder,
               struct xir_value *base,
               struct xir_value *const *indices,
               uint32_t n)
{
  struct xir_instruction *instruction
    = add_with_list (builder, XIR_OP_GEP, xir_walk_type (base->type, indices, n), base, NULL, indices, n);

  instruction->value.is_lvalue = true;
  return &instruction->value;
}

struct xir_value *
xir_build_call (struct xir_builder *builder,
                struct xir_function *callee,
                struct xir_value *const *arguments,
                uint32_t n)
{
  struct xir_instruction *instruction = add (builder, XIR_OP_CALL, callee->return_type, arguments, n, 0);

  instruction->u.callee = callee;
  return &instruction->value;
}

struct xir_value *
xir_build_aggregate (struct xir_builder *builder,
                     const struct xir_type *type,
                     struct xir_value *const *parts,
                     uint32_t n)
{
  return add_value (builder, XIR_OP_AGGREGATE, type, parts, n);
}

struct xir_value *
xir_build_shuffle (struct xir_builder *builder,
                   struct xir_value *vector,
                   const uint8_t *lanes,
                   uint32_t n)
{
  const struct xir_type *scalar = xir_type_scalar_of (vector->type);
  const struct xir_type *type = n == 1 ? scalar : xir_type_vector (builder->module->context, scalar, n);
  struct xir_instruction *instruction = add (builder, XIR_OP_SHUFFLE, type, &vector, 1, 0);

  memcpy (instruction->u.lanes, lanes, MIN (n, G_N_ELEMENTS (instruction->u.lanes)));
  return &instruction->value;
}

struct xir_value *
xir_build_extract (struct xir_builder *builder,
                   struct xir_value *aggregate,
                   struct xir_value *const *indices,
                   uint32_t n)
{
  return &add_with_list (builder, XIR_OP_EXTRACT, xir_walk_type (aggregate->type, indices, n),
                         aggregate, NULL, indices, n)->value;
}

struct xir_value *
xir_build_insert (struct xir_builder *builder,
                  struct xir_value *aggregate,
                  struct xir_value *value,
                  struct xir_value *const *indices,
                  uint32_t n)
{
  return &add_with_list (builder, XIR_OP_INSERT, aggregate->type, aggregate, value, indices, n)->value;
}

struct xir_value *
xir_build_buffer_size (struct xir_builder *builder,
                       struct xir_value *buffer)
{
  return add_value (builder, XIR_OP_BUFFER_SIZE, xir_type_scalar (builder->module->context, XIR_TYPE_UINT32),
                    &buffer, 1);
}

struct xir_value *
xir_build_buffer_read (struct xir_builder *builder,
                       struct xir_value *buffer,
                       struct xir_value *const *indices,
                       uint32_t n)
{
  const struct xir_type *type = xir_walk_type (buffer->type->element, indices + 1, n - 1);

  return &add_with_list (builder, XIR_OP_BUFFER_READ, type, buffer, NULL, indices, n)->value;
}

void
xir_build_buffer_write (struct xir_builder *builder,
                        struct xir_value *buffer,
                        struct xir_value *value,
                        struct xir_value *const *indices,
                        uint32_t n)
{
  add_with_list (builder, XIR_OP_BUFFER_WRITE, NULL, buffer, value, indices, n);
}

struct xir_value *
xir_build_byte_buffer_read (struct xir_builder *builder,
                            const struct xir_type *type,
                            struct xir_value *buffer,
                            struct xir_value *offset)
{
  struct xir_value *operands[] = { buffer, offset };

  return add_value (builder, XIR_OP_BYTE_BUFFER_READ, type, operands, 2);
}

void
xir_build_byte_buffer_write (struct xir_builder *builder,
                             struct xir_value *buffer,
                             struct xir_value *value,
                             struct xir_value *offset)
{
  struct xir_value *operands[] = { buffer, value, offset };

  add_value (builder, XIR_OP_BYTE_BUFFER_WRITE, NULL, operands, 3);
}

struct xir_value *
xir_build_buffer_first (struct xir_builder *builder,
                        struct xir_value *buffer)
{
  return add_value (builder, XIR_OP_BUFFER_FIRST, xir_type_scalar (builder->module->context, XIR_TYPE_UINT32), &buffer, 1);
}

struct xir_value *
xir_build_atomic (struct xir_builder *builder,
                  enum xir_op op,
                  struct xir_value *base,
                  struct xir_value *expected,
                  struct xir_value *value,
                  struct xir_value *const *indices,
                  uint32_t n)
{
  uint32_t n_fixed = expected != NULL ? 3 : 2;
  struct xir_instruction *instruction = xir_instruction_new (builder->module, op, value->type, n + n_fixed, 0);

  instruction->location = builder->location;
  xir_instruction_set_operand (instruction, 0, base);
  if (expected != NULL)
    xir_instruction_set_operand (instruction, 1, expected);
  xir_instruction_set_operand (instruction, n_fixed - 1, value);
  for (uint32_t i = 0; i < n; i++)
    xir_instruction_set_operand (instruction, i + n_fixed, indices[i]);
  xir_instruction_insert (instruction, builder->block, builder->before);
  return &instruction->value;
}

struct xir_value *
xir_build_texture_size (struct xir_builder *builder,
                        struct xir_value *texture)
{
  struct xir_context *context = builder->module->context;
  const struct xir_type *type = xir_type_vector (context, xir_type_scalar (context, XIR_TYPE_UINT32),
                                                 texture->type->dimension);

  return add_value (builder, XIR_OP_TEXTURE_SIZE, type, &texture, 1);
}

struct xir_value *
xir_build_texture_read (struct xir_builder *builder,
                        struct xir_value *texture,
                        struct xir_value *at)
{
  struct xir_value *operands[] = { texture, at };
  const struct xir_type *type = xir_type_vector (builder->module->context, texture->type->element, 4);

  return add_value (builder, XIR_OP_TEXTURE_READ, type, operands, 2);
}

void
xir_build_texture_write (struct xir_builder *builder,
                         struct xir_value *texture,
                         struct xir_value *at,
                         struct xir_value *texel)
{
  struct xir_value *operands[] = { texture, at, texel };

  add (builder, XIR_OP_TEXTURE_WRITE, NULL, operands, 3, 0);
}

struct xir_instruction *
xir_build_if (struct xir_builder *builder,
              struct xir_value *condition,
              struct xir_block *if_true,
              struct xir_block *if_false,
              struct xir_block *merge)
{
  struct xir_instruction *instruction = add (builder, XIR_OP_IF, NULL, &condition, 1, 3);

  instruction->blocks[0] = if_true;
  instruction->blocks[1] = if_false;
  instruction->blocks[2] = merge;
  return instruction;
}

struct xir_instruction *
xir_build_switch (struct xir_builder *builder,
                  struct xir_value *selector,
                  struct xir_block *merge)
{
  struct xir_instruction *instruction = add (builder, XIR_OP_SWITCH, NULL, &selector, 1, 2);

  instruction->blocks[0] = merge;
  instruction->blocks[1] = merge;
  return instruction;
}

struct xir_instruction *
xir_build_loop (struct xir_builder *builder,
                struct xir_block *prepare,
                struct xir_block *body,
                struct xir_block *update,
                struct xir_block *merge)
{
  struct xir_instruction *instruction = add (builder, XIR_OP_LOOP, NULL, NULL, 0, 4);

  instruction->blocks[0] = prepare;
  instruction->blocks[1] = body;
  instruction->blocks[2] = update;
  instruction->blocks[3] = merge;
  return instruction;
}

static struct xir_instruction *
add_jump (struct xir_builder *builder,
          enum xir_op op,
          struct xir_block *target)
{
  struct xir_instruction *instruction = add (builder, op, NULL, NULL, 0, 1);

  instruction->blocks[0] = target;
  return instruction;
}

struct xir_instruction *
xir_build_branch (struct xir_builder *builder,
                  struct xir_block *target)
{
  return add_jump (builder, XIR_OP_BRANCH, target);
}

struct xir_instruction *
xir_build_conditional_branch (struct xir_builder *builder,
                              struct xir_value *condition,
                              struct xir_block *if_true,
                              struct xir_block *if_false)
{
  struct xir_instruction *instruction = add (builder, XIR_OP_CONDITIONAL_BRANCH, NULL, &condition, 1, 2);

  instruction->blocks[0] = if_true;
  instruction->blocks[1] = if_false;
  return instruction;
}

struct xir_instruction *
xir_build_break (struct xir_builder *builder,
                 struct xir_block *merge)
{
  return add_jump (builder, XIR_OP_BREAK, merge);
}

struct xir_instruction *
xir_build_continue (struct xir_builder *builder,
                    struct xir_block *update)
{
  return add_jump (builder, XIR_OP_CONTINUE, update);
}

struct xir_instruction *
xir_build_return (struct xir_builder *builder,
                  struct xir_value *value)
{
  return add (builder, XIR_OP_RETURN, NULL, &value, value != NULL ? 1 : 0, 0);
}

struct xir_instruction *
xir_build_unreachable (struct xir_builder *builder,
                       const char *message)
{
  struct xir_instruction *instruction = add (builder, XIR_OP_UNREACHABLE, NULL, NULL, 0, 0);

  if (message != NULL)
    instruction->u.message = gb_arena_strdup (&builder->module->arena, message);
  return instruction;
}

struct xir_instruction *
xir_build_print (struct xir_builder *builder,
                 enum xir_op op,
                 const char *format,
                 const char *condition,
                 struct xir_value *const *values,
                 uint32_t n)
{
  struct xir_instruction *instruction = add (builder, op, NULL, values, n, 0);

  instruction->u.print.format = gb_arena_strdup (&builder->module->arena, format);
  if (condition != NULL)
    instruction->u.print.condition = gb_arena_strdup (&builder->module->arena, condition);
  return instruction;
}

struct xir_value *
xir_build_phi (struct xir_builder *builder,
               const struct xir_type *type)
{
  return add_value (builder, XIR_OP_PHI, type, NULL, 0);
}

void
xir_phi_add (struct xir_value *phi,
             struct xir_value *value,
             struct xir_block *predecessor)
{
  struct xir_instruction *instruction = xir_value_instruction (phi);

  xir_instruction_add_operand (instruction, value);
  xir_instruction_add_block (instruction, predecessor);
}
