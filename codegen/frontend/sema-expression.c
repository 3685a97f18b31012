/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <float.h>
#include <math.h>

enum operator_class { CLASS_ARITHMETIC, CLASS_BITS, CLASS_SHIFT, CLASS_ORDER, CLASS_EQUALITY };

static enum operator_class
classify (enum gk_token_kind op)
{
  switch (op)
    {
    case GK_TOKEN_AMPERSAND:
    case GK_TOKEN_BAR:
    case GK_TOKEN_CARET:
      return CLASS_BITS;
    case GK_TOKEN_SHIFT_LEFT:
    case GK_TOKEN_SHIFT_RIGHT:
      return CLASS_SHIFT;
    case GK_TOKEN_LESS:
    case GK_TOKEN_GREATER:
    case GK_TOKEN_LESS_EQUAL:
    case GK_TOKEN_GREATER_EQUAL:
      return CLASS_ORDER;
    case GK_TOKEN_EQUAL:
    case GK_TOKEN_NOT_EQUAL:
      return CLASS_EQUALITY;
    default:
      return CLASS_ARITHMETIC;
    }
}

static bool
scalar_has_operator (enum gk_scalar      scalar,
                     enum operator_class class)
{
  switch (class)
    {
    case CLASS_ARITHMETIC:
    case CLASS_ORDER:
      return gk_scalar_is_number (scalar);
    case CLASS_BITS:
      return gk_scalar_is_integer (scalar) || scalar == GK_BOOL;
    case CLASS_SHIFT:
      return gk_scalar_is_integer (scalar);
    default:
      return gk_scalar_is_number (scalar) || scalar == GK_BOOL;
    }
}

/* The letters behind a number say its type. */
static enum gk_scalar
suffix_scalar (struct gk_sema       *sema,
               const struct gk_node *node)
{
  const char *end = sema->unit->text + node->end;

  switch (g_ascii_tolower (end[-1]))
    {
    case 'l':
      return g_ascii_tolower (end[-2]) == 'u' ? GK_ULONG : GK_LONG;
    case 'h':
      return GK_HALF;
    case 'd':
      return GK_DOUBLE;
    case 'f':
      return GK_FLOAT;
    default:
      return GK_UINT;
    }
}

static void
check_integer (struct gk_sema *sema,
               struct gk_node *node)
{
  node->type = &sema->unit->literal_integer;
  if (node->flags & GK_FLAG_SUFFIX)
    gk_literal_settle (sema, node, gk_type_value (sema->unit, suffix_scalar (sema, node), 1));
}

static void
check_real (struct gk_sema *sema,
            struct gk_node *node)
{
  node->type = &sema->unit->literal_real;
  if (node->flags & GK_FLAG_SUFFIX)
    gk_literal_settle (sema, node, gk_type_value (sema->unit, suffix_scalar (sema, node), 1));
}

static void
check_boolean (struct gk_sema *sema,
               struct gk_node *node)
{
  node->type = gk_type_value (sema->unit, GK_BOOL, 1);
  node->meaning.value = node->u.integer;
}

static void
check_string (struct gk_sema *sema,
              struct gk_node *node)
{
  gk_report_node (sema->unit, GK_D_STRING, node, NULL);
  gk_poison (sema, node);
}

static void
check_stray_type (struct gk_sema *sema,
                  struct gk_node *node)
{
  if (!gk_is_poison (gk_resolve_type (sema, node)))
    gk_report_node (sema->unit, GK_D_TYPE_AS_VALUE, node, NULL, node->u.name->text);
  gk_poison (sema, node);
}

static void
check_stray_braces (struct gk_sema *sema,
                    struct gk_node *node)
{
  /* The parser or the place that wanted a value has spoken. */
  gk_poison (sema, node);
}

static void
check_unary (struct gk_sema *sema,
             struct gk_node *node)
{
  struct gk_node *child = node->child[0];
  const struct gk_type *type;
  bool is_good;

