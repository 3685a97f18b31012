/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/context-core.h"

#include <string.h>

#include "gpu/async.h"
#include "gpu/attribute-private.h"
#include "gpu/gabbro-private.h"
#include "gpu/select.h"
#include "lib/fork.h"

/**
 * GabbroContext:
 *
 * Where everything begins: a context finds the drivers and adapters of the
 * machine and holds the tree of nodes in which they, and all that is opened later,
 * can be looked at.
 *
 * A program makes one context and opens a device:
 *
 * |[<!-- language="C" -->
 * GabbroContext *context = gabbro_context_new (NULL, &error);
 * GabbroDevice *device = gabbro_context_open_device (context, NULL, &error);
 * ]|
 *
 * Thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroContext
{
  GObject parent_instance;

  struct gabbro_context_core *core;
  struct gb_node *adapters_node;
  GPtrArray *adapters;                   /* of GabbroAdapter */
};

G_DEFINE_FINAL_TYPE (GabbroContext, gabbro_context, G_TYPE_OBJECT)

static void
gabbro_context_dispose (GObject *object)
{
  GabbroContext *self = GABBRO_CONTEXT (object);
  gboolean ours = self->core != NULL && self->core->fork_generation == gb_fork_generation ();

  /* Adapters may be held longer by others. */
  for (guint i = 0; self->adapters != NULL && i < self->adapters->len; i++)
    gabbro_adapter_forget_context (self->adapters->pdata[i]);
  g_clear_pointer (&self->adapters, g_ptr_array_unref);
  if (ours)
    gabbro_node_clear (&self->adapters_node);
  g_clear_pointer (&self->core, gabbro_context_core_unref);
  G_OBJECT_CLASS (gabbro_context_parent_class)->dispose (object);
}

static void
gabbro_context_class_init (GabbroContextClass *class)
{
  G_OBJECT_CLASS (class)->dispose = gabbro_context_dispose;
}

static void
gabbro_context_init (GabbroContext *self)
{
}

struct gabbro_context_core *
gabbro_context_get_core (GabbroContext *self)
{
  return self->core;
}

/* What every adapter says, from what its driver has filled in. */
static const struct gb_attribute_name type_names[] = {
  { GABBRO_ADAPTER_TYPE_OTHER, "other" },
  { GABBRO_ADAPTER_TYPE_INTEGRATED, "integrated" },
  { GABBRO_ADAPTER_TYPE_DISCRETE, "discrete" },
  { GABBRO_ADAPTER_TYPE_VIRTUAL, "virtual" },
  { GABBRO_ADAPTER_TYPE_CPU, "cpu" },
  { 0, NULL }
};

static const struct gb_attribute adapter_attributes[] = {
  GB_ATTRIBUTE_TEXT ("name", N_("Name of the device"), struct gabbro_driver_adapter, info.name),
  GB_ATTRIBUTE_NAMES ("kind", N_("Kind of device"), enum, type_names, struct gabbro_driver_adapter, info.type),
  GB_ATTRIBUTE_TEXT ("driver-name", N_("Name of its driver"), struct gabbro_driver_adapter, info.driver_name),
  GB_ATTRIBUTE_TEXT ("driver-info", N_("Version of its driver"), struct gabbro_driver_adapter, info.driver_info),
  GB_ATTRIBUTE ("device-uuid", N_("Identity of the device"), uuid, GB_UNIT_NONE, struct gabbro_driver_adapter, info.device_uuid),
  GB_ATTRIBUTE ("driver-uuid", N_("Identity of the driver's build"), uuid, GB_UNIT_NONE, struct gabbro_driver_adapter, info.driver_uuid),
  GB_ATTRIBUTE ("memory-size", N_("Size of the largest heap of device memory"), u64, GB_UNIT_BYTES, struct gabbro_driver_adapter, info.device_memory),
  GB_ATTRIBUTE ("unusable", N_("Why the device cannot be opened"), string, GB_UNIT_NONE, struct gabbro_driver_adapter, unusable),
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
  GB_ATTRIBUTE ("max-image-2d", N_("Longest side of an image"), u32, GB_UNIT_TEXELS, struct gabbro_driver_adapter, limits.max_image_2d),
  GB_ATTRIBUTE ("subgroup-size", N_("Threads of a subgroup"), u32_nonzero, GB_UNIT_COUNT, struct gabbro_driver_adapter, limits.subgroup_size),
};

