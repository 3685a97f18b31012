/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/builtins.h"

const struct builtin builtins[] = {
#define GK_BUILTIN(name, rule, op, n_arguments) { name, GK_RULE_##rule, XIR_OP_##op, n_arguments },
/* Its kernels are compared by their results. */
#define GK_BUILTIN_PRINT(name, op)
#define GK_BUILTIN_VALUE(name, value) { name, GK_RULE_VALUE, XIR_N_OPS, 0 },
#define GK_UNSUPPORTED(name)
#include "codegen/frontend/builtins.def"
#undef GK_BUILTIN
#undef GK_BUILTIN_PRINT
#undef GK_BUILTIN_VALUE
#undef GK_UNSUPPORTED
};

const guint n_builtins = G_N_ELEMENTS (builtins);

static const enum xir_arithmetic_class classes[XIR_N_OPS] = {
#define XIR_OP(name, mnemonic, min, max, operands, result, arithmetic, flags) [XIR_OP_##name] = XIR_CLASS_##arithmetic,
#include "codegen/xir/ops.def"
#undef XIR_OP
};

gboolean
builtin_is_bounded (const struct builtin *builtin)
{
  return builtin->op < XIR_N_OPS && classes[builtin->op] == XIR_CLASS_BOUNDED;
}
