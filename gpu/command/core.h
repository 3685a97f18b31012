/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The inside of an opened device: what lives on after the last GObject of it is
 * gone, because work is still in flight. Counted by hand.
 *
 *   resource.c   buffers, images, shaders: handles with a count and a last use
 *   staging.c    host memory for uploads, downloads and arguments
 *   recorder.c   a list while it is recorded, and its plan
 *   scheduler.c  streams and events: what may be submitted when
 *   watcher.c    the thread that retires what is done
 *   wait.c       waits of the host, with and without a thread
 *
 * Locks: core.lock (streams, events, flights) and core.staging_lock, each held for
 * a short time and never both. No callback, driver wait or driver submit runs
 * under them; `pumping` of a queue keeps two threads from submitting to it. */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/driver-api/gabbro-driver.h"
#include "lib/fork.h"
#include "lib/list.h"

struct gabbro_context_core;
struct gabbro_notifier;
struct gabbro_recorder;

struct gabbro_queue_core
{
  uint32_t index;
  uint64_t submitted;                    /* last value given to the driver; core.lock */
  uint64_t completed;                    /* last value known to be complete; atomic */
  uint64_t retired;                      /* last value whose host work is done too; core.lock */
  struct gb_list flights;                /* of struct gabbro_flight, by value; core.lock */
  GThread *pumping;                      /* the one thread that submits now, or NULL; core.lock */
  bool retiring;                         /* the watcher does host work of it; core.lock */
  uint32_t n_streams;                    /* core.lock */
};

struct gabbro_core
{
  gatomicrefcount references;
  struct gabbro_context_core *context;   /* a reference: driver and tree outlive the device */
  struct gabbro_driver_device *driver;
  const struct gabbro_device_ops *ops;
  struct gabbro_limits limits;
  struct gabbro_format_support formats[GB_N_TEXEL_FORMATS][2];
  uint64_t target_features;
  char *name;                            /* of the adapter, for messages */
  guint fork_generation;
  bool runs_here;                        /* the device is threads of this process */
  bool holds_exit;                       /* and has work; core.lock */

  GMutex lock;
  GCond changed;                         /* anything that a waiter may wait for */
  GCond work;                            /* for an idle watcher */
  struct gabbro_queue_core queues[GABBRO_MAX_QUEUES];
  uint32_t n_queues;
  struct gb_list streams;                /* of struct gabbro_stream_core */
  struct gb_list failed;                 /* of struct gabbro_flight: for the watcher to tell */
  struct gb_list waits;                  /* of struct gabbro_wait: those that no thread blocks in */
  uint32_t n_held_waits;                 /* how many of them wait for something else than the device */
  struct gb_list idle_recorders;         /* cleared, for reuse */
  uint32_t n_idle_recorders;
  guint next_id;                         /* names of streams, serials of events */

  GThread *watcher;
  bool wake_watcher, kick_watcher;       /* what gabbro_core_unlock() has to do */
  bool busy;                             /* the watcher runs functions of the application; core.lock */
  bool watching;                         /* the watcher is inside the driver's wait */
  uint32_t n_host_waits;                 /* other threads that are, see watcher.c */
  uint32_t watched_queues;               /* bit mask: those it waits for */
  bool closing;                          /* the device object is gone */
  bool lost;                             /* atomic reads allowed */
  bool lost_told, lost_settled;

  GMutex staging_lock;
  struct gb_list idle_chunks[3];         /* by enum gabbro_memory_use */
  uint64_t idle_chunk_bytes;

  /* Counters for attributes; atomic. */
  guint64 n_submissions, n_dispatches, n_barriers, n_collapsed_resources, n_leaked;
  guint64 n_compiled, n_cached;          /* kernels */
  guint64 n_pipelines_saved;             /* of the driver's n_pipelines_compiled; atomic */
  gsize pipelines_loaded;                /* of g_once_init_enter() */
  guint64 n_prints, n_dropped_prints;    /* lines of kernels */
  guint64 allocated_bytes;

  uint64_t print_buffer_size;            /* bytes; of each list that prints */
  /* What the kernels of a submission have printed, on the watcher, without a lock; `data` is that of `on_lost`. */
  void (*on_print) (gpointer data, GPtrArray *prints, uint32_t n_dropped);

  /* Called once when the device is lost, on the thread that notices, without a lock. The data
   * lives as long as the core. */
  void (*on_lost) (gpointer data);
  gpointer on_lost_data;
  GDestroyNotify on_lost_destroy;

  /* How long a closed device is waited for without any progress, in nanoseconds. */
  uint64_t reap_limit;

  /* Test hook, see the option "drop-barrier": 1 + the number of the barrier that plans leave out. */
  guint drop_barrier;
};

struct gabbro_core *gabbro_core_new   (struct gabbro_context_core *context, const struct gabbro_driver_adapter *adapter,
                                       struct gabbro_driver_device *driver, guint drop_barrier);
struct gabbro_core *gabbro_core_ref   (struct gabbro_core *core);
void                gabbro_core_unref (struct gabbro_core *core);
/* The last object is gone. Returns at once: what is in flight is left to the watcher. */
void                gabbro_core_close (struct gabbro_core *core);

