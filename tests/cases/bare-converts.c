/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/cases/bare-converts.h"

#include <string.h>

#define MAX_DEPTH 8

/* "%12 = OpSelect %float %9 %10 %11", in its words: results by their names. */
static GHashTable *
read_results (const char *assembly)
{
  GHashTable *results = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  char **lines = g_strsplit (assembly, "\n", -1);

  for (char **line = lines; *line != NULL; line++)
    {
      char **words = g_strsplit_set (g_strstrip (*line), " ", -1);

      if (g_strv_length (words) >= 3 && words[0][0] == '%' && g_str_equal (words[1], "="))
        g_hash_table_replace (results, g_strdup (words[0]), words);
      else
        g_strfreev (words);
    }
  g_strfreev (lines);
  return results;
}

static gboolean
is_clamp (char **words)
{
  static const char *const functions[] = { "FClamp", "NClamp", "FMin", "NMin", "FMax", "NMax", NULL };

  return g_strv_length (words) > 5 && g_strv_contains (functions, words[5]);
}

/* Whether the value was limited: on every way to it, where there are several. */
static gboolean
is_limited (GHashTable *results, const char *name, guint depth)
{
  char **words = g_hash_table_lookup (results, name);
  guint n = words != NULL ? g_strv_length (words) : 0;

  if (words == NULL || depth == MAX_DEPTH)
    return FALSE;
  if (g_str_has_prefix (words[2], "OpConstant") || g_str_equal (words[2], "OpSelect"))
    return TRUE;
  if (g_str_equal (words[2], "OpExtInst"))
    return is_clamp (words);
  if (!g_str_equal (words[2], "OpPhi"))
    return FALSE;
  for (guint i = 4; i + 1 < n; i += 2)
    if (!is_limited (results, words[i], depth + 1))
      return FALSE;
  return TRUE;
}

char *
find_bare_convert (const char *assembly, guint *n_converts)
{
  GHashTable *results = read_results (assembly);
  GHashTableIter iter;
  gpointer value;
  char *found = NULL;

  *n_converts = 0;
  g_hash_table_iter_init (&iter, results);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      char **words = value;

      if (!g_str_equal (words[2], "OpConvertFToS") && !g_str_equal (words[2], "OpConvertFToU"))
        continue;
      (*n_converts)++;
      if (found == NULL && !is_limited (results, words[4], 0))
        found = g_strjoinv (" ", words);
    }
  g_hash_table_unref (results);
  return found;
}
