/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/bench/hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
hand_check (VkResult result, const char *what)
{
  if (result == VK_SUCCESS)
    return;
  fprintf (stderr, "bench: %s: VkResult %d\n", what, (int) result);
  exit (EXIT_FAILURE);
}

static void
choose_device (struct hand *hand, const char *name)
{
  VkPhysicalDevice devices[16];
  VkPhysicalDeviceProperties properties;
  uint32_t n = G_N_ELEMENTS (devices);

  vkEnumeratePhysicalDevices (hand->instance, &n, devices);
  for (uint32_t i = 0; i < n; i++)
    {
      vkGetPhysicalDeviceProperties (devices[i], &properties);
      if (name == NULL || strcmp (properties.deviceName, name) == 0)
        {
          hand->physical = devices[i];
          return;
        }
    }
  hand_check (VK_ERROR_INITIALIZATION_FAILED, "no device of that name");
}

static void
choose_family (struct hand *hand)
{
  VkQueueFamilyProperties families[16];
  uint32_t n = G_N_ELEMENTS (families);

  vkGetPhysicalDeviceQueueFamilyProperties (hand->physical, &n, families);
  for (uint32_t i = 0; i < n; i++)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
      {
        hand->family = i;
        return;
      }
  hand_check (VK_ERROR_FEATURE_NOT_PRESENT, "no queue computes");
}

void
hand_open (struct hand *hand, const char *name)
{
  const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3 };
  const VkInstanceCreateInfo instance = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application };
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority };
  VkPhysicalDeviceVulkan12Features features12 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE };
  VkPhysicalDeviceVulkan13Features features13 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &features12,
                                                  .synchronization2 = VK_TRUE };
  /* llvmpipe and every GPU with compute has it. */
  const VkPhysicalDeviceFeatures features = { .shaderStorageImageWriteWithoutFormat = VK_TRUE };
  const VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features13, .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue, .pEnabledFeatures = &features };
  VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
  VkCommandBufferAllocateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1 };
  const VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type };

  memset (hand, 0, sizeof *hand);
  hand_check (vkCreateInstance (&instance, NULL, &hand->instance), "vkCreateInstance");
  choose_device (hand, name);
  choose_family (hand);
  queue.queueFamilyIndex = hand->family;
  hand_check (vkCreateDevice (hand->physical, &device, NULL, &hand->device), "vkCreateDevice");
  vkGetDeviceQueue (hand->device, hand->family, 0, &hand->queue);
  pool.queueFamilyIndex = hand->family;
  hand_check (vkCreateCommandPool (hand->device, &pool, NULL, &hand->pool), "vkCreateCommandPool");
  commands.commandPool = hand->pool;
  hand_check (vkAllocateCommandBuffers (hand->device, &commands, &hand->commands), "vkAllocateCommandBuffers");
  hand_check (vkCreateSemaphore (hand->device, &semaphore, NULL, &hand->timeline), "vkCreateSemaphore");
}

void
hand_close (struct hand *hand)
{
  vkDestroyDescriptorPool (hand->device, hand->descriptors, NULL);
  vkDestroyPipeline (hand->device, hand->pipeline, NULL);
  vkDestroyPipelineLayout (hand->device, hand->layout, NULL);
  vkDestroyDescriptorSetLayout (hand->device, hand->set_layout, NULL);
  vkDestroyShaderModule (hand->device, hand->module, NULL);
  vkDestroySemaphore (hand->device, hand->timeline, NULL);
  vkDestroyCommandPool (hand->device, hand->pool, NULL);
  vkDestroyDevice (hand->device, NULL);
  vkDestroyInstance (hand->instance, NULL);
}

static void
create_layouts (struct hand *hand, const struct spirv_result *shader)
{
  VkDescriptorSetLayoutBinding bindings[8];
  const VkDescriptorSetLayoutCreateInfo set = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                .bindingCount = shader->n_bindings, .pBindings = bindings };
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, shader->push_constant_size };
  const VkPipelineLayoutCreateInfo layout = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
                                              .pSetLayouts = &hand->set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &range };

  for (uint32_t i = 0; i < shader->n_bindings; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding) { i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  hand_check (vkCreateDescriptorSetLayout (hand->device, &set, NULL, &hand->set_layout), "vkCreateDescriptorSetLayout");
  hand_check (vkCreatePipelineLayout (hand->device, &layout, NULL, &hand->layout), "vkCreatePipelineLayout");
}

