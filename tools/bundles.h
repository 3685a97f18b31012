/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What several commands do with bundles. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/options.h"

/* "FILE" or "FILE:KERNEL": what stands behind the last colon is a kernel when it is a name as kernels have them.
 * `kernel` points into `operand`, or is NULL. */
char *tool_split_operand (const char *operand, const char **kernel);

/* Whether the file begins as a bundle does; false also for one that cannot be read. */
bool tool_is_bundle (const char *filename);
GabbroBundle *tool_load_bundle (const char *filename, GError **error);
/* The kernel `name` of it, or its only one for NULL. */
GabbroKernel *tool_find_bundle_kernel (GabbroBundle *bundle, const char *filename, const char *name, GError **error);

/* Of a source or of a bundle. */
GabbroKernel *tool_load_kernel (const char *filename, const char *name, const struct tool_options *options, GHashTable *sources,
                                GError **error);
