/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pow_int (x, n): repeated squaring, so that small whole powers are as exact as
 * the products that a person would write. A constant exponent becomes those
 * products; any other calls one function with a loop over the bits of n. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <string.h>

#define LARGEST_UNROLLED 64

/* The exponent that all lanes share, if it is a constant. */
static bool
constant_exponent (const struct xir_value *value, int64_t *exponent)
{
  const struct xir_constant *constant = xir_value_constant (value);
  if (constant == NULL)
    return false;
  uint32_t lanes = xir_type_lanes (value->type);
  const struct xir_type *scalar = xir_type_scalar_of (value->type);
  uint32_t words[4] = { 0, 0, 0, 0 };
  memcpy (words, constant->data, lanes * sizeof words[0]);
  for (uint32_t i = 1; i < lanes; i++)
    if (words[i] != words[0])
      return false;
  *exponent = scalar->kind == XIR_TYPE_INT32 ? (int64_t) (int32_t) words[0] : (int64_t) words[0];
  return true;
}

static uint32_t
unrolled (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x, int64_t exponent)
{
  uint32_t bits = (uint32_t) ABS (exponent);
  uint32_t one = spirv_shape_float (emitter, shape, 1.0);
  uint32_t result = 0, square = x;
  for (; bits != 0; bits >>= 1)
    {
      if ((bits & 1) != 0)
        result = result == 0 ? square : spirv_emit_fmul (emitter, shape->as_float, result, square);
      if (bits > 1)
        square = spirv_emit_fmul (emitter, shape->as_float, square, square);
    }
  if (result == 0)
    return one;
  return exponent < 0 ? spirv_emit_fdiv (emitter, shape->as_float, one, result) : result;
}

SPIRV_EMITTER (spirv_emit_pow_int)
{
  struct spirv_writer *writer = &emitter->writer;
  struct spirv_shape shape = spirv_shape (emitter, instruction->value.type);
  uint32_t x = spirv_operand (emitter, instruction, 0);
  int64_t exponent;
  if (constant_exponent (xir_operand (instruction, 1), &exponent) && ABS (exponent) <= LARGEST_UNROLLED)
    return unrolled (emitter, &shape, x, exponent);
  uint32_t n = spirv_operand (emitter, instruction, 1);
  if (xir_type_scalar_of (xir_operand (instruction, 1)->type)->kind != XIR_TYPE_INT32)
    n = spirv_op_bitcast (writer, spirv_type_kind (&emitter->types, XIR_TYPE_INT32, shape.lanes), n);
  /* A half goes through float, which is also the more exact way. */
  bool is_half = shape.float_kind == XIR_TYPE_FLOAT16;
  struct spirv_shape wide = is_half ? spirv_shape_of (emitter, XIR_TYPE_FLOAT32, shape.lanes) : shape;
  if (is_half)
    x = spirv_emit_widen (emitter, &shape, x);
  uint32_t *function = &emitter->pow_int[wide.float_kind == XIR_TYPE_FLOAT64];
  if (*function == 0)
    *function = spirv_new_id (writer);
  uint32_t as_float = spirv_type_kind (&emitter->types, wide.float_kind, 1);
  if (shape.lanes == 1)
    {
      const uint32_t arguments[] = { x, n };
      uint32_t result = spirv_op_function_call (writer, as_float, *function, arguments, 2);
      return is_half ? spirv_emit_narrow (emitter, &shape, result) : result;
    }
  uint32_t parts[4];
  for (uint32_t lane = 0; lane < shape.lanes; lane++)
    {
      const uint32_t arguments[] = {
        spirv_op_composite_extract (writer, as_float, x, &lane, 1),
        spirv_op_composite_extract (writer, spirv_type_kind (&emitter->types, XIR_TYPE_INT32, 1), n, &lane, 1)
      };
      parts[lane] = spirv_op_function_call (writer, as_float, *function, arguments, 2);
    }
  uint32_t result = spirv_op_composite_construct (writer, wide.as_float, parts, shape.lanes);
  return is_half ? spirv_emit_narrow (emitter, &shape, result) : result;
}

/* A phi whose second way comes from an id that is made later. */
static uint32_t
loop_phi (struct spirv_writer *writer, uint32_t type, uint32_t start, uint32_t entry, uint32_t next, uint32_t back)
{
  const uint32_t operands[] = { start, entry, next, back };
  return spirv_write_result (writer, SPIRV_SECTION_BODY, SpvOpPhi, type, operands, G_N_ELEMENTS (operands));
}

