/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What threads do together, such that it does not matter who comes first: values that go through shared memory between
 * barriers or through subgroups, and atomics that commute, each on a word of its own. */

#include "config.h"

#include "tests/random/builtins.h"
#include "tests/random/generate.h"

static void
declare_result (struct generator *generator, struct block *block, struct statement *statement, const struct type *type, struct promise promise)
{
  statement->variable = tree_variable (generator->kernel, ROLE_LOCAL, type, promise);
  g_ptr_array_add (block->statements, statement);
  g_ptr_array_add (generator->scope, statement->variable);
}

/* Each thread gives a value and takes that of some thread. */
static void
add_exchange (struct generator *generator, struct block *block)
{
  struct promise promise = { GRAIN_VARIABLE, chance (generator, 50) };
  const struct type *type = generate_variable_type (generator);
  gsize size = type_size (type) * generator->kernel->group_size[0];
  struct statement *statement;

  if (size > MAX_SHARED - generator->shared_size)
    return;
  generator->shared_size += size;
  statement = tree_statement (generator->kernel, STATEMENT_EXCHANGE);
  statement->value = generate_expression (generator, type, promise, 3);
  statement->place = generate_index (generator, generator->kernel->group_size[0], 3);
  declare_result (generator, block, statement, type, promise);
}

static gboolean
is_bitwise (const struct builtin *builtin)
{
  return builtin->op == XIR_OP_ATOMIC_AND || builtin->op == XIR_OP_ATOMIC_OR || builtin->op == XIR_OP_ATOMIC_XOR;
}

static const struct builtin *
any_atomic (struct generator *generator, const struct type *type)
{
  const struct builtin *builtin;
  do
    builtin = &builtins[pick (generator, n_builtins)];
  while (builtin->rule != GK_RULE_ATOMIC || (is_bitwise (builtin) && scalar_is_float (type->scalar)));
  return builtin;
}

/* One whose result does not depend on the order: of floats, a sum of few integers. */
static const struct builtin *
any_common_atomic (struct generator *generator, const struct type *type)
{
  const struct builtin *builtin;
  do
    builtin = any_atomic (generator, type);
  while (scalar_is_float (type->scalar) && (builtin->op == XIR_OP_ATOMIC_MIN || builtin->op == XIR_OP_ATOMIC_MAX));
  return builtin;
}

static const struct type *
common_type (struct generator *generator)
{
  static const enum scalar scalars[] = { SCALAR_INT, SCALAR_INT, SCALAR_UINT, SCALAR_UINT, SCALAR_LONG, SCALAR_ULONG, SCALAR_FLOAT };
  return generate_type (generator, scalars[pick (generator, G_N_ELEMENTS (scalars))], 1);
}

static struct expression *
small_number (struct generator *generator)
{
  const struct type *integer = generate_type (generator, SCALAR_INT, 1), *number = generate_type (generator, SCALAR_FLOAT, 1);
  struct expression *masked = generate_binary (generator, integer, promise_nothing, "&", generate_expression (generator, integer, promise_nothing, 3),
                                               tree_number (generator->kernel, SCALAR_INT, 15)), *value;

  value = tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, number, promise_nothing, 1, masked);
  masked->is_fixed = value->is_fixed = TRUE;
  return value;
}

/* The values behind the place: what takes the place of another is the same for all. */
static void
set_operands (struct generator *generator, struct statement *statement, const struct builtin *builtin, const struct type *type)
{
  guint64 background = (guint64) BACKGROUND << (scalar_infos[type->scalar].bits - 32) | BACKGROUND;

  statement->text = builtin->name;
  if (builtin->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE)
    statement->step = tree_literal (generator->kernel, type, chance (generator, 60) ? background : 0);
  if (builtin->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE || builtin->op == XIR_OP_ATOMIC_EXCHANGE)
    statement->value = tree_number (generator->kernel, type->scalar, pick (generator, 100));
  else if (scalar_is_float (type->scalar))
    statement->value = small_number (generator);
  else
    statement->value = generate_expression (generator, type, promise_nothing, 3);
}

