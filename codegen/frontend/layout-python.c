/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Structures of kernels as types of numpy, the same that Gabbro.Layout.dtype of the overrides gives at run time. numpy and
 * not ctypes, because buffers are arrays of them, and ctypes has neither half nor an alignment above that of its scalars. */

#include "config.h"

#include "codegen/frontend/declare.h"
#include "codegen/frontend/frontend.h"

#include <inttypes.h>

static const char reserved_words[] =
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in "
  "is lambda nonlocal not numpy or pass raise return try while with yield";

/* numpy has no reals of 8 bits and no bfloat: their bits are what there is. */
static const char *const scalar_codes[GK_N_SCALARS] = {
  [GK_BOOL] = "?", [GK_CHAR] = "i1", [GK_UCHAR] = "u1", [GK_SHORT] = "i2", [GK_USHORT] = "u2", [GK_INT] = "i4", [GK_UINT] = "u4",
  [GK_LONG] = "i8", [GK_ULONG] = "u8", [GK_HALF] = "f2", [GK_FLOAT] = "f4", [GK_DOUBLE] = "f8", [GK_BFLOAT] = "u2",
  [GK_FP8E4M3] = "u1", [GK_FP8E5M2] = "u1"
};

/* Where a comment begins behind what is not too long. */
#define COMMENT_COLUMN 40

struct printer
{
  const struct gk_unit *unit;
  struct gk_target_names names;           /* of structures and kernels: one scope */
  bool has_record[GK_N_SCALARS];         /* vectors of three of them have a name */
  GString *out;
};

static bool
is_reserved (const char *name)
{
  return gk_is_among (reserved_words, name);
}

static const char *
find_name (const struct printer   *printer,
           const struct gk_symbol *symbol)
{
  return gk_target_names_find (&printer->names, symbol->name->text);
}

/* Vectors of three have a member more room than they need, so that they are records where something of their kind follows. */
static bool
is_record (const struct gk_type *type,
           bool                  is_member)
{
  return type->kind == GK_TYPE_VALUE && type->lanes == 3 && !is_member;
}

static void
print_type (struct printer       *printer,
            const struct gk_type *type,
            bool                  is_member,
            GString              *out)
{
  if (type->kind == GK_TYPE_STRUCTURE)
    g_string_append (out, find_name (printer, type->structure->symbol));
  else if (type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_MATRIX)
    {
      g_string_append_c (out, '(');
      print_type (printer, type->element, false, out);
      g_string_append_printf (out, ", (%" PRIu64 ",))", type->kind == GK_TYPE_ARRAY ? type->length : type->lanes);
    }
  else if (is_record (type, is_member))
    {
      printer->has_record[type->scalar] = true;
      g_string_append (out, type->text);
    }
  else if (type->lanes > 1)
    g_string_append_printf (out, "('%s', (%u,))", scalar_codes[type->scalar], type->lanes);
  else
    g_string_append_printf (out, "'%s'", scalar_codes[type->scalar]);
}

static void
print_line (GString    *out,
            const char *text,
            const char *comment)
{
  g_string_append_printf (out, "%s%*s# %s\n", text, (int) MAX (2, COMMENT_COLUMN - (gssize) strlen (text)), "", comment);
}

static void
print_structure (struct printer       *printer,
                 const struct gk_type *type)
{
  const struct gk_structure *structure = type->structure;
  GString *out = printer->out;

  g_string_append_printf (out, "\n%s = numpy.dtype({\n    'itemsize': %" PRIu64 ",\n    'names': [",
                          find_name (printer, structure->symbol), type->xir->size);
  for (uint32_t i = 0; i < structure->n_members; i++)
    g_string_append_printf (out, "%s'%s'", i > 0 ? ", " : "", structure->members[i].name->text);
  g_string_append (out, "],\n    'offsets': [");
  for (uint32_t i = 0; i < structure->n_members; i++)
    g_string_append_printf (out, "%s%" PRIu64, i > 0 ? ", " : "", type->xir->offsets[i]);
  g_string_append (out, "],\n    'formats': [\n");
  for (uint32_t i = 0; i < structure->n_members; i++)
    {
      const struct gk_member *member = &structure->members[i];
      g_autoptr (GString) line = g_string_new ("        ");
      g_autofree char *comment = g_strdup_printf ("%s %s", member->type->text, member->name->text);

      print_type (printer, member->type, true, line);
      g_string_append_c (line, ',');
      print_line (out, line->str, comment);
    }
  g_string_append (out, "    ]})\n");
}

