/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* After fork() the child has copies of objects whose device, threads and queues
 * belong to the parent. An object remembers the generation in which it was made
 * and compares it before it acts. */

#pragma once

#include <glib.h>

/* Starts at 1 and grows by one in each fork()ed child. One atomic load after
 * the first call; can be called from any thread. Only forks after the first
 * call are seen, so call it when the object is made. */
guint gb_fork_generation (void);
