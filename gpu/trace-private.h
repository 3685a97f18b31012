/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who looks at a thread of a device. */

#pragma once

#include "codegen/interpret/trace.h"
#include "gpu/gabbro-private.h"

struct gabbro_tracer
{
  struct interpret_trace trace;
  char *file;
  GabbroTraceFunc function;
  gpointer data;
  GDestroyNotify destroy;
};

/* `thread` NULL: the first that comes to `line` of `file`, which may be NULL. */
struct gabbro_tracer *gabbro_tracer_new  (const guint *thread, const char *file, guint line, GabbroTraceFunc function,
                                          gpointer data, GDestroyNotify destroy);
/* NULL is allowed. */
void                  gabbro_tracer_free (struct gabbro_tracer *tracer);
