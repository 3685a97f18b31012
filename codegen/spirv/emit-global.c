/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Global variables: inputs, push constants, the argument block, resources; and
 * what each function takes from them when it begins. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <stddef.h>

/* Members of struct spirv_dispatch_constants. */
enum head_member { HEAD_DISPATCH_SIZE, HEAD_KERNEL_ID, HEAD_GROUP_OFFSET, HEAD_RESERVED, N_HEAD_MEMBERS };

struct block
{
  GArray *types;                 /* uint32_t */
  GArray *offsets;
};

static void
add_member (struct block *block, uint32_t type, uint32_t offset)
{
  g_array_append_val (block->types, type);
  g_array_append_val (block->offsets, offset);
}

uint32_t
spirv_emit_global_variable (struct spirv_emitter *emitter, SpvStorageClass class, uint32_t pointee, uint32_t initializer,
                            const char *name)
{
  const uint32_t operands[] = { class, initializer };
  uint32_t id = spirv_global (&emitter->writer, SpvOpVariable, spirv_type_pointer (&emitter->types, class, pointee),
                              operands, initializer != 0 ? 2 : 1);
  g_array_append_val (emitter->interface, id);
  if (emitter->options->debug_names && name != NULL)
    spirv_name (&emitter->writer, id, name);
  return id;
}

static uint32_t
make_block_type (struct spirv_emitter *emitter, const struct block *block, const char *name)
{
  uint32_t id = spirv_global (&emitter->writer, SpvOpTypeStruct, 0, (const uint32_t *) (void *) block->types->data,
                              block->types->len);
  spirv_decorate (&emitter->writer, id, SpvDecorationBlock);
  for (guint i = 0; i < block->offsets->len; i++)
    spirv_decorate_member (&emitter->writer, id, i, SpvDecorationOffset, g_array_index (block->offsets, uint32_t, i));
  if (emitter->options->debug_names)
    spirv_name (&emitter->writer, id, name);
  return id;
}

static void
add_head (struct spirv_emitter *emitter, struct block *block)
{
  uint32_t word = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 1);
  uint32_t three = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 3);
  add_member (block, three, offsetof (struct spirv_dispatch_constants, dispatch_size));
  add_member (block, word, offsetof (struct spirv_dispatch_constants, kernel_id));
  add_member (block, three, offsetof (struct spirv_dispatch_constants, group_offset));
  add_member (block, word, offsetof (struct spirv_dispatch_constants, reserved));
}

/* Values and records where the binding plan put them. */
static void
add_arguments (struct spirv_emitter *emitter, struct block *block, uint32_t base)
{
  const struct spirv_plans *plans = emitter->plans;
  uint32_t word = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 1);
  for (uint32_t i = 0; i < plans->binding.n_arguments; i++)
    {
      const struct spirv_argument *argument = &plans->binding.arguments[i];
      if (plans->kernel->arguments[i]->argument_kind != XIR_ARGUMENT_VALUE)
        continue;
      emitter->arguments[i].member = block->types->len;
      const struct xir_type *type = spirv_argument_storage_type (plans->module->context, plans->kernel->arguments[i]->value.type);
      add_member (block, spirv_type_laid_out (&emitter->types, type), base + argument->offset);
    }
  for (uint32_t i = 0; i < plans->binding.n_arguments; i++)
    {
      const struct spirv_argument *argument = &plans->binding.arguments[i];
      if (argument->metadata_offset == G_MAXUINT32)
        continue;
      emitter->arguments[i].member = block->types->len;
      add_member (block, word, base + argument->metadata_offset);
      add_member (block, word, base + argument->metadata_offset + 4);
    }
}

static void
place (struct spirv_emitter *emitter, uint32_t variable, uint32_t binding)
{
  spirv_decorate_word (&emitter->writer, variable, SpvDecorationDescriptorSet, emitter->plans->binding.bindings[binding].set);
  spirv_decorate_word (&emitter->writer, variable, SpvDecorationBinding, emitter->plans->binding.bindings[binding].binding);
}

