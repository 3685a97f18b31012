/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions with resource parameters become copies in which the parameters are
 * replaced by the kernel's own resource arguments: one copy for each function and
 * set of actual resources. The whole work is planned before anything is changed. */

#include "config.h"

#include "codegen/passes/passes.h"

#include <glib/gi18n-lib.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

/* Layers of functions that permute their parameters multiply; a plan that would
 * copy more than this is refused. */
#define LARGEST_PLAN (512u * 1024)      /* instructions */
/* What a copy costs beside its instructions. */
#define COPY_COST 16

/* One copy to be made: `callee` with `resources` in place of its resource formals.
 * A root stands for a kernel, which is changed in place. */
struct specialization
{
  struct xir_function *callee;
  struct xir_value **resources;  /* by formal; NULL for other formals */
  struct xir_function *copy;
};

struct plan
{
  struct xir_module *module;
  GHashTable *table;             /* set of struct specialization */
  GPtrArray *list;               /* the same and the kernels, in order of discovery */
  GHashTable *takes_resources;   /* functions with at least one resource formal */
  gsize n_instructions;
};

static guint
specialization_hash (gconstpointer key)
{
  const struct specialization *specialization = key;
  guint hash = specialization->callee->id;

  for (uint32_t i = 0; i < specialization->callee->n_arguments; i++)
    if (specialization->resources[i] != NULL)
      hash = hash * 31 + specialization->resources[i]->id;
  return hash;
}

static gboolean
specialization_equal (gconstpointer a,
                      gconstpointer b)
{
  const struct specialization *left = a, *right = b;

  if (left->callee != right->callee)
    return FALSE;
  for (uint32_t i = 0; i < left->callee->n_arguments; i++)
    if (left->resources[i] != right->resources[i])
      return FALSE;
  return TRUE;
}

static void
specialization_free (gpointer data)
{
  struct specialization *specialization = data;

  g_free (specialization->resources);
  g_free (specialization);
}

static struct specialization *
specialization_new (struct xir_function *callee)
{
  struct specialization *specialization = g_new0 (struct specialization, 1);

  specialization->callee = callee;
  specialization->resources = g_new0 (struct xir_value *, callee->n_arguments + 1);
  return specialization;
}

static bool
call_takes_resources (const struct plan *plan,
                      const struct xir_instruction *instruction)
{
  return instruction->op == XIR_OP_CALL && g_hash_table_contains (plan->takes_resources, instruction->u.callee);
}

/* What an operand of a call in `caller` stands for: a kernel's argument as it is,
 * the caller's own formal by what replaces it. */
static struct xir_value *
resolve (const struct specialization *caller,
         struct xir_value *value)
{
  const struct xir_argument *argument = xir_value_argument (value);

  if (argument == NULL || argument->argument_kind != XIR_ARGUMENT_RESOURCE || argument->function == NULL)
    return NULL;
  if (argument->function->kind == XIR_FUNCTION_KERNEL)
    return value;
  return argument->function == caller->callee ? caller->resources[argument->index] : NULL;
}

/* The specialisation that a call wants, not yet in the table. NULL where a
 * resource cannot be traced. */
static struct specialization *
wanted_by (const struct specialization *caller,
           const struct xir_instruction *call,
           uint32_t *unresolved)
{
  struct specialization *wanted = specialization_new (call->u.callee);

  for (uint32_t i = 0; i < wanted->callee->n_arguments; i++)
    {
      if (wanted->callee->arguments[i]->argument_kind != XIR_ARGUMENT_RESOURCE)
        continue;
      wanted->resources[i] = i < call->n_operands ? resolve (caller, xir_operand (call, i)) : NULL;
      if (wanted->resources[i] == NULL)
        {
          *unresolved = i;
          specialization_free (wanted);
          return NULL;
        }
    }
  return wanted;
}

