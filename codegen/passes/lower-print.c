/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* print and assert: records in a buffer of words that is a hidden argument of the kernel, with a second one, the
 * number of the dispatch. Both go along with all calls that lead to a print. One generated function reserves a record
 * and writes what all have in common; the values are written where the print stands. */

#include "config.h"

#include "codegen/passes/passes.h"

#include "codegen/passes/print-record.h"
#include "codegen/xir/builder.h"
#include "codegen/xir/format.h"
#include "codegen/xir/xir-private.h"

struct lowering
{
  struct xir_module *module;
  const struct xir_type *uint_type, *pair_type, *buffer_type;
  GHashTable *printing;          /* functions that print, or call one that does */
  struct xir_function *helper;   /* NULL: not made yet */
};

static bool
is_print (const struct xir_instruction *instruction, gconstpointer data)
{
  return instruction->op == XIR_OP_PRINT || instruction->op == XIR_OP_ASSERT;
}

/* Who prints. */

static void
add_caller (GHashTable *callers, struct xir_function *callee, struct xir_function *caller)
{
  GPtrArray *list = g_hash_table_lookup (callers, callee);

  if (list == NULL)
    {
      list = g_ptr_array_new ();
      g_hash_table_insert (callers, callee, list);
    }
  /* Calls of one function stand together. */
  if (list->len == 0 || list->pdata[list->len - 1] != caller)
    g_ptr_array_add (list, caller);
}

static void
find_printing (struct lowering *lowering)
{
  GHashTable *callers = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  GPtrArray *found = g_ptr_array_new ();

  gb_list_for_each (function, &lowering->module->functions, struct xir_function, link)
    gb_list_for_each (block, &function->blocks, struct xir_block, link)
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        {
          if (instruction->op == XIR_OP_CALL)
            add_caller (callers, instruction->u.callee, function);
          else if (is_print (instruction, NULL) && g_hash_table_add (lowering->printing, function))
            g_ptr_array_add (found, function);
        }
  for (guint i = 0; i < found->len; i++)
    {
      GPtrArray *list = g_hash_table_lookup (callers, found->pdata[i]);

      for (guint j = 0; list != NULL && j < list->len; j++)
        if (g_hash_table_add (lowering->printing, list->pdata[j]))
          g_ptr_array_add (found, list->pdata[j]);
    }
  g_ptr_array_unref (found);
  g_hash_table_destroy (callers);
}

/* The hidden arguments are the last two; without names nobody who looks at a thread sees them. */

static struct xir_value *
dispatch_of (const struct xir_function *function)
{
  return &function->arguments[function->n_arguments - 2]->value;
}

static struct xir_value *
buffer_of (const struct xir_function *function)
{
  return &function->arguments[function->n_arguments - 1]->value;
}

static void
add_arguments (struct lowering *lowering, struct xir_function *function)
{
  xir_function_add_argument (function, XIR_ARGUMENT_VALUE, lowering->uint_type, NULL)->is_hidden = true;
  xir_function_add_argument (function, XIR_ARGUMENT_RESOURCE, lowering->buffer_type, NULL)->is_hidden = true;
}

/* The same call with what the callee has got. */
static void
extend_call (struct xir_instruction *call)
{
  struct xir_function *caller = call->block->function;
  GPtrArray *arguments = g_ptr_array_new ();
  struct xir_builder builder;
  struct xir_value *result;

  for (uint32_t i = 0; i < call->n_operands; i++)
    g_ptr_array_add (arguments, xir_operand (call, i));
  g_ptr_array_add (arguments, dispatch_of (caller));
  g_ptr_array_add (arguments, buffer_of (caller));
  xir_builder_init (&builder, caller);
  xir_builder_before (&builder, call);
  builder.location = call->location;
  result = xir_build_call (&builder, call->u.callee, (struct xir_value *const *) arguments->pdata, arguments->len);
  for (const struct xir_name *name = call->names; name != NULL; name = name->next)
    xir_value_add_name (caller, result, name->name, name->location, name->end);
  if (call->value.type != NULL)
    xir_value_replace (&call->value, result);
  xir_instruction_remove (call);
  g_ptr_array_unref (arguments);
}

/* The function that begins a record. */

static struct xir_value *
word (struct xir_builder *builder, uint32_t value)
{
  return xir_constant_uint (builder->module, value);
}

static struct xir_value *
add (struct xir_builder *builder, struct xir_value *a, struct xir_value *b)
{
  return xir_build_binary (builder, XIR_OP_ADD, a, b);
}

static struct xir_value *
fits (struct xir_builder *builder, struct xir_value *at, struct xir_value *size, struct xir_value *limit)
{
  return xir_build_binary (builder, XIR_OP_LESS_EQUAL, add (builder, at, size), limit);
}

