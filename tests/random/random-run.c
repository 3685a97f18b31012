/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* random-run: kernels of many seeds on devices, at every level. README has the options. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/generate.h"
#include "tests/random/report.h"

struct settings
{
  char *kind, *devices, *output, *log, *commit;
  gint64 seed, count;
  gint jobs, seconds, tries;
  gboolean print, validation, fault, next;
};

static const char *const kind_names[N_KERNEL_KINDS] = { [KERNEL_VALUES] = "values", [KERNEL_FLOW] = "flow" };

static gboolean
parse_settings (struct settings *settings, int *argc, char ***argv)
{
  const GOptionEntry entries[] = {
    { "kind", 0, 0, G_OPTION_ARG_STRING, &settings->kind, "values or flow; else both", "KIND" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &settings->seed, "the first seed (1)", "N" },
    { "count", 0, 0, G_OPTION_ARG_INT64, &settings->count, "how many seeds (100)", "N" },
    { "next", 0, 0, G_OPTION_ARG_NONE, &settings->next, "begin behind the last seed of the log", NULL },
    { "devices", 0, 0, G_OPTION_ARG_STRING, &settings->devices, "names of devices (reference,vulkan)", "A,B" },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &settings->jobs, "processes at once (1)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &settings->seconds, "that a kernel may take (120)", "N" },
    { "tries", 0, 0, G_OPTION_ARG_INT, &settings->tries, "of shrinking; 0: none (1000)", "N" },
    { "print", 0, 0, G_OPTION_ARG_NONE, &settings->print, "print the kernels and run nothing", NULL },
    { "validation", 0, 0, G_OPTION_ARG_NONE, &settings->validation, "with Vulkan's validation layers", NULL },
    { "fault", 0, 0, G_OPTION_ARG_NONE, &settings->fault, "one level gets a wrong kernel: there is something to find", NULL },
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &settings->output, "folder for what was found (GABBRO_RANDOM_OUT, or tests/tmp/random)", "FOLDER" },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &settings->log, "append a line to it", "FILE" },
    { "commit", 0, 0, G_OPTION_ARG_STRING, &settings->commit, "what the line says of the source", "NAME" },
    { NULL }
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  ok = g_option_context_parse (context, argc, argv, &error);
  if (!ok)
    fprintf (stderr, "%s\n", error->message);
  else if (settings->kind != NULL && strcmp (settings->kind, "values") != 0 && strcmp (settings->kind, "flow") != 0)
    {
      fprintf (stderr, "The kind is values or flow, not %s.\n", settings->kind);
      ok = FALSE;
    }
  g_clear_error (&error);
  g_option_context_free (context);
  return ok;
}

static void
print_kernels (const struct settings *settings, enum kernel_kind kind)
{
  for (gint64 i = 0; i < settings->count; i++)
    {
      struct kernel *kernel = generate_kernel (kind, (guint64) (settings->seed + i));
      char *source = kernel_print (kernel, FALSE);
      printf ("%s\n", source);
      g_free (source);
      kernel_free (kernel);
    }
}

static void
found (struct campaign *campaign, guint64 seed, const struct finding *finding)
{
  const struct settings *settings = campaign->data;
  struct report_result result;
  GError *error = NULL;

  printf ("%s %" G_GUINT64_FORMAT ": %s\n", kind_names[campaign->kind], seed, finding->message);
  fflush (stdout);
  report_shrink (campaign, seed, finding, (guint) settings->tries, &result);
  printf ("  %u statements after %u tries: %s\n", kernel_count_statements (result.kernel), result.n_tries,
          result.finding.message != NULL ? result.finding.message : "nothing is seen any more");
  if (!report_write (campaign, settings->output, finding, &result, &error))
    fprintf (stderr, "%s\n", error->message);
  g_clear_error (&error);
  fflush (stdout);
  report_result_clear (&result);
}

