/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reference driver: the same programs as on other devices with the same results, split dispatches, queues, frozen
 * lists, seeds and the loss of a device. */

#include "config.h"

#include <math.h>

#include "tests/gpu/device-test.h"

/* Without device_test_end()'s look at messages. */
static void
drop_test (struct device_test *test)
{
  g_clear_object (&test->stream);
  g_clear_object (&test->device);
  g_clear_object (&test->context);
}

/* Selection. */

START_TEST (only_where_it_is_named)
{
  GabbroContext *context = context_with ("driver-path", empty_folder, "reference", "1", NULL);
  GabbroAdapter *adapter;
  char *reason = NULL;
  GError *error = NULL;

  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 1);
  ck_assert_ptr_null (gabbro_context_select_adapter (context, NULL, NULL, &error));
  assert_message (error, "“Reference interpreter”: used only where it is named");
  assert_gabbro_error (error, GABBRO_ERROR_NO_DEVICE);
  adapter = gabbro_context_select_adapter (context, "reference", &reason, &error);
  assert_no_error (error);
  ck_assert_str_eq (gabbro_adapter_get_path (adapter), "/adapters/reference0");
  ck_assert_int_eq (gabbro_adapter_get_kind (adapter), GABBRO_ADAPTER_CPU);
  g_free (reason);
  g_object_unref (context);

  context = context_with ("driver-path", empty_folder, "reference", "1", "null", "1", NULL);
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 2);
  adapter = gabbro_context_select_adapter (context, NULL, &reason, &error);
  ck_assert_str_eq (gabbro_adapter_get_driver (adapter), "null");
  ck_assert_ptr_nonnull (strstr (reason, "the only adapter"));
  g_free (reason);
  g_object_unref (context);

  context = context_with ("driver-path", empty_folder, "reference", "1", "device", "reference", NULL);
  adapter = gabbro_context_select_adapter (context, NULL, NULL, &error);
  ck_assert_str_eq (gabbro_adapter_get_driver (adapter), "reference");
  g_object_unref (context);

  context = context_with ("driver-path", empty_folder, "reference", "0", NULL);
  ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 0);
  g_object_unref (context);
}
END_TEST

