/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The verifier: silent on a good module, and one broken module a rule. Each break
 * starts from the good sample and names the words that the report must hold. */

#include "config.h"

#include "codegen/xir/verify.h"

#include <string.h>

#include "codegen/xir/xir-private.h"
#include "tests/codegen/sample-module.h"
#include "tests/test-main.h"

static struct xir_value *
number (struct sample *s,
        int32_t value)
{
  return xir_constant_int (s->module, value);
}

static struct xir_builder
builder_before (struct sample *s,
                struct xir_instruction *instruction)
{
  struct xir_builder b;

  xir_builder_init (&b, instruction->block->function);
  xir_builder_before (&b, instruction);
  return b;
}

static struct xir_instruction *
terminator (struct xir_block *block)
{
  return xir_block_terminator (block);
}

/* Puts another terminator in place of the block's. */
static struct xir_builder
open_block (struct sample *s,
            struct xir_block *block)
{
  struct xir_builder b;

  xir_instruction_remove (terminator (block));
  xir_builder_init (&b, s->kernel);
  xir_builder_at_end (&b, block);
  return b;
}

#define BREAK(name) static void name (struct sample *s)

/* Functions and arguments. */
BREAK (name_twice) { s->scale->name = "sum"; }
BREAK (name_empty) { s->scale->name = ""; }
BREAK (kernel_returns) { s->kernel->return_type = s->float_type; }
BREAK (group_size_zero) { s->kernel->group_size[1] = 0; }
BREAK (returns_resource) { s->scale->return_type = s->source->value.type; }
BREAK (no_entry) { xir_function_new (s->module, XIR_FUNCTION_CALLABLE, "empty", NULL); }
BREAK (kernel_reference) { s->record->argument_kind = XIR_ARGUMENT_REFERENCE; s->record->value.is_lvalue = true; }
BREAK (value_of_resource_type) { s->target->argument_kind = XIR_ARGUMENT_VALUE; }
BREAK (argument_index) { s->target->index = 0; }
BREAK (argument_lvalue) { s->record->value.is_lvalue = true; }
BREAK (value_is_restrict) { s->record->is_restrict = true; }
BREAK (image_is_restrict) { s->picture->is_restrict = true; }
BREAK (restrict_in_function) { s->sum->arguments[1]->is_restrict = true; }
BREAK (argument_kind) { s->record->argument_kind = 7; }

/* Uses. */
BREAK (operand_missing) { xir_instruction_set_operand (s->condition, 0, NULL); }
BREAK (operand_foreign)
{
  xir_instruction_set_operand (s->call, 0, &s->sum->arguments[0]->value);
}
BREAK (use_unlinked) { gb_list_remove (&s->condition->operands[0].value_link); }
BREAK (use_of_other_value) { s->condition->operands[0].value = number (s, 77); }
BREAK (use_of_other_user) { s->condition->operands[0].user = s->load; }
BREAK (value_of_no_place)
{
  struct xir_instruction *lost = xir_instruction_new (s->module, XIR_OP_ALLOCA, s->float_type, 0, 0);

  xir_instruction_set_operand (s->call, 0, &lost->value);
}

/* Counts, operand rules, results. */
BREAK (unknown_op) { s->condition->op = XIR_N_OPS + 3; }
BREAK (too_few_operands) { s->condition->n_operands = 1; }
BREAK (too_many_operands) { s->cast->op = XIR_OP_BRANCH; }
BREAK (wrong_block_count) { s->branch_if->n_blocks = 2; }
BREAK (mixed_operands) { xir_instruction_set_operand (s->condition, 1, xir_constant_float (s->module, 1)); }
BREAK (bool_arithmetic)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_binary (&b, XIR_OP_ADD, &s->condition->value, &s->condition->value);
}
BREAK (signed_clz)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_unary (&b, XIR_OP_CLZ, number (s, 1));
}
BREAK (scalar_dot)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_binary (&b, XIR_OP_DOT, &s->load->value, &s->load->value);
}
BREAK (shift_lanes)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_binary (&b, XIR_OP_SHIFT_LEFT, number (s, 1),
                    xir_constant_zero (s->module, xir_type_vector (s->context, s->int_type, 2)));
}
BREAK (result_of_less) { s->condition->value.type = s->int_type; }
BREAK (result_missing) { s->cast->value.type = NULL; }
BREAK (resource_in_arithmetic)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_binary (&b, XIR_OP_ADD, &s->source->value, &s->source->value);
}
BREAK (lvalue_in_arithmetic)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_unary (&b, XIR_OP_NEG, &s->variable->value);
}

