/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/recorder.h"

#include <string.h>

#include "codegen/spirv/spirv.h"
#include "gpu/gabbro-private.h"
#include "gpu/report-private.h"

#define MAX_IDLE_RECORDERS 8
/* An idle recorder keeps its memory up to here. */
#define MAX_IDLE_ARENA (4u << 20)

/* Life. */

struct gabbro_recorder *
gabbro_recorder_new (struct gabbro_core *core)
{
  struct gabbro_recorder *recorder;

  g_mutex_lock (&core->lock);
  recorder = gb_list_first (&core->idle_recorders, struct gabbro_recorder, link);
  if (recorder != NULL)
    {
      gb_list_remove (&recorder->link);
      core->n_idle_recorders--;
    }
  g_mutex_unlock (&core->lock);
  if (recorder == NULL)
    {
      recorder = g_new0 (struct gabbro_recorder, 1);
      gb_list_init (&recorder->link);
      gb_arena_init (&recorder->arena, 64 * 1024);
      hazard_tracker_init (&recorder->tracker);
      gb_list_init (&recorder->chunks);
      recorder->downloads = g_array_new (FALSE, FALSE, sizeof (struct gabbro_download));
      recorder->completions = g_array_new (FALSE, FALSE, sizeof (struct gabbro_completion));
      recorder->shaders = g_ptr_array_new ();
      recorder->printers = g_ptr_array_new ();
      recorder->dispatches = g_array_new (FALSE, FALSE, sizeof (struct gabbro_dispatch_record));
    }
  g_atomic_ref_count_init (&recorder->references);
  recorder->core = gabbro_core_ref (core);
  recorder->state = GABBRO_RECORDER_RECORDING;
  return recorder;
}

struct gabbro_recorder *
gabbro_recorder_ref (struct gabbro_recorder *recorder)
{
  g_atomic_ref_count_inc (&recorder->references);
  return recorder;
}

static void
recorder_free (struct gabbro_recorder *recorder)
{
  gb_arena_clear (&recorder->arena);
  hazard_tracker_clear (&recorder->tracker);
  g_array_unref (recorder->downloads);
  g_array_unref (recorder->completions);
  g_ptr_array_unref (recorder->shaders);
  g_ptr_array_unref (recorder->printers);
  g_array_unref (recorder->dispatches);
  g_free (recorder->commands);
  g_free (recorder->arguments);
  g_free (recorder);
}

static void
drop_contents (struct gabbro_recorder *recorder)
{
  for (uint32_t i = 0; i < recorder->tracker.n_entries; i++)
    gabbro_resource_unref ((struct gabbro_resource *) recorder->tracker.entries[i].resource);
  hazard_tracker_reset (&recorder->tracker);
  for (guint i = 0; i < recorder->shaders->len; i++)
    gabbro_shader_core_unref (recorder->shaders->pdata[i]);
  g_ptr_array_set_size (recorder->shaders, 0);
  for (guint i = 0; i < recorder->completions->len; i++)
    {
      struct gabbro_completion *completion = &g_array_index (recorder->completions, struct gabbro_completion, i);
      if (completion->destroy != NULL)
        completion->destroy (completion->data);
    }
  g_array_set_size (recorder->completions, 0);
  g_array_set_size (recorder->downloads, 0);
  g_array_set_size (recorder->dispatches, 0);
  g_ptr_array_set_size (recorder->printers, 0);
  memset (&recorder->print, 0, sizeof recorder->print);
  recorder->is_stale = false;
  recorder->tells_release = false;
  g_clear_pointer (&recorder->prepared, gabbro_prepared_unref);
  gabbro_staging_release (recorder->core, &recorder->chunks);
  if (gb_arena_footprint (&recorder->arena) > MAX_IDLE_ARENA)
    gb_arena_clear (&recorder->arena);
  else
    gb_arena_reset (&recorder->arena);
  recorder->n_commands = 0;
  recorder->shader = NULL;
  recorder->set = 0;
  recorder->last_descriptors = NULL;
  memset (&recorder->plan, 0, sizeof recorder->plan);
}

