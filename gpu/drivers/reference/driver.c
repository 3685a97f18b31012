/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

#include <glib/gi18n-lib.h>

static enum gb_show
show_checks (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value, GError **error)
{
  const struct reference_settings *settings = &gb_container_of (state, struct reference_adapter, base)->settings;
  GString *names = g_string_new (NULL);

  for (int i = 0; i < CHECK_N_KINDS; i++)
    if ((settings->checks >> i & 1) != 0)
      g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "", check_kind_name (i));
  if (names->len > 0)
    gb_value_set_string (value, names->str);
  g_string_free (names, TRUE);
  return settings->checks != 0 ? GB_SHOW_OK : GB_SHOW_ABSENT;
}

static const struct gb_attribute settings_attributes[] = {
  GB_ATTRIBUTE_FUNC ("checks", N_("What it looks for in the run of a kernel"), GB_VALUE_STRING, GB_UNIT_NONE, show_checks),
  GB_ATTRIBUTE ("threads", N_("Threads of the process that run one dispatch"), u32_nonzero, GB_UNIT_COUNT, struct reference_adapter, settings.threads),
  GB_ATTRIBUTE ("seed", N_("What orders workgroups and subgroups"), u64, GB_UNIT_NONE, struct reference_adapter, settings.seed),
  GB_ATTRIBUTE ("steps", N_("Instructions that a subgroup may run; 0: any number"), u64, GB_UNIT_COUNT, struct reference_adapter, settings.steps),
};

static const struct gb_attribute_group settings_group = {
  .name = "reference", .title = N_("Reference driver"), .attributes = settings_attributes, .n_attributes = G_N_ELEMENTS (settings_attributes),
};

static const struct gb_attribute_group *const groups[] = { &settings_group };

/* What no kernel of sense runs into. Views are told by 32 bits. */
static const struct gabbro_limits limits = {
  .max_storage_buffer_range = UINT32_MAX,
  .storage_buffer_offset_alignment = 4,
  .buffer_image_copy_offset_alignment = 1,
  .max_group_size = { 1024, 1024, 1024 },
  .max_group_invocations = 1024,
  .max_shared_memory = 64 * 1024,
  .max_image_2d = 65536,
  .max_image_3d = 65536,
  .max_storage_buffers = 64,
  .max_storage_images = 64,
  .max_sampled_images = 64,
  .max_resources = 192,
  .max_timeline_difference = INT64_MAX,
};

static void
describe (struct gabbro_driver_adapter *adapter, const struct reference_settings *settings)
{
  struct gabbro_adapter_info *info = &adapter->info;

  g_strlcpy (info->name, "Reference interpreter", sizeof info->name);
  g_strlcpy (info->driver_name, "reference", sizeof info->driver_name);
  info->type = GABBRO_ADAPTER_TYPE_CPU;
  info->device_uuid[0] = 0x72;
  info->device_memory = settings->host.memory;
  adapter->limits = limits;
  host_fill_formats (adapter, GABBRO_FORMAT_CAN_COPY | GABBRO_FORMAT_CAN_READ | GABBRO_FORMAT_CAN_STORAGE_READ
                                | GABBRO_FORMAT_CAN_STORAGE_WRITE);
  adapter->limits.max_buffer_size = settings->host.memory;
  adapter->limits.max_allocation_size = settings->host.memory;
  adapter->limits.subgroup_size = settings->width;
  adapter->limits.max_push_constants = settings->max_push_constants;
  for (int i = 0; i < 3; i++)
    adapter->limits.max_group_count[i] = settings->max_group_count;
  /* There is nothing in a kernel that it cannot run. */
  adapter->target_features = UINT64_MAX;
  adapter->artifact = GABBRO_ARTIFACT_XIR;
  adapter->only_by_name = true;
  adapter->groups = groups;
  adapter->n_groups = G_N_ELEMENTS (groups);
}

static enum gabbro_probe_result
reference_probe (const struct gabbro_host *host, struct gb_undo *undo, struct gabbro_driver_instance **out, GError **error)
{
  struct reference_settings settings;
  struct reference_instance *instance;

  if (!reference_settings_parse (&settings, host->option (host->data, "reference"), host->option (host->data, "check"), error))
    return GABBRO_PROBE_FAILED;
  if (settings.absent)
    return GABBRO_PROBE_NOTHING;
  instance = g_new0 (struct reference_instance, 1);
  gb_undo_add (undo, g_free, instance);
  instance->host = host;
  instance->adapter.settings = settings;
  describe (&instance->adapter.base, &settings);
  instance->list[0] = &instance->adapter.base;
  instance->base.adapters = instance->list;
  instance->base.n_adapters = 1;
  *out = &instance->base;
  return GABBRO_PROBE_BOUND;
}

const struct gabbro_driver gabbro_reference_driver = {
  .abi = GABBRO_DRIVER_ABI,
  .name = "reference",
  .description = N_("Interprets kernels on the CPU and checks them"),
  .probe = reference_probe,
  .open = reference_device_open,
};
