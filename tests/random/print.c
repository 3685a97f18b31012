/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Trees as kernel language. */

#include "config.h"

#include "tests/random/tree.h"

#include <math.h>
#include <string.h>

struct printer
{
  const struct kernel *kernel;
  GString *out;
  guint indent;
  gboolean fault;
};

static void print_expression (struct printer *printer, const struct expression *expression);
static void print_block (struct printer *printer, const struct block *block);

static void
print_type (GString *out, const struct type *type)
{
  while (type->kind == TYPE_ARRAY)
    type = type->element;
  if (type->kind == TYPE_STRUCTURE)
    g_string_append (out, type->structure->name);
  else
    {
      g_string_append (out, scalar_infos[type->scalar].name);
      if (type->kind == TYPE_MATRIX)
        g_string_append_printf (out, "%ux%u", type->length, type->length);
      else if (type->lanes > 1)
        g_string_append_printf (out, type->scalar >= SCALAR_E4M3 ? "x%u" : "%u", type->lanes);
    }
}

/* "float3 v4[2][4]" */
static void
print_declarator (GString *out, const struct type *type, const char *name)
{
  print_type (out, type);
  g_string_append_printf (out, " %s", name);
  for (; type->kind == TYPE_ARRAY; type = type->element)
    g_string_append_printf (out, "[%u]", type->length);
}

/* Literals. */

static void
print_scalar (GString *out, enum scalar scalar, guint64 bits)
{
  double value = scalar_value (scalar, bits);
  gint64 number;
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  switch (scalar_infos[scalar].family)
    {
    case FAMILY_BOOL:
      g_string_append (out, bits != 0 ? "true" : "false");
      break;
    case FAMILY_SIGNED:
      number = (gint64) (bits << (64 - scalar_infos[scalar].bits)) >> (64 - scalar_infos[scalar].bits);
      g_string_append_printf (out, number < 0 ? "(%" G_GINT64_FORMAT ")" : "%" G_GINT64_FORMAT, number);
      break;
    case FAMILY_UNSIGNED:
      g_string_append_printf (out, "%" G_GUINT64_FORMAT, bits);
      break;
    default:
      g_ascii_formatd (text, sizeof text, scalar == SCALAR_DOUBLE ? "%.17g" : "%.9g", value);
      g_string_append_printf (out, signbit (value) ? "(%s%s)" : "%s%s", text, strpbrk (text, ".e") != NULL ? "" : ".0");
      break;
    }
}

/* As `form` says; FALSE if the number cannot be written so. */
static gboolean
print_formed (GString *out, enum scalar scalar, guint64 bits, const char *form)
{
  static const char *const suffixes[N_SCALARS] = {
    [SCALAR_UINT] = "u", [SCALAR_LONG] = "l", [SCALAR_ULONG] = "ul", [SCALAR_HALF] = "h", [SCALAR_DOUBLE] = "d"
  };
  const char *suffix = suffixes[scalar], *digits;
  gboolean is_integer = scalar_infos[scalar].family == FAMILY_SIGNED || scalar_infos[scalar].family == FAMILY_UNSIGNED;
  gsize start = out->len;

  if (suffix == NULL || scalar_value (scalar, bits) < 0 || signbit (scalar_value (scalar, bits)))
    return FALSE;
  if (strcmp (form, "suffixed") != 0 && !is_integer)
    return FALSE;
  if (strcmp (form, "hexadecimal") == 0)
    g_string_append_printf (out, "0x%" G_GINT64_MODIFIER "x", bits);
  else if (strcmp (form, "binary") == 0)
    {
      guint n = MAX (g_bit_storage ((gulong) bits), 1);
      g_string_append (out, "0b");
      while (n-- > 0)
        g_string_append_c (out, bits >> n & 1 ? '1' : '0');
    }
  else
    print_scalar (out, scalar, bits);
  digits = out->str + start;
  if (strcmp (form, "separated") == 0 && strlen (digits) > 3)
    g_string_insert_c (out, (gssize) out->len - 3, '\'');
  g_string_append (out, suffix);
  return TRUE;
}

