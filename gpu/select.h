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
  bool only_by_name;                     /* never the best, and after all others that fit a name */
};

/* What a choice goes by: the first ones find those that are meant, the others choose among them. */
enum gabbro_select_rule
{
  GABBRO_SELECT_PATH,
  GABBRO_SELECT_UUID,
  GABBRO_SELECT_PCI,
  GABBRO_SELECT_DRIVER,
  GABBRO_SELECT_NAME,
  GABBRO_SELECT_IDS,
  GABBRO_SELECT_USABLE,
  GABBRO_SELECT_KIND,
  GABBRO_SELECT_MEMORY,
  GABBRO_SELECT_ORDER
};

/* Is told of each rule that was tried and whom it left, as indices in order. */
struct gabbro_select_trace
{
  void (*step) (enum gabbro_select_rule rule, const guint *left, guint n_left, gpointer data);
  gpointer data;
};

/* In each of these `trace` may be NULL.
 *
 * What the user says: a path (or its last part), a UUID, a PCI address, a driver, or part of a name.
 * The index of the best candidate that fits, or -1. */
int gabbro_select_wanted (const struct gabbro_candidate *candidates, guint n, const char *wanted,
                          const struct gabbro_select_trace *trace);
/* `variable` as MESA_VK_DEVICE_SELECT: "VENDOR:DEVICE" in hexadecimal, "!" at its end or not. */
int gabbro_select_mesa   (const struct gabbro_candidate *candidates, guint n, const char *variable,
                          const struct gabbro_select_trace *trace);
/* Discrete before integrated before virtual before other before CPU, more memory first, then order; never one that
 * is only_by_name. */
int gabbro_select_best   (const struct gabbro_candidate *candidates, guint n, const struct gabbro_select_trace *trace);

/* Those that could be the best, unusable ones among them. */
guint gabbro_select_count (const struct gabbro_candidate *candidates, guint n);

char *gabbro_format_uuid (const uint8_t uuid[16]);
char *gabbro_format_pci  (const struct gabbro_adapter_info *info);
