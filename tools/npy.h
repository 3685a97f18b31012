/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Array files of NumPy, format 1.0 and 2.0: little-endian numbers of the types that
 * kernels have, bools, and bytes that NumPy knows nothing of; C order. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "tools/files.h"

#define TOOL_NPY_MAX_DIMENSIONS 32
#define TOOL_NPY_MAX_HEADER (64 * 1024)

/* Size of one number or block of bytes. */
#define TOOL_NPY_MAX_SIZE (1 << 24)

struct tool_npy_type
{
  char kind;                    /* as NumPy has it: 'f', 'i', 'u', 'b'; 'V': bytes, as structures are */
  guint size;                   /* bytes */
};

struct tool_npy
{
  struct tool_npy_type type;
  guint n_dimensions;           /* 0: one number */
  guint64 shape[TOOL_NPY_MAX_DIMENSIONS];
  guint64 n_numbers;            /* the product; fits in bytes */
  GBytes *data;                 /* in the host's byte order; NULL from the header alone */
};

/* The dictionary, without the magic bytes in front. `name` stands before errors. */
bool tool_npy_parse_header (struct tool_npy *npy, const char *name, const char *text, gsize length, GError **error);
/* `npy` is changed only on success. */
bool tool_npy_read  (struct tool_npy *npy, const char *filename, guint64 limit, GError **error);
void tool_npy_clear (struct tool_npy *npy);
/* "<f4", "|u1". */
char *tool_npy_type_name (struct tool_npy_type type);

/* Header, padded to 64 bytes, and numbers. These are in host order and may be
 * turned around in place. */
bool tool_npy_write (struct tool_writer *writer,
                     struct tool_npy_type type,
                     const guint64 *shape,
                     guint n_dimensions,
                     gpointer numbers,
                     gsize size,
                     GError **error);
