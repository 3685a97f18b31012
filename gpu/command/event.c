/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/wait.h"

#include "gpu/gabbro-private.h"

#include <inttypes.h>

struct gabbro_event_core *
gabbro_event_core_new (struct gabbro_core *core)
{
  struct gabbro_event_core *event = g_new0 (struct gabbro_event_core, 1);

  g_atomic_ref_count_init (&event->references);
  event->core = gabbro_core_ref (core);
  event->serial = 1 + (guint) g_atomic_int_add ((gint *) &core->next_id, 1);
  gb_list_init (&event->signals);
  return event;
}

struct gabbro_event_core *
gabbro_event_core_ref (struct gabbro_event_core *event)
{
  g_atomic_ref_count_inc (&event->references);
  return event;
}

/* With or without core.lock: whoever holds the lock holds the core too. */
void
gabbro_event_core_unref (struct gabbro_event_core *event)
{
  struct gabbro_core *core = event->core;

  if (!g_atomic_ref_count_dec (&event->references))
    return;
  g_clear_error (&event->failure);
  g_clear_pointer (&event->notifier, gabbro_notifier_unref);
  g_free (event);
  gabbro_core_unref (core);
}

struct gabbro_event_signal *
gabbro_event_find_signal (const struct gabbro_event_core *event, uint64_t value)
{
  gb_list_for_each (signal, &event->signals, struct gabbro_event_signal, link)
    if (signal->value >= value)
      return signal;
  return NULL;
}

static void
set_value (struct gabbro_event_core *event, uint64_t value)
{
  if (value > event->value)
    __atomic_store_n (&event->value, value, __ATOMIC_RELEASE);
  event->last = MAX (event->last, value);
  gabbro_notifier_tell (event->notifier);
  g_cond_broadcast (&event->core->changed);
  gabbro_waits_notify (event->core);
}

static void
signal_free (struct gabbro_event_signal *signal)
{
  gb_list_remove (&signal->link);
  gabbro_event_core_unref (signal->event);
  g_free (signal);
}

void
gabbro_event_signal_reached (struct gabbro_event_signal *signal)
{
  set_value (signal->event, signal->value);
  signal_free (signal);
}

void
gabbro_event_signal_failed (struct gabbro_event_signal *signal, const GError *error)
{
  if (signal->event->failure == NULL)
    signal->event->failure = g_error_copy (error);
  g_cond_broadcast (&signal->event->core->changed);
  gabbro_waits_notify (signal->event->core);
  signal_free (signal);
}

bool
gabbro_event_core_signal (struct gabbro_event_core *event, uint64_t value, GError **error)
{
  struct gabbro_core *core = event->core;
  bool grows;

  g_mutex_lock (&core->lock);
  grows = value > event->last;
  if (grows)
    {
      set_value (event, value);
      gabbro_scheduler_advance_all (core);
    }
  else
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                 _("Event %u cannot be signalled with %" PRIu64 ": values only grow, and it has been given %"
                   PRIu64), event->serial, (guint64) value, (guint64) event->last);
  gabbro_core_unlock (core);
  return grows;
}
