/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro bundle: what is in bundles, whether they are whole, and who can run them. */

#include "config.h"

#include <errno.h>
#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>

#include "tools/adapters.h"
#include "tools/bundles.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/kernels.h"
#include "tools/output.h"
#include "tools/record.h"
#include "tools/report.h"
#include "tools/suggest.h"

static const struct tool_option options_of_bundle[] = {
  { "json", 0, NULL, N_("list, show, check: print JSON for programs") },
  TOOL_COLOR_OPTION,
  { "output", 'o', N_("FOLDER"), N_("extract: where to (the current folder)") },
  { "section", 0, N_("SECTION"), N_("extract: header, properties, arguments, code (the default), printers, constants or source-map") },
  { "device", 0, N_("ADAPTER"), N_("check: this adapter alone") },
  { "adapter-file", 0, N_("FILE"), N_("check: an adapter as 'gabbro info --json' has described it") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "bundle list filters.gabbro", N_("the kernels in it") },
  { "bundle show filters.gabbro:sobel", N_("all that is known about one of them") },
  { "bundle verify *.gabbro", N_("check every byte; says nothing when all is well") },
  { "bundle extract filters.gabbro -o spirv", N_("the code of each kernel, as spirv/KERNEL.spv") },
  { "bundle check filters.gabbro", N_("which adapter can run it, and why not") },
  { "bundle check filters.gabbro --adapter-file=laptop.json", N_("… another machine's") },
  { NULL }
};

struct job
{
  GabbroBundle *bundle;
  char *filename;
  const char *kernel;           /* NULL: all */
  const struct tool_options *options;
};

/* The kernels that were asked for. */
static char **
list_wanted (const struct job *job, GError **error)
{
  g_auto (GStrv) names = gabbro_bundle_list_kernels (job->bundle);

  if (job->kernel == NULL)
    return g_steal_pointer (&names);
  g_autofree char *shown = g_filename_display_name (job->filename);
  const char *name = tool_choose_kernel (names, shown, job->kernel, error);
  if (name == NULL)
    return NULL;
  char **one = g_new0 (char *, 2);
  one[0] = g_strdup (name);
  return one;
}

static bool
finish (struct tool_output *output, bool good, GError **error)
{
  if (good)
    return tool_output_finish (output, error);
  tool_output_free (output);
  return false;
}

static bool
prefix (const struct job *job, GError **error)
{
  g_autofree char *shown = g_filename_display_name (job->filename);
  g_prefix_error (error, "%s: ", shown);
  return false;
}

static bool
list (const struct job *job, GError **error)
{
  g_auto (GStrv) names = list_wanted (job, error);

  if (names == NULL)
    return false;
  struct tool_output *output = tool_output_new_document (job->options, "bundle-list");
  tool_output_begin_list (output, "kernels", NULL);
  for (guint i = 0; names[i] != NULL; i++)
    tool_output_string (output, NULL, NULL, names[i]);
  tool_output_end_list (output);
  return finish (output, true, error);
}

static void
show_arguments (struct tool_output *output, GabbroKernel *kernel)
{
  guint n = gabbro_kernel_get_n_arguments (kernel);

  if (n == 0)
    return;
  tool_output_begin_list (output, "arguments", _("Arguments"));
  for (guint i = 0; i < n; i++)
    {
      const char *name = gabbro_kernel_get_argument_name (kernel, i);
      GabbroUsage usage = gabbro_kernel_get_argument_usage (kernel, i);

      tool_output_begin_object (output, NULL, name);
      tool_output_for_programs (output, "name", g_variant_new_string (name != NULL ? name : ""));
      tool_output_string (output, "type", _("Type"), gabbro_kernel_get_argument_type (kernel, i));
      tool_output_boolean (output, "read", _("Read"), (usage & GABBRO_USAGE_READ) != 0);
      tool_output_boolean (output, "written", _("Written"), (usage & GABBRO_USAGE_WRITE) != 0);
      tool_output_end_object (output);
    }
  tool_output_end_list (output);
}

static bool
show_kernel (const struct job *job, struct tool_output *output, const char *name, GError **error)
{
  static const struct
  {
    const char *key, *title, *unit;
  } rows[] = {
    { "source-name", N_("Source"), NULL },
    { "line", N_("Line"), NULL },
    { "group-size", N_("Workgroup"), NULL },
    { "optimization-level", N_("Optimisation level"), NULL },
    { "compile-flags", N_("Compiled with"), NULL },
    { "code-size", N_("Code"), "bytes" },
    { "push-constant-size", N_("Push constants"), "bytes" },
    { "shared-size", N_("Shared memory"), "bytes" },
    { "features", N_("Features it needs"), NULL },
    { "identity", N_("Identity"), NULL },
    { "digest", N_("Digest"), NULL },
    { "source-digest", N_("Digest of the source"), NULL },
  };
  g_autoptr (GVariant) description = gabbro_bundle_describe_kernel (job->bundle, name, error);
  g_autoptr (GabbroKernel) kernel = description != NULL ? gabbro_bundle_get_kernel (job->bundle, name, error) : NULL;

  if (kernel == NULL)
    return prefix (job, error);
  tool_output_begin_object (output, NULL, name);
  tool_output_for_programs (output, "name", g_variant_new_string (name));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GVariant) value = g_variant_lookup_value (description, rows[i].key, NULL);
      tool_output_variant (output, rows[i].key, _(rows[i].title), value, rows[i].unit, NULL);
    }
  show_arguments (output, kernel);
  tool_output_end_object (output);
  return true;
}

