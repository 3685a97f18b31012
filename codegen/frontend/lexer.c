/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/lexer.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const token_texts[GK_N_TOKENS] =
{
#define GK_PUNCTUATION(name, text) [GK_TOKEN_##name] = text,
#define GK_KEYWORD(name, text) [GK_TOKEN_##name] = text,
#define GK_RESERVED(name, text)
#include "codegen/frontend/tokens.def"
#undef GK_PUNCTUATION
#undef GK_KEYWORD
#undef GK_RESERVED
};

static const struct { const char *text; enum gk_token_kind kind; } words[] =
{
#define GK_PUNCTUATION(name, text)
#define GK_KEYWORD(name, text) { text, GK_TOKEN_##name },
#define GK_RESERVED(name, text) { text, GK_TOKEN_RESERVED_##name },
#include "codegen/frontend/tokens.def"
#undef GK_PUNCTUATION
#undef GK_KEYWORD
#undef GK_RESERVED
};

const char *
gk_token_text (enum gk_token_kind kind)
{
  return token_texts[kind] != NULL ? token_texts[kind] : "";
}

void
gk_keywords_intern (struct gk_unit *unit)
{
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    gk_name_intern (unit, words[i].text, strlen (words[i].text))->token = words[i].kind;
}

void
gk_lexer_init (struct gk_lexer *lexer,
               struct gk_unit  *unit,
               uint32_t         start)
{
  lexer->unit = unit;
  lexer->position = start;
  /* A byte order mark is no character of the program. */
  if (unit->length - start >= 3 && memcmp (unit->text + start, "\xef\xbb\xbf", 3) == 0)
    lexer->position = start + 3;
}

/* Literals may be as long as a source. */
static void
report_too_large (struct gk_unit        *unit,
                  const struct gk_token *token)
{
  enum { MOST = 40 };
  const char *shown = token->length <= MOST
                      ? gb_arena_strndup (&unit->arena, unit->text + token->offset, token->length)
                      : gk_hint (unit, "%.*s…", MOST, unit->text + token->offset);

  gk_report (unit, GK_D_NUMBER_TOO_LARGE, token->offset, token->length, NULL, shown, (unsigned long long) UINT64_MAX);
}

static bool
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* Skips blanks and comments; returns whether a line ended among them. */
static bool
skip_blanks (struct gk_lexer *lexer)
{
  struct gk_unit *unit = lexer->unit;
  const char *text = unit->text;
  uint32_t at = lexer->position;
  bool new_line = at == 0;

  for (;;)
    {
      char c = text[at];
      if (c == '\n')
        new_line = true;
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')
        at++;
      else if (c == '/' && text[at + 1] == '/')
        {
          const char *end = memchr (text + at, '\n', unit->length - at);
          at = end != NULL ? (uint32_t) (end - text) : unit->length;
        }
      else if (c == '/' && text[at + 1] == '*')
        {
          const char *end = strstr (text + at + 2, "*/");
          if (end == NULL)
            {
              gk_report (unit, GK_D_COMMENT_NOT_CLOSED, at, 2, "*/");
              at = unit->length;
            }
          else
            {
              new_line = new_line || memchr (text + at, '\n', end - text - at) != NULL;
              at = end + 2 - text;
            }
        }
      else if (c == '#')
        {
          const char *end = memchr (text + at, '\n', unit->length - at);
          uint32_t line_end = end != NULL ? (uint32_t) (end - text) : unit->length;
          gk_report (unit, GK_D_NO_PREPROCESSOR, at, line_end - at, NULL);
          at = line_end;
        }
      else
        break;
    }
  lexer->position = at;
  return new_line;
}

static int
digit_value (char c)
{
  return g_ascii_isdigit (c) ? c - '0' : g_ascii_isalpha (c) ? g_ascii_tolower (c) - 'a' + 10 : 99;
}

/* Ends a number at `end`; what word characters follow are its suffix. */
static void
finish_number (struct gk_lexer *lexer,
               struct gk_token *token,
               uint32_t         end)
{
  struct gk_unit *unit = lexer->unit;
  uint32_t suffix = end;
  uint32_t length;
  const char *hint = NULL;
  char *word;

  while (is_word (unit->text[end]) || unit->text[end] == '\'')
    end++;
  length = end - suffix;
  token->length = end - token->offset;
  lexer->position = end;
  if (length == 0)
    return;
  token->has_suffix = true;
  if (length == 1 && strchr (token->kind == GK_TOKEN_INTEGER ? "uUlL" : "fFhHdD", unit->text[suffix]) != NULL)
    return;
  if (length == 2 && token->kind == GK_TOKEN_INTEGER && g_ascii_strncasecmp (unit->text + suffix, "ul", 2) == 0)
    return;
  token->has_suffix = false;
  word = g_strndup (unit->text + suffix, MIN (length, 40));
  if (token->kind == GK_TOKEN_INTEGER && length == 1 && strchr ("fFhHdD", word[0]) != NULL)
    hint = gk_hint (unit, "1.0%s", word);
  gk_report (unit, GK_D_BAD_SUFFIX, suffix, length, hint, word);
  g_free (word);
  token->kind = GK_TOKEN_BAD;
}

