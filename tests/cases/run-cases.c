/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* run-cases [NAME]...
 *
 * The cases of this folder on llvmpipe, each at every optimisation level, with and without
 * optimisation of our own and with and without bounds checks, under validation. Prints one line
 * for each case. README has the form of a case.
 *
 * With GABBRO_DEVICE=reference they run on the driver that interprets them, which knows no levels,
 * and which looks meanwhile for accesses that no kernel may make. */

#include "config.h"

#include <gabbro/gabbro.h>

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cases/bare-converts.h"

#define MAX_WORDS      64
#define MAX_RUNS       16
#define BACKGROUND     0xaaaaaaaau
#define GUARD_WORDS    16
#define N_LEVELS       4
#define CASE_SECONDS   120
#define WAIT           (30 * G_USEC_PER_SEC)

/* "float:1,2.5,nan": the words and their type. */
struct words
{
  char type[8];
  guint n;
  guint32 at[MAX_WORDS];
};

struct run
{
  guint threads;
  struct words in, out;
};

/* One case, and what its process has for it. */
struct test
{
  const char *folder, *name;
  char *path, *source;
  char *mask;                            /* of the device, or NULL */
  struct run runs[MAX_RUNS];
  guint n_runs;

  GabbroContext *context;
  GabbroDevice *device;
  GabbroStream *stream;
  GabbroKernel *kernel;
  char *validator;                       /* the program spirv-val, or NULL */
  GHashTable *validated;                 /* digests of what it has accepted */
};

struct configuration
{
  gint level;
  GabbroCompileFlags flags;
};

static void G_GNUC_PRINTF (3, 4)
complain (const struct test *test, const struct configuration *configuration, const char *format, ...)
{
  va_list arguments;

  printf ("%s", test->name);
  if (configuration != NULL)
    printf (" at level %d, XIR %soptimised, bounds %schecked", configuration->level,
            configuration->flags & GABBRO_COMPILE_NO_XIR_OPTIMIZATION ? "not " : "",
            configuration->flags & GABBRO_COMPILE_BOUNDS_CHECKS ? "" : "not ");
  printf (": ");
  va_start (arguments, format);
  vprintf (format, arguments);
  va_end (arguments);
  printf ("\n");
}

static gboolean
is_reference (void)
{
  return g_strcmp0 (g_getenv ("GABBRO_DEVICE"), "reference") == 0;
}

/* Reading a case. */

static gboolean
parse_word (const char *text, const char *type, guint32 *word)
{
  char *end;

  if (strcmp (type, "int") == 0)
    *word = (guint32) g_ascii_strtoll (text, &end, 10);
  else if (strcmp (type, "uint") == 0)
    *word = (guint32) g_ascii_strtoull (text, &end, 10);
  else
    {
      float real = (float) g_ascii_strtod (text, &end);
      memcpy (word, &real, sizeof *word);
    }
  return end != text && *end == '\0';
}

/* "in=int:0,1": the part behind the equals sign. */
static gboolean
parse_words (const char *text, const char *side, struct words *words)
{
  char **halves, **list;
  gboolean ok;

  if (!g_str_has_prefix (text, side))
    return FALSE;
  halves = g_strsplit (text + strlen (side), ":", 2);
  ok = g_strv_length (halves) == 2
       && (g_str_equal (halves[0], "int") || g_str_equal (halves[0], "uint") || g_str_equal (halves[0], "float"));
  if (ok)
    {
      g_strlcpy (words->type, halves[0], sizeof words->type);
      list = g_strsplit (halves[1], ",", -1);
      words->n = g_strv_length (list);
      ok = words->n >= 1 && words->n <= MAX_WORDS;
      for (guint i = 0; ok && i < words->n; i++)
        ok = parse_word (list[i], words->type, &words->at[i]);
      g_strfreev (list);
    }
  g_strfreev (halves);
  return ok;
}

