/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/range-allocator.h"

#include <string.h>

#include "tests/test-main.h"

#define MODEL_SIZE 4096

/* The model: who owns each unit. Ids are offsets + 1; 0 is free. */
static bool
model_has_room (const guint16 *owner, guint64 size, guint64 alignment)
{
  for (guint64 at = 0; at + size <= MODEL_SIZE; at += alignment)
    {
      guint64 i = 0;

      while (i < size && owner[at + i] == 0)
        i++;
      if (i == size)
        return true;
    }
  return false;
}

static guint64
model_largest (const guint16 *owner)
{
  guint64 largest = 0, run = 0;

  for (guint i = 0; i < MODEL_SIZE; i++)
    {
      run = owner[i] == 0 ? run + 1 : 0;
      largest = MAX (largest, run);
    }
  return largest;
}

static void
try_alloc (struct gb_range_allocator *allocator, guint16 *owner, GRand *random, GArray *live)
{
  guint64 size = (guint64) g_rand_int_range (random, 1, g_rand_boolean (random) ? 20 : 300);
  guint64 alignment = (guint64) 1 << g_rand_int_range (random, 0, 9);
  guint64 offset = 77777;

  if (!gb_range_allocator_alloc (allocator, size, alignment, &offset))
    {
      ck_assert_uint_eq (offset, 77777);
      ck_assert (!model_has_room (owner, size, alignment));
      return;
    }
  ck_assert_uint_eq (offset % alignment, 0);
  ck_assert_uint_le (offset + size, MODEL_SIZE);
  for (guint64 i = 0; i < size; i++)
    {
      ck_assert_uint_eq (owner[offset + i], 0);
      owner[offset + i] = (guint16) (offset + 1);
    }
  ck_assert_uint_eq (gb_range_allocator_size_of (allocator, offset), size);
  g_array_append_val (live, offset);
}

static void
free_one (struct gb_range_allocator *allocator, guint16 *owner, GRand *random, GArray *live)
{
  guint index = (guint) g_rand_int_range (random, 0, (gint32) live->len);
  guint64 offset = g_array_index (live, guint64, index);

  g_array_remove_index_fast (live, index);
  for (guint i = 0; i < MODEL_SIZE; i++)
    if (owner[i] == offset + 1)
      owner[i] = 0;
  ck_assert (gb_range_allocator_free (allocator, offset));
  ck_assert (!gb_range_allocator_free (allocator, offset));
}

START_TEST (random_play)
{
  GRand *random = g_rand_new_with_seed ((guint32) _i);
  GArray *live = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint16 owner[MODEL_SIZE] = { 0 };
  struct gb_range_allocator allocator;

  gb_range_allocator_init (&allocator, MODEL_SIZE);
  for (int step = 0; step < 4000; step++)
    {
      guint64 used = 0;

      /* Fills up, empties, and so on. */
      if (live->len == 0 || g_rand_int_range (random, 0, 100) < (step / 500 % 2 == 0 ? 65 : 35))
        try_alloc (&allocator, owner, random, live);
      else
        free_one (&allocator, owner, random, live);
      for (guint i = 0; i < MODEL_SIZE; i++)
        used += owner[i] != 0;
      ck_assert_uint_eq (gb_range_allocator_used (&allocator), used);
      ck_assert_uint_eq (gb_range_allocator_count (&allocator), live->len);
      ck_assert (gb_range_allocator_is_empty (&allocator) == (live->len == 0));
      ck_assert_uint_eq (gb_range_allocator_largest_free (&allocator), model_largest (owner));
    }
  while (live->len != 0)
    free_one (&allocator, owner, random, live);
  ck_assert_uint_eq (gb_range_allocator_largest_free (&allocator), MODEL_SIZE);
  gb_range_allocator_clear (&allocator);
  g_array_unref (live);
  g_rand_free (random);
}
END_TEST

