/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a device will be opened and used, all of it decided before anything is
 * created: a pure function of the snapshot and the options that calls nothing of
 * Vulkan, so that it is tested from recordings. */

#pragma once

#include "gpu/driver-api/gabbro-driver.h"
#include "gpu/drivers/vulkan/snapshot.h"

#define VULKAN_N_MEMORY_USES (GABBRO_MEMORY_READBACK + 1)
#define VULKAN_NO_TYPE       UINT32_MAX

struct vulkan_plan_options
{
  uint32_t max_queues;                  /* 0: as many as are useful */
};

struct vulkan_memory_plan
{
  /* Types by falling preference; the first that a resource allows is taken. */
  uint32_t order[VULKAN_N_MEMORY_USES][VK_MAX_MEMORY_TYPES];
  uint32_t n_order[VULKAN_N_MEMORY_USES];
  uint32_t type_heap[VK_MAX_MEMORY_TYPES];
  bool map[VK_MAX_MEMORY_TYPES];        /* blocks of this type stay mapped, and coherent */
  bool cached[VK_MAX_MEMORY_TYPES];     /* the host reads them fast */
  uint32_t n_types;
  bool map_device;                      /* device buffers tell where they are mapped */
  uint64_t heap_size[VK_MAX_MEMORY_HEAPS];
  uint32_t n_heaps;
  uint32_t main_heap;                   /* the largest that is local to the device */
  /* Resources of more than half a largest block get an allocation of their own. */
  uint64_t first_block[VK_MAX_MEMORY_HEAPS], largest_block[VK_MAX_MEMORY_HEAPS];
};

struct vulkan_plan
{
  char unusable[512];                   /* why the device cannot be opened, or empty */

  /* Each bit was asked for by a row of features.def and is supported. */
  VkPhysicalDeviceFeatures features10;
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
  VkPhysicalDeviceVulkan13Features features13;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
  VkPhysicalDeviceShaderClockFeaturesKHR shader_clock;
  const char *extensions[VULKAN_N_EXTENSIONS];
  uint32_t n_extensions;
  bool memory_budget;
  bool uses[VULKAN_N_EXTENSIONS];       /* features of these are on */

  struct gabbro_queue_info queues[GABBRO_MAX_QUEUES];
  uint32_t n_queues;
  uint32_t families[GABBRO_MAX_QUEUES]; /* of the queues, each once */
  uint32_t family_queues[GABBRO_MAX_QUEUES];
  uint32_t n_families;

  struct vulkan_memory_plan memory;
  struct gabbro_limits limits;
  struct gabbro_format_support formats[GB_N_TEXEL_FORMATS][2];
  VkImageUsageFlags image_usage[GB_N_TEXEL_FORMATS];
  uint64_t target_features;
};

void vulkan_plan_make (const struct vulkan_snapshot *snapshot, const struct vulkan_plan_options *options,
                       struct vulkan_plan *plan);

/* The plan in the form that vkCreateDevice takes; points into itself and into the
 * plan. */
struct vulkan_device_request
{
  VkDeviceCreateInfo info;
  VkPhysicalDeviceFeatures2 features10;
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
  VkPhysicalDeviceVulkan13Features features13;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
  VkPhysicalDeviceShaderClockFeaturesKHR shader_clock;
  VkDeviceQueueCreateInfo queues[GABBRO_MAX_QUEUES];
  float priorities[GABBRO_MAX_QUEUES];
};

void vulkan_plan_request (const struct vulkan_plan *plan, struct vulkan_device_request *request);
