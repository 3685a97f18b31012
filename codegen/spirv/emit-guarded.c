/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that SPIR-V leaves undefined somewhere, made whole as the table of
 * gabbro-kernel(5) wants: division, remainder, shifts, rotation, conversion,
 * rounding, bit scans, and questions about float that a driver might answer
 * without looking. In an "unchecked" function the first and the conversions are
 * what the hardware has. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <string.h>

#define INT_MIN_BITS     UINT32_C (0x80000000)
#define SIGN_BIT         UINT32_C (0x80000000)
#define MAGNITUDE_BITS   UINT32_C (0x7fffffff)
#define INFINITY_BITS    UINT32_C (0x7f800000)
#define ONE_BITS         UINT32_C (0x3f800000)

/* Whether every lane of a constant passes: guards are left out where they could never act. */
static bool
constant_lanes (const struct xir_value *value, bool (*test) (uint32_t bits))
{
  const struct xir_constant *constant = xir_value_constant (value);
  if (constant == NULL || xir_type_scalar_of (value->type)->size != sizeof (uint32_t))
    return false;
  for (uint32_t i = 0; i < xir_type_lanes (value->type); i++)
    {
      uint32_t bits;
      memcpy (&bits, constant->data + i * sizeof bits, sizeof bits);
      if (!test (bits))
        return false;
    }
  return true;
}

static bool
is_safe_unsigned_divisor (uint32_t bits)
{
  return bits != 0;
}

static bool
is_safe_signed_divisor (uint32_t bits)
{
  return bits != 0 && bits != UINT32_MAX;
}

static bool
is_safe_shift (uint32_t bits)
{
  return bits < 32;
}

/* The divisor, with 1 in place of what would be undefined: x / 1 is x, which is
 * also the table's answer for x / 0 and INT_MIN / -1, and the remainder is then 0. */
static uint32_t
safe_divisor (struct spirv_emitter *emitter, const struct xir_instruction *instruction, const struct spirv_shape *shape,
              uint32_t x, uint32_t y)
{
  struct spirv_writer *writer = &emitter->writer;
  bool is_signed = xir_type_is_signed (instruction->value.type);
  if (emitter->function->unchecked
      || constant_lanes (xir_operand (instruction, 1), is_signed ? is_safe_signed_divisor : is_safe_unsigned_divisor))
    return y;
  if (!is_signed)
    return spirv_op_select (writer, shape->as_uint,
                            spirv_op_i_equal (writer, shape->as_bool, y, spirv_shape_uint (emitter, shape, 0)),
                            spirv_shape_uint (emitter, shape, 1), y);
  uint32_t zero = spirv_op_i_equal (writer, shape->as_bool, y, spirv_shape_int (emitter, shape, 0));
  uint32_t lowest = spirv_op_i_equal (writer, shape->as_bool, x, spirv_shape_int (emitter, shape, INT_MIN_BITS));
  uint32_t minus_one = spirv_op_i_equal (writer, shape->as_bool, y, spirv_shape_int (emitter, shape, UINT32_MAX));
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

/* The count modulo the width of 32. */
static uint32_t
masked_count (struct spirv_emitter *emitter, const struct xir_instruction *instruction)
{
  const struct xir_value *count = xir_operand (instruction, 1);
  uint32_t id = spirv_value (emitter, count);
  if (constant_lanes (count, is_safe_shift))
    return id;
  uint32_t mask = spirv_constant_bits (&emitter->types, xir_type_scalar_of (count->type)->kind, xir_type_lanes (count->type), 31);
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
  uint32_t mask = spirv_constant_bits (&emitter->types, count_kind, lanes, 31);
  /* (-count) mod 32, so that a rotation by 0 shifts by 0 both ways and not by 32. */
  uint32_t rest = spirv_op_bitwise_and (writer, type_of_count, spirv_op_i_sub (writer, type_of_count, zero, count), mask);
  bool left = instruction->op == XIR_OP_ROTATE_LEFT;
  uint32_t up = spirv_op_shift_left_logical (writer, type, x, left ? count : rest);
  uint32_t down = spirv_op_shift_right_logical (writer, type, x, left ? rest : count);
  return spirv_op_bitwise_or (writer, type, up, down);
}

/* FindUMsb (0) is -1, so that 31 - it is 32 there too. */
SPIRV_EMITTER (spirv_emit_clz)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t highest = spirv_emit_glsl1 (emitter, shape.as_uint, GLSLstd450FindUMsb, spirv_operand (emitter, instruction, 0));
  return spirv_op_i_sub (&emitter->writer, shape.as_uint, spirv_shape_uint (emitter, &shape, 31), highest);
}

