/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lives as garbage collectors make them: the end in any thread and in any order, dispose before the end, thousands of
 * objects between two collections, a process that forks or exits in the middle. */

#include "config.h"

#include "tests/gpu/device-test.h"

#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* One of each class, with work in flight, handlers and news that nobody has been told. */

#define N_OBJECTS 13

struct family
{
  gpointer objects[N_OBJECTS];
  GabbroContext *context;
  GabbroAdapter *adapter;
  GabbroDevice *device;
  GabbroStream *stream;
  GabbroEvent *event;
  GabbroBuffer *buffer;
  GabbroCommandList *list;
};

static guint n_emissions;

static void
on_anything (void)
{
  n_emissions++;
}

static void
listen_to (gpointer object, const char *signal)
{
  g_signal_connect (object, signal, G_CALLBACK (on_anything), NULL);
}

static void
fill_family (struct family *family, GError **error)
{
  static const char source[] = "kernel(1) void f (buffer<uint> a) { a[0] = 1u; }";
  GabbroModule *module = gabbro_module_new_from_source ("m", source, -1, error);
  GabbroKernel *kernel = gabbro_module_get_kernel (module, "f", error);
  gpointer objects[N_OBJECTS] = {
    family->context, g_object_ref (family->adapter), family->device, g_object_ref (gabbro_device_get_queue (family->device, 0)),
    family->stream, family->event, family->buffer, gabbro_buffer_map (family->buffer, GABBRO_MAP_READ, error),
    gabbro_image_new_2d (family->device, GABBRO_FORMAT_RGBA8_UNORM, 4, 4, error), module, kernel,
    gabbro_shader_new (family->device, kernel, GABBRO_COMPILE_DEFAULT, 0, error), family->list,
  };

  memcpy (family->objects, objects, sizeof objects);
}

static struct family
family_new (const char *settings)
{
  struct family family;
  GError *error = NULL;
  GabbroBuffer *busy;

  family.context = null_context (settings);
  family.adapter = gabbro_context_get_adapter (family.context, 0);
  family.device = open_device (family.context, "null");
  family.stream = new_stream (family.device, NULL);
  family.event = new_event (family.device);
  family.buffer = new_buffer (family.device, "uint", 16);
  busy = new_buffer (family.device, "uint", 16);
  family.list = fill_list (family.device, busy, 1);
  g_object_unref (busy);
  fill_family (&family, &error);
  assert_no_error (error);
  listen_to (family.context, "message");
  listen_to (family.device, "lost");
  listen_to (family.stream, "notify::failure");
  listen_to (family.event, "completed");
  listen_to (family.list, "completed");
  ck_assert (gabbro_command_list_freeze (family.list, NULL, &error));
  for (guint i = 0; i < 3; i++)
    submit (family.stream, family.list);
  gabbro_stream_signal (family.stream, family.event, 10, &error);
  assert_no_error (error);
  return family;
}

static gpointer
drop (gpointer object)
{
  g_object_unref (object);
  return NULL;
}

/* Each of them in a thread of its own that has never seen it. */
static void
drop_family (struct family *family, guint first, guint step)
{
  for (guint i = 0; i < N_OBJECTS; i++)
    g_thread_join (g_thread_new ("drop", drop, family->objects[(first + i * step) % N_OBJECTS]));
}

static void
iterate (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    continue;
}

