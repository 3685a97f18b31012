/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One thread a device. It waits on the queues that have work in flight, and when
 * a value is reached does what the host owes: downloads, completion functions,
 * events, references; then lets held-back operations go on. It sleeps on a
 * condition while nothing is in flight. */

#include "config.h"

#include "gpu/command/wait.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/context-core.h"
#include "gpu/gabbro-private.h"
#include "lib/exit.h"

/* Some drivers serve two threads that wait at once badly: the second sleeps for milliseconds (seen with
 * NVIDIA's 580). So the watcher leaves the driver's wait to a thread that waits anyway, as long as
 * nothing is owed at the end of the work in flight, and gives each submission this long to be waited
 * for before it waits itself. */
#define PATIENCE_US 2000

void
gabbro_watcher_notify (struct gabbro_core *core, uint32_t queue)
{
  if (!core->watching)
    core->wake_watcher = true;
  else if (queue == HAZARD_NONE || (core->watched_queues & (1u << queue)) == 0)
    core->kick_watcher = true;
}

/* Whether something waits for the watcher: what the host owes, or operations that are held back. */
static bool
is_needed (const struct gabbro_core *core)
{
  if (core->closing || !gb_list_is_empty (&core->waits))
    return true;
  gb_list_for_each (stream, &core->streams, struct gabbro_stream_core, link)
    if (!gb_list_is_empty (&stream->operations))
      return true;
  for (uint32_t i = 0; i < core->n_queues; i++)
    gb_list_for_each (flight, &core->queues[i].flights, struct gabbro_flight, link)
      if (flight->has_host_work || flight->signal != NULL)
        return true;
  return false;
}

void
gabbro_watcher_step_aside (struct gabbro_core *core)
{
  if (core->watching && !is_needed (core))
    core->kick_watcher = true;
}

void
gabbro_core_unlock (struct gabbro_core *core)
{
  bool wake = core->wake_watcher, kick = core->kick_watcher;

  core->wake_watcher = core->kick_watcher = false;
  /* The lock protects the core from its end: the caller keeps it. */
  g_mutex_unlock (&core->lock);
  if (wake)
    g_cond_signal (&core->work);
  if (kick)
    core->ops->kick (core->driver);
}

/* Functions of the application, which the end of the flight may call. */
static bool
has_functions (const struct gabbro_flight *flight)
{
  return flight->recorder != NULL && (flight->recorder->completions->len > 0 || flight->recorder->tells_release);
}

static bool
any_has_functions (const struct gb_list *flights)
{
  gb_list_for_each (flight, flights, struct gabbro_flight, link)
    if (has_functions (flight))
      return true;
  return false;
}

bool
gabbro_watcher_ends_at_once (struct gabbro_core *core)
{
  if (core->busy || core->lost || !gb_list_is_empty (&core->failed) || !gb_list_is_empty (&core->streams)
      || !gb_list_is_empty (&core->waits))
    return false;
  for (uint32_t i = 0; i < core->n_queues; i++)
    {
      const struct gb_list *flights = &core->queues[i].flights;
      uint64_t completed;

      if (gb_list_is_empty (flights))
        continue;
      if (any_has_functions (flights) || !core->ops->queue_value (core->driver, i, &completed)
          || gb_list_entry (flights->prev, struct gabbro_flight, link)->value > completed)
        return false;
    }
  return true;
}

static void
run_completions (struct gabbro_flight *flight, const GError *error)
{
  GArray *completions = flight->recorder->completions;

  for (guint i = 0; i < completions->len; i++)
    {
      const struct gabbro_completion *completion = &g_array_index (completions, struct gabbro_completion, i);
      completion->function (error, completion->data);
    }
}

static void
deliver_print (const struct gabbro_flight *flight)
{
  const struct gabbro_print_memory *memory = flight->prepared != NULL ? &flight->prepared->print : &flight->recorder->print;

  if (memory->size > 0)
    gabbro_recorder_deliver_print (flight->recorder, memory);
}

/* Without any lock. */
static void
finish_flight (struct gabbro_core *core, struct gabbro_flight *flight, const GError *error)
{
  if (flight->recorder != NULL)
    {
      GArray *downloads = flight->recorder->downloads;

      if (error == NULL)
        for (guint i = 0; i < downloads->len; i++)
          {
            const struct gabbro_download *download = &g_array_index (downloads, struct gabbro_download, i);
            memcpy (download->destination, download->source, download->size);
          }
      if (error == NULL)
        deliver_print (flight);
      run_completions (flight, error);
    }
  if (flight->signal != NULL)
    {
      g_mutex_lock (&core->lock);
      if (error == NULL)
        gabbro_event_signal_reached (flight->signal);
      else
        gabbro_event_signal_failed (flight->signal, error);
      g_mutex_unlock (&core->lock);
    }
  if (flight->notice != NULL && error != NULL)
    gabbro_notice_set_error (flight->notice, error);
  gabbro_flight_free (flight);
}

