/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/adapters.h"

#include <string.h>

#include "codegen/spirv/spirv.h"
#include "lib/fork.h"

struct gabbro_adapters
{
  struct gabbro_context_core *core;      /* a reference */
  struct gb_node *node;
  GMutex scan_lock;                      /* of one scan at a time */
  GPtrArray *gone;                       /* scan_lock */
  GMutex lock;                           /* of the two pointers */
  GPtrArray *all, *shown;
};

/* What every adapter says, from what its driver has filled in. */
static const struct gb_attribute_name type_names[] = {
  { GABBRO_ADAPTER_TYPE_OTHER, "other" },
  { GABBRO_ADAPTER_TYPE_INTEGRATED, "integrated" },
  { GABBRO_ADAPTER_TYPE_DISCRETE, "discrete" },
  { GABBRO_ADAPTER_TYPE_VIRTUAL, "virtual" },
  { GABBRO_ADAPTER_TYPE_CPU, "cpu" },
  { 0, NULL }
};

/* By the names that compiled kernels ask for them. */
static enum gb_show
show_features (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value, GError **error)
{
  const struct gabbro_driver_adapter *adapter = state;
  uint64_t features = gabbro_target_features (adapter->target_features);
  const char *names[SPIRV_N_FEATURES + 1] = { NULL };
  guint n = 0;

  for (unsigned i = 0; i < SPIRV_N_FEATURES; i++)
    if ((features >> i & 1) != 0)
      names[n++] = spirv_feature_name ((enum spirv_feature) i);
  gb_value_set_string_list (value, names);
  return GB_SHOW_OK;
}

static const struct gb_attribute adapter_attributes[] = {
  GB_ATTRIBUTE_TEXT ("name", N_("Name of the device"), struct gabbro_driver_adapter, info.name),
  GB_ATTRIBUTE_NAMES ("kind", N_("Kind of device"), enum, type_names, struct gabbro_driver_adapter, info.type),
  GB_ATTRIBUTE_TEXT ("driver-name", N_("Name of its driver"), struct gabbro_driver_adapter, info.driver_name),
  GB_ATTRIBUTE_TEXT ("driver-info", N_("Version of its driver"), struct gabbro_driver_adapter, info.driver_info),
  GB_ATTRIBUTE ("device-uuid", N_("Identity of the device"), uuid, GB_UNIT_NONE, struct gabbro_driver_adapter, info.device_uuid),
  GB_ATTRIBUTE ("driver-uuid", N_("Identity of the driver's build"), uuid, GB_UNIT_NONE, struct gabbro_driver_adapter, info.driver_uuid),
  GB_ATTRIBUTE ("memory-size", N_("Size of the largest heap of device memory"), u64, GB_UNIT_BYTES, struct gabbro_driver_adapter, info.device_memory),
  GB_ATTRIBUTE ("unusable", N_("Why the device cannot be opened"), string, GB_UNIT_NONE, struct gabbro_driver_adapter, unusable),
  GB_ATTRIBUTE_FUNC ("kernel-features", N_("Features that kernels may need"), GB_VALUE_STRING_LIST, GB_UNIT_NONE, show_features),
};