  gk_check_expression (sema, child);
  type = child->type;
  node->type = type;
  if (gk_is_poison (type))
    return;
  if (gk_type_is_literal (type))
    is_good = node->op != GK_TOKEN_NOT && (node->op != GK_TOKEN_TILDE || type->kind == GK_TYPE_LITERAL_INTEGER);
  else if (type->kind == GK_TYPE_MATRIX)
    is_good = node->op == GK_TOKEN_MINUS || node->op == GK_TOKEN_PLUS;
  else if (type->kind != GK_TYPE_VALUE)
    is_good = false;
  else if (node->op == GK_TOKEN_NOT)
    is_good = type->scalar == GK_BOOL;
  else
    is_good = node->op == GK_TOKEN_TILDE ? gk_scalar_is_integer (type->scalar) : gk_scalar_is_number (type->scalar);
  if (is_good)
    return;
  gk_report_mark (sema->unit, GK_D_OPERATOR_TYPE, node,
                  node->op == GK_TOKEN_NOT && (gk_type_is_literal (type) || gk_type_is_scalar (type))
                  ? gk_hint (sema->unit, "%s == 0", gk_node_source (sema->unit, child))
                  : node->op == GK_TOKEN_TILDE && type->kind == GK_TYPE_VALUE && type->scalar == GK_BOOL
                  ? gk_hint (sema->unit, "!%s", gk_node_source (sema->unit, child)) : NULL,
                  gk_token_text (node->op), type->text);
  gk_poison (sema, node);
}

/* A literal side takes the other's scalar. False after a message. */
static bool
unify_operands (struct gk_sema *sema,
                struct gk_node *node)
{
  struct gk_node *left = node->child[0], *right = node->child[1];
  struct gk_node *literal = gk_type_is_literal (left->type) ? left : gk_type_is_literal (right->type) ? right : NULL;
  const struct gk_type *other;

  if (literal == NULL)
    return true;
  other = literal == left ? right->type : left->type;
  if (other->kind == GK_TYPE_VALUE || other->kind == GK_TYPE_MATRIX)
    gk_literal_settle (sema, literal, gk_type_value (sema->unit, other->scalar, 1));
  else
    gk_literal_default (sema, literal);
  return !gk_is_poison (literal->type);
}

static void
report_operands (struct gk_sema *sema,
                 struct gk_node *node)
{
  struct gk_node *left = node->child[0], *right = node->child[1];
  const char *hint = NULL;

  if (left->type->kind == GK_TYPE_VALUE && right->type->kind == GK_TYPE_VALUE && left->type->scalar != right->type->scalar
      && gk_scalar_is_number (left->type->scalar) && gk_scalar_is_number (right->type->scalar))
    {
      /* The poorer one follows. */
      bool convert_left = left->type->scalar < right->type->scalar;
      struct gk_node *poor = convert_left ? left : right;
      const struct gk_type *rich = convert_left ? right->type : left->type;
      hint = gk_hint_cast (sema, gk_type_value (sema->unit, rich->scalar, poor->type->lanes), poor);
    }
  gk_report_mark (sema->unit, GK_D_OPERANDS, node, hint, gk_token_text (node->op), left->type->text, right->type->text);
  gk_poison (sema, node);
}

/* Between matrices + - / and * with a scalar work by element; * of two, or with a vector, is linear algebra. */
static const struct gk_type *
matrix_result (struct gk_unit       *unit,
               enum gk_token_kind    op,
               const struct gk_type *left,
               const struct gk_type *right)
{
  const struct gk_type *matrix = left->kind == GK_TYPE_MATRIX ? left : right;
  const struct gk_type *other = matrix == left ? right : left;

  if (op != GK_TOKEN_PLUS && op != GK_TOKEN_MINUS && op != GK_TOKEN_STAR && op != GK_TOKEN_SLASH)
    return NULL;
  if (other == matrix || other == gk_type_value (unit, GK_FLOAT, 1))
    return matrix;
  return op == GK_TOKEN_STAR && other == matrix->element ? other : NULL;
}

static void
check_matrix_operands (struct gk_sema *sema,
                       struct gk_node *node)
{
  const struct gk_type *left = node->child[0]->type, *right = node->child[1]->type;
  const struct gk_type *result = matrix_result (sema->unit, node->op, left, right);

  if (result != NULL)
    node->type = result;
  else
    {
      gk_report_mark (sema->unit, GK_D_OPERANDS, node, NULL, gk_token_text (node->op), left->text, right->text);
      gk_poison (sema, node);
    }
}

