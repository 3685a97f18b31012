/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/node.h"

#include <string.h>

#include "tests/test-main.h"

/* Nodes come and go while other threads look them up, read them and walk. A
 * state that has been released says so in its first word. */

#define ALIVE     0x600d600d
#define N_ROUNDS  3000
#define N_READERS 3

struct state
{
  guint32 magic;
  guint64 number;
};

static gint n_wrong;
static gint stop;

static void
check (bool right)
{
  if (!right)
    g_atomic_int_inc (&n_wrong);
}

static void
release (gpointer data)
{
  struct state *state = data;

  check (state->magic == ALIVE);
  state->magic = 0;
  g_free (state);
}

static enum gb_show
number_show (struct gb_node *node, gpointer data, const struct gb_attribute *attribute,
             struct gb_value *value, GError **error)
{
  const struct state *state = data;

  check (state->magic == ALIVE);
  gb_value_set_u64 (value, state->number);
  return GB_SHOW_OK;
}

static const struct gb_attribute attributes[] = {
  GB_ATTRIBUTE_FUNC ("number", NULL, GB_VALUE_U64, GB_UNIT_NONE, number_show),
};

static const struct gb_attribute_group group = { .attributes = attributes, .n_attributes = 1 };

static const struct gb_node_type type = {
  .name = "thing",
  .groups = (const struct gb_attribute_group *const[]) { &group, NULL },
  .release = release,
};

static struct gb_node *
make (struct gb_tree *tree, const char *name, guint64 number)
{
  struct state *state = g_new0 (struct state, 1);

  state->magic = ALIVE;
  state->number = number;
  return gb_node_new (tree, &type, name, state);
}

static gpointer
reader (gpointer data)
{
  struct gb_tree *tree = data;
  guint n_found = 0;

  while (g_atomic_int_get (&stop) == 0)
    {
      struct gb_node *node = gb_tree_lookup (tree, "/parent/thing");
      struct gb_value value = GB_VALUE_INIT;
      GPtrArray *nodes;

      if (node != NULL)
        {
          check (((struct state *) gb_node_state (node))->magic == ALIVE);
          check (strcmp (gb_node_name (node), "thing") == 0);
          if (gb_node_show (node, "number", &value, NULL) == GB_SHOW_OK)
            n_found++;
          gb_node_unref (node);
        }
      nodes = gb_set_nodes (gb_tree_set (tree, "all"));
      for (guint i = 0; i < nodes->len; i++)
        check (((struct state *) gb_node_state (nodes->pdata[i]))->magic == ALIVE);
      g_ptr_array_unref (nodes);
      gb_value_clear (&value);
    }
  return GUINT_TO_POINTER (n_found);
}

static void
play (enum gb_tree_flags flags, bool delete_first)
{
  struct gb_tree *tree = gb_tree_new (flags, 4);
  struct gb_node *parent = make (tree, "parent", 0);
  GThread *threads[N_READERS];
  guint n_found = 0;

  n_wrong = 0;
  stop = 0;
  ck_assert (gb_node_add (parent, NULL, NULL));
  for (int i = 0; i < N_READERS; i++)
    threads[i] = g_thread_new (NULL, reader, tree);
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      struct gb_node *node = make (tree, "thing", round);

      gb_set_add (gb_tree_set (tree, "all"), node);
      /* Without a deletion the node before may still be held by a reader. */
      if (!gb_node_add (node, parent, NULL))
        check (!delete_first);
      if (round % 8 == 0)
        g_thread_yield ();
      if (delete_first)
        gb_node_del (node);
      gb_node_unref (node);
    }
  g_atomic_int_set (&stop, 1);
  for (int i = 0; i < N_READERS; i++)
    n_found += GPOINTER_TO_UINT (g_thread_join (threads[i]));
  gb_node_unref (parent);
  gb_tree_flush_delayed (tree);
  ck_assert_int_eq (n_wrong, 0);
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 0);
  ck_assert_uint_gt (n_found, 0);
  gb_tree_unref (tree);
}

START_TEST (look_up_against_release)
{
  play (GB_TREE_NORMAL, _i != 0);
}
END_TEST

START_TEST (look_up_against_delayed_release)
{
  play (GB_TREE_DELAY_RELEASE, _i != 0);
}
END_TEST

/* A borrowed state is not touched after gb_node_del() has returned: it is freed
 * then, while readers may still hold the node. */
