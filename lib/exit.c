/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/exit.h"

#include <glib.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

/* A function of the application that runs on a thread of ours may wait for the thread that
 * ends the process. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

/* Process-wide by nature, as the process is what ends. */
static GMutex lock;
static GCond changed;
static guint n_working;
static gint has_begun;
static GPrivate works;

/* With the lock held. All that wait share one patience. */
static void
wait_for_work (void)
{
  static gint64 end;
  guint own = g_private_get (&works) != NULL ? 1 : 0;

  if (end == 0)
    end = g_get_monotonic_time () + PATIENCE_US;
  while (n_working > own && g_cond_wait_until (&changed, &lock, end))
    ;
}

static void
on_exit_of_process (void)
{
  g_mutex_lock (&lock);
  g_atomic_int_set (&has_begun, 1);
  wait_for_work ();
  g_mutex_unlock (&lock);
}

/* A driver registers handlers of its own whenever it comes to need them, such as at its first kernel, and
 * those run before ours. Destructors of the thread that calls exit() run before all handlers, and those of
 * the main thread at no other time but pthread_exit(), after which the process goes on: so they only wait. */
extern int __cxa_thread_atexit_impl (void (*function) (void *data), void *data, void *library) __attribute__ ((weak));
extern void *__dso_handle;

static void
on_exit_of_main_thread (G_GNUC_UNUSED void *data)
{
  g_mutex_lock (&lock);
  wait_for_work ();
  g_mutex_unlock (&lock);
}

void
gb_exit_guard_thread (void)
{
  static __thread bool guarded;

  if (G_LIKELY (guarded))
    return;
  guarded = true;
  if (gettid () == getpid () && __cxa_thread_atexit_impl != NULL)
    (void) __cxa_thread_atexit_impl (on_exit_of_main_thread, NULL, &__dso_handle);
}

static int
read_loaded (struct dl_phdr_info *info, G_GNUC_UNUSED size_t size, void *data)
{
  *(unsigned long long *) data = info->dlpi_adds;
  return 1;
}

void
gb_exit_guard (void)
{
  static unsigned long long guarded;     /* libraries loaded so far, at the last registration; lock */
  unsigned long long loaded = 0;
  bool any;

  gb_exit_guard_thread ();
  dl_iterate_phdr (read_loaded, &loaded);
  g_mutex_lock (&lock);
  any = loaded != guarded;
  guarded = loaded;
  g_mutex_unlock (&lock);
  /* It fails for lack of memory alone, and is then as good as before. */
  if (any)
    (void) atexit (on_exit_of_process);
}

void
gb_exit_reset (void)
{
  g_mutex_init (&lock);
  g_cond_init (&changed);
  /* A function that a working thread calls may fork. */
  n_working = g_private_get (&works) != NULL ? 1 : 0;
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
gb_exit_hold (void)
{
  g_mutex_lock (&lock);
  n_working++;
  g_mutex_unlock (&lock);
}

void
gb_exit_release (void)
{
  g_mutex_lock (&lock);
  n_working--;
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
