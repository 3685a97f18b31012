/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/type/type.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/type/type-private.h"
#include "lib/arena.h"
#include "lib/checked.h"
#include "lib/list.h"

/* What the context knows of a type beyond the public part. `kinds` is the set of
 * kinds found in it, so that looking for one never walks. */
struct type_node
{
  struct xir_type type;
  uint32_t depth;
  uint32_t kinds;
};

/* Scalars and vectors are made with the context and never change, so that the
 * look-ups that every instruction makes take no lock. */
struct xir_context
{
  gint references;
  GMutex lock;                   /* of everything below but the two tables */
  struct gb_arena arena;
  GHashTable *types;             /* text -> type_node */
  uint32_t n_types;
  const struct xir_type *scalars[XIR_N_TYPE_KINDS];
  const struct xir_type *vectors[XIR_N_TYPE_KINDS][5];
};

/* Kinds without a row are no scalars. */
static const struct
{
  const char *name;
  uint32_t size;
  uint32_t bits;
} scalar_table[XIR_N_TYPE_KINDS] = {
  [XIR_TYPE_BOOL]        = { "bool", 1, 1 },
  [XIR_TYPE_INT8]        = { "byte", 1, 8 },
  [XIR_TYPE_UINT8]       = { "ubyte", 1, 8 },
  [XIR_TYPE_INT16]       = { "short", 2, 16 },
  [XIR_TYPE_UINT16]      = { "ushort", 2, 16 },
  [XIR_TYPE_INT32]       = { "int", 4, 32 },
  [XIR_TYPE_UINT32]      = { "uint", 4, 32 },
  [XIR_TYPE_INT64]       = { "long", 8, 64 },
  [XIR_TYPE_UINT64]      = { "ulong", 8, 64 },
  [XIR_TYPE_FLOAT16]     = { "half", 2, 16 },
  [XIR_TYPE_FLOAT32]     = { "float", 4, 32 },
  [XIR_TYPE_FLOAT64]     = { "double", 8, 64 },
  [XIR_TYPE_FLOAT8_E4M3] = { "float8e4m3", 1, 8 },
  [XIR_TYPE_FLOAT8_E5M2] = { "float8e5m2", 1, 8 },
  [XIR_TYPE_BFLOAT16]    = { "bfloat", 2, 16 },
};

static bool
kind_is_scalar (enum xir_type_kind kind)
{
  return (unsigned) kind < XIR_N_TYPE_KINDS && scalar_table[kind].name != NULL;
}

static const struct type_node *
node_of (const struct xir_type *type)
{
  return gb_container_of (type, struct type_node, type);
}

/* Takes the place of `model` in the context: an equal type that is already
 * there, or a copy of it. Everything `model` points to is copied too. */
static const struct xir_type *
intern (struct xir_context *context,
        const struct xir_type *model,
        uint32_t depth,
        uint32_t kinds)
{
  struct type_node *node;

  if (depth > XIR_TYPE_MAX_DEPTH || model->size > XIR_TYPE_MAX_SIZE
      || strlen (model->text) > XIR_TYPE_MAX_TEXT)
    return NULL;

  g_mutex_lock (&context->lock);
  node = g_hash_table_lookup (context->types, model->text);
  if (node == NULL)
    {
      node = gb_arena_new0 (&context->arena, struct type_node);
      node->type = *model;
      node->type.text = gb_arena_strdup (&context->arena, model->text);
      node->type.index = context->n_types++;
      node->depth = depth;
      node->kinds = kinds | 1u << model->kind;
      if (model->kind == XIR_TYPE_STRUCTURE)
        {
          gsize count = (gsize) model->count;
          node->type.members = gb_arena_memdup (&context->arena, model->members, count * sizeof *model->members);
          node->type.offsets = gb_arena_memdup (&context->arena, model->offsets, count * sizeof *model->offsets);
        }
      g_hash_table_insert (context->types, (gpointer) node->type.text, node);
    }
  g_mutex_unlock (&context->lock);
  return &node->type;
}

static const struct xir_type *
intern_with_element (struct xir_context *context,
                     struct xir_type *model,
                     const struct xir_type *element)
{
  model->element = element;
  return intern (context, model, element != NULL ? node_of (element)->depth + 1 : 1,
                 element != NULL ? node_of (element)->kinds : 0);
}

