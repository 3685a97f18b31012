/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/uevent.h"

#include <string.h>

#include "lib/node.h"
#include "tests/test-main.h"

struct state
{
  guint64 number;
};

static const struct gb_attribute attributes[] = {
  GB_ATTRIBUTE ("number", NULL, u64, GB_UNIT_NONE, struct state, number),
};

static const struct gb_attribute_group group = { .attributes = attributes, .n_attributes = 1 };

static const struct gb_node_type type = {
  .name = "thing",
  .groups = (const struct gb_attribute_group *const[]) { &group, NULL },
  .release = g_free,
};

static struct gb_tree *tree;
static GString *trace;
static guint n_destroyed;

static void
setup (void)
{
  tree = gb_tree_new (GB_TREE_NORMAL, 0);
  trace = g_string_new (NULL);
  n_destroyed = 0;
}

static void
teardown (void)
{
  g_string_free (trace, TRUE);
  gb_tree_unref (tree);
}

static void
count_destroy (gpointer data)
{
  n_destroyed++;
}

static struct gb_node *
add (const char *name, struct gb_node *parent, guint64 number)
{
  struct state *state = g_new0 (struct state, 1);
  struct gb_node *node = gb_node_new (tree, &type, name, state);

  state->number = number;
  ck_assert (gb_node_add (node, parent, NULL));
  return node;
}

static void
expect (const char *wanted)
{
  ck_assert_str_eq (trace->str, wanted);
  g_string_truncate (trace, 0);
}

/* The lock is free in a listener: everything may be called. */
static void
note (const struct gb_uevent *event, gpointer data)
{
  struct gb_node *node = gb_tree_lookup (tree, event->path);
  guint64 number = 0;

  ck_assert (g_variant_lookup (event->attributes, "number", "t", &number));
  ck_assert_str_eq (event->type, "thing");
  g_string_append_printf (trace, "%s%" G_GUINT64_FORMAT " %s %s=%" G_GUINT64_FORMAT "%s; ",
                          data != NULL ? (const char *) data : "", event->serial,
                          gb_uevent_action_name (event->action), event->path, number,
                          node != NULL ? "" : " gone");
  gb_node_unref (node);
}

START_TEST (every_action)
{
  struct gb_listener *listener = gb_tree_subscribe (tree, note, NULL, count_destroy);
  struct gb_node *a = add ("a", NULL, 1);
  struct gb_node *b = add ("b", a, 2);

  expect ("1 add /a=1; 2 add /a/b=2; ");
  ((struct state *) gb_node_state (a))->number = 5;
  gb_node_emit (a, GB_UEVENT_CHANGE);
  gb_node_emit (b, GB_UEVENT_LOST);
  expect ("3 change /a=5; 4 lost /a/b=2; ");
  ((struct state *) gb_node_state (b))->number = 6;
  /* Children before their parent; attributes as they were at the end. */
  gb_node_del (a);
  gb_node_del (a);
  gb_node_emit (a, GB_UEVENT_CHANGE);
  expect ("5 remove /a/b=6 gone; 6 remove /a=5 gone; ");
  gb_tree_unsubscribe (tree, listener);
  ck_assert_uint_eq (n_destroyed, 1);
  gb_node_unref (add ("c", NULL, 0));
  expect ("");
  gb_node_unref (a);
  gb_node_unref (b);
}
END_TEST

START_TEST (failed_add_says_nothing)
{
  struct gb_node *a = add ("a", NULL, 1);
  struct gb_node *same;

  gb_tree_subscribe (tree, note, NULL, count_destroy);
  same = gb_node_new (tree, &type, "a", g_new0 (struct state, 1));
  ck_assert (!gb_node_add (same, NULL, NULL));
  gb_node_emit (same, GB_UEVENT_CHANGE);
  gb_node_unref (same);
  expect ("");
  /* The last reference announces what nobody deleted. */
  gb_node_unref (a);
  expect ("2 remove /a=1 gone; ");
}
END_TEST

