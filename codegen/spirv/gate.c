/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/gate.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "codegen/spirv/op-rules.h"
#include "codegen/spirv/plan-layout.h"
#include "codegen/spirv/plan-size.h"
#include "codegen/spirv/spirv.h"
#include "codegen/xir/builder.h"

enum verdict { VERDICT_UNKNOWN, VERDICT_VALUE, VERDICT_REFUSED };

struct gate
{
  const struct xir_module *module;
  const struct xir_function *kernel;
  const struct xir_function *function;
  uint8_t *verdicts;             /* enum verdict, by type index */
  uint32_t n_verdicts;
  GError **error;
};

static bool refuse (struct gate *gate, const struct xir_instruction *instruction, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* The place of the instruction, or of its function. */
static void
locate (struct gate *gate, const struct xir_instruction *instruction)
{
  if (gate->error != NULL)
    spirv_error_set_location (*gate->error, instruction != NULL && instruction->location.line != 0
                                            ? instruction->location : gate->function->location);
}

static bool
refuse (struct gate *gate, const struct xir_instruction *instruction, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  const char *name = gate->function->name != NULL ? gate->function->name : "?";
  if (instruction == NULL)
    g_set_error (gate->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("function “%s”: %s"), name, what);
  else if (instruction->location.line != 0)
    g_set_error (gate->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("line %u, function “%s”, %s: %s"),
                 instruction->location.line, name, xir_op_info (instruction->op)->mnemonic, what);
  else
    g_set_error (gate->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("function “%s”, %s: %s"), name,
                 xir_op_info (instruction->op)->mnemonic, what);
  locate (gate, instruction);
  g_free (what);
  return false;
}

static bool
fits (struct gate *gate, const struct xir_instruction *instruction, enum spirv_sized what, uint64_t count)
{
  uint32_t words = 0;
  if (spirv_plan_size (what, count, &words))
    return true;
  g_set_error (gate->error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
               _("function “%s”, %s: %" PRIu64 " parts, %s has room for %" PRIu64),
               gate->function->name != NULL ? gate->function->name : "?",
               instruction != NULL ? xir_op_info (instruction->op)->mnemonic : "type", count, spirv_plan_size_name (what),
               spirv_plan_size_limit (what));
  locate (gate, instruction);
  return false;
}

/* Types. */

static bool
is_value_type (struct gate *gate, const struct xir_type *type)
{
  if (type == NULL)
    return false;
  if (type->index >= gate->n_verdicts)
    {
      uint32_t n = MAX (type->index + 1, gate->n_verdicts * 2);
      gate->verdicts = g_realloc (gate->verdicts, n);
      memset (gate->verdicts + gate->n_verdicts, VERDICT_UNKNOWN, n - gate->n_verdicts);
      gate->n_verdicts = n;
    }
  if (gate->verdicts[type->index] != VERDICT_UNKNOWN)
    return gate->verdicts[type->index] == VERDICT_VALUE;
  bool good;
  switch (type->kind)
    {
    case XIR_TYPE_VECTOR:
      good = type->count >= 2 && type->count <= 4 && xir_type_is_scalar (type->element) && is_value_type (gate, type->element);
      break;
    case XIR_TYPE_MATRIX:
      good = is_value_type (gate, type->element);
      break;
    case XIR_TYPE_ARRAY:
      good = type->count > 0 && type->count <= G_MAXUINT32 && is_value_type (gate, type->element);
      break;
    case XIR_TYPE_STRUCTURE:
      good = type->count > 0;
      for (uint64_t i = 0; i < type->count && good; i++)
        good = is_value_type (gate, type->members[i]);
      break;
    default:
      good = xir_type_is_scalar (type);
    }
  gate->verdicts[type->index] = good ? VERDICT_VALUE : VERDICT_REFUSED;
  return good;
}

static const char *
type_text (const struct xir_type *type)
{
  return type != NULL ? type->text : "void";
}

static bool
check_value_type (struct gate *gate, const struct xir_instruction *instruction, const struct xir_type *type)
{
  return is_value_type (gate, type) || refuse (gate, instruction, _("values of type %s are not supported"), type_text (type));
}

static bool
is_scalar_kind (const struct xir_type *type, enum xir_type_kind kind)
{
  return type != NULL && type->kind == kind;
}

static bool
is_arithmetic (const struct xir_type *type)
{
  return xir_type_lanes (type) != 0;
}

/* Operands. */

static bool
check_operands (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_op_info *info = xir_op_info (instruction->op);
  if (instruction->n_operands < (uint32_t) info->min_operands
      || (info->max_operands >= 0 && instruction->n_operands > (uint32_t) info->max_operands))
    return refuse (gate, instruction, _("%u operands"), instruction->n_operands);
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      const struct xir_value *value = xir_operand (instruction, i);
      if (value == NULL || value->type == NULL)
        return refuse (gate, instruction, _("operand %u has no value"), i);
      if (xir_type_is_resource (value->type))
        continue;
      if (!check_value_type (gate, instruction, value->type))
        return false;
    }
  return true;
}

