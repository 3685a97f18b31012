/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random sequences of uploads, downloads, copies, fills, and dispatches over several buffers, views and
 * images, against a model in the memory of the host, compared byte for byte. On
 * llvmpipe with validation, and on the null driver for mapped and unmapped memory. */

#include "config.h"

#include "tests/gpu/device-test.h"

#define N_BUFFERS 4
#define N_IMAGES  3
#define MAX_SIZE  1200

static const char source[] =
  "kernel(32) void mix_in(const buffer<uint> from, buffer<uint> to, uint salt)\n"
  "{ uint i = global_id.x; to[i] = to[i] * 3 + from[i] + salt; }\n";

struct model
{
  struct device_test *test;
  GRand *rand;
  GabbroShader *shader;                  /* or NULL */
  guint alignment;                       /* of the views that dispatches get */
  GabbroBuffer *buffers[N_BUFFERS];
  guint8 bytes[N_BUFFERS][MAX_SIZE];
  guint sizes[N_BUFFERS];
  GabbroImage *images[N_IMAGES];
  guint8 *texels[N_IMAGES];
  gsize image_sizes[N_IMAGES];
  GPtrArray *downloads;                  /* what arrived and what it must be, in turn */
};

static guint
below (struct model *model, guint n)
{
  return (guint) g_rand_int_range (model->rand, 0, (gint32) n);
}

static void
fill_random (struct model *model, guint8 *bytes, gsize size)
{
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8) g_rand_int (model->rand);
}

static void
model_begin (struct model *model, struct device_test *test, guint seed, GabbroShader *shader, guint alignment)
{
  static const struct { GabbroFormat format; guint width, height; } shapes[N_IMAGES] = {
    { GABBRO_FORMAT_RGBA8_UNORM, 7, 5 }, { GABBRO_FORMAT_RGBA8_UNORM, 16, 4 }, { GABBRO_FORMAT_RGBA32_FLOAT, 5, 3 }
  };

  memset (model, 0, sizeof *model);
  model->test = test;
  model->rand = g_rand_new_with_seed (seed);
  model->shader = shader;
  model->alignment = alignment;
  model->downloads = g_ptr_array_new ();
  for (guint i = 0; i < N_BUFFERS; i++)
    {
      GError *error = NULL;

      model->sizes[i] = 600 + below (model, MAX_SIZE - 600);
      model->buffers[i] = gabbro_buffer_new_bytes (test->device, model->sizes[i], &error);
      assert_no_error (error);
      fill_random (model, model->bytes[i], model->sizes[i]);
      upload (model->buffers[i], model->bytes[i], model->sizes[i]);
    }
  for (guint i = 0; i < N_IMAGES; i++)
    {
      model->images[i] = new_image (test->device, shapes[i].format, shapes[i].width, shapes[i].height);
      model->image_sizes[i] = gabbro_image_get_size (model->images[i]);
      model->texels[i] = g_malloc (model->image_sizes[i]);
      fill_random (model, model->texels[i], model->image_sizes[i]);
      ck_assert (gabbro_image_upload (model->images[i], model->texels[i], model->image_sizes[i], NULL));
    }
}

static void
model_end (struct model *model)
{
  for (guint i = 0; i < N_BUFFERS; i++)
    g_object_unref (model->buffers[i]);
  for (guint i = 0; i < N_IMAGES; i++)
    {
      g_object_unref (model->images[i]);
      g_free (model->texels[i]);
    }
  g_ptr_array_unref (model->downloads);
  g_rand_free (model->rand);
}

/* A range of a buffer, its begin a multiple of `step`, at least one byte. */
static void
random_range (struct model *model, guint buffer, guint step, guint *begin, guint *size)
{
  guint n = model->sizes[buffer] / step;

  *begin = below (model, n);
  *size = 1 + below (model, MIN (n - *begin, 200));
  *begin *= step;
  *size *= step;
}

static void
expect_download (struct model *model, guint8 *arrived, const guint8 *expected, gsize size)
{
  g_ptr_array_add (model->downloads, arrived);
  g_ptr_array_add (model->downloads, g_memdup2 (expected, size));
  g_ptr_array_add (model->downloads, GSIZE_TO_POINTER (size));
}

