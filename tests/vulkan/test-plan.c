/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans for devices that are not here: recorded ones, and the same with something
 * taken away or added. No Vulkan is called. */

#include "config.h"

#include "gpu/drivers/vulkan/plan.h"

#include <string.h>

#include "gpu/drivers/vulkan/mask.h"
#include "tests/test-main.h"
#include "tests/vulkan/recorded-snapshot.h"

#define MIB ((uint64_t) 1 << 20)
#define GIB ((uint64_t) 1 << 30)

static struct vulkan_snapshot snapshot;
static struct vulkan_plan plan;

static void
make (const char *name)
{
  recorded_snapshot (name, &snapshot);
  vulkan_plan_make (&snapshot, NULL, &plan);
}

static void
remake (void)
{
  vulkan_plan_make (&snapshot, NULL, &plan);
}

static const uint64_t subgroup_targets = GABBRO_TARGET_SUBGROUP_BASIC | GABBRO_TARGET_SUBGROUP_VOTE | GABBRO_TARGET_SUBGROUP_ARITHMETIC
                                         | GABBRO_TARGET_SUBGROUP_BALLOT | GABBRO_TARGET_SUBGROUP_SHUFFLE;

START_TEST (test_llvmpipe)
{
  make ("llvmpipe-25.0.7");
  ck_assert_str_eq (plan.unusable, "");
  ck_assert_uint_eq (snapshot.type, VK_PHYSICAL_DEVICE_TYPE_CPU);
  ck_assert_uint_eq (snapshot.api_version, VK_MAKE_API_VERSION (0, 1, 4, 305));
  ck_assert_uint_eq (plan.n_queues, 1);
  ck_assert_uint_eq (plan.queues[0].flags,
                     GABBRO_QUEUE_COMPUTE | GABBRO_QUEUE_TRANSFER | GABBRO_QUEUE_GRAPHICS | GABBRO_QUEUE_SPARSE);
  ck_assert_uint_eq (plan.n_families, 1);
  for (unsigned use = 0; use < VULKAN_N_MEMORY_USES; use++)
    {
      ck_assert_uint_eq (plan.memory.n_order[use], 1);
      ck_assert_uint_eq (plan.memory.order[use][0], 0);
    }
  ck_assert (plan.memory.map[0] && plan.memory.cached[0] && plan.memory.map_device);
  ck_assert_uint_eq (plan.memory.largest_block[0], 64 * MIB);
  ck_assert_uint_eq (plan.limits.max_allocation_size, 2 * GIB);
  ck_assert_uint_eq (plan.limits.max_buffer_size, 0xffffffff);
  ck_assert_uint_eq (plan.limits.max_storage_buffer_range, 128 * MIB);
  ck_assert_uint_eq (plan.limits.storage_buffer_offset_alignment, 16);
  ck_assert_uint_eq (plan.limits.max_push_constants, 256);
  ck_assert_uint_eq (plan.limits.max_group_count[2], 65535);
  ck_assert_uint_eq (plan.limits.max_group_size[1], 1024);
  ck_assert_uint_eq (plan.limits.max_group_invocations, 1024);
  ck_assert_uint_eq (plan.limits.max_shared_memory, 32768);
  ck_assert_uint_eq (plan.limits.max_image_2d, 16384);
  ck_assert_uint_eq (plan.limits.max_storage_buffers, 1000000);
  ck_assert_uint_eq (plan.limits.max_timeline_difference, UINT64_MAX);
  ck_assert_uint_eq (plan.limits.subgroup_size, 8);
  /* Every one that there is. */
  ck_assert_uint_eq (plan.target_features, 2 * GABBRO_TARGET_DEVICE_CLOCK - 1);
}
END_TEST

