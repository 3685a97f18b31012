/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/tree.h"

#include <string.h>

#include "lib/node-private.h"

struct gb_set
{
  struct gb_tree *tree;         /* owns the set */
  char *name;
  struct gb_list members;
  guint n_members;
};

/* One node in one set. */
struct membership
{
  struct gb_list in_set;
  struct gb_list in_node;
  struct gb_set *set;
  struct gb_node *node;         /* weak */
};

static void
free_set (gpointer data)
{
  struct gb_set *set = data;

  g_free (set->name);
  g_free (set);
}

struct gb_tree *
gb_tree_new (enum gb_tree_flags flags,
             guint32 seed)
{
  struct gb_tree *tree = g_new0 (struct gb_tree, 1);

  tree->references = 1;
  tree->flags = flags;
  g_mutex_init (&tree->lock);
  g_cond_init (&tree->changed);
  tree->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  gb_list_init (&tree->roots);
  gb_list_init (&tree->everywhere);
  tree->sets = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_set);
  g_queue_init (&tree->events);
  gb_list_init (&tree->listeners);
  gb_list_init (&tree->delayed);
  tree->random = g_rand_new_with_seed (seed);
  return tree;
}

struct gb_tree *
gb_tree_ref (struct gb_tree *tree)
{
  g_atomic_int_inc (&tree->references);
  return tree;
}

void
gb_tree_unref (struct gb_tree *tree)
{
  if (tree == NULL || !g_atomic_int_dec_and_test (&tree->references))
    return;

  /* Nodes keep the tree: none is left, and so no event and no member. */
  gb_tree_free_listeners (tree);
  g_hash_table_unref (tree->sets);
  g_hash_table_unref (tree->by_path);
  g_rand_free (tree->random);
  g_cond_clear (&tree->changed);
  g_mutex_clear (&tree->lock);
  g_free (tree);
}

enum gb_tree_flags
gb_tree_flags_from_debug (const char *words)
{
  enum gb_tree_flags flags = GB_TREE_NORMAL;
  char **list;

  if (words == NULL)
    return flags;
  list = g_strsplit (words, ",", -1);
  for (char **word = list; *word != NULL; word++)
    if (strcmp (g_strstrip (*word), "delay-release") == 0)
      flags = GB_TREE_DELAY_RELEASE;
  g_strfreev (list);
  return flags;
}

struct gb_node *
gb_tree_lookup (struct gb_tree *tree,
                const char *path)
{
  struct gb_node *node;

  g_mutex_lock (&tree->lock);
  node = g_hash_table_lookup (tree->by_path, path);
  if (node != NULL && !gb_node_try_ref (node))
    node = NULL;
  g_mutex_unlock (&tree->lock);
  return node;
}

static void
drop_node (gpointer node)
{
  gb_node_unref (node);
}

GPtrArray *
gb_node_collect_locked (struct gb_list *siblings)
{
  GPtrArray *nodes = g_ptr_array_new_with_free_func (drop_node);

  gb_list_for_each (node, siblings, struct gb_node, sibling)
    if (gb_node_try_ref (node))
      g_ptr_array_add (nodes, node);
  return nodes;
}

GPtrArray *
gb_tree_roots (struct gb_tree *tree)
{
  GPtrArray *nodes;

  g_mutex_lock (&tree->lock);
  nodes = gb_node_collect_locked (&tree->roots);
  g_mutex_unlock (&tree->lock);
  return nodes;
}

guint
gb_tree_n_nodes (struct gb_tree *tree)
{
  guint n_nodes;

  g_mutex_lock (&tree->lock);
  n_nodes = tree->n_nodes;
  g_mutex_unlock (&tree->lock);
  return n_nodes;
}

