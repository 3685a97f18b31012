/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/bounds.h"

#include <math.h>

#include "codegen/xir/xir.h"

#define ULP     0x1p-23
#define LARGEST 1e8                      /* products of four stay in range */
#define LEAST   1e-8

struct bound
{
  double value, magnitude;               /* of the sum of absolute terms */
  guint n_terms;                         /* operations on the way of one */
};

static double
element (const struct bounds_matrix *matrix, guint row, guint column)
{
  return matrix->numbers[matrix->is_vector ? MAX (row, column) : column * matrix->n + row];
}

static struct bound
product (const struct bounds_matrix *left, const struct bounds_matrix *right, guint row, guint column, gboolean is_transposed)
{
  struct bound bound = { 0, 0, left->n + 1 };

  for (guint k = 0; k < left->n; k++)
    {
      double term = element (left, row, k) * (is_transposed ? element (right, column, k) : element (right, k, column));
      bound.value += term;
      bound.magnitude += fabs (term);
    }
  return bound;
}

/* Over all permutations of the rows below `column` that are not `used`, without column and row `left_out`. */
static void
add_permutations (const struct bounds_matrix *matrix, guint column, guint used, guint left_out, double term, struct bound *bound)
{
  double sign = 1;

  if (column == left_out)
    column++;
  if (column >= matrix->n)
    {
      bound->value += term;
      bound->magnitude += fabs (term);
      return;
    }
  for (guint row = 0; row < matrix->n; row++)
    if (!(used & 1u << row))
      {
        add_permutations (matrix, column + 1, used | 1u << row, left_out, term * sign * element (matrix, row, column), bound);
        sign = -sign;
      }
}

#define NO_COLUMN G_MAXUINT

/* 4 n^2 ulp of the magnitude, of what is left without a row and a column, or of the whole. */
static struct bound
determinant (const struct bounds_matrix *matrix, guint row, guint column)
{
  guint n = column == NO_COLUMN ? matrix->n : matrix->n - 1;
  struct bound bound = { 0, 0, 4 * n * n };

  add_permutations (matrix, 0, column == NO_COLUMN ? 0 : 1u << row, column, 1, &bound);
  return bound;
}

static double
reach_of (const struct bound *bound)
{
  return bound->magnitude * bound->n_terms * ULP;
}

/* The quotient of two determinants, and of the division what a division may be off. Nothing is known where that of the whole
 * may as well be 0. */
static gboolean
quotient (const struct bounds_matrix *matrix, guint row, guint column, struct bound *bound)
{
  struct bound part = determinant (matrix, column, row), whole = determinant (matrix, 0, NO_COLUMN);
  double reach = reach_of (&whole);

  if (fabs (whole.value) <= 2 * reach)
    return FALSE;
  bound->value = ((row + column) % 2 != 0 ? -1 : 1) * part.value / whole.value;
  /* Of so many units of the last place that it makes one of them. */
  bound->magnitude = ((reach_of (&part) + fabs (bound->value) * reach) / (fabs (whole.value) - reach)) / ULP + 4 * fabs (bound->value);
  bound->n_terms = 1;
  return TRUE;
}

static gboolean
bound_of (guint op, const struct bounds_matrix operands[2], guint lane, struct bound *bound)
{
  const struct bounds_matrix *left = &operands[0], *right = &operands[1];
  guint row = lane % left->n, column = lane / left->n;

  *bound = (struct bound) { 0, 0, 2 };
  switch (op)
    {
    case XIR_OP_MATRIX_MULTIPLY:
      /* A vector is a row on the left, a column on the right. */
      *bound = product (left, right, left->is_vector ? 0 : row, left->is_vector ? lane : right->is_vector ? 0 : column, FALSE);
      return TRUE;
    case XIR_OP_OUTER_PRODUCT:
      if (!left->is_vector)
        *bound = product (left, right, row, column, TRUE);
      else
        bound->value = bound->magnitude = left->numbers[row] * right->numbers[column];
      bound->magnitude = fabs (bound->magnitude);
      return TRUE;
    case XIR_OP_MATRIX_DETERMINANT:
      *bound = determinant (left, 0, NO_COLUMN);
      return TRUE;
    case XIR_OP_MATRIX_INVERSE:
      if (!quotient (left, row, column, bound))
        *bound = (struct bound) { 0, (double) INFINITY, 1 };
      return TRUE;
    default:
      return FALSE;
    }
}

char *
bounds_check_matrix (guint op, const struct bounds_matrix operands[2], guint lane, float result)
{
  struct bound bound;

  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < operands[i].n * (operands[i].is_vector ? 1 : operands[i].n); k++)
      if (!(fabsf (operands[i].numbers[k]) < (float) LARGEST) || (operands[i].numbers[k] != 0 && fabsf (operands[i].numbers[k]) < (float) LEAST))
        return NULL;
  if (!bound_of (op, operands, lane, &bound))
    return g_strdup ("nothing, since its bound is not known");
  if (bound.magnitude == (double) INFINITY || fabs (bound.value - result) <= reach_of (&bound))
    return NULL;
  return g_strdup_printf ("%.9g, give or take %.3g", bound.value, reach_of (&bound));
}
