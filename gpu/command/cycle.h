/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "gpu/command/scheduler.h"

/* Whether a signal of `event` with `value` at the end of `stream` would close a
 * cycle: the stream waits, over any number of others, for something that waits for
 * this signal. Returns the chain in words, or NULL. Waits at the end of a stream
 * can close none, since nothing depends on them yet. With core.lock held. */
char *gabbro_cycle_find (struct gabbro_stream_core *stream, const struct gabbro_event_core *event, uint64_t value);
