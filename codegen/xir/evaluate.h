/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The arithmetic of gabbro-kernel(5) on constants. One evaluator serves the
 * front end (constant expressions), the constant folder and the tests. */

#pragma once

#include "codegen/xir/xir.h"

/* Computes `op` on constants. Exact ops give the table's bits; bounded ones are
 * computed in higher precision and rounded once. Returns NULL for an op or type
 * that it does not know (no XIR_FLAG_FOLD, an index out of range). `lanes` is read
 * for shuffle only. The table's rules hold whether or not the function is
 * "unchecked": there they are one of the allowed results. */
struct xir_value *xir_evaluate (struct xir_module *module, enum xir_op op, const struct xir_type *type,
                                struct xir_value *const *operands, uint32_t n_operands, const uint8_t *lanes);
