/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What each function does to its arguments and to the kernel's resources, and
 * which special registers it reads: a fixed point over calls, which one pass
 * reaches because callees come first. */

#pragma once

#include "codegen/spirv/plan-call-graph.h"

enum spirv_need
{
  SPIRV_NEED_READ   = 1 << 0,    /* as enum spirv_usage */
  SPIRV_NEED_WRITE  = 1 << 1,
  SPIRV_NEED_FIRST  = 1 << 2,    /* buffer: where the view begins */
  SPIRV_NEED_LENGTH = 1 << 3,    /* buffer: its length */
  SPIRV_NEED_IMAGE  = 1 << 4,    /* image: the descriptor, be it for its size only */
  SPIRV_NEED_WORDS  = 1 << 5,    /* buffer: a second look at it, as words */
  SPIRV_NEED_VOLATILE = 1 << 6   /* buffer: some of it must not come from a cache that others do not see */
};

struct spirv_function_usage
{
  uint32_t specials;             /* 1 << enum xir_special */
  uint8_t *resources;            /* enum spirv_need by kernel argument: of this function's own instructions */
};

struct spirv_usage_plan
{
  uint8_t *arguments;            /* enum spirv_need by id of an argument; read and write only, but
                                    for the kernel's resources, where all bits of all functions meet */
  struct spirv_function_usage *functions;        /* as the call graph's */
  bool is_convergent;            /* threads work together: none may leave early */
  bool asks_in_dispatch;         /* some function reads in_dispatch */
  uint64_t shared_size;          /* bytes of shared variables, aligned as the host does */
};

bool spirv_plan_usage (struct gb_arena *arena, const struct xir_module *module, const struct spirv_call_graph *graph,
                       struct spirv_usage_plan *usage, GError **error);

/* Whether memory that the kernel writes may come through this resource of it and through another one, too. */
bool spirv_is_aliased (const struct xir_function *kernel, const struct spirv_usage_plan *usage, const struct xir_argument *argument);

/* A buffer that shares no memory that is written: the source says so, or it is ours. */
static inline bool
spirv_is_alone (const struct xir_argument *argument)
{
  return argument->is_restrict || argument->is_hidden;
}

/* What the indices of an atomic lead to. Its value has another type where the atomic works on bits. */
const struct xir_type *spirv_atomic_place_type (const struct xir_instruction *instruction);
