/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include "codegen/spirv/spirv.h"
#include "gpu/async.h"
#include "gpu/context-core.h"
#include "gpu/select.h"
#include "lib/fork.h"

/**
 * GabbroAdapter:
 *
 * A device of the machine, which can be looked at without opening it and opened
 * any number of times. Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroAdapter
{
  GObject parent_instance;

  GWeakRef context;                      /* the context keeps its adapters */
  struct gabbro_context_core *core;
  struct gabbro_driver_instance *instance;
  const struct gabbro_driver *driver;
  struct gabbro_driver_adapter *driver_adapter;
  struct gb_node *node, *devices_node;
  char *path, *uuid, *pci_address;
  GWeakRef twin;                         /* of the same context */
  gint is_gone;                          /* atomic */
};

G_DEFINE_FINAL_TYPE (GabbroAdapter, gabbro_adapter, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_ADAPTER (self) && (self)->core != NULL)

gboolean
gabbro_adapter_is_whole (gpointer object)
{
  GabbroAdapter *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroAdapter:context:
 *
 * The context that it belongs to, or %NULL once that is gone.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:name:
 *
 * The name of the device. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:driver:
 *
 * The name of the Gabbro driver that found it. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:path:
 *
 * Its path in the tree of the context. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:uuid:
 *
 * The identity of the device. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:pci-address:
 *
 * Its PCI address, or %NULL where it has none. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:kind:
 *
 * What kind of device it is. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:memory-size:
 *
 * Bytes of its largest heap of device memory. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:unusable-reason:
 *
 * Why it cannot be opened, or %NULL. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroAdapter:twin:
 *
 * The first adapter with the same device UUID, if that is another one. May change by
 * gabbro_context_rescan(), which does not notify it.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_adapter_property_rows[] = {
  GABBRO_TYPED ("context", FULL_OBJECT, gabbro_adapter_dup_context, gabbro_context_get_type),
  GABBRO_PLAIN ("name", STRING, gabbro_adapter_get_name),
  GABBRO_PLAIN ("driver", STRING, gabbro_adapter_get_driver),
  GABBRO_PLAIN ("path", STRING, gabbro_adapter_get_path),
  GABBRO_PLAIN ("uuid", STRING, gabbro_adapter_get_uuid),
  GABBRO_PLAIN ("pci-address", STRING, gabbro_adapter_get_pci_address),
  GABBRO_TYPED ("kind", ENUM, gabbro_adapter_get_kind, gabbro_adapter_kind_get_type),
  GABBRO_PLAIN ("memory-size", UINT64, gabbro_adapter_get_memory_size),
  GABBRO_PLAIN ("unusable-reason", STRING, gabbro_adapter_get_unusable_reason),
  GABBRO_TYPED ("twin", FULL_OBJECT, gabbro_adapter_dup_twin, gabbro_adapter_get_type),
};

GABBRO_DEFINE_PROPERTIES (gabbro_adapter)

static void
gabbro_adapter_finalize (GObject *object)
{
  GabbroAdapter *self = GABBRO_ADAPTER (object);

  if (self->core != NULL && self->core->fork_generation == gb_fork_generation ())
    {
      gabbro_node_clear (&self->devices_node);
      gabbro_node_clear (&self->node);
    }
  g_clear_pointer (&self->core, gabbro_context_core_unref);
  g_weak_ref_clear (&self->context);
  g_weak_ref_clear (&self->twin);
  g_free (self->path);
  g_free (self->uuid);
  g_free (self->pci_address);
  G_OBJECT_CLASS (gabbro_adapter_parent_class)->finalize (object);
}

static void
gabbro_adapter_class_init (GabbroAdapterClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_adapter_finalize;
  gabbro_properties_install (class, &gabbro_adapter_properties);
}

static void
gabbro_adapter_init (GabbroAdapter *self)
{
  g_weak_ref_init (&self->context, NULL);
  g_weak_ref_init (&self->twin, NULL);
}

/* Takes the reference on `node`. */
GabbroAdapter *
gabbro_adapter_new (GabbroContext *context,
                    struct gabbro_driver_instance *instance,
                    const struct gabbro_driver *driver,
                    struct gabbro_driver_adapter *driver_adapter,
                    struct gb_node *node)
{
  GabbroAdapter *self = g_object_new (GABBRO_TYPE_ADAPTER, NULL);

  g_weak_ref_set (&self->context, context);
  self->core = gabbro_context_core_ref (gabbro_context_get_core (context));
  self->instance = instance;
  self->driver = driver;
  self->driver_adapter = driver_adapter;
  self->node = node;
  self->devices_node = gabbro_folder_new (gb_node_tree (node), node, "devices");
  self->path = gb_node_path (node);
  self->uuid = gabbro_format_uuid (driver_adapter->info.device_uuid);
  if (driver_adapter->info.has_pci)
    self->pci_address = gabbro_format_pci (&driver_adapter->info);
  return self;
}

gboolean
gabbro_adapter_check (GabbroAdapter *self, GError **error)
{
  if (self->core->fork_generation == gb_fork_generation ())
    return TRUE;
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_PROCESS,
                       _("The context was made before fork(); the child has to make its own"));
  return FALSE;
}

