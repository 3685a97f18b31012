/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contexts: options, driver modules that are missing or broken, choosing adapters,
 * the tree of attributes, twins. */

#include "config.h"

#include "tests/gpu/device-test.h"

/* Options. */

static void
assert_given (gpointer object, gpointer expected)
{
  ck_assert_ptr_eq (object, expected);
  g_object_unref (object);
}

START_TEST (options)
{
  GError *error = NULL;
  GVariantBuilder builder;

  ck_assert_ptr_null (gabbro_context_new (g_variant_new_string ("null"), &error));
  assert_message (error, "a{sv}");
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "nul", g_variant_new_string ("1"));
  ck_assert_ptr_null (gabbro_context_new (g_variant_builder_end (&builder), &error));
  assert_message (error, "“nul”");
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "null", g_variant_new_boolean (TRUE));
  ck_assert_ptr_null (gabbro_context_new (g_variant_builder_end (&builder), &error));
  assert_message (error, "has to be a string");
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* An option that the driver does not understand is a message; there is no adapter then. */
START_TEST (bad_settings)
{
  static const char *const settings[] = {
    "adapters=9", "adapters=0", "colour=red", "queues", "queues=", "queues=-1", "memory=1x", "storage-buffer-offset-alignment=3",
    "storage-buffer-offset-alignment=8192", "max-push-constants=64", "max-push-constants=130", "copy-queues=1", "queues=2,copy-queues=2"
  };
  static const char *const good[] = {
    "storage-buffer-offset-alignment=1", "storage-buffer-offset-alignment=64", "max-push-constants=132", "copy-queues=1,queues=2"
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      GabbroContext *context = null_context (good[i]);

      ck_assert_msg (gabbro_context_get_n_adapters (context) == 1, "%s", good[i]);
      g_object_unref (context);
    }

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      GabbroContext *context = null_context (settings[i]);
      GError *error = NULL;

      ck_assert_msg (gabbro_context_get_n_adapters (context) == 0, "%s", settings[i]);
      ck_assert_uint_eq (count_validation_messages (context, FALSE), 1);
      ck_assert_ptr_null (gabbro_context_open_device (context, NULL, &error));
      /* The error repeats why. */
      assert_message (error, "“null”");
      assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
      g_object_unref (context);
    }
}
END_TEST

START_TEST (environment)
{
  GabbroContext *context;

  g_setenv ("GABBRO_NULL", "adapters=3", TRUE);
  context = context_with ("driver-path", empty_folder, NULL);
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 3);
  g_object_unref (context);
  /* The option wins. */
  context = null_context ("adapters=2");
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 2);
  g_object_unref (context);
}
END_TEST

/* Modules. */

static char *
copy_module (const char *folder, const char *module, const char *name)
{
  const char *build = g_getenv ("top_builddir");
  char *from = g_build_filename (build != NULL ? build : ".", "tests/gpu/.libs", module, NULL);
  char *to = g_strdup_printf ("%s/gabbro-driver-%s.so", folder, name);
  char *contents;
  gsize length;
  GError *error = NULL;

  g_file_get_contents (from, &contents, &length, &error);
  assert_no_error (error);
  g_file_set_contents (to, contents, (gssize) length, &error);
  assert_no_error (error);
  g_free (contents);
  g_free (from);
  return to;
}

static void
expect_message (GabbroContext *context, const char *first, const char *second)
{
  char **messages = gabbro_context_list_messages (context);
  gboolean found = FALSE;

  for (char **message = messages; *message != NULL; message++)
    found = found || (strstr (*message, first) != NULL && strstr (*message, second) != NULL);
  if (!found)
    ck_abort_msg ("no message has “%s” and “%s”, the first is “%s”", first, second, messages[0] != NULL ? messages[0] : "(none)");
  g_strfreev (messages);
}

START_TEST (missing_folder)
{
  GabbroContext *context = context_with ("null", "1", "driver-path", "/nonexistent/folder", NULL);

  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 1);
  expect_message (context, "No driver modules", "/nonexistent/folder");
  g_object_unref (context);
}
END_TEST

