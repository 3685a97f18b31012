/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Small numbers for things: always the smallest one that is free, so that
 * tables indexed by them stay dense. Each operation takes a handful of steps
 * whatever the number of ids. Not thread-safe. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#define GB_IDS_LEVELS 6

struct gb_ids
{
  /* Level 0 has a bit for each id, set when it is in use; a bit of a higher
   * level says that all 64 bits of the word below it are set. The top level in
   * use is one word. */
  guint64 *levels[GB_IDS_LEVELS];
  gsize n_words[GB_IDS_LEVELS];
  guint n_levels;
  guint32 limit;
  guint32 n_used;
};

/* Ids run from 0 to `limit` - 1. */
void gb_ids_init     (struct gb_ids *ids, guint32 limit);
void gb_ids_clear    (struct gb_ids *ids);
/* False, with `*id` untouched, when all are in use. */
bool gb_ids_alloc    (struct gb_ids *ids, guint32 *id);
/* Takes this very id; false when it is in use or not below the limit. */
bool gb_ids_reserve  (struct gb_ids *ids, guint32 id);
/* Whether the id was in use. */
bool gb_ids_free     (struct gb_ids *ids, guint32 id);
bool gb_ids_is_used  (const struct gb_ids *ids, guint32 id);
guint32 gb_ids_count (const struct gb_ids *ids);