/* FindILsb (0) is -1, the largest uint. */
SPIRV_EMITTER (spirv_emit_ctz)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t lowest = spirv_emit_glsl1 (emitter, shape.as_uint, GLSLstd450FindILsb, spirv_operand (emitter, instruction, 0));
  return spirv_emit_glsl2 (emitter, shape.as_uint, GLSLstd450UMin, lowest, spirv_shape_uint (emitter, &shape, 32));
}

/* Float by its bits. */

static uint32_t
masked_bits (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x, uint32_t mask)
{
  return spirv_op_bitwise_and (&emitter->writer, shape->as_uint, spirv_op_bitcast (&emitter->writer, shape->as_uint, x),
                               spirv_shape_uint (emitter, shape, mask));
}

uint32_t
spirv_emit_is_nan (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x)
{
  return spirv_op_u_greater_than (&emitter->writer, shape->as_bool, masked_bits (emitter, shape, x, MAGNITUDE_BITS),
                                  spirv_shape_uint (emitter, shape, INFINITY_BITS));
}

SPIRV_EMITTER (spirv_emit_isnan)
{
  struct spirv_shape shape = spirv_shape (emitter, xir_operand (instruction, 0)->type);
  return spirv_emit_is_nan (emitter, &shape, spirv_operand (emitter, instruction, 0));
}

SPIRV_EMITTER (spirv_emit_isinf)
{
  struct spirv_shape shape = spirv_shape (emitter, xir_operand (instruction, 0)->type);
  uint32_t bits = masked_bits (emitter, &shape, spirv_operand (emitter, instruction, 0), MAGNITUDE_BITS);
  return spirv_op_i_equal (&emitter->writer, shape.as_bool, bits, spirv_shape_uint (emitter, &shape, INFINITY_BITS));
}

uint32_t
spirv_emit_copysign_bits (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t magnitude, uint32_t sign)
{
  uint32_t low = masked_bits (emitter, shape, magnitude, MAGNITUDE_BITS);
  uint32_t high = masked_bits (emitter, shape, sign, SIGN_BIT);
  return spirv_op_bitcast (&emitter->writer, shape->as_float,
                           spirv_op_bitwise_or (&emitter->writer, shape->as_uint, low, high));
}

SPIRV_EMITTER (spirv_emit_copysign)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  return spirv_emit_copysign_bits (emitter, &shape, spirv_operand (emitter, instruction, 0),
                                   spirv_operand (emitter, instruction, 1));
}

/* Half away from zero. The fraction is exact, so comparing it with 0.5 decides;
 * adding 0.5 first would round the float below 0.5 up to 1. */
SPIRV_EMITTER (spirv_emit_round)
{
  struct spirv_writer *writer = &emitter->writer;
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t type = shape.as_float;
  uint32_t x = spirv_operand (emitter, instruction, 0);
  uint32_t whole = spirv_emit_glsl1 (emitter, type, GLSLstd450Trunc, x);
  uint32_t fraction = spirv_emit_glsl1 (emitter, type, GLSLstd450FAbs, spirv_emit_fsub (emitter, type, x, whole));
  uint32_t away = spirv_op_f_ord_greater_than_equal (writer, shape.as_bool, fraction, spirv_shape_float (emitter, &shape, 0.5f));
  uint32_t magnitude = spirv_emit_glsl1 (emitter, type, GLSLstd450FAbs, whole);
  uint32_t next = spirv_emit_fadd (emitter, type, magnitude, spirv_constant_bits (&emitter->types, XIR_TYPE_FLOAT32, shape.lanes, ONE_BITS));
  return spirv_emit_copysign_bits (emitter, &shape, spirv_op_select (writer, type, away, next, magnitude), x);
}

/* Conversions. */

/* Truncates and saturates, NaN is 0. The operand of the instruction itself is
 * clamped to what it is defined for; 2^31 and 2^32 are floats, one less is not. */
