/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-control-flow.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/spirv/plan-size.h"
#include "codegen/spirv/spirv.h"

enum way { WAY_NONE, WAY_WANTED, WAY_NAMED };

struct planner
{
  struct gb_arena *arena;
  const struct spirv_closure *closure;
  const struct spirv_slot *slots;
  struct spirv_control_block *blocks;
  uint32_t n_edges;
  uint32_t *first_predecessor;   /* by block, into `predecessors` */
  uint32_t *predecessors;
  uint8_t *ways;                 /* by block, for the phi being planned: enum way */
  GError **error;
};

static void
locate (struct planner *planner, struct xir_location location)
{
  if (planner->error != NULL)
    spirv_error_set_location (*planner->error, location);
}

static bool
refuse (struct planner *planner, uint32_t at, const char *what)
{
  const struct xir_block *block = planner->closure->blocks[at].block;
  g_set_error (planner->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("function “%s”, block %u: %s"),
               block->function->name != NULL ? block->function->name : "?", block->id, what);
  locate (planner, block->function->location);
  return false;
}

static inline uint32_t
position (const struct planner *planner, const struct xir_block *block)
{
  return planner->slots[block->id].position - 1;
}

static int
compare_keys (const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *) a, right = *(const uint64_t *) b;
  return left < right ? -1 : left > right;
}

/* Cases grouped by target in the order of their first mention: a target that is
 * fallen into then stands right behind the one that falls. Closure positions
 * follow the first mention, so that sorting by them groups. */
static bool
plan_switch (struct planner *planner, struct spirv_control_block *block)
{
  const struct xir_instruction *instruction = block->instruction;
  uint32_t n = instruction->n_blocks - 2;
  uint32_t words = 0;
  enum spirv_sized sized = xir_type_bits (xir_operand (instruction, 0)->type) == 64 ? SPIRV_SIZED_SWITCH_64 : SPIRV_SIZED_SWITCH;
  if (!spirv_plan_size (sized, n, &words))
    {
      g_set_error (planner->error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
                   _("a switch of %u cases does not fit an instruction, the limit is %" PRIu64), n,
                   spirv_plan_size_limit (sized));
      locate (planner, instruction->location);
      return false;
    }
  uint64_t *keys = gb_arena_array (planner->arena, uint64_t, n);
  bool sorted = true;
  for (uint32_t i = 0; i < n; i++)
    {
      keys[i] = (uint64_t) position (planner, instruction->blocks[2 + i]) << 32 | i;
      sorted = sorted && (i == 0 || keys[i - 1] < keys[i]);
    }
  if (!sorted)
    qsort (keys, n, sizeof *keys, compare_keys);
  struct spirv_case *cases = gb_arena_array (planner->arena, struct spirv_case, n);
  for (uint32_t i = 0; i < n; i++)
    cases[i] = (struct spirv_case) { instruction->u.switch_.values[(uint32_t) keys[i]], (uint32_t) (keys[i] >> 32) };
  block->terminator = SPIRV_TERMINATOR_SWITCH;
  block->merge_kind = SPIRV_MERGE_SELECTION;
  block->merge = position (planner, instruction->blocks[0]);
  block->targets[0] = position (planner, instruction->blocks[1]);
  block->cases = cases;
  block->n_cases = n;
  return true;
}

static void
plan_branch (struct planner *planner, struct spirv_control_block *block, uint32_t target)
{
  block->terminator = SPIRV_TERMINATOR_BRANCH;
  block->targets[0] = target;
}

static bool
plan_terminator (struct planner *planner, uint32_t at)
{
  struct spirv_control_block *block = &planner->blocks[at];
  const struct xir_instruction *instruction = block->instruction;
  switch (instruction->op)
    {
    case XIR_OP_IF:
      block->merge_kind = SPIRV_MERGE_SELECTION;
      block->merge = position (planner, instruction->blocks[2]);
      G_GNUC_FALLTHROUGH;
    case XIR_OP_CONDITIONAL_BRANCH:
      block->terminator = SPIRV_TERMINATOR_CONDITIONAL;
      block->targets[0] = position (planner, instruction->blocks[0]);
      block->targets[1] = position (planner, instruction->blocks[1]);
      return true;
    case XIR_OP_SWITCH:
      return plan_switch (planner, block);
    case XIR_OP_LOOP:
    case XIR_OP_BRANCH:
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
      plan_branch (planner, block, position (planner, instruction->blocks[0]));
      return true;
    case XIR_OP_RETURN:
      block->terminator = SPIRV_TERMINATOR_RETURN;
      return true;
    case XIR_OP_UNREACHABLE:
      block->terminator = SPIRV_TERMINATOR_UNREACHABLE;
      return true;
    default:
      return refuse (planner, at, _("the block ends in an instruction that is no end"));
    }
}

