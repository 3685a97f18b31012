/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <glib/gi18n-lib.h>

#include "lib/checked.h"

/* Which limit of a type was passed: that of its size, of its description, or else that of its depth, which is one more
 * than that of its parts, and those have kept it. */
static const char *
explain_limit (struct gk_unit *unit,
               uint64_t        size,
               gsize           description)
{
  if (size > XIR_TYPE_MAX_SIZE)
    return gk_hint (unit, _("%llu bytes, the limit is %llu"), (unsigned long long) size, (unsigned long long) XIR_TYPE_MAX_SIZE);
  if (description > XIR_TYPE_MAX_TEXT)
    return gk_hint (unit, _("its members take %llu bytes to describe, the limit is %d"), (unsigned long long) description,
                    XIR_TYPE_MAX_TEXT);
  return gk_hint (unit, _("%d levels of types in each other, the limit is %d"), XIR_TYPE_MAX_DEPTH + 1, XIR_TYPE_MAX_DEPTH);
}

static const char *
explain_array (struct gk_unit       *unit,
               const struct gk_type *element,
               uint64_t              length)
{
  uint64_t size;

  if (!gb_checked_mul (element->xir->size, length, &size))
    size = UINT64_MAX;
  return explain_limit (unit, size, strlen (element->xir->text) + strlen ("array<,18446744073709551615>"));
}

static const char *
explain_structure (struct gk_unit            *unit,
                   const struct gk_structure *structure)
{
  uint64_t size = 0;
  gsize description = strlen ("struct<16>");

  for (uint32_t i = 0; i < structure->n_members; i++)
    {
      const struct xir_type *member = structure->members[i].type->xir;

      if (!gb_checked_align (size, member->alignment, &size) || !gb_checked_add (size, member->size, &size))
        size = UINT64_MAX;
      description += 1 + strlen (member->text);
    }
  return explain_limit (unit, size, description);
}

static const struct gk_type *
named_type (struct gk_sema *sema,
            struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_symbol *symbol = node->u.name->symbol;

  if (symbol == NULL && node->u.name->builtin != NULL && node->u.name->builtin->rule == GK_RULE_UNSUPPORTED)
    gk_report_node (unit, GK_D_UNSUPPORTED, node, NULL, node->u.name->text);
  else if (symbol == NULL)
    gk_report_node (unit, GK_D_UNKNOWN_TYPE, node, gk_name_hint (unit, node->u.name), node->u.name->text);
  else if (symbol->kind == GK_SYMBOL_STRUCTURE)
    {
      symbol->is_used = true;
      gk_resolve_structure (sema, symbol->u.structure);
      return symbol->u.structure->type;
    }
  else if (symbol->kind != GK_SYMBOL_POISON)
    gk_report_node (unit, GK_D_NOT_A_TYPE, node, NULL, node->u.name->text);
  if (symbol == NULL)
    {
      /* Said once: its next use finds a poisoned name. */
      node->u.name->symbol = gk_symbol_new (sema, GK_SYMBOL_POISON, node);
      node->u.name->symbol->is_global = true;
    }
  return &unit->poison;
}

static const struct gk_type *
resource_type (struct gk_sema *sema,
               struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  const struct gk_type *element = gk_resolve_type (sema, node->child[0]);

  if (gk_is_poison (element))
    return element;
  if (node->op == GK_TOKEN_IMAGE2D || node->op == GK_TOKEN_IMAGE3D)
    {
      uint32_t dimensions = node->op == GK_TOKEN_IMAGE3D ? 3 : 2;

      if (gk_type_is_scalar (element) && unit->images[dimensions - 2][element->scalar].xir != NULL)
        return &unit->images[dimensions - 2][element->scalar];
      gk_report_node (unit, GK_D_IMAGE_ELEMENT, node->child[0], gk_hint (unit, "image%ud<float>", dimensions), element->text);
    }
  else if (gk_type_is_resource (element) || element->kind == GK_TYPE_VOID)
    gk_report_node (unit, GK_D_BUFFER_ELEMENT, node->child[0], NULL, element->text);
  else
    return gk_type_buffer (unit, element);
  return &unit->poison;
}

