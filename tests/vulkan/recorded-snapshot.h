/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Snapshots of devices that are not here, from what vulkaninfo printed on them. */

#pragma once

#include "gpu/drivers/vulkan/snapshot.h"

/* `name`: "llvmpipe-25.0.7", "nvidia-h200". Fails the test when the recording
 * cannot be read or lacks a row of the tables. */
void recorded_snapshot (const char *name, struct vulkan_snapshot *snapshot);
