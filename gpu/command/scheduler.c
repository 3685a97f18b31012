/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/scheduler.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/command/cycle.h"
#include "gpu/command/wait.h"
#include "gpu/gabbro-private.h"
#include "lib/exit.h"

/* Streams. */

struct gabbro_stream_core *
gabbro_stream_core_new (struct gabbro_core *core, uint32_t queue)
{
  struct gabbro_stream_core *stream = g_new0 (struct gabbro_stream_core, 1);

  stream->core = gabbro_core_ref (core);
  stream->queue = queue;
  stream->serial = 1 + (guint) g_atomic_int_add ((gint *) &core->next_id, 1);
  gb_list_init (&stream->operations);
  g_mutex_lock (&core->lock);
  gb_list_append (&core->streams, &stream->link);
  __atomic_fetch_add (&core->queues[queue].n_streams, 1, __ATOMIC_RELAXED);
  gabbro_core_unlock (core);
  return stream;
}

/* With core.lock held by somebody who keeps the core. */
static void
free_if_done (struct gabbro_stream_core *stream)
{
  struct gabbro_core *core = stream->core;

  if (!stream->released || stream->advancing || !gb_list_is_empty (&stream->operations))
    return;
  gb_list_remove (&stream->link);
  __atomic_fetch_sub (&core->queues[stream->queue].n_streams, 1, __ATOMIC_RELAXED);
  g_clear_error (&stream->failure);
  g_clear_pointer (&stream->notifier, gabbro_notifier_unref);
  g_free (stream);
  gabbro_core_unref (core);
}

void
gabbro_stream_core_release (struct gabbro_stream_core *stream)
{
  struct gabbro_core *core = gabbro_core_ref (stream->core);

  if (!gabbro_core_is_foreign (core))
    {
      g_mutex_lock (&core->lock);
      stream->released = true;
      free_if_done (stream);
      gabbro_core_unlock (core);
    }
  gabbro_core_unref (core);
}

void
gabbro_stream_core_set_notifier (struct gabbro_stream_core *stream, struct gabbro_notifier *notifier)
{
  g_mutex_lock (&stream->core->lock);
  stream->notifier = notifier;
  g_mutex_unlock (&stream->core->lock);
}

/* Operations. */

static struct gabbro_operation *
operation_new (enum gabbro_operation_kind kind)
{
  struct gabbro_operation *operation = g_new0 (struct gabbro_operation, 1);

  gb_list_init (&operation->link);
  operation->kind = kind;
  return operation;
}

/* The parts that have been handed on are NULL by now. */
static void
operation_pop (struct gabbro_stream_core *stream, struct gabbro_operation *operation)
{
  gb_list_remove (&operation->link);
  g_clear_pointer (&operation->event, gabbro_event_core_unref);
  g_free (operation);
  __atomic_store_n (&stream->dispatched, stream->dispatched + 1, __ATOMIC_RELAXED);
  g_cond_broadcast (&stream->core->changed);
}

static void
hold_resources (struct gabbro_recorder *recorder, bool hold)
{
  for (uint32_t i = 0; i < recorder->tracker.n_entries; i++)
    {
      struct gabbro_resource *resource = (struct gabbro_resource *) recorder->tracker.entries[i].resource;
      if (hold)
        resource->n_held++;
      else
        resource->n_held--;
    }
}

static void
use_resources (struct gabbro_recorder *recorder, uint32_t queue, uint64_t value)
{
  for (uint32_t i = 0; i < recorder->tracker.n_entries; i++)
    ((struct gabbro_resource *) recorder->tracker.entries[i].resource)->last_use[queue] = value;
  for (guint i = 0; i < recorder->shaders->len; i++)
    ((struct gabbro_shader_core *) recorder->shaders->pdata[i])->resource->last_use[queue] = value;
}

void
gabbro_flight_free (struct gabbro_flight *flight)
{
  g_clear_pointer (&flight->prepared, gabbro_prepared_unref);
  g_clear_pointer (&flight->recorder, gabbro_recorder_unref);
  g_clear_pointer (&flight->notice, gabbro_notice_send);
  g_clear_error (&flight->error);
  g_free (flight);
}

static struct gabbro_flight *
flight_new (uint64_t value)
{
  struct gabbro_flight *flight = g_new0 (struct gabbro_flight, 1);

  gb_list_init (&flight->link);
  flight->value = value;
  return flight;
}

/* Kept in order of values: an event may be mapped to a point that was submitted before others. */
static void
add_flight (struct gabbro_core *core, uint32_t queue, struct gabbro_flight *flight)
{
  struct gb_list *position = core->queues[queue].flights.prev;

  while (position != &core->queues[queue].flights
         && gb_list_entry (position, struct gabbro_flight, link)->value > flight->value)
    position = position->prev;
  gb_list_insert_after (position, &flight->link);
  if (core->runs_here && !core->holds_exit)
    {
      core->holds_exit = true;
      gb_exit_hold ();
    }
  gabbro_watcher_notify (core, queue);
}

