/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names, members, swizzles, elements; and which of them may be written. */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <string.h>

static void
check_builtin_value (struct gk_sema          *sema,
                     struct gk_node          *node,
                     const struct gk_builtin *builtin)
{
  bool scalar = builtin->op == GK_VALUE_GLOBAL_INDEX || builtin->op >= GK_VALUE_KERNEL_ID;
  node->kind = GK_NODE_VALUE;
  node->meaning.builtin = builtin;
  node->type = gk_type_value (sema->unit, GK_UINT, scalar ? 1 : 3);
}

void
gk_check_name (struct gk_sema *sema,
               struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  const struct gk_builtin *builtin = node->u.name->builtin;
  struct gk_symbol *symbol = node->u.name->symbol;

  if (symbol == NULL && builtin != NULL && builtin->rule != GK_RULE_UNSUPPORTED)
    {
      if (builtin->rule == GK_RULE_VALUE && sema->function != NULL)
        check_builtin_value (sema, node, builtin);
      else
        {
          if (builtin->rule == GK_RULE_VALUE)
            gk_report_node (unit, GK_D_NOT_CONSTANT, node, NULL);
          else
            gk_report_node (unit, GK_D_FUNCTION_AS_VALUE, node, gk_hint (unit, "%s(…)", node->u.name->text),
                            node->u.name->text);
          gk_poison (sema, node);
        }
      return;
    }
  symbol = gk_symbol_find (sema, node);
  node->meaning.symbol = symbol;
  gk_poison (sema, node);
  if (symbol == NULL)
    return;
  if (symbol->kind == GK_SYMBOL_FUNCTION)
    gk_report_node (unit, GK_D_FUNCTION_AS_VALUE, node, gk_hint (unit, "%s(…)", node->u.name->text), node->u.name->text);
  else if (symbol->kind == GK_SYMBOL_STRUCTURE)
    gk_report_node (unit, GK_D_TYPE_AS_VALUE, node, NULL, node->u.name->text);
  else
    {
      if (symbol->kind == GK_SYMBOL_VARIABLE && symbol->is_global)
        gk_resolve_global (sema, symbol);
      node->type = symbol->type;
    }
}

/* "xyz" or "rgb", one to four letters of one set. */
static bool
check_swizzle (struct gk_sema *sema,
               struct gk_node *node)
{
  static const char sets[2][5] = { "xyzw", "rgba" };
  const struct gk_type *type = node->child[0]->type;
  const struct gk_name *name = node->u.name;
  const char *set = name->length > 0 && strchr (sets[1], name->text[0]) != NULL ? sets[1] : sets[0];

  if (name->length < 1 || name->length > 4)
    return false;
  for (uint32_t i = 0; i < name->length; i++)
    {
      const char *letter = strchr (set, name->text[i]);
      if (letter == NULL || letter - set >= (int) type->lanes)
        return false;
      node->meaning.lanes[i] = letter - set;
    }
  node->kind = GK_NODE_SWIZZLE;
  node->type = gk_type_value (sema->unit, type->scalar, name->length);
  return true;
}

static const char *
suggest_member (const struct gk_structure *structure,
                const struct gk_name      *name)
{
  const char *best = NULL;
  unsigned best_distance = MAX (1, MIN (name->length / 3, 3));

  for (uint32_t i = 0; i < structure->n_members; i++)
    {
      const struct gk_name *other = structure->members[i].name;
      unsigned distance = gk_edit_distance (name->text, name->length, other->text, other->length, best_distance);
      if (distance <= best_distance && (best == NULL || distance < best_distance))
        {
          best = other->text;
          best_distance = distance;
        }
    }
  return best;
}

static void
check_structure_member (struct gk_sema *sema,
                        struct gk_node *node)
{
  const struct gk_structure *structure = node->child[0]->type->structure;

  for (uint32_t i = 0; i < structure->n_members; i++)
    if (structure->members[i].name == node->u.name)
      {
        node->meaning.value = i;
        node->type = structure->members[i].type;
        return;
      }
  gk_report_mark (sema->unit, GK_D_NO_MEMBER, node, suggest_member (structure, node->u.name),
                  node->child[0]->type->text, node->u.name->text);
  gk_poison (sema, node);
}

static bool
check_property (struct gk_sema *sema,
                struct gk_node *node)
{
  const struct gk_type *type = node->child[0]->type;
  bool is_buffer = type->kind != GK_TYPE_IMAGE;

  if (!gk_type_is_resource (type) || strcmp (node->u.name->text, is_buffer ? "length" : "size") != 0)
    return false;
  node->kind = GK_NODE_PROPERTY;
  node->type = gk_type_value (sema->unit, GK_UINT, is_buffer ? 1 : type->lanes);
  return true;
}

