/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* print and assert: the same lines, in the same order, on llvmpipe with validation and on the reference driver. */

#include "config.h"

#include "tests/gpu/device-test.h"

static const char source[] =
  "import \"more.gk\";\n"
  "struct Pair { int a; half2 b; };\n"
  "int show(inout int n, uint i) { n += 1; print(\"{} shows {}\", i, n); return n; }\n"
  "kernel(4) void types(buffer<int> out)\n"
  "{\n"
  "    uint i = global_id.x;\n"
  "    if (i != 2u) return;\n"
  "    int n = int(i);\n"
  "    print(\"{} {} {}\", char(-3), ushort(65535), i);\n"
  "    print(\"{} {}\", long(n) - 5000000002l, ulong(i) * 9000000000000000000ul);\n"
  "    print(\"{} {} {}\", half(n) * 0.05h, float(n) * 0.05, double(n) * 0.05d);\n"
  "    print(\"{} {}\", bfloat(float(n)), fp8e4m3(float(n) * 0.75));\n"
  "    print(\"{} {} {}\", i == 2u, bool2(i < 1u, true), float3(1, -0.0, float(n) / 0.0));\n"
  "    float2x2 m = float2x2(float2(1, 2), float2(3, float(n) + 0.5));\n"
  "    print(\"{}\", m);\n"
  "    int a[3] = { n, 4, 6 };\n"
  "    print(\"a = {}, {{{}}}\", a, Pair(n, half2(1, 0.5)));\n"
  "    print(\"no value\\n\");\n"
  "    print(\"\");\n"
  "    print(\"{} {}\", log(-float(n)), long4(1, -2, long(n), 9223372036854775807l));\n"
  "    out[0] = 1;\n"
  "}\n"
  "kernel(8) void flow(buffer<int> out)\n"
  "{\n"
  "    uint i = global_id.x;\n"
  "    int n = 0;\n"
  "    if (i % 2u == 0u)\n"
  "    {\n"
  "        for (int k = 0; k < int(i); k += show(n, i))\n"
  "            if (k == 3) { print(\"{}: three\", i); continue; }\n"
  "    }\n"
  "    else\n"
  "        switch (i)\n"
  "        {\n"
  "        case 1u: print(\"one\"); fallthrough;\n"
  "        case 3u: print(\"{}: one or three\", i); break;\n"
  "        default: while (show(n, i) < 2) { } break;\n"
  "        }\n"
  "    assert(i < 6u, \"{} is too many\", i);\n"
  "    assert(n >= 0);\n"
  "    further(i);\n"
  "    out[i] = n;\n"
  "}\n"
  "kernel(64) void loud(uint n) { for (uint k = 0u; k < n; ++k) print(\"{} {}\", global_index, k); }\n"
  "kernel(1) void tell(uint what, buffer<uint> out) { atomic_add(out[0], 1u); print(\"told {}\", what); }\n"
  "kernel(4) void quiet(buffer<int> out) { out[global_id.x] = 1; }\n";

static const char more[] = "void further(uint i)\n{\n    if (i == 5u) print(\"further\");\n}\n";

static GBytes *
import (const char *path, const char *importer, char **name, gpointer data, GError **error)
{
  *name = g_strdup ("folder/more.gk");
  return g_bytes_new_static (more, strlen (more));
}

static GabbroShader *
printing_shader (GabbroDevice *device, const char *name, int level)
{
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_with_options ("test.gk", source, -1, NULL, import, NULL, &error);
  GabbroKernel *kernel;
  GabbroShader *shader;

  assert_no_error (error);
  kernel = gabbro_module_get_kernel (module, name, &error);
  assert_no_error (error);
  shader = gabbro_shader_new (device, kernel, GABBRO_COMPILE_BOUNDS_CHECKS, level, &error);
  assert_no_error (error);
  g_object_unref (kernel);
  g_object_unref (module);
  return shader;
}

/* What a device tells. */
struct heard
{
  GString *text;                         /* "(x): line" each; "!" in front of failures */
  guint n_lines, n_failures;
  guint64 n_dropped;
  GabbroPrint *last, *failure;
};

static void
on_print (GabbroDevice *device, GabbroPrint *print, struct heard *heard)
{
  guint x, y, z;

  gabbro_print_get_thread (print, &x, &y, &z);
  ck_assert (y == 0 && z == 0);
  g_string_append_printf (heard->text, "%s%u: %s\n", gabbro_print_is_failure (print) ? "!" : "", x, gabbro_print_get_text (print));
  heard->n_lines++;
  g_clear_pointer (&heard->last, gabbro_print_unref);
  heard->last = gabbro_print_ref (print);
  if (!gabbro_print_is_failure (print))
    return;
  heard->n_failures++;
  g_clear_pointer (&heard->failure, gabbro_print_unref);
  heard->failure = gabbro_print_ref (print);
}

