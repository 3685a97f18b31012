/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-cost.h"

/* Of one function. Far from overflow when summed over all instructions of a module. */
#define SATURATED (UINT64_C (1) << 32)

struct cost
{
  uint64_t instructions;
  uint64_t blocks;
};

struct costs
{
  const struct spirv_call_graph *graph;
  const struct spirv_slot *slots;
  struct cost *functions;        /* calls inlined; as graph->functions */
  struct cost added;             /* by unrolling, in the functions looked at */
};

static struct cost
block_cost (const struct costs *costs, const struct spirv_control_block *block)
{
  struct cost cost = { 0, 1 };
  if (block->instruction == NULL)
    return cost;
  gb_list_for_each (instruction, &block->block->instructions, struct xir_instruction, link)
    {
      cost.instructions++;
      if (instruction->op != XIR_OP_CALL || instruction->u.callee->no_inline)
        continue;
      const struct cost *callee = &costs->functions[costs->slots[instruction->u.callee->id].position - 1];
      cost.instructions = MIN (cost.instructions + callee->instructions, SATURATED);
      cost.blocks = MIN (cost.blocks + callee->blocks, SATURATED);
    }
  return cost;
}

/* The instruction that makes the value where it has this op. */
static const struct xir_instruction *
made_by (const struct xir_value *value, enum xir_op op)
{
  const struct xir_instruction *instruction = xir_value_instruction (value);
  return instruction != NULL && instruction->op == op ? instruction : NULL;
}

/* The variable's first value and its step, where it is written once right before the loop and once in its update. */
static bool
find_steps (const struct xir_instruction *loop, const struct xir_instruction *variable, int64_t *start, int64_t *step)
{
  const struct xir_instruction *first = NULL, *update = NULL;
  gb_list_for_each (use, &variable->value.uses, struct xir_use, value_link)
    {
      const struct xir_instruction *user = use->user;
      if (user->op == XIR_OP_LOAD)
        continue;
      if (user->op != XIR_OP_STORE || use != &user->operands[0])
        return false;
      if (user->block == loop->block && first == NULL)
        first = user;
      else if (user->block == loop->blocks[2] && update == NULL)
        update = user;
      else
        return false;
    }
  if (first == NULL || update == NULL || !xir_constant_to_int (xir_operand (first, 1), start))
    return false;
  const struct xir_instruction *sum = xir_value_instruction (xir_operand (update, 1));
  if (sum == NULL || (sum->op != XIR_OP_ADD && sum->op != XIR_OP_SUB))
    return false;
  uint32_t place = sum->op == XIR_OP_ADD && xir_value_constant (xir_operand (sum, 0)) != NULL ? 1 : 0;
  const struct xir_instruction *load = made_by (xir_operand (sum, place), XIR_OP_LOAD);
  if (load == NULL || load->block != loop->blocks[2] || xir_operand (load, 0) != &variable->value
      || !xir_constant_to_int (xir_operand (sum, 1 - place), step))
    return false;
  if (sum->op == XIR_OP_SUB)
    *step = -*step;
  return true;
}

/* How often `start < bound` and its like hold while `start` grows by `step`; false where the values would wrap. */
static bool
count_trips (enum xir_op op, int64_t start, int64_t bound, int64_t step, bool is_signed, uint64_t *trips)
{
  int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
  int64_t sign = op == XIR_OP_GREATER || op == XIR_OP_GREATER_EQUAL ? -1 : 1;
  int64_t from = sign * start, to = sign * bound + (op == XIR_OP_LESS_EQUAL || op == XIR_OP_GREATER_EQUAL ? 1 : 0);
  int64_t by = sign * step, n = 0;
  if (by == 0 || op == XIR_OP_EQUAL)
    return false;
  if (op == XIR_OP_NOT_EQUAL)
    {
      if ((to - from) % by != 0 || (to - from) / by < 0)
        return false;
      n = (to - from) / by;
    }
  else if (from < to)
    {
      if (by < 0)
        return false;
      n = (to - from + by - 1) / by;
    }
  int64_t last = start + n * step;
  *trips = (uint64_t) n;
  return last >= low && last <= high;
}

static enum xir_op
mirrored (enum xir_op op)
{
  return op == XIR_OP_LESS ? XIR_OP_GREATER : op == XIR_OP_GREATER ? XIR_OP_LESS
         : op == XIR_OP_LESS_EQUAL ? XIR_OP_GREATER_EQUAL : op == XIR_OP_GREATER_EQUAL ? XIR_OP_LESS_EQUAL : op;
}

