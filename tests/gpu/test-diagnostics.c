/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Diagnostics in parts: from errors, from copies of errors, from a check alone. */

#include "config.h"

#include "tests/gpu/device-test.h"

static const char *const mistaken =
  "void f() { int n = 1; }\n"
  "kernel(1) void k(buffer<int> a)\n"
  "{\n"
  "  a[0] = 1.5;\n"
  "  a[1] = nonsense;\n"
  "}\n";

static const char *const suspicious =
  "kernel(1) void k(buffer<int> a)\n"
  "{\n"
  "  int unused = 1;\n"
  "  a[0] = 1;\n"
  "}\n";

static GError *
error_of (const char *source)
{
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("folder/test.gk", source, -1, &error);

  ck_assert_ptr_null (module);
  ck_assert (g_error_matches (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_SOURCE));
  return error;
}

static void
check (const GabbroDiagnostic *diagnostic, GabbroSeverity severity, guint line, guint column, const char *code, const char *message,
       const char *hint)
{
  char *text = gabbro_diagnostic_to_string (diagnostic), *place = g_strdup_printf ("folder/test.gk:%u:%u: ", line, column);

  ck_assert_int_eq (gabbro_diagnostic_get_severity (diagnostic), severity);
  ck_assert_str_eq (gabbro_diagnostic_get_file (diagnostic), "folder/test.gk");
  ck_assert_uint_eq (gabbro_diagnostic_get_line (diagnostic), line);
  ck_assert_uint_eq (gabbro_diagnostic_get_column (diagnostic), column);
  ck_assert_pstr_eq (gabbro_diagnostic_get_code (diagnostic), code);
  ck_assert_str_eq (gabbro_diagnostic_get_message (diagnostic), message);
  ck_assert_pstr_eq (gabbro_diagnostic_get_hint (diagnostic), hint);
  ck_assert (g_str_has_prefix (text, place));
  ck_assert_ptr_nonnull (strstr (text, message));
  ck_assert_ptr_nonnull (strstr (text, "^"));
  ck_assert (!g_str_has_suffix (text, "\n"));
  g_free (place);
  g_free (text);
}

static void
check_mistaken (GPtrArray *array)
{
  ck_assert_uint_eq (array->len, 3);
  check (array->pdata[0], GABBRO_SEVERITY_WARNING, 1, 16, "GK0300", "the variable `n` is not used", NULL);
  check (array->pdata[1], GABBRO_SEVERITY_ERROR, 4, 10, "GK0205", "1.5 is a real number, and `int` is wanted", "int(1.5)");
  check (array->pdata[2], GABBRO_SEVERITY_ERROR, 5, 10, "GK0100", "unknown name `nonsense`", NULL);
}

START_TEST (from_error)
{
  GError *error = error_of (mistaken), *copy;
  GPtrArray *array = gabbro_compile_error_get_diagnostics (error), *again;
  GString *all = g_string_new (NULL);
  GabbroDiagnostic *kept;

  check_mistaken (array);
  /* The message is all of them. */
  for (guint i = 0; i < array->len; i++)
    {
      char *text = gabbro_diagnostic_to_string (array->pdata[i]);

      g_string_append_printf (all, "%s%s", i > 0 ? "\n" : "", text);
      g_free (text);
    }
  ck_assert_str_eq (error->message, all->str);
  g_string_free (all, TRUE);
  /* The array is the caller's: what happens to it harms nobody. */
  g_ptr_array_set_size (array, 0);
  g_ptr_array_unref (array);
  /* Copies have them too, also those with another text, and live longer. */
  copy = g_error_copy (error);
  g_prefix_error (&copy, "somewhere: ");
  g_error_free (error);
  array = gabbro_compile_error_get_diagnostics (copy);
  again = gabbro_compile_error_get_diagnostics (copy);
  ck_assert_ptr_ne (array, again);
  check_mistaken (again);
  g_ptr_array_unref (again);
  g_error_free (copy);
  check_mistaken (array);
  kept = g_boxed_copy (GABBRO_TYPE_DIAGNOSTIC, array->pdata[2]);
  g_ptr_array_unref (array);
  check (kept, GABBRO_SEVERITY_ERROR, 5, 10, "GK0100", "unknown name `nonsense`", NULL);
  ck_assert_ptr_eq (gabbro_diagnostic_ref (kept), kept);
  gabbro_diagnostic_unref (kept);
  g_boxed_free (GABBRO_TYPE_DIAGNOSTIC, kept);
}
END_TEST

