/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Byte buffers. They hold records with cells, which are aligned to no more than a word; in many of them a record of one
 * thread begins in the word with which that of another ends. */

#include "config.h"

#include "tests/random/generate.h"

#define MAX_ALIGNMENT 4                  /* of an offset: gabbro-kernel(5) */

static guint
alignment_of (const struct type *type)
{
  return (guint) MIN (type_alignment (type), MAX_ALIGNMENT);
}

/* Types of less than a word. */
static const struct type *
narrow_type (struct generator *generator)
{
  static const enum scalar scalars[] = {
    SCALAR_BOOL, SCALAR_CHAR, SCALAR_UCHAR, SCALAR_SHORT, SCALAR_USHORT, SCALAR_HALF, SCALAR_BFLOAT, SCALAR_E4M3, SCALAR_E5M2,
  };
  return generate_type (generator, scalars[pick (generator, chance (generator, 60) ? 5 : G_N_ELEMENTS (scalars))],
                        chance (generator, 60) ? 1 : 2 + pick (generator, 3));
}

static void
add_bytes (struct generator *generator, enum role role, struct promise promise)
{
  struct kernel *kernel = generator->kernel;
  struct variable *bytes = tree_variable (kernel, role, generate_type (generator, SCALAR_UCHAR, 1), promise);
  struct cell *cells = tree_allocate (kernel, MAX_CELLS * sizeof *cells);
  gboolean is_narrow = chance (generator, 60);
  guint n = 1 + pick (generator, MAX_CELLS), most = 1;

  for (guint i = 0; i < n; i++)
    {
      const struct type *type = is_narrow ? narrow_type (generator) : generate_element_type (generator);
      guint alignment = alignment_of (type);

      most = MAX (most, alignment);
      if (chance (generator, 20))
        bytes->length += pick (generator, 4);
      bytes->length = (bytes->length + alignment - 1) / alignment * alignment;
      cells[i] = (struct cell) { type, bytes->length };
      bytes->length += (guint) type_size (type);
    }
  bytes->length = (bytes->length + most - 1) / most * most;
  bytes->cells = cells;
  bytes->n_cells = n;
  bytes->view_offset = chance (generator, 30) ? 1 + pick (generator, 5) : 0;
  bytes->is_volatile = chance (generator, 15);
  bytes->is_restrict = chance (generator, 30);
  bytes->is_unread = role == ROLE_OUTPUT_BYTES && chance (generator, 30);
  g_ptr_array_add (kernel->parameters, bytes);
}

void
generate_bytes (struct generator *generator)
{
  static const struct promise input = { GRAIN_INPUT, TRUE };

  if (chance (generator, 25))
    add_bytes (generator, ROLE_INPUT_BYTES, input);
  if (chance (generator, 30))
    add_bytes (generator, ROLE_OUTPUT_BYTES, (struct promise) { GRAIN_VARIABLE, chance (generator, 50) });
}

/* Reading. */

static struct expression *
load (struct generator *generator, struct variable *bytes, const struct type *type, guint offset, struct expression *index)
{
  struct expression *access = tree_expression (generator->kernel, EXPRESSION_LOAD, type, bytes->promise, index != NULL, index);

  access->variable = bytes;
  access->bits = offset;
  return access;
}

static struct expression *
load_cell (struct generator *generator, struct variable *bytes, const struct type *type)
{
  guint first = pick (generator, bytes->n_cells);

  for (guint i = 0; i < bytes->n_cells; i++)
    {
      const struct cell *cell = &bytes->cells[(first + i) % bytes->n_cells];
      if (type_equal (cell->type, type))
        return load (generator, bytes, type, cell->offset,
                     bytes->role == ROLE_INPUT_BYTES ? generate_index (generator, N_INPUTS, 2) : NULL);
    }
  return NULL;
}

/* An offset of fewer than `steps`, a power of two. One that a compiler knows has to be aligned, and others need not be. */
static struct expression *
any_offset (struct generator *generator, guint steps)
{
  const struct type *type = generate_type (generator, SCALAR_UINT, 1);
  struct expression *thread, *sum, *offset;

  if (generator->n_places > 2 || chance (generator, 30))
    return tree_number (generator->kernel, SCALAR_UINT, pick (generator, steps) / MAX_ALIGNMENT * MAX_ALIGNMENT);
  thread = tree_expression (generator->kernel, EXPRESSION_NAME, type, promise_nothing, 0);
  thread->text = "global_index";
  sum = generate_binary (generator, type, promise_nothing, "+", thread, generate_expression (generator, type, promise_nothing, 1));
  offset = generate_binary (generator, type, promise_nothing, "&", sum, tree_number (generator->kernel, SCALAR_UINT, steps - 1));
  offset->is_fixed = TRUE;
  return offset;
}

/* The bits of whatever lies there. */
static struct expression *
load_anything (struct generator *generator, struct variable *bytes, const struct type *type)
{
  guint room = bytes->length * N_INPUTS, size = (guint) type_size (type), steps = 1;
  struct expression *access;

  if (size > room)
    return NULL;
  while (2 * steps - 1 + size <= room)
    steps *= 2;
  access = load (generator, bytes, type, 0, any_offset (generator, steps));
  access->text = "anything";
  return access;
}

/* The same of the thread's own record, where no bits are free. */
static struct expression *
load_own (struct generator *generator, struct variable *bytes, const struct type *type)
{
  guint size = (guint) type_size (type), alignment = alignment_of (type);

  for (guint i = 0; i < bytes->n_cells; i++)
    if (type_has_float (bytes->cells[i].type))
      return NULL;
  if (size > bytes->length || bytes->length % alignment != 0)
    return NULL;
  return load (generator, bytes, type, pick (generator, (bytes->length - size) / alignment + 1) * alignment, NULL);
}

struct expression *
generate_load (struct generator *generator, const struct type *type, struct promise wanted)
{
  guint first = generator->scope->len > 0 ? pick (generator, generator->scope->len) : 0;

  if (type->kind == TYPE_ARRAY)
    return NULL;
  for (guint i = 0; i < generator->scope->len; i++)
    {
      struct variable *bytes = generator->scope->pdata[(first + i) % generator->scope->len];
      struct expression *access = NULL;

      if ((bytes->role != ROLE_INPUT_BYTES && bytes->role != ROLE_OUTPUT_BYTES) || bytes->is_unread
          || !promise_holds (type, bytes->promise, wanted))
        continue;
      generator->n_places++;
      if (type->kind == TYPE_VALUE && !type_has_float (type) && chance (generator, 40))
        access = bytes->role == ROLE_INPUT_BYTES ? load_anything (generator, bytes, type) : load_own (generator, bytes, type);
      if (access == NULL)
        access = load_cell (generator, bytes, type);
      generator->n_places--;
      if (access != NULL)
        return access;
    }
  return NULL;
}

const struct type *
generate_cell_type (struct generator *generator)
{
  const struct variable *bytes = generator->scope->len > 0 ? generator->scope->pdata[pick (generator, generator->scope->len)] : NULL;
  return bytes != NULL && bytes->n_cells > 0 ? bytes->cells[pick (generator, bytes->n_cells)].type : NULL;
}

/* Writing. */

void
generate_store (struct generator *generator, struct block *block, struct variable *bytes, guint number)
{
  struct expression *value = generate_expression (generator, bytes->cells[number].type, bytes->promise, 3);
  struct statement *statement = tree_statement (generator->kernel, STATEMENT_STORE);

  statement->variable = bytes;
  statement->number = number;
  statement->value = value;
  g_ptr_array_add (block->statements, statement);
}
