/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include "gpu/command/core.h"
#include "gpu/context-core.h"

/**
 * GabbroQueue:
 *
 * A queue of a device, on which the work of streams runs. Queues are there to be
 * looked at, and to be named when a stream is made. Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroQueue
{
  GObject parent_instance;

  GWeakRef device;                       /* the device keeps its queues */
  guint index;
  GabbroQueueFlags flags;
  struct gb_node *node;
  bool is_whole;
};

G_DEFINE_FINAL_TYPE (GabbroQueue, gabbro_queue, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_QUEUE (self) && (self)->is_whole)

gboolean
gabbro_queue_is_whole (gpointer object)
{
  GabbroQueue *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroQueue:device:
 *
 * The device that it belongs to, or %NULL once that is gone.
 *
 * Since: 0.1
 */

/**
 * GabbroQueue:index:
 *
 * Its number in the device, from 0. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroQueue:flags:
 *
 * What it can do. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_queue_property_rows[] = {
  GABBRO_TYPED ("device", FULL_OBJECT, gabbro_queue_dup_device, gabbro_device_get_type),
  GABBRO_PLAIN ("index", UINT, gabbro_queue_get_index),
  GABBRO_TYPED ("flags", FLAGS, gabbro_queue_get_flags, gabbro_queue_flags_get_type),
};

GABBRO_DEFINE_PROPERTIES (gabbro_queue)

static void
gabbro_queue_finalize (GObject *object)
{
  g_weak_ref_clear (&GABBRO_QUEUE (object)->device);
  G_OBJECT_CLASS (gabbro_queue_parent_class)->finalize (object);
}

static void
gabbro_queue_class_init (GabbroQueueClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_queue_finalize;
  gabbro_properties_install (class, &gabbro_queue_properties);
}

static void
gabbro_queue_init (GabbroQueue *self)
{
  g_weak_ref_init (&self->device, NULL);
}

static const struct gb_attribute_name flag_names[] = {
  { GABBRO_QUEUE_COMPUTE, "compute" },
  { GABBRO_QUEUE_TRANSFER, "transfer" },
  { GABBRO_QUEUE_GRAPHICS, "graphics" },
  { GABBRO_QUEUE_SPARSE, "sparse" },
  { 0, NULL }
};

static const struct gb_attribute info_attributes[] = {
  GB_ATTRIBUTE_NAMES ("flags", N_("What the queue can do"), mask32, flag_names, struct gabbro_queue_info, flags),
  GB_ATTRIBUTE ("family", N_("Queue family"), u32, GB_UNIT_NONE, struct gabbro_queue_info, family),
};

static const struct gb_attribute core_attributes[] = {
  GB_ATTRIBUTE ("submitted", N_("Last value submitted to the queue's timeline"), u64, GB_UNIT_COUNT, struct gabbro_queue_core, submitted),
  GB_ATTRIBUTE ("completed", N_("Last value known to be complete"), u64, GB_UNIT_COUNT, struct gabbro_queue_core, completed),
  GB_ATTRIBUTE ("streams", N_("Streams on the queue"), u32, GB_UNIT_COUNT, struct gabbro_queue_core, n_streams),
};

static const struct gb_attribute_group info_group = {
  .name = NULL, .title = N_("Queue"), .attributes = info_attributes, .n_attributes = G_N_ELEMENTS (info_attributes)
};

static const struct gb_attribute_group core_group = {
  .name = "timeline", .title = N_("Timeline"), .attributes = core_attributes, .n_attributes = G_N_ELEMENTS (core_attributes)
};

static const struct gb_attribute_group *const info_groups[] = { &info_group };
static const struct gb_attribute_group *const core_groups[] = { &core_group };
static const struct gb_node_type queue_type = { "queue", NULL, NULL };

GabbroQueue *
gabbro_queue_new (GabbroDevice *device, guint index, struct gb_node *parent)
{
  GabbroQueue *self = g_object_new (GABBRO_TYPE_QUEUE, NULL);
  struct gabbro_core *core = gabbro_device_get_core (device);
  char *name = g_strdup_printf ("%u", index);

  g_weak_ref_set (&self->device, device);
  self->is_whole = true;
  self->index = index;
  self->flags = (GabbroQueueFlags) core->driver->queues[index].flags;
  self->node = gb_node_new (core->context->tree, &queue_type, name, NULL);
  gb_node_add_groups (self->node, info_groups, 1, &core->driver->queues[index]);
  gb_node_add_groups (self->node, core_groups, 1, &core->queues[index]);
  gb_node_add (self->node, parent, NULL);
  g_free (name);
  return self;
}

/* The device goes; others may hold the queue. */
void
gabbro_queue_end (GabbroQueue *self, gboolean in_child)
{
  if (!in_child)
    gabbro_node_clear (&self->node);
  g_weak_ref_set (&self->device, NULL);
}

/**
 * gabbro_queue_dup_device:
 * @self: a queue
 *
 * Gets the device of a queue. The device keeps its queues, and not they the device.
 * Thread-safe; does not block.
 *
 * Returns: (transfer full) (nullable): the device that it belongs to, or %NULL once
 *   that is gone
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_queue_dup_device (GabbroQueue *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return g_weak_ref_get (&self->device);
}

gboolean
gabbro_queue_is_of (GabbroQueue *self, GabbroDevice *device)
{
  GabbroDevice *own = gabbro_queue_dup_device (self);
  gboolean same = own == device;

  g_clear_object (&own);
  return same;
}

/**
 * gabbro_queue_get_index:
 * @self: a queue
 *
 * Gets the number of a queue. Thread-safe; does not block.
 *
 * Returns: its number in the device, from 0
 *
 * Since: 0.1
 */
guint
gabbro_queue_get_index (GabbroQueue *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->index;
}

/**
 * gabbro_queue_get_flags:
 * @self: a queue
 *
 * Gets what a queue can do. Thread-safe; does not block.
 *
 * Returns: what it can do
 *
 * Since: 0.1
 */
GabbroQueueFlags
gabbro_queue_get_flags (GabbroQueue *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->flags;
}
