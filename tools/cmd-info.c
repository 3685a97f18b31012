/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro info: every attribute of an adapter and of the nodes below it. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/nodes.h"
#include "tools/output.h"
#include "tools/report.h"

#define MAX_DEPTH 16

static const struct tool_option options_of_info[] = {
  TOOL_OUTPUT_OPTIONS,
  { "section", 0, N_("GLOB"), N_("only sections such as limits or 'vulkan-*'; may be repeated"), .many = true },
  { "attribute", 0, N_("GLOB"), N_("only attributes such as 'max-*'; may be repeated"), .many = true },
  { "describe", 0, NULL, N_("say what each attribute means") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "info", N_("all about the adapter that is used when none is named") },
  { "info llvmpipe", N_("all about another; a part of its name is enough") },
  { "info 0000:01:00.0 --describe", N_("… by PCI address, with an explanation of each line") },
  { "info --section='vulkan-memory'", N_("what is left of its memory now, and the like") },
  { "info --attribute='max-*size*' --describe", N_("what is largest, explained") },
  { "info --json /adapters/vulkan0", N_("… by path, for programs; absent attributes are left out") },
  { NULL }
};

static bool
show_adapter (GabbroContext *context,
              const struct tool_options *options,
              const char *path,
              struct tool_output *output,
              GError **error)
{
  struct tool_filter filter = {
    .sections = tool_options_get_all (options, "section"),
    .attributes = tool_options_get_all (options, "attribute"),
  };
  struct tool_walk walk = {
    .context = context,
    .output = output,
    .depth = MAX_DEPTH,
    .attributes = true,
    .describe = tool_options_has (options, "describe"),
  };
  g_autoptr (GPtrArray) attributes = gabbro_context_list_attributes (context, path, error);

  if (attributes == NULL || !tool_filter_check (&filter, attributes, path, error))
    return false;
  tool_show_attributes (output, attributes, &filter, walk.describe);
  /* Who asks for a part has no use for what is below. */
  if (filter.sections != NULL || filter.attributes != NULL)
    return true;
  return tool_show_children (&walk, path, error);
}

static bool
run (const struct tool_options *options, GError **error)
{
  g_autofree char *reason = NULL;

  if (!tool_options_at_most (options, 1, error))
    return false;
  const char *wanted = tool_options_operand (options, 0);
  if (wanted != NULL && wanted[0] == '\0')
    return tool_usage (error, _("the name of the adapter is empty"));
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  if (context == NULL)
    return false;
  GabbroAdapter *adapter = tool_select_adapter (context, wanted, &reason, error);
  if (adapter == NULL)
    return false;

  const char *name = gabbro_adapter_get_name (adapter);
  struct tool_output *output = tool_output_new_document (options, "info");
  tool_output_begin_object (output, "adapter", name);
  tool_output_for_programs (output, "name", g_variant_new_string (name));
  /* What it shows of itself follows; here is what only the context knows. */
  tool_output_string (output, "path", _("Path"), gabbro_adapter_get_path (adapter));
  tool_output_string (output, "driver", _("Driver"), gabbro_adapter_get_driver (adapter));
  tool_output_string (output, "pci-address", _("PCI address"), gabbro_adapter_get_pci_address (adapter));
  if (reason != NULL)
    tool_output_string (output, "because", _("Chosen because"), reason);
  bool good = show_adapter (context, options, gabbro_adapter_get_path (adapter), output, error);
  tool_output_end_object (output);
  if (!good)
    {
      tool_output_free (output);
      return false;
    }
  good = tool_output_finish (output, error);
  tool_report_messages (context, NULL);
  return good;
}

const struct tool_command tool_command_info = {
  .name = "info",
  .usage = N_("[ADAPTER] [--section=GLOB]… [--attribute=GLOB]… [--describe] [--json]"),
  .summary = N_("show all that is known about an adapter"),
  .text = N_("ADAPTER is a name or a part of one, a UUID, a PCI address or a path, as 'gabbro list'\n"
             "shows them. Attributes stand in sections; those outside of one are in the section general.\n"),
  .options = options_of_info,
  .examples = examples,
  .run = run,
};
