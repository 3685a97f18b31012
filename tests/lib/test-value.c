/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/value.h"

#include <math.h>
#include <string.h>

#include "tests/test-main.h"

static const guint8 uuid[GB_UUID_SIZE] = {
  0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 1, 2, 3, 4, 5, 6, 0xff,
};

#define N_VALUES 10

/* One of each type. */
static void
make_values (struct gb_value values[N_VALUES])
{
  static const guint64 numbers[] = { 1, 2, G_MAXUINT64 };
  static const char *const strings[] = { "granite", "gneiss", NULL };

  memset (values, 0, N_VALUES * sizeof *values);
  gb_value_set_bool (&values[1], true);
  gb_value_set_u64 (&values[2], G_MAXUINT64);
  gb_value_set_i64 (&values[3], -5);
  gb_value_set_double (&values[4], 0.5);
  gb_value_set_string (&values[5], "schist");
  gb_value_set_bytes (&values[6], "\0\1\xff", 3);
  gb_value_set_u64_list (&values[7], numbers, G_N_ELEMENTS (numbers));
  gb_value_set_string_list (&values[8], strings);
  gb_value_set_uuid (&values[9], uuid);
  values[2].unit = GB_UNIT_BYTES;
  values[4].unit = GB_UNIT_PERCENT;
  values[7].unit = GB_UNIT_HERTZ;
}

static void
clear_values (struct gb_value values[N_VALUES])
{
  for (guint i = 0; i < N_VALUES; i++)
    {
      gb_value_clear (&values[i]);
      ck_assert_int_eq (values[i].type, GB_VALUE_NONE);
      ck_assert_int_eq (values[i].unit, GB_UNIT_NONE);
    }
}

START_TEST (copy_move_equal)
{
  struct gb_value values[N_VALUES];

  make_values (values);
  for (guint i = 0; i < N_VALUES; i++)
    for (guint j = 0; j < N_VALUES; j++)
      {
        struct gb_value copy = GB_VALUE_INIT, moved = GB_VALUE_INIT;

        ck_assert_int_eq (values[i].type, (int) i);
        ck_assert (gb_value_equal (&values[i], &values[j]) == (i == j));
        /* Over a value of each other type. */
        gb_value_copy (&copy, &values[j]);
        gb_value_copy (&copy, &values[i]);
        ck_assert (gb_value_equal (&copy, &values[i]));
        gb_value_copy (&moved, &values[j]);
        gb_value_move (&moved, &copy);
        ck_assert (gb_value_equal (&moved, &values[i]));
        ck_assert_int_eq (copy.type, GB_VALUE_NONE);
        moved.unit = GB_UNIT_NANOSECONDS;
        ck_assert (!gb_value_equal (&moved, &values[i]));
        gb_value_clear (&moved);
        gb_value_clear (&moved);
      }
  clear_values (values);
}
END_TEST

START_TEST (differing_contents)
{
  static const guint64 numbers[] = { 1, 2, 3 };
  struct gb_value values[N_VALUES], others[N_VALUES];

  make_values (values);
  make_values (others);
  gb_value_set_bool (&others[1], false);
  gb_value_set_u64 (&others[2], 0);
  gb_value_set_i64 (&others[3], 5);
  gb_value_set_double (&others[4], NAN);
  gb_value_set_string (&others[5], "schis");
  gb_value_set_bytes (&others[6], "\0\1\xfe", 3);
  gb_value_set_u64_list (&others[7], numbers, 2);
  gb_value_set_string_list (&others[8], (const char *const[]) { "granite", NULL });
  others[9].as.uuid[15]--;
  for (guint i = 1; i < N_VALUES; i++)
    ck_assert_msg (!gb_value_equal (&values[i], &others[i]), "%u", i);
  gb_value_copy (&values[4], &others[4]);
  ck_assert (gb_value_equal (&values[4], &others[4]));
  clear_values (values);
  clear_values (others);
}
END_TEST

START_TEST (own_content)
{
  struct gb_value value = GB_VALUE_INIT;

  gb_value_set_string (&value, "hornblende");
  gb_value_set_string (&value, value.as.string + 4);
  ck_assert_str_eq (value.as.string, "blende");
  gb_value_copy (&value, &value);
  ck_assert_str_eq (value.as.string, "blende");
  gb_value_set_uuid (&value, uuid);
  gb_value_set_uuid (&value, value.as.uuid);
  ck_assert_mem_eq (value.as.uuid, uuid, GB_UUID_SIZE);
  gb_value_clear (&value);
}
END_TEST

