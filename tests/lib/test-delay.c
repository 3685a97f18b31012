/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/node.h"

#include <string.h>

#include "tests/test-main.h"

static guint n_released;
static guint n_complaints;

static void
count_release (gpointer state)
{
  g_atomic_int_inc (&n_released);
  g_free (state);
}

static const struct gb_attribute attributes[] = {
  { .name = "number", .type = GB_VALUE_U64, .mode = GB_ATTRIBUTE_READ, .show = gb_attribute_show_u64 },
};

static const struct gb_attribute_group group = { .attributes = attributes, .n_attributes = 1 };

static const struct gb_node_type type = {
  .name = "thing",
  .groups = (const struct gb_attribute_group *const[]) { &group, NULL },
  .release = count_release,
};

static void
count_complaint (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  ck_assert (level & G_LOG_LEVEL_CRITICAL);
  ck_assert_ptr_nonnull (strstr (message, "'victim'"));
  n_complaints++;
}

static void
setup (void)
{
  n_released = 0;
  n_complaints = 0;
  /* Complaints are what is tested here, also where G_DEBUG makes them fatal. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_log_set_default_handler (count_complaint, NULL);
}

static struct gb_node *
add (struct gb_tree *tree, const char *name, struct gb_node *parent)
{
  struct gb_node *node = gb_node_new (tree, &type, name, g_new0 (guint64, 1));

  ck_assert (gb_node_add (node, parent, NULL));
  return node;
}

START_TEST (queued_until_flush)
{
  struct gb_tree *tree = gb_tree_new (GB_TREE_QUEUE_RELEASE, 0);
  struct gb_node *parent = add (tree, "parent", NULL);
  struct gb_node *child = add (tree, "child", parent);
  GString *text;

  gb_node_unref (parent);
  gb_node_unref (child);
  ck_assert_uint_eq (n_released, 0);
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 2);
  ck_assert_ptr_null (gb_tree_lookup (tree, "/parent/child"));
  text = gb_tree_dump (tree);
  ck_assert_ptr_nonnull (strstr (text->str, "/parent/child (thing): 0 references, release put off"));
  g_string_free (text, TRUE);
  /* The child first; its parent is put off in turn. */
  gb_tree_flush_delayed (tree);
  ck_assert_uint_eq (n_released, 2);
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 0);
  ck_assert_uint_eq (n_complaints, 0);
  gb_tree_unref (tree);
}
END_TEST

/* What was a silent use of freed memory is a complaint that names the node. */
START_TEST (use_after_the_last_reference_is_seen)
{
  struct gb_tree *tree = gb_tree_new (GB_TREE_QUEUE_RELEASE, 0);
  struct gb_node *victim = add (tree, "victim", NULL);
  struct gb_value value = GB_VALUE_INIT;

  gb_node_unref (victim);
  ck_assert_uint_eq (n_complaints, 0);
  gb_node_ref (victim);
  ck_assert_uint_eq (n_complaints, 1);
  gb_node_unref (victim);
  ck_assert_uint_eq (n_complaints, 2);
  ck_assert_int_eq (gb_node_show (victim, "number", &value, NULL), GB_SHOW_FAILED);
  ck_assert_uint_eq (n_complaints, 3);
  g_variant_unref (gb_node_attributes (victim));
  ck_assert_uint_eq (n_complaints, 4);
  gb_tree_flush_delayed (tree);
  ck_assert_uint_eq (n_released, 1);
  gb_tree_unref (tree);
}
END_TEST

static void
wait_until_released (struct gb_tree *tree)
{
  for (int i = 0; i < 20000 && gb_tree_n_nodes (tree) != 0; i++)
    g_usleep (1000);
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 0);
}

START_TEST (helper_releases_by_itself)
{
  struct gb_tree *tree = gb_tree_new (GB_TREE_DELAY_RELEASE, 7);
  gint64 start;

  for (int i = 0; i < 50; i++)
    gb_node_unref (add (tree, "thing", NULL));
  wait_until_released (tree);
  /* One by one: half of the longest delay on the average. */
  start = g_get_monotonic_time ();
  for (int i = 0; i < 10; i++)
    {
      gb_node_unref (add (tree, "thing", NULL));
      wait_until_released (tree);
    }
  ck_assert_int_ge (g_get_monotonic_time () - start, 100 * G_TIME_SPAN_MILLISECOND);
  gb_tree_flush_delayed (tree);
  ck_assert_uint_eq (n_released, 60);
  gb_tree_unref (tree);
}
END_TEST

START_TEST (flush_does_not_wait)
{
  struct gb_tree *tree = gb_tree_new (GB_TREE_DELAY_RELEASE, 7);
  gint64 start = g_get_monotonic_time ();

  for (int i = 0; i < 100; i++)
    {
      gb_node_unref (add (tree, "thing", NULL));
      gb_tree_flush_delayed (tree);
      ck_assert_uint_eq (gb_tree_n_nodes (tree), 0);
    }
  ck_assert_uint_eq (n_released, 100);
  /* 25 ms each, were they waited for. */
  ck_assert_int_lt (g_get_monotonic_time () - start, 2400 * G_TIME_SPAN_MILLISECOND);
  gb_tree_unref (tree);
}
END_TEST

/* The last of all may well be dropped by the helper. */
START_TEST (tree_goes_with_its_last_node)
{
  struct gb_tree *tree = gb_tree_new (GB_TREE_DELAY_RELEASE, 9);

  for (int i = 0; i < 5; i++)
    gb_node_unref (add (tree, "thing", NULL));
  gb_tree_unref (tree);
  for (int i = 0; i < 2000 && g_atomic_int_get (&n_released) != 5; i++)
    g_usleep (1000);
  ck_assert_uint_eq (g_atomic_int_get (&n_released), 5);
  /* The thread has the tree to free yet. */
  g_usleep (20000);
}
END_TEST

START_TEST (flags_from_debug)
{
  ck_assert_int_eq (gb_tree_flags_from_debug (NULL), GB_TREE_NORMAL);
  ck_assert_int_eq (gb_tree_flags_from_debug (""), GB_TREE_NORMAL);
  ck_assert_int_eq (gb_tree_flags_from_debug ("delay"), GB_TREE_NORMAL);
  ck_assert_int_eq (gb_tree_flags_from_debug ("delay-release"), GB_TREE_DELAY_RELEASE);
  ck_assert_int_eq (gb_tree_flags_from_debug ("ast, delay-release ,spirv"), GB_TREE_DELAY_RELEASE);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("delay");
  TCase *test_case = gb_test_case (suite, "delay");

  tcase_add_checked_fixture (test_case, setup, NULL);
  tcase_add_test (test_case, queued_until_flush);
  tcase_add_test (test_case, use_after_the_last_reference_is_seen);
  tcase_add_test (test_case, helper_releases_by_itself);
  tcase_add_test (test_case, flush_does_not_wait);
  tcase_add_test (test_case, tree_goes_with_its_last_node);
  tcase_add_test (test_case, flags_from_debug);
  return suite;
}

GB_TEST_MAIN (make_suite)
