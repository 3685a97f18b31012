/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a kernel and what it calls to a program. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "codegen/interpret/execute.h"
#include "codegen/interpret/trace-private.h"
#include "codegen/interpret/translate.h"
#include "lib/checked.h"

G_DEFINE_QUARK (interpret-error-quark, interpret_error)

void
translate_fail (struct translator *translator, enum interpret_error code, const char *format, ...)
{
  const struct xir_function *function = translator->function;
  va_list arguments;
  char *text;
  if (translator->error != NULL)
    return;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  translator->error = g_error_new (INTERPRET_ERROR, code, _("“%s”, line %u, cannot be interpreted: %s"),
                                   function != NULL && function->name != NULL ? function->name : "?",
                                   translator->location.line, text);
  g_free (text);
}

struct code *
translate_emit (struct translator *translator, enum interpret_op op)
{
  struct code code = { .run = NULL };
  code.n = 1;
  g_array_append_val (translator->code, code);
  g_array_append_val (translator->locations, translator->location);
  /* The handler is not known before the width is; the op waits in its place. */
  struct code *last = &g_array_index (translator->code, struct code, translator->code->len - 1);
  uintptr_t number = op;
  memcpy (&last->run, &number, sizeof last->run);
  return last;
}

struct code *
translate_emit_slots (struct translator *translator, enum interpret_op op, uint32_t d, uint32_t a, uint32_t b, uint32_t n)
{
  struct code *code = translate_emit (translator, op);
  code->d = words_at (translator, d);
  code->a = words_at (translator, a);
  code->b = words_at (translator, b);
  code->n = n;
  return code;
}

/* Functions, callees first. */

struct visit
{
  const struct xir_function *function;
  const struct xir_block *block;         /* the next to look at, or NULL */
  const struct xir_instruction *at;      /* the next in it */
  uint32_t depth;
};

static void
begin_visit (struct visit *visit, const struct xir_function *function)
{
  visit->function = function;
  visit->block = xir_function_entry (function);
  visit->at = visit->block != NULL ? gb_list_first (&visit->block->instructions, struct xir_instruction, link) : NULL;
  visit->depth = 0;
}

/* The next call's callee; NULL: none left. */
static const struct xir_function *
next_callee (struct visit *visit)
{
  while (visit->block != NULL)
    {
      const struct xir_function *callee;
      struct gb_list *next;
      if (visit->at == NULL)
        {
          next = visit->block->link.next;
          visit->block = next != &visit->function->blocks ? gb_list_entry (next, struct xir_block, link) : NULL;
          visit->at = visit->block != NULL ? gb_list_first (&visit->block->instructions, struct xir_instruction, link) : NULL;
          continue;
        }
      callee = visit->at->op == XIR_OP_CALL ? visit->at->u.callee : NULL;
      next = visit->at->link.next;
      visit->at = next != &visit->block->instructions ? gb_list_entry (next, struct xir_instruction, link) : NULL;
      if (callee != NULL)
        return callee;
    }
  return NULL;
}

static void
leave (struct translator *translator, GArray *stack)
{
  struct visit done = g_array_index (stack, struct visit, stack->len - 1);
  struct item *item = &translator->items[done.function->id];
  translate_function (translator, done.function);
  item->is_translated = true;
  item->depth = done.depth;
  g_array_set_size (stack, stack->len - 1);
  if (stack->len > 0)
    {
      struct visit *caller = &g_array_index (stack, struct visit, stack->len - 1);
      caller->depth = MAX (caller->depth, done.depth + 1);
    }
  else
    translator->program->n_calls = done.depth;
}

static void
translate_functions (struct translator *translator, const struct xir_function *kernel)
{
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (struct visit));
  struct visit visit;
  begin_visit (&visit, kernel);
  translator->items[kernel->id].is_entered = true;
  g_array_append_val (stack, visit);
  while (stack->len > 0 && translator->error == NULL)
    {
      struct visit *top = &g_array_index (stack, struct visit, stack->len - 1);
      const struct xir_function *callee = next_callee (top);
      struct item *item;
      if (callee == NULL)
        {
          leave (translator, stack);
          continue;
        }
      item = &translator->items[callee->id];
      if (item->is_translated)
        top->depth = MAX (top->depth, item->depth + 1);
      else if (item->is_entered || callee->kind == XIR_FUNCTION_KERNEL)
        {
          translator->function = callee;
          translate_fail (translator, INTERPRET_ERROR_UNSUPPORTED, _("it calls itself"));
        }
      else
        {
          item->is_entered = true;
          begin_visit (&visit, callee);
          g_array_append_val (stack, visit);
        }
    }
  g_array_unref (stack);
}