/* A list that waits to be told of keeps its device, so the end of all is when the main context has told it. */
static void
iterate_until_gone (gpointer *weak)
{
  gint64 end = g_get_monotonic_time () + soon (20 * SECOND);

  while (*weak != NULL && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (200);
  ck_assert_ptr_null (*weak);
}

START_TEST (other_threads)
{
  static const guint steps[] = { 1, 12, 5, 7 };

  for (guint first = 0; first < N_OBJECTS; first++)
    {
      struct family family = family_new (first % 2 == 0 ? "delay=1000" : "1");
      gpointer weak = family.device;

      g_object_add_weak_pointer (family.objects[2], &weak);
      drop_family (&family, first, steps[_i]);
      iterate_until_gone (&weak);
    }
  iterate ();
}
END_TEST

/* Handlers go with dispose; what they waited for happens all the same. */
START_TEST (disposed_before_news)
{
  struct family family = family_new ("delay=2000");
  GError *error = NULL;

  for (guint i = 0; i < N_OBJECTS; i++)
    g_object_run_dispose (family.objects[i]);
  ck_assert (gabbro_event_synchronize (family.event, 10, 60 * SECOND, &error));
  assert_no_error (error);
  gabbro_event_signal (family.event, 20, &error);
  assert_no_error (error);
  iterate ();
  ck_assert_uint_eq (n_emissions, 0);
  drop_family (&family, 0, 1);
  iterate ();
}
END_TEST

static guint64
read_attribute (GabbroContext *context, GabbroDevice *device, const char *name)
{
  GError *error = NULL;
  GVariant *value = gabbro_context_get_attribute (context, gabbro_device_get_path (device), name, &error);
  guint64 number;

  assert_no_error (error);
  number = g_variant_get_uint64 (value);
  g_variant_unref (value);
  return number;
}

#define N_BUFFERS   10000
#define BUFFER_SIZE 65536

/* So many buffers, each dropped while a submission uses it. */
static void
use_buffers (struct device_test *test, guint n)
{
  GError *error = NULL;

  for (guint i = 0; i < n; i++)
    {
      GabbroBuffer *buffer = gabbro_buffer_new_bytes (test->device, BUFFER_SIZE, &error);
      GabbroCommandList *list = new_list (test->device);

      assert_no_error (error);
      gabbro_command_list_fill (list, buffer, 0, 64, i, &error);
      assert_no_error (error);
      submit_list (test->stream, list);
      g_object_unref (buffer);
      /* Programs that never wait run ahead without a limit; collectors do not. */
      if (i % 100 == 99)
        synchronize (test->stream);
    }
  synchronize (test->stream);
}

/* Nobody waits for the watcher to drop what nobody waits for. Staging memory may be kept for later. */
static void
await_release (struct device_test *test)
{
  gint64 end = g_get_monotonic_time () + soon (20 * SECOND);

  while (read_attribute (test->context, test->device, "allocated") >= 10 * BUFFER_SIZE && g_get_monotonic_time () < end)
    g_usleep (1000);
  ck_assert_uint_lt (read_attribute (test->context, test->device, "allocated"), 10 * BUFFER_SIZE);
}

/* Memory does not grow with their number: neither the device's nor the host's. */
START_TEST (many_buffers)
{
  struct device_test test = _i == 0 ? null_test_begin ("1") : device_test_on (context_with (NULL, NULL), "vulkan");
  gsize in_use;

  use_buffers (&test, rounds (N_BUFFERS));
  await_release (&test);
  in_use = mallinfo2 ().uordblks + mallinfo2 ().hblkhd;
  use_buffers (&test, rounds (N_BUFFERS));
  await_release (&test);
  /* A sanitizer's allocator answers nothing. */
  ck_assert_uint_le (mallinfo2 ().uordblks + mallinfo2 ().hblkhd, in_use + 1024 * 1024);
  device_test_end (&test);
}
END_TEST

static gsize
read_resident (void)
{
  char *text = NULL;
  gsize pages = 0;

  ck_assert (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  ck_assert_int_eq (sscanf (text, "%*u %zu", &pages), 1);
  g_free (text);
  return pages * (gsize) sysconf (_SC_PAGESIZE);
}

/* Objects that are made and dropped with handlers in a main context that is never run. */
START_TEST (many_listeners)
{
  GMainContext *never_run = g_main_context_new ();
  struct device_test test;
  gsize in_use = 0, resident = 0;

  g_main_context_push_thread_default (never_run);
  test = null_test_begin ("1");
  for (guint i = 0; i < rounds (11000); i++)
    {
      GabbroEvent *event = new_event (test.device);
      GabbroStream *stream = new_stream (test.device, NULL);

      listen_to (event, "notify::value");
      listen_to (stream, "notify::failure");
      gabbro_event_signal (event, 1, NULL);
      g_object_unref (stream);
      g_object_unref (event);
      if (i == rounds (1000))
        {
          in_use = mallinfo2 ().uordblks;
          resident = read_resident ();
        }
    }
  ck_assert_uint_le (mallinfo2 ().uordblks, in_use + 256 * 1024);
  /* Where the allocator answers nothing, it is one that keeps what was freed to find its uses. */
  if (in_use > 0)
    ck_assert_uint_le (read_resident (), resident + 16 * 1024 * 1024);
  device_test_end (&test);
  g_main_context_pop_thread_default (never_run);
  g_main_context_unref (never_run);
}
END_TEST

/* A process that ends in the midst of things leaves them. */
static gboolean leaks_are_meant;

__attribute__ ((visibility ("default"))) int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return leaks_are_meant;
}

/* Ends the child: with 0 if `work` has found nothing wrong. */
static void
check_child (pid_t child, gboolean (*work) (struct family *family), struct family *family)
{
  gint64 start = g_get_monotonic_time ();
  int status;

  if (child == 0)
    {
      leaks_are_meant = TRUE;
      signal (SIGALRM, SIG_DFL);
      alarm (20);
      _exit (work (family) ? 0 : 1);
    }
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  ck_assert_msg (WIFEXITED (status) && WEXITSTATUS (status) == 0, "the child ended with status %#x", status);
  ck_assert_int_lt (g_get_monotonic_time () - start, soon (15 * SECOND));
}

/* Everything can be asked, nothing happens, and the main context can be run. */
static gboolean
use_in_child (struct family *family)
{
  GError *error = NULL;
  gboolean right;
  gpointer item;

  n_emissions = 0;
  for (guint i = 0; i < N_OBJECTS; i++)
    {
      guint n;
      GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (family->objects[i]), &n);

      for (guint j = 0; j < n; j++)
        {
          GValue value = G_VALUE_INIT;

          g_value_init (&value, specs[j]->value_type);
          g_object_get_property (family->objects[i], specs[j]->name, &value);
          g_value_unset (&value);
        }
      g_free (specs);
    }
  right = !gabbro_context_rescan (family->context, &error) && g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_PROCESS);
  g_clear_error (&error);
  right = right && !gabbro_event_signal (family->event, 30, &error) && g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_PROCESS);
  g_clear_error (&error);
  item = g_list_model_get_item (G_LIST_MODEL (family->context), 0);
  right = right && item == family->adapter && g_list_model_get_n_items (G_LIST_MODEL (family->context)) == 1;
  g_object_unref (item);
  for (guint i = 0; i < N_OBJECTS; i++)
    g_object_unref (family->objects[i]);
  return right && n_emissions == 0;
}

