/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/generate.h"

#include <math.h>

guint
pick (struct generator *generator, guint n)
{
  return dice_below (&generator->dice, n);
}

gboolean
chance (struct generator *generator, guint percent)
{
  return dice_percent (&generator->dice, percent);
}

enum scalar
any_scalar (struct generator *generator)
{
  return (enum scalar) pick (generator, chance (generator, 80) ? N_COMMON_SCALARS : N_COMPUTED_SCALARS);
}

gboolean
type_has_float (const struct type *type)
{
  switch (type->kind)
    {
    case TYPE_VALUE:
    case TYPE_MATRIX:
      return scalar_is_float (type->scalar);
    case TYPE_ARRAY:
      return type_has_float (type->element);
    default:
      for (guint i = 0; i < type->structure->n_members; i++)
        if (type_has_float (type->structure->members[i].type))
          return TRUE;
      return FALSE;
    }
}

gboolean
promise_holds (const struct type *type, struct promise is, struct promise wanted)
{
  return !type_has_float (type) || (is.grain >= wanted.grain && (is.strict || !wanted.strict));
}

enum scalar
any_integer (struct generator *generator)
{
  return chance (generator, 50) ? SCALAR_INT : SCALAR_UINT;
}

/* Literals. */

static const double edge_integers[] = {
  0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 100, 255, 65535, 65536, 1431655765, 2147483647, 2147483648, 4294967295, 4294967294,
};

static const double edge_floats[] = {
  0, -0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2, 3, -3, 4, 7.25, 10, 100.75, 8388607.5, -8388609, 16777216, 2147483520, 2147483648,
  -2147483648.0, 4294967040, 4294967296, 1e10, -1e10, 3e38, 0.1f, 0.3f, -0.7f, 0.49999997f,
};

/* One that is exact, has this grain, and is no infinity. KNOWN-ISSUES, choice-of-zero: a strict one is no 0 and no 1. */
static guint64
float_literal (struct generator *generator, enum scalar scalar, int grain, gboolean strict)
{
  for (;;)
    {
      guint64 bits = scalar_bits (scalar, edge_floats[pick (generator, G_N_ELEMENTS (edge_floats))]);
      double number = scalar_value (scalar, bits);
      if (strict && (number == 0 || fabs (number) == 1))
        continue;
      if (!isinf (number) && ldexp (number, -grain) == trunc (ldexp (number, -grain)))
        return bits;
    }
}

static struct expression *
plain_literal (struct generator *generator, const struct type *type, struct promise wanted)
{
  double number;

  switch (scalar_infos[type->scalar].family)
    {
    case FAMILY_BOOL:
      return tree_literal (generator->kernel, type, pick (generator, 2));
    case FAMILY_SIGNED:
      number = edge_integers[pick (generator, chance (generator, 60) ? 10 : G_N_ELEMENTS (edge_integers))];
      if (number > 2147483648)
        number = -number + 4294967296;
      number = number == 2147483648 || chance (generator, 25) ? -number : number;
      return tree_literal (generator->kernel, type, scalar_bits (type->scalar, number));
    case FAMILY_UNSIGNED:
      number = edge_integers[pick (generator, chance (generator, 60) ? 10 : G_N_ELEMENTS (edge_integers))];
      return tree_literal (generator->kernel, type, scalar_bits (type->scalar, number));
    default:
      return tree_literal (generator->kernel, type, float_literal (generator, type->scalar, scalar_grain (type->scalar, wanted.grain), wanted.strict));
    }
}

struct expression *
generate_literal (struct generator *generator, const struct type *type, struct promise wanted)
{
  static const char *const forms[] = { "hexadecimal", "binary", "separated", "suffixed", "suffixed" };
  struct expression *literal = plain_literal (generator, type, wanted);

  if (generator->kernel->kind == KERNEL_VALUES && chance (generator, 15))
    literal->text = forms[pick (generator, G_N_ELEMENTS (forms))];
  return literal;
}

