/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Variables, buffers, images and atomics. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "codegen/interpret/execute.h"
#include "codegen/interpret/translate.h"
#include "lib/checked.h"

#define MAX_MEMORY (UINT64_C (1) << 30)

static enum interpret_op
access_op (enum xir_type_kind kind, bool writes, bool in_buffer)
{
  static const enum interpret_op reads[2][5] = {
    { INTERPRET_OP_READ_BOOL, INTERPRET_OP_READ_8, INTERPRET_OP_READ_16, INTERPRET_OP_READ_32, INTERPRET_OP_READ_64 },
    { INTERPRET_OP_BUFFER_READ_BOOL, INTERPRET_OP_BUFFER_READ_8, INTERPRET_OP_BUFFER_READ_16,
      INTERPRET_OP_BUFFER_READ_32, INTERPRET_OP_BUFFER_READ_64 }
  };
  static const enum interpret_op all_writes[2][5] = {
    { INTERPRET_OP_WRITE_8, INTERPRET_OP_WRITE_8, INTERPRET_OP_WRITE_16, INTERPRET_OP_WRITE_32, INTERPRET_OP_WRITE_64 },
    { INTERPRET_OP_BUFFER_WRITE_8, INTERPRET_OP_BUFFER_WRITE_8, INTERPRET_OP_BUFFER_WRITE_16,
      INTERPRET_OP_BUFFER_WRITE_32, INTERPRET_OP_BUFFER_WRITE_64 }
  };
  int size = kind == XIR_TYPE_BOOL ? 0 : kind == XIR_TYPE_UINT8 ? 1 : kind == XIR_TYPE_UINT16 ? 2 : kind == XIR_TYPE_UINT32 ? 3 : 4;
  return (writes ? all_writes : reads)[in_buffer][size];
}

/* A whole value between registers and a place that registers hold. `is_defined`: needs no look before. */
static void
emit_access (struct translator *translator, const struct xir_instruction *instruction, const struct xir_type *type,
             uint32_t value, uint32_t place, uint32_t offset, const uint32_t *buffer, bool writes, bool is_defined)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (struct value_run));
  bool carries = translate_carries (translator, type);
  if (translator->error == NULL)
    interpret_type_runs (type, value, offset, runs);
  for (uint32_t i = 0; i < runs->len; i++)
    {
      const struct value_run *run = &g_array_index (runs, struct value_run, i);
      struct code *code;
      if (!is_defined)
        translate_check_access (translator, instruction, run, place, buffer,
                                writes ? CHECK_WRITE : carries ? CHECK_COPY : CHECK_READ);
      code = translate_emit_slots (translator, access_op (run->kind, writes, buffer != NULL), run->slot, place, 0, run->count);
      code->b = buffer != NULL ? *buffer : 0;
      code->c = (uint32_t) run->offset;
      if (carries && !is_defined)
        translate_undefined_access (translator, run, place, buffer, writes);
    }
  g_array_unref (runs);
}

static void
emit_alloca (struct translator *translator, const struct xir_instruction *instruction)
{
  bool shared = instruction->u.alloca_.storage == XIR_STORAGE_SHARED;
  const struct xir_type *type = instruction->value.type;
  struct item *item = item_of (translator, &instruction->value);
  uint64_t *size = shared ? &translator->shared_size : &translator->local_size, begin, slots = 0;
  if (item->variable != NULL)
    {
      interpret_type_slots (type, &slots);
      translate_emit_slots (translator, INTERPRET_OP_ZERO, item->slot, 0, 0, (uint32_t) slots);
      return;
    }
  if (!gb_checked_align (*size, MAX (type->alignment, 1), &begin) || type->size > MAX_MEMORY || begin > MAX_MEMORY - type->size)
    {
      translate_fail (translator, INTERPRET_ERROR_TOO_LARGE, _("variable “%s” does not fit into memory"),
                      instruction->u.alloca_.name != NULL ? instruction->u.alloca_.name : "?");
      return;
    }
  *size = begin + type->size;
  item->slot = translate_word (translator, (uint32_t) begin | (shared ? POINTER_SHARED : 0));
  if (!shared)
    translate_emit_slots (translator, INTERPRET_OP_CLEAR, 0, item->slot, 0, (uint32_t) type->size);
  translate_check_variable (translator, instruction, begin);
}