static const struct gb_attribute_group adapter_group = {
  .name = NULL, .title = N_("Adapter"), .attributes = adapter_attributes, .n_attributes = G_N_ELEMENTS (adapter_attributes)
};

static const struct gb_attribute_group limit_group = {
  .name = "limits", .title = N_("Limits"), .attributes = limit_attributes, .n_attributes = G_N_ELEMENTS (limit_attributes)
};

static const struct gb_attribute_group *const adapter_groups[] = { &adapter_group, &limit_group };
static const struct gb_node_type adapter_type = { "adapter", NULL, NULL };

static void
add_adapter (GabbroContext *self, const struct gabbro_bound_driver *bound, guint number)
{
  struct gabbro_driver_adapter *driver_adapter = bound->instance->adapters[number];
  char *name = g_strdup_printf ("%s%u", bound->driver->name, number);
  struct gb_node *node = gb_node_new (self->core->tree, &adapter_type, name, NULL);
  GabbroAdapter *adapter;

  gb_node_add_groups (node, adapter_groups, G_N_ELEMENTS (adapter_groups), driver_adapter);
  if (driver_adapter->n_groups > 0)
    gb_node_add_groups (node, driver_adapter->groups, driver_adapter->n_groups, driver_adapter);
  gb_node_add (node, self->adapters_node, NULL);
  adapter = gabbro_adapter_new (self, bound->instance, bound->driver, driver_adapter, node);
  for (guint i = 0; i < self->adapters->len; i++)
    {
      GabbroAdapter *other = self->adapters->pdata[i];
      const struct gabbro_adapter_info *info = &gabbro_adapter_get_driver_adapter (other)->info;

      if (memcmp (info->device_uuid, driver_adapter->info.device_uuid, sizeof info->device_uuid) == 0
          && gabbro_adapter_get_twin (other) == NULL)
        {
          gabbro_adapter_set_twin (adapter, other);
          break;
        }
    }
  g_ptr_array_add (self->adapters, adapter);
  g_free (name);
}

static void
bind_text_domain (void)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      bindtextdomain (GETTEXT_PACKAGE, GABBRO_LOCALEDIR);
      bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
      g_once_init_leave (&once, 1);
    }
}

/**
 * gabbro_context_new:
 * @options: (nullable): a dictionary of type a{sv} with strings, or %NULL
 * @error: return location for an error
 *
 * Finds the drivers and the adapters of the machine. A driver that cannot be
 * loaded, or fails, hides no other: gabbro_context_list_messages() names it. A
 * machine without any adapter gives a context without adapters, and no error.
 *
 * Options, each also taken from the environment variable in parentheses: `driver-path`
 * (`GABBRO_DRIVER_PATH`), the folder of driver modules; `device` (`GABBRO_DEVICE`), the
 * adapter to open by default; `device-mask` (`GABBRO_DEVICE_MASK`), which makes devices
 * look stricter than they are; `validation` (`GABBRO_VALIDATION`), "1" for Vulkan's validation
 * layers; `optimization` (`GABBRO_OPTIMIZATION`); `debug` (`GABBRO_DEBUG`); `dump` (`GABBRO_DUMP`);
 * `reap-limit` (`GABBRO_REAP_LIMIT`); `null` (`GABBRO_NULL`), the driver without a device. gabbro-environment(7) describes them all.
 *
 * @options is consumed if it is floating. Blocks while drivers start, some
 * milliseconds. Thread-safe.
 *
 * Returns: (transfer full): a context, or %NULL for an unknown option
 *   (%GABBRO_ERROR_INVALID_ARGUMENT)
 *
 * Since: 0.1
 */
