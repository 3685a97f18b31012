/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams and events on the null driver: order, waits before signals, cycles,
 * limits of the timeline, waits of the host, functions on completion. What fails is
 * in test-failure.c. */

#include "config.h"

#include "tests/gpu/device-test.h"

/* Counts calls of completion functions, from any thread. */
struct counter
{
  gint n_calls, n_errors, n_destroyed;
};

static void
count (const GError *error, gpointer data)
{
  struct counter *counter = data;

  if (error != NULL)
    g_atomic_int_inc (&counter->n_errors);
  g_atomic_int_inc (&counter->n_calls);
}

static void
count_destroyed (gpointer data)
{
  struct counter *counter = data;

  g_atomic_int_inc (&counter->n_destroyed);
}

static guint64
get_number (struct device_test *test, const char *path, const char *name)
{
  GError *error = NULL;
  GVariant *value = gabbro_context_get_attribute (test->context, path, name, &error);
  guint64 number;

  assert_no_error (error);
  number = g_variant_is_of_type (value, G_VARIANT_TYPE_UINT32) ? g_variant_get_uint32 (value) : g_variant_get_uint64 (value);
  g_variant_unref (value);
  return number;
}

/* Each list sees what those before it have done. */
START_TEST (order_in_a_stream)
{
  struct device_test test = null_test_begin ("queues=1,delay=200");
  GabbroBuffer *a = new_buffer (test.device, "uint", 16), *results = new_buffer (test.device, "uint", 100);
  guint32 words[100];

  for (guint i = 0; i < 100; i++)
    {
      GabbroCommandList *list = new_list (test.device);

      submit_list (test.stream, fill_list (test.device, a, 1000 + i));
      gabbro_command_list_copy_buffer (list, a, 0, results, i * 4, 4, NULL);
      submit_list (test.stream, list);
    }
  download (results, words, sizeof words);
  for (guint i = 0; i < 100; i++)
    ck_assert_uint_eq (words[i], 1000 + i);
  g_object_unref (a);
  g_object_unref (results);
  device_test_end (&test);
}
END_TEST

START_TEST (several_streams_on_a_queue)
{
  struct device_test test = null_test_begin (_i == 0 ? "queues=1,delay=50" : "queues=4,delay=50");
  GabbroStream *streams[6];
  GabbroBuffer *buffers[6];

  for (guint i = 0; i < 6; i++)
    {
      streams[i] = new_stream (test.device, NULL);
      buffers[i] = new_buffer (test.device, "uint", 4);
    }
  for (guint round = 0; round < 20; round++)
    for (guint i = 0; i < 6; i++)
      submit_list (streams[i], fill_list (test.device, buffers[i], round * 10 + i));
  for (guint i = 0; i < 6; i++)
    {
      synchronize (streams[i]);
      ck_assert_uint_eq (first_word (buffers[i]), 190 + i);
      g_object_unref (streams[i]);
      g_object_unref (buffers[i]);
    }
  device_test_end (&test);
}
END_TEST

/* A stream without a named queue gets the least used one. */
START_TEST (streams_spread_over_queues)
{
  struct device_test test = null_test_begin ("queues=4");
  GabbroStream *streams[3];
  guint seen = 1u << gabbro_queue_get_index (gabbro_stream_get_queue (test.stream));

  for (guint i = 0; i < 3; i++)
    {
      streams[i] = new_stream (test.device, NULL);
      seen |= 1u << gabbro_queue_get_index (gabbro_stream_get_queue (streams[i]));
    }
  ck_assert_uint_eq (seen, 15);
  for (guint i = 0; i < 3; i++)
    g_object_unref (streams[i]);
  device_test_end (&test);
}
END_TEST

