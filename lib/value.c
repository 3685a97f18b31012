/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/value.h"

#include <inttypes.h>
#include <string.h>

static const char *const type_names[] = {
  [GB_VALUE_NONE] = "none",
  [GB_VALUE_BOOL] = "bool",
  [GB_VALUE_U64] = "u64",
  [GB_VALUE_I64] = "i64",
  [GB_VALUE_DOUBLE] = "double",
  [GB_VALUE_STRING] = "string",
  [GB_VALUE_BYTES] = "bytes",
  [GB_VALUE_U64_LIST] = "u64-list",
  [GB_VALUE_STRING_LIST] = "string-list",
  [GB_VALUE_UUID] = "uuid",
};

static const struct
{
  const char *name;
  const char *symbol;
} units[] = {
  [GB_UNIT_NONE] = { "none", "" },
  [GB_UNIT_BYTES] = { "bytes", "B" },
  [GB_UNIT_BITS] = { "bits", "bit" },
  [GB_UNIT_HERTZ] = { "hertz", "Hz" },
  [GB_UNIT_NANOSECONDS] = { "nanoseconds", "ns" },
  [GB_UNIT_COUNT] = { "count", "" },
  [GB_UNIT_PERCENT] = { "percent", "%" },
  [GB_UNIT_TEXELS] = { "texels", "texels" },
  [GB_UNIT_BYTES_PER_SECOND] = { "bytes-per-second", "B/s" },
};

const char *
gb_value_type_name (enum gb_value_type type)
{
  return (guint) type < G_N_ELEMENTS (type_names) ? type_names[type] : "unknown";
}

const char *
gb_unit_name (enum gb_unit unit)
{
  return (guint) unit < G_N_ELEMENTS (units) ? units[unit].name : "unknown";
}

const char *
gb_unit_symbol (enum gb_unit unit)
{
  return (guint) unit < G_N_ELEMENTS (units) ? units[unit].symbol : "";
}

/* Frees what the value owns; the unit stays. */
static void
reset (struct gb_value *value,
       enum gb_value_type type)
{
  switch (value->type)
    {
    case GB_VALUE_STRING:
      g_free (value->as.string);
      break;
    case GB_VALUE_BYTES:
      g_bytes_unref (value->as.bytes);
      break;
    case GB_VALUE_U64_LIST:
      g_free (value->as.u64_list.items);
      break;
    case GB_VALUE_STRING_LIST:
      g_strfreev (value->as.string_list);
      break;
    case GB_VALUE_NONE:
    case GB_VALUE_BOOL:
    case GB_VALUE_U64:
    case GB_VALUE_I64:
    case GB_VALUE_DOUBLE:
    case GB_VALUE_UUID:
      break;
    }
  memset (&value->as, 0, sizeof value->as);
  value->type = type;
}

void
gb_value_clear (struct gb_value *value)
{
  reset (value, GB_VALUE_NONE);
  value->unit = GB_UNIT_NONE;
}

void
gb_value_set_bool (struct gb_value *value,
                   bool boolean)
{
  reset (value, GB_VALUE_BOOL);
  value->as.boolean = boolean;
}

void
gb_value_set_u64 (struct gb_value *value,
                  guint64 number)
{
  reset (value, GB_VALUE_U64);
  value->as.u64 = number;
}

void
gb_value_set_i64 (struct gb_value *value,
                  gint64 number)
{
  reset (value, GB_VALUE_I64);
  value->as.i64 = number;
}

void
gb_value_set_double (struct gb_value *value,
                     double number)
{
  reset (value, GB_VALUE_DOUBLE);
  value->as.real = number;
}

/* Each setter that copies does so before it frees: the new content may be part
 * of the old one. */
void
gb_value_set_string (struct gb_value *value,
                     const char *string)
{
  char *copy = g_utf8_make_valid (string, -1);

  reset (value, GB_VALUE_STRING);
  value->as.string = copy;
}