static const struct gb_attribute limit_attributes[] = {
  GB_ATTRIBUTE ("max-buffer-size", N_("Largest buffer"), u64, GB_UNIT_BYTES, struct gabbro_driver_adapter, limits.max_buffer_size),
  GB_ATTRIBUTE ("max-storage-buffer-range", N_("Largest part of a buffer that a kernel can be given"), u64, GB_UNIT_BYTES, struct gabbro_driver_adapter, limits.max_storage_buffer_range),
  GB_ATTRIBUTE ("max-allocation-size", N_("Largest piece of memory"), u64, GB_UNIT_BYTES, struct gabbro_driver_adapter, limits.max_allocation_size),
  GB_ATTRIBUTE_ARRAY ("max-group-count", N_("Most workgroups of one part of a dispatch"), u32, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.max_group_count),
  GB_ATTRIBUTE_ARRAY ("max-group-size", N_("Largest workgroup in each dimension"), u32, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.max_group_size),
  GB_ATTRIBUTE ("max-group-invocations", N_("Most threads of a workgroup"), u32, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.max_group_invocations),
  GB_ATTRIBUTE ("max-shared-memory", N_("Shared memory of a workgroup"), u32, GB_UNIT_BYTES, struct gabbro_driver_adapter, limits.max_shared_memory),
  GB_ATTRIBUTE ("max-push-constants", N_("Bytes of push constants"), u32, GB_UNIT_BYTES, struct gabbro_driver_adapter, limits.max_push_constants),
  GB_ATTRIBUTE ("max-storage-buffers", N_("Most buffers of a kernel"), u32, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.max_storage_buffers),
  GB_ATTRIBUTE ("max-storage-images", N_("Most images that a kernel writes"), u32, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.max_storage_images),
  GB_ATTRIBUTE ("max-sampled-images", N_("Most images that a kernel reads"), u32, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.max_sampled_images),
  GB_ATTRIBUTE ("max-resources", N_("Most buffers and images of a kernel together"), u32, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.max_resources),
  GB_ATTRIBUTE ("max-image-2d", N_("Longest side of an image"), u32, GB_UNIT_TEXELS, struct gabbro_driver_adapter, limits.max_image_2d),
  GB_ATTRIBUTE ("max-image-3d", N_("Longest side of an image of three dimensions"), u32, GB_UNIT_TEXELS, struct gabbro_driver_adapter, limits.max_image_3d),
  GB_ATTRIBUTE ("subgroup-size", N_("Threads of a subgroup"), u32_nonzero, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.subgroup_size),
};

static const struct gb_attribute_name format_uses[] = {
  { GABBRO_FORMAT_CAN_COPY, "copy" },
  { GABBRO_FORMAT_CAN_READ, "read" },
  { GABBRO_FORMAT_CAN_STORAGE_READ, "storage-read" },
  { GABBRO_FORMAT_CAN_STORAGE_WRITE, "storage-write" },
  { 0, NULL }
};

/* Of a format that there is not, no list. */
static enum gb_show
show_format (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value, GError **error)
{
  const uint32_t *uses = (const uint32_t *) ((const char *) state + attribute->offset);

  return *uses != 0 ? gb_attribute_show_mask32 (node, state, attribute, value, error) : GB_SHOW_ABSENT;
}

#define FORMAT(name_, which, dimension)                                                                             \
  { .name = name_, .description = N_("What images of the format can be used for"), .type = GB_VALUE_STRING_LIST,    \
    .mode = GB_ATTRIBUTE_READ, .show = show_format, .data = format_uses,                                            \
    .offset = offsetof (struct gabbro_driver_adapter, formats[which][dimension].uses) },

static const struct gb_attribute flat_format_attributes[] = {
#define GB_TEXEL(NAME, name, block, side, n, component, vulkan) FORMAT (name, GB_TEXEL_##NAME, 0)
#include "lib/texel.def"
#undef GB_TEXEL
};

static const struct gb_attribute deep_format_attributes[] = {
#define GB_TEXEL(NAME, name, block, side, n, component, vulkan) FORMAT (name, GB_TEXEL_##NAME, 1)
#include "lib/texel.def"
#undef GB_TEXEL
};

static const struct gb_attribute_group adapter_group = {
  .name = NULL, .title = N_("Adapter"), .attributes = adapter_attributes, .n_attributes = G_N_ELEMENTS (adapter_attributes)
};

static const struct gb_attribute_group limit_group = {
  .name = "limits", .title = N_("Limits"), .attributes = limit_attributes, .n_attributes = G_N_ELEMENTS (limit_attributes)
};

