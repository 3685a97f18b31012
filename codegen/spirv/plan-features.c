/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-features.h"

#include <glib/gi18n-lib.h>

#include "codegen/spirv/writer.h"

/* All our features are owned by one capability each. */
static const struct
{
  const char *name;
  SpvCapability capability;
} table[SPIRV_N_FEATURES] = {
  [SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT] =
    { "shaderStorageImageReadWithoutFormat", SpvCapabilityStorageImageReadWithoutFormat },
  [SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT] =
    { "shaderStorageImageWriteWithoutFormat", SpvCapabilityStorageImageWriteWithoutFormat },
  [SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32] =
    { "shaderSignedZeroInfNanPreserveFloat32", SpvCapabilitySignedZeroInfNanPreserve },
  [SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32] =
    { "shaderRoundingModeRTEFloat32", SpvCapabilityRoundingModeRTE }
};

#define BIT(feature) (UINT64_C (1) << (feature))

const char *
spirv_feature_name (enum spirv_feature feature)
{
  return (unsigned) feature < SPIRV_N_FEATURES ? table[feature].name : NULL;
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

static bool
scan_images (const struct spirv_call_graph *graph, struct spirv_features *features)
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
          }
      }
  return true;
}

static bool
has_images (const struct spirv_binding_plan *binding)
{
  for (uint32_t i = 0; i < binding->n_bindings; i++)
    if (binding->bindings[i].kind == SPIRV_BINDING_SAMPLED_IMAGE || binding->bindings[i].kind == SPIRV_BINDING_STORAGE_IMAGE)
      return true;
  return false;
}

bool
spirv_plan_features (const struct xir_function *kernel, const struct spirv_call_graph *graph,
                     const struct spirv_usage_plan *usage, const struct spirv_binding_plan *binding,
                     const struct spirv_target *target, struct spirv_features *features)
{
  *features = (struct spirv_features) { 0 };
  if (has_images (binding))
    scan_images (graph, features);
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
spirv_features_of_module (const uint32_t *words, gsize n_words)
{
  uint64_t features = 0;
  for (gsize at = 5; at < n_words;)
    {
      uint32_t count = words[at] >> SpvWordCountShift;
      if (count < 2 || count > n_words - at || (words[at] & SpvOpCodeMask) != SpvOpCapability)
        break;
      for (unsigned feature = 0; feature < SPIRV_N_FEATURES; feature++)
        if ((uint32_t) table[feature].capability == words[at + 1])
          features |= BIT (feature);
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
