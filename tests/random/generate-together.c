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
  struct statement *statement = tree_statement (generator->kernel, STATEMENT_EXCHANGE);
  struct promise promise = { GRAIN_VARIABLE, chance (generator, 50) };
  const struct type *type = generate_variable_type (generator);

  statement->value = generate_expression (generator, type, promise, 3);
  statement->place = generate_index (generator, generator->kernel->group_size[0], 3);
  declare_result (generator, block, statement, type, promise);
}

/* An atomic whose result does not depend on the order. */
static const struct builtin *
any_atomic (struct generator *generator)
{
  const struct builtin *builtin;
  do
    builtin = &builtins[pick (generator, n_builtins)];
  while (builtin->rule != GK_RULE_ATOMIC || builtin->op == XIR_OP_ATOMIC_EXCHANGE);
  return builtin;
}

/* The values behind the place: of a compare and exchange the same for all. */
static void
set_operands (struct generator *generator, struct statement *statement, const struct builtin *builtin, const struct type *type)
{
  statement->text = builtin->name;
  if (builtin->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE)
    {
      statement->step = tree_literal (generator->kernel, type, pick (generator, 3) * BACKGROUND / 2);
      statement->value = tree_number (generator->kernel, type->scalar, pick (generator, 100));
    }
  else
    statement->value = generate_expression (generator, type, promise_nothing, 3);
}

/* A word of the workgroup. */
static void
add_count (struct generator *generator, struct block *block)
{
  struct statement *statement = tree_statement (generator->kernel, STATEMENT_COUNT);
  const struct type *type = generate_type (generator, chance (generator, 50) ? SCALAR_INT : SCALAR_UINT, 1);

  statement->place = tree_number (generator->kernel, type->scalar, pick (generator, 4));
  set_operands (generator, statement, any_atomic (generator), type);
  declare_result (generator, block, statement, type, promise_nothing);
}

/* A word of the dispatch, anywhere. */
static void
add_total (struct generator *generator, struct block *block)
{
  enum scalar scalar = chance (generator, 50) ? SCALAR_INT : SCALAR_UINT;
  const struct type *type = generate_type (generator, scalar, 1);
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
      g_ptr_array_add (parameters, statement->variable);
    }
  statement->number = statement->variable->length++;
  set_operands (generator, statement, any_atomic (generator), type);
  g_ptr_array_add (block->statements, statement);
}

/* Subgroups. All threads of a subgroup are here; their numbers follow those in the workgroup on every device that is
 * compared, and machine.c gives the reference driver the width of llvmpipe. Floats are left out: their sums come in any order. */

static const struct type *
integers (struct generator *generator)
{
  return generate_type (generator, chance (generator, 50) ? SCALAR_INT : SCALAR_UINT, 1 + pick (generator, 4));
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
  struct expression *call, *argument = NULL;
  struct statement *statement;

  do
    builtin = &builtins[pick (generator, n_builtins)];
  while (builtin->rule < GK_RULE_SUBGROUP_NOTHING || builtin->rule > GK_RULE_SUBGROUP_READ);
  operand = builtin->rule == GK_RULE_SUBGROUP_NOTHING || builtin->rule == GK_RULE_SUBGROUP_FLAG
            ? generate_type (generator, SCALAR_BOOL, 1) : integers (generator);
  if (builtin->rule != GK_RULE_SUBGROUP_NOTHING)
    argument = generate_expression (generator, operand, promise_nothing, 3);
  call = tree_expression (generator->kernel, EXPRESSION_BUILTIN, result_of (generator, builtin, operand), promise_nothing, argument != NULL, argument);
  call->text = builtin->name;
  /* No subgroup has fewer threads. */
  if (builtin->rule == GK_RULE_SUBGROUP_READ)
    call->operands[call->n_operands++] = generate_index (generator, 4, 2);
  statement = tree_statement (generator->kernel, STATEMENT_DECLARE);
  statement->value = call;
  declare_result (generator, block, statement, call->type, promise_nothing);
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
