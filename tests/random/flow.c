/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/flow.h"
#include "tests/random/generate.h"

#include <string.h>

#define STEP_LIMIT 200000

enum outcome { GOES_ON, BREAKS, CONTINUES, RETURNS };

struct walk
{
  const struct kernel *kernel;
  const guint32 *conditions;             /* of the thread */
  guint32 *path;                         /* NULL: only counts */
  guint n;
  guint n_steps;
  gint32 result;                         /* of the function that has returned */
};

static enum outcome walk_block (struct walk *walk, const struct block *block);
static gint32 evaluate (struct walk *walk, const struct expression *expression);

/* Expressions: 32-bit integers and bool. */

static gint32
evaluate_operator (const char *text, gint32 a, gint32 b, gboolean is_signed)
{
  guint32 x = (guint32) a, y = (guint32) b;

  switch (text[0])
    {
    case '+':
      return (gint32) (x + y);
    case '-':
      return (gint32) (x - y);
    case '*':
      return (gint32) (x * y);
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '%':
      return (gint32) (x % y);
    case '=':
      return a == b;
    case '!':
      return a != b;
    case '<':
      if (text[1] == '<')
        return (gint32) (x << (y & 31));
      return text[1] == '=' ? (is_signed ? a <= b : x <= y) : (is_signed ? a < b : x < y);
    default:
      if (text[1] == '>')
        return (gint32) (x >> (y & 31));
      return text[1] == '=' ? (is_signed ? a >= b : x >= y) : (is_signed ? a > b : x > y);
    }
}

static gint32
evaluate_binary (struct walk *walk, const struct expression *expression)
{
  const char *text = expression->text;
  struct expression *const *operands = expression->operands;
  gint32 left;

  if (strcmp (text, "&&") == 0)
    return evaluate (walk, operands[0]) && evaluate (walk, operands[1]);
  if (strcmp (text, "||") == 0)
    return evaluate (walk, operands[0]) || evaluate (walk, operands[1]);
  if (strcmp (text, "+=") == 0)
    return operands[0]->variable->value += evaluate (walk, operands[1]);
  left = evaluate (walk, operands[0]);
  return evaluate_operator (text, left, evaluate (walk, operands[1]), operands[0]->type->scalar == SCALAR_INT);
}

static gint32
evaluate_step (const struct expression *expression)
{
  struct variable *variable = expression->operands[0]->variable;
  gint32 before = variable->value;

  variable->value += expression->text[0] == '+' ? 1 : -1;
  return expression->is_postfix ? before : variable->value;
}

static gint32
evaluate_call (struct walk *walk, const struct expression *call)
{
  const struct function *function = call->function;
  gint32 values[MAX_OPERANDS] = { 0 };

  for (guint i = 0; i < call->n_operands; i++)
    if (!((struct variable *) function->parameters->pdata[i])->removed)
      values[i] = evaluate (walk, call->operands[i]);
  for (guint i = 0; i < call->n_operands; i++)
    ((struct variable *) function->parameters->pdata[i])->value = values[i];
  walk->result = 0;
  walk_block (walk, function->body);
  return walk->result;
}

static gint32
evaluate (struct walk *walk, const struct expression *expression)
{
  gint32 operand;

  walk->n_steps++;
  switch (expression->kind)
    {
    case EXPRESSION_LITERAL:
      return (gint32) (guint32) expression->bits;
    case EXPRESSION_VARIABLE:
      return expression->variable->value;
    case EXPRESSION_NAME:
      return (gint32) walk->conditions[expression->bits];
    case EXPRESSION_UNARY:
      operand = evaluate (walk, expression->operands[0]);
      return expression->text[0] == '!' ? !operand : expression->text[0] == '-' ? (gint32) (0 - (guint32) operand) : ~operand;
    case EXPRESSION_BINARY:
      return evaluate_binary (walk, expression);
    case EXPRESSION_CONDITIONAL:
      return evaluate (walk, expression->operands[evaluate (walk, expression->operands[0]) ? 1 : 2]);
    case EXPRESSION_STEP:
      return evaluate_step (expression);
    case EXPRESSION_CALL:
      return evaluate_call (walk, expression);
    default:
      /* Between int and uint the bits stay. */
      return evaluate (walk, expression->operands[0]);
    }
}

/* Statements. */

