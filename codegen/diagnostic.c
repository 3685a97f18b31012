/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/diagnostic.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define DEFAULT_LIMIT 50
/* Bytes of a source line that are kept: hostile sources have long lines. */
#define MAX_SOURCE_LINE 400

static void
diagnostic_free (gpointer data)
{
  struct gk_diagnostic *diagnostic = data;
  g_free (diagnostic->message);
  g_free (diagnostic->hint);
  g_free (diagnostic->source_line);
  g_free (diagnostic->file);
  g_free (diagnostic);
}

void
gk_diagnostics_init (struct gk_diagnostics *diagnostics,
                     const char            *source_name)
{
  memset (diagnostics, 0, sizeof *diagnostics);
  diagnostics->source_name = g_strdup (source_name);
  diagnostics->list = g_ptr_array_new_with_free_func (diagnostic_free);
  diagnostics->limit = DEFAULT_LIMIT;
}

void
gk_diagnostics_clear (struct gk_diagnostics *diagnostics)
{
  g_clear_pointer (&diagnostics->source_name, g_free);
  g_clear_pointer (&diagnostics->list, g_ptr_array_unref);
  diagnostics->n_errors = 0;
  diagnostics->n_warnings = 0;
  diagnostics->overflowed = false;
}

/* Whether one more of this severity is kept. What is not kept still counts. */
static bool
admit (struct gk_diagnostics *diagnostics,
       enum gk_severity       severity)
{
  guint *count;
  if (severity == GK_SEVERITY_NOTE)
    return true;
  count = severity == GK_SEVERITY_ERROR ? &diagnostics->n_errors : &diagnostics->n_warnings;
  if (*count < G_MAXUINT)
    ++*count;
  if (*count <= diagnostics->limit)
    return true;
  if (!diagnostics->overflowed)
    {
      struct gk_diagnostic *diagnostic = g_new0 (struct gk_diagnostic, 1);
      diagnostic->severity = GK_SEVERITY_NOTE;
      diagnostic->message = g_strdup_printf (_("only the first %u errors and %u warnings are shown"),
                                             diagnostics->limit, diagnostics->limit);
      g_ptr_array_add (diagnostics->list, diagnostic);
      diagnostics->overflowed = true;
    }
  return false;
}

void
gk_diagnostics_add (struct gk_diagnostics *diagnostics,
                    enum gk_severity       severity,
                    uint32_t               code,
                    uint32_t               line,
                    uint32_t               column,
                    uint32_t               length,
                    const char            *source_line,
                    gsize                  source_line_length,
                    const char            *hint,
                    const char            *format,
                    ...)
{
  struct gk_diagnostic *diagnostic;
  va_list arguments;

  if (!admit (diagnostics, severity))
    return;
  diagnostic = g_new0 (struct gk_diagnostic, 1);
  diagnostic->severity = severity;
  diagnostic->code = code;
  diagnostic->line = line;
  diagnostic->column = column;
  diagnostic->length = MAX (length, 1);
  va_start (arguments, format);
  diagnostic->message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  diagnostic->hint = g_strdup (hint);
  if (source_line != NULL && column <= MAX_SOURCE_LINE)
    {
      gsize kept = MIN (source_line_length, MAX_SOURCE_LINE);
      /* Not through the middle of a character. */
      while (kept > 0 && kept < source_line_length && ((guchar) source_line[kept] & 0xc0) == 0x80)
        kept--;
      diagnostic->source_line = g_utf8_make_valid (source_line, kept);
    }
  g_ptr_array_add (diagnostics->list, diagnostic);
}

void
gk_diagnostics_name_last (struct gk_diagnostics *diagnostics,
                          const char            *file,
                          uint32_t               file_number)
{
  struct gk_diagnostic *diagnostic = g_ptr_array_index (diagnostics->list, diagnostics->list->len - 1);

  g_free (diagnostic->file);
  diagnostic->file = g_strdup (file);
  diagnostic->file_number = file_number;
}

/* The blanks that bring the caret under its column: tabs stay tabs, and a
 * character of several bytes is one column of the terminal. */
static void
indent_caret (GString    *out,
              const char *source_line,
              uint32_t    column)
{
  for (uint32_t i = 0; i + 1 < column; i++)
    {
      guchar byte = source_line[i];
      if (byte == '\0')
        break;
      if (byte == '\t')
        g_string_append_c (out, '\t');
      else if ((byte & 0xc0) != 0x80)
        g_string_append_c (out, ' ');
    }
}

static void
append_source (GString                    *out,
               const struct gk_diagnostic *diagnostic)
{
  const char *line = diagnostic->source_line;
  gsize size = strlen (line);
  gsize end = MIN ((gsize) diagnostic->column - 1 + diagnostic->length, size);

  g_string_append_printf (out, "  %s\n  ", line);
  indent_caret (out, line, diagnostic->column);
  g_string_append_c (out, '^');
  for (gsize i = diagnostic->column; i < end; i++)
    if (((guchar) line[i] & 0xc0) != 0x80)
      g_string_append_c (out, '~');
  g_string_append_c (out, '\n');
}

void
gk_diagnostic_format (const struct gk_diagnostic *diagnostic,
                      const char                 *source_name,
                      GString                    *out)
{
  static const char *const severities[] = { N_("error"), N_("warning"), N_("note") };

  if (diagnostic->file != NULL)
    source_name = diagnostic->file;
  g_string_append (out, source_name != NULL ? source_name : "-");
  if (diagnostic->line > 0)
    g_string_append_printf (out, ":%u:%u", diagnostic->line, diagnostic->column);
  g_string_append_printf (out, ": %s: %s", _(severities[diagnostic->severity]), diagnostic->message);
  if (diagnostic->code != 0)
    g_string_append_printf (out, " [GK%04u]", diagnostic->code);
  g_string_append_c (out, '\n');
  if (diagnostic->source_line != NULL && diagnostic->column > 0)
    append_source (out, diagnostic);
  if (diagnostic->hint != NULL)
    {
      g_string_append (out, "  ");
      g_string_append_printf (out, _("hint: %s"), diagnostic->hint);
      g_string_append_c (out, '\n');
    }
}

void
gk_diagnostics_format (const struct gk_diagnostics *diagnostics,
                       GString                     *out)
{
  for (guint i = 0; i < diagnostics->list->len; i++)
    gk_diagnostic_format (g_ptr_array_index (diagnostics->list, i), diagnostics->source_name, out);
}