void
gabbro_recorder_unref (struct gabbro_recorder *recorder)
{
  struct gabbro_core *core = recorder->core;
  bool keep = false;

  if (!g_atomic_ref_count_dec (&recorder->references))
    return;
  drop_contents (recorder);
  recorder->core = NULL;
  if (!gabbro_core_is_foreign (core))
    {
      g_mutex_lock (&core->lock);
      keep = !core->closing && core->n_idle_recorders < MAX_IDLE_RECORDERS;
      if (keep)
        {
          gb_list_prepend (&core->idle_recorders, &recorder->link);
          core->n_idle_recorders++;
        }
      g_mutex_unlock (&core->lock);
    }
  if (!keep)
    recorder_free (recorder);
  gabbro_core_unref (core);
}

void
gabbro_recorder_drain (struct gabbro_core *core)
{
  struct gb_list idle;

  gb_list_init (&idle);
  g_mutex_lock (&core->lock);
  gb_list_splice (&idle, &core->idle_recorders);
  core->n_idle_recorders = 0;
  g_mutex_unlock (&core->lock);
  gb_list_for_each_safe (recorder, &idle, struct gabbro_recorder, link)
    recorder_free (recorder);
}

struct gabbro_shader_core *
gabbro_shader_core_ref (struct gabbro_shader_core *shader)
{
  g_atomic_ref_count_inc (&shader->references);
  return shader;
}

void
gabbro_shader_core_unref (struct gabbro_shader_core *shader)
{
  if (!g_atomic_ref_count_dec (&shader->references))
    return;
  gabbro_resource_unref (shader->resource);
  for (uint32_t i = 0; i < shader->n_arguments; i++)
    {
      g_free ((char *) shader->arguments[i].name);
      g_clear_pointer (&shader->arguments[i].layout, gabbro_layout_unref);
    }
  g_clear_pointer (&shader->origin, gabbro_origin_unref);
  g_clear_pointer (&shader->printer, gabbro_printer_unref);
  g_free (shader->arguments);
  g_free (shader->name);
  g_free (shader);
}

/* Recording. */

/* The list keeps each resource that it names, once. */
static inline void
keep_resource (struct gabbro_recorder *recorder, struct gabbro_resource *resource)
{
  bool is_new;

  hazard_tracker_entry (&recorder->tracker, resource, resource->size, &is_new);
  if (!is_new)
    return;
  gabbro_resource_ref (resource);
  if (resource->released != NULL)
    recorder->tells_release = true;
}

void
gabbro_recorder_touch_image (struct gabbro_recorder *recorder, struct gabbro_resource *image)
{
  keep_resource (recorder, image);
}

static inline struct gabbro_command *
add_command (struct gabbro_recorder *recorder, struct gabbro_command *command, enum gabbro_command_kind kind)
{
  if (G_UNLIKELY (recorder->n_commands == recorder->commands_size))
    {
      recorder->commands_size = MAX (256, recorder->commands_size * 2);
      recorder->commands = g_renew (struct gabbro_command *, recorder->commands, recorder->commands_size);
    }
  command->kind = kind;
  command->index = recorder->n_commands;
  recorder->commands[recorder->n_commands++] = command;
  return command;
}

/* Finds the layer of a copy. Staging memory is left out of it: its slices are used once. */
static void
place_copy (struct gabbro_recorder *recorder, struct gabbro_command *command, const struct hazard_access accesses[2])
{
  struct hazard_access tracked[2];
  uint32_t n = 0;

  for (int i = 0; i < 2; i++)
    if (!((const struct gabbro_resource *) accesses[i].resource)->is_staging)
      tracked[n++] = accesses[i];
  command->layer = hazard_tracker_add (&recorder->tracker, command->index, tracked, n);
}

static struct hazard_access
transfer_access (const struct gabbro_resource *resource, uint64_t begin, uint64_t end, bool write)
{
  return (struct hazard_access) {
    .resource = resource, .resource_size = resource->size, .begin = begin, .end = end,
    .stages = GABBRO_STAGE_TRANSFER,
    .read_access = write ? 0 : GABBRO_ACCESS_TRANSFER_READ,
    .write_access = write ? GABBRO_ACCESS_TRANSFER_WRITE : 0,
  };
}

