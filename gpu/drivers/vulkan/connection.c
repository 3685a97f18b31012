/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/connection.h"

#include <dlfcn.h>
#include <string.h>

#define VALIDATION_LAYER    "VK_LAYER_KHRONOS_validation"
#define DEBUG_UTILS         "VK_EXT_debug_utils"
#define VALIDATION_FEATURES "VK_EXT_validation_features"

static bool
has_layer (const struct vulkan_global_table *global, const char *name)
{
  VkLayerProperties *properties;
  uint32_t n = 0;
  bool found = false;

  if (global->EnumerateInstanceLayerProperties (&n, NULL) != VK_SUCCESS || n == 0)
    return false;
  properties = g_new0 (VkLayerProperties, n);
  if (global->EnumerateInstanceLayerProperties (&n, properties) >= VK_SUCCESS)
    for (uint32_t i = 0; i < n; i++)
      found = found || strcmp (properties[i].layerName, name) == 0;
  g_free (properties);
  return found;
}

static bool
has_extension (const struct vulkan_global_table *global, const char *layer, const char *name)
{
  VkExtensionProperties *properties;
  uint32_t n = 0;
  bool found = false;

  if (global->EnumerateInstanceExtensionProperties (layer, &n, NULL) != VK_SUCCESS || n == 0)
    return false;
  properties = g_new0 (VkExtensionProperties, n);
  if (global->EnumerateInstanceExtensionProperties (layer, &n, properties) >= VK_SUCCESS)
    for (uint32_t i = 0; i < n; i++)
      found = found || strcmp (properties[i].extensionName, name) == 0;
  g_free (properties);
  return found;
}

/* Only counts: the text of the loader does not always name the driver. */
static VKAPI_ATTR VkBool32 VKAPI_CALL
count_complaint (VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
  struct vulkan_connection *connection = user_data;

  connection->complaints++;
  vulkan_log_add (connection->log, GABBRO_LOG_DEBUG, "%s", data->pMessage != NULL ? data->pMessage : "");
  return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT
complaints_info (struct vulkan_connection *connection)
{
  return (VkDebugUtilsMessengerCreateInfoEXT) {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
    .pfnUserCallback = count_complaint,
    .pUserData = connection
  };
}

static VkResult
create_instance (struct vulkan_connection *connection, const struct vulkan_connection_options *options, bool validation)
{
  const VkValidationFeatureEnableEXT enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                          .pEngineName = "Gabbro",
                                          .apiVersion = VK_API_VERSION_1_3 };
  const char *layers[1] = { VALIDATION_LAYER };
  const char *extensions[2];
  VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                .pApplicationInfo = &application,
                                .enabledLayerCount = validation ? 1 : 0,
                                .ppEnabledLayerNames = layers,
                                .ppEnabledExtensionNames = extensions };
  VkValidationFeaturesEXT features = { .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                       .enabledValidationFeatureCount = 1,
                                       .pEnabledValidationFeatures = &enable };
  VkDebugUtilsMessengerCreateInfoEXT complaints = complaints_info (connection);
  VkDebugUtilsMessengerCreateInfoEXT messages;

  if (connection->debug_utils)
    {
      extensions[info.enabledExtensionCount++] = DEBUG_UTILS;
      complaints.pNext = info.pNext;
      info.pNext = &complaints;
      /* What the layers say of creation and destruction itself. */
      if (options->messages || validation)
        {
          vulkan_log_messenger_info (connection->log, &messages);
          messages.pNext = info.pNext;
          info.pNext = &messages;
        }
    }
  if (validation && has_extension (&connection->global, VALIDATION_LAYER, VALIDATION_FEATURES))
    {
      extensions[info.enabledExtensionCount++] = VALIDATION_FEATURES;
      features.pNext = info.pNext;
      info.pNext = &features;
    }
  return connection->global.CreateInstance (&info, NULL, &connection->instance);
}

static VkResult
enumerate_devices (struct vulkan_connection *connection)
{
  VkResult result;

  do
    {
      uint32_t n = 0;
      g_clear_pointer (&connection->devices, g_free);
      result = connection->vk.EnumeratePhysicalDevices (connection->instance, &n, NULL);
      if (result != VK_SUCCESS)
        return result;
      connection->devices = g_new0 (VkPhysicalDevice, n + 1);
      result = connection->vk.EnumeratePhysicalDevices (connection->instance, &n, connection->devices);
      connection->n_devices = result == VK_SUCCESS ? n : 0;
    }
  while (result == VK_INCOMPLETE);
  return result;
}

