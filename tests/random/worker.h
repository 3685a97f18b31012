/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks in processes of their own, because what is looked for may end or hang them. The calling process must not have
 * used a device. */

#pragma once

#include "tests/random/check.h"

struct worker_options
{
  const char *devices;
  gboolean validation;
  guint seconds;                         /* that a kernel may take */
};

/* One kernel. FALSE if there is something wrong with it. */
gboolean worker_check (const struct worker_options *options, struct kernel *kernel, const struct check_options *check,
                       struct finding *finding);

/* The kernels of many seeds, `n_jobs` at once. `found` is called in the calling process for each that is wrong. */
struct campaign
{
  struct worker_options worker;
  struct check_options check;
  enum kernel_kind kind;
  guint64 first, count;
  guint n_jobs;
  void (*found) (struct campaign *campaign, guint64 seed, const struct finding *finding);
  gpointer data;
  guint64 n_agreed, n_differed, n_binaries;
  char devices[64];                      /* of those wanted, the ones that there are */
};

/* FALSE if there is no device. */
gboolean campaign_run (struct campaign *campaign);
