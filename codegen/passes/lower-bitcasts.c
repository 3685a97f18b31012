/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bitcasts that change the number of lanes, by shifts of integers: for who keeps lanes apart, as
 * the interpreter does. The first lanes are the lowest bits. */

#include "config.h"

#include "codegen/passes/passes.h"

#include "codegen/xir/builder.h"

static enum xir_type_kind
integer_of (uint64_t size)
{
  return size == 1 ? XIR_TYPE_UINT8 : size == 2 ? XIR_TYPE_UINT16 : size == 4 ? XIR_TYPE_UINT32 : XIR_TYPE_UINT64;
}

/* A scalar as another of its size. */
static struct xir_value *
same_bits (struct xir_builder *builder,
           const struct xir_type *type,
           struct xir_value *value)
{
  return value->type == type ? value : xir_build_bitcast (builder, type, value);
}

static struct xir_value *
lane (struct xir_builder *builder,
      struct xir_value *value,
      uint32_t index)
{
  struct xir_value *at = xir_constant_uint (builder->module, index);

  return xir_type_is_vector (value->type) ? xir_build_extract (builder, value, &at, 1) : value;
}

static struct xir_value *
lower (struct xir_builder *builder,
       struct xir_value *from,
       const struct xir_type *type)
{
  struct xir_context *context = builder->module->context;
  const struct xir_type *small = xir_type_scalar_of (from->type), *large = xir_type_scalar_of (type), *bits, *parts_type;
  uint32_t n = xir_type_lanes (type), ratio;
  bool joins = small->size < large->size;
  struct xir_value *lanes[4], *bit_count;

  ratio = (uint32_t) (joins ? large->size / small->size : small->size / large->size);
  bits = xir_type_scalar (context, integer_of (MAX (small->size, large->size)));
  parts_type = xir_type_scalar (context, integer_of (MIN (small->size, large->size)));
  for (uint32_t i = 0; i < n; i++)
    {
      struct xir_value *sum = NULL;

      for (uint32_t k = 0; k < (joins ? ratio : 1); k++)
        {
          uint32_t part = joins ? k : i % ratio;
          struct xir_value *value = lane (builder, from, joins ? i * ratio + k : i / ratio);

          bit_count = xir_constant_uint (builder->module, part * (uint32_t) parts_type->size * 8);
          value = same_bits (builder, joins ? parts_type : bits, value);
          if (joins)
            value = xir_build_cast (builder, bits, value);
          value = xir_build_binary (builder, joins ? XIR_OP_SHIFT_LEFT : XIR_OP_SHIFT_RIGHT, value, bit_count);
          sum = sum == NULL ? value : xir_build_binary (builder, XIR_OP_OR, sum, value);
        }
      if (!joins)
        sum = xir_build_cast (builder, parts_type, sum);
      lanes[i] = same_bits (builder, large, sum);
    }
  return n == 1 ? lanes[0] : xir_build_aggregate (builder, type, lanes, n);
}

bool
xir_pass_lower_bitcasts (struct xir_module *module,
                         const struct xir_pass_options *options,
                         GError **error)
{
  bool changed = false;

  gb_list_for_each (function, &module->functions, struct xir_function, link)
    gb_list_for_each (block, &function->blocks, struct xir_block, link)
      gb_list_for_each_safe (instruction, &block->instructions, struct xir_instruction, link)
        {
          struct xir_builder builder;

          if (instruction->op != XIR_OP_BITCAST
              || xir_type_lanes (xir_operand (instruction, 0)->type) == xir_type_lanes (instruction->value.type))
            continue;
          xir_builder_init (&builder, function);
          xir_builder_before (&builder, instruction);
          builder.location = instruction->location;
          xir_value_replace (&instruction->value, lower (&builder, xir_operand (instruction, 0), instruction->value.type));
          xir_instruction_remove (instruction);
          changed = true;
        }
  return changed;
}