/* Places. */

static const char *
generate_swizzle (struct generator *generator, guint from, guint lanes, gboolean distinct)
{
  const char *letters = chance (generator, 80) ? "xyzw" : "rgba";
  char *text = tree_allocate (generator->kernel, 5);
  guint order[4] = { 0, 1, 2, 3 };

  for (guint i = 0; i < lanes; i++)
    {
      guint other, lane;
      if (!distinct)
        {
          text[i] = letters[pick (generator, from)];
          continue;
        }
      other = i + pick (generator, from - i);
      lane = order[other];
      order[other] = order[i];
      order[i] = lane;
      text[i] = letters[lane];
    }
  return text;
}

struct expression *
generate_index (struct generator *generator, guint length, guint depth)
{
  struct kernel *kernel = generator->kernel;
  enum scalar scalar = any_integer (generator);
  const struct type *type = generate_type (generator, scalar, 1);
  struct expression *index;

  if (depth == 0 || generator->n_places > 2 || (length & (length - 1)) != 0 || chance (generator, 35))
    return tree_number (kernel, scalar, pick (generator, length));
  index = tree_expression (kernel, EXPRESSION_BINARY, type, promise_nothing, 2,
                           generate_expression (generator, type, promise_nothing, depth - 1), tree_number (kernel, scalar, length - 1));
  index->text = "&";
  index->is_fixed = TRUE;
  return index;
}

/* From `place` down to a part of the wanted type, or NULL. */
static struct expression *
descend (struct generator *generator, struct expression *place, const struct type *type, gboolean writable)
{
  struct kernel *kernel = generator->kernel;

  for (;;)
    {
      const struct type *at = place->type;
      struct expression *part;

      if (type_equal (at, type) && (at->kind != TYPE_VALUE || at->lanes == 1 || chance (generator, 85)))
        return place;
      if (at->kind == TYPE_STRUCTURE)
        {
          struct member *member = &at->structure->members[pick (generator, at->structure->n_members)];
          part = tree_expression (kernel, EXPRESSION_MEMBER, member->type, place->promise, 1, place);
          part->member = member;
        }
      else if (at->kind == TYPE_ARRAY || at->kind == TYPE_MATRIX)
        part = tree_expression (kernel, EXPRESSION_INDEX, at->element, place->promise, 2, place, generate_index (generator, at->length, 1));
      else if (type->kind != TYPE_VALUE || at->scalar != type->scalar || at->lanes == 1 || (writable && type->lanes > at->lanes))
        return NULL;
      else if (type->lanes == 1 && chance (generator, 30))
        return tree_expression (kernel, EXPRESSION_INDEX, type, place->promise, 2, place, generate_index (generator, at->lanes, 1));
      else
        {
          part = tree_expression (kernel, EXPRESSION_SWIZZLE, type, place->promise, 1, place);
          part->text = generate_swizzle (generator, at->lanes, type->lanes, writable);
          return part;
        }
      place = part;
    }
}

static struct expression *
name_variable (struct generator *generator, struct variable *variable)
{
  struct kernel *kernel = generator->kernel;
  struct expression *name = tree_expression (kernel, EXPRESSION_VARIABLE, variable->type, variable->promise, 0);
  struct expression *element;

  name->variable = variable;
  if (variable->role == ROLE_INPUT_BUFFER)
    return tree_expression (kernel, EXPRESSION_INDEX, variable->type, variable->promise, 2, name, generate_index (generator, variable->length, 2));
  if (variable->role != ROLE_OUTPUT_BUFFER)
    return name;
  element = tree_expression (kernel, EXPRESSION_OWN, variable->type, variable->promise, 0);
  element->variable = variable;
  element->bits = pick (generator, variable->length);
  return element;
}

