/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which places of a program are told to those who look at it. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "codegen/interpret/trace-private.h"
#include "codegen/interpret/translate.h"

/* A block that dominates the one at hand. */
struct trace_scope
{
  uint32_t end;                  /* position behind what it dominates */
  uint32_t scope;                /* what can be seen at its end */
};

static void
take_members (struct trace_table *table, const struct xir_module *module)
{
  GHashTableIter iterator;
  gpointer key;
  table->members = g_hash_table_new (NULL, NULL);
  if (module->members == NULL)
    return;
  g_hash_table_iter_init (&iterator, module->members);
  while (g_hash_table_iter_next (&iterator, &key, NULL))
    {
      const struct xir_type *type = key;
      const char **names = gb_arena_array (&table->arena, const char *, type->count);
      for (uint64_t i = 0; i < type->count; i++)
        {
          const char *name = xir_module_member_name (module, type, i);
          names[i] = name != NULL ? gb_arena_strdup (&table->arena, name) : NULL;
        }
      g_hash_table_insert (table->members, key, names);
    }
}

struct trace_table *
trace_table_new (const struct xir_module *module)
{
  struct trace_table *table = g_new0 (struct trace_table, 1);
  gb_arena_init (&table->arena, 0);
  table->variables = g_array_new (FALSE, FALSE, sizeof (struct trace_variable));
  table->entries = g_array_new (FALSE, FALSE, sizeof (struct trace_entry));
  table->scopes = g_array_new (FALSE, FALSE, sizeof (struct trace_scope));
  take_members (table, module);
  return table;
}

void
trace_table_free (struct trace_table *table)
{
  if (table == NULL)
    return;
  g_array_unref (table->variables);
  g_array_unref (table->entries);
  g_array_unref (table->scopes);
  g_hash_table_unref (table->members);
  gb_arena_clear (&table->arena);
  g_free (table);
}

static void
add_variable (struct trace_table *table, const char *name, const struct xir_type *type, enum trace_place place, uint32_t slot,
              uint32_t line, struct xir_location end)
{
  struct trace_variable variable = { gb_arena_strdup (&table->arena, name), type, place, slot, line, end, table->scope };
  g_array_append_val (table->variables, variable);
  table->scope = table->variables->len;
}

static void
add_entry (struct translator *translator, struct trace_entry entry)
{
  struct trace_table *table = translator->program->trace;
  entry.location = translator->location;
  entry.file = gb_arena_strdup (&table->arena, xir_module_file (translator->module, entry.location.file));
  entry.function = gb_arena_strdup (&table->arena, translator->function->name);
  entry.scope = table->scope;
  translate_emit (translator, INTERPRET_OP_TRACE)->x = table->entries->len;
  g_array_append_val (table->entries, entry);
}

void
trace_begin_function (struct translator *translator)
{
  struct trace_table *table = translator->program->trace;
  const struct xir_function *function = translator->function;
  if (table == NULL)
    return;
  g_array_set_size (table->scopes, 0);
  table->scope = 0;
  for (uint32_t i = 0; i < function->n_arguments; i++)
    {
      const struct xir_argument *argument = function->arguments[i];
      static const enum trace_place places[] = {
        [XIR_ARGUMENT_VALUE] = TRACE_REGISTERS, [XIR_ARGUMENT_REFERENCE] = TRACE_MEMORY, [XIR_ARGUMENT_RESOURCE] = TRACE_RESOURCE
      };
      if (argument->name != NULL)
        add_variable (table, argument->name, argument->value.type, places[argument->argument_kind],
                      argument->argument_kind == XIR_ARGUMENT_RESOURCE ? argument->index
                                                                       : item_of (translator, &argument->value)->slot, 0,
                      (struct xir_location) { .line = 0 });
    }
  /* No instruction makes them. */
  for (const struct xir_name *name = function->names; name != NULL; name = name->next)
    add_variable (table, name->name, name->value->type, TRACE_REGISTERS, translate_operand (translator, name->value),
                  name->location.line, name->end);
}

