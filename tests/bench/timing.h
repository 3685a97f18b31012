/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pairs of measurements, taken in turn, and their median ratio. */

#pragma once

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMING_MAX_ROUNDS 201

struct timing
{
  const char *name;
  guint n;
  double ours[TIMING_MAX_ROUNDS], theirs[TIMING_MAX_ROUNDS];     /* microseconds */
};

static inline double
timing_of_clock (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec * 1e6 + (double) now.tv_nsec * 1e-3;
}

static inline double
timing_now (void)
{
  return timing_of_clock (CLOCK_MONOTONIC);
}

/* What this thread has had of the processor, for what waits for nothing: others may use it, too. */
static inline double
timing_processor_now (void)
{
  return timing_of_clock (CLOCK_THREAD_CPUTIME_ID);
}

static int
timing_compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static inline double
timing_median (const double *values, guint n)
{
  double sorted[TIMING_MAX_ROUNDS];

  for (guint i = 0; i < n; i++)
    sorted[i] = values[i];
  qsort (sorted, n, sizeof *sorted, timing_compare);
  return n > 0 ? sorted[n / 2] : 0;
}

static inline void
timing_add (struct timing *timing, double ours, double theirs)
{
  if (timing->n == TIMING_MAX_ROUNDS)
    return;
  timing->ours[timing->n] = ours;
  timing->theirs[timing->n] = theirs;
  timing->n++;
}

static inline void
timing_print (const struct timing *timing)
{
  double ratios[TIMING_MAX_ROUNDS];

  for (guint i = 0; i < timing->n; i++)
    ratios[i] = timing->ours[i] / timing->theirs[i];
  printf ("%-44s %10.1f us %10.1f us   x%.2f\n", timing->name, timing_median (timing->ours, timing->n),
          timing_median (timing->theirs, timing->n), timing_median (ratios, timing->n));
}
