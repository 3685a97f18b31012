/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/sema.h"
#include "codegen/spirv/plan-layout.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The declared type, its first length taken from the initializer where it is empty. */
static const struct gk_type *
variable_type (struct gk_sema *sema,
               struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  const struct gk_type *type = gk_resolve_lengths (sema, gk_resolve_type (sema, node->child[0]), node->child[1]);

  if (node->flags & GK_FLAG_BROKEN)
    return &unit->poison;
  if (gk_type_is_resource (type) || type->kind == GK_TYPE_VOID)
    {
      gk_report_mark (unit, GK_D_VARIABLE_TYPE, node, NULL, type->text);
      return &unit->poison;
    }
  if (node->flags & GK_FLAG_NO_LENGTH && !gk_is_poison (type))
    {
      if (node->child[2] == NULL || node->child[2]->kind != GK_NODE_BRACES || node->child[2]->child[0] == NULL)
        {
          gk_report_mark (unit, GK_D_LENGTH_WANTED, node, NULL, node->u.name->text);
          return &unit->poison;
        }
      type = gk_type_array (unit, type, gk_node_list_length (node->child[2]->child[0]));
      if (type == NULL)
        {
          gk_report_mark (unit, GK_D_LENGTH_WANTED, node, NULL, node->u.name->text);
          return &unit->poison;
        }
    }
  return gk_check_size (sema, type, node);
}

/* The initializer; a constant one makes the symbol known when compiling. */
static void
check_value (struct gk_sema   *sema,
             struct gk_symbol *symbol,
             struct gk_node   *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *initializer = node->child[2];
  const struct gk_node *culprit = NULL;
  guint errors = unit->diagnostics->n_errors;

  if (initializer == NULL)
    {
      if (symbol->is_const && !(node->flags & GK_FLAG_BROKEN))
        gk_report_mark (unit, GK_D_CONST_VALUE, node, NULL, node->u.name->text);
      return;
    }
  gk_check_initializer (sema, initializer, symbol->type);
  if (!symbol->is_const || gk_is_poison (symbol->type) || unit->diagnostics->n_errors != errors)
    return;
  symbol->constant = gk_constant_evaluate (unit, initializer, &culprit);
  if (symbol->constant == NULL && symbol->is_global)
    gk_report_not_constant (sema, initializer, culprit);
}

/* Options. */

/* The value from outside, read as a text of its own, takes the place of that in the source. */
static void
take_option (struct gk_sema *sema,
             struct gk_node *node)
{
  struct gk_unit *unit = sema->unit;
  const struct gk_source_options *options = unit->options;

  for (guint i = options->n_values; i-- > 0;)
    if (strcmp (options->values[i].name, node->u.name->text) == 0)
      {
        char *text = g_strdup_printf ("%s=%s", options->values[i].name, options->values[i].value);
        struct gk_node *value = NULL;

        if (!unit->options_used[i] && gk_source_add (unit, "-D", text, strlen (text), 0, node))
          value = gk_parse_value (unit, unit->length - strlen (options->values[i].value));
        if (value != NULL)
          node->child[2] = value;
        /* Of several the last one counts. */
        for (guint j = 0; j <= i; j++)
          if (strcmp (options->values[j].name, options->values[i].name) == 0)
            unit->options_used[j] = true;
        g_free (text);
        return;
      }
}

static void
check_option (struct gk_sema   *sema,
              struct gk_symbol *symbol,
              struct gk_node   *node)
{
  if (!gk_is_poison (symbol->type) && !gk_type_is_scalar (symbol->type))
    {
      gk_report_mark (sema->unit, GK_D_OPTION_TYPE, node, NULL, node->u.name->text, symbol->type->text);
      symbol->type = &sema->unit->poison;
    }
  take_option (sema, node);
}