/* The front end's `for` with a constant start, bound and step; false for all else. */
static bool
known_trips (const struct xir_instruction *loop, uint64_t *trips)
{
  const struct xir_instruction *end = xir_block_terminator (loop->blocks[0]);
  if (end == NULL || end->op != XIR_OP_CONDITIONAL_BRANCH)
    return false;
  const struct xir_instruction *condition = xir_value_instruction (xir_operand (end, 0));
  if (condition == NULL || condition->block != loop->blocks[0] || condition->op < XIR_OP_LESS
      || condition->op > XIR_OP_NOT_EQUAL)
    return false;
  uint32_t place = xir_value_constant (xir_operand (condition, 0)) != NULL ? 1 : 0;
  const struct xir_instruction *load = made_by (xir_operand (condition, place), XIR_OP_LOAD);
  int64_t start = 0, step = 0, bound = 0;
  if (load == NULL || load->block != loop->blocks[0] || !xir_constant_to_int (xir_operand (condition, 1 - place), &bound))
    return false;
  const struct xir_instruction *variable = made_by (xir_operand (load, 0), XIR_OP_ALLOCA);
  bool is_signed = load->value.type->kind == XIR_TYPE_INT32;
  return variable != NULL && (is_signed || load->value.type->kind == XIR_TYPE_UINT32)
         && find_steps (loop, variable, &start, &step)
         && count_trips (place == 0 ? condition->op : mirrored (condition->op), start, bound, step, is_signed, trips);
}

/* Whether the hint is kept: the loop's cost then becomes that of its copies. */
static bool
keep_hint (struct costs *costs, const struct xir_instruction *loop, struct cost *cost)
{
  uint64_t copies = loop->u.loop.unroll_count;
  if (copies == 0 && !known_trips (loop, &copies))
    return false;
  struct cost body = *cost;
  if (copies > SPIRV_MAX_UNROLLED || body.instructions > SPIRV_MAX_UNROLLED
      || copies * body.instructions > SPIRV_MAX_UNROLLED)
    return false;
  uint64_t more = copies > 1 ? copies - 1 : 0;
  struct cost added = { costs->added.instructions + more * body.instructions, costs->added.blocks + more * body.blocks };
  if (added.instructions > SPIRV_MAX_ADDED || added.blocks > SPIRV_MAX_ADDED_BLOCKS)
    return false;
  costs->added = added;
  cost->instructions += more * body.instructions;
  cost->blocks += more * body.blocks;
  return true;
}

/* From the last block to the first: the blocks of a loop stand between its header and its merge, so that the loops
 * in it have been counted when the header comes. `from[i]` is the cost of block i and all behind it. */
static struct cost
function_cost (struct costs *costs, const struct spirv_control_flow *flow)
{
  struct cost *from = g_new0 (struct cost, (gsize) flow->n_blocks + 1);
  for (uint32_t i = flow->n_blocks; i-- > 0;)
    {
      struct spirv_control_block *block = &flow->blocks[i];
      struct cost own = block_cost (costs, block);
      from[i] = (struct cost) { from[i + 1].instructions + own.instructions, from[i + 1].blocks + own.blocks };
      if (block->merge_kind != SPIRV_MERGE_LOOP || block->loop->u.loop.hint != XIR_LOOP_UNROLL || block->merge <= i)
        continue;
      const struct cost *behind = &from[block->merge];
      struct cost loop = { from[i].instructions - behind->instructions, from[i].blocks - behind->blocks };
      block->unrolls = keep_hint (costs, block->loop, &loop);
      from[i] = (struct cost) { behind->instructions + loop.instructions, behind->blocks + loop.blocks };
    }
  struct cost all = { MIN (from[0].instructions, SATURATED), MIN (from[0].blocks, SATURATED) };
  g_free (from);
  return all;
}

uint64_t
spirv_plan_cost (const struct spirv_call_graph *graph, const struct spirv_slot *slots,
                 struct spirv_control_flow *control_flows)
{
  struct costs costs = { graph, slots, g_new0 (struct cost, graph->n_functions), { 0, 0 } };
  uint64_t all = 0;
  for (uint32_t i = 0; i < graph->n_functions; i++)
    {
      costs.functions[i] = function_cost (&costs, &control_flows[i]);
      /* The others are in their callers. */
      if (graph->functions[i]->no_inline || i + 1 == graph->n_functions)
        all += MAX (costs.functions[i].instructions, costs.functions[i].blocks * SPIRV_BLOCK_COST);
    }
  g_free (costs.functions);
  return all;
}
