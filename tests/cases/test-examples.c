/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels of data/examples on llvmpipe, each against a value that is computed another
 * way: on the host, in double, and not in the order in which the kernel does it. */

#include "config.h"

#include "tests/cases/example.h"
#include "tests/cases/picture.h"

#include <math.h>

#define BACKGROUND 0xaaaaaaaau

static const struct
{
  guint width, height;
  GabbroFormat format;
} shapes[] = {
  { 61, 37, GABBRO_FORMAT_RGBA32_FLOAT },
  { 61, 37, GABBRO_FORMAT_RGBA8_UNORM },
  { 256, 256, GABBRO_FORMAT_RGBA32_FLOAT },
  { 256, 256, GABBRO_FORMAT_RGBA8_UNORM },
};

static struct device_test test;

static void
set_up (void)
{
  test = device_test_begin ();
}

static void
tear_down (void)
{
  device_test_end (&test);
}

static void
assert_within (double value, double bound, const char *what, guint shape)
{
  ck_assert_msg (value <= bound, "%s, %u×%u %s: off by %g, %g is allowed", what, shapes[shape].width, shapes[shape].height,
                 format_name (shapes[shape].format), value, bound);
}

/* saxpy: exact, as a * x rounded and then the sum rounded. */

static void
check_saxpy (guint configuration, guint length, float a)
{
  GabbroShader *shader = example_shader (test.device, "saxpy.gk", "saxpy", configuration);
  GabbroBuffer *x_buffer = new_buffer (test.device, "float", length);
  GabbroBuffer *whole = new_buffer (test.device, "float", length + 64), *y_buffer = new_view (whole, 0, length);
  GabbroCommandList *list = new_list (test.device);
  GRand *random = g_rand_new_with_seed (length);
  float *x = g_new (float, length), *y = g_new (float, length + 64), *result = g_new (float, length + 64);
  const guint32 background = BACKGROUND;
  GError *error = NULL;

  for (guint i = 0; i < length + 64; i++)
    memcpy (&y[i], &background, sizeof *y);
  for (guint i = 0; i < length; i++)
    {
      x[i] = (float) g_rand_double_range (random, -1000, 1000);
      y[i] = (float) g_rand_double_range (random, -1000, 1000);
    }
  upload (x_buffer, x, length * sizeof *x);
  upload (whole, y, (length + 64) * sizeof *y);
  gabbro_command_list_run (list, shader, length, 1, 1, &error, "x", x_buffer, "y", y_buffer, "a", (double) a, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  download (whole, result, (length + 64) * sizeof *result);
  for (guint i = 0; i < length; i++)
    {
      /* The product of two floats is exact in double; so is, for this purpose, the sum. */
      double product = (float) ((double) a * (double) x[i]);
      float wanted = (float) (product + (double) y[i]);

      ck_assert_msg (memcmp (&result[i], &wanted, sizeof wanted) == 0, "y[%u] is %.9g, not %.9g", i, (double) result[i],
                     (double) wanted);
    }
  ck_assert_msg (memcmp (result + length, y + length, 64 * sizeof *y) == 0, "something was written behind y");
  g_free (x);
  g_free (y);
  g_free (result);
  g_rand_free (random);
  g_object_unref (y_buffer);
  g_object_unref (whole);
  g_object_unref (x_buffer);
  g_object_unref (shader);
}

START_TEST (saxpy)
{
  check_saxpy ((guint) _i, 1, 2);
  check_saxpy ((guint) _i, 63, -0.1f);
  check_saxpy ((guint) _i, 65537, 1.1f);
}
END_TEST

/* Gaussian blur: one pass over a square, with weights from the formula. */

#define RADIUS 6

static void
gaussian_weights (double weights[RADIUS + 1])
{
  double sum = 1;

  for (int i = 0; i <= RADIUS; i++)
    {
      weights[i] = exp (-i * i / 8.0);
      sum += i > 0 ? 2 * weights[i] : 0;
    }
  /* The example has five digits of them. */
  for (int i = 0; i <= RADIUS; i++)
    weights[i] = round (weights[i] / sum * 1e5) / 1e5;
}

static struct picture
direct_blur (const struct picture *source)
{
  struct picture target = picture_new (source->width, source->height);
  double weights[RADIUS + 1];

  gaussian_weights (weights);
  for (guint y = 0; y < source->height; y++)
    for (guint x = 0; x < source->width; x++)
      for (int v = -RADIUS; v <= RADIUS; v++)
        for (int u = -RADIUS; u <= RADIUS; u++)
          for (guint c = 0; c < 4; c++)
            picture_texel (&target, x, y)[c] += weights[ABS (u)] * weights[ABS (v)]
                                                * picture_at (source, (int) x + u, (int) y + v)[c];
  return target;
}

/* What `source` becomes. Its texels are rounded to the format. */
static struct picture
device_blur (struct picture *source, GabbroFormat format, guint configuration)
{
  GabbroShader *rows = example_shader (test.device, "gaussian-blur.gk", "blur_rows", configuration);
  GabbroShader *columns = example_shader (test.device, "gaussian-blur.gk", "blur_columns", configuration);
  GabbroImage *from = picture_upload (source, test.device, format);
  GabbroImage *between = new_image (test.device, format, source->width, source->height);
  GabbroImage *to = new_image (test.device, format, source->width, source->height);
  GabbroCommandList *list = new_list (test.device);
  struct picture result;
  GError *error = NULL;

  gabbro_command_list_run (list, rows, source->width, source->height, 1, &error, "source", from, "target", between, NULL);
  assert_no_error (error);
  gabbro_command_list_run (list, columns, source->width, source->height, 1, &error, "source", between, "target", to, NULL);
  assert_no_error (error);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 1);
  submit_list (test.stream, list);
  result = picture_download (to);
  g_object_unref (from);
  g_object_unref (between);
  g_object_unref (to);
  g_object_unref (rows);
  g_object_unref (columns);
  return result;
}

