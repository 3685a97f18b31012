/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PNG and JPEG pictures, in and out, as texels. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "tools/files.h"

/* More of either is refused before anything is decoded. */
#define TOOL_PICTURE_MAX_SIDE   32768
#define TOOL_PICTURE_MAX_TEXELS (32u << 20)

struct tool_picture
{
  guint width;
  guint height;
  GBytes *texels;               /* RGBA, a byte each, no padding */
};

/* `picture` is changed only on success. Turned as its camera says. */
bool tool_picture_read  (struct tool_picture *picture, const char *filename, GError **error);
void tool_picture_clear (struct tool_picture *picture);

/* What the end of a file name asks for. */
enum tool_picture_type
{
  TOOL_PICTURE_NONE,
  TOOL_PICTURE_PNG,
  TOOL_PICTURE_JPEG
};

enum tool_picture_type tool_picture_type (const char *filename);

/* Floats are clamped to 0..1, NaN is 0; JPEG has no alpha. `texels` is RGBA: bytes,
 * or floats when `floats`. */
bool tool_picture_write (struct tool_writer *writer,
                         enum tool_picture_type type,
                         guint width,
                         guint height,
                         bool floats,
                         gconstpointer texels,
                         GError **error);
