/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statements, and which of them can run to their end. */

#include "config.h"

#include "codegen/frontend/sema.h"

static bool check_statement (struct gk_sema *sema, struct gk_node *node);

static bool
is_true (const struct gk_node *condition)
{
  return condition == NULL || (condition->kind == GK_NODE_BOOLEAN && condition->u.integer != 0);
}

/* Expressions that do nothing as a statement are mistakes. */
static void
check_expression_statement (struct gk_sema *sema,
                            struct gk_node *node)
{
  struct gk_node *value = node->child[0];

  gk_check_any (sema, value);
  switch (value->kind)
    {
    case GK_NODE_ASSIGN:
    case GK_NODE_STEP:
    case GK_NODE_CALL:
    case GK_NODE_METHOD:
    case GK_NODE_COMMA:
      break;
    default:
      if (value->kind == GK_NODE_BUILTIN_CALL && gk_builtin_acts (value->meaning.builtin))
        break;
      if (gk_place_root (value) != NULL && gk_place_root (value)->is_volatile)
        break;
      if (!gk_is_poison (value->type) && !(node->flags & GK_FLAG_BROKEN))
        gk_report_node (sema->unit, GK_D_NO_EFFECT, value, value->kind == GK_NODE_BINARY && value->op == GK_TOKEN_EQUAL
                        ? "=" : NULL);
      break;
    }
}

static bool
check_block (struct gk_sema *sema,
             struct gk_node *first)
{
  struct gk_scope scope;
  bool completes;

  gk_scope_enter (sema, &scope);
  completes = gk_check_statements (sema, first);
  gk_scope_leave (sema);
  return completes;
}

static bool
check_arm (struct gk_sema *sema,
           struct gk_node *node)
{
  return node == NULL || check_block (sema, node);
}

static bool
check_if (struct gk_sema *sema,
          struct gk_node *node)
{
  struct gk_node *last = node;
  struct gk_node *after = node;  /* the first behind the last arm that completes */
  bool completes = false;

  for (struct gk_node *at = node; at != NULL; at = gk_else_if (at))
    {
      gk_check_condition (sema, at->child[0]);
      if (check_arm (sema, at->child[1]))
        {
          completes = true;
          after = gk_else_if (at);
        }
      last = at;
    }
  if (check_arm (sema, last->child[2]))
    return true;
  /* From there on no way leads out. */
  for (; after != NULL; after = gk_else_if (after))
    after->flags |= GK_FLAG_STOPS;
  return completes;
}

/* Runs a loop's body; says whether the loop can end through its condition or a break. */
static bool
check_loop_body (struct gk_sema *sema,
                 struct gk_node *node,
                 struct gk_node *body,
                 struct gk_node *condition,
                 bool            at_end)
{
  struct gk_flow flow = { .outer = sema->flow, .is_loop = true };
  bool completes;

  sema->flow = &flow;
  completes = check_block (sema, body);
  sema->flow = flow.outer;
  if (flow.has_exit && flow.outer != NULL)
    flow.outer->has_exit = true;
  if (at_end)
    gk_check_condition (sema, condition);
  if (is_true (condition) && !flow.has_break && !flow.has_exit && !sema->is_dead)
    gk_report (sema->unit, GK_D_ENDLESS, node->offset, MIN (node->end - node->offset, 5), NULL);
  if (flow.has_break)
    return true;
  if (is_true (condition))
    return false;
  return !at_end || completes || flow.has_continue;
}

static bool
check_for (struct gk_sema *sema,
           struct gk_node *node)
{
  struct gk_scope scope;
  struct gk_node *start = node->child[0];
  bool completes;

  gk_scope_enter (sema, &scope);
  if (start != NULL && start->kind == GK_NODE_DECLARATION)
    check_statement (sema, start);
  else if (start != NULL)
    gk_check_any (sema, start);
  if (node->child[1] != NULL)
    gk_check_condition (sema, node->child[1]);
  if (node->child[2] != NULL)
    gk_check_any (sema, node->child[2]);
  completes = check_loop_body (sema, node, node->child[3], node->child[1], false);
  gk_scope_leave (sema);
  return completes || (node->flags & GK_FLAG_BROKEN) != 0;
}

static bool
check_while (struct gk_sema *sema,
             struct gk_node *node)
{
  gk_check_condition (sema, node->child[0]);
  return check_loop_body (sema, node, node->child[1], node->child[0], false);
}