/* Conversions, composites. */
BREAK (cast_lanes) { s->cast->value.type = s->float4_type; }
BREAK (bitcast_bits)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_bitcast (&b, xir_type_scalar (s->context, XIR_TYPE_FLOAT64), &s->load->value);
}
BREAK (bitcast_bool)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_bitcast (&b, xir_type_scalar (s->context, XIR_TYPE_INT8), &s->condition->value);
}
BREAK (select_condition) { xir_instruction_set_operand (s->select, 2, number (s, 1)); }
BREAK (select_arms) { xir_instruction_set_operand (s->select, 1, number (s, 1)); }
BREAK (pow_int_exponent)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_binary (&b, XIR_OP_POW_INT, &s->load->value, &s->load->value);
}
BREAK (aggregate_parts) { s->aggregate->value.type = xir_type_vector (s->context, s->float_type, 3); }
BREAK (aggregate_part_type) { xir_instruction_set_operand (s->aggregate, 2, number (s, 1)); }
BREAK (aggregate_of_scalar) { s->aggregate->value.type = s->float_type; }
BREAK (shuffle_lane) { s->shuffle->u.lanes[1] = 4; }
BREAK (shuffle_type) { s->shuffle->value.type = xir_type_vector (s->context, s->int_type, 2); }
BREAK (structure_index_dynamic)
{
  xir_instruction_set_operand (s->extract, 1, xir_special_get (s->module, XIR_SPECIAL_KERNEL_ID));
}
BREAK (structure_index_range) { xir_instruction_set_operand (s->extract, 1, number (s, 2)); }
BREAK (index_is_float) { xir_instruction_set_operand (s->insert, 2, xir_constant_float (s->module, 0)); }
BREAK (insert_value_type) { xir_instruction_set_operand (s->insert, 1, number (s, 0)); }
BREAK (extract_type) { s->extract->value.type = s->int_type; }

/* Memory. */
BREAK (load_type) { s->load->value.type = s->int_type; }
BREAK (load_of_value) { xir_instruction_set_operand (s->load, 0, &s->extract->value); }
BREAK (store_type) { xir_instruction_set_operand (s->store, 1, number (s, 1)); }
BREAK (store_to_value) { xir_instruction_set_operand (s->store, 0, &s->extract->value); }
BREAK (store_lvalue) { xir_instruction_set_operand (s->store, 1, &s->variable->value); }
BREAK (store_resource) { xir_instruction_set_operand (s->store, 1, &s->target->value); }
BREAK (gep_of_value) { xir_instruction_set_operand (s->place, 0, &s->aggregate->value); }
BREAK (gep_type) { s->place->value.type = s->int_type; }
BREAK (gep_no_lvalue) { s->place->value.is_lvalue = false; }
BREAK (load_is_lvalue) { s->load->value.is_lvalue = true; }
BREAK (alloca_of_resource) { s->variable->value.type = s->target->value.type; }
BREAK (alloca_elsewhere)
{
  struct xir_instruction *moved = xir_instruction_new (s->module, XIR_OP_ALLOCA, s->float_type, 0, 0);

  moved->value.is_lvalue = true;
  xir_instruction_insert (moved, s->then_block, terminator (s->then_block));
}

/* Calls. */
BREAK (call_of_kernel) { s->reference_call->u.callee = s->kernel; }
BREAK (call_of_nothing) { s->call->u.callee = NULL; }
BREAK (call_count) { s->call->u.callee = s->sum; }
BREAK (call_type) { xir_instruction_set_operand (s->call, 0, number (s, 1)); }
BREAK (call_result) { s->call->value.type = s->int_type; }
BREAK (reference_is_part)
{
  xir_instruction_set_operand (s->reference_call, 0, &s->place->value);
}
BREAK (reference_is_value) { xir_instruction_set_operand (s->reference_call, 0, &s->load->value); }
BREAK (reference_is_shared) { s->variable->u.alloca_.storage = XIR_STORAGE_SHARED; }
BREAK (resource_is_const) { s->sum->arguments[1]->is_const = false; }
BREAK (resource_is_undefined)
{
  xir_instruction_set_operand (s->reference_call, 1, xir_undefined_get (s->module, s->source->value.type));
}
BREAK (resource_type) { xir_instruction_set_operand (s->reference_call, 1, &s->target->value); }
BREAK (recursion)
{
  struct xir_builder b = builder_before (s, terminator (xir_function_entry (s->scale)));
  struct xir_value *operand = &s->scale->arguments[0]->value;

  xir_build_call (&b, s->scale, &operand, 1);
}
BREAK (recursion_of_two)
{
  struct xir_builder b = builder_before (s, terminator (xir_function_entry (s->scale)));
  struct xir_function *other = xir_function_new (s->module, XIR_FUNCTION_CALLABLE, "other", NULL);
  struct xir_value *one = xir_constant_float (s->module, 1);

  xir_build_call (&b, other, NULL, 0);
  xir_block_new (other);
  xir_builder_init (&b, other);
  xir_build_call (&b, s->scale, &one, 1);
  xir_build_return (&b, NULL);
}
BREAK (resource_of_other_kernel)
{
  struct xir_function *other = xir_function_new (s->module, XIR_FUNCTION_KERNEL, "other", NULL);
  struct xir_function *copy = xir_function_new (s->module, XIR_FUNCTION_CALLABLE, "copy", NULL);
  struct xir_builder b;

  xir_block_new (copy);
  xir_builder_init (&b, copy);
  xir_build_buffer_size (&b, &s->target->value);
  xir_build_return (&b, NULL);
  xir_block_new (other);
  xir_builder_init (&b, other);
  xir_build_call (&b, copy, NULL, 0);
  xir_build_return (&b, NULL);
}

