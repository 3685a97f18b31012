/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <string.h>

static const struct gb_node_type folder_type = { "folder", NULL, NULL };

struct gb_node *
gabbro_folder_new (struct gb_tree *tree, struct gb_node *parent, const char *name)
{
  struct gb_node *node = gb_node_new (tree, &folder_type, name, NULL);

  /* The names are ours: they are valid, and unique below their parents. */
  gb_node_add (node, parent, NULL);
  return node;
}

void
gabbro_node_clear (struct gb_node **node)
{
  if (*node == NULL)
    return;
  gb_node_del (*node);
  gb_node_unref (*node);
  *node = NULL;
}

bool
gabbro_has_handler (gpointer object, guint signal, const char *property)
{
  if (property == NULL)
    return g_signal_has_handler_pending (object, signal, 0, FALSE);
  return g_signal_has_handler_pending (object, g_signal_lookup ("notify", G_TYPE_OBJECT), g_quark_from_static_string (property), FALSE);
}

gint64
gabbro_deadline (gint64 timeout_us)
{
  gint64 now = g_get_monotonic_time ();

  if (timeout_us < 0)
    return -1;
  return timeout_us > G_MAXINT64 - now ? -1 : now + timeout_us;
}

gpointer
gabbro_try_alloc (gsize size, GError **error)
{
  gpointer data = g_try_malloc (MAX (size, 1));

  if (data == NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_OUT_OF_MEMORY, _("The host has no %zu bytes for the contents"), size);
  return data;
}

/* Levenshtein's distance with two rows; names are short. */
static guint
distance (const char *a, const char *b)
{
  guint rows[2][65];
  gsize n_a = MIN (strlen (a), 64), n_b = MIN (strlen (b), 64);

  for (gsize j = 0; j <= n_b; j++)
    rows[0][j] = (guint) j;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint *above = rows[(i - 1) & 1], *row = rows[i & 1];

      row[0] = (guint) i;
      for (gsize j = 1; j <= n_b; j++)
        row[j] = MIN (MIN (above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
    }
  return rows[n_a & 1][n_b];
}

const char *
gabbro_nearest (const char *name, const char *const *candidates)
{
  guint best = 1 + (guint) strlen (name) / 3;
  const char *nearest = NULL;

  for (; *candidates != NULL; candidates++)
    if (distance (name, *candidates) <= best)
      {
        best = distance (name, *candidates);
        nearest = *candidates;
      }
  return nearest;
}
