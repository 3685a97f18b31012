/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conversions between scalars of every kind, lane by lane. What rounds must round once, to
 * nearest even, and what does not fit an integer saturates: instructions promise neither, so
 * that operands are clamped and results chosen, but in an "unchecked" function. The narrow
 * floats that no instruction knows, bfloat16 and FP8, are made of the bits of a float. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <math.h>

#include "codegen/xir/evaluate-private.h"

#define SIGN_BIT       UINT32_C (0x80000000)
#define MAGNITUDE_BITS UINT32_C (0x7fffffff)
#define INFINITY_BITS  UINT32_C (0x7f800000)
#define IMPLICIT_BIT   UINT32_C (0x00800000)

/* As in evaluate-float.c. */
struct format
{
  enum xir_type_kind kind;
  enum xir_type_kind bits;       /* the integer that holds it */
  uint32_t width, mantissa_bits, bias;
  uint32_t largest, overflow, nan;
  bool has_infinity;
};

static const struct format formats[] = {
  { XIR_TYPE_FLOAT16, XIR_TYPE_UINT16, 16, 10, 15, 0x7bff, 0x7c00, 0x7e00, true },
  { XIR_TYPE_BFLOAT16, XIR_TYPE_UINT16, 16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, true },
  { XIR_TYPE_FLOAT8_E4M3, XIR_TYPE_UINT8, 8, 3, 7, 0x7e, 0x7e, 0x7f, false },
  { XIR_TYPE_FLOAT8_E5M2, XIR_TYPE_UINT8, 8, 2, 15, 0x7b, 0x7b, 0x7e, true },
};

static const struct format *
format_of (enum xir_type_kind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].kind == kind)
      return &formats[i];
  return NULL;
}

/* One conversion. `word` has the lanes as 32 bits. */
struct conversion
{
  struct spirv_emitter *emitter;
  struct spirv_writer *writer;
  uint32_t lanes;
  struct spirv_shape word;
};

static uint32_t
type_of (const struct conversion *c, enum xir_type_kind kind)
{
  return spirv_type_kind (&c->emitter->types, kind, c->lanes);
}

static uint32_t
constant (const struct conversion *c, enum xir_type_kind kind, uint64_t bits)
{
  return spirv_constant_bits (&c->emitter->types, kind, c->lanes, bits);
}

static uint32_t
word (const struct conversion *c, uint32_t value)
{
  return spirv_shape_uint (c->emitter, &c->word, value);
}

/* Float of 32 bits to the bits of a narrow format, as words. */

/* The number of units in the last place of a number with an implicit bit: a carry goes into the
 * exponent as it should, and past the largest exponent. */
static uint32_t
round_normal (const struct conversion *c, const struct format *format, uint32_t magnitude)
{
  uint32_t cut = 23 - format->mantissa_bits, type = c->word.as_uint;
  uint32_t odd = spirv_op_bitwise_and (c->writer, type, spirv_op_shift_right_logical (c->writer, type, magnitude, word (c, cut)),
                                       word (c, 1));
  uint32_t raised = spirv_op_i_add (c->writer, type, spirv_op_i_add (c->writer, type, magnitude, word (c, (1u << (cut - 1)) - 1)),
                                    odd);
  uint32_t result = spirv_op_shift_right_logical (c->writer, type, raised, word (c, cut));
  uint32_t rebias = (127 - format->bias) << format->mantissa_bits;
  return rebias == 0 ? result : spirv_op_i_sub (c->writer, type, result, word (c, rebias));
}

/* What lies below the smallest exponent of the format: the mantissa with its implicit bit, as
 * many bits cut off as the exponent is too small. */
