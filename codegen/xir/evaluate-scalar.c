/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The arithmetic table of gabbro-kernel(5), one lane at a time. */

#include "config.h"

#include "codegen/xir/evaluate-private.h"

#include <math.h>
#include <string.h>

bool
evaluate_is_float (enum xir_type_kind kind)
{
  return kind == XIR_TYPE_FLOAT16 || kind == XIR_TYPE_FLOAT32 || kind == XIR_TYPE_FLOAT64;
}

bool
evaluate_is_real (enum xir_type_kind kind)
{
  return evaluate_is_float (kind) || kind == XIR_TYPE_BFLOAT16
         || kind == XIR_TYPE_FLOAT8_E4M3 || kind == XIR_TYPE_FLOAT8_E5M2;
}

bool
evaluate_is_integer (enum xir_type_kind kind)
{
  return kind >= XIR_TYPE_INT8 && kind <= XIR_TYPE_UINT64;
}

bool
evaluate_is_signed (enum xir_type_kind kind)
{
  return evaluate_is_integer (kind) && (kind - XIR_TYPE_INT8) % 2 == 0;
}

static uint64_t
mask_of (uint32_t width)
{
  return width == 64 ? ~UINT64_C (0) : (UINT64_C (1) << width) - 1;
}

static int64_t
sign_extend (uint64_t bits,
             uint32_t width)
{
  if (width < 64 && (bits >> (width - 1) & 1) != 0)
    bits |= ~mask_of (width);
  return (int64_t) bits;
}

void
evaluate_load (enum xir_type_kind kind,
               const uint8_t *data,
               struct evaluate_lane *out)
{
  uint16_t half;
  uint32_t word;

  out->real = 0;
  switch (evaluate_width (kind))
    {
    case 1:
    case 8:
      out->bits = *data;
      break;
    case 16:
      memcpy (&half, data, sizeof half);
      out->bits = half;
      break;
    case 32:
      memcpy (&word, data, sizeof word);
      out->bits = word;
      break;
    default:
      memcpy (&out->bits, data, sizeof out->bits);
      break;
    }
  if (evaluate_is_real (kind))
    out->real = evaluate_real_of_bits (kind, out->bits);
}

void
evaluate_set_real (enum xir_type_kind kind,
                   double real,
                   struct evaluate_lane *out)
{
  out->bits = evaluate_bits_of_real (kind, real);
  out->real = evaluate_real_of_bits (kind, out->bits);
}

void
evaluate_store (enum xir_type_kind kind,
                const struct evaluate_lane *lane,
                uint8_t *data)
{
  uint8_t byte = (uint8_t) lane->bits;
  uint16_t half = (uint16_t) lane->bits;
  uint32_t word = (uint32_t) lane->bits;

  switch (evaluate_width (kind))
    {
    case 1:
    case 8:
      memcpy (data, &byte, sizeof byte);
      break;
    case 16:
      memcpy (data, &half, sizeof half);
      break;
    case 32:
      memcpy (data, &word, sizeof word);
      break;
    default:
      memcpy (data, &lane->bits, sizeof lane->bits);
      break;
    }
}

/* Conversions. */

/* Truncates, saturates, NaN gives 0. */
static uint64_t
real_to_integer (double real,
                 enum xir_type_kind to)
{
  uint32_t width = evaluate_width (to);
  double limit = ldexp (1.0, (int) width - (evaluate_is_signed (to) ? 1 : 0));

  if (isnan (real))
    return 0;
  if (evaluate_is_signed (to))
    {
      if (real >= limit)
        return mask_of (width - 1);
      if (real < -limit)
        return UINT64_C (1) << (width - 1);
      return (uint64_t) (int64_t) real & mask_of (width);
    }
  if (real >= limit)
    return mask_of (width);
  return real <= 0 ? 0 : (uint64_t) real;
}

/* A double that rounds to any narrower float as the integer itself does: what does
 * not fit is kept as one lowest bit that tells "more than" ("round to odd"). */
static double
sticky_real (uint64_t magnitude)
{
  if (magnitude >> 53 != 0)
    magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
  return (double) magnitude;
}

/* One rounding from the integer to the float's width. */
static double
integer_to_real (uint64_t bits,
                 enum xir_type_kind from,
                 enum xir_type_kind to)
{
  int64_t value = sign_extend (bits, evaluate_width (from));

  if (!evaluate_is_signed (from))
    return to == XIR_TYPE_FLOAT64 ? (double) bits : sticky_real (bits);
  if (to == XIR_TYPE_FLOAT64)
    return (double) value;
  return value < 0 ? -sticky_real (0 - (uint64_t) value) : sticky_real ((uint64_t) value);
}

