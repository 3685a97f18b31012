/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Word counts of the instructions whose length depends on the program. An
 * instruction counts its words in 16 bits, so each has a largest size. */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum spirv_sized
{
  SPIRV_SIZED_PHI,                   /* count: predecessors */
  SPIRV_SIZED_SWITCH,                /* cases of a 32-bit selector */
  SPIRV_SIZED_SWITCH_64,             /* cases of a 64-bit selector */
  SPIRV_SIZED_TYPE_STRUCT,           /* members */
  SPIRV_SIZED_TYPE_FUNCTION,         /* parameters */
  SPIRV_SIZED_CONSTANT_COMPOSITE,    /* parts */
  SPIRV_SIZED_COMPOSITE_CONSTRUCT,   /* parts */
  SPIRV_SIZED_COMPOSITE_EXTRACT,     /* indices */
  SPIRV_SIZED_COMPOSITE_INSERT,      /* indices */
  SPIRV_SIZED_ACCESS_CHAIN,          /* indices */
  SPIRV_SIZED_FUNCTION_CALL,         /* arguments */
  SPIRV_SIZED_NAME,                  /* bytes of the text */
  SPIRV_SIZED_ENTRY_POINT,           /* interface variables, entry point "main" */
  SPIRV_N_SIZED
};

/* `*words` is set when the instruction fits; otherwise false and `*words` stays. */
bool spirv_plan_size (enum spirv_sized what, uint64_t count, uint32_t *words);
/* The largest count that fits. */
uint64_t spirv_plan_size_limit (enum spirv_sized what);
/* "OpPhi", for messages. */
const char *spirv_plan_size_name (enum spirv_sized what);
