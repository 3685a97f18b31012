/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/parser.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static const struct { const char *name; uint32_t flag; } attribute_table[] =
{
  { "fast_math", GK_FLAG_FAST_MATH },
  { "unchecked", GK_FLAG_UNCHECKED },
  { "noinline", GK_FLAG_NO_INLINE },
  { "unroll", GK_FLAG_UNROLL }
};

static bool
is_type_word (enum gk_token_kind kind)
{
  return (kind >= GK_TOKEN_BOOL && kind <= GK_TOKEN_IMAGE3D) || kind == GK_TOKEN_RESERVED_TYPE;
}

/* What may stand in front of the type of a variable. */
static bool
is_qualifier (enum gk_token_kind kind)
{
  return kind == GK_TOKEN_CONST || kind == GK_TOKEN_SHARED || kind == GK_TOKEN_OPTION || kind == GK_TOKEN_VOLATILE
         || kind == GK_TOKEN_RESTRICT;
}

bool
gk_parser_at_type (struct gk_parser *parser)
{
  return is_type_word (parser->token.kind) || parser->token.kind == GK_TOKEN_IDENTIFIER;
}

/* Two names in a row are never an expression, and a type's word is one only as
 * a constructor. */
bool
gk_parser_at_variable (struct gk_parser *parser)
{
  enum gk_token_kind kind = parser->token.kind;

  if (is_qualifier (kind))
    return true;
  if (is_type_word (kind))
    return gk_parser_peek (parser, 1)->kind != GK_TOKEN_LEFT_PARENTHESIS;
  return kind == GK_TOKEN_IDENTIFIER && gk_parser_peek (parser, 1)->kind == GK_TOKEN_IDENTIFIER;
}

/* "static float", "__device__ void": a name before a type is never right, and the rest mostly is. */
bool
gk_parser_skip_foreign (struct gk_parser *parser)
{
  bool skipped = false;

  while (parser->token.kind == GK_TOKEN_IDENTIFIER && !parser->panic)
    {
      const struct gk_token *token = &parser->token;
      const struct gk_token *next = gk_parser_peek (parser, 1);
      if (next->kind == GK_TOKEN_IDENTIFIER && !next->on_new_line)
        next = gk_parser_peek (parser, 2);
      /* On the next line it is rather a semicolon that is missing. */
      if (next->on_new_line || (!is_type_word (next->kind) && !is_qualifier (next->kind) && next->kind != GK_TOKEN_KERNEL))
        break;
      gk_report (parser->unit, GK_D_FOREIGN_WORD, token->offset, token->length, gk_name_foreign (token->u.name->text),
                 token->u.name->text);
      gk_parser_advance (parser);
      skipped = true;
    }
  return skipped;
}

struct gk_node *
gk_parse_type (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_TYPE, parser->token.offset);
  enum gk_token_kind kind = parser->token.kind;

  if (!is_type_word (kind) && kind != GK_TOKEN_IDENTIFIER)
    {
      gk_parser_expected (parser, _("a type"));
      node->flags |= GK_FLAG_BROKEN;
      return gk_parser_finish (parser, node);
    }
  node->op = kind;
  node->u.name = parser->token.u.name;
  if (kind == GK_TOKEN_RESERVED_TYPE)
    {
      gk_parser_reserved (parser);
      node->flags |= GK_FLAG_BROKEN;
    }
  gk_parser_advance (parser);
  if (kind == GK_TOKEN_BUFFER || kind == GK_TOKEN_IMAGE2D || kind == GK_TOKEN_IMAGE3D
      || (kind == GK_TOKEN_RESERVED_TYPE && parser->token.kind == GK_TOKEN_LESS))
    {
      if (gk_parser_expect (parser, GK_TOKEN_LESS))
        {
          /* Types nest through hostile text only, but they do. */
          if (gk_parser_enter (parser))
            node->child[0] = gk_parse_type (parser);
          gk_parser_leave (parser);
          /* The ">>" of "buffer<buffer<int>>" is two. */
          if (parser->token.kind == GK_TOKEN_SHIFT_RIGHT)
            {
              parser->token.kind = GK_TOKEN_GREATER;
              parser->token.offset++;
              parser->token.length = 1;
            }
          else
            gk_parser_expect (parser, GK_TOKEN_GREATER);
        }
      if (node->child[0] == NULL)
        node->flags |= GK_FLAG_BROKEN;
    }
  return gk_parser_finish (parser, node);
}

/* "[4][8]" behind a name. */
static struct gk_node *
parse_lengths (struct gk_parser *parser,
               struct gk_node   *owner)
{
  struct gk_node *first = NULL;
  struct gk_node **end = &first;

