/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bounds checks: an access whose indices are not known to be in range moves into
 * the true arm of an `if` that tests them. The false arm is empty, a phi in the
 * merge gives a read its zero and an insert its unchanged aggregate. */

#include "config.h"

#include "codegen/passes/passes.h"

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

/* How far the constants of an access decide about it. */
enum range { RANGE_INSIDE, RANGE_OUTSIDE, RANGE_OPEN };

static enum range
worse (enum range a,
       enum range b)
{
  if (a == RANGE_OUTSIDE || b == RANGE_OUTSIDE)
    return RANGE_OUTSIDE;
  return a == RANGE_OPEN ? a : b;
}

/* The operand that holds the first of the indices into `*type`. */
static uint32_t
first_index (const struct xir_instruction *instruction,
             const struct xir_type **type)
{
  *type = xir_operand (instruction, 0)->type;
  switch (instruction->op)
    {
    case XIR_OP_BUFFER_READ:
      *type = (*type)->element;
      return 2;
    case XIR_OP_BUFFER_WRITE:
      *type = (*type)->element;
      return 3;
    case XIR_OP_INSERT:
      return 2;
    default:
      if (!xir_op_is_atomic (instruction->op))
        return 1;
      *type = (*type)->element;
      return xir_atomic_first_index (instruction->op) + 1;
    }
}

/* What an access does: to memory through an lvalue, to an element of a buffer, to a texel, to a part of a value. */
enum access { ACCESS_NONE, ACCESS_MEMORY, ACCESS_BUFFER, ACCESS_BYTES, ACCESS_TEXTURE, ACCESS_PART };

static enum access
access_of (const struct xir_instruction *instruction)
{
  switch (instruction->op)
    {
    case XIR_OP_BUFFER_READ:
    case XIR_OP_BUFFER_WRITE:
      return ACCESS_BUFFER;
    case XIR_OP_BYTE_BUFFER_READ:
    case XIR_OP_BYTE_BUFFER_WRITE:
      return ACCESS_BYTES;
    case XIR_OP_TEXTURE_READ:
    case XIR_OP_TEXTURE_WRITE:
      return ACCESS_TEXTURE;
    case XIR_OP_EXTRACT:
    case XIR_OP_INSERT:
      return ACCESS_PART;
    case XIR_OP_LOAD:
    case XIR_OP_STORE:
      return ACCESS_MEMORY;
    default:
      if (!xir_op_is_atomic (instruction->op))
        return ACCESS_NONE;
      return xir_operand (instruction, 0)->is_lvalue ? ACCESS_MEMORY : ACCESS_BUFFER;
    }
}

static enum range
index_range (const struct xir_type *type,
             const struct xir_value *index)
{
  int64_t value;

  if (type->kind == XIR_TYPE_STRUCTURE)
    return RANGE_INSIDE;
  if (!xir_constant_to_int (index, &value))
    return type->count == 0 ? RANGE_OUTSIDE : RANGE_OPEN;
  return value >= 0 && (uint64_t) value < type->count ? RANGE_INSIDE : RANGE_OUTSIDE;
}

/* What a structure's constant index leads to; other indices do not matter. */
static const struct xir_type *
step_into (const struct xir_type *type,
           const struct xir_value *index)
{
  int64_t value = 0;

  xir_constant_to_int (index, &value);
  return xir_type_child (type, (uint64_t) value);
}

static enum range
indices_range (const struct xir_instruction *instruction)
{
  const struct xir_type *type;
  enum range result = RANGE_INSIDE;

  for (uint32_t i = first_index (instruction, &type); i < instruction->n_operands; i++)
    {
      result = worse (result, index_range (type, xir_operand (instruction, i)));
      type = step_into (type, xir_operand (instruction, i));
    }
  return result;
}

/* What lower-print writes to has been compared with its size. */
static bool
is_hidden (const struct xir_value *resource)
{
  const struct xir_argument *argument = xir_value_argument (resource);

  return argument != NULL && argument->is_hidden;
}

