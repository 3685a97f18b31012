/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The control: a barrier that is left out must be seen by the synchronisation
 * validation, or the silence of all other tests would mean nothing. */

#include "config.h"

#include "tests/gpu/device-test.h"

#define LENGTH 1024

static const char source[] =
  "kernel(64) void write(buffer<uint> a) { a[global_id.x] = global_id.x; }\n"
  "kernel(64) void read(const buffer<uint> a, buffer<uint> b) { b[global_id.x] = a[global_id.x] + 1; }\n";

/* Two dispatches that write are no pair: the layers keep quiet where descriptors name what is
 * written twice, because the parts may differ. */
static const struct
{
  const char *first, *second, *hazard;
} pairs[] = {
  { "write", "read", "READ-AFTER-WRITE" },
  { "read", "write", "WRITE-AFTER-READ" },
  { "fill", "write", "WRITE-AFTER-WRITE" },
  { "fill", "read", "READ-AFTER-WRITE" },
  { "write", "copy", "READ-AFTER-WRITE" },
  { "read", "fill", "WRITE-AFTER-READ" },
  { "fill", "copy", "READ-AFTER-WRITE" },
};

#define N_RUNS (2 * (int) G_N_ELEMENTS (pairs))    /* each as a list that runs once, and frozen */

/* "write" and "fill" write `a`; "read" and "copy" read it and write `b`. */
static void
record (GabbroCommandList *list, const char *command, GabbroBuffer *a, GabbroBuffer *b)
{
  GabbroDevice *device = gabbro_command_list_get_device (list);
  GError *error = NULL;

  if (strcmp (command, "fill") == 0)
    gabbro_command_list_fill (list, a, 0, gabbro_buffer_get_size (a), 1, &error);
  else if (strcmp (command, "copy") == 0)
    gabbro_command_list_copy_buffer (list, a, 0, b, 0, gabbro_buffer_get_size (a), &error);
  else
    {
      GabbroShader *shader = new_shader (device, source, command);

      gabbro_command_list_run (list, shader, LENGTH, 1, 1, &error, "a", a, strcmp (command, "read") == 0 ? "b" : NULL, b, NULL);
      g_object_unref (shader);
    }
  assert_no_error (error);
}

/* All messages are about this hazard: the barrier that was left out is at fault, nothing else. */
static guint
count_hazards (GabbroContext *context, const char *hazard)
{
  char **messages = gabbro_context_list_messages (context);
  guint n = 0;

  for (; messages[n] != NULL; n++)
    ck_assert_msg (strstr (messages[n], "SYNC-HAZARD") != NULL && strstr (messages[n], hazard) != NULL, "no %s: %s", hazard,
                   messages[n]);
  g_strfreev (messages);
  return n;
}

/* What validation says of two commands of which the second depends on the first. */
static guint
hazards_of (const char *drop, int run)
{
  GabbroContext *context = drop != NULL ? vulkan_context ("drop-barrier", drop, NULL) : vulkan_context (NULL, NULL);
  struct device_test test = device_test_on (context, "vulkan");
  GabbroBuffer *a = new_buffer (test.device, "uint", LENGTH), *b = new_buffer (test.device, "uint", LENGTH);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;
  guint n_hazards;

  record (list, pairs[run / 2].first, a, b);
  record (list, pairs[run / 2].second, a, b);
  if (run % 2 == 1)
    gabbro_command_list_freeze (list, NULL, &error);
  assert_no_error (error);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  submit_list (test.stream, list);
  synchronize (test.stream);
  n_hazards = count_hazards (context, pairs[run / 2].hazard);
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (context);
  return n_hazards;
}

START_TEST (with_all_barriers)
{
  ck_assert_uint_eq (hazards_of (NULL, _i), 0);
}
END_TEST

START_TEST (with_one_less)
{
  ck_assert_msg (hazards_of ("1", _i) > 0, "the synchronisation validation says nothing");
}
END_TEST

/* Another barrier than the one there is. */
START_TEST (with_none_to_drop)
{
  ck_assert_uint_eq (hazards_of ("2", _i), 0);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("control");
  TCase *test_case = gb_test_case (suite, "control");

  tcase_add_loop_test (test_case, with_all_barriers, 0, N_RUNS);
  tcase_add_loop_test (test_case, with_one_less, 0, N_RUNS);
  tcase_add_test (test_case, with_none_to_drop);
  return suite;
}

GB_TEST_MAIN (make_suite)
