/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/bench/hand-shader.h"

#include <string.h>

static void
everything_before (struct hand *hand)
{
  hand_barrier (hand, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
}

static void
finish (struct hand *hand)
{
  hand_barrier (hand, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_2_HOST_BIT,
                VK_ACCESS_2_HOST_READ_BIT);
  hand_check (vkEndCommandBuffer (hand->commands), "vkEndCommandBuffer");
}

/* To the layout that it has from then on. */
static void
prepare (struct hand *hand, VkImage image)
{
  const VkImageMemoryBarrier2 transition = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT, .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    .newLayout = VK_IMAGE_LAYOUT_GENERAL, .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = image, .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 }
  };
  const VkDependencyInfo info = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &transition };

  hand_begin (hand);
  vkCmdPipelineBarrier2 (hand->commands, &info);
  finish (hand);
  hand_submit (hand);
  hand_wait (hand);
}

void
hand_image_new (struct hand *hand, struct hand_image *image, uint32_t side)
{
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { side, side, 1 }, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT
  };
  VkImageViewCreateInfo view = { .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                 .format = VK_FORMAT_R8G8B8A8_UNORM, .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements requirements;
  int type;

  image->side = side;
  hand_check (vkCreateImage (hand->device, &info, NULL, &image->image), "vkCreateImage");
  vkGetImageMemoryRequirements (hand->device, image->image, &requirements);
  type = hand_memory_type (hand, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  hand_check (type < 0 ? VK_ERROR_FEATURE_NOT_PRESENT : VK_SUCCESS, "no memory for pictures");
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = (uint32_t) type;
  hand_check (vkAllocateMemory (hand->device, &allocate, NULL, &image->memory), "vkAllocateMemory");
  hand_check (vkBindImageMemory (hand->device, image->image, image->memory, 0), "vkBindImageMemory");
  view.image = image->image;
  hand_check (vkCreateImageView (hand->device, &view, NULL, &image->view), "vkCreateImageView");
  prepare (hand, image->image);
}

void
hand_image_free (struct hand *hand, struct hand_image *image)
{
  vkDestroyImageView (hand->device, image->view, NULL);
  vkDestroyImage (hand->device, image->image, NULL);
  vkFreeMemory (hand->device, image->memory, NULL);
}

static void
copy (struct hand *hand, const struct hand_resource *resource, const struct hand_buffer *buffer, gboolean in)
{
  const struct hand_image *image = &resource->image;
  const VkBufferImageCopy texels = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 }, .imageExtent = { image->side, image->side, 1 } };
  const VkBufferCopy bytes = { 0, 0, resource->buffer.size };

  hand_begin (hand);
  everything_before (hand);
  if (image->image == VK_NULL_HANDLE)
    vkCmdCopyBuffer (hand->commands, in ? buffer->buffer : resource->buffer.buffer, in ? resource->buffer.buffer : buffer->buffer, 1, &bytes);
  else if (in)
    vkCmdCopyBufferToImage (hand->commands, buffer->buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &texels);
  else
    vkCmdCopyImageToBuffer (hand->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, 1, &texels);
  finish (hand);
  hand_submit (hand);
  hand_wait (hand);
}

void
hand_fill (struct hand *hand, const struct hand_resource *resource, const struct hand_buffer *from)
{
  copy (hand, resource, from, TRUE);
}

void
hand_read (struct hand *hand, const struct hand_resource *resource, const struct hand_buffer *to)
{
  copy (hand, resource, to, FALSE);
}

