/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Times of the back end by stage, for kernels of growing size. Not a test: prints
 * a table. usage: compile-bench [ROUNDS] */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codegen/passes/passes.h"
#include "codegen/spirv/emit.h"
#include "codegen/xir/verify.h"
#include "tests/spirv/fixture.h"

enum stage { STAGE_VERIFY, STAGE_CLONE, STAGE_PASSES, STAGE_PLANS, STAGE_WORDS, STAGE_EMIT, N_STAGES };

static const char *const stage_names[N_STAGES] = { "verify", "clone", "passes", "plans", "words", "all" };

static gint64
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Some arithmetic, a loop with a condition and a store: about 50 lines of source for n = 8. */
static void
build_kernel (struct fixture *f, int n)
{
  struct xir_builder *b = &f->builder;
  const struct xir_type *four = fixture_type (f, XIR_TYPE_FLOAT32, 4);
  struct xir_value *place = xir_build_alloca (b, XIR_STORAGE_LOCAL, four, "sum");
  xir_build_store (b, place, fixture_source (f, four, 0));
  for (int i = 0; i < n; i++)
    {
      struct xir_value *x = xir_build_load (b, place);
      struct xir_value *y = xir_build_binary (b, XIR_OP_MUL, x, fixture_source (f, four, (uint32_t) i));
      y = xir_build_binary (b, XIR_OP_ADD, y, xir_build_unary (b, i % 2 == 0 ? XIR_OP_SQRT : XIR_OP_ROUND, x));
      struct xir_value *dot = xir_build_binary (b, XIR_OP_DOT, x, y);
      struct xir_block *yes = xir_block_new (f->kernel), *no = xir_block_new (f->kernel), *merge = xir_block_new (f->kernel);
      xir_build_if (b, xir_build_binary (b, XIR_OP_LESS, dot, fixture_float (f, (float) i)), yes, no, merge);
      xir_builder_at_end (b, yes);
      xir_build_store (b, place, y);
      xir_build_branch (b, merge);
      xir_builder_at_end (b, no);
      xir_build_store (b, place, xir_build_ternary (b, XIR_OP_CLAMP, y, x, y));
      xir_build_branch (b, merge);
      xir_builder_at_end (b, merge);
    }
  fixture_sink (f, xir_build_load (b, place));
  xir_build_return (b, NULL);
}

static void
count_instructions (const struct fixture *f, guint *instructions, guint *blocks)
{
  gb_list_for_each (block, &f->kernel->blocks, struct xir_block, link)
    {
      ++*blocks;
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        ++*instructions;
    }
}

static void
measure (struct fixture *f, gint64 times[N_STAGES], gsize *n_words)
{
  const struct xir_pass_options pass_options = { .bounds_checks = false };
  GError *error = NULL;
  gint64 start = now (), end;
#define TAKE(stage) (end = now (), times[stage] = MIN (times[stage], end - start), start = now ())
  if (xir_verify_module (f->module, NULL) != 0)
    g_printerr ("the kernel is not valid\n");
  TAKE (STAGE_VERIFY);
  struct xir_module *copy = xir_module_clone (f->module);
  TAKE (STAGE_CLONE);
  if (!xir_run_pipeline (copy, &pass_options, true, NULL, NULL, &error))
    g_printerr ("%s\n", error->message);
  TAKE (STAGE_PASSES);
  struct spirv_plans plans;
  if (!spirv_plans_init (&plans, copy, "test", &fixture_target, &error))
    g_printerr ("%s\n", error->message);
  TAKE (STAGE_PLANS);
  uint32_t *words;
  if (!spirv_emit_module (&plans, &fixture_options, &words, n_words, &error))
    g_printerr ("%s\n", error->message);
  TAKE (STAGE_WORDS);
  g_free (words);
  spirv_plans_clear (&plans);
  xir_module_free (copy);
  struct spirv_result result;
  start = now ();
  if (spirv_emit (f->module, "test", &fixture_target, &fixture_options, &result, &error))
    spirv_result_clear (&result);
  TAKE (STAGE_EMIT);
#undef TAKE
}

static void
tools_times (struct fixture *f)
{
  for (uint32_t level = 0; level <= 3; level++)
    {
      struct spirv_options options = { .optimization_level = level, .xir_optimization = true };
      struct spirv_result result;
      GError *error = NULL;
      if (!spirv_compile (f->module, "test", &fixture_target, &options, &result, &error))
        {
          g_printerr ("%s\n", error->message);
          return;
        }
      printf ("  level %u: validate %" G_GINT64_FORMAT " us, optimise %" G_GINT64_FORMAT " us, %" G_GSIZE_FORMAT " words\n", level,
              result.validate_time, result.optimize_time, result.n_words);
      spirv_result_clear (&result);
    }
}

int
main (int argc, char **argv)
{
  static const int sizes[] = { 1, 8, 100, 5000 };
  int rounds = argc > 1 ? atoi (argv[1]) : 200;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      struct fixture f;
      gint64 times[N_STAGES];
      gsize n_words = 0;
      guint instructions = 0, blocks = 0;
      fixture_init (&f);
      build_kernel (&f, sizes[i]);
      count_instructions (&f, &instructions, &blocks);
      for (int stage = 0; stage < N_STAGES; stage++)
        times[stage] = G_MAXINT64;
      for (int round = 0; round < MAX (1, sizes[i] > 1000 ? rounds / 50 : rounds); round++)
        measure (&f, times, &n_words);
      printf ("%u instructions, %u blocks, %" G_GSIZE_FORMAT " words; microseconds:", instructions, blocks, n_words);
      for (int stage = 0; stage < N_STAGES; stage++)
        printf (" %s %.1f", stage_names[stage], (double) times[stage] / 1000);
      printf ("\n");
      if (sizes[i] <= 100)
        tools_times (&f);
      fixture_clear (&f);
    }
  return 0;
}