START_TEST (test_h200)
{
  make ("nvidia-h200");
  ck_assert_str_eq (plan.unusable, "");
  ck_assert_str_eq (snapshot.name, "NVIDIA H200");
  ck_assert_uint_eq (snapshot.pci_device, 6);
  ck_assert_uint_eq (snapshot.properties11.deviceUUID[0], 0x6e);
  /* The main family, the family for computing beside it, the one that copies; no decoder. */
  ck_assert_uint_eq (plan.n_queues, 3);
  ck_assert_uint_eq (plan.queues[0].family, 0);
  ck_assert_uint_eq (plan.queues[1].family, 2);
  ck_assert_uint_eq (plan.queues[1].flags, GABBRO_QUEUE_COMPUTE | GABBRO_QUEUE_TRANSFER | GABBRO_QUEUE_SPARSE);
  ck_assert_uint_eq (plan.queues[2].family, 1);
  ck_assert_uint_eq (plan.queues[2].flags, GABBRO_QUEUE_TRANSFER | GABBRO_QUEUE_SPARSE);
  ck_assert_uint_eq (plan.n_families, 3);
  /* Device memory that is mapped and in the main heap, then the same unmapped; never the host's first. */
  ck_assert_uint_eq (plan.memory.main_heap, 0);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_DEVICE][0], 4);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_DEVICE][1], 1);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_UPLOAD][0], 2);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_READBACK][0], 3);
  ck_assert (!plan.memory.map[1] && !plan.memory.cached[4]);
  ck_assert_uint_eq (plan.limits.max_storage_buffer_range, 0xffffffff);
  ck_assert_uint_eq (plan.limits.max_shared_memory, 49152);
  ck_assert_uint_eq (plan.limits.subgroup_size, 32);
  /* It has the first extension for float atomics and not the second. */
  ck_assert_uint_eq (plan.target_features & subgroup_targets, subgroup_targets);
  ck_assert_uint_ne (plan.target_features & GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_ADD, 0);
  ck_assert_uint_eq (plan.target_features & GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX, 0);
}
END_TEST

START_TEST (test_request)
{
  struct vulkan_device_request request;
  const VkPhysicalDeviceVulkan12Features *features12;

  make ("nvidia-h200");
  vulkan_plan_request (&plan, &request);
  ck_assert_uint_eq (request.info.queueCreateInfoCount, 3);
  for (uint32_t i = 0; i < 3; i++)
    {
      ck_assert_uint_eq (request.queues[i].queueFamilyIndex, plan.families[i]);
      ck_assert_uint_eq (request.queues[i].queueCount, 1);
      ck_assert (request.queues[i].pQueuePriorities[0] > 0.0f);
    }
  ck_assert_ptr_eq (request.info.pNext, &request.features10);
  ck_assert_ptr_eq (request.features10.pNext, &request.features11);
  features12 = request.features11.pNext;
  ck_assert_uint_eq (features12->timelineSemaphore, VK_TRUE);
  ck_assert_uint_eq (request.features13.synchronization2, VK_TRUE);
  ck_assert_ptr_eq (request.features13.pNext, &request.atomic_float);
  ck_assert_ptr_eq (request.atomic_float.pNext, &request.shader_clock);
  ck_assert_ptr_null (request.shader_clock.pNext);
  ck_assert_uint_eq (request.shader_clock.shaderDeviceClock, VK_TRUE);
  ck_assert_uint_eq (request.shader_clock.shaderSubgroupClock, VK_FALSE);
  ck_assert_uint_eq (request.atomic_float.shaderBufferFloat32AtomicAdd, VK_TRUE);
  ck_assert_uint_eq (request.atomic_float.shaderBufferFloat64AtomicAdd, VK_FALSE);
  /* Bit by bit: what is supported but not wanted stays off. */
  ck_assert_uint_eq (request.features10.features.shaderInt64, VK_TRUE);
  ck_assert_uint_eq (request.features11.storageBuffer16BitAccess, VK_TRUE);
  ck_assert_uint_eq (features12->shaderInt8, VK_TRUE);
  ck_assert_uint_eq (snapshot.features11.uniformAndStorageBuffer16BitAccess, VK_TRUE);
  ck_assert_uint_eq (request.features11.uniformAndStorageBuffer16BitAccess, VK_FALSE);
  ck_assert_uint_eq (request.features10.features.robustBufferAccess, VK_FALSE);
  ck_assert_uint_eq (features12->bufferDeviceAddress, VK_FALSE);
  ck_assert_uint_eq (request.features10.features.shaderStorageImageReadWithoutFormat, VK_TRUE);
  ck_assert_uint_eq (request.info.enabledExtensionCount, 3);
  ck_assert_str_eq (request.info.ppEnabledExtensionNames[0], "VK_EXT_memory_budget");
  ck_assert_str_eq (request.info.ppEnabledExtensionNames[1], "VK_EXT_shader_atomic_float");
  ck_assert_str_eq (request.info.ppEnabledExtensionNames[2], "VK_KHR_shader_clock");
}
END_TEST

