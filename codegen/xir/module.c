/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/xir.h"

#include <string.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

#define SMALLEST_CLASS 4         /* 16 bytes */

struct free_array
{
  struct free_array *next;
};

static unsigned
array_class (gsize size)
{
  unsigned result = SMALLEST_CLASS;

  while (result < XIR_N_ARRAY_CLASSES - 1 && ((gsize) 1 << result) < size)
    result++;
  return result;
}

gpointer
xir_array_alloc (struct xir_module *module,
                 gsize size)
{
  unsigned number = array_class (size);
  struct free_array *array = module->free_arrays[number];

  if (size == 0)
    return NULL;
  if (array != NULL)
    module->free_arrays[number] = array->next;
  else
    array = gb_arena_alloc (&module->arena, (gsize) 1 << number);
  return memset (array, 0, size);
}

void
xir_array_free (struct xir_module *module,
                gpointer array,
                gsize size)
{
  struct free_array *freed = array;
  unsigned number = array_class (size);

  if (array == NULL)
    return;
  freed->next = module->free_arrays[number];
  module->free_arrays[number] = freed;
}

struct xir_module *
xir_module_new (struct xir_context *context,
                const char *source_name)
{
  struct xir_module *module = g_new0 (struct xir_module, 1);

  module->context = xir_context_ref (context);
  gb_arena_init (&module->arena, 0);
  gb_slab_init (&module->instruction_slab, sizeof (struct xir_instruction));
  gb_slab_init (&module->block_slab, sizeof (struct xir_block));
  gb_list_init (&module->functions);
  module->source_name = source_name != NULL ? gb_arena_strdup (&module->arena, source_name) : NULL;
  module->files = g_ptr_array_new ();
  xir_constants_init (module);
  return module;
}

void
xir_module_add_file (struct xir_module *module,
                     const char *name)
{
  g_ptr_array_add (module->files, gb_arena_strdup (&module->arena, name));
}

void
xir_module_name_members (struct xir_module *module,
                         const struct xir_type *type,
                         const char *const *names)
{
  const char **known = module->members != NULL ? g_hash_table_lookup (module->members, type) : NULL;
  bool is_new = known == NULL;

  if (module->members == NULL)
    module->members = g_hash_table_new (NULL, NULL);
  if (is_new)
    {
      known = gb_arena_array (&module->arena, const char *, type->count);
      g_hash_table_insert (module->members, (gpointer) type, known);
    }
  for (uint64_t i = 0; i < type->count; i++)
    {
      if (is_new)
        known[i] = names[i] != NULL ? gb_arena_strdup (&module->arena, names[i]) : NULL;
      else if (g_strcmp0 (known[i], names[i]) != 0)
        known[i] = NULL;
    }
}

const char *
xir_module_member_name (const struct xir_module *module,
                        const struct xir_type *type,
                        uint64_t member)
{
  const char *const *names = module->members != NULL ? g_hash_table_lookup (module->members, type) : NULL;

  return names != NULL && member < type->count ? names[member] : NULL;
}

const char *
xir_module_file (const struct xir_module *module,
                 uint32_t file)
{
  return file == 0 || file > module->files->len ? module->source_name : g_ptr_array_index (module->files, file - 1);
}

void
xir_module_free (struct xir_module *module)
{
  if (module == NULL)
    return;
  xir_constants_clear (module);
  g_ptr_array_unref (module->files);
  g_clear_pointer (&module->print_sites, g_ptr_array_unref);
  g_clear_pointer (&module->members, g_hash_table_unref);
  gb_slab_clear (&module->instruction_slab);
  gb_slab_clear (&module->block_slab);
  gb_arena_clear (&module->arena);
  xir_context_unref (module->context);
  g_free (module);
}

struct xir_function *
xir_module_find_function (const struct xir_module *module,
                          const char *name)
{
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    if (strcmp (function->name, name) == 0)
      return function;
  return NULL;
}

void
xir_value_init (struct xir_module *module,
                struct xir_value *value,
                enum xir_value_kind kind,
                const struct xir_type *type)
{
  value->kind = kind;
  value->id = module->next_id++;
  value->type = type;
  gb_list_init (&value->uses);
}

