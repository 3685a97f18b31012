/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vulkan's own handles, out and in: for applications that use Vulkan beside the
 * library. Buffers and images that come in are those of the application; only the
 * structs around them, and the view of an image, are ours. */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

#include <inttypes.h>

bool
vulkan_get_adapter_native (struct gabbro_driver_adapter *base, enum gabbro_native_kind kind, uint64_t *out)
{
  const struct vulkan_adapter *adapter = (const struct vulkan_adapter *) base;

  switch (kind)
    {
    case GABBRO_NATIVE_VULKAN_GET_INSTANCE_PROC_ADDR:
      *out = (uint64_t) (uintptr_t) adapter->connection->global.GetInstanceProcAddr;
      return true;
    case GABBRO_NATIVE_VULKAN_INSTANCE:
      *out = (uint64_t) (uintptr_t) adapter->connection->instance;
      return true;
    case GABBRO_NATIVE_VULKAN_PHYSICAL_DEVICE:
      *out = (uint64_t) (uintptr_t) adapter->physical;
      return true;
    default:
      return false;
    }
}

bool
vulkan_get_native (struct gabbro_driver_device *base, enum gabbro_native_kind kind, uint64_t object,
                   struct gabbro_native *out, GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  const struct vulkan_buffer *buffer;
  const struct vulkan_image *image;

  switch (kind)
    {
    case GABBRO_NATIVE_VULKAN_DEVICE:
      *out = (struct gabbro_native) { .handle = (uint64_t) (uintptr_t) device->device };
      return true;
    case GABBRO_NATIVE_VULKAN_QUEUE:
      *out = (struct gabbro_native) { .handle = (uint64_t) (uintptr_t) device->queues[object].queue,
                                      .family = base->queues[object].family,
                                      .index = base->queues[object].index };
      return true;
    case GABBRO_NATIVE_VULKAN_BUFFER:
      buffer = vulkan_pointer (object);
      *out = (struct gabbro_native) { .handle = (uint64_t) buffer->buffer };
      return true;
    case GABBRO_NATIVE_VULKAN_IMAGE:
      image = vulkan_pointer (object);
      *out = (struct gabbro_native) {
        .handle = (uint64_t) image->image,
        .format = (uint32_t) image->format,
        .layout = g_atomic_int_get (&image->ready) != 0 ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED
      };
      return true;
    default:
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED,
                   "the Vulkan driver has no native handle of kind %d", (int) kind);
      return false;
    }
}

void
vulkan_queue_lock (struct gabbro_driver_device *base, uint32_t queue)
{
  struct vulkan_device *device = (struct vulkan_device *) base;

  g_mutex_lock (&device->queues[queue].mutex);
}

void
vulkan_queue_unlock (struct gabbro_driver_device *base, uint32_t queue)
{
  struct vulkan_device *device = (struct vulkan_device *) base;

  g_mutex_unlock (&device->queues[queue].mutex);
  /* What a layer had to say of the application's calls. */
  vulkan_log_flush (device->log);
}

static bool
check_kind (enum gabbro_native_kind kind, enum gabbro_native_kind ours, GError **error)
{
  if (kind != ours)
    g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED,
                 "the Vulkan driver takes native handles of kind %d here, not %d", (int) ours, (int) kind);
  return kind == ours;
}

bool
vulkan_buffer_wrap (struct gabbro_driver_device *base, enum gabbro_native_kind kind, uint64_t native, uint64_t size,
                    uint64_t *out, GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  const VkBufferMemoryRequirementsInfo2 which = { .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
                                                  .buffer = (VkBuffer) native };
  VkMemoryRequirements2 requirements = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
  struct vulkan_buffer *buffer;

  if (!check_kind (kind, GABBRO_NATIVE_VULKAN_BUFFER, error))
    return false;
  /* Vulkan does not tell the size of a buffer, but it is not larger than its memory. */
  device->vk.GetBufferMemoryRequirements2 (device->device, &which, &requirements);
  vulkan_log_flush (device->log);
  if (size > requirements.memoryRequirements.size)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_LIMIT,
                   "%" PRIu64 " bytes of a VkBuffer that has at the most %" PRIu64, size,
                   (uint64_t) requirements.memoryRequirements.size);
      return false;
    }
  buffer = g_new0 (struct vulkan_buffer, 1);
  buffer->buffer = (VkBuffer) native;
  buffer->is_foreign = true;
  *out = vulkan_handle (buffer);
  return true;
}

bool
vulkan_image_wrap (struct gabbro_driver_device *base, enum gabbro_native_kind kind, uint64_t native,
                   const struct gabbro_image_request *request, uint64_t *out, GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  /* In its layout already, and there for every queue: nothing to wait for. */
  struct vulkan_image image = { .image = (VkImage) native, .is_foreign = true, .ready = 1 };
  VkResult result;
  char *what;

  if (!check_kind (kind, GABBRO_NATIVE_VULKAN_IMAGE, error))
    return false;
  result = vulkan_image_create_views (device, request, &image);
  vulkan_log_flush (device->log);
  if (result != VK_SUCCESS)
    {
      what = vulkan_image_describe (request);
      vulkan_set_error (error, vulkan_device_check (device, result, "vkCreateImageView"), "view of an image of %s", what);
      g_free (what);
      return false;
    }
  *out = vulkan_handle (g_memdup2 (&image, sizeof image));
  return true;
}
