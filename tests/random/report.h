/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is written down of a kernel that shows something. */

#pragma once

#include "tests/random/worker.h"

struct report_result
{
  struct kernel *kernel;                 /* shrunk; free it */
  struct finding finding;                /* of it */
  guint n_tries;
};

/* Makes the kernel of `seed` smaller, as long as it shows the same as `finding`. */
void report_shrink (const struct campaign *campaign, guint64 seed, const struct finding *finding, guint n_tries, struct report_result *result);
void report_result_clear (struct report_result *result);
/* A folder below `folder` with the kernel as it was made, the shrunk one, its inputs, what was seen and how to see it again. */
gboolean report_write (const struct campaign *campaign, const char *folder, const struct finding *finding,
                       const struct report_result *result, GError **error);
