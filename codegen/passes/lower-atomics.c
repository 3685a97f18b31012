/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Float atomics that the target lacks, by way of words. An exchange is one of bits.
 * What computes becomes a loop that tries a compare-exchange until nobody has come
 * between; it starts from a guess, so that nothing is read outside of an atomic.
 * A compare-exchange of floats is always one of words: SPIR-V has no other.
 *
 * In a buffer the word forms work on the float's place as it is. A shared variable
 * cannot be looked at in two ways: it becomes one of uint, and whoever reads or
 * writes floats in it converts. */

#include "config.h"

#include "codegen/passes/passes.h"

#include <glib/gi18n-lib.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

/* Parts of a shared variable that are converted one by one where it is copied as a whole. */
#define MAX_PARTS 1024

struct lowering
{
  struct xir_function *function;
  unsigned missing;              /* enum xir_float_atomics */
  GHashTable *variables;         /* shared ones that become words */
  GError **error;
};

static struct xir_instruction *
variable_of (const struct xir_value *lvalue)
{
  struct xir_instruction *instruction = xir_value_instruction (lvalue);

  while (instruction != NULL && instruction->op == XIR_OP_GEP)
    instruction = xir_value_instruction (xir_operand (instruction, 0));
  return instruction;
}

static bool
is_float_atomic (const struct xir_instruction *instruction)
{
  return xir_op_is_atomic (instruction->op) && instruction->value.type->kind == XIR_TYPE_FLOAT32;
}

/* Of a float atomic: whether the target has none. */
static bool
is_missing (const struct lowering *lowering,
            const struct xir_instruction *atomic)
{
  bool is_shared = xir_operand (atomic, 0)->is_lvalue;

  switch (atomic->op)
    {
    case XIR_OP_ATOMIC_EXCHANGE:
      return (lowering->missing & (is_shared ? XIR_SHARED_FLOAT_EXCHANGE : XIR_BUFFER_FLOAT_EXCHANGE)) != 0;
    case XIR_OP_ATOMIC_MIN:
    case XIR_OP_ATOMIC_MAX:
      return (lowering->missing & (is_shared ? XIR_SHARED_FLOAT_MIN_MAX : XIR_BUFFER_FLOAT_MIN_MAX)) != 0;
    case XIR_OP_ATOMIC_COMPARE_EXCHANGE:
      return true;
    default:
      return (lowering->missing & (is_shared ? XIR_SHARED_FLOAT_ADD : XIR_BUFFER_FLOAT_ADD)) != 0;
    }
}

/* Whether the atomic has to work on words; the variables have been collected. */
static bool
needs_words (const struct lowering *lowering,
             const struct xir_instruction *atomic)
{
  const struct xir_value *base;

  if (!is_float_atomic (atomic))
    return false;
  base = xir_operand (atomic, 0);
  return base->is_lvalue ? g_hash_table_contains (lowering->variables, variable_of (base)) : is_missing (lowering, atomic);
}

static bool
needs_loop (const struct lowering *lowering,
            const struct xir_instruction *atomic)
{
  return needs_words (lowering, atomic) && atomic->op != XIR_OP_ATOMIC_EXCHANGE
         && atomic->op != XIR_OP_ATOMIC_COMPARE_EXCHANGE;
}

/* There is no float subtraction: x - y is x + -y, to the bit. */
static void
subtract_by_adding (struct xir_instruction *atomic)
{
  struct xir_builder builder;

  xir_builder_init (&builder, atomic->block->function);
  builder.location = atomic->location;
  xir_builder_before (&builder, atomic);
  xir_instruction_set_operand (atomic, 1, xir_build_unary (&builder, XIR_OP_NEG, xir_operand (atomic, 1)));
  atomic->op = XIR_OP_ATOMIC_ADD;
}