/* On one queue this is where a driver would hang. */
START_TEST (wait_before_signal)
{
  struct device_test test = null_test_begin (_i == 0 ? "queues=1,delay=200" : "queues=2,delay=200");
  GabbroStream *other = new_stream (test.device, NULL);
  GabbroBuffer *a = new_buffer (test.device, "uint", 4), *b = new_buffer (test.device, "uint", 4);
  GabbroEvent *event = new_event (test.device);
  GError *error = NULL;

  submit_list (test.stream, fill_list (test.device, a, 1));
  ck_assert (gabbro_stream_wait (other, event, 3, &error));
  submit_list (other, copy_list (test.device, a, b));
  ck_assert (!gabbro_stream_synchronize (other, 20000, &error));
  assert_gabbro_error (error, GABBRO_ERROR_TIMED_OUT);
  submit_list (test.stream, fill_list (test.device, a, 2));
  ck_assert (gabbro_stream_signal (test.stream, event, 2, &error));
  submit_list (test.stream, fill_list (test.device, a, 77));
  ck_assert (gabbro_stream_signal (test.stream, event, 5, &error));
  synchronize (other);
  ck_assert_uint_eq (first_word (b), 77);
  ck_assert_uint_eq (gabbro_event_get_value (event), 5);
  ck_assert (gabbro_event_is_completed (event, 4));
  ck_assert (!gabbro_event_is_completed (event, 6));
  g_object_unref (event);
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (other);
  device_test_end (&test);
}
END_TEST

static void
dawdle (G_GNUC_UNUSED const GError *error, gpointer data)
{
  g_usleep (50000);
  g_atomic_int_inc ((gint *) data);
}

/* Who has seen the end of a stream counts on what that stream waited for, however many queues lie
 * between: events have their values, functions have been called, downloads are there. */
START_TEST (the_past_is_over)
{
  struct device_test test = null_test_begin ("queues=3,delay=1000");
  GabbroStream *streams[3];
  GabbroEvent *events[3];
  GabbroBuffer *buffers[3];
  gint n_calls = 0;
  GError *error = NULL;

  for (guint i = 0; i < 3; i++)
    {
      streams[i] = new_stream (test.device, gabbro_device_get_queue (test.device, i));
      events[i] = new_event (test.device);
      buffers[i] = new_buffer (test.device, "uint", 4);
    }
  for (guint64 round = 1; round <= 4; round++)
    {
      /* From the first queue to the last and the other way round: whichever the watcher sees to first. */
      gboolean up = round % 2 == 0, by_stream = round <= 2;
      guint first = up ? 0 : 2, last = up ? 2 : 0;
      guint32 word = 0;

      for (guint step = 0; step < 3; step++)
        {
          guint i = up ? step : 2 - step;
          GabbroCommandList *list = fill_list (test.device, buffers[i], (guint) round * 10 + i);

          if (step == 0)
            {
              /* While the watcher is busy with this one all the others complete. */
              gabbro_command_list_add_completion (list, dawdle, &n_calls, NULL, NULL);
              submit_list (streams[i], list);
              list = new_list (test.device);
              gabbro_command_list_add_completion (list, dawdle, &n_calls, NULL, NULL);
              gabbro_command_list_download (list, buffers[i], 0, &word, sizeof word, NULL);
            }
          else
            ck_assert (gabbro_stream_wait (streams[i], events[up ? i - 1 : i + 1], round, &error));
          submit_list (streams[i], list);
          if (i != last || !by_stream)
            ck_assert (gabbro_stream_signal (streams[i], events[i], round, &error));
        }
      if (by_stream)
        synchronize (streams[last]);
      else
        ck_assert (gabbro_event_synchronize (events[last], round, -1, &error));
      assert_no_error (error);
      ck_assert_int_eq (n_calls, (gint) round * 2);
      ck_assert_uint_eq (word, (guint) round * 10 + first);
      for (guint i = 0; i < 3; i++)
        if (i != last || !by_stream)
          ck_assert_uint_eq (gabbro_event_get_value (events[i]), round);
    }
  for (guint i = 0; i < 3; i++)
    {
      g_object_unref (streams[i]);
      g_object_unref (events[i]);
      g_object_unref (buffers[i]);
    }
  device_test_end (&test);
}
END_TEST

/* Waits go along: a signal stands for what its stream has waited for, submissions or not. */
START_TEST (waits_are_passed_on)
{
  struct device_test test = null_test_begin (_i == 0 ? "queues=1,delay=5000" : "queues=3,delay=5000");
  GabbroStream *second = new_stream (test.device, NULL), *third = new_stream (test.device, NULL);
  GabbroBuffer *a = new_buffer (test.device, "uint", 4), *b = new_buffer (test.device, "uint", 4);
  GabbroEvent *first_event = new_event (test.device), *second_event = new_event (test.device);

  submit_list (test.stream, fill_list (test.device, a, 9));
  ck_assert (gabbro_stream_signal (test.stream, first_event, 1, NULL));
  ck_assert (gabbro_stream_wait (second, first_event, 1, NULL));
  ck_assert (gabbro_stream_signal (second, second_event, 1, NULL));
  ck_assert (gabbro_stream_wait (third, second_event, 1, NULL));
  submit_list (third, copy_list (test.device, a, b));
  synchronize (third);
  ck_assert (gabbro_event_is_completed (first_event, 1));
  ck_assert_uint_eq (first_word (b), 9);
  g_object_unref (first_event);
  g_object_unref (second_event);
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (second);
  g_object_unref (third);
  device_test_end (&test);
}
END_TEST

