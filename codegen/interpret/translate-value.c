/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where values are. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "codegen/interpret/translate.h"

/* Registers of one value; a subgroup has as many words for it as slots times lanes. */
#define MAX_SLOTS (UINT64_C (1) << 24)

bool
interpret_type_slots (const struct xir_type *type, uint64_t *slots)
{
  uint64_t total = 0, part;
  if (xir_type_is_scalar (type))
    {
      *slots = interpret_kind_is_wide (type->kind) ? 2 : 1;
      return true;
    }
  if (type->kind == XIR_TYPE_STRUCTURE)
    {
      for (uint64_t i = 0; i < type->count; i++)
        {
          if (!interpret_type_slots (type->members[i], &part))
            return false;
          total += part;
        }
      *slots = total;
      return total <= MAX_SLOTS;
    }
  if (!xir_type_is_data (type) || !interpret_type_slots (xir_type_child (type, 0), &part)
      || type->count > MAX_SLOTS / part)
    return false;
  *slots = part * type->count;
  return true;
}

static void
append_scalar (const struct xir_type *type, uint32_t slot, uint64_t offset, GArray *runs)
{
  static const enum xir_type_kind by_size[] = {
    [1] = XIR_TYPE_UINT8, [2] = XIR_TYPE_UINT16, [4] = XIR_TYPE_UINT32, [8] = XIR_TYPE_UINT64
  };
  struct value_run run = { slot, 1, offset, type->kind == XIR_TYPE_BOOL ? XIR_TYPE_BOOL : by_size[type->size] };
  if (runs->len > 0)
    {
      struct value_run *last = &g_array_index (runs, struct value_run, runs->len - 1);
      uint32_t slots = last->count * (interpret_kind_is_wide (last->kind) ? 2 : 1);
      if (last->kind == run.kind && last->slot + slots == slot && last->offset + last->count * type->size == offset)
        {
          last->count++;
          return;
        }
    }
  g_array_append_val (runs, run);
}

/* As deep as types may nest. */
void
interpret_type_runs (const struct xir_type *type, uint32_t slot, uint64_t offset, GArray *runs)
{
  if (xir_type_is_scalar (type))
    {
      append_scalar (type, slot, offset, runs);
      return;
    }
  for (uint64_t i = 0; i < type->count; i++)
    {
      const struct xir_type *child = xir_type_child (type, i);
      uint64_t slots = 0;
      interpret_type_slots (child, &slots);
      interpret_type_runs (child, slot, offset + (type->kind == XIR_TYPE_STRUCTURE ? type->offsets[i] : i * child->size),
                           runs);
      slot += (uint32_t) slots;
    }
}

uint32_t
translate_slots (struct translator *translator, uint64_t n)
{
  uint64_t first = translator->n_slots;
  if (first + n > MAX_SLOTS)
    {
      translate_fail (translator, INTERPRET_ERROR_TOO_LARGE, _("more than %" PRIu64 " registers"), MAX_SLOTS);
      return 0;
    }
  translator->n_slots += n;
  return (uint32_t) first;
}

uint32_t
translate_type_slots (struct translator *translator, const struct xir_type *type)
{
  uint64_t n = MAX_SLOTS + 1;
  if (!xir_type_is_data (type) || !interpret_type_slots (type, &n))
    {
      translate_fail (translator, INTERPRET_ERROR_TOO_LARGE, _("a value of type %s does not fit into registers"),
                      type != NULL ? type->text : "void");
      return 0;
    }
  return translate_slots (translator, n);
}

/* Constants and what else is the same in all calls are set before a subgroup begins. */
static uint32_t
add_constant (struct translator *translator, const struct xir_type *type, const void *data)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (struct value_run));
  struct constant_slot constant;
  constant.slot = translate_type_slots (translator, type);
  if (translator->error == NULL)
    interpret_type_runs (type, constant.slot, 0, runs);
  constant.n_runs = runs->len;
  constant.runs = (struct value_run *) (gpointer) g_array_free (runs, FALSE);
  constant.data = g_memdup2 (data, (gsize) type->size);
  g_array_append_val (translator->program->constants, constant);
  return constant.slot;
}

