/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What flow kernels are made of beside control flow: marks, and conditions over bits of the vector `c`, counters and
 * variables. Calls stand only where C, too, says when they happen: in conditions, and alone. */

#include "config.h"

#include "tests/random/data.h"
#include "tests/random/flow.h"
#include "tests/random/generate.h"

static struct expression *
binary (struct generator *generator, const struct type *type, const char *text, struct expression *left, struct expression *right)
{
  struct expression *expression = tree_expression (generator->kernel, EXPRESSION_BINARY, type, promise_nothing, 2, left, right);
  expression->text = text;
  return expression;
}

/* Some bits of the thread's own condition words. */
static struct expression *
condition_bits (struct generator *generator, guint mask)
{
  struct kernel *kernel = generator->kernel;
  const struct type *type = generate_type (generator, SCALAR_UINT, 1);
  struct expression *word = tree_expression (kernel, EXPRESSION_NAME, type, promise_nothing, 0);
  static const char *const words[N_CONDITIONS] = { "c.x", "c.y", "c.z", "c.w" };

  word->bits = pick (generator, N_CONDITIONS);
  word->text = words[word->bits];
  return binary (generator, type, "&", binary (generator, type, ">>", word, tree_number (kernel, SCALAR_UINT, pick (generator, 30))),
                 tree_number (kernel, SCALAR_UINT, mask));
}

static struct expression *
some_variable (struct generator *generator, enum scalar scalar)
{
  for (guint i = 0; i < 4 && generator->scope->len > 0; i++)
    {
      struct variable *variable = generator->scope->pdata[pick (generator, generator->scope->len)];
      struct expression *name;
      if (variable->type->scalar != scalar)
        continue;
      name = tree_expression (generator->kernel, EXPRESSION_VARIABLE, variable->type, promise_nothing, 0);
      name->variable = variable;
      return name;
    }
  return NULL;
}

static struct expression *
flow_number (struct generator *generator, enum scalar scalar, guint depth)
{
  static const char *const operators[] = { "+", "-", "*", "&", "|", "^" };
  const struct type *type = generate_type (generator, scalar, 1);
  struct expression *number = NULL;
  guint choice = pick (generator, 10);

  if (choice < 4)
    number = some_variable (generator, scalar);
  else if (choice < 6 && depth > 0)
    number = binary (generator, type, operators[pick (generator, G_N_ELEMENTS (operators))], flow_number (generator, scalar, depth - 1),
                     flow_number (generator, scalar, depth - 1));
  else if (choice < 7)
    number = tree_number (generator->kernel, scalar, pick (generator, 8));
  if (number != NULL)
    return number;
  number = condition_bits (generator, chance (generator, 50) ? 7 : 3);
  return scalar == SCALAR_UINT ? number : tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, promise_nothing, 1, number);
}

static struct expression *
flow_call (struct generator *generator, const struct type *type)
{
  GPtrArray *functions = generator->kernel->functions;
  struct function *function;

  if (functions->len == 0)
    return NULL;
  function = functions->pdata[pick (generator, functions->len)];
  if (function->returns != type || !can_call (generator, function))
    return NULL;
  return generate_call (generator, function, 2);
}

static struct expression *
flow_condition (struct generator *generator, guint depth)
{
  static const char *const comparisons[] = { "<", ">", "<=", ">=", "==", "!=" };
  const struct type *type = generate_type (generator, SCALAR_BOOL, 1);
  enum scalar scalar = chance (generator, 50) ? SCALAR_INT : SCALAR_UINT;
  guint choice = pick (generator, 10);
  struct expression *condition = NULL;

  if (choice < 4 && depth > 0)
    return binary (generator, type, chance (generator, 50) ? "&&" : "||", flow_condition (generator, depth - 1),
                   flow_condition (generator, depth - 1));
  if (choice < 5 && depth > 0)
    {
      condition = tree_expression (generator->kernel, EXPRESSION_UNARY, type, promise_nothing, 1, flow_condition (generator, depth - 1));
      condition->text = "!";
    }
  else if (choice < 6 && depth > 0)
    {
      condition = flow_condition (generator, depth - 1);
      struct expression *yes = flow_condition (generator, depth - 1);
      condition = tree_expression (generator->kernel, EXPRESSION_CONDITIONAL, type, promise_nothing, 3, condition, yes,
                                   flow_condition (generator, depth - 1));
    }
  else if (choice < 7)
    condition = flow_call (generator, type);
  if (condition != NULL)
    return condition;
  if (chance (generator, 50))
    return binary (generator, type, "!=", condition_bits (generator, 1), tree_number (generator->kernel, SCALAR_UINT, 0));
  condition = flow_number (generator, scalar, 1);
  return binary (generator, type, comparisons[pick (generator, G_N_ELEMENTS (comparisons))], condition, flow_number (generator, scalar, 1));
}

struct expression *
generate_flow_expression (struct generator *generator, const struct type *type, guint depth)
{
  if (type->scalar == SCALAR_BOOL)
    return flow_condition (generator, MIN (depth, 2));
  return flow_number (generator, type->scalar, MIN (depth, 1));
}

/* Statements. */

static struct statement *
add (struct generator *generator, struct block *block, enum statement_kind kind)
{
  struct statement *statement = tree_statement (generator->kernel, kind);
  g_ptr_array_add (block->statements, statement);
  return statement;
}

static void
add_mark (struct generator *generator, struct block *block)
{
  add (generator, block, STATEMENT_MARK)->number = ++generator->kernel->n_marks;
}

