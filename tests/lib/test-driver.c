/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/driver.h"

#include <string.h>

#include "lib/error.h"
#include "lib/node.h"
#include "tests/test-main.h"

/* A driver that builds N_STEPS things and can be told to fail at any of them.
 * All that it knows is in its host and its binding. */

#define N_STEPS 6

struct fake_host
{
  struct gb_tree *tree;
  guint fail_at;                /* N_STEPS: nowhere */
  bool fail_silently;
  bool nothing_here;
  GString *trace;
};

struct fake_step
{
  struct fake_host *host;
  guint number;
};

static const struct gb_node_type type = { .name = "fake" };

static void
undo_step (gpointer data)
{
  struct fake_step *step = data;

  g_string_append_printf (step->host->trace, "-%u", step->number);
  g_free (step);
}

static bool
do_step (struct gb_binding *binding, guint number, GError **error)
{
  struct fake_host *host = binding->host;
  struct fake_step *step;
  struct gb_node *node;
  char name[8];

  if (number == host->fail_at)
    {
      if (!host->fail_silently)
        g_set_error (error, GB_ERROR, GB_ERROR_OUT_OF_RANGE, "step %u", number);
      return false;
    }
  step = g_new0 (struct fake_step, 1);
  step->host = host;
  step->number = number;
  g_string_append_printf (host->trace, "+%u", number);
  gb_undo_add (&binding->undo, undo_step, step);

  g_snprintf (name, sizeof name, "%u", number);
  node = gb_node_new (host->tree, &type, name, NULL);
  gb_undo_add (&binding->undo, gb_node_del_and_unref, node);
  return gb_node_add (node, binding->parent, error);
}

static enum gb_probe
fake_probe (struct gb_binding *binding, GError **error)
{
  struct fake_host *host = binding->host;

  for (guint i = 0; i < N_STEPS; i++)
    if (!do_step (binding, i, error))
      return GB_PROBE_FAILED;
  if (host->nothing_here)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_FAILED, "nobody is to see this");
      return GB_PROBE_NOTHING_HERE;
    }
  binding->data = host->trace;
  return GB_PROBE_BOUND;
}

static void
fake_remove (struct gb_binding *binding)
{
  g_string_append (binding->data, "R");
}

static const struct gb_driver fake_driver = {
  .name = "fake", .abi = 3, .probe = fake_probe, .remove = fake_remove,
};

static struct fake_host host;
static struct gb_node *parent;

static void
setup (void)
{
  host = (struct fake_host) {
    .tree = gb_tree_new (GB_TREE_NORMAL, 0), .fail_at = N_STEPS, .trace = g_string_new (NULL),
  };
  parent = gb_node_new (host.tree, &type, "parent", NULL);
  ck_assert (gb_node_add (parent, NULL, NULL));
}

static void
teardown (void)
{
  gb_node_unref (parent);
  ck_assert_uint_eq (gb_tree_n_nodes (host.tree), 0);
  gb_tree_unref (host.tree);
  g_string_free (host.trace, TRUE);
}

static void
expect (const char *wanted)
{
  ck_assert_str_eq (host.trace->str, wanted);
  g_string_truncate (host.trace, 0);
}

static guint
n_children (void)
{
  GPtrArray *children = gb_node_children (parent);
  guint count = children->len;

  g_ptr_array_unref (children);
  return count;
}

START_TEST (fails_at_every_step)
{
  struct gb_binding *binding = (struct gb_binding *) &host;
  GString *wanted = g_string_new (NULL);
  GError *error = NULL;

  host.fail_at = (guint) _i;
  for (int i = 0; i < _i; i++)
    g_string_append_printf (wanted, "+%d", i);
  for (int i = _i; i-- > 0;)
    g_string_append_printf (wanted, "-%d", i);
  ck_assert_int_eq (gb_driver_bind (&fake_driver, &host, parent, &binding, &error), GB_PROBE_FAILED);
  ck_assert (g_error_matches (error, GB_ERROR, GB_ERROR_OUT_OF_RANGE));
  g_clear_error (&error);
  ck_assert_ptr_eq (binding, (struct gb_binding *) &host);
  expect (wanted->str);
  ck_assert_uint_eq (n_children (), 0);
  g_string_free (wanted, TRUE);

  /* And nothing is left that hinders the next probe. */
  host.fail_at = N_STEPS;
  ck_assert_int_eq (gb_driver_bind (&fake_driver, &host, parent, &binding, NULL), GB_PROBE_BOUND);
  gb_driver_unbind (binding);
}
END_TEST

