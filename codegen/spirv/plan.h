/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All plans of one compile together. They are made in the order of this page,
 * each from those above it, before the first word of SPIR-V is written; the
 * emitter gets them as const. */

#pragma once

#include "codegen/spirv/plan-barrier.h"
#include "codegen/spirv/plan-binding.h"
#include "codegen/spirv/plan-call-graph.h"
#include "codegen/spirv/plan-closure.h"
#include "codegen/spirv/plan-control-flow.h"
#include "codegen/spirv/plan-cost.h"
#include "codegen/spirv/plan-features.h"
#include "codegen/spirv/plan-usage.h"
#include "codegen/spirv/spirv.h"

struct spirv_plans
{
  struct gb_arena arena;
  const struct xir_module *module;
  struct xir_function *kernel;
  /* By id of block or function: position in the closure or the call graph, plus one; 0: not emitted. */
  struct spirv_slot *slots;
  uint32_t n_slots;
  struct spirv_call_graph call_graph;
  struct spirv_closure *closures;                /* as call_graph.functions */
  struct spirv_control_flow *control_flows;      /* as call_graph.functions */
  uint64_t inlined_size;                         /* spirv_plan_cost */
  struct spirv_usage_plan usage;
  const uint8_t *barriers;                       /* spirv_plan_barriers; NULL: none */
  struct spirv_binding_plan binding;
  struct spirv_features features;
};

/* `target` NULL: for reflection, without limits and bindings. On failure nothing is left to clear. */
bool spirv_plans_init  (struct spirv_plans *plans, const struct xir_module *module, const char *kernel,
                        const struct spirv_target *target, GError **error);
/* The same without the gate and what only words need: kernel, calls, usage and binding. */
bool spirv_plans_init_binding (struct spirv_plans *plans, const struct xir_module *module, const char *kernel,
                               const struct spirv_target *target, GError **error);
void spirv_plans_clear (struct spirv_plans *plans);

static inline uint32_t
spirv_plan_function_index (const struct spirv_plans *plans, const struct xir_function *function)
{
  return plans->slots[function->id].position - 1;
}
