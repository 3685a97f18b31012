/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/declare.h"

#include <string.h>

/* Types are not deep. */
static void
add_structures (GPtrArray            *structures,
                GHashTable           *known,
                const struct gk_type *type)
{
  while (type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_BUFFER)
    type = type->element;
  if (type->kind != GK_TYPE_STRUCTURE || !g_hash_table_add (known, type->structure))
    return;
  for (uint32_t i = 0; i < type->structure->n_members; i++)
    add_structures (structures, known, type->structure->members[i].type);
  g_ptr_array_add (structures, (gpointer) type);
}

GPtrArray *
gk_declare_structures (const struct gk_unit *unit)
{
  GPtrArray *structures = g_ptr_array_new ();
  GHashTable *known = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < unit->functions->len; i++)
    {
      const struct gk_function *function = unit->functions->pdata[i];

      for (uint32_t k = 0; function->is_kernel && k < function->n_parameters; k++)
        add_structures (structures, known, function->parameters[k]->type);
    }
  g_hash_table_unref (known);
  return structures;
}

const struct gk_type *
gk_declare_argument (const struct gk_unit *unit,
                     const struct gk_type *type)
{
  if (type->kind == GK_TYPE_IMAGE)
    return NULL;
  if (type->kind == GK_TYPE_BUFFER)
    return type->element;
  if (type->kind == GK_TYPE_BYTE_BUFFER)
    return &unit->values[GK_UCHAR][0];
  /* As spirv_argument_storage_type() has it. */
  if (type->kind == GK_TYPE_VALUE && type->scalar == GK_BOOL)
    return &unit->values[GK_UINT][type->lanes - 1];
  return type;
}

void
gk_declare_parameter (const struct gk_symbol *parameter,
                      GString                *out)
{
  g_string_append_printf (out, "%s%s%s%s %s", parameter->is_const ? "const " : "",
                          parameter->is_restrict ? "restrict " : "", parameter->is_volatile ? "volatile " : "",
                          parameter->type->text, parameter->name->text);
}

char *
gk_declare_source (const struct gk_unit *unit)
{
  char *name = g_path_get_basename (unit->name);

  for (char *c = name; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c) || *c == '/' || *c == '\\')
      *c = '_';
  return name;
}

void
gk_target_names_init (struct gk_target_names *scope,
                      bool                  (*is_reserved) (const char *name))
{
  scope->is_reserved = is_reserved;
  scope->names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  scope->taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
gk_target_names_add (struct gk_target_names *scope,
                     const char             *name)
{
  g_hash_table_insert (scope->names, (gpointer) name, NULL);
  if (!scope->is_reserved (name))
    g_hash_table_add (scope->taken, g_strdup (name));
}

const char *
gk_target_names_make (struct gk_target_names *scope,
                      const char             *name)
{
  GString *made = g_string_new (name);
  char *text;

  while (scope->is_reserved (made->str) || g_hash_table_contains (scope->taken, made->str))
    g_string_append_c (made, '_');
  text = g_string_free (made, FALSE);
  g_hash_table_add (scope->taken, text);
  return text;
}

void
gk_target_names_settle (struct gk_target_names *scope)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, scope->names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_hash_table_iter_replace (&iter, g_strdup (scope->is_reserved (name) ? gk_target_names_make (scope, name) : name));
}

const char *
gk_target_names_find (const struct gk_target_names *scope,
                      const char                   *name)
{
  return g_hash_table_lookup (scope->names, name);
}

void
gk_target_names_clear (struct gk_target_names *scope)
{
  g_hash_table_unref (scope->names);
  g_hash_table_unref (scope->taken);
}

bool
gk_is_among (const char *words,
             const char *word)
{
  size_t length = strlen (word);

  for (const char *at = strstr (words, word); at != NULL; at = strstr (at + 1, word))
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}
