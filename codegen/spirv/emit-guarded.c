/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that SPIR-V leaves undefined somewhere, made whole as the table of
 * gabbro-kernel(5) wants: division, remainder, shifts, rotation, rounding, and questions about float that a driver might answer
 * without looking. In an "unchecked" function division and shifts are what
 * the hardware has. Conversions are in emit-convert.c. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <math.h>

#include "codegen/xir/evaluate-private.h"

#define SIGN_BIT         UINT32_C (0x80000000)
#define MAGNITUDE_BITS   UINT32_C (0x7fffffff)
#define INFINITY_BITS    UINT32_C (0x7f800000)

/* The bits of all ones in the width of a type. */
static uint64_t
all_bits (const struct xir_type *type)
{
  return UINT64_MAX >> (64 - xir_type_bits (xir_type_scalar_of (type)));
}

/* Whether every lane of a constant passes: guards are left out where they could never act. */
static bool
constant_lanes (const struct xir_value *value, uint64_t limit, bool (*test) (uint64_t bits, uint64_t limit))
{
  const struct xir_constant *constant = xir_value_constant (value);
  const struct xir_type *scalar = xir_type_scalar_of (value->type);
  if (constant == NULL)
    return false;
  for (uint32_t i = 0; i < xir_type_lanes (value->type); i++)
    {
      struct evaluate_lane lane;
      evaluate_load (scalar->kind, constant->data + i * scalar->size, &lane);
      if (!test (lane.bits, limit))
        return false;
    }
  return true;
}

static bool
is_safe_unsigned_divisor (uint64_t bits, uint64_t all)
{
  return bits != 0;
}

static bool
is_safe_signed_divisor (uint64_t bits, uint64_t all)
{
  return bits != 0 && bits != all;
}

static bool
is_safe_shift (uint64_t bits, uint64_t width)
{
  return bits < width;
}

/* The divisor, with 1 in place of what would be undefined: x / 1 is x, which is
 * also the table's answer for x / 0 and INT_MIN / -1, and the remainder is then 0. */
static uint32_t
safe_divisor (struct spirv_emitter *emitter, const struct xir_instruction *instruction, const struct spirv_shape *shape,
              uint32_t x, uint32_t y)
{
  struct spirv_writer *writer = &emitter->writer;
  bool is_signed = xir_type_is_signed (instruction->value.type);
  uint64_t all = all_bits (instruction->value.type);
  if (emitter->function->unchecked
      || constant_lanes (xir_operand (instruction, 1), all, is_signed ? is_safe_signed_divisor : is_safe_unsigned_divisor))
    return y;
  if (!is_signed)
    return spirv_op_select (writer, shape->as_uint,
                            spirv_op_i_equal (writer, shape->as_bool, y, spirv_shape_uint (emitter, shape, 0)),
                            spirv_shape_uint (emitter, shape, 1), y);
  uint32_t zero = spirv_op_i_equal (writer, shape->as_bool, y, spirv_shape_int (emitter, shape, 0));
  uint32_t lowest = spirv_op_i_equal (writer, shape->as_bool, x, spirv_shape_int (emitter, shape, all / 2 + 1));
  uint32_t minus_one = spirv_op_i_equal (writer, shape->as_bool, y, spirv_shape_int (emitter, shape, all));
  uint32_t overflow = spirv_op_logical_and (writer, shape->as_bool, lowest, minus_one);
  return spirv_op_select (writer, shape->as_int, spirv_op_logical_or (writer, shape->as_bool, zero, overflow),
                          spirv_shape_int (emitter, shape, 1), y);
}

SPIRV_EMITTER (spirv_emit_divide)
{
  struct spirv_writer *writer = &emitter->writer;
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t x = spirv_operand (emitter, instruction, 0), y = spirv_operand (emitter, instruction, 1);
  switch (spirv_op_class_of (instruction->value.type))
    {
    case SPIRV_CLASS_FLOAT:
      return spirv_emit_fdiv (emitter, shape.as_float, x, y);
    case SPIRV_CLASS_SIGNED:
      return spirv_op_s_div (writer, shape.as_int, x, safe_divisor (emitter, instruction, &shape, x, y));
    default:
      return spirv_op_u_div (writer, shape.as_uint, x, safe_divisor (emitter, instruction, &shape, x, y));
    }
}

