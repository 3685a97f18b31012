/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/null/null.h"

#include <inttypes.h>
#include <string.h>

#include "lib/list.h"

struct null_memory
{
  uint64_t size;
  char bytes[];
};

/* One copy or fill; dispatches leave no trace but their number. */
struct null_step
{
  enum gabbro_command_kind kind;
  struct null_memory *source, *destination;
  uint64_t source_offset, destination_offset, size;
  uint32_t value;
};

struct null_program
{
  uint32_t n_steps, n_dispatches;
  struct null_step steps[];
};

struct null_work
{
  struct gb_list link;
  struct null_program *program;          /* NULL: only a signal */
  bool owns_program;
  uint64_t signal;
  uint32_t n_waits;
  struct gabbro_point waits[];
};

struct null_device;

struct null_queue
{
  struct null_device *device;
  GThread *thread;
  struct gb_list work;
  uint64_t completed;
};

struct null_device
{
  struct gabbro_driver_device base;
  const struct null_settings *settings;
  GMutex lock;
  GCond changed;
  struct null_queue queues[GABBRO_MAX_QUEUES];
  bool stopping, lost, kicked;
  uint32_t n_running;                    /* programs that touch memory */
  uint64_t n_buffers, n_submissions, n_dispatches, used;
};

static struct null_device *
null_device (struct gabbro_driver_device *device)
{
  return gb_container_of (device, struct null_device, base);
}

/* Memory. */

static struct null_memory *
memory_new (struct null_device *device, uint64_t size, GError **error)
{
  struct null_memory *memory = NULL;
  uint64_t available;

  g_mutex_lock (&device->lock);
  available = device->settings->memory - device->used;
  if (size <= available)
    memory = g_try_malloc0 (sizeof *memory + size);
  if (memory != NULL)
    {
      memory->size = size;
      device->used += size;
    }
  g_mutex_unlock (&device->lock);
  if (memory == NULL)
    g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY,
                 "%" PRIu64 " bytes asked for, %" PRIu64 " available", (guint64) size, (guint64) available);
  return memory;
}

static void
memory_free (struct null_device *device, struct null_memory *memory)
{
  g_mutex_lock (&device->lock);
  device->used -= memory->size;
  g_mutex_unlock (&device->lock);
  g_free (memory);
}

static bool
buffer_create (struct gabbro_driver_device *base, uint64_t size, enum gabbro_memory_use use,
               struct gabbro_buffer_info *out, GError **error)
{
  struct null_device *device = null_device (base);
  struct null_memory *memory;
  uint64_t number = __atomic_add_fetch (&device->n_buffers, 1, __ATOMIC_RELAXED);

  if (number == device->settings->fail_buffer)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY,
                   "buffer number %" PRIu64 " fails by request", (guint64) number);
      return false;
    }
  memory = memory_new (device, size, error);
  if (memory == NULL)
    return false;
  out->handle = (uint64_t) (uintptr_t) memory;
  out->mapped = device->settings->unmapped && use == GABBRO_MEMORY_DEVICE ? NULL : memory->bytes;
  out->allocated = size;
  out->cached = true;
  return true;
}

static void
buffer_destroy (struct gabbro_driver_device *base, uint64_t buffer)
{
  memory_free (null_device (base), (struct null_memory *) (uintptr_t) buffer);
}

static bool
image_create (struct gabbro_driver_device *base, const struct gabbro_image_request *request, uint64_t *out, GError **error)
{
  static const uint64_t texel_sizes[] = { [GABBRO_IMAGE_FORMAT_RGBA8_UNORM] = 4, [GABBRO_IMAGE_FORMAT_RGBA32_FLOAT] = 16 };
  uint64_t size = (uint64_t) request->width * request->height * texel_sizes[request->format];
  struct null_memory *memory = memory_new (null_device (base), size, error);

  if (memory == NULL)
    return false;
  *out = (uint64_t) (uintptr_t) memory;
  return true;
}

static bool
shader_create (struct gabbro_driver_device *base, const struct gabbro_artifact *artifact, uint64_t *out, GError **error)
{
  *out = (uint64_t) (uintptr_t) g_strdup (artifact->name);
  return true;
}

static void
shader_destroy (struct gabbro_driver_device *base, uint64_t shader)
{
  g_free ((char *) (uintptr_t) shader);
}

/* Commands. */

static struct null_memory *
memory_of (uint64_t handle)
{
  return (struct null_memory *) (uintptr_t) handle;
}