static void
take_result (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

/* Through a task, which hands errors from thread to thread. */
START_TEST (from_task)
{
  GAsyncResult *result = NULL;
  GError *error = NULL;
  GPtrArray *array;

  gabbro_module_new_from_source_async ("folder/test.gk", mistaken, -1, NULL, take_result, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  ck_assert_ptr_null (gabbro_module_new_from_source_finish (result, &error));
  array = gabbro_compile_error_get_diagnostics (error);
  check_mistaken (array);
  g_ptr_array_unref (array);
  g_error_free (error);
  g_object_unref (result);
}
END_TEST

/* Errors that are not of the compiler's making. */
START_TEST (other_errors)
{
  GError *others[] = {
    g_error_new_literal (GABBRO_ERROR, GABBRO_ERROR_FAILED, "of the library"),
    g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "of GIO"),
    g_error_new_literal (GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_SOURCE, "of a binding"),
  };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      GError *copy = g_error_copy (others[i]);
      GPtrArray *array = gabbro_compile_error_get_diagnostics (copy);

      ck_assert_uint_eq (array->len, 0);
      g_ptr_array_unref (array);
      g_error_free (copy);
      g_error_free (others[i]);
    }
  ck_assert_str_eq (g_quark_to_string (GABBRO_COMPILE_ERROR), "gabbro-compile-error-quark");
}
END_TEST

/* A caller that does not ask for the error. */
START_TEST (no_error_wanted)
{
  ck_assert_ptr_null (gabbro_module_new_from_source ("test.gk", mistaken, -1, NULL));
}
END_TEST

START_TEST (check_alone)
{
  GPtrArray *array = gabbro_module_check_source ("folder/test.gk", mistaken, -1);

  check_mistaken (array);
  g_ptr_array_unref (array);
  array = gabbro_module_check_source ("folder/test.gk", suspicious, (gssize) strlen (suspicious));
  ck_assert_uint_eq (array->len, 1);
  check (array->pdata[0], GABBRO_SEVERITY_WARNING, 3, 7, "GK0300", "the variable `unused` is not used", NULL);
  g_ptr_array_unref (array);
  array = gabbro_module_check_source ("folder/test.gk", "kernel(1) void k() { }", -1);
  ck_assert_uint_eq (array->len, 0);
  g_ptr_array_unref (array);
  /* Bytes that are no text. */
  array = gabbro_module_check_source ("na\xffme.gk", "a\0b", 3);
  ck_assert_uint_eq (array->len, 1);
  ck_assert_str_eq (gabbro_diagnostic_get_code (array->pdata[0]), "GK0002");
  ck_assert (g_utf8_validate (gabbro_diagnostic_get_file (array->pdata[0]), -1, NULL));
  g_ptr_array_unref (array);
}
END_TEST

/* More mistakes than are kept: a note without a place says so. */
START_TEST (overflow)
{
  GString *source = g_string_new ("kernel(1) void k(buffer<int> a)\n{\n");
  GPtrArray *array;
  GabbroDiagnostic *note;

  for (int i = 0; i < 60; i++)
    g_string_append_printf (source, "  a[%d] = nonsense%d;\n", i, i);
  g_string_append (source, "}\n");
  array = gabbro_module_check_source ("test.gk", source->str, (gssize) source->len);
  ck_assert_uint_eq (array->len, 51);
  note = array->pdata[50];
  ck_assert_int_eq (gabbro_diagnostic_get_severity (note), GABBRO_SEVERITY_NOTE);
  ck_assert_uint_eq (gabbro_diagnostic_get_line (note), 0);
  ck_assert_uint_eq (gabbro_diagnostic_get_column (note), 0);
  ck_assert_ptr_null (gabbro_diagnostic_get_code (note));
  ck_assert_ptr_null (gabbro_diagnostic_get_hint (note));
  g_ptr_array_unref (array);
  g_string_free (source, TRUE);
}
END_TEST

