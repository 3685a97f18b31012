/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that can be seen of an adapter beside what the library shows of every
 * adapter. The state is struct vulkan_adapter. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "gpu/drivers/vulkan/adapter.h"

#define VERSION_TEXT_SIZE 32

static enum gb_show
show_version (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
              GError **error)
{
  const struct vulkan_adapter *adapter = state;
  char text[VERSION_TEXT_SIZE];
  uint32_t version = adapter->snapshot.api_version;

  g_snprintf (text, sizeof text, "%u.%u.%u", VK_API_VERSION_MAJOR (version), VK_API_VERSION_MINOR (version),
              VK_API_VERSION_PATCH (version));
  gb_value_set_string (value, text);
  return GB_SHOW_OK;
}

static enum gb_show
show_drm_node (const struct vulkan_drm_node *node, struct gb_value *value)
{
  const uint64_t numbers[2] = { (uint64_t) node->major, (uint64_t) node->minor };

  if (!node->present)
    return GB_SHOW_ABSENT;
  gb_value_set_u64_list (value, numbers, 2);
  return GB_SHOW_OK;
}

static enum gb_show
show_drm_primary (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
                  GError **error)
{
  return show_drm_node (&((const struct vulkan_adapter *) state)->snapshot.drm_primary, value);
}

static enum gb_show
show_drm_render (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
                 GError **error)
{
  return show_drm_node (&((const struct vulkan_adapter *) state)->snapshot.drm_render, value);
}

static const struct gb_attribute general[] = {
  GB_ATTRIBUTE_FUNC ("api-version", N_("Version of Vulkan that the device has"), GB_VALUE_STRING, GB_UNIT_NONE,
                     show_version),
  GB_ATTRIBUTE ("driver-version", N_("Version of the driver, as its maker counts"), u32, GB_UNIT_NONE,
                struct vulkan_adapter, snapshot.driver_version),
  GB_ATTRIBUTE_FUNC ("drm-primary", N_("Device numbers of the primary DRM node"), GB_VALUE_U64_LIST, GB_UNIT_NONE,
                     show_drm_primary),
  GB_ATTRIBUTE_FUNC ("drm-render", N_("Device numbers of the DRM node for rendering"), GB_VALUE_U64_LIST, GB_UNIT_NONE,
                     show_drm_render),
  GB_ATTRIBUTE ("extensions", N_("Extensions of the device"), strings, GB_UNIT_NONE, struct vulkan_adapter, extensions),
  GB_ATTRIBUTE ("mask", N_("What makes the device look stricter than it is"), string, GB_UNIT_NONE,
                struct vulkan_adapter, mask),
};

/* Limits, float controls and features: rows of the tables. */

#define SHOW_U32(name, description, unit, member) \
  GB_ATTRIBUTE (name, description, u32, unit, struct vulkan_adapter, member)
#define SHOW_U64(name, description, unit, member) \
  GB_ATTRIBUTE (name, description, u64, unit, struct vulkan_adapter, member)
#define SHOW_SIZE(name, description, unit, member) \
  GB_ATTRIBUTE (name, description, size, unit, struct vulkan_adapter, member)
#define SHOW_FLOAT(name, description, unit, member) \
  GB_ATTRIBUTE (name, description, float, unit, struct vulkan_adapter, member)
#define SHOW_U32X3(name, description, unit, member) \
  GB_ATTRIBUTE_ARRAY (name, description, u32, unit, struct vulkan_adapter, member)

static const struct gb_attribute limits[] = {
#define VULKAN_LIMIT(part, member, kind, order, attribute, unit, description) \
  SHOW_##kind (attribute, description, unit, snapshot.part.member),
#include "gpu/drivers/vulkan/limits.def"
#undef VULKAN_LIMIT
};

static const struct gb_attribute float_controls[] = {
#define VULKAN_FLOAT_CONTROL(part, member, attribute, description) \
  GB_ATTRIBUTE (attribute, description, bool32, GB_UNIT_NONE, struct vulkan_adapter, snapshot.part.member),
#include "gpu/drivers/vulkan/float-controls.def"
#undef VULKAN_FLOAT_CONTROL
};

static const struct gb_attribute features[] = {
#define VULKAN_FEATURE(part, member, want, attribute, description) \
  GB_ATTRIBUTE (attribute, description, bool32, GB_UNIT_NONE, struct vulkan_adapter, snapshot.part.member),
#include "gpu/drivers/vulkan/features.def"
#undef VULKAN_FEATURE
};

