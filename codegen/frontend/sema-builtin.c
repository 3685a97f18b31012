/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Built-in functions: one rule each says which types go in and what comes out. */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <string.h>

#define MAX_ARGUMENTS 3

/* What the arguments of a call have in common. */
struct arguments
{
  struct gk_node *at[MAX_ARGUMENTS];
  uint32_t n;
  enum gk_scalar scalar;         /* of the first that is no literal */
  bool any_concrete;
  bool any_real;
  uint32_t lanes;                /* the most */
};

static void
wrong_argument (struct gk_sema          *sema,
                struct gk_node          *node,
                const struct gk_builtin *builtin,
                struct gk_node          *argument,
                const char              *wanted)
{
  const char *hint = NULL;
  if (argument->type->kind == GK_TYPE_VALUE && gk_scalar_is_number (argument->type->scalar)
      && (strcmp (wanted, "float") == 0 || strcmp (wanted, "half or float") == 0))
    hint = gk_hint_cast (sema, gk_type_value (sema->unit, GK_FLOAT, argument->type->lanes), argument);
  gk_report_node (sema->unit, GK_D_BUILTIN_ARGUMENT, argument, hint, builtin->name, wanted, argument->type->text);
  gk_poison (sema, node);
}

/* Checks the arguments; false after a message. */
static bool
gather (struct gk_sema          *sema,
        struct gk_node          *node,
        const struct gk_builtin *builtin,
        struct arguments        *arguments)
{
  uint32_t most = builtin->rule == GK_RULE_ATAN ? 2 : builtin->n_arguments;
  bool is_good = true;
  uint32_t n = 0;

  arguments->n = 0;
  arguments->any_concrete = arguments->any_real = false;
  arguments->scalar = GK_FLOAT;
  arguments->lanes = 1;
  for (struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next, n++)
    {
      gk_check_expression (sema, argument);
      if (gk_is_poison (argument->type))
        is_good = false;
      if (n >= MAX_ARGUMENTS)
        continue;
      arguments->at[n] = argument;
      arguments->any_real = arguments->any_real || argument->type->kind == GK_TYPE_LITERAL_REAL;
      if (argument->type->kind != GK_TYPE_VALUE)
        continue;
      if (!arguments->any_concrete)
        arguments->scalar = argument->type->scalar;
      arguments->any_concrete = true;
      arguments->lanes = MAX (arguments->lanes, argument->type->lanes);
    }
  if (n < builtin->n_arguments || n > most)
    {
      if (is_good)
        gk_report_node (sema->unit, GK_D_ARGUMENTS, node, NULL, builtin->name, builtin->n_arguments, n);
      is_good = false;
    }
  arguments->n = MIN (n, MAX_ARGUMENTS);
  if (!is_good)
    {
      for (struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
        gk_literal_default (sema, argument);
      gk_poison (sema, node);
    }
  return is_good;
}

/* Arguments from `first` on get one scalar and, where they spread, one shape. */
static bool
unify (struct gk_sema          *sema,
       struct gk_node          *node,
       const struct gk_builtin *builtin,
       struct arguments        *arguments,
       uint32_t                 n,
       bool                     spread)
{
  for (uint32_t i = 0; i < n; i++)
    {
      struct gk_node *argument = arguments->at[i];
      if (gk_type_is_literal (argument->type))
        {
          gk_literal_settle (sema, argument, gk_type_value (sema->unit, arguments->scalar, 1));
          if (gk_is_poison (argument->type))
            {
              gk_poison (sema, node);
              return false;
            }
        }
      if (argument->type->kind != GK_TYPE_VALUE || argument->type->scalar != arguments->scalar
          || (argument->type->lanes != arguments->lanes && !(spread && argument->type->lanes == 1)))
        {
          wrong_argument (sema, node, builtin, argument,
                          gk_type_value (sema->unit, arguments->scalar, arguments->lanes)->text);
          return false;
        }
    }
  return true;
}

/* Float rules: the first argument that is no literal says which float. */
static bool
unify_floats (struct gk_sema          *sema,
              struct gk_node          *node,
              const struct gk_builtin *builtin,
              struct arguments        *arguments,
              bool                     spread)
{
  bool has_double = builtin->rule != GK_RULE_TRANSCENDENTAL && builtin->rule != GK_RULE_POW && builtin->rule != GK_RULE_ATAN;

  for (uint32_t i = 0; i < arguments->n; i++)
    {
      const struct gk_type *type = arguments->at[i]->type;
      if (!gk_type_is_literal (type)
          && (type->kind != GK_TYPE_VALUE || !gk_scalar_is_float (type->scalar) || (type->scalar == GK_DOUBLE && !has_double)))
        {
          wrong_argument (sema, node, builtin, arguments->at[i], type->scalar == GK_DOUBLE ? "half or float" : "float");
          return false;
        }
    }
  return unify (sema, node, builtin, arguments, arguments->n, spread);
}

static void
check_float_rule (struct gk_sema          *sema,
                  struct gk_node          *node,
                  const struct gk_builtin *builtin,
                  struct arguments        *arguments)
{
  bool is_vector = builtin->rule == GK_RULE_FLOAT_VECTOR || builtin->rule == GK_RULE_FLOAT3
                   || builtin->rule == GK_RULE_DOT;