static const struct gb_attribute_group flat_format_group = {
  .name = "formats-2d", .title = N_("Formats of images of two dimensions"),
  .attributes = flat_format_attributes, .n_attributes = G_N_ELEMENTS (flat_format_attributes)
};

static const struct gb_attribute_group deep_format_group = {
  .name = "formats-3d", .title = N_("Formats of images of three dimensions"),
  .attributes = deep_format_attributes, .n_attributes = G_N_ELEMENTS (deep_format_attributes)
};

static const struct gb_attribute_group *const adapter_groups[] = {
  &adapter_group, &limit_group, &flat_format_group, &deep_format_group
};
static const struct gb_node_type adapter_type = { "adapter", NULL, NULL };

static GPtrArray *
array_new (void)
{
  return g_ptr_array_new_with_free_func (g_object_unref);
}

static void
append (GPtrArray *array, const GPtrArray *adapters)
{
  for (guint i = 0; i < adapters->len; i++)
    g_ptr_array_add (array, g_object_ref (adapters->pdata[i]));
}

static bool
is_foreign (const struct gabbro_adapters *adapters)
{
  return adapters->core->fork_generation != gb_fork_generation ();
}

struct gabbro_adapters *
gabbro_adapters_new (struct gabbro_context_core *core)
{
  struct gabbro_adapters *adapters = g_new0 (struct gabbro_adapters, 1);

  adapters->core = gabbro_context_core_ref (core);
  adapters->node = gabbro_folder_new (core->tree, NULL, "adapters");
  g_mutex_init (&adapters->scan_lock);
  g_mutex_init (&adapters->lock);
  adapters->gone = array_new ();
  adapters->all = array_new ();
  adapters->shown = array_new ();
  return adapters;
}

static void
forget_twins (GPtrArray *array)
{
  for (guint i = 0; i < array->len; i++)
    gabbro_adapter_set_twin (array->pdata[i], NULL);
}

void
gabbro_adapters_free (struct gabbro_adapters *adapters)
{
  bool foreign = is_foreign (adapters);

  if (!foreign)
    forget_twins (adapters->all);
  g_ptr_array_unref (adapters->all);
  g_ptr_array_unref (adapters->shown);
  g_ptr_array_unref (adapters->gone);
  if (!foreign)
    {
      gabbro_node_clear (&adapters->node);
      g_mutex_clear (&adapters->scan_lock);
      g_mutex_clear (&adapters->lock);
    }
  gabbro_context_core_unref (adapters->core);
  g_free (adapters);
}

/* A lock of the parent may be held by a thread that a child does not have. */
static GPtrArray *
snapshot (struct gabbro_adapters *adapters, GPtrArray **array)
{
  GPtrArray *copy;

  if (is_foreign (adapters))
    return g_ptr_array_ref (*array);
  g_mutex_lock (&adapters->lock);
  copy = g_ptr_array_ref (*array);
  g_mutex_unlock (&adapters->lock);
  return copy;
}

static void
replace (struct gabbro_adapters *adapters, GPtrArray **array, GPtrArray *with)
{
  GPtrArray *old;

  g_mutex_lock (&adapters->lock);
  old = *array;
  *array = with;
  g_mutex_unlock (&adapters->lock);
  g_ptr_array_unref (old);
}

GPtrArray *
gabbro_adapters_dup (struct gabbro_adapters *adapters)
{
  return snapshot (adapters, &adapters->all);
}

GPtrArray *
gabbro_adapters_dup_shown (struct gabbro_adapters *adapters)
{
  return snapshot (adapters, &adapters->shown);
}

/* The first name of the driver that no node has. */
static char *
choose_name (struct gabbro_adapters *adapters, const char *driver)
{
  for (guint number = 0;; number++)
    {
      char *name = g_strdup_printf ("%s%u", driver, number);
      char *path = g_strdup_printf ("/adapters/%s", name);
      struct gb_node *node = gb_tree_lookup (adapters->core->tree, path);

      g_free (path);
      if (node == NULL)
        return name;
      gb_node_unref (node);
      g_free (name);
    }
}

