/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What node.c, tree.c, delay.c, uevent.c and attribute.c know of each other. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "lib/list.h"
#include "lib/node.h"

enum gb_node_stage
{
  GB_NODE_NEW,
  GB_NODE_ADDING,               /* has parent and path, cannot be found yet */
  GB_NODE_ADDED,
  GB_NODE_DELETING,             /* can be found; no child joins, no attribute function starts */
  GB_NODE_DELETED,
};

/* Groups of one caller with the state for their functions. */
struct gb_node_groups
{
  const struct gb_attribute_group *const *groups;
  guint n_groups;
  gpointer state;
};

struct gb_node
{
  /* Atomic; below 1 the node only waits for its release. */
  gint references;
  /* Written under the tree lock, read atomically without it. */
  gint stage;

  /* Set once. */
  struct gb_tree *tree;
  const struct gb_node_type *type;
  char *name;
  gpointer state;
  GArray *groups;               /* of struct gb_node_groups; the type's first */
  struct gb_node *parent;       /* a reference, from adding to release */
  char *path;

  /* Under the tree lock. */
  struct gb_list children;      /* weak */
  struct gb_list sibling;
  struct gb_list everywhere;    /* in the tree's list of unreleased nodes */
  struct gb_list memberships;
  guint n_active;               /* attribute functions that run */
  GThread *deleter;

  /* Owned by the release that is put off. */
  struct gb_list delayed;
  gint64 due;                   /* monotonic microseconds */
};

struct gb_tree
{
  gint references;
  enum gb_tree_flags flags;

  GMutex lock;
  GCond changed;                /* a stage, n_active, delivery or release moved on */

  GHashTable *by_path;          /* the node's own path -> node, weak */
  struct gb_list roots;         /* by sibling, weak */
  struct gb_list everywhere;
  guint n_nodes;
  GHashTable *sets;             /* name -> struct gb_set */

  GQueue events;
  guint64 last_serial;
  guint64 delivered_serial;
  struct gb_list listeners;
  GThread *deliverer;           /* NULL when nobody delivers */

  struct gb_list delayed;
  GRand *random;
  bool helper_runs;
  guint n_releasing;
};

/* A reference, unless the last one has gone. */
bool gb_node_try_ref (struct gb_node *node);

/* Frees the node and answers its parent, whose reference the caller inherits. */
struct gb_node *gb_node_release (struct gb_node *node);
void gb_node_release_chain (struct gb_node *node);

/* With the tree lock held. */
void gb_node_leave_sets_locked (struct gb_node *node);
GPtrArray *gb_node_collect_locked (struct gb_list *siblings);

/* Puts the release off if the tree is in such a mode. */
bool gb_tree_delay_release (struct gb_tree *tree, struct gb_node *node);

/* Queues under the lock; takes `attributes` (a full reference). gb_tree_deliver()
 * follows once the lock is released. */
void gb_tree_queue_event_locked (struct gb_tree *tree,
                                 struct gb_node *node,
                                 enum gb_uevent_action action,
                                 GVariant *attributes);
void gb_tree_deliver (struct gb_tree *tree);
void gb_tree_free_listeners (struct gb_tree *tree);

/* As gb_node_attributes(), whatever the stage. */
GVariant *gb_node_capture_attributes (struct gb_node *node);
