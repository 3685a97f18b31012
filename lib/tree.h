/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tree of nodes: one for each context, no globals. It holds the index of
 * paths, the sets, the listeners, and the one lock of all this. Nodes keep the
 * tree alive, the tree keeps no node alive: what it knows of nodes it knows
 * weakly, and a look-up takes a reference only while the node has one left.
 * Thread-safe; no function calls out with the lock held. */

#pragma once

#include <glib.h>

struct gb_node;
struct gb_set;
struct gb_tree;

enum gb_tree_flags
{
  GB_TREE_NORMAL = 0,
  /* Puts the release of each node off by a random time, up to 50 ms, so that
   * whoever uses a node after its last reference gets caught. */
  GB_TREE_DELAY_RELEASE = 1 << 0,
  /* Puts it off until gb_tree_flush_delayed(). */
  GB_TREE_QUEUE_RELEASE = 1 << 1,
};

/* `seed` is for the delays. */
struct gb_tree *gb_tree_new   (enum gb_tree_flags flags, guint32 seed);
struct gb_tree *gb_tree_ref   (struct gb_tree *tree);
void            gb_tree_unref (struct gb_tree *tree);

/* The flags that a comma-separated list like "delay-release" (the value of
 * GABBRO_DEBUG, which the owner reads) asks for. NULL is an empty list; other
 * words are not for the tree. */
enum gb_tree_flags gb_tree_flags_from_debug (const char *words);

/* The node at a path like /adapters/vulkan0, with a reference, or NULL. */
struct gb_node *gb_tree_lookup (struct gb_tree *tree, const char *path);
/* The nodes without a parent, in the order of adding, each with a reference
 * that the array drops. */
GPtrArray      *gb_tree_roots  (struct gb_tree *tree);

/* Nodes whose state has not been released. */
guint           gb_tree_n_nodes (struct gb_tree *tree);
/* A line for each of them: path or name, type, references, stage. */
GString        *gb_tree_dump    (struct gb_tree *tree);

/* Releases what is put off, and returns when no such release is under way and the
 * helper thread has nothing left to do. Not to be called from a release function. */
void            gb_tree_flush_delayed (struct gb_tree *tree);

/* Sets: nodes of one kind, wherever they are in the tree. The tree makes a set
 * on first use and owns it. */
struct gb_set  *gb_tree_set (struct gb_tree *tree, const char *name);
const char     *gb_set_name (const struct gb_set *set);
/* False when it is in there already or has been deleted. gb_node_del() takes a
 * node out of all its sets. */
gboolean        gb_set_add      (struct gb_set *set, struct gb_node *node);
gboolean        gb_set_remove   (struct gb_set *set, struct gb_node *node);
gboolean        gb_set_contains (struct gb_set *set, struct gb_node *node);
guint           gb_set_count    (struct gb_set *set);
/* In the order of adding; references as of gb_tree_roots(). */
GPtrArray      *gb_set_nodes    (struct gb_set *set);
