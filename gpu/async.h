/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTasks whose waits are done by the watcher of the device, without a thread for each. */

#pragma once

#include <gio/gio.h>

#include "gpu/command/wait.h"

struct gabbro_async;

/* What comes after a wait that ended well; on the watcher. */
enum gabbro_next
{
  GABBRO_NEXT_WAIT,                      /* async->wait was filled in again */
  GABBRO_NEXT_RETURNED,                  /* the task has got its result, or is with somebody else */
  GABBRO_NEXT_FAILED                     /* with `error` */
};

struct gabbro_async
{
  gatomicrefcount references;
  GTask *task;                           /* NULL: it has its result */
  struct gabbro_core *core;              /* a reference */
  GSource *cancel;                       /* or NULL */
  gint is_cancelled;
  struct gabbro_wait wait;
  enum gabbro_next (*next) (struct gabbro_async *async, GError **error);
  gpointer data;
  GDestroyNotify destroy;
};

/* For a task that returns a boolean: TRUE after the wait. The source object of the task keeps what is
 * waited for. `next` may be NULL. Fill in async->wait, then call gabbro_async_start(), which takes
 * both `async` and its task. */
struct gabbro_async *gabbro_async_new   (GTask *task, enum gabbro_next (*next) (struct gabbro_async *async, GError **error),
                                         gpointer data, GDestroyNotify destroy);
void                 gabbro_async_start (struct gabbro_async *async);

/* The usual beginning of an _async function: its parameters have the usual names. */
#define gabbro_task_new(source, function) \
  gabbro_task_new_full (source, cancellable, callback, user_data, (gpointer) function, #function)
GTask *gabbro_task_new_full (gpointer source, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data,
                             gpointer tag, const char *name);
/* Ends a task with `error`; takes both. */
void   gabbro_task_fail     (GTask *task, GError *error);

/* Work of the processor or the driver, such as compiling, which GLib's pool does; never waits. */
struct gabbro_work
{
  gpointer (*run) (const struct gabbro_work *work, GError **error);
  GDestroyNotify free_result;
  gpointer objects[2];                   /* GObjects or NULL */
  const char *texts[2];                  /* or NULL */
  gssize length;                         /* bytes of texts[1], -1: up to its NUL */
  GVariant *variant;                     /* or NULL */
  GBytes *bytes;                         /* or NULL */
  guint flags;
  gint level;
};

/* The task returns what run() returns. Copies `work`, takes the task. */
void gabbro_work_start (GTask *task, const struct gabbro_work *work);
/* The main context that signals of an object made now run in: that of the caller, also in gabbro_work.run(). A reference. */
GMainContext *gabbro_signal_context (void);
bool gabbro_in_work (void);

/* The usual _finish functions: whether `result` is of `function` (a criticism otherwise), and what came. */
#define gabbro_task_finish_boolean(source, result, function, error) \
  gabbro_task_finish_boolean_full (source, result, (gpointer) function, error)
#define gabbro_task_finish_pointer(source, result, function, error) \
  gabbro_task_finish_pointer_full (source, result, (gpointer) function, error)
gboolean gabbro_task_finish_boolean_full (gpointer source, GAsyncResult *result, gpointer tag, GError **error);
gpointer gabbro_task_finish_pointer_full (gpointer source, GAsyncResult *result, gpointer tag, GError **error);
