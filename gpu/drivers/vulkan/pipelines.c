/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the Vulkan driver has compiled, for the next process. A driver checks the header of what it is given; that not a
 * bit of the rest has changed, the library knows. */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

/* Nothing but VkPipelineCacheHeaderVersionOne: there is nothing to keep. */
#define EMPTY_SIZE 32
/* Calls until the size that was said is the size that it has: others compile meanwhile. */
#define MAX_TRIES  4

static VkPipelineCache
create_cache (struct vulkan_device *device, const void *data, size_t size)
{
  const VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = data };
  VkPipelineCache cache = VK_NULL_HANDLE;
  VkResult result = device->vk.CreatePipelineCache (device->device, &info, NULL, &cache);

  if (result == VK_SUCCESS)
    return cache;
  vulkan_log_add (device->log, GABBRO_LOG_DEBUG, "a pipeline cache of %zu bytes: %s", size, vulkan_result_name (result));
  return VK_NULL_HANDLE;
}

void
vulkan_pipelines_load (struct gabbro_driver_device *base, const void *data, size_t size)
{
  struct vulkan_device *device = (struct vulkan_device *) base;

  device->pipelines = create_cache (device, data, size);
  /* Rather none of what was than none of what comes. */
  if (device->pipelines == VK_NULL_HANDLE && size > 0)
    device->pipelines = create_cache (device, NULL, 0);
  vulkan_log_flush (device->log);
}

static void *
get_data (struct vulkan_device *device, VkPipelineCache cache, size_t *out_size)
{
  VkResult result = VK_INCOMPLETE;
  void *data = NULL;

  for (unsigned i = 0; i < MAX_TRIES && result == VK_INCOMPLETE; i++)
    {
      g_clear_pointer (&data, g_free);
      result = device->vk.GetPipelineCacheData (device->device, cache, out_size, NULL);
      if (result != VK_SUCCESS || *out_size <= EMPTY_SIZE)
        return NULL;
      data = g_try_malloc (*out_size);
      if (data == NULL)
        return NULL;
      result = device->vk.GetPipelineCacheData (device->device, cache, out_size, data);
    }
  if (result != VK_SUCCESS)
    g_clear_pointer (&data, g_free);
  return data;
}

void *
vulkan_pipelines_save (struct gabbro_driver_device *base, const void *data, size_t size, size_t *out_size)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  VkPipelineCache all;
  void *saved = NULL;

  if (device->pipelines == VK_NULL_HANDLE || vulkan_device_is_lost (device))
    return NULL;
  all = size > 0 ? create_cache (device, data, size) : VK_NULL_HANDLE;
  if (all == VK_NULL_HANDLE)
    saved = get_data (device, device->pipelines, out_size);
  else if (device->vk.MergePipelineCaches (device->device, all, 1, &device->pipelines) == VK_SUCCESS)
    saved = get_data (device, all, out_size);
  device->vk.DestroyPipelineCache (device->device, all, NULL);
  vulkan_log_flush (device->log);
  return saved;
}

VkResult
vulkan_pipelines_create (struct vulkan_device *device, const VkComputePipelineCreateInfo *wanted, VkPipeline *out)
{
  const VkPipelineCreationFeedbackFlags found = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  VkPipelineCreationFeedback whole = { 0 }, stage = { 0 };
  const VkPipelineCreationFeedbackCreateInfo feedback = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                          .pPipelineCreationFeedback = &whole,
                                                          .pipelineStageCreationFeedbackCount = 1,
                                                          .pPipelineStageCreationFeedbacks = &stage };
  VkComputePipelineCreateInfo info = *wanted;
  VkResult result;

  info.pNext = &feedback;
  result = device->vk.CreateComputePipelines (device->device, device->pipelines, 1, &info, NULL, out);
  if (result != VK_SUCCESS)
    return result;
  if ((whole.flags & found) == found)
    __atomic_add_fetch (&device->base.n_pipelines_found, 1, __ATOMIC_RELAXED);
  else
    __atomic_add_fetch (&device->base.n_pipelines_compiled, 1, __ATOMIC_RELAXED);
  return VK_SUCCESS;
}
