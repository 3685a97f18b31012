/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One function: signature, blocks in the plan's order, phis, ends of blocks. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <string.h>

#include "codegen/spirv/plan-size.h"

uint32_t
spirv_value (struct spirv_emitter *emitter, const struct xir_value *value)
{
  uint32_t *id = &emitter->ids[value->id];
  if (*id != 0)
    return *id;
  switch (value->kind)
    {
    case XIR_VALUE_CONSTANT:
      return *id = spirv_constant (&emitter->types, xir_value_constant (value));
    case XIR_VALUE_UNDEFINED:
      return *id = spirv_undefined (&emitter->types, value->type);
    case XIR_VALUE_SPECIAL:
      return emitter->specials[xir_value_special (value)->special];
    default:
      spirv_writer_fail (&emitter->writer, "function “%s” uses a value before it is made",
                         emitter->function->name != NULL ? emitter->function->name : "?");
      return 0;
    }
}

static uint32_t
parameter_type (struct spirv_emitter *emitter, const struct xir_argument *argument)
{
  uint32_t type = spirv_type (&emitter->types, argument->value.type);
  return argument->argument_kind == XIR_ARGUMENT_REFERENCE
         ? spirv_type_pointer (&emitter->types, SpvStorageClassFunction, type) : type;
}

/* OpName where the text fits; a name is not worth failing for. */
static void
name_value (struct spirv_emitter *emitter, uint32_t id, const char *name)
{
  uint32_t words = 0;
  if (emitter->options->debug_names && name != NULL && spirv_plan_size (SPIRV_SIZED_NAME, strlen (name), &words))
    spirv_name (&emitter->writer, id, name);
}

static void
emit_signature (struct spirv_emitter *emitter)
{
  const struct xir_function *function = emitter->function;
  bool is_kernel = function == emitter->plans->kernel;
  uint32_t n = is_kernel ? 0 : function->n_arguments;
  uint32_t *signature = g_new (uint32_t, n + 1);
  signature[0] = spirv_type (&emitter->types, function->return_type);
  for (uint32_t i = 0; i < n; i++)
    signature[i + 1] = parameter_type (emitter, function->arguments[i]);
  uint32_t type = spirv_intern (&emitter->writer, SpvOpTypeFunction, 0, signature, n + 1, NULL);
  uint32_t id = emitter->functions[emitter->function_index];
  spirv_function_begin (&emitter->writer, id, signature[0], type,
                        function->no_inline ? SpvFunctionControlDontInlineMask : SpvFunctionControlMaskNone);
  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t parameter = spirv_function_parameter (&emitter->writer, signature[i + 1]);
      emitter->ids[function->arguments[i]->value.id] = parameter;
      name_value (emitter, parameter, function->arguments[i]->name);
    }
  name_value (emitter, id, is_kernel ? "main" : function->name);
  g_free (signature);
}

static void
emit_line (struct spirv_emitter *emitter, const struct xir_instruction *instruction)
{
  if (emitter->source == 0 || instruction->location.line == 0
      || (instruction->location.line == emitter->location.line && instruction->location.column == emitter->location.column
          && instruction->location.file == emitter->location.file))
    return;
  uint32_t file = spirv_emit_file (emitter, instruction->location.file);
  if (file == 0)
    return;
  emitter->location = instruction->location;
  spirv_op_line (&emitter->writer, file, instruction->location.line, instruction->location.column);
}

