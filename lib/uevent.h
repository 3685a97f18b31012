/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events: records of what happened to nodes. An event carries copies and never
 * an object, so it can be kept, and read in any thread, for as long as one
 * likes.
 *
 * Events are delivered in the order of their serial numbers, one at a time, with
 * no lock held, by one of the threads that emit: whoever emits while another
 * thread delivers leaves its event to that one. A listener may emit, subscribe
 * and unsubscribe; what it emits is delivered after the event it is in. */

#pragma once

#include <glib.h>

struct gb_tree;
struct gb_listener;

enum gb_uevent_action
{
  GB_UEVENT_ADD,                /* attributes exist already */
  GB_UEVENT_REMOVE,             /* attributes as they were at the end */
  GB_UEVENT_CHANGE,
  GB_UEVENT_LOST,
};

struct gb_uevent
{
  gint references;
  enum gb_uevent_action action;
  guint64 serial;               /* 1, 2, 3, … for a tree */
  char *path;
  char *type;                   /* name of the node's type */
  GVariant *attributes;         /* a{sv} */
};

struct gb_uevent *gb_uevent_ref   (struct gb_uevent *event);
void              gb_uevent_unref (struct gb_uevent *event);
/* "add", "remove", "change", "lost". */
const char       *gb_uevent_action_name (enum gb_uevent_action action);

typedef void (*gb_listener_func) (const struct gb_uevent *event, gpointer data);

/* The listener gets the events that are emitted from now on. `destroy` (may be
 * NULL) is called once, after the last call of `func`. */
struct gb_listener *gb_tree_subscribe   (struct gb_tree *tree,
                                         gb_listener_func func,
                                         gpointer data,
                                         GDestroyNotify destroy);
/* No call begins after this; one that another thread is in may still be running,
 * and `destroy` follows it. */
void                gb_tree_unsubscribe (struct gb_tree *tree, struct gb_listener *listener);
/* Returns when every event emitted before has been delivered; at once in a
 * listener. */
void                gb_tree_settle      (struct gb_tree *tree);