static void
create_layouts (struct hand *hand, struct hand_shader *shader, const struct hand_binding *bindings, uint32_t n)
{
  VkDescriptorSetLayoutBinding slots[HAND_MAX_BINDINGS];
  const VkDescriptorSetLayoutCreateInfo set = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = n, .pBindings = slots };
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, HAND_PUSH_SIZE };
  const VkPipelineLayoutCreateInfo layout = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
                                              .pSetLayouts = &shader->set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &range };

  for (uint32_t i = 0; i < n; i++)
    slots[i] = (VkDescriptorSetLayoutBinding) { i, bindings[i].type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  hand_check (vkCreateDescriptorSetLayout (hand->device, &set, NULL, &shader->set_layout), "vkCreateDescriptorSetLayout");
  hand_check (vkCreatePipelineLayout (hand->device, &layout, NULL, &shader->layout), "vkCreatePipelineLayout");
}

static void
create_set (struct hand *hand, struct hand_shader *shader, const struct hand_binding *bindings, uint32_t n)
{
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, HAND_MAX_BINDINGS }, { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, HAND_MAX_BINDINGS },
                                         { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, HAND_MAX_BINDINGS } };
  const VkDescriptorPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1,
                                            .poolSizeCount = G_N_ELEMENTS (sizes), .pPoolSizes = sizes };
  VkDescriptorSetAllocateInfo set = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .pSetLayouts = &shader->set_layout,
                                      .descriptorSetCount = 1 };

  hand_check (vkCreateDescriptorPool (hand->device, &pool, NULL, &shader->pool), "vkCreateDescriptorPool");
  set.descriptorPool = shader->pool;
  hand_check (vkAllocateDescriptorSets (hand->device, &set, &shader->set), "vkAllocateDescriptorSets");
  for (uint32_t i = 0; i < n; i++)
    {
      const struct hand_resource *resource = bindings[i].resource;
      const VkDescriptorBufferInfo buffer = { resource->buffer.buffer, 0, resource->buffer.size };
      const VkDescriptorImageInfo image = { VK_NULL_HANDLE, resource->image.view, VK_IMAGE_LAYOUT_GENERAL };
      const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = shader->set, .dstBinding = i, .descriptorCount = 1,
                                           .descriptorType = bindings[i].type, .pBufferInfo = &buffer, .pImageInfo = &image };

      vkUpdateDescriptorSets (hand->device, 1, &write, 0, NULL);
    }
}

void
hand_shader_new (struct hand *hand, struct hand_shader *shader, const uint32_t *words, gsize n_words,
                 const struct hand_binding *bindings, uint32_t n_bindings)
{
  const VkShaderModuleCreateInfo module = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n_words * 4, .pCode = words };
  VkComputePipelineCreateInfo pipeline = { .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT, .pName = "main" } };

  memset (shader, 0, sizeof *shader);
  hand_check (vkCreateShaderModule (hand->device, &module, NULL, &shader->module), "vkCreateShaderModule");
  create_layouts (hand, shader, bindings, n_bindings);
  pipeline.stage.module = shader->module;
  pipeline.layout = shader->layout;
  hand_check (vkCreateComputePipelines (hand->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &shader->pipeline), "vkCreateComputePipelines");
  create_set (hand, shader, bindings, n_bindings);
}

void
hand_shader_free (struct hand *hand, struct hand_shader *shader)
{
  vkDestroyDescriptorPool (hand->device, shader->pool, NULL);
  vkDestroyPipeline (hand->device, shader->pipeline, NULL);
  vkDestroyPipelineLayout (hand->device, shader->layout, NULL);
  vkDestroyDescriptorSetLayout (hand->device, shader->set_layout, NULL);
  vkDestroyShaderModule (hand->device, shader->module, NULL);
}

void
hand_shader_record (struct hand *hand, const struct hand_shader *shader, const uint32_t groups[2], uint32_t n)
{
  hand_begin (hand);
  vkCmdBindPipeline (hand->commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->pipeline);
  vkCmdBindDescriptorSets (hand->commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->layout, 0, 1, &shader->set, 0, NULL);
  vkCmdPushConstants (hand->commands, shader->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof shader->push, shader->push);
  for (uint32_t i = 0; i < n; i++)
    {
      everything_before (hand);
      vkCmdDispatch (hand->commands, groups[0], groups[1], 1);
    }
  finish (hand);
}
