/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro get: one value, for scripts. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <string.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/nodes.h"
#include "tools/report.h"
#include "tools/suggest.h"

static const struct tool_option options_of_get[] = {
  TOOL_OUTPUT_OPTIONS,
  { NULL }
};

static const struct tool_example examples[] = {
  { "get /adapters/vulkan0/limits/max-buffer-size", N_("one number, exact and without its unit") },
  { "get /adapters/vulkan0/memory-size", N_("the section may be left out") },
  { "get /adapters/vulkan0", N_("all attributes of a node, one a line") },
  { "get --json /adapters/vulkan0/vulkan-memory/heap-budgets", N_("with unit, for programs") },
  { NULL }
};

/* The attribute `name` of `section` (NULL: of any, the first). */
static GabbroAttribute *
find (GPtrArray *attributes, const char *section, const char *name)
{
  for (guint i = 0; i < attributes->len; i++)
    {
      GabbroAttribute *attribute = g_ptr_array_index (attributes, i);
      if (strcmp (gabbro_attribute_get_name (attribute), name) == 0
          && (section == NULL || strcmp (tool_attribute_section (attribute), section) == 0))
        return attribute;
    }
  return NULL;
}

static bool
unknown (GPtrArray *attributes, const char *node, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < attributes->len; i++)
    g_ptr_array_add (names, (gpointer) gabbro_attribute_get_name (g_ptr_array_index (attributes, i)));
  g_ptr_array_add (names, NULL);
  g_autofree char *suggestion = tool_suggestion (name, (const char *const *) names->pdata, "");
  return tool_fail (error, _("%s has no attribute '%s'%s"), node, name, suggestion);
}

static bool
print_attribute (const struct tool_options *options, const char *node, GabbroAttribute *attribute, GError **error)
{
  GVariant *value = gabbro_attribute_get_value (attribute);
  const char *unit = gabbro_attribute_get_unit (attribute);

  if (value == NULL)
    return tool_fail (error, _("%s: '%s' is absent: there is no such thing here"), node,
                      gabbro_attribute_get_name (attribute));
  g_autoptr (JsonNode) json = tool_variant_to_json (value);
  struct tool_output *output = tool_output_new_document (options, "get");
  g_autofree char *text = tool_json_text (json);
  tool_output_for_programs (output, "path", g_variant_new_string (node));
  tool_output_for_programs (output, "section", g_variant_new_string (tool_attribute_section (attribute)));
  tool_output_for_programs (output, "attribute", g_variant_new_string (gabbro_attribute_get_name (attribute)));
  if (unit != NULL)
    tool_output_for_programs (output, "unit", g_variant_new_string (unit));
  if (tool_options_has (options, "json"))
    tool_output_node (output, "value", NULL, json);
  else
    tool_output_line (output, text);
  return tool_output_finish (output, error);
}

static bool
print_node (const struct tool_options *options, const char *node, GPtrArray *attributes, GError **error)
{
  static const struct tool_filter all = { NULL, NULL };
  struct tool_output *output = tool_output_new_document (options, "node");

  if (tool_options_has (options, "json"))
    {
      tool_output_for_programs (output, "path", g_variant_new_string (node));
      tool_show_attributes (output, attributes, &all, false);
      return tool_output_finish (output, error);
    }
  for (guint i = 0; i < attributes->len; i++)
    {
      GabbroAttribute *attribute = g_ptr_array_index (attributes, i);
      GVariant *value = gabbro_attribute_get_value (attribute);
      if (value == NULL)
        continue;
      g_autoptr (JsonNode) json = tool_variant_to_json (value);
      g_autofree char *text = tool_json_text (json);
      g_autofree char *line = g_strdup_printf ("%s/%s %s", tool_attribute_section (attribute),
                                               gabbro_attribute_get_name (attribute), text);
      tool_output_line (output, line);
    }
  return tool_output_finish (output, error);
}

/* Cuts the last part of a path off; NULL where there is none before it. */
static char *
cut (char *path)
{
  char *slash = strrchr (path, '/');

  if (slash == NULL || slash == path)
    return NULL;
  *slash = '\0';
  return slash + 1;
}

static bool
get (const struct tool_options *options, GabbroContext *context, const char *path, GError **error)
{
  g_autofree char *node = g_strdup (path);
  g_autoptr (GError) first = NULL;
  g_autoptr (GPtrArray) attributes = gabbro_context_list_attributes (context, node, &first);

  if (attributes != NULL)
    return print_node (options, node, attributes, error);
  const char *name = cut (node);
  if (name != NULL)
    attributes = gabbro_context_list_attributes (context, node, NULL);
  if (attributes != NULL)
    {
      GabbroAttribute *attribute = find (attributes, NULL, name);
      return attribute != NULL ? print_attribute (options, node, attribute, error)
                               : unknown (attributes, node, name, error);
    }
  const char *section = name != NULL ? cut (node) : NULL;
  if (section != NULL)
    attributes = gabbro_context_list_attributes (context, node, NULL);
  if (attributes != NULL)
    {
      GabbroAttribute *attribute = find (attributes, section, name);
      return attribute != NULL ? print_attribute (options, node, attribute, error)
                               : unknown (attributes, node, name, error);
    }
  g_propagate_error (error, g_steal_pointer (&first));
  return false;
}

static bool
run (const struct tool_options *options, GError **error)
{
  if (tool_options_n_operands (options) == 0)
    return tool_usage (error, _("a path is missing; 'gabbro tree' shows them"));
  if (!tool_options_at_most (options, 1, error))
    return false;
  g_autofree char *path = g_strdup (tool_options_operand (options, 0));
  if (path[0] != '/')
    return tool_usage (error, _("'%s' is no path; one begins with '/'"), path);
  for (gsize length = strlen (path); length > 1 && path[length - 1] == '/'; length--)
    path[length - 1] = '\0';
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  if (context == NULL || !get (options, context, path, error))
    return false;
  tool_report_messages (context, NULL);
  return true;
}

const struct tool_command tool_command_get = {
  .name = "get",
  .usage = N_("PATH[/SECTION][/ATTRIBUTE] [--json]"),
  .summary = N_("print one attribute of a node"),
  .text = N_("Numbers are in bytes, hertz and nanoseconds, and lists have commas. An attribute that is\n"
             "absent is an error; of a whole node those that are absent are left out.\n"),
  .options = options_of_get,
  .examples = examples,
  .run = run,
};
