/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The faults of drivers in KNOWN-ISSUES, by the SPIR-V that shows them: it is valid, and gives what is right or what the
 * entry says. Once it gives what is right everywhere, the entry and the generator's rule can go. */

#include "config.h"

#include <stdio.h>

#include "tests/spirv/device.h"
#include "tests/spirv/fixture.h"

/* One kernel of one thread: in[0] is read, out[0] is written. */
static const struct issue
{
  const char *name;
  uint32_t in, right, wrong;
} issues[] = {
  { "abs-of-minus-zero", 0x3f800000, 0, 0x80000000 },
  { "choice-of-zero", 0x3f800000, 0x80000000, 0 },
  { "continue-in-nested-switch", 3, 0, 16 },
  { "sum-with-zero", 0x40400000, 0, 0x80000000 },
};

static char *
read_issue (const char *name)
{
  const char *top = g_getenv ("top_srcdir");
  char *file = g_strconcat (name, ".spvasm", NULL);
  char *path = g_build_filename (top != NULL ? top : ".", "tests", "random", "known-issues", file, NULL);
  char *text = NULL;
  GError *error = NULL;

  ck_assert_msg (g_file_get_contents (path, &text, NULL, &error), "%s", error != NULL ? error->message : "");
  g_free (file);
  g_free (path);
  return text;
}

static uint32_t
run_words (struct device *device, uint32_t *words, gsize n_words, uint32_t in)
{
  static const struct spirv_options options = { .optimization_level = 0 };
  static const struct spirv_dispatch_constants dispatch = { .dispatch_size = { 1, 1, 1 } };
  struct fixture fixture;
  struct spirv_result result;
  GError *error = NULL;
  uint32_t out = 0xaaaaaaaa;
  const struct device_argument arguments[] = { { &in, sizeof in, 0, 1, 0, 0 }, { &out, sizeof out, 0, 1, 0, 0 } };

  /* What is around the words is that of a kernel of the same arguments. */
  fixture_init_text (&fixture, "kernel(1) void test(const buffer<uint> in, buffer<uint> out) { out[0] = in[0]; }");
  ck_assert (spirv_compile (fixture.module, "test", &device->target, &options, &result, &error));
  result.words = words;
  result.n_words = n_words;
  ck_assert (device_run (device, &result, arguments, &dispatch));
  spirv_result_clear (&result);
  fixture_clear (&fixture);
  return out;
}

START_TEST (test_issue)
{
  const struct issue *issue = &issues[_i];
  char *text = read_issue (issue->name);
  struct device *device = device_open ();
  gsize n_words;
  uint32_t *words = fixture_assemble (text, &n_words);
  uint32_t out;

  ck_assert_ptr_nonnull (device);
  out = run_words (device, words, n_words, issue->in);
  printf ("%s: %s\n", issue->name, out == issue->right ? "this driver is right" : "still there");
  ck_assert_msg (out == issue->right || out == issue->wrong, "%s gives %u, neither %u nor %u", issue->name, out, issue->right, issue->wrong);
  device_close (device);
  g_free (words);
  g_free (text);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("known issues");
  TCase *test_case = gb_test_case (suite, "drivers");
  tcase_add_loop_test (test_case, test_issue, 0, G_N_ELEMENTS (issues));
  return suite;
}

GB_TEST_MAIN (make_suite)
