/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/formats.h"

#include <string.h>

#define ALL(LETTERS, n)                                                                           \
  { GABBRO_FORMAT_##LETTERS##8_UNORM, n, { 'u', 1 }, "float" },                                   \
  { GABBRO_FORMAT_##LETTERS##8_UINT, n, { 'u', 1 }, "uint" },                                     \
  { GABBRO_FORMAT_##LETTERS##8_SINT, n, { 'i', 1 }, "int" },                                      \
  { GABBRO_FORMAT_##LETTERS##16_UNORM, n, { 'u', 2 }, "float" },                                  \
  { GABBRO_FORMAT_##LETTERS##16_UINT, n, { 'u', 2 }, "uint" },                                    \
  { GABBRO_FORMAT_##LETTERS##16_SINT, n, { 'i', 2 }, "int" },                                     \
  { GABBRO_FORMAT_##LETTERS##16_FLOAT, n, { 'f', 2 }, "float" },                                  \
  { GABBRO_FORMAT_##LETTERS##32_UINT, n, { 'u', 4 }, "uint" },                                    \
  { GABBRO_FORMAT_##LETTERS##32_SINT, n, { 'i', 4 }, "int" },                                     \
  { GABBRO_FORMAT_##LETTERS##32_FLOAT, n, { 'f', 4 }, "float" },

static const struct tool_format formats[] = { ALL (RGBA, 4) ALL (RG, 2) ALL (R, 1) };

static const struct { GabbroFormat format; guint block; } compressed[] = {
  { GABBRO_FORMAT_BC4_UNORM, 8 }, { GABBRO_FORMAT_BC5_UNORM, 16 }, { GABBRO_FORMAT_BC6H_UFLOAT, 16 }, { GABBRO_FORMAT_BC7_UNORM, 16 }
};

static const struct { const char *name; GabbroFormat format; } short_names[] = {
  { "rgba8", GABBRO_FORMAT_RGBA8_UNORM }, { "rgba32f", GABBRO_FORMAT_RGBA32_FLOAT }
};

const struct tool_format *
tool_format_of (GabbroFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].format == format)
      return &formats[i];
  return NULL;
}

const struct tool_format *
tool_format_find (const char *name, const char ***names)
{
  GEnumClass *class = g_type_class_ref (GABBRO_TYPE_FORMAT);
  const GEnumValue *value = g_enum_get_value_by_nick (class, name);
  const struct tool_format *found = value != NULL ? tool_format_of ((GabbroFormat) value->value) : NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (short_names); i++)
    if (strcmp (short_names[i].name, name) == 0)
      found = tool_format_of (short_names[i].format);
  if (found == NULL)
    {
      gsize n = 0;
      *names = g_new0 (const char *, G_N_ELEMENTS (short_names) + G_N_ELEMENTS (formats) + 1);
      for (gsize i = 0; i < G_N_ELEMENTS (short_names); i++)
        (*names)[n++] = short_names[i].name;
      for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
        (*names)[n++] = g_intern_string (g_enum_get_value (class, (int) formats[i].format)->value_nick);
    }
  g_type_class_unref (class);
  return found;
}

guint
tool_format_block_size (GabbroFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (compressed); i++)
    if (compressed[i].format == format)
      return compressed[i].block;
  return 0;
}

bool
tool_format_find_compressed (const char *name, GabbroFormat *format)
{
  GEnumClass *class = g_type_class_ref (GABBRO_TYPE_FORMAT);
  const GEnumValue *value = g_enum_get_value_by_nick (class, name);
  bool found = value != NULL && tool_format_block_size ((GabbroFormat) value->value) > 0;

  if (found)
    *format = (GabbroFormat) value->value;
  g_type_class_unref (class);
  return found;
}

const struct tool_format *
tool_format_for_array (struct tool_npy_type type, guint n_components, const char *seen)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].type.kind == type.kind && formats[i].type.size == type.size && formats[i].n_components == n_components && strcmp (formats[i].seen, seen) == 0)
      return &formats[i];
  return NULL;
}
