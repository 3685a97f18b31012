/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/node.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/node-private.h"

static guint
count_groups (const struct gb_attribute_group *const *groups)
{
  guint count = 0;

  while (groups != NULL && groups[count] != NULL)
    count++;
  return count;
}

struct gb_node *
gb_node_new (struct gb_tree *tree,
             const struct gb_node_type *type,
             const char *name,
             gpointer state)
{
  struct gb_node *node = g_new0 (struct gb_node, 1);
  struct gb_node_groups own = { type->groups, count_groups (type->groups), state };

  node->references = 1;
  node->stage = GB_NODE_NEW;
  node->tree = gb_tree_ref (tree);
  node->type = type;
  node->name = g_strdup (name);
  node->state = state;
  node->groups = g_array_sized_new (FALSE, FALSE, sizeof own, 1);
  g_array_append_val (node->groups, own);
  gb_list_init (&node->children);
  gb_list_init (&node->sibling);
  gb_list_init (&node->everywhere);
  gb_list_init (&node->memberships);
  gb_list_init (&node->delayed);

  g_mutex_lock (&tree->lock);
  gb_list_append (&tree->everywhere, &node->everywhere);
  tree->n_nodes++;
  g_mutex_unlock (&tree->lock);
  return node;
}

bool
gb_node_try_ref (struct gb_node *node)
{
  for (;;)
    {
      gint references = g_atomic_int_get (&node->references);

      if (references < 1)
        return false;
      if (g_atomic_int_compare_and_exchange (&node->references, references, references + 1))
        return true;
    }
}

struct gb_node *
gb_node_ref (struct gb_node *node)
{
  if (!gb_node_try_ref (node))
    g_critical ("node '%s' is used after its last reference has gone", node->name);
  return node;
}

struct gb_node *
gb_node_release (struct gb_node *node)
{
  struct gb_tree *tree = node->tree;
  struct gb_node *parent = node->parent;

  g_mutex_lock (&tree->lock);
  gb_list_remove (&node->everywhere);
  tree->n_nodes--;
  g_mutex_unlock (&tree->lock);

  if (node->type->release != NULL)
    node->type->release (node->state);
  g_array_unref (node->groups);
  g_free (node->path);
  g_free (node->name);
  g_free (node);
  gb_tree_unref (tree);
  return parent;
}

/* Drops one reference; whether it was the last. */
static bool
drop_reference (struct gb_node *node)
{
  for (;;)
    {
      gint references = g_atomic_int_get (&node->references);

      if (references < 1)
        {
          g_critical ("node '%s' is released more often than referenced", node->name);
          return false;
        }
      /* Deleted while the reference still stands, so that nothing ever finds a
       * node without one in the tree. A look-up may come in between; then this
       * was not the last reference after all. */
      if (references == 1 && g_atomic_int_get (&node->stage) == GB_NODE_ADDED)
        {
          gb_node_del (node);
          continue;
        }
      if (g_atomic_int_compare_and_exchange (&node->references, references, references - 1))
        return references == 1;
    }
}

/* A loop in place of recursion: a node that goes drops its parent. */
void
gb_node_unref (struct gb_node *node)
{
  while (node != NULL && drop_reference (node))
    {
      /* A node that was never added may still be in sets. */
      g_mutex_lock (&node->tree->lock);
      gb_node_leave_sets_locked (node);
      g_mutex_unlock (&node->tree->lock);

      if (gb_tree_delay_release (node->tree, node))
        return;
      node = gb_node_release (node);
    }
}

void
gb_node_release_chain (struct gb_node *node)
{
  gb_node_unref (gb_node_release (node));
}

void
gb_node_add_groups (struct gb_node *node,
                    const struct gb_attribute_group *const *groups,
                    guint n_groups,
                    gpointer state)
{
  struct gb_node_groups more = { groups, n_groups, state };

  g_return_if_fail (g_atomic_int_get (&node->stage) == GB_NODE_NEW);

  g_array_append_val (node->groups, more);
}

