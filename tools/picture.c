/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/picture.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "tools/report.h"

#define CHUNK (64 * 1024)

/* Each scan of a progressive JPEG goes over the whole picture, and may have no more than a few bytes:
 * so many texels in all, with small pictures taken for one of 1024×1024. Encoders make some ten scans. */
#define MAX_SCANNED  ((guint64) 1 << 30)
#define MIN_SCANNED  ((guint64) 1 << 20)
/* Chunks of a PNG, segments of a JPEG: each costs time, however short it is. */
#define MAX_CHUNKS   (1u << 20)
#define MAX_SEGMENTS (1u << 16)

struct reading
{
  const char *filename;
  const char *name;             /* for errors */
  int fd;
  guint64 size;
  bool cut_short;
  guint n_parts;                /* chunks or segments */
  guint n_scans;                /* of a JPEG */
  bool sized;                   /* what follows is known */
  bool too_large;
  int width;
  int height;
  guint max_scans;
};

static const char *
recognise (const guint8 *data, gsize size)
{
  static const guint8 png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };

  if (size >= sizeof png && memcmp (data, png, sizeof png) == 0)
    return "png";
  if (size >= 3 && data[0] == 0xff && data[1] == 0xd8 && data[2] == 0xff)
    return "jpeg";
  return NULL;
}

/* Loaders take a file whose end is missing for a good one with black or grey in it, so
 * the end is looked for here: the chunk IEND, or the marker of the end of a JPEG. */
static bool
png_is_complete (struct reading *reading)
{
  guint64 position = 8;
  guint8 header[8];

  while (reading->size - position >= 12 && ++reading->n_parts <= MAX_CHUNKS)
    {
      if (pread (reading->fd, header, sizeof header, (off_t) position) != (ssize_t) sizeof header)
        return false;
      if (memcmp (header + 4, "IEND", 4) == 0)
        return true;
      guint64 length = (guint64) header[0] << 24 | (guint64) header[1] << 16 | (guint64) header[2] << 8 | header[3];
      if (length > reading->size - position - 12)
        return false;
      position += length + 12;
    }
  return false;
}

/* The next marker at or behind `*position`: entropy-coded data has 0xff only before a
 * zero or a restart marker. `buffer` has CHUNK bytes. Zero when there is none. */
static guint8
next_jpeg_marker (const struct reading *reading, guint8 *buffer, guint64 *position)
{
  bool after_ff = false;
  ssize_t n_read;

  while ((n_read = pread (reading->fd, buffer, CHUNK, (off_t) *position)) > 0)
    {
      for (ssize_t i = 0; i < n_read; i++)
        {
          guint8 byte = buffer[i];
          if (after_ff && byte != 0 && byte != 0xff && (byte < 0xd0 || byte > 0xd7))
            {
              *position += (guint64) i + 1;
              return byte;
            }
          after_ff = byte == 0xff;
        }
      *position += (guint64) n_read;
    }
  return 0;
}

static bool
jpeg_is_complete (struct reading *reading)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  guint64 position = 2;
  guint8 marker;

  while ((marker = next_jpeg_marker (reading, buffer, &position)) != 0 && ++reading->n_parts <= MAX_SEGMENTS)
    {
      guint8 length[2];
      if (marker == 0xd9)
        return true;
      if (marker == 0xda)
        reading->n_scans++;
      /* TEM stands alone; all others have a length, which may hide markers of a thumbnail. */
      if (marker == 0x01)
        continue;
      if (pread (reading->fd, length, sizeof length, (off_t) position) != (ssize_t) sizeof length)
        return false;
      position += (guint64) length[0] << 8 | length[1];
    }
  return false;
}

static bool
is_refused (const struct reading *reading)
{
  return reading->sized && (reading->too_large || reading->cut_short || reading->n_scans > reading->max_scans);
}

/* Before a texel is decoded or memory for them taken. */
static void
on_size_prepared (GdkPixbufLoader *loader, int width, int height, gpointer data)
{
  struct reading *reading = data;

  reading->sized = true;
  reading->width = width;
  reading->height = height;
  reading->too_large = width < 1 || height < 1 || width > TOOL_PICTURE_MAX_SIDE || height > TOOL_PICTURE_MAX_SIDE
                       || (guint64) width * (guint64) height > TOOL_PICTURE_MAX_TEXELS;
  reading->max_scans = reading->too_large ? 0 : (guint) (MAX_SCANNED / MAX ((guint64) width * (guint64) height, MIN_SCANNED));
  /* A size of nothing is what makes a loader stop. */
  if (is_refused (reading))
    gdk_pixbuf_loader_set_size (loader, 0, 0);
}

