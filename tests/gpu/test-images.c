/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Images of every format, of two and three dimensions and with mip levels, on llvmpipe with validation and on the
 * reference driver. What a texel holds is worked out here anew, from the names of the formats. */

#include "config.h"

#include "tests/gpu/device-test.h"

#include <math.h>

#define N_FORMATS (GABBRO_FORMAT_BC7_UNORM + 1)
#define ALL_USES  (GABBRO_FORMAT_CAN_BE_COPIED | GABBRO_FORMAT_CAN_BE_READ | GABBRO_FORMAT_CAN_BE_READ_AND_WRITTEN \
                   | GABBRO_FORMAT_CAN_BE_WRITTEN)

enum { WIDTH = 13, HEIGHT = 7, DEPTH = 5 };

static const char *const classes[] = { "float", "int", "uint" };

/* "rgba16-float" in parts. */
struct parts
{
  guint n, bits, class;
  gboolean is_unorm, is_block;
};

static struct parts
parts_of (GabbroFormat format)
{
  GEnumClass *enumeration = g_type_class_ref (GABBRO_TYPE_FORMAT);
  const char *name = g_enum_get_value (enumeration, (int) format)->value_nick;
  struct parts parts = { .is_block = g_str_has_prefix (name, "bc") };

  if (!parts.is_block)
    {
      parts.n = (guint) strcspn (name, "1836");
      parts.bits = (guint) g_ascii_strtoull (name + parts.n, NULL, 10);
      parts.is_unorm = g_str_has_suffix (name, "-unorm");
      parts.class = g_str_has_suffix (name, "-sint") ? 1 : g_str_has_suffix (name, "-uint") ? 2 : 0;
    }
  g_type_class_unref (enumeration);
  return parts;
}

/* Kernels over one kind of image: T is float, int or uint, D is 2 or 3. */
static const char kernels[] =
  "uint number(uint3 at, uint3 size) { return (at.z * size.y + at.y) * size.x + at.x; }\n"
  "kernel(4, 4, 4) void unpack(const imageDd<T> from, buffer<T4> to)\n"
  "{ to[number(global_id, dispatch_size)] = from.read(uintD(AT)); }\n"
  "kernel(4, 4, 4) void unpack_storage(imageDd<T> from, buffer<T4> to)\n"
  "{ to[number(global_id, dispatch_size)] = from.read(intD(AT)); }\n"
  "kernel(4, 4, 4) void pack(const buffer<T4> from, imageDd<T> to)\n"
  "{ to.write(intD(AT), from[number(global_id, dispatch_size)]); }\n"
  "kernel(4, 4, 4) void copy(const imageDd<T> from, imageDd<T> to) { to.write(uintD(AT), from.read(intD(AT))); }\n"
  "kernel(4, 4, 4) void again(imageDd<T> picture) { picture.write(intD(AT), picture.read(intD(AT))); }\n"
  "kernel(1) void measure(const imageDd<T> a, imageDd<T> b, buffer<uint> to)\n"
  "{ uintD s = a.size; uintD t = b.size; for (int i = 0; i < D; ++i) { to[i] = s[i]; to[3 + i] = t[i]; } }\n";

static char *
source_for (guint class, guint n_dimensions)
{
  GString *source = g_string_new (kernels);

  g_string_replace (source, "AT", n_dimensions == 3 ? "global_id" : "global_id.xy", 0);
  g_string_replace (source, "imageDd", n_dimensions == 3 ? "image3d" : "image2d", 0);
  g_string_replace (source, "uintD", n_dimensions == 3 ? "uint3" : "uint2", 0);
  g_string_replace (source, "intD", n_dimensions == 3 ? "int3" : "int2", 0);
  g_string_replace (source, "i < D", n_dimensions == 3 ? "i < 3" : "i < 2", 0);
  g_string_replace (source, "T4", class == 0 ? "float4" : class == 1 ? "int4" : "uint4", 0);
  g_string_replace (source, "<T>", class == 0 ? "<float>" : class == 1 ? "<int>" : "<uint>", 0);
  return g_string_free (source, FALSE);
}

/* One device with the kernels that were asked for. */
struct bench
{
  struct device_test test;
  GHashTable *shaders;
};

static void
bench_begin (struct bench *bench, struct device_test test)
{
  bench->test = test;
  bench->shaders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
}

static void
bench_end (struct bench *bench)
{
  g_hash_table_unref (bench->shaders);
  device_test_end (&bench->test);
}

static GabbroShader *
shader_of (struct bench *bench, const char *name, guint class, guint n_dimensions)
{
  char *key = g_strdup_printf ("%s %u %u", name, class, n_dimensions);
  GabbroShader *shader = g_hash_table_lookup (bench->shaders, key);

  if (shader == NULL)
    {
      char *source = source_for (class, n_dimensions);
      shader = new_shader (bench->test.device, source, name);
      g_hash_table_insert (bench->shaders, g_strdup (key), shader);
      g_free (source);
    }
  g_free (key);
  return shader;
}

