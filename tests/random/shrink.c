/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/generate.h"
#include "tests/random/shrink.h"

#include <string.h>

struct shrinker
{
  struct kernel *kernel;
  shrink_function interesting;
  gpointer data;
  guint n_tries, max_tries;
  gboolean has_changed;
  GPtrArray *flags;                      /* of gboolean *: statements that can be removed, outer ones first */
};

static gboolean
still_shows (struct shrinker *shrinker)
{
  if (shrinker->n_tries >= shrinker->max_tries)
    return FALSE;
  shrinker->n_tries++;
  if (!shrinker->interesting (shrinker->kernel, shrinker->data))
    return FALSE;
  shrinker->has_changed = TRUE;
  return TRUE;
}

/* Without something, if it goes. */
static void
try_flag (struct shrinker *shrinker, gboolean *flag)
{
  if (*flag)
    return;
  *flag = TRUE;
  if (!still_shows (shrinker))
    *flag = FALSE;
}

/* For all blocks that are printed. */
typedef void (*block_function) (struct shrinker *shrinker, struct block *block);

static void
each_block_in (struct shrinker *shrinker, struct block *block, block_function function)
{
  if (block->removed)
    return;
  function (shrinker, block);
  for (guint i = 0; i < block->statements->len; i++)
    {
      struct statement *statement = block->statements->pdata[i];
      for (guint k = 0; k < statement->n_bodies && !statement->removed; k++)
        each_block_in (shrinker, statement->bodies[k], function);
    }
}

static void
each_block (struct shrinker *shrinker, block_function function)
{
  each_block_in (shrinker, shrinker->kernel->body, function);
  for (guint i = 0; i < shrinker->kernel->functions->len; i++)
    {
      struct function *of = shrinker->kernel->functions->pdata[i];
      if (!of->removed)
        each_block_in (shrinker, of->body, function);
    }
}

/* Statements: many at once, then fewer. */

static void
collect_statements (struct shrinker *shrinker, struct block *block)
{
  for (guint i = 0; i < block->statements->len; i++)
    {
      struct statement *statement = block->statements->pdata[i];
      if (!statement->removed && !statement->is_fixed)
        g_ptr_array_add (shrinker->flags, &statement->removed);
    }
}

static void
set_flags (const GPtrArray *flags, guint from, guint n, gboolean value)
{
  for (guint i = from; i < MIN (from + n, flags->len); i++)
    *(gboolean *) flags->pdata[i] = value;
}

static void
remove_statements (struct shrinker *shrinker)
{
  shrinker->flags = g_ptr_array_new ();
  each_block (shrinker, collect_statements);
  for (guint n = shrinker->flags->len; n > 0; n /= 2)
    for (guint from = 0; from < shrinker->flags->len; from += n)
      {
        if (n == 1 && *(gboolean *) shrinker->flags->pdata[from])
          continue;
        /* What is gone stays so. */
        GPtrArray *chunk = g_ptr_array_new ();
        for (guint i = from; i < MIN (from + n, shrinker->flags->len); i++)
          if (!*(gboolean *) shrinker->flags->pdata[i])
            g_ptr_array_add (chunk, shrinker->flags->pdata[i]);
        set_flags (chunk, 0, chunk->len, TRUE);
        if (chunk->len > 0 && !still_shows (shrinker))
          set_flags (chunk, 0, chunk->len, FALSE);
        g_ptr_array_unref (chunk);
      }
  g_ptr_array_unref (shrinker->flags);
  shrinker->flags = NULL;
}

/* A statement gives way to one of its bodies. */

static gboolean
is_loop (const struct statement *statement)
{
  return statement->kind == STATEMENT_FOR || statement->kind == STATEMENT_WHILE || statement->kind == STATEMENT_DO;
}