  if (!unify_floats (sema, node, builtin, arguments, !is_vector))
    return;
  if (is_vector && (builtin->rule == GK_RULE_FLOAT3 ? arguments->lanes != 3 : arguments->lanes == 1))
    {
      wrong_argument (sema, node, builtin, arguments->at[0],
                      builtin->rule == GK_RULE_FLOAT3 ? "a float3" : "a vector of float");
      return;
    }
  node->type = gk_type_value (sema->unit, builtin->rule == GK_RULE_FLOAT_PREDICATE ? GK_BOOL : arguments->scalar,
                              builtin->rule == GK_RULE_DOT ? 1 : arguments->lanes);
}

static void
check_numeric_rule (struct gk_sema          *sema,
                    struct gk_node          *node,
                    const struct gk_builtin *builtin,
                    struct arguments        *arguments)
{
  if (!arguments->any_concrete)
    arguments->scalar = arguments->any_real ? GK_FLOAT : GK_INT;
  if (!gk_scalar_is_number (arguments->scalar))
    wrong_argument (sema, node, builtin, arguments->at[0], "a number");
  else if (unify (sema, node, builtin, arguments, arguments->n, true))
    node->type = gk_type_value (sema->unit, arguments->scalar, arguments->lanes);
}

static void
check_reduce_rule (struct gk_sema          *sema,
                   struct gk_node          *node,
                   const struct gk_builtin *builtin,
                   struct arguments        *arguments)
{
  const struct gk_type *type = arguments->at[0]->type;

  if (type->kind != GK_TYPE_VALUE || !gk_scalar_is_number (type->scalar) || type->lanes == 1)
    wrong_argument (sema, node, builtin, arguments->at[0], "a vector of numbers");
  else
    node->type = gk_type_value (sema->unit, type->scalar, 1);
}

/* clz and the like, and rotation: of any integer. */
static void
check_bits_rule (struct gk_sema          *sema,
                 struct gk_node          *node,
                 const struct gk_builtin *builtin,
                 struct arguments        *arguments)
{
  const struct gk_type *type;

  for (uint32_t i = 0; i < arguments->n; i++)
    {
      struct gk_node *argument = arguments->at[i];
      if (gk_type_is_literal (argument->type))
        gk_literal_settle (sema, argument, gk_type_value (sema->unit, GK_INT, 1));
      type = argument->type;
      if (gk_is_poison (type))
        {
          gk_poison (sema, node);
          return;
        }
      if (type->kind != GK_TYPE_VALUE || !gk_scalar_is_integer (type->scalar)
          || (type->lanes != arguments->lanes && type->lanes != 1))
        {
          wrong_argument (sema, node, builtin, argument, "an integer");
          return;
        }
    }
  node->type = gk_type_value (sema->unit, arguments->at[0]->type->scalar, arguments->lanes);
}

static void
check_bool_rule (struct gk_sema          *sema,
                 struct gk_node          *node,
                 const struct gk_builtin *builtin,
                 struct arguments        *arguments)
{
  const struct gk_type *type = arguments->at[0]->type;

