/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/attribute.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/node-private.h"

/* An attribute in its place. */
struct found
{
  const struct gb_attribute_group *group;
  const struct gb_attribute *attribute;
  gpointer state;
};

/* Attribute functions run between these two; gb_node_del() waits for them, and
 * lets no more begin. */
static bool
enter (struct gb_node *node)
{
  bool allowed;

  if (g_atomic_int_get (&node->references) < 1)
    g_critical ("attributes of node '%s' are used after its last reference has gone", node->name);

  g_mutex_lock (&node->tree->lock);
  allowed = node->stage != GB_NODE_DELETING && node->stage != GB_NODE_DELETED
            && g_atomic_int_get (&node->references) > 0;
  if (allowed)
    node->n_active++;
  g_mutex_unlock (&node->tree->lock);
  return allowed;
}

static void
leave (struct gb_node *node)
{
  g_mutex_lock (&node->tree->lock);
  if (--node->n_active == 0)
    g_cond_broadcast (&node->tree->changed);
  g_mutex_unlock (&node->tree->lock);
}

static void
set_gone (GError **error,
          struct gb_node *node)
{
  g_set_error (error, GB_ERROR, GB_ERROR_BAD_STATE, _("Node “%s” is no longer there"), node->name);
}

/* The groups of a node in one row: of its type, then as added. */
static const struct gb_attribute_group *
group_at (struct gb_node *node,
          guint index,
          gpointer *state)
{
  for (guint i = 0; i < node->groups->len; i++)
    {
      const struct gb_node_groups *groups = &g_array_index (node->groups, struct gb_node_groups, i);

      if (index < groups->n_groups)
        {
          *state = groups->state;
          return groups->groups[index];
        }
      index -= groups->n_groups;
    }
  return NULL;
}

static bool
is_visible (struct gb_node *node,
            const struct gb_attribute_group *group,
            gpointer state)
{
  return group->visible == NULL || group->visible (node, state);
}

static const struct gb_attribute *
find_in_group (const struct gb_attribute_group *group,
               const char *name)
{
  for (guint i = 0; i < group->n_attributes; i++)
    if (strcmp (group->attributes[i].name, name) == 0)
      return &group->attributes[i];
  return NULL;
}

/* Which groups a search looks at. */
enum scope
{
  SCOPE_NAMELESS,
  SCOPE_ALL,
  SCOPE_NAMED,                  /* one, by name */
};

static bool
group_matches (const struct gb_attribute_group *group,
               enum scope scope,
               const char *name,
               gsize name_length)
{
  switch (scope)
    {
    case SCOPE_NAMELESS:
      return group->name == NULL;
    case SCOPE_ALL:
      return true;
    case SCOPE_NAMED:
      return group->name != NULL && strncmp (group->name, name, name_length) == 0
             && group->name[name_length] == '\0';
    }
  return false;
}

static bool
search (struct gb_node *node,
        enum scope scope,
        const char *group_name,
        gsize group_length,
        const char *name,
        bool visible_only,
        struct found *found)
{
  const struct gb_attribute_group *group;
  gpointer state = NULL;

  for (guint i = 0; (group = group_at (node, i, &state)) != NULL; i++)
    {
      const struct gb_attribute *attribute;

      if (!group_matches (group, scope, group_name, group_length)
          || (visible_only && !is_visible (node, group, state)))
        continue;
      attribute = find_in_group (group, name);
      if (attribute != NULL)
        {
          *found = (struct found) { group, attribute, state };
          return true;
        }
    }
  return false;
}

static bool
find (struct gb_node *node,
      const char *name,
      bool visible_only,
      struct found *found)
{
  const char *dot = strchr (name, '.');

  if (dot != NULL)
    return search (node, SCOPE_NAMED, name, (gsize) (dot - name), dot + 1, visible_only, found);
  return search (node, SCOPE_NAMELESS, NULL, 0, name, visible_only, found)
         || search (node, SCOPE_ALL, NULL, 0, name, visible_only, found);
}

