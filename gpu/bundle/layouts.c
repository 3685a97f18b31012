/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Layouts of arguments as bytes: the nodes of their trees, each once and after those that it is made of. */

#include "config.h"

#include <string.h>

#include "gpu/bundle/artifact.h"
#include "gpu/layout-private.h"
#include "lib/checked.h"
#include "lib/reader.h"

#define MAX_LAYOUTS 4096
#define MAX_MEMBERS 65536                /* of all structures */
#define MAX_NAME    1024
#define NONE        G_MAXUINT32

struct collector
{
  GHashTable *numbers;                   /* GabbroLayout -> number + 1 */
  GPtrArray *list;
};

/* The front end bounds how deep layouts are. */
static void
collect (struct collector *collector, GabbroLayout *layout)
{
  if (layout == NULL || g_hash_table_contains (collector->numbers, layout))
    return;
  collect (collector, layout->element);
  for (guint i = 0; i < layout->n_members; i++)
    collect (collector, layout->members[i].layout);
  g_ptr_array_add (collector->list, layout);
  g_hash_table_insert (collector->numbers, layout, GUINT_TO_POINTER (collector->list->len));
}

static uint32_t
number_of (const struct collector *collector, GabbroLayout *layout)
{
  return layout != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (collector->numbers, layout)) - 1 : NONE;
}

static void
write_layout (const struct collector *collector, GByteArray *out, GabbroLayout *layout)
{
  gb_writer_u8 (out, (guint8) layout->kind);
  bundle_write_text (out, layout->name);
  gb_writer_u64 (out, layout->size);
  gb_writer_u32 (out, layout->alignment);
  gb_writer_u64 (out, layout->length);
  gb_writer_u64 (out, layout->stride);
  gb_writer_u32 (out, number_of (collector, layout->element));
  gb_writer_u32 (out, layout->n_members);
  for (guint i = 0; i < layout->n_members; i++)
    {
      bundle_write_text (out, layout->members[i].name);
      gb_writer_u64 (out, layout->members[i].offset);
      gb_writer_u32 (out, number_of (collector, layout->members[i].layout));
    }
}

void
bundle_write_layouts (GByteArray *out, GabbroLayout *const *layouts, uint32_t n)
{
  struct collector collector = { g_hash_table_new (NULL, NULL), g_ptr_array_new () };

  for (uint32_t i = 0; i < n; i++)
    collect (&collector, layouts[i]);
  gb_writer_u32 (out, collector.list->len);
  for (guint i = 0; i < collector.list->len; i++)
    write_layout (&collector, out, collector.list->pdata[i]);
  for (uint32_t i = 0; i < n; i++)
    gb_writer_u32 (out, number_of (&collector, layouts[i]));
  g_ptr_array_unref (collector.list);
  g_hash_table_unref (collector.numbers);
}

struct layout_reader
{
  struct gb_reader *reader;
  struct gb_arena arena;                 /* names, until they are copied */
  GPtrArray *list;
  uint32_t n_whole;                      /* of the list; the one behind them is being read */
  uint32_t *depths;
  uint32_t n_members;
};

/* One that has been read, or NULL: never the one that is being read. */
static GabbroLayout *
earlier (const struct layout_reader *in, uint32_t number)
{
  return number < in->n_whole ? in->list->pdata[number] : NULL;
}

static bool
read_members (struct layout_reader *in, GabbroLayout *layout, uint32_t n, uint32_t *depth)
{
  uint64_t end = 0;

  if (n > MAX_MEMBERS - in->n_members)
    return false;
  in->n_members += n;
  layout->members = g_new0 (struct gabbro_layout_member, n);
  for (uint32_t i = 0; i < n; i++)
    {
      struct gabbro_layout_member *member = &layout->members[i];
      const char *name = bundle_read_text (in->reader, &in->arena, MAX_NAME);
      uint32_t number;

      member->offset = gb_reader_u64 (in->reader);
      number = gb_reader_u32 (in->reader);
      if (gb_reader_failed (in->reader) || name == NULL || name[0] == '\0' || earlier (in, number) == NULL)
        return false;
      member->name = g_strdup (name);
      member->layout = gabbro_layout_ref (earlier (in, number));
      layout->n_members = i + 1;
      /* One after the other, inside the structure: so the leaves of a layout are never more than its bytes. */
      if (member->offset < end || !gb_range_fits (member->offset, member->layout->size, layout->size))
        return false;
      end = member->offset + member->layout->size;
      *depth = MAX (*depth, in->depths[number] + 1);
    }
  return true;
}

