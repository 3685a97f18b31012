/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What each op wants of its operands and its result. */

#include "config.h"

#include "codegen/xir/verify.h"

#include "codegen/xir/builder.h"
#include "codegen/xir/verify-private.h"
#include "codegen/xir/xir-private.h"

#include <inttypes.h>

#define error(verifier, instruction, ...) \
  verify_error (verifier, (verifier)->function, instruction, __VA_ARGS__)

static const char *
text_of (const struct xir_type *type)
{
  return type != NULL ? type->text : "void";
}

static const struct xir_type *
operand_type (const struct xir_instruction *instruction,
              uint32_t index)
{
  return instruction->operands[index].value->type;
}

void
verify_type (struct verifier *verifier,
             const struct xir_instruction *instruction,
             const char *what,
             const struct xir_type *is,
             const struct xir_type *should_be)
{
  if (is != should_be)
    error (verifier, instruction, "%s is %s, not %s", what, text_of (is), text_of (should_be));
}

static int
n_blocks_wanted (const struct xir_instruction *instruction)
{
  switch (instruction->op)
    {
    case XIR_OP_IF:
      return 3;
    case XIR_OP_LOOP:
      return 4;
    case XIR_OP_CONDITIONAL_BRANCH:
      return 2;
    case XIR_OP_BRANCH:
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
      return 1;
    case XIR_OP_PHI:
      return (int) instruction->n_operands;
    default:
      return 0;
    }
}

bool
verify_blocks_fit (const struct xir_instruction *instruction)
{
  return instruction->op == XIR_OP_SWITCH
         ? instruction->n_blocks >= 2
         : instruction->n_blocks == (uint32_t) n_blocks_wanted (instruction);
}

bool
verify_counts (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  const struct xir_op_info *info = xir_op_info (instruction->op);
  bool blocks_fit;

  if ((unsigned) instruction->op >= XIR_N_OPS)
    {
      error (verifier, instruction, "there is no op %u", (unsigned) instruction->op);
      return false;
    }
  if (instruction->n_operands < (uint32_t) info->min_operands
      || (info->max_operands >= 0 && instruction->n_operands > (uint32_t) info->max_operands))
    {
      error (verifier, instruction, "%s does not take %u operands", info->mnemonic, instruction->n_operands);
      return false;
    }
  blocks_fit = verify_blocks_fit (instruction);
  if (!blocks_fit)
    error (verifier, instruction, "%s does not take %u blocks", info->mnemonic, instruction->n_blocks);
  return blocks_fit;
}

bool
verify_data (struct verifier *verifier,
             const struct xir_instruction *instruction,
             uint32_t index)
{
  const struct xir_value *value = instruction->operands[index].value;

  if (value->is_lvalue)
    error (verifier, instruction, "operand %u is an lvalue, not a value", index);
  else if (xir_type_is_resource (value->type))
    error (verifier, instruction, "operand %u is a resource, which is no value", index);
  else if (!xir_type_is_data (value->type))
    error (verifier, instruction, "operand %u has type %s, which is no data", index, text_of (value->type));
  else
    return true;
  return false;
}

static bool
verify_all_data (struct verifier *verifier,
                 const struct xir_instruction *instruction)
{
  bool good = true;

  for (uint32_t i = 0; i < instruction->n_operands; i++)
    good = verify_data (verifier, instruction, i) && good;
  return good;
}

bool
verify_indices (struct verifier *verifier,
                const struct xir_instruction *instruction,
                uint32_t first)
{
  bool good = true;

  for (uint32_t i = first; i < instruction->n_operands; i++)
    {
      const struct xir_type *type = operand_type (instruction, i);

      if (!verify_data (verifier, instruction, i))
        good = false;
      else if (!xir_type_is_scalar (type) || !xir_type_is_integer (type))
        {
          error (verifier, instruction, "index operand %u is %s, not an integer", i, type->text);
          good = false;
        }
    }
  return good;
}