  while (parser->token.kind == GK_TOKEN_LEFT_BRACKET && !parser->panic)
    {
      gk_parser_advance (parser);
      if (parser->token.kind == GK_TOKEN_RIGHT_BRACKET && first == NULL && owner->kind == GK_NODE_VARIABLE
          && !(owner->flags & GK_FLAG_NO_LENGTH))
        owner->flags |= GK_FLAG_NO_LENGTH;
      else if (parser->token.kind == GK_TOKEN_RIGHT_BRACKET && owner->u.name != NULL)
        {
          gk_report (parser->unit, GK_D_LENGTH_WANTED, parser->token.offset, 1, NULL, owner->u.name->text);
          owner->flags |= GK_FLAG_BROKEN;
        }
      else
        {
          *end = gk_parse_expression (parser);
          end = &(*end)->next;
        }
      gk_parser_expect (parser, GK_TOKEN_RIGHT_BRACKET);
    }
  return first;
}

/* The declarators behind `type`; the first name is the current token. */
static struct gk_node *
parse_declarators (struct gk_parser *parser,
                   struct gk_node   *type,
                   uint32_t          flags)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_DECLARATION, type->offset);
  struct gk_node **end = &node->child[0];

  do
    {
      struct gk_node *variable = gk_parser_node (parser, GK_NODE_VARIABLE, parser->token.offset);
      variable->flags = flags;
      if (parser->token.kind == GK_TOKEN_STAR && !parser->panic)
        {
          gk_report (parser->unit, GK_D_NO_POINTERS, parser->token.offset, 1, NULL);
          parser->panic = true;
          break;
        }
      if (parser->token.kind == GK_TOKEN_LEFT_BRACKET && !parser->panic)
        {
          gk_report (parser->unit, GK_D_LENGTH_BEHIND_TYPE, parser->token.offset, 1, NULL);
          /* What is meant is clear, and later uses of the name are no mistakes. */
          variable->child[1] = parse_lengths (parser, variable);
        }
      variable->u.name = gk_parser_name (parser, _("the name of a variable"));
      if (variable->u.name == NULL)
        break;
      variable->end = parser->previous_end;
      variable->child[0] = type;
      if (variable->child[1] == NULL && !(variable->flags & GK_FLAG_NO_LENGTH))
        variable->child[1] = parse_lengths (parser, variable);
      if (gk_parser_accept (parser, GK_TOKEN_ASSIGN))
        variable->child[2] = gk_parse_initializer (parser);
      if (parser->panic)
        variable->flags |= GK_FLAG_BROKEN;
      *end = variable;
      end = &variable->next;
    }
  while (!parser->panic && gk_parser_accept (parser, GK_TOKEN_COMMA));
  node->end = MAX (parser->previous_end, node->offset + 1);
  return node;
}

static void
mark_broken (struct gk_node *declaration)
{
  for (struct gk_node *variable = declaration->child[0]; variable != NULL; variable = variable->next)
    variable->flags |= GK_FLAG_BROKEN;
}

/* The end of a declaration. What goes on otherwise was none, and there is no use in complaining about its parts. */
static void
finish_declaration (struct gk_parser *parser,
                    struct gk_node   *node)
{
  gk_parser_semicolon (parser);
  if (!parser->panic)
    return;
  mark_broken (node);
  gk_parser_recover (parser);
}

struct gk_node *
gk_parse_variables (struct gk_parser *parser)
{
  struct gk_node *type;
  struct gk_node *node;
  uint32_t flags = 0;

  while (is_qualifier (parser->token.kind))
    {
      if (parser->token.kind == GK_TOKEN_CONST)
        flags |= GK_FLAG_CONST;
      else if (parser->token.kind == GK_TOKEN_SHARED)
        flags |= GK_FLAG_SHARED;
      else if (parser->token.kind == GK_TOKEN_OPTION)
        flags |= GK_FLAG_OPTION | GK_FLAG_CONST;
      else if (parser->token.kind == GK_TOKEN_RESTRICT)
        flags |= GK_FLAG_RESTRICT;
      else
        flags |= GK_FLAG_VOLATILE;
      gk_parser_advance (parser);
    }
  type = gk_parse_type (parser);
  node = parse_declarators (parser, type, flags);
  finish_declaration (parser, node);
  return node;
}

static void
parse_attribute (struct gk_parser     *parser,
                 struct gk_attributes *attributes)
{
  struct gk_token token = parser->token;
  struct gk_name *name = gk_parser_name (parser, _("the name of an attribute"));
  uint32_t flag = 0;

