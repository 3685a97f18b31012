/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/op-rules.h"

#define CONTROL { SPIRV_OP_CONTROL, NULL, { 0 }, false }
#define LOWERED { SPIRV_OP_LOWERED, NULL, { 0 }, false }
#define BY(function) { SPIRV_OP_SUPPORTED, function, { 0 }, false }
/* Opcodes for signed, unsigned, float and bool operands. */
#define DIRECT(s, u, f, b) { SPIRV_OP_SUPPORTED, spirv_emit_direct, { SpvOp##s, SpvOp##u, SpvOp##f, SpvOp##b }, false }
#define CONTRACTS(s, u, f) { SPIRV_OP_SUPPORTED, spirv_emit_direct, { SpvOp##s, SpvOp##u, SpvOp##f, 0 }, true }
#define GLSL(f) { SPIRV_OP_SUPPORTED, spirv_emit_extended, { 0, 0, GLSLstd450##f, 0 }, false }
#define CODES(function, s, u, f, b) { SPIRV_OP_SUPPORTED, function, { s, u, f, b }, false }

#define ATOMIC(s, u, f) { SPIRV_OP_SUPPORTED, spirv_emit_atomic, { SpvOp##s, SpvOp##u, SpvOp##f, 0 }, false }
#define SUBGROUP(how, s, u, f) { SPIRV_OP_SUPPORTED, spirv_emit_subgroup_##how, { SpvOp##s, SpvOp##u, SpvOp##f, 0 }, false }
/* One instruction over the subgroup whose operands need no look. */
#define PLAIN(name) { SPIRV_OP_SUPPORTED, spirv_emit_subgroup_plain, { 0 }, false, SpvOpGroupNonUniform##name }

