/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arithmetic that is one instruction, or a short expression of such. What needs
 * a guard against undefined cases is in emit-guarded.c. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <math.h>
#include <string.h>

#include "codegen/xir/evaluate-private.h"

/* Pieces. */

struct spirv_shape
spirv_shape_of (struct spirv_emitter *emitter, enum xir_type_kind scalar, uint32_t lanes)
{
  static const enum xir_type_kind kinds[4][3] = {
    { XIR_TYPE_INT8, XIR_TYPE_UINT8, XIR_TYPE_BOOL }, { XIR_TYPE_INT16, XIR_TYPE_UINT16, XIR_TYPE_FLOAT16 },
    { XIR_TYPE_INT32, XIR_TYPE_UINT32, XIR_TYPE_FLOAT32 }, { XIR_TYPE_INT64, XIR_TYPE_UINT64, XIR_TYPE_FLOAT64 }
  };
  uint32_t width = scalar == XIR_TYPE_BOOL ? 32 : evaluate_width (scalar);
  const enum xir_type_kind *row = kinds[width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3];
  bool has_integers = width == 32 || !evaluate_is_float (scalar);
  struct spirv_shape shape = {
    .lanes = lanes, .as_bool = spirv_type_kind (&emitter->types, XIR_TYPE_BOOL, lanes),
    .int_kind = row[0], .uint_kind = row[1], .float_kind = row[2]
  };
  if (has_integers)
    {
      shape.as_int = spirv_type_kind (&emitter->types, row[0], lanes);
      shape.as_uint = spirv_type_kind (&emitter->types, row[1], lanes);
    }
  if (width == 32 || evaluate_is_float (scalar))
    shape.as_float = spirv_type_kind (&emitter->types, row[2], lanes);
  return shape;
}

struct spirv_shape
spirv_shape (struct spirv_emitter *emitter, const struct xir_type *type)
{
  return spirv_shape_of (emitter, xir_type_scalar_of (type)->kind, xir_type_lanes (type));
}

uint32_t
spirv_shape_float (struct spirv_emitter *emitter, const struct spirv_shape *shape, double value)
{
  return spirv_constant_real (&emitter->types, shape->float_kind, shape->lanes, value);
}

uint32_t
spirv_shape_uint (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint64_t value)
{
  return spirv_constant_bits (&emitter->types, shape->uint_kind, shape->lanes, value);
}

uint32_t
spirv_shape_int (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint64_t bits)
{
  return spirv_constant_bits (&emitter->types, shape->int_kind, shape->lanes, bits);
}

uint32_t
spirv_emit_exact (struct spirv_emitter *emitter, uint32_t id)
{
  if (!emitter->function->fast_math)
    spirv_decorate (&emitter->writer, id, SpvDecorationNoContraction);
  return id;
}

uint32_t
spirv_emit_fadd (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b)
{
  return spirv_emit_exact (emitter, spirv_op_f_add (&emitter->writer, type, a, b));
}

uint32_t
spirv_emit_fsub (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b)
{
  return spirv_emit_exact (emitter, spirv_op_f_sub (&emitter->writer, type, a, b));
}

uint32_t
spirv_emit_fmul (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b)
{
  return spirv_emit_exact (emitter, spirv_op_f_mul (&emitter->writer, type, a, b));
}

/* Neither can be contracted. But SPIRV-Tools folds what lacks the decoration as if
 * there were no zeros, infinities and NaN: 0 / x, x / a / b, x * y / x, -(x / y). */
uint32_t
spirv_emit_fdiv (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b)
{
  return spirv_emit_exact (emitter, spirv_op_f_div (&emitter->writer, type, a, b));
}

uint32_t
spirv_emit_fnegate (struct spirv_emitter *emitter, uint32_t type, uint32_t a)
{
  return spirv_emit_exact (emitter, spirv_op_f_negate (&emitter->writer, type, a));
}