/* Whether the process is the one that opened the device, and the device is there. */
bool gabbro_core_check       (struct gabbro_core *core, GError **error);
bool gabbro_core_check_alive (struct gabbro_core *core, GError **error);
static inline bool
gabbro_core_is_foreign (const struct gabbro_core *core)
{
  return G_UNLIKELY (core->fork_generation != gb_fork_generation ());
}

/* Turns a driver's error into a public one, with `what` in front. Consumes `driver_error`. */
void gabbro_core_translate_error (struct gabbro_core *core, GError *driver_error, GError **error,
                                  const char *format, ...) G_GNUC_PRINTF (4, 5);
/* The public code of a driver's error. */
int  gabbro_core_translate_code (const GError *driver_error);
void gabbro_core_set_lost (struct gabbro_core *core);

/* Resources. */

enum gabbro_resource_kind { GABBRO_RESOURCE_BUFFER, GABBRO_RESOURCE_IMAGE, GABBRO_RESOURCE_SHADER };

struct gabbro_resource
{
  gatomicrefcount references;
  struct gabbro_core *core;              /* a reference */
  enum gabbro_resource_kind kind;
  uint64_t handle;
  uint64_t size;                         /* bytes; images as packed texels */
  void *mapped;                          /* buffers: or NULL */
  bool cached;                           /* the host reads `mapped` as fast as its own memory */
  uint64_t allocated;
  bool is_staging;                       /* each byte is used once in its list: no hazards */
  guint serial;                          /* for messages */
  uint32_t n_held;                       /* submissions that wait to be submitted; core.lock */
  uint64_t last_use[GABBRO_MAX_QUEUES];  /* core.lock */
  /* Of a resource that the application made: told once nothing uses it any more, by whoever drops
   * the last reference and without a lock; or NULL. */
  GDestroyNotify released;
  gpointer released_data;
};

struct gabbro_resource *gabbro_resource_new_buffer (struct gabbro_core *core, uint64_t size, enum gabbro_memory_use use, GError **error);
struct gabbro_resource *gabbro_resource_new_image  (struct gabbro_core *core, const struct gabbro_image_request *request, uint64_t size, GError **error);
struct gabbro_resource *gabbro_resource_new_shader (struct gabbro_core *core, const struct gabbro_artifact *artifact, GError **error);
/* Around a native buffer or image of the application's. `released` may be NULL; it is not called after a failure. */
struct gabbro_resource *gabbro_resource_wrap_buffer (struct gabbro_core *core, enum gabbro_native_kind kind, uint64_t native, uint64_t size,
                                                     GDestroyNotify released, gpointer data, GError **error);
struct gabbro_resource *gabbro_resource_wrap_image  (struct gabbro_core *core, enum gabbro_native_kind kind, uint64_t native,
                                                     const struct gabbro_image_request *request, uint64_t size,
                                                     GDestroyNotify released, gpointer data, GError **error);
struct gabbro_resource *gabbro_resource_ref        (struct gabbro_resource *resource);
/* Destroys the handle with the last reference: everything in flight holds one. */
void                    gabbro_resource_unref      (struct gabbro_resource *resource);
/* Until everything submitted so far that uses it is done; see gabbro_wait_init_resource() too. */
bool                    gabbro_resource_wait_idle  (struct gabbro_resource *resource, GError **error);

/* Staging memory: chunks of mapped buffers that lists cut slices from. */

#define GABBRO_CHUNK_SIZE (UINT64_C (1) << 20)

struct gabbro_chunk
{
  struct gb_list link;
  struct gabbro_resource *buffer;
  enum gabbro_memory_use use;
  uint64_t used;
};

struct gabbro_slice
{
  struct gabbro_resource *buffer;        /* kept by the chunk */
  uint64_t offset;
  void *pointer;                         /* NULL: of the device alone */
};

/* Cuts from the last chunk of `chunks` or adds one; `alignment` is a power of two. */
bool gabbro_staging_alloc   (struct gabbro_core *core, struct gb_list *chunks, enum gabbro_memory_use use,
                             uint64_t size, uint64_t alignment, struct gabbro_slice *out, GError **error);
void gabbro_staging_release (struct gabbro_core *core, struct gb_list *chunks);
void gabbro_staging_drain   (struct gabbro_core *core);

/* The watcher. */

void gabbro_watcher_start (struct gabbro_core *core);
/* A flight was added to `queue`, or `failed` grew, or the core closes. With core.lock held; takes
 * effect when gabbro_core_unlock() lets go of it, so that the watcher finds the lock free. */
void gabbro_watcher_notify (struct gabbro_core *core, uint32_t queue);
/* A thread is about to wait for the device itself. With core.lock held, as above. */
void gabbro_watcher_step_aside (struct gabbro_core *core);
/* Whether a closed device has nothing left to wait for, on the device or in functions of the
 * application. With core.lock held. */
bool gabbro_watcher_ends_at_once (struct gabbro_core *core);
void gabbro_core_unlock    (struct gabbro_core *core);
