/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lowering: the checked tree to structured XIR. The same code computes constant
 * expressions: there each op is evaluated at once instead of being built, so that
 * folded and run-time meaning cannot differ. */

#pragma once

#include "codegen/frontend/unit.h"
#include "codegen/xir/builder.h"

#define GK_MAX_INDICES (XIR_TYPE_MAX_DEPTH + 2)

/* Where break and continue go. */
struct gk_jump
{
  struct gk_jump *outer;
  bool is_loop;
  struct xir_block *merge;
  struct xir_block *update;
};

struct gk_lower
{
  const struct gk_unit *unit;
  struct xir_module *module;
  struct xir_builder builder;    /* unused when `constant` */
  bool constant;
  const struct gk_node *culprit; /* the first part that is not constant */
  struct xir_function **functions;
  struct xir_value **globals;    /* constants of the file, copied to the module when first used */
  struct xir_value **locals;     /* values and lvalues of the function's symbols */
  struct gk_jump *jump;
  uint32_t scope_end;            /* behind the block or loop that variables belong to */
  uint32_t line_start, line_end; /* of the line last located */
};

enum gk_place_kind { GK_PLACE_VALUE, GK_PLACE_MEMORY, GK_PLACE_BUFFER };

/* Something with parts: indices walk into `base`, then lanes are picked. */
struct gk_place
{
  enum gk_place_kind kind;
  bool is_volatile;
  uint32_t n;
  uint32_t n_lanes;              /* 0: all of it */
  uint8_t lanes[4];
  struct xir_value *base;
  struct xir_value *indices[GK_MAX_INDICES];
};

/* lower-expression.c */
struct xir_value *gk_lower_value   (struct gk_lower *lower, const struct gk_node *node);
/* An operand of an op over `lanes` lanes: a scalar is repeated. */
struct xir_value *gk_lower_spread  (struct gk_lower *lower, struct xir_value *value, uint32_t lanes);
struct xir_value *gk_lower_binary  (struct gk_lower *lower, enum gk_token_kind op, struct xir_value *left, struct xir_value *right);
/* Whether the node's value needs more than one block. */
bool              gk_needs_blocks  (const struct gk_node *node);

/* lower-place.c */
void              gk_lower_place   (struct gk_lower *lower, const struct gk_node *node, struct gk_place *place);
struct xir_value *gk_place_read    (struct gk_lower *lower, const struct gk_place *place);
void              gk_place_write   (struct gk_lower *lower, const struct gk_place *place, struct xir_value *value);

/* lower-call.c */
struct xir_value *gk_lower_call      (struct gk_lower *lower, const struct gk_node *node);
struct xir_value *gk_lower_builtin   (struct gk_lower *lower, const struct gk_node *node);
struct xir_value *gk_lower_bytes     (struct gk_lower *lower, const struct gk_node *node);
struct xir_value *gk_lower_method    (struct gk_lower *lower, const struct gk_node *node);
struct xir_value *gk_lower_construct (struct gk_lower *lower, const struct gk_node *node);
struct xir_value *gk_lower_special   (struct gk_lower *lower, const struct gk_node *node);

/* lower-statement.c */
void gk_lower_statements (struct gk_lower *lower, const struct gk_node *first);

/* lower.c */
/* Builds or evaluates; `type` is that of the result. In constant mode a failure
 * gives zero and sets the culprit. */
struct xir_value *gk_emit        (struct gk_lower *lower, enum xir_op op, const struct xir_type *type,
                                  struct xir_value *const *operands, uint32_t n);
struct xir_value *gk_emit_shuffle (struct gk_lower *lower, const struct xir_type *type, struct xir_value *vector,
                                   const uint8_t *lanes);
struct xir_value *gk_lower_fail  (struct gk_lower *lower, const struct gk_node *node);
void              gk_lower_at    (struct gk_lower *lower, uint32_t offset);
void              gk_lower_nowhere (struct gk_lower *lower);
/* The finger to a new block, which takes its place behind all others. */
void              gk_lower_start (struct gk_lower *lower, struct xir_block *block);
/* Branches unless the block has ended already. */
void              gk_lower_go    (struct gk_lower *lower, struct xir_block *target);
/* A constant of the unit in the module at hand. */
struct xir_value *gk_lower_constant (struct gk_lower *lower, const struct gk_symbol *symbol);

static inline const struct xir_type *
gk_lower_type (struct gk_lower *lower,
               enum gk_scalar   scalar,
               uint32_t         lanes)
{
  return lower->unit->values[scalar][lanes - 1].xir;
}
