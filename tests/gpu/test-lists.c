/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Command lists on a device: sequences that hurt others, random commands against a
 * model, frozen lists, arguments of all sizes, views. */

#include "config.h"

#include "tests/gpu/device-test.h"

static const char kernels[] =
  "kernel(64) void add(const buffer<uint> from, buffer<uint> to, uint by)\n"
  "{ to[global_id.x] = from[global_id.x] + by; }\n"
  "kernel(64) void increment(buffer<uint> data)\n"
  "{ data[global_id.x] = data[global_id.x] + 1u; }\n"
  "kernel(64) void mark(buffer<uint> data)\n"
  "{ data[global_id.x] = data[global_id.x] + global_id.x + 1u; }\n"
  "struct Wide { float4 a[8]; uint last; };\n"
  "kernel(1) void wide(buffer<uint> out, Wide w, uint by)\n"
  "{ out[0] = w.last + by + uint(w.a[7].w); }\n"
  "kernel(4) void triple(const buffer<uint3> from, buffer<uint> to)\n"
  "{ uint3 v = from[global_id.x]; to[global_id.x] = v.x + v.y * 10u + v.z * 100u + from.length * 1000u; }\n"
  "kernel(4) void odd(const buffer<uint> from, buffer<uint> to)\n"
  "{ if (global_id.x < from.length) to[global_id.x] = from[global_id.x]; }\n";

/* A35: two buffers in turn, a thousand dependent dispatches, a copy, a read-back: one barrier between
 * each two of them and no other. */
START_TEST (ping_pong)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "add");
  GabbroBuffer *a = new_buffer (test.device, "uint", 256), *b = new_buffer (test.device, "uint", 256);
  GabbroBuffer *copy = new_buffer (test.device, "uint", 256);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[256];
  char **reasons;

  gabbro_command_list_fill (list, a, 0, sizeof words, 0, NULL);
  for (guint i = 0; i < 1000; i++)
    gabbro_command_list_run (list, shader, 256, 1, 1, NULL, "from", i % 2 == 0 ? a : b, "to", i % 2 == 0 ? b : a, "by", 1u, NULL);
  gabbro_command_list_copy_buffer (list, a, 0, copy, 0, sizeof words, NULL);
  gabbro_command_list_download (list, copy, 0, words, sizeof words, NULL);
  /* fill, 1000 dispatches, copy, download: a barrier before each but the first. */
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 1003);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1002);
  reasons = gabbro_command_list_explain_barriers (list);
  ck_assert_uint_eq (g_strv_length (reasons), 1002);
  ck_assert_ptr_nonnull (strstr (reasons[0], "read after write"));
  g_strfreev (reasons);
  submit (test.stream, list);
  synchronize (test.stream);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    ck_assert_uint_eq (words[i], 1000);
  g_object_unref (list);
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (copy);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* A35, the other half: writes to disjoint halves may run side by side. */
START_TEST (disjoint_halves)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "mark");
  GabbroBuffer *whole = new_buffer (test.device, "uint", 512);
  GabbroBuffer *low = new_view (whole, 0, 256), *high = new_view (whole, 256, 256), *middle = new_view (whole, 128, 256);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[512];

  gabbro_command_list_fill (list, whole, 0, sizeof words, 0, NULL);
  gabbro_command_list_run (list, shader, 256, 1, 1, NULL, "data", low, NULL);
  gabbro_command_list_run (list, shader, 256, 1, 1, NULL, "data", high, NULL);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  gabbro_command_list_run (list, shader, 256, 1, 1, NULL, "data", middle, NULL);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 2);
  gabbro_command_list_download (list, whole, 0, words, sizeof words, NULL);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 3);
  submit (test.stream, list);
  synchronize (test.stream);
  for (guint i = 0; i < 512; i++)
    ck_assert_uint_eq (words[i], i % 256 + 1 + (i >= 128 && i < 384 ? i - 128 + 1 : 0));
  g_object_unref (list);
  g_object_unref (low);
  g_object_unref (high);
  g_object_unref (middle);
  g_object_unref (whole);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* A36 a: everything is let go right after the submission. */
