/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A module with one of everything, for tests that print, break or copy it. */

#pragma once

#include "codegen/xir/builder.h"

struct sample
{
  struct xir_context *context;
  struct xir_module *module;
  const struct xir_type *bool_type, *int_type, *uint_type, *float_type, *float4_type, *record_type, *array_type;
  struct xir_function *kernel, *scale, *sum;
  struct xir_argument *source, *target, *picture, *record;       /* of the kernel */
  struct xir_block *entry, *then_block, *else_block, *if_merge;
  struct xir_block *prepare, *body, *update, *loop_merge;
  struct xir_block *case_one, *case_two, *case_default, *switch_merge;
  struct xir_instruction *variable, *elements, *place, *load, *store, *condition;
  struct xir_instruction *branch_if, *loop, *switch_, *phi, *counter, *call, *reference_call;
  struct xir_instruction *read, *write, *texel, *texel_write, *shuffle, *extract, *insert, *aggregate, *select, *cast;
};

void sample_init  (struct sample *sample);
void sample_clear (struct sample *sample);

static inline struct xir_instruction *
sample_instruction (struct xir_value *value)
{
  return xir_value_instruction (value);
}