static GabbroAdapter *
make_adapter (struct gabbro_adapters *adapters, GabbroContext *context, const struct gabbro_bound_driver *bound,
              struct gabbro_driver_adapter *driver_adapter)
{
  char *name = choose_name (adapters, bound->driver->name);
  struct gb_node *node = gb_node_new (adapters->core->tree, &adapter_type, name, NULL);

  gb_node_add_groups (node, adapter_groups, G_N_ELEMENTS (adapter_groups), driver_adapter);
  if (driver_adapter->n_groups > 0)
    gb_node_add_groups (node, driver_adapter->groups, driver_adapter->n_groups, driver_adapter);
  gb_node_add (node, adapters->node, NULL);
  g_free (name);
  return gabbro_adapter_new (context, bound->instance, bound->driver, driver_adapter, node);
}

static bool
same_uuid (const struct gabbro_adapter_info *a, const struct gabbro_adapter_info *b)
{
  return memcmp (a->device_uuid, b->device_uuid, sizeof a->device_uuid) == 0;
}

/* Whether `adapter` is what the driver has found: of several equal ones, the first that has not been found yet. */
static bool
is_found (GabbroAdapter *adapter, const struct gabbro_driver *driver, const struct gabbro_adapter_info *info)
{
  const struct gabbro_adapter_info *known = &gabbro_adapter_get_driver_adapter (adapter)->info;

  return g_str_equal (gabbro_adapter_get_driver (adapter), driver->name) && same_uuid (known, info)
         && known->has_pci == info->has_pci
         && (!info->has_pci || (known->pci_domain == info->pci_domain && known->pci_bus == info->pci_bus
                                && known->pci_device == info->pci_device && known->pci_function == info->pci_function));
}

/* What a scan has seen of the array that there was before. */
struct scan
{
  GPtrArray *before;
  bool *found;                           /* for each of them */
  GPtrArray *added;
};

static bool
find_known (const struct scan *scan, const struct gabbro_driver *driver, const struct gabbro_adapter_info *info)
{
  for (guint i = 0; i < scan->before->len; i++)
    if (!scan->found[i] && is_found (scan->before->pdata[i], driver, info))
      {
        scan->found[i] = true;
        return true;
      }
  return false;
}

/* Whether anything of the binding is new, so that it has to stay. */
static bool
look_at_binding (struct gabbro_adapters *adapters, GabbroContext *context, struct scan *scan, const struct gabbro_bound_driver *bound)
{
  guint n_before = scan->added->len;

  for (unsigned i = 0; i < bound->instance->n_adapters; i++)
    if (!find_known (scan, bound->driver, &bound->instance->adapters[i]->info))
      g_ptr_array_add (scan->added, make_adapter (adapters, context, bound, bound->instance->adapters[i]));
  return scan->added->len > n_before;
}

static void
set_twins (GPtrArray *array)
{
  for (guint i = 0; i < array->len; i++)
    {
      const struct gabbro_adapter_info *info = &gabbro_adapter_get_driver_adapter (array->pdata[i])->info;
      GabbroAdapter *twin = NULL;

      for (guint j = 0; j < i && twin == NULL; j++)
        if (same_uuid (&gabbro_adapter_get_driver_adapter (array->pdata[j])->info, info))
          twin = array->pdata[j];
      gabbro_adapter_set_twin (array->pdata[i], twin);
    }
}

/* Those that are still there in their old order, then the new ones. */
static bool
finish_scan (struct gabbro_adapters *adapters, struct scan *scan)
{
  GPtrArray *after = array_new ();
  bool changed = scan->added->len > 0;

  for (guint i = 0; i < scan->before->len; i++)
    if (scan->found[i])
      g_ptr_array_add (after, g_object_ref (scan->before->pdata[i]));
  changed = changed || after->len < scan->before->len;
  append (after, scan->added);
  set_twins (after);
  replace (adapters, &adapters->all, after);
  for (guint i = 0; i < scan->before->len; i++)
    if (!scan->found[i])
      {
        gabbro_adapter_remove (scan->before->pdata[i]);
        g_ptr_array_add (adapters->gone, g_object_ref (scan->before->pdata[i]));
      }
  return changed;
}

