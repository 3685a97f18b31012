/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that waits does so on the driver itself where it can, so that a wait costs
 * one wake-up, and on the condition for what only the library knows: that an operation
 * has left its stream, that downloads have arrived. Waits without a thread are left to
 * the watcher, which sees every end anyway. */

#include "config.h"

#include "gpu/command/wait.h"

#include <string.h>

#include "gpu/gabbro-private.h"
#include "lib/exit.h"

/* One sleep on the condition; false when the deadline has passed. With core.lock held. */
static bool
sleep_until (struct gabbro_core *core, gint64 deadline)
{
  if (deadline < 0)
    {
      g_cond_wait (&core->changed, &core->lock);
      return true;
    }
  return g_cond_wait_until (&core->changed, &core->lock, deadline);
}

static uint64_t
nanoseconds_until (gint64 deadline)
{
  gint64 left;

  if (deadline < 0)
    return UINT64_MAX;
  left = deadline - g_get_monotonic_time ();
  return left <= 0 ? 0 : (uint64_t) left * 1000;
}

/* The values that have to be retired before `points` count as done: their own, and what the submissions up to
 * them waited for on other queues. With core.lock held. */
static void
collect_past (struct gabbro_core *core, const struct gabbro_point *points, uint32_t n_points, uint64_t *past)
{
  bool grown = true;

  memset (past, 0, GABBRO_MAX_QUEUES * sizeof *past);
  for (uint32_t i = 0; i < n_points; i++)
    past[points[i].queue] = MAX (past[points[i].queue], points[i].value);
  while (grown && core->n_queues > 1)
    {
      grown = false;
      for (uint32_t i = 0; i < core->n_queues; i++)
        gb_list_for_each (flight, &core->queues[i].flights, struct gabbro_flight, link)
          {
            if (flight->value > past[i])
              break;
            for (uint32_t j = 0; j < core->n_queues; j++)
              if (flight->waits[j] > past[j])
                {
                  past[j] = flight->waits[j];
                  grown = true;
                }
          }
    }
}

/* Host work of flights of `queue` up to `value` that the watcher still has to do. With core.lock held. */
static bool
has_host_work (struct gabbro_queue_core *queue, uint64_t value)
{
  if (queue->retiring && queue->retired < value)
    return true;
  gb_list_for_each (flight, &queue->flights, struct gabbro_flight, link)
    {
      if (flight->value > value)
        break;
      if (flight->has_host_work || flight->signal != NULL)
        return true;
    }
  return false;
}

static bool
are_complete (struct gabbro_core *core, const struct gabbro_point *points, uint32_t n_points)
{
  for (uint32_t i = 0; i < n_points; i++)
    if (points[i].value > __atomic_load_n (&core->queues[points[i].queue].completed, __ATOMIC_ACQUIRE))
      return false;
  return true;
}

/* Whether the watcher has to do something first. Even when the device is lost it may be writing into
 * memory of the caller just now. With core.lock held. */
static bool
is_owed (struct gabbro_core *core, const struct gabbro_point *points, uint32_t n_points)
{
  uint64_t past[GABBRO_MAX_QUEUES];

  collect_past (core, points, n_points, past);
  for (uint32_t i = 0; i < core->n_queues; i++)
    if (past[i] > 0 && has_host_work (&core->queues[i], past[i]) && (!core->lost || core->queues[i].retiring))
      return true;
  return false;
}

/* With core.lock held, which is released around the driver. */
static enum gabbro_wait_result
wait_in_driver (struct gabbro_core *core, const struct gabbro_point *points, uint32_t n_points, gint64 deadline)
{
  enum gabbro_wait_result result;

  core->n_host_waits++;
  gabbro_watcher_step_aside (core);
  gabbro_core_unlock (core);
  result = core->ops->wait (core->driver, points, n_points, true, false, nanoseconds_until (deadline));
  if (result == GABBRO_WAIT_LOST)
    gabbro_core_set_lost (core);
  g_mutex_lock (&core->lock);
  for (uint32_t i = 0; i < n_points && result == GABBRO_WAIT_DONE; i++)
    {
      uint64_t *completed = &core->queues[points[i].queue].completed;
      if (points[i].value > __atomic_load_n (completed, __ATOMIC_ACQUIRE))
        __atomic_store_n (completed, points[i].value, __ATOMIC_RELEASE);
    }
  if (--core->n_host_waits == 0)
    gabbro_watcher_notify (core, HAZARD_NONE);
  return result;
}

/* The parts of a wait. */

static void
init (struct gabbro_wait *wait, enum gabbro_wait_kind kind, struct gabbro_core *core)
{
  wait->kind = kind;
  wait->core = core;
  wait->target = 0;
  wait->targets = NULL;
  wait->n_points = 0;
  wait->collected = false;
}

void
gabbro_wait_init_stream (struct gabbro_wait *wait, struct gabbro_stream_core *stream)
{
  init (wait, GABBRO_WAIT_FOR_STREAM, stream->core);
  wait->stream = stream;
}

