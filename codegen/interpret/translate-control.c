/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Control flow: the ends of blocks, and phis, which are moves on the edges. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "codegen/interpret/trace-private.h"
#include "codegen/interpret/translate.h"

static struct ordered_block *
ordered (const struct translator *translator, uint32_t position)
{
  return &g_array_index (translator->blocks, struct ordered_block, position);
}

/* `code` jumps to where the block at `position` begins; at the number of blocks: to the function's end. */
static void
jump_to (struct translator *translator, struct code *code, uint32_t position)
{
  struct fixup fixup = { (uint32_t) (code - (struct code *) (gpointer) translator->code->data), position };
  g_array_append_val (translator->fixups, fixup);
}

static bool
has_phis (const struct xir_block *block)
{
  const struct xir_instruction *first = gb_list_first (&block->instructions, struct xir_instruction, link);
  return first != NULL && first->op == XIR_OP_PHI;
}

static const struct xir_value *
phi_input (const struct xir_instruction *phi, const struct xir_block *predecessor)
{
  for (uint32_t i = 0; i < phi->n_operands; i++)
    if (phi->blocks[i] == predecessor)
      return xir_operand (phi, i);
  return NULL;
}

/* All at once: what the moves read may be a phi that they write, and is then put aside first. */
static void
move_phis (struct translator *translator, const struct xir_block *from, const struct xir_block *to)
{
  const struct item *block = block_item (translator, to);
  GArray *aside;
  uint32_t i = 0;
  if (!has_phis (to))
    return;
  aside = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  gb_list_for_each (phi, &to->instructions, struct xir_instruction, link)
    {
      const struct xir_value *input;
      uint32_t slot = INTERPRET_NO_SLOT;
      uint64_t n = 0;
      if (phi->op != XIR_OP_PHI)
        break;
      input = phi_input (phi, from);
      if (input != NULL)
        {
          slot = translate_operand (translator, input);
          interpret_type_slots (phi->value.type, &n);
          if (slot < block->phi_slot + block->n_phi_slots && slot + n > block->phi_slot
              && slot != item_of (translator, &phi->value)->slot)
            {
              uint32_t copy = translate_slots (translator, n);
              translate_copy (translator, copy, slot, n);
              translate_undefined_copy (translator, phi->value.type, copy, slot);
              slot = copy;
            }
        }
      g_array_append_val (aside, slot);
    }
  gb_list_for_each (phi, &to->instructions, struct xir_instruction, link)
    {
      uint32_t d = item_of (translator, &phi->value)->slot, a;
      if (phi->op != XIR_OP_PHI)
        break;
      a = g_array_index (aside, uint32_t, i++);
      if (a != INTERPRET_NO_SLOT && a != d)
        translate_move (translator, phi->value.type, d, a);
    }
  g_array_unref (aside);
}

static void
emit_branch (struct translator *translator, const struct xir_block *from, const struct xir_block *to)
{
  move_phis (translator, from, to);
  translate_emit (translator, INTERPRET_OP_BRANCH)->a = block_item (translator, to)->mask;
}

static void
emit_test (struct translator *translator, enum interpret_op op, const struct xir_instruction *terminator, uint32_t mask,
           uint32_t position)
{
  uint32_t condition = translate_operand (translator, xir_operand (terminator, 0));
  struct code *code = translate_emit_slots (translator, op, 0, condition, 0, 1);
  code->b = mask;
  jump_to (translator, code, position);
}

/* An arm that leads straight to the merge, which has no phis. */
static bool
leads_on (const struct xir_block *arm, const struct xir_block *merge)
{
  const struct xir_instruction *first = gb_list_first (&arm->instructions, struct xir_instruction, link);
  return first != NULL && first->op == XIR_OP_BRANCH && first->blocks[0] == merge && !has_phis (merge);
}

static void
emit_if (struct translator *translator, const struct xir_instruction *terminator)
{
  const struct xir_block *merge = terminator->blocks[2];
  struct item *yes = block_item (translator, terminator->blocks[0]), *no = block_item (translator, terminator->blocks[1]);
  uint32_t merge_mask = block_item (translator, merge)->mask;
  yes->is_skipped = leads_on (terminator->blocks[0], merge);
  no->is_skipped = leads_on (terminator->blocks[1], merge);
  if (yes->is_skipped && no->is_skipped)
    translate_emit (translator, INTERPRET_OP_BRANCH)->a = merge_mask;
  else if (yes->is_skipped)
    {
      no->role = ROLE_TRUE;
      emit_test (translator, INTERPRET_OP_IF_NOT, terminator, merge_mask, ordered (translator, no->position - 1)->end);
    }
  else
    emit_test (translator, INTERPRET_OP_IF, terminator, no->is_skipped ? merge_mask : no->mask,
               ordered (translator, yes->position - 1)->end);
}

