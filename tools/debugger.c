/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One thread of a kernel, line by line. All of it but the beginning and the end runs in the thread that interprets the
 * kernel, which waits meanwhile. */

#include "config.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"
#include "tools/watch.h"

struct tool_debugger
{
  const struct tool_watch *watch;
  char *name;                   /* of the kernel's file */
  GHashTable *lines;            /* of each file: name, as it is printed, to char ** */
  char *break_name;             /* of the file that --break is about */
  FILE *input;
  bool asks;

  bool has_begun, has_stopped;
  bool steps;                   /* the next line stops too */
  guint depth;                  /* of functions, at the last line */
  bool has_quit;
};

struct tool_debugger *
tool_debugger_new (const struct tool_watch *watch, const char *name, GHashTable *sources, FILE *input, bool asks)
{
  struct tool_debugger *debugger = g_new0 (struct tool_debugger, 1);
  GHashTableIter iterator;
  gpointer file, source;

  debugger->watch = watch;
  debugger->name = tool_printable (name);
  debugger->lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  g_hash_table_iter_init (&iterator, sources);
  while (g_hash_table_iter_next (&iterator, &file, &source))
    {
      gsize size;
      const char *text = g_bytes_get_data (source, &size);
      g_autofree char *copy = g_strndup (text, size);
      g_hash_table_insert (debugger->lines, tool_printable (file), g_strsplit (copy, "\n", -1));
    }
  debugger->input = input;
  debugger->asks = asks;
  return debugger;
}

void
tool_debugger_free (struct tool_debugger *debugger)
{
  if (debugger == NULL)
    return;
  g_hash_table_unref (debugger->lines);
  g_free (debugger->break_name);
  g_free (debugger->name);
  g_free (debugger);
}

bool
tool_debugger_has_quit (const struct tool_debugger *debugger)
{
  return debugger != NULL && debugger->has_quit;
}

static void
print (const char *indentation, const char *text)
{
  g_autofree char *safe = tool_printable (text);
  g_print ("%s%s\n", indentation, safe);
}

/* As it is printed. */
static char *
file_of (const GabbroTracePoint *point)
{
  const char *file = gabbro_trace_point_get_file (point);

  return tool_printable (file != NULL ? file : "");
}

/* "file:line: what stands there", deeper in functions that were called. */
static void
print_line (const struct tool_debugger *debugger, const GabbroTracePoint *point)
{
  guint line = gabbro_trace_point_get_line (point);
  g_autofree char *name = file_of (point);
  char **lines = g_hash_table_lookup (debugger->lines, name);
  const char *text = lines != NULL && line <= g_strv_length (lines) ? lines[line - 1] : "";

  while (*text == ' ' || *text == '\t')
    text++;
  g_autofree char *safe = tool_printable (text);
  g_print ("%s:%u: %*s%s\n", name, line, (int) (2 * MIN (gabbro_trace_point_get_depth (point), 20)), "", safe);
}

static void
print_made (const GabbroTracePoint *point)
{
  g_auto (GStrv) made = gabbro_trace_point_list_made (point);

  for (guint i = 0; made[i] != NULL; i++)
    print ("    ", made[i]);
}

static void
print_variables (const GabbroTracePoint *point)
{
  g_auto (GStrv) names = gabbro_trace_point_list_variables (point);

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *value = gabbro_trace_point_dup_value (point, names[i]);
      g_autofree char *text = g_strdup_printf ("%s = %s", names[i], value != NULL ? value : "?");
      print ("    ", text);
    }
}

static void
print_variable (const GabbroTracePoint *point, const char *name)
{
  g_autofree char *value = gabbro_trace_point_dup_value (point, name);
  g_autofree char *text = value != NULL ? g_strdup_printf ("%s = %s", name, value)
                                        : g_strdup_printf (_("there is no variable '%s' here"), name);

  print ("    ", text);
}

/* Reads one command; false: another is wanted. */
static bool
obey (struct tool_debugger *debugger, const GabbroTracePoint *point, char *command)
{
  char *word = g_strstrip (command), *rest = word + strcspn (word, " \t");

  if (*rest != '\0')
    {
      *rest++ = '\0';
      g_strchug (rest);
    }
  if (strcmp (word, "c") == 0 || strcmp (word, "continue") == 0)
    return true;
  if (strcmp (word, "s") == 0 || strcmp (word, "step") == 0 || word[0] == '\0')
    {
      debugger->steps = true;
      return true;
    }
  if (strcmp (word, "q") == 0 || strcmp (word, "quit") == 0)
    {
      debugger->has_quit = true;
      return true;
    }
  if ((strcmp (word, "p") == 0 || strcmp (word, "print") == 0) && *rest == '\0')
    print_variables (point);
  else if (strcmp (word, "p") == 0 || strcmp (word, "print") == 0)
    print_variable (point, rest);
  else
    g_print (_("commands: continue, step (or an empty line), print [NAME], quit\n"));
  return false;
}

