/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/attribute.h"

#include <string.h>

#include "lib/error.h"
#include "lib/node.h"
#include "tests/test-main.h"

/* A state with a member for each generic show function. */
struct state
{
  bool flag;
  guint32 flag32;
  guint8 small;
  guint32 u32;
  guint64 u64;
  gsize size;
  gint32 i32;
  gint64 i64;
  float real32;
  double real64;
  const char *string;
  char text[8];
  char **strings;
  guint8 uuid[16];
  guint32 group_count[3];
  guint64 sizes[2];
  guint32 mask;
  guint64 mask64;
  guint32 kind;
  bool stored_bool;
  guint32 stored_u32;
  guint64 stored_u64;
  gint64 stored_i64;
  bool visible;
};

static const struct gb_attribute_name bits[] = {
  { 1, "compute" }, { 2, "transfer" }, { 1 << 5, "sparse" }, { (guint64) 1 << 40, "far" }, { 0, NULL },
};

static const struct gb_attribute_name kinds[] = { { 0, "other" }, { 4, "cpu" }, { 0, NULL } };

static const struct gb_attribute plain_attributes[] = {
  GB_ATTRIBUTE ("flag", NULL, bool, GB_UNIT_NONE, struct state, flag),
  GB_ATTRIBUTE ("flag32", NULL, bool32, GB_UNIT_NONE, struct state, flag32),
  GB_ATTRIBUTE ("small", NULL, u8, GB_UNIT_COUNT, struct state, small),
  GB_ATTRIBUTE ("u32", NULL, u32, GB_UNIT_BYTES, struct state, u32),
  GB_ATTRIBUTE ("u64", NULL, u64, GB_UNIT_NANOSECONDS, struct state, u64),
  GB_ATTRIBUTE ("u32-nonzero", NULL, u32_nonzero, GB_UNIT_NONE, struct state, u32),
  GB_ATTRIBUTE ("u64-nonzero", NULL, u64_nonzero, GB_UNIT_NONE, struct state, u64),
  GB_ATTRIBUTE ("size", NULL, size, GB_UNIT_NONE, struct state, size),
  GB_ATTRIBUTE ("i32", NULL, i32, GB_UNIT_NONE, struct state, i32),
  GB_ATTRIBUTE ("i64", NULL, i64, GB_UNIT_NONE, struct state, i64),
  GB_ATTRIBUTE ("float", NULL, float, GB_UNIT_NONE, struct state, real32),
  GB_ATTRIBUTE ("double", NULL, double, GB_UNIT_NONE, struct state, real64),
  GB_ATTRIBUTE ("string", NULL, string, GB_UNIT_NONE, struct state, string),
  GB_ATTRIBUTE_TEXT ("text", NULL, struct state, text),
  GB_ATTRIBUTE ("strings", NULL, strings, GB_UNIT_NONE, struct state, strings),
  GB_ATTRIBUTE ("uuid", NULL, uuid, GB_UNIT_NONE, struct state, uuid),
  GB_ATTRIBUTE_ARRAY ("group-count", NULL, u32, GB_UNIT_COUNT, struct state, group_count),
  GB_ATTRIBUTE_ARRAY ("sizes", NULL, u64, GB_UNIT_BYTES, struct state, sizes),
  GB_ATTRIBUTE_NAMES ("mask", NULL, mask32, bits, struct state, mask),
  GB_ATTRIBUTE_NAMES ("mask64", NULL, mask64, bits, struct state, mask64),
  GB_ATTRIBUTE_NAMES ("kind", NULL, enum, kinds, struct state, kind),
};

static enum gb_show
show_wrong_type (struct gb_node *node, gpointer state, const struct gb_attribute *attribute,
                 struct gb_value *value, GError **error)
{
  gb_value_set_string (value, "number");
  return GB_SHOW_OK;
}

