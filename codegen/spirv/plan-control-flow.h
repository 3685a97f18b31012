/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The control-flow plan: the physical graph of a function, fixed before emission.
 * Blocks are named by their position in the closure. The emitter writes what
 * stands here and never looks at an edge of XIR. */

#pragma once

#include "codegen/spirv/plan-closure.h"

enum spirv_merge_kind { SPIRV_MERGE_NONE, SPIRV_MERGE_SELECTION, SPIRV_MERGE_LOOP };

enum spirv_terminator_kind
{
  SPIRV_TERMINATOR_RETURN,       /* with the instruction's operand, if it has one */
  SPIRV_TERMINATOR_UNREACHABLE,
  SPIRV_TERMINATOR_BRANCH,
  SPIRV_TERMINATOR_CONDITIONAL,
  SPIRV_TERMINATOR_SWITCH
};

struct spirv_case
{
  uint64_t value;
  uint32_t target;
};

/* One way into a phi. */
struct spirv_phi_input
{
  struct xir_value *value;       /* NULL: undefined, the way is never taken */
  uint32_t predecessor;
};

struct spirv_control_block
{
  struct xir_block *block;
  const struct xir_instruction *instruction;     /* the end; NULL for a block that is not reachable */
  enum spirv_merge_kind merge_kind;
  enum spirv_terminator_kind terminator;
  uint32_t merge;
  uint32_t continue_target;
  const struct xir_instruction *loop;    /* merge_kind loop: hints */
  bool is_skipped;               /* an empty arm: its `if` branches to the merge instead */
  bool unrolls;                  /* its hint to unroll is kept (plan-cost.h) */
  uint32_t targets[2];           /* branch; true, false; default */
  const struct spirv_case *cases;        /* blocks that fall through stand in front of their successor */
  uint32_t n_cases;
  uint32_t n_predecessors;
  /* Of all phis of the block, in their order, n_predecessors each. */
  const struct spirv_phi_input *phi_inputs;
};

struct spirv_control_flow
{
  struct spirv_control_block *blocks;    /* as the closure's */
  uint32_t n_blocks;
  uint32_t n_edges;
};

/* SPIRV-Tools takes time by the square of a function's blocks. */
#define SPIRV_MAX_BLOCKS 4096

/* Checks the number of blocks, loop boundaries, fall-through and that each phi names
 * every physical predecessor once, and fails otherwise. */
bool spirv_plan_control_flow (struct gb_arena *arena, const struct spirv_closure *closure,
                              const struct spirv_slot *slots, struct spirv_control_flow *out, GError **error);
