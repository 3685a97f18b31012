/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dead code: what is needed is marked from the effects backwards, the rest goes.
 * A store to a variable is needed when a load, call or atomic that is needed reads the
 * variable, so that variables that are only written vanish with all they took. */

#include "config.h"

#include "codegen/passes/passes.h"

struct marking
{
  bool *live;                    /* instructions by their ids */
  GPtrArray *pending;            /* live, operands not looked at */
};

static void
mark (struct marking *marking,
      struct xir_instruction *instruction)
{
  if (instruction == NULL || marking->live[instruction->value.id])
    return;
  marking->live[instruction->value.id] = true;
  g_ptr_array_add (marking->pending, instruction);
}

/* The alloca that an lvalue is part of; NULL for a reference argument's. */
static struct xir_instruction *
variable_of (const struct xir_value *lvalue)
{
  struct xir_instruction *instruction = xir_value_instruction (lvalue);

  while (instruction != NULL && instruction->op == XIR_OP_GEP)
    instruction = xir_value_instruction (xir_operand (instruction, 0));
  return instruction;
}

static bool
is_root (const struct xir_instruction *instruction)
{
  if (instruction->op == XIR_OP_STORE)
    return variable_of (xir_operand (instruction, 0)) == NULL;
  if (xir_op_is_buffer_access (instruction->op) && instruction->u.is_volatile)
    return true;
  return (xir_op_info (instruction->op)->flags & (XIR_FLAG_EFFECT | XIR_FLAG_TERMINATOR)) != 0;
}

/* Every store into the variable, through geps of geps too. */
static void
mark_stores (struct marking *marking,
             const struct xir_instruction *variable)
{
  GPtrArray *lvalues = g_ptr_array_new ();

  g_ptr_array_add (lvalues, (gpointer) &variable->value);
  while (lvalues->len > 0)
    {
      const struct xir_value *lvalue = g_ptr_array_remove_index (lvalues, lvalues->len - 1);

      gb_list_for_each (use, &lvalue->uses, struct xir_use, value_link)
        if (use->user->op == XIR_OP_STORE)
          mark (marking, use->user);
        else if (use->user->op == XIR_OP_GEP)
          g_ptr_array_add (lvalues, &use->user->value);
    }
  g_ptr_array_free (lvalues, TRUE);
}

static void
mark_function (struct marking *marking,
               const struct xir_function *function)
{
  GHashTable *read = g_hash_table_new (NULL, NULL);

  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      if (is_root (instruction))
        mark (marking, instruction);

  while (marking->pending->len > 0)
    {
      struct xir_instruction *instruction
        = g_ptr_array_remove_index (marking->pending, marking->pending->len - 1);

      for (uint32_t i = 0; i < instruction->n_operands; i++)
        {
          struct xir_value *value = xir_operand (instruction, i);
          struct xir_instruction *variable = value->is_lvalue ? variable_of (value) : NULL;

          mark (marking, xir_value_instruction (value));
          if (variable != NULL && (instruction->op == XIR_OP_LOAD || instruction->op == XIR_OP_CALL
                                   || xir_op_is_atomic (instruction->op))
              && g_hash_table_add (read, variable))
            mark_stores (marking, variable);
        }
    }
  g_hash_table_destroy (read);
}

static bool
sweep_function (const struct marking *marking,
                struct xir_function *function)
{
  bool changed = false;

  /* Dead values may use each other in a circle of phis. */
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      if (!marking->live[instruction->value.id])
        for (uint32_t i = 0; i < instruction->n_operands; i++)
          xir_instruction_set_operand (instruction, i, NULL);
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    gb_list_for_each_safe (instruction, &block->instructions, struct xir_instruction, link)
      if (!marking->live[instruction->value.id])
        {
          xir_instruction_remove (instruction);
          changed = true;
        }
  return changed;
}

static guint
add_calls (GHashTable *calls,
           const struct xir_function *callee,
           int difference)
{
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (calls, callee)) + (guint) difference;

  g_hash_table_insert (calls, (gpointer) callee, GUINT_TO_POINTER (count));
  return count;
}

static bool
is_removable (const struct xir_function *function)
{
  return function->is_helper && function->kind == XIR_FUNCTION_CALLABLE;
}

/* Functions that passes made and nobody calls; each may leave others uncalled. */
static bool
remove_helpers (struct xir_module *module)
{
  GHashTable *calls = g_hash_table_new (NULL, NULL);
  GPtrArray *unused = g_ptr_array_new ();
  bool changed = false;

  gb_list_for_each (function, &module->functions, struct xir_function, link)
    gb_list_for_each (block, &function->blocks, struct xir_block, link)
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        if (instruction->op == XIR_OP_CALL)
          add_calls (calls, instruction->u.callee, 1);
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    if (is_removable (function) && g_hash_table_lookup (calls, function) == NULL)
      g_ptr_array_add (unused, function);

  while (unused->len > 0)
    {
      struct xir_function *function = g_ptr_array_remove_index (unused, unused->len - 1);

      gb_list_for_each (block, &function->blocks, struct xir_block, link)
        gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
          if (instruction->op == XIR_OP_CALL && add_calls (calls, instruction->u.callee, -1) == 0
              && is_removable (instruction->u.callee))
            g_ptr_array_add (unused, instruction->u.callee);
      xir_function_free (function);
      changed = true;
    }
  g_ptr_array_free (unused, TRUE);
  g_hash_table_destroy (calls);
  return changed;
}

bool
xir_pass_dead_code (struct xir_module *module,
                    const struct xir_pass_options *options,
                    GError **error)
{
  struct marking marking = { g_new0 (bool, module->next_id), g_ptr_array_new () };
  bool changed = false;

  gb_list_for_each (function, &module->functions, struct xir_function, link)
    {
      mark_function (&marking, function);
      changed = sweep_function (&marking, function) || changed;
    }
  g_free (marking.live);
  g_ptr_array_free (marking.pending, TRUE);
  return remove_helpers (module) || changed;
}