static bool
rule_accepts (enum xir_operand_rule rule,
              const struct xir_type *type)
{
  switch (rule)
    {
    case XIR_OPERANDS_NUMERIC:
      return xir_type_is_numeric (type);
    case XIR_OPERANDS_INTEGER:
    case XIR_OPERANDS_SHIFT:
      return xir_type_is_integer (type);
    case XIR_OPERANDS_INTBOOL:
      return xir_type_is_integer (type) || xir_type_is_bool (type);
    case XIR_OPERANDS_FLOAT:
      return xir_type_is_float (type);
    case XIR_OPERANDS_FLOATVEC:
      return xir_type_is_float (type) && xir_type_is_vector (type);
    case XIR_OPERANDS_UNSIGNED:
      return xir_type_is_integer (type) && !xir_type_is_signed (type);
    case XIR_OPERANDS_BOOLEAN:
      return xir_type_is_bool (type);
    case XIR_OPERANDS_MATRIX:
      return type->kind == XIR_TYPE_MATRIX;
    case XIR_OPERANDS_FLAG:
      return type != NULL && type->kind == XIR_TYPE_BOOL;
    case XIR_OPERANDS_SAME:
      return xir_type_is_numeric (type) || xir_type_is_bool (type);
    case XIR_OPERANDS_ANY:
    default:
      return true;
    }
}

/* The rule of the op's row in ops.def. */
static bool
verify_rule (struct verifier *verifier,
             const struct xir_instruction *instruction)
{
  const struct xir_op_info *info = xir_op_info (instruction->op);
  bool good = true;

  if (info->operands == XIR_OPERANDS_ANY || instruction->op == XIR_OP_PHI)
    return true;
  if (!verify_all_data (verifier, instruction))
    return false;
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      const struct xir_type *type = operand_type (instruction, i), *first = operand_type (instruction, 0);
      bool is_count = info->operands == XIR_OPERANDS_SHIFT && i == 1;

      if (!rule_accepts (info->operands, type))
        {
          error (verifier, instruction, "%s does not take a %s as operand %u", info->mnemonic, text_of (type), i);
          good = false;
        }
      else if (is_count ? xir_type_lanes (type) != xir_type_lanes (first) : type != first)
        {
          error (verifier, instruction, "operand %u is %s, operand 0 is %s", i, text_of (type), text_of (first));
          good = false;
        }
    }
  return good;
}

static void
verify_conversion (struct verifier *verifier,
                   const struct xir_instruction *instruction)
{
  const struct xir_type *from, *to = instruction->value.type;
  const struct xir_type *from_scalar, *to_scalar = xir_type_scalar_of (to);

  if (!verify_data (verifier, instruction, 0))
    return;
  from = operand_type (instruction, 0);
  from_scalar = xir_type_scalar_of (from);
  if (xir_type_lanes (from) == 0 || xir_type_lanes (to) == 0
      || (instruction->op == XIR_OP_CAST && xir_type_lanes (from) != xir_type_lanes (to)))
    error (verifier, instruction, "%s from %s to %s changes the lanes", xir_op_info (instruction->op)->mnemonic,
           text_of (from), text_of (to));
  else if (instruction->op == XIR_OP_BITCAST
           && (from_scalar->size * xir_type_lanes (from) != to_scalar->size * xir_type_lanes (to)
               || from_scalar->kind == XIR_TYPE_BOOL || to_scalar->kind == XIR_TYPE_BOOL))
    error (verifier, instruction, "bitcast from %s to %s: not as many bits, or bool", text_of (from), text_of (to));
}

static void
verify_select (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  const struct xir_type *condition;

  if (!verify_all_data (verifier, instruction))
    return;
  verify_type (verifier, instruction, "operand 1", operand_type (instruction, 1), operand_type (instruction, 0));
  condition = operand_type (instruction, 2);
  if (!xir_type_is_bool (condition)
      || (xir_type_is_vector (condition)
          && xir_type_lanes (condition) != xir_type_lanes (operand_type (instruction, 0))))
    error (verifier, instruction, "the condition is %s", text_of (condition));
}

static void
verify_power (struct verifier *verifier,
              const struct xir_instruction *instruction)
{
  const struct xir_type *base, *exponent;

  if (!verify_all_data (verifier, instruction))
    return;
  base = operand_type (instruction, 0);
  exponent = operand_type (instruction, 1);
  if (!xir_type_is_float (base))
    error (verifier, instruction, "the base is %s, not float", text_of (base));
  if (xir_type_scalar_of (exponent)->kind != XIR_TYPE_INT32
      || xir_type_lanes (exponent) != xir_type_lanes (base))
    error (verifier, instruction, "the exponent is %s", text_of (exponent));
}