/* Walks from a place in memory. `place` are registers with pointers or offsets, `wide` if offsets; what is
 * constant is added to `offset`. */
static const struct xir_type *
walk (struct translator *translator, const struct xir_instruction *instruction, uint32_t first, const struct xir_type *type,
      bool wide, uint32_t *place, uint32_t *offset)
{
  for (uint32_t i = first; i < instruction->n_operands; i++)
    {
      const struct xir_value *value = xir_operand (instruction, i);
      int64_t index;
      if (xir_constant_to_int (value, &index) && index >= 0 && (uint64_t) index < type->count)
        {
          const struct xir_type *child = xir_type_child (type, (uint64_t) index);
          *offset += (uint32_t) (type->kind == XIR_TYPE_STRUCTURE ? type->offsets[index] : (uint64_t) index * child->size);
          type = child;
        }
      else
        {
          uint32_t at = translate_index (translator, value), to = translate_slots (translator, wide ? 2 : 1);
          const struct xir_type *child = xir_type_child (type, 0);
          struct code *code;
          translate_check_index (translator, instruction, value, type->count);
          code = translate_emit_slots (translator, wide ? INTERPRET_OP_OFFSET_64 : INTERPRET_OP_OFFSET_32, to,
                                                    *place, at, (uint32_t) child->size);
          code->c = (uint32_t) MIN (type->count, UINT32_MAX);
          *place = to;
          type = child;
        }
    }
  return type;
}

static void
emit_gep (struct translator *translator, const struct xir_instruction *instruction)
{
  struct item *item = item_of (translator, &instruction->value);
  const struct item *base = item_of (translator, xir_operand (instruction, 0));
  uint32_t place, offset = base->offset;
  if (item->variable != NULL)
    return;
  place = translate_operand (translator, xir_operand (instruction, 0));
  walk (translator, instruction, 1, xir_operand (instruction, 0)->type, false, &place, &offset);
  item->slot = place;
  item->offset = offset;
  item->is_defined = base->is_defined;
}

static void
emit_load (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_value *lvalue = xir_operand (instruction, 0);
  const struct item *place = item_of (translator, lvalue);
  struct item *item = item_of (translator, &instruction->value);
  uint64_t n = 0;
  if (place->variable == NULL)
    {
      uint32_t pointer = translate_operand (translator, lvalue);
      emit_access (translator, instruction, lvalue->type, translate_result (translator, instruction), pointer, place->offset,
                   NULL, false, place->is_defined);
      return;
    }
  /* Who looks at a value later wants to see it as it was. */
  if (item->is_view && translator->program->trace == NULL)
    {
      item->slot = place->slot;
      return;
    }
  interpret_type_slots (lvalue->type, &n);
  translate_copy (translator, translate_result (translator, instruction), place->slot, n);
}

static void
emit_store (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_value *lvalue = xir_operand (instruction, 0), *value = xir_operand (instruction, 1);
  const struct item *place = item_of (translator, lvalue);
  uint32_t a = translate_operand (translator, value);
  if (place->variable == NULL)
    emit_access (translator, instruction, value->type, a, translate_operand (translator, lvalue), place->offset, NULL, true,
                 place->is_defined);
  else if (place->slot != a)
    translate_move (translator, value->type, place->slot, a);
}