/* What is there for kernels goes with its extension, and by a mask. */
START_TEST (test_targets)
{
  const uint64_t shared = GABBRO_TARGET_SHARED_FLOAT32_ATOMICS | GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_ADD
                          | GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX;
  static const struct
  {
    const char *mask;
    uint64_t lost;
    unsigned n_extensions;
  } table[] = {
    { "-shaderSharedFloat32AtomicAdd", GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_ADD, 4 },
    { "-VK_EXT_shader_atomic_float2", GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX, 3 },
    { "-VK_EXT_shader_atomic_float",
      GABBRO_TARGET_SHARED_FLOAT32_ATOMICS | GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_ADD | GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX, 2 },
    { "-shaderBufferFloat32AtomicMinMax,-shaderSharedFloat32AtomicMinMax", GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX, 3 },
    { "subgroupSupportedOperations=0x3", GABBRO_TARGET_SUBGROUP_ARITHMETIC | GABBRO_TARGET_SUBGROUP_BALLOT | GABBRO_TARGET_SUBGROUP_SHUFFLE, 4 },
    { "-VK_KHR_shader_clock", 0, 3 },
  };
  GError *error = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (table); i++)
    {
      recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
      ck_assert (vulkan_mask_apply (table[i].mask, &snapshot, &error));
      vulkan_plan_make (&snapshot, NULL, &plan);
      ck_assert_msg ((plan.target_features & (shared | subgroup_targets)) == ((shared | subgroup_targets) & ~table[i].lost), "%s",
                     table[i].mask);
      ck_assert_uint_eq (plan.n_extensions, table[i].n_extensions);
    }
  ck_assert (!vulkan_mask_apply ("subgroupSupportedOperations=0x1ff", &snapshot, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "is looser than the device"));
  g_clear_error (&error);
  recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
  snapshot.properties11.subgroupSupportedStages = VK_SHADER_STAGE_FRAGMENT_BIT;
  vulkan_plan_make (&snapshot, NULL, &plan);
  ck_assert_uint_eq (plan.target_features & subgroup_targets, 0);
}
END_TEST

/* Each feature by itself: gone from the device, gone from the plan. */
START_TEST (test_each_feature)
{
  recorded_snapshot ("nvidia-h200", &snapshot);
  for (unsigned i = 0; i < vulkan_n_fields; i++)
    {
      const struct vulkan_field *field = &vulkan_fields[i];
      uint64_t value = vulkan_field_get (field, &snapshot, 0);
      if (field->want == VULKAN_WANT_REPORT)
        continue;
      vulkan_field_set (field, &snapshot, 0, 0);
      remake ();
      if (field->want == VULKAN_WANT_REQUIRE)
        ck_assert_msg (strstr (plan.unusable, field->name) != NULL, "%s: “%s”", field->name, plan.unusable);
      else
        ck_assert_str_eq (plan.unusable, "");
      vulkan_field_set (field, &snapshot, 0, value);
    }
  snapshot.features10.shaderStorageImageReadWithoutFormat = VK_FALSE;
  remake ();
  ck_assert_uint_eq (plan.features10.shaderStorageImageReadWithoutFormat, VK_FALSE);
  ck_assert_uint_eq (plan.target_features & GABBRO_TARGET_STORAGE_IMAGE_READ_WITHOUT_FORMAT, 0);
  ck_assert_uint_ne (plan.target_features & GABBRO_TARGET_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT, 0);
  snapshot.properties12.shaderRoundingModeRTEFloat32 = VK_FALSE;
  remake ();
  ck_assert_uint_eq (plan.target_features & GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT32, 0);
}
END_TEST