static void
collect_jumps (const struct block *block, gboolean in_loop, gboolean in_switch, gboolean breaks_only, GPtrArray *flags)
{
  for (guint i = 0; i < block->statements->len; i++)
    {
      struct statement *statement = block->statements->pdata[i];
      gboolean has_jumps = is_loop (statement);
      if (statement->removed)
        continue;
      if ((statement->kind == STATEMENT_BREAK && !in_loop && !in_switch) || (statement->kind == STATEMENT_CONTINUE && !in_loop && !breaks_only))
        g_ptr_array_add (flags, &statement->removed);
      for (guint k = 0; k < statement->n_bodies; k++)
        collect_jumps (statement->bodies[k], in_loop || has_jumps, (in_switch && !has_jumps) || statement->kind == STATEMENT_SWITCH,
                       breaks_only, flags);
    }
}

/* The counter of a loop stays, as a variable. */
static struct statement *
declare_counter (struct shrinker *shrinker, const struct statement *loop)
{
  struct statement *declaration = tree_statement (shrinker->kernel, STATEMENT_DECLARE);
  declaration->variable = loop->variable;
  declaration->value = loop->place;
  return declaration;
}

static void
hoist (struct shrinker *shrinker, struct statement *statement, guint body)
{
  struct statement before = *statement;
  GPtrArray *jumps = g_ptr_array_new (), *statements = before.bodies[body]->statements;

  /* Jumps that belong to it go with it. */
  if (is_loop (&before) || before.kind == STATEMENT_SWITCH)
    collect_jumps (before.bodies[body], FALSE, FALSE, before.kind == STATEMENT_SWITCH, jumps);
  set_flags (jumps, 0, jumps->len, TRUE);
  if (is_loop (&before))
    g_ptr_array_insert (statements, 0, declare_counter (shrinker, &before));
  statement->kind = STATEMENT_BLOCK;
  statement->bodies[0] = before.bodies[body];
  statement->n_bodies = 1;
  if (still_shows (shrinker))
    {
      for (guint i = 0; i < statements->len && is_loop (&before); i++)
        ((struct statement *) statements->pdata[i])->is_fixed = FALSE;
    }
  else
    {
      *statement = before;
      set_flags (jumps, 0, jumps->len, FALSE);
      if (is_loop (&before))
        g_ptr_array_remove_index (statements, 0);
    }
  g_ptr_array_unref (jumps);
}

static void
hoist_bodies (struct shrinker *shrinker, struct block *block)
{
  for (guint i = 0; i < block->statements->len; i++)
    {
      struct statement *statement = block->statements->pdata[i];
      guint n = statement->n_bodies;
      if (statement->removed || statement->is_fixed || statement->kind == STATEMENT_BLOCK)
        continue;
      for (guint k = 0; k < n && statement->kind != STATEMENT_BLOCK; k++)
        if (!statement->bodies[k]->removed)
          hoist (shrinker, statement, k);
      if (statement->kind == STATEMENT_IF && n > 1)
        try_flag (shrinker, &statement->bodies[1]->removed);
      else if (statement->kind == STATEMENT_SWITCH)
        for (guint k = 0; k < n; k++)
          try_flag (shrinker, &statement->bodies[k]->removed);
      if (statement->text != NULL && is_loop (statement))
        {
          const char *attribute = statement->text;
          statement->text = NULL;
          if (!still_shows (shrinker))
            statement->text = attribute;
        }
    }
}

/* Blocks with nothing around them: their statements move out where names allow it, which is always, as all differ. */
static void
flatten (struct shrinker *shrinker, struct block *block)
{
  for (guint i = 0; i < block->statements->len; i++)
    {
      struct statement *statement = block->statements->pdata[i];
      if (statement->removed || statement->kind != STATEMENT_BLOCK)
        continue;
      g_ptr_array_remove_index (block->statements, i);
      for (guint k = 0; k < statement->bodies[0]->statements->len; k++)
        g_ptr_array_insert (block->statements, (gint) (i + k), statement->bodies[0]->statements->pdata[k]);
      i--;
    }
}

/* Expressions. */

static gboolean
try_expression (struct shrinker *shrinker, struct expression **slot, struct expression *other)
{
  struct expression *before = *slot;
  *slot = other;
  if (still_shows (shrinker))
    return TRUE;
  *slot = before;
  return FALSE;
}