/* With its type, so that no place has to give it one. */
static void
print_typed_scalar (GString *out, enum scalar scalar, guint64 bits)
{
  switch (scalar)
    {
    case SCALAR_BOOL:
      print_scalar (out, scalar, bits);
      break;
    case SCALAR_UINT:
      print_scalar (out, scalar, bits);
      g_string_append_c (out, 'u');
      break;
    default:
      g_string_append_printf (out, "%s(", scalar_infos[scalar].name);
      print_scalar (out, scalar, bits);
      g_string_append_c (out, ')');
      break;
    }
}

static void
print_literal (GString *out, const struct expression *literal)
{
  if (literal->type->lanes == 1 && literal->text != NULL && print_formed (out, literal->type->scalar, literal->bits, literal->text))
    return;
  if (literal->type->lanes == 1)
    print_typed_scalar (out, literal->type->scalar, literal->bits);
  else
    {
      print_type (out, literal->type);
      g_string_append_c (out, '(');
      print_scalar (out, literal->type->scalar, literal->bits);
      g_string_append_c (out, ')');
    }
}

static gboolean
is_scalar_literal (const struct expression *expression)
{
  return expression->kind == EXPRESSION_LITERAL && expression->type->lanes == 1;
}

/* Expressions. */

static void
print_operands (struct printer *printer, const struct expression *expression, const char *open, const char *close)
{
  g_string_append (printer->out, open);
  for (guint i = 0; i < expression->n_operands; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      print_expression (printer, expression->operands[i]);
    }
  g_string_append (printer->out, close);
}

static void
print_construct (struct printer *printer, const struct expression *expression)
{
  GString *out = printer->out;

  if (expression->type->kind == TYPE_ARRAY)
    {
      print_operands (printer, expression, "{ ", " }");
      return;
    }
  if (!expression->is_braced)
    print_type (out, expression->type);
  if (expression->type->kind != TYPE_STRUCTURE)
    {
      print_operands (printer, expression, "(", ")");
      return;
    }
  g_string_append (out, expression->is_braced ? "{ " : "(");
  for (guint i = 0, n = 0; i < expression->n_operands; i++)
    if (!expression->type->structure->members[i].removed)
      {
        if (n++ > 0)
          g_string_append (out, ", ");
        print_expression (printer, expression->operands[i]);
      }
  g_string_append (out, expression->is_braced ? " }" : ")");
}

static gboolean
is_shift (const char *text)
{
  return strcmp (text, "<<") == 0 || strcmp (text, ">>") == 0;
}

/* A literal beside something with a type takes its type from there, and is printed bare. */
static void
print_side (struct printer *printer, const struct expression *side, const struct expression *other, const char *text)
{
  if (is_scalar_literal (side) && other->kind != EXPRESSION_LITERAL && !is_shift (text) && side->type->scalar != SCALAR_BOOL)
    print_scalar (printer->out, side->type->scalar, side->bits);
  else
    print_expression (printer, side);
}

static void
print_binary (struct printer *printer, const struct expression *expression)
{
  GString *out = printer->out;
  gboolean fault = printer->fault && strcmp (expression->text, "*") == 0 && !scalar_is_float (expression->type->scalar);

  g_string_append (out, fault ? "((" : "(");
  print_side (printer, expression->operands[0], expression->operands[1], expression->text);
  g_string_append_printf (out, " %s ", expression->text);
  print_side (printer, expression->operands[1], expression->operands[0], expression->text);
  g_string_append (out, fault ? ") + 1)" : ")");
}

static void
print_own (struct printer *printer, const struct expression *expression)
{
  g_string_append_printf (printer->out, "%s[global_index * %uu + %uu]", expression->variable->name,
                          expression->variable->length, (guint) expression->bits);
}

static void
print_step (struct printer *printer, const struct expression *expression)
{
  if (!expression->is_postfix)
    g_string_append (printer->out, expression->text);
  print_expression (printer, expression->operands[0]);
  if (expression->is_postfix)
    g_string_append (printer->out, expression->text);
}

static void
print_image_read (struct printer *printer, const struct expression *expression)
{
  g_string_append_printf (printer->out, "%s.read(%s%u", expression->variable->name, expression->text, expression->n_operands);
  print_operands (printer, expression, "(", "))");
}

/* What is in a thread's record of a byte buffer, or in front of what an index leads to. */
static void
print_record (struct printer *printer, const struct variable *bytes, guint offset)
{
  g_string_append_printf (printer->out, "global_index * %uu + %uu", bytes->length, offset);
}

