/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro list: the adapters and the drivers. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/output.h"
#include "tools/report.h"

static const struct tool_option options_of_list[] = {
  TOOL_OUTPUT_OPTIONS,
  { "paths", 0, NULL, N_("print the paths alone, one a line") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "list", N_("the adapters; '*' stands before the one that is used when none is named") },
  { "list --paths", N_("for scripts: for adapter in $(gabbro list --paths)") },
  { "list --json", N_("the same for programs") },
  { NULL }
};

static void
list_adapters (struct tool_output *output, GabbroContext *context, GError **none)
{
  guint n_adapters = gabbro_context_get_n_adapters (context);
  g_autofree char *reason = NULL;
  GabbroAdapter *chosen = tool_select_adapter (context, NULL, &reason, none);

  tool_output_begin_list (output, "adapters", NULL);
  for (guint i = 0; i < n_adapters; i++)
    {
      GabbroAdapter *adapter = gabbro_context_get_adapter (context, i);
      g_autofree char *name = tool_printable (gabbro_adapter_get_name (adapter));
      g_autofree char *title = g_strdup_printf ("%c %s", adapter == chosen ? '*' : ' ', name);
      tool_output_begin_object (output, NULL, title);
      tool_output_for_programs (output, "name", g_variant_new_string (name));
      tool_describe_adapter (output, adapter);
      if (adapter == chosen && reason != NULL)
        tool_output_string (output, "default-because", _("Used because"), reason);
      tool_output_for_programs (output, "default", g_variant_new_boolean (adapter == chosen));
      tool_output_end_object (output);
    }
  if (n_adapters == 0)
    tool_output_line (output, _("There is no adapter."));
  tool_output_end_list (output);
}

static bool
list_paths (GabbroContext *context, GError **error)
{
  guint n_adapters = gabbro_context_get_n_adapters (context);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n_adapters; i++)
    g_string_append_printf (text, "%s\n", gabbro_adapter_get_path (gabbro_context_get_adapter (context, i)));
  return tool_write_stdout (text->str, text->len, error);
}

static bool
run (const struct tool_options *options, GError **error)
{
  if (!tool_options_at_most (options, 0, error))
    return false;
  if (tool_options_has (options, "paths") && tool_options_has (options, "json"))
    return tool_usage (error, _("--paths and --json exclude each other"));
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  if (context == NULL)
    return false;

  if (tool_options_has (options, "paths"))
    return list_paths (context, error);

  struct tool_output *output = tool_output_new_document (options, "list");
  /* Having no default is no failure of a listing. */
  g_autoptr (GError) none = NULL;
  list_adapters (output, context, &none);
  g_auto (GStrv) drivers = gabbro_context_list_drivers (context);
  if (drivers != NULL)
    tool_output_strings (output, "drivers", _("Drivers"), (const char *const *) drivers);
  bool good = tool_output_finish (output, error);
  if (none != NULL)
    tool_remark ("%s", none->message);
  tool_report_messages (context, none);
  return good;
}

const struct tool_command tool_command_list = {
  .name = "list",
  .usage = N_("[--json | --paths]"),
  .summary = N_("list the adapters (GPUs and software) and drivers"),
  .text = NULL,
  .options = options_of_list,
  .examples = examples,
  .run = run,
};
