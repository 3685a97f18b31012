/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* No input may crash, hang or exhaust the compiler. Meant to run under ASan and
 * UBSan; what is accepted must also verify. GABBRO_FUZZ_SEED and GABBRO_FUZZ_ROUNDS
 * choose other mutations. */

#include "config.h"

#include "codegen/frontend/frontend.h"
#include "codegen/xir/verify.h"
#include "tests/test-main.h"

#include <string.h>

#define DEFAULT_ROUNDS 3000

static struct xir_context *context;

static void
setup (void)
{
  context = xir_context_new ();
}

static void
teardown (void)
{
  xir_context_unref (context);
}

/* Compiles what may be anything; returns the number of errors. */
static guint
feed (const char *text,
      gsize       length)
{
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  GString *out = g_string_new (NULL);
  guint n_errors;

  gk_diagnostics_init (&diagnostics, "test");
  unit = gk_unit_new (context, "test", text, length, &diagnostics);
  n_errors = diagnostics.n_errors;
  gk_diagnostics_format (&diagnostics, out);
  ck_assert_uint_le (diagnostics.list->len, 2 * diagnostics.limit + 1);
  gk_unit_print (unit, out);
  if (n_errors == 0)
    {
      struct xir_module *module = gk_unit_lower (unit);
      g_string_truncate (out, 0);
      ck_assert_msg (xir_verify_module (module, out) == 0, "%.*s\n%s", (int) length, text, out->str);
      xir_module_free (module);
    }
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  g_string_free (out, TRUE);
  return n_errors;
}

static guint
feed_text (const char *text)
{
  return feed (text, strlen (text));
}

/* The good programs, whole. */
static GPtrArray *
load_programs (void)
{
  static const char *const folders[] = { "tests/frontend/good", "data/examples", "tests/cases" };
  const char *top = g_getenv ("top_srcdir");
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      char *path = g_build_filename (top != NULL ? top : ".", folders[i], NULL);
      GDir *dir = g_dir_open (path, 0, NULL);
      const char *name;
      ck_assert_msg (dir != NULL, "no folder %s", path);
      while ((name = g_dir_read_name (dir)) != NULL)
        if (g_str_has_suffix (name, ".gk"))
          {
            char *file = g_build_filename (path, name, NULL);
            char *text;
            ck_assert (g_file_get_contents (file, &text, NULL, NULL));
            g_ptr_array_add (texts, text);
            g_free (file);
          }
      g_dir_close (dir);
      g_free (path);
    }
  ck_assert_uint_gt (texts->len, 10);
  return texts;
}

START_TEST (test_truncation)
{
  GPtrArray *texts = load_programs ();

  for (guint i = 0; i < texts->len; i++)
    {
      const char *text = g_ptr_array_index (texts, i);
      gsize length = strlen (text);
      for (gsize end = 0; end <= length; end++)
        {
          /* A copy of its own, so that a read past the end is seen. */
          char *part = g_memdup2 (text, end);
          feed (part, end);
          g_free (part);
        }
    }
  g_ptr_array_unref (texts);
}
END_TEST

