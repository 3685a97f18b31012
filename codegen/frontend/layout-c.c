/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Structures of kernels as a header for C and C++. Nothing is left to the compiler's rules: padding is written out,
 * alignment where C promises less, and assertions say what has to come out of it. */

#include "config.h"

#include "codegen/frontend/declare.h"
#include "codegen/frontend/frontend.h"

#include <inttypes.h>

/* Words of C and C++ that are none of ours, and what the headers that are included, and compilers, define. */
static const char reserved_words[] =
  "_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn "
  "_Static_assert _Thread_local NULL alignas alignof and and_eq asm assert auto bitand bitor catch char16_t char32_t char8_t "
  "class co_await co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast enum "
  "explicit export extern final friend goto i386 inline int16_t int32_t int64_t int8_t intmax_t intptr_t linux max_align_t "
  "mutable namespace new noexcept not not_eq nullptr nullptr_t offsetof operator or or_eq private protected ptrdiff_t public "
  "register reinterpret_cast requires restrict signed size_t sizeof static static_assert static_cast template this thread_local "
  "throw try typedef typeid typename typeof typeof_unqual uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t union unix "
  "unreachable unsigned using virtual wchar_t xor xor_eq";

/* Numbers that are none in C have an unsigned integer with their bits. */
static const char *const scalar_names[GK_N_SCALARS] = {
  [GK_BOOL] = "uint8_t", [GK_CHAR] = "int8_t", [GK_UCHAR] = "uint8_t", [GK_SHORT] = "int16_t", [GK_USHORT] = "uint16_t",
  [GK_INT] = "int32_t", [GK_UINT] = "uint32_t", [GK_LONG] = "int64_t", [GK_ULONG] = "uint64_t", [GK_HALF] = "uint16_t",
  [GK_FLOAT] = "float", [GK_DOUBLE] = "double", [GK_BFLOAT] = "uint16_t", [GK_FP8E4M3] = "uint8_t", [GK_FP8E5M2] = "uint8_t"
};

/* Where a comment begins behind a declaration that is not too long. */
#define COMMENT_COLUMN 44

struct printer
{
  const struct gk_unit *unit;
  struct gk_target_names tags;
  GString *out;
};

static bool
is_reserved (const char *name)
{
  static const char *const prefixes[] = { "INT", "UINT", "PTRDIFF", "SIG_ATOMIC", "SIZE", "WCHAR", "WINT" };
  static const char *const suffixes[] = { "_MIN", "_MAX", "_WIDTH", "_C" };

  if (gk_is_among (reserved_words, name))
    return true;
  /* The limits that stdint.h defines. */
  for (size_t i = 0; i < G_N_ELEMENTS (prefixes); i++)
    for (size_t k = 0; g_str_has_prefix (name, prefixes[i]) && k < G_N_ELEMENTS (suffixes); k++)
      if (g_str_has_suffix (name, suffixes[k]))
        return true;
  return false;
}

/* "alignas (16) float places[2][4]": vectors of three have the room of four. `brackets` stand behind the name. */
static char *
declaration (const struct printer *printer,
             const struct gk_type *type,
             const char           *name,
             const char           *brackets)
{
  GString *text = g_string_new (NULL), *lengths = g_string_new (brackets);
  uint32_t lanes;

  for (; type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_MATRIX; type = type->element)
    g_string_append_printf (lengths, "[%" PRIu64 "]", type->kind == GK_TYPE_ARRAY ? type->length : type->lanes);
  if (type->kind == GK_TYPE_STRUCTURE)
    g_string_append_printf (text, "struct %s %s%s", gk_target_names_find (&printer->tags, type->structure->symbol->name->text), name,
                            lengths->str);
  else
    {
      lanes = type->lanes == 3 ? 4 : type->lanes;
      if (lanes > 1)
        g_string_append_printf (lengths, "[%u]", lanes);
      /* There are machines where long and double lie at multiples of 4. */
      if (lanes > 1 || type->xir->size == 8)
        g_string_append_printf (text, "alignas (%u) ", type->xir->alignment);
      g_string_append_printf (text, "%s %s%s", scalar_names[type->scalar], name, lengths->str);
    }
  g_string_free (lengths, TRUE);
  return g_string_free (text, FALSE);
}

static void
print_line (GString    *out,
            const char *declaration,
            const char *comment)
{
  g_string_append_printf (out, "  %s;%*s%s\n", declaration, (int) MAX (1, COMMENT_COLUMN - (gssize) strlen (declaration)), "", comment);
}

static void
print_padding (struct gk_target_names *names,
               uint64_t                start,
               uint64_t                end,
               GString                *out)
{
  g_autofree char *wanted = g_strdup_printf ("padding_%" PRIu64, start);

  if (start < end)
    g_string_append_printf (out, "  uint8_t %s[%" PRIu64 "];\n", gk_target_names_make (names, wanted), end - start);
}

static const char *
remark (const struct gk_type *type)
{
  while (type->kind == GK_TYPE_ARRAY || type->kind == GK_TYPE_MATRIX)
    type = type->element;
  if (type->kind != GK_TYPE_VALUE)
    return "";
  if (type->scalar == GK_BOOL)
    return type->lanes == 3 ? "; 0 or 1, the fourth only fills" : "; 0 or 1";
  return type->lanes == 3 ? "; the fourth only fills" : "";
}

