/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro-vulkan.h on llvmpipe with validation: handles that come out are used with
 * Vulkan itself, buffers and images that Vulkan made go in. */

#include "config.h"

#ifndef VK_NO_PROTOTYPES
# define VK_NO_PROTOTYPES 1
#endif
#include <gabbro/gabbro.h>
#include <gabbro/gabbro-vulkan.h>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/device-test.h"

#define N 4096

static const char kernels[] =
  "kernel(64) void add_one(const buffer<uint> from, buffer<uint> to) { uint i = global_id.x; to[i] = from[i] + 1; }\n"
  "kernel(64) void slow(buffer<uint> to, uint rounds)\n"
  "{ uint x = global_id.x; for (uint k = 0; k < rounds; ++k) x = x * 1664525 + 1013904223; to[global_id.x] = x; }\n"
  "kernel(8, 8) void paint(image2d<float> to) { to.write(int2(global_id.xy), float4(1, 0, 1, 1)); }\n"
  "kernel(8, 8) void invert(const image2d<float> from, image2d<float> to)\n"
  "{ int2 at = int2(global_id.xy); to.write(at, float4(1) - from.read(at)); }\n";

/* What `slow` computes. */
static guint32
slow_word (guint32 x, guint rounds)
{
  for (guint k = 0; k < rounds; k++)
    x = x * 1664525u + 1013904223u;
  return x;
}

/* Vulkan on Gabbro's device. */

#define RAW_FUNCTIONS(X)                                                                              \
  X (GetDeviceQueue) X (CreateBuffer) X (DestroyBuffer) X (GetBufferMemoryRequirements)               \
  X (BindBufferMemory) X (AllocateMemory) X (FreeMemory) X (MapMemory) X (CreateImage)                \
  X (DestroyImage) X (GetImageMemoryRequirements) X (BindImageMemory) X (CreateCommandPool)           \
  X (DestroyCommandPool) X (AllocateCommandBuffers) X (BeginCommandBuffer) X (EndCommandBuffer)       \
  X (CmdPipelineBarrier2) X (CmdFillBuffer) X (CmdCopyImageToBuffer) X (CmdClearColorImage)           \
  X (CreateFence) X (DestroyFence) X (WaitForFences) X (QueueSubmit2)

#define RAW_MEMBER(name) PFN_vk##name name;

struct raw
{
  struct device_test test;
  GabbroQueue *queue;
  VkQueue handle;
  VkDevice device;
  VkPhysicalDeviceMemoryProperties memory;
  VkCommandPool pool;
  RAW_FUNCTIONS (RAW_MEMBER)
};

#define RAW_LOAD(name)                                                                    \
  raw->name = (PFN_vk##name) get_device (raw->device, "vk" #name);                        \
  ck_assert_ptr_nonnull ((void *) raw->name);

static void
raw_begin (struct raw *raw)
{
  VkCommandPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
  PFN_vkGetInstanceProcAddr get;
  PFN_vkGetDeviceProcAddr get_device;
  PFN_vkGetPhysicalDeviceMemoryProperties get_memory;
  GabbroAdapter *adapter;
  VkInstance instance;
  VkPhysicalDevice physical;
  GError *error = NULL;

  raw->test = device_test_begin ();
  adapter = gabbro_device_get_adapter (raw->test.device);
  get = gabbro_vulkan_adapter_get_instance_proc_addr (adapter, &error);
  assert_no_error (error);
  instance = gabbro_vulkan_adapter_get_instance (adapter, &error);
  assert_no_error (error);
  physical = gabbro_vulkan_adapter_get_physical_device (adapter, &error);
  assert_no_error (error);
  raw->device = gabbro_vulkan_device_get_handle (raw->test.device, &error);
  assert_no_error (error);
  raw->queue = gabbro_device_get_queue (raw->test.device, 0);
  raw->handle = gabbro_vulkan_queue_get_handle (raw->queue, &info.queueFamilyIndex, NULL, &error);
  assert_no_error (error);
  get_device = (PFN_vkGetDeviceProcAddr) get (instance, "vkGetDeviceProcAddr");
  get_memory = (PFN_vkGetPhysicalDeviceMemoryProperties) get (instance, "vkGetPhysicalDeviceMemoryProperties");
  RAW_FUNCTIONS (RAW_LOAD)
  get_memory (physical, &raw->memory);
  ck_assert_int_eq (raw->CreateCommandPool (raw->device, &info, NULL, &raw->pool), VK_SUCCESS);
}

static void
raw_end (struct raw *raw)
{
  raw->DestroyCommandPool (raw->device, raw->pool, NULL);
  device_test_end (&raw->test);
}

/* A command buffer that comes after all work of its queue. */
static VkCommandBuffer
raw_commands (struct raw *raw)
{
  const VkCommandBufferAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = raw->pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = 1 };
  const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  const VkMemoryBarrier2 barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                     .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                     .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                                     .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                     .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT };
  const VkDependencyInfo dependency = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                        .memoryBarrierCount = 1,
                                        .pMemoryBarriers = &barrier };
  VkCommandBuffer commands;

  ck_assert_int_eq (raw->AllocateCommandBuffers (raw->device, &allocate, &commands), VK_SUCCESS);
  ck_assert_int_eq (raw->BeginCommandBuffer (commands, &begin), VK_SUCCESS);
  raw->CmdPipelineBarrier2 (commands, &dependency);
  return commands;
}

