/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/codegen/interpreter.h"

#include <string.h>

#include "codegen/xir/evaluate.h"

/* Where an lvalue is. */
struct place
{
  uint8_t *bytes;
  const struct xir_type *type;
};

/* One call: what its values are by now. */
struct frame
{
  struct interpreter *interpreter;
  GHashTable *values;            /* value -> constant */
  GHashTable *memory;            /* alloca or reference argument -> bytes */
  const struct xir_block *previous;
};

static bool
fail (struct frame *frame,
      const char *fault)
{
  frame->interpreter->fault = fault;
  return false;
}

static struct xir_value *
value_of (struct frame *frame,
          struct xir_value *value)
{
  if (value->kind == XIR_VALUE_CONSTANT)
    return value;
  if (value->kind == XIR_VALUE_UNDEFINED || value->kind == XIR_VALUE_SPECIAL)
    return xir_constant_zero (frame->interpreter->module, value->type);
  return g_hash_table_lookup (frame->values, value);
}

static const uint8_t *
bytes_of (const struct xir_value *constant)
{
  return xir_value_constant (constant)->data;
}

/* Walks operands from `first` on. */
static bool
walk (struct frame *frame,
      const struct xir_instruction *instruction,
      uint32_t first,
      struct place *place)
{
  for (uint32_t i = first; i < instruction->n_operands; i++)
    {
      const struct xir_type *type = place->type, *child;
      struct xir_value *value = value_of (frame, xir_operand (instruction, i));
      int64_t index;

      if (value == NULL || !xir_constant_to_int (value, &index))
        return fail (frame, "an index is not known");
      if (index < 0 || (uint64_t) index >= type->count)
        return fail (frame, "index out of range");
      child = xir_type_child (type, (uint64_t) index);
      place->bytes += type->kind == XIR_TYPE_STRUCTURE ? type->offsets[index] : (uint64_t) index * child->size;
      place->type = child;
    }
  return true;
}

static bool
find_place (struct frame *frame,
            struct xir_value *lvalue,
            struct place *place)
{
  struct xir_instruction *instruction = xir_value_instruction (lvalue);

  if (instruction != NULL && instruction->op == XIR_OP_GEP)
    return find_place (frame, xir_operand (instruction, 0), place) && walk (frame, instruction, 1, place);
  place->bytes = g_hash_table_lookup (frame->memory, lvalue);
  place->type = lvalue->type;
  return place->bytes != NULL || fail (frame, "no such variable");
}

static struct interpreter_buffer *
buffer_of (struct frame *frame,
           const struct xir_instruction *instruction)
{
  return g_hash_table_lookup (frame->interpreter->buffers, xir_operand (instruction, 0));
}

static bool
buffer_place (struct frame *frame,
              const struct xir_instruction *instruction,
              uint32_t index_operand,
              struct place *place)
{
  const struct interpreter_buffer *buffer = buffer_of (frame, instruction);
  struct xir_value *value = value_of (frame, xir_operand (instruction, index_operand));
  int64_t index;

  if (buffer == NULL || value == NULL || !xir_constant_to_int (value, &index))
    return fail (frame, "no such buffer");
  if (index < 0 || index >= buffer->n_elements)
    return fail (frame, "buffer index out of range");
  place->bytes = buffer->data + (uint64_t) index * buffer->element->size;
  place->type = buffer->element;
  return walk (frame, instruction, index_operand + 1, place);
}

static bool
texture_place (struct frame *frame,
               const struct xir_instruction *instruction,
               struct place *place)
{
  const struct interpreter_buffer *buffer = buffer_of (frame, instruction);
  struct xir_value *at = value_of (frame, xir_operand (instruction, 1));
  int32_t xy[2];

  memcpy (xy, bytes_of (at), sizeof xy);
  if (xy[0] < 0 || xy[1] < 0 || xy[0] >= (int32_t) frame->interpreter->texture_width
      || (uint32_t) xy[1] >= buffer->n_elements / frame->interpreter->texture_width)
    return fail (frame, "texture place out of range");
  place->type = buffer->element;
  place->bytes = buffer->data
                 + ((uint32_t) xy[1] * frame->interpreter->texture_width + (uint32_t) xy[0]) * buffer->element->size;
  return true;
}