/* Resources. */
BREAK (write_to_const_buffer) { s->target->is_const = true; }
BREAK (write_to_const_texture) { s->picture->is_const = true; }
BREAK (buffer_is_value) { xir_instruction_set_operand (s->read, 0, &s->load->value); }
BREAK (buffer_is_texture) { xir_instruction_set_operand (s->read, 0, &s->picture->value); }
BREAK (buffer_read_type) { s->read->value.type = s->int_type; }
BREAK (buffer_write_type) { xir_instruction_set_operand (s->write, 1, number (s, 1)); }
BREAK (buffer_index_type) { xir_instruction_set_operand (s->read, 1, xir_constant_float (s->module, 1)); }
BREAK (texture_place_lanes) { xir_instruction_set_operand (s->texel, 1, xir_special_get (s->module, XIR_SPECIAL_GLOBAL_ID)); }
BREAK (texture_read_type) { s->texel->value.type = s->float_type; }
BREAK (texel_type) { xir_instruction_set_operand (s->texel_write, 2, &s->load->value); }

/* Atomics, subgroups. */
static struct xir_instruction *
add_atomic (struct sample *s,
            enum xir_op op,
            struct xir_value *base,
            struct xir_value *value,
            uint32_t n_indices)
{
  struct xir_builder b = builder_before (s, s->branch_if);
  struct xir_value *indices[] = { number (s, 1), number (s, 0) };

  return xir_value_instruction (xir_build_atomic (&b, op, base, NULL, value, indices, n_indices));
}

/* A variable in shared memory. */
static struct xir_value *
shared (struct sample *s,
        const struct xir_type *type)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  return xir_build_alloca (&b, XIR_STORAGE_SHARED, type, NULL);
}

BREAK (atomic_of_local) { add_atomic (s, XIR_OP_ATOMIC_ADD, &s->place->value, xir_constant_float (s->module, 1), 0); }
BREAK (atomic_of_value) { add_atomic (s, XIR_OP_ATOMIC_ADD, &s->load->value, xir_constant_float (s->module, 1), 1); }
BREAK (atomic_of_const)
{
  s->target->is_const = true;
  add_atomic (s, XIR_OP_ATOMIC_ADD, &s->target->value, xir_constant_float (s->module, 1), 1);
}
BREAK (atomic_without_index) { add_atomic (s, XIR_OP_ATOMIC_ADD, &s->target->value, xir_constant_float (s->module, 1), 0); }
BREAK (atomic_too_deep) { add_atomic (s, XIR_OP_ATOMIC_ADD, &s->target->value, xir_constant_float (s->module, 1), 2); }
BREAK (atomic_shared_index) { add_atomic (s, XIR_OP_ATOMIC_ADD, shared (s, s->int_type), number (s, 1), 1); }
BREAK (atomic_value) { add_atomic (s, XIR_OP_ATOMIC_ADD, &s->target->value, number (s, 1), 1)->value.type = s->float_type; }
BREAK (atomic_result) { add_atomic (s, XIR_OP_ATOMIC_ADD, shared (s, s->int_type), number (s, 1), 0)->value.type = s->uint_type; }
BREAK (atomic_and_of_float) { add_atomic (s, XIR_OP_ATOMIC_AND, &s->target->value, xir_constant_float (s->module, 1), 1); }
BREAK (atomic_of_vector)
{
  add_atomic (s, XIR_OP_ATOMIC_EXCHANGE, shared (s, s->float4_type), xir_constant_zero (s->module, s->float4_type), 0);
}
BREAK (atomic_expected)
{
  struct xir_builder b = builder_before (s, s->branch_if);
  struct xir_value *base = shared (s, s->uint_type);

  xir_build_atomic (&b, XIR_OP_ATOMIC_COMPARE_EXCHANGE, base, number (s, 1), xir_constant_uint (s->module, 1), NULL, 0);
}
BREAK (vote_of_number)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_unary (&b, XIR_OP_SUBGROUP_ALL, number (s, 1));
}
BREAK (ballot_result)
{
  struct xir_builder b = builder_before (s, s->branch_if);
  struct xir_value *condition = &s->condition->value;

  xir_build_op (&b, XIR_OP_SUBGROUP_BALLOT, s->uint_type, &condition, 1);
}
BREAK (count_result)
{
  struct xir_builder b = builder_before (s, s->branch_if);
  struct xir_value *condition = &s->condition->value;

  xir_build_op (&b, XIR_OP_SUBGROUP_PREFIX_COUNT, s->int_type, &condition, 1);
}
BREAK (read_from_int_lane)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_binary (&b, XIR_OP_SUBGROUP_READ, &s->load->value, number (s, 1));
}
BREAK (bitwise_of_float)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_unary (&b, XIR_OP_SUBGROUP_OR, &s->load->value);
}
BREAK (format_without_values)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_print (&b, XIR_OP_PRINT, "{} {}", NULL, (struct xir_value *[]) { number (s, 1) }, 1);
}
BREAK (format_with_a_brace)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_print (&b, XIR_OP_PRINT, "}", NULL, NULL, 0);
}
BREAK (assert_of_a_number)
{
  struct xir_builder b = builder_before (s, s->branch_if);

  xir_build_print (&b, XIR_OP_ASSERT, "", NULL, (struct xir_value *[]) { number (s, 1) }, 1);
}
BREAK (print_of_an_array)
{
  struct xir_builder b = builder_before (s, s->branch_if);
  struct xir_value *large = xir_constant_zero (s->module, xir_type_array (s->context, s->int_type, 257));

  xir_build_print (&b, XIR_OP_PRINT, "{}", NULL, &large, 1);
}

