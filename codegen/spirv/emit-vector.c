/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Geometry on vectors, reductions over their lanes, and composites. Expansions
 * are written out, since NoContraction does nothing on extended instructions. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include "codegen/spirv/plan-size.h"

/* The scalar of operand 0. */
static enum xir_type_kind
scalar_kind (const struct xir_instruction *instruction)
{
  return xir_type_scalar_of (xir_operand (instruction, 0)->type)->kind;
}

static uint32_t
scalar_type (struct spirv_emitter *emitter, const struct xir_instruction *instruction)
{
  return spirv_type_kind (&emitter->types, scalar_kind (instruction), 1);
}

static uint32_t
dot (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint32_t a, uint32_t b)
{
  return spirv_emit_exact (emitter, spirv_op_dot (&emitter->writer, scalar_type (emitter, instruction), a, b));
}

static uint32_t
scale (struct spirv_emitter *emitter, uint32_t type, uint32_t vector, uint32_t scalar)
{
  return spirv_emit_exact (emitter, spirv_op_vector_times_scalar (&emitter->writer, type, vector, scalar));
}

/* dot (a, b), length_squared (a) */
SPIRV_EMITTER (spirv_emit_dot)
{
  uint32_t a = spirv_operand (emitter, instruction, 0);
  return dot (emitter, instruction, a, instruction->op == XIR_OP_DOT ? spirv_operand (emitter, instruction, 1) : a);
}

SPIRV_EMITTER (spirv_emit_length)
{
  uint32_t a = spirv_operand (emitter, instruction, 0);
  return spirv_emit_glsl1 (emitter, scalar_type (emitter, instruction), GLSLstd450Sqrt, dot (emitter, instruction, a, a));
}

SPIRV_EMITTER (spirv_emit_normalize)
{
  uint32_t a = spirv_operand (emitter, instruction, 0);
  uint32_t inverse = spirv_emit_glsl1 (emitter, scalar_type (emitter, instruction), GLSLstd450InverseSqrt,
                                       dot (emitter, instruction, a, a));
  return scale (emitter, spirv_type (&emitter->types, instruction->value.type), a, inverse);
}

SPIRV_EMITTER (spirv_emit_cross)
{
  static const uint32_t forward[] = { 1, 2, 0 }, backward[] = { 2, 0, 1 };
  struct spirv_writer *writer = &emitter->writer;
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  uint32_t a = spirv_operand (emitter, instruction, 0), b = spirv_operand (emitter, instruction, 1);
  uint32_t left = spirv_emit_fmul (emitter, type, spirv_op_vector_shuffle (writer, type, a, forward, 3),
                                   spirv_op_vector_shuffle (writer, type, b, backward, 3));
  uint32_t right = spirv_emit_fmul (emitter, type, spirv_op_vector_shuffle (writer, type, a, backward, 3),
                                    spirv_op_vector_shuffle (writer, type, b, forward, 3));
  return spirv_emit_fsub (emitter, type, left, right);
}

/* faceforward (n, i, reference): n where i and the reference look away from each other, else -n. */
SPIRV_EMITTER (spirv_emit_faceforward)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  uint32_t n = spirv_operand (emitter, instruction, 0);
  uint32_t angle = dot (emitter, instruction, spirv_operand (emitter, instruction, 2), spirv_operand (emitter, instruction, 1));
  uint32_t away = spirv_op_f_ord_less_than (writer, spirv_type_kind (&emitter->types, XIR_TYPE_BOOL, 1), angle,
                                            spirv_constant_real (&emitter->types, scalar_kind (instruction), 1, 0.0));
  return spirv_op_select (writer, type, away, n, spirv_emit_fnegate (emitter, type, n));
}

/* reflect (i, n): i - 2 dot (n, i) n */
SPIRV_EMITTER (spirv_emit_reflect)
{
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  uint32_t i = spirv_operand (emitter, instruction, 0), n = spirv_operand (emitter, instruction, 1);
  uint32_t twice = spirv_emit_fmul (emitter, scalar_type (emitter, instruction),
                                    spirv_constant_real (&emitter->types, scalar_kind (instruction), 1, 2.0), dot (emitter, instruction, n, i));
  return spirv_emit_fsub (emitter, type, i, scale (emitter, type, n, twice));
}

static uint32_t
combine (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint16_t code, uint32_t type, uint32_t a,
         uint32_t b)
{
  if (instruction->op == XIR_OP_REDUCE_MIN || instruction->op == XIR_OP_REDUCE_MAX)
    {
      if (emitter->function->fast_math && code == GLSLstd450NMin)
        code = GLSLstd450FMin;
      if (emitter->function->fast_math && code == GLSLstd450NMax)
        code = GLSLstd450FMax;
      return spirv_emit_glsl2 (emitter, type, (enum GLSLstd450) code, a, b);
    }
  const uint32_t operands[] = { a, b };
  uint32_t id = spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, (SpvOp) code, type, operands, 2);
  return code == SpvOpFAdd || code == SpvOpFMul ? spirv_emit_exact (emitter, id) : id;
}

/* In lane order, as the evaluator does it. */
SPIRV_EMITTER (spirv_emit_reduce)
{
  const struct xir_type *from = xir_operand (instruction, 0)->type;
  uint32_t x = spirv_operand (emitter, instruction, 0);
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  uint16_t code = rule->codes[spirv_op_class_of (from)];
  if (xir_type_is_scalar (from))
    return x;
  uint32_t result = 0;
  for (uint32_t lane = 0; lane < xir_type_lanes (from); lane++)
    {
      uint32_t part = spirv_op_composite_extract (&emitter->writer, type, x, &lane, 1);
      result = lane == 0 ? part : combine (emitter, instruction, code, type, result, part);
    }
  return result;
}

SPIRV_EMITTER (spirv_emit_aggregate)
{
  uint32_t few[16];
  uint32_t n = instruction->n_operands;
  uint32_t *parts = n <= G_N_ELEMENTS (few) ? few : g_new (uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    parts[i] = spirv_operand (emitter, instruction, i);
  uint32_t id = spirv_op_composite_construct (&emitter->writer, spirv_type (&emitter->types, instruction->value.type), parts, n);
  if (parts != few)
    g_free (parts);
  return id;
}

SPIRV_EMITTER (spirv_emit_shuffle)
{
  uint32_t lanes[4];
  uint32_t n = xir_type_lanes (instruction->value.type);
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  uint32_t vector = spirv_operand (emitter, instruction, 0);
  for (uint32_t i = 0; i < n; i++)
    lanes[i] = instruction->u.lanes[i];
  return n == 1 ? spirv_op_composite_extract (&emitter->writer, type, vector, lanes, 1)
                : spirv_op_vector_shuffle (&emitter->writer, type, vector, lanes, n);
}
