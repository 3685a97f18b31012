/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/lower.h"

static void lower_statement (struct gk_lower *lower, const struct gk_node *node);

static bool
is_true (const struct gk_node *condition)
{
  return condition == NULL || (condition->kind == GK_NODE_BOOLEAN && condition->u.integer != 0);
}

/* Memory that the source has a name for, up to the end of its block. */
static struct xir_value *
lower_memory (struct gk_lower        *lower,
              const struct gk_node   *node,
              enum xir_storage        storage,
              const struct gk_symbol *symbol)
{
  struct xir_value *memory;

  gk_lower_at (lower, node->mark);
  memory = xir_build_alloca (&lower->builder, storage, symbol->type->xir, symbol->name->text);
  xir_value_instruction (memory)->u.alloca_.end = gk_locate (lower->unit, lower->scope_end);
  return memory;
}

/* What is never written again and needs no address is its value; the rest lives in memory. */
static void
lower_variable (struct gk_lower      *lower,
                const struct gk_node *node)
{
  const struct gk_symbol *symbol = node->meaning.symbol;
  const struct xir_type *type = symbol->type->xir;
  struct xir_value *value;
  struct xir_value *memory;

  if (symbol->constant != NULL)
    return;
  if (symbol->is_shared)
    {
      lower->locals[symbol->index] = lower_memory (lower, node, XIR_STORAGE_SHARED, symbol);
      return;
    }
  value = node->child[2] != NULL ? gk_lower_value (lower, node->child[2]) : xir_constant_zero (lower->module, type);
  if (!symbol->is_written && !symbol->type->has_array)
    {
      xir_value_add_name (lower->builder.function, value, symbol->name->text, gk_locate (lower->unit, node->mark),
                          gk_locate (lower->unit, lower->scope_end));
      lower->locals[symbol->index] = value;
      return;
    }
  memory = lower_memory (lower, node, XIR_STORAGE_LOCAL, symbol);
  xir_build_store (&lower->builder, memory, value);
  lower->locals[symbol->index] = memory;
}

static void
lower_arm (struct gk_lower      *lower,
           struct xir_block     *block,
           const struct gk_node *node,
           struct xir_block     *merge)
{
  gk_lower_start (lower, block);
  if (node != NULL)
    lower_statement (lower, node);
  gk_lower_go (lower, merge);
}

/* At most `limit` ifs of a ladder, one in the else of the other. Where the ladder goes on
 * behind them, `open` gets to know that none of them was taken. */
static void
lower_ladder (struct gk_lower      *lower,
              const struct gk_node *node,
              unsigned              limit,
              struct xir_value     *open)
{
  struct xir_function *function = lower->builder.function;
  struct xir_value *condition = gk_lower_value (lower, node->child[0]);
  struct xir_block *if_true = xir_block_new (function);
  struct xir_block *if_false = xir_block_new (function);
  struct xir_block *merge = xir_block_new (function);

  gk_lower_at (lower, node->mark);
  xir_build_if (&lower->builder, condition, if_true, if_false, merge);
  lower_arm (lower, if_true, node->child[1], merge);
  gk_lower_start (lower, if_false);
  if (gk_else_if (node) == NULL)
    {
      if (node->child[2] != NULL)
        lower_statement (lower, node->child[2]);
    }
  else if (limit > 1)
    lower_ladder (lower, gk_else_if (node), limit - 1, open);
  else
    xir_build_store (&lower->builder, open, xir_constant_bool (lower->module, true));
  gk_lower_go (lower, merge);
  gk_lower_start (lower, merge);
  if (node->flags & GK_FLAG_STOPS && open == NULL)
    {
      gk_lower_at (lower, node->mark);
      xir_build_unreachable (&lower->builder, NULL);
    }
}

static const struct gk_node *
skip_ladder (const struct gk_node *node)
{
  for (unsigned i = 0; i < GK_LADDER_NESTING && node != NULL; i++)
    node = gk_else_if (node);
  return node;
}

/* A long ladder becomes several: each but the first is behind the one before it, and
 * entered where that one found nothing. */