static void
lex_based (struct gk_lexer *lexer,
           struct gk_token *token,
           unsigned         base)
{
  struct gk_unit *unit = lexer->unit;
  const char *text = unit->text;
  uint32_t at = token->offset + 2;
  uint64_t value = 0;
  bool overflow = false;
  bool any = false;

  for (;; at++)
    {
      int digit = digit_value (text[at]);
      if (text[at] == '\'' && any && digit_value (text[at + 1]) < (int) base)
        continue;
      if (digit >= (int) base)
        break;
      any = true;
      overflow = overflow || value > (UINT64_MAX - digit) / base;
      value = value * base + digit;
    }
  token->kind = GK_TOKEN_INTEGER;
  token->u.integer = value;
  finish_number (lexer, token, at);
  if (!any && token->kind != GK_TOKEN_BAD)
    {
      gk_report (unit, GK_D_BAD_NUMBER, token->offset, token->length, base == 16 ? "0x0" : "0b0");
      token->kind = GK_TOKEN_BAD;
    }
  if (overflow && token->kind != GK_TOKEN_BAD)
    {
      report_too_large (unit, token);
      token->kind = GK_TOKEN_BAD;
    }
}

static gpointer
make_c_locale (gpointer nothing)
{
  return newlocale (LC_ALL_MASK, "C", (locale_t) 0);
}

/* Of the doubles around a number that is none of them, that with the odd last bit. */
static double
odd_one (double toward_zero,
         double away_from_zero)
{
  uint64_t bits;

  memcpy (&bits, &toward_zero, sizeof bits);
  return (bits & 1) != 0 ? toward_zero : away_from_zero;
}

/* The long way: the C library reads the decimal rounding down, then up. */
static double
read_sticky (const char *decimal,
             double      nearest)
{
  static GOnce c_locale = G_ONCE_INIT;
  int mode = fegetround ();
  double down, up;

  g_once (&c_locale, make_c_locale, NULL);
  if (c_locale.retval == NULL || fesetround (FE_DOWNWARD) != 0)
    return nearest;
  down = strtod_l (decimal, NULL, (locale_t) c_locale.retval);
  fesetround (FE_UPWARD);
  up = strtod_l (decimal, NULL, (locale_t) c_locale.retval);
  fesetround (mode);
  return isinf (up) ? nearest : odd_one (down, up);
}

/* Exact for up to 15 digits and small powers of ten, which is what programs
 * hold; anything else goes the long way. */
static void
decimal_value (const char      *digits,
               uint32_t         length,
               bool             has_exponent,
               struct gk_token *token)
{
  static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  char buffer[64];
  char *copy = length < sizeof buffer ? buffer : g_malloc (length + 1);
  uint64_t mantissa = 0;
  uint32_t n = 0, n_digits = 0, n_fraction = 0;
  bool point = false;

  for (uint32_t i = 0; i < length; i++)
    {
      if (digits[i] == '\'')
        continue;
      copy[n++] = digits[i];
      if (digits[i] == '.')
        point = true;
      else if (n_digits < 16 && g_ascii_isdigit (digits[i]))
        {
          mantissa = mantissa * 10 + (digits[i] - '0');
          n_digits += mantissa != 0;
          n_fraction += point;
        }
    }
  copy[n] = '\0';
  if (!has_exponent && n_digits < 16 && n_fraction < G_N_ELEMENTS (powers))
    {
      double whole = (double) mantissa, quotient = whole / powers[n_fraction];
      double rest = fma (quotient, powers[n_fraction], -whole);

      token->u.real = token->sticky = quotient;
      if (rest > 0)
        token->sticky = odd_one (nextafter (quotient, 0), quotient);
      else if (rest < 0)
        token->sticky = odd_one (quotient, nextafter (quotient, INFINITY));
    }
  else
    {
      token->u.real = g_ascii_strtod (copy, NULL);
      token->sticky = read_sticky (copy, token->u.real);
    }
  if (copy != buffer)
    g_free (copy);
}

static uint32_t
skip_digits (const char *text,
             uint32_t    at)
{
  while (g_ascii_isdigit (text[at]) || (text[at] == '\'' && g_ascii_isdigit (text[at + 1])))
    at++;
  return at;
}