uint32_t
translate_word (struct translator *translator, uint32_t value)
{
  uint32_t slot = GPOINTER_TO_UINT (g_hash_table_lookup (translator->words, GUINT_TO_POINTER (value)));
  if (slot != 0)
    return slot - 1;
  slot = add_constant (translator, xir_type_scalar (translator->module->context, XIR_TYPE_UINT32), &value);
  g_hash_table_insert (translator->words, GUINT_TO_POINTER (value), GUINT_TO_POINTER (slot + 1));
  return slot;
}

static uint32_t
special_slot (struct translator *translator, const struct xir_special_value *special)
{
  uint32_t *slot = &translator->program->special_slots[special->special];
  if (*slot == INTERPRET_NO_SLOT)
    *slot = translate_type_slots (translator, special->value.type);
  return *slot;
}

uint32_t
translate_operand (struct translator *translator, const struct xir_value *value)
{
  struct item *item = item_of (translator, value);
  if (value->kind == XIR_VALUE_INSTRUCTION && item->shadow != INTERPRET_NO_SLOT
      && !translate_is_inside (translator, item->loop, translator->position))
    return item->shadow;
  if (item->slot != INTERPRET_NO_SLOT)
    return item->slot;
  if (value->kind == XIR_VALUE_CONSTANT)
    item->slot = add_constant (translator, value->type, xir_value_constant (value)->data);
  else if (value->kind == XIR_VALUE_SPECIAL)
    item->slot = special_slot (translator, xir_value_special (value));
  else
    {
      /* Undefined, or of a block that nothing reaches. */
      uint8_t *zeros = g_malloc0 ((gsize) value->type->size);
      item->slot = add_constant (translator, value->type, zeros);
      g_free (zeros);
    }
  return item->slot;
}

uint32_t
translate_result (struct translator *translator, const struct xir_instruction *instruction)
{
  struct item *item = item_of (translator, &instruction->value);
  if (item->slot == INTERPRET_NO_SLOT)
    item->slot = translate_type_slots (translator, instruction->value.type);
  return item->slot;
}

void
translate_copy (struct translator *translator, uint32_t d, uint32_t a, uint64_t n)
{
  if (d != a)
    translate_emit_slots (translator, INTERPRET_OP_COPY, d, a, 0, (uint32_t) n);
}

void
translate_move (struct translator *translator, const struct xir_type *type, uint32_t d, uint32_t a)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (struct value_run));
  uint32_t i = 0;
  if (translator->error == NULL)
    interpret_type_runs (type, 0, 0, runs);
  while (i < runs->len)
    {
      const struct value_run *run = &g_array_index (runs, struct value_run, i);
      bool wide = interpret_kind_is_wide (run->kind);
      uint32_t slot = run->slot, n = 0;
      for (; i < runs->len && interpret_kind_is_wide (g_array_index (runs, struct value_run, i).kind) == wide; i++)
        n += g_array_index (runs, struct value_run, i).count;
      translate_emit_slots (translator, wide ? INTERPRET_OP_MOVE_64 : INTERPRET_OP_MOVE_32, d + slot, a + slot, 0, n);
    }
  translate_undefined_copy (translator, type, d, a);
  g_array_unref (runs);
}

uint32_t
translate_index (struct translator *translator, const struct xir_value *value)
{
  uint32_t slot = translate_operand (translator, value), result;
  enum interpret_op op;
  switch (value->type->kind)
    {
    case XIR_TYPE_INT8:
      op = INTERPRET_OP_EXTEND_8;
      break;
    case XIR_TYPE_INT16:
      op = INTERPRET_OP_EXTEND_16;
      break;
    case XIR_TYPE_INT64:
    case XIR_TYPE_UINT64:
      op = INTERPRET_OP_NARROW;
      break;
    default:
      return slot;
    }
  result = translate_slots (translator, 1);
  translate_emit_slots (translator, op, result, slot, 0, 1);
  return result;
}