static GabbroImage *
image_with_levels (GabbroDevice *device, GabbroFormat format, guint n_dimensions, guint width, guint height, guint depth, guint n_levels)
{
  GError *error = NULL;
  GabbroImage *image = gabbro_image_new_with_levels (device, format, n_dimensions, width, height, depth, n_levels, &error);

  assert_no_error (error);
  return image;
}

static GabbroImage *
level_of (GabbroImage *image, guint level)
{
  GError *error = NULL;
  GabbroImage *view = gabbro_image_new_view (image, level, &error);

  assert_no_error (error);
  ck_assert_uint_eq (gabbro_image_get_level (view), level);
  return view;
}

static void
upload_image (GabbroImage *image, gconstpointer data)
{
  GError *error = NULL;

  gabbro_image_upload (image, data, gabbro_image_get_size (image), &error);
  assert_no_error (error);
}

static guint8 *
download_image (GabbroImage *image)
{
  guint8 *data = g_malloc (gabbro_image_get_size (image));
  GError *error = NULL;

  gabbro_image_download (image, data, gabbro_image_get_size (image), &error);
  assert_no_error (error);
  return data;
}

static double
half_value (guint16 half)
{
  int exponent = half >> 10 & 31;
  double value = exponent == 31 ? HUGE_VAL : ldexp ((exponent > 0 ? 1024 : 0) + (half & 1023), MAX (exponent, 1) - 25);

  return (half & 0x8000) != 0 ? -value : value;
}

/* Numbers of a format that survive the way through a kernel: no NaN, no float that a device may flush. */
static guint8 *
make_texels (GabbroFormat format, gsize size, guint32 seed)
{
  struct parts parts = parts_of (format);
  GRand *random = g_rand_new_with_seed (seed);
  guint8 *data = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) g_rand_int (random);
  for (gsize i = 0; parts.class == 0 && !parts.is_unorm && parts.bits == 16 && i + 1 < size; i += 2)
    {
      guint16 half;
      memcpy (&half, data + i, sizeof half);
      if ((half & 0x7c00) == 0x7c00)
        half &= 0xfc00;
      memcpy (data + i, &half, sizeof half);
    }
  for (gsize i = 0; parts.class == 0 && parts.bits == 32 && i + 3 < size; i += 4)
    {
      float value = (float) g_rand_int_range (random, -100000, 100000) / 64;
      memcpy (data + i, &value, sizeof value);
    }
  g_rand_free (random);
  return data;
}

/* What a kernel has to see of component `i` of a texel. */
static double
component_of (const struct parts *parts, const guint8 *texel, guint i)
{
  const guint8 *at = texel + i * parts->bits / 8;
  guint32 word = 0;
  float value;

  if (i >= parts->n)
    return i == 3;
  memcpy (&word, at, parts->bits / 8);
  if (parts->is_unorm)
    return word / (parts->bits == 8 ? 255.0 : 65535.0);
  if (parts->class == 2)
    return word;
  if (parts->class == 1)
    return parts->bits == 8 ? (gint8) word : parts->bits == 16 ? (gint16) word : (gint32) word;
  if (parts->bits == 16)
    return half_value ((guint16) word);
  memcpy (&value, &word, sizeof value);
  return value;
}

static double
seen (guint class, const guint32 *word)
{
  float value;

  memcpy (&value, word, sizeof value);
  return class == 0 ? (double) value : class == 1 ? (double) (gint32) *word : (double) *word;
}

static void
check_seen (GabbroFormat format, const guint8 *texels, gsize size, const guint32 *words)
{
  struct parts parts = parts_of (format);
  gsize texel_size = parts.n * parts.bits / 8;

  for (gsize i = 0; i < size / texel_size; i++)
    for (guint k = 0; k < 4; k++)
      {
        double wanted = component_of (&parts, texels + i * texel_size, k), found = seen (parts.class, &words[i * 4 + k]);
        double slack = parts.is_unorm && k < parts.n ? 1e-6 : 0;

        if (!(found == wanted || fabs (found - wanted) <= slack))
          ck_abort_msg ("format %d, texel %zu, component %u: %.9g and not %.9g", (int) format, (size_t) i, k, found, wanted);
      }
}

/* A kernel with one source and one target. */
static void
run_pair (struct bench *bench, const char *name, GabbroFormat format, GabbroImage *image, const char *first, gpointer a, const char *second,
          gpointer b)
{
  GabbroShader *shader = shader_of (bench, name, parts_of (format).class, gabbro_image_get_n_dimensions (image));
  GabbroCommandList *list = new_list (bench->test.device);
  GError *error = NULL;

  gabbro_command_list_run (list, shader, gabbro_image_get_width (image), gabbro_image_get_height (image), gabbro_image_get_depth (image),
                           &error, first, a, second, b, NULL);
  finish_list (&bench->test, list, error);
}