static void
create_sets (struct hand *hand, const struct spirv_result *shader)
{
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, shader->n_bindings * G_N_ELEMENTS (hand->sets) };
  const VkDescriptorPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = G_N_ELEMENTS (hand->sets),
                                            .poolSizeCount = 1, .pPoolSizes = &size };
  VkDescriptorSetLayout layouts[G_N_ELEMENTS (hand->sets)];
  VkDescriptorSetAllocateInfo sets = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .pSetLayouts = layouts,
                                       .descriptorSetCount = G_N_ELEMENTS (hand->sets) };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    layouts[i] = hand->set_layout;
  hand_check (vkCreateDescriptorPool (hand->device, &pool, NULL, &hand->descriptors), "vkCreateDescriptorPool");
  sets.descriptorPool = hand->descriptors;
  hand_check (vkAllocateDescriptorSets (hand->device, &sets, hand->sets), "vkAllocateDescriptorSets");
}

void
hand_load (struct hand *hand, const struct spirv_result *shader)
{
  const VkShaderModuleCreateInfo module = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = shader->n_words * 4, .pCode = shader->words };
  VkComputePipelineCreateInfo pipeline = { .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT, .pName = "main" } };

  hand->shader = shader;
  hand_check (vkCreateShaderModule (hand->device, &module, NULL, &hand->module), "vkCreateShaderModule");
  create_layouts (hand, shader);
  pipeline.stage.module = hand->module;
  pipeline.layout = hand->layout;
  hand_check (vkCreateComputePipelines (hand->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &hand->pipeline), "vkCreateComputePipelines");
  create_sets (hand, shader);
}

int
hand_memory_type (struct hand *hand, uint32_t allowed, VkMemoryPropertyFlags flags)
{
  VkPhysicalDeviceMemoryProperties memory;

  vkGetPhysicalDeviceMemoryProperties (hand->physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
    if ((allowed & (1u << i)) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
      return (int) i;
  return -1;
}

#define DEVICE VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define HOST (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)

static gboolean
new_buffer (struct hand *hand, struct hand_buffer *buffer, VkDeviceSize size, VkMemoryPropertyFlags wanted,
            VkMemoryPropertyFlags needed)
{
  const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
                                    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT };
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements requirements;
  int type;

  memset (buffer, 0, sizeof *buffer);
  buffer->size = size;
  hand_check (vkCreateBuffer (hand->device, &info, NULL, &buffer->buffer), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (hand->device, buffer->buffer, &requirements);
  type = hand_memory_type (hand, requirements.memoryTypeBits, wanted);
  if (type < 0)
    type = hand_memory_type (hand, requirements.memoryTypeBits, needed);
  if (type < 0)
    {
      vkDestroyBuffer (hand->device, buffer->buffer, NULL);
      return FALSE;
    }
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = (uint32_t) type;
  hand_check (vkAllocateMemory (hand->device, &allocate, NULL, &buffer->memory), "vkAllocateMemory");
  hand_check (vkBindBufferMemory (hand->device, buffer->buffer, buffer->memory, 0), "vkBindBufferMemory");
  if (needed & HOST)
    hand_check (vkMapMemory (hand->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped), "vkMapMemory");
  return TRUE;
}

void
hand_buffer_new (struct hand *hand, struct hand_buffer *buffer, VkDeviceSize size, gboolean mappable)
{
  gboolean made = mappable ? new_buffer (hand, buffer, size, HOST | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, HOST)
                           : new_buffer (hand, buffer, size, DEVICE, 0);

  if (!made)
    hand_check (VK_ERROR_FEATURE_NOT_PRESENT, "no such memory");
}

gboolean
hand_buffer_new_direct (struct hand *hand, struct hand_buffer *buffer, VkDeviceSize size)
{
  return new_buffer (hand, buffer, size, DEVICE | HOST, DEVICE | HOST);
}

void
hand_buffer_free (struct hand *hand, struct hand_buffer *buffer)
{
  vkDestroyBuffer (hand->device, buffer->buffer, NULL);
  vkFreeMemory (hand->device, buffer->memory, NULL);
}

void
hand_begin (struct hand *hand)
{
  const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

  hand_check (vkResetCommandPool (hand->device, hand->pool, 0), "vkResetCommandPool");
  hand_check (vkBeginCommandBuffer (hand->commands, &info), "vkBeginCommandBuffer");
}

void
hand_barrier (struct hand *hand, VkPipelineStageFlags2 from, VkAccessFlags2 from_access, VkPipelineStageFlags2 to,
              VkAccessFlags2 to_access)
{
  const VkMemoryBarrier2 memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, .srcStageMask = from, .srcAccessMask = from_access,
                                    .dstStageMask = to, .dstAccessMask = to_access };
  const VkDependencyInfo info = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory };

  vkCmdPipelineBarrier2 (hand->commands, &info);
}

