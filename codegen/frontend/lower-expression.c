/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/lower.h"
#include "codegen/xir/evaluate-private.h"

#include <string.h>

/* Nodes of an operand that is computed without asking first: && and ?: over
 * a few ops that cannot fail need no blocks. */
#define SIMPLE_NODES 12

static const enum xir_op binary_ops[GK_N_TOKENS] =
{
  [GK_TOKEN_PLUS] = XIR_OP_ADD, [GK_TOKEN_MINUS] = XIR_OP_SUB, [GK_TOKEN_STAR] = XIR_OP_MUL,
  [GK_TOKEN_SLASH] = XIR_OP_DIV, [GK_TOKEN_PERCENT] = XIR_OP_MOD, [GK_TOKEN_AMPERSAND] = XIR_OP_AND,
  [GK_TOKEN_BAR] = XIR_OP_OR, [GK_TOKEN_CARET] = XIR_OP_XOR, [GK_TOKEN_SHIFT_LEFT] = XIR_OP_SHIFT_LEFT,
  [GK_TOKEN_SHIFT_RIGHT] = XIR_OP_SHIFT_RIGHT, [GK_TOKEN_LESS] = XIR_OP_LESS, [GK_TOKEN_GREATER] = XIR_OP_GREATER,
  [GK_TOKEN_LESS_EQUAL] = XIR_OP_LESS_EQUAL, [GK_TOKEN_GREATER_EQUAL] = XIR_OP_GREATER_EQUAL,
  [GK_TOKEN_EQUAL] = XIR_OP_EQUAL, [GK_TOKEN_NOT_EQUAL] = XIR_OP_NOT_EQUAL
};

static bool
is_simple (const struct gk_node *node,
           int                  *budget)
{
  if (--*budget < 0)
    return false;
  switch (node->kind)
    {
    case GK_NODE_INTEGER:
    case GK_NODE_REAL:
    case GK_NODE_BOOLEAN:
    case GK_NODE_VALUE:
      return node->type->kind == GK_TYPE_VALUE;
    case GK_NODE_NAME:
      /* Others may be writing what is shared. */
      return node->type->kind == GK_TYPE_VALUE && !node->meaning.symbol->is_shared;
    case GK_NODE_UNARY:
    case GK_NODE_SWIZZLE:
      return is_simple (node->child[0], budget);
    case GK_NODE_MEMBER:
      /* Members of names and of their members; elements of buffers and arrays are reads. */
      return node->child[0]->kind == GK_NODE_NAME || (node->child[0]->kind == GK_NODE_MEMBER
                                                      && is_simple (node->child[0], budget));
    case GK_NODE_BINARY:
    case GK_NODE_LOGICAL:
      return is_simple (node->child[0], budget) && is_simple (node->child[1], budget);
    case GK_NODE_CONSTRUCT:
      if (node->type->kind != GK_TYPE_VALUE)
        return false;
      for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
        if (!is_simple (argument, budget))
          return false;
      return true;
    default:
      return false;
    }
}

/* Whether the operands that might be skipped can be computed anyway. */
static bool
is_flat (const struct gk_node *node)
{
  int budget = SIMPLE_NODES;

  if (node->kind == GK_NODE_LOGICAL)
    return is_simple (node->child[1], &budget);
  return node->type->kind == GK_TYPE_VALUE && is_simple (node->child[1], &budget) && is_simple (node->child[2], &budget);
}

bool
gk_needs_blocks (const struct gk_node *node)
{
  if ((node->kind == GK_NODE_LOGICAL || node->kind == GK_NODE_CONDITIONAL) && !is_flat (node))
    return true;
  if (node->kind == GK_NODE_TYPE)
    return false;
  for (unsigned i = 0; i < gk_node_infos[node->kind].n_children; i++)
    for (const struct gk_node *child = node->child[i]; child != NULL; child = child->next)
      if (gk_needs_blocks (child))
        return true;
  return false;
}

struct xir_value *
gk_lower_spread (struct gk_lower  *lower,
                 struct xir_value *value,
                 uint32_t          lanes)
{
  struct xir_value *parts[4] = { value, value, value, value };

  if (lanes <= 1 || xir_type_lanes (value->type) != 1)
    return value;
  return gk_emit (lower, XIR_OP_AGGREGATE, xir_type_vector (lower->unit->context, value->type, lanes), parts, lanes);
}

