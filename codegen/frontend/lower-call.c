/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/lower.h"

#include <string.h>

/* A reference argument that is copied in and out. */
struct copy
{
  struct gk_place place;
  struct xir_value *memory;
};

static struct gk_symbol *
root_of (const struct gk_node *node)
{
  while (node->kind == GK_NODE_MEMBER || node->kind == GK_NODE_SWIZZLE || node->kind == GK_NODE_INDEX)
    node = node->child[0];
  return node->kind == GK_NODE_NAME ? node->meaning.symbol : NULL;
}

/* A whole variable goes as it is, if it is not shared and no other reference of the call can reach it. */
static bool
goes_directly (const struct gk_node     *call,
               const struct gk_node     *argument,
               const struct gk_function *callee)
{
  const struct gk_node *other = call->child[1];

  if (argument->kind != GK_NODE_NAME || argument->meaning.symbol->is_shared)
    return false;
  for (uint32_t i = 0; i < callee->n_parameters; i++, other = other->next)
    if (other != argument && callee->parameters[i]->is_reference && root_of (other) == argument->meaning.symbol)
      return false;
  return true;
}

struct xir_value *
gk_lower_call (struct gk_lower      *lower,
               const struct gk_node *node)
{
  const struct gk_function *callee;
  const struct gk_node *argument = node->child[1];
  struct xir_value *values[GK_MAX_PARAMETERS];
  struct copy *copies = NULL;
  uint32_t n_copies = 0;
  struct xir_value *result;

  if (lower->constant)
    return gk_lower_fail (lower, node);
  callee = node->meaning.symbol->u.function;
  for (uint32_t i = 0; i < callee->n_parameters; i++, argument = argument->next)
    {
      const struct gk_symbol *parameter = callee->parameters[i];
      if (gk_type_is_resource (parameter->type))
        values[i] = lower->locals[argument->meaning.symbol->index];
      else if (!parameter->is_reference)
        values[i] = gk_lower_value (lower, argument);
      else if (goes_directly (node, argument, callee))
        values[i] = lower->locals[argument->meaning.symbol->index];
      else
        {
          struct copy *copy;
          if (copies == NULL)
            copies = g_new (struct copy, callee->n_parameters);
          copy = &copies[n_copies++];
          gk_lower_place (lower, argument, &copy->place);
          gk_lower_at (lower, argument->mark);
          copy->memory = xir_build_alloca (&lower->builder, XIR_STORAGE_LOCAL, parameter->type->xir, NULL);
          if (!(parameter->node->flags & GK_FLAG_OUT))
            xir_build_store (&lower->builder, copy->memory, gk_place_read (lower, &copy->place));
          values[i] = copy->memory;
        }
    }
  gk_lower_at (lower, node->mark);
  result = xir_build_call (&lower->builder, lower->functions[callee->index], values, callee->n_parameters);
  for (uint32_t i = 0; i < n_copies; i++)
    gk_place_write (lower, &copies[i].place, xir_build_load (&lower->builder, copies[i].memory));
  g_free (copies);
  return result;
}

static struct xir_value *
special (struct gk_lower  *lower,
         enum xir_special  id)
{
  return xir_special_get (lower->module, id);
}

static struct xir_value *
lane (struct gk_lower  *lower,
      struct xir_value *vector,
      uint32_t          index)
{
  struct xir_value *at = xir_constant_uint (lower->module, index);
  return xir_build_extract (&lower->builder, vector, &at, 1);
}

/* (z * height + y) * width + x of the dispatch. */
static struct xir_value *
lower_global_index (struct gk_lower *lower)
{
  struct xir_value *id = special (lower, XIR_SPECIAL_GLOBAL_ID);
  struct xir_value *size = special (lower, XIR_SPECIAL_DISPATCH_SIZE);
  struct xir_value *row = gk_lower_binary (lower, GK_TOKEN_STAR, lane (lower, id, 2), lane (lower, size, 1));
  row = gk_lower_binary (lower, GK_TOKEN_PLUS, row, lane (lower, id, 1));
  row = gk_lower_binary (lower, GK_TOKEN_STAR, row, lane (lower, size, 0));
  return gk_lower_binary (lower, GK_TOKEN_PLUS, row, lane (lower, id, 0));
}

