/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Warnings about threads that work together, on the checked tree of a program
 * without errors: barriers that not all threads come to, and shared variables that
 * are read though nothing stands between that and their being written.
 *
 * One walk in the order of the source, which looks at what is plain to see: a branch
 * taken by the number of a thread, or by a variable that got its value from one.
 * Loops count as taken alike by all. */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <string.h>

/* A way of a branch, or the body of a loop. */
struct arm
{
  const struct arm *outer;
  uint32_t number;               /* in the order of the source; the function's body is 0 */
};

struct walk
{
  struct gk_unit *unit;
  const struct gk_function *function;
  const struct gk_node *parted;  /* the branch, around or before this place, at which threads part; NULL: all are here */
  bool leaves;                   /* the statement at hand has a return in it */
  bool jumps;                    /* or a break or continue */
  const struct arm *arm;         /* NULL: the function's body */
  uint32_t n_arms;
  uint32_t phase;                /* counts barriers, and whatever else makes what was written of no interest */
};

static void walk_statement (struct walk *walk, const struct gk_node *node);
static void walk_expression (struct walk *walk, const struct gk_node *node);

/* Numbers of threads. */

static bool
is_one_thread (const struct gk_function *function)
{
  return function->is_kernel && function->group_size[0] * function->group_size[1] * function->group_size[2] == 1;
}

/* local_id.y of a workgroup that is one thread high, and the like. */
static bool
is_same_lane (const struct walk    *walk,
              const struct gk_node *value,
              const struct gk_node *swizzle)
{
  if (!walk->function->is_kernel || (value->meaning.builtin->op != GK_VALUE_LOCAL_ID && value->meaning.builtin->op != GK_VALUE_GLOBAL_ID))
    return false;
  for (uint32_t i = 0; i < swizzle->type->lanes; i++)
    if (walk->function->group_size[swizzle->meaning.lanes[i]] != 1)
      return false;
  return true;
}

/* local_id.x < 64 of a workgroup that is 64 threads wide. */
static bool
holds_for_all (const struct walk    *walk,
               const struct gk_node *node)
{
  const struct gk_node *lane = node->child[0], *limit = node->child[1];

  return walk->function->is_kernel && node->op == GK_TOKEN_LESS && lane->kind == GK_NODE_SWIZZLE && lane->type->lanes == 1
         && lane->child[0]->kind == GK_NODE_VALUE && lane->child[0]->meaning.builtin->op == GK_VALUE_LOCAL_ID
         && limit->kind == GK_NODE_INTEGER && limit->u.integer >= walk->function->group_size[lane->meaning.lanes[0]];
}

static bool
value_varies (const struct gk_builtin *builtin)
{
  return builtin->op == GK_VALUE_GLOBAL_ID || builtin->op == GK_VALUE_LOCAL_ID || builtin->op == GK_VALUE_GLOBAL_INDEX
         || builtin->op == GK_VALUE_SUBGROUP_LANE;
}

/* Whether the value plainly differs from thread to thread. What memory, calls and
 * other threads give is not plain. */
static bool
varies (const struct walk    *walk,
        const struct gk_node *node)
{
  switch (node->kind)
    {
    case GK_NODE_VALUE:
      return value_varies (node->meaning.builtin);
    case GK_NODE_NAME:
      return node->meaning.symbol != NULL && node->meaning.symbol->varies;
    case GK_NODE_SWIZZLE:
      if (node->child[0]->kind == GK_NODE_VALUE && is_same_lane (walk, node->child[0], node))
        return false;
      return varies (walk, node->child[0]);
    case GK_NODE_UNARY:
    case GK_NODE_MEMBER:
      return varies (walk, node->child[0]);
    case GK_NODE_BINARY:
      if (holds_for_all (walk, node))
        return false;
      return varies (walk, node->child[0]) || varies (walk, node->child[1]);
    case GK_NODE_LOGICAL:
      return varies (walk, node->child[0]) || varies (walk, node->child[1]);
    case GK_NODE_BUILTIN_CALL:
      if (node->meaning.builtin->rule >= GK_RULE_IN_DISPATCH)
        return node->meaning.builtin->rule == GK_RULE_IN_DISPATCH || node->meaning.builtin->rule == GK_RULE_SUBGROUP_NOTHING
               || node->meaning.builtin->rule == GK_RULE_CLOCK;
      G_GNUC_FALLTHROUGH;
    case GK_NODE_CONSTRUCT:
      for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
        if (varies (walk, argument))
          return true;
      return false;
    case GK_NODE_BITCAST:
      return varies (walk, node->child[1]);
    default:
      return false;
    }
}

