/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/layout-private.h"

#include "codegen/frontend/unit.h"

/**
 * GabbroLayout:
 *
 * How a type of the kernel language lies in memory that host and device share: sizes,
 * offsets, and the names of members. gabbro_kernel_dup_argument_layout() has those of
 * arguments. A record that never changes and needs no device; may be used from any thread.
 *
 * gabbro_layout_pack() makes bytes of a #GVariant and gabbro_layout_unpack() the reverse, so
 * that nobody counts bytes.
 *
 * Since: 0.1
 */

G_DEFINE_BOXED_TYPE (GabbroLayout, gabbro_layout, gabbro_layout_ref, gabbro_layout_unref)

static const GabbroLayoutKind scalar_kinds[GK_N_SCALARS] = {
  [GK_BOOL] = GABBRO_LAYOUT_BOOL, [GK_CHAR] = GABBRO_LAYOUT_CHAR, [GK_UCHAR] = GABBRO_LAYOUT_UCHAR,
  [GK_SHORT] = GABBRO_LAYOUT_SHORT, [GK_USHORT] = GABBRO_LAYOUT_USHORT, [GK_INT] = GABBRO_LAYOUT_INT,
  [GK_UINT] = GABBRO_LAYOUT_UINT, [GK_LONG] = GABBRO_LAYOUT_LONG, [GK_ULONG] = GABBRO_LAYOUT_ULONG,
  [GK_HALF] = GABBRO_LAYOUT_HALF, [GK_FLOAT] = GABBRO_LAYOUT_FLOAT, [GK_DOUBLE] = GABBRO_LAYOUT_DOUBLE,
  [GK_BFLOAT] = GABBRO_LAYOUT_BFLOAT, [GK_FP8E4M3] = GABBRO_LAYOUT_FP8E4M3, [GK_FP8E5M2] = GABBRO_LAYOUT_FP8E5M2
};

static GabbroLayout *
layout_alloc (GabbroLayoutKind kind, const char *name)
{
  GabbroLayout *self = g_new0 (GabbroLayout, 1);

  g_atomic_ref_count_init (&self->references);
  self->kind = kind;
  self->name = g_strdup (name);
  return self;
}

/* A bool that is an argument of its own is a uint. */
static GabbroLayout *
new_value (const struct gk_type *type, gboolean is_argument)
{
  gboolean is_wide = is_argument && type->scalar == GK_BOOL;
  GabbroLayout *scalar = layout_alloc (scalar_kinds[type->scalar], gk_token_text (GK_TOKEN_BOOL + type->scalar * 4)), *self;

  scalar->size = scalar->alignment = is_wide ? sizeof (guint32) : xir_type_scalar_of (type->xir)->size;
  if (type->lanes == 1)
    return scalar;
  self = layout_alloc (GABBRO_LAYOUT_VECTOR, type->text);
  self->alignment = type->xir->alignment * (is_wide ? sizeof (guint32) : 1);
  self->size = type->xir->size * (is_wide ? sizeof (guint32) : 1);
  self->length = type->lanes;
  self->stride = scalar->size;
  self->element = scalar;
  return self;
}

static GabbroLayout *new_layout (GHashTable *known, const struct gk_type *type);

static GabbroLayout *
new_structure (GHashTable *known, const struct gk_type *type)
{
  const struct gk_structure *structure = type->structure;
  GabbroLayout *self = layout_alloc (GABBRO_LAYOUT_STRUCT, type->text);

  self->size = type->xir->size;
  self->alignment = type->xir->alignment;
  self->n_members = structure->n_members;
  self->members = g_new0 (struct gabbro_layout_member, structure->n_members);
  for (guint i = 0; i < self->n_members; i++)
    self->members[i] = (struct gabbro_layout_member) {
      .name = g_strdup (structure->members[i].name->text),
      .offset = type->xir->offsets[i],
      .layout = new_layout (known, structure->members[i].type)
    };
  return self;
}

/* Structures of structures may name a type any number of times: each is made once. The front
 * end bounds how deep they go. */
static GabbroLayout *
new_layout (GHashTable *known, const struct gk_type *type)
{
  GabbroLayout *self = g_hash_table_lookup (known, type);

  if (self != NULL)
    return gabbro_layout_ref (self);
  if (type->kind == GK_TYPE_VALUE)
    self = new_value (type, FALSE);
  else if (type->kind == GK_TYPE_STRUCTURE)
    self = new_structure (known, type);
  else
    {
      gboolean is_matrix = type->kind == GK_TYPE_MATRIX;

      self = layout_alloc (is_matrix ? GABBRO_LAYOUT_MATRIX : GABBRO_LAYOUT_ARRAY, type->text);
      self->element = new_layout (known, type->element);
      self->length = is_matrix ? type->lanes : type->length;
      self->stride = self->element->size;
      self->size = type->xir->size;
      self->alignment = type->xir->alignment;
    }
  g_hash_table_insert (known, (gpointer) type, self);
  return self;
}

GabbroLayout *
gabbro_layout_new_for_type (const struct gk_type *type)
{
  GHashTable *known;
  GabbroLayout *self;

  if (type != NULL && type->kind == GK_TYPE_VALUE)
    return new_value (type, TRUE);
  if (type != NULL && type->kind == GK_TYPE_BUFFER)
    type = type->element;
  if (type == NULL || (type->kind != GK_TYPE_VALUE && type->kind != GK_TYPE_ARRAY && type->kind != GK_TYPE_STRUCTURE
                       && type->kind != GK_TYPE_MATRIX))
    return NULL;
  known = g_hash_table_new (NULL, NULL);
  self = new_layout (known, type);
  g_hash_table_unref (known);
  return self;
}