static void
set_failure (struct gabbro_stream_core *stream, const GError *error)
{
  if (stream->failure != NULL)
    return;
  stream->failure = g_error_copy (error);
  gabbro_notifier_tell (stream->notifier);
}

static void
fail_stream (struct gabbro_stream_core *stream, const GError *error)
{
  struct gabbro_core *core = stream->core;

  set_failure (stream, error);
  while (!gb_list_is_empty (&stream->operations))
    {
      struct gabbro_operation *operation = gb_list_first (&stream->operations, struct gabbro_operation, link);

      if (operation->recorder != NULL)
        {
          struct gabbro_flight *flight = flight_new (0);
          hold_resources (operation->recorder, false);
          flight->recorder = g_steal_pointer (&operation->recorder);
          flight->prepared = g_steal_pointer (&operation->prepared);
          flight->notice = g_steal_pointer (&operation->notice);
          flight->has_host_work = true;
          flight->error = g_error_copy (stream->failure);
          gb_list_append (&core->failed, &flight->link);
        }
      if (operation->signal != NULL)
        gabbro_event_signal_failed (operation->signal, stream->failure);
      operation_pop (stream, operation);
    }
  gabbro_watcher_notify (core, HAZARD_NONE);
}

/* Leaving the stream. Each answers whether the operation is gone. */

static bool
advance_wait (struct gabbro_stream_core *stream, struct gabbro_operation *operation)
{
  struct gabbro_event_core *event = operation->event;
  const struct gabbro_event_signal *signal;

  if (event->value < operation->value)
    {
      if (event->failure != NULL)
        {
          GError *failure = g_error_copy (event->failure);
          fail_stream (stream, failure);
          g_error_free (failure);
          return true;
        }
      signal = gabbro_event_find_signal (event, operation->value);
      if (signal == NULL || signal->stream != NULL)
        return false;
      /* The same queue: its lists follow each other anyway, and what the stream signals comes after. */
      if (signal->point.queue == stream->queue)
        stream->last_value = MAX (stream->last_value, signal->point.value);
      else
        stream->waits[signal->point.queue] = MAX (stream->waits[signal->point.queue], signal->point.value);
    }
  operation_pop (stream, operation);
  /* No flight and no signal tells the watcher of it. */
  gabbro_waits_notify (stream->core);
  return true;
}

static bool
has_waits (const struct gabbro_stream_core *stream)
{
  for (uint32_t i = 0; i < stream->core->n_queues; i++)
    if (stream->waits[i] != 0)
      return true;
  return false;
}

/* Gives the driver one submission. Releases core.lock around it; the queue's `pumping` keeps
 * everybody else from its values. Returns NULL on failure, with the stream failed. */
static struct gabbro_flight *
submit (struct gabbro_stream_core *stream, struct gabbro_recorder *recorder, struct gabbro_prepared *prepared)
{
  struct gabbro_core *core = stream->core;
  struct gabbro_queue_core *queue = &core->queues[stream->queue];
  struct gabbro_point waits[GABBRO_MAX_QUEUES];
  struct gabbro_submission submission = { .waits = waits, .signal = queue->submitted + 1 };
  GError *driver_error = NULL, *error = NULL;
  struct gabbro_flight *flight;
  bool ok;

  for (uint32_t i = 0; i < core->n_queues; i++)
    if (stream->waits[i] != 0)
      waits[submission.n_waits++] = (struct gabbro_point) { i, stream->waits[i] };
  if (prepared != NULL)
    submission.prepared = prepared->handle;
  else if (recorder != NULL)
    submission.plan = &recorder->plan;
  stream->advancing = true;
  gabbro_core_unlock (core);
  ok = core->ops->submit (core->driver, stream->queue, &submission, &driver_error);
  if (!ok)
    gabbro_core_translate_error (core, driver_error, &error, _("Submitting to queue %u of “%s”"), stream->queue, core->name);
  g_mutex_lock (&core->lock);
  stream->advancing = false;
  if (!ok)
    {
      fail_stream (stream, error);
      g_error_free (error);
      return NULL;
    }
  __atomic_store_n (&queue->submitted, submission.signal, __ATOMIC_RELAXED);
  stream->last_value = submission.signal;
  flight = flight_new (submission.signal);
  memcpy (flight->waits, stream->waits, sizeof flight->waits);
  memset (stream->waits, 0, sizeof stream->waits);
  __atomic_add_fetch (&core->n_submissions, 1, __ATOMIC_RELAXED);
  return flight;
}

