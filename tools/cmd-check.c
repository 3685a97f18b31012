/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro check: which adapters meet requirements and can run kernels, and why others cannot. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <string.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/kernels.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/record.h"
#include "tools/report.h"
#include "tools/requirement.h"
#include "tools/suggest.h"

static const struct tool_option options_of_check[] = {
  TOOL_OUTPUT_OPTIONS,
  { "feature", 0, N_("NAME"), N_("it must have this feature or extension; may be repeated"), .many = true },
  { "limit", 0, N_("NAME>=N"), N_("… and this limit: >=, <=, >, < or =; may be repeated"), .many = true },
  { "device", 0, N_("ADAPTER|FILE"), N_("look only at this one; may be repeated"), .many = true },
  TOOL_SOURCE_OPTIONS,
  { NULL }
};

static const struct tool_example examples[] = {
  { "check blur.gk sobel.gk", N_("which adapters can run all kernels of these files") },
  { "check --feature shaderInt64 --limit 'max-buffer-size>=1G'", N_("names of Vulkan or of 'gabbro info'") },
  { "check --limit 'api-version>=1.3' --feature VK_EXT_shader_atomic_float", N_("versions and extensions") },
  { "check --device=customer.json --limit max-shared-memory=48K", N_("an adapter that 'gabbro info --json' has saved") },
  { NULL }
};

struct job
{
  GPtrArray *requirements;      /* of struct tool_requirement * */
  GPtrArray *records;           /* of struct tool_record * */
  GPtrArray *modules;           /* of GabbroModule, one a file */
  GPtrArray *files;             /* their names, to be shown */
};

static void
free_requirement (gpointer data)
{
  tool_requirement_free (data);
}

static void
free_record (gpointer data)
{
  tool_record_free (data);
}

static bool
parse_requirements (struct job *job, const struct tool_options *options, GError **error)
{
  const char *const *features = tool_options_get_all (options, "feature");
  const char *const *limits = tool_options_get_all (options, "limit");

  for (guint i = 0; features != NULL && features[i] != NULL; i++)
    {
      struct tool_requirement *requirement = tool_requirement_new_feature (features[i], error);
      if (requirement == NULL)
        return false;
      g_ptr_array_add (job->requirements, requirement);
    }
  for (guint i = 0; limits != NULL && limits[i] != NULL; i++)
    {
      struct tool_requirement *requirement = tool_requirement_new_limit (limits[i], error);
      if (requirement == NULL)
        return false;
      g_ptr_array_add (job->requirements, requirement);
    }
  return true;
}

static bool
load_files (struct job *job, const struct tool_options *options, GError **error)
{
  if (!tool_source_options (options, error))
    return false;
  for (guint i = 0; i < tool_options_n_operands (options); i++)
    {
      const char *filename = tool_options_operand (options, i);
      GabbroModule *module = tool_load_module (filename, options, NULL, error);
      if (module == NULL)
        return false;
      g_ptr_array_add (job->modules, module);
      g_ptr_array_add (job->files, g_filename_display_name (filename));
    }
  return true;
}

/* Those that were named, or all. */
static bool
load_records (struct job *job, const struct tool_options *options, GabbroContext **context, GError **error)
{
  const char *const *wanted = tool_options_get_all (options, "device");

  for (guint i = 0; wanted != NULL && wanted[i] != NULL; i++)
    {
      if (job->modules->len > 0 && tool_is_record_file (wanted[i]))
        return tool_usage (error, _("--device: kernels are compiled for adapters that are here, not for '%s'"), wanted[i]);
      struct tool_record *record = tool_record_new (context, wanted[i], error);
      if (record == NULL)
        return false;
      g_ptr_array_add (job->records, record);
    }
  if (wanted != NULL)
    return true;
  *context = gabbro_context_new (NULL, error);
  if (*context == NULL)
    return false;
  for (guint i = 0; i < gabbro_context_get_n_adapters (*context); i++)
    {
      GabbroAdapter *adapter = gabbro_context_get_adapter (*context, i);
      struct tool_record *record = tool_record_new_from_adapter (*context, adapter, error);
      if (record == NULL)
        return false;
      g_ptr_array_add (job->records, record);
    }
  /* The reason why there is none is told by who chooses. */
  return job->records->len > 0 || tool_select_adapter (*context, NULL, NULL, error) != NULL;
}

/* What no adapter has ever heard of was misspelt. */
static bool
check_names (const struct job *job, GError **error)
{
  for (guint i = 0; i < job->requirements->len; i++)
    {
      const struct tool_requirement *requirement = g_ptr_array_index (job->requirements, i);
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      bool known = false;
      for (guint j = 0; j < job->records->len; j++)
        {
          const struct tool_record *record = g_ptr_array_index (job->records, j);
          known = known || tool_requirement_is_known (requirement, record);
          for (guint k = 0; k < record->facts->len; k++)
            g_ptr_array_add (names, ((struct tool_fact *) g_ptr_array_index (record->facts, k))->name);
        }
      if (known)
        continue;
      g_ptr_array_add (names, NULL);
      g_autofree char *suggestion = tool_suggestion (requirement->name, (const char *const *) names->pdata, "");
      return tool_fail (error, requirement->is_limit ? _("no adapter has a limit '%s'%s") : _("no adapter knows of a feature '%s'%s"),
                        requirement->name, suggestion);
    }
  return true;
}

