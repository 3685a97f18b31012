/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a report says, in one sentence. */

#include "config.h"

#include "codegen/interpret/check-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

static char *
thread_text (const uint32_t thread[3])
{
  return g_strdup_printf ("(%u, %u, %u)", thread[0], thread[1], thread[2]);
}

static char *
object_text (const struct check_report *report)
{
  if (report->object == NULL)
    return report->object_label != NULL ? g_strdup_printf (_("“%s”"), report->object_label) : g_strdup (_("memory without a name"));
  if (report->object_label != NULL)
    return g_strdup_printf (_("“%s” (“%s”)"), report->object, report->object_label);
  return g_strdup_printf (_("“%s”"), report->object);
}

static char *
coordinates_text (const struct check_report *report)
{
  GString *text = g_string_new ("(");

  for (uint32_t i = 0; i < report->n_indices; i++)
    g_string_append_printf (text, "%s%" PRId64, i == 0 ? "" : ", ", report->index[i]);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static char *
extent_text (const struct check_report *report)
{
  GString *text = g_string_new (NULL);

  for (uint32_t i = 0; i < report->n_indices; i++)
    g_string_append_printf (text, "%s%" PRIu64, i == 0 ? "" : " × ", report->limit[i]);
  return g_string_free (text, FALSE);
}

/* What was touched, as exactly as it is known: "element 4 of “dst”". */
static char *
place_text (const struct check_report *report)
{
  g_autofree char *object = object_text (report);
  g_autofree char *coordinates = NULL;

  if (report->n_indices > 1)
    {
      coordinates = coordinates_text (report);
      return g_strdup_printf (_("texel %s of %s"), coordinates, object);
    }
  if (report->n_indices == 1)
    return g_strdup_printf (_("element %" PRId64 " of %s"), report->index[0], object);
  if (report->size == 1)
    return g_strdup_printf (_("byte %" PRIu64 " of %s"), report->offset, object);
  return g_strdup_printf (_("bytes %" PRIu64 " to %" PRIu64 " of %s"), report->offset, report->offset + report->size - 1, object);
}

char *
check_message_uninitialised (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *place = place_text (report);

  if (report->access == CHECK_ATOMIC)
    return g_strdup_printf (_("thread %s changes %s, which nothing has written"), thread, place);
  return g_strdup_printf (_("thread %s reads %s, which nothing has written"), thread, place);
}

char *
check_message_undefined (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *object = object_text (report);

  return g_strdup_printf (_("thread %s uses a part of %s that nothing has written"), thread, object);
}

/* By the two accesses; a line is 0 where nobody knows it. */
static const char *const race_other[3][2] =
{
  [CHECK_READ] = { N_("%s, which thread %s of the same workgroup reads on line %u with no barrier between"),
                   N_("%s, which thread %s of another workgroup reads on line %u") },
  [CHECK_WRITE] = { N_("%s, which thread %s of the same workgroup writes on line %u with no barrier between"),
                    N_("%s, which thread %s of another workgroup writes on line %u") },
  [CHECK_ATOMIC] = { N_("%s, which thread %s of the same workgroup changes atomically on line %u with no barrier between"),
                     N_("%s, which thread %s of another workgroup changes atomically on line %u") }
};

static const char *const race_one[3] =
{
  [CHECK_READ] = N_("thread %s reads %s"),
  [CHECK_WRITE] = N_("thread %s writes %s"),
  [CHECK_ATOMIC] = N_("thread %s changes %s atomically")
};

/* The formats come from the tables above, translated or not. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

char *
check_message_race (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *other = thread_text (report->other_thread);
  g_autofree char *place = place_text (report);
  g_autofree char *one = g_strdup_printf (_(race_one[report->access]), thread, place);
  bool elsewhere = memcmp (report->group, report->other_group, sizeof report->group) != 0;

  return g_strdup_printf (_(race_other[report->other_access][elsewhere]), one, other, report->other_location.line);
}

static const char *const outside[3] =
{
  [CHECK_READ] = N_("thread %s reads %s, which has %" PRIu64 " bytes"),
  [CHECK_WRITE] = N_("thread %s writes %s, which has %" PRIu64 " bytes"),
  [CHECK_ATOMIC] = N_("thread %s changes %s, which has %" PRIu64 " bytes")
};

char *
check_message_outside (const struct check_report *report, uint64_t limit)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *place = place_text (report);

  return g_strdup_printf (_(outside[report->access]), thread, place, limit);
}

static const char *const bounds[3] =
{
  [CHECK_READ] = N_("thread %s reads %s, which has %s"),
  [CHECK_WRITE] = N_("thread %s writes %s, which has %s"),
  [CHECK_ATOMIC] = N_("thread %s changes %s, which has %s")
};

char *
check_message_bounds (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *place = place_text (report);
  g_autofree char *extent = extent_text (report);

  return g_strdup_printf (_(bounds[report->access]), thread, place, extent);
}

#pragma GCC diagnostic pop

char *
check_message_shift (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);

  return g_strdup_printf (_("thread %s shifts a value of %" PRIu64 " bits by %s"), thread, report->limit[0], report->value);
}

char *
check_message_convert (const struct check_report *report, const char *type)
{
  g_autofree char *thread = thread_text (report->thread);

  return g_strdup_printf (_("thread %s converts %s to %s, which cannot hold it"), thread, report->value, type);
}

char *
check_message_division (const struct check_report *report, bool overflow)
{
  g_autofree char *thread = thread_text (report->thread);

  if (overflow)
    return g_strdup_printf (_("thread %s divides %s by -1, and the result does not fit its type"), thread, report->value);
  return g_strdup_printf (_("thread %s divides %s by 0"), thread, report->value);
}

char *
check_message_nan (const struct check_report *report, const char *operation)
{
  g_autofree char *thread = thread_text (report->thread);

  return g_strdup_printf (_("“%s” gives thread %s NaN, and none of its operands is NaN"), operation, thread);
}

char *
check_message_barrier (const struct check_report *report, bool elsewhere)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *other = thread_text (report->other_thread);

  if (!elsewhere)
    return g_strdup_printf (_("thread %s waits at a barrier, and thread %s of its workgroup does not come"), thread, other);
  return g_strdup_printf (_("thread %s waits at a barrier, but thread %s of its workgroup waits at that on line %u"),
                          thread, other, report->other_location.line);
}

char *
check_message_loop (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);

  return g_strdup_printf (_("thread %s has not ended after %" PRIu64 " steps of its subgroup"), thread, report->limit[0]);
}

char *
check_message_unreachable (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);

  if (report->value == NULL)
    return g_strdup_printf (_("thread %s comes to a place that is called unreachable"), thread);
  return g_strdup_printf (_("thread %s comes to a place that is called unreachable: “%s”"), thread, report->value);
}

char *
check_message_assert (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);

  if (report->value == NULL)
    return g_strdup_printf (_("an assertion does not hold in thread %s"), thread);
  return g_strdup_printf (_("the assertion “%s” does not hold in thread %s"), report->value, thread);
}

char *
check_message_inactive (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);

  return g_strdup_printf (_("thread %s reads a value of lane %" PRId64 " of its subgroup, where no thread is active"), thread,
                          report->index[0]);
}

char *
check_message_misaligned (const struct check_report *report, uint32_t alignment)
{
  g_autofree char *object = object_text (report);

  return g_strdup_printf (_("%s begins at byte %" PRIu64 " of its memory, and its elements are aligned to %u bytes"),
                          object, report->offset, alignment);
}

char *
check_message_offset (const struct check_report *report, uint32_t alignment)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *object = object_text (report);

  if (report->access == CHECK_WRITE)
    return g_strdup_printf (_("thread %s writes %" PRIu64 " bytes at byte %" PRId64 " of %s, which must be a multiple of %u"),
                            thread, report->size, report->index[0], object, alignment);
  return g_strdup_printf (_("thread %s reads %" PRIu64 " bytes at byte %" PRId64 " of %s, which must be a multiple of %u"),
                          thread, report->size, report->index[0], object, alignment);
}

char *
check_message_bytes (const struct check_report *report)
{
  g_autofree char *thread = thread_text (report->thread);
  g_autofree char *object = object_text (report);

  if (report->access == CHECK_WRITE)
    return g_strdup_printf (_("thread %s writes %" PRIu64 " bytes at byte %" PRId64 " of %s, which has %" PRIu64 " bytes"),
                            thread, report->size, report->index[0], object, report->limit[0]);
  return g_strdup_printf (_("thread %s reads %" PRIu64 " bytes at byte %" PRId64 " of %s, which has %" PRIu64 " bytes"),
                          thread, report->size, report->index[0], object, report->limit[0]);
}

char *
check_message_overlap (const struct check_report *report, bool first_is_written)
{
  g_autofree char *object = object_text (report);

  return g_strdup_printf (_("%s and “%s” share %" PRIu64 " bytes from byte %" PRIu64 " of one memory on, and the kernel writes “%s”"),
                          object, report->other_object != NULL ? report->other_object : "?", report->size, report->offset,
                          first_is_written && report->object != NULL ? report->object
                          : report->other_object != NULL ? report->other_object : "?");
}
