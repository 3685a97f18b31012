/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernel sources: whatever is written there, the compiler refuses it with a diagnostic or makes a module that verifies, and
 * words that validate. */

#include "config.h"

#include <string.h>

#include "codegen/xir/verify.h"
#include "gpu/bundle/artifact.h"
#include "gpu/compile.h"
#include "gpu/gabbro-private.h"
#include "tests/fuzz/targets.h"

/* Kernels of one source that are compiled. */
#define MAX_KERNELS 2

static const char *const words[] = {
#define GK_PUNCTUATION(name, spelling) spelling,
#define GK_KEYWORD(name, spelling) spelling,
#define GK_RESERVED(name, spelling) spelling,
#include "codegen/frontend/tokens.def"
#undef GK_PUNCTUATION
#undef GK_KEYWORD
#undef GK_RESERVED
#define GK_BUILTIN(name, rule, op, n_arguments) name,
#define GK_BUILTIN_PRINT(name, op) name,
#define GK_BUILTIN_VALUE(name, value) name,
#define GK_UNSUPPORTED(name) name,
#include "codegen/frontend/builtins.def"
#undef GK_BUILTIN
#undef GK_BUILTIN_PRINT
#undef GK_BUILTIN_VALUE
#undef GK_UNSUPPORTED
  "[[unroll]]", "[[fast_math]]", "[[unchecked]]", "[[", "]]", "import \"one.gk\";", "import \"two.gk\";", "import \"missing.gk\";",
  "option uint SIDE = 4;", "kernel(8, 8)", ".length", ".xyzw", ".xx", "inout", "out", "/*", "*/", "//", "\"", "1.0h", "1.0l", "0.5", "1e38",
  NULL
};

/* What is changed is good more often than not; pieces come from both. */
static struct fuzz_corpus corpus, good;

static void
prepare_source (void)
{
  static const char *const folders[] = { "data/examples", "tests/cases", "tests/frontend/good", "tests/frontend/values", "tests/random/found",
                                         "tests/tool" };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      fuzz_corpus_add_folder (&good, folders[i], ".gk");
      fuzz_corpus_add_folder (&corpus, folders[i], ".gk");
    }
  fuzz_corpus_add_folder (&corpus, "tests/frontend/bad", ".gk");
}

static GByteArray *
make_source (struct dice *dice)
{
  GByteArray *text = fuzz_copy (fuzz_corpus_pick (dice_percent (dice, 80) ? &good : &corpus, dice));

  fuzz_mutate_text (text, &corpus, words, dice);
  return text;
}

/* Two texts, each of which wants the other, and none else. */
static GBytes *
import (const char *path, const char *importer, char **name, gpointer data, GError **error)
{
  static const char one[] = "import \"two.gk\";\nfloat twice(float x) { return x + x; }\nstruct Pair { float a; int b; };\n";
  static const char two[] = "import \"one.gk\";\nconst int table[3] = { 1, 2, 3 };\nint third() { return table[2]; }\n";

  if (strcmp (path, "one.gk") == 0)
    return g_bytes_new_static (one, strlen (one));
  if (strcmp (path, "two.gk") == 0)
    return g_bytes_new_static (two, strlen (two));
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "there is no %s", path);
  return NULL;
}

/* Levels and flags come from the text itself, so that a file alone says what is done with it. */
static void
compile (GabbroKernel *kernel, guint choice)
{
  static const gint levels[] = { 0, 0, 1, 0, 0, 2, 0, 3 };
  GabbroCompileFlags flags = ((choice >> 3) & 1) != 0 ? GABBRO_COMPILE_BOUNDS_CHECKS : GABBRO_COMPILE_DEFAULT;
  g_autoptr (GError) error = NULL;
  GBytes *sections[BUNDLE_N_SECTIONS];
  struct bundle_artifact *artifact;

  if ((choice >> 4) % 8 == 0)
    flags |= GABBRO_COMPILE_NO_XIR_OPTIMIZATION;
  if ((choice >> 7) % 2 == 0)
    flags |= GABBRO_COMPILE_DEBUG_NAMES;
  artifact = gabbro_compile_artifact (kernel, NULL, flags, levels[choice % 8], &error);
  fuzz_check ((artifact == NULL) == (error != NULL), "a compile that fails says why, and no other does");
  fuzz_check (!g_error_matches (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_INTERNAL), "an internal error: %s", error->message);
  if (artifact == NULL)
    return;
  bundle_artifact_encode (artifact, sections, &error);
  fuzz_check (error == NULL, "its own artifact is refused: %s", error->message);
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}

static void
look_at_kernel (GabbroModule *module, const char *name, guint choice)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroKernel) kernel = gabbro_module_get_kernel (module, name, &error);

  fuzz_check (kernel != NULL, "the kernel %s is listed and not there: %s", name, error->message);
  for (guint i = 0; i < gabbro_kernel_get_n_arguments (kernel); i++)
    {
      GabbroLayout *layout = gabbro_kernel_dup_argument_layout (kernel, i);

      fuzz_check (gabbro_kernel_get_argument_name (kernel, i) != NULL, "an argument has no name");
      g_clear_pointer (&layout, gabbro_layout_unref);
    }
  compile (kernel, choice);
}

static bool
attempt_source (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroModule) module = gabbro_module_new_with_options ("fuzz.gk", (const char *) data, (gssize) size, NULL, import, NULL, &error);
  g_autoptr (GString) report = g_string_new (NULL);
  g_autofree char *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, size);
  guint choice = (guint) g_ascii_strtoull (digest + 56, NULL, 16);

  if (module == NULL)
    {
      fuzz_check (error != NULL && error->message[0] != '\0', "refused, and nobody says why");
      fuzz_check (error->domain == GABBRO_COMPILE_ERROR, "refused as no compiler does: %s", error->message);
      fuzz_check (error->code != GABBRO_COMPILE_ERROR_INTERNAL, "an internal error: %s", error->message);
      return false;
    }
  fuzz_check (error == NULL, "taken with an error: %s", error->message);
  fuzz_check (xir_verify_module (gabbro_module_get_xir (module), report) == 0, "the module does not verify:\n%s", report->str);
  for (guint format = GABBRO_MODULE_AST; format <= GABBRO_MODULE_LAYOUT_GVARIANT; format++)
    g_free (gabbro_module_print (module, (GabbroModuleFormat) format));
  g_auto (GStrv) kernels = gabbro_module_list_kernels (module);
  for (guint i = 0; kernels[i] != NULL && i < MAX_KERNELS; i++)
    look_at_kernel (module, kernels[i], choice + i);
  return true;
}

const struct fuzz_target fuzz_source = {
  .name = "source",
  .extension = "gk",
  .smoke_rounds = 1200,
  .prepare = prepare_source,
  .make = make_source,
  .attempt = attempt_source,
};
