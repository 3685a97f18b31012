/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/verify.h"

#include "codegen/xir/verify-private.h"
#include "codegen/xir/xir-private.h"

static void
free_note (gpointer note)
{
  g_string_free (note, TRUE);
}

void
verify_error (struct verifier *verifier,
              const struct xir_function *function,
              gconstpointer object,
              const char *format,
              ...)
{
  GString *note = verifier->module_notes;
  va_list arguments;

  verifier->n_errors++;
  verifier->n_function_errors++;
  if (function != NULL)
    {
      g_hash_table_add (verifier->failed, (gpointer) function);
      note = g_hash_table_lookup (verifier->notes, object);
      if (note == NULL)
        {
          note = g_string_new (NULL);
          g_hash_table_insert (verifier->notes, (gpointer) object, note);
        }
    }
  g_string_append (note, "    ^ error: ");
  va_start (arguments, format);
  g_string_append_vprintf (note, format, arguments);
  va_end (arguments);
  g_string_append_c (note, '\n');
}

uint32_t
verify_block_index (const struct verifier *verifier,
                    const struct xir_block *block)
{
  guint index = block != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (verifier->block_index, block)) : 0;

  return index == 0 ? VERIFY_NONE : index - 1;
}

static void
verify_argument (struct verifier *verifier,
                 const struct xir_function *function,
                 uint32_t index)
{
  const struct xir_argument *argument = function->arguments[index];
  const struct xir_type *type = argument->value.type;
  bool is_resource = argument->argument_kind == XIR_ARGUMENT_RESOURCE;

  if (argument->function != function || argument->index != index || argument->value.kind != XIR_VALUE_ARGUMENT)
    verify_error (verifier, function, function, "argument %u is not of this function and place", index);
  if ((unsigned) argument->argument_kind > XIR_ARGUMENT_RESOURCE)
    verify_error (verifier, function, function, "argument %u is of no kind", index);
  else if (is_resource != xir_type_is_resource (type) || (!is_resource && !xir_type_is_data (type)))
    verify_error (verifier, function, function, "argument %u: its type %s does not fit its kind", index,
                  type != NULL ? type->text : "void");
  if (function->kind == XIR_FUNCTION_KERNEL && argument->argument_kind == XIR_ARGUMENT_REFERENCE)
    verify_error (verifier, function, function, "argument %u: a kernel has no reference arguments", index);
  if (argument->value.is_lvalue != (argument->argument_kind == XIR_ARGUMENT_REFERENCE))
    verify_error (verifier, function, function, "argument %u: only references are lvalues", index);
  if (argument->is_restrict && (function->kind != XIR_FUNCTION_KERNEL || type == NULL || type->kind != XIR_TYPE_BUFFER))
    verify_error (verifier, function, function, "argument %u: only buffers of kernels are restrict", index);
}

static void
verify_head (struct verifier *verifier,
             const struct xir_function *function)
{
  if (function->module != verifier->module)
    verify_error (verifier, function, function, "the function is of another module");
  if (function->name == NULL || *function->name == '\0')
    verify_error (verifier, function, function, "the function has no name");
  if (function->return_type != NULL && !xir_type_is_data (function->return_type))
    verify_error (verifier, function, function, "%s cannot be returned", function->return_type->text);
  if (function->kind == XIR_FUNCTION_KERNEL)
    {
      if (function->return_type != NULL)
        verify_error (verifier, function, function, "a kernel returns nothing");
      for (int i = 0; i < 3; i++)
        if (function->group_size[i] == 0)
          verify_error (verifier, function, function, "group size %d is 0", i);
    }
  for (uint32_t i = 0; i < function->n_arguments; i++)
    verify_argument (verifier, function, i);
  if (gb_list_is_empty (&function->blocks))
    verify_error (verifier, function, function, "the function has no entry block");
}

/* Whether `value` is of this module and may be named in the function at hand.
 * What instructions dominate is looked at later. */