static struct gb_uevent *kept;

static void
keep (const struct gb_uevent *event, gpointer data)
{
  if (kept == NULL)
    kept = gb_uevent_ref ((struct gb_uevent *) event);
}

START_TEST (events_outlive_everything)
{
  guint64 number = 0;

  kept = NULL;
  gb_tree_subscribe (tree, keep, NULL, NULL);
  gb_node_unref (add ("a", NULL, 8));
  gb_tree_unref (tree);
  tree = gb_tree_new (GB_TREE_NORMAL, 0);
  ck_assert_str_eq (kept->path, "/a");
  ck_assert_int_eq (kept->action, GB_UEVENT_ADD);
  ck_assert (g_variant_lookup (kept->attributes, "number", "t", &number));
  ck_assert_uint_eq (number, 8);
  gb_uevent_unref (kept);
  gb_uevent_unref (NULL);
}
END_TEST

/* Each of the first three events makes another one; they come in order and not
 * inside each other. */
static guint depth;
static guint deepest;

static void
emit_from_inside (const struct gb_uevent *event, gpointer data)
{
  struct gb_node *node = data;

  depth++;
  deepest = MAX (deepest, depth);
  note (event, NULL);
  if (event->serial < 4)
    gb_node_emit (node, GB_UEVENT_CHANGE);
  gb_tree_settle (tree);
  depth--;
}

START_TEST (emitting_inside)
{
  struct gb_node *node = add ("a", NULL, 1);

  depth = deepest = 0;
  gb_tree_subscribe (tree, emit_from_inside, node, NULL);
  gb_tree_subscribe (tree, note, (gpointer) "second ", NULL);
  gb_node_emit (node, GB_UEVENT_LOST);
  expect ("2 lost /a=1; second 2 lost /a=1; 3 change /a=1; second 3 change /a=1; "
          "4 change /a=1; second 4 change /a=1; ");
  ck_assert_uint_eq (deepest, 1);
  gb_node_unref (node);
}
END_TEST

static struct gb_listener *listeners[3];

/* Takes itself and the last one off; that one gets this event no more. */
static void
unsubscribe_from_inside (const struct gb_uevent *event, gpointer data)
{
  g_string_append (trace, data);
  gb_tree_unsubscribe (tree, listeners[0]);
  gb_tree_unsubscribe (tree, listeners[2]);
  /* Still in use: this call itself. */
  ck_assert_uint_eq (n_destroyed, 0);
}

static void
note_short (const struct gb_uevent *event, gpointer data)
{
  g_string_append (trace, data);
}

START_TEST (unsubscribing_inside)
{
  listeners[0] = gb_tree_subscribe (tree, unsubscribe_from_inside, (gpointer) "a", count_destroy);
  listeners[1] = gb_tree_subscribe (tree, note_short, (gpointer) "b", count_destroy);
  listeners[2] = gb_tree_subscribe (tree, note_short, (gpointer) "c", count_destroy);
  gb_node_unref (add ("a", NULL, 1));
  expect ("abb");
  ck_assert_uint_eq (n_destroyed, 2);
  gb_tree_unref (tree);
  ck_assert_uint_eq (n_destroyed, 3);
  tree = gb_tree_new (GB_TREE_NORMAL, 0);
}
END_TEST

/* A listener that joins inside hears of later events only. */
static void
subscribe_from_inside (const struct gb_uevent *event, gpointer data)
{
  if (event->action != GB_UEVENT_ADD)
    return;
  g_string_append (trace, "s");
  /* Emitted before, delivered after. */
  gb_node_emit (data, GB_UEVENT_CHANGE);
  gb_tree_subscribe (tree, note_short, (gpointer) "n", NULL);
}

START_TEST (subscribing_inside)
{
  struct gb_node *node = gb_node_new (tree, &type, "a", g_new0 (struct state, 1));

  gb_tree_subscribe (tree, subscribe_from_inside, node, NULL);
  ck_assert (gb_node_add (node, NULL, NULL));
  expect ("s");
  gb_node_emit (node, GB_UEVENT_CHANGE);
  expect ("n");
  gb_node_unref (node);
}
END_TEST