static bool
plan_calls (struct plan *plan,
            const struct specialization *caller,
            GError **error)
{
  gb_list_for_each (block, &caller->callee->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      {
        struct specialization *wanted;
        uint32_t unresolved;

        if (++plan->n_instructions > LARGEST_PLAN)
          {
            g_set_error (error, XIR_PASS_ERROR, XIR_PASS_ERROR_TOO_LARGE,
                         _("%s: copies of functions for their resources have %zu instructions or more, the limit is %u"),
                         caller->callee->name, plan->n_instructions, LARGEST_PLAN);
            return false;
          }
        if (!call_takes_resources (plan, instruction))
          continue;
        wanted = wanted_by (caller, instruction, &unresolved);
        if (wanted == NULL)
          {
            const struct xir_argument *formal = instruction->u.callee->arguments[unresolved];

            g_set_error (error, XIR_PASS_ERROR, XIR_PASS_ERROR_RESOURCE,
                         _("%s: parameter %u (%s) of %s is not given a kernel argument"), caller->callee->name,
                         unresolved, formal->name != NULL ? formal->name : "?", instruction->u.callee->name);
            return false;
          }
        if (g_hash_table_contains (plan->table, wanted))
          specialization_free (wanted);
        else
          {
            g_hash_table_add (plan->table, wanted);
            g_ptr_array_add (plan->list, wanted);
            plan->n_instructions += COPY_COST;
          }
      }
  return true;
}

/* Depth first with a stack of calls; a function that is met again below itself is
 * named in the error. */
struct open_function
{
  struct xir_function *function;
  struct xir_block *block;
  struct xir_instruction *instruction;   /* the next one to look at; NULL: the block's first */
};

/* The next call at or behind the place, or NULL when the function is done. */
static struct xir_instruction *
next_call (struct open_function *open)
{
  struct xir_function *function = open->function;

  while (open->block != NULL)
    {
      struct gb_list *at = open->instruction != NULL ? open->instruction->link.next : open->block->instructions.next;

      for (; at != &open->block->instructions; at = at->next)
        {
          open->instruction = gb_list_entry (at, struct xir_instruction, link);
          if (open->instruction->op == XIR_OP_CALL)
            return open->instruction;
        }
      open->instruction = NULL;
      open->block = open->block->link.next != &function->blocks
                    ? gb_list_entry (open->block->link.next, struct xir_block, link) : NULL;
    }
  return NULL;
}

static bool
check_recursion (struct xir_module *module,
                 GError **error)
{
  enum { OPEN = 1, DONE };
  GHashTable *states = g_hash_table_new (NULL, NULL);
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (struct open_function));
  bool good = true;

  gb_list_for_each (root, &module->functions, struct xir_function, link)
    {
      struct open_function first = { root, xir_function_entry (root), NULL };

      if (g_hash_table_contains (states, root))
        continue;
      g_hash_table_insert (states, root, GUINT_TO_POINTER (OPEN));
      g_array_append_val (stack, first);
      while (stack->len > 0 && good)
        {
          struct open_function *top = &g_array_index (stack, struct open_function, stack->len - 1);
          struct xir_instruction *call = next_call (top);
          guint state;

          if (call == NULL)
            {
              g_hash_table_insert (states, top->function, GUINT_TO_POINTER (DONE));
              g_array_set_size (stack, stack->len - 1);
              continue;
            }
          state = GPOINTER_TO_UINT (g_hash_table_lookup (states, call->u.callee));
          if (state == OPEN)
            {
              g_set_error (error, XIR_PASS_ERROR, XIR_PASS_ERROR_RECURSION,
                           _("%s calls %s, which is recursion"), top->function->name, call->u.callee->name);
              good = false;
            }
          else if (state == 0)
            {
              struct open_function next = { call->u.callee, xir_function_entry (call->u.callee), NULL };

              g_hash_table_insert (states, call->u.callee, GUINT_TO_POINTER (OPEN));
              g_array_append_val (stack, next);
            }
        }
    }
  g_array_free (stack, TRUE);
  g_hash_table_destroy (states);
  return good;
}

static bool
make_plan (struct plan *plan,
           GError **error)
{
  gb_list_for_each (function, &plan->module->functions, struct xir_function, link)
    for (uint32_t i = 0; i < function->n_arguments; i++)
      if (function->kind == XIR_FUNCTION_CALLABLE
          && function->arguments[i]->argument_kind == XIR_ARGUMENT_RESOURCE)
        g_hash_table_add (plan->takes_resources, function);
  if (!check_recursion (plan->module, error))
    return false;

  /* Functions without resource formals cannot call one that has them but for a
   * kernel's copy, which names the kernel's arguments: both are roots like kernels. */
  gb_list_for_each (function, &plan->module->functions, struct xir_function, link)
    if (!g_hash_table_contains (plan->takes_resources, function))
      {
        struct specialization *root = specialization_new (function);

        root->copy = function;
        g_ptr_array_add (plan->list, root);
      }
  for (guint i = 0; i < plan->list->len; i++)
    if (!plan_calls (plan, g_ptr_array_index (plan->list, i), error))
      return false;
  return true;
}

/* Making the copies. */