/* Matrices and what goes with them: of one size, and the result what the op makes of them. */
static void
verify_matrices (struct verifier *verifier,
                 const struct xir_instruction *instruction)
{
  const struct xir_type *a, *b, *matrix, *result = instruction->value.type;
  bool is_outer = instruction->op == XIR_OP_OUTER_PRODUCT, is_product = instruction->op == XIR_OP_MATRIX_MULTIPLY;

  if (!verify_all_data (verifier, instruction))
    return;
  a = operand_type (instruction, 0);
  b = instruction->n_operands > 1 ? operand_type (instruction, 1) : a;
  matrix = a->kind == XIR_TYPE_MATRIX ? a : b->kind == XIR_TYPE_MATRIX ? b : result;
  if (matrix->kind != XIR_TYPE_MATRIX
      || (a != matrix && a != (is_outer || is_product ? matrix->element : matrix->element->element))
      || (b != matrix && b != (is_outer || is_product ? matrix->element : matrix->element->element))
      || (is_outer && a != b) || (!is_outer && a != matrix && b != matrix))
    error (verifier, instruction, "%s does not take %s and %s", xir_op_info (instruction->op)->mnemonic, text_of (a), text_of (b));
  else if (instruction->op == XIR_OP_MATRIX_DETERMINANT)
    verify_type (verifier, instruction, "the result", result, matrix->element->element);
  else
    verify_type (verifier, instruction, "the result", result, is_product && a != b ? matrix->element : matrix);
}

static void
verify_aggregate (struct verifier *verifier,
                  const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->value.type;

  if (xir_type_child (type, 0) == NULL && (type == NULL || type->kind != XIR_TYPE_STRUCTURE))
    {
      error (verifier, instruction, "%s has no parts", text_of (type));
      return;
    }
  if (instruction->n_operands != type->count)
    {
      error (verifier, instruction, "%s has %" PRIu64 " parts, %u are given", type->text, type->count,
             instruction->n_operands);
      return;
    }
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    if (verify_data (verifier, instruction, i) && operand_type (instruction, i) != xir_type_child (type, i))
      error (verifier, instruction, "part %u is %s, not %s", i, text_of (operand_type (instruction, i)),
             text_of (xir_type_child (type, i)));
}

static void
verify_shuffle (struct verifier *verifier,
                const struct xir_instruction *instruction)
{
  const struct xir_type *from, *to = instruction->value.type;

  if (!verify_data (verifier, instruction, 0))
    return;
  from = operand_type (instruction, 0);
  if (!xir_type_is_vector (from) || xir_type_lanes (to) == 0
      || xir_type_scalar_of (to) != xir_type_scalar_of (from))
    {
      error (verifier, instruction, "shuffle from %s to %s", text_of (from), text_of (to));
      return;
    }
  for (uint32_t i = 0; i < xir_type_lanes (to); i++)
    if (instruction->u.lanes[i] >= xir_type_lanes (from))
      error (verifier, instruction, "%s has no lane %u", from->text, instruction->u.lanes[i]);
}

/* insert, extract, gep: a base, indices from `first` on, and what they reach. */
static void
verify_walk (struct verifier *verifier,
             const struct xir_instruction *instruction,
             uint32_t first,
             const char *what,
             const struct xir_type *reached)
{
  const struct xir_type *base = operand_type (instruction, 0), *walked;
  struct xir_value **indices;

  if (!verify_indices (verifier, instruction, first))
    return;
  indices = g_new (struct xir_value *, instruction->n_operands);
  for (uint32_t i = first; i < instruction->n_operands; i++)
    indices[i - first] = instruction->operands[i].value;
  walked = xir_walk_type (base, indices, instruction->n_operands - first);
  g_free (indices);
  if (walked == NULL)
    error (verifier, instruction, "the indices lead nowhere in %s", text_of (base));
  else
    verify_type (verifier, instruction, what, reached, walked);
}

static void
verify_insert (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  if (verify_data (verifier, instruction, 0) && verify_data (verifier, instruction, 1))
    verify_walk (verifier, instruction, 2, "the value", operand_type (instruction, 1));
}

