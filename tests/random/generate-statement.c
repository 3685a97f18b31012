/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/generate.h"

#include <string.h>

static struct statement *
add (struct generator *generator, struct block *block, enum statement_kind kind)
{
  struct statement *statement = tree_statement (generator->kernel, kind);
  g_ptr_array_add (block->statements, statement);
  return statement;
}

static struct expression *
name_of (struct generator *generator, struct variable *variable)
{
  struct expression *name = tree_expression (generator->kernel, EXPRESSION_VARIABLE, variable->type, variable->promise, 0);
  name->variable = variable;
  name->is_fixed = TRUE;
  return name;
}

static const struct type *
bool_type (struct generator *generator)
{
  return generate_type (generator, SCALAR_BOOL, 1);
}

static struct block *
add_body (struct generator *generator, struct statement *statement)
{
  struct block *body = tree_block (generator->kernel);
  statement->bodies[statement->n_bodies++] = body;
  return body;
}

/* Variables. */

static struct promise
any_promise (struct generator *generator)
{
  return (struct promise) { GRAIN_VARIABLE, chance (generator, 50) };
}

static void
declare (struct generator *generator, struct block *block, const struct type *type, struct promise promise, struct expression *value)
{
  struct variable *variable = tree_variable (generator->kernel, ROLE_LOCAL, type, promise);
  struct statement *statement;

  variable->is_constant = chance (generator, 8);
  if (value == NULL)
    value = generate_expression (generator, type, promise, 3);
  statement = add (generator, block, STATEMENT_DECLARE);
  statement->variable = variable;
  statement->value = value;
  g_ptr_array_add (generator->scope, variable);
}

/* It begins as zero. */
static void
declare_nothing (struct generator *generator, struct block *block, const struct type *type, struct promise promise)
{
  struct statement *statement = add (generator, block, STATEMENT_DECLARE);
  statement->variable = tree_variable (generator->kernel, ROLE_LOCAL, type, promise);
  g_ptr_array_add (generator->scope, statement->variable);
}

static void
add_declaration (struct generator *generator, struct block *block)
{
  const struct type *cell = generate_cell_type (generator), *type = cell != NULL ? cell : generate_variable_type (generator);
  struct promise promise = any_promise (generator);
  struct expression *braces;

  if (cell != NULL && chance (generator, 70))
    {
      declare (generator, block, type, promise, generate_load (generator, type, promise));
      return;
    }
  if (chance (generator, 6))
    {
      declare_nothing (generator, block, type, promise);
      return;
    }
  if (type->kind == TYPE_VALUE || type->kind == TYPE_MATRIX || chance (generator, 25))
    {
      declare (generator, block, type, promise, NULL);
      return;
    }
  guint n = type->kind == TYPE_ARRAY ? type->length : type->structure->n_members;
  braces = tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, promise, 0);
  braces->is_braced = TRUE;
  for (guint i = 0; i < n; i++)
    braces->operands[braces->n_operands++] = generate_expression (generator, type->kind == TYPE_ARRAY ? type->element
                                                                  : type->structure->members[i].type, promise, 2);
  declare (generator, block, type, promise, braces);
}

/* KNOWN-ISSUES, sum-with-zero: to a strict place nothing is added. */
static const char *
assignment_operator (struct generator *generator, const struct type *type, gboolean strict)
{
  static const char *const numbers[] = { "+=", "-=", "*=", "%=", "/=", "&=", "|=", "^=", "<<=", ">>=" };

  if (type->kind == TYPE_MATRIX && !strict && chance (generator, 50))
    return numbers[pick (generator, 2)];
  if (type->kind != TYPE_VALUE || chance (generator, 55))
    return "=";
  switch (scalar_infos[type->scalar].family)
    {
    case FAMILY_BOOL:
      return numbers[5 + pick (generator, 3)];
    case FAMILY_FLOAT:
      return numbers[chance (generator, 5) ? 3 : strict ? 2 : pick (generator, 3)];
    case FAMILY_STORED:
      return "=";
    default:
      return numbers[pick (generator, G_N_ELEMENTS (numbers))];
    }
}

static const struct variable *
root_of (const struct expression *place)
{
  while (place->n_operands > 0)
    place = place->operands[0];
  return place->variable;
}

