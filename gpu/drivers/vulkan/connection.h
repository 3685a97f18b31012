/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A VkInstance and all that it needs. Usually there is one, made by the loader.
 * When one of several Vulkan drivers makes that fail, each is asked directly. */

#pragma once

#include "gpu/drivers/vulkan/log.h"

struct vulkan_connection
{
  struct vulkan_global_table global;
  struct vulkan_instance_table vk;
  struct vulkan_log *log;
  VkInstance instance;
  bool debug_utils;
  VkDebugUtilsMessengerEXT messenger;
  VkPhysicalDevice *devices;
  uint32_t n_devices;
  unsigned complaints;                  /* of the loader, while the instance was made */
  void *library;                        /* from dlopen(); NULL: through the loader */
};

struct vulkan_connection_options
{
  bool validation;                      /* ask for the validation layer */
  bool messages;                        /* of layers that are switched on from outside go to the log */
};

/* On failure `error` is set, but not for VK_ERROR_INCOMPATIBLE_DRIVER, by which a
 * driver says that its hardware is not here. */
VkResult vulkan_connection_open  (struct vulkan_connection *connection, PFN_vkGetInstanceProcAddr get,
                                  struct vulkan_log *log, const struct vulkan_connection_options *options,
                                  GError **error);
/* Also after a failure, and twice. */
void     vulkan_connection_close (struct vulkan_connection *connection);