START_TEST (release_at_once)
{
  struct device_test test = device_test_begin ();
  guint32 words[20][64];

  for (guint round = 0; round < 20; round++)
    {
      GabbroShader *shader = new_shader (test.device, kernels, "increment");
      GabbroBuffer *buffer = new_buffer (test.device, "uint", 64);
      GabbroCommandList *list = new_list (test.device);

      gabbro_command_list_fill (list, buffer, 0, 256, round, NULL);
      for (guint i = 0; i < 50; i++)
        gabbro_command_list_run (list, shader, 64, 1, 1, NULL, "data", buffer, NULL);
      gabbro_command_list_download (list, buffer, 0, words[round], 256, NULL);
      submit (test.stream, list);
      g_object_unref (list);
      g_object_unref (buffer);
      g_object_unref (shader);
    }
  synchronize (test.stream);
  for (guint round = 0; round < 20; round++)
    for (guint i = 0; i < 64; i++)
      ck_assert_uint_eq (words[round][i], round + 50);
  device_test_end (&test);
}
END_TEST

/* A36 b: many threads. */
#define N_THREADS    8
#define N_DISPATCHES 1000
#define LIST_LENGTH  50

struct worker
{
  GabbroDevice *device;
  GabbroStream *stream;
  GabbroShader *shader;
  GabbroBuffer *buffer;
  GError *error;
};

static gpointer
work (gpointer data)
{
  struct worker *worker = data;

  for (guint i = 0; i < N_DISPATCHES / LIST_LENGTH && worker->error == NULL; i++)
    {
      GabbroCommandList *list = gabbro_command_list_new (worker->device, &worker->error);

      for (guint j = 0; j < LIST_LENGTH && list != NULL; j++)
        gabbro_command_list_run (list, worker->shader, 64, 1, 1, NULL, "data", worker->buffer, NULL);
      if (list != NULL)
        gabbro_stream_submit (worker->stream, list, &worker->error);
      g_clear_object (&list);
    }
  return NULL;
}

struct synchronizer
{
  GabbroDevice *device;
  gint stop;
  guint n;
};

static gpointer
keep_synchronizing (gpointer data)
{
  struct synchronizer *synchronizer = data;

  while (!g_atomic_int_get (&synchronizer->stop))
    {
      if (!gabbro_device_synchronize (synchronizer->device, 60 * SECOND, NULL))
        return GINT_TO_POINTER (1);
      synchronizer->n++;
    }
  return NULL;
}

static void
run_threads (gboolean one_stream)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "increment");
  struct worker workers[N_THREADS] = { { NULL } };
  struct synchronizer synchronizer = { test.device, 0, 0 };
  GThread *threads[N_THREADS], *waiter = g_thread_new ("wait", keep_synchronizing, &synchronizer);
  GError *error = NULL;

  for (guint i = 0; i < N_THREADS; i++)
    {
      GabbroCommandList *list = new_list (test.device);

      workers[i].device = test.device;
      workers[i].stream = one_stream ? g_object_ref (test.stream) : new_stream (test.device, NULL);
      workers[i].shader = shader;
      workers[i].buffer = new_buffer (test.device, "uint", 64);
      gabbro_command_list_fill (list, workers[i].buffer, 0, 256, i, NULL);
      gabbro_stream_submit (workers[i].stream, list, &error);
      assert_no_error (error);
      g_object_unref (list);
    }
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("work", work, &workers[i]);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  gabbro_device_synchronize (test.device, 60 * SECOND, &error);
  assert_no_error (error);
  g_atomic_int_set (&synchronizer.stop, 1);
  ck_assert_ptr_null (g_thread_join (waiter));
  ck_assert_uint_gt (synchronizer.n, 0);
  for (guint i = 0; i < N_THREADS; i++)
    {
      guint32 words[64];

      assert_no_error (workers[i].error);
      gabbro_buffer_download (workers[i].buffer, 0, words, sizeof words, &error);
      assert_no_error (error);
      for (guint j = 0; j < 64; j++)
        ck_assert_uint_eq (words[j], i + N_DISPATCHES);
      g_object_unref (workers[i].buffer);
      g_object_unref (workers[i].stream);
    }
  g_object_unref (shader);
  device_test_end (&test);
}

