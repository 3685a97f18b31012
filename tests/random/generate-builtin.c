/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls of built-in functions, by the rules of the front end's table. */

#include "config.h"

#include "tests/random/builtins.h"
#include "tests/random/generate.h"

static const struct type *
maybe_scalar (struct generator *generator, const struct type *type)
{
  return chance (generator, 20) ? generate_type (generator, type->scalar, 1) : type;
}

static struct expression *
call_of (struct generator *generator, const struct builtin *builtin, const struct type *type, struct promise promise)
{
  struct expression *call = tree_expression (generator->kernel, EXPRESSION_BUILTIN, type, promise, 0);
  call->text = builtin->name;
  call->bits = builtin->op;
  return call;
}

static void
add (struct expression *call, struct expression *operand)
{
  call->operands[call->n_operands++] = operand;
}

/* Functions of floats. What each does to the promises is its own. */
static struct expression *
of_floats (struct generator *generator, const struct builtin *builtin, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *call = call_of (generator, builtin, type, wanted);
  struct promise operand = wanted;
  const struct type *integers = generate_type (generator, SCALAR_INT, type->lanes);
  struct expression *sign;

  switch (builtin->op)
    {
    case XIR_OP_CEIL:
    case XIR_OP_FLOOR:
    case XIR_OP_TRUNC:
    case XIR_OP_ROUND:
    case XIR_OP_RINT:
      if (wanted.grain > 0)
        return NULL;
      operand.grain = GRAIN_LEAST;
      break;
    case XIR_OP_STEP:
      operand = promise_nothing;
      break;
    case XIR_OP_FRACT:
      break;
    case XIR_OP_SATURATE:
      if (wanted.strict)
        return NULL;
      break;
    case XIR_OP_COPYSIGN:
      /* The sign of a NaN is free, so it comes from an integer. */
      add (call, generate_expression (generator, type, operand, depth - 1));
      sign = tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, wanted, 1,
                              generate_expression (generator, integers, promise_nothing, depth - 1));
      sign->is_fixed = TRUE;
      add (call, sign);
      return call;
    default:
      return NULL;
    }
  add (call, generate_expression (generator, type, operand, depth - 1));
  for (guint i = 1; i < builtin->n_arguments; i++)
    add (call, generate_expression (generator, maybe_scalar (generator, type), operand, depth - 1));
  return call;
}

static struct expression *
of_numbers (struct generator *generator, const struct builtin *builtin, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *call;

  /* Of abs: KNOWN-ISSUES, abs-of-minus-zero. */
  if (type->scalar == SCALAR_BOOL || (scalar_is_float (type->scalar) && wanted.strict))
    return NULL;
  call = call_of (generator, builtin, type, wanted);
  add (call, generate_expression (generator, type, wanted, depth - 1));
  if (builtin->op == XIR_OP_CLAMP)
    {
      /* Nobody says what is between limits that have changed places. */
      guint low = pick (generator, 8);
      add (call, tree_number (generator->kernel, type->scalar, low));
      add (call, tree_number (generator->kernel, type->scalar, low + pick (generator, 40)));
      call->operands[1]->is_fixed = call->operands[2]->is_fixed = TRUE;
      return call;
    }
  for (guint i = 1; i < builtin->n_arguments; i++)
    add (call, generate_expression (generator, maybe_scalar (generator, type), wanted, depth - 1));
  return call;
}

static struct expression *
of_bits (struct generator *generator, const struct builtin *builtin, const struct type *type, guint depth)
{
  enum scalar_family family = scalar_infos[type->scalar].family;
  struct expression *call;

  if (family != FAMILY_SIGNED && family != FAMILY_UNSIGNED)
    return NULL;
  call = call_of (generator, builtin, type, promise_nothing);
  add (call, generate_expression (generator, type, promise_nothing, depth - 1));
  if (builtin->rule == GK_RULE_ROTATE)
    {
      const struct type *count = generate_type (generator, chance (generator, 50) ? SCALAR_INT : SCALAR_UINT, type->lanes);
      add (call, generate_expression (generator, maybe_scalar (generator, count), promise_nothing, depth - 1));
    }
  return call;
}

static struct expression *
of_lanes (struct generator *generator, const struct builtin *builtin, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *call;
  guint lanes = 2 + pick (generator, 3);
  /* Of the sum: KNOWN-ISSUES, sum-with-zero. */
  gboolean is_order = builtin->op == XIR_OP_REDUCE_MIN || builtin->op == XIR_OP_REDUCE_MAX, is_sum = builtin->op == XIR_OP_REDUCE_SUM;
  struct promise operand = wanted;

  if (type->scalar == SCALAR_BOOL || type->lanes != 1 || (scalar_is_float (type->scalar) && wanted.strict && (is_order || is_sum)))
    return NULL;
  if (builtin->op == XIR_OP_REDUCE_PRODUCT)
    operand.grain /= (int) lanes;
  call = call_of (generator, builtin, type, wanted);
  add (call, generate_expression (generator, generate_type (generator, type->scalar, lanes), operand, depth - 1));
  return call;
}

static struct expression *
of_bools (struct generator *generator, const struct builtin *builtin, const struct type *type, guint depth)
{
  struct expression *call;

  if (type->scalar != SCALAR_BOOL || type->lanes != 1)
    return NULL;
  call = call_of (generator, builtin, type, promise_nothing);
  add (call, generate_expression (generator, generate_type (generator, SCALAR_BOOL, 1 + pick (generator, 4)), promise_nothing, depth - 1));
  return call;
}

