/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/core.h"

#include <string.h>

#include "gpu/command/recorder.h"
#include "gpu/context-core.h"
#include "gpu/gabbro-private.h"
#include "lib/exit.h"

#define DEFAULT_REAP_LIMIT_MS 10000

/* The option "reap-limit", in milliseconds. */
static uint64_t
read_reap_limit (struct gabbro_context_core *context)
{
  const char *option = gabbro_context_core_option (context, "reap-limit");
  guint64 milliseconds = DEFAULT_REAP_LIMIT_MS;

  if (option != NULL)
    g_ascii_string_to_unsigned (option, 10, 1, G_MAXINT32, &milliseconds, NULL);
  return (uint64_t) milliseconds * 1000 * 1000;
}

/* The option "print-buffer", in kibibytes; a buffer that no kernel could be given is of no use. */
static uint64_t
read_print_buffer (struct gabbro_context_core *context, const struct gabbro_limits *limits)
{
  const char *option = gabbro_context_core_option (context, "print-buffer");
  guint64 kibibytes = GABBRO_PRINT_BUFFER_DEFAULT >> 10;

  if (option != NULL)
    g_ascii_string_to_unsigned (option, 10, GABBRO_PRINT_BUFFER_MIN >> 10, GABBRO_PRINT_BUFFER_MAX >> 10, &kibibytes, NULL);
  return MIN (kibibytes << 10, limits->max_storage_buffer_range & ~UINT64_C (3));
}

struct gabbro_core *
gabbro_core_new (struct gabbro_context_core *context,
                 const struct gabbro_driver_adapter *adapter,
                 struct gabbro_driver_device *driver,
                 guint drop_barrier)
{
  struct gabbro_core *core = g_new0 (struct gabbro_core, 1);

  g_atomic_ref_count_init (&core->references);
  core->context = gabbro_context_core_ref (context);
  core->driver = driver;
  core->ops = driver->ops;
  core->limits = adapter->limits;
  memcpy (core->formats, adapter->formats, sizeof core->formats);
  core->target_features = adapter->target_features;
  core->name = g_strdup (adapter->info.name);
  core->runs_here = adapter->info.type == GABBRO_ADAPTER_TYPE_CPU;
  core->fork_generation = gb_fork_generation ();
  core->n_queues = driver->n_queues;
  core->drop_barrier = drop_barrier;
  core->reap_limit = read_reap_limit (context);
  core->print_buffer_size = read_print_buffer (context, &core->limits);
  g_mutex_init (&core->lock);
  g_mutex_init (&core->staging_lock);
  g_cond_init (&core->changed);
  g_cond_init (&core->work);
  gb_list_init (&core->streams);
  gb_list_init (&core->failed);
  gb_list_init (&core->waits);
  gb_list_init (&core->idle_recorders);
  for (guint i = 0; i < G_N_ELEMENTS (core->idle_chunks); i++)
    gb_list_init (&core->idle_chunks[i]);
  for (uint32_t i = 0; i < core->n_queues; i++)
    {
      core->queues[i].index = i;
      gb_list_init (&core->queues[i].flights);
    }
  /* A driver may load more of itself with each device. */
  gb_exit_guard ();
  gabbro_watcher_start (core);
  return core;
}

struct gabbro_core *
gabbro_core_ref (struct gabbro_core *core)
{
  g_atomic_ref_count_inc (&core->references);
  return core;
}

void
gabbro_core_unref (struct gabbro_core *core)
{
  if (!g_atomic_ref_count_dec (&core->references))
    return;
  /* A forked child has no watcher and must not touch the parent's device. */
  if (!gabbro_core_is_foreign (core))
    {
      core->ops->close (core->driver);
      g_mutex_clear (&core->lock);
      g_mutex_clear (&core->staging_lock);
      g_cond_clear (&core->changed);
      g_cond_clear (&core->work);
    }
  if (core->on_lost_destroy != NULL)
    core->on_lost_destroy (core->on_lost_data);
  gabbro_context_core_unref (core->context);
  g_free (core->name);
  g_free (core);
}

