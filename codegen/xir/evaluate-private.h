/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the evaluator's files: evaluate.c knows shapes and data movement,
 * evaluate-float.c the bits of floats, evaluate-scalar.c the arithmetic of one lane,
 * evaluate-vector.c what mixes lanes. */

#pragma once

#include "codegen/xir/xir.h"

/* One lane. Integers are kept in their width, zero-extended; bool is 0 or 1.
 * Floats of every width are doubles: each double operation on narrower values
 * is exact enough that rounding its result once gives the correctly rounded one. */
struct evaluate_lane
{
  uint64_t bits;
  double real;
};

void   evaluate_load       (enum xir_type_kind kind, const uint8_t *data, struct evaluate_lane *out);
void   evaluate_store      (enum xir_type_kind kind, const struct evaluate_lane *lane, uint8_t *data);
/* Rounds to the width of a float kind, and gives the bits too. */
void   evaluate_set_real   (enum xir_type_kind kind, double real, struct evaluate_lane *out);
uint32_t evaluate_width    (enum xir_type_kind kind);
/* Floats that are computed with; evaluate_is_real() has those that are only stored and converted, too. */
bool   evaluate_is_float   (enum xir_type_kind kind);
bool   evaluate_is_real    (enum xir_type_kind kind);
/* Between a double and the bits of a real kind: rounded once, to nearest, ties to even. */
double   evaluate_real_of_bits (enum xir_type_kind kind, uint64_t bits);
uint64_t evaluate_bits_of_real (enum xir_type_kind kind, double real);
bool   evaluate_is_integer (enum xir_type_kind kind);
bool   evaluate_is_signed  (enum xir_type_kind kind);

/* `kind`: of operand 0; the result's kind is that too, but for comparisons and
 * classes, which are bool. False for an op that it does not know at this kind. */
bool evaluate_scalar (enum xir_op op, enum xir_type_kind kind, enum xir_type_kind second_kind,
                      const struct evaluate_lane *operands, struct evaluate_lane *out);
bool evaluate_cast   (enum xir_type_kind from, enum xir_type_kind to, const struct evaluate_lane *in,
                      struct evaluate_lane *out);
/* The ops of matrices; operands are matrices, vectors and scalars of float, the second type NULL where there is none. */
bool evaluate_matrix (enum xir_op op, const struct xir_type *const types[2], const uint8_t *const data[2],
                      const struct xir_type *type, uint8_t *out);
/* One of them as numbers. A vector stands in every column, a scalar in all places. */
struct evaluate_matrix
{
  bool is_vector;
  double at[4][4];               /* column, row */
};
/* Of the matrix that the op is about: an operand, or its result. */
const struct xir_type *evaluate_matrix_shape (const struct xir_type *const types[2], const struct xir_type *type);
/* The op on matrices of n columns, rounded nowhere but as doubles are. A result that is a vector is in column 0, a scalar
 * in all places. */
void evaluate_matrix_numbers (enum xir_op op, uint32_t n, const struct evaluate_matrix *a, const struct evaluate_matrix *b,
                              struct evaluate_matrix *out);
/* Operands are vectors of `lanes` lanes, up to three of them. The result has `lanes` or one. */
bool evaluate_vector (enum xir_op op, enum xir_type_kind kind, uint32_t lanes,
                      const struct evaluate_lane operands[3][4], struct evaluate_lane *out);
