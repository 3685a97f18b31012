/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/parser.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Precedence of the binary operators; 0 for all other tokens. */
static const uint8_t precedences[GK_N_TOKENS] =
{
  [GK_TOKEN_OR_OR] = 1, [GK_TOKEN_AND_AND] = 2, [GK_TOKEN_BAR] = 3, [GK_TOKEN_CARET] = 4,
  [GK_TOKEN_AMPERSAND] = 5, [GK_TOKEN_EQUAL] = 6, [GK_TOKEN_NOT_EQUAL] = 6,
  [GK_TOKEN_LESS] = 7, [GK_TOKEN_GREATER] = 7, [GK_TOKEN_LESS_EQUAL] = 7, [GK_TOKEN_GREATER_EQUAL] = 7,
  [GK_TOKEN_SHIFT_LEFT] = 8, [GK_TOKEN_SHIFT_RIGHT] = 8, [GK_TOKEN_PLUS] = 9, [GK_TOKEN_MINUS] = 9,
  [GK_TOKEN_STAR] = 10, [GK_TOKEN_SLASH] = 10, [GK_TOKEN_PERCENT] = 10
};

/* The operator that a compound assignment applies; 0 for all other tokens. */
static const uint8_t compounds[GK_N_TOKENS] =
{
  [GK_TOKEN_PLUS_ASSIGN] = GK_TOKEN_PLUS, [GK_TOKEN_MINUS_ASSIGN] = GK_TOKEN_MINUS,
  [GK_TOKEN_STAR_ASSIGN] = GK_TOKEN_STAR, [GK_TOKEN_SLASH_ASSIGN] = GK_TOKEN_SLASH,
  [GK_TOKEN_PERCENT_ASSIGN] = GK_TOKEN_PERCENT, [GK_TOKEN_AMPERSAND_ASSIGN] = GK_TOKEN_AMPERSAND,
  [GK_TOKEN_BAR_ASSIGN] = GK_TOKEN_BAR, [GK_TOKEN_CARET_ASSIGN] = GK_TOKEN_CARET,
  [GK_TOKEN_SHIFT_LEFT_ASSIGN] = GK_TOKEN_SHIFT_LEFT, [GK_TOKEN_SHIFT_RIGHT_ASSIGN] = GK_TOKEN_SHIFT_RIGHT
};

static struct gk_node *
error_node (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_ERROR, parser->token.offset);
  return gk_parser_finish (parser, node);
}

/* The expressions between an opening token, already taken, and `close`. */
static struct gk_node *
parse_list (struct gk_parser   *parser,
            enum gk_token_kind  close,
            struct gk_node    *(*parse_element) (struct gk_parser *))
{
  struct gk_node *first = NULL;
  struct gk_node **end = &first;

  while (parser->token.kind != close && !parser->panic)
    {
      *end = parse_element (parser);
      end = &(*end)->next;
      if (!gk_parser_accept (parser, GK_TOKEN_COMMA))
        break;
      if (parser->token.kind == close && close == GK_TOKEN_RIGHT_PARENTHESIS)
        gk_parser_expected (parser, _("an expression"));
    }
  if (parser->token.kind != close && !parser->panic)
    gk_parser_expected_close (parser, close);
  gk_parser_accept (parser, close);
  return first;
}

struct gk_node *
gk_parse_initializer (struct gk_parser *parser)
{
  struct gk_node *node;

  if (parser->token.kind != GK_TOKEN_LEFT_BRACE)
    return gk_parse_expression (parser);
  node = gk_parser_node (parser, GK_NODE_BRACES, parser->token.offset);
  if (gk_parser_enter (parser))
    {
      gk_parser_advance (parser);
      node->child[0] = parse_list (parser, GK_TOKEN_RIGHT_BRACE, gk_parse_initializer);
    }
  gk_parser_leave (parser);
  return gk_parser_finish (parser, node);
}

static struct gk_node *
parse_literal (struct gk_parser  *parser,
               enum gk_node_kind  kind)
{
  struct gk_token *token = &parser->token;
  struct gk_node *node = gk_parser_node (parser, kind, token->offset);