static uint32_t
float_to_integer (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x, bool is_signed)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t type = is_signed ? shape->as_int : shape->as_uint;
  if (emitter->function->unchecked)
    return is_signed ? spirv_op_convert_f_to_s (writer, type, x) : spirv_op_convert_f_to_u (writer, type, x);
  uint32_t lowest = spirv_shape_float (emitter, shape, is_signed ? -2147483648.0f : 0.0f);
  uint32_t past = spirv_shape_float (emitter, shape, is_signed ? 2147483648.0f : 4294967296.0f);
  uint32_t highest = spirv_shape_float (emitter, shape, is_signed ? 2147483520.0f : 4294967040.0f);
  /* NaN is not >= anything, so it is raised to the lowest here. */
  uint32_t above = spirv_op_f_ord_greater_than_equal (writer, shape->as_bool, x, lowest);
  uint32_t raised = spirv_op_select (writer, shape->as_float, above, x, lowest);
  uint32_t below = spirv_op_f_ord_less_than (writer, shape->as_bool, raised, past);
  uint32_t clamped = spirv_op_select (writer, shape->as_float, below, raised, highest);
  uint32_t converted = is_signed ? spirv_op_convert_f_to_s (writer, type, clamped)
                                 : spirv_op_convert_f_to_u (writer, type, clamped);
  enum xir_type_kind kind = is_signed ? XIR_TYPE_INT32 : XIR_TYPE_UINT32;
  uint32_t most = spirv_constant_bits (&emitter->types, kind, shape->lanes, is_signed ? (uint32_t) INT32_MAX : UINT32_MAX);
  uint32_t saturated = spirv_op_select (writer, type, below, converted, most);
  return spirv_op_select (writer, type, spirv_emit_is_nan (emitter, shape, x),
                          spirv_constant_bits (&emitter->types, kind, shape->lanes, 0), saturated);
}

static uint32_t
to_bool (struct spirv_emitter *emitter, const struct spirv_shape *shape, const struct xir_type *from, uint32_t x)
{
  enum xir_type_kind kind = xir_type_scalar_of (from)->kind;
  uint32_t zero = spirv_constant_bits (&emitter->types, kind, shape->lanes, 0);
  return kind == XIR_TYPE_FLOAT32 ? spirv_op_f_unord_not_equal (&emitter->writer, shape->as_bool, x, zero)
                                  : spirv_op_i_not_equal (&emitter->writer, shape->as_bool, x, zero);
}

SPIRV_EMITTER (spirv_emit_cast)
{
  struct spirv_writer *writer = &emitter->writer;
  const struct xir_type *from = xir_operand (instruction, 0)->type, *to = instruction->value.type;
  struct spirv_shape shape = spirv_shape (emitter, to);
  uint32_t x = spirv_operand (emitter, instruction, 0);
  uint32_t type = spirv_type (&emitter->types, to);
  enum spirv_op_class source = spirv_op_class_of (from), target = spirv_op_class_of (to);
  if (from == to)
    return x;
  if (target == SPIRV_CLASS_BOOL)
    return to_bool (emitter, &shape, from, x);
  if (source == SPIRV_CLASS_BOOL)
    {
      enum xir_type_kind kind = xir_type_scalar_of (to)->kind;
      uint32_t one = target == SPIRV_CLASS_FLOAT ? ONE_BITS : 1;
      return spirv_op_select (writer, type, x, spirv_constant_bits (&emitter->types, kind, shape.lanes, one),
                              spirv_constant_bits (&emitter->types, kind, shape.lanes, 0));
    }
  if (source == SPIRV_CLASS_FLOAT)
    return float_to_integer (emitter, &shape, x, target == SPIRV_CLASS_SIGNED);
  if (target == SPIRV_CLASS_FLOAT)
    return source == SPIRV_CLASS_SIGNED ? spirv_op_convert_s_to_f (writer, type, x) : spirv_op_convert_u_to_f (writer, type, x);
  return spirv_op_bitcast (writer, type, x);
}

SPIRV_EMITTER (spirv_emit_bitcast)
{
  uint32_t x = spirv_operand (emitter, instruction, 0);
  if (xir_operand (instruction, 0)->type == instruction->value.type)
    return x;
  return spirv_op_bitcast (&emitter->writer, spirv_type (&emitter->types, instruction->value.type), x);
}
