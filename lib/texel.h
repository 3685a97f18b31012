/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The formats of images (texel.def): sizes, and what becomes of numbers on their way into a texel and out
 * of it. A kernel sees four components of 32 bits, be they floats or integers.
 *
 * Loading fills components that the format has not with 0, 0 and 1. Storing drops them, and converts as
 * Vulkan does where it says how: normalised ones are clamped to 0 and 1 and rounded to the nearest, halves to
 * even, with NaN as 0. Where Vulkan leaves a choice this one is made: halves are rounded to the nearest, ties to
 * even, and integers that do not fit become the nearest that does. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gb_texel_format
{
#define GB_TEXEL(NAME, name, block, side, n, component, vulkan) GB_TEXEL_##NAME,
#include "lib/texel.def"
#undef GB_TEXEL
  GB_N_TEXEL_FORMATS
};

enum gb_texel_component
{
  GB_TEXEL_UNORM8, GB_TEXEL_UNORM16,
  GB_TEXEL_UINT8, GB_TEXEL_UINT16, GB_TEXEL_UINT32,
  GB_TEXEL_SINT8, GB_TEXEL_SINT16, GB_TEXEL_SINT32,
  GB_TEXEL_FLOAT16, GB_TEXEL_FLOAT32,
  GB_TEXEL_BLOCK                         /* of compressed blocks: floats, which only hardware takes out */
};

struct gb_texel_info
{
  const char *name;
  uint32_t block_size;                   /* bytes, a power of two */
  uint32_t block_side;                   /* texels, a power of two; 1 but for compressed ones */
  uint32_t n_components;
  enum gb_texel_component component;
  /* Bits of float, int or uint components; NULL for compressed ones. */
  void (*load)  (const uint8_t *texel, uint32_t components[4]);
  void (*store) (uint8_t *texel, const uint32_t components[4]);
};

extern const struct gb_texel_info gb_texel_infos[GB_N_TEXEL_FORMATS];

/* Bytes of so many texels, without gaps. Sides of at most 65536 texels cannot overflow. */
uint64_t gb_texel_size (enum gb_texel_format format, uint32_t width, uint32_t height, uint32_t depth);

/* A side of a mip level. */
static inline uint32_t
gb_texel_level_side (uint32_t side, uint32_t level)
{
  return side >> level > 0 ? side >> level : 1;
}

/* Mip levels until one texel is left. */
uint32_t gb_texel_max_levels (uint32_t width, uint32_t height, uint32_t depth);

float    gb_half_to_float   (uint16_t half);
uint16_t gb_half_from_float (float value);
