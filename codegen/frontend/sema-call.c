/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls: of functions, of image methods, and of types as constructors. */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <string.h>

/* Arguments of a call that is broken anyway: checked for mistakes of their own. */
static void
check_arguments_alone (struct gk_sema *sema,
                       struct gk_node *node)
{
  for (struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    if (argument->kind != GK_NODE_STRING)
      gk_check_any (sema, argument);
  gk_poison (sema, node);
}

static void
check_resource_argument (struct gk_sema         *sema,
                         struct gk_node         *argument,
                         const struct gk_symbol *parameter)
{
  struct gk_unit *unit = sema->unit;
  struct gk_symbol *symbol;

  gk_check_any (sema, argument);
  if (gk_is_poison (argument->type))
    return;
  if (argument->type != parameter->type)
    {
      gk_report_node (unit, GK_D_MISMATCH, argument, NULL, parameter->type->text, argument->type->text);
      return;
    }
  symbol = argument->meaning.symbol;
  if (symbol->is_const && !parameter->is_const)
    gk_report_node (unit, GK_D_CONST_ARGUMENT, argument, gk_hint (unit, "const %s %s", parameter->type->text,
                    parameter->name->text), symbol->name->text, parameter->name->text);
  if (symbol->is_volatile && !parameter->is_volatile)
    gk_report_node (unit, GK_D_VOLATILE_ARGUMENT, argument, gk_hint (unit, "%svolatile %s %s",
                    parameter->is_const ? "const " : "", parameter->type->text, parameter->name->text), symbol->name->text, parameter->name->text);
}

static void
check_reference_argument (struct gk_sema         *sema,
                          struct gk_node         *argument,
                          const struct gk_symbol *parameter)
{
  struct gk_unit *unit = sema->unit;

  gk_check_any (sema, argument);
  if (gk_is_poison (argument->type) || gk_is_poison (parameter->type) || !gk_check_target (sema, argument))
    return;
  if (argument->type != parameter->type)
    gk_report_node (unit, GK_D_REFERENCE_TYPE, argument, NULL, parameter->name->text, parameter->type->text,
                    argument->type->text);
}

static void
check_user_call (struct gk_sema   *sema,
                 struct gk_node   *node,
                 struct gk_symbol *symbol)
{
  struct gk_unit *unit = sema->unit;
  struct gk_function *function = symbol->u.function;
  uint32_t n = gk_node_list_length (node->child[1]);
  struct gk_node *argument = node->child[1];

