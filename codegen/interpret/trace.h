/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One thread looked at while it runs: each line of the source that it comes to, what the line before it made, and the
 * variables that can be seen there. For programs that were made with options.trace; the dispatch then has one worker. */

#pragma once

#include "codegen/interpret/interpret.h"

struct subgroup;
struct trace_entry;

struct interpret_step
{
  const char *kernel, *function, *file;
  struct xir_location location;  /* where the thread is now; line 0: it has ended */
  uint32_t thread[3], group[3];  /* in the dispatch */
  uint32_t depth;                /* functions around this one */
  const char *const *made;       /* since the last step: "total = 3", "y[2] = 0.5"; ends with NULL */

  /* For interpret_step_variables(). */
  const struct subgroup *subgroup;
  const struct trace_entry *entry;
  uint32_t lane;
};

struct interpret_variable
{
  char *name, *value;
  const char *type;              /* of XIR */
};

struct interpret_trace
{
  bool any_thread;               /* the first that comes to `line` */
  uint32_t thread[3];            /* else this one */
  uint32_t line;                 /* of `file`; 0: any */
  const char *file;              /* as steps have it; NULL: the module's first */
  /* On the thread that runs the dispatch. False: it shall end now. */
  bool (*step) (const struct interpret_step *step, gpointer data);
  gpointer data;
};

/* The innermost last; of struct interpret_variable. Free with g_array_unref(). */
GArray *interpret_step_variables (const struct interpret_step *step);
