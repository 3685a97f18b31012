/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is known of a function's values before its code is made: variables that live in
 * registers, loads that need no copy, and values that outlive the loop that they are
 * computed in. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "codegen/interpret/translate.h"

/* Whether every index is a constant in range. */
static bool
is_static_walk (const struct xir_type *type, const struct xir_instruction *instruction, uint32_t first)
{
  for (uint32_t i = first; i < instruction->n_operands; i++)
    {
      int64_t index;
      if (!xir_constant_to_int (xir_operand (instruction, i), &index) || index < 0 || (uint64_t) index >= type->count)
        return false;
      type = xir_type_child (type, (uint64_t) index);
    }
  return true;
}

/* Loads, stores and static geps of static geps. */
static bool
is_static (const struct xir_value *variable)
{
  GPtrArray *pending = g_ptr_array_new ();
  bool result = true;
  g_ptr_array_add (pending, (gpointer) variable);
  while (result && pending->len > 0)
    {
      const struct xir_value *value = g_ptr_array_remove_index_fast (pending, pending->len - 1);
      gb_list_for_each (use, &value->uses, struct xir_use, value_link)
        {
          const struct xir_instruction *user = use->user;
          if (user->op == XIR_OP_GEP && use == user->operands && is_static_walk (value->type, user, 1))
            g_ptr_array_add (pending, (gpointer) &user->value);
          else if (use != user->operands || (user->op != XIR_OP_LOAD && user->op != XIR_OP_STORE))
            {
              result = false;
              break;
            }
        }
    }
  g_ptr_array_unref (pending);
  return result;
}

static uint32_t
slots_before (struct translator *translator, const struct xir_type *type, uint64_t index)
{
  uint64_t total = 0, slots;
  if (type->kind != XIR_TYPE_STRUCTURE)
    return interpret_type_slots (xir_type_child (type, 0), &slots) ? (uint32_t) (index * slots) : 0;
  for (uint64_t i = 0; i < index; i++)
    if (interpret_type_slots (type->members[i], &slots))
      total += slots;
    else
      translate_fail (translator, INTERPRET_ERROR_TOO_LARGE, _("a variable is too large"));
  return (uint32_t) total;
}

/* Geps into variables in registers are places in them. */
static void
place_geps (struct translator *translator, const struct xir_instruction *variable)
{
  GPtrArray *pending = g_ptr_array_new ();
  g_ptr_array_add (pending, (gpointer) &variable->value);
  while (pending->len > 0)
    {
      const struct xir_value *value = g_ptr_array_remove_index_fast (pending, pending->len - 1);
      gb_list_for_each (use, &value->uses, struct xir_use, value_link)
        {
          const struct xir_instruction *user = use->user;
          const struct xir_type *type = value->type;
          uint32_t slot = item_of (translator, value)->slot;
          if (user->op != XIR_OP_GEP)
            continue;
          for (uint32_t i = 1; i < user->n_operands; i++)
            {
              int64_t index = 0;
              xir_constant_to_int (xir_operand (user, i), &index);
              slot += slots_before (translator, type, (uint64_t) index);
              type = xir_type_child (type, (uint64_t) index);
            }
          item_of (translator, &user->value)->slot = slot;
          item_of (translator, &user->value)->variable = variable;
          g_ptr_array_add (pending, (gpointer) &user->value);
        }
    }
  g_ptr_array_unref (pending);
}

/* Checked programs keep a variable in memory, where what was never written is seen, unless that cannot be. */
static void
choose_registers (struct translator *translator, const struct xir_block *block)
{
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    if (instruction->op == XIR_OP_ALLOCA && instruction->u.alloca_.storage == XIR_STORAGE_LOCAL
        && is_static (&instruction->value)
        && (!translate_checks (translator) || translate_is_always_written (translator, instruction)))
      {
        struct item *item = item_of (translator, &instruction->value);
        item->slot = translate_type_slots (translator, instruction->value.type);
        item->variable = instruction;
        place_geps (translator, instruction);
      }
}