static bool
fail_with (const struct reading *reading, GError *cause, GError **error)
{
  if (reading->too_large)
    tool_fail (error, _("%s: the picture has %d×%d texels; %d a side and %u in all are allowed"),
               reading->name, reading->width, reading->height, TOOL_PICTURE_MAX_SIDE, TOOL_PICTURE_MAX_TEXELS);
  else if (is_refused (reading) && !reading->cut_short)
    tool_fail (error, _("%s: the picture has %u scans; for %d×%d texels %u are allowed"), reading->name, reading->n_scans,
               reading->width, reading->height, reading->max_scans);
  else if (!is_refused (reading) && cause != NULL)
    tool_fail (error, "%s: %s", reading->name, cause->message);
  else
    tool_fail (error, _("%s: the picture is cut short"), reading->name);
  g_clear_error (&cause);
  return false;
}

/* `buffer` holds the first `filled` bytes. */
static bool
feed (struct reading *reading, GdkPixbufLoader *loader, guint8 *buffer, gsize filled, GError **error)
{
  GError *cause = NULL;
  bool good = true;

  while (good && filled > 0)
    {
      good = gdk_pixbuf_loader_write (loader, buffer, filled, &cause) && !is_refused (reading);
      if (!good)
        break;
      gssize n_read = tool_read_some (reading->fd, reading->filename, buffer, CHUNK, error);
      if (n_read < 0)
        {
          gdk_pixbuf_loader_close (loader, NULL);
          return false;
        }
      filled = (gsize) n_read;
    }
  /* A loader must be closed in any case, and complains once only. */
  good = gdk_pixbuf_loader_close (loader, good ? &cause : NULL) && good;
  return good || fail_with (reading, cause, error);
}

static GBytes *
take_texels (GdkPixbuf *pixbuf, const char *name, GError **error)
{
  gsize width = (gsize) gdk_pixbuf_get_width (pixbuf);
  gsize height = (gsize) gdk_pixbuf_get_height (pixbuf);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  gsize channels = (gsize) gdk_pixbuf_get_n_channels (pixbuf);
  guint8 *texels = g_try_malloc (width * height * 4);
  if (texels == NULL)
    {
      tool_fail (error, _("%s: not enough memory"), name);
      return NULL;
    }
  const guint8 *pixels = gdk_pixbuf_read_pixels (pixbuf);
  for (gsize y = 0; y < height; y++)
    {
      const guint8 *from = pixels + y * stride;
      guint8 *to = texels + y * width * 4;
      if (channels == 4)
        memcpy (to, from, width * 4);
      else
        {
          for (gsize x = 0; x < width; x++, from += channels, to += 4)
            {
              memcpy (to, from, 3);
              to[3] = 255;
            }
        }
    }
  return g_bytes_new_take (texels, width * height * 4);
}

static bool
decode (struct tool_picture *picture, struct reading *reading, GError **error)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  gssize n_read = tool_read_some (reading->fd, reading->filename, buffer, CHUNK, error);
  if (n_read < 0)
    return false;
  const char *type = recognise (buffer, (gsize) n_read);
  if (type == NULL)
    return tool_fail (error, _("%s: is neither a PNG nor a JPEG picture"), reading->name);

  guint max_parts = type[0] == 'p' ? MAX_CHUNKS : MAX_SEGMENTS;
  reading->cut_short = !(type[0] == 'p' ? png_is_complete (reading) : jpeg_is_complete (reading));
  if (reading->n_parts > max_parts)
    return tool_fail (error, _("%s: the picture has more than %u chunks or segments"), reading->name, max_parts);

  GError *cause = NULL;
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new_with_type (type, &cause);
  if (loader == NULL)
    return fail_with (reading, cause, error);
  g_signal_connect (loader, "size-prepared", G_CALLBACK (on_size_prepared), reading);
  if (!feed (reading, loader, buffer, (gsize) n_read, error))
    return false;
  GdkPixbuf *pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  if (pixbuf == NULL || gdk_pixbuf_get_bits_per_sample (pixbuf) != 8 || gdk_pixbuf_get_n_channels (pixbuf) < 3)
    return fail_with (reading, NULL, error);

  g_autoptr (GdkPixbuf) turned = gdk_pixbuf_apply_embedded_orientation (pixbuf);
  GBytes *texels = turned != NULL ? take_texels (turned, reading->name, error) : NULL;
  if (texels == NULL)
    {
      if (turned == NULL)
        tool_fail (error, _("%s: not enough memory"), reading->name);
      return false;
    }
  picture->width = (guint) gdk_pixbuf_get_width (turned);
  picture->height = (guint) gdk_pixbuf_get_height (turned);
  picture->texels = texels;
  return true;
}

