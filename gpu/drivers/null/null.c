/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/null/null.h"

#include <string.h>

static const struct gb_attribute settings_attributes[] = {
  GB_ATTRIBUTE ("delay", "Microseconds that a submission takes", u64, GB_UNIT_NONE, struct null_adapter, settings.host.delay),
  GB_ATTRIBUTE ("unmapped", "Device memory cannot be mapped", bool, GB_UNIT_NONE, struct null_adapter, settings.unmapped),
};

static const struct gb_attribute_group settings_group = {
  .name = "null", .title = "Null driver", .attributes = settings_attributes, .n_attributes = G_N_ELEMENTS (settings_attributes),
};

static const struct gb_attribute_group *const groups[] = { &settings_group };

static enum gabbro_probe_result
null_probe (const struct gabbro_host *host,
            struct gb_undo *undo,
            struct gabbro_driver_instance **out,
            GError **error)
{
  const char *option = host->option (host->data, "null");
  struct null_settings settings;
  struct null_instance *instance;

  if (option == NULL)
    return GABBRO_PROBE_NOTHING;
  if (!null_settings_parse (&settings, option, error))
    return GABBRO_PROBE_FAILED;
  if (settings.adapters == 0)
    return GABBRO_PROBE_NOTHING;
  instance = g_new0 (struct null_instance, 1);
  gb_undo_add (undo, g_free, instance);
  instance->host = host;
  for (uint32_t i = 0; i < settings.adapters; i++)
    {
      struct null_adapter *adapter = &instance->adapters[i];

      adapter->settings = settings;
      g_snprintf (adapter->base.info.name, sizeof adapter->base.info.name, "Null %u", settings.first + i);
      g_strlcpy (adapter->base.info.driver_name, "null", sizeof adapter->base.info.driver_name);
      adapter->base.info.type = GABBRO_ADAPTER_TYPE_CPU;
      adapter->base.info.device_uuid[0] = 0x6e;
      adapter->base.info.device_uuid[15] = (uint8_t) (settings.first + i);
      adapter->base.info.device_memory = settings.host.memory;
      adapter->base.limits = settings.limits;
      host_fill_formats (&adapter->base, GABBRO_FORMAT_CAN_COPY | GABBRO_FORMAT_CAN_READ | GABBRO_FORMAT_CAN_STORAGE_READ
                                           | GABBRO_FORMAT_CAN_STORAGE_WRITE);
      for (int format = 0; format < GB_N_TEXEL_FORMATS; format++)
        if ((settings.missing_formats >> format & 1) != 0)
          adapter->base.formats[format][0].uses = adapter->base.formats[format][1].uses = 0;
      adapter->base.target_features = GABBRO_TARGET_STORAGE_IMAGE_READ_WITHOUT_FORMAT
                                      | GABBRO_TARGET_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT;
      adapter->base.groups = groups;
      adapter->base.n_groups = G_N_ELEMENTS (groups);
      instance->list[i] = &adapter->base;
    }
  instance->base.adapters = instance->list;
  instance->base.n_adapters = settings.adapters;
  *out = &instance->base;
  return GABBRO_PROBE_BOUND;
}

const struct gabbro_driver gabbro_null_driver = {
  .abi = GABBRO_DRIVER_ABI,
  .name = "null",
  .description = "No device: memory without kernels, for tests",
  .probe = null_probe,
  .open = null_device_open,
};
