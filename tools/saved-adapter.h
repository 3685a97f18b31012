/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `gabbro info --json` has said of an adapter, on this machine or another, and whether such an adapter can run
 * kernels. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

struct tool_saved_adapter;

struct tool_saved_adapter *tool_saved_adapter_load (const char *filename, GError **error);
void                       tool_saved_adapter_free (struct tool_saved_adapter *adapter);
const char                *tool_saved_adapter_name (const struct tool_saved_adapter *adapter);

/* `description` as of gabbro_bundle_describe_kernel(). NULL: it can; otherwise why not. */
char *tool_saved_adapter_check (const struct tool_saved_adapter *adapter, GVariant *description);