static void
delete_from_inside (const struct gb_uevent *event, gpointer data)
{
  if (event->action == GB_UEVENT_ADD)
    {
      struct gb_node *node = gb_tree_lookup (tree, event->path);

      gb_node_del (node);
      gb_node_unref (node);
    }
}

START_TEST (deleting_inside)
{
  struct gb_node *node;

  gb_tree_subscribe (tree, delete_from_inside, NULL, NULL);
  gb_tree_subscribe (tree, note, NULL, NULL);
  node = add ("a", NULL, 1);
  ck_assert (!gb_node_is_added (node));
  expect ("1 add /a=1 gone; 2 remove /a=1 gone; ");
  gb_node_unref (node);
}
END_TEST

/* Four threads emit; one listener sees every event, in order, one at a time. */
static guint64 last_serial;
static gint inside;
static gint n_seen;
static gint n_wrong;

static void
check_order (const struct gb_uevent *event, gpointer data)
{
  if (g_atomic_int_add (&inside, 1) != 0 || event->serial != last_serial + 1)
    g_atomic_int_inc (&n_wrong);
  last_serial = event->serial;
  g_atomic_int_inc (&n_seen);
  g_atomic_int_add (&inside, -1);
}

static gpointer
emitter (gpointer data)
{
  for (int i = 0; i < 500; i++)
    gb_node_emit (data, GB_UEVENT_CHANGE);
  return NULL;
}

START_TEST (many_emitters)
{
  struct gb_node *node = add ("a", NULL, 1);
  GThread *threads[4];

  last_serial = 1;
  gb_tree_subscribe (tree, check_order, NULL, NULL);
  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new (NULL, emitter, node);
  for (int i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  gb_tree_settle (tree);
  ck_assert_int_eq (n_seen, 2000);
  ck_assert_int_eq (n_wrong, 0);
  gb_node_unref (node);
}
END_TEST

/* Threads that subscribe and unsubscribe while others emit; no call comes after
 * the destroy function. */
struct visitor
{
  gint destroyed;
};

static void
check_alive (const struct gb_uevent *event, gpointer data)
{
  struct visitor *visitor = data;

  if (g_atomic_int_get (&visitor->destroyed) != 0)
    g_atomic_int_inc (&n_wrong);
}

static void
destroy_visitor (gpointer data)
{
  struct visitor *visitor = data;

  if (g_atomic_int_add (&visitor->destroyed, 1) != 0)
    g_atomic_int_inc (&n_wrong);
  g_free (visitor);
}

static gpointer
visit (gpointer data)
{
  for (int i = 0; i < 500; i++)
    {
      struct gb_listener *listener
        = gb_tree_subscribe (tree, check_alive, g_new0 (struct visitor, 1), destroy_visitor);

      g_thread_yield ();
      gb_tree_unsubscribe (tree, listener);
    }
  return NULL;
}

START_TEST (coming_and_going)
{
  struct gb_node *node = add ("a", NULL, 1);
  GThread *threads[4];

  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new (NULL, i < 2 ? emitter : visit, node);
  for (int i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  gb_tree_settle (tree);
  ck_assert_int_eq (n_wrong, 0);
  gb_node_unref (node);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("uevent");
  TCase *test_case = gb_test_case (suite, "uevent");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_test (test_case, every_action);
  tcase_add_test (test_case, failed_add_says_nothing);
  tcase_add_test (test_case, events_outlive_everything);
  tcase_add_test (test_case, emitting_inside);
  tcase_add_test (test_case, unsubscribing_inside);
  tcase_add_test (test_case, subscribing_inside);
  tcase_add_test (test_case, deleting_inside);
  tcase_add_test (test_case, many_emitters);
  tcase_add_test (test_case, coming_and_going);
  return suite;
}

GB_TEST_MAIN (make_suite)
