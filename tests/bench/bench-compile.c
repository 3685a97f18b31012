/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compiling the examples against glslang's library on their GLSL twins, in one warm process and
 * in turn: source text to SPIR-V words, without SPIRV-Tools; what validation and optimisation
 * take is told apart.
 *
 *   bench-compile EXAMPLES TWINS [ROUNDS]
 */

#include "config.h"

#include <glslang/Include/glslang_c_interface.h>
#include <string.h>

#include "codegen/frontend/frontend.h"
#include "codegen/spirv/spirv.h"
#include "tests/bench/timing.h"

static const struct
{
  const char *file, *kernel;
} examples[] = {
  { "saxpy", "saxpy" },
  { "mandelbrot", "mandelbrot" },
  { "gaussian-blur", "blur_rows" },
  { "sobel", "sobel" },
};

static void
fail (const char *what, const char *why)
{
  fprintf (stderr, "bench-compile: %s: %s\n", what, why);
  exit (EXIT_FAILURE);
}

static char *
read_text (const char *folder, const char *name, const char *suffix)
{
  char *file = g_strconcat (name, suffix, NULL);
  char *path = g_build_filename (folder, file, NULL), *text;
  GError *error = NULL;

  if (!g_file_get_contents (path, &text, NULL, &error))
    fail (path, error->message);
  g_free (path);
  g_free (file);
  return text;
}

static gsize
compile_ours (const char *name, const char *kernel, const char *text, gboolean whole, struct spirv_result *result)
{
  const struct spirv_target target = { .features = ~UINT64_C (0), .max_group_size = { 1024, 1024, 64 }, .max_group_invocations = 1024,
                                       .max_push_constants = 128, .max_storage_buffers = 16, .max_storage_images = 4,
                                       .max_sampled_images = 4, .max_resources = 64 };
  const struct spirv_options options = { .optimization_level = 2, .xir_optimization = true };
  struct xir_context *context = xir_context_new ();
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  struct xir_module *module;
  GError *error = NULL;

  gk_diagnostics_init (&diagnostics, name);
  unit = gk_unit_new (context, name, text, strlen (text), &diagnostics);
  if (diagnostics.n_errors > 0)
    fail (name, "has errors");
  module = gk_unit_lower (unit);
  if (!(whole ? spirv_compile : spirv_emit) (module, kernel, &target, &options, result, &error))
    fail (name, error->message);
  xir_module_free (module);
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  xir_context_unref (context);
  return result->n_words;
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

static gsize
compile_theirs (const char *name, const char *text, const glslang_resource_t *resource)
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

  if (!glslang_shader_preprocess (shader, &input) || !glslang_shader_parse (shader, &input))
    fail (name, glslang_shader_get_info_log (shader));
  program = glslang_program_create ();
  glslang_program_add_shader (program, shader);
  if (!glslang_program_link (program, GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT))
    fail (name, glslang_program_get_info_log (program));
  glslang_program_SPIRV_generate_with_options (program, GLSLANG_STAGE_COMPUTE, &options);
  n_words = glslang_program_SPIRV_get_size (program);
  glslang_program_delete (program);
  glslang_shader_delete (shader);
  return n_words;
}

static void
bench_example (guint example, const char *ours_folder, const char *theirs_folder, guint rounds, const glslang_resource_t *resource)
{
  const char *name = examples[example].file;
  char *ours_text = read_text (ours_folder, name, ".gk"), *theirs_text = read_text (theirs_folder, name, ".comp");
  struct timing timing = { .name = name };
  double validate[TIMING_MAX_ROUNDS], optimize[TIMING_MAX_ROUNDS];
  gsize n_ours = 0, n_theirs = 0;
  struct spirv_result result;

  for (guint i = 0; i < rounds; i++)
    {
      double ours, theirs;

      ours = timing_now ();
      n_ours = compile_ours (name, examples[example].kernel, ours_text, FALSE, &result);
      ours = timing_now () - ours;
      spirv_result_clear (&result);
      theirs = timing_now ();
      n_theirs = compile_theirs (name, theirs_text, resource);
      theirs = timing_now () - theirs;
      timing_add (&timing, ours, theirs);
      compile_ours (name, examples[example].kernel, ours_text, TRUE, &result);
      validate[i] = (double) result.validate_time;
      optimize[i] = (double) result.optimize_time;
      spirv_result_clear (&result);
    }
  printf ("%-16s %8.1f us %8.1f us   %5.1f times faster   %6" G_GSIZE_FORMAT " %6" G_GSIZE_FORMAT " words   %8.1f us %8.1f us\n", name,
          timing_median (timing.ours, timing.n), timing_median (timing.theirs, timing.n),
          timing_median (timing.theirs, timing.n) / timing_median (timing.ours, timing.n), n_ours, n_theirs,
          timing_median (validate, rounds), timing_median (optimize, rounds));
  g_free (ours_text);
  g_free (theirs_text);
}

int
main (int argc, char **argv)
{
  glslang_resource_t resource;
  guint rounds;

  if (argc < 3)
    fail ("usage", "bench-compile EXAMPLES TWINS [ROUNDS]");
  rounds = argc > 3 ? (guint) CLAMP (g_ascii_strtoull (argv[3], NULL, 10), 2, TIMING_MAX_ROUNDS) : 51;
  glslang_initialize_process ();
  fill_limits (&resource);
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      char *warm = read_text (argv[2], examples[i].file, ".comp");
      compile_theirs (examples[i].file, warm, &resource);
      g_free (warm);
    }
  printf ("source to words: Gabbro, glslang, ratio; size; Gabbro's validation (twice) and optimisation beside it\n");
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    bench_example (i, argv[1], argv[2], rounds, &resource);
  glslang_finalize_process ();
  return EXIT_SUCCESS;
}
