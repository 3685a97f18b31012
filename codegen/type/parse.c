/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Description texts. The grammar is that of the canonical texts and nothing
 * more, so that what is read back is what was printed. */

#include "config.h"

#include "codegen/type/type.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/type/type-private.h"

struct type_parser
{
  struct xir_context *context;
  const char *cursor;
  uint32_t depth;
};

static const struct xir_type *parse_type (struct type_parser *parser);

static bool
accept (struct type_parser *parser,
        char character)
{
  if (*parser->cursor != character)
    return false;
  parser->cursor++;
  return true;
}

/* Decimal without leading zeros. */
static bool
parse_number (struct type_parser *parser,
              uint64_t limit,
              uint64_t *out)
{
  const char *start = parser->cursor;
  uint64_t value = 0;

  while (g_ascii_isdigit (*parser->cursor))
    {
      value = value * 10 + (uint64_t) (*parser->cursor - '0');
      if (value > limit)
        return false;
      parser->cursor++;
    }
  if (parser->cursor == start || (*start == '0' && parser->cursor - start > 1))
    return false;
  *out = value;
  return true;
}

static const struct xir_type *
parse_vector (struct type_parser *parser)
{
  const struct xir_type *element = parse_type (parser);
  uint64_t lanes;

  if (element == NULL || !accept (parser, ',') || !parse_number (parser, 4, &lanes))
    return NULL;
  return xir_type_vector (parser->context, element, (uint32_t) lanes);
}

static const struct xir_type *
parse_matrix (struct type_parser *parser)
{
  uint64_t columns;

  return parse_number (parser, 4, &columns) ? xir_type_matrix (parser->context, (uint32_t) columns) : NULL;
}

static const struct xir_type *
parse_array (struct type_parser *parser)
{
  const struct xir_type *element = parse_type (parser);
  uint64_t length;

  if (element == NULL || !accept (parser, ',') || !parse_number (parser, XIR_TYPE_MAX_SIZE, &length))
    return NULL;
  return xir_type_array (parser->context, element, length);
}

static const struct xir_type *
parse_structure (struct type_parser *parser)
{
  const struct xir_type *result = NULL;
  GPtrArray *members;
  uint64_t alignment;

  if (!parse_number (parser, 16, &alignment) || alignment == 0)
    return NULL;
  members = g_ptr_array_new ();
  while (accept (parser, ','))
    {
      const struct xir_type *member = members->len < XIR_TYPE_MAX_MEMBERS ? parse_type (parser) : NULL;

      if (member == NULL)
        goto out;
      g_ptr_array_add (members, (gpointer) member);
    }
  if (members->len > 0)
    result = xir_type_structure (parser->context, (uint32_t) alignment,
                                 (const struct xir_type *const *) members->pdata, members->len);
out:
  g_ptr_array_free (members, TRUE);
  return result;
}

static const struct xir_type *
parse_buffer (struct type_parser *parser)
{
  const struct xir_type *element;

  if (strncmp (parser->cursor, "void>", 5) == 0)
    {
      parser->cursor += 4;
      return xir_type_buffer (parser->context, NULL);
    }
  element = parse_type (parser);
  return element != NULL ? xir_type_buffer (parser->context, element) : NULL;
}

static const struct xir_type *
parse_texture (struct type_parser *parser)
{
  uint64_t dimension;

  if (!parse_number (parser, 3, &dimension) || !accept (parser, ','))
    return NULL;
  return xir_type_texture (parser->context, (uint32_t) dimension, parse_type (parser));
}

static const struct xir_type *
parse_cooperative_vector (struct type_parser *parser)
{
  const struct xir_type *element = parse_type (parser), *result;
  uint64_t count;
  char *text;

  if (!xir_type_is_scalar (element) || !accept (parser, ',') || !parse_number (parser, G_MAXUINT32, &count))
    return NULL;
  text = g_strdup_printf ("coopvec<%s,%" PRIu64 ">", element->text, count);
  result = xir_type_cooperative (parser->context, XIR_TYPE_COOPERATIVE_VECTOR, element, count, 0, text);
  g_free (text);
  return result;
}

/* The interpretation code of references: how the bytes they name are read. */
static const enum xir_type_kind interpretations[] = {
  XIR_TYPE_UINT8, XIR_TYPE_INT8, XIR_TYPE_UINT32, XIR_TYPE_INT32,
  XIR_TYPE_FLOAT16, XIR_TYPE_FLOAT32, XIR_TYPE_FLOAT8_E4M3, XIR_TYPE_FLOAT8_E5M2
};

