/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/copy.h"

#include <string.h>

#include "gpu/async.h"
#include "gpu/gabbro-private.h"

/* A copy goes through staging memory in pieces of at most this. */
#define MAX_STAGING (UINT64_C (64) << 20)

/* From here on copying memory would hold up what else the watcher has to do. */
#define MAX_ON_WATCHER (UINT64_C (256) << 10)

/* Pieces of a copy that does not block: their memory is copied by the caller, who is not to be held up, and
 * by the watcher. Smaller ones would wait more for the device than copy. */
#define MAX_ASYNC_STAGING (UINT64_C (4) << 20)

struct gabbro_copy *
gabbro_copy_new (struct gabbro_resource *resource, uint64_t offset, gconstpointer data, uint64_t size, bool upload)
{
  struct gabbro_copy *copy = g_new0 (struct gabbro_copy, 1);

  g_atomic_ref_count_init (&copy->references);
  copy->resource = gabbro_resource_ref (resource);
  copy->offset = offset;
  copy->data = (uint8_t *) data;
  copy->size = size;
  copy->upload = upload;
  return copy;
}

struct gabbro_copy *
gabbro_copy_ref (struct gabbro_copy *copy)
{
  g_atomic_ref_count_inc (&copy->references);
  return copy;
}

void
gabbro_copy_unref (gpointer data)
{
  struct gabbro_copy *copy = data;

  if (!g_atomic_ref_count_dec (&copy->references))
    return;
  g_clear_pointer (&copy->stream, gabbro_stream_core_release);
  gabbro_resource_unref (copy->resource);
  if (copy->release_owner != NULL && copy->owner != NULL)
    copy->release_owner (copy->owner);
  g_free (copy);
}

static bool
is_direct (const struct gabbro_copy *copy)
{
  return copy->resource->mapped != NULL && (copy->upload || copy->resource->cached);
}

static void
copy_directly (struct gabbro_copy *copy)
{
  uint8_t *mapped = (uint8_t *) copy->resource->mapped + copy->offset;

  if (copy->upload)
    memcpy (mapped, copy->data, copy->size);
  else
    memcpy (copy->data, mapped, copy->size);
  copy->done = copy->size;
}

static void
keep_memory (G_GNUC_UNUSED const GError *error, G_GNUC_UNUSED gpointer copy)
{
}

static bool
record (struct gabbro_copy *copy, struct gabbro_recorder *recorder, uint64_t part, GError **error)
{
  struct gabbro_resource *resource = copy->resource;
  struct gabbro_core *core = resource->core;
  uint8_t *data = copy->data + copy->done;
  uint64_t at = copy->offset + copy->done;
  struct gabbro_slice slice;

  if (!gabbro_staging_alloc (core, &recorder->chunks, copy->upload ? GABBRO_MEMORY_UPLOAD : GABBRO_MEMORY_READBACK, part,
                             MAX (16, core->limits.buffer_image_copy_offset_alignment), &slice, error))
    return false;
  if (copy->upload)
    memcpy (slice.pointer, data, part);
  if (resource->kind == GABBRO_RESOURCE_IMAGE)
    gabbro_recorder_copy_image (recorder, copy->upload ? GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE : GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER,
                                slice.buffer, slice.offset, resource, &copy->level);
  else if (copy->upload)
    gabbro_recorder_copy_buffer (recorder, slice.buffer, slice.offset, resource, at, part);
  else
    gabbro_recorder_copy_buffer (recorder, resource, at, slice.buffer, slice.offset, part);
  if (!copy->upload)
    {
      struct gabbro_completion keep = { keep_memory, gabbro_copy_ref (copy), gabbro_copy_unref };

      gabbro_recorder_add_download (recorder, slice.pointer, data, part);
      g_array_append_val (recorder->completions, keep);
    }
  return true;
}

/* The next piece. Images go in one. */
static bool
submit (struct gabbro_copy *copy, uint64_t most, GError **error)
{
  struct gabbro_core *core = copy->resource->core;
  struct gabbro_recorder *recorder = gabbro_recorder_new (core);
  uint64_t part = copy->size - copy->done;
  bool ok;

  if (copy->resource->kind == GABBRO_RESOURCE_BUFFER)
    part = MIN (part, most);
  /* A stream of its own: a copy that fails must not spoil another. */
  if (copy->stream == NULL)
    copy->stream = gabbro_stream_core_new (core, 0);
  ok = record (copy, recorder, part, error);
  if (ok)
    {
      gabbro_recorder_finish (recorder);
      ok = gabbro_stream_core_submit (copy->stream, recorder, error);
    }
  gabbro_recorder_unref (recorder);
  copy->done += part;
  return ok;
}

bool
gabbro_copy_run (struct gabbro_copy *copy, GError **error)
{
  struct gabbro_wait wait = { 0 };
  bool ok = true;

  if (copy->size == 0)
    return true;
  if (!gabbro_resource_wait_idle (copy->resource, error))
    return false;
  if (is_direct (copy))
    copy_directly (copy);
  while (ok && copy->done < copy->size)
    {
      ok = submit (copy, MAX_STAGING, error);
      gabbro_wait_init_stream (&wait, copy->stream);
      ok = ok && gabbro_wait_block (&wait, -1, error);
    }
  return ok;
}

static void
finish (GTask *task, struct gabbro_copy *copy)
{
  if (copy->finish != NULL)
    copy->finish (task, copy);
  else
    g_task_return_boolean (task, TRUE);
}

static void
copy_in_thread (GTask *task, G_GNUC_UNUSED gpointer source, gpointer data, G_GNUC_UNUSED GCancellable *cancellable)
{
  copy_directly (data);
  finish (task, data);
}

/* The resource is idle, or a piece has been copied. */
static enum gabbro_next
next_step (struct gabbro_async *async, GError **error)
{
  struct gabbro_copy *copy = async->data;

  if (copy->done < copy->size && is_direct (copy))
    {
      if (copy->size > MAX_ON_WATCHER)
        {
          g_task_set_task_data (async->task, gabbro_copy_ref (copy), gabbro_copy_unref);
          g_task_run_in_thread (async->task, copy_in_thread);
          return GABBRO_NEXT_RETURNED;
        }
      copy_directly (copy);
    }
  if (copy->done < copy->size)
    {
      if (!submit (copy, MAX_ASYNC_STAGING, error))
        return GABBRO_NEXT_FAILED;
      gabbro_wait_init_stream (&async->wait, copy->stream);
      return GABBRO_NEXT_WAIT;
    }
  finish (async->task, copy);
  return GABBRO_NEXT_RETURNED;
}

static void
finish_download (GTask *task, struct gabbro_copy *copy)
{
  g_task_return_pointer (task, g_bytes_new_take (g_steal_pointer (&copy->owner), copy->size), (GDestroyNotify) g_bytes_unref);
}

void
gabbro_copy_start_download (struct gabbro_copy *copy, GTask *task)
{
  GError *error = NULL;

  copy->data = copy->owner = gabbro_try_alloc (copy->size, &error);
  copy->release_owner = g_free;
  copy->finish = finish_download;
  if (copy->data != NULL)
    {
      gabbro_copy_start (copy, task);
      return;
    }
  gabbro_copy_unref (copy);
  gabbro_task_fail (task, error);
}

void
gabbro_copy_start (struct gabbro_copy *copy, GTask *task)
{
  struct gabbro_async *async = gabbro_async_new (task, next_step, copy, gabbro_copy_unref);

  gabbro_wait_init_resource (&async->wait, copy->resource);
  gabbro_async_start (async);
}
