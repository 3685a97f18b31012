/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Structures of kernels as types of GVariant, two of each: that of the values that gabbro_layout_pack() takes, which every
 * structure has, and that whose serialised form is the very memory, which those have that GVariant knows all numbers of. */

#include "config.h"

#include "codegen/frontend/declare.h"
#include "codegen/frontend/frontend.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "lib/checked.h"

/* As long as a signature may be on D-Bus; an array is as many children there. */
#define MAX_SERIALISED 255

static const struct
{
  char value;                    /* what gabbro_layout_unpack() gives */
  char serialised;               /* with its size, alignment and bits; 0: there is none */
} scalar_codes[GK_N_SCALARS] = {
  [GK_BOOL] = { 'b', 'b' }, [GK_CHAR] = { 'n', 0 }, [GK_UCHAR] = { 'y', 'y' }, [GK_SHORT] = { 'n', 'n' },
  [GK_USHORT] = { 'q', 'q' }, [GK_INT] = { 'i', 'i' }, [GK_UINT] = { 'u', 'u' }, [GK_LONG] = { 'x', 'x' },
  [GK_ULONG] = { 't', 't' }, [GK_HALF] = { 'd', 0 }, [GK_FLOAT] = { 'd', 0 }, [GK_DOUBLE] = { 'd', 'd' },
  [GK_BFLOAT] = { 'd', 0 }, [GK_FP8E4M3] = { 'd', 0 }, [GK_FP8E5M2] = { 'd', 0 }
};

static void
append_value (const struct gk_type *type,
              GString              *text)
{
  switch (type->kind)
    {
    case GK_TYPE_ARRAY:
    case GK_TYPE_MATRIX:
      g_string_append_c (text, 'a');
      append_value (type->element, text);
      break;
    case GK_TYPE_STRUCTURE:
      g_string_append_c (text, '(');
      for (uint32_t i = 0; i < type->structure->n_members; i++)
        append_value (type->structure->members[i].type, text);
      g_string_append_c (text, ')');
      break;
    default:
      if (type->lanes > 1)
        g_string_append_c (text, '(');
      for (uint32_t i = 0; i < type->lanes; i++)
        g_string_append_c (text, scalar_codes[type->scalar].value);
      if (type->lanes > 1)
        g_string_append_c (text, ')');
    }
}

/* The type of a serialised form while it grows. */
struct form
{
  GString *text;
  uint64_t end;                  /* bytes so far */
  uint32_t alignment;            /* as GVariant has it: 8 at the most */
  uint32_t n_children;
};

/* Children that only fill, until what is aligned to `alignment` comes to lie at `offset`: numbers as wide as can stand there
 * and as are `widest` at the most, so that the whole needs no more alignment than its type has. */
static void
fill (struct form *form,
      uint64_t     offset,
      uint32_t     alignment,
      uint32_t     widest)
{
  static const struct { uint32_t size; char code; } units[] = { { 8, 't' }, { 4, 'u' }, { 2, 'q' }, { 1, 'y' } };

  while (GB_ALIGN_UP (form->end, alignment) != offset)
    for (guint i = 0; i < G_N_ELEMENTS (units); i++)
      if (units[i].size <= widest && form->end % units[i].size == 0 && form->end + units[i].size <= offset)
        {
          g_string_append_c (form->text, units[i].code);
          form->end += units[i].size;
          form->alignment = MAX (form->alignment, units[i].size);
          form->n_children++;
          break;
        }
  form->end = offset;
}

static const char *serialise (const struct gk_type *type, GString *text, uint32_t *alignment, uint32_t *children);

static const char *
serialise_structure (const struct gk_type *type,
                     GString              *text,
                     uint32_t             *alignment,
                     uint32_t             *children)
{
  struct form form = { text, 0, 1, 0 };

  g_string_append_c (text, '(');
  for (uint32_t i = 0; i < type->structure->n_members; i++)
    {
      const struct gk_type *member = type->structure->members[i].type;
      g_autoptr (GString) part = g_string_new (NULL);
      uint32_t needed = 1;
      const char *reason = serialise (member, part, &needed, NULL);

      if (reason != NULL)
        return reason;
      fill (&form, type->xir->offsets[i], needed, type->xir->alignment);
      if (children != NULL)
        children[i] = form.n_children;
      form.n_children++;
      form.alignment = MAX (form.alignment, needed);
      form.end += member->xir->size;
      g_string_append (text, part->str);
      if (text->len > MAX_SERIALISED)
        return "";
    }
  if (GB_ALIGN_UP (form.end, form.alignment) != type->xir->size)
    fill (&form, type->xir->size, 1, type->xir->alignment);
  g_string_append_c (text, ')');
  *alignment = form.alignment;
  return text->len > MAX_SERIALISED ? "" : NULL;
}

static const char *
serialise_array (const struct gk_type *type,
                 GString              *text,
                 uint32_t             *alignment)
{
  g_autoptr (GString) element = g_string_new (NULL);
  const char *reason = serialise (type->element, element, alignment, NULL);
  uint64_t length = type->kind == GK_TYPE_ARRAY ? type->length : type->lanes;

  if (reason != NULL)
    return reason;
  if (length > MAX_SERIALISED / element->len)
    return "";
  g_string_append_c (text, '(');
  for (uint64_t i = 0; i < length; i++)
    g_string_append (text, element->str);
  g_string_append_c (text, ')');
  return text->len > MAX_SERIALISED ? "" : NULL;
}