static void
ask (struct tool_debugger *debugger, const GabbroTracePoint *point)
{
  char line[256];

  debugger->steps = false;
  do
    {
      g_print ("(gabbro) ");
      fflush (stdout);
      /* Without anybody to ask the rest runs through. */
      if (fgets (line, sizeof line, debugger->input) == NULL)
        {
          debugger->asks = false;
          g_print ("\n");
          return;
        }
    }
  while (!obey (debugger, point, line));
}

static void
begin (struct tool_debugger *debugger, const GabbroTracePoint *point)
{
  guint x, y, z;

  gabbro_trace_point_get_thread (point, &x, &y, &z);
  g_print (_("thread (%u, %u, %u) of %s\n"), x, y, z, gabbro_trace_point_get_kernel (point));
  debugger->has_begun = true;
}

static gboolean
look (const GabbroTracePoint *point, gpointer data)
{
  struct tool_debugger *debugger = data;
  bool traces = debugger->watch->has_thread && debugger->watch->break_line == 0;
  guint line = gabbro_trace_point_get_line (point);
  guint depth = gabbro_trace_point_get_depth (point);
  /* A thread that comes back from a function is in the middle of its line. */
  g_autofree char *file = file_of (point);
  bool arrives = line == debugger->watch->break_line && g_strcmp0 (file, debugger->break_name) == 0 && depth >= debugger->depth;
  bool stops = line > 0 && (arrives || debugger->steps);

  debugger->depth = depth;

  if (!debugger->has_begun && (traces || stops))
    begin (debugger, point);
  if (traces || debugger->steps)
    print_made (point);
  if (line == 0)
    {
      if (debugger->has_begun)
        g_print (_("the thread has ended\n"));
      debugger->has_begun = debugger->steps = false;
    }
  else if (traces || stops)
    print_line (debugger, point);
  if (stops)
    {
      debugger->has_stopped = true;
      if (!debugger->steps)
        print_variables (point);
      if (debugger->asks)
        ask (debugger, point);
    }
  return !debugger->has_quit;
}

/* The kernel's file or one that it imports, by its name or the last part of it. */
static bool
find_break (struct tool_debugger *debugger, GError **error)
{
  g_autofree char *wanted = tool_printable (debugger->watch->break_file);
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (debugger->lines), (GCompareFunc) strcmp);
  const char *found = g_hash_table_contains (debugger->lines, wanted) ? wanted : NULL;
  g_autoptr (GString) all = g_string_new (NULL);

  for (const GList *at = names; at != NULL; at = at->next)
    {
      g_autofree char *base = g_path_get_basename (at->data);
      if (found == NULL && strcmp (base, wanted) == 0)
        found = at->data;
      g_string_append_printf (all, "%s%s", all->len > 0 ? ", " : "", (const char *) at->data);
    }
  if (found == NULL)
    return tool_usage (error, _("--break: '%s' is no file of the kernel; there are: %s"), wanted, all->str);
  debugger->break_name = g_strdup (found);
  return true;
}

bool
tool_debugger_attach (struct tool_debugger *debugger, GabbroDevice *device, GError **error)
{
  const struct tool_watch *watch = debugger->watch;

  if (watch->break_line > 0)
    {
      if (!find_break (debugger, error))
        return false;
      guint n_lines = g_strv_length (g_hash_table_lookup (debugger->lines, debugger->break_name));
      if (watch->break_line > n_lines)
        return tool_usage (error, _("--break: %s has %u lines, there is no line %u"), debugger->break_name, n_lines,
                           watch->break_line);
    }
  return gabbro_device_set_trace (device, watch->has_thread ? watch->thread : NULL,
                                  g_strcmp0 (debugger->break_name, debugger->name) == 0 ? NULL : debugger->break_name,
                                  watch->has_thread ? 0 : watch->break_line, look, debugger, NULL, error);
}

void
tool_debugger_finish (struct tool_debugger *debugger, GabbroDevice *device, bool good)
{
  if (debugger == NULL)
    return;
  gabbro_device_set_trace (device, NULL, NULL, 0, NULL, NULL, NULL, NULL);
  if (good && debugger->watch->break_line > 0 && !debugger->has_stopped)
    tool_remark (_("no such thread came to line %u"), debugger->watch->break_line);
}
