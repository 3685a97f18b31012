/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits of the host: for a stream, an event, a device or a resource. A wait is looked
 * at whenever something has changed, by the thread that blocks in it or, where no
 * thread does, by the watcher. */

#pragma once

#include "gpu/command/scheduler.h"

enum gabbro_wait_kind { GABBRO_WAIT_FOR_STREAM, GABBRO_WAIT_FOR_EVENT, GABBRO_WAIT_FOR_DEVICE, GABBRO_WAIT_FOR_RESOURCE };

struct gabbro_wait
{
  enum gabbro_wait_kind kind;
  struct gabbro_core *core;              /* kept by the caller, and so is the object: */
  union
  {
    struct gabbro_stream_core *stream;
    struct gabbro_event_core *event;
    struct gabbro_resource *resource;
  };
  uint64_t target;                       /* event: the value; stream: operations that have to leave it */
  GHashTable *targets;                   /* device: the same by serial of a stream, or NULL */
  struct gabbro_point points[GABBRO_MAX_QUEUES];
  uint32_t n_points;
  bool collected;                        /* only the points are left */

  /* Of waits without a thread. */
  bool queued;                           /* in core->waits; core.lock */
  struct gb_list link;
  /* Called once, without a lock, on the watcher or, where there is nothing to wait for, in
   * gabbro_wait_start(). `error` is NULL or the callee's to free. */
  void (*done) (struct gabbro_wait *wait, GError *error);
};

/* Of a wait that is zero or is over. What belongs to waits without a thread is left alone. */
void gabbro_wait_init_stream   (struct gabbro_wait *wait, struct gabbro_stream_core *stream);
void gabbro_wait_init_event    (struct gabbro_wait *wait, struct gabbro_event_core *event, uint64_t value);
void gabbro_wait_init_device   (struct gabbro_wait *wait, struct gabbro_core *core);
void gabbro_wait_init_resource (struct gabbro_wait *wait, struct gabbro_resource *resource);

/* Until it is done or the deadline of g_get_monotonic_time() has come; -1: none. */
bool gabbro_wait_block  (struct gabbro_wait *wait, gint64 deadline, GError **error);

/* Leaves the wait to the watcher: `wait` has to live until `done` is called or gabbro_wait_cancel()
 * says that it will not be. Cancelling is allowed at any time, from any thread, as long as `wait` lives. */
void gabbro_wait_start  (struct gabbro_wait *wait);
bool gabbro_wait_cancel (struct gabbro_wait *wait, struct gabbro_core *core);

/* For the watcher, with core.lock held, which is released around the functions. */
void gabbro_waits_settle (struct gabbro_core *core);
/* Something may have happened that a wait without a thread waits for. With core.lock held. */
void gabbro_waits_notify (struct gabbro_core *core);
