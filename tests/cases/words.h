/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The words of a case's "// run:" line (README), for who runs cases on an interpreter. */

#pragma once

#include <check.h>
#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_WORDS 64

/* "float:1,2.5,nan": the words and their type. */
struct words
{
  char type;                     /* 'i', 'u', 'f' */
  uint32_t n;
  uint32_t at[MAX_WORDS];
};

static inline uint32_t
parse_word (const char *text,
            char        type)
{
  uint32_t bits;
  float real;

  if (type == 'i')
    return (uint32_t) g_ascii_strtoll (text, NULL, 10);
  if (type == 'u')
    return (uint32_t) g_ascii_strtoull (text, NULL, 10);
  real = (float) g_ascii_strtod (text, NULL);
  memcpy (&bits, &real, sizeof bits);
  return bits;
}

static inline void
parse_words (const char   *text,
             struct words *words)
{
  char **halves = g_strsplit (text, ":", 2);
  char **list;

  ck_assert_msg (halves[0] != NULL && halves[1] != NULL, "no type in %s", text);
  words->type = halves[0][0];
  list = g_strsplit (halves[1], ",", -1);
  words->n = g_strv_length (list);
  ck_assert_uint_le (words->n, MAX_WORDS);
  for (uint32_t i = 0; i < words->n; i++)
    words->at[i] = parse_word (list[i], words->type);
  g_strfreev (list);
  g_strfreev (halves);
}

static inline bool
same_word (uint32_t a,
           uint32_t b,
           char     type)
{
  float left, right;

  if (a == b)
    return true;
  memcpy (&left, &a, sizeof left);
  memcpy (&right, &b, sizeof right);
  return type == 'f' && isnan (left) && isnan (right);
}
