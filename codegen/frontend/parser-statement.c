/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/parser.h"

#include <glib/gi18n-lib.h>

static struct gk_node *parse_statement (struct gk_parser *parser);

static struct gk_node *
end_node (struct gk_parser *parser,
          struct gk_node   *node)
{
  node->end = MAX (parser->previous_end, node->offset + 1);
  return node;
}

static struct gk_node *
parse_condition (struct gk_parser *parser)
{
  struct gk_node *condition;

  gk_parser_expect (parser, GK_TOKEN_LEFT_PARENTHESIS);
  condition = gk_parse_expression (parser);
  gk_parser_expect (parser, GK_TOKEN_RIGHT_PARENTHESIS);
  return condition;
}

/* After a broken head the body is still read, where its brace is near. */
static void
mend_head (struct gk_parser *parser)
{
  while (parser->panic && !parser->stopped && !parser->token.on_new_line
         && parser->token.kind != GK_TOKEN_LEFT_BRACE && parser->token.kind != GK_TOKEN_RIGHT_BRACE
         && parser->token.kind != GK_TOKEN_SEMICOLON && parser->token.kind != GK_TOKEN_END)
    gk_parser_advance (parser);
  if (parser->token.kind == GK_TOKEN_LEFT_BRACE)
    parser->panic = parser->stopped;
}

static struct gk_node *
parse_body (struct gk_parser *parser)
{
  struct gk_node *body;

  mend_head (parser);
  if (parser->panic)
    return gk_parser_node (parser, GK_NODE_EMPTY, parser->token.offset);
  body = parse_statement (parser);
  if (body != NULL && body->kind == GK_NODE_DECLARATION)
    gk_report_node (parser->unit, GK_D_DECLARATION_BODY, body, NULL);
  return body;
}

static struct gk_node *
parse_if (struct gk_parser *parser)
{
  struct gk_node *first = NULL;
  struct gk_node **slot = &first;
  unsigned nested = 0;

  for (;;)
    {
      struct gk_node *node = gk_parser_node (parser, GK_NODE_IF, parser->token.offset);
      *slot = node;
      slot = &node->child[2];
      gk_parser_advance (parser);
      node->child[0] = parse_condition (parser);
      end_node (parser, node);
      node->child[1] = parse_body (parser);
      if (parser->panic || !gk_parser_accept (parser, GK_TOKEN_ELSE))
        break;
      if (parser->token.kind != GK_TOKEN_IF)
        {
          node->child[2] = parse_body (parser);
          break;
        }
      if (nested < GK_LADDER_NESTING)
        {
          nested++;
          if (!gk_parser_enter (parser))
            break;
        }
    }
  while (nested-- > 0)
    gk_parser_leave (parser);
  return first;
}

static struct gk_node *
parse_switch (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_SWITCH, parser->token.offset);

  gk_parser_advance (parser);
  node->child[0] = parse_condition (parser);
  end_node (parser, node);
  mend_head (parser);
  if (parser->panic)
    node->child[1] = gk_parser_node (parser, GK_NODE_BLOCK, parser->token.offset);
  else if (parser->token.kind == GK_TOKEN_LEFT_BRACE)
    node->child[1] = gk_parse_block (parser);
  else
    {
      gk_parser_expect (parser, GK_TOKEN_LEFT_BRACE);
      node->child[1] = gk_parser_node (parser, GK_NODE_BLOCK, parser->token.offset);
    }
  return node;
}

static struct gk_node *
parse_for (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_FOR, parser->token.offset);

  gk_parser_advance (parser);
  gk_parser_expect (parser, GK_TOKEN_LEFT_PARENTHESIS);
  if (parser->panic)
    ;
  else if (gk_parser_at_variable (parser))
    node->child[0] = gk_parse_variables (parser);
  else
    {
      if (parser->token.kind != GK_TOKEN_SEMICOLON)
        node->child[0] = gk_parse_comma (parser);
      gk_parser_expect (parser, GK_TOKEN_SEMICOLON);
    }
  if (!parser->panic && parser->token.kind != GK_TOKEN_SEMICOLON)
    node->child[1] = gk_parse_comma (parser);
  gk_parser_expect (parser, GK_TOKEN_SEMICOLON);
  if (!parser->panic && parser->token.kind != GK_TOKEN_RIGHT_PARENTHESIS)
    node->child[2] = gk_parse_comma (parser);
  gk_parser_expect (parser, GK_TOKEN_RIGHT_PARENTHESIS);
  end_node (parser, node);
  if (parser->panic)
    {
      /* The head's own semicolons must not end the recovery. */
      while (parser->token.kind != GK_TOKEN_LEFT_BRACE && parser->token.kind != GK_TOKEN_RIGHT_BRACE
             && !parser->token.on_new_line && parser->token.kind != GK_TOKEN_END)
        gk_parser_advance (parser);
      node->flags |= GK_FLAG_BROKEN;
      if (parser->token.on_new_line)
        parser->panic = parser->stopped;
    }
  node->child[3] = parse_body (parser);
  return node;
}

