/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-layout.h"

#include <glib/gi18n-lib.h>

#include "lib/checked.h"

/* Structures are looked at once each: they may share members so widely that a
 * plain walk would take for ever. Values: status << 16 | alignment. */
typedef GHashTable *memo;

static uint32_t alignment_of (const struct xir_type *type, memo *seen);
static uint32_t examine_structure (const struct xir_type *type, memo *seen);

static uint32_t
alignment_of (const struct xir_type *type, memo *seen)
{
  if (type == NULL)
    return 0;
  switch (type->kind)
    {
    case XIR_TYPE_BOOL:
      return 0;
    case XIR_TYPE_VECTOR:
      /* Of three lanes as of four. */
      return alignment_of (type->element, seen) * (type->count == 2 ? 2 : 4);
    case XIR_TYPE_MATRIX:
    case XIR_TYPE_ARRAY:
      return alignment_of (type->element, seen);
    case XIR_TYPE_STRUCTURE:
      return examine_structure (type, seen) & 0xffff;
    default:
      return xir_type_is_scalar (type) ? (uint32_t) type->size : 0;
    }
}

uint32_t
spirv_layout_alignment (const struct xir_type *type)
{
  memo seen = NULL;
  uint32_t alignment = alignment_of (type, &seen);
  g_clear_pointer (&seen, g_hash_table_unref);
  return alignment;
}

/* Bytes that the standard layout's value takes: those of three lanes are not those of four. */
static uint64_t
occupied (const struct xir_type *type)
{
  return type->kind == XIR_TYPE_VECTOR ? type->element->size * type->count : type->size;
}

static bool
stride_fits (const struct xir_type *element, memo *seen)
{
  uint64_t stride = element->size;
  return stride > 0 && stride <= G_MAXUINT32 && stride >= occupied (element)
         && stride % alignment_of (element, seen) == 0;
}

static enum spirv_layout_status check (const struct xir_type *type, memo *seen);

static enum spirv_layout_status
check_member (const struct xir_type *type, uint64_t offset, memo *seen)
{
  enum spirv_layout_status status = check (type, seen);
  if (status != SPIRV_LAYOUT_COMPATIBLE)
    return status;
  /* A vector may not lie across a boundary of 16 bytes; its alignment sees to that. */
  return offset > G_MAXUINT32 || offset % alignment_of (type, seen) != 0
         ? SPIRV_LAYOUT_MISALIGNED_MEMBER : SPIRV_LAYOUT_COMPATIBLE;
}

static uint32_t
examine_structure (const struct xir_type *type, memo *seen)
{
  if (*seen == NULL)
    *seen = g_hash_table_new (NULL, NULL);
  gpointer known = g_hash_table_lookup (*seen, type);
  if (known != NULL)
    return GPOINTER_TO_UINT (known);
  enum spirv_layout_status status = SPIRV_LAYOUT_COMPATIBLE;
  uint32_t alignment = 1;
  for (uint64_t i = 0; i < type->count && status == SPIRV_LAYOUT_COMPATIBLE; i++)
    {
      status = check_member (type->members[i], type->offsets[i], seen);
      if (status == SPIRV_LAYOUT_COMPATIBLE)
        alignment = MAX (alignment, alignment_of (type->members[i], seen));
    }
  if (status == SPIRV_LAYOUT_COMPATIBLE && type->size % alignment != 0)
    status = SPIRV_LAYOUT_INVALID_STRUCT_STRIDE;
  uint32_t result = (uint32_t) status << 16 | alignment;
  g_hash_table_insert (*seen, (gpointer) type, GUINT_TO_POINTER (result));
  return result;
}

static enum spirv_layout_status
check (const struct xir_type *type, memo *seen)
{
  if (type == NULL)
    return SPIRV_LAYOUT_UNSUPPORTED_TYPE;
  enum spirv_layout_status status;
  switch (type->kind)
    {
    case XIR_TYPE_BOOL:
      return SPIRV_LAYOUT_LOGICAL_BOOL;
    case XIR_TYPE_VECTOR:
      return check (type->element, seen);
    case XIR_TYPE_MATRIX:
      status = check (type->element, seen);
      return status != SPIRV_LAYOUT_COMPATIBLE || stride_fits (type->element, seen)
             ? status : SPIRV_LAYOUT_INVALID_MATRIX_STRIDE;
    case XIR_TYPE_ARRAY:
      status = type->count == 0 || type->count > G_MAXUINT32 ? SPIRV_LAYOUT_UNSUPPORTED_TYPE : check (type->element, seen);
      return status != SPIRV_LAYOUT_COMPATIBLE || stride_fits (type->element, seen)
             ? status : SPIRV_LAYOUT_INVALID_ARRAY_STRIDE;
    case XIR_TYPE_STRUCTURE:
      return (enum spirv_layout_status) (examine_structure (type, seen) >> 16);
    default:
      return xir_type_is_scalar (type) ? SPIRV_LAYOUT_COMPATIBLE : SPIRV_LAYOUT_UNSUPPORTED_TYPE;
    }
}