static enum gb_show
show (struct gb_node *node,
      const struct found *found,
      struct gb_value *value,
      GError **error)
{
  const struct gb_attribute *attribute = found->attribute;
  struct gb_value shown = GB_VALUE_INIT;
  GError *problem = NULL;
  enum gb_show result;

  if ((attribute->mode & GB_ATTRIBUTE_READ) == 0 || attribute->show == NULL)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_NOT_READABLE,
                   _("Attribute “%s” of “%s” cannot be read"), attribute->name, node->name);
      return GB_SHOW_FAILED;
    }

  result = attribute->show (node, found->state, attribute, &shown, &problem);
  if (result == GB_SHOW_OK && shown.type != attribute->type)
    {
      g_set_error (&problem, GB_ERROR, GB_ERROR_WRONG_TYPE,
                   _("Attribute “%s” of “%s” is declared as %s and shows %s"), attribute->name,
                   node->name, gb_value_type_name (attribute->type),
                   gb_value_type_name (shown.type));
      result = GB_SHOW_FAILED;
    }

  if (result == GB_SHOW_OK)
    {
      shown.unit = attribute->unit;
      gb_value_move (value, &shown);
    }
  else if (result == GB_SHOW_FAILED && problem == NULL)
    g_set_error (&problem, GB_ERROR, GB_ERROR_FAILED,
                 _("Attribute “%s” of “%s” failed"), attribute->name, node->name);

  if (result == GB_SHOW_FAILED)
    g_propagate_error (error, g_steal_pointer (&problem));
  g_clear_error (&problem);
  gb_value_clear (&shown);
  return result;
}

static void
set_not_found (GError **error,
               struct gb_node *node,
               const char *name)
{
  g_set_error (error, GB_ERROR, GB_ERROR_NOT_FOUND,
               _("“%s” has no attribute “%s”"), node->name, name);
}

enum gb_show
gb_node_show (struct gb_node *node,
              const char *name,
              struct gb_value *value,
              GError **error)
{
  struct found found;
  enum gb_show result = GB_SHOW_FAILED;

  if (!enter (node))
    {
      set_gone (error, node);
      return GB_SHOW_FAILED;
    }
  if (find (node, name, true, &found))
    result = show (node, &found, value, error);
  else if (find (node, name, false, &found))
    result = GB_SHOW_ABSENT;
  else
    set_not_found (error, node, name);
  leave (node);
  return result;
}

enum gb_show
gb_node_show_attribute (struct gb_node *node,
                        const struct gb_attribute_group *group,
                        const struct gb_attribute *attribute,
                        struct gb_value *value,
                        GError **error)
{
  struct found found = { group, attribute, NULL };
  const struct gb_attribute_group *candidate;
  enum gb_show result = GB_SHOW_FAILED;

  if (!enter (node))
    {
      set_gone (error, node);
      return GB_SHOW_FAILED;
    }
  for (guint i = 0; (candidate = group_at (node, i, &found.state)) != NULL; i++)
    if (candidate == group)
      break;
  if (candidate == NULL)
    set_not_found (error, node, attribute->name);
  else if (!is_visible (node, group, found.state))
    result = GB_SHOW_ABSENT;
  else
    result = show (node, &found, value, error);
  leave (node);
  return result;
}

/* Whole numbers of either sign stand for each other when they fit. */
static bool
convert (const struct gb_value *value,
         enum gb_value_type type,
         struct gb_value *converted)
{
  if (value->type == type)
    gb_value_copy (converted, value);
  else if (type == GB_VALUE_U64 && value->type == GB_VALUE_I64 && value->as.i64 >= 0)
    gb_value_set_u64 (converted, (guint64) value->as.i64);
  else if (type == GB_VALUE_I64 && value->type == GB_VALUE_U64 && value->as.u64 <= G_MAXINT64)
    gb_value_set_i64 (converted, (gint64) value->as.u64);
  else
    return false;
  return true;
}

