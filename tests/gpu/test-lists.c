/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Command lists on llvmpipe with validation: barriers, releasing at once, many
 * threads, split dispatches, frozen lists, arguments, views. Random copies are in test-copies.c. */

#include "config.h"

#include "tests/gpu/device-test.h"

#define N 4096

static const char kernels[] =
  "kernel(64) void add_one(const buffer<uint> from, buffer<uint> to) { uint i = global_id.x; to[i] = from[i] + 1; }\n"
  "kernel(64) void store(buffer<uint> to, uint value) { to[global_id.x] = value + global_id.x; }\n"
  "kernel(64) void count(buffer<uint> to, uint base) { to[global_id.x] += base + global_id.x; }\n"
  "kernel(4, 4, 4) void mark(buffer<uint> to, uint3 size)\n"
  "{ to[(global_id.z * size.y + global_id.y) * size.x + global_id.x] += 1; }\n";

static void
check_words (GabbroBuffer *buffer, guint n, guint32 first, guint32 step)
{
  guint32 *words = g_new (guint32, n);

  download (buffer, words, n * 4);
  for (guint i = 0; i < n; i++)
    if (words[i] != first + step * i)
      ck_abort_msg ("word %u is %u, not %u", i, words[i], first + step * i);
  g_free (words);
}

static void
run (GabbroCommandList *list, GabbroShader *shader, guint n, GabbroBuffer *to, guint32 value)
{
  GError *error = NULL;

  gabbro_command_list_set_shader (list, shader, &error);
  gabbro_command_list_set_buffer (list, 0, to, error == NULL ? &error : NULL);
  gabbro_command_list_set_uint (list, 1, value, error == NULL ? &error : NULL);
  gabbro_command_list_dispatch (list, n, 1, 1, error == NULL ? &error : NULL);
  assert_no_error (error);
}

/* A35: RAW and WAR, a thousand times, with as many barriers as it needs and not one more. */
START_TEST (ping_pong)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "add_one");
  GabbroBuffer *buffers[2] = { new_buffer (test.device, "uint", N), new_buffer (test.device, "uint", N) };
  GabbroBuffer *copy = new_buffer (test.device, "uint", N);
  GabbroCommandList *list = new_list (test.device);
  guint32 *words = g_new0 (guint32, N);
  GError *error = NULL;
  char **lines;

  gabbro_command_list_fill (list, buffers[0], 0, N * 4, 0, &error);
  for (guint i = 0; i < 1000; i++)
    {
      gabbro_command_list_run (list, shader, N, 1, 1, &error, "from", buffers[i % 2], "to", buffers[1 - i % 2], NULL);
      assert_no_error (error);
    }
  gabbro_command_list_copy_buffer (list, buffers[0], 0, copy, 0, N * 4, &error);
  gabbro_command_list_download (list, copy, 0, words, N * 4, &error);
  assert_no_error (error);
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 1003);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1002);
  lines = gabbro_command_list_explain_barriers (list);
  ck_assert_uint_eq (g_strv_length (lines), 1002);
  ck_assert_ptr_nonnull (strstr (lines[1], "#2 (dispatch of “add_one”, 64×1×1 groups) after #1 (dispatch of “add_one”, 64×1×1 groups): read after write"));
  g_strfreev (lines);
  submit (test.stream, list);
  synchronize (test.stream);
  for (guint i = 0; i < N; i++)
    ck_assert_uint_eq (words[i], 1000);
  g_object_unref (list);

  /* Disjoint halves of one buffer, written side by side: one layer; a reader of both: one barrier. */
  list = new_list (test.device);
  {
    GabbroShader *store = new_shader (test.device, kernels, "store");
    GabbroBuffer *low = new_view (copy, 0, N / 2), *high = new_view (copy, N / 2, N / 2);

    for (guint i = 0; i < 10; i++)
      {
        run (list, store, N / 2, i % 2 == 0 ? low : high, i % 2 == 0 ? 5 : 5 + N / 2);
        ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), i / 2);
      }
    g_object_unref (low);
    g_object_unref (high);
    g_object_unref (store);
  }
  submit_list (test.stream, list);
  check_words (copy, N, 5, 1);
  g_free (words);
  g_object_unref (copy);
  g_object_unref (buffers[0]);
  g_object_unref (buffers[1]);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* A36 a: nothing is kept but the device. */