static struct gk_node *
parse_while (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_WHILE, parser->token.offset);

  gk_parser_advance (parser);
  node->child[0] = parse_condition (parser);
  end_node (parser, node);
  node->child[1] = parse_body (parser);
  return node;
}

static struct gk_node *
parse_do (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_DO, parser->token.offset);

  gk_parser_advance (parser);
  end_node (parser, node);
  node->child[0] = parse_body (parser);
  node->mark = parser->token.offset;
  gk_parser_expect (parser, GK_TOKEN_WHILE);
  node->child[1] = parse_condition (parser);
  gk_parser_semicolon (parser);
  return node;
}

/* A statement of one word, perhaps with a value. */
static struct gk_node *
parse_jump (struct gk_parser *parser)
{
  enum gk_token_kind token = parser->token.kind;
  enum gk_node_kind kind = token == GK_TOKEN_BREAK ? GK_NODE_BREAK : token == GK_TOKEN_CONTINUE ? GK_NODE_CONTINUE
                           : token == GK_TOKEN_RETURN ? GK_NODE_RETURN : token == GK_TOKEN_UNREACHABLE
                           ? GK_NODE_UNREACHABLE : GK_NODE_FALLTHROUGH;
  struct gk_node *node = gk_parser_node (parser, kind, parser->token.offset);

  gk_parser_advance (parser);
  end_node (parser, node);
  if (kind == GK_NODE_RETURN && parser->token.kind != GK_TOKEN_SEMICOLON
      && parser->token.kind != GK_TOKEN_RIGHT_BRACE)
    node->child[0] = gk_parse_expression (parser);
  if (kind == GK_NODE_UNREACHABLE && gk_parser_expect (parser, GK_TOKEN_LEFT_PARENTHESIS))
    {
      if (parser->token.kind == GK_TOKEN_STRING)
        {
          node->u.text = parser->token.u.text;
          gk_parser_advance (parser);
        }
      else if (parser->token.kind != GK_TOKEN_RIGHT_PARENTHESIS)
        gk_parser_expected (parser, _("a text in quotes"));
      gk_parser_expect (parser, GK_TOKEN_RIGHT_PARENTHESIS);
    }
  end_node (parser, node);
  gk_parser_semicolon (parser);
  return node;
}

static struct gk_node *
parse_label (struct gk_parser *parser)
{
  bool is_case = parser->token.kind == GK_TOKEN_CASE;
  struct gk_node *node = gk_parser_node (parser, is_case ? GK_NODE_CASE : GK_NODE_DEFAULT, parser->token.offset);

  gk_parser_advance (parser);
  if (is_case)
    node->child[0] = gk_parse_expression (parser);
  end_node (parser, node);
  gk_parser_expect (parser, GK_TOKEN_COLON);
  return node;
}

static struct gk_node *
parse_expression_statement (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_EXPRESSION, parser->token.offset);

  node->child[0] = gk_parse_expression (parser);
  if (parser->token.kind == GK_TOKEN_COMMA && !parser->panic)
    {
      gk_report (parser->unit, GK_D_COMMA, parser->token.offset, 1, ";");
      parser->panic = true;
    }
  if (parser->panic)
    node->flags |= GK_FLAG_BROKEN;
  end_node (parser, node);
  gk_parser_semicolon (parser);
  return node;
}

/* What cannot stand in a function: said once and skipped. */
static struct gk_node *
parse_misplaced (struct gk_parser *parser)
{
  struct gk_token *token = &parser->token;
  enum gk_token_kind kind = token->kind;

  if (kind == GK_TOKEN_STRUCT)
    gk_report (parser->unit, GK_D_LOCAL_STRUCT, token->offset, token->length, NULL);
  else if (kind == GK_TOKEN_ELSE)
    gk_report (parser->unit, GK_D_ELSE, token->offset, token->length, NULL);
  else
    gk_parser_expected (parser, _("a statement"));
  gk_parser_advance (parser);
  if (kind == GK_TOKEN_ELSE)
    return parse_statement (parser);
  gk_parser_recover (parser);
  gk_parser_accept (parser, GK_TOKEN_SEMICOLON);
  return NULL;
}