/* The kernel argument an op works on; NULL after a refusal. */
static const struct xir_argument *
resource_of (struct gate *gate, const struct xir_instruction *instruction, enum xir_type_kind kind)
{
  const struct xir_argument *argument = xir_value_argument (xir_operand (instruction, 0));
  if (argument == NULL || argument->argument_kind != XIR_ARGUMENT_RESOURCE || argument->function != gate->kernel
      || argument->value.type->kind != kind)
    {
      refuse (gate, instruction, _("the resource is no argument of the kernel of that kind"));
      return NULL;
    }
  return argument;
}

/* The type reached from `type` by the operands from `first` on. */
static const struct xir_type *
walk (const struct xir_instruction *instruction, const struct xir_type *type, uint32_t first)
{
  for (uint32_t i = first; i < instruction->n_operands && type != NULL; i++)
    {
      struct xir_value *index = xir_operand (instruction, i);
      type = xir_type_is_integer (index->type) && xir_type_is_scalar (index->type) ? xir_walk_type (type, &index, 1) : NULL;
    }
  return type;
}

static bool
check_walk (struct gate *gate, const struct xir_instruction *instruction, const struct xir_type *type, uint32_t first,
            const struct xir_type *expected)
{
  if (walk (instruction, type, first) != expected)
    return refuse (gate, instruction, _("the indices do not lead from %s to %s"), type_text (type), type_text (expected));
  return fits (gate, instruction, SPIRV_SIZED_ACCESS_CHAIN, instruction->n_operands + 1);
}

static bool
check_buffer (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_argument *argument = resource_of (gate, instruction, XIR_TYPE_BUFFER);
  if (argument == NULL || instruction->op == XIR_OP_BUFFER_SIZE || instruction->op == XIR_OP_BUFFER_FIRST)
    return argument != NULL
           && (is_scalar_kind (instruction->value.type, XIR_TYPE_UINT32)
               || refuse (gate, instruction, _("the length of a buffer is a uint")));
  const struct xir_type *element = argument->value.type->element;
  bool writes = instruction->op == XIR_OP_BUFFER_WRITE;
  if (writes && argument->is_const)
    return refuse (gate, instruction, _("“%s” is declared const"), argument->name != NULL ? argument->name : "?");
  uint32_t first = writes ? 2 : 1;
  if (!xir_type_is_integer (xir_operand (instruction, first)->type)
      || !xir_type_is_scalar (xir_operand (instruction, first)->type))
    return refuse (gate, instruction, _("the index is no integer"));
  return check_walk (gate, instruction, element, first + 1,
                     writes ? xir_operand (instruction, 1)->type : instruction->value.type);
}

static bool
check_atomic (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_value *base = xir_operand (instruction, 0);
  const struct xir_type *type = instruction->value.type;
  uint32_t first = xir_atomic_first_index (instruction->op);
  bool takes_bits = instruction->op == XIR_OP_ATOMIC_EXCHANGE || instruction->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE;
  const struct spirv_op_rule *rule = spirv_op_rule (instruction->op);
  if (!xir_type_is_scalar (type) || (xir_type_bits (type) != 32 && (xir_type_bits (type) != 64 || !xir_type_is_integer (type)))
      || rule->codes[spirv_op_class_of (type)] == 0)
    return refuse (gate, instruction, _("operands of type %s are not supported"), type_text (type));
  for (uint32_t i = 1; i < first; i++)
    if (xir_operand (instruction, i)->type != type)
      return refuse (gate, instruction, _("operand %u is of another type"), i);
  if (base->is_lvalue)
    return base->type == type || refuse (gate, instruction, _("the place is of type %s"), type_text (base->type));
  const struct xir_argument *argument = resource_of (gate, instruction, XIR_TYPE_BUFFER);
  if (argument == NULL)
    return false;
  if (argument->is_const)
    return refuse (gate, instruction, _("“%s” is declared const"), argument->name != NULL ? argument->name : "?");
  const struct xir_type *place = walk (instruction, argument->value.type->element, first + 1);
  if (place != type && !(takes_bits && is_scalar_kind (place, XIR_TYPE_FLOAT32) && is_scalar_kind (type, XIR_TYPE_UINT32)))
    return refuse (gate, instruction, _("the place is of type %s"), type_text (place));
  return fits (gate, instruction, SPIRV_SIZED_ACCESS_CHAIN, instruction->n_operands + 1);
}

