/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "Did you mean …": the nearest name by edit distance. */

#pragma once

#include <glib.h>

/* Single changes (insert, delete, replace, swap of neighbours) from one to the
 * other; at most 64 bytes of each are looked at. */
guint tool_edit_distance (const char *from, const char *to);

/* The name of `names` (which ends with NULL) that is near enough to be meant, or
 * NULL. The answer belongs to `names`. */
const char *tool_nearest (const char *wanted, const char *const *names);

/* " (did you mean 'x'?)", or the empty string: to stand behind a message. */
char *tool_suggestion (const char *wanted, const char *const *names, const char *prefix);