START_TEST (threads_on_one_stream)
{
  run_threads (TRUE);
}
END_TEST

START_TEST (threads_on_streams)
{
  run_threads (FALSE);
}
END_TEST

/* A36 c: more workgroups than the device takes at once. */
START_TEST (split_dispatch)
{
  struct device_test test = masked_test_begin ("maxComputeWorkGroupCount=65535");
  const guint n = 10000000;
  GabbroShader *shader = new_shader (test.device, kernels, "mark");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", n);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;
  GabbroMapping *mapping;
  const guint32 *words;

  gabbro_command_list_fill (list, buffer, 0, (guint64) n * 4, 0, NULL);
  gabbro_command_list_run (list, shader, n, 1, 1, &error, "data", buffer, NULL);
  assert_no_error (error);
  /* 156,250 groups are 65,535 + 65,535 + 25,180; the parts of one dispatch need no barrier. */
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 1 + 3);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  submit (test.stream, list);
  mapping = gabbro_buffer_map (buffer, GABBRO_MAP_READ, &error);
  assert_no_error (error);
  words = gabbro_mapping_get_pointer (mapping);
  for (guint i = 0; i < n; i++)
    if (words[i] != i + 1)
      ck_abort_msg ("index %u is %u", i, words[i]);
  g_object_unref (mapping);
  g_object_unref (list);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* The same split in two dimensions at once, seen in the numbers of groups. */
START_TEST (split_in_two_dimensions)
{
  struct device_test test = masked_test_begin ("maxComputeWorkGroupCount=4");
  GabbroShader *shader = new_shader (test.device,
                                     "kernel(2, 2) void place(buffer<uint> data)\n"
                                     "{ uint at = global_id.y * dispatch_size.x + global_id.x;"
                                     "  data[at] = data[at] + group_id.y * 100u + group_id.x + 1u; }\n", NULL);
  const guint width = 19, height = 11;
  GabbroBuffer *buffer = new_buffer (test.device, "uint", width * height);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[19 * 11];

  gabbro_command_list_fill (list, buffer, 0, sizeof words, 0, NULL);
  gabbro_command_list_run (list, shader, width, height, 1, NULL, "data", buffer, NULL);
  /* 10×6 groups in tiles of at most 4×4: 3×2 parts. */
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 1 + 6);
  gabbro_command_list_download (list, buffer, 0, words, sizeof words, NULL);
  submit (test.stream, list);
  synchronize (test.stream);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      ck_assert_uint_eq (words[y * width + x], y / 2 * 100 + x / 2 + 1);
  g_object_unref (list);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Frozen lists. */

START_TEST (frozen_many_times)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "add");
  GabbroBuffer *a = new_buffer (test.device, "uint", 64), *b = new_buffer (test.device, "uint", 64);
  GabbroCommandList *list = new_list (test.device);
  const guint32 zero[64] = { 0 };
  guint32 words[64], three = 3;
  GError *error = NULL;

  gabbro_buffer_upload (a, 0, zero, sizeof zero, &error);
  assert_no_error (error);
  gabbro_command_list_run (list, shader, 64, 1, 1, NULL, "from", a, "to", b, "by", 1u, NULL);
  gabbro_command_list_run (list, shader, 64, 1, 1, NULL, "from", b, "to", a, "by", 0u, NULL);
  gabbro_command_list_freeze (list, gabbro_stream_get_queue (test.stream), &error);
  assert_no_error (error);
  ck_assert (gabbro_command_list_is_frozen (list));
  for (guint i = 0; i < 1000; i++)
    submit (test.stream, list);
  /* What is in flight keeps its value. */
  gabbro_command_list_update_value (list, 0, 2, &three, sizeof three, &error);
  assert_no_error (error);
  for (guint i = 0; i < 10; i++)
    submit (test.stream, list);
  gabbro_buffer_download (a, 0, words, sizeof words, &error);
  assert_no_error (error);
  for (guint i = 0; i < 64; i++)
    ck_assert_uint_eq (words[i], 1000 + 30);
  g_object_unref (list);
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

