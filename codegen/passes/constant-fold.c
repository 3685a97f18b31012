/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Constant folding to a fixed point. Control flow is left to others. */

#include "config.h"

#include "codegen/passes/passes.h"

#include "codegen/xir/evaluate.h"

/* Each insert into a large constant would leave another large constant behind. */
#define LARGEST_INSERT 1024

/* An instruction waits at most once, and is freed only while it does not wait. */
struct fold_list
{
  GPtrArray *stack;
  GHashTable *waiting;
};

static void
push (struct fold_list *list,
      struct xir_instruction *instruction)
{
  if ((xir_op_info (instruction->op)->flags & XIR_FLAG_FOLD) != 0
      && g_hash_table_add (list->waiting, instruction))
    g_ptr_array_add (list->stack, instruction);
}

static struct xir_value *
fold (struct xir_module *module,
      const struct xir_instruction *instruction)
{
  struct xir_value *few[8], **operands = few, *result;

  if (instruction->op == XIR_OP_INSERT && instruction->value.type->size > LARGEST_INSERT)
    return NULL;
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    if (xir_value_constant (instruction->operands[i].value) == NULL)
      return NULL;
  if (instruction->n_operands > G_N_ELEMENTS (few))
    operands = g_new (struct xir_value *, instruction->n_operands);
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    operands[i] = instruction->operands[i].value;
  result = xir_evaluate (module, instruction->op, instruction->value.type, operands, instruction->n_operands,
                         instruction->op == XIR_OP_SHUFFLE ? instruction->u.lanes : NULL);
  if (operands != few)
    g_free (operands);
  return result;
}

bool
xir_pass_constant_fold (struct xir_module *module,
                        const struct xir_pass_options *options,
                        GError **error)
{
  struct fold_list list = { g_ptr_array_new (), g_hash_table_new (NULL, NULL) };
  bool changed = false;

  /* Last first: the stack then gives definitions before their uses. */
  for (struct gb_list *f = module->functions.prev; f != &module->functions; f = f->prev)
    {
      struct xir_function *function = gb_list_entry (f, struct xir_function, link);

      for (struct gb_list *b = function->blocks.prev; b != &function->blocks; b = b->prev)
        {
          struct xir_block *block = gb_list_entry (b, struct xir_block, link);

          for (struct gb_list *i = block->instructions.prev; i != &block->instructions; i = i->prev)
            push (&list, gb_list_entry (i, struct xir_instruction, link));
        }
    }

  while (list.stack->len > 0)
    {
      struct xir_instruction *instruction = g_ptr_array_remove_index (list.stack, list.stack->len - 1);
      struct xir_value *constant;

      g_hash_table_remove (list.waiting, instruction);
      constant = fold (module, instruction);
      if (constant == NULL || constant->type != instruction->value.type)
        continue;
      gb_list_for_each (use, &instruction->value.uses, struct xir_use, value_link)
        push (&list, use->user);
      xir_value_replace (&instruction->value, constant);
      xir_instruction_remove (instruction);
      changed = true;
    }
  g_ptr_array_free (list.stack, TRUE);
  g_hash_table_destroy (list.waiting);
  return changed;
}