void
gb_value_set_bytes (struct gb_value *value,
                    gconstpointer data,
                    gsize size)
{
  GBytes *copy = g_bytes_new (data, size);

  reset (value, GB_VALUE_BYTES);
  value->as.bytes = copy;
}

void
gb_value_set_u64_list (struct gb_value *value,
                       const guint64 *items,
                       gsize n_items)
{
  guint64 *copy = g_new (guint64, n_items);

  if (n_items != 0)
    memcpy (copy, items, n_items * sizeof *copy);
  reset (value, GB_VALUE_U64_LIST);
  value->as.u64_list.items = copy;
  value->as.u64_list.n_items = n_items;
}

void
gb_value_set_string_list (struct gb_value *value,
                          const char *const *strings)
{
  gsize length = g_strv_length ((char **) strings);
  char **copy = g_new0 (char *, length + 1);

  for (gsize i = 0; i < length; i++)
    copy[i] = g_utf8_make_valid (strings[i], -1);
  reset (value, GB_VALUE_STRING_LIST);
  value->as.string_list = copy;
}

void
gb_value_set_uuid (struct gb_value *value,
                   const guint8 uuid[GB_UUID_SIZE])
{
  guint8 copy[GB_UUID_SIZE];

  memcpy (copy, uuid, sizeof copy);
  reset (value, GB_VALUE_UUID);
  memcpy (value->as.uuid, copy, sizeof copy);
}

void
gb_value_copy (struct gb_value *to,
               const struct gb_value *from)
{
  struct gb_value copy = *from;

  switch (from->type)
    {
    case GB_VALUE_STRING:
      copy.as.string = g_strdup (from->as.string);
      break;
    case GB_VALUE_BYTES:
      copy.as.bytes = g_bytes_ref (from->as.bytes);
      break;
    case GB_VALUE_U64_LIST:
      copy.as.u64_list.items = NULL;
      copy.type = GB_VALUE_NONE;
      gb_value_set_u64_list (&copy, from->as.u64_list.items, from->as.u64_list.n_items);
      break;
    case GB_VALUE_STRING_LIST:
      copy.as.string_list = g_strdupv (from->as.string_list);
      break;
    case GB_VALUE_NONE:
    case GB_VALUE_BOOL:
    case GB_VALUE_U64:
    case GB_VALUE_I64:
    case GB_VALUE_DOUBLE:
    case GB_VALUE_UUID:
      break;
    }
  gb_value_clear (to);
  *to = copy;
}

void
gb_value_move (struct gb_value *to,
               struct gb_value *from)
{
  static const struct gb_value empty = GB_VALUE_INIT;
  struct gb_value moved = *from;

  *from = empty;
  gb_value_clear (to);
  *to = moved;
}

bool
gb_value_equal (const struct gb_value *a,
                const struct gb_value *b)
{
  if (a->type != b->type || a->unit != b->unit)
    return false;

  switch (a->type)
    {
    case GB_VALUE_NONE:
      return true;
    case GB_VALUE_BOOL:
      return a->as.boolean == b->as.boolean;
    case GB_VALUE_U64:
      return a->as.u64 == b->as.u64;
    case GB_VALUE_I64:
      return a->as.i64 == b->as.i64;
    case GB_VALUE_DOUBLE:
      /* By bits: a value equals its copy, NaN or not. */
      return memcmp (&a->as.real, &b->as.real, sizeof a->as.real) == 0;
    case GB_VALUE_STRING:
      return strcmp (a->as.string, b->as.string) == 0;
    case GB_VALUE_BYTES:
      return g_bytes_equal (a->as.bytes, b->as.bytes);
    case GB_VALUE_U64_LIST:
      return a->as.u64_list.n_items == b->as.u64_list.n_items
             && (a->as.u64_list.n_items == 0
                 || memcmp (a->as.u64_list.items, b->as.u64_list.items,
                            a->as.u64_list.n_items * sizeof (guint64)) == 0);
    case GB_VALUE_STRING_LIST:
      return g_strv_equal ((const char *const *) a->as.string_list,
                           (const char *const *) b->as.string_list);
    case GB_VALUE_UUID:
      return memcmp (a->as.uuid, b->as.uuid, GB_UUID_SIZE) == 0;
    }
  return false;
}

