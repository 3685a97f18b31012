/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cases of tests/cases, and the programs of values/, on the interpreter of XIR: as lowered, and again behind
 * the passes. That the front end and the passes are right is seen here without a
 * device; the device tests then ask the same of SPIR-V and driver. */

#include "config.h"

#include "codegen/frontend/frontend.h"
#include "codegen/passes/passes.h"
#include "codegen/xir/verify.h"
#include "tests/cases/words.h"
#include "tests/codegen/interpreter.h"
#include "tests/test-main.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS 100000

static void
run (struct xir_module  *module,
     const char         *path,
     const char         *line,
     const struct words *in,
     const struct words *out)
{
  struct xir_function *kernel = xir_module_find_function (module, "main_");
  struct words got = *out;
  struct words given = *in;
  struct interpreter_buffer buffers[2];
  struct interpreter interpreter = { .module = module, .steps_left = MAX_STEPS };
  struct xir_value *arguments[2];

  ck_assert_msg (kernel != NULL && kernel->n_arguments == 2, "%s: not the form of a case", path);
  memset (got.at, 0xaa, sizeof got.at);
  interpreter.buffers = g_hash_table_new (NULL, NULL);
  for (int i = 0; i < 2; i++)
    {
      buffers[i].element = kernel->arguments[i]->value.type->element;
      buffers[i].data = (uint8_t *) (i == 0 ? given.at : got.at);
      buffers[i].n_elements = i == 0 ? in->n : out->n;
      arguments[i] = &kernel->arguments[i]->value;
      g_hash_table_insert (interpreter.buffers, kernel->arguments[i], &buffers[i]);
    }
  interpreter_run (&interpreter, kernel, arguments);
  ck_assert_msg (interpreter.fault == NULL, "%s: %s: %s", path, line, interpreter.fault);
  for (uint32_t i = 0; i < out->n; i++)
    ck_assert_msg (same_word (got.at[i], out->at[i], out->type), "%s: %s: word %u is 0x%08x, not 0x%08x", path, line, i,
                   got.at[i], out->at[i]);
  g_hash_table_unref (interpreter.buffers);
}

/* Returns how many runs the file asks for. */
static guint
run_all (struct xir_module *module,
         const char        *path,
         const char        *text)
{
  char **lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      struct words in, out;
      const char *rest, *second;
      char *first;
      /* Of many threads it knows nothing: those are for a device. */
      if (g_str_has_prefix (lines[i], "// run: threads="))
        n++;
      if (!g_str_has_prefix (lines[i], "// run: in="))
        continue;
      rest = lines[i] + strlen ("// run: in=");
      second = strstr (rest, " out=");
      ck_assert_msg (second != NULL, "%s: no out= in: %s", path, lines[i]);
      first = g_strndup (rest, second - rest);
      parse_words (first, &in);
      parse_words (second + strlen (" out="), &out);
      run (module, path, lines[i], &in, &out);
      g_free (first);
      n++;
    }
  g_strfreev (lines);
  return n;
}

static void
check_text (const char *path,
            const char *text)
{
  struct xir_context *context = xir_context_new ();
  struct xir_pass_options options = { .bounds_checks = false };
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  struct xir_module *module;
  GString *report = g_string_new (NULL);
  GError *error = NULL;

  gk_diagnostics_init (&diagnostics, path);
  unit = gk_unit_new (context, path, text, strlen (text), &diagnostics);
  gk_diagnostics_format (&diagnostics, report);
  ck_assert_msg (diagnostics.n_errors == 0, "%s", report->str);
  module = gk_unit_lower (unit);
  ck_assert_msg (run_all (module, path, text) > 0, "%s: no runs", path);
  ck_assert_msg (xir_run_pipeline (module, &options, true, NULL, NULL, &error), "%s: %s", path,
                 error != NULL ? error->message : "?");
  g_string_truncate (report, 0);
  ck_assert_msg (xir_verify_module (module, report) == 0, "%s:\n%s", path, report->str);
  run_all (module, path, text);
  xir_module_free (module);
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  g_string_free (report, TRUE);
  xir_context_unref (context);
}

static void
check_folder (const char *name_of_folder,
              guint       at_least)
{
  const char *top = g_getenv ("top_srcdir");
  char *folder = g_build_filename (top != NULL ? top : ".", "tests", name_of_folder, NULL);
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  ck_assert_msg (dir != NULL, "no folder %s", folder);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".gk"))
      {
        char *path = g_build_filename (folder, name, NULL);
        char *text;
        ck_assert (g_file_get_contents (path, &text, NULL, NULL));
        check_text (path, text);
        g_free (text);
        g_free (path);
        n++;
      }
  ck_assert_uint_ge (n, at_least);
  g_dir_close (dir);
  g_free (folder);
}

START_TEST (test_cases)
{
  check_folder ("cases", 30);
}
END_TEST

START_TEST (test_values)
{
  check_folder ("frontend/values", 3);
}
END_TEST

/* A ladder of else-ifs is one choice, however long: the first that is true, and no
 * condition behind it is asked. */
START_TEST (test_ladder)
{
  static const int lengths[] = { 2, 31, 32, 33, 34, 63, 64, 65, 97, 1000 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      int n = lengths[i];
      GString *text = g_string_new (NULL);
      int inputs[] = { 0, 1, n / 2, n - 2, n - 1, n, n + 1 };
      for (gsize k = 0; k < G_N_ELEMENTS (inputs); k++)
        {
          int asked = MIN (inputs[k] + 1, n);
          g_string_append_printf (text, "// run: in=int:%d out=int:%d,%d,%d\n", inputs[k], inputs[k] < n ? inputs[k] * 3 : -1,
                                  asked, inputs[k] < n ? inputs[k] + 7 : -7);
        }
      g_string_append (text, "bool ask(inout int n, bool answer) { n++; return answer; }\nint returning(int x)\n{\n  ");
      for (int k = 0; k < n; k++)
        g_string_append_printf (text, "if (x == %d) return %d;\n  else ", k, k + 7);
      g_string_append (text, "return -7;\n}\nkernel(1) void main_(const buffer<int> in, buffer<int> out)\n{\n  int n = 0;\n"
                       "  int x = in[0];\n  ");
      for (int k = 0; k < n; k++)
        g_string_append_printf (text, "if (ask(n, x == %d)) { out[0] = %d; }\n  else ", k, k * 3);
      g_string_append (text, "out[0] = -1;\n  out[1] = n;\n  out[2] = returning(x);\n}\n");
      check_text ("ladder", text->str);
      g_string_free (text, TRUE);
    }
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("frontend-cases");

  TCase *test_case = gb_test_case (suite, "interpreter");

  tcase_add_test (test_case, test_cases);
  tcase_add_test (test_case, test_values);
  tcase_add_test (test_case, test_ladder);
  return suite;
}

GB_TEST_MAIN (make_suite)