static gint
compare_cases (gconstpointer a, gconstpointer b)
{
  const struct switch_case *left = a, *right = b;
  return left->value < right->value ? -1 : left->value > right->value;
}

static void
emit_switch (struct translator *translator, const struct xir_instruction *terminator)
{
  const struct xir_type *type = xir_operand (terminator, 0)->type;
  uint32_t selector = translate_operand (translator, xir_operand (terminator, 0)), bits = xir_type_bits (type);
  struct switch_table table = { g_new0 (struct switch_case, terminator->n_blocks), terminator->n_blocks - 2, 0 };
  struct code *code;
  for (uint32_t i = 0; i < table.n_cases; i++)
    {
      table.cases[i].value = terminator->u.switch_.values[i];
      if (bits < 64)
        table.cases[i].value &= (UINT64_C (1) << bits) - 1;
      table.cases[i].mask = block_item (translator, terminator->blocks[i + 2])->mask;
    }
  qsort (table.cases, table.n_cases, sizeof *table.cases, compare_cases);
  table.default_mask = block_item (translator, terminator->blocks[1])->mask;
  code = translate_emit_slots (translator, INTERPRET_OP_SWITCH, 0, selector, 0, interpret_kind_is_wide (type->kind) ? 2 : 1);
  code->x = translator->program->switches->len;
  g_array_append_val (translator->program->switches, table);
  /* A case that others fall into, or the merge, may have phis. */
  for (uint32_t i = 1; i < terminator->n_blocks; i++)
    {
      const struct xir_block *target = terminator->blocks[i];
      if (!has_phis (target) || target == terminator->blocks[i - 1])
        continue;
      translate_emit (translator, INTERPRET_OP_PEEK)->a = block_item (translator, target)->mask;
      move_phis (translator, terminator->block, target);
    }
}

static void
emit_conditional (struct translator *translator, const struct xir_instruction *terminator)
{
  const struct xir_block *yes = terminator->blocks[0], *no = terminator->blocks[1];
  struct item *target = block_item (translator, yes);
  uint32_t waits, condition;
  struct code *code;
  if (target->role == ROLE_BODY && !has_phis (no))
    {
      emit_test (translator, INTERPRET_OP_IF, terminator, block_item (translator, no)->mask,
                 ordered (translator, target->position - 1)->end);
      return;
    }
  waits = translator->n_masks++;
  condition = translate_operand (translator, xir_operand (terminator, 0));
  code = translate_emit_slots (translator, INTERPRET_OP_SPLIT, 0, condition, 0, 1);
  code->b = waits;
  emit_branch (translator, terminator->block, no);
  code = translate_emit (translator, INTERPRET_OP_BLOCK);
  code->a = waits;
  if (target->role == ROLE_BODY)
    {
      jump_to (translator, code, ordered (translator, target->position - 1)->end);
      return;
    }
  jump_to (translator, code, block_item (translator, no)->position - 1);
  move_phis (translator, terminator->block, yes);
  jump_to (translator, translate_emit (translator, INTERPRET_OP_BACK), target->position - 1);
}

static void
emit_terminator (struct translator *translator, const struct xir_instruction *terminator)
{
  const struct xir_block *target = terminator->n_blocks > 0 ? terminator->blocks[0] : NULL;
  switch (terminator->op)
    {
    case XIR_OP_IF:
      emit_if (translator, terminator);
      break;
    case XIR_OP_SWITCH:
      emit_switch (translator, terminator);
      break;
    case XIR_OP_LOOP:
      move_phis (translator, terminator->block, target);
      break;
    case XIR_OP_CONDITIONAL_BRANCH:
      emit_conditional (translator, terminator);
      break;
    case XIR_OP_BRANCH:
      if (block_item (translator, target)->role == ROLE_BODY)
        break;
      if (block_item (translator, target)->role == ROLE_PREPARE)
        {
          move_phis (translator, terminator->block, target);
          jump_to (translator, translate_emit (translator, INTERPRET_OP_BACK), block_item (translator, target)->position - 1);
          break;
        }
      emit_branch (translator, terminator->block, target);
      break;
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
      emit_branch (translator, terminator->block, target);
      break;
    case XIR_OP_RETURN:
      if (terminator->n_operands > 0)
        translate_move (translator, xir_operand (terminator, 0)->type,
                        translator->items[translator->function->id].return_slot,
                        translate_operand (translator, xir_operand (terminator, 0)));
      break;
    default:
      translate_check_before (translator, terminator);
      break;
    }
}