static void
emit_argument_memory (struct spirv_emitter *emitter)
{
  struct block block = { g_array_new (FALSE, FALSE, sizeof (uint32_t)), g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  bool in_block = emitter->plans->binding.arguments_in_block;
  add_head (emitter, &block);
  if (!in_block)
    add_arguments (emitter, &block, sizeof (struct spirv_dispatch_constants));
  emitter->push_constants = spirv_emit_global_variable (emitter, SpvStorageClassPushConstant,
                                                        make_block_type (emitter, &block, "Dispatch"), 0, "dispatch");
  if (in_block)
    {
      g_array_set_size (block.types, 0);
      g_array_set_size (block.offsets, 0);
      add_arguments (emitter, &block, 0);
      emitter->argument_block = spirv_emit_global_variable (emitter, SpvStorageClassStorageBuffer,
                                                            make_block_type (emitter, &block, "Arguments"), 0, "arguments");
      spirv_decorate (&emitter->writer, emitter->argument_block, SpvDecorationNonWritable);
      place (emitter, emitter->argument_block, 0);
    }
  g_array_unref (block.types);
  g_array_unref (block.offsets);
}

/* A structure of one runtime array; equal elements share it. */
static uint32_t
buffer_type (struct spirv_emitter *emitter, const struct xir_type *element)
{
  bool is_new;
  uint32_t laid_out = spirv_type_laid_out (&emitter->types, element);
  uint32_t array = spirv_intern (&emitter->writer, SpvOpTypeRuntimeArray, 0, &laid_out, 1, &is_new);
  if (is_new)
    spirv_decorate_word (&emitter->writer, array, SpvDecorationArrayStride, (uint32_t) element->size);
  uint32_t block = spirv_intern (&emitter->writer, SpvOpTypeStruct, 0, &array, 1, &is_new);
  if (is_new)
    {
      spirv_decorate (&emitter->writer, block, SpvDecorationBlock);
      spirv_decorate_member (&emitter->writer, block, 0, SpvDecorationOffset, 0);
    }
  return block;
}

/* The buffer once more, as words. What has another type must not alias it unsaid. */
static void
emit_words (struct spirv_emitter *emitter, uint32_t binding, struct spirv_emitter_argument *out)
{
  const struct xir_type *word = xir_type_scalar (emitter->plans->module->context, XIR_TYPE_UINT32);
  out->words = spirv_emit_global_variable (emitter, SpvStorageClassStorageBuffer, buffer_type (emitter, word), 0, NULL);
  place (emitter, out->words, binding);
  spirv_decorate (&emitter->writer, out->words, SpvDecorationAliased);
}

/* The same memory may come through several arguments. One that is only read here is constant where none of those that
 * are written can be the same. */
static void
decorate_resource (struct spirv_emitter *emitter, const struct spirv_binding *binding, uint32_t variable)
{
  const struct spirv_plans *plans = emitter->plans;
  const struct xir_argument *argument = plans->kernel->arguments[binding->argument];
  unsigned needs = plans->usage.arguments[argument->value.id];
  bool is_aliased = spirv_is_aliased (plans->kernel, &plans->usage, argument);
  if (is_aliased || (needs & SPIRV_NEED_WORDS) != 0)
    spirv_decorate (&emitter->writer, variable, SpvDecorationAliased);
  if ((needs & SPIRV_NEED_VOLATILE) != 0)
    spirv_decorate (&emitter->writer, variable, SpvDecorationCoherent);
  else if (!is_aliased && (needs & SPIRV_NEED_WRITE) == 0)
    spirv_decorate (&emitter->writer, variable, SpvDecorationNonWritable);
  else if (binding->kind == SPIRV_BINDING_STORAGE_IMAGE && (needs & SPIRV_NEED_READ) == 0)
    spirv_decorate (&emitter->writer, variable, SpvDecorationNonReadable);
}

static void
emit_resource (struct spirv_emitter *emitter, uint32_t binding)
{
  const struct spirv_plans *plans = emitter->plans;
  const struct spirv_binding *plan = &plans->binding.bindings[binding];
  if (plan->kind == SPIRV_BINDING_ARGUMENT_BLOCK)
    return;
  const struct spirv_argument *argument = &plans->binding.arguments[plan->argument];
  const struct xir_type *type = plans->kernel->arguments[plan->argument]->value.type;
  struct spirv_emitter_argument *out = &emitter->arguments[plan->argument];
  if (plan->kind == SPIRV_BINDING_STORAGE_BUFFER || plan->kind == SPIRV_BINDING_PRINT_BUFFER)
    out->variable = spirv_emit_global_variable (emitter, SpvStorageClassStorageBuffer,
                                                buffer_type (emitter, type->element), 0, argument->name);
  else
    {
      out->image_type = spirv_type_image (&emitter->types, argument->type, plan->kind == SPIRV_BINDING_SAMPLED_IMAGE ? 1 : 2);
      out->variable = spirv_emit_global_variable (emitter, SpvStorageClassUniformConstant, out->image_type, 0, argument->name);
    }
  place (emitter, out->variable, binding);
  if (plan->kind == SPIRV_BINDING_SAMPLED_IMAGE)
    return;
  if ((plans->usage.arguments[plans->kernel->arguments[plan->argument]->value.id] & SPIRV_NEED_WORDS) != 0)
    emit_words (emitter, binding, out);
  decorate_resource (emitter, plan, out->variable);
}

static uint32_t
emit_input (struct spirv_emitter *emitter, SpvBuiltIn builtin, uint32_t lanes, const char *name)
{
  uint32_t id = spirv_emit_global_variable (emitter, SpvStorageClassInput, spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, lanes),
                                            0, name);
  spirv_decorate_word (&emitter->writer, id, SpvDecorationBuiltIn, builtin);
  return id;
}

