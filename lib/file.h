/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that others may read or write at the same time: they are there whole, as they were or as they become. */

#pragma once

#include <glib.h>
#include <stdbool.h>

enum gb_file_flags
{
  GB_FILE_PLAIN   = 0,
  GB_FILE_DURABLE = 1 << 0,     /* on the disk before it takes the place of the old one */
  GB_FILE_PRIVATE = 1 << 1,     /* for its owner alone; otherwise the mode of the old file, or what umask leaves */
  GB_FILE_ITSELF  = 1 << 2      /* whatever has the name is replaced, and not what a link leads to */
};

/* How names of files begin that are being written; what is left of such a file can go. */
#define GB_FILE_TEMPORARY ".gabbro-"

/* Replaces the file, or the one that a symbolic link leads to. On failure (G_FILE_ERROR) the old one is as it was and nothing
 * is left behind. */
bool    gb_file_replace (const char *path, gconstpointer data, gsize size, unsigned flags, GError **error);
/* The bytes of a regular file of at the most `limit` bytes; NULL (G_FILE_ERROR) otherwise. Follows no symbolic link, waits for nothing. */
GBytes *gb_file_read    (const char *path, guint64 limit, GError **error);
/* The same for a file of the system's, which a link may stand for. */
GBytes *gb_file_read_linked (const char *path, guint64 limit, GError **error);
