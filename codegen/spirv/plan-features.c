/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-features.h"

#include <glib/gi18n-lib.h>

/* Features with a capability are owned by it; what has none is the emitter's. */
static const struct
{
  const char *name;
  SpvCapability capability;
  const char *extension;
} table[SPIRV_N_FEATURES] = {
  [SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT] =
    { "shaderStorageImageReadWithoutFormat", SpvCapabilityStorageImageReadWithoutFormat },
  [SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT] =
    { "shaderStorageImageWriteWithoutFormat", SpvCapabilityStorageImageWriteWithoutFormat },
  [SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32] =
    { "shaderSignedZeroInfNanPreserveFloat32", SpvCapabilitySignedZeroInfNanPreserve },
  [SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32] =
    { "shaderRoundingModeRTEFloat32", SpvCapabilityRoundingModeRTE },
  [SPIRV_FEATURE_SUBGROUP_BASIC] = { "subgroupBasic", SpvCapabilityGroupNonUniform },
  [SPIRV_FEATURE_SUBGROUP_VOTE] = { "subgroupVote", SpvCapabilityGroupNonUniformVote },
  [SPIRV_FEATURE_SUBGROUP_ARITHMETIC] = { "subgroupArithmetic", SpvCapabilityGroupNonUniformArithmetic },
  [SPIRV_FEATURE_SUBGROUP_BALLOT] = { "subgroupBallot", SpvCapabilityGroupNonUniformBallot },
  [SPIRV_FEATURE_SUBGROUP_SHUFFLE] = { "subgroupShuffle", SpvCapabilityGroupNonUniformShuffle },
  [SPIRV_FEATURE_BUFFER_FLOAT32_ATOMICS] = { "shaderBufferFloat32Atomics" },
  [SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_ADD] =
    { "shaderBufferFloat32AtomicAdd", SpvCapabilityAtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add" },
  [SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_MIN_MAX] =
    { "shaderBufferFloat32AtomicMinMax", SpvCapabilityAtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max" },
  [SPIRV_FEATURE_SHARED_FLOAT32_ATOMICS] = { "shaderSharedFloat32Atomics" },
  [SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_ADD] =
    { "shaderSharedFloat32AtomicAdd", SpvCapabilityAtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add" },
  [SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_MIN_MAX] =
    { "shaderSharedFloat32AtomicMinMax", SpvCapabilityAtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max" }
};

#define BIT(feature) (UINT64_C (1) << (feature))

const char *
spirv_feature_name (enum spirv_feature feature)
{
  return (unsigned) feature < SPIRV_N_FEATURES ? table[feature].name : NULL;
}

SpvCapability
spirv_feature_capability (enum spirv_feature feature)
{
  return (unsigned) feature < SPIRV_N_FEATURES ? table[feature].capability : 0;
}

const char *
spirv_feature_extension (enum spirv_feature feature)
{
  return (unsigned) feature < SPIRV_N_FEATURES ? table[feature].extension : NULL;
}

/* The modes are of the whole entry point: one function that keeps to IEEE needs them. */
static bool
only_fast_math (const struct spirv_call_graph *graph)
{
  for (uint32_t i = 0; i < graph->n_functions; i++)
    if (!graph->functions[i]->fast_math)
      return false;
  return true;
}

static uint64_t
atomic_feature (const struct xir_instruction *instruction)
{
  bool is_shared = xir_operand (instruction, 0)->is_lvalue;
  if (!xir_type_is_float (instruction->value.type))
    return 0;
  switch (instruction->op)
    {
    case XIR_OP_ATOMIC_ADD:
      return BIT (is_shared ? SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_ADD : SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_ADD);
    case XIR_OP_ATOMIC_MIN:
    case XIR_OP_ATOMIC_MAX:
      return BIT (is_shared ? SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_MIN_MAX : SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_MIN_MAX);
    default:
      return BIT (is_shared ? SPIRV_FEATURE_SHARED_FLOAT32_ATOMICS : SPIRV_FEATURE_BUFFER_FLOAT32_ATOMICS);
    }
}

static uint64_t
subgroup_feature (enum xir_op op)
{
  switch (op)
    {
    case XIR_OP_SUBGROUP_IS_FIRST:
      return BIT (SPIRV_FEATURE_SUBGROUP_BASIC);
    case XIR_OP_SUBGROUP_ALL_EQUAL:
    case XIR_OP_SUBGROUP_ALL:
    case XIR_OP_SUBGROUP_ANY:
      return BIT (SPIRV_FEATURE_SUBGROUP_BASIC) | BIT (SPIRV_FEATURE_SUBGROUP_VOTE);
    case XIR_OP_SUBGROUP_COUNT:
    case XIR_OP_SUBGROUP_BALLOT:
    case XIR_OP_SUBGROUP_PREFIX_COUNT:
    case XIR_OP_SUBGROUP_READ_FIRST:
      return BIT (SPIRV_FEATURE_SUBGROUP_BASIC) | BIT (SPIRV_FEATURE_SUBGROUP_BALLOT);
    case XIR_OP_SUBGROUP_READ:
      return BIT (SPIRV_FEATURE_SUBGROUP_BASIC) | BIT (SPIRV_FEATURE_SUBGROUP_SHUFFLE);
    default:
      return BIT (SPIRV_FEATURE_SUBGROUP_BASIC) | BIT (SPIRV_FEATURE_SUBGROUP_ARITHMETIC);
    }
}

static void
scan_instructions (const struct spirv_call_graph *graph, struct spirv_features *features)
{
  for (uint32_t f = 0; f < graph->n_functions; f++)
    for (uint32_t b = 0; b < graph->closures[f].n_blocks; b++)
      {
        if (!graph->closures[f].blocks[b].reachable)
          continue;
        gb_list_for_each (instruction, &graph->closures[f].blocks[b].block->instructions, struct xir_instruction, link)
          {
            if (instruction->op == XIR_OP_TEXTURE_SIZE)
              features->uses_image_queries = true;
            else if (instruction->op == XIR_OP_TEXTURE_WRITE)
              features->required |= BIT (SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT);
            else if (instruction->op == XIR_OP_TEXTURE_READ
                     && !xir_value_argument (xir_operand (instruction, 0))->is_const)
              features->required |= BIT (SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT);
            else if (xir_op_is_atomic (instruction->op))
              features->required |= atomic_feature (instruction);
            else if (xir_op_is_subgroup (instruction->op))
              features->required |= subgroup_feature (instruction->op);
          }
      }
}

/* Values of the subgroup that any function reads. */
static bool
reads_subgroup_values (const struct spirv_call_graph *graph, const struct spirv_usage_plan *usage)
{
  const uint32_t values = UINT32_C (1) << XIR_SPECIAL_SUBGROUP_LANE | UINT32_C (1) << XIR_SPECIAL_SUBGROUP_SIZE;
  for (uint32_t i = 0; i < graph->n_functions; i++)
    if ((usage->functions[i].specials & values) != 0)
      return true;
  return false;
}

bool
spirv_plan_features (const struct xir_function *kernel, const struct spirv_call_graph *graph,
                     const struct spirv_usage_plan *usage, const struct spirv_binding_plan *binding,
                     const struct spirv_target *target, struct spirv_features *features)
{
  *features = (struct spirv_features) { 0 };
  scan_instructions (graph, features);
  if (reads_subgroup_values (graph, usage))
    features->required |= BIT (SPIRV_FEATURE_SUBGROUP_BASIC);
  if (only_fast_math (graph))
    return true;
  features->preserves_specials = (target->features & BIT (SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32)) != 0;
  features->rounds_to_even = (target->features & BIT (SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32)) != 0;
  if (features->preserves_specials)
    features->required |= BIT (SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32);
  if (features->rounds_to_even)
    features->required |= BIT (SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32);
  return true;
}

uint64_t
spirv_features_of_emitter (void)
{
  uint64_t features = 0;
  for (unsigned feature = 0; feature < SPIRV_N_FEATURES; feature++)
    if (table[feature].capability == 0)
      features |= BIT (feature);
  return features;
}

uint64_t
spirv_features_of_capability (uint32_t capability)
{
  uint64_t features = 0;
  for (unsigned feature = 0; feature < SPIRV_N_FEATURES; feature++)
    if (table[feature].capability != 0 && (uint32_t) table[feature].capability == capability)
      features |= BIT (feature);
  return features;
}

uint64_t
spirv_features_of_module (const uint32_t *words, gsize n_words)
{
  uint64_t features = 0;
  for (gsize at = 5; at < n_words;)
    {
      uint32_t count = words[at] >> SpvWordCountShift;
      if (count < 2 || count > n_words - at || (words[at] & SpvOpCodeMask) != SpvOpCapability)
        break;
      features |= spirv_features_of_capability (words[at + 1]);
      at += count;
    }
  return features;
}

bool
spirv_features_check (uint64_t required, const struct spirv_target *target, GError **error)
{
  for (unsigned feature = 0; feature < SPIRV_N_FEATURES; feature++)
    if ((required & ~target->features & BIT (feature)) != 0)
      {
        g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TARGET, _("the kernel needs %s, which the device does not have"),
                     table[feature].name);
        return false;
      }
  return true;
}