static gboolean
can_be_written (const struct variable *variable)
{
  return (variable->role == ROLE_LOCAL && !variable->is_constant) || variable->role == ROLE_VALUE || variable->role == ROLE_INOUT || variable->role == ROLE_OUT
         || variable->role == ROLE_OUTPUT_BUFFER;
}

struct expression *
generate_place (struct generator *generator, const struct type *type, struct promise wanted, gboolean writable)
{
  if (generator->scope->len == 0)
    return NULL;
  for (guint i = 0; i < 8; i++)
    {
      /* What came last is used most. */
      guint one = pick (generator, generator->scope->len), other = pick (generator, generator->scope->len), back = MIN (one, other);
      struct variable *variable = generator->scope->pdata[generator->scope->len - 1 - back];
      struct expression *place;

      if (variable->role >= ROLE_INPUT_IMAGE || g_ptr_array_find (generator->busy, variable, NULL)
          || (writable ? !can_be_written (variable) : variable->is_unread || !promise_holds (type, variable->promise, wanted)))
        continue;
      generator->n_places++;
      place = descend (generator, name_variable (generator, variable), type, writable);
      generator->n_places--;
      if (place != NULL)
        return place;
    }
  return NULL;
}

/* Calls. */

gboolean
role_is_resource (enum role role)
{
  return role >= ROLE_INPUT_BUFFER && role != ROLE_TOTALS;
}

/* One in scope that is such as the parameter has it. */
static struct expression *
resource_argument (struct generator *generator, const struct variable *parameter)
{
  for (guint i = 0; i < generator->scope->len; i++)
    {
      struct variable *variable = generator->scope->pdata[i];
      struct promise is = variable->promise, wanted = parameter->promise;
      struct expression *argument;

      if (variable->role != parameter->role || variable->type != parameter->type || variable->length != parameter->length
          || variable->cells != parameter->cells || variable->n_dimensions != parameter->n_dimensions
          || variable->is_unread != parameter->is_unread || (variable->is_volatile && !parameter->is_volatile))
        continue;
      if (type_has_float (variable->type) && (is.strict != wanted.strict || is.grain != wanted.grain))
        continue;
      argument = tree_expression (generator->kernel, EXPRESSION_VARIABLE, variable->type, is, 0);
      argument->variable = variable;
      return argument;
    }
  return NULL;
}

struct expression *
generate_call (struct generator *generator, struct function *function, guint depth)
{
  struct expression *call = tree_expression (generator->kernel, EXPRESSION_CALL, function->returns, function->promise, 0);

  call->function = function;
  call->n_operands = function->parameters->len;
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < function->parameters->len; i++)
      {
        struct variable *parameter = function->parameters->pdata[i];
        struct expression *argument = NULL;

        if ((parameter->role == ROLE_VALUE) != (pass == 1))
          continue;
        if (parameter->role == ROLE_VALUE)
          argument = generate_expression (generator, parameter->type, parameter->promise, depth);
        else if (role_is_resource (parameter->role))
          argument = resource_argument (generator, parameter);
        else
          {
            argument = generate_place (generator, parameter->type, promise_nothing, TRUE);
            if (argument != NULL)
              {
                struct expression *root = argument;
                while (root->n_operands > 0)
                  root = root->operands[0];
                if (type_has_float (argument->type) && (root->variable->promise.strict != parameter->promise.strict
                    || root->variable->promise.grain != parameter->promise.grain))
                  return NULL;
                if (root->variable->is_unread)
                  return NULL;
                g_ptr_array_add (generator->busy, root->variable);
              }
          }
        if (argument == NULL)
          return NULL;
        call->operands[i] = argument;
      }
  generator->cost += function->cost * generator->weight;
  generator->size += function->size;
  generator->print_size += function->print_size * generator->weight;
  return call;
}

