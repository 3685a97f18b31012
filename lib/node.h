/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nodes: the counted things of the tree. A node has a name, a parent, a path,
 * attributes, and a state that it owns. Its life:
 *
 *   new -> added -> deleted -> released
 *
 * gb_node_new() gives the first reference, to be dropped with gb_node_unref()
 * whatever became of gb_node_add(). Adding makes the node visible and announces
 * it; deleting undoes that, once; the state is released when the last reference
 * has gone. A node is never static, never on the stack, never part of another
 * counted thing. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "lib/attribute.h"
#include "lib/tree.h"
#include "lib/uevent.h"

#define GB_NODE_NAME_MAX 100
#define GB_NODE_PATH_MAX 1000

struct gb_node_type
{
  const char *name;
  /* Ends with NULL; may be NULL. */
  const struct gb_attribute_group *const *groups;
  /* Frees the state. NULL says that there is nothing to free. */
  void (*release) (gpointer state);
};

/* Never fails. `type` outlives the node; `state` is the node's from now on. */
struct gb_node *gb_node_new   (struct gb_tree *tree,
                               const struct gb_node_type *type,
                               const char *name,
                               gpointer state);
struct gb_node *gb_node_ref   (struct gb_node *node);
/* A node that is still in the tree when its last reference goes is deleted
 * first. NULL is allowed. */
void            gb_node_unref (struct gb_node *node);

/* Only before gb_node_add(): more groups, whose functions get `state`. This
 * state stays with the caller and must live until gb_node_del() has returned.
 * The groups themselves live as long as the node. */
void gb_node_add_groups (struct gb_node *node,
                         const struct gb_attribute_group *const *groups,
                         guint n_groups,
                         gpointer state);

/* Puts the node under `parent` (NULL: at the top) and announces "add". Names are
 * ASCII letters, digits and any of "-_.:+@", do not begin with a dot, and are
 * unique among siblings. On failure nothing has changed, and the reference of
 * the caller is still the caller's to drop. The caller holds no lock that a show
 * function takes. */
bool gb_node_add (struct gb_node *node, struct gb_node *parent, GError **error);
/* Deletes what is below the node, waits for its attribute functions, takes it
 * out of the tree and all sets and announces "remove". Does nothing the second
 * time. The caller holds a reference, and no lock that a show function takes. */
void gb_node_del (struct gb_node *node);
/* Both, as an undo function. */
void gb_node_del_and_unref (gpointer node);

/* Queues an event with the attributes as they are now; nothing when the node is
 * not in the tree. For GB_UEVENT_CHANGE and GB_UEVENT_LOST. */
void gb_node_emit (struct gb_node *node, enum gb_uevent_action action);

const char                *gb_node_name   (const struct gb_node *node);
/* A copy, or NULL for a node that has not been added. */
char                      *gb_node_path   (const struct gb_node *node);
const struct gb_node_type *gb_node_type   (const struct gb_node *node);
gpointer                   gb_node_state  (const struct gb_node *node);
struct gb_tree            *gb_node_tree   (const struct gb_node *node);
/* The parent lives as long as its child: no reference is taken. */
struct gb_node            *gb_node_parent (const struct gb_node *node);
/* Added and not deleted, at the moment of asking. */
bool                       gb_node_is_added (const struct gb_node *node);
/* In the order of adding; each with a reference that the array drops. */
GPtrArray                 *gb_node_children (struct gb_node *node);

bool gb_node_name_is_valid (const char *name);
