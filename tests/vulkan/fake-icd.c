/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A Vulkan driver that is broken in a way that the build chooses:
 * FAKE_CREATE_RESULT what vkCreateInstance answers (VK_SUCCESS by default),
 * FAKE_ENUMERATE_RESULT what vkEnumeratePhysicalDevices answers. */

#include <stdlib.h>
#include <string.h>

#define VK_NO_PROTOTYPES 1
#include <vulkan/vulkan_core.h>

#ifndef FAKE_CREATE_RESULT
#define FAKE_CREATE_RESULT VK_SUCCESS
#endif
#ifndef FAKE_ENUMERATE_RESULT
#define FAKE_ENUMERATE_RESULT VK_ERROR_INITIALIZATION_FAILED
#endif

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion (uint32_t *version);
EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr (VkInstance instance, const char *name);

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance (const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkInstance *out)
{
  uintptr_t *instance;

  if (FAKE_CREATE_RESULT != VK_SUCCESS)
    return FAKE_CREATE_RESULT;
  instance = calloc (8, sizeof *instance);
  /* What the loader looks for in a dispatchable object. */
  *instance = 0x01CDC0DE;
  *out = (VkInstance) instance;
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance (VkInstance instance, const VkAllocationCallbacks *callbacks)
{
  free (instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_physical_devices (VkInstance instance, uint32_t *n, VkPhysicalDevice *devices)
{
  return FAKE_ENUMERATE_RESULT;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_nothing (const char *layer, uint32_t *n, VkExtensionProperties *properties)
{
  *n = 0;
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_version (uint32_t *version)
{
  *version = VK_API_VERSION_1_3;
  return VK_SUCCESS;
}

/* Whatever is asked of a device, which there is not. */
static VKAPI_ATTR void VKAPI_CALL
never (void)
{
  _Exit (97);
}

VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion (uint32_t *version)
{
  *version = *version < 5 ? *version : 5;
  return VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr (VkInstance instance, const char *name)
{
  static const struct
  {
    const char *name;
    PFN_vkVoidFunction function;
  } table[] = {
    { "vkCreateInstance", (PFN_vkVoidFunction) create_instance },
    { "vkDestroyInstance", (PFN_vkVoidFunction) destroy_instance },
    { "vkEnumeratePhysicalDevices", (PFN_vkVoidFunction) enumerate_physical_devices },
    { "vkEnumerateInstanceExtensionProperties", (PFN_vkVoidFunction) enumerate_nothing },
    { "vkEnumerateInstanceLayerProperties", (PFN_vkVoidFunction) enumerate_nothing },
    { "vkEnumerateInstanceVersion", (PFN_vkVoidFunction) enumerate_version },
    { "vkGetInstanceProcAddr", (PFN_vkVoidFunction) vk_icdGetInstanceProcAddr },
    { "vkCreateDevice", never },
    { "vkGetDeviceProcAddr", never },
    { "vkEnumerateDeviceExtensionProperties", never },
    { "vkEnumerateDeviceLayerProperties", never },
  };

  for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp (name, table[i].name) == 0)
      return table[i].function;
  if (strncmp (name, "vkGetPhysicalDevice", strlen ("vkGetPhysicalDevice")) == 0 && strstr (name, "KHR") == NULL
      && strstr (name, "EXT") == NULL && strstr (name, "NV") == NULL)
    return never;
  return NULL;
}
