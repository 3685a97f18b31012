/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/generate.h"

void
generator_init (struct generator *generator, enum kernel_kind kind, guint64 seed, guint attempt)
{
  *generator = (struct generator) { .dice = dice_new (seed, kind + attempt * N_KERNEL_KINDS), .kernel = kernel_new (kind, seed), .weight = 1 };
  generator->scope = g_ptr_array_new ();
  generator->busy = g_ptr_array_new ();
}

void
generator_clear (struct generator *generator)
{
  g_ptr_array_unref (generator->scope);
  g_ptr_array_unref (generator->busy);
}

/* Types. */

const struct type *
generate_value_type (struct generator *generator)
{
  guint lanes = chance (generator, 50) ? 1 : 2 + pick (generator, 3);
  static const enum scalar scalars[] = {
    SCALAR_BOOL, SCALAR_BOOL, SCALAR_INT, SCALAR_INT, SCALAR_INT, SCALAR_INT, SCALAR_INT, SCALAR_INT, SCALAR_UINT, SCALAR_UINT, SCALAR_UINT,
    SCALAR_UINT, SCALAR_FLOAT, SCALAR_FLOAT, SCALAR_FLOAT, SCALAR_FLOAT, SCALAR_FLOAT, SCALAR_FLOAT, SCALAR_HALF, SCALAR_DOUBLE,
  };
  guint choice = pick (generator, G_N_ELEMENTS (scalars) + 4);
  enum scalar scalar = choice < G_N_ELEMENTS (scalars) ? scalars[choice] : any_scalar (generator);

  if (chance (generator, 4))
    scalar = (enum scalar) (N_COMPUTED_SCALARS + pick (generator, N_SCALARS - N_COMPUTED_SCALARS));
  return generate_type (generator, scalar, lanes);
}

static const struct type *
structure_type (struct generator *generator)
{
  GPtrArray *structures = generator->kernel->structures;
  return structures->len > 0 ? tree_structure (generator->kernel, structures->pdata[pick (generator, structures->len)]) : NULL;
}

const struct type *
generate_variable_type (struct generator *generator)
{
  const struct type *type = chance (generator, 12) ? structure_type (generator) : NULL;

  if (type == NULL)
    type = chance (generator, 6) ? generator->kernel->matrices[2 + pick (generator, 3)] : generate_value_type (generator);
  while (chance (generator, 10))
    type = tree_array (generator->kernel, type, 2 << pick (generator, 2));
  return type;
}

const struct type *
generate_element_type (struct generator *generator)
{
  const struct type *type = chance (generator, 20) ? structure_type (generator) : NULL;

  if (type == NULL && chance (generator, 8))
    type = generator->kernel->matrices[2 + pick (generator, 3)];
  return type != NULL ? type : generate_value_type (generator);
}

static void
add_structures (struct generator *generator)
{
  struct kernel *kernel = generator->kernel;
  guint n = pick (generator, 3);

  for (guint i = 0; i < n; i++)
    {
      struct structure *structure = tree_new (kernel, struct structure);
      g_snprintf (structure->name, sizeof structure->name, "S%u", i);
      structure->n_members = 1 + pick (generator, MAX_MEMBERS);
      for (guint k = 0; k < structure->n_members; k++)
        {
          const struct type *type = generate_variable_type (generator);
          structure->members[k].type = type;
          g_snprintf (structure->members[k].name, sizeof structure->members[k].name, "m%u", k);
        }
      g_ptr_array_add (kernel->structures, structure);
    }
}

/* Options, of the types that they may have, and in most kernels with values from outside. */
static void
add_options (struct generator *generator)
{
  static const struct promise strict = { GRAIN_LITERAL, TRUE };
  struct kernel *kernel = generator->kernel;
  guint n = chance (generator, 30) ? 1 + pick (generator, 3) : 0;

  for (guint i = 0; i < n; i++)
    {
      const struct type *type = generate_type (generator, (enum scalar) pick (generator, N_COMMON_SCALARS), 1);
      struct variable *option = tree_variable (kernel, ROLE_OPTION, type, strict);
      option->initializer = generate_literal (generator, type, strict);
      option->chosen = generate_literal (generator, type, strict);
      option->is_default = chance (generator, 30);
      g_ptr_array_add (kernel->options, option);
    }
}

