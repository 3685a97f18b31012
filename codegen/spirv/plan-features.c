/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-features.h"

#include <glib/gi18n-lib.h>

/* Features with a capability are owned by it, or by an execution mode for one width; what has none is the emitter's. */
static const struct
{
  const char *name;
  struct spirv_feature_need need;
} table[SPIRV_N_FEATURES] = {
#define PLAIN(feature, name, capability) [SPIRV_FEATURE_##feature] = { name, { SpvCapability##capability, 0, 0, NULL } }
#define EXTENDED(feature, name, capability, extension) \
  [SPIRV_FEATURE_##feature] = { name, { SpvCapability##capability, 0, 0, extension } }
#define OWN(feature, name) [SPIRV_FEATURE_##feature] = { name, { 0, 0, 0, NULL } }
#define MODE(feature, name, mode, width) \
  [SPIRV_FEATURE_##feature] = { name, { SpvCapability##mode, SpvExecutionMode##mode, width, NULL } }
  PLAIN (STORAGE_IMAGE_READ_WITHOUT_FORMAT, "shaderStorageImageReadWithoutFormat", StorageImageReadWithoutFormat),
  PLAIN (STORAGE_IMAGE_WRITE_WITHOUT_FORMAT, "shaderStorageImageWriteWithoutFormat", StorageImageWriteWithoutFormat),
  MODE (SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32, "shaderSignedZeroInfNanPreserveFloat32", SignedZeroInfNanPreserve, 32),
  MODE (ROUNDING_MODE_RTE_FLOAT32, "shaderRoundingModeRTEFloat32", RoundingModeRTE, 32),
  PLAIN (SUBGROUP_BASIC, "subgroupBasic", GroupNonUniform),
  PLAIN (SUBGROUP_VOTE, "subgroupVote", GroupNonUniformVote),
  PLAIN (SUBGROUP_ARITHMETIC, "subgroupArithmetic", GroupNonUniformArithmetic),
  PLAIN (SUBGROUP_BALLOT, "subgroupBallot", GroupNonUniformBallot),
  PLAIN (SUBGROUP_SHUFFLE, "subgroupShuffle", GroupNonUniformShuffle),
  OWN (BUFFER_FLOAT32_ATOMICS, "shaderBufferFloat32Atomics"),
  EXTENDED (BUFFER_FLOAT32_ATOMIC_ADD, "shaderBufferFloat32AtomicAdd", AtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add"),
  EXTENDED (BUFFER_FLOAT32_ATOMIC_MIN_MAX, "shaderBufferFloat32AtomicMinMax", AtomicFloat32MinMaxEXT,
            "SPV_EXT_shader_atomic_float_min_max"),
  OWN (SHARED_FLOAT32_ATOMICS, "shaderSharedFloat32Atomics"),
  EXTENDED (SHARED_FLOAT32_ATOMIC_ADD, "shaderSharedFloat32AtomicAdd", AtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add"),
  EXTENDED (SHARED_FLOAT32_ATOMIC_MIN_MAX, "shaderSharedFloat32AtomicMinMax", AtomicFloat32MinMaxEXT,
            "SPV_EXT_shader_atomic_float_min_max"),
  PLAIN (INT8, "shaderInt8", Int8),
  PLAIN (INT16, "shaderInt16", Int16),
  PLAIN (INT64, "shaderInt64", Int64),
  PLAIN (FLOAT16, "shaderFloat16", Float16),
  PLAIN (FLOAT64, "shaderFloat64", Float64),
  PLAIN (STORAGE_BUFFER_8, "storageBuffer8BitAccess", StorageBuffer8BitAccess),
  PLAIN (STORAGE_BUFFER_16, "storageBuffer16BitAccess", StorageBuffer16BitAccess),
  MODE (SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16, "shaderSignedZeroInfNanPreserveFloat16", SignedZeroInfNanPreserve, 16),
  MODE (SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64, "shaderSignedZeroInfNanPreserveFloat64", SignedZeroInfNanPreserve, 64),
  MODE (ROUNDING_MODE_RTE_FLOAT16, "shaderRoundingModeRTEFloat16", RoundingModeRTE, 16),
  MODE (ROUNDING_MODE_RTE_FLOAT64, "shaderRoundingModeRTEFloat64", RoundingModeRTE, 64),
  PLAIN (BUFFER_INT64_ATOMICS, "shaderBufferInt64Atomics", Int64Atomics),
  PLAIN (SHARED_INT64_ATOMICS, "shaderSharedInt64Atomics", Int64Atomics),
  OWN (SUBGROUP_EXTENDED_TYPES, "shaderSubgroupExtendedTypes"),
  EXTENDED (DEVICE_CLOCK, "shaderDeviceClock", ShaderClockKHR, "SPV_KHR_shader_clock")
#undef PLAIN
#undef EXTENDED
#undef OWN
#undef MODE
};

#define BIT(feature) (UINT64_C (1) << (feature))

const char *
spirv_feature_name (enum spirv_feature feature)
{
  return (unsigned) feature < SPIRV_N_FEATURES ? table[feature].name : NULL;
}

struct spirv_feature_need
spirv_feature_need (enum spirv_feature feature)
{
  return table[feature].need;
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
  if (xir_type_is_integer (instruction->value.type))
    return xir_type_bits (instruction->value.type) == 64
           ? BIT (is_shared ? SPIRV_FEATURE_SHARED_INT64_ATOMICS : SPIRV_FEATURE_BUFFER_INT64_ATOMICS) : 0;
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

/* Values of other widths than 32 bits, but double, need more than their arithmetic. */
static uint64_t
subgroup_width_feature (const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->n_operands > 0 ? xir_type_scalar_of (xir_operand (instruction, 0)->type) : NULL;
  if (type == NULL || type->kind == XIR_TYPE_BOOL || type->kind == XIR_TYPE_FLOAT64 || xir_type_bits (type) == 32)
    return 0;
  return BIT (SPIRV_FEATURE_SUBGROUP_EXTENDED_TYPES);
}

static void
scan_op (const struct xir_instruction *instruction, struct spirv_features *features)
{
  if (instruction->op == XIR_OP_TEXTURE_SIZE)
    features->uses_image_queries = true;
  else if (instruction->op == XIR_OP_TEXTURE_WRITE)
    features->required |= BIT (SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT);
  else if (instruction->op == XIR_OP_TEXTURE_READ && !xir_value_argument (xir_operand (instruction, 0))->is_const)
    features->required |= BIT (SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT);
  else if (xir_op_is_atomic (instruction->op))
    features->required |= atomic_feature (instruction);
  else if (xir_op_is_subgroup (instruction->op))
    features->required |= subgroup_feature (instruction->op) | subgroup_width_feature (instruction);
  else if (instruction->op == XIR_OP_CLOCK)
    features->required |= BIT (SPIRV_FEATURE_DEVICE_CLOCK);
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

static bool
is_narrow (const struct xir_type *type)
{
  return xir_type_lanes (type) != 0 && xir_type_scalar_of (type)->size < 4 && !xir_type_is_bool (type);
}

/* What holding a value of the type needs, be it in a register, a variable or a part of one. */
static uint64_t
type_features (const struct xir_type *type)
{
  static const struct { enum xir_type_kind kind; enum spirv_feature feature; } needs[] = {
    { XIR_TYPE_INT8, SPIRV_FEATURE_INT8 }, { XIR_TYPE_UINT8, SPIRV_FEATURE_INT8 },
    { XIR_TYPE_INT16, SPIRV_FEATURE_INT16 }, { XIR_TYPE_UINT16, SPIRV_FEATURE_INT16 },
    { XIR_TYPE_INT64, SPIRV_FEATURE_INT64 }, { XIR_TYPE_UINT64, SPIRV_FEATURE_INT64 },
    { XIR_TYPE_FLOAT16, SPIRV_FEATURE_FLOAT16 }, { XIR_TYPE_FLOAT64, SPIRV_FEATURE_FLOAT64 },
    { XIR_TYPE_BFLOAT16, SPIRV_FEATURE_INT16 }, { XIR_TYPE_FLOAT8_E4M3, SPIRV_FEATURE_INT8 },
    { XIR_TYPE_FLOAT8_E5M2, SPIRV_FEATURE_INT8 }
  };
  uint64_t features = 0;
  if (type == NULL || xir_type_is_resource (type))
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (needs); i++)
    if (xir_type_contains (type, needs[i].kind))
      features |= BIT (needs[i].feature);
  return features;
}

/* A narrow value that is only loaded, converted to 32 bits or more, converted from these, or
 * stored needs no more than that memory may have it. A constant does not come out of memory. */
static bool
only_passes (const struct xir_instruction *instruction, const struct xir_value *value, bool rounds_to_half)
{
  const struct xir_type *from, *to = instruction->value.type, *type = value->type;
  if (!is_narrow (type) || value->kind == XIR_VALUE_CONSTANT || value->kind == XIR_VALUE_UNDEFINED)
    return false;
  switch (instruction->op)
    {
    case XIR_OP_BUFFER_READ:
    case XIR_OP_BUFFER_WRITE:
      return true;
    case XIR_OP_CAST:
      from = xir_operand (instruction, 0)->type;
      if (is_narrow (from) && is_narrow (to))
        return false;
      return type == from || (!xir_type_is_bool (from) && (xir_type_scalar_of (to)->kind != XIR_TYPE_FLOAT16 || rounds_to_half));
    default:
      return false;
    }
}

static void
scan_value (const struct xir_instruction *instruction, const struct xir_value *value, bool rounds_to_half, struct spirv_features *features)
{
  if (value->type != NULL && only_passes (instruction, value, rounds_to_half))
    features->passing |= type_features (value->type);
  else
    features->required |= type_features (value->type);
}

static void
scan_instruction (const struct xir_instruction *instruction, bool rounds_to_half, struct spirv_features *features)
{
  scan_op (instruction, features);
  scan_value (instruction, &instruction->value, rounds_to_half, features);
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    scan_value (instruction, xir_operand (instruction, i), rounds_to_half, features);
}

static void
scan (const struct spirv_call_graph *graph, bool rounds_to_half, struct spirv_features *features)
{
  for (uint32_t f = 0; f < graph->n_functions; f++)
    for (uint32_t b = 0; b < graph->closures[f].n_blocks; b++)
      if (graph->closures[f].blocks[b].reachable)
        gb_list_for_each (instruction, &graph->closures[f].blocks[b].block->instructions, struct xir_instruction, link)
          scan_instruction (instruction, rounds_to_half, features);
}

/* Floats of any width that a buffer or an instruction has: their modes are then asked for. */
static bool
uses_kind (const struct xir_function *kernel, const struct spirv_call_graph *graph, enum xir_type_kind kind)
{
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    if (xir_type_contains (kernel->arguments[i]->value.type, kind))
      return true;
  for (uint32_t f = 0; f < graph->n_functions; f++)
    for (uint32_t b = 0; b < graph->closures[f].n_blocks; b++)
      if (graph->closures[f].blocks[b].reachable)
        gb_list_for_each (instruction, &graph->closures[f].blocks[b].block->instructions, struct xir_instruction, link)
          if (instruction->value.type != NULL && xir_type_contains (instruction->value.type, kind))
            return true;
  return false;
}

/* Values, and bound buffers whose elements have narrow or wide parts, be these read or not: the block has their types. */
static void
scan_arguments (const struct xir_function *kernel, const struct spirv_binding_plan *binding, struct spirv_features *features)
{
  const uint64_t wide = BIT (SPIRV_FEATURE_INT64) | BIT (SPIRV_FEATURE_FLOAT64);
  static const enum xir_type_kind kinds[2][5] = {
    { XIR_TYPE_INT8, XIR_TYPE_UINT8, XIR_TYPE_FLOAT8_E4M3, XIR_TYPE_FLOAT8_E5M2, XIR_TYPE_INT8 },
    { XIR_TYPE_INT16, XIR_TYPE_UINT16, XIR_TYPE_FLOAT16, XIR_TYPE_BFLOAT16, XIR_TYPE_INT16 }
  };
  for (uint32_t i = 0; i < binding->n_arguments; i++)
    {
      const struct xir_type *type = kernel->arguments[i]->value.type;
      features->required |= type_features (type) & wide;
      if (binding->arguments[i].binding == G_MAXUINT32 || type->kind != XIR_TYPE_BUFFER)
        continue;
      features->required |= type_features (type->element) & wide;
      for (unsigned row = 0; row < 2; row++)
        for (unsigned k = 0; k < G_N_ELEMENTS (kinds[row]); k++)
          if (xir_type_contains (type, kinds[row][k]))
            features->required |= BIT (row == 0 ? SPIRV_FEATURE_STORAGE_BUFFER_8 : SPIRV_FEATURE_STORAGE_BUFFER_16);
    }
}

/* Modes of the widths that are there, as far as the target has them. */
static void
plan_modes (const struct xir_function *kernel, const struct spirv_call_graph *graph, const struct spirv_target *target,
            struct spirv_features *features)
{
  static const struct { enum xir_type_kind kind; enum spirv_feature features[2]; } widths[] = {
    { XIR_TYPE_FLOAT32,
      { SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32 } },
    { XIR_TYPE_FLOAT16,
      { SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT16 } },
    { XIR_TYPE_FLOAT64,
      { SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT64 } }
  };
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    if (widths[i].kind == XIR_TYPE_FLOAT32 || uses_kind (kernel, graph, widths[i].kind))
      for (unsigned k = 0; k < 2; k++)
        features->required |= target->features & BIT (widths[i].features[k]);
}

bool
spirv_plan_features (const struct xir_function *kernel, const struct spirv_call_graph *graph,
                     const struct spirv_usage_plan *usage, const struct spirv_binding_plan *binding,
                     const struct spirv_target *target, struct spirv_features *features)
{
  *features = (struct spirv_features) { 0 };
  if (!only_fast_math (graph))
    plan_modes (kernel, graph, target, features);
  scan (graph, (features->required & BIT (SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT16)) != 0, features);
  if (reads_subgroup_values (graph, usage))
    features->required |= BIT (SPIRV_FEATURE_SUBGROUP_BASIC);
  scan_arguments (kernel, binding, features);
  /* What passes needs a buffer of its width to come from or go to. */
  if ((features->required & BIT (SPIRV_FEATURE_STORAGE_BUFFER_8)) == 0)
    features->required |= features->passing & BIT (SPIRV_FEATURE_INT8);
  if ((features->required & BIT (SPIRV_FEATURE_STORAGE_BUFFER_16)) == 0)
    features->required |= features->passing & (BIT (SPIRV_FEATURE_INT16) | BIT (SPIRV_FEATURE_FLOAT16));
  return true;
}

uint64_t
spirv_features_of_emitter (void)
{
  uint64_t features = 0;
  for (unsigned feature = 0; feature < SPIRV_N_FEATURES; feature++)
    if (table[feature].need.capability == 0)
      features |= BIT (feature);
  return features;
}

uint64_t
spirv_features_of_capability (uint32_t capability)
{
  uint64_t features = 0;
  for (unsigned feature = 0; feature < SPIRV_N_FEATURES; feature++)
    if (table[feature].need.capability != 0 && table[feature].need.capability == capability)
      features |= BIT (feature);
  return features;
}

uint64_t
spirv_features_of_module (const uint32_t *words, gsize n_words)
{
  uint64_t features = 0;
  for (gsize at = 5; at < n_words;)
    {
      uint32_t count = words[at] >> SpvWordCountShift, op = words[at] & SpvOpCodeMask;
      if (count < 2 || count > n_words - at || op == SpvOpFunction)
        break;
      for (unsigned feature = 0; feature < SPIRV_N_FEATURES; feature++)
        {
          const struct spirv_feature_need *need = &table[feature].need;
          if (need->width == 0 ? op == SpvOpCapability && need->capability != 0 && need->capability == words[at + 1]
              : op == SpvOpExecutionMode && count == 4 && need->mode == words[at + 2] && need->width == words[at + 3])
            features |= BIT (feature);
        }
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
