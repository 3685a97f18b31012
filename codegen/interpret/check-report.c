/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each kind of fault: what of it goes into a report. */

#include "config.h"

#include "codegen/interpret/check-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/checked.h"

static void
add (struct check_run *run, struct check_report *report, char *message)
{
  check_fault_add (run, report, message);
  g_free (message);
}

static struct check_fault
access_fault (enum check_kind kind, const struct check_memory *memory, uint64_t offset, uint32_t size,
              enum check_access access, const struct check_thread *thread, const struct check_site *site)
{
  struct check_fault fault = CHECK_FAULT (kind, thread, site);

  fault.memory = memory;
  fault.has_storage = true;
  fault.storage = memory->storage;
  fault.access = access;
  fault.offset = offset;
  fault.size = size;
  return fault;
}

void
check_fault_uninitialised (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                           enum check_access access, const struct check_thread *thread, const struct check_site *site)
{
  struct check_fault fault = access_fault (CHECK_UNINITIALISED, memory, offset, size, access, thread, site);
  struct check_report report;

  if (check_run_wants (run, CHECK_UNINITIALISED) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_uninitialised (&report));
}

void
check_fault_race (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                  enum check_access access, const struct check_thread *thread, const struct check_site *site,
                  const struct check_other *other)
{
  struct check_fault fault = access_fault (CHECK_RACE, memory, offset, size, access, thread, site);
  struct check_report report;

  fault.other = other;
  if (check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_race (&report));
}

void
check_fault_outside (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                     enum check_access access, const struct check_thread *thread, const struct check_site *site)
{
  struct check_fault fault = access_fault (CHECK_OUT_OF_BOUNDS, memory, offset, size, access, thread, site);
  struct check_report report;

  if (!check_run_wants (run, CHECK_OUT_OF_BOUNDS) || !check_fault_is_new (run, &fault, &report))
    return;
  report.n_indices = 0;
  add (run, &report, check_message_outside (&report, memory->size));
}

void
check_report_bounds (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                     enum check_storage storage, enum check_access access, const struct check_memory *memory,
                     uint32_t n_indices, const int64_t *index, const uint64_t *limit)
{
  struct check_fault fault = CHECK_FAULT (CHECK_OUT_OF_BOUNDS, thread, site);
  struct check_report report;

  fault.memory = memory;
  fault.has_storage = true;
  fault.storage = storage;
  fault.access = access;
  fault.n_indices = n_indices;
  fault.index = index;
  fault.limit = limit;
  if (!check_run_wants (run, CHECK_OUT_OF_BOUNDS) || !check_fault_is_new (run, &fault, &report))
    return;
  if (site != NULL && site->argument < run->n_views && n_indices == 1 && index[0] >= 0
      && gb_checked_mul ((uint64_t) index[0], run->views[site->argument].element_size, &report.offset))
    report.size = run->views[site->argument].element_size;
  add (run, &report, check_message_bounds (&report));
}

void
check_report_bytes (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                    enum check_access access, const struct check_memory *memory, int64_t offset, uint32_t size,
                    uint32_t alignment, uint64_t limit)
{
  bool is_aligned = offset % alignment == 0;
  uint64_t rounded = (uint64_t) offset & -(uint64_t) alignment;
  struct check_fault fault = CHECK_FAULT (is_aligned ? CHECK_OUT_OF_BOUNDS : CHECK_MISALIGNED, thread, site);
  struct check_report report;

  if (is_aligned && rounded < limit && limit - rounded >= size)
    return;
  fault.memory = memory;
  fault.has_storage = true;
  fault.storage = CHECK_STORAGE_BUFFER;
  fault.access = access;
  fault.n_indices = 1;
  fault.index = &offset;
  fault.limit = &limit;
  if (!check_run_wants (run, fault.kind) || !check_fault_is_new (run, &fault, &report))
    return;
  report.size = size;
  report.offset = (uint64_t) offset;
  add (run, &report, is_aligned ? check_message_bytes (&report) : check_message_offset (&report, alignment));
}

void
check_report_undefined (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                        enum check_storage storage)
{
  struct check_fault fault = CHECK_FAULT (CHECK_UNINITIALISED, thread, site);
  struct check_report report;

  fault.has_storage = true;
  fault.storage = storage;
  if (site->argument < run->n_views)
    fault.memory = run->views[site->argument].memory;
  if (check_run_wants (run, CHECK_UNINITIALISED) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_undefined (&report));
}

static void
format_integer (char text[32], uint64_t value, bool is_signed)
{
  if (is_signed)
    g_snprintf (text, 32, "%" PRId64, (int64_t) value);
  else
    g_snprintf (text, 32, "%" PRIu64, value);
}

void
check_report_shift (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                    uint64_t count, bool is_signed, uint32_t width)
{
  struct check_fault fault = CHECK_FAULT (CHECK_SHIFT_RANGE, thread, site);
  struct check_report report;
  int64_t index = is_signed ? (int64_t) count : (int64_t) MIN (count, (uint64_t) INT64_MAX);
  uint64_t limit = width;
  char value[32];

  format_integer (value, count, is_signed);
  fault.n_indices = 1;
  fault.index = &index;
  fault.limit = &limit;
  fault.value = value;
  if (check_run_wants (run, CHECK_SHIFT_RANGE) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_shift (&report));
}

void
check_report_convert (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                      double value, const char *type)
{
  struct check_fault fault = CHECK_FAULT (CHECK_CONVERT_RANGE, thread, site);
  struct check_report report;
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.9g", isnan (value) ? fabs (value) : value);
  fault.value = text;
  if (check_run_wants (run, CHECK_CONVERT_RANGE) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_convert (&report, type));
}