struct wide
{
  float a[8][4];
  guint32 last, padding[3];
};

/* Arguments that do not fit the push constants, changed while in flight. */
START_TEST (frozen_argument_block)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "wide");
  GabbroBuffer *out[4], *results = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = new_list (test.device);
  struct wide wide = { .last = 1000 };
  guint32 words[4];
  GError *error = NULL;

  wide.a[7][3] = 7;
  for (guint i = 0; i < 4; i++)
    {
      out[i] = new_view (results, i, 1);
      gabbro_command_list_run (list, shader, 1, 1, 1, &error, "out", out[i], "w", &wide, "by", i, NULL);
      assert_no_error (error);
    }
  gabbro_command_list_freeze (list, gabbro_stream_get_queue (test.stream), &error);
  assert_no_error (error);
  for (guint round = 0; round < 50; round++)
    {
      wide.last = round * 10;
      gabbro_command_list_update_value (list, 2, 1, &wide, sizeof wide, &error);
      assert_no_error (error);
      submit (test.stream, list);
    }
  gabbro_buffer_download (results, 0, words, sizeof words, &error);
  assert_no_error (error);
  ck_assert_uint_eq (words[0], 1007);
  ck_assert_uint_eq (words[1], 1008);
  ck_assert_uint_eq (words[2], 49 * 10 + 7 + 2);
  ck_assert_uint_eq (words[3], 1010);
  for (guint i = 0; i < 4; i++)
    g_object_unref (out[i]);
  g_object_unref (results);
  g_object_unref (list);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Views: every first element, under the strictest alignment there is. */
START_TEST (views)
{
  struct device_test test = masked_test_begin ("minStorageBufferOffsetAlignment=256");
  GabbroShader *odd = new_shader (test.device, kernels, "odd"), *triple = new_shader (test.device, kernels, "triple");
  GabbroBuffer *words = new_buffer (test.device, "uint", 300), *vectors = new_buffer (test.device, "uint3", 100);
  GabbroBuffer *out = new_buffer (test.device, "uint", 8);
  guint32 data[300], vector_data[100][4], result[8];
  GError *error = NULL;

  for (guint i = 0; i < 300; i++)
    data[i] = i * 7;
  for (guint i = 0; i < 100; i++)
    for (guint j = 0; j < 4; j++)
      vector_data[i][j] = i + j;
  gabbro_buffer_upload (words, 0, data, sizeof data, &error);
  gabbro_buffer_upload (vectors, 0, vector_data, sizeof vector_data, &error);
  assert_no_error (error);
  for (guint first = 0; first < 90; first += 1 + first / 20)
    {
      GabbroBuffer *view = new_view (words, first, 5), *vector_view = new_view (vectors, first, 4);
      GabbroBuffer *low = new_view (out, 0, 4), *high = new_view (out, 4, 4);
      GabbroCommandList *list = new_list (test.device);

      gabbro_command_list_fill (list, out, 0, sizeof result, 77, NULL);
      gabbro_command_list_run (list, odd, 4, 1, 1, &error, "from", view, "to", low, NULL);
      assert_no_error (error);
      gabbro_command_list_run (list, triple, 4, 1, 1, &error, "from", vector_view, "to", high, NULL);
      assert_no_error (error);
      gabbro_command_list_download (list, out, 0, result, sizeof result, NULL);
      submit (test.stream, list);
      synchronize (test.stream);
      for (guint i = 0; i < 4; i++)
        {
          guint32 x = first + i;
          ck_assert_uint_eq (result[i], x * 7);
          ck_assert_uint_eq (result[4 + i], x + (x + 1) * 10 + (x + 2) * 100 + 4000);
        }
      g_object_unref (view);
      g_object_unref (vector_view);
      g_object_unref (low);
      g_object_unref (high);
      g_object_unref (list);
    }
  g_object_unref (words);
  g_object_unref (vectors);
  g_object_unref (out);
  g_object_unref (odd);
  g_object_unref (triple);
  device_test_end (&test);
}
END_TEST