bool
gb_node_name_is_valid (const char *name)
{
  gsize length = 0;

  if (name == NULL || *name == '\0' || *name == '.')
    return false;
  for (; name[length] != '\0'; length++)
    if (length == GB_NODE_NAME_MAX
        || (!g_ascii_isalnum (name[length]) && strchr ("-_.:+@", name[length]) == NULL))
      return false;
  return true;
}

static bool
check_place_locked (struct gb_node *node,
                    struct gb_node *parent,
                    const char *path,
                    GError **error)
{
  if (parent != NULL && parent->stage != GB_NODE_ADDED)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_BAD_STATE,
                   _("“%s” cannot go under “%s”, which is not in the tree"),
                   node->name, parent->name);
      return false;
    }
  if (g_hash_table_contains (node->tree->by_path, path))
    {
      g_set_error (error, GB_ERROR, GB_ERROR_EXISTS, _("There is a node “%s” already"), path);
      return false;
    }
  return true;
}

/* Gives the node its parent and path, so that attribute functions may ask for
 * them, before anyone can find it. */
static bool
begin_add (struct gb_node *node,
           struct gb_node *parent,
           GError **error)
{
  struct gb_tree *tree = node->tree;
  char *path;
  bool allowed = false;

  path = g_strconcat (parent != NULL && parent->path != NULL ? parent->path : "",
                      "/", node->name, NULL);

  g_mutex_lock (&tree->lock);
  if (node->stage != GB_NODE_NEW)
    g_set_error (error, GB_ERROR, GB_ERROR_BAD_STATE,
                 _("Node “%s” has been added before"), node->name);
  else if (strlen (path) > GB_NODE_PATH_MAX)
    g_set_error (error, GB_ERROR, GB_ERROR_INVALID_NAME,
                 _("The path of node “%s” has %zu bytes; the limit is %d"),
                 node->name, strlen (path), GB_NODE_PATH_MAX);
  else
    allowed = check_place_locked (node, parent, path, error);
  if (allowed)
    {
      g_atomic_int_set (&node->stage, GB_NODE_ADDING);
      node->path = path;
      node->parent = parent != NULL ? gb_node_ref (parent) : NULL;
    }
  g_mutex_unlock (&tree->lock);

  if (!allowed)
    g_free (path);
  return allowed;
}

static bool
finish_add (struct gb_node *node,
            GError **error)
{
  struct gb_tree *tree = node->tree;
  GVariant *attributes = gb_node_capture_attributes (node);
  struct gb_node *parent = node->parent;
  char *path = node->path;

  g_mutex_lock (&tree->lock);
  if (check_place_locked (node, parent, path, error))
    {
      gb_list_append (parent != NULL ? &parent->children : &tree->roots, &node->sibling);
      g_hash_table_insert (tree->by_path, path, node);
      g_atomic_int_set (&node->stage, GB_NODE_ADDED);
      gb_tree_queue_event_locked (tree, node, GB_UEVENT_ADD, attributes);
      g_mutex_unlock (&tree->lock);
      gb_tree_deliver (tree);
      return true;
    }
  node->path = NULL;
  node->parent = NULL;
  g_atomic_int_set (&node->stage, GB_NODE_NEW);
  g_mutex_unlock (&tree->lock);

  g_free (path);
  g_variant_unref (attributes);
  gb_node_unref (parent);
  return false;
}

bool
gb_node_add (struct gb_node *node,
             struct gb_node *parent,
             GError **error)
{
  g_return_val_if_fail (parent == NULL || parent->tree == node->tree, false);

  if (!gb_node_name_is_valid (node->name))
    {
      char *shown = g_strescape (node->name != NULL ? node->name : "", NULL);

      g_set_error (error, GB_ERROR, GB_ERROR_INVALID_NAME,
                   _("“%s” is no name for a node: up to %d ASCII letters, digits or any of "
                     "“-_.:+@”, not beginning with a dot"),
                   shown, GB_NODE_NAME_MAX);
      g_free (shown);
      return false;
    }
  return begin_add (node, parent, error) && finish_add (node, error);
}

