/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs and what the front end must say of them. good/x.gk must lower to a module
 * that the verifier likes; where x.ast, x.xir, x.layout or x.layout-c and the like stands
 * beside it, that is how it must print. bad/x.gk must give exactly the messages of x.expected. With
 * GABBRO_UPDATE_EXPECTED=1 the files beside the programs are written anew. */

#include "config.h"

#include "codegen/frontend/frontend.h"
#include "codegen/xir/print.h"
#include "codegen/xir/verify.h"
#include "tests/test-main.h"

#include <string.h>

static char *
source_path (const char *relative)
{
  const char *top = g_getenv ("top_srcdir");
  return g_build_filename (top != NULL ? top : ".", relative, NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Names of the programs of a folder, sorted. */
static GPtrArray *
list_programs (const char *folder)
{
  char *path = source_path (folder);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  ck_assert_msg (dir != NULL, "no folder %s", path);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".gk"))
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_dir_close (dir);
  g_ptr_array_sort (names, compare_names);
  g_free (path);
  return names;
}

/* Whole files that a unit without errors prints as. */
static const struct
{
  const char *extension;
  void (*print) (const struct gk_unit *unit, GString *out);
} layouts[] = {
  { ".layout", gk_unit_print_layout },
  { ".layout-c", gk_unit_print_layout_c },
  { ".layout-gvariant", gk_unit_print_layout_gvariant },
  { ".layout-python", gk_unit_print_layout_python }
};

struct result
{
  guint n_errors;
  GString *messages;
  GString *ast;
  GString *layouts[G_N_ELEMENTS (layouts)], *xir;        /* empty where there were errors */
  GString *faults;               /* what the verifier says */
};

static struct result
compile (const char *path)
{
  struct result result = { .messages = g_string_new (NULL), .ast = g_string_new (NULL), .xir = g_string_new (NULL),
                           .faults = g_string_new (NULL) };
  struct xir_context *context = xir_context_new ();
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  char *name = g_path_get_basename (path);
  char *text;
  gsize length;

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    result.layouts[i] = g_string_new (NULL);
  ck_assert_msg (g_file_get_contents (path, &text, &length, NULL), "cannot read %s", path);
  gk_diagnostics_init (&diagnostics, name);
  unit = gk_unit_new (context, name, text, length, &diagnostics);
  gk_diagnostics_format (&diagnostics, result.messages);
  gk_unit_print (unit, result.ast);
  result.n_errors = diagnostics.n_errors;
  if (diagnostics.n_errors == 0)
    {
      struct xir_module *module = gk_unit_lower (unit);
      for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
        layouts[i].print (unit, result.layouts[i]);
      /* The module must live on without the unit. */
      gk_unit_free (unit);
      unit = NULL;
      xir_print_module (module, result.xir);
      xir_verify_module (module, result.faults);
      xir_module_free (module);
    }
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  xir_context_unref (context);
  g_free (text);
  g_free (name);
  return result;
}

static void
result_clear (struct result *result)
{
  g_string_free (result->messages, TRUE);
  g_string_free (result->ast, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    g_string_free (result->layouts[i], TRUE);
  g_string_free (result->xir, TRUE);
  g_string_free (result->faults, TRUE);
}

/* Compares with the file beside `program`, or writes it. A file that is not there
 * is an error only if it is `wanted`. */
static void
check_beside (const char *program,
              const char *extension,
              const char *got,
              bool        wanted)
{
  char *base = g_strndup (program, strlen (program) - 3);
  char *path = g_strconcat (base, extension, NULL);
  char *expected = NULL;
  bool exists = g_file_get_contents (path, &expected, NULL, NULL);

  if (g_getenv ("GABBRO_UPDATE_EXPECTED") != NULL && (exists || wanted))
    ck_assert_msg (g_file_set_contents (path, got, -1, NULL), "cannot write %s", path);
  else
    {
      ck_assert_msg (exists || !wanted, "%s is missing", path);
      if (exists)
        ck_assert_msg (strcmp (expected, got) == 0, "%s differs; got:\n%s", path, got);
    }
  g_free (expected);
  g_free (path);
  g_free (base);
}

static void
check_good (const char *folder,
            bool        warnings)
{
  GPtrArray *programs = list_programs (folder);

  ck_assert_uint_gt (programs->len, 0);
  for (guint i = 0; i < programs->len; i++)
    {
      const char *path = g_ptr_array_index (programs, i);
      struct result first = compile (path);
      struct result second = compile (path);
      ck_assert_msg (first.n_errors == 0, "%s:\n%s", path, first.messages->str);
      ck_assert_msg (warnings || first.messages->len == 0, "%s:\n%s", path, first.messages->str);
      ck_assert_msg (first.faults->len == 0, "%s:\n%s", path, first.faults->str);
      ck_assert_str_eq (first.ast->str, second.ast->str);
      ck_assert_str_eq (first.xir->str, second.xir->str);
      check_beside (path, ".ast", first.ast->str, false);
      check_beside (path, ".xir", first.xir->str, false);
      for (guint k = 0; k < G_N_ELEMENTS (layouts); k++)
        check_beside (path, layouts[k].extension, first.layouts[k]->str, false);
      result_clear (&first);
      result_clear (&second);
    }
  g_ptr_array_unref (programs);
}

START_TEST (test_good)
{
  check_good ("tests/frontend/good", false);
}
END_TEST

START_TEST (test_examples)
{
  check_good ("data/examples", false);
}
END_TEST

/* Cases warn where their fault lies in dead code or in comparing with NaN. */
START_TEST (test_cases)
{
  check_good ("tests/cases", true);
}
END_TEST

/* What a device sees as words is warned of. */
START_TEST (test_layouts)
{
  check_good ("tests/frontend/layouts", true);
}
END_TEST

START_TEST (test_bad)
{
  GPtrArray *programs = list_programs ("tests/frontend/bad");

  ck_assert_uint_ge (programs->len, 150);
  for (guint i = 0; i < programs->len; i++)
    {
      const char *path = g_ptr_array_index (programs, i);
      struct result result = compile (path);
      ck_assert_msg (result.messages->len > 0, "%s: nothing was said", path);
      check_beside (path, ".expected", result.messages->str, true);
      ck_assert_msg (result.faults->len == 0, "%s:\n%s", path, result.faults->str);
      result_clear (&result);
    }
  g_ptr_array_unref (programs);
}
END_TEST

/* One mistake is one message: ten are ten, each with its line, a caret and a hint. */
START_TEST (test_ten_mistakes)
{
  char *path = source_path ("tests/frontend/bad/ten-mistakes.gk");
  struct result result = compile (path);
  char **hints;

  ck_assert_uint_eq (result.n_errors, 10);
  hints = g_strsplit (result.messages->str, "\n  hint: ", -1);
  ck_assert_uint_eq (g_strv_length (hints), 10 + 1);
  g_strfreev (hints);
  result_clear (&result);
  g_free (path);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("frontend-golden");
  TCase *test_case = gb_test_case (suite, "programs");

  tcase_add_test (test_case, test_good);
  tcase_add_test (test_case, test_examples);
  tcase_add_test (test_case, test_cases);
  tcase_add_test (test_case, test_layouts);
  tcase_add_test (test_case, test_bad);
  tcase_add_test (test_case, test_ten_mistakes);
  return suite;
}

GB_TEST_MAIN (make_suite)
