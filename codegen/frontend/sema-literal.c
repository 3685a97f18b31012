/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Literals have no type of their own: a tree of nothing but literals takes the
 * type of the place where it stands, which is pushed down to its leaves here. */

#include "config.h"

#include "codegen/frontend/sema.h"
#include "codegen/xir/evaluate-private.h"

#include <math.h>
#include <string.h>

static bool
complain (struct gk_sema        *sema,
          enum gk_diagnostic_id  id,
          struct gk_node        *node,
          const char            *hint,
          const struct gk_type  *type,
          bool                   commit)
{
  if (commit)
    gk_report_node (sema->unit, id, node, hint, gk_node_source (sema->unit, node), type->text);
  return false;
}

/* The bits of a number as a type that holds reals; false where it is beyond the largest. */
static bool
real_bits (const struct gk_node *node,
           enum xir_type_kind    kind,
           uint64_t             *bits)
{
  const struct evaluate_lane integer = { .bits = node->u.integer };
  struct evaluate_lane lane = { 0, 0 };
  double limit = kind == XIR_TYPE_FLOAT8_E4M3 ? 448 : kind == XIR_TYPE_FLOAT8_E5M2 ? 57344 : INFINITY;

  if (node->kind == GK_NODE_INTEGER)
    evaluate_cast (XIR_TYPE_UINT64, kind, &integer, &lane);
  else
    evaluate_set_real (kind, kind == XIR_TYPE_FLOAT64 ? node->u.real : node->meaning.real, &lane);
  *bits = lane.bits;
  return !isinf (lane.real) && (node->kind == GK_NODE_INTEGER ? (double) node->u.integer : node->u.real) <= limit;
}

static const char *
suffixed (struct gk_sema       *sema,
          const struct gk_node *node,
          enum gk_scalar        scalar)
{
  unsigned long long value = node->u.integer;

  if (scalar != GK_INT && scalar != GK_UINT && scalar != GK_LONG)
    return NULL;
  return gk_hint (sema->unit, value <= UINT32_MAX ? "%lluu" : value <= INT64_MAX ? "%llul" : "%lluul", value);
}

static bool
settle_leaf (struct gk_sema       *sema,
             struct gk_node       *node,
             const struct gk_type *type,
             bool                  negated,
             bool                  commit)
{
  uint64_t bits = node->u.integer;

  if (!gk_scalar_is_integer (type->scalar))
    {
      if (!real_bits (node, gk_scalar_kind (type->scalar), &bits))
        return complain (sema, GK_D_LITERAL_RANGE, node, NULL, type, commit);
    }
  else if (node->kind == GK_NODE_REAL)
    {
      const char *hint = commit && node->u.real == floor (node->u.real) && fabs (node->u.real) < 2147483648.0
                         ? gk_hint (sema->unit, "%.0f", node->u.real)
                         : commit ? gk_hint (sema->unit, "%s(%s)", type->text, gk_node_source (sema->unit, node)) : NULL;
      return complain (sema, GK_D_LITERAL_FRACTION, node, hint, type, commit);
    }
  else
    {
      uint64_t all = UINT64_MAX >> (64 - evaluate_width (gk_scalar_kind (type->scalar)));
      uint64_t most = gk_scalar_is_signed (type->scalar) ? all / 2 + (negated ? 1 : 0) : all;

      if (bits > most)
        return complain (sema, GK_D_LITERAL_RANGE, node, commit ? suffixed (sema, node, type->scalar) : NULL, type, commit);
    }
  if (commit)
    {
      node->meaning.value = bits;
      node->type = type;
    }
  return true;
}

static bool
is_leaf (const struct gk_node *node)
{
  return node->kind == GK_NODE_INTEGER || node->kind == GK_NODE_REAL;
}

static bool
is_unsigned (const struct gk_type *type)
{
  return gk_scalar_is_integer (type->scalar) && !gk_scalar_is_signed (type->scalar);
}

