/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The least Vulkan that runs a compiled kernel, so that the back end is tested by
 * values and without the rest of the library. One submission a call; everything is
 * host-visible memory. */

#pragma once

#include <check.h>
#include <vulkan/vulkan.h>

#include "codegen/spirv/spirv.h"

struct device
{
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  VkPhysicalDeviceFeatures2 has;         /* what was switched on */
  VkPhysicalDeviceVulkan11Features has_11;
  VkPhysicalDeviceVulkan12Features has_12;
  struct spirv_target target;
  uint32_t subgroup_size;
};

/* What goes in for one kernel argument. Buffers and images are read back into `data`. */
struct device_argument
{
  void *data;
  gsize size;
  uint32_t first;                /* buffer: elements in front of the view, to be added to its metadata */
  uint32_t length;               /* buffer: elements of the view */
  uint32_t width, height;        /* image of RGBA, 32-bit components */
};

/* NULL: no device; the reason goes to standard error. */
struct device *device_open  (void);
void           device_close (struct device *device);
/* The target as the driver describes it, and what the pipeline was given. */
bool device_run (struct device *device, const struct spirv_result *kernel, const struct device_argument *arguments,
                 const struct spirv_dispatch_constants *dispatch);

/* Runs the suite; 77, skipped, where there is no Vulkan device. */
int device_test_main (Suite *(*make_suite) (void));