  if (type->kind != GK_TYPE_VALUE || type->scalar != GK_BOOL)
    wrong_argument (sema, node, builtin, arguments->at[0], "bool2, bool3, bool4");
  else
    node->type = gk_type_value (sema->unit, GK_BOOL, 1);
}

static void
check_select_rule (struct gk_sema          *sema,
                   struct gk_node          *node,
                   const struct gk_builtin *builtin,
                   struct arguments        *arguments)
{
  struct gk_node *condition = arguments->at[2];
  const struct gk_type *type = condition->type;
  struct arguments choices = { .at = { arguments->at[0], arguments->at[1] }, .n = 2, .scalar = GK_INT, .lanes = 1 };

  if (type->kind != GK_TYPE_VALUE || type->scalar != GK_BOOL)
    {
      wrong_argument (sema, node, builtin, condition, "bool, bool2, bool3, bool4");
      return;
    }
  for (uint32_t i = 2; i > 0; i--)
    {
      const struct gk_type *choice = choices.at[i - 1]->type;
      choices.any_concrete = choices.any_concrete || choice->kind == GK_TYPE_VALUE;
      if (choice->kind == GK_TYPE_VALUE)
        {
          choices.scalar = choice->scalar;
          choices.lanes = MAX (choices.lanes, choice->lanes);
        }
    }
  if (!choices.any_concrete && arguments->any_real)
    choices.scalar = GK_FLOAT;
  choices.lanes = MAX (choices.lanes, type->lanes);
  if (type->lanes != 1 && type->lanes != choices.lanes)
    wrong_argument (sema, node, builtin, condition, gk_type_value (sema->unit, GK_BOOL, choices.lanes)->text);
  else if (unify (sema, node, builtin, &choices, 2, true))
    node->type = gk_type_value (sema->unit, choices.scalar, choices.lanes);
}

/* pow (x, 2) and pow (x, n) with an int are exact in the exponent. */
static void
check_pow_rule (struct gk_sema          *sema,
                struct gk_node          *node,
                const struct gk_builtin *builtin,
                struct arguments        *arguments)
{
  struct gk_node *base = arguments->at[0], *exponent = arguments->at[1];
  bool by_int = exponent->type->kind == GK_TYPE_LITERAL_INTEGER
                || (exponent->type->kind == GK_TYPE_VALUE && exponent->type->scalar == GK_INT);

  if (!by_int)
    {
      if (unify_floats (sema, node, builtin, arguments, true))
        node->type = gk_type_value (sema->unit, arguments->scalar, arguments->lanes);
      return;
    }
  if (gk_type_is_literal (base->type))
    gk_literal_settle (sema, base, gk_type_value (sema->unit, GK_FLOAT, 1));
  gk_literal_default (sema, exponent);
  if (gk_is_poison (base->type) || gk_is_poison (exponent->type))
    gk_poison (sema, node);
  else if (base->type->kind != GK_TYPE_VALUE || !gk_scalar_is_float (base->type->scalar))
    wrong_argument (sema, node, builtin, base, "float");
  else if (base->type->lanes != exponent->type->lanes && base->type->lanes != 1 && exponent->type->lanes != 1)
    wrong_argument (sema, node, builtin, exponent, gk_type_value (sema->unit, GK_INT, base->type->lanes)->text);
  else
    node->type = gk_type_value (sema->unit, base->type->scalar, arguments->lanes);
}

static void
check_matrix_rule (struct gk_sema          *sema,
                   struct gk_node          *node,
                   const struct gk_builtin *builtin,
                   struct arguments        *arguments)
{
  const struct gk_type *type = arguments->at[0]->type;
  bool is_column = builtin->op == XIR_OP_OUTER_PRODUCT && type->kind == GK_TYPE_VALUE && type->scalar == GK_FLOAT && type->lanes > 1;

