/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The evaluator against C written a second time: every op at every pair of edge
 * values. Floats are compared by their bits (NaNs as one), bounded ops within
 * units in the last place. */

#include "config.h"

#include "codegen/xir/evaluate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "codegen/xir/builder.h"
#include "tests/test-main.h"

static struct xir_context *context;
static struct xir_module *module;

static void
setup (void)
{
  context = xir_context_new ();
  module = xir_module_new (context, NULL);
}

static void
teardown (void)
{
  xir_module_free (module);
  xir_context_unref (context);
}

static float floats[64];
static int n_floats;
static const int32_t integers[] = {
  0, 1, -1, 2, -2, 3, -3, 7, 8, 31, 32, 33, 63, -31, 255, 256, 65535, 65536, 0x55555555, -0x55555555,
  INT32_MAX, INT32_MIN, INT32_MAX - 1, INT32_MIN + 1, 0x40000000, -0x40000000, 1000003, -1000003,
};

static void
make_floats (void)
{
  static const float positive[] = {
    0.0f, 1.0f, 0.5f, 0.25f, 1.5f, 2.0f, 2.5f, 3.0f, 3.5f, 10.0f, 0.1f, 100.25f, 8388607.5f, 8388608.0f, 16777215.0f,
    16777216.0f, 2147483520.0f, 2147483648.0f, 4294967040.0f, 4294967296.0f, 1e10f, 1e30f, FLT_MAX, FLT_MIN,
    1e-40f, 1e-45f, 3.14159274f, INFINITY
  };

  n_floats = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (positive); i++)
    {
      floats[n_floats++] = positive[i];
      floats[n_floats++] = -positive[i];
    }
  floats[n_floats++] = nextafterf (0.5f, 0.0f);
  floats[n_floats++] = nextafterf (0.5f, 1.0f);
  floats[n_floats++] = -nextafterf (0.5f, 0.0f);
  floats[n_floats++] = -nextafterf (0.5f, 1.0f);
  floats[n_floats++] = NAN;
}

static float
as_float (const struct xir_value *value)
{
  float result;

  ck_assert_ptr_nonnull (value);
  memcpy (&result, xir_value_constant (value)->data, sizeof result);
  return result;
}

static uint32_t
as_bits (const struct xir_value *value)
{
  uint32_t result = 0;

  ck_assert_ptr_nonnull (value);
  memcpy (&result, xir_value_constant (value)->data, (gsize) value->type->size);
  return result;
}

static uint32_t
bits_of (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static bool
same_float (float a,
            float b)
{
  return (isnan (a) && isnan (b)) || bits_of (a) == bits_of (b);
}

static struct xir_value *
evaluate_2 (enum xir_op op,
            struct xir_value *a,
            struct xir_value *b)
{
  struct xir_value *operands[] = { a, b };

  return xir_evaluate (module, op, NULL, operands, b != NULL ? 2 : 1, NULL);
}

static struct xir_value *
evaluate_3 (enum xir_op op,
            struct xir_value *a,
            struct xir_value *b,
            struct xir_value *c)
{
  struct xir_value *operands[] = { a, b, c };

  return xir_evaluate (module, op, NULL, operands, 3, NULL);
}

#define F(x) xir_constant_float (module, x)
#define I(x) xir_constant_int (module, x)
#define U(x) xir_constant_uint (module, x)

/* Floats, exact. */

static float add_f (float a, float b) { volatile float r = a + b; return r; }
static float sub_f (float a, float b) { volatile float r = a - b; return r; }
static float mul_f (float a, float b) { volatile float r = a * b; return r; }
static float div_f (float a, float b) { volatile float r = a / b; return r; }
static float min_f (float a, float b) { return fminf (a, b); }
static float max_f (float a, float b) { return fmaxf (a, b); }
static float step_f (float a, float b) { return b >= a ? 1.0f : 0.0f; }

static const struct
{
  enum xir_op op;
  float (*reference) (float a, float b);
} float_binary[] = {
  { XIR_OP_ADD, add_f }, { XIR_OP_SUB, sub_f }, { XIR_OP_MUL, mul_f }, { XIR_OP_DIV, div_f }, { XIR_OP_MOD, fmodf },
  { XIR_OP_MIN, min_f }, { XIR_OP_MAX, max_f }, { XIR_OP_STEP, step_f }, { XIR_OP_COPYSIGN, copysignf },
};

START_TEST (float_binary_ops)
{
  make_floats ();
  for (int i = 0; i < n_floats; i++)
    for (int k = 0; k < n_floats; k++)
      {
        float a = floats[i], b = floats[k];
        float is = as_float (evaluate_2 (float_binary[_i].op, F (a), F (b)));
        float should = float_binary[_i].reference (a, b);
        /* The sign of the smaller of two zeros is free. */
        bool free_zero = (float_binary[_i].op == XIR_OP_MIN || float_binary[_i].op == XIR_OP_MAX) && a == 0 && b == 0;

        ck_assert_msg (same_float (is, should) || (free_zero && is == 0), "%s (%a, %a) is %a, not %a",
                       xir_op_info (float_binary[_i].op)->mnemonic, (double) a, (double) b, (double) is,
                       (double) should);
      }
}
END_TEST

static float neg_f (float a) { return -a; }
static float fract_f (float a) { volatile float r = a - floorf (a); return r; }
static float saturate_f (float a) { return isnan (a) || a <= 0 ? 0.0f : a >= 1 ? 1.0f : a; }

static const struct
{
  enum xir_op op;
  float (*reference) (float a);
} float_unary[] = {
  { XIR_OP_NEG, neg_f }, { XIR_OP_ABS, fabsf }, { XIR_OP_CEIL, ceilf }, { XIR_OP_FLOOR, floorf },
  { XIR_OP_FRACT, fract_f }, { XIR_OP_TRUNC, truncf }, { XIR_OP_ROUND, roundf }, { XIR_OP_RINT, rintf },
  { XIR_OP_SATURATE, saturate_f }, { XIR_OP_SQRT, sqrtf },
};

START_TEST (float_unary_ops)
{
  make_floats ();
  for (int i = 0; i < n_floats; i++)
    {
      float is = as_float (evaluate_2 (float_unary[_i].op, F (floats[i]), NULL));
      float should = float_unary[_i].reference (floats[i]);
      bool free_zero = float_unary[_i].op == XIR_OP_SATURATE && is == 0 && should == 0;

      ck_assert_msg (same_float (is, should) || free_zero, "%s (%a) is %a, not %a",
                     xir_op_info (float_unary[_i].op)->mnemonic, (double) floats[i], (double) is, (double) should);
    }
}
END_TEST

START_TEST (rounding_by_the_table)
{
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_ROUND, F (0.5f), NULL)), 1.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_ROUND, F (-0.25f), NULL)), -0.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_ROUND, F (nextafterf (0.5f, 0)), NULL)), 0.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_ROUND, F (2.5f), NULL)), 3.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_RINT, F (2.5f), NULL)), 2.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_RINT, F (3.5f), NULL)), 4.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_RINT, F (-0.5f), NULL)), -0.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_MOD, F (-5.5f), F (2.0f))), -1.5f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_MOD, F (-4.0f), F (2.0f))), -0.0f));
  ck_assert (same_float (as_float (evaluate_3 (XIR_OP_CLAMP, F (NAN), F (1), F (2))), 1.0f));
  ck_assert (same_float (as_float (evaluate_3 (XIR_OP_CLAMP, F (5), F (NAN), F (2))), 2.0f));
  ck_assert (same_float (as_float (evaluate_3 (XIR_OP_CLAMP, F (5), F (1), F (NAN))), 5.0f));
  ck_assert (same_float (as_float (evaluate_3 (XIR_OP_CLAMP, F (5), F (3), F (1))), 1.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_MIN, F (NAN), F (3))), 3.0f));
  ck_assert (same_float (as_float (evaluate_2 (XIR_OP_MAX, F (3), F (NAN))), 3.0f));
  ck_assert (isnan (as_float (evaluate_2 (XIR_OP_MAX, F (NAN), F (NAN)))));
}
END_TEST