/* A loop's prepare block is the header: it declares merge and continue target. */
static bool
plan_header (struct planner *planner, uint32_t at)
{
  struct spirv_control_block *block = &planner->blocks[at];
  const struct xir_instruction *loop = planner->slots[block->block->id].owner;
  bool to_body = block->terminator == SPIRV_TERMINATOR_BRANCH && block->instruction->op == XIR_OP_BRANCH
                 && block->instruction->blocks[0] == loop->blocks[1];
  bool tested = block->instruction->op == XIR_OP_CONDITIONAL_BRANCH && block->instruction->blocks[0] == loop->blocks[1]
                && block->instruction->blocks[1] == loop->blocks[3];
  if (!to_body && !tested)
    return refuse (planner, at, _("the head of a loop ends in no branch to its body"));
  block->merge_kind = SPIRV_MERGE_LOOP;
  block->merge = position (planner, loop->blocks[3]);
  block->continue_target = position (planner, loop->blocks[2]);
  block->loop = loop;
  return true;
}

static bool
plan_block (struct planner *planner, uint32_t at)
{
  const struct spirv_closure_block *source = &planner->closure->blocks[at];
  struct spirv_control_block *block = &planner->blocks[at];
  block->block = source->block;
  if (!source->reachable)
    {
      block->terminator = SPIRV_TERMINATOR_UNREACHABLE;
      if (source->leads_to != NULL)
        plan_branch (planner, block, position (planner, source->leads_to));
      return true;
    }
  block->instruction = xir_block_terminator (source->block);
  if (!plan_terminator (planner, at))
    return false;
  return planner->slots[source->block->id].role != SPIRV_ROLE_PREPARE || plan_header (planner, at);
}

/* Whether the block does nothing but lead to the merge of its `if`. */
static bool
is_empty_arm (const struct planner *planner, uint32_t at, uint32_t merge)
{
  const struct spirv_control_block *block = &planner->blocks[at];
  return planner->slots[block->block->id].role == SPIRV_ROLE_ARM && block->instruction != NULL
         && block->instruction->op == XIR_OP_BRANCH && block->targets[0] == merge
         && gb_list_first (&block->block->instructions, struct xir_instruction, link) == block->instruction;
}

/* One arm of an `if` may be left out, the else rather than the other: then a phi behind still has two ways. */
static void
skip_empty_arm (struct planner *planner, uint32_t at)
{
  struct spirv_control_block *block = &planner->blocks[at];
  if (block->instruction == NULL || block->instruction->op != XIR_OP_IF)
    return;
  for (unsigned i = 2; i-- > 0;)
    if (is_empty_arm (planner, block->targets[i], block->merge))
      {
        planner->blocks[block->targets[i]].is_skipped = true;
        block->targets[i] = block->merge;
        return;
      }
}

/* Targets of a block, each once: a conditional branch to one block twice, or cases
 * that share a block, are one edge. Sorted cases make repetitions neighbours. */
static uint32_t
edges_of (const struct spirv_control_block *block, uint32_t *out)
{
  uint32_t n = 0;
  switch (block->terminator)
    {
    case SPIRV_TERMINATOR_BRANCH:
      if (!block->is_skipped)
        out[n++] = block->targets[0];
      break;
    case SPIRV_TERMINATOR_CONDITIONAL:
      out[n++] = block->targets[0];
      if (block->targets[1] != block->targets[0])
        out[n++] = block->targets[1];
      break;
    case SPIRV_TERMINATOR_SWITCH:
      out[n++] = block->targets[0];
      for (uint32_t i = 0; i < block->n_cases; i++)
        if (block->cases[i].target != block->targets[0]
            && (i == 0 || block->cases[i].target != block->cases[i - 1].target))
          out[n++] = block->cases[i].target;
      break;
    default:
      break;
    }
  return n;
}

