/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hands out ranges of something that it never touches: offsets into a block of
 * device memory, slots of a heap. Free ranges are kept in bins by size (eight to
 * each power of two) and neighbours are joined, so that taking and giving back
 * cost the same with a hundred thousand live ranges as with ten. A request fails
 * only when no free range can hold it. Not thread-safe. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "lib/list.h"
#include "lib/slab.h"

#define GB_RANGE_BINS 496

struct gb_range;

struct gb_range_allocator
{
  guint64 size;
  guint64 used;
  gsize n_used;                         /* live ranges */
  struct gb_range *first;               /* by offset; free and used ones */
  GHashTable *used_by_offset;
  struct gb_slab ranges;
  guint64 bins_in_use[GB_RANGE_BINS / 64 + 1];
  struct gb_list bins[GB_RANGE_BINS];
};

void    gb_range_allocator_init  (struct gb_range_allocator *allocator, guint64 size);
void    gb_range_allocator_clear (struct gb_range_allocator *allocator);
/* Forgets every range. */
void    gb_range_allocator_reset (struct gb_range_allocator *allocator);

/* A range of `size` > 0 at a multiple of `alignment`, a power of two. False,
 * with `*offset` untouched, when there is none. */
bool    gb_range_allocator_alloc (struct gb_range_allocator *allocator,
                                  guint64 size,
                                  guint64 alignment,
                                  guint64 *offset);
/* False when no live range starts at `offset`. */
bool    gb_range_allocator_free  (struct gb_range_allocator *allocator, guint64 offset);

/* The size of the live range that starts there, 0 when none does. */
guint64 gb_range_allocator_size_of      (const struct gb_range_allocator *allocator, guint64 offset);
/* The largest size that an alignment of 1 would grant. */
guint64 gb_range_allocator_largest_free (const struct gb_range_allocator *allocator);
guint64 gb_range_allocator_used         (const struct gb_range_allocator *allocator);
gsize   gb_range_allocator_count        (const struct gb_range_allocator *allocator);
bool    gb_range_allocator_is_empty     (const struct gb_range_allocator *allocator);
