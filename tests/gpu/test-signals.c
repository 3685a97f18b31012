/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Signals and notifications: each runs in the main context that was the thread-default one when its object was made,
 * and in no other; what happened meanwhile is told together; objects that nobody listens to leave nothing there. */

#include "config.h"

#include "tests/gpu/device-test.h"

struct record
{
  GThread *thread;                       /* of the last emission */
  guint n_signals, n_notifies, n_errors;
  guint64 value;
  int code;
};

static void
iterate (GMainContext *context)
{
  while (g_main_context_iteration (context, FALSE))
    continue;
}

/* Until a count is reached. */
static void
iterate_until (const guint *count, guint least)
{
  gint64 end = g_get_monotonic_time () + soon (20 * SECOND);

  while (*count < least && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (200);
  ck_assert_uint_ge (*count, least);
}

static void
on_value (GabbroEvent *event, guint64 value, struct record *record)
{
  record->thread = g_thread_self ();
  record->n_signals++;
  ck_assert_uint_gt (value, record->value);
  record->value = value;
}

static void
on_notify (GObject *object, GParamSpec *spec, struct record *record)
{
  record->n_notifies++;
}

static void
on_error (GObject *object, const GError *error, struct record *record)
{
  record->thread = g_thread_self ();
  record->n_signals++;
  record->n_errors += error != NULL;
  record->code = error != NULL ? error->code : -1;
}

static void
signal_event (GabbroEvent *event, guint64 value)
{
  GError *error = NULL;

  gabbro_event_signal (event, value, &error);
  assert_no_error (error);
}

START_TEST (event_value)
{
  struct device_test test = null_test_begin ("delay=1000");
  GabbroEvent *event = new_event (test.device);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  struct record record = { 0 };
  GError *error = NULL;

  /* Nobody listens: nothing is posted. */
  signal_event (event, 1);
  ck_assert (!g_main_context_pending (NULL));
  g_signal_connect (event, "completed", G_CALLBACK (on_value), &record);
  ck_assert (!g_main_context_pending (NULL));
  for (guint64 i = 2; i < 50; i++)
    signal_event (event, i);
  ck_assert_uint_eq (record.n_signals, 0);
  iterate (NULL);
  ck_assert_uint_eq (record.n_signals, 1);
  ck_assert_uint_eq (record.value, 49);
  ck_assert_ptr_eq (record.thread, g_thread_self ());

  g_signal_connect (event, "notify::value", G_CALLBACK (on_notify), &record);
  submit_list (test.stream, fill_list (test.device, buffer, 1));
  ck_assert (gabbro_stream_signal (test.stream, event, 60, &error));
  iterate_until (&record.n_signals, 2);
  ck_assert_uint_eq (record.value, 60);
  ck_assert_uint_eq (record.n_notifies, 1);
  iterate (NULL);
  ck_assert_uint_eq (record.n_signals, 2);
  g_object_unref (event);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

/* A context of one's own is the place, whoever runs the default one. */
START_TEST (own_context)
{
  GMainContext *mine = g_main_context_new ();
  struct device_test test = null_test_begin ("1");
  GabbroCommandList *list;
  GabbroEvent *event;
  struct record record = { 0 }, of_list = { 0 };

  g_main_context_push_thread_default (mine);
  event = new_event (test.device);
  list = new_list (test.device);
  g_main_context_pop_thread_default (mine);
  g_signal_connect (event, "completed", G_CALLBACK (on_value), &record);
  g_signal_connect (list, "completed", G_CALLBACK (on_error), &of_list);
  signal_event (event, 1);
  submit (test.stream, list);
  synchronize (test.stream);
  iterate (NULL);
  ck_assert_uint_eq (record.n_signals, 0);
  ck_assert_uint_eq (of_list.n_signals, 0);
  iterate (mine);
  ck_assert_uint_eq (record.n_signals, 1);
  ck_assert_uint_eq (of_list.n_signals, 1);
  g_object_unref (list);
  g_object_unref (event);
  g_main_context_unref (mine);
  device_test_end (&test);
}
END_TEST

#define LAST_VALUE 30000

static gpointer
raise_value (gpointer event)
{
  for (guint64 i = 1; i <= rounds (LAST_VALUE); i++)
    signal_event (event, i);
  return NULL;
}

/* However emissions and news interleave, the last is told. */
START_TEST (nothing_is_lost)
{
  struct device_test test = null_test_begin ("1");

  for (guint round = 0; round < 5; round++)
    {
      GabbroEvent *event = new_event (test.device);
      struct record record = { 0 };
      GThread *thread;
      gint64 end = g_get_monotonic_time () + soon (20 * SECOND);

      g_signal_connect (event, "completed", G_CALLBACK (on_value), &record);
      thread = g_thread_new ("raise", raise_value, event);
      while (record.value < rounds (LAST_VALUE) && g_get_monotonic_time () < end)
        g_main_context_iteration (NULL, FALSE);
      ck_assert_uint_eq (record.value, rounds (LAST_VALUE));
      g_thread_join (thread);
      iterate (NULL);
      g_object_unref (event);
    }
  device_test_end (&test);
}
END_TEST

static void
open_again (GabbroDevice *device, const GError *error, GabbroDevice **again)
{
  GError *open_error = NULL;

  *again = gabbro_adapter_open (gabbro_device_get_adapter (device), &open_error);
  assert_no_error (open_error);
}

START_TEST (device_lost)
{
  struct device_test test = null_test_begin ("lose-submit=2");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroDevice *again = NULL;
  GabbroCommandList *list;
  struct record lost = { 0 }, failed = { 0 };
  GError *error = NULL;
  gboolean is_lost;

  g_signal_connect (test.device, "lost", G_CALLBACK (on_error), &lost);
  g_signal_connect (test.device, "lost", G_CALLBACK (open_again), &again);
  g_signal_connect (test.device, "notify::is-lost", G_CALLBACK (on_notify), &lost);
  g_signal_connect (test.stream, "notify::failure", G_CALLBACK (on_notify), &failed);
  submit_list (test.stream, fill_list (test.device, buffer, 1));
  synchronize (test.stream);
  list = fill_list (test.device, buffer, 2);
  gabbro_stream_submit (test.stream, list, &error);
  g_clear_error (&error);
  ck_assert_uint_eq (lost.n_signals, 0);
  iterate_until (&lost.n_signals, 1);
  iterate_until (&failed.n_notifies, 1);
  ck_assert (!gabbro_device_synchronize (test.device, -1, &error));
  assert_gabbro_error (error, GABBRO_ERROR_DEVICE_LOST);
  iterate (NULL);
  ck_assert_uint_eq (lost.n_signals, 1);
  ck_assert_uint_eq (lost.n_notifies, 1);
  ck_assert_uint_eq (failed.n_notifies, 1);
  ck_assert_int_eq (lost.code, GABBRO_ERROR_DEVICE_LOST);
  g_object_get (test.device, "is-lost", &is_lost, NULL);
  ck_assert (is_lost);
  ck_assert (!gabbro_device_is_lost (again));
  g_object_unref (again);
  g_object_unref (list);
  g_object_unref (buffer);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (test.context);
}
END_TEST

START_TEST (stream_failure)
{
  struct device_test test = null_test_begin ("fail-submit=1");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = fill_list (test.device, buffer, 1);
  struct record record = { 0 }, of_list = { 0 };
  GError *error = NULL, *failure;

  g_object_get (test.stream, "failure", &failure, NULL);
  ck_assert_ptr_null (failure);
  g_signal_connect (test.stream, "notify::failure", G_CALLBACK (on_notify), &record);
  g_signal_connect (list, "completed", G_CALLBACK (on_error), &of_list);
  gabbro_stream_submit (test.stream, list, &error);
  g_clear_error (&error);
  iterate_until (&of_list.n_signals, 1);
  iterate_until (&record.n_notifies, 1);
  ck_assert_int_eq (of_list.code, GABBRO_ERROR_FAILED);
  g_object_get (test.stream, "failure", &failure, NULL);
  assert_gabbro_error (failure, GABBRO_ERROR_FAILED);

  /* A stream that has failed takes nothing, and nothing is told of that or kept for it. */
  g_object_unref (list);
  list = fill_list (test.device, buffer, 2);
  g_object_add_weak_pointer (G_OBJECT (list), (gpointer *) &list);
  g_signal_connect (list, "completed", G_CALLBACK (on_error), &of_list);
  ck_assert (!gabbro_stream_submit (test.stream, list, &error));
  g_clear_error (&error);
  g_object_unref (list);
  ck_assert_ptr_null (list);
  iterate (NULL);
  ck_assert_uint_eq (of_list.n_signals, 1);
  ck_assert_uint_eq (record.n_notifies, 1);
  g_object_unref (buffer);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (test.context);
}
END_TEST

/* Once for each submission that was made while somebody listened, whoever drops the list. */
START_TEST (list_completed)
{
  struct device_test test = null_test_begin ("queues=2");
  GabbroStream *other = new_stream (test.device, gabbro_device_get_queue (test.device, 0));
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = fill_list (test.device, buffer, 1);
  struct record record = { 0 };
  GError *error = NULL;
  gulong handler;

  g_object_unref (test.stream);
  test.stream = new_stream (test.device, gabbro_device_get_queue (test.device, 0));
  g_signal_connect (list, "completed", G_CALLBACK (on_error), &record);
  g_object_add_weak_pointer (G_OBJECT (list), (gpointer *) &list);
  submit_list (test.stream, list);
  ck_assert_ptr_nonnull (list);
  ck_assert (!gabbro_stream_submit (test.stream, list, &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_STATE);
  synchronize (test.stream);
  iterate (NULL);
  ck_assert_uint_eq (record.n_signals, 1);
  ck_assert_int_eq (record.code, -1);
  ck_assert_ptr_null (list);

  list = fill_list (test.device, buffer, 1);
  ck_assert (gabbro_command_list_freeze (list, NULL, &error));
  submit (test.stream, list);
  handler = g_signal_connect (list, "completed", G_CALLBACK (on_error), &record);
  for (guint i = 0; i < 20; i++)
    submit (i % 2 == 0 ? test.stream : other, list);
  g_signal_handler_disconnect (list, handler);
  handler = g_signal_connect (list, "completed", G_CALLBACK (on_error), &record);
  synchronize (test.stream);
  synchronize (other);
  iterate (NULL);
  ck_assert_uint_eq (record.n_signals, 21);
  g_signal_handler_disconnect (list, handler);
  submit (test.stream, list);
  synchronize (test.stream);
  ck_assert (!g_main_context_pending (NULL));
  g_object_unref (list);
  g_object_unref (buffer);
  g_object_unref (other);
  device_test_end (&test);
}
END_TEST

/* What is dropped inside a handler goes then and there. */

static void
drop_everything (GObject *object, const GError *error, struct device_test *test)
{
  g_clear_object (&test->stream);
  g_clear_object (&test->device);
  g_clear_object (&test->context);
}

static void
drop_after_value (GabbroEvent *event, guint64 value, struct device_test *test)
{
  drop_everything (NULL, NULL, test);
  g_object_unref (event);
}

START_TEST (dropped_in_handler)
{
  struct device_test test = null_test_begin ("delay=2000");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = fill_list (test.device, buffer, 1);
  struct record record = { 0 };
  GabbroEvent *event;

  g_signal_connect (list, "completed", G_CALLBACK (drop_everything), &test);
  g_signal_connect (list, "completed", G_CALLBACK (on_error), &record);
  submit_list (test.stream, list);
  g_object_unref (buffer);
  iterate_until (&record.n_signals, 1);
  ck_assert_ptr_null (test.device);

  test = null_test_begin ("1");
  event = new_event (test.device);
  memset (&record, 0, sizeof record);
  g_signal_connect (event, "completed", G_CALLBACK (drop_after_value), &test);
  g_signal_connect (event, "completed", G_CALLBACK (on_value), &record);
  signal_event (event, 1);
  iterate_until (&record.n_signals, 1);
  ck_assert_ptr_null (test.device);
  iterate (NULL);
}
END_TEST

/* News that were posted and not told end with their object, and so do those of a context nobody runs. */
START_TEST (dropped_before)
{
  GMainContext *never_run = g_main_context_new ();
  struct device_test test = null_test_begin ("1");
  struct record record = { 0 };

  g_main_context_push_thread_default (never_run);
  for (guint i = 0; i < rounds (10000); i++)
    {
      GabbroEvent *event = new_event (test.device);

      g_signal_connect (event, "completed", G_CALLBACK (on_value), &record);
      signal_event (event, 1);
      ck_assert (i > 10 || g_main_context_pending (never_run));
      g_object_unref (event);
    }
  ck_assert (!g_main_context_pending (never_run));
  ck_assert_uint_eq (record.n_signals, 0);
  g_main_context_pop_thread_default (never_run);
  g_main_context_unref (never_run);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("signals");
  TCase *test_case = null_test_case (suite, "signals");

  tcase_add_test (test_case, event_value);
  tcase_add_test (test_case, own_context);
  tcase_add_test (test_case, nothing_is_lost);
  tcase_add_test (test_case, device_lost);
  tcase_add_test (test_case, stream_failure);
  tcase_add_test (test_case, list_completed);
  tcase_add_test (test_case, dropped_in_handler);
  tcase_add_test (test_case, dropped_before);
  return suite;
}

GB_TEST_MAIN (make_suite)