START_TEST (comparisons)
{
  make_floats ();
  for (int i = 0; i < n_floats; i++)
    for (int k = 0; k < n_floats; k++)
      {
        float a = floats[i], b = floats[k];

        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_LESS, F (a), F (b))), a < b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_GREATER, F (a), F (b))), a > b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_LESS_EQUAL, F (a), F (b))), a <= b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_GREATER_EQUAL, F (a), F (b))), a >= b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_EQUAL, F (a), F (b))), a == b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_NOT_EQUAL, F (a), F (b))), a != b);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (integers); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (integers); k++)
      {
        int32_t a = integers[i], b = integers[k];

        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_LESS, I (a), I (b))), a < b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_LESS, U ((uint32_t) a), U ((uint32_t) b))),
                           (uint32_t) a < (uint32_t) b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_GREATER_EQUAL, I (a), I (b))), a >= b);
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_NOT_EQUAL, I (a), I (b))), a != b);
      }
}
END_TEST

START_TEST (classes)
{
  make_floats ();
  for (int i = 0; i < n_floats; i++)
    {
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_ISNAN, F (floats[i]), NULL)), isnan (floats[i]) != 0);
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_ISINF, F (floats[i]), NULL)), isinf (floats[i]) != 0);
    }
}
END_TEST

/* Floats, bounded: against long double, two units in the last place. */

static long double exp10_l (long double a) { return powl (10.0L, a); }
static long double rsqrt_l (long double a) { return 1.0L / sqrtl (a); }

static const struct
{
  enum xir_op op;
  long double (*reference) (long double a);
} bounded_unary[] = {
  { XIR_OP_ACOS, acosl }, { XIR_OP_ACOSH, acoshl }, { XIR_OP_ASIN, asinl }, { XIR_OP_ASINH, asinhl },
  { XIR_OP_ATAN, atanl }, { XIR_OP_ATANH, atanhl }, { XIR_OP_COS, cosl }, { XIR_OP_COSH, coshl },
  { XIR_OP_SIN, sinl }, { XIR_OP_SINH, sinhl }, { XIR_OP_TAN, tanl }, { XIR_OP_TANH, tanhl }, { XIR_OP_EXP, expl },
  { XIR_OP_EXP2, exp2l }, { XIR_OP_EXP10, exp10_l }, { XIR_OP_LOG, logl }, { XIR_OP_LOG2, log2l },
  { XIR_OP_LOG10, log10l }, { XIR_OP_RSQRT, rsqrt_l },
};

static bool
is_close (float is,
          float should)
{
  if (isnan (is) || isnan (should))
    return isnan (is) && isnan (should);
  return is == should || is == nextafterf (should, INFINITY) || is == nextafterf (should, -INFINITY);
}

START_TEST (bounded_unary_ops)
{
  make_floats ();
  for (int i = 0; i < n_floats; i++)
    {
      float is = as_float (evaluate_2 (bounded_unary[_i].op, F (floats[i]), NULL));
      float should = (float) bounded_unary[_i].reference ((long double) floats[i]);

      ck_assert_msg (is_close (is, should), "%s (%a) is %a, not %a", xir_op_info (bounded_unary[_i].op)->mnemonic,
                     (double) floats[i], (double) is, (double) should);
    }
}
END_TEST