static enum gb_show
show_failure (struct gb_node *node, gpointer state, const struct gb_attribute *attribute,
              struct gb_value *value, GError **error)
{
  gb_value_set_u64 (value, 1);
  if (attribute->data != NULL)
    g_set_error_literal (error, GB_ERROR, GB_ERROR_OUT_OF_RANGE, attribute->data);
  return GB_SHOW_FAILED;
}

static enum gb_show
show_absent (struct gb_node *node, gpointer state, const struct gb_attribute *attribute,
             struct gb_value *value, GError **error)
{
  gb_value_set_string (value, "not to be seen");
  return GB_SHOW_ABSENT;
}

static bool
store_failure (struct gb_node *node, gpointer state, const struct gb_attribute *attribute,
               const struct gb_value *value, GError **error)
{
  return false;
}

static bool
store_i64 (struct gb_node *node, gpointer state, const struct gb_attribute *attribute,
           const struct gb_value *value, GError **error)
{
  ((struct state *) state)->stored_i64 = value->as.i64;
  return true;
}

#define STORED(name_, type_, kind, member)                                             \
  {                                                                                    \
    .name = (name_), .type = (type_), .mode = GB_ATTRIBUTE_READ_WRITE,                 \
    .show = gb_attribute_show_##kind, .store = gb_attribute_store_##kind,              \
    .offset = offsetof (struct state, member)                                          \
  }

static const struct gb_attribute odd_attributes[] = {
  GB_ATTRIBUTE_FUNC ("wrong-type", NULL, GB_VALUE_U64, GB_UNIT_NONE, show_wrong_type),
  GB_ATTRIBUTE_FUNC ("silent", NULL, GB_VALUE_U64, GB_UNIT_NONE, show_failure),
  { .name = "broken", .type = GB_VALUE_U64, .mode = GB_ATTRIBUTE_READ, .show = show_failure, .data = "it broke" },
  GB_ATTRIBUTE_FUNC ("absent", NULL, GB_VALUE_STRING, GB_UNIT_NONE, show_absent),
  STORED ("bool", GB_VALUE_BOOL, bool, stored_bool),
  STORED ("u32", GB_VALUE_U64, u32, stored_u32),
  STORED ("u64", GB_VALUE_U64, u64, stored_u64),
  { .name = "write-only", .type = GB_VALUE_I64, .mode = GB_ATTRIBUTE_WRITE, .store = store_i64 },
  { .name = "refuses", .type = GB_VALUE_U64, .mode = GB_ATTRIBUTE_READ_WRITE, .store = store_failure },
};

static bool
odd_visible (struct gb_node *node, gpointer state)
{
  return ((struct state *) state)->visible;
}

static const struct gb_attribute_group plain_group = {
  .attributes = plain_attributes, .n_attributes = G_N_ELEMENTS (plain_attributes),
};

static const struct gb_attribute_group odd_group = {
  .name = "odd", .attributes = odd_attributes, .n_attributes = G_N_ELEMENTS (odd_attributes),
  .visible = odd_visible,
};

/* The named group stands first, and the nameless one still wins for "u32". */
static const struct gb_node_type type = {
  .name = "thing",
  .groups = (const struct gb_attribute_group *const[]) { &odd_group, &plain_group, NULL },
};

static struct state state;
static struct gb_tree *tree;
static struct gb_node *node;
static struct gb_value value;

static void
setup (void)
{
  memset (&state, 0, sizeof state);
  state.visible = true;
  tree = gb_tree_new (GB_TREE_NORMAL, 0);
  node = gb_node_new (tree, &type, "thing", &state);
}

static void
teardown (void)
{
  gb_value_clear (&value);
  gb_node_unref (node);
  gb_tree_unref (tree);
}

