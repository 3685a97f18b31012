/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro info: every attribute of an adapter and of the nodes below it. There is no
 * list of fields here: what the nodes show is what is printed. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/report.h"

#define MAX_DEPTH 16

static const struct tool_option options_of_info[] = {
  { "json", 0, NULL, N_("print JSON for programs") },
  { "describe", 0, NULL, N_("say what each attribute means") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "info", N_("all about the adapter that is used when none is named") },
  { "info llvmpipe", N_("all about another; a part of its name is enough") },
  { "info 0000:01:00.0 --describe", N_("… by PCI address, with an explanation of each line") },
  { "info --json /adapters/vulkan0", N_("… by path, for programs; absent attributes are left out") },
  { NULL }
};

struct listing
{
  GabbroContext *context;
  struct tool_output *output;
  bool describe;
};

/* Attributes come group by group. */
static void
show_attributes (struct listing *listing, GPtrArray *attributes)
{
  const char *group = NULL;

  tool_output_begin_object (listing->output, "attributes", NULL);
  for (guint i = 0; i < attributes->len; i++)
    {
      GabbroAttribute *attribute = g_ptr_array_index (attributes, i);
      const char *own_group = gabbro_attribute_get_group (attribute);
      if (g_strcmp0 (group, own_group) != 0)
        {
          if (group != NULL)
            tool_output_end_object (listing->output);
          if (own_group != NULL)
            {
              const char *title = gabbro_attribute_get_group_title (attribute);
              tool_output_begin_object (listing->output, own_group, title != NULL ? title : own_group);
            }
          group = own_group;
        }
      const char *name = gabbro_attribute_get_name (attribute);
      GVariant *value = gabbro_attribute_get_value (attribute);
      tool_output_variant (listing->output, name, name, value, gabbro_attribute_get_unit (attribute),
                           listing->describe ? gabbro_attribute_get_description (attribute) : NULL);
    }
  if (group != NULL)
    tool_output_end_object (listing->output);
  tool_output_end_object (listing->output);
}

static bool
show_node (struct listing *listing, const char *path, guint depth, GError **error)
{
  g_autoptr (GPtrArray) attributes = gabbro_context_list_attributes (listing->context, path, error);
  if (attributes == NULL)
    return false;
  g_auto (GStrv) children = gabbro_context_list_nodes (listing->context, path, error);
  if (children == NULL)
    return false;

  show_attributes (listing, attributes);
  if (children[0] == NULL || depth == MAX_DEPTH)
    return true;
  tool_output_begin_list (listing->output, "nodes", NULL);
  bool good = true;
  for (guint i = 0; good && children[i] != NULL; i++)
    {
      g_autofree char *child = children[i][0] == '/' ? g_strdup (children[i])
                                                     : g_strconcat (path, "/", children[i], NULL);
      tool_output_begin_object (listing->output, NULL, child);
      tool_output_for_programs (listing->output, "path", g_variant_new_string (child));
      good = show_node (listing, child, depth + 1, error);
      tool_output_end_object (listing->output);
    }
  tool_output_end_list (listing->output);
  return good;
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
  struct listing listing = {
    .context = context,
    .output = tool_output_new (tool_options_has (options, "json")),
    .describe = tool_options_has (options, "describe"),
  };
  tool_output_begin_object (listing.output, "adapter", name);
  tool_output_for_programs (listing.output, "name", g_variant_new_string (name));
  /* What it shows of itself follows; here is what only the context knows. */
  tool_output_string (listing.output, "path", _("Path"), gabbro_adapter_get_path (adapter));
  tool_output_string (listing.output, "driver", _("Driver"), gabbro_adapter_get_driver (adapter));
  tool_output_string (listing.output, "pci-address", _("PCI address"), gabbro_adapter_get_pci_address (adapter));
  if (reason != NULL)
    tool_output_string (listing.output, "because", _("Chosen because"), reason);
  bool good = show_node (&listing, gabbro_adapter_get_path (adapter), 0, error);
  tool_output_end_object (listing.output);
  if (!good)
    {
      tool_output_free (listing.output);
      return false;
    }
  good = tool_output_finish (listing.output, error);
  tool_report_messages (context, NULL);
  return good;
}

const struct tool_command tool_command_info = {
  .name = "info",
  .usage = N_("[ADAPTER] [--describe] [--json]"),
  .summary = N_("show all that is known about an adapter"),
  .text = N_("ADAPTER is a name or a part of one, a UUID, a PCI address or a path, as 'gabbro list'\n"
             "shows them.\n"),
  .options = options_of_info,
  .examples = examples,
  .run = run,
};
