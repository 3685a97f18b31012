/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a compiled kernel was made from, and how, as a digest: two of the same identity are the same. */

#pragma once

#include "codegen/spirv/spirv.h"
#include "gpu/gabbro-private.h"
#include "lib/digest.h"

struct bundle_origin
{
  GabbroModule *module;
  const char *kernel;
  uint32_t compile_flags;
  uint32_t optimization_level;
  const struct spirv_target *target;
};

void bundle_identify (const struct bundle_origin *origin, uint8_t identity[GB_DIGEST_SIZE]);

/* The same on one machine: with the build of the library, the adapter and its driver. */
void bundle_identify_here (const uint8_t identity[GB_DIGEST_SIZE], const char *driver, const struct gabbro_adapter_info *adapter,
                           uint8_t key[GB_DIGEST_SIZE]);
