/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads together: atomics, the barrier, operations over a subgroup. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <math.h>

/* Result type, scope and, for most, a group operation in front of the operand. */
static uint32_t
group_op (struct spirv_emitter *emitter, SpvOp op, uint32_t type, SpvGroupOperation operation, uint32_t value)
{
  const uint32_t operands[] = { spirv_constant_word (&emitter->types, SpvScopeSubgroup), operation, value };
  return spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, op, type, operands, 3);
}

static uint32_t
plain_op (struct spirv_emitter *emitter, SpvOp op, uint32_t type, const uint32_t *values, uint32_t n)
{
  uint32_t operands[3] = { spirv_constant_word (&emitter->types, SpvScopeSubgroup) };
  for (uint32_t i = 0; i < n; i++)
    operands[i + 1] = values[i];
  return spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, op, type, operands, n + 1);
}

static uint32_t
ordered_semantics (struct spirv_emitter *emitter, uint32_t semantics, unsigned ordered)
{
  if ((ordered & SPIRV_ORDERS_BUFFERS) != 0)
    semantics |= SpvMemorySemanticsUniformMemoryMask;
  if ((ordered & SPIRV_ORDERS_IMAGES) != 0)
    semantics |= SpvMemorySemanticsImageMemoryMask;
  return spirv_constant_word (&emitter->types, SpvMemorySemanticsAcquireReleaseMask | semantics);
}

/* What one thread wrote before it, all threads of the workgroup see behind it. Its scope is the workgroup for memory, too. */
SPIRV_EMITTER (spirv_emit_barrier)
{
  const uint32_t operands[] = {
    spirv_constant_word (&emitter->types, SpvScopeWorkgroup),
    spirv_constant_word (&emitter->types, SpvScopeWorkgroup),
    ordered_semantics (emitter, SpvMemorySemanticsWorkgroupMemoryMask, emitter->plans->barriers[instruction->value.id])
  };
  spirv_write (&emitter->writer, SPIRV_SECTION_BODY, SpvOpControlBarrier, operands, G_N_ELEMENTS (operands));
  return 0;
}

void
spirv_emit_loop_order (struct spirv_emitter *emitter, const struct xir_instruction *loop)
{
  unsigned ordered = emitter->plans->barriers != NULL ? emitter->plans->barriers[loop->value.id] : 0;
  if (ordered == 0)
    return;
  const uint32_t operands[] = { spirv_constant_word (&emitter->types, SpvScopeWorkgroup), ordered_semantics (emitter, 0, ordered) };
  spirv_write (&emitter->writer, SPIRV_SECTION_BODY, SpvOpMemoryBarrier, operands, G_N_ELEMENTS (operands));
}

SPIRV_EMITTER (spirv_emit_subgroup_reduce)
{
  return group_op (emitter, (SpvOp) rule->codes[spirv_op_class_of (instruction->value.type)],
                   spirv_type (&emitter->types, instruction->value.type), SpvGroupOperationReduce,
                   spirv_operand (emitter, instruction, 0));
}

/* As min and max: NaN loses against numbers. The instructions give either, as they like. */
SPIRV_EMITTER (spirv_emit_subgroup_minmax)
{
  const struct xir_type *type = instruction->value.type;
  struct spirv_writer *writer = &emitter->writer;
  if (!xir_type_is_float (xir_type_scalar_of (type)) || emitter->function->fast_math)
    return spirv_emit_subgroup_reduce (emitter, instruction, rule);
  struct spirv_shape shape = spirv_shape (emitter, type), flags = spirv_shape_of (emitter, XIR_TYPE_UINT32, shape.lanes);
  double loses = instruction->op == XIR_OP_SUBGROUP_MIN ? (double) INFINITY : (double) -INFINITY;
  uint32_t zero = spirv_shape_uint (emitter, &flags, 0), x = spirv_operand (emitter, instruction, 0);
  uint32_t is_nan = spirv_emit_is_nan (emitter, &shape, x);
  uint32_t number = spirv_op_select (writer, shape.as_float, is_nan, spirv_shape_float (emitter, &shape, loses), x);
  uint32_t least = group_op (emitter, (SpvOp) rule->codes[spirv_op_class_of (type)], shape.as_float, SpvGroupOperationReduce, number);
  /* Where all are NaN, so is the result. Without votes, which are another feature. */
  uint32_t flag = spirv_op_select (writer, flags.as_uint, is_nan, spirv_shape_uint (emitter, &flags, 1), zero);
  uint32_t all = group_op (emitter, SpvOpGroupNonUniformUMin, flags.as_uint, SpvGroupOperationReduce, flag);
  return spirv_op_select (writer, shape.as_float, spirv_op_i_equal (writer, shape.as_bool, all, zero), least, x);
}