START_TEST (bad_settings)
{
  static const char *const settings[][3] = {
    { "width=3", "0", "GABBRO_REFERENCE (the option “reference”): width=3 is no power of two from 1 to 64" },
    { "steps=few", "0", "GABBRO_REFERENCE (the option “reference”): steps=few is no whole number from 0 to " },
    { "widht=4", "0", "GABBRO_REFERENCE (the option “reference”) has no setting “widht”; there are: 0, 1, width=, threads=, " },
    { "1", "rase", "GABBRO_CHECK (the option “check”) has no word “rase”; there are: 0, 1, check, out-of-bounds, " },
    { "width=0", "0" }, { "width=128", "0" }, { "colour=red", "0" }, { "seed=x", "0" }, { "threads=", "0" },
    { "no-colour", "0" }, { "steps", "0" }, { "1", "everything" }, { "1", "race,red" }, { "queues=17", "0" }, { "reports=0", "0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      GabbroContext *context = reference_context (settings[i][0], settings[i][1]);
      char **messages = gabbro_context_list_messages (context);
      GError *error = NULL;

      ck_assert_uint_eq (gabbro_context_get_n_adapters (context), 0);
      ck_assert_uint_eq (g_strv_length (messages), 1);
      ck_assert_ptr_nonnull (strstr (messages[0], "The driver “reference” is not used"));
      ck_assert (settings[i][2] == NULL || strstr (messages[0], settings[i][2]) != NULL);
      ck_assert_ptr_null (gabbro_context_select_adapter (context, "reference", NULL, &error));
      assert_message (error, settings[i][2] != NULL ? settings[i][2] : "The driver “reference” cannot be used");
      assert_gabbro_error (error, GABBRO_ERROR_BAD_DRIVER);
      g_clear_error (&error);
      g_strfreev (messages);
      g_object_unref (context);
    }
}
END_TEST

static char *
checks_of (const char *settings, const char *check)
{
  GabbroContext *context = reference_context (settings, check);
  GError *error = NULL;
  GVariant *value = gabbro_context_get_attribute (context, "/adapters/reference0", "reference.checks", &error);
  char *checks = value != NULL ? g_variant_dup_string (value, NULL) : g_strdup ("");

  assert_no_error (error);
  g_clear_pointer (&value, g_variant_unref);
  g_object_unref (context);
  return checks;
}

START_TEST (which_checks)
{
  static const struct { const char *settings, *check, *checks; } rows[] = {
    { "1", "0", "" },
    { "race", "0", "" },
    { "race,out-of-bounds", "", "out-of-bounds,race" },
    { "1", "race", "race" },
    { "check,no-check,nan", "", "nan" },
    { "check", "no-race", "out-of-bounds,uninitialised,divergent-barrier,misaligned,overlap,shift-range,convert-range,"
                          "division-by-zero,endless-loop,unreachable,inactive-lane,assert" },
    { "1", "1,nan,no-race,no-overlap", "out-of-bounds,uninitialised,divergent-barrier,misaligned,shift-range,convert-range,"
                                       "division-by-zero,nan,endless-loop,unreachable,inactive-lane,assert" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char *checks = checks_of (rows[i].settings, rows[i].check);
      ck_assert_str_eq (checks, rows[i].checks);
      g_free (checks);
    }
}
END_TEST

/* The same results as another device has: exact operations alone. */

static const char same[] =
  "struct Pair { float2 a; uint b; };\n"
  "struct Many { float4 v[12]; };\n"
  "kernel(64) void saxpy(float a, const buffer<float> x, buffer<float> y)\n"
  "{ uint i = global_id.x; float p = a * x[i]; y[i] = p + y[i]; }\n"
  "kernel(8, 8) void blur(const image2d<float> from, image2d<float> to)\n"
  "{\n"
  "  int2 at = int2(global_id.xy), last = int2(from.size) - 1;\n"
  "  float4 sum = float4(0.0);\n"
  "  for (int dy = -1; dy <= 1; dy++) { for (int dx = -1; dx <= 1; dx++)\n"
  "    { sum += from.read(uint2(clamp(at + int2(dx, dy), int2(0), last))); } }\n"
  "  to.write(uint2(at), sum * 0.125);\n"
  "}\n"
  "kernel(4, 4, 2) void values(bool flag, bool3 flags, Pair pair, int3 i, buffer<float> out)\n"
  "{\n"
  "  uint at = (global_id.z * dispatch_size.y + global_id.y) * dispatch_size.x + global_id.x;\n"
  "  float f = flag ? pair.a.x : pair.a.y;\n"
  "  f += flags.x ? 1.0 : 0.0; f += flags.y ? 2.0 : 0.0; f += flags.z ? 4.0 : 0.0;\n"
  "  out[at] = f + float(i.x + i.y * i.z) + float(pair.b) + float(at);\n"
  "}\n"
  "kernel(32) void many(Many m, buffer<float> out, const buffer<float> unread)\n"
  "{ uint i = global_id.x; out[i] = m.v[i % 12u].y + float(unread.length) + float(out.length); }\n"
  "kernel(64) void together(buffer<uint> out)\n"
  "{\n"
  "  shared uint tile[64]; shared uint count;\n"
  "  uint l = local_id.x, i = global_id.x;\n"
  "  tile[l] = i * 7u;\n"
  "  if (l == 0u) { count = 0u; }\n"
  "  barrier();\n"
  "  atomic_add(count, tile[63u - l] & 15u);\n"
  "  barrier();\n"
  "  uint all = 0u;\n"
  "  for (uint j = 0u; j < 64u; j += 1u) { all += tile[j] ^ j; }\n"
  "  atomic_max(out[0], all + i);\n"
  "  out[i + 1u] = all + count + uint(subgroup_all(true));\n"
  "}\n";

static GabbroShader *
same_shader (struct device_test *test, const char *name)
{
  return new_shader (test->device, same, name);
}

static GBytes *
bytes_of (GabbroBuffer *buffer)
{
  gsize size = gabbro_buffer_get_size (buffer);
  gpointer data = g_malloc (size);

  download (buffer, data, size);
  g_object_unref (buffer);
  return g_bytes_new_take (data, size);
}

/* A view in the middle of a buffer too. */
static GBytes *
run_saxpy (struct device_test *test)
{
  GabbroShader *shader = same_shader (test, "saxpy");
  GabbroBuffer *x = new_buffer (test->device, "float", 1000), *y = new_buffer (test->device, "float", 1000), *view = new_view (x, 13, 900);
  GabbroBuffer *half = new_view (y, 7, 900);
  GabbroCommandList *list = new_list (test->device);
  float values[1000];
  GError *error = NULL;

  for (guint i = 0; i < 1000; i++)
    values[i] = (float) i * 0.3f - 17.0f;
  upload (x, values, sizeof values);
  for (guint i = 0; i < 1000; i++)
    values[i] = 1.0f / (float) (i + 3);
  upload (y, values, sizeof values);
  gabbro_command_list_run (list, shader, 900, 1, 1, &error, "a", 1.7, "x", view, "y", half, NULL);
  finish_list (test, list, error);
  g_object_unref (view);
  g_object_unref (half);
  g_object_unref (x);
  g_object_unref (shader);
  return bytes_of (y);
}

static GBytes *
run_blur (struct device_test *test, GabbroFormat from_format, GabbroFormat to_format)
{
  GabbroShader *shader = same_shader (test, "blur");
  GabbroImage *from = new_image (test->device, from_format, 37, 21), *to = new_image (test->device, to_format, 37, 21);
  gsize from_size = gabbro_image_get_size (from), to_size = gabbro_image_get_size (to);
  GabbroCommandList *list = new_list (test->device);
  guint8 *texels = g_malloc (MAX (from_size, to_size));
  GError *error = NULL;

  for (guint i = 0; i < 37 * 21 * 4; i++)
    if (from_format == GABBRO_FORMAT_RGBA8_UNORM)
      texels[i] = (guint8) (i * 37);
    else
      ((float *) (gpointer) texels)[i] = (float) (i % 256) / 256.0f;
  gabbro_image_upload (from, texels, from_size, &error);
  assert_no_error (error);
  gabbro_command_list_run (list, shader, 37, 21, 1, &error, "from", from, "to", to, NULL);
  finish_list (test, list, error);
  gabbro_image_download (to, texels, to_size, &error);
  assert_no_error (error);
  g_object_unref (from);
  g_object_unref (to);
  g_object_unref (shader);
  return g_bytes_new_take (texels, to_size);
}

static GBytes *
run_blur_float (struct device_test *test)
{
  return run_blur (test, GABBRO_FORMAT_RGBA32_FLOAT, GABBRO_FORMAT_RGBA32_FLOAT);
}

static GBytes *
run_blur_bytes (struct device_test *test)
{
  return run_blur (test, GABBRO_FORMAT_RGBA32_FLOAT, GABBRO_FORMAT_RGBA8_UNORM);
}

static GBytes *
run_values (struct device_test *test)
{
  static const struct { float a[2]; guint32 b, padding; } pair = { { 0.5f, 0.25f }, 9, 0 };
  static const gint32 i[4] = { -5, 7, 11, 0 };
  static const guint32 flags[4] = { 1, 0, 1, 0 };
  GabbroShader *shader = same_shader (test, "values");
  GabbroBuffer *out = new_buffer (test->device, "float", 9 * 7 * 3);
  GabbroCommandList *list = new_list (test->device);
  GError *error = NULL;

  gabbro_command_list_fill (list, out, 0, 9 * 7 * 3 * 4, 0, NULL);
  gabbro_command_list_run (list, shader, 9, 7, 3, &error, "flag", TRUE, "flags", flags, "pair", &pair, "i", i, "out", out, NULL);
  finish_list (test, list, error);
  g_object_unref (shader);
  return bytes_of (out);
}

/* Too many values for push constants, and a buffer of which the length alone is asked for. */
static GBytes *
run_many (struct device_test *test)
{
  GabbroShader *shader = same_shader (test, "many");
  GabbroBuffer *out = new_buffer (test->device, "float", 100), *unread = new_buffer (test->device, "float", 55);
  GabbroCommandList *list = new_list (test->device);
  float many[48];
  GError *error = NULL;

  for (guint i = 0; i < 48; i++)
    many[i] = (float) i;
  gabbro_command_list_run (list, shader, 100, 1, 1, &error, "m", many, "out", out, "unread", unread, NULL);
  finish_list (test, list, error);
  g_object_unref (unread);
  g_object_unref (shader);
  return bytes_of (out);
}

/* Shared memory, barriers, atomics, and what a subgroup of any width agrees on. */
static GBytes *
run_together (struct device_test *test)
{
  GabbroShader *shader = same_shader (test, "together");
  GabbroBuffer *out = new_buffer (test->device, "uint", 64 * 9 + 1);
  GabbroCommandList *list = new_list (test->device);
  GError *error = NULL;

  gabbro_command_list_fill (list, out, 0, (64 * 9 + 1) * 4, 0, NULL);
  gabbro_command_list_run (list, shader, 64 * 9, 1, 1, &error, "out", out, NULL);
  finish_list (test, list, error);
  g_object_unref (shader);
  return bytes_of (out);
}

/* Matrices, and bits that are other lanes: of whole numbers, so that nothing is rounded. */
static GBytes *
run_columns (struct device_test *test)
{
  static const char source[] =
    "kernel(4) void columns(buffer<uint> out)\n"
    "{\n"
    "    float k = float(global_id.x);\n"
    "    float2x2 m = float2x2(1, 2, 3, 4 + k);\n"
    "    float3x3 n = float3x3(1, 0, 2, 0, 3, k, 1, 1, 1);\n"
    "    float2 v = m * float2(k, 2), w = float2(k, 5) * m;\n"
    "    float2x2 p = transpose(m) * m - outer_product(v, w) + mul_elements(m, m) * 2;\n"
    "    ulong l = bitcast<ulong>(uint2(global_id.x, 7)) + 0xffff'ffff;\n"
    "    uchar4 c = bitcast<uchar4>(global_id.x * 0x01020304);\n"
    "    uint at = global_id.x * 8;\n"
    "    out[at] = uint(int(v.x) + 100 * int(v.y)) + uint(int(w.x) * 3 + int(w.y));\n"
    "    out[at + 1] = uint(int(determinant(n)));\n"
    "    out[at + 2] = uint(int(p[0].x) + 10 * int(p[0].y));\n"
    "    out[at + 3] = uint(int(p[1].x) + 10 * int(p[1].y));\n"
    "    out[at + 4] = bitcast<uint2>(l).x;\n"
    "    out[at + 5] = bitcast<uint2>(l).y;\n"
    "    out[at + 6] = uint(c.x) + 256 * uint(c.w);\n"
    "    out[at + 7] = bitcast<uint>(uchar4(c.wzyx));\n"
    "}\n";
  GabbroShader *shader = new_shader (test->device, source, "columns");
  GabbroBuffer *out = new_buffer (test->device, "uint", 12 * 8);
  GabbroCommandList *list = new_list (test->device);
  GError *error = NULL;

  gabbro_command_list_run (list, shader, 12, 1, 1, &error, "out", out, NULL);
  finish_list (test, list, error);
  g_object_unref (shader);
  return bytes_of (out);
}

static GBytes *(*const programs[]) (struct device_test *test) = {
  run_saxpy, run_blur_float, run_blur_bytes, run_values, run_many, run_together, run_columns
};

/* Of a value between two bytes Vulkan lets a device store either of the two, the nearer one by preference only. Whether all
 * bytes are one of their two, for the exact `values`, and how many are not the nearer one, ties to even. */
static gboolean
is_one_of_two (GBytes *bytes, GBytes *values, guint *n_other)
{
  const guint8 *stored = g_bytes_get_data (bytes, NULL);
  const float *exact = g_bytes_get_data (values, NULL);
  gsize n = g_bytes_get_size (bytes);

  *n_other = 0;
  ck_assert_uint_eq (g_bytes_get_size (values), n * sizeof *exact);
  for (gsize i = 0; i < n; i++)
    {
      double wanted = fmin (fmax (exact[i], 0.0), 1.0) * 255.0;

      if (stored[i] < floor (wanted) || stored[i] > ceil (wanted))
        return FALSE;
      *n_other += stored[i] != rint (wanted);
    }
  return TRUE;
}

/* The bytes of another device against the exact values: every sum is a multiple of 1/2048, so that no float rounds. */
START_TEST (bytes_of_another_device)
{
  struct device_test test = device_test_begin (), reference;
  gboolean is_software = gabbro_adapter_get_kind (gabbro_device_get_adapter (test.device)) == GABBRO_ADAPTER_CPU;
  GBytes *bytes = run_blur_bytes (&test), *nearest, *values;
  guint n_other;

  device_test_end (&test);
  reference = reference_test_begin ("1", "");
  nearest = run_blur_bytes (&reference);
  values = run_blur_float (&reference);
  device_test_end (&reference);
  ck_assert (is_one_of_two (nearest, values, &n_other));
  ck_assert_uint_eq (n_other, 0);
  ck_assert (is_one_of_two (bytes, values, &n_other));
  if (n_other > 0)
    printf ("%u of %" G_GSIZE_FORMAT " bytes are the farther one of two, or the odd one\n", n_other, g_bytes_get_size (bytes));
  if (is_software)
    ck_assert_uint_eq (n_other, 0);
  g_bytes_unref (bytes);
  g_bytes_unref (nearest);
  g_bytes_unref (values);
}
END_TEST

/* Each program in many ways, none of which makes a difference. What bytes another device makes of a value that is none, it
 * may choose (above): there one way of the reference driver is compared with the others. */
START_TEST (same_as_another_device)
{
  static const char *const settings[] = {
    "1", "width=1", "width=64,threads=1", "width=8,threads=3,seed=99", "max-group-count=2", "max-push-constants=128,width=16", "check,seed=5"
  };
  struct device_test test = programs[_i] == run_blur_bytes ? reference_test_begin ("1", "") : device_test_begin ();
  GBytes *right = programs[_i] (&test);

  device_test_end (&test);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      GBytes *bytes;
      GPtrArray *reports;

      test = reference_test_begin (settings[i], "");
      bytes = programs[_i] (&test);
      ck_assert_msg (g_bytes_equal (bytes, right), "program %d with “%s”", _i, settings[i]);
      reports = gabbro_device_list_reports (test.device);
      ck_assert_uint_eq (reports->len, 0);
      g_ptr_array_unref (reports);
      g_bytes_unref (bytes);
      device_test_end (&test);
    }
  g_bytes_unref (right);
}
END_TEST

/* Split, frozen, over several queues. */

static const char counting[] =
  "kernel(4) void count(uint first, buffer<uint> out) { out[global_id.x] = first + global_id.x * dispatch_size.x; }\n"
  "kernel(1) void mix(buffer<uint> out) { out[0] = out[0] * 31u + global_id.x + 1u; }\n"
  "kernel(1) void forever(buffer<uint> b) { while (b[0] == 0u) { b[1] = b[1] + 1u; } }\n";

START_TEST (split_dispatch)
{
  struct device_test test = reference_test_begin ("max-group-count=3", "");
  GabbroShader *shader = new_shader (test.device, counting, "count");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 103);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[103];
  GError *error = NULL;

  gabbro_command_list_run (list, shader, 103, 1, 1, &error, "first", 17u, "out", buffer, NULL);
  assert_no_error (error);
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 9);
  submit_list (test.stream, list);
  download (buffer, words, sizeof words);
  for (guint i = 0; i < 103; i++)
    ck_assert_uint_eq (words[i], 17 + i * 103);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

