/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements of buffers from files and into them: array files of NumPy, which have no padding, and raw bytes, which are as in
 * memory. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/files.h"

/* Fills `data` with `length` elements that lie as the layout says. `what` is the argument. */
bool tool_array_read     (GabbroLayout *layout, const char *what, const char *filename, GBytes **data, guint64 *length, GError **error);
bool tool_array_read_raw (GabbroLayout *layout, const char *what, const char *filename, GBytes **data, guint64 *length, GError **error);
/* As a file that tool_array_read() takes. `elements` may be changed. */
bool tool_array_write    (struct tool_writer *writer, GabbroLayout *layout, const char *what, gpointer elements, guint64 length, GError **error);

/* Numbers without padding into `n_elements` elements with it, and back. NULL when there is not enough memory. Structures
 * and arrays of them keep theirs. */
gpointer tool_array_pad   (GabbroLayout *layout, gconstpointer tight, gsize n_elements);
gpointer tool_array_unpad (GabbroLayout *layout, gconstpointer padded, gsize n_elements);