void
gabbro_recorder_copy_buffer (struct gabbro_recorder *recorder,
                             struct gabbro_resource *source,
                             uint64_t source_offset,
                             struct gabbro_resource *destination,
                             uint64_t destination_offset,
                             uint64_t size)
{
  struct gabbro_copy_buffer *copy = gb_arena_new (&recorder->arena, struct gabbro_copy_buffer);
  struct hazard_access accesses[2];

  add_command (recorder, &copy->command, GABBRO_COMMAND_COPY_BUFFER);
  copy->source = source->handle;
  copy->destination = destination->handle;
  copy->source_offset = source_offset;
  copy->destination_offset = destination_offset;
  copy->size = size;
  keep_resource (recorder, source);
  keep_resource (recorder, destination);
  accesses[0] = transfer_access (source, source_offset, source_offset + size, false);
  accesses[1] = transfer_access (destination, destination_offset, destination_offset + size, true);
  place_copy (recorder, &copy->command, accesses);
}

void
gabbro_recorder_copy_image (struct gabbro_recorder *recorder,
                            enum gabbro_command_kind kind,
                            struct gabbro_resource *buffer,
                            uint64_t offset,
                            struct gabbro_resource *image,
                            const struct gabbro_image_level *level)
{
  struct gabbro_copy_image *copy = gb_arena_new (&recorder->arena, struct gabbro_copy_image);
  bool to_image = kind == GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE;
  struct hazard_access accesses[2];

  add_command (recorder, &copy->command, kind);
  copy->buffer = buffer->handle;
  copy->buffer_offset = offset;
  copy->level = *level;
  keep_resource (recorder, buffer);
  keep_resource (recorder, image);
  accesses[0] = transfer_access (buffer, offset, offset + level->size, !to_image);
  accesses[1] = transfer_access (image, level->offset, level->offset + level->size, to_image);
  place_copy (recorder, &copy->command, accesses);
}

void
gabbro_recorder_copy_image_to_image (struct gabbro_recorder *recorder,
                                     struct gabbro_resource *source,
                                     const struct gabbro_image_level *from,
                                     struct gabbro_resource *destination,
                                     const struct gabbro_image_level *to)
{
  struct gabbro_copy_image_to_image *copy = gb_arena_new (&recorder->arena, struct gabbro_copy_image_to_image);
  struct hazard_access accesses[2];

  add_command (recorder, &copy->command, GABBRO_COMMAND_COPY_IMAGE);
  copy->source = *from;
  copy->destination = *to;
  keep_resource (recorder, source);
  keep_resource (recorder, destination);
  accesses[0] = transfer_access (source, from->offset, from->offset + from->size, false);
  accesses[1] = transfer_access (destination, to->offset, to->offset + to->size, true);
  place_copy (recorder, &copy->command, accesses);
}

void
gabbro_recorder_fill (struct gabbro_recorder *recorder,
                      struct gabbro_resource *buffer,
                      uint64_t offset,
                      uint64_t size,
                      uint32_t value)
{
  struct gabbro_fill_buffer *fill = gb_arena_new (&recorder->arena, struct gabbro_fill_buffer);
  struct hazard_access access = transfer_access (buffer, offset, offset + size, true);

  add_command (recorder, &fill->command, GABBRO_COMMAND_FILL_BUFFER);
  fill->buffer = buffer->handle;
  fill->offset = offset;
  fill->size = size;
  fill->value = value;
  keep_resource (recorder, buffer);
  fill->command.layer = hazard_tracker_add (&recorder->tracker, fill->command.index, &access, 1);
}

void
gabbro_recorder_add_download (struct gabbro_recorder *recorder,
                              const void *source,
                              void *destination,
                              uint64_t size)
{
  struct gabbro_download download = { source, destination, size };
  g_array_append_val (recorder->downloads, download);
}

/* Arguments. */

void
gabbro_recorder_set_shader (struct gabbro_recorder *recorder, struct gabbro_shader_core *shader)
{
  uint32_t size = shader->argument_size;

  if (recorder->shader == shader)
    return;
  if (recorder->shaders->len == 0 || recorder->shaders->pdata[recorder->shaders->len - 1] != shader)
    if (!g_ptr_array_find (recorder->shaders, shader, NULL))
      g_ptr_array_add (recorder->shaders, gabbro_shader_core_ref (shader));
  if (size > recorder->arguments_size)
    {
      recorder->arguments = g_realloc (recorder->arguments, size);
      recorder->arguments_size = size;
    }
  if (size > 0)
    memset (recorder->arguments, 0, size);
  memset (recorder->descriptors, 0, shader->n_bindings * sizeof *recorder->descriptors);
  recorder->shader = shader;
  recorder->set = 0;
  recorder->last_descriptors = NULL;
  recorder->arguments_changed = true;
}