static void
assign (struct generator *generator, struct block *block, struct expression *place)
{
  const struct type *type = place->type;
  struct promise wanted = place->promise;
  const char *text = root_of (place)->is_unread ? "=" : assignment_operator (generator, type, place->promise.strict);
  struct statement *statement;
  struct expression *value;

  if (strcmp (text, "*=") == 0)
    wanted.grain = 0;
  if (type->kind == TYPE_VALUE && type->lanes > 1 && chance (generator, 15))
    type = generate_type (generator, type->scalar, 1);
  if (strcmp (text, "<<=") == 0 || strcmp (text, ">>=") == 0)
    type = generate_type (generator, chance (generator, 50) ? SCALAR_INT : SCALAR_UINT, type->lanes);
  value = generate_expression (generator, type, wanted, 3);
  statement = add (generator, block, STATEMENT_ASSIGN);
  statement->place = place;
  statement->text = text;
  statement->value = value;
}

static void
add_assignment (struct generator *generator, struct block *block)
{
  struct expression *place = generate_place (generator, generate_variable_type (generator), promise_nothing, TRUE);
  if (place == NULL)
    place = generate_place (generator, generate_value_type (generator), promise_nothing, TRUE);
  if (place != NULL)
    assign (generator, block, place);
}

static void
add_step (struct generator *generator, struct block *block)
{
  struct expression *place = generate_place (generator, generate_value_type (generator), promise_nothing, TRUE);
  struct expression *step;

  if (place == NULL || place->type->scalar == SCALAR_BOOL || place->type->scalar >= N_COMPUTED_SCALARS || root_of (place)->is_unread)
    return;
  step = tree_expression (generator->kernel, EXPRESSION_STEP, place->type, place->promise, 1, place);
  step->text = chance (generator, 50) ? "++" : "--";
  step->is_postfix = chance (generator, 50);
  add (generator, block, STATEMENT_EXPRESSION)->value = step;
}

/* What every thread writes to its own elements. */
static void
add_output (struct generator *generator, struct block *block)
{
  struct variable *output = NULL;
  struct expression *place;

  if (generator->scope->len == 0)
    return;
  for (guint i = 0; i < 3 && (output == NULL || output->role < ROLE_OUTPUT_BUFFER); i++)
    output = generator->scope->pdata[pick (generator, generator->scope->len)];
  if (output->role == ROLE_OUTPUT_BYTES)
    generate_store (generator, block, output, pick (generator, output->n_cells));
  if (output->role == ROLE_OUTPUT_IMAGE)
    {
      struct expression *value = generate_expression (generator, output->type, output->promise, 3);
      struct statement *statement = add (generator, block, STATEMENT_IMAGE_WRITE);
      statement->variable = output;
      statement->value = value;
    }
  if (output->role != ROLE_OUTPUT_BUFFER)
    return;
  place = tree_expression (generator->kernel, EXPRESSION_OWN, output->type, output->promise, 0);
  place->variable = output;
  place->bits = pick (generator, output->length);
  assign (generator, block, place);
}

static void
add_bounded (struct generator *generator, struct block *block)
{
  struct kernel *kernel = generator->kernel;
  struct record *record;
  struct statement *statement;
  struct expression *operation;

  if (generator->function != NULL || kernel->records->len >= 4)
    return;
  operation = generate_bounded (generator);
  record = tree_new (kernel, struct record);
  record->operation = operation;
  record->first = kernel->record_size;
  kernel->record_size += 1 + type_count_numbers (operation->type);
  for (guint i = 0; i < operation->n_operands; i++)
    kernel->record_size += type_count_numbers (operation->operands[i]->type);
  statement = add (generator, block, STATEMENT_BOUNDED);
  statement->value = operation;
  statement->number = kernel->records->len;
  g_ptr_array_add (kernel->records, record);
}

static void
add_call (struct generator *generator, struct block *block)
{
  GPtrArray *functions = generator->kernel->functions;
  struct function *function;
  struct expression *call;

  if (functions->len == 0)
    return;
  function = functions->pdata[pick (generator, functions->len)];
  if (!can_call (generator, function))
    return;
  call = generate_call (generator, function, 2);
  g_ptr_array_set_size (generator->busy, 0);
  if (call == NULL)
    return;
  if (function->returns != NULL && chance (generator, 80))
    declare (generator, block, function->returns, function->promise, call);
  else
    add (generator, block, STATEMENT_EXPRESSION)->value = call;
}