static enum outcome
walk_switch (struct walk *walk, const struct statement *statement)
{
  guint32 value = (guint32) evaluate (walk, statement->value);
  guint start = statement->n_bodies;

  for (guint i = 0; i < statement->n_bodies; i++)
    for (guint k = 0; k < statement->bodies[i]->n_labels && !statement->bodies[i]->removed; k++)
      if (statement->bodies[i]->labels[k].is_default && start == statement->n_bodies)
        start = i;
  for (guint i = 0; i < statement->n_bodies; i++)
    for (guint k = 0; k < statement->bodies[i]->n_labels && !statement->bodies[i]->removed; k++)
      if (!statement->bodies[i]->labels[k].is_default && (guint32) statement->bodies[i]->labels[k].value == value)
        start = i;
  for (guint i = start; i < statement->n_bodies; i++)
    {
      enum outcome outcome;
      if (statement->bodies[i]->removed)
        continue;
      outcome = walk_block (walk, statement->bodies[i]);
      if (outcome == BREAKS)
        return GOES_ON;
      if (outcome != GOES_ON)
        return outcome;
      if (!statement->bodies[i]->falls_through)
        return GOES_ON;
    }
  return GOES_ON;
}

static enum outcome
walk_loop (struct walk *walk, const struct statement *statement)
{
  gboolean is_first = TRUE;

  statement->variable->value = evaluate (walk, statement->place);
  while (walk->n_steps < STEP_LIMIT)
    {
      enum outcome outcome;
      if (!(is_first && statement->kind == STATEMENT_DO) && !evaluate (walk, statement->value))
        break;
      is_first = FALSE;
      if (statement->kind != STATEMENT_FOR && statement->step != NULL)
        evaluate (walk, statement->step);
      outcome = walk_block (walk, statement->bodies[0]);
      if (outcome == BREAKS)
        break;
      if (outcome == RETURNS)
        return RETURNS;
      if (statement->kind == STATEMENT_FOR)
        evaluate (walk, statement->step);
    }
  return GOES_ON;
}

static enum outcome
walk_statement (struct walk *walk, const struct statement *statement)
{
  walk->n_steps++;
  switch (statement->kind)
    {
    case STATEMENT_MARK:
      if (walk->path != NULL && walk->n < walk->kernel->trace_size)
        walk->path[walk->n] = statement->number;
      walk->n++;
      return GOES_ON;
    case STATEMENT_IF:
      if (evaluate (walk, statement->value))
        return walk_block (walk, statement->bodies[0]);
      return statement->n_bodies > 1 ? walk_block (walk, statement->bodies[1]) : GOES_ON;
    case STATEMENT_SWITCH:
      return walk_switch (walk, statement);
    case STATEMENT_FOR:
    case STATEMENT_WHILE:
    case STATEMENT_DO:
      return walk_loop (walk, statement);
    case STATEMENT_BREAK:
      return BREAKS;
    case STATEMENT_CONTINUE:
      return CONTINUES;
    case STATEMENT_RETURN:
      if (statement->value != NULL)
        walk->result = evaluate (walk, statement->value);
      return RETURNS;
    case STATEMENT_BLOCK:
      return walk_block (walk, statement->bodies[0]);
    case STATEMENT_DECLARE:
      statement->variable->value = evaluate (walk, statement->value);
      return GOES_ON;
    case STATEMENT_ASSIGN:
      statement->place->variable->value = evaluate (walk, statement->value);
      return GOES_ON;
    default:
      evaluate (walk, statement->value);
      return GOES_ON;
    }
}

static enum outcome
walk_block (struct walk *walk, const struct block *block)
{
  for (guint i = 0; i < block->statements->len && walk->n_steps < STEP_LIMIT && !block->removed; i++)
    {
      const struct statement *statement = block->statements->pdata[i];
      enum outcome outcome = statement->removed ? GOES_ON : walk_statement (walk, statement);
      if (outcome != GOES_ON)
        return outcome;
    }
  return GOES_ON;
}

/* All threads. */

static guint
walk_thread (struct kernel *kernel, const guint32 *conditions, guint thread, guint32 *path)
{
  struct walk walk = { .kernel = kernel, .conditions = conditions + (gsize) thread * N_CONDITIONS, .path = path };
  walk_block (&walk, kernel->body);
  return walk.n_steps < STEP_LIMIT ? walk.n : G_MAXUINT;
}

guint
flow_longest (struct kernel *kernel, const guint32 *conditions)
{
  guint longest = 0;
  for (guint thread = 0; thread < kernel_n_threads (kernel); thread++)
    longest = MAX (longest, walk_thread (kernel, conditions, thread, NULL));
  return longest;
}

guint32 **
flow_paths (struct kernel *kernel, const guint32 *conditions, guint32 background)
{
  guint n_threads = kernel_n_threads (kernel);
  guint32 **paths = g_new0 (guint32 *, n_threads + 1);

  for (guint thread = 0; thread < n_threads; thread++)
    {
      paths[thread] = g_new (guint32, kernel->trace_size);
      for (guint i = 0; i < kernel->trace_size; i++)
        paths[thread][i] = background;
      if (walk_thread (kernel, conditions, thread, paths[thread]) > kernel->trace_size)
        {
          flow_paths_free (paths);
          return NULL;
        }
    }
  return paths;
}

void
flow_paths_free (guint32 **paths)
{
  for (guint32 **path = paths; *path != NULL; path++)
    g_free (*path);
  g_free (paths);
}
