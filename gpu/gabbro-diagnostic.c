/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/diagnostic-private.h"

#include <glib/gi18n-lib.h>

#include "codegen/frontend/explain.h"

/**
 * GabbroDiagnostic:
 *
 * One thing that the compiler says about a source: a mistake, a warning or a note, with its place.
 * They come with errors of %GABBRO_COMPILE_ERROR, see gabbro_compile_error_get_diagnostics(), and
 * from gabbro_module_check_source(). Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroDiagnostic
{
  gatomicrefcount references;
  GabbroSeverity severity;
  guint line, column;
  char *file, *code, *message, *hint;
  char *text;                            /* as a terminal shows it, without the last newline */
};

G_DEFINE_BOXED_TYPE (GabbroDiagnostic, gabbro_diagnostic, gabbro_diagnostic_ref, gabbro_diagnostic_unref)

static const GabbroSeverity severities[] = {
  [GK_SEVERITY_ERROR] = GABBRO_SEVERITY_ERROR,
  [GK_SEVERITY_WARNING] = GABBRO_SEVERITY_WARNING,
  [GK_SEVERITY_NOTE] = GABBRO_SEVERITY_NOTE,
};

static GabbroDiagnostic *
diagnostic_new (const struct gk_diagnostic *from, const char *file)
{
  GabbroDiagnostic *self = g_new0 (GabbroDiagnostic, 1);
  GString *text = g_string_new (NULL);

  g_atomic_ref_count_init (&self->references);
  self->severity = severities[from->severity];
  self->line = from->line;
  self->column = from->line > 0 ? from->column : 0;
  self->file = g_strdup (file);
  self->code = from->code != 0 ? g_strdup_printf ("GK%04u", from->code) : NULL;
  self->message = g_strdup (from->message);
  self->hint = g_strdup (from->hint);
  gk_diagnostic_format (from, file, text);
  if (text->len > 0 && text->str[text->len - 1] == '\n')
    g_string_truncate (text, text->len - 1);
  self->text = g_string_free (text, FALSE);
  return self;
}

static void
free_element (gpointer diagnostic)
{
  gabbro_diagnostic_unref (diagnostic);
}

GPtrArray *
gabbro_diagnostics_new (const struct gk_diagnostics *diagnostics)
{
  GPtrArray *array = g_ptr_array_new_full (diagnostics->list->len, free_element);

  for (guint i = 0; i < diagnostics->list->len; i++)
    {
      const struct gk_diagnostic *diagnostic = g_ptr_array_index (diagnostics->list, i);

      g_ptr_array_add (array, diagnostic_new (diagnostic, diagnostic->file != NULL ? diagnostic->file : diagnostics->source_name));
    }
  return array;
}

GPtrArray *
gabbro_diagnostics_single (const char *file, guint line, guint column, const char *message)
{
  GPtrArray *array = g_ptr_array_new_full (1, free_element);
  const struct gk_diagnostic diagnostic = {
    .severity = GK_SEVERITY_ERROR, .line = line, .column = column, .length = 1, .message = (char *) message,
  };

  g_ptr_array_add (array, diagnostic_new (&diagnostic, file));
  return array;
}

GPtrArray *
gabbro_diagnostics_copy (const GPtrArray *diagnostics)
{
  GPtrArray *array = g_ptr_array_new_with_free_func (free_element);

  for (guint i = 0; diagnostics != NULL && i < diagnostics->len; i++)
    g_ptr_array_add (array, gabbro_diagnostic_ref (diagnostics->pdata[i]));
  return array;
}

/**
 * gabbro_diagnostic_ref:
 * @self: a diagnostic
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): @self
 *
 * Since: 0.1
 */
GabbroDiagnostic *
gabbro_diagnostic_ref (GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->references);
  return self;
}

/**
 * gabbro_diagnostic_unref:
 * @self: (transfer full): a diagnostic
 *
 * Drops a reference; the last one frees it. Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_diagnostic_unref (GabbroDiagnostic *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_free (self->file);
  g_free (self->code);
  g_free (self->message);
  g_free (self->hint);
  g_free (self->text);
  g_free (self);
}

/**
 * gabbro_diagnostic_get_severity:
 * @self: a diagnostic
 *
 * Thread-safe; does not block.
 *
 * Returns: how grave it is
 *
 * Since: 0.1
 */
GabbroSeverity
gabbro_diagnostic_get_severity (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, GABBRO_SEVERITY_ERROR);

  return self->severity;
}

/**
 * gabbro_diagnostic_get_file:
 * @self: a diagnostic
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none): the name that was given with the source
 *
 * Since: 0.1
 */
const char *
gabbro_diagnostic_get_file (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->file;
}