GabbroContext *
gabbro_context_new (GVariant *options, GError **error)
{
  struct gabbro_context_core *core;
  GabbroContext *self;

  bind_text_domain ();
  if (options != NULL)
    g_variant_ref_sink (options);
  core = gabbro_context_core_new (options, error);
  g_clear_pointer (&options, g_variant_unref);
  if (core == NULL)
    return NULL;
  self = g_object_new (GABBRO_TYPE_CONTEXT, NULL);
  self->core = core;
  self->adapters = g_ptr_array_new_with_free_func (g_object_unref);
  self->adapters_node = gabbro_folder_new (core->tree, NULL, "adapters");
  gabbro_context_core_probe (core);
  for (guint i = 0; i < core->bindings->len; i++)
    {
      const struct gabbro_bound_driver *bound = ((struct gb_binding *) core->bindings->pdata[i])->data;
      for (guint j = 0; j < bound->instance->n_adapters; j++)
        add_adapter (self, bound, j);
    }
  return self;
}

static gpointer
run_new (const struct gabbro_work *work, GError **error)
{
  return gabbro_context_new (work->variant, error);
}

/**
 * gabbro_context_new_async:
 * @options: (nullable): as of gabbro_context_new()
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_context_new(), without blocking. @callback is called in the thread-default main
 * context of the caller, which is also the one that signals of the new context run in.
 *
 * Since: 0.1
 */
void
gabbro_context_new_async (GVariant *options, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  const struct gabbro_work work = { .run = run_new, .free_result = g_object_unref, .variant = options };

  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (NULL, gabbro_context_new_async), &work);
}

/**
 * gabbro_context_new_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Returns: (transfer full): a context, or %NULL
 *
 * Since: 0.1
 */
GabbroContext *
gabbro_context_new_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_context_new_async, error);
}

/**
 * gabbro_context_get_n_adapters:
 * @self: a context
 *
 * Returns: the number of adapters, those that cannot be opened included
 *
 * Since: 0.1
 */
guint
gabbro_context_get_n_adapters (GabbroContext *self)
{
  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), 0);

  return self->adapters->len;
}

/**
 * gabbro_context_get_adapter:
 * @self: a context
 * @index: its number, from 0
 *
 * The order means nothing and may change from run to run: keep an adapter's UUID or
 * PCI address to find it again.
 *
 * Returns: (transfer none) (nullable): the adapter, or %NULL past the last
 *
 * Since: 0.1
 */
GabbroAdapter *
gabbro_context_get_adapter (GabbroContext *self, guint index)
{
  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);

  return index < self->adapters->len ? self->adapters->pdata[index] : NULL;
}

/* Locks of the parent may be held by threads that a child does not have. */
static gboolean
check_process (GabbroContext *self, GError **error)
{
  if (self->core->fork_generation == gb_fork_generation ())
    return TRUE;
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_PROCESS,
                       _("The context was made before fork(); the child has to make its own"));
  return FALSE;
}

/* Selection. */

static struct gabbro_candidate *
candidates_of (GabbroContext *self)
{
  struct gabbro_candidate *candidates = g_new0 (struct gabbro_candidate, self->adapters->len + 1);

  for (guint i = 0; i < self->adapters->len; i++)
    {
      GabbroAdapter *adapter = self->adapters->pdata[i];

      candidates[i].info = &gabbro_adapter_get_driver_adapter (adapter)->info;
      candidates[i].driver = gabbro_adapter_get_driver (adapter);
      candidates[i].path = gabbro_adapter_get_path (adapter);
      candidates[i].unusable = gabbro_adapter_get_unusable_reason (adapter);
    }
  return candidates;
}

static char *
list_names (GabbroContext *self)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < self->adapters->len; i++)
    g_string_append_printf (names, "%s“%s”", i > 0 ? ", " : "", gabbro_adapter_get_name (self->adapters->pdata[i]));
  if (names->len == 0)
    g_string_append (names, _("none"));
  return g_string_free (names, FALSE);
}