uint64_t
gabbro_recorder_descriptor_offset (uint64_t offset, uint64_t element_size, uint64_t alignment)
{
  uint64_t step = element_size, a, b = element_size;

  /* What is seen as words begins with one. */
  alignment = a = MAX (alignment, 4);
  if ((offset & (alignment - 1)) == 0)
    return offset;
  while (b != 0)
    {
      uint64_t rest = a % b;
      a = b;
      b = rest;
    }
  step = alignment / a * element_size;
  return offset / step * step;
}

void
gabbro_recorder_set_buffer (struct gabbro_recorder *recorder,
                            uint32_t argument,
                            struct gabbro_resource *buffer,
                            uint64_t offset,
                            uint64_t size)
{
  const struct gabbro_shader_argument *info = &recorder->shader->arguments[argument];
  struct gabbro_bound *bound = &recorder->bound[argument];
  uint64_t base = offset;

  bound->resource = buffer;
  bound->begin = offset;
  bound->end = offset + size;
  recorder->set |= UINT64_C (1) << argument;
  /* A kernel may ask for the length and touch no element: then there is a record without a binding. */
  if (info->binding != HAZARD_NONE)
    {
      struct gabbro_descriptor *slot = &recorder->descriptors[info->binding];
      struct gabbro_descriptor descriptor;

      base = gabbro_recorder_descriptor_offset (offset, info->element_size, recorder->core->limits.storage_buffer_offset_alignment);
      descriptor = (struct gabbro_descriptor) { buffer->handle, base, bound->end - base };
      keep_resource (recorder, buffer);
      if (slot->handle != descriptor.handle || slot->offset != descriptor.offset || slot->size != descriptor.size)
        {
          *slot = descriptor;
          recorder->last_descriptors = NULL;
        }
    }
  if (info->metadata_offset != HAZARD_NONE)
    {
      uint32_t record[2] = { (uint32_t) ((offset - base) / info->element_size), (uint32_t) (size / info->element_size) };
      memcpy (recorder->arguments + info->metadata_offset, record, sizeof record);
      recorder->arguments_changed = true;
    }
}

void
gabbro_recorder_set_image (struct gabbro_recorder *recorder,
                           uint32_t argument,
                           struct gabbro_resource *image,
                           const struct gabbro_image_level *level)
{
  const struct gabbro_shader_argument *info = &recorder->shader->arguments[argument];
  struct gabbro_bound *bound = &recorder->bound[argument];

  bound->resource = image;
  bound->begin = level->offset;
  bound->end = level->offset + level->size;
  recorder->set |= UINT64_C (1) << argument;
  if (info->binding == HAZARD_NONE)
    return;
  keep_resource (recorder, image);
  if (recorder->descriptors[info->binding].handle != image->handle || recorder->descriptors[info->binding].offset != level->level)
    {
      recorder->descriptors[info->binding] = (struct gabbro_descriptor) { image->handle, level->level, 0 };
      recorder->last_descriptors = NULL;
    }
}

void
gabbro_recorder_set_value (struct gabbro_recorder *recorder, uint32_t argument, const void *data)
{
  const struct gabbro_shader_argument *info = &recorder->shader->arguments[argument];

  if (info->size > 0)
    memcpy (recorder->arguments + info->offset, data, info->size);
  recorder->set |= UINT64_C (1) << argument;
  recorder->arguments_changed = true;
}

/* Dispatch. */

static uint32_t
dispatch_accesses (const struct gabbro_recorder *recorder, struct hazard_access *accesses)
{
  const struct gabbro_shader_core *shader = recorder->shader;
  uint32_t n = 0;

  for (uint32_t i = 0; i < shader->n_arguments; i++)
    {
      const struct gabbro_shader_argument *info = &shader->arguments[i];
      const struct gabbro_bound *bound = &recorder->bound[i];

      if (info->kind == GABBRO_ARGUMENT_VALUE || info->binding == HAZARD_NONE)
        continue;
      accesses[n++] = (struct hazard_access) {
        .resource = bound->resource, .resource_size = bound->resource->size,
        .begin = bound->begin, .end = bound->end,
        .stages = GABBRO_STAGE_COMPUTE,
        .read_access = info->usage & GABBRO_USAGE_READ ? GABBRO_ACCESS_SHADER_READ : 0,
        .write_access = info->usage & GABBRO_USAGE_WRITE ? GABBRO_ACCESS_SHADER_WRITE : 0,
      };
    }
  return n;
}