START_TEST (bounded_other_ops)
{
  ck_assert (is_close (as_float (evaluate_2 (XIR_OP_ATAN2, F (1), F (-1))), 2.3561945f));
  ck_assert (is_close (as_float (evaluate_2 (XIR_OP_POW, F (2), F (0.5f))), 1.4142135f));
  ck_assert (is_close (as_float (evaluate_2 (XIR_OP_POW_INT, F (-3), I (3))), -27.0f));
  ck_assert (is_close (as_float (evaluate_2 (XIR_OP_POW_INT, F (2), I (-2))), 0.25f));
  ck_assert (is_close (as_float (evaluate_3 (XIR_OP_FMA, F (3), F (4), F (5))), 17.0f));
  ck_assert (is_close (as_float (evaluate_3 (XIR_OP_LERP, F (2), F (6), F (0.25f))), 3.0f));
  ck_assert (same_float (as_float (evaluate_3 (XIR_OP_LERP, F (0.1f), F (0.7f), F (1))), 0.7f));
  ck_assert (is_close (as_float (evaluate_3 (XIR_OP_SMOOTHSTEP, F (0), F (2), F (1))), 0.5f));
  ck_assert (is_close (as_float (evaluate_3 (XIR_OP_SMOOTHSTEP, F (0), F (2), F (-1))), 0.0f));
  ck_assert (is_close (as_float (evaluate_3 (XIR_OP_SMOOTHSTEP, F (0), F (2), F (9))), 1.0f));
}
END_TEST

/* Integers. */

static int32_t
reference_integer (enum xir_op op,
                   int32_t a,
                   int32_t b)
{
  int64_t x = a, y = b;
  uint32_t u = (uint32_t) a, n = (uint32_t) b % 32;

  switch (op)
    {
    case XIR_OP_ADD: return (int32_t) (uint32_t) (x + y);
    case XIR_OP_SUB: return (int32_t) (uint32_t) (x - y);
    case XIR_OP_MUL: return (int32_t) (uint32_t) (x * y);
    case XIR_OP_DIV: return b == 0 ? a : (int32_t) (uint32_t) (x / y);
    case XIR_OP_MOD: return b == 0 ? 0 : (int32_t) (x % y);
    case XIR_OP_AND: return a & b;
    case XIR_OP_OR: return a | b;
    case XIR_OP_XOR: return a ^ b;
    case XIR_OP_MIN: return a < b ? a : b;
    case XIR_OP_MAX: return a > b ? a : b;
    case XIR_OP_SHIFT_LEFT: return (int32_t) (u << n);
    case XIR_OP_SHIFT_RIGHT: return (int32_t) (x >> n);
    case XIR_OP_ROTATE_LEFT: return (int32_t) ((uint64_t) u * 0x100000001u >> (32 - n));
    case XIR_OP_ROTATE_RIGHT: return (int32_t) ((uint64_t) u * 0x100000001u >> n);
    default: ck_abort (); return 0;
    }
}

static uint32_t
reference_unsigned (enum xir_op op,
                    uint32_t a,
                    uint32_t b)
{
  switch (op)
    {
    case XIR_OP_DIV: return b == 0 ? a : a / b;
    case XIR_OP_MOD: return b == 0 ? 0 : a % b;
    case XIR_OP_MIN: return a < b ? a : b;
    case XIR_OP_MAX: return a > b ? a : b;
    case XIR_OP_SHIFT_RIGHT: return a >> b % 32;
    default: return (uint32_t) reference_integer (op, (int32_t) a, (int32_t) b);
    }
}

static const enum xir_op integer_binary[] = {
  XIR_OP_ADD, XIR_OP_SUB, XIR_OP_MUL, XIR_OP_DIV, XIR_OP_MOD, XIR_OP_AND, XIR_OP_OR, XIR_OP_XOR, XIR_OP_MIN,
  XIR_OP_MAX, XIR_OP_SHIFT_LEFT, XIR_OP_SHIFT_RIGHT, XIR_OP_ROTATE_LEFT, XIR_OP_ROTATE_RIGHT
};

START_TEST (integer_binary_ops)
{
  enum xir_op op = integer_binary[_i];

  for (gsize i = 0; i < G_N_ELEMENTS (integers); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (integers); k++)
      {
        int32_t a = integers[i], b = integers[k];
        uint32_t is = as_bits (evaluate_2 (op, I (a), I (b)));

        ck_assert_msg ((int32_t) is == reference_integer (op, a, b), "%s (%d, %d) is %d, not %d",
                       xir_op_info (op)->mnemonic, a, b, (int32_t) is, reference_integer (op, a, b));
        is = as_bits (evaluate_2 (op, U ((uint32_t) a), U ((uint32_t) b)));
        ck_assert_msg (is == reference_unsigned (op, (uint32_t) a, (uint32_t) b), "%s (%uu, %uu) is %u",
                       xir_op_info (op)->mnemonic, (uint32_t) a, (uint32_t) b, is);
      }
}
END_TEST

