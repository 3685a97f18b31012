/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adapters that come and go: gabbro_context_rescan(), the context as a list model, and its signals. The null driver
 * reads its settings from a file, which changes between scans. */

#include "config.h"

#include "tests/gpu/device-test.h"

static char *file;

static void
set_settings (const char *settings)
{
  ck_assert (g_file_set_contents (file, settings, -1, NULL));
}

static GabbroContext *
file_context (const char *settings)
{
  char *option = g_strconcat ("@", file, NULL);
  GabbroContext *context;

  set_settings (settings);
  context = null_context (option);
  g_free (option);
  return context;
}

static void
rescan (GabbroContext *context)
{
  GError *error = NULL;

  ck_assert (gabbro_context_rescan (context, &error));
  assert_no_error (error);
}

/* What was emitted, in order, as text. */

static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, GString *log)
{
  g_string_append_printf (log, "items %u-%u+%u=%u ", position, removed, added, g_list_model_get_n_items (model));
}

static void
on_added (GabbroContext *context, GabbroAdapter *adapter, GString *log)
{
  g_string_append_printf (log, "+%s ", gabbro_adapter_get_name (adapter) + strlen ("Null "));
}

static void
on_removed (GabbroContext *context, GabbroAdapter *adapter, GString *log)
{
  g_string_append_printf (log, "-%s ", gabbro_adapter_get_name (adapter) + strlen ("Null "));
}

static void
on_notify (GabbroContext *context, GParamSpec *spec, GString *log)
{
  guint n;

  g_object_get (context, "n-adapters", &n, NULL);
  g_string_append_printf (log, "n=%u ", n);
}

static GString *
listen_to (GabbroContext *context)
{
  GString *log = g_string_new (NULL);

  g_signal_connect (context, "items-changed", G_CALLBACK (on_items_changed), log);
  g_signal_connect (context, "adapter-added", G_CALLBACK (on_added), log);
  g_signal_connect (context, "adapter-removed", G_CALLBACK (on_removed), log);
  g_signal_connect (context, "notify::n-adapters", G_CALLBACK (on_notify), log);
  return log;
}

static void
assert_log (GString *log, const char *expected)
{
  ck_assert_str_eq (log->str, expected);
  g_string_truncate (log, 0);
}

static void
assert_nodes (GabbroContext *context, const char *expected)
{
  char **paths = gabbro_context_list_nodes (context, "/adapters", NULL);
  GString *names = g_string_new (NULL);

  for (char **path = paths; *path != NULL; path++)
    g_string_append_printf (names, "%s%s", path == paths ? "" : " ", *path + strlen ("/adapters/"));
  ck_assert_str_eq (names->str, expected);
  g_string_free (names, TRUE);
  g_strfreev (paths);
}

START_TEST (come_and_go)
{
  GabbroContext *context = file_context ("adapters=2");
  GabbroAdapter *first = g_object_ref (gabbro_context_get_adapter (context, 0)), *second = gabbro_context_get_adapter (context, 1);
  GString *log = listen_to (context);
  GabbroAdapter *item;

  ck_assert (g_list_model_get_item_type (G_LIST_MODEL (context)) == GABBRO_TYPE_ADAPTER);
  ck_assert_uint_eq (g_list_model_get_n_items (G_LIST_MODEL (context)), 2);
  rescan (context);
  assert_log (log, "");
  ck_assert_ptr_eq (gabbro_context_get_adapter (context, 0), first);

  set_settings ("adapters=3");
  rescan (context);
  assert_log (log, "items 2-0+1=3 +2 n=3 ");
  ck_assert_ptr_eq (gabbro_context_get_adapter (context, 0), first);
  ck_assert_ptr_eq (gabbro_context_get_adapter (context, 1), second);
  assert_nodes (context, "null0 null1 null2");

  /* A new one does not get the name of one that is about to go. */
  set_settings ("first=1,adapters=3\n");
  rescan (context);
  assert_log (log, "items 0-1+0=2 -0 items 2-0+1=3 +3 n=3 ");
  ck_assert_ptr_eq (gabbro_context_get_adapter (context, 0), second);
  ck_assert_str_eq (gabbro_adapter_get_path (gabbro_context_get_adapter (context, 2)), "/adapters/null3");
  assert_nodes (context, "null1 null2 null3");
  item = g_list_model_get_item (G_LIST_MODEL (context), 2);
  ck_assert_str_eq (gabbro_adapter_get_name (item), "Null 3");
  g_object_unref (item);
  ck_assert_ptr_null (g_list_model_get_item (G_LIST_MODEL (context), 3));

  set_settings ("0");
  rescan (context);
  assert_log (log, "items 0-1+0=2 -1 items 0-1+0=1 -2 items 0-1+0=0 -3 n=0 ");
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 0);
  ck_assert_ptr_null (gabbro_context_get_adapter (context, 0));

  /* Back again it is another object, with the name that has become free. */
  set_settings ("1");
  rescan (context);
  assert_log (log, "items 0-0+1=1 +0 n=1 ");
  ck_assert_ptr_ne (gabbro_context_get_adapter (context, 0), first);
  assert_nodes (context, "null0");
  g_object_unref (first);
  g_object_unref (context);
  g_string_free (log, TRUE);
}
END_TEST

