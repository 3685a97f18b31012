/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls and the call graph, resources, switch values. */

#include "config.h"

#include "codegen/xir/verify.h"

#include "codegen/xir/builder.h"
#include "codegen/xir/format.h"
#include "codegen/xir/verify-private.h"

#include <inttypes.h>

#define error(verifier, instruction, ...) \
  verify_error (verifier, (verifier)->function, instruction, __VA_ARGS__)

/* A resource stands only where it is used or handed on: it is always an argument. */
static const struct xir_argument *
resource_operand (struct verifier *verifier,
                  const struct xir_instruction *instruction,
                  uint32_t index,
                  enum xir_type_kind kind)
{
  const struct xir_value *value = instruction->operands[index].value;
  const struct xir_argument *argument = xir_value_argument (value);

  if (argument == NULL || argument->argument_kind != XIR_ARGUMENT_RESOURCE
      || value->type == NULL || (kind != XIR_N_TYPE_KINDS && value->type->kind != kind))
    {
      error (verifier, instruction, "operand %u is no resource argument of the kind that is wanted", index);
      return NULL;
    }
  return argument;
}

/* The type of the part of an element that the indices behind `first`, the element's, lead to;
 * NULL after an error. */
static const struct xir_type *
walk_element (struct verifier *verifier,
              const struct xir_instruction *instruction,
              const struct xir_argument *buffer,
              uint32_t first)
{
  const struct xir_type *walked;
  struct xir_value **indices = g_new (struct xir_value *, instruction->n_operands);

  for (uint32_t i = first + 1; i < instruction->n_operands; i++)
    indices[i - first - 1] = instruction->operands[i].value;
  walked = xir_walk_type (buffer->value.type->element, indices, instruction->n_operands - first - 1);
  g_free (indices);
  if (walked == NULL)
    error (verifier, instruction, "the indices lead nowhere in %s", buffer->value.type->element->text);
  return walked;
}

static void
verify_buffer_op (struct verifier *verifier,
                  const struct xir_instruction *instruction)
{
  const struct xir_argument *buffer = resource_operand (verifier, instruction, 0, XIR_TYPE_BUFFER);
  bool is_write = instruction->op == XIR_OP_BUFFER_WRITE;
  uint32_t first = is_write ? 2 : 1;
  const struct xir_type *walked;

  if (buffer == NULL)
    return;
  if (instruction->op == XIR_OP_BUFFER_SIZE || instruction->op == XIR_OP_BUFFER_FIRST)
    {
      verify_type (verifier, instruction, "the result", instruction->value.type,
                   xir_type_scalar (verifier->module->context, XIR_TYPE_UINT32));
      return;
    }
  if (is_write && buffer->is_const)
    error (verifier, instruction, "the buffer is read-only");
  if (buffer->value.type->element == NULL)
    {
      error (verifier, instruction, "a byte buffer has no elements");
      return;
    }
  if (!verify_indices (verifier, instruction, first) || (is_write && !verify_data (verifier, instruction, 1)))
    return;
  walked = walk_element (verifier, instruction, buffer, first);
  if (walked != NULL)
    verify_type (verifier, instruction, is_write ? "the value" : "the result",
                 is_write ? instruction->operands[1].value->type : instruction->value.type, walked);
}

static void
verify_byte_buffer_op (struct verifier *verifier,
                       const struct xir_instruction *instruction)
{
  const struct xir_argument *buffer = resource_operand (verifier, instruction, 0, XIR_TYPE_BUFFER);
  bool is_write = instruction->op == XIR_OP_BYTE_BUFFER_WRITE;
  const struct xir_type *type = is_write ? NULL : instruction->value.type;

  if (buffer == NULL)
    return;
  if (is_write && buffer->is_const)
    error (verifier, instruction, "the buffer is read-only");
  if (buffer->value.type->element != NULL)
    error (verifier, instruction, "a %s has elements and no bytes", buffer->value.type->text);
  if (!verify_indices (verifier, instruction, is_write ? 2 : 1))
    return;
  if (is_write && verify_data (verifier, instruction, 1))
    type = instruction->operands[1].value->type;
  if (!is_write && !xir_type_is_data (type))
    error (verifier, instruction, "the result is no data");
}

