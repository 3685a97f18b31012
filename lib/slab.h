/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Slabs: objects of one size, each of which can be freed. Freed objects go to a
 * free list of their page; a page whose objects are all free is given back to
 * the system (one is kept), so that a compiler that makes and drops many
 * instructions over many passes does not grow. Not thread-safe. */

#pragma once

#include <glib.h>

#include "lib/list.h"

struct gb_slab
{
  gsize object_size;
  guint objects_per_page;
  struct gb_list pages_free;     /* pages with at least one free object */
  struct gb_list pages_full;
  gsize n_objects;               /* live */
  gsize n_pages;
};

void     gb_slab_init   (struct gb_slab *slab, gsize object_size);
/* Frees all pages with whatever is still alive in them. */
void     gb_slab_clear  (struct gb_slab *slab);
/* Cleared memory, aligned to 16 bytes. */
gpointer gb_slab_alloc  (struct gb_slab *slab);
void     gb_slab_free   (struct gb_slab *slab, gpointer object);