static struct xir_value *
count (struct xir_builder *builder, enum xir_op op, struct xir_value *buffer, struct xir_value *value, uint32_t index)
{
  struct xir_value *at = word (builder, index);

  return xir_build_atomic (builder, op, buffer, NULL, value, &at, 1);
}

static void
write_word (struct xir_builder *builder, struct xir_value *buffer, struct xir_value *base, uint32_t offset, struct xir_value *value)
{
  struct xir_value *at = offset == 0 ? base : add (builder, base, word (builder, offset));

  xir_build_buffer_write (builder, buffer, value, &at, 1);
}

/* Ends the block in a choice between two new ones that meet in a third. */
static void
choose (struct xir_builder *builder, struct xir_value *condition, struct xir_block *blocks[3])
{
  for (int i = 0; i < 3; i++)
    blocks[i] = xir_block_new (builder->function);
  xir_build_if (builder, condition, blocks[0], blocks[1], blocks[2]);
}

static struct xir_value *
join (struct xir_builder *builder, struct xir_block *const blocks[3], struct xir_value *a, struct xir_value *b)
{
  struct xir_value *phi;

  xir_builder_at_end (builder, blocks[2]);
  phi = xir_build_phi (builder, a->type);
  xir_phi_add (phi, a, blocks[0]);
  xir_phi_add (phi, b, blocks[1]);
  return phi;
}

/* Words are only taken while there are some, so that the count never wraps. Once one record has found none, what is
 * taken stays above the limit and no later one fits: there is no gap. */
static struct xir_value *
reserve (struct xir_builder *builder, struct xir_value *buffer, struct xir_value *size, struct xir_value *limit)
{
  struct xir_value *taken, *seen = count (builder, XIR_OP_ATOMIC_OR, buffer, word (builder, 0), 0);
  struct xir_block *blocks[3];

  choose (builder, fits (builder, seen, size, limit), blocks);
  xir_builder_at_end (builder, blocks[0]);
  taken = count (builder, XIR_OP_ATOMIC_ADD, buffer, size, 0);
  xir_build_branch (builder, blocks[2]);
  xir_builder_at_end (builder, blocks[1]);
  xir_build_branch (builder, blocks[2]);
  return join (builder, blocks, taken, limit);
}

/* uint gabbro.print (site, size, dispatch, buffer): where the values go, or 0. */
static void
make_helper_body (struct xir_builder *builder, const struct xir_function *function)
{
  struct xir_value *site = &function->arguments[0]->value, *size = &function->arguments[1]->value;
  struct xir_value *dispatch = dispatch_of (function), *buffer = buffer_of (function);
  struct xir_value *id = xir_special_get (builder->module, XIR_SPECIAL_GLOBAL_ID), *limit, *taken, *base, *values;
  struct xir_block *blocks[3];

  limit = xir_build_binary (builder, XIR_OP_SUB, xir_build_buffer_size (builder, buffer), word (builder, XIR_PRINT_HEADER));
  taken = reserve (builder, buffer, size, limit);
  choose (builder, fits (builder, taken, size, limit), blocks);
  xir_builder_at_end (builder, blocks[0]);
  base = add (builder, taken, word (builder, XIR_PRINT_HEADER));
  write_word (builder, buffer, base, 0, site);
  write_word (builder, buffer, base, 1, dispatch);
  for (uint32_t i = 0; i < 3; i++)
    {
      struct xir_value *axis = word (builder, i);
      write_word (builder, buffer, base, 2 + i, xir_build_extract (builder, id, &axis, 1));
    }
  values = add (builder, base, word (builder, XIR_PRINT_RECORD_HEADER));
  xir_build_branch (builder, blocks[2]);
  xir_builder_at_end (builder, blocks[1]);
  count (builder, XIR_OP_ATOMIC_ADD, buffer, word (builder, 1), 1);
  xir_build_branch (builder, blocks[2]);
  xir_build_return (builder, join (builder, blocks, values, word (builder, 0)));
}

static struct xir_function *
find_helper (struct lowering *lowering)
{
  struct xir_builder builder;

  if (lowering->helper != NULL)
    return lowering->helper;
  lowering->helper = xir_function_new (lowering->module, XIR_FUNCTION_CALLABLE, XIR_PRINT_HELPER, lowering->uint_type);
  lowering->helper->is_helper = true;
  /* It computes with words alone: the modes of floats are those of the others. */
  lowering->helper->fast_math = lowering->helper->unchecked = true;
  xir_function_add_argument (lowering->helper, XIR_ARGUMENT_VALUE, lowering->uint_type, "site");
  xir_function_add_argument (lowering->helper, XIR_ARGUMENT_VALUE, lowering->uint_type, "size");
  add_arguments (lowering, lowering->helper);
  xir_block_new (lowering->helper);
  xir_builder_init (&builder, lowering->helper);
  make_helper_body (&builder, lowering->helper);
  return lowering->helper;
}

