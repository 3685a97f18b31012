/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/context-core.h"

#include <string.h>

#include "gpu/adapters.h"
#include "gpu/async.h"
#include "gpu/attribute-private.h"
#include "gpu/gabbro-private.h"
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
  struct gabbro_adapters *adapters;
  struct gabbro_notifier *notifier;      /* of adapters and messages */
  bool is_telling, tell_again;           /* of the main context */
};

enum { ADAPTER_ADDED, ADAPTER_REMOVED, MESSAGE, N_SIGNALS };

static guint signals[N_SIGNALS];

static void init_list_model (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (GabbroContext, gabbro_context, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, init_list_model))

#define IS_WHOLE(self) (GABBRO_IS_CONTEXT (self) && (self)->core != NULL)

gboolean
gabbro_context_is_whole (gpointer object)
{
  GabbroContext *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroContext:n-adapters:
 *
 * The number of adapters. Changes by gabbro_context_rescan(); notified in the main context
 * that was the thread-default one when the context was made.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_context_property_rows[] = {
  GABBRO_PLAIN ("n-adapters", UINT, gabbro_context_get_n_adapters),
};

GABBRO_DEFINE_PROPERTIES (gabbro_context)

static void
gabbro_context_finalize (GObject *object)
{
  GabbroContext *self = GABBRO_CONTEXT (object);

  gabbro_notifier_end (&self->notifier);
  g_clear_pointer (&self->adapters, gabbro_adapters_free);
  g_clear_pointer (&self->core, gabbro_context_core_unref);
  G_OBJECT_CLASS (gabbro_context_parent_class)->finalize (object);
}

static void
gabbro_context_class_init (GabbroContextClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_context_finalize;
  gabbro_properties_install (class, &gabbro_context_properties);

  /**
   * GabbroContext::adapter-added:
   * @self: a context
   * @adapter: an adapter that was not there before
   *
   * gabbro_context_rescan() has found an adapter. Emitted in the main context that was the thread-default
   * one when the context was made, after #GListModel::items-changed, and never under a lock.
   *
   * Since: 0.1
   */
  signals[ADAPTER_ADDED] = g_signal_new ("adapter-added", GABBRO_TYPE_CONTEXT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 1, GABBRO_TYPE_ADAPTER);

  /**
   * GabbroContext::adapter-removed:
   * @self: a context
   * @adapter: an adapter that is no longer there
   *
   * gabbro_context_rescan() has not found an adapter again. Emitted as #GabbroContext::adapter-added is.
   *
   * Since: 0.1
   */
  signals[ADAPTER_REMOVED] = g_signal_new ("adapter-removed", GABBRO_TYPE_CONTEXT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                           G_TYPE_NONE, 1, GABBRO_TYPE_ADAPTER);

  /**
   * GabbroContext::message:
   * @self: a context
   * @text: a message in the user's language
   *
   * Something went wrong that made nothing fail. Emitted for what happens while a handler is connected, in
   * the main context that was the thread-default one when the context was made, and never under a lock.
   * gabbro_context_list_messages() has what came before.
   *
   * Since: 0.1
   */
  signals[MESSAGE] = g_signal_new ("message", GABBRO_TYPE_CONTEXT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
}

static void
gabbro_context_init (GabbroContext *self)
{
}

/* The list model shows what the main context has been told. */

static GType
get_item_type (GListModel *model)
{
  return GABBRO_TYPE_ADAPTER;
}

static guint
get_n_items (GListModel *model)
{
  GabbroContext *self = GABBRO_CONTEXT (model);
  GPtrArray *shown;
  guint n;

  if (self->core == NULL)
    return 0;
  shown = gabbro_adapters_dup_shown (self->adapters);
  n = shown->len;
  g_ptr_array_unref (shown);
  return n;
}

static gpointer
get_item (GListModel *model, guint position)
{
  GabbroContext *self = GABBRO_CONTEXT (model);
  GPtrArray *shown;
  gpointer item;

  if (self->core == NULL)
    return NULL;
  shown = gabbro_adapters_dup_shown (self->adapters);
  item = position < shown->len ? g_object_ref (shown->pdata[position]) : NULL;
  g_ptr_array_unref (shown);
  return item;
}

static void
init_list_model (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static void
tell_adapters (GabbroContext *self)
{
  guint position, n_removed, n_added;
  GPtrArray *changed;
  bool any = false;

  while (gabbro_adapters_show_next (self->adapters, &position, &n_removed, &n_added, &changed))
    {
      any = true;
      g_list_model_items_changed (G_LIST_MODEL (self), position, n_removed, n_added);
      for (guint i = 0; i < changed->len; i++)
        g_signal_emit (self, signals[n_removed > 0 ? ADAPTER_REMOVED : ADAPTER_ADDED], 0, changed->pdata[i]);
      g_ptr_array_unref (changed);
    }
  if (any)
    g_object_notify (G_OBJECT (self), "n-adapters");
}

static void
tell_messages (GabbroContext *self)
{
  GPtrArray *messages = gabbro_context_core_take_messages (self->core);

  for (guint i = 0; i < messages->len; i++)
    g_signal_emit (self, signals[MESSAGE], 0, messages->pdata[i]);
  g_ptr_array_unref (messages);
}

static void
emit_news (gpointer object)
{
  GabbroContext *self = object;

  /* A handler may scan again, or run the main loop: one thing after the other. */
  if (self->is_telling)
    {
      self->tell_again = true;
      return;
    }
  self->is_telling = true;
  tell_adapters (self);
  tell_messages (self);
  self->is_telling = false;
  if (self->tell_again)
    gabbro_notifier_post (self->notifier);
  self->tell_again = false;
}

static bool
has_listener (gpointer object)
{
  return gabbro_has_handler (object, signals[MESSAGE], NULL);
}

static const struct gabbro_notifier_class notifier_class = { emit_news, has_listener };

struct gabbro_context_core *
gabbro_context_get_core (GabbroContext *self)
{
  return self->core;
}

GPtrArray *
gabbro_context_dup_adapters (GabbroContext *self)
{
  return gabbro_adapters_dup (self->adapters);
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
 * layers; `cache` (`GABBRO_CACHE`), the folder of the shader cache, or "0" for none, and `cache-size`
 * (`GABBRO_CACHE_SIZE`), what it may have in MiB; `optimization` (`GABBRO_OPTIMIZATION`); `debug` (`GABBRO_DEBUG`); `dump` (`GABBRO_DUMP`);
 * `print-buffer` (`GABBRO_PRINT_BUFFER`), how much the kernels of a command list can print, in KiB, see #GabbroDevice::print;
 * `reap-limit` (`GABBRO_REAP_LIMIT`); `null` (`GABBRO_NULL`), the driver without a device; `reference`
 * (`GABBRO_REFERENCE`), settings of the driver that interprets kernels; `check` (`GABBRO_CHECK`), what that
 * looks for, see #GabbroDevice::report. gabbro-environment(7) describes them all.
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
  self->adapters = gabbro_adapters_new (core);
  self->notifier = gabbro_notifier_new (self, &notifier_class);
  core->notifier = gabbro_notifier_ref (self->notifier);
  gabbro_adapters_scan (self->adapters, self);
  /* Nobody can have been told of anything yet: the model begins with what there is. */
  tell_adapters (self);
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
 * As gabbro_context_new(), without blocking. Thread-safe; @callback is called in the thread-default main
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
 * Gives what gabbro_context_new_async() led to, in its callback. Thread-safe; does not block.
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
 * Counts the adapters of a context. Thread-safe; does not block.
 *
 * Returns: the number of adapters, those that cannot be opened included
 *
 * Since: 0.1
 */
guint
gabbro_context_get_n_adapters (GabbroContext *self)
{
  GPtrArray *adapters;
  guint n;

  g_return_val_if_fail (IS_WHOLE (self), 0);

  adapters = gabbro_adapters_dup (self->adapters);
  n = adapters->len;
  g_ptr_array_unref (adapters);
  return n;
}

/**
 * gabbro_context_get_adapter:
 * @self: a context
 * @index: its number, from 0
 *
 * The order means nothing and may change from run to run: keep an adapter's UUID or
 * PCI address to find it again. Thread-safe: the context keeps every adapter until it ends. Does not
 * block.
 *
 * Returns: (transfer none) (nullable): the adapter, or %NULL past the last
 *
 * Since: 0.1
 */
GabbroAdapter *
gabbro_context_get_adapter (GabbroContext *self, guint index)
{
  GPtrArray *adapters;
  GabbroAdapter *adapter;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  /* The context keeps what it lends, also when that has gone. */
  adapters = gabbro_adapters_dup (self->adapters);
  adapter = index < adapters->len ? adapters->pdata[index] : NULL;
  g_ptr_array_unref (adapters);
  return adapter;
}

/* Locks of the parent may be held by threads that a child does not have. */
gboolean
gabbro_context_check (GabbroContext *self, GError **error)
{
  if (self->core->fork_generation == gb_fork_generation ())
    return TRUE;
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_PROCESS,
                       _("The context was made before fork(); the child has to make its own"));
  return FALSE;
}

/**
 * gabbro_context_rescan:
 * @self: a context
 * @error: return location for an error
 *
 * Looks for drivers and adapters again. An adapter that is still there, known by its driver, UUID and
 * PCI address, stays the same object, and devices that were opened from it go on. One that has gone
 * leaves the tree and the list of adapters; whoever holds it can still ask it, and use devices that
 * were opened from it as far as they work, but not open another. A driver that fails this time keeps
 * its adapters, and gabbro_context_list_messages() names it.
 *
 * gabbro_context_get_n_adapters() and gabbro_context_get_adapter() have the new list when the
 * call returns. The context as a #GListModel has it once the signals have been emitted: during this
 * call, if it is made in the thread that runs the main context that was the thread-default one when the
 * context was made (or that made the context, where nobody runs it), and by that main context otherwise.
 *
 * Thread-safe; blocks while drivers look, some milliseconds. Not to be called from a GLib log
 * writer.
 *
 * Returns: whether it has looked: %FALSE with %GABBRO_ERROR_WRONG_PROCESS in a forked child
 *
 * Since: 0.1
 */
gboolean
gabbro_context_rescan (GabbroContext *self, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_context_check (self, error))
    return FALSE;
  if (gabbro_adapters_scan (self->adapters, self))
    {
      gabbro_notifier_post (self->notifier);
      gabbro_notifier_flush (self->notifier);
    }
  return TRUE;
}

static gpointer
run_rescan (const struct gabbro_work *work, GError **error)
{
  return GINT_TO_POINTER (gabbro_context_rescan (work->objects[0], error));
}

/**
 * gabbro_context_rescan_async:
 * @self: a context
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_context_rescan(), without blocking. Thread-safe; @callback is called in the thread-default
 * main context of the caller. Where that is also the one that the signals of @self run in, they have been
 * emitted by then.
 *
 * Since: 0.1
 */
void
gabbro_context_rescan_async (GabbroContext *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  const struct gabbro_work work = { .run = run_rescan, .objects = { self } };
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_context_rescan_async);
  if (gabbro_context_check (self, &error))
    gabbro_work_start (task, &work);
  else
    gabbro_task_fail (task, error);
}

/**
 * gabbro_context_rescan_finish:
 * @self: a context
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_context_rescan_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether it has looked
 *
 * Since: 0.1
 */
gboolean
gabbro_context_rescan_finish (GabbroContext *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_context_rescan_async, error) != NULL;
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

  g_return_val_if_fail (IS_WHOLE (self), NULL);

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

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (self, gabbro_context_open_device_async), &work);
}