  if (type->kind != GK_TYPE_MATRIX && !is_column)
    wrong_argument (sema, node, builtin, arguments->at[0],
                    builtin->op == XIR_OP_OUTER_PRODUCT ? "a matrix or vector of float" : "a matrix");
  else if (arguments->n > 1 && arguments->at[1]->type != type)
    wrong_argument (sema, node, builtin, arguments->at[1], type->text);
  else if (builtin->op == XIR_OP_MATRIX_DETERMINANT)
    node->type = gk_type_value (sema->unit, GK_FLOAT, 1);
  else
    node->type = is_column ? gk_type_matrix (sema->unit, type->lanes) : type;
}

static bool
is_atomic_scalar (enum gk_scalar scalar,
                  bool           is_bitwise)
{
  return (scalar >= GK_INT && scalar <= GK_ULONG) || (scalar == GK_FLOAT && !is_bitwise);
}

/* Values that other threads see. */
static void
check_subgroup_rule (struct gk_sema          *sema,
                     struct gk_node          *node,
                     const struct gk_builtin *builtin,
                     struct arguments        *arguments)
{
  struct gk_node *value = arguments->at[0], *lane = builtin->n_arguments > 1 ? arguments->at[1] : NULL;
  bool is_flag = builtin->rule == GK_RULE_SUBGROUP_FLAG;
  const char *wanted = NULL;

  if (gk_type_is_literal (value->type) && !is_flag)
    gk_literal_default (sema, value);
  if (lane != NULL && gk_type_is_literal (lane->type))
    gk_literal_settle (sema, lane, gk_type_value (sema->unit, GK_UINT, 1));
  if (gk_is_poison (value->type) || (lane != NULL && gk_is_poison (lane->type)))
    {
      gk_poison (sema, node);
      return;
    }
  if (value->type->kind != GK_TYPE_VALUE || (value->type->scalar != GK_BOOL && !gk_scalar_is_number (value->type->scalar)))
    wanted = is_flag ? "bool" : "bool … double4";
  else if (is_flag && (value->type->scalar != GK_BOOL || value->type->lanes != 1))
    wanted = "bool";
  else if (builtin->rule == GK_RULE_SUBGROUP_NUMERIC && value->type->scalar == GK_BOOL)
    wanted = "char … double4";
  else if (builtin->rule == GK_RULE_SUBGROUP_INTEGER && !gk_scalar_is_integer (value->type->scalar))
    wanted = "char … ulong4";
  if (wanted != NULL)
    wrong_argument (sema, node, builtin, value, wanted);
  else if (lane != NULL && (!gk_type_is_scalar (lane->type) || (lane->type->scalar != GK_INT && lane->type->scalar != GK_UINT)))
    wrong_argument (sema, node, builtin, lane, "int, uint");
  else if (builtin->op == XIR_OP_SUBGROUP_ALL_EQUAL)
    node->type = gk_type_value (sema->unit, GK_BOOL, value->type->lanes);
  else if (builtin->op == XIR_OP_SUBGROUP_COUNT || builtin->op == XIR_OP_SUBGROUP_PREFIX_COUNT)
    node->type = gk_type_value (sema->unit, GK_UINT, 1);
  else if (builtin->op == XIR_OP_SUBGROUP_BALLOT)
    node->type = gk_type_value (sema->unit, GK_UINT, 4);
  else
    node->type = value->type;
}

/* The place, then values of its type. */
static void
check_atomic (struct gk_sema          *sema,
              struct gk_node          *node,
              const struct gk_builtin *builtin)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *place = node->child[1];
  const struct gk_symbol *root;
  bool is_bitwise = builtin->op == XIR_OP_ATOMIC_AND || builtin->op == XIR_OP_ATOMIC_OR || builtin->op == XIR_OP_ATOMIC_XOR;
  uint32_t n = gk_node_list_length (place);