static int
select_default (GabbroContext *self, const struct gabbro_candidate *candidates, const char **reason)
{
  const char *mesa = secure_getenv ("MESA_VK_DEVICE_SELECT");
  int found = -1;

  if (mesa != NULL)
    found = gabbro_select_mesa (candidates, self->adapters->len, mesa);
  if (found >= 0 && candidates[found].unusable == NULL)
    {
      *reason = _("chosen by MESA_VK_DEVICE_SELECT");
      return found;
    }
  *reason = self->adapters->len == 1 ? _("the only adapter") : _("the best adapter: a device before a CPU, more memory first");
  return gabbro_select_best (candidates, self->adapters->len);
}

static void
set_no_device (GabbroContext *self, GError **error)
{
  char **messages = gabbro_context_list_messages (self);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->adapters->len; i++)
    g_string_append_printf (text, " “%s”: %s.", gabbro_adapter_get_name (self->adapters->pdata[i]),
                            gabbro_adapter_get_unusable_reason (self->adapters->pdata[i]));
  for (char **message = messages; *message != NULL; message++)
    g_string_append_printf (text, " %s.", *message);
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DEVICE, _("No adapter can be used.%s"), text->str);
  g_string_free (text, TRUE);
  g_strfreev (messages);
}

/**
 * gabbro_context_select_adapter:
 * @self: a context
 * @wanted: (nullable): which adapter: its path or the last part of it ("vulkan0"), its UUID, its
 *   PCI address, the name of a driver, or a part of its name; %NULL for the user's choice
 *   (option `device`, `MESA_VK_DEVICE_SELECT`) or else the best
 * @reason: (out) (optional) (transfer full): why this one, in the user's language
 * @error: return location for an error
 *
 * Chooses an adapter. CPU implementations are chosen only where there is nothing
 * else or they are asked for.
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none): the adapter, or %NULL when none fits
 *   (%GABBRO_ERROR_NO_DEVICE; the message names what there is), when its driver is not there
 *   (%GABBRO_ERROR_NO_DRIVER, for paths) or cannot be loaded (%GABBRO_ERROR_BAD_DRIVER)
 *
 * Since: 0.1
 */
GabbroAdapter *
gabbro_context_select_adapter (GabbroContext *self, const char *wanted, char **reason, GError **error)
{
  struct gabbro_candidate *candidates;
  const char *why = NULL;
  GabbroAdapter *adapter = NULL;
  int found;

  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!check_process (self, error))
    return NULL;
  candidates = candidates_of (self);
  if (wanted != NULL)
    why = _("asked for");
  else
    {
      wanted = gabbro_context_core_option (self->core, "device");
      why = _("chosen by GABBRO_DEVICE");
    }
  if (wanted != NULL)
    found = gabbro_select_wanted (candidates, self->adapters->len, wanted);
  else
    found = select_default (self, candidates, &why);
  if (found >= 0)
    {
      adapter = self->adapters->pdata[found];
      if (reason != NULL)
        *reason = g_strdup (why);
    }
  else if (wanted != NULL && !gabbro_context_core_explain_driver (self->core, wanted, error))
    {
      char *names = list_names (self);
      char *shown = g_utf8_make_valid (wanted, -1);
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DEVICE, _("No adapter fits “%s”; there are: %s"), shown, names);
      g_free (shown);
      g_free (names);
    }
  else if (wanted == NULL)
    set_no_device (self, error);
  g_free (candidates);
  return adapter;
}