  if (kind == GK_NODE_REAL)
    {
      node->u.real = token->u.real;
      node->meaning.real = token->sticky;
    }
  else if (kind == GK_NODE_STRING)
    node->u.text = token->u.text;
  else if (kind == GK_NODE_BOOLEAN)
    node->u.integer = token->kind == GK_TOKEN_TRUE;
  else if (kind == GK_NODE_INTEGER)
    node->u.integer = token->u.integer;
  else
    node->u.name = token->u.name;
  if (token->has_suffix)
    node->flags |= GK_FLAG_SUFFIX;
  gk_parser_advance (parser);
  return gk_parser_finish (parser, node);
}

static struct gk_node *
parse_bitcast (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_BITCAST, parser->token.offset);

  gk_parser_advance (parser);
  if (gk_parser_expect (parser, GK_TOKEN_LESS))
    node->child[0] = gk_parse_type (parser);
  gk_parser_expect (parser, GK_TOKEN_GREATER);
  if (gk_parser_expect (parser, GK_TOKEN_LEFT_PARENTHESIS))
    node->child[1] = parse_list (parser, GK_TOKEN_RIGHT_PARENTHESIS, gk_parse_expression);
  gk_parser_finish (parser, node);
  if (node->child[0] == NULL || node->child[1] == NULL || node->child[1]->next != NULL)
    {
      if (!parser->panic)
        gk_report_node (parser->unit, GK_D_BITCAST_FORM, node, "bitcast<uint>(x)");
      node->kind = GK_NODE_ERROR;
    }
  return node;
}

static struct gk_node *
parse_parentheses (struct gk_parser *parser)
{
  uint32_t offset = parser->token.offset;
  struct gk_node *node;

  gk_parser_advance (parser);
  /* "(float) x": C's way to write a cast. */
  if (gk_token_is_value_type (parser->token.kind)
      && gk_parser_peek (parser, 1)->kind == GK_TOKEN_RIGHT_PARENTHESIS)
    {
      char *hint = g_strdup_printf ("%s(…)", parser->token.u.name->text);
      if (!parser->panic)
        gk_report (parser->unit, GK_D_C_CAST, offset, parser->token.offset + parser->token.length + 1 - offset, hint);
      g_free (hint);
      parser->panic = true;
      return error_node (parser);
    }
  node = gk_parse_expression (parser);
  if (parser->token.kind == GK_TOKEN_COMMA && !parser->panic)
    {
      gk_report (parser->unit, GK_D_COMMA, parser->token.offset, 1, NULL);
      parser->panic = true;
    }
  gk_parser_expect (parser, GK_TOKEN_RIGHT_PARENTHESIS);
  node->flags |= GK_FLAG_BRACKETS;
  /* The brackets are part of what a caret shows. */
  node->offset = offset;
  node->end = MAX (parser->previous_end, offset + 1);
  return node;
}

/* A type of a later version in an expression: said once, its arguments still read. */
static struct gk_node *
parse_unsupported (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_ERROR, parser->token.offset);

  gk_parser_reserved (parser);
  gk_parser_advance (parser);
  if (gk_parser_accept (parser, GK_TOKEN_LEFT_PARENTHESIS))
    parse_list (parser, GK_TOKEN_RIGHT_PARENTHESIS, gk_parse_expression);
  return gk_parser_finish (parser, node);
}

static struct gk_node *
parse_primary (struct gk_parser *parser)
{
  struct gk_token *token = &parser->token;

  switch (token->kind)
    {
    case GK_TOKEN_INTEGER:
      return parse_literal (parser, GK_NODE_INTEGER);
    case GK_TOKEN_REAL:
      return parse_literal (parser, GK_NODE_REAL);
    case GK_TOKEN_STRING:
      return parse_literal (parser, GK_NODE_STRING);
    case GK_TOKEN_TRUE:
    case GK_TOKEN_FALSE:
      return parse_literal (parser, GK_NODE_BOOLEAN);
    case GK_TOKEN_IDENTIFIER:
      return parse_literal (parser, GK_NODE_NAME);
    case GK_TOKEN_BITCAST:
      return parse_bitcast (parser);
    case GK_TOKEN_LEFT_PARENTHESIS:
      return parse_parentheses (parser);
    case GK_TOKEN_RESERVED_TYPE:
      return parse_unsupported (parser);
    case GK_TOKEN_LEFT_BRACE:
      if (!parser->panic)
        gk_report (parser->unit, GK_D_BRACES, token->offset, 1, NULL);
      return gk_parse_initializer (parser);
    case GK_TOKEN_BAD:
      {
        struct gk_node *node = error_node (parser);
        /* A bad number is still an operand; after anything else there is no telling. */
        if (!g_ascii_isdigit (parser->unit->text[token->offset]) && parser->unit->text[token->offset] != '.')
          parser->panic = true;
        gk_parser_advance (parser);
        return node;
      }
    default:
      if (gk_token_is_value_type (token->kind)
          && gk_parser_peek (parser, 1)->kind == GK_TOKEN_LEFT_PARENTHESIS)
        return gk_parse_type (parser);
      gk_parser_expected (parser, _("an expression"));
      return error_node (parser);
    }
}

