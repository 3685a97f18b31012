/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One kernel on all devices at all levels, and whether they agree. */

#pragma once

#include "tests/random/machine.h"

enum verdict
{
  VERDICT_AGREE,
  VERDICT_DIFFER,                        /* from each other, from the path that the tree takes, or from a bound */
  VERDICT_REFUSED,                       /* the front end or the compiler refuses the kernel */
  VERDICT_FAILED,                        /* it could not be run */
  VERDICT_COMPLAINED,                    /* a validation layer has spoken */
  VERDICT_STOPPED                        /* the process ended, or did not: see worker.c */
};

struct finding
{
  enum verdict verdict;
  struct configuration left, right;      /* which differ; the same one where a single one is wrong */
  guint n_binaries;                      /* that were run */
  char *message;
};

/* Something to find. */
enum fault
{
  FAULT_NONE,
  FAULT_PRODUCT,                         /* at level 2 a product of integers is one too many */
  FAULT_CRASH                            /* at level 2 a product of integers ends the process */
};

struct check_options
{
  const struct finding *only;            /* the configurations of this finding alone, or NULL: all */
  enum fault fault;
};

void finding_clear (struct finding *finding);
/* Fills `*finding`; TRUE if there is nothing wrong. */
gboolean check_kernel (struct machine *machine, struct kernel *kernel, const struct check_options *options, struct finding *finding);

/* compare.c: a description of the first difference, or NULL. */
char *compare_outputs (const struct data *data, const guint8 *left, const guint8 *right);
char *compare_lines   (const char *left, const char *right);
char *compare_records (const struct kernel *kernel, const struct data *data, const guint8 *outputs);
char *compare_traces  (const struct kernel *kernel, const struct data *data, const guint8 *outputs, guint32 *const *expected);
