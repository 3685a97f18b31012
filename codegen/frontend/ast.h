/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The syntax tree: nodes of one unit's arena, of one shape, with as many children
 * as their kind has (ast.def). Sema fills `type` and the `meaning` union. */

#pragma once

#include "codegen/frontend/frontend.h"

/* Operators one below the other in a tree; a+b+c is two. Brackets and blocks
 * have the tighter GK_MAX_NESTING. */
#define GK_MAX_EXPRESSION_DEPTH 1024

/* An else-if is an if in the else of another, but its ladder may be of any length: only
 * so many count as nested and are nested in what becomes of them. */
#define GK_LADDER_NESTING 32

enum gk_node_kind
{
#define GK_NODE(name, text, n, a, b, c, d) GK_NODE_##name,
#include "codegen/frontend/ast.def"
#undef GK_NODE
  GK_N_NODES
};

enum gk_node_flags
{
  GK_FLAG_CONST     = 1 << 0,    /* parameter, variable */
  GK_FLAG_INOUT     = 1 << 1,    /* parameter */
  GK_FLAG_OUT       = 1 << 2,    /* parameter */
  GK_FLAG_KERNEL    = 1 << 3,    /* function */
  GK_FLAG_FAST_MATH = 1 << 4,    /* function */
  GK_FLAG_UNCHECKED = 1 << 5,    /* function */
  GK_FLAG_NO_INLINE = 1 << 6,    /* function */
  GK_FLAG_UNROLL    = 1 << 7,    /* loop */
  GK_FLAG_POSTFIX   = 1 << 8,    /* step */
  GK_FLAG_SUFFIX    = 1 << 9,    /* literal with a type of its own */
  GK_FLAG_STOPS     = 1 << 10,   /* statement: never runs to its end */
  GK_FLAG_BROKEN    = 1 << 11,   /* the parser has complained about it */
  GK_FLAG_NO_LENGTH = 1 << 12,   /* variable: its first length is that of the initializer */
  GK_FLAG_BRACKETS  = 1 << 13,   /* expression written in parentheses */
  GK_FLAG_SHARED    = 1 << 14,   /* variable */
  GK_FLAG_OPTION    = 1 << 15,   /* variable: its value may come from outside */
  GK_FLAG_VOLATILE  = 1 << 16,   /* parameter, variable */
  GK_FLAG_RESTRICT  = 1 << 17    /* parameter, variable */
};

struct gk_node
{
  uint8_t kind;
  uint8_t op;                    /* token of an operator; 0 for plain assignment */
  uint16_t depth;                /* of expressions */
  uint32_t flags;
  uint32_t offset;               /* first byte in the source */
  uint32_t end;                  /* byte after the last */
  uint32_t mark;                 /* byte of the operator, or of the name: where a message points */
  uint8_t spread;                /* lanes of the vector that this scalar becomes at its place; 0: none */
  struct gk_node *next;
  const struct gk_type *type;    /* expressions, types, variables; NULL before sema */
  union
  {
    struct gk_name *name;        /* anything with a name */
    uint64_t integer;
    double real;
    const char *text;            /* unreachable, string, import */
    uint32_t unroll_count;       /* loops */
  } u;
  union
  {
    struct gk_symbol *symbol;    /* name, variable, parameter, call, function */
    const struct gk_builtin *builtin;
    struct gk_structure *structure;      /* struct */
    uint64_t value;              /* case, member number, method, literal as bits */
    double real;                 /* real literal before it has a type: see struct gk_token */
    uint8_t lanes[4];            /* swizzle */
  } meaning;
  struct gk_node *child[];
};

struct gk_node_info
{
  const char *name;
  uint8_t n_children;
  const char *roles[4];
};

/* The if in the else of an if, or NULL. */
static inline struct gk_node *
gk_else_if (const struct gk_node *node)
{
  struct gk_node *other = node->child[2];
  return other != NULL && other->kind == GK_NODE_IF ? other : NULL;
}

static inline uint32_t
gk_node_list_length (const struct gk_node *list)
{
  uint32_t n = 0;
  for (; list != NULL; list = list->next)
    n++;
  return n;
}

extern const struct gk_node_info gk_node_infos[GK_N_NODES];
