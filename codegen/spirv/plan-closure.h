/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The structural closure of a function: the blocks that control may reach, and
 * the merge and update blocks that their constructs name though nothing reaches
 * them. Only what is here is analysed and emitted. The order is the one in which
 * the blocks are written: every block stands behind its dominators, and the parts
 * of a construct stand together. */

#pragma once

#include "codegen/xir/xir.h"

enum spirv_block_role
{
  SPIRV_ROLE_NONE,
  SPIRV_ROLE_ENTRY,
  SPIRV_ROLE_ARM,
  SPIRV_ROLE_CASE,
  SPIRV_ROLE_MERGE,              /* of an if or a switch */
  SPIRV_ROLE_LOOP_MERGE,
  SPIRV_ROLE_PREPARE,
  SPIRV_ROLE_BODY,
  SPIRV_ROLE_UPDATE
};

/* What is known of an id; one table serves a whole module. */
struct spirv_slot
{
  uint32_t position;             /* plus one; 0: not in the closure */
  uint32_t previous_case;        /* role case: position plus one of the case before it; 0: the first */
  const struct xir_instruction *owner;   /* that named the block in its role */
  uint8_t role;                  /* enum spirv_block_role */
  bool reached;
};

struct spirv_closure_block
{
  struct xir_block *block;
  bool reachable;
  /* Not reachable, but part of a loop's way back: leads there instead of being unreachable. */
  struct xir_block *leads_to;
};

struct spirv_closure
{
  struct spirv_closure_block *blocks;
  uint32_t n_blocks;
};

/* `slots` has an entry for every id of the module, zero at first. */
bool spirv_plan_closure (struct gb_arena *arena, const struct xir_function *function, struct spirv_slot *slots,
                         struct spirv_closure *closure, GError **error);
