/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The allocator over entry points of our own, which fail when they are told to. */

#include "config.h"

#include "gpu/drivers/vulkan/memory.h"

#include <string.h>

#include "tests/test-main.h"
#include "tests/vulkan/recorded-snapshot.h"

#define MIB ((uint64_t) 1 << 20)
#define KIB ((uint64_t) 1 << 10)

/* What the fake device remembers. */

static struct
{
  GHashTable *live;                     /* VkDeviceMemory: size */
  uint64_t bytes, most_bytes, limit;
  unsigned n_calls, fail_call;          /* the call that fails, counted from 1; 0: none */
  uint32_t last_type;
  uint64_t last_size;
  bool last_dedicated;
  VkResult map_result;
  void *map_pointer;                    /* NULL: memory of our own */
  uint64_t next;
  uint64_t budget, usage;
} fake;

static VKAPI_ATTR VkResult VKAPI_CALL
fake_allocate (VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *callbacks,
               VkDeviceMemory *out)
{
  if (++fake.n_calls == fake.fail_call || info->allocationSize > fake.limit - fake.bytes)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  fake.bytes += info->allocationSize;
  fake.most_bytes = MAX (fake.most_bytes, fake.bytes);
  fake.last_type = info->memoryTypeIndex;
  fake.last_size = info->allocationSize;
  fake.last_dedicated = info->pNext != NULL;
  *out = (VkDeviceMemory) (uintptr_t) ++fake.next;
  g_hash_table_insert (fake.live, (gpointer) (uintptr_t) fake.next, (gpointer) (uintptr_t) info->allocationSize);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
fake_free (VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks)
{
  gpointer size;

  /* Freed once, and only what is there. */
  ck_assert (g_hash_table_steal_extended (fake.live, (gpointer) (uintptr_t) memory, NULL, &size));
  fake.bytes -= (uint64_t) (uintptr_t) size;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_map (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags,
          void **out)
{
  ck_assert (g_hash_table_contains (fake.live, (gpointer) (uintptr_t) memory));
  /* Far apart, so that pointers of different blocks never overlap; never read. */
  *out = fake.map_pointer != NULL ? fake.map_pointer : (void *) ((uintptr_t) memory << 32);
  return fake.map_result;
}

static void
fake_budget (void *data, struct vulkan_heap_state *state)
{
  state->budget[0] = fake.budget;
  state->usage[0] = fake.usage + fake.bytes;
}

static struct vulkan_device_table vk = { .AllocateMemory = fake_allocate, .FreeMemory = fake_free, .MapMemory = fake_map };
static struct vulkan_snapshot snapshot;
static struct vulkan_plan plan;
static struct vulkan_memory memory;

static void
setup_device (const char *name)
{
  memset (&fake, 0, sizeof fake);
  fake.live = g_hash_table_new (NULL, NULL);
  fake.limit = UINT64_MAX / 2;
  recorded_snapshot (name, &snapshot);
}

static void
start (vulkan_budget_func budget)
{
  vulkan_plan_make (&snapshot, NULL, &plan);
  vulkan_memory_init (&memory, &vk, NULL, &plan.memory, budget, NULL);
}

static void
stop (void)
{
  vulkan_memory_clear (&memory);
  ck_assert_uint_eq (g_hash_table_size (fake.live), 0);
  ck_assert_uint_eq (fake.bytes, 0);
  g_hash_table_unref (fake.live);
}

static bool
try_alloc (uint64_t size, uint64_t alignment, enum gabbro_memory_use use, bool image, struct vulkan_allocation *out,
           GError **error)
{
  const struct vulkan_memory_request request
    = { .what = image ? "image" : "buffer",
        .asked = size,
        .use = use,
        .requirements = { .size = size, .alignment = alignment, .memoryTypeBits = UINT32_MAX },
        .buffer = image ? VK_NULL_HANDLE : (VkBuffer) 1,
        .image = image ? (VkImage) 1 : VK_NULL_HANDLE };

  return vulkan_memory_alloc (&memory, &request, out, error);
}

static struct vulkan_allocation
alloc (uint64_t size, enum gabbro_memory_use use)
{
  struct vulkan_allocation allocation;
  GError *error = NULL;

  ck_assert_msg (try_alloc (size, 256, use, false, &allocation, &error), "%s", error != NULL ? error->message : "");
  return allocation;
}

START_TEST (test_small_ones_share)
{
  struct vulkan_allocation all[100];

  setup_device ("llvmpipe-25.0.7");
  start (NULL);
  for (unsigned i = 0; i < 100; i++)
    {
      all[i] = alloc (1000 + i, (enum gabbro_memory_use) (i % 3));
      ck_assert_uint_eq (all[i].offset % 256, 0);
      ck_assert_ptr_eq (all[i].mapped, (char *) ((uintptr_t) all[i].memory << 32) + all[i].offset);
    }
  for (unsigned i = 0; i < 100; i++)
    for (unsigned j = 0; j < i; j++)
      ck_assert (all[i].offset >= all[j].offset + all[j].size || all[j].offset >= all[i].offset + all[i].size);
  ck_assert_uint_eq (memory.n_allocations, 1);
  ck_assert_uint_eq (fake.bytes, 8 * MIB);
  for (unsigned i = 0; i < 100; i++)
    vulkan_memory_free (&memory, &all[i]);
  ck_assert_uint_eq (memory.used[0], 0);
  ck_assert_uint_eq (vulkan_memory_trim (&memory), 8 * MIB);
  stop ();
}
END_TEST

START_TEST (test_blocks_grow)
{
  struct vulkan_allocation all[60];
  uint64_t largest = 0;

  setup_device ("llvmpipe-25.0.7");
  start (NULL);
  for (unsigned i = 0; i < 60; i++)
    {
      all[i] = alloc (4 * MIB, GABBRO_MEMORY_DEVICE);
      largest = MAX (largest, fake.last_size);
    }
  ck_assert_uint_eq (largest, 64 * MIB);
  /* 8 + 16 + 32 + 64 + 64 + 64. */
  ck_assert_uint_eq (memory.n_allocations, 6);
  for (unsigned i = 0; i < 60; i++)
    vulkan_memory_free (&memory, &all[i]);
  /* One is kept. */
  ck_assert_uint_eq (memory.n_allocations, 1);
  stop ();
}
END_TEST

START_TEST (test_large_ones_are_alone)
{
  struct vulkan_allocation large, small;

  setup_device ("llvmpipe-25.0.7");
  start (NULL);
  small = alloc (100, GABBRO_MEMORY_DEVICE);
  ck_assert (!fake.last_dedicated);
  large = alloc (40 * MIB, GABBRO_MEMORY_DEVICE);
  ck_assert (fake.last_dedicated);
  ck_assert_uint_eq (fake.last_size, 40 * MIB);
  ck_assert_ptr_null (large.block);
  ck_assert_uint_eq (large.offset, 0);
  vulkan_memory_free (&memory, &large);
  ck_assert_uint_eq (fake.bytes, 8 * MIB);
  vulkan_memory_free (&memory, &small);
  stop ();
}
END_TEST

START_TEST (test_images_and_buffers_are_apart)
{
  struct vulkan_allocation buffer, image;
  GError *error = NULL;

  setup_device ("llvmpipe-25.0.7");
  start (NULL);
  buffer = alloc (1000, GABBRO_MEMORY_DEVICE);
  ck_assert (try_alloc (1000, 256, GABBRO_MEMORY_DEVICE, true, &image, &error));
  ck_assert (buffer.memory != image.memory);
  vulkan_memory_free (&memory, &buffer);
  vulkan_memory_free (&memory, &image);
  stop ();
}
END_TEST

/* T11: every call that can fail, in turn; nothing is lost or freed twice. */
START_TEST (test_each_failure)
{
  for (unsigned fail = 1; fail < 40; fail++)
    {
      struct vulkan_allocation all[30];
      bool have[30];

      setup_device (fail % 2 == 0 ? "llvmpipe-25.0.7" : "nvidia-h200");
      fake.fail_call = fail;
      start (NULL);
      for (unsigned i = 0; i < 30; i++)
        {
          uint64_t size = i % 5 == 0 ? 50 * MIB : i * 700 * KIB + 1;
          GError *error = NULL;
          have[i] = try_alloc (size, 16, (enum gabbro_memory_use) (i % 3), i % 4 == 0, &all[i], &error);
          ck_assert (have[i] == (error == NULL));
          g_clear_error (&error);
        }
      for (unsigned i = 0; i < 30; i++)
        if (have[i])
          vulkan_memory_free (&memory, &all[i]);
      stop ();
    }
}
END_TEST

START_TEST (test_everything_fails)
{
  struct vulkan_allocation out, untouched;
  GError *error = NULL;

  setup_device ("nvidia-h200");
  fake.limit = 0;
  start (NULL);
  memset (&out, 0x5a, sizeof out);
  untouched = out;
  ck_assert (!try_alloc (123456, 16, GABBRO_MEMORY_DEVICE, false, &out, &error));
  ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY));
  ck_assert_ptr_nonnull (strstr (error->message, "123456"));
  ck_assert_ptr_nonnull (strstr (error->message, "150754820096"));
  ck_assert (memcmp (&out, &untouched, sizeof out) == 0);
  g_clear_error (&error);
  stop ();
}
END_TEST