static bool
settle (struct gk_sema       *sema,
        struct gk_node       *node,
        const struct gk_type *type,
        bool                  negated,
        bool                  commit)
{
  bool is_good = true;
  bool only_integer = node->op == GK_TOKEN_TILDE || node->op == GK_TOKEN_AMPERSAND || node->op == GK_TOKEN_BAR
                      || node->op == GK_TOKEN_CARET || node->op == GK_TOKEN_SHIFT_LEFT
                      || node->op == GK_TOKEN_SHIFT_RIGHT;

  switch (node->kind)
    {
    case GK_NODE_INTEGER:
    case GK_NODE_REAL:
      return settle_leaf (sema, node, type, negated, commit);
    case GK_NODE_UNARY:
      if (node->op == GK_TOKEN_MINUS && is_unsigned (type))
        return complain (sema, GK_D_LITERAL_NEGATIVE, node, commit ? gk_hint_cast (sema, type, node) : NULL, type, commit);
      is_good = settle (sema, node->child[0], type, node->op == GK_TOKEN_MINUS, commit);
      /* Nothing computes with these, so that a negative number is one number. */
      if (type->scalar >= GK_BFLOAT && is_leaf (node->child[0]) && node->op != GK_TOKEN_TILDE)
        {
          if (is_good && commit && node->op == GK_TOKEN_MINUS)
            {
              node->child[0]->meaning.value ^= UINT64_C (1) << (evaluate_width (gk_scalar_kind (type->scalar)) - 1);
              node->op = GK_TOKEN_PLUS;
            }
          if (commit)
            node->type = type;
          return is_good;
        }
      break;
    case GK_NODE_BINARY:
      is_good = settle (sema, node->child[0], type, false, commit);
      /* A shift's count has been settled on its own. */
      if (is_good && node->op != GK_TOKEN_SHIFT_LEFT && node->op != GK_TOKEN_SHIFT_RIGHT)
        is_good = settle (sema, node->child[1], type, false, commit);
      break;
    case GK_NODE_CONDITIONAL:
      is_good = settle (sema, node->child[1], type, false, commit)
                && settle (sema, node->child[2], type, false, commit);
      break;
    default:
      break;
    }
  if (is_good && (node->kind == GK_NODE_UNARY || node->kind == GK_NODE_BINARY)
      && (only_integer ? !gk_scalar_is_integer (type->scalar) : !gk_scalar_is_number (type->scalar)))
    {
      if (commit)
        gk_report_mark (sema->unit, GK_D_OPERATOR_TYPE, node,
                        gk_hint (sema->unit, "%s(%s)", type->text, gk_node_source (sema->unit, node)),
                        gk_token_text (node->op), type->text);
      return false;
    }
  if (commit)
    node->type = type;
  return is_good;
}

static bool
fits (uint64_t value,
      int64_t *out)
{
  *out = (int64_t) value;
  return value <= INT64_MAX;
}

/* The value of a tree of integer literals as an unsigned type has it, before it wraps. False
 * where it is not known: beyond 63 bits, or behind a condition. What the type would make of
 * a negative operand of / or & is of no interest: the result counts as negative. */
static bool
literal_value (const struct gk_node *node,
               uint64_t              all,
               int64_t              *out)
{
  int width_less_one = all == UINT64_MAX ? 63 : all == UINT32_MAX ? 31 : all == UINT16_MAX ? 15 : 7;
  int64_t left, right;

  switch (node->kind)
    {
    case GK_NODE_INTEGER:
      *out = (int64_t) node->u.integer;
      return node->u.integer <= INT64_MAX;
    case GK_NODE_UNARY:
      if (!literal_value (node->child[0], all, &left) || node->op == GK_TOKEN_MINUS)
        return false;
      return fits (node->op == GK_TOKEN_TILDE && left >= 0 ? ~(uint64_t) left & all : (uint64_t) left, out)
             || left < 0;
    case GK_NODE_CONDITIONAL:
      *out = -1;
      return (literal_value (node->child[1], all, &left) && left < 0) || (literal_value (node->child[2], all, &right) && right < 0);
    case GK_NODE_BINARY:
      break;
    default:
      return false;
    }
  if (!literal_value (node->child[0], all, &left) || !literal_value (node->child[1], all, &right))
    return false;
  switch (node->op)
    {
    case GK_TOKEN_PLUS:
      return !__builtin_add_overflow (left, right, out);
    case GK_TOKEN_MINUS:
      return !__builtin_sub_overflow (left, right, out);
    case GK_TOKEN_STAR:
      return !__builtin_mul_overflow (left, right, out);
    default:
      break;
    }
  *out = -1;
  if (left < 0 || (right < 0 && node->op != GK_TOKEN_SHIFT_LEFT && node->op != GK_TOKEN_SHIFT_RIGHT))
    return true;
  switch (node->op)
    {
    case GK_TOKEN_SLASH:
      *out = right != 0 ? left / right : left;
      return true;
    case GK_TOKEN_PERCENT:
      *out = right != 0 ? left % right : 0;
      return true;
    case GK_TOKEN_AMPERSAND:
      *out = left & right;
      return true;
    case GK_TOKEN_BAR:
      *out = left | right;
      return true;
    case GK_TOKEN_CARET:
      *out = left ^ right;
      return true;
    case GK_TOKEN_SHIFT_LEFT:
      return fits ((uint64_t) left << (right & width_less_one) & all, out);
    case GK_TOKEN_SHIFT_RIGHT:
      return fits (((uint64_t) left & all) >> (right & width_less_one), out);
    default:
      return false;
    }
}