const struct gk_type *
gk_resolve_type (struct gk_sema *sema,
                 struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  enum gk_token_kind kind = node->op;

  if (node->type != NULL)
    return node->type;
  if (node->flags & GK_FLAG_BROKEN)
    node->type = &unit->poison;
  else if (kind >= GK_TOKEN_FLOAT2X2 && kind <= GK_TOKEN_FLOAT4X4)
    node->type = gk_type_matrix (unit, kind - GK_TOKEN_FLOAT2X2 + 2);
  else if (gk_token_is_value_type (kind))
    node->type = gk_type_value (unit, (kind - GK_TOKEN_BOOL) / 4, (kind - GK_TOKEN_BOOL) % 4 + 1);
  else if (kind == GK_TOKEN_VOID)
    node->type = &unit->void_type;
  else if (kind == GK_TOKEN_BUFFER || kind == GK_TOKEN_IMAGE2D || kind == GK_TOKEN_IMAGE3D)
    node->type = resource_type (sema, node);
  else if (kind == GK_TOKEN_BYTE_BUFFER)
    node->type = &unit->byte_buffer;
  else
    node->type = named_type (sema, node);
  return node->type;
}

/* A part that has been complained about is not complained about again. */
void
gk_report_not_constant (struct gk_sema       *sema,
                        const struct gk_node *node,
                        const struct gk_node *culprit)
{
  if (culprit == NULL)
    culprit = node;
  if (culprit->type != NULL && !gk_is_poison (culprit->type))
    gk_report_node (sema->unit, GK_D_NOT_CONSTANT, culprit, NULL);
}

bool
gk_constant_integer (struct gk_sema *sema,
                     struct gk_node *node,
                     int64_t        *out)
{
  const struct gk_node *culprit = NULL;
  struct xir_value *value;

  if (gk_is_poison (node->type))
    return false;
  if (!gk_type_is_scalar (node->type) || !gk_scalar_is_integer (node->type->scalar))
    {
      gk_report_node (sema->unit, GK_D_INTEGER_WANTED, node, NULL, node->type->text);
      return false;
    }
  value = gk_constant_evaluate (sema->unit, node, &culprit);
  if (value == NULL)
    {
      gk_report_not_constant (sema, node, culprit);
      return false;
    }
  return xir_constant_to_int (value, out);
}

/* "T name[a][b]" is an array of a arrays of b. */
const struct gk_type *
gk_resolve_lengths (struct gk_sema       *sema,
                    const struct gk_type *element,
                    struct gk_node       *lengths)
{
  struct gk_unit *unit = sema->unit;
  const struct gk_type *type;
  int64_t length;
  bool known;

  if (lengths == NULL)
    return element;
  /* The parser bounds brackets only by the text: a type's depth is bounded here. */
  type = element;
  {
    GPtrArray *list = g_ptr_array_new ();
    for (struct gk_node *node = lengths; node != NULL; node = node->next)
      g_ptr_array_add (list, node);
    for (guint i = list->len; i > 0; i--)
      {
        struct gk_node *node = g_ptr_array_index (list, i - 1);
        gk_check_any (sema, node);
        known = gk_constant_integer (sema, node, &length);
        if (!known || gk_is_poison (type))
          type = &unit->poison;
        else if (gk_type_is_resource (type) || type->kind == GK_TYPE_VOID)
          {
            gk_report_node (unit, GK_D_ARRAY_ELEMENT, node, NULL, type->text);
            type = &unit->poison;
          }
        else if (length < 1)
          {
            gk_report_node (unit, GK_D_ARRAY_LENGTH, node, NULL, (long long) length);
            type = &unit->poison;
          }
        else
          {
            const struct gk_type *array = gk_type_array (unit, type, length);
            if (array == NULL)
              gk_report_node (unit, GK_D_TYPE_TOO_LARGE, node, NULL, type->text, (long long) length,
                              explain_array (unit, type, (uint64_t) length));
            type = array != NULL ? array : &unit->poison;
          }
      }
    g_ptr_array_unref (list);
  }
  return type;
}

const struct gk_type *
gk_check_size (struct gk_sema       *sema,
               const struct gk_type *type,
               const struct gk_node *node)
{
  if (type->xir == NULL || gk_type_is_resource (type) || type->xir->size <= GK_MAX_VARIABLE_SIZE)
    return type;
  gk_report_node (sema->unit, GK_D_VARIABLE_TOO_LARGE, node, NULL, type->text, (unsigned long long) type->xir->size,
                  GK_MAX_VARIABLE_SIZE);
  return &sema->unit->poison;
}