/* Under the queue's lock. With a fence: to be waited for. */
static void
raw_submit (struct raw *raw, VkCommandBuffer commands, VkFence fence)
{
  const VkCommandBufferSubmitInfo buffer = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = commands };
  const VkSubmitInfo2 info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                               .commandBufferInfoCount = 1,
                               .pCommandBufferInfos = &buffer };
  GError *error = NULL;

  ck_assert_int_eq (raw->EndCommandBuffer (commands), VK_SUCCESS);
  ck_assert (gabbro_vulkan_queue_lock (raw->queue, &error));
  assert_no_error (error);
  ck_assert_int_eq (raw->QueueSubmit2 (raw->handle, 1, &info, fence), VK_SUCCESS);
  gabbro_vulkan_queue_unlock (raw->queue);
}

static void
raw_run (struct raw *raw, VkCommandBuffer commands)
{
  const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkFence fence;

  ck_assert_int_eq (raw->CreateFence (raw->device, &info, NULL, &fence), VK_SUCCESS);
  raw_submit (raw, commands, fence);
  ck_assert_int_eq (raw->WaitForFences (raw->device, 1, &fence, VK_TRUE, UINT64_C (60000000000)), VK_SUCCESS);
  raw->DestroyFence (raw->device, fence, NULL);
}

static VkDeviceMemory
raw_alloc (struct raw *raw, const VkMemoryRequirements *requirements, VkMemoryPropertyFlags wanted)
{
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = requirements->size };
  VkDeviceMemory memory;

  while ((requirements->memoryTypeBits >> info.memoryTypeIndex & 1) == 0
         || (raw->memory.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted)
    ck_assert_uint_lt (++info.memoryTypeIndex, raw->memory.memoryTypeCount);
  ck_assert_int_eq (raw->AllocateMemory (raw->device, &info, NULL, &memory), VK_SUCCESS);
  return memory;
}

/* Something of the application's. Its end comes in a function that destroys it at once, so the
 * validation layer sees a use that lasts longer; contents are kept for the test. */
struct lent
{
  struct raw *raw;
  VkBuffer buffer;
  VkImage image;
  VkDeviceMemory memory;
  guint32 *words;                        /* buffers: mapped */
  guint32 *copy;                         /* as they were at the end */
  gsize size;
  GMutex *mutex;                         /* held while it is told of its end, or NULL */
  gint n_released;
};

static void
release (gpointer data)
{
  struct lent *lent = data;
  struct raw *raw = lent->raw;

  if (lent->mutex != NULL)
    g_mutex_lock (lent->mutex);
  if (g_atomic_int_get (&lent->n_released) == 0)
    {
      if (lent->words != NULL)
        lent->copy = g_memdup2 (lent->words, lent->size);
      raw->DestroyBuffer (raw->device, lent->buffer, NULL);
      raw->DestroyImage (raw->device, lent->image, NULL);
      raw->FreeMemory (raw->device, lent->memory, NULL);
    }
  g_atomic_int_inc (&lent->n_released);
  if (lent->mutex != NULL)
    g_mutex_unlock (lent->mutex);
}

/* It comes once, and soon. */
static void
wait_for_release (struct lent *lent)
{
  gint64 end = g_get_monotonic_time () + 60 * SECOND;

  while (g_atomic_int_get (&lent->n_released) == 0 && g_get_monotonic_time () < end)
    g_usleep (1000);
  g_usleep (20000);
  ck_assert_int_eq (g_atomic_int_get (&lent->n_released), 1);
}

static struct lent
lend_buffer (struct raw *raw, gsize size)
{
  const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = size,
                                    .usage = GABBRO_VULKAN_BUFFER_USAGE };
  struct lent lent = { .raw = raw, .size = size };
  VkMemoryRequirements requirements;

  ck_assert_int_eq (raw->CreateBuffer (raw->device, &info, NULL, &lent.buffer), VK_SUCCESS);
  raw->GetBufferMemoryRequirements (raw->device, lent.buffer, &requirements);
  lent.memory = raw_alloc (raw, &requirements, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  ck_assert_int_eq (raw->BindBufferMemory (raw->device, lent.buffer, lent.memory, 0), VK_SUCCESS);
  ck_assert_int_eq (raw->MapMemory (raw->device, lent.memory, 0, VK_WHOLE_SIZE, 0, (void **) &lent.words), VK_SUCCESS);
  memset (lent.words, 0xee, size);
  return lent;
}