static uint32_t
largest_edges (const struct planner *planner)
{
  uint32_t largest = 2;
  for (uint32_t i = 0; i < planner->closure->n_blocks; i++)
    largest = MAX (largest, planner->blocks[i].n_cases + 1);
  return largest;
}

static void
collect_predecessors (struct planner *planner)
{
  uint32_t n = planner->closure->n_blocks;
  uint32_t *edges = gb_arena_array (planner->arena, uint32_t, largest_edges (planner));
  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t n_edges = edges_of (&planner->blocks[i], edges);
      for (uint32_t k = 0; k < n_edges; k++)
        planner->blocks[edges[k]].n_predecessors++;
      planner->n_edges += n_edges;
    }
  planner->first_predecessor = gb_arena_array (planner->arena, uint32_t, n);
  planner->predecessors = gb_arena_array (planner->arena, uint32_t, planner->n_edges);
  uint32_t next = 0;
  for (uint32_t i = 0; i < n; i++)
    {
      planner->first_predecessor[i] = next;
      next += planner->blocks[i].n_predecessors;
      planner->blocks[i].n_predecessors = 0;
    }
  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t n_edges = edges_of (&planner->blocks[i], edges);
      for (uint32_t k = 0; k < n_edges; k++)
        {
          struct spirv_control_block *target = &planner->blocks[edges[k]];
          planner->predecessors[planner->first_predecessor[edges[k]] + target->n_predecessors++] = i;
        }
    }
}

/* One way in and one way back, the latter from behind the continue target and before the merge. */
static bool
check_header (struct planner *planner, uint32_t at)
{
  const struct spirv_control_block *block = &planner->blocks[at];
  const uint32_t *ways = planner->predecessors + planner->first_predecessor[at];
  if (block->n_predecessors != 2)
    return refuse (planner, at, _("the head of a loop needs one way in and one way back"));
  uint32_t in = MIN (ways[0], ways[1]), back = MAX (ways[0], ways[1]);
  if (in >= at || back < block->continue_target || back >= block->merge)
    return refuse (planner, at, _("the way back of a loop is not in its update"));
  return true;
}

/* A case is entered from its switch and, at most once, from the case in front of it. */
static bool
check_case (struct planner *planner, uint32_t at)
{
  const struct spirv_control_block *block = &planner->blocks[at];
  const struct spirv_slot *slot = &planner->slots[block->block->id];
  const uint32_t *ways = planner->predecessors + planner->first_predecessor[at];
  uint32_t owner = position (planner, slot->owner->block);
  uint32_t falls = 0;
  for (uint32_t i = 0; i < block->n_predecessors; i++)
    if (ways[i] != owner)
      {
        falls++;
        if (slot->previous_case == 0 || ways[i] + 1 < slot->previous_case || ways[i] >= at)
          return refuse (planner, at, _("a case is fallen into from one that does not stand in front of it"));
      }
  if (falls > 1)
    return refuse (planner, at, _("a case is fallen into at two places"));
  return true;
}

static bool
check_block (struct planner *planner, uint32_t at)
{
  const struct spirv_control_block *block = &planner->blocks[at];
  switch (planner->slots[block->block->id].role)
    {
    case SPIRV_ROLE_ENTRY:
      return block->n_predecessors == 0 || refuse (planner, at, _("the entry has a predecessor"));
    case SPIRV_ROLE_PREPARE:
      return check_header (planner, at);
    case SPIRV_ROLE_CASE:
      return check_case (planner, at);
    case SPIRV_ROLE_ARM:
    case SPIRV_ROLE_BODY:
      return block->n_predecessors == (block->is_skipped ? 0 : 1) || refuse (planner, at, _("the block is entered from outside its construct"));
    default:
      return true;
    }
}

/* The block from which control comes when XIR says that it comes from this one. */
static uint32_t
way_from (const struct planner *planner, const struct spirv_slot *slot)
{
  uint32_t at = slot->position - 1;
  return planner->blocks[at].is_skipped ? position (planner, slot->owner->block) : at;
}

