/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/xir.h"

/* The columns of ops.def are short words there; here they get their prefixes. */
#define TERMINATOR XIR_FLAG_TERMINATOR
#define STRUCTURED XIR_FLAG_STRUCTURED
#define EFFECT     XIR_FLAG_EFFECT
#define READ       XIR_FLAG_READ
#define FOLD       XIR_FLAG_FOLD
#define CONVERGENT XIR_FLAG_CONVERGENT

static const struct xir_op_info op_table[XIR_N_OPS] = {
#define XIR_OP(name, mnemonic, min, max, operands, result, arithmetic, flags) \
  [XIR_OP_##name] = { mnemonic, min, max, XIR_OPERANDS_##operands, XIR_RESULT_##result, \
                      XIR_CLASS_##arithmetic, flags },
#include "codegen/xir/ops.def"
#undef XIR_OP
};

const struct xir_op_info *
xir_op_info (enum xir_op op)
{
  static const struct xir_op_info unknown = { "unknown", 0, -1, XIR_OPERANDS_ANY, XIR_RESULT_NONE, XIR_CLASS_NONE, 0 };

  return (unsigned) op < XIR_N_OPS ? &op_table[op] : &unknown;
}

enum xir_arithmetic_class
xir_op_class (enum xir_op op,
              const struct xir_type *type)
{
  bool any_order = op == XIR_OP_SUBGROUP_SUM || op == XIR_OP_SUBGROUP_PRODUCT
                   || op == XIR_OP_SUBGROUP_PREFIX_SUM || op == XIR_OP_SUBGROUP_PREFIX_PRODUCT;

  if ((op == XIR_OP_DIV || any_order) && xir_type_is_float (type))
    return XIR_CLASS_BOUNDED;
  return xir_op_info (op)->arithmetic;
}

bool
xir_op_is_atomic (enum xir_op op)
{
  return op >= XIR_OP_ATOMIC_EXCHANGE && op <= XIR_OP_ATOMIC_COMPARE_EXCHANGE;
}

uint32_t
xir_atomic_first_index (enum xir_op op)
{
  return op == XIR_OP_ATOMIC_COMPARE_EXCHANGE ? 3 : 2;
}

bool
xir_op_is_subgroup (enum xir_op op)
{
  return op >= XIR_OP_SUBGROUP_IS_FIRST && op <= XIR_OP_SUBGROUP_READ_FIRST;
}

bool
xir_op_is_buffer_access (enum xir_op op)
{
  return op == XIR_OP_BUFFER_READ || op == XIR_OP_BUFFER_WRITE || op == XIR_OP_BYTE_BUFFER_READ || op == XIR_OP_BYTE_BUFFER_WRITE;
}
