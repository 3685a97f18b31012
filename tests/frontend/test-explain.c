/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every message has an explanation, whose wrong example gets that message and whose right one
 * gets none; and every message is in the corpus of wrong programs. */

#include "config.h"

#include "codegen/frontend/explain.h"
#include "codegen/frontend/frontend.h"
#include "tests/test-main.h"

#include <string.h>

/* Nobody sees these in one program of a sensible size; the wrong examples show them. */
static const char *const not_alone[] = {
  "SOURCE_TOO_LARGE", "PROGRAM_TOO_LARGE", "NESTED_TOO_DEEP", "STRUCT_MEMBERS", "CONST_DEPTH", "PARAMETERS", "FUNCTIONS",
  "CASES", "TEXT_TOO_LONG", "IMPORTS", "IMPORT_CYCLE", "OPTION_UNKNOWN", NULL
};

/* An example can import itself, and files "part….gk" with nothing in them. */
static char *
find_part (const char *path, const char *importer, char **name, gsize *length, gpointer data, GError **error)
{
  const GString *text = data;
  bool is_self = strcmp (path, "example.gk") == 0;

  if (!is_self && !g_str_has_prefix (path, "part"))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "no such file");
      return NULL;
    }
  *name = g_strdup (path);
  *length = is_self ? text->len : 0;
  return g_strdup (is_self ? text->str : "");
}

/* One line that stands for `times` of them: # is the number, #+1 the next. */
static void
append_repeated (GString    *out,
                 const char *line,
                 gsize       length,
                 guint64     times)
{
  for (guint64 i = 0; i < times; i++)
    {
      for (gsize at = 0; at < length; at++)
        if (line[at] != '#')
          g_string_append_c (out, line[at]);
        else if (at + 2 < length && line[at + 1] == '+' && line[at + 2] == '1')
          {
            g_string_append_printf (out, "%llu", (unsigned long long) i + 1);
            at += 2;
          }
        else
          g_string_append_printf (out, "%llu", (unsigned long long) i);
      g_string_append_c (out, '\n');
    }
}

/* The program that an example stands for. */
static GString *
expand (const char *example)
{
  static const char head[] = "/* ", tail[] = " times: */ ";
  GString *out = g_string_new (NULL);

  while (*example != '\0')
    {
      gsize length = strcspn (example, "\n");
      char *end = NULL;
      guint64 times = g_str_has_prefix (example, head) ? g_ascii_strtoull (example + strlen (head), &end, 10) : 0;
      if (times > 0 && g_str_has_prefix (end, tail))
        append_repeated (out, end + strlen (tail), length - (gsize) (end + strlen (tail) - example), times);
      else
        {
          g_string_append_len (out, example, (gssize) length);
          g_string_append_c (out, '\n');
        }
      example += length + (example[length] == '\n');
    }
  return out;
}

/* The characters that stand for bytes that no C text can hold, and for very many. */
static void
put_bytes (GString *text)
{
  char *letters = g_strnfill (5000, 'o');
  char *at = strstr (text->str, "\342\220\200");

  if (at != NULL)
    {
      *at = '\0';
      g_string_erase (text, at + 1 - text->str, 2);
    }
  g_string_replace (text, "\357\277\275", "\377", 0);
  g_string_replace (text, "\342\200\246", letters, 0);
  g_free (letters);
}

static void
compile (const char            *example,
         struct gk_diagnostics *diagnostics)
{
  static const char command[] = "// -D ";
  struct xir_context *context = xir_context_new ();
  GString *text = expand (example);
  char *define = g_strndup (example, strcspn (example, "\n")), *equals = strchr (define, '=');
  bool defines = g_str_has_prefix (define, command) && equals != NULL;
  struct gk_option_value value = { defines ? define + strlen (command) : NULL, defines ? equals + 1 : NULL };
  const struct gk_source_options options = { &value, defines ? 1 : 0, find_part, text };
  struct gk_unit *unit;

  if (defines)
    *equals = '\0';

  put_bytes (text);
  gk_diagnostics_init (diagnostics, "example.gk");
  unit = gk_unit_new_with (context, "example.gk", text->str, text->len, &options, diagnostics);
  gk_unit_free (unit);
  g_free (define);
  xir_context_unref (context);
  g_string_free (text, TRUE);
}

static char *
list_messages (const struct gk_diagnostics *diagnostics)
{
  GString *out = g_string_new (NULL);

  gk_diagnostics_format (diagnostics, out);
  if (out->len > 4000)
    g_string_truncate (out, 4000);
  return g_string_free (out, FALSE);
}

START_TEST (test_complete)
{
  struct gk_explanation explanation;
  GString *missing = g_string_new (NULL);

  for (guint i = 0; gk_explanation_at (i, &explanation); i++)
    if (explanation.text == NULL)
      g_string_append_printf (missing, " GK%04u (%s)", explanation.code, explanation.name);
    else
      {
        ck_assert_msg (strlen (explanation.text) >= 40, "%s: that explains nothing", explanation.name);
        ck_assert_msg (g_str_has_suffix (explanation.wrong, "\n"), "%s: the wrong example is cut off", explanation.name);
        ck_assert_msg (g_str_has_suffix (explanation.right, "\n"), "%s: the right example is cut off", explanation.name);
      }
  ck_assert_msg (missing->len == 0, "without a row in codegen/frontend/explain-*.def:%s", missing->str);
  g_string_free (missing, TRUE);
}
END_TEST

