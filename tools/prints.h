/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the kernel that gabbro run runs prints. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/output.h"

struct tool_prints
{
  bool keep;                    /* for JSON, instead of showing them */
  GPtrArray *kept;              /* of GabbroPrint */
  guint n_failures;             /* of asserts */
  guint64 n_dropped;
};

/* Listens to the device from now on; `prints` has to live as long. */
void tool_prints_attach (struct tool_prints *prints, GabbroDevice *device);
void tool_prints_clear  (struct tool_prints *prints);
/* Hears what has been printed so far. */
void tool_prints_hear   (void);
/* What was kept. */
void tool_prints_write  (const struct tool_prints *prints, struct tool_output *output);
/* False, with an error that counts them, where asserts have failed. */
bool tool_prints_check  (const struct tool_prints *prints, GError **error);