static void
verify_extract (struct verifier *verifier,
                const struct xir_instruction *instruction)
{
  if (verify_data (verifier, instruction, 0))
    verify_walk (verifier, instruction, 1, "the result", instruction->value.type);
}

static bool
verify_lvalue (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  if (!instruction->operands[0].value->is_lvalue)
    error (verifier, instruction, "operand 0 is not an lvalue");
  return instruction->operands[0].value->is_lvalue;
}

static void
verify_memory (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  switch (instruction->op)
    {
    case XIR_OP_ALLOCA:
      if (!xir_type_is_data (instruction->value.type))
        error (verifier, instruction, "%s cannot be held in memory", text_of (instruction->value.type));
      if ((unsigned) instruction->u.alloca_.storage > XIR_STORAGE_SHARED)
        error (verifier, instruction, "alloca of no known storage");
      break;
    case XIR_OP_LOAD:
      if (verify_lvalue (verifier, instruction))
        verify_type (verifier, instruction, "the result", instruction->value.type, operand_type (instruction, 0));
      break;
    case XIR_OP_STORE:
      if (verify_lvalue (verifier, instruction) && verify_data (verifier, instruction, 1))
        verify_type (verifier, instruction, "the value", operand_type (instruction, 1),
                     operand_type (instruction, 0));
      break;
    case XIR_OP_GEP:
    default:
      if (verify_lvalue (verifier, instruction))
        verify_walk (verifier, instruction, 1, "the result", instruction->value.type);
      break;
    }
}

/* Ops that count threads, number them by bits, or count time. */
static void
verify_count (struct verifier *verifier,
              const struct xir_instruction *instruction)
{
  const struct xir_type *type = xir_type_scalar (verifier->module->context, XIR_TYPE_UINT32);

  if (instruction->op == XIR_OP_SUBGROUP_BALLOT)
    type = xir_type_vector (verifier->module->context, type, 4);
  else if (instruction->op == XIR_OP_CLOCK)
    type = xir_type_scalar (verifier->module->context, XIR_TYPE_UINT64);
  verify_type (verifier, instruction, "the result", instruction->value.type, type);
}

static void
verify_subgroup_read (struct verifier *verifier,
                      const struct xir_instruction *instruction)
{
  if (!verify_all_data (verifier, instruction))
    return;
  if (xir_type_lanes (operand_type (instruction, 0)) == 0)
    error (verifier, instruction, "%s does not take a %s as operand 0", xir_op_info (instruction->op)->mnemonic,
           text_of (operand_type (instruction, 0)));
  if (operand_type (instruction, 1)->kind != XIR_TYPE_UINT32)
    error (verifier, instruction, "the lane is %s, not uint", text_of (operand_type (instruction, 1)));
}

static void
verify_condition (struct verifier *verifier,
                  const struct xir_instruction *instruction)
{
  if (verify_data (verifier, instruction, 0)
      && operand_type (instruction, 0)->kind != XIR_TYPE_BOOL)
    error (verifier, instruction, "the condition is %s, not bool", text_of (operand_type (instruction, 0)));
}

static void
verify_return (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  const struct xir_type *type = verifier->function->return_type;

  if (instruction->n_operands == 0)
    {
      if (type != NULL)
        error (verifier, instruction, "the function returns %s, nothing is given", type->text);
    }
  else if (verify_data (verifier, instruction, 0))
    verify_type (verifier, instruction, "what is returned", operand_type (instruction, 0), type);
}

static void
verify_phi_values (struct verifier *verifier,
                   const struct xir_instruction *instruction)
{
  if (!verify_all_data (verifier, instruction))
    return;
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    if (operand_type (instruction, i) != instruction->value.type)
      error (verifier, instruction, "value %u is %s, not %s", i, text_of (operand_type (instruction, i)),
             text_of (instruction->value.type));
}

