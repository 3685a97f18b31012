/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Places: whatever is named, indexed or swizzled. Only the part that is meant is
 * read or written, so that neighbours in one buffer element are never touched. */

#include "config.h"

#include "codegen/frontend/lower.h"

#include <string.h>

static void
set_value (struct gk_place  *place,
           struct xir_value *value)
{
  place->kind = GK_PLACE_VALUE;
  place->is_volatile = false;
  place->base = value;
  place->n = 0;
  place->n_lanes = 0;
}

static void
push_index (struct gk_lower  *lower,
            struct gk_place  *place,
            struct xir_value *index)
{
  /* Types are at most XIR_TYPE_MAX_DEPTH deep, so this does not happen. */
  g_return_if_fail (place->n < GK_MAX_INDICES);
  place->indices[place->n++] = index;
}

static void
lower_name (struct gk_lower      *lower,
            const struct gk_node *node,
            struct gk_place      *place)
{
  const struct gk_symbol *symbol = node->meaning.symbol;

  if (lower->constant && (symbol == NULL || symbol->constant == NULL))
    set_value (place, gk_lower_fail (lower, node));
  else if (symbol->constant != NULL)
    set_value (place, gk_lower_constant (lower, symbol));
  else
    {
      struct xir_value *value = lower->locals[symbol->index];
      set_value (place, value);
      if (value->is_lvalue)
        place->kind = GK_PLACE_MEMORY;
    }
}

static void
lower_index (struct gk_lower      *lower,
             const struct gk_node *node,
             struct gk_place      *place)
{
  const struct gk_node *base = node->child[0];
  struct xir_value *index;

  if (base->type->kind == GK_TYPE_BUFFER)
    {
      if (lower->constant)
        {
          set_value (place, gk_lower_fail (lower, node));
          return;
        }
      set_value (place, lower->locals[base->meaning.symbol->index]);
      place->kind = GK_PLACE_BUFFER;
      place->is_volatile = base->meaning.symbol->is_volatile;
    }
  else
    gk_lower_place (lower, base, place);
  if (place->n_lanes > 0)
    set_value (place, gk_place_read (lower, place));
  index = gk_lower_value (lower, node->child[1]);
  push_index (lower, place, index);
}

static void
lower_swizzle (struct gk_lower      *lower,
               const struct gk_node *node,
               struct gk_place      *place)
{
  uint8_t lanes[4];
  uint32_t n = node->type->lanes;

  gk_lower_place (lower, node->child[0], place);
  for (uint32_t i = 0; i < n; i++)
    lanes[i] = place->n_lanes > 0 ? place->lanes[node->meaning.lanes[i]] : node->meaning.lanes[i];
  if (n == 1)
    {
      place->n_lanes = 0;
      push_index (lower, place, xir_constant_uint (lower->module, lanes[0]));
      return;
    }
  place->n_lanes = n;
  memcpy (place->lanes, lanes, n);
}

void
gk_lower_place (struct gk_lower      *lower,
                const struct gk_node *node,
                struct gk_place      *place)
{
  switch (node->kind)
    {
    case GK_NODE_NAME:
      lower_name (lower, node, place);
      break;
    case GK_NODE_MEMBER:
      gk_lower_place (lower, node->child[0], place);
      push_index (lower, place, xir_constant_uint (lower->module, node->meaning.value));
      break;
    case GK_NODE_INDEX:
      lower_index (lower, node, place);
      break;
    case GK_NODE_SWIZZLE:
      lower_swizzle (lower, node, place);
      break;
    default:
      set_value (place, gk_lower_value (lower, node));
      break;
    }
}

static struct xir_value *
read_part (struct gk_lower       *lower,
           const struct gk_place *place)
{
  struct xir_value *operands[GK_MAX_INDICES + 1];

  lower->builder.is_volatile = place->is_volatile;
  switch (place->kind)
    {
    case GK_PLACE_BUFFER:
      return xir_build_buffer_read (&lower->builder, place->base, place->indices, place->n);
    case GK_PLACE_MEMORY:
      return xir_build_load (&lower->builder, place->n == 0 ? place->base
                             : xir_build_gep (&lower->builder, place->base, place->indices, place->n));
    default:
      if (place->n == 0)
        return place->base;
      operands[0] = place->base;
      memcpy (operands + 1, place->indices, place->n * sizeof *operands);
      return gk_emit (lower, XIR_OP_EXTRACT, xir_walk_type (place->base->type, place->indices, place->n),
                      operands, place->n + 1);
    }
}

struct xir_value *
gk_place_read (struct gk_lower       *lower,
               const struct gk_place *place)
{
  struct xir_value *value = read_part (lower, place);
  const struct xir_type *scalar;

  if (place->n_lanes == 0)
    return value;
  scalar = xir_type_scalar_of (value->type);
  return gk_emit_shuffle (lower, xir_type_vector (lower->unit->context, scalar, place->n_lanes), value, place->lanes);
}

static void
write_part (struct gk_lower       *lower,
            const struct gk_place *place,
            struct xir_value      *value,
            uint32_t               n)
{
  lower->builder.is_volatile = place->is_volatile;
  if (place->kind == GK_PLACE_BUFFER)
    xir_build_buffer_write (&lower->builder, place->base, value, place->indices, n);
  else
    xir_build_store (&lower->builder, n == 0 ? place->base
                     : xir_build_gep (&lower->builder, place->base, place->indices, n), value);
}

void
gk_place_write (struct gk_lower       *lower,
                const struct gk_place *place,
                struct xir_value      *value)
{
  struct gk_place part;

  if (place->n_lanes == 0)
    {
      write_part (lower, place, value, place->n);
      return;
    }
  part = *place;
  g_return_if_fail (part.n < GK_MAX_INDICES);
  for (uint32_t i = 0; i < place->n_lanes; i++)
    {
      struct xir_value *from = xir_constant_uint (lower->module, i);
      part.indices[place->n] = xir_constant_uint (lower->module, place->lanes[i]);
      write_part (lower, &part, xir_build_extract (&lower->builder, value, &from, 1), place->n + 1);
    }
}
