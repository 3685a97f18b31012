/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frozen lists: recorded once, submitted many times. */

#include "config.h"

#include "gpu/command/recorder.h"

#include <string.h>

#include "codegen/spirv/spirv.h"
#include "gpu/gabbro-private.h"

struct gabbro_prepared *
gabbro_prepared_ref (struct gabbro_prepared *prepared)
{
  g_atomic_ref_count_inc (&prepared->references);
  return prepared;
}

void
gabbro_prepared_unref (struct gabbro_prepared *prepared)
{
  if (!g_atomic_ref_count_dec (&prepared->references))
    return;
  if (!gabbro_core_is_foreign (prepared->core))
    prepared->core->ops->list_destroy (prepared->core->driver, prepared->handle);
  gabbro_staging_release (prepared->core, &prepared->chunks);
  g_free (prepared);
}

/* Gives every argument block of the list a slice of this version's own: an older version may be in
 * flight with other values. */
static bool
place_argument_blocks (struct gabbro_recorder *recorder, struct gb_list *chunks, GError **error)
{
  for (guint i = 0; i < recorder->dispatches->len; i++)
    {
      const struct gabbro_dispatch_record *record = &g_array_index (recorder->dispatches, struct gabbro_dispatch_record, i);
      struct gabbro_descriptor *descriptors;
      struct gabbro_slice slice;

      if (record->arguments == NULL)
        continue;
      if (!gabbro_staging_alloc (recorder->core, chunks, GABBRO_MEMORY_UPLOAD, record->shader->argument_size,
                                 MAX (16, recorder->core->limits.storage_buffer_offset_alignment), &slice, error))
        return false;
      memcpy (slice.pointer, record->arguments, record->shader->argument_size);
      for (uint32_t j = record->first; j < record->first + record->count; j++)
        {
          struct gabbro_dispatch *dispatch = (struct gabbro_dispatch *) recorder->commands[j];

          /* Dispatches may share their descriptors; the first change gives each its own. */
          if (recorder->prepared == NULL)
            dispatch->descriptors = gb_arena_memdup (&recorder->arena, dispatch->descriptors,
                                                     record->shader->n_bindings * sizeof *dispatch->descriptors);
          descriptors = (struct gabbro_descriptor *) dispatch->descriptors;
          descriptors[0] = (struct gabbro_descriptor) { slice.buffer->handle, slice.offset, record->shader->argument_size };
        }
    }
  return true;
}

/* What a version in flight prints is not to be lost to the next one. It may have to be as large as the first. */
static bool
place_print (struct gabbro_recorder *recorder, struct gb_list *chunks, struct gabbro_print_memory *memory, GError **error)
{
  if (!gabbro_print_memory_alloc (recorder->core, chunks, recorder->print.size, memory, error))
    return false;
  gabbro_recorder_move_print (recorder, memory);
  return true;
}

static struct gabbro_prepared *
prepare (struct gabbro_recorder *recorder, uint32_t queue, GError **error)
{
  struct gabbro_core *core = recorder->core;
  struct gabbro_prepared *prepared;
  struct gabbro_print_memory print = { .size = 0 };
  struct gb_list chunks;
  GError *driver_error = NULL;
  uint64_t handle;
  bool ok;

  gb_list_init (&chunks);
  ok = place_argument_blocks (recorder, &chunks, error)
       && (recorder->printers->len == 0 || place_print (recorder, &chunks, &print, error));
  if (ok && !core->ops->list_prepare (core->driver, queue, &recorder->plan, &handle, &driver_error))
    {
      gabbro_core_translate_error (core, driver_error, error, _("Freezing a list of %u commands"), recorder->n_commands);
      ok = false;
    }
  if (!ok)
    {
      gabbro_staging_release (core, &chunks);
      return NULL;
    }
  prepared = g_new0 (struct gabbro_prepared, 1);
  g_atomic_ref_count_init (&prepared->references);
  prepared->core = core;
  prepared->handle = handle;
  prepared->print = print;
  gb_list_init (&prepared->chunks);
  gb_list_splice (&prepared->chunks, &chunks);
  return prepared;
}

bool
gabbro_recorder_freeze (struct gabbro_recorder *recorder, uint32_t queue, GError **error)
{
  gabbro_recorder_finish (recorder);
  recorder->prepared = prepare (recorder, queue, error);
  if (recorder->prepared == NULL)
    {
      recorder->state = GABBRO_RECORDER_RECORDING;
      return false;
    }
  recorder->queue = queue;
  recorder->state = GABBRO_RECORDER_FROZEN;
  return true;
}

void
gabbro_recorder_update_value (struct gabbro_recorder *recorder, uint32_t dispatch, uint32_t argument, const void *data)
{
  const struct gabbro_dispatch_record *record = &g_array_index (recorder->dispatches, struct gabbro_dispatch_record, dispatch);
  const struct gabbro_shader_argument *info = &record->shader->arguments[argument];

  recorder->is_stale = true;
  if (record->arguments != NULL)
    {
      memcpy (record->arguments + info->offset, data, info->size);
      return;
    }
  for (uint32_t i = record->first; i < record->first + record->count; i++)
    {
      struct gabbro_dispatch *part = (struct gabbro_dispatch *) recorder->commands[i];
      memcpy ((uint8_t *) part->push_constants + sizeof (struct spirv_dispatch_constants) + info->offset, data, info->size);
    }
}

bool
gabbro_recorder_refresh (struct gabbro_recorder *recorder, GError **error)
{
  struct gabbro_prepared *fresh;

  /* Who has another reference is in flight, or waits to be. */
  if (!recorder->is_stale
      && (recorder->printers->len == 0 || g_atomic_ref_count_compare (&recorder->prepared->references, 1)))
    return true;
  fresh = prepare (recorder, recorder->queue, error);
  if (fresh == NULL)
    return false;
  gabbro_prepared_unref (recorder->prepared);
  recorder->prepared = fresh;
  recorder->is_stale = false;
  return true;
}