  gk_poison (sema, node);
  if (n != builtin->n_arguments)
    {
      gk_report_node (unit, GK_D_ARGUMENTS, node, NULL, builtin->name, builtin->n_arguments, n);
      for (struct gk_node *argument = place; argument != NULL; argument = argument->next)
        gk_check_any (sema, argument);
      return;
    }
  gk_check_any (sema, place);
  for (struct gk_node *argument = place->next; argument != NULL; argument = argument->next)
    {
      gk_check_expression (sema, argument);
      if (gk_type_is_scalar (place->type))
        gk_convert (sema, argument, place->type);
      else
        gk_literal_default (sema, argument);
    }
  if (gk_is_poison (place->type))
    return;
  root = gk_place_root (place);
  if (root == NULL || (!root->is_shared && (root->type->kind != GK_TYPE_BUFFER || place->kind == GK_NODE_NAME)))
    gk_report_node (unit, GK_D_ATOMIC_PLACE, place, NULL, builtin->name);
  else if (!gk_type_is_scalar (place->type) || !is_atomic_scalar (place->type->scalar, is_bitwise))
    gk_report_node (unit, GK_D_ATOMIC_TYPE, place, NULL, builtin->name, place->type->text,
                    is_bitwise ? "int, uint, long, ulong" : "int, uint, long, ulong, float");
  else if (gk_check_target (sema, place))
    node->type = place->type;
}

/* What threads do together; only in functions. */
static void
check_together (struct gk_sema          *sema,
                struct gk_node          *node,
                const struct gk_builtin *builtin)
{
  struct arguments arguments;

  if (builtin->rule == GK_RULE_ATOMIC || builtin->rule == GK_RULE_PRINT)
    {
      if (builtin->rule == GK_RULE_ATOMIC)
        check_atomic (sema, node, builtin);
      else
        gk_check_print (sema, node, builtin);
      return;
    }
  if (!gather (sema, node, builtin, &arguments))
    return;
  if (builtin->rule == GK_RULE_BARRIER)
    {
      node->type = &sema->unit->void_type;
      if (sema->function != NULL)
        sema->function->has_barrier = true;
    }
  else if (builtin->rule == GK_RULE_IN_DISPATCH || builtin->rule == GK_RULE_SUBGROUP_NOTHING)
    node->type = gk_type_value (sema->unit, GK_BOOL, 1);
  else if (builtin->rule == GK_RULE_CLOCK)
    node->type = gk_type_value (sema->unit, GK_ULONG, 1);
  else
    check_subgroup_rule (sema, node, builtin, &arguments);
}

void
gk_check_builtin (struct gk_sema          *sema,
                  struct gk_node          *node,
                  const struct gk_builtin *builtin)
{
  struct arguments arguments;

  node->kind = GK_NODE_BUILTIN_CALL;
  node->meaning.builtin = builtin;
  if (builtin->rule >= GK_RULE_IN_DISPATCH)
    {
      check_together (sema, node, builtin);
      return;
    }
  if (!gather (sema, node, builtin, &arguments))
    return;
  switch (builtin->rule)
    {
    case GK_RULE_NUMERIC:
      check_numeric_rule (sema, node, builtin, &arguments);
      break;
    case GK_RULE_REDUCE:
      check_reduce_rule (sema, node, builtin, &arguments);
      break;
    case GK_RULE_BITS:
    case GK_RULE_ROTATE:
      check_bits_rule (sema, node, builtin, &arguments);
      break;
    case GK_RULE_BOOL:
      check_bool_rule (sema, node, builtin, &arguments);
      break;
    case GK_RULE_SELECT:
      check_select_rule (sema, node, builtin, &arguments);
      break;
    case GK_RULE_MATRIX:
      check_matrix_rule (sema, node, builtin, &arguments);
      break;
    case GK_RULE_POW:
      check_pow_rule (sema, node, builtin, &arguments);
      break;
    default:
      check_float_rule (sema, node, builtin, &arguments);
      break;
    }
  for (struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    gk_literal_default (sema, argument);
}