void
gabbro_adapter_set_twin (GabbroAdapter *self, GabbroAdapter *twin)
{
  g_weak_ref_set (&self->twin, twin);
}

void
gabbro_adapter_remove (GabbroAdapter *self)
{
  gb_node_del (self->node);
  gabbro_adapter_set_twin (self, NULL);
  g_atomic_int_set (&self->is_gone, TRUE);
}

struct gabbro_context_core *
gabbro_adapter_get_core (GabbroAdapter *self)
{
  return self->core;
}

struct gb_node *
gabbro_adapter_get_devices_node (GabbroAdapter *self)
{
  return self->devices_node;
}

struct gabbro_driver_adapter *
gabbro_adapter_get_driver_adapter (GabbroAdapter *self)
{
  return self->driver_adapter;
}

gboolean
gabbro_adapter_get_native (GabbroAdapter *self, enum gabbro_native_kind kind, uint64_t *out, GError **error)
{
  if (!gabbro_adapter_check (self, error))
    return FALSE;
  if (self->driver->get_adapter_native != NULL && self->driver->get_adapter_native (self->driver_adapter, kind, out))
    return TRUE;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED, _("The adapter “%s” of the driver “%s” has no such native handle"),
               self->driver_adapter->info.name, self->driver->name);
  return FALSE;
}

struct gabbro_driver_device *
gabbro_adapter_open_driver (GabbroAdapter *self, GError **error)
{
  return self->driver->open (self->instance, self->driver_adapter, error);
}

/* The bits of both enumerations, side by side. */
static const struct
{
  uint64_t driver;
  enum spirv_feature codegen;
} feature_map[] = {
  { GABBRO_TARGET_STORAGE_IMAGE_READ_WITHOUT_FORMAT, SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT },
  { GABBRO_TARGET_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT, SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT },
  { GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32, SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32 },
  { GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT32, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32 },
  { GABBRO_TARGET_SUBGROUP_BASIC, SPIRV_FEATURE_SUBGROUP_BASIC },
  { GABBRO_TARGET_SUBGROUP_VOTE, SPIRV_FEATURE_SUBGROUP_VOTE },
  { GABBRO_TARGET_SUBGROUP_ARITHMETIC, SPIRV_FEATURE_SUBGROUP_ARITHMETIC },
  { GABBRO_TARGET_SUBGROUP_BALLOT, SPIRV_FEATURE_SUBGROUP_BALLOT },
  { GABBRO_TARGET_SUBGROUP_SHUFFLE, SPIRV_FEATURE_SUBGROUP_SHUFFLE },
  { GABBRO_TARGET_BUFFER_FLOAT32_ATOMICS, SPIRV_FEATURE_BUFFER_FLOAT32_ATOMICS },
  { GABBRO_TARGET_BUFFER_FLOAT32_ATOMIC_ADD, SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_ADD },
  { GABBRO_TARGET_BUFFER_FLOAT32_ATOMIC_MIN_MAX, SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_MIN_MAX },
  { GABBRO_TARGET_SHARED_FLOAT32_ATOMICS, SPIRV_FEATURE_SHARED_FLOAT32_ATOMICS },
  { GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_ADD, SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_ADD },
  { GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX, SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_MIN_MAX },
  { GABBRO_TARGET_INT8, SPIRV_FEATURE_INT8 },
  { GABBRO_TARGET_INT16, SPIRV_FEATURE_INT16 },
  { GABBRO_TARGET_INT64, SPIRV_FEATURE_INT64 },
  { GABBRO_TARGET_FLOAT16, SPIRV_FEATURE_FLOAT16 },
  { GABBRO_TARGET_FLOAT64, SPIRV_FEATURE_FLOAT64 },
  { GABBRO_TARGET_STORAGE_BUFFER_8, SPIRV_FEATURE_STORAGE_BUFFER_8 },
  { GABBRO_TARGET_STORAGE_BUFFER_16, SPIRV_FEATURE_STORAGE_BUFFER_16 },
  { GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16, SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16 },
  { GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64, SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64 },
  { GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT16, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT16 },
  { GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT64, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT64 },
  { GABBRO_TARGET_BUFFER_INT64_ATOMICS, SPIRV_FEATURE_BUFFER_INT64_ATOMICS },
  { GABBRO_TARGET_SHARED_INT64_ATOMICS, SPIRV_FEATURE_SHARED_INT64_ATOMICS },
  { GABBRO_TARGET_SUBGROUP_EXTENDED_TYPES, SPIRV_FEATURE_SUBGROUP_EXTENDED_TYPES },
  { GABBRO_TARGET_DEVICE_CLOCK, SPIRV_FEATURE_DEVICE_CLOCK },
};

