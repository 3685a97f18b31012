/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/passes/passes.h"

#include <string.h>

G_DEFINE_QUARK (xir-pass-error-quark, xir_pass_error)

static const struct xir_pass pass_table[] = {
  {
    "lower-print",
    "Turns prints and asserts into records in a hidden buffer",
    xir_pass_lower_print,
    XIR_ANALYSIS_NONE
  },
  {
    "specialize-resources",
    "Copies functions with resource parameters, one copy for each set of actual resources",
    xir_pass_specialize_resources,
    XIR_ANALYSIS_NONE
  },
  {
    "bounds-checks",
    "Guards indices: reads out of range give zero, writes do nothing",
    xir_pass_bounds_checks,
    XIR_ANALYSIS_CALL_GRAPH
  },
  {
    "lower-words",
    "Makes words of byte buffers and of what the target cannot have in memory as it lies there",
    xir_pass_lower_words,
    XIR_ANALYSIS_CALL_GRAPH
  },
  {
    "lower-atomics",
    "Makes float atomics that the target lacks of exchanges of words",
    xir_pass_lower_atomics,
    XIR_ANALYSIS_CALL_GRAPH
  },
  {
    "constant-fold",
    "Computes what only depends on constants",
    xir_pass_constant_fold,
    XIR_ANALYSIS_ALL
  },
  {
    "dead-code",
    "Removes what nobody uses: values, stores that are never read, helper functions",
    xir_pass_dead_code,
    XIR_ANALYSIS_CONTROL_FLOW | XIR_ANALYSIS_DOMINATORS
  },
  {
    "lower-matrices",
    "Turns ops on matrices into ops on their columns",
    xir_pass_lower_matrices,
    XIR_ANALYSIS_CALL_GRAPH | XIR_ANALYSIS_CONTROL_FLOW | XIR_ANALYSIS_DOMINATORS
  },
  {
    "lower-bitcasts",
    "Turns bitcasts that change the number of lanes into shifts of their parts",
    xir_pass_lower_bitcasts,
    XIR_ANALYSIS_CALL_GRAPH | XIR_ANALYSIS_CONTROL_FLOW | XIR_ANALYSIS_DOMINATORS
  },
  {
    "lower-float-mod",
    "Turns the float remainder into calls of an exact function",
    xir_pass_lower_float_mod,
    XIR_ANALYSIS_CONTROL_FLOW | XIR_ANALYSIS_DOMINATORS
  },
};

const struct xir_pass *
xir_passes (guint *n_passes)
{
  *n_passes = G_N_ELEMENTS (pass_table);
  return pass_table;
}

const struct xir_pass *
xir_pass_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pass_table); i++)
    if (strcmp (pass_table[i].name, name) == 0)
      return &pass_table[i];
  return NULL;
}

enum pipeline_condition { ALWAYS, WITH_BOUNDS_CHECKS, WITH_OPTIMISATION };

static const struct
{
  const char *name;
  enum pipeline_condition condition;
} pipeline[] = {
  { "lower-print", ALWAYS },
  { "specialize-resources", ALWAYS },
  { "bounds-checks", WITH_BOUNDS_CHECKS },
  { "lower-words", ALWAYS },
  { "lower-atomics", ALWAYS },
  { "constant-fold", WITH_OPTIMISATION },
  { "dead-code", WITH_OPTIMISATION },
  { "lower-matrices", ALWAYS },
  { "lower-float-mod", ALWAYS },
  { "dead-code", WITH_OPTIMISATION },
};

bool
xir_run_pipeline (struct xir_module *module,
                  const struct xir_pass_options *options,
                  bool optimise,
                  xir_pass_observer observe,
                  gpointer data,
                  GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pipeline); i++)
    {
      const struct xir_pass *pass = xir_pass_find (pipeline[i].name);
      GError *own_error = NULL;

      if ((pipeline[i].condition == WITH_BOUNDS_CHECKS && !options->bounds_checks)
          || (pipeline[i].condition == WITH_OPTIMISATION && !optimise))
        continue;
      pass->run (module, options, &own_error);
      if (own_error != NULL)
        {
          g_propagate_error (error, own_error);
          return false;
        }
      if (observe != NULL)
        observe (pass, module, data);
    }
  return true;
}