/* Control flow. */

static void
add_jump (struct generator *generator, struct block *block)
{
  guint choice = pick (generator, 3);
  struct expression *value = NULL;

  if (choice == 0 && (generator->n_loops > 0 || generator->n_switches > 0))
    add (generator, block, STATEMENT_BREAK);
  /* KNOWN-ISSUES, continue-in-nested-switch. */
  else if (choice == 1 && generator->n_loops > 0 && generator->n_switches < 2)
    add (generator, block, STATEMENT_CONTINUE);
  else if (choice == 2 && (generator->function != NULL || !generator->kernel->is_together) && (generator->depth > 1 || generator->n_loops > 0))
    {
      if (generator->function != NULL && generator->function->returns != NULL)
        value = generate_expression (generator, generator->function->returns, generator->function->promise, 2);
      add (generator, block, STATEMENT_RETURN)->value = value;
    }
}

void
generate_if (struct generator *generator, struct block *block)
{
  struct expression *condition = generate_expression (generator, bool_type (generator), promise_nothing, 3);
  struct statement *statement = add (generator, block, STATEMENT_IF);

  statement->value = condition;
  statement->is_ladder = generator->kernel->kind == KERNEL_VALUES && chance (generator, 70);
  generate_block (generator, add_body (generator, statement));
  if (chance (generator, 30))
    add_jump (generator, statement->bodies[0]);
  if (!chance (generator, 40))
    return;
  if (statement->is_ladder && generator->fuel > 0 && generator->depth < 8)
    {
      generator->fuel--;
      generator->size++;
      generator->depth++;
      generate_if (generator, add_body (generator, statement));
      generator->depth--;
    }
  else
    generate_block (generator, add_body (generator, statement));
}

static gboolean
has_label (const struct statement *statement, gint64 value, gboolean is_default)
{
  for (guint i = 0; i < statement->n_bodies; i++)
    for (guint k = 0; k < statement->bodies[i]->n_labels; k++)
      if (is_default ? statement->bodies[i]->labels[k].is_default
          : !statement->bodies[i]->labels[k].is_default && statement->bodies[i]->labels[k].value == value)
        return TRUE;
  return FALSE;
}

/* Of integers of all widths. */
static struct expression *
any_selector (struct generator *generator)
{
  enum scalar scalar = chance (generator, 50) ? SCALAR_INT : SCALAR_UINT;

  if (chance (generator, 70))
    return generate_index (generator, chance (generator, 50) ? 4 : 8, 3);
  if (generator->kernel->kind == KERNEL_VALUES && chance (generator, 60))
    scalar = (enum scalar) (SCALAR_CHAR + pick (generator, SCALAR_ULONG - SCALAR_CHAR + 1));
  return generate_expression (generator, generate_type (generator, scalar, 1), promise_nothing, 3);
}

/* The least of a signed type, the most of an unsigned one; of 64 bits, what 32 have. */
static gint64
label_at_edge (enum scalar scalar)
{
  guint bits = MIN (scalar_infos[scalar].bits, 32);
  return scalar_infos[scalar].family == FAMILY_SIGNED ? -(G_GINT64_CONSTANT (1) << (bits - 1)) : (G_GINT64_CONSTANT (1) << bits) - 1;
}

void
generate_switch (struct generator *generator, struct block *block)
{
  struct expression *selector = any_selector (generator);
  struct statement *statement = add (generator, block, STATEMENT_SWITCH);
  guint n = 1 + pick (generator, 4);

  statement->value = selector;
  generator->n_switches++;
  for (guint i = 0; i < n; i++)
    {
      struct block *body = add_body (generator, statement);
      guint n_labels = chance (generator, 25) ? 2 : 1;
      for (guint k = 0; k < n_labels; k++)
        {
          gint64 value = pick (generator, 7);
          gboolean is_default = chance (generator, 20) && !has_label (statement, 0, TRUE);
          if (chance (generator, 10))
            value = label_at_edge (selector->type->scalar);
          if (is_default || !has_label (statement, value, FALSE))
            body->labels[body->n_labels++] = (struct label) { value, is_default };
        }
      if (body->n_labels == 0)
        {
          statement->n_bodies--;
          continue;
        }
      generate_block (generator, body);
      if (chance (generator, 10))
        add_jump (generator, body);
      body->falls_through = chance (generator, 35);
    }
  generator->n_switches--;
}