/* What stands outside of all functions can be seen everywhere. */
static void
begin_scope (struct generator *generator)
{
  g_ptr_array_set_size (generator->scope, 0);
  for (guint i = 0; i < generator->kernel->options->len; i++)
    g_ptr_array_add (generator->scope, generator->kernel->options->pdata[i]);
}

/* Functions. */

/* One that the kernel has, under another name. */
static struct variable *
resource_parameter (struct generator *generator)
{
  GPtrArray *all = generator->kernel->parameters;
  const struct variable *resource = all->pdata[pick (generator, all->len)];
  struct variable *parameter;

  if (!role_is_resource (resource->role))
    return NULL;
  parameter = tree_variable (generator->kernel, resource->role, resource->type, resource->promise);
  parameter->length = resource->length;
  parameter->n_dimensions = resource->n_dimensions;
  parameter->cells = resource->cells;
  parameter->n_cells = resource->n_cells;
  parameter->is_unread = resource->is_unread;
  parameter->is_volatile = resource->is_volatile || (resource->n_dimensions == 0 && chance (generator, 10));
  return parameter;
}

static void
add_parameters (struct generator *generator, struct function *function)
{
  guint n = pick (generator, 4);

  for (guint i = 0; i < n; i++)
    {
      struct promise promise = { GRAIN_VARIABLE, chance (generator, 50) };
      guint choice = pick (generator, 100);
      enum role role = choice < 55 ? ROLE_VALUE : choice < 70 ? ROLE_INOUT : ROLE_OUT;
      struct variable *parameter = choice < 80 ? tree_variable (generator->kernel, role, generate_variable_type (generator), promise)
                                   : resource_parameter (generator);

      if (parameter == NULL)
        continue;
      function->has_references = function->has_references || parameter->role == ROLE_INOUT || parameter->role == ROLE_OUT;
      g_ptr_array_add (function->parameters, parameter);
      g_ptr_array_add (generator->scope, parameter);
    }
}

static void
add_function (struct generator *generator, guint number)
{
  struct kernel *kernel = generator->kernel;
  struct function *function = tree_new (kernel, struct function);
  const struct type *type = chance (generator, 15) ? structure_type (generator) : NULL;
  struct statement *last;

  g_snprintf (function->name, sizeof function->name, "f%u", number);
  function->returns = chance (generator, 15) ? NULL : type != NULL ? type : generate_value_type (generator);
  function->promise = (struct promise) { GRAIN_VARIABLE, chance (generator, 50) };
  function->attribute = chance (generator, 15) ? "[[noinline]]" : NULL;
  function->parameters = tree_new_array (kernel);
  function->body = tree_block (kernel);
  begin_scope (generator);
  add_parameters (generator, function);
  generator->function = function;
  generator->fuel = 1 + pick (generator, 4);
  generator->cost = 0;
  generator->size = 0;
  generator->print_size = 0;
  generator->weight = 1;
  generator->depth = 0;
  generate_block (generator, function->body);
  if (function->returns != NULL)
    {
      last = tree_statement (kernel, STATEMENT_RETURN);
      last->value = generate_expression (generator, function->returns, function->promise, 3);
      last->is_fixed = TRUE;
      g_ptr_array_add (function->body->statements, last);
    }
  function->cost = generator->cost + 1;
  function->size = generator->size + 1;
  function->print_size = generator->print_size;
  g_ptr_array_add (kernel->functions, function);
}

/* The kernel. */

static struct variable *
add_parameter (struct generator *generator, enum role role, const struct type *type, struct promise promise, guint length)
{
  struct variable *parameter = tree_variable (generator->kernel, role, type, promise);
  parameter->length = length;
  g_ptr_array_add (generator->kernel->parameters, parameter);
  return parameter;
}

const guint image_sizes[4][3] = { [2] = { 16, 16, 1 }, [3] = { 8, 8, 4 } };