START_TEST (released_at_once)
{
  struct device_test test = device_test_begin ();
  guint32 words[20][64] = { { 0 } };

  for (guint i = 0; i < 20; i++)
    {
      GabbroStream *stream = new_stream (test.device, NULL);
      GabbroShader *shader = new_shader (test.device, kernels, "store");
      GabbroBuffer *buffer = new_buffer (test.device, "uint", 1 << 20);
      GabbroCommandList *list = new_list (test.device);

      run (list, shader, 1 << 20, buffer, i);
      gabbro_command_list_download (list, buffer, 1000, words[i], sizeof words[i], NULL);
      submit_list (stream, list);
      g_object_unref (buffer);
      g_object_unref (shader);
      g_object_unref (stream);
    }
  ck_assert (gabbro_device_synchronize (test.device, 60 * SECOND, NULL));
  for (guint i = 0; i < 20; i++)
    for (guint j = 0; j < 64; j++)
      ck_assert_uint_eq (words[i][j], i + 250 + j);
  device_test_end (&test);
}
END_TEST

/* A36 b: eight threads on one stream, and on one each, while another synchronizes the device. */
struct worker
{
  struct device_test *test;
  GabbroStream *stream;
  GabbroShader *shader;
  GabbroBuffer *buffer;
};

static gpointer
work (gpointer data)
{
  struct worker *worker = data;
  GError *error = NULL;

  for (guint i = 0; i < 100; i++)
    {
      GabbroCommandList *list = gabbro_command_list_new (worker->test->device, &error);

      for (guint j = 0; j < 10; j++)
        gabbro_command_list_run (list, worker->shader, 64, 1, 1, NULL, "to", worker->buffer, "base", 1u, NULL);
      gabbro_stream_submit (worker->stream, list, &error);
      g_object_unref (list);
      if (error != NULL)
        return error;
    }
  gabbro_stream_synchronize (worker->stream, 100 * SECOND, &error);
  return error;
}

static gint synchronizing;

static gpointer
synchronize_device (gpointer device)
{
  GError *error = NULL;

  while (g_atomic_int_get (&synchronizing) && error == NULL)
    gabbro_device_synchronize (device, 100 * SECOND, &error);
  return error;
}

START_TEST (eight_threads)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "count");
  struct worker workers[8];
  GThread *threads[9];
  guint32 zeros[64] = { 0 };
  GError *error;

  g_atomic_int_set (&synchronizing, 1);
  threads[8] = g_thread_new ("synchronize", synchronize_device, test.device);
  for (guint i = 0; i < 8; i++)
    {
      workers[i] = (struct worker) { &test, _i == 0 ? g_object_ref (test.stream) : new_stream (test.device, NULL), shader,
                                     new_buffer (test.device, "uint", 64) };
      upload (workers[i].buffer, zeros, sizeof zeros);
    }
  for (guint i = 0; i < 8; i++)
    threads[i] = g_thread_new ("work", work, &workers[i]);
  for (guint i = 0; i < 8; i++)
    {
      error = g_thread_join (threads[i]);
      assert_no_error (error);
    }
  g_atomic_int_set (&synchronizing, 0);
  error = g_thread_join (threads[8]);
  assert_no_error (error);
  for (guint i = 0; i < 8; i++)
    {
      check_words (workers[i].buffer, 64, 1000, 1000);
      g_object_unref (workers[i].buffer);
      g_object_unref (workers[i].stream);
    }
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* A36 c: more workgroups than the device takes at once. */
START_TEST (split_dispatch)
{
  /* llvmpipe's own limit, and one that only the mask has. */
  static const struct { const char *mask; guint n_parts; } rows[] = {
    { "maxComputeWorkGroupCount=65535", 3 }, { "maxComputeWorkGroupCount=1000", 157 }
  };
  struct device_test test = masked_test_begin (rows[_i].mask);
  GabbroShader *shader = new_shader (test.device, kernels, "count");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 10000000);
  GabbroCommandList *list = new_list (test.device);

  gabbro_command_list_fill (list, buffer, 0, 40000000, 0, NULL);
  run (list, shader, 10000000, buffer, 17);
  /* 156,250 workgroups: 65,535 + 65,535 + 25,180, or 156 times 1,000 and 250. */
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 1 + rows[_i].n_parts);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  submit_list (test.stream, list);
  check_words (buffer, 10000000, 17, 1);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* In three dimensions, each size no multiple of the workgroup and more than the mask allows. */
