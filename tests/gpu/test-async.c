/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that do not block: they complete in the main context of their caller, on no thread of their
 * own, can be cancelled at any time, and need nobody to keep what they work on. */

#include "config.h"

#include <unistd.h>

#include "tests/gpu/device-test.h"

#define SOURCE "kernel(8) void twice(buffer<uint> a) { a[global_id.x] = a[global_id.x] * 2u; }"

/* A call that is on its way. */
struct call
{
  GAsyncResult *result;
  GObject *source;
  GThread *thread;
  guint n_calls;
};

static void
on_done (GObject *source, GAsyncResult *result, gpointer data)
{
  struct call *call = data;

  call->n_calls++;
  call->thread = g_thread_self ();
  g_set_object (&call->source, source);
  g_set_object (&call->result, result);
}

/* Runs the main context of this thread until the call is done, unless it is. */
static GAsyncResult *
await_among_others (struct call *call)
{
  GMainContext *context = g_main_context_ref_thread_default ();
  gint64 end = g_get_monotonic_time () + soon (20 * SECOND);

  while (call->n_calls == 0)
    {
      ck_assert_msg (g_get_monotonic_time () < end, "the call does not end");
      if (!g_main_context_iteration (context, FALSE))
        g_usleep (100);
    }
  g_main_context_unref (context);
  ck_assert_uint_eq (call->n_calls, 1);
  ck_assert_ptr_eq (call->thread, g_thread_self ());
  return call->result;
}

/* Right after the call. */
static GAsyncResult *
await (struct call *call)
{
  ck_assert_msg (call->n_calls == 0, "the callback came before its call had returned");
  return await_among_others (call);
}

static void
clear (struct call *call)
{
  g_clear_object (&call->result);
  g_clear_object (&call->source);
  *call = (struct call) { 0 };
}

static guint
count_threads (void)
{
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);
  return n;
}

/* Submits and drops. */
static void
run_list (GabbroStream *stream, GabbroCommandList *list, GCancellable *cancellable, struct call *call)
{
  gabbro_stream_run_async (stream, list, cancellable, on_done, call);
  g_object_unref (list);
}

/* What a program has opened and compiled, without a call that blocks. */
struct program
{
  GabbroContext *context;
  GabbroDevice *device;
  GabbroKernel *kernel;
  GabbroShader *shader;
};

static void
open_program (struct program *program, const char *null_settings)
{
  struct call call = { 0 };
  GError *error = NULL;
  GabbroAdapter *adapter;
  GabbroDevice *other;
  GabbroModule *module;
  GVariantDict options;

  g_variant_dict_init (&options, NULL);
  if (null_settings != NULL)
    {
      g_variant_dict_insert (&options, "null", "s", null_settings);
      g_variant_dict_insert (&options, "driver-path", "s", empty_folder);
    }
  gabbro_context_new_async (g_variant_dict_end (&options), NULL, on_done, &call);
  program->context = gabbro_context_new_finish (await (&call), &error);
  assert_no_error (error);
  clear (&call);
  gabbro_context_open_device_async (program->context, NULL, NULL, on_done, &call);
  program->device = gabbro_context_open_device_finish (program->context, await (&call), &error);
  assert_no_error (error);
  ck_assert_ptr_eq (call.source, program->context);
  clear (&call);
  adapter = gabbro_device_get_adapter (program->device);
  gabbro_adapter_open_async (adapter, NULL, on_done, &call);
  other = gabbro_adapter_open_finish (adapter, await (&call), &error);
  assert_no_error (error);
  ck_assert_ptr_ne (other, program->device);
  g_object_unref (other);
  clear (&call);
  gabbro_module_new_from_source_async ("twice.gk", SOURCE, -1, NULL, on_done, &call);
  module = gabbro_module_new_from_source_finish (await (&call), &error);
  assert_no_error (error);
  clear (&call);
  program->kernel = gabbro_module_get_kernel (module, "twice", &error);
  assert_no_error (error);
  g_object_unref (module);
  gabbro_shader_new_async (program->device, program->kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, NULL, on_done, &call);
  program->shader = gabbro_shader_new_finish (await (&call), &error);
  assert_no_error (error);
  clear (&call);
}