START_TEST (broken_modules)
{
  char *folder = g_dir_make_tmp ("gabbro-test-XXXXXX", NULL), *text = g_strconcat (folder, "/gabbro-driver-text.so", NULL);
  char *empty = g_strconcat (folder, "/gabbro-driver-empty.so", NULL), *other = g_strconcat (folder, "/other.so", NULL);
  char *directory = g_strconcat (folder, "/gabbro-driver-folder.so", NULL);
  char *paths[] = {
    copy_module (folder, "broken-driver-abi.so", "abi"), copy_module (folder, "broken-driver-symbol.so", "symbol"),
    copy_module (folder, "broken-driver-probe.so", "probe"), copy_module (folder, "broken-driver-nothing.so", "nothing"), text, empty, other
  };
  GabbroContext *context;
  GError *error = NULL;
  char **drivers;

  ck_assert (g_file_set_contents (text, "This is no module.\n", -1, NULL));
  ck_assert (g_file_set_contents (empty, "", 0, NULL));
  ck_assert (g_file_set_contents (other, "Ignored.\n", -1, NULL));
  ck_assert_int_eq (g_mkdir (directory, 0700), 0);
  context = context_with ("null", "1", "driver-path", folder, NULL);
  /* None hides the others. */
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 1);
  expect_message (context, "“abi”", "was built for interface 4711, this library has");
  expect_message (context, "gabbro-driver-symbol.so", "has no symbol “gabbro_driver”");
  expect_message (context, "“probe”", "the probe fails by request");
  expect_message (context, "“text”", "cannot be loaded");
  expect_message (context, "“empty”", "cannot be loaded");
  expect_message (context, "“folder”", "cannot be loaded");
  ck_assert_uint_eq (count_validation_messages (context, FALSE), 6);
  drivers = gabbro_context_list_drivers (context);
  ck_assert (g_strv_contains ((const char *const *) drivers, "null"));
  ck_assert (g_strv_contains ((const char *const *) drivers, "nothing"));
  g_strfreev (drivers);
  ck_assert_ptr_null (gabbro_context_open_device (context, "nothing", &error));
  assert_message (error, "No adapter fits “nothing”; there are: “Null 0”. ");
  assert_message (error, "the probe fails by request.");
  assert_message (error, "was built for interface 4711");
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  g_object_unref (context);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_unlink (paths[i]);
      g_free (paths[i]);
    }
  g_rmdir (directory);
  g_free (directory);
  g_rmdir (folder);
  g_free (folder);
}
END_TEST

START_TEST (no_adapter)
{
  GabbroContext *context = context_with ("driver-path", empty_folder, NULL);
  char *reason = (char *) "untouched";
  GError *error = NULL;

  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 0);
  ck_assert_ptr_null (gabbro_context_get_adapter (context, 0));
  ck_assert_ptr_null (gabbro_context_select_adapter (context, NULL, &reason, &error));
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  ck_assert_ptr_null (gabbro_context_select_adapter (context, "x\xff", &reason, &error));
  ck_assert (g_utf8_validate (error->message, -1, NULL));
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  ck_assert_str_eq (reason, "untouched");
  g_object_unref (context);
}
END_TEST

/* Selection. */

static void
expect_selection (GabbroContext *context, const char *wanted, const char *path, const char *why)
{
  char *reason = NULL;
  GError *error = NULL;
  GabbroAdapter *adapter = gabbro_context_select_adapter (context, wanted, &reason, &error);

  assert_no_error (error);
  ck_assert_str_eq (gabbro_adapter_get_path (adapter), path);
  ck_assert_ptr_nonnull (strstr (reason, why));
  g_free (reason);
}

/* What the steps are, "rule: paths" each; the choice itself is the last word. */
static void
expect_explanation (GabbroContext *context, const char *wanted, const char *expected)
{
  GVariant *steps = gabbro_context_explain_selection (context, wanted), *step;
  GabbroAdapter *adapter = gabbro_context_select_adapter (context, wanted, NULL, NULL);
  GString *text = g_string_new (NULL);
  char *last = NULL;
  GVariantIter iter;

  ck_assert (g_variant_is_of_type (steps, G_VARIANT_TYPE ("aa{sv}")));
  ck_assert (!g_variant_is_floating (steps));
  g_variant_iter_init (&iter, steps);
  while ((step = g_variant_iter_next_value (&iter)) != NULL)
    {
      GVariant *paths = g_variant_lookup_value (step, "adapters", G_VARIANT_TYPE_STRING_ARRAY);
      const char *rule, *why;
      ck_assert (g_variant_lookup (step, "rule", "&s", &rule));
      ck_assert (g_variant_lookup (step, "text", "&s", &why));
      ck_assert (g_utf8_validate (why, -1, NULL) && why[0] != '\0');
      g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", rule);
      if (paths != NULL)
        {
          const char **list = g_variant_get_strv (paths, NULL);
          char *joined = g_strjoinv (" ", (char **) list);
          g_string_append_printf (text, ": %s", joined);
          g_free (last);
          last = g_strdup (list[0]);
          g_free (joined);
          g_free (list);
          g_variant_unref (paths);
        }
      g_variant_unref (step);
    }
  ck_assert_str_eq (text->str, expected);
  ck_assert_pstr_eq (last, adapter != NULL ? gabbro_adapter_get_path (adapter) : NULL);
  g_free (last);
  g_string_free (text, TRUE);
  g_variant_unref (steps);
}

