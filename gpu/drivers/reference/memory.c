/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

#include <inttypes.h>

static struct reference_memory *
memory_new (struct reference_device *device, enum check_storage storage, uint64_t size, bool initialised, GError **error)
{
  struct reference_memory *memory = g_new0 (struct reference_memory, 1);

  if (!host_memory_init (&device->host, &memory->base, size, error))
    {
      g_free (memory);
      return NULL;
    }
  if (device->check == NULL)
    return memory;
  memory->shadow = check_memory_new (device->check, storage, size, initialised);
  if (memory->shadow != NULL)
    return memory;
  host_memory_clear (&device->host, &memory->base);
  g_free (memory);
  g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_OUT_OF_HOST_MEMORY,
               "%" PRIu64 " bytes cannot be watched: there is no memory for what is known of them", size);
  return NULL;
}

/* What the host writes through a mapping is seen by nobody. So device memory has none where initialised bytes are
 * told from others: everything reaches it by copies. */
bool
reference_buffer_create (struct gabbro_driver_device *base, uint64_t size, enum gabbro_memory_use use,
                         struct gabbro_buffer_info *out, GError **error)
{
  struct reference_device *device = reference_device_of (base);
  bool is_device = use == GABBRO_MEMORY_DEVICE;
  struct reference_memory *memory = memory_new (device, CHECK_STORAGE_BUFFER, size, !is_device, error);

  if (memory == NULL)
    return false;
  out->handle = (uint64_t) (uintptr_t) memory;
  out->mapped = is_device && device->check != NULL ? NULL : memory->base.bytes;
  out->allocated = size;
  out->cached = true;
  return true;
}

bool
reference_image_create (struct gabbro_driver_device *base, const struct gabbro_image_request *request, uint64_t *out,
                        GError **error)
{
  uint64_t size = host_image_size (request);
  struct reference_memory *memory = memory_new (reference_device_of (base), CHECK_STORAGE_IMAGE, size, false, error);

  if (memory == NULL)
    return false;
  memory->levels = reference_image_levels (request, memory->base.bytes);
  *out = (uint64_t) (uintptr_t) memory;
  return true;
}

void
reference_memory_destroy (struct gabbro_driver_device *base, uint64_t handle)
{
  struct reference_memory *memory = reference_memory_of (handle);

  if (memory->shadow != NULL)
    check_memory_free (memory->shadow);
  host_memory_clear (&reference_device_of (base)->host, &memory->base);
  g_free (memory->levels);
  g_free (memory);
}
