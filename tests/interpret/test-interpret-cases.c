/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cases of tests/cases, and the programs of tests/frontend/values, on the interpreter, as subgroups of
 * different sizes. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "tests/cases/words.h"
#include "tests/interpret/interpret-test.h"
#include "tests/test-main.h"

static void
run (const struct interpret_program *program, const char *path, const char *line, guint threads, const struct words *in,
     const struct words *out)
{
  struct words got = *out, given = *in;
  struct interpret_binding bindings[2] = {
    { .data = (uint8_t *) given.at, .size = 4 * given.n },
    { .data = (uint8_t *) got.at, .size = 4 * got.n }
  };

  memset (got.at, 0xaa, sizeof got.at);
  interpreted_run (program, bindings, threads, threads, 1, 0);
  for (uint32_t i = 0; i < out->n; i++)
    ck_assert_msg (same_word (got.at[i], out->at[i], out->type), "%s: %s: word %u is 0x%08x, not 0x%08x", path, line, i,
                   got.at[i], out->at[i]);
}

/* Returns how many runs the file asks for. */
static guint
run_all (const struct interpret_program *program, const char *path, const char *text)
{
  char **lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      struct words in, out;
      const char *rest, *second;
      guint64 threads = 1;
      char *first;

      if (!g_str_has_prefix (lines[i], "// run: "))
        continue;
      if (g_str_has_prefix (lines[i], "// run: threads="))
        threads = g_ascii_strtoull (lines[i] + strlen ("// run: threads="), NULL, 10);
      rest = strstr (lines[i], " in=");
      ck_assert_msg (rest != NULL && threads > 0, "%s: no in= or no threads in: %s", path, lines[i]);
      rest += strlen (" in=");
      second = strstr (rest, " out=");
      ck_assert_msg (second != NULL, "%s: no out= in: %s", path, lines[i]);
      first = g_strndup (rest, (gsize) (second - rest));
      parse_words (first, &in);
      parse_words (second + strlen (" out="), &out);
      run (program, path, lines[i], (guint) threads, &in, &out);
      g_free (first);
      n++;
    }
  g_strfreev (lines);
  return n;
}

static void
check_file (const char *path)
{
  static const uint32_t widths[] = { 1, 8, 32, 64 };
  struct interpreted kernels;
  char *text;

  ck_assert (g_file_get_contents (path, &text, NULL, NULL));
  interpreted_init (&kernels, path, text);
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      struct interpret_program *program = interpreted_program (&kernels, "main_", widths[i]);
      ck_assert_msg (run_all (program, path, text) > 0, "%s: no runs", path);
      interpret_program_free (program);
    }
  interpreted_clear (&kernels);
  g_free (text);
}

static void
check_folder (const char *part, const char *name_of_folder, guint at_least)
{
  const char *top = g_getenv ("top_srcdir"), *name;
  char *folder = g_build_filename (top != NULL ? top : ".", "tests", part, name_of_folder, NULL);
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  ck_assert_msg (dir != NULL, "no folder %s", folder);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".gk"))
      {
        char *path = g_build_filename (folder, name, NULL);
        check_file (path);
        g_free (path);
        n++;
      }
  ck_assert_uint_ge (n, at_least);
  g_dir_close (dir);
  g_free (folder);
}

START_TEST (test_cases)
{
  check_folder ("cases", NULL, 30);
}
END_TEST

START_TEST (test_values)
{
  check_folder ("frontend", "values", 3);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("interpret-cases");
  TCase *test_case = gb_test_case (suite, "cases");

  tcase_add_test (test_case, test_cases);
  tcase_add_test (test_case, test_values);
  return suite;
}

GB_TEST_MAIN (make_suite)