static void
take_arguments (struct translator *translator, const struct xir_function *kernel)
{
  struct interpret_program *program = translator->program;
  program->n_arguments = kernel->n_arguments;
  program->arguments = g_new0 (struct program_argument, MAX (kernel->n_arguments, 1));
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    {
      const struct xir_argument *argument = kernel->arguments[i];
      struct program_argument *taken = &program->arguments[i];
      taken->kind = argument->argument_kind;
      taken->type = argument->value.type;
      taken->name = g_strdup (argument->name);
      if (taken->type->kind == XIR_TYPE_BUFFER)
        taken->element_size = taken->type->element != NULL ? taken->type->element->size : 1;
    }
}

/* Where the values of the arguments go is known once the kernel is translated. */
static void
place_values (struct translator *translator, const struct xir_function *kernel)
{
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    {
      struct program_argument *argument = &translator->program->arguments[i];
      GArray *runs;
      if (argument->kind != XIR_ARGUMENT_VALUE)
        continue;
      argument->slot = item_of (translator, &kernel->arguments[i]->value)->slot;
      runs = g_array_new (FALSE, FALSE, sizeof (struct value_run));
      interpret_type_runs (argument->type, argument->slot, 0, runs);
      argument->n_runs = runs->len;
      argument->runs = (struct value_run *) (gpointer) g_array_free (runs, FALSE);
    }
}

static void
free_switch (gpointer table)
{
  g_free (((struct switch_table *) table)->cases);
}

static void
free_constant (gpointer data)
{
  struct constant_slot *constant = data;
  g_free (constant->runs);
  g_free (constant->data);
}

static struct interpret_program *
new_program (const struct xir_module *module, const struct xir_function *kernel, const struct interpret_options *options)
{
  struct interpret_program *program = g_new0 (struct interpret_program, 1);
  program->context = xir_context_ref (module->context);
  program->kernel = g_strdup (kernel->name);
  program->source_name = g_strdup (module->source_name);
  program->options = *options;
  program->width = options->subgroup_size > 32 ? 64 : 32;
  program->group_threads = 1;
  for (int i = 0; i < 3; i++)
    {
      program->group_size[i] = MAX (kernel->group_size[i], 1);
      program->group_threads *= program->group_size[i];
    }
  program->n_subgroups = (program->group_threads + options->subgroup_size - 1) / options->subgroup_size;
  for (int i = 0; i < XIR_N_SPECIALS; i++)
    program->special_slots[i] = INTERPRET_NO_SLOT;
  program->constants = g_array_new (FALSE, FALSE, sizeof (struct constant_slot));
  g_array_set_clear_func (program->constants, free_constant);
  program->generics = g_array_new (FALSE, FALSE, sizeof (struct generic));
  program->matrices = g_array_new (FALSE, FALSE, sizeof (struct matrix_shapes));
  program->atomics = g_array_new (FALSE, FALSE, sizeof (struct atomic));
  program->switches = g_array_new (FALSE, FALSE, sizeof (struct switch_table));
  program->trace = options->trace ? trace_table_new (module) : NULL;
  g_array_set_clear_func (program->switches, free_switch);
  program->names = g_string_chunk_new (256);
  program->sites = g_array_new (FALSE, FALSE, sizeof (struct check_site));
  program->checked = g_array_new (FALSE, FALSE, sizeof (struct checked));
  program->variables = g_array_new (FALSE, FALSE, sizeof (struct check_variable));
  program->loops = g_array_new (FALSE, FALSE, sizeof (struct program_loop));
  program->location = kernel->location;
  return program;
}