/* "-" for absent. */
static void
expect (const char *name, const char *wanted)
{
  GError *error = NULL;
  enum gb_show result = gb_node_show (node, name, &value, &error);
  GString *text = g_string_new (NULL);

  ck_assert_msg (error == NULL, "%s: %s", name, error != NULL ? error->message : "");
  ck_assert_int_ne (result, GB_SHOW_FAILED);
  if (result == GB_SHOW_ABSENT)
    g_string_assign (text, "-");
  else
    gb_value_append_text (&value, text);
  ck_assert_msg (strcmp (text->str, wanted) == 0, "%s: '%s', not '%s'", name, text->str, wanted);
  g_string_free (text, TRUE);
}

static void
expect_failure (const char *name, enum gb_error code)
{
  GError *error = NULL;

  gb_value_set_u64 (&value, 4711);
  ck_assert_int_eq (gb_node_show (node, name, &value, &error), GB_SHOW_FAILED);
  ck_assert (g_error_matches (error, GB_ERROR, (int) code));
  ck_assert_uint_eq (value.as.u64, 4711);
  g_clear_error (&error);
  ck_assert_int_eq (gb_node_show (node, name, &value, NULL), GB_SHOW_FAILED);
}

START_TEST (members_of_every_kind)
{
  char *strings[] = { (char *) "a", (char *) "b", NULL };

  expect ("flag", "no");
  expect ("u32-nonzero", "-");
  expect ("u64-nonzero", "-");
  expect ("string", "-");
  expect ("text", "-");
  expect ("strings", "-");
  expect ("uuid", "-");
  expect ("mask", "");
  expect ("kind", "other");
  state = (struct state) {
    .flag = true, .flag32 = 2, .small = 200, .u32 = 4000000000, .u64 = G_MAXUINT64,
    .size = 12, .i32 = -7, .i64 = G_MININT64, .real32 = 0.25f, .real64 = -1.5,
    .string = "feldspar", .text = "eightchr", .strings = strings, .uuid = { 0xab },
    .group_count = { 1, 2, 65535 }, .sizes = { 5, G_MAXUINT64 }, .mask = 1 | 1 << 5 | 1 << 9,
    .mask64 = (guint64) 1 << 40 | 2, .kind = 4, .visible = true,
  };
  expect ("flag", "yes");
  expect ("flag32", "yes");
  expect ("small", "200");
  expect ("u32", "4000000000 B");
  expect ("u64", "18446744073709551615 ns");
  expect ("u32-nonzero", "4000000000");
  expect ("u64-nonzero", "18446744073709551615");
  expect ("size", "12");
  expect ("i32", "-7");
  expect ("i64", "-9223372036854775808");
  expect ("float", "0.25");
  expect ("double", "-1.5");
  expect ("string", "feldspar");
  expect ("text", "eightchr");
  expect ("strings", "a, b");
  expect ("uuid", "ab000000-0000-0000-0000-000000000000");
  expect ("group-count", "1, 2, 65535");
  expect ("sizes", "5, 18446744073709551615 B");
  expect ("mask", "compute, sparse");
  expect ("mask64", "transfer, far");
  expect ("kind", "cpu");
  state.kind = 1;
  expect ("kind", "-");
}
END_TEST

START_TEST (failures_and_absence)
{
  GError *error = NULL;

  expect ("odd.absent", "-");
  expect ("absent", "-");
  expect_failure ("odd.wrong-type", GB_ERROR_WRONG_TYPE);
  expect_failure ("silent", GB_ERROR_FAILED);
  expect_failure ("broken", GB_ERROR_OUT_OF_RANGE);
  expect_failure ("write-only", GB_ERROR_NOT_READABLE);
  expect_failure ("nothing", GB_ERROR_NOT_FOUND);
  expect_failure ("odd.nothing", GB_ERROR_NOT_FOUND);
  expect_failure ("od.absent", GB_ERROR_NOT_FOUND);
  expect_failure ("odds.absent", GB_ERROR_NOT_FOUND);
  expect_failure (".flag", GB_ERROR_NOT_FOUND);
  expect_failure ("", GB_ERROR_NOT_FOUND);
  gb_node_show (node, "nothing", &value, &error);
  ck_assert_ptr_nonnull (strstr (error->message, "nothing"));
  ck_assert_ptr_nonnull (strstr (error->message, "thing"));
  g_clear_error (&error);
}
END_TEST

