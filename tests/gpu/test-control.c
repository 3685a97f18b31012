/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The control: a barrier that is left out must be seen by the synchronisation
 * validation, or the silence of all other tests would mean nothing. */

#include "config.h"

#include "tests/gpu/device-test.h"

static const char source[] =
  "kernel(64) void add_one(const buffer<uint> from, buffer<uint> to) { uint i = global_id.x; to[i] = from[i] + 1; }\n";

/* Messages after two dispatches that depend on each other, or a copy that depends on a dispatch. */
static guint
count_messages (const char *drop, gboolean copy, gboolean frozen)
{
  GabbroContext *context = drop != NULL ? vulkan_context ("drop-barrier", drop, NULL) : vulkan_context (NULL, NULL);
  struct device_test test = device_test_on (context, "vulkan");
  GabbroShader *shader = new_shader (test.device, source, NULL);
  GabbroBuffer *a = new_buffer (test.device, "uint", 1024), *b = new_buffer (test.device, "uint", 1024), *c = new_buffer (test.device, "uint", 1024);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;
  guint n;

  gabbro_command_list_run (list, shader, 1024, 1, 1, &error, "from", a, "to", b, NULL);
  assert_no_error (error);
  if (copy)
    gabbro_command_list_copy_buffer (list, b, 0, c, 0, 4096, &error);
  else
    gabbro_command_list_run (list, shader, 1024, 1, 1, &error, "from", b, "to", c, NULL);
  assert_no_error (error);
  if (frozen)
    ck_assert (gabbro_command_list_freeze (list, NULL, &error));
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  submit_list (test.stream, list);
  synchronize (test.stream);
  n = count_validation_messages (context, drop == NULL);
  if (n > 0)
    {
      char **messages = gabbro_context_list_messages (context);
      ck_assert_ptr_nonnull (strstr (messages[0], "SYNC-HAZARD"));
      g_strfreev (messages);
    }
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (c);
  g_object_unref (shader);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (context);
  return n;
}

START_TEST (with_all_barriers)
{
  ck_assert_uint_eq (count_messages (NULL, _i & 1, _i & 2), 0);
}
END_TEST

START_TEST (with_one_less)
{
  ck_assert_msg (count_messages ("1", _i & 1, _i & 2) > 0, "the synchronisation validation says nothing");
}
END_TEST

/* Another barrier than the one there is. */
START_TEST (with_none_to_drop)
{
  ck_assert_uint_eq (count_messages ("2", FALSE, FALSE), 0);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("control");
  TCase *test_case = gb_test_case (suite, "control");

  tcase_add_loop_test (test_case, with_all_barriers, 0, 4);
  tcase_add_loop_test (test_case, with_one_less, 0, 4);
  tcase_add_test (test_case, with_none_to_drop);
  return suite;
}

GB_TEST_MAIN (make_suite)