static gpointer
signal_later (gpointer event)
{
  GError *error = NULL;

  g_usleep (30000);
  gabbro_event_signal (event, 1, &error);
  assert_no_error (error);
  return NULL;
}

START_TEST (host_signals_later)
{
  struct device_test test = null_test_begin ("1");
  GabbroBuffer *a = new_buffer (test.device, "uint", 4);
  GabbroEvent *event = new_event (test.device);
  GThread *thread;

  ck_assert (gabbro_stream_wait (test.stream, event, 1, NULL));
  submit_list (test.stream, fill_list (test.device, a, 5));
  thread = g_thread_new ("signal", signal_later, event);
  ck_assert (!gabbro_event_is_completed (event, 1));
  ck_assert (gabbro_event_synchronize (event, 1, 10 * SECOND, NULL));
  synchronize (test.stream);
  ck_assert_uint_eq (first_word (a), 5);
  g_thread_join (thread);
  g_object_unref (event);
  g_object_unref (a);
  device_test_end (&test);
}
END_TEST

/* While operations wait the tree tells how many. */
START_TEST (held_back)
{
  struct device_test test = null_test_begin ("1");
  GabbroBuffer *a = new_buffer (test.device, "uint", 4);
  GabbroEvent *event = new_event (test.device);
  char *folder = g_strconcat (gabbro_device_get_path (test.device), "/streams", NULL);
  char **paths = gabbro_context_list_nodes (test.context, folder, NULL);

  ck_assert_uint_eq (g_strv_length (paths), 1);
  submit_list (test.stream, fill_list (test.device, a, 1));
  ck_assert (gabbro_stream_wait (test.stream, event, 1, NULL));
  submit_list (test.stream, fill_list (test.device, a, 2));
  ck_assert (gabbro_stream_signal (test.stream, event, 2, NULL) == FALSE);
  ck_assert_uint_eq (get_number (&test, paths[0], "enqueued"), 3);
  ck_assert_uint_eq (get_number (&test, paths[0], "dispatched"), 1);
  ck_assert_uint_eq (get_number (&test, gabbro_device_get_path (test.device), "submissions"), 1);
  ck_assert (gabbro_event_signal (event, 1, NULL));
  synchronize (test.stream);
  ck_assert_uint_eq (get_number (&test, paths[0], "dispatched"), 3);
  ck_assert_uint_eq (get_number (&test, gabbro_device_get_path (test.device), "submissions"), 2);
  ck_assert_uint_eq (first_word (a), 2);
  g_strfreev (paths);
  g_free (folder);
  g_object_unref (a);
  g_object_unref (event);
  device_test_end (&test);
}
END_TEST