static struct gk_node *
parse_loop_with_attributes (struct gk_parser *parser)
{
  struct gk_attributes attributes = { 0 };
  struct gk_node *node;
  bool is_loop;

  gk_parse_attributes (parser, &attributes);
  if (parser->panic)
    return NULL;
  is_loop = parser->token.kind == GK_TOKEN_FOR || parser->token.kind == GK_TOKEN_WHILE
            || parser->token.kind == GK_TOKEN_DO;
  if (!is_loop || (attributes.flags & ~GK_FLAG_UNROLL) != 0)
    gk_report (parser->unit, GK_D_ATTRIBUTE_PLACE, attributes.offset, attributes.end - attributes.offset, NULL,
               attributes.flags & GK_FLAG_UNROLL ? "unroll" : attributes.flags & GK_FLAG_FAST_MATH ? "fast_math"
               : attributes.flags & GK_FLAG_UNCHECKED ? "unchecked" : "noinline");
  node = parse_statement (parser);
  if (is_loop && node != NULL)
    {
      node->flags |= attributes.flags & GK_FLAG_UNROLL;
      node->u.unroll_count = attributes.unroll_count;
    }
  return node;
}

static struct gk_node *
parse_plain_statement (struct gk_parser *parser)
{
  struct gk_node *node;

  switch (parser->token.kind)
    {
    case GK_TOKEN_LEFT_BRACE:
      return gk_parse_block (parser);
    case GK_TOKEN_IF:
      return parse_if (parser);
    case GK_TOKEN_SWITCH:
      return parse_switch (parser);
    case GK_TOKEN_FOR:
      return parse_for (parser);
    case GK_TOKEN_WHILE:
      return parse_while (parser);
    case GK_TOKEN_DO:
      return parse_do (parser);
    case GK_TOKEN_BREAK:
    case GK_TOKEN_CONTINUE:
    case GK_TOKEN_RETURN:
    case GK_TOKEN_UNREACHABLE:
    case GK_TOKEN_FALLTHROUGH:
      return parse_jump (parser);
    case GK_TOKEN_CASE:
    case GK_TOKEN_DEFAULT:
      return parse_label (parser);
    case GK_TOKEN_SEMICOLON:
      node = gk_parser_node (parser, GK_NODE_EMPTY, parser->token.offset);
      gk_parser_advance (parser);
      return end_node (parser, node);
    case GK_TOKEN_LEFT_BRACKET:
      return gk_parser_peek (parser, 1)->kind == GK_TOKEN_LEFT_BRACKET ? parse_loop_with_attributes (parser)
             : parse_expression_statement (parser);
    case GK_TOKEN_STRUCT:
    case GK_TOKEN_ELSE:
    case GK_TOKEN_IMPORT:
    case GK_TOKEN_RESERVED_SCOPE:
      return parse_misplaced (parser);
    default:
      gk_parser_skip_foreign (parser);
      return gk_parser_at_variable (parser) ? gk_parse_variables (parser) : parse_expression_statement (parser);
    }
}

/* May be NULL: nothing that can be checked. */
static struct gk_node *
parse_statement (struct gk_parser *parser)
{
  struct gk_node *node = NULL;

  if (gk_parser_enter (parser))
    node = parse_plain_statement (parser);
  gk_parser_leave (parser);
  if (parser->panic && !parser->unwinding)
    gk_parser_recover (parser);
  return node;
}

struct gk_node *
gk_parse_block (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_BLOCK, parser->token.offset);
  struct gk_node **end = &node->child[0];

  gk_parser_advance (parser);
  while (parser->token.kind != GK_TOKEN_RIGHT_BRACE && parser->token.kind != GK_TOKEN_END && !parser->unwinding)
    {
      uint32_t before = parser->token.offset;
      struct gk_node *statement;
      if (parser->token.kind == GK_TOKEN_KERNEL)
        {
          /* A kernel cannot begin here: a brace is missing further up. */
          if (!parser->panic)
            gk_report (parser->unit, GK_D_NOT_CLOSED, node->offset, 1, "}");
          parser->unwinding = true;
          break;
        }
      statement = parse_statement (parser);
      if (statement != NULL)
        {
          *end = statement;
          end = &statement->next;
        }
      if (parser->token.offset == before && parser->token.kind != GK_TOKEN_END && !parser->unwinding)
        gk_parser_advance (parser);
    }
  if (parser->token.kind == GK_TOKEN_END && !parser->panic)
    {
      if (!parser->ended)
        gk_report (parser->unit, GK_D_NOT_CLOSED, node->offset, 1, "}");
      parser->unwinding = true;
      parser->panic = true;
    }
  node->mark = parser->token.offset;
  gk_parser_accept (parser, GK_TOKEN_RIGHT_BRACE);
  return end_node (parser, node);
}
