/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/ids.h"

#include <string.h>

#define WORD_BITS 64

static void
grow_level (struct gb_ids *ids,
            guint level,
            gsize n_words)
{
  ids->levels[level] = g_renew (guint64, ids->levels[level], n_words);
  memset (ids->levels[level] + ids->n_words[level], 0,
          (n_words - ids->n_words[level]) * sizeof (guint64));
  ids->n_words[level] = n_words;
}

/* Makes room for `n_words` words of ids. */
static void
grow (struct gb_ids *ids,
      gsize n_words)
{
  guint level = 0;

  for (;;)
    {
      if (n_words > ids->n_words[level])
        grow_level (ids, level, n_words);
      if (level > 0 && level >= ids->n_levels)
        {
          /* A level that is new on top has to learn what the former top word,
           * the first below it, is like. */
          ids->levels[level][0] = ids->levels[level - 1][0] == G_MAXUINT64;
          ids->n_levels = level + 1;
        }
      if (n_words == 1)
        break;
      n_words = (n_words + WORD_BITS - 1) / WORD_BITS;
      level++;
    }
}

void
gb_ids_init (struct gb_ids *ids,
             guint32 limit)
{
  memset (ids, 0, sizeof *ids);
  ids->limit = limit;
  ids->n_levels = 1;
  grow (ids, 1);
}

void
gb_ids_clear (struct gb_ids *ids)
{
  for (guint level = 0; level < GB_IDS_LEVELS; level++)
    g_free (ids->levels[level]);
  memset (ids, 0, sizeof *ids);
}

static void
mark_used (struct gb_ids *ids,
           guint32 id)
{
  gsize index = id;

  for (guint level = 0; level < ids->n_levels; level++)
    {
      guint64 *word = &ids->levels[level][index / WORD_BITS];

      *word |= (guint64) 1 << (index % WORD_BITS);
      if (*word != G_MAXUINT64)
        break;
      index /= WORD_BITS;
    }
  ids->n_used++;
}

/* The words that ids up to `index` need, at least doubled so that growing one
 * by one costs little. */
static gsize
words_wanted (const struct gb_ids *ids,
              gsize index)
{
  return MAX (index / WORD_BITS + 1, ids->n_words[0] * 2);
}

/* The smallest free id; it may lie behind the words there are. */
static gsize
find_free (const struct gb_ids *ids)
{
  gsize index = 0;

  for (guint level = ids->n_levels; level-- > 0;)
    {
      guint64 clear;

      if (index >= ids->n_words[level])
        return ids->n_words[0] * WORD_BITS;
      clear = ~ids->levels[level][index];
      if (clear == 0)
        return ids->n_words[0] * WORD_BITS;
      index = index * WORD_BITS + (gsize) __builtin_ctzll (clear);
    }
  return index;
}

bool
gb_ids_alloc (struct gb_ids *ids,
              guint32 *id)
{
  gsize index;

  if (ids->n_used == ids->limit)
    return false;

  index = find_free (ids);
  if (index >= ids->limit)
    return false;
  if (index / WORD_BITS >= ids->n_words[0])
    grow (ids, words_wanted (ids, index));
  mark_used (ids, (guint32) index);
  *id = (guint32) index;
  return true;
}

bool
gb_ids_reserve (struct gb_ids *ids,
                guint32 id)
{
  if (id >= ids->limit || gb_ids_is_used (ids, id))
    return false;
  if (id / WORD_BITS >= ids->n_words[0])
    grow (ids, words_wanted (ids, id));
  mark_used (ids, id);
  return true;
}

bool
gb_ids_free (struct gb_ids *ids,
             guint32 id)
{
  gsize index = id;

  if (!gb_ids_is_used (ids, id))
    return false;
  for (guint level = 0; level < ids->n_levels; level++)
    {
      ids->levels[level][index / WORD_BITS] &= ~((guint64) 1 << (index % WORD_BITS));
      index /= WORD_BITS;
    }
  ids->n_used--;
  return true;
}

bool
gb_ids_is_used (const struct gb_ids *ids,
                guint32 id)
{
  gsize word = id / WORD_BITS;

  return word < ids->n_words[0] && (ids->levels[0][word] >> (id % WORD_BITS) & 1) != 0;
}

guint32
gb_ids_count (const struct gb_ids *ids)
{
  return ids->n_used;
}
