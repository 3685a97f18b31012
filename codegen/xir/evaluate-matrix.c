/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrices, computed as doubles and rounded once. */

#include "config.h"

#include "codegen/xir/evaluate-private.h"

#include <math.h>

/* A matrix; a vector is one with one column, a scalar is in all places. */
struct matrix
{
  uint32_t columns, rows;
  double at[4][4];               /* column, row */
};

static void
read_matrix (const struct xir_type *type,
             const uint8_t *data,
             uint32_t n,
             struct matrix *out)
{
  bool is_matrix = type->kind == XIR_TYPE_MATRIX;
  struct evaluate_lane lane;

  out->columns = is_matrix ? n : 1;
  out->rows = n;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      {
        const uint8_t *from = is_matrix ? data + i * type->element->size + k * 4 : xir_type_lanes (type) == 1 ? data : data + k * 4;

        evaluate_load (XIR_TYPE_FLOAT32, from, &lane);
        out->at[i][k] = lane.real;
      }
}

static double
element_op (enum xir_op op,
            double a,
            double b)
{
  switch (op)
    {
    case XIR_OP_MATRIX_ADD:
      return a + b;
    case XIR_OP_MATRIX_SUB:
      return a - b;
    case XIR_OP_MATRIX_MUL:
      return a * b;
    case XIR_OP_MATRIX_DIV:
      return a / b;
    default:
      return -a;
    }
}

/* Without one column and one row, or all of it (`column` 4). */
static double
determinant (const struct matrix *matrix,
             uint32_t n,
             uint32_t column,
             uint32_t row)
{
  struct matrix rest = { 0, 0, { { 0 } } };
  double sum = 0;
  uint32_t left = 0;

  for (uint32_t i = 0; i < n; i++)
    if (i != column)
      {
        for (uint32_t k = 0, to = 0; k < n; k++)
          if (k != row)
            rest.at[left][to++] = matrix->at[i][k];
        left++;
      }
  if (left == 1)
    return rest.at[0][0];
  if (left == 2)
    return rest.at[0][0] * rest.at[1][1] - rest.at[0][1] * rest.at[1][0];
  for (uint32_t k = 0; k < left; k++)
    sum += (k % 2 == 0 ? 1 : -1) * rest.at[0][k] * determinant (&rest, left, 0, k);
  return sum;
}

static void
multiply (const struct matrix *a,
          const struct matrix *b,
          uint32_t n,
          struct matrix *out)
{
  /* A vector on the left is a row. */
  bool row = a->columns == 1;

  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      {
        out->at[i][k] = 0;
        for (uint32_t m = 0; m < n; m++)
          out->at[i][k] += row ? a->at[0][m] * b->at[k][m] : a->at[m][k] * b->at[i][m];
      }
}

bool
evaluate_matrix (enum xir_op op,
                 const struct xir_type *const types[2],
                 const uint8_t *const data[2],
                 const struct xir_type *type,
                 uint8_t *out)
{
  struct matrix a, b, result = { 0, 0, { { 0 } } };
  const struct xir_type *matrix = types[0]->kind == XIR_TYPE_MATRIX ? types[0]
                                  : types[1] != NULL && types[1]->kind == XIR_TYPE_MATRIX ? types[1] : type;
  uint32_t n = (uint32_t) matrix->count;
  double whole;

  if (matrix->kind != XIR_TYPE_MATRIX)
    return false;
  read_matrix (types[0], data[0], n, &a);
  read_matrix (types[1] != NULL ? types[1] : types[0], types[1] != NULL ? data[1] : data[0], n, &b);
  whole = determinant (&a, n, 4, 4);
  if (op == XIR_OP_MATRIX_MULTIPLY)
    multiply (&a, &b, n, &result);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      {
        if (op == XIR_OP_MATRIX_TRANSPOSE)
          result.at[i][k] = a.at[k][i];
        else if (op == XIR_OP_MATRIX_DETERMINANT)
          result.at[i][k] = whole;
        else if (op == XIR_OP_MATRIX_INVERSE)
          result.at[i][k] = ((i + k) % 2 == 0 ? 1 : -1) * determinant (&a, n, k, i) / whole;
        else if (op == XIR_OP_OUTER_PRODUCT && types[0]->kind != XIR_TYPE_MATRIX)
          result.at[i][k] = a.at[0][k] * b.at[0][i];
        else if (op == XIR_OP_OUTER_PRODUCT)
          for (uint32_t m = 0; m < n; m++)
            result.at[i][k] += a.at[m][k] * b.at[m][i];
        else if (op != XIR_OP_MATRIX_MULTIPLY)
          result.at[i][k] = element_op (op, a.at[i][k], b.at[i][k]);
      }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      {
        struct evaluate_lane lane;

        evaluate_set_real (XIR_TYPE_FLOAT32, result.at[i][k], &lane);
        if (type->kind == XIR_TYPE_MATRIX)
          evaluate_store (XIR_TYPE_FLOAT32, &lane, out + i * type->element->size + k * 4);
        else if (i == 0 && k < xir_type_lanes (type))
          evaluate_store (XIR_TYPE_FLOAT32, &lane, out + k * 4);
      }
  return true;
}
