/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Control flow that passes put in the middle of what is there. */

#include "config.h"

#include "codegen/passes/passes.h"

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

struct xir_block *
xir_block_new_behind (struct xir_block *block)
{
  struct xir_block *result = xir_block_new (block->function);

  gb_list_remove (&result->link);
  gb_list_insert_after (&block->link, &result->link);
  return result;
}

static void
rename_predecessor (struct xir_block *block,
                    const struct xir_block *from,
                    struct xir_block *to)
{
  gb_list_for_each (phi, &block->instructions, struct xir_instruction, link)
    {
      if (phi->op != XIR_OP_PHI)
        break;
      for (uint32_t i = 0; i < phi->n_blocks; i++)
        if (phi->blocks[i] == from)
          phi->blocks[i] = to;
    }
}

/* The first instruction behind the phis. */
static struct xir_instruction *
first_of (const struct xir_block *block)
{
  struct xir_instruction *instruction = gb_list_first (&block->instructions, struct xir_instruction, link);

  while (instruction->op == XIR_OP_PHI)
    instruction = gb_list_entry (instruction->link.next, struct xir_instruction, link);
  return instruction;
}

/* Control goes from this prepare to the body and nowhere else. */
static void
move_into_body (struct xir_block *prepare,
                struct xir_block *body)
{
  struct xir_instruction *terminator = xir_block_terminator (prepare), *first, *instruction;

  while ((instruction = gb_list_first (&body->instructions, struct xir_instruction, link))->op == XIR_OP_PHI)
    {
      xir_value_replace (&instruction->value, xir_operand (instruction, 0));
      xir_instruction_remove (instruction);
    }
  first = instruction;
  while ((instruction = first_of (prepare)) != terminator)
    {
      gb_list_remove (&instruction->link);
      xir_instruction_insert (instruction, body, first);
    }
}

struct xir_block *
xir_loop_open_prepare (struct xir_instruction *loop)
{
  struct xir_block *prepare = loop->blocks[0], *body = loop->blocks[1], *merge = loop->blocks[3];
  struct xir_instruction *terminator = xir_block_terminator (prepare);
  struct xir_block *start, *leave, *go_on;
  struct xir_builder builder;

  if (terminator->op != XIR_OP_CONDITIONAL_BRANCH)
    {
      move_into_body (prepare, body);
      return body;
    }
  start = xir_block_split (prepare, first_of (prepare));
  leave = xir_block_new_behind (start);
  go_on = xir_block_new_behind (start);
  loop->blocks[1] = start;
  xir_builder_init (&builder, prepare->function);
  builder.location = terminator->location;
  xir_builder_at_end (&builder, prepare);
  xir_build_branch (&builder, start);

  xir_builder_before (&builder, terminator);
  xir_build_if (&builder, xir_operand (terminator, 0), go_on, leave, body);
  xir_instruction_remove (terminator);
  xir_builder_at_end (&builder, go_on);
  xir_build_branch (&builder, body);
  rename_predecessor (body, start, go_on);
  xir_builder_at_end (&builder, leave);
  xir_build_break (&builder, merge);
  rename_predecessor (merge, start, leave);
  return start;
}

void
xir_function_open_prepares (struct xir_function *function,
                            bool (*wanted) (const struct xir_instruction *instruction, gconstpointer data),
                            gconstpointer data)
{
  GPtrArray *loops = g_ptr_array_new ();

  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    {
      struct xir_instruction *terminator = xir_block_terminator (block);
      bool found = false;

      if (terminator == NULL || terminator->op != XIR_OP_LOOP)
        continue;
      gb_list_for_each (instruction, &terminator->blocks[0]->instructions, struct xir_instruction, link)
        found = found || wanted (instruction, data);
      if (found)
        g_ptr_array_add (loops, terminator);
    }
  for (guint i = 0; i < loops->len; i++)
    xir_loop_open_prepare (loops->pdata[i]);
  g_ptr_array_free (loops, TRUE);
}

struct xir_value *
xir_build_exchange_loop (struct xir_builder *builder,
                         struct xir_instruction *before,
                         struct xir_value *place,
                         struct xir_value *const *indices,
                         uint32_t n,
                         struct xir_value *(*change) (struct xir_builder *builder, struct xir_value *guess, gconstpointer data),
                         gconstpointer data)
{
  struct xir_block *head = before->block, *tail, *prepare, *body, *update;
  struct xir_value *guess, *old, *again;

  tail = xir_block_split (head, before);
  update = xir_block_new_behind (head);
  body = xir_block_new_behind (head);
  prepare = xir_block_new_behind (head);
  xir_builder_at_end (builder, head);
  xir_build_loop (builder, prepare, body, update, tail);
  xir_builder_at_end (builder, prepare);
  guess = xir_build_phi (builder, xir_type_scalar (builder->module->context, XIR_TYPE_UINT32));
  xir_build_branch (builder, body);
  xir_builder_at_end (builder, body);
  old = xir_build_atomic (builder, XIR_OP_ATOMIC_COMPARE_EXCHANGE, place, guess, change (builder, guess, data), indices, n);
  again = xir_build_binary (builder, XIR_OP_NOT_EQUAL, old, guess);
  xir_build_branch (builder, update);
  xir_builder_at_end (builder, update);
  xir_build_conditional_branch (builder, again, prepare, tail);
  xir_phi_add (guess, xir_constant_uint (builder->module, 0), head);
  xir_phi_add (guess, old, update);
  xir_builder_before (builder, before);
  return old;
}