START_TEST (forked)
{
  for (guint i = 0; i < 5; i++)
    {
      struct family family = family_new (i % 2 == 0 ? "delay=20000" : "1");
      gpointer weak = family.device;

      /* With news on their way and without. */
      g_usleep (2000 * i);
      check_child (fork (), use_in_child, &family);
      n_emissions = 0;
      g_object_add_weak_pointer (family.objects[2], &weak);
      gabbro_stream_synchronize (family.stream, -1, NULL);
      iterate ();
      ck_assert_uint_ge (n_emissions, 4);
      drop_family (&family, 0, 1);
      iterate_until_gone (&weak);
    }
}
END_TEST

static gboolean
exit_with_work (struct family *family)
{
  family_new ("delay=10000000");
  n_emissions = 0;
  exit (0);
}

/* And one with news that nobody has been told. */
static gboolean
exit_with_news (struct family *family)
{
  struct family own = family_new ("1");

  gabbro_stream_synchronize (own.stream, -1, NULL);
  exit (0);
}

static gint function_state;

static void
take_time (G_GNUC_UNUSED const GError *error, G_GNUC_UNUSED gpointer data)
{
  g_atomic_int_set (&function_state, 1);
  g_usleep (100000);
  g_atomic_int_set (&function_state, 2);
}

