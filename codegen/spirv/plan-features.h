/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Features of the target that a kernel needs, and how its floats behave. */

#pragma once

#include "codegen/spirv/plan-binding.h"
#include "codegen/spirv/writer.h"

/* What stands for a feature in a module. */
struct spirv_feature_need
{
  uint32_t capability;           /* 0: none, the emitter alone knows whether it is used */
  uint32_t mode, width;          /* the execution mode for floats of this width, if it is one; width 0: it is none */
  const char *extension;         /* of the capability, or NULL */
};

struct spirv_feature_need spirv_feature_need (enum spirv_feature feature);

struct spirv_features
{
  uint64_t required;             /* 1 << enum spirv_feature */
  uint64_t passing;              /* those of narrow types that are only converted, loaded and stored */
  bool uses_image_queries;
};

bool spirv_plan_features (const struct xir_function *kernel, const struct spirv_call_graph *graph,
                          const struct spirv_usage_plan *usage, const struct spirv_binding_plan *binding,
                          const struct spirv_target *target, struct spirv_features *features);

/* The features that one capability stands for, any of which may be what it is there for; 0: it stands for none. */
uint64_t spirv_features_of_capability (uint32_t capability);
/* The features that the capabilities of a finished module stand for: the optimiser
 * may have taken away the last instruction that needed one. */
uint64_t spirv_features_of_module (const uint32_t *words, gsize n_words);
/* Those that have no capability: what the emitter asked for stays. */
uint64_t spirv_features_of_emitter (void);
/* Names the first feature that is missing. */
bool spirv_features_check (uint64_t required, const struct spirv_target *target, GError **error);