/* Two passes of 25 sums and products each, on values of at most 1, half an ulp a time;
 * then the two stores, the first of which the second pass averages. */
static double
blur_bound (GabbroFormat format)
{
  return 2 * 25 * 0x1p-24 + 2 * format_error (format);
}

START_TEST (blur_direct)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      struct picture source = picture_new (shapes[i].width, shapes[i].height), wanted, result;

      picture_fill_random (&source, 7 + i);
      result = device_blur (&source, shapes[i].format, (guint) _i);
      wanted = direct_blur (&source);
      assert_within (picture_difference (&result, &wanted), blur_bound (shapes[i].format), "blur", i);
      picture_clear (&source);
      picture_clear (&wanted);
      picture_clear (&result);
    }
}
END_TEST

/* The weights add up to 1. */
START_TEST (blur_constant)
{
  const double colour[4] = { 1, 64 / 255.0, 0, 200 / 255.0 };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      struct picture source = picture_new (shapes[i].width, shapes[i].height), result;

      picture_fill (&source, colour);
      result = device_blur (&source, shapes[i].format, (guint) _i);
      assert_within (picture_difference (&result, &source),
                     shapes[i].format == GABBRO_FORMAT_RGBA8_UNORM ? 0 : blur_bound (shapes[i].format), "constant", i);
      picture_clear (&source);
      picture_clear (&result);
    }
}
END_TEST

/* Sobel. */

/* The brightness gradient at a place, in double, by its two differences. */
static double
direct_edge (const struct picture *source, int x, int y, double gain)
{
  double b[3][3], right, left, top, bottom;

  for (int v = 0; v < 3; v++)
    for (int u = 0; u < 3; u++)
      {
        const double *texel = picture_at (source, x + u - 1, y + v - 1);
        b[v][u] = 0.2126 * texel[0] + 0.7152 * texel[1] + 0.0722 * texel[2];
      }
  right = b[0][2] + 2 * b[1][2] + b[2][2];
  left = b[0][0] + 2 * b[1][0] + b[2][0];
  top = b[0][0] + 2 * b[0][1] + b[0][2];
  bottom = b[2][0] + 2 * b[2][1] + b[2][2];
  return CLAMP (hypot (right - left, bottom - top) * gain, 0, 1);
}

static struct picture
device_sobel (struct picture *source, GabbroFormat format, double gain, guint configuration)
{
  GabbroShader *shader = example_shader (test.device, "sobel.gk", "sobel", configuration);
  GabbroImage *from = picture_upload (source, test.device, format);
  GabbroImage *to = new_image (test.device, format, source->width, source->height);
  GabbroCommandList *list = new_list (test.device);
  struct picture result;
  GError *error = NULL;

  gabbro_command_list_run (list, shader, source->width, source->height, 1, &error, "source", from, "target", to, "gain",
                           gain, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  result = picture_download (to);
  g_object_unref (from);
  g_object_unref (to);
  g_object_unref (shader);
  return result;
}

/* Brightness has three products and two sums; nine of those, times 8 in all; length and gain. */
static double
sobel_bound (GabbroFormat format)
{
  return 8 * 16 * 0x1p-24 + format_error (format);
}

START_TEST (sobel_direct)
{
  const double gain = 0.25;

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      struct picture source = picture_new (shapes[i].width, shapes[i].height), wanted, result;

      picture_fill_random (&source, 70 + i);
      result = device_sobel (&source, shapes[i].format, gain, (guint) _i);
      wanted = picture_new (source.width, source.height);
      for (guint y = 0; y < source.height; y++)
        for (guint x = 0; x < source.width; x++)
          {
            double *texel = picture_texel (&wanted, x, y);
            texel[0] = texel[1] = texel[2] = direct_edge (&source, (int) x, (int) y, gain);
            texel[3] = 1;
          }
      assert_within (picture_difference (&result, &wanted), sobel_bound (shapes[i].format), "sobel", i);
      picture_clear (&source);
      picture_clear (&wanted);
      picture_clear (&result);
    }
}
END_TEST

