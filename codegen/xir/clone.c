/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/xir.h"

#include <string.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

static gpointer
mapped (GHashTable *map,
        gconstpointer object)
{
  gpointer copy = g_hash_table_lookup (map, object);

  return copy != NULL ? copy : (gpointer) object;
}

static const char *
copy_text (struct xir_module *to,
           const struct xir_module *from,
           const char *text)
{
  if (text == NULL || to == from)
    return text;
  return gb_arena_strdup (&to->arena, text);
}

static void
copy_names (const struct xir_name *names,
            struct xir_function *to,
            GHashTable *map)
{
  for (; names != NULL; names = names->next)
    xir_value_add_name (to, mapped (map, names->value), names->name, names->location, names->end);
}

/* Everything but operands, which may name what is not copied yet. */
static struct xir_instruction *
copy_instruction (const struct xir_instruction *instruction,
                  struct xir_block *block,
                  GHashTable *map)
{
  struct xir_module *from = instruction->block->function->module, *to = block->function->module;
  struct xir_instruction *copy
    = xir_instruction_new (to, instruction->op, instruction->value.type, instruction->n_operands,
                           instruction->n_blocks);

  copy->value.is_lvalue = instruction->value.is_lvalue;
  copy->location = instruction->location;
  for (uint32_t i = 0; i < instruction->n_blocks; i++)
    copy->blocks[i] = mapped (map, instruction->blocks[i]);
  switch (instruction->op)
    {
    case XIR_OP_CALL:
      copy->u.callee = mapped (map, instruction->u.callee);
      break;
    case XIR_OP_ALLOCA:
      copy->u.alloca_.storage = instruction->u.alloca_.storage;
      copy->u.alloca_.end = instruction->u.alloca_.end;
      copy->u.alloca_.name = copy_text (to, from, instruction->u.alloca_.name);
      break;
    case XIR_OP_SWITCH:
      copy->u.switch_.default_position = instruction->u.switch_.default_position;
      if (instruction->n_blocks > 2)
        memcpy (copy->u.switch_.values, instruction->u.switch_.values,
                (instruction->n_blocks - 2) * sizeof *copy->u.switch_.values);
      break;
    case XIR_OP_PRINT:
    case XIR_OP_ASSERT:
      copy->u.print.format = copy_text (to, from, instruction->u.print.format);
      copy->u.print.condition = copy_text (to, from, instruction->u.print.condition);
      break;
    case XIR_OP_UNREACHABLE:
      copy->u.message = copy_text (to, from, instruction->u.message);
      break;
    default:
      copy->u = instruction->u;
      break;
    }
  xir_instruction_insert (copy, block, NULL);
  g_hash_table_insert (map, (gpointer) &instruction->value, &copy->value);
  return copy;
}

void
xir_function_copy_body (const struct xir_function *from,
                        struct xir_function *to,
                        GHashTable *map)
{
  struct xir_block *block;

  gb_list_for_each (original, &from->blocks, struct xir_block, link)
    g_hash_table_insert (map, original, xir_block_new (to));
  gb_list_for_each (original, &from->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &original->instructions, struct xir_instruction, link)
      copy_instruction (instruction, g_hash_table_lookup (map, original), map);

  gb_list_for_each (original, &from->blocks, struct xir_block, link)
    {
      block = g_hash_table_lookup (map, original);
      struct xir_instruction *copy = gb_list_first (&block->instructions, struct xir_instruction, link);

      gb_list_for_each (instruction, &original->instructions, struct xir_instruction, link)
        {
          copy_names (instruction->names, to, map);
          for (uint32_t i = 0; i < instruction->n_operands; i++)
            if (instruction->operands[i].value != NULL)
              xir_instruction_set_operand (copy, i, mapped (map, instruction->operands[i].value));
          copy = gb_list_entry (copy->link.next, struct xir_instruction, link);
        }
    }
  copy_names (from->names, to, map);
}

