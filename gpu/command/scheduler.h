/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams and events.
 *
 * A stream is a queue of operations: submit a list, signal an event, wait for an
 * event. Operations leave it in order, each as soon as all that it waits for has
 * been handed to the driver or has happened: nothing is ever submitted that waits
 * for something not yet submitted, so streams may share one device queue in any
 * number and order. An event value becomes a point of a device queue when the
 * operation that signals it leaves its stream, or is signalled by the host.
 *
 * Values of an event only grow, in the order in which signals are enqueued. A wait
 * for v is a wait for the first signal of a value ≥ v. */

#pragma once

#include "gpu/command/core.h"
#include "gpu/command/recorder.h"

struct gabbro_event_core
{
  gatomicrefcount references;
  struct gabbro_core *core;              /* a reference */
  guint serial;
  uint64_t value;                        /* reached; atomic reads, written under core.lock */
  uint64_t last;                         /* largest value enqueued or reached; core.lock */
  struct gb_list signals;                /* of struct gabbro_event_signal, by value; core.lock */
  GError *failure;                       /* core.lock; set once */
  struct gabbro_notifier *notifier;      /* a reference; of the value */
};

/* A signal that has been enqueued and has not happened. */
struct gabbro_event_signal
{
  struct gb_list link;                   /* in event->signals */
  struct gabbro_event_core *event;       /* a reference */
  uint64_t value;
  struct gabbro_stream_core *stream;     /* while the operation is in the stream; NULL: `point` holds */
  struct gabbro_point point;
};

enum gabbro_operation_kind { GABBRO_OPERATION_SUBMIT, GABBRO_OPERATION_SIGNAL, GABBRO_OPERATION_WAIT };

struct gabbro_operation
{
  struct gb_list link;                   /* in stream->operations */
  enum gabbro_operation_kind kind;
  struct gabbro_recorder *recorder;      /* submit */
  struct gabbro_prepared *prepared;      /* submit, of a frozen list: as it was when it was submitted */
  struct gabbro_notice *notice;          /* submit: who wants to know when it is done; or NULL */
  struct gabbro_event_core *event;       /* wait */
  struct gabbro_event_signal *signal;    /* signal */
  uint64_t value;
};

/* Everything but the constant members is guarded by core.lock. A stream goes when its
 * owner has released it and it is empty. */
struct gabbro_stream_core
{
  struct gabbro_core *core;              /* a reference */
  struct gb_list link;                   /* in core->streams */
  bool released;
  guint serial;
  uint32_t queue;
  struct gb_list operations;
  uint64_t enqueued, dispatched;         /* operations, ever */
  uint64_t last_value;                   /* of its last submission on the queue */
  uint64_t waits[GABBRO_MAX_QUEUES];     /* for the next submission; 0: none */
  bool advancing;                        /* its first operation is with the driver */
  guint mark;                            /* of the search for cycles */
  GError *failure;                       /* set once */
  struct gabbro_notifier *notifier;      /* a reference, or NULL; of the failure */
};

/* What the driver has been given and not yet completed; or has failed. */
struct gabbro_flight
{
  struct gb_list link;                   /* in queue->flights or core->failed */
  uint64_t value;
  struct gabbro_recorder *recorder;      /* or NULL */
  struct gabbro_prepared *prepared;      /* of a frozen list */
  struct gabbro_notice *notice;          /* or NULL */
  struct gabbro_event_signal *signal;    /* or NULL */
  bool has_host_work;
  uint64_t waits[GABBRO_MAX_QUEUES];     /* what its submission waited for on other queues; 0: nothing */
  GError *error;
};

struct gabbro_stream_core *gabbro_stream_core_new   (struct gabbro_core *core, uint32_t queue);
/* The owner lets go; operations in it are still carried out. */
void                       gabbro_stream_core_release (struct gabbro_stream_core *stream);
/* For a signal of its object; takes the reference. */
void                       gabbro_stream_core_set_notifier (struct gabbro_stream_core *stream, struct gabbro_notifier *notifier);
struct gabbro_event_core  *gabbro_event_core_new    (struct gabbro_core *core);
struct gabbro_event_core  *gabbro_event_core_ref    (struct gabbro_event_core *event);
void                       gabbro_event_core_unref  (struct gabbro_event_core *event);

/* On failure nothing was enqueued, or the stream has failed. */
bool gabbro_stream_core_check  (struct gabbro_stream_core *stream, GError **error);
bool gabbro_stream_core_submit (struct gabbro_stream_core *stream, struct gabbro_recorder *recorder, GError **error);
bool gabbro_stream_core_signal (struct gabbro_stream_core *stream, struct gabbro_event_core *event, uint64_t value, GError **error);
bool gabbro_stream_core_wait   (struct gabbro_stream_core *stream, struct gabbro_event_core *event, uint64_t value, GError **error);
bool gabbro_event_core_signal  (struct gabbro_event_core *event, uint64_t value, GError **error);

/* Everything that can leave its stream does. With core.lock held, which is released around the driver. */
void gabbro_scheduler_advance_all (struct gabbro_core *core);
/* Every stream fails with `error`. With core.lock held. */
void gabbro_scheduler_fail_all    (struct gabbro_core *core, const GError *error);
/* The signal that a wait for `value` waits for, or NULL. With core.lock held. */
struct gabbro_event_signal *gabbro_event_find_signal (const struct gabbro_event_core *event, uint64_t value);
/* A signal has happened or cannot happen any more; consumes it. With core.lock held. */
void gabbro_event_signal_reached  (struct gabbro_event_signal *signal);
void gabbro_event_signal_failed   (struct gabbro_event_signal *signal, const GError *error);
void gabbro_flight_free           (struct gabbro_flight *flight);
