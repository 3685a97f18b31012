/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/dispatch-table.h"

#include "gpu/driver-api/gabbro-driver.h"

#define VULKAN_LOAD_GLOBAL(name)                                            \
  table->name = (PFN_vk##name) get (VK_NULL_HANDLE, "vk" #name);            \
  if (table->name == NULL)                                                  \
    return "vk" #name;

const char *
vulkan_global_table_load (struct vulkan_global_table *table, PFN_vkGetInstanceProcAddr get)
{
  table->GetInstanceProcAddr = get;
  table->EnumerateInstanceVersion
    = (PFN_vkEnumerateInstanceVersion) get (VK_NULL_HANDLE, "vkEnumerateInstanceVersion");
  VULKAN_GLOBAL_ENTRY_POINTS (VULKAN_LOAD_GLOBAL)
  return NULL;
}

#define VULKAN_LOAD_OPTIONAL(name) \
  table->name = (PFN_vk##name) get (handle, "vk" #name);
#define VULKAN_LOAD(name)          \
  VULKAN_LOAD_OPTIONAL (name)      \
  if (table->name == NULL)         \
    return "vk" #name;

const char *
vulkan_instance_table_load (struct vulkan_instance_table *table, PFN_vkGetInstanceProcAddr get, VkInstance handle)
{
  VULKAN_INSTANCE_OPTIONAL_ENTRY_POINTS (VULKAN_LOAD_OPTIONAL)
  VULKAN_INSTANCE_ENTRY_POINTS (VULKAN_LOAD)
  return NULL;
}

const char *
vulkan_device_table_load (struct vulkan_device_table *table, PFN_vkGetDeviceProcAddr get, VkDevice handle)
{
  VULKAN_DEVICE_OPTIONAL_ENTRY_POINTS (VULKAN_LOAD_OPTIONAL)
  VULKAN_DEVICE_ENTRY_POINTS (VULKAN_LOAD)
  return NULL;
}

#define VULKAN_RESULTS(X)            \
  X (VK_SUCCESS)                     \
  X (VK_NOT_READY)                   \
  X (VK_TIMEOUT)                     \
  X (VK_INCOMPLETE)                  \
  X (VK_ERROR_OUT_OF_HOST_MEMORY)    \
  X (VK_ERROR_OUT_OF_DEVICE_MEMORY)  \
  X (VK_ERROR_INITIALIZATION_FAILED) \
  X (VK_ERROR_DEVICE_LOST)           \
  X (VK_ERROR_MEMORY_MAP_FAILED)     \
  X (VK_ERROR_LAYER_NOT_PRESENT)     \
  X (VK_ERROR_EXTENSION_NOT_PRESENT) \
  X (VK_ERROR_FEATURE_NOT_PRESENT)   \
  X (VK_ERROR_INCOMPATIBLE_DRIVER)   \
  X (VK_ERROR_TOO_MANY_OBJECTS)      \
  X (VK_ERROR_FORMAT_NOT_SUPPORTED)  \
  X (VK_ERROR_FRAGMENTED_POOL)       \
  X (VK_ERROR_OUT_OF_POOL_MEMORY)    \
  X (VK_ERROR_FRAGMENTATION)         \
  X (VK_ERROR_UNKNOWN)

#define VULKAN_RESULT_CASE(name) \
  case name:                     \
    return #name;

const char *
vulkan_result_name (VkResult result)
{
  switch (result)
    {
      VULKAN_RESULTS (VULKAN_RESULT_CASE)
    default:
      return "an error that is not known here";
    }
}

static enum gabbro_driver_error
error_code (VkResult result)
{
  switch (result)
    {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_MEMORY_MAP_FAILED:
      return GABBRO_DRIVER_ERROR_OUT_OF_HOST_MEMORY;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
      return GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY;
    case VK_ERROR_DEVICE_LOST:
      return GABBRO_DRIVER_ERROR_LOST;
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return GABBRO_DRIVER_ERROR_NOT_SUPPORTED;
    default:
      return GABBRO_DRIVER_ERROR_FAILED;
    }
}

void
vulkan_set_error (GError **error, VkResult result, const char *format, ...)
{
  va_list arguments;
  char *what;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, GABBRO_DRIVER_ERROR, error_code (result), "%s: %s (%d)", what, vulkan_result_name (result),
               (int) result);
  g_free (what);
}
