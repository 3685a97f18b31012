/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/arena.h"

#include <string.h>

#include "tests/test-main.h"

/* gcc and clang say it in different ways. */
#if defined (__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_SANITIZER 1
#elif defined (__has_feature)
#if __has_feature (address_sanitizer)
#define WITH_ADDRESS_SANITIZER 1
#endif
#endif

struct piece
{
  guint8 *at;
  gsize size;
  guint8 filler;
};

/* Random requests; every byte must still be what was written when all is done,
 * so that no two pieces lie on each other. */
static void
round_trip (struct gb_arena *arena, GRand *random, guint n_pieces)
{
  struct piece *pieces = g_new (struct piece, n_pieces);
  gsize n_damaged = 0;

  for (guint i = 0; i < n_pieces; i++)
    {
      gsize alignment = (gsize) 1 << g_rand_int_range (random, 0, 7);
      gsize size = (gsize) g_rand_int_range (random, 0, g_rand_int_range (random, 0, 40) == 0 ? 9000 : 200);

      pieces[i].size = size;
      pieces[i].filler = (guint8) g_rand_int (random);
      pieces[i].at = gb_arena_alloc_aligned (arena, size, alignment);
      ck_assert_uint_eq ((gsize) pieces[i].at % alignment, 0);
      memset (pieces[i].at, pieces[i].filler, size);
    }
  for (guint i = 0; i < n_pieces; i++)
    for (gsize j = 0; j < pieces[i].size; j++)
      n_damaged += pieces[i].at[j] != pieces[i].filler;
  ck_assert_uint_eq (n_damaged, 0);
  g_free (pieces);
}

START_TEST (random_requests)
{
  struct gb_arena arena;
  GRand *random = g_rand_new_with_seed (1);

  gb_arena_init (&arena, 1000);
  ck_assert_uint_eq (gb_arena_footprint (&arena), 0);
  round_trip (&arena, random, 3000);
  gb_arena_clear (&arena);
  ck_assert_uint_eq (gb_arena_footprint (&arena), 0);
  round_trip (&arena, random, 100);
  gb_arena_clear (&arena);
  g_rand_free (random);
}
END_TEST

START_TEST (reset_keeps_and_does_not_grow)
{
  struct gb_arena arena;
  gsize footprint = 0;

  gb_arena_init (&arena, 1000);
  for (int i = 0; i < 20; i++)
    {
      GRand *random = g_rand_new_with_seed (2);

      round_trip (&arena, random, 1000);
      g_rand_free (random);
      if (i == 0)
        footprint = gb_arena_footprint (&arena);
      else
        ck_assert_uint_eq (gb_arena_footprint (&arena), footprint);
      gb_arena_reset (&arena);
    }
  gb_arena_clear (&arena);
  gb_arena_reset (&arena);
  ck_assert_uint_eq (gb_arena_footprint (&arena), 0);
}
END_TEST

START_TEST (large_request_leaves_current_chunk)
{
  struct gb_arena arena;
  char *before, *after;

  gb_arena_init (&arena, 4096);
  before = gb_arena_alloc (&arena, 16);
  memset (gb_arena_alloc (&arena, 100000), 1, 100000);
  after = gb_arena_alloc (&arena, 16);
  ck_assert_ptr_eq (after, before + 16);
  gb_arena_clear (&arena);
}
END_TEST

START_TEST (copies)
{
  struct gb_arena arena;
  guint64 *numbers;
  char *text;

  gb_arena_init (&arena, 0);
  text = gb_arena_strdup (&arena, "olivine");
  ck_assert_str_eq (text, "olivine");
  ck_assert_str_eq (gb_arena_strndup (&arena, "pyroxene", 4), "pyro");
  ck_assert_str_eq (gb_arena_strndup (&arena, "pyroxene", 100), "pyroxene");
  ck_assert_str_eq (gb_arena_strdup (&arena, ""), "");
  ck_assert_mem_eq (gb_arena_memdup (&arena, "a\0b", 4), "a\0b", 4);
  ck_assert_ptr_nonnull (gb_arena_memdup (&arena, NULL, 0));
  memset (gb_arena_alloc (&arena, 512), 0xff, 512);
  gb_arena_reset (&arena);
  numbers = gb_arena_alloc0 (&arena, 64 * sizeof *numbers);
  for (int i = 0; i < 64; i++)
    ck_assert_uint_eq (numbers[i], 0);
  numbers = gb_arena_array (&arena, guint64, 3);
  numbers[2] = 1;
  gb_arena_clear (&arena);
}
END_TEST

/* A count that does not fit must not become a small allocation. */
START_TEST (overflow_ends_like_malloc)
{
  struct gb_arena arena;

  gb_arena_init (&arena, 0);
  gb_arena_alloc_array (&arena, G_MAXSIZE / 8 + 2, 8);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("arena");
  TCase *test_case = gb_test_case (suite, "arena");

  tcase_add_test (test_case, random_requests);
  tcase_add_test (test_case, reset_keeps_and_does_not_grow);
  tcase_add_test (test_case, large_request_leaves_current_chunk);
  tcase_add_test (test_case, copies);
#ifndef WITH_ADDRESS_SANITIZER
  /* The sanitizer has its own way of ending. */
  tcase_add_test_raise_signal (test_case, overflow_ends_like_malloc, SIGTRAP);
#else
  (void) overflow_ends_like_malloc;
#endif
  return suite;
}

GB_TEST_MAIN (make_suite)