  if (name == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (attribute_table); i++)
    if (strcmp (attribute_table[i].name, name->text) == 0)
      flag = attribute_table[i].flag;
  if (flag == 0)
    {
      const char *hint = NULL;
      for (gsize i = 0; i < G_N_ELEMENTS (attribute_table) && hint == NULL; i++)
        if (gk_edit_distance (name->text, name->length, attribute_table[i].name, strlen (attribute_table[i].name), 3) <= 3)
          hint = attribute_table[i].name;
      gk_report (parser->unit, GK_D_UNKNOWN_ATTRIBUTE, token.offset, token.length, hint, name->text);
    }
  attributes->flags |= flag;
  if (flag == GK_FLAG_UNROLL && gk_parser_accept (parser, GK_TOKEN_LEFT_PARENTHESIS))
    {
      token = parser->token;
      if (token.kind == GK_TOKEN_INTEGER && token.u.integer >= 1 && token.u.integer <= 1024)
        attributes->unroll_count = token.u.integer;
      else if (token.kind != GK_TOKEN_BAD && !parser->panic)
        gk_report (parser->unit, GK_D_UNROLL_COUNT, token.offset, token.length, NULL, 1024);
      gk_parser_advance (parser);
      gk_parser_expect (parser, GK_TOKEN_RIGHT_PARENTHESIS);
    }
}

void
gk_parse_attributes (struct gk_parser     *parser,
                     struct gk_attributes *attributes)
{
  while (parser->token.kind == GK_TOKEN_LEFT_BRACKET && gk_parser_peek (parser, 1)->kind == GK_TOKEN_LEFT_BRACKET
         && !parser->panic)
    {
      if (attributes->end == 0)
        attributes->offset = parser->token.offset;
      gk_parser_advance (parser);
      gk_parser_advance (parser);
      do
        parse_attribute (parser, attributes);
      while (!parser->panic && gk_parser_accept (parser, GK_TOKEN_COMMA));
      gk_parser_expect (parser, GK_TOKEN_RIGHT_BRACKET);
      gk_parser_expect (parser, GK_TOKEN_RIGHT_BRACKET);
      attributes->end = parser->previous_end;
    }
}

/* What a word in front of a parameter's type says; 0: it is none of these. */
static uint32_t
parameter_flag (enum gk_token_kind kind)
{
  return kind == GK_TOKEN_CONST ? GK_FLAG_CONST : kind == GK_TOKEN_VOLATILE ? GK_FLAG_VOLATILE
         : kind == GK_TOKEN_RESTRICT ? GK_FLAG_RESTRICT : 0;
}

static struct gk_node *
parse_parameter (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_PARAMETER, parser->token.offset);

  for (;;)
    {
      const struct gk_name *name = parser->token.u.name;
      if (parameter_flag (parser->token.kind) != 0)
        node->flags |= parameter_flag (parser->token.kind);
      else if (parser->token.kind == GK_TOKEN_IDENTIFIER && (name == parser->word_inout || name == parser->word_out)
               && gk_parser_peek (parser, 1)->kind >= GK_TOKEN_IDENTIFIER
               && (is_type_word (gk_parser_peek (parser, 1)->kind)
                   || gk_parser_peek (parser, 1)->kind == GK_TOKEN_IDENTIFIER
                   || gk_parser_peek (parser, 1)->kind == GK_TOKEN_CONST))
        node->flags |= name == parser->word_inout ? GK_FLAG_INOUT : GK_FLAG_OUT;
      else
        break;
      gk_parser_advance (parser);
    }
  gk_parser_skip_foreign (parser);
  node->child[0] = gk_parse_type (parser);
  for (; parameter_flag (parser->token.kind) != 0 && !parser->panic; gk_parser_advance (parser))
    {
      gk_report (parser->unit, GK_D_WORD_BEHIND_TYPE, parser->token.offset, parser->token.length, NULL,
                 gk_token_text (parser->token.kind));
      node->flags |= parameter_flag (parser->token.kind);
    }
  if ((parser->token.kind == GK_TOKEN_STAR || parser->token.kind == GK_TOKEN_AMPERSAND) && !parser->panic)
    {
      gk_report (parser->unit, GK_D_NO_POINTERS, parser->token.offset, 1, node->flags & GK_FLAG_CONST ? NULL : "inout");
      /* Its name is known from here on. */
      node->flags |= GK_FLAG_BROKEN;
      gk_parser_advance (parser);
    }
  node->mark = parser->token.offset;
  node->u.name = gk_parser_name (parser, _("the name of a parameter"));
  if (node->u.name == NULL)
    node->u.name = gk_name_intern (parser->unit, "", 0);
  node->child[1] = parse_lengths (parser, node);
  if (parser->panic)
    node->flags |= GK_FLAG_BROKEN;
  return gk_parser_finish (parser, node);
}