/* Upload, both ways of reading, a copy by a kernel and one without, download. */
static void
round_trip (struct bench *bench, GabbroFormat format, GabbroImage *from, GabbroImage *to, GabbroImage *other)
{
  guint class = parts_of (format).class;
  gsize size = gabbro_image_get_size (from);
  guint64 n = (guint64) gabbro_image_get_width (from) * gabbro_image_get_height (from) * gabbro_image_get_depth (from);
  char *type = g_strdup_printf ("%s4", classes[class]);
  GabbroBuffer *buffer = new_buffer (bench->test.device, type, n);
  guint32 *words = g_new0 (guint32, n * 4);
  guint8 *texels = make_texels (format, size, (guint32) format), *back;
  GabbroCommandList *list = new_list (bench->test.device);
  GabbroShader *again = shader_of (bench, "again", class, gabbro_image_get_n_dimensions (from));
  GError *error = NULL;

  upload_image (from, texels);
  run_pair (bench, "unpack", format, from, "from", from, "to", buffer);
  download (buffer, words, n * 16);
  check_seen (format, texels, size, words);
  memset (words, 0xee, n * 16);
  upload (buffer, words, n * 16);
  run_pair (bench, "unpack_storage", format, from, "from", from, "to", buffer);
  download (buffer, words, n * 16);
  check_seen (format, texels, size, words);

  run_pair (bench, "copy", format, from, "from", from, "to", to);
  back = download_image (to);
  ck_assert_mem_eq (back, texels, size);
  g_free (back);
  run_pair (bench, "pack", format, from, "from", buffer, "to", other);
  back = download_image (other);
  ck_assert_mem_eq (back, texels, size);
  memset (back, 0, size);
  upload_image (other, back);
  g_free (back);

  gabbro_command_list_copy_image (list, to, other, &error);
  gabbro_command_list_run (list, again, gabbro_image_get_width (from), gabbro_image_get_height (from), gabbro_image_get_depth (from),
                           error == NULL ? &error : NULL, "picture", other, NULL);
  finish_list (&bench->test, list, error);
  back = download_image (other);
  ck_assert_mem_eq (back, texels, size);
  g_free (back);
  g_free (texels);
  g_free (words);
  g_free (type);
  g_object_unref (buffer);
}

static guint
usage_of (struct bench *bench, GabbroFormat format, guint n_dimensions)
{
  return gabbro_adapter_get_format_usage (gabbro_device_get_adapter (bench->test.device), format, n_dimensions);
}

static void
all_formats (struct bench *bench, guint n_dimensions)
{
  guint n = 0;

  for (GabbroFormat format = 0; format < N_FORMATS; format++)
    {
      GabbroImage *images[3];

      if (usage_of (bench, format, n_dimensions) != ALL_USES)
        continue;
      for (int i = 0; i < 3; i++)
        images[i] = n_dimensions == 2 ? new_image (bench->test.device, format, WIDTH, HEIGHT)
                                      : gabbro_image_new_3d (bench->test.device, format, WIDTH, HEIGHT, DEPTH, NULL);
      round_trip (bench, format, images[0], images[1], images[2]);
      for (int i = 0; i < 3; i++)
        g_object_unref (images[i]);
      n++;
    }
  /* None has fewer: these are Vulkan's required ones, those of shaderStorageImageExtendedFormats and a little more. */
  ck_assert_uint_eq (n, 30);
}

START_TEST (formats)
{
  struct bench bench;

  bench_begin (&bench, _i < 2 ? device_test_begin () : reference_test_begin ("1", "0"));
  all_formats (&bench, _i % 2 == 0 ? 2 : 3);
  bench_end (&bench);
}
END_TEST

/* Each level as if it were an image of its own, and no other is touched. */
static void
all_levels (struct bench *bench, GabbroFormat format, guint n_dimensions)
{
  GabbroImage *images[3], *levels[3], *last;
  guint8 *before, *after;

  for (int i = 0; i < 3; i++)
    images[i] = image_with_levels (bench->test.device, format, n_dimensions, WIDTH, HEIGHT, n_dimensions == 3 ? DEPTH : 1, 0);
  ck_assert_uint_eq (gabbro_image_get_n_levels (images[0]), 4);
  last = level_of (images[1], 3);
  ck_assert_uint_eq (gabbro_image_get_width (last), 1);
  ck_assert_uint_eq (gabbro_image_get_height (last), 1);
  ck_assert_uint_eq (gabbro_image_get_depth (last), 1);
  before = make_texels (format, gabbro_image_get_size (last), 17);
  upload_image (last, before);
  for (guint level = 0; level < 3; level++)
    {
      for (int i = 0; i < 3; i++)
        levels[i] = level_of (images[i], level);
      ck_assert_uint_eq (gabbro_image_get_width (levels[0]), WIDTH >> level);
      ck_assert_uint_eq (gabbro_image_get_depth (levels[0]), n_dimensions == 3 ? DEPTH >> level : 1);
      ck_assert_uint_eq (gabbro_image_get_n_levels (levels[0]), 1);
      round_trip (bench, format, levels[0], levels[1], levels[2]);
      for (int i = 0; i < 3; i++)
        g_object_unref (levels[i]);
    }
  after = download_image (last);
  ck_assert_mem_eq (after, before, gabbro_image_get_size (last));
  g_free (after);
  g_free (before);
  g_object_unref (last);
  for (int i = 0; i < 3; i++)
    g_object_unref (images[i]);
}

