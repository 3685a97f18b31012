/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the reference driver tells of kernels that it runs: reports of checks, as signals and as a list, and one thread
 * looked at line by line. */

#include "config.h"

#include "tests/gpu/device-test.h"

struct news
{
  guint n_reports;
  GThread *thread;
  GPtrArray *reports;
};

static void
on_report (GabbroDevice *device, GabbroReport *report, struct news *news)
{
  news->n_reports++;
  news->thread = g_thread_self ();
  if (news->reports != NULL)
    g_ptr_array_add (news->reports, gabbro_report_ref (report));
}

static void
on_print (GabbroDevice *device, GabbroPrint *print, guint *n_prints)
{
  *n_prints += (guint) gabbro_print_is_failure (print);
}

static void
iterate_until (const guint *count, guint least)
{
  gint64 end = g_get_monotonic_time () + soon (20 * SECOND);

  while (*count < least && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (200);
  ck_assert_uint_ge (*count, least);
}

/* Reports. */

static const char faulty[] =
  "kernel(64) void over(const buffer<float> x, buffer<float> y)\n"
  "{\n"
  "    uint i = global_id.x;\n"
  "    y[i] = x[i + 1u];\n"
  "}\n"
  "kernel(1) void race(buffer<uint> out)\n"
  "{\n"
  "    out[0] = global_id.x;\n"
  "}\n"
  "kernel(1) void divide(uint by, buffer<uint> out)\n"
  "{\n"
  "    out[0] = 7u / by;\n"
  "}\n";

static GPtrArray *
list_reports (GabbroDevice *device)
{
  GPtrArray *reports = gabbro_device_list_reports (device);

  ck_assert_ptr_nonnull (reports);
  return reports;
}

static void
run_over (struct device_test *test, GabbroBuffer *x, GabbroBuffer *y)
{
  GabbroShader *shader = new_shader (test->device, faulty, "over");
  GabbroCommandList *list = new_list (test->device);
  GError *error = NULL;

  gabbro_command_list_run (list, shader, (guint32) gabbro_buffer_get_length (y), 1, 1, &error, "x", x, "y", y, NULL);
  finish_list (test, list, error);
  g_object_unref (shader);
}

START_TEST (reports_as_signals)
{
  struct device_test test = reference_test_begin ("1", "1");
  GabbroBuffer *x = new_buffer (test.device, "float", 8), *y = new_buffer (test.device, "float", 8);
  struct news news = { .reports = g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_report_unref) };
  const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  GabbroReport *report;
  GVariant *variant;
  GPtrArray *listed;
  guint at[3], line;
  guint64 count;
  const char *text;
  char *string;

  upload (x, values, sizeof values);
  g_signal_connect (test.device, "report", G_CALLBACK (on_report), &news);
  run_over (&test, x, y);
  ck_assert_uint_eq (news.n_reports, 0);
  iterate_until (&news.n_reports, 1);
  ck_assert_ptr_eq (news.thread, g_thread_self ());
  report = news.reports->pdata[0];
  ck_assert_int_eq (gabbro_report_get_kind (report), GABBRO_REPORT_OUT_OF_BOUNDS);
  ck_assert_str_eq (gabbro_report_get_kernel (report), "over");
  ck_assert_str_eq (gabbro_report_get_file (report), "test.gk");
  ck_assert_uint_eq (gabbro_report_get_line (report), 4);
  ck_assert_uint_gt (gabbro_report_get_column (report), 0);
  ck_assert_str_eq (gabbro_report_get_object (report), "x");
  ck_assert_ptr_nonnull (gabbro_report_get_hint (report));
  ck_assert_ptr_nonnull (strstr (gabbro_report_get_message (report), "“x”"));
  ck_assert_uint_eq (gabbro_report_get_count (report), 1);
  ck_assert (gabbro_report_get_thread (report, &at[0], &at[1], &at[2]));
  ck_assert (at[0] == 7 && at[1] == 0 && at[2] == 0);
  variant = gabbro_report_to_variant (report);
  ck_assert (g_variant_lookup (variant, "kind", "&s", &text) && strcmp (text, "out-of-bounds") == 0);
  ck_assert (g_variant_lookup (variant, "access", "&s", &text) && strcmp (text, "read") == 0);
  ck_assert (g_variant_lookup (variant, "line", "u", &line) && line == 4);
  ck_assert (g_variant_lookup (variant, "count", "t", &count) && count == 1);
  ck_assert (!g_variant_lookup (variant, "other-line", "u", &line));
  g_variant_unref (variant);
  string = gabbro_report_to_string (report);
  ck_assert_msg (g_str_has_prefix (string, "test.gk:4:") && strstr (string, "\n      y[i] = x[i + 1u];\n") != NULL
                 && strstr (string, "^") != NULL && strstr (string, "[out-of-bounds]") != NULL, "%s", string);
  g_free (string);

  /* The same again is no news; without a handler it is listed all the same. */
  g_signal_handlers_disconnect_by_data (test.device, &news);
  run_over (&test, x, y);
  listed = list_reports (test.device);
  ck_assert_uint_eq (listed->len, 1);
  ck_assert_ptr_eq (listed->pdata[0], report);
  g_ptr_array_unref (listed);
  ck_assert (!g_main_context_pending (NULL));
  g_ptr_array_unref (news.reports);
  g_object_unref (x);
  g_object_unref (y);
  device_test_end (&test);
}
END_TEST