static struct expression *
compare_counter (struct generator *generator, struct expression *counter, const char *text, struct expression *limit)
{
  struct expression *comparison = tree_expression (generator->kernel, EXPRESSION_BINARY, bool_type (generator), promise_nothing, 2, counter, limit);
  comparison->text = text;
  comparison->is_fixed = TRUE;
  return comparison;
}

/* And something else, now and then. */
static struct expression *
maybe_and (struct generator *generator, struct expression *comparison)
{
  struct expression *both;

  if (chance (generator, 60))
    return comparison;
  both = tree_expression (generator->kernel, EXPRESSION_BINARY, bool_type (generator), promise_nothing, 2, comparison,
                          generate_expression (generator, bool_type (generator), promise_nothing, 2));
  both->text = "&&";
  both->is_fixed = TRUE;
  return both;
}

static struct expression *
step_counter (struct generator *generator, struct variable *counter, const char *text, gboolean is_postfix)
{
  struct expression *step = tree_expression (generator->kernel, EXPRESSION_STEP, counter->type, promise_nothing, 1, name_of (generator, counter));
  step->text = text;
  step->is_postfix = is_postfix;
  step->is_fixed = TRUE;
  return step;
}

/* `rounds` at most; or how many is computed. */
static struct expression *
loop_limit (struct generator *generator, enum scalar scalar, guint *rounds)
{
  const struct type *type = generate_type (generator, scalar, 1);
  struct expression *masked;

  *rounds = 1 + pick (generator, 5);
  if (chance (generator, 65))
    return tree_number (generator->kernel, scalar, *rounds);
  *rounds = 3;
  masked = tree_expression (generator->kernel, EXPRESSION_BINARY, type, promise_nothing, 2,
                            generate_expression (generator, type, promise_nothing, 2), tree_number (generator->kernel, scalar, 3));
  masked->text = "&";
  masked->is_fixed = masked->operands[1]->is_fixed = TRUE;
  return masked;
}

static void
head_of_for (struct generator *generator, struct statement *statement, enum scalar scalar, guint *rounds)
{
  struct kernel *kernel = generator->kernel;
  struct variable *counter = statement->variable;
  struct expression *limit = loop_limit (generator, scalar, rounds), *step;

  if (limit->kind == EXPRESSION_LITERAL && scalar == SCALAR_INT && chance (generator, 25))
    {
      statement->place = limit;
      statement->value = compare_counter (generator, name_of (generator, counter), ">", tree_number (kernel, scalar, 0));
      statement->step = step_counter (generator, counter, "--", chance (generator, 50));
      return;
    }
  statement->place = tree_number (kernel, scalar, 0);
  statement->value = maybe_and (generator, compare_counter (generator, name_of (generator, counter), "<", limit));
  statement->step = step_counter (generator, counter, "++", chance (generator, 50));
  if (chance (generator, 20))
    {
      step = tree_expression (kernel, EXPRESSION_BINARY, counter->type, promise_nothing, 2, name_of (generator, counter),
                              tree_number (kernel, scalar, 1 + pick (generator, 2)));
      step->text = "+=";
      step->is_fixed = step->operands[1]->is_fixed = TRUE;
      statement->step = step;
    }
}

static void
head_of_while (struct generator *generator, struct statement *statement, struct block *body, enum scalar scalar, guint *rounds)
{
  struct expression *limit = loop_limit (generator, scalar, rounds), *counter = name_of (generator, statement->variable);
  guint choice = pick (generator, 3);
  gboolean is_do = statement->kind == STATEMENT_DO;

  statement->place = tree_number (generator->kernel, scalar, 0);
  if (choice == 0)
    counter = step_counter (generator, statement->variable, "++", !is_do || chance (generator, 50));
  else
    statement->step = step_counter (generator, statement->variable, "++", chance (generator, 50));
  if (choice < 2)
    {
      statement->value = maybe_and (generator, compare_counter (generator, counter, "<", limit));
      if (is_do)
        *rounds += 2;
      return;
    }
  /* A loop that only a break in its body ends. */
  struct statement *way_out = add (generator, body, STATEMENT_IF);
  way_out->value = compare_counter (generator, counter, ">", limit);
  way_out->is_fixed = TRUE;
  add (generator, add_body (generator, way_out), STATEMENT_BREAK)->is_fixed = TRUE;
  statement->value = tree_literal (generator->kernel, bool_type (generator), TRUE);
  statement->value->is_fixed = TRUE;
  *rounds += 1;
}