static void
add_image (struct generator *generator, enum role role, struct promise promise)
{
  enum scalar scalar = chance (generator, 60) ? SCALAR_FLOAT : any_integer (generator);

  if (chance (generator, 30))
    add_parameter (generator, role, generate_type (generator, scalar, 4), promise, 0)->n_dimensions = 2 + pick (generator, 2);
}

static void
add_kernel_parameters (struct generator *generator)
{
  static const struct promise input = { GRAIN_INPUT, TRUE };
  guint n_inputs = 1 + pick (generator, 4), n_outputs = 1 + pick (generator, 3), n_values = pick (generator, 3);

  for (guint i = 0; i < n_inputs; i++)
    {
      struct variable *buffer = add_parameter (generator, ROLE_INPUT_BUFFER, generate_element_type (generator), input, N_INPUTS);
      buffer->view_offset = chance (generator, 30) ? 1 + pick (generator, 5) : 0;
      buffer->is_volatile = chance (generator, 10);
      buffer->is_restrict = chance (generator, 20);
    }
  for (guint i = 0; i < n_outputs; i++)
    {
      gboolean is_unread = chance (generator, 40);
      struct promise promise = { is_unread ? GRAIN_LEAST : GRAIN_VARIABLE, chance (generator, 50) };
      struct variable *buffer = add_parameter (generator, ROLE_OUTPUT_BUFFER, generate_element_type (generator), promise, 1 + pick (generator, 3));
      buffer->is_unread = is_unread;
      buffer->view_offset = chance (generator, 20) ? 1 + pick (generator, 5) : 0;
      buffer->is_volatile = chance (generator, 15);
      buffer->is_restrict = chance (generator, 50);
    }
  generate_bytes (generator);
  for (guint i = 0; i < n_values; i++)
    {
      const struct type *type = chance (generator, 70) ? generate_value_type (generator) : generate_variable_type (generator);
      add_parameter (generator, ROLE_VALUE, type, input, 0);
    }
  add_image (generator, ROLE_INPUT_IMAGE, input);
  add_image (generator, ROLE_OUTPUT_IMAGE, promise_nothing);
}

static void
add_sizes (struct generator *generator)
{
  static const guint groups[][3] = { { 64, 1, 1 }, { 32, 1, 1 }, { 8, 8, 1 }, { 4, 2, 2 }, { 1, 1, 1 }, { 7, 3, 1 }, { 16, 1, 1 }, { 5, 1, 2 } };
  static const guint threads[][3] = { { 64, 1, 1 }, { 32, 1, 1 }, { 40, 1, 1 }, { 8, 8, 1 }, { 9, 5, 1 }, { 4, 4, 4 }, { 5, 3, 2 }, { 1, 1, 1 } };
  guint group = pick (generator, G_N_ELEMENTS (groups)), thread = pick (generator, G_N_ELEMENTS (threads));

  generator->kernel->is_together = chance (generator, 30);
  if (generator->kernel->is_together)
    {
      /* Whole workgroups, and as many threads as a mask can choose from. */
      group = pick (generator, 2);
      thread = 0;
    }
  for (guint i = 0; i < 3; i++)
    {
      generator->kernel->group_size[i] = groups[group][i];
      generator->kernel->threads[i] = threads[thread][i];
    }
}

/* Each variable that is left goes to an output of its own, number by number. */

struct final_outputs
{
  struct variable *buffers[N_SCALARS][2];    /* by promise */
  gboolean has_bool;                         /* bool is not made a uint */
};

/* The number of `variable`, which is a vector or a matrix. */
static struct expression *
part_of (struct generator *generator, struct variable *variable, guint number)
{
  static const char *const letters[] = { "x", "y", "z", "w" };
  struct kernel *kernel = generator->kernel;
  const struct type *type = variable->type;
  struct expression *value = tree_expression (kernel, EXPRESSION_VARIABLE, type, variable->promise, 0);

  value->variable = variable;
  if (type->kind == TYPE_MATRIX)
    {
      value = tree_expression (kernel, EXPRESSION_INDEX, type->element, variable->promise, 2, value,
                               tree_number (kernel, SCALAR_INT, number / type->length));
      number %= type->length;
      type = type->element;
    }
  if (type->lanes == 1)
    return value;
  value = tree_expression (kernel, EXPRESSION_SWIZZLE, generate_type (generator, type->scalar, 1), variable->promise, 1, value);
  value->text = letters[number];
  return value;
}

