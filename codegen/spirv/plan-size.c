/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-size.h"

#include "codegen/spirv/writer.h"

/* Words before the list, and words each entry of it takes. */
static const struct
{
  const char *name;
  uint32_t fixed;
  uint32_t each;
} sizes[SPIRV_N_SIZED] = {
  [SPIRV_SIZED_PHI]                 = { "OpPhi",                3, 2 },
  [SPIRV_SIZED_SWITCH]              = { "OpSwitch",             3, 2 },
  [SPIRV_SIZED_SWITCH_64]           = { "OpSwitch",             3, 3 },
  [SPIRV_SIZED_TYPE_STRUCT]         = { "OpTypeStruct",         2, 1 },
  [SPIRV_SIZED_TYPE_FUNCTION]       = { "OpTypeFunction",       3, 1 },
  [SPIRV_SIZED_CONSTANT_COMPOSITE]  = { "OpConstantComposite",  3, 1 },
  [SPIRV_SIZED_COMPOSITE_CONSTRUCT] = { "OpCompositeConstruct", 3, 1 },
  [SPIRV_SIZED_COMPOSITE_EXTRACT]   = { "OpCompositeExtract",   4, 1 },
  [SPIRV_SIZED_COMPOSITE_INSERT]    = { "OpCompositeInsert",    5, 1 },
  [SPIRV_SIZED_ACCESS_CHAIN]        = { "OpAccessChain",        4, 1 },
  [SPIRV_SIZED_FUNCTION_CALL]       = { "OpFunctionCall",       4, 1 },
  [SPIRV_SIZED_NAME]                = { "OpName",               2, 0 },
  [SPIRV_SIZED_ENTRY_POINT]         = { "OpEntryPoint",         5, 1 }
};

/* A text takes a word for each four bytes, and its end is a byte too. */
static uint64_t
text_words (uint64_t bytes)
{
  return bytes / 4 + 1;
}

bool
spirv_plan_size (enum spirv_sized what, uint64_t count, uint32_t *words)
{
  if (count > spirv_plan_size_limit (what))
    return false;
  uint64_t list = what == SPIRV_SIZED_NAME ? text_words (count) : count * sizes[what].each;
  *words = (uint32_t) (sizes[what].fixed + list);
  return true;
}

uint64_t
spirv_plan_size_limit (enum spirv_sized what)
{
  uint64_t room = SPIRV_MAX_INSTRUCTION_WORDS - sizes[what].fixed;
  return what == SPIRV_SIZED_NAME ? room * 4 - 1 : room / sizes[what].each;
}

const char *
spirv_plan_size_name (enum spirv_sized what)
{
  return sizes[what].name;
}
