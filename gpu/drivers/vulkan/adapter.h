/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What hangs together: an instance of the driver has connections to Vulkan, most
 * often one, and an adapter for each physical device. */

#pragma once

#include "gpu/driver-api/gabbro-driver.h"
#include "gpu/drivers/vulkan/connection.h"
#include "gpu/drivers/vulkan/plan.h"

struct vulkan_instance
{
  struct gabbro_driver_instance base;
  const struct gabbro_host *host;
  struct vulkan_log log;
  struct vulkan_connection *connections;
  unsigned n_connections;
};

struct vulkan_adapter
{
  struct gabbro_driver_adapter base;
  const struct vulkan_connection *connection;
  VkPhysicalDevice physical;
  struct vulkan_snapshot snapshot;      /* after the mask */
  struct vulkan_plan plan;
  char *mask;                           /* NULL: none */
  char *mask_error;                     /* why the mask does not fit this device */
  char **extensions;                    /* all that the device has */
};

/* `mask` has been checked. */
struct vulkan_adapter *vulkan_adapter_new  (const struct vulkan_connection *connection, VkPhysicalDevice physical,
                                            const char *mask);
void                   vulkan_adapter_free (struct vulkan_adapter *adapter);

/* Live numbers of the heaps; false without VK_EXT_memory_budget. */
bool vulkan_adapter_heap_state (const struct vulkan_adapter *adapter, uint64_t budget[VK_MAX_MEMORY_HEAPS],
                                uint64_t usage[VK_MAX_MEMORY_HEAPS]);

extern const struct gb_attribute_group *const vulkan_adapter_groups[];
extern const unsigned vulkan_adapter_n_groups;