/* Deletes what is below `node`, whose stage keeps new children away. */
static void
delete_children (struct gb_node *node)
{
  struct gb_tree *tree = node->tree;

  g_mutex_lock (&tree->lock);
  while (!gb_list_is_empty (&node->children))
    {
      struct gb_node *child = gb_list_last (&node->children, struct gb_node, sibling);

      if (!gb_node_try_ref (child))
        {
          gb_list_remove (&child->sibling);
          continue;
        }
      g_mutex_unlock (&tree->lock);
      gb_node_del (child);
      gb_node_unref (child);
      g_mutex_lock (&tree->lock);
    }
  while (node->n_active != 0)
    g_cond_wait (&tree->changed, &tree->lock);
  g_mutex_unlock (&tree->lock);
}

/* Whether this call is the one that deletes. Another thread's deletion is waited
 * for, so that whoever returns from gb_node_del() knows the node gone. */
static bool
begin_delete (struct gb_node *node)
{
  struct gb_tree *tree = node->tree;
  bool ours;

  g_mutex_lock (&tree->lock);
  ours = node->stage == GB_NODE_ADDED;
  if (ours)
    {
      g_atomic_int_set (&node->stage, GB_NODE_DELETING);
      node->deleter = g_thread_self ();
    }
  else
    while (node->stage == GB_NODE_DELETING && node->deleter != g_thread_self ())
      g_cond_wait (&tree->changed, &tree->lock);
  g_mutex_unlock (&tree->lock);
  return ours;
}

void
gb_node_del (struct gb_node *node)
{
  struct gb_tree *tree = node->tree;
  GVariant *attributes;

  if (!begin_delete (node))
    return;
  delete_children (node);
  attributes = gb_node_capture_attributes (node);

  g_mutex_lock (&tree->lock);
  g_hash_table_remove (tree->by_path, node->path);
  gb_list_remove (&node->sibling);
  gb_node_leave_sets_locked (node);
  g_atomic_int_set (&node->stage, GB_NODE_DELETED);
  gb_tree_queue_event_locked (tree, node, GB_UEVENT_REMOVE, attributes);
  g_cond_broadcast (&tree->changed);
  g_mutex_unlock (&tree->lock);
  gb_tree_deliver (tree);
}

void
gb_node_del_and_unref (gpointer node)
{
  gb_node_del (node);
  gb_node_unref (node);
}

void
gb_node_emit (struct gb_node *node,
              enum gb_uevent_action action)
{
  struct gb_tree *tree = node->tree;
  GVariant *attributes;
  bool queued;

  g_return_if_fail (action == GB_UEVENT_CHANGE || action == GB_UEVENT_LOST);

  attributes = gb_node_attributes (node);
  g_mutex_lock (&tree->lock);
  queued = node->stage == GB_NODE_ADDED;
  if (queued)
    gb_tree_queue_event_locked (tree, node, action, attributes);
  g_mutex_unlock (&tree->lock);

  if (queued)
    gb_tree_deliver (tree);
  else
    g_variant_unref (attributes);
}

const char *
gb_node_name (const struct gb_node *node)
{
  return node->name;
}

char *
gb_node_path (const struct gb_node *node)
{
  return g_strdup (node->path);
}

const struct gb_node_type *
gb_node_type (const struct gb_node *node)
{
  return node->type;
}

gpointer
gb_node_state (const struct gb_node *node)
{
  return node->state;
}

struct gb_tree *
gb_node_tree (const struct gb_node *node)
{
  return node->tree;
}

struct gb_node *
gb_node_parent (const struct gb_node *node)
{
  return node->parent;
}

bool
gb_node_is_added (const struct gb_node *node)
{
  return g_atomic_int_get (&node->stage) == GB_NODE_ADDED;
}

GPtrArray *
gb_node_children (struct gb_node *node)
{
  GPtrArray *children;

  g_mutex_lock (&node->tree->lock);
  children = gb_node_collect_locked (&node->children);
  g_mutex_unlock (&node->tree->lock);
  return children;
}