static const struct
{
  enum xir_op op;
  void (*verify) (struct verifier *verifier, const struct xir_instruction *instruction);
} own_rules[] = {
  { XIR_OP_IF, verify_condition },
  { XIR_OP_CONDITIONAL_BRANCH, verify_condition },
  { XIR_OP_SWITCH, verify_switch },
  { XIR_OP_RETURN, verify_return },
  { XIR_OP_PHI, verify_phi_values },
  { XIR_OP_ALLOCA, verify_memory },
  { XIR_OP_LOAD, verify_memory },
  { XIR_OP_STORE, verify_memory },
  { XIR_OP_GEP, verify_memory },
  { XIR_OP_CALL, verify_call },
  { XIR_OP_CAST, verify_conversion },
  { XIR_OP_BITCAST, verify_conversion },
  { XIR_OP_SELECT, verify_select },
  { XIR_OP_POW_INT, verify_power },
  { XIR_OP_OUTER_PRODUCT, verify_matrices },
  { XIR_OP_MATRIX_ADD, verify_matrices },
  { XIR_OP_MATRIX_SUB, verify_matrices },
  { XIR_OP_MATRIX_MUL, verify_matrices },
  { XIR_OP_MATRIX_DIV, verify_matrices },
  { XIR_OP_MATRIX_MULTIPLY, verify_matrices },
  { XIR_OP_MATRIX_DETERMINANT, verify_matrices },
  { XIR_OP_AGGREGATE, verify_aggregate },
  { XIR_OP_SHUFFLE, verify_shuffle },
  { XIR_OP_INSERT, verify_insert },
  { XIR_OP_EXTRACT, verify_extract },
  { XIR_OP_BUFFER_SIZE, verify_resource_op },
  { XIR_OP_BUFFER_READ, verify_resource_op },
  { XIR_OP_BUFFER_WRITE, verify_resource_op },
  { XIR_OP_BUFFER_FIRST, verify_resource_op },
  { XIR_OP_BYTE_BUFFER_READ, verify_resource_op },
  { XIR_OP_BYTE_BUFFER_WRITE, verify_resource_op },
  { XIR_OP_TEXTURE_SIZE, verify_resource_op },
  { XIR_OP_TEXTURE_READ, verify_resource_op },
  { XIR_OP_TEXTURE_WRITE, verify_resource_op },
  { XIR_OP_ATOMIC_EXCHANGE, verify_atomic },
  { XIR_OP_ATOMIC_ADD, verify_atomic },
  { XIR_OP_ATOMIC_SUB, verify_atomic },
  { XIR_OP_ATOMIC_MIN, verify_atomic },
  { XIR_OP_ATOMIC_MAX, verify_atomic },
  { XIR_OP_ATOMIC_AND, verify_atomic },
  { XIR_OP_ATOMIC_OR, verify_atomic },
  { XIR_OP_ATOMIC_XOR, verify_atomic },
  { XIR_OP_ATOMIC_COMPARE_EXCHANGE, verify_atomic },
  { XIR_OP_SUBGROUP_COUNT, verify_count },
  { XIR_OP_SUBGROUP_BALLOT, verify_count },
  { XIR_OP_SUBGROUP_PREFIX_COUNT, verify_count },
  { XIR_OP_SUBGROUP_READ, verify_subgroup_read },
  { XIR_OP_CLOCK, verify_count },
  { XIR_OP_PRINT, verify_print },
  { XIR_OP_ASSERT, verify_print },
};

void
verify_instruction (struct verifier *verifier,
                    const struct xir_instruction *instruction)
{
  const struct xir_op_info *info = xir_op_info (instruction->op);
  bool makes_lvalue = instruction->op == XIR_OP_ALLOCA || instruction->op == XIR_OP_GEP;
  const struct xir_type *operand = instruction->n_operands > 0 ? operand_type (instruction, 0) : NULL;

  if (instruction->value.kind != XIR_VALUE_INSTRUCTION || instruction->value.is_lvalue != makes_lvalue)
    error (verifier, instruction, "only alloca and gep make lvalues");
  if (!verify_rule (verifier, instruction))
    return;
  if (info->result == XIR_RESULT_EXPLICIT && instruction->op != XIR_OP_CALL && instruction->value.type == NULL)
    error (verifier, instruction, "%s has no result type", info->mnemonic);
  else
    verify_type (verifier, instruction, "the result", instruction->value.type,
                 xir_op_result_type (verifier->module->context, instruction->op, instruction->value.type, operand));
  for (gsize i = 0; i < G_N_ELEMENTS (own_rules); i++)
    if (own_rules[i].op == instruction->op)
      {
        own_rules[i].verify (verifier, instruction);
        break;
      }
}
