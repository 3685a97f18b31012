/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Device masks make a device look stricter than it is, so that what a software
 * device does not enforce can be tested on it. A mask is a comma-separated list:
 *
 *   maxComputeWorkGroupCount=65535    a limit, by its Vulkan name; for three axes
 *                                     one number, or three with colons between
 *   minStorageBufferOffsetAlignment=256   an alignment may only grow
 *   -shaderStorageImageReadWithoutFormat  a feature or float control is off
 *   -VK_EXT_memory_budget             an extension is not there
 *   -rgba16-float                     there are no images of that format
 *   queueCount=1                      no more queues than that
 *   memoryHeapSize=67108864           no heap is larger
 *   apiVersion=1.2                    the version of the device
 *   subgroupSupportedOperations=0x3   bits of VkSubgroupFeatureFlagBits
 *   -mappableDeviceMemory             device memory is never mapped
 *
 * Numbers may be decimal or 0x and hexadecimal. */

#pragma once

#include "gpu/drivers/vulkan/snapshot.h"

/* Whether the text can be read and every name is known, without any device. */
bool vulkan_mask_check (const char *mask, GError **error);
/* On failure `snapshot` is untouched and the error names the entry, what was
 * asked and what the device has. NULL is the empty mask. */
bool vulkan_mask_apply (const char *mask, struct vulkan_snapshot *snapshot, GError **error);
