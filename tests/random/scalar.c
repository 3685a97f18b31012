/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scalars: what there are, and their bits. */

#include "config.h"

#include "tests/random/tree.h"

#include <math.h>

const struct scalar_info scalar_infos[N_SCALARS] = {
  [SCALAR_BOOL] = { "bool", FAMILY_BOOL, 8, 0, 0 },
  [SCALAR_INT] = { "int", FAMILY_SIGNED, 32, 0, 0 },
  [SCALAR_UINT] = { "uint", FAMILY_UNSIGNED, 32, 0, 0 },
  [SCALAR_FLOAT] = { "float", FAMILY_FLOAT, 32, 8, 23 },
  [SCALAR_CHAR] = { "char", FAMILY_SIGNED, 8, 0, 0 },
  [SCALAR_UCHAR] = { "uchar", FAMILY_UNSIGNED, 8, 0, 0 },
  [SCALAR_SHORT] = { "short", FAMILY_SIGNED, 16, 0, 0 },
  [SCALAR_USHORT] = { "ushort", FAMILY_UNSIGNED, 16, 0, 0 },
  [SCALAR_LONG] = { "long", FAMILY_SIGNED, 64, 0, 0 },
  [SCALAR_ULONG] = { "ulong", FAMILY_UNSIGNED, 64, 0, 0 },
  [SCALAR_HALF] = { "half", FAMILY_FLOAT, 16, 5, 10 },
  [SCALAR_DOUBLE] = { "double", FAMILY_FLOAT, 64, 11, 52 },
  [SCALAR_BFLOAT] = { "bfloat", FAMILY_STORED, 16, 8, 7 },
  [SCALAR_E4M3] = { "fp8e4m3", FAMILY_STORED, 8, 4, 3 },
  [SCALAR_E5M2] = { "fp8e5m2", FAMILY_STORED, 8, 5, 2 },
};

gboolean
scalar_is_float (enum scalar scalar)
{
  return scalar_infos[scalar].family == FAMILY_FLOAT || scalar_infos[scalar].family == FAMILY_STORED;
}

static guint64
low_bits (guint n)
{
  return n >= 64 ? ~G_GUINT64_CONSTANT (0) : (G_GUINT64_CONSTANT (1) << n) - 1;
}

/* Nearest, half to even. FP8 of four bits of exponent has no infinity and one NaN. */
static guint64
float_bits (enum scalar scalar, double number)
{
  const struct scalar_info *info = &scalar_infos[scalar];
  guint m = info->mantissa_bits;
  int least = 2 - (1 << (info->exponent_bits - 1)), exponent;
  guint64 sign = signbit (number) ? G_GUINT64_CONSTANT (1) << (info->bits - 1) : 0;
  guint64 infinity = low_bits (info->exponent_bits) << m, most = scalar == SCALAR_E4M3 ? 0x7e : infinity, bits;
  double x = fabs (number), steps;

  if (isnan (x))
    return infinity | low_bits (scalar == SCALAR_E4M3 ? 3 : 1) << (scalar == SCALAR_E4M3 ? 0 : m - 1);
  if (x == 0)
    return sign;
  if (isinf (x))
    return sign | most;
  frexp (x, &exponent);
  exponent = MAX (exponent - 1, least);
  /* A carry goes into the exponent by itself. */
  steps = rint (ldexp (x, (int) m - exponent));
  bits = (guint64) steps + ((guint64) (exponent - least) << m);
  return sign | MIN (bits, most);
}

static double
float_value (enum scalar scalar, guint64 bits)
{
  const struct scalar_info *info = &scalar_infos[scalar];
  guint m = info->mantissa_bits;
  guint64 mantissa = bits & low_bits (m), exponent = bits >> m & low_bits (info->exponent_bits);
  int least = 2 - (1 << (info->exponent_bits - 1));
  double value;

  if (scalar == SCALAR_E4M3 ? (bits & 0x7f) == 0x7f : exponent == low_bits (info->exponent_bits))
    value = scalar != SCALAR_E4M3 && mantissa == 0 ? (double) INFINITY : (double) NAN;
  else if (exponent == 0)
    value = ldexp ((double) mantissa, least - (int) m);
  else
    value = ldexp ((double) (mantissa | G_GUINT64_CONSTANT (1) << m), (int) exponent - 1 + least - (int) m);
  return bits >> (info->bits - 1) & 1 ? -value : value;
}

/* FP8 is converted by its bits, by us, so its denormals are as good as other numbers. */
gboolean
scalar_is_denormal (enum scalar scalar, guint64 bits)
{
  const struct scalar_info *info = &scalar_infos[scalar];

  return info->exponent_bits > 0 && info->bits > 8 && (bits >> info->mantissa_bits & low_bits (info->exponent_bits)) == 0
         && (bits & low_bits (info->mantissa_bits)) != 0;
}

guint64
scalar_bits (enum scalar scalar, double number)
{
  const struct scalar_info *info = &scalar_infos[scalar];

  switch (info->family)
    {
    case FAMILY_BOOL:
      return number != 0;
    case FAMILY_SIGNED:
      return (guint64) (gint64) number & low_bits (info->bits);
    case FAMILY_UNSIGNED:
      return (guint64) number & low_bits (info->bits);
    default:
      return float_bits (scalar, number);
    }
}

double
scalar_value (enum scalar scalar, guint64 bits)
{
  const struct scalar_info *info = &scalar_infos[scalar];

  switch (info->family)
    {
    case FAMILY_BOOL:
      return bits != 0;
    case FAMILY_SIGNED:
      return (double) ((gint64) (bits << (64 - info->bits)) >> (64 - info->bits));
    case FAMILY_UNSIGNED:
      return (double) bits;
    default:
      return float_value (scalar, bits);
    }
}

int
scalar_grain (enum scalar scalar, int grain)
{
  return scalar == SCALAR_HALF && grain < 0 ? -(-grain / HALF_GRAINS) : grain;
}

struct promise
scalar_promise (enum scalar from, enum scalar to, struct promise wanted)
{
  int grain = scalar_grain (to, wanted.grain);

  if (from == SCALAR_HALF && grain < 0)
    grain *= HALF_GRAINS;
  return (struct promise) { MAX (grain, GRAIN_LEAST), wanted.strict };
}