static struct xir_value *
resource_size (struct frame *frame,
               const struct xir_instruction *instruction)
{
  const struct interpreter_buffer *buffer = buffer_of (frame, instruction);
  uint32_t width = frame->interpreter->texture_width;

  if (instruction->op == XIR_OP_BUFFER_SIZE)
    return xir_constant_uint (frame->interpreter->module, buffer->n_elements);
  return xir_constant_get (frame->interpreter->module, instruction->value.type,
                           (uint32_t[]) { width, buffer->n_elements / width });
}

static struct xir_value *
call (struct frame *frame,
      const struct xir_instruction *instruction)
{
  struct xir_value *arguments[32];
  const struct xir_function *callee = instruction->u.callee;

  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      struct xir_value *actual = xir_operand (instruction, i);

      arguments[i] = value_of (frame, actual);
      if (callee->arguments[i]->argument_kind == XIR_ARGUMENT_REFERENCE)
        {
          struct place place;

          if (!find_place (frame, actual, &place))
            return NULL;
          arguments[i] = (struct xir_value *) place.bytes;
        }
    }
  return interpreter_run (frame->interpreter, callee, arguments);
}

static struct xir_value *
compute (struct frame *frame,
         const struct xir_instruction *instruction)
{
  struct xir_value *operands[64], *result;

  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      operands[i] = value_of (frame, xir_operand (instruction, i));
      if (operands[i] == NULL)
        {
          fail (frame, "an operand is not known");
          return NULL;
        }
    }
  result = xir_evaluate (frame->interpreter->module, instruction->op, instruction->value.type, operands,
                         instruction->n_operands, instruction->u.lanes);
  if (result == NULL)
    fail (frame, "the evaluator refuses");
  return result;
}

/* One instruction that is no terminator. */
static bool
step (struct frame *frame,
      const struct xir_instruction *instruction)
{
  struct xir_module *module = frame->interpreter->module;
  struct xir_value *result = NULL;
  struct place place;

  switch (instruction->op)
    {
    case XIR_OP_PHI:
      for (uint32_t i = 0; i < instruction->n_operands; i++)
        if (instruction->blocks[i] == frame->previous)
          result = value_of (frame, xir_operand (instruction, i));
      break;
    case XIR_OP_ALLOCA:
      g_hash_table_insert (frame->memory, (gpointer) &instruction->value,
                           g_malloc0 ((gsize) instruction->value.type->size));
      return true;
    case XIR_OP_GEP:
      return true;
    case XIR_OP_LOAD:
      if (!find_place (frame, xir_operand (instruction, 0), &place))
        return false;
      result = xir_constant_get (module, place.type, place.bytes);
      break;
    case XIR_OP_STORE:
      if (!find_place (frame, xir_operand (instruction, 0), &place))
        return false;
      memcpy (place.bytes, bytes_of (value_of (frame, xir_operand (instruction, 1))), (gsize) place.type->size);
      return true;
    case XIR_OP_CALL:
      result = call (frame, instruction);
      break;
    case XIR_OP_BUFFER_SIZE:
    case XIR_OP_TEXTURE_SIZE:
      result = resource_size (frame, instruction);
      break;
    case XIR_OP_BUFFER_READ:
      if (!buffer_place (frame, instruction, 1, &place))
        return false;
      result = xir_constant_get (module, place.type, place.bytes);
      break;
    case XIR_OP_BUFFER_WRITE:
      if (!buffer_place (frame, instruction, 2, &place))
        return false;
      memcpy (place.bytes, bytes_of (value_of (frame, xir_operand (instruction, 1))), (gsize) place.type->size);
      return true;
    case XIR_OP_TEXTURE_READ:
      if (!texture_place (frame, instruction, &place))
        return false;
      result = xir_constant_get (module, place.type, place.bytes);
      break;
    case XIR_OP_TEXTURE_WRITE:
      if (!texture_place (frame, instruction, &place))
        return false;
      memcpy (place.bytes, bytes_of (value_of (frame, xir_operand (instruction, 2))), (gsize) place.type->size);
      return true;
    case XIR_OP_CLOCK:
      {
        uint64_t tick = UINT64_MAX - frame->interpreter->steps_left;
        result = xir_constant_get (module, instruction->value.type, &tick);
        break;
      }
    default:
      result = compute (frame, instruction);
      break;
    }
  if (frame->interpreter->fault != NULL)
    return false;
  if (result == NULL)
    return instruction->value.type == NULL || fail (frame, "an instruction has no value");
  g_hash_table_insert (frame->values, (gpointer) &instruction->value, result);
  return true;
}

