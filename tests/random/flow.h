/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The path of each thread through a flow kernel, by executing its tree: a third opinion that shares nothing with the
 * compiler. */

#pragma once

#include "tests/random/data.h"

/* One path a thread, filled up with `background` to the size of the trace; NULL if a path is longer than the trace or
 * the kernel does not end soon. Free with flow_paths_free(). */
guint32 **flow_paths (struct kernel *kernel, const guint32 *conditions, guint32 background);
void      flow_paths_free (guint32 **paths);
/* The longest path; G_MAXUINT where it does not end soon. */
guint     flow_longest (struct kernel *kernel, const guint32 *conditions);