/* Bytes of a scalar; 0: it is none. A bool has a byte, or four where it is an argument of its own. */
static uint64_t
scalar_size (GabbroLayoutKind kind)
{
  switch (kind)
    {
    case GABBRO_LAYOUT_BOOL:
    case GABBRO_LAYOUT_CHAR:
    case GABBRO_LAYOUT_UCHAR:
    case GABBRO_LAYOUT_FP8E4M3:
    case GABBRO_LAYOUT_FP8E5M2:
      return 1;
    case GABBRO_LAYOUT_SHORT:
    case GABBRO_LAYOUT_USHORT:
    case GABBRO_LAYOUT_HALF:
    case GABBRO_LAYOUT_BFLOAT:
      return 2;
    case GABBRO_LAYOUT_INT:
    case GABBRO_LAYOUT_UINT:
    case GABBRO_LAYOUT_FLOAT:
      return 4;
    case GABBRO_LAYOUT_LONG:
    case GABBRO_LAYOUT_ULONG:
    case GABBRO_LAYOUT_DOUBLE:
      return 8;
    default:
      return 0;
    }
}

/* Scalars, and what is made of others: their members must be there and must have room. */
static bool
check_layout (const GabbroLayout *layout)
{
  uint64_t bytes, scalar = scalar_size (layout->kind);
  bool has_element = layout->element != NULL;

  if (layout->size == 0 || layout->size > XIR_TYPE_MAX_SIZE || !gb_is_power_of_two (layout->alignment) || layout->alignment > 256)
    return false;
  switch (layout->kind)
    {
    case GABBRO_LAYOUT_VECTOR:
    case GABBRO_LAYOUT_ARRAY:
    case GABBRO_LAYOUT_MATRIX:
      return has_element && layout->n_members == 0 && layout->length > 0 && layout->stride >= layout->element->size
             && gb_checked_mul (layout->length, layout->stride, &bytes) && bytes <= layout->size
             && (layout->kind == GABBRO_LAYOUT_ARRAY
                 || (layout->length <= 4 && layout->element->n_members == 0
                     && (layout->element->kind == GABBRO_LAYOUT_VECTOR) == (layout->kind == GABBRO_LAYOUT_MATRIX)
                     && (layout->kind == GABBRO_LAYOUT_MATRIX || layout->element->element == NULL)));
    case GABBRO_LAYOUT_STRUCT:
      return !has_element && layout->n_members > 0;
    default:
      return scalar > 0 && !has_element && layout->n_members == 0
             && (layout->size == scalar || (layout->kind == GABBRO_LAYOUT_BOOL && layout->size == sizeof (guint32)));
    }
}

static bool
read_layout (struct layout_reader *in, uint32_t index)
{
  GabbroLayout *layout = g_new0 (GabbroLayout, 1);
  const char *name;
  uint32_t element, n_members, depth = 1;

  g_atomic_ref_count_init (&layout->references);
  g_ptr_array_add (in->list, layout);
  in->n_whole = index;
  layout->kind = (GabbroLayoutKind) gb_reader_u8 (in->reader);
  name = bundle_read_text (in->reader, &in->arena, MAX_NAME);
  layout->name = g_strdup (name);
  layout->size = gb_reader_u64 (in->reader);
  layout->alignment = gb_reader_u32 (in->reader);
  layout->length = gb_reader_u64 (in->reader);
  layout->stride = gb_reader_u64 (in->reader);
  element = gb_reader_u32 (in->reader);
  n_members = gb_reader_u32 (in->reader);
  if (gb_reader_failed (in->reader) || name == NULL || (element != NONE && earlier (in, element) == NULL))
    return false;
  if (element != NONE)
    {
      layout->element = gabbro_layout_ref (earlier (in, element));
      depth = in->depths[element] + 1;
    }
  if (!read_members (in, layout, n_members, &depth) || depth > XIR_TYPE_MAX_DEPTH)
    return false;
  in->depths[index] = depth;
  return check_layout (layout);
}

static bool
read_all (struct layout_reader *in, GabbroLayout **layouts, uint32_t n)
{
  uint32_t n_layouts = gb_reader_u32 (in->reader);

  if (n_layouts > MAX_LAYOUTS)
    return false;
  in->depths = g_new0 (uint32_t, n_layouts + 1);
  for (uint32_t i = 0; i < n_layouts; i++)
    if (!read_layout (in, i))
      return false;
  in->n_whole = n_layouts;
  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t number = gb_reader_u32 (in->reader);

      if (gb_reader_failed (in->reader) || (number != NONE && number >= n_layouts))
        return false;
      layouts[i] = number != NONE ? gabbro_layout_ref (earlier (in, number)) : NULL;
    }
  return true;
}

bool
bundle_read_layouts (struct gb_reader *reader, GabbroLayout **layouts, uint32_t n)
{
  struct layout_reader in = { .reader = reader, .list = g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_layout_unref) };
  bool good;

  gb_arena_init (&in.arena, 0);
  good = read_all (&in, layouts, n);
  if (!good)
    for (uint32_t i = 0; i < n; i++)
      g_clear_pointer (&layouts[i], gabbro_layout_unref);
  gb_arena_clear (&in.arena);
  g_ptr_array_unref (in.list);
  g_free (in.depths);
  return good;
}
