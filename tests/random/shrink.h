/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes a kernel that shows something smaller, as long as it still shows it. */

#pragma once

#include "tests/random/tree.h"

/* Whether the kernel still shows it. What the front end refuses does not. */
typedef gboolean (*shrink_function) (struct kernel *kernel, gpointer data);

/* Changes `kernel` in place, with at most `n_tries` calls of `interesting`. Returns how many there were. */
guint shrink (struct kernel *kernel, guint n_tries, shrink_function interesting, gpointer data);