static uint32_t
round_denormal (const struct conversion *c, const struct format *format, uint32_t magnitude)
{
  uint32_t type = c->word.as_uint;
  uint32_t mantissa = spirv_op_bitwise_or (c->writer, type, spirv_op_bitwise_and (c->writer, type, magnitude, word (c, IMPLICIT_BIT - 1)),
                                           word (c, IMPLICIT_BIT));
  uint32_t exponent = spirv_op_shift_right_logical (c->writer, type, magnitude, word (c, 23));
  uint32_t cut = spirv_op_i_sub (c->writer, type, word (c, 23 - format->mantissa_bits + 128 - format->bias), exponent);
  /* Of a number that is not below the difference means nothing, and is not taken. */
  cut = spirv_emit_glsl2 (c->emitter, type, GLSLstd450UMin, cut, word (c, 25));
  uint32_t odd = spirv_op_bitwise_and (c->writer, type, spirv_op_shift_right_logical (c->writer, type, mantissa, cut), word (c, 1));
  uint32_t unit = spirv_op_shift_left_logical (c->writer, type, word (c, 1), cut);
  uint32_t half = spirv_op_shift_right_logical (c->writer, type, unit, word (c, 1));
  uint32_t below_half = spirv_op_i_sub (c->writer, type, half, word (c, 1));
  uint32_t raised = spirv_op_i_add (c->writer, type, spirv_op_i_add (c->writer, type, mantissa, below_half), odd);
  return spirv_op_shift_right_logical (c->writer, type, raised, cut);
}

static uint32_t
float_to_format (const struct conversion *c, const struct format *format, uint32_t x)
{
  uint32_t type = c->word.as_uint, as_bool = c->word.as_bool;
  uint32_t bits = spirv_op_bitcast (c->writer, type, x);
  uint32_t magnitude = spirv_op_bitwise_and (c->writer, type, bits, word (c, MAGNITUDE_BITS));
  uint32_t result = round_normal (c, format, magnitude);
  if (format->bias != 127)
    {
      uint32_t is_small = spirv_op_u_less_than (c->writer, as_bool, magnitude, word (c, (128 - format->bias) << 23));
      result = spirv_op_select (c->writer, type, is_small, round_denormal (c, format, magnitude), result);
    }
  uint32_t is_large = spirv_op_u_greater_than (c->writer, as_bool, result, word (c, format->largest));
  result = spirv_op_select (c->writer, type, is_large, word (c, format->overflow), result);
  uint32_t sign = spirv_op_shift_right_logical (c->writer, type, bits, word (c, 32 - format->width));
  sign = spirv_op_bitwise_and (c->writer, type, sign, word (c, 1u << (format->width - 1)));
  result = spirv_op_bitwise_or (c->writer, type, result, sign);
  uint32_t is_nan = spirv_op_u_greater_than (c->writer, as_bool, magnitude, word (c, INFINITY_BITS));
  return spirv_op_select (c->writer, type, is_nan, word (c, format->nan), result);
}

/* The other way; always exact. */
static uint32_t
format_to_float (const struct conversion *c, const struct format *format, uint32_t bits)
{
  uint32_t type = c->word.as_uint, as_bool = c->word.as_bool;
  uint32_t sign_bit = 1u << (format->width - 1), cut = 23 - format->mantissa_bits;
  if (format->bias == 127)
    return spirv_op_bitcast (c->writer, c->word.as_float, spirv_op_shift_left_logical (c->writer, type, bits, word (c, cut)));
  uint32_t magnitude = spirv_op_bitwise_and (c->writer, type, bits, word (c, sign_bit - 1));
  uint32_t normal = spirv_op_i_add (c->writer, type, spirv_op_shift_left_logical (c->writer, type, magnitude, word (c, cut)),
                                    word (c, (127 - format->bias) << 23));
  double unit = ldexp (1.0, 1 - (int) format->bias - (int) format->mantissa_bits);
  uint32_t small = spirv_emit_fmul (c->emitter, c->word.as_float, spirv_op_convert_u_to_f (c->writer, c->word.as_float, magnitude),
                                    spirv_shape_float (c->emitter, &c->word, unit));
  uint32_t is_small = spirv_op_u_less_than (c->writer, as_bool, magnitude, word (c, 1u << format->mantissa_bits));
  uint32_t result = spirv_op_select (c->writer, type, is_small, spirv_op_bitcast (c->writer, type, small), normal);
  uint32_t special = word (c, 0x7fc00000);
  if (format->has_infinity)
    {
      uint32_t is_infinite = spirv_op_i_equal (c->writer, as_bool, magnitude, word (c, format->largest + 1));
      special = spirv_op_select (c->writer, type, is_infinite, word (c, INFINITY_BITS), special);
    }
  uint32_t is_special = spirv_op_u_greater_than (c->writer, as_bool, magnitude, word (c, format->largest));
  result = spirv_op_select (c->writer, type, is_special, special, result);
  uint32_t sign = spirv_op_bitwise_and (c->writer, type, bits, word (c, sign_bit));
  sign = spirv_op_shift_left_logical (c->writer, type, sign, word (c, 32 - format->width));
  return spirv_op_bitcast (c->writer, c->word.as_float, spirv_op_bitwise_or (c->writer, type, result, sign));
}