gboolean
can_call (struct generator *generator, const struct function *function)
{
  guint limit = generator->kernel->kind == KERNEL_FLOW ? MAX_FLOW_COST : MAX_COST;
  return generator->cost + function->cost * generator->weight <= limit && generator->size + function->size <= MAX_SIZE
         && generator->print_size + function->print_size * generator->weight <= MAX_PRINT_SIZE;
}

static struct expression *
call_some_function (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  GPtrArray *functions = generator->kernel->functions;
  if (functions->len == 0)
    return NULL;
  struct function *function = functions->pdata[pick (generator, functions->len)];
  if (function->has_references || function->returns == NULL || !type_equal (function->returns, type)
      || !promise_holds (type, function->promise, wanted) || !can_call (generator, function))
    return NULL;
  return generate_call (generator, function, depth - 1);
}

/* Operators. */

struct expression *
generate_binary (struct generator *generator, const struct type *type, struct promise promise, const char *text, struct expression *left,
                 struct expression *right)
{
  struct expression *expression = tree_expression (generator->kernel, EXPRESSION_BINARY, type, promise, 2, left, right);
  expression->text = text;
  return expression;
}

/* The type itself or, now and then, its scalar, which spreads. */
static const struct type *
spread (struct generator *generator, const struct type *type)
{
  return type->lanes > 1 && chance (generator, 25) ? generate_type (generator, type->scalar, 1) : type;
}

static struct expression *
float_operator (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  static const char *const operators[] = { "+", "-", "*" };
  /* The remainder is a function with loops, and drivers inline it. */
  const char *text = chance (generator, 5) ? "%" : operators[pick (generator, G_N_ELEMENTS (operators))];
  /* KNOWN-ISSUES, sum-with-zero. */
  if (wanted.strict && *text != '%')
    text = "*";
  struct promise operand = wanted;
  gboolean left_spreads = chance (generator, 50);
  struct expression *left, *right;

  if (*text == '*')
    operand.grain = wanted.grain / 2;
  left = generate_expression (generator, left_spreads ? spread (generator, type) : type, operand, depth - 1);
  right = generate_expression (generator, left->type->lanes < type->lanes || left_spreads ? type : spread (generator, type), operand, depth - 1);
  return generate_binary (generator, type, wanted, text, left, right);
}

static struct expression *
integer_operator (struct generator *generator, const struct type *type, guint depth)
{
  static const char *const operators[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "+", "-", "*" };
  const char *text = operators[pick (generator, G_N_ELEMENTS (operators))];
  const struct type *other = type;
  gboolean left_spreads = chance (generator, 50);
  struct expression *left, *right;

  if (*text == '<' || *text == '>')
    {
      other = generate_type (generator, any_integer (generator), type->lanes);
      left_spreads = FALSE;
    }
  left = generate_expression (generator, left_spreads ? spread (generator, type) : type, promise_nothing, depth - 1);
  right = generate_expression (generator, left_spreads ? other : spread (generator, other), promise_nothing, depth - 1);
  return generate_binary (generator, type, promise_nothing, text, left, right);
}

static struct expression *
comparison (struct generator *generator, const struct type *type, guint depth)
{
  static const char *const operators[] = { "<", ">", "<=", ">=", "==", "!=" };
  enum scalar scalar = any_scalar (generator);
  const char *text = operators[scalar == SCALAR_BOOL ? 4 + pick (generator, 2) : pick (generator, G_N_ELEMENTS (operators))];
  const struct type *operand = generate_type (generator, scalar, type->lanes);
  struct expression *left = generate_expression (generator, operand, promise_nothing, depth - 1);

  return generate_binary (generator, type, promise_nothing, text, left,
                 generate_expression (generator, spread (generator, operand), promise_nothing, depth - 1));
}

