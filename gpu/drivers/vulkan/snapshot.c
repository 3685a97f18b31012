/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/snapshot.h"

#include <stddef.h>
#include <string.h>

/* The macros are not in every supported version of the headers. */
const char *const vulkan_extension_names[VULKAN_N_EXTENSIONS] = {
  [VULKAN_EXTENSION_MEMORY_BUDGET] = "VK_EXT_memory_budget",
  [VULKAN_EXTENSION_PCI_BUS_INFO] = "VK_EXT_pci_bus_info",
  [VULKAN_EXTENSION_PHYSICAL_DEVICE_DRM] = "VK_EXT_physical_device_drm",
  [VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT] = "VK_EXT_shader_atomic_float",
  [VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT_2] = "VK_EXT_shader_atomic_float2",
  [VULKAN_EXTENSION_SHADER_CLOCK] = "VK_KHR_shader_clock",
};

const VkFormat vulkan_formats[GB_N_TEXEL_FORMATS] = {
#define GB_TEXEL(NAME, name, block, side, n, component, vulkan) [GB_TEXEL_##NAME] = VK_FORMAT_##vulkan,
#include "lib/texel.def"
#undef GB_TEXEL
};

#define VULKAN_LIMIT(part_, member, kind_, order_, attribute, unit, description)                      \
  { .name = #member, .part = #part_, .offset = offsetof (struct vulkan_snapshot, part_.member),       \
    .kind = VULKAN_KIND_##kind_, .order = VULKAN_ORDER_##order_ },
#define VULKAN_FLOAT_CONTROL(part_, member, attribute, description)                                   \
  { .name = #member, .part = #part_, .offset = offsetof (struct vulkan_snapshot, part_.member),       \
    .kind = VULKAN_KIND_BOOL, .order = VULKAN_ORDER_FEATURE },
#define VULKAN_FEATURE(part_, member, want_, attribute, description)                                  \
  { .name = #member, .part = #part_, .offset = offsetof (struct vulkan_snapshot, part_.member),       \
    .kind = VULKAN_KIND_BOOL, .order = VULKAN_ORDER_FEATURE, .want = VULKAN_WANT_##want_ },

const struct vulkan_field vulkan_fields[] = {
#include "gpu/drivers/vulkan/limits.def"
#include "gpu/drivers/vulkan/float-controls.def"
#include "gpu/drivers/vulkan/features.def"
};

const unsigned vulkan_n_fields = G_N_ELEMENTS (vulkan_fields);

enum vulkan_extension
vulkan_part_extension (const char *part)
{
  if (strcmp (part, "atomic_float") == 0)
    return VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT;
  if (strcmp (part, "atomic_float2") == 0)
    return VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT_2;
  if (strcmp (part, "shader_clock") == 0)
    return VULKAN_EXTENSION_SHADER_CLOCK;
  return VULKAN_N_EXTENSIONS;
}

const struct vulkan_field *
vulkan_field_find (const char *part, const char *name)
{
  for (unsigned i = 0; i < vulkan_n_fields; i++)
    if (strcmp (vulkan_fields[i].name, name) == 0 && (part == NULL || strcmp (vulkan_fields[i].part, part) == 0))
      return &vulkan_fields[i];
  return NULL;
}

uint64_t
vulkan_field_get (const struct vulkan_field *field, const struct vulkan_snapshot *snapshot, unsigned axis)
{
  const void *at = (const char *) snapshot + field->offset;

  switch (field->kind)
    {
    case VULKAN_KIND_U32:
      return *(const uint32_t *) at;
    case VULKAN_KIND_U64:
      return *(const uint64_t *) at;
    case VULKAN_KIND_SIZE:
      return *(const size_t *) at;
    case VULKAN_KIND_U32X3:
      return ((const uint32_t *) at)[axis];
    case VULKAN_KIND_FLOAT:
      return (uint64_t) *(const float *) at;
    case VULKAN_KIND_BOOL:
      return *(const VkBool32 *) at != VK_FALSE;
    }
  return 0;
}

void
vulkan_field_set (const struct vulkan_field *field, struct vulkan_snapshot *snapshot, unsigned axis, uint64_t value)
{
  void *at = (char *) snapshot + field->offset;

  switch (field->kind)
    {
    case VULKAN_KIND_U32:
      *(uint32_t *) at = (uint32_t) MIN (value, UINT32_MAX);
      break;
    case VULKAN_KIND_U64:
      *(uint64_t *) at = value;
      break;
    case VULKAN_KIND_SIZE:
      *(size_t *) at = (size_t) value;
      break;
    case VULKAN_KIND_U32X3:
      ((uint32_t *) at)[axis] = (uint32_t) MIN (value, UINT32_MAX);
      break;
    case VULKAN_KIND_FLOAT:
      *(float *) at = (float) value;
      break;
    case VULKAN_KIND_BOOL:
      *(VkBool32 *) at = value != 0 ? VK_TRUE : VK_FALSE;
      break;
    }
}

void
vulkan_snapshot_init (struct vulkan_snapshot *snapshot)
{
  memset (snapshot, 0, sizeof *snapshot);
  snapshot->properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  snapshot->properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  snapshot->properties13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  snapshot->features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  snapshot->features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  snapshot->features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  snapshot->atomic_float.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
  snapshot->atomic_float2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT;
  snapshot->shader_clock.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
  snapshot->max_queues = UINT32_MAX;
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static bool
fill_extensions (struct vulkan_snapshot *snapshot, const struct vulkan_instance_table *vk, VkPhysicalDevice device,
                 char ***names)
{
  VkExtensionProperties *properties = NULL;
  uint32_t n = 0;
  VkResult result;

  do
    {
      g_free (properties);
      properties = NULL;
      result = vk->EnumerateDeviceExtensionProperties (device, NULL, &n, NULL);
      if (result == VK_SUCCESS)
        {
          properties = g_new0 (VkExtensionProperties, n);
          result = vk->EnumerateDeviceExtensionProperties (device, NULL, &n, properties);
        }
    }
  while (result == VK_INCOMPLETE);
  if (result != VK_SUCCESS)
    {
      g_free (properties);
      return false;
    }

  for (uint32_t i = 0; i < n; i++)
    for (unsigned j = 0; j < VULKAN_N_EXTENSIONS; j++)
      if (strcmp (properties[i].extensionName, vulkan_extension_names[j]) == 0)
        snapshot->extensions[j] = true;
  if (names != NULL)
    {
      *names = g_new0 (char *, n + 1);
      for (uint32_t i = 0; i < n; i++)
        (*names)[i] = g_strdup (properties[i].extensionName);
      qsort (*names, n, sizeof **names, compare_names);
    }
  g_free (properties);
  return true;
}

static void
chain (VkBaseOutStructure **last, void *next)
{
  (*last)->pNext = next;
  *last = next;
}

static void
fill_properties (struct vulkan_snapshot *snapshot, const struct vulkan_instance_table *vk, VkPhysicalDevice device)
{
  VkPhysicalDeviceProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT };
  VkPhysicalDeviceDrmPropertiesEXT drm = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT };
  VkBaseOutStructure *last = (VkBaseOutStructure *) &properties;

  /* A structure of a later version than the device's would be ignored, or not. */
  if (snapshot->api_version >= VK_API_VERSION_1_2)
    {
      chain (&last, &snapshot->properties11);
      chain (&last, &snapshot->properties12);
    }
  if (snapshot->api_version >= VK_API_VERSION_1_3)
    chain (&last, &snapshot->properties13);
  if (snapshot->extensions[VULKAN_EXTENSION_PCI_BUS_INFO])
    chain (&last, &pci);
  if (snapshot->extensions[VULKAN_EXTENSION_PHYSICAL_DEVICE_DRM])
    chain (&last, &drm);
  vk->GetPhysicalDeviceProperties2 (device, &properties);

  snapshot->limits = properties.properties.limits;
  snapshot->properties11.pNext = NULL;
  snapshot->properties12.pNext = NULL;
  snapshot->properties13.pNext = NULL;
  snapshot->has_pci = snapshot->extensions[VULKAN_EXTENSION_PCI_BUS_INFO];
  snapshot->pci_domain = pci.pciDomain;
  snapshot->pci_bus = pci.pciBus;
  snapshot->pci_device = pci.pciDevice;
  snapshot->pci_function = pci.pciFunction;
  snapshot->drm_primary = (struct vulkan_drm_node) { drm.hasPrimary, drm.primaryMajor, drm.primaryMinor };
  snapshot->drm_render = (struct vulkan_drm_node) { drm.hasRender, drm.renderMajor, drm.renderMinor };
}

static void
fill_features (struct vulkan_snapshot *snapshot, const struct vulkan_instance_table *vk, VkPhysicalDevice device)
{
  VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
  VkBaseOutStructure *last = (VkBaseOutStructure *) &features;

  if (snapshot->api_version >= VK_API_VERSION_1_2)
    {
      chain (&last, &snapshot->features11);
      chain (&last, &snapshot->features12);
    }
  if (snapshot->api_version >= VK_API_VERSION_1_3)
    chain (&last, &snapshot->features13);
  if (snapshot->extensions[VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT])
    chain (&last, &snapshot->atomic_float);
  if (snapshot->extensions[VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT_2])
    chain (&last, &snapshot->atomic_float2);
  if (snapshot->extensions[VULKAN_EXTENSION_SHADER_CLOCK])
    chain (&last, &snapshot->shader_clock);
  vk->GetPhysicalDeviceFeatures2 (device, &features);
  snapshot->features10 = features.features;
  snapshot->features11.pNext = NULL;
  snapshot->features12.pNext = NULL;
  snapshot->features13.pNext = NULL;
  snapshot->atomic_float.pNext = NULL;
  snapshot->atomic_float2.pNext = NULL;
  snapshot->shader_clock.pNext = NULL;
}

static void
fill_queue_families (struct vulkan_snapshot *snapshot, const struct vulkan_instance_table *vk, VkPhysicalDevice device)
{
  VkQueueFamilyProperties2 properties[VULKAN_MAX_QUEUE_FAMILIES];
  uint32_t n = VULKAN_MAX_QUEUE_FAMILIES;

  for (uint32_t i = 0; i < VULKAN_MAX_QUEUE_FAMILIES; i++)
    properties[i] = (VkQueueFamilyProperties2) { .sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2 };
  vk->GetPhysicalDeviceQueueFamilyProperties2 (device, &n, properties);
  snapshot->n_families = n;
  for (uint32_t i = 0; i < n; i++)
    {
      snapshot->families[i].flags = properties[i].queueFamilyProperties.queueFlags;
      snapshot->families[i].count = properties[i].queueFamilyProperties.queueCount;
      snapshot->families[i].timestamp_bits = properties[i].queueFamilyProperties.timestampValidBits;
    }
}

VkImageUsageFlags
vulkan_format_usage (VkFormatFeatureFlags2 features)
{
  VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

  if ((features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) != 0)
    usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if ((features & VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT) != 0)
    usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  return usage;
}

static void
fill_format (struct vulkan_format *out, VkFormat format, const struct vulkan_instance_table *vk, VkPhysicalDevice device)
{
  VkFormatProperties3 wide = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 };
  VkFormatProperties2 properties = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &wide };

  vk->GetPhysicalDeviceFormatProperties2 (device, format, &properties);
  out->features = wide.optimalTilingFeatures;
  for (unsigned i = 0; i < 2; i++)
    {
      const VkPhysicalDeviceImageFormatInfo2 info = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                      .format = format,
                                                      .type = i == 0 ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_3D,
                                                      .tiling = VK_IMAGE_TILING_OPTIMAL,
                                                      .usage = vulkan_format_usage (out->features) };
      VkImageFormatProperties2 image = { .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2 };

      if (vk->GetPhysicalDeviceImageFormatProperties2 (device, &info, &image) == VK_SUCCESS)
        out->images[i] = image.imageFormatProperties;
    }
}