/* The "<T>(" of "bytes.load<T>(at)". Nothing compares so: a type has no value, and a bool is not greater than a number. */
static bool
at_type_argument (struct gk_parser *parser)
{
  enum gk_token_kind kind;

  if (parser->token.kind != GK_TOKEN_LESS)
    return false;
  kind = gk_parser_peek (parser, 1)->kind;
  return (gk_token_is_value_type (kind) || kind == GK_TOKEN_IDENTIFIER)
         && gk_parser_peek (parser, 2)->kind == GK_TOKEN_GREATER
         && gk_parser_peek (parser, 3)->kind == GK_TOKEN_LEFT_PARENTHESIS;
}

static struct gk_node *
parse_postfix_operator (struct gk_parser *parser,
                        struct gk_node   *left)
{
  struct gk_node *node;
  uint32_t mark = parser->token.offset;

  switch (parser->token.kind)
    {
    case GK_TOKEN_LEFT_PARENTHESIS:
      node = gk_parser_node (parser, GK_NODE_CALL, left->offset);
      gk_parser_advance (parser);
      node->child[1] = parse_list (parser, GK_TOKEN_RIGHT_PARENTHESIS, gk_parse_expression);
      mark = left->mark;
      break;
    case GK_TOKEN_LEFT_BRACKET:
      node = gk_parser_node (parser, GK_NODE_INDEX, left->offset);
      gk_parser_advance (parser);
      node->child[1] = gk_parse_expression (parser);
      gk_parser_expect (parser, GK_TOKEN_RIGHT_BRACKET);
      break;
    case GK_TOKEN_DOT:
      node = gk_parser_node (parser, GK_NODE_MEMBER, left->offset);
      gk_parser_advance (parser);
      mark = parser->token.offset;
      node->u.name = gk_parser_name (parser, _("the name of a member"));
      if (node->u.name == NULL)
        node->u.name = gk_name_intern (parser->unit, "", 0);
      else if (at_type_argument (parser))
        {
          gk_parser_advance (parser);
          node->child[1] = gk_parse_type (parser);
          gk_parser_expect (parser, GK_TOKEN_GREATER);
        }
      break;
    default:
      node = gk_parser_node (parser, GK_NODE_STEP, left->offset);
      node->op = parser->token.kind == GK_TOKEN_INCREMENT ? GK_TOKEN_PLUS : GK_TOKEN_MINUS;
      node->flags |= GK_FLAG_POSTFIX;
      gk_parser_advance (parser);
      break;
    }
  node->child[0] = left;
  node->mark = mark;
  return gk_parser_finish (parser, node);
}

static struct gk_node *
parse_postfix (struct gk_parser *parser)
{
  struct gk_node *node = parse_primary (parser);

  while (!parser->panic)
    {
      enum gk_token_kind kind = parser->token.kind;
      if (kind == GK_TOKEN_MINUS && gk_parser_peek (parser, 1)->kind == GK_TOKEN_GREATER
          && gk_parser_peek (parser, 1)->offset == parser->token.offset + 1
          && gk_parser_peek (parser, 2)->kind == GK_TOKEN_IDENTIFIER)
        {
          gk_report (parser->unit, GK_D_NO_POINTERS, parser->token.offset, 2, ".");
          parser->panic = true;
          break;
        }
      if (kind != GK_TOKEN_LEFT_PARENTHESIS && kind != GK_TOKEN_LEFT_BRACKET && kind != GK_TOKEN_DOT
          && kind != GK_TOKEN_INCREMENT && kind != GK_TOKEN_DECREMENT)
        break;
      node = parse_postfix_operator (parser, node);
    }
  return node;
}

