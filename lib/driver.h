/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Drivers and their bindings. A driver is constant and keeps no globals: what it
 * knows hangs from the binding, so that it may be probed many times, also at the
 * same time. A probe that finds nothing says so quietly. What a probe has built
 * is in the undo list of the binding: it is undone, newest first, when the probe
 * fails and when the driver is unbound. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "lib/undo.h"

struct gb_binding;
struct gb_node;

enum gb_probe
{
  GB_PROBE_BOUND,
  GB_PROBE_NOTHING_HERE,        /* no error: this machine has no such thing */
  GB_PROBE_FAILED,              /* the error is set */
};

struct gb_driver
{
  const char *name;             /* lower case */
  guint32 abi;
  enum gb_probe (*probe) (struct gb_binding *binding, GError **error);
  /* NULL, or called before the undo list is run. */
  void (*remove) (struct gb_binding *binding);
  gconstpointer data;           /* the driver's own table, say */
};

struct gb_binding
{
  const struct gb_driver *driver;
  gpointer host;                /* what the driver may call; not owned */
  struct gb_node *parent;       /* under which the driver adds its nodes; may be NULL */
  struct gb_undo undo;
  gpointer data;                /* the driver's own */
};

/* `*binding` is written with GB_PROBE_BOUND alone; it keeps `parent`. An error
 * that the driver left with another answer is dropped. */
enum gb_probe gb_driver_bind   (const struct gb_driver *driver,
                                gpointer host,
                                struct gb_node *parent,
                                struct gb_binding **binding,
                                GError **error);
void          gb_driver_unbind (struct gb_binding *binding);

/* The drivers there are: built-in ones in the order in which they were added,
 * then modules by name. A module is loaded when it is asked for, and never
 * unloaded. Thread-safe. */

struct gb_driver_registry;

/* Loads the module at `origin`; NULL with an error set when that fails. Called
 * without a lock, at times twice for one module. */
typedef const struct gb_driver *(*gb_driver_load_func) (const char *name,
                                                        const char *origin,
                                                        gpointer data,
                                                        GError **error);

/* `abi` is what every driver must have; `load` may be NULL. */
struct gb_driver_registry *gb_driver_registry_new  (guint32 abi, gb_driver_load_func load, gpointer data);
void                       gb_driver_registry_free (struct gb_driver_registry *registry);
/* A built-in driver. Fails for a name that is not lower-case letters, digits
 * and '-', for a name that is there, and for another ABI number. */
bool gb_driver_registry_add        (struct gb_driver_registry *registry,
                                    const struct gb_driver *driver,
                                    GError **error);
/* A module; the name is lower-cased. A name that is there already is not an
 * error: the first one stays, and `false` says so. A bad name is one. */
bool gb_driver_registry_add_module (struct gb_driver_registry *registry,
                                    const char *name,
                                    const char *origin,
                                    GError **error);
/* Names in order; free with g_strfreev(). */
char **gb_driver_registry_names (struct gb_driver_registry *registry);
/* The driver of that name, loaded where necessary, checked for its ABI number
 * and for the name it gives itself. */
const struct gb_driver *gb_driver_registry_get (struct gb_driver_registry *registry,
                                                const char *name,
                                                GError **error);