static void
print_load (struct printer *printer, const struct expression *expression)
{
  GString *out = printer->out;

  g_string_append_printf (out, "%s.load<", expression->variable->name);
  print_type (out, expression->type);
  g_string_append (out, ">(");
  if (expression->n_operands == 0)
    print_record (printer, expression->variable, (guint) expression->bits);
  else
    print_expression (printer, expression->operands[0]);
  if (expression->n_operands > 0 && expression->text == NULL)
    g_string_append_printf (out, " * %u + %u", expression->variable->length, (guint) expression->bits);
  g_string_append_c (out, ')');
}

static void
print_access (struct printer *printer, const struct expression *expression)
{
  GString *out = printer->out;

  switch (expression->kind)
    {
    case EXPRESSION_MEMBER:
      print_expression (printer, expression->operands[0]);
      g_string_append_printf (out, ".%s", expression->member->name);
      break;
    case EXPRESSION_SWIZZLE:
      print_expression (printer, expression->operands[0]);
      g_string_append_printf (out, ".%s", expression->text);
      break;
    case EXPRESSION_INDEX:
      print_expression (printer, expression->operands[0]);
      g_string_append_c (out, '[');
      print_expression (printer, expression->operands[1]);
      g_string_append_c (out, ']');
      break;
    case EXPRESSION_OWN:
      print_own (printer, expression);
      break;
    case EXPRESSION_LENGTH:
      g_string_append_printf (out, "%s.length", expression->variable->name);
      break;
    case EXPRESSION_IMAGE_READ:
      print_image_read (printer, expression);
      break;
    case EXPRESSION_LOAD:
      print_load (printer, expression);
      break;
    default:
      g_string_append_printf (out, "%s.size", expression->variable->name);
      break;
    }
}

/* What goes into a call: in the flow kernels every function gets what the trace needs. */
static void
print_call (struct printer *printer, const struct expression *expression)
{
  g_string_append (printer->out, expression->function->name);
  g_string_append_c (printer->out, '(');
  guint n = 0;
  if (printer->kernel->kind == KERNEL_FLOW)
    {
      g_string_append (printer->out, "trace, c, n");
      n++;
    }
  for (guint i = 0; i < expression->n_operands; i++)
    {
      const struct variable *parameter = expression->function->parameters->pdata[i];
      if (parameter->removed)
        continue;
      if (n++ > 0)
        g_string_append (printer->out, ", ");
      print_expression (printer, expression->operands[i]);
    }
  g_string_append_c (printer->out, ')');
}

static void
print_expression (struct printer *printer, const struct expression *expression)
{
  GString *out = printer->out;

  switch (expression->kind)
    {
    case EXPRESSION_LITERAL:
      print_literal (out, expression);
      break;
    case EXPRESSION_VARIABLE:
      g_string_append (out, expression->variable->name);
      break;
    case EXPRESSION_NAME:
      g_string_append (out, expression->text);
      break;
    case EXPRESSION_UNARY:
      g_string_append_printf (out, "(%s", expression->text);
      print_expression (printer, expression->operands[0]);
      g_string_append_c (out, ')');
      break;
    case EXPRESSION_BINARY:
      print_binary (printer, expression);
      break;
    case EXPRESSION_CONDITIONAL:
      g_string_append_c (out, '(');
      print_expression (printer, expression->operands[0]);
      g_string_append (out, " ? ");
      print_expression (printer, expression->operands[1]);
      g_string_append (out, " : ");
      print_expression (printer, expression->operands[2]);
      g_string_append_c (out, ')');
      break;
    case EXPRESSION_STEP:
      print_step (printer, expression);
      break;
    case EXPRESSION_CALL:
      print_call (printer, expression);
      break;
    case EXPRESSION_BUILTIN:
      g_string_append (out, expression->text);
      print_operands (printer, expression, "(", ")");
      break;
    case EXPRESSION_CONSTRUCT:
      print_construct (printer, expression);
      break;
    case EXPRESSION_BITCAST:
      g_string_append (out, "bitcast<");
      print_type (out, expression->type);
      g_string_append_c (out, '>');
      print_operands (printer, expression, "(", ")");
      break;
    default:
      print_access (printer, expression);
      break;
    }
}

