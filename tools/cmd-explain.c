/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro explain: what a diagnostic of the compiler means. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <string.h>

#include "tools/command.h"
#include "tools/output.h"
#include "tools/report.h"
#include "tools/suggest.h"

static const struct tool_option options_of_explain[] = {
  TOOL_OUTPUT_OPTIONS,
  { NULL }
};

static const struct tool_example examples[] = {
  { "explain GK0200", N_("why a program gets this message, and how it is right") },
  { "explain 200 203", N_("several; the number is enough") },
  { "explain", N_("all codes with their messages") },
  { NULL }
};

struct explanation
{
  GabbroSeverity severity;
  char *summary, *text, *wrong, *right;
};

static void
clear (struct explanation *explanation)
{
  g_free (explanation->summary);
  g_free (explanation->text);
  g_free (explanation->wrong);
  g_free (explanation->right);
}

static bool
load (const char *code, struct explanation *explanation, GError **error)
{
  if (gabbro_diagnostic_explain (code, &explanation->severity, &explanation->summary, &explanation->text,
                                 &explanation->wrong, &explanation->right))
    return true;
  g_auto (GStrv) codes = gabbro_diagnostic_list_codes ();
  g_autofree char *upper = g_ascii_strup (code, -1);
  g_autofree char *suggestion = tool_suggestion (upper, (const char *const *) codes, "");
  return tool_fail (error, _("there is no code '%s'%s; 'gabbro explain' lists them"), code, suggestion);
}

/* The name that list_codes gives to what was typed. */
static char *
full_code (const char *text)
{
  if (g_ascii_strncasecmp (text, "GK", 2) == 0)
    text += 2;
  return g_strdup_printf ("GK%04u", (guint) g_ascii_strtoull (text, NULL, 10));
}

static const char *
word_of (GabbroSeverity severity)
{
  return severity == GABBRO_SEVERITY_WARNING ? "warning" : "error";
}

static void
show_example (struct tool_output *output, const char *key, const char *title, const char *source)
{
  tool_output_for_programs (output, key, g_variant_new_string (source));
  tool_output_line (output, "");
  tool_output_line (output, title);
  tool_output_line (output, "");
  g_auto (GStrv) lines = g_strsplit (source, "\n", -1);
  for (guint i = 0; lines[i] != NULL && (lines[i][0] != '\0' || lines[i + 1] != NULL); i++)
    {
      g_autofree char *line = g_strconcat ("    ", lines[i], NULL);
      tool_output_line (output, line);
    }
}

static void
show (struct tool_output *output, const char *code, const struct explanation *explanation)
{
  g_autofree char *heading = g_strdup_printf ("%s: %s", code, explanation->summary);

  tool_output_begin_object (output, NULL, heading);
  tool_output_for_programs (output, "code", g_variant_new_string (code));
  tool_output_for_programs (output, "severity", g_variant_new_string (word_of (explanation->severity)));
  tool_output_for_programs (output, "summary", g_variant_new_string (explanation->summary));
  tool_output_for_programs (output, "text", g_variant_new_string (explanation->text));
  tool_output_line (output, "");
  tool_output_paragraph (output, explanation->text);
  show_example (output, "wrong", _("Wrong:"), explanation->wrong);
  show_example (output, "right", _("Right:"), explanation->right);
  tool_output_end_object (output);
}

static bool
list (struct tool_output *output, GError **error)
{
  g_auto (GStrv) codes = gabbro_diagnostic_list_codes ();
  bool good = true;

  for (guint i = 0; good && codes[i] != NULL; i++)
    {
      struct explanation explanation = { 0 };
      good = load (codes[i], &explanation, error);
      if (good)
        {
          g_autofree char *line = g_strdup_printf ("%s  %s", codes[i], explanation.summary);
          tool_output_begin_object (output, NULL, NULL);
          tool_output_for_programs (output, "code", g_variant_new_string (codes[i]));
          tool_output_for_programs (output, "severity", g_variant_new_string (word_of (explanation.severity)));
          tool_output_for_programs (output, "summary", g_variant_new_string (explanation.summary));
          tool_output_end_object (output);
          tool_output_line (output, line);
        }
      clear (&explanation);
    }
  return good;
}

static bool
run (const struct tool_options *options, GError **error)
{
  struct tool_output *output = tool_output_new_document (options, "explain");
  guint n_codes = tool_options_n_operands (options);
  bool good = true;

  tool_output_begin_list (output, "diagnostics", NULL);
  for (guint i = 0; good && i < n_codes; i++)
    {
      const char *text = tool_options_operand (options, i);
      struct explanation explanation = { 0 };
      good = load (text, &explanation, error);
      if (good)
        {
          g_autofree char *code = full_code (text);
          show (output, code, &explanation);
        }
      clear (&explanation);
    }
  if (n_codes == 0)
    good = list (output, error);
  tool_output_end_list (output);
  if (good)
    return tool_output_finish (output, error);
  tool_output_free (output);
  return false;
}

const struct tool_command tool_command_explain = {
  .name = "explain",
  .usage = N_("[CODE]… [--json]"),
  .summary = N_("explain a message of the compiler, with examples"),
  .text = N_("The code stands in brackets behind each message. Without one all are listed.\n"),
  .options = options_of_explain,
  .examples = examples,
  .run = run,
};