  node->meaning.symbol = symbol;
  if (function->is_kernel)
    {
      gk_report_mark (unit, GK_D_KERNEL_CALL, node, NULL, symbol->name->text);
      check_arguments_alone (sema, node);
      return;
    }
  if (sema->function == NULL)
    {
      gk_report_mark (unit, GK_D_NOT_CONSTANT, node, NULL);
      check_arguments_alone (sema, node);
      return;
    }
  if (sema->function->calls == NULL)
    sema->function->calls = g_ptr_array_new ();
  g_ptr_array_add (sema->function->calls, node);
  if (n != function->n_parameters)
    {
      if (!(function->node->flags & GK_FLAG_BROKEN))
        gk_report_node (unit, GK_D_ARGUMENTS, node, NULL, symbol->name->text, function->n_parameters, n);
      check_arguments_alone (sema, node);
      node->type = function->return_type;
      return;
    }
  for (uint32_t i = 0; i < n; i++, argument = argument->next)
    {
      const struct gk_symbol *parameter = function->parameters[i];
      if (gk_type_is_resource (parameter->type))
        check_resource_argument (sema, argument, parameter);
      else if (parameter->is_reference)
        check_reference_argument (sema, argument, parameter);
      else
        {
          gk_check_expression (sema, argument);
          gk_convert (sema, argument, parameter->type);
        }
    }
  node->type = function->return_type;
}

static void
check_image_point (struct gk_sema       *sema,
                   struct gk_node       *argument,
                   const struct gk_type *image)
{
  const struct gk_type *type;

  gk_check_any (sema, argument);
  type = argument->type;
  if (!gk_is_poison (type)
      && (type->kind != GK_TYPE_VALUE || type->lanes != image->lanes || (type->scalar != GK_INT && type->scalar != GK_UINT)))
    gk_report_node (sema->unit, GK_D_IMAGE_POINT, argument,
                    gk_hint_cast (sema, gk_type_value (sema->unit, GK_INT, image->lanes), argument),
                    image->text, image->lanes, image->lanes, type->text);
}

/* GLSL and C++ write parentheses behind a length. */
static const char *
method_hint (struct gk_unit       *unit,
             const struct gk_node *object,
             const char           *name)
{
  bool is_image = object->type->kind == GK_TYPE_IMAGE;

  if (strcmp (name, "size") == 0 || strcmp (name, "length") == 0)
    return gk_type_is_resource (object->type)
           ? gk_hint (unit, "%s.%s", gk_node_source (unit, object), is_image ? "size" : "length") : NULL;
  return is_image ? "read" : object->type->kind == GK_TYPE_BYTE_BUFFER ? "load<uint>" : NULL;
}

static void
check_method (struct gk_sema *sema,
              struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *callee = node->child[0];
  struct gk_node *object = callee->child[0];
  struct gk_node *argument = node->child[1];
  bool is_write = strcmp (callee->u.name->text, "write") == 0;
  const struct gk_type *texel;
  uint32_t n = gk_node_list_length (argument);

  gk_check_any (sema, object);
  node->kind = GK_NODE_METHOD;
  if (object->type->kind == GK_TYPE_BYTE_BUFFER && gk_check_bytes (sema, node))
    return;
  if (gk_is_poison (object->type) || object->type->kind != GK_TYPE_IMAGE
      || (!is_write && strcmp (callee->u.name->text, "read") != 0))
    {
      if (!gk_is_poison (object->type))
        gk_report_mark (unit, GK_D_NO_METHOD, callee, method_hint (unit, object, callee->u.name->text),
                        object->type->text, callee->u.name->text);
      check_arguments_alone (sema, node);
      return;
    }
  callee->type = object->type;
  if (n != (is_write ? 2u : 1u))
    {
      gk_report_node (unit, GK_D_ARGUMENTS, node, NULL, callee->u.name->text, is_write ? 2u : 1u, n);
      check_arguments_alone (sema, node);
      return;
    }
  if (is_write && object->meaning.symbol->is_const)
    gk_report_const (sema, node, object->meaning.symbol);
  check_image_point (sema, argument, object->type);
  texel = gk_type_value (unit, object->type->scalar, 4);
  node->meaning.value = is_write;
  node->type = is_write ? &unit->void_type : texel;
  if (is_write)
    {
      gk_check_expression (sema, argument->next);
      gk_convert (sema, argument->next, texel);
    }
}

/* One part of a vector or the operand of a cast: a literal takes the target's
 * scalar where it fits, so that uint(3000000000) works and int(1.5) is a cast. */
static bool
check_part (struct gk_sema       *sema,
            struct gk_node       *argument,
            const struct gk_type *type)
{
  const struct gk_type *scalar = gk_type_value (sema->unit, type->scalar, 1);

  gk_check_expression (sema, argument);
  if (gk_type_is_literal (argument->type))
    {
      if (gk_literal_fits (sema, argument, scalar))
        gk_literal_settle (sema, argument, scalar);
      else
        gk_literal_default (sema, argument);
    }
  if (gk_is_poison (argument->type))
    return false;
  if (argument->type->kind == GK_TYPE_VALUE)
    return true;
  gk_report_node (sema->unit, GK_D_CAST, argument, NULL, argument->type->text, type->text);
  return false;
}

/* Of `lanes` given ones, not as many as the type has: the rest to be written, or the vector that they make. */
static const char *
construct_hint (struct gk_unit       *unit,
                const struct gk_node *node,
                const struct gk_type *type,
                uint32_t              lanes)
{
  const char *source = gk_node_source (unit, node), *head = type->text;
  bool is_whole = g_str_has_prefix (source, head) && g_str_has_suffix (source, ")");

  if (lanes == 0)
    return gk_hint (unit, "%s(%s)", head, type->scalar == GK_BOOL ? "false" : "0");
  if (lanes < type->lanes)
    return is_whole ? gk_hint (unit, "%.*s, …)", (int) strlen (source) - 1, source) : gk_hint (unit, "%s(…)", head);
  return lanes > 4 ? NULL : gk_hint (unit, "%s%s", gk_type_value (unit, type->scalar, lanes)->text,
                                     is_whole ? source + strlen (head) : "(…)");
}

static void
check_value_construct (struct gk_sema       *sema,
                       struct gk_node       *node,
                       const struct gk_type *type)
{
  static const char *const swizzles[] = { "", "x", "xy", "xyz" };
  struct gk_unit *unit = sema->unit;
  struct gk_node *first = node->child[1];
  uint32_t lanes = 0;
  uint32_t n = 0;
  bool is_good = true;

  for (struct gk_node *argument = first; argument != NULL; argument = argument->next, n++)
    {
      if (!check_part (sema, argument, type))
        is_good = false;
      else if (lanes <= 4)
        lanes += argument->type->lanes;
    }
  node->type = type;
  if (is_good && (lanes == type->lanes || (n == 1 && lanes == 1)))
    return;
  gk_poison (sema, node);
  if (!is_good)
    return;
  if (n == 1 && lanes > type->lanes)
    gk_report_node (unit, GK_D_LANES, node, gk_hint (unit, "%s(%s.%s)", type->text, gk_node_source (unit, first),
                    swizzles[type->lanes]), type->text, type->lanes, lanes);
  else
    gk_report_node (unit, GK_D_LANES, node, construct_hint (unit, node, type, lanes), type->text, type->lanes, lanes);
}

/* Of its columns, of all its numbers column by column, or of one number, which is then the diagonal. */
static void
check_matrix_construct (struct gk_sema       *sema,
                        struct gk_node       *node,
                        const struct gk_type *type)
{
  uint32_t n = gk_node_list_length (node->child[1]), columns = type->lanes;
  bool by_columns = n == columns && n > 1;

  node->type = type;
  if (n != 1 && n != columns && n != columns * columns)
    {
      gk_report_node (sema->unit, GK_D_MATRIX_PARTS, node, NULL, type->text, columns, columns * columns, n);
      check_arguments_alone (sema, node);
      return;
    }
  for (struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    {
      gk_check_expression (sema, argument);
      gk_convert (sema, argument, by_columns ? type->element : gk_type_value (sema->unit, GK_FLOAT, 1));
      if (gk_is_poison (argument->type))
        gk_poison (sema, node);
    }
}

static void
check_structure_construct (struct gk_sema       *sema,
                           struct gk_node       *node,
                           const struct gk_type *type)
{
  uint32_t n = gk_node_list_length (node->child[1]);
  struct gk_node *argument = node->child[1];

  if (gk_is_poison (type) || n != type->structure->n_members)
    {
      if (!gk_is_poison (type))
        gk_report_node (sema->unit, GK_D_ARGUMENTS, node, NULL, type->text, type->structure->n_members, n);
      check_arguments_alone (sema, node);
      return;
    }
  for (uint32_t i = 0; i < n; i++, argument = argument->next)
    gk_check_initializer (sema, argument, type->structure->members[i].type);
  node->type = type;
}

static void
check_construct (struct gk_sema       *sema,
                 struct gk_node       *node,
                 const struct gk_type *type)
{
  node->kind = GK_NODE_CONSTRUCT;
  node->child[0]->type = type;
  if (type->kind == GK_TYPE_VALUE)
    check_value_construct (sema, node, type);
  else if (type->kind == GK_TYPE_MATRIX)
    check_matrix_construct (sema, node, type);
  else if (type->kind == GK_TYPE_STRUCTURE)
    check_structure_construct (sema, node, type);
  else
    check_arguments_alone (sema, node);
}

static void
check_named_call (struct gk_sema *sema,
                  struct gk_node *node)
{
  struct gk_node *callee = node->child[0];
  const struct gk_builtin *builtin = callee->u.name->builtin;
  struct gk_symbol *symbol = callee->u.name->symbol;

  if (symbol == NULL && builtin != NULL && builtin->rule != GK_RULE_UNSUPPORTED && builtin->rule != GK_RULE_VALUE)
    {
      callee->type = &sema->unit->void_type;
      gk_check_builtin (sema, node, builtin);
      return;
    }
  if (symbol == NULL && builtin != NULL && builtin->rule == GK_RULE_VALUE)
    {
      gk_report_node (sema->unit, GK_D_NOT_A_FUNCTION, callee, callee->u.name->text, callee->u.name->text);
      check_arguments_alone (sema, node);
      return;
    }
  symbol = gk_symbol_find (sema, callee);
  callee->meaning.symbol = symbol;
  gk_poison (sema, callee);
  if (symbol != NULL && symbol->kind == GK_SYMBOL_FUNCTION)
    {
      check_user_call (sema, node, symbol);
      return;
    }
  if (symbol != NULL && symbol->kind == GK_SYMBOL_STRUCTURE)
    {
      gk_resolve_structure (sema, symbol->u.structure);
      check_construct (sema, node, symbol->u.structure->type);
      return;
    }
  if (symbol != NULL)
    gk_report_node (sema->unit, GK_D_NOT_A_FUNCTION, callee, NULL, callee->u.name->text);
  check_arguments_alone (sema, node);
}

void
gk_check_call (struct gk_sema *sema,
               struct gk_node *node)
{
  struct gk_node *callee = node->child[0];

  if (callee->kind == GK_NODE_NAME)
    check_named_call (sema, node);
  else if (callee->kind == GK_NODE_TYPE)
    check_construct (sema, node, gk_resolve_type (sema, callee));
  else if (callee->kind == GK_NODE_MEMBER)
    check_method (sema, node);
  else
    {
      gk_check_any (sema, callee);
      if (!gk_is_poison (callee->type))
        gk_report_node (sema->unit, GK_D_NOT_A_FUNCTION, callee, NULL, gk_node_source (sema->unit, callee));
      check_arguments_alone (sema, node);
    }
}

void
gk_check_bitcast (struct gk_sema *sema,
                  struct gk_node *node)
{
  const struct gk_type *to = gk_resolve_type (sema, node->child[0]);
  struct gk_node *value = node->child[1];
  const struct gk_type *from;

  gk_check_any (sema, value);
  from = value->type;
  node->type = to;
  if (gk_is_poison (to) || gk_is_poison (from))
    gk_poison (sema, node);
  else if (to->kind != GK_TYPE_VALUE || from->kind != GK_TYPE_VALUE || to->scalar == GK_BOOL
           || from->scalar == GK_BOOL
           || to->lanes * gk_type_value (sema->unit, to->scalar, 1)->xir->size
              != from->lanes * gk_type_value (sema->unit, from->scalar, 1)->xir->size)
    {
      gk_report_node (sema->unit, GK_D_BITCAST, node, NULL, from->text, to->text);
      gk_poison (sema, node);
    }
}
