/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values between GVariant and the bytes that a kernel reads. */

#include "config.h"

#include "gpu/layout-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "codegen/xir/evaluate-private.h"
#include "lib/checked.h"

/* Where in a value a mistake is: members and numbers of elements, the innermost first. */
struct place
{
  const struct place *outer;
  const char *member;                    /* NULL: `index` */
  guint64 index;
};

static void
append_place (GString *text, const struct place *place)
{
  if (place == NULL)
    return;
  append_place (text, place->outer);
  if (place->member == NULL)
    g_string_append_printf (text, "[%" PRIu64 "]", (uint64_t) place->index);
  else
    g_string_append_printf (text, "%s%s", text->len > 0 ? "." : "", place->member);
}

static gboolean fail (const struct place *place, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Always FALSE. */
static gboolean
fail (const struct place *place, GError **error, const char *format, ...)
{
  GString *where = g_string_new (NULL);
  va_list arguments;
  char *what;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  append_place (where, place);
  if (where->len > 0)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("“%s”: %s"), where->str, what);
  else
    g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, what);
  g_string_free (where, TRUE);
  g_free (what);
  return FALSE;
}

/* A number as it came. */
struct number
{
  gboolean is_real, is_negative;         /* negative: an integer below zero */
  double real;
  guint64 integer;                       /* its bits; in two's complement when negative */
};

static struct number
from_signed (gint64 value)
{
  return (struct number) { .is_negative = value < 0, .integer = (guint64) value };
}

static struct number
from_unsigned (guint64 value)
{
  return (struct number) { .integer = value };
}

static gboolean
get_number (GVariant *value, struct number *out)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE: *out = from_unsigned (g_variant_get_byte (value)); return TRUE;
    case G_VARIANT_CLASS_INT16: *out = from_signed (g_variant_get_int16 (value)); return TRUE;
    case G_VARIANT_CLASS_UINT16: *out = from_unsigned (g_variant_get_uint16 (value)); return TRUE;
    case G_VARIANT_CLASS_INT32: *out = from_signed (g_variant_get_int32 (value)); return TRUE;
    case G_VARIANT_CLASS_UINT32: *out = from_unsigned (g_variant_get_uint32 (value)); return TRUE;
    case G_VARIANT_CLASS_INT64: *out = from_signed (g_variant_get_int64 (value)); return TRUE;
    case G_VARIANT_CLASS_UINT64: *out = from_unsigned (g_variant_get_uint64 (value)); return TRUE;
    case G_VARIANT_CLASS_DOUBLE: *out = (struct number) { .is_real = TRUE, .real = g_variant_get_double (value) }; return TRUE;
    default: return FALSE;
    }
}

static enum xir_type_kind
scalar_kind (GabbroLayoutKind kind)
{
  static const enum xir_type_kind kinds[] = {
    [GABBRO_LAYOUT_INT] = XIR_TYPE_INT32, [GABBRO_LAYOUT_UINT] = XIR_TYPE_UINT32, [GABBRO_LAYOUT_FLOAT] = XIR_TYPE_FLOAT32,
    [GABBRO_LAYOUT_CHAR] = XIR_TYPE_INT8, [GABBRO_LAYOUT_UCHAR] = XIR_TYPE_UINT8, [GABBRO_LAYOUT_SHORT] = XIR_TYPE_INT16,
    [GABBRO_LAYOUT_USHORT] = XIR_TYPE_UINT16, [GABBRO_LAYOUT_LONG] = XIR_TYPE_INT64, [GABBRO_LAYOUT_ULONG] = XIR_TYPE_UINT64,
    [GABBRO_LAYOUT_HALF] = XIR_TYPE_FLOAT16, [GABBRO_LAYOUT_DOUBLE] = XIR_TYPE_FLOAT64,
    [GABBRO_LAYOUT_BFLOAT] = XIR_TYPE_BFLOAT16, [GABBRO_LAYOUT_FP8E4M3] = XIR_TYPE_FLOAT8_E4M3,
    [GABBRO_LAYOUT_FP8E5M2] = XIR_TYPE_FLOAT8_E5M2
  };

  return kinds[kind];
}