static bool
prepare_atomics (struct lowering *lowering)
{
  bool changed = false;

  gb_list_for_each (block, &lowering->function->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      {
        if (!is_float_atomic (instruction))
          continue;
        if (instruction->op == XIR_OP_ATOMIC_SUB)
          {
            subtract_by_adding (instruction);
            changed = true;
          }
        if (xir_operand (instruction, 0)->is_lvalue && is_missing (lowering, instruction))
          g_hash_table_add (lowering->variables, variable_of (xir_operand (instruction, 0)));
      }
  return changed;
}

/* Shared variables of words. */

/* The type with uint in place of float. */
static const struct xir_type *
words_type (struct xir_context *context,
            const struct xir_type *type)
{
  const struct xir_type **members, *result;

  switch (type->kind)
    {
    case XIR_TYPE_FLOAT32:
      return xir_type_scalar (context, XIR_TYPE_UINT32);
    case XIR_TYPE_VECTOR:
      return type->element->kind == XIR_TYPE_FLOAT32 ? xir_type_with_scalar (context, type, XIR_TYPE_UINT32) : type;
    case XIR_TYPE_ARRAY:
      return xir_type_array (context, words_type (context, type->element), type->count);
    case XIR_TYPE_STRUCTURE:
      members = g_new (const struct xir_type *, type->count);
      for (uint64_t i = 0; i < type->count; i++)
        members[i] = words_type (context, type->members[i]);
      result = xir_type_structure (context, (uint32_t) type->alignment, members, (uint32_t) type->count);
      g_free (members);
      return result;
    default:
      return type;
    }
}

static uint64_t
count_parts (const struct xir_type *type)
{
  uint64_t n = 0;

  if (type->kind == XIR_TYPE_ARRAY)
    return MIN (type->count, MAX_PARTS + 1) * count_parts (type->element);
  if (type->kind != XIR_TYPE_STRUCTURE)
    return 1;
  for (uint64_t i = 0; i < type->count && n <= MAX_PARTS; i++)
    n += count_parts (type->members[i]);
  return n;
}

/* The value in the other type, which has uint for float or the other way round. */
static struct xir_value *
convert (struct xir_builder *builder,
         struct xir_value *value,
         const struct xir_type *to)
{
  struct xir_value **parts, *result;

  if (value->type == to)
    return value;
  if (to->kind != XIR_TYPE_ARRAY && to->kind != XIR_TYPE_STRUCTURE)
    return xir_build_bitcast (builder, to, value);
  parts = g_new (struct xir_value *, to->count);
  for (uint64_t i = 0; i < to->count; i++)
    {
      struct xir_value *index = xir_constant_uint (builder->module, (uint32_t) i);

      parts[i] = convert (builder, xir_build_extract (builder, value, &index, 1), xir_type_child (to, i));
    }
  result = xir_build_aggregate (builder, to, parts, (uint32_t) to->count);
  g_free (parts);
  return result;
}

static void
convert_load (struct xir_builder *builder,
              struct xir_instruction *load,
              const struct xir_type *words)
{
  const struct xir_type *type = load->value.type;
  struct xir_value *read;

  xir_builder_before (builder, load);
  builder->location = load->location;
  read = xir_build_load (builder, xir_operand (load, 0));
  g_assert (read->type == words);
  xir_value_replace (&load->value, convert (builder, read, type));
  xir_instruction_remove (load);
}

static void
convert_store (struct xir_builder *builder,
               struct xir_instruction *store,
               const struct xir_type *words)
{
  xir_builder_before (builder, store);
  builder->location = store->location;
  xir_instruction_set_operand (store, 1, convert (builder, xir_operand (store, 1), words));
}

/* Whether what is read and written whole is small enough. */
static bool
check_copies (struct lowering *lowering,
              const struct xir_instruction *variable)
{
  GPtrArray *lvalues = g_ptr_array_new ();
  bool good = true;

  g_ptr_array_add (lvalues, (gpointer) &variable->value);
  while (lvalues->len > 0)
    {
      const struct xir_value *lvalue = g_ptr_array_remove_index (lvalues, lvalues->len - 1);

      gb_list_for_each (use, &lvalue->uses, struct xir_use, value_link)
        if (use->user->op == XIR_OP_GEP)
          g_ptr_array_add (lvalues, &use->user->value);
        else if (!xir_op_is_atomic (use->user->op) && count_parts (lvalue->type) > MAX_PARTS)
          good = false;
    }
  g_ptr_array_free (lvalues, TRUE);
  if (!good)
    g_set_error (lowering->error, XIR_PASS_ERROR, XIR_PASS_ERROR_TOO_LARGE,
                 _("function “%s”: the shared variable “%s” is copied as a whole, which has more than %d parts; the device "
                   "lacks a float atomic that is done on it and wants them one by one"),
                 lowering->function->name, variable->u.alloca_.name != NULL ? variable->u.alloca_.name : "?", MAX_PARTS);
  return good;
}

static void
turn_into_words (struct lowering *lowering,
                 struct xir_instruction *variable)
{
  struct xir_context *context = lowering->function->module->context;
  GPtrArray *lvalues = g_ptr_array_new (), *users = g_ptr_array_new ();
  struct xir_builder builder;

  xir_builder_init (&builder, lowering->function);
  g_ptr_array_add (lvalues, &variable->value);
  while (lvalues->len > 0)
    {
      struct xir_value *lvalue = g_ptr_array_remove_index (lvalues, lvalues->len - 1);

      lvalue->type = words_type (context, lvalue->type);
      g_ptr_array_set_size (users, 0);
      gb_list_for_each (use, &lvalue->uses, struct xir_use, value_link)
        g_ptr_array_add (users, use->user);
      for (guint i = 0; i < users->len; i++)
        {
          struct xir_instruction *user = users->pdata[i];

          if (user->op == XIR_OP_GEP)
            g_ptr_array_add (lvalues, &user->value);
          else if (user->op == XIR_OP_LOAD)
            convert_load (&builder, user, lvalue->type);
          else if (user->op == XIR_OP_STORE)
            convert_store (&builder, user, lvalue->type);
        }
    }
  g_ptr_array_free (lvalues, TRUE);
  g_ptr_array_free (users, TRUE);
}

/* Atomics of words. */

static struct xir_value **
indices_of (const struct xir_instruction *atomic,
            uint32_t *n)
{
  uint32_t first = xir_atomic_first_index (atomic->op);
  struct xir_value **indices = g_new (struct xir_value *, atomic->n_operands - first + 1);

  *n = atomic->n_operands - first;
  for (uint32_t i = 0; i < *n; i++)
    indices[i] = xir_operand (atomic, first + i);
  return indices;
}

static void
exchange_words (struct xir_instruction *atomic)
{
  const struct xir_type *word = xir_type_scalar (atomic->block->function->module->context, XIR_TYPE_UINT32);
  bool compares = atomic->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE;
  struct xir_value *expected, *value, **indices, *old;
  struct xir_builder builder;
  uint32_t n;

  xir_builder_init (&builder, atomic->block->function);
  builder.location = atomic->location;
  xir_builder_before (&builder, atomic);
  expected = compares ? xir_build_bitcast (&builder, word, xir_operand (atomic, 1)) : NULL;
  value = xir_build_bitcast (&builder, word, xir_operand (atomic, compares ? 2 : 1));
  indices = indices_of (atomic, &n);
  old = xir_build_atomic (&builder, atomic->op, xir_operand (atomic, 0), expected, value, indices, n);
  xir_value_replace (&atomic->value, xir_build_bitcast (&builder, atomic->value.type, old));
  xir_instruction_remove (atomic);
  g_free (indices);
}

static enum xir_op
plain_op (enum xir_op op)
{
  switch (op)
    {
    case XIR_OP_ATOMIC_MIN:
      return XIR_OP_MIN;
    case XIR_OP_ATOMIC_MAX:
      return XIR_OP_MAX;
    default:
      return XIR_OP_ADD;
    }
}

static struct xir_value *
changed_word (struct xir_builder *builder,
              struct xir_value *guess,
              gconstpointer data)
{
  const struct xir_instruction *atomic = data;
  struct xir_value *old = xir_build_bitcast (builder, atomic->value.type, guess);

  return xir_build_bitcast (builder, guess->type, xir_build_binary (builder, plain_op (atomic->op), old, xir_operand (atomic, 1)));
}

static void
loop_over_words (struct xir_instruction *atomic)
{
  struct xir_builder builder;
  struct xir_value **indices, *old;
  uint32_t n;

  xir_builder_init (&builder, atomic->block->function);
  builder.location = atomic->location;
  indices = indices_of (atomic, &n);
  old = xir_build_exchange_loop (&builder, atomic, xir_operand (atomic, 0), indices, n, changed_word, atomic);
  xir_value_replace (&atomic->value, xir_build_bitcast (&builder, atomic->value.type, old));
  xir_instruction_remove (atomic);
  g_free (indices);
}

static bool
becomes_loop (const struct xir_instruction *instruction,
              gconstpointer lowering)
{
  return needs_loop (lowering, instruction);
}

static bool
turn_variables (struct lowering *lowering)
{
  GPtrArray *variables = g_ptr_array_new ();
  bool good = true;

  gb_list_for_each (block, &lowering->function->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      if (g_hash_table_contains (lowering->variables, instruction))
        g_ptr_array_add (variables, instruction);
  for (guint i = 0; i < variables->len && good; i++)
    good = check_copies (lowering, variables->pdata[i]);
  for (guint i = 0; i < variables->len && good; i++)
    turn_into_words (lowering, variables->pdata[i]);
  g_ptr_array_free (variables, TRUE);
  return good;
}

static bool
lower_function (struct lowering *lowering)
{
  GPtrArray *atomics;
  bool changed = prepare_atomics (lowering);

  if (!turn_variables (lowering))
    return changed;
  atomics = g_ptr_array_new ();
  xir_function_open_prepares (lowering->function, becomes_loop, lowering);
  gb_list_for_each (block, &lowering->function->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      if (needs_words (lowering, instruction))
        g_ptr_array_add (atomics, instruction);
  /* From the last to the first: what stands behind an atomic is moved once. */
  for (guint i = atomics->len; i-- > 0;)
    if (needs_loop (lowering, atomics->pdata[i]))
      loop_over_words (atomics->pdata[i]);
    else
      exchange_words (atomics->pdata[i]);
  changed = changed || atomics->len > 0;
  g_ptr_array_free (atomics, TRUE);
  return changed;
}

bool
xir_pass_lower_atomics (struct xir_module *module,
                        const struct xir_pass_options *options,
                        GError **error)
{
  struct lowering lowering = { .missing = options != NULL ? options->missing_atomics : 0 };
  GError *own_error = NULL;
  bool changed = false;

  lowering.variables = g_hash_table_new (NULL, NULL);
  lowering.error = &own_error;
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    {
      lowering.function = function;
      g_hash_table_remove_all (lowering.variables);
      if (own_error == NULL)
        changed = lower_function (&lowering) || changed;
    }
  g_hash_table_destroy (lowering.variables);
  if (own_error != NULL)
    g_propagate_error (error, own_error);
  return changed;
}