static enum range
access_range (const struct xir_instruction *instruction)
{
  const struct xir_instruction *gep;
  enum range result = RANGE_INSIDE;

  switch (access_of (instruction))
    {
    case ACCESS_BUFFER:
      return is_hidden (xir_operand (instruction, 0)) ? RANGE_INSIDE : worse (RANGE_OPEN, indices_range (instruction));
    case ACCESS_BYTES:
    case ACCESS_TEXTURE:
      return RANGE_OPEN;
    case ACCESS_PART:
      return indices_range (instruction);
    case ACCESS_MEMORY:
      gep = xir_value_instruction (xir_operand (instruction, 0));
      for (; gep != NULL && gep->op == XIR_OP_GEP; gep = xir_value_instruction (xir_operand (gep, 0)))
        result = worse (result, indices_range (gep));
      return result;
    default:
      return RANGE_INSIDE;
    }
}

/* Conditions. */

/* An index or coordinate as an unsigned number of at least 32 bits: negative ones
 * become larger than any size. */
static struct xir_value *
as_unsigned (struct xir_builder *builder,
             struct xir_value *index)
{
  struct xir_context *context = builder->module->context;
  enum xir_type_kind kind = xir_type_scalar_of (index->type)->kind;

  if (kind == XIR_TYPE_INT64)
    return xir_build_bitcast (builder, xir_type_with_scalar (context, index->type, XIR_TYPE_UINT64), index);
  if (kind == XIR_TYPE_INT8 || kind == XIR_TYPE_INT16)
    index = xir_build_cast (builder, xir_type_with_scalar (context, index->type, XIR_TYPE_INT32), index);
  if (kind == XIR_TYPE_UINT8 || kind == XIR_TYPE_UINT16)
    return xir_build_cast (builder, xir_type_with_scalar (context, index->type, XIR_TYPE_UINT32), index);
  if (xir_type_is_signed (index->type))
    return xir_build_bitcast (builder, xir_type_with_scalar (context, index->type, XIR_TYPE_UINT32), index);
  return index;
}

static struct xir_value *
both (struct xir_builder *builder,
      struct xir_value *a,
      struct xir_value *b)
{
  return a != NULL ? xir_build_binary (builder, XIR_OP_AND, a, b) : b;
}

static struct xir_value *
less_than_count (struct xir_builder *builder,
                 struct xir_value *index,
                 uint64_t count)
{
  struct xir_value *number = as_unsigned (builder, index);

  if (number->type->kind == XIR_TYPE_UINT64)
    return xir_build_binary (builder, XIR_OP_LESS, number, xir_constant_get (builder->module, number->type, &count));
  /* No index of 32 bits is beyond such an array. */
  if (count > G_MAXUINT32)
    return xir_constant_bool (builder->module, true);
  return xir_build_binary (builder, XIR_OP_LESS, number, xir_constant_uint (builder->module, (uint32_t) count));
}

static struct xir_value *
test_indices (struct xir_builder *builder,
              const struct xir_instruction *instruction,
              struct xir_value *condition)
{
  const struct xir_type *type;

  for (uint32_t i = first_index (instruction, &type); i < instruction->n_operands; i++)
    {
      struct xir_value *index = xir_operand (instruction, i);

      if (index_range (type, index) == RANGE_OPEN)
        condition = both (builder, condition, less_than_count (builder, index, type->count));
      type = step_into (type, index);
    }
  return condition;
}

static struct xir_value *
test_buffer (struct xir_builder *builder,
             const struct xir_instruction *instruction)
{
  const struct xir_type *element;
  uint32_t at = first_index (instruction, &element) - 1;
  struct xir_value *index = as_unsigned (builder, xir_operand (instruction, at));
  struct xir_value *size = xir_build_buffer_size (builder, xir_operand (instruction, 0));

  if (index->type != size->type)
    size = xir_build_cast (builder, index->type, size);
  return test_indices (builder, instruction, xir_build_binary (builder, XIR_OP_LESS, index, size));
}