START_TEST (invalid_text_is_repaired)
{
  struct gb_value value = GB_VALUE_INIT;

  gb_value_set_string (&value, "a\xff" "b");
  ck_assert (g_utf8_validate (value.as.string, -1, NULL));
  gb_value_set_string_list (&value, (const char *const[]) { "\xc3", NULL });
  ck_assert (g_utf8_validate (value.as.string_list[0], -1, NULL));
  gb_value_clear (&value);
}
END_TEST

START_TEST (variants)
{
  static const char *const types[N_VALUES] = {
    NULL, "b", "t", "x", "d", "s", "ay", "at", "as", "ay",
  };
  struct gb_value values[N_VALUES];

  make_values (values);
  ck_assert_ptr_null (gb_value_to_variant (&values[0]));
  for (guint i = 1; i < N_VALUES; i++)
    {
      GVariant *variant = g_variant_ref_sink (gb_value_to_variant (&values[i]));

      ck_assert_str_eq (g_variant_get_type_string (variant), types[i]);
      for (guint j = 0; j < N_VALUES; j++)
        {
          struct gb_value back = GB_VALUE_INIT;
          bool expected = i == j || (i == GB_VALUE_UUID && j == GB_VALUE_BYTES);

          back.unit = values[i].unit;
          ck_assert_msg (gb_value_from_variant (&back, (enum gb_value_type) j, variant) == expected,
                         "%u as %u", i, j);
          if (i == j)
            ck_assert (gb_value_equal (&back, &values[i]));
          if (!expected)
            ck_assert_int_eq (back.type, GB_VALUE_NONE);
          gb_value_clear (&back);
        }
      g_variant_unref (variant);
    }
  clear_values (values);
}
END_TEST

START_TEST (integers_of_every_width)
{
  static const struct
  {
    const char *text;
    bool fits_u64;
    bool fits_i64;
  } cases[] = {
    { "byte 200", true, true },
    { "uint16 7", true, true },
    { "uint32 7", true, true },
    { "uint64 9223372036854775807", true, true },
    { "uint64 9223372036854775808", true, false },
    { "int16 -1", false, true },
    { "int32 5", true, true },
    { "int64 -9223372036854775808", false, true },
    { "true", false, false },
    { "1.0", false, false },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GVariant *variant = g_variant_new_parsed (cases[i].text);
      struct gb_value value = GB_VALUE_INIT;

      g_variant_ref_sink (variant);
      ck_assert (gb_value_from_variant (&value, GB_VALUE_U64, variant) == cases[i].fits_u64);
      ck_assert (gb_value_from_variant (&value, GB_VALUE_I64, variant) == cases[i].fits_i64);
      g_variant_unref (variant);
    }
  {
    GVariant *variant = g_variant_ref_sink (g_variant_new_int64 (G_MININT64));
    struct gb_value value = GB_VALUE_INIT;

    ck_assert (gb_value_from_variant (&value, GB_VALUE_I64, variant));
    ck_assert_int_eq (value.as.i64, G_MININT64);
    g_variant_unref (variant);
  }
}
END_TEST

START_TEST (text)
{
  static const char *const wanted[N_VALUES] = {
    "", "yes", "18446744073709551615 B", "-5", "0.5 %", "schist", "0001ff",
    "1, 2, 18446744073709551615 Hz", "granite, gneiss", "01234567-89ab-cdef-0001-0203040506ff",
  };
  struct gb_value values[N_VALUES];

  make_values (values);
  for (guint i = 0; i < N_VALUES; i++)
    {
      GString *string = g_string_new (NULL);

      gb_value_append_text (&values[i], string);
      ck_assert_str_eq (string->str, wanted[i]);
      g_string_free (string, TRUE);
    }
  clear_values (values);
  ck_assert_str_eq (gb_value_type_name (GB_VALUE_UUID), "uuid");
  ck_assert_str_eq (gb_value_type_name ((enum gb_value_type) 99), "unknown");
  ck_assert_str_eq (gb_unit_name (GB_UNIT_BYTES_PER_SECOND), "bytes-per-second");
  ck_assert_str_eq (gb_unit_symbol (GB_UNIT_COUNT), "");
  for (int unit = 0; unit <= GB_UNIT_BYTES_PER_SECOND; unit++)
    ck_assert_ptr_nonnull (gb_unit_name ((enum gb_unit) unit));
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("value");
  TCase *test_case = gb_test_case (suite, "value");

  tcase_add_test (test_case, copy_move_equal);
  tcase_add_test (test_case, differing_contents);
  tcase_add_test (test_case, own_content);
  tcase_add_test (test_case, invalid_text_is_repaired);
  tcase_add_test (test_case, variants);
  tcase_add_test (test_case, integers_of_every_width);
  tcase_add_test (test_case, text);
  return suite;
}

GB_TEST_MAIN (make_suite)
