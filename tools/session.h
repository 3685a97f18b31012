/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One kernel on one device: makes the resources, uploads, runs, downloads. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/arguments.h"

struct tool_request
{
  GabbroKernel *kernel;
  GabbroCompileFlags flags;
  gint level;
  guint32 size[3];
  guint n_runs;
  gint64 timeout_us;            /* of each run; -1: none */
  bool progress;                /* on a terminal */
};

struct tool_result
{
  gpointer data;                /* NULL: nothing was asked */
  gsize size;
};

/* Microseconds. */
struct tool_times
{
  gint64 compile;               /* source and shader */
  gint64 upload;
  gint64 *runs;                 /* request.n_runs of them */
  gint64 download;
};

/* Fills `results` (one an argument, all zero before) for the arguments that `wanted`
 * says. The caller frees the data. `abandoned` is set when the device still works and
 * must not be waited for: the process had better end. */
bool tool_session_run (GabbroDevice *device,
                       const struct tool_request *request,
                       const struct tool_arguments *arguments,
                       const bool *wanted,
                       struct tool_result *results,
                       struct tool_times *times,
                       bool *abandoned,
                       GError **error);