static void
random_copy (struct model *model, GabbroCommandList *list, GError **error)
{
  guint from = below (model, N_BUFFERS), to = below (model, N_BUFFERS), at, size, destination;

  random_range (model, from, 1, &at, &size);
  size = MIN (size, model->sizes[to]);
  destination = below (model, model->sizes[to] - size + 1);
  if (from == to && at < destination + size && destination < at + size)
    return;
  gabbro_command_list_copy_buffer (list, model->buffers[from], at, model->buffers[to], destination, size, error);
  memcpy (model->bytes[to] + destination, model->bytes[from] + at, size);
}

static void
random_image_copy (struct model *model, GabbroCommandList *list, GError **error)
{
  guint image = below (model, N_IMAGES), buffer = below (model, N_BUFFERS);
  guint step = image == 2 ? 16 : 4;
  gsize size = model->image_sizes[image];
  guint at = below (model, (guint) ((model->sizes[buffer] - size) / step + 1)) * step;

  if (g_rand_boolean (model->rand))
    {
      gabbro_command_list_copy_buffer_to_image (list, model->buffers[buffer], at, model->images[image], error);
      memcpy (model->texels[image], model->bytes[buffer] + at, size);
    }
  else
    {
      gabbro_command_list_copy_image_to_buffer (list, model->images[image], model->buffers[buffer], at, error);
      memcpy (model->bytes[buffer] + at, model->texels[image], size);
    }
}

static void
random_transfer (struct model *model, GabbroCommandList *list, GError **error)
{
  guint buffer = below (model, N_BUFFERS), at, size;
  guint8 *data;

  random_range (model, buffer, 1, &at, &size);
  data = g_malloc (size);
  if (g_rand_boolean (model->rand))
    {
      fill_random (model, data, size);
      gabbro_command_list_upload (list, model->buffers[buffer], at, data, size, error);
      memcpy (model->bytes[buffer] + at, data, size);
      memset (data, 0x55, size);
      g_free (data);
    }
  else
    {
      gabbro_command_list_download (list, model->buffers[buffer], at, data, size, error);
      expect_download (model, data, model->bytes[buffer] + at, size);
    }
}

static void
random_image_transfer (struct model *model, GabbroCommandList *list, GError **error)
{
  guint image = below (model, N_IMAGES);
  gsize size = model->image_sizes[image];
  guint8 *data = g_malloc (size);

  if (g_rand_boolean (model->rand))
    {
      fill_random (model, data, size);
      gabbro_command_list_upload_image (list, model->images[image], data, size, error);
      memcpy (model->texels[image], data, size);
      g_free (data);
    }
  else
    {
      gabbro_command_list_download_image (list, model->images[image], data, size, error);
      expect_download (model, data, model->texels[image], size);
    }
}

static void
random_fill (struct model *model, GabbroCommandList *list, GError **error)
{
  guint buffer = below (model, N_BUFFERS), at, size;
  guint32 word = g_rand_int (model->rand);

  random_range (model, buffer, 4, &at, &size);
  gabbro_command_list_fill (list, model->buffers[buffer], at, size, word, error);
  for (guint i = 0; i < size; i += 4)
    memcpy (model->bytes[buffer] + at + i, &word, 4);
}

/* Views of words of two buffers; in one buffer they must not touch. */
static void
random_dispatch (struct model *model, GabbroCommandList *list, GError **error)
{
  guint from = below (model, N_BUFFERS), to = below (model, N_BUFFERS), at, size, destination;
  guint32 salt = g_rand_int (model->rand);
  GabbroBuffer *a, *b;

  random_range (model, from, 4, &at, &size);
  at -= at % model->alignment;
  size = MIN (size, model->sizes[to] / 4 * 4);
  destination = below (model, (model->sizes[to] - size) / model->alignment + 1) * model->alignment;
  if (from == to && at < destination + size && destination < at + size)
    return;
  a = new_view (model->buffers[from], at, size);
  b = new_view (model->buffers[to], destination, size);
  gabbro_command_list_run (list, model->shader, size / 4, 1, 1, error, "from", a, "to", b, "salt", salt, NULL);
  g_object_unref (a);
  g_object_unref (b);
  for (guint i = 0; i < size; i += 4)
    {
      guint32 x, y;

      memcpy (&x, model->bytes[from] + at + i, 4);
      memcpy (&y, model->bytes[to] + destination + i, 4);
      y = y * 3 + x + salt;
      memcpy (model->bytes[to] + destination + i, &y, 4);
    }
}

