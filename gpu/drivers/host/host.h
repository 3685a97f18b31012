/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What devices have in common that are nothing but threads and memory of this process: a budget of
 * memory, a queue that is a thread, timelines under one lock, copies and fills. A driver embeds
 * struct host_device and says in struct host_class what one step of a list does. No driver of its own. */

#pragma once

#include "gpu/driver-api/gabbro-driver.h"
#include "lib/arena.h"
#include "lib/list.h"

struct host_device;

/* A buffer or the texels of an image; what drivers know of it beyond that stands behind it in a struct of
 * theirs. The handles of buffers and images point here. */
struct host_memory
{
  uint64_t size;
  uint8_t *bytes;                        /* zero at first */
};

struct host_step
{
  enum gabbro_command_kind kind;
  struct host_memory *source, *destination;
  uint64_t source_offset, destination_offset, size;
  uint32_t value;                        /* fills */
  void *dispatch;                        /* of struct host_class */
};

struct host_class
{
  const char *thread_name;
  /* A dispatch as run_step() wants it, all of it in the arena. NULL: dispatches are counted and do nothing. */
  void *(*dispatch_new) (struct host_device *device, const struct gabbro_dispatch *dispatch, struct gb_arena *arena);
  /* One step, without the lock. False with `error` set: the device is lost. */
  bool (*run_step) (struct host_device *device, const struct host_step *step, GError **error);
};

/* 0 and false: nothing unusual. */
struct host_options
{
  uint32_t queues, copy_queues;          /* of them: the last ones, which only copy; never the first */
  uint64_t memory;                       /* bytes of all buffers and images */
  uint64_t delay;                        /* microseconds that each submission takes */
  bool hang;                             /* submissions with commands never end */
  uint64_t fail_submit, lose_submit;     /* that call fails, counted from 1 */
};

struct host_program;

struct host_queue
{
  struct host_device *device;
  GThread *thread;
  struct gb_list work;
  uint64_t completed;
};

struct host_device
{
  struct gabbro_driver_device base;
  const struct host_class *class;
  const struct gabbro_host *host;
  struct host_options options;
  GMutex lock;
  GCond changed;
  struct host_queue queues[GABBRO_MAX_QUEUES];
  bool stopping, lost, kicked;
  gint cancelled;                        /* atomic: what runs had better end */
  uint32_t n_running;                    /* programs that touch memory */
  uint64_t n_submissions, n_dispatches, used;
};

static inline struct host_device *
host_device_of (struct gabbro_driver_device *device)
{
  return (struct host_device *) device;
}

static inline struct host_memory *
host_memory_of (uint64_t handle)
{
  return (struct host_memory *) (uintptr_t) handle;
}

/* Starts the queues of a device that is all zero but for what `base` says of itself; the rest of the
 * driver's own struct has to be ready. */
void host_device_start (struct host_device *device, const struct host_class *class, const struct gabbro_host *host,
                        const struct host_options *options);
/* Ends them; what is still to do is done, or cancelled. The driver frees the struct. */
void host_device_stop  (struct host_device *device);

/* Takes `size` bytes from the device's budget for `memory`. */
bool host_memory_init  (struct host_device *device, struct host_memory *memory, uint64_t size, GError **error);
void host_memory_clear (struct host_device *device, struct host_memory *memory);
/* Bytes of its levels, one behind the other. */
uint64_t host_image_size (const struct gabbro_image_request *request);
/* All formats, with `uses` of those that are not compressed; of these copies alone. */
void host_fill_formats (struct gabbro_driver_adapter *adapter, uint32_t uses);

/* Copies and fills. */
void host_step_copy (const struct host_step *step);

/* For struct gabbro_device_ops. */
bool host_list_prepare (struct gabbro_driver_device *base, uint32_t queue, const struct gabbro_command_plan *plan,
                        uint64_t *out, GError **error);
void host_list_destroy (struct gabbro_driver_device *base, uint64_t prepared);
bool host_submit       (struct gabbro_driver_device *base, uint32_t index, const struct gabbro_submission *submission,
                        GError **error);
bool host_queue_value  (struct gabbro_driver_device *base, uint32_t index, uint64_t *value);
enum gabbro_wait_result host_wait (struct gabbro_driver_device *base, const struct gabbro_point *points, uint32_t n_points,
                                   bool all, bool kick, uint64_t timeout);
void host_kick         (struct gabbro_driver_device *base);
bool host_memory_budget (struct gabbro_driver_device *base, uint64_t *used, uint64_t *budget);