static void
lower_if (struct gk_lower      *lower,
          const struct gk_node *node)
{
  struct xir_builder *builder = &lower->builder;
  const struct gk_node *rest = skip_ladder (node);
  struct xir_value *open;

  if (rest == NULL)
    {
      lower_ladder (lower, node, GK_LADDER_NESTING, NULL);
      return;
    }
  gk_lower_at (lower, node->mark);
  open = xir_build_alloca (builder, XIR_STORAGE_LOCAL, gk_lower_type (lower, GK_BOOL, 1), NULL);
  xir_build_store (builder, open, xir_constant_bool (lower->module, false));
  lower_ladder (lower, node, GK_LADDER_NESTING, open);
  for (; rest != NULL; rest = skip_ladder (rest))
    {
      struct xir_block *inside = xir_block_new (builder->function);
      struct xir_block *outside = xir_block_new (builder->function);
      struct xir_block *merge = xir_block_new (builder->function);
      gk_lower_at (lower, rest->mark);
      xir_build_if (builder, xir_build_load (builder, open), inside, outside, merge);
      gk_lower_start (lower, inside);
      xir_build_store (builder, open, xir_constant_bool (lower->module, false));
      lower_ladder (lower, rest, GK_LADDER_NESTING, skip_ladder (rest) != NULL ? open : NULL);
      gk_lower_go (lower, merge);
      gk_lower_start (lower, outside);
      xir_build_branch (builder, merge);
      gk_lower_start (lower, merge);
    }
}

static void
push_jump (struct gk_lower  *lower,
           struct gk_jump   *jump,
           struct xir_block *merge,
           struct xir_block *update)
{
  jump->outer = lower->jump;
  jump->is_loop = update != NULL;
  jump->merge = merge;
  jump->update = update;
  lower->jump = jump;
}

/* The condition of a for or while. One that needs blocks moves into the body,
 * where a break takes the place of the false edge. */
static void
lower_condition (struct gk_lower      *lower,
                 const struct gk_node *condition,
                 struct xir_block     *body,
                 struct xir_block     *merge)
{
  struct xir_builder *builder = &lower->builder;
  struct xir_block *go_on, *stop, *inner;
  struct xir_value *value;

  if (is_true (condition))
    {
      xir_build_branch (builder, body);
      gk_lower_start (lower, body);
      return;
    }
  if (!gk_needs_blocks (condition))
    {
      value = gk_lower_value (lower, condition);
      xir_build_conditional_branch (builder, value, body, merge);
      gk_lower_start (lower, body);
      return;
    }
  xir_build_branch (builder, body);
  gk_lower_start (lower, body);
  value = gk_lower_value (lower, condition);
  gk_lower_at (lower, condition->mark);
  go_on = xir_block_new (builder->function);
  stop = xir_block_new (builder->function);
  inner = xir_block_new (builder->function);
  xir_build_if (builder, value, go_on, stop, inner);
  gk_lower_start (lower, go_on);
  xir_build_branch (builder, inner);
  gk_lower_start (lower, stop);
  xir_build_break (builder, merge);
  gk_lower_start (lower, inner);
}

static void
lower_loop (struct gk_lower      *lower,
            const struct gk_node *node,
            const struct gk_node *condition,
            const struct gk_node *step,
            const struct gk_node *statement,
            bool                  at_end)
{
  struct xir_builder *builder = &lower->builder;
  struct xir_block *prepare = xir_block_new (builder->function);
  struct xir_block *body = xir_block_new (builder->function);
  struct xir_block *update = xir_block_new (builder->function);
  struct xir_block *merge = xir_block_new (builder->function);
  struct xir_instruction *loop;
  struct gk_jump jump;

  /* A do comes to its line at the end. */
  if (at_end)
    gk_lower_nowhere (lower);
  else
    gk_lower_at (lower, node->mark);
  loop = xir_build_loop (builder, prepare, body, update, merge);
  loop->u.loop.hint = node->flags & GK_FLAG_UNROLL ? XIR_LOOP_UNROLL : XIR_LOOP_PLAIN;
  loop->u.loop.unroll_count = node->u.unroll_count;
  gk_lower_start (lower, prepare);
  lower_condition (lower, at_end ? NULL : condition, body, merge);
  push_jump (lower, &jump, merge, update);
  if (statement != NULL)
    lower_statement (lower, statement);
  lower->jump = jump.outer;
  gk_lower_go (lower, update);
  gk_lower_start (lower, update);
  if (step != NULL)
    gk_lower_value (lower, step);
  if (at_end && !is_true (condition))
    {
      struct xir_value *again = gk_lower_value (lower, condition);
      gk_lower_at (lower, condition->mark);
      xir_build_conditional_branch (builder, again, prepare, merge);
    }
  else
    {
      gk_lower_at (lower, node->mark);
      xir_build_branch (builder, prepare);
    }
  gk_lower_start (lower, merge);
}

static void
lower_for (struct gk_lower      *lower,
           const struct gk_node *node)
{
  const struct gk_node *start = node->child[0];

  if (start != NULL && start->kind == GK_NODE_DECLARATION)
    lower_statement (lower, start);
  else if (start != NULL)
    gk_lower_value (lower, start);
  lower_loop (lower, node, node->child[1], node->child[2], node->child[3], false);
}

