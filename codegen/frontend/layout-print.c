/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where everything lies, as text: structures as the host has them, then the arguments of each kernel and how a device
 * sees them. Names are those of the source; sizes and reasons are the plans' own. */

#include "config.h"

#include "codegen/frontend/declare.h"
#include "codegen/frontend/frontend.h"
#include "codegen/frontend/unit.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "codegen/spirv/plan-layout.h"
#include "codegen/spirv/spirv.h"

struct printer
{
  const struct gk_unit *unit;
  GHashTable *structures;        /* that have been printed */
  GString *out;
};

/* Bytes from one element to the next, of an array of arrays the outer ones first; NULL where there are none. */
static char *
array_stride (const struct xir_type *type)
{
  GString *text = NULL;

  for (; type->kind == XIR_TYPE_ARRAY; type = type->element)
    {
      if (text == NULL)
        text = g_string_new (NULL);
      g_string_append_printf (text, "%s%" PRIu64, text->len > 0 ? "/" : "", type->element->size);
    }
  return text != NULL ? g_string_free (text, FALSE) : NULL;
}

/* From column to column. */
static char *
matrix_stride (const struct xir_type *type)
{
  while (type->kind == XIR_TYPE_ARRAY)
    type = type->element;
  return type->kind == XIR_TYPE_MATRIX ? g_strdup_printf ("%" PRIu64, type->element->size) : NULL;
}

static void
print_shape (const struct xir_type *type,
             GString               *out)
{
  g_autofree char *array = array_stride (type), *matrix = matrix_stride (type);

  g_string_append_printf (out, "size %" PRIu64 ", alignment %u", type->size, type->alignment);
  if (array != NULL)
    g_string_append_printf (out, ", array stride %s", array);
  if (matrix != NULL)
    g_string_append_printf (out, ", matrix stride %s", matrix);
}

static void
print_member (const struct gk_member *member,
              uint64_t                offset,
              GString                *out)
{
  const struct xir_type *type = member->type->xir;
  g_autofree char *array = array_stride (type), *matrix = matrix_stride (type);
  enum spirv_layout_status status = spirv_plan_layout_member (type, offset);

  g_string_append_printf (out, "  %8" PRIu64 "  %8" PRIu64 "  %5u  %12s  %13s  %s %s", offset, type->size, type->alignment,
                          array != NULL ? array : "-", matrix != NULL ? matrix : "-", member->type->text, member->name->text);
  if (status == SPIRV_LAYOUT_MISALIGNED_MEMBER && spirv_plan_layout_member (type, 0) == SPIRV_LAYOUT_COMPATIBLE)
    {
      g_string_append (out, "  (");
      g_string_append_printf (out, _("storage wants it at a multiple of %u"), spirv_layout_alignment (type));
      g_string_append_c (out, ')');
    }
  else if (status != SPIRV_LAYOUT_COMPATIBLE)
    g_string_append_printf (out, "  (%s)", spirv_layout_status_text (status));
  g_string_append_c (out, '\n');
}

/* The structures that a type is made of, those that another has first. Types are not deep. */
static void
print_structures (struct printer       *printer,
                  const struct gk_type *type)
{
  while (type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_BUFFER)
    type = type->element;
  if (type->kind != GK_TYPE_STRUCTURE || !g_hash_table_add (printer->structures, type->structure))
    return;
  for (uint32_t i = 0; i < type->structure->n_members; i++)
    print_structures (printer, type->structure->members[i].type);
  g_string_append_printf (printer->out, "struct %s: ", type->text);
  print_shape (type->xir, printer->out);
  g_string_append (printer->out, "\n    offset      size  align  array stride  matrix stride  member\n");
  for (uint32_t i = 0; i < type->structure->n_members; i++)
    print_member (&type->structure->members[i], type->xir->offsets[i], printer->out);
  g_string_append_c (printer->out, '\n');
}