START_TEST (integers_by_the_table)
{
  ck_assert_int_eq ((int32_t) as_bits (evaluate_2 (XIR_OP_DIV, I (INT32_MIN), I (-1))), INT32_MIN);
  ck_assert_int_eq ((int32_t) as_bits (evaluate_2 (XIR_OP_MOD, I (INT32_MIN), I (-1))), 0);
  ck_assert_int_eq ((int32_t) as_bits (evaluate_2 (XIR_OP_DIV, I (7), I (0))), 7);
  ck_assert_int_eq ((int32_t) as_bits (evaluate_2 (XIR_OP_SHIFT_LEFT, I (1), I (33))), 2);
  ck_assert_int_eq ((int32_t) as_bits (evaluate_2 (XIR_OP_SHIFT_RIGHT, I (-8), I (-31))), -4);
  for (gsize i = 0; i < G_N_ELEMENTS (integers); i++)
    {
      uint32_t u = (uint32_t) integers[i], reversed = 0;

      for (int k = 0; k < 32; k++)
        reversed |= (u >> k & 1) << (31 - k);
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_CLZ, U (u), NULL)), u == 0 ? 32 : (uint32_t) __builtin_clz (u));
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_CTZ, U (u), NULL)), u == 0 ? 32 : (uint32_t) __builtin_ctz (u));
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_POPCOUNT, U (u), NULL)), (uint32_t) __builtin_popcount (u));
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_REVERSE, U (u), NULL)), reversed);
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_NOT, U (u), NULL)), ~u);
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_NEG, I ((int32_t) u), NULL)), 0 - u);
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_ABS, I ((int32_t) u), NULL)), (int32_t) u < 0 ? 0 - u : u);
      ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_ABS, U (u), NULL)), u);
    }
  ck_assert_int_eq ((int32_t) as_bits (evaluate_3 (XIR_OP_CLAMP, I (-9), I (-3), I (4))), -3);
  ck_assert_uint_eq (as_bits (evaluate_3 (XIR_OP_CLAMP, U (9), U (3), U (4))), 4);
}
END_TEST

/* All widths by brute force at 8 bits, by edges at 16 and 64. */
START_TEST (other_widths)
{
  const struct xir_type *tiny = xir_type_scalar (context, XIR_TYPE_INT8);
  const struct xir_type *large = xir_type_scalar (context, XIR_TYPE_INT64);
  const int64_t smallest = INT64_MIN, minus_one = -1;

  for (int a = -128; a < 128; a++)
    for (int b = -128; b < 128; b += 5)
      {
        struct xir_value *x = xir_constant_get (module, tiny, &(int8_t) { (int8_t) a });
        struct xir_value *y = xir_constant_get (module, tiny, &(int8_t) { (int8_t) b });

        ck_assert_int_eq ((int8_t) as_bits (evaluate_2 (XIR_OP_MUL, x, y)), (int8_t) (a * b));
        ck_assert_int_eq ((int8_t) as_bits (evaluate_2 (XIR_OP_DIV, x, y)), (int8_t) (b == 0 ? a : a / b));
        ck_assert_int_eq ((int8_t) as_bits (evaluate_2 (XIR_OP_SHIFT_RIGHT, x, y)), (int8_t) (a >> (b & 7)));
        ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_LESS, x, y)), a < b);
      }
  struct xir_value *x = xir_constant_get (module, large, &smallest);
  struct xir_value *y = xir_constant_get (module, large, &minus_one);
  int64_t result;

  ck_assert (xir_constant_to_int (evaluate_2 (XIR_OP_DIV, x, y), &result) && result == INT64_MIN);
  ck_assert (xir_constant_to_int (evaluate_2 (XIR_OP_MOD, x, y), &result) && result == 0);
  ck_assert (xir_constant_to_int (evaluate_2 (XIR_OP_ADD, x, y), &result) && result == INT64_MAX);
}
END_TEST

/* Conversions. */

static struct xir_value *
cast (struct xir_value *value,
      enum xir_type_kind to)
{
  return xir_evaluate (module, XIR_OP_CAST, xir_type_with_scalar (context, value->type, to), &value, 1, NULL);
}

START_TEST (conversions)
{
  make_floats ();
  for (int i = 0; i < n_floats; i++)
    {
      float f = floats[i];
      int32_t to_int = isnan (f) ? 0 : f >= 2147483648.0f ? INT32_MAX : f < -2147483648.0f ? INT32_MIN : (int32_t) f;
      uint32_t to_uint = isnan (f) || f <= -1 ? 0 : f >= 4294967296.0f ? UINT32_MAX : f < 0 ? 0 : (uint32_t) f;

      ck_assert_int_eq ((int32_t) as_bits (cast (F (f), XIR_TYPE_INT32)), to_int);
      ck_assert_uint_eq (as_bits (cast (F (f), XIR_TYPE_UINT32)), to_uint);
      ck_assert_uint_eq (as_bits (cast (F (f), XIR_TYPE_BOOL)), !(f == 0));
      ck_assert (same_float (as_float (cast (cast (F (f), XIR_TYPE_FLOAT64), XIR_TYPE_FLOAT32)), f));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (integers); i++)
    {
      int32_t n = integers[i];

      ck_assert (same_float (as_float (cast (I (n), XIR_TYPE_FLOAT32)), (float) n));
      ck_assert (same_float (as_float (cast (U ((uint32_t) n), XIR_TYPE_FLOAT32)), (float) (uint32_t) n));
      ck_assert_uint_eq (as_bits (cast (I (n), XIR_TYPE_BOOL)), n != 0);
      ck_assert_uint_eq (as_bits (cast (I (n), XIR_TYPE_UINT32)), (uint32_t) n);
      ck_assert_uint_eq (as_bits (cast (I (n), XIR_TYPE_UINT8)), (uint8_t) n);
    }
  ck_assert (same_float (as_float (cast (I (16777217), XIR_TYPE_FLOAT32)), 16777216.0f));
  ck_assert (same_float (as_float (cast (I (16777219), XIR_TYPE_FLOAT32)), 16777220.0f));
  ck_assert (same_float (as_float (cast (xir_constant_bool (module, true), XIR_TYPE_FLOAT32)), 1.0f));
  ck_assert_int_eq ((int32_t) as_bits (cast (xir_constant_bool (module, true), XIR_TYPE_INT32)), 1);
}
END_TEST