void
spirv_emit_globals (struct spirv_emitter *emitter)
{
  emitter->inputs[0] = emit_input (emitter, SpvBuiltInLocalInvocationId, 3, "local_id");
  emitter->inputs[1] = emit_input (emitter, SpvBuiltInWorkgroupId, 3, "workgroup_id");
  uint32_t registers = 0;
  for (uint32_t i = 0; i < emitter->plans->call_graph.n_functions; i++)
    registers |= emitter->plans->usage.functions[i].specials;
  if ((registers & UINT32_C (1) << XIR_SPECIAL_SUBGROUP_LANE) != 0)
    emitter->subgroup_inputs[0] = emit_input (emitter, SpvBuiltInSubgroupLocalInvocationId, 1, "subgroup_lane");
  if ((registers & UINT32_C (1) << XIR_SPECIAL_SUBGROUP_SIZE) != 0)
    emitter->subgroup_inputs[1] = emit_input (emitter, SpvBuiltInSubgroupSize, 1, "subgroup_size");
  emit_argument_memory (emitter);
  for (uint32_t i = 0; i < emitter->plans->binding.n_bindings; i++)
    emit_resource (emitter, i);
}

uint32_t
spirv_emit_constant_variable (struct spirv_emitter *emitter, const struct xir_value *constant)
{
  uint32_t value = spirv_value (emitter, constant);
  gpointer known = g_hash_table_lookup (emitter->constant_variables, GUINT_TO_POINTER (value));
  if (known != NULL)
    return GPOINTER_TO_UINT (known);
  uint32_t id = spirv_emit_global_variable (emitter, SpvStorageClassPrivate, spirv_type (&emitter->types, constant->type),
                                            value, NULL);
  spirv_decorate (&emitter->writer, id, SpvDecorationNonWritable);
  g_hash_table_insert (emitter->constant_variables, GUINT_TO_POINTER (value), GUINT_TO_POINTER (id));
  return id;
}

/* The beginning of a function. */

static uint32_t
load_head (struct spirv_emitter *emitter, enum head_member member, uint32_t lanes)
{
  uint32_t type = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, lanes);
  uint32_t index = spirv_constant_word (&emitter->types, member);
  uint32_t pointer = spirv_op_access_chain (&emitter->writer, spirv_type_pointer (&emitter->types, SpvStorageClassPushConstant, type),
                                            emitter->push_constants, &index, 1);
  return spirv_op_load (&emitter->writer, type, pointer);
}

