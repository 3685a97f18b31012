/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/memory.h"

#include "lib/range-allocator.h"

#include <inttypes.h>

struct vulkan_block
{
  struct gb_list link;
  VkDeviceMemory memory;
  uint64_t size;
  void *mapped;
  uint32_t type;
  struct vulkan_pool *pool;
  struct gb_range_allocator ranges;
};

void
vulkan_memory_init (struct vulkan_memory *memory, const struct vulkan_device_table *vk, VkDevice device,
                    const struct vulkan_memory_plan *plan, vulkan_budget_func budget, void *budget_data)
{
  memset (memory, 0, sizeof *memory);
  memory->vk = vk;
  memory->device = device;
  memory->plan = plan;
  memory->budget = budget;
  memory->budget_data = budget_data;
  g_mutex_init (&memory->mutex);
  for (uint32_t type = 0; type < VK_MAX_MEMORY_TYPES; type++)
    for (unsigned kind = 0; kind < 2; kind++)
      {
        gb_list_init (&memory->pools[type][kind].blocks);
        if (type < plan->n_types)
          memory->pools[type][kind].next_size = plan->first_block[plan->type_heap[type]];
      }
}

/* Raw allocations. The lock is held. */

/* Some devices answer success with a pointer that mmap() gave for a failure. */
static bool
map_failed (const void *pointer)
{
  return pointer == NULL || (uintptr_t) pointer == UINTPTR_MAX;
}

/* `must_map`: a type that can be mapped is of no use when it cannot. */
static VkResult
raw_alloc (struct vulkan_memory *memory, uint32_t type, uint64_t size, bool must_map,
           const VkMemoryDedicatedAllocateInfo *dedicated, VkDeviceMemory *out, void **mapped)
{
  const VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .pNext = dedicated,
                                      .allocationSize = size,
                                      .memoryTypeIndex = type };
  uint32_t heap = memory->plan->type_heap[type];
  VkDeviceMemory handle = VK_NULL_HANDLE;
  VkResult result = memory->vk->AllocateMemory (memory->device, &info, NULL, &handle);

  if (result != VK_SUCCESS)
    return result;
  *mapped = NULL;
  if (memory->plan->map[type])
    {
      result = memory->vk->MapMemory (memory->device, handle, 0, VK_WHOLE_SIZE, 0, mapped);
      if (result != VK_SUCCESS || map_failed (*mapped))
        {
          *mapped = NULL;
          if (must_map)
            {
              memory->vk->FreeMemory (memory->device, handle, NULL);
              return result != VK_SUCCESS ? result : VK_ERROR_MEMORY_MAP_FAILED;
            }
        }
    }
  memory->taken[heap] += size;
  memory->n_allocations++;
  *out = handle;
  return VK_SUCCESS;
}

static void
raw_free (struct vulkan_memory *memory, uint32_t type, VkDeviceMemory handle, uint64_t size)
{
  memory->vk->FreeMemory (memory->device, handle, NULL);
  memory->taken[memory->plan->type_heap[type]] -= size;
  memory->n_allocations--;
}

static uint64_t
available (struct vulkan_memory *memory, uint32_t heap)
{
  uint64_t size = memory->plan->heap_size[heap];
  uint64_t left = size > memory->taken[heap] ? size - memory->taken[heap] : 0;

  if (memory->budget != NULL)
    {
      struct vulkan_heap_state state = { { 0 }, { 0 } };
      memory->budget (memory->budget_data, &state);
      left = MIN (left, state.budget[heap] > state.usage[heap] ? state.budget[heap] - state.usage[heap] : 0);
    }
  return left;
}

/* Blocks. */

static void
block_free (struct vulkan_memory *memory, struct vulkan_block *block)
{
  gb_list_remove (&block->link);
  gb_range_allocator_clear (&block->ranges);
  raw_free (memory, block->type, block->memory, block->size);
  g_free (block);
}

static uint64_t
trim_pool (struct vulkan_memory *memory, struct vulkan_pool *pool)
{
  uint64_t given_back = 0;

  gb_list_for_each_safe (block, &pool->blocks, struct vulkan_block, link)
    if (gb_range_allocator_is_empty (&block->ranges))
      {
        given_back += block->size;
        block_free (memory, block);
      }
  return given_back;
}

