/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-usage.h"

#include <glib/gi18n-lib.h>

#include "codegen/spirv/spirv.h"
#include "codegen/xir/builder.h"
#include "lib/checked.h"

struct planner
{
  const struct xir_function *kernel;
  struct spirv_usage_plan *usage;
  struct spirv_function_usage *current;
  GError **error;
};

/* The argument that an lvalue is part of, if it is part of one. */
static const struct xir_argument *
root_argument (const struct xir_value *value)
{
  const struct xir_instruction *instruction;
  while ((instruction = xir_value_instruction (value)) != NULL && instruction->op == XIR_OP_GEP)
    value = xir_operand (instruction, 0);
  return xir_value_argument (value);
}

static void
note_memory (struct planner *planner, const struct xir_value *lvalue, unsigned need)
{
  const struct xir_argument *argument = root_argument (lvalue);
  if (argument != NULL && argument->argument_kind == XIR_ARGUMENT_REFERENCE)
    planner->usage->arguments[argument->value.id] |= (uint8_t) need;
}

static bool
note_resource (struct planner *planner, const struct xir_instruction *instruction, unsigned need)
{
  const struct xir_argument *argument = xir_value_argument (xir_operand (instruction, 0));
  if (argument == NULL || argument->argument_kind != XIR_ARGUMENT_RESOURCE || argument->function != planner->kernel)
    {
      g_set_error (planner->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED,
                   _("function “%s”: %s of a resource that is no argument of the kernel"),
                   instruction->block->function->name != NULL ? instruction->block->function->name : "?",
                   xir_op_info (instruction->op)->mnemonic);
      return false;
    }
  planner->usage->arguments[argument->value.id] |= (uint8_t) need;
  planner->current->resources[argument->index] |= (uint8_t) need;
  return true;
}

static void
note_call (struct planner *planner, const struct xir_instruction *call)
{
  const struct xir_function *callee = call->u.callee;
  for (uint32_t i = 0; i < call->n_operands && i < callee->n_arguments; i++)
    if (callee->arguments[i]->argument_kind == XIR_ARGUMENT_REFERENCE)
      note_memory (planner, xir_operand (call, i), planner->usage->arguments[callee->arguments[i]->value.id]);
}

static void
note_operands (struct planner *planner, const struct xir_instruction *instruction)
{
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      const struct xir_value *value = xir_operand (instruction, i);
      const struct xir_argument *argument = xir_value_argument (value);
      const struct xir_special_value *special = xir_value_special (value);
      if (argument != NULL && argument->argument_kind == XIR_ARGUMENT_VALUE)
        planner->usage->arguments[value->id] |= SPIRV_NEED_READ;
      else if (special != NULL)
        {
          planner->current->specials |= UINT32_C (1) << special->special;
          planner->usage->asks_in_dispatch = planner->usage->asks_in_dispatch || special->special == XIR_SPECIAL_IN_DISPATCH;
        }
    }
}

const struct xir_type *
spirv_atomic_place_type (const struct xir_instruction *instruction)
{
  const struct xir_value *base = xir_operand (instruction, 0);
  const struct xir_type *type = base->type;
  if (base->is_lvalue)
    return type;
  type = type->element;
  for (uint32_t i = xir_atomic_first_index (instruction->op) + 1; i < instruction->n_operands && type != NULL; i++)
    {
      struct xir_value *index = xir_operand (instruction, i);
      type = xir_walk_type (type, &index, 1);
    }
  return type;
}

/* What does not fit 64 bits fits no device. */
static void
note_shared (struct planner *planner, const struct xir_type *type)
{
  uint64_t at, end;
  bool fits = gb_checked_align (planner->usage->shared_size, type->alignment, &at) && gb_checked_add (at, type->size, &end);
  planner->usage->shared_size = fits ? end : UINT64_MAX;
}

static bool
note_atomic (struct planner *planner, const struct xir_instruction *instruction)
{
  unsigned need = SPIRV_NEED_READ | SPIRV_NEED_WRITE | SPIRV_NEED_FIRST;
  if (xir_operand (instruction, 0)->is_lvalue)
    return true;
  if (spirv_atomic_place_type (instruction) != instruction->value.type)
    need |= SPIRV_NEED_WORDS;
  return note_resource (planner, instruction, need);
}

