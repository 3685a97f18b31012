/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/reader.h"

#include <string.h>

#include "tests/test-main.h"

static const guint64 numbers[] = {
  0, 1, 127, 128, 129, 16383, 16384, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
  0x8000000000000000, 0xffffffffffffffff,
};

static const gint64 signed_numbers[] = {
  0, -1, 1, -64, 63, 64, -65, G_MININT64, G_MAXINT64, G_MININT64 + 1,
};

static GByteArray *
write_all (void)
{
  GByteArray *out = g_byte_array_new ();

  gb_writer_u8 (out, 0x12);
  gb_writer_u16 (out, 0x3456);
  gb_writer_u32 (out, 0x789abcde);
  gb_writer_u64 (out, 0x0123456789abcdef);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    gb_writer_uleb128 (out, numbers[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (signed_numbers); i++)
    gb_writer_sleb_zigzag (out, signed_numbers[i]);
  gb_writer_bytes (out, "basalt", 6);
  gb_writer_bytes (out, NULL, 0);
  return out;
}

/* Whether everything was read and is right. */
static bool
read_all (struct gb_reader *reader)
{
  bool right = gb_reader_u8 (reader) == 0x12;
  const guint8 *bytes;

  right &= gb_reader_u16 (reader) == 0x3456;
  right &= gb_reader_u32 (reader) == 0x789abcde;
  right &= gb_reader_u64 (reader) == 0x0123456789abcdef;
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    right &= gb_reader_uleb128 (reader) == numbers[i];
  for (gsize i = 0; i < G_N_ELEMENTS (signed_numbers); i++)
    right &= gb_reader_sleb_zigzag (reader) == signed_numbers[i];
  bytes = gb_reader_bytes (reader, 6);
  right &= bytes != NULL && memcmp (bytes, "basalt", 6) == 0;
  return right && !gb_reader_failed (reader);
}

START_TEST (round_trip)
{
  GByteArray *out = write_all ();
  struct gb_reader reader;

  gb_reader_init (&reader, out->data, out->len);
  ck_assert_uint_eq (gb_reader_left (&reader), out->len);
  ck_assert (read_all (&reader));
  ck_assert_uint_eq (gb_reader_left (&reader), 0);
  ck_assert_ptr_nonnull (gb_reader_bytes (&reader, 0));
  ck_assert (!gb_reader_failed (&reader));
  ck_assert_uint_eq (gb_reader_u8 (&reader), 0);
  ck_assert (gb_reader_failed (&reader));
  g_byte_array_unref (out);
}
END_TEST

START_TEST (layout)
{
  static const guint8 wanted[] = { 0x12, 0x56, 0x34, 0xde, 0xbc, 0x9a, 0x78 };
  GByteArray *out = write_all ();

  ck_assert_mem_eq (out->data, wanted, sizeof wanted);
  g_byte_array_set_size (out, 0);
  gb_writer_uleb128 (out, 624485);
  ck_assert_uint_eq (out->len, 3);
  ck_assert_mem_eq (out->data, "\xe5\x8e\x26", 3);
  g_byte_array_set_size (out, 0);
  gb_writer_sleb_zigzag (out, -1);
  gb_writer_sleb_zigzag (out, 1);
  ck_assert_mem_eq (out->data, "\x01\x02", 2);
  g_byte_array_unref (out);
}
END_TEST

/* An exact copy of each length, so that a sanitizer sees every byte too many. */
START_TEST (truncated_at_each_byte)
{
  GByteArray *out = write_all ();

  for (gsize size = 0; size < out->len; size++)
    {
      guint8 *copy = g_memdup2 (out->data, size);
      struct gb_reader reader;

      gb_reader_init (&reader, copy, size);
      ck_assert (!read_all (&reader));
      ck_assert (gb_reader_failed (&reader));
      ck_assert_uint_eq (gb_reader_left (&reader), 0);
      ck_assert_uint_eq (gb_reader_u8 (&reader), 0);
      ck_assert_ptr_null (gb_reader_bytes (&reader, 0));
      g_free (copy);
    }
  g_byte_array_unref (out);
}
END_TEST

START_TEST (malformed_numbers)
{
  static const struct
  {
    const char *bytes;
    gsize size;
    bool good;
  } cases[] = {
    { "\x00", 1, true },
    { "\x80\x00", 2, false },                                       /* longer than necessary */
    { "\xff\x80\x00", 3, false },
    { "\x80\x01", 2, true },
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, true },
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, false },      /* a 65th bit */
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11, false },
    { "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, false },
    { "\x80", 1, false },
    { "", 0, false },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      struct gb_reader reader;
      guint64 value;

      gb_reader_init (&reader, cases[i].bytes, cases[i].size);
      value = gb_reader_uleb128 (&reader);
      ck_assert_msg (gb_reader_failed (&reader) != cases[i].good, "case %zu", i);
      if (!cases[i].good)
        ck_assert_uint_eq (value, 0);
    }
}
END_TEST

START_TEST (sizes_that_wrap)
{
  struct gb_reader reader;

  gb_reader_init (&reader, "abcd", 4);
  gb_reader_u8 (&reader);
  ck_assert_ptr_null (gb_reader_bytes (&reader, G_MAXSIZE));
  ck_assert (gb_reader_failed (&reader));
  gb_reader_init (&reader, NULL, 0);
  ck_assert (!gb_reader_failed (&reader));
  ck_assert_ptr_nonnull (gb_reader_bytes (&reader, 0));
  gb_reader_init (&reader, NULL, 4);
  ck_assert (gb_reader_failed (&reader));
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("reader");
  TCase *test_case = gb_test_case (suite, "reader");

  tcase_add_test (test_case, round_trip);
  tcase_add_test (test_case, layout);
  tcase_add_test (test_case, truncated_at_each_byte);
  tcase_add_test (test_case, malformed_numbers);
  tcase_add_test (test_case, sizes_that_wrap);
  return suite;
}

GB_TEST_MAIN (make_suite)
