/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

char *
vulkan_image_describe (const struct gabbro_image_request *request)
{
  return request->depth > 0 ? g_strdup_printf ("%ux%ux%u texels of %s", request->width, request->height, request->depth,
                                               gb_texel_infos[request->format].name)
                            : g_strdup_printf ("%ux%u texels of %s", request->width, request->height,
                                               gb_texel_infos[request->format].name);
}

static VkResult
create_handle (struct vulkan_device *device, const struct gabbro_image_request *request, VkImage *out)
{
  bool shared = device->plan->n_families > 1;
  const VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                   .imageType = request->depth > 0 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
                                   .format = vulkan_formats[request->format],
                                   .extent = { request->width, request->height, MAX (request->depth, 1) },
                                   .mipLevels = request->n_levels,
                                   .arrayLayers = 1,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .tiling = VK_IMAGE_TILING_OPTIMAL,
                                   .usage = device->plan->image_usage[request->format],
                                   .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
                                   .queueFamilyIndexCount = shared ? device->plan->n_families : 0,
                                   .pQueueFamilyIndices = shared ? device->plan->families : NULL,
                                   .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED };

  return device->vk.CreateImage (device->device, &info, NULL, out);
}

static bool
alloc_memory (struct vulkan_device *device, const struct gabbro_image_request *request, VkImage handle,
              struct vulkan_allocation *out, GError **error)
{
  const VkImageMemoryRequirementsInfo2 which = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                                 .image = handle };
  VkMemoryDedicatedRequirements dedicated = { .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS };
  VkMemoryRequirements2 requirements = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated };
  struct vulkan_memory_request memory = { .what = "image", .use = GABBRO_MEMORY_DEVICE };

  device->vk.GetImageMemoryRequirements2 (device->device, &which, &requirements);
  memory.requirements = requirements.memoryRequirements;
  memory.asked = memory.requirements.size;
  memory.alone = dedicated.requiresDedicatedAllocation || dedicated.prefersDedicatedAllocation;
  memory.image = handle;
  return vulkan_memory_alloc (&device->memory, &memory, out, error);
}

static void
destroy_views (struct vulkan_device *device, struct vulkan_image *image)
{
  for (uint32_t i = 0; image->views != NULL && i < image->n_levels; i++)
    device->vk.DestroyImageView (device->device, image->views[i], NULL);
  g_clear_pointer (&image->views, g_free);
}

VkResult
vulkan_image_create_views (struct vulkan_device *device, const struct gabbro_image_request *request, struct vulkan_image *image)
{
  VkResult result = VK_SUCCESS;

  image->format = vulkan_formats[request->format];
  image->n_levels = request->n_levels;
  if ((device->plan->image_usage[request->format] & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT)) == 0)
    return VK_SUCCESS;
  image->views = g_new0 (VkImageView, request->n_levels);
  for (uint32_t i = 0; i < request->n_levels && result == VK_SUCCESS; i++)
    {
      const VkImageViewCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                           .image = image->image,
                                           .viewType = request->depth > 0 ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D,
                                           .format = image->format,
                                           .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, i, 1, 0, 1 } };
      result = device->vk.CreateImageView (device->device, &info, NULL, &image->views[i]);
    }
  if (result != VK_SUCCESS)
    destroy_views (device, image);
  return result;
}

bool
vulkan_image_create (struct gabbro_driver_device *base, const struct gabbro_image_request *request, uint64_t *out,
                     GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct vulkan_image image = { 0 };
  VkResult result = create_handle (device, request, &image.image);
  char *what;

  if (result != VK_SUCCESS)
    goto fail;
  if (!alloc_memory (device, request, image.image, &image.allocation, error))
    goto fail_memory;
  result = device->vk.BindImageMemory (device->device, image.image, image.allocation.memory, image.allocation.offset);
  if (result == VK_SUCCESS)
    result = vulkan_image_create_views (device, request, &image);
  if (result != VK_SUCCESS)
    {
      vulkan_memory_free (&device->memory, &image.allocation);
      device->vk.DestroyImage (device->device, image.image, NULL);
      goto fail;
    }
  *out = vulkan_handle (g_memdup2 (&image, sizeof image));
  vulkan_log_flush (device->log);
  return true;

fail:
  what = vulkan_image_describe (request);
  vulkan_set_error (error, vulkan_device_check (device, result, "vkCreateImage"), "image of %s", what);
  g_free (what);
  vulkan_log_flush (device->log);
  return false;
fail_memory:
  device->vk.DestroyImage (device->device, image.image, NULL);
  vulkan_log_flush (device->log);
  return false;
}

void
vulkan_image_destroy (struct gabbro_driver_device *base, uint64_t handle)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct vulkan_image *image = vulkan_pointer (handle);

  destroy_views (device, image);
  if (!image->is_foreign)
    {
      device->vk.DestroyImage (device->device, image->image, NULL);
      vulkan_memory_free (&device->memory, &image->allocation);
    }
  g_free (image);
  vulkan_log_flush (device->log);
}