/* `*` is of elements only where one side is a scalar. */
static struct xir_value *
lower_matrices (struct gk_lower    *lower,
                enum gk_token_kind  op,
                struct xir_value   *left,
                struct xir_value   *right)
{
  struct xir_value *operands[2] = { left, right };
  bool has_scalar = xir_type_is_scalar (left->type) || xir_type_is_scalar (right->type);
  const struct xir_type *matrix = left->type->kind == XIR_TYPE_MATRIX ? left->type : right->type;

  switch (op)
    {
    case GK_TOKEN_PLUS:
      return gk_emit (lower, XIR_OP_MATRIX_ADD, matrix, operands, 2);
    case GK_TOKEN_MINUS:
      return gk_emit (lower, XIR_OP_MATRIX_SUB, matrix, operands, 2);
    case GK_TOKEN_SLASH:
      return gk_emit (lower, XIR_OP_MATRIX_DIV, matrix, operands, 2);
    default:
      return has_scalar ? gk_emit (lower, XIR_OP_MATRIX_MUL, matrix, operands, 2)
             : gk_emit (lower, XIR_OP_MATRIX_MULTIPLY, left->type == right->type ? matrix : matrix->element, operands, 2);
    }
}

struct xir_value *
gk_lower_binary (struct gk_lower    *lower,
                 enum gk_token_kind  op,
                 struct xir_value   *left,
                 struct xir_value   *right)
{
  uint32_t lanes = MAX (xir_type_lanes (left->type), xir_type_lanes (right->type));
  struct xir_value *operands[2] = { left, right };
  bool compares = op >= GK_TOKEN_LESS && op <= GK_TOKEN_NOT_EQUAL;

  if (left->type->kind == XIR_TYPE_MATRIX || right->type->kind == XIR_TYPE_MATRIX)
    return lower_matrices (lower, op, left, right);
  operands[0] = gk_lower_spread (lower, left, lanes);
  operands[1] = gk_lower_spread (lower, right, lanes);
  return gk_emit (lower, binary_ops[op], compares ? gk_lower_type (lower, GK_BOOL, lanes) : operands[0]->type, operands, 2);
}

static struct xir_value *
lower_literal (struct gk_lower      *lower,
               const struct gk_node *node)
{
  struct evaluate_lane lane = { .bits = node->meaning.value };
  uint8_t data[sizeof lane.bits];

  evaluate_store (gk_scalar_kind (node->type->scalar), &lane, data);
  return xir_constant_get (lower->module, node->type->xir, data);
}

static struct xir_value *
lower_unary (struct gk_lower      *lower,
             const struct gk_node *node)
{
  struct xir_value *value = gk_lower_value (lower, node->child[0]);

  if (node->op == GK_TOKEN_PLUS)
    return value;
  gk_lower_at (lower, node->mark);
  return gk_emit (lower, node->op != GK_TOKEN_MINUS ? XIR_OP_NOT
                         : value->type->kind == XIR_TYPE_MATRIX ? XIR_OP_MATRIX_NEG : XIR_OP_NEG, value->type, &value, 1);
}

static struct xir_value *
one_of (struct gk_lower *lower,
        enum gk_scalar   scalar)
{
  const struct evaluate_lane one = { .bits = 1 };
  struct evaluate_lane lane = { 0, 0 };
  uint8_t data[sizeof lane.bits];

  evaluate_cast (XIR_TYPE_UINT32, gk_scalar_kind (scalar), &one, &lane);
  evaluate_store (gk_scalar_kind (scalar), &lane, data);
  return xir_constant_get (lower->module, gk_lower_type (lower, scalar, 1), data);
}

static struct xir_value *
lower_step (struct gk_lower      *lower,
            const struct gk_node *node)
{
  struct gk_place place;
  struct xir_value *before, *after, *one;
  enum gk_scalar scalar = node->type->scalar;

  if (lower->constant)
    return gk_lower_fail (lower, node);
  gk_lower_place (lower, node->child[0], &place);
  gk_lower_at (lower, node->mark);
  before = gk_place_read (lower, &place);
  one = one_of (lower, scalar);
  after = gk_lower_binary (lower, node->op, before, one);
  gk_place_write (lower, &place, after);
  return node->flags & GK_FLAG_POSTFIX ? before : after;
}

