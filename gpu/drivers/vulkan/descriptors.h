/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Descriptor sets. A shader has a store of chunks: a pool and the sets that were
 * allocated from it, all at once. Whoever encodes takes whole chunks, and gives
 * them back when the work is done; a set is then written anew, never allocated
 * again. Chunks may come back after the shader has gone. */

#pragma once

#include "gpu/drivers/vulkan/dispatch-table.h"

struct vulkan_set_store;

struct vulkan_set_chunk
{
  struct vulkan_set_chunk *next;        /* in whatever list holds it */
  struct vulkan_set_store *store;
  VkDescriptorPool pool;
  uint32_t n_sets, n_used;
  VkDescriptorSet sets[];
};

struct vulkan_set_store
{
  gint references;                      /* the shader and each chunk that is out */
  const struct vulkan_device_table *vk;
  VkDevice device;
  VkDescriptorSetLayout layout;
  VkDescriptorPoolSize sizes[3];        /* of one set */
  uint32_t n_sizes;
  GMutex mutex;
  struct vulkan_set_chunk *chunks;      /* ready to be used */
  bool closed;                          /* chunks that come back are destroyed */
};

struct vulkan_set_store *vulkan_set_store_new   (const struct vulkan_device_table *vk, VkDevice device,
                                                 VkDescriptorSetLayout layout, const VkDescriptorPoolSize *sizes,
                                                 uint32_t n_sizes);
/* The shader goes. */
void                     vulkan_set_store_close (struct vulkan_set_store *store);

/* A chunk with at least one unused set. `wanted`: how many the caller may need. */
VkResult vulkan_set_store_take (struct vulkan_set_store *store, uint32_t wanted, struct vulkan_set_chunk **out);
/* Gives a whole list back. */
void     vulkan_set_chunks_return (struct vulkan_set_chunk *chunks);