static void
finish (struct translator *translator)
{
  struct interpret_program *program = translator->program;
  const interpret_handler *handlers = program->width == 64 ? interpret_handlers_64 : interpret_handlers_32;
  bool keeps = program->options.check || program->options.trace;
  for (guint i = 0; i < translator->code->len; i++)
    {
      struct code *code = &g_array_index (translator->code, struct code, i);
      uintptr_t number;
      memcpy (&number, &code->run, sizeof number);
      code->run = handlers[number];
    }
  program->n_code = translator->code->len;
  program->n_slots = (uint32_t) translator->n_slots;
  program->n_masks = translator->n_masks;
  program->local_size = GB_ALIGN_UP (translator->local_size, 16);
  program->shared_size = GB_ALIGN_UP (translator->shared_size, 16);
  program->code = (struct code *) (gpointer) g_array_free (translator->code, FALSE);
  program->locations = (struct xir_location *) (gpointer) g_array_free (translator->locations, !keeps);
}

static bool
check_kernel (const struct xir_function *kernel, const char *name, const struct interpret_options *options, GError **error)
{
  uint64_t threads = 1;
  if (kernel == NULL || kernel->kind != XIR_FUNCTION_KERNEL || xir_function_entry (kernel) == NULL)
    {
      g_set_error (error, INTERPRET_ERROR, INTERPRET_ERROR_UNSUPPORTED, _("there is no kernel “%s”"), name);
      return false;
    }
  if (!gb_is_power_of_two (options->subgroup_size) || options->subgroup_size > 64)
    {
      g_set_error (error, INTERPRET_ERROR, INTERPRET_ERROR_UNSUPPORTED,
                   _("subgroups of %u threads: the size is a power of two from 1 to 64"), options->subgroup_size);
      return false;
    }
  for (int i = 0; i < 3; i++)
    if (!gb_checked_mul (threads, MAX (kernel->group_size[i], 1), &threads) || threads > 65536)
      {
        g_set_error (error, INTERPRET_ERROR, INTERPRET_ERROR_TOO_LARGE,
                     _("workgroups of kernel “%s” have more than %u threads"), name, 65536u);
        return false;
      }
  return true;
}

struct interpret_program *
interpret_program_new (const struct xir_module *module, const char *kernel_name, const struct interpret_options *options,
                       GError **error)
{
  const struct xir_function *kernel = xir_module_find_function (module, kernel_name);
  struct translator translator = { .module = module };
  if (!check_kernel (kernel, kernel_name, options, error))
    return NULL;
  translator.program = new_program (module, kernel, options);
  translator.items = g_new0 (struct item, module->next_id);
  for (uint32_t i = 0; i < module->next_id; i++)
    translator.items[i].slot = translator.items[i].shadow = INTERPRET_NO_SLOT;
  translator.code = g_array_new (FALSE, FALSE, sizeof (struct code));
  translator.locations = g_array_new (FALSE, FALSE, sizeof (struct xir_location));
  translator.words = g_hash_table_new (NULL, NULL);
  translator.blocks = g_array_new (FALSE, FALSE, sizeof (struct ordered_block));
  translator.loops = g_array_new (FALSE, FALSE, sizeof (struct loop));
  translator.fixups = g_array_new (FALSE, FALSE, sizeof (struct fixup));
  take_arguments (&translator, kernel);
  translate_functions (&translator, kernel);
  translator.program->entry = translator.items[kernel->id].entry;
  if (translator.error == NULL)
    place_values (&translator, kernel);
  finish (&translator);
  g_free (translator.items);
  g_hash_table_unref (translator.words);
  g_array_unref (translator.blocks);
  g_array_unref (translator.loops);
  g_array_unref (translator.fixups);
  if (translator.error == NULL)
    return translator.program;
  interpret_program_free (translator.program);
  g_propagate_error (error, translator.error);
  return NULL;
}

void
interpret_program_free (struct interpret_program *program)
{
  if (program == NULL)
    return;
  for (uint32_t i = 0; i < program->n_arguments; i++)
    {
      g_free ((char *) program->arguments[i].name);
      g_free (program->arguments[i].runs);
    }
  g_free (program->arguments);
  g_free (program->code);
  g_free (program->locations);
  trace_table_free (program->trace);
  g_array_unref (program->constants);
  g_array_unref (program->generics);
  g_array_unref (program->matrices);
  g_array_unref (program->atomics);
  g_array_unref (program->switches);
  g_string_chunk_free (program->names);
  g_array_unref (program->sites);
  g_array_unref (program->checked);
  g_array_unref (program->variables);
  g_array_unref (program->loops);
  g_free (program->kernel);
  g_free (program->source_name);
  xir_context_unref (program->context);
  g_free (program);
}
