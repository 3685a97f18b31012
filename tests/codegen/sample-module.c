/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/codegen/sample-module.h"

static void
make_types (struct sample *s)
{
  const struct xir_type *members[2];

  s->context = xir_context_new ();
  s->module = xir_module_new (s->context, "sample.gk");
  s->bool_type = xir_type_scalar (s->context, XIR_TYPE_BOOL);
  s->int_type = xir_type_scalar (s->context, XIR_TYPE_INT32);
  s->uint_type = xir_type_scalar (s->context, XIR_TYPE_UINT32);
  s->float_type = xir_type_scalar (s->context, XIR_TYPE_FLOAT32);
  s->float4_type = xir_type_vector (s->context, s->float_type, 4);
  members[0] = s->float4_type;
  members[1] = s->int_type;
  s->record_type = xir_type_structure (s->context, 0, members, 2);
  s->array_type = xir_type_array (s->context, s->float_type, 4);
}

/* float scale (float x): x * 2 */
static void
make_scale (struct sample *s)
{
  struct xir_argument *x;
  struct xir_builder b;

  s->scale = xir_function_new (s->module, XIR_FUNCTION_CALLABLE, "scale", s->float_type);
  x = xir_function_add_argument (s->scale, XIR_ARGUMENT_VALUE, s->float_type, "x");
  xir_block_new (s->scale);
  xir_builder_init (&b, s->scale);
  xir_build_return (&b, xir_build_binary (&b, XIR_OP_MUL, &x->value, xir_constant_float (s->module, 2.0f)));
}

/* void sum (inout float total, buffer<record> data): total += data[0].vector.x */
static void
make_sum (struct sample *s)
{
  struct xir_value *indices[] = {
    xir_constant_uint (s->module, 0), xir_constant_int (s->module, 0), xir_constant_int (s->module, 0)
  };
  struct xir_argument *total, *data;
  struct xir_builder b;
  struct xir_value *value;

  s->sum = xir_function_new (s->module, XIR_FUNCTION_CALLABLE, "sum", NULL);
  total = xir_function_add_argument (s->sum, XIR_ARGUMENT_REFERENCE, s->float_type, "total");
  data = xir_function_add_argument (s->sum, XIR_ARGUMENT_RESOURCE, xir_type_buffer (s->context, s->record_type),
                                    "data");
  data->is_const = true;
  xir_block_new (s->sum);
  xir_builder_init (&b, s->sum);
  value = xir_build_buffer_read (&b, &data->value, indices, 3);
  xir_build_store (&b, &total->value,
                   xir_build_binary (&b, XIR_OP_ADD, xir_build_load (&b, &total->value), value));
  xir_build_return (&b, NULL);
}

static void
make_head (struct sample *s)
{
  s->kernel = xir_function_new (s->module, XIR_FUNCTION_KERNEL, "work", NULL);
  s->kernel->group_size[0] = 64;
  s->source = xir_function_add_argument (s->kernel, XIR_ARGUMENT_RESOURCE,
                                         xir_type_buffer (s->context, s->record_type), "source");
  s->source->is_const = true;
  s->target = xir_function_add_argument (s->kernel, XIR_ARGUMENT_RESOURCE,
                                         xir_type_buffer (s->context, s->float_type), "target");
  s->picture = xir_function_add_argument (s->kernel, XIR_ARGUMENT_RESOURCE,
                                          xir_type_texture (s->context, 2, s->float_type), "picture");
  s->record = xir_function_add_argument (s->kernel, XIR_ARGUMENT_VALUE, s->record_type, "record");
}

static void
make_entry (struct sample *s,
            struct xir_builder *b)
{
  struct xir_value *zero = xir_constant_int (s->module, 0), *one = xir_constant_int (s->module, 1);
  struct xir_value *field[] = { zero, one }, *count;
  struct xir_value *parts[4];

  s->entry = xir_block_new (s->kernel);
  xir_builder_init (b, s->kernel);
  s->variable = sample_instruction (xir_build_alloca (b, XIR_STORAGE_LOCAL, s->float_type, "total"));
  s->elements = sample_instruction (xir_build_alloca (b, XIR_STORAGE_LOCAL, s->array_type, NULL));
  s->extract = sample_instruction (xir_build_extract (b, &s->record->value, field, 2));
  count = xir_build_extract (b, &s->record->value, &one, 1);
  s->store = sample_instruction (NULL);
  xir_build_store (b, &s->variable->value, &s->extract->value);
  s->store = gb_list_last (&s->entry->instructions, struct xir_instruction, link);
  s->place = sample_instruction (xir_build_gep (b, &s->elements->value, &count, 1));
  s->load = sample_instruction (xir_build_load (b, &s->place->value));
  for (int i = 0; i < 4; i++)
    parts[i] = &s->load->value;
  s->aggregate = sample_instruction (xir_build_aggregate (b, s->float4_type, parts, 4));
  s->shuffle = sample_instruction (xir_build_shuffle (b, &s->aggregate->value, (uint8_t[]) { 3, 1 }, 2));
  s->insert = sample_instruction (xir_build_insert (b, &s->aggregate->value, &s->extract->value, &count, 1));
  s->condition = sample_instruction (xir_build_binary (b, XIR_OP_LESS, count, one));
}