/* Subgroups. */

static const struct gb_attribute_name subgroup_operations[] = {
  { VK_SUBGROUP_FEATURE_BASIC_BIT, "basic" },
  { VK_SUBGROUP_FEATURE_VOTE_BIT, "vote" },
  { VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic" },
  { VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot" },
  { VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle" },
  { VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "shuffle-relative" },
  { VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "clustered" },
  { VK_SUBGROUP_FEATURE_QUAD_BIT, "quad" },
  { 0, NULL },
};

static const struct gb_attribute subgroups[] = {
  GB_ATTRIBUTE_NAMES ("operations", N_("Subgroup operations of kernels"), mask32, subgroup_operations,
                      struct vulkan_adapter, snapshot.properties11.subgroupSupportedOperations),
};

/* Memory. */

static enum gb_show
show_heap_sizes (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
                 GError **error)
{
  const struct vulkan_adapter *adapter = state;

  gb_value_set_u64_list (value, adapter->plan.memory.heap_size, adapter->plan.memory.n_heaps);
  return GB_SHOW_OK;
}

static enum gb_show
show_heap_budgets (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
                   GError **error)
{
  const struct vulkan_adapter *adapter = state;
  uint64_t budget[VK_MAX_MEMORY_HEAPS], usage[VK_MAX_MEMORY_HEAPS];

  if (!vulkan_adapter_heap_state (adapter, budget, usage))
    return GB_SHOW_ABSENT;
  /* A mask may have made the heap smaller. */
  for (uint32_t i = 0; i < adapter->plan.memory.n_heaps; i++)
    budget[i] = MIN (budget[i], adapter->plan.memory.heap_size[i]);
  gb_value_set_u64_list (value, budget, adapter->plan.memory.n_heaps);
  return GB_SHOW_OK;
}

static enum gb_show
show_heap_usage (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
                 GError **error)
{
  const struct vulkan_adapter *adapter = state;
  uint64_t budget[VK_MAX_MEMORY_HEAPS], usage[VK_MAX_MEMORY_HEAPS];

  if (!vulkan_adapter_heap_state (adapter, budget, usage))
    return GB_SHOW_ABSENT;
  gb_value_set_u64_list (value, usage, adapter->plan.memory.n_heaps);
  return GB_SHOW_OK;
}

static char *
describe_type (const struct vulkan_snapshot *snapshot, uint32_t type)
{
  static const struct gb_attribute_name names[] = {
    { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, "device-local" },   { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, "host-visible" },
    { VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "host-coherent" }, { VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "host-cached" },
    { VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, "lazy" },       { VK_MEMORY_PROPERTY_PROTECTED_BIT, "protected" },
  };
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%u: heap %u", type, snapshot->memory.memoryTypes[type].heapIndex);
  for (unsigned i = 0; i < G_N_ELEMENTS (names); i++)
    if ((snapshot->memory.memoryTypes[type].propertyFlags & names[i].value) != 0)
      g_string_append_printf (text, " %s", names[i].name);
  return g_string_free (text, FALSE);
}

static enum gb_show
show_types (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
            GError **error)
{
  const struct vulkan_adapter *adapter = state;
  char *texts[VK_MAX_MEMORY_TYPES + 1] = { NULL };
  uint32_t n = adapter->plan.memory.n_types;

  for (uint32_t i = 0; i < n; i++)
    texts[i] = describe_type (&adapter->snapshot, i);
  gb_value_set_string_list (value, (const char *const *) texts);
  for (uint32_t i = 0; i < n; i++)
    g_free (texts[i]);
  return GB_SHOW_OK;
}

/* The types for one use, the first choice first; which use is in `data`. */
static enum gb_show
show_choice (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
             GError **error)
{
  const struct vulkan_adapter *adapter = state;
  unsigned use = GPOINTER_TO_UINT (attribute->data);
  uint64_t types[VK_MAX_MEMORY_TYPES];
  uint32_t n = adapter->plan.memory.n_order[use];

  for (uint32_t i = 0; i < n; i++)
    types[i] = adapter->plan.memory.order[use][i];
  gb_value_set_u64_list (value, types, n);
  return GB_SHOW_OK;
}

#define CHOICE(name_, description_, use)                                                                 \
  { .name = (name_), .description = (description_), .type = GB_VALUE_U64_LIST, .mode = GB_ATTRIBUTE_READ, \
    .show = show_choice, .data = (gconstpointer) (gsize) (use) }

static const struct gb_attribute memory[] = {
  GB_ATTRIBUTE_FUNC ("heap-sizes", N_("Sizes of the memory heaps"), GB_VALUE_U64_LIST, GB_UNIT_BYTES, show_heap_sizes),
  GB_ATTRIBUTE_FUNC ("heap-budgets", N_("What this process may take of each heap now"), GB_VALUE_U64_LIST, GB_UNIT_BYTES,
                     show_heap_budgets),
  GB_ATTRIBUTE_FUNC ("heap-usage", N_("What this process has taken of each heap"), GB_VALUE_U64_LIST, GB_UNIT_BYTES,
                     show_heap_usage),
  GB_ATTRIBUTE ("main-heap", N_("The heap that buffers come from"), u32, GB_UNIT_NONE, struct vulkan_adapter,
                plan.memory.main_heap),
  GB_ATTRIBUTE_FUNC ("types", N_("Memory types"), GB_VALUE_STRING_LIST, GB_UNIT_NONE, show_types),
  CHOICE ("device-types", N_("Memory types for buffers and images, first choice first"), GABBRO_MEMORY_DEVICE),
  CHOICE ("upload-types", N_("Memory types for uploads, first choice first"), GABBRO_MEMORY_UPLOAD),
  CHOICE ("readback-types", N_("Memory types for downloads, first choice first"), GABBRO_MEMORY_READBACK),
};

/* Queues. */

static enum gb_show
show_families (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value,
               GError **error)
{
  static const struct gb_attribute_name names[] = {
    { VK_QUEUE_GRAPHICS_BIT, "graphics" },
    { VK_QUEUE_COMPUTE_BIT, "compute" },
    { VK_QUEUE_TRANSFER_BIT, "transfer" },
    { VK_QUEUE_SPARSE_BINDING_BIT, "sparse" },
  };
  const struct vulkan_adapter *adapter = state;
  char *texts[VULKAN_MAX_QUEUE_FAMILIES + 1] = { NULL };
  uint32_t n = adapter->snapshot.n_families;

  for (uint32_t i = 0; i < n; i++)
    {
      GString *text = g_string_new (NULL);
      g_string_append_printf (text, "%u: %u", i, adapter->snapshot.families[i].count);
      for (unsigned j = 0; j < G_N_ELEMENTS (names); j++)
        if ((adapter->snapshot.families[i].flags & names[j].value) != 0)
          g_string_append_printf (text, " %s", names[j].name);
      texts[i] = g_string_free (text, FALSE);
    }
  gb_value_set_string_list (value, (const char *const *) texts);
  for (uint32_t i = 0; i < n; i++)
    g_free (texts[i]);
  return GB_SHOW_OK;
}

static const struct gb_attribute queues[] = {
  GB_ATTRIBUTE_FUNC ("families", N_("Queue families with their numbers of queues"), GB_VALUE_STRING_LIST, GB_UNIT_NONE,
                     show_families),
  GB_ATTRIBUTE ("used", N_("Queues that an opened device has"), u32, GB_UNIT_COUNT, struct vulkan_adapter, plan.n_queues),
};

#define GROUP(variable, name_, title_)                        \
  static const struct gb_attribute_group variable##_group = { \
    .name = (name_), .title = (title_), .attributes = variable, .n_attributes = G_N_ELEMENTS (variable) \
  };

GROUP (general, "vulkan", N_("Vulkan"))
GROUP (limits, "vulkan-limits", N_("Vulkan limits"))
GROUP (float_controls, "vulkan-floats", N_("Vulkan float controls"))
GROUP (features, "vulkan-features", N_("Vulkan features that the device supports"))
GROUP (subgroups, "vulkan-subgroups", N_("Vulkan subgroups"))
GROUP (memory, "vulkan-memory", N_("Vulkan memory"))
GROUP (queues, "vulkan-queues", N_("Vulkan queues"))

const struct gb_attribute_group *const vulkan_adapter_groups[] = {
  &general_group, &memory_group, &queues_group, &limits_group, &subgroups_group, &float_controls_group, &features_group,
};
const unsigned vulkan_adapter_n_groups = G_N_ELEMENTS (vulkan_adapter_groups);
