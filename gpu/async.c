/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/async.h"

#include "gpu/gabbro-private.h"
#include "lib/exit.h"

static struct gabbro_async *
async_ref (struct gabbro_async *async)
{
  g_atomic_ref_count_inc (&async->references);
  return async;
}

static void
async_unref (gpointer data)
{
  struct gabbro_async *async = data;

  if (!g_atomic_ref_count_dec (&async->references))
    return;
  if (async->destroy != NULL)
    async->destroy (async->data);
  g_clear_pointer (&async->core, gabbro_core_unref);
  g_free (async);
}

/* The task has its result: nothing may hold it up any more. */
static void
end (struct gabbro_async *async)
{
  GTask *task = g_steal_pointer (&async->task);

  if (async->cancel != NULL)
    {
      g_source_destroy (async->cancel);
      g_source_unref (g_steal_pointer (&async->cancel));
    }
  async_unref (async);
  g_object_unref (task);
}

static void
return_cancelled (struct gabbro_async *async)
{
  g_task_return_new_error (async->task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s", _("The operation was cancelled"));
  end (async);
}

/* Whoever takes the wait out of the list ends it: `wait_done`, or the cancellation, which may have
 * come before it was in. */
static void
go (struct gabbro_async *async)
{
  async_ref (async);
  gabbro_wait_start (&async->wait);
  if (g_atomic_int_get (&async->is_cancelled) && gabbro_wait_cancel (&async->wait, async->core))
    return_cancelled (async);
  async_unref (async);
}

static void
wait_done (struct gabbro_wait *wait, GError *error)
{
  struct gabbro_async *async = gb_container_of (wait, struct gabbro_async, wait);
  enum gabbro_next next = GABBRO_NEXT_RETURNED;

  if (error != NULL)
    next = GABBRO_NEXT_FAILED;
  else if (async->next != NULL)
    next = async->next (async, &error);
  else
    g_task_return_boolean (async->task, TRUE);
  if (next == GABBRO_NEXT_WAIT)
    {
      go (async);
      return;
    }
  if (next == GABBRO_NEXT_FAILED)
    g_task_return_error (async->task, error);
  end (async);
}

/* In the main context of the task. */
static gboolean
on_cancelled (G_GNUC_UNUSED GCancellable *cancellable, gpointer data)
{
  struct gabbro_async *async = data;

  g_atomic_int_set (&async->is_cancelled, TRUE);
  if (gabbro_wait_cancel (&async->wait, async->core))
    return_cancelled (async);
  return G_SOURCE_REMOVE;
}

struct gabbro_async *
gabbro_async_new (GTask *task,
                  enum gabbro_next (*next) (struct gabbro_async *async, GError **error),
                  gpointer data,
                  GDestroyNotify destroy)
{
  struct gabbro_async *async = g_new0 (struct gabbro_async, 1);

  g_atomic_ref_count_init (&async->references);
  async->task = task;
  async->next = next;
  async->data = data;
  async->destroy = destroy;
  return async;
}

void
gabbro_async_start (struct gabbro_async *async)
{
  GCancellable *cancellable = g_task_get_cancellable (async->task);

  if (g_task_return_error_if_cancelled (async->task))
    {
      end (async);
      return;
    }
  async->core = gabbro_core_ref (async->wait.core);
  async->wait.done = wait_done;
  if (cancellable != NULL)
    {
      async->cancel = g_cancellable_source_new (cancellable);
      g_source_set_callback (async->cancel, G_SOURCE_FUNC (on_cancelled), async_ref (async), async_unref);
      g_source_set_static_name (async->cancel, "Gabbro cancellation");
      g_source_attach (async->cancel, g_task_get_context (async->task));
    }
  go (async);
}

GTask *
gabbro_task_new_full (gpointer source,
                      GCancellable *cancellable,
                      GAsyncReadyCallback callback,
                      gpointer user_data,
                      gpointer tag,
                      const char *name)
{
  GTask *task = g_task_new (source, cancellable, callback, user_data);

  g_task_set_source_tag (task, tag);
  g_task_set_name (task, name);
  return task;
}

void
gabbro_task_fail (GTask *task, GError *error)
{
  g_task_return_error (task, error);
  g_object_unref (task);
}

static GPrivate work_context;

GMainContext *
gabbro_signal_context (void)
{
  GMainContext *context = g_private_get (&work_context);

  return context != NULL ? g_main_context_ref (context) : g_main_context_ref_thread_default ();
}

bool
gabbro_in_work (void)
{
  return g_private_get (&work_context) != NULL;
}

static void
work_free (gpointer data)
{
  struct gabbro_work *work = data;

  for (int i = 0; i < 2; i++)
    {
      g_clear_object (&work->objects[i]);
      g_free ((char *) work->texts[i]);
    }
  g_clear_pointer (&work->variant, g_variant_unref);
  g_clear_pointer (&work->bytes, g_bytes_unref);
  g_free (work);
}

static void
work_run (GTask *task, G_GNUC_UNUSED gpointer source, gpointer data, GCancellable *cancellable)
{
  struct gabbro_work *work = data;
  GError *error = NULL;
  gpointer result;

  if (g_cancellable_is_cancelled (cancellable))
    return;
  if (!gb_exit_begin_work ())
    gb_exit_park ();
  g_private_set (&work_context, g_task_get_context (task));
  result = work->run (work, &error);
  g_private_set (&work_context, NULL);
  gb_exit_end_work ();
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, result, work->free_result);
}

void
gabbro_work_start (GTask *task, const struct gabbro_work *work)
{
  struct gabbro_work *copy = g_memdup2 (work, sizeof *work);

  for (int i = 0; i < 2; i++)
    if (work->objects[i] != NULL)
      g_object_ref (work->objects[i]);
  copy->texts[0] = g_strdup (work->texts[0]);
  /* A source may hold a NUL, which the compiler then points out. */
  if (work->texts[1] != NULL)
    copy->texts[1] = work->length > 0 ? g_memdup2 (work->texts[1], (gsize) work->length)
                                      : g_strdup (work->length < 0 ? work->texts[1] : "");
  if (work->variant != NULL)
    g_variant_ref_sink (work->variant);
  if (work->bytes != NULL)
    g_bytes_ref (work->bytes);
  g_task_set_task_data (task, copy, work_free);
  /* Cancelling ends the waiting; what the work then makes is dropped. */
  g_task_set_return_on_cancel (task, TRUE);
  g_task_run_in_thread (task, work_run);
  g_object_unref (task);
}

gboolean
gabbro_task_finish_boolean_full (gpointer source, GAsyncResult *result, gpointer tag, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, source), FALSE);
  g_return_val_if_fail (g_task_get_source_tag (G_TASK (result)) == tag, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}

gpointer
gabbro_task_finish_pointer_full (gpointer source, GAsyncResult *result, gpointer tag, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, source), NULL);
  g_return_val_if_fail (g_task_get_source_tag (G_TASK (result)) == tag, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
