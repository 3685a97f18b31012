/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Array files of NumPy, format 1.0 and 2.0: little-endian floats of 16 and 32 bits, signed
 * and unsigned whole numbers of 8 to 32, C order. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "tools/files.h"

#define TOOL_NPY_MAX_DIMENSIONS 32
#define TOOL_NPY_MAX_HEADER (64 * 1024)

enum tool_npy_type
{
  TOOL_NPY_FLOAT,
  TOOL_NPY_INT,
  TOOL_NPY_UINT,
  TOOL_NPY_FLOAT16,
  TOOL_NPY_INT8,
  TOOL_NPY_UINT8,
  TOOL_NPY_INT16,
  TOOL_NPY_UINT16
};

/* Bytes of a number. */
guint tool_npy_type_size (enum tool_npy_type type);
/* As people call it. */
const char *tool_npy_type_name (enum tool_npy_type type);


struct tool_npy
{
  enum tool_npy_type type;
  guint n_dimensions;           /* 0: one number */
  guint64 shape[TOOL_NPY_MAX_DIMENSIONS];
  guint64 n_numbers;            /* the product; its bytes fit */
  GBytes *data;                 /* in the host's byte order; NULL from the header alone */
};

/* The dictionary, without the magic bytes in front. `name` stands before errors. */
bool tool_npy_parse_header (struct tool_npy *npy, const char *name, const char *text, gsize length, GError **error);
/* `npy` is changed only on success. */
bool tool_npy_read  (struct tool_npy *npy, const char *filename, guint64 limit, GError **error);
void tool_npy_clear (struct tool_npy *npy);

/* Header, padded to 64 bytes, and numbers. These are in host order and may be
 * turned around in place. */
bool tool_npy_write (struct tool_writer *writer,
                     enum tool_npy_type type,
                     const guint64 *shape,
                     guint n_dimensions,
                     gpointer numbers,
                     gsize size,
                     GError **error);
