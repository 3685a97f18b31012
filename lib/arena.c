/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/arena.h"

#include <string.h>

#include "lib/checked.h"

#define DEFAULT_CHUNK_SIZE ((gsize) 16 * 1024)
#define MAXIMUM_ALIGNMENT  ((gsize) 64)

/* `size` counts the bytes behind the header. Chunks before the current one are
 * used up, chunks behind it are spare, left over from before a reset. */
struct gb_arena_chunk
{
  struct gb_arena_chunk *next;
  gsize size;
};

static char *
chunk_data (struct gb_arena_chunk *chunk)
{
  return (char *) (chunk + 1);
}

void
gb_arena_init (struct gb_arena *arena,
               gsize chunk_size)
{
  memset (arena, 0, sizeof *arena);
  arena->chunk_size = chunk_size != 0 ? chunk_size : DEFAULT_CHUNK_SIZE;
}

static void
make_current (struct gb_arena *arena,
              struct gb_arena_chunk *chunk)
{
  arena->current = chunk;
  arena->cursor = chunk_data (chunk);
  arena->limit = chunk_data (chunk) + chunk->size;
}

void
gb_arena_clear (struct gb_arena *arena)
{
  struct gb_arena_chunk *chunk = arena->first;

  while (chunk != NULL)
    {
      struct gb_arena_chunk *next = chunk->next;
      g_free (chunk);
      chunk = next;
    }
  arena->first = NULL;
  arena->current = NULL;
  arena->cursor = NULL;
  arena->limit = NULL;
}

static bool
is_large (const struct gb_arena *arena,
          const struct gb_arena_chunk *chunk)
{
  return chunk->size - MAXIMUM_ALIGNMENT > arena->chunk_size;
}

/* Chunks of the usual size come first, then the large ones in the order of
 * their use: a round that asks for the same again finds the same. */
void
gb_arena_reset (struct gb_arena *arena)
{
  struct gb_arena_chunk *usual = NULL, **usual_end = &usual;
  struct gb_arena_chunk *large = NULL, **large_end = &large;
  struct gb_arena_chunk *chunk = arena->first;
  bool used = true;

  while (chunk != NULL)
    {
      struct gb_arena_chunk *next = chunk->next;

      if (!is_large (arena, chunk))
        {
          *usual_end = chunk;
          usual_end = &chunk->next;
        }
      else if (used && large != NULL)
        {
          /* The used ones stand in reverse order. */
          chunk->next = large;
          large = chunk;
        }
      else
        {
          *large_end = chunk;
          large_end = &chunk->next;
        }
      used = used && chunk != arena->current;
      chunk = next;
    }
  *large_end = NULL;
  *usual_end = large;
  arena->first = usual;
  if (arena->first != NULL)
    make_current (arena, arena->first);
}

gsize
gb_arena_footprint (const struct gb_arena *arena)
{
  gsize sum = 0;

  for (const struct gb_arena_chunk *chunk = arena->first; chunk != NULL; chunk = chunk->next)
    sum += sizeof *chunk + chunk->size;
  return sum;
}

static struct gb_arena_chunk *
new_chunk (gsize size)
{
  struct gb_arena_chunk *chunk;
  guint64 total = 0;

  /* A sum that wraps becomes a request that no allocator grants, so that it
   * ends like every other failed g_malloc. */
  if (!gb_checked_add (size, MAXIMUM_ALIGNMENT + sizeof *chunk, &total)
      || total > G_MAXSIZE)
    total = G_MAXSIZE;
  chunk = g_malloc ((gsize) total);
  chunk->next = NULL;
  chunk->size = (gsize) total - sizeof *chunk;
  return chunk;
}

/* Takes a spare chunk with room for `size` bytes at any alignment out of the
 * chain, or makes one. */
static struct gb_arena_chunk *
take_large_chunk (struct gb_arena *arena,
                  gsize size)
{
  struct gb_arena_chunk *previous = arena->current;

  while (previous != NULL && previous->next != NULL)
    {
      struct gb_arena_chunk *chunk = previous->next;

      if (chunk->size - MAXIMUM_ALIGNMENT >= size)
        {
          previous->next = chunk->next;
          return chunk;
        }
      previous = chunk;
    }
  return new_chunk (size);
}

static char *
align_pointer (char *pointer,
               gsize alignment)
{
  gsize misalignment = (gsize) pointer & (alignment - 1);

  return misalignment == 0 ? pointer : pointer + (alignment - misalignment);
}

gpointer
gb_arena_alloc_slow (struct gb_arena *arena,
                     gsize size,
                     gsize alignment)
{
  struct gb_arena_chunk *chunk;
  char *result;

  /* A large chunk goes to the front of the chain, where the used-up ones are,
   * and the current one keeps serving small requests. */
  if (size > arena->chunk_size && arena->current != NULL)
    {
      chunk = take_large_chunk (arena, size);
      chunk->next = arena->first;
      arena->first = chunk;
      return align_pointer (chunk_data (chunk), alignment);
    }

  /* Every chunk has room for a request of the usual size. */
  if (arena->current != NULL && arena->current->next != NULL)
    chunk = arena->current->next;
  else
    {
      chunk = new_chunk (MAX (size, arena->chunk_size));
      if (arena->current != NULL)
        arena->current->next = chunk;
      else
        arena->first = chunk;
    }

  make_current (arena, chunk);
  result = align_pointer (arena->cursor, alignment);
  arena->cursor = result + size;
  return result;
}

gpointer
gb_arena_alloc0 (struct gb_arena *arena,
                 gsize size)
{
  gpointer result = gb_arena_alloc (arena, size);

  memset (result, 0, size);
  return result;
}

gpointer
gb_arena_memdup (struct gb_arena *arena,
                 gconstpointer data,
                 gsize size)
{
  gpointer result = gb_arena_alloc (arena, size);

  if (size != 0)
    memcpy (result, data, size);
  return result;
}

char *
gb_arena_strndup (struct gb_arena *arena,
                  const char *text,
                  gsize length)
{
  gsize size = strnlen (text, length);
  char *result = gb_arena_alloc_aligned (arena, size + 1, 1);

  memcpy (result, text, size);
  result[size] = '\0';
  return result;
}

char *
gb_arena_strdup (struct gb_arena *arena,
                 const char *text)
{
  return gb_arena_strndup (arena, text, strlen (text));
}

gpointer
gb_arena_alloc_array (struct gb_arena *arena,
                      gsize count,
                      gsize size)
{
  guint64 total = 0;

  if (!gb_checked_mul (count, size, &total) || total > G_MAXSIZE)
    total = G_MAXSIZE;
  return gb_arena_alloc (arena, (gsize) total);
}
