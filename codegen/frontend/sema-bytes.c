/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What byte buffers can: load<T> (offset) and store (offset, value). */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <string.h>

static bool
is_storable (const struct gk_type *type)
{
  return type->kind == GK_TYPE_VALUE || type->kind == GK_TYPE_MATRIX || type->kind == GK_TYPE_ARRAY
         || type->kind == GK_TYPE_STRUCTURE;
}

/* An offset that is known is looked at now. */
static void
check_offset (struct gk_sema       *sema,
              struct gk_node       *offset,
              const struct gk_type *type)
{
  uint32_t alignment = xir_type_byte_alignment (type->xir);
  const struct gk_node *culprit = NULL;
  struct xir_value *value;
  int64_t at;

  if (!gk_check_index_type (sema, offset))
    return;
  value = gk_constant_evaluate (sema->unit, offset, &culprit);
  if (value != NULL && xir_constant_to_int (value, &at) && (at < 0 || at % alignment != 0))
    gk_report_node (sema->unit, GK_D_BYTE_OFFSET, offset, NULL, type->text, alignment, (long long) at);
}

static void
check_load (struct gk_sema *sema,
            struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *callee = node->child[0], *offset = node->child[1];

  gk_check_any (sema, offset);
  gk_poison (sema, node);
  if (callee->child[1] == NULL)
    {
      gk_report_mark (unit, GK_D_BYTE_TYPE, callee, "load<uint>", callee->u.name->text, callee->type->text);
      return;
    }
  node->type = gk_resolve_type (sema, callee->child[1]);
  if (gk_is_poison (node->type))
    return;
  if (is_storable (node->type))
    check_offset (sema, offset, gk_check_size (sema, node->type, node));
  else
    {
      gk_report_node (unit, GK_D_BYTE_VALUE, callee->child[1], NULL, node->type->text);
      gk_poison (sema, node);
    }
}

static void
check_store (struct gk_sema *sema,
             struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *callee = node->child[0], *offset = node->child[1], *value = offset->next;
  struct gk_symbol *buffer = callee->child[0]->meaning.symbol;

  gk_check_any (sema, offset);
  gk_check_any (sema, value);
  node->type = &unit->void_type;
  if (buffer->is_const)
    gk_report_const (sema, node, buffer);
  buffer->is_written = true;
  if (callee->child[1] != NULL && gk_resolve_type (sema, callee->child[1]) != value->type)
    gk_convert (sema, value, gk_resolve_type (sema, callee->child[1]));
  if (gk_is_poison (value->type))
    return;
  if (is_storable (value->type))
    check_offset (sema, offset, value->type);
  else
    gk_report_node (unit, GK_D_BYTE_VALUE, value, NULL, value->type->text);
}

bool
gk_check_bytes (struct gk_sema *sema,
                struct gk_node *node)
{
  struct gk_node *callee = node->child[0];
  bool stores = strcmp (callee->u.name->text, "store") == 0;
  uint32_t n = gk_node_list_length (node->child[1]), wanted = stores ? 2 : 1;

  if (!stores && strcmp (callee->u.name->text, "load") != 0)
    return false;
  callee->type = callee->child[0]->type;
  node->meaning.value = stores;
  if (n == wanted)
    {
      (stores ? check_store : check_load) (sema, node);
      return true;
    }
  gk_report_node (sema->unit, GK_D_ARGUMENTS, node, NULL, callee->u.name->text, wanted, n);
  for (struct gk_node *argument = node->child[1]; argument != NULL; argument = argument->next)
    gk_check_any (sema, argument);
  gk_poison (sema, node);
  return true;
}