static unsigned
line_of (const struct walk    *walk,
         const struct gk_node *node)
{
  return gk_locate (walk->unit, node->offset).line;
}

/* Barriers. */

static void
come_to_barrier (struct walk          *walk,
                 const struct gk_node *node)
{
  if (walk->parted != NULL && !is_one_thread (walk->function))
    gk_report_mark (walk->unit, GK_D_BARRIER_FLOW, node, NULL, line_of (walk, walk->parted));
  walk->phase++;
}

/* Shared memory. */

/* Whether an index of the place can be another in each thread. */
static bool
has_own_index (const struct gk_node *place)
{
  for (; place->kind == GK_NODE_MEMBER || place->kind == GK_NODE_SWIZZLE || place->kind == GK_NODE_INDEX; place = place->child[0])
    if (place->kind == GK_NODE_INDEX && place->child[1]->kind != GK_NODE_INTEGER)
      return true;
  return false;
}

static bool
is_same_text (const struct walk    *walk,
              const struct gk_node *a,
              const struct gk_node *b)
{
  return a->end - a->offset == b->end - b->offset
         && memcmp (walk->unit->text + a->offset, walk->unit->text + b->offset, a->end - a->offset) == 0;
}

/* Whether the places are different members of the variable, or different elements by their numbers. */
static bool
are_apart (const struct gk_node *a,
           const struct gk_node *b)
{
  while (a->kind != GK_NODE_NAME && a->child[0]->kind != GK_NODE_NAME)
    a = a->child[0];
  while (b->kind != GK_NODE_NAME && b->child[0]->kind != GK_NODE_NAME)
    b = b->child[0];
  if (a->kind == GK_NODE_MEMBER && b->kind == GK_NODE_MEMBER)
    return a->meaning.value != b->meaning.value;
  return a->kind == GK_NODE_INDEX && b->kind == GK_NODE_INDEX && a->child[1]->kind == GK_NODE_INTEGER
         && b->child[1]->kind == GK_NODE_INTEGER && a->child[1]->u.integer != b->child[1]->u.integer;
}

/* Whether the one is inside the other, this place in the arm of that number or the other way round: then control
 * comes straight from there to here. */
static bool
is_in_line (const struct walk *walk,
            uint32_t           number)
{
  /* This arm was open when that one was entered, and is still. */
  if (walk->arm == NULL || walk->arm->number <= number)
    return true;
  for (const struct arm *arm = walk->arm; arm != NULL; arm = arm->outer)
    if (arm->number == number)
      return true;
  return number == 0;
}

static void
read_shared (struct walk          *walk,
             const struct gk_node *place,
             struct gk_symbol     *symbol,
             bool                  is_atomic)
{
  const struct gk_node *written = symbol->written;

  if (written == NULL || symbol->written_phase != walk->phase || is_one_thread (walk->function)
      || !is_in_line (walk, symbol->written_arm) || (is_atomic && symbol->written_atomically) || are_apart (place, written)
      || (has_own_index (place) && is_same_text (walk, place, written)))
    return;
  gk_report_node (walk->unit, GK_D_MISSING_BARRIER, place, "barrier();", symbol->name->text, line_of (walk, written));
  /* Once is enough. */
  symbol->written = NULL;
}

static void
write_shared (struct walk          *walk,
              const struct gk_node *place,
              struct gk_symbol     *symbol,
              bool                  is_atomic)
{
  symbol->written = place;
  symbol->written_phase = walk->phase;
  symbol->written_arm = walk->arm != NULL ? walk->arm->number : 0;
  symbol->written_atomically = is_atomic;
}

/* The indices of a place, and its root's being read. */
static void
walk_place (struct walk          *walk,
            const struct gk_node *place,
            bool                  is_read)
{
  struct gk_symbol *symbol = gk_place_root (place);
  const struct gk_node *part = place;

  for (; part->kind == GK_NODE_MEMBER || part->kind == GK_NODE_SWIZZLE || part->kind == GK_NODE_INDEX; part = part->child[0])
    if (part->kind == GK_NODE_INDEX)
      walk_expression (walk, part->child[1]);
  if (symbol == NULL)
    walk_expression (walk, part);
  else if (is_read && symbol->is_shared)
    read_shared (walk, place, symbol, false);
}