static void
on_dropped (GabbroDevice *device, guint64 count, struct heard *heard)
{
  ck_assert_uint_gt (count, 0);
  heard->n_dropped += count;
}

static void
listen_to (GabbroDevice *device, struct heard *heard)
{
  memset (heard, 0, sizeof *heard);
  heard->text = g_string_new (NULL);
  g_signal_connect (device, "print", G_CALLBACK (on_print), heard);
  g_signal_connect (device, "prints-dropped", G_CALLBACK (on_dropped), heard);
}

static void
hear_all (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
forget (struct heard *heard)
{
  g_string_free (heard->text, TRUE);
  g_clear_pointer (&heard->last, gabbro_print_unref);
  g_clear_pointer (&heard->failure, gabbro_print_unref);
}

/* The drivers, and how they may be told to be different. */
static struct device_test
begin (int number, const char *print_buffer)
{
  const char *name = print_buffer != NULL ? "print-buffer" : NULL;

  if (number == 0)
    return device_test_on (vulkan_context (name, print_buffer, NULL), "vulkan");
  return device_test_on (context_with ("driver-path", empty_folder, "reference", number == 1 ? "1" : "threads=3,width=4,seed=7",
                                       "check", number == 1 ? "1" : "0", name, print_buffer, NULL), "reference");
}

#define N_DRIVERS 3

static void
run_one (struct device_test *test, const char *kernel, int level, guint size)
{
  GabbroShader *shader = printing_shader (test->device, kernel, level);
  GabbroBuffer *out = new_buffer (test->device, "int", size);
  GabbroCommandList *list = fill_list (test->device, out, 0);
  GError *error = NULL;
  gint32 values[8];
  GPtrArray *reports;

  gabbro_command_list_run (list, shader, size, 1, 1, &error, "out", out, NULL);
  finish_list (test, list, error);
  /* The kernel did what it was for. */
  download (out, values, size * sizeof *values);
  ck_assert_int_ne (values[0] + values[size - 1], 0);
  hear_all ();
  reports = gabbro_device_list_reports (test->device);
  /* With checks, assertions that do not hold are reported too, and nothing else. */
  for (guint i = 0; i < reports->len; i++)
    ck_assert_int_eq (gabbro_report_get_kind (reports->pdata[i]), GABBRO_REPORT_ASSERT);
  g_ptr_array_unref (reports);
  g_object_unref (out);
  g_object_unref (shader);
}

static const char types_text[] =
  "2: -3 65535 2\n"
  "2: -5000000000 18000000000000000000\n"
  "2: 0.1 0.1 0.1\n"
  "2: 2 1.5\n"
  "2: true (false, true) (1, -0, inf)\n"
  "2: <(1, 2), (3, 2.5)>\n"
  "2: a = [2, 4, 6], {{2, (1, 0.5)}}\n"
  "2: no value\n"
  "2: \n"
  "2: nan (1, -2, 2, 9223372036854775807)\n";

/* Thread by thread, and of each as it printed; in loops, callees, switches, behind continue and from another file. */
static const char flow_text[] =
  "1: one\n"
  "1: 1: one or three\n"
  "2: 2 shows 1\n"
  "2: 2 shows 2\n"
  "3: 3: one or three\n"
  "4: 4 shows 1\n"
  "4: 4 shows 2\n"
  "4: 4: three\n"
  "4: 4 shows 3\n"
  "5: 5 shows 1\n"
  "5: 5 shows 2\n"
  "5: further\n"
  "6: 6 shows 1\n"
  "6: 6 shows 2\n"
  "6: 6: three\n"
  "6: 6 shows 3\n"
  "!6: 6 is too many\n"
  "7: 7 shows 1\n"
  "7: 7 shows 2\n"
  "!7: 7 is too many\n";

START_TEST (values_of_all_types)
{
  for (int level = 0; level <= 3; level++)
    {
      struct device_test test = begin (_i, NULL);
      struct heard heard;

      listen_to (test.device, &heard);
      run_one (&test, "types", level, 4);
      ck_assert_str_eq (heard.text->str, types_text);
      ck_assert_str_eq (gabbro_print_get_kernel (heard.last), "types");
      ck_assert_str_eq (gabbro_print_get_file (heard.last), "test.gk");
      ck_assert_uint_eq (gabbro_print_get_line (heard.last), 20);
      ck_assert_uint_eq (gabbro_print_get_column (heard.last), 5);
      ck_assert_ptr_null (gabbro_print_get_condition (heard.last));
      forget (&heard);
      device_test_end (&test);
    }
}
END_TEST

START_TEST (control_flow)
{
  for (int level = 0; level <= 3; level++)
    {
      struct device_test test = begin (_i, NULL);
      struct heard heard;
      GVariant *variant;
      gboolean failure;
      const char *text;
      char *string;

      listen_to (test.device, &heard);
      run_one (&test, "flow", level, 8);
      ck_assert_str_eq (heard.text->str, flow_text);
      ck_assert_uint_eq (heard.n_failures, 2);
      ck_assert_str_eq (gabbro_print_get_condition (heard.failure), "i < 6u");
      string = gabbro_print_to_string (heard.failure);
      ck_assert_str_eq (string, "test.gk:39:5: assertion failed: i < 6u: 7 is too many\n  in the kernel “flow”, thread (7, 0, 0)");
      variant = gabbro_print_to_variant (heard.failure);
      ck_assert (g_variant_lookup (variant, "failure", "b", &failure) && failure);
      ck_assert (g_variant_lookup (variant, "text", "&s", &text) && strcmp (text, "7 is too many") == 0);
      ck_assert (g_variant_lookup (variant, "condition", "&s", &text) && strcmp (text, "i < 6u") == 0);
      g_variant_unref (variant);
      g_free (string);
      forget (&heard);
      device_test_end (&test);
    }
}
END_TEST

/* What finds room is whole, what finds none is counted, and nothing is lost without a count. */
START_TEST (a_full_buffer)
{
  struct device_test test = begin (_i, "4");
  GabbroShader *shader = printing_shader (test.device, "loud", 2);
  const guint n_threads = 512, n_each = 6;
  struct heard heard;

  listen_to (test.device, &heard);
  for (guint round = 0; round < 2; round++)
    {
      GabbroCommandList *list = new_list (test.device);
      guint before = heard.n_lines;
      GError *error = NULL;

      gabbro_command_list_run (list, shader, n_threads, 1, 1, &error, "n", n_each, NULL);
      finish_list (&test, list, error);
      hear_all ();
      /* 1024 words, 4 in front, and 7 a record. */
      ck_assert_uint_eq (heard.n_lines - before, (1024 - 4) / 7);
      ck_assert_uint_eq (heard.n_lines + heard.n_dropped, (round + 1) * n_threads * n_each);
    }
  forget (&heard);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

static void
record_tell (GabbroCommandList *list, GabbroShader *shader, GabbroBuffer *out, guint what)
{
  GError *error = NULL;

  gabbro_command_list_run (list, shader, 1, 1, 1, &error, "what", what, "out", out, NULL);
  assert_no_error (error);
}

/* Dispatches of a list in their order, and each submission of a frozen list with lines of its own though several are in flight. */
START_TEST (frozen_lists)
{
  struct device_test test = begin (_i, NULL);
  GabbroShader *shader = printing_shader (test.device, "tell", 2);
  GabbroBuffer *out = new_buffer (test.device, "uint", 1);
  GabbroCommandList *list = fill_list (test.device, out, 0);
  GError *error = NULL;
  struct heard heard;
  guint32 what = 9;

  listen_to (test.device, &heard);
  record_tell (list, shader, out, 1);
  record_tell (list, shader, out, 2);
  record_tell (list, shader, out, 3);
  gabbro_command_list_freeze (list, NULL, &error);
  assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    submit (test.stream, list);
  gabbro_command_list_update_value (list, 1, 0, &what, sizeof what, &error);
  assert_no_error (error);
  submit (test.stream, list);
  synchronize (test.stream);
  submit (test.stream, list);
  synchronize (test.stream);
  hear_all ();
  ck_assert_str_eq (heard.text->str,
                    "0: told 1\n0: told 2\n0: told 3\n0: told 1\n0: told 2\n0: told 3\n0: told 1\n0: told 2\n0: told 3\n"
                    "0: told 1\n0: told 2\n0: told 3\n0: told 1\n0: told 9\n0: told 3\n0: told 1\n0: told 9\n0: told 3\n");
  ck_assert_uint_eq (gabbro_print_get_dispatch (heard.last), 2);
  ck_assert_uint_eq (first_word (out), 3);
  forget (&heard);
  g_object_unref (list);
  g_object_unref (out);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

START_TEST (two_streams)
{
  struct device_test test = begin (_i, NULL);
  GabbroShader *shader = printing_shader (test.device, "tell", 2);
  GabbroBuffer *out[2] = { new_buffer (test.device, "uint", 1), new_buffer (test.device, "uint", 1) };
  GabbroStream *other = new_stream (test.device, NULL);
  guint seen[2] = { 0, 0 };
  struct heard heard;
  char **lines;

  listen_to (test.device, &heard);
  for (guint i = 0; i < 20; i++)
    {
      GabbroCommandList *list = fill_list (test.device, out[i % 2], 0);

      record_tell (list, shader, out[i % 2], i);
      submit_list (i % 2 == 0 ? test.stream : other, list);
    }
  synchronize (test.stream);
  synchronize (other);
  hear_all ();
  ck_assert_uint_eq (heard.n_lines, 20);
  lines = g_strsplit (heard.text->str, "\n", -1);
  for (guint i = 0; i < 20; i++)
    {
      guint what = (guint) g_ascii_strtoull (lines[i] + strlen ("0: told "), NULL, 10);

      /* In the order of its stream. */
      ck_assert_uint_eq (what, 2 * seen[what % 2] + what % 2);
      seen[what % 2]++;
    }
  g_strfreev (lines);
  forget (&heard);
  g_object_unref (other);
  g_object_unref (out[0]);
  g_object_unref (out[1]);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Nobody listens: standard output and standard error, before the wait is over. */
static GString *printed, *complained;

static void
take_print (const char *text)
{
  g_string_append (printed, text);
}

static void
take_complaint (const char *text)
{
  g_string_append (complained, text);
}

START_TEST (without_listeners)
{
  struct device_test test = begin (_i, "4");
  GabbroShader *loud = printing_shader (test.device, "loud", 2);
  GPrintFunc old_print = g_set_print_handler (take_print), old_complaint = g_set_printerr_handler (take_complaint);
  GabbroCommandList *list;
  GError *error = NULL;

  printed = g_string_new (NULL);
  complained = g_string_new (NULL);
  run_one (&test, "flow", 2, 8);
  ck_assert (g_str_has_prefix (printed->str, "one\n1: one or three\n2 shows 1\n"));
  ck_assert_ptr_nonnull (strstr (complained->str, "test.gk:39:5: assertion failed: i < 6u: 6 is too many\n"));
  list = new_list (test.device);
  gabbro_command_list_run (list, loud, 64, 1, 1, &error, "n", 3, NULL);
  finish_list (&test, list, error);
  ck_assert_ptr_nonnull (strstr (complained->str, "47 lines that kernels printed were dropped"));
  g_set_print_handler (old_print);
  g_set_printerr_handler (old_complaint);
  g_string_free (printed, TRUE);
  g_string_free (complained, TRUE);
  g_object_unref (loud);
  device_test_end (&test);
}
END_TEST

/* What sites have to say travels with the code. */
START_TEST (through_a_bundle)
{
  struct device_test test = begin (0, NULL);
  GabbroModule *module;
  GabbroBundle *bundle;
  GabbroKernel *kernel;
  GabbroShader *shader;
  GabbroBuffer *out = new_buffer (test.device, "int", 8);
  GabbroCommandList *list = fill_list (test.device, out, 0);
  struct heard heard;
  GError *error = NULL;
  GBytes *bytes;

  module = gabbro_module_new_with_options ("folder/test.gk", source, -1, NULL, import, NULL, &error);
  assert_no_error (error);
  kernel = gabbro_module_get_kernel (module, "flow", &error);
  assert_no_error (error);
  bundle = gabbro_bundle_new_from_kernels (&kernel, 1, NULL, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error);
  assert_no_error (error);
  g_object_unref (kernel);
  bytes = gabbro_bundle_to_bytes (bundle, GABBRO_BUNDLE_DEFAULT, &error);
  assert_no_error (error);
  g_object_unref (bundle);
  bundle = gabbro_bundle_new_from_bytes (bytes, &error);
  assert_no_error (error);
  kernel = gabbro_bundle_get_kernel (bundle, "flow", &error);
  assert_no_error (error);
  shader = gabbro_shader_new (test.device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error);
  assert_no_error (error);
  listen_to (test.device, &heard);
  gabbro_command_list_run (list, shader, 8, 1, 1, &error, "out", out, NULL);
  finish_list (&test, list, error);
  hear_all ();
  ck_assert_str_eq (heard.text->str, flow_text);
  ck_assert_str_eq (gabbro_print_get_file (heard.last), "test.gk");
  forget (&heard);
  g_bytes_unref (bytes);
  g_object_unref (shader);
  g_object_unref (kernel);
  g_object_unref (bundle);
  g_object_unref (module);
  g_object_unref (out);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("print");
  TCase *test_case = null_test_case (suite, "lines");

  tcase_add_loop_test (test_case, values_of_all_types, 0, N_DRIVERS);
  tcase_add_loop_test (test_case, control_flow, 0, N_DRIVERS);
  tcase_add_loop_test (test_case, a_full_buffer, 0, N_DRIVERS);
  tcase_add_loop_test (test_case, frozen_lists, 0, N_DRIVERS);
  tcase_add_loop_test (test_case, two_streams, 0, N_DRIVERS);
  tcase_add_loop_test (test_case, without_listeners, 0, N_DRIVERS);
  tcase_add_test (test_case, through_a_bundle);
  return suite;
}

GB_TEST_MAIN (make_suite)
