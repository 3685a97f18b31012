/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/bounds.h"

#include <math.h>

#include "codegen/xir/xir.h"

/* What Vulkan says of a width. */
static const struct precision
{
  double ulp;                            /* one unit in the last place of a number, relative, at most */
  double largest, least;                 /* operands outside may leave the range on the way */
  double largest_result;
  double denormal;                       /* which are free */
  double exp_ulps, atan_ulps;
  double log_error, sin_error;           /* absolute, of log beside 1 */
} float_precision = { 0x1p-23, 1e17, 1e-15, 1e37, 1e-37, 3, 4096, 0x1p-21, 0x1p-11 },
  half_precision = { 0x1p-10, 100, 0x1p-4, 3e4, 0x1p-13, 1, 5, 0x1p-7, 0x1p-7 };

struct operation
{
  const struct precision *precision;
  double ulp;
  guint lanes, lane;
  const float (*operands)[16];
  double x, y, z;                        /* of this lane */
  double value, tolerance;
  double limit;                          /* the number of bounds.def */
};

typedef gboolean (*bounds_function) (struct operation *operation);   /* FALSE: there is no bound */

static gboolean
relative (struct operation *operation, double value, double ulps)
{
  operation->value = value;
  operation->tolerance = fabs (value) * ulps * operation->ulp;
  return TRUE;
}

static gboolean
absolute (struct operation *operation, double value, double tolerance)
{
  operation->value = value;
  operation->tolerance = tolerance;
  return TRUE;
}

/* The number of bounds.def is that of floats. */
static double
limit_or (const struct operation *o, double half)
{
  return o->precision == &half_precision ? half : o->limit;
}

/* Errors of exp2 (x) in ulps, and of log2 (x) as such, where other operations are made of them. */
static double
exp_ulps (const struct operation *o, double x)
{
  return o->precision->exp_ulps + 2 * fabs (x);
}

static double
log_error (const struct operation *o, double x, double value, double ulps)
{
  return x >= 0.5 && x <= 2 ? o->precision->log_error : ulps * o->ulp * fabs (value);
}

/* Of the root of a number that has lost its last digits. */
static double
root_error (const struct operation *o)
{
  return 1.5 * sqrt (o->ulp);
}

static gboolean
check_div (struct operation *o)
{
  return o->y != 0 && relative (o, o->x / o->y, o->limit);
}

static gboolean
check_sqrt (struct operation *o)
{
  return o->x >= 0 && relative (o, sqrt (o->x), o->limit);
}

static gboolean
check_rsqrt (struct operation *o)
{
  return o->x > 0 && relative (o, 1 / sqrt (o->x), o->limit);
}

static gboolean
check_exp (struct operation *o)
{
  return fabs (o->x) < 80 && relative (o, exp (o->x), limit_or (o, 1) + 2 * fabs (o->x));
}

static gboolean
check_exp2 (struct operation *o)
{
  return fabs (o->x) < 120 && relative (o, exp2 (o->x), limit_or (o, 1) + 2 * fabs (o->x));
}

/* exp2 (x * log2 (10)) */
static gboolean
check_exp10 (struct operation *o)
{
  double t = o->x * 3.3219280948873623;
  return fabs (o->x) < 35 && relative (o, pow (10, o->x), limit_or (o, 1) + 4 * fabs (t));
}

static gboolean
check_log (struct operation *o)
{
  return o->x > 0 && absolute (o, log (o->x), log_error (o, o->x, log (o->x), o->limit));
}

static gboolean
check_log2 (struct operation *o)
{
  return o->x > 0 && absolute (o, log2 (o->x), log_error (o, o->x, log2 (o->x), o->limit));
}

/* log2 (x) * log10 (2) */
static gboolean
check_log10 (struct operation *o)
{
  return o->x > 0 && absolute (o, log10 (o->x), log_error (o, o->x, log10 (o->x), 3) + o->limit * o->ulp * fabs (log10 (o->x)));
}

/* exp2 (y * log2 (x)) */
static gboolean
check_pow (struct operation *o)
{
  double l = log2 (o->x), t = o->y * l;
  if (!(o->x > 0) || fabs (t) > 100)
    return FALSE;
  return relative (o, pow (o->x, o->y), exp_ulps (o, t) + (fabs (o->y) * log_error (o, o->x, l, 3) + o->limit * fabs (t) * o->ulp) / o->ulp);
}