static void
finish_flights (struct gabbro_core *core, struct gb_list *flights, const GError *error)
{
  gb_list_for_each_safe (flight, flights, struct gabbro_flight, link)
    {
      gb_list_remove (&flight->link);
      finish_flight (core, flight, error != NULL ? error : flight->error);
    }
}

/* Whether all that the flight waited for on other queues has been retired: who sees its effects may
 * count on theirs. */
static bool
is_next (const struct gabbro_core *core, const struct gabbro_flight *flight)
{
  for (uint32_t i = 0; i < core->n_queues; i++)
    if (flight->waits[i] > core->queues[i].retired)
      return false;
  return true;
}

/* Takes what may be retired now into `done`, and says up to which value that is everything. */
static uint64_t
take_done (struct gabbro_core *core, struct gabbro_queue_core *queue, uint64_t completed, struct gb_list *done)
{
  while (!gb_list_is_empty (&queue->flights))
    {
      struct gabbro_flight *flight = gb_list_first (&queue->flights, struct gabbro_flight, link);

      if (flight->value > completed)
        break;
      if (!is_next (core, flight))
        return flight->value - 1;
      gb_list_remove (&flight->link);
      gb_list_append (done, &flight->link);
    }
  return completed;
}

/* With core.lock held, which is released in between. False: there was nothing to retire. */
static bool
retire_queue (struct gabbro_core *core, struct gabbro_queue_core *queue)
{
  uint64_t completed;
  struct gb_list done;

  if (!core->ops->queue_value (core->driver, queue->index, &completed))
    return false;
  completed = MIN (completed, queue->submitted);
  if (completed > __atomic_load_n (&queue->completed, __ATOMIC_ACQUIRE))
    __atomic_store_n (&queue->completed, completed, __ATOMIC_RELEASE);
  gb_list_init (&done);
  completed = take_done (core, queue, completed, &done);
  if (gb_list_is_empty (&done))
    return false;
  queue->retiring = true;
  core->busy = any_has_functions (&done);
  g_mutex_unlock (&core->lock);
  finish_flights (core, &done, NULL);
  core->ops->retire (core->driver, queue->index, completed);
  g_mutex_lock (&core->lock);
  queue->retiring = false;
  core->busy = false;
  queue->retired = MAX (queue->retired, completed);
  g_cond_broadcast (&core->changed);
  return true;
}

/* Everything that is complete. A queue may have to be left until another one has been seen to. */
static bool
retire_all (struct gabbro_core *core)
{
  bool any, ever = false;

  do
    {
      any = false;
      for (uint32_t i = 0; i < core->n_queues; i++)
        if (!gb_list_is_empty (&core->queues[i].flights))
          any = retire_queue (core, &core->queues[i]) || any;
      ever = ever || any;
    }
  while (any && core->n_queues > 1);
  return ever;
}

static void
fail_everything (struct gabbro_core *core)
{
  GError *error = NULL;
  struct gb_list flights;

  gabbro_core_check_alive (core, &error);
  gb_list_init (&flights);
  g_mutex_lock (&core->lock);
  for (uint32_t i = 0; i < core->n_queues; i++)
    gb_list_splice (&flights, &core->queues[i].flights);
  gabbro_scheduler_fail_all (core, error);
  core->busy = true;
  g_mutex_unlock (&core->lock);
  finish_flights (core, &flights, error);
  g_mutex_lock (&core->lock);
  core->busy = false;
  g_cond_broadcast (&core->changed);
  g_mutex_unlock (&core->lock);
  g_clear_error (&error);
}

static void
tell_failed (struct gabbro_core *core)
{
  struct gb_list failed;

  gb_list_init (&failed);
  gb_list_splice (&failed, &core->failed);
  core->busy = true;
  g_mutex_unlock (&core->lock);
  finish_flights (core, &failed, NULL);
  g_mutex_lock (&core->lock);
  core->busy = false;
  g_cond_broadcast (&core->changed);
}

/* The first value in flight of each queue. */
static uint32_t
collect_points (struct gabbro_core *core, struct gabbro_point *points)
{
  uint32_t n = 0;

  core->watched_queues = 0;
  for (uint32_t i = 0; i < core->n_queues; i++)
    {
      const struct gabbro_flight *flight = gb_list_first (&core->queues[i].flights, struct gabbro_flight, link);
      if (flight == NULL)
        continue;
      points[n++] = (struct gabbro_point) { i, flight->value };
      core->watched_queues |= 1u << i;
    }
  return n;
}

/* Operations that no one can let go any more keep a closed device no longer. */
static void
give_up_held (struct gabbro_core *core)
{
  GError *error = g_error_new (GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE,
                               _("The device “%s” was closed while operations waited in its streams"), core->name);
  gabbro_scheduler_fail_all (core, error);
  g_error_free (error);
}

/* The process may end while the watcher waits or sleeps, but not while it is at work. With core.lock
 * held, unless `core` is NULL. */
