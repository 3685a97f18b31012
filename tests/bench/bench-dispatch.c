/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gabbro against hand-written Vulkan, in one process and in turn: recording, submitting and
 * running dependent dispatches, frozen lists, one submission and its wait, all that with few
 * buffers and with many, and copies.
 *
 *   bench-dispatch [ROUNDS [DEVICE]]
 */

#include "config.h"

#include <gabbro/gabbro.h>
#include <string.h>

#include "codegen/frontend/frontend.h"
#include "tests/bench/hand.h"
#include "tests/bench/timing.h"

#define N_DISPATCHES 1000
/* Few enough that descriptor sets may be shared, and so many that each dispatch needs one of its own. */
#define FEW_BUFFERS  16
#define MANY_BUFFERS (N_DISPATCHES + 1)
#define THREADS      256
#define COPY_SIZE    (UINT64_C (32) << 20)

static const char source[] =
  "kernel(64) void step(const buffer<float> from, buffer<float> to, float by)\n"
  "{ to[global_id.x] = from[global_id.x] + by; }\n";

struct bench
{
  GabbroDevice *device;
  GabbroStream *stream;
  GabbroShader *shader;
  GabbroBuffer *buffers[MANY_BUFFERS];
  struct hand hand;
  struct hand_buffer hand_buffers[MANY_BUFFERS];
  guint n_buffers;               /* that are used */
  guint rounds;
};

static void
fail (const GError *error)
{
  fprintf (stderr, "bench-dispatch: %s\n", error->message);
  exit (EXIT_FAILURE);
}

static void
open_ours (struct bench *bench, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, &error);
  g_autoptr (GabbroModule) module = gabbro_module_new_from_source ("bench", source, -1, &error);
  g_autoptr (GabbroKernel) kernel = module != NULL ? gabbro_module_get_kernel (module, NULL, &error) : NULL;

  bench->device = context != NULL ? gabbro_context_open_device (context, wanted, &error) : NULL;
  if (bench->device == NULL || kernel == NULL
      || (bench->stream = gabbro_stream_new (bench->device, NULL, &error)) == NULL
      || (bench->shader = gabbro_shader_new (bench->device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error)) == NULL)
    fail (error);
  for (guint i = 0; i < MANY_BUFFERS; i++)
    if ((bench->buffers[i] = gabbro_buffer_new (bench->device, "float", THREADS, &error)) == NULL)
      fail (error);
}

static void
open_theirs (struct bench *bench, struct spirv_result *result)
{
  const struct spirv_target target = { .max_group_size = { 1024, 1024, 64 }, .max_group_invocations = 1024, .max_push_constants = 128,
                                       .max_storage_buffers = 16, .max_storage_images = 4, .max_sampled_images = 4, .max_resources = 64 };
  const struct spirv_options options = { .optimization_level = 2, .xir_optimization = true };
  struct xir_context *context = xir_context_new ();
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  struct xir_module *module;
  GError *error = NULL;

  gk_diagnostics_init (&diagnostics, "bench");
  unit = gk_unit_new (context, "bench", source, strlen (source), &diagnostics);
  module = gk_unit_lower (unit);
  if (!spirv_compile (module, "step", &target, &options, result, &error))
    fail (error);
  xir_module_free (module);
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  xir_context_unref (context);
  hand_open (&bench->hand, gabbro_adapter_get_name (gabbro_device_get_adapter (bench->device)));
  hand_load (&bench->hand, result);
  for (guint i = 0; i < MANY_BUFFERS; i++)
    hand_buffer_new (&bench->hand, &bench->hand_buffers[i], THREADS * 4, FALSE);
}

static GabbroCommandList *
record (struct bench *bench, guint n, float by)
{
  GError *error = NULL;
  GabbroCommandList *list = gabbro_command_list_new (bench->device, &error);

  gabbro_command_list_set_shader (list, bench->shader, NULL);
  for (guint i = 0; i < n; i++)
    {
      gabbro_command_list_set_buffer (list, 0, bench->buffers[i % bench->n_buffers], NULL);
      gabbro_command_list_set_buffer (list, 1, bench->buffers[(i + 1) % bench->n_buffers], NULL);
      gabbro_command_list_set_float (list, 2, by + (float) i, NULL);
      gabbro_command_list_dispatch (list, THREADS, 1, 1, NULL);
    }
  return list;
}

static void
submit (struct bench *bench, GabbroCommandList *list)
{
  GError *error = NULL;

  if (!gabbro_stream_submit (bench->stream, list, &error))
    fail (error);
}

static void
wait (struct bench *bench)
{
  GError *error = NULL;

  if (!gabbro_stream_synchronize (bench->stream, -1, &error))
    fail (error);
}

