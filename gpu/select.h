/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which adapter is meant: pure functions over what adapters say of themselves. */

#pragma once

#include "gpu/driver-api/gabbro-driver.h"

struct gabbro_candidate
{
  const struct gabbro_adapter_info *info;
  const char *driver;                    /* "vulkan" */
  const char *path;                      /* "/adapters/vulkan0" */
  const char *unusable;                  /* or NULL */
};

/* What the user says: a path (or its last part), a UUID, a PCI address, a driver, or part of a name.
 * The index of the best candidate that fits, or -1. */
int gabbro_select_wanted (const struct gabbro_candidate *candidates, guint n, const char *wanted);
/* `variable` as MESA_VK_DEVICE_SELECT: "VENDOR:DEVICE" in hexadecimal, "!" at its end or not. */
int gabbro_select_mesa   (const struct gabbro_candidate *candidates, guint n, const char *variable);
/* Discrete before integrated before virtual before other before CPU, more memory first, then order. */
int gabbro_select_best   (const struct gabbro_candidate *candidates, guint n);

char *gabbro_format_uuid (const uint8_t uuid[16]);
char *gabbro_format_pci  (const struct gabbro_adapter_info *info);
