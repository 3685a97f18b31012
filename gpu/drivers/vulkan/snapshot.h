/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that is known of a physical device, as a plain value: it can be copied,
 * edited by a mask, read from a recording, and compared. Nothing behind it asks
 * Vulkan again. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpu/drivers/vulkan/dispatch-table.h"
#include "lib/texel.h"

#define VULKAN_MAX_QUEUE_FAMILIES 16

/* Device extensions that the driver can use. */
enum vulkan_extension
{
  VULKAN_EXTENSION_MEMORY_BUDGET,
  VULKAN_EXTENSION_PCI_BUS_INFO,
  VULKAN_EXTENSION_PHYSICAL_DEVICE_DRM,
  VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT,
  VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT_2,
  VULKAN_EXTENSION_SHADER_CLOCK,
  VULKAN_N_EXTENSIONS
};

extern const char *const vulkan_extension_names[VULKAN_N_EXTENSIONS];

struct vulkan_queue_family
{
  VkQueueFlags flags;
  uint32_t count;
  uint32_t timestamp_bits;
};

struct vulkan_drm_node
{
  bool present;
  int64_t major, minor;
};

/* Images with optimal tiling. */
struct vulkan_format
{
  VkFormatFeatureFlags2 features;
  /* Of two dimensions, and three, with all usage that the features allow. Without levels: there are none. */
  VkImageFormatProperties images[2];
};

struct vulkan_snapshot
{
  uint32_t api_version, driver_version;
  uint32_t vendor_id, device_id;
  VkPhysicalDeviceType type;
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];

  /* pNext is NULL in all of them. */
  VkPhysicalDeviceLimits limits;
  VkPhysicalDeviceVulkan11Properties properties11;
  VkPhysicalDeviceVulkan12Properties properties12;
  VkPhysicalDeviceVulkan13Properties properties13;
  VkPhysicalDeviceFeatures features10;
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
  VkPhysicalDeviceVulkan13Features features13;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
  VkPhysicalDeviceShaderClockFeaturesKHR shader_clock;

  bool has_pci;
  uint32_t pci_domain, pci_bus, pci_device, pci_function;
  struct vulkan_drm_node drm_primary, drm_render;

  struct vulkan_queue_family families[VULKAN_MAX_QUEUE_FAMILIES];
  uint32_t n_families;
  VkPhysicalDeviceMemoryProperties memory;
  bool extensions[VULKAN_N_EXTENSIONS];
  struct vulkan_format formats[GB_N_TEXEL_FORMATS];

  /* Only a mask changes these. */
  uint32_t max_queues;                  /* of a device; UINT32_MAX at first */
  bool hide_mappable;                   /* device memory is not mapped, whatever its type says */
};

extern const VkFormat vulkan_formats[GB_N_TEXEL_FORMATS];

/* What an image is made with. */
VkImageUsageFlags vulkan_format_usage (VkFormatFeatureFlags2 features);

void vulkan_snapshot_init (struct vulkan_snapshot *snapshot);

/* False: the device's list of extensions could not be read. Also fills `names`,
 * when it is not NULL, with a NULL-terminated list of all extensions. */
bool vulkan_snapshot_fill (struct vulkan_snapshot *snapshot, const struct vulkan_instance_table *vk,
                           VkPhysicalDevice device, char ***names);

/* The rows of limits.def and features.def, for everything that goes by name. */

enum vulkan_kind { VULKAN_KIND_U32, VULKAN_KIND_U64, VULKAN_KIND_SIZE, VULKAN_KIND_U32X3, VULKAN_KIND_FLOAT, VULKAN_KIND_BOOL };

/* What a mask may do. */
enum vulkan_order
{
  VULKAN_ORDER_LOWER,
  VULKAN_ORDER_HIGHER_ALIGNMENT,        /* larger powers of two */
  VULKAN_ORDER_FEATURE,                 /* off */
  VULKAN_ORDER_FIXED                    /* nothing */
};

enum vulkan_want { VULKAN_WANT_REPORT, VULKAN_WANT_ENABLE, VULKAN_WANT_REQUIRE };

struct vulkan_field
{
  const char *name;                     /* as the member in Vulkan */
  const char *part;                     /* name of the member of the snapshot */
  size_t offset;                        /* in the snapshot */
  enum vulkan_kind kind;
  enum vulkan_order order;
  enum vulkan_want want;                /* of features */
};

extern const struct vulkan_field vulkan_fields[];
extern const unsigned vulkan_n_fields;

/* The extension that a part of the snapshot comes from; VULKAN_N_EXTENSIONS: Vulkan itself. */
enum vulkan_extension vulkan_part_extension (const char *part);
/* NULL when there is none. `part` may be NULL: any. */
const struct vulkan_field *vulkan_field_find (const char *part, const char *name);
/* `axis` is 0 but for U32X3. */
uint64_t vulkan_field_get (const struct vulkan_field *field, const struct vulkan_snapshot *snapshot, unsigned axis);
void     vulkan_field_set (const struct vulkan_field *field, struct vulkan_snapshot *snapshot, unsigned axis,
                           uint64_t value);