START_TEST (mip_levels)
{
  static const GabbroFormat some[] = { GABBRO_FORMAT_RGBA8_UNORM, GABBRO_FORMAT_RG16_FLOAT, GABBRO_FORMAT_R32_UINT, GABBRO_FORMAT_R8_SINT };
  struct bench bench;

  bench_begin (&bench, _i == 0 ? device_test_begin () : reference_test_begin ("1", "1"));
  for (guint i = 0; i < G_N_ELEMENTS (some); i++)
    for (guint n = 2; n <= 3; n++)
      all_levels (&bench, some[i], n);
  bench_end (&bench);
}
END_TEST

static const char shrinking[] =
  "kernel(8, 8) void half_size(const image2d<float> from, image2d<float> to)\n"
  "{\n"
  "    uint2 at = global_id.xy * 2;\n"
  "    to.write(global_id.xy, (from.read(at) + from.read(at + uint2(1, 0)) + from.read(at + uint2(0, 1)) + from.read(at + uint2(1, 1))) / 4);\n"
  "}\n"
  "kernel(8, 8) void paint(image2d<float> to, float value) { to.write(global_id.xy, float4(value)); }\n";

/* A chain of levels in one list, one barrier each; levels that have nothing to do with each other need none. */
START_TEST (chain_of_levels)
{
  struct device_test test = _i == 0 ? device_test_begin () : reference_test_begin ("1", "1");
  GabbroShader *half_size = new_shader (test.device, shrinking, "half_size"), *paint = new_shader (test.device, shrinking, "paint");
  GabbroImage *image = image_with_levels (test.device, GABBRO_FORMAT_RGBA32_FLOAT, 2, 16, 16, 1, 0), *views[5];
  GabbroCommandList *list = new_list (test.device);
  float texels[16 * 16 * 4], sum = 0, *last;
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (texels); i++)
    texels[i] = (float) (i / 4 % 16 * (i / 64));
  for (guint i = 0; i < G_N_ELEMENTS (texels); i += 4)
    sum += texels[i];
  ck_assert_uint_eq (gabbro_image_get_n_levels (image), 5);
  for (guint i = 0; i < 5; i++)
    views[i] = level_of (image, i);
  upload_image (image, texels);
  for (guint i = 1; i < 5; i++)
    gabbro_command_list_run (list, half_size, 16u >> i, 16u >> i, 1, error == NULL ? &error : NULL, "from", views[i - 1], "to", views[i], NULL);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 3);
  finish_list (&test, list, error);
  last = (float *) download_image (views[4]);
  ck_assert_float_eq (last[0], sum / 256);
  g_free (last);

  list = new_list (test.device);
  for (guint i = 0; i < 5; i++)
    gabbro_command_list_run (list, paint, 16u >> i, 16u >> i, 1, error == NULL ? &error : NULL, "to", views[i], "value", (double) i, NULL);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 0);
  gabbro_command_list_run (list, paint, 4, 4, 1, error == NULL ? &error : NULL, "to", views[2], "value", 9.0, NULL);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  finish_list (&test, list, error);
  for (guint i = 0; i < 5; i++)
    {
      last = (float *) download_image (views[i]);
      ck_assert_float_eq (last[gabbro_image_get_size (views[i]) / 4 - 1], i == 2 ? 9 : i);
      g_free (last);
      g_object_unref (views[i]);
    }
  g_object_unref (image);
  g_object_unref (half_size);
  g_object_unref (paint);
  device_test_end (&test);
}
END_TEST

/* Sizes as kernels see them. */
START_TEST (sizes)
{
  struct bench bench;

  bench_begin (&bench, _i == 0 ? device_test_begin () : reference_test_begin ("1", "1"));
  for (guint n_dimensions = 2; n_dimensions <= 3; n_dimensions++)
    {
      GabbroImage *image = image_with_levels (bench.test.device, GABBRO_FORMAT_R32_SINT, n_dimensions, 20, 12, n_dimensions == 3 ? 8 : 1, 3);
      GabbroImage *level = level_of (image, 2);
      GabbroBuffer *to = new_buffer (bench.test.device, "uint", 6);
      GabbroCommandList *list = new_list (bench.test.device);
      guint32 found[6] = { 0 };
      GError *error = NULL;

      upload (to, found, sizeof found);
      gabbro_command_list_run (list, shader_of (&bench, "measure", 1, n_dimensions), 1, 1, 1, &error, "a", image, "b", level, "to", to, NULL);
      finish_list (&bench.test, list, error);
      download (to, found, sizeof found);
      ck_assert_uint_eq (found[0], 20);
      ck_assert_uint_eq (found[1], 12);
      ck_assert_uint_eq (found[2], n_dimensions == 3 ? 8 : 0);
      ck_assert_uint_eq (found[3], 5);
      ck_assert_uint_eq (found[4], 3);
      ck_assert_uint_eq (found[5], n_dimensions == 3 ? 2 : 0);
      g_object_unref (to);
      g_object_unref (level);
      g_object_unref (image);
    }
  bench_end (&bench);
}
END_TEST

/* What kernels write and formats cannot hold exactly. */