static struct xir_value *
lower_assign (struct gk_lower      *lower,
              const struct gk_node *node)
{
  struct gk_place place;
  struct xir_value *value;

  if (lower->constant)
    return gk_lower_fail (lower, node);
  gk_lower_place (lower, node->child[0], &place);
  if (node->op == 0)
    value = gk_lower_value (lower, node->child[1]);
  else
    {
      /* C leaves the order open; we read the place first. */
      gk_lower_at (lower, node->mark);
      struct xir_value *before = gk_place_read (lower, &place);
      value = gk_lower_value (lower, node->child[1]);
      gk_lower_at (lower, node->mark);
      value = gk_lower_binary (lower, node->op, before, value);
    }
  gk_lower_at (lower, node->mark);
  gk_place_write (lower, &place, value);
  return value;
}

/* The blocks of a choice between two values, of which one may be a given one. */
static struct xir_value *
lower_choice (struct gk_lower       *lower,
              struct xir_value      *condition,
              const struct gk_node  *if_true,
              const struct gk_node  *if_false,
              struct xir_value      *given,
              const struct xir_type *type)
{
  struct xir_builder *builder = &lower->builder;
  struct xir_block *arms[2] = { xir_block_new (builder->function), xir_block_new (builder->function) };
  struct xir_block *merge = xir_block_new (builder->function);
  const struct gk_node *nodes[2] = { if_true, if_false };
  bool by_memory = xir_type_lanes (type) == 0;
  struct xir_value *memory = by_memory ? xir_build_alloca (builder, XIR_STORAGE_LOCAL, type, NULL) : NULL;
  struct xir_value *values[2];
  struct xir_block *ends[2];
  struct xir_value *phi;

  xir_build_if (builder, condition, arms[0], arms[1], merge);
  for (int i = 0; i < 2; i++)
    {
      gk_lower_start (lower, arms[i]);
      values[i] = nodes[i] != NULL ? gk_lower_value (lower, nodes[i]) : given;
      if (by_memory)
        xir_build_store (builder, memory, values[i]);
      ends[i] = builder->block;
      xir_build_branch (builder, merge);
    }
  gk_lower_start (lower, merge);
  if (by_memory)
    return xir_build_load (builder, memory);
  phi = xir_build_phi (builder, type);
  for (int i = 0; i < 2; i++)
    xir_phi_add (phi, values[i], ends[i]);
  return phi;
}

static bool
constant_truth (struct gk_lower        *lower,
                const struct xir_value *value)
{
  return lower->culprit == NULL && xir_value_constant (value)->data[0] != 0;
}

static struct xir_value *
lower_logical (struct gk_lower      *lower,
               const struct gk_node *node)
{
  bool is_and = node->op == GK_TOKEN_AND_AND;
  struct xir_value *left = gk_lower_value (lower, node->child[0]);
  struct xir_value *given;

  gk_lower_at (lower, node->mark);
  if (lower->constant)
    return constant_truth (lower, left) == is_and ? gk_lower_value (lower, node->child[1]) : left;
  if (is_flat (node))
    {
      struct xir_value *operands[2] = { left, gk_lower_value (lower, node->child[1]) };
      return gk_emit (lower, is_and ? XIR_OP_AND : XIR_OP_OR, left->type, operands, 2);
    }
  given = xir_constant_bool (lower->module, !is_and);
  return lower_choice (lower, left, is_and ? node->child[1] : NULL, is_and ? NULL : node->child[1], given, node->type->xir);
}

static struct xir_value *
lower_conditional (struct gk_lower      *lower,
                   const struct gk_node *node)
{
  struct xir_value *condition = gk_lower_value (lower, node->child[0]);

  gk_lower_at (lower, node->mark);
  if (lower->constant)
    return gk_lower_value (lower, node->child[constant_truth (lower, condition) ? 1 : 2]);
  if (is_flat (node))
    {
      struct xir_value *if_true = gk_lower_value (lower, node->child[1]);
      struct xir_value *operands[3] = { gk_lower_value (lower, node->child[2]), if_true, condition };
      return gk_emit (lower, XIR_OP_SELECT, node->type->xir, operands, 3);
    }
  return lower_choice (lower, condition, node->child[1], node->child[2], NULL, node->type->xir);
}