bool
evaluate_cast (enum xir_type_kind from,
               enum xir_type_kind to,
               const struct evaluate_lane *in,
               struct evaluate_lane *out)
{
  bool from_float = evaluate_is_real (from), to_float = evaluate_is_real (to);

  if ((!from_float && !evaluate_is_integer (from) && from != XIR_TYPE_BOOL)
      || (!to_float && !evaluate_is_integer (to) && to != XIR_TYPE_BOOL))
    return false;

  if (from == to)
    *out = *in;
  else if (to == XIR_TYPE_BOOL)
    out->bits = from_float ? !(in->real == 0) : in->bits != 0;
  else if (to_float)
    {
      evaluate_set_real (to, from_float ? in->real : integer_to_real (in->bits, from, to), out);
    }
  else if (from_float)
    out->bits = real_to_integer (in->real, to);
  else if (evaluate_is_signed (from))
    out->bits = (uint64_t) sign_extend (in->bits, evaluate_width (from)) & mask_of (evaluate_width (to));
  else
    out->bits = in->bits & mask_of (evaluate_width (to));
  return true;
}

/* Integers. */

static uint64_t
divide (uint64_t a,
        uint64_t b,
        enum xir_type_kind kind,
        bool remainder)
{
  uint32_t width = evaluate_width (kind);
  int64_t left, right;

  if (b == 0)
    return remainder ? 0 : a;
  if (!evaluate_is_signed (kind))
    return remainder ? a % b : a / b;
  left = sign_extend (a, width);
  right = sign_extend (b, width);
  if (right == -1)
    return remainder ? 0 : 0 - a;
  return (uint64_t) (remainder ? left % right : left / right);
}

static uint64_t
shift (enum xir_op op,
       uint64_t a,
       uint64_t count,
       enum xir_type_kind kind)
{
  uint32_t width = evaluate_width (kind), n = (uint32_t) count & (width - 1);

  switch (op)
    {
    case XIR_OP_SHIFT_LEFT:
      return a << n;
    case XIR_OP_SHIFT_RIGHT:
      return evaluate_is_signed (kind) ? (uint64_t) (sign_extend (a, width) >> n) : a >> n;
    case XIR_OP_ROTATE_LEFT:
      return n == 0 ? a : a << n | a >> (width - n);
    case XIR_OP_ROTATE_RIGHT:
    default:
      return n == 0 ? a : a >> n | a << (width - n);
    }
}

static int
compare_integers (uint64_t a,
                  uint64_t b,
                  enum xir_type_kind kind)
{
  if (evaluate_is_signed (kind))
    {
      int64_t left = sign_extend (a, evaluate_width (kind)), right = sign_extend (b, evaluate_width (kind));

      return left < right ? -1 : left > right;
    }
  return a < b ? -1 : a > b;
}

static uint64_t
count_bits (enum xir_op op,
            uint64_t a,
            uint32_t width)
{
  uint64_t result = 0;

  switch (op)
    {
    case XIR_OP_CLZ:
      while (result < width && (a >> (width - 1 - result) & 1) == 0)
        result++;
      return result;
    case XIR_OP_CTZ:
      while (result < width && (a >> result & 1) == 0)
        result++;
      return result;
    case XIR_OP_POPCOUNT:
      for (uint32_t i = 0; i < width; i++)
        result += a >> i & 1;
      return result;
    case XIR_OP_REVERSE:
    default:
      for (uint32_t i = 0; i < width; i++)
        result |= (a >> i & 1) << (width - 1 - i);
      return result;
    }
}

static bool
evaluate_comparison (enum xir_op op,
                     int order,
                     struct evaluate_lane *out)
{
  switch (op)
    {
    case XIR_OP_LESS:
      out->bits = order < 0;
      return true;
    case XIR_OP_GREATER:
      out->bits = order > 0;
      return true;
    case XIR_OP_LESS_EQUAL:
      out->bits = order <= 0;
      return true;
    case XIR_OP_GREATER_EQUAL:
      out->bits = order >= 0;
      return true;
    case XIR_OP_EQUAL:
      out->bits = order == 0;
      return true;
    case XIR_OP_NOT_EQUAL:
      out->bits = order != 0;
      return true;
    default:
      return false;
    }
}

static bool
evaluate_bits (enum xir_op op,
               enum xir_type_kind kind,
               uint64_t a,
               uint64_t b,
               uint64_t *result)
{
  switch (op)
    {
    case XIR_OP_NOT:
      *result = ~a;
      break;
    case XIR_OP_AND:
      *result = a & b;
      break;
    case XIR_OP_OR:
      *result = a | b;
      break;
    case XIR_OP_XOR:
      *result = a ^ b;
      break;
    case XIR_OP_ALL:
    case XIR_OP_ANY:
      *result = a;
      return kind == XIR_TYPE_BOOL;
    default:
      return false;
    }
  return true;
}

