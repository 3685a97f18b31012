/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines that threads print, and assertions, of which half fail. Both come thread by thread, in the order of the thread. */

#include "config.h"

#include "tests/random/generate.h"

#define LINE_SIZE   20                   /* bytes of a line without values: gabbro-kernel(5) */
#define MAX_NUMBERS 9                    /* of a value: each is code of its own */
#define MAX_VALUES  3

static void
count_bytes (enum scalar scalar, gsize offset G_GNUC_UNUSED, gpointer data)
{
  *(guint *) data += scalar_infos[scalar].bits > 32 ? 8 : 4;
}

static guint
bytes_of (const struct type *type)
{
  guint bytes = 0;
  type_each_leaf (type, 0, count_bytes, &bytes);
  return bytes;
}

static const struct type *
printed_type (struct generator *generator)
{
  const struct type *type;
  do
    type = generate_variable_type (generator);
  while (bytes_of (type) > MAX_NUMBERS * 4);
  return type;
}

void
generate_print (struct generator *generator, struct block *block)
{
  static const char *const texts[] = { "", "it is", "{{", "}} and {{x}}", "100 %", "größer", "%s\\n" };
  /* The sign of a zero is shown. */
  static const struct promise strict = { GRAIN_VARIABLE, TRUE };
  gboolean is_assertion = chance (generator, 40), has_text = !is_assertion || chance (generator, 60);
  guint n = has_text ? pick (generator, MAX_VALUES + 1) : 0;
  const struct type *types[MAX_VALUES];
  guint64 size = LINE_SIZE;
  struct statement *statement;
  struct expression *call;

  for (guint i = 0; i < n; i++)
    {
      types[i] = printed_type (generator);
      size += bytes_of (types[i]);
    }
  if (generator->print_size + size * generator->weight > MAX_PRINT_SIZE)
    return;
  generator->print_size += size * generator->weight;
  generator->size += (guint) size / LINE_SIZE;
  call = tree_expression (generator->kernel, EXPRESSION_BUILTIN, NULL, promise_nothing, 0);
  call->text = is_assertion ? "assert" : "print";
  if (is_assertion)
    call->operands[call->n_operands++] = generate_expression (generator, generate_type (generator, SCALAR_BOOL, 1), promise_nothing, 3);
  for (guint i = 0; i < n; i++)
    call->operands[call->n_operands++] = generate_expression (generator, types[i], strict, 2);
  statement = tree_statement (generator->kernel, STATEMENT_PRINT);
  statement->value = call;
  statement->text = has_text ? texts[pick (generator, G_N_ELEMENTS (texts))] : NULL;
  statement->number = pick (generator, 5);
  g_ptr_array_add (block->statements, statement);
}