/* Reals stand for integers where they are whole. */
static gboolean
to_integer (struct number number, enum xir_type_kind kind, guint64 *out)
{
  guint width = evaluate_width (kind) - (evaluate_is_signed (kind) ? 1 : 0);
  guint64 most = G_MAXUINT64 >> (64 - width), magnitude = number.is_negative ? -number.integer : number.integer;

  if (number.is_real)
    {
      /* The power of two behind the largest integer is a double, the largest integer perhaps not. */
      if (number.real != trunc (number.real) || fabs (number.real) > ldexp (1.0, (int) width))
        return FALSE;
      number.is_negative = number.real < 0;
      if (!number.is_negative && number.real == ldexp (1.0, (int) width))
        return FALSE;
      magnitude = (guint64) fabs (number.real);
    }
  if (number.is_negative ? !evaluate_is_signed (kind) || magnitude > most + 1 : magnitude > most)
    return FALSE;
  *out = number.is_negative ? -magnitude : magnitude;
  return TRUE;
}

/* The significand of ones with the highest exponent; the FP8 formats have reserved some of that. */
static double
largest_real (enum xir_type_kind kind)
{
  switch (kind)
    {
    case XIR_TYPE_FLOAT16:
      return 65504;
    case XIR_TYPE_BFLOAT16:
      return 0x1.fep127;
    case XIR_TYPE_FLOAT8_E4M3:
      return 448;
    case XIR_TYPE_FLOAT8_E5M2:
      return 57344;
    case XIR_TYPE_FLOAT32:
      return (double) G_MAXFLOAT;
    default:
      return G_MAXDOUBLE;
    }
}

/* Reals are rounded, as everywhere, but not to infinity or from beyond the largest; integers have to be exact. */
static gboolean
to_real (struct number number, enum xir_type_kind kind, guint64 *out)
{
  guint64 magnitude = number.is_negative ? -number.integer : number.integer;
  double real;

  if (number.is_real)
    {
      *out = evaluate_bits_of_real (kind, number.real);
      return !isfinite (number.real) || (largest_real (kind) >= fabs (evaluate_real_of_bits (kind, *out)) && (evaluate_width (kind) > 8 || fabs (number.real) <= largest_real (kind)));
    }
  *out = evaluate_bits_of_real (kind, (double) magnitude);
  real = evaluate_real_of_bits (kind, *out);
  if (real >= 0x1p64 || (guint64) real != magnitude)
    return FALSE;
  if (number.is_negative)
    *out = evaluate_bits_of_real (kind, -real);
  return TRUE;
}

static gboolean
pack_number (GabbroLayout *layout, GVariant *value, guint8 *out, const struct place *place, GError **error)
{
  enum xir_type_kind kind = scalar_kind (layout->kind);
  struct evaluate_lane lane = { 0, 0 };
  struct number number;
  guint width;
  char *shown;

  if (!get_number (value, &number))
    return fail (place, error, _("A %s is a number, not a value of type “%s”"), layout->name, g_variant_get_type_string (value));
  if (evaluate_is_real (kind) ? to_real (number, kind, &lane.bits) : to_integer (number, kind, &lane.bits))
    {
      evaluate_store (kind, &lane, out);
      return TRUE;
    }
  shown = g_variant_print (value, FALSE);
  width = evaluate_width (kind);
  if (evaluate_is_real (kind) && number.is_real)
    fail (place, error, _("The type %s has numbers up to %.9g, not %s"), layout->name, largest_real (kind), shown);
  else if (evaluate_is_real (kind))
    fail (place, error, _("The integer %s is no %s without rounding"), shown, layout->name);
  else if (evaluate_is_signed (kind))
    fail (place, error, _("The type %s has the whole numbers from %" PRId64 " to %" PRId64 ", not %s"), layout->name,
          (int64_t) -(G_MAXINT64 >> (64 - width)) - 1, (int64_t) (G_MAXINT64 >> (64 - width)), shown);
  else
    fail (place, error, _("The type %s has the whole numbers from 0 to %" PRIu64 ", not %s"), layout->name,
          (uint64_t) (G_MAXUINT64 >> (64 - width)), shown);
  g_free (shown);
  return FALSE;
}