void
gk_check_options (struct gk_sema *sema)
{
  struct gk_unit *unit = sema->unit;
  const struct gk_source_options *options = unit->options;

  for (guint i = 0; i < options->n_values; i++)
    if (!unit->options_used[i])
      {
        char *text = g_strdup_printf ("%s=%s", options->values[i].name, options->values[i].value);
        const struct gk_name *near = gk_name_suggest (unit, gk_name_intern (unit, options->values[i].name,
                                                                           strlen (options->values[i].name)));

        if (gk_source_add (unit, "-D", text, strlen (text), 0, unit->file))
          gk_report (unit, GK_D_OPTION_UNKNOWN, unit->length - strlen (text), strlen (options->values[i].name),
                     near != NULL && near->symbol != NULL && near->symbol->node->flags & GK_FLAG_OPTION ? near->text : NULL,
                     options->values[i].name);
        g_free (text);
      }
}

/* One for all threads of a workgroup. */
static void
check_shared (struct gk_sema   *sema,
              struct gk_symbol *symbol,
              struct gk_node   *node)
{
  symbol->is_shared = true;
  symbol->is_written = true;
  if (symbol->is_const)
    gk_report_mark (sema->unit, GK_D_SHARED_CONST, node, NULL, node->u.name->text);
  else if (node->child[2] != NULL)
    gk_report_mark (sema->unit, GK_D_SHARED_VALUE, node, NULL, node->u.name->text);
}

void
gk_check_qualifiers (struct gk_sema *sema,
                     struct gk_node *node)
{
  if (gk_is_poison (node->type) || node->type->kind == GK_TYPE_BUFFER || node->type->kind == GK_TYPE_BYTE_BUFFER)
    return;
  if (node->flags & GK_FLAG_VOLATILE)
    gk_report_mark (sema->unit, GK_D_VOLATILE_PLACE, node, NULL, node->u.name->text, node->type->text);
  if (node->flags & GK_FLAG_RESTRICT)
    gk_report_mark (sema->unit, GK_D_RESTRICT_PLACE, node, NULL, node->u.name->text, node->type->text);
}

/* A variable inside a function. */
void
gk_check_variable (struct gk_sema *sema,
                   struct gk_node *node)
{
  struct gk_symbol *symbol = gk_symbol_new (sema, GK_SYMBOL_VARIABLE, node);

  node->meaning.symbol = symbol;
  symbol->type = variable_type (sema, node);
  symbol->is_const = (node->flags & GK_FLAG_CONST) != 0;
  symbol->index = sema->function->n_locals++;
  node->type = symbol->type;
  if (node->flags & GK_FLAG_SHARED)
    check_shared (sema, symbol, node);
  if (node->flags & GK_FLAG_OPTION)
    gk_report_mark (sema->unit, GK_D_OPTION_PLACE, node, NULL, node->u.name->text);
  gk_check_qualifiers (sema, node);
  /* The name is not there yet: "int x = x" means the outer one. */
  check_value (sema, symbol, node);
  gk_symbol_bind (sema, symbol);
}

/* File-scope constants are resolved when first used, in any order. */
void
gk_resolve_global (struct gk_sema   *sema,
                   struct gk_symbol *symbol)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *node = symbol->node;

  if (symbol->state == GK_STATE_DONE)
    return;
  if (symbol->state == GK_STATE_BUSY)
    {
      gk_report_mark (unit, GK_D_CONST_CYCLE, node, NULL, node->u.name->text);
      symbol->type = &unit->poison;
      symbol->state = GK_STATE_DONE;
      return;
    }
  symbol->state = GK_STATE_BUSY;
  if (sema->depth >= XIR_TYPE_MAX_DEPTH)
    {
      gk_report_mark (unit, GK_D_CONST_DEPTH, node, NULL, node->u.name->text, XIR_TYPE_MAX_DEPTH + 1,
                      XIR_TYPE_MAX_DEPTH);
      symbol->state = GK_STATE_DONE;
      return;
    }
  sema->depth++;
  if (node->flags & GK_FLAG_SHARED)
    gk_report_mark (unit, GK_D_SHARED_PLACE, node, NULL, node->u.name->text);
  else if (!symbol->is_const && !(node->flags & GK_FLAG_BROKEN))
    gk_report_mark (unit, GK_D_GLOBAL_VARIABLE, node, "const", node->u.name->text);
  symbol->type = variable_type (sema, node);
  if (!symbol->is_const)
    symbol->type = &unit->poison;
  if (node->flags & GK_FLAG_OPTION)
    check_option (sema, symbol, node);
  node->type = symbol->type;
  gk_check_qualifiers (sema, node);
  check_value (sema, symbol, node);
  sema->depth--;
  /* What is wrong with it has been said. */
  if (symbol->state == GK_STATE_DONE || symbol->constant == NULL)
    symbol->type = node->type = &unit->poison;
  symbol->state = GK_STATE_DONE;
}

