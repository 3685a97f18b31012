/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every Check program of this tree shares: one main. Usage:
 *
 *   static Suite *make_suite (void) { … }
 *   GB_TEST_MAIN (make_suite)
 */

#pragma once

#include <check.h>
#include <glib.h>
#include <stdlib.h>

/* Long enough for llvmpipe under valgrind, short enough for a hang to be seen. */
#define GB_TEST_TIMEOUT 120

static inline TCase *
gb_test_case (Suite *suite, const char *name)
{
  TCase *test_case = tcase_create (name);
  tcase_set_timeout (test_case, GB_TEST_TIMEOUT);
  suite_add_tcase (suite, test_case);
  return test_case;
}

#define GB_TEST_MAIN(make_suite)                            \
  int                                                       \
  main (void)                                               \
  {                                                         \
    SRunner *runner = srunner_create (make_suite ());       \
    srunner_run_all (runner, CK_ENV);                       \
    int failed = srunner_ntests_failed (runner);            \
    srunner_free (runner);                                  \
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;       \
  }
