/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/texel.h"

#include <glib.h>
#include <math.h>
#include <string.h>

float
gb_half_to_float (uint16_t half)
{
  uint32_t sign = (uint32_t) (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023, bits;
  float value;

  if (exponent == 31)
    bits = sign | 0x7f800000 | fraction << 13;
  else if (exponent > 0)
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  else
    {
      value = ldexpf ((float) fraction, -24);
      memcpy (&bits, &value, sizeof bits);
      bits |= sign;
    }
  memcpy (&value, &bits, sizeof value);
  return value;
}

uint16_t
gb_half_from_float (float value)
{
  uint32_t bits, magnitude;
  uint16_t sign;

  memcpy (&bits, &value, sizeof bits);
  sign = (uint16_t) (bits >> 16 & 0x8000);
  magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | (uint16_t) (magnitude >> 13 & 0x1ff);
  /* 65520 and more. */
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00;
  /* Below 2^-14 halves are whole multiples of 2^-24. */
  if (magnitude < 0x38800000)
    return sign | (uint16_t) rintf (ldexpf (fabsf (value), 24));
  magnitude -= 112u << 23;
  return sign | (uint16_t) ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

static float
as_float (uint32_t bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static uint32_t
from_float (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* The product is exact in double. */
static uint32_t
to_unorm (uint32_t bits, double most)
{
  float value = as_float (bits);

  return value > 0.0f ? (uint32_t) rint (fmin (value, 1.0) * most) : 0;
}

/* `component` and `n` are constants wherever these are called. */

static inline uint32_t
load_component (const uint8_t *texel, enum gb_texel_component component, uint32_t i)
{
  const uint8_t *at = texel + i;
  uint16_t wide = 0;
  uint32_t word = 0;

  if (component == GB_TEXEL_UNORM16 || component == GB_TEXEL_UINT16 || component == GB_TEXEL_SINT16 || component == GB_TEXEL_FLOAT16)
    wide = (uint16_t) (texel[2 * i] | texel[2 * i + 1] << 8);
  if (component == GB_TEXEL_UINT32 || component == GB_TEXEL_SINT32 || component == GB_TEXEL_FLOAT32)
    {
      memcpy (&word, texel + 4 * i, sizeof word);
      word = GUINT32_FROM_LE (word);
    }
  switch (component)
    {
    case GB_TEXEL_UNORM8:
      return from_float ((float) *at / 255.0f);
    case GB_TEXEL_UNORM16:
      return from_float ((float) wide / 65535.0f);
    case GB_TEXEL_UINT8:
      return *at;
    case GB_TEXEL_UINT16:
      return wide;
    case GB_TEXEL_SINT8:
      return (uint32_t) (int8_t) *at;
    case GB_TEXEL_SINT16:
      return (uint32_t) (int16_t) wide;
    case GB_TEXEL_FLOAT16:
      return from_float (gb_half_to_float (wide));
    default:
      return word;
    }
}

static uint32_t
convert_component (uint32_t bits, enum gb_texel_component component)
{
  switch (component)
    {
    case GB_TEXEL_UNORM8:
      return to_unorm (bits, 255);
    case GB_TEXEL_UNORM16:
      return to_unorm (bits, 65535);
    case GB_TEXEL_UINT8:
      return MIN (bits, 255);
    case GB_TEXEL_UINT16:
      return MIN (bits, 65535);
    case GB_TEXEL_SINT8:
      return (uint32_t) CLAMP ((int32_t) bits, INT8_MIN, INT8_MAX);
    case GB_TEXEL_SINT16:
      return (uint32_t) CLAMP ((int32_t) bits, INT16_MIN, INT16_MAX);
    case GB_TEXEL_FLOAT16:
      return gb_half_from_float (as_float (bits));
    default:
      return bits;
    }
}

static inline void
load_texel (const uint8_t *texel, uint32_t components[4], enum gb_texel_component component, uint32_t n)
{
  bool is_integer = component >= GB_TEXEL_UINT8 && component <= GB_TEXEL_SINT32;

  for (uint32_t i = 0; i < n; i++)
    components[i] = load_component (texel, component, i);
  for (uint32_t i = n; i < 4; i++)
    components[i] = i < 3 ? 0 : is_integer ? 1 : from_float (1.0f);
}

static inline void
store_texel (uint8_t *texel, const uint32_t components[4], enum gb_texel_component component, uint32_t n, uint32_t size)
{
  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t word = GUINT32_TO_LE (convert_component (components[i], component));
      memcpy (texel + i * (size / n), &word, size / n);
    }
}

#define FUNCTIONS_BLOCK(NAME, block, n, component)
#define FUNCTIONS_PLAIN(NAME, block, n, component)                       \
  static void                                                            \
  load_##NAME (const uint8_t *texel, uint32_t components[4])             \
  {                                                                      \
    load_texel (texel, components, GB_TEXEL_##component, n);             \
  }                                                                      \
                                                                         \
  static void                                                            \
  store_##NAME (uint8_t *texel, const uint32_t components[4])            \
  {                                                                      \
    store_texel (texel, components, GB_TEXEL_##component, n, block);     \
  }
#define FUNCTIONS_UNORM8  FUNCTIONS_PLAIN
#define FUNCTIONS_UNORM16 FUNCTIONS_PLAIN
#define FUNCTIONS_UINT8   FUNCTIONS_PLAIN
#define FUNCTIONS_UINT16  FUNCTIONS_PLAIN
#define FUNCTIONS_UINT32  FUNCTIONS_PLAIN
#define FUNCTIONS_SINT8   FUNCTIONS_PLAIN
#define FUNCTIONS_SINT16  FUNCTIONS_PLAIN
#define FUNCTIONS_SINT32  FUNCTIONS_PLAIN
#define FUNCTIONS_FLOAT16 FUNCTIONS_PLAIN
#define FUNCTIONS_FLOAT32 FUNCTIONS_PLAIN

#define GB_TEXEL(NAME, name, block, side, n, component, vulkan) FUNCTIONS_##component (NAME, block, n, component)
#include "lib/texel.def"
#undef GB_TEXEL

#define POINTERS_BLOCK(NAME)
#define POINTERS_PLAIN(NAME) .load = load_##NAME, .store = store_##NAME,
#define POINTERS_UNORM8  POINTERS_PLAIN
#define POINTERS_UNORM16 POINTERS_PLAIN
#define POINTERS_UINT8   POINTERS_PLAIN
#define POINTERS_UINT16  POINTERS_PLAIN
#define POINTERS_UINT32  POINTERS_PLAIN
#define POINTERS_SINT8   POINTERS_PLAIN
#define POINTERS_SINT16  POINTERS_PLAIN
#define POINTERS_SINT32  POINTERS_PLAIN
#define POINTERS_FLOAT16 POINTERS_PLAIN
#define POINTERS_FLOAT32 POINTERS_PLAIN

const struct gb_texel_info gb_texel_infos[GB_N_TEXEL_FORMATS] = {
#define GB_TEXEL(NAME, name_, block, side, n, component_, vulkan)                                        \
  [GB_TEXEL_##NAME] = { .name = name_, .block_size = block, .block_side = side, .n_components = n,       \
                        .component = GB_TEXEL_##component_, POINTERS_##component_ (NAME) },
#include "lib/texel.def"
#undef GB_TEXEL
};

uint64_t
gb_texel_size (enum gb_texel_format format, uint32_t width, uint32_t height, uint32_t depth)
{
  const struct gb_texel_info *info = &gb_texel_infos[format];
  uint64_t columns = ((uint64_t) width + info->block_side - 1) / info->block_side;
  uint64_t rows = ((uint64_t) height + info->block_side - 1) / info->block_side;

  return columns * rows * depth * info->block_size;
}

uint32_t
gb_texel_max_levels (uint32_t width, uint32_t height, uint32_t depth)
{
  return (uint32_t) g_bit_storage (MAX (MAX (width, height), depth));
}
