/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/digest.h"

#include <string.h>

#include "tests/test-main.h"

/* From FIPS 180-2. */
#define DIGEST_OF_ABC   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define DIGEST_OF_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void
expect (const guint8 *digest, const char *wanted)
{
  char text[GB_DIGEST_HEX_SIZE];

  gb_digest_to_hex (digest, text);
  ck_assert_str_eq (text, wanted);
}

START_TEST (known_values)
{
  guint8 digest[GB_DIGEST_SIZE];
  struct gb_digest state;

  gb_digest_of ("abc", 3, digest);
  expect (digest, DIGEST_OF_ABC);
  gb_digest_of (NULL, 0, digest);
  expect (digest, DIGEST_OF_EMPTY);
  gb_digest_init (&state);
  gb_digest_append_raw (&state, "a", 1);
  gb_digest_append_raw (&state, "bc", 2);
  gb_digest_finish (&state, digest);
  expect (digest, DIGEST_OF_ABC);
  gb_digest_init (&state);
  gb_digest_clear (&state);
}
END_TEST

START_TEST (canonical_form)
{
  static const guint8 wanted[] = {
    0x01, 0x05, 0x04, 0x03, 0x02, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08, 0x07, 0x06,
    2, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 1, 0, 0, 0, 0, 0, 0, 0, 'c',
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  };
  guint8 a[GB_DIGEST_SIZE], b[GB_DIGEST_SIZE];
  struct gb_digest state;

  gb_digest_init (&state);
  gb_digest_append_u8 (&state, 0x01);
  gb_digest_append_u32 (&state, 0x02030405);
  gb_digest_append_u64 (&state, 0x060708090a0b0c0d);
  gb_digest_append_string (&state, "ab");
  gb_digest_append_bytes (&state, "c", 1);
  gb_digest_append_string (&state, NULL);
  gb_digest_finish (&state, a);
  gb_digest_of (wanted, sizeof wanted, b);
  ck_assert_mem_eq (a, b, GB_DIGEST_SIZE);
}
END_TEST

START_TEST (hexadecimal)
{
  guint8 digest[GB_DIGEST_SIZE], untouched[GB_DIGEST_SIZE];
  char text[GB_DIGEST_HEX_SIZE + 1] = DIGEST_OF_ABC;

  ck_assert (gb_digest_from_hex (text, digest));
  expect (digest, DIGEST_OF_ABC);
  memset (untouched, 9, sizeof untouched);
  memcpy (digest, untouched, sizeof digest);
  text[5] = 'G';
  ck_assert (!gb_digest_from_hex (text, digest));
  text[5] = 'B';
  ck_assert (!gb_digest_from_hex (text, digest));
  text[5] = 'b';
  text[64] = '0';
  ck_assert (!gb_digest_from_hex (text, digest));
  text[63] = '\0';
  ck_assert (!gb_digest_from_hex (text, digest));
  ck_assert_mem_eq (digest, untouched, GB_DIGEST_SIZE);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("digest");
  TCase *test_case = gb_test_case (suite, "digest");

  tcase_add_test (test_case, known_values);
  tcase_add_test (test_case, canonical_form);
  tcase_add_test (test_case, hexadecimal);
  return suite;
}

GB_TEST_MAIN (make_suite)