static void
check_resource_parameter (struct gk_sema           *sema,
                          const struct gk_function *function,
                          struct gk_symbol         *symbol,
                          struct gk_node           *node)
{
  bool is_restrict = (node->flags & GK_FLAG_RESTRICT) != 0;

  if (node->flags & (GK_FLAG_INOUT | GK_FLAG_OUT))
    gk_report_mark (sema->unit, GK_D_RESOURCE_REFERENCE, node, NULL, node->u.name->text);
  symbol->is_const = (node->flags & GK_FLAG_CONST) != 0;
  symbol->is_volatile = (node->flags & GK_FLAG_VOLATILE) != 0;
  symbol->is_restrict = is_restrict && function->is_kernel && symbol->type->kind != GK_TYPE_IMAGE;
  if (is_restrict && !function->is_kernel && symbol->type->kind != GK_TYPE_IMAGE)
    gk_report_mark (sema->unit, GK_D_RESTRICT_FUNCTION, node, NULL, node->u.name->text);
}

/* The first buffer whose elements a device can only see as words is named, and why; others are as slow. */
static void
check_storage (struct gk_sema   *sema,
               struct gk_symbol *symbol,
               struct gk_node   *node)
{
  struct gk_unit *unit = sema->unit;
  const struct xir_type *element = symbol->type->kind == GK_TYPE_BUFFER ? symbol->type->element->xir : NULL;

  if (element == NULL || unit->told_words || !spirv_needs_words (element, true))
    return;
  unit->told_words = true;
  gk_report_mark (unit, GK_D_WORD_STORAGE, node, xir_type_is_bool (element) && xir_type_is_scalar (element) ? "buffer<uint>" : NULL,
                  node->u.name->text, spirv_layout_status_text (spirv_plan_layout (element)));
}

static struct gk_symbol *
check_parameter (struct gk_sema     *sema,
                 struct gk_function *function,
                 struct gk_node     *node)
{
  struct gk_unit *unit = sema->unit;
  struct gk_symbol *symbol = gk_symbol_new (sema, GK_SYMBOL_PARAMETER, node);
  uint32_t both = GK_FLAG_INOUT | GK_FLAG_OUT;

  symbol->is_global = false;
  node->meaning.symbol = symbol;
  symbol->type = gk_resolve_lengths (sema, gk_resolve_type (sema, node->child[0]), node->child[1]);
  if (node->flags & GK_FLAG_BROKEN)
    symbol->type = &unit->poison;
  if (symbol->type->kind == GK_TYPE_VOID)
    {
      gk_report_mark (unit, GK_D_VARIABLE_TYPE, node, NULL, symbol->type->text);
      symbol->type = &unit->poison;
    }
  symbol->type = gk_check_size (sema, symbol->type, node);
  symbol->index = function->n_locals++;
  if (gk_type_is_resource (symbol->type))
    {
      check_resource_parameter (sema, function, symbol, node);
      if (function->is_kernel)
        check_storage (sema, symbol, node);
    }
  else
    {
      symbol->is_reference = (node->flags & both) != 0;
      if ((node->flags & both) == both || (symbol->is_reference && node->flags & GK_FLAG_CONST))
        gk_report_mark (unit, GK_D_PARAMETER_WORDS, node, NULL, node->u.name->text);
      symbol->is_const = (node->flags & GK_FLAG_CONST) != 0;
      if (function->is_kernel && symbol->is_reference)
        gk_report_mark (unit, GK_D_KERNEL_REFERENCE, node, NULL, node->u.name->text);
    }
  node->type = symbol->type;
  gk_check_qualifiers (sema, node);
  return symbol;
}

