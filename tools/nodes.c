/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/nodes.h"

#include <glib/gi18n.h>
#include <string.h>

#include "tools/report.h"
#include "tools/suggest.h"

const char *
tool_attribute_section (GabbroAttribute *attribute)
{
  const char *group = gabbro_attribute_get_group (attribute);
  return group != NULL ? group : TOOL_GENERAL_SECTION;
}

static bool
fits_one (const char *const *globs, const char *name)
{
  if (globs == NULL)
    return true;
  for (guint i = 0; globs[i] != NULL; i++)
    {
      if (g_pattern_match_simple (globs[i], name))
        return true;
    }
  return false;
}

bool
tool_filter_fits (const struct tool_filter *filter, GabbroAttribute *attribute)
{
  return fits_one (filter->sections, tool_attribute_section (attribute))
         && fits_one (filter->attributes, gabbro_attribute_get_name (attribute));
}

/* Each name once, in order; ends with NULL. */
static GPtrArray *
list_sections (GPtrArray *attributes)
{
  GPtrArray *sections = g_ptr_array_new ();

  for (guint i = 0; i < attributes->len; i++)
    {
      const char *section = tool_attribute_section (g_ptr_array_index (attributes, i));
      if (!g_ptr_array_find_with_equal_func (sections, section, g_str_equal, NULL))
        g_ptr_array_add (sections, (gpointer) section);
    }
  g_ptr_array_add (sections, NULL);
  return sections;
}

static bool
fits_any (const char *glob, GPtrArray *names)
{
  for (guint i = 0; i + 1 < names->len; i++)
    {
      if (g_pattern_match_simple (glob, g_ptr_array_index (names, i)))
        return true;
    }
  return false;
}

bool
tool_filter_check (const struct tool_filter *filter, GPtrArray *attributes, const char *path, GError **error)
{
  g_autoptr (GPtrArray) sections = list_sections (attributes);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; filter->sections != NULL && filter->sections[i] != NULL; i++)
    {
      if (fits_any (filter->sections[i], sections))
        continue;
      g_autofree char *all = g_strjoinv (", ", (char **) sections->pdata);
      return tool_fail (error, _("%s has no section '%s'; there are: %s"), path, filter->sections[i], all);
    }
  for (guint i = 0; i < attributes->len; i++)
    {
      GabbroAttribute *attribute = g_ptr_array_index (attributes, i);
      if (fits_one (filter->sections, tool_attribute_section (attribute)))
        g_ptr_array_add (names, (gpointer) gabbro_attribute_get_name (attribute));
    }
  g_ptr_array_add (names, NULL);
  for (guint i = 0; filter->attributes != NULL && filter->attributes[i] != NULL; i++)
    {
      const char *glob = filter->attributes[i];
      if (fits_any (glob, names))
        continue;
      g_autofree char *suggestion = tool_suggestion (glob, (const char *const *) names->pdata, "");
      return tool_fail (error, _("%s has no attribute '%s' there%s"), path, glob, suggestion);
    }
  return true;
}

void
tool_show_attributes (struct tool_output *output,
                      GPtrArray *attributes,
                      const struct tool_filter *filter,
                      bool describe)
{
  const char *group = NULL;

  tool_output_begin_object (output, "attributes", NULL);
  for (guint i = 0; i < attributes->len; i++)
    {
      GabbroAttribute *attribute = g_ptr_array_index (attributes, i);
      const char *own_group = gabbro_attribute_get_group (attribute);
      if (!tool_filter_fits (filter, attribute))
        continue;
      if (g_strcmp0 (group, own_group) != 0)
        {
          if (group != NULL)
            tool_output_end_object (output);
          if (own_group != NULL)
            {
              const char *title = gabbro_attribute_get_group_title (attribute);
              tool_output_begin_object (output, own_group, title != NULL ? title : own_group);
            }
          group = own_group;
        }
      const char *name = gabbro_attribute_get_name (attribute);
      GVariant *value = gabbro_attribute_get_value (attribute);
      tool_output_variant (output, name, name, value, gabbro_attribute_get_unit (attribute),
                           describe ? gabbro_attribute_get_description (attribute) : NULL);
    }
  if (group != NULL)
    tool_output_end_object (output);
  tool_output_end_object (output);
}

static bool
show_node (const struct tool_walk *walk, const char *path, GError **error)
{
  static const struct tool_filter all = { NULL, NULL };

  if (walk->attributes)
    {
      g_autoptr (GPtrArray) attributes = gabbro_context_list_attributes (walk->context, path, error);
      if (attributes == NULL)
        return false;
      tool_show_attributes (walk->output, attributes, &all, walk->describe);
    }
  struct tool_walk below = *walk;
  below.depth--;
  return tool_show_children (&below, path, error);
}

bool
tool_show_children (const struct tool_walk *walk, const char *path, GError **error)
{
  g_auto (GStrv) children = gabbro_context_list_nodes (walk->context, path, error);
  bool good = true;

  if (children == NULL)
    return false;
  if (children[0] == NULL || walk->depth == 0)
    return true;
  tool_output_begin_list (walk->output, "nodes", NULL);
  for (guint i = 0; good && children[i] != NULL; i++)
    {
      tool_output_begin_object (walk->output, NULL, children[i]);
      tool_output_for_programs (walk->output, "path", g_variant_new_string (children[i]));
      good = show_node (walk, children[i], error);
      tool_output_end_object (walk->output);
    }
  tool_output_end_list (walk->output);
  return good;
}