/* Statements. */

static void G_GNUC_PRINTF (2, 3)
print_line (struct printer *printer, const char *format, ...)
{
  va_list arguments;

  for (guint i = 0; i < printer->indent; i++)
    g_string_append (printer->out, "    ");
  va_start (arguments, format);
  g_string_append_vprintf (printer->out, format, arguments);
  va_end (arguments);
}

static void
print_braced (struct printer *printer, const struct block *block)
{
  print_line (printer, "{\n");
  printer->indent++;
  print_block (printer, block);
  printer->indent--;
  print_line (printer, "}\n");
}

static gboolean
is_lone_if (const struct block *block)
{
  guint n = 0, n_ifs = 0;

  for (guint i = 0; i < block->statements->len; i++)
    {
      const struct statement *statement = block->statements->pdata[i];
      n += !statement->removed;
      n_ifs += !statement->removed && statement->kind == STATEMENT_IF;
    }
  return n == 1 && n_ifs == 1;
}

static void
print_if (struct printer *printer, const struct statement *statement)
{
  print_line (printer, "if (");
  print_expression (printer, statement->value);
  g_string_append (printer->out, ")\n");
  print_braced (printer, statement->bodies[0]);
  if (statement->n_bodies == 1 || statement->bodies[1]->removed)
    return;
  print_line (printer, "else\n");
  if (statement->is_ladder && is_lone_if (statement->bodies[1]))
    print_block (printer, statement->bodies[1]);
  else
    print_braced (printer, statement->bodies[1]);
}

static void
print_switch (struct printer *printer, const struct statement *statement)
{
  enum scalar scalar = statement->value->type->scalar;
  guint last = 0;

  for (guint i = 0; i < statement->n_bodies; i++)
    if (!statement->bodies[i]->removed)
      last = i;
  print_line (printer, "switch (");
  print_expression (printer, statement->value);
  g_string_append (printer->out, ")\n");
  print_line (printer, "{\n");
  for (guint i = 0; i < statement->n_bodies; i++)
    {
      const struct block *body = statement->bodies[i];
      if (body->removed)
        continue;
      for (guint k = 0; k < body->n_labels; k++)
        if (body->labels[k].is_default)
          print_line (printer, "default:\n");
        else if (scalar_infos[scalar].family == FAMILY_SIGNED)
          print_line (printer, "case %" G_GINT64_FORMAT ":\n", body->labels[k].value);
        else
          print_line (printer, "case %u:\n", (guint32) body->labels[k].value);
      printer->indent++;
      print_block (printer, body);
      if (!body->falls_through)
        print_line (printer, "break;\n");
      else if (i != last)
        print_line (printer, "fallthrough;\n");
      printer->indent--;
    }
  print_line (printer, "}\n");
}

static void
print_counter (struct printer *printer, const struct statement *statement)
{
  print_declarator (printer->out, statement->variable->type, statement->variable->name);
  g_string_append (printer->out, " = ");
  print_expression (printer, statement->place);
  g_string_append_c (printer->out, ';');
}

/* Of a `while` or `do` whose condition does not count, the body does it first. */
static void
print_counting_body (struct printer *printer, const struct statement *statement)
{
  print_line (printer, "{\n");
  printer->indent++;
  if (statement->step != NULL)
    {
      print_line (printer, "%s", "");
      print_expression (printer, statement->step);
      g_string_append (printer->out, ";\n");
    }
  print_block (printer, statement->bodies[0]);
  printer->indent--;
  print_line (printer, "}\n");
}

static void
print_loop (struct printer *printer, const struct statement *statement)
{
  GString *out = printer->out;

  if (statement->kind != STATEMENT_FOR)
    {
      print_line (printer, "%s", "");
      print_counter (printer, statement);
      g_string_append_c (out, '\n');
    }
  if (statement->text != NULL)
    print_line (printer, "%s\n", statement->text);
  switch (statement->kind)
    {
    case STATEMENT_FOR:
      print_line (printer, "for (");
      print_counter (printer, statement);
      g_string_append_c (out, ' ');
      print_expression (printer, statement->value);
      g_string_append (out, "; ");
      print_expression (printer, statement->step);
      g_string_append (out, ")\n");
      print_braced (printer, statement->bodies[0]);
      break;
    case STATEMENT_WHILE:
      print_line (printer, "while (");
      print_expression (printer, statement->value);
      g_string_append (out, ")\n");
      print_counting_body (printer, statement);
      break;
    default:
      print_line (printer, "do\n");
      print_counting_body (printer, statement);
      print_line (printer, "while (");
      print_expression (printer, statement->value);
      g_string_append (out, ");\n");
      break;
    }
}