/* Every half goes to float and back; ties and limits of the way back. */
START_TEST (halves)
{
  static const struct { float from; uint32_t to; } rows[] = {
    { 1.0f, 0x3c00 }, { -2.0f, 0xc000 }, { 65504.0f, 0x7bff }, { 65519.99f, 0x7bff }, { 65520.0f, 0x7c00 },
    { 1e10f, 0x7c00 }, { -INFINITY, 0xfc00 }, { 0.0f, 0 }, { -0.0f, 0x8000 }, { 5.9604645e-8f, 1 },
    { 2.9802322e-8f, 0 }, { 2.9802326e-8f, 1 }, { 6.1035156e-5f, 0x0400 }, { 6.0975552e-5f, 0x03ff },
    { 1.00048828125f, 0x3c00 }, { 1.00146484375f, 0x3c02 }, { 2047.5f, 0x67ff + 1 }, { 6.1020255e-5f, 0x0400 },
  };
  const struct xir_type *half = xir_type_scalar (context, XIR_TYPE_FLOAT16);

  for (uint32_t i = 0; i < 0x10000; i++)
    {
      uint16_t bits = (uint16_t) i;
      struct xir_value *value = xir_constant_get (module, half, &bits);
      uint32_t back = as_bits (cast (cast (value, XIR_TYPE_FLOAT32), XIR_TYPE_FLOAT16));

      ck_assert_uint_eq (back, (i & 0x7fff) > 0x7c00 ? 0x7e00 : i);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    ck_assert_msg (as_bits (cast (F (rows[i].from), XIR_TYPE_FLOAT16)) == rows[i].to, "half of %a is %04x",
                   (double) rows[i].from, as_bits (cast (F (rows[i].from), XIR_TYPE_FLOAT16)));
}
END_TEST

/* The narrow floats, from their definitions: a number is found by looking through
 * all that there are for the nearest one. */

static const struct narrow
{
  enum xir_type_kind kind;
  uint32_t width;
  uint32_t first_special;        /* the first magnitude that is no finite number */
  uint32_t overflow;
  uint32_t nan;
  bool has_infinity;
} narrows[] = {
  { XIR_TYPE_FLOAT16, 16, 0x7c00, 0x7c00, 0x7e00, true },
  { XIR_TYPE_BFLOAT16, 16, 0x7f80, 0x7f80, 0x7fc0, true },
  { XIR_TYPE_FLOAT8_E4M3, 8, 0x7f, 0x7e, 0x7f, false },
  { XIR_TYPE_FLOAT8_E5M2, 8, 0x7c, 0x7b, 0x7e, true },
};

/* Magnitudes only, the first that is no finite number as if the exponent went on. */
static double
narrow_magnitude (enum xir_type_kind kind,
                  uint32_t bits)
{
  uint32_t mantissa_bits = kind == XIR_TYPE_FLOAT16 ? 10 : kind == XIR_TYPE_BFLOAT16 ? 7
                           : kind == XIR_TYPE_FLOAT8_E4M3 ? 3 : 2;
  int bias = kind == XIR_TYPE_BFLOAT16 ? 127 : kind == XIR_TYPE_FLOAT8_E4M3 ? 7 : 15;
  uint32_t steps = 1u << mantissa_bits, exponent = bits / steps;
  double fraction = (double) (bits % steps) / steps;

  return exponent == 0 ? fraction * pow (2, 1 - bias) : (1 + fraction) * pow (2, (int) exponent - bias);
}

static uint64_t
cast_double (double real,
             enum xir_type_kind to)
{
  const struct xir_type *type = xir_type_scalar (context, XIR_TYPE_FLOAT64);

  return as_bits (cast (xir_constant_get (module, type, &real), to));
}

static double
as_double (const struct xir_value *value)
{
  double result;

  ck_assert_ptr_nonnull (value);
  memcpy (&result, xir_value_constant (value)->data, sizeof result);
  return result;
}

START_TEST (narrow_floats_are_read)
{
  const struct narrow *narrow = &narrows[_i];
  const struct xir_type *type = xir_type_scalar (context, narrow->kind);
  uint32_t sign = 1u << (narrow->width - 1);

  for (uint32_t i = 0; i < 1u << narrow->width; i++)
    {
      uint8_t data[2] = { (uint8_t) i, (uint8_t) (i >> 8) };
      struct xir_value *value = xir_constant_get (module, type, data);
      double is = as_double (cast (value, XIR_TYPE_FLOAT64)), magnitude = narrow_magnitude (narrow->kind, i % sign);

      if (i % sign == narrow->first_special && narrow->has_infinity)
        magnitude = INFINITY;
      else if (i % sign >= narrow->first_special)
        magnitude = NAN;
      ck_assert_msg (isnan (magnitude) ? isnan (is) : fabs (is) == magnitude && (signbit (is) != 0) == (i >= sign),
                     "%x is %a, not %a", i, is, magnitude);
      ck_assert (same_float (as_float (cast (value, XIR_TYPE_FLOAT32)), (float) is));
      ck_assert_uint_eq (as_bits (cast (value, XIR_TYPE_BOOL)), !(is == 0));
      ck_assert_int_eq ((int32_t) as_bits (cast (value, XIR_TYPE_INT32)),
                        (int32_t) as_bits (cast (F ((float) is), XIR_TYPE_INT32)));
      ck_assert_uint_eq (cast_double (is, narrow->kind),
                         isnan (is) ? narrow->nan : isinf (is) ? (i & sign) + narrow->overflow : i);
    }
}
END_TEST

/* Each number, the middle to the next one, and the least more and less than these. */
START_TEST (narrow_floats_are_rounded)
{
  const struct narrow *narrow = &narrows[_i];
  uint32_t sign = 1u << (narrow->width - 1);

  for (uint32_t i = 0; i < narrow->first_special; i++)
    {
      double here = narrow_magnitude (narrow->kind, i), next = narrow_magnitude (narrow->kind, i + 1);
      double middle = (here + next) / 2;
      uint32_t up = i + 1 == narrow->first_special ? narrow->overflow : i + 1, to_even = i % 2 == 0 ? i : up;

      ck_assert_uint_eq (cast_double (here, narrow->kind), i);
      ck_assert_uint_eq (cast_double (-here, narrow->kind), i + sign);
      ck_assert_uint_eq (cast_double (nextafter (middle, 0), narrow->kind), i);
      ck_assert_uint_eq (cast_double (nextafter (middle, INFINITY), narrow->kind), up);
      ck_assert_uint_eq (cast_double (middle, narrow->kind), to_even);
      ck_assert_uint_eq (cast_double (-middle, narrow->kind), to_even + sign);
      if ((double) (float) middle == middle)
        ck_assert_uint_eq (as_bits (cast (F ((float) middle), narrow->kind)), to_even);
    }
  ck_assert_uint_eq (cast_double (1e300, narrow->kind), narrow->overflow);
  ck_assert_uint_eq (cast_double (-INFINITY, narrow->kind), narrow->overflow + sign);
  ck_assert_uint_eq (cast_double (-NAN, narrow->kind), narrow->nan);
  ck_assert_uint_eq (cast_double (1e-300, narrow->kind), 0);
}
END_TEST

/* Integers of 64 bits are rounded once, not to double first. */
START_TEST (narrow_floats_of_integers)
{
  const struct xir_type *large = xir_type_scalar (context, XIR_TYPE_INT64);
  static const struct { int64_t from; uint32_t bfloat, single; } rows[] = {
    { 0, 0, 0 }, { -1, 0xbf80, 0xbf800000 }, { 257, 0x4380, 0x43808000 }, { 259, 0x4382, 0x43818000 },
    { (INT64_C (0x101) << 54) + 1, 0x5e81, 0x5e808000 }, { INT64_C (0x101) << 54, 0x5e80, 0x5e808000 },
    { -(INT64_C (0x101) << 54) - 1, 0xde81, 0xde808000 }, { INT64_MAX, 0x5f00, 0x5f000000 },
    { (INT64_C (0x1000001) << 38) + 1, 0x5e80, 0x5e800001 }, { INT64_MIN, 0xdf00, 0xdf000000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      struct xir_value *value = xir_constant_get (module, large, &rows[i].from);

      ck_assert_uint_eq (as_bits (cast (value, XIR_TYPE_BFLOAT16)), rows[i].bfloat);
      ck_assert_uint_eq (as_bits (cast (value, XIR_TYPE_FLOAT32)), rows[i].single);
    }
  ck_assert_uint_eq (as_bits (cast (I (1000), XIR_TYPE_FLOAT8_E4M3)), 0x7e);
  ck_assert_uint_eq (as_bits (cast (xir_constant_bool (module, true), XIR_TYPE_FLOAT8_E5M2)), 0x3c);
}
END_TEST

/* They are moved and converted, nothing else. */
START_TEST (storage_floats_are_not_computed_with)
{
  struct xir_value *one = cast (F (1), XIR_TYPE_BFLOAT16), *two = cast (F (2), XIR_TYPE_BFLOAT16);

  ck_assert_ptr_null (evaluate_2 (XIR_OP_ADD, one, two));
  ck_assert_ptr_null (evaluate_2 (XIR_OP_LESS, one, two));
  ck_assert_ptr_null (evaluate_2 (XIR_OP_NEG, one, NULL));
  ck_assert_ptr_eq (evaluate_3 (XIR_OP_SELECT, one, two, xir_constant_bool (module, true)), two);
}
END_TEST

START_TEST (bitcasts)
{
  struct xir_value *value = U (0x7fc00123);
  struct xir_value *as_real
    = xir_evaluate (module, XIR_OP_BITCAST, xir_type_scalar (context, XIR_TYPE_FLOAT32), &value, 1, NULL);

  ck_assert_uint_eq (as_bits (as_real), 0x7fc00123);
  ck_assert_uint_eq (as_bits (evaluate_2 (XIR_OP_NEG, as_real, NULL)), 0xffc00123);
  ck_assert_ptr_null (xir_evaluate (module, XIR_OP_BITCAST, xir_type_scalar (context, XIR_TYPE_FLOAT64), &value, 1,
                                    NULL));
}
END_TEST

/* Vectors and composites. */

static struct xir_value *
float_vector (uint32_t lanes,
              const float *values)
{
  uint8_t data[16] = { 0 };

  memcpy (data, values, lanes * sizeof *values);
  return xir_constant_get (module, xir_type_vector (context, xir_type_scalar (context, XIR_TYPE_FLOAT32), lanes),
                           data);
}

#define V3(...) float_vector (3, (const float[]) { __VA_ARGS__ })

START_TEST (vectors)
{
  struct xir_value *a = V3 (1, 2, 3), *b = V3 (4, -5, 6);

  ck_assert_ptr_eq (evaluate_2 (XIR_OP_ADD, a, b), V3 (5, -3, 9));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_NEG, a, NULL), V3 (-1, -2, -3));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_DOT, a, b), F (12));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_CROSS, a, b), V3 (27, 6, -13));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_LENGTH, V3 (2, 3, 6), NULL), F (7));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_LENGTH_SQUARED, a, NULL), F (14));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_NORMALIZE, V3 (0, -3, 4), NULL), V3 (0, -0.6f, 0.8f));
  ck_assert_ptr_eq (evaluate_3 (XIR_OP_FACEFORWARD, a, b, V3 (0, 1, 0)), a);
  ck_assert_ptr_eq (evaluate_3 (XIR_OP_FACEFORWARD, a, b, V3 (1, 0, 0)), V3 (-1, -2, -3));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_REFLECT, V3 (1, -1, 0), V3 (0, 1, 0)), V3 (1, 1, 0));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_REDUCE_SUM, V3 (1e8f, 1, -1e8f), NULL), F (0));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_REDUCE_PRODUCT, a, NULL), F (6));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_REDUCE_MIN, b, NULL), F (-5));
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_REDUCE_MAX, V3 (NAN, 2, 1), NULL), F (2));
  ck_assert_ptr_null (evaluate_2 (XIR_OP_CROSS, float_vector (2, (const float[]) { 1, 2 }),
                                  float_vector (2, (const float[]) { 1, 2 })));
}
END_TEST