/* The one place where the distance of timeline values is bounded, see
 * VkPhysicalDeviceTimelineSemaphoreProperties::maxTimelineSemaphoreValueDifference. */
static bool
value_is_too_far (struct gabbro_core *core, struct gabbro_queue_core *queue)
{
  uint64_t completed = __atomic_load_n (&queue->completed, __ATOMIC_ACQUIRE);

  if (queue->submitted + 1 - completed <= core->limits.max_timeline_difference)
    return false;
  if (core->ops->queue_value (core->driver, queue->index, &completed))
    __atomic_store_n (&queue->completed, completed, __ATOMIC_RELEASE);
  return queue->submitted + 1 - completed > core->limits.max_timeline_difference;
}

static bool
advance_submit (struct gabbro_stream_core *stream, struct gabbro_operation *operation)
{
  struct gabbro_core *core = stream->core;
  struct gabbro_recorder *recorder = operation->recorder;
  struct gabbro_flight *flight;

  if (value_is_too_far (core, &core->queues[stream->queue]))
    return false;
  flight = submit (stream, recorder, operation->prepared);
  if (flight == NULL)
    return true;
  flight->recorder = g_steal_pointer (&operation->recorder);
  flight->prepared = g_steal_pointer (&operation->prepared);
  flight->notice = g_steal_pointer (&operation->notice);
  flight->has_host_work = recorder->downloads->len > 0 || recorder->completions->len > 0 || flight->notice != NULL
                          || recorder->printers->len > 0;
  hold_resources (recorder, false);
  use_resources (recorder, stream->queue, flight->value);
  operation_pop (stream, operation);
  add_flight (core, stream->queue, flight);
  return true;
}

static bool
advance_signal (struct gabbro_stream_core *stream, struct gabbro_operation *operation)
{
  struct gabbro_core *core = stream->core;
  struct gabbro_queue_core *queue = &core->queues[stream->queue];
  struct gabbro_event_signal *signal = operation->signal;
  struct gabbro_flight *flight = NULL;

  /* What the stream waited for belongs to the past that is signalled. */
  if (has_waits (stream))
    {
      if (value_is_too_far (core, queue))
        return false;
      flight = submit (stream, NULL, NULL);
      if (flight == NULL)
        return true;
    }
  operation->signal = NULL;
  operation_pop (stream, operation);
  signal->stream = NULL;
  signal->point = (struct gabbro_point) { stream->queue, stream->last_value };
  if (stream->last_value <= queue->retired)
    {
      gabbro_event_signal_reached (signal);
      return true;
    }
  if (flight == NULL)
    flight = flight_new (stream->last_value);
  flight->signal = signal;
  add_flight (core, stream->queue, flight);
  g_cond_broadcast (&core->changed);
  return true;
}

/* Whether anything left the stream. */
static bool
advance_stream (struct gabbro_stream_core *stream)
{
  bool any = false, gone = true;

  while (gone && !gb_list_is_empty (&stream->operations))
    {
      struct gabbro_operation *operation = gb_list_first (&stream->operations, struct gabbro_operation, link);

      /* The device was lost while the driver had the operation before. */
      if (stream->failure != NULL)
        {
          fail_stream (stream, stream->failure);
          return true;
        }
      switch (operation->kind)
        {
        case GABBRO_OPERATION_SUBMIT:
          gone = advance_submit (stream, operation);
          break;
        case GABBRO_OPERATION_SIGNAL:
          gone = advance_signal (stream, operation);
          break;
        case GABBRO_OPERATION_WAIT:
        default:
          gone = advance_wait (stream, operation);
          break;
        }
      any = any || gone;
    }
  return any;
}

void
gabbro_scheduler_advance_all (struct gabbro_core *core)
{
  bool any = true;

  /* What leaves one stream may let another go on; the list may change while the lock is released,
   * so each success begins anew. */
  while (any)
    {
      any = false;
      gb_list_for_each_safe (stream, &core->streams, struct gabbro_stream_core, link)
        {
          struct gabbro_queue_core *queue = &core->queues[stream->queue];

          if (gb_list_is_empty (&stream->operations) || queue->pumping != NULL)
            continue;
          queue->pumping = g_thread_self ();
          any = advance_stream (stream);
          queue->pumping = NULL;
          g_cond_broadcast (&core->changed);
          free_if_done (stream);
          if (any)
            break;
        }
    }
}

void
gabbro_scheduler_fail_all (struct gabbro_core *core, const GError *error)
{
  gb_list_for_each_safe (stream, &core->streams, struct gabbro_stream_core, link)
    {
      if (stream->advancing)
        {
          /* Its first operation is with the driver, which will answer. */
          set_failure (stream, error);
          continue;
        }
      fail_stream (stream, error);
      free_if_done (stream);
    }
  g_cond_broadcast (&core->changed);
}

