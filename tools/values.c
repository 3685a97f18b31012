/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/values.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/report.h"
#include "tools/types.h"

struct source
{
  const char *what;
  char **numbers;
  guint next;
};

static bool
parse_real (const char *what, const char *text, const char *type, double *number, GError **error)
{
  char *end = NULL;
  double parsed = g_ascii_strtod (text, &end);

  if (text[0] == '\0' || g_ascii_isspace (text[0]) || end == text || *end != '\0')
    return tool_usage (error, _("argument '%s': '%s' is not a number"), what, text);
  bool names_infinity = strpbrk (text, "nN") != NULL && !isfinite (parsed);
  if (names_infinity)
    return tool_usage (error, _("argument '%s': '%s' is not a finite number"), what, text);
  if (!isfinite (parsed))
    return tool_usage (error, _("argument '%s': %s is out of the range of %s"), what, text, type);
  *number = parsed;
  return true;
}

/* A sign, decimal digits or 0x and hexadecimal ones; nothing else. NULL or a floating value that may not fit its type. */
static GVariant *
parse_integer (const char *what, const char *text, const char *type, GError **error)
{
  bool is_negative = text[0] == '-';
  const char *digits = text + (text[0] == '-' || text[0] == '+');
  bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const char *first = hexadecimal ? digits + 2 : digits;
  gsize n_digits = strspn (first, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");

  if (n_digits == 0 || first[n_digits] != '\0')
    {
      tool_usage (error, _("argument '%s': '%s' is not a whole number"), what, text);
      return NULL;
    }
  errno = 0;
  guint64 magnitude = g_ascii_strtoull (first, NULL, hexadecimal ? 16 : 10);
  if (errno == ERANGE || (is_negative && magnitude > (guint64) G_MAXINT64 + 1))
    {
      tool_usage (error, _("argument '%s': %s is out of the range of %s"), what, text, type);
      return NULL;
    }
  return is_negative ? g_variant_new_int64 ((gint64) -magnitude) : g_variant_new_uint64 (magnitude);
}

static GVariant *
parse_bool (const char *what, const char *text, GError **error)
{
  bool is_true = strcmp (text, "true") == 0 || strcmp (text, "1") == 0;

  if (is_true || strcmp (text, "false") == 0 || strcmp (text, "0") == 0)
    return g_variant_new_boolean (is_true);
  tool_usage (error, _("argument '%s': '%s' is neither 'true' nor 'false'"), what, text);
  return NULL;
}

static GVariant *
parse_scalar (GabbroLayout *layout, const char *what, const char *text, GError **error)
{
  double real = 0;

  switch (gabbro_layout_get_kind (layout))
    {
    case GABBRO_LAYOUT_BOOL:
      return parse_bool (what, text, error);
    case GABBRO_LAYOUT_HALF:
    case GABBRO_LAYOUT_FLOAT:
    case GABBRO_LAYOUT_DOUBLE:
    case GABBRO_LAYOUT_BFLOAT:
    case GABBRO_LAYOUT_FP8E4M3:
    case GABBRO_LAYOUT_FP8E5M2:
      return parse_real (what, text, gabbro_layout_get_name (layout), &real, error) ? g_variant_new_double (real) : NULL;
    default:
      return parse_integer (what, text, gabbro_layout_get_name (layout), error);
    }
}

static bool
fill_scalar (GabbroLayout *layout, struct source *source, guint8 *data, GError **error)
{
  g_autoptr (GError) failure = NULL;
  GVariant *value = parse_scalar (layout, source->what, source->numbers[source->next++], error);

  if (value == NULL)
    return false;
  /* The library knows what each type can hold. */
  GBytes *bytes = gabbro_layout_pack (layout, value, &failure);
  if (bytes == NULL)
    return tool_usage (error, _("argument '%s': %s"), source->what, failure->message);
  memcpy (data, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_bytes_unref (bytes);
  return true;
}

static bool
fill (GabbroLayout *layout, struct source *source, guint8 *data, GError **error)
{
  if (tool_type_is_scalar (layout))
    return fill_scalar (layout, source, data, error);
  if (gabbro_layout_get_kind (layout) == GABBRO_LAYOUT_STRUCT)
    {
      for (guint i = 0; i < gabbro_layout_get_n_members (layout); i++)
        {
          if (!fill (gabbro_layout_get_member_layout (layout, i), source, data + gabbro_layout_get_member_offset (layout, i), error))
            return false;
        }
      return true;
    }
  for (guint64 i = 0; i < gabbro_layout_get_length (layout); i++)
    {
      if (!fill (gabbro_layout_get_element (layout), source, data + i * gabbro_layout_get_stride (layout), error))
        return false;
    }
  return true;
}

GBytes *
tool_value_parse (GabbroLayout *layout, const char *what, const char *text, GError **error)
{
  g_auto (GStrv) numbers = g_strsplit (text, ",", -1);
  guint n_numbers = g_strv_length (numbers);
  guint64 n_wanted = tool_type_n_numbers (layout);

  if (n_wanted > TOOL_MAX_NUMBERS)
    {
      tool_usage (error, _("argument '%s': %s has more than %d numbers, too many for a command line; give %s=raw:FILE"), what,
                  gabbro_layout_get_name (layout), TOOL_MAX_NUMBERS, what);
      return NULL;
    }
  if (n_numbers != n_wanted)
    {
      tool_usage (error,
                  ngettext ("argument '%s': %s takes %u number, %u given: '%s'",
                            "argument '%s': %s takes %u numbers, %u given: '%s'", (gulong) n_wanted),
                  what, gabbro_layout_get_name (layout), (guint) n_wanted, n_numbers, text);
      return NULL;
    }
  struct source source = { what, numbers, 0 };
  gsize size = (gsize) gabbro_layout_get_size (layout);
  g_autofree guint8 *data = g_try_malloc0 (MAX (size, 1));
  if (data == NULL)
    {
      tool_fail (error, _("argument '%s': not enough memory for %" PRIu64 " bytes"), what, (guint64) size);
      return NULL;
    }
  if (!fill (layout, &source, data, error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), size);
}

/* As few digits as bring the same bytes back; seventeen always do. */
static void
append_real (GString *text, GabbroLayout *layout, GBytes *bytes, double real)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 6; digits <= 17; digits++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, real);
      if (!isfinite (real))
        break;
      g_autoptr (GBytes) again = gabbro_layout_pack (layout, g_variant_new_double (g_ascii_strtod (buffer, NULL)), NULL);
      if (again != NULL && g_bytes_equal (again, bytes))
        break;
    }
  g_string_append (text, buffer);
}

