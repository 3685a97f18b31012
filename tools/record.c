/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/record.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "tools/adapters.h"
#include "tools/files.h"
#include "tools/nodes.h"
#include "tools/report.h"

static void
fact_free (gpointer data)
{
  struct tool_fact *fact = data;

  g_free (fact->section);
  g_free (fact->name);
  g_clear_pointer (&fact->value, json_node_unref);
  g_free (fact);
}

/* Takes `value`. */
static void
add_fact (struct tool_record *record, const char *section, const char *name, JsonNode *value)
{
  struct tool_fact *fact = g_new0 (struct tool_fact, 1);

  fact->section = g_strdup (section);
  fact->name = g_strdup (name);
  fact->value = value;
  g_ptr_array_add (record->facts, fact);
}

static struct tool_record *
record_new (const char *name, const char *source)
{
  struct tool_record *record = g_new0 (struct tool_record, 1);

  record->name = g_strdup (name);
  record->source = g_strdup (source);
  record->facts = g_ptr_array_new_with_free_func (fact_free);
  return record;
}

void
tool_record_free (struct tool_record *record)
{
  if (record == NULL)
    return;
  g_free (record->name);
  g_free (record->source);
  g_ptr_array_unref (record->facts);
  g_free (record);
}

bool
tool_is_record_file (const char *text)
{
  return g_str_has_suffix (text, ".json");
}

struct tool_record *
tool_record_new_from_adapter (GabbroContext *context, GabbroAdapter *adapter, GError **error)
{
  const char *path = gabbro_adapter_get_path (adapter);
  g_autoptr (GPtrArray) attributes = gabbro_context_list_attributes (context, path, error);

  if (attributes == NULL)
    return NULL;
  struct tool_record *record = record_new (gabbro_adapter_get_name (adapter), path);
  record->adapter = adapter;
  for (guint i = 0; i < attributes->len; i++)
    {
      GabbroAttribute *attribute = g_ptr_array_index (attributes, i);
      GVariant *value = gabbro_attribute_get_value (attribute);
      add_fact (record, tool_attribute_section (attribute), gabbro_attribute_get_name (attribute),
                value != NULL ? tool_variant_to_json (value) : NULL);
    }
  return record;
}

/* --- files ------------------------------------------------------------------------------------- */

/* The parser of JSON-GLib recurses, so the nesting is bounded before it sees the text. */
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
      else if (!in_string && (text[i] == '[' || text[i] == '{') && ++depth > TOOL_RECORD_DEPTH)
        return false;
      else if (!in_string && (text[i] == ']' || text[i] == '}') && depth > 0)
        depth--;
    }
  return true;
}

static bool
is_value (JsonNode *node)
{
  if (JSON_NODE_HOLDS_VALUE (node))
    return true;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return false;
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (!JSON_NODE_HOLDS_VALUE (json_array_get_element (array, i)))
        return false;
    }
  return true;
}

/* The object `name` of another, or NULL. */
static JsonObject *
get_object (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static bool
add_section (struct tool_record *record, const char *section, JsonObject *members)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, members);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (JSON_NODE_HOLDS_OBJECT (value) && strcmp (section, TOOL_GENERAL_SECTION) == 0)
        continue;
      if (!is_value (value))
        return false;
      add_fact (record, section, name, json_node_ref (value));
    }
  return true;
}

static bool
add_sections (struct tool_record *record, JsonObject *attributes)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  if (!add_section (record, TOOL_GENERAL_SECTION, attributes))
    return false;
  json_object_iter_init_ordered (&iter, attributes);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (JSON_NODE_HOLDS_OBJECT (value) && !add_section (record, name, json_node_get_object (value)))
        return false;
    }
  return true;
}

static struct tool_record *
record_from_root (JsonNode *root, const char *shown, GError **error)
{
  JsonObject *document = root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  JsonObject *adapter = get_object (document, "adapter");
  JsonObject *attributes = get_object (adapter, "attributes");
  JsonNode *schema = document != NULL ? json_object_get_member (document, "schema") : NULL;
  JsonNode *name = adapter != NULL ? json_object_get_member (adapter, "name") : NULL;

  if (attributes == NULL || name == NULL || !JSON_NODE_HOLDS_VALUE (name)
      || json_node_get_value_type (name) != G_TYPE_STRING)
    {
      tool_fail (error, _("%s: this is no adapter that 'gabbro info --json' has saved"), shown);
      return NULL;
    }
  if (schema == NULL || !JSON_NODE_HOLDS_VALUE (schema) || json_node_get_value_type (schema) != G_TYPE_INT64
      || json_node_get_int (schema) != TOOL_SCHEMA_VERSION)
    {
      tool_fail (error, _("%s: saved by another version of gabbro: schema %d is wanted"), shown, TOOL_SCHEMA_VERSION);
      return NULL;
    }
  struct tool_record *record = record_new (json_node_get_string (name), shown);
  if (add_sections (record, attributes))
    return record;
  tool_record_free (record);
  tool_fail (error, _("%s: an attribute is neither a value nor a list of values"), shown);
  return NULL;
}