/* The required limits of Vulkan 1.3, "Required Limits" in its specification, and the two image features that every desktop driver has. */
static const struct spirv_target portable_target = {
  .features = (1u << SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT) | (1u << SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT),
  .max_group_size = { 128, 128, 64 },
  .max_group_invocations = 128,
  .max_shared_memory = 16384,
  .max_push_constants = 128,
  .max_storage_buffers = 4,
  .max_storage_images = 4,
  .max_sampled_images = 16,
  .max_resources = 128,
};

uint64_t
gabbro_target_features (uint64_t driver_features)
{
  uint64_t features = 0;

  for (guint i = 0; i < G_N_ELEMENTS (feature_map); i++)
    if ((driver_features & feature_map[i].driver) != 0)
      features |= UINT64_C (1) << feature_map[i].codegen;
  return features;
}

void
gabbro_adapter_fill_target (GabbroAdapter *self, struct spirv_target *target)
{
  const struct gabbro_limits *limits;

  *target = portable_target;
  if (self == NULL)
    {
      /* A module for no device in particular: only SPIR-V's own rules bind it. */
      target->max_group_size[0] = target->max_group_size[1] = target->max_group_size[2] = 1024;
      target->max_group_invocations = 1024;
      for (int feature = SPIRV_FEATURE_SUBGROUP_BASIC; feature <= SPIRV_FEATURE_SUBGROUP_SHUFFLE; feature++)
        target->features |= UINT64_C (1) << feature;
      target->max_storage_buffers = target->max_storage_images = target->max_sampled_images = 64;
      return;
    }
  limits = &self->driver_adapter->limits;
  target->features = gabbro_target_features (self->driver_adapter->target_features);
  for (int i = 0; i < 3; i++)
    target->max_group_size[i] = limits->max_group_size[i];
  target->max_group_invocations = limits->max_group_invocations;
  target->max_shared_memory = limits->max_shared_memory;
  target->max_push_constants = limits->max_push_constants;
  target->max_storage_buffers = limits->max_storage_buffers;
  target->max_storage_images = limits->max_storage_images;
  target->max_sampled_images = limits->max_sampled_images;
  target->max_resources = limits->max_resources;
}

G_STATIC_ASSERT ((int) GABBRO_FORMAT_CAN_BE_COPIED == (int) GABBRO_FORMAT_CAN_COPY);
G_STATIC_ASSERT ((int) GABBRO_FORMAT_CAN_BE_READ == (int) GABBRO_FORMAT_CAN_READ);
G_STATIC_ASSERT ((int) GABBRO_FORMAT_CAN_BE_READ_AND_WRITTEN == (int) GABBRO_FORMAT_CAN_STORAGE_READ);
G_STATIC_ASSERT ((int) GABBRO_FORMAT_CAN_BE_WRITTEN == (int) GABBRO_FORMAT_CAN_STORAGE_WRITE);

/**
 * gabbro_adapter_get_format_usage:
 * @self: an adapter
 * @format: a format of images
 * @n_dimensions: 2 or 3
 *
 * Gets what can be done on an adapter with images of @format. Thread-safe; does not block.
 *
 * Returns: a bit mask; 0: there are no such images
 *
 * Since: 0.1
 */
GabbroFormatUsage
gabbro_adapter_get_format_usage (GabbroAdapter *self, GabbroFormat format, guint n_dimensions)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  if ((guint) format >= GB_N_TEXEL_FORMATS || (n_dimensions != 2 && n_dimensions != 3))
    return 0;
  return (GabbroFormatUsage) self->driver_adapter->formats[format][n_dimensions - 2].uses;
}

/**
 * gabbro_adapter_dup_context:
 * @self: an adapter
 *
 * Gets the context that found an adapter. The context keeps its adapters, and not they
 * the context: devices do. Thread-safe; does not block.
 *
 * Returns: (transfer full) (nullable): the context that it belongs to, or %NULL
 *   once that is gone
 *
 * Since: 0.1
 */
GabbroContext *
gabbro_adapter_dup_context (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return g_weak_ref_get (&self->context);
}

/**
 * gabbro_adapter_get_name:
 * @self: an adapter
 *
 * Gets the name of an adapter, for people. Thread-safe; does not block.
 *
 * Returns: the name of the device, as its driver gives it
 *
 * Since: 0.1
 */
