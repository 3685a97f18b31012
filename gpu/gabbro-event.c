/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include "gpu/async.h"

/**
 * GabbroEvent:
 *
 * A value that only grows, from 0: streams and the host raise it and wait for it. It
 * orders streams among each other and tells the host how far work has come.
 *
 * Thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroEvent
{
  GObject parent_instance;

  GabbroDevice *device;
  struct gabbro_event_core *core;
  struct gabbro_notifier *notifier;      /* of the value */
  guint64 told;                          /* the last value that was emitted */
};

enum { COMPLETED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (GabbroEvent, gabbro_event, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_EVENT (self) && (self)->core != NULL)

gboolean
gabbro_event_is_whole (gpointer object)
{
  GabbroEvent *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroEvent:device:
 *
 * The device that it belongs to.
 *
 * Since: 0.1
 */

/**
 * GabbroEvent:value:
 *
 * The value that it has reached. Notified in the main context that was the thread-default one when
 * the event was made, once for all that it reached since the last time.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_event_property_rows[] = {
  GABBRO_OWNER ("device", GabbroEvent, device, gabbro_device_get_type),
  GABBRO_PLAIN ("value", UINT64, gabbro_event_get_value),
};

GABBRO_DEFINE_PROPERTIES (gabbro_event)

static void
gabbro_event_finalize (GObject *object)
{
  GabbroEvent *self = GABBRO_EVENT (object);

  gabbro_notifier_end (&self->notifier);
  g_clear_pointer (&self->core, gabbro_event_core_unref);
  g_clear_object (&self->device);
  G_OBJECT_CLASS (gabbro_event_parent_class)->finalize (object);
}

static void
gabbro_event_class_init (GabbroEventClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_event_finalize;
  gabbro_properties_install (class, &gabbro_event_properties);

  /**
   * GabbroEvent::completed:
   * @self: an event
   * @value: the value that it has reached
   *
   * The event has reached a larger value. Emitted in the main context that was the thread-default one
   * when the event was made, and never under a lock. What it reaches until the main context gets to it
   * is told together: @value is the latest then, and the next emission has a larger one.
   *
   * Since: 0.1
   */
  signals[COMPLETED] = g_signal_new ("completed", GABBRO_TYPE_EVENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 1, G_TYPE_UINT64);
}

static void
gabbro_event_init (GabbroEvent *self)
{
}

static bool
has_listener (gpointer object)
{
  return gabbro_has_handler (object, signals[COMPLETED], NULL) || gabbro_has_handler (object, 0, "value");
}

static void
emit_value (gpointer object)
{
  GabbroEvent *self = object;
  guint64 value = gabbro_event_get_value (self);

  /* A source may have been attached between the value and its being read for the emission before. */
  if (value == self->told)
    return;
  self->told = value;
  g_object_notify (object, "value");
  g_signal_emit (object, signals[COMPLETED], 0, value);
}

static const struct gabbro_notifier_class notifier_class = { emit_value, has_listener };

struct gabbro_event_core *
gabbro_event_get_core (GabbroEvent *self)
{
  return self->core;
}

/**
 * gabbro_event_new:
 * @device: a device
 * @error: return location for an error
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): a new event with the value 0, or %NULL
 *
 * Since: 0.1
 */
GabbroEvent *
gabbro_event_new (GabbroDevice *device, GError **error)
{
  GabbroEvent *self;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (device, error))
    return NULL;
  self = g_object_new (GABBRO_TYPE_EVENT, NULL);
  self->device = g_object_ref (device);
  self->core = gabbro_event_core_new (gabbro_device_get_core (device));
  self->notifier = gabbro_notifier_new (self, &notifier_class);
  self->core->notifier = gabbro_notifier_ref (self->notifier);
  return self;
}

/**
 * gabbro_event_get_device:
 * @self: an event
 *
 * Gets the device of an event. Thread-safe; does not block.
 *
 * Returns: (transfer none): the device that it belongs to
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_event_get_device (GabbroEvent *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->device;
}

/**
 * gabbro_event_get_value:
 * @self: an event
 *
 * Gets the value of an event. Thread-safe; does not block.
 *
 * Returns: the value that it has reached
 *
 * Since: 0.1
 */
guint64
gabbro_event_get_value (GabbroEvent *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return __atomic_load_n (&self->core->value, __ATOMIC_ACQUIRE);
}

/**
 * gabbro_event_signal:
 * @self: an event
 * @value: larger than any value that it has been given
 * @error: return location for an error
 *
 * Raises the value from the host. Thread-safe; does not block.
 *
 * Returns: whether that could be done; %GABBRO_ERROR_INVALID_ARGUMENT for a value that
 *   does not grow
 *
 * Since: 0.1
 */
gboolean
gabbro_event_signal (GabbroEvent *self, guint64 value, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return gabbro_device_check (self->device, error) && gabbro_event_core_signal (self->core, value, error);
}

/**
 * gabbro_event_is_completed:
 * @self: an event
 * @value: a value
 *
 * Never blocks: a loop that only asks will see the work finish. Thread-safe.
 *
 * Returns: whether the event has reached @value
 *
 * Since: 0.1
 */
gboolean
gabbro_event_is_completed (GabbroEvent *self, guint64 value)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);

  return gabbro_event_get_value (self) >= value;
}

/**
 * gabbro_event_synchronize:
 * @self: an event
 * @value: a value
 * @timeout_us: microseconds to wait at the most, -1 for as long as it takes
 * @error: return location for an error
 *
 * Waits until the event has reached @value. Not to be called from a completion
 * function. Thread-safe; blocks.
 *
 * Returns: whether it has; %FALSE with %GABBRO_ERROR_TIMED_OUT otherwise, or the error
 *   of the stream that was to signal it
 *
 * Since: 0.1
 */
gboolean
gabbro_event_synchronize (GabbroEvent *self, guint64 value, gint64 timeout_us, GError **error)
{
  struct gabbro_wait wait = { 0 };

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_core_check (self->core->core, error))
    return FALSE;
  if (gabbro_event_is_completed (self, value))
    return TRUE;
  gabbro_wait_init_event (&wait, self->core, value);
  return gabbro_wait_block (&wait, gabbro_deadline (timeout_us), error);
}

/**
 * gabbro_event_synchronize_async:
 * @self: an event
 * @value: a value
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_event_synchronize(), without blocking and without a limit. Thread-safe; @callback is
 * called in the thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_event_synchronize_async (GabbroEvent *self,
                                guint64 value,
                                GCancellable *cancellable,
                                GAsyncReadyCallback callback,
                                gpointer user_data)
{
  struct gabbro_async *async;
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_event_synchronize_async);
  if (!gabbro_core_check (self->core->core, &error))
    {
      gabbro_task_fail (task, error);
      return;
    }
  async = gabbro_async_new (task, NULL, NULL, NULL);
  gabbro_wait_init_event (&async->wait, self->core, value);
  gabbro_async_start (async);
}

/**
 * gabbro_event_synchronize_finish:
 * @self: an event
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_event_synchronize_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether the event has reached the value
 *
 * Since: 0.1
 */
gboolean
gabbro_event_synchronize_finish (GabbroEvent *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_event_synchronize_async, error);
}
