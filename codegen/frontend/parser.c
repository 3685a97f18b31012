/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/parser.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_SHOWN_TOKEN 40
/* Bytes that a name costs: itself, its text, its slot. */
#define NAME_MEMORY (sizeof (struct gk_name) + 32)

static void
read_token (struct gk_parser *parser,
            struct gk_token  *token)
{
  gk_lexer_next (&parser->lexer, token);
}

void
gk_parser_advance (struct gk_parser *parser)
{
  parser->previous_end = parser->token.offset + parser->token.length;
  if (parser->stopped)
    {
      parser->token.kind = GK_TOKEN_END;
      parser->token.length = 0;
      return;
    }
  if (parser->n_ahead > 0)
    {
      parser->token = parser->ahead[0];
      parser->ahead[0] = parser->ahead[1];
      parser->ahead[1] = parser->ahead[2];
      parser->n_ahead--;
    }
  else
    read_token (parser, &parser->token);
}

const struct gk_token *
gk_parser_peek (struct gk_parser *parser,
                unsigned          distance)
{
  while (parser->n_ahead < distance)
    read_token (parser, &parser->ahead[parser->n_ahead++]);
  return &parser->ahead[distance - 1];
}

/* Reads no further: everything that follows would be guesswork. */
static void
stop (struct gk_parser *parser)
{
  parser->stopped = true;
  parser->panic = true;
  parser->n_ahead = 0;
  parser->token.kind = GK_TOKEN_END;
  parser->token.length = 0;
}

bool
gk_parser_enter (struct gk_parser *parser)
{
  if (++parser->nesting <= GK_MAX_NESTING)
    return true;
  if (!parser->stopped)
    {
      gk_report (parser->unit, GK_D_NESTED_TOO_DEEP, parser->token.offset, parser->token.length, NULL, GK_MAX_NESTING + 1,
                 GK_MAX_NESTING);
      stop (parser);
    }
  return false;
}

void
gk_parser_leave (struct gk_parser *parser)
{
  parser->nesting--;
}

struct gk_node *
gk_parser_node (struct gk_parser  *parser,
                enum gk_node_kind  kind,
                uint32_t           offset)
{
  gsize size = sizeof (struct gk_node) + gk_node_infos[kind].n_children * sizeof (struct gk_node *);
  struct gk_node *node = gb_arena_alloc_aligned (&parser->unit->arena, size, sizeof (gpointer));

  memset (node, 0, size);
  node->kind = kind;
  node->offset = offset;
  node->mark = offset;
  node->depth = 1;
  parser->memory += size;
  if (parser->memory + parser->unit->names.n_names * (gsize) NAME_MEMORY > GK_MAX_UNIT_MEMORY && !parser->stopped)
    {
      gk_report (parser->unit, GK_D_PROGRAM_TOO_LARGE, parser->token.offset, parser->token.length, NULL,
                 (unsigned long long) parser->memory + parser->unit->names.n_names * (unsigned long long) NAME_MEMORY,
                 (unsigned long long) GK_MAX_UNIT_MEMORY);
      stop (parser);
    }
  return node;
}

struct gk_node *
gk_parser_finish (struct gk_parser *parser,
                  struct gk_node   *node)
{
  unsigned depth = 0;

  node->end = MAX (parser->previous_end, node->offset + 1);
  for (unsigned i = 0; i < gk_node_infos[node->kind].n_children; i++)
    for (const struct gk_node *child = node->child[i]; child != NULL; child = child->next)
      depth = MAX (depth, child->depth);
  if (++depth > GK_MAX_EXPRESSION_DEPTH)
    {
      if (!parser->stopped)
        {
          gk_report (parser->unit, GK_D_NESTED_TOO_DEEP, node->mark, 1, NULL, GK_MAX_EXPRESSION_DEPTH + 1,
                     GK_MAX_EXPRESSION_DEPTH);
          stop (parser);
        }
      depth = GK_MAX_EXPRESSION_DEPTH;
    }
  node->depth = depth;
  return node;
}

static char *
describe_token (struct gk_parser      *parser,
                const struct gk_token *token)
{
  if (token->kind == GK_TOKEN_END)
    return g_strdup (_("the end of the file"));
  if (token->length > MAX_SHOWN_TOKEN)
    return g_strdup_printf ("`%.*s…`", MAX_SHOWN_TOKEN, parser->unit->text + token->offset);
  return g_strdup_printf ("`%.*s`", (int) token->length, parser->unit->text + token->offset);
}