/* The argument block of this dispatch; a new slice only when something changed. */
static bool
place_argument_block (struct gabbro_recorder *recorder, GError **error)
{
  struct gabbro_shader_core *shader = recorder->shader;
  struct gabbro_slice slice;

  if (!shader->arguments_in_block || (!recorder->arguments_changed && recorder->descriptors[0].handle != 0))
    return true;
  if (!gabbro_staging_alloc (recorder->core, &recorder->chunks, GABBRO_MEMORY_UPLOAD, shader->argument_size,
                             MAX (16, recorder->core->limits.storage_buffer_offset_alignment), &slice, error))
    return false;
  memcpy (slice.pointer, recorder->arguments, shader->argument_size);
  recorder->descriptors[0] = (struct gabbro_descriptor) { slice.buffer->handle, slice.offset, shader->argument_size };
  recorder->last_descriptors = NULL;
  recorder->arguments_changed = false;
  return true;
}

static struct gabbro_dispatch *
add_dispatch (struct gabbro_recorder *recorder, const uint32_t size[3], const uint32_t group_offset[3], const uint32_t groups[3])
{
  const struct gabbro_shader_core *shader = recorder->shader;
  struct gabbro_dispatch *dispatch = gb_arena_alloc (&recorder->arena, sizeof *dispatch + shader->push_constant_size);
  uint8_t *constants = (uint8_t *) (dispatch + 1);
  struct spirv_dispatch_constants head = {
    { size[0], size[1], size[2] }, 0, { group_offset[0], group_offset[1], group_offset[2] }, 0
  };

  add_command (recorder, &dispatch->command, GABBRO_COMMAND_DISPATCH);
  memcpy (constants, &head, sizeof head);
  if (!shader->arguments_in_block && shader->argument_size > 0)
    memcpy (constants + sizeof head, recorder->arguments, shader->argument_size);
  dispatch->shader = shader->resource->handle;
  dispatch->descriptors = recorder->last_descriptors;
  dispatch->push_constants = constants;
  memcpy (dispatch->groups, groups, sizeof dispatch->groups);
  return dispatch;
}

/* One logical dispatch as several that the device can do; they are of one layer. */
static void
add_dispatch_parts (struct gabbro_recorder *recorder, const uint32_t size[3], const uint32_t groups[3], uint32_t layer)
{
  const uint32_t *most = recorder->core->limits.max_group_count;
  uint32_t at[3], part[3], n_parts = 0;

  for (at[2] = 0; at[2] < groups[2]; at[2] += part[2])
    {
      part[2] = MIN (groups[2] - at[2], most[2]);
      for (at[1] = 0; at[1] < groups[1]; at[1] += part[1])
        {
          part[1] = MIN (groups[1] - at[1], most[1]);
          for (at[0] = 0; at[0] < groups[0]; at[0] += part[0])
            {
              part[0] = MIN (groups[0] - at[0], most[0]);
              add_dispatch (recorder, size, at, part)->command.layer = layer;
              n_parts++;
            }
        }
    }
  recorder->tracker.layers[layer].n_commands += n_parts - 1;
}