static bool
show (const struct job *job, GError **error)
{
  g_auto (GStrv) names = list_wanted (job, error);
  bool good = true;

  if (names == NULL)
    return false;
  struct tool_output *output = tool_output_new_document (job->options, "bundle-show");
  tool_output_string (output, "generator", _("Made by"), gabbro_bundle_get_generator (job->bundle));
  tool_output_begin_list (output, "kernels", NULL);
  for (guint i = 0; good && names[i] != NULL; i++)
    good = show_kernel (job, output, names[i], error);
  tool_output_end_list (output);
  return finish (output, good, error);
}

static bool
verify (const struct job *job, GError **error)
{
  return gabbro_bundle_verify (job->bundle, error) || prefix (job, error);
}

static bool
extract_kernel (const struct job *job, const char *name, const char *section, const char *folder, GError **error)
{
  g_autoptr (GBytes) bytes = gabbro_bundle_get_section (job->bundle, name, section, error);

  if (bytes == NULL)
    return prefix (job, error);
  g_autofree char *base = g_strconcat (name, ".", strcmp (section, "code") == 0 ? "spv" : section, NULL);
  g_autofree char *path = g_build_filename (folder, base, NULL);
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);
  return tool_write_file (path, data, size, error);
}

static bool
extract (const struct job *job, GError **error)
{
  const char *folder = tool_options_get (job->options, "output"), *section = tool_options_get (job->options, "section");
  g_auto (GStrv) names = list_wanted (job, error);
  bool good = true;

  if (names == NULL)
    return false;
  if (folder == NULL)
    folder = ".";
  if (g_file_test (folder, G_FILE_TEST_EXISTS) && !tool_check_folder (folder, error))
    return false;
  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_autofree char *shown = g_filename_display_name (folder);
      return tool_fail (error, "%s: %s", shown, g_strerror (errno));
    }
  for (guint i = 0; good && names[i] != NULL; i++)
    good = extract_kernel (job, names[i], section != NULL ? section : "code", folder, error);
  return good;
}

/* --- check ------------------------------------------------------------------------------- */

struct checking
{
  const struct job *job;
  char **names;
  struct tool_output *output;
  bool any;                     /* an adapter can run them all */
};