static struct xir_value *
lower_binary_node (struct gk_lower      *lower,
                   const struct gk_node *node)
{
  struct xir_value *left = gk_lower_value (lower, node->child[0]);
  struct xir_value *right = gk_lower_value (lower, node->child[1]);

  gk_lower_at (lower, node->mark);
  return gk_lower_binary (lower, node->op, left, right);
}

static struct xir_value *
lower_braces (struct gk_lower      *lower,
              const struct gk_node *node)
{
  const struct xir_type *type = node->type->xir;
  const struct gk_node *element = node->child[0];
  struct xir_value **parts;
  struct xir_value *value;

  if (element == NULL)
    return xir_constant_zero (lower->module, type);
  /* Variables are bounded, so is the number of their parts. */
  parts = g_new (struct xir_value *, type->count);
  for (uint64_t i = 0; i < type->count; i++)
    {
      parts[i] = element != NULL ? gk_lower_value (lower, element)
                 : xir_constant_zero (lower->module, xir_type_child (type, i));
      element = element != NULL ? element->next : NULL;
    }
  gk_lower_at (lower, node->mark);
  value = gk_emit (lower, XIR_OP_AGGREGATE, type, parts, type->count);
  g_free (parts);
  return value;
}

static struct xir_value *
lower_part (struct gk_lower      *lower,
            const struct gk_node *node)
{
  struct gk_place place;

  gk_lower_place (lower, node, &place);
  gk_lower_at (lower, node->mark);
  return gk_place_read (lower, &place);
}

static struct xir_value *
lower_property (struct gk_lower      *lower,
                const struct gk_node *node)
{
  struct xir_value *resource;

  if (lower->constant)
    return gk_lower_fail (lower, node);
  gk_lower_at (lower, node->mark);
  resource = lower->locals[node->child[0]->meaning.symbol->index];
  return node->child[0]->type->kind != GK_TYPE_IMAGE ? xir_build_buffer_size (&lower->builder, resource)
         : xir_build_texture_size (&lower->builder, resource);
}

static struct xir_value *
lower_bitcast (struct gk_lower      *lower,
               const struct gk_node *node)
{
  struct xir_value *value = gk_lower_value (lower, node->child[1]);

  gk_lower_at (lower, node->mark);
  return value->type == node->type->xir ? value : gk_emit (lower, XIR_OP_BITCAST, node->type->xir, &value, 1);
}

static struct xir_value *
lower_comma (struct gk_lower      *lower,
             const struct gk_node *node)
{
  gk_lower_value (lower, node->child[0]);
  return gk_lower_value (lower, node->child[1]);
}

static struct xir_value *(*const lowerings[GK_N_NODES]) (struct gk_lower *, const struct gk_node *) =
{
  [GK_NODE_INTEGER] = lower_literal,
  [GK_NODE_REAL] = lower_literal,
  [GK_NODE_BOOLEAN] = lower_literal,
  [GK_NODE_NAME] = lower_part,
  [GK_NODE_VALUE] = gk_lower_special,
  [GK_NODE_UNARY] = lower_unary,
  [GK_NODE_STEP] = lower_step,
  [GK_NODE_BINARY] = lower_binary_node,
  [GK_NODE_LOGICAL] = lower_logical,
  [GK_NODE_ASSIGN] = lower_assign,
  [GK_NODE_CONDITIONAL] = lower_conditional,
  [GK_NODE_COMMA] = lower_comma,
  [GK_NODE_CALL] = gk_lower_call,
  [GK_NODE_BUILTIN_CALL] = gk_lower_builtin,
  [GK_NODE_METHOD] = gk_lower_method,
  [GK_NODE_CONSTRUCT] = gk_lower_construct,
  [GK_NODE_BITCAST] = lower_bitcast,
  [GK_NODE_MEMBER] = lower_part,
  [GK_NODE_SWIZZLE] = lower_part,
  [GK_NODE_PROPERTY] = lower_property,
  [GK_NODE_INDEX] = lower_part,
  [GK_NODE_BRACES] = lower_braces
};

struct xir_value *
gk_lower_value (struct gk_lower      *lower,
                const struct gk_node *node)
{
  /* Constant expressions are computed while their file is still being checked. */
  if (lower->constant && (node->type == NULL || node->type->xir == NULL || lowerings[node->kind] == NULL))
    return gk_lower_fail (lower, node);
  return gk_lower_spread (lower, lowerings[node->kind] (lower, node), node->spread);
}