static uint32_t
count_members (const struct gk_node *node)
{
  uint32_t n = 0;
  for (const struct gk_node *line = node->child[0]; line != NULL; line = line->next)
    for (const struct gk_node *member = line->child[0]; member != NULL; member = member->next)
      n++;
  return n;
}

static void
check_member (struct gk_sema      *sema,
              struct gk_structure *structure,
              struct gk_node      *node,
              GHashTable          *seen)
{
  struct gk_unit *unit = sema->unit;
  struct gk_member *member = &structure->members[structure->n_members];

  member->name = node->u.name;
  member->type = gk_resolve_lengths (sema, gk_resolve_type (sema, node->child[0]), node->child[1]);
  if (gk_type_is_resource (member->type) || member->type->kind == GK_TYPE_VOID)
    {
      gk_report_mark (unit, GK_D_MEMBER_TYPE, node, NULL, member->type->text);
      member->type = &unit->poison;
    }
  if (node->flags & (GK_FLAG_BROKEN | GK_FLAG_NO_LENGTH))
    {
      if (!(node->flags & GK_FLAG_BROKEN))
        gk_report_mark (unit, GK_D_MEMBER_LENGTH, node, NULL, node->u.name->text);
      member->type = &unit->poison;
    }
  if (node->child[2] != NULL)
    gk_report_mark (unit, GK_D_MEMBER_INITIALIZER, node, NULL, node->u.name->text);
  if (!g_hash_table_add (seen, member->name))
    gk_report_mark (unit, GK_D_MEMBER_TWICE, node, NULL, node->u.name->text);
  node->type = member->type;
  gk_check_qualifiers (sema, node);
  structure->n_members++;
}

static void
finish_structure (struct gk_sema      *sema,
                  struct gk_structure *structure)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *node = structure->symbol->node;
  const struct xir_type **members = g_new (const struct xir_type *, structure->n_members + 1);
  bool is_poison = structure->n_members == 0;

  for (uint32_t i = 0; i < structure->n_members; i++)
    {
      const struct gk_type *type = structure->members[i].type;
      members[i] = type->xir;
      is_poison = is_poison || gk_is_poison (type);
      structure->type->has_array = structure->type->has_array || type->has_array;
    }
  if (!is_poison)
    {
      structure->type->xir = xir_type_structure (unit->context, 0, members, structure->n_members);
      if (structure->type->xir != NULL)
        structure->type->kind = GK_TYPE_STRUCTURE;
      else
        gk_report_mark (unit, GK_D_STRUCT_TOO_LARGE, node, NULL, node->u.name->text, explain_structure (unit, structure));
    }
  g_free (members);
}

void
gk_resolve_structure (struct gk_sema      *sema,
                      struct gk_structure *structure)
{
  struct gk_node *node = structure->symbol->node;
  GHashTable *seen;
  uint32_t n;

  if (structure->state == GK_STATE_DONE)
    return;
  if (structure->state == GK_STATE_BUSY)
    {
      gk_report_mark (sema->unit, GK_D_STRUCT_CYCLE, node, NULL, node->u.name->text);
      structure->state = GK_STATE_DONE;
      return;
    }
  structure->state = GK_STATE_BUSY;
  sema->depth++;
  n = count_members (node);
  if (sema->depth > XIR_TYPE_MAX_DEPTH)
    gk_report_mark (sema->unit, GK_D_STRUCT_TOO_LARGE, node, NULL, node->u.name->text, explain_limit (sema->unit, 0, 0));
  else if (n == 0)
    gk_report_mark (sema->unit, GK_D_STRUCT_EMPTY, node, NULL, node->u.name->text);
  else if (n > XIR_TYPE_MAX_MEMBERS)
    gk_report_mark (sema->unit, GK_D_STRUCT_MEMBERS, node, NULL, node->u.name->text, n, XIR_TYPE_MAX_MEMBERS);
  else
    {
      structure->members = gb_arena_array (&sema->unit->arena, struct gk_member, n);
      seen = g_hash_table_new (NULL, NULL);
      for (struct gk_node *line = node->child[0]; line != NULL; line = line->next)
        for (struct gk_node *member = line->child[0]; member != NULL; member = member->next)
          check_member (sema, structure, member, seen);
      g_hash_table_unref (seen);
      if (structure->state == GK_STATE_BUSY)
        finish_structure (sema, structure);
    }
  sema->depth--;
  structure->state = GK_STATE_DONE;
}
