/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program is made of besides its own text: imports, which a function finds,
 * and values of options. */

#include "config.h"

#include <string.h>

#include "codegen/frontend/unit.h"
#include "codegen/spirv/spirv.h"
#include "codegen/xir/print.h"
#include "codegen/xir/verify.h"
#include "tests/test-main.h"

/* Texts by name, up to one without a name. */
struct file { const char *name, *text; };

static char *
find_file (const char *path, const char *importer, char **name, gsize *length, gpointer data, GError **error)
{
  for (const struct file *file = data; file->name != NULL; file++)
    if (strcmp (file->name, path) == 0)
      {
        *name = g_strdup (path);
        *length = strlen (file->text);
        return g_strdup (file->text);
      }
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "not beside %s", importer);
  return NULL;
}

struct program
{
  struct xir_context *context;
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  struct xir_module *module;     /* NULL after a mistake */
  GString *report;
};

static void
program_init (struct program *program, const char *text, const struct file *files, const struct gk_option_value *values, guint n_values)
{
  const struct gk_source_options options = { values, n_values, files != NULL ? find_file : NULL, (gpointer) files };

  program->context = xir_context_new ();
  program->report = g_string_new (NULL);
  gk_diagnostics_init (&program->diagnostics, "main.gk");
  program->unit = gk_unit_new_with (program->context, "main.gk", text, strlen (text), &options, &program->diagnostics);
  gk_diagnostics_format (&program->diagnostics, program->report);
  program->module = program->diagnostics.n_errors == 0 ? gk_unit_lower (program->unit) : NULL;
  if (program->module != NULL)
    ck_assert_uint_eq (xir_verify_module (program->module, NULL), 0);
}

static void
program_clear (struct program *program)
{
  xir_module_free (program->module);
  gk_unit_free (program->unit);
  gk_diagnostics_clear (&program->diagnostics);
  g_string_free (program->report, TRUE);
  xir_context_unref (program->context);
}

/* The program is good, and its text in XIR has this in it. */
static void
expect_xir (const char *text, const struct file *files, const struct gk_option_value *values, guint n_values, const char *needle)
{
  struct program program;
  GString *xir = g_string_new (NULL);

  program_init (&program, text, files, values, n_values);
  ck_assert_msg (program.module != NULL, "%s", program.report->str);
  xir_print_module (program.module, xir);
  ck_assert_msg (strstr (xir->str, needle) != NULL, "no “%s” in\n%s", needle, xir->str);
  g_string_free (xir, TRUE);
  program_clear (&program);
}

/* These are all the messages. */
static void
expect_report (const char *text, const struct file *files, const struct gk_option_value *values, guint n_values, const char *report)
{
  struct program program;

  program_init (&program, text, files, values, n_values);
  ck_assert_str_eq (program.report->str, report);
  program_clear (&program);
}

static const char diamond[] =
  "import \"a.gk\";\nimport \"b.gk\";\n"
  "kernel(1) void run(buffer<float> out) { out[0] = a() + b() + S(ONE).x; }\n";

START_TEST (test_import)
{
  static const struct file files[] = {
    { "a.gk", "\xef\xbb\xbf// first\nimport \"c.gk\";\nfloat a() { return c(); }\n" },
    { "b.gk", "import \"c.gk\";\nimport \"a.gk\";\nfloat b() { return c() + a(); }\n" },
    { "c.gk", "struct S { float x; };\nconst float ONE = 1;\nfloat c()\n{\n    return ONE;\n}\n" },
    { NULL, NULL }
  };
  struct program program;
  struct xir_function *function;

  expect_xir (diamond, files, NULL, 0, "function c () : float");
  program_init (&program, diamond, files, NULL, 0);
  ck_assert_uint_eq (program.unit->sources->len, 4);
  function = xir_module_find_function (program.module, "c");
  ck_assert_uint_eq (function->location.line, 3);
  ck_assert_str_eq (xir_module_file (program.module, function->location.file), "c.gk");
  function = xir_module_find_function (program.module, "run");
  ck_assert_uint_eq (function->location.file, 0);
  ck_assert_uint_eq (xir_block_terminator (xir_function_entry (function))->location.line, 3);
  program_clear (&program);
}
END_TEST