SPIRV_EMITTER (spirv_emit_remainder)
{
  struct spirv_writer *writer = &emitter->writer;
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t x = spirv_operand (emitter, instruction, 0), y = spirv_operand (emitter, instruction, 1);
  if (spirv_op_class_of (instruction->value.type) == SPIRV_CLASS_FLOAT)
    return spirv_op_f_rem (writer, shape.as_float, x, y);
  uint32_t divisor = safe_divisor (emitter, instruction, &shape, x, y);
  if (spirv_op_class_of (instruction->value.type) == SPIRV_CLASS_UNSIGNED)
    return spirv_op_u_mod (writer, shape.as_uint, x, divisor);
  /* Vulkan leaves OpSRem undefined for negative operands, OpSDiv not. */
  uint32_t quotient = spirv_op_s_div (writer, shape.as_int, x, divisor);
  return spirv_op_i_sub (writer, shape.as_int, x, spirv_op_i_mul (writer, shape.as_int, quotient, divisor));
}

/* The count modulo the width. */
static uint32_t
masked_count (struct spirv_emitter *emitter, const struct xir_instruction *instruction)
{
  const struct xir_value *count = xir_operand (instruction, 1);
  uint32_t width = xir_type_bits (xir_type_scalar_of (instruction->value.type));
  uint32_t id = spirv_value (emitter, count);
  if (constant_lanes (count, width, is_safe_shift))
    return id;
  uint32_t mask = spirv_constant_bits (&emitter->types, xir_type_scalar_of (count->type)->kind, xir_type_lanes (count->type),
                                       width - 1);
  return spirv_op_bitwise_and (&emitter->writer, spirv_type (&emitter->types, count->type), id, mask);
}

SPIRV_EMITTER (spirv_emit_shift)
{
  const uint32_t operands[] = {
    spirv_operand (emitter, instruction, 0),
    emitter->function->unchecked ? spirv_operand (emitter, instruction, 1) : masked_count (emitter, instruction)
  };
  return spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY,
                             (SpvOp) rule->codes[spirv_op_class_of (instruction->value.type)],
                             spirv_type (&emitter->types, instruction->value.type), operands, 2);
}

SPIRV_EMITTER (spirv_emit_rotate)
{
  struct spirv_writer *writer = &emitter->writer;
  const struct xir_type *count_type = xir_operand (instruction, 1)->type;
  enum xir_type_kind count_kind = xir_type_scalar_of (count_type)->kind;
  uint32_t lanes = xir_type_lanes (count_type);
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  uint32_t type_of_count = spirv_type (&emitter->types, count_type);
  uint32_t x = spirv_operand (emitter, instruction, 0);
  uint32_t count = masked_count (emitter, instruction);
  uint32_t zero = spirv_constant_bits (&emitter->types, count_kind, lanes, 0);
  uint32_t mask = spirv_constant_bits (&emitter->types, count_kind, lanes,
                                       xir_type_bits (xir_type_scalar_of (instruction->value.type)) - 1);
  /* (-count) mod the width, so that a rotation by 0 shifts by 0 both ways and not by the width. */
  uint32_t rest = spirv_op_bitwise_and (writer, type_of_count, spirv_op_i_sub (writer, type_of_count, zero, count), mask);
  bool left = instruction->op == XIR_OP_ROTATE_LEFT;
  uint32_t up = spirv_op_shift_left_logical (writer, type, x, left ? count : rest);
  uint32_t down = spirv_op_shift_right_logical (writer, type, x, left ? rest : count);
  return spirv_op_bitwise_or (writer, type, up, down);
}

/* Float by its bits: a half as the float that it is, a double as two words. */

static uint32_t
masked_bits (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x, uint32_t mask)
{
  return spirv_op_bitwise_and (&emitter->writer, shape->as_uint, spirv_op_bitcast (&emitter->writer, shape->as_uint, x),
                               spirv_shape_uint (emitter, shape, mask));
}