static void
print_members (const struct printer   *printer,
               const struct gk_type   *type,
               struct gk_target_names *names)
{
  uint64_t end = 0;

  for (uint32_t i = 0; i < type->structure->n_members; i++)
    {
      const struct gk_member *member = &type->structure->members[i];
      g_autofree char *line = declaration (printer, member->type, gk_target_names_find (names, member->name->text), NULL);
      g_autofree char *comment = g_strdup_printf ("/* %" PRIu64 ": %s%s */", type->xir->offsets[i], member->type->text,
                                                  remark (member->type));

      print_padding (names, end, type->xir->offsets[i], printer->out);
      print_line (printer->out, line, comment);
      end = type->xir->offsets[i] + member->type->xir->size;
    }
  print_padding (names, end, type->xir->size, printer->out);
}

static void
print_structure (const struct printer *printer,
                 const struct gk_type *type)
{
  const struct gk_structure *structure = type->structure;
  const char *tag = gk_target_names_find (&printer->tags, structure->symbol->name->text);
  struct gk_target_names names;

  gk_target_names_init (&names, is_reserved);
  for (uint32_t i = 0; i < structure->n_members; i++)
    gk_target_names_add (&names, structure->members[i].name->text);
  gk_target_names_settle (&names);
  g_string_append_printf (printer->out, "\nstruct %s\n{\n", tag);
  print_members (printer, type, &names);
  g_string_append_printf (printer->out, "};\nstatic_assert (sizeof (struct %s) == %" PRIu64 " && alignof (struct %s) == %u,\n"
                          "               \"kernels have struct %s in %" PRIu64 " bytes, at multiples of %u\");\n",
                          tag, type->xir->size, tag, type->xir->alignment, tag, type->xir->size, type->xir->alignment);
  for (uint32_t i = 0; i < structure->n_members; i++)
    {
      const char *name = gk_target_names_find (&names, structure->members[i].name->text);

      g_string_append_printf (printer->out, "static_assert (offsetof (struct %s, %s) == %" PRIu64 ", \"kernels have %s at byte %" PRIu64
                              " of struct %s\");\n", tag, name, type->xir->offsets[i], name, type->xir->offsets[i], tag);
    }
  gk_target_names_clear (&names);
}

static void
print_kernel (const struct printer     *printer,
              const struct gk_function *kernel)
{
  struct gk_target_names names;

  gk_target_names_init (&names, is_reserved);
  for (uint32_t i = 0; i < kernel->n_parameters; i++)
    gk_target_names_add (&names, kernel->parameters[i]->name->text);
  gk_target_names_settle (&names);
  g_string_append_printf (printer->out, "\n/* Arguments of kernel %s:\n", kernel->symbol->name->text);
  for (uint32_t i = 0; i < kernel->n_parameters; i++)
    {
      const struct gk_symbol *parameter = kernel->parameters[i];
      const struct gk_type *type = gk_declare_argument (printer->unit, parameter->type);
      g_autoptr (GString) source = g_string_new ("// ");

      gk_declare_parameter (parameter, source);
      if (type == NULL)
        continue;
      g_autofree char *line = declaration (printer, type, gk_target_names_find (&names, parameter->name->text),
                                           gk_type_is_resource (parameter->type) ? "[]" : NULL);
      print_line (printer->out, line, source->str);
    }
  g_string_append (printer->out, " */\n");
  gk_target_names_clear (&names);
}

static void
print_head (const struct gk_unit *unit,
            GString              *out)
{
  g_autofree char *source = gk_declare_source (unit), *guard = g_strdup (source);

  for (char *c = guard; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c))
      *c = '_';
  g_string_append_printf (out, "/* Memory that the kernels of %s share with a program in C or C++, of 2011 or later. */\n\n", source);
  g_string_append_printf (out, "#ifndef GABBRO_LAYOUT_OF_%s\n#define GABBRO_LAYOUT_OF_%s\n\n", guard, guard);
  g_string_append (out, "#include <stddef.h>\n#include <stdint.h>\n#ifndef __cplusplus\n# include <assert.h>\n"
                   "# include <stdalign.h>\n#endif\n");
}

void
gk_unit_print_layout_c (const struct gk_unit *unit,
                        GString              *out)
{
  struct printer printer = { .unit = unit, .out = out };
  g_autoptr (GPtrArray) structures = gk_declare_structures (unit);

  gk_target_names_init (&printer.tags, is_reserved);
  for (guint i = 0; i < structures->len; i++)
    gk_target_names_add (&printer.tags, ((const struct gk_type *) structures->pdata[i])->structure->symbol->name->text);
  gk_target_names_settle (&printer.tags);
  print_head (unit, out);
  for (guint i = 0; i < structures->len; i++)
    print_structure (&printer, structures->pdata[i]);
  for (guint i = 0; i < unit->functions->len; i++)
    {
      const struct gk_function *function = unit->functions->pdata[i];

      if (function->is_kernel)
        print_kernel (&printer, function);
    }
  g_string_append (out, "\n#endif\n");
  gk_target_names_clear (&printer.tags);
}
