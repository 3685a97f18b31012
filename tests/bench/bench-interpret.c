/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-interpret FOLDER-OF-EXAMPLES FOLDER-OF-THIS
 *
 * Simple operations a second of one core on the interpreter: rows of lanes.def, dot products and
 * selects, on active lanes alone, counted in a run of its own. Moves, memory and control flow take
 * their time and count for nothing. */

#include "config.h"

#include "codegen/interpret/execute.h"

#include <string.h>

#include "codegen/frontend/frontend.h"
#include "codegen/passes/passes.h"
#include "tests/bench/timing.h"

#define SIDE   512
#define BODIES 4096
#define ROUNDS 9

struct kernel
{
  struct xir_context *context;
  struct xir_module *module;
  struct interpret_program *program;
};

/* The handlers that a counting run calls, and what it has counted. */
static interpret_handler *original;
static uint32_t *weights;
static uint64_t n_operations, n_instructions;

static const struct code *
count (struct subgroup *subgroup, const struct code *code)
{
  gsize index = (gsize) (code - subgroup->program->code);
  n_operations += (uint64_t) weights[index] * (uint64_t) __builtin_popcountll (subgroup->mask);
  n_instructions++;
  return original[index] (subgroup, code);
}

static uint32_t
weight (const struct code *code, const interpret_handler *handlers)
{
  if (code->run == handlers[INTERPRET_OP_DOT_F32] || code->run == handlers[INTERPRET_OP_LENGTH_SQUARED_F32])
    return 2 * code->n - 1;
  if (code->run == handlers[INTERPRET_OP_SELECT_32])
    return code->n;
  for (int op = INTERPRET_OP_IMAGE_WRITE + 1; op < INTERPRET_N_OPS; op++)
    if (code->run == handlers[op])
      return code->n;
  return 0;
}

static bool
make_kernel (struct kernel *kernel, const char *path, const char *name, uint32_t width, bool optimise, bool check)
{
  struct interpret_options options = { .subgroup_size = width, .check = check };
  struct xir_pass_options pass_options = { .bounds_checks = false };
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  char *text;
  gsize length;
  GError *error = NULL;

  if (!g_file_get_contents (path, &text, &length, &error))
    g_error ("%s", error->message);
  kernel->context = xir_context_new ();
  gk_diagnostics_init (&diagnostics, path);
  unit = gk_unit_new (kernel->context, path, text, length, &diagnostics);
  kernel->module = diagnostics.n_errors == 0 ? gk_unit_lower (unit) : NULL;
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  g_free (text);
  if (kernel->module == NULL)
    g_error ("%s does not compile", path);
  xir_pass_specialize_resources (kernel->module, &pass_options, NULL);
  if (optimise)
    {
      xir_pass_constant_fold (kernel->module, &pass_options, NULL);
      xir_pass_dead_code (kernel->module, &pass_options, NULL);
    }
  kernel->program = interpret_program_new (kernel->module, name, &options, &error);
  if (kernel->program == NULL)
    g_error ("%s", error->message);
  return true;
}

static void
clear_kernel (struct kernel *kernel)
{
  interpret_program_free (kernel->program);
  xir_module_free (kernel->module);
  xir_context_unref (kernel->context);
}

static void
run (const struct interpret_dispatch *dispatch)
{
  GError *error = NULL;
  if (!interpret_run (dispatch, &error))
    g_error ("%s", error->message);
}

static void
measure (const char *name, struct kernel *kernel, struct interpret_dispatch *dispatch)
{
  struct interpret_program *program = kernel->program;
  const interpret_handler *handlers = program->width == 64 ? interpret_handlers_64 : interpret_handlers_32;
  double times[ROUNDS];

  dispatch->program = program;
  dispatch->n_workers = 1;
  for (int i = 0; i < ROUNDS; i++)
    {
      double begin = timing_processor_now ();
      run (dispatch);
      times[i] = timing_processor_now () - begin;
    }
  original = g_new (interpret_handler, program->n_code);
  weights = g_new (uint32_t, program->n_code);
  n_operations = n_instructions = 0;
  for (uint32_t i = 0; i < program->n_code; i++)
    {
      original[i] = program->code[i].run;
      weights[i] = weight (&program->code[i], handlers);
      program->code[i].run = count;
    }
  run (dispatch);
  for (uint32_t i = 0; i < program->n_code; i++)
    program->code[i].run = original[i];
  printf ("%-28s %10.1f ms %12.0f million operations/s %8.1f ns an instruction\n", name,
          timing_median (times, ROUNDS) * 1e-3, (double) n_operations / timing_median (times, ROUNDS),
          timing_median (times, ROUNDS) * 1e3 / (double) n_instructions);
  g_free (original);
  g_free (weights);
}

