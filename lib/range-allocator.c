/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/range-allocator.h"

#include <string.h>

#include "lib/checked.h"

#define SUBDIVISION_BITS 3
#define SUBDIVISIONS     (1u << SUBDIVISION_BITS)
#define WORD_BITS        64

/* How many ranges of the bin in which a request itself would lie are looked at
 * before a larger one is cut: exact fits are common and keep large ranges whole. */
#define GOOD_FIT_TRIES 4

struct gb_range
{
  struct gb_list bin_link;
  struct gb_range *previous;
  struct gb_range *next;
  guint64 offset;
  guint64 size;
  bool is_free;
};

/* The bin that holds ranges of this size. Sizes below 16 have bins of their
 * own, each larger power of two has eight. */
static guint
bin_of (guint64 size)
{
  guint log2;

  if (size < SUBDIVISIONS)
    return (guint) size;
  log2 = WORD_BITS - 1 - (guint) __builtin_clzll (size);
  return (log2 - SUBDIVISION_BITS + 1) * SUBDIVISIONS
         + (guint) ((size >> (log2 - SUBDIVISION_BITS)) & (SUBDIVISIONS - 1));
}

/* The first bin whose every range has at least this size. */
static guint
bin_not_below (guint64 size)
{
  guint bin = bin_of (size);

  if (size >= 2 * SUBDIVISIONS)
    {
      guint shift = WORD_BITS - 1 - (guint) __builtin_clzll (size) - SUBDIVISION_BITS;

      if ((size & (((guint64) 1 << shift) - 1)) != 0)
        bin++;
    }
  return bin;
}

/* The first bin at or behind `bin` that is not empty, or GB_RANGE_BINS. */
static guint
next_bin (const struct gb_range_allocator *allocator,
          guint bin)
{
  guint word = bin / WORD_BITS;
  guint64 bits;

  if (bin >= GB_RANGE_BINS)
    return GB_RANGE_BINS;
  bits = allocator->bins_in_use[word] & (G_MAXUINT64 << (bin % WORD_BITS));
  while (bits == 0)
    {
      if (++word == G_N_ELEMENTS (allocator->bins_in_use))
        return GB_RANGE_BINS;
      bits = allocator->bins_in_use[word];
    }
  return word * WORD_BITS + (guint) __builtin_ctzll (bits);
}

static void
insert_free (struct gb_range_allocator *allocator,
             struct gb_range *range)
{
  guint bin = bin_of (range->size);

  range->is_free = true;
  gb_list_prepend (&allocator->bins[bin], &range->bin_link);
  allocator->bins_in_use[bin / WORD_BITS] |= (guint64) 1 << (bin % WORD_BITS);
}

static void
remove_free (struct gb_range_allocator *allocator,
             struct gb_range *range)
{
  guint bin = bin_of (range->size);

  range->is_free = false;
  gb_list_remove (&range->bin_link);
  if (gb_list_is_empty (&allocator->bins[bin]))
    allocator->bins_in_use[bin / WORD_BITS] &= ~((guint64) 1 << (bin % WORD_BITS));
}

static struct gb_range *
new_range (struct gb_range_allocator *allocator,
           guint64 offset,
           guint64 size)
{
  struct gb_range *range = gb_slab_alloc (&allocator->ranges);

  gb_list_init (&range->bin_link);
  range->offset = offset;
  range->size = size;
  return range;
}

/* Everything but the memory itself. */
static void
start (struct gb_range_allocator *allocator)
{
  allocator->used = 0;
  allocator->n_used = 0;
  allocator->first = NULL;
  memset (allocator->bins_in_use, 0, sizeof allocator->bins_in_use);
  for (guint i = 0; i < GB_RANGE_BINS; i++)
    gb_list_init (&allocator->bins[i]);
  if (allocator->size != 0)
    {
      allocator->first = new_range (allocator, 0, allocator->size);
      insert_free (allocator, allocator->first);
    }
}

void
gb_range_allocator_init (struct gb_range_allocator *allocator,
                         guint64 size)
{
  allocator->size = size;
  allocator->used_by_offset = g_hash_table_new (g_int64_hash, g_int64_equal);
  gb_slab_init (&allocator->ranges, sizeof (struct gb_range));
  start (allocator);
}

void
gb_range_allocator_clear (struct gb_range_allocator *allocator)
{
  g_clear_pointer (&allocator->used_by_offset, g_hash_table_unref);
  gb_slab_clear (&allocator->ranges);
  allocator->first = NULL;
  allocator->size = 0;
  allocator->used = 0;
  allocator->n_used = 0;
}

void
gb_range_allocator_reset (struct gb_range_allocator *allocator)
{
  g_hash_table_remove_all (allocator->used_by_offset);
  gb_slab_clear (&allocator->ranges);
  start (allocator);
}

/* Where in a free range the request would lie. */
static bool
place (const struct gb_range *range,
       guint64 size,
       guint64 alignment,
       guint64 *offset)
{
  guint64 aligned;

  if (!gb_checked_align (range->offset, alignment, &aligned)
      || aligned - range->offset > range->size
      || size > range->size - (aligned - range->offset))
    return false;
  *offset = aligned;
  return true;
}

static struct gb_range *
search_bin (const struct gb_range_allocator *allocator,
            guint bin,
            guint64 size,
            guint64 alignment,
            guint tries,
            guint64 *offset)
{
  gb_list_for_each (range, &allocator->bins[bin], struct gb_range, bin_link)
    {
      if (tries-- == 0)
        break;
      if (place (range, size, alignment, offset))
        return range;
    }
  return NULL;
}

