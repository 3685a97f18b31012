/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scopes. A name holds what it means; a scope remembers what its names meant
 * outside, so that looking one up costs nothing however deep we are. */

#include "config.h"

#include "codegen/frontend/sema.h"

void
gk_scope_enter (struct gk_sema  *sema,
                struct gk_scope *scope)
{
  scope->symbols = NULL;
  scope->outer = sema->scope;
  sema->scope = scope;
}

void
gk_scope_leave (struct gk_sema *sema)
{
  for (struct gk_symbol *symbol = sema->scope->symbols; symbol != NULL; symbol = symbol->next)
    {
      symbol->name->symbol = symbol->shadowed;
      /* A mistake may have swallowed the use. */
      if (symbol->kind == GK_SYMBOL_VARIABLE && !symbol->is_used && symbol->name->text[0] != '_'
          && sema->unit->diagnostics->n_errors == 0)
        gk_report_mark (sema->unit, GK_D_UNUSED, symbol->node, NULL, symbol->name->text);
    }
  sema->scope = sema->scope->outer;
}

struct gk_symbol *
gk_symbol_new (struct gk_sema      *sema,
               enum gk_symbol_kind  kind,
               struct gk_node      *node)
{
  struct gk_symbol *symbol = gb_arena_new0 (&sema->unit->arena, struct gk_symbol);
  symbol->kind = kind;
  symbol->node = node;
  symbol->name = node->u.name;
  symbol->type = &sema->unit->poison;
  symbol->is_global = sema->function == NULL;
  return symbol;
}

/* A function without a body, which has been complained about. */
static bool
is_prototype (const struct gk_symbol *symbol)
{
  return symbol->kind == GK_SYMBOL_FUNCTION && symbol->node->child[3] == NULL;
}

void
gk_symbol_bind (struct gk_sema   *sema,
                struct gk_symbol *symbol)
{
  struct gk_unit *unit = sema->unit;
  struct gk_symbol *old = symbol->name->symbol;

  /* A parameter whose name was never read. */
  if (symbol->name->length == 0)
    return;
  symbol->shadowed = old;
  symbol->name->symbol = symbol;
  if (sema->scope != NULL)
    {
      if (old != NULL && old->kind != GK_SYMBOL_POISON)
        {
          unsigned line = gk_locate (unit, old->node->mark).line;
          if (old->scope == sema->scope)
            gk_report_mark (unit, GK_D_DEFINED_TWICE, symbol->node, NULL, symbol->name->text, line);
          else if (old->kind == GK_SYMBOL_VARIABLE || old->kind == GK_SYMBOL_PARAMETER)
            gk_report_mark (unit, GK_D_SHADOWED, symbol->node, NULL, symbol->name->text, line);
        }
      symbol->scope = sema->scope;
      symbol->next = sema->scope->symbols;
      sema->scope->symbols = symbol;
    }
  else if (old != NULL && is_prototype (old))
    symbol->shadowed = NULL;
  else if (old != NULL)
    {
      if (!is_prototype (symbol))
        gk_report_mark (unit, GK_D_DEFINED_TWICE, symbol->node, NULL, symbol->name->text,
                        (unsigned) gk_locate (unit, old->node->mark).line);
      symbol->name->symbol = old;
    }
}

/* A second use of an unknown name is not a second mistake. */
static void
poison_name (struct gk_sema *sema,
             struct gk_node *node)
{
  struct gk_symbol *symbol = gk_symbol_new (sema, GK_SYMBOL_POISON, node);
  symbol->shadowed = node->u.name->symbol;
  node->u.name->symbol = symbol;
  if (sema->function_scope != NULL)
    {
      symbol->next = sema->function_scope->symbols;
      sema->function_scope->symbols = symbol;
    }
}

struct gk_symbol *
gk_symbol_find (struct gk_sema *sema,
                struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_symbol *symbol = node->u.name->symbol;

  if (symbol != NULL)
    {
      symbol->is_used = true;
      return symbol->kind == GK_SYMBOL_POISON ? NULL : symbol;
    }
  if (node->u.name->builtin != NULL && node->u.name->builtin->rule == GK_RULE_UNSUPPORTED)
    gk_report_node (unit, GK_D_UNSUPPORTED, node, NULL, node->u.name->text);
  else
    gk_report_node (unit, GK_D_UNKNOWN_NAME, node, gk_name_hint (unit, node->u.name), node->u.name->text);
  poison_name (sema, node);
  return NULL;
}