/* Products of products, and one division if n < 0. */
static gboolean
check_pow_int (struct operation *o)
{
  if (o->x == 0 || fabs (o->y) > 1000 || fabs (log2 (fabs (o->x)) * o->y) > 100)
    return FALSE;
  return relative (o, pow (o->x, o->y), fabs (o->y) + o->limit);
}

static gboolean
check_sin (struct operation *o)
{
  return fabs (o->x) <= G_PI && absolute (o, sin (o->x), limit_or (o, o->precision->sin_error));
}

static gboolean
check_cos (struct operation *o)
{
  return fabs (o->x) <= G_PI && absolute (o, cos (o->x), limit_or (o, o->precision->sin_error));
}

/* sin (x) / cos (x) */
static gboolean
check_tan (struct operation *o)
{
  double s = sin (o->x), c = fabs (cos (o->x)), error = o->precision->sin_error;
  return fabs (o->x) <= G_PI && c > 0.01
         && absolute (o, tan (o->x), error * (1 + fabs (s) / c) / (c - error) + o->limit * o->ulp * fabs (s) / c);
}

static gboolean
check_atan (struct operation *o)
{
  return relative (o, atan (o->x), limit_or (o, o->precision->atan_ulps));
}

static gboolean
check_atan2 (struct operation *o)
{
  return o->x != 0 && o->y != 0 && relative (o, atan2 (o->x, o->y), limit_or (o, o->precision->atan_ulps));
}

/* atan2 (x, sqrt (1 - x * x)): beside 1 the root has no more than half the digits. */
static gboolean
check_asin (struct operation *o)
{
  return fabs (o->x) <= 1 && absolute (o, asin (o->x), limit_or (o, o->precision->atan_ulps) * o->ulp * fabs (asin (o->x)) + root_error (o));
}

static gboolean
check_acos (struct operation *o)
{
  return fabs (o->x) <= 1 && absolute (o, acos (o->x), limit_or (o, o->precision->atan_ulps) * o->ulp * fabs (acos (o->x)) + root_error (o));
}

/* From exp (x) and exp (-x). */
static gboolean
check_sinh (struct operation *o)
{
  return fabs (o->x) < 80 && absolute (o, sinh (o->x), (limit_or (o, 3) + 2 * fabs (o->x)) * o->ulp * cosh (o->x));
}

static gboolean
check_cosh (struct operation *o)
{
  return fabs (o->x) < 80 && absolute (o, cosh (o->x), (limit_or (o, 3) + 2 * fabs (o->x)) * o->ulp * cosh (o->x));
}

static gboolean
check_tanh (struct operation *o)
{
  return fabs (o->x) < 40 && absolute (o, tanh (o->x), (limit_or (o, 8) + 4 * fabs (o->x)) * o->ulp);
}

/* log (x + sqrt (x * x + 1)) */
static gboolean
check_asinh (struct operation *o)
{
  return fabs (o->x) < 1e3
         && absolute (o, asinh (o->x), o->precision->log_error + (2 * o->x * o->x + 8) * o->ulp + o->limit * o->ulp * fabs (asinh (o->x)));
}

/* log (x + sqrt (x * x - 1)) */
static gboolean
check_acosh (struct operation *o)
{
  return o->x >= 1 && absolute (o, acosh (o->x), 2 * root_error (o) + o->limit * o->ulp * fabs (acosh (o->x)));
}

/* log ((1 + x) / (1 - x)) / 2 */
static gboolean
check_atanh (struct operation *o)
{
  return fabs (o->x) < 0.999
         && absolute (o, atanh (o->x), o->precision->log_error + 6 * o->ulp / (1 - fabs (o->x)) + o->limit * o->ulp * fabs (atanh (o->x)));
}

static gboolean
check_fma (struct operation *o)
{
  double value = o->x * o->y + o->z;
  return absolute (o, value, o->limit * (fabs (o->x * o->y) + fabs (value)) * o->ulp);
}

static gboolean
check_lerp (struct operation *o)
{
  return absolute (o, o->x * (1 - o->z) + o->y * o->z, (fabs (o->x) + fabs (o->y)) * (1 + fabs (o->z)) * o->limit * o->ulp);
}