/* Control flow. */
BREAK (condition_type) { xir_instruction_set_operand (s->branch_if, 0, number (s, 1)); }
BREAK (no_terminator) { xir_instruction_remove (terminator (s->if_merge)); }
BREAK (terminator_inside)
{
  struct xir_builder b = builder_before (s, s->call);

  xir_build_branch (&b, s->if_merge);
}
BREAK (phi_behind)
{
  struct xir_builder b = builder_before (s, s->loop);

  xir_build_binary (&b, XIR_OP_ADD, number (s, 1), number (s, 2));
  xir_phi_add (xir_build_phi (&b, s->float_type), &s->load->value, s->then_block);
}
BREAK (arms_are_one) { s->branch_if->blocks[1] = s->then_block; }
BREAK (arm_is_merge) { s->branch_if->blocks[1] = s->if_merge; }
BREAK (role_is_missing) { s->branch_if->blocks[0] = NULL; }
BREAK (role_of_other_function) { s->branch_if->blocks[0] = xir_function_entry (s->scale); }
BREAK (role_is_entry) { s->branch_if->blocks[0] = s->entry; }
BREAK (merge_of_two) { s->loop->blocks[3] = s->if_merge; }
BREAK (block_without_role) { struct xir_builder b; xir_builder_init (&b, s->kernel); xir_builder_at_end (&b, xir_block_new (s->kernel)); xir_build_return (&b, NULL); }
BREAK (branch_out_of_arm) { terminator (s->then_block)->blocks[0] = s->else_block; }
BREAK (branch_to_entry) { terminator (s->then_block)->blocks[0] = s->entry; }
BREAK (branch_at_top) { struct xir_builder b = open_block (s, s->switch_merge); xir_build_branch (&b, s->if_merge); }
BREAK (body_skips_update) { terminator (s->body)->blocks[0] = s->prepare; }
BREAK (prepare_to_elsewhere) { terminator (s->prepare)->blocks[0] = s->update; }
BREAK (prepare_swapped)
{
  struct xir_instruction *branch = terminator (s->prepare);

  branch->blocks[0] = s->loop_merge;
  branch->blocks[1] = s->body;
}
BREAK (prepare_breaks) { struct xir_builder b = open_block (s, s->prepare); xir_build_break (&b, s->loop_merge); }
BREAK (update_returns) { struct xir_builder b = open_block (s, s->update); xir_build_return (&b, NULL); }
BREAK (update_continues) { struct xir_builder b = open_block (s, s->update); xir_build_continue (&b, s->update); }
BREAK (prepare_is_two_blocks)
{
  struct xir_block *a = xir_block_new (s->kernel), *c = xir_block_new (s->kernel), *d = xir_block_new (s->kernel);
  struct xir_builder b = open_block (s, s->prepare);

  xir_build_if (&b, &s->condition->value, a, c, d);
  xir_builder_at_end (&b, a);
  xir_build_branch (&b, d);
  xir_builder_at_end (&b, c);
  xir_build_branch (&b, d);
  xir_builder_at_end (&b, d);
  xir_build_branch (&b, s->body);
}
BREAK (break_outside) { struct xir_builder b = open_block (s, s->then_block); xir_build_break (&b, s->if_merge); }
BREAK (break_of_other) { terminator (s->case_default)->blocks[0] = s->loop_merge; }
BREAK (continue_outside) { struct xir_builder b = open_block (s, s->then_block); xir_build_continue (&b, s->update); }
BREAK (conditional_elsewhere)
{
  struct xir_builder b = open_block (s, s->then_block);

  xir_build_conditional_branch (&b, &s->condition->value, s->if_merge, s->else_block);
}
BREAK (fall_through_backwards) { terminator (s->case_default)->op = XIR_OP_BRANCH; terminator (s->case_default)->blocks[0] = s->case_one; }
BREAK (fall_through_too_far) { terminator (s->case_one)->blocks[0] = s->case_two; }
BREAK (case_is_merge) { s->switch_->blocks[2] = s->switch_merge; }
BREAK (cases_apart)
{
  xir_switch_add_case (s->switch_, 9, s->case_one);
}
BREAK (case_twice) { xir_switch_add_case (s->switch_, 1, s->case_two); }
BREAK (case_twice_sign_extended) { xir_switch_add_case (s->switch_, 0xfffffffeu, s->case_two); }
BREAK (case_too_large) { s->switch_->u.switch_.values[0] = UINT64_C (1) << 32; }
BREAK (default_position) { s->switch_->u.switch_.default_position = 3; }
BREAK (selector_type) { xir_instruction_set_operand (s->switch_, 0, &s->phi->value); }
BREAK (return_nothing) { xir_instruction_remove (terminator (xir_function_entry (s->scale))); struct xir_builder b; xir_builder_init (&b, s->scale); xir_build_return (&b, NULL); }
BREAK (return_type) { s->scale->return_type = s->int_type; }