static void
print_buffer (const struct gk_symbol *parameter,
              GString                *out)
{
  const struct gk_type *type = parameter->type;
  const struct xir_type *element = type->kind == GK_TYPE_BUFFER ? type->element->xir : NULL;

  if (element == NULL)
    {
      g_string_append_printf (out, "    stored as words: %s\n", _("its bytes have no type"));
      return;
    }
  g_string_append (out, "    element: ");
  print_shape (element, out);
  g_string_append_printf (out, ", buffer stride %" PRIu64 "\n", element->size);
  if (spirv_needs_words (element, true))
    g_string_append_printf (out, "    stored as words: %s\n", spirv_layout_status_text (spirv_plan_layout (element)));
  else if (parameter->is_volatile && element->kind != XIR_TYPE_INT32 && element->kind != XIR_TYPE_UINT32)
    g_string_append_printf (out, "    stored as it is, or as words: %s\n",
                            _("what is read of a volatile buffer, but for int and uint, is read as words"));
  else
    g_string_append (out, "    stored as it is\n");
}

/* Why an argument by value is words. */
static const char *
value_reason (const struct xir_type *type)
{
  enum spirv_layout_status status = spirv_plan_layout_member (type, 0);

  return status != SPIRV_LAYOUT_COMPATIBLE ? spirv_layout_status_text (status)
                                           : _("it has numbers of fewer than 32 bits, which arguments by value cannot have");
}

static void
print_value (struct printer         *printer,
             const struct gk_symbol *parameter,
             uint64_t               *cursor)
{
  const struct xir_type *type = parameter->type->xir;
  GString *out = printer->out;
  uint32_t offset;

  g_string_append (out, "    by value: ");
  print_shape (type, out);
  g_string_append_c (out, '\n');
  if (!spirv_place_value (printer->unit->context, type, cursor, &offset))
    {
      g_string_append_printf (out, "    no place: the arguments up to it take %" PRIu64 " bytes, the limit is %u\n", *cursor,
                              SPIRV_MAX_ARGUMENT_SIZE);
      return;
    }
  g_string_append_printf (out, "    place: %u bytes at byte %u of the arguments, byte %zu of the push constants\n",
                          (unsigned) (*cursor - offset), offset, offset + sizeof (struct spirv_dispatch_constants));
  if (spirv_needs_words (type, false))
    g_string_append_printf (out, "    stored as words: %s\n", value_reason (type));
  else if (xir_type_is_bool (type))
    g_string_append (out, "    stored as uint, lane by lane, 0 or 1\n");
  else
    g_string_append (out, "    stored as it is\n");
}

static void
print_kernel (struct printer           *printer,
              const struct gk_function *kernel)
{
  GString *out = printer->out;
  uint64_t cursor = 0;

  for (uint32_t i = 0; i < kernel->n_parameters; i++)
    print_structures (printer, kernel->parameters[i]->type);
  g_string_append_printf (out, "kernel %s: workgroup %u, %u, %u\n", kernel->symbol->name->text, kernel->group_size[0],
                          kernel->group_size[1], kernel->group_size[2]);
  for (uint32_t i = 0; i < kernel->n_parameters; i++)
    {
      const struct gk_symbol *parameter = kernel->parameters[i];

      g_string_append_printf (out, "  %u: ", i);
      gk_declare_parameter (parameter, out);
      g_string_append_c (out, '\n');
      if (!gk_type_is_resource (parameter->type))
        print_value (printer, parameter, &cursor);
      else if (parameter->type->kind == GK_TYPE_IMAGE)
        g_string_append (out, "    stored as the image's format says\n");
      else
        print_buffer (parameter, out);
    }
  if (cursor > 0 && cursor <= SPIRV_MAX_ARGUMENT_SIZE)
    g_string_append_printf (out, "  arguments by value: %" PRIu64 " bytes of push constants, or of an argument block on devices with too few "
                            "of those\n", cursor);
  g_string_append_c (out, '\n');
}

void
gk_unit_print_layout (const struct gk_unit *unit,
                      GString              *out)
{
  struct printer printer = { unit, g_hash_table_new (NULL, NULL), out };

  for (guint i = 0; i < unit->functions->len; i++)
    {
      const struct gk_function *function = unit->functions->pdata[i];

      if (function->is_kernel)
        print_kernel (&printer, function);
    }
  g_hash_table_unref (printer.structures);
}
