/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Imports. The compiler opens no file: a function of the caller finds the texts.
 * What is imported stands behind the file that asked first, each text once; the
 * order of definitions means nothing anyway. */

#include "config.h"

#include "codegen/frontend/unit.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static uint32_t
find_name (const struct gk_unit *unit,
           const char           *name)
{
  for (guint i = 0; i < unit->sources->len; i++)
    if (strcmp (g_array_index (unit->sources, struct gk_source, i).name, name) == 0)
      return i;
  return G_MAXUINT32;
}

/* Whether `target` is the source itself or one that led to it. */
static bool
leads_to (const struct gk_unit *unit,
          uint32_t              source,
          uint32_t              target)
{
  while (source != target && source != 0)
    source = g_array_index (unit->sources, struct gk_source, source).importer;
  return source == target;
}

/* The text of what is imported; NULL where there is none to read, perhaps after a message. */
static struct gk_node *
import (struct gk_unit       *unit,
        const struct gk_node *node,
        uint32_t              importer)
{
  const struct gk_source_options *options = unit->options;
  const char *from = g_array_index (unit->sources, struct gk_source, importer).name;
  struct gk_node *file = NULL;
  GError *error = NULL;
  char *name = NULL;
  char *text = NULL;
  gsize length = 0;
  uint32_t known;

  if (options->import != NULL)
    text = options->import (node->u.text, from, &name, &length, options->import_data, &error);
  if (text == NULL)
    {
      gk_report_node (unit, GK_D_IMPORT, node, NULL, node->u.text,
                      error != NULL ? error->message : _("there is nothing here to import from"));
      g_clear_error (&error);
      g_free (name);
      return NULL;
    }
  known = find_name (unit, name != NULL ? name : node->u.text);
  if (known != G_MAXUINT32 && leads_to (unit, importer, known))
    gk_report_node (unit, GK_D_IMPORT_CYCLE, node, NULL, node->u.text);
  else if (known == G_MAXUINT32 && unit->sources->len > GK_MAX_IMPORTS)
    gk_report_node (unit, GK_D_IMPORTS, node, NULL, GK_MAX_IMPORTS);
  else if (known == G_MAXUINT32
           && gk_source_add (unit, name != NULL ? name : node->u.text, text, length, importer, node))
    file = gk_parse (unit, g_array_index (unit->sources, struct gk_source, unit->sources->len - 1).start);
  g_free (text);
  g_free (name);
  return file;
}

void
gk_import (struct gk_unit *unit,
           struct gk_node *file)
{
  struct gk_node **end = &file->child[0];

  /* What an import brings stands at the end and is come to in its turn. */
  while (*end != NULL)
    end = &(*end)->next;
  for (struct gk_node *node = file->child[0]; node != NULL; node = node->next)
    {
      struct gk_node *other = node->kind == GK_NODE_IMPORT ? import (unit, node, gk_locate (unit, node->offset).file) : NULL;
      if (other == NULL)
        continue;
      *end = other->child[0];
      while (*end != NULL)
        end = &(*end)->next;
    }
}
