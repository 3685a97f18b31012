/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What several commands do with adapters. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/output.h"

/* The one that `wanted` names (a name, UUID, PCI address or path), or the default for
 * NULL. Belongs to the context; `reason` (may be NULL) says why it was chosen. The error
 * of a machine without Vulkan says what to install. */
GabbroAdapter *tool_select_adapter (GabbroContext *context, const char *wanted, char **reason, GError **error);

/* The rows that describe it in a list of several. */
void tool_describe_adapter (struct tool_output *output, GabbroAdapter *adapter);

/* What the library and its drivers had to say, on standard error; nothing twice, and nothing
 * that `told` (may be NULL), an error that was shown, says already. */
void tool_report_messages (GabbroContext *context, const GError *told);
