/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels of data/examples whose threads work together, on llvmpipe, each against what the host
 * computes in its plainest way, for sizes that are no multiples of anything. */

#include "config.h"

#include "tests/cases/example.h"
#include "tests/cases/picture.h"

#include <math.h>

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

/* A buffer with words behind it that must stay as they are. */
#define BACKGROUND 0xaaaaaaaau
#define GUARD      64

struct guarded
{
  GabbroBuffer *whole, *view;
  gsize size;
};

static struct guarded
guarded_new (const char *type, gsize element_size, guint length, gconstpointer data)
{
  gsize extra = GUARD * sizeof (guint32);
  struct guarded guarded = { .whole = new_buffer (test.device, type, length + extra / element_size), .size = length * element_size };
  guint8 *bytes = g_malloc0 (guarded.size + extra);

  memset (bytes + guarded.size, 0xaa, extra);
  if (data != NULL)
    memcpy (bytes, data, guarded.size);
  upload (guarded.whole, bytes, guarded.size + extra);
  guarded.view = new_view (guarded.whole, 0, length);
  g_free (bytes);
  return guarded;
}

static void
guarded_download (const struct guarded *guarded, gpointer data)
{
  guint32 *words = g_malloc (guarded->size + GUARD * sizeof *words);

  download (guarded->whole, words, guarded->size + GUARD * sizeof *words);
  memcpy (data, words, guarded->size);
  for (guint i = 0; i < GUARD; i++)
    ck_assert_msg (words[guarded->size / 4 + i] == BACKGROUND, "something was written behind a buffer");
  g_free (words);
}

static void
guarded_clear (struct guarded *guarded)
{
  g_clear_object (&guarded->view);
  g_clear_object (&guarded->whole);
}

/* One dispatch of a kernel that is `shader`, in `list`. */
#define RUN(list, shader, x, y, ...)                                                                  \
  do                                                                                                  \
    {                                                                                                 \
      GError *error_ = NULL;                                                                          \
      gabbro_command_list_run (list, shader, x, y, 1, &error_, __VA_ARGS__, NULL);                    \
      assert_no_error (error_);                                                                       \
    }                                                                                                 \
  while (0)

static guint
round_up (guint n, guint step)
{
  return (n + step - 1) / step * step;
}

static guint32 *
random_words (guint n, guint32 limit)
{
  GRand *random = g_rand_new_with_seed (n);
  guint32 *words = g_new (guint32, n);

  for (guint i = 0; i < n; i++)
    words[i] = limit == 0 ? g_rand_int (random) : (guint32) g_rand_int_range (random, 0, (gint32) limit);
  g_rand_free (random);
  return words;
}

/* Numbers. */

static guint32
hash (guint32 x)
{
  guint32 state = x * 747796405u + 2891336453u;
  guint32 word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;

  return (word >> 22) ^ word;
}

START_TEST (numbers)
{
  enum { LENGTH = 1001, LIMIT = 1000, SEED = 3 };
  GabbroShader *count = example_shader (test.device, "numbers.gk", "count", (guint) _i);
  GabbroShader *random = example_shader (test.device, "numbers.gk", "random", (guint) _i);
  struct guarded counted = guarded_new ("float", sizeof (float), LENGTH, NULL);
  struct guarded chance = guarded_new ("uint", sizeof (guint32), LENGTH, NULL);
  GabbroCommandList *list = new_list (test.device);
  float floats[LENGTH];
  guint32 words[LENGTH];

  RUN (list, count, LENGTH, 1, "values", counted.view);
  RUN (list, random, LENGTH, 1, "values", chance.view, "limit", LIMIT, "seed", SEED);
  submit_list (test.stream, list);
  guarded_download (&counted, floats);
  guarded_download (&chance, words);
  for (guint i = 0; i < LENGTH; i++)
    {
      ck_assert_msg (floats[i] == (float) i, "%u is %g", i, (double) floats[i]);
      ck_assert_uint_eq (words[i], hash (i + hash (SEED)) % LIMIT);
    }
  guarded_clear (&counted);
  guarded_clear (&chance);
  g_object_unref (count);
  g_object_unref (random);
}
END_TEST