/* The checks of a binary operator whose operands are checked and concrete. */
static void
check_operands (struct gk_sema      *sema,
                struct gk_node      *node,
                enum operator_class  class)
{
  const struct gk_type *left = node->child[0]->type, *right = node->child[1]->type;
  const struct gk_type *wrong;
  uint32_t lanes;

  if (left->kind == GK_TYPE_MATRIX || right->kind == GK_TYPE_MATRIX)
    {
      check_matrix_operands (sema, node);
      return;
    }
  if (left->kind != GK_TYPE_VALUE || right->kind != GK_TYPE_VALUE)
    {
      wrong = left->kind != GK_TYPE_VALUE ? left : right;
      gk_report_mark (sema->unit, GK_D_OPERATOR_TYPE, node, NULL, gk_token_text (node->op), wrong->text);
      gk_poison (sema, node);
      return;
    }
  if (class != CLASS_SHIFT && left->scalar != right->scalar)
    {
      report_operands (sema, node);
      return;
    }
  if (!scalar_has_operator (left->scalar, class) || (class == CLASS_SHIFT && !scalar_has_operator (right->scalar, class)))
    {
      wrong = scalar_has_operator (left->scalar, class) ? right : left;
      gk_report_mark (sema->unit, GK_D_OPERATOR_TYPE, node, NULL, gk_token_text (node->op), wrong->text);
      gk_poison (sema, node);
      return;
    }
  if (left->lanes != right->lanes && left->lanes != 1 && right->lanes != 1)
    {
      report_operands (sema, node);
      return;
    }
  lanes = MAX (left->lanes, right->lanes);
  if (class == CLASS_EQUALITY && gk_scalar_is_float (left->scalar))
    gk_report_mark (sema->unit, GK_D_FLOAT_EQUALITY, node, NULL, gk_token_text (node->op));
  node->type = gk_type_value (sema->unit, class == CLASS_ORDER || class == CLASS_EQUALITY ? GK_BOOL : left->scalar, lanes);
}

/* Both operands literals: the result is one too, but for comparisons. */
static void
check_literals (struct gk_sema      *sema,
                struct gk_node      *node,
                enum operator_class  class)
{
  struct gk_node *left = node->child[0], *right = node->child[1];
  bool is_real = left->type->kind == GK_TYPE_LITERAL_REAL || right->type->kind == GK_TYPE_LITERAL_REAL;
  const struct gk_type *type = is_real ? &sema->unit->literal_real : &sema->unit->literal_integer;

  if (class == CLASS_ORDER || class == CLASS_EQUALITY)
    {
      const struct gk_type *scalar = gk_type_value (sema->unit, is_real ? GK_FLOAT : GK_INT, 1);
      gk_literal_settle (sema, left, scalar);
      gk_literal_settle (sema, right, scalar);
      node->type = gk_type_value (sema->unit, GK_BOOL, 1);
      return;
    }
  if (is_real && (class == CLASS_BITS || class == CLASS_SHIFT))
    {
      gk_report_mark (sema->unit, GK_D_OPERATOR_TYPE, node, NULL, gk_token_text (node->op), type->text);
      gk_poison (sema, node);
      return;
    }
  if (class == CLASS_SHIFT)
    {
      gk_literal_default (sema, right);
      type = left->type;
    }
  node->type = type;
}

static void
check_checked_binary (struct gk_sema *sema,
                      struct gk_node *node)
{
  struct gk_node *left = node->child[0], *right = node->child[1];
  enum operator_class class = classify (node->op);

  if (gk_is_poison (left->type) || gk_is_poison (right->type))
    {
      gk_literal_default (sema, left);
      gk_literal_default (sema, right);
      gk_poison (sema, node);
    }
  else if (gk_type_is_literal (left->type) && gk_type_is_literal (right->type))
    check_literals (sema, node, class);
  else if (class == CLASS_SHIFT)
    {
      /* The count has a type of its own; a literal on the left is an int. */
      gk_literal_default (sema, left);
      gk_literal_default (sema, right);
      if (gk_is_poison (left->type) || gk_is_poison (right->type))
        gk_poison (sema, node);
      else
        check_operands (sema, node, class);
    }
  else if (!unify_operands (sema, node))
    gk_poison (sema, node);
  else
    check_operands (sema, node, class);
}