/* Without a handler, and only where the program does not ask for checks itself, the log has them. */
static guint n_logged;

static GLogWriterOutput
count_logged (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data G_GNUC_UNUSED)
{
  for (gsize i = 0; i < n_fields; i++)
    if (level == G_LOG_LEVEL_MESSAGE && strcmp (fields[i].key, "MESSAGE") == 0 && strstr (fields[i].value, "[out-of-bounds]") != NULL)
      n_logged++;
  return G_LOG_WRITER_HANDLED;
}

START_TEST (reports_in_the_log)
{
  static const struct { const char *check; gboolean connects; guint logged; } rows[] = {
    { NULL, FALSE, 1 }, { NULL, TRUE, 0 }, { "1", FALSE, 0 }
  };

  g_log_set_writer_func (count_logged, NULL, NULL);
  g_setenv ("GABBRO_CHECK", "1", TRUE);
  g_setenv ("GABBRO_REFERENCE", "1", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GabbroContext *context = context_with ("driver-path", empty_folder, rows[i].check != NULL ? "check" : NULL,
                                             rows[i].check, NULL);
      struct device_test test = device_test_on (context, "reference");
      struct news news = { 0 };
      GabbroBuffer *x, *y;

      n_logged = 0;
      x = new_buffer (test.device, "float", 8);
      y = new_buffer (test.device, "float", 8);
      submit_list (test.stream, fill_list (test.device, x, 0));
      if (rows[i].connects)
        g_signal_connect (test.device, "report", G_CALLBACK (on_report), &news);
      run_over (&test, x, y);
      ck_assert_uint_eq (n_logged, rows[i].logged);
      if (rows[i].connects)
        iterate_until (&news.n_reports, 1);
      g_object_unref (x);
      g_object_unref (y);
      device_test_end (&test);
    }
}
END_TEST