GString *
gb_tree_dump (struct gb_tree *tree)
{
  static const char *const stages[] = {
    [GB_NODE_NEW] = "new",
    [GB_NODE_ADDING] = "adding",
    [GB_NODE_ADDED] = "added",
    [GB_NODE_DELETING] = "deleting",
    [GB_NODE_DELETED] = "deleted",
  };
  GString *text = g_string_new (NULL);

  g_mutex_lock (&tree->lock);
  gb_list_for_each (node, &tree->everywhere, struct gb_node, everywhere)
    {
      gint references = g_atomic_int_get (&node->references);

      g_string_append_printf (text, "%s (%s): %d references, %s\n",
                              node->path != NULL ? node->path : node->name,
                              node->type->name, references,
                              references > 0 ? stages[node->stage] : "release put off");
    }
  g_mutex_unlock (&tree->lock);
  return text;
}

struct gb_set *
gb_tree_set (struct gb_tree *tree,
             const char *name)
{
  struct gb_set *set;

  g_mutex_lock (&tree->lock);
  set = g_hash_table_lookup (tree->sets, name);
  if (set == NULL)
    {
      set = g_new0 (struct gb_set, 1);
      set->tree = tree;
      set->name = g_strdup (name);
      gb_list_init (&set->members);
      g_hash_table_insert (tree->sets, set->name, set);
    }
  g_mutex_unlock (&tree->lock);
  return set;
}

const char *
gb_set_name (const struct gb_set *set)
{
  return set->name;
}

/* A node is in few sets, a set may have many nodes. */
static struct membership *
find_membership_locked (struct gb_set *set,
                        struct gb_node *node)
{
  gb_list_for_each (membership, &node->memberships, struct membership, in_node)
    if (membership->set == set)
      return membership;
  return NULL;
}

static void
end_membership_locked (struct membership *membership)
{
  gb_list_remove (&membership->in_set);
  gb_list_remove (&membership->in_node);
  membership->set->n_members--;
  g_free (membership);
}

void
gb_node_leave_sets_locked (struct gb_node *node)
{
  gb_list_for_each_safe (membership, &node->memberships, struct membership, in_node)
    end_membership_locked (membership);
}

gboolean
gb_set_add (struct gb_set *set,
            struct gb_node *node)
{
  gboolean added = FALSE;

  g_return_val_if_fail (node->tree == set->tree, FALSE);

  g_mutex_lock (&set->tree->lock);
  if (node->stage <= GB_NODE_ADDED && find_membership_locked (set, node) == NULL)
    {
      struct membership *membership = g_new0 (struct membership, 1);

      membership->set = set;
      membership->node = node;
      gb_list_append (&set->members, &membership->in_set);
      gb_list_append (&node->memberships, &membership->in_node);
      set->n_members++;
      added = TRUE;
    }
  g_mutex_unlock (&set->tree->lock);
  return added;
}

gboolean
gb_set_remove (struct gb_set *set,
               struct gb_node *node)
{
  struct membership *membership;
  gboolean removed;

  g_mutex_lock (&set->tree->lock);
  membership = find_membership_locked (set, node);
  removed = membership != NULL;
  if (removed)
    end_membership_locked (membership);
  g_mutex_unlock (&set->tree->lock);
  return removed;
}

gboolean
gb_set_contains (struct gb_set *set,
                 struct gb_node *node)
{
  gboolean contained;

  g_mutex_lock (&set->tree->lock);
  contained = find_membership_locked (set, node) != NULL;
  g_mutex_unlock (&set->tree->lock);
  return contained;
}

guint
gb_set_count (struct gb_set *set)
{
  guint count;

  g_mutex_lock (&set->tree->lock);
  count = set->n_members;
  g_mutex_unlock (&set->tree->lock);
  return count;
}

GPtrArray *
gb_set_nodes (struct gb_set *set)
{
  GPtrArray *nodes = g_ptr_array_new_with_free_func (drop_node);

  g_mutex_lock (&set->tree->lock);
  gb_list_for_each (membership, &set->members, struct membership, in_set)
    if (gb_node_try_ref (membership->node))
      g_ptr_array_add (nodes, membership->node);
  g_mutex_unlock (&set->tree->lock);
  return nodes;
}