static void
write_variable (struct generator *generator, struct final_outputs *outputs, struct variable *variable)
{
  struct kernel *kernel = generator->kernel;
  const struct type *type = variable->type;
  gboolean strict = variable->promise.strict || !scalar_is_float (type->scalar);
  gboolean is_converted = type->scalar == SCALAR_BOOL && !outputs->has_bool;
  enum scalar scalar = is_converted ? SCALAR_UINT : type->scalar;
  struct variable **output = &outputs->buffers[scalar][strict];

  if (*output == NULL)
    {
      struct promise promise = { GRAIN_VARIABLE, strict };
      *output = add_parameter (generator, ROLE_OUTPUT_BUFFER, generate_type (generator, scalar, 1), promise, 0);
    }
  for (guint number = 0; number < type_count_numbers (type); number++)
    {
      struct statement *statement = tree_statement (kernel, STATEMENT_ASSIGN);
      struct expression *value = part_of (generator, variable, number);
      struct expression *place = tree_expression (kernel, EXPRESSION_OWN, generate_type (generator, scalar, 1), variable->promise, 0);
      if (is_converted)
        value = tree_expression (kernel, EXPRESSION_CONSTRUCT, place->type, promise_nothing, 1, value);
      place->variable = *output;
      place->bits = place->variable->length++;
      statement->place = place;
      statement->text = "=";
      statement->value = value;
      g_ptr_array_add (kernel->body->statements, statement);
    }
}

/* What has been left of records. */
static void
add_final_stores (struct generator *generator)
{
  GPtrArray *parameters = generator->kernel->parameters;

  for (guint i = 0; i < parameters->len; i++)
    {
      struct variable *bytes = parameters->pdata[i];
      for (guint k = 0; bytes->role == ROLE_OUTPUT_BYTES && k < bytes->n_cells; k++)
        if (chance (generator, 70))
          generate_store (generator, generator->kernel->body, bytes, k);
    }
}

static void
add_final_outputs (struct generator *generator)
{
  struct final_outputs outputs = { { { NULL } }, chance (generator, 25) };

  for (guint i = 0; i < generator->scope->len; i++)
    {
      struct variable *variable = generator->scope->pdata[i];
      if (variable->role == ROLE_LOCAL && (variable->type->kind == TYPE_VALUE || variable->type->kind == TYPE_MATRIX))
        write_variable (generator, &outputs, variable);
    }
}

struct kernel *
generate_values (guint64 seed)
{
  struct generator generator;
  struct kernel *kernel;
  guint n_functions;

  generator_init (&generator, KERNEL_VALUES, seed, 0);
  kernel = generator.kernel;
  kernel->has_imports = chance (&generator, 15);
  kernel->has_prints = chance (&generator, 25);
  add_options (&generator);
  add_structures (&generator);
  add_kernel_parameters (&generator);
  add_sizes (&generator);
  n_functions = pick (&generator, 4);
  for (guint i = 0; i < n_functions; i++)
    add_function (&generator, i);
  generator.function = NULL;
  generator.fuel = 3 + pick (&generator, 9);
  generator.cost = 0;
  generator.size = 0;
  generator.print_size = 0;
  generator.weight = 1;
  generator.depth = 0;
  begin_scope (&generator);
  for (guint i = 0; i < kernel->parameters->len; i++)
    g_ptr_array_add (generator.scope, kernel->parameters->pdata[i]);
  generate_block (&generator, kernel->body);
  add_final_stores (&generator);
  add_final_outputs (&generator);
  generator_clear (&generator);
  return kernel;
}

struct kernel *
generate_kernel (enum kernel_kind kind, guint64 seed)
{
  return kind == KERNEL_FLOW ? generate_flow (seed) : generate_values (seed);
}