GVariant *
gb_value_to_variant (const struct gb_value *value)
{
  switch (value->type)
    {
    case GB_VALUE_NONE:
      return NULL;
    case GB_VALUE_BOOL:
      return g_variant_new_boolean (value->as.boolean);
    case GB_VALUE_U64:
      return g_variant_new_uint64 (value->as.u64);
    case GB_VALUE_I64:
      return g_variant_new_int64 (value->as.i64);
    case GB_VALUE_DOUBLE:
      return g_variant_new_double (value->as.real);
    case GB_VALUE_STRING:
      return g_variant_new_string (value->as.string);
    case GB_VALUE_BYTES:
      return g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, value->as.bytes, TRUE);
    case GB_VALUE_U64_LIST:
      return g_variant_new_fixed_array (G_VARIANT_TYPE_UINT64, value->as.u64_list.items,
                                        value->as.u64_list.n_items, sizeof (guint64));
    case GB_VALUE_STRING_LIST:
      return g_variant_new_strv ((const char *const *) value->as.string_list, -1);
    case GB_VALUE_UUID:
      return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, value->as.uuid, GB_UUID_SIZE, 1);
    }
  return NULL;
}

/* Reads a whole number of any width as sign and magnitude. */
static bool
variant_integer (GVariant *variant,
                 bool *negative,
                 guint64 *magnitude)
{
  gint64 number;

  switch (g_variant_classify (variant))
    {
    case G_VARIANT_CLASS_BYTE:
      *magnitude = g_variant_get_byte (variant);
      *negative = false;
      return true;
    case G_VARIANT_CLASS_UINT16:
      *magnitude = g_variant_get_uint16 (variant);
      *negative = false;
      return true;
    case G_VARIANT_CLASS_UINT32:
      *magnitude = g_variant_get_uint32 (variant);
      *negative = false;
      return true;
    case G_VARIANT_CLASS_UINT64:
      *magnitude = g_variant_get_uint64 (variant);
      *negative = false;
      return true;
    case G_VARIANT_CLASS_INT16:
      number = g_variant_get_int16 (variant);
      break;
    case G_VARIANT_CLASS_INT32:
      number = g_variant_get_int32 (variant);
      break;
    case G_VARIANT_CLASS_INT64:
      number = g_variant_get_int64 (variant);
      break;
    default:
      return false;
    }
  *negative = number < 0;
  *magnitude = number < 0 ? 0 - (guint64) number : (guint64) number;
  return true;
}

static bool
set_from_integer (struct gb_value *value,
                  enum gb_value_type type,
                  GVariant *variant)
{
  bool negative = false;
  guint64 magnitude = 0;

  if (!variant_integer (variant, &negative, &magnitude))
    return false;
  if (type == GB_VALUE_U64)
    {
      if (negative)
        return false;
      gb_value_set_u64 (value, magnitude);
      return true;
    }
  if (magnitude > (guint64) G_MAXINT64 + (negative ? 1 : 0))
    return false;
  gb_value_set_i64 (value, negative ? (gint64) (0 - magnitude) : (gint64) magnitude);
  return true;
}

static bool
set_from_array (struct gb_value *value,
                enum gb_value_type type,
                GVariant *variant)
{
  gconstpointer items;
  gsize n_items = 0;

  if (type == GB_VALUE_U64_LIST)
    {
      if (!g_variant_is_of_type (variant, G_VARIANT_TYPE ("at")))
        return false;
      items = g_variant_get_fixed_array (variant, &n_items, sizeof (guint64));
      gb_value_set_u64_list (value, items, n_items);
      return true;
    }

  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_BYTESTRING))
    return false;
  items = g_variant_get_fixed_array (variant, &n_items, 1);
  if (type == GB_VALUE_BYTES)
    gb_value_set_bytes (value, items, n_items);
  else if (n_items == GB_UUID_SIZE)
    gb_value_set_uuid (value, items);
  else
    return false;
  return true;
}