static guint64
number_from (const char *variable,
             guint64     otherwise)
{
  const char *text = g_getenv (variable);
  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static void
mutate (GString *text,
        GRand   *random)
{
  static const char bytes[] = "(){}[];,.<>=+-*/%&|^~!?:\"'0123456789abcxyzuf _\n\t#@\\\x80\xff";
  gsize at = text->len > 0 ? (gsize) g_rand_int_range (random, 0, (gint32) text->len) : 0;
  gsize wanted = (gsize) g_rand_int_range (random, 1, 12);
  gsize length = MIN (wanted, text->len - at);
  gsize to;

  switch (g_rand_int_range (random, 0, 5))
    {
    case 0:
      g_string_erase (text, at, length);
      break;
    case 1:
      g_string_insert_c (text, at, bytes[g_rand_int_range (random, 0, sizeof bytes - 1)]);
      break;
    case 2:
      if (text->len > 0)
        text->str[at] = bytes[g_rand_int_range (random, 0, sizeof bytes - 1)];
      break;
    case 3:
      {
        /* A piece moved elsewhere keeps words whole more often than bytes do. */
        char *piece = g_strndup (text->str + at, length);
        to = text->len > 0 ? (gsize) g_rand_int_range (random, 0, (gint32) text->len) : 0;
        g_string_insert (text, to, piece);
        g_free (piece);
      }
      break;
    default:
      if (text->len > 0)
        text->str[at] = g_rand_int_range (random, 0, 256);
      break;
    }
}

START_TEST (test_mutation)
{
  GPtrArray *texts = load_programs ();
  GRand *random = g_rand_new_with_seed (number_from ("GABBRO_FUZZ_SEED", 20240601));
  guint64 rounds = number_from ("GABBRO_FUZZ_ROUNDS", DEFAULT_ROUNDS);

  for (guint64 i = 0; i < rounds; i++)
    {
      const char *text = g_ptr_array_index (texts, g_rand_int_range (random, 0, texts->len));
      GString *mutant = g_string_new (text);
      for (int n = g_rand_int_range (random, 1, 6); n > 0; n--)
        mutate (mutant, random);
      feed (mutant->str, mutant->len);
      g_string_free (mutant, TRUE);
    }
  g_rand_free (random);
  g_ptr_array_unref (texts);
}
END_TEST

static char *
repeat (const char *head,
        const char *piece,
        gsize       n,
        const char *tail)
{
  GString *text = g_string_new (head);
  for (gsize i = 0; i < n; i++)
    g_string_append (text, piece);
  g_string_append (text, tail);
  return g_string_free (text, FALSE);
}

#define HEAD "kernel(1) void run(buffer<int> out) { int x = out[0]; "

/* What nests or is long, a hundred thousand times. */
START_TEST (test_depth)
{
  static const struct { const char *head, *piece, *tail; } rows[] =
  {
    { HEAD "x = ", "(", "" }, { HEAD, "{", "" }, { HEAD "x = ", "-", "1; }" }, { HEAD "x = ", "!", "x; }" },
    { HEAD "x = ", "x ? x : ", "x; }" }, { HEAD "x = ", "x + ", "x; }" }, { HEAD "x = ", "x = ", "x; }" },
    { HEAD, "if (x > 0) ", "; }" }, { HEAD, "if (x > 0) ; else ", "; }" }, { HEAD, "for (;;) ", "; }" },
    { HEAD, "do ", "; }" }, { HEAD, "while (x > 0) {", "" }, { HEAD, "switch (x) { case 1: ", "" },
    { HEAD "x = ", "min(", "" }, { HEAD "x = out", "[out", "" }, { HEAD "x", ".x", " = 1; }" },
    { HEAD "x = out", "[0]", "; }" }, { HEAD "int a", "[1]", "; }" }, { HEAD "int a[1] = ", "{", "" },
    { HEAD, "[[unroll]] ", "for (;;) break; }" }, { HEAD "x = x", "()", "; }" }, { HEAD "x = x", "++", "; }" },
    { "", "buffer<", "" }, { "", "kernel(1) ", "" }, { "", "}", "" }, { "", "[[", "" }, { "", "struct a {", "" },
    { "", "const ", "" }, { HEAD, "x = bitcast<", "" }, { HEAD, "\"", "" }, { HEAD "// ", "/", "\n }" },
    { HEAD, ";", "}" }, { HEAD, "else ", "" }, { HEAD, "case 1: ", "}" }, { HEAD, "int y; ", "}" },
    { HEAD, "x = unknown; ", "}" }, { HEAD, "unknown1 unknown2; ", "}" }, { HEAD, "x = 1 @; ", "}" }, { "", "#\n", "" },
    { HEAD "x = 0x", "f", "; }" }, { HEAD "x = 1", "0", "; }" }, { HEAD "float f = 0.", "1", "; out[0] = int(f); }" },
    { HEAD "int a", "b", " = 1; }" }, { HEAD "x = a", "b", "; }" }, { "/* ", "*", "" }, { HEAD, "x += 1; ", "}" }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char *text = repeat (rows[i].head, rows[i].piece, 100000, rows[i].tail);
      feed_text (text);
      g_free (text);
    }
}
END_TEST

/* Each of a chain depends on the next: no stack may be as deep as the chain is long. */
START_TEST (test_chains)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < 20000; i++)
    g_string_append_printf (text, "struct s%d { s%d member; };\n", i, i + 1);
  feed_text (text->str);
  g_string_truncate (text, 0);
  for (int i = 0; i < 20000; i++)
    g_string_append_printf (text, "const int c%d = c%d + 1;\n", i, i + 1);
  feed_text (text->str);
  g_string_truncate (text, 0);
  for (int i = 0; i < 4000; i++)
    g_string_append_printf (text, "void f%d() { f%d(); }\n", i, i + 1);
  g_string_append (text, "void f4000() { f0(); }\n");
  ck_assert_uint_eq (feed_text (text->str), 1);
  g_string_free (text, TRUE);
}
END_TEST