/* Histogram: where a brightness is so near to the middle between two counts that rounding decides, it may be in
 * either. */

static void
count_on_host (const struct picture *picture, guint least[256], guint most[256])
{
  for (guint y = 0; y < picture->height; y++)
    for (guint x = 0; x < picture->width; x++)
      {
        const double *texel = picture_at (picture, (int) x, (int) y);
        double level = (0.2126 * texel[0] + 0.7152 * texel[1] + 0.0722 * texel[2]) * 255;
        guint low = (guint) lround (level - 1e-3), high = (guint) lround (level + 1e-3);

        if (low == high)
          least[low]++;
        most[low]++;
        if (low != high)
          most[high]++;
      }
}

static void
check_histogram (guint width, guint height, guint across, guint down, GabbroFormat format, guint configuration)
{
  GabbroShader *shader = example_shader (test.device, "histogram.gk", "histogram", configuration);
  struct picture picture = picture_new (width, height);
  struct guarded counts = guarded_new ("uint", sizeof (guint32), 256, NULL);
  GabbroCommandList *list = new_list (test.device);
  guint least[256] = { 0 }, most[256] = { 0 }, total = 0;
  guint32 result[256];
  GabbroImage *image;

  picture_fill_random (&picture, width);
  image = picture_upload (&picture, test.device, format);
  count_on_host (&picture, least, most);
  /* The second run adds to what the first has counted. */
  for (guint i = 0; i < 2; i++)
    RUN (list, shader, across, down, "source", image, "counts", counts.view);
  submit_list (test.stream, list);
  guarded_download (&counts, result);
  for (guint i = 0; i < 256; i++)
    {
      ck_assert_msg (result[i] >= 2 * least[i] && result[i] <= 2 * most[i] && result[i] % 2 == 0,
                     "%u×%u: brightness %u comes %u times, not 2 × %u to %u", width, height, i, result[i], least[i], most[i]);
      total += result[i];
    }
  ck_assert_uint_eq (total, 2 * width * height);
  g_object_unref (image);
  g_object_unref (shader);
  guarded_clear (&counts);
  picture_clear (&picture);
}

START_TEST (histogram)
{
  check_histogram (1, 1, 16, 16, GABBRO_FORMAT_RGBA8_UNORM, (guint) _i);
  check_histogram (61, 37, 16, 16, GABBRO_FORMAT_RGBA32_FLOAT, (guint) _i);
  check_histogram (61, 37, 96, 64, GABBRO_FORMAT_RGBA8_UNORM, (guint) _i);
  check_histogram (256, 250, 64, 32, GABBRO_FORMAT_RGBA8_UNORM, (guint) _i);
}
END_TEST

/* Prefix sum. */

#define SCAN_BLOCK 1024

/* Records what gives prefix sums of `values`, and of the sums of its blocks as far as there are several. */
static void
record_scan (GabbroCommandList *list, GabbroShader *scan, GabbroShader *add, GabbroBuffer *values, GabbroBuffer *before, guint length)
{
  guint n_blocks = (length + SCAN_BLOCK - 1) / SCAN_BLOCK;
  GabbroBuffer *sums = new_buffer (test.device, "uint", n_blocks);

  RUN (list, scan, n_blocks * 256, 1, "values", values, "before", before, "sums", sums);
  if (n_blocks > 1)
    {
      GabbroBuffer *blocks = new_buffer (test.device, "uint", n_blocks);

      record_scan (list, scan, add, sums, blocks, n_blocks);
      RUN (list, add, n_blocks * 256, 1, "before", before, "blocks", blocks);
      g_object_unref (blocks);
    }
  g_object_unref (sums);
}