/**
 * gabbro_layout_ref:
 * @layout: a layout
 *
 * Takes a reference. Thread-safe; does not block.
 *
 * Returns: (transfer full): @layout
 *
 * Since: 0.1
 */
GabbroLayout *
gabbro_layout_ref (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, NULL);

  g_atomic_ref_count_inc (&layout->references);
  return layout;
}

/**
 * gabbro_layout_unref:
 * @layout: (transfer full): a layout
 *
 * Drops a reference; the last one frees the layout. Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_layout_unref (GabbroLayout *layout)
{
  g_return_if_fail (layout != NULL);

  if (!g_atomic_ref_count_dec (&layout->references))
    return;
  for (guint i = 0; i < layout->n_members; i++)
    {
      g_free (layout->members[i].name);
      gabbro_layout_unref (layout->members[i].layout);
    }
  g_free (layout->members);
  g_clear_pointer (&layout->element, gabbro_layout_unref);
  g_free (layout->name);
  g_free (layout);
}

/**
 * gabbro_layout_get_name:
 * @layout: a layout
 *
 * Gets the name of a type. Thread-safe; does not block.
 *
 * Returns: the type as the kernel language writes it, such as "float3" or the name of a
 *   structure
 *
 * Since: 0.1
 */
const char *
gabbro_layout_get_name (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, NULL);

  return layout->name;
}

/**
 * gabbro_layout_get_kind:
 * @layout: a layout
 *
 * Gets the kind of a type. Thread-safe; does not block.
 *
 * Returns: what kind of type it is
 *
 * Since: 0.1
 */
GabbroLayoutKind
gabbro_layout_get_kind (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, GABBRO_LAYOUT_BOOL);

  return layout->kind;
}

/**
 * gabbro_layout_get_size:
 * @layout: a layout
 *
 * Gets the size of a type. Thread-safe; does not block.
 *
 * Returns: bytes, with those at the end that only fill
 *
 * Since: 0.1
 */
guint64
gabbro_layout_get_size (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->size;
}

/**
 * gabbro_layout_get_alignment:
 * @layout: a layout
 *
 * Gets the alignment of a type. Thread-safe; does not block.
 *
 * Returns: the number of bytes of which its place in memory is a multiple
 *
 * Since: 0.1
 */
guint
gabbro_layout_get_alignment (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->alignment;
}

/**
 * gabbro_layout_get_length:
 * @layout: a layout
 *
 * Gets how many elements a type has. Thread-safe; does not block.
 *
 * Returns: the number of elements of a vector or array and of columns of a matrix, otherwise 0
 *
 * Since: 0.1
 */
guint64
gabbro_layout_get_length (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->length;
}

/**
 * gabbro_layout_get_stride:
 * @layout: a layout
 *
 * Gets how far the elements of a type lie apart. Thread-safe; does not block.
 *
 * Returns: bytes from one element of a vector or array, or column of a matrix, to the next, otherwise 0
 *
 * Since: 0.1
 */
guint64
gabbro_layout_get_stride (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->stride;
}

/**
 * gabbro_layout_get_element:
 * @layout: a layout
 *
 * Gets how the elements of a type lie. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the elements of a vector or array, the columns of a matrix, otherwise %NULL
 *
 * Since: 0.1
 */
GabbroLayout *
gabbro_layout_get_element (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, NULL);

  return layout->element;
}

/**
 * gabbro_layout_get_n_members:
 * @layout: a layout
 *
 * Counts the members of a structure. Thread-safe; does not block.
 *
 * Returns: the number of members of a structure, otherwise 0
 *
 * Since: 0.1
 */
guint
gabbro_layout_get_n_members (GabbroLayout *layout)
{
  g_return_val_if_fail (layout != NULL, 0);

  return layout->n_members;
}

/**
 * gabbro_layout_get_member_name:
 * @layout: a layout
 * @index: the number of a member
 *
 * Gets the name of a member. Thread-safe; does not block.
 *
 * Returns: (nullable): its name, or %NULL past the last
 *
 * Since: 0.1
 */
const char *
gabbro_layout_get_member_name (GabbroLayout *layout, guint index)
{
  g_return_val_if_fail (layout != NULL, NULL);

  return index < layout->n_members ? layout->members[index].name : NULL;
}

/**
 * gabbro_layout_get_member_offset:
 * @layout: a layout
 * @index: the number of a member
 *
 * Gets where a member lies in its structure. Thread-safe; does not block.
 *
 * Returns: bytes from the start of the structure to the member, or 0 past the last
 *
 * Since: 0.1
 */
guint64
gabbro_layout_get_member_offset (GabbroLayout *layout, guint index)
{
  g_return_val_if_fail (layout != NULL, 0);

  return index < layout->n_members ? layout->members[index].offset : 0;
}

/**
 * gabbro_layout_get_member_layout:
 * @layout: a layout
 * @index: the number of a member
 *
 * Gets how a member lies in itself. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): how the member lies, or %NULL past the last
 *
 * Since: 0.1
 */
GabbroLayout *
gabbro_layout_get_member_layout (GabbroLayout *layout, guint index)
{
  g_return_val_if_fail (layout != NULL, NULL);

  return index < layout->n_members ? layout->members[index].layout : NULL;
}
