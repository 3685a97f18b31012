/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "codegen/xir/xir-private.h"

/* Numbers of values and blocks in one function, in the order of its text. The
 * printer also shows modules that the verifier refuses: nothing here may rely on
 * a pointer being set or belonging to this function. */
struct printer
{
  GString *out;
  const struct xir_function *function;
  GHashTable *numbers;           /* value or block -> number + 1 */
};

static void
number (struct printer *printer,
        gconstpointer object,
        guint *next)
{
  g_hash_table_insert (printer->numbers, (gpointer) object, GUINT_TO_POINTER (++*next));
}

static void
printer_init (struct printer *printer,
              const struct xir_function *function,
              GString *out)
{
  guint n_values = 0, n_blocks = 0;

  printer->out = out;
  printer->function = function;
  printer->numbers = g_hash_table_new (NULL, NULL);
  if (function == NULL)
    return;
  for (uint32_t i = 0; i < function->n_arguments; i++)
    number (printer, &function->arguments[i]->value, &n_values);
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    {
      number (printer, block, &n_blocks);
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        if (instruction->value.type != NULL)
          number (printer, &instruction->value, &n_values);
    }
}

static void
printer_clear (struct printer *printer)
{
  g_hash_table_destroy (printer->numbers);
}

static const char *
type_text (const struct xir_type *type)
{
  return type != NULL ? type->text : "void";
}

static void
print_quoted (GString *out,
              const char *text)
{
  char *escaped = g_strescape (text, NULL);

  g_string_append_printf (out, "\"%s\"", escaped);
  g_free (escaped);
}