static bool
value_is_visible (const struct verifier *verifier,
                  const struct xir_value *value)
{
  const struct xir_function *function = verifier->function;
  const struct xir_argument *argument;
  const struct xir_special_value *special;

  switch (value->kind)
    {
    case XIR_VALUE_CONSTANT:
      return g_hash_table_lookup (verifier->module->constants, xir_value_constant (value))
             == xir_value_constant (value);
    case XIR_VALUE_UNDEFINED:
      return g_hash_table_lookup (verifier->module->undefined, value->type) == value;
    case XIR_VALUE_SPECIAL:
      special = xir_value_special (value);
      return (unsigned) special->special < XIR_N_SPECIALS
             && verifier->module->specials[special->special] == special;
    case XIR_VALUE_ARGUMENT:
      argument = xir_value_argument (value);
      if (argument->function == NULL || !g_hash_table_contains (verifier->functions, argument->function)
          || argument->index >= argument->function->n_arguments
          || argument->function->arguments[argument->index] != argument)
        return false;
      return argument->function == function
             || (argument->function->kind == XIR_FUNCTION_KERNEL
                 && function->kind == XIR_FUNCTION_CALLABLE
                 && argument->argument_kind == XIR_ARGUMENT_RESOURCE);
    case XIR_VALUE_INSTRUCTION:
      return g_hash_table_contains (verifier->positions, xir_value_instruction (value));
    default:
      return false;
    }
}

static bool
verify_operands (struct verifier *verifier,
                 const struct xir_instruction *instruction)
{
  bool good = true;

  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      const struct xir_use *use = &instruction->operands[i];

      if (use->value == NULL)
        {
          verify_error (verifier, verifier->function, instruction, "operand %u is missing", i);
          good = false;
          continue;
        }
      if (!value_is_visible (verifier, use->value))
        {
          verify_error (verifier, verifier->function, instruction,
                        "operand %u is no value of this function or module", i);
          good = false;
        }
      if (use->user != instruction || use->value_link.next == &use->value_link
          || use->value_link.next->prev != &use->value_link || use->value_link.prev->next != &use->value_link)
        verify_error (verifier, verifier->function, instruction, "operand %u is not in its value's list of uses", i);
    }
  return good;
}

static void
verify_uses (struct verifier *verifier,
             const struct xir_function *function,
             gconstpointer object,
             const struct xir_value *value)
{
  gb_list_for_each (use, &value->uses, struct xir_use, value_link)
    {
      if (use->value != value || use->user == NULL || use->user->block == NULL)
        {
          verify_error (verifier, function, object, "a list of uses holds a use that is none");
          break;
        }
    }
}

/* A block's own shape: phis first, one terminator, at the end. */
static void
verify_block_shape (struct verifier *verifier,
                    const struct xir_block *block)
{
  const struct xir_function *function = verifier->function;
  bool phis_over = false;

  if (block->function != function)
    verify_error (verifier, function, block, "the block is of another function");
  if (xir_block_terminator (block) == NULL)
    verify_error (verifier, function, block, "the block does not end in a terminator");
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    {
      bool is_last = instruction->link.next == &block->instructions;

      if (instruction->block != block)
        verify_error (verifier, function, instruction, "the instruction thinks that it is in another block");
      if (!is_last && (xir_op_info (instruction->op)->flags & XIR_FLAG_TERMINATOR) != 0)
        verify_error (verifier, function, instruction, "a terminator stands before the end of its block");
      if (instruction->op == XIR_OP_PHI && phis_over)
        verify_error (verifier, function, instruction, "a phi stands behind other instructions");
      if (instruction->op == XIR_OP_ALLOCA && block != xir_function_entry (function))
        verify_error (verifier, function, instruction, "an alloca stands outside the entry block");
      if (instruction->op != XIR_OP_PHI)
        phis_over = true;
    }
}