/* The first message of an example is the one that it is for; others may follow from the mistake. */
START_TEST (test_wrong)
{
  struct gk_explanation explanation;
  GString *faults = g_string_new (NULL);

  for (guint i = 0; gk_explanation_at (i, &explanation); i++)
    {
      struct gk_diagnostics diagnostics;
      const struct gk_diagnostic *first;
      if (explanation.wrong == NULL)
        continue;
      compile (explanation.wrong, &diagnostics);
      first = diagnostics.list->len > 0 ? g_ptr_array_index (diagnostics.list, 0) : NULL;
      if (first == NULL || first->code != explanation.code || first->severity != explanation.severity)
        {
          char *messages = list_messages (&diagnostics);
          g_string_append_printf (faults, "%s: the wrong example gives %s\n%s", explanation.name,
                                  first != NULL ? "first something else:" : "nothing", messages);
          g_free (messages);
        }
      gk_diagnostics_clear (&diagnostics);
    }
  ck_assert_msg (faults->len == 0, "\n%s", faults->str);
  g_string_free (faults, TRUE);
}
END_TEST

START_TEST (test_right)
{
  struct gk_explanation explanation;
  GString *faults = g_string_new (NULL);

  for (guint i = 0; gk_explanation_at (i, &explanation); i++)
    {
      struct gk_diagnostics diagnostics;
      if (explanation.right == NULL)
        continue;
      compile (explanation.right, &diagnostics);
      if (diagnostics.list->len > 0)
        {
          char *messages = list_messages (&diagnostics);
          g_string_append_printf (faults, "%s: the right example gives\n%s", explanation.name, messages);
          g_free (messages);
        }
      gk_diagnostics_clear (&diagnostics);
    }
  ck_assert_msg (faults->len == 0, "\n%s", faults->str);
  g_string_free (faults, TRUE);
}
END_TEST

/* Bytes become "…", and there is one for each of them. */
START_TEST (test_summary)
{
  struct gk_explanation explanation;

  ck_assert (gk_explain (200, &explanation));
  ck_assert_str_eq (explanation.name, "MISMATCH");
  char *summary = gk_explanation_summary (&explanation);
  ck_assert_str_eq (summary, "expected `…`, found `…`");
  g_free (summary);
  ck_assert (gk_explain (1, &explanation));
  summary = gk_explanation_summary (&explanation);
  ck_assert_str_eq (summary, "the source has … bytes, the limit is …");
  g_free (summary);
  for (guint i = 0; gk_explanation_at (i, &explanation); i++)
    {
      summary = gk_explanation_summary (&explanation);
      ck_assert_msg (strchr (summary, '%') == NULL || strstr (explanation.format, "%%") != NULL || strstr (explanation.format, "`%`") != NULL,
                     "%s", summary);
      g_free (summary);
    }
  ck_assert (!gk_explain (0, &explanation));
  ck_assert (!gk_explain (9999, &explanation));
}
END_TEST

START_TEST (test_corpus)
{
  const char *top = g_getenv ("top_srcdir");
  char *path = g_build_filename (top != NULL ? top : ".", "tests/frontend/bad", NULL);
  GDir *dir = g_dir_open (path, 0, NULL);
  struct gk_explanation explanation;
  GString *all = g_string_new (NULL), *missing = g_string_new (NULL);
  guint n_programs = 0;
  const char *name;

  ck_assert_msg (dir != NULL, "no folder %s", path);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".expected"))
      {
        char *file = g_build_filename (path, name, NULL);
        char *text;
        ck_assert_msg (g_file_get_contents (file, &text, NULL, NULL), "cannot read %s", file);
        g_string_append (all, text);
        g_free (text);
        g_free (file);
        n_programs++;
      }
  g_dir_close (dir);
  g_free (path);
  ck_assert_uint_ge (n_programs, 150);
  for (guint i = 0; gk_explanation_at (i, &explanation); i++)
    {
      char *code = g_strdup_printf ("[GK%04u]", explanation.code);
      if (strstr (all->str, code) == NULL && !g_strv_contains (not_alone, explanation.name))
        g_string_append_printf (missing, " %s (%s)", code, explanation.name);
      g_free (code);
    }
  ck_assert_msg (missing->len == 0, "in no program of tests/frontend/bad:%s", missing->str);
  g_string_free (all, TRUE);
  g_string_free (missing, TRUE);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("frontend-explain");
  TCase *test_case = gb_test_case (suite, "explanations");

  tcase_add_test (test_case, test_complete);
  tcase_add_test (test_case, test_wrong);
  tcase_add_test (test_case, test_right);
  tcase_add_test (test_case, test_summary);
  tcase_add_test (test_case, test_corpus);
  return suite;
}

GB_TEST_MAIN (make_suite)
