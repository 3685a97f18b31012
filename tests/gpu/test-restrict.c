/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a kernel says by `restrict` is checked when it is dispatched: views of one buffer that share bytes are refused where
 * they break it, and all others run and give right values. */

#include "config.h"

#include "tests/gpu/device-test.h"

#define THREADS  64
#define LENGTH   256                     /* elements of the buffer, the n-th of which is n */
#define OTHER    G_MAXUINT               /* a view of a buffer of its own, with the elements from LENGTH on */

struct row
{
  const char *qualifiers[3];
  const char *body;
  guint firsts[3];                       /* element that the view of an argument begins at */
  const char *refused;                   /* part of the message; NULL: it runs */
};

#define SUM "c[i] = 2 * a[i] + b[i];"

static const struct row rows[] = {
  /* What is written through a restrict argument. */
  { { "const", "const", "restrict" }, SUM, { 0, 64, 128 }, NULL },
  { { "const", "const", "restrict" }, SUM, { 0, 0, 64 }, NULL },
  { { "const", "const", "restrict" }, SUM, { 128, 32, OTHER }, NULL },
  { { "const", "const", "restrict" }, SUM, { 0, 64, 0 }, "“c” of “test” is restrict, and “a” has the bytes from 0 to 256" },
  { { "const", "const", "restrict" }, SUM, { 0, 64, 127 }, "“c” of “test” is restrict, and “b” has the bytes from 508 to 512" },
  { { "const", "const", "restrict" }, SUM, { 190, 0, 127 }, "“c” of “test” is restrict, and “a” has the bytes from 760 to 764" },
  { { "const", "", "restrict" }, SUM, { 0, 64, 127 }, "“b” has the bytes from 508 to 512" },
  { { "const", "restrict", "restrict" }, SUM, { 0, 64, 127 }, "“b” of “test” is restrict, and “c” has" },
  /* What is read through one, and written through another. */
  { { "const restrict", "const", "" }, SUM, { 0, 64, 128 }, NULL },
  { { "const restrict", "const", "" }, SUM, { 0, 0, 64 }, NULL },
  { { "const restrict", "const", "" }, SUM, { 0, 64, 64 }, NULL },
  { { "const restrict", "const", "" }, SUM, { 0, 64, 0 }, "“a” of “test” is restrict, and “c” has the bytes from 0 to 256" },
  { { "const", "restrict", "" }, SUM, { 0, 64, 1 }, "“b” of “test” is restrict, and “c” has the bytes from 256 to 260" },
  /* Neither is restrict, or one is not touched. */
  { { "const", "const", "" }, SUM, { 0, 64, 0 }, NULL },
  { { "const", "const", "restrict" }, "c[i] = 3 * b[i] + a.length - a.length;", { 64, 0, 64 }, NULL },
  { { "restrict", "restrict", "restrict" }, SUM, { 0, 0, 128 }, NULL },
};

static guint32
number (guint first, guint i)
{
  return first == OTHER ? LENGTH + i : first + i;
}

/* What the third view has when the kernel has run. */
static guint32
value_of (const struct row *row, guint i)
{
  if (strcmp (row->body, SUM) != 0)
    return 3 * number (row->firsts[1], i);
  return 2 * number (row->firsts[0], i) + number (row->firsts[1], i);
}

static void
run_row (struct device_test *test, const struct row *row)
{
  char *source = g_strdup_printf ("kernel(64) void test(%s buffer<uint> a, %s buffer<uint> b, %s buffer<uint> c)\n"
                                  "{ uint i = global_id.x; %s }\n", row->qualifiers[0], row->qualifiers[1], row->qualifiers[2], row->body);
  GabbroShader *shader = new_shader (test->device, source, "test");
  GabbroBuffer *buffer = new_buffer (test->device, "uint", LENGTH), *other = new_buffer (test->device, "uint", THREADS), *views[3];
  guint32 data[LENGTH + THREADS], found[THREADS];
  GabbroCommandList *list = new_list (test->device);
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    data[i] = i;
  upload (buffer, data, LENGTH * sizeof *data);
  upload (other, data + LENGTH, THREADS * sizeof *data);
  for (guint i = 0; i < 3; i++)
    views[i] = row->firsts[i] == OTHER ? new_view (other, 0, THREADS) : new_view (buffer, row->firsts[i], THREADS);
  gabbro_command_list_run (list, shader, THREADS, 1, 1, &error, "a", views[0], "b", views[1], "c", views[2], NULL);
  if (row->refused != NULL)
    {
      assert_message (error, row->refused);
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
      g_object_unref (list);
    }
  else
    {
      finish_list (test, list, error);
      download (views[2], found, sizeof found);
      for (guint i = 0; i < THREADS; i++)
        ck_assert_uint_eq (found[i], value_of (row, i));
    }
  for (guint i = 0; i < 3; i++)
    g_object_unref (views[i]);
  g_object_unref (buffer);
  g_object_unref (other);
  g_object_unref (shader);
  g_free (source);
}

START_TEST (on_vulkan)
{
  struct device_test test = device_test_begin ();

  run_row (&test, &rows[_i]);
  device_test_end (&test);
}
END_TEST

START_TEST (on_reference)
{
  struct device_test test = device_test_on (context_with ("reference", "1", NULL), "reference");

  run_row (&test, &rows[_i]);
  device_test_end (&test);
}
END_TEST

/* Another argument in its place mends it, before the dispatch; who sees the kernel can tell why. */
START_TEST (arguments)
{
  static const char source[] = "kernel(64) void copy(const buffer<uint> from, restrict buffer<uint> to, const restrict byte_buffer raw)\n"
                               "{ to[global_id.x] = from[global_id.x] + raw.load<uint>(0); }\n";
  struct device_test test = null_test_begin ("1");
  GabbroShader *shader = new_shader (test.device, source, "copy");
  GabbroKernel *kernel = gabbro_shader_get_kernel (shader);
  GabbroBuffer *one = new_buffer (test.device, "uint", THREADS), *two = new_buffer (test.device, "uint", THREADS);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;

  ck_assert_str_eq (gabbro_kernel_get_argument_type (kernel, 0), "const buffer<uint>");
  ck_assert_str_eq (gabbro_kernel_get_argument_type (kernel, 1), "restrict buffer<uint>");
  ck_assert_str_eq (gabbro_kernel_get_argument_type (kernel, 2), "const restrict byte_buffer");
  ck_assert (gabbro_command_list_set_shader (list, shader, &error));
  ck_assert (gabbro_command_list_set_buffer (list, 0, one, &error));
  ck_assert (gabbro_command_list_set_buffer (list, 1, one, &error));
  ck_assert (gabbro_command_list_set_buffer (list, 2, one, &error));
  ck_assert (gabbro_command_list_set_buffer (list, 1, two, &error));
  ck_assert (gabbro_command_list_dispatch (list, THREADS, 1, 1, &error));
  finish_list (&test, list, error);
  g_object_unref (one);
  g_object_unref (two);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("restrict");
  TCase *test_case = gb_test_case (suite, "rows"), *null = null_test_case (suite, "null");

  tcase_add_loop_test (test_case, on_vulkan, 0, (int) G_N_ELEMENTS (rows));
  tcase_add_loop_test (test_case, on_reference, 0, (int) G_N_ELEMENTS (rows));
  tcase_add_test (null, arguments);
  return suite;
}

GB_TEST_MAIN (make_suite)