SPIRV_EMITTER (spirv_emit_subgroup_scan)
{
  return group_op (emitter, (SpvOp) rule->codes[spirv_op_class_of (instruction->value.type)],
                   spirv_type (&emitter->types, instruction->value.type), SpvGroupOperationExclusiveScan,
                   spirv_operand (emitter, instruction, 0));
}

/* One instruction which takes the operands as they are. */
SPIRV_EMITTER (spirv_emit_subgroup_plain)
{
  uint32_t values[2];
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    values[i] = spirv_operand (emitter, instruction, i);
  return plain_op (emitter, (SpvOp) rule->code, spirv_type (&emitter->types, instruction->value.type), values,
                   instruction->n_operands);
}

/* The clock of the whole device, so that readings of all threads can be compared. */
SPIRV_EMITTER (spirv_emit_clock)
{
  const uint32_t scope = spirv_constant_word (&emitter->types, SpvScopeDevice);
  return spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, SpvOpReadClockKHR,
                             spirv_type (&emitter->types, instruction->value.type), &scope, 1);
}

/* The instruction compares whole vectors; we want each lane. */
SPIRV_EMITTER (spirv_emit_subgroup_all_equal)
{
  uint32_t lanes = xir_type_lanes (instruction->value.type), parts[4];
  uint32_t flag = spirv_type_kind (&emitter->types, XIR_TYPE_BOOL, 1);
  uint32_t value = spirv_operand (emitter, instruction, 0);
  uint32_t scalar = spirv_type (&emitter->types, xir_type_scalar_of (xir_operand (instruction, 0)->type));
  if (lanes == 1)
    return plain_op (emitter, SpvOpGroupNonUniformAllEqual, flag, &value, 1);
  for (uint32_t i = 0; i < lanes; i++)
    {
      uint32_t part = spirv_op_composite_extract (&emitter->writer, scalar, value, &i, 1);
      parts[i] = plain_op (emitter, SpvOpGroupNonUniformAllEqual, flag, &part, 1);
    }
  return spirv_op_composite_construct (&emitter->writer, spirv_type (&emitter->types, instruction->value.type), parts, lanes);
}

SPIRV_EMITTER (spirv_emit_subgroup_count)
{
  uint32_t flag = spirv_operand (emitter, instruction, 0);
  uint32_t ballot = plain_op (emitter, SpvOpGroupNonUniformBallot, spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 4), &flag, 1);
  return group_op (emitter, SpvOpGroupNonUniformBallotBitCount, spirv_type (&emitter->types, instruction->value.type),
                   instruction->op == XIR_OP_SUBGROUP_COUNT ? SpvGroupOperationReduce : SpvGroupOperationExclusiveScan, ballot);
}

/* Relaxed: the place alone is exchanged, everything else is ordered by barriers. */
SPIRV_EMITTER (spirv_emit_atomic)
{
  const struct xir_value *base = xir_operand (instruction, 0);
  const struct xir_type *type = instruction->value.type;
  uint32_t first = xir_atomic_first_index (instruction->op);
  uint32_t relaxed = spirv_constant_word (&emitter->types, SpvMemorySemanticsMaskNone);
  uint32_t operands[6], n = 0;
  if (base->is_lvalue)
    operands[n++] = spirv_value (emitter, base);
  else
    operands[n++] = spirv_emit_atomic_pointer (emitter, instruction, first);
  operands[n++] = spirv_constant_word (&emitter->types, base->is_lvalue ? SpvScopeWorkgroup : SpvScopeDevice);
  operands[n++] = relaxed;
  if (instruction->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE)
    operands[n++] = relaxed;
  operands[n++] = spirv_operand (emitter, instruction, first - 1);
  if (instruction->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE)
    operands[n++] = spirv_operand (emitter, instruction, 1);
  return spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, (SpvOp) rule->codes[spirv_op_class_of (type)],
                             spirv_type (&emitter->types, type), operands, n);
}