static void
index_function (struct verifier *verifier,
                const struct xir_function *function)
{
  guint position = 0;

  verifier->function = function;
  verifier->n_function_errors = 0;
  verifier->block_index = g_hash_table_new (NULL, NULL);
  verifier->positions = g_hash_table_new (NULL, NULL);
  verifier->blocks = g_array_new (FALSE, TRUE, sizeof (struct verify_block));
  verifier->regions = g_array_new (FALSE, TRUE, sizeof (struct verify_region));
  verifier->predecessors = NULL;
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    {
      struct verify_block info = { .block = block, .region = VERIFY_NONE, .order = VERIFY_NONE };

      g_array_append_val (verifier->blocks, info);
      g_hash_table_insert (verifier->block_index, block, GUINT_TO_POINTER (verifier->blocks->len));
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        g_hash_table_insert (verifier->positions, instruction, GUINT_TO_POINTER (++position));
    }
}

static void
verify_function (struct verifier *verifier,
                 const struct xir_function *function)
{
  index_function (verifier, function);
  verify_head (verifier, function);
  for (uint32_t i = 0; i < function->n_arguments; i++)
    verify_uses (verifier, function, function, &function->arguments[i]->value);
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    {
      verify_block_shape (verifier, block);
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        {
          bool operands_good = verify_operands (verifier, instruction);

          verify_uses (verifier, function, instruction, &instruction->value);
          if (verify_counts (verifier, instruction) && operands_good)
            verify_instruction (verifier, instruction);
        }
    }
  if (!gb_list_is_empty (&function->blocks))
    verify_control (verifier);

  g_hash_table_destroy (verifier->block_index);
  g_hash_table_destroy (verifier->positions);
  g_array_free (verifier->blocks, TRUE);
  g_array_free (verifier->regions, TRUE);
  g_free (verifier->predecessors);
}

static void
verify_names (struct verifier *verifier)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  gb_list_for_each (function, &verifier->module->functions, struct xir_function, link)
    if (function->name != NULL && !g_hash_table_add (names, (gpointer) function->name))
      verify_error (verifier, function, function, "another function is called %s too", function->name);
  g_hash_table_destroy (names);
}

static void
verify_global_uses (struct verifier *verifier)
{
  const struct xir_module *module = verifier->module;
  GHashTableIter iterator;
  gpointer value;

  for (guint i = 0; i < module->constant_list->len; i++)
    {
      const struct xir_constant *constant = g_ptr_array_index (module->constant_list, i);

      verify_uses (verifier, NULL, NULL, &constant->value);
    }
  g_hash_table_iter_init (&iterator, module->undefined);
  while (g_hash_table_iter_next (&iterator, NULL, &value))
    verify_uses (verifier, NULL, NULL, value);
  for (int i = 0; i < XIR_N_SPECIALS; i++)
    if (module->specials[i] != NULL)
      verify_uses (verifier, NULL, NULL, &module->specials[i]->value);
}

guint
xir_verify_module (const struct xir_module *module,
                   GString *report)
{
  struct verifier verifier = { .module = module };

  verifier.notes = g_hash_table_new_full (NULL, NULL, NULL, free_note);
  verifier.functions = g_hash_table_new (NULL, NULL);
  verifier.failed = g_hash_table_new (NULL, NULL);
  verifier.module_notes = g_string_new (NULL);
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    g_hash_table_add (verifier.functions, function);

  verify_names (&verifier);
  verify_global_uses (&verifier);
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    verify_function (&verifier, function);
  verify_call_graph (&verifier);

  if (report != NULL)
    {
      g_string_append_len (report, verifier.module_notes->str, (gssize) verifier.module_notes->len);
      gb_list_for_each (function, &module->functions, struct xir_function, link)
        if (g_hash_table_contains (verifier.failed, function))
          xir_print_function_with_notes (function, verifier.notes, report);
    }
  g_hash_table_destroy (verifier.notes);
  g_hash_table_destroy (verifier.functions);
  g_hash_table_destroy (verifier.failed);
  g_string_free (verifier.module_notes, TRUE);
  return verifier.n_errors;
}