/* A double as a float that rounds on as the double itself would: where it is no float, one of
 * the two around it, that with the odd last bit. */
static uint32_t
double_to_sticky_float (const struct conversion *c, uint32_t x)
{
  uint32_t as_double = type_of (c, XIR_TYPE_FLOAT64), as_bool = c->word.as_bool, type = c->word.as_uint;
  uint32_t single = spirv_op_f_convert (c->writer, c->word.as_float, x);
  uint32_t back = spirv_op_f_convert (c->writer, as_double, single);
  uint32_t inexact = spirv_op_f_unord_not_equal (c->writer, as_bool, back, x);
  uint32_t too_large = spirv_op_f_ord_less_than (c->writer, as_bool, spirv_emit_glsl1 (c->emitter, as_double, GLSLstd450FAbs, x),
                                                 spirv_emit_glsl1 (c->emitter, as_double, GLSLstd450FAbs, back));
  uint32_t bits = spirv_op_bitcast (c->writer, type, single);
  uint32_t step = spirv_op_select (c->writer, type, too_large, word (c, 1), word (c, 0));
  uint32_t sticky = spirv_op_select (c->writer, type, inexact, word (c, 1), word (c, 0));
  bits = spirv_op_bitwise_or (c->writer, type, spirv_op_i_sub (c->writer, type, bits, step), sticky);
  return spirv_op_bitcast (c->writer, c->word.as_float, bits);
}

/* Whether the instruction rounds to half as the table says. */
static bool
rounds_to_half (const struct conversion *c)
{
  return c->emitter->function->fast_math || c->emitter->function->unchecked
         || (c->emitter->plans->features.required & UINT64_C (1) << SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT16) != 0;
}

/* The low halves of words. Needs no integers of 16 bits. */
static uint32_t
halves_of_words (const struct conversion *c, uint32_t words)
{
  static const uint32_t low = 0;
  uint32_t as_word = spirv_type_kind (&c->emitter->types, XIR_TYPE_UINT32, 1);
  uint32_t as_half = spirv_type_kind (&c->emitter->types, XIR_TYPE_FLOAT16, 1);
  uint32_t as_pair = spirv_type_kind (&c->emitter->types, XIR_TYPE_FLOAT16, 2);
  uint32_t parts[4] = { 0, 0, 0, 0 };
  for (uint32_t lane = 0; lane < c->lanes; lane++)
    {
      uint32_t bits = c->lanes == 1 ? words : spirv_op_composite_extract (c->writer, as_word, words, &lane, 1);
      parts[lane] = spirv_op_composite_extract (c->writer, as_half, spirv_op_bitcast (c->writer, as_pair, bits), &low, 1);
    }
  return c->lanes == 1 ? parts[0] : spirv_op_composite_construct (c->writer, type_of (c, XIR_TYPE_FLOAT16), parts, c->lanes);
}