static gboolean
check_smoothstep (struct operation *o)
{
  double width = o->y - o->x, t, error;
  if (!(o->x < o->y))
    return FALSE;
  t = CLAMP ((o->z - o->x) / width, 0, 1);
  error = (fabs (o->z) + 2 * fabs (o->x) + fabs (o->y)) * o->ulp / width + 4 * o->ulp;
  return absolute (o, t * t * (3 - 2 * t), 1.5 * error + o->limit * o->ulp);
}

/* Vectors. */

static double
sum_of_products (const struct operation *o, guint a, guint b, double *magnitude)
{
  double sum = 0;
  *magnitude = 0;
  for (guint i = 0; i < o->lanes; i++)
    {
      double product = (double) o->operands[a][i] * o->operands[b][i];
      sum += product;
      *magnitude += fabs (product);
    }
  return sum;
}

static gboolean
check_dot (struct operation *o)
{
  double magnitude, sum = sum_of_products (o, 0, 1, &magnitude);
  return absolute (o, sum, magnitude * (o->lanes + o->limit) * o->ulp);
}

static gboolean
check_length_squared (struct operation *o)
{
  double magnitude, sum = sum_of_products (o, 0, 0, &magnitude);
  return absolute (o, sum, magnitude * (o->lanes + o->limit) * o->ulp);
}

static gboolean
check_length (struct operation *o)
{
  double magnitude, sum = sum_of_products (o, 0, 0, &magnitude);
  return (sum == 0 || sum > 1e-30) && relative (o, sqrt (sum), o->limit + o->lanes);
}

static gboolean
check_normalize (struct operation *o)
{
  double magnitude, sum = sum_of_products (o, 0, 0, &magnitude);
  return sum > 1e-30 && relative (o, o->x / sqrt (sum), o->limit + o->lanes);
}

static gboolean
check_cross (struct operation *o)
{
  guint i = (o->lane + 1) % 3, j = (o->lane + 2) % 3;
  double a = (double) o->operands[0][i] * o->operands[1][j], b = (double) o->operands[0][j] * o->operands[1][i];
  return absolute (o, a - b, (fabs (a) + fabs (b)) * o->limit * o->ulp);
}

/* faceforward (n, i, reference): the sign is known where the product's is. */
static gboolean
check_faceforward (struct operation *o)
{
  double magnitude, sum = sum_of_products (o, 1, 2, &magnitude);
  return fabs (sum) > magnitude * o->limit * o->ulp && absolute (o, sum < 0 ? o->x : -o->x, 0);
}

/* reflect (i, n): i - 2 * dot (n, i) * n */
static gboolean
check_reflect (struct operation *o)
{
  double magnitude, sum = sum_of_products (o, 0, 1, &magnitude);
  return absolute (o, o->x - 2 * sum * o->y, 2 * fabs (o->y) * magnitude * (o->lanes + o->limit) * o->ulp + fabs (o->x) * 2 * o->ulp);
}

static const struct
{
  bounds_function check;
  double limit;
} bounds[XIR_N_OPS] = {
#define BOUND(op, check, limit, text) [XIR_OP_##op] = { check, limit },
#define BOUND_ELSEWHERE(op, text)
#include "tests/random/bounds.def"
#undef BOUND
#undef BOUND_ELSEWHERE
};

char *
bounds_check (guint op, gboolean is_half, guint lanes, guint lane, const float operands[3][16], float result)
{
  const struct precision *precision = is_half ? &half_precision : &float_precision;
  struct operation operation = { .precision = precision, .ulp = precision->ulp, .lanes = lanes, .lane = lane, .operands = operands, .x = operands[0][lane],
                                 .y = operands[1][lane], .z = operands[2][lane] };

  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < lanes; k++)
      if (!(fabsf (operands[i][k]) < (float) precision->largest) || (operands[i][k] != 0 && fabsf (operands[i][k]) < (float) precision->least))
        return NULL;
  if (op >= XIR_N_OPS || bounds[op].check == NULL)
    return g_strdup ("nothing, since its bound is not known");
  operation.limit = bounds[op].limit;
  if (!bounds[op].check (&operation) || fabs (operation.value) > precision->largest_result)
    return NULL;
  if (fabs (operation.value - result) <= operation.tolerance + precision->denormal)
    return NULL;
  return g_strdup_printf ("%.9g, give or take %.3g", operation.value, operation.tolerance);
}
