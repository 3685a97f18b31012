/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file: first all names, then all types, constants and signatures, then
 * the bodies, so that the order of definitions means nothing. */

#include "config.h"

#include "codegen/frontend/sema.h"

static void
bind_structure (struct gk_sema *sema,
                struct gk_node *node)
{
  struct gk_symbol *symbol = gk_symbol_new (sema, GK_SYMBOL_STRUCTURE, node);
  struct gk_structure *structure = gb_arena_new0 (&sema->unit->arena, struct gk_structure);

  structure->symbol = symbol;
  structure->type = gb_arena_new0 (&sema->unit->arena, struct gk_type);
  structure->type->kind = GK_TYPE_POISON;
  structure->type->structure = structure;
  structure->type->text = node->u.name->text;
  symbol->u.structure = structure;
  symbol->type = structure->type;
  node->meaning.structure = structure;
  gk_symbol_bind (sema, symbol);
}

static void
bind_function (struct gk_sema *sema,
               struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_symbol *symbol = gk_symbol_new (sema, GK_SYMBOL_FUNCTION, node);
  struct gk_function *function = gb_arena_new0 (&unit->arena, struct gk_function);

  function->symbol = symbol;
  function->node = node;
  function->is_kernel = (node->flags & GK_FLAG_KERNEL) != 0;
  function->return_type = &unit->poison;
  function->index = unit->functions->len;
  symbol->u.function = function;
  node->meaning.symbol = symbol;
  g_ptr_array_add (unit->functions, function);
  gk_symbol_bind (sema, symbol);
}

static void
bind_globals (struct gk_sema *sema,
              struct gk_node *node)
{
  for (struct gk_node *variable = node->child[0]; variable != NULL; variable = variable->next)
    {
      struct gk_symbol *symbol = gk_symbol_new (sema, GK_SYMBOL_VARIABLE, variable);
      symbol->is_const = (variable->flags & GK_FLAG_CONST) != 0;
      symbol->index = sema->unit->n_globals++;
      variable->meaning.symbol = symbol;
      gk_symbol_bind (sema, symbol);
    }
}

static void
bind_file (struct gk_sema *sema)
{
  for (struct gk_node *node = sema->unit->file->child[0]; node != NULL; node = node->next)
    {
      if (node->kind == GK_NODE_STRUCT)
        bind_structure (sema, node);
      else if (node->kind == GK_NODE_FUNCTION)
        bind_function (sema, node);
      else if (node->kind != GK_NODE_IMPORT)
        bind_globals (sema, node);
    }
}

static void
resolve_file (struct gk_sema *sema)
{
  for (struct gk_node *node = sema->unit->file->child[0]; node != NULL; node = node->next)
    {
      if (node->kind == GK_NODE_STRUCT)
        gk_resolve_structure (sema, node->meaning.structure);
      else if (node->kind == GK_NODE_DECLARATION)
        for (struct gk_node *variable = node->child[0]; variable != NULL; variable = variable->next)
          gk_resolve_global (sema, variable->meaning.symbol);
    }
}

/* "a calls b calls a": the functions of the cycle that ends in this call. */
static void
report_cycle (struct gk_sema     *sema,
              struct gk_node     *call,
              struct gk_function *from,
              struct gk_function *to)
{
  GPtrArray *names = g_ptr_array_new ();
  GString *text = g_string_new (NULL);

  for (struct gk_function *function = from; function != to && names->len < 16; function = function->caller)
    g_ptr_array_add (names, (gpointer) function->symbol->name->text);
  g_string_append (text, to->symbol->name->text);
  for (guint i = names->len; i > 0; i--)
    g_string_append_printf (text, " → %s", (const char *) g_ptr_array_index (names, i - 1));
  g_string_append_printf (text, " → %s", to->symbol->name->text);
  gk_report_node (sema->unit, GK_D_RECURSION, call, NULL, text->str);
  g_string_free (text, TRUE);
  g_ptr_array_unref (names);
}

/* Depth first without our own recursion; each call is looked at once. */
static void
search_cycles (struct gk_sema     *sema,
               struct gk_function *start)
{
  struct gk_function *function = start;

  if (start->search != GK_STATE_NEW)
    return;
  start->search = GK_STATE_BUSY;
  while (function != NULL)
    {
      if (function->calls != NULL && function->next_call < function->calls->len)
        {
          struct gk_node *call = g_ptr_array_index (function->calls, function->next_call++);
          struct gk_function *callee = call->meaning.symbol->u.function;
          if (callee->search == GK_STATE_BUSY)
            report_cycle (sema, call, function, callee);
          else if (callee->search == GK_STATE_NEW)
            {
              callee->search = GK_STATE_BUSY;
              callee->caller = function;
              function = callee;
            }
        }
      else
        {
          function->search = GK_STATE_DONE;
          g_ptr_array_add (sema->order, function);
          function = function == start ? NULL : function->caller;
        }
    }
}

/* What a function calls stands before it. */
static void
check_together (struct gk_sema *sema)
{
  for (guint i = 0; i < sema->order->len; i++)
    {
      struct gk_function *function = g_ptr_array_index (sema->order, i);

      for (guint j = 0; function->calls != NULL && j < function->calls->len; j++)
        {
          const struct gk_node *call = g_ptr_array_index (function->calls, j);
          function->has_barrier = function->has_barrier || call->meaning.symbol->u.function->has_barrier;
        }
      gk_check_together (sema->unit, function);
    }
}

void
gk_sema (struct gk_unit *unit)
{
  struct gk_sema sema = { .unit = unit };
  guint n;

  bind_file (&sema);
  resolve_file (&sema);
  gk_check_options (&sema);
  n = unit->functions->len;
  if (n > GK_MAX_FUNCTIONS)
    {
      struct gk_function *first = g_ptr_array_index (unit->functions, GK_MAX_FUNCTIONS);
      gk_report_mark (unit, GK_D_FUNCTIONS, first->node, NULL, n, GK_MAX_FUNCTIONS);
      return;
    }
  for (guint i = 0; i < n; i++)
    gk_check_signature (&sema, g_ptr_array_index (unit->functions, i));
  for (guint i = 0; i < n; i++)
    gk_check_function (&sema, g_ptr_array_index (unit->functions, i));
  sema.order = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    search_cycles (&sema, g_ptr_array_index (unit->functions, i));
  if (unit->diagnostics->n_errors == 0)
    check_together (&sema);
  g_ptr_array_unref (sema.order);
}
