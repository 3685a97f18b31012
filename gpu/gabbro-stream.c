/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include "gpu/async.h"
#include "gpu/context-core.h"

/**
 * GabbroStream:
 *
 * A sequence of work: lists submitted to a stream run one after the other, each as if
 * it waited for the one before. Streams are independent of each other; events order
 * them. Any number of streams may share a queue of the device.
 *
 * A stream that failed stays failed: each later call gives the first error, and what
 * waits for the stream gets it too.
 *
 * Thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroStream
{
  GObject parent_instance;

  GabbroDevice *device;
  struct gabbro_stream_core *core;
  struct gb_node *node;
  struct gabbro_notifier *notifier;      /* of the failure */
};

G_DEFINE_FINAL_TYPE (GabbroStream, gabbro_stream, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_STREAM (self) && (self)->core != NULL)

gboolean
gabbro_stream_is_whole (gpointer object)
{
  GabbroStream *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroStream:device:
 *
 * The device that it belongs to.
 *
 * Since: 0.1
 */

/**
 * GabbroStream:queue:
 *
 * The queue that it runs on. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroStream:failure:
 *
 * The error that the stream failed with, or %NULL. Set once at the most; notified in the main
 * context that was the thread-default one when the stream was made.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_stream_property_rows[] = {
  GABBRO_OWNER ("device", GabbroStream, device, gabbro_device_get_type),
  GABBRO_TYPED ("queue", OBJECT, gabbro_stream_get_queue, gabbro_queue_get_type),
  GABBRO_PLAIN ("failure", ERROR, gabbro_stream_get_failure),
};

GABBRO_DEFINE_PROPERTIES (gabbro_stream)

static void
gabbro_stream_finalize (GObject *object)
{
  GabbroStream *self = GABBRO_STREAM (object);

  gabbro_notifier_end (&self->notifier);
  if (self->core != NULL)
    {
      if (!gabbro_core_is_foreign (self->core->core))
        gabbro_node_clear (&self->node);
      gabbro_stream_core_release (self->core);
    }
  g_clear_object (&self->device);
  G_OBJECT_CLASS (gabbro_stream_parent_class)->finalize (object);
}

static void
gabbro_stream_class_init (GabbroStreamClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_stream_finalize;
  gabbro_properties_install (class, &gabbro_stream_properties);
}

static void
gabbro_stream_init (GabbroStream *self)
{
}

static bool
has_listener (gpointer object)
{
  return gabbro_has_handler (object, 0, "failure");
}

static void
emit_failure (gpointer object)
{
  g_object_notify (object, "failure");
}

static const struct gabbro_notifier_class notifier_class = { emit_failure, has_listener };

static const struct gb_attribute stream_attributes[] = {
  GB_ATTRIBUTE ("queue", N_("Queue that the stream runs on"), u32, GB_UNIT_NONE, struct gabbro_stream_core, queue),
  GB_ATTRIBUTE ("enqueued", N_("Operations given to the stream"), u64, GB_UNIT_COUNT, struct gabbro_stream_core, enqueued),
  GB_ATTRIBUTE ("dispatched", N_("Operations that have left it"), u64, GB_UNIT_COUNT, struct gabbro_stream_core, dispatched),
};

static const struct gb_attribute_group stream_group = {
  .name = NULL, .title = N_("Stream"), .attributes = stream_attributes, .n_attributes = G_N_ELEMENTS (stream_attributes)
};

static const struct gb_attribute_group *const stream_groups[] = { &stream_group };
static const struct gb_node_type stream_type = { "stream", NULL, NULL };

/* The queue with the fewest streams among those that compute. */
static guint
least_used_queue (GabbroDevice *device)
{
  struct gabbro_core *core = gabbro_device_get_core (device);
  guint best = 0;

  g_mutex_lock (&core->lock);
  for (guint i = 1; i < core->n_queues; i++)
    if ((core->driver->queues[i].flags & GABBRO_QUEUE_COMPUTE) && core->queues[i].n_streams < core->queues[best].n_streams)
      best = i;
  g_mutex_unlock (&core->lock);
  return best;
}

/**
 * gabbro_stream_new:
 * @device: a device
 * @queue: (nullable): the queue to run on, or %NULL for the least used one that computes
 * @error: return location for an error
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): a new stream, or %NULL (%GABBRO_ERROR_WRONG_DEVICE for a
 *   queue of another device)
 *
 * Since: 0.1
 */
GabbroStream *
gabbro_stream_new (GabbroDevice *device, GabbroQueue *queue, GError **error)
{
  GabbroStream *self;
  char *name;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (queue == NULL || gabbro_queue_is_whole (queue), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (device, error))
    return NULL;
  if (queue != NULL && !gabbro_queue_is_of (queue, device))
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_DEVICE, _("The queue belongs to another device than the stream"));
      return NULL;
    }
  self = g_object_new (GABBRO_TYPE_STREAM, NULL);
  self->device = g_object_ref (device);
  self->core = gabbro_stream_core_new (gabbro_device_get_core (device),
                                       queue != NULL ? gabbro_queue_get_index (queue) : least_used_queue (device));
  self->notifier = gabbro_notifier_new (self, &notifier_class);
  gabbro_stream_core_set_notifier (self->core, gabbro_notifier_ref (self->notifier));
  name = g_strdup_printf ("%u", self->core->serial);
  self->node = gb_node_new (self->core->core->context->tree, &stream_type, name, NULL);
  gb_node_add_groups (self->node, stream_groups, G_N_ELEMENTS (stream_groups), self->core);
  gb_node_add (self->node, gabbro_device_get_streams_node (device), NULL);
  g_free (name);
  return self;
}