static const struct xir_type *
make_vector (struct xir_context *context,
             const struct xir_type *element,
             uint32_t lanes)
{
  uint64_t alignment = MIN (16, element->size * (lanes == 3 ? 4 : lanes));
  char text[64];
  struct xir_type model = {
    .kind = XIR_TYPE_VECTOR,
    .count = lanes,
    .alignment = (uint32_t) alignment,
    .size = GB_ALIGN_UP (element->size * lanes, alignment),
    .text = text
  };

  g_snprintf (text, sizeof text, "vector<%s,%u>", element->text, lanes);
  return intern_with_element (context, &model, element);
}

struct xir_context *
xir_context_new (void)
{
  struct xir_context *context = g_new0 (struct xir_context, 1);

  context->references = 1;
  g_mutex_init (&context->lock);
  gb_arena_init (&context->arena, 0);
  context->types = g_hash_table_new (g_str_hash, g_str_equal);
  for (int kind = 0; kind < XIR_N_TYPE_KINDS; kind++)
    {
      struct xir_type model = {
        .kind = kind,
        .size = scalar_table[kind].size,
        .alignment = scalar_table[kind].size,
        .text = scalar_table[kind].name
      };
      if (kind_is_scalar (kind))
        context->scalars[kind] = intern (context, &model, 1, 0);
    }
  for (int kind = 0; kind < XIR_N_TYPE_KINDS; kind++)
    for (uint32_t lanes = 2; lanes <= 4 && kind_is_scalar (kind); lanes++)
      context->vectors[kind][lanes] = make_vector (context, context->scalars[kind], lanes);
  return context;
}

struct xir_context *
xir_context_ref (struct xir_context *context)
{
  g_atomic_int_inc (&context->references);
  return context;
}

void
xir_context_unref (struct xir_context *context)
{
  if (context == NULL || !g_atomic_int_dec_and_test (&context->references))
    return;
  g_hash_table_destroy (context->types);
  gb_arena_clear (&context->arena);
  g_mutex_clear (&context->lock);
  g_free (context);
}

const struct xir_type *
xir_type_scalar (struct xir_context *context,
                 enum xir_type_kind kind)
{
  return kind_is_scalar (kind) ? context->scalars[kind] : NULL;
}

const struct xir_type *
xir_type_vector (struct xir_context *context,
                 const struct xir_type *element,
                 uint32_t lanes)
{
  if (element == NULL || !kind_is_scalar (element->kind) || lanes < 2 || lanes > 4)
    return NULL;
  return context->vectors[element->kind][lanes];
}

/* Columns are vectors, so that three floats take the room of four. */
const struct xir_type *
xir_type_matrix (struct xir_context *context,
                 uint32_t columns)
{
  const struct xir_type *column;
  char text[32];

  if (columns < 2 || columns > 4)
    return NULL;
  column = context->vectors[XIR_TYPE_FLOAT32][columns];
  g_snprintf (text, sizeof text, "matrix<%u>", columns);
  struct xir_type model = {
    .kind = XIR_TYPE_MATRIX,
    .count = columns,
    .alignment = column->alignment,
    .size = column->size * columns,
    .text = text
  };
  return intern_with_element (context, &model, column);
}

/* Whether a type may be part of an array or structure. */
static bool
is_storable (const struct xir_type *type)
{
  return xir_type_is_data (type)
         || (type != NULL && (type->kind == XIR_TYPE_COOPERATIVE_VECTOR
                              || type->kind == XIR_TYPE_COOPERATIVE_VECTOR_REF
                              || type->kind == XIR_TYPE_COOPERATIVE_MATRIX_REF));
}

const struct xir_type *
xir_type_array (struct xir_context *context,
                const struct xir_type *element,
                uint64_t length)
{
  struct xir_type model = { .kind = XIR_TYPE_ARRAY, .count = length };
  const struct xir_type *result;
  char *text;

  if (!is_storable (element) || length > XIR_TYPE_MAX_SIZE
      || !gb_checked_mul (element->size, length, &model.size))
    return NULL;
  model.alignment = element->alignment;
  text = g_strdup_printf ("array<%s,%" PRIu64 ">", element->text, length);
  model.text = text;
  result = intern_with_element (context, &model, element);
  g_free (text);
  return result;
}

static bool
is_structure_alignment (uint32_t alignment)
{
  return gb_is_power_of_two (alignment) && alignment <= 16;
}

