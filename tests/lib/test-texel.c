/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/texel.h"

#include <math.h>
#include <string.h>

#include "tests/test-main.h"

/* The half nearest to a float, by looking at all of them. */
static uint16_t
nearest_half (float value)
{
  uint16_t low = 0, high = 0x7bff;
  double wanted = fabs ((double) value);

  if (wanted >= 65520)
    return 0x7c00;
  while (low < high)
    {
      uint16_t middle = (uint16_t) ((low + high + 1) / 2);
      if ((double) gb_half_to_float (middle) <= wanted)
        low = middle;
      else
        high = (uint16_t) (middle - 1);
    }
  if (low < 0x7bff)
    {
      double below = wanted - (double) gb_half_to_float (low), above = (double) gb_half_to_float ((uint16_t) (low + 1)) - wanted;
      if (above < below || (above == below && (low & 1) != 0))
        low++;
    }
  return low;
}

START_TEST (halves)
{
  static const uint32_t edges[] = { 0, 1, 0x7fffff, 0x800000, 0x33000000, 0x33000001, 0x32ffffff, 0x387fe000, 0x387ff000, 0x38800000,
                                    0x477fe000, 0x477fefff, 0x477ff000, 0x477ff001, 0x7f7fffff, 0x7f800000, 0x3f801000, 0x3f803000 };
  uint32_t bits = 1;

  for (uint32_t half = 0; half <= 0xffff; half++)
    {
      float value = gb_half_to_float ((uint16_t) half);
      bool is_nan = (half & 0x7fff) > 0x7c00;

      ck_assert (is_nan == (value != value));
      if (!is_nan)
        ck_assert_uint_eq (gb_half_from_float (value), half);
      else
        ck_assert ((gb_half_from_float (value) & 0x7fff) > 0x7c00);
    }
  ck_assert_float_eq (gb_half_to_float (0x3555), 0.333251953125f);
  ck_assert_float_eq (gb_half_to_float (0x8001), -5.9604644775390625e-8f);
  for (unsigned i = 0; i < 200000; i++)
    {
      float value;

      bits = i < G_N_ELEMENTS (edges) ? edges[i] : bits * 1664525 + 1013904223;
      /* Most of them where halves are. */
      if (i >= G_N_ELEMENTS (edges) && i % 4 != 0)
        bits = (bits & 0x80ffffff) | (0x33 + (bits >> 24) % 21) << 24;
      memcpy (&value, &bits, sizeof value);
      if (value != value)
        continue;
      ck_assert_msg (gb_half_from_float (value) == (nearest_half (value) | (signbit (value) ? 0x8000 : 0)), "%08x", bits);
    }
}
END_TEST

