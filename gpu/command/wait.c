/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits of the host. A thread waits on the driver itself where it can, so that a
 * wait costs one wake-up, and on the condition for what only the library knows:
 * that an operation has left its stream, that downloads have arrived. */

#include "config.h"

#include "gpu/command/scheduler.h"

#include <string.h>

#include "gpu/gabbro-private.h"

static bool
timed_out (GError **error, const char *what)
{
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_TIMED_OUT, _("The wait for %s ended before it was done"), what);
  return false;
}

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

  if (core->watcher == g_thread_self ())
    return false;
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

/* Where the host owes something at the end, the watcher waits for the device, and the caller for the
 * watcher; else the caller waits itself and the watcher keeps out of the way. */
bool
gabbro_scheduler_wait_points (struct gabbro_core *core,
                              const struct gabbro_point *points,
                              uint32_t n_points,
                              gint64 deadline,
                              GError **error)
{
  bool in_time = true;

  g_mutex_lock (&core->lock);
  for (;;)
    {
      bool owed = is_owed (core, points, n_points);

      if (!owed && (core->lost || are_complete (core, points, n_points)))
        break;
      if (!in_time)
        {
          gabbro_core_unlock (core);
          return timed_out (error, owed ? _("downloads and completion functions") : _("work on the device"));
        }
      if (owed)
        in_time = sleep_until (core, deadline);
      else
        in_time = wait_in_driver (core, points, n_points, deadline) != GABBRO_WAIT_TIMED_OUT;
    }
  gabbro_core_unlock (core);
  return gabbro_core_check_alive (core, error);
}

static bool
copy_failure (const GError *failure, GError **error)
{
  if (error != NULL)
    *error = g_error_copy (failure);
  return false;
}

bool
gabbro_stream_core_synchronize (struct gabbro_stream_core *stream, gint64 deadline, GError **error)
{
  struct gabbro_core *core = stream->core;
  struct gabbro_point points[GABBRO_MAX_QUEUES];
  uint32_t n_points = 0;
  uint64_t target;
  bool in_time = true, ok = true;

  g_mutex_lock (&core->lock);
  target = stream->enqueued;
  while (in_time && stream->failure == NULL && !core->lost
         && (stream->dispatched < target || stream->advancing))
    in_time = sleep_until (core, deadline);
  if (stream->failure == NULL && !core->lost && stream->dispatched < target)
    ok = timed_out (error, _("operations that wait in the stream"));
  for (uint32_t i = 0; i < core->n_queues; i++)
    {
      uint64_t value = i == stream->queue ? MAX (stream->last_value, stream->waits[i]) : stream->waits[i];
      if (value > 0)
        points[n_points++] = (struct gabbro_point) { i, value };
    }
  g_mutex_unlock (&core->lock);
  if (!ok || !gabbro_scheduler_wait_points (core, points, n_points, deadline, error))
    return false;
  g_mutex_lock (&core->lock);
  if (stream->failure != NULL)
    ok = copy_failure (stream->failure, error);
  g_mutex_unlock (&core->lock);
  return ok;
}

bool
gabbro_event_core_synchronize (struct gabbro_event_core *event, uint64_t value, gint64 deadline, GError **error)
{
  struct gabbro_core *core = event->core;
  bool ok = true, in_time = true;

  g_mutex_lock (&core->lock);
  while (event->value < value)
    {
      const struct gabbro_event_signal *signal = gabbro_event_find_signal (event, value);

      if (event->failure != NULL)
        ok = copy_failure (event->failure, error);
      else if (core->lost)
        ok = gabbro_core_check_alive (core, error);
      else if (!in_time)
        ok = timed_out (error, _("the event"));
      if (!ok)
        break;
      if (signal != NULL && signal->stream == NULL)
        {
          struct gabbro_point point = signal->point;

          g_mutex_unlock (&core->lock);
          ok = gabbro_scheduler_wait_points (core, &point, 1, deadline, error);
          g_mutex_lock (&core->lock);
          /* The watcher has seen to the signal, or does so now. */
          if (!ok)
            break;
          if (event->value < value && event->failure == NULL)
            in_time = sleep_until (core, deadline);
        }
      else
        in_time = sleep_until (core, deadline);
    }
  g_mutex_unlock (&core->lock);
  return ok;
}

bool
gabbro_core_synchronize (struct gabbro_core *core, gint64 deadline, GError **error)
{
  struct gabbro_point points[GABBRO_MAX_QUEUES];
  uint32_t n_points = 0;
  bool in_time = true, waiting = true;
  /* By serial: a stream may go meanwhile, and another come to its address. */
  GHashTable *targets = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  g_mutex_lock (&core->lock);
  gb_list_for_each (stream, &core->streams, struct gabbro_stream_core, link)
    if (stream->dispatched < stream->enqueued)
      g_hash_table_insert (targets, GUINT_TO_POINTER (stream->serial), g_memdup2 (&stream->enqueued, sizeof stream->enqueued));
  while (waiting && in_time && !core->lost)
    {
      /* Functions of lists that failed are called by the watcher, too. */
      waiting = core->watcher != g_thread_self () && (core->busy || !gb_list_is_empty (&core->failed));
      gb_list_for_each (stream, &core->streams, struct gabbro_stream_core, link)
        {
          const uint64_t *target = g_hash_table_lookup (targets, GUINT_TO_POINTER (stream->serial));
          waiting = waiting || (target != NULL && (stream->dispatched < *target || stream->advancing));
        }
      if (waiting)
        in_time = sleep_until (core, deadline);
    }
  for (uint32_t i = 0; i < core->n_queues; i++)
    if (core->queues[i].submitted > 0)
      points[n_points++] = (struct gabbro_point) { i, core->queues[i].submitted };
  g_mutex_unlock (&core->lock);
  g_hash_table_unref (targets);
  if (waiting && !in_time)
    return timed_out (error, _("operations that wait in streams"));
  return gabbro_scheduler_wait_points (core, points, n_points, deadline, error);
}
