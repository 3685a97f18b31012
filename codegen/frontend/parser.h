/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parser: recursive descent, three tokens of look-ahead, no knowledge of what
 * names mean. After a mistake it is in `panic`: silent until the statement or
 * declaration is over, so that one mistake is one message. */

#pragma once

#include "codegen/frontend/lexer.h"

struct gk_parser
{
  struct gk_unit *unit;
  struct gk_lexer lexer;
  struct gk_token token;         /* here */
  struct gk_token ahead[3];
  unsigned n_ahead;
  uint32_t previous_end;         /* byte after the last token taken */
  unsigned nesting;
  gsize memory;
  bool panic;
  bool stopped;                  /* a limit was passed: the rest is not read */
  bool unwinding;                /* a block was never closed: back to the file's level */
  bool ended;                    /* a message has said that the file ended too early */
  const struct gk_name *last_reserved;   /* said not to be supported, at … */
  uint32_t last_reserved_at;
  const struct gk_name *word_inout, *word_out;
};

struct gk_attributes
{
  uint32_t flags;
  uint32_t unroll_count;
  uint32_t offset;               /* of the first; valid with flags */
  uint32_t end;
};

/* parser.c */
void                   gk_parser_advance   (struct gk_parser *parser);
const struct gk_token *gk_parser_peek      (struct gk_parser *parser, unsigned distance);
bool                   gk_parser_accept    (struct gk_parser *parser, enum gk_token_kind kind);
bool                   gk_parser_expect    (struct gk_parser *parser, enum gk_token_kind kind);
/* `what` is translated. */
void                   gk_parser_expected  (struct gk_parser *parser, const char *what);
/* A comma, or the end of a list. */
void                   gk_parser_expected_close (struct gk_parser *parser, enum gk_token_kind close);
/* Says that the current token, a reserved word, is not supported: once a line. */
void                   gk_parser_reserved  (struct gk_parser *parser);
void                   gk_parser_semicolon (struct gk_parser *parser);
void                   gk_parser_recover   (struct gk_parser *parser);
/* Whether one level more is allowed; gk_parser_leave after either answer. */
bool                   gk_parser_enter     (struct gk_parser *parser);
void                   gk_parser_leave     (struct gk_parser *parser);
struct gk_node        *gk_parser_node      (struct gk_parser *parser, enum gk_node_kind kind, uint32_t offset);
/* Gives an expression its end and depth. */
struct gk_node        *gk_parser_finish    (struct gk_parser *parser, struct gk_node *node);
struct gk_name        *gk_parser_name      (struct gk_parser *parser, const char *what);
void                   gk_parser_skip_balanced (struct gk_parser *parser, enum gk_token_kind open, enum gk_token_kind close);

/* parser-expression.c */
struct gk_node *gk_parse_expression  (struct gk_parser *parser);
struct gk_node *gk_parse_comma       (struct gk_parser *parser);
struct gk_node *gk_parse_initializer (struct gk_parser *parser);

/* parser-declaration.c */
bool            gk_parser_at_type      (struct gk_parser *parser);
bool            gk_parser_at_variable  (struct gk_parser *parser);
/* Complains about names that stand before a type, and passes them. */
bool            gk_parser_skip_foreign (struct gk_parser *parser);
struct gk_node *gk_parse_type          (struct gk_parser *parser);
/* A DECLARATION up to its semicolon. */
struct gk_node *gk_parse_variables     (struct gk_parser *parser);
void            gk_parse_attributes    (struct gk_parser *parser, struct gk_attributes *attributes);
struct gk_node *gk_parse_file          (struct gk_parser *parser);

/* parser-statement.c */
struct gk_node *gk_parse_block (struct gk_parser *parser);
