/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/host/host.h"

#include <inttypes.h>
#include <string.h>

struct host_program
{
  struct gb_arena arena;
  uint32_t n_steps, n_dispatches;
  struct host_step *steps;
};

struct host_work
{
  struct gb_list link;
  struct host_program *program;          /* NULL: only a signal */
  bool owns_program;
  uint64_t signal;
  uint32_t n_waits;
  struct gabbro_point waits[];
};

/* Memory. */

uint64_t
host_image_size (const struct gabbro_image_request *request)
{
  uint64_t size = 0;

  for (uint32_t level = 0; level < request->n_levels; level++)
    size += gb_texel_size (request->format, gb_texel_level_side (request->width, level), gb_texel_level_side (request->height, level),
                           gb_texel_level_side (request->depth, level));
  return size;
}

void
host_fill_formats (struct gabbro_driver_adapter *adapter, uint32_t uses)
{
  uint32_t flat = adapter->limits.max_image_2d, deep = adapter->limits.max_image_3d;

  for (int format = 0; format < GB_N_TEXEL_FORMATS; format++)
    {
      bool is_block = gb_texel_infos[format].component == GB_TEXEL_BLOCK;
      struct gabbro_format_support support = { .uses = is_block ? GABBRO_FORMAT_CAN_COPY : uses, .max_bytes = UINT64_MAX };

      support.max_size[0] = support.max_size[1] = flat;
      support.max_size[2] = 1;
      support.max_levels = gb_texel_max_levels (flat, flat, 1);
      adapter->formats[format][0] = support;
      support.max_size[0] = support.max_size[1] = support.max_size[2] = deep;
      support.max_levels = gb_texel_max_levels (deep, deep, deep);
      adapter->formats[format][1] = support;
    }
}

bool
host_memory_init (struct host_device *device, struct host_memory *memory, uint64_t size, GError **error)
{
  uint64_t available;

  g_mutex_lock (&device->lock);
  available = device->options.memory - device->used;
  memory->bytes = size <= available ? g_try_malloc0 (MAX (size, 1)) : NULL;
  if (memory->bytes != NULL)
    {
      memory->size = size;
      device->used += size;
    }
  g_mutex_unlock (&device->lock);
  if (memory->bytes == NULL)
    g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY,
                 "%" PRIu64 " bytes asked for, %" PRIu64 " available", (guint64) size, (guint64) available);
  return memory->bytes != NULL;
}

void
host_memory_clear (struct host_device *device, struct host_memory *memory)
{
  g_mutex_lock (&device->lock);
  device->used -= memory->size;
  g_mutex_unlock (&device->lock);
  g_free (memory->bytes);
}

bool
host_memory_budget (struct gabbro_driver_device *base, uint64_t *used, uint64_t *budget)
{
  struct host_device *device = host_device_of (base);

  g_mutex_lock (&device->lock);
  *used = device->used;
  *budget = device->options.memory;
  g_mutex_unlock (&device->lock);
  return true;
}

/* Commands. */

static struct host_step
step_of (const struct gabbro_command *command)
{
  struct host_step step = { .kind = command->kind };

  switch (command->kind)
    {
    case GABBRO_COMMAND_COPY_BUFFER:
      {
        const struct gabbro_copy_buffer *copy = (const struct gabbro_copy_buffer *) command;
        step.source = host_memory_of (copy->source);
        step.destination = host_memory_of (copy->destination);
        step.source_offset = copy->source_offset;
        step.destination_offset = copy->destination_offset;
        step.size = copy->size;
        break;
      }
    case GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE:
      {
        const struct gabbro_copy_image *copy = (const struct gabbro_copy_image *) command;
        step.source = host_memory_of (copy->buffer);
        step.source_offset = copy->buffer_offset;
        step.destination = host_memory_of (copy->level.image);
        step.destination_offset = copy->level.offset;
        step.size = copy->level.size;
        break;
      }
    case GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER:
      {
        const struct gabbro_copy_image *copy = (const struct gabbro_copy_image *) command;
        step.source = host_memory_of (copy->level.image);
        step.source_offset = copy->level.offset;
        step.destination = host_memory_of (copy->buffer);
        step.destination_offset = copy->buffer_offset;
        step.size = copy->level.size;
        break;
      }
    case GABBRO_COMMAND_COPY_IMAGE:
      {
        const struct gabbro_copy_image_to_image *copy = (const struct gabbro_copy_image_to_image *) command;
        step.source = host_memory_of (copy->source.image);
        step.source_offset = copy->source.offset;
        step.destination = host_memory_of (copy->destination.image);
        step.destination_offset = copy->destination.offset;
        step.size = copy->source.size;
        break;
      }
    case GABBRO_COMMAND_FILL_BUFFER:
      {
        const struct gabbro_fill_buffer *fill = (const struct gabbro_fill_buffer *) command;
        step.destination = host_memory_of (fill->buffer);
        step.destination_offset = fill->offset;
        step.size = fill->size;
        step.value = fill->value;
        break;
      }
    case GABBRO_COMMAND_DISPATCH:
    default:
      break;
    }
  return step;
}