/* Widths are six device bits and more, each by itself. */
START_TEST (test_each_width)
{
  static const struct { const char *name; uint64_t feature; } rows[] = {
    { "shaderInt8", GABBRO_TARGET_INT8 }, { "shaderInt16", GABBRO_TARGET_INT16 }, { "shaderInt64", GABBRO_TARGET_INT64 },
    { "shaderFloat16", GABBRO_TARGET_FLOAT16 }, { "shaderFloat64", GABBRO_TARGET_FLOAT64 },
    { "storageBuffer8BitAccess", GABBRO_TARGET_STORAGE_BUFFER_8 },
    { "storageBuffer16BitAccess", GABBRO_TARGET_STORAGE_BUFFER_16 },
    { "shaderSignedZeroInfNanPreserveFloat16", GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16 },
    { "shaderSignedZeroInfNanPreserveFloat64", GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64 },
    { "shaderRoundingModeRTEFloat16", GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT16 },
    { "shaderRoundingModeRTEFloat64", GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT64 },
    { "shaderBufferInt64Atomics", GABBRO_TARGET_BUFFER_INT64_ATOMICS },
    { "shaderSharedInt64Atomics", GABBRO_TARGET_SHARED_INT64_ATOMICS },
    { "shaderSubgroupExtendedTypes", GABBRO_TARGET_SUBGROUP_EXTENDED_TYPES },
    { "shaderDeviceClock", GABBRO_TARGET_DEVICE_CLOCK },
  };
  uint64_t all;

  recorded_snapshot ("nvidia-h200", &snapshot);
  remake ();
  all = plan.target_features;
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char *mask = g_strdup_printf ("-%s", rows[i].name);

      ck_assert_msg ((all & rows[i].feature) != 0, "%s", rows[i].name);
      recorded_snapshot ("nvidia-h200", &snapshot);
      ck_assert (vulkan_mask_apply (mask, &snapshot, NULL));
      remake ();
      ck_assert_msg (plan.target_features == (all & ~rows[i].feature), "%s", rows[i].name);
      g_free (mask);
    }
}
END_TEST

START_TEST (test_all_reasons)
{
  recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
  snapshot.api_version = VK_API_VERSION_1_1;
  snapshot.features12.timelineSemaphore = VK_FALSE;
  snapshot.features13.synchronization2 = VK_FALSE;
  snapshot.families[0].flags = VK_QUEUE_TRANSFER_BIT;
  snapshot.memory.memoryTypeCount = 0;
  remake ();
  ck_assert_ptr_nonnull (strstr (plan.unusable, "Vulkan 1.3 is needed, the device has 1.1"));
  ck_assert_ptr_nonnull (strstr (plan.unusable, "timelineSemaphore"));
  ck_assert_ptr_nonnull (strstr (plan.unusable, "synchronization2"));
  ck_assert_ptr_nonnull (strstr (plan.unusable, "no queue that computes"));
  ck_assert_ptr_nonnull (strstr (plan.unusable, "no memory"));
}
END_TEST

START_TEST (test_nothing)
{
  vulkan_snapshot_init (&snapshot);
  remake ();
  ck_assert_str_ne (plan.unusable, "");
  ck_assert_uint_eq (plan.n_queues, 0);
}
END_TEST

