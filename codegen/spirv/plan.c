/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "codegen/spirv/gate.h"

static bool
find_kernel (struct spirv_plans *plans, const char *name, GError **error)
{
  plans->kernel = xir_module_find_function (plans->module, name);
  if (plans->kernel == NULL || plans->kernel->kind != XIR_FUNCTION_KERNEL)
    {
      g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED,
                   plans->kernel == NULL ? _("there is no kernel “%s”") : _("“%s” is no kernel"), name);
      return false;
    }
  return true;
}

static bool
plan_calls (struct spirv_plans *plans, const char *kernel, GError **error)
{
  if (!find_kernel (plans, kernel, error)
      || !spirv_plan_call_graph (&plans->arena, plans->kernel, plans->slots, &plans->call_graph, error))
    return false;
  plans->closures = plans->call_graph.closures;
  return true;
}

static bool
plan_binding (struct spirv_plans *plans, const struct spirv_target *target, GError **error)
{
  return spirv_plan_usage (&plans->arena, plans->module, &plans->call_graph, &plans->usage, error)
         && spirv_plan_binding (&plans->arena, plans->module, plans->kernel, &plans->usage, target, &plans->binding, error);
}

static bool
make_binding_plans (struct spirv_plans *plans, const char *kernel, const struct spirv_target *target, GError **error)
{
  return plan_calls (plans, kernel, error) && plan_binding (plans, target, error);
}

static bool
make_plans (struct spirv_plans *plans, const char *kernel, const struct spirv_target *target, GError **error)
{
  if (!plan_calls (plans, kernel, error))
    return false;
  if (!spirv_gate (plans->module, &plans->call_graph, error))
    return false;
  uint32_t n = plans->call_graph.n_functions;
  plans->control_flows = gb_arena_array (&plans->arena, struct spirv_control_flow, n);
  for (uint32_t i = 0; i < n; i++)
    if (!spirv_plan_control_flow (&plans->arena, &plans->closures[i], plans->slots, &plans->control_flows[i], error))
      return false;
  plans->inlined_size = spirv_plan_cost (&plans->call_graph, plans->slots, plans->control_flows);
  if (!plan_binding (plans, target, error))
    return false;
  if (plans->usage.is_convergent)
    plans->barriers = spirv_plan_barriers (&plans->arena, plans->module, &plans->call_graph, plans->slots);
  return target == NULL
         || spirv_plan_features (plans->kernel, &plans->call_graph, &plans->usage, &plans->binding, target, &plans->features);
}

typedef bool (*planner) (struct spirv_plans *plans, const char *kernel, const struct spirv_target *target, GError **error);

static bool
init (struct spirv_plans *plans, const struct xir_module *module, const char *kernel, const struct spirv_target *target,
      planner plan, GError **error)
{
  memset (plans, 0, sizeof *plans);
  gb_arena_init (&plans->arena, 0);
  plans->module = module;
  plans->n_slots = module->next_id;
  plans->slots = gb_arena_alloc0 (&plans->arena, (gsize) plans->n_slots * sizeof *plans->slots);
  if (plan (plans, kernel, target, error))
    return true;
  spirv_plans_clear (plans);
  return false;
}

bool
spirv_plans_init (struct spirv_plans *plans, const struct xir_module *module, const char *kernel,
                  const struct spirv_target *target, GError **error)
{
  return init (plans, module, kernel, target, make_plans, error);
}

bool
spirv_plans_init_binding (struct spirv_plans *plans, const struct xir_module *module, const char *kernel,
                          const struct spirv_target *target, GError **error)
{
  return init (plans, module, kernel, target, make_binding_plans, error);
}

void
spirv_plans_clear (struct spirv_plans *plans)
{
  gb_arena_clear (&plans->arena);
  memset (plans, 0, sizeof *plans);
}