/* Operands go into variables first, so that what is recorded is what the operation got. */
static void
print_bounded (struct printer *printer, const struct statement *statement)
{
  const struct record *record = printer->kernel->records->pdata[statement->number];
  const struct expression *operation = statement->value;
  struct expression copy = *operation;
  struct expression names[MAX_OPERANDS];
  struct variable variables[MAX_OPERANDS];
  guint slot = record->first;

  print_line (printer, "{\n");
  printer->indent++;
  for (guint i = 0; i < operation->n_operands; i++)
    {
      variables[i] = (struct variable) { .type = operation->operands[i]->type };
      g_snprintf (variables[i].name, sizeof variables[i].name, "x%u", i);
      names[i] = (struct expression) { .kind = EXPRESSION_VARIABLE, .type = variables[i].type, .variable = &variables[i] };
      copy.operands[i] = &names[i];
      print_line (printer, "const ");
      print_declarator (printer->out, variables[i].type, variables[i].name);
      g_string_append (printer->out, " = ");
      print_expression (printer, operation->operands[i]);
      g_string_append (printer->out, ";\n");
    }
  print_line (printer, "const ");
  print_declarator (printer->out, operation->type, "y");
  g_string_append (printer->out, " = ");
  print_expression (printer, &copy);
  g_string_append (printer->out, ";\n");
  print_line (printer, "records[global_index * %uu + %uu] = 1;\n", printer->kernel->record_size, slot++);
  for (guint i = 0; i <= operation->n_operands; i++)
    {
      const struct type *type = i == 0 ? operation->type : variables[i - 1].type;
      for (guint k = 0; k < type_count_numbers (type); k++)
        {
          print_line (printer, "records[global_index * %uu + %uu] = ", printer->kernel->record_size, slot++);
          if (type->scalar != SCALAR_FLOAT)
            g_string_append (printer->out, "float(");
          g_string_append (printer->out, i == 0 ? "y" : variables[i - 1].name);
          if (type->kind == TYPE_MATRIX)
            g_string_append_printf (printer->out, "[%u][%u]", k / type->length, k % type->length);
          else if (type->lanes > 1)
            g_string_append_printf (printer->out, ".%c", "xyzw"[k]);
          g_string_append (printer->out, type->scalar != SCALAR_FLOAT ? ");\n" : ";\n");
        }
    }
  printer->indent--;
  print_line (printer, "}\n");
}

/* Of an atomic. */
static void
print_values (struct printer *printer, const struct statement *statement)
{
  if (statement->step != NULL)
    {
      print_expression (printer, statement->step);
      g_string_append (printer->out, ", ");
    }
  print_expression (printer, statement->value);
  g_string_append (printer->out, ");\n");
}

static void
print_atomic (struct printer *printer, const struct statement *statement, const char *place)
{
  print_line (printer, "%s(%s, ", statement->text, place);
  print_values (printer, statement);
}

/* Values of the workgroup's threads go through an array of them, or are counted together. */
static void
print_together (struct printer *printer, const struct statement *statement)
{
  const struct variable *variable = statement->variable;
  const struct type array = { .kind = TYPE_ARRAY, .element = variable->type, .length = printer->kernel->group_size[0] };
  gboolean is_exchange = statement->kind == STATEMENT_EXCHANGE;
  char *name = g_strdup_printf ("s_%s", variable->name);

  print_line (printer, "shared ");
  print_declarator (printer->out, is_exchange ? &array : variable->type, name);
  g_string_append (printer->out, ";\n");
  if (!is_exchange)
    print_line (printer, "if (local_id.x == 0)\n    ");
  print_line (printer, is_exchange ? "%s[local_id.x] = " : "%s = ", name);
  print_expression (printer, is_exchange ? statement->value : statement->place);
  g_string_append (printer->out, ";\n");
  print_line (printer, "barrier();\n");
  if (!is_exchange)
    {
      print_atomic (printer, statement, name);
      print_line (printer, "barrier();\n");
    }
  print_line (printer, "%s", "");
  print_declarator (printer->out, variable->type, variable->name);
  g_string_append_printf (printer->out, " = %s", name);
  if (is_exchange)
    {
      g_string_append_c (printer->out, '[');
      print_expression (printer, statement->place);
      g_string_append_c (printer->out, ']');
    }
  g_string_append (printer->out, ";\n");
  print_line (printer, "barrier();\n");
  g_free (name);
}

