/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compiling the examples against glslang's library on their GLSL twins, in one warm process and
 * in turn: source text to SPIR-V words, without SPIRV-Tools, in processor time; what validation
 * and optimisation take is told apart. Then how many instructions the functions have, as they are and after the
 * same passes of SPIRV-Tools. With a folder the optimised words of the twins are written there,
 * for bench-shaders.
 *
 *   bench-compile EXAMPLES TWINS [ROUNDS [FOLDER]]
 */

#include "config.h"

#include <glib/gstdio.h>
#include <glslang/Include/glslang_c_interface.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#include "tests/bench/timing.h"
#include "tests/bench/twins.h"

/* Everything there is. */
static const struct spirv_target target = {
  .features = ~UINT64_C (0), .max_group_size = { 1024, 1024, 64 }, .max_group_invocations = 1024, .max_shared_memory = 32768,
  .max_push_constants = 128, .max_storage_buffers = 16, .max_storage_images = 4, .max_sampled_images = 4, .max_resources = 64
};

static void
fail (const char *what, const char *why)
{
  fprintf (stderr, "bench-compile: %s: %s\n", what, why);
  exit (EXIT_FAILURE);
}

/* The limits matter to no twin; all of them are large. */
static void
fill_limits (glslang_resource_t *resource)
{
  int *numbers = (int *) resource;

  memset (resource, 0, sizeof *resource);
  for (gsize i = 0; i < offsetof (glslang_resource_t, limits) / sizeof *numbers; i++)
    numbers[i] = 1024;
  memset (&resource->limits, 1, sizeof resource->limits);
}

/* A copy of the words, if `words` is wanted. */
static gsize
compile_theirs (const char *name, const char *text, enum twin_mode mode, const glslang_resource_t *resource, uint32_t **words)
{
  const glslang_input_t input = {
    .language = GLSLANG_SOURCE_GLSL, .stage = GLSLANG_STAGE_COMPUTE, .client = GLSLANG_CLIENT_VULKAN,
    .client_version = GLSLANG_TARGET_VULKAN_1_2, .target_language = GLSLANG_TARGET_SPV, .target_language_version = GLSLANG_TARGET_SPV_1_5,
    .code = text, .default_version = 450, .default_profile = GLSLANG_NO_PROFILE, .messages = GLSLANG_MSG_DEFAULT_BIT, .resource = resource,
  };
  glslang_shader_t *shader = glslang_shader_create (&input);
  glslang_program_t *program;
  glslang_spv_options_t options = { .disable_optimizer = true };
  gsize n_words;

  glslang_shader_set_preamble (shader, mode == TWIN_GUARDED ? "#define GUARDED\n" : "");
  if (!glslang_shader_preprocess (shader, &input) || !glslang_shader_parse (shader, &input))
    fail (name, glslang_shader_get_info_log (shader));
  program = glslang_program_create ();
  glslang_program_add_shader (program, shader);
  if (!glslang_program_link (program, GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT))
    fail (name, glslang_program_get_info_log (program));
  glslang_program_SPIRV_generate_with_options (program, GLSLANG_STAGE_COMPUTE, &options);
  n_words = glslang_program_SPIRV_get_size (program);
  if (words != NULL)
    *words = g_memdup2 (glslang_program_SPIRV_get_ptr (program), n_words * sizeof **words);
  glslang_program_delete (program);
  glslang_shader_delete (shader);
  return n_words;
}

static void
bench_speed (const struct twin *twin, enum twin_mode mode, const char *ours_text, const char *theirs_text, guint rounds,
             const glslang_resource_t *resource)
{
  struct timing timing = { .name = twin->file };
  double validate[TIMING_MAX_ROUNDS], optimize[TIMING_MAX_ROUNDS], ratios[TIMING_MAX_ROUNDS];
  gsize n_ours = 0, n_theirs = 0;
  struct spirv_result result;

  for (guint i = 0; i < rounds; i++)
    {
      double ours, theirs;

      ours = timing_processor_now ();
      twin_compile (twin, ours_text, 0, TRUE, &target, &result);
      ours = timing_processor_now () - ours;
      n_ours = result.n_words;
      spirv_result_clear (&result);
      theirs = timing_processor_now ();
      n_theirs = compile_theirs (twin->file, theirs_text, mode, resource, NULL);
      theirs = timing_processor_now () - theirs;
      timing_add (&timing, ours, theirs);
      ratios[i] = theirs / ours;
      twin_compile (twin, ours_text, 2, FALSE, &target, &result);
      validate[i] = (double) result.validate_time;
      optimize[i] = (double) result.optimize_time;
      spirv_result_clear (&result);
    }
  printf ("%-15s %-8s %8.1f us %8.1f us %6.1f times   %6" G_GSIZE_FORMAT " %6" G_GSIZE_FORMAT "   %8.1f us %8.1f us\n", twin->file,
          twin_mode_name (mode), timing_median (timing.ours, timing.n), timing_median (timing.theirs, timing.n),
          timing_median (ratios, timing.n), n_ours, n_theirs, timing_median (validate, rounds), timing_median (optimize, rounds));
}

