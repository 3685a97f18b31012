/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SPIR-V types and constants of XIR's. A logical type is what values and local
 * memory have; a laid-out type is what storage has, with offsets and strides of
 * the host layout. The two differ for arrays, matrices and structures only. */

#pragma once

#include "codegen/spirv/writer.h"
#include "codegen/xir/xir.h"

struct spirv_types
{
  struct spirv_writer *writer;
  uint32_t *logical;             /* by xir_type.index; 0: not made yet */
  uint32_t *laid_out;
  uint32_t n;
  uint32_t kinds[XIR_N_TYPE_KINDS][5];       /* scalars and vectors by lanes */
};

void spirv_types_init  (struct spirv_types *types, struct spirv_writer *writer);
void spirv_types_clear (struct spirv_types *types);

/* NULL stands for void. Resources have no type of this kind. */
uint32_t spirv_type            (struct spirv_types *types, const struct xir_type *type);
uint32_t spirv_type_laid_out   (struct spirv_types *types, const struct xir_type *type);
/* Whether the two above differ. */
bool     spirv_type_is_laid_out_apart (const struct xir_type *type);
uint32_t spirv_type_pointer    (struct spirv_types *types, SpvStorageClass class, uint32_t pointee);
uint32_t spirv_type_kind       (struct spirv_types *types, enum xir_type_kind scalar, uint32_t lanes);
/* `sampled` 1: fetched from; 2: storage image. */
uint32_t spirv_type_image      (struct spirv_types *types, const struct xir_type *texture, uint32_t sampled);

uint32_t spirv_constant        (struct spirv_types *types, const struct xir_constant *constant);
/* The scalar whose bits are `bits`, repeated over `lanes`. */
uint32_t spirv_constant_bits   (struct spirv_types *types, enum xir_type_kind scalar, uint32_t lanes, uint64_t bits);
uint32_t spirv_constant_word   (struct spirv_types *types, uint32_t value);
/* The number rounded to the float kind. */
uint32_t spirv_constant_real   (struct spirv_types *types, enum xir_type_kind kind, uint32_t lanes, double value);
uint32_t spirv_undefined       (struct spirv_types *types, const struct xir_type *type);