static void
check_group_size (struct gk_sema     *sema,
                  struct gk_function *function)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *node = function->node;
  uint64_t product = 1;
  unsigned n = 0;
  bool is_good = true;

  for (unsigned i = 0; i < 3; i++)
    function->group_size[i] = 1;
  for (struct gk_node *size = node->child[0]; size != NULL && n < 3; size = size->next, n++)
    {
      int64_t value;
      gk_check_any (sema, size);
      if (!gk_constant_integer (sema, size, &value))
        {
          is_good = false;
          continue;
        }
      if (value < 1 || value > GK_MAX_GROUP_THREADS)
        {
          gk_report_node (unit, GK_D_GROUP_EXTENT, size, NULL, (long long) value, GK_MAX_GROUP_THREADS);
          is_good = false;
          continue;
        }
      function->group_size[n] = value;
      product *= value;
    }
  if (n == 0 || gk_node_list_length (node->child[0]) > 3)
    gk_report_mark (unit, GK_D_GROUP_FORM, node, "kernel(64)");
  else if (is_good && product > GK_MAX_GROUP_THREADS)
    gk_report_node (unit, GK_D_GROUP_THREADS, node->child[0], NULL, (unsigned long long) product, GK_MAX_GROUP_THREADS);
}

void
gk_check_signature (struct gk_sema     *sema,
                    struct gk_function *function)
{
  struct gk_unit *unit = sema->unit;
  struct gk_node *node = function->node;
  uint32_t n = gk_node_list_length (node->child[2]);

  function->return_type = gk_resolve_type (sema, node->child[1]);
  if (gk_type_is_resource (function->return_type))
    {
      gk_report_node (unit, GK_D_RETURN_TYPE, node->child[1], NULL, function->return_type->text);
      function->return_type = &unit->poison;
    }
  if (function->is_kernel && function->return_type->kind != GK_TYPE_VOID && !gk_is_poison (function->return_type))
    {
      gk_report_node (unit, GK_D_KERNEL_VOID, node->child[1], "void", node->u.name->text);
      function->return_type = &unit->poison;
    }
  function->return_type = gk_check_size (sema, function->return_type, node->child[1]);
  if (n > GK_MAX_PARAMETERS)
    gk_report_mark (unit, GK_D_PARAMETERS, node, NULL, node->u.name->text, n, GK_MAX_PARAMETERS);
  function->parameters = gb_arena_array (&unit->arena, struct gk_symbol *, n + 1);
  for (struct gk_node *parameter = node->child[2]; parameter != NULL; parameter = parameter->next)
    function->parameters[function->n_parameters++] = check_parameter (sema, function, parameter);
  if (function->is_kernel)
    check_group_size (sema, function);
}

static const char *
return_hint (struct gk_sema       *sema,
             const struct gk_type *type)
{
  if (type->kind != GK_TYPE_VALUE)
    return NULL;
  if (type->lanes == 1)
    return type->scalar == GK_BOOL ? "return false;" : "return 0;";
  return gk_hint (sema->unit, "return %s(%s);", type->text, type->scalar == GK_BOOL ? "false" : "0");
}

void
gk_check_function (struct gk_sema     *sema,
                   struct gk_function *function)
{
  struct gk_node *node = function->node;
  struct gk_node *body = node->child[3];
  struct gk_scope scope;
  bool completes;

  if (body == NULL)
    return;
  sema->function = function;
  gk_scope_enter (sema, &scope);
  sema->function_scope = &scope;
  for (uint32_t i = 0; i < function->n_parameters; i++)
    gk_symbol_bind (sema, function->parameters[i]);
  completes = gk_check_statements (sema, body->child[0]);
  if (!completes)
    body->flags |= GK_FLAG_STOPS;
  else if (function->return_type->kind != GK_TYPE_VOID && !gk_is_poison (function->return_type))
    gk_report (sema->unit, GK_D_MISSING_RETURN, body->mark, 1, return_hint (sema, function->return_type),
               node->u.name->text, function->return_type->text);
  gk_scope_leave (sema);
  sema->function_scope = NULL;
  sema->function = NULL;
}