static gboolean
replace (struct shrinker *shrinker, struct expression **slot)
{
  struct expression *expression = *slot;
  const struct type *type = expression->type;

  if (type->kind == TYPE_VALUE)
    for (guint one = 0; one < 2; one++)
      {
        if (expression->kind == EXPRESSION_LITERAL && (one == 1 || expression->bits == 0))
          break;
        if (try_expression (shrinker, slot, tree_literal (shrinker->kernel, type, scalar_bits (type->scalar, one))))
          return expression->kind != EXPRESSION_LITERAL;
      }
  for (guint i = 0; i < expression->n_operands; i++)
    if (type_equal (expression->operands[i]->type, type)
        && promise_holds (type, expression->operands[i]->promise, expression->promise)
        && try_expression (shrinker, slot, expression->operands[i]))
      return TRUE;
  return FALSE;
}

static void shrink_expression (struct shrinker *shrinker, struct expression **slot);

/* Only the indices of a place that is written. */
static void
shrink_place (struct shrinker *shrinker, struct expression *place)
{
  if (place->n_operands == 0)
    return;
  shrink_place (shrinker, place->operands[0]);
  if (place->kind == EXPRESSION_INDEX)
    shrink_expression (shrinker, &place->operands[1]);
}

static void
shrink_operands (struct shrinker *shrinker, struct expression *expression)
{
  for (guint i = 0; i < expression->n_operands; i++)
    {
      if (expression->kind == EXPRESSION_CALL && ((struct variable *) expression->function->parameters->pdata[i])->role != ROLE_VALUE)
        shrink_place (shrinker, expression->operands[i]);
      else if ((expression->kind == EXPRESSION_INDEX || expression->kind == EXPRESSION_MEMBER) && i == 0)
        shrink_place (shrinker, expression->operands[0]);
      else
        shrink_expression (shrinker, &expression->operands[i]);
    }
}

static void
shrink_expression (struct shrinker *shrinker, struct expression **slot)
{
  if (*slot == NULL || (*slot)->is_frozen)
    return;
  while (!(*slot)->is_fixed && replace (shrinker, slot))
    ;
  if ((*slot)->kind == EXPRESSION_STEP)
    shrink_place (shrinker, (*slot)->operands[0]);
  else if (!(*slot)->is_frozen)
    shrink_operands (shrinker, *slot);
}

/* Of what is printed. The first operand of an assertion is its condition. */
static void
remove_values (struct shrinker *shrinker, struct statement *statement)
{
  struct expression *call = statement->value;

  for (guint i = call->n_operands; i > 0; i--)
    {
      struct expression before = *call;
      if (i == 1 && strcmp (call->text, "assert") == 0)
        break;
      call->n_operands--;
      for (guint k = i - 1; k < call->n_operands; k++)
        call->operands[k] = call->operands[k + 1];
      if (!still_shows (shrinker))
        *call = before;
    }
}

static void
shrink_expressions (struct shrinker *shrinker, struct block *block)
{
  for (guint i = 0; i < block->statements->len; i++)
    {
      struct statement *statement = block->statements->pdata[i];
      if (statement->removed)
        continue;
      if (statement->place != NULL && (statement->kind == STATEMENT_ASSIGN || statement->kind == STATEMENT_ATOMIC))
        shrink_place (shrinker, statement->place);
      else if (is_loop (statement) || statement->kind == STATEMENT_EXCHANGE || statement->kind == STATEMENT_COUNT)
        shrink_expression (shrinker, &statement->place);
      if (statement->kind == STATEMENT_PRINT)
        remove_values (shrinker, statement);
      else if (statement->kind == STATEMENT_ATOMIC)
        shrink_expression (shrinker, &statement->step);
      /* A record stays what it is of; a call or a step that is a statement cannot become a number. */
      if (statement->kind == STATEMENT_BOUNDED || statement->kind == STATEMENT_EXPRESSION || statement->kind == STATEMENT_PRINT)
        shrink_operands (shrinker, statement->value);
      else
        shrink_expression (shrinker, &statement->value);
    }
}