static bool
store (struct gb_node *node,
       const struct found *found,
       const struct gb_value *value,
       GError **error)
{
  const struct gb_attribute *attribute = found->attribute;
  struct gb_value converted = GB_VALUE_INIT;
  GError *problem = NULL;
  bool stored;

  if ((attribute->mode & GB_ATTRIBUTE_WRITE) == 0 || attribute->store == NULL)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_NOT_WRITABLE,
                   _("Attribute “%s” of “%s” cannot be written"), attribute->name, node->name);
      return false;
    }
  if (!convert (value, attribute->type, &converted))
    {
      g_set_error (error, GB_ERROR, GB_ERROR_WRONG_TYPE,
                   _("Attribute “%s” of “%s” takes %s, not %s"), attribute->name, node->name,
                   gb_value_type_name (attribute->type), gb_value_type_name (value->type));
      return false;
    }

  stored = attribute->store (node, found->state, attribute, &converted, &problem);
  gb_value_clear (&converted);
  if (stored)
    g_clear_error (&problem);
  else if (problem != NULL)
    g_propagate_error (error, problem);
  else
    g_set_error (error, GB_ERROR, GB_ERROR_FAILED,
                 _("Attribute “%s” of “%s” failed"), attribute->name, node->name);
  return stored;
}

bool
gb_node_store (struct gb_node *node,
               const char *name,
               const struct gb_value *value,
               GError **error)
{
  struct found found;
  bool stored = false;

  if (!enter (node))
    {
      set_gone (error, node);
      return false;
    }
  if (find (node, name, true, &found))
    stored = store (node, &found, value, error);
  else
    set_not_found (error, node, name);
  leave (node);
  return stored;
}

const struct gb_attribute *
gb_node_find_attribute (struct gb_node *node,
                        const char *name,
                        const struct gb_attribute_group **group)
{
  struct found found;

  if (!find (node, name, false, &found))
    return NULL;
  if (group != NULL)
    *group = found.group;
  return found.attribute;
}

bool
gb_node_visit_attributes (struct gb_node *node,
                          gb_attribute_visitor func,
                          gpointer data)
{
  const struct gb_attribute_group *group;
  GPtrArray *visible;
  gpointer state = NULL;
  bool finished = true;

  if (!enter (node))
    return true;
  visible = g_ptr_array_new ();
  for (guint i = 0; (group = group_at (node, i, &state)) != NULL; i++)
    if (is_visible (node, group, state))
      g_ptr_array_add (visible, (gpointer) group);
  leave (node);

  /* Outside, so that the visitor may even delete the node. */
  for (guint i = 0; finished && i < visible->len; i++)
    {
      group = g_ptr_array_index (visible, i);
      for (guint j = 0; finished && j < group->n_attributes; j++)
        finished = func (node, group, &group->attributes[j], data);
    }
  g_ptr_array_unref (visible);
  return finished;
}

static void
capture_group (struct gb_node *node,
               const struct gb_attribute_group *group,
               gpointer state,
               GVariantBuilder *builder)
{
  for (guint i = 0; i < group->n_attributes; i++)
    {
      const struct found found = { group, &group->attributes[i], state };
      struct gb_value value = GB_VALUE_INIT;
      const char *name = found.attribute->name;
      char *key;

      if ((found.attribute->mode & GB_ATTRIBUTE_READ) == 0
          || show (node, &found, &value, NULL) != GB_SHOW_OK)
        continue;
      key = group->name != NULL ? g_strconcat (group->name, ".", name, NULL) : g_strdup (name);
      g_variant_builder_add (builder, "{sv}", key, gb_value_to_variant (&value));
      g_free (key);
      gb_value_clear (&value);
    }
}

GVariant *
gb_node_capture_attributes (struct gb_node *node)
{
  const struct gb_attribute_group *group;
  GVariantBuilder builder;
  gpointer state = NULL;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; (group = group_at (node, i, &state)) != NULL; i++)
    if (is_visible (node, group, state))
      capture_group (node, group, state, &builder);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

GVariant *
gb_node_attributes (struct gb_node *node)
{
  GVariant *attributes;

  if (!enter (node))
    return g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  attributes = gb_node_capture_attributes (node);
  leave (node);
  return attributes;
}