START_TEST (edges)
{
  struct gb_range_allocator allocator;
  guint64 offset = 5;

  gb_range_allocator_init (&allocator, 0);
  ck_assert (!gb_range_allocator_alloc (&allocator, 1, 1, &offset));
  ck_assert_uint_eq (gb_range_allocator_largest_free (&allocator), 0);
  gb_range_allocator_clear (&allocator);

  gb_range_allocator_init (&allocator, G_MAXUINT64);
  ck_assert (!gb_range_allocator_alloc (&allocator, 0, 1, &offset));
  ck_assert (!gb_range_allocator_alloc (&allocator, 1, 0, &offset));
  ck_assert (!gb_range_allocator_alloc (&allocator, 1, 3, &offset));
  ck_assert_uint_eq (offset, 5);
  ck_assert (gb_range_allocator_alloc (&allocator, 1, 1, &offset));
  ck_assert_uint_eq (offset, 0);
  ck_assert (!gb_range_allocator_alloc (&allocator, G_MAXUINT64, 1, &offset));
  ck_assert (!gb_range_allocator_alloc (&allocator, G_MAXUINT64 - 1, 2, &offset));
  ck_assert (gb_range_allocator_alloc (&allocator, 16, (guint64) 1 << 63, &offset));
  ck_assert_uint_eq (offset, (guint64) 1 << 63);
  ck_assert (!gb_range_allocator_alloc (&allocator, 16, (guint64) 1 << 63, &offset));
  gb_range_allocator_reset (&allocator);
  ck_assert (gb_range_allocator_is_empty (&allocator));
  ck_assert (gb_range_allocator_alloc (&allocator, G_MAXUINT64, (guint64) 1 << 63, &offset));
  ck_assert_uint_eq (offset, 0);
  ck_assert_uint_eq (gb_range_allocator_largest_free (&allocator), 0);
  ck_assert (!gb_range_allocator_free (&allocator, 1));
  gb_range_allocator_clear (&allocator);
}
END_TEST

/* A range that fits exactly, only because of where it starts. */
START_TEST (aligned_exact_fit)
{
  struct gb_range_allocator allocator;
  guint64 offsets[3], offset = 1;

  gb_range_allocator_init (&allocator, 3 * 256);
  for (int i = 0; i < 3; i++)
    ck_assert (gb_range_allocator_alloc (&allocator, 256, 256, &offsets[i]));
  ck_assert (gb_range_allocator_free (&allocator, 256));
  ck_assert (gb_range_allocator_alloc (&allocator, 256, 256, &offset));
  ck_assert_uint_eq (offset, 256);
  ck_assert_uint_eq (gb_range_allocator_largest_free (&allocator), 0);
  gb_range_allocator_clear (&allocator);
}
END_TEST

/* 100,000 live ranges of a 64 GiB block, half of them replaced many times: with
 * anything linear in it this would take hours. */
START_TEST (many_live_ranges)
{
  enum { N_LIVE = 100000 };
  GRand *random = g_rand_new_with_seed (3);
  guint64 *offsets = g_new (guint64, N_LIVE);
  struct gb_range_allocator allocator;

  gb_range_allocator_init (&allocator, (guint64) 64 << 30);
  for (int i = 0; i < N_LIVE; i++)
    ck_assert (gb_range_allocator_alloc (&allocator, (guint64) g_rand_int_range (random, 1, 1 << 18),
                                         256, &offsets[i]));
  for (int step = 0; step < 200000; step++)
    {
      int i = g_rand_int_range (random, 0, N_LIVE);

      ck_assert (gb_range_allocator_free (&allocator, offsets[i]));
      ck_assert (gb_range_allocator_alloc (&allocator, (guint64) g_rand_int_range (random, 1, 1 << 18),
                                           256, &offsets[i]));
    }
  ck_assert_uint_eq (gb_range_allocator_count (&allocator), N_LIVE);
  for (int i = 0; i < N_LIVE; i++)
    ck_assert (gb_range_allocator_free (&allocator, offsets[i]));
  ck_assert_uint_eq (gb_range_allocator_largest_free (&allocator), (guint64) 64 << 30);
  ck_assert_uint_eq (allocator.ranges.n_objects, 1);
  gb_range_allocator_clear (&allocator);
  g_free (offsets);
  g_rand_free (random);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("range-allocator");
  TCase *test_case = gb_test_case (suite, "range-allocator");

  tcase_add_loop_test (test_case, random_play, 0, 4);
  tcase_add_test (test_case, edges);
  tcase_add_test (test_case, aligned_exact_fit);
  tcase_add_test (test_case, many_live_ranges);
  return suite;
}

GB_TEST_MAIN (make_suite)