START_TEST (split_in_three_dimensions)
{
  struct device_test test = masked_test_begin ("maxComputeWorkGroupCount=2");
  GabbroShader *shader = new_shader (test.device, kernels, "mark");
  const guint32 size[4] = { 19, 10, 13 };      /* a uint3 has the room of four */
  guint n = 19 * 10 * 13;
  GabbroBuffer *buffer = new_buffer (test.device, "uint", n + 64);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;
  guint32 *words = g_new (guint32, n + 64);

  gabbro_command_list_fill (list, buffer, 0, (n + 64) * 4, 0, NULL);
  gabbro_command_list_run (list, shader, 19, 10, 13, &error, "to", buffer, "size", size, NULL);
  assert_no_error (error);
  /* 5 × 3 × 4 workgroups in parts of 2 × 2 × 2. */
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 1 + 3 * 2 * 2);
  submit_list (test.stream, list);
  download (buffer, words, (n + 64) * 4);
  for (guint i = 0; i < n + 64; i++)
    ck_assert_uint_eq (words[i], i < n);
  g_free (words);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Sizes around the workgroup; none at all; far too many. */
START_TEST (dispatch_sizes)
{
  static const guint32 sizes[] = { 1, 2, 63, 64, 65, 127, 129, 1000 };
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, kernels, "count");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 1100);
  guint32 words[1100];
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      GabbroCommandList *list = new_list (test.device);

      gabbro_command_list_fill (list, buffer, 0, sizeof words, 7, NULL);
      run (list, shader, sizes[i], buffer, 0);
      submit_list (test.stream, list);
      download (buffer, words, sizeof words);
      for (guint j = 0; j < 1100; j++)
        ck_assert_uint_eq (words[j], j < sizes[i] ? 7 + j : 7);
    }
  for (guint i = 0; i < 6; i++)
    {
      const guint32 bad[6][3] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 0 }, { G_MAXUINT32, 1, 1 }, { 1, G_MAXUINT32, G_MAXUINT32 }, { 0, 0, 0 } };
      GabbroCommandList *list = new_list (test.device);
      GabbroError code = bad[i][0] == 0 || bad[i][1] == 0 || bad[i][2] == 0 ? GABBRO_ERROR_INVALID_ARGUMENT : GABBRO_ERROR_LIMIT_EXCEEDED;

      gabbro_command_list_set_shader (list, shader, NULL);
      gabbro_command_list_set_buffer (list, 0, buffer, NULL);
      gabbro_command_list_set_uint (list, 1, 0, NULL);
      ck_assert (!gabbro_command_list_dispatch (list, bad[i][0], bad[i][1], bad[i][2], &error));
      assert_gabbro_error (error, code);
      ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 0);
      ck_assert (!gabbro_stream_submit (test.stream, list, &error));
      assert_gabbro_error (error, code);
      g_object_unref (list);
    }
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Atomics are hazards like writes; barriers and numbers of workgroups hold in split dispatches. */
static const char together_kernels[] =
  "kernel(64) void histogram(const buffer<uint> in, buffer<uint> bins)\n"
  "{\n"
  "    shared uint own[16];\n"
  "    if (local_id.x < 16) own[local_id.x] = 0;\n"
  "    barrier();\n"
  "    if (in_dispatch()) atomic_add(own[in[global_id.x] % 16], 1);\n"
  "    barrier();\n"
  "    if (local_id.x < 16) atomic_add(bins[local_id.x], own[local_id.x]);\n"
  "    if (num_groups.x != 47) atomic_add(bins[0], 1000000);\n"
  "}\n";