bool
tool_picture_read (struct tool_picture *picture, const char *filename, GError **error)
{
  g_autofree char *name = g_filename_display_name (filename);
  struct reading reading = { .filename = filename, .name = name };

  reading.fd = tool_open_input (filename, TOOL_PICTURE_LIMIT, &reading.size, error);
  if (reading.fd < 0)
    return false;
  bool good = decode (picture, &reading, error);
  close (reading.fd);
  return good;
}

void
tool_picture_clear (struct tool_picture *picture)
{
  g_clear_pointer (&picture->texels, g_bytes_unref);
}

enum tool_picture_type
tool_picture_type (const char *filename)
{
  g_autofree char *lower = g_ascii_strdown (filename, -1);

  if (g_str_has_suffix (lower, ".png"))
    return TOOL_PICTURE_PNG;
  if (g_str_has_suffix (lower, ".jpg") || g_str_has_suffix (lower, ".jpeg"))
    return TOOL_PICTURE_JPEG;
  return TOOL_PICTURE_NONE;
}

static guint8
byte_of (const guint8 *texels, bool floats, gsize index)
{
  float value;

  if (!floats)
    return texels[index];
  memcpy (&value, texels + index * 4, sizeof value);
  /* Written so that NaN is on the false side. */
  if (!(value > 0.0f))
    return 0;
  return value >= 1.0f ? 255 : (guint8) (value * 255.0f + 0.5f);
}

static GdkPixbuf *
make_pixbuf (enum tool_picture_type type, gsize width, gsize height, bool floats, const guint8 *texels)
{
  bool alpha = type == TOOL_PICTURE_PNG;
  gsize channels = alpha ? 4 : 3;

  if (alpha && !floats)
    return gdk_pixbuf_new_from_data (texels, GDK_COLORSPACE_RGB, TRUE, 8, (int) width, (int) height,
                                     (int) width * 4, NULL, NULL);
  GdkPixbuf *pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, alpha, 8, (int) width, (int) height);
  if (pixbuf == NULL)
    return NULL;
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  guint8 *pixels = gdk_pixbuf_get_pixels (pixbuf);
  for (gsize y = 0; y < height; y++)
    {
      for (gsize x = 0; x < width; x++)
        {
          for (gsize channel = 0; channel < channels; channel++)
            pixels[y * stride + x * channels + channel] = byte_of (texels, floats, (y * width + x) * 4 + channel);
        }
    }
  return pixbuf;
}

static gboolean
on_encoded (const char *data, gsize size, GError **error, gpointer user_data)
{
  return tool_writer_write (user_data, data, size, error);
}

bool
tool_picture_write (struct tool_writer *writer,
                    enum tool_picture_type type,
                    guint width,
                    guint height,
                    bool floats,
                    gconstpointer texels,
                    GError **error)
{
  g_autoptr (GdkPixbuf) pixbuf = make_pixbuf (type, width, height, floats, texels);

  if (pixbuf == NULL)
    return tool_fail (error, _("not enough memory for a picture of %u×%u texels"), width, height);
  if (type == TOOL_PICTURE_PNG)
    return gdk_pixbuf_save_to_callback (pixbuf, on_encoded, writer, "png", error, NULL);
  return gdk_pixbuf_save_to_callback (pixbuf, on_encoded, writer, "jpeg", error, "quality", "95", NULL);
}
