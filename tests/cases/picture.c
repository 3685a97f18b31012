/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/cases/picture.h"

#include <math.h>

#include "tests/test-main.h"

#define assert_no_error(error) ck_assert_msg ((error) == NULL, "%s", (error) != NULL ? (error)->message : "")

struct picture
picture_new (guint width, guint height)
{
  struct picture picture = { width, height, g_new0 (double, (gsize) width * height * 4) };

  return picture;
}

void
picture_clear (struct picture *picture)
{
  g_clear_pointer (&picture->texels, g_free);
}

double *
picture_texel (struct picture *picture, guint x, guint y)
{
  return picture->texels + ((gsize) y * picture->width + x) * 4;
}

const double *
picture_at (const struct picture *picture, int x, int y)
{
  x = CLAMP (x, 0, (int) picture->width - 1);
  y = CLAMP (y, 0, (int) picture->height - 1);
  return picture->texels + ((gsize) y * picture->width + (gsize) x) * 4;
}

void
picture_fill_random (struct picture *picture, guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < (gsize) picture->width * picture->height * 4; i++)
    picture->texels[i] = g_rand_double (random);
  g_rand_free (random);
}

void
picture_fill (struct picture *picture, const double colour[4])
{
  for (gsize i = 0; i < (gsize) picture->width * picture->height * 4; i++)
    picture->texels[i] = colour[i % 4];
}

GabbroImage *
picture_upload (struct picture *picture, GabbroDevice *device, GabbroFormat format)
{
  gsize n = (gsize) picture->width * picture->height * 4;
  float *floats = g_new (float, n);
  guint8 *bytes = g_new (guint8, n);
  GError *error = NULL;
  GabbroImage *image = gabbro_image_new_2d (device, format, picture->width, picture->height, &error);

  assert_no_error (error);
  for (gsize i = 0; i < n; i++)
    {
      floats[i] = (float) picture->texels[i];
      bytes[i] = (guint8) lround (CLAMP (picture->texels[i], 0, 1) * 255);
      picture->texels[i] = format == GABBRO_FORMAT_RGBA8_UNORM ? bytes[i] / 255.0 : floats[i];
    }
  if (format == GABBRO_FORMAT_RGBA8_UNORM)
    gabbro_image_upload (image, bytes, n, &error);
  else
    gabbro_image_upload (image, floats, n * sizeof *floats, &error);
  assert_no_error (error);
  g_free (floats);
  g_free (bytes);
  return image;
}

struct picture
picture_download (GabbroImage *image)
{
  struct picture picture = picture_new (gabbro_image_get_width (image), gabbro_image_get_height (image));
  gsize n = (gsize) picture.width * picture.height * 4;
  gboolean is_bytes = gabbro_image_get_format (image) == GABBRO_FORMAT_RGBA8_UNORM;
  gsize size = is_bytes ? n : n * sizeof (float);
  guint8 *data = g_malloc (size);
  GError *error = NULL;

  ck_assert_uint_eq (gabbro_image_get_size (image), size);
  gabbro_image_download (image, data, size, &error);
  assert_no_error (error);
  for (gsize i = 0; i < n; i++)
    picture.texels[i] = is_bytes ? data[i] / 255.0 : ((float *) (gpointer) data)[i];
  g_free (data);
  return picture;
}

double
picture_difference (const struct picture *a, const struct picture *b)
{
  double largest = 0;

  ck_assert_uint_eq (a->width, b->width);
  ck_assert_uint_eq (a->height, b->height);
  for (gsize i = 0; i < (gsize) a->width * a->height * 4; i++)
    {
      double difference = fabs (a->texels[i] - b->texels[i]);

      /* NaN is as far away as can be. */
      if (!(difference <= largest))
        largest = isnan (difference) ? INFINITY : difference;
    }
  return largest;
}

double
format_error (GabbroFormat format)
{
  return format == GABBRO_FORMAT_RGBA8_UNORM ? RGBA8_ERROR : 0;
}

const char *
format_name (GabbroFormat format)
{
  return format == GABBRO_FORMAT_RGBA8_UNORM ? "RGBA8" : "RGBA32F";
}
