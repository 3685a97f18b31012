/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/fork.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/test-main.h"

static gpointer
ask (gpointer data)
{
  return GUINT_TO_POINTER (gb_fork_generation ());
}

START_TEST (child_sees_another_generation)
{
  guint generation = gb_fork_generation ();
  int status = 0;
  pid_t child;

  ck_assert_uint_ge (generation, 1);
  ck_assert_uint_eq (gb_fork_generation (), generation);
  child = fork ();
  ck_assert_int_ge (child, 0);
  if (child == 0)
    {
      pid_t grandchild;

      if (gb_fork_generation () != generation + 1)
        _exit (1);
      grandchild = fork ();
      if (grandchild == 0)
        _exit (gb_fork_generation () == generation + 2 ? 0 : 1);
      if (waitpid (grandchild, &status, 0) != grandchild || status != 0)
        _exit (2);
      _exit (gb_fork_generation () == generation + 1 ? 0 : 3);
    }
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  ck_assert_int_eq (status, 0);
  ck_assert_uint_eq (gb_fork_generation (), generation);
}
END_TEST

START_TEST (threads_agree)
{
  GThread *threads[4];

  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new (NULL, ask, NULL);
  for (int i = 0; i < 4; i++)
    ck_assert_uint_eq (GPOINTER_TO_UINT (g_thread_join (threads[i])), gb_fork_generation ());
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("fork");
  TCase *test_case = gb_test_case (suite, "fork");

  tcase_add_test (test_case, child_sees_another_generation);
  tcase_add_test (test_case, threads_agree);
  return suite;
}

GB_TEST_MAIN (make_suite)
