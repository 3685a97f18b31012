/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/uevent.h"

#include "lib/node-private.h"

struct gb_listener
{
  gint references;              /* one of the tree, one of each delivery */
  gint unsubscribed;
  struct gb_list link;          /* under the tree lock */
  guint64 first_serial;
  gb_listener_func func;
  gpointer data;
  GDestroyNotify destroy;
};

struct gb_uevent *
gb_uevent_ref (struct gb_uevent *event)
{
  g_atomic_int_inc (&event->references);
  return event;
}

void
gb_uevent_unref (struct gb_uevent *event)
{
  if (event == NULL || !g_atomic_int_dec_and_test (&event->references))
    return;
  g_free (event->path);
  g_free (event->type);
  g_variant_unref (event->attributes);
  g_free (event);
}

const char *
gb_uevent_action_name (enum gb_uevent_action action)
{
  static const char *const names[] = {
    [GB_UEVENT_ADD] = "add",
    [GB_UEVENT_REMOVE] = "remove",
    [GB_UEVENT_CHANGE] = "change",
    [GB_UEVENT_LOST] = "lost",
  };

  return (guint) action < G_N_ELEMENTS (names) ? names[action] : "unknown";
}

void
gb_tree_queue_event_locked (struct gb_tree *tree,
                            struct gb_node *node,
                            enum gb_uevent_action action,
                            GVariant *attributes)
{
  struct gb_uevent *event = g_new0 (struct gb_uevent, 1);

  event->references = 1;
  event->action = action;
  event->serial = ++tree->last_serial;
  event->path = g_strdup (node->path);
  event->type = g_strdup (node->type->name);
  event->attributes = attributes;
  g_queue_push_tail (&tree->events, event);
}

static void
listener_unref (gpointer data)
{
  struct gb_listener *listener = data;

  if (!g_atomic_int_dec_and_test (&listener->references))
    return;
  if (listener->destroy != NULL)
    listener->destroy (listener->data);
  g_free (listener);
}

/* Whoever is to hear of the event, with references that the array drops. */
static GPtrArray *
audience_locked (struct gb_tree *tree,
                 const struct gb_uevent *event)
{
  GPtrArray *audience = g_ptr_array_new_with_free_func (listener_unref);

  gb_list_for_each (listener, &tree->listeners, struct gb_listener, link)
    if (listener->first_serial <= event->serial)
      {
        g_atomic_int_inc (&listener->references);
        g_ptr_array_add (audience, listener);
      }
  return audience;
}

static void
call_audience (GPtrArray *audience,
               const struct gb_uevent *event)
{
  for (guint i = 0; i < audience->len; i++)
    {
      struct gb_listener *listener = g_ptr_array_index (audience, i);

      if (g_atomic_int_get (&listener->unsubscribed) == 0)
        listener->func (event, listener->data);
    }
}

void
gb_tree_deliver (struct gb_tree *tree)
{
  g_mutex_lock (&tree->lock);
  if (tree->deliverer != NULL)
    {
      g_mutex_unlock (&tree->lock);
      return;
    }

  /* A listener may drop what keeps the tree. */
  gb_tree_ref (tree);
  tree->deliverer = g_thread_self ();
  while (!g_queue_is_empty (&tree->events))
    {
      struct gb_uevent *event = g_queue_pop_head (&tree->events);
      GPtrArray *audience = audience_locked (tree, event);
      guint64 serial = event->serial;

      g_mutex_unlock (&tree->lock);
      call_audience (audience, event);
      g_ptr_array_unref (audience);
      gb_uevent_unref (event);
      g_mutex_lock (&tree->lock);
      tree->delivered_serial = serial;
      g_cond_broadcast (&tree->changed);
    }
  tree->deliverer = NULL;
  g_cond_broadcast (&tree->changed);
  g_mutex_unlock (&tree->lock);
  gb_tree_unref (tree);
}

struct gb_listener *
gb_tree_subscribe (struct gb_tree *tree,
                   gb_listener_func func,
                   gpointer data,
                   GDestroyNotify destroy)
{
  struct gb_listener *listener = g_new0 (struct gb_listener, 1);

  listener->references = 1;
  listener->func = func;
  listener->data = data;
  listener->destroy = destroy;
  g_mutex_lock (&tree->lock);
  listener->first_serial = tree->last_serial + 1;
  gb_list_append (&tree->listeners, &listener->link);
  g_mutex_unlock (&tree->lock);
  return listener;
}

void
gb_tree_unsubscribe (struct gb_tree *tree,
                     struct gb_listener *listener)
{
  g_mutex_lock (&tree->lock);
  gb_list_remove (&listener->link);
  g_atomic_int_set (&listener->unsubscribed, 1);
  g_mutex_unlock (&tree->lock);
  listener_unref (listener);
}

void
gb_tree_settle (struct gb_tree *tree)
{
  guint64 wanted;

  g_mutex_lock (&tree->lock);
  wanted = tree->last_serial;
  while (tree->delivered_serial < wanted && tree->deliverer != g_thread_self ())
    g_cond_wait (&tree->changed, &tree->lock);
  g_mutex_unlock (&tree->lock);
}

void
gb_tree_free_listeners (struct gb_tree *tree)
{
  while (!gb_list_is_empty (&tree->listeners))
    {
      struct gb_listener *listener = gb_list_first (&tree->listeners, struct gb_listener, link);

      gb_list_remove (&listener->link);
      g_atomic_int_set (&listener->unsubscribed, 1);
      listener_unref (listener);
    }
}