/**
 * gabbro_context_open_device_finish:
 * @self: a context
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_context_open_device_async() led to, in its callback. Thread-safe; does not block.
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
 * Lists the drivers of a context. Thread-safe; does not block.
 *
 * Returns: (transfer full): the names of the drivers that were found, in order
 *
 * Since: 0.1
 */
char **
gabbro_context_list_drivers (GabbroContext *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  /* A scan of the parent may have held the lock of the registry. */
  return gabbro_context_check (self, NULL) ? gb_driver_registry_names (self->core->registry) : g_new0 (char *, 1);
}

/**
 * gabbro_context_list_messages:
 * @self: a context
 *
 * What went wrong without making anything fail, such as drivers that could not be
 * loaded; up to 256 of them. Thread-safe; does not block.
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

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  builder = g_strv_builder_new ();
  if (gabbro_context_check (self, NULL))
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

  if (!gabbro_context_check (self, error))
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
 * Lists the paths of the nodes below one. Thread-safe; does not block.
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

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  if (!gabbro_context_check (self, error))
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

  g_return_val_if_fail (IS_WHOLE (self), NULL);
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
 * error when the node knows the name and has no such thing. Thread-safe; does not block on the device.
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

  g_return_val_if_fail (IS_WHOLE (self), NULL);
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
 * Changes an attribute. Thread-safe; does not block on the device.
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

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
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