/* Lays the members out; false when one cannot be a member or a limit is passed. */
static bool
lay_out_structure (struct xir_type *model,
                   uint64_t *offsets,
                   GString *text,
                   uint32_t *depth,
                   uint32_t *kinds)
{
  uint64_t end = 0;
  uint32_t largest = 1;

  for (uint64_t i = 0; i < model->count; i++)
    {
      const struct xir_type *member = model->members[i];

      if (!is_storable (member) || text->len > XIR_TYPE_MAX_TEXT
          || !gb_checked_align (end, member->alignment, &offsets[i])
          || !gb_checked_add (offsets[i], member->size, &end)
          || end > XIR_TYPE_MAX_SIZE)
        return false;
      g_string_append_printf (text, ",%s", member->text);
      largest = MAX (largest, member->alignment);
      *depth = MAX (*depth, node_of (member)->depth + 1);
      *kinds |= node_of (member)->kinds;
    }
  if (model->alignment == 0)
    model->alignment = largest;
  return model->alignment >= largest && gb_checked_align (end, model->alignment, &model->size);
}

const struct xir_type *
xir_type_structure (struct xir_context *context,
                    uint32_t alignment,
                    const struct xir_type *const *members,
                    uint32_t n_members)
{
  struct xir_type model = {
    .kind = XIR_TYPE_STRUCTURE,
    .alignment = alignment,
    .count = n_members,
    .members = members
  };
  const struct xir_type *result = NULL;
  uint32_t depth = 1, kinds = 0;
  uint64_t *offsets;
  GString *parts;

  if (n_members == 0 || n_members > XIR_TYPE_MAX_MEMBERS
      || (alignment != 0 && !is_structure_alignment (alignment)))
    return NULL;

  offsets = g_new (uint64_t, n_members);
  parts = g_string_new (NULL);
  if (lay_out_structure (&model, offsets, parts, &depth, &kinds))
    {
      char *text = g_strdup_printf ("struct<%u%s>", model.alignment, parts->str);

      model.offsets = offsets;
      model.text = text;
      result = intern (context, &model, depth, kinds);
      g_free (text);
    }
  g_string_free (parts, TRUE);
  g_free (offsets);
  return result;
}

const struct xir_type *
xir_type_buffer (struct xir_context *context,
                 const struct xir_type *element)
{
  struct xir_type model = { .kind = XIR_TYPE_BUFFER, .size = 8, .alignment = 8 };
  const struct xir_type *result;
  char *text;

  if (element != NULL && !is_storable (element))
    return NULL;
  text = g_strdup_printf ("buffer<%s>", element != NULL ? element->text : "void");
  model.text = text;
  result = intern_with_element (context, &model, element);
  g_free (text);
  return result;
}

const struct xir_type *
xir_type_texture (struct xir_context *context,
                  uint32_t dimension,
                  const struct xir_type *element)
{
  struct xir_type model = {
    .kind = XIR_TYPE_TEXTURE,
    .size = 8,
    .alignment = 8,
    .dimension = dimension
  };
  char text[32];

  if (dimension < 2 || dimension > 3 || element == NULL
      || (element->kind != XIR_TYPE_FLOAT32 && element->kind != XIR_TYPE_INT32
          && element->kind != XIR_TYPE_UINT32))
    return NULL;
  g_snprintf (text, sizeof text, "texture<%u,%s>", dimension, element->text);
  model.text = text;
  return intern_with_element (context, &model, element);
}

const struct xir_type *
xir_type_opaque (struct xir_context *context,
                 enum xir_type_kind kind,
                 const char *name)
{
  uint32_t size = kind == XIR_TYPE_CUSTOM ? 4 : 8;
  struct xir_type model = { .kind = kind, .size = size, .alignment = size, .text = name };

  return intern (context, &model, 1, 0);
}

/* The value itself is laid out as an array, the two references as the uint that
 * they are: a byte offset. */
const struct xir_type *
xir_type_cooperative (struct xir_context *context,
                      enum xir_type_kind kind,
                      const struct xir_type *element,
                      uint64_t count,
                      uint32_t columns,
                      const char *text)
{
  struct xir_type model = { .kind = kind, .count = count, .dimension = columns, .text = text };

  model.size = 4;
  model.alignment = 4;
  if (kind == XIR_TYPE_COOPERATIVE_VECTOR)
    {
      if (!gb_checked_mul (element->size, count, &model.size))
        return NULL;
      model.alignment = element->alignment;
    }
  return intern_with_element (context, &model, element);
}

