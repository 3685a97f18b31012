/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the result of a bounded operation is within its bound: that of Vulkan for the operation itself, or for the
 * formula that Vulkan derives it from. The exact result is computed on the host as double. */

#pragma once

#include <glib.h>

/* The operation `op` (enum xir_op) on floats or halves, over `lanes` lanes of up to three operands has given lane `lane` as `result`. Returns
 * NULL if that is within the bound or if there is none for such operands, else what would have been right (free it). */
char *bounds_check (guint op, gboolean is_half, guint lanes, guint lane, const float operands[3][16], float result);

/* The same of operations on matrices of `n` columns, or vectors; an operand that there is not has no columns. */
struct bounds_matrix
{
  const float *numbers;                  /* by columns */
  guint n;
  gboolean is_vector;
};

char *bounds_check_matrix (guint op, const struct bounds_matrix operands[2], guint lane, float result);