const struct xir_print_site *
xir_print_site_of_call (const struct xir_instruction *call)
{
  const struct xir_function *callee = call->op == XIR_OP_CALL ? call->u.callee : NULL;
  int64_t number;

  /* Copies of it for one buffer have more behind the name. */
  if (callee == NULL || !callee->is_helper || !g_str_has_prefix (callee->name, XIR_PRINT_HELPER)
      || !xir_constant_to_int (xir_operand (call, 0), &number) || number < 1
      || callee->module->print_sites == NULL || number > callee->module->print_sites->len)
    return NULL;
  return g_ptr_array_index (callee->module->print_sites, (guint) number - 1);
}

/* Values as words. */

static void
add_scalar (struct lowering *lowering, struct xir_builder *builder, struct xir_value *value, GPtrArray *words)
{
  enum xir_type_kind kind = value->type->kind;
  struct xir_context *context = builder->module->context;

  if (value->type->size == sizeof (uint64_t))
    {
      struct xir_value *pair = xir_build_bitcast (builder, lowering->pair_type, value);

      for (uint32_t i = 0; i < 2; i++)
        {
          struct xir_value *at = word (builder, i);
          g_ptr_array_add (words, xir_build_extract (builder, pair, &at, 1));
        }
      return;
    }
  if (kind == XIR_TYPE_BOOL)
    value = xir_build_ternary (builder, XIR_OP_SELECT, word (builder, 0), word (builder, 1), value);
  else if (xir_type_is_float (value->type) || xir_type_is_storage_float (value->type))
    value = kind == XIR_TYPE_FLOAT32 ? value : xir_build_cast (builder, xir_type_scalar (context, XIR_TYPE_FLOAT32), value);
  else if (value->type->size < sizeof (uint32_t))
    value = xir_build_cast (builder, xir_type_scalar (context, xir_type_is_signed (value->type) ? XIR_TYPE_INT32 : XIR_TYPE_UINT32),
                            value);
  if (value->type != lowering->uint_type)
    value = xir_build_bitcast (builder, lowering->uint_type, value);
  g_ptr_array_add (words, value);
}

/* As deep as types are, and as wide as a record. */
static void
add_words (struct lowering *lowering, struct xir_builder *builder, struct xir_value *value, GPtrArray *words)
{
  if (xir_type_is_scalar (value->type))
    {
      add_scalar (lowering, builder, value, words);
      return;
    }
  for (uint32_t i = 0; i < value->type->count; i++)
    {
      struct xir_value *at = word (builder, i);
      add_words (lowering, builder, xir_build_extract (builder, value, &at, 1), words);
    }
}

/* Prints. */

static void
add_site (struct xir_module *module, const struct xir_instruction *print)
{
  uint32_t first = print->op == XIR_OP_ASSERT ? 1 : 0;
  struct xir_print_site *site = gb_arena_new (&module->arena, struct xir_print_site);

  *site = (struct xir_print_site) {
    .format = print->u.print.format, .condition = print->u.print.condition, .is_assert = print->op == XIR_OP_ASSERT,
    .location = print->location, .n_types = print->n_operands - first,
    .types = gb_arena_array (&module->arena, const struct xir_type *, print->n_operands + 1)
  };
  for (uint32_t i = 0; i < site->n_types; i++)
    site->types[i] = xir_operand (print, first + i)->type;
  if (module->print_sites == NULL)
    module->print_sites = g_ptr_array_new ();
  g_ptr_array_add (module->print_sites, site);
}

/* The values, where the record found room: in an arm that leads to `merge`. */
static void
write_values (struct xir_builder *builder, struct xir_value *begin, const GPtrArray *words, struct xir_block *merge)
{
  struct xir_block *outside = xir_block_new_behind (builder->block), *inside = xir_block_new_behind (builder->block);

  /* Who looks at a thread wants to see no choice that is not in the source. */
  builder->location = (struct xir_location) { 0, 0, 0 };
  xir_build_if (builder, xir_build_binary (builder, XIR_OP_NOT_EQUAL, begin, word (builder, 0)), inside, outside, merge);
  xir_builder_at_end (builder, outside);
  xir_build_branch (builder, merge);
  xir_builder_at_end (builder, inside);
  for (guint i = 0; i < words->len; i++)
    write_word (builder, buffer_of (builder->function), begin, i, words->pdata[i]);
  xir_build_branch (builder, merge);
}