/* From `offset` to the end, as words. */
static GabbroBuffer *
wrap_buffer (struct lent *lent, gsize offset)
{
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_vulkan_buffer_new_for_handle (lent->raw->test.device, lent->buffer, offset, lent->size - offset,
                                                              GABBRO_VULKAN_BUFFER_USAGE, "uint", release, lent, &error);

  assert_no_error (error);
  ck_assert_uint_eq (gabbro_buffer_get_length (buffer), (lent->size - offset) / 4);
  ck_assert_str_eq (gabbro_buffer_get_element_type (buffer), "uint");
  return buffer;
}

static struct lent
lend_image (struct raw *raw, guint width, guint height)
{
  const VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                   .imageType = VK_IMAGE_TYPE_2D,
                                   .format = VK_FORMAT_R8G8B8A8_UNORM,
                                   .extent = { width, height, 1 },
                                   .mipLevels = 1,
                                   .arrayLayers = 1,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .tiling = VK_IMAGE_TILING_OPTIMAL,
                                   .usage = GABBRO_VULKAN_IMAGE_USAGE };
  struct lent lent = { .raw = raw };
  VkImageMemoryBarrier2 barrier = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
  const VkDependencyInfo dependency = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                        .imageMemoryBarrierCount = 1,
                                        .pImageMemoryBarriers = &barrier };
  VkMemoryRequirements requirements;
  VkCommandBuffer commands;

  ck_assert_int_eq (raw->CreateImage (raw->device, &info, NULL, &lent.image), VK_SUCCESS);
  raw->GetImageMemoryRequirements (raw->device, lent.image, &requirements);
  lent.memory = raw_alloc (raw, &requirements, 0);
  ck_assert_int_eq (raw->BindImageMemory (raw->device, lent.image, lent.memory, 0), VK_SUCCESS);
  barrier.image = lent.image;
  commands = raw_commands (raw);
  raw->CmdPipelineBarrier2 (commands, &dependency);
  raw_run (raw, commands);
  return lent;
}

static GabbroImage *
wrap_image (struct lent *lent, guint width, guint height)
{
  GError *error = NULL;
  GabbroImage *image = gabbro_vulkan_image_new_for_handle (lent->raw->test.device, lent->image, VK_FORMAT_R8G8B8A8_UNORM, width,
                                                           height, GABBRO_VULKAN_IMAGE_USAGE, release, lent, &error);

  assert_no_error (error);
  return image;
}

static void
add (GabbroCommandList *list, GabbroShader *shader, guint n, GabbroBuffer *from, GabbroBuffer *to)
{
  GError *error = NULL;

  gabbro_command_list_run (list, shader, n, 1, 1, &error, "from", from, "to", to, NULL);
  assert_no_error (error);
}

/* A list that takes a while, and writes all of a buffer. */
static GabbroCommandList *
slow_list (GabbroDevice *device, GabbroBuffer *to, guint32 rounds)
{
  GabbroShader *shader = new_shader (device, kernels, "slow");
  GabbroCommandList *list = new_list (device);
  GError *error = NULL;

  gabbro_command_list_set_shader (list, shader, &error);
  gabbro_command_list_set_buffer (list, 0, to, error == NULL ? &error : NULL);
  gabbro_command_list_set_uint (list, 1, rounds, error == NULL ? &error : NULL);
  gabbro_command_list_dispatch (list, (guint32) gabbro_buffer_get_length (to), 1, 1, error == NULL ? &error : NULL);
  assert_no_error (error);
  g_object_unref (shader);
  return list;
}

/* Out. */

START_TEST (handles)
{
  struct raw raw;
  GabbroBuffer *buffer, *view;
  GabbroImage *image;
  VkDeviceSize offset = 1, size = 1;
  VkBuffer handle;
  VkFormat format;
  VkImageLayout layout;
  GError *error = NULL;

  raw_begin (&raw);
  for (guint i = 0; i < gabbro_device_get_n_queues (raw.test.device); i++)
    {
      GabbroQueue *queue = gabbro_device_get_queue (raw.test.device, i);
      guint32 family, index;
      VkQueue ours = gabbro_vulkan_queue_get_handle (queue, &family, &index, &error), theirs;

      assert_no_error (error);
      raw.GetDeviceQueue (raw.device, family, index, &theirs);
      ck_assert_ptr_eq (ours, theirs);
    }
  buffer = new_buffer (raw.test.device, "uint2", N);
  handle = gabbro_vulkan_buffer_get_handle (buffer, &offset, &size, &error);
  assert_no_error (error);
  ck_assert (handle != VK_NULL_HANDLE);
  ck_assert_uint_eq (size, N * 8);
  view = new_view (buffer, 10, 20);
  {
    VkDeviceSize view_offset;

    ck_assert (gabbro_vulkan_buffer_get_handle (view, &view_offset, &size, &error) == handle);
    ck_assert_uint_eq (view_offset, offset + 80);
    ck_assert_uint_eq (size, 160);
  }
  image = new_image (raw.test.device, GABBRO_FORMAT_RGBA32_FLOAT, 8, 8);
  ck_assert (gabbro_vulkan_image_get_handle (image, &format, &layout, &error) != VK_NULL_HANDLE);
  assert_no_error (error);
  ck_assert_int_eq (format, VK_FORMAT_R32G32B32A32_SFLOAT);
  ck_assert_int_eq (layout, VK_IMAGE_LAYOUT_GENERAL);
  g_object_unref (image);
  g_object_unref (view);
  g_object_unref (buffer);
  raw_end (&raw);
}
END_TEST