START_TEST (together)
{
  static const struct { const char *mask; guint n_parts; } rows[] = {
    { "maxComputeWorkGroupCount=1000", 1 }, { "maxComputeWorkGroupCount=20:1:1,-VK_EXT_shader_atomic_float", 3 }
  };
  struct device_test test = masked_test_begin (rows[_i].mask);
  GabbroShader *shader = new_shader (test.device, together_kernels, "histogram");
  GabbroBuffer *in = new_buffer (test.device, "uint", 3000), *bins = new_buffer (test.device, "uint", 16);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[3000], result[16], wanted[16] = { 0 };
  GError *error = NULL;

  for (guint i = 0; i < 3000; i++)
    {
      words[i] = i * 2654435761u >> 20;
      wanted[words[i] % 16] += 3;
    }
  gabbro_command_list_upload (list, in, 0, words, sizeof words, &error);
  gabbro_command_list_fill (list, bins, 0, sizeof result, 0, &error);
  for (guint i = 0; i < 3; i++)
    gabbro_command_list_run (list, shader, 3000, 1, 1, error == NULL ? &error : NULL, "in", in, "bins", bins, NULL);
  assert_no_error (error);
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 2 + 3 * rows[_i].n_parts);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 3);
  submit_list (test.stream, list);
  download (bins, result, sizeof result);
  for (guint i = 0; i < 16; i++)
    ck_assert_uint_eq (result[i], wanted[i]);
  g_object_unref (in);
  g_object_unref (bins);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Frozen lists: many times, with new values, several in flight, in push constants and in a block. The mask
 * has as few push constants as a device may have. */

static const char frozen_kernels[] =
  "kernel(64) void small(buffer<uint> log, uint slot, uint value) { if (global_id.x == 0) { log[0] += 1; log[slot] = value; } }\n"
  "struct Large { uint4 padding[8]; uint slot; uint value; };\n"
  "kernel(64) void large(buffer<uint> log, Large large)\n"
  "{ if (global_id.x == 0) { log[0] += 1; log[large.slot] = large.value + large.padding[7].w; } }\n";

struct large
{
  guint32 padding[32];
  guint32 slot, value;
  guint32 rest[2];
};

static void
set_frozen (GabbroCommandList *list, gboolean large, gboolean frozen, guint32 slot, guint32 value)
{
  struct large block = { .padding = { [31] = 1000 }, .slot = slot, .value = value };
  GError *error = NULL;

  if (frozen && large)
    gabbro_command_list_update_value (list, 0, 1, &block, sizeof block, &error);
  else if (frozen)
    {
      gabbro_command_list_update_value (list, 0, 1, &slot, 4, &error);
      assert_no_error (error);
      gabbro_command_list_update_value (list, 0, 2, &value, 4, &error);
    }
  else if (large)
    gabbro_command_list_set_value (list, 1, &block, sizeof block, &error);
  else
    {
      gabbro_command_list_set_uint (list, 1, slot, &error);
      gabbro_command_list_set_uint (list, 2, value, &error);
    }
  assert_no_error (error);
}