/* Float to one of the formats, as a value of it. */
static uint32_t
narrow_float (const struct conversion *c, enum xir_type_kind to, uint32_t x)
{
  const struct format *format = format_of (to);
  if (to == XIR_TYPE_FLOAT16 && rounds_to_half (c))
    return spirv_op_f_convert (c->writer, type_of (c, to), x);
  uint32_t bits = float_to_format (c, format, x);
  return to == XIR_TYPE_FLOAT16 ? halves_of_words (c, bits) : spirv_op_u_convert (c->writer, type_of (c, format->bits), bits);
}

static uint32_t
widen_float (const struct conversion *c, enum xir_type_kind from, uint32_t x)
{
  if (from == XIR_TYPE_FLOAT16)
    return spirv_op_f_convert (c->writer, c->word.as_float, x);
  return format_to_float (c, format_of (from), spirv_op_u_convert (c->writer, c->word.as_uint, x));
}

static struct conversion
begin (struct spirv_emitter *emitter, uint32_t lanes)
{
  return (struct conversion) { emitter, &emitter->writer, lanes, spirv_shape_of (emitter, XIR_TYPE_FLOAT32, lanes) };
}

uint32_t
spirv_emit_widen (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x)
{
  struct conversion c = begin (emitter, shape->lanes);
  return shape->float_kind == XIR_TYPE_FLOAT32 ? x : widen_float (&c, shape->float_kind, x);
}

uint32_t
spirv_emit_narrow (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x)
{
  struct conversion c = begin (emitter, shape->lanes);
  return shape->float_kind == XIR_TYPE_FLOAT32 ? x : narrow_float (&c, shape->float_kind, x);
}

static uint32_t
real_to_real (const struct conversion *c, enum xir_type_kind from, enum xir_type_kind to, uint32_t x)
{
  if (format_of (from) != NULL)
    {
      x = widen_float (c, from, x);
      from = XIR_TYPE_FLOAT32;
    }
  if (from == to)
    return x;
  if (format_of (to) == NULL)
    return spirv_op_f_convert (c->writer, type_of (c, to), x);
  return narrow_float (c, to, from == XIR_TYPE_FLOAT64 ? double_to_sticky_float (c, x) : x);
}

/* Integers. */

/* The integer of at least 32 bits that instructions convert from and to. */
static enum xir_type_kind
wide_integer (enum xir_type_kind kind)
{
  bool is_signed = evaluate_is_signed (kind);
  if (evaluate_width (kind) == 64)
    return kind;
  return is_signed ? XIR_TYPE_INT32 : XIR_TYPE_UINT32;
}

/* Extends by the sign of what it comes from, or cuts off. The instruction for unsigned ones wants an unsigned
 * result; the sign is changed at the wider side, where no feature is needed for it. */
static uint32_t
integer_to_integer (const struct conversion *c, enum xir_type_kind from, enum xir_type_kind to, uint32_t x)
{
  if (from == to)
    return x;
  if (evaluate_width (from) == evaluate_width (to))
    return spirv_op_bitcast (c->writer, type_of (c, to), x);
  if (evaluate_is_signed (from))
    return spirv_op_s_convert (c->writer, type_of (c, to), x);
  if (!evaluate_is_signed (to))
    return spirv_op_u_convert (c->writer, type_of (c, to), x);
  /* The signed kinds stand in front of the unsigned ones. */
  if (evaluate_width (from) > evaluate_width (to))
    return spirv_op_s_convert (c->writer, type_of (c, to), spirv_op_bitcast (c->writer, type_of (c, from - 1), x));
  return spirv_op_bitcast (c->writer, type_of (c, to), spirv_op_u_convert (c->writer, type_of (c, to + 1), x));
}

/* Truncates and saturates, NaN is 0. The operand of the instruction itself is clamped to what
 * it is defined for; the power of two behind the largest integer is always a real. */