/* Phis and dominance. */
BREAK (phi_missing_entry) { xir_phi_remove (s->phi, 1); }
BREAK (phi_wrong_entry) { s->phi->blocks[1] = s->entry; }
BREAK (phi_double_entry) { xir_phi_add (&s->phi->value, &s->load->value, s->then_block); }
BREAK (phi_entry_missing_block) { s->phi->blocks[0] = NULL; }
BREAK (phi_type) { xir_instruction_set_operand (s->phi, 0, number (s, 1)); }
BREAK (phi_of_resource)
{
  s->phi->value.type = s->target->value.type;
  xir_instruction_set_operand (s->phi, 0, &s->target->value);
  xir_instruction_set_operand (s->phi, 1, &s->target->value);
}
BREAK (phi_value_late) { xir_instruction_set_operand (s->phi, 0, &s->select->value); }
BREAK (use_before_definition) { xir_instruction_set_operand (s->store, 1, &s->load->value); }
BREAK (use_beside_definition) { xir_instruction_set_operand (s->select, 0, &s->call->value); }
BREAK (use_after_arm) { xir_instruction_set_operand (s->write, 1, &s->select->value); }
BREAK (use_of_body_behind) { xir_instruction_set_operand (s->write, 2, xir_operand (s->counter, 1)); }
BREAK (unterminated_is_reported_alone) { xir_instruction_remove (terminator (s->update)); }

#undef BREAK

#define ROW(name, words) { #name, name, words }