static gboolean pack_value (GabbroLayout *layout, GVariant *value, guint8 *out, const struct place *place, GError **error);

static gboolean
pack_child (GabbroLayout *layout, GVariant *parent, gsize index, guint8 *out, const struct place *place, GError **error)
{
  GVariant *child = g_variant_get_child_value (parent, index);
  gboolean ok = pack_value (layout, child, out, place, error);

  g_variant_unref (child);
  return ok;
}

/* A sequence: an array, or a tuple, but no dictionary. */
static gboolean
is_sequence (GVariant *value)
{
  const GVariantType *type = g_variant_get_type (value);

  return g_variant_type_is_tuple (type) || (g_variant_type_is_array (type) && !g_variant_type_is_subtype_of (type, G_VARIANT_TYPE_DICTIONARY));
}

static gboolean
pack_elements (GabbroLayout *layout, GVariant *value, guint8 *out, const struct place *place, GError **error)
{
  gsize n = is_sequence (value) ? g_variant_n_children (value) : 0;

  if (!is_sequence (value))
    return fail (place, error, _("A %s is a tuple or array of %" PRIu64 " values, not a value of type “%s”"), layout->name,
                 (uint64_t) layout->length, g_variant_get_type_string (value));
  if (n != layout->length)
    return fail (place, error, _("A %s has %" PRIu64 " values, not %zu"), layout->name, (uint64_t) layout->length, n);
  for (gsize i = 0; i < n; i++)
    if (!pack_child (layout->element, value, i, out + i * layout->stride, &(struct place) { place, NULL, i }, error))
      return FALSE;
  return TRUE;
}