static bool
check_texture (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_argument *argument = resource_of (gate, instruction, XIR_TYPE_TEXTURE);
  if (argument == NULL)
    return false;
  const struct xir_type *texture = argument->value.type;
  const struct xir_type *result = instruction->value.type;
  if (instruction->op == XIR_OP_TEXTURE_SIZE)
    return (xir_type_lanes (result) == texture->dimension && xir_type_scalar_of (result)->kind == XIR_TYPE_UINT32)
           || refuse (gate, instruction, _("the size of an image is a vector of uint"));
  const struct xir_type *at = xir_operand (instruction, 1)->type;
  if (!xir_type_is_integer (at) || xir_type_lanes (at) != texture->dimension)
    return refuse (gate, instruction, _("the place is no vector of %u integers"), texture->dimension);
  bool writes = instruction->op == XIR_OP_TEXTURE_WRITE;
  if (writes && argument->is_const)
    return refuse (gate, instruction, _("“%s” is declared const"), argument->name != NULL ? argument->name : "?");
  const struct xir_type *texel = writes ? xir_operand (instruction, 2)->type : result;
  return (xir_type_lanes (texel) == 4 && texel->element == texture->element)
         || refuse (gate, instruction, _("a texel has four components of %s"), type_text (texture->element));
}

/* Calls. */

static bool
check_reference (struct gate *gate, const struct xir_instruction *call, uint32_t index)
{
  const struct xir_value *actual = xir_operand (call, index);
  const struct xir_argument *argument = xir_value_argument (actual);
  if (argument != NULL && argument->argument_kind == XIR_ARGUMENT_REFERENCE)
    return true;
  const struct xir_instruction *instruction = xir_value_instruction (actual);
  if (instruction == NULL || !actual->is_lvalue)
    return refuse (gate, call, _("argument %u is no variable"), index);
  if (instruction->op != XIR_OP_ALLOCA)
    return refuse (gate, call, _("argument %u is a part of a variable, a reference needs the whole"), index);
  return instruction->u.alloca_.storage == XIR_STORAGE_LOCAL
         || refuse (gate, call, _("argument %u is shared, a reference needs a local variable"), index);
}

static bool
check_call (struct gate *gate, const struct xir_instruction *call)
{
  const struct xir_function *callee = call->u.callee;
  if (call->n_operands != callee->n_arguments)
    return refuse (gate, call, _("%u arguments where “%s” takes %u"), call->n_operands,
                   callee->name != NULL ? callee->name : "?", callee->n_arguments);
  if (call->value.type != callee->return_type)
    return refuse (gate, call, _("the call's type is not the function's"));
  for (uint32_t i = 0; i < call->n_operands; i++)
    {
      const struct xir_argument *formal = callee->arguments[i];
      if (formal->value.type != xir_operand (call, i)->type)
        return refuse (gate, call, _("argument %u is of another type"), i);
      if (formal->argument_kind == XIR_ARGUMENT_REFERENCE && !check_reference (gate, call, i))
        return false;
      if (formal->argument_kind == XIR_ARGUMENT_VALUE && xir_operand (call, i)->is_lvalue)
        return refuse (gate, call, _("argument %u is a variable where a value is needed"), i);
    }
  return fits (gate, call, SPIRV_SIZED_FUNCTION_CALL, call->n_operands);
}

/* Arithmetic. */

