/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hand-written Vulkan that does what the bench does with Gabbro: what a careful
 * programmer writes who needs nothing more general. It runs the SPIR-V that Gabbro
 * made, so that the device does the same work. */

#pragma once

#include <glib.h>
#include <vulkan/vulkan.h>

#include "codegen/spirv/spirv.h"

struct hand_buffer
{
  VkBuffer buffer;
  VkDeviceMemory memory;
  void *mapped;
  VkDeviceSize size;
};

struct hand
{
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkSemaphore timeline;
  uint64_t value;
  VkShaderModule module;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorPool descriptors;
  VkDescriptorSet sets[1024];
  const struct spirv_result *shader;
  uint8_t push[256];
};

/* Exits with a message when anything fails: this is a bench. `name`: part of the device's name, or NULL. */
void hand_open  (struct hand *hand, const char *name);
void hand_close (struct hand *hand);
/* Exits with a message for any other result than VK_SUCCESS. */
void hand_check (VkResult result, const char *what);
void hand_load  (struct hand *hand, const struct spirv_result *shader);
void hand_buffer_new  (struct hand *hand, struct hand_buffer *buffer, VkDeviceSize size, gboolean mappable);
/* Memory of the device that the host can map; FALSE where there is none. */
gboolean hand_buffer_new_direct (struct hand *hand, struct hand_buffer *buffer, VkDeviceSize size);
void hand_buffer_free (struct hand *hand, struct hand_buffer *buffer);

/* -1: there is none. */
int  hand_memory_type (struct hand *hand, uint32_t allowed, VkMemoryPropertyFlags flags);

/* A new recording, and a barrier over all memory in it. */
void hand_begin   (struct hand *hand);
void hand_barrier (struct hand *hand, VkPipelineStageFlags2 from, VkAccessFlags2 from_access, VkPipelineStageFlags2 to,
                   VkAccessFlags2 to_access);
/* Records `n` dispatches, each reading what the one before wrote, each with arguments of its own and a barrier. */
void hand_record (struct hand *hand, struct hand_buffer *buffers, uint32_t n_buffers, uint32_t n, uint32_t threads, float step);
void hand_submit (struct hand *hand);
void hand_wait   (struct hand *hand);
void hand_copy   (struct hand *hand, const struct hand_buffer *from, const struct hand_buffer *to, VkDeviceSize size);
