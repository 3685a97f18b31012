/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/cycle.h"

#include "gpu/gabbro-private.h"

#include <inttypes.h>

/* A stream up to (not including) one of its operations: all waits in there hold back what comes
 * after. Each stream is visited for the longest stretch asked for so far; how far is kept in `upto`. */
struct visit
{
  struct gabbro_stream_core *stream;
  const struct gabbro_operation *upto;   /* NULL: the end */
  gssize from;                           /* the visit that led here, -1: the first */
  const struct gabbro_operation *by;     /* the wait there that did */
};

static const struct gabbro_operation *
operation_of_signal (const struct gabbro_event_signal *signal)
{
  gb_list_for_each (operation, &signal->stream->operations, struct gabbro_operation, link)
    if (operation->signal == signal)
      return operation;
  return NULL;
}

static char *
describe (const GArray *visits, gssize at, const struct gabbro_operation *last)
{
  GString *out = g_string_new (NULL);
  const struct gabbro_operation *wait = last;

  for (; at >= 0; at = g_array_index (visits, struct visit, at).from)
    {
      const struct visit *visit = &g_array_index (visits, struct visit, at);
      char *part = g_strdup_printf (_("stream %u waits for event %u to reach %" PRIu64), visit->stream->serial,
                                    wait->event->serial, (guint64) wait->value);
      if (out->len > 0)
        g_string_prepend (out, ", ");
      g_string_prepend (out, part);
      g_free (part);
      wait = visit->by;
    }
  return g_string_free (out, FALSE);
}

/* Whether `visits` has the stream with at least this stretch already. */
static bool
was_visited (const GArray *visits, const struct gabbro_stream_core *stream, const struct gabbro_operation *upto)
{
  for (guint i = 0; i < visits->len; i++)
    {
      const struct visit *visit = &g_array_index (visits, struct visit, i);

      if (visit->stream != stream)
        continue;
      if (visit->upto == NULL || visit->upto == upto)
        return true;
      gb_list_for_each (operation, &stream->operations, struct gabbro_operation, link)
        {
          if (operation == upto)
            return true;
          if (operation == visit->upto)
            break;
        }
    }
  return false;
}

char *
gabbro_cycle_find (struct gabbro_stream_core *stream, const struct gabbro_event_core *event, uint64_t value)
{
  GArray *visits = g_array_new (FALSE, FALSE, sizeof (struct visit));
  struct visit first = { stream, NULL, -1, NULL };
  char *found = NULL;

  g_array_append_val (visits, first);
  for (guint i = 0; i < visits->len && found == NULL; i++)
    {
      struct visit visit = g_array_index (visits, struct visit, i);

      gb_list_for_each (operation, &visit.stream->operations, struct gabbro_operation, link)
        {
          const struct gabbro_event_signal *signal;
          struct visit next;

          if (operation == visit.upto)
            break;
          if (operation->kind != GABBRO_OPERATION_WAIT || operation->event->value >= operation->value)
            continue;
          signal = gabbro_event_find_signal (operation->event, operation->value);
          if (signal == NULL && operation->event == event && operation->value <= value)
            {
              found = describe (visits, i, operation);
              break;
            }
          if (signal == NULL || signal->stream == NULL)
            continue;
          next = (struct visit) { signal->stream, operation_of_signal (signal), i, operation };
          if (!was_visited (visits, next.stream, next.upto))
            g_array_append_val (visits, next);
        }
    }
  g_array_unref (visits);
  return found;
}
