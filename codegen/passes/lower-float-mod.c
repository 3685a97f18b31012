/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The float remainder, exact: calls of a function that works on the mantissas as
 * integers. SPIR-V's OpFRem may be off by whole divisors.
 *
 * With effective exponents ex, ey (at least 1, as denormals have) and mantissas
 * mx, my below 2^24, the remainder is (mx 2^(ex - ey)) mod my, in units of y's last
 * place. Eight bits of the difference go a turn: a remainder below 2^24 still has
 * room for them in 32 bits. Of double it is 2^53, eleven bits and 64. */

#include "config.h"

#include "codegen/passes/passes.h"

#include "codegen/xir/builder.h"


/* The builder and the constants that the function needs again and again. */
struct maker
{
  struct xir_builder builder;
  const struct xir_type *uint_type;
  const struct xir_type *float_type;
  uint32_t mantissa_bits;        /* 23 or 52 */
  uint32_t spare_bits;           /* above the mantissa and its implicit bit: 8 or 11 */
};

static struct xir_value *
literal (struct maker *maker,
         uint64_t value)
{
  uint32_t word = (uint32_t) value;

  return xir_constant_get (maker->builder.module, maker->uint_type,
                           maker->uint_type->size == sizeof value ? (const void *) &value : &word);
}

static uint64_t
implicit_bit (const struct maker *maker)
{
  return UINT64_C (1) << maker->mantissa_bits;
}

/* Of the magnitude. */
static uint64_t
infinity_bits (const struct maker *maker)
{
  uint32_t exponent_bits = xir_type_bits (maker->float_type) - 1 - maker->mantissa_bits;

  return ((UINT64_C (1) << exponent_bits) - 1) << maker->mantissa_bits;
}

static struct xir_value *
binary (struct maker *maker,
        enum xir_op op,
        struct xir_value *a,
        struct xir_value *b)
{
  return xir_build_binary (&maker->builder, op, a, b);
}

/* The magnitude's bits taken apart. A denormal has no implicit bit. */
static void
take_apart (struct maker *maker,
            struct xir_value *magnitude,
            struct xir_value **exponent,
            struct xir_value **mantissa)
{
  struct xir_value *raw = binary (maker, XIR_OP_SHIFT_RIGHT, magnitude, literal (maker, maker->mantissa_bits));
  struct xir_value *fraction = binary (maker, XIR_OP_AND, magnitude, literal (maker, implicit_bit (maker) - 1));
  struct xir_value *is_denormal = binary (maker, XIR_OP_EQUAL, raw, literal (maker, 0));
  struct xir_value *implicit = xir_build_ternary (&maker->builder, XIR_OP_SELECT, literal (maker, implicit_bit (maker)),
                                                  literal (maker, 0), is_denormal);

  *exponent = binary (maker, XIR_OP_MAX, raw, literal (maker, 1));
  *mantissa = binary (maker, XIR_OP_OR, fraction, implicit);
}

/* rest = (rest << difference) mod divisor, some bits a turn. Leaves the finger in
 * the loop's merge. */
static struct xir_value *
reduce (struct maker *maker,
        struct xir_value *rest,
        struct xir_value *difference,
        struct xir_value *divisor)
{
  struct xir_builder *builder = &maker->builder;
  struct xir_block *before = builder->block;
  struct xir_block *prepare = xir_block_new (builder->function), *body = xir_block_new (builder->function);
  struct xir_block *update = xir_block_new (builder->function), *merge = xir_block_new (builder->function);
  struct xir_value *rest_phi, *left_phi, *step, *next, *left;

  xir_build_loop (builder, prepare, body, update, merge);
  xir_builder_at_end (builder, prepare);
  rest_phi = xir_build_phi (builder, maker->uint_type);
  left_phi = xir_build_phi (builder, maker->uint_type);
  xir_build_conditional_branch (builder, binary (maker, XIR_OP_GREATER, left_phi, literal (maker, 0)), body, merge);

  xir_builder_at_end (builder, body);
  step = binary (maker, XIR_OP_MIN, left_phi, literal (maker, maker->spare_bits));
  next = binary (maker, XIR_OP_MOD, binary (maker, XIR_OP_SHIFT_LEFT, rest_phi, step), divisor);
  left = binary (maker, XIR_OP_SUB, left_phi, step);
  xir_build_branch (builder, update);

