/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrices: what works by element is exact; products of linear algebra are bounded, and lead nowhere. */

#include "config.h"

#include "codegen/xir/xir.h"
#include "tests/random/generate.h"

static struct promise
halved (struct promise promise)
{
  promise.grain /= 2;
  return promise;
}

static struct expression *
call_of (struct generator *generator, const char *name, guint op, const struct type *type, struct promise promise, guint n,
         struct expression *left, struct expression *right)
{
  struct expression *call = tree_expression (generator->kernel, EXPRESSION_BUILTIN, type, promise, n, left, right);
  call->text = name;
  call->bits = op;
  return call;
}

/* With a matrix on both sides or, on one, a number that stands for all. */
static struct expression *
by_element (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  static const char *const operators[] = { "+", "-", "*" };
  /* KNOWN-ISSUES, sum-with-zero. */
  const char *text = wanted.strict ? "*" : operators[pick (generator, 3)];
  const struct type *number = generate_type (generator, SCALAR_FLOAT, 1);
  guint choice = *text == '*' || chance (generator, 40) ? pick (generator, 2) : 2;
  struct promise operand = *text == '*' ? halved (wanted) : wanted;
  struct expression *left = generate_expression (generator, choice == 0 ? number : type, operand, depth - 1);

  return generate_binary (generator, type, wanted, text, left, generate_expression (generator, choice == 1 ? number : type, operand, depth - 1));
}

static struct expression *
from_parts (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *construct = tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, wanted, 0);
  gboolean by_number = type->length == 2 && chance (generator, 40);
  const struct type *part = by_number ? generate_type (generator, SCALAR_FLOAT, 1) : type->element;

  for (guint i = 0; i < (by_number ? 4 : type->length); i++)
    construct->operands[construct->n_operands++] = generate_expression (generator, part, wanted, depth - 1);
  return construct;
}

struct expression *
generate_matrix (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct kernel *kernel = generator->kernel;
  const struct type *number = generate_type (generator, SCALAR_FLOAT, 1);
  guint choice = depth == 0 ? 100 : pick (generator, 100);
  struct expression *left, *unary;

  if (choice < 30)
    return by_element (generator, type, wanted, depth);
  if (choice < 45)
    {
      left = generate_expression (generator, type, halved (wanted), depth - 1);
      return call_of (generator, "mul_elements", XIR_OP_MATRIX_MUL, type, wanted, 2, left, generate_expression (generator, type, halved (wanted), depth - 1));
    }
  if (choice < 60)
    return call_of (generator, "transpose", XIR_OP_MATRIX_TRANSPOSE, type, wanted, 1, generate_expression (generator, type, wanted, depth - 1), NULL);
  if (choice < 65)
    {
      unary = tree_expression (kernel, EXPRESSION_UNARY, type, wanted, 1, generate_expression (generator, type, wanted, depth - 1));
      unary->text = "-";
      return unary;
    }
  if (choice < 85)
    return from_parts (generator, type, wanted, depth);
  /* A diagonal. */
  return tree_expression (kernel, EXPRESSION_CONSTRUCT, type, wanted, 1,
                          depth == 0 ? generate_literal (generator, number, wanted) : generate_expression (generator, number, wanted, depth - 1));
}

struct expression *
generate_matrix_product (struct generator *generator)
{
  guint n = 2 + pick (generator, 3), choice = pick (generator, 10);
  const struct type *matrix = generator->kernel->matrices[n], *column = matrix->element;
  const struct type *left = choice == 0 || choice == 6 ? column : matrix, *right = choice == 1 || choice == 2 || choice == 6 ? column : matrix;
  struct expression *a = generate_expression (generator, left, promise_nothing, 2), *b, *product;

  if (choice == 9)
    return call_of (generator, "inverse", XIR_OP_MATRIX_INVERSE, matrix, promise_nothing, 1, a, NULL);
  if (choice > 7)
    return call_of (generator, "determinant", XIR_OP_MATRIX_DETERMINANT, generate_type (generator, SCALAR_FLOAT, 1), promise_nothing, 1, a, NULL);
  b = generate_expression (generator, right, promise_nothing, 2);
  if (choice > 5)
    return call_of (generator, "outer_product", XIR_OP_OUTER_PRODUCT, matrix, promise_nothing, 2, a, b);
  product = generate_binary (generator, left == column || right == column ? column : matrix, promise_nothing, "*", a, b);
  product->bits = XIR_OP_MATRIX_MULTIPLY;
  return product;
}
