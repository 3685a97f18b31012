/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/lower.h"
#include "codegen/xir/evaluate.h"

#include <string.h>

struct xir_value *
gk_lower_fail (struct gk_lower      *lower,
               const struct gk_node *node)
{
  if (lower->culprit == NULL)
    lower->culprit = node;
  return node->type != NULL && node->type->xir != NULL && xir_type_is_data (node->type->xir)
         ? xir_constant_zero (lower->module, node->type->xir) : xir_constant_uint (lower->module, 0);
}

static bool
all_constant (struct xir_value *const *operands,
              uint32_t                 n)
{
  for (uint32_t i = 0; i < n; i++)
    if (operands[i]->kind != XIR_VALUE_CONSTANT)
      return false;
  return true;
}

struct xir_value *
gk_emit (struct gk_lower          *lower,
         enum xir_op               op,
         const struct xir_type    *type,
         struct xir_value *const  *operands,
         uint32_t                  n)
{
  /* Composites and negated literals are constants even in a module that nobody optimises. */
  if (lower->constant || ((op == XIR_OP_AGGREGATE || op == XIR_OP_NEG) && all_constant (operands, n)))
    {
      /* After a failure the types need not fit any more: nothing is computed. */
      struct xir_value *value = lower->culprit == NULL ? xir_evaluate (lower->module, op, type, operands, n, NULL) : NULL;
      if (value != NULL)
        return value;
      if (lower->constant)
        {
          static const struct gk_node nowhere;
          if (lower->culprit == NULL)
            lower->culprit = &nowhere;
          return type != NULL ? xir_constant_zero (lower->module, type) : xir_constant_uint (lower->module, 0);
        }
    }
  if (op == XIR_OP_EXTRACT)
    return xir_build_extract (&lower->builder, operands[0], operands + 1, n - 1);
  return xir_build_op (&lower->builder, op, type, operands, n);
}

struct xir_value *
gk_emit_shuffle (struct gk_lower       *lower,
                 const struct xir_type *type,
                 struct xir_value      *vector,
                 const uint8_t         *lanes)
{
  if (lower->constant)
    {
      struct xir_value *value = lower->culprit == NULL
                                ? xir_evaluate (lower->module, XIR_OP_SHUFFLE, type, &vector, 1, lanes) : NULL;
      return value != NULL ? value : xir_constant_zero (lower->module, type);
    }
  return xir_build_shuffle (&lower->builder, vector, lanes, xir_type_lanes (type));
}

void
gk_lower_at (struct gk_lower *lower,
             uint32_t         offset)
{
  /* Most places are on the line of the one before. */
  if (offset < lower->line_start || offset >= lower->line_end)
    {
      struct xir_location location = gk_locate (lower->unit, offset);
      gk_line_bounds (lower->unit, offset, &lower->line_start, &lower->line_end);
      lower->builder.location.line = location.line;
      lower->builder.location.file = location.file;
    }
  lower->builder.location.column = offset - lower->line_start + 1;
}

/* What follows stands in no line, so that nobody who looks at a run takes it for one. */
void
gk_lower_nowhere (struct gk_lower *lower)
{
  lower->line_start = lower->line_end = 0;
  lower->builder.location = (struct xir_location) { 0 };
}

/* A block begins nowhere: that another was lowered before it does not mean that it ran. */
void
gk_lower_start (struct gk_lower  *lower,
                struct xir_block *block)
{
  gk_lower_nowhere (lower);
  gb_list_remove (&block->link);
  gb_list_append (&block->function->blocks, &block->link);
  xir_builder_at_end (&lower->builder, block);
}

void
gk_lower_go (struct gk_lower  *lower,
             struct xir_block *target)
{
  if (!xir_builder_terminated (&lower->builder))
    xir_build_branch (&lower->builder, target);
}

struct xir_value *
gk_lower_constant (struct gk_lower        *lower,
                   const struct gk_symbol *symbol)
{
  struct xir_value **slot;

  /* Constant expressions live where the unit's constants do. */
  if (lower->constant)
    return symbol->constant;
  slot = symbol->is_global ? &lower->globals[symbol->index] : &lower->locals[symbol->index];
  if (*slot == NULL)
    *slot = xir_constant_get (lower->module, symbol->constant->type, xir_value_constant (symbol->constant)->data);
  return *slot;
}

struct xir_value *
gk_constant_evaluate (struct gk_unit        *unit,
                      const struct gk_node  *node,
                      const struct gk_node **culprit)
{
  struct gk_lower lower = { .unit = unit, .constant = true };
  struct xir_value *value;

  if (unit->constants == NULL)
    unit->constants = xir_module_new (unit->context, unit->name);
  lower.module = unit->constants;
  value = gk_lower_value (&lower, node);
  if (lower.culprit == NULL)
    return value;
  *culprit = lower.culprit->end > 0 ? lower.culprit : node;
  return NULL;
}