START_TEST (explanation)
{
  GabbroContext *context;

  g_unsetenv ("MESA_VK_DEVICE_SELECT");
  g_setenv ("GABBRO_NULL", "adapters=2", TRUE);
  context = context_with ("driver-path", empty_folder, NULL);
  expect_explanation (context, NULL, "option; mesa; usable: /adapters/null0 /adapters/null1; kind: /adapters/null0 /adapters/null1; "
                                     "memory: /adapters/null0 /adapters/null1; order: /adapters/null0");
  expect_explanation (context, "null1", "wanted; path: /adapters/null1");
  expect_explanation (context, "nonsense", "wanted; path: ; uuid: ; pci-address: ; driver: ; name: ");
  expect_explanation (context, "\xff", "wanted");
  g_setenv ("MESA_VK_DEVICE_SELECT", "1:1", TRUE);
  expect_explanation (context, NULL, "option; mesa; ids: ; usable: /adapters/null0 /adapters/null1; kind: /adapters/null0 /adapters/null1; "
                                     "memory: /adapters/null0 /adapters/null1; order: /adapters/null0");
  g_unsetenv ("MESA_VK_DEVICE_SELECT");
  g_object_unref (context);
  context = context_with ("driver-path", empty_folder, "device", "Null 1", NULL);
  expect_explanation (context, NULL, "option; path: ; uuid: ; pci-address: ; driver: ; name: /adapters/null1");
  expect_explanation (context, "null0", "wanted; path: /adapters/null0");
  g_object_unref (context);
}
END_TEST

START_TEST (selection)
{
  GabbroContext *context = null_context ("adapters=3");
  GabbroAdapter *second = gabbro_context_get_adapter (context, 1);
  GabbroDevice *device;

  expect_selection (context, NULL, "/adapters/null0", "the best adapter");
  expect_selection (context, "null2", "/adapters/null2", "asked for");
  expect_selection (context, "/adapters/null1", "/adapters/null1", "asked for");
  expect_selection (context, "null 1", "/adapters/null1", "asked for");
  expect_selection (context, gabbro_adapter_get_uuid (second), "/adapters/null1", "asked for");
  ck_assert_str_eq (gabbro_adapter_get_name (second), "Null 1");
  ck_assert_str_eq (gabbro_adapter_get_driver (second), "null");
  ck_assert_int_eq (gabbro_adapter_get_kind (second), GABBRO_ADAPTER_CPU);
  ck_assert_uint_eq (gabbro_adapter_get_memory_size (second), 1 << 30);
  ck_assert_ptr_null (gabbro_adapter_get_pci_address (second));
  ck_assert_ptr_null (gabbro_adapter_dup_twin (second));
  ck_assert_ptr_null (gabbro_adapter_get_unusable_reason (second));
  assert_given (gabbro_adapter_dup_context (second), context);
  device = open_device (context, "null1");
  ck_assert_ptr_eq (gabbro_device_get_adapter (device), second);
  ck_assert_ptr_eq (gabbro_device_get_context (device), context);
  g_object_unref (device);
  g_object_unref (context);
  context = context_with ("null", "adapters=2", "driver-path", empty_folder, "device", "null1", NULL);
  expect_selection (context, NULL, "/adapters/null1", "GABBRO_DEVICE");
  expect_selection (context, "null0", "/adapters/null0", "asked for");
  g_object_unref (context);
  g_setenv ("GABBRO_DEVICE", "null1", TRUE);
  context = null_context ("adapters=2");
  expect_selection (context, NULL, "/adapters/null1", "GABBRO_DEVICE");
  g_object_unref (context);
  /* What the user wants and is not there is an error, not something else. */
  g_setenv ("GABBRO_DEVICE", "radeon", TRUE);
  context = null_context ("adapters=2");
  {
    GError *error = NULL;
    ck_assert_ptr_null (gabbro_context_open_device (context, NULL, &error));
    assert_message (error, "radeon");
    assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  }
  g_object_unref (context);
}
END_TEST