/* Ops whose result may stand in the registers of their operand. */
static bool
makes_view (const struct xir_instruction *instruction)
{
  return instruction->op == XIR_OP_EXTRACT || instruction->op == XIR_OP_SHUFFLE || instruction->op == XIR_OP_CAST
         || instruction->op == XIR_OP_BITCAST;
}

static uint32_t
last_use (const struct translator *translator, const struct xir_instruction *instruction)
{
  uint32_t last = 0;
  gb_list_for_each (use, &instruction->value.uses, struct xir_use, value_link)
    {
      const struct item *user = item_of (translator, &use->user->value);
      if (use->user->block != instruction->block || use->user->op == XIR_OP_PHI)
        return UINT32_MAX;
      last = MAX (last, user->ordinal);
      if (makes_view (use->user))
        last = MAX (last, user->last_use);
    }
  return last;
}

/* Backwards, so that the uses of views are known before what they look at. */
static void
find_views (struct translator *translator, const struct xir_block *block)
{
  for (struct gb_list *link = block->instructions.prev; link != &block->instructions; link = link->prev)
    {
      const struct xir_instruction *instruction = gb_list_entry (link, struct xir_instruction, link);
      struct item *item = item_of (translator, &instruction->value);
      struct item *variable;
      if (makes_view (instruction))
        item->last_use = last_use (translator, instruction);
      if (instruction->op != XIR_OP_LOAD && instruction->op != XIR_OP_STORE)
        continue;
      if (item_of (translator, xir_operand (instruction, 0))->variable == NULL)
        continue;
      variable = item_of (translator, &item_of (translator, xir_operand (instruction, 0))->variable->value);
      if (instruction->op == XIR_OP_STORE)
        {
          variable->store_block = block;
          variable->store_ordinal = item->ordinal;
          continue;
        }
      item->last_use = last_use (translator, instruction);
      item->is_view = item->last_use != UINT32_MAX
                      && (variable->store_block != block || item->last_use <= variable->store_ordinal);
    }
}

/* A phi is written under the mask already. */
static void
find_shadow (struct translator *translator, const struct xir_instruction *instruction)
{
  struct item *item = item_of (translator, &instruction->value);
  if (item->loop == NO_LOOP || item->variable != NULL || instruction->op == XIR_OP_PHI || instruction->value.type == NULL)
    return;
  gb_list_for_each (use, &instruction->value.uses, struct xir_use, value_link)
    {
      const struct xir_block *block = use->user->block;
      uint32_t position;
      if (use->user->op == XIR_OP_PHI)
        block = use->user->blocks[use - use->user->operands];
      position = block_item (translator, block)->position;
      if (position != 0 && !translate_is_inside (translator, item->loop, position - 1))
        {
          item->shadow = instruction->value.is_lvalue ? translate_slots (translator, 1)
                                                      : translate_type_slots (translator, instruction->value.type);
          return;
        }
    }
}

static void
place_phis (struct translator *translator, const struct xir_block *block)
{
  struct item *item = block_item (translator, block);
  item->phi_slot = (uint32_t) translator->n_slots;
  gb_list_for_each (phi, &block->instructions, struct xir_instruction, link)
    {
      if (phi->op != XIR_OP_PHI)
        break;
      item_of (translator, &phi->value)->slot = translate_type_slots (translator, phi->value.type);
    }
  item->n_phi_slots = (uint32_t) translator->n_slots - item->phi_slot;
}

void
translate_variables (struct translator *translator)
{
  uint32_t ordinal = 0;
  for (uint32_t i = 0; i < translator->blocks->len; i++)
    gb_list_for_each (instruction, &g_array_index (translator->blocks, struct ordered_block, i).block->instructions,
                      struct xir_instruction, link)
      item_of (translator, &instruction->value)->ordinal = ++ordinal;
  choose_registers (translator, xir_function_entry (translator->function));
  for (uint32_t i = 0; i < translator->blocks->len; i++)
    {
      const struct xir_block *block = g_array_index (translator->blocks, struct ordered_block, i).block;
      place_phis (translator, block);
      find_views (translator, block);
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        find_shadow (translator, instruction);
    }
}