/* Newer loaders leave a driver out that fails here, and only say so. */
static VkResult
enumerate (struct vulkan_connection *connection)
{
  const VkDebugUtilsMessengerCreateInfoEXT info = complaints_info (connection);
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  bool listens = connection->debug_utils && connection->vk.CreateDebugUtilsMessengerEXT != NULL
                 && connection->vk.DestroyDebugUtilsMessengerEXT != NULL;
  VkResult result;

  if (listens && connection->vk.CreateDebugUtilsMessengerEXT (connection->instance, &info, NULL, &messenger) != VK_SUCCESS)
    messenger = VK_NULL_HANDLE;
  result = enumerate_devices (connection);
  if (messenger != VK_NULL_HANDLE)
    connection->vk.DestroyDebugUtilsMessengerEXT (connection->instance, messenger, NULL);
  return result;
}

static void
create_messenger (struct vulkan_connection *connection)
{
  VkDebugUtilsMessengerCreateInfoEXT info;

  if (connection->vk.CreateDebugUtilsMessengerEXT == NULL || connection->vk.DestroyDebugUtilsMessengerEXT == NULL)
    return;
  vulkan_log_messenger_info (connection->log, &info);
  if (connection->vk.CreateDebugUtilsMessengerEXT (connection->instance, &info, NULL, &connection->messenger) != VK_SUCCESS)
    vulkan_log_add (connection->log, GABBRO_LOG_WARNING, "messages of Vulkan's layers cannot be received");
}

static VkResult
open_instance (struct vulkan_connection *connection, const struct vulkan_connection_options *options, GError **error)
{
  bool validation = options->validation && has_layer (&connection->global, VALIDATION_LAYER);
  uint32_t version = VK_API_VERSION_1_0;
  const char *missing;
  VkResult result;

  if (connection->global.EnumerateInstanceVersion != NULL)
    connection->global.EnumerateInstanceVersion (&version);
  if (version < VK_API_VERSION_1_3)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED,
                   "Vulkan 1.3 is needed, there is %u.%u", VK_API_VERSION_MAJOR (version), VK_API_VERSION_MINOR (version));
      return VK_ERROR_FEATURE_NOT_PRESENT;
    }
  if (options->validation && !validation)
    vulkan_log_add (connection->log, GABBRO_LOG_WARNING,
                    "validation was asked for, but the layer " VALIDATION_LAYER " is not installed");
  connection->debug_utils = has_extension (&connection->global, NULL, DEBUG_UTILS)
                            || (validation && has_extension (&connection->global, VALIDATION_LAYER, DEBUG_UTILS));
  result = create_instance (connection, options, validation);
  if (result != VK_SUCCESS)
    {
      connection->instance = NULL;
      if (result != VK_ERROR_INCOMPATIBLE_DRIVER)
        vulkan_set_error (error, result, "vkCreateInstance");
      return result;
    }
  missing = vulkan_instance_table_load (&connection->vk, connection->global.GetInstanceProcAddr, connection->instance);
  if (missing != NULL)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "there is no %s", missing);
      return VK_ERROR_INITIALIZATION_FAILED;
    }
  if (options->messages || validation)
    create_messenger (connection);
  result = enumerate (connection);
  if (result != VK_SUCCESS)
    vulkan_set_error (error, result, "vkEnumeratePhysicalDevices");
  return result;
}

VkResult
vulkan_connection_open (struct vulkan_connection *connection, PFN_vkGetInstanceProcAddr get, struct vulkan_log *log,
                        const struct vulkan_connection_options *options, GError **error)
{
  const char *missing;
  VkResult result;

  connection->log = log;
  missing = vulkan_global_table_load (&connection->global, get);
  if (missing != NULL)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "there is no %s", missing);
      result = VK_ERROR_INITIALIZATION_FAILED;
    }
  else
    result = open_instance (connection, options, error);
  return result;
}

void
vulkan_connection_close (struct vulkan_connection *connection)
{
  g_clear_pointer (&connection->devices, g_free);
  connection->n_devices = 0;
  if (connection->messenger != VK_NULL_HANDLE)
    connection->vk.DestroyDebugUtilsMessengerEXT (connection->instance, connection->messenger, NULL);
  connection->messenger = VK_NULL_HANDLE;
  /* Missing only when the table could not be loaded; then nothing better can be done than to leak. */
  if (connection->instance != NULL && connection->vk.DestroyInstance != NULL)
    connection->vk.DestroyInstance (connection->instance, NULL);
  connection->instance = NULL;
  if (connection->library != NULL)
    dlclose (connection->library);
  connection->library = NULL;
}