static void
make_if (struct sample *s,
         struct xir_builder *b)
{
  struct xir_value *operand = &s->load->value, *scaled;

  s->then_block = xir_block_new (s->kernel);
  s->else_block = xir_block_new (s->kernel);
  s->if_merge = xir_block_new (s->kernel);
  s->branch_if = xir_build_if (b, &s->condition->value, s->then_block, s->else_block, s->if_merge);
  xir_builder_at_end (b, s->then_block);
  scaled = xir_build_call (b, s->scale, &operand, 1);
  s->call = sample_instruction (scaled);
  xir_build_branch (b, s->if_merge);
  xir_builder_at_end (b, s->else_block);
  s->select = sample_instruction (xir_build_ternary (b, XIR_OP_SELECT, operand, xir_constant_float (s->module, -0.0f),
                                                     &s->condition->value));
  xir_build_branch (b, s->if_merge);
  xir_builder_at_end (b, s->if_merge);
  s->phi = sample_instruction (xir_build_phi (b, s->float_type));
  xir_phi_add (&s->phi->value, scaled, s->then_block);
  xir_phi_add (&s->phi->value, &s->select->value, s->else_block);
}

/* for (i = 0; i < 4; ++i) { if nothing } */
static void
make_loop (struct sample *s,
           struct xir_builder *b)
{
  struct xir_value *index, *next, *more, *operands[2];

  s->prepare = xir_block_new (s->kernel);
  s->body = xir_block_new (s->kernel);
  s->update = xir_block_new (s->kernel);
  s->loop_merge = xir_block_new (s->kernel);
  s->loop = xir_build_loop (b, s->prepare, s->body, s->update, s->loop_merge);
  s->loop->u.loop.hint = XIR_LOOP_UNROLL;
  xir_builder_at_end (b, s->prepare);
  index = xir_build_phi (b, s->int_type);
  s->counter = sample_instruction (index);
  more = xir_build_binary (b, XIR_OP_LESS, index, xir_constant_int (s->module, 4));
  xir_build_conditional_branch (b, more, s->body, s->loop_merge);
  xir_builder_at_end (b, s->body);
  operands[0] = &s->variable->value;
  operands[1] = &s->source->value;
  xir_build_call (b, s->sum, operands, 2);
  s->reference_call = gb_list_last (&s->body->instructions, struct xir_instruction, link);
  xir_build_branch (b, s->update);
  xir_builder_at_end (b, s->update);
  next = xir_build_binary (b, XIR_OP_ADD, index, xir_constant_int (s->module, 1));
  xir_build_branch (b, s->prepare);
  xir_phi_add (index, xir_constant_int (s->module, 0), s->if_merge);
  xir_phi_add (index, next, s->update);
  xir_builder_at_end (b, s->loop_merge);
}

/* switch (i) { case 1: falls through, default: , case -2: break } */
static void
make_switch (struct sample *s,
             struct xir_builder *b)
{
  struct xir_value *at = xir_build_shuffle (b, xir_special_get (s->module, XIR_SPECIAL_GLOBAL_ID),
                                            (uint8_t[]) { 0, 1 }, 2);
  struct xir_value *zero = xir_constant_uint (s->module, 0), *value;

  s->case_one = xir_block_new (s->kernel);
  s->case_default = xir_block_new (s->kernel);
  s->case_two = xir_block_new (s->kernel);
  s->switch_merge = xir_block_new (s->kernel);
  s->switch_ = xir_build_switch (b, &s->counter->value, s->switch_merge);
  xir_switch_add_case (s->switch_, 1, s->case_one);
  xir_switch_set_default (s->switch_, s->case_default);
  xir_switch_add_case (s->switch_, (uint64_t) -2, s->case_two);
  xir_builder_at_end (b, s->case_one);
  xir_build_branch (b, s->case_default);
  xir_builder_at_end (b, s->case_default);
  s->texel = sample_instruction (xir_build_texture_read (b, &s->picture->value, at));
  xir_build_texture_write (b, &s->picture->value, at, &s->texel->value);
  s->texel_write = gb_list_last (&s->case_default->instructions, struct xir_instruction, link);
  xir_build_break (b, s->switch_merge);
  xir_builder_at_end (b, s->case_two);
  value = xir_build_buffer_read (b, &s->target->value, &zero, 1);
  s->read = sample_instruction (value);
  xir_build_branch (b, s->switch_merge);
  xir_builder_at_end (b, s->switch_merge);
  s->cast = sample_instruction (xir_build_cast (b, s->uint_type, &s->phi->value));
  value = &s->cast->value;
  xir_build_buffer_write (b, &s->target->value, xir_build_load (b, &s->variable->value), &value, 1);
  s->write = gb_list_last (&s->switch_merge->instructions, struct xir_instruction, link);
  xir_build_return (b, NULL);
}

void
sample_init (struct sample *sample)
{
  struct xir_builder builder;

  make_types (sample);
  make_scale (sample);
  make_sum (sample);
  make_head (sample);
  make_entry (sample, &builder);
  make_if (sample, &builder);
  make_loop (sample, &builder);
  make_switch (sample, &builder);
}

void
sample_clear (struct sample *sample)
{
  xir_module_free (sample->module);
  xir_context_unref (sample->context);
}