/* NaN is NaN in float too, wherever it comes from. */
uint32_t
spirv_emit_is_nan (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x)
{
  struct spirv_shape single = spirv_shape_of (emitter, XIR_TYPE_FLOAT32, shape->lanes);
  if (shape->float_kind != XIR_TYPE_FLOAT32)
    x = spirv_op_f_convert (&emitter->writer, single.as_float, x);
  return spirv_op_u_greater_than (&emitter->writer, shape->as_bool, masked_bits (emitter, &single, x, MAGNITUDE_BITS),
                                  spirv_shape_uint (emitter, &single, INFINITY_BITS));
}

SPIRV_EMITTER (spirv_emit_isnan)
{
  struct spirv_shape shape = spirv_shape (emitter, xir_operand (instruction, 0)->type);
  return spirv_emit_is_nan (emitter, &shape, spirv_operand (emitter, instruction, 0));
}

SPIRV_EMITTER (spirv_emit_isinf)
{
  struct spirv_shape shape = spirv_shape (emitter, xir_operand (instruction, 0)->type);
  uint32_t x = spirv_operand (emitter, instruction, 0);
  if (shape.float_kind == XIR_TYPE_FLOAT64)
    /* A large double is infinite as float: the comparison must be of doubles. */
    return spirv_op_f_ord_equal (&emitter->writer, shape.as_bool,
                                 spirv_emit_glsl1 (emitter, shape.as_float, GLSLstd450FAbs, x),
                                 spirv_shape_float (emitter, &shape, (double) INFINITY));
  struct spirv_shape single = spirv_shape_of (emitter, XIR_TYPE_FLOAT32, shape.lanes);
  if (shape.float_kind == XIR_TYPE_FLOAT16)
    x = spirv_op_f_convert (&emitter->writer, single.as_float, x);
  return spirv_op_i_equal (&emitter->writer, shape.as_bool, masked_bits (emitter, &single, x, MAGNITUDE_BITS),
                           spirv_shape_uint (emitter, &single, INFINITY_BITS));
}

/* Lane by lane, since the words of a vector are none. */
static uint32_t
copysign_double (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t magnitude, uint32_t sign)
{
  struct spirv_writer *writer = &emitter->writer;
  static const uint32_t high = 1;
  uint32_t type = spirv_type_kind (&emitter->types, XIR_TYPE_FLOAT64, 1);
  struct spirv_shape pair = spirv_shape_of (emitter, XIR_TYPE_UINT32, 2), word = spirv_shape_of (emitter, XIR_TYPE_UINT32, 1);
  uint32_t parts[4] = { 0, 0, 0, 0 };
  for (uint32_t lane = 0; lane < shape->lanes; lane++)
    {
      bool one = shape->lanes == 1;
      uint32_t m = one ? magnitude : spirv_op_composite_extract (writer, type, magnitude, &lane, 1);
      uint32_t s = one ? sign : spirv_op_composite_extract (writer, type, sign, &lane, 1);
      m = spirv_op_bitcast (writer, pair.as_uint, m);
      s = spirv_op_composite_extract (writer, word.as_uint, spirv_op_bitcast (writer, pair.as_uint, s), &high, 1);
      uint32_t top = spirv_op_composite_extract (writer, word.as_uint, m, &high, 1);
      top = spirv_op_bitwise_or (writer, word.as_uint,
                                 spirv_op_bitwise_and (writer, word.as_uint, top, spirv_shape_uint (emitter, &word, MAGNITUDE_BITS)),
                                 spirv_op_bitwise_and (writer, word.as_uint, s, spirv_shape_uint (emitter, &word, SIGN_BIT)));
      parts[lane] = spirv_op_bitcast (writer, type, spirv_op_composite_insert (writer, pair.as_uint, top, m, &high, 1));
    }
  return shape->lanes == 1 ? parts[0] : spirv_op_composite_construct (writer, shape->as_float, parts, shape->lanes);
}

uint32_t
spirv_emit_copysign_bits (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t magnitude, uint32_t sign)
{
  struct spirv_writer *writer = &emitter->writer;
  if (shape->float_kind == XIR_TYPE_FLOAT64)
    return copysign_double (emitter, shape, magnitude, sign);
  struct spirv_shape single = spirv_shape_of (emitter, XIR_TYPE_FLOAT32, shape->lanes);
  bool is_half = shape->float_kind == XIR_TYPE_FLOAT16;
  if (is_half)
    {
      magnitude = spirv_emit_widen (emitter, shape, magnitude);
      sign = spirv_emit_widen (emitter, shape, sign);
    }
  uint32_t low = masked_bits (emitter, &single, magnitude, MAGNITUDE_BITS);
  uint32_t high = masked_bits (emitter, &single, sign, SIGN_BIT);
  uint32_t result = spirv_op_bitcast (writer, single.as_float, spirv_op_bitwise_or (writer, single.as_uint, low, high));
  return is_half ? spirv_emit_narrow (emitter, shape, result) : result;
}

