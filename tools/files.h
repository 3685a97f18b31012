/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files: bounded reading of regular files, and writing that touches the target
 * only when everything has been written. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#define TOOL_SOURCE_LIMIT  (G_GUINT64_CONSTANT (16) << 20)
#define TOOL_PICTURE_LIMIT (G_GUINT64_CONSTANT (256) << 20)
#define TOOL_ARRAY_LIMIT   (G_GUINT64_CONSTANT (4) << 30)

/* Opens a regular file of at most `limit` bytes for reading; -1 with an error for
 * anything else. Never blocks on a FIFO. */
int tool_open_input (const char *filename, guint64 limit, guint64 *size, GError **error);
/* Reads until `size` bytes or the end; -1 with an error. */
gssize tool_read_some (int fd, const char *filename, gpointer data, gsize size, GError **error);
/* The whole file; a NUL stands behind the last byte, outside the size. */
GBytes *tool_read_file (const char *filename, guint64 limit, GError **error);

/* Whether it is a folder in which files can be looked up. */
bool tool_check_folder (const char *filename, GError **error);

/* Whether an output file can be made there: early, before any work. */
bool tool_check_output (const char *filename, GError **error);

/* A new file beside its target. Give it up or commit it: nothing else frees it. */
struct tool_writer;
struct tool_writer *tool_writer_new (const char *filename, GError **error);
bool tool_writer_write  (struct tool_writer *writer, gconstpointer data, gsize size, GError **error);
/* All written and on the disk; the target is still as it was. */
bool tool_writer_finish (struct tool_writer *writer, GError **error);
/* Renames to the target and frees the writer in any case. */
bool tool_writer_commit (struct tool_writer *writer, GError **error);
void tool_writer_give_up (struct tool_writer *writer);

/* Writes all of it, then renames. */
bool tool_write_file   (const char *filename, gconstpointer data, gsize size, GError **error);
bool tool_write_stdout (gconstpointer data, gsize size, GError **error);