static void
bench_recording (struct bench *bench)
{
  static struct timing recording = { .name = "(a) record 1000 dispatches" }, submitting = { .name = "(b) record until the submission returns" },
                       completing = { .name = "(c) until complete" };

  recording.n = submitting.n = completing.n = 0;
  for (guint i = 0; i < bench->rounds; i++)
    {
      double ours[4], theirs[4];
      GabbroCommandList *list;

      ours[0] = timing_now ();
      list = record (bench, N_DISPATCHES, (float) i);
      ours[1] = timing_now ();
      submit (bench, list);
      ours[2] = timing_now ();
      wait (bench);
      ours[3] = timing_now ();
      g_object_unref (list);
      theirs[0] = timing_now ();
      hand_record (&bench->hand, bench->hand_buffers, bench->n_buffers, N_DISPATCHES, THREADS, (float) i);
      theirs[1] = timing_now ();
      hand_submit (&bench->hand);
      theirs[2] = timing_now ();
      hand_wait (&bench->hand);
      theirs[3] = timing_now ();
      if (i == 0)
        continue;
      timing_add (&recording, ours[1] - ours[0], theirs[1] - theirs[0]);
      timing_add (&submitting, ours[2] - ours[0], theirs[2] - theirs[0]);
      timing_add (&completing, ours[3] - ours[0], theirs[3] - theirs[0]);
    }
  timing_print (&recording);
  printf ("    per dispatch: %.3f us\n", timing_median (recording.ours, recording.n) / N_DISPATCHES);
  timing_print (&submitting);
  timing_print (&completing);
}

static void
bench_frozen (struct bench *bench)
{
  static struct timing submitting = { .name = "frozen list: submission returns" }, completing = { .name = "frozen list: until complete" };
  GabbroCommandList *list = record (bench, N_DISPATCHES, 1);
  GError *error = NULL;

  submitting.n = completing.n = 0;
  if (!gabbro_command_list_freeze (list, gabbro_stream_get_queue (bench->stream), &error))
    fail (error);
  hand_record (&bench->hand, bench->hand_buffers, bench->n_buffers, N_DISPATCHES, THREADS, 1);
  for (guint i = 0; i < bench->rounds; i++)
    {
      double ours[3], theirs[3];

      ours[0] = timing_now ();
      submit (bench, list);
      ours[1] = timing_now ();
      wait (bench);
      ours[2] = timing_now ();
      theirs[0] = timing_now ();
      hand_submit (&bench->hand);
      theirs[1] = timing_now ();
      hand_wait (&bench->hand);
      theirs[2] = timing_now ();
      if (i == 0)
        continue;
      timing_add (&submitting, ours[1] - ours[0], theirs[1] - theirs[0]);
      timing_add (&completing, ours[2] - ours[0], theirs[2] - theirs[0]);
    }
  timing_print (&submitting);
  timing_print (&completing);
  g_object_unref (list);
}

static void
bench_round_trip (struct bench *bench)
{
  static struct timing timing = { .name = "record, submit, wait: one dispatch" };

  timing.n = 0;
  for (guint i = 0; i < bench->rounds * 4; i++)
    {
      double ours, theirs;
      GabbroCommandList *list;

      ours = timing_now ();
      list = record (bench, 1, (float) i);
      submit (bench, list);
      wait (bench);
      g_object_unref (list);
      ours = timing_now () - ours;
      theirs = timing_now ();
      hand_record (&bench->hand, bench->hand_buffers, bench->n_buffers, 1, THREADS, (float) i);
      hand_submit (&bench->hand);
      hand_wait (&bench->hand);
      theirs = timing_now () - theirs;
      if (i > 3)
        timing_add (&timing, ours, theirs);
    }
  timing_print (&timing);
}

static void
bench_copies (struct bench *bench)
{
  static struct timing up = { .name = "upload of 32 MiB" }, down = { .name = "download of 32 MiB" };
  struct hand_buffer staging, device;
  void *data = g_malloc0 (COPY_SIZE);
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new_bytes (bench->device, COPY_SIZE, &error);

  if (buffer == NULL)
    fail (error);
  hand_buffer_new (&bench->hand, &staging, COPY_SIZE, TRUE);
  hand_buffer_new (&bench->hand, &device, COPY_SIZE, FALSE);
  for (guint i = 0; i < bench->rounds; i++)
    {
      double ours, theirs, ours_down, theirs_down;

      ours = timing_now ();
      if (!gabbro_buffer_upload (buffer, 0, data, COPY_SIZE, &error))
        fail (error);
      ours = timing_now () - ours;
      theirs = timing_now ();
      memcpy (staging.mapped, data, COPY_SIZE);
      hand_copy (&bench->hand, &staging, &device, COPY_SIZE);
      theirs = timing_now () - theirs;
      ours_down = timing_now ();
      if (!gabbro_buffer_download (buffer, 0, data, COPY_SIZE, &error))
        fail (error);
      ours_down = timing_now () - ours_down;
      theirs_down = timing_now ();
      hand_copy (&bench->hand, &device, &staging, COPY_SIZE);
      memcpy (data, staging.mapped, COPY_SIZE);
      theirs_down = timing_now () - theirs_down;
      if (i == 0)
        continue;
      timing_add (&up, ours, theirs);
      timing_add (&down, ours_down, theirs_down);
    }
  timing_print (&up);
  timing_print (&down);
  g_object_unref (buffer);
  g_free (data);
  hand_buffer_free (&bench->hand, &staging);
  hand_buffer_free (&bench->hand, &device);
}