const char *
gabbro_adapter_get_name (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->driver_adapter->info.name;
}

/**
 * gabbro_adapter_get_driver:
 * @self: an adapter
 *
 * Gets the name of an adapter's driver. Thread-safe; does not block.
 *
 * Returns: the name of the Gabbro driver that found it, such as "vulkan"
 *
 * Since: 0.1
 */
const char *
gabbro_adapter_get_driver (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->driver->name;
}

/**
 * gabbro_adapter_get_path:
 * @self: an adapter
 *
 * Gets the path of an adapter, which names it as long as the context lives. Thread-safe; does not block.
 *
 * Returns: its path in the tree of the context, such as "/adapters/vulkan0"
 *
 * Since: 0.1
 */
const char *
gabbro_adapter_get_path (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->path;
}

/**
 * gabbro_adapter_get_uuid:
 * @self: an adapter
 *
 * Gets the UUID of an adapter, by which it can be found again later. Thread-safe; does not block.
 *
 * Returns: the identity of the device, which stays the same over restarts, as text
 *
 * Since: 0.1
 */
const char *
gabbro_adapter_get_uuid (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->uuid;
}

/**
 * gabbro_adapter_get_pci_address:
 * @self: an adapter
 *
 * Gets the PCI address of an adapter. Thread-safe; does not block.
 *
 * Returns: (nullable): its PCI address, such as "0000:01:00.0", or %NULL where it has none
 *
 * Since: 0.1
 */
const char *
gabbro_adapter_get_pci_address (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->pci_address;
}

/**
 * gabbro_adapter_get_kind:
 * @self: an adapter
 *
 * Gets what kind of device an adapter is, such as a discrete GPU. Thread-safe; does not block.
 *
 * Returns: what kind of device it is
 *
 * Since: 0.1
 */
GabbroAdapterKind
gabbro_adapter_get_kind (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), GABBRO_ADAPTER_OTHER);

  return (GabbroAdapterKind) self->driver_adapter->info.type;
}

/**
 * gabbro_adapter_get_memory_size:
 * @self: an adapter
 *
 * Gets how much device memory an adapter has. Thread-safe; does not block.
 *
 * Returns: bytes of its largest heap of device memory
 *
 * Since: 0.1
 */
guint64
gabbro_adapter_get_memory_size (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->driver_adapter->info.device_memory;
}

/**
 * gabbro_adapter_get_unusable_reason:
 * @self: an adapter
 *
 * Gets why an adapter cannot be opened, if so, for people. Thread-safe; does not block.
 *
 * Returns: (nullable): why it cannot be opened, naming what it lacks, or %NULL
 *
 * Since: 0.1
 */
const char *
gabbro_adapter_get_unusable_reason (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->driver_adapter->unusable;
}

/**
 * gabbro_adapter_dup_twin:
 * @self: an adapter
 *
 * The same device may be seen twice, through two drivers. Each is kept, and all but
 * the first name the first. Thread-safe; does not block.
 *
 * Returns: (transfer full) (nullable): the first adapter with the same device UUID,
 *   if that is another one
 *
 * Since: 0.1
 */
GabbroAdapter *
gabbro_adapter_dup_twin (GabbroAdapter *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return g_weak_ref_get (&self->twin);
}

/**
 * gabbro_adapter_open:
 * @self: an adapter
 * @error: return location for an error
 *
 * Opens the device. Each call makes a new one, independent of others. Blocks while
 * the driver works, some milliseconds. Thread-safe.
 *
 * Returns: (transfer full): a new device, or %NULL
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_adapter_open (GabbroAdapter *self, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_adapter_check (self, error))
    return NULL;
  if (g_atomic_int_get (&self->is_gone))
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DEVICE, _("The adapter “%s” is no longer there"), self->driver_adapter->info.name);
      return NULL;
    }
  if (self->driver_adapter->unusable != NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DEVICE, _("The adapter “%s” cannot be used: %s"),
                   self->driver_adapter->info.name, self->driver_adapter->unusable);
      return NULL;
    }
  return gabbro_device_new (self, error);
}

static gpointer
run_open (const struct gabbro_work *work, GError **error)
{
  return gabbro_adapter_open (work->objects[0], error);
}

/**
 * gabbro_adapter_open_async:
 * @self: an adapter
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_adapter_open(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_adapter_open_async (GabbroAdapter *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  const struct gabbro_work work = { .run = run_open, .free_result = g_object_unref, .objects = { self } };

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (self, gabbro_adapter_open_async), &work);
}

/**
 * gabbro_adapter_open_finish:
 * @self: an adapter
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_adapter_open_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new device, or %NULL
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_adapter_open_finish (GabbroAdapter *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_adapter_open_async, error);
}