static void
check_case (struct gk_sema       *sema,
            struct gk_node       *node,
            const struct gk_type *selector,
            GHashTable           *seen)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *value = node->child[0];
  struct gk_node *first;
  int64_t number;

  gk_check_expression (sema, value);
  gk_convert (sema, value, selector);
  if (gk_is_poison (value->type) || gk_is_poison (selector) || !gk_constant_integer (sema, value, &number))
    return;
  /* As wide as the selector, which XIR and SPIR-V want. */
  node->meaning.value = selector->xir->size == sizeof number ? (uint64_t) number
                        : (uint64_t) number & ((UINT64_C (1) << selector->xir->size * 8) - 1);
  first = g_hash_table_lookup (seen, &node->meaning.value);
  if (first != NULL)
    gk_report_node (unit, GK_D_CASE_TWICE, node, NULL, (long long) number, (unsigned) gk_locate (unit, first->offset).line);
  else
    g_hash_table_insert (seen, &node->meaning.value, node);
}

/* What is known while the labels of a switch are walked. */
struct labels
{
  const struct gk_type *selector;
  GHashTable *seen;              /* value -> first case */
  struct gk_node *default_label;
  struct gk_node *last;          /* last statement before the label at hand */
  unsigned n_cases;
  bool any;
  bool completes;                /* control may run into the label at hand */
};

static void
check_label (struct gk_sema *sema,
             struct gk_node *node,
             struct labels  *labels)
{
  struct gk_unit *unit = sema->unit;

  if (node->kind == GK_NODE_CASE)
    {
      labels->n_cases++;
      check_case (sema, node, labels->selector, labels->seen);
    }
  else if (labels->default_label != NULL)
    gk_report_node (unit, GK_D_DEFAULT_TWICE, node, NULL, (unsigned) gk_locate (unit, labels->default_label->offset).line);
  else
    labels->default_label = node;
  if (labels->any && labels->last != NULL && labels->completes && labels->last->kind != GK_NODE_FALLTHROUGH)
    gk_report_node (unit, GK_D_FALLTHROUGH, node, "fallthrough;");
  labels->any = true;
  labels->last = NULL;
}

static bool
is_label (const struct gk_node *node)
{
  return node->kind == GK_NODE_CASE || node->kind == GK_NODE_DEFAULT;
}

/* Each group of labels and statements is a scope of its own, so that no jump
 * can pass the start of a variable. */
static void
check_labels (struct gk_sema *sema,
              struct gk_node *first,
              struct labels  *labels)
{
  struct gk_node *node = first;

  if (node != NULL && !is_label (node))
    gk_report_node (sema->unit, GK_D_BEFORE_CASE, node, NULL);
  while (node != NULL)
    {
      struct gk_scope scope;
      bool warned = false;
      gk_scope_enter (sema, &scope);
      for (; node != NULL && is_label (node); node = node->next)
        check_label (sema, node, labels);
      labels->completes = true;
      for (; node != NULL && !is_label (node); node = node->next)
        {
          bool was_dead = sema->is_dead;
          if (!labels->completes && !warned && node->kind != GK_NODE_EMPTY)
            {
              gk_report_node (sema->unit, GK_D_DEAD_CODE, node, NULL);
              warned = true;
            }
          sema->is_dead = was_dead || !labels->completes;
          if (node->kind == GK_NODE_FALLTHROUGH)
            {
              if (node->next == NULL || !is_label (node->next))
                gk_report_node (sema->unit, GK_D_FALLTHROUGH_PLACE, node, NULL);
            }
          else if (!check_statement (sema, node))
            labels->completes = false;
          labels->last = node;
          sema->is_dead = was_dead;
        }
      gk_scope_leave (sema);
    }
}

static bool
check_switch (struct gk_sema *sema,
              struct gk_node *node)
{
  struct gk_flow flow = { .outer = sema->flow };
  struct labels labels = { .completes = true };
  struct gk_node *selector = node->child[0];

