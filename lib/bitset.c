/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/bitset.h"

#include <string.h>

#define WORD_BITS 64

static gsize
words_for (gsize n_bits)
{
  return n_bits / WORD_BITS + (n_bits % WORD_BITS != 0);
}

/* Restores the rule that bits behind the size are zero. */
static void
trim (struct gb_bitset *set)
{
  if (set->n_bits % WORD_BITS != 0)
    set->words[set->n_words - 1] &= ((guint64) 1 << (set->n_bits % WORD_BITS)) - 1;
}

void
gb_bitset_init (struct gb_bitset *set,
                gsize n_bits)
{
  set->n_bits = n_bits;
  set->n_words = words_for (n_bits);
  set->words = g_new0 (guint64, set->n_words);
}

void
gb_bitset_clear (struct gb_bitset *set)
{
  g_free (set->words);
  set->words = NULL;
  set->n_words = 0;
  set->n_bits = 0;
}

void
gb_bitset_resize (struct gb_bitset *set,
                  gsize n_bits)
{
  gsize n_words = words_for (n_bits);

  if (n_words != set->n_words)
    set->words = g_renew (guint64, set->words, n_words);
  if (n_words > set->n_words)
    memset (set->words + set->n_words, 0, (n_words - set->n_words) * sizeof (guint64));
  set->n_words = n_words;
  set->n_bits = n_bits;
  trim (set);
}

void
gb_bitset_zero (struct gb_bitset *set)
{
  if (set->n_words != 0)
    memset (set->words, 0, set->n_words * sizeof (guint64));
}

void
gb_bitset_fill (struct gb_bitset *set)
{
  if (set->n_words != 0)
    memset (set->words, 0xff, set->n_words * sizeof (guint64));
  trim (set);
}

void
gb_bitset_copy (struct gb_bitset *set,
                const struct gb_bitset *other)
{
  gb_bitset_resize (set, other->n_bits);
  if (other->n_words != 0)
    memcpy (set->words, other->words, other->n_words * sizeof (guint64));
}

bool
gb_bitset_is_empty (const struct gb_bitset *set)
{
  for (gsize i = 0; i < set->n_words; i++)
    if (set->words[i] != 0)
      return false;
  return true;
}

bool
gb_bitset_equal (const struct gb_bitset *a,
                 const struct gb_bitset *b)
{
  return a->n_bits == b->n_bits
         && (a->n_words == 0
             || memcmp (a->words, b->words, a->n_words * sizeof (guint64)) == 0);
}

bool
gb_bitset_is_subset (const struct gb_bitset *inner,
                     const struct gb_bitset *outer)
{
  g_return_val_if_fail (inner->n_bits == outer->n_bits, false);

  for (gsize i = 0; i < inner->n_words; i++)
    if ((inner->words[i] & ~outer->words[i]) != 0)
      return false;
  return true;
}

gsize
gb_bitset_count (const struct gb_bitset *set)
{
  gsize count = 0;

  for (gsize i = 0; i < set->n_words; i++)
    count += (gsize) __builtin_popcountll (set->words[i]);
  return count;
}

/* `inverted` is all ones to search for a clear bit, else zero. */
static gsize
search (const struct gb_bitset *set,
        gsize from,
        guint64 inverted)
{
  gsize word = from / WORD_BITS;
  guint64 bits;

  if (from >= set->n_bits)
    return GB_BITSET_NONE;

  bits = (set->words[word] ^ inverted) & (G_MAXUINT64 << (from % WORD_BITS));
  while (bits == 0)
    {
      if (++word == set->n_words)
        return GB_BITSET_NONE;
      bits = set->words[word] ^ inverted;
    }

  from = word * WORD_BITS + (gsize) __builtin_ctzll (bits);
  return from < set->n_bits ? from : GB_BITSET_NONE;
}

gsize
gb_bitset_next_set (const struct gb_bitset *set,
                    gsize from)
{
  return search (set, from, 0);
}

gsize
gb_bitset_next_clear (const struct gb_bitset *set,
                      gsize from)
{
  return search (set, from, G_MAXUINT64);
}

bool
gb_bitset_union (struct gb_bitset *set,
                 const struct gb_bitset *other)
{
  guint64 changed = 0;

  g_return_val_if_fail (set->n_bits == other->n_bits, false);

  for (gsize i = 0; i < set->n_words; i++)
    {
      changed |= other->words[i] & ~set->words[i];
      set->words[i] |= other->words[i];
    }
  return changed != 0;
}

bool
gb_bitset_intersect (struct gb_bitset *set,
                     const struct gb_bitset *other)
{
  guint64 changed = 0;

  g_return_val_if_fail (set->n_bits == other->n_bits, false);

  for (gsize i = 0; i < set->n_words; i++)
    {
      changed |= set->words[i] & ~other->words[i];
      set->words[i] &= other->words[i];
    }
  return changed != 0;
}

bool
gb_bitset_subtract (struct gb_bitset *set,
                    const struct gb_bitset *other)
{
  guint64 changed = 0;

  g_return_val_if_fail (set->n_bits == other->n_bits, false);

  for (gsize i = 0; i < set->n_words; i++)
    {
      changed |= set->words[i] & other->words[i];
      set->words[i] &= ~other->words[i];
    }
  return changed != 0;
}