START_TEST (frozen_list)
{
  struct device_test test = reference_test_begin ("1", "1");
  GabbroShader *shader = new_shader (test.device, counting, "count");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 8);
  GabbroCommandList *list = new_list (test.device);
  guint32 words[8], first;
  GError *error = NULL;

  gabbro_command_list_run (list, shader, 8, 1, 1, &error, "first", 1u, "out", buffer, NULL);
  assert_no_error (error);
  gabbro_command_list_freeze (list, NULL, &error);
  assert_no_error (error);
  for (first = 1; first < 5; first++)
    {
      gabbro_command_list_update_value (list, 0, 0, &first, sizeof first, &error);
      assert_no_error (error);
      submit (test.stream, list);
      submit (test.stream, list);
      download (buffer, words, sizeof words);
      for (guint i = 0; i < 8; i++)
        ck_assert_uint_eq (words[i], first + i * 8);
    }
  g_object_unref (list);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* A chain over three queues, the last of which only copies; with checks and without. */
START_TEST (several_queues)
{
  struct device_test test = reference_test_begin ("queues=3,copy-queues=1", _i == 0 ? "" : "1");
  GabbroStream *second = new_stream (test.device, gabbro_device_get_queue (test.device, 1));
  GabbroStream *copies = new_stream (test.device, gabbro_device_get_queue (test.device, 2));
  GabbroShader *shader = new_shader (test.device, counting, "mix");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 1), *copy = new_buffer (test.device, "uint", 1);
  GabbroEvent *event = new_event (test.device);
  GError *error = NULL;
  guint32 value = 0;

  ck_assert_uint_eq (gabbro_queue_get_flags (gabbro_device_get_queue (test.device, 2)), GABBRO_QUEUE_CAN_TRANSFER);
  submit_list (test.stream, fill_list (test.device, buffer, 0));
  for (guint i = 0; i < 20; i++)
    {
      GabbroStream *stream = i % 2 == 0 ? test.stream : second;
      GabbroCommandList *list = new_list (test.device);

      gabbro_command_list_run (list, shader, 1, 1, 1, &error, "out", buffer, NULL);
      assert_no_error (error);
      if (i > 0)
        gabbro_stream_wait (stream, event, i, &error);
      assert_no_error (error);
      submit_list (stream, list);
      gabbro_stream_signal (stream, event, i + 1, &error);
      assert_no_error (error);
      value = value * 31 + 1;
    }
  gabbro_stream_wait (copies, event, 20, &error);
  assert_no_error (error);
  submit_list (copies, copy_list (test.device, buffer, copy));
  synchronize (copies);
  ck_assert_uint_eq (first_word (copy), value);
  g_object_unref (event);
  g_object_unref (copy);
  g_object_unref (buffer);
  g_object_unref (shader);
  g_object_unref (second);
  g_object_unref (copies);
  device_test_end (&test);
}
END_TEST