START_TEST (silent_failure_gets_an_error)
{
  struct gb_binding *binding = NULL;
  GError *error = NULL;

  host.fail_at = 2;
  host.fail_silently = true;
  ck_assert_int_eq (gb_driver_bind (&fake_driver, &host, parent, &binding, &error), GB_PROBE_FAILED);
  ck_assert_ptr_nonnull (error);
  ck_assert_ptr_nonnull (strstr (error->message, "fake"));
  g_clear_error (&error);
  ck_assert_int_eq (gb_driver_bind (&fake_driver, &host, parent, &binding, NULL), GB_PROBE_FAILED);
}
END_TEST

START_TEST (nothing_here_is_quiet)
{
  struct gb_binding *binding = NULL;
  GError *error = NULL;

  host.nothing_here = true;
  ck_assert_int_eq (gb_driver_bind (&fake_driver, &host, parent, &binding, &error),
                    GB_PROBE_NOTHING_HERE);
  ck_assert_ptr_null (error);
  ck_assert_ptr_null (binding);
  expect ("+0+1+2+3+4+5-5-4-3-2-1-0");
  ck_assert_uint_eq (n_children (), 0);
}
END_TEST

START_TEST (bound_and_unbound)
{
  struct gb_binding *binding = NULL;

  ck_assert_int_eq (gb_driver_bind (&fake_driver, &host, parent, &binding, NULL), GB_PROBE_BOUND);
  ck_assert_ptr_eq (binding->driver, &fake_driver);
  expect ("+0+1+2+3+4+5");
  ck_assert_uint_eq (n_children (), N_STEPS);
  /* The parent is kept, whoever else drops it. */
  gb_node_unref (parent);
  ck_assert (gb_node_is_added (parent));
  gb_node_ref (parent);
  gb_driver_unbind (binding);
  expect ("R-5-4-3-2-1-0");
  ck_assert_uint_eq (n_children (), 0);
  gb_driver_unbind (NULL);
}
END_TEST

/* No globals: two bindings of one driver live side by side. */
START_TEST (bound_many_times)
{
  struct fake_host other = host;
  struct gb_binding *bindings[2];
  struct gb_node *second = gb_node_new (host.tree, &type, "second", NULL);

  other.trace = g_string_new (NULL);
  ck_assert (gb_node_add (second, NULL, NULL));
  ck_assert_int_eq (gb_driver_bind (&fake_driver, &host, parent, &bindings[0], NULL), GB_PROBE_BOUND);
  ck_assert_int_eq (gb_driver_bind (&fake_driver, &other, second, &bindings[1], NULL), GB_PROBE_BOUND);
  gb_driver_unbind (bindings[0]);
  expect ("+0+1+2+3+4+5R-5-4-3-2-1-0");
  ck_assert_str_eq (other.trace->str, "+0+1+2+3+4+5");
  gb_driver_unbind (bindings[1]);
  ck_assert_str_eq (other.trace->str, "+0+1+2+3+4+5R-5-4-3-2-1-0");
  g_string_free (other.trace, TRUE);
  gb_node_unref (second);
}
END_TEST

/* The registry. */

static const struct gb_driver null_driver = { .name = "null", .abi = 3, .probe = fake_probe };
static const struct gb_driver reference_driver = { .name = "reference", .abi = 3, .probe = fake_probe };
static const struct gb_driver old_driver = { .name = "old", .abi = 2, .probe = fake_probe };
static const struct gb_driver vulkan_driver = { .name = "vulkan", .abi = 3, .probe = fake_probe };
static const struct gb_driver hollow_driver = { .name = "hollow", .abi = 3 };

static guint n_loads;

static const struct gb_driver *
load (const char *name, const char *origin, gpointer data, GError **error)
{
  n_loads++;
  ck_assert_ptr_eq (data, &n_loads);
  if (strcmp (origin, "/drivers/vulkan.so") == 0)
    return &vulkan_driver;
  if (strcmp (origin, "/drivers/old.so") == 0)
    return &old_driver;
  if (strcmp (origin, "/drivers/liar.so") == 0)
    return &null_driver;
  if (strcmp (origin, "/drivers/hollow.so") == 0)
    return &hollow_driver;
  if (strcmp (origin, "/drivers/silent.so") != 0)
    g_set_error (error, GB_ERROR, GB_ERROR_FAILED, "'%s' is no module", origin);
  return NULL;
}

/* Which of these are new: "NULL" is the name of a built-in driver, the second
 * "vulkan" that of a module. */
static const struct
{
  const char *name;
  const char *origin;
  bool is_new;
} modules[] = {
  { "Vulkan", "/drivers/vulkan.so", true },
  { "silent", "/drivers/silent.so", true },
  { "old", "/drivers/old.so", true },
  { "NULL", "/drivers/null.so", false },
  { "liar", "/drivers/liar.so", true },
  { "broken", "/drivers/broken.so", true },
  { "vulkan", "/drivers/other.so", false },
  { "hollow", "/drivers/hollow.so", true },
};