/* Entering the stream. */

static bool
check_stream (struct gabbro_stream_core *stream, GError **error)
{
  if (stream->failure == NULL)
    return gabbro_core_check_alive (stream->core, error);
  if (error != NULL)
    {
      *error = g_error_copy (stream->failure);
      g_prefix_error (error, _("Stream %u has failed: "), stream->serial);
    }
  return false;
}

/* Whether the stream takes anything at all. */
bool
gabbro_stream_core_check (struct gabbro_stream_core *stream, GError **error)
{
  bool ok;

  g_mutex_lock (&stream->core->lock);
  ok = check_stream (stream, error);
  g_mutex_unlock (&stream->core->lock);
  return ok;
}

static bool
enqueue (struct gabbro_stream_core *stream, struct gabbro_operation *operation, GError **error)
{
  gb_list_append (&stream->operations, &operation->link);
  __atomic_store_n (&stream->enqueued, stream->enqueued + 1, __ATOMIC_RELAXED);
  gabbro_scheduler_advance_all (stream->core);
  return check_stream (stream, error);
}

/* Whoever submits to the queue takes what it finds in the streams: if others went on adding, that
 * would have no end. Only a log handler, called from inside the driver, can find itself here. */
static void
wait_for_turn (struct gabbro_stream_core *stream)
{
  const struct gabbro_queue_core *queue = &stream->core->queues[stream->queue];

  while (queue->pumping != NULL && queue->pumping != g_thread_self ())
    g_cond_wait (&stream->core->changed, &stream->core->lock);
}

bool
gabbro_stream_core_submit (struct gabbro_stream_core *stream, struct gabbro_recorder *recorder, GError **error)
{
  struct gabbro_core *core = stream->core;
  struct gabbro_operation *operation;
  bool ok;

  gb_exit_guard_thread ();
  g_mutex_lock (&core->lock);
  wait_for_turn (stream);
  ok = check_stream (stream, error);
  if (ok)
    {
      operation = operation_new (GABBRO_OPERATION_SUBMIT);
      operation->recorder = gabbro_recorder_ref (recorder);
      if (recorder->prepared != NULL)
        operation->prepared = gabbro_prepared_ref (recorder->prepared);
      operation->notice = g_steal_pointer (&recorder->notice);
      hold_resources (recorder, true);
      ok = enqueue (stream, operation, error);
    }
  gabbro_core_unlock (core);
  return ok;
}

bool
gabbro_stream_core_wait (struct gabbro_stream_core *stream,
                         struct gabbro_event_core *event,
                         uint64_t value,
                         GError **error)
{
  struct gabbro_core *core = stream->core;
  struct gabbro_operation *operation;
  bool ok;

  g_mutex_lock (&core->lock);
  wait_for_turn (stream);
  ok = check_stream (stream, error);
  if (ok)
    {
      operation = operation_new (GABBRO_OPERATION_WAIT);
      operation->event = gabbro_event_core_ref (event);
      operation->value = value;
      ok = enqueue (stream, operation, error);
    }
  gabbro_core_unlock (core);
  return ok;
}

static bool
check_signal (struct gabbro_stream_core *stream, struct gabbro_event_core *event, uint64_t value, GError **error)
{
  char *cycle;

  if (!check_stream (stream, error))
    return false;
  if (value <= event->last)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("Event %u cannot be signalled with %" PRIu64 ": values only grow, and it has been given %"
                     PRIu64), event->serial, (guint64) value, (guint64) event->last);
      return false;
    }
  cycle = gabbro_cycle_find (stream, event, value);
  if (cycle != NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_DEADLOCK,
                   _("Signalling event %u with %" PRIu64 " in stream %u would close a cycle of waits: %s"),
                   event->serial, (guint64) value, stream->serial, cycle);
      g_free (cycle);
      return false;
    }
  return true;
}

bool
gabbro_stream_core_signal (struct gabbro_stream_core *stream,
                           struct gabbro_event_core *event,
                           uint64_t value,
                           GError **error)
{
  struct gabbro_core *core = stream->core;
  struct gabbro_operation *operation;
  bool ok;

  g_mutex_lock (&core->lock);
  wait_for_turn (stream);
  ok = check_signal (stream, event, value, error);
  if (ok)
    {
      operation = operation_new (GABBRO_OPERATION_SIGNAL);
      operation->signal = g_new0 (struct gabbro_event_signal, 1);
      operation->signal->event = gabbro_event_core_ref (event);
      operation->signal->value = value;
      operation->signal->stream = stream;
      gb_list_append (&event->signals, &operation->signal->link);
      event->last = value;
      ok = enqueue (stream, operation, error);
    }
  gabbro_core_unlock (core);
  return ok;
}