static void
verify_texture_op (struct verifier *verifier,
                   const struct xir_instruction *instruction)
{
  struct xir_context *context = verifier->module->context;
  const struct xir_argument *texture = resource_operand (verifier, instruction, 0, XIR_TYPE_TEXTURE);
  const struct xir_type *texel, *at;

  if (texture == NULL)
    return;
  if (instruction->op == XIR_OP_TEXTURE_SIZE)
    {
      verify_type (verifier, instruction, "the result", instruction->value.type,
                   xir_type_vector (context, xir_type_scalar (context, XIR_TYPE_UINT32),
                                    texture->value.type->dimension));
      return;
    }
  if (verify_data (verifier, instruction, 1))
    {
      at = instruction->operands[1].value->type;
      if (xir_type_lanes (at) != texture->value.type->dimension
          || (at->element->kind != XIR_TYPE_INT32 && at->element->kind != XIR_TYPE_UINT32))
        error (verifier, instruction, "the place is %s", at->text);
    }
  texel = xir_type_vector (context, texture->value.type->element, 4);
  if (instruction->op == XIR_OP_TEXTURE_READ)
    verify_type (verifier, instruction, "the result", instruction->value.type, texel);
  else if (verify_data (verifier, instruction, 2))
    verify_type (verifier, instruction, "the texel", instruction->operands[2].value->type, texel);
  if (instruction->op == XIR_OP_TEXTURE_WRITE && texture->is_const)
    error (verifier, instruction, "the texture is read-only");
}

void
verify_resource_op (struct verifier *verifier,
                    const struct xir_instruction *instruction)
{
  switch (instruction->op)
    {
    case XIR_OP_BUFFER_SIZE:
    case XIR_OP_BUFFER_FIRST:
    case XIR_OP_BUFFER_READ:
    case XIR_OP_BUFFER_WRITE:
      verify_buffer_op (verifier, instruction);
      break;
    case XIR_OP_BYTE_BUFFER_READ:
    case XIR_OP_BYTE_BUFFER_WRITE:
      verify_byte_buffer_op (verifier, instruction);
      break;
    default:
      verify_texture_op (verifier, instruction);
      break;
    }
}

static bool
is_in_shared_memory (const struct xir_value *value)
{
  const struct xir_instruction *instruction = xir_value_instruction (value);

  while (instruction != NULL && instruction->op == XIR_OP_GEP)
    instruction = xir_value_instruction (xir_operand (instruction, 0));
  return instruction != NULL && instruction->op == XIR_OP_ALLOCA
         && instruction->u.alloca_.storage == XIR_STORAGE_SHARED;
}

/* The type of the memory that an atomic works on; NULL after an error. */
static const struct xir_type *
atomic_place (struct verifier *verifier,
              const struct xir_instruction *instruction,
              uint32_t first)
{
  const struct xir_value *base = instruction->operands[0].value;
  const struct xir_argument *buffer;

  if (base->is_lvalue)
    {
      if (!is_in_shared_memory (base))
        error (verifier, instruction, "operand 0 is not in shared memory");
      else if (instruction->n_operands != first)
        error (verifier, instruction, "an atomic in shared memory takes no indices");
      else
        return base->type;
      return NULL;
    }
  buffer = resource_operand (verifier, instruction, 0, XIR_TYPE_BUFFER);
  if (buffer == NULL)
    return NULL;
  if (buffer->is_const)
    error (verifier, instruction, "the buffer is read-only");
  if (buffer->value.type->element == NULL)
    error (verifier, instruction, "a byte buffer has no elements");
  else if (instruction->n_operands == first)
    error (verifier, instruction, "an atomic in a buffer needs an index");
  else if (verify_indices (verifier, instruction, first))
    return walk_element (verifier, instruction, buffer, first);
  return NULL;
}

