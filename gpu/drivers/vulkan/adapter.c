/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/adapter.h"

#include "gpu/drivers/vulkan/mask.h"

static enum gabbro_adapter_type
adapter_type (VkPhysicalDeviceType type)
{
  switch (type)
    {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return GABBRO_ADAPTER_TYPE_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return GABBRO_ADAPTER_TYPE_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return GABBRO_ADAPTER_TYPE_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return GABBRO_ADAPTER_TYPE_CPU;
    default:
      return GABBRO_ADAPTER_TYPE_OTHER;
    }
}

static void
fill_info (struct vulkan_adapter *adapter)
{
  const struct vulkan_snapshot *snapshot = &adapter->snapshot;
  struct gabbro_adapter_info *info = &adapter->base.info;

  g_strlcpy (info->name, snapshot->name, sizeof info->name);
  g_strlcpy (info->driver_name, snapshot->properties12.driverName, sizeof info->driver_name);
  g_strlcpy (info->driver_info, snapshot->properties12.driverInfo, sizeof info->driver_info);
  info->type = adapter_type (snapshot->type);
  info->vendor_id = snapshot->vendor_id;
  info->device_id = snapshot->device_id;
  info->api_version = snapshot->api_version;
  memcpy (info->device_uuid, snapshot->properties11.deviceUUID, sizeof info->device_uuid);
  memcpy (info->driver_uuid, snapshot->properties11.driverUUID, sizeof info->driver_uuid);
  info->has_pci = snapshot->has_pci;
  info->pci_domain = snapshot->pci_domain;
  info->pci_bus = snapshot->pci_bus;
  info->pci_device = snapshot->pci_device;
  info->pci_function = snapshot->pci_function;
  if (snapshot->memory.memoryHeapCount > 0)
    info->device_memory = snapshot->memory.memoryHeaps[adapter->plan.memory.main_heap].size;
}

struct vulkan_adapter *
vulkan_adapter_new (const struct vulkan_connection *connection, VkPhysicalDevice physical, const char *mask)
{
  struct vulkan_adapter *adapter = g_new0 (struct vulkan_adapter, 1);
  GError *error = NULL;

  adapter->connection = connection;
  adapter->physical = physical;
  adapter->mask = g_strdup (mask);
  if (!vulkan_snapshot_fill (&adapter->snapshot, &connection->vk, physical, &adapter->extensions))
    adapter->base.unusable = "the list of its extensions cannot be read";
  if (!vulkan_mask_apply (mask, &adapter->snapshot, &error))
    {
      adapter->mask_error = g_strdup (error->message);
      adapter->base.unusable = adapter->mask_error;
      g_clear_error (&error);
    }
  vulkan_plan_make (&adapter->snapshot, NULL, &adapter->plan);
  if (adapter->base.unusable == NULL && adapter->plan.unusable[0] != '\0')
    adapter->base.unusable = adapter->plan.unusable;
  fill_info (adapter);
  adapter->base.limits = adapter->plan.limits;
  memcpy (adapter->base.formats, adapter->plan.formats, sizeof adapter->base.formats);
  adapter->base.target_features = adapter->plan.target_features;
  adapter->base.groups = vulkan_adapter_groups;
  adapter->base.n_groups = vulkan_adapter_n_groups;
  return adapter;
}

void
vulkan_adapter_free (struct vulkan_adapter *adapter)
{
  g_free (adapter->mask);
  g_free (adapter->mask_error);
  g_strfreev (adapter->extensions);
  g_free (adapter);
}

bool
vulkan_adapter_heap_state (const struct vulkan_adapter *adapter, uint64_t budget[VK_MAX_MEMORY_HEAPS],
                           uint64_t usage[VK_MAX_MEMORY_HEAPS])
{
  VkPhysicalDeviceMemoryBudgetPropertiesEXT state = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT };
  VkPhysicalDeviceMemoryProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                   .pNext = &state };

  if (!adapter->snapshot.extensions[VULKAN_EXTENSION_MEMORY_BUDGET])
    return false;
  adapter->connection->vk.GetPhysicalDeviceMemoryProperties2 (adapter->physical, &properties);
  for (uint32_t i = 0; i < adapter->snapshot.memory.memoryHeapCount; i++)
    {
      budget[i] = state.heapBudget[i];
      usage[i] = state.heapUsage[i];
    }
  return true;
}