void
host_step_copy (const struct host_step *step)
{
  if (step->kind == GABBRO_COMMAND_FILL_BUFFER)
    for (uint64_t at = 0; at < step->size; at += sizeof step->value)
      memcpy (step->destination->bytes + step->destination_offset + at, &step->value, sizeof step->value);
  else
    memmove (step->destination->bytes + step->destination_offset, step->source->bytes + step->source_offset, step->size);
}

static struct host_program *
program_new (struct host_device *device, const struct gabbro_command_plan *plan)
{
  struct host_program *program = g_new0 (struct host_program, 1);

  gb_arena_init (&program->arena, 0);
  program->steps = gb_arena_array (&program->arena, struct host_step, MAX (plan->n_commands, 1));
  for (uint32_t i = 0; i < plan->n_commands; i++)
    {
      const struct gabbro_command *command = plan->commands[i];
      bool is_dispatch = command->kind == GABBRO_COMMAND_DISPATCH;
      struct host_step step = step_of (command);

      program->n_dispatches += is_dispatch;
      if (is_dispatch && device->class->dispatch_new == NULL)
        continue;
      if (is_dispatch)
        step.dispatch = device->class->dispatch_new (device, (const struct gabbro_dispatch *) command, &program->arena);
      program->steps[program->n_steps++] = step;
    }
  return program;
}

static void
program_free (struct host_program *program)
{
  if (program == NULL)
    return;
  gb_arena_clear (&program->arena);
  g_free (program);
}

static bool
program_run (struct host_device *device, const struct host_program *program, GError **error)
{
  for (uint32_t i = 0; i < program->n_steps; i++)
    if (!device->class->run_step (device, &program->steps[i], error))
      return false;
  __atomic_add_fetch (&device->n_dispatches, program->n_dispatches, __ATOMIC_RELAXED);
  return true;
}

bool
host_list_prepare (struct gabbro_driver_device *base, uint32_t queue, const struct gabbro_command_plan *plan,
                   uint64_t *out, GError **error)
{
  *out = (uint64_t) (uintptr_t) program_new (host_device_of (base), plan);
  return true;
}

void
host_list_destroy (struct gabbro_driver_device *base, uint64_t prepared)
{
  program_free ((struct host_program *) (uintptr_t) prepared);
}

/* Queues: one thread each, in order. */

static bool
waits_are_over (const struct host_device *device, const struct host_work *work)
{
  for (uint32_t i = 0; i < work->n_waits; i++)
    if (device->queues[work->waits[i].queue].completed < work->waits[i].value)
      return false;
  return true;
}

/* With the lock held. */
static void
set_lost (struct host_device *device)
{
  device->lost = true;
  g_atomic_int_set (&device->cancelled, 1);
  g_cond_broadcast (&device->changed);
}

/* With the lock held, which is let go meanwhile. */
static void
run_program (struct host_device *device, const struct host_program *program)
{
  GError *error = NULL;
  bool ok;

  device->n_running++;
  g_mutex_unlock (&device->lock);
  ok = program_run (device, program, &error);
  if (!ok && g_atomic_int_get (&device->cancelled) == 0)
    device->host->log (device->host->data, GABBRO_LOG_ERROR, error->message);
  g_clear_error (&error);
  g_mutex_lock (&device->lock);
  device->n_running--;
  if (!ok)
    set_lost (device);
}

static void
run_work (struct host_device *device, struct host_queue *queue, struct host_work *work)
{
  while (!waits_are_over (device, work) && !device->stopping && !device->lost)
    g_cond_wait (&device->changed, &device->lock);
  while (work->program != NULL && device->options.hang && !device->stopping && !device->lost)
    g_cond_wait (&device->changed, &device->lock);
  if (device->options.delay > 0)
    {
      gint64 end = g_get_monotonic_time () + (gint64) device->options.delay;

      while (!device->lost && g_cond_wait_until (&device->changed, &device->lock, end))
        continue;
    }
  /* What a lost device was given may be destroyed by now. */
  if (work->program != NULL && !device->lost)
    run_program (device, work->program);
  if (!device->lost)
    queue->completed = work->signal;
  g_cond_broadcast (&device->changed);
  if (work->owns_program)
    program_free (work->program);
  g_free (work);
}

static gpointer
queue_main (gpointer data)
{
  struct host_queue *queue = data;
  struct host_device *device = queue->device;

  g_mutex_lock (&device->lock);
  while (!device->stopping || !gb_list_is_empty (&queue->work))
    {
      struct host_work *work = gb_list_first (&queue->work, struct host_work, link);

      if (work == NULL)
        {
          g_cond_wait (&device->changed, &device->lock);
          continue;
        }
      gb_list_remove (&work->link);
      run_work (device, queue, work);
    }
  g_mutex_unlock (&device->lock);
  return NULL;
}

static void
lose (struct host_device *device)
{
  g_mutex_lock (&device->lock);
  set_lost (device);
  while (device->n_running > 0)
    g_cond_wait (&device->changed, &device->lock);
  g_mutex_unlock (&device->lock);
}