/* All bytes of the value have to be there, from where the offset is rounded down to. */
static struct xir_value *
test_bytes (struct xir_builder *builder,
            const struct xir_instruction *instruction)
{
  bool writes = instruction->op == XIR_OP_BYTE_BUFFER_WRITE;
  const struct xir_type *type = writes ? xir_operand (instruction, 1)->type : instruction->value.type;
  struct xir_value *at = as_unsigned (builder, xir_operand (instruction, writes ? 2 : 1));
  struct xir_value *size = xir_build_buffer_size (builder, xir_operand (instruction, 0)), *inside, *left, *needed;
  uint64_t mask = -(uint64_t) xir_type_byte_alignment (type);
  uint32_t narrow_mask = (uint32_t) mask;

  if (at->type != size->type)
    size = xir_build_cast (builder, at->type, size);
  if (narrow_mask != G_MAXUINT32)
    at = xir_build_binary (builder, XIR_OP_AND, at,
                           xir_constant_get (builder->module, at->type,
                                             at->type->size == 8 ? (const void *) &mask : (const void *) &narrow_mask));
  inside = xir_build_binary (builder, XIR_OP_LESS, at, size);
  left = xir_build_binary (builder, XIR_OP_SUB, size, at);
  needed = at->type->size == 8 ? xir_constant_get (builder->module, at->type, &type->size)
                               : xir_constant_uint (builder->module, (uint32_t) MIN (type->size, G_MAXUINT32));
  return both (builder, inside, xir_build_binary (builder, XIR_OP_GREATER_EQUAL, left, needed));
}

static struct xir_value *
test_texture (struct xir_builder *builder,
              const struct xir_instruction *instruction)
{
  struct xir_value *at = as_unsigned (builder, xir_operand (instruction, 1));
  struct xir_value *size = xir_build_texture_size (builder, xir_operand (instruction, 0));

  return xir_build_unary (builder, XIR_OP_ALL, xir_build_binary (builder, XIR_OP_LESS, at, size));
}

static struct xir_value *
make_condition (struct xir_builder *builder,
                const struct xir_instruction *instruction)
{
  const struct xir_instruction *gep;
  struct xir_value *condition = NULL;

  switch (access_of (instruction))
    {
    case ACCESS_BUFFER:
      return test_buffer (builder, instruction);
    case ACCESS_BYTES:
      return test_bytes (builder, instruction);
    case ACCESS_TEXTURE:
      return test_texture (builder, instruction);
    case ACCESS_MEMORY:
      gep = xir_value_instruction (xir_operand (instruction, 0));
      for (; gep != NULL && gep->op == XIR_OP_GEP; gep = xir_value_instruction (xir_operand (gep, 0)))
        condition = test_indices (builder, gep, condition);
      return condition;
    default:
      return test_indices (builder, instruction, NULL);
    }
}

/* Moving an access behind its test. */

/* What the access gives when it does not happen. */
static struct xir_value *
substitute_for (const struct xir_instruction *instruction)
{
  if (instruction->value.type == NULL)
    return NULL;
  if (instruction->op == XIR_OP_INSERT)
    return xir_operand (instruction, 0);
  return xir_constant_zero (instruction->block->function->module, instruction->value.type);
}

static void
remove_unused_geps (struct xir_value *lvalue)
{
  struct xir_instruction *gep = xir_value_instruction (lvalue);

  while (gep != NULL && gep->op == XIR_OP_GEP && !xir_value_is_used (&gep->value))
    {
      struct xir_value *base = xir_operand (gep, 0);

      xir_instruction_remove (gep);
      gep = xir_value_instruction (base);
    }
}

/* Address walks happen behind the test too: each access gets its own, whole. */
static void
move_address (struct xir_builder *builder,
              struct xir_instruction *access)
{
  struct xir_value *old = xir_operand (access, 0), *base = old;
  GPtrArray *indices = g_ptr_array_new ();
  struct xir_instruction *gep = xir_value_instruction (old);

  /* Collected from the last index to the first. */
  for (; gep != NULL && gep->op == XIR_OP_GEP; gep = xir_value_instruction (base))
    {
      for (uint32_t i = gep->n_operands; i-- > 1;)
        g_ptr_array_add (indices, xir_operand (gep, i));
      base = xir_operand (gep, 0);
    }
  for (guint i = 0; i < indices->len / 2; i++)
    {
      gpointer swapped = indices->pdata[i];

      indices->pdata[i] = indices->pdata[indices->len - 1 - i];
      indices->pdata[indices->len - 1 - i] = swapped;
    }
  xir_builder_before (builder, access);
  xir_instruction_set_operand (access, 0, xir_build_gep (builder, base, (struct xir_value *const *) indices->pdata,
                                                         indices->len));
  g_ptr_array_free (indices, TRUE);
  remove_unused_geps (old);
}