/* Work of the application's own on a buffer of ours, ordered by the queue alone: before it and after
 * it lists of ours, and nobody waits in between. */
START_TEST (raw_fill)
{
  struct raw raw;
  GabbroBuffer *buffer, *other;
  GabbroShader *shader;
  GabbroCommandList *list;
  VkCommandBuffer commands;
  VkDeviceSize offset, size;
  VkBuffer handle;
  guint32 *words = g_new (guint32, N);

  raw_begin (&raw);
  buffer = new_buffer (raw.test.device, "uint", N);
  other = new_buffer (raw.test.device, "uint", N);
  shader = new_shader (raw.test.device, kernels, "add_one");
  handle = gabbro_vulkan_buffer_get_handle (buffer, &offset, &size, NULL);
  submit_list (raw.test.stream, slow_list (raw.test.device, buffer, 3000));
  commands = raw_commands (&raw);
  raw.CmdFillBuffer (commands, handle, offset, size / 2, 41);
  raw_submit (&raw, commands, VK_NULL_HANDLE);
  list = new_list (raw.test.device);
  add (list, shader, N, buffer, other);
  submit_list (raw.test.stream, list);
  download (other, words, N * 4);
  for (guint i = 0; i < N / 2; i++)
    ck_assert_uint_eq (words[i], 42);
  ck_assert_uint_eq (words[N - 1], slow_word (N - 1, 3000) + 1);

  /* And with a wait of the host's, straight into the memory. */
  commands = raw_commands (&raw);
  raw.CmdFillBuffer (commands, handle, offset, size, 7);
  raw_run (&raw, commands);
  download (buffer, words, N * 4);
  for (guint i = 0; i < N; i++)
    ck_assert_uint_eq (words[i], 7);
  g_object_unref (shader);
  g_object_unref (other);
  g_object_unref (buffer);
  raw_end (&raw);
  g_free (words);
}
END_TEST

/* A fresh image has its layout when its handle is out; the application's work in it stays. */
START_TEST (raw_clear)
{
  const VkClearColorValue colour = { .float32 = { 1, 0, 1, 0 } };
  const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  struct raw raw;
  GabbroImage *image;
  VkCommandBuffer commands;
  VkImage handle;
  guint32 texels[16 * 16];
  GError *error = NULL;

  raw_begin (&raw);
  image = new_image (raw.test.device, GABBRO_FORMAT_RGBA8_UNORM, 16, 16);
  handle = gabbro_vulkan_image_get_handle (image, NULL, NULL, &error);
  assert_no_error (error);
  commands = raw_commands (&raw);
  raw.CmdClearColorImage (commands, handle, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &range);
  raw_run (&raw, commands);
  ck_assert (gabbro_image_download (image, texels, sizeof texels, &error));
  for (guint i = 0; i < G_N_ELEMENTS (texels); i++)
    ck_assert_uint_eq (GUINT32_FROM_LE (texels[i]), 0x00ff00ff);
  g_object_unref (image);
  raw_end (&raw);
}
END_TEST

struct submitter
{
  struct raw *raw;
  GabbroBuffer *buffer;
  gint submitted;
};

static gpointer
submit_from_thread (gpointer data)
{
  struct submitter *submitter = data;

  submit_list (submitter->raw->test.stream, fill_list (submitter->raw->test.device, submitter->buffer, 5));
  g_atomic_int_set (&submitter->submitted, 1);
  return NULL;
}

START_TEST (lock_keeps_others_out)
{
  struct raw raw;
  struct submitter submitter = { .raw = &raw };
  GThread *thread;
  GError *error = NULL;

  raw_begin (&raw);
  submitter.buffer = new_buffer (raw.test.device, "uint", 16);
  ck_assert (gabbro_vulkan_queue_lock (raw.queue, &error));
  thread = g_thread_new ("submitter", submit_from_thread, &submitter);
  g_usleep (100000);
  ck_assert_int_eq (g_atomic_int_get (&submitter.submitted), 0);
  gabbro_vulkan_queue_unlock (raw.queue);
  g_thread_join (thread);
  ck_assert_uint_eq (first_word (submitter.buffer), 5);
  g_object_unref (submitter.buffer);
  raw_end (&raw);
}
END_TEST