static void
print_own_atomic (struct printer *printer, const struct statement *statement)
{
  const struct variable *variable = statement->variable;

  print_line (printer, "%s %s = %s(", scalar_infos[variable->type->scalar].name, variable->name, statement->text);
  print_expression (printer, statement->place);
  g_string_append (printer->out, ", ");
  print_values (printer, statement);
}

static void
print_total (struct printer *printer, const struct statement *statement)
{
  char *place = g_strdup_printf ("%s[%u]", statement->variable->name, statement->number);
  print_atomic (printer, statement, place);
  g_free (place);
}

static void
print_print (struct printer *printer, const struct statement *statement)
{
  static const char *const between[] = { " ", ", ", "", "{{", "}}" };
  const struct expression *call = statement->value;
  guint first = strcmp (call->text, "assert") == 0;
  GString *out = printer->out;

  print_line (printer, "%s(", call->text);
  if (first > 0)
    print_expression (printer, call->operands[0]);
  if (statement->text != NULL)
    {
      g_string_append_printf (out, "%s\"%s", first > 0 ? ", " : "", statement->text);
      for (guint i = first; i < call->n_operands; i++)
        g_string_append_printf (out, "%s{}", between[statement->number % G_N_ELEMENTS (between)]);
      g_string_append_c (out, '"');
    }
  for (guint i = first; i < call->n_operands; i++)
    {
      g_string_append (out, ", ");
      print_expression (printer, call->operands[i]);
    }
  g_string_append (out, ");\n");
}

static void
print_simple (struct printer *printer, const struct statement *statement)
{
  GString *out = printer->out;

  print_line (printer, "%s", "");
  switch (statement->kind)
    {
    case STATEMENT_DECLARE:
      if (statement->variable->is_constant)
        g_string_append (out, "const ");
      print_declarator (out, statement->variable->type, statement->variable->name);
      if (statement->value == NULL)
        break;
      g_string_append (out, " = ");
      print_expression (printer, statement->value);
      break;
    case STATEMENT_UNREACHABLE:
      g_string_append (out, "if ((");
      print_expression (printer, statement->value);
      g_string_append (out, " & 3) > 3) unreachable(\"it is not\")");
      break;
    case STATEMENT_ASSIGN:
      print_expression (printer, statement->place);
      g_string_append_printf (out, " %s ", statement->text);
      print_expression (printer, statement->value);
      break;
    case STATEMENT_EXPRESSION:
      print_expression (printer, statement->value);
      break;
    case STATEMENT_RETURN:
      g_string_append (out, "return");
      if (statement->value != NULL)
        {
          g_string_append_c (out, ' ');
          print_expression (printer, statement->value);
        }
      break;
    case STATEMENT_STORE:
      g_string_append_printf (out, "%s.store(", statement->variable->name);
      print_record (printer, statement->variable, statement->variable->cells[statement->number].offset);
      g_string_append (out, ", ");
      print_expression (printer, statement->value);
      g_string_append_c (out, ')');
      break;
    case STATEMENT_IMAGE_WRITE:
      g_string_append_printf (out, "%s.write(", statement->variable->name);
      g_string_append (out, statement->variable->n_dimensions == 2 ? "int2(int(global_index & 15u), int(global_index >> 4)), "
                       : "int3(int(global_index & 7u), int(global_index >> 3 & 7u), int(global_index >> 6)), ");
      print_expression (printer, statement->value);
      g_string_append_c (out, ')');
      break;
    case STATEMENT_MARK:
      g_string_append_printf (out, "trace[global_index * %uu + (n++ & %uu)] = %uu", printer->kernel->trace_size,
                              printer->kernel->trace_size - 1, statement->number);
      break;
    default:
      g_string_append (out, statement->kind == STATEMENT_BREAK ? "break" : "continue");
      break;
    }
  g_string_append (out, ";\n");
}