/* Buffers: registers with the offset of the element or its part. */
static const struct xir_type *
emit_element (struct translator *translator, const struct xir_instruction *instruction, uint32_t first, uint32_t buffer,
              uint32_t *place, uint32_t *offset)
{
  const struct xir_value *index = xir_operand (instruction, first);
  enum xir_type_kind kind = index->type->kind;
  uint32_t at = interpret_kind_is_wide (kind) ? translate_operand (translator, index) : translate_index (translator, index);
  struct code *code;
  *place = translate_slots (translator, 2);
  *offset = 0;
  translate_check_element (translator, instruction, at, index, buffer);
  code = translate_emit_slots (translator, interpret_kind_is_wide (kind) ? INTERPRET_OP_ELEMENT_WIDE : INTERPRET_OP_ELEMENT,
                               *place, at, 0, 1);
  code->b = buffer;
  code->c = xir_type_is_signed (index->type);
  return walk (translator, instruction, first + 1, xir_operand (instruction, 0)->type->element, true, place, offset);
}

/* A value at an offset in bytes. A negative one of 32 bits is above every size. */
static void
emit_bytes (struct translator *translator, const struct xir_instruction *instruction, uint32_t buffer)
{
  bool writes = instruction->op == XIR_OP_BYTE_BUFFER_WRITE;
  const struct xir_value *offset = xir_operand (instruction, writes ? 2 : 1);
  const struct xir_type *type = writes ? xir_operand (instruction, 1)->type : instruction->value.type;
  bool is_wide = interpret_kind_is_wide (offset->type->kind);
  uint32_t at = is_wide ? translate_operand (translator, offset) : translate_index (translator, offset);
  uint32_t place = translate_slots (translator, 2);
  uint32_t value;
  struct code *code;
  translate_check_bytes (translator, instruction, at, offset, type, buffer);
  code = translate_emit_slots (translator, is_wide ? INTERPRET_OP_BYTES_WIDE : INTERPRET_OP_BYTES, place, at, 0,
                               (uint32_t) MIN (type->size, UINT32_MAX));
  code->b = buffer;
  code->c = xir_type_byte_alignment (type);
  value = writes ? translate_operand (translator, xir_operand (instruction, 1)) : translate_result (translator, instruction);
  emit_access (translator, instruction, type, value, place, 0, &buffer, writes, false);
}

static uint32_t
resource_of (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_argument *argument = xir_value_argument (xir_operand (instruction, 0));
  if (argument != NULL && argument->argument_kind == XIR_ARGUMENT_RESOURCE
      && argument->index < translator->program->n_arguments && argument->function->kind == XIR_FUNCTION_KERNEL)
    return argument->index;
  translate_fail (translator, INTERPRET_ERROR_UNSUPPORTED, _("a resource is no argument of the kernel"));
  return 0;
}

static void
emit_buffer (struct translator *translator, const struct xir_instruction *instruction)
{
  uint32_t buffer = resource_of (translator, instruction), place, offset, value;
  bool writes = instruction->op == XIR_OP_BUFFER_WRITE || instruction->op == XIR_OP_BYTE_BUFFER_WRITE;
  const struct xir_type *type;
  if (translator->error != NULL)
    return;
  if (xir_operand (instruction, 0)->type->element == NULL)
    emit_bytes (translator, instruction, buffer);
  else
    {
      type = emit_element (translator, instruction, writes ? 2 : 1, buffer, &place, &offset);
      value = writes ? translate_operand (translator, xir_operand (instruction, 1)) : translate_result (translator, instruction);
      emit_access (translator, instruction, type, value, place, offset, &buffer, writes, false);
    }
  if (writes)
    translator->program->arguments[buffer].is_written = true;
  else
    translator->program->arguments[buffer].is_read = true;
}