static bool
evaluate_integer (enum xir_op op,
                  enum xir_type_kind kind,
                  const struct evaluate_lane *operands,
                  uint64_t *result)
{
  uint64_t a = operands[0].bits, b = operands[1].bits, c = operands[2].bits;

  switch (op)
    {
    case XIR_OP_NEG:
      *result = 0 - a;
      break;
    case XIR_OP_ADD:
    case XIR_OP_REDUCE_SUM:
      *result = a + b;
      break;
    case XIR_OP_SUB:
      *result = a - b;
      break;
    case XIR_OP_MUL:
    case XIR_OP_REDUCE_PRODUCT:
      *result = a * b;
      break;
    case XIR_OP_DIV:
    case XIR_OP_MOD:
      *result = divide (a, b, kind, op == XIR_OP_MOD);
      break;
    case XIR_OP_SHIFT_LEFT:
    case XIR_OP_SHIFT_RIGHT:
    case XIR_OP_ROTATE_LEFT:
    case XIR_OP_ROTATE_RIGHT:
      *result = shift (op, a, b, kind);
      break;
    case XIR_OP_ABS:
      *result = evaluate_is_signed (kind) && sign_extend (a, evaluate_width (kind)) < 0 ? 0 - a : a;
      break;
    case XIR_OP_MIN:
    case XIR_OP_REDUCE_MIN:
      *result = compare_integers (b, a, kind) < 0 ? b : a;
      break;
    case XIR_OP_MAX:
    case XIR_OP_REDUCE_MAX:
      *result = compare_integers (b, a, kind) > 0 ? b : a;
      break;
    case XIR_OP_CLAMP:
      a = compare_integers (b, a, kind) > 0 ? b : a;
      *result = compare_integers (c, a, kind) < 0 ? c : a;
      break;
    case XIR_OP_CLZ:
    case XIR_OP_CTZ:
    case XIR_OP_POPCOUNT:
    case XIR_OP_REVERSE:
      *result = count_bits (op, a, evaluate_width (kind));
      break;
    default:
      return evaluate_bits (op, kind, a, b, result);
    }
  return true;
}

/* Floats. */

static double
smaller (double a,
         double b)
{
  if (isnan (a) || isnan (b))
    return isnan (a) ? b : a;
  return b < a ? b : a;
}

static double
larger (double a,
        double b)
{
  if (isnan (a) || isnan (b))
    return isnan (a) ? b : a;
  return a < b ? b : a;
}

static double
smooth_step (double low,
             double high,
             double x)
{
  double t = smaller (larger ((x - low) / (high - low), 0.0), 1.0);

  return t * t * (3.0 - 2.0 * t);
}

/* The ops that the table calls exact. */
static bool
evaluate_exact (enum xir_op op,
                double a,
                double b,
                double c,
                double *result)
{
  switch (op)
    {
    case XIR_OP_ADD:
    case XIR_OP_REDUCE_SUM:
      *result = a + b;
      break;
    case XIR_OP_SUB:
      *result = a - b;
      break;
    case XIR_OP_MUL:
    case XIR_OP_REDUCE_PRODUCT:
      *result = a * b;
      break;
    case XIR_OP_MOD:
      *result = fmod (a, b);
      break;
    case XIR_OP_CLAMP:
      *result = smaller (larger (a, b), c);
      break;
    case XIR_OP_SATURATE:
      *result = smaller (larger (a, 0.0), 1.0);
      break;
    case XIR_OP_STEP:
      *result = b >= a ? 1.0 : 0.0;
      break;
    case XIR_OP_MIN:
    case XIR_OP_REDUCE_MIN:
      *result = smaller (a, b);
      break;
    case XIR_OP_MAX:
    case XIR_OP_REDUCE_MAX:
      *result = larger (a, b);
      break;
    case XIR_OP_CEIL:
      *result = ceil (a);
      break;
    case XIR_OP_FLOOR:
      *result = floor (a);
      break;
    case XIR_OP_FRACT:
      *result = a - floor (a);
      break;
    case XIR_OP_TRUNC:
      *result = trunc (a);
      break;
    case XIR_OP_ROUND:
      *result = round (a);
      break;
    case XIR_OP_RINT:
      *result = rint (a);
      break;
    default:
      return false;
    }
  return true;
}