void
gk_check_member (struct gk_sema *sema,
                 struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  const struct gk_type *type;
  const char *hint = NULL;

  gk_check_any (sema, node->child[0]);
  type = node->child[0]->type;
  if (gk_is_poison (type))
    {
      gk_poison (sema, node);
      return;
    }
  if (type->kind == GK_TYPE_STRUCTURE)
    {
      check_structure_member (sema, node);
      return;
    }
  if ((type->kind == GK_TYPE_VALUE && type->lanes > 1 && check_swizzle (sema, node)) || check_property (sema, node))
    return;
  if (type->kind == GK_TYPE_IMAGE && strcmp (node->u.name->text, "read") == 0)
    hint = gk_hint (unit, "read(int%u(…))", type->lanes);
  else if (type->kind == GK_TYPE_IMAGE && strcmp (node->u.name->text, "write") == 0)
    hint = gk_hint (unit, "write(int%u(…), …)", type->lanes);
  else if (type->kind == GK_TYPE_BYTE_BUFFER && strcmp (node->u.name->text, "load") == 0)
    hint = "load<uint>(…)";
  else if (type->kind == GK_TYPE_BYTE_BUFFER && strcmp (node->u.name->text, "store") == 0)
    hint = "store(…, …)";
  else if (type->kind == GK_TYPE_BUFFER || type->kind == GK_TYPE_BYTE_BUFFER)
    hint = "length";
  else if (type->kind == GK_TYPE_IMAGE)
    hint = "size";
  else if (gk_type_is_scalar (type) && type->scalar == GK_FLOAT && node->u.name->length <= 4)
    hint = gk_hint (unit, "float%u(%s)", MAX (node->u.name->length, 2), gk_node_source (unit, node->child[0]));
  gk_report_mark (unit, type->kind == GK_TYPE_VALUE && type->lanes > 1 ? GK_D_SWIZZLE : GK_D_NO_MEMBER, node, hint,
                  type->text, node->u.name->text);
  gk_poison (sema, node);
}

static void
check_index_range (struct gk_sema       *sema,
                   struct gk_node       *node,
                   const struct gk_type *type)
{
  const struct gk_node *index = node->child[1];
  uint64_t length = type->kind == GK_TYPE_ARRAY ? type->length : type->lanes;
  bool negative = index->kind == GK_NODE_UNARY && index->op == GK_TOKEN_MINUS
                  && index->child[0]->kind == GK_NODE_INTEGER && index->child[0]->u.integer != 0;

  if (negative || (index->kind == GK_NODE_INTEGER && index->u.integer >= length
                   && type->kind != GK_TYPE_BUFFER))
    {
      gk_report_node (sema->unit, GK_D_INDEX_RANGE, index, NULL, gk_node_source (sema->unit, index), type->text);
      gk_poison (sema, node);
    }
}

bool
gk_check_index_type (struct gk_sema *sema,
                     struct gk_node *index)
{
  struct gk_unit *unit = sema->unit;

  if (gk_is_poison (index->type))
    return false;
  if (gk_type_is_scalar (index->type) && (index->type->scalar == GK_INT || index->type->scalar == GK_UINT))
    return true;
  gk_report_node (unit, GK_D_INDEX_TYPE, index,
                  gk_type_is_scalar (index->type) ? gk_hint (unit, "int(%s)", gk_node_source (unit, index))
                  : index->type->kind == GK_TYPE_VALUE ? gk_hint (unit, "%s.x", gk_node_source (unit, index)) : NULL,
                  index->type->text);
  return false;
}

void
gk_check_index (struct gk_sema *sema,
                struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *index = node->child[1];
  const struct gk_type *type;

  gk_check_any (sema, node->child[0]);
  gk_check_any (sema, index);
  type = node->child[0]->type;
  gk_poison (sema, node);
  if (gk_is_poison (type))
    return;
  if (type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_BUFFER || type->kind == GK_TYPE_MATRIX)
    node->type = type->element;
  else if (type->kind == GK_TYPE_VALUE && type->lanes > 1)
    node->type = gk_type_value (unit, type->scalar, 1);
  else
    {
      gk_report_mark (unit, GK_D_NOT_INDEXED, node, type->kind == GK_TYPE_IMAGE ? gk_hint (unit, ".read(int%u(…))", type->lanes)
                      : type->kind == GK_TYPE_BYTE_BUFFER ? ".load<uint>(…)" : NULL, type->text);
      return;
    }
  if (gk_check_index_type (sema, index))
    check_index_range (sema, node, type);
}