START_TEST (test_smaller_block_when_large_fails)
{
  struct vulkan_allocation a, b;

  setup_device ("llvmpipe-25.0.7");
  fake.limit = 3 * MIB;
  start (NULL);
  a = alloc (1 * MIB, GABBRO_MEMORY_DEVICE);
  ck_assert_uint_eq (fake.last_size, 2 * MIB);
  b = alloc (1 * MIB, GABBRO_MEMORY_DEVICE);
  vulkan_memory_free (&memory, &a);
  vulkan_memory_free (&memory, &b);
  stop ();
}
END_TEST

/* The next type takes over when the first has no room. */
START_TEST (test_next_type)
{
  struct vulkan_allocation large;

  setup_device ("nvidia-h200");
  snapshot.memory.memoryHeaps[0].size = 100 * MIB;
  start (NULL);
  ck_assert_uint_eq (plan.memory.type_heap[plan.memory.order[GABBRO_MEMORY_DEVICE][0]], 0);
  large = alloc (200 * MIB, GABBRO_MEMORY_DEVICE);
  ck_assert_uint_eq (plan.memory.type_heap[large.type], 1);
  vulkan_memory_free (&memory, &large);
  stop ();
}
END_TEST

START_TEST (test_empty_blocks_make_room)
{
  struct vulkan_allocation a, b;

  setup_device ("llvmpipe-25.0.7");
  snapshot.memory.memoryHeaps[0].size = 64 * MIB;
  start (NULL);
  a = alloc (3 * MIB, GABBRO_MEMORY_DEVICE);
  vulkan_memory_free (&memory, &a);
  ck_assert_uint_gt (fake.bytes, 0);
  /* The whole heap: only when the block that was kept is given back. */
  b = alloc (64 * MIB, GABBRO_MEMORY_DEVICE);
  vulkan_memory_free (&memory, &b);
  stop ();
}
END_TEST

