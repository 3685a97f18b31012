/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What memory each barrier orders beside the shared one, and where loops have it ordered at both their ends instead. */

#pragma once

#include "codegen/spirv/plan-call-graph.h"

enum spirv_ordered
{
  SPIRV_ORDERS_BUFFERS = 1 << 0,
  SPIRV_ORDERS_IMAGES  = 1 << 1
};

/* enum spirv_ordered by id of a barrier, and of a loop: what is ordered before and behind it. `slots` as they are after spirv_plan_call_graph. */
const uint8_t *spirv_plan_barriers (struct gb_arena *arena, const struct xir_module *module, const struct spirv_call_graph *graph,
                                    const struct spirv_slot *slots);