/**
 * gabbro_diagnostic_get_line:
 * @self: a diagnostic
 *
 * Thread-safe; does not block.
 *
 * Returns: the line, counted from 1; 0 where it is about no place in particular
 *
 * Since: 0.1
 */
guint
gabbro_diagnostic_get_line (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->line;
}

/**
 * gabbro_diagnostic_get_column:
 * @self: a diagnostic
 *
 * Thread-safe; does not block.
 *
 * Returns: the place in the line, counted from 1 in bytes of UTF-8; 0 where there is no line
 *
 * Since: 0.1
 */
guint
gabbro_diagnostic_get_column (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->column;
}

/**
 * gabbro_diagnostic_get_code:
 * @self: a diagnostic
 *
 * The code of a kind of mistake, such as "GK0031". It never changes its meaning, whatever the
 * language of the messages. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the code, or %NULL where there is none
 *
 * Since: 0.1
 */
const char *
gabbro_diagnostic_get_code (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->code;
}

/**
 * gabbro_diagnostic_get_message:
 * @self: a diagnostic
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none): what is wrong, in the user's language, without the place
 *
 * Since: 0.1
 */
const char *
gabbro_diagnostic_get_message (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->message;
}

/**
 * gabbro_diagnostic_get_hint:
 * @self: a diagnostic
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): what would be right there, or %NULL where that is not known
 *
 * Since: 0.1
 */
const char *
gabbro_diagnostic_get_hint (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->hint;
}

/**
 * gabbro_diagnostic_to_string:
 * @self: a diagnostic
 *
 * As compilers print it, for a terminal: "file:line:column: error: message", then the line itself
 * with the place marked, then the hint. Thread-safe; does not block.
 *
 * Returns: (transfer full): some lines of text, without a newline at the end
 *
 * Since: 0.1
 */
char *
gabbro_diagnostic_to_string (const GabbroDiagnostic *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_strdup (self->text);
}

static bool
parse_code (const char *text, uint32_t *code)
{
  guint64 number;

  if (g_ascii_strncasecmp (text, "GK", 2) == 0)
    text += 2;
  if (!g_ascii_string_to_unsigned (text, 10, 1, 9999, &number, NULL))
    return false;
  *code = (uint32_t) number;
  return true;
}

/**
 * gabbro_diagnostic_explain:
 * @code: a code as gabbro_diagnostic_get_code() gives it, such as "GK0123"; "gk123" and "123" are the same
 * @severity: (out) (optional): whether it is a mistake or a warning
 * @summary: (out) (optional) (transfer full): its message, with "…" for what that would name
 * @text: (out) (optional) (transfer full): why it is wrong and what to do, a paragraph
 * @wrong: (out) (optional) (transfer full): source that gets it; what is too long for that is written once, behind
 *   a comment that says how often it stands there
 * @right: (out) (optional) (transfer full): the same without the mistake
 *
 * Explains what a diagnostic means at more length than its message, in the user's language; for editors and the like.
 * What is given back is set only when the answer is %TRUE. Thread-safe; does not block.
 *
 * Returns: whether there is such a code
 *
 * Since: 0.1
 */
gboolean
gabbro_diagnostic_explain (const char *code, GabbroSeverity *severity, char **summary, char **text, char **wrong, char **right)
{
  struct gk_explanation explanation;
  uint32_t number;

  g_return_val_if_fail (code != NULL, FALSE);

  if (!parse_code (code, &number) || !gk_explain (number, &explanation))
    return FALSE;
  if (severity != NULL)
    *severity = severities[explanation.severity];
  if (summary != NULL)
    *summary = gk_explanation_summary (&explanation);
  if (text != NULL)
    *text = g_strdup (explanation.text != NULL ? _(explanation.text) : "");
  if (wrong != NULL)
    *wrong = g_strdup (explanation.wrong != NULL ? explanation.wrong : "");
  if (right != NULL)
    *right = g_strdup (explanation.right != NULL ? explanation.right : "");
  return TRUE;
}

/**
 * gabbro_diagnostic_list_codes:
 *
 * Gives the codes of all diagnostics that there can be. Thread-safe; does not block.
 *
 * Returns: (transfer full): the codes, sorted
 *
 * Since: 0.1
 */
char **
gabbro_diagnostic_list_codes (void)
{
  GStrvBuilder *builder = g_strv_builder_new ();
  struct gk_explanation explanation;
  char **codes;

  for (guint i = 0; gk_explanation_at (i, &explanation); i++)
    {
      char *code = g_strdup_printf ("GK%04u", explanation.code);
      g_strv_builder_add (builder, code);
      g_free (code);
    }
  codes = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  return codes;
}