/* A device goes on when its adapter has gone, and so does whoever holds that. */
START_TEST (holders)
{
  GabbroContext *context = file_context ("adapters=2"), *owner;
  GabbroAdapter *adapter = gabbro_context_get_adapter (context, 1);
  struct device_test test = { .context = context, .device = gabbro_adapter_open (adapter, NULL) };
  GError *error = NULL;
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 8);
  char *name, *path;

  test.stream = new_stream (test.device, NULL);
  set_settings ("adapters=1");
  rescan (context);
  ck_assert_ptr_null (gabbro_context_list_nodes (context, "/adapters/null1", &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  g_object_get (adapter, "name", &name, "path", &path, "context", &owner, NULL);
  ck_assert_str_eq (name, "Null 1");
  ck_assert_str_eq (path, "/adapters/null1");
  ck_assert_ptr_eq (owner, context);
  g_object_unref (owner);
  g_free (name);
  g_free (path);
  ck_assert_ptr_null (gabbro_adapter_open (adapter, &error));
  assert_message (error, "Null 1");
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  ck_assert_ptr_null (gabbro_context_select_adapter (context, "null1", NULL, &error));
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);

  submit_list (test.stream, fill_list (test.device, buffer, 3));
  synchronize (test.stream);
  ck_assert_uint_eq (first_word (buffer), 3);
  g_object_unref (test.stream);
  test.stream = new_stream (test.device, NULL);
  submit_list (test.stream, fill_list (test.device, buffer, 4));
  synchronize (test.stream);
  ck_assert_uint_eq (first_word (buffer), 4);
  ck_assert_str_eq (gabbro_device_get_path (test.device), "/adapters/null1/devices/1");
  g_object_unref (buffer);

  /* The other way round: the adapter outlives its context. */
  g_object_ref (adapter);
  device_test_end (&test);
  ck_assert_ptr_null (gabbro_adapter_dup_context (adapter));
  ck_assert_ptr_null (gabbro_adapter_open (adapter, &error));
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  g_object_unref (adapter);
}
END_TEST

static void
on_message (GabbroContext *context, const char *text, GPtrArray *texts)
{
  g_ptr_array_add (texts, g_strdup (text));
}

/* It keeps its adapters, and says why once. */
START_TEST (driver_fails)
{
  GabbroContext *context = file_context ("adapters=2");
  GabbroAdapter *adapter = gabbro_context_get_adapter (context, 1);
  GString *log = listen_to (context);
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  char **messages;

  set_settings ("nonsense");
  rescan (context);
  g_signal_connect (context, "message", G_CALLBACK (on_message), texts);
  set_settings ("adapters=99");
  for (guint i = 0; i < 3; i++)
    rescan (context);
  assert_log (log, "");
  ck_assert_ptr_eq (gabbro_context_get_adapter (context, 1), adapter);
  /* What came before the handler is in the list. */
  messages = gabbro_context_list_messages (context);
  ck_assert_uint_eq (g_strv_length (messages), 2);
  ck_assert_ptr_nonnull (strstr (messages[0], "nonsense"));
  g_strfreev (messages);
  while (g_main_context_iteration (NULL, FALSE))
    continue;
  ck_assert_uint_eq (texts->len, 1);
  ck_assert_ptr_nonnull (strstr (texts->pdata[0], "adapters=99"));
  g_remove (file);
  rescan (context);
  assert_log (log, "");
  set_settings ("adapters=2");
  rescan (context);
  assert_log (log, "");
  g_object_unref (context);
  g_string_free (log, TRUE);
  g_ptr_array_unref (texts);
}
END_TEST