/* Drivers come in the order of their names; an adapter that only its name makes the choice comes last. */
static gint
compare_bindings (gconstpointer a, gconstpointer b)
{
  const struct gabbro_bound_driver *one = (*(struct gb_binding *const *) a)->data, *two = (*(struct gb_binding *const *) b)->data;
  bool one_last = one->instance->n_adapters > 0 && one->instance->adapters[0]->only_by_name;
  bool two_last = two->instance->n_adapters > 0 && two->instance->adapters[0]->only_by_name;

  return one_last != two_last ? one_last - two_last : strcmp (one->driver->name, two->driver->name);
}

bool
gabbro_adapters_scan (struct gabbro_adapters *adapters, GabbroContext *context)
{
  struct scan scan;
  GPtrArray *bindings, *failed = g_ptr_array_new_with_free_func (g_free);
  bool changed;

  g_mutex_lock (&adapters->scan_lock);
  bindings = gabbro_context_core_probe (adapters->core, failed);
  g_ptr_array_sort (bindings, compare_bindings);
  scan.before = gabbro_adapters_dup (adapters);
  scan.found = g_new0 (bool, scan.before->len + 1);
  scan.added = array_new ();
  for (guint i = 0; i < bindings->len;)
    if (look_at_binding (adapters, context, &scan, ((struct gb_binding *) bindings->pdata[i])->data))
      g_ptr_array_add (adapters->core->bindings, g_ptr_array_steal_index (bindings, i));
    else
      i++;
  /* A driver that fails now says nothing of its devices. */
  for (guint i = 0; i < scan.before->len; i++)
    scan.found[i] = scan.found[i]
                    || g_ptr_array_find_with_equal_func (failed, gabbro_adapter_get_driver (scan.before->pdata[i]), g_str_equal, NULL);
  changed = finish_scan (adapters, &scan);
  g_mutex_unlock (&adapters->scan_lock);
  g_ptr_array_unref (bindings);
  g_ptr_array_unref (failed);
  g_ptr_array_unref (scan.before);
  g_ptr_array_unref (scan.added);
  g_free (scan.found);
  return changed;
}

bool
gabbro_adapters_show_next (struct gabbro_adapters *adapters, guint *position, guint *n_removed, guint *n_added,
                           GPtrArray **changed)
{
  GPtrArray *all = gabbro_adapters_dup (adapters), *shown = gabbro_adapters_dup_shown (adapters);
  GPtrArray *next = NULL;

  *changed = array_new ();
  for (guint i = 0; i < shown->len && next == NULL; i++)
    if (!g_ptr_array_find (all, shown->pdata[i], NULL))
      {
        next = array_new ();
        append (next, shown);
        g_ptr_array_add (*changed, g_object_ref (shown->pdata[i]));
        g_ptr_array_remove_index (next, i);
        *position = i;
        *n_removed = 1;
        *n_added = 0;
      }
  /* The order of what stays does not change, and what is new comes last. */
  if (next == NULL && shown->len < all->len)
    {
      next = g_ptr_array_ref (all);
      for (guint i = shown->len; i < all->len; i++)
        g_ptr_array_add (*changed, g_object_ref (all->pdata[i]));
      *position = shown->len;
      *n_removed = 0;
      *n_added = all->len - shown->len;
    }
  g_ptr_array_unref (all);
  g_ptr_array_unref (shown);
  if (next == NULL)
    {
      g_clear_pointer (changed, g_ptr_array_unref);
      return false;
    }
  replace (adapters, &adapters->shown, next);
  return true;
}