/* Wide is allowed: it must only be quick. */
START_TEST (test_width)
{
  GString *text = g_string_new ("kernel(1) void run(buffer<int> out)\n{\n");
  gint64 start = g_get_monotonic_time ();

  for (int i = 0; text->len < 1024 * 1024; i++)
    g_string_append_printf (text, "    int v%d = out[%d] * %d + 3; out[%d] = v%d %% 7;\n", i, i, i + 1, i, i);
  g_string_append (text, "}\n");
  ck_assert_uint_eq (feed_text (text->str), 0);
  /* A quadratic step somewhere would take minutes; sanitizers take seconds. */
  ck_assert_int_lt (g_get_monotonic_time () - start, 20 * G_USEC_PER_SEC);
  g_string_free (text, TRUE);
}
END_TEST

START_TEST (test_limits)
{
  gsize size = GK_MAX_SOURCE_SIZE + 1;
  char *text = g_malloc (size);
  GString *many = g_string_new (NULL);

  memset (text, ' ', size);
  ck_assert_uint_eq (feed (text, size), 1);
  ck_assert_uint_eq (feed (text, size - 1), 0);
  memset (text, '\0', size);
  ck_assert_uint_eq (feed (text, 1000), 1);
  memset (text, '\xff', size);
  ck_assert_uint_eq (feed (text, size - 1), 1);
  g_free (text);
  ck_assert_uint_eq (feed ("", 0), 0);
  ck_assert_uint_eq (feed (NULL, 0), 0);

  for (int i = 0; i < GK_MAX_FUNCTIONS + 1; i++)
    g_string_append_printf (many, "void f%d() { }\n", i);
  ck_assert_uint_eq (feed_text (many->str), 1);
  g_string_assign (many, "void f(");
  for (int i = 0; i < GK_MAX_PARAMETERS + 1; i++)
    g_string_append_printf (many, "%sint p%d", i > 0 ? ", " : "", i);
  g_string_append (many, ") { }\n");
  ck_assert_uint_eq (feed_text (many->str), 1);
  for (int over = 0; over <= 1; over++)
    {
      g_string_assign (many, "void f(int x)\n{\n  switch (x)\n  {\n");
      for (int i = 0; i < GK_MAX_CASES + over; i++)
        g_string_append_printf (many, "  case %d:\n", i);
      g_string_append (many, "    break;\n  }\n}\n");
      ck_assert_uint_eq (feed_text (many->str), over);
    }
  for (int over = 0; over <= 1; over++)
    {
      g_string_printf (many, "void %0*d() { }\n", GK_MAX_NAME - 1 + over, 0);
      many->str[strlen ("void ")] = 'f';
      g_string_insert_c (many, strlen ("void f"), '0');
      ck_assert_uint_eq (feed_text (many->str), over);
      g_string_printf (many, "kernel(1) void f() { print(\"%0*d\"); }\n", GK_MAX_TEXT + over, 0);
      ck_assert_uint_eq (feed_text (many->str), over);
    }
  g_string_free (many, TRUE);
}
END_TEST

static void
add_case (Suite       *suite,
          const char  *name,
          const TTest *test)
{
  TCase *test_case = gb_test_case (suite, name);
  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_test (test_case, test);
}

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("frontend-robustness");

  add_case (suite, "truncation", test_truncation);
  add_case (suite, "mutation", test_mutation);
  add_case (suite, "depth", test_depth);
  add_case (suite, "chains", test_chains);
  add_case (suite, "width", test_width);
  add_case (suite, "limits", test_limits);
  return suite;
}

GB_TEST_MAIN (make_suite)
