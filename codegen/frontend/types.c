/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types of the language. Equal types are one pointer, structures by name. */

#include "config.h"

#include "codegen/frontend/unit.h"

#include <string.h>

enum xir_type_kind
gk_scalar_kind (enum gk_scalar scalar)
{
  static const enum xir_type_kind kinds[GK_N_SCALARS] =
  {
    [GK_BOOL] = XIR_TYPE_BOOL, [GK_CHAR] = XIR_TYPE_INT8, [GK_UCHAR] = XIR_TYPE_UINT8, [GK_SHORT] = XIR_TYPE_INT16,
    [GK_USHORT] = XIR_TYPE_UINT16, [GK_INT] = XIR_TYPE_INT32, [GK_UINT] = XIR_TYPE_UINT32, [GK_LONG] = XIR_TYPE_INT64,
    [GK_ULONG] = XIR_TYPE_UINT64, [GK_HALF] = XIR_TYPE_FLOAT16, [GK_FLOAT] = XIR_TYPE_FLOAT32,
    [GK_DOUBLE] = XIR_TYPE_FLOAT64, [GK_BFLOAT] = XIR_TYPE_BFLOAT16, [GK_FP8E4M3] = XIR_TYPE_FLOAT8_E4M3,
    [GK_FP8E5M2] = XIR_TYPE_FLOAT8_E5M2
  };

  return kinds[scalar];
}

static guint
array_hash (gconstpointer data)
{
  const struct gk_type *type = data;
  return g_direct_hash (type->element) * 31 + (guint) type->length;
}

static gboolean
array_equal (gconstpointer a,
             gconstpointer b)
{
  const struct gk_type *left = a, *right = b;
  return left->element == right->element && left->length == right->length;
}

void
gk_types_init (struct gk_unit *unit)
{
  static const char *const image_names[2][3] = {
    { "image2d<float>", "image2d<int>", "image2d<uint>" }, { "image3d<float>", "image3d<int>", "image3d<uint>" }
  };

  unit->poison = (struct gk_type) { .kind = GK_TYPE_POISON, .text = "?" };
  unit->void_type = (struct gk_type) { .kind = GK_TYPE_VOID, .text = "void" };
  unit->literal_integer = (struct gk_type) { .kind = GK_TYPE_LITERAL_INTEGER, .text = "integer literal" };
  unit->literal_real = (struct gk_type) { .kind = GK_TYPE_LITERAL_REAL, .text = "real literal" };
  unit->byte_buffer = (struct gk_type)
    {
      .kind = GK_TYPE_BYTE_BUFFER, .xir = xir_type_buffer (unit->context, NULL), .text = "byte_buffer"
    };
  for (int scalar = 0; scalar < GK_N_SCALARS; scalar++)
    {
      const struct xir_type *xir = xir_type_scalar (unit->context, gk_scalar_kind (scalar));
      for (uint32_t lanes = 1; lanes <= 4; lanes++)
        unit->values[scalar][lanes - 1] = (struct gk_type)
          {
            .kind = GK_TYPE_VALUE, .scalar = scalar, .lanes = lanes,
            .xir = lanes == 1 ? xir : xir_type_vector (unit->context, xir, lanes),
            .text = gk_token_text (GK_TOKEN_BOOL + scalar * 4 + lanes - 1)
          };
      if (scalar != GK_INT && scalar != GK_UINT && scalar != GK_FLOAT)
        continue;
      for (uint32_t i = 0; i < 2; i++)
        unit->images[i][scalar] = (struct gk_type)
          {
            .kind = GK_TYPE_IMAGE, .scalar = scalar, .lanes = i + 2, .xir = xir_type_texture (unit->context, i + 2, xir),
            .text = image_names[i][scalar == GK_INT ? 1 : scalar == GK_UINT ? 2 : 0]
          };
    }
  for (uint32_t n = 2; n <= 4; n++)
    {
      char *text = g_strdup_printf ("matrix<%u>", n);
      unit->matrices[n - 2] = (struct gk_type)
        {
          .kind = GK_TYPE_MATRIX, .scalar = GK_FLOAT, .lanes = n, .element = gk_type_value (unit, GK_FLOAT, n),
          .xir = xir_type_parse (unit->context, text), .text = gk_token_text (GK_TOKEN_FLOAT2X2 + n - 2)
        };
      g_free (text);
    }
  unit->arrays = g_hash_table_new (array_hash, array_equal);
}

/* "float[4][8]": the new length stands before those of the element. */
static const char *
array_text (struct gk_unit       *unit,
            const struct gk_type *element,
            uint64_t              length)
{
  const char *bracket = strchr (element->text, '[');
  int head = bracket != NULL ? (int) (bracket - element->text) : (int) strlen (element->text);
  return gk_hint (unit, "%.*s[%llu]%s", head, element->text, (unsigned long long) length, element->text + head);
}

const struct gk_type *
gk_type_array (struct gk_unit       *unit,
               const struct gk_type *element,
               uint64_t              length)
{
  struct gk_type key = { .element = element, .length = length };
  struct gk_type *type = g_hash_table_lookup (unit->arrays, &key);
  const struct xir_type *xir;

  if (type != NULL)
    return type;
  xir = xir_type_array (unit->context, element->xir, length);
  if (xir == NULL)
    return NULL;
  type = gb_arena_new0 (&unit->arena, struct gk_type);
  type->kind = GK_TYPE_ARRAY;
  type->element = element;
  type->length = length;
  type->has_array = true;
  type->xir = xir;
  type->text = array_text (unit, element, length);
  g_hash_table_add (unit->arrays, type);
  return type;
}

const struct gk_type *
gk_type_buffer (struct gk_unit       *unit,
                const struct gk_type *element)
{
  /* The only thing about a type that changes once it is made. */
  struct gk_type *owner = (struct gk_type *) element;

  if (owner->buffer == NULL)
    {
      struct gk_type *type = gb_arena_new0 (&unit->arena, struct gk_type);
      type->kind = GK_TYPE_BUFFER;
      type->element = element;
      type->xir = xir_type_buffer (unit->context, element->xir);
      type->text = gk_hint (unit, "buffer<%s>", element->text);
      owner->buffer = type;
    }
  return owner->buffer;
}

const struct gk_type *
gk_unit_parameter_type (const struct gk_unit *unit,
                        const char           *kernel,
                        uint32_t              index)
{
  for (guint i = 0; i < unit->functions->len; i++)
    {
      const struct gk_function *function = unit->functions->pdata[i];

      if (function->is_kernel && strcmp (function->symbol->name->text, kernel) == 0)
        return index < function->n_parameters ? function->parameters[index]->type : NULL;
    }
  return NULL;
}
