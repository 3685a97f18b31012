/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Formats of images by the names that they have on the command line: those of GabbroFormat, such as
 * "rg16-float", and "rgba8" and "rgba32f" for the two that pictures have. Compressed ones, which no kernel
 * writes and no array holds, are apart. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/npy.h"

struct tool_format
{
  GabbroFormat format;
  guint n_components;           /* 1, 2 or 4 */
  struct tool_npy_type type;    /* of a component as a number */
  const char *seen;             /* "float", "int" or "uint": what a kernel reads and writes */
};

/* NULL where there is no such name; the names are then in `names`, to be freed with g_free(). */
const struct tool_format *tool_format_find (const char *name, const char ***names);
const struct tool_format *tool_format_of   (GabbroFormat format);
/* Compressed ones, which the former two leave out: one by its name, and the bytes of a block of 4×4 texels; 0: it is none. */
bool  tool_format_find_compressed (const char *name, GabbroFormat *format);
guint tool_format_block_size      (GabbroFormat format);
/* The format of an array of such components that a kernel reads as `seen`, or NULL. */
const struct tool_format *tool_format_for_array (struct tool_npy_type type, guint n_components, const char *seen);