static void
check_binary (struct gk_sema *sema,
              struct gk_node *node)
{
  gk_check_expression (sema, node->child[0]);
  gk_check_expression (sema, node->child[1]);
  check_checked_binary (sema, node);
}

void
gk_check_condition (struct gk_sema *sema,
                    struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  const char *source;
  const char *hint = NULL;

  gk_check_expression (sema, node);
  if (gk_is_poison (node->type) || node->type == gk_type_value (unit, GK_BOOL, 1))
    return;
  source = gk_node_source (unit, node);
  if (node->kind == GK_NODE_ASSIGN && node->op == 0)
    hint = "==";
  else if (node->kind == GK_NODE_INTEGER)
    hint = node->u.integer == 0 ? "false" : "true";
  else if (gk_type_is_scalar (node->type) || gk_type_is_literal (node->type))
    hint = gk_hint (unit, "%s != 0", source);
  else if (node->type->kind == GK_TYPE_VALUE && node->type->scalar == GK_BOOL)
    hint = gk_hint (unit, "all(%s)", source);
  gk_report_node (unit, GK_D_CONDITION, node, hint, node->type->text);
  gk_literal_default (sema, node);
}

static void
check_logical (struct gk_sema *sema,
               struct gk_node *node)
{
  gk_check_condition (sema, node->child[0]);
  gk_check_condition (sema, node->child[1]);
  node->type = gk_type_value (sema->unit, GK_BOOL, 1);
}

static void
check_conditional (struct gk_sema *sema,
                   struct gk_node *node)
{
  struct gk_node *left = node->child[1], *right = node->child[2];
  const struct gk_type *type;
  bool left_follows;

  gk_check_condition (sema, node->child[0]);
  gk_check_expression (sema, left);
  gk_check_expression (sema, right);
  if (gk_is_poison (left->type) || gk_is_poison (right->type))
    {
      gk_literal_default (sema, left);
      gk_literal_default (sema, right);
      gk_poison (sema, node);
      return;
    }
  if (gk_type_is_literal (left->type) && gk_type_is_literal (right->type))
    {
      node->type = left->type->kind == GK_TYPE_LITERAL_REAL ? left->type : right->type;
      return;
    }
  left_follows = gk_type_is_literal (left->type)
                 || (gk_type_is_scalar (left->type) && right->type->kind == GK_TYPE_VALUE && right->type->lanes > 1);
  type = left_follows ? right->type : left->type;
  gk_convert (sema, left_follows ? left : right, type);
  node->type = gk_is_poison (left->type) || gk_is_poison (right->type) ? &sema->unit->poison : type;
  if (gk_type_is_resource (node->type) || node->type->kind == GK_TYPE_VOID)
    {
      gk_report_mark (sema->unit, GK_D_OPERATOR_TYPE, node, NULL, "?:", node->type->text);
      gk_poison (sema, node);
    }
}

static void
check_step (struct gk_sema *sema,
            struct gk_node *node)
{
  const struct gk_type *type;

  gk_check_expression (sema, node->child[0]);
  type = node->child[0]->type;
  node->type = type;
  if (gk_is_poison (type))
    return;
  if (!gk_check_target (sema, node->child[0]))
    gk_poison (sema, node);
  else if (type->kind != GK_TYPE_VALUE || !gk_scalar_is_number (type->scalar))
    {
      gk_report_mark (sema->unit, GK_D_OPERATOR_TYPE, node, NULL, node->op == GK_TOKEN_PLUS ? "++" : "--", type->text);
      gk_poison (sema, node);
    }
}

static void
check_compound (struct gk_sema *sema,
                struct gk_node *node)
{
  const struct gk_type *place = node->child[0]->type;
  struct gk_node *value = node->child[1];

  if (value->kind == GK_NODE_BRACES)
    {
      gk_report_node (sema->unit, GK_D_BRACES, value, NULL);
      gk_poison (sema, node);
      return;
    }
  gk_check_expression (sema, value);
  check_checked_binary (sema, node);
  if (!gk_is_poison (node->type) && node->type != place)
    {
      gk_report_mark (sema->unit, GK_D_MISMATCH, node, NULL, place->text, node->type->text);
      gk_poison (sema, node);
    }
}