static bool
has_twins (const struct gk_node *node)
{
  for (uint32_t i = 0; i < node->type->lanes; i++)
    for (uint32_t j = 0; j < i; j++)
      if (node->meaning.lanes[i] == node->meaning.lanes[j])
        return true;
  return false;
}

/* As many lanes, the repeated ones changed to others that the vector has; NULL where it has too few. */
static const char *
lanes_hint (struct gk_unit       *unit,
            const struct gk_node *node)
{
  const char *set = strchr ("rgba", node->u.name->text[0]) != NULL ? "rgba" : "xyzw";
  char text[5] = "";
  unsigned used = 0;

  if (node->type->lanes > node->child[0]->type->lanes)
    return NULL;
  for (uint32_t i = 0; i < node->type->lanes; i++)
    used |= 1u << node->meaning.lanes[i];
  for (uint32_t i = 0, taken = 0; i < node->type->lanes; i++)
    {
      uint32_t lane = node->meaning.lanes[i];

      if (taken & 1u << lane)
        for (lane = 0; used & 1u << lane; lane++)
          ;
      taken |= 1u << lane;
      used |= 1u << lane;
      text[i] = set[lane];
    }
  return gk_hint (unit, "%s", text);
}

void
gk_report_const (struct gk_sema         *sema,
                 const struct gk_node   *node,
                 const struct gk_symbol *resource)
{
  gk_report_node (sema->unit, GK_D_CONST_BUFFER, node, gk_hint (sema->unit, "%s%s%s %s", resource->is_restrict ? "restrict " : "",
                  resource->is_volatile ? "volatile " : "", resource->type->text, resource->name->text), resource->name->text);
}

static bool
check_target_root (struct gk_sema *sema,
                   struct gk_node *node,
                   struct gk_node *whole)
{
  struct gk_unit *unit = sema->unit;
  struct gk_symbol *symbol;

  if (node->kind != GK_NODE_NAME || node->meaning.symbol == NULL)
    {
      if (node->kind == GK_NODE_VALUE || node->kind == GK_NODE_PROPERTY)
        gk_report_node (unit, GK_D_READ_ONLY, whole, NULL, node->u.name->text);
      else
        gk_report_node (unit, GK_D_NOT_A_PLACE, whole, NULL);
      return false;
    }
  symbol = node->meaning.symbol;
  if (symbol->type->kind == GK_TYPE_BUFFER && node != whole)
    {
      if (symbol->is_const)
        gk_report_const (sema, whole, symbol);
      symbol->is_written = true;
      return !symbol->is_const;
    }
  if (gk_type_is_resource (symbol->type))
    {
      gk_report_node (unit, GK_D_RESOURCE_WRITE, whole,
                      symbol->type->kind == GK_TYPE_IMAGE ? gk_hint (unit, "%s.write(…)", symbol->name->text)
                      : symbol->type->kind == GK_TYPE_BYTE_BUFFER ? gk_hint (unit, "%s.store(…)", symbol->name->text)
                      : gk_hint (unit, "%s[i]", symbol->name->text), symbol->name->text);
      return false;
    }
  if (symbol->is_const)
    {
      gk_report_node (unit, GK_D_CONST_WRITE, whole, NULL, symbol->name->text,
                      (unsigned) gk_locate (unit, symbol->node->mark).line);
      return false;
    }
  symbol->is_written = true;
  return true;
}

bool
gk_check_target (struct gk_sema *sema,
                 struct gk_node *node)
{
  struct gk_node *part = node;
  bool indexed = false;

  for (;;)
    {
      if (gk_is_poison (part->type))
        return false;
      if (part->kind == GK_NODE_SWIZZLE && has_twins (part))
        {
          gk_report_mark (sema->unit, GK_D_SWIZZLE_TWICE, part, lanes_hint (sema->unit, part), part->u.name->text);
          return false;
        }
      if (part->kind == GK_NODE_SWIZZLE && part->type->lanes > 1 && indexed)
        {
          gk_report_node (sema->unit, GK_D_NOT_A_PLACE, node, NULL);
          return false;
        }
      indexed = part->kind == GK_NODE_INDEX;
      if (part->kind != GK_NODE_MEMBER && part->kind != GK_NODE_SWIZZLE && part->kind != GK_NODE_INDEX)
        return check_target_root (sema, part, node);
      part = part->child[0];
    }
}

struct gk_symbol *
gk_place_root (const struct gk_node *node)
{
  while (node->kind == GK_NODE_MEMBER || node->kind == GK_NODE_SWIZZLE || node->kind == GK_NODE_INDEX)
    node = node->child[0];
  return node->kind == GK_NODE_NAME ? node->meaning.symbol : NULL;
}