bool
gb_value_from_variant (struct gb_value *value,
                       enum gb_value_type type,
                       GVariant *variant)
{
  const char **strings;

  switch (type)
    {
    case GB_VALUE_NONE:
      return false;
    case GB_VALUE_BOOL:
      if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_BOOLEAN))
        return false;
      gb_value_set_bool (value, g_variant_get_boolean (variant));
      return true;
    case GB_VALUE_U64:
    case GB_VALUE_I64:
      return set_from_integer (value, type, variant);
    case GB_VALUE_DOUBLE:
      if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_DOUBLE))
        return false;
      gb_value_set_double (value, g_variant_get_double (variant));
      return true;
    case GB_VALUE_STRING:
      if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_STRING))
        return false;
      gb_value_set_string (value, g_variant_get_string (variant, NULL));
      return true;
    case GB_VALUE_STRING_LIST:
      if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_STRING_ARRAY))
        return false;
      strings = g_variant_get_strv (variant, NULL);
      gb_value_set_string_list (value, strings);
      g_free (strings);
      return true;
    case GB_VALUE_BYTES:
    case GB_VALUE_U64_LIST:
    case GB_VALUE_UUID:
      return set_from_array (value, type, variant);
    }
  return false;
}

static void
append_hex (GString *text,
            const guint8 *bytes,
            gsize size)
{
  for (gsize i = 0; i < size; i++)
    g_string_append_printf (text, "%02x", bytes[i]);
}

static void
append_uuid (GString *text,
             const guint8 uuid[GB_UUID_SIZE])
{
  static const guint8 group_sizes[] = { 4, 2, 2, 2, 6 };
  gsize at = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (group_sizes); i++)
    {
      if (i != 0)
        g_string_append_c (text, '-');
      append_hex (text, uuid + at, group_sizes[i]);
      at += group_sizes[i];
    }
}

static void
append_unit (GString *text,
             enum gb_unit unit)
{
  const char *symbol = gb_unit_symbol (unit);

  if (*symbol != '\0')
    g_string_append_printf (text, " %s", symbol);
}

void
gb_value_append_text (const struct gb_value *value,
                      GString *text)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (value->type)
    {
    case GB_VALUE_NONE:
      break;
    case GB_VALUE_BOOL:
      g_string_append (text, value->as.boolean ? "yes" : "no");
      break;
    case GB_VALUE_U64:
      g_string_append_printf (text, "%" PRIu64, value->as.u64);
      append_unit (text, value->unit);
      break;
    case GB_VALUE_I64:
      g_string_append_printf (text, "%" PRId64, value->as.i64);
      append_unit (text, value->unit);
      break;
    case GB_VALUE_DOUBLE:
      g_string_append (text, g_ascii_formatd (number, sizeof number, "%g", value->as.real));
      append_unit (text, value->unit);
      break;
    case GB_VALUE_STRING:
      g_string_append (text, value->as.string);
      break;
    case GB_VALUE_BYTES:
      append_hex (text, g_bytes_get_data (value->as.bytes, NULL),
                  g_bytes_get_size (value->as.bytes));
      break;
    case GB_VALUE_U64_LIST:
      for (gsize i = 0; i < value->as.u64_list.n_items; i++)
        g_string_append_printf (text, "%s%" PRIu64, i == 0 ? "" : ", ",
                                value->as.u64_list.items[i]);
      if (value->as.u64_list.n_items != 0)
        append_unit (text, value->unit);
      break;
    case GB_VALUE_STRING_LIST:
      for (gsize i = 0; value->as.string_list[i] != NULL; i++)
        g_string_append_printf (text, "%s%s", i == 0 ? "" : ", ", value->as.string_list[i]);
      break;
    case GB_VALUE_UUID:
      append_uuid (text, value->as.uuid);
      break;
    }
}