static const struct
{
  const char *name;
  void (*apply) (struct sample *s);
  const char *words;
} breaks[] = {
  ROW (name_twice, "another function is called sum too"),
  ROW (name_empty, "the function has no name"),
  ROW (kernel_returns, "a kernel returns nothing"),
  ROW (group_size_zero, "group size 1 is 0"),
  ROW (returns_resource, "cannot be returned"),
  ROW (no_entry, "the function has no entry block"),
  ROW (kernel_reference, "a kernel has no reference arguments"),
  ROW (value_of_resource_type, "does not fit its kind"),
  ROW (argument_index, "argument 1 is not of this function and place"),
  ROW (argument_lvalue, "only references are lvalues"),
  ROW (value_is_restrict, "argument 3: only buffers of kernels are restrict"),
  ROW (image_is_restrict, "argument 2: only buffers of kernels are restrict"),
  ROW (restrict_in_function, "argument 1: only buffers of kernels are restrict"),
  ROW (argument_kind, "argument 3 is of no kind"),
  ROW (operand_missing, "operand 0 is missing"),
  ROW (operand_foreign, "operand 0 is no value of this function or module"),
  ROW (use_unlinked, "operand 0 is not in its value's list of uses"),
  ROW (use_of_other_value, "a list of uses holds a use that is none"),
  ROW (use_of_other_user, "operand 0 is not in its value's list of uses"),
  ROW (value_of_no_place, "operand 0 is no value of this function or module"),
  ROW (unknown_op, "there is no op"),
  ROW (too_few_operands, "less does not take 1 operands"),
  ROW (too_many_operands, "branch does not take 1 operands"),
  ROW (wrong_block_count, "if does not take 2 blocks"),
  ROW (mixed_operands, "operand 1 is float, operand 0 is int"),
  ROW (bool_arithmetic, "add does not take a bool as operand 0"),
  ROW (signed_clz, "clz does not take a int as operand 0"),
  ROW (scalar_dot, "dot does not take a float as operand 0"),
  ROW (shift_lanes, "operand 1 is vector<int,2>, operand 0 is int"),
  ROW (result_of_less, "the result is int, not bool"),
  ROW (result_missing, "cast has no result type"),
  ROW (resource_in_arithmetic, "operand 0 is a resource, which is no value"),
  ROW (lvalue_in_arithmetic, "operand 0 is an lvalue, not a value"),
  ROW (cast_lanes, "cast from float to vector<float,4> changes the lanes"),
  ROW (bitcast_bits, "not as many bits"),
  ROW (bitcast_bool, "bitcast from bool to byte"),
  ROW (select_condition, "the condition is int"),
  ROW (select_arms, "operand 1 is int, not float"),
  ROW (pow_int_exponent, "the exponent is float"),
  ROW (aggregate_parts, "vector<float,3> has 3 parts, 4 are given"),
  ROW (aggregate_part_type, "part 2 is int, not float"),
  ROW (aggregate_of_scalar, "float has no parts"),
  ROW (shuffle_lane, "vector<float,4> has no lane 4"),
  ROW (shuffle_type, "shuffle from vector<float,4> to vector<int,2>"),
  ROW (structure_index_dynamic, "the indices lead nowhere"),
  ROW (structure_index_range, "the indices lead nowhere"),
  ROW (index_is_float, "index operand 2 is float, not an integer"),
  ROW (insert_value_type, "the value is int, not float"),
  ROW (extract_type, "the result is int, not float"),
  ROW (load_type, "the result is int, not float"),
  ROW (load_of_value, "operand 0 is not an lvalue"),
  ROW (store_type, "the value is int, not float"),
  ROW (store_to_value, "operand 0 is not an lvalue"),
  ROW (store_lvalue, "operand 1 is an lvalue, not a value"),
  ROW (store_resource, "operand 1 is a resource, which is no value"),
  ROW (gep_of_value, "operand 0 is not an lvalue"),
  ROW (gep_type, "the result is int, not float"),
  ROW (gep_no_lvalue, "only alloca and gep make lvalues"),
  ROW (load_is_lvalue, "only alloca and gep make lvalues"),
  ROW (alloca_of_resource, "cannot be held in memory"),
  ROW (alloca_elsewhere, "an alloca stands outside the entry block"),
  ROW (call_of_kernel, "a kernel cannot be called"),
  ROW (call_of_nothing, "the called function is not in this module"),
  ROW (call_count, "sum takes 2 arguments, not 1"),
  ROW (call_type, "argument 0 is int, not float"),
  ROW (call_result, "the result is int, not float"),
  ROW (reference_is_part, "argument 0 is no whole local variable"),
  ROW (reference_is_value, "argument 0 is no whole local variable"),
  ROW (reference_is_shared, "argument 0 is no whole local variable"),
  ROW (resource_is_const, "argument 1 is read-only, the parameter is not"),
  ROW (resource_is_undefined, "operand 1 is no resource argument"),
  ROW (resource_type, "argument 1 is buffer<float>, not buffer<struct<16,vector<float,4>,int>>"),
  ROW (recursion, "recursion: scale is being called already"),
  ROW (recursion_of_two, "recursion: "),
  ROW (resource_of_other_kernel, "copy names resources of the kernel work"),
  ROW (write_to_const_buffer, "the buffer is read-only"),
  ROW (write_to_const_texture, "the texture is read-only"),
  ROW (buffer_is_value, "operand 0 is no resource argument"),
  ROW (buffer_is_texture, "operand 0 is no resource argument"),
  ROW (buffer_read_type, "the result is int, not float"),
  ROW (buffer_write_type, "the value is int, not float"),
  ROW (buffer_index_type, "index operand 1 is float, not an integer"),
  ROW (texture_place_lanes, "the place is vector<uint,3>"),
  ROW (texture_read_type, "the result is float, not vector<float,4>"),
  ROW (texel_type, "the texel is float, not vector<float,4>"),
  ROW (atomic_of_local, "operand 0 is not in shared memory"),
  ROW (atomic_of_value, "operand 0 is no resource argument"),
  ROW (atomic_of_const, "the buffer is read-only"),
  ROW (atomic_without_index, "an atomic in a buffer needs an index"),
  ROW (atomic_too_deep, "the indices lead nowhere in float"),
  ROW (atomic_shared_index, "an atomic in shared memory takes no indices"),
  ROW (atomic_value, "the value is int, not float"),
  ROW (atomic_result, "the result is uint, not int"),
  ROW (atomic_and_of_float, "there is no atomic_and of float"),
  ROW (atomic_of_vector, "there is no atomic_exchange of vector<float,4>"),
  ROW (atomic_expected, "the expected value is int, not uint"),
  ROW (vote_of_number, "subgroup_all does not take a int as operand 0"),
  ROW (ballot_result, "the result is uint, not vector<uint,4>"),
  ROW (count_result, "the result is int, not uint"),
  ROW (read_from_int_lane, "the lane is int, not uint"),
  ROW (format_without_values, "the format has places: 2, values: 1"),
  ROW (format_with_a_brace, "print has no format, or one with a stray brace"),
  ROW (assert_of_a_number, "the condition is int, not bool"),
  ROW (print_of_an_array, "the values take more than 256 words"),
  ROW (bitwise_of_float, "subgroup_or does not take a float as operand 0"),
  ROW (condition_type, "the condition is int, not bool"),
  ROW (no_terminator, "the block does not end in a terminator"),
  ROW (terminator_inside, "a terminator stands before the end of its block"),
  ROW (phi_behind, "a phi stands behind other instructions"),
  ROW (arms_are_one, "the false block has a role already"),
  ROW (arm_is_merge, "the false block has a role already"),
  ROW (role_is_missing, "the true block is missing or of another function"),
  ROW (role_of_other_function, "the true block is missing or of another function"),
  ROW (role_is_entry, "the true block is the entry"),
  ROW (merge_of_two, "the merge block has a role already"),
  ROW (block_without_role, "nothing leads to this block"),
  ROW (branch_out_of_arm, "a branch may not go there from here"),
  ROW (branch_to_entry, "control goes back to the entry"),
  ROW (branch_at_top, "a branch may not go there from here"),
  ROW (body_skips_update, "a branch may not go there from here"),
  ROW (prepare_to_elsewhere, "with its own targets"),
  ROW (prepare_swapped, "with its own targets"),
  ROW (prepare_breaks, "break does not name"),
  ROW (update_returns, "control may not end inside a loop's prepare or update"),
  ROW (update_continues, "continue does not name"),
  ROW (prepare_is_two_blocks, "a loop's prepare is one block"),
  ROW (break_outside, "break does not name"),
  ROW (break_of_other, "break does not name"),
  ROW (continue_outside, "continue does not name"),
  ROW (conditional_elsewhere, "only ends a loop's prepare or update"),
  ROW (fall_through_backwards, "a branch may not go there from here"),
  ROW (fall_through_too_far, "a branch may not go there from here"),
  ROW (case_is_merge, "the case block has a role already"),
  ROW (cases_apart, "the case block has a role already"),
  ROW (case_twice, "two cases have the value 1"),
  ROW (case_twice_sign_extended, "two cases have the value 4294967294"),
  ROW (case_too_large, "case 4294967296 does not fit int"),
  ROW (default_position, "the default stands behind the last case"),
  ROW (selector_type, "the selector is float, not an integer"),
  ROW (return_nothing, "the function returns float, nothing is given"),
  ROW (return_type, "what is returned is float, not int"),
  ROW (phi_missing_entry, "1 predecessors have no entry"),
  ROW (phi_wrong_entry, "entry 1 does not come from a predecessor"),
  ROW (phi_double_entry, "entry 2 comes from a predecessor that had its entry"),
  ROW (phi_entry_missing_block, "entry 0 does not come from a predecessor"),
  ROW (phi_type, "value 0 is int, not float"),
  ROW (phi_of_resource, "operand 0 is a resource, which is no value"),
  ROW (phi_value_late, "operand 0 is used where its definition does not dominate"),
  ROW (use_before_definition, "operand 1 is used where its definition does not dominate"),
  ROW (use_beside_definition, "operand 0 is used where its definition does not dominate"),
  ROW (use_after_arm, "operand 1 is used where its definition does not dominate"),
  ROW (use_of_body_behind, "operand 2 is used where its definition does not dominate"),
  ROW (unterminated_is_reported_alone, "the block does not end in a terminator"),
};