/* Where the device's memory can be mapped, hand-written code would write to it too. */
static void
bench_direct_upload (struct bench *bench)
{
  static struct timing up = { .name = "upload of 32 MiB, both directly" };
  struct hand_buffer device;
  void *data = g_malloc0 (COPY_SIZE);
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new_bytes (bench->device, COPY_SIZE, &error);

  if (buffer == NULL)
    fail (error);
  if (!hand_buffer_new_direct (&bench->hand, &device, COPY_SIZE))
    {
      g_object_unref (buffer);
      g_free (data);
      return;
    }
  for (guint i = 0; i < bench->rounds; i++)
    {
      double ours = timing_now (), theirs;

      if (!gabbro_buffer_upload (buffer, 0, data, COPY_SIZE, &error))
        fail (error);
      ours = timing_now () - ours;
      theirs = timing_now ();
      memcpy (device.mapped, data, COPY_SIZE);
      theirs = timing_now () - theirs;
      if (i > 0)
        timing_add (&up, ours, theirs);
    }
  timing_print (&up);
  g_object_unref (buffer);
  g_free (data);
  hand_buffer_free (&bench->hand, &device);
}

/* The same copies as commands of a list, staged on both sides. */
static void
bench_list_copies (struct bench *bench)
{
  static struct timing up = { .name = "upload of 1 MiB in a list" };
  struct hand_buffer staging, device;
  const gsize size = 1 << 20;
  void *data = g_malloc0 (size);
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new_bytes (bench->device, size, &error);

  if (buffer == NULL)
    fail (error);
  hand_buffer_new (&bench->hand, &staging, size, TRUE);
  hand_buffer_new (&bench->hand, &device, size, FALSE);
  for (guint i = 0; i < bench->rounds; i++)
    {
      double ours = timing_now (), theirs;
      GabbroCommandList *list = gabbro_command_list_new (bench->device, NULL);

      gabbro_command_list_upload (list, buffer, 0, data, size, NULL);
      submit (bench, list);
      wait (bench);
      g_object_unref (list);
      ours = timing_now () - ours;
      theirs = timing_now ();
      memcpy (staging.mapped, data, size);
      hand_copy (&bench->hand, &staging, &device, size);
      theirs = timing_now () - theirs;
      if (i > 0)
        timing_add (&up, ours, theirs);
    }
  timing_print (&up);
  g_object_unref (buffer);
  g_free (data);
  hand_buffer_free (&bench->hand, &staging);
  hand_buffer_free (&bench->hand, &device);
}

int
main (int argc, char **argv)
{
  static const guint counts[] = { FEW_BUFFERS, MANY_BUFFERS };
  static struct bench bench = { .rounds = 21 };
  struct spirv_result result;

  if (argc > 1)
    bench.rounds = (guint) CLAMP (g_ascii_strtoull (argv[1], NULL, 10), 2, TIMING_MAX_ROUNDS / 4);
  open_ours (&bench, argc > 2 ? argv[2] : NULL);
  open_theirs (&bench, &result);
  printf ("%s, %u rounds; medians: Gabbro, hand-written Vulkan, ratio\n",
          gabbro_adapter_get_name (gabbro_device_get_adapter (bench.device)), bench.rounds);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      bench.n_buffers = counts[i];
      printf ("  %u distinct buffers:\n", counts[i]);
      bench_recording (&bench);
      bench_frozen (&bench);
      bench_round_trip (&bench);
    }
  printf ("  copies:\n");
  bench_copies (&bench);
  bench_direct_upload (&bench);
  bench_list_copies (&bench);
  for (guint i = 0; i < MANY_BUFFERS; i++)
    {
      g_object_unref (bench.buffers[i]);
      hand_buffer_free (&bench.hand, &bench.hand_buffers[i]);
    }
  g_object_unref (bench.shader);
  g_object_unref (bench.stream);
  g_object_unref (bench.device);
  hand_close (&bench.hand);
  spirv_result_clear (&result);
  return EXIT_SUCCESS;
}