/**
 * gabbro_stream_get_device:
 * @self: a stream
 *
 * Gets the device of a stream. Thread-safe; does not block.
 *
 * Returns: (transfer none): the device that it belongs to
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_stream_get_device (GabbroStream *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->device;
}

/**
 * gabbro_stream_get_queue:
 * @self: a stream
 *
 * Gets the queue of a stream. Thread-safe; does not block.
 *
 * Returns: (transfer none): the queue that it runs on
 *
 * Since: 0.1
 */
GabbroQueue *
gabbro_stream_get_queue (GabbroStream *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return gabbro_device_get_queue (self->device, self->core->queue);
}

/**
 * gabbro_stream_get_failure:
 * @self: a stream
 *
 * Asks whether a stream has failed, and with what. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the error that the stream failed with, or %NULL
 *
 * Since: 0.1
 */
const GError *
gabbro_stream_get_failure (GabbroStream *self)
{
  const GError *failure;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  /* A thread that the child has not may have held the lock. */
  if (gabbro_core_is_foreign (self->core->core))
    return self->core->failure;
  g_mutex_lock (&self->core->core->lock);
  failure = self->core->failure;
  g_mutex_unlock (&self->core->core->lock);
  return failure;
}

/**
 * gabbro_stream_submit:
 * @self: a stream
 * @list: a list of the same device
 * @error: return location for an error
 *
 * Runs the commands of @list after everything that was given to the stream before. A
 * list that is not frozen can be submitted once; its contents, and all buffers, images
 * and shaders that it names, are kept until it has completed, whatever the caller drops.
 *
 * Does not block. Thread-safe, but for @list, which no other thread may use meanwhile.
 *
 * When the driver refuses the work, the stream has failed, and the list is used up: its
 * completion functions are called with the error too.
 *
 * Returns: whether it was submitted. An error of recording shows here too
 *
 * Since: 0.1
 */
gboolean
gabbro_stream_submit (GabbroStream *self, GabbroCommandList *list, GError **error)
{
  struct gabbro_recorder *recorder;
  gboolean ok;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_command_list_is_whole (list), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_device_check (self->device, error))
    return FALSE;
  if (gabbro_command_list_get_device (list) != self->device)
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_DEVICE, _("The command list belongs to another device than the stream"));
      return FALSE;
    }
  /* A stream that has failed must not use the list up. */
  if (!gabbro_stream_core_check (self->core, error)
      || !gabbro_command_list_prepare_submit (list, self->core->queue, error))
    return FALSE;
  /* A completion function may drop the list, and this stream, before the call returns. */
  recorder = gabbro_recorder_ref (gabbro_command_list_get_recorder (list));
  g_object_ref (self);
  ok = gabbro_stream_core_submit (self->core, recorder, error);
  gabbro_command_list_end_submit (recorder);
  g_object_unref (self);
  return ok;
}

static gboolean
check_event (GabbroStream *self, GabbroEvent *event, GError **error)
{
  if (!gabbro_device_check (self->device, error))
    return FALSE;
  if (gabbro_event_get_device (event) == self->device)
    return TRUE;
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_DEVICE, _("The event belongs to another device than the stream"));
  return FALSE;
}

/**
 * gabbro_stream_signal:
 * @self: a stream
 * @event: an event of the same device
 * @value: larger than any value that @event has been given
 * @error: return location for an error
 *
 * @event reaches @value when everything that was given to the stream before has
 * completed. Thread-safe; does not block.
 *
 * Returns: whether it was enqueued; %GABBRO_ERROR_INVALID_ARGUMENT for a value that
 *   does not grow, %GABBRO_ERROR_DEADLOCK if the stream waits for something that would
 *   wait for this signal (the message names the cycle)
 *
 * Since: 0.1
 */
gboolean
gabbro_stream_signal (GabbroStream *self, GabbroEvent *event, guint64 value, GError **error)
{
  gboolean ok;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_event_is_whole (event), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  g_object_ref (self);
  ok = check_event (self, event, error) && gabbro_stream_core_signal (self->core, gabbro_event_get_core (event), value, error);
  g_object_unref (self);
  return ok;
}