START_TEST (bools)
{
  const struct xir_type *bool3 = xir_type_vector (context, xir_type_scalar (context, XIR_TYPE_BOOL), 3);
  struct xir_value *mixed = xir_constant_get (module, bool3, "\1\0\1\0");
  struct xir_value *all = xir_constant_get (module, bool3, "\1\1\1\0");
  struct xir_value *yes = xir_constant_bool (module, true), *no = xir_constant_bool (module, false);

  ck_assert_ptr_eq (evaluate_2 (XIR_OP_LESS, V3 (1, 5, 2), V3 (2, 4, 3)), mixed);
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_ALL, mixed, NULL), no);
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_ANY, mixed, NULL), yes);
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_ALL, all, NULL), yes);
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_ALL, yes, NULL), yes);
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_NOT, yes, NULL), no);
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_XOR, yes, yes), no);
  ck_assert_ptr_eq (evaluate_2 (XIR_OP_EQUAL, mixed, mixed), all);
  ck_assert_ptr_eq (evaluate_3 (XIR_OP_SELECT, V3 (1, 2, 3), V3 (4, 5, 6), mixed), V3 (4, 2, 6));
  ck_assert_ptr_eq (evaluate_3 (XIR_OP_SELECT, F (1), F (2), no), F (1));
  ck_assert_ptr_eq (evaluate_3 (XIR_OP_SELECT, V3 (1, 2, 3), V3 (4, 5, 6), yes), V3 (4, 5, 6));
  ck_assert_ptr_null (evaluate_2 (XIR_OP_ADD, yes, yes));
}
END_TEST

