/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/generate.h"
#include "tests/random/module.h"
#include "tests/random/report.h"
#include "tests/random/shrink.h"

#include <glib/gstdio.h>
#include <string.h>

struct search
{
  const struct campaign *campaign;
  const struct finding *wanted;
  struct check_options check;
};

static gboolean
front_end_takes (const struct kernel *kernel)
{
  GabbroModule *module = module_new (kernel, FALSE, NULL);
  gboolean ok = module != NULL;

  g_clear_object (&module);
  return ok;
}

static gboolean
shows_it (struct kernel *kernel, gpointer data)
{
  struct search *search = data;
  struct finding finding = { VERDICT_AGREE, { 0 }, { 0 }, 0, NULL };
  gboolean same;

  if (!front_end_takes (kernel))
    return FALSE;
  worker_check (&search->campaign->worker, kernel, &search->check, &finding);
  same = finding.verdict == search->wanted->verdict;
  finding_clear (&finding);
  return same;
}

void
report_shrink (const struct campaign *campaign,
               guint64 seed,
               const struct finding *finding,
               guint n_tries,
               struct report_result *result)
{
  struct search search = { .campaign = campaign, .wanted = finding, .check = campaign->check };

  memset (result, 0, sizeof *result);
  result->kernel = generate_kernel (campaign->kind, seed);
  if (finding->verdict != VERDICT_STOPPED)
    search.check.only = finding;
  if (front_end_takes (result->kernel))
    result->n_tries = shrink (result->kernel, n_tries, shows_it, &search);
  worker_check (&campaign->worker, result->kernel, &search.check, &result->finding);
}

void
report_result_clear (struct report_result *result)
{
  g_clear_pointer (&result->kernel, kernel_free);
  finding_clear (&result->finding);
}

static gboolean
write_file (const char *folder, const char *name, char *text, GError **error)
{
  char *path = g_build_filename (folder, name, NULL);
  gboolean ok = g_file_set_contents (path, text, -1, error);

  g_free (path);
  g_free (text);
  return ok;
}

static char *
print_inputs (const struct kernel *kernel)
{
  GString *text = g_string_new (NULL);
  struct data *data = data_new (kernel);

  g_string_append_printf (text, "threads: %u %u %u\n", kernel->threads[0], kernel->threads[1], kernel->threads[2]);
  if (kernel->has_imports)
    g_string_append (text, "in several files\n");
  for (guint i = 0; i < kernel->options->len; i++)
    {
      const struct variable *option = kernel->options->pdata[i];
      char *value = option->is_default ? NULL : literal_print (option->chosen);
      if (!option->removed && value != NULL)
        g_string_append_printf (text, "%s=%s\n", option->name, value);
      g_free (value);
    }
  for (guint i = 0; i < data->slots->len; i++)
    {
      const struct slot *slot = &g_array_index (data->slots, struct slot, i);
      g_string_append_printf (text, "%s, a view of %u from %u on:", slot->name, slot->length, slot->first);
      for (gsize k = 0; k + 4 <= slot->size && !slot_is_output (slot); k += 4)
        {
          guint32 word;
          memcpy (&word, slot->bytes + k, sizeof word);
          g_string_append_printf (text, " 0x%08x", word);
        }
      g_string_append (text, slot_is_output (slot) ? " written\n" : "\n");
    }
  data_free (data);
  return g_string_free (text, FALSE);
}

gboolean
report_write (const struct campaign *campaign,
              const char *folder,
              const struct finding *finding,
              const struct report_result *result,
              GError **error)
{
  const char *kind = campaign->kind == KERNEL_FLOW ? "flow" : "values";
  guint64 seed = result->kernel->seed;
  struct kernel *original = generate_kernel (campaign->kind, seed);
  char *name = g_strdup_printf ("%s-%" G_GUINT64_FORMAT, kind, seed);
  char *path = g_build_filename (folder, name, NULL);
  gboolean ok;

  if (g_mkdir_with_parents (path, 0777) != 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot make %s", path);
  ok = (error == NULL || *error == NULL)
       && write_file (path, "original.gk", kernel_print (original, FALSE), error)
       && write_file (path, "shrunk.gk", kernel_print (result->kernel, FALSE), error)
       && write_file (path, "inputs", print_inputs (result->kernel), error)
       && write_file (path, "report", g_strdup_printf ("%s\nshrunk to %u statements in %u tries: %s\n"
                                                       "again: random-run --kind %s --seed %" G_GUINT64_FORMAT " --count 1 --devices %s\n",
                                                       finding->message, kernel_count_statements (result->kernel), result->n_tries,
                                                       result->finding.message != NULL ? result->finding.message : "nothing is seen any more",
                                                       kind, seed, campaign->worker.devices), error);
  kernel_free (original);
  g_free (name);
  g_free (path);
  return ok;
}
