/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The lexer: one token at a time, straight from the text. */

#pragma once

#include "codegen/frontend/unit.h"

struct gk_token
{
  enum gk_token_kind kind;
  bool has_suffix;               /* number with a type of its own: 1u, 1.0f */
  bool on_new_line;              /* first of its line */
  double sticky;                 /* real, for types narrower than double, which must not be rounded twice: where the
                                    double is not exact, one of the two around the number, that with the odd last bit */
  uint32_t offset;
  uint32_t length;
  union
  {
    struct gk_name *name;        /* identifiers, keywords, reserved words */
    uint64_t integer;
    double real;
    const char *text;            /* string, unescaped */
  } u;
};

struct gk_lexer
{
  struct gk_unit *unit;
  uint32_t position;
};

/* From `start` to the end of the unit's text, as far as there is one yet. */
void gk_lexer_init (struct gk_lexer *lexer, struct gk_unit *unit, uint32_t start);
void gk_lexer_next (struct gk_lexer *lexer, struct gk_token *token);
/* Interns the keywords and reserved words. */
void gk_keywords_intern (struct gk_unit *unit);