void
generate_loop (struct generator *generator, struct block *block)
{
  static const enum statement_kind kinds[] = { STATEMENT_FOR, STATEMENT_FOR, STATEMENT_WHILE, STATEMENT_DO };
  enum statement_kind kind = kinds[pick (generator, G_N_ELEMENTS (kinds))];
  enum scalar scalar = chance (generator, 60) ? SCALAR_INT : SCALAR_UINT;
  struct statement *statement;
  struct block *body;
  guint64 weight = generator->weight;
  guint n_switches = generator->n_switches;
  guint rounds = 0, n_scope = generator->scope->len;

  if (generator->n_loops >= 3 || weight >= 100)
    return;
  statement = tree_statement (generator->kernel, kind);
  statement->variable = tree_variable (generator->kernel, ROLE_COUNTER, generate_type (generator, scalar, 1), promise_nothing);
  statement->text = chance (generator, 10) ? "[[unroll]]" : chance (generator, 5) ? "[[unroll(2)]]" : NULL;
  body = add_body (generator, statement);
  /* The condition may run more often than the body. */
  generator->weight *= 7;
  if (kind == STATEMENT_FOR)
    head_of_for (generator, statement, scalar, &rounds);
  else
    head_of_while (generator, statement, body, scalar, &rounds);
  generator->weight = weight * rounds;
  g_ptr_array_add (generator->scope, statement->variable);
  generator->n_loops++;
  generator->n_switches = 0;
  generate_block (generator, body);
  if (chance (generator, 10))
    add_jump (generator, body);
  generator->n_switches = n_switches;
  generator->n_loops--;
  generator->weight = weight;
  g_ptr_array_set_size (generator->scope, n_scope);
  g_ptr_array_add (block->statements, statement);
}

static void
add_unreachable (struct generator *generator, struct block *block)
{
  struct expression *value = generate_expression (generator, generate_type (generator, SCALAR_UINT, 1), promise_nothing, 3);
  add (generator, block, STATEMENT_UNREACHABLE)->value = value;
}

static void
add_statement (struct generator *generator, struct block *block)
{
  guint choice = pick (generator, 100);

  generator->cost += generator->weight;
  if (generator->kernel->has_prints && chance (generator, 15))
    generate_print (generator, block);
  else if (generator->kernel->is_together && generator->function == NULL && generator->depth == 1 && chance (generator, 40))
    generate_together (generator, block);
  else if (choice < 22)
    add_declaration (generator, block);
  else if (choice < 35)
    add_assignment (generator, block);
  else if (choice < 39)
    generate_atomic (generator, block);
  else if (choice < 40)
    add_unreachable (generator, block);
  else if (choice < 44)
    add_step (generator, block);
  else if (choice < 56)
    add_output (generator, block);
  else if (choice < 61)
    add_bounded (generator, block);
  else if (choice < 69)
    add_call (generator, block);
  else if (choice < (generator->kernel->is_together ? 75 : 70))
    generate_together (generator, block);
  else if (generator->depth > 5)
    return;
  else if (choice < 80)
    generate_if (generator, block);
  else if (choice < 88)
    generate_switch (generator, block);
  else if (choice < 98)
    generate_loop (generator, block);
  else
    {
      struct statement *statement = tree_statement (generator->kernel, STATEMENT_BLOCK);
      generate_block (generator, add_body (generator, statement));
      g_ptr_array_add (block->statements, statement);
    }
}

void
generate_block (struct generator *generator, struct block *block)
{
  guint n_scope = generator->scope->len;
  guint n = generator->depth == 0 ? generator->fuel : 1 + pick (generator, 4);

  generator->depth++;
  for (guint i = 0; i < n && generator->fuel > 0; i++)
    {
      guint before = block->statements->len;
      generator->fuel--;
      generator->size++;
      for (guint k = 0; k < 4 && block->statements->len == before; k++)
        if (generator->kernel->kind == KERNEL_FLOW)
          generate_flow_statement (generator, block);
        else
          add_statement (generator, block);
    }
  generator->depth--;
  /* What a function or the kernel ends with may look at all that is left. */
  if (generator->depth > 0)
    g_ptr_array_set_size (generator->scope, n_scope);
}