/* In. */

/* From an offset that no descriptor may have, and with views; hazards as for any other buffer. */
START_TEST (lent_buffer)
{
  struct raw raw;
  struct lent lent;
  GabbroBuffer *buffer, *other, *low, *high;
  GabbroShader *shader;
  GabbroCommandList *list;
  VkDeviceSize offset, size;
  GError *error = NULL;
  guint32 word = 0;

  raw_begin (&raw);
  lent = lend_buffer (&raw, 20 + N * 4);
  buffer = wrap_buffer (&lent, 20);
  ck_assert_uint_eq (gabbro_buffer_get_offset (buffer), 20);
  ck_assert (gabbro_vulkan_buffer_get_handle (buffer, &offset, &size, NULL) == lent.buffer);
  ck_assert_uint_eq (offset, 20);
  ck_assert_uint_eq (size, N * 4);
  other = new_buffer (raw.test.device, "uint", N);
  low = new_view (buffer, 0, N / 2);
  high = new_view (buffer, N / 2, N / 2);
  shader = new_shader (raw.test.device, kernels, "add_one");

  list = fill_list (raw.test.device, buffer, 0);
  for (guint i = 0; i < 50; i++)
    {
      add (list, shader, N, buffer, other);
      add (list, shader, N, other, buffer);
    }
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 100);
  /* The halves: one layer more for the first, none for a writer of what it does not touch. */
  add (list, shader, N / 2, low, low);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 101);
  gabbro_command_list_fill (list, high, 0, N * 2, 9, &error);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 101);
  gabbro_command_list_download (list, low, 4, &word, 4, &error);
  assert_no_error (error);
  submit_list (raw.test.stream, list);
  synchronize (raw.test.stream);
  ck_assert_uint_eq (word, 101);
  for (guint i = 0; i < 5; i++)
    ck_assert_uint_eq (lent.words[i], 0xeeeeeeee);
  for (guint i = 0; i < N; i++)
    ck_assert_uint_eq (lent.words[5 + i], i < N / 2 ? 101 : 9);

  /* Blocking copies and mappings know no pointer to it. */
  word = 77;
  upload (high, &word, 4);
  ck_assert_uint_eq (lent.words[5 + N / 2], 77);
  {
    GabbroMapping *mapping = gabbro_buffer_map (buffer, GABBRO_MAP_READ | GABBRO_MAP_WRITE, &error);

    assert_no_error (error);
    ck_assert_uint_eq (((guint32 *) gabbro_mapping_get_pointer (mapping))[N / 2], 77);
    ((guint32 *) gabbro_mapping_get_pointer (mapping))[0] = 78;
    ck_assert (gabbro_mapping_unmap (mapping, &error));
    g_object_unref (mapping);
    ck_assert_uint_eq (lent.words[5], 78);
  }
  g_object_unref (buffer);
  g_object_unref (high);
  g_object_unref (other);
  g_object_unref (shader);
  synchronize (raw.test.stream);
  g_usleep (20000);
  ck_assert_int_eq (g_atomic_int_get (&lent.n_released), 0);
  g_object_unref (low);
  wait_for_release (&lent);
  g_free (lent.copy);
  raw_end (&raw);
}
END_TEST

/* The end is told after the work and once, wherever the work is when the last object goes: 0, in flight;
 * 1, held back in a stream; 2, a frozen list, which goes later than its submissions. */
START_TEST (told_after_the_work)
{
  struct raw raw;
  struct lent lent;
  GabbroBuffer *buffer;
  GabbroCommandList *list;
  GabbroEvent *event = NULL;
  GError *error = NULL;

  raw_begin (&raw);
  lent = lend_buffer (&raw, N * 4);
  buffer = wrap_buffer (&lent, 0);
  list = slow_list (raw.test.device, buffer, 40000);
  g_object_unref (buffer);
  if (_i == 1)
    {
      event = new_event (raw.test.device);
      gabbro_stream_wait (raw.test.stream, event, 1, &error);
    }
  if (_i == 2)
    gabbro_command_list_freeze (list, NULL, &error);
  assert_no_error (error);
  submit (raw.test.stream, list);
  if (_i == 2)
    submit (raw.test.stream, list);
  else
    g_clear_object (&list);
  if (_i == 1)
    {
      g_usleep (50000);
      ck_assert_int_eq (g_atomic_int_get (&lent.n_released), 0);
      gabbro_event_signal (event, 1, &error);
      assert_no_error (error);
      g_object_unref (event);
    }
  if (_i == 2)
    {
      synchronize (raw.test.stream);
      submit (raw.test.stream, list);
      ck_assert_int_eq (g_atomic_int_get (&lent.n_released), 0);
      g_clear_object (&list);
    }
  wait_for_release (&lent);
  ck_assert_uint_eq (lent.copy[0], slow_word (0, 40000));
  ck_assert_uint_eq (lent.copy[N - 1], slow_word (N - 1, 40000));
  g_free (lent.copy);
  raw_end (&raw);
}
END_TEST

