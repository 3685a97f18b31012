/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

#include <inttypes.h>

#include "lib/checked.h"

static VkResult
create_handle (struct vulkan_device *device, uint64_t size, VkBuffer *out)
{
  bool shared = device->plan->n_families > 1;
  const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    /* A kernel may see it as words, to the last. */
                                    .size = GB_ALIGN_UP (size, 4),
                                    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT
                                             | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
                                    .queueFamilyIndexCount = shared ? device->plan->n_families : 0,
                                    .pQueueFamilyIndices = shared ? device->plan->families : NULL };

  return device->vk.CreateBuffer (device->device, &info, NULL, out);
}

bool
vulkan_buffer_create (struct gabbro_driver_device *base, uint64_t size, enum gabbro_memory_use use,
                      struct gabbro_buffer_info *out, GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  VkMemoryDedicatedRequirements dedicated = { .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS };
  VkMemoryRequirements2 requirements = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated };
  VkBufferMemoryRequirementsInfo2 which = { .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2 };
  struct vulkan_memory_request request = { .what = "buffer", .asked = size, .use = use };
  struct vulkan_allocation allocation;
  struct vulkan_buffer *buffer;
  VkBuffer handle;
  VkResult result = create_handle (device, size, &handle);

  if (result != VK_SUCCESS)
    {
      vulkan_set_error (error, vulkan_device_check (device, result, "vkCreateBuffer"),
                        "buffer of %" PRIu64 " bytes (the device takes up to %" PRIu64 ")", size,
                        device->plan->limits.max_buffer_size);
      vulkan_log_flush (device->log);
      return false;
    }
  which.buffer = handle;
  device->vk.GetBufferMemoryRequirements2 (device->device, &which, &requirements);
  request.requirements = requirements.memoryRequirements;
  request.alone = dedicated.requiresDedicatedAllocation || dedicated.prefersDedicatedAllocation;
  request.buffer = handle;
  if (!vulkan_memory_alloc (&device->memory, &request, &allocation, error))
    goto fail_buffer;
  result = device->vk.BindBufferMemory (device->device, handle, allocation.memory, allocation.offset);
  if (result != VK_SUCCESS)
    {
      vulkan_set_error (error, vulkan_device_check (device, result, "vkBindBufferMemory"),
                        "buffer of %" PRIu64 " bytes: memory cannot be bound", size);
      goto fail_memory;
    }

  buffer = g_new0 (struct vulkan_buffer, 1);
  buffer->buffer = handle;
  buffer->allocation = allocation;
  out->handle = vulkan_handle (buffer);
  out->mapped = use == GABBRO_MEMORY_DEVICE && !device->plan->memory.map_device ? NULL : allocation.mapped;
  out->cached = out->mapped != NULL && device->plan->memory.cached[allocation.type];
  out->allocated = allocation.size;
  vulkan_log_flush (device->log);
  return true;

fail_memory:
  vulkan_memory_free (&device->memory, &allocation);
fail_buffer:
  device->vk.DestroyBuffer (device->device, handle, NULL);
  vulkan_log_flush (device->log);
  return false;
}

void
vulkan_buffer_destroy (struct gabbro_driver_device *base, uint64_t handle)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct vulkan_buffer *buffer = vulkan_pointer (handle);

  if (!buffer->is_foreign)
    {
      device->vk.DestroyBuffer (device->device, buffer->buffer, NULL);
      vulkan_memory_free (&device->memory, &buffer->allocation);
    }
  g_free (buffer);
  vulkan_log_flush (device->log);
}
