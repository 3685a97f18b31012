/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/watch.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"
#include "tools/report.h"

static bool
parse_thread (struct tool_watch *watch, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", 4);
  guint n_parts = g_strv_length (parts);

  if (n_parts == 0 || n_parts > 3)
    return tool_usage (error, _("--trace: '%s' is not X, X,Y or X,Y,Z"), text);
  for (guint i = 0; i < n_parts; i++)
    {
      guint64 number;
      if (!tool_parse_whole (parts[i], "--trace", 0, G_MAXUINT32 - 1, &number, error))
        return false;
      watch->thread[i] = (guint) number;
    }
  watch->has_thread = true;
  return true;
}

/* "FILE:LINE"; which file that is the debugger finds. */
static bool
parse_break (struct tool_watch *watch, const char *text, GError **error)
{
  const char *colon = strrchr (text, ':');
  guint64 line;

  if (colon == NULL)
    return tool_usage (error, _("--break: '%s' is not FILE:LINE"), text);
  if (!tool_parse_whole (colon + 1, "--break", 1, G_MAXUINT32, &line, error))
    return false;
  watch->break_file = g_strndup (text, (gsize) (colon - text));
  watch->break_line = (guint) line;
  return true;
}

bool
tool_watch_parse (struct tool_watch *watch, const struct tool_options *options, GError **error)
{
  const char *thread = tool_options_get (options, "trace"), *place = tool_options_get (options, "break");

  watch->checks = tool_options_has (options, "check");
  watch->json = tool_options_has (options, "json");
  if (watch->json && !watch->checks)
    return tool_usage (error, _("--json goes with --check"));
  if (watch->json && (thread != NULL || place != NULL))
    return tool_usage (error, _("--json goes neither with --trace nor with --break"));
  return (thread == NULL || parse_thread (watch, thread, error))
         && (place == NULL || parse_break (watch, place, error));
}

void
tool_watch_clear (struct tool_watch *watch)
{
  g_clear_pointer (&watch->break_file, g_free);
}

bool
tool_watch_sees_lines (const struct tool_watch *watch)
{
  return watch->has_thread || watch->break_line > 0;
}

bool
tool_watch_is_on (const struct tool_watch *watch)
{
  return watch->checks || tool_watch_sees_lines (watch);
}

void
tool_watch_context_options (const struct tool_watch *watch, GVariantDict *options)
{
  const char *more = secure_getenv ("GABBRO_CHECK");
  g_autofree char *checks = NULL;

  if (!watch->checks)
    return;
  /* What the environment chooses of the checks goes on, but not that there are none. */
  checks = more == NULL || more[0] == '\0' || strcmp (more, "0") == 0 ? g_strdup ("1") : g_strconcat ("1,", more, NULL);
  g_variant_dict_insert (options, "check", "s", checks);
}

bool
tool_watch_fits (const struct tool_watch *watch, GabbroAdapter *adapter, const guint32 size[3], GError **error)
{
  static const char axes[] = "xyz";

  if (tool_watch_is_on (watch) && strcmp (gabbro_adapter_get_driver (adapter), "reference") != 0)
    return tool_usage (error, _("--check, --trace and --break need the driver 'reference', and '%s' is one of '%s'"),
                       gabbro_adapter_get_name (adapter), gabbro_adapter_get_driver (adapter));
  for (guint i = 0; watch->has_thread && i < 3; i++)
    if (watch->thread[i] >= size[i])
      return tool_usage (error, _("--trace: there is no thread %u in %c: the dispatch has %u"), watch->thread[i], axes[i], size[i]);
  return true;
}

/* --- reports ----------------------------------------------------------------------------- */

static bool
write_json (GPtrArray *reports, const struct tool_prints *prints, GError **error)
{
  struct tool_output *output = tool_output_new_json ("run-check");

  tool_output_begin_list (output, "reports", NULL);
  for (guint i = 0; i < reports->len; i++)
    {
      g_autoptr (GVariant) variant = gabbro_report_to_variant (reports->pdata[i]);
      GVariantIter iterator;
      const char *key;
      GVariant *value;

      tool_output_begin_object (output, NULL, NULL);
      g_variant_iter_init (&iterator, variant);
      while (g_variant_iter_loop (&iterator, "{&sv}", &key, &value))
        tool_output_for_programs (output, key, value);
      tool_output_end_object (output);
    }
  tool_output_end_list (output);
  tool_prints_write (prints, output);
  return tool_output_finish (output, error);
}

/* How many there are and what the device says beside. */
struct summary
{
  guint n_faults;
  bool has_more;                /* than are kept */
  bool has_endless;
};

static struct summary
summarise (GPtrArray *reports)
{
  struct summary summary = { .n_faults = 0 };

  for (guint i = 0; i < reports->len; i++)
    {
      GabbroReportKind kind = gabbro_report_get_kind (reports->pdata[i]);
      g_autoptr (GVariant) variant = gabbro_report_to_variant (reports->pdata[i]);

      summary.n_faults += kind != GABBRO_REPORT_NOTE;
      summary.has_endless = summary.has_endless || kind == GABBRO_REPORT_ENDLESS_LOOP;
      /* The note that has a number says how many are kept. */
      summary.has_more = summary.has_more || (kind == GABBRO_REPORT_NOTE && g_variant_lookup (variant, "limit", "at", NULL));
    }
  return summary;
}

static void
set_summary (const struct summary *summary, bool is_lost, GError **error)
{
  guint n = summary->n_faults;
  const char *format = summary->has_more ? ngettext ("the kernel does more than %u thing that it may not",
                                                     "the kernel does more than %u things that it may not", n)
                                         : ngettext ("the kernel does %u thing that it may not",
                                                     "the kernel does %u things that it may not", n);
  g_autofree char *text = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  text = g_strdup_printf (format, n);
#pragma GCC diagnostic pop
  g_set_error (error, TOOL_ERROR, TOOL_ERROR_REPORTS, is_lost ? _("%s, and the device was lost") : "%s", text);
}

bool
tool_watch_report (const struct tool_watch *watch, GabbroDevice *device, const struct tool_prints *prints, bool *is_explained,
                   GError **error)
{
  g_autoptr (GPtrArray) reports = NULL;
  struct summary summary;

  *is_explained = false;
  if (!watch->checks)
    return tool_prints_check (prints, error);
  reports = gabbro_device_list_reports (device);
  summary = summarise (reports);
  *is_explained = summary.has_endless;
  if (watch->json && !write_json (reports, prints, error))
    return false;
  for (guint i = 0; i < reports->len && !watch->json; i++)
    {
      g_autofree char *text = gabbro_report_to_string (reports->pdata[i]);
      tool_report_text (text);
    }
  if (summary.n_faults == 0)
    return tool_prints_check (prints, error);
  set_summary (&summary, summary.has_endless, error);
  return false;
}