/* Registered before the library has loaded anything, and so called after what it does at the end. */
static void
look_at_function (void)
{
  if (g_atomic_int_get (&function_state) != 2)
    _exit (1);
}

/* The watcher is at work, and libraries that it may be in are not taken away under it. */
static gboolean
exit_under_the_watcher (struct family *family)
{
  struct device_test test;
  GabbroCommandList *list;

  atexit (look_at_function);
  test = null_test_begin ("1");
  list = new_list (test.device);
  gabbro_command_list_add_completion (list, take_time, NULL, NULL, NULL);
  submit_list (test.stream, list);
  while (g_atomic_int_get (&function_state) == 0)
    g_usleep (100);
  exit (0);
}

START_TEST (exits)
{
  check_child (fork (), exit_with_work, NULL);
  check_child (fork (), exit_with_news, NULL);
  check_child (fork (), exit_under_the_watcher, NULL);
}
END_TEST

/* A device that is closed with work in flight is destroyed behind the scenes: just then, or before, or
 * after, the process ends. */
static gboolean
exit_under_the_end_of_a_device (struct family *family)
{
  struct device_test test = device_test_on (context_with (NULL, NULL), "vulkan");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 1000000);
  guint delay = GPOINTER_TO_UINT (family);

  submit_list (test.stream, fill_list (test.device, buffer, 1));
  g_object_unref (buffer);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (test.context);
  g_usleep (delay);
  exit (0);
}

/* Threads of llvmpipe are at a kernel when the process ends. */
static gboolean
exit_under_a_kernel (struct family *family)
{
  struct device_test test = device_test_on (context_with (NULL, NULL), "vulkan");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 64);
  GabbroShader *shader = new_shader (test.device,
                                     "kernel(8) void k(buffer<uint> a) { uint x = 0u; for (uint i = 0u; i < 3000000u; i++) x = x * 3u + i;"
                                     " a[global_id.x] = x; }", "k");
  GabbroCommandList *list = new_list (test.device);

  gabbro_command_list_set_shader (list, shader, NULL);
  gabbro_command_list_set_buffer (list, 0, buffer, NULL);
  gabbro_command_list_dispatch (list, 64, 1, 1, NULL);
  submit_list (test.stream, list);
  g_usleep (GPOINTER_TO_UINT (family));
  exit (0);
}

START_TEST (exits_on_a_device)
{
  for (guint i = 0; i < rounds (10); i++)
    check_child (fork (), exit_under_a_kernel, GUINT_TO_POINTER (i * 1000));
  for (guint i = 0; i < rounds (30); i++)
    check_child (fork (), exit_under_the_end_of_a_device, GUINT_TO_POINTER (i % 10 * 500));
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("lifetime");
  TCase *test_case = null_test_case (suite, "lifetime"), *device = null_test_case (suite, "device");
  TCase *leaks = null_test_case (suite, "leaks");

  tcase_add_loop_test (test_case, other_threads, 0, 4);
  tcase_add_test (test_case, disposed_before_news);
  tcase_add_loop_test (test_case, many_buffers, 0, 1);
  tcase_add_test (test_case, many_listeners);
  tcase_set_tags (device, "device");
  tcase_add_test (device, exits_on_a_device);
  tcase_add_loop_test (device, many_buffers, 1, 2);
  /* As in test-failure: a child leaves alone what belongs to its parent's device. */
  tcase_set_tags (leaks, "leaks");
  tcase_add_test (leaks, forked);
  tcase_add_test (leaks, exits);
  return suite;
}

GB_TEST_MAIN (make_suite)