static uint32_t
group_size (struct spirv_emitter *emitter)
{
  uint32_t parts[3];
  for (int i = 0; i < 3; i++)
    parts[i] = spirv_constant_word (&emitter->types, emitter->plans->kernel->group_size[i]);
  return spirv_intern (&emitter->writer, SpvOpConstantComposite, spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 3), parts, 3,
                       NULL);
}

/* Of the whole dispatch, which may be split: one less, divided, one more, so that sizes near the top
 * do not wrap. No thread runs in an empty dispatch. */
static uint32_t
num_groups (struct spirv_emitter *emitter)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t three = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 3);
  uint32_t one = spirv_constant_bits (&emitter->types, XIR_TYPE_UINT32, 3, 1);
  uint32_t less = spirv_op_i_sub (writer, three, emitter->specials[XIR_SPECIAL_DISPATCH_SIZE], one);
  return spirv_op_i_add (writer, three, spirv_op_u_div (writer, three, less, group_size (emitter)), one);
}

static uint32_t
in_dispatch (struct spirv_emitter *emitter)
{
  uint32_t three = spirv_type_kind (&emitter->types, XIR_TYPE_BOOL, 3);
  uint32_t inside = spirv_op_u_less_than (&emitter->writer, three, emitter->specials[XIR_SPECIAL_GLOBAL_ID],
                                          emitter->specials[XIR_SPECIAL_DISPATCH_SIZE]);
  return spirv_op_all (&emitter->writer, spirv_type_kind (&emitter->types, XIR_TYPE_BOOL, 1), inside);
}

void
spirv_emit_specials (struct spirv_emitter *emitter, uint32_t registers)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t three = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 3);
  uint32_t *out = emitter->specials;
  const uint32_t global = UINT32_C (1) << XIR_SPECIAL_GLOBAL_ID;
  if ((registers & UINT32_C (1) << XIR_SPECIAL_IN_DISPATCH) != 0)
    registers |= global | UINT32_C (1) << XIR_SPECIAL_DISPATCH_SIZE;
  if ((registers & UINT32_C (1) << XIR_SPECIAL_NUM_GROUPS) != 0)
    registers |= UINT32_C (1) << XIR_SPECIAL_DISPATCH_SIZE;
  if ((registers & (global | UINT32_C (1) << XIR_SPECIAL_LOCAL_ID)) != 0)
    out[XIR_SPECIAL_LOCAL_ID] = spirv_op_load (writer, three, emitter->inputs[0]);
  if ((registers & (global | UINT32_C (1) << XIR_SPECIAL_GROUP_ID)) != 0)
    out[XIR_SPECIAL_GROUP_ID] = spirv_op_i_add (writer, three, spirv_op_load (writer, three, emitter->inputs[1]),
                                                load_head (emitter, HEAD_GROUP_OFFSET, 3));
  if ((registers & (global | UINT32_C (1) << XIR_SPECIAL_GROUP_SIZE)) != 0)
    out[XIR_SPECIAL_GROUP_SIZE] = group_size (emitter);
  if ((registers & global) != 0)
    out[XIR_SPECIAL_GLOBAL_ID] = spirv_op_i_add (writer, three,
                                                 spirv_op_i_mul (writer, three, out[XIR_SPECIAL_GROUP_ID], out[XIR_SPECIAL_GROUP_SIZE]),
                                                 out[XIR_SPECIAL_LOCAL_ID]);
  if ((registers & UINT32_C (1) << XIR_SPECIAL_DISPATCH_SIZE) != 0)
    out[XIR_SPECIAL_DISPATCH_SIZE] = load_head (emitter, HEAD_DISPATCH_SIZE, 3);
  if ((registers & UINT32_C (1) << XIR_SPECIAL_NUM_GROUPS) != 0)
    out[XIR_SPECIAL_NUM_GROUPS] = num_groups (emitter);
  if ((registers & UINT32_C (1) << XIR_SPECIAL_IN_DISPATCH) != 0)
    out[XIR_SPECIAL_IN_DISPATCH] = in_dispatch (emitter);
  for (unsigned i = 0; i < 2; i++)
    if ((registers & UINT32_C (1) << (XIR_SPECIAL_SUBGROUP_LANE + i)) != 0)
      out[XIR_SPECIAL_SUBGROUP_LANE + i] = spirv_op_load (writer, spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 1),
                                                          emitter->subgroup_inputs[i]);
  if ((registers & UINT32_C (1) << XIR_SPECIAL_KERNEL_ID) != 0)
    out[XIR_SPECIAL_KERNEL_ID] = load_head (emitter, HEAD_KERNEL_ID, 1);
}

