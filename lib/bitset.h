/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bitsets of a size known at run time. Bits behind the size are always zero, so
 * that whole words can be compared and counted. Sets that are combined must be
 * of one size. Not thread-safe. */

#pragma once

#include <glib.h>
#include <stdbool.h>

struct gb_bitset
{
  guint64 *words;
  gsize n_words;
  gsize n_bits;
};

/* What the searches answer when there is no such bit. */
#define GB_BITSET_NONE G_MAXSIZE

/* All bits zero. */
void gb_bitset_init   (struct gb_bitset *set, gsize n_bits);
void gb_bitset_clear  (struct gb_bitset *set);
/* Keeps the bits below both sizes; new bits are zero. */
void gb_bitset_resize (struct gb_bitset *set, gsize n_bits);
void gb_bitset_zero   (struct gb_bitset *set);
void gb_bitset_fill   (struct gb_bitset *set);
/* `set` is initialised and takes the size of `other` too. */
void gb_bitset_copy   (struct gb_bitset *set, const struct gb_bitset *other);

static inline bool
gb_bitset_test (const struct gb_bitset *set, gsize bit)
{
  return bit < set->n_bits && (set->words[bit / 64] >> (bit % 64) & 1) != 0;
}

/* Whether the bit was clear before. A bit behind the size is not set. */
static inline bool
gb_bitset_set (struct gb_bitset *set, gsize bit)
{
  guint64 mask = (guint64) 1 << (bit % 64);

  if (bit >= set->n_bits || (set->words[bit / 64] & mask) != 0)
    return false;
  set->words[bit / 64] |= mask;
  return true;
}

/* Whether the bit was set before. */
static inline bool
gb_bitset_unset (struct gb_bitset *set, gsize bit)
{
  guint64 mask = (guint64) 1 << (bit % 64);

  if (bit >= set->n_bits || (set->words[bit / 64] & mask) == 0)
    return false;
  set->words[bit / 64] &= ~mask;
  return true;
}

bool  gb_bitset_is_empty  (const struct gb_bitset *set);
bool  gb_bitset_equal     (const struct gb_bitset *a, const struct gb_bitset *b);
/* Whether each bit of `inner` is in `outer`. */
bool  gb_bitset_is_subset (const struct gb_bitset *inner, const struct gb_bitset *outer);
gsize gb_bitset_count     (const struct gb_bitset *set);
/* The first such bit at or behind `from`, or GB_BITSET_NONE. */
gsize gb_bitset_next_set   (const struct gb_bitset *set, gsize from);
gsize gb_bitset_next_clear (const struct gb_bitset *set, gsize from);

/* These answer whether `set` changed, which is what a data-flow loop asks. */
bool gb_bitset_union     (struct gb_bitset *set, const struct gb_bitset *other);
bool gb_bitset_intersect (struct gb_bitset *set, const struct gb_bitset *other);
bool gb_bitset_subtract  (struct gb_bitset *set, const struct gb_bitset *other);

#define gb_bitset_for_each(bit, set)                        \
  for (gsize bit = gb_bitset_next_set (set, 0);             \
       bit != GB_BITSET_NONE;                               \
       bit = gb_bitset_next_set (set, bit + 1))