START_TEST (broken_module_is_reported)
{
  struct sample sample;
  GString *report = g_string_new (NULL);

  sample_init (&sample);
  ck_assert_uint_eq (xir_verify_module (sample.module, NULL), 0);
  breaks[_i].apply (&sample);
  ck_assert_msg (xir_verify_module (sample.module, report) > 0, "%s is accepted", breaks[_i].name);
  ck_assert_msg (strstr (report->str, breaks[_i].words) != NULL, "%s:\n%s", breaks[_i].name, report->str);
  g_string_free (report, TRUE);
  /* Broken use lists cannot be taken apart again; the module goes as a whole. */
  sample_clear (&sample);
}
END_TEST

START_TEST (error_stands_under_its_line)
{
  struct sample sample;
  GString *report = g_string_new (NULL);

  sample_init (&sample);
  shuffle_lane (&sample);
  load_type (&sample);
  ck_assert_uint_ge (xir_verify_module (sample.module, report), 2);
  ck_assert_ptr_nonnull (strstr (report->str, "  %11 = shuffle %10 [3, 4] : vector<float,2>\n"
                                              "    ^ error: vector<float,4> has no lane 4\n"
                                              "  %12"));
  ck_assert_ptr_nonnull (strstr (report->str, "  %9 = load %8 : int\n    ^ error: the result is int, not float\n"));
  ck_assert_ptr_null (strstr (report->str, "function scale"));
  g_string_free (report, TRUE);
  sample_clear (&sample);
}
END_TEST