static bool
is_label (const struct gk_node *node)
{
  return node->kind == GK_NODE_CASE || node->kind == GK_NODE_DEFAULT;
}

static void
lower_switch (struct gk_lower      *lower,
              const struct gk_node *node)
{
  struct xir_builder *builder = &lower->builder;
  struct xir_value *selector = gk_lower_value (lower, node->child[0]);
  const struct gk_node *at = node->child[1]->child[0];
  struct xir_instruction *instruction;
  struct xir_block *merge, *block;
  struct gk_jump jump;

  if (at == NULL)
    return;
  gk_lower_at (lower, node->mark);
  merge = xir_block_new (builder->function);
  block = xir_block_new (builder->function);
  instruction = xir_build_switch (builder, selector, merge);
  push_jump (lower, &jump, merge, NULL);
  while (at != NULL)
    {
      for (; at != NULL && is_label (at); at = at->next)
        {
          if (at->kind == GK_NODE_CASE)
            xir_switch_add_case (instruction, at->meaning.value, block);
          else
            xir_switch_set_default (instruction, block);
        }
      gk_lower_start (lower, block);
      for (; at != NULL && !is_label (at); at = at->next)
        if (!xir_builder_terminated (builder))
          lower_statement (lower, at);
      /* What runs to its end falls into the next group, or out. */
      block = at != NULL ? xir_block_new (builder->function) : merge;
      gk_lower_go (lower, block);
    }
  lower->jump = jump.outer;
  gk_lower_start (lower, merge);
}

static void
lower_jump (struct gk_lower      *lower,
            const struct gk_node *node)
{
  struct gk_jump *jump = lower->jump;

  gk_lower_at (lower, node->mark);
  if (node->kind == GK_NODE_BREAK)
    {
      xir_build_break (&lower->builder, jump->merge);
      return;
    }
  while (!jump->is_loop)
    jump = jump->outer;
  xir_build_continue (&lower->builder, jump->update);
}

static void
lower_return (struct gk_lower      *lower,
              const struct gk_node *node)
{
  struct xir_value *value = node->child[0] != NULL ? gk_lower_value (lower, node->child[0]) : NULL;

  gk_lower_at (lower, node->mark);
  xir_build_return (&lower->builder, value);
}

static void
lower_statement (struct gk_lower      *lower,
                 const struct gk_node *node)
{
  uint32_t outer_end = lower->scope_end;

  if (node->kind == GK_NODE_BLOCK)
    lower->scope_end = node->end;
  else if (node->kind == GK_NODE_SWITCH)
    lower->scope_end = node->child[1]->end;
  else if (node->kind == GK_NODE_FOR && node->child[3] != NULL)
    lower->scope_end = node->child[3]->end;
  switch (node->kind)
    {
    case GK_NODE_BLOCK:
      gk_lower_statements (lower, node->child[0]);
      break;
    case GK_NODE_DECLARATION:
      for (const struct gk_node *variable = node->child[0]; variable != NULL; variable = variable->next)
        lower_variable (lower, variable);
      break;
    case GK_NODE_EXPRESSION:
      gk_lower_value (lower, node->child[0]);
      break;
    case GK_NODE_IF:
      lower_if (lower, node);
      break;
    case GK_NODE_SWITCH:
      lower_switch (lower, node);
      break;
    case GK_NODE_FOR:
      lower_for (lower, node);
      break;
    case GK_NODE_WHILE:
      lower_loop (lower, node, node->child[0], NULL, node->child[1], false);
      break;
    case GK_NODE_DO:
      lower_loop (lower, node, node->child[1], NULL, node->child[0], true);
      break;
    case GK_NODE_BREAK:
    case GK_NODE_CONTINUE:
      lower_jump (lower, node);
      break;
    case GK_NODE_RETURN:
      lower_return (lower, node);
      break;
    case GK_NODE_UNREACHABLE:
      gk_lower_at (lower, node->mark);
      xir_build_unreachable (&lower->builder, node->u.text);
      break;
    default:
      break;
    }
  lower->scope_end = outer_end;
  /* The merge of a statement that never runs to its end has no way in. */
  if (node->flags & GK_FLAG_STOPS && !xir_builder_terminated (&lower->builder))
    xir_build_unreachable (&lower->builder, NULL);
}

/* Nothing behind a statement that does not end is lowered. */
void
gk_lower_statements (struct gk_lower      *lower,
                     const struct gk_node *first)
{
  for (const struct gk_node *node = first; node != NULL && !xir_builder_terminated (&lower->builder); node = node->next)
    lower_statement (lower, node);
}