/* Arms, the body and cases that nothing falls into have one way in, the end of their owner or its prepare: their
 * phis are moves at their start. */
static void
begin_block (struct translator *translator, const struct xir_block *block, const struct item *item)
{
  const struct xir_instruction *owner = item->owner;
  if (item->position > 1 && (item->role == ROLE_OTHER))
    {
      struct code *code = translate_emit (translator, INTERPRET_OP_BLOCK);
      code->a = item->mask;
      jump_to (translator, code, ordered (translator, item->position - 1)->end);
    }
  if (owner == NULL)
    return;
  if (owner->op == XIR_OP_IF && block != owner->blocks[2])
    move_phis (translator, owner->block, block);
  else if (owner->op == XIR_OP_LOOP && item->role == ROLE_BODY)
    move_phis (translator, owner->blocks[0], block);
}

static void
translate_block (struct translator *translator, uint32_t position)
{
  const struct xir_block *block = ordered (translator, position)->block;
  const struct item *item = block_item (translator, block);
  translator->position = position;
  ordered (translator, position)->code = translator->code->len;
  trace_begin_block (translator);
  if (item->is_skipped)
    return;
  begin_block (translator, block, item);
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    {
      if (translator->error != NULL)
        return;
      translator->location = instruction->location;
      if (instruction->op != XIR_OP_PHI)
        trace_before (translator, instruction);
      if ((xir_op_info (instruction->op)->flags & XIR_FLAG_TERMINATOR) != 0)
        emit_terminator (translator, instruction);
      else if (instruction->op != XIR_OP_PHI)
        {
          translate_instruction (translator, instruction);
          trace_after (translator, instruction);
        }
    }
}

static void
place_arguments (struct translator *translator)
{
  const struct xir_function *function = translator->function;
  bool is_kernel = function->kind == XIR_FUNCTION_KERNEL;
  for (uint32_t i = 0; i < function->n_arguments; i++)
    {
      const struct xir_argument *argument = function->arguments[i];
      struct item *item = item_of (translator, &argument->value);
      if (argument->argument_kind == XIR_ARGUMENT_VALUE)
        item->slot = translate_type_slots (translator, argument->value.type);
      else if (argument->argument_kind == XIR_ARGUMENT_REFERENCE)
        item->slot = translate_slots (translator, 1);
      else if (!is_kernel)
        translate_fail (translator, INTERPRET_ERROR_UNSUPPORTED, _("“%s” has a resource parameter"), function->name);
    }
  if (function->return_type != NULL)
    translator->items[function->id].return_slot = translate_type_slots (translator, function->return_type);
}

void
translate_function (struct translator *translator, const struct xir_function *function)
{
  translator->function = function;
  g_array_set_size (translator->blocks, 0);
  g_array_set_size (translator->loops, 0);
  g_array_set_size (translator->fixups, 0);
  place_arguments (translator);
  translate_layout (translator);
  if (translator->error == NULL)
    translate_variables (translator);
  trace_begin_function (translator);
  translator->items[function->id].entry = translator->code->len;
  for (uint32_t i = 0; i < translator->blocks->len && translator->error == NULL; i++)
    translate_block (translator, i);
  for (uint32_t i = 0; i < translator->fixups->len && translator->error == NULL; i++)
    {
      struct fixup fixup = g_array_index (translator->fixups, struct fixup, i);
      g_array_index (translator->code, struct code, fixup.code).x
        = fixup.position < translator->blocks->len ? ordered (translator, fixup.position)->code : translator->code->len;
    }
  translate_check_loops (translator);
  translate_emit (translator, function->kind == XIR_FUNCTION_KERNEL ? INTERPRET_OP_END : INTERPRET_OP_RETURN);
}