  gk_check_any (sema, selector);
  if (!gk_is_poison (selector->type)
      && (!gk_type_is_scalar (selector->type)
          || !gk_scalar_is_integer (selector->type->scalar)))
    {
      gk_report_node (sema->unit, GK_D_SELECTOR, selector,
                      gk_hint_cast (sema, gk_type_value (sema->unit, GK_INT, 1), selector), selector->type->text);
      gk_poison (sema, selector);
    }
  labels.selector = selector->type;
  labels.seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  sema->flow = &flow;
  check_labels (sema, node->child[1]->child[0], &labels);
  sema->flow = flow.outer;
  if (labels.n_cases > GK_MAX_CASES)
    gk_report_mark (sema->unit, GK_D_CASES, node, NULL, labels.n_cases, GK_MAX_CASES);
  g_hash_table_unref (labels.seen);
  if (flow.outer != NULL)
    {
      flow.outer->has_exit = flow.outer->has_exit || flow.has_exit;
      flow.outer->has_continue = flow.outer->has_continue || flow.has_continue;
    }
  return flow.has_break || labels.default_label == NULL || labels.completes;
}

static void
check_jump (struct gk_sema *sema,
            struct gk_node *node)
{
  bool is_break = node->kind == GK_NODE_BREAK;
  struct gk_flow *flow = sema->flow;

  while (!is_break && flow != NULL && !flow->is_loop)
    flow = flow->outer;
  if (flow == NULL)
    gk_report_node (sema->unit, is_break ? GK_D_BREAK : GK_D_CONTINUE, node, NULL);
  else if (sema->is_dead)
    ;
  else if (is_break)
    flow->has_break = true;
  else
    flow->has_continue = true;
}

static void
check_return (struct gk_sema *sema,
              struct gk_node *node)
{
  const struct gk_type *type = sema->function->return_type;
  const char *name = sema->function->symbol->name->text;
  struct gk_node *value = node->child[0];

  if (sema->flow != NULL && !sema->is_dead)
    sema->flow->has_exit = true;
  if (value == NULL)
    {
      if (type->kind != GK_TYPE_VOID && !gk_is_poison (type))
        gk_report_node (sema->unit, GK_D_RETURN_VALUE, node, NULL, name, type->text);
      return;
    }
  gk_check_expression (sema, value);
  if (type->kind != GK_TYPE_VOID)
    gk_convert (sema, value, type);
  else
    {
      gk_literal_default (sema, value);
      if (!gk_is_poison (value->type))
        gk_report_node (sema->unit, GK_D_RETURN_VOID, value, "return;", name);
    }
}

static bool
check_kind (struct gk_sema *sema,
            struct gk_node *node)
{
  switch (node->kind)
    {
    case GK_NODE_BLOCK:
      return check_block (sema, node->child[0]);
    case GK_NODE_DECLARATION:
      for (struct gk_node *variable = node->child[0]; variable != NULL; variable = variable->next)
        gk_check_variable (sema, variable);
      return true;
    case GK_NODE_EXPRESSION:
      check_expression_statement (sema, node);
      return true;
    case GK_NODE_IF:
      return check_if (sema, node);
    case GK_NODE_SWITCH:
      return check_switch (sema, node);
    case GK_NODE_FOR:
      return check_for (sema, node);
    case GK_NODE_WHILE:
      return check_while (sema, node);
    case GK_NODE_DO:
      return check_loop_body (sema, node, node->child[0], node->child[1], true);
    case GK_NODE_CASE:
    case GK_NODE_DEFAULT:
      gk_report_node (sema->unit, GK_D_CASE_PLACE, node, NULL);
      return true;
    case GK_NODE_BREAK:
    case GK_NODE_CONTINUE:
      check_jump (sema, node);
      return false;
    case GK_NODE_RETURN:
      check_return (sema, node);
      return false;
    case GK_NODE_UNREACHABLE:
      if (sema->flow != NULL && !sema->is_dead)
        sema->flow->has_exit = true;
      return false;
    case GK_NODE_FALLTHROUGH:
      gk_report_node (sema->unit, GK_D_FALLTHROUGH_PLACE, node, NULL);
      return true;
    default:
      return true;
    }
}

static bool
check_statement (struct gk_sema *sema,
                 struct gk_node *node)
{
  bool completes = check_kind (sema, node);
  if (!completes)
    node->flags |= GK_FLAG_STOPS;
  return completes;
}

bool
gk_check_statements (struct gk_sema *sema,
                     struct gk_node *first)
{
  bool completes = true;
  bool was_dead = sema->is_dead;

  for (struct gk_node *node = first; node != NULL; node = node->next)
    {
      if (!completes && !sema->is_dead && node->kind != GK_NODE_EMPTY)
        {
          gk_report_node (sema->unit, GK_D_DEAD_CODE, node, NULL);
          sema->is_dead = true;
        }
      if (!check_statement (sema, node))
        completes = false;
    }
  sema->is_dead = was_dead;
  return completes;
}