START_TEST (composites)
{
  const struct xir_type *number = xir_type_scalar (context, XIR_TYPE_FLOAT32);
  const struct xir_type *vector = xir_type_vector (context, number, 3);
  const struct xir_type *array = xir_type_array (context, vector, 2);
  const struct xir_type *members[] = { xir_type_scalar (context, XIR_TYPE_INT32), array };
  const struct xir_type *record = xir_type_structure (context, 0, members, 2);
  struct xir_value *parts[] = { V3 (1, 2, 3), V3 (4, 5, 6) }, *fields[2], *operands[6], *whole;

  fields[0] = I (7);
  fields[1] = xir_evaluate (module, XIR_OP_AGGREGATE, array, parts, 2, NULL);
  whole = xir_evaluate (module, XIR_OP_AGGREGATE, record, fields, 2, NULL);
  ck_assert_ptr_nonnull (whole);
  operands[0] = whole;
  operands[1] = I (1);
  operands[2] = U (1);
  operands[3] = I (2);
  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_EXTRACT, number, operands, 4, NULL), F (6));
  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_EXTRACT, vector, operands, 3, NULL), parts[1]);
  operands[3] = I (3);
  ck_assert_ptr_null (xir_evaluate (module, XIR_OP_EXTRACT, number, operands, 4, NULL));
  operands[3] = I (-1);
  ck_assert_ptr_null (xir_evaluate (module, XIR_OP_EXTRACT, number, operands, 4, NULL));

  operands[1] = F (9);
  operands[2] = I (1);
  operands[3] = I (0);
  operands[4] = I (1);
  whole = xir_evaluate (module, XIR_OP_INSERT, NULL, operands, 5, NULL);
  operands[0] = whole;
  operands[1] = I (1);
  operands[2] = I (0);
  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_EXTRACT, vector, operands, 3, NULL), V3 (1, 9, 3));

  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_SHUFFLE, vector, parts, 1, (const uint8_t[]) { 2, 2, 0 }),
                    V3 (3, 3, 1));
  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_SHUFFLE, number, parts, 1, (const uint8_t[]) { 1 }), F (2));
  ck_assert_ptr_null (xir_evaluate (module, XIR_OP_SHUFFLE, number, parts, 1, (const uint8_t[]) { 3 }));
}
END_TEST