static void
declare_function (struct gk_lower          *lower,
                  const struct gk_function *source)
{
  const struct gk_node *node = source->node;
  struct xir_function *function
    = xir_function_new (lower->module, source->is_kernel ? XIR_FUNCTION_KERNEL : XIR_FUNCTION_CALLABLE,
                        node->u.name->text, source->return_type->xir);

  for (unsigned i = 0; source->is_kernel && i < 3; i++)
    function->group_size[i] = source->group_size[i];
  function->fast_math = (node->flags & GK_FLAG_FAST_MATH) != 0;
  function->unchecked = (node->flags & GK_FLAG_UNCHECKED) != 0;
  function->no_inline = (node->flags & GK_FLAG_NO_INLINE) != 0;
  function->location = gk_locate (lower->unit, node->mark);
  for (uint32_t i = 0; i < source->n_parameters; i++)
    {
      const struct gk_symbol *symbol = source->parameters[i];
      enum xir_argument_kind kind = gk_type_is_resource (symbol->type) ? XIR_ARGUMENT_RESOURCE
                                    : symbol->is_reference ? XIR_ARGUMENT_REFERENCE : XIR_ARGUMENT_VALUE;
      struct xir_argument *argument = xir_function_add_argument (function, kind, symbol->type->xir, symbol->name->text);
      argument->is_const = kind == XIR_ARGUMENT_RESOURCE && symbol->is_const;
      argument->is_restrict = kind == XIR_ARGUMENT_RESOURCE && symbol->is_restrict;
      argument->source_type = gb_arena_strdup (&lower->module->arena, symbol->type->text);
    }
  lower->functions[source->index] = function;
}

/* Value parameters that are written, or whose elements need an address, live in memory. */
static void
bind_parameters (struct gk_lower          *lower,
                 const struct gk_function *source,
                 struct xir_function      *function)
{
  for (uint32_t i = 0; i < source->n_parameters; i++)
    {
      const struct gk_symbol *symbol = source->parameters[i];
      struct xir_value *value = &function->arguments[i]->value;
      if (symbol->is_reference)
        {
          if (symbol->node->flags & GK_FLAG_OUT)
            xir_build_store (&lower->builder, value, xir_constant_zero (lower->module, value->type));
        }
      else if (!gk_type_is_resource (symbol->type) && (symbol->is_written || symbol->type->has_array))
        {
          struct xir_value *copy = xir_build_alloca (&lower->builder, XIR_STORAGE_LOCAL, value->type, symbol->name->text);
          xir_build_store (&lower->builder, copy, value);
          value = copy;
        }
      lower->locals[symbol->index] = value;
    }
}

static void
lower_function (struct gk_lower          *lower,
                const struct gk_function *source)
{
  struct xir_function *function = lower->functions[source->index];
  const struct gk_node *body = source->node->child[3];

  xir_builder_init (&lower->builder, function);
  gk_lower_start (lower, xir_block_new (function));
  lower->line_start = lower->line_end = 0;
  gk_lower_at (lower, source->node->mark);
  lower->locals = g_new0 (struct xir_value *, source->n_locals + 1);
  bind_parameters (lower, source, function);
  lower->scope_end = body->end;
  gk_lower_statements (lower, body->child[0]);
  if (!xir_builder_terminated (&lower->builder))
    {
      gk_lower_at (lower, body->mark);
      if (source->return_type->kind == GK_TYPE_VOID && !(body->flags & GK_FLAG_STOPS))
        xir_build_return (&lower->builder, NULL);
      else
        xir_build_unreachable (&lower->builder, NULL);
    }
  g_free (lower->locals);
}

static void
name_members (struct gk_lower *lower)
{
  for (const struct gk_node *node = lower->unit->file->child[0]; node != NULL; node = node->next)
    {
      const struct gk_structure *structure = node->kind == GK_NODE_STRUCT ? node->meaning.structure : NULL;
      const char **names;

      if (structure == NULL || structure->type->kind != GK_TYPE_STRUCTURE)
        continue;
      names = g_new0 (const char *, structure->n_members);
      for (uint32_t i = 0; i < structure->n_members; i++)
        names[i] = structure->members[i].name->text;
      xir_module_name_members (lower->module, structure->type->xir, names);
      g_free (names);
    }
}

struct xir_module *
gk_unit_lower (const struct gk_unit *unit)
{
  struct gk_lower lower = { .unit = unit };

  g_return_val_if_fail (unit->is_good, NULL);
  lower.module = xir_module_new (unit->context, unit->name);
  for (guint i = 1; i < unit->sources->len; i++)
    xir_module_add_file (lower.module, g_array_index (unit->sources, struct gk_source, i).name);
  name_members (&lower);
  lower.functions = g_new0 (struct xir_function *, unit->functions->len + 1);
  lower.globals = g_new0 (struct xir_value *, unit->n_globals + 1);
  for (guint i = 0; i < unit->functions->len; i++)
    declare_function (&lower, g_ptr_array_index (unit->functions, i));
  for (guint i = 0; i < unit->functions->len; i++)
    lower_function (&lower, g_ptr_array_index (unit->functions, i));
  g_free (lower.functions);
  g_free (lower.globals);
  return lower.module;
}