static gpointer
rescan_in_thread (gpointer context)
{
  rescan (context);
  return NULL;
}

/* The model follows in the main context; what came and went meanwhile is not told. */
START_TEST (in_other_thread)
{
  GabbroContext *context = file_context ("adapters=2");
  GString *log = listen_to (context);

  set_settings ("adapters=3");
  g_thread_join (g_thread_new ("scan", rescan_in_thread, context));
  set_settings ("adapters=1");
  g_thread_join (g_thread_new ("scan", rescan_in_thread, context));
  assert_log (log, "");
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 1);
  ck_assert_uint_eq (g_list_model_get_n_items (G_LIST_MODEL (context)), 2);
  ck_assert (g_main_context_iteration (NULL, FALSE));
  assert_log (log, "items 1-1+0=1 -1 n=1 ");
  ck_assert (!g_main_context_iteration (NULL, FALSE));
  g_object_unref (context);
  g_string_free (log, TRUE);
}
END_TEST

static void
on_rescanned (GObject *context, GAsyncResult *result, gpointer data)
{
  GString *log = data;
  GError *error = NULL;

  ck_assert (gabbro_context_rescan_finish (GABBRO_CONTEXT (context), result, &error));
  assert_no_error (error);
  g_string_append (log, "done");
}

/* Without blocking: the signals come first, here, and the callback after them. */
START_TEST (asynchronous)
{
  GabbroContext *context = file_context ("adapters=2");
  GString *log = listen_to (context);

  set_settings ("adapters=3");
  gabbro_context_rescan_async (context, NULL, on_rescanned, log);
  ck_assert_uint_eq (log->len, 0);
  while (!g_str_has_suffix (log->str, "done"))
    g_main_context_iteration (NULL, TRUE);
  assert_log (log, "items 2-0+1=3 +2 n=3 done");
  g_object_unref (context);
  g_string_free (log, TRUE);
}
END_TEST

static void
rescan_more (GabbroContext *context, GabbroAdapter *adapter, gpointer data)
{
  if (gabbro_context_get_n_adapters (context) < 5)
    {
      set_settings ("adapters=5");
      rescan (context);
      set_settings ("first=1,adapters=4");
      rescan (context);
    }
}

/* A handler may scan: one change is told after the other. */
START_TEST (in_handler)
{
  GabbroContext *context = file_context ("adapters=1");
  GString *log = listen_to (context);

  g_signal_connect (context, "adapter-added", G_CALLBACK (rescan_more), NULL);
  set_settings ("adapters=2");
  rescan (context);
  while (g_main_context_iteration (NULL, FALSE))
    continue;
  assert_log (log, "items 1-0+1=2 +1 items 0-1+0=1 -0 items 1-0+3=4 +2 +3 +4 n=4 ");
  g_object_unref (context);
  g_string_free (log, TRUE);
}
END_TEST

static gint stop;

static gpointer
use_context (gpointer data)
{
  GabbroContext *context = data;

  while (!g_atomic_int_get (&stop))
    {
      GabbroAdapter *adapter = gabbro_context_select_adapter (context, NULL, NULL, NULL);
      GabbroDevice *device = adapter != NULL ? gabbro_adapter_open (adapter, NULL) : NULL;
      char **nodes = gabbro_context_list_nodes (context, "/adapters", NULL);

      g_strfreev (nodes);
      for (guint i = 0; i < gabbro_context_get_n_adapters (context); i++)
        {
          adapter = gabbro_context_get_adapter (context, i);
          if (adapter != NULL)
            {
              ck_assert_ptr_nonnull (gabbro_adapter_get_name (adapter));
              adapter = gabbro_adapter_dup_twin (adapter);
              ck_assert_ptr_null (adapter);
            }
        }
      g_clear_object (&device);
    }
  return NULL;
}