/**
 * gabbro_stream_wait:
 * @self: a stream
 * @event: an event of the same device
 * @value: the value to wait for
 * @error: return location for an error
 *
 * What is given to the stream later runs after @event has reached @value. The signal
 * may be given after the wait. Thread-safe; does not block.
 *
 * Returns: whether it was enqueued
 *
 * Since: 0.1
 */
gboolean
gabbro_stream_wait (GabbroStream *self, GabbroEvent *event, guint64 value, GError **error)
{
  gboolean ok;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_event_is_whole (event), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  g_object_ref (self);
  ok = check_event (self, event, error) && gabbro_stream_core_wait (self->core, gabbro_event_get_core (event), value, error);
  g_object_unref (self);
  return ok;
}

/**
 * gabbro_stream_synchronize:
 * @self: a stream
 * @timeout_us: microseconds to wait at the most, -1 for as long as it takes
 * @error: return location for an error
 *
 * Waits until everything that was given to the stream before the call has completed,
 * downloads and completion functions included, and with it all that the stream has
 * waited for: the events have their values. Not to be called from a completion
 * function. Thread-safe; blocks.
 *
 * Returns: whether all is done; %FALSE with %GABBRO_ERROR_TIMED_OUT otherwise, or the
 *   error that the stream failed with
 *
 * Since: 0.1
 */
gboolean
gabbro_stream_synchronize (GabbroStream *self, gint64 timeout_us, GError **error)
{
  struct gabbro_wait wait = { 0 };

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_device_check (self->device, error))
    return FALSE;
  gabbro_wait_init_stream (&wait, self->core);
  return gabbro_wait_block (&wait, gabbro_deadline (timeout_us), error);
}

static void
start_synchronize (GabbroStream *self, GTask *task)
{
  struct gabbro_async *async = gabbro_async_new (task, NULL, NULL, NULL);

  gabbro_wait_init_stream (&async->wait, self->core);
  gabbro_async_start (async);
}

/**
 * gabbro_stream_synchronize_async:
 * @self: a stream
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_stream_synchronize(), without blocking and without a limit. Cancelling stops
 * waiting, not the work. Thread-safe; @callback is called in the thread-default main context of the
 * caller.
 *
 * Since: 0.1
 */
void
gabbro_stream_synchronize_async (GabbroStream *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_stream_synchronize_async);
  if (gabbro_device_check (self->device, &error))
    start_synchronize (self, task);
  else
    gabbro_task_fail (task, error);
}

/**
 * gabbro_stream_synchronize_finish:
 * @self: a stream
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_stream_synchronize_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether all is done
 *
 * Since: 0.1
 */
gboolean
gabbro_stream_synchronize_finish (GabbroStream *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_stream_synchronize_async, error);
}

/**
 * gabbro_stream_run:
 * @self: a stream
 * @list: a list of the same device
 * @timeout_us: microseconds to wait at the most, -1 for as long as it takes
 * @error: return location for an error
 *
 * gabbro_stream_submit() and gabbro_stream_synchronize() in one. Thread-safe as these; blocks.
 *
 * Returns: whether all is done; %FALSE with %GABBRO_ERROR_TIMED_OUT if the list was submitted and
 *   goes on, or with another error
 *
 * Since: 0.1
 */
gboolean
gabbro_stream_run (GabbroStream *self, GabbroCommandList *list, gint64 timeout_us, GError **error)
{
  gboolean ok;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);

  /* A completion function may drop the stream. */
  g_object_ref (self);
  ok = gabbro_stream_submit (self, list, error) && gabbro_stream_synchronize (self, timeout_us, error);
  g_object_unref (self);
  return ok;
}

/**
 * gabbro_stream_run_async:
 * @self: a stream
 * @list: a list of the same device
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_stream_run(), without blocking and without a limit: submits @list at once and calls
 * @callback when it has completed, downloads included. Cancelling stops waiting, not the work.
 * Thread-safe, but for @list, which no other thread may use meanwhile; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_stream_run_async (GabbroStream *self,
                         GabbroCommandList *list,
                         GCancellable *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer user_data)
{
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (gabbro_command_list_is_whole (list));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_stream_run_async);
  /* What is cancelled before it begins does not begin. */
  if (g_task_return_error_if_cancelled (task))
    g_object_unref (task);
  else if (gabbro_stream_submit (self, list, &error))
    start_synchronize (self, task);
  else
    gabbro_task_fail (task, error);
}

/**
 * gabbro_stream_run_finish:
 * @self: a stream
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_stream_run_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether all is done
 *
 * Since: 0.1
 */
gboolean
gabbro_stream_run_finish (GabbroStream *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_stream_run_async, error);
}