static void
print_statement (struct printer *printer, const struct statement *statement)
{
  switch (statement->kind)
    {
    case STATEMENT_IF:
      print_if (printer, statement);
      break;
    case STATEMENT_SWITCH:
      print_switch (printer, statement);
      break;
    case STATEMENT_FOR:
    case STATEMENT_WHILE:
    case STATEMENT_DO:
      print_loop (printer, statement);
      break;
    case STATEMENT_BLOCK:
      print_braced (printer, statement->bodies[0]);
      break;
    case STATEMENT_BOUNDED:
      print_bounded (printer, statement);
      break;
    case STATEMENT_EXCHANGE:
    case STATEMENT_COUNT:
      print_together (printer, statement);
      break;
    case STATEMENT_TOTAL:
      print_total (printer, statement);
      break;
    case STATEMENT_ATOMIC:
      print_own_atomic (printer, statement);
      break;
    case STATEMENT_PRINT:
      print_print (printer, statement);
      break;
    default:
      print_simple (printer, statement);
      break;
    }
}

static void
print_block (struct printer *printer, const struct block *block)
{
  for (guint i = 0; i < block->statements->len; i++)
    {
      const struct statement *statement = block->statements->pdata[i];
      if (!statement->removed)
        print_statement (printer, statement);
    }
}

/* The file. */

static void
print_parameter (GString *out, const struct variable *parameter)
{
  static const char *const words[] = {
    [ROLE_INOUT] = "inout ", [ROLE_OUT] = "out ", [ROLE_INPUT_BUFFER] = "const buffer<", [ROLE_OUTPUT_BUFFER] = "buffer<",
    [ROLE_INPUT_IMAGE] = "const image", [ROLE_OUTPUT_IMAGE] = "image",
    [ROLE_TOTALS] = "buffer<",
    [ROLE_INPUT_BYTES] = "const byte_buffer", [ROLE_OUTPUT_BYTES] = "byte_buffer",
  };

  if (parameter->role < ROLE_INPUT_BUFFER)
    {
      g_string_append (out, words[parameter->role] != NULL ? words[parameter->role] : "");
      print_declarator (out, parameter->type, parameter->name);
      return;
    }
  g_string_append_printf (out, "%s%s%s", parameter->is_restrict ? "restrict " : "", parameter->is_volatile ? "volatile " : "",
                          words[parameter->role]);
  if (parameter->role == ROLE_INPUT_BYTES || parameter->role == ROLE_OUTPUT_BYTES)
    {
      g_string_append_printf (out, " %s", parameter->name);
      return;
    }
  if (parameter->role != ROLE_INPUT_IMAGE && parameter->role != ROLE_OUTPUT_IMAGE)
    print_type (out, parameter->type);
  else
    g_string_append_printf (out, "%ud<%s", parameter->n_dimensions, scalar_infos[parameter->type->scalar].name);
  g_string_append_printf (out, "> %s", parameter->name);
}

static void
print_parameters (struct printer *printer, const GPtrArray *parameters, const char *first)
{
  guint n = 0;

  g_string_append_printf (printer->out, "(%s", first);
  n += *first != '\0';
  for (guint i = 0; i < parameters->len; i++)
    {
      const struct variable *parameter = parameters->pdata[i];
      if (parameter->removed)
        continue;
      if (n++ > 0)
        g_string_append (printer->out, ", ");
      print_parameter (printer->out, parameter);
    }
  g_string_append (printer->out, ")\n");
}

static void
print_structure (struct printer *printer, const struct structure *structure)
{
  print_line (printer, "struct %s\n{\n", structure->name);
  for (guint i = 0; i < structure->n_members; i++)
    if (!structure->members[i].removed)
      {
        g_string_append (printer->out, "    ");
        print_declarator (printer->out, structure->members[i].type, structure->members[i].name);
        g_string_append (printer->out, ";\n");
      }
  print_line (printer, "};\n\n");
}