/* Instructions of all functions but lines, from OpFunction to OpFunctionEnd. */
static guint
count_instructions (const uint32_t *words, gsize n_words)
{
  gboolean inside = FALSE;
  guint n = 0;

  for (gsize at = 5; at < n_words && words[at] >> SpvWordCountShift != 0; at += words[at] >> SpvWordCountShift)
    {
      uint32_t op = words[at] & SpvOpCodeMask;

      inside |= op == SpvOpFunction;
      n += inside && op != SpvOpLine && op != SpvOpNoLine;
      inside &= op != SpvOpFunctionEnd;
    }
  return n;
}

static gsize
optimize (const char *name, uint32_t **words, gsize n_words, uint32_t level)
{
  uint32_t *better;
  gsize n_better;
  char *note = NULL;
  GError *error = NULL;

  if (!spirv_optimize (*words, n_words, level, NULL, &better, &n_better, &note, &error))
    fail (name, error->message);
  if (note != NULL)
    fail (name, note);
  g_free (*words);
  *words = better;
  return n_better;
}

static void
write_words (const char *folder, const struct twin *twin, enum twin_mode mode, const uint32_t *words, gsize n_words)
{
  char *file = g_strdup_printf ("%s.%s.spv", twin->file, twin_mode_name (mode)), *path = g_build_filename (folder, file, NULL);
  GError *error = NULL;

  g_mkdir_with_parents (folder, 0777);
  if (!g_file_set_contents (path, (const char *) words, (gssize) (n_words * sizeof *words), &error))
    fail (path, error->message);
  g_free (path);
  g_free (file);
}

static double ratios_of_counts[4][N_TWINS * TWIN_N_MODES];
static guint n_ratios;

static void
bench_size (const struct twin *twin, enum twin_mode mode, const char *ours_text, const char *theirs_text,
            const glslang_resource_t *resource, const char *folder)
{
  printf ("%-15s %-8s", twin->file, twin_mode_name (mode));
  for (guint level = 0; level <= 3; level++)
    {
      struct spirv_result result;
      uint32_t *words;
      gsize n_words = compile_theirs (twin->file, theirs_text, mode, resource, &words);
      guint ours, theirs;

      if (level > 0)
        n_words = optimize (twin->file, &words, n_words, level);
      if (level == 2 && folder != NULL)
        write_words (folder, twin, mode, words, n_words);
      twin_compile (twin, ours_text, level, FALSE, &target, &result);
      ours = count_instructions (result.words, result.n_words);
      theirs = count_instructions (words, n_words);
      ratios_of_counts[level][n_ratios] = (double) ours / theirs;
      printf ("   %4u %4u x%.2f", ours, theirs, (double) ours / theirs);
      spirv_result_clear (&result);
      g_free (words);
    }
  printf ("\n");
  n_ratios++;
}

static void
bench_all (const char *ours_folder, const char *theirs_folder, guint rounds, const char *folder, const glslang_resource_t *resource,
           gboolean sizes)
{
  for (guint i = 0; i < N_TWINS * TWIN_N_MODES; i++)
    {
      const struct twin *twin = &twins[i / TWIN_N_MODES];
      enum twin_mode mode = i % TWIN_N_MODES;
      char *ours = twin_our_text (ours_folder, twin, mode), *theirs = twin_read_text (theirs_folder, twin->file, ".comp");

      if (sizes)
        bench_size (twin, mode, ours, theirs, resource, folder);
      else
        bench_speed (twin, mode, ours, theirs, rounds, resource);
      g_free (ours);
      g_free (theirs);
    }
}

int
main (int argc, char **argv)
{
  glslang_resource_t resource;
  guint rounds;

  if (argc < 3)
    fail ("usage", "bench-compile EXAMPLES TWINS [ROUNDS [FOLDER]]");
  rounds = argc > 3 ? (guint) CLAMP (g_ascii_strtoull (argv[3], NULL, 10), 2, TIMING_MAX_ROUNDS) : 51;
  glslang_initialize_process ();
  fill_limits (&resource);
  printf ("instructions at -O0, 1, 2, 3: Gabbro, glslang, ratio\n");
  bench_all (argv[1], argv[2], rounds, argc > 4 ? argv[4] : NULL, &resource, TRUE);
  printf ("%-24s", "median");
  for (guint level = 0; level <= 3; level++)
    printf ("             x%.2f", timing_median (ratios_of_counts[level], n_ratios));
  printf ("\nsource to words, processor time: Gabbro, glslang, ratio; size; Gabbro's validation (twice) and optimisation at -O2 beside it\n");
  bench_all (argv[1], argv[2], rounds, NULL, &resource, FALSE);
  glslang_finalize_process ();
  return EXIT_SUCCESS;
}
