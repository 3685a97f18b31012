/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/suggest.h"

#include <glib/gi18n.h>
#include <string.h>

#define LONGEST 64

guint
tool_edit_distance (const char *from, const char *to)
{
  guint n_from = (guint) strnlen (from, LONGEST);
  guint n_to = (guint) strnlen (to, LONGEST);
  guint rows[3][LONGEST + 1];
  guint *before = rows[0], *last = rows[1], *row = rows[2];

  for (guint j = 0; j <= n_to; j++)
    {
      before[j] = 0;
      last[j] = j;
    }
  for (guint i = 1; i <= n_from; i++)
    {
      row[0] = i;
      for (guint j = 1; j <= n_to; j++)
        {
          guint replaced = last[j - 1] + (from[i - 1] != to[j - 1]);
          guint best = MIN (replaced, MIN (last[j], row[j - 1]) + 1);
          if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
            best = MIN (best, before[j - 2] + 1);
          row[j] = best;
        }
      guint *oldest = before;
      before = last;
      last = row;
      row = oldest;
    }
  return last[n_to];
}

const char *
tool_nearest (const char *wanted, const char *const *names)
{
  const char *nearest = NULL;
  /* A third of the letters may be wrong: more is a guess and no help. */
  guint least = (guint) strnlen (wanted, LONGEST) / 3 + 2;
  for (gsize i = 0; names[i] != NULL; i++)
    {
      guint distance = tool_edit_distance (wanted, names[i]);
      if (distance < least && distance < strlen (names[i]))
        {
          least = distance;
          nearest = names[i];
        }
    }
  return nearest;
}

char *
tool_suggestion (const char *wanted, const char *const *names, const char *prefix)
{
  const char *nearest = tool_nearest (wanted, names);
  if (nearest == NULL)
    return g_strdup ("");
  /* Translators: stands behind a message such as "unknown command 'lsit'". */
  return g_strdup_printf (_(" (did you mean '%s%s'?)"), prefix, nearest);
}