START_TEST (names_and_visibility)
{
  const struct gb_attribute_group *group = NULL;

  state.u32 = 1;
  state.stored_u32 = 2;
  expect ("u32", "1 B");
  expect ("odd.u32", "2");
  expect ("bool", "no");
  state.visible = false;
  expect ("odd.u32", "-");
  expect ("bool", "-");
  expect ("broken", "-");
  ck_assert_ptr_eq (gb_node_find_attribute (node, "bool", &group), &odd_attributes[4]);
  ck_assert_ptr_eq (group, &odd_group);
  ck_assert_ptr_eq (gb_node_find_attribute (node, "u32", NULL), &plain_attributes[3]);
  ck_assert_ptr_null (gb_node_find_attribute (node, "nothing", NULL));
  gb_value_set_bool (&value, true);
  ck_assert (!gb_node_store (node, "odd.bool", &value, NULL));
  ck_assert (!state.stored_bool);
}
END_TEST

static void
expect_store_failure (const char *name, enum gb_error code)
{
  GError *error = NULL;

  ck_assert (!gb_node_store (node, name, &value, &error));
  ck_assert_msg (g_error_matches (error, GB_ERROR, (int) code), "%s", error->message);
  g_clear_error (&error);
}

START_TEST (store)
{
  gb_value_set_bool (&value, true);
  ck_assert (gb_node_store (node, "bool", &value, NULL));
  ck_assert (state.stored_bool);
  expect_store_failure ("odd.u32", GB_ERROR_WRONG_TYPE);
  gb_value_set_u64 (&value, G_MAXUINT32);
  ck_assert (gb_node_store (node, "odd.u32", &value, NULL));
  ck_assert_uint_eq (state.stored_u32, G_MAXUINT32);
  gb_value_set_u64 (&value, (guint64) G_MAXUINT32 + 1);
  expect_store_failure ("odd.u32", GB_ERROR_OUT_OF_RANGE);
  ck_assert_uint_eq (state.stored_u32, G_MAXUINT32);
  gb_value_set_i64 (&value, 9);
  ck_assert (gb_node_store (node, "odd.u64", &value, NULL));
  ck_assert_uint_eq (state.stored_u64, 9);
  gb_value_set_i64 (&value, -9);
  expect_store_failure ("odd.u64", GB_ERROR_WRONG_TYPE);
  ck_assert (gb_node_store (node, "write-only", &value, NULL));
  ck_assert_int_eq (state.stored_i64, -9);
  gb_value_set_u64 (&value, G_MAXUINT64);
  expect_store_failure ("write-only", GB_ERROR_WRONG_TYPE);
  expect_store_failure ("u32", GB_ERROR_NOT_WRITABLE);
  expect_store_failure ("refuses", GB_ERROR_FAILED);
  expect_store_failure ("nothing", GB_ERROR_NOT_FOUND);
}
END_TEST

struct visit
{
  guint n_visited;
  guint stop_after;
  guint n_shown;
};

static bool
visitor (struct gb_node *visited, const struct gb_attribute_group *group,
         const struct gb_attribute *attribute, gpointer data)
{
  struct visit *visit = data;

  if (gb_node_show_attribute (visited, group, attribute, &value, NULL) == GB_SHOW_OK)
    {
      ck_assert_int_eq (value.type, attribute->type);
      ck_assert_int_eq (value.unit, attribute->unit);
      visit->n_shown++;
    }
  return ++visit->n_visited != visit->stop_after;
}