static void
lex_decimal (struct gk_lexer *lexer,
             struct gk_token *token)
{
  struct gk_unit *unit = lexer->unit;
  const char *text = unit->text;
  uint32_t at = skip_digits (text, token->offset);
  bool has_exponent = false;

  token->kind = GK_TOKEN_INTEGER;
  if (text[at] == '.')
    {
      token->kind = GK_TOKEN_REAL;
      at = skip_digits (text, at + 1);
    }
  if (text[at] == 'e' || text[at] == 'E')
    {
      uint32_t digits = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
      if (g_ascii_isdigit (text[digits]))
        {
          token->kind = GK_TOKEN_REAL;
          has_exponent = true;
          at = skip_digits (text, digits);
        }
    }
  if (token->kind == GK_TOKEN_REAL)
    {
      decimal_value (text + token->offset, at - token->offset, has_exponent, token);
      finish_number (lexer, token, at);
      return;
    }
  token->u.integer = 0;
  for (uint32_t i = token->offset; i < at; i++)
    {
      uint64_t digit = text[i] - '0';
      if (text[i] == '\'')
        continue;
      if (token->u.integer > (UINT64_MAX - digit) / 10)
        {
          finish_number (lexer, token, at);
          report_too_large (unit, token);
          token->kind = GK_TOKEN_BAD;
          return;
        }
      token->u.integer = token->u.integer * 10 + digit;
    }
  finish_number (lexer, token, at);
  /* C reads 010 as eight: say so before it bites. */
  if (token->kind == GK_TOKEN_INTEGER && at - token->offset > 1 && text[token->offset] == '0')
    {
      gk_report (unit, GK_D_LEADING_ZERO, token->offset, token->length, NULL);
      token->kind = GK_TOKEN_BAD;
    }
}

static void
lex_string (struct gk_lexer *lexer,
            struct gk_token *token)
{
  struct gk_unit *unit = lexer->unit;
  const char *text = unit->text;
  uint32_t at = token->offset + 1;
  uint32_t n = 0;
  uint32_t end = at;
  char *copy;

  while (text[end] != '\0' && text[end] != '\n' && text[end] != '"')
    end += text[end] == '\\' && text[end + 1] != '\0' && text[end + 1] != '\n' ? 2 : 1;
  if (end - at > GK_MAX_TEXT)
    gk_report (unit, GK_D_TEXT_TOO_LONG, token->offset, end - token->offset, NULL, end - at, GK_MAX_TEXT);
  copy = gb_arena_alloc_aligned (&unit->arena, end - at + 1, 1);
  for (; at < end; at++)
    {
      char c = text[at];
      if (c == '\\' && at + 1 < end)
        {
          at++;
          if (text[at] == 'n')
            c = '\n';
          else if (text[at] == 't')
            c = '\t';
          else if (text[at] == '"' || text[at] == '\\')
            c = text[at];
          else
            {
              gk_report (unit, GK_D_BAD_ESCAPE, at - 1, 2, "\\n \\t \\\" \\\\");
              c = '?';
            }
        }
      copy[n++] = c;
    }
  copy[n] = '\0';
  token->kind = GK_TOKEN_STRING;
  token->u.text = copy;
  if (text[end] == '"')
    end++;
  else
    {
      gk_report (unit, GK_D_STRING_NOT_CLOSED, token->offset, end - token->offset, "\"");
      token->kind = GK_TOKEN_BAD;
    }
  token->length = end - token->offset;
  lexer->position = end;
}