/* The shortest decimal that reads back as the same bits. NaNs show their payload. */
static void
print_float (GString *out,
             float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  if (isnan (value))
    {
      g_string_append_printf (out, "nan(0x%08x)", bits);
      return;
    }
  if (isinf (value))
    {
      g_string_append (out, value < 0 ? "-inf" : "inf");
      return;
    }
  for (int digits = 1; digits <= 9; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, (double) value);
      if ((float) g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (out, text);
  if (strpbrk (text, ".e") == NULL)
    g_string_append (out, ".0");
  g_string_append_c (out, 'f');
}

static uint64_t
read_bits (const struct xir_type *type,
           const uint8_t *data)
{
  uint8_t byte;
  uint16_t half;
  uint32_t word;
  uint64_t bits;

  switch (type->size)
    {
    case 1:
      memcpy (&byte, data, 1);
      return byte;
    case 2:
      memcpy (&half, data, 2);
      return half;
    case 4:
      memcpy (&word, data, 4);
      return word;
    default:
      memcpy (&bits, data, 8);
      return bits;
    }
}

static void
print_scalar (GString *out,
              const struct xir_type *type,
              const uint8_t *data)
{
  uint64_t bits = read_bits (type, data);
  float value;

  switch (type->kind)
    {
    case XIR_TYPE_BOOL:
      g_string_append (out, bits != 0 ? "true" : "false");
      return;
    case XIR_TYPE_INT32:
      g_string_append_printf (out, "%d", (int32_t) bits);
      return;
    case XIR_TYPE_UINT32:
      g_string_append_printf (out, "%uu", (uint32_t) bits);
      return;
    case XIR_TYPE_FLOAT32:
      memcpy (&value, data, sizeof value);
      print_float (out, value);
      return;
    case XIR_TYPE_INT8:
      g_string_append_printf (out, "byte(%d)", (int8_t) bits);
      return;
    case XIR_TYPE_INT16:
      g_string_append_printf (out, "short(%d)", (int16_t) bits);
      return;
    case XIR_TYPE_INT64:
      g_string_append_printf (out, "long(%" PRId64 ")", (int64_t) bits);
      return;
    case XIR_TYPE_UINT8:
    case XIR_TYPE_UINT16:
    case XIR_TYPE_UINT64:
      g_string_append_printf (out, "%s(%" PRIu64 ")", type->text, bits);
      return;
    default:
      g_string_append_printf (out, "%s(0x%0*" G_GINT64_MODIFIER "x)", type->text, (int) type->size * 2, bits);
      return;
    }
}

static bool
is_zero (const struct xir_type *type,
         const uint8_t *data)
{
  for (uint64_t i = 0; i < type->size; i++)
    if (data[i] != 0)
      return false;
  return true;
}

/* Types nest at most XIR_TYPE_MAX_DEPTH deep. */
static void
print_constant (GString *out,
                const struct xir_type *type,
                const uint8_t *data)
{
  if (xir_type_is_scalar (type))
    {
      print_scalar (out, type, data);
      return;
    }
  g_string_append_printf (out, "%s(", type->text);
  if ((type->kind == XIR_TYPE_ARRAY || type->kind == XIR_TYPE_STRUCTURE) && is_zero (type, data))
    {
      g_string_append (out, "zero)");
      return;
    }
  for (uint64_t i = 0; i < type->count; i++)
    {
      const struct xir_type *child = xir_type_child (type, i);
      uint64_t offset = type->kind == XIR_TYPE_STRUCTURE ? type->offsets[i] : i * child->size;

      if (i > 0)
        g_string_append (out, ", ");
      print_constant (out, child, data + offset);
    }
  g_string_append_c (out, ')');
}

static void
print_operand (struct printer *printer,
               const struct xir_value *value)
{
  const struct xir_argument *argument = xir_value_argument (value);
  guint numbered;

  if (value == NULL)
    {
      g_string_append (printer->out, "null");
      return;
    }
  numbered = GPOINTER_TO_UINT (g_hash_table_lookup (printer->numbers, value));
  if (numbered != 0)
    {
      g_string_append_printf (printer->out, "%%%u", numbered - 1);
      return;
    }
  switch (value->kind)
    {
    case XIR_VALUE_CONSTANT:
      print_constant (printer->out, value->type, xir_value_constant (value)->data);
      break;
    case XIR_VALUE_UNDEFINED:
      g_string_append_printf (printer->out, "undefined %s", type_text (value->type));
      break;
    case XIR_VALUE_SPECIAL:
      g_string_append (printer->out, xir_special_name (xir_value_special (value)->special));
      break;
    case XIR_VALUE_ARGUMENT:
      if (argument->function == NULL)
        g_string_append_printf (printer->out, "%%argument.%u", argument->index);
      else
        g_string_append_printf (printer->out, "%%%s.%u", argument->function->name, argument->index);
      break;
    case XIR_VALUE_INSTRUCTION:
    default:
      g_string_append_printf (printer->out, "%%foreign.%u", value->id);
      break;
    }
}

static void
print_block_name (struct printer *printer,
                  const struct xir_block *block)
{
  guint numbered = GPOINTER_TO_UINT (g_hash_table_lookup (printer->numbers, block));

  if (block == NULL)
    g_string_append (printer->out, "null");
  else if (numbered != 0)
    g_string_append_printf (printer->out, "b%u", numbered - 1);
  else
    g_string_append_printf (printer->out, "b.foreign.%u", block->id);
}

static void
print_role (struct printer *printer,
            const struct xir_instruction *instruction,
            uint32_t index,
            const char *before)
{
  g_string_append (printer->out, before);
  print_block_name (printer, index < instruction->n_blocks ? instruction->blocks[index] : NULL);
}

static void
print_operands (struct printer *printer,
                const struct xir_instruction *instruction,
                const char *before)
{
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      g_string_append (printer->out, i == 0 ? before : ", ");
      print_operand (printer, instruction->operands[i].value);
    }
}

static void
print_case_value (struct printer *printer,
                  const struct xir_instruction *instruction,
                  uint64_t value)
{
  const struct xir_value *selector = instruction->n_operands > 0 ? instruction->operands[0].value : NULL;

  if (selector != NULL && xir_type_is_signed (selector->type))
    {
      uint32_t unused = 64 - MIN (64, MAX (1, xir_type_bits (xir_type_scalar_of (selector->type))));

      g_string_append_printf (printer->out, "%" PRId64, (int64_t) (value << unused) >> unused);
    }
  else
    g_string_append_printf (printer->out, "%" PRIu64, value);
}

