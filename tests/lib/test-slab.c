/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/slab.h"

#include <stdbool.h>
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

#define N_SLOTS 3000

static bool
is_filled (const guint8 *bytes, gsize size, guint8 filler)
{
  for (gsize i = 0; i < size; i++)
    if (bytes[i] != filler)
      return false;
  return true;
}

/* Against an array of what is alive: contents stay, new objects are cleared,
 * counts agree. */
static void
play (gsize object_size, guint32 seed)
{
  guint8 *objects[N_SLOTS] = { NULL };
  GRand *random = g_rand_new_with_seed (seed);
  struct gb_slab slab;
  gsize n_alive = 0;

  gb_slab_init (&slab, object_size);
  for (guint step = 0; step < 20000; step++)
    {
      guint slot = (guint) g_rand_int_range (random, 0, N_SLOTS);
      guint8 filler = (guint8) (slot * 7 + 1);

      if (objects[slot] == NULL)
        {
          objects[slot] = gb_slab_alloc (&slab);
          ck_assert_uint_eq ((gsize) objects[slot] % 16, 0);
          ck_assert (is_filled (objects[slot], object_size, 0));
          memset (objects[slot], filler, object_size);
          n_alive++;
        }
      else
        {
          ck_assert (is_filled (objects[slot], object_size, filler));
          gb_slab_free (&slab, objects[slot]);
          objects[slot] = NULL;
          n_alive--;
        }
      ck_assert_uint_eq (slab.n_objects, n_alive);
      ck_assert_uint_ge (slab.n_pages * slab.objects_per_page, n_alive);
    }
  for (guint slot = 0; slot < N_SLOTS; slot++)
    gb_slab_free (&slab, objects[slot]);
  ck_assert_uint_eq (slab.n_objects, 0);
  ck_assert_uint_eq (slab.n_pages, 1);
  gb_slab_clear (&slab);
  ck_assert_uint_eq (slab.n_pages, 0);
  g_rand_free (random);
}

START_TEST (random_play)
{
  static const gsize sizes[] = { 1, 8, 16, 24, 100, 3000 };

  play (sizes[_i], (guint32) _i);
}
END_TEST

START_TEST (gives_pages_back)
{
  struct gb_slab slab;
  gpointer *objects = g_new (gpointer, 100000);

  gb_slab_init (&slab, 64);
  for (int round = 0; round < 3; round++)
    {
      for (int i = 0; i < 100000; i++)
        objects[i] = gb_slab_alloc (&slab);
      ck_assert_uint_eq (slab.n_pages, (100000 + slab.objects_per_page - 1) / slab.objects_per_page);
      for (int i = 0; i < 100000; i++)
        gb_slab_free (&slab, objects[round == 1 ? 99999 - i : i]);
      ck_assert_uint_eq (slab.n_pages, 1);
    }
  gb_slab_alloc (&slab);
  ck_assert_uint_eq (slab.n_pages, 1);
  gb_slab_clear (&slab);
  g_free (objects);
}
END_TEST

#ifdef WITH_ADDRESS_SANITIZER
/* The sanitizer knows freed objects although their page lives. */
#include <sanitizer/asan_interface.h>

START_TEST (freed_objects_are_poisoned)
{
  struct gb_slab slab;
  char *first, *second;

  gb_slab_init (&slab, 32);
  first = gb_slab_alloc (&slab);
  second = gb_slab_alloc (&slab);
  gb_slab_free (&slab, first);
  ck_assert (__asan_address_is_poisoned (first));
  ck_assert (!__asan_address_is_poisoned (second));
  ck_assert (__asan_address_is_poisoned (second + 32));
  ck_assert_ptr_eq (gb_slab_alloc (&slab), first);
  ck_assert (!__asan_address_is_poisoned (first));
  gb_slab_clear (&slab);
}
END_TEST
#endif

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("slab");
  TCase *test_case = gb_test_case (suite, "slab");

  tcase_add_loop_test (test_case, random_play, 0, 6);
  tcase_add_test (test_case, gives_pages_back);
#ifdef WITH_ADDRESS_SANITIZER
  tcase_add_test (test_case, freed_objects_are_poisoned);
#endif
  return suite;
}

GB_TEST_MAIN (make_suite)
