/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What becomes of each XIR op: one row an op, read by the gate and the emitter.
 * An op without a row is refused by name. */

#pragma once

#include "codegen/spirv/writer.h"
#include "codegen/xir/xir.h"

struct spirv_emitter;
struct spirv_op_rule;

/* Returns the id of the result, 0 where there is none. */
typedef uint32_t (*spirv_emit_op) (struct spirv_emitter *emitter, const struct xir_instruction *instruction,
                                   const struct spirv_op_rule *rule);

enum spirv_op_status
{
  SPIRV_OP_UNSUPPORTED,
  SPIRV_OP_SUPPORTED,            /* `emit` writes it */
  SPIRV_OP_LOWERED,              /* a pass makes others of it */
  SPIRV_OP_CONTROL               /* the control-flow plan's: ends of blocks, phi */
};

/* Columns of a row: the class of operand 0. */
enum spirv_op_class { SPIRV_CLASS_SIGNED, SPIRV_CLASS_UNSIGNED, SPIRV_CLASS_FLOAT, SPIRV_CLASS_BOOL, SPIRV_N_CLASSES };

struct spirv_op_rule
{
  enum spirv_op_status status;
  spirv_emit_op emit;
  uint16_t codes[SPIRV_N_CLASSES];       /* opcode or extended instruction; 0: the op has no such form */
  bool contracts;                        /* float form takes NoContraction */
  uint16_t code;                         /* where one serves all classes; 0: see above */
};

const struct spirv_op_rule *spirv_op_rule (enum xir_op op);
/* The column of a scalar or vector type. */
enum spirv_op_class spirv_op_class_of (const struct xir_type *type);

#define SPIRV_EMITTER(name) \
  uint32_t name (struct spirv_emitter *emitter, const struct xir_instruction *instruction, const struct spirv_op_rule *rule)

/* emit-arithmetic.c */
SPIRV_EMITTER (spirv_emit_direct);               /* one instruction of the row's code */
SPIRV_EMITTER (spirv_emit_negate);
SPIRV_EMITTER (spirv_emit_extended);             /* one extended instruction of the row's code */
SPIRV_EMITTER (spirv_emit_select);
SPIRV_EMITTER (spirv_emit_all_any);
SPIRV_EMITTER (spirv_emit_minmax);
SPIRV_EMITTER (spirv_emit_clamp);
SPIRV_EMITTER (spirv_emit_saturate);
SPIRV_EMITTER (spirv_emit_abs);
SPIRV_EMITTER (spirv_emit_lerp);
SPIRV_EMITTER (spirv_emit_smoothstep);
SPIRV_EMITTER (spirv_emit_step);
SPIRV_EMITTER (spirv_emit_fract);
SPIRV_EMITTER (spirv_emit_exp10);
SPIRV_EMITTER (spirv_emit_log10);
SPIRV_EMITTER (spirv_emit_pow);
/* emit-pow-int.c */
SPIRV_EMITTER (spirv_emit_pow_int);
/* emit-guarded.c */
SPIRV_EMITTER (spirv_emit_divide);
SPIRV_EMITTER (spirv_emit_remainder);
SPIRV_EMITTER (spirv_emit_shift);
SPIRV_EMITTER (spirv_emit_bits);
SPIRV_EMITTER (spirv_emit_rotate);
SPIRV_EMITTER (spirv_emit_trunc);
SPIRV_EMITTER (spirv_emit_rint);
SPIRV_EMITTER (spirv_emit_round);
SPIRV_EMITTER (spirv_emit_isnan);
SPIRV_EMITTER (spirv_emit_isinf);
SPIRV_EMITTER (spirv_emit_copysign);
/* emit-convert.c */
SPIRV_EMITTER (spirv_emit_cast);
SPIRV_EMITTER (spirv_emit_bitcast);
/* emit-vector.c */
SPIRV_EMITTER (spirv_emit_dot);
SPIRV_EMITTER (spirv_emit_length);
SPIRV_EMITTER (spirv_emit_normalize);
SPIRV_EMITTER (spirv_emit_cross);
SPIRV_EMITTER (spirv_emit_faceforward);
SPIRV_EMITTER (spirv_emit_reflect);
SPIRV_EMITTER (spirv_emit_reduce);
SPIRV_EMITTER (spirv_emit_aggregate);
SPIRV_EMITTER (spirv_emit_shuffle);
/* emit-memory.c */
SPIRV_EMITTER (spirv_emit_alloca);
SPIRV_EMITTER (spirv_emit_load);
SPIRV_EMITTER (spirv_emit_store);
SPIRV_EMITTER (spirv_emit_gep);
SPIRV_EMITTER (spirv_emit_call);
SPIRV_EMITTER (spirv_emit_extract);
SPIRV_EMITTER (spirv_emit_insert);
SPIRV_EMITTER (spirv_emit_buffer_size);
SPIRV_EMITTER (spirv_emit_buffer_read);
SPIRV_EMITTER (spirv_emit_buffer_write);
SPIRV_EMITTER (spirv_emit_buffer_first);
/* emit-together.c */
SPIRV_EMITTER (spirv_emit_barrier);
SPIRV_EMITTER (spirv_emit_clock);
SPIRV_EMITTER (spirv_emit_atomic);
SPIRV_EMITTER (spirv_emit_subgroup_reduce);
SPIRV_EMITTER (spirv_emit_subgroup_minmax);
SPIRV_EMITTER (spirv_emit_subgroup_scan);
SPIRV_EMITTER (spirv_emit_subgroup_plain);
SPIRV_EMITTER (spirv_emit_subgroup_all_equal);
SPIRV_EMITTER (spirv_emit_subgroup_count);
/* emit-image.c */
SPIRV_EMITTER (spirv_emit_texture_size);
SPIRV_EMITTER (spirv_emit_texture_read);
SPIRV_EMITTER (spirv_emit_texture_write);