static const struct xir_type *
parse_cooperative_reference (struct type_parser *parser,
                             enum xir_type_kind kind)
{
  const struct xir_type *element, *result;
  uint64_t rows, columns = 0, code;
  char *text;

  if (!parse_number (parser, G_MAXUINT32, &rows) || !accept (parser, ','))
    return NULL;
  if (kind == XIR_TYPE_COOPERATIVE_MATRIX_REF
      && (!parse_number (parser, G_MAXUINT32, &columns) || !accept (parser, ',')))
    return NULL;
  if (!parse_number (parser, G_N_ELEMENTS (interpretations) - 1, &code))
    return NULL;

  element = xir_type_scalar (parser->context, interpretations[code]);
  if (kind == XIR_TYPE_COOPERATIVE_MATRIX_REF)
    text = g_strdup_printf ("coopmat_ref<%u,%u,%u>", (guint) rows, (guint) columns, (guint) code);
  else
    text = g_strdup_printf ("coopvec_ref<%u,%u>", (guint) rows, (guint) code);
  result = xir_type_cooperative (parser->context, kind, element, rows, (uint32_t) columns, text);
  g_free (text);
  return result;
}

static const struct xir_type *
parse_cooperative_vector_reference (struct type_parser *parser)
{
  return parse_cooperative_reference (parser, XIR_TYPE_COOPERATIVE_VECTOR_REF);
}

static const struct xir_type *
parse_cooperative_matrix_reference (struct type_parser *parser)
{
  return parse_cooperative_reference (parser, XIR_TYPE_COOPERATIVE_MATRIX_REF);
}

static const struct
{
  const char *name;
  const struct xir_type *(*parse) (struct type_parser *parser);
} constructors[] = {
  { "vector", parse_vector },
  { "matrix", parse_matrix },
  { "array", parse_array },
  { "struct", parse_structure },
  { "buffer", parse_buffer },
  { "texture", parse_texture },
  { "coopvec", parse_cooperative_vector },
  { "coopvec_ref", parse_cooperative_vector_reference },
  { "coopmat_ref", parse_cooperative_matrix_reference },
};

static const struct
{
  const char *name;
  enum xir_type_kind kind;
} opaque_types[] = {
  { "bindless_array", XIR_TYPE_BINDLESS_ARRAY },
  { "accel", XIR_TYPE_ACCEL },
  { "LC_RayQueryAll", XIR_TYPE_CUSTOM },
  { "LC_RayQueryAny", XIR_TYPE_CUSTOM },
  { "LC_IndirectDispatchBuffer", XIR_TYPE_CUSTOM },
  { "LC_IndirectKernelDispatch", XIR_TYPE_CUSTOM },
};

static bool
name_is (const char *name,
         const char *start,
         gsize length)
{
  return strlen (name) == length && strncmp (name, start, length) == 0;
}

static const struct xir_type *
parse_type (struct type_parser *parser)
{
  const char *start = parser->cursor;
  const struct xir_type *result = NULL;
  enum xir_type_kind scalar;
  gsize length;

  if (parser->depth >= XIR_TYPE_MAX_DEPTH)
    return NULL;
  while (g_ascii_isalnum (*parser->cursor) || *parser->cursor == '_')
    parser->cursor++;
  length = (gsize) (parser->cursor - start);

  if (accept (parser, '<'))
    {
      parser->depth++;
      for (gsize i = 0; i < G_N_ELEMENTS (constructors); i++)
        if (name_is (constructors[i].name, start, length))
          {
            result = constructors[i].parse (parser);
            break;
          }
      parser->depth--;
      return result != NULL && accept (parser, '>') ? result : NULL;
    }

  scalar = xir_type_scalar_kind (start, length);
  if (scalar != XIR_N_TYPE_KINDS)
    return xir_type_scalar (parser->context, scalar);
  for (gsize i = 0; i < G_N_ELEMENTS (opaque_types); i++)
    if (name_is (opaque_types[i].name, start, length))
      return xir_type_opaque (parser->context, opaque_types[i].kind, opaque_types[i].name);
  return NULL;
}

const struct xir_type *
xir_type_parse (struct xir_context *context,
                const char *text)
{
  struct type_parser parser = { context, text, 0 };
  const struct xir_type *result;

  if (strnlen (text, XIR_TYPE_MAX_TEXT + 1) > XIR_TYPE_MAX_TEXT)
    return NULL;
  result = parse_type (&parser);
  return result != NULL && *parser.cursor == '\0' ? result : NULL;
}