static uint32_t
real_to_integer (const struct conversion *c, enum xir_type_kind from, enum xir_type_kind to, uint32_t x)
{
  bool is_signed = evaluate_is_signed (to);
  uint32_t width = evaluate_width (to);
  enum xir_type_kind wide = wide_integer (to);
  if (format_of (from) != NULL)
    {
      x = widen_float (c, from, x);
      from = XIR_TYPE_FLOAT32;
    }
  struct spirv_shape real = spirv_shape_of (c->emitter, from, c->lanes);
  uint32_t type = type_of (c, wide);
  if (c->emitter->function->unchecked)
    {
      x = is_signed ? spirv_op_convert_f_to_s (c->writer, type, x) : spirv_op_convert_f_to_u (c->writer, type, x);
      return integer_to_integer (c, wide, to, x);
    }
  double end = ldexp (1.0, (int) width - (is_signed ? 1 : 0));
  bool end_is_next = (int) width - (is_signed ? 1 : 0) > (from == XIR_TYPE_FLOAT32 ? 24 : 53);
  double before_end = !end_is_next ? end - 1 : from == XIR_TYPE_FLOAT32 ? (double) nextafterf ((float) end, 0) : nextafter (end, 0);
  uint32_t lowest = spirv_shape_float (c->emitter, &real, is_signed ? -end : 0.0);
  uint32_t highest = spirv_shape_float (c->emitter, &real, before_end);
  /* NaN is not >= anything, so it is raised to the lowest here. */
  uint32_t above = spirv_op_f_ord_greater_than_equal (c->writer, real.as_bool, x, lowest);
  uint32_t raised = spirv_op_select (c->writer, real.as_float, above, x, lowest);
  uint32_t below = spirv_op_f_ord_less_than (c->writer, real.as_bool, raised, spirv_shape_float (c->emitter, &real, end));
  uint32_t clamped = spirv_op_select (c->writer, real.as_float, below, raised, highest);
  uint32_t result = is_signed ? spirv_op_convert_f_to_s (c->writer, type, clamped) : spirv_op_convert_f_to_u (c->writer, type, clamped);
  uint64_t most = UINT64_MAX >> (64 - width + (is_signed ? 1 : 0));
  if (end_is_next)
    result = spirv_op_select (c->writer, type, below, result, constant (c, wide, most));
  result = spirv_op_select (c->writer, type, spirv_emit_is_nan (c->emitter, &real, x), constant (c, wide, 0), result);
  return integer_to_integer (c, wide, to, result);
}

/* Cuts the lowest bits off a number above `limit`; that there were some stays as the lowest of the rest. */
static uint32_t
cut_off (const struct conversion *c, enum xir_type_kind kind, uint32_t x, unsigned bits, uint64_t limit)
{
  uint32_t type = type_of (c, kind), as_bool = c->word.as_bool, zero = constant (c, kind, 0);
  uint64_t unit = UINT64_C (1) << bits;
  uint32_t rest = spirv_op_bitwise_and (c->writer, type, x, constant (c, kind, unit - 1));
  uint32_t some = spirv_op_i_not_equal (c->writer, as_bool, rest, zero);
  uint32_t sticky = spirv_op_select (c->writer, type, some, constant (c, kind, unit), zero);
  uint32_t head = spirv_op_bitwise_or (c->writer, type, spirv_op_i_sub (c->writer, type, x, rest), sticky);
  return spirv_op_select (c->writer, type, spirv_op_u_greater_than (c->writer, as_bool, x, constant (c, kind, limit)), head, x);
}

/* A number of 24 bits at most that rounds to eight as `x` does. */
static uint32_t
sticky_integer (const struct conversion *c, enum xir_type_kind kind, uint32_t x)
{
  const uint64_t one = 1;
  if (kind == XIR_TYPE_UINT32)
    return cut_off (c, kind, x, 8, one << 24);
  x = cut_off (c, kind, x, 12, one << 24);
  x = cut_off (c, kind, x, 26, one << 36);
  return cut_off (c, kind, x, 40, one << 50);
}

/* To bfloat16, whose range is that of float, large integers would round twice. The others end
 * long before a float loses a bit of an integer. */
