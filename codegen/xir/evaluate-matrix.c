/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrices, computed as doubles and rounded once. */

#include "config.h"

#include "codegen/xir/evaluate-private.h"

#include <math.h>

static void
read_matrix (const struct xir_type *type,
             const uint8_t *data,
             uint32_t n,
             struct evaluate_matrix *out)
{
  bool is_matrix = type->kind == XIR_TYPE_MATRIX;
  struct evaluate_lane lane;

  out->is_vector = !is_matrix;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      {
        const uint8_t *from = is_matrix ? data + i * type->element->size + k * 4 : xir_type_lanes (type) == 1 ? data : data + k * 4;

        evaluate_load (XIR_TYPE_FLOAT32, from, &lane);
        out->at[i][k] = lane.real;
      }
}

const struct xir_type *
evaluate_matrix_shape (const struct xir_type *const types[2],
                       const struct xir_type *type)
{
  if (types[0]->kind == XIR_TYPE_MATRIX)
    return types[0];
  return types[1] != NULL && types[1]->kind == XIR_TYPE_MATRIX ? types[1] : type;
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
determinant (const struct evaluate_matrix *matrix,
             uint32_t n,
             uint32_t column,
             uint32_t row)
{
  struct evaluate_matrix rest = { .is_vector = false };
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
multiply (const struct evaluate_matrix *a,
          const struct evaluate_matrix *b,
          uint32_t n,
          struct evaluate_matrix *out)
{
  /* A vector on the left is a row. */
  bool row = a->is_vector;

  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      {
        out->at[i][k] = row ? a->at[0][0] * b->at[k][0] : a->at[0][k] * b->at[i][0];
        for (uint32_t m = 1; m < n; m++)
          out->at[i][k] += row ? a->at[0][m] * b->at[k][m] : a->at[m][k] * b->at[i][m];
      }
}

/* a b^T: of two vectors a product for each pair of numbers. */
static void
outer_product (const struct evaluate_matrix *a,
               const struct evaluate_matrix *b,
               uint32_t n,
               struct evaluate_matrix *out)
{
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      {
        out->at[i][k] = a->at[0][k] * b->at[0][i];
        for (uint32_t m = 1; m < n && !a->is_vector; m++)
          out->at[i][k] += a->at[m][k] * b->at[m][i];
      }
}

void
evaluate_matrix_numbers (enum xir_op op,
                         uint32_t n,
                         const struct evaluate_matrix *a,
                         const struct evaluate_matrix *b,
                         struct evaluate_matrix *out)
{
  double whole = op == XIR_OP_MATRIX_DETERMINANT || op == XIR_OP_MATRIX_INVERSE ? determinant (a, n, 4, 4) : 0;

  if (op == XIR_OP_MATRIX_MULTIPLY)
    multiply (a, b, n, out);
  else if (op == XIR_OP_OUTER_PRODUCT)
    outer_product (a, b, n, out);
  else
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t k = 0; k < n; k++)
        {
          if (op == XIR_OP_MATRIX_TRANSPOSE)
            out->at[i][k] = a->at[k][i];
          else if (op == XIR_OP_MATRIX_DETERMINANT)
            out->at[i][k] = whole;
          else if (op == XIR_OP_MATRIX_INVERSE)
            out->at[i][k] = ((i + k) % 2 == 0 ? 1 : -1) * determinant (a, n, k, i) / whole;
          else
            out->at[i][k] = element_op (op, a->at[i][k], b->at[i][k]);
        }
}

bool
evaluate_matrix (enum xir_op op,
                 const struct xir_type *const types[2],
                 const uint8_t *const data[2],
                 const struct xir_type *type,
                 uint8_t *out)
{
  struct evaluate_matrix a, b, result;
  const struct xir_type *matrix = evaluate_matrix_shape (types, type);
  uint32_t n = (uint32_t) matrix->count;

  if (matrix->kind != XIR_TYPE_MATRIX)
    return false;
  read_matrix (types[0], data[0], n, &a);
  read_matrix (types[1] != NULL ? types[1] : types[0], types[1] != NULL ? data[1] : data[0], n, &b);
  evaluate_matrix_numbers (op, n, &a, &b, &result);
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
