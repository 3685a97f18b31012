/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded into a run of the command: lets one allocation fail, of those that may. These are what the library asks of
 * Vulkan, and what anybody asks of GLib with g_try_…(): the blocks whose size a caller decides. What GLib gets for itself
 * ends the process when there is none, and cannot be tested here.
 *
 *   GABBRO_FAIL_AT=N        the N-th fails, from 1 on
 *   GABBRO_FAIL_LOG=FILE    gets its name; a file that is not there then: there were fewer */

#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VK_NO_PROTOTYPES 1
#include <vulkan/vulkan_core.h>

static int n_allocations;

/* Whether this one fails. Allocates nothing. */
static bool
fails (const char *name)
{
  const char *at = getenv ("GABBRO_FAIL_AT"), *log = getenv ("GABBRO_FAIL_LOG");

  if (at == NULL || __atomic_add_fetch (&n_allocations, 1, __ATOMIC_RELAXED) != atoi (at))
    return false;
  int fd = log != NULL ? open (log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
  if (fd >= 0 && write (fd, name, strlen (name)) >= 0)
    close (fd);
  return true;
}

static void *
next (const char *name)
{
  void *function = dlsym (RTLD_NEXT, name);

  if (function == NULL)
    abort ();
  return function;
}

/* --- GLib -------------------------------------------------------------------------------------- */

#define WRAP(name, parameters, arguments)                   \
  __attribute__ ((visibility ("default"))) gpointer         \
  name parameters                                           \
  {                                                         \
    static gpointer (*real) parameters;                     \
                                                            \
    if (real == NULL)                                       \
      *(void **) &real = next (#name);                      \
    return fails (#name) ? NULL : real arguments;           \
  }

WRAP (g_try_malloc, (gsize size), (size))
WRAP (g_try_malloc0, (gsize size), (size))
WRAP (g_try_malloc_n, (gsize n, gsize size), (n, size))
WRAP (g_try_malloc0_n, (gsize n, gsize size), (n, size))
WRAP (g_try_realloc, (gpointer memory, gsize size), (memory, size))
WRAP (g_try_realloc_n, (gpointer memory, gsize n, gsize size), (memory, n, size))

/* --- Vulkan ------------------------------------------------------------------------------------ */

/* X (name, parameters, arguments): all that may say VK_ERROR_OUT_OF_HOST_MEMORY and is called by the driver. */
#define CREATE(X, what, info) \
  X (vkCreate##what, (VkDevice device, const info *create, const VkAllocationCallbacks *allocator, Vk##what *out), (device, create, allocator, out))
#define ENTRY_POINTS(X)                                                                                                                       \
  X (vkCreateInstance, (const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out), (info, allocator, out))   \
  X (vkEnumeratePhysicalDevices, (VkInstance instance, uint32_t *n, VkPhysicalDevice *devices), (instance, n, devices))                       \
  X (vkCreateDevice, (VkPhysicalDevice adapter, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out),        \
     (adapter, info, allocator, out))                                                                                                         \
  X (vkAllocateMemory, (VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *allocator, VkDeviceMemory *out),       \
     (device, info, allocator, out))                                                                                                          \
  X (vkMapMemory, (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags, void **out),        \
     (device, memory, offset, size, flags, out))                                                                                              \
  X (vkBindBufferMemory, (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset), (device, buffer, memory, offset))     \
  X (vkBindImageMemory, (VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset), (device, image, memory, offset))         \
  X (vkCreateComputePipelines, (VkDevice device, VkPipelineCache cache, uint32_t n, const VkComputePipelineCreateInfo *infos,                 \
     const VkAllocationCallbacks *allocator, VkPipeline *out), (device, cache, n, infos, allocator, out))                                     \
  X (vkAllocateDescriptorSets, (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out), (device, info, out))          \
  X (vkAllocateCommandBuffers, (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out), (device, info, out))          \
  X (vkBeginCommandBuffer, (VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info), (buffer, info))                                    \
  X (vkEndCommandBuffer, (VkCommandBuffer buffer), (buffer))                                                                                  \
  X (vkQueueSubmit2, (VkQueue queue, uint32_t n, const VkSubmitInfo2 *infos, VkFence fence), (queue, n, infos, fence))                         \
  CREATE (X, Buffer, VkBufferCreateInfo)                                                                                                      \
  CREATE (X, Image, VkImageCreateInfo)                                                                                                        \
  CREATE (X, ImageView, VkImageViewCreateInfo)                                                                                                \
  CREATE (X, ShaderModule, VkShaderModuleCreateInfo)                                                                                          \
  CREATE (X, DescriptorSetLayout, VkDescriptorSetLayoutCreateInfo)                                                                            \
  CREATE (X, PipelineLayout, VkPipelineLayoutCreateInfo)                                                                                      \
  CREATE (X, PipelineCache, VkPipelineCacheCreateInfo)                                                                                        \
  X (vkResetCommandPool, (VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags), (device, pool, flags))                          \
  X (vkWaitSemaphores, (VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout), (device, info, timeout))                          \
  X (vkSignalSemaphore, (VkDevice device, const VkSemaphoreSignalInfo *info), (device, info))                                                  \
  CREATE (X, DescriptorUpdateTemplate, VkDescriptorUpdateTemplateCreateInfo)                                                                  \
  CREATE (X, DescriptorPool, VkDescriptorPoolCreateInfo)                                                                                      \
  CREATE (X, CommandPool, VkCommandPoolCreateInfo)                                                                                            \
  CREATE (X, Semaphore, VkSemaphoreCreateInfo)

/* One device at a time, as the command has it. */
#define DEFINE(name, parameters, arguments)                                   \
  static PFN_##name real_##name;                                              \
                                                                              \
  static VKAPI_ATTR VkResult VKAPI_CALL                                       \
  fail_##name parameters                                                      \
  {                                                                           \
    return fails (#name) ? VK_ERROR_OUT_OF_HOST_MEMORY : real_##name arguments; \
  }
ENTRY_POINTS (DEFINE)
#undef DEFINE

static PFN_vkGetDeviceProcAddr real_get_device;

static PFN_vkVoidFunction
wrap (const char *wanted, PFN_vkVoidFunction found)
{
#define CHOOSE(name, parameters, arguments)           \
  if (found != NULL && strcmp (wanted, #name) == 0)   \
    {                                                 \
      real_##name = (PFN_##name) found;               \
      return (PFN_vkVoidFunction) fail_##name;        \
    }
  ENTRY_POINTS (CHOOSE)
#undef CHOOSE
  return found;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_device (VkDevice device, const char *name)
{
  return wrap (name, real_get_device (device, name));
}

__attribute__ ((visibility ("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr (VkInstance instance, const char *name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr (VkInstance instance, const char *name)
{
  static PFN_vkGetInstanceProcAddr real;
  PFN_vkVoidFunction found;

  if (real == NULL)
    {
      void *library = dlopen ("libvulkan.so.1", RTLD_NOW);

      if (library == NULL)
        abort ();
      *(void **) &real = dlsym (library, "vkGetInstanceProcAddr");
    }
  found = real (instance, name);
  if (found == NULL || strcmp (name, "vkGetDeviceProcAddr") != 0)
    return wrap (name, found);
  real_get_device = (PFN_vkGetDeviceProcAddr) found;
  return (PFN_vkVoidFunction) get_device;
}
