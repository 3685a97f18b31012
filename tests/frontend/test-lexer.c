/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/frontend.h"
#include "codegen/frontend/lexer.h"
#include "tests/test-main.h"

#include <math.h>
#include <string.h>

/* A unit of which only the text matters, and its lexer. */
struct fixture
{
  struct xir_context *context;
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  struct gk_lexer lexer;
};

static void
open_text (struct fixture *fixture,
           const char     *text)
{
  fixture->context = xir_context_new ();
  gk_diagnostics_init (&fixture->diagnostics, "test");
  fixture->unit = gk_unit_new (fixture->context, "test", text, strlen (text), &fixture->diagnostics);
  /* Its own messages are of the parser: begin anew. */
  gk_diagnostics_clear (&fixture->diagnostics);
  gk_diagnostics_init (&fixture->diagnostics, "test");
  fixture->unit->diagnostics = &fixture->diagnostics;
  gk_lexer_init (&fixture->lexer, fixture->unit, 0);
}

static void
close_text (struct fixture *fixture)
{
  fixture->unit->diagnostics = NULL;
  gk_unit_free (fixture->unit);
  gk_diagnostics_clear (&fixture->diagnostics);
  xir_context_unref (fixture->context);
}

static struct gk_token
next (struct fixture *fixture)
{
  struct gk_token token;
  gk_lexer_next (&fixture->lexer, &token);
  return token;
}

/* Every punctuation and keyword of the table comes back as itself. */
START_TEST (test_table)
{
  struct fixture fixture;
  GString *text = g_string_new (NULL);

  for (int kind = GK_TOKEN_LEFT_PARENTHESIS; kind < GK_TOKEN_RESERVED_TYPE; kind++)
    g_string_append_printf (text, "%s ", gk_token_text (kind));
  open_text (&fixture, text->str);
  for (int kind = GK_TOKEN_LEFT_PARENTHESIS; kind < GK_TOKEN_RESERVED_TYPE; kind++)
    {
      struct gk_token token = next (&fixture);
      ck_assert_int_eq (token.kind, kind);
      ck_assert_uint_eq (token.length, strlen (gk_token_text (kind)));
    }
  ck_assert_int_eq (next (&fixture).kind, GK_TOKEN_END);
  ck_assert_int_eq (next (&fixture).kind, GK_TOKEN_END);
  close_text (&fixture);
  g_string_free (text, TRUE);
}
END_TEST

START_TEST (test_longest_match)
{
  static const enum gk_token_kind expected[] =
  {
    GK_TOKEN_SHIFT_RIGHT_ASSIGN, GK_TOKEN_SHIFT_RIGHT, GK_TOKEN_GREATER_EQUAL, GK_TOKEN_INCREMENT, GK_TOKEN_PLUS_ASSIGN,
    GK_TOKEN_AND_AND, GK_TOKEN_AMPERSAND, GK_TOKEN_NOT_EQUAL, GK_TOKEN_EQUAL, GK_TOKEN_END
  };
  struct fixture fixture;

  open_text (&fixture, ">>=>> >=+++= &&& !===");
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    ck_assert_int_eq (next (&fixture).kind, expected[i]);
  close_text (&fixture);
}
END_TEST

START_TEST (test_integers)
{
  static const struct { const char *text; uint64_t value; bool suffix; } rows[] =
  {
    { "0", 0, false }, { "42", 42, false }, { "42u", 42, true }, { "0x2A", 42, false }, { "0b101010", 42, false },
    { "1'000'000", 1000000, false }, { "0xffff'ffffu", 4294967295, true },
    { "18446744073709551615", UINT64_MAX, false }, { "0xffffffffffffffff", UINT64_MAX, false }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      struct fixture fixture;
      struct gk_token token;
      open_text (&fixture, rows[i].text);
      token = next (&fixture);
      ck_assert_int_eq (token.kind, GK_TOKEN_INTEGER);
      ck_assert_uint_eq (token.u.integer, rows[i].value);
      ck_assert_int_eq (token.has_suffix, rows[i].suffix);
      ck_assert_int_eq (next (&fixture).kind, GK_TOKEN_END);
      ck_assert_uint_eq (fixture.diagnostics.n_errors, 0);
      close_text (&fixture);
    }
}
END_TEST

START_TEST (test_reals)
{
  static const struct { const char *text; double value; bool suffix; } rows[] =
  {
    { "1.0", 1.0, false }, { "1.", 1.0, false }, { ".5", 0.5, false }, { "1.5f", 1.5, true }, { "1e3", 1000.0, false },
    { "1.5h", 1.5, true }, { "1.5d", 1.5, true }, { "2.5E-2", 0.025, false }, { "0.1", 0.1, false }, { "3.14159265358979", 3.14159265358979, false },
    { "0.00000000000000000000000001", 1e-26, false }, { "123456789012345678.5", 123456789012345678.5, false },
    { "1'000.25", 1000.25, false }, { "00.5", 0.5, false }, { "0.0", 0.0, false },
    { "1.00000005960464477539062500001", 1.000000059604644775390625, false },
    { "16777217.0000000000000000001", 16777217.0, false }, { "16777219.0", 16777219.0, false }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      struct fixture fixture;
      struct gk_token token;
      open_text (&fixture, rows[i].text);
      token = next (&fixture);
      ck_assert_int_eq (token.kind, GK_TOKEN_REAL);
      ck_assert_msg (token.u.real == rows[i].value, "%s is %.17g", rows[i].text, token.u.real);
      /* Rounding the sticky one is rounding the number itself, once. */
      ck_assert_msg ((float) token.sticky == strtof (rows[i].text, NULL) || strchr (rows[i].text, '\'') != NULL, "%s is %.9g",
                     rows[i].text, (double) (float) token.sticky);
      ck_assert_int_eq (token.has_suffix, rows[i].suffix);
      ck_assert_int_eq (next (&fixture).kind, GK_TOKEN_END);
      ck_assert_uint_eq (fixture.diagnostics.n_errors, 0);
      close_text (&fixture);
    }
}
END_TEST

