/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

struct interpret_image *
reference_image_levels (const struct gabbro_image_request *request, uint8_t *texels)
{
  const struct gb_texel_info *info = &gb_texel_infos[request->format];
  struct interpret_image *levels = g_new0 (struct interpret_image, request->n_levels);

  for (uint32_t i = 0; i < request->n_levels; i++)
    {
      levels[i] = (struct interpret_image) {
        .texels = texels,
        .size = { gb_texel_level_side (request->width, i), gb_texel_level_side (request->height, i),
                  gb_texel_level_side (request->depth, i) },
        .texel_size = info->block_size,
        .load = info->load,
        .store = info->store,
      };
      texels += gb_texel_size (request->format, levels[i].size[0], levels[i].size[1], levels[i].size[2]);
    }
  return levels;
}
