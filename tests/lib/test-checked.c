/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/checked.h"

#include "tests/test-main.h"

static const uint64_t edges[] = {
  0, 1, 2, 3, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001,
  0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe,
  0xffffffffffffffff,
};

/* Against 128-bit arithmetic. */
START_TEST (add_and_mul)
{
  for (gsize i = 0; i < G_N_ELEMENTS (edges); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (edges); j++)
      {
        unsigned __int128 sum = (unsigned __int128) edges[i] + edges[j];
        unsigned __int128 product = (unsigned __int128) edges[i] * edges[j];
        uint64_t out = 4711;

        ck_assert (gb_checked_add (edges[i], edges[j], &out) == (sum >> 64 == 0));
        ck_assert_uint_eq (out, sum >> 64 == 0 ? (uint64_t) sum : 4711);
        out = 4711;
        ck_assert (gb_checked_mul (edges[i], edges[j], &out) == (product >> 64 == 0));
        ck_assert_uint_eq (out, product >> 64 == 0 ? (uint64_t) product : 4711);
      }
}
END_TEST

START_TEST (align)
{
  uint64_t out = 4711;

  ck_assert (!gb_checked_align (8, 0, &out));
  ck_assert (!gb_checked_align (8, 3, &out));
  ck_assert (!gb_checked_align (UINT64_MAX, 2, &out));
  ck_assert (!gb_checked_align (UINT64_MAX - 6, 8, &out));
  ck_assert_uint_eq (out, 4711);
  ck_assert (gb_checked_align (UINT64_MAX - 7, 8, &out));
  ck_assert_uint_eq (out, UINT64_MAX - 7);
  ck_assert (gb_checked_align (UINT64_MAX, 1, &out));
  ck_assert_uint_eq (out, UINT64_MAX);
  ck_assert (gb_checked_align (1, 1ull << 63, &out));
  ck_assert_uint_eq (out, 1ull << 63);
  for (uint64_t value = 0; value < 70; value++)
    {
      ck_assert (gb_checked_align (value, 16, &out));
      ck_assert_uint_eq (out, (value + 15) / 16 * 16);
      ck_assert_uint_eq (GB_ALIGN_UP (value, 16), out);
    }
}
END_TEST

START_TEST (ranges)
{
  ck_assert (gb_range_fits (0, 0, 0));
  ck_assert (!gb_range_fits (0, 1, 0));
  ck_assert (gb_range_fits (4, 4, 8));
  ck_assert (gb_range_fits (8, 0, 8));
  ck_assert (!gb_range_fits (9, 0, 8));
  ck_assert (!gb_range_fits (4, 5, 8));
  ck_assert (!gb_range_fits (UINT64_MAX, 2, 8));
  ck_assert (!gb_range_fits (4, UINT64_MAX - 2, 8));
  ck_assert (gb_range_fits (1, UINT64_MAX - 1, UINT64_MAX));
}
END_TEST

START_TEST (powers)
{
  ck_assert (!gb_is_power_of_two (0));
  for (guint i = 0; i < 64; i++)
    {
      ck_assert (gb_is_power_of_two (1ull << i));
      if (i >= 2)
        ck_assert (!gb_is_power_of_two ((1ull << i) - 1));
    }
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("checked");
  TCase *test_case = gb_test_case (suite, "checked");

  tcase_add_test (test_case, add_and_mul);
  tcase_add_test (test_case, align);
  tcase_add_test (test_case, ranges);
  tcase_add_test (test_case, powers);
  return suite;
}

GB_TEST_MAIN (make_suite)