/* A line of the log: date, commit, kind, first-last, number, result. */
static gboolean
append_log (const struct settings *settings, const struct campaign *campaign)
{
  GDateTime *now = g_date_time_new_now_utc ();
  char *date = g_date_time_format (now, "%Y-%m-%d");
  FILE *file = fopen (settings->log, "a");

  if (file != NULL)
    {
      fprintf (file, "%s %s %s %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " agreed %" G_GUINT64_FORMAT
               " differed (%s, generator %d)\n", date, settings->commit, kind_names[campaign->kind], campaign->first,
               campaign->first + campaign->count - 1, campaign->n_agreed, campaign->n_differed, campaign->devices, GENERATE_VERSION);
      fclose (file);
    }
  g_free (date);
  g_date_time_unref (now);
  return file != NULL;
}

/* The seed behind the last one of this kind in the log. */
static guint64
next_seed (const struct settings *settings, enum kernel_kind kind)
{
  guint64 next = (guint64) settings->seed;
  char *text = NULL, **lines;

  if (!settings->next || !g_file_get_contents (settings->log, &text, NULL, NULL))
    return next;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      char name[16];
      guint64 first, last;
      if (sscanf (*line, "%*s %*s %15s %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, name, &first, &last) == 3
          && strcmp (name, kind_names[kind]) == 0)
        next = MAX (next, last + 1);
    }
  g_strfreev (lines);
  g_free (text);
  return next;
}

/* FALSE if something was found. */
static gboolean
run_kind (struct settings *settings, enum kernel_kind kind)
{
  struct campaign campaign = {
    .worker = { settings->devices, settings->validation, (guint) settings->seconds },
    .check = { NULL, settings->fault ? FAULT_PRODUCT : FAULT_NONE },
    .kind = kind,
    .first = next_seed (settings, kind),
    .count = (guint64) settings->count,
    .n_jobs = (guint) settings->jobs,
    .found = found,
    .data = settings,
  };
  gint64 start = g_get_monotonic_time ();

  if (!campaign_run (&campaign))
    {
      fprintf (stderr, "There is no such device.\n");
      return FALSE;
    }
  printf ("%s: seeds %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " agree, %" G_GUINT64_FORMAT
          " do not (%s); %" G_GUINT64_FORMAT " binaries, %.1f seconds\n", kind_names[kind], campaign.first, campaign.first + campaign.count - 1,
          campaign.n_agreed, campaign.n_differed, campaign.devices, campaign.n_binaries, (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC);
  fflush (stdout);
  if (settings->log != NULL && !append_log (settings, &campaign))
    {
      fprintf (stderr, "Cannot write %s.\n", settings->log);
      return FALSE;
    }
  return campaign.n_differed == 0;
}

int
main (int argc, char **argv)
{
  struct settings settings = { .seed = 1, .count = 100, .jobs = 1, .seconds = 120, .tries = 1000 };
  gboolean ok = parse_settings (&settings, &argc, &argv);

  if (!ok)
    return 2;
  if (settings.devices == NULL)
    settings.devices = g_strdup ("reference,vulkan");
  if (settings.output == NULL)
    settings.output = g_strdup (g_getenv ("GABBRO_RANDOM_OUT") != NULL ? g_getenv ("GABBRO_RANDOM_OUT") : "tests/tmp/random");
  if (settings.commit == NULL)
    settings.commit = g_strdup ("unknown");
  /* Kernels are small and all different. */
  g_setenv ("MESA_SHADER_CACHE_DISABLE", "1", FALSE);
  g_setenv ("LP_NUM_THREADS", "0", FALSE);
  /* LLVM's optimiser takes a third of the time, and is not what is tested. */
  g_setenv ("GALLIVM_PERF", "nopt", FALSE);
  for (guint kind = 0; kind < N_KERNEL_KINDS; kind++)
    {
      if (settings.kind != NULL && strcmp (settings.kind, kind_names[kind]) != 0)
        continue;
      if (settings.print)
        print_kernels (&settings, (enum kernel_kind) kind);
      else
        ok = run_kind (&settings, (enum kernel_kind) kind) && ok;
    }
  g_free (settings.kind);
  g_free (settings.devices);
  g_free (settings.output);
  g_free (settings.log);
  g_free (settings.commit);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