void
gabbro_wait_init_event (struct gabbro_wait *wait, struct gabbro_event_core *event, uint64_t value)
{
  init (wait, GABBRO_WAIT_FOR_EVENT, event->core);
  wait->event = event;
  wait->target = value;
}

void
gabbro_wait_init_device (struct gabbro_wait *wait, struct gabbro_core *core)
{
  init (wait, GABBRO_WAIT_FOR_DEVICE, core);
}

void
gabbro_wait_init_resource (struct gabbro_wait *wait, struct gabbro_resource *resource)
{
  init (wait, GABBRO_WAIT_FOR_RESOURCE, resource->core);
  wait->resource = resource;
}

/* What is there now is what is waited for. With core.lock held. */
static void
begin (struct gabbro_wait *wait)
{
  if (wait->kind == GABBRO_WAIT_FOR_STREAM)
    wait->target = wait->stream->enqueued;
  if (wait->kind != GABBRO_WAIT_FOR_DEVICE)
    return;
  /* By serial: a stream may go meanwhile, and another come to its address. */
  gb_list_for_each (stream, &wait->core->streams, struct gabbro_stream_core, link)
    if (stream->dispatched < stream->enqueued)
      {
        if (wait->targets == NULL)
          wait->targets = g_hash_table_new_full (NULL, NULL, NULL, g_free);
        g_hash_table_insert (wait->targets, GUINT_TO_POINTER (stream->serial), g_memdup2 (&stream->enqueued, sizeof stream->enqueued));
      }
}

static bool
streams_hold_back (const struct gabbro_wait *wait)
{
  if (wait->targets == NULL)
    return false;
  gb_list_for_each (stream, &wait->core->streams, struct gabbro_stream_core, link)
    {
      const uint64_t *target = g_hash_table_lookup (wait->targets, GUINT_TO_POINTER (stream->serial));
      if (target != NULL && (stream->dispatched < *target || stream->advancing))
        return true;
    }
  return false;
}

/* Whether something has to happen first that is no point of a queue. With core.lock held. */
static bool
is_held_back (const struct gabbro_wait *wait)
{
  struct gabbro_core *core = wait->core;

  switch (wait->kind)
    {
    case GABBRO_WAIT_FOR_STREAM:
      return wait->stream->failure == NULL && (wait->stream->dispatched < wait->target || wait->stream->advancing);
    case GABBRO_WAIT_FOR_EVENT:
      return wait->event->failure == NULL && wait->event->value < wait->target;
    case GABBRO_WAIT_FOR_RESOURCE:
      return wait->resource->n_held > 0;
    case GABBRO_WAIT_FOR_DEVICE:
    default:
      /* Functions of lists that failed are called by the watcher, too. */
      return ((core->watcher != g_thread_self () || wait->queued) && (core->busy || !gb_list_is_empty (&core->failed)))
             || streams_hold_back (wait);
    }
}

static void
collect_points (struct gabbro_wait *wait)
{
  struct gabbro_core *core = wait->core;

  wait->collected = true;
  for (uint32_t i = 0; i < core->n_queues; i++)
    {
      uint64_t value = 0;

      if (wait->kind == GABBRO_WAIT_FOR_STREAM)
        value = i == wait->stream->queue ? MAX (wait->stream->last_value, wait->stream->waits[i]) : wait->stream->waits[i];
      else if (wait->kind == GABBRO_WAIT_FOR_DEVICE)
        value = core->queues[i].submitted;
      else if (wait->kind == GABBRO_WAIT_FOR_RESOURCE
               && wait->resource->last_use[i] > __atomic_load_n (&core->queues[i].completed, __ATOMIC_ACQUIRE))
        value = wait->resource->last_use[i];
      if (value > 0)
        wait->points[wait->n_points++] = (struct gabbro_point) { i, value };
    }
}

enum look { LOOK_HELD_BACK, LOOK_ON_DEVICE, LOOK_OWED, LOOK_DONE };

/* Where a wait stands. With core.lock held. */
static enum look
look (struct gabbro_wait *wait)
{
  struct gabbro_core *core = wait->core;
  bool complete;

  if (!wait->collected)
    {
      if (!core->lost && is_held_back (wait))
        return LOOK_HELD_BACK;
      collect_points (wait);
    }
  complete = core->lost || are_complete (core, wait->points, wait->n_points);
  /* Without a thread that blocks only the end counts. */
  if (!complete && wait->queued)
    return LOOK_ON_DEVICE;
  /* A function of the application on the watcher cannot wait for what the watcher owes. */
  if ((core->watcher != g_thread_self () || wait->queued) && is_owed (core, wait->points, wait->n_points))
    return LOOK_OWED;
  return complete ? LOOK_DONE : LOOK_ON_DEVICE;
}