static gboolean
parse_run (struct test *test, const char *text)
{
  char **sides = g_strsplit (text, " ", -1);
  guint first = g_str_has_prefix (sides[0], "threads=") ? 1 : 0;
  guint64 threads = 1;
  gboolean ok = g_strv_length (sides) == first + 2 && test->n_runs < MAX_RUNS
                && parse_words (sides[first], "in=", &test->runs[test->n_runs].in)
                && parse_words (sides[first + 1], "out=", &test->runs[test->n_runs].out)
                && (first == 0 || g_ascii_string_to_unsigned (sides[0] + strlen ("threads="), 10, 1, 1024, &threads, NULL));

  if (ok)
    test->runs[test->n_runs++].threads = (guint) threads;
  else
    complain (test, NULL, "cannot read the run “%s”", text);
  g_strfreev (sides);
  return ok;
}

static gboolean
read_case (struct test *test)
{
  static const char prefix[] = "// run: ", mask[] = "// mask: ";
  GError *error = NULL;
  char **lines;
  gboolean ok = TRUE;

  if (!g_file_get_contents (test->path, &test->source, NULL, &error))
    {
      complain (test, NULL, "%s", error->message);
      g_error_free (error);
      return FALSE;
    }
  lines = g_strsplit (test->source, "\n", -1);
  for (char **line = lines; ok && *line != NULL; line++)
    if (g_str_has_prefix (*line, prefix))
      ok = parse_run (test, *line + strlen (prefix));
    else if (g_str_has_prefix (*line, mask))
      test->mask = g_strdup (*line + strlen (mask));
  g_strfreev (lines);
  if (ok && test->n_runs == 0)
    {
      complain (test, NULL, "no line “%s…”", prefix);
      ok = FALSE;
    }
  return ok;
}

/* Running it. */

static gboolean
is_same (guint32 a, guint32 b, const char *type)
{
  float left, right;

  if (a == b)
    return TRUE;
  memcpy (&left, &a, sizeof left);
  memcpy (&right, &b, sizeof right);
  return strcmp (type, "float") == 0 && isnan (left) && isnan (right);
}

static gboolean
check_words (const struct test *test, const struct configuration *configuration, guint number, const guint32 *words)
{
  const struct words *out = &test->runs[number].out;

  for (guint i = 0; i < out->n; i++)
    if (!is_same (words[i], out->at[i], out->type))
      {
        complain (test, configuration, "run %u: out[%u] is 0x%08x, not 0x%08x", number + 1, i, words[i], out->at[i]);
        return FALSE;
      }
  for (guint i = out->n; i < out->n + GUARD_WORDS; i++)
    if (words[i] != BACKGROUND)
      {
        complain (test, configuration, "run %u: 0x%08x was written behind the buffer", number + 1, words[i]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
run_shader (const struct test *test,
            const struct configuration *configuration,
            GabbroShader *shader,
            guint number)
{
  const struct run *run = &test->runs[number];
  guint32 words[MAX_WORDS + GUARD_WORDS];
  gsize size = (run->out.n + GUARD_WORDS) * sizeof *words;
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroBuffer) in = gabbro_buffer_new (test->device, run->in.type, run->in.n, &error);
  g_autoptr (GabbroBuffer) whole = in ? gabbro_buffer_new (test->device, run->out.type, run->out.n + GUARD_WORDS, &error) : NULL;
  g_autoptr (GabbroBuffer) out = whole ? gabbro_buffer_new_view (whole, 0, run->out.n, &error) : NULL;
  g_autoptr (GabbroCommandList) list = out ? gabbro_command_list_new (test->device, &error) : NULL;

  memset (words, 0, sizeof words);
  if (list == NULL
      || !gabbro_command_list_upload (list, in, 0, run->in.at, run->in.n * sizeof *words, &error)
      || !gabbro_command_list_fill (list, whole, 0, size, BACKGROUND, &error)
      || !gabbro_command_list_run (list, shader, run->threads, 1, 1, &error, "in", in, "out", out, NULL)
      || !gabbro_command_list_download (list, whole, 0, words, size, &error)
      || !gabbro_stream_submit (test->stream, list, &error)
      || !gabbro_stream_synchronize (test->stream, WAIT, &error))
    {
      complain (test, configuration, "run %u: %s", number + 1, error->message);
      /* A wait that ended early leaves the device writing to the words above. */
      if (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_TIMED_OUT))
        {
          fflush (stdout);
          _exit (EXIT_FAILURE);
        }
      return FALSE;
    }
  return check_words (test, configuration, number, words);
}

/* Validating it. */

static gboolean
validate_for (const struct test *test, const struct configuration *configuration, const char *file, const char *environment)
{
  const char *command[] = { test->validator, "--target-env", environment, file, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  g_autofree char *errors = NULL;
  int status;

  /* With this flag GLib need not copy the page tables of a process that holds a driver. */
  if (!g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL, &output, &errors, &status, &error))
    {
      complain (test, configuration, "%s", error->message);
      return FALSE;
    }
  if (!g_spawn_check_wait_status (status, NULL))
    {
      complain (test, configuration, "spirv-val --target-env %s: %s%s", environment, output, errors);
      return FALSE;
    }
  return TRUE;
}

static gboolean
validate (struct test *test, const struct configuration *configuration, GBytes *spirv)
{
  char *digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, spirv);
  g_autofree char *file = NULL;
  g_autoptr (GError) error = NULL;
  gboolean ok;
  gsize size;
  const char *data = g_bytes_get_data (spirv, &size);

  if (!g_hash_table_add (test->validated, digest))
    return TRUE;
  file = g_strdup_printf ("%s/run-cases-%ld.spv", g_get_tmp_dir (), (long) getpid ());
  if (!g_file_set_contents (file, data, (gssize) size, &error))
    {
      complain (test, configuration, "%s", error->message);
      return FALSE;
    }
  ok = validate_for (test, configuration, file, "vulkan1.2")
       && validate_for (test, configuration, file, "vulkan1.3");
  g_unlink (file);
  return ok;
}