/* A plane of brightness that climbs by (u, v)/256 a texel: its gradient is 8 times that, and
 * half of it at an edge in the direction across. */
static void
check_slope (guint shape, int u, int v, guint configuration)
{
  struct picture source = picture_new (shapes[shape].width, shapes[shape].height), result;
  double unit = shapes[shape].format == GABBRO_FORMAT_RGBA8_UNORM ? RGBA8_STEP : 1 / 256.0, worst = 0;

  for (guint y = 0; y < source.height; y++)
    for (guint x = 0; x < source.width; x++)
      {
        double *texel = picture_texel (&source, x, y);
        texel[0] = texel[1] = texel[2] = (u * (int) x + v * (int) y) * unit;
        texel[3] = 0.5;
      }
  result = device_sobel (&source, shapes[shape].format, 1, configuration);
  for (guint y = 0; y < source.height; y++)
    for (guint x = 0; x < source.width; x++)
      {
        double across = x == 0 || x == source.width - 1 ? 4 : 8, down = y == 0 || y == source.height - 1 ? 4 : 8;
        double wanted = hypot (across * u * unit, down * v * unit);

        for (guint c = 0; c < 3; c++)
          worst = MAX (worst, fabs (picture_texel (&result, x, y)[c] - wanted));
        worst = MAX (worst, fabs (picture_texel (&result, x, y)[3] - 1));
      }
  assert_within (worst, sobel_bound (shapes[shape].format), "slope", shape);
  picture_clear (&source);
  picture_clear (&result);
}

START_TEST (sobel_slopes)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      check_slope (i, 0, 0, (guint) _i);
      check_slope (i, 1, 0, (guint) _i);
      check_slope (i, 0, 1, (guint) _i);
      if (shapes[i].width + shapes[i].height <= 255)
        check_slope (i, 1, 1, (guint) _i);
    }
}
END_TEST

/* Mandelbrot. */

#define MAX_STEPS 300

/* The same operations on floats in the same order, by a compiler that does not contract: the
 * set is chaotic at its edge, so that nothing else would count the same there. The two
 * logarithms are of double. */
static double
host_steps (float cx, float cy, guint max_steps, guint *count)
{
  float x = 0, y = 0;

  for (*count = 0; *count < max_steps; ++*count)
    {
      float xx = x * x, yy = y * y, xy = 2 * x * y, distance;

      x = (xx - yy) + cx;
      y = xy + cy;
      xx = x * x;
      yy = y * y;
      distance = xx + yy;
      if (distance > 256)
        return *count + 1 - log2 (log2 (distance) * 0.5);
    }
  return max_steps;
}

struct view
{
  float centre[2], height;
};

static const struct view views[] = {
  { { -0.5f, 0 }, 2.5f },
  { { -0.7436f, 0.1318f }, 0.01f },
};

static void
place_of (const struct view *view, guint x, guint y, guint width, guint height, float *cx, float *cy)
{
  float across = ((float) x + 0.5f - 0.5f * (float) width) / (float) height;
  float down = ((float) y + 0.5f - 0.5f * (float) height) / (float) height;
  float right = across * view->height, up = -down * view->height;

  *cx = view->centre[0] + right;
  *cy = view->centre[1] + up;
}