uint32_t
spirv_emit_glsl1 (struct spirv_emitter *emitter, uint32_t type, enum GLSLstd450 op, uint32_t a)
{
  return spirv_op_glsl (&emitter->writer, type, op, &a, 1);
}

uint32_t
spirv_emit_glsl2 (struct spirv_emitter *emitter, uint32_t type, enum GLSLstd450 op, uint32_t a, uint32_t b)
{
  const uint32_t operands[] = { a, b };
  return spirv_op_glsl (&emitter->writer, type, op, operands, 2);
}

static uint32_t
result_type (struct spirv_emitter *emitter, const struct xir_instruction *instruction)
{
  return spirv_type (&emitter->types, instruction->value.type);
}

static uint16_t
code (const struct xir_instruction *instruction, const struct spirv_op_rule *rule)
{
  return rule->codes[spirv_op_class_of (xir_operand (instruction, 0)->type)];
}

/* Rows of the table. */

SPIRV_EMITTER (spirv_emit_direct)
{
  uint32_t operands[3] = { 0, 0, 0 };
  for (uint32_t i = 0; i < instruction->n_operands && i < G_N_ELEMENTS (operands); i++)
    operands[i] = spirv_operand (emitter, instruction, i);
  uint32_t id = spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, (SpvOp) code (instruction, rule),
                                    result_type (emitter, instruction), operands, instruction->n_operands);
  bool is_float = spirv_op_class_of (xir_operand (instruction, 0)->type) == SPIRV_CLASS_FLOAT;
  return rule->contracts && is_float ? spirv_emit_exact (emitter, id) : id;
}

/* Not OpSNegate of integers: SPIRV-Tools takes - (a / b) for (-a) / b, which is something else without signs and at the
 * lowest number (tests: found/negated-quotient). */
SPIRV_EMITTER (spirv_emit_negate)
{
  const struct xir_type *type = instruction->value.type;
  uint32_t x = spirv_operand (emitter, instruction, 0), of = result_type (emitter, instruction);
  if (spirv_op_class_of (type) == SPIRV_CLASS_FLOAT)
    return spirv_emit_fnegate (emitter, of, x);
  uint32_t zero = spirv_constant_bits (&emitter->types, xir_type_scalar_of (type)->kind, xir_type_lanes (type), 0);
  return spirv_op_i_sub (&emitter->writer, of, zero, x);
}

SPIRV_EMITTER (spirv_emit_extended)
{
  uint32_t operands[3] = { 0, 0, 0 };
  for (uint32_t i = 0; i < instruction->n_operands && i < G_N_ELEMENTS (operands); i++)
    operands[i] = spirv_operand (emitter, instruction, i);
  return spirv_op_glsl (&emitter->writer, result_type (emitter, instruction), (enum GLSLstd450) code (instruction, rule),
                        operands, instruction->n_operands);
}

SPIRV_EMITTER (spirv_emit_select)
{
  /* XIR has the false side first. One condition may choose between whole vectors since SPIR-V 1.4. */
  return spirv_op_select (&emitter->writer, result_type (emitter, instruction), spirv_operand (emitter, instruction, 2),
                          spirv_operand (emitter, instruction, 1), spirv_operand (emitter, instruction, 0));
}

SPIRV_EMITTER (spirv_emit_all_any)
{
  uint32_t x = spirv_operand (emitter, instruction, 0);
  if (xir_type_is_scalar (xir_operand (instruction, 0)->type))
    return x;
  return instruction->op == XIR_OP_ALL ? spirv_op_all (&emitter->writer, result_type (emitter, instruction), x)
                                       : spirv_op_any (&emitter->writer, result_type (emitter, instruction), x);
}

/* NMin and NMax give the other operand when one is NaN; without a care for NaN the plain ones do. */
static enum GLSLstd450
float_choice (const struct spirv_emitter *emitter, uint16_t number)
{
  if (!emitter->function->fast_math)
    return (enum GLSLstd450) number;
  return number == GLSLstd450NMin ? GLSLstd450FMin : number == GLSLstd450NMax ? GLSLstd450FMax : (enum GLSLstd450) number;
}