enum spirv_layout_status
spirv_plan_layout_member (const struct xir_type *type, uint64_t offset)
{
  memo seen = NULL;
  enum spirv_layout_status status = check_member (type, offset, &seen);
  g_clear_pointer (&seen, g_hash_table_unref);
  return status;
}

enum spirv_layout_status
spirv_plan_layout (const struct xir_type *element)
{
  memo seen = NULL;
  enum spirv_layout_status status = check (element, &seen);
  if (status == SPIRV_LAYOUT_COMPATIBLE && !stride_fits (element, &seen))
    status = SPIRV_LAYOUT_INVALID_RUNTIME_STRIDE;
  g_clear_pointer (&seen, g_hash_table_unref);
  return status;
}

bool
spirv_type_has_narrow (const struct xir_type *type)
{
  static const enum xir_type_kind kinds[] = {
    XIR_TYPE_INT8, XIR_TYPE_UINT8, XIR_TYPE_INT16, XIR_TYPE_UINT16, XIR_TYPE_FLOAT16, XIR_TYPE_BFLOAT16, XIR_TYPE_FLOAT8_E4M3,
    XIR_TYPE_FLOAT8_E5M2
  };
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (xir_type_contains (type, kinds[i]))
      return true;
  return false;
}

bool
spirv_needs_words (const struct xir_type *type, bool in_buffer)
{
  if (!xir_type_is_data (type) || (!in_buffer && xir_type_is_bool (type)))
    return false;
  enum spirv_layout_status status = in_buffer ? spirv_plan_layout (type) : spirv_plan_layout_member (type, 0);
  if (status == SPIRV_LAYOUT_UNSUPPORTED_TYPE)
    return false;
  return status != SPIRV_LAYOUT_COMPATIBLE || (!in_buffer && spirv_type_has_narrow (type));
}

const struct xir_type *
spirv_argument_storage_type (struct xir_context *context, const struct xir_type *type)
{
  return xir_type_is_bool (type) ? xir_type_with_scalar (context, type, XIR_TYPE_UINT32) : type;
}

bool
spirv_place (uint64_t *cursor, uint64_t size, uint64_t alignment, uint32_t *offset)
{
  uint64_t at, end;
  if (!gb_checked_align (*cursor, alignment, &at) || !gb_checked_add (at, size, &end))
    end = UINT64_MAX;
  *cursor = end;
  if (end > SPIRV_MAX_ARGUMENT_SIZE)
    return false;
  *offset = (uint32_t) at;
  return true;
}

bool
spirv_place_value (struct xir_context *context, const struct xir_type *type, uint64_t *cursor, uint32_t *offset)
{
  const struct xir_type *storage = spirv_argument_storage_type (context, type);
  uint64_t size = storage != NULL ? storage->size : 0, alignment = storage != NULL ? storage->alignment : 1;
  if (!spirv_needs_words (type, false))
    /* Vectors of three or four 64-bit numbers lie at multiples of 32 there, though not for the host. */
    alignment = MAX (alignment, spirv_layout_alignment (storage));
  else if (!gb_checked_align (size, 4, &size))
    size = UINT64_MAX;
  return spirv_place (cursor, size, MAX (alignment, 4), offset);
}

const char *
spirv_layout_status_text (enum spirv_layout_status status)
{
  switch (status)
    {
    case SPIRV_LAYOUT_COMPATIBLE:
      return _("the layout is fit for storage");
    case SPIRV_LAYOUT_LOGICAL_BOOL:
      return _("it contains bool, which has no form in storage");
    case SPIRV_LAYOUT_INVALID_MATRIX_STRIDE:
      return _("the columns of a matrix in it are not aligned as storage needs");
    case SPIRV_LAYOUT_INVALID_ARRAY_STRIDE:
      return _("the elements of an array in it are not aligned as storage needs");
    case SPIRV_LAYOUT_MISALIGNED_MEMBER:
      return _("a member of it is not aligned as storage needs");
    case SPIRV_LAYOUT_INVALID_STRUCT_STRIDE:
      return _("its size is no multiple of the alignment that storage needs");
    case SPIRV_LAYOUT_INVALID_RUNTIME_STRIDE:
      return _("its size is none that elements of a buffer can have");
    case SPIRV_LAYOUT_UNSUPPORTED_TYPE:
    default:
      return _("storage has no such type");
    }
}