/**
 * gabbro_context_open_device:
 * @self: a context
 * @wanted: (nullable): as of gabbro_context_select_adapter()
 * @error: return location for an error
 *
 * Chooses an adapter and opens it. Blocks while the driver opens the device, some
 * milliseconds. Thread-safe.
 *
 * Returns: (transfer full): a new device, or %NULL
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_context_open_device (GabbroContext *self, const char *wanted, GError **error)
{
  GabbroAdapter *adapter;

  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);

  adapter = gabbro_context_select_adapter (self, wanted, NULL, error);
  return adapter != NULL ? gabbro_adapter_open (adapter, error) : NULL;
}

static gpointer
run_open (const struct gabbro_work *work, GError **error)
{
  return gabbro_context_open_device (work->objects[0], work->texts[0], error);
}

/**
 * gabbro_context_open_device_async:
 * @self: a context
 * @wanted: (nullable): as of gabbro_context_select_adapter()
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_context_open_device(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_context_open_device_async (GabbroContext *self,
                                  const char *wanted,
                                  GCancellable *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  const struct gabbro_work work = { .run = run_open, .free_result = g_object_unref, .objects = { self }, .texts = { wanted } };

  g_return_if_fail (GABBRO_IS_CONTEXT (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (self, gabbro_context_open_device_async), &work);
}

/**
 * gabbro_context_open_device_finish:
 * @self: a context
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Returns: (transfer full): a new device, or %NULL
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_context_open_device_finish (GabbroContext *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_context_open_device_async, error);
}

/**
 * gabbro_context_list_drivers:
 * @self: a context
 *
 * Returns: (transfer full): the names of the drivers that were found, in order
 *
 * Since: 0.1
 */
char **
gabbro_context_list_drivers (GabbroContext *self)
{
  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);

  return gb_driver_registry_names (self->core->registry);
}

/**
 * gabbro_context_list_messages:
 * @self: a context
 *
 * What went wrong without making anything fail, such as drivers that could not be
 * loaded; up to 256 of them. Thread-safe.
 *
 * Returns: (transfer full): messages in the user's language, oldest first
 *
 * Since: 0.1
 */
char **
gabbro_context_list_messages (GabbroContext *self)
{
  GStrvBuilder *builder;
  char **messages;

  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);

  builder = g_strv_builder_new ();
  if (check_process (self, NULL))
    {
      g_mutex_lock (&self->core->lock);
      for (guint i = 0; i < self->core->messages->len; i++)
        g_strv_builder_add (builder, self->core->messages->pdata[i]);
      g_mutex_unlock (&self->core->lock);
    }
  messages = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  return messages;
}

/* The tree. */

static struct gb_node *
look_up (GabbroContext *self, const char *path, GError **error)
{
  struct gb_node *node;

  if (!check_process (self, error))
    return NULL;
  node = gb_tree_lookup (self->core->tree, path);
  if (node == NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("There is no node “%s”"), path);
  return node;
}

/**
 * gabbro_context_list_nodes:
 * @self: a context
 * @path: a path such as "/adapters", or "/" for the top
 * @error: return location for an error
 *
 * Lists the paths of the nodes below one. Thread-safe.
 *
 * Returns: (transfer full): paths in the order in which the nodes were added, or
 *   %NULL for a path that is not there (%GABBRO_ERROR_NOT_FOUND)
 *
 * Since: 0.1
 */
char **
gabbro_context_list_nodes (GabbroContext *self, const char *path, GError **error)
{
  struct gb_node *node = NULL;
  GPtrArray *children;
  GStrvBuilder *builder;
  char **paths;

  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  if (!check_process (self, error))
    return NULL;
  if (strcmp (path, "/") == 0)
    children = gb_tree_roots (self->core->tree);
  else
    {
      node = look_up (self, path, error);
      if (node == NULL)
        return NULL;
      children = gb_node_children (node);
    }
  builder = g_strv_builder_new ();
  for (guint i = 0; i < children->len; i++)
    {
      char *child = gb_node_path (children->pdata[i]);
      if (child != NULL)
        g_strv_builder_add (builder, child);
      g_free (child);
    }
  paths = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  g_ptr_array_unref (children);
  gb_node_unref (node);
  return paths;
}

static bool
add_attribute (struct gb_node *node, const struct gb_attribute_group *group, const struct gb_attribute *attribute, gpointer data)
{
  struct gb_value value = GB_VALUE_INIT;
  GVariant *variant = NULL;

  if (gb_node_show_attribute (node, group, attribute, &value, NULL) == GB_SHOW_OK)
    variant = gb_value_to_variant (&value);
  g_ptr_array_add (data, gabbro_attribute_new (group, attribute, variant));
  gb_value_clear (&value);
  return true;
}