struct xir_value *
gk_lower_special (struct gk_lower      *lower,
                  const struct gk_node *node)
{
  if (lower->constant)
    return gk_lower_fail (lower, node);
  gk_lower_at (lower, node->mark);
  switch ((enum gk_builtin_value) node->meaning.builtin->op)
    {
    case GK_VALUE_GLOBAL_ID:
      return special (lower, XIR_SPECIAL_GLOBAL_ID);
    case GK_VALUE_LOCAL_ID:
      return special (lower, XIR_SPECIAL_LOCAL_ID);
    case GK_VALUE_GROUP_ID:
      return special (lower, XIR_SPECIAL_GROUP_ID);
    case GK_VALUE_DISPATCH_SIZE:
      return special (lower, XIR_SPECIAL_DISPATCH_SIZE);
    case GK_VALUE_GROUP_SIZE:
      return special (lower, XIR_SPECIAL_GROUP_SIZE);
    case GK_VALUE_NUM_GROUPS:
      return special (lower, XIR_SPECIAL_NUM_GROUPS);
    case GK_VALUE_GLOBAL_INDEX:
      return lower_global_index (lower);
    case GK_VALUE_SUBGROUP_LANE:
      return special (lower, XIR_SPECIAL_SUBGROUP_LANE);
    case GK_VALUE_SUBGROUP_SIZE:
      return special (lower, XIR_SPECIAL_SUBGROUP_SIZE);
    default:
      return special (lower, XIR_SPECIAL_KERNEL_ID);
    }
}

/* clz and the like are of unsigned numbers: the bits of a signed one go in and come out. */
static struct xir_value *
lower_bits (struct gk_lower      *lower,
            const struct gk_node *node,
            struct xir_value     *value)
{
  enum gk_scalar scalar = node->type->scalar;
  bool is_signed = gk_scalar_is_signed (scalar);
  const struct xir_type *type = gk_lower_type (lower, is_signed ? scalar + 1 : scalar, node->type->lanes);
  struct xir_value *result;

  if (is_signed)
    value = gk_emit (lower, XIR_OP_BITCAST, type, &value, 1);
  result = gk_emit (lower, node->meaning.builtin->op, type, &value, 1);
  return is_signed ? gk_emit (lower, XIR_OP_BITCAST, node->type->xir, &result, 1) : result;
}

static struct xir_value *
lower_atomic (struct gk_lower      *lower,
              const struct gk_node *node)
{
  const struct gk_node *argument = node->child[1];
  struct xir_value *values[2] = { NULL, NULL };
  struct gk_place place;
  uint32_t n = 0;

  gk_lower_place (lower, argument, &place);
  while ((argument = argument->next) != NULL)
    values[n++] = gk_lower_value (lower, argument);
  gk_lower_at (lower, node->mark);
  if (place.kind == GK_PLACE_MEMORY)
    {
      if (place.n > 0)
        place.base = xir_build_gep (&lower->builder, place.base, place.indices, place.n);
      place.n = 0;
    }
  return xir_build_atomic (&lower->builder, node->meaning.builtin->op, place.base, n == 2 ? values[0] : NULL, values[n - 1],
                           place.indices, place.n);
}

/* What has to be true, on one line and not too long of one. */
static char *
condition_text (const struct gk_lower *lower, const struct gk_node *node)
{
  const gsize most = 200;
  const char *text = lower->unit->text + node->offset, *end;
  gsize length = node->end - node->offset;
  char *result;

  if (length > most)
    {
      g_utf8_validate (text, (gssize) most, &end);
      result = g_strdup_printf ("%.*s…", (int) (end - text), text);
    }
  else
    result = g_strndup (text, length);
  return g_strdelimit (result, "\n\t\r", ' ');
}