static void
print_function (struct printer *printer, const struct function *function)
{
  if (function->attribute != NULL)
    print_line (printer, "%s\n", function->attribute);
  if (function->returns == NULL)
    g_string_append (printer->out, "void");
  else
    print_type (printer->out, function->returns);
  g_string_append_printf (printer->out, " %s", function->name);
  print_parameters (printer, function->parameters,
                    printer->kernel->kind == KERNEL_FLOW ? "buffer<uint> trace, uint4 c, inout uint n" : "");
  print_braced (printer, function->body);
  g_string_append_c (printer->out, '\n');
}

static void
print_constant (struct printer *printer, const struct variable *constant)
{
  if (constant->removed)
    return;
  g_string_append (printer->out, constant->role == ROLE_OPTION ? "option " : "const ");
  print_declarator (printer->out, constant->type, constant->name);
  g_string_append (printer->out, " = ");
  if (constant->role == ROLE_OPTION)
    print_scalar (printer->out, constant->type->scalar, constant->initializer->bits);
  else
    print_expression (printer, constant->initializer);
  g_string_append (printer->out, ";\n\n");
}

static void
print_types (struct printer *printer)
{
  const struct kernel *kernel = printer->kernel;

  for (guint i = 0; i < kernel->structures->len; i++)
    if (!((struct structure *) kernel->structures->pdata[i])->removed)
      print_structure (printer, kernel->structures->pdata[i]);
  for (guint i = 0; i < kernel->options->len; i++)
    print_constant (printer, kernel->options->pdata[i]);
  for (guint i = 0; i < kernel->constants->len; i++)
    print_constant (printer, kernel->constants->pdata[i]);
}

static void
print_functions (struct printer *printer)
{
  const GPtrArray *functions = printer->kernel->functions;

  for (guint i = 0; i < functions->len; i++)
    if (!((struct function *) functions->pdata[i])->removed)
      print_function (printer, functions->pdata[i]);
}

static void
print_kernel (struct printer *printer)
{
  const struct kernel *kernel = printer->kernel;
  gboolean is_flow = kernel->kind == KERNEL_FLOW;

  g_string_append_printf (printer->out, "kernel(%u, %u, %u)\nvoid main_", kernel->group_size[0], kernel->group_size[1], kernel->group_size[2]);
  print_parameters (printer, kernel->parameters, is_flow ? "buffer<uint> trace, const buffer<uint4> conditions"
                    : kernel->record_size > 0 ? "buffer<float> records" : "");
  print_line (printer, "{\n");
  printer->indent++;
  if (is_flow)
    print_line (printer, "const uint4 c = conditions[global_index];\n    uint n = 0;\n");
  print_block (printer, kernel->body);
  printer->indent--;
  print_line (printer, "}\n");
}

const char *const part_names[N_PARTS] = { [PART_TYPES] = "types.gk", [PART_FUNCTIONS] = "functions.gk", [PART_KERNEL] = "random.gk" };

static const char licence[] = "// SPDX-License-Identifier: LGPL-2.1-or-later\n";

/* Each file imports all that it needs, so that the types come by two ways. */
char *
kernel_print_part (const struct kernel *kernel, gboolean fault, enum part part)
{
  static void (*const functions[N_PARTS]) (struct printer *) = { print_types, print_functions, print_kernel };
  struct printer printer = { .kernel = kernel, .out = g_string_new (licence), .fault = fault };

  for (guint i = 0; i < part; i++)
    g_string_append_printf (printer.out, "import \"%s\";\n", part_names[i]);
  functions[part] (&printer);
  return g_string_free (printer.out, FALSE);
}

char *
kernel_print (const struct kernel *kernel, gboolean fault)
{
  struct printer printer = { .kernel = kernel, .out = g_string_new (licence), .fault = fault };

  g_string_append_printf (printer.out, "// %s kernel of seed %" G_GUINT64_FORMAT "\n\n", kernel->kind == KERNEL_FLOW ? "flow" : "value",
                          kernel->seed);
  print_types (&printer);
  print_functions (&printer);
  print_kernel (&printer);
  return g_string_free (printer.out, FALSE);
}

char *
literal_print (const struct expression *literal)
{
  GString *out = g_string_new (NULL);

  print_scalar (out, literal->type->scalar, literal->bits);
  return g_string_free (out, FALSE);
}
