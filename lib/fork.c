/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/fork.h"

#include <pthread.h>

#include "lib/exit.h"

/* Process-wide by nature, as the process is what it counts. */
static guint generation = 1;

static void
in_child (void)
{
  /* Only the forking thread exists here. */
  g_atomic_int_inc (&generation);
  gb_exit_reset ();
}

guint
gb_fork_generation (void)
{
  static gsize installed = 0;

  if (g_once_init_enter (&installed))
    {
      pthread_atfork (NULL, NULL, in_child);
      g_once_init_leave (&installed, 1);
    }
  return (guint) g_atomic_int_get (&generation);
}