static gboolean
check_spirv (struct test *test, const struct configuration *configuration)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) spirv = NULL;

  if (test->validator == NULL)
    return TRUE;
  spirv = gabbro_kernel_compile_spirv (test->kernel, gabbro_device_get_adapter (test->device), configuration->flags,
                                       configuration->level, &error);
  if (spirv == NULL)
    {
      complain (test, configuration, "%s", error->message);
      return FALSE;
    }
  return validate (test, configuration, spirv);
}

/* A19: right values are not enough, the driver may give them by chance. */
static gboolean
check_converts (const struct test *test, const struct configuration *configuration)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *assembly = NULL;
  g_autofree char *bare = NULL;
  guint n_converts;

  if (!g_str_has_prefix (test->name, "a19"))
    return TRUE;
  assembly = gabbro_kernel_compile_assembly (test->kernel, gabbro_device_get_adapter (test->device), configuration->flags,
                                             configuration->level, &error);
  if (assembly == NULL)
    {
      complain (test, configuration, "%s", error->message);
      return FALSE;
    }
  bare = find_bare_convert (assembly, &n_converts);
  if (bare != NULL)
    complain (test, configuration, "a bare conversion: %s", bare);
  else if (n_converts == 0 && g_str_equal (test->name, "a19-runtime"))
    complain (test, configuration, "no conversion at all, so that nothing was looked at");
  else
    return TRUE;
  return FALSE;
}

/* What validation has said, which is nothing. */
static gboolean
check_messages (const struct test *test, const struct configuration *configuration)
{
  char **messages = gabbro_context_list_messages (test->context);
  gboolean ok = messages[0] == NULL;

  if (!ok)
    complain (test, configuration, "%s", messages[0]);
  g_strfreev (messages);
  return ok;
}

static gboolean
check_reports (const struct test *test, const struct configuration *configuration)
{
  GPtrArray *reports = gabbro_device_list_reports (test->device);
  gboolean ok = reports->len == 0;

  if (!ok)
    complain (test, configuration, "line %u: %s", gabbro_report_get_line (reports->pdata[0]),
              gabbro_report_get_message (reports->pdata[0]));
  g_ptr_array_unref (reports);
  return ok;
}