/* The physical predecessors must be the phi's; ways that are never taken may be missing. */
static bool
plan_phi (struct planner *planner, uint32_t at, const struct xir_instruction *phi, struct spirv_phi_input *inputs)
{
  const struct spirv_control_block *block = &planner->blocks[at];
  const uint32_t *ways = planner->predecessors + planner->first_predecessor[at];
  uint32_t words = 0, n = 0;
  if (!spirv_plan_size (SPIRV_SIZED_PHI, block->n_predecessors, &words))
    {
      g_set_error (planner->error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
                   _("a phi of %u ways does not fit an instruction, the limit is %" PRIu64),
                   block->n_predecessors, spirv_plan_size_limit (SPIRV_SIZED_PHI));
      locate (planner, phi->location);
      return false;
    }
  for (uint32_t i = 0; i < block->n_predecessors; i++)
    planner->ways[ways[i]] = WAY_WANTED;
  bool complete = true;
  for (uint32_t i = 0; i < phi->n_operands; i++)
    {
      const struct spirv_slot *slot = &planner->slots[phi->blocks[i]->id];
      uint32_t way = slot->position != 0 && slot->reached ? way_from (planner, slot) : UINT32_MAX;
      if (way == UINT32_MAX || planner->ways[way] == WAY_NONE)
        continue;
      if (planner->ways[way] == WAY_NAMED)
        {
          complete = false;
          break;
        }
      planner->ways[way] = WAY_NAMED;
      inputs[n++] = (struct spirv_phi_input) { xir_operand (phi, i), way };
    }
  for (uint32_t i = 0; i < block->n_predecessors; i++)
    {
      if (planner->ways[ways[i]] == WAY_WANTED && n < block->n_predecessors)
        {
          complete = complete && planner->blocks[ways[i]].instruction == NULL;
          inputs[n++] = (struct spirv_phi_input) { NULL, ways[i] };
        }
      planner->ways[ways[i]] = WAY_NONE;
    }
  if (!complete || n != block->n_predecessors)
    return refuse (planner, at, _("a phi does not name every way into its block once"));
  return true;
}

static bool
plan_phis (struct planner *planner, uint32_t at)
{
  struct spirv_control_block *block = &planner->blocks[at];
  if (block->instruction == NULL)
    return true;
  uint32_t n_phis = 0;
  gb_list_for_each (instruction, &block->block->instructions, struct xir_instruction, link)
    {
      if (instruction->op != XIR_OP_PHI)
        break;
      n_phis++;
    }
  if (n_phis == 0)
    return true;
  if (block->n_predecessors == 0)
    return refuse (planner, at, _("a phi stands in a block that nothing leads to"));
  struct spirv_phi_input *inputs = gb_arena_array (planner->arena, struct spirv_phi_input,
                                                   (gsize) n_phis * block->n_predecessors);
  block->phi_inputs = inputs;
  gb_list_for_each (instruction, &block->block->instructions, struct xir_instruction, link)
    {
      if (n_phis-- == 0)
        break;
      if (!plan_phi (planner, at, instruction, inputs))
        return false;
      inputs += block->n_predecessors;
    }
  return true;
}

bool
spirv_plan_control_flow (struct gb_arena *arena, const struct spirv_closure *closure,
                         const struct spirv_slot *slots, struct spirv_control_flow *out, GError **error)
{
  struct planner planner = { .arena = arena, .closure = closure, .slots = slots, .error = error };
  uint32_t n = closure->n_blocks;
  if (n > SPIRV_MAX_BLOCKS)
    {
      const char *name = closure->blocks[0].block->function->name;
      g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE, _("function “%s” has %u blocks, the limit is %u"),
                   name != NULL ? name : "?", n, SPIRV_MAX_BLOCKS);
      locate (&planner, closure->blocks[0].block->function->location);
      return false;
    }
  planner.blocks = gb_arena_array (arena, struct spirv_control_block, n);
  memset (planner.blocks, 0, n * sizeof *planner.blocks);
  for (uint32_t i = 0; i < n; i++)
    if (!plan_block (&planner, i))
      return false;
  for (uint32_t i = 0; i < n; i++)
    skip_empty_arm (&planner, i);
  collect_predecessors (&planner);
  planner.ways = gb_arena_alloc0 (arena, n);
  for (uint32_t i = 0; i < n; i++)
    if (!check_block (&planner, i) || !plan_phis (&planner, i))
      return false;
  *out = (struct spirv_control_flow) { planner.blocks, n, planner.n_edges };
  return true;
}