static struct xir_value *
lower_print (struct gk_lower *lower, const struct gk_node *node)
{
  const struct gk_node *argument = node->child[1];
  bool is_assert = node->meaning.builtin->op == XIR_OP_ASSERT;
  char *condition = is_assert ? condition_text (lower, argument) : NULL;
  GPtrArray *values = g_ptr_array_new ();
  const char *format = "";

  for (; argument != NULL; argument = argument->next)
    {
      if (argument->kind == GK_NODE_STRING)
        format = argument->u.text;
      else
        g_ptr_array_add (values, gk_lower_value (lower, argument));
    }
  gk_lower_at (lower, node->mark);
  xir_build_print (&lower->builder, node->meaning.builtin->op, format, condition, (struct xir_value *const *) values->pdata, values->len);
  g_ptr_array_unref (values);
  g_free (condition);
  return NULL;
}

/* What only threads can do. */
static struct xir_value *
lower_together (struct gk_lower      *lower,
                const struct gk_node *node)
{
  const struct gk_builtin *builtin = node->meaning.builtin;
  struct xir_value *values[2];
  uint32_t n = 0;

  if (builtin->rule == GK_RULE_ATOMIC)
    return lower_atomic (lower, node);
  if (builtin->rule == GK_RULE_PRINT)
    return lower_print (lower, node);
  for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    values[n++] = gk_lower_value (lower, argument);
  gk_lower_at (lower, node->mark);
  if (builtin->rule == GK_RULE_IN_DISPATCH)
    return special (lower, XIR_SPECIAL_IN_DISPATCH);
  if (builtin->rule == GK_RULE_SUBGROUP_READ && xir_type_is_signed (values[1]->type))
    values[1] = xir_build_bitcast (&lower->builder, gk_lower_type (lower, GK_UINT, 1), values[1]);
  return xir_build_op (&lower->builder, builtin->op, node->type->xir, values, n);
}

struct xir_value *
gk_lower_builtin (struct gk_lower      *lower,
                  const struct gk_node *node)
{
  const struct gk_builtin *builtin = node->meaning.builtin;
  struct xir_value *values[3];
  enum xir_op op = builtin->op;
  uint32_t lanes = 1;
  uint32_t n = 0;

  if (builtin->rule >= GK_RULE_IN_DISPATCH)
    return lower->constant ? gk_lower_fail (lower, node) : lower_together (lower, node);
  for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    {
      values[n++] = gk_lower_value (lower, argument);
      lanes = MAX (lanes, argument->type->lanes);
    }
  gk_lower_at (lower, node->mark);
  switch (builtin->rule)
    {
    case GK_RULE_MATRIX:
      return gk_emit (lower, op, node->type->xir, values, n);
    case GK_RULE_BITS:
      return lower_bits (lower, node, values[0]);
    case GK_RULE_SELECT:
      /* One condition for all lanes stays one. */
      values[0] = gk_lower_spread (lower, values[0], lanes);
      values[1] = gk_lower_spread (lower, values[1], lanes);
      return gk_emit (lower, op, values[0]->type, values, n);
    case GK_RULE_POW:
      if (xir_type_is_integer (values[1]->type))
        op = XIR_OP_POW_INT;
      break;
    case GK_RULE_ATAN:
      if (n == 2)
        op = XIR_OP_ATAN2;
      break;
    case GK_RULE_BOOL:
      /* Of a scalar, all and any are the scalar. */
      if (lanes == 1)
        return values[0];
      break;
    default:
      break;
    }
  for (uint32_t i = 0; i < n; i++)
    values[i] = gk_lower_spread (lower, values[i], lanes);
  return gk_emit (lower, op, node->type->xir, values, n);
}

/* load and store of a byte buffer. */
struct xir_value *
gk_lower_bytes (struct gk_lower      *lower,
                const struct gk_node *node)
{
  struct xir_value *buffer = lower->locals[node->child[0]->child[0]->meaning.symbol->index], *value;
  struct xir_value *offset = gk_lower_value (lower, node->child[1]);
  bool is_volatile = node->child[0]->child[0]->meaning.symbol->is_volatile;

  if (node->meaning.value == 0)
    {
      gk_lower_at (lower, node->mark);
      lower->builder.is_volatile = is_volatile;
      return xir_build_byte_buffer_read (&lower->builder, node->type->xir, buffer, offset);
    }
  value = gk_lower_value (lower, node->child[1]->next);
  gk_lower_at (lower, node->mark);
  lower->builder.is_volatile = is_volatile;
  xir_build_byte_buffer_write (&lower->builder, buffer, value, offset);
  return NULL;
}