/* NULL where there is such a type. What it lacks otherwise is the name of a scalar, or "": it is too long. `children` has, of a
 * structure, the number of the child that is the member. */
static const char *
serialise (const struct gk_type *type,
           GString              *text,
           uint32_t             *alignment,
           uint32_t             *children)
{
  char code;

  if (type->kind == GK_TYPE_STRUCTURE)
    return serialise_structure (type, text, alignment, children);
  if (type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_MATRIX)
    return serialise_array (type, text, alignment);
  code = scalar_codes[type->scalar].serialised;
  if (code == 0)
    return gk_token_text (GK_TOKEN_BOOL + type->scalar * 4);
  *alignment = (uint32_t) type->xir->size / (type->lanes == 3 ? 4 : type->lanes);
  if (type->lanes > 1)
    g_string_append_c (text, '(');
  for (uint32_t i = 0; i < type->lanes; i++)
    g_string_append_c (text, code);
  /* The room of the fourth may hold anything, a boolean not. */
  if (type->lanes == 3)
    g_string_append_c (text, code == 'b' ? 'y' : code);
  if (type->lanes > 1)
    g_string_append_c (text, ')');
  return NULL;
}

static void
append_reason (const char *lacking,
               GString    *out)
{
  if (lacking[0] == '\0')
    g_string_append_printf (out, _("its type would be longer than %u characters"), MAX_SERIALISED);
  else
    g_string_append_printf (out, _("GVariant has no %s"), lacking);
}

static void
print_member (const struct gk_member *member,
              uint64_t                offset,
              const uint32_t         *child,
              GString                *out)
{
  g_autoptr (GString) value = g_string_new (NULL);
  g_autoptr (GString) bytes = g_string_new (NULL);
  g_autofree char *number = child != NULL ? g_strdup_printf ("%u", *child) : g_strdup ("-");
  uint32_t alignment;
  const char *lacking = serialise (member->type, bytes, &alignment, NULL);

  append_value (member->type, value);
  g_string_append_printf (out, "  %8" PRIu64 "  %5s  %-12s  %-12s  %s %s", offset, number, lacking == NULL ? bytes->str : "-",
                          value->str, member->type->text, member->name->text);
  if (lacking != NULL)
    {
      g_string_append (out, "  (");
      append_reason (lacking, out);
      g_string_append_c (out, ')');
    }
  g_string_append_c (out, '\n');
}

/* Both types of a structure or argument. */
static void
print_types (const struct gk_type *stored,
             const struct gk_type *packed,
             const char           *indent,
             GString              *out)
{
  g_autoptr (GString) value = g_string_new (NULL);
  g_autoptr (GString) bytes = g_string_new (NULL);
  uint32_t alignment;
  const char *lacking = serialise (stored, bytes, &alignment, NULL);

  append_value (packed, value);
  g_string_append_printf (out, "%svalue: %s\n%sbytes: ", indent, value->str, indent);
  if (lacking == NULL)
    g_string_append (out, bytes->str);
  else
    {
      g_string_append (out, "- (");
      append_reason (lacking, out);
      g_string_append_c (out, ')');
    }
  g_string_append_c (out, '\n');
}

static void
print_structure (const struct gk_type *type,
                 GString              *out)
{
  const struct gk_structure *structure = type->structure;
  g_autofree uint32_t *children = g_new0 (uint32_t, structure->n_members);
  g_autoptr (GString) bytes = g_string_new (NULL);
  uint32_t alignment;
  bool is_whole = serialise (type, bytes, &alignment, children) == NULL;

  g_string_append_printf (out, "struct %s: size %" PRIu64 ", alignment %u\n", type->text, type->xir->size, type->xir->alignment);
  g_string_append (out, "    offset  child  bytes         value         member\n");
  for (uint32_t i = 0; i < structure->n_members; i++)
    print_member (&structure->members[i], type->xir->offsets[i], is_whole ? &children[i] : NULL, out);
  print_types (type, type, "  ", out);
  g_string_append_c (out, '\n');
}

static void
print_kernel (const struct gk_unit     *unit,
              const struct gk_function *kernel,
              GString                  *out)
{
  g_string_append_printf (out, "kernel %s:\n", kernel->symbol->name->text);
  for (uint32_t i = 0; i < kernel->n_parameters; i++)
    {
      const struct gk_symbol *parameter = kernel->parameters[i];
      const struct gk_type *stored = gk_declare_argument (unit, parameter->type);
      bool is_buffer = stored != NULL && gk_type_is_resource (parameter->type);

      if (stored == NULL)
        continue;
      g_string_append_printf (out, "  %u: ", i);
      gk_declare_parameter (parameter, out);
      g_string_append_c (out, '\n');
      print_types (stored, is_buffer ? stored : parameter->type, is_buffer ? "    element " : "    ", out);
    }
  g_string_append_c (out, '\n');
}

void
gk_unit_print_layout_gvariant (const struct gk_unit *unit,
                               GString              *out)
{
  g_autoptr (GPtrArray) structures = gk_declare_structures (unit);

  for (guint i = 0; i < structures->len; i++)
    print_structure (structures->pdata[i], out);
  for (guint i = 0; i < unit->functions->len; i++)
    {
      const struct gk_function *function = unit->functions->pdata[i];

      if (function->is_kernel)
        print_kernel (unit, function, out);
    }
}