static uint64_t
trim (struct vulkan_memory *memory)
{
  uint64_t given_back = 0;

  for (uint32_t type = 0; type < memory->plan->n_types; type++)
    for (unsigned kind = 0; kind < 2; kind++)
      given_back += trim_pool (memory, &memory->pools[type][kind]);
  return given_back;
}

static bool
block_take (struct vulkan_memory *memory, struct vulkan_block *block, const struct vulkan_memory_request *request,
            struct vulkan_allocation *out)
{
  uint64_t size = request->requirements.size;
  guint64 offset;

  if (!gb_range_allocator_alloc (&block->ranges, size, MAX (request->requirements.alignment, 1), &offset))
    return false;
  memory->used[memory->plan->type_heap[block->type]] += size;
  *out = (struct vulkan_allocation) { .memory = block->memory,
                                      .offset = offset,
                                      .size = size,
                                      .mapped = block->mapped != NULL ? (char *) block->mapped + offset : NULL,
                                      .type = block->type,
                                      .block = block };
  return true;
}

static bool
must_map (const struct vulkan_memory_request *request)
{
  return request->use != GABBRO_MEMORY_DEVICE;
}

static bool
take_from_pool (struct vulkan_memory *memory, struct vulkan_pool *pool, const struct vulkan_memory_request *request,
                struct vulkan_allocation *out)
{
  gb_list_for_each (block, &pool->blocks, struct vulkan_block, link)
    if ((block->mapped != NULL || !must_map (request)) && block_take (memory, block, request, out))
      {
        /* The next one of this size is likely to fit here too. */
        gb_list_remove (&block->link);
        gb_list_prepend (&pool->blocks, &block->link);
        return true;
      }
  return false;
}