/**
 * gabbro_context_list_attributes:
 * @self: a context
 * @path: the path of a node
 * @error: return location for an error
 *
 * Reads everything that a node says of itself, group by group. Thread-safe; does
 * not block on the device.
 *
 * Returns: (transfer container) (element-type GabbroAttribute): the attributes, or %NULL
 *   (%GABBRO_ERROR_NOT_FOUND)
 *
 * Since: 0.1
 */
GPtrArray *
gabbro_context_list_attributes (GabbroContext *self, const char *path, GError **error)
{
  struct gb_node *node;
  GPtrArray *attributes;

  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  node = look_up (self, path, error);
  if (node == NULL)
    return NULL;
  attributes = g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_attribute_unref);
  gb_node_visit_attributes (node, add_attribute, attributes);
  gb_node_unref (node);
  return attributes;
}

/* An error of the tree as one of ours. */
static void
translate_tree_error (GError *tree_error, GError **error)
{
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                       tree_error != NULL ? tree_error->message : _("The attribute cannot be read"));
  g_clear_error (&tree_error);
}

/**
 * gabbro_context_get_attribute:
 * @self: a context
 * @path: the path of a node
 * @name: an attribute, "group.name" or "name"
 * @error: return location for an error
 *
 * Reads one attribute. One that the node does not have gives %NULL without an
 * error when the node knows the name and has no such thing.
 *
 * Returns: (transfer full) (nullable): its value
 *
 * Since: 0.1
 */
GVariant *
gabbro_context_get_attribute (GabbroContext *self, const char *path, const char *name, GError **error)
{
  struct gb_node *node;
  struct gb_value value = GB_VALUE_INIT;
  GVariant *variant = NULL;
  GError *tree_error = NULL;

  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), NULL);
  g_return_val_if_fail (path != NULL && name != NULL, NULL);

  node = look_up (self, path, error);
  if (node == NULL)
    return NULL;
  if (gb_node_find_attribute (node, name, NULL) == NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The node “%s” has no attribute “%s”"), path, name);
  else
    switch (gb_node_show (node, name, &value, &tree_error))
      {
      case GB_SHOW_OK:
        variant = g_variant_ref_sink (gb_value_to_variant (&value));
        break;
      case GB_SHOW_FAILED:
        translate_tree_error (tree_error, error);
        break;
      case GB_SHOW_ABSENT:
      default:
        break;
      }
  gb_value_clear (&value);
  gb_node_unref (node);
  return variant;
}

/**
 * gabbro_context_set_attribute:
 * @self: a context
 * @path: the path of a node
 * @name: an attribute, "group.name" or "name"
 * @value: its new value; consumed if it is floating
 * @error: return location for an error
 *
 * Changes an attribute. Thread-safe.
 *
 * Returns: whether that could be done
 *
 * Since: 0.1
 */
gboolean
gabbro_context_set_attribute (GabbroContext *self, const char *path, const char *name, GVariant *value, GError **error)
{
  struct gb_node *node;
  const struct gb_attribute *attribute = NULL;
  struct gb_value stored = GB_VALUE_INIT;
  GError *tree_error = NULL;
  gboolean ok = FALSE;

  g_return_val_if_fail (GABBRO_IS_CONTEXT (self), FALSE);
  g_return_val_if_fail (path != NULL && name != NULL && value != NULL, FALSE);

  g_variant_ref_sink (value);
  node = look_up (self, path, error);
  if (node != NULL)
    attribute = gb_node_find_attribute (node, name, NULL);
  if (node != NULL && attribute == NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The node “%s” has no attribute “%s”"), path, name);
  else if (attribute != NULL && !gb_value_from_variant (&stored, attribute->type, value))
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("The attribute “%s” takes a value of type %s, not %s"),
                 name, gb_value_type_name (attribute->type), g_variant_get_type_string (value));
  else if (attribute != NULL)
    {
      ok = gb_node_store (node, name, &stored, &tree_error);
      if (!ok)
        translate_tree_error (tree_error, error);
    }
  gb_value_clear (&stored);
  gb_node_unref (node);
  g_variant_unref (value);
  return ok;
}
