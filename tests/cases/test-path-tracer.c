/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* data/examples/path-tracer.gk against a path tracer that shares no formula and no random number
 * with it: doubles, the quadratic equation, recursion, a disc lifted to the hemisphere, refraction
 * by angles. Two such pictures agree in the mean of many paths only, so blocks of pixels are
 * compared, and how far they may be apart follows from the spread of the host's own paths. */

#include "config.h"

#include "tests/cases/picture.h"
#include "tests/gpu/device-test.h"

#include <math.h>

#define WIDTH   40
#define HEIGHT  24
#define BLOCK   4
#define SAMPLES 192

#define FIELD   5
#define SMALL   ((2 * FIELD + 1) * (2 * FIELD + 1))
#define SPHERES (SMALL + 4)
#define BOUNCES 12

enum kind { DIFFUSE, METAL, GLASS };

struct vector { double x, y, z; };

struct sphere
{
  struct vector centre, colour;
  double radius, roughness;
  enum kind kind;
};

static struct sphere scene[SPHERES];
static struct device_test test;

static struct vector
vector (double x, double y, double z)
{
  return (struct vector) { x, y, z };
}

/* a + s * b */
static struct vector
along (struct vector a, double s, struct vector b)
{
  return vector (a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static double
inner (struct vector a, struct vector b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector
outer (struct vector a, struct vector b)
{
  return vector (a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static struct vector
unit_vector (struct vector a)
{
  double length = sqrt (inner (a, a));

  return vector (a.x / length, a.y / length, a.z / length);
}

/* The scene is what the kernel says, so its hash is, too. */

static guint32
hash (guint32 x)
{
  guint32 state = x * 747796405u + 2891336453u;
  guint32 word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;

  return (word >> 22) ^ word;
}

static double
part (guint32 bits)
{
  return (bits >> 8) / 16777216.0;
}

static struct sphere
large_sphere (int i)
{
  static const struct vector colours[] = { { 0.62, 0.14, 0.10 }, { 0.93, 0.82, 0.62 }, { 1, 1, 1 } };

  return (struct sphere) { .centre = vector ((i - 1) * 2.6, 1, (1 - i) * 0.5), .radius = 1, .colour = colours[i],
                           .kind = (enum kind) i };
}

static struct sphere
small_sphere (guint32 i)
{
  guint32 place = hash (i), look = hash (i + 4096);
  double turn = 2 * G_PI * part (hash (look)), choice = part (look);
  struct sphere sphere = { .kind = choice < 0.6 ? DIFFUSE : choice < 0.85 ? METAL : GLASS };

  sphere.radius = 0.12 + 0.12 * part (hash (place + 2));
  sphere.centre.x = 1.1 * ((int) (i % (2 * FIELD + 1)) - FIELD + 0.7 * (part (hash (place)) - 0.5));
  sphere.centre.y = sphere.radius;
  sphere.centre.z = 1.1 * ((int) (i / (2 * FIELD + 1)) - FIELD + 0.7 * (part (hash (place + 1)) - 0.5));
  sphere.colour = vector (0.5 + 0.4 * cos (turn), 0.5 + 0.4 * cos (turn + 2 * G_PI * 0.33),
                          0.5 + 0.4 * cos (turn + 2 * G_PI * 0.67));
  if (sphere.kind == METAL)
    sphere.roughness = 0.3 * part (hash (look + 1));
  if (sphere.kind == GLASS)
    sphere.colour = vector (1, 1, 1);
  return sphere;
}

static void
make_scene (void)
{
  for (int i = 0; i < SMALL; i++)
    scene[i] = small_sphere ((guint32) i);
  scene[SMALL] = (struct sphere) { .centre = vector (0, -1000, 0), .radius = 1000, .colour = vector (0.42, 0.44, 0.40) };
  for (int i = 0; i < 3; i++)
    scene[SMALL + 1 + i] = large_sphere (i);
}

static double
meet (const struct sphere *sphere, struct vector origin, struct vector direction)
{
  struct vector from = along (origin, -1, sphere->centre);
  double b = 2 * inner (from, direction), c = inner (from, from) - sphere->radius * sphere->radius;
  double square = b * b - 4 * c;

  if (square < 0)
    return INFINITY;
  for (int sign = -1; sign <= 1; sign += 2)
    if ((-b + sign * sqrt (square)) / 2 > 1e-3)
      return (-b + sign * sqrt (square)) / 2;
  return INFINITY;
}

/* Two lengths that are perpendicular to `normal`, and a point of the disc between them, lifted. */
static struct vector
diffuse (struct vector normal, GRand *random)
{
  struct vector side = unit_vector (outer (normal, fabs (normal.x) < 0.5 ? vector (1, 0, 0) : vector (0, 1, 0)));
  struct vector other = outer (normal, side);
  double square = g_rand_double (random), turn = g_rand_double_range (random, 0, 2 * G_PI), radius = sqrt (square);

  return along (along (along (vector (0, 0, 0), radius * cos (turn), side), radius * sin (turn), other), sqrt (1 - square),
                normal);
}

static struct vector
mirror (struct vector direction, struct vector normal)
{
  return along (direction, -2 * inner (direction, normal), normal);
}

/* Of the surface of a sphere, by rejection. */
static struct vector
anywhere (GRand *random)
{
  struct vector point;

  do
    point = vector (g_rand_double_range (random, -1, 1), g_rand_double_range (random, -1, 1),
                    g_rand_double_range (random, -1, 1));
  while (inner (point, point) > 1 || inner (point, point) < 1e-6);
  return unit_vector (point);
}

static struct vector
refract (struct vector direction, struct vector normal, GRand *random)
{
  double cosine = -inner (direction, normal), ratio = cosine > 0 ? 1 / 1.5 : 1.5, angle, sine, base;
  struct vector facing = cosine > 0 ? normal : along (vector (0, 0, 0), -1, normal), side;

  angle = acos (MIN (fabs (cosine), 1));
  sine = ratio * sin (angle);
  base = pow ((1 - ratio) / (1 + ratio), 2);
  if (sine > 1 || g_rand_double (random) < base + (1 - base) * pow (1 - cos (angle), 5))
    return mirror (direction, facing);
  side = along (direction, fabs (cosine), facing);
  if (inner (side, side) < 1e-20)
    return direction;
  return along (along (vector (0, 0, 0), sine, unit_vector (side)), -cos (asin (sine)), facing);
}

static struct vector
radiance (struct vector origin, struct vector direction, guint bounces, GRand *random)
{
  const struct sphere *nearest = NULL;
  double distance = INFINITY, up = CLAMP (0.5 * direction.y + 0.5, 0, 1);
  struct vector normal, next, rest;

  if (bounces == BOUNCES)
    return vector (0, 0, 0);
  for (guint i = 0; i < SPHERES; i++)
    {
      double here = meet (&scene[i], origin, direction);

      if (here < distance)
        nearest = &scene[i];
      distance = MIN (distance, here);
    }
  if (nearest == NULL)
    return vector (1 - 0.55 * up, 1 - 0.35 * up, 1);
  origin = along (origin, distance, direction);
  normal = unit_vector (along (origin, -1, nearest->centre));
  if (nearest->kind == GLASS)
    next = refract (direction, normal, random);
  else if (nearest->kind == METAL)
    next = unit_vector (along (mirror (direction, normal), nearest->roughness, anywhere (random)));
  else
    next = diffuse (normal, random);
  if (nearest->kind != GLASS && inner (next, normal) <= 0)
    return vector (0, 0, 0);
  rest = radiance (origin, next, bounces + 1, random);
  return vector (nearest->colour.x * rest.x, nearest->colour.y * rest.y, nearest->colour.z * rest.z);
}

static struct vector
view (guint x, guint y, GRand *random)
{
  struct vector back = unit_vector (vector (4.5, 1.7, 8.5)), right, above;
  double across = (x + g_rand_double (random) - WIDTH / 2.0) / HEIGHT;
  double down = (y + g_rand_double (random) - HEIGHT / 2.0) / HEIGHT;

  right = unit_vector (outer (vector (0, 1, 0), back));
  above = outer (back, right);
  return unit_vector (along (along (along (vector (0, 0, 0), across, right), -down, above), -1.4, back));
}

/* Mean of a block, and the variance of that mean. */
struct mean { double value, variance; };

static struct mean
host_block (guint left, guint top, GRand *random)
{
  const double n = BLOCK * BLOCK * SAMPLES;
  double sum = 0, squares = 0;

  for (guint i = 0; i < BLOCK * BLOCK; i++)
    for (guint s = 0; s < SAMPLES; s++)
      {
        struct vector colour = radiance (vector (4.5, 2.4, 8.5), view (left + i % BLOCK, top + i / BLOCK, random), 0, random);
        double grey = (colour.x + 2 * colour.y + 4 * colour.z) / 7;

        sum += grey;
        squares += grey * grey;
      }
  return (struct mean) { sum / n, (squares / n - sum / n * (sum / n)) / n };
}

/* The kernel writes square roots. */
static double
device_block (const struct picture *picture, guint left, guint top)
{
  double sum = 0;

  for (guint i = 0; i < BLOCK * BLOCK; i++)
    {
      const double *texel = picture_at (picture, (int) (left + i % BLOCK), (int) (top + i / BLOCK));

      sum += (texel[0] * texel[0] + 2 * texel[1] * texel[1] + 4 * texel[2] * texel[2]) / 7;
    }
  return sum / (BLOCK * BLOCK);
}

static struct picture
device_picture (guint seed)
{
  char *path = g_build_filename (g_getenv ("top_srcdir"), "data", "examples", "path-tracer.gk", NULL), *source;
  GabbroImage *image = new_image (test.device, GABBRO_FORMAT_RGBA32_FLOAT, WIDTH, HEIGHT);
  GabbroCommandList *list = new_list (test.device);
  struct picture picture;
  GabbroKernel *kernel;
  GabbroShader *shader;
  GError *error = NULL;

  g_file_get_contents (path, &source, NULL, &error);
  assert_no_error (error);
  kernel = new_kernel (source, "path_tracer");
  shader = gabbro_shader_new (test.device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error);
  assert_no_error (error);
  gabbro_command_list_run (list, shader, WIDTH, HEIGHT, 1, &error, "picture", image, "samples", SAMPLES, "seed", seed, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  picture = picture_download (image);
  g_object_unref (shader);
  g_object_unref (kernel);
  g_object_unref (image);
  g_free (source);
  g_free (path);
  return picture;
}

START_TEST (blocks_agree)
{
  struct picture picture;
  GRand *random = g_rand_new_with_seed (20);
  double square_sum = 0, n_blocks = 0;

  test = device_test_begin ();
  make_scene ();
  picture = device_picture (1);
  for (guint top = 0; top < HEIGHT; top += BLOCK)
    for (guint left = 0; left < WIDTH; left += BLOCK)
      {
        struct mean wanted = host_block (left, top, random);
        /* Both means spread alike; the last term is for blocks of sky, where there is nothing random but the
         * place in the pixel, and for the device's arithmetic. */
        double spread = sqrt (2 * wanted.variance + 1e-8), off = device_block (&picture, left, top) - wanted.value;

        ck_assert_msg (fabs (off) < 5.5 * spread, "block at %u,%u: off by %g, %.1f times what chance does", left, top, off,
                       fabs (off) / spread);
        square_sum += off * off / (spread * spread);
        n_blocks++;
      }
  /* Many small faults in one direction are one, too: the mean of the squares is 1 give or take sqrt (2 / n). */
  ck_assert_double_lt (square_sum / n_blocks, 1 + 5 * sqrt (2 / n_blocks));
  g_rand_free (random);
  picture_clear (&picture);
  device_test_end (&test);
}
END_TEST

/* The seed is all that chance depends on. */
START_TEST (seeds)
{
  struct picture first, again, other;

  test = device_test_begin ();
  first = device_picture (7);
  again = device_picture (7);
  other = device_picture (8);
  ck_assert_double_eq (picture_difference (&first, &again), 0);
  ck_assert_double_gt (picture_difference (&first, &other), 1e-3);
  picture_clear (&first);
  picture_clear (&again);
  picture_clear (&other);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("path-tracer");
  TCase *test_case = tcase_create ("path-tracer");

  tcase_set_timeout (test_case, 120);
  tcase_add_test (test_case, blocks_agree);
  tcase_add_test (test_case, seeds);
  suite_add_tcase (suite, test_case);
  return suite;
}

GB_TEST_MAIN (make_suite)
