/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "name=value" for each argument of a kernel. Everything that can be checked without
 * a device is checked here, and the files are read. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

/* Bytes that one buffer or image of the command line may have. */
#define TOOL_BUFFER_LIMIT (G_GUINT64_CONSTANT (4) << 30)

struct tool_argument
{
  guint index;
  char *name;
  GabbroArgumentKind kind;
  GabbroUsage usage;
  GabbroLayout *layout;         /* of a value; of the elements of a buffer */
  bool has_type;                /* buffer: its elements have one; otherwise they are bytes, with the layout of a uchar */

  GBytes *data;                 /* a value; what a resource begins with, NULL: zeros */
  guint64 length;               /* buffer: elements */
  GabbroFormat format;          /* image */
  guint width, height, depth;   /* image; depth 0: of two dimensions */
  guint n_levels;               /* image: mip levels that it has; 0: it is a level of another one */
  guint level, owner;           /* ... which, and the index of the argument whose image it is a part of */
  char *output;                 /* file to write afterwards, or NULL */
  bool raw;                     /* buffer: written as it lies in memory */
};

struct tool_arguments
{
  struct tool_argument *list;   /* in the order of the kernel */
  guint n_arguments;
};

/* `texts` has `n_texts` strings. Left empty on failure. */
bool tool_arguments_parse (struct tool_arguments *arguments,
                           GabbroKernel *kernel,
                           const char *const *texts,
                           guint n_texts,
                           GError **error);
void tool_arguments_clear (struct tool_arguments *arguments);

/* What a buffer is of. */
const char *tool_argument_element_name (const struct tool_argument *argument);

/* The size of the images that the kernel writes; fails when there is none or they differ. */
bool tool_arguments_dispatch_size (const struct tool_arguments *arguments, guint32 size[3], GError **error);