static struct expression *
bool_operator (struct generator *generator, const struct type *type, guint depth)
{
  static const char *const logical[] = { "&&", "||" }, *const bits[] = { "&", "|", "^" };

  const char *text = type->lanes == 1 && chance (generator, 60) ? logical[pick (generator, 2)] : bits[pick (generator, 3)];
  struct expression *left;

  if (chance (generator, 60))
    return comparison (generator, type, depth);
  left = generate_expression (generator, type, promise_nothing, depth - 1);
  return generate_binary (generator, type, promise_nothing, text, left, generate_expression (generator, type, promise_nothing, depth - 1));
}

static struct expression *
generate_operator (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  switch (scalar_infos[type->scalar].family)
    {
    case FAMILY_BOOL:
      return bool_operator (generator, type, depth);
    case FAMILY_FLOAT:
      return float_operator (generator, type, wanted, depth);
    default:
      return integer_operator (generator, type, depth);
    }
}

static struct expression *
generate_unary (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *unary = tree_expression (generator->kernel, EXPRESSION_UNARY, type, wanted, 1,
                                              generate_expression (generator, type, wanted, depth - 1));
  unary->text = type->scalar == SCALAR_BOOL ? "!" : scalar_is_float (type->scalar) || chance (generator, 50) ? "-" : "~";
  return unary;
}

/* Several parts that make a vector. */
static struct expression *
generate_parts (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *construct;

  if (type->lanes == 1)
    return NULL;
  construct = tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, wanted, 0);
  for (guint lanes = 0; lanes < type->lanes;)
    {
      guint part = lanes == 0 && type->lanes > 2 && chance (generator, 40) ? type->lanes - 1 : 1 + pick (generator, MIN (2, type->lanes - lanes));
      construct->operands[construct->n_operands++] = generate_expression (generator, generate_type (generator, type->scalar, part), wanted, depth - 1);
      lanes += part;
    }
  return construct;
}

static struct expression *
generate_lanes (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  guint from = 2 + pick (generator, 3);
  struct expression *swizzle = tree_expression (generator->kernel, EXPRESSION_SWIZZLE, type, wanted, 1,
                                                generate_expression (generator, generate_type (generator, type->scalar, from), wanted, depth - 1));
  swizzle->text = generate_swizzle (generator, from, type->lanes, FALSE);
  return swizzle;
}

/* What the dispatch, buffers and images say of themselves. */
static struct expression *
generate_name (struct generator *generator, const struct type *type)
{
  static const char *const vectors[] = { "global_id", "local_id", "group_id", "dispatch_size", "group_size", "num_groups" };
  static const char *const scalars[] = { "global_index", "global_index", "global_index", "global_index", "kernel_id", "subgroup_lane", "subgroup_size" };
  struct expression *name;

  if (type->scalar != SCALAR_UINT || (type->lanes != 3 && type->lanes != 1))
    return NULL;
  name = tree_expression (generator->kernel, EXPRESSION_NAME, type, promise_nothing, 0);
  name->text = type->lanes == 3 ? vectors[pick (generator, G_N_ELEMENTS (vectors))] : scalars[pick (generator, G_N_ELEMENTS (scalars))];
  return name;
}

static struct expression *
generate_resource (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct variable *resource = generator->scope->pdata[pick (generator, generator->scope->len)];
  struct kernel *kernel = generator->kernel;
  struct expression *access = NULL;

  if ((resource->role == ROLE_INPUT_BUFFER || resource->role == ROLE_INPUT_BYTES) && type->scalar == SCALAR_UINT && type->lanes == 1)
    access = tree_expression (kernel, EXPRESSION_LENGTH, type, promise_nothing, 0);
  else if ((resource->role == ROLE_INPUT_IMAGE || resource->role == ROLE_OUTPUT_IMAGE) && type->scalar == SCALAR_UINT
           && type->lanes == resource->n_dimensions)
    access = tree_expression (kernel, EXPRESSION_IMAGE_SIZE, type, promise_nothing, 0);
  else if (resource->role == ROLE_INPUT_IMAGE && type == resource->type && promise_holds (type, resource->promise, wanted))
    {
      access = tree_expression (kernel, EXPRESSION_IMAGE_READ, type, wanted, 0);
      for (guint i = 0; i < resource->n_dimensions; i++)
        access->operands[access->n_operands++] = generate_index (generator, image_sizes[resource->n_dimensions][i], depth);
      access->text = chance (generator, 70) ? "int" : "uint";
    }
  if (access != NULL)
    access->variable = resource;
  return access;
}