static bool
check_cast (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_type *from = xir_operand (instruction, 0)->type, *to = instruction->value.type;
  if (!is_arithmetic (from) || !is_arithmetic (to)
      || (instruction->op == XIR_OP_CAST && xir_type_lanes (from) != xir_type_lanes (to)))
    return refuse (gate, instruction, _("from %s to %s"), type_text (from), type_text (to));
  return instruction->op == XIR_OP_CAST || from == to
         || (!xir_type_is_bool (from) && !xir_type_is_bool (to)
             && xir_type_bits (xir_type_scalar_of (from)) * xir_type_lanes (from)
                == xir_type_bits (xir_type_scalar_of (to)) * xir_type_lanes (to))
         || refuse (gate, instruction, _("from %s to %s"), type_text (from), type_text (to));
}

static bool
check_aggregate (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->value.type;
  if (xir_type_is_scalar (type) || type->count != instruction->n_operands)
    return refuse (gate, instruction, _("%u parts for a %s"), instruction->n_operands, type_text (type));
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    if (xir_operand (instruction, i)->type != xir_type_child (type, i))
      return refuse (gate, instruction, _("part %u is of another type"), i);
  return fits (gate, instruction, SPIRV_SIZED_COMPOSITE_CONSTRUCT, type->count);
}

static bool
check_shuffle (struct gate *gate, const struct xir_instruction *instruction)
{
  uint32_t lanes = xir_type_lanes (instruction->value.type);
  uint32_t from = xir_type_lanes (xir_operand (instruction, 0)->type);
  if (from < 2 || lanes == 0)
    return refuse (gate, instruction, _("from %s"), type_text (xir_operand (instruction, 0)->type));
  for (uint32_t i = 0; i < lanes; i++)
    if (instruction->u.lanes[i] >= from)
      return refuse (gate, instruction, _("there is no lane %u"), instruction->u.lanes[i]);
  return true;
}

/* Functions whose instructions know no double. */
static bool
has_width (enum xir_op op, enum xir_type_kind kind)
{
  static const enum xir_op without_double[] = {
    XIR_OP_ACOS, XIR_OP_ACOSH, XIR_OP_ASIN, XIR_OP_ASINH, XIR_OP_ATAN, XIR_OP_ATAN2, XIR_OP_ATANH, XIR_OP_COS, XIR_OP_COSH,
    XIR_OP_SIN, XIR_OP_SINH, XIR_OP_TAN, XIR_OP_TANH, XIR_OP_EXP, XIR_OP_EXP2, XIR_OP_EXP10, XIR_OP_LOG, XIR_OP_LOG2,
    XIR_OP_LOG10, XIR_OP_POW
  };
  for (gsize i = 0; kind == XIR_TYPE_FLOAT64 && i < G_N_ELEMENTS (without_double); i++)
    if (without_double[i] == op)
      return false;
  return true;
}

/* Rows of the rule table with codes: the op must have a form for the class of its operand. */
static bool
check_table_op (struct gate *gate, const struct xir_instruction *instruction, const struct spirv_op_rule *rule)
{
  bool has_codes = false;
  for (int i = 0; i < SPIRV_N_CLASSES; i++)
    has_codes = has_codes || rule->codes[i] != 0;
  if (!has_codes)
    return true;
  const struct xir_type *type = xir_operand (instruction, 0)->type;
  if (!is_arithmetic (type) || xir_type_is_storage_float (type) || rule->codes[spirv_op_class_of (type)] == 0
      || !has_width (instruction->op, xir_type_scalar_of (type)->kind))
    return refuse (gate, instruction, _("operands of type %s are not supported"), type_text (type));
  for (uint32_t i = 1; i < instruction->n_operands; i++)
    {
      const struct xir_type *other = xir_operand (instruction, i)->type;
      bool counts = xir_op_info (instruction->op)->operands == XIR_OPERANDS_SHIFT || instruction->op == XIR_OP_POW_INT;
      if (counts ? !xir_type_is_integer (other) || xir_type_lanes (other) != xir_type_lanes (type) : other != type)
        return refuse (gate, instruction, _("%s does not go with %s"), type_text (other), type_text (type));
    }
  if (instruction->op == XIR_OP_MOD && xir_type_is_float (type) && !instruction->block->function->fast_math)
    return refuse (gate, instruction, _("the exact remainder of float has not been lowered"));
  if (xir_op_info (instruction->op)->operands == XIR_OPERANDS_FLOATVEC && xir_type_lanes (type) < 2)
    return refuse (gate, instruction, _("operands of type %s are not supported"), type_text (type));
  return instruction->op != XIR_OP_CROSS || xir_type_lanes (type) == 3
         || refuse (gate, instruction, _("operands of type %s are not supported"), type_text (type));
}