static const float written[] = {
  0, 1, -1, 2, 0.5f, 0.25f, 1.0f / 3, 0.1f, 0.7f, 0.999f, 1e-5f, 3e-8f, 65504, 65519, 65520, 1e30f, -0.3f, 1000.1f, -77777, INFINITY,
};

static gboolean
is_near_half (float value, guint16 half)
{
  double found = half_value (half), step = ldexp (1, MAX ((int) (half >> 10 & 31), 1) - 25);

  if (fabs ((double) value) > 65504)
    return (half & 0x7fff) >= 0x7bff && (value < 0) == (found < 0);
  return fabs (found - (double) value) < step;
}

static void
check_stored (GabbroFormat format, const guint8 *texels, gboolean exact)
{
  struct parts parts = parts_of (format);

  for (guint i = 0; i < G_N_ELEMENTS (written); i++)
    for (guint k = 0; k < parts.n; k++)
      {
        float value = written[(i + k) % G_N_ELEMENTS (written)];
        const guint8 *at = texels + (i * parts.n + k) * parts.bits / 8;
        guint16 wide = *at;
        double most = parts.bits == 8 ? 255 : 65535;
        double ideal = CLAMP ((double) value, 0, 1) * most;

        if (parts.bits == 16)
          memcpy (&wide, at, sizeof wide);
        if (parts.is_unorm)
          ck_assert_msg (fabs (wide - ideal) <= (exact ? 0.5 : 0.5 + 0.01), "format %d: %g is stored as %u", (int) format, (double) value, wide);
        else
          ck_assert_msg (is_near_half (value, wide), "format %d: %g is stored as %04x", (int) format, (double) value, wide);
      }
}

START_TEST (conversions)
{
  struct bench bench;
  float values[G_N_ELEMENTS (written)][4];

  for (guint i = 0; i < G_N_ELEMENTS (written); i++)
    for (guint k = 0; k < 4; k++)
      values[i][k] = written[(i + k) % G_N_ELEMENTS (written)];
  bench_begin (&bench, _i == 0 ? device_test_begin () : reference_test_begin ("1", "1"));
  for (GabbroFormat format = 0; format < N_FORMATS; format++)
    {
      struct parts parts = parts_of (format);
      GabbroImage *image;
      GabbroBuffer *buffer;
      guint8 *texels;

      if (parts.is_block || parts.class != 0 || parts.bits == 32)
        continue;
      image = new_image (bench.test.device, format, G_N_ELEMENTS (written), 1);
      buffer = new_buffer (bench.test.device, "float4", G_N_ELEMENTS (written));
      upload (buffer, values, sizeof values);
      run_pair (&bench, "pack", format, image, "from", buffer, "to", image);
      texels = download_image (image);
      check_stored (format, texels, _i != 0);
      g_free (texels);
      g_object_unref (buffer);
      g_object_unref (image);
    }
  bench_end (&bench);
}
END_TEST

/* Compressed formats. */

START_TEST (blocks)
{
  struct bench bench;

  bench_begin (&bench, _i == 0 ? device_test_begin () : reference_test_begin ("1", "0"));
  for (GabbroFormat format = GABBRO_FORMAT_BC4_UNORM; format < N_FORMATS; format++)
    {
      GabbroImage *from, *to, *levels[2];
      GabbroCommandList *list = new_list (bench.test.device);
      guint block = format == GABBRO_FORMAT_BC4_UNORM ? 8 : 16;
      GError *error = NULL;

      ck_assert_uint_ne (usage_of (&bench, format, 2) & GABBRO_FORMAT_CAN_BE_COPIED, 0);
      ck_assert_uint_eq (usage_of (&bench, format, 2) & GABBRO_FORMAT_CAN_BE_WRITTEN, 0);
      from = image_with_levels (bench.test.device, format, 2, WIDTH, HEIGHT, 1, 2);
      to = image_with_levels (bench.test.device, format, 2, WIDTH, HEIGHT, 1, 2);
      ck_assert_uint_eq (gabbro_image_get_size (from), 4 * 2 * block);
      levels[0] = level_of (from, 1);
      levels[1] = level_of (to, 1);
      ck_assert_uint_eq (gabbro_image_get_size (levels[0]), 2 * 1 * block);
      for (guint i = 0; i < 2; i++)
        {
          GabbroImage *a = i == 0 ? from : levels[0], *b = i == 0 ? to : levels[1];
          guint8 *data = make_texels (format, gabbro_image_get_size (a), i);

          upload_image (a, data);
          gabbro_command_list_copy_image (list, a, b, error == NULL ? &error : NULL);
          g_free (data);
        }
      finish_list (&bench.test, list, error);
      for (guint i = 0; i < 2; i++)
        {
          GabbroImage *b = i == 0 ? to : levels[1];
          guint8 *wanted = make_texels (format, gabbro_image_get_size (b), i), *found = download_image (b);

          ck_assert_mem_eq (found, wanted, gabbro_image_get_size (b));
          g_free (wanted);
          g_free (found);
          g_object_unref (levels[i]);
        }
      g_object_unref (from);
      g_object_unref (to);
    }
  bench_end (&bench);
}
END_TEST

