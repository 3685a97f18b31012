/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The way from any thread to the signals of an object. A notifier knows the main context that was the
 * thread-default one when its object was made. Whoever has news posts them, from any thread and
 * under any lock; at most one source is pending, and where it is dispatched the object, if it is still
 * there, looks at what is new and emits. News are therefore told together: the object is asked for the
 * latest, not for each.
 *
 * A notifier is counted: the object has one reference, and what posts has another. In a forked child all
 * of it does nothing. */

#pragma once

#include <glib-object.h>
#include <stdbool.h>

struct gabbro_notifier;

struct gabbro_notifier_class
{
  /* In the main context, without a lock, with a reference on the object. */
  void (*emit) (gpointer object);
  /* Whether anything is connected. Under locks: asks GObject for handlers and does nothing else. */
  bool (*has_listener) (gpointer object);
};

/* For a new object, in the thread that makes it. `class` lives for ever. */
struct gabbro_notifier *gabbro_notifier_new   (gpointer object, const struct gabbro_notifier_class *class);
struct gabbro_notifier *gabbro_notifier_ref   (struct gabbro_notifier *notifier);
void                    gabbro_notifier_unref (struct gabbro_notifier *notifier);
/* The object is finalised: nothing of it stays in the main context. Drops the object's reference and sets
 * `*notifier` to NULL, which it may be. */
void                    gabbro_notifier_end   (struct gabbro_notifier **notifier);

/* There are news. One atomic read while a source is pending. NULL is allowed. */
void gabbro_notifier_post (struct gabbro_notifier *notifier);
/* As gabbro_notifier_post(), if anything is connected. Whether a source is pending then. */
bool gabbro_notifier_tell (struct gabbro_notifier *notifier);
/* What `question`, which may do no more than has_listener(), says of the object; false where that has ended. */
bool gabbro_notifier_asks (struct gabbro_notifier *notifier, bool (*question) (gpointer object));
/* With a reference on the object, which the caller keeps, and without a lock: emits pending news now if the calling thread runs the
 * main context, or made the object and nobody runs it. */
void gabbro_notifier_flush (struct gabbro_notifier *notifier);
