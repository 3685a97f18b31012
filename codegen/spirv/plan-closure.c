/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-closure.h"

#include <glib/gi18n-lib.h>

#include "codegen/spirv/spirv.h"

struct walk
{
  const struct xir_function *function;
  struct spirv_slot *slots;
  GPtrArray *stack;              /* blocks to place, the next one last */
  GArray *blocks;                /* struct spirv_closure_block */
  guint update_depth;            /* update regions that the block being placed is in */
  GError **error;
};

static bool
refuse (struct walk *walk, const struct xir_block *block, const char *what)
{
  g_set_error (walk->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("function “%s”, block %u: %s"),
               walk->function->name != NULL ? walk->function->name : "?", block != NULL ? block->id : 0, what);
  return false;
}

/* Gives `block` its one role. */
static bool
claim (struct walk *walk, struct xir_block *block, enum spirv_block_role role, const struct xir_instruction *owner)
{
  if (block == NULL || block->function != walk->function)
    return refuse (walk, block, _("a construct names no block of its function"));
  struct spirv_slot *slot = &walk->slots[block->id];
  if (slot->role != SPIRV_ROLE_NONE)
    return refuse (walk, block, _("the block has a role in two constructs"));
  slot->role = role;
  slot->owner = owner;
  return true;
}

static void
reach (struct walk *walk, const struct xir_block *block)
{
  walk->slots[block->id].reached = true;
}

/* Blocks are taken from the end, so the last one to be placed is pushed first. */
static void
push (struct walk *walk, struct xir_block *block)
{
  g_ptr_array_add (walk->stack, block);
}

static bool
walk_if (struct walk *walk, const struct xir_instruction *instruction)
{
  if (!claim (walk, instruction->blocks[2], SPIRV_ROLE_MERGE, instruction)
      || !claim (walk, instruction->blocks[0], SPIRV_ROLE_ARM, instruction)
      || !claim (walk, instruction->blocks[1], SPIRV_ROLE_ARM, instruction))
    return false;
  reach (walk, instruction->blocks[0]);
  reach (walk, instruction->blocks[1]);
  push (walk, instruction->blocks[2]);
  push (walk, instruction->blocks[1]);
  push (walk, instruction->blocks[0]);
  return true;
}

/* Case `index` in source order, the default at its place among them. */
static struct xir_block *
case_block (const struct xir_instruction *instruction, uint32_t index)
{
  uint32_t place = instruction->u.switch_.default_position;
  uint32_t n_cases = instruction->n_blocks - 2;
  if (place > n_cases)
    place = n_cases;
  if (index == place)
    return instruction->blocks[1];
  return instruction->blocks[2 + (index < place ? index : index - 1)];
}

static bool
walk_switch (struct walk *walk, const struct xir_instruction *instruction)
{
  struct xir_block *merge = instruction->blocks[0];
  if (!claim (walk, merge, SPIRV_ROLE_MERGE, instruction))
    return false;
  push (walk, merge);
  guint first = walk->stack->len;
  for (uint32_t i = 0; i < instruction->n_blocks - 1; i++)
    {
      struct xir_block *block = case_block (instruction, i);
      if (block == NULL || block->function != walk->function)
        return refuse (walk, block, _("a construct names no block of its function"));
      reach (walk, block);
      if (block == merge || walk->slots[block->id].owner == instruction)
        continue;
      if (!claim (walk, block, SPIRV_ROLE_CASE, instruction))
        return false;
      if (walk->stack->len > first)
        {
          struct xir_block *before = g_ptr_array_index (walk->stack, walk->stack->len - 1);
          /* Positions are not known yet; placing turns the id into one. */
          walk->slots[block->id].previous_case = before->id + 1;
        }
      push (walk, block);
    }
  /* Source order from the end of the stack. */
  for (guint low = first, high = walk->stack->len; low + 1 < high; low++, high--)
    {
      gpointer other = walk->stack->pdata[low];
      walk->stack->pdata[low] = walk->stack->pdata[high - 1];
      walk->stack->pdata[high - 1] = other;
    }
  return true;
}

static bool
walk_loop (struct walk *walk, const struct xir_instruction *instruction)
{
  if (!claim (walk, instruction->blocks[0], SPIRV_ROLE_PREPARE, instruction)
      || !claim (walk, instruction->blocks[1], SPIRV_ROLE_BODY, instruction)
      || !claim (walk, instruction->blocks[2], SPIRV_ROLE_UPDATE, instruction)
      || !claim (walk, instruction->blocks[3], SPIRV_ROLE_LOOP_MERGE, instruction))
    return false;
  reach (walk, instruction->blocks[0]);
  push (walk, instruction->blocks[3]);
  push (walk, instruction->blocks[2]);
  push (walk, instruction->blocks[1]);
  push (walk, instruction->blocks[0]);
  return true;
}