/* Random commands over a few buffers and images, against the same on host memory. */
#define N_BUFFERS 3
#define BUFFER_SIZE 4096u
#define IMAGE_SIDE 16u
#define IMAGE_SIZE (IMAGE_SIDE * IMAGE_SIDE * 4u)

struct model
{
  struct device_test test;
  GRand *random;
  GabbroShader *shader;
  GabbroBuffer *buffers[N_BUFFERS];
  GabbroImage *image;
  guint8 bytes[N_BUFFERS][BUFFER_SIZE], texels[IMAGE_SIZE];
};

static guint
pick (struct model *model, guint n)
{
  return (guint) g_rand_int_range (model->random, 0, (gint32) n);
}

static void
random_command (struct model *model, GabbroCommandList *list)
{
  guint from = pick (model, N_BUFFERS), to = pick (model, N_BUFFERS);
  guint size = 4 + 4 * pick (model, 256), at = 4 * pick (model, (BUFFER_SIZE - size) / 4 + 1), at_from;
  guint8 data[1028];

  switch (pick (model, 6))
    {
    case 0:
      for (guint i = 0; i < size; i++)
        data[i] = (guint8) pick (model, 256);
      gabbro_command_list_upload (list, model->buffers[to], at, data, size, NULL);
      memcpy (model->bytes[to] + at, data, size);
      break;
    case 1:
      gabbro_command_list_fill (list, model->buffers[to], at, size, 0x01020304, NULL);
      for (guint i = 0; i < size; i++)
        model->bytes[to][at + i] = (guint8) (4 - i % 4);
      break;
    case 2:
      if (from == to)
        break;
      at_from = 4 * pick (model, (BUFFER_SIZE - size) / 4 + 1);
      gabbro_command_list_copy_buffer (list, model->buffers[from], at_from, model->buffers[to], at, size, NULL);
      memcpy (model->bytes[to] + at, model->bytes[from] + at_from, size);
      break;
    case 3:
      at = 4 * pick (model, (BUFFER_SIZE - IMAGE_SIZE) / 4 + 1);
      gabbro_command_list_copy_buffer_to_image (list, model->buffers[from], at, model->image, NULL);
      memcpy (model->texels, model->bytes[from] + at, IMAGE_SIZE);
      break;
    case 4:
      at = 4 * pick (model, (BUFFER_SIZE - IMAGE_SIZE) / 4 + 1);
      gabbro_command_list_copy_image_to_buffer (list, model->image, model->buffers[to], at, NULL);
      memcpy (model->bytes[to] + at, model->texels, IMAGE_SIZE);
      break;
    default:
      {
        GabbroBuffer *view = new_view (model->buffers[to], at / 4, size / 4);
        gabbro_command_list_run (list, model->shader, size / 4, 1, 1, NULL, "data", view, NULL);
        for (guint i = 0; i < size; i += 4)
          {
            guint32 word;
            memcpy (&word, model->bytes[to] + at + i, 4);
            word++;
            memcpy (model->bytes[to] + at + i, &word, 4);
          }
        g_object_unref (view);
        break;
      }
    }
}

static void
compare (struct model *model)
{
  guint8 bytes[BUFFER_SIZE];
  GError *error = NULL;

  for (guint i = 0; i < N_BUFFERS; i++)
    {
      gabbro_buffer_download (model->buffers[i], 0, bytes, sizeof bytes, &error);
      assert_no_error (error);
      ck_assert_mem_eq (bytes, model->bytes[i], BUFFER_SIZE);
    }
  gabbro_image_download (model->image, bytes, IMAGE_SIZE, &error);
  assert_no_error (error);
  ck_assert_mem_eq (bytes, model->texels, IMAGE_SIZE);
}