static gboolean
run_configuration (struct test *test, const struct configuration *configuration)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroShader) shader = gabbro_shader_new (test->device, test->kernel, configuration->flags,
                                                       configuration->level, &error);
  gboolean ok = TRUE;

  if (shader == NULL)
    {
      complain (test, configuration, "%s", error->message);
      return FALSE;
    }
  for (guint i = 0; i < test->n_runs; i++)
    ok &= run_shader (test, configuration, shader, i);
  if (is_reference ())
    return check_reports (test, configuration) && check_messages (test, configuration) && ok;
  ok &= check_spirv (test, configuration);
  ok &= check_converts (test, configuration);
  return check_messages (test, configuration) && ok;
}

#define VALIDATION_LIBRARY "libVkLayer_khronos_validation.so"

/* The layer forgets a little of its own for each command buffer. */
__attribute__ ((visibility ("default"))) const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:" VALIDATION_LIBRARY "\n";
}

static gboolean
open_stream (struct test *test, GVariant *options, const char *name)
{
  GError *error = NULL;

  test->context = gabbro_context_new (options, &error);
  if (test->context != NULL)
    test->device = gabbro_context_open_device (test->context, name, &error);
  if (test->device != NULL)
    test->stream = gabbro_stream_new (test->device, NULL, &error);
  if (test->stream != NULL)
    return TRUE;
  complain (test, NULL, "%s", error->message);
  g_error_free (error);
  return FALSE;
}

/* Cases about shifts, conversions and divisions do what those checks are for. */
static gboolean
open_reference (struct test *test)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "check",
                         g_variant_new_string ("1,no-shift-range,no-convert-range,no-division-by-zero"));
  return open_stream (test, g_variant_builder_end (&builder), "reference");
}

/* Everything that the validation layers can find. */
static gboolean
open_device (struct test *test)
{
  GVariantBuilder builder;

  if (is_reference ())
    return open_reference (test);
  g_setenv ("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT", TRUE);
  g_setenv ("VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "1", TRUE);
  /* It stays loaded, so that the leak sanitizer still knows it at the end. */
  dlopen (VALIDATION_LIBRARY, RTLD_NOW | RTLD_NODELETE);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "validation", g_variant_new_string ("1"));
  if (test->mask != NULL)
    g_variant_builder_add (&builder, "{sv}", "device-mask", g_variant_new_string (test->mask));
  return open_stream (test, g_variant_builder_end (&builder), "vulkan");
}

static gboolean
compile_case (struct test *test)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroModule) module = gabbro_module_new_from_source (test->path, test->source, -1, &error);

  if (module != NULL)
    test->kernel = gabbro_module_get_kernel (module, "main_", &error);
  if (test->kernel == NULL)
    complain (test, NULL, "%s", error->message);
  return test->kernel != NULL;
}

static gboolean
run_configurations (struct test *test)
{
  static const GabbroCompileFlags flags[] = {
    GABBRO_COMPILE_DEFAULT,
    GABBRO_COMPILE_BOUNDS_CHECKS,
    GABBRO_COMPILE_NO_XIR_OPTIMIZATION,
    GABBRO_COMPILE_NO_XIR_OPTIMIZATION | GABBRO_COMPILE_BOUNDS_CHECKS,
  };
  gboolean ok = TRUE;
  gint n_levels = is_reference () ? 1 : N_LEVELS;
  gsize n_flags = is_reference () ? 1 : G_N_ELEMENTS (flags);

  for (gint level = 0; level < n_levels; level++)
    for (gsize i = 0; i < n_flags; i++)
      {
        const struct configuration configuration = { level, flags[i] };
        ok &= run_configuration (test, &configuration);
      }
  return ok;
}

static gboolean
run_case (struct test *test)
{
  gboolean ok;

  test->validated = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  ok = read_case (test) && compile_case (test) && open_device (test) && run_configurations (test);
  g_clear_object (&test->stream);
  g_clear_object (&test->kernel);
  g_clear_object (&test->device);
  if (test->context != NULL)
    ok &= check_messages (test, NULL);
  g_clear_object (&test->context);
  g_hash_table_unref (test->validated);
  g_free (test->source);
  g_free (test->mask);
  return ok;
}