static void
add_variable (struct generator *generator, struct block *block)
{
  const struct type *type = generate_type (generator, chance (generator, 50) ? SCALAR_INT : SCALAR_UINT, 1);
  struct expression *value = flow_call (generator, type);
  struct statement *statement;

  if (value == NULL)
    value = generate_flow_expression (generator, type, 2);
  statement = add (generator, block, STATEMENT_DECLARE);
  statement->value = value;
  statement->variable = tree_variable (generator->kernel, ROLE_LOCAL, type, promise_nothing);
  g_ptr_array_add (generator->scope, statement->variable);
}

static void
add_assignment (struct generator *generator, struct block *block)
{
  struct expression *place = some_variable (generator, chance (generator, 50) ? SCALAR_INT : SCALAR_UINT), *value;
  struct statement *statement;

  if (place == NULL || place->variable->role == ROLE_COUNTER)
    return;
  value = generate_flow_expression (generator, place->type, 2);
  statement = add (generator, block, STATEMENT_ASSIGN);
  statement->place = place;
  statement->text = "=";
  statement->value = value;
}

static void
add_flow_call (struct generator *generator, struct block *block)
{
  GPtrArray *functions = generator->kernel->functions;
  struct function *function;

  if (functions->len == 0)
    return;
  function = functions->pdata[pick (generator, functions->len)];
  if (can_call (generator, function))
    {
      struct expression *call = generate_call (generator, function, 2);
      add (generator, block, STATEMENT_EXPRESSION)->value = call;
    }
}

void
generate_flow_statement (struct generator *generator, struct block *block)
{
  guint choice = pick (generator, 100);

  generator->cost += generator->weight;
  if (choice < 25 || generator->depth > 7 || generator->cost > MAX_FLOW_COST)
    add_mark (generator, block);
  else if (choice < 32)
    add_variable (generator, block);
  else if (choice < 38)
    add_assignment (generator, block);
  else if (choice < 43)
    add_flow_call (generator, block);
  else if (choice < 63)
    generate_if (generator, block);
  else if (choice < 78)
    generate_switch (generator, block);
  else if (choice < 97)
    generate_loop (generator, block);
  else
    {
      struct statement *statement = tree_statement (generator->kernel, STATEMENT_BLOCK);
      statement->bodies[statement->n_bodies++] = tree_block (generator->kernel);
      generate_block (generator, statement->bodies[0]);
      g_ptr_array_add (block->statements, statement);
    }
  if (chance (generator, 30))
    add_mark (generator, block);
}

/* Functions and the kernel. */

static void
add_function (struct generator *generator, guint number)
{
  static const enum scalar scalars[] = { SCALAR_BOOL, SCALAR_BOOL, SCALAR_INT, SCALAR_UINT };
  struct kernel *kernel = generator->kernel;
  struct function *function = tree_new (kernel, struct function);
  struct statement *last;
  guint n = pick (generator, 3);

  g_snprintf (function->name, sizeof function->name, "f%u", number);
  function->returns = chance (generator, 20) ? NULL : generate_type (generator, scalars[pick (generator, 4)], 1);
  function->attribute = chance (generator, 15) ? "[[noinline]]" : NULL;
  function->parameters = tree_new_array (kernel);
  function->body = tree_block (kernel);
  g_ptr_array_set_size (generator->scope, 0);
  for (guint i = 0; i < n; i++)
    {
      const struct type *type = generate_type (generator, chance (generator, 50) ? SCALAR_INT : SCALAR_UINT, 1);
      struct variable *parameter = tree_variable (kernel, ROLE_VALUE, type, promise_nothing);
      g_ptr_array_add (function->parameters, parameter);
      g_ptr_array_add (generator->scope, parameter);
    }
  generator->function = function;
  generator->fuel = 2 + pick (generator, 5);
  generator->cost = generator->depth = generator->size = 0;
  generate_block (generator, function->body);
  if (function->returns != NULL)
    {
      last = add (generator, function->body, STATEMENT_RETURN);
      last->value = generate_flow_expression (generator, function->returns, 2);
      last->is_fixed = TRUE;
    }
  function->cost = generator->cost + 1;
  function->size = generator->size + 1;
  g_ptr_array_add (kernel->functions, function);
}

static guint
longest_path (struct kernel *kernel)
{
  struct data *data;
  guint longest;

  kernel->trace_size = 1;
  data = data_new (kernel);
  longest = flow_longest (kernel, data_conditions (data));
  data_free (data);
  return longest;
}

static struct kernel *
try_flow (guint64 seed, guint attempt)
{
  struct generator generator;
  struct kernel *kernel;
  guint n_functions;

  generator_init (&generator, KERNEL_FLOW, seed, attempt);
  kernel = generator.kernel;
  kernel->group_size[0] = 32;
  kernel->group_size[1] = kernel->group_size[2] = 1;
  kernel->threads[0] = 32;
  kernel->threads[1] = kernel->threads[2] = 1;
  n_functions = pick (&generator, 4);
  for (guint i = 0; i < n_functions; i++)
    add_function (&generator, i);
  generator.function = NULL;
  generator.fuel = 4 + pick (&generator, 11);
  generator.cost = generator.depth = generator.size = 0;
  g_ptr_array_set_size (generator.scope, 0);
  generate_block (&generator, kernel->body);
  add_mark (&generator, kernel->body);
  generator_clear (&generator);
  return kernel;
}

struct kernel *
generate_flow (guint64 seed)
{
  for (guint attempt = 0;; attempt++)
    {
      struct kernel *kernel = try_flow (seed, attempt);
      guint longest = longest_path (kernel);
      if (longest <= MAX_PATH)
        {
          while (kernel->trace_size <= longest)
            kernel->trace_size *= 2;
          return kernel;
        }
      kernel_free (kernel);
    }
}
