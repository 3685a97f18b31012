/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The types of a kernel's arguments, as far as files and a command line have to know them. What they are and where their
 * parts lie says the library (GabbroLayout). */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

/* Numbers that one value or element may have here. */
#define TOOL_MAX_NUMBERS    (1 << 20)
#define TOOL_MAX_DIMENSIONS 16

/* What an element is made of. */
struct tool_shape
{
  GabbroLayoutKind scalar;      /* of all its numbers; GABBRO_LAYOUT_STRUCT: it is, or has, a structure */
  gsize scalar_size;            /* bytes; of a structure the whole of it */
  guint n_dimensions;           /* of arrays, matrices and vectors, the outermost first */
  guint64 dimensions[TOOL_MAX_DIMENSIONS];
};

/* Whether it is a word for a type of the language, with or without lengths behind it: "float4", "int[3]". */
bool    tool_type_is_name (const char *text);
/* Words for types, for suggestions; ends with NULL. */
const char *const *tool_type_names (void);
/* Scalars in it, padding not counted; more than TOOL_MAX_NUMBERS: too many to say how many. */
guint64 tool_type_n_numbers (GabbroLayout *layout);
bool    tool_type_is_scalar (GabbroLayout *layout);
/* False for one that is nested deeper than there is room for. */
bool    tool_shape_init (struct tool_shape *shape, GabbroLayout *layout);
/* What the bytes of byte buffers are to the host: uchar. The library gives layouts of arguments, so that it takes a kernel with one. */
GabbroLayout *tool_type_of_bytes (GError **error);