/* Lines of the debugger's information are those of the files. */
START_TEST (test_lines)
{
  static const struct file files[] = { { "c.gk", "\n\n\nfloat c(float x) { return x * 2; }\n" }, { NULL, NULL } };
  const struct spirv_target target = {
    .max_group_size = { 64, 64, 64 }, .max_group_invocations = 64, .max_push_constants = 128, .max_storage_buffers = 4, .max_resources = 4
  };
  const struct spirv_options options = { .debug_names = true };
  struct spirv_result result;
  struct program program;
  GError *error = NULL;
  char *text;

  program_init (&program, "import \"c.gk\";\nkernel(1) void run(buffer<float> out) { out[0] = c(out[1]); }\n", files, NULL, 0);
  ck_assert_msg (spirv_compile (program.module, "run", &target, &options, &result, &error), "%s", error != NULL ? error->message : "");
  text = spirv_disassemble (result.words, result.n_words, NULL);
  ck_assert_ptr_nonnull (strstr (text, "OpString \"main.gk\""));
  ck_assert_ptr_nonnull (strstr (text, "OpString \"c.gk\""));
  ck_assert_msg (strstr (text, " 4 29") != NULL, "%s", text);
  g_free (text);
  spirv_result_clear (&result);
  program_clear (&program);
}
END_TEST

START_TEST (test_import_mistakes)
{
  static const struct file files[] = {
    { "self.gk", "import \"self.gk\";\n" },
    { "one.gk", "import \"two.gk\";\n" },
    { "two.gk", "import \"one.gk\";\n" },
    { "bad.gk", "\nfloat f()\n{\n    return x;\n}\n" },
    { "latin.gk", "// \xe4\n" },
    { NULL, NULL }
  };

  expect_report ("import \"a.gk\";\n", NULL, NULL, 0,
                 "main.gk:1:1: error: `a.gk` cannot be imported: there is nothing here to import from [GK0049]\n"
                 "  import \"a.gk\";\n  ^~~~~~~~~~~~~\n");
  expect_report ("import \"a.gk\";\n", files, NULL, 0,
                 "main.gk:1:1: error: `a.gk` cannot be imported: not beside main.gk [GK0049]\n"
                 "  import \"a.gk\";\n  ^~~~~~~~~~~~~\n");
  expect_report ("import \"self.gk\";\n", files, NULL, 0,
                 "self.gk:1:1: error: `self.gk` imports itself, by way of others or at once [GK0050]\n"
                 "  import \"self.gk\";\n  ^~~~~~~~~~~~~~~~\n");
  expect_report ("import \"one.gk\";\n", files, NULL, 0,
                 "two.gk:1:1: error: `one.gk` imports itself, by way of others or at once [GK0050]\n"
                 "  import \"one.gk\";\n  ^~~~~~~~~~~~~~~\n");
  /* Places are those of the file; the program's own messages come first. */
  expect_report ("import \"bad.gk\";\nfloat g() { return y; }\n", files, NULL, 0,
                 "main.gk:2:20: error: unknown name `y` [GK0100]\n  float g() { return y; }\n                     ^\n"
                 "bad.gk:4:12: error: unknown name `x` [GK0100]\n      return x;\n             ^\n");
  expect_report ("import \"latin.gk\";\n", files, NULL, 0,
                 "latin.gk:1:4: error: this is not UTF-8 text: byte 3 begins no character [GK0003]\n  // \xef\xbf\xbd\n     ^\n");
}
END_TEST

static char *
find_anything (const char *path, const char *importer, char **name, gsize *length, gpointer data, GError **error)
{
  char *text = g_strdup_printf ("import \"%sx\";\n", path);

  *length = strlen (text);
  return text;
}