static void
resume_work (struct gabbro_core *core)
{
  if (gb_exit_begin_work ())
    return;
  if (core != NULL)
    g_mutex_unlock (&core->lock);
  gb_exit_park ();
}

/* Until somebody wakes it or the time has come; 0: no time. With core.lock held. */
static void
nap (struct gabbro_core *core, gint64 until)
{
  gb_exit_end_work ();
  if (until != 0)
    g_cond_wait_until (&core->work, &core->lock, until);
  else
    g_cond_wait (&core->work, &core->lock);
  resume_work (core);
}

/* False: the device is to be left alone for good. */
static bool
watch (struct gabbro_core *core)
{
  struct gabbro_point points[GABBRO_MAX_QUEUES];
  uint32_t n_points;
  bool closing = core->closing;
  enum gabbro_wait_result result;

  n_points = collect_points (core, points);
  core->watching = true;
  g_mutex_unlock (&core->lock);
  /* Where the device is threads of a driver in this process, they would run on while the driver is torn
   * down: such work is waited for at the end of the process, as long as that has patience. */
  if (!core->runs_here)
    gb_exit_end_work ();
  result = core->ops->wait (core->driver, points, n_points, false, true, closing ? core->reap_limit : UINT64_MAX);
  if (!core->runs_here)
    resume_work (NULL);
  if (result == GABBRO_WAIT_LOST)
    gabbro_core_set_lost (core);
  g_mutex_lock (&core->lock);
  core->watching = false;
  if (result == GABBRO_WAIT_TIMED_OUT)
    return false;
  retire_all (core);
  gabbro_scheduler_advance_all (core);
  return true;
}

static bool
in_flight (const struct gabbro_core *core)
{
  for (uint32_t i = 0; i < core->n_queues; i++)
    if (!gb_list_is_empty (&core->queues[i].flights))
      return true;
  return false;
}

/* Retires what others have seen complete, and says whether the driver's wait can be left to them. */
static bool
may_wait_longer (struct gabbro_core *core, gint64 *patience_ends)
{
  gint64 now = g_get_monotonic_time ();
  bool seen = false;

  if (is_needed (core))
    return false;
  for (uint32_t i = 0; i < core->n_queues; i++)
    {
      const struct gabbro_flight *first = gb_list_first (&core->queues[i].flights, struct gabbro_flight, link);
      seen = seen || (first != NULL && first->value <= __atomic_load_n (&core->queues[i].completed, __ATOMIC_ACQUIRE));
    }
  /* The lock was open in between: an operation may have been held back by work that has now been retired. */
  if (seen && retire_all (core))
    gabbro_scheduler_advance_all (core);
  if (core->n_host_waits > 0 || *patience_ends == 0)
    *patience_ends = now + PATIENCE_US;
  return now < *patience_ends && in_flight (core) && !is_needed (core);
}

static gpointer
watcher_main (gpointer data)
{
  struct gabbro_core *core = data;
  gint64 patience_ends = 0;
  bool alive = true;

  resume_work (NULL);
  g_mutex_lock (&core->lock);
  while (alive)
    {
      gabbro_waits_settle (core);
      if (core->holds_exit && !in_flight (core))
        {
          core->holds_exit = false;
          gb_exit_release ();
        }
      if (!gb_list_is_empty (&core->failed))
        tell_failed (core);
      else if (core->lost && in_flight (core))
        {
          g_mutex_unlock (&core->lock);
          fail_everything (core);
          g_mutex_lock (&core->lock);
        }
      else if (core->lost && !core->lost_settled)
        {
          core->lost_settled = true;
          g_mutex_unlock (&core->lock);
          fail_everything (core);
          g_mutex_lock (&core->lock);
        }
      else if (in_flight (core) && may_wait_longer (core, &patience_ends))
        nap (core, patience_ends);
      else if (in_flight (core))
        {
          alive = watch (core);
          patience_ends = 0;
        }
      else if (core->closing && !gb_list_is_empty (&core->streams))
        give_up_held (core);
      else if (core->closing)
        break;
      else
        nap (core, 0);
    }
  g_mutex_unlock (&core->lock);
  if (alive)
    gabbro_core_unref (core);
  else
    {
      /* The kernel does not end. Destroying anything now would hang or crash: leave it all. */
      __atomic_add_fetch (&core->n_leaked, 1, __ATOMIC_RELAXED);
      gabbro_context_core_log (core->context, GABBRO_LOG_WARNING,
                               _("Work on “%s” did not end within %" PRIu64 " milliseconds after the device was closed; its resources are leaked"),
                               core->name, (guint64) core->reap_limit / 1000000);
    }
  gb_exit_end_work ();
  return NULL;
}

void
gabbro_watcher_start (struct gabbro_core *core)
{
  core->watcher = g_thread_new ("gabbro-watcher", watcher_main, gabbro_core_ref (core));
}
