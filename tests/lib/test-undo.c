/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/undo.h"

#include "tests/test-main.h"

static GString *trace;

static void
note (gpointer data)
{
  g_string_append (trace, data);
}

static void
note_capital (gpointer data)
{
  g_string_append_c (trace, g_ascii_toupper (*(const char *) data));
}

static void
expect (const char *wanted)
{
  ck_assert_str_eq (trace->str, wanted);
  g_string_truncate (trace, 0);
}

static void
setup (void)
{
  trace = g_string_new (NULL);
}

static void
teardown (void)
{
  g_string_free (trace, TRUE);
}

static char a[] = "a", b[] = "b", c[] = "c", d[] = "d";

START_TEST (reverse_order)
{
  struct gb_undo undo;

  gb_undo_init (&undo);
  ck_assert (gb_undo_is_empty (&undo));
  gb_undo_run (&undo);
  expect ("");
  gb_undo_add (&undo, note, a);
  gb_undo_add (&undo, note, b);
  gb_undo_add (&undo, note, c);
  ck_assert (!gb_undo_is_empty (&undo));
  gb_undo_run (&undo);
  expect ("cba");
  gb_undo_run (&undo);
  expect ("");
}
END_TEST

START_TEST (single_entries)
{
  struct gb_undo undo;

  gb_undo_init (&undo);
  gb_undo_add (&undo, note, a);
  gb_undo_add (&undo, note_capital, a);
  gb_undo_add (&undo, note, b);
  gb_undo_add (&undo, note, a);
  gb_undo_add (&undo, note, c);
  ck_assert (gb_undo_remove (&undo, note, a));
  ck_assert (!gb_undo_remove (&undo, note, d));
  ck_assert (gb_undo_run_one (&undo, note, b));
  ck_assert (!gb_undo_run_one (&undo, note, b));
  expect ("b");
  gb_undo_run (&undo);
  expect ("cAa");
}
END_TEST

START_TEST (stealing)
{
  struct gb_undo first, second;

  gb_undo_init (&first);
  gb_undo_init (&second);
  gb_undo_add (&first, note, a);
  gb_undo_add (&second, note, b);
  gb_undo_add (&second, note, c);
  gb_undo_steal (&first, &second);
  gb_undo_run (&second);
  expect ("");
  gb_undo_run (&first);
  expect ("cba");
}
END_TEST

START_TEST (groups)
{
  struct gb_undo_group *outer, *inner;
  struct gb_undo undo;

  gb_undo_init (&undo);
  gb_undo_add (&undo, note, a);
  outer = gb_undo_open_group (&undo);
  gb_undo_add (&undo, note, b);
  inner = gb_undo_open_group (&undo);
  gb_undo_add (&undo, note, c);
  gb_undo_run_group (&undo, inner);
  expect ("c");
  inner = gb_undo_open_group (&undo);
  gb_undo_add (&undo, note, d);
  gb_undo_close_group (&undo, inner);
  gb_undo_open_group (&undo);
  gb_undo_run_group (&undo, outer);
  expect ("db");
  outer = gb_undo_open_group (&undo);
  gb_undo_add (&undo, note, c);
  gb_undo_close_group (&undo, outer);
  gb_undo_open_group (&undo);
  gb_undo_run (&undo);
  expect ("ca");
  ck_assert (gb_undo_is_empty (&undo));
}
END_TEST

static void
note_and_add (gpointer data)
{
  g_string_append (trace, "x");
  gb_undo_add (data, note, d);
}

START_TEST (adding_while_running)
{
  struct gb_undo undo;

  gb_undo_init (&undo);
  gb_undo_add (&undo, note, a);
  gb_undo_add (&undo, note_and_add, &undo);
  gb_undo_run (&undo);
  expect ("xda");
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("undo");
  TCase *test_case = gb_test_case (suite, "undo");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_test (test_case, reverse_order);
  tcase_add_test (test_case, single_entries);
  tcase_add_test (test_case, stealing);
  tcase_add_test (test_case, groups);
  tcase_add_test (test_case, adding_while_running);
  return suite;
}

GB_TEST_MAIN (make_suite)