  xir_builder_at_end (builder, update);
  xir_build_branch (builder, prepare);
  xir_phi_add (rest_phi, rest, before);
  xir_phi_add (rest_phi, next, update);
  xir_phi_add (left_phi, difference, before);
  xir_phi_add (left_phi, left, update);

  xir_builder_at_end (builder, merge);
  return rest_phi;
}

/* A float's magnitude from a mantissa with its implicit bit in units of 2^exponent. Without
 * the implicit bit the exponent ends at 1, and the sum is the denormal's bits. */
static struct xir_value *
put_together (struct maker *maker,
              struct xir_value *mantissa,
              struct xir_value *exponent)
{
  struct xir_value *zeros = xir_build_unary (&maker->builder, XIR_OP_CLZ, mantissa);
  struct xir_value *wanted = binary (maker, XIR_OP_SUB, zeros, literal (maker, maker->spare_bits));
  struct xir_value *room = binary (maker, XIR_OP_SUB, exponent, literal (maker, 1));
  struct xir_value *shift = binary (maker, XIR_OP_MIN, wanted, room);
  struct xir_value *shifted = binary (maker, XIR_OP_SHIFT_LEFT, mantissa, shift);
  struct xir_value *lowered = binary (maker, XIR_OP_SUB, exponent, shift);
  struct xir_value *head = binary (maker, XIR_OP_SHIFT_LEFT, lowered, literal (maker, maker->mantissa_bits));
  struct xir_value *sum = binary (maker, XIR_OP_SUB, binary (maker, XIR_OP_ADD, head, shifted),
                                  literal (maker, implicit_bit (maker)));
  struct xir_value *is_zero = binary (maker, XIR_OP_EQUAL, mantissa, literal (maker, 0));

  return xir_build_ternary (&maker->builder, XIR_OP_SELECT, sum, literal (maker, 0), is_zero);
}

static void
make_body (struct maker *maker,
           struct xir_value *x,
           struct xir_value *y)
{
  struct xir_builder *builder = &maker->builder;
  const uint64_t sign_bit = UINT64_C (1) << (xir_type_bits (maker->float_type) - 1);
  struct xir_value *x_bits = xir_build_bitcast (builder, maker->uint_type, x);
  struct xir_value *y_bits = xir_build_bitcast (builder, maker->uint_type, y);
  struct xir_value *sign = binary (maker, XIR_OP_AND, x_bits, literal (maker, sign_bit));
  struct xir_value *ax = binary (maker, XIR_OP_AND, x_bits, literal (maker, sign_bit - 1));
  struct xir_value *ay = binary (maker, XIR_OP_AND, y_bits, literal (maker, sign_bit - 1));
  struct xir_value *x_bad, *y_bad, *y_zero, *bad, *ex, *mx, *ey, *my, *small, *difference, *rest, *result;

  /* No remainder: x infinite or NaN, y zero or NaN. */
  x_bad = binary (maker, XIR_OP_GREATER_EQUAL, ax, literal (maker, infinity_bits (maker)));
  y_bad = binary (maker, XIR_OP_GREATER, ay, literal (maker, infinity_bits (maker)));
  y_zero = binary (maker, XIR_OP_EQUAL, ay, literal (maker, 0));
  bad = binary (maker, XIR_OP_OR, x_bad, binary (maker, XIR_OP_OR, y_bad, y_zero));

  take_apart (maker, ax, &ex, &mx);
  take_apart (maker, ay, &ey, &my);
  my = binary (maker, XIR_OP_MAX, my, literal (maker, 1));
  /* A smaller exponent makes x smaller than y; an infinite y has the largest. */
  small = binary (maker, XIR_OP_LESS, ex, ey);
  difference = xir_build_ternary (builder, XIR_OP_SELECT, binary (maker, XIR_OP_SUB, ex, ey), literal (maker, 0),
                                  binary (maker, XIR_OP_OR, small, bad));
  rest = reduce (maker, binary (maker, XIR_OP_MOD, mx, my), difference, my);
  result = put_together (maker, rest, ey);
  result = xir_build_ternary (builder, XIR_OP_SELECT, result, ax, small);
  result = binary (maker, XIR_OP_OR, result, sign);
  result = xir_build_ternary (builder, XIR_OP_SELECT, result, literal (maker, infinity_bits (maker) | implicit_bit (maker) >> 1), bad);
  xir_build_return (builder, xir_build_bitcast (builder, maker->float_type, result));
}