START_TEST (with_threads)
{
  GabbroContext *context = file_context ("adapters=2");
  GThread *threads[3];
  char settings[40];

  g_atomic_int_set (&stop, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("use", use_context, context);
  for (guint i = 0; i < rounds (100); i++)
    {
      g_snprintf (settings, sizeof settings, "first=%u,adapters=%u", 1 + i % 3, 1 + i % 4);
      set_settings (settings);
      rescan (context);
      ck_assert_uint_eq (g_list_model_get_n_items (G_LIST_MODEL (context)), 1 + i % 4);
    }
  g_atomic_int_set (&stop, 1);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_object_unref (context);
}
END_TEST

static void
make_file (void)
{
  file = g_build_filename (empty_folder, "settings", NULL);
}

static void
remove_file (void)
{
  g_remove (file);
  g_clear_pointer (&file, g_free);
}

static void
keep_result (GObject *source, GAsyncResult *result, gpointer data)
{
  g_set_object ((GAsyncResult **) data, result);
}

static GAsyncResult *
iterate_for (GAsyncResult **result)
{
  while (*result == NULL)
    g_main_context_iteration (NULL, TRUE);
  return *result;
}

static void
note_thread (GabbroContext *context, GabbroAdapter *adapter, GThread **thread)
{
  *thread = g_thread_self ();
}

/* A context that was made by a thread of a pool tells its news in the main context of who asked for it. */
START_TEST (context_of_a_pool)
{
  char *option = g_strconcat ("@", file, NULL);
  GAsyncResult *result = NULL;
  GThread *thread = NULL;
  GabbroContext *context;
  GVariantDict options;
  GError *error = NULL;

  set_settings ("adapters=1");
  g_variant_dict_init (&options, NULL);
  g_variant_dict_insert (&options, "null", "s", option);
  g_variant_dict_insert (&options, "driver-path", "s", empty_folder);
  gabbro_context_new_async (g_variant_dict_end (&options), NULL, keep_result, &result);
  context = gabbro_context_new_finish (iterate_for (&result), &error);
  assert_no_error (error);
  g_clear_object (&result);
  g_signal_connect (context, "adapter-added", G_CALLBACK (note_thread), &thread);
  set_settings ("adapters=2");
  gabbro_context_rescan_async (context, NULL, keep_result, &result);
  /* Long enough for the scan, during which nobody runs the main context. */
  g_usleep (300000);
  ck_assert_ptr_null (thread);
  ck_assert (gabbro_context_rescan_finish (context, iterate_for (&result), &error));
  while (g_main_context_iteration (NULL, FALSE))
    ;
  ck_assert_ptr_eq (thread, g_thread_self ());
  g_object_unref (result);
  g_object_unref (context);
  g_free (option);
}
END_TEST

/* What is no file of settings is neither waited for nor read to its end. */
START_TEST (no_settings)
{
  static const char *const options[] = { "@/dev/zero", "@/", "@/nonexistent" };
  static const char *const reasons[] = { "is no regular file", "is no regular file", "No such file" };
  GabbroContext *context = null_context (options[_i]);
  char **messages = gabbro_context_list_messages (context);

  ck_assert_uint_eq (g_strv_length (messages), 1);
  ck_assert_msg (strstr (messages[0], reasons[_i]) != NULL, "%s", messages[0]);
  g_strfreev (messages);
  g_object_unref (context);
}
END_TEST

START_TEST (long_settings)
{
  char *text = g_strnfill (10000, '\xff');
  GabbroContext *context = file_context (text);
  char **messages = gabbro_context_list_messages (context);

  ck_assert_ptr_nonnull (strstr (messages[0], "has 10000 bytes"));
  g_strfreev (messages);
  g_object_unref (context);
  text[100] = '\0';
  context = file_context (text);
  messages = gabbro_context_list_messages (context);
  ck_assert (g_utf8_validate (messages[0], -1, NULL));
  g_strfreev (messages);
  g_object_unref (context);
  g_free (text);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("rescan");
  TCase *test_case = null_test_case (suite, "rescan");

  tcase_add_checked_fixture (test_case, make_file, remove_file);
  tcase_add_test (test_case, come_and_go);
  tcase_add_test (test_case, context_of_a_pool);
  tcase_add_loop_test (test_case, no_settings, 0, 3);
  tcase_add_test (test_case, long_settings);
  tcase_add_test (test_case, holders);
  tcase_add_test (test_case, driver_fails);
  tcase_add_test (test_case, in_other_thread);
  tcase_add_test (test_case, asynchronous);
  tcase_add_test (test_case, in_handler);
  tcase_add_test (test_case, with_threads);
  return suite;
}

GB_TEST_MAIN (make_suite)