/* An adapter that outlives its context. */
START_TEST (orphan)
{
  GabbroContext *context = null_context ("1");
  GabbroAdapter *adapter = g_object_ref (gabbro_context_get_adapter (context, 0));
  GError *error = NULL;

  g_object_unref (context);
  ck_assert_ptr_null (gabbro_adapter_dup_context (adapter));
  ck_assert_str_eq (gabbro_adapter_get_name (adapter), "Null 0");
  ck_assert_ptr_null (gabbro_adapter_open (adapter, &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_STATE);
  g_object_unref (adapter);
}
END_TEST

START_TEST (mesa_select)
{
  struct device_test test;
  char *reason = NULL;

  g_setenv ("GABBRO_NULL", "1", TRUE);
  test = device_test_begin ();
  /* What llvmpipe says of itself. */
  g_setenv ("MESA_VK_DEVICE_SELECT", "10005:0", TRUE);
  ck_assert_str_eq (gabbro_adapter_get_path (gabbro_context_select_adapter (test.context, NULL, &reason, NULL)), "/adapters/vulkan0");
  ck_assert_ptr_nonnull (strstr (reason, "MESA_VK_DEVICE_SELECT"));
  g_free (reason);
  device_test_end (&test);
}
END_TEST

/* The same device through two drivers: both are there, and the second names the first. */
START_TEST (twins)
{
  const char *first = g_getenv ("VK_DRIVER_FILES");
  char *second = NULL, *both, *contents;
  GabbroContext *context;
  GabbroAdapter *adapters[2];
  GabbroDevice *devices[2];
  gint file;

  ck_assert_ptr_nonnull (first);
  ck_assert (g_file_get_contents (first, &contents, NULL, NULL));
  file = g_file_open_tmp ("twin-XXXXXX.json", &second, NULL);
  ck_assert_int_ge (file, 0);
  g_close (file, NULL);
  ck_assert (g_file_set_contents (second, contents, -1, NULL));
  both = g_strdup_printf ("%s:%s", first, second);
  g_setenv ("VK_DRIVER_FILES", both, TRUE);
  g_setenv ("VK_ICD_FILENAMES", both, TRUE);
  context = vulkan_context ("reference", "0", NULL);
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 2);
  for (guint i = 0; i < 2; i++)
    {
      adapters[i] = gabbro_context_get_adapter (context, i);
      devices[i] = gabbro_adapter_open (adapters[i], NULL);
      ck_assert_ptr_nonnull (devices[i]);
    }
  ck_assert_ptr_null (gabbro_adapter_dup_twin (adapters[0]));
  assert_given (gabbro_adapter_dup_twin (adapters[1]), adapters[0]);
  ck_assert_str_eq (gabbro_adapter_get_uuid (adapters[0]), gabbro_adapter_get_uuid (adapters[1]));
  g_object_unref (devices[0]);
  g_object_unref (devices[1]);
  assert_silent (context);
  g_object_unref (context);
  g_unlink (second);
  g_free (second);
  g_free (both);
  g_free (contents);
}
END_TEST

/* The tree. */

static GabbroAttribute *
find_attribute (GPtrArray *attributes, const char *name)
{
  for (guint i = 0; i < attributes->len; i++)
    if (strcmp (gabbro_attribute_get_name (attributes->pdata[i]), name) == 0)
      return attributes->pdata[i];
  ck_abort_msg ("no attribute “%s”", name);
  return NULL;
}