bool
gabbro_recorder_dispatch (struct gabbro_recorder *recorder, const uint32_t size[3], GError **error)
{
  const struct gabbro_shader_core *shader = recorder->shader;
  const uint32_t *most = recorder->core->limits.max_group_count;
  static const uint32_t origin[3] = { 0, 0, 0 };
  struct hazard_access accesses[GABBRO_MAX_ARGUMENTS];
  uint32_t groups[3], layer, n_accesses;
  struct gabbro_dispatch_record record = { .first = recorder->n_commands, .shader = shader };

  if ((shader->printer != NULL && !gabbro_recorder_bind_print (recorder, error)) || !place_argument_block (recorder, error))
    return false;
  if (recorder->last_descriptors == NULL && shader->n_bindings > 0)
    recorder->last_descriptors = gb_arena_memdup (&recorder->arena, recorder->descriptors,
                                                  shader->n_bindings * sizeof *recorder->descriptors);
  for (int i = 0; i < 3; i++)
    groups[i] = (uint32_t) (((uint64_t) size[i] + shader->group_size[i] - 1) / shader->group_size[i]);
  n_accesses = dispatch_accesses (recorder, accesses);
  layer = hazard_tracker_add (&recorder->tracker, recorder->n_commands, accesses, n_accesses);
  if (G_LIKELY (groups[0] <= most[0] && groups[1] <= most[1] && groups[2] <= most[2]))
    add_dispatch (recorder, size, origin, groups)->command.layer = layer;
  else
    add_dispatch_parts (recorder, size, groups, layer);
  record.count = recorder->n_commands - record.first;
  if (shader->arguments_in_block)
    record.arguments = gb_arena_memdup (&recorder->arena, recorder->arguments, shader->argument_size);
  g_array_append_val (recorder->dispatches, record);
  return true;
}

/* The plan. */

static void
collect_images (struct gabbro_recorder *recorder)
{
  uint64_t *images = gb_arena_array (&recorder->arena, uint64_t, MAX (recorder->tracker.n_entries, 1));
  uint32_t n = 0;

  for (uint32_t i = 0; i < recorder->tracker.n_entries; i++)
    {
      const struct gabbro_resource *resource = recorder->tracker.entries[i].resource;
      if (resource->kind == GABBRO_RESOURCE_IMAGE)
        images[n++] = resource->handle;
    }
  recorder->plan.images = images;
  recorder->plan.n_images = n;
}

void
gabbro_recorder_finish (struct gabbro_recorder *recorder)
{
  uint32_t n_layers = recorder->tracker.n_layers, at = 0, n_barriers = 0;
  struct gabbro_layer *layers = gb_arena_array (&recorder->arena, struct gabbro_layer, MAX (n_layers, 1));
  const struct gabbro_command **commands = gb_arena_array (&recorder->arena, const struct gabbro_command *,
                                                           MAX (recorder->n_commands, 1));

  for (uint32_t i = 0; i < n_layers; i++)
    {
      layers[i].first = at;
      layers[i].count = 0;
      layers[i].before = recorder->tracker.layers[i].before;
      at += recorder->tracker.layers[i].n_commands;
      if (layers[i].before.source_stages != 0 && ++n_barriers == recorder->core->drop_barrier)
        memset (&layers[i].before, 0, sizeof layers[i].before);
    }
  for (uint32_t i = 0; i < recorder->n_commands; i++)
    {
      struct gabbro_layer *layer = &layers[recorder->commands[i]->layer];
      commands[layer->first + layer->count++] = recorder->commands[i];
    }
  /* A stream's lists follow each other as if each waited for the one before. */
  if (n_layers > 0)
    layers[0].before = (struct gabbro_barrier) {
      GABBRO_STAGE_ALL, GABBRO_ACCESS_MEMORY_WRITE,
      GABBRO_STAGE_ALL, GABBRO_ACCESS_MEMORY_READ | GABBRO_ACCESS_MEMORY_WRITE
    };
  recorder->plan.layers = layers;
  recorder->plan.n_layers = n_layers;
  recorder->plan.commands = commands;
  recorder->plan.n_commands = recorder->n_commands;
  if (recorder->printers->len > 0)
    gabbro_recorder_plan_print (recorder);
  /* A completed timeline value alone does not make writes visible to mapped memory. */
  recorder->plan.last = (struct gabbro_barrier) {
    GABBRO_STAGE_COMPUTE | GABBRO_STAGE_TRANSFER, GABBRO_ACCESS_SHADER_WRITE | GABBRO_ACCESS_TRANSFER_WRITE,
    GABBRO_STAGE_HOST, GABBRO_ACCESS_HOST_READ
  };
  collect_images (recorder);
  recorder->state = GABBRO_RECORDER_FINISHED;
  __atomic_add_fetch (&recorder->core->n_barriers, n_barriers, __ATOMIC_RELAXED);
  __atomic_add_fetch (&recorder->core->n_dispatches, recorder->n_commands, __ATOMIC_RELAXED);
  __atomic_add_fetch (&recorder->core->n_collapsed_resources, recorder->tracker.n_collapsed, __ATOMIC_RELAXED);
}