static struct null_step
step_of (const struct gabbro_command *command)
{
  struct null_step step = { .kind = command->kind };

  switch (command->kind)
    {
    case GABBRO_COMMAND_COPY_BUFFER:
      {
        const struct gabbro_copy_buffer *copy = (const struct gabbro_copy_buffer *) command;
        step.source = memory_of (copy->source);
        step.destination = memory_of (copy->destination);
        step.source_offset = copy->source_offset;
        step.destination_offset = copy->destination_offset;
        step.size = copy->size;
        break;
      }
    case GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE:
      {
        const struct gabbro_copy_image *copy = (const struct gabbro_copy_image *) command;
        step.source = memory_of (copy->buffer);
        step.source_offset = copy->buffer_offset;
        step.destination = memory_of (copy->image);
        step.size = step.destination->size;
        break;
      }
    case GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER:
      {
        const struct gabbro_copy_image *copy = (const struct gabbro_copy_image *) command;
        step.source = memory_of (copy->image);
        step.destination = memory_of (copy->buffer);
        step.destination_offset = copy->buffer_offset;
        step.size = step.source->size;
        break;
      }
    case GABBRO_COMMAND_FILL_BUFFER:
      {
        const struct gabbro_fill_buffer *fill = (const struct gabbro_fill_buffer *) command;
        step.destination = memory_of (fill->buffer);
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

static struct null_program *
program_new (const struct gabbro_command_plan *plan)
{
  struct null_program *program = g_malloc0 (sizeof *program + plan->n_commands * sizeof *program->steps);

  for (uint32_t i = 0; i < plan->n_commands; i++)
    {
      if (plan->commands[i]->kind == GABBRO_COMMAND_DISPATCH)
        program->n_dispatches++;
      else
        program->steps[program->n_steps++] = step_of (plan->commands[i]);
    }
  return program;
}

static void
program_run (const struct null_program *program)
{
  for (uint32_t i = 0; i < program->n_steps; i++)
    {
      const struct null_step *step = &program->steps[i];

      if (step->kind == GABBRO_COMMAND_FILL_BUFFER)
        for (uint64_t at = 0; at < step->size; at += sizeof step->value)
          memcpy (step->destination->bytes + step->destination_offset + at, &step->value, sizeof step->value);
      else
        memmove (step->destination->bytes + step->destination_offset, step->source->bytes + step->source_offset, step->size);
    }
}

static bool
list_prepare (struct gabbro_driver_device *base, uint32_t queue, const struct gabbro_command_plan *plan,
              uint64_t *out, GError **error)
{
  *out = (uint64_t) (uintptr_t) program_new (plan);
  return true;
}

static void
list_destroy (struct gabbro_driver_device *base, uint64_t prepared)
{
  g_free ((void *) (uintptr_t) prepared);
}

/* Queues: one thread each, in order. */

static bool
waits_are_over (const struct null_device *device, const struct null_work *work)
{
  for (uint32_t i = 0; i < work->n_waits; i++)
    if (device->queues[work->waits[i].queue].completed < work->waits[i].value)
      return false;
  return true;
}

static void
run_work (struct null_device *device, struct null_queue *queue, struct null_work *work)
{
  while (!waits_are_over (device, work) && !device->stopping && !device->lost)
    g_cond_wait (&device->changed, &device->lock);
  while (work->program != NULL && device->settings->hang && !device->stopping && !device->lost)
    g_cond_wait (&device->changed, &device->lock);
  if (device->settings->delay > 0)
    {
      gint64 end = g_get_monotonic_time () + (gint64) device->settings->delay;

      while (!device->lost && g_cond_wait_until (&device->changed, &device->lock, end))
        continue;
    }
  /* What a lost device was given may be destroyed by now. */
  if (work->program != NULL && !device->lost)
    {
      device->n_running++;
      g_mutex_unlock (&device->lock);
      program_run (work->program);
      __atomic_add_fetch (&device->n_dispatches, work->program->n_dispatches, __ATOMIC_RELAXED);
      g_mutex_lock (&device->lock);
      device->n_running--;
    }
  if (!device->lost)
    queue->completed = work->signal;
  g_cond_broadcast (&device->changed);
  if (work->owns_program)
    g_free (work->program);
  g_free (work);
}

static gpointer
queue_main (gpointer data)
{
  struct null_queue *queue = data;
  struct null_device *device = queue->device;

  g_mutex_lock (&device->lock);
  while (!device->stopping || !gb_list_is_empty (&queue->work))
    {
      struct null_work *work = gb_list_first (&queue->work, struct null_work, link);

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
lose (struct null_device *device)
{
  g_mutex_lock (&device->lock);
  device->lost = true;
  g_cond_broadcast (&device->changed);
  while (device->n_running > 0)
    g_cond_wait (&device->changed, &device->lock);
  g_mutex_unlock (&device->lock);
}

static bool
submit (struct gabbro_driver_device *base, uint32_t index, const struct gabbro_submission *submission, GError **error)
{
  struct null_device *device = null_device (base);
  uint64_t number = __atomic_add_fetch (&device->n_submissions, 1, __ATOMIC_RELAXED);
  struct null_work *work;

  if (number == device->settings->fail_submit)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED,
                   "submission number %" PRIu64 " fails by request", (guint64) number);
      return false;
    }
  if (number == device->settings->lose_submit)
    lose (device);
  if (__atomic_load_n (&device->lost, __ATOMIC_ACQUIRE))
    {
      g_set_error_literal (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_LOST, "the device is lost by request");
      return false;
    }
  work = g_malloc0 (sizeof *work + submission->n_waits * sizeof *work->waits);
  gb_list_init (&work->link);
  if (submission->prepared != 0)
    work->program = (struct null_program *) (uintptr_t) submission->prepared;
  else if (submission->plan != NULL)
    {
      work->program = program_new (submission->plan);
      work->owns_program = true;
    }
  work->signal = submission->signal;
  work->n_waits = submission->n_waits;
  memcpy (work->waits, submission->waits, submission->n_waits * sizeof *work->waits);
  g_mutex_lock (&device->lock);
  gb_list_append (&device->queues[index].work, &work->link);
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
  return true;
}

static bool
queue_value (struct gabbro_driver_device *base, uint32_t index, uint64_t *value)
{
  struct null_device *device = null_device (base);
  bool ok;

  g_mutex_lock (&device->lock);
  ok = !device->lost;
  if (ok)
    *value = device->queues[index].completed;
  g_mutex_unlock (&device->lock);
  return ok;
}

static bool
points_reached (const struct null_device *device, const struct gabbro_point *points, uint32_t n_points, bool all)
{
  uint32_t n_reached = 0;

  for (uint32_t i = 0; i < n_points; i++)
    n_reached += device->queues[points[i].queue].completed >= points[i].value;
  return all ? n_reached == n_points : n_reached > 0;
}

static enum gabbro_wait_result
wait_points (struct gabbro_driver_device *base, const struct gabbro_point *points, uint32_t n_points,
             bool all, bool kick, uint64_t timeout)
{
  struct null_device *device = null_device (base);
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

static void
kick (struct gabbro_driver_device *base)
{
  struct null_device *device = null_device (base);

  g_mutex_lock (&device->lock);
  device->kicked = true;
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
}

static void
retire (struct gabbro_driver_device *base, uint32_t queue, uint64_t value)
{
  uint64_t delay = null_device (base)->settings->retire_delay;

  if (delay > 0)
    g_usleep ((gulong) delay);
}

static bool
memory_budget (struct gabbro_driver_device *base, uint64_t *used, uint64_t *budget)
{
  struct null_device *device = null_device (base);

  g_mutex_lock (&device->lock);
  *used = device->used;
  *budget = device->settings->memory;
  g_mutex_unlock (&device->lock);
  return true;
}

static void
device_close (struct gabbro_driver_device *base)
{
  struct null_device *device = null_device (base);

  g_mutex_lock (&device->lock);
  device->stopping = true;
  g_cond_broadcast (&device->changed);
  g_mutex_unlock (&device->lock);
  for (uint32_t i = 0; i < device->base.n_queues; i++)
    g_thread_join (device->queues[i].thread);
  g_mutex_clear (&device->lock);
  g_cond_clear (&device->changed);
  g_free (device);
}

static const struct gabbro_device_ops null_ops = {
  .close = device_close,
  .buffer_create = buffer_create,
  .buffer_destroy = buffer_destroy,
  .image_create = image_create,
  .image_destroy = buffer_destroy,
  .shader_create = shader_create,
  .shader_destroy = shader_destroy,
  .list_prepare = list_prepare,
  .list_destroy = list_destroy,
  .submit = submit,
  .queue_value = queue_value,
  .wait = wait_points,
  .kick = kick,
  .retire = retire,
  .memory_budget = memory_budget,
};

struct gabbro_driver_device *
null_device_open (struct gabbro_driver_instance *instance, struct gabbro_driver_adapter *adapter, GError **error)
{
  struct null_device *device = g_new0 (struct null_device, 1);

  device->settings = &gb_container_of (adapter, struct null_adapter, base)->settings;
  device->base.ops = &null_ops;
  device->base.n_queues = device->settings->queues;
  g_mutex_init (&device->lock);
  g_cond_init (&device->changed);
  for (uint32_t i = 0; i < device->base.n_queues; i++)
    {
      struct null_queue *queue = &device->queues[i];
      bool copies = i > 0 && i + device->settings->copy_queues >= device->base.n_queues;

      device->base.queues[i] = (struct gabbro_queue_info) {
        copies ? GABBRO_QUEUE_TRANSFER : GABBRO_QUEUE_COMPUTE | GABBRO_QUEUE_TRANSFER, copies ? 1 : 0, i,
      };
      queue->device = device;
      gb_list_init (&queue->work);
      queue->thread = g_thread_new ("gabbro-null", queue_main, queue);
    }
  return &device->base;
}