/* In a process of its own, so that a driver that crashes or hangs costs one case. */
static gboolean
run_alone (struct test *test)
{
  int status = 0;
  pid_t child;

  fflush (stdout);
  child = fork ();
  if (child == 0)
    {
      gboolean ok;

      alarm (CASE_SECONDS);
      ok = run_case (test);
      fflush (stdout);
      /* Drivers and sanitizers do their last checks in exit handlers. */
      exit (ok ? EXIT_SUCCESS : EXIT_FAILURE);
    }
  if (child < 0 || waitpid (child, &status, 0) != child)
    return FALSE;
  if (WIFSIGNALED (status))
    complain (test, NULL, "ended by signal %d", WTERMSIG (status));
  return WIFEXITED (status) && WEXITSTATUS (status) == EXIT_SUCCESS;
}

static gboolean
say (gboolean ok, const char *name)
{
  printf ("%s: %s\n", ok ? "PASS" : "FAIL", name);
  fflush (stdout);
  return ok;
}

static gboolean
wanted (const char *name, char **names)
{
  return names[0] == NULL || g_strv_contains ((const char *const *) names, name);
}

/* That a bare conversion would be seen is seen here: [[unchecked]] makes them. */
static gboolean
sees_bare_converts (void)
{
  static const char source[] =
    "[[unchecked]] int bare(float x) { return int(x); }\n"
    "kernel(1) void main_(const buffer<float> in, buffer<int> out) { out[0] = bare(in[0]); }\n";
  gboolean seen = TRUE;

  for (gint level = 0; level < N_LEVELS; level++)
    {
      g_autoptr (GabbroModule) module = gabbro_module_new_from_source ("bare.gk", source, -1, NULL);
      g_autoptr (GabbroKernel) kernel = module ? gabbro_module_get_kernel (module, "main_", NULL) : NULL;
      g_autofree char *assembly = kernel ? gabbro_kernel_compile_assembly (kernel, NULL, GABBRO_COMPILE_DEFAULT, level, NULL) : NULL;
      g_autofree char *bare = NULL;
      guint n_converts;

      if (assembly == NULL)
        return FALSE;
      bare = find_bare_convert (assembly, &n_converts);
      seen &= bare != NULL && n_converts == 1;
    }
  return seen;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
list_cases (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GDir *directory = g_dir_open (folder, 0, NULL);
  const char *file;

  while (directory != NULL && (file = g_dir_read_name (directory)) != NULL)
    if (g_str_has_suffix (file, ".gk"))
      g_ptr_array_add (names, g_strndup (file, strlen (file) - strlen (".gk")));
  g_clear_pointer (&directory, g_dir_close);
  g_ptr_array_sort (names, compare_names);
  return names;
}

/* All cases of a folder; how many have failed. */
static guint
run_folder (const char *folder, char **names_wanted, const char *validator, guint *n_run)
{
  GPtrArray *names = list_cases (folder);
  guint n_failed = 0;

  for (guint i = 0; i < names->len; i++)
    {
      struct test test = { .folder = folder, .name = names->pdata[i], .validator = (char *) validator };

      if (!wanted (test.name, names_wanted))
        continue;
      test.path = g_strdup_printf ("%s/%s.gk", test.folder, test.name);
      n_failed += !say (run_alone (&test), test.name);
      ++*n_run;
      g_free (test.path);
    }
  g_ptr_array_unref (names);
  return n_failed;
}

int
main (int argc, char **argv)
{
  static const char *const folders[] = { "cases", "random/found" };
  const char *top = g_getenv ("top_srcdir");
  char *validator = g_find_program_in_path ("spirv-val");
  guint n_run = 0, n_failed = 0;

  if (validator == NULL && !is_reference ())
    printf ("SKIP: spirv-val, which is not installed\n");
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      char *folder = g_build_filename (top != NULL ? top : ".", "tests", folders[i], NULL);
      guint n_before = n_run;

      n_failed += run_folder (folder, argv + 1, validator, &n_run);
      if (n_run == n_before && argc < 2)
        n_failed += !say (FALSE, "cases-were-found");
      g_free (folder);
    }
  if (!is_reference () && wanted ("bare-converts-are-seen", argv + 1))
    {
      n_failed += !say (sees_bare_converts (), "bare-converts-are-seen");
      n_run++;
    }
  g_free (validator);
  return n_failed == 0 && n_run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