/* A word of the workgroup. */
static void
add_count (struct generator *generator, struct block *block)
{
  struct statement *statement = tree_statement (generator->kernel, STATEMENT_COUNT);
  const struct type *type = common_type (generator);

  statement->place = tree_number (generator->kernel, type->scalar, pick (generator, 4));
  set_operands (generator, statement, any_common_atomic (generator, type), type);
  declare_result (generator, block, statement, type, (struct promise) { GRAIN_VARIABLE, FALSE });
}

/* A word of the dispatch, anywhere. */
static void
add_total (struct generator *generator, struct block *block)
{
  const struct type *type = common_type (generator);
  GPtrArray *parameters = generator->kernel->parameters;
  struct statement *statement = tree_statement (generator->kernel, STATEMENT_TOTAL);

  for (guint i = 0; i < parameters->len; i++)
    {
      struct variable *parameter = parameters->pdata[i];
      if (parameter->role == ROLE_TOTALS && parameter->type == type)
        statement->variable = parameter;
    }
  if (statement->variable == NULL)
    {
      statement->variable = tree_variable (generator->kernel, ROLE_TOTALS, type, promise_nothing);
      /* Volatile buffers of other types are seen as words, and have no atomics of 64 bits. */
      statement->variable->is_volatile = scalar_infos[type->scalar].bits == 32 && chance (generator, 15);
      g_ptr_array_add (parameters, statement->variable);
    }
  statement->number = statement->variable->length++;
  set_operands (generator, statement, any_common_atomic (generator, type), type);
  g_ptr_array_add (block->statements, statement);
}

/* What is nobody else's may be changed in every way, and what was there before is defined. */

/* Where 64 bits are one place. */
static gboolean
has_long_atomics (const struct variable *buffer)
{
  return !buffer->is_volatile && buffer->type->kind == TYPE_VALUE && buffer->type->lanes <= 2;
}

static struct expression *
own_place (struct generator *generator)
{
  static const enum scalar scalars[] = { SCALAR_INT, SCALAR_UINT, SCALAR_LONG, SCALAR_ULONG, SCALAR_FLOAT };

  for (guint i = 0; i < 12; i++)
    {
      const struct type *type = generate_type (generator, scalars[pick (generator, G_N_ELEMENTS (scalars))], 1);
      struct expression *place = generate_place (generator, type, promise_nothing, TRUE), *root = place;

      while (root != NULL && root->n_operands > 0)
        root = root->operands[0];
      if (root != NULL && root->kind == EXPRESSION_OWN && !root->variable->is_unread
          && (scalar_infos[type->scalar].bits == 32 || has_long_atomics (root->variable)))
        return place;
    }
  return NULL;
}

/* The signs of the zeros of sums and of the smaller one are free; floats are compared by their bits. */
static gboolean
fits_promise (const struct builtin *builtin, const struct expression *place)
{
  if (!scalar_is_float (place->type->scalar) || builtin->op == XIR_OP_ATOMIC_EXCHANGE)
    return TRUE;
  return (builtin->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE) == place->promise.strict;
}

void
generate_atomic (struct generator *generator, struct block *block)
{
  struct expression *place = own_place (generator);
  struct statement *statement;
  const struct builtin *builtin;

  if (place == NULL)
    return;
  do
    builtin = any_atomic (generator, place->type);
  while (!fits_promise (builtin, place));
  statement = tree_statement (generator->kernel, STATEMENT_ATOMIC);
  statement->place = place;
  statement->text = builtin->name;
  if (builtin->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE)
    statement->step = generate_expression (generator, place->type, place->promise, 2);
  statement->value = generate_expression (generator, place->type, place->promise, 3);
  declare_result (generator, block, statement, place->type, place->promise);
}