/* What comes after the front end has one diagnostic, with the place that it knows. */
static void
check_late (GError *error, GabbroCompileError code, guint line, guint column, const char *part)
{
  GPtrArray *array = gabbro_compile_error_get_diagnostics (error);
  const GabbroDiagnostic *only = array->len > 0 ? array->pdata[0] : NULL;

  ck_assert_uint_eq (array->len, 1);
  ck_assert_int_eq (gabbro_diagnostic_get_severity (only), GABBRO_SEVERITY_ERROR);
  ck_assert_str_eq (gabbro_diagnostic_get_file (only), "test.gk");
  ck_assert_uint_eq (gabbro_diagnostic_get_line (only), line);
  ck_assert_uint_eq (gabbro_diagnostic_get_column (only), column);
  ck_assert_ptr_null (gabbro_diagnostic_get_code (only));
  ck_assert_str_eq (gabbro_diagnostic_get_message (only), error->message);
  assert_message (error, part);
  g_ptr_array_unref (array);
  assert_error (error, GABBRO_COMPILE_ERROR, code);
}

START_TEST (later_stages)
{
  GabbroDevice *device = null_device ("max-group-invocations=32");
  GabbroKernel *kernel = new_kernel ("\n\nkernel(64) void wide(buffer<uint> a) { a[0] = 1; }", NULL);
  GString *source = g_string_new ("int f(buffer<int> a)\n{\n");
  GabbroModule *module;
  GError *error = NULL;

  ck_assert_ptr_null (gabbro_shader_new (device, kernel, 0, 0, &error));
  check_late (g_steal_pointer (&error), GABBRO_COMPILE_ERROR_TARGET, 3, 17, "64 threads");
  g_object_unref (kernel);
  /* The function that is too large, not the kernel that calls it. */
  for (int i = 0; i < 1500; i++)
    g_string_append_printf (source, "if (a[%d] == %d) { a[%d] = 1; }\n", i, i, i + 1);
  g_string_append (source, "return 1;\n}\nkernel(1) void k(buffer<int> a) { a[0] = f(a); }\n");
  module = gabbro_module_new_from_source ("test.gk", source->str, -1, &error);
  assert_no_error (error);
  ck_assert_ptr_null (gabbro_module_get_kernel (module, NULL, &error));
  check_late (error, GABBRO_COMPILE_ERROR_TOO_LARGE, 1, 5, "blocks");
  g_string_free (source, TRUE);
  g_object_unref (module);
  g_object_unref (device);
}
END_TEST

/* The examples themselves are compiled in tests/frontend/test-explain.c. */
START_TEST (explanations)
{
  static const char *const bad[] = { "", "GK", "0", "GK0000", "GK9999", "10000", "GKGK200", "200x", " 200", "-1", "\xff" };
  static const char *const good[] = { "GK0200", "gk0200", "200", "GK200" };
  char **codes = gabbro_diagnostic_list_codes ();
  char *summary = NULL, *text = NULL, *wrong = NULL, *right = NULL;
  GabbroSeverity severity = GABBRO_SEVERITY_NOTE;

  ck_assert_uint_ge (g_strv_length (codes), 100);
  for (guint i = 0; codes[i] != NULL; i++)
    {
      ck_assert (i == 0 || strcmp (codes[i - 1], codes[i]) < 0);
      ck_assert (gabbro_diagnostic_explain (codes[i], NULL, NULL, NULL, NULL, NULL));
    }
  g_strfreev (codes);
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      ck_assert (gabbro_diagnostic_explain (good[i], &severity, &summary, &text, &wrong, &right));
      ck_assert_int_eq (severity, GABBRO_SEVERITY_ERROR);
      ck_assert_str_eq (summary, "expected `…`, found `…`");
      ck_assert_ptr_nonnull (strstr (text, "conver"));
      ck_assert_str_ne (wrong, right);
      g_free (summary);
      g_free (text);
      g_free (wrong);
      g_free (right);
    }
  ck_assert (gabbro_diagnostic_explain ("GK0300", &severity, NULL, NULL, NULL, NULL));
  ck_assert_int_eq (severity, GABBRO_SEVERITY_WARNING);
  summary = text = wrong = right = (char *) "untouched";
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    ck_assert_msg (!gabbro_diagnostic_explain (bad[i], &severity, &summary, &text, &wrong, &right), "“%s”", bad[i]);
  ck_assert_str_eq (summary, "untouched");
  ck_assert_str_eq (right, "untouched");
  ck_assert_int_eq (severity, GABBRO_SEVERITY_WARNING);
}
END_TEST

