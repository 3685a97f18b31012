/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/node.h"

#include <string.h>

#include "lib/error.h"
#include "tests/test-main.h"

static guint n_released;

static void
count_release (gpointer state)
{
  n_released++;
  g_free (state);
}

static const struct gb_node_type type = { .name = "thing", .release = count_release };

static struct gb_tree *tree;

static void
setup (void)
{
  n_released = 0;
  tree = gb_tree_new (GB_TREE_NORMAL, 0);
}

static void
teardown (void)
{
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 0);
  gb_tree_unref (tree);
}

static struct gb_node *
make (const char *name)
{
  return gb_node_new (tree, &type, name, g_malloc (1));
}

static struct gb_node *
add (const char *name, struct gb_node *parent)
{
  struct gb_node *node = make (name);

  ck_assert (gb_node_add (node, parent, NULL));
  return node;
}

static void
expect_add_failure (struct gb_node *node, struct gb_node *parent, enum gb_error code)
{
  GError *error = NULL;

  ck_assert (!gb_node_add (node, parent, &error));
  ck_assert_msg (g_error_matches (error, GB_ERROR, (int) code), "%s", error->message);
  ck_assert_ptr_nonnull (strstr (error->message, gb_node_name (node)));
  g_clear_error (&error);
}

static void
expect_lookup (const char *path, struct gb_node *wanted)
{
  struct gb_node *node = gb_tree_lookup (tree, path);

  ck_assert_ptr_eq (node, wanted);
  gb_node_unref (node);
}

START_TEST (paths)
{
  struct gb_node *a = add ("adapters", NULL);
  struct gb_node *b = add ("vulkan0", a);
  struct gb_node *c = add ("devices", b);
  struct gb_node *d = make ("1");
  char *path = gb_node_path (d);

  ck_assert_ptr_null (path);
  ck_assert (!gb_node_is_added (d));
  ck_assert (gb_node_add (d, c, NULL));
  path = gb_node_path (d);
  ck_assert_str_eq (path, "/adapters/vulkan0/devices/1");
  expect_lookup (path, d);
  g_free (path);
  expect_lookup ("/adapters", a);
  expect_lookup ("adapters", NULL);
  expect_lookup ("/adapters/", NULL);
  expect_lookup ("/", NULL);
  expect_lookup ("", NULL);
  ck_assert_str_eq (gb_node_name (d), "1");
  ck_assert_ptr_eq (gb_node_parent (d), c);
  ck_assert_ptr_eq (gb_node_parent (a), NULL);
  ck_assert_ptr_eq (gb_node_type (d), &type);
  ck_assert_ptr_eq (gb_node_tree (d), tree);
  ck_assert_ptr_nonnull (gb_node_state (d));
  ck_assert (gb_node_is_added (d));
  /* Children keep their parents. */
  gb_node_unref (a);
  gb_node_unref (b);
  gb_node_unref (c);
  ck_assert_uint_eq (n_released, 0);
  expect_lookup ("/adapters/vulkan0", b);
  gb_node_unref (d);
  ck_assert_uint_eq (n_released, 4);
}
END_TEST