static uint32_t
bits_of (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static void
stores (enum gb_texel_format format, uint32_t component, uint32_t wanted)
{
  const uint32_t components[4] = { component, component, component, component };
  uint8_t texel[16] = { 0 };
  uint32_t found = 0;

  gb_texel_infos[format].store (texel, components);
  memcpy (&found, texel, gb_texel_infos[format].block_size / gb_texel_infos[format].n_components);
  found = GUINT32_FROM_LE (found);
  ck_assert_msg (found == wanted, "%s: %08x is stored as %x, not %x", gb_texel_infos[format].name, component, found, wanted);
}

START_TEST (conversions)
{
  static const struct { float value; uint32_t byte, word; } unorms[] = {
    { 0, 0, 0 }, { -0.0f, 0, 0 }, { 1, 255, 65535 }, { 2, 255, 65535 }, { INFINITY, 255, 65535 }, { -INFINITY, 0, 0 }, { NAN, 0, 0 },
    { -1, 0, 0 }, { 0.5f, 128, 32768 }, { 0.25f, 64, 16384 }, { 1.0f / 255, 1, 257 }, { 1e-30f, 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (unorms); i++)
    {
      stores (GB_TEXEL_RGBA8_UNORM, bits_of (unorms[i].value), unorms[i].byte);
      stores (GB_TEXEL_R16_UNORM, bits_of (unorms[i].value), unorms[i].word);
    }
  stores (GB_TEXEL_R8_UINT, 256, 255);
  stores (GB_TEXEL_R16_UINT, UINT32_MAX, 65535);
  stores (GB_TEXEL_RG32_UINT, UINT32_MAX, UINT32_MAX);
  stores (GB_TEXEL_RGBA8_SINT, 128, 127);
  stores (GB_TEXEL_RGBA8_SINT, (uint32_t) -129, 0x80);
  stores (GB_TEXEL_R16_SINT, (uint32_t) -70000, 0x8000);
  stores (GB_TEXEL_R32_SINT, (uint32_t) -70000, (uint32_t) -70000);
  stores (GB_TEXEL_RG16_FLOAT, bits_of (-1.5f), 0xbe00);
  stores (GB_TEXEL_R32_FLOAT, 0x7fc12345, 0x7fc12345);
}
END_TEST

/* Every format: what is loaded is stored as it was, and what is not there is 0, 0 and 1. */
START_TEST (every_format)
{
  for (int format = 0; format < GB_N_TEXEL_FORMATS; format++)
    {
      const struct gb_texel_info *info = &gb_texel_infos[format];
      bool is_integer = info->component >= GB_TEXEL_UINT8 && info->component <= GB_TEXEL_SINT32;
      uint32_t size = info->block_size / info->n_components;

      ck_assert (gb_texel_size ((enum gb_texel_format) format, info->block_side, info->block_side, 1) == info->block_size);
      if (info->component == GB_TEXEL_BLOCK)
        {
          ck_assert_ptr_null (info->load);
          continue;
        }
      ck_assert_uint_eq (info->block_side, 1);
      for (uint32_t value = 0; value < 0x10000; value += size == 1 ? 1 : 37)
        {
          uint8_t texel[16] = { 0 }, back[16] = { 0 };
          uint32_t components[4] = { 7, 7, 7, 7 };

          if (info->component == GB_TEXEL_FLOAT16 && (value & 0x7c00) == 0x7c00)
            continue;
          for (uint32_t i = 0; i < info->block_size; i++)
            texel[i] = (uint8_t) (i % 2 == 0 ? value : value >> 8);
          info->load (texel, components);
          info->store (back, components);
          ck_assert_msg (memcmp (texel, back, sizeof texel) == 0, "%s: %x", info->name, value);
          for (uint32_t i = info->n_components; i < 4; i++)
            ck_assert_uint_eq (components[i], i < 3 ? 0 : is_integer ? 1 : bits_of (1));
        }
    }
}
END_TEST

START_TEST (sizes)
{
  ck_assert (gb_texel_size (GB_TEXEL_RG16_UINT, 3, 5, 7) == 420);
  ck_assert (gb_texel_size (GB_TEXEL_BC4_UNORM, 5, 4, 1) == 16);
  ck_assert (gb_texel_size (GB_TEXEL_BC7_UNORM, 1, 1, 3) == 48);
  ck_assert (gb_texel_size (GB_TEXEL_RGBA32_FLOAT, 65536, 65536, 65536) == UINT64_C (1) << 52);
  ck_assert_uint_eq (gb_texel_max_levels (1, 1, 1), 1);
  ck_assert_uint_eq (gb_texel_max_levels (1, 2, 1), 2);
  ck_assert_uint_eq (gb_texel_max_levels (3, 2, 1), 2);
  ck_assert_uint_eq (gb_texel_max_levels (1, 1, 4), 3);
  ck_assert_uint_eq (gb_texel_max_levels (65536, 1, 1), 17);
  ck_assert_uint_eq (gb_texel_level_side (13, 0), 13);
  ck_assert_uint_eq (gb_texel_level_side (13, 2), 3);
  ck_assert_uint_eq (gb_texel_level_side (13, 9), 1);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("texel");
  TCase *test_case = gb_test_case (suite, "texel");

  tcase_add_test (test_case, halves);
  tcase_add_test (test_case, conversions);
  tcase_add_test (test_case, every_format);
  tcase_add_test (test_case, sizes);
  return suite;
}

GB_TEST_MAIN (make_suite)