static void
append_scalar (GString *text, GabbroLayout *layout, const guint8 *data)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, (gsize) gabbro_layout_get_size (layout));
  g_autoptr (GVariant) value = gabbro_layout_unpack (layout, bytes, 0, NULL);

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    append_real (text, layout, bytes, g_variant_get_double (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BYTE))
    g_string_append_printf (text, "%u", g_variant_get_byte (value));
  else
    {
      g_autofree char *printed = g_variant_print (value, FALSE);
      g_string_append (text, printed);
    }
}

void
tool_value_append (GString *text, GabbroLayout *layout, gconstpointer data)
{
  bool is_structure = gabbro_layout_get_kind (layout) == GABBRO_LAYOUT_STRUCT;
  guint64 n_parts = is_structure ? gabbro_layout_get_n_members (layout) : gabbro_layout_get_length (layout);

  if (tool_type_is_scalar (layout))
    {
      append_scalar (text, layout, data);
      return;
    }
  g_string_append_c (text, '(');
  for (guint64 i = 0; i < n_parts; i++)
    {
      GabbroLayout *part = is_structure ? gabbro_layout_get_member_layout (layout, (guint) i) : gabbro_layout_get_element (layout);
      guint64 offset = is_structure ? gabbro_layout_get_member_offset (layout, (guint) i) : i * gabbro_layout_get_stride (layout);
      if (i > 0)
        g_string_append (text, ", ");
      tool_value_append (text, part, (const guint8 *) data + offset);
    }
  g_string_append_c (text, ')');
}