/* A mapping that fails: quietly, as on a device in software, or with an error. */
START_TEST (test_mapping_fails)
{
  struct vulkan_allocation out;
  GError *error = NULL;

  for (unsigned i = 0; i < 3; i++)
    {
      setup_device ("llvmpipe-25.0.7");
      fake.map_pointer = i == 0 ? (void *) UINTPTR_MAX : NULL;
      fake.map_result = i == 1 ? VK_ERROR_MEMORY_MAP_FAILED : VK_SUCCESS;
      start (NULL);
      if (i == 2)
        {
          /* The way back: it works again. */
          out = alloc (100, GABBRO_MEMORY_UPLOAD);
          vulkan_memory_free (&memory, &out);
          stop ();
          continue;
        }
      ck_assert (!try_alloc (100, 16, GABBRO_MEMORY_UPLOAD, false, &out, &error));
      ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_OUT_OF_HOST_MEMORY));
      g_clear_error (&error);
      ck_assert_uint_eq (fake.bytes, 0);
      /* Device memory does without; and an upload does not land in such a block. */
      ck_assert (try_alloc (100, 16, GABBRO_MEMORY_DEVICE, false, &out, &error));
      ck_assert_ptr_null (out.mapped);
      fake.map_pointer = NULL;
      fake.map_result = VK_SUCCESS;
      {
        struct vulkan_allocation upload = alloc (100, GABBRO_MEMORY_UPLOAD);
        ck_assert_ptr_nonnull (upload.mapped);
        ck_assert (upload.memory != out.memory);
        vulkan_memory_free (&memory, &upload);
      }
      vulkan_memory_free (&memory, &out);
      stop ();
    }
}
END_TEST

