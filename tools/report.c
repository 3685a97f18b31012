/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/report.h"

#include <gabbro/gabbro.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

G_DEFINE_QUARK (tool-error-quark, tool_error)

bool
tool_fail (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_propagate_error (error, g_error_new_valist (TOOL_ERROR, TOOL_ERROR_FAILED, format, arguments));
  va_end (arguments);
  return false;
}

bool
tool_usage (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_propagate_error (error, g_error_new_valist (TOOL_ERROR, TOOL_ERROR_USAGE, format, arguments));
  va_end (arguments);
  return false;
}

bool
tool_answer_no (GError **error)
{
  g_set_error_literal (error, TOOL_ERROR, TOOL_ERROR_ANSWER, "no");
  return false;
}

/* A hostile file or file name must neither split our line nor steer the terminal. */
static char *
make_safe (const char *text, bool keep_lines)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *safe = g_string_sized_new (strlen (valid));
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);
      if (keep_lines && (character == '\n' || character == '\t'))
        g_string_append_unichar (safe, character);
      else if (character == '\n' || character == '\t')
        g_string_append_c (safe, ' ');
      else if (g_unichar_iscntrl (character) || g_unichar_type (character) == G_UNICODE_FORMAT)
        g_string_append_c (safe, '?');
      else
        g_string_append_unichar (safe, character);
    }
  return g_string_free (safe, FALSE);
}

char *
tool_printable (const char *text)
{
  return make_safe (text, false);
}

char *
tool_printable_lines (const char *text)
{
  return make_safe (text, true);
}

static void
print_line (const char *text)
{
  g_autofree char *safe = make_safe (text, false);
  g_strchomp (safe);
  g_printerr ("gabbro: %s\n", safe);
}

void
tool_remark (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  print_line (text);
}

void
tool_report_text (const char *text)
{
  g_autofree char *safe = make_safe (text, true);
  g_printerr ("%s%s", safe, g_str_has_suffix (safe, "\n") ? "" : "\n");
}

enum tool_status
tool_report (const GError *error)
{
  if (g_error_matches (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_SOURCE))
    tool_report_text (error->message);
  else if (!g_error_matches (error, TOOL_ERROR, TOOL_ERROR_ANSWER))
    print_line (error->message);
  if (g_error_matches (error, TOOL_ERROR, TOOL_ERROR_USAGE))
    return TOOL_STATUS_USAGE;
  if (g_error_matches (error, TOOL_ERROR, TOOL_ERROR_REPORTS))
    return TOOL_STATUS_REPORTS;
  return TOOL_STATUS_FAILURE;
}

bool
tool_stderr_is_terminal (void)
{
  return isatty (STDERR_FILENO) == 1;
}