/* The longest punctuation here, or END. */
static enum gk_token_kind
match_punctuation (const char *text,
                   uint32_t   *length)
{
  char c = text[0], d = text[1], e = d != '\0' ? text[2] : '\0';
#define DOUBLE(second, kind) if (d == second) { *length = 2; return GK_TOKEN_##kind; }
#define TRIPLE(second, third, kind) if (d == second && e == third) { *length = 3; return GK_TOKEN_##kind; }
  *length = 1;
  switch (c)
    {
    case '(': return GK_TOKEN_LEFT_PARENTHESIS;
    case ')': return GK_TOKEN_RIGHT_PARENTHESIS;
    case '[': return GK_TOKEN_LEFT_BRACKET;
    case ']': return GK_TOKEN_RIGHT_BRACKET;
    case '{': return GK_TOKEN_LEFT_BRACE;
    case '}': return GK_TOKEN_RIGHT_BRACE;
    case ',': return GK_TOKEN_COMMA;
    case ';': return GK_TOKEN_SEMICOLON;
    case ':': return GK_TOKEN_COLON;
    case '?': return GK_TOKEN_QUESTION;
    case '.': return GK_TOKEN_DOT;
    case '~': return GK_TOKEN_TILDE;
    case '+': DOUBLE ('+', INCREMENT) DOUBLE ('=', PLUS_ASSIGN) return GK_TOKEN_PLUS;
    case '-': DOUBLE ('-', DECREMENT) DOUBLE ('=', MINUS_ASSIGN) return GK_TOKEN_MINUS;
    case '*': DOUBLE ('=', STAR_ASSIGN) return GK_TOKEN_STAR;
    case '/': DOUBLE ('=', SLASH_ASSIGN) return GK_TOKEN_SLASH;
    case '%': DOUBLE ('=', PERCENT_ASSIGN) return GK_TOKEN_PERCENT;
    case '^': DOUBLE ('=', CARET_ASSIGN) return GK_TOKEN_CARET;
    case '=': DOUBLE ('=', EQUAL) return GK_TOKEN_ASSIGN;
    case '!': DOUBLE ('=', NOT_EQUAL) return GK_TOKEN_NOT;
    case '&': DOUBLE ('&', AND_AND) DOUBLE ('=', AMPERSAND_ASSIGN) return GK_TOKEN_AMPERSAND;
    case '|': DOUBLE ('|', OR_OR) DOUBLE ('=', BAR_ASSIGN) return GK_TOKEN_BAR;
    case '<': TRIPLE ('<', '=', SHIFT_LEFT_ASSIGN) DOUBLE ('<', SHIFT_LEFT) DOUBLE ('=', LESS_EQUAL) return GK_TOKEN_LESS;
    case '>': TRIPLE ('>', '=', SHIFT_RIGHT_ASSIGN) DOUBLE ('>', SHIFT_RIGHT) DOUBLE ('=', GREATER_EQUAL)
      return GK_TOKEN_GREATER;
    default: return GK_TOKEN_END;
    }
#undef DOUBLE
#undef TRIPLE
}

/* A character that begins no token: one message for the whole run of them. */
static void
lex_stray (struct gk_lexer *lexer,
           struct gk_token *token)
{
  struct gk_unit *unit = lexer->unit;
  const char *text = unit->text + token->offset;
  uint32_t length = 1;

  char *shown;

  token->kind = GK_TOKEN_BAD;
  while ((guchar) text[length] >= 0x80)
    length++;
  if ((guchar) text[0] >= 0x80 && !g_unichar_isgraph (g_utf8_get_char (text)))
    shown = g_strdup_printf ("U+%04X", g_utf8_get_char (text));
  else if ((guchar) text[0] >= 0x80)
    shown = g_utf8_substring (text, 0, 1);
  else
    shown = g_strdup_printf (g_ascii_isprint (text[0]) ? "%c" : "\\x%02x", text[0]);
  gk_report (unit, GK_D_STRAY_CHARACTER, token->offset, length, NULL, shown);
  g_free (shown);
  token->length = length;
  lexer->position = token->offset + length;
}

void
gk_lexer_next (struct gk_lexer *lexer,
               struct gk_token *token)
{
  struct gk_unit *unit = lexer->unit;
  const char *text = unit->text;
  bool new_line = skip_blanks (lexer);
  uint32_t at = lexer->position;
  char c = text[at];

  token->on_new_line = new_line;
  token->has_suffix = false;
  token->sticky = 0;
  token->offset = at;
  token->length = 0;
  token->u.integer = 0;
  if (at >= unit->length)
    token->kind = GK_TOKEN_END;
  else if (g_ascii_isalpha (c) || c == '_')
    {
      uint32_t end = at + 1;
      while (is_word (text[end]))
        end++;
      token->length = end - at;
      if (token->length > GK_MAX_NAME)
        gk_report (unit, GK_D_NAME_TOO_LONG, at, token->length, NULL, token->length, GK_MAX_NAME);
      token->u.name = gk_name_intern (unit, text + at, token->length);
      token->kind = token->u.name->token;
      lexer->position = end;
    }
  else if (c == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X'))
    lex_based (lexer, token, 16);
  else if (c == '0' && (text[at + 1] == 'b' || text[at + 1] == 'B'))
    lex_based (lexer, token, 2);
  else if (g_ascii_isdigit (c) || (c == '.' && g_ascii_isdigit (text[at + 1])))
    lex_decimal (lexer, token);
  else if (c == '"')
    lex_string (lexer, token);
  else
    {
      token->kind = match_punctuation (text + at, &token->length);
      lexer->position = at + token->length;
      if (token->kind == GK_TOKEN_END)
        lex_stray (lexer, token);
    }
}