static void
guard (struct xir_instruction *access)
{
  struct xir_block *head = access->block, *tail, *inside, *outside;
  struct xir_function *function = head->function;
  struct xir_value *condition, *phi, *substitute = substitute_for (access);
  struct xir_builder builder;

  xir_builder_init (&builder, function);
  builder.location = access->location;
  tail = xir_block_split (head, access);
  outside = xir_block_new_behind (head);
  inside = xir_block_new_behind (head);

  xir_builder_at_end (&builder, head);
  condition = make_condition (&builder, access);
  xir_build_if (&builder, condition, inside, outside, tail);
  gb_list_remove (&access->link);
  xir_instruction_insert (access, inside, NULL);
  if (access_of (access) == ACCESS_MEMORY)
    move_address (&builder, access);
  xir_builder_at_end (&builder, inside);
  xir_build_branch (&builder, tail);
  xir_builder_at_end (&builder, outside);
  xir_build_branch (&builder, tail);

  if (substitute == NULL)
    return;
  if (gb_list_is_empty (&tail->instructions))
    xir_builder_at_end (&builder, tail);
  else
    xir_builder_before (&builder, gb_list_first (&tail->instructions, struct xir_instruction, link));
  phi = xir_build_phi (&builder, access->value.type);
  xir_value_replace (&access->value, phi);
  xir_phi_add (phi, &access->value, inside);
  xir_phi_add (phi, substitute, outside);
}

/* An access that cannot be in range does not happen at all. */
static void
drop (struct xir_instruction *access)
{
  struct xir_value *substitute = substitute_for (access);
  struct xir_value *lvalue = access_of (access) == ACCESS_MEMORY ? xir_operand (access, 0) : NULL;

  if (substitute != NULL)
    xir_value_replace (&access->value, substitute);
  xir_instruction_remove (access);
  if (lvalue != NULL)
    remove_unused_geps (lvalue);
}

/* Tests go in from the last access of a block to the first, so that what stands
 * behind an access is moved once. */
static bool
check_block (struct xir_block *block)
{
  struct gb_list *next = &block->instructions;
  bool changed = false;

  /* Geps that become unused stand before their access: the next one to look at is
   * found from the one behind. */
  while (next->prev != &block->instructions)
    {
      struct xir_instruction *instruction = gb_list_entry (next->prev, struct xir_instruction, link);
      enum range range = access_range (instruction);

      if (range == RANGE_INSIDE)
        next = next->prev;
      else if (range == RANGE_OUTSIDE)
        drop (instruction);
      else
        {
          guard (instruction);
          next = &xir_block_terminator (block)->link;
        }
      changed = changed || range != RANGE_INSIDE;
    }
  return changed;
}

static bool
needs_test (const struct xir_block *block)
{
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    if (access_range (instruction) == RANGE_OPEN)
      return true;
  return false;
}

static bool
check_function (struct xir_function *function)
{
  GPtrArray *blocks = g_ptr_array_new ();
  uint32_t first_new = function->module->next_id;
  bool changed = false;

  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    g_ptr_array_add (blocks, block);
  for (guint i = 0; i < blocks->len; i++)
    {
      struct xir_block *block = blocks->pdata[i];
      struct xir_instruction *terminator = xir_block_terminator (block);

      if (terminator != NULL && terminator->op == XIR_OP_LOOP && needs_test (terminator->blocks[0]))
        {
          struct xir_block *start = xir_loop_open_prepare (terminator);

          if (start->id >= first_new)
            g_ptr_array_add (blocks, start);
        }
    }
  for (guint i = 0; i < blocks->len; i++)
    changed = check_block (blocks->pdata[i]) || changed;
  g_ptr_array_free (blocks, TRUE);
  return changed;
}

bool
xir_pass_bounds_checks (struct xir_module *module,
                        const struct xir_pass_options *options,
                        GError **error)
{
  bool changed = false;

  if (options == NULL || !options->bounds_checks)
    return false;
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    changed = check_function (function) || changed;
  return changed;
}
