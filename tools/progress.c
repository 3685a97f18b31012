/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/progress.h"

#include <stdarg.h>
#include <stdbool.h>

#include "tools/report.h"

#define PATIENCE (G_USEC_PER_SEC / 2)
#define WIDTH 76

struct tool_progress
{
  gint64 start;
  bool terminal;
  bool shown;
};

struct tool_progress *
tool_progress_new (void)
{
  struct tool_progress *progress = g_new0 (struct tool_progress, 1);

  progress->start = g_get_monotonic_time ();
  progress->terminal = tool_stderr_is_terminal ();
  return progress;
}

void
tool_progress_show (struct tool_progress *progress, const char *format, ...)
{
  va_list arguments;

  if (!progress->terminal || g_get_monotonic_time () - progress->start < PATIENCE)
    return;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *safe = tool_printable (text);
  g_autofree char *cut = g_utf8_substring (safe, 0, MIN (g_utf8_strlen (safe, -1), WIDTH));
  g_printerr ("\r\033[K%s", cut);
  progress->shown = true;
}

void
tool_progress_free (struct tool_progress *progress)
{
  if (progress->shown)
    g_printerr ("\r\033[K");
  g_free (progress);
}