/* What can be seen at the beginning of a block is what can be seen at the end of the one that dominates it. */
void
trace_begin_block (struct translator *translator)
{
  struct trace_table *table = translator->program->trace;
  uint32_t position = translator->position;
  struct trace_scope own = { 0, 0 };
  if (table == NULL)
    return;
  table->line = 0;
  if (position > 0)
    g_array_index (table->scopes, struct trace_scope, table->scopes->len - 1).scope = table->scope;
  while (table->scopes->len > 0
         && g_array_index (table->scopes, struct trace_scope, table->scopes->len - 1).end <= position)
    g_array_set_size (table->scopes, table->scopes->len - 1);
  if (table->scopes->len > 0)
    table->scope = g_array_index (table->scopes, struct trace_scope, table->scopes->len - 1).scope;
  own.end = g_array_index (translator->blocks, struct ordered_block, position).end;
  own.scope = table->scope;
  g_array_append_val (table->scopes, own);
}

void
trace_before (struct translator *translator, const struct xir_instruction *instruction)
{
  struct trace_table *table = translator->program->trace;
  const struct xir_value *operand = instruction->n_operands > 0 ? xir_operand (instruction, 0) : NULL;
  if (table == NULL || translator->error != NULL)
    return;
  /* Variables stand at the head of their function, wherever they were declared. */
  if (instruction->location.line != 0 && instruction->location.line != table->line && instruction->op != XIR_OP_ALLOCA)
    {
      table->line = instruction->location.line;
      add_entry (translator, (struct trace_entry) { .kind = TRACE_LINE });
    }
  /* What a pass has added stands nowhere. */
  if (operand == NULL || operand->type == NULL || instruction->location.line == 0
      || (xir_op_info (instruction->op)->flags & XIR_FLAG_TERMINATOR) == 0)
    return;
  add_entry (translator, (struct trace_entry) {
    .kind = TRACE_DECIDED, .text = instruction->op == XIR_OP_RETURN ? N_("result") : N_("condition"), .type = operand->type,
    .slot = translate_operand (translator, operand) });
}

/* An access: the name of what it goes into, and the way. */
struct access
{
  const char *name;
  GArray *indices;               /* struct trace_index */
};

static const struct xir_type *
add_index (struct translator *translator, struct access *access, const struct xir_type *type, const struct xir_value *value)
{
  struct trace_index index = { NULL, 0, type->kind == XIR_TYPE_STRUCTURE, type->kind == XIR_TYPE_VECTOR, NULL };
  const char *const *names = g_hash_table_lookup (translator->program->trace->members, type);
  int64_t number;
  if (xir_constant_to_int (value, &number))
    {
      index.slot = (uint32_t) number;
      index.member = index.is_member && names != NULL && index.slot < type->count ? names[index.slot] : NULL;
    }
  else
    {
      index.type = value->type;
      index.slot = translate_operand (translator, value);
      number = 0;
    }
  g_array_append_val (access->indices, index);
  return type->count > 0 || type->kind == XIR_TYPE_BUFFER ? type->kind == XIR_TYPE_BUFFER ? type->element
                                                          : xir_type_child (type, CLAMP (number, 0, (int64_t) type->count - 1))
                                                          : NULL;
}

static void
walk (struct translator *translator, struct access *access, const struct xir_instruction *instruction, uint32_t first)
{
  const struct xir_type *type = xir_operand (instruction, 0)->type;
  for (uint32_t i = first; i < instruction->n_operands && type != NULL; i++)
    type = add_index (translator, access, type, xir_operand (instruction, i));
}

/* The variable that an lvalue leads into; its name may be NULL. */
static void
find_variable (struct translator *translator, struct access *access, const struct xir_value *lvalue)
{
  const struct xir_instruction *steps[XIR_TYPE_MAX_DEPTH + 1], *instruction = xir_value_instruction (lvalue);
  uint32_t n = 0;
  while (instruction != NULL && instruction->op == XIR_OP_GEP && n < G_N_ELEMENTS (steps))
    {
      steps[n++] = instruction;
      lvalue = xir_operand (instruction, 0);
      instruction = xir_value_instruction (lvalue);
    }
  if (instruction != NULL && instruction->op == XIR_OP_ALLOCA)
    access->name = instruction->u.alloca_.name;
  else if (xir_value_argument (lvalue) != NULL)
    access->name = xir_value_argument (lvalue)->name;
  while (n-- > 0)
    walk (translator, access, steps[n], 1);
}

static void
add_access (struct translator *translator, enum trace_kind kind, struct access *access, const struct xir_value *value)
{
  struct trace_table *table = translator->program->trace;
  struct trace_entry entry = { .kind = kind, .type = value->type, .n_indices = access->indices->len };
  if (access->name != NULL && translator->error == NULL)
    {
      entry.text = gb_arena_strdup (&table->arena, access->name);
      entry.slot = translate_operand (translator, value);
      if (entry.n_indices > 0)
        entry.indices = gb_arena_memdup (&table->arena, access->indices->data, entry.n_indices * sizeof *entry.indices);
      add_entry (translator, entry);
    }
}