static struct expression *
generate_conditional (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *condition, *yes;

  /* KNOWN-ISSUES, choice-of-zero. */
  if (wanted.strict && type_has_float (type))
    return NULL;
  condition = generate_expression (generator, generate_type (generator, SCALAR_BOOL, 1), promise_nothing, depth - 1);
  yes = generate_expression (generator, type, wanted, depth - 1);
  return tree_expression (generator->kernel, EXPRESSION_CONDITIONAL, type, wanted, 3, condition, yes,
                          generate_expression (generator, type, wanted, depth - 1));
}

/* What can only be stored is moved about, and comes of numbers. */
static struct expression *
generate_stored (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  guint choice = pick (generator, 100);

  if (choice < 26)
    return generate_place (generator, type, wanted, FALSE);
  if (choice < 30)
    return generate_load (generator, type, wanted);
  if (choice < 75)
    return generate_cast (generator, type, wanted, depth);
  if (choice < 82)
    return generate_parts (generator, type, wanted, depth);
  if (choice < 88)
    return generate_lanes (generator, type, wanted, depth);
  if (choice < 94)
    return call_some_function (generator, type, wanted, depth);
  return generate_conditional (generator, type, wanted, depth);
}

static struct expression *
generate_value (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  guint choice = pick (generator, 100);

  if (scalar_infos[type->scalar].family == FAMILY_STORED)
    return generate_stored (generator, type, wanted, depth);
  if (choice < 20)
    return generate_place (generator, type, wanted, FALSE);
  if (choice < 22)
    return generate_load (generator, type, wanted);
  if (choice < 50)
    return generate_operator (generator, type, wanted, depth);
  if (choice < 54)
    return generate_unary (generator, type, wanted, depth);
  if (choice < 68)
    return generate_builtin (generator, type, wanted, depth);
  if (choice < 75)
    return generate_cast (generator, type, wanted, depth);
  if (choice < 79)
    return generate_bitcast (generator, type, wanted, depth);
  if (choice < 82)
    return generate_parts (generator, type, wanted, depth);
  if (choice < 85)
    return generate_lanes (generator, type, wanted, depth);
  if (choice < 88)
    return generate_name (generator, type);
  if (choice < 92)
    return generator->scope->len > 0 ? generate_resource (generator, type, wanted, depth) : NULL;
  if (choice < 97)
    return call_some_function (generator, type, wanted, depth);
  return generate_conditional (generator, type, wanted, depth);
}

/* Arrays and structures: an initialiser in braces. */
static struct expression *
generate_braces (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *braces;
  guint n = type->kind == TYPE_ARRAY ? type->length : type->kind == TYPE_STRUCTURE ? type->structure->n_members : 0;

  if (type->kind == TYPE_MATRIX)
    return generate_matrix (generator, type, wanted, depth);
  if (n == 0)
    return depth == 0 ? generate_literal (generator, type, wanted) : generate_expression (generator, type, wanted, depth);
  braces = tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, wanted, 0);
  braces->is_braced = TRUE;
  for (guint i = 0; i < n; i++)
    braces->operands[braces->n_operands++] = generate_braces (generator, type->kind == TYPE_ARRAY ? type->element : type->structure->members[i].type,
                                                              wanted, depth);
  return braces;
}

/* Outside of initialisers structures are made by their names. */
static void
take_braces_away (struct expression *expression)
{
  expression->is_braced = FALSE;
  for (guint i = 0; i < expression->n_operands; i++)
    take_braces_away (expression->operands[i]);
}

