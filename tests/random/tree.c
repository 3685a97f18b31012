/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/tree.h"

#include <stdarg.h>
#include <string.h>

gpointer
tree_allocate (struct kernel *kernel, gsize size)
{
  gpointer memory = g_malloc0 (size);
  g_ptr_array_add (kernel->memory, memory);
  return memory;
}

struct kernel *
kernel_new (enum kernel_kind kind, guint64 seed)
{
  struct kernel *kernel = g_new0 (struct kernel, 1);
  kernel->kind = kind;
  kernel->seed = seed;
  kernel->memory = g_ptr_array_new_with_free_func (g_free);
  kernel->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  kernel->structures = tree_new_array (kernel);
  kernel->constants = tree_new_array (kernel);
  kernel->functions = tree_new_array (kernel);
  kernel->parameters = tree_new_array (kernel);
  kernel->records = tree_new_array (kernel);
  kernel->options = tree_new_array (kernel);
  for (guint scalar = 0; scalar < N_SCALARS; scalar++)
    for (guint lanes = 1; lanes <= 4; lanes++)
      {
        struct type *type = tree_new (kernel, struct type);
        type->kind = TYPE_VALUE;
        type->scalar = (enum scalar) scalar;
        type->lanes = lanes;
        kernel->values[scalar][lanes] = type;
      }
  for (guint lanes = 2; lanes <= 4; lanes++)
    {
      struct type *type = tree_new (kernel, struct type);
      type->kind = TYPE_MATRIX;
      type->scalar = SCALAR_FLOAT;
      type->element = kernel->values[SCALAR_FLOAT][lanes];
      type->length = lanes;
      kernel->matrices[lanes] = type;
    }
  kernel->body = tree_block (kernel);
  return kernel;
}

void
kernel_free (struct kernel *kernel)
{
  g_ptr_array_unref (kernel->arrays);
  g_ptr_array_unref (kernel->memory);
  g_free (kernel);
}

GPtrArray *
tree_new_array (struct kernel *kernel)
{
  GPtrArray *array = g_ptr_array_new ();
  g_ptr_array_add (kernel->arrays, array);
  return array;
}

guint
kernel_n_threads (const struct kernel *kernel)
{
  return kernel->threads[0] * kernel->threads[1] * kernel->threads[2];
}

struct block *
tree_block (struct kernel *kernel)
{
  struct block *block = tree_new (kernel, struct block);
  block->statements = tree_new_array (kernel);
  return block;
}

struct statement *
tree_statement (struct kernel *kernel, enum statement_kind kind)
{
  struct statement *statement = tree_new (kernel, struct statement);
  statement->kind = kind;
  return statement;
}

struct variable *
tree_variable (struct kernel *kernel, enum role role, const struct type *type, struct promise promise)
{
  static const char *const prefixes[] = { "v", "i", "k", "K", "p", "q", "o", "in", "out", "picture", "canvas", "totals", "raw", "bytes" };
  struct variable *variable = tree_new (kernel, struct variable);
  variable->role = role;
  variable->type = type;
  variable->promise = promise;
  g_snprintf (variable->name, sizeof variable->name, "%s%u", prefixes[role], kernel->n_names++);
  return variable;
}

struct expression *
tree_expression (struct kernel *kernel,
                 enum expression_kind kind,
                 const struct type *type,
                 struct promise promise,
                 guint n_operands,
                 ...)
{
  struct expression *expression = tree_new (kernel, struct expression);
  va_list operands;

  g_assert (n_operands <= MAX_OPERANDS);
  expression->kind = kind;
  expression->type = type;
  expression->promise = promise;
  expression->n_operands = n_operands;
  va_start (operands, n_operands);
  for (guint i = 0; i < n_operands; i++)
    expression->operands[i] = va_arg (operands, struct expression *);
  va_end (operands);
  return expression;
}

struct expression *
tree_copy (struct kernel *kernel, const struct expression *expression)
{
  struct expression *copy = tree_new (kernel, struct expression);
  *copy = *expression;
  for (guint i = 0; i < copy->n_operands; i++)
    copy->operands[i] = tree_copy (kernel, copy->operands[i]);
  return copy;
}

const struct type *
tree_array (struct kernel *kernel, const struct type *element, guint length)
{
  struct type *type = tree_new (kernel, struct type);
  type->kind = TYPE_ARRAY;
  type->element = element;
  type->length = length;
  return type;
}