/* One of the two. NULL: it can; an error where the kernel itself is bad. */
static char *
find_reason (const struct checking *checking, const char *name, GabbroAdapter *adapter, const struct tool_record *saved, GError **error)
{
  GabbroBundle *bundle = checking->job->bundle;
  g_autoptr (GError) failure = NULL;

  if (saved != NULL)
    {
      g_autoptr (GVariant) description = gabbro_bundle_describe_kernel (bundle, name, error);
      return description != NULL ? tool_record_check_kernel (saved, description) : NULL;
    }
  if (gabbro_bundle_check_adapter (bundle, name, adapter, &failure))
    return NULL;
  if (failure->domain == GABBRO_COMPILE_ERROR || g_error_matches (failure, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED))
    return g_strdup (failure->message);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

static bool
check_adapter (struct checking *checking, const char *title, GabbroAdapter *adapter, const struct tool_record *saved, GError **error)
{
  GError *failure = NULL;
  bool all = true;

  tool_output_begin_object (checking->output, NULL, title);
  tool_output_for_programs (checking->output, "adapter", g_variant_new_string (title));
  tool_output_begin_list (checking->output, "kernels", NULL);
  for (guint i = 0; failure == NULL && checking->names[i] != NULL; i++)
    {
      g_autofree char *why = find_reason (checking, checking->names[i], adapter, saved, &failure);

      tool_output_begin_object (checking->output, NULL, checking->names[i]);
      tool_output_for_programs (checking->output, "name", g_variant_new_string (checking->names[i]));
      tool_output_boolean (checking->output, "runs", _("Runs"), why == NULL);
      if (why != NULL)
        tool_output_string (checking->output, "because", _("Because"), why);
      tool_output_end_object (checking->output);
      all = all && why == NULL;
    }
  tool_output_end_list (checking->output);
  tool_output_end_object (checking->output);
  checking->any = checking->any || all;
  if (failure == NULL)
    return true;
  g_propagate_error (error, failure);
  return prefix (checking->job, error);
}

static bool
check_here (struct checking *checking, GError **error)
{
  const char *wanted = tool_options_get (checking->job->options, "device");
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  bool good = true;

  if (context == NULL)
    return false;
  if (wanted != NULL)
    {
      GabbroAdapter *adapter = tool_select_adapter (context, wanted, NULL, error);
      return adapter != NULL && check_adapter (checking, gabbro_adapter_get_name (adapter), adapter, NULL, error);
    }
  for (guint i = 0; good && i < gabbro_context_get_n_adapters (context); i++)
    {
      GabbroAdapter *adapter = gabbro_context_get_adapter (context, i);
      good = check_adapter (checking, gabbro_adapter_get_name (adapter), adapter, NULL, error);
    }
  tool_report_messages (context, NULL);
  return good;
}

static bool
check_saved (struct checking *checking, const char *filename, GError **error)
{
  struct tool_record *saved = tool_record_new_from_file (filename, error);

  if (saved == NULL)
    return false;
  g_autofree char *name = tool_printable (saved->name);
  bool good = check_adapter (checking, name, NULL, saved, error);
  tool_record_free (saved);
  return good;
}

static bool
check (const struct job *job, GError **error)
{
  const char *saved = tool_options_get (job->options, "adapter-file");
  g_auto (GStrv) names = list_wanted (job, error);

  if (names == NULL)
    return false;
  if (saved != NULL && tool_options_has (job->options, "device"))
    return tool_usage (error, _("--device and --adapter-file: one adapter at a time"));
  struct checking checking = { job, names, tool_output_new_document (job->options, "bundle-check"), false };
  tool_output_begin_list (checking.output, "adapters", NULL);
  bool good = saved != NULL ? check_saved (&checking, saved, error) : check_here (&checking, error);
  tool_output_end_list (checking.output);
  if (!finish (checking.output, good, error))
    return false;
  g_autofree char *shown = g_filename_display_name (job->filename);
  return checking.any || tool_fail (error, _("%s: no adapter of these can run all of it"), shown);
}

/* --- the command ------------------------------------------------------------------------- */

static const struct
{
  const char *name;
  bool (*run) (const struct job *job, GError **error);
  bool takes_kernel;
  bool takes_many;
  const char *options;          /* between blanks */
} actions[] = {
  { "list", list, false, false, " json color " },
  { "show", show, true, false, " json color " },
  { "verify", verify, false, true, " " },
  { "extract", extract, true, false, " output section " },
  { "check", check, true, false, " json color device adapter-file " },
};

static bool
find_action (const char *name, guint *index, GError **error)
{
  const char *names[G_N_ELEMENTS (actions) + 1] = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      names[i] = actions[i].name;
      *index = i;
      if (strcmp (name, actions[i].name) == 0)
        return true;
    }
  g_autofree char *suggestion = tool_suggestion (name, names, "");
  return tool_usage (error, _("'%s' is none of list, show, verify, extract, check%s"), name, suggestion);
}

/* Options that another action has. */
static bool
check_options (const struct tool_options *options, guint action, GError **error)
{
  for (guint i = 0; options_of_bundle[i].name != NULL; i++)
    {
      g_autofree char *word = g_strconcat (" ", options_of_bundle[i].name, " ", NULL);
      if (tool_options_has (options, options_of_bundle[i].name) && strstr (actions[action].options, word) == NULL)
        return tool_usage (error, _("--%s: 'bundle %s' has no such option"), options_of_bundle[i].name, actions[action].name);
    }
  return true;
}

static bool
run_on (const struct tool_options *options, guint action, const char *operand, GError **error)
{
  struct job job = { .options = options };

  if (actions[action].takes_kernel)
    job.filename = tool_split_operand (operand, &job.kernel);
  else
    job.filename = g_strdup (operand);
  job.bundle = tool_load_bundle (job.filename, error);
  bool good = job.bundle != NULL && actions[action].run (&job, error);
  g_clear_object (&job.bundle);
  g_free (job.filename);
  return good;
}

static bool
run (const struct tool_options *options, GError **error)
{
  guint action = 0, n = tool_options_n_operands (options);
  bool good = true;

  if (n == 0)
    return tool_usage (error, _("what to do is missing: list, show, verify, extract or check"));
  if (!find_action (tool_options_operand (options, 0), &action, error) || !check_options (options, action, error))
    return false;
  if (n == 1)
    return tool_usage (error, _("a bundle is missing: gabbro bundle %s FILE"), actions[action].name);
  if (!actions[action].takes_many && !tool_options_at_most (options, 2, error))
    return false;
  for (guint i = 1; good && i < n; i++)
    good = run_on (options, action, tool_options_operand (options, i), error);
  return good;
}

const struct tool_command tool_command_bundle = {
  .name = "bundle",
  .usage = N_("list|show|verify|extract|check FILE[:KERNEL] [OPTION]…"),
  .summary = N_("look into bundles of compiled kernels"),
  .text = N_("'gabbro compile' makes bundles, 'gabbro run' runs their kernels.\n"
             "check succeeds when one of the adapters can run all kernels that were asked for.\n"),
  .options = options_of_bundle,
  .examples = examples,
  .run = run,
};