static void
random_list (struct model *model)
{
  static void (*const steps[]) (struct model *model, GabbroCommandList *list, GError **error) = {
    random_copy, random_copy, random_image_copy, random_transfer, random_image_transfer, random_fill, random_dispatch, random_dispatch
  };
  GabbroCommandList *list = new_list (model->test->device);
  guint n = 1 + below (model, 30);

  for (guint i = 0; i < n; i++)
    {
      GError *error = NULL;

      steps[below (model, model->shader != NULL ? G_N_ELEMENTS (steps) : G_N_ELEMENTS (steps) - 2)] (model, list, &error);
      assert_no_error (error);
    }
  submit_list (model->test->stream, list);
}

static void
check_model (struct model *model, guint seed)
{
  guint8 bytes[MAX_SIZE];

  synchronize (model->test->stream);
  for (guint i = 0; i < model->downloads->len; i += 3)
    {
      ck_assert_msg (memcmp (model->downloads->pdata[i], model->downloads->pdata[i + 1],
                             GPOINTER_TO_SIZE (model->downloads->pdata[i + 2])) == 0, "seed %u: download %u", seed, i / 3);
      g_free (model->downloads->pdata[i]);
      g_free (model->downloads->pdata[i + 1]);
    }
  g_ptr_array_set_size (model->downloads, 0);
  for (guint i = 0; i < N_BUFFERS; i++)
    {
      download (model->buffers[i], bytes, model->sizes[i]);
      for (guint j = 0; j < model->sizes[i]; j++)
        ck_assert_msg (bytes[j] == model->bytes[i][j], "seed %u: byte %u of buffer %u is %02x, not %02x", seed, j, i, bytes[j], model->bytes[i][j]);
    }
  for (guint i = 0; i < N_IMAGES; i++)
    {
      GBytes *texels = gabbro_image_download_bytes (model->images[i], NULL);
      ck_assert_msg (memcmp (g_bytes_get_data (texels, NULL), model->texels[i], model->image_sizes[i]) == 0, "seed %u: image %u", seed, i);
      g_bytes_unref (texels);
    }
}

static void
run_models (struct device_test *test, guint n, GabbroShader *shader, guint alignment)
{
  for (guint seed = 0; seed < n; seed++)
    {
      struct model model;

      model_begin (&model, test, seed, shader, alignment);
      for (guint i = 0; i < 5; i++)
        random_list (&model);
      check_model (&model, seed);
      model_end (&model);
    }
}

/* The validation takes a dispatch to touch all that its descriptors show, which is as much as the views
 * only where these begin at offsets that descriptors can have. */
START_TEST (llvmpipe)
{
  struct device_test test = device_test_begin ();
  GabbroShader *shader = new_shader (test.device, source, NULL);

  run_models (&test, 100, shader, 64);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

START_TEST (unaligned_views)
{
  struct device_test test = device_test_on (context_with ("device-mask", "minStorageBufferOffsetAlignment=256", NULL), "vulkan");
  GabbroShader *shader = new_shader (test.device, source, NULL);

  run_models (&test, 200, shader, 4);
  g_object_unref (shader);
  device_test_end (&test);
}
END_TEST

START_TEST (null)
{
  static const char *const settings[] = { "queues=1", "unmapped", "delay=20" };
  struct device_test test = null_test_begin (settings[_i]);

  run_models (&test, 400, NULL, 4);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("copies");
  TCase *test_case = null_test_case (suite, "copies");

  tcase_add_test (test_case, llvmpipe);
  tcase_add_test (test_case, unaligned_views);
  tcase_add_loop_test (test_case, null, 0, 3);
  return suite;
}

GB_TEST_MAIN (make_suite)