/* The last reference on the device goes with work in flight: what was lent keeps the VkDevice until its
 * owner has destroyed it. */
START_TEST (device_goes_first)
{
  struct raw raw;
  struct lent lent;
  GabbroBuffer *buffer;

  raw_begin (&raw);
  raw.DestroyCommandPool (raw.device, raw.pool, NULL);
  lent = lend_buffer (&raw, N * 4);
  buffer = wrap_buffer (&lent, 0);
  submit_list (raw.test.stream, slow_list (raw.test.device, buffer, 40000));
  g_object_unref (buffer);
  g_clear_object (&raw.test.stream);
  g_clear_object (&raw.test.device);
  wait_for_release (&lent);
  ck_assert_uint_eq (lent.copy[N - 1], slow_word (N - 1, 40000));
  g_free (lent.copy);
  assert_silent (raw.test.context);
  g_object_unref (raw.test.context);
}
END_TEST

/* Who closes a device may hold a lock that the end of what was lent takes too: nobody waits for that. */
START_TEST (device_goes_under_a_lock)
{
  struct raw raw;
  struct lent lent;
  GMutex mutex;
  GabbroBuffer *buffer;
  GabbroCommandList *list;

  g_mutex_init (&mutex);
  raw_begin (&raw);
  raw.DestroyCommandPool (raw.device, raw.pool, NULL);
  lent = lend_buffer (&raw, N * 4);
  lent.mutex = &mutex;
  buffer = wrap_buffer (&lent, 0);
  list = fill_list (raw.test.device, buffer, 3);
  g_object_unref (buffer);
  g_mutex_lock (&mutex);
  submit_list (raw.test.stream, list);
  synchronize (raw.test.stream);
  g_clear_object (&raw.test.stream);
  g_clear_object (&raw.test.device);
  ck_assert_int_eq (g_atomic_int_get (&lent.n_released), 0);
  g_mutex_unlock (&mutex);
  wait_for_release (&lent);
  ck_assert_uint_eq (lent.copy[N - 1], 3);
  g_free (lent.copy);
  assert_silent (raw.test.context);
  g_object_unref (raw.test.context);
  g_mutex_clear (&mutex);
}
END_TEST

START_TEST (lent_image)
{
  const VkBufferImageCopy region = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 }, .imageExtent = { 16, 8, 1 } };
  struct raw raw;
  struct lent lent, buffer;
  GabbroImage *image, *other;
  GabbroShader *paint, *invert;
  GabbroCommandList *list;
  VkCommandBuffer commands;
  VkImageLayout layout;
  guint32 texels[16 * 8];
  GError *error = NULL;

  raw_begin (&raw);
  lent = lend_image (&raw, 16, 8);
  image = wrap_image (&lent, 16, 8);
  ck_assert_uint_eq (gabbro_image_get_width (image), 16);
  ck_assert_uint_eq (gabbro_image_get_height (image), 8);
  ck_assert_int_eq (gabbro_image_get_format (image), GABBRO_FORMAT_RGBA8_UNORM);
  ck_assert (gabbro_vulkan_image_get_handle (image, NULL, &layout, &error) == lent.image);
  ck_assert_int_eq (layout, VK_IMAGE_LAYOUT_GENERAL);
  other = new_image (raw.test.device, GABBRO_FORMAT_RGBA8_UNORM, 16, 8);
  paint = new_shader (raw.test.device, kernels, "paint");
  invert = new_shader (raw.test.device, kernels, "invert");
  list = new_list (raw.test.device);
  gabbro_command_list_run (list, paint, 16, 8, 1, &error, "to", image, NULL);
  for (guint i = 0; i < 5; i++)
    {
      gabbro_command_list_run (list, invert, 16, 8, 1, &error, "from", image, "to", other, NULL);
      gabbro_command_list_run (list, invert, 16, 8, 1, &error, "from", other, "to", image, NULL);
      assert_no_error (error);
    }
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 10);
  submit_list (raw.test.stream, list);

  /* Through Vulkan, ordered by the queue; then through Gabbro. */
  buffer = lend_buffer (&raw, sizeof texels);
  commands = raw_commands (&raw);
  raw.CmdCopyImageToBuffer (commands, lent.image, VK_IMAGE_LAYOUT_GENERAL, buffer.buffer, 1, &region);
  raw_run (&raw, commands);
  for (guint i = 0; i < G_N_ELEMENTS (texels); i++)
    ck_assert_uint_eq (GUINT32_FROM_LE (buffer.words[i]), 0xffff00ff);
  release (&buffer);
  g_free (buffer.copy);
  ck_assert (gabbro_image_download (image, texels, sizeof texels, &error));
  ck_assert_uint_eq (GUINT32_FROM_LE (texels[16 * 8 - 1]), 0xffff00ff);

  /* In flight, behind something slow. */
  {
    GabbroBuffer *slow = new_buffer (raw.test.device, "uint", N);

    submit_list (raw.test.stream, slow_list (raw.test.device, slow, 40000));
    g_object_unref (slow);
  }
  list = new_list (raw.test.device);
  gabbro_command_list_run (list, invert, 16, 8, 1, &error, "from", other, "to", image, NULL);
  assert_no_error (error);
  submit_list (raw.test.stream, list);
  g_object_unref (image);
  wait_for_release (&lent);
  g_object_unref (other);
  g_object_unref (paint);
  g_object_unref (invert);
  raw_end (&raw);
}
END_TEST

