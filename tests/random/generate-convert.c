/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values of other types, and their bits. */

#include "config.h"

#include "tests/random/generate.h"

/* Integers come out as they are, and their zeros are +0. */
gboolean
can_convert (enum scalar from, enum scalar to, struct promise wanted)
{
  gboolean is_float = scalar_is_float (from);

  if (scalar_infos[to].family == FAMILY_STORED && !is_float)
    return FALSE;
  return is_float || !scalar_is_float (to) || wanted.grain <= 0;
}

struct promise
before_conversion (enum scalar from, enum scalar to, struct promise wanted)
{
  return scalar_is_float (from) && scalar_is_float (to) ? scalar_promise (from, to, wanted) : promise_nothing;
}

/* One of all scalars, those that are only stored, too. */
static enum scalar
any_source (struct generator *generator, enum scalar to)
{
  static const enum scalar stored[] = { SCALAR_BFLOAT, SCALAR_E4M3, SCALAR_E5M2 }, floats[] = { SCALAR_FLOAT, SCALAR_FLOAT, SCALAR_HALF, SCALAR_DOUBLE };

  if (scalar_infos[to].family == FAMILY_STORED)
    return floats[pick (generator, G_N_ELEMENTS (floats))];
  if (chance (generator, scalar_is_float (to) ? 20 : 3))
    return stored[pick (generator, G_N_ELEMENTS (stored))];
  return chance (generator, 20) ? floats[1 + pick (generator, 3)] : any_scalar (generator);
}

struct expression *
generate_cast (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  enum scalar from = any_source (generator, type->scalar);

  if (from == type->scalar || !can_convert (from, type->scalar, wanted))
    return NULL;
  return tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, wanted, 1,
                          generate_expression (generator, generate_type (generator, from, type->lanes), before_conversion (from, type->scalar, wanted),
                                               depth - 1));
}

static struct expression *
builtin_call (struct generator *generator, const char *name, const struct type *type, struct promise promise, guint n, struct expression *a,
              struct expression *b, struct expression *c)
{
  struct expression *call = tree_expression (generator->kernel, EXPRESSION_BUILTIN, type, promise, n, a, b, c);
  call->text = name;
  return call;
}

/* The float of as many bits. */
static enum scalar
float_of_width (enum scalar scalar)
{
  return scalar_infos[scalar].bits == 16 ? SCALAR_HALF : scalar_infos[scalar].bits == 32 ? SCALAR_FLOAT : SCALAR_DOUBLE;
}

/* The bits of a float are defined if it is no NaN and its zeros have signs that are defined. */
static struct expression *
bits_of_float (struct generator *generator, const struct type *type)
{
  struct kernel *kernel = generator->kernel;
  const struct promise strict = { GRAIN_LEAST, TRUE };
  const struct type *floats = generate_type (generator, float_of_width (type->scalar), type->lanes);
  struct expression *place = scalar_infos[type->scalar].bits > 8 ? generate_place (generator, floats, strict, FALSE) : NULL;
  struct expression *is_nan, *tamed;

  if (place == NULL)
    return NULL;
  is_nan = builtin_call (generator, "isnan", generate_type (generator, SCALAR_BOOL, type->lanes), promise_nothing, 1, tree_copy (kernel, place), NULL, NULL);
  tamed = builtin_call (generator, "select", floats, strict, 3, place, generate_literal (generator, floats, strict), is_nan);
  tamed->is_frozen = TRUE;
  return tree_expression (kernel, EXPRESSION_BITCAST, type, promise_nothing, 1, tamed);
}

/* Any bits make a float of 1 to 2. */
static struct expression *
float_of_bits (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct kernel *kernel = generator->kernel;
  const struct scalar_info *info = &scalar_infos[type->scalar];
  enum scalar scalar = info->bits == 16 ? SCALAR_USHORT : info->bits == 32 ? SCALAR_UINT : SCALAR_ULONG;
  const struct type *bits = generate_type (generator, scalar, type->lanes), *one = generate_type (generator, scalar, 1);
  guint64 mask = (G_GUINT64_CONSTANT (1) << info->mantissa_bits) - 1;
  struct expression *mantissa, *number;

  if (scalar_grain (type->scalar, wanted.grain) > -(int) info->mantissa_bits)
    return NULL;
  mantissa = generate_binary (generator, bits, promise_nothing, "&", generate_expression (generator, bits, promise_nothing, depth - 1),
                              tree_literal (kernel, one, mask));
  number = generate_binary (generator, bits, promise_nothing, "|", mantissa, tree_literal (kernel, one, scalar_bits (type->scalar, 1)));
  mantissa->is_fixed = number->is_fixed = TRUE;
  mantissa->operands[1]->is_fixed = number->operands[1]->is_fixed = TRUE;
  return tree_expression (kernel, EXPRESSION_BITCAST, type, wanted, 1, number);
}

/* Integers of equally many bits in all. */
static struct expression *
bits_of_integers (struct generator *generator, const struct type *type, guint depth)
{
  static const enum scalar integers[] = {
    SCALAR_INT, SCALAR_UINT, SCALAR_CHAR, SCALAR_UCHAR, SCALAR_SHORT, SCALAR_USHORT, SCALAR_LONG, SCALAR_ULONG
  };
  enum scalar scalar = integers[pick (generator, chance (generator, 50) ? 2 : G_N_ELEMENTS (integers))];
  guint all = scalar_infos[type->scalar].bits * type->lanes, bits = scalar_infos[scalar].bits;

  if (all % bits != 0 || all / bits > 4)
    return NULL;
  return tree_expression (generator->kernel, EXPRESSION_BITCAST, type, promise_nothing, 1,
                          generate_expression (generator, generate_type (generator, scalar, all / bits), promise_nothing, depth - 1));
}

struct expression *
generate_bitcast (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  if (type->scalar == SCALAR_BOOL)
    return NULL;
  if (scalar_is_float (type->scalar))
    return float_of_bits (generator, type, wanted, depth);
  return chance (generator, 50) ? bits_of_float (generator, type) : bits_of_integers (generator, type, depth);
}