static bool
note_instruction (struct planner *planner, const struct xir_instruction *instruction)
{
  note_operands (planner, instruction);
  if (xir_op_is_buffer_access (instruction->op) && instruction->u.is_volatile
      && !note_resource (planner, instruction, SPIRV_NEED_VOLATILE))
    return false;
  if ((xir_op_info (instruction->op)->flags & XIR_FLAG_CONVERGENT) != 0)
    planner->usage->is_convergent = true;
  if (xir_op_is_atomic (instruction->op))
    return note_atomic (planner, instruction);
  switch (instruction->op)
    {
    case XIR_OP_LOAD:
      note_memory (planner, xir_operand (instruction, 0), SPIRV_NEED_READ);
      return true;
    case XIR_OP_STORE:
      note_memory (planner, xir_operand (instruction, 0), SPIRV_NEED_WRITE);
      return true;
    case XIR_OP_CALL:
      note_call (planner, instruction);
      return true;
    case XIR_OP_ALLOCA:
      if (instruction->u.alloca_.storage == XIR_STORAGE_SHARED)
        note_shared (planner, instruction->value.type);
      return true;
    case XIR_OP_BUFFER_SIZE:
      return note_resource (planner, instruction, SPIRV_NEED_LENGTH);
    case XIR_OP_BUFFER_FIRST:
      return note_resource (planner, instruction, SPIRV_NEED_FIRST);
    case XIR_OP_BUFFER_READ:
    case XIR_OP_BYTE_BUFFER_READ:
      return note_resource (planner, instruction, SPIRV_NEED_READ | SPIRV_NEED_FIRST);
    case XIR_OP_BUFFER_WRITE:
    case XIR_OP_BYTE_BUFFER_WRITE:
      return note_resource (planner, instruction, SPIRV_NEED_WRITE | SPIRV_NEED_FIRST);
    /* Asking for its size reads no texel, but the image must be there and in a layout for reading. */
    case XIR_OP_TEXTURE_SIZE:
    case XIR_OP_TEXTURE_READ:
      return note_resource (planner, instruction, SPIRV_NEED_READ | SPIRV_NEED_IMAGE);
    case XIR_OP_TEXTURE_WRITE:
      return note_resource (planner, instruction, SPIRV_NEED_WRITE | SPIRV_NEED_IMAGE);
    default:
      return true;
    }
}

static bool
plan_function (struct planner *planner, const struct spirv_closure *closure)
{
  for (uint32_t i = 0; i < closure->n_blocks; i++)
    {
      if (!closure->blocks[i].reachable)
        continue;
      gb_list_for_each (instruction, &closure->blocks[i].block->instructions, struct xir_instruction, link)
        if (!note_instruction (planner, instruction))
          return false;
    }
  return true;
}

bool
spirv_plan_usage (struct gb_arena *arena, const struct xir_module *module, const struct spirv_call_graph *graph,
                  struct spirv_usage_plan *usage, GError **error)
{
  struct planner planner = { graph->functions[graph->n_functions - 1], usage, NULL, error };
  usage->arguments = gb_arena_alloc0 (arena, module->next_id);
  usage->functions = gb_arena_alloc0 (arena, graph->n_functions * sizeof *usage->functions);
  for (uint32_t i = 0; i < graph->n_functions; i++)
    {
      planner.current = &usage->functions[i];
      planner.current->resources = gb_arena_alloc0 (arena, MAX (planner.kernel->n_arguments, 1));
      if (!plan_function (&planner, &graph->closures[i]))
        return false;
    }
  return true;
}

/* No image shares memory with a buffer. */
static bool
may_share (const struct xir_argument *one, const struct xir_argument *other)
{
  return one != other && one->argument_kind == XIR_ARGUMENT_RESOURCE && other->argument_kind == XIR_ARGUMENT_RESOURCE
         && one->value.type->kind == other->value.type->kind && !spirv_is_alone (one) && !spirv_is_alone (other);
}

bool
spirv_is_aliased (const struct xir_function *kernel, const struct spirv_usage_plan *usage, const struct xir_argument *argument)
{
  const unsigned touched = SPIRV_NEED_READ | SPIRV_NEED_WRITE;
  unsigned needs = usage->arguments[argument->value.id];
  for (uint32_t i = 0; i < kernel->n_arguments && (needs & touched) != 0; i++)
    {
      unsigned others = usage->arguments[kernel->arguments[i]->value.id];
      if (may_share (argument, kernel->arguments[i]) && (others & touched) != 0 && ((needs | others) & SPIRV_NEED_WRITE) != 0)
        return true;
    }
  return false;
}