SPIRV_EMITTER (spirv_emit_minmax)
{
  return spirv_emit_glsl2 (emitter, result_type (emitter, instruction), float_choice (emitter, code (instruction, rule)),
                           spirv_operand (emitter, instruction, 0), spirv_operand (emitter, instruction, 1));
}

static enum GLSLstd450
min_of_max (enum GLSLstd450 max)
{
  switch (max)
    {
    case GLSLstd450SMax:
      return GLSLstd450SMin;
    case GLSLstd450UMax:
      return GLSLstd450UMin;
    case GLSLstd450FMax:
      return GLSLstd450FMin;
    default:
      return GLSLstd450NMin;
    }
}

/* Not the clamp instructions: these are undefined when the bounds are the wrong way round. */
SPIRV_EMITTER (spirv_emit_clamp)
{
  uint32_t type = result_type (emitter, instruction);
  enum GLSLstd450 max = float_choice (emitter, code (instruction, rule));
  uint32_t raised = spirv_emit_glsl2 (emitter, type, max, spirv_operand (emitter, instruction, 0),
                                      spirv_operand (emitter, instruction, 1));
  return spirv_emit_glsl2 (emitter, type, min_of_max (max), raised, spirv_operand (emitter, instruction, 2));
}

static uint32_t
saturate (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x)
{
  enum GLSLstd450 max = float_choice (emitter, GLSLstd450NMax);
  uint32_t raised = spirv_emit_glsl2 (emitter, shape->as_float, max, x, spirv_shape_float (emitter, shape, 0.0));
  return spirv_emit_glsl2 (emitter, shape->as_float, min_of_max (max), raised, spirv_shape_float (emitter, shape, 1.0));
}

SPIRV_EMITTER (spirv_emit_saturate)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  return saturate (emitter, &shape, spirv_operand (emitter, instruction, 0));
}

SPIRV_EMITTER (spirv_emit_abs)
{
  uint32_t x = spirv_operand (emitter, instruction, 0);
  if (spirv_op_class_of (instruction->value.type) == SPIRV_CLASS_UNSIGNED)
    return x;
  return spirv_emit_glsl1 (emitter, result_type (emitter, instruction), (enum GLSLstd450) code (instruction, rule), x);
}

/* a * (1 - t) + b * t: gives b at t = 1, which a + (b - a) * t does not. */
SPIRV_EMITTER (spirv_emit_lerp)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t t = spirv_operand (emitter, instruction, 2);
  uint32_t rest = spirv_emit_fsub (emitter, shape.as_float, spirv_shape_float (emitter, &shape, 1.0), t);
  uint32_t left = spirv_emit_fmul (emitter, shape.as_float, spirv_operand (emitter, instruction, 0), rest);
  uint32_t right = spirv_emit_fmul (emitter, shape.as_float, spirv_operand (emitter, instruction, 1), t);
  return spirv_emit_fadd (emitter, shape.as_float, left, right);
}

/* smoothstep (edge0, edge1, x) */
SPIRV_EMITTER (spirv_emit_smoothstep)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t type = shape.as_float;
  uint32_t edge0 = spirv_operand (emitter, instruction, 0);
  uint32_t width = spirv_emit_fsub (emitter, type, spirv_operand (emitter, instruction, 1), edge0);
  uint32_t from = spirv_emit_fsub (emitter, type, spirv_operand (emitter, instruction, 2), edge0);
  uint32_t t = saturate (emitter, &shape, spirv_emit_fdiv (emitter, type, from, width));
  uint32_t twice = spirv_emit_fmul (emitter, type, spirv_shape_float (emitter, &shape, 2.0), t);
  uint32_t bend = spirv_emit_fsub (emitter, type, spirv_shape_float (emitter, &shape, 3.0), twice);
  return spirv_emit_fmul (emitter, type, spirv_emit_fmul (emitter, type, t, t), bend);
}