START_TEST (visiting)
{
  struct visit visit = { 0, 0, 0 };

  ck_assert (gb_node_visit_attributes (node, visitor, &visit));
  ck_assert_uint_eq (visit.n_visited, G_N_ELEMENTS (plain_attributes) + G_N_ELEMENTS (odd_attributes));
  ck_assert_uint_eq (visit.n_shown, G_N_ELEMENTS (plain_attributes) - 6 + 3);
  visit = (struct visit) { 0, 3, 0 };
  ck_assert (!gb_node_visit_attributes (node, visitor, &visit));
  ck_assert_uint_eq (visit.n_visited, 3);
  state.visible = false;
  visit = (struct visit) { 0, 0, 0 };
  ck_assert (gb_node_visit_attributes (node, visitor, &visit));
  ck_assert_uint_eq (visit.n_visited, G_N_ELEMENTS (plain_attributes));
  ck_assert_int_eq (gb_node_show_attribute (node, &odd_group, &odd_attributes[4], &value, NULL),
                    GB_SHOW_ABSENT);
}
END_TEST

START_TEST (all_as_variant)
{
  GVariant *attributes;
  guint64 number = 0;
  gboolean flag = TRUE;

  state.u64 = 77;
  attributes = gb_node_attributes (node);
  ck_assert_str_eq (g_variant_get_type_string (attributes), "a{sv}");
  ck_assert_uint_eq (g_variant_n_children (attributes), G_N_ELEMENTS (plain_attributes) - 5 + 3);
  ck_assert (g_variant_lookup (attributes, "u64", "t", &number));
  ck_assert_uint_eq (number, 77);
  ck_assert (g_variant_lookup (attributes, "odd.bool", "b", &flag));
  ck_assert (!flag);
  ck_assert (!g_variant_lookup (attributes, "odd.absent", "s", NULL));
  g_variant_unref (attributes);
}
END_TEST

struct more
{
  guint64 pressure;
};

static const struct gb_attribute more_attributes[] = {
  GB_ATTRIBUTE ("pressure", NULL, u64, GB_UNIT_NONE, struct more, pressure),
  GB_ATTRIBUTE ("u64", NULL, u64, GB_UNIT_NONE, struct more, pressure),
};

static const struct gb_attribute_group more_group = {
  .name = "driver", .attributes = more_attributes, .n_attributes = G_N_ELEMENTS (more_attributes),
};

START_TEST (groups_with_a_state_of_their_own)
{
  const struct gb_attribute_group *groups[] = { &more_group };
  struct more more = { 33 };

  state.u64 = 1;
  gb_node_add_groups (node, groups, 1, &more);
  expect ("driver.pressure", "33");
  expect ("pressure", "33");
  expect ("driver.u64", "33");
  expect ("u64", "1 ns");
  ck_assert_int_eq (gb_node_show_attribute (node, &more_group, &more_attributes[0], &value, NULL),
                    GB_SHOW_OK);
  ck_assert_uint_eq (value.as.u64, 33);
}
END_TEST

START_TEST (none_after_deletion)
{
  struct visit visit = { 0, 0, 0 };
  GVariant *attributes;

  ck_assert (gb_node_add (node, NULL, NULL));
  expect ("flag", "no");
  gb_node_del (node);
  expect_failure ("flag", GB_ERROR_BAD_STATE);
  gb_value_set_bool (&value, true);
  expect_store_failure ("bool", GB_ERROR_BAD_STATE);
  attributes = gb_node_attributes (node);
  ck_assert_uint_eq (g_variant_n_children (attributes), 0);
  g_variant_unref (attributes);
  ck_assert (gb_node_visit_attributes (node, visitor, &visit));
  ck_assert_uint_eq (visit.n_visited, 0);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("attribute");
  TCase *test_case = gb_test_case (suite, "attribute");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_test (test_case, members_of_every_kind);
  tcase_add_test (test_case, failures_and_absence);
  tcase_add_test (test_case, names_and_visibility);
  tcase_add_test (test_case, store);
  tcase_add_test (test_case, visiting);
  tcase_add_test (test_case, all_as_variant);
  tcase_add_test (test_case, groups_with_a_state_of_their_own);
  tcase_add_test (test_case, none_after_deletion);
  return suite;
}

GB_TEST_MAIN (make_suite)
