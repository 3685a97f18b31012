/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/bitset.h"

#include "tests/test-main.h"

/* The model: an array of bools. */
static void
compare (const struct gb_bitset *set, const bool *model, gsize n_bits)
{
  gsize count = 0;
  gsize next_set = GB_BITSET_NONE;
  gsize next_clear = GB_BITSET_NONE;

  for (gsize i = n_bits; i-- > 0;)
    {
      ck_assert (gb_bitset_test (set, i) == model[i]);
      if (model[i])
        next_set = i;
      else
        next_clear = i;
      count += model[i];
      ck_assert_uint_eq (gb_bitset_next_set (set, i), next_set);
      ck_assert_uint_eq (gb_bitset_next_clear (set, i), next_clear);
    }
  ck_assert_uint_eq (gb_bitset_count (set), count);
  ck_assert (gb_bitset_is_empty (set) == (count == 0));
  ck_assert (!gb_bitset_test (set, n_bits));
  ck_assert_uint_eq (gb_bitset_next_set (set, n_bits), GB_BITSET_NONE);
  ck_assert_uint_eq (gb_bitset_next_clear (set, n_bits), GB_BITSET_NONE);
}

static const gsize sizes[] = { 0, 1, 63, 64, 65, 128, 200, 1000 };

START_TEST (single_bits)
{
  gsize n_bits = sizes[_i];
  GRand *random = g_rand_new_with_seed ((guint32) _i);
  bool *model = g_new0 (bool, n_bits + 1);
  struct gb_bitset set;

  gb_bitset_init (&set, n_bits);
  compare (&set, model, n_bits);
  for (int step = 0; step < 300; step++)
    {
      gsize bit = (gsize) g_rand_int_range (random, 0, (gint32) n_bits + 3);
      bool inside = bit < n_bits;

      if (g_rand_boolean (random))
        {
          ck_assert (gb_bitset_set (&set, bit) == (inside && !model[bit]));
          if (inside)
            model[bit] = true;
        }
      else
        {
          ck_assert (gb_bitset_unset (&set, bit) == (inside && model[bit]));
          if (inside)
            model[bit] = false;
        }
      if (step % 10 == 0)
        compare (&set, model, n_bits);
    }
  gb_bitset_fill (&set);
  ck_assert_uint_eq (gb_bitset_count (&set), n_bits);
  gb_bitset_zero (&set);
  ck_assert (gb_bitset_is_empty (&set));
  gb_bitset_clear (&set);
  g_free (model);
  g_rand_free (random);
}
END_TEST

static void
randomise (struct gb_bitset *set, bool *model, GRand *random)
{
  gb_bitset_zero (set);
  for (gsize i = 0; i < set->n_bits; i++)
    {
      model[i] = g_rand_int_range (random, 0, 3) == 0;
      if (model[i])
        gb_bitset_set (set, i);
    }
}

START_TEST (whole_sets)
{
  gsize n_bits = sizes[_i];
  GRand *random = g_rand_new_with_seed ((guint32) _i);
  bool *a = g_new0 (bool, n_bits + 1);
  bool *b = g_new0 (bool, n_bits + 1);
  struct gb_bitset set_a, set_b, saved;

  gb_bitset_init (&set_a, n_bits);
  gb_bitset_init (&set_b, n_bits);
  gb_bitset_init (&saved, 7);
  for (int step = 0; step < 60; step++)
    {
      bool changed, subset = true;

      randomise (&set_a, a, random);
      randomise (&set_b, b, random);
      gb_bitset_copy (&saved, &set_a);
      ck_assert (gb_bitset_equal (&saved, &set_a));
      for (gsize i = 0; i < n_bits; i++)
        subset = subset && (b[i] || !a[i]);
      ck_assert (gb_bitset_is_subset (&set_a, &set_b) == subset);
      changed = step % 3 == 0 ? gb_bitset_union (&set_a, &set_b)
                : step % 3 == 1 ? gb_bitset_intersect (&set_a, &set_b)
                                : gb_bitset_subtract (&set_a, &set_b);
      for (gsize i = 0; i < n_bits; i++)
        a[i] = step % 3 == 0 ? a[i] || b[i] : step % 3 == 1 ? a[i] && b[i] : a[i] && !b[i];
      compare (&set_a, a, n_bits);
      ck_assert (changed == !gb_bitset_equal (&saved, &set_a));
    }
  gb_bitset_clear (&set_a);
  gb_bitset_clear (&set_b);
  gb_bitset_clear (&saved);
  g_free (a);
  g_free (b);
  g_rand_free (random);
}
END_TEST

START_TEST (resize)
{
  struct gb_bitset set;
  gsize sum = 0;

  gb_bitset_init (&set, 100);
  gb_bitset_fill (&set);
  gb_bitset_resize (&set, 70);
  gb_bitset_resize (&set, 200);
  ck_assert_uint_eq (gb_bitset_count (&set), 70);
  ck_assert_uint_eq (gb_bitset_next_clear (&set, 0), 70);
  gb_bitset_set (&set, 199);
  gb_bitset_for_each (bit, &set)
    sum += bit;
  ck_assert_uint_eq (sum, 69 * 70 / 2 + 199);
  gb_bitset_resize (&set, 0);
  ck_assert (gb_bitset_is_empty (&set));
  gb_bitset_clear (&set);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("bitset");
  TCase *test_case = gb_test_case (suite, "bitset");

  tcase_add_loop_test (test_case, single_bits, 0, G_N_ELEMENTS (sizes));
  tcase_add_loop_test (test_case, whole_sets, 0, G_N_ELEMENTS (sizes));
  tcase_add_test (test_case, resize);
  return suite;
}

GB_TEST_MAIN (make_suite)