START_TEST (frozen)
{
  struct device_test test = masked_test_begin ("maxPushConstantsSize=128");
  gboolean large = _i == 1;
  GabbroShader *shader = new_shader (test.device, frozen_kernels, large ? "large" : "small");
  GabbroBuffer *log = new_buffer (test.device, "uint", 256);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[256] = { 0 }, bias = large ? 1000 : 0;
  GError *error = NULL;

  upload (log, words, sizeof words);
  gabbro_command_list_set_shader (list, shader, NULL);
  gabbro_command_list_set_buffer (list, 0, log, NULL);
  set_frozen (list, large, FALSE, 1, 11);
  ck_assert (gabbro_command_list_dispatch (list, 64, 1, 1, &error));
  ck_assert (gabbro_command_list_freeze (list, NULL, &error));
  ck_assert (gabbro_command_list_is_frozen (list));
  ck_assert (!gabbro_command_list_dispatch (list, 64, 1, 1, &error));
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_STATE);
  for (guint i = 0; i < 1000; i++)
    submit (test.stream, list);
  download (log, words, sizeof words);
  ck_assert_uint_eq (words[0], 1000);
  ck_assert_uint_eq (words[1], 11 + bias);

  /* A value of its own for each submission, all in flight together. */
  for (guint i = 2; i < 200; i++)
    {
      set_frozen (list, large, TRUE, i, 3 * i);
      submit (test.stream, list);
    }
  download (log, words, sizeof words);
  ck_assert_uint_eq (words[0], 1198);
  for (guint i = 2; i < 200; i++)
    ck_assert_uint_eq (words[i], 3 * i + bias);

  /* Those that were submitted keep their value although they have not begun. */
  {
    GabbroEvent *event = new_event (test.device);

    ck_assert (gabbro_stream_wait (test.stream, event, 1, NULL));
    for (guint i = 200; i < 210; i++)
      {
        set_frozen (list, large, TRUE, i, 5 * i);
        submit (test.stream, list);
      }
    ck_assert (gabbro_event_signal (event, 1, NULL));
    g_object_unref (event);
  }
  g_object_unref (list);
  synchronize (test.stream);
  download (log, words, sizeof words);
  for (guint i = 200; i < 210; i++)
    ck_assert_uint_eq (words[i], 5 * i + bias);
  g_object_unref (log);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Images in a frozen list, and a list of several dispatches of which one changes. */
START_TEST (frozen_images)
{
  static const char source[] =
    "kernel(8, 8) void scale(const image2d<float> from, image2d<float> to, float by)\n"
    "{ to.write(global_id.xy, from.read(global_id.xy) * by); }\n";
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, source, NULL);
  GabbroImage *a = new_image (test.device, GABBRO_FORMAT_RGBA32_FLOAT, 13, 9), *b = new_image (test.device, GABBRO_FORMAT_RGBA32_FLOAT, 13, 9);
  GabbroCommandList *list = new_list (test.device);
  float texels[13 * 9 * 4], half = 0.5f;
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (texels); i++)
    texels[i] = (float) i;
  ck_assert (gabbro_image_upload (a, texels, sizeof texels, &error));
  gabbro_command_list_run (list, shader, 13, 9, 1, &error, "from", a, "to", b, "by", 4.0, NULL);
  assert_no_error (error);
  gabbro_command_list_run (list, shader, 13, 9, 1, &error, "from", b, "to", a, "by", 0.25, NULL);
  assert_no_error (error);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  ck_assert (gabbro_command_list_freeze (list, gabbro_device_get_queue (test.device, 0), &error));
  for (guint i = 0; i < 20; i++)
    submit (test.stream, list);
  ck_assert (gabbro_command_list_update_value (list, 1, 2, &half, 4, &error));
  submit (test.stream, list);
  submit (test.stream, list);
  ck_assert (gabbro_image_download (a, texels, sizeof texels, &error));
  for (guint i = 0; i < G_N_ELEMENTS (texels); i++)
    ck_assert_float_eq (texels[i], 4.0f * (float) i);
  g_object_unref (list);
  g_object_unref (a);
  g_object_unref (b);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Arguments of all shapes, once in push constants and once beyond their size. */
