/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the unrolling and inlining passes of SPIRV-Tools would make of a kernel, counted before
 * they run: they have no limit of their own. */

#pragma once

#include "codegen/spirv/plan-call-graph.h"
#include "codegen/spirv/plan-control-flow.h"

/* Instructions of one unrolled loop, loops in it unrolled too. */
#define SPIRV_MAX_UNROLLED        UINT64_C (16384)
/* What unrolling may add to a kernel altogether. */
#define SPIRV_MAX_ADDED           UINT64_C (262144)
#define SPIRV_MAX_ADDED_BLOCKS    UINT64_C (4096)
/* SPIRV-Tools takes time that grows with the square of the blocks: one counts as so many instructions. */
#define SPIRV_BLOCK_COST          UINT64_C (64)
/* Instructions of a kernel with every call inlined. */
#define SPIRV_MAX_INLINED         UINT64_C (262144)

/* Sets `unrolls` of the loops whose hint is kept. Returns the instructions of the kernel, the last function, with
 * those loops unrolled and every call inlined; saturates. `control_flows` as `graph->functions`. */
uint64_t spirv_plan_cost (const struct spirv_call_graph *graph, const struct spirv_slot *slots,
                          struct spirv_control_flow *control_flows);