/* Files without end, and more of them than a program may have text. */
START_TEST (test_import_limits)
{
  struct gk_source_options options = { .import = find_anything };
  struct xir_context *context = xir_context_new ();
  struct gk_diagnostics diagnostics;
  const char *text = "import \"x\";\n";

  gk_diagnostics_init (&diagnostics, "main.gk");
  gk_unit_free (gk_unit_new_with (context, "main.gk", text, strlen (text), &options, &diagnostics));
  ck_assert_uint_eq (diagnostics.n_errors, 1);
  ck_assert_str_eq (((struct gk_diagnostic *) diagnostics.list->pdata[0])->message, "more than 256 files are imported");
  gk_diagnostics_clear (&diagnostics);
  xir_context_unref (context);
}
END_TEST

START_TEST (test_options)
{
  static const struct gk_option_value values[] = {
    { "N", "3" }, { "N", "2 + 5" }, { "FLAG", "true" }, { "F", "-1e3" }, { "U", "0xffffffff" }
  };
  const char *text = "option int N = 4;\noption uint U = 8;\nkernel(N) void run(buffer<uint> u, buffer<float> f)\n"
                     "{\n  float a[N * 2];\n  a[u[1]] = 1;\n  f[0] = a[N];\n  u[0] = U;\n}\n";

  expect_xir (text, NULL, NULL, 0, "group_size 4 1 1");
  expect_xir (text, NULL, NULL, 0, ": &array<float,8>");
  /* The last one counts. */
  expect_xir (text, NULL, values, 2, "group_size 7 1 1");
  expect_xir (text, NULL, values, 2, ": &array<float,14>");
  expect_xir (text, NULL, values + 4, 1, "4294967295u");
  expect_xir ("option bool FLAG = false;\noption float F = 0.5;\nkernel(1) void run(buffer<float> out) { out[0] = F; if (FLAG) out[1] = 1; }\n",
              NULL, values + 2, 2, "-1e+03f");
}
END_TEST

START_TEST (test_option_mistakes)
{
  static const struct gk_option_value values[] = {
    { "N", "1.5" }, { "RADIOS", "3" }, { "N", "" }, { "N", "1 2" }, { "N", "x" }, { "TWO", "2" }
  };
  const char *text = "option int N = 4;\noption int RADIUS = 1;\nconst int TWO = 2;\nkernel(N) void run(buffer<int> out) { out[0] = TWO; }\n";

  expect_report (text, NULL, values, 1, "-D:1:3: error: 1.5 is a real number, and `int` is wanted [GK0205]\n  N=1.5\n    ^~~\n  hint: int(1.5)\n");
  expect_report (text, NULL, values + 1, 1, "-D:1:1: error: there is no option `RADIOS` [GK0135]\n  RADIOS=3\n  ^~~~~~\n  hint: RADIUS\n");
  expect_report (text, NULL, values + 2, 1, "-D:1:3: error: expected an expression, found the end of the file [GK0030]\n  N=\n    ^\n");
  expect_report (text, NULL, values + 3, 1, "-D:1:5: error: expected the end of the value, found `2` [GK0030]\n  N=1 2\n      ^\n");
  expect_report (text, NULL, values + 4, 1, "-D:1:3: error: unknown name `x` [GK0100]\n  N=x\n    ^\n");
  expect_report (text, NULL, values + 5, 1, "-D:1:1: error: there is no option `TWO` [GK0135]\n  TWO=2\n  ^~~\n");
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("frontend-sources");
  TCase *test_case = gb_test_case (suite, "sources");

  tcase_add_test (test_case, test_import);
  tcase_add_test (test_case, test_lines);
  tcase_add_test (test_case, test_import_mistakes);
  tcase_add_test (test_case, test_import_limits);
  tcase_add_test (test_case, test_options);
  tcase_add_test (test_case, test_option_mistakes);
  return suite;
}

GB_TEST_MAIN (make_suite)
