/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The adapters of a context: those that there are, those that its list model shows, which follows in the main
 * context, and those that have gone, which stay in memory because getters lend. Arrays that are handed out
 * never change: a scan makes new ones. */

#pragma once

#include "gpu/context-core.h"
#include "gpu/gabbro-private.h"

struct gabbro_adapters;

struct gabbro_adapters *gabbro_adapters_new  (struct gabbro_context_core *core);
/* The context is finalised; others may hold adapters longer. */
void                    gabbro_adapters_free (struct gabbro_adapters *adapters);

/* Probes the drivers. What is there already stays the same object; answers whether anything has changed. Blocks;
 * thread-safe. */
bool gabbro_adapters_scan (struct gabbro_adapters *adapters, GabbroContext *context);

/* Snapshots, of GabbroAdapter, each with a reference for the caller. Thread-safe, and safe in a forked child. */
GPtrArray *gabbro_adapters_dup       (struct gabbro_adapters *adapters);
GPtrArray *gabbro_adapters_dup_shown (struct gabbro_adapters *adapters);
/* One step of what is shown towards what there is: a removal, or all additions. False: there is none. `*changed` are
 * the adapters, with a reference for the caller. Only from one thread at a time. */
bool       gabbro_adapters_show_next (struct gabbro_adapters *adapters, guint *position, guint *n_removed, guint *n_added,
                                      GPtrArray **changed);