void
gk_parser_reserved (struct gk_parser *parser)
{
  const struct gk_token *token = &parser->token;

  if (parser->panic)
    return;
  if (parser->last_reserved != token->u.name
      || memchr (parser->unit->text + parser->last_reserved_at, '\n', token->offset - parser->last_reserved_at) != NULL)
    gk_report (parser->unit, GK_D_UNSUPPORTED, token->offset, token->length, NULL, token->u.name->text);
  parser->last_reserved = token->u.name;
  parser->last_reserved_at = token->offset;
}

/* `hint` may be NULL. */
static void
expected (struct gk_parser *parser,
          const char       *what,
          const char       *hint)
{
  struct gk_token *token = &parser->token;
  bool reserved = token->kind >= GK_TOKEN_RESERVED_TYPE && token->kind <= GK_TOKEN_RESERVED_SCOPE;

  if (reserved)
    gk_parser_reserved (parser);
  else if (!parser->panic && token->kind != GK_TOKEN_BAD)
    {
      char *found = describe_token (parser, token);
      const char *foreign = token->kind == GK_TOKEN_IDENTIFIER ? gk_name_foreign (token->u.name->text) : NULL;
      gk_report (parser->unit, GK_D_EXPECTED, token->offset, token->length, foreign != NULL ? foreign : hint, what, found);
      g_free (found);
      parser->ended = token->kind == GK_TOKEN_END;
    }
  parser->panic = true;
}

void
gk_parser_expected (struct gk_parser *parser,
                    const char       *what)
{
  expected (parser, what, NULL);
}

/* A bracket that was forgotten, where a statement or block ends or begins instead; NULL: something else is wrong. */
static const char *
forgotten_close (const struct gk_parser *parser,
                 enum gk_token_kind      close)
{
  enum gk_token_kind found = parser->token.kind;

  if (close != GK_TOKEN_RIGHT_PARENTHESIS && close != GK_TOKEN_RIGHT_BRACKET && close != GK_TOKEN_RIGHT_BRACE)
    return NULL;
  return found == GK_TOKEN_SEMICOLON || found == GK_TOKEN_LEFT_BRACE || found == GK_TOKEN_END ? gk_token_text (close) : NULL;
}

void
gk_parser_expected_close (struct gk_parser   *parser,
                          enum gk_token_kind  close)
{
  enum gk_token_kind found = parser->token.kind;
  bool begins_element = found == GK_TOKEN_IDENTIFIER || found == GK_TOKEN_INTEGER || found == GK_TOKEN_REAL
                        || gk_token_is_value_type (found);
  char *what = g_strdup_printf (_("`,` or `%s`"), gk_token_text (close));

  expected (parser, what, begins_element ? "," : forgotten_close (parser, close));
  g_free (what);
}

bool
gk_parser_accept (struct gk_parser   *parser,
                  enum gk_token_kind  kind)
{
  if (parser->token.kind != kind)
    return false;
  gk_parser_advance (parser);
  return true;
}

bool
gk_parser_expect (struct gk_parser   *parser,
                  enum gk_token_kind  kind)
{
  char *what;

  if (gk_parser_accept (parser, kind))
    return true;
  if (!parser->panic)
    {
      what = g_strdup_printf ("`%s`", gk_token_text (kind));
      expected (parser, what, forgotten_close (parser, kind));
      g_free (what);
    }
  return false;
}

void
gk_parser_semicolon (struct gk_parser *parser)
{
  if (parser->panic || gk_parser_accept (parser, GK_TOKEN_SEMICOLON))
    return;
  if (parser->token.on_new_line || parser->token.kind == GK_TOKEN_RIGHT_BRACE || parser->token.kind == GK_TOKEN_END)
    /* Only forgotten: what follows is a statement of its own. */
    gk_report (parser->unit, GK_D_SEMICOLON, parser->previous_end > 0 ? parser->previous_end - 1 : 0, 1, ";");
  else
    gk_parser_expect (parser, GK_TOKEN_SEMICOLON);
}

