/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The dialect gate: the one place where XIR that we cannot say in SPIR-V is
 * refused, by name. Behind it the emitter has no errors but size. */

#pragma once

#include "codegen/spirv/plan-call-graph.h"

bool spirv_gate (const struct xir_module *module, const struct spirv_call_graph *graph, GError **error);
