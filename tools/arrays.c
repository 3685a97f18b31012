/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/arrays.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "tools/arguments.h"
#include "tools/npy.h"
#include "tools/report.h"
#include "tools/types.h"

/* NumPy has no bfloat and no FP8: their bits travel as whole numbers. */
static struct tool_npy_type
npy_type (const struct tool_shape *shape)
{
  static const char kinds[] = {
    [GABBRO_LAYOUT_BOOL] = 'b', [GABBRO_LAYOUT_CHAR] = 'i', [GABBRO_LAYOUT_UCHAR] = 'u', [GABBRO_LAYOUT_SHORT] = 'i', [GABBRO_LAYOUT_USHORT] = 'u',
    [GABBRO_LAYOUT_INT] = 'i', [GABBRO_LAYOUT_UINT] = 'u', [GABBRO_LAYOUT_LONG] = 'i', [GABBRO_LAYOUT_ULONG] = 'u', [GABBRO_LAYOUT_HALF] = 'f',
    [GABBRO_LAYOUT_FLOAT] = 'f', [GABBRO_LAYOUT_DOUBLE] = 'f', [GABBRO_LAYOUT_BFLOAT] = 'u', [GABBRO_LAYOUT_FP8E4M3] = 'u',
    [GABBRO_LAYOUT_FP8E5M2] = 'u', [GABBRO_LAYOUT_STRUCT] = 'V'
  };

  return (struct tool_npy_type) { kinds[shape->scalar], (guint) shape->scalar_size };
}

static bool
get_shape (struct tool_shape *shape, GabbroLayout *layout, const char *what, GError **error)
{
  if (tool_shape_init (shape, layout) && tool_type_n_numbers (layout) <= TOOL_MAX_NUMBERS)
    return true;
  return tool_fail (error, _("argument '%s': an element of %s has too many parts for an array file; give raw bytes, buffer:raw:FILE"), what,
                    gabbro_layout_get_name (layout));
}

/* Where the numbers of an element are, in the order of memory. */
static void
find_offsets (GabbroLayout *layout, gsize offset, gsize *offsets, gsize *n)
{
  if (tool_type_is_scalar (layout))
    {
      offsets[(*n)++] = offset;
      return;
    }
  for (guint64 i = 0; i < gabbro_layout_get_length (layout); i++)
    find_offsets (gabbro_layout_get_element (layout), offset + (gsize) (i * gabbro_layout_get_stride (layout)), offsets, n);
}

static gpointer
restride (GabbroLayout *layout, const guint8 *from, gsize n_elements, bool to_padded)
{
  gsize n = 0, padded = (gsize) gabbro_layout_get_size (layout);
  struct tool_shape shape;

  tool_shape_init (&shape, layout);
  g_autofree gsize *offsets = g_new (gsize, (gsize) tool_type_n_numbers (layout));
  /* Structures, and arrays of them, are copied as they are. */
  if (shape.scalar == GABBRO_LAYOUT_STRUCT)
    offsets[n++] = 0;
  else
    find_offsets (layout, 0, offsets, &n);
  gsize width = shape.scalar_size, tight = n * width;
  if (n_elements > G_MAXSIZE / MAX (padded, 1))
    return NULL;
  guint8 *result = g_try_malloc0 (MAX (n_elements * (to_padded ? padded : tight), 1));
  if (result == NULL)
    return NULL;
  if (tight == padded)
    memcpy (result, from, n_elements * tight);
  else
    {
      for (gsize i = 0; i < n_elements; i++)
        for (gsize j = 0; j < n; j++)
          {
            gsize in_padded = i * padded + offsets[j], in_tight = i * tight + j * width;
            memcpy (result + (to_padded ? in_padded : in_tight), from + (to_padded ? in_tight : in_padded), width);
          }
    }
  return result;
}

gpointer
tool_array_pad (GabbroLayout *layout, gconstpointer tight, gsize n_elements)
{
  return restride (layout, tight, n_elements, true);
}

gpointer
tool_array_unpad (GabbroLayout *layout, gconstpointer padded, gsize n_elements)
{
  return restride (layout, padded, n_elements, false);
}

static bool
check_shape (const struct tool_shape *shape, const struct tool_npy *npy)
{
  if (npy->n_dimensions < shape->n_dimensions)
    return false;
  return memcmp (npy->shape + npy->n_dimensions - shape->n_dimensions, shape->dimensions, shape->n_dimensions * sizeof *npy->shape) == 0;
}

