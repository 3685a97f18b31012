/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bits counted and turned around. The instructions of Vulkan know words of 32 bits only: narrower numbers are
 * widened for them, wider ones go through as two halves. */

#include "config.h"

#include "codegen/spirv/emit.h"

/* FindUMsb (0) is -1, so that 31 - it is 32 there too. */
static uint32_t
word_clz (struct spirv_emitter *emitter, const struct spirv_shape *word, uint32_t x)
{
  uint32_t highest = spirv_emit_glsl1 (emitter, word->as_uint, GLSLstd450FindUMsb, x);
  return spirv_op_i_sub (&emitter->writer, word->as_uint, spirv_shape_uint (emitter, word, 31), highest);
}

/* FindILsb (0) is -1, the largest uint. */
static uint32_t
word_ctz (struct spirv_emitter *emitter, const struct spirv_shape *word, uint32_t x)
{
  uint32_t lowest = spirv_emit_glsl1 (emitter, word->as_uint, GLSLstd450FindILsb, x);
  return spirv_emit_glsl2 (emitter, word->as_uint, GLSLstd450UMin, lowest, spirv_shape_uint (emitter, word, 32));
}

static uint32_t
word_op (struct spirv_emitter *emitter, const struct spirv_shape *word, enum xir_op op, uint32_t x)
{
  switch (op)
    {
    case XIR_OP_CLZ:
      return word_clz (emitter, word, x);
    case XIR_OP_CTZ:
      return word_ctz (emitter, word, x);
    case XIR_OP_POPCOUNT:
      return spirv_op_bit_count (&emitter->writer, word->as_uint, x);
    default:
      return spirv_op_bit_reverse (&emitter->writer, word->as_uint, x);
    }
}

/* The number stands at the low end of a word: in front of it are zeros that do not count, behind it comes a bit
 * that ends the search, and turned around it stands at the high end. */
static uint32_t
narrow_op (struct spirv_emitter *emitter, const struct spirv_shape *word, enum xir_op op, uint32_t width, uint32_t x)
{
  struct spirv_writer *writer = &emitter->writer;
  if (op == XIR_OP_CTZ)
    x = spirv_op_bitwise_or (writer, word->as_uint, x, spirv_shape_uint (emitter, word, UINT64_C (1) << width));
  uint32_t result = word_op (emitter, word, op, x);
  if (op == XIR_OP_CLZ)
    return spirv_op_i_sub (writer, word->as_uint, result, spirv_shape_uint (emitter, word, 32 - width));
  if (op == XIR_OP_REVERSE)
    return spirv_op_shift_right_logical (writer, word->as_uint, result, spirv_shape_uint (emitter, word, 32 - width));
  return result;
}

/* What one half says where the other, looked at first, is zero. */
static uint32_t
in_either_half (struct spirv_emitter *emitter, const struct spirv_shape *word, enum xir_op op, uint32_t first, uint32_t second)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t is_zero = spirv_op_i_equal (writer, word->as_bool, first, spirv_shape_uint (emitter, word, 0));
  uint32_t beyond = spirv_op_i_add (writer, word->as_uint, word_op (emitter, word, op, second), spirv_shape_uint (emitter, word, 32));
  return spirv_op_select (writer, word->as_uint, is_zero, beyond, word_op (emitter, word, op, first));
}

static uint32_t
wide_op (struct spirv_emitter *emitter, const struct spirv_shape *shape, const struct spirv_shape *word, enum xir_op op, uint32_t x)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t by_word = spirv_shape_uint (emitter, shape, 32);
  uint32_t low = spirv_op_u_convert (writer, word->as_uint, x);
  uint32_t high = spirv_op_u_convert (writer, word->as_uint, spirv_op_shift_right_logical (writer, shape->as_uint, x, by_word));
  switch (op)
    {
    case XIR_OP_CLZ:
      return spirv_op_u_convert (writer, shape->as_uint, in_either_half (emitter, word, op, high, low));
    case XIR_OP_CTZ:
      return spirv_op_u_convert (writer, shape->as_uint, in_either_half (emitter, word, op, low, high));
    case XIR_OP_POPCOUNT:
      return spirv_op_u_convert (writer, shape->as_uint,
                                 spirv_op_i_add (writer, word->as_uint, word_op (emitter, word, op, low), word_op (emitter, word, op, high)));
    default:
      low = spirv_op_u_convert (writer, shape->as_uint, word_op (emitter, word, op, low));
      high = spirv_op_u_convert (writer, shape->as_uint, word_op (emitter, word, op, high));
      return spirv_op_bitwise_or (writer, shape->as_uint, spirv_op_shift_left_logical (writer, shape->as_uint, low, by_word), high);
    }
}

SPIRV_EMITTER (spirv_emit_bits)
{
  const struct xir_type *type = instruction->value.type;
  uint32_t width = xir_type_bits (xir_type_scalar_of (type)), x = spirv_operand (emitter, instruction, 0);
  struct spirv_shape shape = spirv_shape (emitter, type), word = spirv_shape_of (emitter, XIR_TYPE_UINT32, shape.lanes);
  if (width == 32)
    return word_op (emitter, &word, instruction->op, x);
  if (width == 64)
    return wide_op (emitter, &shape, &word, instruction->op, x);
  x = narrow_op (emitter, &word, instruction->op, width, spirv_op_u_convert (&emitter->writer, word.as_uint, x));
  return spirv_op_u_convert (&emitter->writer, shape.as_uint, x);
}
