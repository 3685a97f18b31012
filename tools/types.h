/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The types of a kernel's arguments, as far as a command line can fill them:
 * scalars of 32 bits, their vectors, arrays and structures, in the host layout of
 * gabbro-kernel(5). A bool travels as a uint. */

#pragma once

#include <glib.h>
#include <stdbool.h>

enum tool_type_kind
{
  TOOL_TYPE_BOOL,
  TOOL_TYPE_INT,
  TOOL_TYPE_UINT,
  TOOL_TYPE_FLOAT,
  TOOL_TYPE_VECTOR,
  TOOL_TYPE_ARRAY,
  TOOL_TYPE_STRUCTURE
};

struct tool_type
{
  enum tool_type_kind kind;
  gsize size;
  gsize alignment;
  guint n_numbers;              /* scalars in it, padding not counted */
  guint count;                  /* lanes, length, members */
  struct tool_type *element;    /* vector, array */
  struct tool_type **members;   /* structure: `count` of them */
  gsize *offsets;               /* structure */
};

/* Reads both spellings: "float4" and "vector<float,4>", "int[3]" and "array<int,3>",
 * "struct<4,float,int>". NULL for everything else. */
struct tool_type *tool_type_parse (const char *text);
void              tool_type_free  (struct tool_type *type);

typedef struct tool_type ToolType;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ToolType, tool_type_free)

bool  tool_type_equal    (const struct tool_type *a, const struct tool_type *b);
/* As a kernel spells it: "float4", "int[3]", "a structure of 5 numbers". */
char *tool_type_describe (const struct tool_type *type);
/* The scalar of a scalar or vector; NULL for what has other parts. */
const struct tool_type *tool_type_scalar (const struct tool_type *type);
/* 1 for a scalar, 2 to 4 for a vector. */
guint tool_type_lanes    (const struct tool_type *type);