static char *
describe_dimensions (const struct tool_shape *shape)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < shape->n_dimensions; i++)
    g_string_append_printf (text, "%s%" PRIu64, i > 0 ? ", " : "", shape->dimensions[i]);
  return g_string_free (text, FALSE);
}

static bool
take (GabbroLayout *layout, const char *what, const char *shown, const struct tool_npy *npy, GBytes **data, guint64 *length, GError **error)
{
  struct tool_shape shape;
  const char *name = gabbro_layout_get_name (layout);
  guint64 size = gabbro_layout_get_size (layout), n_numbers = 1;

  if (!get_shape (&shape, layout, what, error))
    return false;
  struct tool_npy_type wanted = npy_type (&shape);
  if (npy->type.kind != wanted.kind || npy->type.size != wanted.size)
    {
      g_autofree char *has = tool_npy_type_name (npy->type), *needs = tool_npy_type_name (wanted);
      return tool_usage (error, _("argument '%s': the buffer is of %s, %s holds numbers of type '%s', not '%s'"), what, name, shown, has, needs);
    }
  if (!check_shape (&shape, npy))
    {
      g_autofree char *dimensions = describe_dimensions (&shape);
      return tool_usage (error, _("argument '%s': for a buffer of %s the last dimensions of %s must be %s"), what, name, shown, dimensions);
    }
  for (guint i = 0; i < shape.n_dimensions; i++)
    n_numbers *= shape.dimensions[i];
  *length = npy->n_numbers / n_numbers;
  if (*length == 0)
    return tool_usage (error, _("argument '%s': the array in %s is empty"), what, shown);
  if (*length > TOOL_BUFFER_LIMIT / size)
    return tool_usage (error, _("argument '%s': the array in %s is too large"), what, shown);
  gpointer padded = tool_array_pad (layout, g_bytes_get_data (npy->data, NULL), (gsize) *length);
  if (padded == NULL)
    return tool_fail (error, _("%s: not enough memory for %" PRIu64 " bytes"), shown, *length * size);
  *data = g_bytes_new_take (padded, (gsize) (*length * size));
  return true;
}

bool
tool_array_read (GabbroLayout *layout, const char *what, const char *filename, GBytes **data, guint64 *length, GError **error)
{
  g_autofree char *shown = g_filename_display_name (filename);
  struct tool_npy npy;

  if (!tool_npy_read (&npy, filename, TOOL_ARRAY_LIMIT, error))
    return false;
  bool good = take (layout, what, shown, &npy, data, length, error);
  tool_npy_clear (&npy);
  return good;
}

bool
tool_array_read_raw (GabbroLayout *layout, const char *what, const char *filename, GBytes **data, guint64 *length, GError **error)
{
  g_autofree char *shown = g_filename_display_name (filename);
  guint64 size = gabbro_layout_get_size (layout);
  GBytes *bytes = tool_read_file (filename, TOOL_ARRAY_LIMIT, error);

  if (bytes == NULL)
    return false;
  guint64 n_bytes = g_bytes_get_size (bytes);
  if (n_bytes > 0 && n_bytes % size == 0)
    {
      *data = bytes;
      *length = n_bytes / size;
      return true;
    }
  g_bytes_unref (bytes);
  if (n_bytes == 0)
    return tool_usage (error, _("argument '%s': %s is empty"), what, shown);
  return tool_usage (error, _("argument '%s': %s has %" PRIu64 " bytes, which is no multiple of the %" PRIu64 " that a %s has"), what, shown,
                     n_bytes, size, gabbro_layout_get_name (layout));
}

bool
tool_array_write (struct tool_writer *writer, GabbroLayout *layout, const char *what, gpointer elements, guint64 length, GError **error)
{
  guint64 dimensions[1 + TOOL_MAX_DIMENSIONS] = { length };
  struct tool_shape shape;
  gsize n_bytes;

  if (!get_shape (&shape, layout, what, error))
    return false;
  n_bytes = (gsize) length * shape.scalar_size;
  for (guint i = 0; i < shape.n_dimensions; i++)
    {
      dimensions[1 + i] = shape.dimensions[i];
      n_bytes *= (gsize) shape.dimensions[i];
    }
  g_autofree gpointer tight = tool_array_unpad (layout, elements, (gsize) length);
  if (tight == NULL)
    return tool_fail (error, _("argument '%s': not enough memory"), what);
  return tool_npy_write (writer, npy_type (&shape), dimensions, 1 + shape.n_dimensions, tight, n_bytes, error);
}
