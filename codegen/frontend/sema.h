/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sema: one pass over the tree that gives every expression its type and every
 * name its meaning. What has been complained about is of poison type, and poison
 * is never complained about again. */

#pragma once

#include "codegen/frontend/unit.h"

struct gk_scope
{
  struct gk_symbol *symbols;
  struct gk_scope *outer;
};

/* What break and continue mean here. */
struct gk_flow
{
  struct gk_flow *outer;
  bool is_loop;
  bool has_break;
  bool has_continue;
  bool has_exit;                 /* a return or unreachable is somewhere inside */
};

struct gk_sema
{
  struct gk_unit *unit;
  struct gk_function *function;  /* NULL at file scope */
  struct gk_scope *scope;
  struct gk_scope *function_scope;
  struct gk_flow *flow;
  bool is_dead;                  /* this code cannot be reached */
  GPtrArray *order;              /* of struct gk_function, callees first */
  unsigned depth;                /* structures in structures, constants of constants being resolved */
};

/* sema-scope.c */
void              gk_scope_enter (struct gk_sema *sema, struct gk_scope *scope);
void              gk_scope_leave (struct gk_sema *sema);
struct gk_symbol *gk_symbol_new  (struct gk_sema *sema, enum gk_symbol_kind kind, struct gk_node *node);
/* Makes the name mean the symbol from here on; complains where it is taken. */
void              gk_symbol_bind (struct gk_sema *sema, struct gk_symbol *symbol);
/* What a name means, or NULL after a message; unknown names are poisoned. */
struct gk_symbol *gk_symbol_find (struct gk_sema *sema, struct gk_node *node);

/* sema-type.c */
const struct gk_type *gk_resolve_type       (struct gk_sema *sema, struct gk_node *node);
const struct gk_type *gk_resolve_lengths    (struct gk_sema *sema, const struct gk_type *element, struct gk_node *lengths);
void                  gk_resolve_structure  (struct gk_sema *sema, struct gk_structure *structure);
/* Complains about what is too large for a variable. */
const struct gk_type *gk_check_size         (struct gk_sema *sema, const struct gk_type *type, const struct gk_node *node);
void                  gk_report_not_constant (struct gk_sema *sema, const struct gk_node *node, const struct gk_node *culprit);
/* The value of a checked expression; false after a message. */
bool                  gk_constant_integer   (struct gk_sema *sema, struct gk_node *node, int64_t *out);

/* sema-declaration.c */
void gk_check_variable  (struct gk_sema *sema, struct gk_node *node);
void gk_check_signature (struct gk_sema *sema, struct gk_function *function);
void gk_check_function  (struct gk_sema *sema, struct gk_function *function);
void gk_resolve_global  (struct gk_sema *sema, struct gk_symbol *symbol);
/* The resource is const and `node` writes it. */
void gk_report_const   (struct gk_sema *sema, const struct gk_node *node, const struct gk_symbol *resource);
/* Complains about what is volatile or restrict and no buffer. */
void gk_check_qualifiers (struct gk_sema *sema, struct gk_node *node);
/* Complains about values from outside that no option took. */
void gk_check_options   (struct gk_sema *sema);

/* sema-statement.c: whether the statement can run to its end. */
bool gk_check_statements (struct gk_sema *sema, struct gk_node *first);

/* sema-expression.c */
/* Gives the node its type, perhaps that of a literal. */
void gk_check_expression  (struct gk_sema *sema, struct gk_node *node);
/* The same, and a literal becomes int or float. */
void gk_check_any         (struct gk_sema *sema, struct gk_node *node);
void gk_check_condition   (struct gk_sema *sema, struct gk_node *node);
void gk_check_initializer (struct gk_sema *sema, struct gk_node *node, const struct gk_type *type);

/* sema-literal.c */
/* Whether the literal tree can take the scalar type; nothing is changed or said. */
bool gk_literal_fits    (struct gk_sema *sema, struct gk_node *node, const struct gk_type *type);
void gk_literal_settle  (struct gk_sema *sema, struct gk_node *node, const struct gk_type *type);
/* int, or float where a real literal is in it. */
void gk_literal_default (struct gk_sema *sema, struct gk_node *node);
/* A checked expression at a place that wants `type`. A scalar at the place of a vector
 * of its kind keeps its type and is marked to be spread. */
void gk_convert         (struct gk_sema *sema, struct gk_node *node, const struct gk_type *type);
/* "float(i)", or NULL where no conversion is. */
const char *gk_hint_cast (struct gk_sema *sema, const struct gk_type *type, const struct gk_node *node);

/* sema-access.c */
void gk_check_name   (struct gk_sema *sema, struct gk_node *node);
void gk_check_member (struct gk_sema *sema, struct gk_node *node);
void gk_check_index  (struct gk_sema *sema, struct gk_node *node);
/* Whether a checked expression is an int or uint, else complains. */
bool gk_check_index_type (struct gk_sema *sema, struct gk_node *index);
/* Whether the checked expression is a place that may be written; marks it as written. */
bool gk_check_target (struct gk_sema *sema, struct gk_node *node);
/* The variable, parameter or buffer that a place is part of, or NULL. */
struct gk_symbol *gk_place_root (const struct gk_node *node);

/* sema-together.c: warnings about barriers and shared variables, of a program without errors. */
void gk_check_together (struct gk_unit *unit, struct gk_function *function);

/* sema-call.c */
void gk_check_call      (struct gk_sema *sema, struct gk_node *node);
void gk_check_bitcast   (struct gk_sema *sema, struct gk_node *node);
/* sema-bytes.c: a call of load or store of a byte buffer; false: it is called something else. */
bool gk_check_bytes     (struct gk_sema *sema, struct gk_node *node);
/* sema-builtin.c */
void gk_check_builtin   (struct gk_sema *sema, struct gk_node *node, const struct gk_builtin *builtin);

/* sema-print.c */
void gk_check_print     (struct gk_sema *sema, struct gk_node *node, const struct gk_builtin *builtin);

static inline void
gk_poison (struct gk_sema *sema,
           struct gk_node *node)
{
  node->type = &sema->unit->poison;
}

static inline bool
gk_is_poison (const struct gk_type *type)
{
  return type->kind == GK_TYPE_POISON;
}