START_TEST (values_only_grow)
{
  struct device_test test = null_test_begin ("1");
  GabbroEvent *event = new_event (test.device), *never = new_event (test.device);
  GabbroStream *held = new_stream (test.device, NULL);
  GError *error = NULL;

  ck_assert (!gabbro_event_signal (event, 0, &error));
  assert_message (error, "values only grow");
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert (gabbro_event_signal (event, 5, &error));
  for (guint64 value = 4; value <= 5; value++)
    {
      ck_assert (!gabbro_event_signal (event, value, &error));
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
      ck_assert (!gabbro_stream_signal (test.stream, event, value, &error));
      assert_message (error, "it has been given 5");
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
    }
  /* Enqueued counts, although it has not happened. */
  ck_assert (gabbro_stream_wait (held, never, 1, &error));
  ck_assert (gabbro_stream_signal (held, event, 10, &error));
  ck_assert (!gabbro_event_signal (event, 7, &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert (!gabbro_event_is_completed (event, 6));
  ck_assert (gabbro_event_signal (event, G_MAXUINT64, &error));
  ck_assert_uint_eq (gabbro_event_get_value (event), G_MAXUINT64);
  ck_assert (gabbro_event_signal (never, 1, &error));
  synchronize (held);
  ck_assert_uint_eq (gabbro_event_get_value (event), G_MAXUINT64);
  g_object_unref (event);
  g_object_unref (never);
  g_object_unref (held);
  device_test_end (&test);
}
END_TEST

/* A cycle over `n` streams is refused by the signal that would close it. */
static void
check_cycle (struct device_test *test, guint n)
{
  GabbroStream *streams[8], *bystander = new_stream (test->device, NULL);
  GabbroEvent *events[8];
  GabbroBuffer *a = new_buffer (test->device, "uint", 4);
  GError *error = NULL;

  for (guint i = 0; i < n; i++)
    {
      streams[i] = new_stream (test->device, NULL);
      events[i] = new_event (test->device);
    }
  for (guint i = 0; i < n; i++)
    {
      ck_assert (gabbro_stream_wait (streams[i], events[i], 1, &error));
      submit_list (streams[i], fill_list (test->device, a, i));
      if (i + 1 < n)
        ck_assert (gabbro_stream_signal (streams[i], events[i + 1], 1, &error));
    }
  ck_assert (!gabbro_stream_signal (streams[n - 1], events[0], 1, &error));
  assert_message (error, "would close a cycle of waits");
  assert_message (error, "waits for event");
  ck_assert_ptr_nonnull (strstr (error->message, "stream "));
  {
    guint n_waits = 0;
    for (const char *at = error->message; (at = strstr (at, "waits for event")) != NULL; at++)
      n_waits++;
    ck_assert_uint_eq (n_waits, n);
  }
  assert_gabbro_error (error, GABBRO_ERROR_DEADLOCK);
  /* Nothing was enqueued, and others go on. */
  submit_list (bystander, fill_list (test->device, a, 99));
  synchronize (bystander);
  ck_assert_ptr_null (gabbro_stream_get_failure (streams[n - 1]));
  ck_assert (gabbro_event_signal (events[0], 1, &error));
  for (guint i = 0; i < n; i++)
    {
      synchronize (streams[i]);
      g_object_unref (streams[i]);
      g_object_unref (events[i]);
    }
  g_object_unref (bystander);
  g_object_unref (a);
}

START_TEST (cycles)
{
  struct device_test test = null_test_begin (_i == 0 ? "queues=1" : "queues=2");

  for (guint n = 1; n <= 8; n++)
    check_cycle (&test, n);
  device_test_end (&test);
}
END_TEST

/* Looks like a cycle and is none: what was signalled before the wait. */
START_TEST (no_cycle)
{
  struct device_test test = null_test_begin ("queues=2,delay=100");
  GabbroStream *other = new_stream (test.device, NULL);
  GabbroEvent *a = new_event (test.device), *b = new_event (test.device);
  GError *error = NULL;

  for (guint64 i = 1; i <= 50; i++)
    {
      ck_assert (gabbro_stream_signal (test.stream, a, i, &error));
      ck_assert (gabbro_stream_wait (other, a, i, &error));
      ck_assert (gabbro_stream_signal (other, b, i, &error));
      ck_assert (gabbro_stream_wait (test.stream, b, i, &error));
    }
  assert_no_error (error);
  synchronize (test.stream);
  ck_assert_uint_eq (gabbro_event_get_value (a), 50);
  ck_assert_uint_eq (gabbro_event_get_value (b), 50);
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (other);
  device_test_end (&test);
}
END_TEST

static gpointer
watch_distance (gpointer data)
{
  struct device_test *test = data;
  GabbroQueue *queue = gabbro_device_get_queue (test->device, 0);
  char *path = g_strdup_printf ("%s/queues/%u", gabbro_device_get_path (test->device), gabbro_queue_get_index (queue));
  guint64 most = 0, submitted = 0;

  while (submitted < 3000)
    {
      guint64 completed;

      /* In this order, so that what completes meanwhile makes the distance smaller. */
      submitted = get_number (test, path, "timeline.submitted");
      completed = get_number (test, path, "timeline.completed");
      if (submitted > completed)
        most = MAX (most, submitted - completed);
    }
  g_free (path);
  return GSIZE_TO_POINTER ((gsize) most);
}

START_TEST (timeline_distance)
{
  struct device_test test = null_test_begin ("queues=1,max-timeline-difference=2,delay=1");
  GabbroBuffer *a = new_buffer (test.device, "uint", 4);
  GabbroEvent *event = new_event (test.device);
  GThread *thread = g_thread_new ("distance", watch_distance, &test);
  guint64 most;

  for (guint i = 1; i <= 3000; i++)
    {
      submit_list (test.stream, fill_list (test.device, a, i));
      if (i % 3 == 0)
        ck_assert (gabbro_stream_signal (test.stream, event, i, NULL));
    }
  ck_assert (gabbro_event_synchronize (event, 3000, 60 * SECOND, NULL));
  ck_assert_uint_eq (first_word (a), 3000);
  most = GPOINTER_TO_SIZE (g_thread_join (thread));
  ck_assert_uint_le (most, 2);
  g_object_unref (event);
  g_object_unref (a);
  device_test_end (&test);
}
END_TEST

START_TEST (timeouts)
{
  struct device_test test = null_test_begin ("delay=300000");
  GabbroBuffer *a = new_buffer (test.device, "uint", 4);
  GabbroEvent *event = new_event (test.device);
  GError *error = NULL;
  gint64 start = g_get_monotonic_time ();

  submit_list (test.stream, fill_list (test.device, a, 3));
  ck_assert (gabbro_stream_signal (test.stream, event, 1, &error));
  for (gint64 timeout = 0; timeout <= 20000; timeout += 20000)
    {
      ck_assert (!gabbro_stream_synchronize (test.stream, timeout, &error));
      assert_gabbro_error (error, GABBRO_ERROR_TIMED_OUT);
      ck_assert (!gabbro_event_synchronize (event, 1, timeout, &error));
      assert_gabbro_error (error, GABBRO_ERROR_TIMED_OUT);
      ck_assert (!gabbro_device_synchronize (test.device, timeout, &error));
      assert_gabbro_error (error, GABBRO_ERROR_TIMED_OUT);
      ck_assert (!gabbro_event_synchronize (event, 2, timeout, &error));
      assert_gabbro_error (error, GABBRO_ERROR_TIMED_OUT);
    }
  ck_assert_int_lt (g_get_monotonic_time () - start, soon (250000));
  ck_assert (gabbro_stream_synchronize (test.stream, G_MAXINT64, &error));
  ck_assert (gabbro_event_synchronize (event, 1, 10 * SECOND, &error));
  ck_assert_int_ge (g_get_monotonic_time () - start, 290000);
  g_object_unref (event);
  g_object_unref (a);
  device_test_end (&test);
}
END_TEST

/* No call that waits, no main loop. */
START_TEST (polling)
{
  struct device_test test = null_test_begin ("delay=2000");
  GabbroBuffer *a = new_buffer (test.device, "uint", 4);
  GabbroEvent *event = new_event (test.device);
  gint64 end = g_get_monotonic_time () + 20 * SECOND;

  submit_list (test.stream, fill_list (test.device, a, 3));
  ck_assert (gabbro_stream_signal (test.stream, event, 1, NULL));
  while (!gabbro_event_is_completed (event, 1))
    ck_assert_int_lt (g_get_monotonic_time (), end);
  g_object_unref (event);
  g_object_unref (a);
  device_test_end (&test);
}
END_TEST

static gpointer
synchronize_many (gpointer data)
{
  struct device_test *test = data;
  GError *error = NULL;

  for (guint i = 0; i < 100; i++)
    {
      gboolean ok = i % 2 == 0 ? gabbro_stream_synchronize (test->stream, 60 * SECOND, &error)
                               : gabbro_device_synchronize (test->device, 60 * SECOND, &error);
      if (!ok)
        return error;
    }
  return NULL;
}

START_TEST (synchronize_from_threads)
{
  struct device_test test = null_test_begin ("queues=2,delay=20");
  GabbroBuffer *a = new_buffer (test.device, "uint", 4);
  GThread *threads[4];
  struct counter counter = { 0 };

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("synchronize", synchronize_many, &test);
  for (guint i = 0; i < 500; i++)
    {
      GabbroCommandList *list = fill_list (test.device, a, i);
      GabbroStream *passing = new_stream (test.device, NULL);

      gabbro_command_list_add_completion (list, count, &counter, NULL, NULL);
      submit_list (i % 2 == 0 ? test.stream : passing, list);
      g_object_unref (passing);
    }
  for (guint i = 0; i < 4; i++)
    {
      GError *error = g_thread_join (threads[i]);
      assert_no_error (error);
    }
  ck_assert (gabbro_device_synchronize (test.device, 60 * SECOND, NULL));
  ck_assert_int_eq (g_atomic_int_get (&counter.n_calls), 500);
  ck_assert_int_eq (g_atomic_int_get (&counter.n_errors), 0);
  g_object_unref (a);
  device_test_end (&test);
}
END_TEST

/* Once for each submission, after the downloads, before synchronize() returns. */
struct arrival
{
  struct counter counter;
  guint32 word;
  guint32 seen;
};

static void
arrive (const GError *error, gpointer data)
{
  struct arrival *arrival = data;

  arrival->seen = arrival->word;
  count (error, &arrival->counter);
}

START_TEST (completion_functions)
{
  struct device_test test = null_test_begin ("delay=1000");
  GabbroBuffer *a = new_buffer (test.device, "uint", 4);
  struct arrival arrivals[20] = { 0 };
  struct counter frozen = { 0 };
  GabbroCommandList *list;

  for (guint i = 0; i < 20; i++)
    {
      list = fill_list (test.device, a, 100 + i);
      gabbro_command_list_download (list, a, 0, &arrivals[i].word, 4, NULL);
      ck_assert (gabbro_command_list_add_completion (list, arrive, &arrivals[i], count_destroyed, NULL));
      ck_assert (gabbro_command_list_add_completion (list, count, &arrivals[i].counter, NULL, NULL));
      submit_list (test.stream, list);
    }
  synchronize (test.stream);
  for (guint i = 0; i < 20; i++)
    {
      ck_assert_int_eq (arrivals[i].counter.n_calls, 2);
      ck_assert_uint_eq (arrivals[i].seen, 100 + i);
    }
  list = fill_list (test.device, a, 1);
  ck_assert (gabbro_command_list_add_completion (list, count, &frozen, count_destroyed, NULL));
  ck_assert (gabbro_command_list_freeze (list, NULL, NULL));
  for (guint i = 0; i < 10; i++)
    submit (test.stream, list);
  synchronize (test.stream);
  ck_assert_int_eq (frozen.n_calls, 10);
  ck_assert_int_eq (frozen.n_destroyed, 0);
  g_object_unref (list);
  /* One that is never submitted. */
  list = new_list (test.device);
  gabbro_command_list_add_completion (list, count, &frozen, count_destroyed, NULL);
  g_object_unref (list);
  g_object_unref (a);
  device_test_end (&test);
  for (gint64 end = g_get_monotonic_time () + 5 * SECOND; g_atomic_int_get (&frozen.n_destroyed) < 2; )
    ck_assert_int_lt (g_get_monotonic_time (), end);
  for (guint i = 0; i < 20; i++)
    ck_assert_int_eq (arrivals[i].counter.n_destroyed, 1);
  ck_assert_int_eq (frozen.n_calls, 10);
}
END_TEST

/* Everything that there is, given to a completion function. */
struct everything
{
  struct device_test test;
  GabbroBuffer *buffer;
  GabbroEvent *event;
  GabbroCommandList *list;
  gint *done;
};

static void
drop_everything (const GError *error, gpointer data)
{
  struct everything *everything = data;
  gint *done = everything->done;

  g_object_unref (everything->list);
  g_object_unref (everything->buffer);
  g_object_unref (everything->event);
  g_object_unref (everything->test.stream);
  g_object_unref (everything->test.device);
  g_object_unref (everything->test.context);
  g_free (everything);
  g_atomic_int_set (done, error == NULL ? 1 : -1);
}

START_TEST (last_reference_in_a_completion)
{
  for (guint round = 0; round < 20; round++)
    {
      struct everything *everything = g_new0 (struct everything, 1);
      gint done = 0;
      gint64 end = g_get_monotonic_time () + 10 * SECOND;

      everything->test = null_test_begin (round % 2 == 0 ? "delay=500" : "queues=2,delay=500");
      everything->buffer = new_buffer (everything->test.device, "uint", 1000);
      everything->event = new_event (everything->test.device);
      everything->list = fill_list (everything->test.device, everything->buffer, 1);
      everything->done = &done;
      gabbro_command_list_add_completion (everything->list, drop_everything, everything, NULL, NULL);
      submit (everything->test.stream, everything->list);
      while (g_atomic_int_get (&done) == 0)
        {
          ck_assert_int_lt (g_get_monotonic_time (), end);
          g_usleep (100);
        }
      ck_assert_int_eq (done, 1);
    }
  g_usleep (50000);
}
END_TEST

/* Submitting from a completion function. */
struct chain
{
  struct device_test *test;
  GabbroBuffer *buffer;
  gint left;
};

static void
next_of_chain (const GError *error, gpointer data)
{
  struct chain *chain = data;
  GabbroCommandList *list;

  if (error != NULL || !g_atomic_int_dec_and_test (&chain->left))
    {
      list = gabbro_command_list_new (chain->test->device, NULL);
      gabbro_command_list_fill (list, chain->buffer, 0, 4, (guint32) chain->left, NULL);
      gabbro_command_list_add_completion (list, next_of_chain, chain, NULL, NULL);
      gabbro_stream_submit (chain->test->stream, list, NULL);
      g_object_unref (list);
    }
}

START_TEST (submit_in_a_completion)
{
  struct device_test test = null_test_begin ("1");
  struct chain chain = { &test, new_buffer (test.device, "uint", 4), 100 };
  gint64 end = g_get_monotonic_time () + 10 * SECOND;
  GabbroCommandList *list = fill_list (test.device, chain.buffer, 100);

  gabbro_command_list_add_completion (list, next_of_chain, &chain, NULL, NULL);
  submit_list (test.stream, list);
  while (g_atomic_int_get (&chain.left) > 0)
    {
      ck_assert_int_lt (g_get_monotonic_time (), end);
      g_usleep (100);
    }
  ck_assert (gabbro_device_synchronize (test.device, 10 * SECOND, NULL));
  g_object_unref (chain.buffer);
  device_test_end (&test);
}
END_TEST

/* Dropped right after the submission: lists, buffers, streams, events. */
START_TEST (released_at_once)
{
  struct device_test test = null_test_begin ("queues=2,delay=3000");
  guint32 words[50] = { 0 };

  for (guint i = 0; i < 50; i++)
    {
      GabbroStream *stream = new_stream (test.device, NULL);
      GabbroBuffer *a = new_buffer (test.device, "uint", 256), *b = new_buffer (test.device, "uint", 256);
      GabbroEvent *event = new_event (test.device);
      GabbroCommandList *list = new_list (test.device);
      guint32 word = 7 * i;

      gabbro_command_list_upload (list, a, 40, &word, 4, NULL);
      gabbro_command_list_copy_buffer (list, a, 40, b, 80, 4, NULL);
      gabbro_command_list_download (list, b, 80, &words[i], 4, NULL);
      ck_assert (gabbro_stream_wait (stream, event, 1, NULL));
      submit_list (stream, list);
      ck_assert (gabbro_event_signal (event, 1, NULL));
      g_object_unref (event);
      g_object_unref (a);
      g_object_unref (b);
      g_object_unref (stream);
    }
  ck_assert (gabbro_device_synchronize (test.device, 60 * SECOND, NULL));
  for (guint i = 0; i < 50; i++)
    ck_assert_uint_eq (words[i], 7 * i);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("scheduler");
  TCase *test_case = null_test_case (suite, "scheduler");

  tcase_add_test (test_case, order_in_a_stream);
  tcase_add_loop_test (test_case, several_streams_on_a_queue, 0, 2);
  tcase_add_test (test_case, streams_spread_over_queues);
  tcase_add_loop_test (test_case, wait_before_signal, 0, 2);
  tcase_add_test (test_case, the_past_is_over);
  tcase_add_loop_test (test_case, waits_are_passed_on, 0, 2);
  tcase_add_test (test_case, host_signals_later);
  tcase_add_test (test_case, held_back);
  tcase_add_test (test_case, values_only_grow);
  tcase_add_loop_test (test_case, cycles, 0, 2);
  tcase_add_test (test_case, no_cycle);
  tcase_add_test (test_case, timeline_distance);
  tcase_add_test (test_case, timeouts);
  tcase_add_test (test_case, polling);
  tcase_add_test (test_case, synchronize_from_threads);
  tcase_add_test (test_case, completion_functions);
  tcase_add_test (test_case, last_reference_in_a_completion);
  tcase_add_test (test_case, submit_in_a_completion);
  tcase_add_test (test_case, released_at_once);
  return suite;
}

GB_TEST_MAIN (make_suite)