/* step (edge, x): NaN in either gives 0. */
SPIRV_EMITTER (spirv_emit_step)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t past = spirv_op_f_ord_greater_than_equal (&emitter->writer, shape.as_bool, spirv_operand (emitter, instruction, 1),
                                                     spirv_operand (emitter, instruction, 0));
  return spirv_op_select (&emitter->writer, shape.as_float, past, spirv_shape_float (emitter, &shape, 1.0),
                          spirv_shape_float (emitter, &shape, 0.0));
}

SPIRV_EMITTER (spirv_emit_fract)
{
  uint32_t type = result_type (emitter, instruction);
  uint32_t x = spirv_operand (emitter, instruction, 0);
  return spirv_emit_fsub (emitter, type, x, spirv_emit_glsl1 (emitter, type, GLSLstd450Floor, x));
}

SPIRV_EMITTER (spirv_emit_exp10)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  const double log2_of_10 = 3.32192809488736234787;
  uint32_t scaled = spirv_emit_fmul (emitter, shape.as_float, spirv_operand (emitter, instruction, 0),
                                     spirv_shape_float (emitter, &shape, log2_of_10));
  return spirv_emit_glsl1 (emitter, shape.as_float, GLSLstd450Exp2, scaled);
}

SPIRV_EMITTER (spirv_emit_log10)
{
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  const double log10_of_2 = 0.30102999566398119521;
  uint32_t logarithm = spirv_emit_glsl1 (emitter, shape.as_float, GLSLstd450Log2, spirv_operand (emitter, instruction, 0));
  return spirv_emit_fmul (emitter, shape.as_float, logarithm, spirv_shape_float (emitter, &shape, log10_of_2));
}

/* The instruction knows no negative base and no 0 to the power of 0. C does: an
 * integral exponent keeps or drops the base's sign, any other gives NaN. */
SPIRV_EMITTER (spirv_emit_pow)
{
  struct spirv_writer *writer = &emitter->writer;
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t x = spirv_operand (emitter, instruction, 0), y = spirv_operand (emitter, instruction, 1);
  if (emitter->function->fast_math)
    return spirv_emit_glsl2 (emitter, shape.as_float, GLSLstd450Pow, x, y);
  uint32_t zero = spirv_shape_float (emitter, &shape, 0.0);
  uint32_t base = spirv_emit_glsl1 (emitter, shape.as_float, GLSLstd450FAbs, x);
  uint32_t power = spirv_emit_glsl2 (emitter, shape.as_float, GLSLstd450Pow, base, y);
  uint32_t whole = spirv_op_f_ord_equal (writer, shape.as_bool, spirv_emit_glsl1 (emitter, shape.as_float, GLSLstd450Trunc, y), y);
  uint32_t half = spirv_emit_fmul (emitter, shape.as_float, y, spirv_shape_float (emitter, &shape, 0.5));
  uint32_t odd = spirv_op_f_unord_not_equal (writer, shape.as_bool,
                                             spirv_emit_glsl1 (emitter, shape.as_float, GLSLstd450Trunc, half), half);
  uint32_t turned = spirv_op_select (writer, shape.as_float, odd, spirv_emit_fnegate (emitter, shape.as_float, power), power);
  uint32_t nan = spirv_shape_float (emitter, &shape, (double) NAN);
  uint32_t of_negative = spirv_op_select (writer, shape.as_float, whole, turned, nan);
  uint32_t negative = spirv_op_f_ord_less_than (writer, shape.as_bool, x, zero);
  uint32_t result = spirv_op_select (writer, shape.as_float, negative, of_negative, power);
  return spirv_op_select (writer, shape.as_float, spirv_op_f_ord_equal (writer, shape.as_bool, y, zero),
                          spirv_shape_float (emitter, &shape, 1.0), result);
}
