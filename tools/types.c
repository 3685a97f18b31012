/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/types.h"

#include <string.h>

#define LANES(name, separator) name, name separator "2", name separator "3", name separator "4"

static const char *const names[] = {
  LANES ("bool", ""), LANES ("char", ""), LANES ("uchar", ""), LANES ("short", ""), LANES ("ushort", ""), LANES ("int", ""), LANES ("uint", ""),
  LANES ("long", ""), LANES ("ulong", ""), LANES ("half", ""), LANES ("float", ""), LANES ("double", ""), LANES ("bfloat", ""),
  LANES ("fp8e4m3", "x"), LANES ("fp8e5m2", "x"), "float2x2", "float3x3", "float4x4", NULL
};

const char *const *
tool_type_names (void)
{
  return names;
}

bool
tool_type_is_name (const char *text)
{
  gsize length = strcspn (text, "[");
  g_autofree char *word = g_strndup (text, length);

  g_strstrip (word);
  return g_strv_contains (names, word) && strspn (text + length, "[]0123456789 ") == strlen (text + length);
}

bool
tool_type_is_scalar (GabbroLayout *layout)
{
  switch (gabbro_layout_get_kind (layout))
    {
    case GABBRO_LAYOUT_VECTOR:
    case GABBRO_LAYOUT_MATRIX:
    case GABBRO_LAYOUT_ARRAY:
    case GABBRO_LAYOUT_STRUCT:
      return false;
    default:
      return true;
    }
}

guint64
tool_type_n_numbers (GabbroLayout *layout)
{
  guint64 total = 0;

  if (tool_type_is_scalar (layout))
    return 1;
  if (gabbro_layout_get_kind (layout) != GABBRO_LAYOUT_STRUCT)
    {
      guint64 length = gabbro_layout_get_length (layout);
      guint64 each = length > 0 ? tool_type_n_numbers (gabbro_layout_get_element (layout)) : 1;
      return length > TOOL_MAX_NUMBERS / each ? TOOL_MAX_NUMBERS + 1 : length * each;
    }
  /* Structures of structures can have more than could be counted. */
  for (guint i = 0; i < gabbro_layout_get_n_members (layout) && total <= TOOL_MAX_NUMBERS; i++)
    total += tool_type_n_numbers (gabbro_layout_get_member_layout (layout, i));
  return total;
}

bool
tool_shape_init (struct tool_shape *shape, GabbroLayout *layout)
{
  GabbroLayout *whole = layout;

  *shape = (struct tool_shape) { 0 };
  while (!tool_type_is_scalar (layout) && gabbro_layout_get_kind (layout) != GABBRO_LAYOUT_STRUCT)
    {
      if (shape->n_dimensions == TOOL_MAX_DIMENSIONS)
        return false;
      shape->dimensions[shape->n_dimensions++] = gabbro_layout_get_length (layout);
      layout = gabbro_layout_get_element (layout);
    }
  shape->scalar = gabbro_layout_get_kind (layout);
  if (shape->scalar == GABBRO_LAYOUT_STRUCT)
    {
      layout = whole;
      shape->n_dimensions = 0;
    }
  shape->scalar_size = (gsize) gabbro_layout_get_size (layout);
  return true;
}

GabbroLayout *
tool_type_of_bytes (GError **error)
{
  static const char source[] = "kernel(1) void bytes(const buffer<uchar> all) {}";
  g_autoptr (GabbroModule) module = gabbro_module_new_from_source ("bytes.gk", source, -1, error);
  g_autoptr (GabbroKernel) kernel = module != NULL ? gabbro_module_get_kernel (module, "bytes", error) : NULL;

  return kernel != NULL ? gabbro_kernel_dup_argument_layout (kernel, 0) : NULL;
}