/* How a wait has ended. With core.lock held. */
static bool
get_result (struct gabbro_wait *wait, GError **error)
{
  const GError *failure = NULL;

  g_clear_pointer (&wait->targets, g_hash_table_unref);
  if (wait->kind == GABBRO_WAIT_FOR_EVENT)
    {
      if (wait->event->value >= wait->target)
        return true;
      failure = wait->event->failure;
    }
  else if (!wait->core->lost && wait->kind == GABBRO_WAIT_FOR_STREAM)
    failure = wait->stream->failure;
  if (failure == NULL)
    return gabbro_core_check_alive (wait->core, error);
  if (error != NULL)
    *error = g_error_copy (failure);
  return false;
}

static const char *
describe (const struct gabbro_wait *wait, enum look at)
{
  if (at == LOOK_ON_DEVICE)
    return _("work on the device");
  if (at == LOOK_OWED)
    return _("downloads and completion functions");
  switch (wait->kind)
    {
    case GABBRO_WAIT_FOR_STREAM:
      return _("operations that wait in the stream");
    case GABBRO_WAIT_FOR_EVENT:
      return _("the event");
    case GABBRO_WAIT_FOR_DEVICE:
    case GABBRO_WAIT_FOR_RESOURCE:
    default:
      return _("operations that wait in streams");
    }
}

/* Where the host owes something at the end, the watcher waits for the device, and the caller for the
 * watcher; else the caller waits itself and the watcher keeps out of the way. */
bool
gabbro_wait_block (struct gabbro_wait *wait, gint64 deadline, GError **error)
{
  struct gabbro_core *core = wait->core;
  bool in_time = true, ok;

  if (gb_exit_has_begun ())
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE, _("The process is ending: nothing can be waited for"));
      return false;
    }
  g_mutex_lock (&core->lock);
  begin (wait);
  for (;;)
    {
      enum look at = look (wait);

      if (at == LOOK_DONE)
        break;
      if (!in_time)
        {
          g_clear_pointer (&wait->targets, g_hash_table_unref);
          gabbro_core_unlock (core);
          g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_TIMED_OUT, _("The wait for %s ended before it was done"),
                       describe (wait, at));
          return false;
        }
      if (at == LOOK_ON_DEVICE)
        in_time = wait_in_driver (core, wait->points, wait->n_points, deadline) != GABBRO_WAIT_TIMED_OUT;
      else
        in_time = sleep_until (core, deadline);
    }
  ok = get_result (wait, error);
  gabbro_core_unlock (core);
  return ok;
}

/* Waits without a thread. */

static void
take_out (struct gabbro_wait *wait)
{
  gb_list_remove (&wait->link);
  wait->queued = false;
}

void
gabbro_wait_start (struct gabbro_wait *wait)
{
  struct gabbro_core *core = wait->core;
  GError *error = NULL;

  g_mutex_lock (&core->lock);
  begin (wait);
  gb_list_append (&core->waits, &wait->link);
  wait->queued = true;
  if (look (wait) != LOOK_DONE)
    {
      core->n_held_waits += !wait->collected;
      gabbro_watcher_notify (core, HAZARD_NONE);
      gabbro_core_unlock (core);
      return;
    }
  take_out (wait);
  get_result (wait, &error);
  gabbro_core_unlock (core);
  wait->done (wait, error);
}

bool
gabbro_wait_cancel (struct gabbro_wait *wait, struct gabbro_core *core)
{
  bool found;

  g_mutex_lock (&core->lock);
  found = wait->queued;
  if (found)
    {
      take_out (wait);
      core->n_held_waits -= !wait->collected;
      g_clear_pointer (&wait->targets, g_hash_table_unref);
    }
  gabbro_core_unlock (core);
  return found;
}

void
gabbro_waits_notify (struct gabbro_core *core)
{
  if (core->n_held_waits > 0)
    gabbro_watcher_notify (core, HAZARD_NONE);
}

/* Puts what is over into `done`, where no cancellation finds it any more. */
static void
take_done (struct gabbro_core *core, struct gb_list *done)
{
  gb_list_for_each_safe (wait, &core->waits, struct gabbro_wait, link)
    {
      bool held = !wait->collected;
      enum look at = look (wait);

      core->n_held_waits -= held && wait->collected;
      if (at == LOOK_DONE)
        {
          take_out (wait);
          gb_list_append (done, &wait->link);
        }
    }
}

void
gabbro_waits_settle (struct gabbro_core *core)
{
  struct gb_list done;

  gb_list_init (&done);
  for (take_done (core, &done); !gb_list_is_empty (&done); take_done (core, &done))
    while (!gb_list_is_empty (&done))
      {
        struct gabbro_wait *wait = gb_list_first (&done, struct gabbro_wait, link);
        GError *error = NULL;

        gb_list_remove (&wait->link);
        get_result (wait, &error);
        core->busy = true;
        g_mutex_unlock (&core->lock);
        wait->done (wait, error);
        g_mutex_lock (&core->lock);
        core->busy = false;
        g_cond_broadcast (&core->changed);
      }
}