static const struct spirv_op_rule rules[XIR_N_OPS] = {
  [XIR_OP_IF] = CONTROL,
  [XIR_OP_SWITCH] = CONTROL,
  [XIR_OP_LOOP] = CONTROL,
  [XIR_OP_BRANCH] = CONTROL,
  [XIR_OP_CONDITIONAL_BRANCH] = CONTROL,
  [XIR_OP_BREAK] = CONTROL,
  [XIR_OP_CONTINUE] = CONTROL,
  [XIR_OP_RETURN] = CONTROL,
  [XIR_OP_UNREACHABLE] = CONTROL,
  [XIR_OP_PHI] = CONTROL,

  [XIR_OP_ALLOCA] = BY (spirv_emit_alloca),
  [XIR_OP_LOAD] = BY (spirv_emit_load),
  [XIR_OP_STORE] = BY (spirv_emit_store),
  [XIR_OP_GEP] = BY (spirv_emit_gep),
  [XIR_OP_CALL] = BY (spirv_emit_call),

  [XIR_OP_CAST] = BY (spirv_emit_cast),
  [XIR_OP_BITCAST] = BY (spirv_emit_bitcast),

  [XIR_OP_NEG] = BY (spirv_emit_negate),
  [XIR_OP_NOT] = DIRECT (Not, Not, Nop, LogicalNot),
  [XIR_OP_ADD] = CONTRACTS (IAdd, IAdd, FAdd),
  [XIR_OP_SUB] = CONTRACTS (ISub, ISub, FSub),
  [XIR_OP_MUL] = CONTRACTS (IMul, IMul, FMul),
  [XIR_OP_DIV] = CODES (spirv_emit_divide, SpvOpSDiv, SpvOpUDiv, SpvOpFDiv, 0),
  [XIR_OP_MOD] = CODES (spirv_emit_remainder, SpvOpSDiv, SpvOpUMod, SpvOpFRem, 0),
  [XIR_OP_AND] = DIRECT (BitwiseAnd, BitwiseAnd, Nop, LogicalAnd),
  [XIR_OP_OR] = DIRECT (BitwiseOr, BitwiseOr, Nop, LogicalOr),
  [XIR_OP_XOR] = DIRECT (BitwiseXor, BitwiseXor, Nop, LogicalNotEqual),
  [XIR_OP_SHIFT_LEFT] = CODES (spirv_emit_shift, SpvOpShiftLeftLogical, SpvOpShiftLeftLogical, 0, 0),
  [XIR_OP_SHIFT_RIGHT] = CODES (spirv_emit_shift, SpvOpShiftRightArithmetic, SpvOpShiftRightLogical, 0, 0),
  [XIR_OP_ROTATE_LEFT] = CODES (spirv_emit_rotate, SpvOpShiftLeftLogical, SpvOpShiftLeftLogical, 0, 0),
  [XIR_OP_ROTATE_RIGHT] = CODES (spirv_emit_rotate, SpvOpShiftRightLogical, SpvOpShiftRightLogical, 0, 0),
  [XIR_OP_LESS] = DIRECT (SLessThan, ULessThan, FOrdLessThan, Nop),
  [XIR_OP_GREATER] = DIRECT (SGreaterThan, UGreaterThan, FOrdGreaterThan, Nop),
  [XIR_OP_LESS_EQUAL] = DIRECT (SLessThanEqual, ULessThanEqual, FOrdLessThanEqual, Nop),
  [XIR_OP_GREATER_EQUAL] = DIRECT (SGreaterThanEqual, UGreaterThanEqual, FOrdGreaterThanEqual, Nop),
  [XIR_OP_EQUAL] = DIRECT (IEqual, IEqual, FOrdEqual, LogicalEqual),
  /* Unordered: NaN differs from everything. */
  [XIR_OP_NOT_EQUAL] = DIRECT (INotEqual, INotEqual, FUnordNotEqual, LogicalNotEqual),
  [XIR_OP_ALL] = CODES (spirv_emit_all_any, 0, 0, 0, SpvOpAll),
  [XIR_OP_ANY] = CODES (spirv_emit_all_any, 0, 0, 0, SpvOpAny),
  [XIR_OP_SELECT] = BY (spirv_emit_select),
  [XIR_OP_CLAMP] = CODES (spirv_emit_clamp, GLSLstd450SMax, GLSLstd450UMax, GLSLstd450NMax, 0),
  [XIR_OP_SATURATE] = CODES (spirv_emit_saturate, 0, 0, GLSLstd450NMax, 0),
  [XIR_OP_LERP] = CODES (spirv_emit_lerp, 0, 0, SpvOpFMul, 0),
  [XIR_OP_SMOOTHSTEP] = CODES (spirv_emit_smoothstep, 0, 0, SpvOpFMul, 0),
  [XIR_OP_STEP] = CODES (spirv_emit_step, 0, 0, SpvOpFOrdGreaterThanEqual, 0),
  [XIR_OP_ABS] = CODES (spirv_emit_abs, GLSLstd450SAbs, SpvOpCopyObject, GLSLstd450FAbs, 0),
  [XIR_OP_MIN] = CODES (spirv_emit_minmax, GLSLstd450SMin, GLSLstd450UMin, GLSLstd450NMin, 0),
  [XIR_OP_MAX] = CODES (spirv_emit_minmax, GLSLstd450SMax, GLSLstd450UMax, GLSLstd450NMax, 0),
  [XIR_OP_CLZ] = CODES (spirv_emit_bits, 0, GLSLstd450FindUMsb, 0, 0),
  [XIR_OP_CTZ] = CODES (spirv_emit_bits, 0, GLSLstd450FindILsb, 0, 0),
  [XIR_OP_POPCOUNT] = CODES (spirv_emit_bits, 0, SpvOpBitCount, 0, 0),
  [XIR_OP_REVERSE] = CODES (spirv_emit_bits, 0, SpvOpBitReverse, 0, 0),
  [XIR_OP_ISINF] = CODES (spirv_emit_isinf, 0, 0, SpvOpIEqual, 0),
  [XIR_OP_ISNAN] = CODES (spirv_emit_isnan, 0, 0, SpvOpUGreaterThan, 0),
  [XIR_OP_ACOS] = GLSL (Acos),
  [XIR_OP_ACOSH] = GLSL (Acosh),
  [XIR_OP_ASIN] = GLSL (Asin),
  [XIR_OP_ASINH] = GLSL (Asinh),
  [XIR_OP_ATAN] = GLSL (Atan),
  [XIR_OP_ATAN2] = GLSL (Atan2),
  [XIR_OP_ATANH] = GLSL (Atanh),
  [XIR_OP_COS] = GLSL (Cos),
  [XIR_OP_COSH] = GLSL (Cosh),
  [XIR_OP_SIN] = GLSL (Sin),
  [XIR_OP_SINH] = GLSL (Sinh),
  [XIR_OP_TAN] = GLSL (Tan),
  [XIR_OP_TANH] = GLSL (Tanh),
  [XIR_OP_EXP] = GLSL (Exp),
  [XIR_OP_EXP2] = GLSL (Exp2),
  [XIR_OP_EXP10] = CODES (spirv_emit_exp10, 0, 0, GLSLstd450Exp2, 0),
  [XIR_OP_LOG] = GLSL (Log),
  [XIR_OP_LOG2] = GLSL (Log2),
  [XIR_OP_LOG10] = CODES (spirv_emit_log10, 0, 0, GLSLstd450Log2, 0),
  [XIR_OP_POW] = CODES (spirv_emit_pow, 0, 0, GLSLstd450Pow, 0),
  [XIR_OP_POW_INT] = CODES (spirv_emit_pow_int, 0, 0, SpvOpFMul, 0),
  [XIR_OP_SQRT] = GLSL (Sqrt),
  [XIR_OP_RSQRT] = GLSL (InverseSqrt),
  [XIR_OP_CEIL] = GLSL (Ceil),
  [XIR_OP_FLOOR] = GLSL (Floor),
  [XIR_OP_FRACT] = CODES (spirv_emit_fract, 0, 0, GLSLstd450Floor, 0),
  [XIR_OP_TRUNC] = CODES (spirv_emit_trunc, 0, 0, GLSLstd450Trunc, 0),
  [XIR_OP_ROUND] = CODES (spirv_emit_round, 0, 0, GLSLstd450Trunc, 0),
  [XIR_OP_RINT] = CODES (spirv_emit_rint, 0, 0, GLSLstd450RoundEven, 0),
  [XIR_OP_FMA] = GLSL (Fma),
  [XIR_OP_COPYSIGN] = CODES (spirv_emit_copysign, 0, 0, SpvOpBitwiseOr, 0),
  [XIR_OP_CROSS] = CODES (spirv_emit_cross, 0, 0, SpvOpFMul, 0),
  [XIR_OP_DOT] = CODES (spirv_emit_dot, 0, 0, SpvOpDot, 0),
  [XIR_OP_LENGTH] = CODES (spirv_emit_length, 0, 0, SpvOpDot, 0),
  [XIR_OP_LENGTH_SQUARED] = CODES (spirv_emit_dot, 0, 0, SpvOpDot, 0),
  [XIR_OP_NORMALIZE] = CODES (spirv_emit_normalize, 0, 0, SpvOpDot, 0),
  [XIR_OP_FACEFORWARD] = CODES (spirv_emit_faceforward, 0, 0, SpvOpDot, 0),
  [XIR_OP_REFLECT] = CODES (spirv_emit_reflect, 0, 0, SpvOpDot, 0),
  [XIR_OP_REDUCE_SUM] = CODES (spirv_emit_reduce, SpvOpIAdd, SpvOpIAdd, SpvOpFAdd, 0),
  [XIR_OP_REDUCE_PRODUCT] = CODES (spirv_emit_reduce, SpvOpIMul, SpvOpIMul, SpvOpFMul, 0),
  [XIR_OP_REDUCE_MIN] = CODES (spirv_emit_reduce, GLSLstd450SMin, GLSLstd450UMin, GLSLstd450NMin, 0),
  [XIR_OP_REDUCE_MAX] = CODES (spirv_emit_reduce, GLSLstd450SMax, GLSLstd450UMax, GLSLstd450NMax, 0),

  [XIR_OP_OUTER_PRODUCT] = LOWERED,
  [XIR_OP_MATRIX_NEG] = LOWERED,
  [XIR_OP_MATRIX_ADD] = LOWERED,
  [XIR_OP_MATRIX_SUB] = LOWERED,
  [XIR_OP_MATRIX_MUL] = LOWERED,
  [XIR_OP_MATRIX_DIV] = LOWERED,
  [XIR_OP_MATRIX_MULTIPLY] = LOWERED,
  [XIR_OP_MATRIX_TRANSPOSE] = LOWERED,
  [XIR_OP_MATRIX_DETERMINANT] = LOWERED,
  [XIR_OP_MATRIX_INVERSE] = LOWERED,

  [XIR_OP_AGGREGATE] = BY (spirv_emit_aggregate),
  [XIR_OP_SHUFFLE] = BY (spirv_emit_shuffle),
  [XIR_OP_INSERT] = BY (spirv_emit_insert),
  [XIR_OP_EXTRACT] = BY (spirv_emit_extract),

  [XIR_OP_BUFFER_SIZE] = BY (spirv_emit_buffer_size),
  [XIR_OP_BUFFER_READ] = BY (spirv_emit_buffer_read),
  [XIR_OP_BUFFER_WRITE] = BY (spirv_emit_buffer_write),
  [XIR_OP_BUFFER_FIRST] = BY (spirv_emit_buffer_first),
  [XIR_OP_BYTE_BUFFER_READ] = LOWERED,
  [XIR_OP_BYTE_BUFFER_WRITE] = LOWERED,
  [XIR_OP_TEXTURE_SIZE] = BY (spirv_emit_texture_size),
  [XIR_OP_TEXTURE_READ] = BY (spirv_emit_texture_read),
  [XIR_OP_TEXTURE_WRITE] = BY (spirv_emit_texture_write),

  [XIR_OP_ATOMIC_EXCHANGE] = ATOMIC (AtomicExchange, AtomicExchange, AtomicExchange),
  [XIR_OP_ATOMIC_ADD] = ATOMIC (AtomicIAdd, AtomicIAdd, AtomicFAddEXT),
  [XIR_OP_ATOMIC_SUB] = ATOMIC (AtomicISub, AtomicISub, Nop),
  [XIR_OP_ATOMIC_MIN] = ATOMIC (AtomicSMin, AtomicUMin, AtomicFMinEXT),
  [XIR_OP_ATOMIC_MAX] = ATOMIC (AtomicSMax, AtomicUMax, AtomicFMaxEXT),
  [XIR_OP_ATOMIC_AND] = ATOMIC (AtomicAnd, AtomicAnd, Nop),
  [XIR_OP_ATOMIC_OR] = ATOMIC (AtomicOr, AtomicOr, Nop),
  [XIR_OP_ATOMIC_XOR] = ATOMIC (AtomicXor, AtomicXor, Nop),
  [XIR_OP_ATOMIC_COMPARE_EXCHANGE] = ATOMIC (AtomicCompareExchange, AtomicCompareExchange, Nop),

  [XIR_OP_BARRIER] = BY (spirv_emit_barrier),
  [XIR_OP_CLOCK] = BY (spirv_emit_clock),
  [XIR_OP_PRINT] = LOWERED,
  [XIR_OP_ASSERT] = LOWERED,
  [XIR_OP_SUBGROUP_IS_FIRST] = PLAIN (Elect),
  [XIR_OP_SUBGROUP_ALL_EQUAL] = BY (spirv_emit_subgroup_all_equal),
  [XIR_OP_SUBGROUP_AND] = SUBGROUP (reduce, GroupNonUniformBitwiseAnd, GroupNonUniformBitwiseAnd, Nop),
  [XIR_OP_SUBGROUP_OR] = SUBGROUP (reduce, GroupNonUniformBitwiseOr, GroupNonUniformBitwiseOr, Nop),
  [XIR_OP_SUBGROUP_XOR] = SUBGROUP (reduce, GroupNonUniformBitwiseXor, GroupNonUniformBitwiseXor, Nop),
  [XIR_OP_SUBGROUP_SUM] = SUBGROUP (reduce, GroupNonUniformIAdd, GroupNonUniformIAdd, GroupNonUniformFAdd),
  [XIR_OP_SUBGROUP_PRODUCT] = SUBGROUP (reduce, GroupNonUniformIMul, GroupNonUniformIMul, GroupNonUniformFMul),
  [XIR_OP_SUBGROUP_MIN] = SUBGROUP (minmax, GroupNonUniformSMin, GroupNonUniformUMin, GroupNonUniformFMin),
  [XIR_OP_SUBGROUP_MAX] = SUBGROUP (minmax, GroupNonUniformSMax, GroupNonUniformUMax, GroupNonUniformFMax),
  [XIR_OP_SUBGROUP_ALL] = PLAIN (All),
  [XIR_OP_SUBGROUP_ANY] = PLAIN (Any),
  [XIR_OP_SUBGROUP_COUNT] = BY (spirv_emit_subgroup_count),
  [XIR_OP_SUBGROUP_BALLOT] = PLAIN (Ballot),
  [XIR_OP_SUBGROUP_PREFIX_SUM] = SUBGROUP (scan, GroupNonUniformIAdd, GroupNonUniformIAdd, GroupNonUniformFAdd),
  [XIR_OP_SUBGROUP_PREFIX_PRODUCT] = SUBGROUP (scan, GroupNonUniformIMul, GroupNonUniformIMul, GroupNonUniformFMul),
  [XIR_OP_SUBGROUP_PREFIX_COUNT] = BY (spirv_emit_subgroup_count),
  [XIR_OP_SUBGROUP_READ] = PLAIN (Shuffle),
  [XIR_OP_SUBGROUP_READ_FIRST] = PLAIN (BroadcastFirst)
};

const struct spirv_op_rule *
spirv_op_rule (enum xir_op op)
{
  static const struct spirv_op_rule refused = { SPIRV_OP_UNSUPPORTED, NULL, { 0 }, false };
  return (unsigned) op < XIR_N_OPS ? &rules[op] : &refused;
}

enum spirv_op_class
spirv_op_class_of (const struct xir_type *type)
{
  if (xir_type_is_float (type))
    return SPIRV_CLASS_FLOAT;
  if (xir_type_is_bool (type))
    return SPIRV_CLASS_BOOL;
  return xir_type_is_signed (type) ? SPIRV_CLASS_SIGNED : SPIRV_CLASS_UNSIGNED;
}
