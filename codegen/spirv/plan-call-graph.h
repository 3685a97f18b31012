/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The functions that a kernel reaches, each behind those it calls. */

#pragma once

#include "codegen/spirv/plan-closure.h"

struct spirv_call_graph
{
  struct xir_function **functions;       /* the kernel is the last */
  struct spirv_closure *closures;        /* of each of them */
  uint32_t n_functions;
};

/* Makes the closures on the way: only calls in them count. Refuses recursion and
 * what is no kernel's shape. `slots` as in plan-closure.h; the ids of functions get
 * their position there. */
bool spirv_plan_call_graph (struct gb_arena *arena, struct xir_function *kernel, struct spirv_slot *slots,
                            struct spirv_call_graph *graph, GError **error);