static void
run_random (struct device_test test, guint32 seed, guint n_lists)
{
  struct model model = { .test = test, .random = g_rand_new_with_seed (seed) };
  GError *error = NULL;

  model.shader = new_shader (test.device, kernels, "increment");
  model.image = new_image (test.device, GABBRO_FORMAT_RGBA8_UNORM, IMAGE_SIDE, IMAGE_SIDE);
  gabbro_image_upload (model.image, model.texels, IMAGE_SIZE, &error);
  assert_no_error (error);
  for (guint i = 0; i < N_BUFFERS; i++)
    {
      model.buffers[i] = new_buffer (test.device, "uint", BUFFER_SIZE / 4);
      gabbro_buffer_upload (model.buffers[i], 0, model.bytes[i], BUFFER_SIZE, &error);
      assert_no_error (error);
    }
  for (guint i = 0; i < n_lists; i++)
    {
      GabbroCommandList *list = new_list (test.device);

      for (guint j = pick (&model, 40) + 1; j > 0; j--)
        random_command (&model, list);
      gabbro_stream_submit (test.stream, list, &error);
      assert_no_error (error);
      g_object_unref (list);
      if (pick (&model, 3) == 0)
        compare (&model);
    }
  compare (&model);
  for (guint i = 0; i < N_BUFFERS; i++)
    g_object_unref (model.buffers[i]);
  g_object_unref (model.image);
  g_object_unref (model.shader);
  g_rand_free (model.random);
  device_test_end (&test);
}

START_TEST (random_commands)
{
  run_random (device_test_begin (), 1 + (guint32) _i, 60);
}
END_TEST

/* The same where device memory cannot be mapped, so that everything is staged. */
START_TEST (random_commands_unmapped)
{
  run_random (masked_test_begin ("-mappableDeviceMemory"), 100, 60);
}
END_TEST

START_TEST (dispatch_sizes)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "mark");
  GError *error = NULL;

  for (guint n = 1; n <= 200; n += n < 4 || (n > 61 && n < 67) ? 1 : 29)
    {
      GabbroBuffer *buffer = new_buffer (test.device, "uint", 256);
      GabbroCommandList *list = new_list (test.device);
      guint32 words[256];

      gabbro_command_list_fill (list, buffer, 0, sizeof words, 5, NULL);
      gabbro_command_list_run (list, shader, n, 1, 1, NULL, "data", buffer, NULL);
      gabbro_command_list_download (list, buffer, 0, words, sizeof words, NULL);
      submit (test.stream, list);
      synchronize (test.stream);
      /* Threads past the size do nothing. */
      for (guint i = 0; i < 256; i++)
        ck_assert_uint_eq (words[i], i < n ? i + 6 : 5);
      g_object_unref (list);
      g_object_unref (buffer);
    }
  {
    GabbroBuffer *buffer = new_buffer (test.device, "uint", 256);
    GabbroCommandList *list = new_list (test.device);

    ck_assert (!gabbro_command_list_run (list, shader, 0, 1, 1, &error, "data", buffer, NULL));
    assert_gabbro_error (error, GABBRO_ERROR_LIMIT_EXCEEDED);
    ck_assert (!gabbro_stream_submit (test.stream, list, &error));
    assert_gabbro_error (error, GABBRO_ERROR_LIMIT_EXCEEDED);
    g_object_unref (list);
    g_object_unref (buffer);
  }
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("lists");
  TCase *hazards = gb_test_case (suite, "hazards"), *threads = gb_test_case (suite, "threads");
  TCase *dispatches = gb_test_case (suite, "dispatches"), *frozen = gb_test_case (suite, "frozen");
  TCase *random = gb_test_case (suite, "random");

  tcase_add_test (hazards, ping_pong);
  tcase_add_test (hazards, disjoint_halves);
  tcase_add_test (threads, release_at_once);
  tcase_add_test (threads, threads_on_one_stream);
  tcase_add_test (threads, threads_on_streams);
  tcase_add_test (dispatches, split_dispatch);
  tcase_add_test (dispatches, split_in_two_dimensions);
  tcase_add_test (dispatches, dispatch_sizes);
  tcase_add_test (dispatches, views);
  tcase_add_test (frozen, frozen_many_times);
  tcase_add_test (frozen, frozen_argument_block);
  tcase_add_loop_test (random, random_commands, 0, 4);
  tcase_add_test (random, random_commands_unmapped);
  return suite;
}

GB_TEST_MAIN (make_suite)
