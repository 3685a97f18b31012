/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The driver without a device: memory of the host, copies and fills that happen,
 * dispatches that do not. It is for tests without a GPU and the place to copy a
 * new driver from. It shows up only when the option "null" (GABBRO_NULL) asks
 * for it, as "1" or as a comma-separated list of settings:
 *
 *   adapters=N        adapters, 1 to 8
 *   first=N           the number that the first of them has in its name and UUID, 1 to 200; 0 without
 *   queues=N          queues of a device, 1 to 16
 *   copy-queues=N     the last ones of them that only copy; the first one never
 *   unmapped          device memory cannot be mapped
 *   delay=N           microseconds that each submission takes
 *   retire-delay=N    microseconds that retiring takes, for races with it
 *   hang              submissions with commands never end
 *   fail-buffer=N, fail-submit=N, lose-submit=N
 *                     that call fails, counted from 1 over the device's life
 *   memory=N          bytes of device memory
 *   no-format=NAME    there are no images of that format, as r8-unorm
 *   pipelines         shaders are "compiled", which the shader cache can spare
 *   any limit of settings.c, such as max-group-count=65535
 *
 * "@FILE" stands for the settings in a file, which is read for each scan; "0" there is no adapter.
 */

#pragma once

#include "gpu/drivers/host/host.h"

extern const struct gabbro_driver gabbro_null_driver;

struct null_settings
{
  uint32_t adapters, first;
  bool unmapped, pipelines;
  uint64_t retire_delay, fail_buffer;
  struct host_options host;
  struct gabbro_limits limits;
  uint64_t missing_formats;              /* a bit each, by enum gb_texel_format */
};

struct null_adapter
{
  struct gabbro_driver_adapter base;
  struct null_settings settings;
};

struct null_instance
{
  struct gabbro_driver_instance base;
  const struct gabbro_host *host;
  struct gabbro_driver_adapter *list[8];
  struct null_adapter adapters[8];
};

bool null_settings_parse (struct null_settings *settings, const char *text, GError **error);
struct gabbro_driver_device *null_device_open (struct gabbro_driver_instance *instance, struct gabbro_driver_adapter *adapter,
                                               GError **error);