static uint32_t
integer_to_bfloat (const struct conversion *c, enum xir_type_kind from, uint32_t x)
{
  enum xir_type_kind kind = evaluate_width (from) == 64 ? XIR_TYPE_UINT64 : XIR_TYPE_UINT32;
  uint32_t as_float = c->word.as_float, negative = 0;
  if (evaluate_is_signed (from))
    {
      uint32_t zero = constant (c, from, 0);
      negative = spirv_op_s_less_than (c->writer, c->word.as_bool, x, zero);
      x = spirv_op_select (c->writer, type_of (c, from), negative, spirv_op_i_sub (c->writer, type_of (c, from), zero, x), x);
      x = spirv_op_bitcast (c->writer, type_of (c, kind), x);
    }
  uint32_t real = spirv_op_convert_u_to_f (c->writer, as_float, sticky_integer (c, kind, x));
  if (negative != 0)
    real = spirv_op_select (c->writer, as_float, negative, spirv_emit_fnegate (c->emitter, as_float, real), real);
  return narrow_float (c, XIR_TYPE_BFLOAT16, real);
}

static uint32_t
integer_to_real (const struct conversion *c, enum xir_type_kind from, enum xir_type_kind to, uint32_t x)
{
  enum xir_type_kind wide = wide_integer (from);
  uint32_t width = evaluate_width (from);
  x = integer_to_integer (c, from, wide, x);
  if (to == XIR_TYPE_BFLOAT16 && width >= 32)
    return integer_to_bfloat (c, wide, x);
  uint32_t type = type_of (c, to == XIR_TYPE_FLOAT64 ? to : XIR_TYPE_FLOAT32);
  uint32_t real = evaluate_is_signed (wide) ? spirv_op_convert_s_to_f (c->writer, type, x) : spirv_op_convert_u_to_f (c->writer, type, x);
  return format_of (to) != NULL ? narrow_float (c, to, real) : real;
}

static uint32_t
to_bool (const struct conversion *c, enum xir_type_kind from, uint32_t x)
{
  if (!evaluate_is_real (from))
    {
      enum xir_type_kind wide = wide_integer (from);
      return spirv_op_i_not_equal (c->writer, c->word.as_bool, integer_to_integer (c, from, wide, x), constant (c, wide, 0));
    }
  /* Unordered: NaN is true. */
  if (format_of (from) != NULL)
    {
      x = widen_float (c, from, x);
      from = XIR_TYPE_FLOAT32;
    }
  return spirv_op_f_unord_not_equal (c->writer, c->word.as_bool, x, constant (c, from, 0));
}

SPIRV_EMITTER (spirv_emit_cast)
{
  const struct xir_type *from_type = xir_operand (instruction, 0)->type, *to_type = instruction->value.type;
  enum xir_type_kind from = xir_type_scalar_of (from_type)->kind, to = xir_type_scalar_of (to_type)->kind;
  struct conversion c = begin (emitter, xir_type_lanes (to_type));
  uint32_t x = spirv_operand (emitter, instruction, 0);
  if (from == to)
    return x;
  if (to == XIR_TYPE_BOOL)
    return to_bool (&c, from, x);
  if (from == XIR_TYPE_BOOL)
    {
      uint64_t one = evaluate_is_real (to) ? evaluate_bits_of_real (to, 1.0) : 1;
      return spirv_op_select (c.writer, type_of (&c, to), x, constant (&c, to, one), constant (&c, to, 0));
    }
  if (evaluate_is_real (from))
    return evaluate_is_real (to) ? real_to_real (&c, from, to, x) : real_to_integer (&c, from, to, x);
  return evaluate_is_real (to) ? integer_to_real (&c, from, to, x) : integer_to_integer (&c, from, to, x);
}

SPIRV_EMITTER (spirv_emit_bitcast)
{
  uint32_t x = spirv_operand (emitter, instruction, 0);
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  /* Types that are stored as the same integer are one. */
  return type == spirv_type (&emitter->types, xir_operand (instruction, 0)->type) ? x
         : spirv_op_bitcast (&emitter->writer, type, x);
}
