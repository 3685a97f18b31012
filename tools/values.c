/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/values.h"

#include <errno.h>
#include <float.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/report.h"

struct source
{
  const char *what;
  char **numbers;
  guint next;
};

static bool
parse_float (const char *what, const char *text, float *number, GError **error)
{
  char *end = NULL;
  double parsed = g_ascii_strtod (text, &end);

  if (text[0] == '\0' || g_ascii_isspace (text[0]) || end == text || *end != '\0')
    return tool_usage (error, _("argument '%s': '%s' is not a number"), what, text);
  bool names_infinity = strpbrk (text, "nN") != NULL && !isfinite (parsed);
  if (names_infinity)
    return tool_usage (error, _("argument '%s': '%s' is not a finite number"), what, text);
  if (!isfinite (parsed) || fabs (parsed) > (double) FLT_MAX)
    return tool_usage (error, _("argument '%s': %s is out of the range of float, which ends at %s"),
                       what, text, "±3.4028235e38");
  *number = (float) parsed;
  return true;
}

/* A sign, decimal digits or 0x and hexadecimal ones; nothing else. */
static bool
parse_integer (const char *what, const char *text, gint64 least, gint64 most, gint64 *number, GError **error)
{
  const char *digits = text + (text[0] == '-' || text[0] == '+');
  bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const char *first = hexadecimal ? digits + 2 : digits;
  gsize n_digits = strspn (first, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");

  if (n_digits == 0 || first[n_digits] != '\0')
    return tool_usage (error, _("argument '%s': '%s' is not a whole number"), what, text);
  errno = 0;
  gint64 parsed = g_ascii_strtoll (text, NULL, hexadecimal ? 16 : 10);
  if (errno == ERANGE || parsed < least || parsed > most)
    return tool_usage (error,
                       _("argument '%s': %s is not in the range from %" PRId64 " to %" PRId64),
                       what, text, least, most);
  *number = parsed;
  return true;
}

static bool
parse_bool (const char *what, const char *text, guint32 *value, GError **error)
{
  if (strcmp (text, "true") == 0 || strcmp (text, "1") == 0)
    *value = 1;
  else if (strcmp (text, "false") == 0 || strcmp (text, "0") == 0)
    *value = 0;
  else
    return tool_usage (error, _("argument '%s': '%s' is neither 'true' nor 'false'"), what, text);
  return true;
}

static bool
fill_scalar (const struct tool_type *type, struct source *source, guint8 *data, GError **error)
{
  const char *text = source->numbers[source->next++];
  gint64 whole = 0;

  switch (type->kind)
    {
    case TOOL_TYPE_BOOL:
      {
        guint32 number = 0;
        if (!parse_bool (source->what, text, &number, error))
          return false;
        memcpy (data, &number, sizeof number);
        return true;
      }
    case TOOL_TYPE_FLOAT:
      {
        float number = 0;
        if (!parse_float (source->what, text, &number, error))
          return false;
        memcpy (data, &number, sizeof number);
        return true;
      }
    case TOOL_TYPE_INT:
      {
        if (!parse_integer (source->what, text, G_MININT32, G_MAXINT32, &whole, error))
          return false;
        gint32 number = (gint32) whole;
        memcpy (data, &number, sizeof number);
        return true;
      }
    default:
      {
        if (!parse_integer (source->what, text, 0, G_MAXUINT32, &whole, error))
          return false;
        guint32 number = (guint32) whole;
        memcpy (data, &number, sizeof number);
        return true;
      }
    }
}

static bool
fill (const struct tool_type *type, struct source *source, guint8 *data, GError **error)
{
  if (type->kind <= TOOL_TYPE_FLOAT)
    return fill_scalar (type, source, data, error);
  for (guint i = 0; i < type->count; i++)
    {
      const struct tool_type *part = type->members != NULL ? type->members[i] : type->element;
      gsize offset = type->members != NULL ? type->offsets[i] : i * part->size;
      if (!fill (part, source, data + offset, error))
        return false;
    }
  return true;
}

GBytes *
tool_value_parse (const struct tool_type *type, const char *what, const char *text, GError **error)
{
  g_auto (GStrv) numbers = g_strsplit (text, ",", -1);
  guint n_numbers = g_strv_length (numbers);

  if (n_numbers != type->n_numbers)
    {
      g_autofree char *wanted = tool_type_describe (type);
      tool_usage (error,
                  ngettext ("argument '%s': %s takes %u number, %u given: '%s'",
                            "argument '%s': %s takes %u numbers, %u given: '%s'", type->n_numbers),
                  what, wanted, type->n_numbers, n_numbers, text);
      return NULL;
    }
  struct source source = { what, numbers, 0 };
  g_autofree guint8 *data = g_malloc0 (type->size);
  if (!fill (type, &source, data, error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), type->size);
}

static void
append_scalar (GString *text, enum tool_type_kind kind, const guint8 *data)
{
  union
  {
    float real;
    gint32 integer;
    guint32 whole;
  } number = { .whole = 0 };
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  memcpy (&number, data, sizeof number);
  if (kind == TOOL_TYPE_BOOL)
    g_string_append (text, number.whole != 0 ? "true" : "false");
  else if (kind == TOOL_TYPE_INT)
    g_string_append_printf (text, "%d", number.integer);
  else if (kind == TOOL_TYPE_UINT)
    g_string_append_printf (text, "%u", number.whole);
  else
    {
      /* As few digits as bring the same float back; nine always do. */
      for (int digits = 6; digits <= 9; digits++)
        {
          char format[8];
          g_snprintf (format, sizeof format, "%%.%dg", digits);
          g_ascii_formatd (buffer, sizeof buffer, format, (double) number.real);
          if (isnan (number.real) || (float) g_ascii_strtod (buffer, NULL) == number.real)
            break;
        }
      g_string_append (text, buffer);
    }
}

void
tool_value_append (GString *text, const struct tool_type *type, gconstpointer data)
{
  if (type->kind <= TOOL_TYPE_FLOAT)
    {
      append_scalar (text, type->kind, data);
      return;
    }
  g_string_append_c (text, '(');
  for (guint i = 0; i < type->count; i++)
    {
      const struct tool_type *part = type->members != NULL ? type->members[i] : type->element;
      gsize offset = type->members != NULL ? type->offsets[i] : i * part->size;
      if (i > 0)
        g_string_append (text, ", ");
      tool_value_append (text, part, (const guint8 *) data + offset);
    }
  g_string_append_c (text, ')');
}

/* Elements of `from_stride` bytes into elements of `to_stride`, `size` bytes of each. */
static gpointer
restride (gconstpointer data, gsize n_elements, gsize size, gsize from_stride, gsize to_stride)
{
  if (n_elements > G_MAXSIZE / MAX (to_stride, 1))
    return NULL;
  guint8 *result = g_try_malloc0 (MAX (n_elements * to_stride, 1));
  if (result == NULL)
    return NULL;
  if (from_stride == to_stride)
    memcpy (result, data, n_elements * to_stride);
  else
    {
      for (gsize i = 0; i < n_elements; i++)
        memcpy (result + i * to_stride, (const guint8 *) data + i * from_stride, size);
    }
  return result;
}

gpointer
tool_values_pad (const struct tool_type *type, gconstpointer tight, gsize n_elements)
{
  gsize size = (gsize) tool_type_lanes (type) * 4;
  return restride (tight, n_elements, size, size, type->size);
}

gpointer
tool_values_unpad (const struct tool_type *type, gconstpointer padded, gsize n_elements)
{
  gsize size = (gsize) tool_type_lanes (type) * 4;
  return restride (padded, n_elements, size, type->size, size);
}