START_TEST (test_queues)
{
  struct vulkan_plan_options options = { .max_queues = 2 };

  /* One family of several: two of it. */
  recorded_snapshot ("nvidia-h200", &snapshot);
  snapshot.n_families = 1;
  remake ();
  ck_assert_uint_eq (plan.n_queues, 2);
  ck_assert_uint_eq (plan.n_families, 1);
  ck_assert_uint_eq (plan.family_queues[0], 2);
  ck_assert_uint_eq (plan.queues[1].index, 1);
  /* No graphics anywhere, as on a card for computing alone. */
  recorded_snapshot ("nvidia-h200", &snapshot);
  snapshot.families[0].flags = VK_QUEUE_TRANSFER_BIT;
  remake ();
  ck_assert_uint_eq (plan.queues[0].family, 2);
  ck_assert_uint_eq (plan.queues[1].family, 2);
  ck_assert_uint_eq (plan.queues[2].family, 0);
  /* A family that computes need not say that it copies. */
  recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
  snapshot.families[0].flags = VK_QUEUE_COMPUTE_BIT;
  remake ();
  ck_assert_str_eq (plan.unusable, "");
  ck_assert_uint_eq (plan.queues[0].flags, GABBRO_QUEUE_COMPUTE | GABBRO_QUEUE_TRANSFER);
  /* The main family is not the first. */
  recorded_snapshot ("nvidia-h200", &snapshot);
  {
    struct vulkan_queue_family first = snapshot.families[0];
    snapshot.families[0] = snapshot.families[1];
    snapshot.families[1] = first;
  }
  remake ();
  ck_assert_uint_eq (plan.queues[0].family, 1);
  ck_assert_uint_eq (plan.queues[2].family, 0);
  vulkan_plan_make (&snapshot, &options, &plan);
  ck_assert_uint_eq (plan.n_queues, 2);
  snapshot.max_queues = 1;
  remake ();
  ck_assert_uint_eq (plan.n_queues, 1);
  ck_assert_uint_eq (plan.n_families, 1);
  /* A family with no queue in it. */
  snapshot.max_queues = UINT32_MAX;
  snapshot.families[1].count = 0;
  remake ();
  ck_assert_uint_eq (plan.queues[0].family, 2);
}
END_TEST

/* A discrete card whose window into device memory is small (T10). */
static void
discrete_with_window (void)
{
  VkPhysicalDeviceMemoryProperties *memory = &snapshot.memory;
  const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

  recorded_snapshot ("nvidia-h200", &snapshot);
  memset (memory, 0, sizeof *memory);
  memory->memoryHeapCount = 3;
  memory->memoryHeaps[0] = (VkMemoryHeap) { 256 * MIB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT };
  memory->memoryHeaps[1] = (VkMemoryHeap) { 32 * GIB, 0 };
  memory->memoryHeaps[2] = (VkMemoryHeap) { 8 * GIB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT };
  memory->memoryTypeCount = 5;
  memory->memoryTypes[0] = (VkMemoryType) { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | visible, 0 };
  memory->memoryTypes[1] = (VkMemoryType) { visible, 1 };
  memory->memoryTypes[2] = (VkMemoryType) { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 2 };
  memory->memoryTypes[3] = (VkMemoryType) { visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1 };
  /* One that wants flushes, or worse. */
  memory->memoryTypes[4] = (VkMemoryType) { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | visible | 0x40, 2 };
}

START_TEST (test_small_window)
{
  discrete_with_window ();
  remake ();
  ck_assert_uint_eq (plan.memory.main_heap, 2);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_DEVICE][0], 2);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_DEVICE][1], 0);
  ck_assert_uint_eq (plan.memory.n_order[GABBRO_MEMORY_DEVICE], 4);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_UPLOAD][0], 1);
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_READBACK][0], 3);
  ck_assert_uint_eq (plan.limits.max_buffer_size, 8 * GIB);
  /* Small heaps have small blocks. */
  ck_assert_uint_eq (plan.memory.largest_block[0], 32 * MIB);
  ck_assert_uint_eq (plan.memory.first_block[0], 8 * MIB);
  ck_assert_uint_eq (plan.memory.largest_block[2], 64 * MIB);
}
END_TEST