struct gk_name *
gk_parser_name (struct gk_parser *parser,
                const char       *what)
{
  struct gk_name *name;

  if (parser->token.kind == GK_TOKEN_IDENTIFIER)
    {
      name = parser->token.u.name;
      gk_parser_advance (parser);
      return name;
    }
  if (!parser->panic && parser->token.kind > GK_TOKEN_STRING && parser->token.u.name != NULL
      && parser->token.kind >= GK_TOKEN_BOOL && parser->token.kind != GK_TOKEN_BAD)
    {
      /* A word of the language where a name belongs: say that, not "found". */
      bool reserved = parser->token.kind >= GK_TOKEN_RESERVED_TYPE;
      gk_report (parser->unit, reserved ? GK_D_RESERVED_NAME : GK_D_KEYWORD_NAME, parser->token.offset,
                 parser->token.length, NULL, parser->token.u.name->text);
      name = parser->token.u.name;
      gk_parser_advance (parser);
      return name;
    }
  gk_parser_expected (parser, what);
  return NULL;
}

static bool
begins_statement (enum gk_token_kind kind)
{
  return (kind >= GK_TOKEN_BOOL && kind <= GK_TOKEN_UNREACHABLE) || (kind >= GK_TOKEN_SHARED && kind <= GK_TOKEN_IMPORT)
         || (kind >= GK_TOKEN_RESERVED_TYPE && kind <= GK_TOKEN_RESERVED_SCOPE);
}

void
gk_parser_skip_balanced (struct gk_parser   *parser,
                         enum gk_token_kind  open,
                         enum gk_token_kind  close)
{
  unsigned depth = 0;
  while (parser->token.kind != GK_TOKEN_END)
    {
      enum gk_token_kind kind = parser->token.kind;
      gk_parser_advance (parser);
      if (kind == open)
        depth++;
      else if (kind == close && --depth == 0)
        return;
    }
}

/* Skips what is left of a broken statement or declaration: up to and with its
 * semicolon, or up to a brace that closes what is around it, or up to a line
 * that begins like a statement. */
void
gk_parser_recover (struct gk_parser *parser)
{
  bool first = true;

  parser->panic = parser->stopped;
  for (; parser->token.kind != GK_TOKEN_END; first = false)
    {
      enum gk_token_kind kind = parser->token.kind;
      if (kind == GK_TOKEN_RIGHT_BRACE)
        return;
      if (!first && parser->token.on_new_line && begins_statement (kind))
        return;
      if (kind == GK_TOKEN_LEFT_BRACE)
        {
          gk_parser_skip_balanced (parser, GK_TOKEN_LEFT_BRACE, GK_TOKEN_RIGHT_BRACE);
          /* A block ends a statement, but not an initializer. */
          if (parser->token.kind != GK_TOKEN_SEMICOLON && parser->token.kind != GK_TOKEN_COMMA)
            return;
          continue;
        }
      gk_parser_advance (parser);
      if (kind == GK_TOKEN_SEMICOLON)
        return;
    }
}

static void
parser_init (struct gk_parser *parser,
             struct gk_unit   *unit,
             uint32_t          start)
{
  memset (parser, 0, sizeof *parser);
  parser->unit = unit;
  parser->memory = unit->parsed_memory;
  parser->word_inout = gk_name_intern (unit, "inout", 5);
  parser->word_out = gk_name_intern (unit, "out", 3);
  gk_lexer_init (&parser->lexer, unit, start);
  gk_parser_advance (parser);
  parser->previous_end = start;
}

struct gk_node *
gk_parse (struct gk_unit *unit,
          uint32_t        start)
{
  struct gk_parser parser;
  struct gk_node *file;

  parser_init (&parser, unit, start);
  file = gk_parse_file (&parser);
  unit->parsed_memory = parser.memory;
  /* What was not read is not there: messages about it would be false. */
  return parser.stopped ? NULL : file;
}

struct gk_node *
gk_parse_value (struct gk_unit *unit,
                uint32_t        start)
{
  struct gk_parser parser;
  struct gk_node *value;

  parser_init (&parser, unit, start);
  value = gk_parse_expression (&parser);
  if (parser.token.kind != GK_TOKEN_END)
    gk_parser_expected (&parser, _("the end of the value"));
  unit->parsed_memory = parser.memory;
  return parser.panic ? NULL : value;
}