/* Values may be made behind the phi, in a loop: their ids are filled in when the function is done. */
static void
emit_phis (struct spirv_emitter *emitter, const struct spirv_control_block *block)
{
  const struct spirv_phi_input *inputs = block->phi_inputs;
  struct spirv_stream *body = &emitter->writer.sections[SPIRV_SECTION_BODY];
  gb_list_for_each (phi, &block->block->instructions, struct xir_instruction, link)
    {
      if (phi->op != XIR_OP_PHI || inputs == NULL)
        break;
      uint32_t id = spirv_new_id (&emitter->writer);
      uint32_t type = spirv_type (&emitter->types, phi->value.type);
      spirv_begin (&emitter->writer, SPIRV_SECTION_BODY, SpvOpPhi);
      spirv_word (&emitter->writer, SPIRV_SECTION_BODY, type);
      spirv_word (&emitter->writer, SPIRV_SECTION_BODY, id);
      for (uint32_t i = 0; i < block->n_predecessors; i++, inputs++)
        {
          struct spirv_phi_patch patch = { body->n, inputs->value };
          uint32_t undefined = inputs->value == NULL ? spirv_undefined (&emitter->types, phi->value.type) : 0;
          spirv_word (&emitter->writer, SPIRV_SECTION_BODY, undefined);
          spirv_word (&emitter->writer, SPIRV_SECTION_BODY, emitter->labels[inputs->predecessor]);
          if (inputs->value != NULL)
            g_array_append_val (emitter->phi_patches, patch);
        }
      spirv_end (&emitter->writer, SPIRV_SECTION_BODY);
      emitter->ids[phi->value.id] = id;
    }
}

static void
patch_phis (struct spirv_emitter *emitter)
{
  uint32_t *words = emitter->writer.sections[SPIRV_SECTION_BODY].words;
  for (guint i = 0; i < emitter->phi_patches->len; i++)
    {
      const struct spirv_phi_patch *patch = &g_array_index (emitter->phi_patches, struct spirv_phi_patch, i);
      words[patch->at] = spirv_value (emitter, patch->value);
    }
  g_array_set_size (emitter->phi_patches, 0);
}

static void
emit_loop_merge (struct spirv_emitter *emitter, const struct spirv_control_block *block)
{
  uint32_t control = SpvLoopControlMaskNone;
  if (block->unrolls)
    control = block->loop->u.loop.unroll_count == 0 ? SpvLoopControlUnrollMask
              : block->loop->u.loop.unroll_count == 1 ? SpvLoopControlDontUnrollMask : SpvLoopControlPartialCountMask;
  spirv_op_loop_merge (&emitter->writer, emitter->labels[block->merge], emitter->labels[block->continue_target], control,
                       block->loop->u.loop.unroll_count);
}

static void
emit_switch (struct spirv_emitter *emitter, const struct spirv_control_block *block, uint32_t selector)
{
  struct spirv_writer *writer = &emitter->writer;
  const struct xir_type *type = xir_operand (block->instruction, 0)->type;
  spirv_begin (writer, SPIRV_SECTION_BODY, SpvOpSwitch);
  spirv_word (writer, SPIRV_SECTION_BODY, selector);
  spirv_word (writer, SPIRV_SECTION_BODY, emitter->labels[block->targets[0]]);
  for (uint32_t i = 0; i < block->n_cases; i++)
    {
      /* As constants of the selector's type are: narrow signed ones extended, two words for 64 bits. */
      uint64_t value = block->cases[i].value;
      if (type->kind == XIR_TYPE_INT8 || type->kind == XIR_TYPE_INT16)
        value = (uint32_t) (type->kind == XIR_TYPE_INT8 ? (int32_t) (int8_t) value : (int32_t) (int16_t) value);
      spirv_word (writer, SPIRV_SECTION_BODY, (uint32_t) value);
      if (type->size == sizeof value)
        spirv_word (writer, SPIRV_SECTION_BODY, (uint32_t) (value >> 32));
      spirv_word (writer, SPIRV_SECTION_BODY, emitter->labels[block->cases[i].target]);
    }
  spirv_end (writer, SPIRV_SECTION_BODY);
}