static void
print_switch (struct printer *printer,
              const struct xir_instruction *instruction)
{
  uint32_t n_cases = instruction->n_blocks > 2 ? instruction->n_blocks - 2 : 0;
  bool has_default = instruction->n_blocks > 1 && instruction->blocks[1] != instruction->blocks[0];
  const char *separator = " ";

  print_operands (printer, instruction, " ");
  print_role (printer, instruction, 0, " merge ");
  g_string_append (printer->out, " {");
  for (uint32_t i = 0; i <= n_cases; i++)
    {
      if (has_default && i == MIN (n_cases, instruction->u.switch_.default_position))
        {
          g_string_append_printf (printer->out, "%sdefault", separator);
          print_role (printer, instruction, 1, ": ");
          separator = ", ";
        }
      if (i == n_cases)
        break;
      g_string_append (printer->out, separator);
      print_case_value (printer, instruction, instruction->u.switch_.values[i]);
      print_role (printer, instruction, i + 2, ": ");
      separator = ", ";
    }
  g_string_append (printer->out, " }");
}

static void
print_loop (struct printer *printer,
            const struct xir_instruction *instruction)
{
  print_role (printer, instruction, 0, " prepare ");
  print_role (printer, instruction, 1, " body ");
  print_role (printer, instruction, 2, " update ");
  print_role (printer, instruction, 3, " merge ");
  if (instruction->u.loop.hint == XIR_LOOP_UNROLL)
    g_string_append (printer->out, " unroll");
  if (instruction->u.loop.unroll_count != 0)
    g_string_append_printf (printer->out, " %u", instruction->u.loop.unroll_count);
}

static void
print_phi (struct printer *printer,
           const struct xir_instruction *instruction)
{
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      g_string_append (printer->out, i == 0 ? " [" : ", [");
      print_operand (printer, instruction->operands[i].value);
      print_role (printer, instruction, i, " from ");
      g_string_append_c (printer->out, ']');
    }
}

static void
print_shuffle (struct printer *printer,
               const struct xir_instruction *instruction)
{
  uint32_t n = MIN (xir_type_lanes (instruction->value.type), 4);

  print_operands (printer, instruction, " ");
  for (uint32_t i = 0; i < n; i++)
    g_string_append_printf (printer->out, "%s%u", i == 0 ? " [" : ", ", instruction->u.lanes[i]);
  g_string_append_c (printer->out, ']');
}

static void
print_arguments_of_op (struct printer *printer,
                       const struct xir_instruction *instruction)
{
  GString *out = printer->out;

  switch (instruction->op)
    {
    case XIR_OP_IF:
      print_operands (printer, instruction, " ");
      print_role (printer, instruction, 0, " then ");
      print_role (printer, instruction, 1, " else ");
      print_role (printer, instruction, 2, " merge ");
      break;
    case XIR_OP_SWITCH:
      print_switch (printer, instruction);
      break;
    case XIR_OP_LOOP:
      print_loop (printer, instruction);
      break;
    case XIR_OP_CONDITIONAL_BRANCH:
      print_operands (printer, instruction, " ");
      print_role (printer, instruction, 0, " then ");
      print_role (printer, instruction, 1, " else ");
      break;
    case XIR_OP_BRANCH:
    case XIR_OP_BREAK:
    case XIR_OP_CONTINUE:
      print_role (printer, instruction, 0, " ");
      break;
    case XIR_OP_PHI:
      print_phi (printer, instruction);
      break;
    case XIR_OP_SHUFFLE:
      print_shuffle (printer, instruction);
      break;
    case XIR_OP_CALL:
      g_string_append_printf (out, " %s (", instruction->u.callee != NULL ? instruction->u.callee->name : "null");
      print_operands (printer, instruction, "");
      g_string_append_c (out, ')');
      break;
    case XIR_OP_ALLOCA:
      g_string_append (out, instruction->u.alloca_.storage == XIR_STORAGE_SHARED ? " shared" : " local");
      if (instruction->u.alloca_.name != NULL)
        {
          g_string_append_c (out, ' ');
          print_quoted (out, instruction->u.alloca_.name);
        }
      break;
    case XIR_OP_PRINT:
    case XIR_OP_ASSERT:
      print_operands (printer, instruction, " ");
      g_string_append_c (out, ' ');
      print_quoted (out, instruction->u.print.format != NULL ? instruction->u.print.format : "");
      if (instruction->u.print.condition != NULL)
        {
          g_string_append (out, " condition ");
          print_quoted (out, instruction->u.print.condition);
        }
      break;
    case XIR_OP_UNREACHABLE:
      if (instruction->u.message != NULL)
        {
          g_string_append_c (out, ' ');
          print_quoted (out, instruction->u.message);
        }
      break;
    default:
      print_operands (printer, instruction, " ");
      break;
    }
}