const struct type *
tree_structure (struct kernel *kernel, struct structure *structure)
{
  struct type *type = tree_new (kernel, struct type);
  type->kind = TYPE_STRUCTURE;
  type->structure = structure;
  return type;
}

gboolean
type_equal (const struct type *a, const struct type *b)
{
  if (a == b)
    return TRUE;
  if (a->kind != b->kind)
    return FALSE;
  switch (a->kind)
    {
    case TYPE_VALUE:
      return a->scalar == b->scalar && a->lanes == b->lanes;
    case TYPE_ARRAY:
    case TYPE_MATRIX:
      return a->length == b->length && type_equal (a->element, b->element);
    default:
      return a->structure == b->structure;
    }
}

/* Literals. */

static const struct promise any_promise = { 0, TRUE };

struct expression *
tree_literal (struct kernel *kernel, const struct type *type, guint64 bits)
{
  struct expression *literal = tree_expression (kernel, EXPRESSION_LITERAL, type, any_promise, 0);
  literal->bits = bits;
  return literal;
}

struct expression *
tree_number (struct kernel *kernel, enum scalar scalar, gint64 number)
{
  return tree_literal (kernel, kernel->values[scalar][1], scalar_bits (scalar, (double) number));
}

guint
type_count_numbers (const struct type *type)
{
  return type->kind == TYPE_MATRIX ? type->length * type->length : type->lanes;
}

/* Layout. */

gsize
type_alignment (const struct type *type)
{
  gsize most = 1;

  switch (type->kind)
    {
    case TYPE_VALUE:
      return MIN (type_size (type), 16);
    case TYPE_ARRAY:
    case TYPE_MATRIX:
      return type_alignment (type->element);
    default:
      for (guint i = 0; i < type->structure->n_members; i++)
        if (!type->structure->members[i].removed)
          most = MAX (most, type_alignment (type->structure->members[i].type));
      return most;
    }
}

static gsize
round_up (gsize size, gsize alignment)
{
  return (size + alignment - 1) / alignment * alignment;
}

gsize
type_size (const struct type *type)
{
  gsize size = 0;

  switch (type->kind)
    {
    case TYPE_VALUE:
      return scalar_infos[type->scalar].bits / 8 * (type->lanes == 3 ? 4 : type->lanes);
    case TYPE_ARRAY:
    case TYPE_MATRIX:
      return type->length * type_size (type->element);
    default:
      for (guint i = 0; i < type->structure->n_members; i++)
        if (!type->structure->members[i].removed)
          size = round_up (size, type_alignment (type->structure->members[i].type))
                 + type_size (type->structure->members[i].type);
      return round_up (size, type_alignment (type));
    }
}

void
type_each_leaf (const struct type *type, gsize offset, type_leaf_function leaf, gpointer data)
{
  switch (type->kind)
    {
    case TYPE_VALUE:
      for (guint i = 0; i < type->lanes; i++)
        leaf (type->scalar, offset + i * (scalar_infos[type->scalar].bits / 8), data);
      break;
    case TYPE_ARRAY:
    case TYPE_MATRIX:
      for (guint i = 0; i < type->length; i++)
        type_each_leaf (type->element, offset + i * type_size (type->element), leaf, data);
      break;
    default:
      for (guint i = 0; i < type->structure->n_members; i++)
        if (!type->structure->members[i].removed)
          {
            const struct type *member = type->structure->members[i].type;
            offset = round_up (offset, type_alignment (member));
            type_each_leaf (member, offset, leaf, data);
            offset += type_size (member);
          }
      break;
    }
}

/* Counting. */

static guint
count_block (const struct block *block)
{
  guint n = 0;
  if (block->removed)
    return 0;
  for (guint i = 0; i < block->statements->len; i++)
    {
      const struct statement *statement = block->statements->pdata[i];
      if (statement->removed)
        continue;
      n++;
      for (guint k = 0; k < statement->n_bodies; k++)
        n += count_block (statement->bodies[k]);
    }
  return n;
}

guint
kernel_count_statements (const struct kernel *kernel)
{
  guint n = count_block (kernel->body);
  for (guint i = 0; i < kernel->functions->len; i++)
    {
      const struct function *function = kernel->functions->pdata[i];
      if (!function->removed)
        n += count_block (function->body);
    }
  return n;
}