/* Of the doubles around a number that is none, that with the odd last bit: by the long and by the short way. */
START_TEST (test_sticky)
{
  static const struct { const char *text; double sticky; } rows[] =
  {
    { "0.5", 0.5 }, { "0.1", 0x1.9999999999999p-4 }, { "0.3", 0x1.3333333333333p-2 }, { "0.7", 0x1.6666666666667p-1 },
    { "0.2", 0x1.9999999999999p-3 }, { "1e-1", 0x1.9999999999999p-4 }, { "7e-1", 0x1.6666666666667p-1 },
    { "1.00000000000000000000000000000001", 0x1.0000000000001p0 }, { "0.99999999999999999999999999999999", 0x1.fffffffffffffp-1 },
    { "1.00048828125000000000000000000001", 0x1.0020000000001p0 }, { "1e22", 1e22 }, { "9007199254740993.0", 0x1.0000000000001p53 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      struct fixture fixture;
      struct gk_token token;
      open_text (&fixture, rows[i].text);
      token = next (&fixture);
      ck_assert_msg (token.sticky == rows[i].sticky, "%s is %a, not %a", rows[i].text, token.sticky, rows[i].sticky);
      close_text (&fixture);
    }
}
END_TEST

START_TEST (test_bad_tokens)
{
  static const char *const texts[] =
  {
    "0x", "0b2", "1abc", "1f", "010", "18446744073709551616", "0x10000000000000000", "1.0u", "1.0l", "3lu", "3h", "3d", "1.0hh", "@", "\"open", "\"\\q\"",
    "/* open"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      struct fixture fixture;
      open_text (&fixture, texts[i]);
      while (next (&fixture).kind != GK_TOKEN_END)
        ;
      ck_assert_msg (fixture.diagnostics.n_errors == 1, "%s: %u", texts[i], fixture.diagnostics.n_errors);
      close_text (&fixture);
    }
}
END_TEST

START_TEST (test_blanks_and_lines)
{
  struct fixture fixture;
  struct gk_token token;

  open_text (&fixture, "a // one\n  b /* two\n */ c /**/ d\r\ne");
  token = next (&fixture);
  ck_assert (token.on_new_line);
  token = next (&fixture);
  ck_assert (token.on_new_line);
  ck_assert_uint_eq (gk_locate (fixture.unit, token.offset).line, 2);
  ck_assert_uint_eq (gk_locate (fixture.unit, token.offset).column, 3);
  token = next (&fixture);
  ck_assert (token.on_new_line);
  token = next (&fixture);
  ck_assert (!token.on_new_line);
  token = next (&fixture);
  ck_assert (token.on_new_line);
  ck_assert_uint_eq (gk_locate (fixture.unit, token.offset).line, 4);
  ck_assert_uint_eq (gk_locate (fixture.unit, token.offset).column, 1);
  close_text (&fixture);
}
END_TEST

START_TEST (test_names)
{
  struct fixture fixture;
  struct gk_token a, b, c;

  open_text (&fixture, "alpha beta alpha \"a\\n\\\"b\"");
  a = next (&fixture);
  b = next (&fixture);
  c = next (&fixture);
  ck_assert_ptr_eq (a.u.name, c.u.name);
  ck_assert_ptr_ne (a.u.name, b.u.name);
  a = next (&fixture);
  ck_assert_int_eq (a.kind, GK_TOKEN_STRING);
  ck_assert_str_eq (a.u.text, "a\n\"b");
  close_text (&fixture);
}
END_TEST

START_TEST (test_edit_distance)
{
  ck_assert_uint_eq (gk_edit_distance ("size", 4, "size", 4, 3), 0);
  ck_assert_uint_eq (gk_edit_distance ("sise", 4, "size", 4, 3), 1);
  ck_assert_uint_eq (gk_edit_distance ("mni", 3, "min", 3, 3), 1);
  ck_assert_uint_eq (gk_edit_distance ("", 0, "abc", 3, 3), 3);
  ck_assert_uint_eq (gk_edit_distance ("kitten", 6, "sitting", 7, 3), 3);
  ck_assert_uint_eq (gk_edit_distance ("abcdef", 6, "uvwxyz", 6, 3), 4);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("frontend-lexer");
  TCase *test_case = gb_test_case (suite, "tokens");

  tcase_add_test (test_case, test_table);
  tcase_add_test (test_case, test_longest_match);
  tcase_add_test (test_case, test_integers);
  tcase_add_test (test_case, test_reals);
  tcase_add_test (test_case, test_sticky);
  tcase_add_test (test_case, test_bad_tokens);
  tcase_add_test (test_case, test_blanks_and_lines);
  tcase_add_test (test_case, test_names);
  tcase_add_test (test_case, test_edit_distance);
  return suite;
}

GB_TEST_MAIN (make_suite)
