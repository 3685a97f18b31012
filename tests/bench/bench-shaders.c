/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How fast the shaders of Gabbro run against those of glslang, in one process, in turn, by the same hand-written
 * Vulkan: the examples, as they are and without guards, against their twins, whose words bench-compile has written.
 * Both get the same passes of SPIRV-Tools. Their results are compared first. Needs neither glslang nor Gabbro's library.
 *
 *   bench-shaders EXAMPLES WORDS [ROUNDS [DEVICE]]
 */

#include "config.h"

#include <math.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#include "tests/bench/hand-shader.h"
#include "tests/bench/timing.h"
#include "tests/bench/twins.h"

/* A submission takes so long, in microseconds. */
#define SUBMISSION_TIME 20000
#define LARGEST_WORDS   (1u << 24)

enum side { OURS, THEIRS, N_SIDES };

struct bench
{
  struct hand hand;
  struct spirv_target target;
  enum twin_scale scale;
  gboolean is_cpu;
  guint rounds;
  const char *examples, *words;
  struct hand_buffer staging;
  struct hand_resource resources[TWIN_MAX_RESOURCES];
  struct hand_shader shaders[N_SIDES];
  uint32_t groups[2];
};

static void
fail (const char *what, const char *why)
{
  fprintf (stderr, "bench-shaders: %s: %s\n", what, why);
  exit (EXIT_FAILURE);
}

static void
open_device (struct bench *bench, const char *name)
{
  VkPhysicalDeviceFloatControlsProperties floats = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES };
  VkPhysicalDeviceProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &floats };

  hand_open (&bench->hand, name);
  vkGetPhysicalDeviceProperties2 (bench->hand.physical, &properties);
  bench->is_cpu = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  bench->scale = bench->is_cpu ? TWIN_SMALL : TWIN_LARGE;
  bench->target = (struct spirv_target) {
    .features = UINT64_C (1) << SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT,
    .max_group_size = { 1024, 1024, 64 }, .max_group_invocations = 1024, .max_shared_memory = 32768, .max_push_constants = 128,
    .max_storage_buffers = 16, .max_storage_images = 4, .max_sampled_images = 4, .max_resources = 64
  };
  if (floats.shaderSignedZeroInfNanPreserveFloat32)
    bench->target.features |= UINT64_C (1) << SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32;
  if (floats.shaderRoundingModeRTEFloat32)
    bench->target.features |= UINT64_C (1) << SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32;
  hand_buffer_new (&bench->hand, &bench->staging, LARGEST_WORDS * sizeof (uint32_t), TRUE);
  printf ("%s, %u rounds; medians of %s time: Gabbro, glslang, ratio\n", properties.properties.deviceName, bench->rounds,
          bench->is_cpu ? "processor" : "passing");
}

static uint32_t
words_of (const struct twin_resource *resource, enum twin_scale scale)
{
  return resource->kind == TWIN_BUFFER ? resource->size[scale] : resource->size[scale] * resource->size[scale];
}

/* What the resource has before a comparison: numbers that differ, the same each time. */
static void
refill (struct bench *bench, const struct twin *twin)
{
  uint32_t *words = bench->staging.mapped;

  for (uint32_t r = 0; r < twin->n_resources; r++)
    {
      uint32_t n = words_of (&twin->resources[r], bench->scale);

      for (uint32_t i = 0; i < n; i++)
        {
          uint32_t mixed = (i + r) * 2654435761u;
          float real = (float) (mixed >> 12) * 0x1p-20f;

          words[i] = mixed ^ mixed >> 15;
          if (twin->resources[r].has_floats)
            memcpy (&words[i], &real, sizeof real);
        }
      hand_fill (&bench->hand, &bench->resources[r], &bench->staging);
    }
}

