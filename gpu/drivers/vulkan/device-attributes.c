/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can be seen of an opened device; the state is struct vulkan_device. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "gpu/drivers/vulkan/device.h"

/* What the plan has taken of the features that the adapter supports. */
static enum gb_show
show_enabled (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
              GError **error)
{
  const struct vulkan_device *device = state;

  gb_value_set_bool (value, *(const VkBool32 *) (const void *) ((const char *) device->plan + attribute->offset)
                              != VK_FALSE);
  return GB_SHOW_OK;
}

static const struct gb_attribute features[] = {
#define VULKAN_FEATURE(part, member, want, name_, description_)                                      \
  { .name = (name_), .description = (description_), .type = GB_VALUE_BOOL, .mode = GB_ATTRIBUTE_READ, \
    .show = show_enabled, .offset = offsetof (struct vulkan_plan, part.member) },
#include "gpu/drivers/vulkan/features.def"
#undef VULKAN_FEATURE
};

static enum gb_show
show_extensions (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
                 GError **error)
{
  const struct vulkan_device *device = state;
  const char *names[VULKAN_N_EXTENSIONS + 1] = { NULL };

  for (uint32_t i = 0; i < device->plan->n_extensions; i++)
    names[i] = device->plan->extensions[i];
  gb_value_set_string_list (value, names);
  return GB_SHOW_OK;
}

static const struct gb_attribute general[] = {
  GB_ATTRIBUTE_FUNC ("extensions", N_("Extensions that are in use"), GB_VALUE_STRING_LIST, GB_UNIT_NONE, show_extensions),
};

/* One number a heap. */
static enum gb_show
show_heaps (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
            GError **error)
{
  struct vulkan_device *device = state;
  uint64_t numbers[VK_MAX_MEMORY_HEAPS];
  uint32_t n = device->plan->memory.n_heaps;

  for (uint32_t i = 0; i < n; i++)
    {
      uint64_t taken, left;
      vulkan_memory_heap (&device->memory, i, &taken, &left);
      numbers[i] = attribute->data != NULL ? left : taken;
    }
  gb_value_set_u64_list (value, numbers, n);
  return GB_SHOW_OK;
}

static enum gb_show
show_used (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
           GError **error)
{
  struct vulkan_device *device = state;
  uint64_t numbers[VK_MAX_MEMORY_HEAPS];

  g_mutex_lock (&device->memory.mutex);
  memcpy (numbers, device->memory.used, sizeof numbers);
  g_mutex_unlock (&device->memory.mutex);
  gb_value_set_u64_list (value, numbers, device->plan->memory.n_heaps);
  return GB_SHOW_OK;
}

static enum gb_show
show_allocations (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
                  GError **error)
{
  struct vulkan_device *device = state;

  g_mutex_lock (&device->memory.mutex);
  gb_value_set_u64 (value, device->memory.n_allocations);
  g_mutex_unlock (&device->memory.mutex);
  return GB_SHOW_OK;
}

static const struct gb_attribute memory[] = {
  GB_ATTRIBUTE_FUNC ("heap-taken", N_("What the device has taken of each heap, empty blocks too"), GB_VALUE_U64_LIST,
                     GB_UNIT_BYTES, show_heaps),
  { .name = "heap-available", .description = N_("What the device could still take of each heap"),
    .type = GB_VALUE_U64_LIST, .unit = GB_UNIT_BYTES, .mode = GB_ATTRIBUTE_READ, .show = show_heaps, .data = "" },
  GB_ATTRIBUTE_FUNC ("heap-used", N_("What buffers and images use of each heap"), GB_VALUE_U64_LIST, GB_UNIT_BYTES,
                     show_used),
  GB_ATTRIBUTE_FUNC ("allocations", N_("Allocations of device memory"), GB_VALUE_U64, GB_UNIT_COUNT, show_allocations),
};

static const struct gb_attribute_group general_group = { .name = "vulkan",
                                                         .title = N_("Vulkan"),
                                                         .attributes = general,
                                                         .n_attributes = G_N_ELEMENTS (general) };
static const struct gb_attribute_group memory_group = { .name = "vulkan-memory",
                                                        .title = N_("Vulkan memory"),
                                                        .attributes = memory,
                                                        .n_attributes = G_N_ELEMENTS (memory) };
static const struct gb_attribute_group features_group = { .name = "vulkan-features-enabled",
                                                          .title = N_("Vulkan features that are enabled"),
                                                          .attributes = features,
                                                          .n_attributes = G_N_ELEMENTS (features) };

const struct gb_attribute_group *const vulkan_device_groups[] = { &general_group, &memory_group, &features_group };
const unsigned vulkan_device_n_groups = G_N_ELEMENTS (vulkan_device_groups);