static const struct
{
  enum xir_op op;
  double (*function) (double x);
} unary_functions[] = {
  { XIR_OP_ACOS, acos }, { XIR_OP_ACOSH, acosh }, { XIR_OP_ASIN, asin }, { XIR_OP_ASINH, asinh },
  { XIR_OP_ATAN, atan }, { XIR_OP_ATANH, atanh }, { XIR_OP_COS, cos }, { XIR_OP_COSH, cosh },
  { XIR_OP_SIN, sin }, { XIR_OP_SINH, sinh }, { XIR_OP_TAN, tan }, { XIR_OP_TANH, tanh },
  { XIR_OP_EXP, exp }, { XIR_OP_EXP2, exp2 }, { XIR_OP_LOG, log }, { XIR_OP_LOG2, log2 },
  { XIR_OP_LOG10, log10 }, { XIR_OP_SQRT, sqrt },
};

static bool
evaluate_bounded (enum xir_op op,
                  double a,
                  double b,
                  double c,
                  double *result)
{
  switch (op)
    {
    case XIR_OP_DIV:
      *result = a / b;
      return true;
    case XIR_OP_LERP:
      *result = a * (1.0 - c) + b * c;
      return true;
    case XIR_OP_SMOOTHSTEP:
      *result = smooth_step (a, b, c);
      return true;
    case XIR_OP_ATAN2:
      *result = atan2 (a, b);
      return true;
    case XIR_OP_EXP10:
      *result = pow (10.0, a);
      return true;
    case XIR_OP_POW:
      *result = pow (a, b);
      return true;
    case XIR_OP_RSQRT:
      *result = 1.0 / sqrt (a);
      return true;
    case XIR_OP_FMA:
      *result = fma (a, b, c);
      return true;
    default:
      for (gsize i = 0; i < G_N_ELEMENTS (unary_functions); i++)
        if (unary_functions[i].op == op)
          {
            *result = unary_functions[i].function (a);
            return true;
          }
      return false;
    }
}

/* Ops that only touch the sign keep a NaN's payload. */
static bool
evaluate_sign (enum xir_op op,
               enum xir_type_kind kind,
               const struct evaluate_lane *operands,
               uint64_t *bits)
{
  uint64_t sign = UINT64_C (1) << (evaluate_width (kind) - 1);

  switch (op)
    {
    case XIR_OP_NEG:
      *bits = operands[0].bits ^ sign;
      return true;
    case XIR_OP_ABS:
      *bits = operands[0].bits & ~sign;
      return true;
    case XIR_OP_COPYSIGN:
      *bits = (operands[0].bits & ~sign) | (operands[1].bits & sign);
      return true;
    default:
      return false;
    }
}

static bool
evaluate_float (enum xir_op op,
                enum xir_type_kind kind,
                enum xir_type_kind second_kind,
                const struct evaluate_lane *operands,
                struct evaluate_lane *out)
{
  double a = operands[0].real, b = operands[1].real, c = operands[2].real;

  if (evaluate_sign (op, kind, operands, &out->bits))
    return true;
  if (op == XIR_OP_ISNAN || op == XIR_OP_ISINF)
    {
      out->bits = op == XIR_OP_ISNAN ? isnan (a) != 0 : isinf (a) != 0;
      return true;
    }
  if (op >= XIR_OP_LESS && op <= XIR_OP_NOT_EQUAL)
    {
      if (!isnan (a) && !isnan (b))
        return evaluate_comparison (op, a < b ? -1 : a > b, out);
      out->bits = op == XIR_OP_NOT_EQUAL;
      return true;
    }
  if (op == XIR_OP_POW_INT)
    out->real = pow (a, (double) sign_extend (operands[1].bits, evaluate_width (second_kind)));
  else if (!evaluate_exact (op, a, b, c, &out->real) && !evaluate_bounded (op, a, b, c, &out->real))
    return false;
  evaluate_set_real (kind, out->real, out);
  return true;
}

bool
evaluate_scalar (enum xir_op op,
                 enum xir_type_kind kind,
                 enum xir_type_kind second_kind,
                 const struct evaluate_lane *operands,
                 struct evaluate_lane *out)
{
  uint64_t bits;

  if (evaluate_is_float (kind))
    return evaluate_float (op, kind, second_kind, operands, out);
  if (op >= XIR_OP_LESS && op <= XIR_OP_NOT_EQUAL)
    return (kind == XIR_TYPE_BOOL || evaluate_is_integer (kind))
           && evaluate_comparison (op, compare_integers (operands[0].bits, operands[1].bits, kind), out);
  if (kind == XIR_TYPE_BOOL)
    {
      if (!evaluate_bits (op, kind, operands[0].bits, operands[1].bits, &bits))
        return false;
    }
  else if (!evaluate_is_integer (kind) || !evaluate_integer (op, kind, operands, &bits))
    return false;
  out->bits = bits & mask_of (evaluate_width (kind));
  return true;
}