void
verify_atomic (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  uint32_t first = xir_atomic_first_index (instruction->op);
  const struct xir_type *type = atomic_place (verifier, instruction, first);
  bool is_bitwise = instruction->op == XIR_OP_ATOMIC_AND || instruction->op == XIR_OP_ATOMIC_OR
                    || instruction->op == XIR_OP_ATOMIC_XOR;
  bool may_take_bits = instruction->op == XIR_OP_ATOMIC_EXCHANGE || instruction->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE;

  if (type == NULL)
    return;
  if (may_take_bits && type->kind == XIR_TYPE_FLOAT32 && !instruction->operands[0].value->is_lvalue
      && instruction->value.type == xir_type_scalar (verifier->module->context, XIR_TYPE_UINT32))
    type = instruction->value.type;
  if (((type->kind < XIR_TYPE_INT32 || type->kind > XIR_TYPE_UINT64) && type->kind != XIR_TYPE_FLOAT32)
      || (is_bitwise && xir_type_is_float (type)))
    error (verifier, instruction, "there is no %s of %s", xir_op_info (instruction->op)->mnemonic, type->text);
  for (uint32_t i = 1; i < first; i++)
    if (verify_data (verifier, instruction, i))
      verify_type (verifier, instruction, i + 1 == first ? "the value" : "the expected value",
                   instruction->operands[i].value->type, type);
  verify_type (verifier, instruction, "the result", instruction->value.type, type);
}

void
verify_print (struct verifier *verifier,
              const struct xir_instruction *instruction)
{
  uint32_t first = instruction->op == XIR_OP_ASSERT ? 1 : 0, n_places, n_words = 0;

  if (instruction->u.print.format == NULL || !xir_format_count (instruction->u.print.format, &n_places))
    {
      error (verifier, instruction, "%s has no format, or one with a stray brace", xir_op_info (instruction->op)->mnemonic);
      return;
    }
  if (n_places != instruction->n_operands - first)
    error (verifier, instruction, "the format has places: %u, values: %u", n_places, instruction->n_operands - first);
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      if (!verify_data (verifier, instruction, i))
        return;
      if (i >= first)
        n_words += xir_print_words (instruction->operands[i].value->type);
      if (n_words > XIR_PRINT_MAX_WORDS)
        {
          error (verifier, instruction, "the values take more than %u words", XIR_PRINT_MAX_WORDS);
          return;
        }
    }
  if (first == 1)
    verify_type (verifier, instruction, "the condition", instruction->operands[0].value->type,
                 xir_type_scalar (verifier->module->context, XIR_TYPE_BOOL));
}

/* The whole of a variable in function memory: what a reference can stand for. */
static bool
is_whole_variable (const struct xir_value *value)
{
  const struct xir_instruction *instruction = xir_value_instruction (value);
  const struct xir_argument *argument = xir_value_argument (value);

  if (argument != NULL)
    return argument->argument_kind == XIR_ARGUMENT_REFERENCE;
  return instruction != NULL && instruction->op == XIR_OP_ALLOCA
         && instruction->u.alloca_.storage == XIR_STORAGE_LOCAL;
}

