/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Release that is put off, to catch those who use a node after its last
 * reference: the memory is still there, and gb_node_ref() and the attribute
 * functions see that the count is not. */

#include "config.h"

#include "lib/node-private.h"

#define LONGEST_DELAY_MILLISECONDS 50

/* The node whose time comes first, or NULL. */
static struct gb_node *
earliest_locked (struct gb_tree *tree)
{
  struct gb_node *earliest = NULL;

  gb_list_for_each (node, &tree->delayed, struct gb_node, delayed)
    if (earliest == NULL || node->due < earliest->due)
      earliest = node;
  return earliest;
}

/* Leaves and takes the lock again. */
static void
release_one_locked (struct gb_tree *tree,
                    struct gb_node *node)
{
  gb_list_remove (&node->delayed);
  tree->n_releasing++;
  g_mutex_unlock (&tree->lock);
  gb_node_release_chain (node);
  g_mutex_lock (&tree->lock);
  tree->n_releasing--;
  g_cond_broadcast (&tree->changed);
}

/* Lives only while something is put off, so that nobody has to join it. */
static gpointer
helper_thread (gpointer data)
{
  struct gb_tree *tree = data;
  struct gb_node *node;

  g_mutex_lock (&tree->lock);
  while ((node = earliest_locked (tree)) != NULL)
    {
      if (g_get_monotonic_time () < node->due)
        g_cond_wait_until (&tree->changed, &tree->lock, node->due);
      else
        release_one_locked (tree, node);
    }
  tree->helper_runs = false;
  g_cond_broadcast (&tree->changed);
  g_mutex_unlock (&tree->lock);
  gb_tree_unref (tree);
  return NULL;
}

static bool
start_helper_locked (struct gb_tree *tree)
{
  GThread *thread;

  if (tree->helper_runs)
    return true;
  thread = g_thread_try_new ("gabbro-release", helper_thread, gb_tree_ref (tree), NULL);
  if (thread == NULL)
    {
      /* Never the last: the node has one too. */
      gb_tree_unref (tree);
      return false;
    }
  g_thread_unref (thread);
  tree->helper_runs = true;
  return true;
}

bool
gb_tree_delay_release (struct gb_tree *tree,
                       struct gb_node *node)
{
  bool delayed = false;

  if ((tree->flags & (GB_TREE_DELAY_RELEASE | GB_TREE_QUEUE_RELEASE)) == 0)
    return false;

  g_mutex_lock (&tree->lock);
  if ((tree->flags & GB_TREE_QUEUE_RELEASE) != 0 || start_helper_locked (tree))
    {
      gint64 delay = g_rand_int_range (tree->random, 0, LONGEST_DELAY_MILLISECONDS + 1);

      node->due = g_get_monotonic_time () + delay * G_TIME_SPAN_MILLISECOND;
      gb_list_append (&tree->delayed, &node->delayed);
      g_cond_broadcast (&tree->changed);
      delayed = true;
    }
  g_mutex_unlock (&tree->lock);
  return delayed;
}

void
gb_tree_flush_delayed (struct gb_tree *tree)
{
  g_mutex_lock (&tree->lock);
  for (;;)
    {
      if (!gb_list_is_empty (&tree->delayed))
        release_one_locked (tree, gb_list_first (&tree->delayed, struct gb_node, delayed));
      else if (tree->n_releasing != 0 || tree->helper_runs)
        g_cond_wait (&tree->changed, &tree->lock);
      else
        break;
    }
  g_mutex_unlock (&tree->lock);
}
