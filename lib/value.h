/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Typed values with a unit: what an attribute shows and stores. A value owns
 * what it points at; start with GB_VALUE_INIT and end with gb_value_clear(). */

#pragma once

#include <glib.h>
#include <stdbool.h>

#define GB_UUID_SIZE 16

enum gb_value_type
{
  GB_VALUE_NONE,
  GB_VALUE_BOOL,
  GB_VALUE_U64,
  GB_VALUE_I64,
  GB_VALUE_DOUBLE,
  GB_VALUE_STRING,
  GB_VALUE_BYTES,
  GB_VALUE_U64_LIST,
  GB_VALUE_STRING_LIST,
  GB_VALUE_UUID,
};

enum gb_unit
{
  GB_UNIT_NONE,
  GB_UNIT_BYTES,
  GB_UNIT_BITS,
  GB_UNIT_HERTZ,
  GB_UNIT_NANOSECONDS,
  GB_UNIT_COUNT,
  GB_UNIT_PERCENT,
  GB_UNIT_TEXELS,
  GB_UNIT_BYTES_PER_SECOND,
};

struct gb_value
{
  enum gb_value_type type;
  enum gb_unit unit;
  union
  {
    bool boolean;
    guint64 u64;
    gint64 i64;
    double real;
    char *string;
    GBytes *bytes;
    struct
    {
      guint64 *items;
      gsize n_items;
    } u64_list;
    char **string_list;         /* NULL-terminated */
    guint8 uuid[GB_UUID_SIZE];
  } as;
};

#define GB_VALUE_INIT { GB_VALUE_NONE, GB_UNIT_NONE, { .u64 = 0 } }

/* Every setter clears what was there; none changes the unit. */
void gb_value_clear           (struct gb_value *value);
void gb_value_set_bool        (struct gb_value *value, bool boolean);
void gb_value_set_u64         (struct gb_value *value, guint64 number);
void gb_value_set_i64         (struct gb_value *value, gint64 number);
void gb_value_set_double      (struct gb_value *value, double number);
/* Copies; bytes that are not UTF-8 are replaced. */
void gb_value_set_string      (struct gb_value *value, const char *string);
void gb_value_set_bytes       (struct gb_value *value, gconstpointer data, gsize size);
void gb_value_set_u64_list    (struct gb_value *value, const guint64 *items, gsize n_items);
/* `strings` ends with NULL. */
void gb_value_set_string_list (struct gb_value *value, const char *const *strings);
void gb_value_set_uuid        (struct gb_value *value, const guint8 uuid[GB_UUID_SIZE]);

/* `to` is initialised; it takes the unit too. */
void gb_value_copy  (struct gb_value *to, const struct gb_value *from);
/* Leaves `from` empty. */
void gb_value_move  (struct gb_value *to, struct gb_value *from);
bool gb_value_equal (const struct gb_value *a, const struct gb_value *b);

/* A floating reference: b, t, x, d, s, ay, at, as, ay. NULL for no value. */
GVariant *gb_value_to_variant   (const struct gb_value *value);
/* The way back, for a type that is known; false, with `value` untouched, when
 * the variant is of another type. Whole numbers of every width are taken when
 * they fit. */
bool      gb_value_from_variant (struct gb_value *value, enum gb_value_type type, GVariant *variant);
/* For listings and logs: "4096 B", "yes", "a, b". */
void      gb_value_append_text  (const struct gb_value *value, GString *text);

/* Names for machines ("u64", "bytes"), never translated. */
const char *gb_value_type_name (enum gb_value_type type);
const char *gb_unit_name       (enum gb_unit unit);
/* What stands behind a number: "B", "Hz", "" for counts and no unit. */
const char *gb_unit_symbol     (enum gb_unit unit);