/* The gate of the compiler says what is missing; how well the code is optimised is no matter here. */
static void
check_kernels (const struct job *job, const struct tool_record *record, struct tool_progress *progress, GPtrArray *reasons)
{
  for (guint i = 0; i < job->modules->len; i++)
    {
      GabbroModule *module = g_ptr_array_index (job->modules, i);
      const char *file = g_ptr_array_index (job->files, i);
      g_auto (GStrv) kernels = gabbro_module_list_kernels (module);
      if (kernels == NULL || kernels[0] == NULL)
        g_ptr_array_add (reasons, g_strdup_printf (_("%s: there is no kernel in it"), file));
      for (guint j = 0; kernels != NULL && kernels[j] != NULL; j++)
        {
          g_autoptr (GError) cause = NULL;
          tool_progress_show (progress, "%s: %s, %s", record->name, file, kernels[j]);
          g_autoptr (GabbroKernel) kernel = gabbro_module_get_kernel (module, kernels[j], &cause);
          g_autoptr (GBytes) words = kernel != NULL
            ? gabbro_kernel_compile_spirv (kernel, record->adapter, GABBRO_COMPILE_DEFAULT, 0, &cause) : NULL;
          if (words == NULL)
            g_ptr_array_add (reasons, g_strdup_printf ("%s, %s: %s", file, kernels[j], g_strchomp (cause->message)));
        }
    }
}

static GPtrArray *
find_reasons (const struct job *job, const struct tool_record *record, struct tool_progress *progress)
{
  GPtrArray *reasons = g_ptr_array_new_with_free_func (g_free);
  const char *unusable = record->adapter != NULL ? gabbro_adapter_get_unusable_reason (record->adapter) : NULL;

  if (unusable != NULL)
    g_ptr_array_add (reasons, g_strdup_printf (_("it cannot be used: %s"), unusable));
  for (guint i = 0; i < job->requirements->len; i++)
    {
      char *reason = tool_requirement_check (g_ptr_array_index (job->requirements, i), record);
      if (reason != NULL)
        g_ptr_array_add (reasons, reason);
    }
  check_kernels (job, record, progress, reasons);
  return reasons;
}

static void
show_record (const struct tool_options *options, struct tool_output *output, const struct tool_record *record,
             GPtrArray *reasons)
{
  bool suitable = reasons->len == 0;

  tool_output_begin_object (output, NULL, record->name);
  tool_output_for_programs (output, "name", g_variant_new_string (record->name));
  tool_output_string (output, "source", record->adapter != NULL ? _("Path") : _("File"), record->source);
  tool_output_verdict (output, "suitable", _("Suitable"), suitable);
  g_ptr_array_add (reasons, NULL);
  if (tool_options_has (options, "json"))
    tool_output_strings (output, "reasons", NULL, (const char *const *) reasons->pdata);
  else
    for (guint i = 0; i + 1 < reasons->len; i++)
      tool_output_string (output, NULL, i == 0 ? _("Because") : "", g_ptr_array_index (reasons, i));
  tool_output_end_object (output);
}

static bool
check (const struct job *job, const struct tool_options *options, GError **error)
{
  struct tool_output *output = tool_output_new_document (options, "check");
  struct tool_progress *progress = tool_progress_new ();
  guint n_suitable = 0;

  tool_output_begin_list (output, "adapters", NULL);
  for (guint i = 0; i < job->records->len; i++)
    {
      const struct tool_record *record = g_ptr_array_index (job->records, i);
      g_autoptr (GPtrArray) reasons = find_reasons (job, record, progress);
      n_suitable += reasons->len == 0;
      show_record (options, output, record, reasons);
    }
  tool_output_end_list (output);
  tool_progress_free (progress);
  tool_output_for_programs (output, "suitable", g_variant_new_uint32 (n_suitable));
  return tool_output_finish (output, error) && (n_suitable > 0 || tool_answer_no (error));
}

static bool
run (const struct tool_options *options, GError **error)
{
  struct job job;
  g_autoptr (GabbroContext) context = NULL;

  if (tool_options_n_operands (options) == 0 && !tool_options_has (options, "feature")
      && !tool_options_has (options, "limit"))
    return tool_usage (error, _("nothing is asked for: give --feature, --limit or files with kernels"));
  job.requirements = g_ptr_array_new_with_free_func (free_requirement);
  job.records = g_ptr_array_new_with_free_func (free_record);
  job.modules = g_ptr_array_new_with_free_func (g_object_unref);
  job.files = g_ptr_array_new_with_free_func (g_free);
  bool good = parse_requirements (&job, options, error) && load_files (&job, options, error)
              && load_records (&job, options, &context, error) && check_names (&job, error)
              && check (&job, options, error);
  g_ptr_array_unref (job.requirements);
  g_ptr_array_unref (job.records);
  g_ptr_array_unref (job.modules);
  g_ptr_array_unref (job.files);
  if (good && context != NULL)
    tool_report_messages (context, NULL);
  return good;
}

const struct tool_command tool_command_check = {
  .name = "check",
  .usage = N_("[--feature=NAME]… [--limit=NAME>=N]… [--device=ADAPTER]… [FILE]…"),
  .summary = N_("say which adapters meet requirements, and why others do not"),
  .text = N_("Names are those of 'gabbro info'; case, '-' and '_' do not matter, so Vulkan's names will\n"
             "do. A number may end in K, M, G or T, powers of 1024. A list must meet a limit with each of\n"
             "its numbers. The exit status is 0 when there is an adapter that meets everything, else 1.\n"),
  .options = options_of_check,
  .examples = examples,
  .run = run,
};
