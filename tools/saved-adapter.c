/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/saved-adapter.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "tools/files.h"
#include "tools/report.h"

#define SIZE_LIMIT (G_GUINT64_CONSTANT (4) << 20)
#define MAX_DEPTH  32

struct tool_saved_adapter
{
  JsonParser *parser;
  JsonObject *adapter;          /* of the parser */
  JsonObject *attributes;
  JsonObject *limits;
  char *name;
};

/* The parser calls itself for each level. */
static bool
is_shallow (const char *text, gsize size)
{
  guint depth = 0;
  bool in_string = false;

  for (gsize i = 0; i < size; i++)
    {
      if (in_string && text[i] == '\\')
        i++;
      else if (text[i] == '"')
        in_string = !in_string;
      else if (!in_string && (text[i] == '[' || text[i] == '{'))
        depth++;
      else if (!in_string && (text[i] == ']' || text[i] == '}') && depth > 0)
        depth--;
      if (depth > MAX_DEPTH)
        return false;
    }
  return true;
}

static JsonObject *
object_member (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static char *
string_member (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
         ? tool_printable (json_node_get_string (node)) : NULL;
}

struct tool_saved_adapter *
tool_saved_adapter_load (const char *filename, GError **error)
{
  g_autoptr (GBytes) bytes = tool_read_file (filename, SIZE_LIMIT, error);
  g_autofree char *shown = g_filename_display_name (filename);
  g_autoptr (GError) failure = NULL;
  gsize size;

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &size);
  if (!is_shallow (text, size))
    {
      tool_fail (error, _("%s: is nested too deep for a description of an adapter"), shown);
      return NULL;
    }
  struct tool_saved_adapter *adapter = g_new0 (struct tool_saved_adapter, 1);
  adapter->parser = json_parser_new_immutable ();
  JsonNode *root = NULL;
  if (json_parser_load_from_data (adapter->parser, text, (gssize) size, &failure))
    root = json_parser_get_root (adapter->parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    adapter->adapter = object_member (json_node_get_object (root), "adapter");
  adapter->attributes = object_member (adapter->adapter, "attributes");
  adapter->limits = object_member (adapter->attributes, "limits");
  if (adapter->limits == NULL)
    {
      tool_fail (error, failure != NULL ? _("%s: is no JSON: %s") : _("%s: is not what 'gabbro info --json' writes"), shown,
                 failure != NULL ? failure->message : "");
      tool_saved_adapter_free (adapter);
      return NULL;
    }
  adapter->name = string_member (adapter->adapter, "name");
  if (adapter->name == NULL)
    adapter->name = g_strdup (shown);
  return adapter;
}

void
tool_saved_adapter_free (struct tool_saved_adapter *adapter)
{
  g_clear_object (&adapter->parser);
  g_free (adapter->name);
  g_free (adapter);
}

const char *
tool_saved_adapter_name (const struct tool_saved_adapter *adapter)
{
  return adapter->name;
}

static bool
number_of (JsonNode *node, guint64 *number)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64 || json_node_get_int (node) < 0)
    return false;
  *number = (guint64) json_node_get_int (node);
  return true;
}

static char *
compare (const char *name, guint64 needed, JsonNode *node)
{
  guint64 has;

  if (needed == 0)
    return NULL;
  if (!number_of (node, &has))
    return g_strdup_printf (_("its description does not say %s"), name);
  return has < needed ? g_strdup_printf (_("it needs %s of %" PRIu64 ", the adapter has %" PRIu64), name, (uint64_t) needed, (uint64_t) has) : NULL;
}

/* One number, or one for each dimension. */
static char *
check_limit (const struct tool_saved_adapter *adapter, const char *name, GVariant *needed)
{
  JsonNode *node = json_object_get_member (adapter->limits, name);

  if (g_variant_is_of_type (needed, G_VARIANT_TYPE_UINT64))
    return compare (name, g_variant_get_uint64 (needed), node);
  gsize n;
  const guint32 *sizes = g_variant_get_fixed_array (needed, &n, sizeof *sizes);
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  for (guint i = 0; i < n; i++)
    {
      char *why = compare (name, sizes[i], array != NULL && i < json_array_get_length (array) ? json_array_get_element (array, i) : NULL);
      if (why != NULL)
        return why;
    }
  return NULL;
}

static bool
has_feature (const struct tool_saved_adapter *adapter, const char *feature)
{
  JsonNode *node = json_object_get_member (adapter->attributes, "kernel-features");
  JsonArray *list = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      JsonNode *name = json_array_get_element (list, i);
      if (JSON_NODE_HOLDS_VALUE (name) && json_node_get_value_type (name) == G_TYPE_STRING
          && strcmp (json_node_get_string (name), feature) == 0)
        return true;
    }
  return false;
}

char *
tool_saved_adapter_check (const struct tool_saved_adapter *adapter, GVariant *description)
{
  g_autoptr (GVariant) requirements = g_variant_lookup_value (description, "requirements", G_VARIANT_TYPE_VARDICT);
  g_autofree const char **features = NULL;
  g_autofree char *unusable = string_member (adapter->attributes, "unusable");
  GVariantIter iter;
  const char *name;
  GVariant *needed;
  char *why = NULL;

  if (unusable != NULL)
    return g_steal_pointer (&unusable);
  if (g_variant_lookup (description, "features", "^a&s", &features))
    for (guint i = 0; features[i] != NULL; i++)
      if (!has_feature (adapter, features[i]))
        return g_strdup_printf (_("it needs %s, which the adapter does not have"), features[i]);
  g_variant_iter_init (&iter, requirements);
  while (why == NULL && g_variant_iter_next (&iter, "{&sv}", &name, &needed))
    {
      why = check_limit (adapter, name, needed);
      g_variant_unref (needed);
    }
  return why;
}