static struct gb_range *
find_range (const struct gb_range_allocator *allocator,
            guint64 size,
            guint64 alignment,
            guint64 *offset)
{
  struct gb_range *range;
  guint64 padded;
  guint last = GB_RANGE_BINS;
  guint bin;

  range = search_bin (allocator, bin_of (size), size, alignment, GOOD_FIT_TRIES, offset);
  if (range != NULL)
    return range;

  /* Any range of this size will do, wherever it starts. */
  if (gb_checked_add (size, alignment - 1, &padded))
    {
      last = bin_not_below (padded);
      bin = next_bin (allocator, last);
      if (bin < GB_RANGE_BINS)
        return search_bin (allocator, bin, size, alignment, 1, offset);
    }

  /* What is left are ranges that may or may not hold the request, depending on
   * where they start. */
  for (bin = next_bin (allocator, bin_of (size)); bin < last; bin = next_bin (allocator, bin + 1))
    {
      range = search_bin (allocator, bin, size, alignment, G_MAXUINT, offset);
      if (range != NULL)
        return range;
    }
  return NULL;
}

/* Cuts `range` at `offset` and puts the part behind it in the bins. */
static void
split_tail (struct gb_range_allocator *allocator,
            struct gb_range *range,
            guint64 size)
{
  struct gb_range *tail;

  if (range->size == size)
    return;
  tail = new_range (allocator, range->offset + size, range->size - size);
  tail->previous = range;
  tail->next = range->next;
  if (tail->next != NULL)
    tail->next->previous = tail;
  range->next = tail;
  range->size = size;
  insert_free (allocator, tail);
}

/* Cuts what lies before `offset` off and puts it in the bins. */
static void
split_head (struct gb_range_allocator *allocator,
            struct gb_range *range,
            guint64 offset)
{
  struct gb_range *head;

  if (range->offset == offset)
    return;
  head = new_range (allocator, range->offset, offset - range->offset);
  head->previous = range->previous;
  head->next = range;
  if (head->previous != NULL)
    head->previous->next = head;
  else
    allocator->first = head;
  range->previous = head;
  range->size -= head->size;
  range->offset = offset;
  insert_free (allocator, head);
}

bool
gb_range_allocator_alloc (struct gb_range_allocator *allocator,
                          guint64 size,
                          guint64 alignment,
                          guint64 *offset)
{
  struct gb_range *range;
  guint64 at = 0;

  if (size == 0 || size > allocator->size || !gb_is_power_of_two (alignment))
    return false;

  range = find_range (allocator, size, alignment, &at);
  if (range == NULL)
    return false;

  remove_free (allocator, range);
  split_head (allocator, range, at);
  split_tail (allocator, range, size);
  g_hash_table_insert (allocator->used_by_offset, &range->offset, range);
  allocator->used += size;
  allocator->n_used++;
  *offset = at;
  return true;
}

/* Adds `next`, which follows `range`, to it. */
static void
join (struct gb_range_allocator *allocator,
      struct gb_range *range,
      struct gb_range *next)
{
  range->size += next->size;
  range->next = next->next;
  if (range->next != NULL)
    range->next->previous = range;
  gb_slab_free (&allocator->ranges, next);
}

bool
gb_range_allocator_free (struct gb_range_allocator *allocator,
                         guint64 offset)
{
  struct gb_range *range = g_hash_table_lookup (allocator->used_by_offset, &offset);

  if (range == NULL)
    return false;

  g_hash_table_remove (allocator->used_by_offset, &offset);
  allocator->used -= range->size;
  allocator->n_used--;

  if (range->next != NULL && range->next->is_free)
    {
      remove_free (allocator, range->next);
      join (allocator, range, range->next);
    }
  if (range->previous != NULL && range->previous->is_free)
    {
      range = range->previous;
      remove_free (allocator, range);
      join (allocator, range, range->next);
    }
  insert_free (allocator, range);
  return true;
}

guint64
gb_range_allocator_size_of (const struct gb_range_allocator *allocator,
                            guint64 offset)
{
  const struct gb_range *range = g_hash_table_lookup (allocator->used_by_offset, &offset);

  return range != NULL ? range->size : 0;
}

guint64
gb_range_allocator_largest_free (const struct gb_range_allocator *allocator)
{
  guint64 largest = 0;
  guint bin = GB_RANGE_BINS;

  for (guint word = G_N_ELEMENTS (allocator->bins_in_use); word-- > 0;)
    if (allocator->bins_in_use[word] != 0)
      {
        bin = word * WORD_BITS + WORD_BITS - 1
              - (guint) __builtin_clzll (allocator->bins_in_use[word]);
        break;
      }
  if (bin == GB_RANGE_BINS)
    return 0;

  gb_list_for_each (range, &allocator->bins[bin], struct gb_range, bin_link)
    largest = MAX (largest, range->size);
  return largest;
}

guint64
gb_range_allocator_used (const struct gb_range_allocator *allocator)
{
  return allocator->used;
}

gsize
gb_range_allocator_count (const struct gb_range_allocator *allocator)
{
  return allocator->n_used;
}

bool
gb_range_allocator_is_empty (const struct gb_range_allocator *allocator)
{
  return allocator->n_used == 0;
}