static void
print_instruction (struct printer *printer,
                   const struct xir_instruction *instruction)
{
  if (instruction->value.type != NULL)
    {
      print_operand (printer, &instruction->value);
      g_string_append (printer->out, " = ");
    }
  g_string_append (printer->out, xir_op_info (instruction->op)->mnemonic);
  if (xir_op_is_buffer_access (instruction->op) && instruction->u.is_volatile)
    g_string_append (printer->out, " volatile");
  print_arguments_of_op (printer, instruction);
  if (instruction->value.type != NULL)
    g_string_append_printf (printer->out, " : %s%s", instruction->value.is_lvalue ? "&" : "",
                            instruction->value.type->text);
}

static void
print_head (struct printer *printer)
{
  static const char *const prefixes[] = { "", "&", "" };
  const struct xir_function *function = printer->function;
  GString *out = printer->out;

  g_string_append_printf (out, "%s %s (", function->kind == XIR_FUNCTION_KERNEL ? "kernel" : "function",
                          function->name);
  for (uint32_t i = 0; i < function->n_arguments; i++)
    {
      const struct xir_argument *argument = function->arguments[i];

      g_string_append_printf (out, "%s%%%u", i == 0 ? "" : ", ", i);
      if (argument->name != NULL)
        g_string_append_printf (out, " %s", argument->name);
      g_string_append_printf (out, ": %s%s%s%s", argument->is_const ? "const " : "", argument->is_restrict ? "restrict " : "",
                              (unsigned) argument->argument_kind < 3 ? prefixes[argument->argument_kind] : "?",
                              type_text (argument->value.type));
    }
  g_string_append_printf (out, ") : %s", type_text (function->return_type));
  if (function->kind == XIR_FUNCTION_KERNEL)
    g_string_append_printf (out, " group_size %u %u %u", function->group_size[0], function->group_size[1],
                            function->group_size[2]);
  if (function->fast_math)
    g_string_append (out, " fast_math");
  if (function->unchecked)
    g_string_append (out, " unchecked");
  if (function->no_inline)
    g_string_append (out, " no_inline");
  if (function->is_helper)
    g_string_append (out, " helper");
  g_string_append (out, "\n{\n");
}

static void
print_note (GHashTable *notes,
            gconstpointer object,
            GString *out)
{
  const GString *note = notes != NULL ? g_hash_table_lookup (notes, object) : NULL;

  if (note != NULL)
    g_string_append_len (out, note->str, (gssize) note->len);
}

void
xir_print_function_with_notes (const struct xir_function *function,
                               GHashTable *notes,
                               GString *out)
{
  struct printer printer;

  printer_init (&printer, function, out);
  print_head (&printer);
  print_note (notes, function, out);
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    {
      print_block_name (&printer, block);
      g_string_append (out, ":\n");
      print_note (notes, block, out);
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        {
          g_string_append (out, "  ");
          print_instruction (&printer, instruction);
          g_string_append_c (out, '\n');
          print_note (notes, instruction, out);
        }
    }
  g_string_append (out, "}\n");
  printer_clear (&printer);
}

void
xir_print_function (const struct xir_function *function,
                    GString *out)
{
  xir_print_function_with_notes (function, NULL, out);
}

void
xir_print_module (const struct xir_module *module,
                  GString *out)
{
  if (module->source_name != NULL)
    {
      g_string_append (out, "module ");
      print_quoted (out, module->source_name);
      g_string_append_c (out, '\n');
    }
  gb_list_for_each (function, &module->functions, struct xir_function, link)
    {
      if (out->len > 0)
        g_string_append_c (out, '\n');
      xir_print_function (function, out);
    }
}

void
xir_print_value (const struct xir_value *value,
                 GString *out)
{
  const struct xir_instruction *instruction = xir_value_instruction (value);
  const struct xir_argument *argument = xir_value_argument (value);
  const struct xir_function *function = NULL;
  struct printer printer;

  if (instruction != NULL && instruction->block != NULL)
    function = instruction->block->function;
  else if (argument != NULL)
    function = argument->function;

  printer_init (&printer, function, out);
  if (instruction != NULL)
    print_instruction (&printer, instruction);
  else
    print_operand (&printer, value);
  printer_clear (&printer);
}