/* Good control flow that is easily refused. */
START_TEST (unusual_but_good)
{
  struct sample s;
  struct xir_function *f;
  struct xir_block *b[12];
  struct xir_builder builder;
  struct xir_value *flag;
  GString *report = g_string_new (NULL);

  sample_init (&s);
  f = xir_function_new (s.module, XIR_FUNCTION_CALLABLE, "unusual", s.int_type);
  flag = &xir_function_add_argument (f, XIR_ARGUMENT_VALUE, s.bool_type, "flag")->value;
  for (int i = 0; i < 12; i++)
    b[i] = xir_block_new (f);
  xir_builder_init (&builder, f);
  /* do { if (flag) return; else continue; } while (flag): the if's merge is unreachable. */
  xir_build_loop (&builder, b[1], b[2], b[3], b[4]);
  xir_builder_at_end (&builder, b[1]);
  xir_build_branch (&builder, b[2]);
  xir_builder_at_end (&builder, b[2]);
  xir_build_if (&builder, flag, b[5], b[6], b[7]);
  xir_builder_at_end (&builder, b[5]);
  xir_build_return (&builder, number (&s, 1));
  xir_builder_at_end (&builder, b[6]);
  xir_build_continue (&builder, b[3]);
  xir_builder_at_end (&builder, b[7]);
  xir_build_unreachable (&builder, "both arms leave");
  xir_builder_at_end (&builder, b[3]);
  xir_build_conditional_branch (&builder, flag, b[1], b[4]);
  /* switch without default; a case that is also the default; a break through an if. */
  xir_builder_at_end (&builder, b[4]);
  struct xir_instruction *selector = xir_build_switch (&builder, number (&s, 3), b[11]);
  xir_switch_add_case (selector, 1, b[8]);
  xir_switch_set_default (selector, b[8]);
  xir_switch_add_case (selector, 2, b[8]);
  xir_builder_at_end (&builder, b[8]);
  xir_build_if (&builder, flag, b[9], b[10], xir_block_new (f));
  xir_builder_at_end (&builder, b[9]);
  xir_build_break (&builder, b[11]);
  xir_builder_at_end (&builder, b[10]);
  xir_build_branch (&builder, xir_merge_block (terminator (b[8])));
  xir_builder_at_end (&builder, xir_merge_block (terminator (b[8])));
  xir_build_branch (&builder, b[11]);
  xir_builder_at_end (&builder, b[11]);
  xir_build_return (&builder, number (&s, 2));
  ck_assert_msg (xir_verify_module (s.module, report) == 0, "%s", report->str);
  g_string_free (report, TRUE);
  sample_clear (&s);
}
END_TEST

/* What text nests is limited elsewhere; here nothing may recurse or be quadratic. */
START_TEST (deep_nesting_is_quick)
{
  struct sample s;
  struct xir_function *f;
  struct xir_builder b;
  struct xir_value *flag;
  GPtrArray *merges = g_ptr_array_new ();

  sample_init (&s);
  f = xir_function_new (s.module, XIR_FUNCTION_CALLABLE, "deep", NULL);
  flag = &xir_function_add_argument (f, XIR_ARGUMENT_VALUE, s.bool_type, "flag")->value;
  xir_block_new (f);
  xir_builder_init (&b, f);
  for (int i = 0; i < 30000; i++)
    {
      struct xir_block *yes = xir_block_new (f), *no = xir_block_new (f), *merge = xir_block_new (f);

      flag = xir_build_unary (&b, XIR_OP_NOT, flag);
      xir_build_if (&b, flag, yes, no, merge);
      xir_builder_at_end (&b, no);
      xir_build_branch (&b, merge);
      xir_builder_at_end (&b, yes);
      g_ptr_array_add (merges, merge);
    }
  for (guint i = merges->len; i-- > 0;)
    {
      xir_build_branch (&b, merges->pdata[i]);
      xir_builder_at_end (&b, merges->pdata[i]);
    }
  xir_build_return (&b, NULL);
  ck_assert_uint_eq (xir_verify_module (s.module, NULL), 0);
  g_ptr_array_free (merges, TRUE);
  sample_clear (&s);
}
END_TEST

/* One loop with very many ways out, each deeper in the dominator tree. */
START_TEST (many_breaks_are_quick)
{
  struct sample s;
  struct xir_function *f;
  struct xir_builder b;
  struct xir_block *prepare, *body, *update, *merge;
  struct xir_value *flag;

  sample_init (&s);
  f = xir_function_new (s.module, XIR_FUNCTION_CALLABLE, "wide", NULL);
  flag = &xir_function_add_argument (f, XIR_ARGUMENT_VALUE, s.bool_type, "flag")->value;
  xir_block_new (f);
  xir_builder_init (&b, f);
  prepare = xir_block_new (f);
  body = xir_block_new (f);
  update = xir_block_new (f);
  merge = xir_block_new (f);
  xir_build_loop (&b, prepare, body, update, merge);
  xir_builder_at_end (&b, prepare);
  xir_build_branch (&b, body);
  xir_builder_at_end (&b, update);
  xir_build_branch (&b, prepare);
  xir_builder_at_end (&b, merge);
  xir_build_return (&b, NULL);
  xir_builder_at_end (&b, body);
  for (int i = 0; i < 30000; i++)
    {
      struct xir_block *yes = xir_block_new (f), *no = xir_block_new (f), *next = xir_block_new (f);

      flag = xir_build_unary (&b, XIR_OP_NOT, flag);
      xir_build_if (&b, flag, yes, no, next);
      xir_builder_at_end (&b, yes);
      xir_build_break (&b, merge);
      xir_builder_at_end (&b, no);
      xir_build_branch (&b, next);
      xir_builder_at_end (&b, next);
    }
  xir_build_branch (&b, update);
  ck_assert_uint_eq (xir_verify_module (s.module, NULL), 0);
  sample_clear (&s);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("verify");
  TCase *test_case = gb_test_case (suite, "verify");

  tcase_add_loop_test (test_case, broken_module_is_reported, 0, G_N_ELEMENTS (breaks));
  tcase_add_test (test_case, error_stands_under_its_line);
  tcase_add_test (test_case, unusual_but_good);
  tcase_add_test (test_case, deep_nesting_is_quick);
  tcase_add_test (test_case, many_breaks_are_quick);
  return suite;
}

GB_TEST_MAIN (make_suite)