static struct xir_value *
begin_record (struct lowering *lowering, struct xir_builder *builder, uint32_t site, uint32_t n_words)
{
  struct xir_value *arguments[4] = {
    word (builder, site), word (builder, XIR_PRINT_RECORD_HEADER + n_words), dispatch_of (builder->function), buffer_of (builder->function)
  };

  return xir_build_call (builder, find_helper (lowering), arguments, G_N_ELEMENTS (arguments));
}

/* The record of a print with values, or of an assert, at the end of its block, which is left for `tail`; an assert's stands in an arm of its own. */
static void
write_record (struct lowering *lowering, struct xir_builder *builder, const struct xir_instruction *print, uint32_t site,
              struct xir_block *tail)
{
  struct xir_block *good, *bad, *merge = tail;
  GPtrArray *words = g_ptr_array_new ();
  struct xir_value *begin;

  if (print->op == XIR_OP_ASSERT)
    {
      bad = xir_block_new_behind (builder->block);
      good = xir_block_new_behind (builder->block);
      xir_build_if (builder, xir_operand (print, 0), good, bad, tail);
      xir_builder_at_end (builder, good);
      xir_build_branch (builder, tail);
      xir_builder_at_end (builder, bad);
    }
  for (uint32_t i = print->op == XIR_OP_ASSERT ? 1 : 0; i < print->n_operands; i++)
    add_words (lowering, builder, xir_operand (print, i), words);
  begin = begin_record (lowering, builder, site, words->len);
  if (words->len > 0)
    {
      if (print->op == XIR_OP_ASSERT)
        merge = xir_block_new_behind (builder->block);
      write_values (builder, begin, words, merge);
      xir_builder_at_end (builder, merge);
    }
  if (words->len == 0 || merge != tail)
    xir_build_branch (builder, tail);
  g_ptr_array_unref (words);
}

static void
lower_print (struct lowering *lowering, struct xir_instruction *print, uint32_t site)
{
  struct xir_block *head = print->block, *tail;
  struct xir_builder builder;

  xir_builder_init (&builder, head->function);
  builder.location = print->location;
  if (print->n_operands == 0)
    {
      xir_builder_before (&builder, print);
      begin_record (lowering, &builder, site, 0);
    }
  else
    {
      tail = xir_block_split (head, gb_list_entry (print->link.next, struct xir_instruction, link));
      xir_builder_at_end (&builder, head);
      write_record (lowering, &builder, print, site, tail);
    }
  xir_instruction_remove (print);
}

static void
lower_function (struct lowering *lowering, struct xir_function *function)
{
  GPtrArray *prints = g_ptr_array_new ();
  guint first_site;

  xir_function_open_prepares (function, is_print, NULL);
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    gb_list_for_each_safe (instruction, &block->instructions, struct xir_instruction, link)
      {
        if (is_print (instruction, NULL))
          g_ptr_array_add (prints, instruction);
        else if (instruction->op == XIR_OP_CALL && g_hash_table_contains (lowering->printing, instruction->u.callee))
          extend_call (instruction);
      }
  first_site = lowering->module->print_sites != NULL ? lowering->module->print_sites->len : 0;
  for (guint i = 0; i < prints->len; i++)
    add_site (lowering->module, prints->pdata[i]);
  /* From the last one on, so that what stands behind a print is moved once. */
  for (guint i = prints->len; i > 0; i--)
    lower_print (lowering, prints->pdata[i - 1], first_site + i);
  g_ptr_array_unref (prints);
}

bool
xir_pass_lower_print (struct xir_module *module,
                      const struct xir_pass_options *options,
                      GError **error)
{
  struct lowering lowering = {
    .module = module,
    .uint_type = xir_type_scalar (module->context, XIR_TYPE_UINT32),
    .printing = g_hash_table_new (NULL, NULL)
  };
  bool changed;

  lowering.pair_type = xir_type_vector (module->context, lowering.uint_type, 2);
  lowering.buffer_type = xir_type_buffer (module->context, lowering.uint_type);
  find_printing (&lowering);
  changed = g_hash_table_size (lowering.printing) > 0;
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    if (g_hash_table_contains (lowering.printing, function))
      add_arguments (&lowering, function);
  /* The generated function comes to the end of the list. */
  for (struct xir_function *function = gb_list_first (&module->functions, struct xir_function, link), *next; changed && function != NULL;
       function = next)
    {
      next = function->link.next != &module->functions ? gb_list_entry (function->link.next, struct xir_function, link) : NULL;
      if (g_hash_table_contains (lowering.printing, function))
        lower_function (&lowering, function);
    }
  g_hash_table_destroy (lowering.printing);
  return changed;
}
