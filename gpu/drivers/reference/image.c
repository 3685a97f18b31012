/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

#include <math.h>
#include <string.h>

/* What a kernel sees of a texel, and what becomes of what it writes. */

static void
load_rgba8_unorm (const uint8_t *texel, uint32_t components[4])
{
  for (int i = 0; i < 4; i++)
    {
      float value = (float) texel[i] / 255.0f;
      memcpy (&components[i], &value, sizeof value);
    }
}

/* NaN becomes 0, and halves go to the even neighbour. */
static void
store_rgba8_unorm (uint8_t *texel, const uint32_t components[4])
{
  for (int i = 0; i < 4; i++)
    {
      float value;

      memcpy (&value, &components[i], sizeof value);
      texel[i] = value > 0.0f ? (uint8_t) rintf (fminf (value, 1.0f) * 255.0f) : 0;
    }
}

static void
load_rgba32_float (const uint8_t *texel, uint32_t components[4])
{
  memcpy (components, texel, 4 * sizeof *components);
}

static void
store_rgba32_float (uint8_t *texel, const uint32_t components[4])
{
  memcpy (texel, components, 4 * sizeof *components);
}

static const struct
{
  void (*load) (const uint8_t *texel, uint32_t components[4]);
  void (*store) (uint8_t *texel, const uint32_t components[4]);
} formats[GABBRO_N_IMAGE_FORMATS] = {
  [GABBRO_IMAGE_FORMAT_RGBA8_UNORM] = { load_rgba8_unorm, store_rgba8_unorm },
  [GABBRO_IMAGE_FORMAT_RGBA32_FLOAT] = { load_rgba32_float, store_rgba32_float },
};

void
reference_image_init (struct interpret_image *image, const struct gabbro_image_request *request, uint8_t *texels)
{
  *image = (struct interpret_image) {
    .texels = texels,
    .size = { request->width, request->height, 1 },
    .texel_size = (uint32_t) host_image_texel_size (request->format),
    .load = formats[request->format].load,
    .store = formats[request->format].store,
  };
}