START_TEST (names)
{
  static const char *const good[] = { "a", "Z", "0", "vulkan0", "0000:01:00.0", "a_b-c+d@e", "a." };
  static const char *const bad[] = { "", ".", "..", ".a", "a/b", "a b", "\xc3\xa9", "a\n", "a*" };
  char longest[GB_NODE_NAME_MAX + 2];

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    ck_assert_msg (gb_node_name_is_valid (good[i]), "%s", good[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      struct gb_node *node = make (bad[i]);
      GError *error = NULL;

      ck_assert_msg (!gb_node_name_is_valid (bad[i]), "%s", bad[i]);
      ck_assert (!gb_node_add (node, NULL, &error));
      ck_assert (g_error_matches (error, GB_ERROR, GB_ERROR_INVALID_NAME));
      ck_assert (g_utf8_validate (error->message, -1, NULL));
      g_clear_error (&error);
      gb_node_unref (node);
    }
  ck_assert_uint_eq (n_released, G_N_ELEMENTS (bad));
  ck_assert (!gb_node_name_is_valid (NULL));
  memset (longest, 'x', sizeof longest);
  longest[GB_NODE_NAME_MAX + 1] = '\0';
  ck_assert (!gb_node_name_is_valid (longest));
  longest[GB_NODE_NAME_MAX] = '\0';
  ck_assert (gb_node_name_is_valid (longest));
}
END_TEST

START_TEST (failed_adds)
{
  struct gb_node *parent = add ("parent", NULL);
  struct gb_node *first = add ("same", parent);
  struct gb_node *second = make ("same");
  struct gb_node *lone = make ("lone");
  struct gb_node *child = make ("child");

  expect_add_failure (second, parent, GB_ERROR_EXISTS);
  expect_add_failure (first, parent, GB_ERROR_BAD_STATE);
  expect_add_failure (child, lone, GB_ERROR_BAD_STATE);
  ck_assert_ptr_null (gb_node_path (second));
  ck_assert_ptr_null (gb_node_parent (second));
  expect_lookup ("/parent/same", first);
  /* A name is free again after deletion, and a failed node can be added then. */
  gb_node_del (first);
  ck_assert (gb_node_add (second, parent, NULL));
  expect_lookup ("/parent/same", second);
  gb_node_del (parent);
  expect_add_failure (child, parent, GB_ERROR_BAD_STATE);
  expect_add_failure (parent, NULL, GB_ERROR_BAD_STATE);
  /* Even after a failed add, unref is what ends a node. */
  gb_node_unref (child);
  gb_node_unref (lone);
  gb_node_unref (second);
  gb_node_unref (first);
  gb_node_unref (parent);
  ck_assert_uint_eq (n_released, 5);
}
END_TEST

START_TEST (paths_have_a_limit)
{
  char name[GB_NODE_NAME_MAX + 1];
  struct gb_node *node = NULL;
  struct gb_node *next;

  memset (name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  for (int depth = 0; depth < GB_NODE_PATH_MAX / (GB_NODE_NAME_MAX + 1); depth++)
    {
      next = add (name, node);
      gb_node_unref (node);
      node = next;
    }
  next = make (name);
  expect_add_failure (next, node, GB_ERROR_INVALID_NAME);
  gb_node_unref (next);
  gb_node_unref (node);
}
END_TEST

START_TEST (deletion)
{
  struct gb_node *a = add ("a", NULL);
  struct gb_node *b = add ("b", a);
  struct gb_node *c = add ("c", b);
  struct gb_node *never = make ("never");
  char *path;

  gb_node_del (never);
  gb_node_del (a);
  gb_node_del (a);
  ck_assert (!gb_node_is_added (a));
  ck_assert (!gb_node_is_added (b));
  ck_assert (!gb_node_is_added (c));
  expect_lookup ("/a", NULL);
  expect_lookup ("/a/b/c", NULL);
  /* The path stays for those who still hold the node. */
  path = gb_node_path (c);
  ck_assert_str_eq (path, "/a/b/c");
  g_free (path);
  ck_assert_ptr_eq (gb_node_parent (c), b);
  gb_node_unref (a);
  gb_node_unref (b);
  ck_assert_uint_eq (n_released, 0);
  gb_node_unref (c);
  ck_assert_uint_eq (n_released, 3);
  gb_node_del_and_unref (never);
  ck_assert_uint_eq (n_released, 4);
  gb_node_unref (NULL);
}
END_TEST

/* Whoever forgets gb_node_del() leaves nothing behind in the tree. */
START_TEST (last_reference_deletes)
{
  struct gb_node *a = add ("a", NULL);

  gb_set_add (gb_tree_set (tree, "all"), a);
  gb_node_unref (a);
  ck_assert_uint_eq (n_released, 1);
  expect_lookup ("/a", NULL);
  ck_assert_uint_eq (gb_set_count (gb_tree_set (tree, "all")), 0);
}
END_TEST

START_TEST (children_in_order)
{
  struct gb_node *parent = add ("parent", NULL);
  struct gb_node *nodes[5];
  GPtrArray *children;

  for (guint i = 0; i < 5; i++)
    {
      char name[2] = { (char) ('e' - i), '\0' };
      nodes[i] = add (name, parent);
    }
  gb_node_del (nodes[1]);
  children = gb_node_children (parent);
  ck_assert_uint_eq (children->len, 4);
  ck_assert_ptr_eq (children->pdata[0], nodes[0]);
  ck_assert_ptr_eq (children->pdata[1], nodes[2]);
  ck_assert_ptr_eq (children->pdata[3], nodes[4]);
  for (guint i = 0; i < 5; i++)
    gb_node_unref (nodes[i]);
  /* The array has references of its own. */
  ck_assert_uint_eq (n_released, 1);
  ck_assert_str_eq (gb_node_name (children->pdata[3]), "a");
  g_ptr_array_unref (children);
  ck_assert_uint_eq (n_released, 5);
  children = gb_tree_roots (tree);
  ck_assert_uint_eq (children->len, 1);
  ck_assert_ptr_eq (children->pdata[0], parent);
  g_ptr_array_unref (children);
  gb_node_unref (parent);
}
END_TEST

START_TEST (sets)
{
  struct gb_set *streams = gb_tree_set (tree, "streams");
  struct gb_set *busy = gb_tree_set (tree, "busy");
  struct gb_node *a = add ("a", NULL);
  struct gb_node *b = add ("b", a);
  struct gb_node *c = make ("c");
  GPtrArray *nodes;

  ck_assert_ptr_eq (gb_tree_set (tree, "streams"), streams);
  ck_assert_str_eq (gb_set_name (busy), "busy");
  ck_assert (gb_set_add (streams, b));
  ck_assert (gb_set_add (streams, a));
  ck_assert (!gb_set_add (streams, a));
  ck_assert (gb_set_add (busy, a));
  ck_assert (gb_set_add (busy, c));
  ck_assert_uint_eq (gb_set_count (streams), 2);
  ck_assert (gb_set_contains (busy, a));
  ck_assert (!gb_set_contains (busy, b));
  nodes = gb_set_nodes (streams);
  ck_assert_uint_eq (nodes->len, 2);
  ck_assert_ptr_eq (nodes->pdata[0], b);
  ck_assert_ptr_eq (nodes->pdata[1], a);
  g_ptr_array_unref (nodes);
  ck_assert (gb_set_remove (streams, b));
  ck_assert (!gb_set_remove (streams, b));
  /* Sets hold weakly: neither of these keeps its node. */
  gb_node_unref (c);
  ck_assert_uint_eq (n_released, 1);
  ck_assert_uint_eq (gb_set_count (busy), 1);
  gb_node_del (a);
  ck_assert_uint_eq (gb_set_count (busy), 0);
  ck_assert_uint_eq (gb_set_count (streams), 0);
  ck_assert (!gb_set_add (busy, a));
  gb_node_unref (a);
  gb_node_unref (b);
  ck_assert_uint_eq (n_released, 3);
}
END_TEST

START_TEST (dump_names_what_is_left)
{
  struct gb_node *a = add ("a", NULL);
  struct gb_node *b = add ("b", a);
  struct gb_node *c = make ("c");
  GString *text;

  gb_node_del (a);
  gb_node_ref (b);
  text = gb_tree_dump (tree);
  ck_assert_str_eq (text->str, "/a (thing): 2 references, deleted\n"
                               "/a/b (thing): 2 references, deleted\n"
                               "c (thing): 1 references, new\n");
  g_string_free (text, TRUE);
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 3);
  gb_node_unref (b);
  gb_node_unref (b);
  gb_node_unref (a);
  gb_node_unref (c);
  text = gb_tree_dump (tree);
  ck_assert_str_eq (text->str, "");
  g_string_free (text, TRUE);
}
END_TEST

/* The tree lives as long as its nodes. */
START_TEST (nodes_keep_the_tree)
{
  struct gb_tree *short_lived = gb_tree_new (GB_TREE_NORMAL, 0);
  struct gb_node *node = gb_node_new (short_lived, &type, "a", NULL);

  ck_assert (gb_node_add (node, NULL, NULL));
  gb_tree_unref (short_lived);
  gb_node_del (node);
  gb_node_unref (node);
  ck_assert_uint_eq (n_released, 1);
}
END_TEST

/* A thousand deep would overflow no stack; paths end long before. A thousand
 * wide must not be slow. */
START_TEST (wide)
{
  struct gb_node *parent = add ("parent", NULL);
  GPtrArray *nodes = g_ptr_array_new ();

  for (int i = 0; i < 20000; i++)
    {
      char name[16];

      g_snprintf (name, sizeof name, "n%d", i);
      g_ptr_array_add (nodes, gb_node_new (tree, &type, name, NULL));
      gb_node_add (nodes->pdata[i], parent, NULL);
      gb_set_add (gb_tree_set (tree, "all"), nodes->pdata[i]);
    }
  ck_assert_uint_eq (gb_set_count (gb_tree_set (tree, "all")), 20000);
  gb_node_del (parent);
  ck_assert_uint_eq (gb_set_count (gb_tree_set (tree, "all")), 0);
  for (guint i = 0; i < nodes->len; i++)
    gb_node_unref (nodes->pdata[i]);
  ck_assert_uint_eq (n_released, 20000);
  g_ptr_array_unref (nodes);
  gb_node_unref (parent);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("node");
  TCase *test_case = gb_test_case (suite, "node");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_test (test_case, paths);
  tcase_add_test (test_case, names);
  tcase_add_test (test_case, failed_adds);
  tcase_add_test (test_case, paths_have_a_limit);
  tcase_add_test (test_case, deletion);
  tcase_add_test (test_case, last_reference_deletes);
  tcase_add_test (test_case, children_in_order);
  tcase_add_test (test_case, sets);
  tcase_add_test (test_case, dump_names_what_is_left);
  tcase_add_test (test_case, nodes_keep_the_tree);
  tcase_add_test (test_case, wide);
  return suite;
}

GB_TEST_MAIN (make_suite)
