/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrices are arrays of columns to all that comes behind this pass: their ops become ops on
 * the columns and their lanes. So sums have one order, and nothing else needs to know them. */

#include "config.h"

#include "codegen/passes/passes.h"

#include "codegen/xir/builder.h"

#define MAX_COLUMNS 4

static struct xir_value *
number (struct xir_builder *builder,
        uint32_t value)
{
  return xir_constant_uint (builder->module, value);
}

static struct xir_value *
column (struct xir_builder *builder,
        struct xir_value *matrix,
        uint32_t index)
{
  struct xir_value *at = number (builder, index);

  return xir_build_extract (builder, matrix, &at, 1);
}

static bool
is_matrix (const struct xir_type *type)
{
  return type->kind == XIR_TYPE_MATRIX;
}

/* A column of a matrix, or a scalar in all lanes of one. */
static struct xir_value *
column_or_splat (struct xir_builder *builder,
                 struct xir_value *value,
                 uint32_t index,
                 const struct xir_type *type)
{
  struct xir_value *parts[MAX_COLUMNS] = { value, value, value, value };

  if (is_matrix (value->type))
    return column (builder, value, index);
  return xir_build_aggregate (builder, type, parts, xir_type_lanes (type));
}

/* The sum of the columns, each by its lane of the vector, from the first on. */
static struct xir_value *
times_vector (struct xir_builder *builder,
              struct xir_value *matrix,
              struct xir_value *vector)
{
  struct xir_value *sum = NULL;

  for (uint32_t i = 0; i < matrix->type->count; i++)
    {
      struct xir_value *factor = column_or_splat (builder, column (builder, vector, i), 0, matrix->type->element);
      struct xir_value *term = xir_build_binary (builder, XIR_OP_MUL, column (builder, matrix, i), factor);

      sum = sum == NULL ? term : xir_build_binary (builder, XIR_OP_ADD, sum, term);
    }
  return sum;
}

static struct xir_value *
transpose (struct xir_builder *builder,
           struct xir_value *matrix)
{
  uint32_t n = (uint32_t) matrix->type->count;
  struct xir_value *columns[MAX_COLUMNS], *result[MAX_COLUMNS];

  for (uint32_t i = 0; i < n; i++)
    columns[i] = column (builder, matrix, i);
  for (uint32_t i = 0; i < n; i++)
    {
      struct xir_value *lanes[MAX_COLUMNS];

      for (uint32_t k = 0; k < n; k++)
        lanes[k] = column (builder, columns[k], i);
      result[i] = xir_build_aggregate (builder, matrix->type->element, lanes, n);
    }
  return xir_build_aggregate (builder, matrix->type, result, n);
}

static struct xir_value *
multiply (struct xir_builder *builder,
          struct xir_value *a,
          struct xir_value *b)
{
  uint32_t n = (uint32_t) (is_matrix (a->type) ? a->type->count : b->type->count);
  struct xir_value *parts[MAX_COLUMNS];

  if (is_matrix (a->type) && !is_matrix (b->type))
    return times_vector (builder, a, b);
  for (uint32_t i = 0; i < n; i++)
    parts[i] = is_matrix (a->type) ? times_vector (builder, a, column (builder, b, i))
               : xir_build_binary (builder, XIR_OP_DOT, a, column (builder, b, i));
  return xir_build_aggregate (builder, a->type, parts, n);
}

static struct xir_value *
outer_product (struct xir_builder *builder,
               struct xir_value *a,
               struct xir_value *b,
               const struct xir_type *type)
{
  struct xir_value *parts[MAX_COLUMNS];

  if (is_matrix (a->type))
    return multiply (builder, a, transpose (builder, b));
  for (uint32_t i = 0; i < type->count; i++)
    parts[i] = xir_build_binary (builder, XIR_OP_MUL, a, column_or_splat (builder, column (builder, b, i), 0, a->type));
  return xir_build_aggregate (builder, type, parts, (uint32_t) type->count);
}

static struct xir_value *
by_columns (struct xir_builder *builder,
            enum xir_op op,
            const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->value.type;
  struct xir_value *parts[MAX_COLUMNS];

  for (uint32_t i = 0; i < type->count; i++)
    {
      struct xir_value *a = column_or_splat (builder, xir_operand (instruction, 0), i, type->element);

      parts[i] = op == XIR_OP_NEG ? xir_build_unary (builder, op, a)
                 : xir_build_binary (builder, op, a, column_or_splat (builder, xir_operand (instruction, 1), i, type->element));
    }
  return xir_build_aggregate (builder, type, parts, (uint32_t) type->count);
}

/* Determinants of what is left of a matrix, by the sets of columns and rows. Each is made once,
 * so that the minors of four columns share those of two. */
struct minors
{
  struct xir_builder *builder;
  struct xir_value *elements[MAX_COLUMNS][MAX_COLUMNS];          /* column, row */
  struct xir_value *known[1 << MAX_COLUMNS][1 << MAX_COLUMNS];
};

