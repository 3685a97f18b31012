/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of the tests of the examples: four doubles a texel on the host, whatever the
 * format is on the device. */

#pragma once

#include <gabbro/gabbro.h>

/* How far a value stored in a format may be from what was written: half a step of 1/255, and
 * what Vulkan leaves to rounding there. */
#define RGBA8_STEP  (1.0 / 255.0)
#define RGBA8_ERROR (0.6 * RGBA8_STEP)

struct picture
{
  guint width, height;
  double *texels;
};

struct picture  picture_new         (guint width, guint height);
void            picture_clear       (struct picture *picture);

/* Outside of the picture its edge goes on. */
const double   *picture_at          (const struct picture *picture, int x, int y);
double         *picture_texel       (struct picture *picture, guint x, guint y);

/* Random texels of 0 to 1 from a seed, and one colour all over. */
void            picture_fill_random (struct picture *picture, guint32 seed);
void            picture_fill        (struct picture *picture, const double colour[4]);

/* What the format cannot hold is lost. */
GabbroImage    *picture_upload      (struct picture *picture, GabbroDevice *device, GabbroFormat format);
struct picture  picture_download    (GabbroImage *image);

/* The largest difference of two components. */
double          picture_difference  (const struct picture *a, const struct picture *b);

/* The error of storing in the format, in units of the value. */
double          format_error        (GabbroFormat format);
const char     *format_name         (GabbroFormat format);