enum xir_type_kind
xir_type_scalar_kind (const char *name,
                      gsize length)
{
  for (int kind = 0; kind < XIR_N_TYPE_KINDS; kind++)
    if (kind_is_scalar (kind) && strlen (scalar_table[kind].name) == length
        && strncmp (scalar_table[kind].name, name, length) == 0)
      return kind;
  return XIR_N_TYPE_KINDS;
}

bool
xir_type_is_scalar (const struct xir_type *type)
{
  return type != NULL && kind_is_scalar (type->kind);
}

bool
xir_type_is_vector (const struct xir_type *type)
{
  return type != NULL && type->kind == XIR_TYPE_VECTOR;
}

const struct xir_type *
xir_type_scalar_of (const struct xir_type *type)
{
  return xir_type_is_vector (type) ? type->element : type;
}

bool
xir_type_is_bool (const struct xir_type *type)
{
  const struct xir_type *scalar = xir_type_scalar_of (type);

  return scalar != NULL && scalar->kind == XIR_TYPE_BOOL;
}

bool
xir_type_is_integer (const struct xir_type *type)
{
  const struct xir_type *scalar = xir_type_scalar_of (type);

  return scalar != NULL && scalar->kind >= XIR_TYPE_INT8 && scalar->kind <= XIR_TYPE_UINT64;
}

bool
xir_type_is_signed (const struct xir_type *type)
{
  return xir_type_is_integer (type)
         && (xir_type_scalar_of (type)->kind - XIR_TYPE_INT8) % 2 == 0;
}

bool
xir_type_is_float (const struct xir_type *type)
{
  const struct xir_type *scalar = xir_type_scalar_of (type);

  return scalar != NULL && scalar->kind >= XIR_TYPE_FLOAT16 && scalar->kind <= XIR_TYPE_FLOAT64;
}

bool
xir_type_is_numeric (const struct xir_type *type)
{
  return xir_type_is_integer (type) || xir_type_is_float (type);
}

bool
xir_type_is_storage_float (const struct xir_type *type)
{
  const struct xir_type *scalar = xir_type_scalar_of (type);

  return scalar != NULL
         && (scalar->kind == XIR_TYPE_FLOAT8_E4M3 || scalar->kind == XIR_TYPE_FLOAT8_E5M2
             || scalar->kind == XIR_TYPE_BFLOAT16);
}

bool
xir_type_is_resource (const struct xir_type *type)
{
  return type != NULL && type->kind >= XIR_TYPE_BUFFER && type->kind <= XIR_TYPE_ACCEL;
}

bool
xir_type_is_data (const struct xir_type *type)
{
  return type != NULL && (type->kind <= XIR_TYPE_STRUCTURE || type->kind == XIR_TYPE_BFLOAT16);
}

bool
xir_type_contains (const struct xir_type *type,
                   enum xir_type_kind kind)
{
  return type != NULL && (unsigned) kind < XIR_N_TYPE_KINDS
         && (node_of (type)->kinds >> kind & 1) != 0;
}

uint32_t
xir_type_lanes (const struct xir_type *type)
{
  if (xir_type_is_scalar (type))
    return 1;
  return xir_type_is_vector (type) ? (uint32_t) type->count : 0;
}

const struct xir_type *
xir_type_with_scalar (struct xir_context *context,
                      const struct xir_type *shape,
                      enum xir_type_kind scalar)
{
  const struct xir_type *element = xir_type_scalar (context, scalar);
  uint32_t lanes = xir_type_lanes (shape);

  if (lanes == 0)
    return NULL;
  return lanes == 1 ? element : xir_type_vector (context, element, lanes);
}

const struct xir_type *
xir_type_child (const struct xir_type *type,
                uint64_t index)
{
  if (type == NULL)
    return NULL;
  switch (type->kind)
    {
    case XIR_TYPE_VECTOR:
    case XIR_TYPE_MATRIX:
    case XIR_TYPE_ARRAY:
      return type->element;
    case XIR_TYPE_STRUCTURE:
      return index < type->count ? type->members[index] : NULL;
    default:
      return NULL;
    }
}

uint32_t
xir_type_byte_alignment (const struct xir_type *type)
{
  return MIN (type->alignment, 4);
}

uint32_t
xir_type_bits (const struct xir_type *type)
{
  return xir_type_is_scalar (type) ? scalar_table[type->kind].bits : 0;
}