/* A variable of this thread gets a value. */
static void
note_value (struct walk          *walk,
            const struct gk_node *place,
            bool                  value_varies,
            bool                  whole)
{
  struct gk_symbol *symbol = gk_place_root (place);

  if (symbol == NULL || symbol->is_shared || gk_type_is_resource (symbol->type))
    return;
  if (value_varies || walk->parted != NULL)
    symbol->varies = true;
  else if (whole)
    symbol->varies = false;
}

/* The place gets a value, which has been computed. */
static void
note_write (struct walk          *walk,
            const struct gk_node *place,
            bool                  is_read,
            bool                  value_varies)
{
  struct gk_symbol *symbol = gk_place_root (place);

  if (symbol != NULL && symbol->is_shared)
    write_shared (walk, place, symbol, false);
  note_value (walk, place, value_varies, place->kind == GK_NODE_NAME && !is_read);
}

static void
walk_target (struct walk          *walk,
             const struct gk_node *place,
             bool                  is_read,
             bool                  value_varies)
{
  walk_place (walk, place, is_read);
  note_write (walk, place, is_read, value_varies);
}

static void
walk_call (struct walk          *walk,
           const struct gk_node *node)
{
  const struct gk_function *callee = node->meaning.symbol->u.function;
  const struct gk_node *argument = node->child[1];

  for (uint32_t i = 0; i < callee->n_parameters && argument != NULL; i++, argument = argument->next)
    if (callee->parameters[i]->is_reference)
      walk_place (walk, argument, !(callee->parameters[i]->node->flags & GK_FLAG_OUT));
    else
      walk_expression (walk, argument);
  if (callee->has_barrier)
    come_to_barrier (walk, node);
  /* References are written behind the call, when all arguments have been read. */
  argument = node->child[1];
  for (uint32_t i = 0; i < callee->n_parameters && argument != NULL; i++, argument = argument->next)
    if (callee->parameters[i]->is_reference)
      note_write (walk, argument, !(callee->parameters[i]->node->flags & GK_FLAG_OUT), false);
}

static void
walk_atomic (struct walk          *walk,
             const struct gk_node *node)
{
  const struct gk_node *place = node->child[1];
  struct gk_symbol *symbol = gk_place_root (place);

  for (const struct gk_node *argument = place->next; argument != NULL; argument = argument->next)
    walk_expression (walk, argument);
  walk_place (walk, place, false);
  if (symbol == NULL || !symbol->is_shared)
    return;
  read_shared (walk, place, symbol, true);
  write_shared (walk, place, symbol, true);
}

static void
walk_children (struct walk          *walk,
               const struct gk_node *node)
{
  for (unsigned i = 0; i < gk_node_infos[node->kind].n_children; i++)
    for (const struct gk_node *child = node->child[i]; child != NULL; child = child->next)
      walk_expression (walk, child);
}

static void
walk_expression (struct walk          *walk,
                 const struct gk_node *node)
{
  switch (node->kind)
    {
    case GK_NODE_NAME:
    case GK_NODE_MEMBER:
    case GK_NODE_SWIZZLE:
    case GK_NODE_INDEX:
      walk_place (walk, node, true);
      break;
    case GK_NODE_ASSIGN:
      walk_expression (walk, node->child[1]);
      walk_target (walk, node->child[0], node->op != 0, varies (walk, node->child[1]));
      break;
    case GK_NODE_STEP:
      walk_target (walk, node->child[0], true, false);
      break;
    case GK_NODE_CALL:
      walk_call (walk, node);
      break;
    case GK_NODE_BUILTIN_CALL:
      if (node->meaning.builtin->rule == GK_RULE_ATOMIC)
        walk_atomic (walk, node);
      else if (node->meaning.builtin->rule == GK_RULE_BARRIER)
        come_to_barrier (walk, node);
      else
        for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
          walk_expression (walk, argument);
      break;
    case GK_NODE_METHOD:
    case GK_NODE_CONSTRUCT:
      for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
        walk_expression (walk, argument);
      break;
    case GK_NODE_TYPE:
    case GK_NODE_PROPERTY:
      break;
    default:
      walk_children (walk, node);
      break;
    }
}

/* Statements. */

static void
walk_list (struct walk          *walk,
           const struct gk_node *first)
{
  for (const struct gk_node *node = first; node != NULL; node = node->next)
    walk_statement (walk, node);
}

static void
walk_variable (struct walk          *walk,
               const struct gk_node *node)
{
  struct gk_symbol *symbol = node->meaning.symbol;

  if (symbol == NULL)
    return;
  if (node->child[2] != NULL)
    walk_expression (walk, node->child[2]);
  if (!symbol->is_shared)
    symbol->varies = walk->parted != NULL || (node->child[2] != NULL && varies (walk, node->child[2]));
}

