/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/bench/twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/frontend/frontend.h"

#define BUFFER(words, more_words)       { TWIN_BUFFER, FALSE, 1, { words, more_words } }
#define FLOATS(words, more_words)       { TWIN_BUFFER, TRUE, 1, { words, more_words } }
#define BODIES(words, more_words)       { TWIN_BUFFER, TRUE, 4, { words, more_words } }
#define SAMPLED                         { TWIN_SAMPLED, FALSE, 1, { 512, 2048 } }
#define STORAGE                         { TWIN_STORAGE, FALSE, 1, { 512, 2048 } }
#define VALUE(name, offset, word, more) { name, offset, 1, { { word, 0 }, { more, 0 } } }
/* The words of floats. */
#define ONE_HALF                        0x3f000000u
#define MINUS_ONE_HALF                  0xbf000000u
#define TWO_AND_A_HALF                  0x40200000u
#define THOUSANDTH                      0x3a83126fu

const struct twin twins[N_TWINS] = {
  { "saxpy", "saxpy", 2, 1, { FLOATS (1u << 20, 1u << 24), FLOATS (1u << 20, 1u << 24) }, { VALUE ("a", 12, ONE_HALF, ONE_HALF) },
    1, TRUE, { 1u << 20, 1u << 24 } },
  { "mandelbrot", "mandelbrot", 1, 3, { STORAGE },
    { { "centre", 16, 2, { { MINUS_ONE_HALF, 0 }, { MINUS_ONE_HALF, 0 } } }, VALUE ("height", 12, TWO_AND_A_HALF, TWO_AND_A_HALF),
      VALUE ("max_steps", 24, 256, 1024) },
    0, FALSE, { 512, 2048 } },
  { "gaussian-blur", "blur_rows", 2, 0, { SAMPLED, STORAGE }, { { 0 } }, 1, FALSE, { 512, 2048 } },
  { "sobel", "sobel", 2, 1, { SAMPLED, STORAGE }, { VALUE ("gain", 12, ONE_HALF, ONE_HALF) }, 1, FALSE, { 512, 2048 } },
  { "histogram", "histogram", 2, 0, { SAMPLED, BUFFER (256, 256) }, { { 0 } }, 1, FALSE, { 128, 512 } },
  { "prefix-sum", "scan", 3, 0, { BUFFER (1u << 20, 1u << 24), BUFFER (1u << 20, 1u << 24), BUFFER (1u << 10, 1u << 14) }, { { 0 } },
    1, TRUE, { 1u << 18, 1u << 22 } },
  { "transpose", "transpose_matrix", 2, 0, { FLOATS (1u << 20, 1u << 24), FLOATS (1u << 20, 1u << 24) }, { { 0 } }, 1, FALSE,
    { 1u << 10, 1u << 12 } },
  { "matrix-product", "matrix_product", 3, 1, { FLOATS (1u << 16, 1u << 22), FLOATS (1u << 16, 1u << 22), FLOATS (1u << 16, 1u << 22) },
    { VALUE ("inner", 12, 1u << 8, 1u << 11) }, 2, FALSE, { 1u << 8, 1u << 11 } },
  { "bitonic-sort", "sort_blocks", 1, 0, { BUFFER (1u << 18, 1u << 23) }, { { 0 } }, 0, TRUE, { 1u << 17, 1u << 22 } },
  { "n-body", "kick", 2, 1, { BODIES (1u << 14, 1u << 17), BODIES (1u << 14, 1u << 17) }, { VALUE ("time", 12, THOUSANDTH, THOUSANDTH) },
    1, TRUE, { 1u << 12, 1u << 15 } },
};

static G_NORETURN void
fail (const char *what, const char *why)
{
  fprintf (stderr, "bench: %s: %s\n", what, why);
  exit (EXIT_FAILURE);
}

const char *
twin_mode_name (enum twin_mode mode)
{
  return mode == TWIN_PLAIN ? "plain" : "guarded";
}

char *
twin_read_text (const char *folder, const char *name, const char *suffix)
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

/* A twin has one kernel, so others are left out of ours. */
static gboolean
keep_one_kernel (const GMatchInfo *match, GString *out, gpointer kernel)
{
  char *name = g_match_info_fetch (match, 1), *text = g_match_info_fetch (match, 0);

  if (strcmp (name, kernel) == 0)
    g_string_append (out, text);
  g_free (name);
  g_free (text);
  return FALSE;
}

char *
twin_our_text (const char *folder, const struct twin *twin, enum twin_mode mode)
{
  char *text = twin_read_text (folder, twin->file, ".gk"), *alone, *marked;
  GRegex *kernels = g_regex_new ("^kernel\\(.*\\)\\nvoid (\\w+)\\(.*\\)\\n\\{\\n(?: .*\\n|\\n)*\\}\\n", G_REGEX_MULTILINE, 0, NULL);
  GRegex *heads = g_regex_new ("^(?:kernel\\(.*\\)\\n)?\\w+ \\w+\\(.*\\)\\n\\{", G_REGEX_MULTILINE, 0, NULL);

  alone = g_regex_replace_eval (kernels, text, -1, 0, 0, keep_one_kernel, (gpointer) twin->kernel, NULL);
  marked = mode == TWIN_GUARDED ? g_strdup (alone)
           : g_regex_replace (heads, alone, -1, 0, "[[unchecked]] [[fast_math]]\n\\0", 0, NULL);
  g_regex_unref (kernels);
  g_regex_unref (heads);
  g_free (alone);
  g_free (text);
  return marked;
}

void
twin_compile (const struct twin *twin, const char *text, uint32_t level, bool bare, const struct spirv_target *target,
              struct spirv_result *result)
{
  const struct spirv_options options = { .optimization_level = level, .xir_optimization = true };
  struct xir_context *context = xir_context_new ();
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  struct xir_module *module;
  GError *error = NULL;

  gk_diagnostics_init (&diagnostics, twin->file);
  unit = gk_unit_new (context, twin->file, text, strlen (text), &diagnostics);
  if (diagnostics.n_errors > 0)
    fail (twin->file, "has errors");
  module = gk_unit_lower (unit);
  if (!(bare ? spirv_emit : spirv_compile) (module, twin->kernel, target, &options, result, &error))
    fail (twin->file, error->message);
  xir_module_free (module);
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  xir_context_unref (context);
}