/* A kernel reads them where the device takes them out of their blocks: two blocks of one value each. */
START_TEST (reading_blocks)
{
  static const guint8 data[] = { 51, 51, 0, 0, 0, 0, 0, 0, 204, 204, 0, 0, 0, 0, 0, 0 };
  struct bench bench;
  GabbroImage *image;
  GabbroBuffer *to;
  float found[8 * 4 * 4];

  bench_begin (&bench, device_test_begin ());
  ck_assert_uint_ne (usage_of (&bench, GABBRO_FORMAT_BC4_UNORM, 2) & GABBRO_FORMAT_CAN_BE_READ, 0);
  image = new_image (bench.test.device, GABBRO_FORMAT_BC4_UNORM, 8, 4);
  to = new_buffer (bench.test.device, "float4", 32);
  upload_image (image, data);
  run_pair (&bench, "unpack", GABBRO_FORMAT_RGBA8_UNORM, image, "from", image, "to", to);
  download (to, found, sizeof found);
  for (guint i = 0; i < 32; i++)
    {
      ck_assert_float_eq_tol (found[4 * i], i % 8 < 4 ? 0.2 : 0.8, 1e-5);
      ck_assert_float_eq (found[4 * i + 1], 0);
      ck_assert_float_eq (found[4 * i + 3], 1);
    }
  g_object_unref (to);
  g_object_unref (image);
  bench_end (&bench);
}
END_TEST

/* Refusals. */

static void
refused (gboolean ok, GError **error, GabbroError code, const char *part)
{
  ck_assert (!ok);
  assert_message (*error, part);
  assert_gabbro_error (*error, code);
}

#define NO_IMAGE(call, code, part) refused ((call) != NULL, &error, code, part)

