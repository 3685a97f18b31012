/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/ids.h"

#include "tests/test-main.h"

#define N_IDS 5000

static guint32
smallest_free (const bool *used)
{
  guint32 id = 0;

  while (id < N_IDS && used[id])
    id++;
  return id;
}

/* Against an array of bools. */
START_TEST (random_play)
{
  static const gint32 shares[] = { 30, 50, 70 };       /* of frees, per cent */
  GRand *random = g_rand_new_with_seed ((guint32) _i);
  bool used[N_IDS] = { false };
  guint32 n_used = 0;
  struct gb_ids ids;

  gb_ids_init (&ids, N_IDS);
  for (int step = 0; step < 30000; step++)
    {
      guint32 id = (guint32) g_rand_int_range (random, 0, N_IDS + 100);
      bool inside = id < N_IDS;

      if (g_rand_int_range (random, 0, 100) < shares[_i])
        {
          ck_assert (gb_ids_free (&ids, id) == (inside && used[id]));
          if (inside && used[id])
            {
              used[id] = false;
              n_used--;
            }
        }
      else if (step % 16 == 0)
        {
          ck_assert (gb_ids_reserve (&ids, id) == (inside && !used[id]));
          if (inside && !used[id])
            {
              used[id] = true;
              n_used++;
            }
        }
      else
        {
          guint32 wanted = smallest_free (used);
          guint32 got = 999999;

          ck_assert (gb_ids_alloc (&ids, &got) == (wanted < N_IDS));
          ck_assert_uint_eq (got, wanted < N_IDS ? wanted : 999999);
          if (wanted < N_IDS)
            {
              used[wanted] = true;
              n_used++;
            }
        }
      ck_assert_uint_eq (gb_ids_count (&ids), n_used);
      ck_assert (gb_ids_is_used (&ids, id) == (inside && used[id]));
    }
  gb_ids_clear (&ids);
  g_rand_free (random);
}
END_TEST

/* More than 64^3, so that four levels are in use, and growth by one each. */
START_TEST (many)
{
  const guint32 n_ids = 300000;
  struct gb_ids ids;
  guint32 id = 0;

  gb_ids_init (&ids, n_ids);
  for (guint32 i = 0; i < n_ids; i++)
    {
      ck_assert (gb_ids_alloc (&ids, &id));
      ck_assert_uint_eq (id, i);
    }
  ck_assert (!gb_ids_alloc (&ids, &id));
  for (guint32 i = 7; i < n_ids; i += 4099)
    ck_assert (gb_ids_free (&ids, i));
  for (guint32 i = 7; i < n_ids; i += 4099)
    {
      ck_assert (gb_ids_alloc (&ids, &id));
      ck_assert_uint_eq (id, i);
    }
  ck_assert (!gb_ids_alloc (&ids, &id));
  gb_ids_clear (&ids);
}
END_TEST

START_TEST (edges)
{
  struct gb_ids ids;
  guint32 id = 5;

  gb_ids_init (&ids, 0);
  ck_assert (!gb_ids_alloc (&ids, &id));
  ck_assert_uint_eq (id, 5);
  gb_ids_clear (&ids);
  gb_ids_init (&ids, G_MAXUINT32);
  ck_assert (gb_ids_reserve (&ids, 1000000));
  ck_assert (!gb_ids_reserve (&ids, 1000000));
  ck_assert (!gb_ids_reserve (&ids, G_MAXUINT32));
  ck_assert (gb_ids_alloc (&ids, &id));
  ck_assert_uint_eq (id, 0);
  ck_assert (gb_ids_free (&ids, 1000000));
  ck_assert (!gb_ids_free (&ids, 1000000));
  ck_assert (!gb_ids_free (&ids, G_MAXUINT32));
  gb_ids_clear (&ids);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("ids");
  TCase *test_case = gb_test_case (suite, "ids");

  tcase_add_loop_test (test_case, random_play, 0, 3);
  tcase_add_test (test_case, many);
  tcase_add_test (test_case, edges);
  return suite;
}

GB_TEST_MAIN (make_suite)