/* From "(" on; the return type and the name are taken. */
static void
parse_function (struct gk_parser *parser,
                struct gk_node   *function)
{
  struct gk_node **end = &function->child[2];

  gk_parser_advance (parser);
  if (parser->token.kind == GK_TOKEN_VOID && gk_parser_peek (parser, 1)->kind == GK_TOKEN_RIGHT_PARENTHESIS)
    gk_parser_advance (parser);
  while (parser->token.kind != GK_TOKEN_RIGHT_PARENTHESIS && !parser->panic)
    {
      *end = parse_parameter (parser);
      end = &(*end)->next;
      if (!gk_parser_accept (parser, GK_TOKEN_COMMA))
        break;
    }
  function->end = MAX (parser->previous_end, function->offset + 1);
  if (!gk_parser_expect (parser, GK_TOKEN_RIGHT_PARENTHESIS))
    {
      /* The body may still be read: its mistakes are others. */
      function->flags |= GK_FLAG_BROKEN;
      while (parser->token.kind != GK_TOKEN_LEFT_BRACE && parser->token.kind != GK_TOKEN_SEMICOLON
             && parser->token.kind != GK_TOKEN_END)
        gk_parser_advance (parser);
      parser->panic = parser->stopped;
    }
  if (parser->token.kind == GK_TOKEN_SEMICOLON)
    {
      if (!(function->flags & GK_FLAG_BROKEN))
        gk_report (parser->unit, GK_D_PROTOTYPE, function->mark, function->u.name->length, NULL, function->u.name->text);
      gk_parser_advance (parser);
      return;
    }
  if (parser->token.kind == GK_TOKEN_LEFT_BRACE)
    function->child[3] = gk_parse_block (parser);
  else
    gk_parser_expect (parser, GK_TOKEN_LEFT_BRACE);
}

static void
check_member (struct gk_parser     *parser,
              const struct gk_node *member)
{
  if (member != NULL && member->u.name != NULL && member->flags & (GK_FLAG_SHARED | GK_FLAG_OPTION))
    gk_report_mark (parser->unit, member->flags & GK_FLAG_SHARED ? GK_D_SHARED_PLACE : GK_D_OPTION_PLACE, member, NULL,
                    member->u.name->text);
}

static struct gk_node *
parse_structure (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_STRUCT, parser->token.offset);
  struct gk_node **end = &node->child[0];

  gk_parser_advance (parser);
  node->mark = parser->token.offset;
  node->u.name = gk_parser_name (parser, _("the name of a struct"));
  node->end = MAX (parser->previous_end, node->offset + 1);
  if (node->u.name == NULL || !gk_parser_expect (parser, GK_TOKEN_LEFT_BRACE))
    {
      gk_parser_recover (parser);
      gk_parser_accept (parser, GK_TOKEN_SEMICOLON);
      return node->u.name != NULL ? node : NULL;
    }
  while (parser->token.kind != GK_TOKEN_RIGHT_BRACE && parser->token.kind != GK_TOKEN_END)
    {
      uint32_t before = parser->token.offset;
      *end = gk_parse_variables (parser);
      check_member (parser, (*end)->child[0]);
      end = &(*end)->next;
      /* A token that is part of nothing must not hold us here. */
      if (parser->token.offset == before)
        gk_parser_advance (parser);
    }
  gk_parser_expect (parser, GK_TOKEN_RIGHT_BRACE);
  gk_parser_semicolon (parser);
  return node;
}

/* "(16, 16)" behind "kernel". */
static struct gk_node *
parse_group_size (struct gk_parser *parser)
{
  struct gk_node *first = NULL;
  struct gk_node **end = &first;

  /* That there is none is said where sizes are checked. */
  if (!gk_parser_accept (parser, GK_TOKEN_LEFT_PARENTHESIS))
    return NULL;
  while (parser->token.kind != GK_TOKEN_RIGHT_PARENTHESIS && !parser->panic)
    {
      *end = gk_parse_expression (parser);
      end = &(*end)->next;
      if (!gk_parser_accept (parser, GK_TOKEN_COMMA))
        break;
    }
  gk_parser_expect (parser, GK_TOKEN_RIGHT_PARENTHESIS);
  return first;
}

static struct gk_node *
parse_function_or_variables (struct gk_parser     *parser,
                             struct gk_attributes *attributes)
{
  struct gk_node *function = gk_parser_node (parser, GK_NODE_FUNCTION, parser->token.offset);
  struct gk_node *type;