static struct xir_function *
copy_head (const struct xir_function *function,
           struct xir_module *to,
           const char *name,
           GHashTable *map)
{
  struct xir_function *copy = xir_function_new (to, function->kind, name, function->return_type);

  memcpy (copy->group_size, function->group_size, sizeof copy->group_size);
  copy->fast_math = function->fast_math;
  copy->unchecked = function->unchecked;
  copy->no_inline = function->no_inline;
  copy->is_helper = function->is_helper;
  copy->location = function->location;
  for (uint32_t i = 0; i < function->n_arguments; i++)
    {
      const struct xir_argument *argument = function->arguments[i];
      struct xir_argument *formal
        = xir_function_add_argument (copy, argument->argument_kind, argument->value.type, NULL);

      formal->is_const = argument->is_const;
      formal->is_restrict = argument->is_restrict;
      formal->declared_type = argument->declared_type;
      formal->is_hidden = argument->is_hidden;
      formal->name = copy_text (to, function->module, argument->name);
      formal->source_type = copy_text (to, function->module, argument->source_type);
      g_hash_table_insert (map, (gpointer) &argument->value, &formal->value);
    }
  return copy;
}

struct xir_function *
xir_function_clone (struct xir_function *function,
                    const char *name)
{
  GHashTable *map = g_hash_table_new (NULL, NULL);
  struct xir_function *copy = copy_head (function, function->module, name, map);

  xir_function_copy_body (function, copy, map);
  g_hash_table_destroy (map);
  return copy;
}

static void
copy_globals (const struct xir_module *module,
              struct xir_module *copy,
              GHashTable *map)
{
  GHashTableIter iterator;
  gpointer type, value;

  for (guint i = 0; i < module->constant_list->len; i++)
    {
      struct xir_constant *constant = g_ptr_array_index (module->constant_list, i);

      g_hash_table_insert (map, &constant->value,
                           xir_constant_get (copy, constant->value.type, constant->data));
    }
  g_hash_table_iter_init (&iterator, module->undefined);
  while (g_hash_table_iter_next (&iterator, &type, &value))
    g_hash_table_insert (map, value, xir_undefined_get (copy, type));
  for (int i = 0; i < XIR_N_SPECIALS; i++)
    if (module->specials[i] != NULL)
      g_hash_table_insert (map, &module->specials[i]->value, xir_special_get (copy, i));
}

static void
copy_print_sites (const struct xir_module *module,
                  struct xir_module *copy)
{
  if (module->print_sites == NULL)
    return;
  copy->print_sites = g_ptr_array_new ();
  for (guint i = 0; i < module->print_sites->len; i++)
    {
      struct xir_print_site *site = gb_arena_memdup (&copy->arena, module->print_sites->pdata[i], sizeof *site);

      site->format = copy_text (copy, module, site->format);
      site->condition = copy_text (copy, module, site->condition);
      site->types = gb_arena_memdup (&copy->arena, site->types, site->n_types * sizeof *site->types);
      g_ptr_array_add (copy->print_sites, site);
    }
}

static void
copy_members (const struct xir_module *module,
              struct xir_module *copy)
{
  GHashTableIter iterator;
  gpointer type, names;

  if (module->members == NULL)
    return;
  g_hash_table_iter_init (&iterator, module->members);
  while (g_hash_table_iter_next (&iterator, &type, &names))
    xir_module_name_members (copy, type, names);
}

struct xir_module *
xir_module_clone (const struct xir_module *module)
{
  struct xir_module *copy = xir_module_new (module->context, module->source_name);
  GHashTable *map = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < module->files->len; i++)
    xir_module_add_file (copy, g_ptr_array_index (module->files, i));
  copy_print_sites (module, copy);
  copy_members (module, copy);
  copy_globals (module, copy, map);
  /* All heads first: bodies call and name each other in any order. */
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    g_hash_table_insert (map, function, copy_head (function, copy, function->name, map));
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    xir_function_copy_body (function, g_hash_table_lookup (map, function), map);
  g_hash_table_destroy (map);
  return copy;
}