/* The arguments of one dispatch: two buffers in a set of their own, values in the push constants. */
static void
set_arguments (struct hand *hand, VkDescriptorSet set, const struct hand_buffer *from, const struct hand_buffer *to,
               uint32_t threads, float step)
{
  const struct spirv_result *shader = hand->shader;
  const VkDescriptorBufferInfo infos[2] = { { from->buffer, 0, from->size }, { to->buffer, 0, to->size } };
  const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 2,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = infos };
  const struct spirv_dispatch_constants head = { { threads, 1, 1 }, 0, { 0, 0, 0 }, 0 };
  uint8_t *arguments = hand->push + sizeof head;

  vkUpdateDescriptorSets (hand->device, 1, &write, 0, NULL);
  memcpy (hand->push, &head, sizeof head);
  for (uint32_t i = 0; i < 2; i++)
    if (shader->arguments[i].metadata_offset != G_MAXUINT32)
      {
        const uint32_t record[2] = { 0, (uint32_t) (from->size / 4) };
        memcpy (arguments + shader->arguments[i].metadata_offset, record, sizeof record);
      }
  memcpy (arguments + shader->arguments[2].offset, &step, sizeof step);
}

void
hand_record (struct hand *hand, struct hand_buffer *buffers, uint32_t n_buffers, uint32_t n, uint32_t threads, float step)
{
  hand_begin (hand);
  hand_barrier (hand, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
  vkCmdBindPipeline (hand->commands, VK_PIPELINE_BIND_POINT_COMPUTE, hand->pipeline);
  for (uint32_t i = 0; i < n; i++)
    {
      VkDescriptorSet set = hand->sets[i % G_N_ELEMENTS (hand->sets)];

      if (i > 0)
        hand_barrier (hand, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                      VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT);
      set_arguments (hand, set, &buffers[i % n_buffers], &buffers[(i + 1) % n_buffers], threads, step + (float) i);
      vkCmdBindDescriptorSets (hand->commands, VK_PIPELINE_BIND_POINT_COMPUTE, hand->layout, 0, 1, &set, 0, NULL);
      vkCmdPushConstants (hand->commands, hand->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, hand->shader->push_constant_size, hand->push);
      vkCmdDispatch (hand->commands, (threads + 63) / 64, 1, 1);
    }
  hand_barrier (hand, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
  hand_check (vkEndCommandBuffer (hand->commands), "vkEndCommandBuffer");
}

void
hand_submit (struct hand *hand)
{
  const VkCommandBufferSubmitInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = hand->commands };
  const VkSemaphoreSubmitInfo signal = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = hand->timeline, .value = ++hand->value,
                                         .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT };
  const VkSubmitInfo2 submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .commandBufferInfoCount = 1, .pCommandBufferInfos = &commands,
                                 .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &signal };

  hand_check (vkQueueSubmit2 (hand->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit2");
}

void
hand_wait (struct hand *hand)
{
  const VkSemaphoreWaitInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &hand->timeline,
                                     .pValues = &hand->value };

  hand_check (vkWaitSemaphores (hand->device, &info, UINT64_MAX), "vkWaitSemaphores");
}

void
hand_copy (struct hand *hand, const struct hand_buffer *from, const struct hand_buffer *to, VkDeviceSize size)
{
  const VkBufferCopy region = { 0, 0, size };

  hand_begin (hand);
  vkCmdCopyBuffer (hand->commands, from->buffer, to->buffer, 1, &region);
  hand_barrier (hand, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
  hand_check (vkEndCommandBuffer (hand->commands), "vkEndCommandBuffer");
  hand_submit (hand);
  hand_wait (hand);
}