void
gabbro_core_close (struct gabbro_core *core)
{
  GThread *watcher;
  bool idle;

  if (gabbro_core_is_foreign (core))
    {
      gabbro_core_unref (core);
      return;
    }
  g_mutex_lock (&core->lock);
  __atomic_store_n (&core->closing, true, __ATOMIC_RELEASE);
  watcher = core->watcher;
  idle = gabbro_watcher_ends_at_once (core);
  gabbro_watcher_notify (core, HAZARD_NONE);
  gabbro_core_unlock (core);
  /* They keep the core. */
  gabbro_recorder_drain (core);
  gabbro_staging_drain (core);

  /* Where the watcher ends at once, waiting for it makes the end of a device a definite moment: a
   * process may exit right after. With work in flight, or on the watcher itself, nobody waits. */
  if (idle && watcher != g_thread_self () && !gb_exit_has_begun ())
    g_thread_join (watcher);
  else
    g_thread_unref (watcher);
  gabbro_core_unref (core);
}

bool
gabbro_core_check (struct gabbro_core *core, GError **error)
{
  if (!gabbro_core_is_foreign (core))
    return true;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_PROCESS,
               _("The device “%s” was opened before fork(); the child has to open its own"), core->name);
  return false;
}

bool
gabbro_core_check_alive (struct gabbro_core *core, GError **error)
{
  if (!gabbro_core_check (core, error))
    return false;
  if (G_LIKELY (!__atomic_load_n (&core->lost, __ATOMIC_ACQUIRE)))
    return true;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_DEVICE_LOST,
               _("The device “%s” was lost; open it again"), core->name);
  return false;
}

void
gabbro_core_set_lost (struct gabbro_core *core)
{
  bool tell;

  g_mutex_lock (&core->lock);
  tell = !core->lost_told;
  core->lost_told = true;
  __atomic_store_n (&core->lost, true, __ATOMIC_RELEASE);
  g_cond_broadcast (&core->changed);
  if (tell)
    gabbro_watcher_notify (core, HAZARD_NONE);
  gabbro_core_unlock (core);
  if (tell && core->on_lost != NULL)
    core->on_lost (core->on_lost_data);
}

static const int translated_codes[] = {
  [GABBRO_DRIVER_ERROR_FAILED] = GABBRO_ERROR_FAILED,
  [GABBRO_DRIVER_ERROR_NOT_SUPPORTED] = GABBRO_ERROR_NOT_SUPPORTED,
  [GABBRO_DRIVER_ERROR_LIMIT] = GABBRO_ERROR_LIMIT_EXCEEDED,
  [GABBRO_DRIVER_ERROR_OUT_OF_HOST_MEMORY] = GABBRO_ERROR_OUT_OF_MEMORY,
  [GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY] = GABBRO_ERROR_OUT_OF_MEMORY,
  [GABBRO_DRIVER_ERROR_LOST] = GABBRO_ERROR_DEVICE_LOST,
  [GABBRO_DRIVER_ERROR_BAD_ARTIFACT] = GABBRO_ERROR_INVALID_ARGUMENT,
};

int
gabbro_core_translate_code (const GError *driver_error)
{
  if (driver_error->domain == GABBRO_DRIVER_ERROR && driver_error->code >= 0
      && driver_error->code < (int) G_N_ELEMENTS (translated_codes))
    return translated_codes[driver_error->code];
  return GABBRO_ERROR_FAILED;
}

void
gabbro_core_translate_error (struct gabbro_core *core,
                             GError *driver_error,
                             GError **error,
                             const char *format,
                             ...)
{
  int code = gabbro_core_translate_code (driver_error);
  char *what;
  va_list arguments;

  if (code == GABBRO_ERROR_DEVICE_LOST)
    gabbro_core_set_lost (core);
  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, GABBRO_ERROR, code, "%s: %s", what, driver_error->message);
  g_free (what);
  g_error_free (driver_error);
}