/* Values are those of tests/cases/matrix-folded.gk; here what these do not show. */
START_TEST (matrices)
{
  const struct xir_type *type = xir_type_parse (context, "matrix<2>"), *number = xir_type_scalar (context, XIR_TYPE_FLOAT32);
  static const float numbers[] = { 1, 2, 3, 4 };
  struct xir_value *matrix = xir_constant_get (module, type, numbers), *operands[] = { F (8), matrix }, *at = I (1), *result;
  struct xir_value *path[] = { NULL, at, at };

  /* A scalar on the left, of one rounding. */
  result = xir_evaluate (module, XIR_OP_MATRIX_DIV, type, operands, 2, NULL);
  path[0] = result;
  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_EXTRACT, number, path, 3, NULL), F (2));
  path[2] = I (0);
  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_EXTRACT, number, path, 3, NULL), F (8.0f / 3.0f));
  ck_assert_ptr_eq (xir_evaluate (module, XIR_OP_MATRIX_DETERMINANT, number, &matrix, 1, NULL), F (-2));
  /* No matrix among them. */
  operands[1] = F (2);
  ck_assert_ptr_null (xir_evaluate (module, XIR_OP_MATRIX_ADD, number, operands, 2, NULL));
}
END_TEST

/* Each op of the table that says FOLD is known, the others are not. */
START_TEST (fold_column_is_true)
{
  struct xir_value *vector = V3 (0.5f, 0.25f, 0.75f), *operands[3];
  const struct xir_type *uint3 = xir_type_vector (context, xir_type_scalar (context, XIR_TYPE_UINT32), 3);

  for (int op = 0; op < XIR_N_OPS; op++)
    {
      const struct xir_op_info *info = xir_op_info (op);
      const struct xir_type *type = vector->type;

      if (op == XIR_OP_AGGREGATE || op == XIR_OP_INSERT || op == XIR_OP_EXTRACT || op == XIR_OP_SHUFFLE)
        continue;
      for (int i = 0; i < 3; i++)
        operands[i] = vector;
      if (info->operands == XIR_OPERANDS_INTBOOL || info->operands == XIR_OPERANDS_SHIFT
          || info->operands == XIR_OPERANDS_UNSIGNED || info->operands == XIR_OPERANDS_INTEGER)
        operands[0] = operands[1] = operands[2] = xir_constant_zero (module, uint3);
      if (op >= XIR_OP_OUTER_PRODUCT && op <= XIR_OP_MATRIX_INVERSE)
        {
          operands[0] = operands[1] = xir_constant_zero (module, xir_type_parse (context, "matrix<3>"));
          type = op == XIR_OP_MATRIX_DETERMINANT ? xir_type_scalar_of (vector->type) : operands[0]->type;
        }
      if (info->operands == XIR_OPERANDS_BOOLEAN)
        operands[0] = evaluate_2 (XIR_OP_LESS, vector, vector);
      if (op == XIR_OP_SELECT)
        operands[2] = evaluate_2 (XIR_OP_LESS, vector, vector);
      if (op == XIR_OP_POW_INT)
        operands[1] = cast (vector, XIR_TYPE_INT32);
      ck_assert_msg ((xir_evaluate (module, op, type, operands, (uint32_t) MAX (1, info->min_operands), NULL) != NULL)
                     == ((info->flags & XIR_FLAG_FOLD) != 0), "%s", info->mnemonic);
    }
  operands[0] = xir_undefined_get (module, vector->type);
  ck_assert_ptr_null (evaluate_2 (XIR_OP_ADD, operands[0], vector));
}
END_TEST

START_TEST (classes_of_ops)
{
  const struct xir_type *number = xir_type_scalar (context, XIR_TYPE_FLOAT32);
  const struct xir_type *integer = xir_type_scalar (context, XIR_TYPE_INT32);

  ck_assert_int_eq (xir_op_class (XIR_OP_DIV, number), XIR_CLASS_BOUNDED);
  ck_assert_int_eq (xir_op_class (XIR_OP_DIV, integer), XIR_CLASS_EXACT);
  ck_assert_int_eq (xir_op_class (XIR_OP_MOD, number), XIR_CLASS_EXACT);
  ck_assert_int_eq (xir_op_class (XIR_OP_SQRT, number), XIR_CLASS_BOUNDED);
  ck_assert_int_eq (xir_op_class (XIR_OP_LOAD, number), XIR_CLASS_NONE);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("evaluate");
  TCase *test_case = gb_test_case (suite, "evaluate");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_loop_test (test_case, float_binary_ops, 0, G_N_ELEMENTS (float_binary));
  tcase_add_loop_test (test_case, float_unary_ops, 0, G_N_ELEMENTS (float_unary));
  tcase_add_test (test_case, rounding_by_the_table);
  tcase_add_test (test_case, comparisons);
  tcase_add_test (test_case, classes);
  tcase_add_loop_test (test_case, bounded_unary_ops, 0, G_N_ELEMENTS (bounded_unary));
  tcase_add_test (test_case, bounded_other_ops);
  tcase_add_loop_test (test_case, integer_binary_ops, 0, G_N_ELEMENTS (integer_binary));
  tcase_add_test (test_case, integers_by_the_table);
  tcase_add_test (test_case, other_widths);
  tcase_add_test (test_case, conversions);
  tcase_add_test (test_case, halves);
  tcase_add_loop_test (test_case, narrow_floats_are_read, 0, G_N_ELEMENTS (narrows));
  tcase_add_loop_test (test_case, narrow_floats_are_rounded, 0, G_N_ELEMENTS (narrows));
  tcase_add_test (test_case, narrow_floats_of_integers);
  tcase_add_test (test_case, storage_floats_are_not_computed_with);
  tcase_add_test (test_case, bitcasts);
  tcase_add_test (test_case, vectors);
  tcase_add_test (test_case, bools);
  tcase_add_test (test_case, composites);
  tcase_add_test (test_case, matrices);
  tcase_add_test (test_case, fold_column_is_true);
  tcase_add_test (test_case, classes_of_ops);
  return suite;
}

GB_TEST_MAIN (make_suite)