static void
make_resources (struct bench *bench, const struct twin *twin)
{
  for (uint32_t i = 0; i < twin->n_resources; i++)
    {
      const struct twin_resource *resource = &twin->resources[i];

      memset (&bench->resources[i], 0, sizeof bench->resources[i]);
      if (resource->kind == TWIN_BUFFER)
        hand_buffer_new (&bench->hand, &bench->resources[i].buffer, resource->size[bench->scale] * sizeof (uint32_t), FALSE);
      else
        hand_image_new (&bench->hand, &bench->resources[i].image, resource->size[bench->scale]);
    }
}

static void
free_resources (struct bench *bench, const struct twin *twin)
{
  for (uint32_t i = 0; i < twin->n_resources; i++)
    if (twin->resources[i].kind == TWIN_BUFFER)
      hand_buffer_free (&bench->hand, &bench->resources[i].buffer);
    else
      hand_image_free (&bench->hand, &bench->resources[i].image);
}

static struct hand_binding
binding_of (const struct bench *bench, const struct twin *twin, uint32_t resource)
{
  static const VkDescriptorType types[] = { [TWIN_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, [TWIN_SAMPLED] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                            [TWIN_STORAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE };

  return (struct hand_binding) { types[twin->resources[resource].kind], &bench->resources[resource] };
}

static void
set_size (struct bench *bench, const struct twin *twin, uint8_t *push)
{
  const uint32_t threads = twin->threads[bench->scale], size[3] = { threads, twin->is_flat ? 1 : threads, 1 };

  memcpy (push, size, sizeof size);
}

/* Ours: head, values and views where the compiler has put them. Resources are the arguments in front of, or between, the values. */
static void
load_ours (struct bench *bench, const struct twin *twin, enum twin_mode mode)
{
  char *text = twin_our_text (bench->examples, twin, mode);
  struct hand_shader *shader = &bench->shaders[OURS];
  struct hand_binding bindings[HAND_MAX_BINDINGS];
  struct spirv_result result;
  uint32_t resource = 0;

  twin_compile (twin, text, 2, FALSE, &bench->target, &result);
  for (uint32_t i = 0; i < result.n_bindings; i++)
    bindings[i] = binding_of (bench, twin, i);
  hand_shader_new (&bench->hand, shader, result.words, result.n_words, bindings, result.n_bindings);
  set_size (bench, twin, shader->push);
  for (uint32_t i = 0; i < result.n_arguments; i++)
    {
      const struct spirv_argument *argument = &result.arguments[i];
      uint8_t *at = shader->push + sizeof (struct spirv_dispatch_constants);

      if (argument->binding != G_MAXUINT32 && argument->metadata_offset != G_MAXUINT32)
        {
          const struct twin_resource *of = &twin->resources[resource];
          const uint32_t view[2] = { 0, of->size[bench->scale] / of->element_words };

          memcpy (at + argument->metadata_offset, view, sizeof view);
        }
      resource += argument->binding != G_MAXUINT32;
      for (uint32_t k = 0; k < twin->n_values; k++)
        if (g_strcmp0 (argument->name, twin->values[k].name) == 0)
          memcpy (at + argument->offset, twin->values[k].words[bench->scale], twin->values[k].n_words * sizeof (uint32_t));
    }
  if (resource != twin->n_resources || result.arguments_in_block)
    fail (twin->file, "other arguments than expected");
  for (guint i = 0; i < 2; i++)
    bench->groups[i] = ((i == 1 && twin->is_flat ? 1 : twin->threads[bench->scale]) + result.group_size[i] - 1) / result.group_size[i];
  spirv_result_clear (&result);
  g_free (text);
}

/* Float modes that the device does not know are taken out of the words. */
static gsize
take_out_modes (struct bench *bench, uint32_t *words, gsize n_words)
{
  static const struct { SpvCapability capability; SpvExecutionMode mode; enum spirv_feature feature; } modes[] = {
    { SpvCapabilitySignedZeroInfNanPreserve, SpvExecutionModeSignedZeroInfNanPreserve, SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32 },
    { SpvCapabilityRoundingModeRTE, SpvExecutionModeRoundingModeRTE, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32 },
  };
  gsize to = 5;

  for (gsize at = 5, n; at < n_words; at += n)
    {
      uint32_t op = words[at] & SpvOpCodeMask;
      gboolean stays = TRUE;

      n = MAX (words[at] >> SpvWordCountShift, 1);
      for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
        if (!(bench->target.features & UINT64_C (1) << modes[i].feature))
          stays &= !(op == SpvOpCapability && words[at + 1] == modes[i].capability)
                   && !(op == SpvOpExecutionMode && words[at + 2] == modes[i].mode);
      if (!stays)
        continue;
      memmove (words + to, words + at, n * sizeof *words);
      to += n;
    }
  return to;
}

static void
load_theirs (struct bench *bench, const struct twin *twin, enum twin_mode mode)
{
  char *file = g_strdup_printf ("%s.%s.spv", twin->file, twin_mode_name (mode)), *path = g_build_filename (bench->words, file, NULL), *bytes;
  struct hand_shader *shader = &bench->shaders[THEIRS];
  struct hand_binding bindings[HAND_MAX_BINDINGS];
  GError *error = NULL;
  gsize size;

  if (!g_file_get_contents (path, &bytes, &size, &error))
    fail (path, error->message);
  size = take_out_modes (bench, (uint32_t *) (gpointer) bytes, size / sizeof (uint32_t));
  for (uint32_t i = 0; i < twin->n_resources; i++)
    bindings[i] = binding_of (bench, twin, i);
  hand_shader_new (&bench->hand, shader, (const uint32_t *) (gconstpointer) bytes, size, bindings, twin->n_resources);
  set_size (bench, twin, shader->push);
  for (uint32_t i = 0; i < twin->n_values; i++)
    memcpy (shader->push + twin->values[i].offset, twin->values[i].words[bench->scale], twin->values[i].n_words * sizeof (uint32_t));
  for (uint32_t i = 0; i < twin->n_resources && mode == TWIN_GUARDED; i++)
    {
      const uint32_t view[2] = { 0, twin->resources[i].size[bench->scale] / twin->resources[i].element_words };

      memcpy (shader->push + TWIN_VIEWS + i * sizeof view, view, sizeof view);
    }
  g_free (bytes);
  g_free (path);
  g_free (file);
}

/* Floats nearly, words and texels but for a step. */
static gboolean
is_near (const struct twin_resource *resource, uint32_t a, uint32_t b)
{
  float x, y;

  if (resource->kind != TWIN_BUFFER)
    {
      for (guint shift = 0; shift < 32; shift += 8)
        if (ABS ((int) (a >> shift & 255) - (int) (b >> shift & 255)) > 1)
          return FALSE;
      return TRUE;
    }
  memcpy (&x, &a, sizeof x);
  memcpy (&y, &b, sizeof y);
  return a == b || (resource->has_floats && fabsf (x - y) <= 1e-3f * (fabsf (x) + fabsf (y)));
}

/* One in a thousand may be at an edge where the last bit decides, as the Mandelbrot set has many. */
static void
compare (struct bench *bench, const struct twin *twin, enum twin_mode mode)
{
  const struct twin_resource *output = &twin->resources[twin->output];
  uint32_t n = words_of (output, bench->scale), n_apart = 0, n_changed = 0;
  uint32_t *before = g_new (uint32_t, n), *results[N_SIDES];
  const uint32_t *mapped = bench->staging.mapped;

  for (guint side = 0; side < N_SIDES; side++)
    {
      results[side] = g_new (uint32_t, n);
      refill (bench, twin);
      hand_read (&bench->hand, &bench->resources[twin->output], &bench->staging);
      memcpy (before, mapped, n * sizeof *before);
      hand_shader_record (&bench->hand, &bench->shaders[side], bench->groups, 1);
      hand_submit (&bench->hand);
      hand_wait (&bench->hand);
      hand_read (&bench->hand, &bench->resources[twin->output], &bench->staging);
      memcpy (results[side], mapped, n * sizeof *before);
    }
  for (uint32_t i = 0; i < n; i++)
    {
      n_apart += !is_near (output, results[OURS][i], results[THEIRS][i]);
      n_changed += results[OURS][i] != before[i];
    }
  if (n_apart > n / 1000 || n_changed == 0)
    {
      fprintf (stderr, "%s %s: %u of %u results differ, %u are new\n", twin->file, twin_mode_name (mode), n_apart, n, n_changed);
      fail (twin->file, "the shaders do not do the same");
    }
  g_free (before);
  for (guint side = 0; side < N_SIDES; side++)
    g_free (results[side]);
}

/* A CPU that others use, too, is asked for the time that this process has had of it. */
static double
now (const struct bench *bench)
{
  return bench->is_cpu ? timing_of_clock (CLOCK_PROCESS_CPUTIME_ID) : timing_now ();
}

static double
run (struct bench *bench, enum side side, uint32_t n)
{
  double begin;

  hand_shader_record (&bench->hand, &bench->shaders[side], bench->groups, n);
  begin = now (bench);
  hand_submit (&bench->hand);
  hand_wait (&bench->hand);
  return now (bench) - begin;
}

/* The one that comes second in a round finds the same caches as the first, which takes turns. */
static double
measure (struct bench *bench, const struct twin *twin, enum twin_mode mode)
{
  struct timing timing = { .name = twin->file };
  double ratios[TIMING_MAX_ROUNDS], once;
  uint32_t n;

  run (bench, OURS, 1);
  run (bench, THEIRS, 1);
  once = run (bench, THEIRS, 4) / 4;
  n = (uint32_t) CLAMP (SUBMISSION_TIME / MAX (once, 1), 1, 500);
  for (guint i = 0; i < bench->rounds; i++)
    {
      double times[N_SIDES];
      enum side first = i % 2 == 0 ? OURS : THEIRS, second = N_SIDES - 1 - first;

      times[first] = run (bench, first, n) / n;
      times[second] = run (bench, second, n) / n;
      timing_add (&timing, times[OURS], times[THEIRS]);
      ratios[i] = times[OURS] / times[THEIRS];
    }
  printf ("%-15s %-8s %10.1f us %10.1f us   x%.3f\n", twin->file, twin_mode_name (mode), timing_median (timing.ours, timing.n),
          timing_median (timing.theirs, timing.n), timing_median (ratios, bench->rounds));
  fflush (stdout);
  return timing_median (ratios, bench->rounds);
}

int
main (int argc, char **argv)
{
  static struct bench bench;
  double ratios[N_TWINS * TWIN_N_MODES];

  if (argc < 3)
    fail ("usage", "bench-shaders EXAMPLES WORDS [ROUNDS [DEVICE]]");
  bench.examples = argv[1];
  bench.words = argv[2];
  bench.rounds = argc > 3 ? (guint) CLAMP (g_ascii_strtoull (argv[3], NULL, 10), 2, TIMING_MAX_ROUNDS) : 51;
  open_device (&bench, argc > 4 ? argv[4] : NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ratios); i++)
    {
      const struct twin *twin = &twins[i / TWIN_N_MODES];
      enum twin_mode mode = i % TWIN_N_MODES;

      make_resources (&bench, twin);
      load_ours (&bench, twin, mode);
      load_theirs (&bench, twin, mode);
      compare (&bench, twin, mode);
      ratios[i] = measure (&bench, twin, mode);
      for (guint side = 0; side < N_SIDES; side++)
        hand_shader_free (&bench.hand, &bench.shaders[side]);
      free_resources (&bench, twin);
    }
  printf ("%-24s %30s x%.3f\n", "median", "", timing_median (ratios, G_N_ELEMENTS (ratios)));
  hand_buffer_free (&bench.hand, &bench.staging);
  hand_close (&bench.hand);
  return EXIT_SUCCESS;
}