static struct gk_node *
parse_unary (struct gk_parser *parser)
{
  enum gk_token_kind kind = parser->token.kind;
  struct gk_node *node;

  switch (kind)
    {
    case GK_TOKEN_PLUS:
    case GK_TOKEN_MINUS:
    case GK_TOKEN_TILDE:
    case GK_TOKEN_NOT:
      node = gk_parser_node (parser, GK_NODE_UNARY, parser->token.offset);
      node->op = kind;
      break;
    case GK_TOKEN_INCREMENT:
    case GK_TOKEN_DECREMENT:
      node = gk_parser_node (parser, GK_NODE_STEP, parser->token.offset);
      node->op = kind == GK_TOKEN_INCREMENT ? GK_TOKEN_PLUS : GK_TOKEN_MINUS;
      break;
    case GK_TOKEN_STAR:
    case GK_TOKEN_AMPERSAND:
      if (!parser->panic)
        gk_report (parser->unit, GK_D_NO_POINTERS, parser->token.offset, 1, "inout");
      parser->panic = true;
      return error_node (parser);
    default:
      return parse_postfix (parser);
    }
  if (gk_parser_enter (parser))
    {
      gk_parser_advance (parser);
      node->child[0] = parse_unary (parser);
    }
  else
    node->child[0] = error_node (parser);
  gk_parser_leave (parser);
  return gk_parser_finish (parser, node);
}

static struct gk_node *
parse_binary (struct gk_parser *parser,
              unsigned          least)
{
  struct gk_node *left = parse_unary (parser);

  while (!parser->panic)
    {
      enum gk_token_kind op = parser->token.kind;
      unsigned precedence = precedences[op];
      bool logical = op == GK_TOKEN_AND_AND || op == GK_TOKEN_OR_OR;
      struct gk_node *node;
      if (precedence == 0 || precedence < least)
        break;
      node = gk_parser_node (parser, logical ? GK_NODE_LOGICAL : GK_NODE_BINARY, left->offset);
      node->op = op;
      node->mark = parser->token.offset;
      node->child[0] = left;
      gk_parser_advance (parser);
      node->child[1] = parse_binary (parser, precedence + 1);
      left = gk_parser_finish (parser, node);
    }
  return left;
}

static struct gk_node *
parse_conditional (struct gk_parser *parser)
{
  struct gk_node *condition = parse_binary (parser, 1);
  struct gk_node *node;

  if (parser->token.kind != GK_TOKEN_QUESTION || parser->panic)
    return condition;
  node = gk_parser_node (parser, GK_NODE_CONDITIONAL, condition->offset);
  node->mark = parser->token.offset;
  node->child[0] = condition;
  gk_parser_advance (parser);
  node->child[1] = gk_parse_expression (parser);
  gk_parser_expect (parser, GK_TOKEN_COLON);
  node->child[2] = gk_parse_expression (parser);
  return gk_parser_finish (parser, node);
}

/* An assignment expression: everything but the comma operator. */
struct gk_node *
gk_parse_expression (struct gk_parser *parser)
{
  struct gk_node *left;
  struct gk_node *node;
  enum gk_token_kind kind;

  if (!gk_parser_enter (parser))
    {
      gk_parser_leave (parser);
      return error_node (parser);
    }
  left = parse_conditional (parser);
  kind = parser->token.kind;
  if (!parser->panic && (kind == GK_TOKEN_ASSIGN || compounds[kind] != 0))
    {
      node = gk_parser_node (parser, GK_NODE_ASSIGN, left->offset);
      node->op = compounds[kind];
      node->mark = parser->token.offset;
      node->child[0] = left;
      gk_parser_advance (parser);
      node->child[1] = gk_parse_initializer (parser);
      left = gk_parser_finish (parser, node);
    }
  gk_parser_leave (parser);
  return left;
}

/* With the comma operator, which only the head of a for-loop knows. */
struct gk_node *
gk_parse_comma (struct gk_parser *parser)
{
  struct gk_node *left = gk_parse_expression (parser);

  while (parser->token.kind == GK_TOKEN_COMMA && !parser->panic)
    {
      struct gk_node *node = gk_parser_node (parser, GK_NODE_COMMA, left->offset);
      node->mark = parser->token.offset;
      node->child[0] = left;
      gk_parser_advance (parser);
      node->child[1] = gk_parse_expression (parser);
      left = gk_parser_finish (parser, node);
    }
  return left;
}