START_TEST (test_no_mapped_device_memory)
{
  discrete_with_window ();
  snapshot.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  remake ();
  ck_assert_str_eq (plan.unusable, "");
  ck_assert (!plan.memory.map[plan.memory.order[GABBRO_MEMORY_DEVICE][0]]);
  /* No cached memory: read back through what there is. */
  snapshot.memory.memoryTypes[3].propertyFlags = 0;
  remake ();
  ck_assert_uint_eq (plan.memory.order[GABBRO_MEMORY_READBACK][0], 1);
  /* Nothing that can be mapped coherently. */
  snapshot.memory.memoryTypes[1].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  remake ();
  ck_assert_ptr_nonnull (strstr (plan.unusable, "map"));
}
END_TEST

START_TEST (test_heap_smaller_than_limits)
{
  recorded_snapshot ("nvidia-h200", &snapshot);
  snapshot.memory.memoryHeaps[0].size = 3 * GIB;
  remake ();
  ck_assert_uint_eq (plan.limits.max_allocation_size, 3 * GIB);
  ck_assert_uint_eq (plan.limits.max_buffer_size, 3 * GIB);
  /* A device that does not tell. */
  snapshot.properties13.maxBufferSize = 0;
  snapshot.properties11.maxMemoryAllocationSize = 0;
  remake ();
  ck_assert_uint_eq (plan.limits.max_buffer_size, 3 * GIB);
  ck_assert_uint_eq (plan.limits.max_allocation_size, 3 * GIB);
}
END_TEST

START_TEST (test_masks_reach_the_plan)
{
  GError *error = NULL;

  recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
  ck_assert (vulkan_mask_apply ("maxComputeWorkGroupCount=100:200:300, maxComputeWorkGroupInvocations=64,"
                                "maxComputeWorkGroupSize=32,minStorageBufferOffsetAlignment=256,"
                                "maxStorageBufferRange=0x10000,maxTimelineSemaphoreValueDifference=100,"
                                "maxPushConstantsSize=128,maxImageDimension2D=4096,maxComputeSharedMemorySize=16384,"
                                "maxPerStageDescriptorStorageBuffers=4,maxPerStageDescriptorStorageImages=3,"
                                "maxPerStageDescriptorSampledImages=2,maxPerStageResources=5,maxBufferSize=1000000,"
                                "maxMemoryAllocationSize=500000,-VK_EXT_memory_budget,-mappableDeviceMemory,"
                                "-shaderSignedZeroInfNanPreserveFloat32",
                                &snapshot, &error));
  remake ();
  ck_assert_str_eq (plan.unusable, "");
  ck_assert_uint_eq (plan.limits.max_group_count[0], 100);
  ck_assert_uint_eq (plan.limits.max_group_count[1], 200);
  ck_assert_uint_eq (plan.limits.max_group_count[2], 300);
  ck_assert_uint_eq (plan.limits.max_group_size[2], 32);
  ck_assert_uint_eq (plan.limits.max_group_invocations, 64);
  ck_assert_uint_eq (plan.limits.storage_buffer_offset_alignment, 256);
  ck_assert_uint_eq (plan.limits.max_storage_buffer_range, 0x10000);
  ck_assert_uint_eq (plan.limits.max_timeline_difference, 100);
  ck_assert_uint_eq (plan.limits.max_push_constants, 128);
  ck_assert_uint_eq (plan.limits.max_image_2d, 4096);
  ck_assert_uint_eq (plan.limits.max_shared_memory, 16384);
  ck_assert_uint_eq (plan.limits.max_storage_buffers, 4);
  ck_assert_uint_eq (plan.limits.max_storage_images, 3);
  ck_assert_uint_eq (plan.limits.max_sampled_images, 2);
  ck_assert_uint_eq (plan.limits.max_resources, 5);
  ck_assert_uint_eq (plan.limits.max_buffer_size, 1000000);
  ck_assert_uint_eq (plan.limits.max_allocation_size, 500000);
  ck_assert (!plan.memory_budget && plan.n_extensions == 3);
  ck_assert (!plan.memory.map_device);
  ck_assert_uint_eq (plan.target_features & GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32, 0);
}
END_TEST