START_TEST (test_budget)
{
  struct vulkan_allocation a;
  uint64_t taken, available;
  GError *error = NULL;

  setup_device ("llvmpipe-25.0.7");
  fake.budget = 100 * MIB;
  fake.usage = 60 * MIB;
  start (fake_budget);
  vulkan_memory_heap (&memory, 0, &taken, &available);
  ck_assert_uint_eq (available, 40 * MIB);
  ck_assert (!try_alloc (41 * MIB, 16, GABBRO_MEMORY_DEVICE, false, &a, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "41943040"));
  g_clear_error (&error);
  a = alloc (39 * MIB, GABBRO_MEMORY_DEVICE);
  vulkan_memory_heap (&memory, 0, &taken, &available);
  ck_assert_uint_eq (taken, 39 * MIB);
  ck_assert_uint_eq (available, 1 * MIB);
  vulkan_memory_free (&memory, &a);
  /* Others took all. */
  fake.usage = 200 * MIB;
  ck_assert (!try_alloc (1, 16, GABBRO_MEMORY_DEVICE, false, &a, &error));
  g_clear_error (&error);
  stop ();
}
END_TEST

/* Comes and goes in every size; in the end all can be had again (T14). */
START_TEST (test_fragmentation)
{
  enum { N = 400 };
  struct vulkan_allocation all[N];
  bool have[N] = { false };
  GRand *random = g_rand_new_with_seed (1);
  struct vulkan_allocation whole;

  setup_device ("llvmpipe-25.0.7");
  snapshot.memory.memoryHeaps[0].size = 512 * MIB;
  start (NULL);
  for (unsigned step = 0; step < 20000; step++)
    {
      unsigned i = (unsigned) g_rand_int_range (random, 0, N);
      if (have[i])
        {
          vulkan_memory_free (&memory, &all[i]);
          have[i] = false;
        }
      else
        {
          uint64_t size = (uint64_t) 1 << g_rand_int_range (random, 4, 22);
          GError *error = NULL;
          have[i] = try_alloc (size + step % 7, 64, (enum gabbro_memory_use) (step % 3), step % 2 == 0, &all[i], &error);
          g_clear_error (&error);
        }
      ck_assert_uint_le (fake.bytes, 512 * MIB);
    }
  for (unsigned i = 0; i < N; i++)
    if (have[i])
      vulkan_memory_free (&memory, &all[i]);
  whole = alloc (512 * MIB, GABBRO_MEMORY_DEVICE);
  vulkan_memory_free (&memory, &whole);
  g_rand_free (random);
  stop ();
}
END_TEST

static gpointer
come_and_go (gpointer data)
{
  for (unsigned i = 0; i < 2000; i++)
    {
      struct vulkan_allocation a = alloc (1 + i * 37, (enum gabbro_memory_use) (i % 3));
      struct vulkan_allocation b = alloc (40 * MIB, GABBRO_MEMORY_DEVICE);
      vulkan_memory_free (&memory, &a);
      vulkan_memory_free (&memory, &b);
    }
  return NULL;
}

START_TEST (test_threads)
{
  GThread *threads[4];

  setup_device ("llvmpipe-25.0.7");
  start (NULL);
  for (unsigned i = 0; i < 4; i++)
    threads[i] = g_thread_new ("memory", come_and_go, NULL);
  for (unsigned i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  ck_assert_uint_eq (memory.used[0], 0);
  stop ();
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("memory");
  TCase *test_case = gb_test_case (suite, "memory");

  tcase_add_test (test_case, test_small_ones_share);
  tcase_add_test (test_case, test_blocks_grow);
  tcase_add_test (test_case, test_large_ones_are_alone);
  tcase_add_test (test_case, test_images_and_buffers_are_apart);
  tcase_add_test (test_case, test_each_failure);
  tcase_add_test (test_case, test_everything_fails);
  tcase_add_test (test_case, test_smaller_block_when_large_fails);
  tcase_add_test (test_case, test_next_type);
  tcase_add_test (test_case, test_empty_blocks_make_room);
  tcase_add_test (test_case, test_mapping_fails);
  tcase_add_test (test_case, test_budget);
  tcase_add_test (test_case, test_fragmentation);
  tcase_add_test (test_case, test_threads);
  return suite;
}

GB_TEST_MAIN (make_suite)