static const struct xir_block *
next_block (struct frame *frame,
            const struct xir_instruction *terminator)
{
  const struct xir_value *condition = NULL;
  uint64_t mask;
  int64_t value;

  if (terminator->n_operands > 0)
    condition = value_of (frame, xir_operand (terminator, 0));
  switch (terminator->op)
    {
    case XIR_OP_IF:
    case XIR_OP_CONDITIONAL_BRANCH:
      return terminator->blocks[*bytes_of (condition) != 0 ? 0 : 1];
    case XIR_OP_SWITCH:
      xir_constant_to_int (condition, &value);
      mask = xir_type_bits (condition->type) == 64 ? ~UINT64_C (0)
                                                   : (UINT64_C (1) << xir_type_bits (condition->type)) - 1;
      for (uint32_t i = 2; i < terminator->n_blocks; i++)
        if ((terminator->u.switch_.values[i - 2] & mask) == ((uint64_t) value & mask))
          return terminator->blocks[i];
      return terminator->blocks[1];
    case XIR_OP_LOOP:
    case XIR_OP_BRANCH:
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
      return terminator->blocks[0];
    default:
      return NULL;
    }
}

/* Phis read what was before any of them was written. */
static void
commit_phis (struct frame *frame,
             const struct xir_block *block)
{
  GHashTable *fresh = g_hash_table_new (NULL, NULL);
  GHashTableIter iterator;
  gpointer key, value;

  gb_list_for_each (phi, &block->instructions, struct xir_instruction, link)
    {
      if (phi->op != XIR_OP_PHI)
        break;
      for (uint32_t i = 0; i < phi->n_operands; i++)
        if (phi->blocks[i] == frame->previous)
          g_hash_table_insert (fresh, &phi->value, value_of (frame, xir_operand (phi, i)));
    }
  g_hash_table_iter_init (&iterator, fresh);
  while (g_hash_table_iter_next (&iterator, &key, &value))
    g_hash_table_insert (frame->values, key, value);
  g_hash_table_destroy (fresh);
}

static struct xir_value *
run_blocks (struct frame *frame,
            const struct xir_block *block)
{
  while (block != NULL)
    {
      const struct xir_instruction *terminator = xir_block_terminator (block);

      commit_phis (frame, block);
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        {
          if (frame->interpreter->steps_left-- == 0)
            {
              frame->interpreter->steps_left = 0;
              fail (frame, "it does not end");
              return NULL;
            }
          if (instruction == terminator || instruction->op == XIR_OP_PHI)
            continue;
          if (!step (frame, instruction))
            return NULL;
        }
      if (terminator->op == XIR_OP_UNREACHABLE)
        fail (frame, "unreachable was reached");
      if (terminator->op == XIR_OP_RETURN && terminator->n_operands > 0)
        return value_of (frame, xir_operand (terminator, 0));
      frame->previous = block;
      block = next_block (frame, terminator);
    }
  return NULL;
}

struct xir_value *
interpreter_run (struct interpreter *interpreter,
                 const struct xir_function *function,
                 struct xir_value *const *arguments)
{
  struct frame frame = { .interpreter = interpreter };
  GHashTableIter iterator;
  gpointer key, bytes;
  struct xir_value *result;

  frame.values = g_hash_table_new (NULL, NULL);
  frame.memory = g_hash_table_new (NULL, NULL);
  for (uint32_t i = 0; i < function->n_arguments; i++)
    if (arguments[i] != NULL)
      g_hash_table_insert (function->arguments[i]->argument_kind == XIR_ARGUMENT_REFERENCE ? frame.memory
                                                                                           : frame.values,
                           &function->arguments[i]->value, arguments[i]);
  result = run_blocks (&frame, xir_function_entry (function));

  g_hash_table_iter_init (&iterator, frame.memory);
  while (g_hash_table_iter_next (&iterator, &key, &bytes))
    if (((struct xir_value *) key)->kind == XIR_VALUE_INSTRUCTION)
      g_free (bytes);
  g_hash_table_destroy (frame.values);
  g_hash_table_destroy (frame.memory);
  return interpreter->fault != NULL ? NULL : result;
}