static struct expression *
a_choice (struct generator *generator, const struct builtin *builtin, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *call;

  /* KNOWN-ISSUES, choice-of-zero. */
  if (wanted.strict && scalar_is_float (type->scalar))
    return NULL;
  call = call_of (generator, builtin, type, wanted);
  add (call, generate_expression (generator, type, wanted, depth - 1));
  add (call, generate_expression (generator, maybe_scalar (generator, type), wanted, depth - 1));
  add (call, generate_expression (generator, generate_type (generator, SCALAR_BOOL, chance (generator, 30) ? 1 : type->lanes), promise_nothing, depth - 1));
  return call;
}

static enum scalar
any_float (struct generator *generator)
{
  return chance (generator, 70) ? SCALAR_FLOAT : chance (generator, 50) ? SCALAR_HALF : SCALAR_DOUBLE;
}

static struct expression *
a_predicate (struct generator *generator, const struct builtin *builtin, const struct type *type, guint depth)
{
  struct expression *call;

  if (type->scalar != SCALAR_BOOL)
    return NULL;
  call = call_of (generator, builtin, type, promise_nothing);
  if (builtin->rule == GK_RULE_FLOAT_PREDICATE)
    add (call, generate_expression (generator, generate_type (generator, any_float (generator), type->lanes), promise_nothing, depth - 1));
  else if (type->lanes > 1)
    return NULL;
  return call;
}

struct expression *
generate_builtin (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *call = NULL;

  for (guint i = 0; i < 12 && call == NULL; i++)
    {
      const struct builtin *builtin = &builtins[pick (generator, n_builtins)];
      if (builtin_is_bounded (builtin))
        continue;
      switch (builtin->rule)
        {
        case GK_RULE_FLOAT:
          call = scalar_is_float (type->scalar) ? of_floats (generator, builtin, type, wanted, depth) : NULL;
          break;
        case GK_RULE_NUMERIC:
          call = of_numbers (generator, builtin, type, wanted, depth);
          break;
        case GK_RULE_BITS:
        case GK_RULE_ROTATE:
          call = of_bits (generator, builtin, type, depth);
          break;
        case GK_RULE_REDUCE:
          call = of_lanes (generator, builtin, type, wanted, depth);
          break;
        case GK_RULE_BOOL:
          call = of_bools (generator, builtin, type, depth);
          break;
        case GK_RULE_SELECT:
          call = a_choice (generator, builtin, type, wanted, depth);
          break;
        case GK_RULE_FLOAT_PREDICATE:
        case GK_RULE_IN_DISPATCH:
          call = a_predicate (generator, builtin, type, depth);
          break;
        default:
          break;
        }
    }
  return call;
}

/* Bounded operations, whose operands are exact. */

/* The bound of a double is that of a float, which is what records can hold. */
static struct expression *
bounded_operand (struct generator *generator, const struct type *type)
{
  struct expression *number;

  if (type->scalar != SCALAR_DOUBLE)
    return generate_expression (generator, type, promise_nothing, 2);
  number = tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, promise_nothing, 1,
                            generate_expression (generator, generate_type (generator, SCALAR_FLOAT, type->lanes), promise_nothing, 2));
  number->is_fixed = TRUE;
  return number;
}

static struct expression *
bounded_division (struct generator *generator)
{
  const struct type *type = generate_type (generator, any_float (generator), 1 + pick (generator, 4));
  struct expression *left = bounded_operand (generator, type);
  struct expression *division = generate_binary (generator, type, promise_nothing, "/", left, bounded_operand (generator, type));

  division->bits = XIR_OP_DIV;
  return division;
}

static struct expression *
bounded_call (struct generator *generator, const struct builtin *builtin)
{
  gboolean is_vector = builtin->rule == GK_RULE_FLOAT_VECTOR || builtin->rule == GK_RULE_DOT;
  gboolean has_double = is_vector || builtin->rule == GK_RULE_FLOAT3 || builtin->rule == GK_RULE_FLOAT;
  guint lanes = builtin->rule == GK_RULE_FLOAT3 ? 3 : is_vector ? 2 + pick (generator, 3) : 1 + pick (generator, 4);
  enum scalar scalar = any_float (generator);
  const struct type *type = generate_type (generator, scalar == SCALAR_DOUBLE && !has_double ? SCALAR_FLOAT : scalar, lanes);
  struct expression *call;
  guint n = builtin->n_arguments;

  if (!has_double && builtin->rule != GK_RULE_TRANSCENDENTAL && builtin->rule != GK_RULE_POW && builtin->rule != GK_RULE_ATAN)
    return NULL;
  call = call_of (generator, builtin, builtin->rule == GK_RULE_DOT ? generate_type (generator, type->scalar, 1) : type, promise_nothing);
  if (builtin->rule == GK_RULE_ATAN && chance (generator, 50))
    {
      call->bits = XIR_OP_ATAN2;
      n = 2;
    }
  for (guint i = 0; i < n; i++)
    {
      if (i == 1 && builtin->rule == GK_RULE_POW && chance (generator, 50))
        {
          const struct type *integers = generate_type (generator, SCALAR_INT, lanes);
          call->bits = XIR_OP_POW_INT;
          add (call, generate_expression (generator, integers, promise_nothing, 2));
        }
      else
        add (call, bounded_operand (generator, type));
    }
  return call;
}

struct expression *
generate_bounded (struct generator *generator)
{
  struct expression *operation = NULL;

  if (chance (generator, 15))
    return bounded_division (generator);
  if (chance (generator, 15))
    return generate_matrix_product (generator);
  while (operation == NULL)
    {
      const struct builtin *builtin = &builtins[pick (generator, n_builtins)];
      if (builtin_is_bounded (builtin))
        operation = bounded_call (generator, builtin);
    }
  return operation;
}