/* Other kinds, and what a second place looks like. */
START_TEST (report_of_a_race)
{
  struct device_test test = reference_test_begin ("1", "1");
  GabbroShader *shader = new_shader (test.device, faulty, "race"), *divide = new_shader (test.device, faulty, "divide");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = new_list (test.device);
  GPtrArray *reports;
  GVariant *variant;
  GError *error = NULL;
  guint line;

  gabbro_command_list_run (list, shader, 3, 1, 1, &error, "out", buffer, NULL);
  assert_no_error (error);
  gabbro_command_list_run (list, divide, 1, 1, 1, &error, "by", 0u, "out", buffer, NULL);
  finish_list (&test, list, error);
  reports = list_reports (test.device);
  ck_assert_uint_eq (reports->len, 2);
  ck_assert_int_eq (gabbro_report_get_kind (reports->pdata[0]), GABBRO_REPORT_RACE);
  variant = gabbro_report_to_variant (reports->pdata[0]);
  ck_assert (g_variant_lookup (variant, "other-line", "u", &line) && line == 8);
  g_variant_unref (variant);
  ck_assert_int_eq (gabbro_report_get_kind (reports->pdata[1]), GABBRO_REPORT_DIVISION_BY_ZERO);
  ck_assert_uint_eq (gabbro_report_get_line (reports->pdata[1]), 12);
  g_ptr_array_unref (reports);
  g_object_unref (buffer);
  g_object_unref (shader);
  g_object_unref (divide);
  device_test_end (&test);
}
END_TEST

/* An assertion that does not hold is one report, however many threads say so, and a print of each of them. */
START_TEST (report_of_an_assertion)
{
  static const char source[] = "kernel(8) void positive(const buffer<int> x)\n"
                               "{\n"
                               "    assert(x[global_id.x] > 0, \"found {}\", x[global_id.x]);\n"
                               "}\n";
  struct device_test test = reference_test_begin ("1", _i == 0 ? "1" : "1,no-assert");
  GabbroShader *shader = new_shader (test.device, source, "positive");
  GabbroBuffer *x = new_buffer (test.device, "int", 8);
  struct news news = { .reports = g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_report_unref) };
  GabbroReport *report;
  guint n_prints = 0;

  g_signal_connect (test.device, "report", G_CALLBACK (on_report), &news);
  g_signal_connect (test.device, "print", G_CALLBACK (on_print), &n_prints);
  submit_list (test.stream, fill_list (test.device, x, 0));
  for (guint i = 0; i < 2; i++)
    {
      GabbroCommandList *list = new_list (test.device);
      GError *error = NULL;

      gabbro_command_list_run (list, shader, 8, 1, 1, &error, "x", x, NULL);
      finish_list (&test, list, error);
    }
  iterate_until (&n_prints, 16);
  ck_assert_uint_eq (news.n_reports, _i == 0 ? 1 : 0);
  if (_i == 0)
    {
      report = news.reports->pdata[0];
      ck_assert_int_eq (gabbro_report_get_kind (report), GABBRO_REPORT_ASSERT);
      ck_assert_uint_eq (gabbro_report_get_line (report), 3);
      ck_assert_str_eq (gabbro_report_get_file (report), "test.gk");
      ck_assert_ptr_nonnull (strstr (gabbro_report_get_message (report), "“x[global_id.x] > 0”"));
      ck_assert_ptr_nonnull (strstr (gabbro_report_get_message (report), "(0, 0, 0)"));
      ck_assert_uint_eq (gabbro_report_get_count (report), 8);
    }
  g_ptr_array_unref (news.reports);
  g_object_unref (x);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* What has been written, by whatever way, is initialised, and nothing else is. */
static guint
count_uninitialised (struct device_test *test, GabbroBuffer *x)
{
  GPtrArray *reports;
  GabbroBuffer *y = new_buffer (test->device, "float", gabbro_buffer_get_length (x) - 1);
  guint n = 0;

  run_over (test, x, y);
  reports = list_reports (test->device);
  for (guint i = 0; i < reports->len; i++)
    {
      ck_assert_int_eq (gabbro_report_get_kind (reports->pdata[i]), GABBRO_REPORT_UNINITIALISED);
      n += (guint) gabbro_report_get_count (reports->pdata[i]);
    }
  g_ptr_array_unref (reports);
  g_object_unref (x);
  g_object_unref (y);
  return n;
}

