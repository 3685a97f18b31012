/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/exit.h"

#include <glib.h>
#include <stdlib.h>

/* A function of the application that runs on a thread of ours may wait for the thread that
 * ends the process. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

/* Process-wide by nature, as the process is what ends. */
static GMutex lock;
static GCond changed;
static guint n_working;
static gint has_begun;
static GPrivate works;

static void
on_exit_of_process (void)
{
  gint64 end = g_get_monotonic_time () + PATIENCE_US;
  guint own = g_private_get (&works) != NULL ? 1 : 0;

  g_mutex_lock (&lock);
  g_atomic_int_set (&has_begun, 1);
  while (n_working > own && g_cond_wait_until (&changed, &lock, end))
    ;
  g_mutex_unlock (&lock);
}

void
gb_exit_guard (void)
{
  /* It fails for lack of memory alone, and is then as good as before. */
  (void) atexit (on_exit_of_process);
}

void
gb_exit_reset (void)
{
  g_mutex_init (&lock);
  g_cond_init (&changed);
  n_working = 0;
  g_private_set (&works, NULL);
}

bool
gb_exit_begin_work (void)
{
  bool may;

  g_mutex_lock (&lock);
  may = !gb_exit_has_begun ();
  if (may)
    {
      n_working++;
      g_private_set (&works, &works);
    }
  g_mutex_unlock (&lock);
  return may;
}

void
gb_exit_end_work (void)
{
  g_mutex_lock (&lock);
  n_working--;
  g_private_set (&works, NULL);
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

void
gb_exit_park (void)
{
  for (;;)
    g_usleep (G_MAXULONG);
}

bool
gb_exit_has_begun (void)
{
  return g_atomic_int_get (&has_begun) != 0;
}