static void
store_texel (uint8_t *texel, const uint32_t components[4])
{
  for (int i = 0; i < 4; i++)
    {
      float component;
      memcpy (&component, &components[i], sizeof component);
      texel[i] = (uint8_t) (component * 255);
    }
}

static void
load_texel (const uint8_t *texel, uint32_t components[4])
{
  for (int i = 0; i < 4; i++)
    {
      float component = (float) texel[i] / 255;
      memcpy (&components[i], &component, sizeof component);
    }
}

static void
bench_mandelbrot (const char *folder, uint32_t width, bool optimise, struct check *check)
{
  char *path = g_build_filename (folder, "mandelbrot.gk", NULL), *name;
  static uint8_t texels[SIDE * SIDE * 4];
  struct interpret_image image = { texels, { SIDE, SIDE, 1 }, 4, load_texel, store_texel };
  float centre[2] = { -0.5f, 0 }, height = 2.5f;
  uint32_t max_steps = 256;
  struct interpret_binding bindings[] = {
    { .image = &image }, { .value = centre }, { .value = &height }, { .value = &max_steps }
  };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { SIDE, SIDE, 1 },
                                         .groups = { SIDE / 8, SIDE / 8, 1 } };
  struct kernel kernel;

  make_kernel (&kernel, path, "mandelbrot", width, optimise, check != NULL);
  name = g_strdup_printf ("mandelbrot %u%s%s", width, optimise ? " optimised" : "", check != NULL ? " checked" : "");
  dispatch.check = check;
  if (check != NULL)
    bindings[0].shadow = check_memory_new (check, CHECK_STORAGE_IMAGE, sizeof texels, false);
  measure (name, &kernel, &dispatch);
  check_memory_free (bindings[0].shadow);
  clear_kernel (&kernel);
  g_free (name);
  g_free (path);
}

static void
bench_bodies (const char *folder, uint32_t width, bool optimise, struct check *check)
{
  char *path = g_build_filename (folder, "nbody.gk", NULL), *name;
  float *bodies = g_new0 (float, 4 * BODIES), *forces = g_new0 (float, 4 * BODIES);
  uint32_t n = BODIES;
  struct interpret_binding bindings[] = {
    { .data = (uint8_t *) bodies, .size = 16 * BODIES }, { .data = (uint8_t *) forces, .size = 16 * BODIES }, { .value = &n }
  };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { BODIES, 1, 1 },
                                         .groups = { BODIES / 64, 1, 1 } };
  struct kernel kernel;

  for (int i = 0; i < 4 * BODIES; i++)
    bodies[i] = (float) ((i * 7919) % 1000) * 0.001f;
  make_kernel (&kernel, path, "nbody", width, optimise, check != NULL);
  name = g_strdup_printf ("n-body %u%s%s", width, optimise ? " optimised" : "", check != NULL ? " checked" : "");
  dispatch.check = check;
  for (int i = 0; i < 2 && check != NULL; i++)
    bindings[i].shadow = check_memory_new (check, CHECK_STORAGE_BUFFER, 16 * BODIES, i == 0);
  measure (name, &kernel, &dispatch);
  for (int i = 0; i < 2; i++)
    check_memory_free (bindings[i].shadow);
  clear_kernel (&kernel);
  g_free (name);
  g_free (path);
  g_free (bodies);
  g_free (forces);
}

static void
complain (const struct check_report *report, gpointer data G_GNUC_UNUSED)
{
  g_error ("%s:%u: %s", report->file, report->location.line, report->message);
}

int
main (int argc, char **argv)
{
  static const uint32_t widths[] = { 8, 32, 64 };

  if (argc != 3)
    {
      fprintf (stderr, "usage: bench-interpret EXAMPLES FOLDER\n");
      return EXIT_FAILURE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    for (int optimise = 0; optimise < 2; optimise++)
      {
        bench_mandelbrot (argv[1], widths[i], optimise != 0, NULL);
        bench_bodies (argv[2], widths[i], optimise != 0, NULL);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      struct check *check = check_new (NULL, complain, NULL);
      bench_mandelbrot (argv[1], widths[i], false, check);
      bench_bodies (argv[2], widths[i], false, check);
      check_free (check);
    }
  return EXIT_SUCCESS;
}