struct xir_value *
gk_lower_method (struct gk_lower      *lower,
                 const struct gk_node *node)
{
  struct xir_value *image, *at, *texel;

  if (lower->constant)
    return gk_lower_fail (lower, node);
  if (node->child[0]->child[0]->type->kind == GK_TYPE_BYTE_BUFFER)
    return gk_lower_bytes (lower, node);
  image = lower->locals[node->child[0]->child[0]->meaning.symbol->index];
  at = gk_lower_value (lower, node->child[1]);
  if (node->meaning.value == 0)
    {
      gk_lower_at (lower, node->mark);
      return xir_build_texture_read (&lower->builder, image, at);
    }
  texel = gk_lower_value (lower, node->child[1]->next);
  gk_lower_at (lower, node->mark);
  xir_build_texture_write (&lower->builder, image, at, texel);
  return NULL;
}

static struct xir_value *
convert (struct gk_lower  *lower,
         struct xir_value *value,
         enum gk_scalar    scalar)
{
  const struct xir_type *type = gk_lower_type (lower, scalar, xir_type_lanes (value->type));
  return value->type == type ? value : gk_emit (lower, XIR_OP_CAST, type, &value, 1);
}

static struct xir_value *
lower_structure_construct (struct gk_lower      *lower,
                           const struct gk_node *node)
{
  uint32_t count = node->type->structure->n_members;
  struct xir_value **parts = g_new (struct xir_value *, count);
  struct xir_value *value;
  uint32_t n = 0;

  for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    parts[n++] = gk_lower_value (lower, argument);
  gk_lower_at (lower, node->mark);
  value = gk_emit (lower, XIR_OP_AGGREGATE, node->type->xir, parts, n);
  g_free (parts);
  return value;
}

static struct xir_value *
lower_matrix_construct (struct gk_lower      *lower,
                        const struct gk_node *node)
{
  const struct xir_type *type = node->type->xir;
  uint32_t columns = node->type->lanes, n = 0;
  struct xir_value *parts[16], *lanes[4], *made[4];

  for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    parts[n++] = gk_lower_value (lower, argument);
  gk_lower_at (lower, node->mark);
  if (n == columns)
    return gk_emit (lower, XIR_OP_AGGREGATE, type, parts, n);
  for (uint32_t i = 0; i < columns; i++)
    {
      for (uint32_t k = 0; k < columns; k++)
        lanes[k] = n > 1 ? parts[i * columns + k] : i == k ? parts[0] : xir_constant_float (lower->module, 0);
      made[i] = gk_emit (lower, XIR_OP_AGGREGATE, type->element, lanes, columns);
    }
  return gk_emit (lower, XIR_OP_AGGREGATE, type, made, columns);
}

struct xir_value *
gk_lower_construct (struct gk_lower      *lower,
                    const struct gk_node *node)
{
  struct xir_value *parts[4];
  uint32_t n = 0;

  if (node->type->kind == GK_TYPE_MATRIX)
    return lower_matrix_construct (lower, node);

  if (node->type->kind == GK_TYPE_STRUCTURE)
    return lower_structure_construct (lower, node);
  for (const struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    {
      struct xir_value *value = gk_lower_value (lower, argument);
      uint32_t lanes = xir_type_lanes (value->type);
      gk_lower_at (lower, node->mark);
      value = convert (lower, value, node->type->scalar);
      if (lanes == node->type->lanes)
        return value;
      if (lanes == 1)
        parts[n++] = value;
      for (uint32_t i = 0; lanes > 1 && i < lanes; i++)
        {
          struct xir_value *operands[2] = { value, xir_constant_uint (lower->module, i) };
          parts[n++] = gk_emit (lower, XIR_OP_EXTRACT, xir_type_scalar_of (value->type), operands, 2);
        }
    }
  if (n == 1)
    return gk_lower_spread (lower, parts[0], node->type->lanes);
  return gk_emit (lower, XIR_OP_AGGREGATE, node->type->xir, parts, n);
}
