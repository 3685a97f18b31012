/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/core.h"

#include "lib/checked.h"

/* Idle chunks kept for the next list; beyond that they are given back. */
#define MAX_IDLE_BYTES (UINT64_C (64) << 20)

static struct gabbro_chunk *
chunk_new (struct gabbro_core *core, enum gabbro_memory_use use, uint64_t size, GError **error)
{
  struct gabbro_chunk *chunk = NULL;
  struct gabbro_resource *buffer;

  g_mutex_lock (&core->staging_lock);
  gb_list_for_each (idle, &core->idle_chunks[use], struct gabbro_chunk, link)
    if (idle->buffer->size >= size)
      {
        chunk = idle;
        gb_list_remove (&chunk->link);
        core->idle_chunk_bytes -= chunk->buffer->size;
        break;
      }
  g_mutex_unlock (&core->staging_lock);
  if (chunk != NULL)
    return chunk;
  buffer = gabbro_resource_new_buffer (core, MAX (size, GABBRO_CHUNK_SIZE), use, error);
  if (buffer == NULL)
    return NULL;
  chunk = g_new0 (struct gabbro_chunk, 1);
  gb_list_init (&chunk->link);
  buffer->is_staging = true;
  chunk->buffer = buffer;
  chunk->use = use;
  return chunk;
}

static void
chunk_free (struct gabbro_chunk *chunk)
{
  gabbro_resource_unref (chunk->buffer);
  g_free (chunk);
}

bool
gabbro_staging_alloc (struct gabbro_core *core,
                      struct gb_list *chunks,
                      enum gabbro_memory_use use,
                      uint64_t size,
                      uint64_t alignment,
                      struct gabbro_slice *out,
                      GError **error)
{
  struct gabbro_chunk *chunk = NULL;
  uint64_t offset = 0;

  gb_list_for_each (candidate, chunks, struct gabbro_chunk, link)
    if (candidate->use == use
        && gb_checked_align (candidate->used, alignment, &offset)
        && gb_range_fits (offset, size, candidate->buffer->size))
      {
        chunk = candidate;
        break;
      }
  if (chunk == NULL)
    {
      chunk = chunk_new (core, use, size, error);
      if (chunk == NULL)
        return false;
      /* In front, so that the next look finds it first. */
      gb_list_prepend (chunks, &chunk->link);
      offset = 0;
    }
  chunk->used = offset + size;
  out->buffer = chunk->buffer;
  out->offset = offset;
  out->pointer = chunk->buffer->mapped != NULL ? (char *) chunk->buffer->mapped + offset : NULL;
  return true;
}

void
gabbro_staging_release (struct gabbro_core *core, struct gb_list *chunks)
{
  struct gb_list surplus;

  gb_list_init (&surplus);
  /* A thread that the child has not may have held the lock. */
  if (gabbro_core_is_foreign (core))
    {
      gb_list_for_each_safe (chunk, chunks, struct gabbro_chunk, link)
        {
          gb_list_remove (&chunk->link);
          chunk_free (chunk);
        }
      return;
    }
  g_mutex_lock (&core->staging_lock);
  gb_list_for_each_safe (chunk, chunks, struct gabbro_chunk, link)
    {
      gb_list_remove (&chunk->link);
      chunk->used = 0;
      if (!__atomic_load_n (&core->closing, __ATOMIC_ACQUIRE) && core->idle_chunk_bytes + chunk->buffer->size <= MAX_IDLE_BYTES)
        {
          core->idle_chunk_bytes += chunk->buffer->size;
          gb_list_prepend (&core->idle_chunks[chunk->use], &chunk->link);
        }
      else
        gb_list_append (&surplus, &chunk->link);
    }
  g_mutex_unlock (&core->staging_lock);
  gb_list_for_each_safe (chunk, &surplus, struct gabbro_chunk, link)
    chunk_free (chunk);
}

void
gabbro_staging_drain (struct gabbro_core *core)
{
  struct gb_list idle;

  gb_list_init (&idle);
  g_mutex_lock (&core->staging_lock);
  for (guint i = 0; i < G_N_ELEMENTS (core->idle_chunks); i++)
    gb_list_splice (&idle, &core->idle_chunks[i]);
  core->idle_chunk_bytes = 0;
  g_mutex_unlock (&core->staging_lock);
  gb_list_for_each_safe (chunk, &idle, struct gabbro_chunk, link)
    chunk_free (chunk);
}