static void
emit_end (struct spirv_emitter *emitter, const struct spirv_control_block *block)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t operand = block->instruction != NULL && block->instruction->n_operands > 0
                     ? spirv_operand (emitter, block->instruction, 0) : 0;
  if (block->merge_kind == SPIRV_MERGE_SELECTION)
    spirv_op_selection_merge (writer, emitter->labels[block->merge]);
  else if (block->merge_kind == SPIRV_MERGE_LOOP)
    emit_loop_merge (emitter, block);
  switch (block->terminator)
    {
    case SPIRV_TERMINATOR_RETURN:
      if (operand != 0)
        spirv_op_return_value (writer, operand);
      else
        spirv_op_return (writer);
      break;
    case SPIRV_TERMINATOR_BRANCH:
      spirv_op_branch (writer, emitter->labels[block->targets[0]]);
      break;
    case SPIRV_TERMINATOR_CONDITIONAL:
      spirv_op_branch_conditional (writer, operand, emitter->labels[block->targets[0]], emitter->labels[block->targets[1]]);
      break;
    case SPIRV_TERMINATOR_SWITCH:
      emit_switch (emitter, block, operand);
      break;
    case SPIRV_TERMINATOR_UNREACHABLE:
    default:
      spirv_op_unreachable (writer);
    }
}

static void
emit_block (struct spirv_emitter *emitter, const struct spirv_control_block *block)
{
  /* A line holds until the block ends. */
  emitter->location = (struct xir_location) { 0, 0 };
  if (block->instruction != NULL)
    {
      const struct spirv_slot *slot = &emitter->plans->slots[block->block->id];
      emit_phis (emitter, block);
      if (slot->role == SPIRV_ROLE_LOOP_MERGE)
        spirv_emit_loop_order (emitter, slot->owner);
      gb_list_for_each (instruction, &block->block->instructions, struct xir_instruction, link)
        {
          const struct spirv_op_rule *rule = spirv_op_rule (instruction->op);
          if (rule->emit == NULL)
            continue;
          emit_line (emitter, instruction);
          uint32_t id = rule->emit (emitter, instruction, rule);
          emitter->ids[instruction->value.id] = id;
        }
      if (block->instruction->op == XIR_OP_LOOP)
        spirv_emit_loop_order (emitter, block->instruction);
    }
  emit_end (emitter, block);
}

/* Threads outside the dispatch leave at once. Returns the label at which they do. */
static uint32_t
emit_prologue (struct spirv_emitter *emitter)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t exit = spirv_new_id (writer);
  spirv_op_selection_merge (writer, exit);
  spirv_op_branch_conditional (writer, emitter->specials[XIR_SPECIAL_IN_DISPATCH], emitter->labels[0], exit);
  spirv_op_label_first (writer, emitter->labels[0]);
  return exit;
}

void
spirv_emit_function (struct spirv_emitter *emitter, uint32_t index)
{
  const struct spirv_plans *plans = emitter->plans;
  uint32_t registers = plans->usage.functions[index].specials;
  emitter->function_index = index;
  emitter->function = plans->call_graph.functions[index];
  emitter->control_flow = &plans->control_flows[index];
  memset (emitter->specials, 0, sizeof emitter->specials);
  emitter->labels = g_renew (uint32_t, emitter->labels, emitter->control_flow->n_blocks);
  for (uint32_t i = 0; i < emitter->control_flow->n_blocks; i++)
    emitter->labels[i] = spirv_new_id (&emitter->writer);
  emit_signature (emitter);
  bool is_kernel = emitter->function == plans->kernel;
  /* Where threads work together, all of them run. */
  bool leaves_early = is_kernel && !plans->usage.is_convergent;
  if (leaves_early)
    registers |= UINT32_C (1) << XIR_SPECIAL_IN_DISPATCH;
  spirv_emit_specials (emitter, registers);
  uint32_t entry = leaves_early ? spirv_new_id (&emitter->writer) : emitter->labels[0];
  uint32_t exit = leaves_early ? emit_prologue (emitter) : 0;
  spirv_emit_arguments (emitter);
  for (uint32_t i = 0; i < emitter->control_flow->n_blocks; i++)
    {
      if (emitter->control_flow->blocks[i].is_skipped)
        continue;
      if (i > 0)
        spirv_op_label (&emitter->writer, emitter->labels[i]);
      emit_block (emitter, &emitter->control_flow->blocks[i]);
    }
  if (leaves_early)
    {
      spirv_op_label (&emitter->writer, exit);
      spirv_op_return (&emitter->writer);
    }
  patch_phis (emitter);
  spirv_function_end (&emitter->writer, entry);
}