START_TEST (arguments)
{
  static const char source[] =
    "struct Pair { float gain; int2 offset; };\n"
    "kernel(1) void few(buffer<float> out, bool b, int i, uint u, float f, float3 v, Pair p)\n"
    "{ out[0] = b ? 1.0 : 0.0; out[1] = float(i); out[2] = float(u); out[3] = f; out[4] = v.x; out[5] = v.y; out[6] = v.z;\n"
    "  out[7] = p.gain; out[8] = float(p.offset.x); out[9] = float(p.offset.y); }\n"
    "kernel(1) void many(buffer<float> out, bool b, int i, uint u, float f, float3 v, Pair p, float4 q[8], buffer<float> unused)\n"
    "{ out[0] = b ? 1.0 : 0.0; out[1] = float(i); out[2] = float(u); out[3] = f; out[4] = v.x; out[5] = v.y; out[6] = v.z;\n"
    "  out[7] = p.gain; out[8] = float(p.offset.x); out[9] = float(p.offset.y);\n"
    "  for (int k = 0; k < 8; ++k) out[10 + k] = q[k].w; }\n";
  struct { float gain; float pad; gint32 offset[2]; } pair = { 7.5f, 0, { -8, 9 } };
  struct device_test test = masked_test_begin ("maxPushConstantsSize=128");
  gboolean many = _i == 1;
  GabbroShader *shader = new_shader (test.device, source, many ? "many" : "few");
  GabbroBuffer *out = new_buffer (test.device, "float", 18);
  GabbroCommandList *list = new_list (test.device);
  float v[4] = { 4, 5, 6, 0 }, q[32], results[18] = { 0 };
  GError *error = NULL;

  for (guint i = 0; i < 32; i++)
    q[i] = 100 + (float) i;
  if (many)
    gabbro_command_list_run (list, shader, 1, 1, 1, &error, "out", out, "b", TRUE, "i", -1, "u", 2u, "f", 3.5, "v", v, "p", &pair,
                             "q", q, "unused", out, NULL);
  else
    gabbro_command_list_run (list, shader, 1, 1, 1, &error, "out", out, "b", TRUE, "i", -1, "u", 2u, "f", 3.5, "v", v, "p", &pair, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  download (out, results, sizeof results);
  {
    const float expected[10] = { 1, -1, 2, 3.5f, 4, 5, 6, 7.5f, -8, 9 };

    for (guint i = 0; i < 10; i++)
      ck_assert_float_eq (results[i], expected[i]);
    for (guint i = 0; many && i < 8; i++)
      ck_assert_float_eq (results[10 + i], 103 + 4 * (float) i);
  }
  g_object_unref (out);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Each dispatch has the values that were set when it was recorded. */
START_TEST (block_changes_between_dispatches)
{
  struct device_test test = masked_test_begin ("maxPushConstantsSize=128");
  GabbroShader *shader = new_shader (test.device, frozen_kernels, "large");
  GabbroBuffer *log = new_buffer (test.device, "uint", 256);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[256] = { 0 };
  GError *error = NULL;

  upload (log, words, sizeof words);
  gabbro_command_list_set_shader (list, shader, NULL);
  gabbro_command_list_set_buffer (list, 0, log, NULL);
  for (guint i = 1; i < 256; i++)
    {
      if (i % 3 != 0)
        set_frozen (list, TRUE, FALSE, i, i);
      ck_assert (gabbro_command_list_dispatch (list, 1, 1, 1, &error));
    }
  submit_list (test.stream, list);
  download (log, words, sizeof words);
  ck_assert_uint_eq (words[0], 255);
  for (guint i = 1; i < 256; i++)
    ck_assert_uint_eq (words[i], i % 3 != 0 ? 1000 + i : 0);
  g_object_unref (log);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Views at offsets that no descriptor can have, of elements of 4, 8, 12, 16 and 20 bytes. */
START_TEST (views)
{
  static const struct
  {
    const char *source, *type;
    guint words;                         /* of an element */
  } cases[] = {
    { "kernel(1) void k(const buffer<uint> a, buffer<uint> b) { b[global_id.x] = a[global_id.x] + a.length * 1000; }", "uint", 1 },
    { "kernel(1) void k(const buffer<uint2> a, buffer<uint2> b) { b[global_id.x] = a[global_id.x] + a.length * 1000; }", "uint2", 2 },
    { "struct S { uint a[3]; };\n"
      "kernel(1) void k(const buffer<S> a, buffer<S> b)\n"
      "{ for (int i = 0; i < 3; ++i) b[global_id.x].a[i] = a[global_id.x].a[i] + a.length * 1000; }", "struct<4,array<uint,3>>", 3 },
    { "kernel(1) void k(const buffer<uint4> a, buffer<uint4> b) { b[global_id.x] = a[global_id.x] + a.length * 1000; }", "uint4", 4 },
    { "struct S { uint a[5]; };\n"
      "kernel(1) void k(const buffer<S> a, buffer<S> b)\n"
      "{ for (int i = 0; i < 5; ++i) b[global_id.x].a[i] = a[global_id.x].a[i] + a.length * 1000; }", "struct<4,array<uint,5>>", 5 },
  };
  struct device_test test = masked_test_begin ("minStorageBufferOffsetAlignment=256");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GabbroShader *shader = new_shader (test.device, cases[i].source, NULL);
      GabbroBuffer *from = new_buffer (test.device, cases[i].type, 300), *to = new_buffer (test.device, cases[i].type, 300);
      guint n_words = 300 * cases[i].words;
      guint32 *words = g_new (guint32, n_words), *results = g_new (guint32, n_words);

      ck_assert_uint_eq (gabbro_buffer_get_element_size (from), cases[i].words * 4);
      for (guint j = 0; j < n_words; j++)
        words[j] = j;
      upload (from, words, n_words * 4);
      for (guint first = 0; first < 260; first += first < 8 ? 1 : 37)
        {
          GabbroBuffer *a = new_view (from, first, 7), *b = new_view (to, 299 - first - 10, 7);
          GabbroCommandList *list = new_list (test.device);
          GError *error = NULL;
          guint at = (289 - first) * cases[i].words;

          ck_assert_uint_eq (gabbro_buffer_get_offset (a), first * cases[i].words * 4);
          gabbro_command_list_fill (list, to, 0, n_words * 4, 0xdddddddd, &error);
          gabbro_command_list_run (list, shader, 7, 1, 1, &error, "a", a, "b", b, NULL);
          assert_no_error (error);
          submit_list (test.stream, list);
          download (to, results, n_words * 4);
          for (guint j = 0; j < n_words; j++)
            {
              guint32 expected = j >= at && j < at + 7 * cases[i].words ? 7000 + first * cases[i].words + j - at : 0xdddddddd;
              ck_assert_msg (results[j] == expected, "case %u, view at %u: word %u is %u, not %u", i, first, j, results[j], expected);
            }
          g_object_unref (a);
          g_object_unref (b);
        }
      g_free (words);
      g_free (results);
      g_object_unref (from);
      g_object_unref (to);
      g_object_unref (shader);
    }
  device_test_end (&test);
}
END_TEST

/* A view of a view, of bytes, seen as another type; and beyond its end nothing is touched with checks on. */
START_TEST (bounds_of_views)
{
  struct device_test test = masked_test_begin ("minStorageBufferOffsetAlignment=256");
  GabbroKernel *kernel = new_kernel ("kernel(1) void k(buffer<uint> a) { a[global_id.x] = a.length * 100 + a[global_id.x]; }", NULL);
  GError *error = NULL;
  GabbroShader *shader = gabbro_shader_new (test.device, kernel, GABBRO_COMPILE_BOUNDS_CHECKS, 2, &error);
  GabbroBuffer *bytes = gabbro_buffer_new_bytes (test.device, 400, &error);
  GabbroBuffer *outer = new_view (bytes, 40, 200), *inner = new_view (outer, 20, 48);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[100];

  for (guint i = 0; i < 100; i++)
    words[i] = i;
  upload (bytes, words, sizeof words);
  ck_assert_uint_eq (gabbro_buffer_get_offset (inner), 60);
  gabbro_command_list_run (list, shader, 64, 1, 1, &error, "a", inner, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  download (bytes, words, sizeof words);
  for (guint i = 0; i < 100; i++)
    ck_assert_uint_eq (words[i], i >= 15 && i < 27 ? 1200 + i : i);
  g_object_unref (inner);
  g_object_unref (outer);
  g_object_unref (bytes);
  g_object_unref (shader);
  g_object_unref (kernel);
  device_test_end (&test);
}
END_TEST

/* A28, the parts of floats: the host fills a structure by its documented layout, a kernel takes it apart. */
START_TEST (structure_layout)
{
  static const char source[] =
    "struct S { float a; float3 b; float c; float2 d; float e[3]; float f; };\n"
    "kernel(1) void k(const buffer<S> in, buffer<float> out)\n"
    "{ for (uint i = 0; i < 3; ++i) { uint at = i * 11; S s = in[i];\n"
    "  out[at] = s.a; out[at + 1] = s.b.x; out[at + 2] = s.b.y; out[at + 3] = s.b.z; out[at + 4] = s.c; out[at + 5] = s.d.x;\n"
    "  out[at + 6] = s.d.y; for (uint j = 0; j < 3; ++j) out[at + 7 + j] = s.e[j]; out[at + 10] = s.f; } }\n"
    "kernel(1) void back(const buffer<float> in, buffer<S> out)\n"
    "{ for (uint i = 0; i < 3; ++i) { uint at = i * 11;\n"
    "  out[i].a = in[at]; out[i].b = float3(in[at + 1], in[at + 2], in[at + 3]); out[i].c = in[at + 4]; out[i].d.x = in[at + 5];\n"
    "  out[i].d.y = in[at + 6]; for (uint j = 0; j < 3; ++j) out[i].e[j] = in[at + 7 + j]; out[i].f = in[at + 10]; } }\n";
  struct layout
  {
    float a; float p0[3];
    float b[3]; float p1;
    float c; float p2; float d[2];
    float e[3]; float f;
  } structures[3], returned[3];
  struct device_test test = device_test_begin ();
  GabbroKernel *kernel = new_kernel (source, "k");
  GabbroShader *shader = new_shader (test.device, source, "k"), *back = new_shader (test.device, source, "back");
  GError *error = NULL;
  GabbroBuffer *in = gabbro_buffer_new_for_argument (test.device, kernel, 0, 3, &error);
  GabbroBuffer *out = new_buffer (test.device, "float", 33);
  GabbroCommandList *list = new_list (test.device);
  float values[33];

  assert_no_error (error);
  ck_assert_uint_eq (gabbro_buffer_get_element_size (in), sizeof (struct layout));
  ck_assert_uint_eq (gabbro_kernel_get_argument_size (kernel, 0), sizeof (struct layout));
  memset (structures, 0xaa, sizeof structures);
  for (guint i = 0; i < 3; i++)
    {
      float base = (float) i * 11;

      structures[i].a = base;
      structures[i].c = base + 4;
      structures[i].f = base + 10;
      for (guint j = 0; j < 3; j++)
        {
          structures[i].b[j] = base + 1 + (float) j;
          structures[i].e[j] = base + 7 + (float) j;
        }
      structures[i].d[0] = base + 5;
      structures[i].d[1] = base + 6;
    }
  upload (in, structures, sizeof structures);
  gabbro_command_list_run (list, shader, 1, 1, 1, &error, "in", in, "out", out, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  download (out, values, sizeof values);
  for (guint i = 0; i < 33; i++)
    ck_assert_float_eq (values[i], (float) i);
  /* And back, with the padding untouched. */
  list = new_list (test.device);
  gabbro_command_list_fill (list, in, 0, sizeof structures, 0xaaaaaaaa, &error);
  gabbro_command_list_run (list, back, 1, 1, 1, &error, "in", out, "out", in, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  download (in, returned, sizeof returned);
  ck_assert_mem_eq (returned, structures, sizeof structures);
  g_object_unref (in);
  g_object_unref (out);
  g_object_unref (shader);
  g_object_unref (back);
  g_object_unref (kernel);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("lists");
  TCase *test_case = null_test_case (suite, "lists");

  tcase_add_test (test_case, ping_pong);
  tcase_add_test (test_case, released_at_once);
  tcase_add_loop_test (test_case, eight_threads, 0, 2);
  tcase_add_loop_test (test_case, split_dispatch, 0, 2);
  tcase_add_test (test_case, split_in_three_dimensions);
  tcase_add_test (test_case, dispatch_sizes);
  tcase_add_loop_test (test_case, together, 0, 2);
  tcase_add_loop_test (test_case, frozen, 0, 2);
  tcase_add_test (test_case, frozen_images);
  tcase_add_loop_test (test_case, arguments, 0, 2);
  tcase_add_test (test_case, block_changes_between_dispatches);
  tcase_add_test (test_case, views);
  tcase_add_test (test_case, bounds_of_views);
  tcase_add_test (test_case, structure_layout);
  return suite;
}

GB_TEST_MAIN (make_suite)