bool
host_submit (struct gabbro_driver_device *base, uint32_t index, const struct gabbro_submission *submission, GError **error)
{
  struct host_device *device = host_device_of (base);
  uint64_t number = __atomic_add_fetch (&device->n_submissions, 1, __ATOMIC_RELAXED);
  bool by_request = number == device->options.lose_submit;
  struct host_work *work;

  if (number == device->options.fail_submit)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED,
                   "submission number %" PRIu64 " fails by request", (guint64) number);
      return false;
    }
  if (by_request)
    lose (device);
  if (__atomic_load_n (&device->lost, __ATOMIC_ACQUIRE))
    {
      g_set_error_literal (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_LOST,
                           by_request ? "the device is lost by request" : "the device is lost");
      return false;
    }
  work = g_malloc0 (sizeof *work + submission->n_waits * sizeof *work->waits);
  gb_list_init (&work->link);
  if (submission->prepared != 0)
    work->program = (struct host_program *) (uintptr_t) submission->prepared;
  else if (submission->plan != NULL)
    {
      work->program = program_new (device, submission->plan);
      work->owns_program = true;
    }
  work->signal = submission->signal;
  work->n_waits = submission->n_waits;
  if (submission->n_waits > 0)
    memcpy (work->waits, submission->waits, submission->n_waits * sizeof *work->waits);
  g_mutex_lock (&device->lock);
  gb_list_append (&device->queues[index].work, &work->link);
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
  return true;
}

bool
host_queue_value (struct gabbro_driver_device *base, uint32_t index, uint64_t *value)
{
  struct host_device *device = host_device_of (base);
  bool ok;

  g_mutex_lock (&device->lock);
  ok = !device->lost;
  if (ok)
    *value = device->queues[index].completed;
  g_mutex_unlock (&device->lock);
  return ok;
}

static bool
points_reached (const struct host_device *device, const struct gabbro_point *points, uint32_t n_points, bool all)
{
  uint32_t n_reached = 0;

  for (uint32_t i = 0; i < n_points; i++)
    n_reached += device->queues[points[i].queue].completed >= points[i].value;
  return all ? n_reached == n_points : n_reached > 0;
}

enum gabbro_wait_result
host_wait (struct gabbro_driver_device *base, const struct gabbro_point *points, uint32_t n_points,
           bool all, bool kick, uint64_t timeout)
{
  struct host_device *device = host_device_of (base);
  enum gabbro_wait_result result = GABBRO_WAIT_TIMED_OUT;
  gint64 now = g_get_monotonic_time ();
  gint64 deadline = timeout / 1000 > (uint64_t) (G_MAXINT64 - now) ? G_MAXINT64 : now + (gint64) (timeout / 1000);
  bool in_time = true;

  g_mutex_lock (&device->lock);
  while (true)
    {
      if (device->lost)
        result = GABBRO_WAIT_LOST;
      else if (points_reached (device, points, n_points, all) || (kick && device->kicked))
        result = GABBRO_WAIT_DONE;
      if (result != GABBRO_WAIT_TIMED_OUT || !in_time)
        break;
      if (timeout == UINT64_MAX)
        g_cond_wait (&device->changed, &device->lock);
      else
        in_time = g_cond_wait_until (&device->changed, &device->lock, deadline);
    }
  if (kick)
    device->kicked = false;
  g_mutex_unlock (&device->lock);
  return result;
}

void
host_kick (struct gabbro_driver_device *base)
{
  struct host_device *device = host_device_of (base);

  g_mutex_lock (&device->lock);
  device->kicked = true;
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
}

/* Life. */

void
host_device_start (struct host_device *device, const struct host_class *class, const struct gabbro_host *host,
                   const struct host_options *options)
{
  device->class = class;
  device->host = host;
  device->options = *options;
  device->base.n_queues = options->queues;
  g_mutex_init (&device->lock);
  g_cond_init (&device->changed);
  for (uint32_t i = 0; i < device->base.n_queues; i++)
    {
      bool copies = i > 0 && i + options->copy_queues >= device->base.n_queues;

      device->base.queues[i] = (struct gabbro_queue_info) {
        copies ? GABBRO_QUEUE_TRANSFER : GABBRO_QUEUE_COMPUTE | GABBRO_QUEUE_TRANSFER, copies ? 1 : 0, i,
      };
      device->queues[i].device = device;
      gb_list_init (&device->queues[i].work);
    }
  /* A queue may wait for each other one. */
  for (uint32_t i = 0; i < device->base.n_queues; i++)
    device->queues[i].thread = g_thread_new (class->thread_name, queue_main, &device->queues[i]);
}

void
host_device_stop (struct host_device *device)
{
  g_mutex_lock (&device->lock);
  device->stopping = true;
  g_atomic_int_set (&device->cancelled, 1);
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
  for (uint32_t i = 0; i < device->base.n_queues; i++)
    g_thread_join (device->queues[i].thread);
  g_mutex_clear (&device->lock);
  g_cond_clear (&device->changed);
}
