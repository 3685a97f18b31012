/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro select: which adapter is meant, and why. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/report.h"

static const struct tool_option options_of_select[] = {
  TOOL_OUTPUT_OPTIONS,
  { "explain", 0, NULL, N_("say what each rule made of it") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "select", N_("the path of the adapter that is used when none is named") },
  { "select --explain", N_("… and why: each rule, in order, and whom it left") },
  { "select --explain llvmpipe", N_("the same for a wish") },
  { NULL }
};

static void
show_steps (struct tool_output *output, GVariant *steps)
{
  GVariantIter iter;
  GVariant *step;

  tool_output_begin_list (output, "steps", NULL);
  g_variant_iter_init (&iter, steps);
  while ((step = g_variant_iter_next_value (&iter)) != NULL)
    {
      g_autoptr (GVariant) adapters = g_variant_lookup_value (step, "adapters", G_VARIANT_TYPE_STRING_ARRAY);
      const char *rule = "", *text = "";
      g_variant_lookup (step, "rule", "&s", &rule);
      g_variant_lookup (step, "text", "&s", &text);
      tool_output_begin_object (output, NULL, NULL);
      tool_output_for_programs (output, "rule", g_variant_new_string (rule));
      tool_output_for_programs (output, "text", g_variant_new_string (text));
      if (adapters != NULL)
        tool_output_for_programs (output, "adapters", adapters);
      tool_output_end_object (output);
      if (adapters == NULL)
        tool_output_line (output, text);
      else
        {
          g_autofree const char **paths = g_variant_get_strv (adapters, NULL);
          g_autofree char *all = g_strjoinv (", ", (char **) paths);
          g_autofree char *line = g_strdup_printf ("%s: %s", text, all[0] != '\0' ? all : _("none"));
          tool_output_line (output, line);
        }
      g_variant_unref (step);
    }
  tool_output_end_list (output);
}

static bool
run (const struct tool_options *options, GError **error)
{
  const char *wanted = tool_options_operand (options, 0);
  g_autofree char *reason = NULL;
  g_autoptr (GError) none = NULL;

  if (!tool_options_at_most (options, 1, error))
    return false;
  if (wanted != NULL && wanted[0] == '\0')
    return tool_usage (error, _("the name of the adapter is empty"));
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  if (context == NULL)
    return false;
  bool explain = tool_options_has (options, "explain");
  GabbroAdapter *adapter = tool_select_adapter (context, wanted, &reason, &none);
  /* Why there is none is what an explanation is good for. */
  if (adapter == NULL && !explain)
    {
      g_propagate_error (error, g_steal_pointer (&none));
      return false;
    }

  struct tool_output *output = tool_output_new_document (options, "select");
  if (explain)
    {
      g_autoptr (GVariant) steps = gabbro_context_explain_selection (context, wanted);
      show_steps (output, steps);
    }
  if (adapter != NULL)
    {
      g_autofree char *line = g_strdup_printf ("%s (%s): %s", gabbro_adapter_get_path (adapter),
                                               gabbro_adapter_get_name (adapter), reason);
      tool_output_begin_object (output, "adapter", NULL);
      tool_output_for_programs (output, "name", g_variant_new_string (gabbro_adapter_get_name (adapter)));
      tool_output_for_programs (output, "path", g_variant_new_string (gabbro_adapter_get_path (adapter)));
      tool_output_for_programs (output, "because", g_variant_new_string (reason));
      tool_output_end_object (output);
      tool_output_line (output, explain ? line : gabbro_adapter_get_path (adapter));
    }
  if (!tool_output_finish (output, error))
    return false;
  if (none == NULL)
    {
      tool_report_messages (context, NULL);
      return true;
    }
  g_propagate_error (error, g_steal_pointer (&none));
  return false;
}

const struct tool_command tool_command_select = {
  .name = "select",
  .usage = N_("[ADAPTER] [--explain] [--json]"),
  .summary = N_("say which adapter is used, and why"),
  .text = N_("The user's choice comes first: what is asked for, then GABBRO_DEVICE, then\n"
             "MESA_VK_DEVICE_SELECT. Where there is none, the best adapter is taken.\n"),
  .options = options_of_select,
  .examples = examples,
  .run = run,
};