static void
make_head (struct plan *plan,
           struct specialization *specialization,
           GHashTable *names,
           GHashTable *numbers)
{
  struct xir_function *callee = specialization->callee, *copy;
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, callee));
  char *name = NULL;

  do
    {
      g_free (name);
      name = g_strdup_printf ("%s.%u", callee->name, ++number);
    }
  while (g_hash_table_contains (names, name));
  g_hash_table_insert (numbers, callee, GUINT_TO_POINTER (number));

  copy = xir_function_new (plan->module, XIR_FUNCTION_CALLABLE, name, callee->return_type);
  copy->fast_math = callee->fast_math;
  copy->unchecked = callee->unchecked;
  copy->no_inline = callee->no_inline;
  copy->is_helper = true;
  copy->location = callee->location;
  specialization->copy = copy;
  g_hash_table_add (names, (gpointer) copy->name);
  g_free (name);
}

static void
make_body (struct specialization *specialization)
{
  struct xir_function *callee = specialization->callee;
  GHashTable *map = g_hash_table_new (NULL, NULL);

  for (uint32_t i = 0; i < callee->n_arguments; i++)
    {
      const struct xir_argument *formal = callee->arguments[i];
      struct xir_argument *argument;

      if (specialization->resources[i] != NULL)
        {
          g_hash_table_insert (map, (gpointer) &formal->value, specialization->resources[i]);
          continue;
        }
      argument = xir_function_add_argument (specialization->copy, formal->argument_kind, formal->value.type, NULL);
      argument->name = formal->name;
      argument->source_type = formal->source_type;
      g_hash_table_insert (map, (gpointer) &formal->value, &argument->value);
    }
  xir_function_copy_body (callee, specialization->copy, map);
  g_hash_table_destroy (map);
}

static void
redirect_call (struct plan *plan,
               struct specialization *caller,
               struct xir_instruction *call)
{
  struct specialization *wanted, *found;
  struct xir_value *result;
  struct xir_value **rest;
  struct xir_builder builder;
  uint32_t n_rest = 0, unresolved;

  wanted = wanted_by (caller, call, &unresolved);
  found = g_hash_table_lookup (plan->table, wanted);
  specialization_free (wanted);

  rest = g_new (struct xir_value *, call->n_operands);
  for (uint32_t i = 0; i < call->n_operands; i++)
    if (found->resources[i] == NULL)
      rest[n_rest++] = xir_operand (call, i);
  xir_builder_init (&builder, caller->copy);
  xir_builder_before (&builder, call);
  builder.location = call->location;
  result = xir_build_call (&builder, found->copy, rest, n_rest);
  g_free (rest);
  xir_value_replace (&call->value, result);
  xir_instruction_remove (call);
}

/* In a copy every resource is the kernel's already. */
static bool
redirect_calls (struct plan *plan,
                struct specialization *caller)
{
  bool changed = false;

  gb_list_for_each (block, &caller->copy->blocks, struct xir_block, link)
    gb_list_for_each_safe (instruction, &block->instructions, struct xir_instruction, link)
      if (call_takes_resources (plan, instruction))
        {
          redirect_call (plan, caller, instruction);
          changed = true;
        }
  return changed;
}

static bool
carry_out (struct plan *plan)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTable *numbers = g_hash_table_new (NULL, NULL);
  bool changed = false;

  gb_list_for_each (function, &plan->module->functions, struct xir_function, link)
    g_hash_table_add (names, (gpointer) function->name);
  for (guint i = 0; i < plan->list->len; i++)
    {
      struct specialization *specialization = g_ptr_array_index (plan->list, i);

      if (specialization->copy != NULL)
        continue;
      make_head (plan, specialization, names, numbers);
      make_body (specialization);
    }
  for (guint i = 0; i < plan->list->len; i++)
    changed = redirect_calls (plan, g_ptr_array_index (plan->list, i)) || changed;
  g_hash_table_destroy (names);
  g_hash_table_destroy (numbers);
  return changed;
}

bool
xir_pass_specialize_resources (struct xir_module *module,
                               const struct xir_pass_options *options,
                               GError **error)
{
  struct plan plan = { .module = module };
  bool changed = false;

  plan.table = g_hash_table_new (specialization_hash, specialization_equal);
  plan.list = g_ptr_array_new_with_free_func (specialization_free);
  plan.takes_resources = g_hash_table_new (NULL, NULL);
  if (make_plan (&plan, error))
    changed = carry_out (&plan);
  g_hash_table_destroy (plan.table);
  g_hash_table_destroy (plan.takes_resources);
  g_ptr_array_free (plan.list, TRUE);
  return changed;
}