bool
vulkan_snapshot_fill (struct vulkan_snapshot *snapshot, const struct vulkan_instance_table *vk, VkPhysicalDevice device,
                      char ***names)
{
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties2 memory = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 };

  vulkan_snapshot_init (snapshot);
  vk->GetPhysicalDeviceProperties (device, &properties);
  snapshot->api_version = properties.apiVersion;
  snapshot->driver_version = properties.driverVersion;
  snapshot->vendor_id = properties.vendorID;
  snapshot->device_id = properties.deviceID;
  snapshot->type = properties.deviceType;
  g_strlcpy (snapshot->name, properties.deviceName, sizeof snapshot->name);
  if (!fill_extensions (snapshot, vk, device, names))
    return false;
  /* Devices of 1.0 have no second forms; their plan says that they are too old. */
  if (properties.apiVersion < VK_API_VERSION_1_1)
    {
      snapshot->limits = properties.limits;
      return true;
    }
  fill_properties (snapshot, vk, device);
  fill_features (snapshot, vk, device);
  fill_queue_families (snapshot, vk, device);
  /* Vulkan says of each format whether kernels need not name it from 1.3 on. */
  for (int i = 0; i < GB_N_TEXEL_FORMATS && snapshot->api_version >= VK_API_VERSION_1_3; i++)
    fill_format (&snapshot->formats[i], vulkan_formats[i], vk, device);
  vk->GetPhysicalDeviceMemoryProperties2 (device, &memory);
  snapshot->memory = memory.memoryProperties;
  return true;
}
