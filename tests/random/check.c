/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/check.h"
#include "tests/random/flow.h"
#include "tests/random/module.h"

#include <signal.h>
#include <string.h>

struct check
{
  struct machine *machine;
  struct kernel *tree;
  const struct check_options *options;
  struct data *data;
  GabbroKernel *kernel, *faulty;         /* `faulty` is NULL unless a fault is wanted */
  gboolean has_fault;                    /* they differ */
  GHashTable *binaries;                  /* of the device at hand: what was run */
  guint8 *first;                         /* outputs that others are compared with */
  char *first_lines;
  struct configuration first_configuration;
  guint32 **paths;
  struct finding *finding;
};

void
finding_clear (struct finding *finding)
{
  g_clear_pointer (&finding->message, g_free);
}

/* Takes `message`. FALSE, for the caller to return. */
static gboolean
find (struct check *check, enum verdict verdict, const struct configuration *left, const struct configuration *right, char *message)
{
  check->finding->verdict = verdict;
  check->finding->left = *left;
  check->finding->right = *right;
  check->finding->message = message;
  return FALSE;
}

static gboolean
find_error (struct check *check, enum verdict verdict, const struct configuration *configuration, GError *error)
{
  char *name = configuration_print (check->machine, configuration);
  char *message = g_strdup_printf ("%s: %s", name, error->message);

  g_free (name);
  g_error_free (error);
  return find (check, verdict, configuration, configuration, message);
}

static GabbroKernel *
parse (struct check *check, gboolean fault)
{
  static const struct configuration none = { 0, 0, GABBRO_COMPILE_DEFAULT };
  GError *error = NULL;
  GabbroModule *module = module_new (check->tree, fault, &error);
  GabbroKernel *kernel = module != NULL ? gabbro_module_get_kernel (module, "main_", &error) : NULL;

  g_clear_object (&module);
  if (kernel == NULL)
    find_error (check, VERDICT_REFUSED, &none, error);
  return kernel;
}

static gboolean
compare (struct check *check, const struct configuration *configuration, guint8 *outputs, const char *lines)
{
  char *difference, *left, *right, *message;

  if (check->paths != NULL)
    difference = compare_traces (check->tree, check->data, outputs, check->paths);
  else
    difference = compare_records (check->tree, check->data, outputs);
  if (difference != NULL)
    {
      left = configuration_print (check->machine, configuration);
      message = g_strdup_printf ("%s: %s", left, difference);
      g_free (difference);
      g_free (left);
      return find (check, VERDICT_DIFFER, configuration, configuration, message);
    }
  if (check->first == NULL || check->paths != NULL)
    return TRUE;
  difference = compare_outputs (check->data, check->first, outputs);
  if (difference == NULL)
    difference = compare_lines (check->first_lines, lines);
  if (difference == NULL)
    return TRUE;
  left = configuration_print (check->machine, &check->first_configuration);
  right = configuration_print (check->machine, configuration);
  message = g_strdup_printf ("%s, %s: %s", left, right, difference);
  g_free (difference);
  g_free (left);
  g_free (right);
  return find (check, VERDICT_DIFFER, &check->first_configuration, configuration, message);
}

static gboolean
is_wanted (const struct check *check, const struct configuration *configuration)
{
  const struct finding *only = check->options->only;
  return only == NULL || memcmp (configuration, &only->left, sizeof *configuration) == 0
         || memcmp (configuration, &only->right, sizeof *configuration) == 0;
}