START_TEST (tree)
{
  struct device_test test = null_test_begin ("queues=2,max-image-2d=77");
  char **nodes = gabbro_context_list_nodes (test.context, "/", NULL);
  GError *error = NULL;
  GPtrArray *attributes;
  GabbroAttribute *attribute;
  GVariant *value;
  char *path;

  ck_assert_uint_eq (g_strv_length (nodes), 1);
  ck_assert_str_eq (nodes[0], "/adapters");
  g_strfreev (nodes);
  path = g_strconcat (gabbro_device_get_path (test.device), "/queues", NULL);
  nodes = gabbro_context_list_nodes (test.context, path, &error);
  ck_assert_uint_eq (g_strv_length (nodes), 2);
  g_strfreev (nodes);
  g_free (path);
  attributes = gabbro_context_list_attributes (test.context, "/adapters/null0", &error);
  assert_no_error (error);
  attribute = gabbro_attribute_ref (find_attribute (attributes, "max-image-2d"));
  ck_assert_str_eq (gabbro_attribute_get_group (attribute), "limits");
  ck_assert_str_eq (gabbro_attribute_get_group_title (attribute), "Limits");
  ck_assert_ptr_nonnull (gabbro_attribute_get_description (attribute));
  ck_assert_str_eq (gabbro_attribute_get_unit (attribute), "texels");
  ck_assert (!gabbro_attribute_is_writable (attribute));
  ck_assert_uint_eq (g_variant_get_uint64 (gabbro_attribute_get_value (attribute)), 77);
  /* Absent, which is no error. */
  ck_assert_ptr_null (gabbro_attribute_get_value (find_attribute (attributes, "subgroup-size")));
  g_ptr_array_unref (attributes);
  ck_assert_str_eq (gabbro_attribute_get_name (attribute), "max-image-2d");
  gabbro_attribute_unref (attribute);
  value = gabbro_context_get_attribute (test.context, "/adapters/null0", "limits.subgroup-size", &error);
  assert_no_error (error);
  ck_assert_ptr_null (value);
  value = gabbro_context_get_attribute (test.context, "/adapters/null0", "name", &error);
  ck_assert_str_eq (g_variant_get_string (value, NULL), "Null 0");
  g_variant_unref (value);

  ck_assert_ptr_null (gabbro_context_get_attribute (test.context, "/adapters/null0", "nme", &error));
  assert_message (error, "“nme”");
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  ck_assert_ptr_null (gabbro_context_get_attribute (test.context, "/adapters/null7", "name", &error));
  assert_message (error, "/adapters/null7");
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  ck_assert_ptr_null (gabbro_context_list_attributes (test.context, "", &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  ck_assert_ptr_null (gabbro_context_list_nodes (test.context, "/x", &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  ck_assert (!gabbro_context_set_attribute (test.context, "/adapters/null0", "name", g_variant_new_string ("x"), &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert (!gabbro_context_set_attribute (test.context, "/adapters/null0", "memory-size", g_variant_new_string ("x"), &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert (!gabbro_context_set_attribute (test.context, "/adapters/null0", "nme", g_variant_new_string ("x"), &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  ck_assert (!gabbro_context_set_attribute (test.context, "/nowhere", "name", g_variant_new_string ("x"), &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  device_test_end (&test);
}
END_TEST

/* Nodes come and go with their objects. */
START_TEST (nodes_go)
{
  GabbroContext *context = null_context ("1");
  GabbroDevice *device = open_device (context, NULL);
  char *path = g_strdup (gabbro_device_get_path (device)), *streams = g_strconcat (path, "/streams", NULL), **nodes;
  GabbroStream *stream = new_stream (device, NULL);
  GabbroQueue *queue = g_object_ref (gabbro_device_get_queue (device, 0));
  GError *error = NULL;

  ck_assert_ptr_null (gabbro_device_get_queue (device, 1));
  ck_assert_uint_eq (gabbro_device_get_n_queues (device), 1);
  ck_assert_int_eq (gabbro_queue_get_flags (queue), GABBRO_QUEUE_CAN_COMPUTE | GABBRO_QUEUE_CAN_TRANSFER);
  nodes = gabbro_context_list_nodes (context, streams, NULL);
  ck_assert_uint_eq (g_strv_length (nodes), 1);
  g_strfreev (nodes);
  g_object_unref (stream);
  nodes = gabbro_context_list_nodes (context, streams, NULL);
  ck_assert_uint_eq (g_strv_length (nodes), 0);
  g_strfreev (nodes);
  g_object_unref (device);
  ck_assert_ptr_null (gabbro_queue_dup_device (queue));
  ck_assert_ptr_null (gabbro_context_list_nodes (context, path, &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  g_object_unref (queue);
  g_object_unref (context);
  g_free (path);
  g_free (streams);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("context");
  TCase *test_case = null_test_case (suite, "context"), *device = null_test_case (suite, "device");

  tcase_add_test (test_case, options);
  tcase_add_test (test_case, bad_settings);
  tcase_add_test (test_case, environment);
  tcase_add_test (test_case, missing_folder);
  tcase_add_test (test_case, broken_modules);
  tcase_add_test (test_case, no_adapter);
  tcase_add_test (test_case, selection);
  tcase_add_test (test_case, explanation);
  tcase_add_test (test_case, orphan);
  tcase_add_test (test_case, tree);
  tcase_add_test (test_case, nodes_go);
  tcase_set_tags (device, "device");
  tcase_add_test (device, mesa_select);
  tcase_add_test (device, twins);
  return suite;
}

GB_TEST_MAIN (make_suite)