struct xir_function *
xir_function_new (struct xir_module *module,
                  enum xir_function_kind kind,
                  const char *name,
                  const struct xir_type *return_type)
{
  struct xir_function *function = xir_array_alloc (module, sizeof *function);

  function->id = module->next_id++;
  function->kind = kind;
  function->name = gb_arena_strdup (&module->arena, name);
  function->return_type = return_type;
  for (int i = 0; i < 3; i++)
    function->group_size[i] = 1;
  gb_list_init (&function->blocks);
  function->module = module;
  gb_list_append (&module->functions, &function->link);
  return function;
}

struct xir_argument *
xir_function_add_argument (struct xir_function *function,
                           enum xir_argument_kind kind,
                           const struct xir_type *type,
                           const char *name)
{
  struct xir_module *module = function->module;
  struct xir_argument *argument = xir_array_alloc (module, sizeof *argument);
  gsize old_size = function->n_arguments * sizeof *function->arguments;
  gsize new_size = old_size + sizeof *function->arguments;

  xir_value_init (module, &argument->value, XIR_VALUE_ARGUMENT, type);
  argument->value.is_lvalue = kind == XIR_ARGUMENT_REFERENCE;
  argument->argument_kind = kind;
  argument->index = function->n_arguments;
  argument->name = name != NULL ? gb_arena_strdup (&module->arena, name) : NULL;
  argument->function = function;

  if (function->n_arguments == 0 || array_class (old_size) != array_class (new_size))
    {
      struct xir_argument **grown = xir_array_alloc (module, new_size);

      if (old_size != 0)
        memcpy (grown, function->arguments, old_size);
      xir_array_free (module, function->arguments, old_size);
      function->arguments = grown;
    }
  function->arguments[function->n_arguments++] = argument;
  return argument;
}

void
xir_function_free (struct xir_function *function)
{
  struct xir_module *module = function->module;

  /* Operands first: blocks name each other's values in any order. */
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      xir_instruction_drop_operands (instruction);
  gb_list_for_each_safe (block, &function->blocks, struct xir_block, link)
    xir_block_remove (block);

  for (uint32_t i = 0; i < function->n_arguments; i++)
    xir_array_free (module, function->arguments[i], sizeof *function->arguments[i]);
  xir_array_free (module, function->arguments, function->n_arguments * sizeof *function->arguments);
  gb_list_remove (&function->link);
  xir_array_free (module, function, sizeof *function);
}

struct xir_block *
xir_block_new (struct xir_function *function)
{
  struct xir_block *block = gb_slab_alloc (&function->module->block_slab);

  block->id = function->module->next_id++;
  block->function = function;
  gb_list_init (&block->instructions);
  gb_list_append (&function->blocks, &block->link);
  return block;
}

void
xir_block_remove (struct xir_block *block)
{
  /* From the end, so that users go before what they use. */
  while (!gb_list_is_empty (&block->instructions))
    xir_instruction_remove (gb_list_last (&block->instructions, struct xir_instruction, link));
  gb_list_remove (&block->link);
  gb_slab_free (&block->function->module->block_slab, block);
}

/* The default first, then the cases; those that share a block are neighbours. */
static struct xir_block *
next_switch_successor (const struct xir_instruction *terminator,
                       uint32_t *cursor)
{
  struct xir_block *default_block = terminator->blocks[1];

  if (*cursor == 0)
    {
      *cursor = 2;
      return default_block;
    }
  while (*cursor < terminator->n_blocks)
    {
      uint32_t i = (*cursor)++;
      struct xir_block *block = terminator->blocks[i];

      if (block != default_block && (i == 2 || block != terminator->blocks[i - 1]))
        return block;
    }
  return NULL;
}

struct xir_block *
xir_next_successor (const struct xir_instruction *terminator,
                    uint32_t *cursor)
{
  uint32_t count;

  switch (terminator->op)
    {
    case XIR_OP_SWITCH:
      return next_switch_successor (terminator, cursor);
    case XIR_OP_IF:
    case XIR_OP_CONDITIONAL_BRANCH:
      count = 2;
      break;
    case XIR_OP_LOOP:
    case XIR_OP_BRANCH:
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
      count = 1;
      break;
    default:
      count = 0;
      break;
    }
  return *cursor < count ? terminator->blocks[(*cursor)++] : NULL;
}

struct xir_block *
xir_merge_block (const struct xir_instruction *structured)
{
  switch (structured->op)
    {
    case XIR_OP_IF:
      return structured->blocks[2];
    case XIR_OP_SWITCH:
      return structured->blocks[0];
    case XIR_OP_LOOP:
      return structured->blocks[3];
    default:
      return NULL;
    }
}