static void
check_prefix_sum (guint length, guint32 limit, guint configuration)
{
  GabbroShader *scan = example_shader (test.device, "prefix-sum.gk", "scan", configuration);
  GabbroShader *add = example_shader (test.device, "prefix-sum.gk", "add", configuration);
  guint32 *values = random_words (length, limit), *result = g_new (guint32, length), sum = 0;
  struct guarded in = guarded_new ("uint", sizeof *values, length, values), out = guarded_new ("uint", sizeof *values, length, values);
  GabbroCommandList *list = new_list (test.device);

  record_scan (list, scan, add, in.view, out.view, length);
  submit_list (test.stream, list);
  guarded_download (&out, result);
  for (guint i = 0; i < length; i++)
    {
      ck_assert_msg (result[i] == sum, "%u values: before value %u are %u, not %u", length, i, result[i], sum);
      sum += values[i];
    }
  g_object_unref (scan);
  g_object_unref (add);
  guarded_clear (&in);
  guarded_clear (&out);
  g_free (values);
  g_free (result);
}

START_TEST (prefix_sum)
{
  static const guint lengths[] = { 1, 3, 1023, 1024, 1025, 5000, SCAN_BLOCK * SCAN_BLOCK + 1 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    check_prefix_sum (lengths[i], 10, (guint) _i);
  /* Sums wrap. */
  check_prefix_sum (5001, 0, (guint) _i);
}
END_TEST

/* Transpose. */

static void
check_transpose (guint columns, guint rows, guint configuration)
{
  GabbroShader *shader = example_shader (test.device, "transpose.gk", "transpose_matrix", configuration);
  guint32 *words = random_words (columns * rows, 1000);
  float *source = g_new (float, columns * rows), *target = g_new (float, columns * rows);
  GabbroCommandList *list = new_list (test.device);
  struct guarded from, to;

  for (guint i = 0; i < columns * rows; i++)
    source[i] = (float) words[i];
  from = guarded_new ("float", sizeof *source, columns * rows, source);
  to = guarded_new ("float", sizeof *target, columns * rows, NULL);
  RUN (list, shader, columns, rows, "source", from.view, "target", to.view);
  submit_list (test.stream, list);
  guarded_download (&to, target);
  for (guint y = 0; y < rows; y++)
    for (guint x = 0; x < columns; x++)
      ck_assert_msg (target[x * rows + y] == source[y * columns + x], "%u×%u: element %u,%u is %g, not %g", columns, rows, x, y,
                     (double) target[x * rows + y], (double) source[y * columns + x]);
  guarded_clear (&from);
  guarded_clear (&to);
  g_object_unref (shader);
  g_free (words);
  g_free (source);
  g_free (target);
}

START_TEST (transpose)
{
  check_transpose (1, 1, (guint) _i);
  check_transpose (16, 48, (guint) _i);
  check_transpose (61, 37, (guint) _i);
  check_transpose (5, 130, (guint) _i);
}
END_TEST

/* Matrix product: with small whole numbers, so that it is exact in any order; and with reals. */

static float *
random_matrix (guint n, guint32 seed, gboolean whole)
{
  GRand *random = g_rand_new_with_seed (seed);
  float *matrix = g_new (float, n);

  for (guint i = 0; i < n; i++)
    matrix[i] = (float) (whole ? g_rand_int_range (random, -8, 9) : g_rand_double_range (random, -1, 1));
  g_rand_free (random);
  return matrix;
}

static void
check_product (guint rows, guint inner, guint columns, gboolean whole, guint configuration)
{
  GabbroShader *shader = example_shader (test.device, "matrix-product.gk", "matrix_product", configuration);
  float *a = random_matrix (rows * inner, 1, whole), *b = random_matrix (inner * columns, 2, whole);
  float *result = g_new (float, rows * columns);
  struct guarded a_buffer = guarded_new ("float", sizeof *a, rows * inner, a);
  struct guarded b_buffer = guarded_new ("float", sizeof *b, inner * columns, b);
  struct guarded product = guarded_new ("float", sizeof *result, rows * columns, NULL);
  GabbroCommandList *list = new_list (test.device);

  RUN (list, shader, columns, rows, "a", a_buffer.view, "b", b_buffer.view, "product", product.view, "inner", inner);
  submit_list (test.stream, list);
  guarded_download (&product, result);
  for (guint y = 0; y < rows; y++)
    for (guint x = 0; x < columns; x++)
      {
        double sum = 0, size = 0;

        for (guint i = 0; i < inner; i++)
          {
            double term = (double) a[y * inner + i] * (double) b[i * columns + x];

            sum += term;
            size += fabs (term);
          }
        /* Each of the products and sums is off by half an ulp of what there is by then. */
        ck_assert_msg (fabs ((double) result[y * columns + x] - sum) <= (whole ? 0 : (inner + 1) * 0x1p-24 * size),
                       "%u×%u×%u: element %u,%u is %.9g, not %.9g", rows, inner, columns, x, y,
                       (double) result[y * columns + x], sum);
      }
  guarded_clear (&a_buffer);
  guarded_clear (&b_buffer);
  guarded_clear (&product);
  g_object_unref (shader);
  g_free (a);
  g_free (b);
  g_free (result);
}

START_TEST (matrix_product)
{
  for (int whole = 0; whole < 2; whole++)
    {
      check_product (1, 1, 1, whole, (guint) _i);
      check_product (16, 16, 16, whole, (guint) _i);
      check_product (37, 61, 19, whole, (guint) _i);
      check_product (5, 130, 33, whole, (guint) _i);
    }
}
END_TEST

/* Bitonic sort. */

#define SORT_BLOCK 512

static void
record_sort (GabbroCommandList *list, GabbroBuffer *values, guint length, guint configuration)
{
  GabbroShader *sort_blocks = example_shader (test.device, "bitonic-sort.gk", "sort_blocks", configuration);
  GabbroShader *mirror = example_shader (test.device, "bitonic-sort.gk", "mirror", configuration);
  GabbroShader *compare = example_shader (test.device, "bitonic-sort.gk", "compare", configuration);
  guint n_threads = round_up (length, SORT_BLOCK) / 2;

  RUN (list, sort_blocks, n_threads, 1, "values", values);
  for (guint span = 2 * SORT_BLOCK; span / 2 < length; span *= 2)
    {
      RUN (list, mirror, round_up (length, span) / 2, 1, "values", values, "span", span);
      for (guint distance = span / 4; distance > 0; distance /= 2)
        RUN (list, compare, round_up (length, span) / 2, 1, "values", values, "distance", distance);
    }
  g_object_unref (sort_blocks);
  g_object_unref (mirror);
  g_object_unref (compare);
}

static int
compare_words (const void *a, const void *b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

static void
check_sort (guint length, guint32 limit, guint configuration)
{
  guint32 *values = random_words (length, limit), *result = g_new (guint32, length);
  GabbroCommandList *list = new_list (test.device);
  struct guarded buffer;

  /* What the kernel puts behind the last value is a value, too. */
  values[length / 2] = G_MAXUINT32;
  buffer = guarded_new ("uint", sizeof *values, length, values);
  record_sort (list, buffer.view, length, configuration);
  submit_list (test.stream, list);
  guarded_download (&buffer, result);
  qsort (values, length, sizeof *values, compare_words);
  for (guint i = 0; i < length; i++)
    ck_assert_msg (result[i] == values[i], "%u values: number %u is %u, not %u", length, i, result[i], values[i]);
  guarded_clear (&buffer);
  g_free (values);
  g_free (result);
}

START_TEST (bitonic_sort)
{
  static const guint lengths[] = { 1, 2, 3, 511, 512, 513, 1000, 5001 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    check_sort (lengths[i], 0, (guint) _i);
  /* Many that are equal. */
  check_sort (1500, 7, (guint) _i);
}
END_TEST

/* n-body. */

#define HEAVY     1.0
#define LIGHT     2e-4
#define SOFTENING 1e-4

struct body { float x, y, z, w; };

struct system
{
  guint n;
  struct guarded bodies, velocities;
  GabbroShader *kick, *drift;
};

static struct system
system_new (guint n, guint configuration)
{
  GabbroShader *start = example_shader (test.device, "n-body.gk", "start", configuration);
  struct system system = { .n = n, .bodies = guarded_new ("float4", sizeof (struct body), n, NULL),
                           .velocities = guarded_new ("float4", sizeof (struct body), n, NULL),
                           .kick = example_shader (test.device, "n-body.gk", "kick", configuration),
                           .drift = example_shader (test.device, "n-body.gk", "drift", configuration) };
  GabbroCommandList *list = new_list (test.device);

  RUN (list, start, n, 1, "bodies", system.bodies.view, "velocities", system.velocities.view);
  submit_list (test.stream, list);
  g_object_unref (start);
  return system;
}

static void
system_clear (struct system *system)
{
  guarded_clear (&system->bodies);
  guarded_clear (&system->velocities);
  g_object_unref (system->kick);
  g_object_unref (system->drift);
}

static void
system_step (struct system *system, guint n_steps, double time)
{
  GabbroCommandList *list = new_list (test.device);

  for (guint i = 0; i < n_steps; i++)
    {
      RUN (list, system->kick, system->n, 1, "bodies", system->bodies.view, "velocities", system->velocities.view, "time", time);
      RUN (list, system->drift, system->n, 1, "bodies", system->bodies.view, "velocities", system->velocities.view, "time", time);
    }
  submit_list (test.stream, list);
}

/* Acceleration of body `i`, and the size of what was added up for it. */
static double
pull_on_host (const struct body *bodies, guint n, guint i, double sum[3])
{
  double size = 0;

  sum[0] = sum[1] = sum[2] = 0;
  for (guint k = 0; k < n; k++)
    {
      double way[3] = { (double) bodies[k].x - (double) bodies[i].x, (double) bodies[k].y - (double) bodies[i].y,
                        (double) bodies[k].z - (double) bodies[i].z };
      double square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + SOFTENING;
      double strength = (double) bodies[k].w / pow (square, 1.5);

      for (guint c = 0; c < 3; c++)
        sum[c] += way[c] * strength;
      size += strength * sqrt (square);
    }
  return size;
}

/* The sunflower, by another formula for its circles; one step against the host. */
static void
check_step (guint n, guint configuration)
{
  const double time = 0.125;
  struct system system = system_new (n, configuration);
  struct body *before = g_new (struct body, n), *speed = g_new (struct body, n), *after = g_new (struct body, n),
              *speed_after = g_new (struct body, n);

  guarded_download (&system.bodies, before);
  guarded_download (&system.velocities, speed);
  system_step (&system, 1, time);
  guarded_download (&system.bodies, after);
  guarded_download (&system.velocities, speed_after);
  for (guint i = 0; i < n; i++)
    {
      double radius = hypot ((double) before[i].x, (double) before[i].y), v = hypot ((double) speed[i].x, (double) speed[i].y), sum[3];
      double size = pull_on_host (before, n, i, sum);

      ck_assert_double_eq_tol (radius * radius * n, i, 1e-5 * n);
      ck_assert_double_eq_tol (v * v * radius, i == 0 ? 0 : HEAVY + i * LIGHT, 1e-4);
      ck_assert_double_eq_tol ((double) (before[i].x * speed[i].x + before[i].y * speed[i].y), 0, 1e-5);
      ck_assert_double_eq ((double) before[i].w, (double) (i == 0 ? 1 : 2e-4f));
      /* Kick: n sums, and a few roundings and a reciprocal root in each pull. */
      ck_assert_double_eq_tol ((double) speed_after[i].x, (double) speed[i].x + time * sum[0], (n + 16) * 0x1p-23 * (size + v));
      ck_assert_double_eq_tol ((double) speed_after[i].y, (double) speed[i].y + time * sum[1], (n + 16) * 0x1p-23 * (size + v));
      /* Drift: exact products, because time is a power of two. */
      ck_assert_double_eq ((double) after[i].x, (double) (before[i].x + 0.125f * speed_after[i].x));
      ck_assert_double_eq ((double) after[i].y, (double) (before[i].y + 0.125f * speed_after[i].y));
      ck_assert_double_eq ((double) after[i].z, 0);
      ck_assert_double_eq ((double) after[i].w, (double) before[i].w);
    }
  g_free (before);
  g_free (speed);
  g_free (after);
  g_free (speed_after);
  system_clear (&system);
}

START_TEST (n_body_step)
{
  check_step (1, (guint) _i);
  check_step (63, (guint) _i);
  check_step (200, (guint) _i);
}
END_TEST

/* Kinetic and potential energy; the latter with the same softening as the force. */
static double
energy_of (struct system *system, double momentum[2])
{
  struct body *bodies = g_new (struct body, system->n), *speed = g_new (struct body, system->n);
  double energy = 0;

  guarded_download (&system->bodies, bodies);
  guarded_download (&system->velocities, speed);
  momentum[0] = momentum[1] = 0;
  for (guint i = 0; i < system->n; i++)
    {
      double vx = (double) speed[i].x, vy = (double) speed[i].y, mass = (double) bodies[i].w;

      momentum[0] += mass * vx;
      momentum[1] += mass * vy;
      energy += mass * (vx * vx + vy * vy) / 2;
      for (guint k = 0; k < i; k++)
        energy -= mass * (double) bodies[k].w
                  / sqrt (pow ((double) bodies[k].x - (double) bodies[i].x, 2) + pow ((double) bodies[k].y - (double) bodies[i].y, 2)
                          + SOFTENING);
    }
  g_free (bodies);
  g_free (speed);
  return energy;
}

/* What physics keeps is kept: momentum to rounding, and energy as well as the step allows. */
START_TEST (n_body_energy)
{
  struct system system = system_new (100, (guint) _i);
  double before[2], after[2], energy = energy_of (&system, before);

  system_step (&system, 200, 0.002);
  ck_assert_double_eq_tol (energy_of (&system, after), energy, 0.02 * fabs (energy));
  ck_assert_double_eq_tol (after[0], before[0], 1e-5);
  ck_assert_double_eq_tol (after[1], before[1], 1e-5);
  system_clear (&system);
}
END_TEST

START_TEST (n_body_picture)
{
  enum { BODIES = 50, WIDTH = 61, HEIGHT = 37 };
  GabbroShader *draw = example_shader (test.device, "n-body.gk", "draw", (guint) _i);
  struct system system = system_new (BODIES, (guint) _i);
  GabbroImage *image = new_image (test.device, GABBRO_FORMAT_RGBA32_FLOAT, WIDTH, HEIGHT);
  GabbroCommandList *list = new_list (test.device);
  struct body bodies[BODIES];
  struct picture picture;
  double brightest = 0;

  RUN (list, draw, WIDTH, HEIGHT, "bodies", system.bodies.view, "picture", image);
  submit_list (test.stream, list);
  guarded_download (&system.bodies, bodies);
  picture = picture_download (image);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      {
        double light = 0;

        for (guint i = 0; i < BODIES; i++)
          {
            /* In pixels from the middle of this one: the picture is 2.4 high. */
            double across = (double) bodies[i].x * HEIGHT / 2.4 + WIDTH / 2.0 - (x + 0.5);
            double down = (double) bodies[i].y * HEIGHT / 2.4 + HEIGHT / 2.0 - (y + 0.5);

            light += (i == 0 ? 8 : 0.5) * exp (-across * across - down * down);
          }
        brightest = MAX (brightest, light);
        ck_assert_double_eq_tol (picture_texel (&picture, x, y)[0], CLAMP (light * 0.7, 0, 1), 1e-3);
        ck_assert_double_eq_tol (picture_texel (&picture, x, y)[2], CLAMP (light, 0, 1), 1e-3);
      }
  ck_assert_double_gt (brightest, 1);
  picture_clear (&picture);
  g_object_unref (image);
  g_object_unref (draw);
  system_clear (&system);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("examples together");
  TCase *test_case = gb_test_case (suite, "examples together");
  int n = G_N_ELEMENTS (example_configurations);

  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_loop_test (test_case, numbers, 0, n);
  tcase_add_loop_test (test_case, histogram, 0, n);
  tcase_add_loop_test (test_case, prefix_sum, 0, n);
  tcase_add_loop_test (test_case, transpose, 0, n);
  tcase_add_loop_test (test_case, matrix_product, 0, n);
  tcase_add_loop_test (test_case, bitonic_sort, 0, n);
  tcase_add_loop_test (test_case, n_body_step, 0, n);
  tcase_add_loop_test (test_case, n_body_energy, 0, n);
  tcase_add_loop_test (test_case, n_body_picture, 0, n);
  return suite;
}

GB_TEST_MAIN (make_suite)