static const struct gb_node_type bare_type = { .name = "bare" };

static gpointer
attribute_reader (gpointer data)
{
  guint n_found = 0;

  while (g_atomic_int_get (&stop) == 0)
    {
      struct gb_node *node = gb_tree_lookup (data, "/thing");
      struct gb_value value = GB_VALUE_INIT;

      /* Readers that spin keep the tree's lock from the thread that adds, for minutes on a busy machine. */
      if (node == NULL)
        {
          g_thread_yield ();
          continue;
        }
      for (int i = 0; i < 5; i++)
        if (gb_node_show (node, "number", &value, NULL) == GB_SHOW_OK)
          n_found++;
      g_variant_unref (gb_node_attributes (node));
      gb_node_emit (node, GB_UEVENT_CHANGE);
      gb_node_unref (node);
      gb_value_clear (&value);
      g_thread_yield ();
    }
  return GUINT_TO_POINTER (n_found);
}

START_TEST (attributes_against_deletion)
{
  static const struct gb_attribute_group *const groups[] = { &group };
  struct gb_tree *tree = gb_tree_new (GB_TREE_NORMAL, 0);
  GThread *threads[N_READERS];
  guint n_found = 0;

  n_wrong = 0;
  stop = 0;
  for (int i = 0; i < N_READERS; i++)
    threads[i] = g_thread_new (NULL, attribute_reader, tree);
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      struct state *state = g_new0 (struct state, 1);
      struct gb_node *node = gb_node_new (tree, &bare_type, "thing", NULL);

      state->magic = ALIVE;
      gb_node_add_groups (node, groups, 1, state);
      check (gb_node_add (node, NULL, NULL));
      g_thread_yield ();
      gb_node_del (node);
      release (state);
      gb_node_unref (node);
    }
  g_atomic_int_set (&stop, 1);
  for (int i = 0; i < N_READERS; i++)
    n_found += GPOINTER_TO_UINT (g_thread_join (threads[i]));
  ck_assert_int_eq (n_wrong, 0);
  ck_assert_uint_gt (n_found, 0);
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 0);
  gb_tree_unref (tree);
}
END_TEST

/* Several threads delete one node and its parent; each of them finds it gone
 * when its call returns. */
struct target
{
  struct gb_node *parent;
  struct gb_node *child;
};

static gpointer
deleter (gpointer data)
{
  struct target *target = data;

  gb_node_del (target->child);
  check (gb_tree_lookup (gb_node_tree (target->child), "/parent/child") == NULL);
  gb_node_del (target->parent);
  check (gb_tree_lookup (gb_node_tree (target->child), "/parent") == NULL);
  return NULL;
}

static void
count_removes (const struct gb_uevent *event, gpointer data)
{
  if (event->action == GB_UEVENT_REMOVE)
    (*(guint *) data)++;
}

START_TEST (deletions_at_the_same_time)
{
  struct gb_tree *tree = gb_tree_new (GB_TREE_NORMAL, 0);
  guint n_removed = 0;

  n_wrong = 0;
  gb_tree_subscribe (tree, count_removes, &n_removed, NULL);
  for (guint round = 0; round < 1000; round++)
    {
      struct target target = { make (tree, "parent", 0), make (tree, "child", 0) };
      GThread *threads[3];

      check (gb_node_add (target.parent, NULL, NULL));
      check (gb_node_add (target.child, target.parent, NULL));
      for (int i = 0; i < 3; i++)
        threads[i] = g_thread_new (NULL, deleter, &target);
      for (int i = 0; i < 3; i++)
        g_thread_join (threads[i]);
      gb_node_unref (target.child);
      gb_node_unref (target.parent);
    }
  gb_tree_settle (tree);
  ck_assert_int_eq (n_wrong, 0);
  ck_assert_uint_eq (n_removed, 2000);
  ck_assert_uint_eq (gb_tree_n_nodes (tree), 0);
  gb_tree_unref (tree);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("race");
  TCase *test_case = gb_test_case (suite, "race");

  tcase_add_loop_test (test_case, look_up_against_release, 0, 2);
  tcase_add_loop_test (test_case, look_up_against_delayed_release, 0, 2);
  tcase_add_test (test_case, attributes_against_deletion);
  tcase_add_test (test_case, deletions_at_the_same_time);
  return suite;
}

GB_TEST_MAIN (make_suite)