  if (parser->token.kind == GK_TOKEN_KERNEL)
    {
      function->flags |= GK_FLAG_KERNEL;
      gk_parser_advance (parser);
      function->child[0] = parse_group_size (parser);
      gk_parse_attributes (parser, attributes);
    }
  else if (is_qualifier (parser->token.kind))
    return gk_parse_variables (parser);
  type = gk_parse_type (parser);
  if (!parser->panic && !(function->flags & GK_FLAG_KERNEL)
      && gk_parser_peek (parser, 1)->kind != GK_TOKEN_LEFT_PARENTHESIS)
    {
      struct gk_node *node = parse_declarators (parser, type, 0);
      finish_declaration (parser, node);
      return node;
    }
  function->child[1] = type;
  function->mark = parser->token.offset;
  function->u.name = gk_parser_name (parser, _("the name of a function"));
  if (function->u.name != NULL && parser->token.kind == GK_TOKEN_LEFT_PARENTHESIS && !parser->panic)
    parse_function (parser, function);
  else
    {
      gk_parser_expect (parser, GK_TOKEN_LEFT_PARENTHESIS);
      function = NULL;
    }
  if (function != NULL)
    function->flags |= attributes->flags & (GK_FLAG_FAST_MATH | GK_FLAG_UNCHECKED | GK_FLAG_NO_INLINE);
  if (attributes->flags & GK_FLAG_UNROLL && !parser->panic)
    gk_report (parser->unit, GK_D_ATTRIBUTE_PLACE, attributes->offset, attributes->end - attributes->offset, NULL,
               "unroll");
  if (parser->panic)
    gk_parser_recover (parser);
  return function;
}

/* import "noise.gk"; */
static struct gk_node *
parse_import (struct gk_parser *parser)
{
  struct gk_node *node = gk_parser_node (parser, GK_NODE_IMPORT, parser->token.offset);

  gk_parser_advance (parser);
  node->mark = parser->token.offset;
  if (parser->token.kind == GK_TOKEN_STRING)
    {
      node->u.text = parser->token.u.text;
      gk_parser_advance (parser);
    }
  else
    gk_parser_expected (parser, _("the name of a file, in quotes"));
  gk_parser_finish (parser, node);
  gk_parser_semicolon (parser);
  if (parser->panic)
    gk_parser_recover (parser);
  return node->u.text != NULL ? node : NULL;
}

static struct gk_node *
parse_top (struct gk_parser *parser)
{
  struct gk_attributes attributes = { 0 };
  struct gk_token *token = &parser->token;
  struct gk_node *node;
  bool foreign;

  gk_parse_attributes (parser, &attributes);
  foreign = gk_parser_skip_foreign (parser);
  switch (token->kind)
    {
    case GK_TOKEN_STRUCT:
      return parse_structure (parser);
    case GK_TOKEN_IMPORT:
      return parse_import (parser);
    case GK_TOKEN_RESERVED_SCOPE:
      gk_parser_expected (parser, "");
      break;
    case GK_TOKEN_RIGHT_BRACE:
      if (!parser->panic)
        gk_report (parser->unit, GK_D_CLOSED_TWICE, token->offset, 1, NULL);
      parser->panic = parser->stopped;
      gk_parser_advance (parser);
      return NULL;
    case GK_TOKEN_SEMICOLON:
      gk_parser_advance (parser);
      return NULL;
    default:
      if (token->kind == GK_TOKEN_KERNEL || is_qualifier (token->kind) || gk_parser_at_type (parser))
        {
          node = parse_function_or_variables (parser, &attributes);
          /* "uniform float gain;" is one mistake. */
          if (foreign && node != NULL && node->kind == GK_NODE_DECLARATION)
            mark_broken (node);
          return node;
        }
      gk_parser_expected (parser, _("a function, a struct or a constant"));
      break;
    }
  gk_parser_recover (parser);
  return NULL;
}

struct gk_node *
gk_parse_file (struct gk_parser *parser)
{
  struct gk_node *file = gk_parser_node (parser, GK_NODE_FILE, 0);
  struct gk_node **end = &file->child[0];

  while (parser->token.kind != GK_TOKEN_END)
    {
      uint32_t before = parser->token.offset;
      struct gk_node *node = parse_top (parser);
      parser->unwinding = false;
      if (node != NULL)
        {
          *end = node;
          while (*end != NULL)
            end = &(*end)->next;
        }
      /* Recovery stops before tokens that begin a statement; here they begin nothing. */
      if (parser->token.offset == before && parser->token.kind != GK_TOKEN_END)
        gk_parser_advance (parser);
      parser->panic = parser->stopped;
    }
  file->end = parser->unit->length;
  return file;
}
