/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

static const VkFormat formats[GABBRO_N_IMAGE_FORMATS] = {
  [GABBRO_IMAGE_FORMAT_RGBA8_UNORM] = VK_FORMAT_R8G8B8A8_UNORM,
  [GABBRO_IMAGE_FORMAT_RGBA32_FLOAT] = VK_FORMAT_R32G32B32A32_SFLOAT,
};

static VkResult
create_handle (struct vulkan_device *device, const struct gabbro_image_request *request, VkImage *out)
{
  bool shared = device->plan->n_families > 1;
  const VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                   .imageType = VK_IMAGE_TYPE_2D,
                                   .format = formats[request->format],
                                   .extent = { request->width, request->height, 1 },
                                   .mipLevels = 1,
                                   .arrayLayers = 1,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .tiling = VK_IMAGE_TILING_OPTIMAL,
                                   .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT
                                            | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
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

VkResult
vulkan_image_create_view (struct vulkan_device *device, const struct gabbro_image_request *request, struct vulkan_image *image)
{
  const VkImageViewCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = image->image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = formats[request->format],
                                       .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };

  image->format = formats[request->format];
  return device->vk.CreateImageView (device->device, &info, NULL, &image->view);
}

bool
vulkan_image_create (struct gabbro_driver_device *base, const struct gabbro_image_request *request, uint64_t *out,
                     GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct vulkan_image image = { .width = request->width, .height = request->height };
  VkResult result = create_handle (device, request, &image.image);
  struct vulkan_image *kept;

  if (result != VK_SUCCESS)
    goto fail;
  if (!alloc_memory (device, request, image.image, &image.allocation, error))
    goto fail_memory;
  result = device->vk.BindImageMemory (device->device, image.image, image.allocation.memory, image.allocation.offset);
  if (result == VK_SUCCESS)
    result = vulkan_image_create_view (device, request, &image);
  if (result != VK_SUCCESS)
    {
      vulkan_memory_free (&device->memory, &image.allocation);
      device->vk.DestroyImage (device->device, image.image, NULL);
      goto fail;
    }
  kept = g_new (struct vulkan_image, 1);
  *kept = image;
  *out = vulkan_handle (kept);
  vulkan_log_flush (device->log);
  return true;

fail:
  vulkan_set_error (error, vulkan_device_check (device, result, "vkCreateImage"), "image of %ux%u texels", request->width,
                    request->height);
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

  device->vk.DestroyImageView (device->device, image->view, NULL);
  if (!image->is_foreign)
    {
      device->vk.DestroyImage (device->device, image->image, NULL);
      vulkan_memory_free (&device->memory, &image->allocation);
    }
  g_free (image);
  vulkan_log_flush (device->log);
}
