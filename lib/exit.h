/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The end of the process. exit() runs destructors of libraries while other threads go
 * on; a thread that is inside a library then, such as the driver of a device, may find
 * it half torn down. So threads of ours say when they work, the end waits a moment
 * until none does, and none begins any more. */

#pragma once

#include <stdbool.h>

/* To be called whenever libraries have been loaded whose destructors threads must not
 * meet: handlers of exit() run in the reverse order of their registration. */
void gb_exit_guard        (void);
/* The same for the calling thread, if it is the first one, which may well be the one that ends the
 * process: when it gives work away. Costs nothing but the first time. */
void gb_exit_guard_thread (void);

/* A thread is about to work; false: the process ends, and the thread must do nothing
 * any more, best by gb_exit_park() without any lock. Work does not nest. */
bool gb_exit_begin_work (void);
void gb_exit_end_work   (void);
void gb_exit_park       (void) __attribute__ ((noreturn));

/* Work that is with nobody in particular, from the moment it is given away. */
void gb_exit_hold    (void);
void gb_exit_release (void);

bool gb_exit_has_begun (void);

/* In the child of a fork(): the threads were the parent's. */
void gb_exit_reset     (void);