void
check_report_division (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                       uint64_t dividend, bool is_signed, bool overflow)
{
  struct check_fault fault = CHECK_FAULT (CHECK_DIVISION_BY_ZERO, thread, site);
  struct check_report report;
  char value[32];

  format_integer (value, dividend, is_signed);
  fault.value = value;
  if (!check_run_wants (run, CHECK_DIVISION_BY_ZERO) || !check_fault_is_new (run, &fault, &report))
    return;
  report.overflows = overflow;
  add (run, &report, check_message_division (&report, overflow));
}

void
check_report_nan (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                  const char *operation)
{
  struct check_fault fault = CHECK_FAULT (CHECK_NAN, thread, site);
  struct check_report report;

  if (check_run_wants (run, CHECK_NAN) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_nan (&report, operation));
}

void
check_report_barrier (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                      const struct check_thread *other, const struct check_site *other_site)
{
  struct check_fault fault = CHECK_FAULT (CHECK_DIVERGENT_BARRIER, thread, site);
  struct check_other place = { .site = other_site, .group = other->group->number, .thread = other->index };
  struct check_report report;

  fault.other = &place;
  if (check_run_wants (run, CHECK_DIVERGENT_BARRIER) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_barrier (&report, other_site != NULL));
}

void
check_report_loop (struct check_run *run, const struct check_thread *thread, const struct check_site *site, uint64_t steps)
{
  struct check_fault fault = CHECK_FAULT (CHECK_ENDLESS_LOOP, thread, site);
  struct check_report report;

  if (!check_run_wants (run, CHECK_ENDLESS_LOOP) || !check_fault_is_new (run, &fault, &report))
    return;
  report.limit[0] = steps;
  add (run, &report, check_message_loop (&report));
}

void
check_report_unreachable (struct check_run *run, const struct check_thread *thread, const struct check_site *site, const char *why)
{
  struct check_fault fault = CHECK_FAULT (CHECK_UNREACHABLE, thread, site);
  struct check_report report;

  fault.value = why;
  if (check_run_wants (run, CHECK_UNREACHABLE) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_unreachable (&report));
}

void
check_report_assert (struct check_run *run, const struct check_thread *thread, const struct check_site *site, const char *condition)
{
  struct check_fault fault = CHECK_FAULT (CHECK_ASSERT, thread, site);
  struct check_report report;

  fault.value = condition;
  if (check_run_wants (run, CHECK_ASSERT) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_assert (&report));
}

void
check_report_inactive (struct check_run *run, const struct check_thread *thread, const struct check_site *site, uint32_t lane,
                       uint32_t width)
{
  struct check_fault fault = CHECK_FAULT (CHECK_INACTIVE_LANE, thread, site);
  struct check_report report;
  int64_t index = lane;
  uint64_t limit = width;

  fault.n_indices = 1;
  fault.index = &index;
  fault.limit = &limit;
  if (check_run_wants (run, CHECK_INACTIVE_LANE) && check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_inactive (&report));
}

/* Views. */

static void
check_alignment (struct check_run *run, const struct check_view *view)
{
  struct check_fault fault = { .kind = CHECK_MISALIGNED, .memory = view->memory, .view = view,
                               .offset = view->offset, .size = view->size };
  struct check_report report;

  if (view->alignment == 0 || view->offset % view->alignment == 0 || !check_fault_is_new (run, &fault, &report))
    return;
  add (run, &report, check_message_misaligned (&report, view->alignment));
}

static void
check_pair (struct check_run *run, const struct check_view *a, const struct check_view *b)
{
  uint64_t begin = MAX (a->offset, b->offset);
  uint64_t end = MIN (a->offset + a->size, b->offset + b->size);
  struct check_fault fault = { .kind = CHECK_OVERLAP, .memory = a->memory, .view = a, .other_view = b, .offset = begin };
  struct check_report report;

  if (a->memory != b->memory || begin >= end || !(a->is_read || a->is_written) || !(b->is_read || b->is_written)
      || !(a->is_written || b->is_written))
    return;
  fault.size = end - begin;
  if (check_fault_is_new (run, &fault, &report))
    add (run, &report, check_message_overlap (&report, a->is_written));
}

void
check_run_views (struct check_run *run, const struct check_view *views, uint32_t n_views)
{
  run->views = views;
  run->n_views = n_views;
  for (uint32_t i = 0; i < n_views; i++)
    if (views[i].memory != NULL)
      views[i].memory->quiet_run = run->number;
  for (uint32_t i = 0; i < n_views; i++)
    {
      if (views[i].memory == NULL)
        continue;
      if (views[i].is_written)
        views[i].memory->quiet_run = 0;
      if (check_run_wants (run, CHECK_MISALIGNED))
        check_alignment (run, &views[i]);
      for (uint32_t j = i + 1; j < n_views && check_run_wants (run, CHECK_OVERLAP); j++)
        check_pair (run, &views[i], &views[j]);
    }
}

static void
add_note (struct check_run *run, bool *told, uint64_t limit, char *message)
{
  struct check_report report = { .kind = CHECK_N_KINDS, .kernel = run->info.kernel, .file = run->info.file, .limit = { limit } };

  *told = true;
  add (run, &report, message);
}

void
check_add_notes (struct check_run *run)
{
  struct check *check = run->check;

  if (check->n_left_out != 0 && !check->told_left_out)
    add_note (run, &check->told_left_out, check->limit,
              g_strdup_printf (_("there are more reports than %u: the others are left out"), check->limit));
  if (run->exhausted && !check->told_exhausted)
    add_note (run, &check->told_exhausted, 0,
              g_strdup (_("there is not enough memory to follow every access: races may have been missed")));
}