START_TEST (initialised_bytes)
{
  struct device_test test = reference_test_begin ("1", "uninitialised");
  GabbroBuffer *x = new_buffer (test.device, "float", 9), *from = new_buffer (test.device, "float", 9);
  GabbroImage *image = new_image (test.device, GABBRO_FORMAT_RGBA32_FLOAT, 2, 1);
  GabbroMapping *mapping;
  const float values[9] = { 0 };
  GError *error = NULL;

  upload (x, values, sizeof values);
  ck_assert_uint_eq (count_uninitialised (&test, x), 0);

  x = new_buffer (test.device, "float", 9);
  submit_list (test.stream, fill_list (test.device, x, 0));
  ck_assert_uint_eq (count_uninitialised (&test, x), 0);

  x = new_buffer (test.device, "float", 9);
  mapping = gabbro_buffer_map (x, GABBRO_MAP_WRITE, &error);
  assert_no_error (error);
  ck_assert (!gabbro_mapping_is_direct (mapping));
  memset (gabbro_mapping_get_pointer (mapping), 0, sizeof values);
  gabbro_mapping_unmap (mapping, &error);
  assert_no_error (error);
  g_object_unref (mapping);
  ck_assert_uint_eq (count_uninitialised (&test, x), 0);

  /* Copies bring along what is known: of an initialised buffer, then of an image that nobody has written. */
  upload (from, values, sizeof values);
  x = new_buffer (test.device, "float", 9);
  submit_list (test.stream, copy_list (test.device, from, x));
  ck_assert_uint_eq (count_uninitialised (&test, x), 0);
  {
    GabbroCommandList *list = new_list (test.device);

    x = new_buffer (test.device, "float", 9);
    gabbro_command_list_fill (list, x, 0, 36, 0, &error);
    gabbro_command_list_copy_image_to_buffer (list, image, x, 0, &error);
    finish_list (&test, list, error);
  }
  /* Eight floats of the image, the first of which is not read. */
  ck_assert_uint_eq (count_uninitialised (&test, x), 7);
  g_object_unref (image);
  g_object_unref (from);
  device_test_end (&test);
}
END_TEST

START_TEST (nothing_was_written)
{
  struct device_test test = reference_test_begin ("1", "uninitialised");

  ck_assert_uint_eq (count_uninitialised (&test, new_buffer (test.device, "float", 9)), 8);
  device_test_end (&test);
}
END_TEST