/* From many threads. */
static gpointer
check_often (gpointer nothing)
{
  for (int i = 0; i < 50; i++)
    {
      GError *error = error_of (mistaken), *copy = g_error_copy (error);
      GPtrArray *array = gabbro_module_check_source ("folder/test.gk", mistaken, -1);
      GPtrArray *other = gabbro_compile_error_get_diagnostics (copy);

      g_error_free (error);
      check_mistaken (array);
      check_mistaken (other);
      g_ptr_array_unref (array);
      g_ptr_array_unref (other);
      g_error_free (copy);
    }
  return NULL;
}

START_TEST (threads)
{
  GThread *all[4];

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    all[i] = g_thread_new ("check", check_often, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_thread_join (all[i]);
}
END_TEST

/* Another source, and a value for an option of it. */
static GBytes *
find_other (const char *path, const char *importer, char **name, gpointer user_data, GError **error)
{
  const char *text = user_data;

  ck_assert_str_eq (importer, "main.gk");
  if (!g_str_equal (path, "other.gk"))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "only other.gk is here");
      return NULL;
    }
  *name = g_strdup ("folder/other.gk");
  return g_bytes_new_static (text, strlen (text));
}

START_TEST (options_and_imports)
{
  const char *text = "import \"other.gk\";\nkernel(N) void k(buffer<int> a) { a[0] = other(); }\n";
  const char *good = "option int N = 4;\nint other() { return N; }\n";
  GError *error = NULL;
  GabbroModule *module;
  GabbroKernel *kernel;
  guint x, y, z;

  module = gabbro_module_new_with_options ("main.gk", text, -1, g_variant_new_parsed ("{'N': '2 * 8'}"), find_other, (gpointer) good, &error);
  assert_no_error (error);
  kernel = gabbro_module_get_kernel (module, NULL, &error);
  assert_no_error (error);
  gabbro_kernel_get_group_size (kernel, &x, &y, &z);
  ck_assert (x == 16 && y == 1 && z == 1);
  g_object_unref (kernel);
  g_object_unref (module);

  ck_assert_ptr_null (gabbro_module_new_with_options ("main.gk", text, -1, NULL, find_other, (gpointer) "\nint x = y;\n", &error));
  ck_assert (g_error_matches (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_SOURCE));
  ck_assert_str_eq (gabbro_diagnostic_get_file (gabbro_compile_error_get_diagnostics (error)->pdata[0]), "main.gk");
  ck_assert_str_eq (gabbro_diagnostic_get_file (gabbro_compile_error_get_diagnostics (error)->pdata[2]), "folder/other.gk");
  g_clear_error (&error);
  ck_assert_ptr_null (gabbro_module_new_with_options ("main.gk", "import \"a.gk\";", -1, NULL, find_other, (gpointer) good, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "only other.gk is here"));
  g_clear_error (&error);
  ck_assert_ptr_null (gabbro_module_new_with_options ("main.gk", text, -1, NULL, NULL, NULL, &error));
  g_clear_error (&error);
  ck_assert_ptr_null (gabbro_module_new_with_options ("main.gk", good, -1, g_variant_new_parsed ("{'N': 3}"), NULL, NULL, &error));
  ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT));
  ck_assert_ptr_nonnull (strstr (error->message, "a{si}"));
  g_clear_error (&error);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("diagnostics");
  TCase *plain = gb_test_case (suite, "source");

  tcase_add_test (plain, from_error);
  tcase_add_test (plain, from_task);
  tcase_add_test (plain, other_errors);
  tcase_add_test (plain, no_error_wanted);
  tcase_add_test (plain, check_alone);
  tcase_add_test (plain, options_and_imports);
  tcase_add_test (plain, overflow);
  tcase_add_test (plain, explanations);
  tcase_add_test (plain, threads);
  tcase_add_test (null_test_case (suite, "later stages"), later_stages);
  return suite;
}

GB_TEST_MAIN (make_suite)