/* The order of workgroups: one after the other without a seed, the same for the same seed, another for another. */
static guint32
mix_with (const char *settings)
{
  struct device_test test = reference_test_begin (settings, "");
  GabbroShader *shader = new_shader (test.device, counting, "mix");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 1);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;
  guint32 result;

  gabbro_command_list_fill (list, buffer, 0, 4, 0, NULL);
  gabbro_command_list_run (list, shader, 100, 1, 1, &error, "out", buffer, NULL);
  finish_list (&test, list, error);
  result = first_word (buffer);
  g_object_unref (buffer);
  g_object_unref (shader);
  device_test_end (&test);
  return result;
}

START_TEST (seeds_replay)
{
  guint32 in_order = 0;

  for (guint i = 0; i < 100; i++)
    in_order = in_order * 31 + i + 1;
  ck_assert_uint_eq (mix_with ("threads=1"), in_order);
  ck_assert_uint_eq (mix_with ("threads=1,seed=7"), mix_with ("threads=1,seed=7"));
  ck_assert_uint_ne (mix_with ("threads=1,seed=7"), in_order);
  ck_assert_uint_ne (mix_with ("threads=1,seed=7"), mix_with ("threads=1,seed=8"));
  /* With checks there is one thread in any case. */
  ck_assert_uint_eq (mix_with ("threads=3,seed=7,shift-range"), mix_with ("threads=1,seed=7"));
}
END_TEST

