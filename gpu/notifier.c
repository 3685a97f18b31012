/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/notifier.h"

#include "gpu/async.h"
#include "lib/fork.h"

struct gabbro_notifier
{
  gatomicrefcount references;
  const struct gabbro_notifier_class *class;
  GMainContext *context;                 /* a reference, until the end: the last one may run functions of others */
  GThread *maker;                        /* a reference */
  guint fork_generation;
  GWeakRef weak;                         /* for emission */
  gint pending;                          /* atomic; changes under `lock` */
  /* Innermost of all locks but those of GLib. gabbro_notifier_end() takes it, so that under it `object` is
   * memory that can be asked for its handlers. */
  GMutex lock;
  gpointer object;                       /* NULL: ended */
  GSource *source;                       /* a reference, while pending */
};

struct gabbro_notifier *
gabbro_notifier_new (gpointer object, const struct gabbro_notifier_class *class)
{
  struct gabbro_notifier *notifier = g_new0 (struct gabbro_notifier, 1);

  g_atomic_ref_count_init (&notifier->references);
  notifier->class = class;
  notifier->context = gabbro_signal_context ();
  notifier->maker = gabbro_in_work () ? NULL : g_thread_ref (g_thread_self ());
  notifier->fork_generation = gb_fork_generation ();
  g_weak_ref_init (&notifier->weak, object);
  g_mutex_init (&notifier->lock);
  notifier->object = object;
  return notifier;
}

struct gabbro_notifier *
gabbro_notifier_ref (struct gabbro_notifier *notifier)
{
  g_atomic_ref_count_inc (&notifier->references);
  return notifier;
}

/* The child's copies of the locks may be held by threads that it does not have. */
static bool
is_foreign (const struct gabbro_notifier *notifier)
{
  return notifier->fork_generation != gb_fork_generation ();
}

void
gabbro_notifier_unref (struct gabbro_notifier *notifier)
{
  if (!g_atomic_ref_count_dec (&notifier->references) || is_foreign (notifier))
    return;
  g_weak_ref_clear (&notifier->weak);
  g_clear_pointer (&notifier->maker, g_thread_unref);
  g_mutex_clear (&notifier->lock);
  g_free (notifier);
}

void
gabbro_notifier_end (struct gabbro_notifier **notifier)
{
  struct gabbro_notifier *self = g_steal_pointer (notifier);
  GMainContext *context;
  GSource *source;

  if (self == NULL)
    return;
  if (!is_foreign (self))
    {
      g_mutex_lock (&self->lock);
      self->object = NULL;
      source = g_steal_pointer (&self->source);
      context = g_steal_pointer (&self->context);
      g_mutex_unlock (&self->lock);
      if (source != NULL)
        {
          g_source_destroy (source);
          g_source_unref (source);
        }
      g_main_context_unref (context);
    }
  gabbro_notifier_unref (self);
}

/* Emits what is pending, with `source` if that is not NULL. What is posted from here on is news again. */
static void
emit (struct gabbro_notifier *notifier, const GSource *expected)
{
  GSource *source = NULL;
  gpointer object;

  g_mutex_lock (&notifier->lock);
  if (expected == NULL || notifier->source == expected)
    {
      source = g_steal_pointer (&notifier->source);
      g_atomic_int_set (&notifier->pending, 0);
    }
  g_mutex_unlock (&notifier->lock);
  if (source == NULL)
    return;
  g_source_destroy (source);
  g_source_unref (source);
  object = g_weak_ref_get (&notifier->weak);
  if (object == NULL)
    return;
  notifier->class->emit (object);
  g_object_unref (object);
}

static gboolean
dispatch (gpointer data)
{
  if (!is_foreign (data))
    emit (data, g_main_current_source ());
  return G_SOURCE_REMOVE;
}

static void
drop (gpointer data)
{
  gabbro_notifier_unref (data);
}

/* With notifier.lock held. */
static void
attach (struct gabbro_notifier *notifier)
{
  if (notifier->object == NULL || notifier->source != NULL)
    return;
  notifier->source = g_idle_source_new ();
  g_source_set_priority (notifier->source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (notifier->source, "gabbro-notifier");
  g_source_set_callback (notifier->source, dispatch, gabbro_notifier_ref (notifier), drop);
  g_source_attach (notifier->source, notifier->context);
  g_atomic_int_set (&notifier->pending, 1);
}

/* The caller's news are written before it is asked whether somebody is still to read them. */
static bool
is_pending (const struct gabbro_notifier *notifier)
{
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
  return g_atomic_int_get (&notifier->pending) != 0;
}

void
gabbro_notifier_post (struct gabbro_notifier *notifier)
{
  if (notifier == NULL || is_pending (notifier) || is_foreign (notifier))
    return;
  g_mutex_lock (&notifier->lock);
  attach (notifier);
  g_mutex_unlock (&notifier->lock);
}

/* Most objects have no handler of any signal, which is quickly said. With notifier.lock held. */
static bool
has_listener (const struct gabbro_notifier *notifier)
{
  return notifier->object != NULL
         && g_signal_handler_find (notifier->object, G_SIGNAL_MATCH_UNBLOCKED, 0, 0, NULL, NULL, NULL) != 0
         && notifier->class->has_listener (notifier->object);
}

bool
gabbro_notifier_tell (struct gabbro_notifier *notifier)
{
  bool pending;

  if (notifier == NULL || is_foreign (notifier))
    return false;
  if (is_pending (notifier))
    return true;
  g_mutex_lock (&notifier->lock);
  if (has_listener (notifier))
    attach (notifier);
  pending = notifier->source != NULL;
  g_mutex_unlock (&notifier->lock);
  return pending;
}

bool
gabbro_notifier_asks (struct gabbro_notifier *notifier, bool (*question) (gpointer object))
{
  bool answer = false;

  if (notifier == NULL || is_foreign (notifier))
    return false;
  g_mutex_lock (&notifier->lock);
  answer = notifier->object != NULL && question (notifier->object);
  g_mutex_unlock (&notifier->lock);
  return answer;
}

void
gabbro_notifier_flush (struct gabbro_notifier *notifier)
{
  GMainContext *context;

  if (notifier == NULL || is_foreign (notifier) || !is_pending (notifier))
    return;
  /* Any thread could acquire the default context while nobody runs it; only the maker may take it for its own. */
  if (!g_main_context_is_owner (notifier->context) && g_thread_self () != notifier->maker)
    return;
  context = g_main_context_ref (notifier->context);
  if (g_main_context_acquire (context))
    {
      emit (notifier, NULL);
      g_main_context_release (context);
    }
  g_main_context_unref (context);
}