static void
check_assign (struct gk_sema *sema,
              struct gk_node *node)
{
  struct gk_node *place = node->child[0];
  struct gk_symbol *whole = place->kind == GK_NODE_NAME ? place->u.name->symbol : NULL;
  bool was_used = whole != NULL && whole->is_used;
  bool is_target;

  gk_check_expression (sema, place);
  /* Being written only is not being used. */
  if (whole != NULL && node->op == 0)
    whole->is_used = was_used;
  is_target = gk_is_poison (place->type) || gk_check_target (sema, place);
  if (node->op != 0)
    check_compound (sema, node);
  else
    {
      gk_check_initializer (sema, node->child[1], is_target ? place->type : &sema->unit->poison);
      node->type = gk_is_poison (node->child[1]->type) ? node->child[1]->type : place->type;
    }
  if (!is_target)
    gk_poison (sema, node);
}

static void
check_comma (struct gk_sema *sema,
             struct gk_node *node)
{
  gk_check_any (sema, node->child[0]);
  gk_check_any (sema, node->child[1]);
  node->type = node->child[1]->type;
}

static void (*const checks[GK_N_NODES]) (struct gk_sema *, struct gk_node *) =
{
  [GK_NODE_TYPE] = check_stray_type,
  [GK_NODE_ERROR] = gk_poison,
  [GK_NODE_INTEGER] = check_integer,
  [GK_NODE_REAL] = check_real,
  [GK_NODE_BOOLEAN] = check_boolean,
  [GK_NODE_STRING] = check_string,
  [GK_NODE_NAME] = gk_check_name,
  [GK_NODE_UNARY] = check_unary,
  [GK_NODE_STEP] = check_step,
  [GK_NODE_BINARY] = check_binary,
  [GK_NODE_LOGICAL] = check_logical,
  [GK_NODE_ASSIGN] = check_assign,
  [GK_NODE_CONDITIONAL] = check_conditional,
  [GK_NODE_COMMA] = check_comma,
  [GK_NODE_CALL] = gk_check_call,
  [GK_NODE_BITCAST] = gk_check_bitcast,
  [GK_NODE_MEMBER] = gk_check_member,
  [GK_NODE_INDEX] = gk_check_index,
  [GK_NODE_BRACES] = check_stray_braces
};

void
gk_check_expression (struct gk_sema *sema,
                     struct gk_node *node)
{
  checks[node->kind] (sema, node);
}

void
gk_check_any (struct gk_sema *sema,
              struct gk_node *node)
{
  gk_check_expression (sema, node);
  gk_literal_default (sema, node);
}

/* "{ … }" for an array or a structure: what is left out is zero. */
static void
check_braces (struct gk_sema       *sema,
              struct gk_node       *node,
              const struct gk_type *type)
{
  const struct gk_structure *structure = type->kind == GK_TYPE_STRUCTURE ? type->structure : NULL;
  uint64_t limit = structure != NULL ? structure->n_members : type->length;
  uint64_t n = 0;

  node->type = type;
  for (struct gk_node *element = node->child[0]; element != NULL; element = element->next, n++)
    {
      if (n == limit)
        {
          gk_report_node (sema->unit, GK_D_BRACES_COUNT, element, NULL, type->text, (unsigned long long) limit);
          gk_poison (sema, node);
        }
      gk_check_initializer (sema, element, n >= limit ? &sema->unit->poison
                            : structure != NULL ? structure->members[n].type : type->element);
      if (gk_is_poison (element->type))
        gk_poison (sema, node);
    }
}

void
gk_check_initializer (struct gk_sema       *sema,
                      struct gk_node       *node,
                      const struct gk_type *type)
{
  if (node->kind != GK_NODE_BRACES)
    {
      gk_check_expression (sema, node);
      gk_convert (sema, node, type);
    }
  else if (type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_STRUCTURE)
    check_braces (sema, node, type);
  else
    {
      for (struct gk_node *element = node->child[0]; element != NULL; element = element->next)
        gk_check_initializer (sema, element, &sema->unit->poison);
      if (!gk_is_poison (type))
        gk_report_node (sema->unit, GK_D_BRACES_TYPE, node,
                        type->kind == GK_TYPE_VALUE ? gk_hint (sema->unit, "%s(…)", type->text) : NULL, type->text);
      gk_poison (sema, node);
    }
}
