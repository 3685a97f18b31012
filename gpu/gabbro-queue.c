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

  GabbroDevice *device;                  /* not a reference: the device keeps its queues */
  guint index;
  GabbroQueueFlags flags;
  struct gb_node *node;
};

G_DEFINE_FINAL_TYPE (GabbroQueue, gabbro_queue, G_TYPE_OBJECT)

static void
gabbro_queue_class_init (GabbroQueueClass *class)
{
}

static void
gabbro_queue_init (GabbroQueue *self)
{
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

  self->device = device;
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
  self->device = NULL;
}

/**
 * gabbro_queue_get_device:
 * @self: a queue
 *
 * Returns: (transfer none) (nullable): the device that it belongs to, or %NULL once
 *   that is gone
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_queue_get_device (GabbroQueue *self)
{
  g_return_val_if_fail (GABBRO_IS_QUEUE (self), NULL);

  return self->device;
}

/**
 * gabbro_queue_get_index:
 * @self: a queue
 *
 * Returns: its number in the device, from 0
 *
 * Since: 0.1
 */
guint
gabbro_queue_get_index (GabbroQueue *self)
{
  g_return_val_if_fail (GABBRO_IS_QUEUE (self), 0);

  return self->index;
}

/**
 * gabbro_queue_get_flags:
 * @self: a queue
 *
 * Returns: what it can do
 *
 * Since: 0.1
 */
GabbroQueueFlags
gabbro_queue_get_flags (GabbroQueue *self)
{
  g_return_val_if_fail (GABBRO_IS_QUEUE (self), 0);

  return self->flags;
}