/* Refusals. */

static void
refuse_buffer (struct lent *lent, guint64 offset, guint64 size, VkBufferUsageFlags usage, const char *type, int code,
               const char *message)
{
  GError *error = NULL;

  ck_assert_ptr_null (gabbro_vulkan_buffer_new_for_handle (lent->raw->test.device, lent->buffer, offset, size, usage, type, release,
                                                           lent, &error));
  assert_message (error, message);
  assert_gabbro_error (error, code);
}

static void
refuse_image (struct lent *lent, VkFormat format, guint width, guint height, VkImageUsageFlags usage, int code, const char *message)
{
  GError *error = NULL;

  ck_assert_ptr_null (gabbro_vulkan_image_new_for_handle (lent->raw->test.device, lent->image, format, width, height, usage, release,
                                                          lent, &error));
  assert_message (error, message);
  assert_gabbro_error (error, code);
}

START_TEST (refused)
{
  const VkBufferUsageFlags all = GABBRO_VULKAN_BUFFER_USAGE;
  struct raw raw;
  struct lent lent, image;

  raw_begin (&raw);
  lent = lend_buffer (&raw, 4096);
  refuse_buffer (&lent, 0, 0, all, "uint", GABBRO_ERROR_INVALID_ARGUMENT, "0 bytes from byte 0");
  refuse_buffer (&lent, 2, 4, all, NULL, GABBRO_ERROR_INVALID_ARGUMENT, "from byte 2");
  refuse_buffer (&lent, 0, 7, all, NULL, GABBRO_ERROR_INVALID_ARGUMENT, "7 bytes");
  refuse_buffer (&lent, 4, 16, all, "uint2", GABBRO_ERROR_INVALID_ARGUMENT, "the 8 bytes of an element");
  refuse_buffer (&lent, 0, 12, all, "uint2", GABBRO_ERROR_INVALID_ARGUMENT, "12 bytes");
  refuse_buffer (&lent, 0, 16, all, "nonsense", GABBRO_ERROR_INVALID_ARGUMENT, "nonsense");
  refuse_buffer (&lent, 0, 16, all & ~(VkBufferUsageFlags) VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "uint", GABBRO_ERROR_INVALID_ARGUMENT,
                 "lacks 0x20");
  refuse_buffer (&lent, 0, UINT64_C (1) << 62, all, "uint", GABBRO_ERROR_LIMIT_EXCEEDED, "4611686018427387904 bytes");
  refuse_buffer (&lent, UINT64_MAX - 7, 8, all, "uint", GABBRO_ERROR_LIMIT_EXCEEDED, "8 bytes");
  refuse_buffer (&lent, 4096, 4096, all, "uint", GABBRO_ERROR_LIMIT_EXCEEDED, "has at the most 4096");
  ck_assert_int_eq (lent.n_released, 0);
  release (&lent);
  g_free (lent.copy);

  image = lend_image (&raw, 16, 8);
  refuse_image (&image, VK_FORMAT_R8_SRGB, 16, 8, GABBRO_VULKAN_IMAGE_USAGE, GABBRO_ERROR_NOT_SUPPORTED, "VkFormat 15");
  refuse_image (&image, VK_FORMAT_R8G8B8A8_UNORM, 16, 8, VK_IMAGE_USAGE_SAMPLED_BIT, GABBRO_ERROR_INVALID_ARGUMENT, "VkImage");
  refuse_image (&image, VK_FORMAT_R8G8B8A8_UNORM, 0, 8, GABBRO_VULKAN_IMAGE_USAGE, GABBRO_ERROR_INVALID_ARGUMENT, "0×8");
  refuse_image (&image, VK_FORMAT_R8G8B8A8_UNORM, 1 << 30, 8, GABBRO_VULKAN_IMAGE_USAGE, GABBRO_ERROR_LIMIT_EXCEEDED, "1073741824×8");
  ck_assert_int_eq (image.n_released, 0);
  release (&image);
  raw_end (&raw);
}
END_TEST