static void
walk_arm (struct walk          *walk,
          const struct gk_node *node)
{
  struct arm arm = { walk->arm, ++walk->n_arms };

  walk->arm = &arm;
  walk_statement (walk, node);
  walk->arm = arm.outer;
}

/* Ways that threads take apart. What stands behind is for those that are still there. */
static void
walk_if (struct walk          *walk,
         const struct gk_node *node)
{
  const struct gk_node *before = walk->parted, *last = node;
  bool left = walk->leaves, jumped = walk->jumps;

  walk->leaves = walk->jumps = false;
  for (const struct gk_node *at = node; at != NULL; at = gk_else_if (at))
    {
      walk_expression (walk, at->child[0]);
      if (walk->parted == NULL && varies (walk, at->child[0]))
        walk->parted = at;
      walk_arm (walk, at->child[1]);
      last = at;
    }
  if (last->child[2] != NULL)
    walk_arm (walk, last->child[2]);
  if (!walk->leaves && !walk->jumps)
    walk->parted = before;
  walk->leaves = walk->leaves || left;
  walk->jumps = walk->jumps || jumped;
}

static void
walk_switch (struct walk          *walk,
             const struct gk_node *node)
{
  const struct gk_node *before = walk->parted;
  struct arm arm = { walk->arm, 0 };
  bool jumped = walk->jumps;

  walk_expression (walk, node->child[0]);
  if (walk->parted == NULL && varies (walk, node->child[0]))
    walk->parted = node;
  /* Each label begins another way. */
  walk->arm = &arm;
  for (const struct gk_node *at = node->child[1]->child[0]; at != NULL; at = at->next)
    if (at->kind == GK_NODE_CASE || at->kind == GK_NODE_DEFAULT)
      arm.number = ++walk->n_arms;
    else
      walk_statement (walk, at);
  walk->arm = arm.outer;
  if (!walk->leaves)
    walk->parted = before;
  walk->jumps = jumped;
}

/* Who left the loop comes together with the others behind it. */
static void
walk_loop (struct walk          *walk,
           const struct gk_node *body)
{
  const struct gk_node *before = walk->parted;
  bool jumped = walk->jumps;

  walk_arm (walk, body);
  if (!walk->leaves)
    walk->parted = before;
  walk->jumps = jumped;
}

static void
walk_statement (struct walk          *walk,
                const struct gk_node *node)
{
  switch (node->kind)
    {
    case GK_NODE_BLOCK:
      walk_list (walk, node->child[0]);
      break;
    case GK_NODE_DECLARATION:
      for (const struct gk_node *variable = node->child[0]; variable != NULL; variable = variable->next)
        walk_variable (walk, variable);
      break;
    case GK_NODE_IF:
      walk_if (walk, node);
      break;
    case GK_NODE_SWITCH:
      walk_switch (walk, node);
      break;
    case GK_NODE_FOR:
      if (node->child[0] != NULL)
        walk_statement (walk, node->child[0]);
      if (node->child[1] != NULL)
        walk_expression (walk, node->child[1]);
      walk_loop (walk, node->child[3]);
      if (node->child[2] != NULL)
        walk_expression (walk, node->child[2]);
      break;
    case GK_NODE_WHILE:
      walk_expression (walk, node->child[0]);
      walk_loop (walk, node->child[1]);
      break;
    case GK_NODE_DO:
      walk_loop (walk, node->child[0]);
      walk_expression (walk, node->child[1]);
      break;
    case GK_NODE_RETURN:
      walk_children (walk, node);
      walk->leaves = true;
      break;
    case GK_NODE_BREAK:
    case GK_NODE_CONTINUE:
      walk->jumps = true;
      break;
    case GK_NODE_CASE:
    case GK_NODE_DEFAULT:
    case GK_NODE_FALLTHROUGH:
    case GK_NODE_UNREACHABLE:
    case GK_NODE_EMPTY:
      break;
    default:
      walk_expression (walk, node->kind == GK_NODE_EXPRESSION ? node->child[0] : node);
      break;
    }
}

void
gk_check_together (struct gk_unit     *unit,
                   struct gk_function *function)
{
  struct walk walk = { .unit = unit, .function = function, .phase = 1 };

  if (function->node->child[3] != NULL)
    walk_list (&walk, function->node->child[3]->child[0]);
}