uint32_t
spirv_emit_argument_pointer (struct spirv_emitter *emitter, uint32_t member, const uint32_t *indices, uint32_t n,
                             uint32_t part_type)
{
  uint32_t chain[XIR_TYPE_MAX_DEPTH + 2];
  bool in_block = emitter->argument_block != 0;
  SpvStorageClass class = in_block ? SpvStorageClassStorageBuffer : SpvStorageClassPushConstant;
  chain[0] = spirv_constant_word (&emitter->types, member);
  for (uint32_t i = 0; i < n; i++)
    chain[i + 1] = indices[i];
  return spirv_op_access_chain (&emitter->writer, spirv_type_pointer (&emitter->types, class, part_type),
                                in_block ? emitter->argument_block : emitter->push_constants, chain, n + 1);
}

/* Structures and arrays of which only parts are taken are never read as a whole. */
static bool
is_taken_whole (const struct xir_argument *argument)
{
  if (!spirv_type_is_laid_out_apart (argument->value.type))
    return true;
  gb_list_for_each (use, &argument->value.uses, struct xir_use, value_link)
    if (use->user->op != XIR_OP_EXTRACT)
      return true;
  return false;
}

static void
load_value (struct spirv_emitter *emitter, uint32_t index)
{
  const struct xir_argument *argument = emitter->plans->kernel->arguments[index];
  const struct xir_type *type = argument->value.type;
  const struct xir_type *storage = spirv_argument_storage_type (emitter->plans->module->context, type);
  uint32_t laid_out = spirv_type_laid_out (&emitter->types, storage);
  uint32_t pointer = spirv_emit_argument_pointer (emitter, emitter->arguments[index].member, NULL, 0, laid_out);
  uint32_t id = spirv_op_load (&emitter->writer, laid_out, pointer);
  if (storage != type)
    {
      struct spirv_shape shape = spirv_shape (emitter, type);
      id = spirv_op_i_not_equal (&emitter->writer, shape.as_bool, id, spirv_shape_uint (emitter, &shape, 0));
    }
  else if (spirv_type_is_laid_out_apart (type))
    id = spirv_op_copy_logical (&emitter->writer, spirv_type (&emitter->types, type), id);
  emitter->ids[argument->value.id] = id;
}

static uint32_t
load_word (struct spirv_emitter *emitter, uint32_t member)
{
  uint32_t word = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 1);
  return spirv_op_load (&emitter->writer, word, spirv_emit_argument_pointer (emitter, member, NULL, 0, word));
}

void
spirv_emit_arguments (struct spirv_emitter *emitter)
{
  const struct spirv_plans *plans = emitter->plans;
  const struct spirv_function_usage *usage = &plans->usage.functions[emitter->function_index];
  bool in_kernel = emitter->function == plans->kernel;
  for (uint32_t i = 0; i < plans->binding.n_arguments; i++)
    {
      const struct xir_argument *argument = plans->kernel->arguments[i];
      if (in_kernel && argument->argument_kind == XIR_ARGUMENT_VALUE && plans->binding.arguments[i].usage != 0
          && is_taken_whole (argument))
        load_value (emitter, i);
      if ((usage->resources[i] & SPIRV_NEED_FIRST) != 0)
        emitter->arguments[i].first = load_word (emitter, emitter->arguments[i].member);
      if ((usage->resources[i] & SPIRV_NEED_LENGTH) != 0)
        emitter->arguments[i].length = load_word (emitter, emitter->arguments[i].member + 1);
    }
}