struct tool_record *
tool_record_new_from_file (const char *filename, GError **error)
{
  g_autofree char *shown = g_filename_display_name (filename);
  g_autoptr (GBytes) bytes = tool_read_file (filename, TOOL_RECORD_LIMIT, error);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) cause = NULL;
  gsize size;

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &size);
  if (!g_utf8_validate (text, (gssize) size, NULL))
    {
      tool_fail (error, _("%s: this is not UTF-8 text"), shown);
      return NULL;
    }
  if (!is_shallow (text, size))
    {
      tool_fail (error, _("%s: nested more than %d deep"), shown, TOOL_RECORD_DEPTH);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, text, (gssize) size, &cause))
    {
      tool_fail (error, "%s: %s", shown, cause->message);
      return NULL;
    }
  return record_from_root (json_parser_get_root (parser), shown, error);
}

struct tool_record *
tool_record_new (GabbroContext **context, const char *wanted, GError **error)
{
  if (tool_is_record_file (wanted))
    return tool_record_new_from_file (wanted, error);
  if (*context == NULL)
    *context = gabbro_context_new (NULL, error);
  if (*context == NULL)
    return NULL;
  GabbroAdapter *adapter = tool_select_adapter (*context, wanted, NULL, error);
  return adapter != NULL ? tool_record_new_from_adapter (*context, adapter, error) : NULL;
}

/* --- look-up ----------------------------------------------------------------------------------- */

static bool
is_same_name (const char *a, const char *b)
{
  for (;;)
    {
      while (*a == '-' || *a == '_')
        a++;
      while (*b == '-' || *b == '_')
        b++;
      if (g_ascii_tolower (*a) != g_ascii_tolower (*b))
        return false;
      if (*a == '\0')
        return true;
      a++;
      b++;
    }
}

bool
tool_fact_is_named (const struct tool_fact *fact, const char *wanted)
{
  const char *slash = strchr (wanted, '/');

  if (slash == NULL)
    return is_same_name (fact->name, wanted);
  g_autofree char *section = g_strndup (wanted, (gsize) (slash - wanted));
  return is_same_name (fact->section, section) && is_same_name (fact->name, slash + 1);
}

const struct tool_fact *
tool_record_find (const struct tool_record *record, const char *wanted)
{
  for (guint i = 0; i < record->facts->len; i++)
    {
      const struct tool_fact *fact = g_ptr_array_index (record->facts, i);
      if (tool_fact_is_named (fact, wanted))
        return fact;
    }
  return NULL;
}

/* --- whether it can run a kernel --------------------------------------------------------------- */

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

static JsonNode *
find_value (const struct tool_record *record, const char *section, const char *name)
{
  g_autofree char *wanted = g_strconcat (section, "/", name, NULL);
  const struct tool_fact *fact = tool_record_find (record, wanted);

  return fact != NULL ? fact->value : NULL;
}

/* One number, or one for each dimension. */
static char *
check_limit (const struct tool_record *record, const char *name, GVariant *needed)
{
  JsonNode *node = find_value (record, "limits", name);

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

static const char *
string_of (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
}

static bool
has_feature (const struct tool_record *record, const char *feature)
{
  JsonNode *node = find_value (record, TOOL_GENERAL_SECTION, "kernel-features");
  JsonArray *list = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      if (g_strcmp0 (string_of (json_array_get_element (list, i)), feature) == 0)
        return true;
    }
  return false;
}

char *
tool_record_check_kernel (const struct tool_record *record, GVariant *description)
{
  g_autoptr (GVariant) requirements = g_variant_lookup_value (description, "requirements", G_VARIANT_TYPE_VARDICT);
  g_autofree const char **features = NULL;
  const char *unusable = string_of (find_value (record, TOOL_GENERAL_SECTION, "unusable")), *name;
  GVariantIter iter;
  GVariant *needed;
  char *why = NULL;

  if (unusable != NULL)
    return tool_printable (unusable);
  if (g_variant_lookup (description, "features", "^a&s", &features))
    for (guint i = 0; features[i] != NULL; i++)
      if (!has_feature (record, features[i]))
        return g_strdup_printf (_("it needs %s, which the adapter does not have"), features[i]);
  g_variant_iter_init (&iter, requirements);
  while (why == NULL && g_variant_iter_next (&iter, "{&sv}", &name, &needed))
    {
      why = check_limit (record, name, needed);
      g_variant_unref (needed);
    }
  return why;
}
