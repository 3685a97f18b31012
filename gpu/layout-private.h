/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "gpu/gabbro-private.h"

struct gabbro_layout_member
{
  char *name;
  guint64 offset;                        /* bytes from the start of the structure */
  GabbroLayout *layout;
};

/* A tree; what occurs twice in it is one node. */
struct _GabbroLayout
{
  gatomicrefcount references;
  GabbroLayoutKind kind;
  char *name;
  guint64 size;                          /* bytes */
  guint alignment;                       /* bytes */
  guint64 length;                        /* vector, array */
  guint64 stride;                        /* vector, array: bytes from one element to the next */
  GabbroLayout *element;                 /* vector, array */
  guint n_members;                       /* structure */
  struct gabbro_layout_member *members;
};