static void
close_program (struct program *program)
{
  g_object_unref (program->shader);
  g_object_unref (program->kernel);
  g_object_unref (program->device);
  assert_silent (program->context);
  g_object_unref (program->context);
}

static void
compile_to_text (struct program *program)
{
  struct call call = { 0 };
  GError *error = NULL;
  GBytes *bytes;
  char *text;

  gabbro_kernel_compile_spirv_async (program->kernel, gabbro_device_get_adapter (program->device), GABBRO_COMPILE_DEFAULT, 0,
                                     NULL, on_done, &call);
  bytes = gabbro_kernel_compile_spirv_finish (program->kernel, await (&call), &error);
  assert_no_error (error);
  ck_assert_uint_eq (*(const guint32 *) g_bytes_get_data (bytes, NULL), 0x07230203);
  g_bytes_unref (bytes);
  clear (&call);
  gabbro_kernel_compile_assembly_async (program->kernel, NULL, GABBRO_COMPILE_DEFAULT, 0, NULL, on_done, &call);
  text = gabbro_kernel_compile_assembly_finish (program->kernel, await (&call), &error);
  assert_no_error (error);
  ck_assert_ptr_nonnull (strstr (text, "OpEntryPoint"));
  g_free (text);
  clear (&call);
}

static void
wait_for_all (GabbroDevice *device, GabbroStream *stream)
{
  GabbroEvent *event = new_event (device);
  struct call call = { 0 };
  GError *error = NULL;

  ck_assert (gabbro_stream_signal (stream, event, 7, NULL));
  gabbro_event_synchronize_async (event, 7, NULL, on_done, &call);
  ck_assert (gabbro_event_synchronize_finish (event, await (&call), &error));
  ck_assert_uint_eq (gabbro_event_get_value (event), 7);
  clear (&call);
  gabbro_stream_synchronize_async (stream, NULL, on_done, &call);
  ck_assert (gabbro_stream_synchronize_finish (stream, await (&call), &error));
  clear (&call);
  gabbro_device_synchronize_async (device, NULL, on_done, &call);
  ck_assert (gabbro_device_synchronize_finish (device, await (&call), &error));
  clear (&call);
  g_object_unref (event);
}

/* `factor`: what the kernel does with each word. */
static void
run_program (struct program *program, guint32 factor)
{
  GabbroStream *stream = new_stream (program->device, NULL);
  GabbroBuffer *buffer = new_buffer (program->device, "uint", 64);
  GabbroCommandList *list = new_list (program->device);
  struct call call = { 0 };
  GError *error = NULL;
  GBytes *bytes;
  guint32 words[64];

  for (guint i = 0; i < 64; i++)
    words[i] = i * 3;
  bytes = g_bytes_new (words, sizeof words);
  gabbro_buffer_upload_bytes_async (buffer, 0, bytes, NULL, on_done, &call);
  g_bytes_unref (bytes);
  ck_assert (gabbro_buffer_upload_bytes_finish (buffer, await (&call), &error));
  clear (&call);
  gabbro_command_list_set_shader (list, program->shader, NULL);
  gabbro_command_list_set_buffer (list, 0, buffer, NULL);
  gabbro_command_list_dispatch (list, 64, 1, 1, NULL);
  gabbro_stream_run_async (stream, list, NULL, on_done, &call);
  ck_assert (gabbro_stream_run_finish (stream, await (&call), &error));
  assert_no_error (error);
  ck_assert_ptr_eq (call.source, stream);
  clear (&call);
  wait_for_all (program->device, stream);
  gabbro_buffer_download_bytes_async (buffer, 4, 252, NULL, on_done, &call);
  bytes = gabbro_buffer_download_bytes_finish (buffer, await (&call), &error);
  assert_no_error (error);
  ck_assert_uint_eq (g_bytes_get_size (bytes), 252);
  for (guint i = 0; i < 63; i++)
    ck_assert_uint_eq (((const guint32 *) g_bytes_get_data (bytes, NULL))[i], (i + 1) * 3 * factor);
  g_bytes_unref (bytes);
  clear (&call);
  g_object_unref (list);
  g_object_unref (buffer);
  g_object_unref (stream);
}

static void
run_everything (const char *null_settings)
{
  struct program program;

  open_program (&program, null_settings);
  compile_to_text (&program);
  /* The null driver copies and fills, but runs no kernel. */
  run_program (&program, null_settings != NULL ? 1 : 2);
  close_program (&program);
}