static struct picture
device_mandelbrot (const struct view *view, guint shape, guint configuration)
{
  GabbroShader *shader = example_shader (test.device, "mandelbrot.gk", "mandelbrot", configuration);
  GabbroImage *image = new_image (test.device, shapes[shape].format, shapes[shape].width, shapes[shape].height);
  GabbroCommandList *list = new_list (test.device);
  struct picture result;
  GError *error = NULL;

  gabbro_command_list_run (list, shader, shapes[shape].width, shapes[shape].height, 1, &error, "picture", image, "centre",
                           view->centre, "height", (double) view->height, "max_steps", MAX_STEPS, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  result = picture_download (image);
  g_object_unref (image);
  g_object_unref (shader);
  return result;
}

static void
host_colour (double steps, double colour[4])
{
  static const double phases[3] = { 0.55, 0.65, 0.75 };
  double turn = sqrt (MAX (steps, 0)) * 0.125;

  for (guint c = 0; c < 3; c++)
    colour[c] = steps < MAX_STEPS ? 0.5 + 0.5 * cos (2 * G_PI * (turn + phases[c])) : 0;
  colour[3] = 1;
}

/* Colours: what the logarithms and the cosine of a driver may be off, 2^-11 of the argument for
 * a cosine in Vulkan; nothing for black. */
START_TEST (mandelbrot_colours)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes) * G_N_ELEMENTS (views); i++)
    {
      guint shape = i % G_N_ELEMENTS (shapes), count, n_inside = 0;
      const struct view *view = &views[i / G_N_ELEMENTS (shapes)];
      struct picture result = device_mandelbrot (view, shape, (guint) _i);
      struct picture wanted = picture_new (result.width, result.height);

      for (guint y = 0; y < result.height; y++)
        for (guint x = 0; x < result.width; x++)
          {
            float cx, cy;

            place_of (view, x, y, result.width, result.height, &cx, &cy);
            host_colour (host_steps (cx, cy, MAX_STEPS, &count), picture_texel (&wanted, x, y));
            n_inside += count == MAX_STEPS;
          }
      ck_assert_uint_gt (n_inside, 0);
      ck_assert_uint_lt (n_inside, result.width * result.height / 2);
      assert_within (picture_difference (&result, &wanted), 0x1p-11 + format_error (shapes[shape].format), "mandelbrot", shape);
      picture_clear (&wanted);
      picture_clear (&result);
    }
}
END_TEST

/* The whole steps alone, which smoothing would blur: a kernel of ours calls the example's own
 * function with that part cut off. */
static GabbroShader *
steps_shader (guint configuration)
{
  static const char smooth[] = "float(i) + 1 - log2(log2(distance) * 0.5)";
  static const char kernel[] =
    "\nkernel(64)\n"
    "void steps_of(const buffer<float2> places, buffer<float> steps, uint max_steps)\n"
    "{\n"
    "    steps[global_id.x] = escape_time(places[global_id.x], max_steps);\n"
    "}\n";
  char *text = read_example ("mandelbrot.gk"), **parts = g_strsplit (text, smooth, -1), *source;
  GabbroShader *shader;

  ck_assert_uint_eq (g_strv_length (parts), 2);
  source = g_strconcat (parts[0], "float(i)", parts[1], kernel, NULL);
  shader = configured_shader (test.device, source, "steps_of", configuration);
  g_free (source);
  g_strfreev (parts);
  g_free (text);
  return shader;
}

/* None may differ: the loop has exact operations only, but for the length that is compared with
 * 256, and no place of these comes so near to that. */
static void
check_steps (const struct view *view, guint width, guint height, guint configuration)
{
  GabbroShader *shader = steps_shader (configuration);
  guint n = width * height, count, n_inside = 0, n_wrong = 0;
  GabbroBuffer *places = new_buffer (test.device, "float2", n), *steps = new_buffer (test.device, "float", n);
  GabbroCommandList *list = new_list (test.device);
  float *c = g_new (float, 2 * n), *result = g_new (float, n);
  GError *error = NULL;

  for (guint i = 0; i < n; i++)
    place_of (view, i % width, i / width, width, height, &c[2 * i], &c[2 * i + 1]);
  upload (places, c, 2 * n * sizeof *c);
  gabbro_command_list_run (list, shader, n, 1, 1, &error, "places", places, "steps", steps, "max_steps", MAX_STEPS, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  download (steps, result, n * sizeof *result);
  for (guint i = 0; i < n; i++)
    {
      host_steps (c[2 * i], c[2 * i + 1], MAX_STEPS, &count);
      n_wrong += result[i] != (float) count;
      n_inside += count == MAX_STEPS;
    }
  ck_assert_uint_eq (n_wrong, 0);
  ck_assert_uint_gt (n_inside, 0);
  g_free (c);
  g_free (result);
  g_object_unref (places);
  g_object_unref (steps);
  g_object_unref (shader);
}

START_TEST (mandelbrot_steps)
{
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      check_steps (&views[i], 61, 37, (guint) _i);
      check_steps (&views[i], 256, 256, (guint) _i);
    }
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("examples");
  TCase *test_case = gb_test_case (suite, "examples");
  int n = G_N_ELEMENTS (example_configurations);

  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_loop_test (test_case, saxpy, 0, n);
  tcase_add_loop_test (test_case, blur_direct, 0, n);
  tcase_add_loop_test (test_case, blur_constant, 0, n);
  tcase_add_loop_test (test_case, sobel_direct, 0, n);
  tcase_add_loop_test (test_case, sobel_slopes, 0, n);
  tcase_add_loop_test (test_case, mandelbrot_colours, 0, n);
  tcase_add_loop_test (test_case, mandelbrot_steps, 0, n);
  return suite;
}

GB_TEST_MAIN (make_suite)