/* Expanded along the first of the columns. Recurses three deep at most. */
static struct xir_value *
minor (struct minors *minors,
       uint32_t columns,
       uint32_t rows)
{
  uint32_t first = (uint32_t) __builtin_ctz (columns), rest = columns & (columns - 1);
  struct xir_value *sum = NULL;
  bool minus = false;

  if (rest == 0)
    return minors->elements[first][__builtin_ctz (rows)];
  if (minors->known[columns][rows] != NULL)
    return minors->known[columns][rows];
  for (uint32_t row = 0; row < MAX_COLUMNS; row++)
    {
      struct xir_value *term;

      if ((rows >> row & 1) == 0)
        continue;
      term = xir_build_binary (minors->builder, XIR_OP_MUL, minors->elements[first][row],
                               minor (minors, rest, rows & ~(1u << row)));
      sum = sum == NULL ? term : xir_build_binary (minors->builder, minus ? XIR_OP_SUB : XIR_OP_ADD, sum, term);
      minus = !minus;
    }
  minors->known[columns][rows] = sum;
  return sum;
}

static void
minors_init (struct minors *minors,
             struct xir_builder *builder,
             struct xir_value *matrix)
{
  *minors = (struct minors) { .builder = builder };
  for (uint32_t i = 0; i < matrix->type->count; i++)
    {
      struct xir_value *vector = column (builder, matrix, i);

      for (uint32_t k = 0; k < matrix->type->count; k++)
        minors->elements[i][k] = column (builder, vector, k);
    }
}

static struct xir_value *
determinant (struct xir_builder *builder,
             struct xir_value *matrix)
{
  uint32_t all = (1u << matrix->type->count) - 1;
  struct minors minors;

  minors_init (&minors, builder, matrix);
  return minor (&minors, all, all);
}

/* The cofactors, transposed, by the determinant: infinities and NaN where that is 0. */
static struct xir_value *
inverse (struct xir_builder *builder,
         struct xir_value *matrix)
{
  uint32_t n = (uint32_t) matrix->type->count, all = (1u << n) - 1;
  struct xir_value *columns[MAX_COLUMNS], *divisor;
  struct minors minors;

  minors_init (&minors, builder, matrix);
  divisor = column_or_splat (builder, minor (&minors, all, all), 0, matrix->type->element);
  for (uint32_t i = 0; i < n; i++)
    {
      struct xir_value *lanes[MAX_COLUMNS];

      for (uint32_t k = 0; k < n; k++)
        {
          lanes[k] = minor (&minors, all & ~(1u << k), all & ~(1u << i));
          if ((i + k) % 2 != 0)
            lanes[k] = xir_build_unary (builder, XIR_OP_NEG, lanes[k]);
        }
      columns[i] = xir_build_aggregate (builder, matrix->type->element, lanes, n);
      columns[i] = xir_build_binary (builder, XIR_OP_DIV, columns[i], divisor);
    }
  return xir_build_aggregate (builder, matrix->type, columns, n);
}

/* NULL: no op of matrices. */
static struct xir_value *
lower (struct xir_builder *builder,
       const struct xir_instruction *instruction)
{
  struct xir_value *a = instruction->n_operands > 0 ? xir_operand (instruction, 0) : NULL;

  switch (instruction->op)
    {
    case XIR_OP_MATRIX_NEG:
      return by_columns (builder, XIR_OP_NEG, instruction);
    case XIR_OP_MATRIX_ADD:
      return by_columns (builder, XIR_OP_ADD, instruction);
    case XIR_OP_MATRIX_SUB:
      return by_columns (builder, XIR_OP_SUB, instruction);
    case XIR_OP_MATRIX_MUL:
      return by_columns (builder, XIR_OP_MUL, instruction);
    case XIR_OP_MATRIX_DIV:
      return by_columns (builder, XIR_OP_DIV, instruction);
    case XIR_OP_MATRIX_MULTIPLY:
      return multiply (builder, a, xir_operand (instruction, 1));
    case XIR_OP_OUTER_PRODUCT:
      return outer_product (builder, a, xir_operand (instruction, 1), instruction->value.type);
    case XIR_OP_MATRIX_TRANSPOSE:
      return transpose (builder, a);
    case XIR_OP_MATRIX_DETERMINANT:
      return determinant (builder, a);
    case XIR_OP_MATRIX_INVERSE:
      return inverse (builder, a);
    default:
      return NULL;
    }
}

bool
xir_pass_lower_matrices (struct xir_module *module,
                         const struct xir_pass_options *options,
                         GError **error)
{
  bool changed = false;

  gb_list_for_each (function, &module->functions, struct xir_function, link)
    gb_list_for_each (block, &function->blocks, struct xir_block, link)
      gb_list_for_each_safe (instruction, &block->instructions, struct xir_instruction, link)
        {
          struct xir_builder builder;
          struct xir_value *value;

          if (instruction->op < XIR_OP_OUTER_PRODUCT || instruction->op > XIR_OP_MATRIX_INVERSE)
            continue;
          xir_builder_init (&builder, function);
          xir_builder_before (&builder, instruction);
          builder.location = instruction->location;
          value = lower (&builder, instruction);
          xir_value_replace (&instruction->value, value);
          xir_instruction_remove (instruction);
          changed = true;
        }
  return changed;
}