/* What can be done with a format, from what the device says of it. */
START_TEST (test_formats)
{
  const VkFormatFeatureFlags2 copies = VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
  const VkFormatFeatureFlags2 reads = VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT;
  const VkFormatFeatureFlags2 storage = VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT;
  const VkImageFormatProperties some = { .maxExtent = { 40000, 300, 20 }, .maxMipLevels = 5, .maxResourceSize = 12345 };
  struct vulkan_format *format;
  const struct gabbro_format_support *support = plan.formats[GB_TEXEL_R16_UINT];

  make ("llvmpipe-25.0.7");
  format = &snapshot.formats[GB_TEXEL_R16_UINT];
  ck_assert_uint_eq (support[0].uses, 0);
  /* Kernels could use it, and nobody could bring it there. */
  *format = (struct vulkan_format) { VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT, { some, some } };
  remake ();
  ck_assert_uint_eq (support[0].uses, 0);
  format->features |= copies;
  format->images[1].maxMipLevels = 0;
  remake ();
  ck_assert_uint_eq (support[0].uses, GABBRO_FORMAT_CAN_COPY | GABBRO_FORMAT_CAN_READ);
  ck_assert_uint_eq (support[0].max_size[0], 16384);
  ck_assert_uint_eq (support[0].max_size[1], 300);
  ck_assert_uint_eq (support[0].max_size[2], 1);
  ck_assert_uint_eq (support[0].max_levels, 5);
  ck_assert_uint_eq (support[0].max_bytes, 12345);
  ck_assert_uint_eq (support[1].uses, 0);
  ck_assert_uint_eq (plan.image_usage[GB_TEXEL_R16_UINT] & VK_IMAGE_USAGE_STORAGE_BIT, 0);
  /* A storage image whose format kernels would have to name. */
  *format = (struct vulkan_format) { copies | storage, { some, some } };
  remake ();
  ck_assert_uint_eq (support[1].uses, GABBRO_FORMAT_CAN_COPY);
  ck_assert_uint_eq (support[1].max_size[2], 20);
  ck_assert_uint_ne (plan.image_usage[GB_TEXEL_R16_UINT] & VK_IMAGE_USAGE_STORAGE_BIT, 0);
  ck_assert_uint_eq (plan.image_usage[GB_TEXEL_R16_UINT] & VK_IMAGE_USAGE_SAMPLED_BIT, 0);
  format->features |= reads;
  remake ();
  ck_assert_uint_eq (support[1].uses, GABBRO_FORMAT_CAN_COPY | GABBRO_FORMAT_CAN_STORAGE_READ);

  /* Compressed ones go with a feature. */
  snapshot.formats[GB_TEXEL_BC5_UNORM] = (struct vulkan_format) { copies | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT, { some } };
  remake ();
  ck_assert_uint_eq (plan.formats[GB_TEXEL_BC5_UNORM][0].uses, GABBRO_FORMAT_CAN_COPY | GABBRO_FORMAT_CAN_READ);
  ck_assert_uint_ne (plan.features10.textureCompressionBC, 0);
  snapshot.features10.textureCompressionBC = VK_FALSE;
  remake ();
  ck_assert_uint_eq (plan.formats[GB_TEXEL_BC5_UNORM][0].uses, 0);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("plan");
  TCase *test_case = gb_test_case (suite, "plan");

  tcase_add_test (test_case, test_llvmpipe);
  tcase_add_test (test_case, test_h200);
  tcase_add_test (test_case, test_request);
  tcase_add_test (test_case, test_targets);
  tcase_add_test (test_case, test_each_feature);
  tcase_add_test (test_case, test_each_width);
  tcase_add_test (test_case, test_all_reasons);
  tcase_add_test (test_case, test_nothing);
  tcase_add_test (test_case, test_queues);
  tcase_add_test (test_case, test_small_window);
  tcase_add_test (test_case, test_no_mapped_device_memory);
  tcase_add_test (test_case, test_heap_smaller_than_limits);
  tcase_add_test (test_case, test_masks_reach_the_plan);
  tcase_add_test (test_case, test_formats);
  return suite;
}

GB_TEST_MAIN (make_suite)
