/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/null/null.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/drivers/host/host.h"
#include "lib/digest.h"

struct null_device
{
  struct host_device host;
  const struct null_settings *settings;
  uint64_t n_buffers;
  GMutex pipelines_mutex;
  GByteArray *pipelines;                 /* digests of code that was "compiled"; its mutex */
};

static struct null_device *
null_device (struct gabbro_driver_device *device)
{
  return (struct null_device *) device;
}

static struct host_memory *
memory_new (struct null_device *device, uint64_t size, GError **error)
{
  struct host_memory *memory = g_new0 (struct host_memory, 1);

  if (host_memory_init (&device->host, memory, size, error))
    return memory;
  g_free (memory);
  return NULL;
}

static bool
buffer_create (struct gabbro_driver_device *base, uint64_t size, enum gabbro_memory_use use,
               struct gabbro_buffer_info *out, GError **error)
{
  struct null_device *device = null_device (base);
  struct host_memory *memory;
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
memory_destroy (struct gabbro_driver_device *base, uint64_t handle)
{
  struct host_memory *memory = host_memory_of (handle);

  host_memory_clear (&null_device (base)->host, memory);
  g_free (memory);
}

static bool
image_create (struct gabbro_driver_device *base, const struct gabbro_image_request *request, uint64_t *out, GError **error)
{
  uint64_t size = host_image_size (request);
  struct host_memory *memory = memory_new (null_device (base), size, error);

  if (memory == NULL)
    return false;
  *out = (uint64_t) (uintptr_t) memory;
  return true;
}

static bool
has_pipeline (const GByteArray *pipelines, const uint8_t digest[GB_DIGEST_SIZE])
{
  for (guint at = 0; at + GB_DIGEST_SIZE <= pipelines->len; at += GB_DIGEST_SIZE)
    if (memcmp (pipelines->data + at, digest, GB_DIGEST_SIZE) == 0)
      return true;
  return false;
}

static void
compile (struct null_device *device, const struct gabbro_artifact *artifact)
{
  struct gabbro_driver_device *base = &device->host.base;
  uint8_t digest[GB_DIGEST_SIZE];

  gb_digest_of (artifact->words, artifact->n_words * sizeof artifact->words[0], digest);
  g_mutex_lock (&device->pipelines_mutex);
  if (has_pipeline (device->pipelines, digest))
    __atomic_add_fetch (&base->n_pipelines_found, 1, __ATOMIC_RELAXED);
  else
    {
      g_byte_array_append (device->pipelines, digest, sizeof digest);
      __atomic_add_fetch (&base->n_pipelines_compiled, 1, __ATOMIC_RELAXED);
    }
  g_mutex_unlock (&device->pipelines_mutex);
}

static void
pipelines_load (struct gabbro_driver_device *base, const void *data, size_t size)
{
  struct null_device *device = null_device (base);

  g_mutex_lock (&device->pipelines_mutex);
  g_byte_array_append (device->pipelines, data, (guint) size);
  g_mutex_unlock (&device->pipelines_mutex);
}

static void *
pipelines_save (struct gabbro_driver_device *base, const void *data, size_t size, size_t *out_size)
{
  struct null_device *device = null_device (base);
  GByteArray *all;

  g_mutex_lock (&device->pipelines_mutex);
  all = g_byte_array_append (g_byte_array_new (), device->pipelines->data, device->pipelines->len);
  g_mutex_unlock (&device->pipelines_mutex);
  for (size_t at = 0; at + GB_DIGEST_SIZE <= size; at += GB_DIGEST_SIZE)
    if (!has_pipeline (all, (const uint8_t *) data + at))
      g_byte_array_append (all, (const uint8_t *) data + at, GB_DIGEST_SIZE);
  *out_size = all->len;
  return g_byte_array_free (all, FALSE);
}

static bool
shader_create (struct gabbro_driver_device *base, const struct gabbro_artifact *artifact, uint64_t *out, GError **error)
{
  if (null_device (base)->settings->pipelines)
    compile (null_device (base), artifact);
  *out = (uint64_t) (uintptr_t) g_strdup (artifact->name);
  return true;
}

static void
shader_destroy (struct gabbro_driver_device *base, uint64_t shader)
{
  g_free ((char *) (uintptr_t) shader);
}

static bool
run_step (struct host_device *device, const struct host_step *step, GError **error)
{
  host_step_copy (step);
  return true;
}

static void
retire (struct gabbro_driver_device *base, uint32_t queue, uint64_t value)
{
  uint64_t delay = null_device (base)->settings->retire_delay;

  if (delay > 0)
    g_usleep ((gulong) delay);
}

static void
device_close (struct gabbro_driver_device *base)
{
  struct null_device *device = null_device (base);

  host_device_stop (&device->host);
  g_mutex_clear (&device->pipelines_mutex);
  g_byte_array_unref (device->pipelines);
  g_free (device);
}

#define NULL_OPS                        \
  .close = device_close,                \
  .buffer_create = buffer_create,       \
  .buffer_destroy = memory_destroy,     \
  .image_create = image_create,         \
  .image_destroy = memory_destroy,      \
  .shader_create = shader_create,       \
  .shader_destroy = shader_destroy,     \
  .list_prepare = host_list_prepare,    \
  .list_destroy = host_list_destroy,    \
  .submit = host_submit,                \
  .queue_value = host_queue_value,      \
  .wait = host_wait,                    \
  .kick = host_kick,                    \
  .retire = retire,                     \
  .memory_budget = host_memory_budget

static const struct gabbro_device_ops null_ops = { NULL_OPS };
static const struct gabbro_device_ops null_pipelines_ops = {
  NULL_OPS, .pipelines_load = pipelines_load, .pipelines_save = pipelines_save
};

/* Dispatches leave no trace but their number. */
static const struct host_class null_class = { .thread_name = "gabbro-null", .run_step = run_step };

struct gabbro_driver_device *
null_device_open (struct gabbro_driver_instance *instance, struct gabbro_driver_adapter *adapter, GError **error)
{
  struct null_device *device = g_new0 (struct null_device, 1);
  const struct null_settings *settings = &gb_container_of (adapter, struct null_adapter, base)->settings;

  device->settings = settings;
  device->host.base.ops = settings->pipelines ? &null_pipelines_ops : &null_ops;
  g_mutex_init (&device->pipelines_mutex);
  device->pipelines = g_byte_array_new ();
  host_device_start (&device->host, &null_class, gb_container_of (instance, struct null_instance, base)->host, &settings->host);
  return &device->host.base;
}