static bool
walk_branch (struct walk *walk, const struct xir_block *from, const struct xir_instruction *instruction)
{
  for (uint32_t i = 0; i < instruction->n_blocks; i++)
    {
      struct xir_block *target = instruction->blocks[i];
      if (target == NULL || target->function != walk->function)
        return refuse (walk, from, _("a branch leads to no block of its function"));
      if (walk->slots[target->id].role == SPIRV_ROLE_NONE)
        return refuse (walk, from, _("a branch leads to a block that no construct names"));
      reach (walk, target);
    }
  return true;
}

static bool
walk_terminator (struct walk *walk, const struct xir_block *block)
{
  const struct xir_instruction *instruction = xir_block_terminator (block);
  if (instruction == NULL)
    return refuse (walk, block, _("the block has no end"));
  switch (instruction->op)
    {
    case XIR_OP_IF:
      return walk_if (walk, instruction);
    case XIR_OP_SWITCH:
      return walk_switch (walk, instruction);
    case XIR_OP_LOOP:
      return walk_loop (walk, instruction);
    case XIR_OP_BRANCH:
    case XIR_OP_CONDITIONAL_BRANCH:
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
      return walk_branch (walk, block, instruction);
    default:
      return true;
    }
}

/* Where a block that nothing reaches must lead. SPIR-V wants every block of a
 * loop's update to end up at the head, seen along its structure: an unreachable
 * end there would break that. NULL: nowhere. */
static struct xir_block *
way_on (const struct walk *walk, const struct xir_block *block)
{
  const struct spirv_slot *slot = &walk->slots[block->id];
  if (slot->role == SPIRV_ROLE_UPDATE)
    return slot->owner->blocks[0];
  if (walk->update_depth == 0)
    return NULL;
  const struct xir_instruction *end = xir_block_terminator (block);
  if (end == NULL || end->n_blocks == 0 || end->blocks[0] == NULL)
    return NULL;
  switch (end->op)
    {
    case XIR_OP_BRANCH:
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
    case XIR_OP_CONDITIONAL_BRANCH:
      return walk->slots[end->blocks[0]->id].role != SPIRV_ROLE_NONE ? end->blocks[0] : NULL;
    default:
      return NULL;
    }
}

/* An unreachable block in an update that begins a construct is written as it is. */
static bool
begins_construct (const struct xir_block *block)
{
  const struct xir_instruction *end = xir_block_terminator (block);
  return end != NULL && (xir_op_info (end->op)->flags & XIR_FLAG_STRUCTURED) != 0;
}

static bool
place (struct walk *walk, struct xir_block *block)
{
  struct spirv_slot *slot = &walk->slots[block->id];
  if (slot->role == SPIRV_ROLE_LOOP_MERGE)
    walk->update_depth--;
  if (!slot->reached && slot->role != SPIRV_ROLE_UPDATE && walk->update_depth > 0 && begins_construct (block))
    slot->reached = true;
  struct spirv_closure_block entry = { block, slot->reached, NULL };
  if (!slot->reached)
    entry.leads_to = way_on (walk, block);
  if (slot->role == SPIRV_ROLE_UPDATE)
    walk->update_depth++;
  g_array_append_val (walk->blocks, entry);
  slot->position = walk->blocks->len;
  if (slot->role == SPIRV_ROLE_CASE && slot->previous_case != 0)
    slot->previous_case = walk->slots[slot->previous_case - 1].position;
  return !slot->reached || walk_terminator (walk, block);
}

bool
spirv_plan_closure (struct gb_arena *arena, const struct xir_function *function, struct spirv_slot *slots,
                    struct spirv_closure *closure, GError **error)
{
  struct xir_block *entry = xir_function_entry (function);
  struct walk walk = { function, slots, g_ptr_array_new (), g_array_new (FALSE, FALSE, sizeof (struct spirv_closure_block)),
                       0, error };
  bool done = true;
  if (entry == NULL)
    done = refuse (&walk, NULL, _("the function has no block"));
  else
    {
      claim (&walk, entry, SPIRV_ROLE_ENTRY, NULL);
      reach (&walk, entry);
      push (&walk, entry);
    }
  while (done && walk.stack->len > 0)
    done = place (&walk, g_ptr_array_steal_index (walk.stack, walk.stack->len - 1));
  if (done)
    {
      closure->n_blocks = walk.blocks->len;
      closure->blocks = gb_arena_memdup (arena, walk.blocks->data,
                                         walk.blocks->len * sizeof (struct spirv_closure_block));
    }
  g_ptr_array_unref (walk.stack);
  g_array_unref (walk.blocks);
  return done;
}