/* Loss. */

struct news
{
  guint n_reports, n_lost;
};

static void
on_report (GabbroDevice *device, GabbroReport *report, struct news *news)
{
  news->n_reports++;
}

static void
on_lost (GabbroDevice *device, const GError *error, struct news *news)
{
  ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_DEVICE_LOST));
  news->n_lost++;
}

static void
iterate_until (const guint *count, guint least)
{
  gint64 end = g_get_monotonic_time () + soon (20 * SECOND);

  while (*count < least && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (200);
  ck_assert_uint_ge (*count, least);
}

/* A kernel that does not end in time takes the device with it, as a watchdog would; checks say where it was. */
START_TEST (endless_kernel)
{
  gboolean checks = _i == 1;
  struct device_test test = reference_test_begin ("steps=20000", checks ? "1" : "");
  GabbroShader *shader = new_shader (test.device, counting, "forever");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = new_list (test.device);
  struct news news = { 0 };
  GError *error = NULL;
  char **messages;

  g_signal_connect (test.device, "report", G_CALLBACK (on_report), &news);
  g_signal_connect (test.device, "lost", G_CALLBACK (on_lost), &news);
  gabbro_command_list_fill (list, buffer, 0, 16, 0, NULL);
  gabbro_command_list_run (list, shader, 1, 1, 1, &error, "b", buffer, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  ck_assert (!gabbro_stream_synchronize (test.stream, 60 * SECOND, &error));
  assert_gabbro_error (error, GABBRO_ERROR_DEVICE_LOST);
  iterate_until (&news.n_lost, 1);
  ck_assert_uint_eq (news.n_reports, checks);
  ck_assert (gabbro_device_is_lost (test.device));
  messages = gabbro_context_list_messages (test.context);
  ck_assert_ptr_nonnull (messages[0]);
  ck_assert_ptr_nonnull (strstr (messages[0], "“forever” did not end within 20000 steps"));
  g_strfreev (messages);
  g_object_unref (buffer);
  g_object_unref (shader);
  drop_test (&test);
}
END_TEST

/* A kernel that runs for ever is told to stop when the device is lost for another reason. */
START_TEST (lost_while_running)
{
  struct device_test test = reference_test_begin ("queues=2,lose-submit=2", "");
  GabbroStream *second = new_stream (test.device, gabbro_device_get_queue (test.device, 1));
  GabbroShader *shader = new_shader (test.device, counting, "forever");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4), *other = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;

  gabbro_command_list_fill (list, buffer, 0, 16, 0, NULL);
  gabbro_command_list_run (list, shader, 1, 1, 1, &error, "b", buffer, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  list = fill_list (test.device, other, 1);
  gabbro_stream_submit (second, list, &error);
  g_clear_error (&error);
  ck_assert (!gabbro_stream_synchronize (test.stream, 60 * SECOND, &error));
  assert_gabbro_error (error, GABBRO_ERROR_DEVICE_LOST);
  g_object_unref (list);
  g_object_unref (second);
  g_object_unref (other);
  g_object_unref (buffer);
  g_object_unref (shader);
  drop_test (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("reference");
  TCase *test_case = null_test_case (suite, "reference"), *results = null_test_case (suite, "results");

  tcase_add_test (test_case, only_where_it_is_named);
  tcase_add_test (test_case, bad_settings);
  tcase_add_test (test_case, which_checks);
  tcase_add_test (results, bytes_of_another_device);
  tcase_add_loop_test (results, same_as_another_device, 0, G_N_ELEMENTS (programs));
  tcase_add_test (test_case, split_dispatch);
  tcase_add_test (test_case, frozen_list);
  tcase_add_loop_test (test_case, several_queues, 0, 2);
  tcase_add_test (test_case, seeds_replay);
  tcase_add_loop_test (test_case, endless_kernel, 0, 2);
  tcase_add_test (test_case, lost_while_running);
  return suite;
}

GB_TEST_MAIN (make_suite)
