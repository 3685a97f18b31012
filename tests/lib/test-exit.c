/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/exit.h"

#include <glib.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fork.h"
#include "tests/test-main.h"

/* How the child ends when all is well; anything else says what was wrong. */
#define ALL_WELL 42

static gint finished, begun;

/* Registered before the guard, and so called after it. */
static void
look_at_it (void)
{
  _exit (g_atomic_int_get (&finished) ? ALL_WELL : 1);
}

static void
look_whether_it_began (void)
{
  if (gb_exit_begin_work ())
    _exit (2);
  _exit (gb_exit_has_begun () ? ALL_WELL : 3);
}

static gpointer
work (gpointer milliseconds)
{
  if (!gb_exit_begin_work ())
    gb_exit_park ();
  g_atomic_int_set (&begun, 1);
  g_usleep (GPOINTER_TO_UINT (milliseconds) * 1000);
  g_atomic_int_set (&finished, 1);
  gb_exit_end_work ();
  return NULL;
}

static void
start_work (guint milliseconds)
{
  g_thread_unref (g_thread_new ("work", work, GUINT_TO_POINTER (milliseconds)));
  while (!g_atomic_int_get (&begun))
    g_usleep (100);
}

static void
waits_for_work (void)
{
  atexit (look_at_it);
  gb_exit_guard ();
  start_work (200);
  exit (0);
}

/* A library registers a handler when it comes to need one, which then runs before ours. */
static void
waits_before_handlers (void)
{
  gb_exit_guard ();
  atexit (look_at_it);
  start_work (200);
  exit (0);
}

/* Libraries that are loaded later come with a guard of their own; only the first to run waits. */
static void
begins_no_more (void)
{
  atexit (look_whether_it_began);
  gb_exit_guard ();
  gb_exit_guard ();
  exit (0);
}

/* Work that does not end is not waited for for ever. */
static void
has_limits (void)
{
  atexit (look_whether_it_began);
  gb_exit_guard ();
  start_work (3600 * 1000);
  exit (0);
}

/* A function on the working thread may end the process. */
static void
ends_from_within (void)
{
  gint64 begin = g_get_monotonic_time ();

  if (!gb_exit_begin_work ())
    _exit (4);
  gb_exit_guard ();
  if (g_get_monotonic_time () - begin > G_USEC_PER_SEC)
    _exit (5);
  exit (ALL_WELL);
}

/* What the parent's threads did is not the child's. */
static void
forgets_the_parent (void)
{
  pid_t child;
  int status = 0;

  gb_fork_generation ();
  gb_exit_guard ();
  start_work (3600 * 1000);
  child = fork ();
  if (child == 0)
    {
      gint64 begin = g_get_monotonic_time ();

      if (!gb_exit_begin_work ())
        _exit (6);
      gb_exit_end_work ();
      if (g_get_monotonic_time () - begin > G_USEC_PER_SEC)
        _exit (7);
      exit (ALL_WELL);
    }
  waitpid (child, &status, 0);
  _exit (WIFEXITED (status) ? WEXITSTATUS (status) : 8);
}

static void (*const ends[]) (void) = { waits_for_work, waits_before_handlers, begins_no_more, has_limits, ends_from_within, forgets_the_parent };

START_TEST (process_ends)
{
  gint64 start = g_get_monotonic_time ();
  pid_t child = fork ();
  int status = 0;

  if (child == 0)
    {
      ends[_i] ();
      _exit (9);
    }
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  ck_assert_msg (WIFEXITED (status), "it ended with status %#x", status);
  ck_assert_int_eq (WEXITSTATUS (status), ALL_WELL);
  /* Nowhere near the hour that the work takes. */
  ck_assert_int_lt (g_get_monotonic_time () - start, 60 * G_USEC_PER_SEC);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("exit");
  TCase *test_case = gb_test_case (suite, "exit");

  tcase_add_loop_test (test_case, process_ends, 0, (int) G_N_ELEMENTS (ends));
  return suite;
}

GB_TEST_MAIN (make_suite)