static gboolean
pack_tuple (GabbroLayout *layout, GVariant *value, guint8 *out, const struct place *place, GError **error)
{
  gsize n = g_variant_n_children (value);

  if (n != layout->n_members)
    return fail (place, error, _("A %s has %u members, not %zu"), layout->name, layout->n_members, n);
  for (guint i = 0; i < n; i++)
    {
      struct gabbro_layout_member *member = &layout->members[i];

      if (!pack_child (member->layout, value, i, out + member->offset, &(struct place) { place, member->name, 0 }, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
fail_unknown_member (GabbroLayout *layout, const char *name, const struct place *place, GError **error)
{
  const char **names = g_new0 (const char *, layout->n_members + 1);
  const char *nearest;

  for (guint i = 0; i < layout->n_members; i++)
    names[i] = layout->members[i].name;
  nearest = gabbro_nearest (name, names);
  if (nearest != NULL)
    fail (place, error, _("A %s has no member “%s”; did you mean “%s”?"), layout->name, name, nearest);
  else
    {
      char *all = g_strjoinv (", ", (char **) names);

      fail (place, error, _("A %s has no member “%s”; there are: %s"), layout->name, name, all);
      g_free (all);
    }
  g_free (names);
  return FALSE;
}

static gboolean
pack_entry (GabbroLayout *layout, GVariant *entry, guint8 *out, gboolean *seen, const struct place *place, GError **error)
{
  GVariant *key = g_variant_get_child_value (entry, 0);
  const char *name = g_variant_get_string (key, NULL);
  gboolean ok;
  guint i;

  for (i = 0; i < layout->n_members && strcmp (layout->members[i].name, name) != 0; i++)
    ;
  if (i == layout->n_members)
    ok = fail_unknown_member (layout, name, place, error);
  else if (seen[i])
    ok = fail (place, error, _("The member “%s” is there twice"), name);
  else
    ok = pack_child (layout->members[i].layout, entry, 1, out + layout->members[i].offset,
                     &(struct place) { place, layout->members[i].name, 0 }, error);
  if (ok)
    seen[i] = TRUE;
  g_variant_unref (key);
  return ok;
}

static gboolean
pack_dictionary (GabbroLayout *layout, GVariant *value, guint8 *out, const struct place *place, GError **error)
{
  gboolean *seen = g_new0 (gboolean, layout->n_members);
  gsize n = g_variant_n_children (value);
  gboolean ok = TRUE;

  for (gsize i = 0; ok && i < n; i++)
    {
      GVariant *entry = g_variant_get_child_value (value, i);

      ok = pack_entry (layout, entry, out, seen, place, error);
      g_variant_unref (entry);
    }
  for (guint i = 0; ok && i < layout->n_members; i++)
    if (!seen[i])
      ok = fail (place, error, _("The member “%s” of %s is missing"), layout->members[i].name, layout->name);
  g_free (seen);
  return ok;
}

static gboolean
pack_known (GabbroLayout *layout, GVariant *value, guint8 *out, const struct place *place, GError **error)
{
  guint32 word;

  switch (layout->kind)
    {
    case GABBRO_LAYOUT_BOOL:
      if (!g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
        return fail (place, error, _("A bool is true or false, not a value of type “%s”"), g_variant_get_type_string (value));
      word = g_variant_get_boolean (value) != FALSE;
      if (layout->size == 1)
        *out = (guint8) word;
      else
        memcpy (out, &word, sizeof word);
      return TRUE;
    case GABBRO_LAYOUT_VECTOR:
    case GABBRO_LAYOUT_ARRAY:
    case GABBRO_LAYOUT_MATRIX:
      return pack_elements (layout, value, out, place, error);
    case GABBRO_LAYOUT_STRUCT:
      if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a{s*}")))
        return pack_dictionary (layout, value, out, place, error);
      if (g_variant_is_of_type (value, G_VARIANT_TYPE_TUPLE))
        return pack_tuple (layout, value, out, place, error);
      return fail (place, error, _("A %s is a dictionary of its members or a tuple, not a value of type “%s”"), layout->name,
                   g_variant_get_type_string (value));
    default:
      return pack_number (layout, value, out, place, error);
    }
}

/* Values may be boxed anywhere, as those of a{sv} are. */
static gboolean
pack_value (GabbroLayout *layout, GVariant *value, guint8 *out, const struct place *place, GError **error)
{
  GVariant *inner = g_variant_ref (value), *outer;
  gboolean ok;

  while (g_variant_is_of_type (inner, G_VARIANT_TYPE_VARIANT))
    {
      outer = inner;
      inner = g_variant_get_variant (outer);
      g_variant_unref (outer);
    }
  ok = pack_known (layout, inner, out, place, error);
  g_variant_unref (inner);
  return ok;
}

/**
 * gabbro_layout_pack:
 * @layout: a layout
 * @value: the value; consumed when it is floating
 * @error: return location for an error
 *
 * Makes the bytes that a kernel reads. Numbers may be of any type of #GVariant and have to fit: no
 * integer is cut or loses digits; a double is rounded to float. A bool is a boolean. Vectors
 * and arrays are tuples or arrays of the right length, structures dictionaries
 * of all their members (`a{sv}`) or tuples in the order of the members. Each may be boxed
 * (`v`). Bytes between members are zero. Thread-safe; does not block.
 *
 * Returns: (transfer full): gabbro_layout_get_size() bytes, or %NULL
 *   (%GABBRO_ERROR_INVALID_ARGUMENT, with the member, what was given and what is allowed)
 *
 * Since: 0.1
 */
GBytes *
gabbro_layout_pack (GabbroLayout *layout, GVariant *value, GError **error)
{
  guint8 *data;
  gboolean ok;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (value != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  g_variant_ref_sink (value);
  data = layout->size <= G_MAXSIZE ? g_try_malloc0 (layout->size) : NULL;
  if (data == NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_OUT_OF_MEMORY, _("The host has no %" PRIu64 " bytes for a %s"), (uint64_t) layout->size,
                 layout->name);
  ok = data != NULL && pack_value (layout, value, data, NULL, error);
  g_variant_unref (value);
  if (ok)
    return g_bytes_new_take (data, layout->size);
  g_free (data);
  return NULL;
}

static GVariant *unpack_value (GabbroLayout *layout, const guint8 *data);

static GVariant *
unpack_elements (GabbroLayout *layout, const guint8 *data)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, layout->kind == GABBRO_LAYOUT_VECTOR ? G_VARIANT_TYPE_TUPLE : G_VARIANT_TYPE_ARRAY);
  for (guint64 i = 0; i < layout->length; i++)
    g_variant_builder_add_value (&builder, unpack_value (layout->element, data + i * layout->stride));
  return g_variant_builder_end (&builder);
}

static GVariant *
unpack_structure (GabbroLayout *layout, const guint8 *data)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < layout->n_members; i++)
    g_variant_builder_add (&builder, "{sv}", layout->members[i].name, unpack_value (layout->members[i].layout, data + layout->members[i].offset));
  return g_variant_builder_end (&builder);
}

/* The type of #GVariant with the same values; a signed byte has none of its own. Floating. */
static GVariant *
unpack_number (GabbroLayout *layout, const guint8 *data)
{
  struct evaluate_lane lane;

  evaluate_load (scalar_kind (layout->kind), data, &lane);
  switch (layout->kind)
    {
    case GABBRO_LAYOUT_CHAR:
      return g_variant_new_int16 ((gint8) lane.bits);
    case GABBRO_LAYOUT_UCHAR:
      return g_variant_new_byte ((guint8) lane.bits);
    case GABBRO_LAYOUT_SHORT:
      return g_variant_new_int16 ((gint16) lane.bits);
    case GABBRO_LAYOUT_USHORT:
      return g_variant_new_uint16 ((guint16) lane.bits);
    case GABBRO_LAYOUT_INT:
      return g_variant_new_int32 ((gint32) lane.bits);
    case GABBRO_LAYOUT_UINT:
      return g_variant_new_uint32 ((guint32) lane.bits);
    case GABBRO_LAYOUT_LONG:
      return g_variant_new_int64 ((gint64) lane.bits);
    case GABBRO_LAYOUT_ULONG:
      return g_variant_new_uint64 (lane.bits);
    default:
      return g_variant_new_double (lane.real);
    }
}

/* Floating. */
static GVariant *
unpack_value (GabbroLayout *layout, const guint8 *data)
{
  guint32 word;

  switch (layout->kind)
    {
    case GABBRO_LAYOUT_VECTOR:
    case GABBRO_LAYOUT_ARRAY:
    case GABBRO_LAYOUT_MATRIX:
      return unpack_elements (layout, data);
    case GABBRO_LAYOUT_STRUCT:
      return unpack_structure (layout, data);
    case GABBRO_LAYOUT_BOOL:
      if (layout->size == 1)
        return g_variant_new_boolean (*data != 0);
      memcpy (&word, data, sizeof word);
      return g_variant_new_boolean (word != 0);
    default:
      return unpack_number (layout, data);
    }
}

/**
 * gabbro_layout_unpack:
 * @layout: a layout
 * @bytes: memory with such a value
 * @offset: bytes from its start to the value; any number, aligned or not
 * @error: return location for an error
 *
 * Reads a value: a bool is a boolean, an int `i`, a uint `u`, a float `d`, a vector a tuple, an
 * array an array and a structure `a{sv}`. Takes memory many times the size of the
 * value. Thread-safe; does not block.
 *
 * Returns: (transfer full): the value, not floating, or %NULL (%GABBRO_ERROR_INVALID_ARGUMENT)
 *
 * Since: 0.1
 */
GVariant *
gabbro_layout_unpack (GabbroLayout *layout, GBytes *bytes, gsize offset, GError **error)
{
  const guint8 *data;
  gsize size;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (bytes != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  data = g_bytes_get_data (bytes, &size);
  if (gb_range_fits (offset, layout->size, size))
    return g_variant_ref_sink (unpack_value (layout, data + offset));
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("A %s has %" PRIu64 " bytes; there are %zu from byte %zu of %zu on"),
               layout->name, (uint64_t) layout->size, offset < size ? size - offset : 0, offset, size);
  return NULL;
}