static void
print_kernel (struct printer           *printer,
              const struct gk_function *kernel)
{
  GString *out = printer->out;

  g_string_append_printf (out, "\n# Arguments of kernel %s; of buffers, their elements.\n%s = {\n", kernel->symbol->name->text,
                          find_name (printer, kernel->symbol));
  for (uint32_t i = 0; i < kernel->n_parameters; i++)
    {
      const struct gk_symbol *parameter = kernel->parameters[i];
      const struct gk_type *type = gk_declare_argument (printer->unit, parameter->type);
      g_autoptr (GString) line = g_string_new (NULL);
      g_autoptr (GString) source = g_string_new (NULL);
      bool has_name = type != NULL && (type->kind == GK_TYPE_STRUCTURE || is_record (type, false));

      if (type == NULL)
        continue;
      g_string_append_printf (line, "    '%s': %s", parameter->name->text, has_name ? "" : "numpy.dtype(");
      print_type (printer, type, false, line);
      g_string_append (line, has_name ? "," : "),");
      gk_declare_parameter (parameter, source);
      print_line (out, line->str, source->str);
    }
  g_string_append (out, "}\n");
}

static void
print_records (const struct printer *printer,
               GString              *out)
{
  for (guint scalar = 0; scalar < GK_N_SCALARS; scalar++)
    {
      const struct gk_type *type = &printer->unit->values[scalar][2];
      uint64_t stride = printer->unit->values[scalar][0].xir->size;
      const char *code = scalar_codes[scalar];

      if (printer->has_record[scalar])
        g_string_append_printf (out, "\n%s = numpy.dtype({'itemsize': %" PRIu64 ", 'names': ['x', 'y', 'z'], 'offsets': [0, %" PRIu64
                                ", %" PRIu64 "], 'formats': ['%s', '%s', '%s']})\n", type->text, type->xir->size, stride,
                                2 * stride, code, code, code);
    }
}

void
gk_unit_print_layout_python (const struct gk_unit *unit,
                             GString              *out)
{
  g_autoptr (GString) body = g_string_new (NULL);
  struct printer printer = { .unit = unit, .out = body };
  g_autoptr (GPtrArray) structures = gk_declare_structures (unit);
  g_autofree char *source = gk_declare_source (unit);

  gk_target_names_init (&printer.names, is_reserved);
  for (guint i = 0; i < structures->len; i++)
    gk_target_names_add (&printer.names, ((const struct gk_type *) structures->pdata[i])->structure->symbol->name->text);
  for (guint i = 0; i < unit->functions->len; i++)
    gk_target_names_add (&printer.names, ((const struct gk_function *) unit->functions->pdata[i])->symbol->name->text);
  gk_target_names_settle (&printer.names);
  for (guint i = 0; i < structures->len; i++)
    print_structure (&printer, structures->pdata[i]);
  for (guint i = 0; i < unit->functions->len; i++)
    {
      const struct gk_function *function = unit->functions->pdata[i];

      if (function->is_kernel)
        print_kernel (&printer, function);
    }
  g_string_append_printf (out, "# Memory that the kernels of %s share with a program in Python.\n\nimport numpy\n", source);
  print_records (&printer, out);
  g_string_append (out, body->str);
  gk_target_names_clear (&printer.names);
}
