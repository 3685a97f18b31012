/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/descriptors.h"

#define SMALLEST_CHUNK 8u
#define LARGEST_CHUNK  1024u

struct vulkan_set_store *
vulkan_set_store_new (const struct vulkan_device_table *vk, VkDevice device, VkDescriptorSetLayout layout,
                      const VkDescriptorPoolSize *sizes, uint32_t n_sizes)
{
  struct vulkan_set_store *store = g_new0 (struct vulkan_set_store, 1);

  store->references = 1;
  store->vk = vk;
  store->device = device;
  store->layout = layout;
  memcpy (store->sizes, sizes, n_sizes * sizeof *sizes);
  store->n_sizes = n_sizes;
  g_mutex_init (&store->mutex);
  return store;
}

static void
store_unref (struct vulkan_set_store *store)
{
  if (!g_atomic_int_dec_and_test (&store->references))
    return;
  g_mutex_clear (&store->mutex);
  g_free (store);
}

static void
chunk_free (struct vulkan_set_chunk *chunk)
{
  chunk->store->vk->DestroyDescriptorPool (chunk->store->device, chunk->pool, NULL);
  g_free (chunk);
}

void
vulkan_set_store_close (struct vulkan_set_store *store)
{
  struct vulkan_set_chunk *chunks;

  g_mutex_lock (&store->mutex);
  store->closed = true;
  chunks = store->chunks;
  store->chunks = NULL;
  g_mutex_unlock (&store->mutex);
  while (chunks != NULL)
    {
      struct vulkan_set_chunk *next = chunks->next;
      chunk_free (chunks);
      chunks = next;
    }
  store_unref (store);
}

static VkResult
chunk_new (struct vulkan_set_store *store, uint32_t n_sets, struct vulkan_set_chunk **out)
{
  VkDescriptorPoolSize sizes[G_N_ELEMENTS (store->sizes)];
  const VkDescriptorPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                 .maxSets = n_sets,
                                                 .poolSizeCount = store->n_sizes,
                                                 .pPoolSizes = sizes };
  struct vulkan_set_chunk *chunk = g_malloc0 (sizeof *chunk + n_sets * sizeof chunk->sets[0]);
  VkDescriptorSetLayout *layouts = NULL;
  VkResult result;

  for (uint32_t i = 0; i < store->n_sizes; i++)
    sizes[i] = (VkDescriptorPoolSize) { store->sizes[i].type, store->sizes[i].descriptorCount * n_sets };
  result = store->vk->CreateDescriptorPool (store->device, &pool_info, NULL, &chunk->pool);
  if (result == VK_SUCCESS)
    {
      VkDescriptorSetAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = chunk->pool,
                                           .descriptorSetCount = n_sets };
      layouts = g_new (VkDescriptorSetLayout, n_sets);
      for (uint32_t i = 0; i < n_sets; i++)
        layouts[i] = store->layout;
      info.pSetLayouts = layouts;
      result = store->vk->AllocateDescriptorSets (store->device, &info, chunk->sets);
      g_free (layouts);
      if (result != VK_SUCCESS)
        store->vk->DestroyDescriptorPool (store->device, chunk->pool, NULL);
    }
  if (result != VK_SUCCESS)
    {
      g_free (chunk);
      return result;
    }
  chunk->store = store;
  chunk->n_sets = n_sets;
  *out = chunk;
  return VK_SUCCESS;
}

/* The smallest that will do, else the largest there is. */
static struct vulkan_set_chunk *
take_ready (struct vulkan_set_store *store, uint32_t wanted)
{
  struct vulkan_set_chunk **best = NULL;
  struct vulkan_set_chunk *chunk;

  for (struct vulkan_set_chunk **at = &store->chunks; *at != NULL; at = &(*at)->next)
    {
      bool enough = (*at)->n_sets >= wanted;
      if (best == NULL || (enough && ((*best)->n_sets < wanted || (*at)->n_sets < (*best)->n_sets))
          || (!enough && (*at)->n_sets > (*best)->n_sets && (*best)->n_sets < wanted))
        best = at;
      if (enough && (*at)->n_sets < 2 * wanted)
        break;
    }
  if (best == NULL)
    return NULL;
  chunk = *best;
  *best = chunk->next;
  chunk->next = NULL;
  return chunk;
}

VkResult
vulkan_set_store_take (struct vulkan_set_store *store, uint32_t wanted, struct vulkan_set_chunk **out)
{
  struct vulkan_set_chunk *chunk;
  uint32_t n_sets = SMALLEST_CHUNK;
  VkResult result;

  g_mutex_lock (&store->mutex);
  chunk = take_ready (store, wanted);
  g_mutex_unlock (&store->mutex);
  if (chunk == NULL)
    {
      while (n_sets < wanted && n_sets < LARGEST_CHUNK)
        n_sets *= 2;
      result = chunk_new (store, n_sets, &chunk);
      if (result != VK_SUCCESS)
        return result;
    }
  g_atomic_int_inc (&store->references);
  *out = chunk;
  return VK_SUCCESS;
}

void
vulkan_set_chunks_return (struct vulkan_set_chunk *chunks)
{
  while (chunks != NULL)
    {
      struct vulkan_set_chunk *chunk = chunks;
      struct vulkan_set_store *store = chunk->store;
      bool closed;

      chunks = chunk->next;
      chunk->n_used = 0;
      g_mutex_lock (&store->mutex);
      closed = store->closed;
      if (!closed)
        {
          chunk->next = store->chunks;
          store->chunks = chunk;
        }
      g_mutex_unlock (&store->mutex);
      if (closed)
        chunk_free (chunk);
      store_unref (store);
    }
}