static bool
check_select (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->value.type, *condition = xir_operand (instruction, 2)->type;
  if (xir_operand (instruction, 0)->type != type || xir_operand (instruction, 1)->type != type)
    return refuse (gate, instruction, _("the choices are of different types"));
  return is_scalar_kind (condition, XIR_TYPE_BOOL)
         || (xir_type_is_bool (condition) && xir_type_lanes (condition) == xir_type_lanes (type))
         || refuse (gate, instruction, _("a condition of type %s for a %s"), type_text (condition), type_text (type));
}

/* Ends of blocks. */
static bool
check_end (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->n_operands > 0 ? xir_operand (instruction, 0)->type : NULL;
  switch (instruction->op)
    {
    case XIR_OP_IF:
    case XIR_OP_CONDITIONAL_BRANCH:
      return is_scalar_kind (type, XIR_TYPE_BOOL) || refuse (gate, instruction, _("the condition is no bool"));
    case XIR_OP_SWITCH:
      return (xir_type_is_scalar (type) && xir_type_is_integer (type))
             || refuse (gate, instruction, _("a selector of type %s is not supported"), type_text (type));
    case XIR_OP_RETURN:
      return type == gate->function->return_type || refuse (gate, instruction, _("the value is not of the function's type"));
    default:
      return true;
    }
}

static bool
check_memory (struct gate *gate, const struct xir_instruction *instruction)
{
  const struct xir_value *place = instruction->n_operands > 0 ? xir_operand (instruction, 0) : NULL;
  switch (instruction->op)
    {
    case XIR_OP_LOAD:
      return (place->is_lvalue && place->type == instruction->value.type)
             || refuse (gate, instruction, _("a load of %s from %s"), type_text (instruction->value.type), type_text (place->type));
    case XIR_OP_STORE:
      return (place->is_lvalue && place->type == xir_operand (instruction, 1)->type)
             || refuse (gate, instruction, _("a store of %s to %s"), type_text (xir_operand (instruction, 1)->type),
                        type_text (place->type));
    case XIR_OP_GEP:
      return place->is_lvalue ? check_walk (gate, instruction, place->type, 1, instruction->value.type)
                              : refuse (gate, instruction, _("the base is no variable"));
    case XIR_OP_EXTRACT:
      return check_walk (gate, instruction, place->type, 1, instruction->value.type);
    case XIR_OP_INSERT:
      return check_walk (gate, instruction, place->type, 2, xir_operand (instruction, 1)->type);
    default:
      return true;
    }
}

static bool
check_special_ops (struct gate *gate, const struct xir_instruction *instruction, const struct spirv_op_rule *rule)
{
  switch (instruction->op)
    {
    case XIR_OP_LOAD:
    case XIR_OP_STORE:
    case XIR_OP_GEP:
    case XIR_OP_EXTRACT:
    case XIR_OP_INSERT:
      return check_memory (gate, instruction);
    case XIR_OP_CALL:
      return check_call (gate, instruction);
    case XIR_OP_CAST:
    case XIR_OP_BITCAST:
      return check_cast (gate, instruction);
    case XIR_OP_SELECT:
      return check_select (gate, instruction);
    case XIR_OP_AGGREGATE:
      return check_aggregate (gate, instruction);
    case XIR_OP_SHUFFLE:
      return check_shuffle (gate, instruction);
    case XIR_OP_BUFFER_SIZE:
    case XIR_OP_BUFFER_FIRST:
    case XIR_OP_BUFFER_READ:
    case XIR_OP_BUFFER_WRITE:
      return check_buffer (gate, instruction);
    case XIR_OP_TEXTURE_SIZE:
    case XIR_OP_TEXTURE_READ:
    case XIR_OP_TEXTURE_WRITE:
      return check_texture (gate, instruction);
    case XIR_OP_SUBGROUP_READ:
      return is_scalar_kind (xir_operand (instruction, 1)->type, XIR_TYPE_UINT32)
             || refuse (gate, instruction, _("the lane is no uint"));
    default:
      return xir_op_is_atomic (instruction->op) ? check_atomic (gate, instruction) : check_table_op (gate, instruction, rule);
    }
}