static void
verify_actual (struct verifier *verifier,
               const struct xir_instruction *instruction,
               uint32_t index)
{
  const struct xir_argument *formal = instruction->u.callee->arguments[index], *resource;
  const struct xir_value *actual = instruction->operands[index].value;

  switch (formal->argument_kind)
    {
    case XIR_ARGUMENT_RESOURCE:
      resource = resource_operand (verifier, instruction, index, XIR_N_TYPE_KINDS);
      if (resource != NULL && resource->is_const && !formal->is_const)
        error (verifier, instruction, "argument %u is read-only, the parameter is not", index);
      if (resource == NULL)
        return;
      break;
    case XIR_ARGUMENT_REFERENCE:
      if (!actual->is_lvalue || !is_whole_variable (actual))
        {
          error (verifier, instruction, "argument %u is no whole local variable", index);
          return;
        }
      break;
    case XIR_ARGUMENT_VALUE:
    default:
      if (!verify_data (verifier, instruction, index))
        return;
      break;
    }
  if (actual->type != formal->value.type)
    error (verifier, instruction, "argument %u is %s, not %s", index,
           actual->type != NULL ? actual->type->text : "void",
           formal->value.type != NULL ? formal->value.type->text : "void");
}

void
verify_call (struct verifier *verifier,
             const struct xir_instruction *instruction)
{
  const struct xir_function *callee = instruction->u.callee;

  if (callee == NULL || !g_hash_table_contains (verifier->functions, callee))
    {
      error (verifier, instruction, "the called function is not in this module");
      return;
    }
  if (callee->kind == XIR_FUNCTION_KERNEL)
    error (verifier, instruction, "a kernel cannot be called");
  if (callee->n_arguments != instruction->n_operands)
    {
      error (verifier, instruction, "%s takes %u arguments, not %u", callee->name, callee->n_arguments,
             instruction->n_operands);
      return;
    }
  for (uint32_t i = 0; i < callee->n_arguments; i++)
    verify_actual (verifier, instruction, i);
  verify_type (verifier, instruction, "the result", instruction->value.type, callee->return_type);
}

static int
compare_values (gconstpointer a,
                gconstpointer b)
{
  uint64_t left = *(const uint64_t *) a, right = *(const uint64_t *) b;

  return left < right ? -1 : left > right;
}

void
verify_switch (struct verifier *verifier,
               const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->operands[0].value->type;
  uint32_t n = instruction->n_blocks - 2, width;
  uint64_t mask, *sorted;

  if (!verify_data (verifier, instruction, 0))
    return;
  if (!xir_type_is_scalar (type) || !xir_type_is_integer (type))
    {
      error (verifier, instruction, "the selector is %s, not an integer", type->text);
      return;
    }
  if (instruction->u.switch_.default_position > n)
    error (verifier, instruction, "the default stands behind the last case");
  width = xir_type_bits (type);
  mask = width == 64 ? ~UINT64_C (0) : (UINT64_C (1) << width) - 1;
  sorted = g_new (uint64_t, n + 1);
  for (uint32_t i = 0; i < n; i++)
    {
      uint64_t value = instruction->u.switch_.values[i];
      bool is_sign_extended = xir_type_is_signed (type) && value >> (width - 1) == ~UINT64_C (0) >> (width - 1);

      if (value > mask && !is_sign_extended)
        error (verifier, instruction, "case %" PRIu64 " does not fit %s", value, type->text);
      sorted[i] = value & mask;
    }
  qsort (sorted, n, sizeof *sorted, compare_values);
  for (uint32_t i = 1; i < n; i++)
    if (sorted[i] == sorted[i - 1])
      error (verifier, instruction, "two cases have the value %" PRIu64, sorted[i]);
  g_free (sorted);
}

/* The call graph. */

struct call_site
{
  const struct xir_instruction *call;
  guint callee;
};

struct graph_node
{
  const struct xir_function *function;
  GArray *calls;                 /* of struct call_site */
  guint next_call;
  enum { UNSEEN, OPEN, DONE } state;
  const struct xir_function *resource_owner;     /* the kernel whose resources are named here */
};

static void
free_node (gpointer data)
{
  struct graph_node *node = data;

  g_array_free (node->calls, TRUE);
}