/* What statements use. */

static void
remove_declarations (struct shrinker *shrinker)
{
  struct kernel *kernel = shrinker->kernel;
  guint record_size = kernel->record_size;

  kernel->record_size = 0;
  if (record_size > 0 && !still_shows (shrinker))
    kernel->record_size = record_size;
  for (guint i = 0; i < kernel->functions->len; i++)
    {
      struct function *function = kernel->functions->pdata[i];
      try_flag (shrinker, &function->removed);
      for (guint k = 0; k < function->parameters->len && !function->removed; k++)
        try_flag (shrinker, &((struct variable *) function->parameters->pdata[k])->removed);
    }
  for (guint i = 0; i < kernel->constants->len; i++)
    try_flag (shrinker, &((struct variable *) kernel->constants->pdata[i])->removed);
  for (guint i = 0; i < kernel->options->len; i++)
    {
      struct variable *option = kernel->options->pdata[i];
      try_flag (shrinker, &option->removed);
      if (!option->removed)
        try_flag (shrinker, &option->is_default);
    }
  if (kernel->has_imports)
    {
      kernel->has_imports = FALSE;
      if (!still_shows (shrinker))
        kernel->has_imports = TRUE;
    }
  for (guint i = 0; i < kernel->parameters->len; i++)
    try_flag (shrinker, &((struct variable *) kernel->parameters->pdata[i])->removed);
  for (guint i = 0; i < kernel->structures->len; i++)
    {
      struct structure *structure = kernel->structures->pdata[i];
      try_flag (shrinker, &structure->removed);
      for (guint k = 0; k < structure->n_members && !structure->removed; k++)
        try_flag (shrinker, &structure->members[k].removed);
    }
}

/* Threads and data. */

static void
try_sizes (struct shrinker *shrinker, guint sizes[3], guint x, guint y, guint z)
{
  guint before[3] = { sizes[0], sizes[1], sizes[2] };

  if (x * y * z >= sizes[0] * sizes[1] * sizes[2])
    return;
  sizes[0] = x;
  sizes[1] = y;
  sizes[2] = z;
  if (!still_shows (shrinker))
    for (guint i = 0; i < 3; i++)
      sizes[i] = before[i];
}

static void
try_without (struct shrinker *shrinker, gboolean *flag)
{
  if (!*flag)
    return;
  *flag = FALSE;
  *flag = !still_shows (shrinker);
}

static void
shrink_sizes (struct shrinker *shrinker)
{
  struct kernel *kernel = shrinker->kernel;

  for (guint n = 1; n <= 16; n *= 2)
    try_sizes (shrinker, kernel->threads, n, 1, 1);
  /* Shared arrays are as long as the workgroup was. */
  for (guint n = 1; n <= 16 && !kernel->is_together; n *= 4)
    try_sizes (shrinker, kernel->group_size, n, 1, 1);
  for (guint i = 0; i < kernel->parameters->len; i++)
    {
      struct variable *parameter = kernel->parameters->pdata[i];
      guint offset = parameter->view_offset;
      if (parameter->removed)
        continue;
      try_flag (shrinker, &parameter->is_plain);
      try_without (shrinker, &parameter->is_volatile);
      try_without (shrinker, &parameter->is_restrict);
      parameter->view_offset = 0;
      if (offset > 0 && !still_shows (shrinker))
        parameter->view_offset = offset;
    }
}

guint
shrink (struct kernel *kernel, guint n_tries, shrink_function interesting, gpointer data)
{
  struct shrinker shrinker = { .kernel = kernel, .interesting = interesting, .data = data, .max_tries = n_tries };

  do
    {
      shrinker.has_changed = FALSE;
      remove_statements (&shrinker);
      shrink_sizes (&shrinker);
      each_block (&shrinker, hoist_bodies);
      each_block (&shrinker, shrink_expressions);
      remove_declarations (&shrinker);
    }
  while (shrinker.has_changed && shrinker.n_tries < shrinker.max_tries);
  each_block (&shrinker, flatten);
  return shrinker.n_tries;
}