SPIRV_EMITTER (spirv_emit_copysign)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  return spirv_emit_copysign_bits (emitter, &shape, spirv_operand (emitter, instruction, 0),
                                   spirv_operand (emitter, instruction, 1));
}

/* Of doubles only floor is used: llvmpipe's other roundings leave fractions beyond 2^31 as they are. */
static uint32_t
truncated (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x)
{
  if (shape->float_kind != XIR_TYPE_FLOAT64)
    return spirv_emit_glsl1 (emitter, shape->as_float, GLSLstd450Trunc, x);
  uint32_t magnitude = spirv_emit_glsl1 (emitter, shape->as_float, GLSLstd450FAbs, x);
  return spirv_emit_copysign_bits (emitter, shape, spirv_emit_glsl1 (emitter, shape->as_float, GLSLstd450Floor, magnitude), x);
}

SPIRV_EMITTER (spirv_emit_trunc)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  return truncated (emitter, &shape, spirv_operand (emitter, instruction, 0));
}

/* Half to even. Of a double: the fraction decides, and where it is one half, whether the whole is even. */
SPIRV_EMITTER (spirv_emit_rint)
{
  struct spirv_writer *writer = &emitter->writer;
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t type = shape.as_float, x = spirv_operand (emitter, instruction, 0);
  if (shape.float_kind != XIR_TYPE_FLOAT64)
    return spirv_emit_glsl1 (emitter, type, GLSLstd450RoundEven, x);
  uint32_t magnitude = spirv_emit_glsl1 (emitter, type, GLSLstd450FAbs, x), half = spirv_shape_float (emitter, &shape, 0.5);
  uint32_t whole = spirv_emit_glsl1 (emitter, type, GLSLstd450Floor, magnitude);
  uint32_t fraction = spirv_emit_fsub (emitter, type, magnitude, whole);
  uint32_t halved = spirv_emit_fmul (emitter, type, whole, half);
  uint32_t odd = spirv_op_f_unord_not_equal (writer, shape.as_bool, spirv_emit_glsl1 (emitter, type, GLSLstd450Floor, halved), halved);
  uint32_t tie = spirv_op_f_ord_equal (writer, shape.as_bool, fraction, half);
  uint32_t up = spirv_op_logical_or (writer, shape.as_bool, spirv_op_f_ord_less_than (writer, shape.as_bool, half, fraction),
                                     spirv_op_logical_and (writer, shape.as_bool, tie, odd));
  uint32_t next = spirv_emit_fadd (emitter, type, whole, spirv_shape_float (emitter, &shape, 1.0));
  return spirv_emit_copysign_bits (emitter, &shape, spirv_op_select (writer, type, up, next, whole), x);
}

/* Half away from zero. The fraction is exact, so comparing it with 0.5 decides;
 * adding 0.5 first would round the float below 0.5 up to 1. */
SPIRV_EMITTER (spirv_emit_round)
{
  struct spirv_writer *writer = &emitter->writer;
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t type = shape.as_float;
  uint32_t x = spirv_operand (emitter, instruction, 0);
  uint32_t whole = truncated (emitter, &shape, x);
  uint32_t fraction = spirv_emit_glsl1 (emitter, type, GLSLstd450FAbs, spirv_emit_fsub (emitter, type, x, whole));
  uint32_t away = spirv_op_f_ord_greater_than_equal (writer, shape.as_bool, fraction, spirv_shape_float (emitter, &shape, 0.5));
  uint32_t magnitude = spirv_emit_glsl1 (emitter, type, GLSLstd450FAbs, whole);
  uint32_t next = spirv_emit_fadd (emitter, type, magnitude, spirv_shape_float (emitter, &shape, 1.0));
  return spirv_emit_copysign_bits (emitter, &shape, spirv_op_select (writer, type, away, next, magnitude), x);
}