static void
note_foreign_arguments (struct verifier *verifier,
                        struct graph_node *node,
                        const struct xir_instruction *instruction)
{
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      const struct xir_argument *argument = xir_value_argument (instruction->operands[i].value);

      if (argument == NULL || argument->function == node->function || argument->function == NULL)
        continue;
      if (node->resource_owner != NULL && node->resource_owner != argument->function)
        verify_error (verifier, node->function, instruction, "resources of two kernels in one function");
      node->resource_owner = argument->function;
    }
}

static GArray *
make_graph (struct verifier *verifier)
{
  GArray *graph = g_array_new (FALSE, TRUE, sizeof (struct graph_node));
  GHashTable *indices = g_hash_table_new (NULL, NULL);

  g_array_set_clear_func (graph, free_node);
  gb_list_for_each (function, &verifier->module->functions, struct xir_function, link)
    {
      struct graph_node node = { .function = function };

      node.calls = g_array_new (FALSE, FALSE, sizeof (struct call_site));
      g_array_append_val (graph, node);
      g_hash_table_insert (indices, function, GUINT_TO_POINTER (graph->len));
    }
  for (guint i = 0; i < graph->len; i++)
    {
      struct graph_node *node = &g_array_index (graph, struct graph_node, i);

      gb_list_for_each (block, &node->function->blocks, struct xir_block, link)
        gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
          {
            note_foreign_arguments (verifier, node, instruction);
            if (instruction->op == XIR_OP_CALL)
              {
                struct call_site site = { instruction, 0 };

                site.callee = GPOINTER_TO_UINT (g_hash_table_lookup (indices, instruction->u.callee));
                if (site.callee-- != 0)
                  g_array_append_val (node->calls, site);
              }
          }
    }
  g_hash_table_destroy (indices);
  return graph;
}

/* Depth first with a stack of its own; a call of an open function closes a circle. */
static void
visit (struct verifier *verifier,
       GArray *graph,
       guint root,
       const struct xir_function *kernel)
{
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_index (graph, struct graph_node, root).state = OPEN;
  g_array_append_val (stack, root);
  while (stack->len > 0)
    {
      guint top = g_array_index (stack, guint, stack->len - 1);
      struct graph_node *node = &g_array_index (graph, struct graph_node, top), *callee;
      struct call_site *site;

      if (node->next_call == node->calls->len)
        {
          node->state = DONE;
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      site = &g_array_index (node->calls, struct call_site, node->next_call++);
      callee = &g_array_index (graph, struct graph_node, site->callee);
      if (kernel == NULL && callee->state == OPEN)
        verify_error (verifier, node->function, site->call, "recursion: %s is being called already",
                      callee->function->name);
      if (kernel != NULL && callee->resource_owner != NULL && callee->resource_owner != kernel)
        verify_error (verifier, node->function, site->call, "%s names resources of the kernel %s",
                      callee->function->name, callee->resource_owner->name);
      if (callee->state == UNSEEN)
        {
          callee->state = OPEN;
          g_array_append_val (stack, site->callee);
        }
    }
  g_array_free (stack, TRUE);
}

static void
forget_visits (GArray *graph)
{
  for (guint i = 0; i < graph->len; i++)
    {
      g_array_index (graph, struct graph_node, i).state = UNSEEN;
      g_array_index (graph, struct graph_node, i).next_call = 0;
    }
}

void
verify_call_graph (struct verifier *verifier)
{
  GArray *graph = make_graph (verifier);
  bool any_owner = false;

  for (guint i = 0; i < graph->len; i++)
    {
      if (g_array_index (graph, struct graph_node, i).state == UNSEEN)
        visit (verifier, graph, i, NULL);
      any_owner |= g_array_index (graph, struct graph_node, i).resource_owner != NULL;
    }
  for (guint i = 0; any_owner && i < graph->len; i++)
    {
      const struct xir_function *function = g_array_index (graph, struct graph_node, i).function;

      if (function->kind == XIR_FUNCTION_KERNEL)
        {
          forget_visits (graph);
          visit (verifier, graph, i, function);
        }
    }
  g_array_free (graph, TRUE);
}