START_TEST (everything_null)
{
  run_everything (_i == 0 ? "delay=500" : "delay=500,unmapped,queues=3");
}
END_TEST

START_TEST (everything_llvmpipe)
{
  enable_validation ();
  g_setenv ("GABBRO_VALIDATION", "1", TRUE);
  run_everything (NULL);
}
END_TEST

/* The same in the main context of another thread. */
static gpointer
run_in_context (gpointer settings)
{
  GMainContext *context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  run_everything (settings);
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
  return NULL;
}

START_TEST (several_main_contexts)
{
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("caller", run_in_context, (gpointer) (i % 2 == 0 ? "delay=300" : "delay=300,unmapped"));
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
}
END_TEST

/* Mappings, of memory that can be mapped and of memory that cannot. */
START_TEST (mappings)
{
  struct device_test test = null_test_begin (_i == 0 ? "delay=1000" : "delay=1000,unmapped");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 300000);
  GabbroMapping *mapping;
  struct call call = { 0 };
  GError *error = NULL;
  guint32 *words;

  submit_list (test.stream, fill_list (test.device, buffer, 5));
  gabbro_buffer_map_async (buffer, GABBRO_MAP_READ | GABBRO_MAP_WRITE, NULL, on_done, &call);
  mapping = gabbro_buffer_map_finish (buffer, await (&call), &error);
  assert_no_error (error);
  clear (&call);
  words = gabbro_mapping_get_pointer (mapping);
  for (guint i = 0; i < 300000; i++)
    {
      ck_assert_uint_eq (words[i], 5);
      words[i] = i;
    }
  gabbro_mapping_unmap_async (mapping, NULL, on_done, &call);
  ck_assert_ptr_null (gabbro_mapping_get_pointer (mapping));
  ck_assert (gabbro_mapping_unmap_finish (mapping, await (&call), &error));
  clear (&call);
  gabbro_mapping_unmap_async (mapping, NULL, on_done, &call);
  ck_assert (gabbro_mapping_unmap_finish (mapping, await (&call), &error));
  clear (&call);
  g_object_unref (mapping);
  words = g_new (guint32, 300000);
  download (buffer, words, 1200000);
  for (guint i = 0; i < 300000; i++)
    ck_assert_uint_eq (words[i], i);
  g_free (words);
  gabbro_buffer_map_async (buffer, 0, NULL, on_done, &call);
  ck_assert_ptr_null (gabbro_buffer_map_finish (buffer, await (&call), &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  clear (&call);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

START_TEST (images)
{
  struct device_test test = device_test_begin ();
  GabbroImage *image = new_image (test.device, GABBRO_FORMAT_RGBA8_UNORM, 33, 17);
  gsize size = gabbro_image_get_size (image);
  guint8 *texels = g_malloc (size);
  struct call call = { 0 };
  GError *error = NULL;
  GBytes *bytes, *back;

  for (gsize i = 0; i < size; i++)
    texels[i] = (guint8) (i * 7);
  bytes = g_bytes_new_take (texels, size);
  gabbro_image_upload_bytes_async (image, bytes, NULL, on_done, &call);
  ck_assert (gabbro_image_upload_bytes_finish (image, await (&call), &error));
  clear (&call);
  gabbro_image_download_bytes_async (image, NULL, on_done, &call);
  back = gabbro_image_download_bytes_finish (image, await (&call), &error);
  assert_no_error (error);
  clear (&call);
  ck_assert (g_bytes_equal (bytes, back));
  g_bytes_unref (bytes);
  bytes = g_bytes_new_static ("short", 5);
  gabbro_image_upload_bytes_async (image, bytes, NULL, on_done, &call);
  ck_assert (!gabbro_image_upload_bytes_finish (image, await (&call), &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  clear (&call);
  g_bytes_unref (bytes);
  g_bytes_unref (back);
  g_object_unref (image);
  device_test_end (&test);
}
END_TEST

/* Staging memory is used in pieces of 64 MiB. */
START_TEST (large_copies)
{
  struct device_test test = null_test_begin ("unmapped,delay=100");
  const gsize size = (gsize) 150 << 20;
  GabbroBuffer *buffer = new_buffer (test.device, "uint", size / 4);
  guint32 *words = g_malloc (size);
  struct call call = { 0 };
  GError *error = NULL;
  GBytes *bytes, *back;

  for (gsize i = 0; i < size / 4; i++)
    words[i] = (guint32) i * 2654435761u;
  bytes = g_bytes_new_take (words, size);
  gabbro_buffer_upload_bytes_async (buffer, 0, bytes, NULL, on_done, &call);
  ck_assert (gabbro_buffer_upload_bytes_finish (buffer, await (&call), &error));
  clear (&call);
  gabbro_buffer_download_bytes_async (buffer, 0, size, NULL, on_done, &call);
  back = gabbro_buffer_download_bytes_finish (buffer, await (&call), &error);
  assert_no_error (error);
  clear (&call);
  ck_assert (g_bytes_equal (bytes, back));
  g_bytes_unref (bytes);
  g_bytes_unref (back);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

static gboolean
finish_by_kind (guint kind, struct call *call)
{
  GBytes *bytes;

  switch (kind)
    {
    case 0:
      return gabbro_event_synchronize_finish (GABBRO_EVENT (call->source), call->result, NULL);
    case 1:
      return gabbro_stream_synchronize_finish (GABBRO_STREAM (call->source), call->result, NULL);
    case 2:
      bytes = gabbro_buffer_download_bytes_finish (GABBRO_BUFFER (call->source), call->result, NULL);
      ck_assert_uint_eq (g_bytes_get_size (bytes), 16);
      g_bytes_unref (bytes);
      return TRUE;
    default:
      return gabbro_device_synchronize_finish (GABBRO_DEVICE (call->source), call->result, NULL);
    }
}

/* However many calls wait, there is one watcher. */
START_TEST (no_thread_for_a_wait)
{
  enum { N = 500 };
  struct device_test test = null_test_begin ("queues=2");
  GabbroEvent *event = new_event (test.device);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroStream *streams[3];
  struct call *calls = g_new0 (struct call, N);
  guint before;

  /* GLib's own worker begins with the first task. */
  gabbro_device_synchronize_async (test.device, NULL, on_done, &calls[0]);
  await (&calls[0]);
  clear (&calls[0]);
  before = count_threads ();
  for (guint i = 0; i < 3; i++)
    {
      streams[i] = new_stream (test.device, NULL);
      ck_assert (gabbro_stream_wait (streams[i], event, N, NULL));
      submit_list (streams[i], fill_list (test.device, buffer, i));
    }
  for (guint i = 0; i < N; i++)
    switch (i % 4)
      {
      case 0:
        gabbro_event_synchronize_async (event, i + 1, NULL, on_done, &calls[i]);
        break;
      case 1:
        gabbro_stream_synchronize_async (streams[i % 3], NULL, on_done, &calls[i]);
        break;
      case 2:
        gabbro_buffer_download_bytes_async (buffer, 0, 16, NULL, on_done, &calls[i]);
        break;
      default:
        gabbro_device_synchronize_async (test.device, NULL, on_done, &calls[i]);
        break;
      }
  ck_assert_uint_eq (count_threads (), before);
  /* The watcher has gone to sleep by then. */
  g_usleep (20000);
  ck_assert (gabbro_event_signal (event, 101, NULL));
  /* Those up to the value end, and no others. */
  await_among_others (&calls[100]);
  for (guint i = 0; i < 10; i++)
    {
      g_usleep (1000);
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
  for (guint i = 0; i < N; i++)
    ck_assert_uint_eq (calls[i].n_calls, i % 4 == 0 && i <= 100);
  ck_assert (gabbro_event_signal (event, N, NULL));
  for (guint i = 0; i < N; i++)
    {
      await_among_others (&calls[i]);
      ck_assert (finish_by_kind (i % 4, &calls[i]));
      clear (&calls[i]);
    }
  for (guint i = 0; i < 3; i++)
    g_object_unref (streams[i]);
  g_free (calls);
  g_object_unref (event);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

/* Cancelling ends the wait at once and the work not at all. */
START_TEST (cancelled_waits)
{
  struct device_test test = null_test_begin ("delay=50000,unmapped");
  GabbroEvent *event = new_event (test.device);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 1000);
  GCancellable *cancellable = g_cancellable_new ();
  struct call calls[5] = { 0 };
  GError *errors[5] = { NULL };

  submit_list (test.stream, fill_list (test.device, buffer, 9));
  gabbro_event_synchronize_async (event, 1, cancellable, on_done, &calls[0]);
  gabbro_stream_synchronize_async (test.stream, cancellable, on_done, &calls[1]);
  gabbro_device_synchronize_async (test.device, cancellable, on_done, &calls[2]);
  gabbro_buffer_download_bytes_async (buffer, 0, 4000, cancellable, on_done, &calls[3]);
  run_list (test.stream, fill_list (test.device, buffer, 10), cancellable, &calls[4]);
  /* The download is in flight by then, or waits to be. */
  g_usleep (_i * 20000);
  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < 5; i++)
    await_among_others (&calls[i]);
  ck_assert (!gabbro_event_synchronize_finish (event, calls[0].result, &errors[0]));
  ck_assert (!gabbro_stream_synchronize_finish (test.stream, calls[1].result, &errors[1]));
  ck_assert (!gabbro_device_synchronize_finish (test.device, calls[2].result, &errors[2]));
  ck_assert_ptr_null (gabbro_buffer_download_bytes_finish (buffer, calls[3].result, &errors[3]));
  ck_assert (!gabbro_stream_run_finish (test.stream, calls[4].result, &errors[4]));
  for (guint i = 0; i < 5; i++)
    {
      assert_error (errors[i], G_IO_ERROR, G_IO_ERROR_CANCELLED);
      clear (&calls[i]);
    }
  ck_assert (gabbro_event_signal (event, 1, NULL));
  synchronize (test.stream);
  ck_assert_uint_eq (first_word (buffer), 10);
  g_object_unref (cancellable);
  g_object_unref (event);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

/* What is cancelled before it begins does nothing. */
START_TEST (cancelled_before)
{
  struct device_test test = null_test_begin ("");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GCancellable *cancellable = g_cancellable_new ();
  struct call call = { 0 };
  GError *error = NULL;

  submit_list (test.stream, fill_list (test.device, buffer, 10));
  g_cancellable_cancel (cancellable);
  run_list (test.stream, fill_list (test.device, buffer, 11), cancellable, &call);
  ck_assert (!gabbro_stream_run_finish (test.stream, await (&call), &error));
  assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  clear (&call);
  synchronize (test.stream);
  ck_assert_uint_eq (first_word (buffer), 10);
  g_object_unref (cancellable);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

/* A source that takes a while. */
static char *
long_source (void)
{
  GString *source = g_string_new ("kernel(8) void f(buffer<uint> a) { uint x = 1u;");

  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (source, " x = x * %uu + a[%u];\n", i, i % 64);
  g_string_append (source, " a[0] = x; }");
  return g_string_free (source, FALSE);
}

/* Who cancels work in the pool is told at once; the work goes on, and what it makes is dropped. */
START_TEST (cancelled_work)
{
  GCancellable *cancellable = g_cancellable_new ();
  struct call whole = { 0 }, cancelled = { 0 }, checked = { 0 };
  char *source = long_source ();
  GPtrArray *diagnostics;
  GabbroModule *module;
  GError *error = NULL;

  gabbro_module_new_from_source_async ("whole.gk", source, -1, NULL, on_done, &whole);
  gabbro_module_new_from_source_async ("cancelled.gk", source, -1, cancellable, on_done, &cancelled);
  g_usleep (2000);
  g_cancellable_cancel (cancellable);
  ck_assert_ptr_null (gabbro_module_new_from_source_finish (await (&cancelled), &error));
  assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  ck_assert_uint_eq (whole.n_calls, 0);
  module = gabbro_module_new_from_source_finish (await (&whole), &error);
  assert_no_error (error);
  gabbro_module_check_source_async ("checked.gk", source, -1, NULL, on_done, &checked);
  diagnostics = gabbro_module_check_source_finish (await (&checked), &error);
  ck_assert_uint_eq (diagnostics->len, 0);
  g_ptr_array_unref (diagnostics);
  clear (&whole);
  clear (&cancelled);
  clear (&checked);
  g_free (source);
  g_object_unref (module);
  g_object_unref (cancellable);
}
END_TEST

/* Cancelling races with the end, from another thread: one of the two comes, once. */
static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep ((gulong) g_random_int_range (0, 400));
  g_cancellable_cancel (cancellable);
  return NULL;
}

START_TEST (cancelling_races)
{
  struct device_test test = null_test_begin (_i == 0 ? "delay=150" : "delay=150,unmapped,queues=2");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 5000);
  guint n_cancelled = 0;

  for (guint round = 0; round < 400; round++)
    {
      GCancellable *cancellable = g_cancellable_new ();
      GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
      struct call call = { 0 };
      GError *error = NULL;
      GBytes *bytes;

      submit_list (test.stream, fill_list (test.device, buffer, round));
      gabbro_buffer_download_bytes_async (buffer, 0, 20000, cancellable, on_done, &call);
      bytes = gabbro_buffer_download_bytes_finish (buffer, await (&call), &error);
      if (bytes != NULL)
        ck_assert_uint_eq (((const guint32 *) g_bytes_get_data (bytes, NULL))[4999], round);
      else
        {
          assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
          n_cancelled++;
        }
      g_clear_pointer (&bytes, g_bytes_unref);
      clear (&call);
      g_thread_join (thread);
      g_object_unref (cancellable);
    }
  ck_assert_uint_gt (n_cancelled, 0);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

/* The first error of a stream, of an event, of a device reaches those who wait. */
START_TEST (failures)
{
  struct device_test test = null_test_begin ("fail-submit=2");
  GabbroEvent *event = new_event (test.device), *gate = new_event (test.device);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  struct call calls[2] = { 0 };
  GError *error = NULL;

  submit_list (test.stream, fill_list (test.device, buffer, 1));
  synchronize (test.stream);
  ck_assert (gabbro_stream_wait (test.stream, gate, 1, NULL));
  submit_list (test.stream, fill_list (test.device, buffer, 2));
  ck_assert (gabbro_stream_signal (test.stream, event, 1, NULL));
  gabbro_stream_synchronize_async (test.stream, NULL, on_done, &calls[0]);
  gabbro_event_synchronize_async (event, 1, NULL, on_done, &calls[1]);
  ck_assert (gabbro_event_signal (gate, 1, NULL));
  ck_assert (!gabbro_stream_synchronize_finish (test.stream, await_among_others (&calls[0]), &error));
  ck_assert_ptr_nonnull (error);
  ck_assert_str_eq (error->message, gabbro_stream_get_failure (test.stream)->message);
  g_clear_error (&error);
  ck_assert (!gabbro_event_synchronize_finish (event, await_among_others (&calls[1]), &error));
  ck_assert_str_eq (error->message, gabbro_stream_get_failure (test.stream)->message);
  g_clear_error (&error);
  clear (&calls[0]);
  clear (&calls[1]);
  g_object_unref (event);
  g_object_unref (gate);
  g_object_unref (buffer);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (test.context);
}
END_TEST

START_TEST (loss)
{
  struct device_test test = null_test_begin ("lose-submit=2");
  GabbroEvent *event = new_event (test.device);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  struct call calls[3] = { 0 };
  GError *error = NULL;

  submit_list (test.stream, fill_list (test.device, buffer, 1));
  synchronize (test.stream);
  gabbro_event_synchronize_async (event, 1, NULL, on_done, &calls[0]);
  run_list (test.stream, fill_list (test.device, buffer, 2), NULL, &calls[1]);
  ck_assert (!gabbro_stream_run_finish (test.stream, await_among_others (&calls[1]), &error));
  assert_gabbro_error (error, GABBRO_ERROR_DEVICE_LOST);
  ck_assert (!gabbro_event_synchronize_finish (event, await_among_others (&calls[0]), &error));
  assert_gabbro_error (error, GABBRO_ERROR_DEVICE_LOST);
  gabbro_device_synchronize_async (test.device, NULL, on_done, &calls[2]);
  ck_assert (!gabbro_device_synchronize_finish (test.device, await_among_others (&calls[2]), &error));
  assert_gabbro_error (error, GABBRO_ERROR_DEVICE_LOST);
  for (guint i = 0; i < 3; i++)
    clear (&calls[i]);
  g_object_unref (event);
  g_object_unref (buffer);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (test.context);
}
END_TEST

static gint function_state;

static void
take_time (G_GNUC_UNUSED const GError *error, G_GNUC_UNUSED gpointer data)
{
  g_usleep (20000);
  g_atomic_int_set (&function_state, 1);
}

/* Functions of lists that failed belong to what a device has to do. */
START_TEST (functions_come_first)
{
  struct device_test test = null_test_begin ("fail-submit=1");
  GabbroEvent *gate = new_event (test.device);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = fill_list (test.device, buffer, 1);
  struct call call = { 0 };

  ck_assert (gabbro_command_list_add_completion (list, take_time, NULL, NULL, NULL));
  ck_assert (gabbro_stream_wait (test.stream, gate, 1, NULL));
  submit_list (test.stream, list);
  gabbro_device_synchronize_async (test.device, NULL, on_done, &call);
  ck_assert (gabbro_event_signal (gate, 1, NULL));
  ck_assert (gabbro_device_synchronize_finish (test.device, await (&call), NULL));
  ck_assert_int_eq (g_atomic_int_get (&function_state), 1);
  clear (&call);
  g_object_unref (gate);
  g_object_unref (buffer);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (test.context);
}
END_TEST

/* A stream that had nothing to do but to wait is done when that is over, whatever the device is busy with.
 * The work takes a minute, which nobody waits for: the process is left without a leak check. */
START_TEST (nothing_but_a_wait)
{
  enum { N = 60 };
  struct device_test test = null_test_begin ("delay=60000000");
  GabbroQueue *queue = gabbro_device_get_queue (test.device, 0);
  GabbroStream *waiting = new_stream (test.device, queue);
  GabbroEvent *event = new_event (test.device);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  struct call call = { 0 };

  for (guint i = 0; i < N; i++)
    {
      GabbroStream *stream = new_stream (test.device, queue);

      ck_assert (gabbro_stream_wait (stream, event, 1, NULL));
      submit_list (stream, fill_list (test.device, buffer, i));
      g_object_unref (stream);
    }
  ck_assert (gabbro_stream_wait (waiting, event, 1, NULL));
  submit_list (test.stream, fill_list (test.device, buffer, N));
  gabbro_stream_synchronize_async (waiting, NULL, on_done, &call);
  /* The watcher waits for the device by then. */
  g_usleep (10000);
  ck_assert (gabbro_event_signal (event, 1, NULL));
  ck_assert (gabbro_stream_synchronize_finish (waiting, await (&call), NULL));
  _exit (0);
}
END_TEST

/* An adapter that is at work needs no context object. */
START_TEST (an_adapter_outlives_its_context)
{
  for (guint round = 0; round < 50; round++)
    {
      GabbroContext *context = null_context ("1");
      GabbroAdapter *adapter = g_object_ref (gabbro_context_get_adapter (context, 0));
      GabbroKernel *kernel = new_kernel (SOURCE, "twice");
      struct call call = { 0 };
      GError *error = NULL;
      GBytes *bytes;

      gabbro_kernel_compile_spirv_async (kernel, adapter, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, NULL, on_done, &call);
      g_object_unref (context);
      bytes = gabbro_kernel_compile_spirv_finish (kernel, await (&call), &error);
      assert_no_error (error);
      g_bytes_unref (bytes);
      clear (&call);
      g_object_unref (kernel);
      g_object_unref (adapter);
    }
}
END_TEST

static void
drop (gpointer data, GObject *object)
{
  *(gboolean *) data = TRUE;
  (void) object;
}

static void
finish_and_forget (GObject *source, GAsyncResult *result, gpointer data)
{
  struct call *call = data;

  call->n_calls++;
  call->thread = g_thread_self ();
  ck_assert (gabbro_stream_run_finish (GABBRO_STREAM (source), result, NULL));
}

/* The call keeps what it needs, and lets go of it at the end. */
START_TEST (nobody_keeps_anything)
{
  struct device_test test = null_test_begin ("delay=20000");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  gboolean device_gone = FALSE, stream_gone = FALSE;
  struct call call = { 0 };
  gint64 end;

  g_object_weak_ref (G_OBJECT (test.device), drop, &device_gone);
  g_object_weak_ref (G_OBJECT (test.stream), drop, &stream_gone);
  {
    GabbroCommandList *list = fill_list (test.device, buffer, 1);
    gabbro_stream_run_async (test.stream, list, NULL, finish_and_forget, &call);
    g_object_unref (list);
  }
  g_object_unref (buffer);
  g_object_unref (test.stream);
  g_object_unref (test.device);
  g_object_unref (test.context);
  ck_assert (!device_gone && !stream_gone);
  await (&call);
  end = g_get_monotonic_time () + soon (10 * SECOND);
  while (!device_gone && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (100);
  ck_assert (device_gone && stream_gone);
}
END_TEST

/* A main context that goes before the end takes the callback with it. */
START_TEST (a_main_context_goes)
{
  struct device_test test = null_test_begin ("delay=20000");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  struct call call = { 0 };
  GMainContext *context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  run_list (test.stream, fill_list (test.device, buffer, 4), NULL, &call);
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
  synchronize (test.stream);
  ck_assert_uint_eq (first_word (buffer), 4);
  ck_assert_uint_eq (call.n_calls, 0);
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

/* Bad arguments come as errors of the call, never before it has returned. */
START_TEST (bad_arguments)
{
  struct device_test test = null_test_begin ("");
  GabbroDevice *other = open_device (test.context, "null");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4), *others = new_buffer (other, "uint", 1);
  GBytes *bytes = g_bytes_new_static ("12345678", 8);
  struct call call = { 0 };
  GError *error = NULL;
  GVariant *options = g_variant_new_parsed ("{'no-such-option': <'x'>}");

  gabbro_context_new_async (options, NULL, on_done, &call);
  ck_assert_ptr_null (gabbro_context_new_finish (await (&call), &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  clear (&call);
  gabbro_context_open_device_async (test.context, "no such device", NULL, on_done, &call);
  ck_assert_ptr_null (gabbro_context_open_device_finish (test.context, await (&call), &error));
  assert_message (error, "no such device");
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  clear (&call);
  gabbro_buffer_upload_bytes_async (buffer, 9, bytes, NULL, on_done, &call);
  ck_assert (!gabbro_buffer_upload_bytes_finish (buffer, await (&call), &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  clear (&call);
  gabbro_buffer_download_bytes_async (buffer, G_MAXUINT64, 8, NULL, on_done, &call);
  ck_assert_ptr_null (gabbro_buffer_download_bytes_finish (buffer, await (&call), &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  clear (&call);
  run_list (test.stream, fill_list (other, others, 1), NULL, &call);
  ck_assert (!gabbro_stream_run_finish (test.stream, await (&call), &error));
  assert_gabbro_error (error, GABBRO_ERROR_WRONG_DEVICE);
  clear (&call);
  gabbro_module_new_from_source_async ("wrong.gk", "kernel void f(", -1, NULL, on_done, &call);
  ck_assert_ptr_null (gabbro_module_new_from_source_finish (await (&call), &error));
  assert_message (error, "wrong.gk");
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_SOURCE);
  clear (&call);
  g_bytes_unref (bytes);
  g_object_unref (buffer);
  g_object_unref (others);
  g_object_unref (other);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("async");
  TCase *test_case = null_test_case (suite, "async"), *device = gb_test_case (suite, "device");
  TCase *leaks = null_test_case (suite, "leaks");

  tcase_add_loop_test (test_case, everything_null, 0, 2);
  tcase_add_test (test_case, several_main_contexts);
  tcase_add_loop_test (test_case, mappings, 0, 2);
  tcase_add_test (test_case, large_copies);
  tcase_add_test (test_case, no_thread_for_a_wait);
  tcase_add_loop_test (test_case, cancelled_waits, 0, 4);
  tcase_add_test (test_case, cancelled_before);
  tcase_add_test (test_case, cancelled_work);
  tcase_add_loop_test (test_case, cancelling_races, 0, 2);
  tcase_add_test (test_case, failures);
  tcase_add_test (test_case, loss);
  tcase_add_test (test_case, nobody_keeps_anything);
  tcase_add_test (test_case, a_main_context_goes);
  tcase_add_test (test_case, bad_arguments);
  tcase_add_test (test_case, functions_come_first);
  tcase_add_exit_test (leaks, nothing_but_a_wait, 0);
  tcase_add_test (test_case, an_adapter_outlives_its_context);
  tcase_set_tags (device, "device");
  tcase_set_tags (leaks, "leaks");
  tcase_add_test (device, everything_llvmpipe);
  tcase_add_test (device, images);
  return suite;
}

GB_TEST_MAIN (make_suite)
