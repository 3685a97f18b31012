/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The inside of a context: tree, drivers, options. Counted by hand, since opened
 * devices need their driver longer than the context object may live. */

#pragma once

#include "gpu/driver-api/gabbro-driver.h"
#include "lib/driver.h"
#include "lib/node.h"
#include "lib/tree.h"

struct bundle_cache;
struct gabbro_notifier;

struct gabbro_context_core
{
  gatomicrefcount references;
  struct gb_tree *tree;
  struct gb_driver_registry *registry;
  GPtrArray *bindings;                   /* of struct gb_binding: those whose adapters are known; of one scan at a time */
  GPtrArray *wrappers;                   /* of struct gb_driver, around those of modules and built-in ones */
  GHashTable *options;                   /* name -> value */
  struct bundle_cache *cache;            /* of compiled kernels; NULL: none */
  struct gabbro_host host;
  GMutex lock;
  GPtrArray *messages;                   /* of char *; lock */
  GHashTable *bad_drivers;               /* name -> why it cannot be loaded or used; lock */
  GPtrArray *untold;                     /* of char *, for the signal; lock */
  struct gabbro_notifier *notifier;      /* a reference, or NULL */
  bool prints_reports;                   /* those that nobody listens to: checks are the user's wish, not the program's */
  guint fork_generation;
  gint next_device;
};

/* A driver that was bound, as gb_binding.data. */
struct gabbro_bound_driver
{
  const struct gabbro_driver *driver;
  struct gabbro_driver_instance *instance;
};

/* `options` is a{sv} or NULL; environment variables fill what it lacks. */
struct gabbro_context_core *gabbro_context_core_new   (GVariant *options, GError **error);
struct gabbro_context_core *gabbro_context_core_ref   (struct gabbro_context_core *core);
void                        gabbro_context_core_unref (struct gabbro_context_core *core);
/* An adapter of a driver that is not there, or cannot be loaded or used, was asked for: sets the error that says so.
 * False: that is not what is wrong. */
bool                        gabbro_context_core_explain_driver (struct gabbro_context_core *core, const char *wanted, GError **error);
/* Finds drivers and probes them: bindings that the caller keeps or drops. What fails becomes a message, and its name
 * is added to `failed`. Not from two threads at once. */
GPtrArray                  *gabbro_context_core_probe (struct gabbro_context_core *core, GPtrArray *failed);
/* Messages for the signal, with a reference for the caller. */
GPtrArray                  *gabbro_context_core_take_messages (struct gabbro_context_core *core);
/* The value, or NULL. */
const char                 *gabbro_context_core_option (struct gabbro_context_core *core, const char *name);
/* Keeps the message for gabbro_context_list_messages() and hands it to g_log. Never called with a lock held. */
void gabbro_context_core_log (struct gabbro_context_core *core, enum gabbro_log_level level, const char *format, ...) G_GNUC_PRINTF (3, 4);
