/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Entry points, one table for each instance and each device: several live side
 * by side and nothing is process-global. Tests fill the tables with functions of
 * their own. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES 1
#endif
#include <vulkan/vulkan_core.h>

#define VULKAN_GLOBAL_ENTRY_POINTS(X)       \
  X (CreateInstance)                        \
  X (EnumerateInstanceExtensionProperties)  \
  X (EnumerateInstanceLayerProperties)

#define VULKAN_INSTANCE_ENTRY_POINTS(X)       \
  X (DestroyInstance)                         \
  X (EnumeratePhysicalDevices)                \
  X (EnumerateDeviceExtensionProperties)      \
  X (GetPhysicalDeviceProperties)             \
  X (GetPhysicalDeviceProperties2)            \
  X (GetPhysicalDeviceFeatures2)              \
  X (GetPhysicalDeviceMemoryProperties2)      \
  X (GetPhysicalDeviceQueueFamilyProperties2) \
  X (GetPhysicalDeviceFormatProperties2)      \
  X (GetPhysicalDeviceImageFormatProperties2) \
  X (GetDeviceProcAddr)                       \
  X (CreateDevice)

/* NULL where the extension is not enabled. */
#define VULKAN_INSTANCE_OPTIONAL_ENTRY_POINTS(X) \
  X (CreateDebugUtilsMessengerEXT)               \
  X (DestroyDebugUtilsMessengerEXT)

#define VULKAN_DEVICE_ENTRY_POINTS(X)   \
  X (DestroyDevice)                     \
  X (GetDeviceQueue)                    \
  X (DeviceWaitIdle)                    \
  X (AllocateMemory)                    \
  X (FreeMemory)                        \
  X (MapMemory)                         \
  X (CreateBuffer)                      \
  X (DestroyBuffer)                     \
  X (GetBufferMemoryRequirements2)      \
  X (BindBufferMemory)                  \
  X (CreateImage)                       \
  X (DestroyImage)                      \
  X (GetImageMemoryRequirements2)       \
  X (BindImageMemory)                   \
  X (CreateImageView)                   \
  X (DestroyImageView)                  \
  X (CreateShaderModule)                \
  X (DestroyShaderModule)               \
  X (CreateDescriptorSetLayout)         \
  X (DestroyDescriptorSetLayout)        \
  X (CreatePipelineLayout)              \
  X (DestroyPipelineLayout)             \
  X (CreatePipelineCache)               \
  X (DestroyPipelineCache)              \
  X (GetPipelineCacheData)              \
  X (MergePipelineCaches)               \
  X (CreateComputePipelines)            \
  X (DestroyPipeline)                   \
  X (CreateDescriptorUpdateTemplate)    \
  X (DestroyDescriptorUpdateTemplate)   \
  X (CreateDescriptorPool)              \
  X (DestroyDescriptorPool)             \
  X (AllocateDescriptorSets)            \
  X (UpdateDescriptorSetWithTemplate)   \
  X (CreateCommandPool)                 \
  X (DestroyCommandPool)                \
  X (ResetCommandPool)                  \
  X (AllocateCommandBuffers)            \
  X (BeginCommandBuffer)                \
  X (EndCommandBuffer)                  \
  X (CmdPipelineBarrier2)               \
  X (CmdCopyBuffer)                     \
  X (CmdCopyBufferToImage)              \
  X (CmdCopyImageToBuffer)              \
  X (CmdCopyImage)                      \
  X (CmdFillBuffer)                     \
  X (CmdBindPipeline)                   \
  X (CmdBindDescriptorSets)             \
  X (CmdPushConstants)                  \
  X (CmdDispatch)                       \
  X (QueueSubmit2)                      \
  X (CreateSemaphore)                   \
  X (DestroySemaphore)                  \
  X (GetSemaphoreCounterValue)          \
  X (WaitSemaphores)                    \
  X (SignalSemaphore)

#define VULKAN_DEVICE_OPTIONAL_ENTRY_POINTS(X) \
  X (SetDebugUtilsObjectNameEXT)

#define VULKAN_MEMBER(name) PFN_vk##name name;

struct vulkan_global_table
{
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
  PFN_vkEnumerateInstanceVersion EnumerateInstanceVersion;   /* NULL: 1.0 */
  VULKAN_GLOBAL_ENTRY_POINTS (VULKAN_MEMBER)
};

struct vulkan_instance_table
{
  VULKAN_INSTANCE_ENTRY_POINTS (VULKAN_MEMBER)
  VULKAN_INSTANCE_OPTIONAL_ENTRY_POINTS (VULKAN_MEMBER)
};

struct vulkan_device_table
{
  VULKAN_DEVICE_ENTRY_POINTS (VULKAN_MEMBER)
  VULKAN_DEVICE_OPTIONAL_ENTRY_POINTS (VULKAN_MEMBER)
};

#undef VULKAN_MEMBER

/* Each answers NULL, or the name of the first entry point that is missing. */
const char *vulkan_global_table_load   (struct vulkan_global_table *table, PFN_vkGetInstanceProcAddr get);
const char *vulkan_instance_table_load (struct vulkan_instance_table *table, PFN_vkGetInstanceProcAddr get,
                                        VkInstance instance);
const char *vulkan_device_table_load   (struct vulkan_device_table *table, PFN_vkGetDeviceProcAddr get, VkDevice device);

/* "VK_ERROR_DEVICE_LOST"; numbers that are not known get a text too. */
const char *vulkan_result_name (VkResult result);
/* Sets `error` to "what: VK_ERROR_…" with the code that fits. */
void        vulkan_set_error   (GError **error, VkResult result, const char *format, ...) G_GNUC_PRINTF (3, 4);