START_TEST (refused_images)
{
  struct device_test test = null_test_begin ("max-image-2d=64,max-image-3d=16,no-format=r16-unorm");
  GabbroDevice *device = test.device;
  GabbroImage *image = image_with_levels (device, GABBRO_FORMAT_R8_UNORM, 2, 64, 3, 1, 2), *view;
  GError *error = NULL;

  NO_IMAGE (gabbro_image_new_2d (device, GABBRO_FORMAT_R16_UNORM, 4, 4, &error), GABBRO_ERROR_NOT_SUPPORTED,
            "An image of 4×4 texels of r16-unorm cannot be made: “Null 0” has no images of that format");
  NO_IMAGE (gabbro_image_new_3d (device, GABBRO_FORMAT_R16_UNORM, 4, 4, 2, &error), GABBRO_ERROR_NOT_SUPPORTED, "4×4×2 texels of r16-unorm");
  NO_IMAGE (gabbro_image_new_3d (device, GABBRO_FORMAT_R8_UNORM, 4, 17, 2, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "allows 16×16×16");
  NO_IMAGE (gabbro_image_new_3d (device, GABBRO_FORMAT_R8_UNORM, 4, 4, 17, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "allows 16×16×16");
  NO_IMAGE (gabbro_image_new_3d (device, GABBRO_FORMAT_R8_UNORM, 4, 4, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT, "4×4×0");
  NO_IMAGE (gabbro_image_new_3d (device, GABBRO_FORMAT_R8_UNORM, 0, 4, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT, "0×4");
  NO_IMAGE (gabbro_image_new_with_levels (device, GABBRO_FORMAT_R8_UNORM, 2, 4, 4, 2, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT, "2 planes");
  NO_IMAGE (gabbro_image_new_with_levels (device, GABBRO_FORMAT_R8_UNORM, 1, 4, 4, 1, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT, "1 dimensions");
  NO_IMAGE (gabbro_image_new_with_levels (device, GABBRO_FORMAT_R8_UNORM, 2, 0, 0, 1, 0, &error), GABBRO_ERROR_INVALID_ARGUMENT, "0×0");
  NO_IMAGE (gabbro_image_new_with_levels (device, GABBRO_FORMAT_R8_UNORM, 2, 4, 4, 1, 4, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "4 levels were asked for, and there are 3");
  NO_IMAGE (gabbro_image_new_with_levels (device, GABBRO_FORMAT_R8_UNORM, 2, 4, 4, 1, G_MAXUINT, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "there are 3");
  NO_IMAGE (gabbro_image_new_view (image, 2, &error), GABBRO_ERROR_INVALID_ARGUMENT, "no level 2: the image has 2");
  view = level_of (image, 1);
  NO_IMAGE (gabbro_image_new_view (view, 1, &error), GABBRO_ERROR_INVALID_ARGUMENT, "no level 1: the image has 1");
  ck_assert_uint_eq (gabbro_image_get_size (view), 32);
  ck_assert_uint_eq (gabbro_image_get_height (view), 1);
  ck_assert_uint_eq (usage_of (&(struct bench) { .test = test }, GABBRO_FORMAT_R16_UNORM, 2), 0);
  ck_assert_uint_eq (usage_of (&(struct bench) { .test = test }, GABBRO_FORMAT_R8_UNORM, 1), 0);
  ck_assert_uint_eq (usage_of (&(struct bench) { .test = test }, N_FORMATS, 2), 0);
  ck_assert_uint_eq (usage_of (&(struct bench) { .test = test }, GABBRO_FORMAT_R8_UNORM, 3), ALL_USES);
  g_object_unref (view);
  g_object_unref (image);
  device_test_end (&test);
}
END_TEST

#define NOT_RECORDED(call, code, part)                            \
  do                                                              \
    {                                                             \
      GabbroCommandList *list = new_list (test.device);           \
      refused (call, &error, code, part);                         \
      g_object_unref (list);                                      \
    }                                                             \
  while (0)

START_TEST (refused_commands)
{
  static const char source[] = "kernel(4, 4) void k(const image2d<float> a, image2d<uint> b, image3d<int> c, image2d<float> d)\n"
                               "{ d.write(global_id.xy, a.read(global_id.xy)); b.write(global_id.xy, uint4(c.read(global_id))); }\n";
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, source, "k");
  GabbroImage *flat = image_with_levels (test.device, GABBRO_FORMAT_R8_UNORM, 2, 8, 8, 1, 2), *level = level_of (flat, 1);
  GabbroImage *whole = level_of (flat, 0), *deep = gabbro_image_new_3d (test.device, GABBRO_FORMAT_R8_UNORM, 8, 8, 1, NULL);
  GabbroImage *other = new_image (test.device, GABBRO_FORMAT_R8_UINT, 8, 8), *block = new_image (test.device, GABBRO_FORMAT_BC5_UNORM, 8, 8);
  GabbroBuffer *buffer = new_buffer (test.device, "uint", 64);
  GError *error = NULL;

  NOT_RECORDED (gabbro_command_list_copy_image (list, flat, flat, &error), GABBRO_ERROR_INVALID_ARGUMENT, "copied to itself");
  NOT_RECORDED (gabbro_command_list_copy_image (list, flat, whole, &error), GABBRO_ERROR_INVALID_ARGUMENT, "copied to itself");
  NOT_RECORDED (gabbro_command_list_copy_image (list, flat, level, &error), GABBRO_ERROR_INVALID_ARGUMENT, "8×8×1 texels of r8-unorm cannot be copied to one of 4×4×1");
  NOT_RECORDED (gabbro_command_list_copy_image (list, flat, deep, &error), GABBRO_ERROR_INVALID_ARGUMENT, "cannot be copied");
  NOT_RECORDED (gabbro_command_list_copy_image (list, flat, other, &error), GABBRO_ERROR_INVALID_ARGUMENT, "of r8-uint");
  NOT_RECORDED (gabbro_command_list_copy_buffer_to_image (list, buffer, 2, flat, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "multiple of 4");
  NOT_RECORDED (gabbro_command_list_set_shader (list, shader, NULL) && gabbro_command_list_set_image (list, 0, deep, &error),
                GABBRO_ERROR_INVALID_ARGUMENT, "“a” of “k” takes an image of 2 dimensions, not of 3");
  NOT_RECORDED (gabbro_command_list_set_shader (list, shader, NULL) && gabbro_command_list_set_image (list, 2, other, &error),
                GABBRO_ERROR_INVALID_ARGUMENT, "“c” of “k” takes an image of 3 dimensions, not of 2");
  NOT_RECORDED (gabbro_command_list_set_shader (list, shader, NULL) && gabbro_command_list_set_image (list, 1, flat, &error),
                GABBRO_ERROR_INVALID_ARGUMENT, "“b” of “k” takes an image of uint, and r8-unorm is read as float");
  NOT_RECORDED (gabbro_command_list_set_shader (list, shader, NULL) && gabbro_command_list_set_image (list, 0, other, &error),
                GABBRO_ERROR_INVALID_ARGUMENT, "takes an image of float, and r8-uint is read as uint");
  NOT_RECORDED (gabbro_command_list_set_shader (list, shader, NULL) && gabbro_command_list_set_image (list, 3, block, &error),
                GABBRO_ERROR_NOT_SUPPORTED, "“d” of “k” cannot be an image of bc5-unorm");
  g_object_unref (buffer);
  g_object_unref (block);
  g_object_unref (other);
  g_object_unref (deep);
  g_object_unref (whole);
  g_object_unref (level);
  g_object_unref (flat);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* The reference driver has no hardware that takes texels out of blocks. */
START_TEST (refused_blocks)
{
  struct device_test test = reference_test_begin ("1", "0");
  GabbroShader *shader = new_shader (test.device, "kernel(1) void k(const image2d<float> a, buffer<float4> b) { b[0] = a.read(int2(0)); }", "k");
  GabbroImage *block = new_image (test.device, GABBRO_FORMAT_BC7_UNORM, 8, 8);
  GError *error = NULL;

  NOT_RECORDED (gabbro_command_list_set_shader (list, shader, NULL) && gabbro_command_list_set_image (list, 0, block, &error),
                GABBRO_ERROR_NOT_SUPPORTED, "bc7-unorm: on “Reference interpreter” these cannot be read by kernels");
  g_object_unref (block);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

/* Checks know the sides of the level, the planes of a volume, and which level has been written. */
START_TEST (checked)
{
  static const char source[] = "kernel(4, 4, 4) void move(const image3d<uint> from, image3d<uint> to, int3 by)\n"
                               "{ to.write(global_id, from.read(int3(global_id) + by)); }\n";
  static const struct { gint32 by[3]; guint from, n_reports; GabbroReportKind kind; } rows[] = {
    { { 0, 0, 0 }, 1, 0, GABBRO_REPORT_NOTE },
    { { 0, 0, 1 }, 1, 1, GABBRO_REPORT_OUT_OF_BOUNDS },
    { { 0, -1, 0 }, 1, 1, GABBRO_REPORT_OUT_OF_BOUNDS },
    { { 4, 3, 2 }, 0, 0, GABBRO_REPORT_NOTE },
    { { 0, 0, 0 }, 2, 1, GABBRO_REPORT_UNINITIALISED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      struct device_test test = reference_test_begin ("1", "1");
      GabbroShader *shader = new_shader (test.device, source, "move");
      GabbroImage *image = image_with_levels (test.device, GABBRO_FORMAT_R8_UINT, 3, 8, 6, 4, 3), *from, *to;
      GabbroCommandList *list = new_list (test.device);
      GPtrArray *reports;
      GError *error = NULL;
      guint8 zeros[8 * 6 * 4] = { 0 };

      for (guint level = 0; level < 2; level++)
        {
          from = level_of (image, level);
          upload_image (from, zeros);
          g_object_unref (from);
        }
      from = level_of (image, rows[i].from);
      to = gabbro_image_new_3d (test.device, GABBRO_FORMAT_R32_UINT, 4, 3, 2, NULL);
      gabbro_command_list_run (list, shader, rows[i].from == 2 ? 2 : 4, rows[i].from == 2 ? 1 : 3, rows[i].from == 2 ? 1 : 2, &error,
                               "from", from, "to", to, "by", rows[i].by, NULL);
      finish_list (&test, list, error);
      reports = gabbro_device_list_reports (test.device);
      ck_assert_uint_eq (reports->len, rows[i].n_reports);
      if (reports->len > 0)
        ck_assert_int_eq (gabbro_report_get_kind (reports->pdata[0]), rows[i].kind);
      g_ptr_array_unref (reports);
      g_object_unref (from);
      g_object_unref (to);
      g_object_unref (image);
      g_object_unref (shader);
      device_test_end (&test);
    }
}
END_TEST

/* A device that has fewer formats says so, in its attributes too. */
START_TEST (masked_formats)
{
  struct device_test test = masked_test_begin ("-rgba16-float,-textureCompressionBC,maxImageDimension3D=256");
  struct bench bench = { .test = test };
  GError *error = NULL;
  GVariant *value = gabbro_context_get_attribute (test.context, gabbro_adapter_get_path (gabbro_device_get_adapter (test.device)),
                                                  "formats-3d.rg16-float", &error);
  char **uses;

  assert_no_error (error);
  uses = g_variant_dup_strv (value, NULL);
  ck_assert (g_strv_contains ((const char *const *) uses, "storage-read"));
  g_strfreev (uses);
  g_variant_unref (value);
  value = gabbro_context_get_attribute (test.context, gabbro_adapter_get_path (gabbro_device_get_adapter (test.device)),
                                        "formats-2d.rgba16-float", &error);
  assert_no_error (error);
  ck_assert_ptr_null (value);
  ck_assert_uint_eq (usage_of (&bench, GABBRO_FORMAT_RGBA16_FLOAT, 2), 0);
  ck_assert_uint_eq (usage_of (&bench, GABBRO_FORMAT_BC7_UNORM, 2), 0);
  NO_IMAGE (gabbro_image_new_2d (test.device, GABBRO_FORMAT_RGBA16_FLOAT, 4, 4, &error), GABBRO_ERROR_NOT_SUPPORTED, "rgba16-float");
  NO_IMAGE (gabbro_image_new_2d (test.device, GABBRO_FORMAT_BC7_UNORM, 4, 4, &error), GABBRO_ERROR_NOT_SUPPORTED, "bc7-unorm");
  NO_IMAGE (gabbro_image_new_3d (test.device, GABBRO_FORMAT_R8_UINT, 257, 1, 1, &error), GABBRO_ERROR_LIMIT_EXCEEDED, "256×256×256");
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("images");
  TCase *test_case = null_test_case (suite, "images");

  tcase_add_loop_test (test_case, formats, 0, 4);
  tcase_add_loop_test (test_case, mip_levels, 0, 2);
  tcase_add_loop_test (test_case, chain_of_levels, 0, 2);
  tcase_add_loop_test (test_case, sizes, 0, 2);
  tcase_add_loop_test (test_case, conversions, 0, 2);
  tcase_add_loop_test (test_case, blocks, 0, 2);
  tcase_add_test (test_case, reading_blocks);
  tcase_add_test (test_case, refused_images);
  tcase_add_test (test_case, refused_commands);
  tcase_add_test (test_case, refused_blocks);
  tcase_add_test (test_case, checked);
  tcase_add_test (test_case, masked_formats);
  return suite;
}

GB_TEST_MAIN (make_suite)
