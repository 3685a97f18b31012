/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists that are encoded once and submitted many times. They own their command
 * buffer and their descriptor sets, so that nothing is shared with submissions. */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

static void
prepared_free (struct vulkan_device *device, struct vulkan_prepared *prepared)
{
  vulkan_set_chunks_return (prepared->chunks);
  device->vk.DestroyCommandPool (device->device, prepared->pool, NULL);
  g_free (prepared->images);
  g_free (prepared);
}

static VkResult
create_commands (struct vulkan_device *device, struct vulkan_prepared *prepared, uint32_t family)
{
  const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .queueFamilyIndex = family };
  VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                       .commandBufferCount = 1 };
  VkResult result = device->vk.CreateCommandPool (device->device, &pool_info, NULL, &prepared->pool);

  if (result != VK_SUCCESS)
    return result;
  info.commandPool = prepared->pool;
  return device->vk.AllocateCommandBuffers (device->device, &info, &prepared->commands);
}

static VkResult
encode (struct vulkan_device *device, struct vulkan_prepared *prepared, const struct gabbro_command_plan *plan)
{
  const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                          .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT };
  struct vulkan_queue *queue = &device->queues[prepared->queue];
  VkResult result = device->vk.BeginCommandBuffer (prepared->commands, &info);

  if (result != VK_SUCCESS)
    return result;
  g_mutex_lock (&queue->mutex);
  result = vulkan_encode (device, queue, plan, prepared->commands, &prepared->chunks);
  g_mutex_unlock (&queue->mutex);
  if (result != VK_SUCCESS)
    return result;
  return device->vk.EndCommandBuffer (prepared->commands);
}

bool
vulkan_list_prepare (struct gabbro_driver_device *base, uint32_t queue, const struct gabbro_command_plan *plan,
                     uint64_t *out, GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct vulkan_prepared *prepared = g_new0 (struct vulkan_prepared, 1);
  VkResult result = create_commands (device, prepared, device->queues[queue].family);

  prepared->queue = queue;
  prepared->n_images = plan->n_images;
  prepared->images = g_memdup2 (plan->images, plan->n_images * sizeof *plan->images);
  if (result == VK_SUCCESS)
    result = encode (device, prepared, plan);
  if (result != VK_SUCCESS)
    {
      prepared_free (device, prepared);
      vulkan_set_error (error, vulkan_device_check (device, result, "vkEndCommandBuffer"),
                        "list of %u commands for queue %u", plan->n_commands, queue);
      vulkan_log_flush (device->log);
      return false;
    }
  *out = vulkan_handle (prepared);
  vulkan_log_flush (device->log);
  return true;
}

void
vulkan_list_destroy (struct gabbro_driver_device *base, uint64_t handle)
{
  struct vulkan_device *device = (struct vulkan_device *) base;

  prepared_free (device, vulkan_pointer (handle));
  vulkan_log_flush (device->log);
}