/* A block that holds the request, as large as is usual now or, when that fails, as small as will do. */
static VkResult
take_from_new_block (struct vulkan_memory *memory, struct vulkan_pool *pool, uint32_t type,
                     const struct vulkan_memory_request *request, struct vulkan_allocation *out)
{
  uint32_t heap = memory->plan->type_heap[type];
  uint64_t left = available (memory, heap);
  uint64_t least = request->requirements.size;
  uint64_t size = pool->next_size;
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VkDeviceMemory handle = VK_NULL_HANDLE;
  void *mapped = NULL;
  struct vulkan_block *block;

  while (size < least)
    size *= 2;
  while (size >= least)
    {
      if (size <= left)
        {
          result = raw_alloc (memory, type, size, must_map (request), NULL, &handle, &mapped);
          if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
            break;
        }
      if (size == least)
        break;
      size = size / 2 >= least ? size / 2 : least;
    }
  if (handle == VK_NULL_HANDLE)
    return result;

  block = g_new0 (struct vulkan_block, 1);
  block->memory = handle;
  block->size = size;
  block->mapped = mapped;
  block->type = type;
  block->pool = pool;
  gb_range_allocator_init (&block->ranges, size);
  gb_list_prepend (&pool->blocks, &block->link);
  if (size >= pool->next_size)
    pool->next_size = MIN (pool->next_size * 2, memory->plan->largest_block[heap]);
  /* It is empty and no smaller than the request. */
  if (block_take (memory, block, request, out))
    return VK_SUCCESS;
  block_free (memory, block);
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VkResult
take_alone (struct vulkan_memory *memory, uint32_t type, const struct vulkan_memory_request *request,
            struct vulkan_allocation *out)
{
  const VkMemoryDedicatedAllocateInfo dedicated = { .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                    .buffer = request->buffer,
                                                    .image = request->image };
  uint32_t heap = memory->plan->type_heap[type];
  uint64_t size = request->requirements.size;
  VkDeviceMemory handle = VK_NULL_HANDLE;
  void *mapped = NULL;
  VkResult result;

  if (size > available (memory, heap))
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = raw_alloc (memory, type, size, must_map (request), &dedicated, &handle, &mapped);
  if (result != VK_SUCCESS)
    return result;
  memory->used[heap] += size;
  *out = (struct vulkan_allocation) { .memory = handle, .size = size, .mapped = mapped, .type = type };
  return VK_SUCCESS;
}

static VkResult
take_of_type (struct vulkan_memory *memory, uint32_t type, const struct vulkan_memory_request *request,
              struct vulkan_allocation *out)
{
  struct vulkan_pool *pool = &memory->pools[type][request->image != VK_NULL_HANDLE];

  if (request->alone || request->requirements.size > memory->plan->largest_block[memory->plan->type_heap[type]] / 2)
    return take_alone (memory, type, request, out);
  if (take_from_pool (memory, pool, request, out))
    return VK_SUCCESS;
  return take_from_new_block (memory, pool, type, request, out);
}

/* The first type that has room. */
static VkResult
take (struct vulkan_memory *memory, const struct vulkan_memory_request *request, struct vulkan_allocation *out)
{
  const uint32_t *order = memory->plan->order[request->use];
  VkResult first = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  bool tried = false;

  for (uint32_t i = 0; i < memory->plan->n_order[request->use]; i++)
    if ((request->requirements.memoryTypeBits >> order[i] & 1) != 0)
      {
        VkResult result = take_of_type (memory, order[i], request, out);
        if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
          return result;
        if (!tried)
          first = result;
        tried = true;
      }
  return tried ? first : VK_ERROR_FEATURE_NOT_PRESENT;
}

static void
set_alloc_error (struct vulkan_memory *memory, const struct vulkan_memory_request *request, VkResult result,
                 GError **error)
{
  uint32_t heap = memory->plan->main_heap;
  uint64_t taken, left;

  for (uint32_t i = 0; i < memory->plan->n_order[request->use]; i++)
    if ((request->requirements.memoryTypeBits >> memory->plan->order[request->use][i] & 1) != 0)
      {
        heap = memory->plan->type_heap[memory->plan->order[request->use][i]];
        break;
      }
  vulkan_memory_heap (memory, heap, &taken, &left);
  vulkan_set_error (error, result,
                    "%s of %" PRIu64 " bytes: memory heap %u of %" PRIu64 " bytes has %" PRIu64
                    " left",
                    request->what, request->asked, heap, memory->plan->heap_size[heap], left);
}

bool
vulkan_memory_alloc (struct vulkan_memory *memory, const struct vulkan_memory_request *request,
                     struct vulkan_allocation *out, GError **error)
{
  VkResult result;

  g_mutex_lock (&memory->mutex);
  result = take (memory, request, out);
  /* Blocks kept for later may be what is missing now. */
  if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST && trim (memory) != 0)
    result = take (memory, request, out);
  g_mutex_unlock (&memory->mutex);

  if (result != VK_SUCCESS)
    set_alloc_error (memory, request, result, error);
  return result == VK_SUCCESS;
}

void
vulkan_memory_free (struct vulkan_memory *memory, const struct vulkan_allocation *allocation)
{
  struct vulkan_block *block = allocation->block;

  g_mutex_lock (&memory->mutex);
  memory->used[memory->plan->type_heap[allocation->type]] -= allocation->size;
  if (block == NULL)
    raw_free (memory, allocation->type, allocation->memory, allocation->size);
  else
    {
      gb_range_allocator_free (&block->ranges, allocation->offset);
      /* One empty block is kept, so that a resource that comes and goes costs nothing. */
      if (gb_range_allocator_is_empty (&block->ranges))
        {
          struct vulkan_pool *pool = block->pool;
          gb_list_remove (&block->link);
          trim_pool (memory, pool);
          gb_list_append (&pool->blocks, &block->link);
        }
    }
  g_mutex_unlock (&memory->mutex);
}

uint64_t
vulkan_memory_trim (struct vulkan_memory *memory)
{
  uint64_t given_back;

  g_mutex_lock (&memory->mutex);
  given_back = trim (memory);
  g_mutex_unlock (&memory->mutex);
  return given_back;
}

void
vulkan_memory_heap (struct vulkan_memory *memory, uint32_t heap, uint64_t *taken, uint64_t *left)
{
  g_mutex_lock (&memory->mutex);
  *taken = memory->taken[heap];
  *left = available (memory, heap);
  g_mutex_unlock (&memory->mutex);
}

void
vulkan_memory_clear (struct vulkan_memory *memory)
{
  if (memory->vk == NULL)
    return;
  vulkan_memory_trim (memory);
  g_mutex_clear (&memory->mutex);
}