/* As spirv_write_result, for an id that was given out already. */
static void
write_as (struct spirv_writer *writer, SpvOp op, uint32_t type, uint32_t id, uint32_t a, uint32_t b, uint32_t c)
{
  const uint32_t operands[] = { type, id, a, b, c };
  spirv_write (writer, SPIRV_SECTION_BODY, op, operands, c != 0 ? 5 : 4);
}

static void
write_function (struct spirv_emitter *emitter, enum xir_type_kind kind, uint32_t function)
{
  struct spirv_writer *w = &emitter->writer;
  struct spirv_types *types = &emitter->types;
  uint32_t as_float = spirv_type_kind (types, kind, 1), as_int = spirv_type_kind (types, XIR_TYPE_INT32, 1);
  uint32_t as_uint = spirv_type_kind (types, XIR_TYPE_UINT32, 1), as_bool = spirv_type_kind (types, XIR_TYPE_BOOL, 1);
  uint32_t one = spirv_constant_real (types, kind, 1, 1.0), zero = spirv_constant_word (types, 0);
  uint32_t unit = spirv_constant_word (types, 1);
  const uint32_t signature[] = { as_float, as_float, as_int };
  uint32_t function_type = spirv_intern (w, SpvOpTypeFunction, 0, signature, G_N_ELEMENTS (signature), NULL);
  uint32_t entry = spirv_new_id (w), header = spirv_new_id (w), body = spirv_new_id (w);
  uint32_t update = spirv_new_id (w), merge = spirv_new_id (w);
  uint32_t next_bits = spirv_new_id (w), next_result = spirv_new_id (w), next_square = spirv_new_id (w);
  spirv_function_begin (w, function, as_float, function_type, SpvFunctionControlMaskNone);
  uint32_t x = spirv_function_parameter (w, as_float);
  uint32_t n = spirv_function_parameter (w, as_int);
  uint32_t magnitude = spirv_op_bitcast (w, as_uint, spirv_emit_glsl1 (emitter, as_int, GLSLstd450SAbs, n));
  spirv_op_branch (w, header);
  spirv_op_label (w, header);
  uint32_t bits = loop_phi (w, as_uint, magnitude, entry, next_bits, update);
  uint32_t result = loop_phi (w, as_float, one, entry, next_result, update);
  uint32_t square = loop_phi (w, as_float, x, entry, next_square, update);
  uint32_t more = spirv_op_i_not_equal (w, as_bool, bits, zero);
  spirv_op_loop_merge (w, merge, update, SpvLoopControlMaskNone, 0);
  spirv_op_branch_conditional (w, more, body, merge);
  spirv_op_label (w, body);
  uint32_t odd = spirv_op_i_not_equal (w, as_bool, spirv_op_bitwise_and (w, as_uint, bits, unit), zero);
  uint32_t product = spirv_op_f_mul (w, as_float, result, square);
  spirv_decorate (w, product, SpvDecorationNoContraction);
  write_as (w, SpvOpSelect, as_float, next_result, odd, product, result);
  spirv_op_branch (w, update);
  spirv_op_label (w, update);
  write_as (w, SpvOpFMul, as_float, next_square, square, square, 0);
  spirv_decorate (w, next_square, SpvDecorationNoContraction);
  write_as (w, SpvOpShiftRightLogical, as_uint, next_bits, bits, unit, 0);
  spirv_op_branch (w, header);
  spirv_op_label (w, merge);
  uint32_t negative = spirv_op_s_less_than (w, as_bool, n, spirv_constant_bits (types, XIR_TYPE_INT32, 1, 0));
  uint32_t inverse = spirv_op_f_div (w, as_float, one, result);
  spirv_decorate (w, inverse, SpvDecorationNoContraction);
  spirv_op_return_value (w, spirv_op_select (w, as_float, negative, inverse, result));
  spirv_function_end (w, entry);
}

void
spirv_emit_pow_int_functions (struct spirv_emitter *emitter)
{
  if (emitter->pow_int[0] != 0)
    write_function (emitter, XIR_TYPE_FLOAT32, emitter->pow_int[0]);
  if (emitter->pow_int[1] != 0)
    write_function (emitter, XIR_TYPE_FLOAT64, emitter->pow_int[1]);
}