/* Everything that can be asked, of a device of any driver. Answers 0, or the line of a call that did not fail with `code`. */
static int
fails_with (GabbroDevice *device, GabbroBuffer *buffer, GabbroImage *image, int code)
{
  GabbroAdapter *adapter = gabbro_device_get_adapter (device);
  GabbroQueue *queue = gabbro_device_get_queue (device, 0);
  VkDeviceSize offset = 4711;
  GError *error = NULL;

#define fails(call)                                                                       \
  do                                                                                      \
    {                                                                                     \
      if ((call) || error == NULL || !g_error_matches (error, GABBRO_ERROR, code))        \
        return __LINE__;                                                                  \
      g_clear_error (&error);                                                             \
    }                                                                                     \
  while (0)

  fails (gabbro_vulkan_adapter_get_instance_proc_addr (adapter, &error) != NULL);
  fails (gabbro_vulkan_adapter_get_instance (adapter, &error) != NULL);
  fails (gabbro_vulkan_adapter_get_physical_device (adapter, &error) != NULL);
  fails (gabbro_vulkan_device_get_handle (device, &error) != NULL);
  fails (gabbro_vulkan_queue_get_handle (queue, NULL, NULL, &error) != NULL);
  fails (gabbro_vulkan_queue_lock (queue, &error));
  fails (gabbro_vulkan_buffer_get_handle (buffer, &offset, NULL, &error) != VK_NULL_HANDLE);
  fails (gabbro_vulkan_image_get_handle (image, NULL, NULL, &error) != VK_NULL_HANDLE);
  fails (gabbro_vulkan_buffer_new_for_handle (device, (VkBuffer) 1, 0, 16, GABBRO_VULKAN_BUFFER_USAGE, NULL, NULL, NULL, &error) != NULL);
  fails (gabbro_vulkan_image_new_for_handle (device, (VkImage) 1, VK_FORMAT_R8G8B8A8_UNORM, 4, 4, GABBRO_VULKAN_IMAGE_USAGE, NULL,
                                             NULL, &error) != NULL);
  gabbro_vulkan_queue_unlock (queue);
#undef fails
  return offset == 4711 ? 0 : __LINE__;
}

START_TEST (other_driver)
{
  GabbroDevice *device = null_device ("");
  GabbroBuffer *buffer = new_buffer (device, "uint", 4);
  GabbroImage *image = new_image (device, GABBRO_FORMAT_RGBA8_UNORM, 4, 4);

  ck_assert_int_eq (fails_with (device, buffer, image, GABBRO_ERROR_NOT_SUPPORTED), 0);
  g_object_unref (image);
  g_object_unref (buffer);
  g_object_unref (device);
}
END_TEST

/* The child is refused, and tells nobody of the end of what its parent lent. */
START_TEST (forked_child)
{
  struct raw raw;
  struct lent lent;
  GabbroBuffer *buffer;
  GabbroImage *image;
  pid_t child;
  int status = 0;

  raw_begin (&raw);
  lent = lend_buffer (&raw, 4096);
  buffer = wrap_buffer (&lent, 0);
  image = new_image (raw.test.device, GABBRO_FORMAT_RGBA8_UNORM, 4, 4);
  child = fork ();
  if (child == 0)
    {
      int line = fails_with (raw.test.device, buffer, image, GABBRO_ERROR_WRONG_PROCESS);

      if (line != 0)
        fprintf (stderr, "in the child: line %d\n", line);
      g_object_unref (buffer);
      _exit (line != 0 || lent.n_released != 0);
    }
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  ck_assert_msg (WIFEXITED (status) && WEXITSTATUS (status) == 0, "the child ended with status %#x", status);
  g_object_unref (image);
  g_object_unref (buffer);
  wait_for_release (&lent);
  g_free (lent.copy);
  raw_end (&raw);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("native handles");
  TCase *out = gb_test_case (suite, "out"), *in = gb_test_case (suite, "in"), *refusals = null_test_case (suite, "refusals");

  tcase_add_test (out, handles);
  tcase_add_test (out, raw_fill);
  tcase_add_test (out, raw_clear);
  tcase_add_test (out, lock_keeps_others_out);
  tcase_add_test (in, lent_buffer);
  tcase_add_loop_test (in, told_after_the_work, 0, 3);
  tcase_add_test (in, device_goes_first);
  tcase_add_test (in, device_goes_under_a_lock);
  tcase_add_test (in, lent_image);
  tcase_add_test (refusals, refused);
  tcase_add_test (refusals, other_driver);
  tcase_add_test (refusals, forked_child);
  return suite;
}

GB_TEST_MAIN (make_suite)