/* Subgroups. All threads of a subgroup are here; their numbers follow those in the workgroup on every device that is
 * compared, and machine.c gives the reference driver the width of llvmpipe. Sums and products of floats are left out: they come
 * in any order. */

static const struct type *
integers (struct generator *generator)
{
  enum scalar scalar = chance (generator, 60) ? any_integer (generator) : (enum scalar) (SCALAR_CHAR + pick (generator, SCALAR_ULONG - SCALAR_CHAR + 1));
  return generate_type (generator, scalar, 1 + pick (generator, 4));
}

/* What the function is given. Floats are not compared, as NaN and -0 may be among them. */
static const struct type *
operand_of (struct generator *generator, const struct builtin *builtin)
{
  static const enum scalar floats[] = { SCALAR_FLOAT, SCALAR_HALF, SCALAR_DOUBLE };

  switch (builtin->op)
    {
    case XIR_OP_SUBGROUP_READ:
    case XIR_OP_SUBGROUP_READ_FIRST:
      if (chance (generator, 20))
        return generate_type (generator, SCALAR_BOOL, 1 + pick (generator, 4));
      break;
    case XIR_OP_SUBGROUP_MIN:
    case XIR_OP_SUBGROUP_MAX:
      break;
    default:
      return integers (generator);
    }
  return chance (generator, 40) ? generate_type (generator, floats[pick (generator, 3)], 1 + pick (generator, 4)) : integers (generator);
}

static const struct type *
result_of (struct generator *generator, const struct builtin *builtin, const struct type *operand)
{
  switch (builtin->op)
    {
    case XIR_OP_SUBGROUP_COUNT:
    case XIR_OP_SUBGROUP_PREFIX_COUNT:
      return generate_type (generator, SCALAR_UINT, 1);
    case XIR_OP_SUBGROUP_BALLOT:
      return generate_type (generator, SCALAR_UINT, 4);
    case XIR_OP_SUBGROUP_ALL_EQUAL:
      return generate_type (generator, SCALAR_BOOL, operand->lanes);
    default:
      return operand;
    }
}

static void
add_subgroup (struct generator *generator, struct block *block)
{
  const struct builtin *builtin;
  const struct type *operand;
  static const struct promise promise = { GRAIN_VARIABLE, FALSE };
  struct expression *call, *argument = NULL;
  struct statement *statement;

  do
    builtin = &builtins[pick (generator, n_builtins)];
  while (builtin->rule < GK_RULE_SUBGROUP_NOTHING || builtin->rule > GK_RULE_SUBGROUP_READ);
  operand = builtin->rule == GK_RULE_SUBGROUP_NOTHING || builtin->rule == GK_RULE_SUBGROUP_FLAG
            ? generate_type (generator, SCALAR_BOOL, 1) : operand_of (generator, builtin);
  if (builtin->rule != GK_RULE_SUBGROUP_NOTHING)
    argument = generate_expression (generator, operand, promise, 3);
  call = tree_expression (generator->kernel, EXPRESSION_BUILTIN, result_of (generator, builtin, operand), promise, argument != NULL, argument);
  call->text = builtin->name;
  /* No subgroup has fewer threads. */
  if (builtin->rule == GK_RULE_SUBGROUP_READ)
    call->operands[call->n_operands++] = generate_index (generator, 4, 2);
  statement = tree_statement (generator->kernel, STATEMENT_DECLARE);
  statement->value = call;
  declare_result (generator, block, statement, call->type, promise);
}

void
generate_together (struct generator *generator, struct block *block)
{
  /* Barriers stand where all threads come by. */
  gboolean all_come = generator->depth == 1 && generator->kernel->is_together;

  if (generator->function != NULL)
    return;
  if (!all_come || chance (generator, 20))
    add_total (generator, block);
  else if (chance (generator, 40))
    add_subgroup (generator, block);
  else if (chance (generator, 60))
    add_exchange (generator, block);
  else
    add_count (generator, block);
}
