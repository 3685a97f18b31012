/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every documented error of the objects, on the null driver with settable limits;
 * outputs are untouched where a call fails. And what they say of themselves. */

#include "config.h"

#include "tests/gpu/device-test.h"

#define fails(call, code)                              \
  do                                                   \
    {                                                  \
      ck_assert_msg (!(call), "%s works", #call);      \
      assert_gabbro_error (error, code);               \
    }                                                  \
  while (0)

#define fails_with(call, code, part)                   \
  do                                                   \
    {                                                  \
      ck_assert_msg (!(call), "%s works", #call);      \
      assert_message (error, part);                    \
      assert_gabbro_error (error, code);               \
    }                                                  \
  while (0)

/* Buffers. */

START_TEST (buffers)
{
  static const struct { const char *type; const char *shown; guint64 size; } types[] = {
    { "float", "float", 4 }, { "uint", "uint", 4 }, { "int", "int", 4 }, { "float2", "float2", 8 }, { "uint3", "uint3", 16 }, { "int4", "int4", 16 },
    { "vector<float,4>", "float4", 16 }, { "struct<16,float,vector<float,3>>", "struct<16,float,vector<float,3>>", 32 },
    { "array<uint,5>", "array<uint,5>", 20 },
  };
  struct device_test test = null_test_begin ("1");

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GabbroBuffer *buffer = new_buffer (test.device, types[i].type, 7);

      ck_assert_str_eq (gabbro_buffer_get_element_type (buffer), types[i].shown);
      ck_assert_uint_eq (gabbro_buffer_get_element_size (buffer), types[i].size);
      ck_assert_uint_eq (gabbro_buffer_get_length (buffer), 7);
      ck_assert_uint_eq (gabbro_buffer_get_size (buffer), 7 * types[i].size);
      ck_assert_uint_eq (gabbro_buffer_get_offset (buffer), 0);
      ck_assert_ptr_eq (gabbro_buffer_get_device (buffer), test.device);
      g_object_unref (buffer);
    }
  device_test_end (&test);
}
END_TEST

START_TEST (buffer_errors)
{
  static const char *const bad[] = { "", "flot", "float5", "float1", "void", "bool ", "buffer<float>", "texture<2,float>", "vector<float,", "array<float,0>",
                                     "struct<3,float>", "\xff", "vector<vector<float,2>,2>" };
  struct device_test test = null_test_begin ("max-buffer-size=1000,memory=4096");
  GabbroBuffer *buffer;
  GError *error = NULL;
  char *long_name = g_strnfill (1 << 20, 'x');

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    fails (gabbro_buffer_new (test.device, bad[i], 4, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert (gabbro_buffer_new (test.device, long_name, 4, &error) == NULL);
  ck_assert_uint_lt (strlen (error->message), 1000);
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  g_free (long_name);
  fails (gabbro_buffer_new (test.device, "float", 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_new_bytes (test.device, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  /* The product does not fit 64 bits, the next one is 0 modulo 2^64. */
  fails_with (gabbro_buffer_new (test.device, "float4", G_MAXUINT64, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "1000 bytes");
  fails (gabbro_buffer_new (test.device, "float4", G_GUINT64_CONSTANT (1) << 60, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  fails (gabbro_buffer_new_bytes (test.device, G_MAXUINT64, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  fails (gabbro_buffer_new_bytes (test.device, G_MAXUINT64 - 3, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  fails_with (gabbro_buffer_new (test.device, "float", 251, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "251 elements of 4 bytes");
  fails (gabbro_buffer_new_bytes (test.device, 1001, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  buffer = new_buffer (test.device, "float", 250);
  g_object_unref (buffer);
  {
    GabbroBuffer *some[4];
    for (guint i = 0; i < 4; i++)
      some[i] = new_buffer (test.device, "float", 250);
    fails_with (gabbro_buffer_new (test.device, "float", 25, &error), GABBRO_ERROR_OUT_OF_MEMORY, "100 bytes asked for, 96 available");
    for (guint i = 0; i < 4; i++)
      g_object_unref (some[i]);
  }
  device_test_end (&test);
  test = null_test_begin ("fail-buffer=2");
  buffer = new_buffer (test.device, "float", 1);
  fails_with (gabbro_buffer_new (test.device, "float", 1, &error), GABBRO_ERROR_OUT_OF_MEMORY, "fails by request");
  g_object_unref (buffer);
  device_test_end (&test);
}
END_TEST

START_TEST (odd_sizes)
{
  struct device_test test = null_test_begin (_i == 0 ? "1" : "unmapped");

  for (guint size = 1; size < 20; size++)
    {
      GError *error = NULL;
      GabbroBuffer *buffer = gabbro_buffer_new_bytes (test.device, size, &error);
      guint8 sent[20], received[20];

      assert_no_error (error);
      ck_assert_ptr_null (gabbro_buffer_get_element_type (buffer));
      ck_assert_uint_eq (gabbro_buffer_get_size (buffer), size);
      for (guint i = 0; i < size; i++)
        sent[i] = (guint8) (i * 7 + size);
      upload (buffer, sent, size);
      for (guint at = 0; at < size; at++)
        {
          memset (received, 0x99, sizeof received);
          ck_assert (gabbro_buffer_download (buffer, at, received, size - at, &error));
          ck_assert_mem_eq (received, sent + at, size - at);
          ck_assert_uint_eq (received[size - at], 0x99);
          fails (gabbro_buffer_download (buffer, at, received, size - at + 1, &error), GABBRO_ERROR_INVALID_ARGUMENT);
        }
      g_object_unref (buffer);
    }
  device_test_end (&test);
}
END_TEST

START_TEST (views_and_ranges)
{
  struct device_test test = null_test_begin (_i == 0 ? "1" : "unmapped");
  GabbroBuffer *buffer = new_buffer (test.device, "uint2", 10), *view = new_view (buffer, 4, 5), *inner = new_view (view, 1, 2);
  guint32 words[20], word = 42;
  GBytes *bytes;
  GError *error = NULL;

  fails (gabbro_buffer_new_view (buffer, 0, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails_with (gabbro_buffer_new_view (buffer, 10, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT, "of 10");
  fails (gabbro_buffer_new_view (buffer, 0, 11, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_new_view (buffer, G_MAXUINT64, 2, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_new_view (buffer, 2, G_MAXUINT64, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_new_view (view, 4, 2, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert_uint_eq (gabbro_buffer_get_offset (inner), 40);
  ck_assert_uint_eq (gabbro_buffer_get_size (inner), 16);
  ck_assert_str_eq (gabbro_buffer_get_element_type (inner), "uint2");
  for (guint i = 0; i < 20; i++)
    words[i] = i;
  upload (buffer, words, sizeof words);
  g_object_unref (buffer);
  g_object_unref (view);
  bytes = gabbro_buffer_download_bytes (inner, 4, 12, &error);
  ck_assert_uint_eq (((const guint32 *) g_bytes_get_data (bytes, NULL))[2], 13);
  ck_assert (gabbro_buffer_upload_bytes (inner, 4, bytes, &error));
  g_bytes_unref (bytes);
  fails (gabbro_buffer_download (inner, 0, &word, 17, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_download (inner, 17, &word, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_download (inner, G_MAXUINT64, &word, 4, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_upload (inner, 0, words, 17, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_download_bytes (inner, 0, G_MAXSIZE, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert_uint_eq (word, 42);
  ck_assert (gabbro_buffer_upload (inner, 16, NULL, 0, &error));
  ck_assert (gabbro_buffer_download (inner, 0, NULL, 0, &error));
  g_object_unref (inner);
  device_test_end (&test);
}
END_TEST

START_TEST (mappings)
{
  gboolean direct = _i == 0;
  struct device_test test = null_test_begin (direct ? "1" : "unmapped");
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 16), *view = new_view (buffer, 4, 8);
  guint32 words[16];
  GabbroMapping *mapping;
  GError *error = NULL;
  GBytes *bytes;

  fails (gabbro_buffer_map (view, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  submit_list (test.stream, fill_list (test.device, buffer, 5));
  mapping = gabbro_buffer_map (view, GABBRO_MAP_READ | GABBRO_MAP_WRITE, &error);
  assert_no_error (error);
  ck_assert_ptr_eq (gabbro_mapping_get_buffer (mapping), view);
  ck_assert_uint_eq (gabbro_mapping_get_size (mapping), 32);
  ck_assert_int_eq (gabbro_mapping_is_direct (mapping), direct);
  ck_assert_uint_eq (((guint32 *) gabbro_mapping_get_pointer (mapping))[7], 5);
  ((guint32 *) gabbro_mapping_get_pointer (mapping))[7] = 6;
  bytes = gabbro_mapping_dup_bytes (mapping, &error);
  ck_assert_uint_eq (g_bytes_get_size (bytes), 32);
  g_bytes_unref (bytes);
  ck_assert (gabbro_mapping_unmap (mapping, &error));
  ck_assert (gabbro_mapping_unmap (mapping, &error));
  ck_assert_ptr_null (gabbro_mapping_get_pointer (mapping));
  fails (gabbro_mapping_dup_bytes (mapping, &error), GABBRO_ERROR_INVALID_STATE);
  g_object_unref (mapping);
  download (buffer, words, sizeof words);
  for (guint i = 0; i < 16; i++)
    ck_assert_uint_eq (words[i], i == 11 ? 6 : 5);
  /* Not unmapped, and not for writing: what was written to a copy is lost. */
  mapping = gabbro_buffer_map (buffer, GABBRO_MAP_READ, &error);
  if (!direct)
    memset (gabbro_mapping_get_pointer (mapping), 0xff, 64);
  ck_assert (gabbro_mapping_unmap (mapping, &error));
  g_object_unref (mapping);
  ck_assert_uint_eq (first_word (buffer), 5);
  mapping = gabbro_buffer_map (buffer, GABBRO_MAP_WRITE, &error);
  g_object_unref (buffer);
  g_object_unref (view);
  g_object_unref (mapping);
  device_test_end (&test);
}
END_TEST

/* Images. */

START_TEST (images)
{
  struct device_test test = null_test_begin ("max-image-2d=16");
  GabbroImage *image = new_image (test.device, GABBRO_FORMAT_RGBA32_FLOAT, 3, 5);
  guint8 texels[240] = { 1, 2, 3 }, back[240] = { 0 };
  GBytes *bytes;
  GError *error = NULL;

  ck_assert_int_eq (gabbro_image_get_format (image), GABBRO_FORMAT_RGBA32_FLOAT);
  ck_assert_uint_eq (gabbro_image_get_width (image), 3);
  ck_assert_uint_eq (gabbro_image_get_height (image), 5);
  ck_assert_uint_eq (gabbro_image_get_size (image), 240);
  ck_assert_ptr_eq (gabbro_image_get_device (image), test.device);
  fails (gabbro_image_new_2d (test.device, GABBRO_FORMAT_RGBA8_UNORM, 0, 5, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_image_new_2d (test.device, GABBRO_FORMAT_RGBA8_UNORM, 5, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_image_new_2d (test.device, (GabbroFormat) (GABBRO_FORMAT_BC7_UNORM + 1), 5, 5, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_image_new_2d (test.device, (GabbroFormat) -1, 5, 5, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails_with (gabbro_image_new_2d (test.device, GABBRO_FORMAT_RGBA8_UNORM, 17, 1, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "17×1");
  fails_with (gabbro_image_new_2d (test.device, GABBRO_FORMAT_RGBA8_UNORM, 1, G_MAXUINT, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "16×16");
  ck_assert (gabbro_image_upload (image, texels, sizeof texels, &error));
  ck_assert (gabbro_image_download (image, back, sizeof back, &error));
  ck_assert_mem_eq (texels, back, sizeof texels);
  fails_with (gabbro_image_upload (image, texels, 239, &error), GABBRO_ERROR_INVALID_ARGUMENT, "has 240 bytes, not 239");
  memset (back, 9, sizeof back);
  fails (gabbro_image_download (image, back, 241, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert_uint_eq (back[0], 9);
  bytes = gabbro_image_download_bytes (image, &error);
  ck_assert_uint_eq (g_bytes_get_size (bytes), 240);
  ck_assert (gabbro_image_upload_bytes (image, bytes, &error));
  g_bytes_unref (bytes);
  bytes = g_bytes_new (texels, 3);
  fails (gabbro_image_upload_bytes (image, bytes, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  g_bytes_unref (bytes);
  g_object_unref (image);
  device_test_end (&test);
  test = null_test_begin ("memory=1000,max-image-2d=65536");
  fails (gabbro_image_new_2d (test.device, GABBRO_FORMAT_RGBA8_UNORM, 65536, 65536, &error), GABBRO_ERROR_OUT_OF_MEMORY);
  device_test_end (&test);
}
END_TEST

/* Kernels and shaders. */

static const char source[] =
  "struct Pair { float gain; int2 offset; };\n"
  "kernel(8, 4, 2) void all(const buffer<float> x, buffer<Pair> y, float a, int i, uint u, bool b, Pair p, const image2d<float> from,\n"
  "                         image2d<float> to)\n"
  "{ y[0].gain = x[0] + a + float(i) + float(u) + p.gain + from.read(int2(0)).x; if (b) to.write(int2(0), float4(0)); }\n"
  "kernel(1) void small(buffer<uint> out, uint value) { out[0] = value; }\n"
  "kernel(1) void integers(image2d<int> picture) { picture.write(int2(0), int4(1)); }\n";

START_TEST (kernels)
{
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("all.gk", source, -1, &error);
  static const struct { const char *name, *type, *element; GabbroArgumentKind kind; gsize size; GabbroUsage usage; } arguments[] = {
    { "x", "const buffer<float>", "float", GABBRO_ARGUMENT_BUFFER, 4, GABBRO_USAGE_READ },
    { "y", "buffer<Pair>", "struct<8,float,vector<int,2>>", GABBRO_ARGUMENT_BUFFER, 16, GABBRO_USAGE_WRITE },
    { "a", "float", "float", GABBRO_ARGUMENT_VALUE, 4, GABBRO_USAGE_READ },
    { "i", "int", "int", GABBRO_ARGUMENT_VALUE, 4, GABBRO_USAGE_READ },
    { "u", "uint", "uint", GABBRO_ARGUMENT_VALUE, 4, GABBRO_USAGE_READ },
    { "b", "bool", "bool", GABBRO_ARGUMENT_VALUE, 4, GABBRO_USAGE_READ },
    { "p", "Pair", "struct<8,float,vector<int,2>>", GABBRO_ARGUMENT_VALUE, 16, GABBRO_USAGE_READ },
    { "from", "const image2d<float>", "float", GABBRO_ARGUMENT_IMAGE, 0, GABBRO_USAGE_READ },
    { "to", "image2d<float>", "float", GABBRO_ARGUMENT_IMAGE, 0, GABBRO_USAGE_WRITE },
  };
  GabbroKernel *kernel;
  guint x = 0, y = 0, z = 0;
  char **names;

  assert_no_error (error);
  ck_assert_str_eq (gabbro_module_get_name (module), "all.gk");
  names = gabbro_module_list_kernels (module);
  ck_assert_uint_eq (g_strv_length (names), 3);
  ck_assert_str_eq (names[1], "small");
  g_strfreev (names);
  fails_with (gabbro_module_get_kernel (module, NULL, &error), GABBRO_ERROR_NOT_FOUND, "all, small, integers");
  fails_with (gabbro_module_get_kernel (module, "smal", &error), GABBRO_ERROR_NOT_FOUND, "did you mean “small”");
  fails_with (gabbro_module_get_kernel (module, "elephant", &error), GABBRO_ERROR_NOT_FOUND, "there are: all, small, integers");
  kernel = gabbro_module_get_kernel (module, "all", &error);
  g_object_unref (module);
  ck_assert_str_eq (gabbro_kernel_get_name (kernel), "all");
  gabbro_kernel_get_group_size (kernel, &x, &y, &z);
  ck_assert (x == 8 && y == 4 && z == 2);
  gabbro_kernel_get_group_size (kernel, NULL, NULL, NULL);
  ck_assert_uint_eq (gabbro_kernel_get_n_arguments (kernel), G_N_ELEMENTS (arguments));
  for (guint i = 0; i < G_N_ELEMENTS (arguments); i++)
    {
      ck_assert_int_eq (gabbro_kernel_find_argument (kernel, arguments[i].name), i);
      ck_assert_str_eq (gabbro_kernel_get_argument_name (kernel, i), arguments[i].name);
      ck_assert_str_eq (gabbro_kernel_get_argument_type (kernel, i), arguments[i].type);
      ck_assert_str_eq (gabbro_kernel_get_argument_element_type (kernel, i), arguments[i].element);
      ck_assert_int_eq (gabbro_kernel_get_argument_kind (kernel, i), arguments[i].kind);
      ck_assert_uint_eq (gabbro_kernel_get_argument_size (kernel, i), arguments[i].size);
      ck_assert_msg (gabbro_kernel_get_argument_usage (kernel, i) == arguments[i].usage, "usage of %s", arguments[i].name);
    }
  ck_assert_int_eq (gabbro_kernel_find_argument (kernel, "X"), -1);
  ck_assert_ptr_null (gabbro_kernel_get_argument_name (kernel, 9));
  ck_assert_ptr_null (gabbro_kernel_get_argument_type (kernel, 9));
  ck_assert_ptr_null (gabbro_kernel_get_argument_element_type (kernel, G_MAXUINT));
  ck_assert_uint_eq (gabbro_kernel_get_argument_size (kernel, 9), 0);
  g_object_unref (kernel);
}
END_TEST

START_TEST (bad_sources)
{
  GError *error = NULL;

  ck_assert_ptr_null (gabbro_module_new_from_source ("bad.gk", "kernel(1) void k() { x = 1; }\nfoo\n", -1, &error));
  assert_message (error, "bad.gk:1:");
  assert_message (error, "bad.gk:3:");
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_SOURCE);
  ck_assert_ptr_null (gabbro_module_new_from_source ("\xff", "\xff", 1, &error));
  ck_assert (g_utf8_validate (error->message, -1, NULL));
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_SOURCE);
  {
    GabbroModule *module = gabbro_module_new_from_source ("empty.gk", "", 0, &error);

    if (module != NULL)
      {
        fails_with (gabbro_module_get_kernel (module, NULL, &error), GABBRO_ERROR_NOT_FOUND, "has no kernel");
        g_object_unref (module);
      }
    g_clear_error (&error);
  }
}
END_TEST

/* What the device lacks for a kernel is named. */
START_TEST (shader_limits)
{
  struct device_test test = null_test_begin ("max-storage-buffers=1,max-storage-images=1,max-group-invocations=32");
  GabbroKernel *kernel = new_kernel ("kernel(1) void k(buffer<uint> a, buffer<uint> b) { a[0] = b[0]; }", NULL);
  GabbroKernel *large = new_kernel ("kernel(64) void k(buffer<uint> a) { a[0] = 1; }", NULL);
  GabbroKernel *pictures = new_kernel ("kernel(1) void k(image2d<float> a, image2d<float> b) { a.write(int2(0), float4(1)); b.write(int2(0), float4(1)); }", NULL);
  GError *error = NULL;
  GBytes *words;
  char *text;

  ck_assert_ptr_null (gabbro_shader_new (test.device, kernel, 0, 0, &error));
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET);
  ck_assert_ptr_null (gabbro_shader_new (test.device, large, 0, 0, &error));
  assert_message (error, "32");
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET);
  ck_assert_ptr_null (gabbro_shader_new (test.device, pictures, 0, 0, &error));
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET);
  fails (gabbro_shader_new (test.device, large, 0, 4, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_shader_new (test.device, large, 0, -2, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_kernel_compile_spirv (large, NULL, 0, 9, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  words = gabbro_kernel_compile_spirv (large, NULL, 0, 1, &error);
  assert_no_error (error);
  ck_assert_uint_eq (((const guint32 *) g_bytes_get_data (words, NULL))[0], 0x07230203);
  g_bytes_unref (words);
  text = gabbro_kernel_compile_assembly (large, NULL, GABBRO_COMPILE_DEBUG_NAMES, 0, &error);
  ck_assert_ptr_nonnull (strstr (text, "OpEntryPoint GLCompute"));
  g_free (text);
  g_object_unref (kernel);
  g_object_unref (large);
  g_object_unref (pictures);
  device_test_end (&test);
}
END_TEST

START_TEST (buffers_for_arguments)
{
  struct device_test test = null_test_begin ("1");
  GabbroKernel *kernel = new_kernel (source, "all");
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new_for_argument (test.device, kernel, 1, 3, &error);

  ck_assert_uint_eq (gabbro_buffer_get_size (buffer), 48);
  fails_with (gabbro_buffer_new_for_argument (test.device, kernel, 2, 3, &error), GABBRO_ERROR_INVALID_ARGUMENT, "Argument 2");
  fails (gabbro_buffer_new_for_argument (test.device, kernel, 7, 3, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_new_for_argument (test.device, kernel, 99, 3, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_buffer_new_for_argument (test.device, kernel, 0, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  g_object_unref (buffer);
  g_object_unref (kernel);
  device_test_end (&test);
}
END_TEST

/* Lists. */

/* What tests of lists use; a failing call spoils a list, hence a new one for each. */
struct things
{
  struct device_test test;
  GabbroDevice *other;
  GabbroBuffer *floats, *words, *bytes, *foreign;
  GabbroImage *image, *foreign_image;
  GabbroShader *all, *small, *foreign_shader;
};

static void
things_begin (struct things *things, const char *settings)
{
  things->test = null_test_begin (settings);
  things->other = gabbro_adapter_open (gabbro_device_get_adapter (things->test.device), NULL);
  things->floats = new_buffer (things->test.device, "float", 64);
  things->words = new_buffer (things->test.device, "uint", 64);
  things->bytes = gabbro_buffer_new_bytes (things->test.device, 250, NULL);
  things->foreign = new_buffer (things->other, "uint", 64);
  things->image = new_image (things->test.device, GABBRO_FORMAT_RGBA32_FLOAT, 2, 2);
  things->foreign_image = new_image (things->other, GABBRO_FORMAT_RGBA8_UNORM, 2, 2);
  things->all = new_shader (things->test.device, source, "all");
  things->small = new_shader (things->test.device, source, "small");
  things->foreign_shader = new_shader (things->other, source, "small");
}

static void
things_end (struct things *things)
{
  g_object_unref (things->floats);
  g_object_unref (things->words);
  g_object_unref (things->bytes);
  g_object_unref (things->foreign);
  g_object_unref (things->image);
  g_object_unref (things->foreign_image);
  g_object_unref (things->all);
  g_object_unref (things->small);
  g_object_unref (things->foreign_shader);
  g_object_unref (things->other);
  device_test_end (&things->test);
}

/* The call fails, records nothing, and the submission gives the same error. */
#define spoils(call, code_)                                                              \
  do                                                                                     \
    {                                                                                    \
      GabbroCommandList *list = new_list (test->device);                                 \
      ck_assert_msg (!(call), "%s works", #call);                                        \
      assert_gabbro_error (error, code_);                                                \
      ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 0);                  \
      ck_assert (!gabbro_stream_submit (test->stream, list, &error));                    \
      assert_message (error, "The list could not be recorded");                          \
      assert_gabbro_error (error, code_);                                                \
      ck_assert (!gabbro_command_list_freeze (list, NULL, &error));                      \
      assert_gabbro_error (error, code_);                                                \
      g_object_unref (list);                                                             \
    }                                                                                    \
  while (0)

START_TEST (copy_errors)
{
  struct things things;
  struct device_test *test = &things.test;
  guint8 data[300] = { 0 };
  GError *error = NULL;

  things_begin (&things, "1");
  spoils (gabbro_command_list_upload (list, things.words, 0, data, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_upload (list, things.words, 0, data, 257, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_upload (list, things.words, 256, data, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_upload (list, things.words, G_MAXUINT64, data, 2, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_upload (list, things.foreign, 0, data, 4, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_download (list, things.words, 0, data, 257, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_download (list, things.foreign, 0, data, 4, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_upload_image (list, things.image, data, 63, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_upload_image (list, things.foreign_image, data, 16, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_download_image (list, things.image, data, 65, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_copy_buffer (list, things.words, 0, things.floats, 0, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_copy_buffer (list, things.words, 4, things.floats, 0, 253, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_copy_buffer (list, things.words, 0, things.floats, 4, 253, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_copy_buffer (list, things.words, 0, things.words, 7, 8, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_copy_buffer (list, things.foreign, 0, things.words, 0, 8, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_copy_buffer (list, things.words, 0, things.foreign, 0, 8, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_copy_buffer_to_image (list, things.words, 200, things.image, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_copy_buffer_to_image (list, things.words, 4, things.image, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  spoils (gabbro_command_list_copy_buffer_to_image (list, things.words, 0, things.foreign_image, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_copy_image_to_buffer (list, things.image, things.words, 8, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  spoils (gabbro_command_list_copy_image_to_buffer (list, things.image, things.foreign, 0, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_fill (list, things.words, 0, 0, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_fill (list, things.words, 2, 4, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_fill (list, things.words, 0, 6, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_fill (list, things.words, 0, 260, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (gabbro_command_list_fill (list, things.foreign, 0, 4, 1, &error), GABBRO_ERROR_WRONG_DEVICE);
  /* Neighbours in one buffer are fine. */
  {
    GabbroCommandList *list = new_list (test->device);

    ck_assert (gabbro_command_list_copy_buffer (list, things.words, 0, things.words, 8, 8, &error));
    ck_assert (gabbro_command_list_copy_buffer (list, things.words, 8, things.words, 0, 8, &error));
    submit_list (test->stream, list);
  }
  things_end (&things);
}
END_TEST

START_TEST (argument_errors)
{
  struct things things;
  struct device_test *test = &things.test;
  GError *error = NULL;
  float value[4] = { 1, 2, 3, 4 };

  things_begin (&things, "max-storage-buffer-range=512");
  spoils (gabbro_command_list_set_shader (list, things.foreign_shader, &error), GABBRO_ERROR_WRONG_DEVICE);
  spoils (gabbro_command_list_set_buffer (list, 0, things.words, &error), GABBRO_ERROR_INVALID_STATE);
  spoils (gabbro_command_list_dispatch (list, 1, 1, 1, &error), GABBRO_ERROR_INVALID_STATE);
#define all(call) (gabbro_command_list_set_shader (list, things.all, NULL) && (call))
  spoils (all (gabbro_command_list_set_buffer (list, 9, things.words, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_buffer (list, G_MAXUINT, things.words, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_buffer (list, 2, things.words, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_buffer (list, 0, things.words, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_buffer (list, 0, things.foreign, &error)), GABBRO_ERROR_WRONG_DEVICE);
  spoils (all (gabbro_command_list_set_buffer (list, 0, things.bytes, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_image (list, 0, things.image, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_image (list, 7, things.foreign_image, &error)), GABBRO_ERROR_WRONG_DEVICE);
  spoils (all (gabbro_command_list_set_value (list, 0, value, 4, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_value (list, 2, value, 3, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_value (list, 6, value, 12, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_int (list, 2, 1, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_float (list, 3, 1, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_uint (list, 3, 1, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_set_bool (list, 4, TRUE, &error)), GABBRO_ERROR_INVALID_ARGUMENT);
  spoils (all (gabbro_command_list_dispatch (list, 1, 1, 1, &error)), GABBRO_ERROR_INVALID_STATE);
#undef all
  spoils (gabbro_command_list_run (list, things.small, 1, 1, 1, &error, "out", things.words, "valu", 1u, NULL), GABBRO_ERROR_NOT_FOUND);
  spoils (gabbro_command_list_run (list, things.small, 1, 1, 1, &error, "out", things.words, NULL), GABBRO_ERROR_INVALID_STATE);
  spoils (gabbro_command_list_run (list, things.small, 0, 1, 1, &error, "out", things.words, "value", 1u, NULL), GABBRO_ERROR_INVALID_ARGUMENT);
  {
    GabbroShader *integers = new_shader (test->device, source, "integers");
    GabbroBuffer *large = new_buffer (test->device, "uint", 1000), *view = new_view (large, 1, 128), *small = new_view (large, 10, 118);
    GabbroCommandList *good = new_list (test->device);

    spoils (gabbro_command_list_run (list, integers, 1, 1, 1, &error, "picture", things.image, NULL), GABBRO_ERROR_INVALID_ARGUMENT);
    spoils (gabbro_command_list_run (list, things.small, 1, 1, 1, &error, "out", large, "value", 1u, NULL), GABBRO_ERROR_LIMIT_EXCEEDED);
    /* Fits by itself, but not from the offset on that a descriptor can have. */
    spoils (gabbro_command_list_run (list, things.small, 1, 1, 1, &error, "out", view, "value", 1u, NULL), GABBRO_ERROR_LIMIT_EXCEEDED);
    ck_assert (gabbro_command_list_run (good, things.small, 1, 1, 1, &error, "out", small, "value", 1u, NULL));
    g_object_unref (good);
    g_object_unref (integers);
    g_object_unref (large);
    g_object_unref (view);
    g_object_unref (small);
  }
  things_end (&things);
}
END_TEST

/* The message names what is missing, and the first failure is the one that stays. */
START_TEST (messages)
{
  struct things things;
  GabbroCommandList *list;
  GError *error = NULL;

  things_begin (&things, "1");
  list = new_list (things.test.device);
  ck_assert (gabbro_command_list_set_shader (list, things.all, &error));
  ck_assert (gabbro_command_list_set_float (list, 2, 1, &error));
  fails_with (gabbro_command_list_dispatch (list, 1, 1, 1, &error), GABBRO_ERROR_INVALID_STATE, "lacks arguments: “x”, “y”, “i”");
  fails (gabbro_command_list_fill (list, things.words, 1, 4, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails_with (gabbro_stream_submit (things.test.stream, list, &error), GABBRO_ERROR_INVALID_STATE, "lacks arguments");
  g_object_unref (list);
  /* Another shader forgets the arguments of the one before. */
  list = new_list (things.test.device);
  gabbro_command_list_run (list, things.small, 1, 1, 1, &error, "out", things.words, "value", 3u, NULL);
  assert_no_error (error);
  ck_assert (gabbro_command_list_dispatch (list, 2, 1, 1, &error));
  gabbro_command_list_set_shader (list, things.all, NULL);
  gabbro_command_list_set_shader (list, things.small, NULL);
  fails_with (gabbro_command_list_dispatch (list, 1, 1, 1, &error), GABBRO_ERROR_INVALID_STATE, "“out”, “value”");
  g_object_unref (list);
  things_end (&things);
}
END_TEST

START_TEST (states)
{
  struct things things;
  struct device_test *test = &things.test;
  GabbroCommandList *list, *frozen;
  GabbroStream *second;
  guint32 word = 0;
  GError *error = NULL;

  things_begin (&things, "queues=2");
  second = new_stream (test->device, gabbro_device_get_queue (test->device, 1));
  list = fill_list (test->device, things.words, 1);
  ck_assert_ptr_eq (gabbro_command_list_get_device (list), test->device);
  submit (test->stream, list);
  fails_with (gabbro_stream_submit (test->stream, list, &error), GABBRO_ERROR_INVALID_STATE, "only a frozen list can be submitted again");
  fails_with (gabbro_command_list_fill (list, things.words, 0, 4, 1, &error), GABBRO_ERROR_INVALID_STATE, "submitted");
  fails (gabbro_command_list_freeze (list, NULL, &error), GABBRO_ERROR_INVALID_STATE);
  fails (gabbro_command_list_set_shader (list, things.small, &error), GABBRO_ERROR_INVALID_STATE);
  fails (gabbro_command_list_update_value (list, 0, 0, &word, 4, &error), GABBRO_ERROR_INVALID_STATE);
  g_object_unref (list);

  list = new_list (test->device);
  gabbro_command_list_download (list, things.words, 0, &word, 4, NULL);
  fails_with (gabbro_command_list_freeze (list, NULL, &error), GABBRO_ERROR_INVALID_STATE, "downloads");
  submit (test->stream, list);
  g_object_unref (list);

  frozen = new_list (test->device);
  gabbro_command_list_run (frozen, things.small, 1, 1, 1, &error, "out", things.words, "value", 3u, NULL);
  fails (gabbro_command_list_freeze (frozen, gabbro_device_get_queue (things.other, 0), &error), GABBRO_ERROR_WRONG_DEVICE);
  ck_assert (!gabbro_command_list_is_frozen (frozen));
  ck_assert (gabbro_command_list_freeze (frozen, gabbro_device_get_queue (test->device, 1), &error));
  fails_with (gabbro_stream_submit (test->stream, frozen, &error), GABBRO_ERROR_INVALID_STATE, "queue 1");
  submit (second, frozen);
  submit (second, frozen);
  fails_with (gabbro_command_list_fill (frozen, things.words, 0, 4, 1, &error), GABBRO_ERROR_INVALID_STATE, "frozen");
  fails (gabbro_command_list_freeze (frozen, NULL, &error), GABBRO_ERROR_INVALID_STATE);
  fails_with (gabbro_command_list_update_value (frozen, 1, 1, &word, 4, &error), GABBRO_ERROR_INVALID_ARGUMENT, "1 dispatches");
  fails (gabbro_command_list_update_value (frozen, 0, 0, &word, 4, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_command_list_update_value (frozen, 0, 2, &word, 4, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  fails (gabbro_command_list_update_value (frozen, 0, 1, &word, 8, &error), GABBRO_ERROR_INVALID_ARGUMENT);
  ck_assert (gabbro_command_list_update_value (frozen, 0, 1, &word, 4, &error));
  submit (second, frozen);
  synchronize (second);
  g_object_unref (frozen);
  g_object_unref (second);

  /* An empty list is a list. */
  list = new_list (test->device);
  submit (test->stream, list);
  synchronize (test->stream);
  g_object_unref (list);
  list = new_list (test->device);
  ck_assert (gabbro_command_list_freeze (list, NULL, &error));
  submit (test->stream, list);
  submit (test->stream, list);
  synchronize (test->stream);
  g_object_unref (list);
  things_end (&things);
}
END_TEST

START_TEST (wrong_device)
{
  struct things things;
  struct device_test *test = &things.test;
  GabbroEvent *event;
  GabbroCommandList *list;
  GError *error = NULL;

  things_begin (&things, "1");
  event = new_event (things.other);
  list = new_list (things.other);
  fails (gabbro_stream_new (test->device, gabbro_device_get_queue (things.other, 0), &error), GABBRO_ERROR_WRONG_DEVICE);
  fails (gabbro_stream_submit (test->stream, list, &error), GABBRO_ERROR_WRONG_DEVICE);
  fails (gabbro_stream_wait (test->stream, event, 1, &error), GABBRO_ERROR_WRONG_DEVICE);
  fails (gabbro_stream_signal (test->stream, event, 1, &error), GABBRO_ERROR_WRONG_DEVICE);
  ck_assert_ptr_eq (gabbro_event_get_device (event), things.other);
  ck_assert_ptr_eq (gabbro_stream_get_device (test->stream), test->device);
  g_object_unref (event);
  g_object_unref (list);
  things_end (&things);
}
END_TEST

/* More parts than anybody wants: refused, and not recorded until memory ends. */
START_TEST (too_many_parts)
{
  struct things things;
  struct device_test *test = &things.test;
  GabbroCommandList *list;
  GError *error = NULL;

  things_begin (&things, "max-group-count=1");
  list = new_list (test->device);
  ck_assert (gabbro_command_list_run (list, things.small, 65536, 1, 1, &error, "out", things.words, "value", 3u, NULL));
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 65536);
  fails (gabbro_command_list_dispatch (list, 65537, 1, 1, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  fails (gabbro_command_list_dispatch (list, 4000000000u, 4000000000u, 4000000000u, &error), GABBRO_ERROR_LIMIT_EXCEEDED);
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 65536);
  g_object_unref (list);
  things_end (&things);
}
END_TEST

/* As many arguments as there can be. */
START_TEST (many_arguments)
{
  struct device_test test = null_test_begin ("max-storage-buffers=64,max-resources=200");
  GString *text = g_string_new ("kernel(1) void k(buffer<uint> b0");
  GabbroShader *shader;
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 4);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;

  for (guint i = 1; i < 64; i++)
    g_string_append_printf (text, ", %s b%u", i < 32 ? "buffer<uint>" : "uint", i);
  g_string_append (text, ") { uint s = 0;");
  for (guint i = 32; i < 64; i++)
    g_string_append_printf (text, " s += b%u;", i);
  for (guint i = 0; i < 32; i++)
    g_string_append_printf (text, " b%u[0] = s;", i);
  g_string_append (text, " }");
  shader = new_shader (test.device, text->str, NULL);
  gabbro_command_list_set_shader (list, shader, NULL);
  for (guint i = 0; i < 63; i++)
    ck_assert (i < 32 ? gabbro_command_list_set_buffer (list, i, buffer, &error) : gabbro_command_list_set_uint (list, i, i, &error));
  fails_with (gabbro_command_list_dispatch (list, 1, 1, 1, &error), GABBRO_ERROR_INVALID_STATE, "“b63”");
  ck_assert (gabbro_command_list_set_uint (list, 63, 1, &error));
  ck_assert (gabbro_command_list_dispatch (list, 1, 1, 1, &error));
  g_object_unref (list);
  g_object_unref (shader);
  g_object_unref (buffer);
  g_string_free (text, TRUE);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("objects");
  TCase *test_case = null_test_case (suite, "objects");

  tcase_add_test (test_case, buffers);
  tcase_add_test (test_case, buffer_errors);
  tcase_add_loop_test (test_case, odd_sizes, 0, 2);
  tcase_add_loop_test (test_case, views_and_ranges, 0, 2);
  tcase_add_loop_test (test_case, mappings, 0, 2);
  tcase_add_test (test_case, images);
  tcase_add_test (test_case, kernels);
  tcase_add_test (test_case, bad_sources);
  tcase_add_test (test_case, shader_limits);
  tcase_add_test (test_case, buffers_for_arguments);
  tcase_add_test (test_case, copy_errors);
  tcase_add_test (test_case, argument_errors);
  tcase_add_test (test_case, messages);
  tcase_add_test (test_case, states);
  tcase_add_test (test_case, wrong_device);
  tcase_add_test (test_case, too_many_parts);
  tcase_add_test (test_case, many_arguments);
  return suite;
}

GB_TEST_MAIN (make_suite)