/* Where nothing else has such a type, a constant is made that does. */
static struct expression *
use_constant (struct generator *generator, const struct type *type)
{
  static const struct promise strict = { GRAIN_VARIABLE, TRUE };
  struct variable *constant = NULL;
  GPtrArray *constants = generator->kernel->constants;
  struct expression *name;

  for (guint i = 0; i < constants->len; i++)
    if (type_equal (((struct variable *) constants->pdata[i])->type, type))
      constant = constants->pdata[i];
  if (constant == NULL)
    {
      constant = tree_variable (generator->kernel, ROLE_CONSTANT, type, strict);
      constant->initializer = generate_braces (generator, type, strict, 0);
      g_ptr_array_add (constants, constant);
    }
  name = tree_expression (generator->kernel, EXPRESSION_VARIABLE, type, strict, 0);
  name->variable = constant;
  return name;
}

static gboolean
has_array (const struct type *type)
{
  if (type->kind == TYPE_STRUCTURE)
    for (guint i = 0; i < type->structure->n_members; i++)
      if (has_array (type->structure->members[i].type))
        return TRUE;
  return type->kind == TYPE_ARRAY;
}

static struct expression *
generate_composite (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *expression = NULL;

  if (chance (generator, 60) || depth == 0)
    expression = generate_place (generator, type, wanted, FALSE);
  if (expression == NULL && chance (generator, 50))
    expression = generate_load (generator, type, wanted);
  if (expression == NULL && depth > 0 && chance (generator, 40))
    expression = call_some_function (generator, type, wanted, depth);
  if (expression == NULL && depth > 1 && chance (generator, 30))
    expression = generate_conditional (generator, type, wanted, MIN (depth, 2));
  if (expression == NULL && type->kind == TYPE_MATRIX)
    expression = generate_matrix (generator, type, wanted, depth);
  if (expression == NULL && !has_array (type))
    {
      expression = generate_braces (generator, type, wanted, depth > 0 ? depth - 1 : 0);
      take_braces_away (expression);
    }
  return expression != NULL ? expression : use_constant (generator, type);
}

/* A place, or one that is converted. */
static struct expression *
generate_leaf (struct generator *generator, const struct type *type, struct promise wanted)
{
  struct expression *place = chance (generator, 92) ? generate_place (generator, type, wanted, FALSE) : generate_load (generator, type, wanted);
  enum scalar scalar = any_scalar (generator);

  if (place != NULL)
    return place;
  if (scalar == type->scalar)
    place = type->lanes > 1 ? generate_place (generator, generate_type (generator, scalar, 1), wanted, FALSE) : NULL;
  else if (can_convert (scalar, type->scalar, wanted))
    place = generate_place (generator, generate_type (generator, scalar, chance (generator, 50) ? 1 : type->lanes),
                            before_conversion (scalar, type->scalar, wanted), FALSE);
  if (place == NULL && type->scalar == SCALAR_UINT && chance (generator, 50))
    place = generate_name (generator, generate_type (generator, SCALAR_UINT, 1));
  return place != NULL ? tree_expression (generator->kernel, EXPRESSION_CONSTRUCT, type, wanted, 1, place) : NULL;
}

struct expression *
generate_expression (struct generator *generator, const struct type *type, struct promise wanted, guint depth)
{
  struct expression *expression = NULL;

  if (generator->kernel->kind == KERNEL_FLOW)
    return generate_flow_expression (generator, type, depth);
  if (type->kind != TYPE_VALUE)
    return generate_composite (generator, type, wanted, depth);
  for (guint i = 0; i < 4 && depth > 0 && expression == NULL; i++)
    expression = generate_value (generator, type, wanted, depth);
  if (expression == NULL && chance (generator, 75))
    expression = generate_leaf (generator, type, wanted);
  return expression != NULL ? expression : generate_literal (generator, type, wanted);
}