/* The leaves may fit an unsigned type one by one, and their difference not. */
static bool
settle_tree (struct gk_sema       *sema,
             struct gk_node       *node,
             const struct gk_type *type,
             bool                  commit)
{
  int64_t value;

  if (!settle (sema, node, type, false, commit))
    return false;
  if (!is_unsigned (type)
      || !literal_value (node, UINT64_MAX >> (64 - evaluate_width (gk_scalar_kind (type->scalar))), &value) || value >= 0)
    return true;
  return complain (sema, GK_D_LITERAL_NEGATIVE, node, commit ? gk_hint_cast (sema, type, node) : NULL, type, commit);
}

bool
gk_literal_fits (struct gk_sema       *sema,
                 struct gk_node       *node,
                 const struct gk_type *type)
{
  return type->scalar != GK_BOOL && settle_tree (sema, node, type, false);
}

void
gk_literal_settle (struct gk_sema       *sema,
                   struct gk_node       *node,
                   const struct gk_type *type)
{
  if (type->scalar == GK_BOOL)
    {
      const char *hint = node->kind != GK_NODE_INTEGER ? NULL : node->u.integer == 0 ? "false" : "true";
      gk_report_node (sema->unit, GK_D_LITERAL_BOOL, node, hint, gk_node_source (sema->unit, node));
      gk_poison (sema, node);
    }
  else if (!settle_tree (sema, node, type, true))
    gk_poison (sema, node);
}

void
gk_literal_default (struct gk_sema *sema,
                    struct gk_node *node)
{
  if (gk_type_is_literal (node->type))
    gk_literal_settle (sema, node, gk_type_value (sema->unit, node->type->kind == GK_TYPE_LITERAL_REAL ? GK_FLOAT : GK_INT, 1));
}

const char *
gk_hint_cast (struct gk_sema       *sema,
              const struct gk_type *type,
              const struct gk_node *node)
{
  static const char *const lanes[] = { "", "x", "xy", "xyz", "xyzw" };
  const struct gk_type *from = node->type;
  const char *source = gk_node_source (sema->unit, node);

  if (type->kind != GK_TYPE_VALUE)
    return NULL;
  if (gk_type_is_literal (from) || (from->kind == GK_TYPE_VALUE && (from->lanes == type->lanes || from->lanes == 1)))
    return gk_hint (sema->unit, "%s(%s)", type->text, source);
  if (from->kind == GK_TYPE_VALUE && from->scalar == type->scalar && from->lanes > type->lanes
      && (node->kind == GK_NODE_NAME || node->kind == GK_NODE_MEMBER || node->kind == GK_NODE_INDEX))
    return gk_hint (sema->unit, "%s.%s", source, lanes[type->lanes]);
  return NULL;
}

void
gk_convert (struct gk_sema       *sema,
            struct gk_node       *node,
            const struct gk_type *type)
{
  if (gk_is_poison (node->type) || gk_is_poison (type))
    {
      /* A literal at a place of unknown type must still get one. */
      gk_literal_default (sema, node);
      return;
    }
  if (gk_type_is_literal (node->type) && type->kind == GK_TYPE_VALUE)
    gk_literal_settle (sema, node, gk_type_value (sema->unit, type->scalar, 1));
  if (type->kind == GK_TYPE_VALUE && type->lanes > 1 && node->type == gk_type_value (sema->unit, type->scalar, 1))
    {
      node->spread = type->lanes;
      return;
    }
  if (gk_is_poison (node->type))
    return;
  if (node->type == type)
    {
      if (gk_is_poison (gk_check_size (sema, type, node)))
        gk_poison (sema, node);
      return;
    }
  gk_report_node (sema->unit, GK_D_MISMATCH, node, gk_hint_cast (sema, type, node), type->text, node->type->text);
  gk_poison (sema, node);
}