/* TRUE to go on. */
static gboolean
run_configuration (struct check *check, const struct configuration *configuration)
{
  GError *error = NULL;
  GabbroKernel *kernel = check->faulty != NULL && configuration->level == 2 ? check->faulty : check->kernel;
  GBytes *words;
  guint8 *outputs;
  char *complaint, *lines = NULL;
  gboolean ok;

  if (!is_wanted (check, configuration))
    return TRUE;
  if (kernel == check->faulty && check->options->fault == FAULT_CRASH && check->has_fault)
    raise (SIGKILL);
  words = machine_compile (check->machine, configuration, kernel, &error);
  if (error != NULL)
    return find_error (check, VERDICT_REFUSED, configuration, error);
  if (words != NULL && !g_hash_table_add (check->binaries, words))
    return TRUE;
  outputs = machine_run (check->machine, configuration, kernel, check->tree, check->data, &lines, &error);
  if (outputs == NULL)
    return find_error (check, VERDICT_FAILED, configuration, error);
  check->finding->n_binaries++;
  ok = compare (check, configuration, outputs, lines);
  if (check->first == NULL)
    {
      check->first = outputs;
      check->first_lines = lines;
      check->first_configuration = *configuration;
    }
  else
    {
      g_free (outputs);
      g_free (lines);
    }
  complaint = ok ? machine_take_messages (check->machine) : NULL;
  return complaint != NULL ? find (check, VERDICT_COMPLAINED, configuration, configuration, complaint) : ok;
}

static gboolean
run_device (struct check *check, guint device)
{
  static const GabbroCompileFlags flags[] = { GABBRO_COMPILE_NO_XIR_OPTIMIZATION, GABBRO_COMPILE_DEFAULT };
  struct configuration configuration;
  gboolean ok = TRUE;

  /* Without holes, so that they can be compared. */
  memset (&configuration, 0, sizeof configuration);
  configuration.device = device;
  check->binaries = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  if (!machine_has_levels (check->machine, device))
    ok = run_configuration (check, &configuration);
  else
    for (gint level = 0; level <= 3 && ok; level++)
      for (guint i = 0; i < G_N_ELEMENTS (flags) && ok; i++)
        {
          configuration.level = level;
          configuration.flags = flags[i];
          ok = run_configuration (check, &configuration);
        }
  g_hash_table_unref (check->binaries);
  return ok;
}

static gboolean
run_all (struct check *check)
{
  /* What others are compared with comes first. */
  for (guint pass = 0; pass < 2; pass++)
    for (guint device = 0; device < machine_n_devices (check->machine); device++)
      if (machine_has_levels (check->machine, device) == (pass == 1) && !run_device (check, device))
        return FALSE;
  return TRUE;
}

gboolean
check_kernel (struct machine *machine, struct kernel *kernel, const struct check_options *options, struct finding *finding)
{
  struct check check = { .machine = machine, .tree = kernel, .options = options, .finding = finding };
  static const struct configuration none = { 0, 0, GABBRO_COMPILE_DEFAULT };
  gboolean ok;

  memset (finding, 0, sizeof *finding);
  check.data = data_new (kernel);
  check.kernel = parse (&check, FALSE);
  if (check.kernel != NULL && options->fault != FAULT_NONE)
    {
      char *right = kernel_print (kernel, FALSE), *wrong = kernel_print (kernel, TRUE);
      check.has_fault = strcmp (right, wrong) != 0;
      check.faulty = parse (&check, TRUE);
      g_free (right);
      g_free (wrong);
    }
  ok = check.kernel != NULL && (options->fault == FAULT_NONE || check.faulty != NULL);
  if (ok && kernel->kind == KERNEL_FLOW)
    {
      const struct slot *trace = &g_array_index (check.data->slots, struct slot, 0);
      check.paths = flow_paths (kernel, data_conditions (check.data), *(const guint32 *) trace->bytes);
      if (check.paths == NULL)
        ok = find (&check, VERDICT_REFUSED, &none, &none, g_strdup ("the tree does not end soon"));
    }
  ok = ok && run_all (&check);
  g_clear_pointer (&check.paths, flow_paths_free);
  g_clear_object (&check.kernel);
  g_clear_object (&check.faulty);
  g_free (check.first);
  g_free (check.first_lines);
  data_free (check.data);
  return ok;
}