/* More than is kept: a note says so. */
START_TEST (limited_reports)
{
  struct device_test test = reference_test_begin ("reports=2", "1");
  GString *source = g_string_new ("kernel(1) void k(uint zero, buffer<uint> out)\n{\n");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = new_list (test.device);
  GabbroShader *shader;
  GPtrArray *reports;
  GError *error = NULL;

  for (guint i = 0; i < 5; i++)
    g_string_append_printf (source, "  out[0] = %uu / zero;\n", i + 2);
  g_string_append (source, "}\n");
  shader = new_shader (test.device, source->str, "k");
  gabbro_command_list_run (list, shader, 1, 1, 1, &error, "zero", 0u, "out", buffer, NULL);
  finish_list (&test, list, error);
  reports = list_reports (test.device);
  ck_assert_uint_eq (reports->len, 3);
  ck_assert_int_eq (gabbro_report_get_kind (reports->pdata[1]), GABBRO_REPORT_DIVISION_BY_ZERO);
  ck_assert_int_eq (gabbro_report_get_kind (reports->pdata[2]), GABBRO_REPORT_NOTE);
  ck_assert_ptr_null (gabbro_report_get_hint (reports->pdata[2]));
  g_ptr_array_unref (reports);
  g_string_free (source, TRUE);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* One thread. */

static const char traced[] =
  "float twice(float x)\n"
  "{\n"
  "    float r = x + x;\n"
  "    return r;\n"
  "}\n"
  "struct S { uint2 a[2]; bool b; };\n"
  "kernel(4) void work(float a, const buffer<float> x, buffer<float> y)\n"
  "{\n"
  "    uint i = global_id.x;\n"
  "    float total = 0.5;\n"
  "    int few = -3;\n"
  "    S s;\n"
  "    s.a[i % 2u].y = 9u;\n"
  "    if (i > 1u)\n"
  "    {\n"
  "        float2 inner = float2(a, x[i]);\n"
  "        total += twice(inner.x) + inner.y;\n"
  "    }\n"
  "    y[i] = total + float(few);\n"
  "}\n";

struct look
{
  GString *log;
  guint stop_line;                       /* the variables are noted there */
  guint last_line;                       /* enough */
  gboolean destroyed;
};

static gboolean
note_point (const GabbroTracePoint *point, gpointer data)
{
  struct look *look = data;
  guint line = gabbro_trace_point_get_line (point), thread[3];
  char **made = gabbro_trace_point_list_made (point), **names;

  gabbro_trace_point_get_thread (point, &thread[0], &thread[1], &thread[2]);
  ck_assert_str_eq (gabbro_trace_point_get_kernel (point), "work");
  ck_assert_str_eq (gabbro_trace_point_get_file (point), "test.gk");
  for (char **text = made; *text != NULL; text++)
    g_string_append_printf (look->log, "  %s\n", *text);
  g_strfreev (made);
  g_string_append_printf (look->log, "%u: %s %u at %u\n", thread[0], gabbro_trace_point_get_function (point),
                          gabbro_trace_point_get_depth (point), line);
  if (line != 0 && line == look->stop_line)
    {
      names = gabbro_trace_point_list_variables (point);
      for (char **name = names; *name != NULL; name++)
        {
          char *value = gabbro_trace_point_dup_value (point, *name);
          g_string_append_printf (look->log, "  [%s: %s]\n", *name, value);
          g_free (value);
        }
      g_strfreev (names);
      ck_assert_ptr_null (gabbro_trace_point_dup_value (point, "nothing"));
    }
  return line == 0 || line != look->last_line;
}

static void
note_end (gpointer data)
{
  struct look *look = data;

  look->destroyed = TRUE;
}

static void
run_traced (struct device_test *test, const guint *thread, guint line, struct look *look)
{
  static const float values[6] = { 1, 2, 3, 4, 5, 6 };
  GabbroBuffer *x = new_buffer (test->device, "float", 6), *y = new_buffer (test->device, "float", 6);
  GabbroCommandList *list = new_list (test->device);
  GabbroShader *shader;
  GError *error = NULL;

  look->log = g_string_new (NULL);
  gabbro_device_set_trace (test->device, thread, NULL, line, note_point, look, note_end, &error);
  assert_no_error (error);
  shader = new_shader (test->device, traced, "work");
  upload (x, values, sizeof values);
  gabbro_command_list_run (list, shader, 6, 1, 1, &error, "a", 1.5, "x", x, "y", y, NULL);
  finish_list (test, list, error);
  ck_assert (!look->destroyed);
  gabbro_device_set_trace (test->device, NULL, NULL, 0, NULL, NULL, NULL, &error);
  assert_no_error (error);
  ck_assert (look->destroyed);
  g_object_unref (x);
  g_object_unref (y);
  g_object_unref (shader);
}

static void
assert_log (struct look *look, const char *expected)
{
  ck_assert_msg (strcmp (look->log->str, expected) == 0, "not\n%s\nbut\n%s", expected, look->log->str);
  g_string_free (look->log, TRUE);
}

START_TEST (trace_of_a_thread)
{
  static const char *const settings[] = { "width=4", "width=1", "width=64,seed=3", "check" };
  static const guint thread[3] = { 5, 0, 0 };
  struct device_test test = reference_test_begin (settings[_i], "");
  struct look look = { .stop_line = 17 };

  run_traced (&test, thread, 0, &look);
  assert_log (&look,
              "5: work 0 at 9\n"
              "  i = 5\n"
              "5: work 0 at 10\n"
              "  total = 0.5\n"
              "5: work 0 at 12\n"
              "  s = {a = [(0, 0), (0, 0)], b = false}\n"
              "5: work 0 at 13\n"
              "  s.a[1].y = 9\n"
              "5: work 0 at 14\n"
              "  condition: true\n"
              "5: work 0 at 16\n"
              "  x[5] → 6\n"
              "  inner = (1.5, 6)\n"
              "5: work 0 at 17\n"
              "  [a: 1.5]\n"
              "  [x: buffer of 6 elements]\n"
              "  [y: buffer of 6 elements]\n"
              "  [few: -3]\n"
              "  [i: 5]\n"
              "  [total: 0.5]\n"
              "  [s: {a = [(0, 0), (0, 9)], b = false}]\n"
              "  [inner: (1.5, 6)]\n"
              "5: twice 1 at 3\n"
              "  r = 3\n"
              "5: twice 1 at 4\n"
              "  result: 3\n"
              "5: work 0 at 17\n"
              "  [a: 1.5]\n"
              "  [x: buffer of 6 elements]\n"
              "  [y: buffer of 6 elements]\n"
              "  [few: -3]\n"
              "  [i: 5]\n"
              "  [total: 0.5]\n"
              "  [s: {a = [(0, 0), (0, 9)], b = false}]\n"
              "  [inner: (1.5, 6)]\n"
              "  total = 9.5\n"
              "5: work 0 at 19\n"
              "  y[5] = 6.5\n"
              "5: work 0 at 20\n"
              "5: work 0 at 0\n");
  device_test_end (&test);
}
END_TEST

/* The first thread that comes to a line, from there on; then nobody wants to go on, which is no failure. */
START_TEST (trace_from_a_line)
{
  struct device_test test = reference_test_begin ("width=4", "");
  struct look look = { .stop_line = 19, .last_line = 19 };

  run_traced (&test, NULL, 16, &look);
  assert_log (&look,
              "2: work 0 at 16\n"
              "  x[2] → 3\n"
              "  inner = (1.5, 3)\n"
              "2: work 0 at 17\n"
              "2: twice 1 at 3\n"
              "  r = 3\n"
              "2: twice 1 at 4\n"
              "  result: 3\n"
              "2: work 0 at 17\n"
              "  total = 6.5\n"
              "2: work 0 at 19\n"
              "  [a: 1.5]\n"
              "  [x: buffer of 6 elements]\n"
              "  [y: buffer of 6 elements]\n"
              "  [few: -3]\n"
              "  [i: 2]\n"
              "  [total: 6.5]\n"
              "  [s: {a = [(0, 9), (0, 0)], b = false}]\n");
  device_test_end (&test);
}
END_TEST

/* A thread that there is not, and a driver that cannot. */
START_TEST (nothing_to_trace)
{
  static const guint thread[3] = { 600, 0, 0 };
  struct device_test test = reference_test_begin ("1", "");
  struct look look = { .log = NULL };
  GError *error = NULL;

  run_traced (&test, thread, 0, &look);
  assert_log (&look, "");
  device_test_end (&test);
  test = null_test_begin ("1");
  look.destroyed = FALSE;
  ck_assert (!gabbro_device_set_trace (test.device, thread, NULL, 0, note_point, &look, note_end, &error));
  assert_message (error, "Null 0");
  assert_gabbro_error (error, GABBRO_ERROR_NOT_SUPPORTED);
  ck_assert (!look.destroyed);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("reports");
  TCase *test_case = null_test_case (suite, "reports"), *traces = null_test_case (suite, "traces");

  tcase_add_test (test_case, reports_as_signals);
  tcase_add_test (test_case, reports_in_the_log);
  tcase_add_test (test_case, report_of_a_race);
  tcase_add_loop_test (test_case, report_of_an_assertion, 0, 2);
  tcase_add_test (test_case, initialised_bytes);
  tcase_add_test (test_case, nothing_was_written);
  tcase_add_test (test_case, limited_reports);
  tcase_add_loop_test (traces, trace_of_a_thread, 0, 4);
  tcase_add_test (traces, trace_from_a_line);
  tcase_add_test (traces, nothing_to_trace);
  return suite;
}

GB_TEST_MAIN (make_suite)
