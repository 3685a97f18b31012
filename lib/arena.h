/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arenas: memory that is given back all at once. An allocation is a pointer
 * bump; freeing one object is not possible, resetting the arena keeps its
 * chunks for the next round. Not thread-safe. Memory failure aborts inside
 * g_malloc as everywhere in GLib, so that no result needs a check. */

#pragma once

#include <glib.h>

struct gb_arena_chunk;

struct gb_arena
{
  struct gb_arena_chunk *first;
  struct gb_arena_chunk *current;
  char *cursor;
  char *limit;
  gsize chunk_size;
};

/* `chunk_size` in bytes, 0 for a default; larger requests get a chunk of their
 * own. Nothing is allocated before the first request. */
void  gb_arena_init  (struct gb_arena *arena, gsize chunk_size);
/* Frees every chunk; the arena can be used again. */
void  gb_arena_clear (struct gb_arena *arena);
/* Forgets every object and keeps the chunks. */
void  gb_arena_reset (struct gb_arena *arena);
/* Bytes held in chunks. */
gsize gb_arena_footprint (const struct gb_arena *arena);

gpointer gb_arena_alloc_slow (struct gb_arena *arena, gsize size, gsize alignment);

/* `alignment` is a power of two up to 64. The memory is not cleared. */
static inline gpointer
gb_arena_alloc_aligned (struct gb_arena *arena, gsize size, gsize alignment)
{
  gsize at = ((gsize) arena->cursor + alignment - 1) & ~(alignment - 1);
  if (G_LIKELY (arena->cursor != NULL && at <= (gsize) arena->limit
                && size <= (gsize) arena->limit - at))
    {
      arena->cursor = (char *) at + size;
      return (gpointer) at;
    }
  return gb_arena_alloc_slow (arena, size, alignment);
}

static inline gpointer
gb_arena_alloc (struct gb_arena *arena, gsize size)
{
  return gb_arena_alloc_aligned (arena, size, sizeof (gpointer) * 2);
}

gpointer gb_arena_alloc0  (struct gb_arena *arena, gsize size);
gpointer gb_arena_memdup  (struct gb_arena *arena, gconstpointer data, gsize size);
char    *gb_arena_strndup (struct gb_arena *arena, const char *text, gsize length);
char    *gb_arena_strdup  (struct gb_arena *arena, const char *text);

#define gb_arena_new(arena, type) ((type *) gb_arena_alloc (arena, sizeof (type)))
#define gb_arena_new0(arena, type) ((type *) gb_arena_alloc0 (arena, sizeof (type)))
/* The product is checked; a count that does not fit aborts like g_new. */
#define gb_arena_array(arena, type, count) \
  ((type *) gb_arena_alloc_array (arena, count, sizeof (type)))
gpointer gb_arena_alloc_array (struct gb_arena *arena, gsize count, gsize size);