static bool
check_instruction (struct gate *gate, const struct xir_instruction *instruction, bool *phis_over)
{
  const struct spirv_op_rule *rule = spirv_op_rule (instruction->op);
  if (rule->status == SPIRV_OP_LOWERED)
    return refuse (gate, instruction, _("the operation has not been lowered"));
  if (rule->status == SPIRV_OP_UNSUPPORTED)
    return refuse (gate, instruction, _("the operation is not supported"));
  if (instruction->value.type != NULL && !check_value_type (gate, instruction, instruction->value.type))
    return false;
  if (!check_operands (gate, instruction))
    return false;
  if (instruction->op == XIR_OP_PHI)
    return !*phis_over || refuse (gate, instruction, _("it does not stand at the beginning of its block"));
  *phis_over = true;
  return rule->status == SPIRV_OP_CONTROL ? check_end (gate, instruction) : check_special_ops (gate, instruction, rule);
}

static bool
check_resource_type (struct gate *gate, const struct xir_argument *argument)
{
  const struct xir_type *type = argument->value.type;
  const char *name = argument->name != NULL ? argument->name : "?";
  if (type->kind == XIR_TYPE_TEXTURE)
    {
      enum xir_type_kind kind = type->element->kind;
      return ((type->dimension == 2 || type->dimension == 3)
              && (kind == XIR_TYPE_FLOAT32 || kind == XIR_TYPE_INT32 || kind == XIR_TYPE_UINT32))
             || refuse (gate, NULL, _("argument “%s”: images of type %s are not supported"), name, type->text);
    }
  if (type->kind != XIR_TYPE_BUFFER || type->element == NULL)
    return refuse (gate, NULL, _("argument “%s”: resources of type %s are not supported"), name, type->text);
  enum spirv_layout_status status = spirv_plan_layout (type->element);
  if (status != SPIRV_LAYOUT_COMPATIBLE)
    return refuse (gate, NULL, _("argument “%s”: %s cannot be an element of a buffer: %s"), name, type->element->text,
                   spirv_layout_status_text (status));
  return is_value_type (gate, type->element)
         || refuse (gate, NULL, _("argument “%s”: resources of type %s are not supported"), name, type->text);
}

static bool
check_argument (struct gate *gate, const struct xir_argument *argument)
{
  bool in_kernel = gate->function == gate->kernel;
  const char *name = argument->name != NULL ? argument->name : "?";
  switch (argument->argument_kind)
    {
    case XIR_ARGUMENT_REFERENCE:
      if (in_kernel)
        return refuse (gate, NULL, _("argument “%s” of a kernel is a reference"), name);
      return check_value_type (gate, NULL, argument->value.type);
    case XIR_ARGUMENT_RESOURCE:
      if (!in_kernel)
        return refuse (gate, NULL, _("argument “%s” is a resource that has not been specialised"), name);
      return check_resource_type (gate, argument);
    case XIR_ARGUMENT_VALUE:
    default:
      return check_value_type (gate, NULL, argument->value.type);
    }
}

static bool
check_function (struct gate *gate, const struct spirv_closure *closure)
{
  if (gate->function == gate->kernel && gate->function->return_type != NULL)
    return refuse (gate, NULL, _("a kernel returns nothing"));
  if (gate->function->return_type != NULL && !check_value_type (gate, NULL, gate->function->return_type))
    return false;
  if (!fits (gate, NULL, SPIRV_SIZED_TYPE_FUNCTION, gate->function->n_arguments))
    return false;
  for (uint32_t i = 0; i < gate->function->n_arguments; i++)
    if (!check_argument (gate, gate->function->arguments[i]))
      return false;
  for (uint32_t i = 0; i < closure->n_blocks; i++)
    {
      if (!closure->blocks[i].reachable)
        continue;
      bool phis_over = false;
      gb_list_for_each (instruction, &closure->blocks[i].block->instructions, struct xir_instruction, link)
        if (!check_instruction (gate, instruction, &phis_over))
          return false;
    }
  return true;
}

bool
spirv_gate (const struct xir_module *module, const struct spirv_call_graph *graph, GError **error)
{
  struct gate gate = { .module = module, .kernel = graph->functions[graph->n_functions - 1], .error = error };
  bool good = true;
  for (uint32_t i = 0; i < graph->n_functions && good; i++)
    {
      gate.function = graph->functions[i];
      good = check_function (&gate, &graph->closures[i]);
    }
  g_free (gate.verdicts);
  return good;
}