static struct gb_driver_registry *
make_registry (void)
{
  struct gb_driver_registry *registry = gb_driver_registry_new (3, load, &n_loads);

  ck_assert (gb_driver_registry_add (registry, &reference_driver, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (modules); i++)
    {
      GError *error = NULL;

      /* Built-in drivers stand first even when they come late. */
      if (i == 3)
        ck_assert (gb_driver_registry_add (registry, &null_driver, NULL));
      ck_assert (gb_driver_registry_add_module (registry, modules[i].name, modules[i].origin, &error)
                 == modules[i].is_new);
      ck_assert_ptr_null (error);
    }
  return registry;
}

START_TEST (names_in_order)
{
  struct gb_driver_registry *registry = make_registry ();
  char **names = gb_driver_registry_names (registry);
  char *joined = g_strjoinv (" ", names);

  ck_assert_str_eq (joined, "reference null broken hollow liar old silent vulkan");
  ck_assert_uint_eq (n_loads, 0);
  g_free (joined);
  g_strfreev (names);
  gb_driver_registry_free (registry);
  gb_driver_registry_free (NULL);
}
END_TEST

START_TEST (loaded_once_when_asked_for)
{
  struct gb_driver_registry *registry = make_registry ();

  ck_assert_ptr_eq (gb_driver_registry_get (registry, "null", NULL), &null_driver);
  ck_assert_ptr_eq (gb_driver_registry_get (registry, "Reference", NULL), &reference_driver);
  ck_assert_uint_eq (n_loads, 0);
  ck_assert_ptr_eq (gb_driver_registry_get (registry, "vulkan", NULL), &vulkan_driver);
  ck_assert_ptr_eq (gb_driver_registry_get (registry, "VULKAN", NULL), &vulkan_driver);
  ck_assert_uint_eq (n_loads, 1);
  gb_driver_registry_free (registry);
}
END_TEST

START_TEST (bad_modules)
{
  static const struct
  {
    const char *name;
    enum gb_error code;
    const char *words[2];
  } cases[] = {
    { "old", GB_ERROR_WRONG_ABI, { "2", "3" } },
    { "liar", GB_ERROR_INVALID_NAME, { "liar", "null" } },
    { "hollow", GB_ERROR_FAILED, { "hollow", "probe" } },
    { "broken", GB_ERROR_FAILED, { "/drivers/broken.so", "module" } },
    { "silent", GB_ERROR_FAILED, { "silent", "/drivers/silent.so" } },
    { "missing", GB_ERROR_NOT_FOUND, { "missing", "" } },
  };
  struct gb_driver_registry *registry = make_registry ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GError *error = NULL;

      ck_assert_ptr_null (gb_driver_registry_get (registry, cases[i].name, &error));
      ck_assert_msg (g_error_matches (error, GB_ERROR, (int) cases[i].code), "%s", error->message);
      ck_assert_ptr_nonnull (strstr (error->message, cases[i].words[0]));
      ck_assert_ptr_nonnull (strstr (error->message, cases[i].words[1]));
      g_clear_error (&error);
    }
  gb_driver_registry_free (registry);
}
END_TEST

START_TEST (bad_names_and_doubles)
{
  static const char *const bad[] = { "", "-a", "a b", "../vulkan", "vulkan.so", "\xc3\xa9" };
  struct gb_driver_registry *registry = make_registry ();
  GError *error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      ck_assert (!gb_driver_registry_add_module (registry, bad[i], "/x", &error));
      ck_assert (g_error_matches (error, GB_ERROR, GB_ERROR_INVALID_NAME));
      g_clear_error (&error);
    }
  ck_assert (!gb_driver_registry_add (registry, &null_driver, &error));
  ck_assert (g_error_matches (error, GB_ERROR, GB_ERROR_EXISTS));
  g_clear_error (&error);
  ck_assert (!gb_driver_registry_add (registry, &old_driver, &error));
  ck_assert (g_error_matches (error, GB_ERROR, GB_ERROR_WRONG_ABI));
  g_clear_error (&error);
  gb_driver_registry_free (registry);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("driver");
  TCase *test_case = gb_test_case (suite, "binding");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_loop_test (test_case, fails_at_every_step, 0, N_STEPS);
  tcase_add_test (test_case, silent_failure_gets_an_error);
  tcase_add_test (test_case, nothing_here_is_quiet);
  tcase_add_test (test_case, bound_and_unbound);
  tcase_add_test (test_case, bound_many_times);

  test_case = gb_test_case (suite, "registry");
  tcase_add_test (test_case, names_in_order);
  tcase_add_test (test_case, loaded_once_when_asked_for);
  tcase_add_test (test_case, bad_modules);
  tcase_add_test (test_case, bad_names_and_doubles);
  return suite;
}

GB_TEST_MAIN (make_suite)