static struct xir_function *
make_helper (struct xir_module *module,
             bool is_double)
{
  struct maker maker = {
    .uint_type = xir_type_scalar (module->context, is_double ? XIR_TYPE_UINT64 : XIR_TYPE_UINT32),
    .float_type = xir_type_scalar (module->context, is_double ? XIR_TYPE_FLOAT64 : XIR_TYPE_FLOAT32),
    .mantissa_bits = is_double ? 52 : 23,
    .spare_bits = is_double ? 11 : 8
  };
  const char *name = is_double ? "gabbro.fmod.double" : "gabbro.fmod";
  struct xir_function *function = xir_module_find_function (module, name);
  struct xir_argument *x, *y;

  if (function != NULL)
    return function;
  function = xir_function_new (module, XIR_FUNCTION_CALLABLE, name, maker.float_type);
  function->is_helper = true;
  /* No division by zero and no shift by the width happens in it. */
  function->unchecked = true;
  x = xir_function_add_argument (function, XIR_ARGUMENT_VALUE, maker.float_type, "x");
  y = xir_function_add_argument (function, XIR_ARGUMENT_VALUE, maker.float_type, "y");
  xir_block_new (function);
  xir_builder_init (&maker.builder, function);
  make_body (&maker, &x->value, &y->value);
  return function;
}

/* A lane of a scalar or vector, as float: the remainder of two halves is the same there. */
static struct xir_value *
lane_of (struct xir_builder *builder,
         const struct xir_type *float_type,
         struct xir_value *value,
         uint32_t lane)
{
  struct xir_value *index = xir_constant_uint (builder->module, lane);

  if (xir_type_is_vector (value->type))
    value = xir_build_extract (builder, value, &index, 1);
  return value->type == float_type ? value : xir_build_cast (builder, float_type, value);
}

static void
lower (struct xir_instruction *instruction,
       struct xir_function *helper)
{
  struct xir_builder builder;
  const struct xir_type *type = instruction->value.type, *scalar = xir_type_scalar_of (type);
  struct xir_value *lanes[4] = { NULL }, *result;
  uint32_t n = xir_type_lanes (type);

  xir_builder_init (&builder, instruction->block->function);
  xir_builder_before (&builder, instruction);
  builder.location = instruction->location;
  for (uint32_t i = 0; i < n; i++)
    {
      struct xir_value *operands[] = {
        lane_of (&builder, helper->return_type, xir_operand (instruction, 0), i),
        lane_of (&builder, helper->return_type, xir_operand (instruction, 1), i)
      };

      lanes[i] = xir_build_call (&builder, helper, operands, 2);
      if (scalar != helper->return_type)
        lanes[i] = xir_build_cast (&builder, scalar, lanes[i]);
    }
  result = n == 1 ? lanes[0] : xir_build_aggregate (&builder, type, lanes, n);
  xir_value_replace (&instruction->value, result);
  xir_instruction_remove (instruction);
}

static bool
is_lowered (const struct xir_instruction *instruction)
{
  return instruction->op == XIR_OP_MOD && xir_type_is_float (instruction->value.type);
}

bool
xir_pass_lower_float_mod (struct xir_module *module,
                          const struct xir_pass_options *options,
                          GError **error)
{
  struct xir_function *helpers[2] = { NULL, NULL };

  gb_list_for_each (function, &module->functions, struct xir_function, link)
    {
      if (function->fast_math)
        continue;
      gb_list_for_each (block, &function->blocks, struct xir_block, link)
        gb_list_for_each_safe (instruction, &block->instructions, struct xir_instruction, link)
          if (is_lowered (instruction))
            {
              bool is_double = xir_type_scalar_of (instruction->value.type)->kind == XIR_TYPE_FLOAT64;

              if (helpers[is_double] == NULL)
                helpers[is_double] = make_helper (module, is_double);
              lower (instruction, helpers[is_double]);
            }
    }
  return helpers[0] != NULL || helpers[1] != NULL;
}
