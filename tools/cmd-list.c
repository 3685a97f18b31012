/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro list: the adapters and the drivers. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/report.h"

static const struct tool_option options_of_list[] = {
  { "json", 0, NULL, N_("print JSON for programs") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "list", N_("the adapters; '*' stands before the one that is used when none is named") },
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
run (const struct tool_options *options, GError **error)
{
  if (!tool_options_at_most (options, 0, error))
    return false;
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  if (context == NULL)
    return false;

  struct tool_output *output = tool_output_new (tool_options_has (options, "json"));
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
  .usage = N_("[--json]"),
  .summary = N_("list the adapters (GPUs and software) and drivers"),
  .text = NULL,
  .options = options_of_list,
  .examples = examples,
  .run = run,
};
