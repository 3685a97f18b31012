/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Device memory. Small resources share blocks, large ones and those that the
 * device wants alone have an allocation of their own. Buffers and images never
 * share a block, so that nothing has to care for their distance. Blocks that the
 * host can see stay mapped for life. Any thread may call anything. */

#pragma once

#include "gpu/drivers/vulkan/plan.h"
#include "lib/list.h"

struct vulkan_block;

struct vulkan_allocation
{
  VkDeviceMemory memory;
  uint64_t offset, size;
  void *mapped;                         /* of this allocation; NULL: not mapped */
  uint32_t type;
  struct vulkan_block *block;           /* NULL: alone */
};

struct vulkan_memory_request
{
  const char *what;                     /* for messages: "buffer", "image" */
  uint64_t asked;                       /* bytes, likewise */
  enum gabbro_memory_use use;
  VkMemoryRequirements requirements;
  bool alone;                           /* the device wants it so */
  VkBuffer buffer;                      /* one of the two */
  VkImage image;
};

/* What the system says now. */
struct vulkan_heap_state
{
  uint64_t budget[VK_MAX_MEMORY_HEAPS];
  uint64_t usage[VK_MAX_MEMORY_HEAPS];
};

typedef void (*vulkan_budget_func) (void *data, struct vulkan_heap_state *state);

struct vulkan_pool
{
  struct gb_list blocks;
  uint64_t next_size;                   /* of the next block */
};

struct vulkan_memory
{
  const struct vulkan_device_table *vk;
  VkDevice device;
  const struct vulkan_memory_plan *plan;
  vulkan_budget_func budget;            /* NULL: the size of the heap is all that is known */
  void *budget_data;

  GMutex mutex;
  struct vulkan_pool pools[VK_MAX_MEMORY_TYPES][2];   /* buffers, images */
  uint64_t taken[VK_MAX_MEMORY_HEAPS];  /* from the device */
  uint64_t used[VK_MAX_MEMORY_HEAPS];   /* of that, by resources */
  uint32_t n_allocations;               /* of the device */
};

void vulkan_memory_init  (struct vulkan_memory *memory, const struct vulkan_device_table *vk, VkDevice device,
                          const struct vulkan_memory_plan *plan, vulkan_budget_func budget, void *budget_data);
/* Every allocation has been freed. */
void vulkan_memory_clear (struct vulkan_memory *memory);

bool vulkan_memory_alloc (struct vulkan_memory *memory, const struct vulkan_memory_request *request,
                          struct vulkan_allocation *out, GError **error);
void vulkan_memory_free  (struct vulkan_memory *memory, const struct vulkan_allocation *allocation);
/* Gives empty blocks back; how many bytes that were. */
uint64_t vulkan_memory_trim (struct vulkan_memory *memory);
/* Bytes taken from a heap and what could still be taken. */
void vulkan_memory_heap  (struct vulkan_memory *memory, uint32_t heap, uint64_t *taken, uint64_t *available);
