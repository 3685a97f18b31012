/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the arguments of a kernel are: bindings of its resources, bytes of its
 * values and of the records that describe views of buffers. One plan serves
 * sizing, emission and the result that the library gets. */

#pragma once

#include "codegen/spirv/plan-layout.h"
#include "codegen/spirv/plan-usage.h"
#include "codegen/spirv/spirv.h"

#define SPIRV_METADATA_SIZE 8
#define SPIRV_METADATA_ALIGNMENT 4

struct spirv_binding_plan
{
  struct spirv_argument *arguments;
  uint32_t n_arguments;
  struct spirv_binding *bindings;
  uint32_t n_bindings;
  uint32_t argument_size;
  bool arguments_in_block;
  uint32_t push_constant_size;
};

/* What a kernel asks of a device, beside features. */
struct spirv_demand
{
  uint32_t group_size[3];
  const struct spirv_binding *bindings;
  uint32_t n_bindings;
  uint32_t push_constant_size;
  uint64_t shared_size;
};

/* Names what the target has too little of. */
bool spirv_check_demand (const struct spirv_demand *demand, const struct spirv_target *target, GError **error);

/* `target` NULL: no bindings and no limits but the size. */
bool spirv_plan_binding (struct gb_arena *arena, const struct xir_module *module, const struct xir_function *kernel,
                         const struct spirv_usage_plan *usage, const struct spirv_target *target,
                         struct spirv_binding_plan *plan, GError **error);
