/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/interpret/interpret-test.h"

#include <string.h>

#include "codegen/frontend/frontend.h"
#include "codegen/passes/passes.h"
#include "codegen/xir/verify.h"
#include "tests/test-main.h"

void
interpreted_init (struct interpreted *kernels, const char *name, const char *text)
{
  struct xir_pass_options options = { .bounds_checks = false };
  GString *report = g_string_new (NULL);
  struct gk_diagnostics diagnostics;
  struct gk_unit *unit;
  GError *error = NULL;

  kernels->context = xir_context_new ();
  gk_diagnostics_init (&diagnostics, name);
  unit = gk_unit_new (kernels->context, name, text, strlen (text), &diagnostics);
  gk_diagnostics_format (&diagnostics, report);
  ck_assert_msg (diagnostics.n_errors == 0, "%s", report->str);
  kernels->module = gk_unit_lower (unit);
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  xir_pass_lower_print (kernels->module, &options, &error);
  xir_pass_specialize_resources (kernels->module, &options, &error);
  xir_pass_lower_bitcasts (kernels->module, &options, NULL);
  ck_assert_msg (error == NULL, "%s: %s", name, error != NULL ? error->message : "?");
  g_string_truncate (report, 0);
  ck_assert_msg (xir_verify_module (kernels->module, report) == 0, "%s: %s", name, report->str);
  g_string_free (report, TRUE);
}

void
interpreted_clear (struct interpreted *kernels)
{
  xir_module_free (kernels->module);
  xir_context_unref (kernels->context);
}

struct interpret_program *
interpreted_program (const struct interpreted *kernels, const char *kernel, uint32_t subgroup_size)
{
  struct interpret_options options = { .subgroup_size = subgroup_size };
  GError *error = NULL;
  struct interpret_program *program = interpret_program_new (kernels->module, kernel, &options, &error);

  ck_assert_msg (program != NULL, "%s", error != NULL ? error->message : "no error");
  return program;
}

void
interpreted_run (const struct interpret_program *program, const struct interpret_binding *bindings, uint32_t threads,
                 uint32_t group_size, uint32_t n_workers, uint64_t seed)
{
  struct interpret_dispatch dispatch = {
    .program = program, .bindings = bindings, .dispatch_size = { threads, 1, 1 },
    .groups = { (threads + group_size - 1) / group_size, 1, 1 }, .n_workers = n_workers, .seed = seed
  };
  GError *error = NULL;
  bool done = interpret_run (&dispatch, &error);

  ck_assert_msg (done, "%s", error != NULL ? error->message : "no error");
}
