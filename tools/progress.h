/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One line on a terminal that says what takes so long; nothing where standard error is none,
 * and nothing before half a second is over. */

#pragma once

#include <glib.h>

struct tool_progress;

struct tool_progress *tool_progress_new  (void);
void                  tool_progress_show (struct tool_progress *progress, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Wipes the line away. */
void                  tool_progress_free (struct tool_progress *progress);