static void
emit_atomic (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_value *base = xir_operand (instruction, 0);
  bool exchanges = instruction->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE;
  struct atomic atomic = { instruction->op, instruction->value.type->kind, 0, 0 };
  struct value_run whole = { 0, 1, 0, interpret_kind_is_wide (atomic.kind) ? XIR_TYPE_UINT64 : XIR_TYPE_UINT32 };
  uint32_t place, offset, buffer = 0;
  struct code *code;
  atomic.value = words_at (translator, translate_operand (translator, xir_operand (instruction, exchanges ? 2 : 1)));
  atomic.expected = words_at (translator, translate_operand (translator, xir_operand (instruction, 1)));
  if (base->is_lvalue)
    {
      place = translate_operand (translator, base);
      offset = item_of (translator, base)->offset;
    }
  else
    {
      buffer = resource_of (translator, instruction);
      if (translator->error != NULL)
        return;
      emit_element (translator, instruction, exchanges ? 3 : 2, buffer, &place, &offset);
      translator->program->arguments[buffer].is_read = translator->program->arguments[buffer].is_written = true;
    }
  whole.offset = offset;
  translate_check_access (translator, instruction, &whole, place, base->is_lvalue ? NULL : &buffer, CHECK_ATOMIC);
  code = translate_emit_slots (translator, base->is_lvalue ? INTERPRET_OP_ATOMIC_SHARED : INTERPRET_OP_ATOMIC_BUFFER,
                               translate_result (translator, instruction), place, 0, 1);
  code->b = buffer;
  code->c = offset;
  code->x = translator->program->atomics->len;
  g_array_append_val (translator->program->atomics, atomic);
}

static void
emit_image (struct translator *translator, const struct xir_instruction *instruction)
{
  uint32_t image = resource_of (translator, instruction), at, texel;
  const struct xir_value *coordinates;
  if (instruction->op == XIR_OP_TEXTURE_SIZE || instruction->op == XIR_OP_BUFFER_SIZE)
    {
      bool is_image = instruction->op == XIR_OP_TEXTURE_SIZE;
      uint32_t n = is_image ? xir_type_lanes (instruction->value.type)
                            : interpret_kind_is_wide (instruction->value.type->kind) ? 2 : 1;
      translate_emit_slots (translator, is_image ? INTERPRET_OP_IMAGE_SIZE : INTERPRET_OP_BUFFER_SIZE,
                            translate_result (translator, instruction), 0, 0, n)->b = image;
      return;
    }
  coordinates = xir_operand (instruction, 1);
  at = translate_operand (translator, coordinates);
  texel = instruction->op == XIR_OP_TEXTURE_READ ? translate_result (translator, instruction)
                                                 : translate_operand (translator, xir_operand (instruction, 2));
  if (translator->error != NULL)
    return;
  translate_check_image (translator, instruction, at, image);
  if (instruction->op == XIR_OP_TEXTURE_READ)
    translator->program->arguments[image].is_read = true;
  else
    translator->program->arguments[image].is_written = true;
  translate_emit_slots (translator, instruction->op == XIR_OP_TEXTURE_READ ? INTERPRET_OP_IMAGE_READ : INTERPRET_OP_IMAGE_WRITE,
                        texel, at, 0, xir_type_lanes (coordinates->type))->b = image;
}

bool
translate_memory (struct translator *translator, const struct xir_instruction *instruction)
{
  switch (instruction->op)
    {
    case XIR_OP_ALLOCA:
      emit_alloca (translator, instruction);
      return true;
    case XIR_OP_GEP:
      emit_gep (translator, instruction);
      return true;
    case XIR_OP_LOAD:
      emit_load (translator, instruction);
      return true;
    case XIR_OP_STORE:
      emit_store (translator, instruction);
      return true;
    case XIR_OP_BUFFER_READ:
    case XIR_OP_BUFFER_WRITE:
    case XIR_OP_BYTE_BUFFER_READ:
    case XIR_OP_BYTE_BUFFER_WRITE:
      emit_buffer (translator, instruction);
      return true;
    case XIR_OP_BUFFER_SIZE:
    case XIR_OP_TEXTURE_SIZE:
    case XIR_OP_TEXTURE_READ:
    case XIR_OP_TEXTURE_WRITE:
      emit_image (translator, instruction);
      return true;
    default:
      if (!xir_op_is_atomic (instruction->op))
        return false;
      emit_atomic (translator, instruction);
      return true;
    }
}