static void
trace_memory (struct translator *translator, const struct xir_instruction *instruction)
{
  struct access access = { NULL, g_array_new (FALSE, FALSE, sizeof (struct trace_index)) };
  const struct xir_argument *resource = instruction->n_operands > 0 ? xir_value_argument (xir_operand (instruction, 0)) : NULL;
  switch (instruction->op)
    {
    case XIR_OP_STORE:
      find_variable (translator, &access, xir_operand (instruction, 0));
      add_access (translator, TRACE_WRITTEN, &access, xir_operand (instruction, 1));
      break;
    case XIR_OP_BUFFER_READ:
    case XIR_OP_BYTE_BUFFER_READ:
      access.name = resource != NULL ? resource->name : NULL;
      walk (translator, &access, instruction, 1);
      add_access (translator, TRACE_READ, &access, &instruction->value);
      break;
    case XIR_OP_BUFFER_WRITE:
    case XIR_OP_BYTE_BUFFER_WRITE:
      access.name = resource != NULL ? resource->name : NULL;
      walk (translator, &access, instruction, 2);
      add_access (translator, TRACE_WRITTEN, &access, xir_operand (instruction, 1));
      break;
    case XIR_OP_TEXTURE_READ:
    case XIR_OP_TEXTURE_WRITE:
      {
        bool writes = instruction->op == XIR_OP_TEXTURE_WRITE;
        const struct xir_value *at = xir_operand (instruction, 1);
        struct trace_index index = { at->type, translate_operand (translator, at), false, false, NULL };
        access.name = resource != NULL ? resource->name : NULL;
        g_array_append_val (access.indices, index);
        add_access (translator, writes ? TRACE_WRITTEN : TRACE_READ, &access,
                    writes ? xir_operand (instruction, 2) : &instruction->value);
        break;
      }
    default:
      if (!xir_op_is_atomic (instruction->op))
        break;
      if (resource != NULL)
        {
          access.name = resource->name;
          walk (translator, &access, instruction, instruction->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE ? 3 : 2);
        }
      else
        find_variable (translator, &access, xir_operand (instruction, 0));
      add_access (translator, TRACE_READ, &access, &instruction->value);
      break;
    }
  g_array_unref (access.indices);
}

/* A variable in memory can be seen from where its declaration stores into it. */
static const struct xir_instruction *
declared_by (const struct xir_instruction *store)
{
  const struct xir_instruction *variable
    = store->op == XIR_OP_STORE ? xir_value_instruction (xir_operand (store, 0)) : NULL;
  return variable != NULL && variable->op == XIR_OP_ALLOCA && variable->u.alloca_.name != NULL
         && variable->location.line == store->location.line && variable->location.column == store->location.column
         ? variable : NULL;
}

void
trace_after (struct translator *translator, const struct xir_instruction *instruction)
{
  struct trace_table *table = translator->program->trace;
  const struct xir_instruction *variable;
  if (table == NULL || translator->error != NULL)
    return;
  /* Back from what was called, the thread is in this line again. */
  if (instruction->op == XIR_OP_CALL && instruction->location.line != 0 && instruction->u.callee->location.line != 0)
    add_entry (translator, (struct trace_entry) { .kind = TRACE_LINE });
  trace_memory (translator, instruction);
  for (const struct xir_name *name = instruction->names; name != NULL && translator->error == NULL; name = name->next)
    {
      uint32_t slot = translate_operand (translator, &instruction->value);
      add_variable (table, name->name, name->value->type, TRACE_REGISTERS, slot, 0, name->end);
      add_entry (translator, (struct trace_entry) {
        .kind = TRACE_NAMED, .text = gb_arena_strdup (&table->arena, name->name), .type = name->value->type, .slot = slot });
    }
  variable = declared_by (instruction);
  if (variable != NULL)
    {
      const struct item *item = item_of (translator, &variable->value);
      add_variable (table, variable->u.alloca_.name, variable->value.type,
                    item->variable != NULL ? TRACE_REGISTERS : TRACE_MEMORY, item->slot, 0,
                    variable->u.alloca_.end);
    }
}
