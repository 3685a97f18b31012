/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Mutations of artifacts and bundles, and the corpus of what was found: nothing may crash, hang or exhaust the process,
 * and what is taken has to be whole. Meant to run under ASan and UBSan.
 *
 *   fuzz                  mutations of kernels of its own: GABBRO_FUZZ_ROUNDS of them (6000), from GABBRO_FUZZ_SEED (1)
 *   fuzz SECONDS          the same until the time is over, with other seeds
 *   fuzz -- FILE...       each of these once: the corpus
 *
 * A mutation that fails is kept as fuzz-failure beside it: the file is written before it is tried. */

#include "config.h"

#include <stdio.h>

#include "lib/reader.h"
#include "tests/bundle/bundle-test.h"

#define DEFAULT_ROUNDS 6000
#define MAX_MUTATIONS  6

enum { N_KERNELS = 4 };

static GBytes *originals[N_KERNELS][BUNDLE_N_SECTIONS];
static guint64 n_taken, n_refused;

static void
make_originals (void)
{
  struct bundle_artifact *artifacts[N_KERNELS] = { test_artifact ("all"), test_artifact ("fill"), test_artifact ("nothing"), test_full_artifact () };

  for (guint i = 0; i < N_KERNELS; i++)
    {
      test_encode (artifacts[i], originals[i]);
      bundle_artifact_unref (artifacts[i]);
    }
}

/* What was taken can be written again, and is the same then. */
static void
try_sections (GBytes *sections[BUNDLE_N_SECTIONS])
{
  GError *error = NULL;
  GBytes *again[BUNDLE_N_SECTIONS];
  struct bundle_artifact *artifact = test_decode (sections, &error);

  if (artifact == NULL)
    {
      ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_BAD_BUNDLE));
      g_error_free (error);
      n_refused++;
      return;
    }
  n_taken++;
  test_encode (artifact, again);
  for (guint i = 1; i < BUNDLE_N_SECTIONS; i++)
    if (i != BUNDLE_SECTION_ARGUMENTS)
      ck_assert_msg (g_bytes_equal (sections[i], again[i]), "the section %s is not the same", bundle_section_name ((enum bundle_section) i));
  bundle_sections_clear (again);
  bundle_artifact_unref (artifact);
}

static void
try_bytes (GBytes *bytes)
{
  GBytes *sections[BUNDLE_N_SECTIONS] = { NULL };
  GError *error = NULL;
  GabbroBundle *bundle;

  if (bundle_artifact_split (bytes, sections, NULL))
    try_sections (sections);
  bundle_sections_clear (sections);
  bundle = gabbro_bundle_new_from_bytes (bytes, &error);
  if (bundle != NULL && gabbro_bundle_verify (bundle, &error))
    {
      GBytes *again = gabbro_bundle_to_bytes (bundle, GABBRO_BUNDLE_DEFAULT, &error);

      n_taken++;
      g_bytes_unref (again);
    }
  else
    n_refused++;
  ck_assert (error == NULL || error->domain == GABBRO_ERROR);
  g_clear_error (&error);
  g_clear_object (&bundle);
}

/* Numbers that lie at the edge of something. */
static guint32
odd_number (GRand *random)
{
  static const guint32 odd[] = { 0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, 127, 255, 256, 0x7fff, 0xffff, 0x7fffffff, 0x80000000u, 0xfffffffe, 0xffffffff };

  return g_rand_boolean (random) ? odd[g_rand_int_range (random, 0, G_N_ELEMENTS (odd))] : g_rand_int (random);
}

static void
mutate (GByteArray *data, GRand *random)
{
  guint at = data->len > 0 ? (guint) g_rand_int_range (random, 0, (gint32) data->len) : 0;
  guint left = data->len - at, length = (guint) g_rand_int_range (random, 1, 33);
  guint32 word = GUINT32_TO_LE (odd_number (random));
  guint8 piece[16];

  switch (g_rand_int_range (random, 0, 7))
    {
    case 0:
      if (left > 0)
        data->data[at] ^= (guint8) (1 << g_rand_int_range (random, 0, 8));
      break;
    case 1:
      if (left > 0)
        data->data[at] = (guint8) g_rand_int (random);
      break;
    case 2:
      at &= ~3u;
      if (data->len - at >= 4)
        memcpy (data->data + at, &word, 4);
      break;
    case 3:
      if (left >= 4)
        memcpy (data->data + at, &word, 4);
      break;
    case 4:
      if (left > 0)
        g_byte_array_remove_range (data, at, MIN (left, length));
      break;
    case 5:
      /* A piece of it somewhere else. */
      if (left >= sizeof piece && data->len >= 2 * sizeof piece)
        {
          memcpy (piece, data->data + at, sizeof piece);
          at = (guint) g_rand_int_range (random, 0, (gint32) (data->len - sizeof piece));
          memcpy (data->data + at, piece, sizeof piece);
        }
      break;
    default:
      g_byte_array_append (data, (const guint8 *) &word, 4);
    }
}

static GBytes *
mutated (GBytes *bytes, GRand *random)
{
  GByteArray *data = g_byte_array_new ();
  guint n = (guint) g_rand_int_range (random, 1, MAX_MUTATIONS + 1);

  g_byte_array_append (data, g_bytes_get_data (bytes, NULL), (guint) g_bytes_get_size (bytes));
  for (guint i = 0; i < n; i++)
    mutate (data, random);
  return g_byte_array_free_to_bytes (data);
}

static void
keep (GBytes *bytes)
{
  g_file_set_contents ("fuzz-failure", g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), NULL);
}

static void
keep_sections (GBytes *const sections[BUNDLE_N_SECTIONS])
{
  GBytes *joined = bundle_artifact_join (sections);

  keep (joined);
  g_bytes_unref (joined);
}

/* One section of one kernel; the digests fit nearly always, or nothing behind them would be reached. */
static void
round_of_artifact (GRand *random)
{
  guint kernel = (guint) g_rand_int_range (random, 0, N_KERNELS), section = (guint) g_rand_int_range (random, 0, BUNDLE_N_SECTIONS);
  GBytes *sections[BUNDLE_N_SECTIONS], *changed;

  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    sections[i] = g_bytes_ref (originals[kernel][i]);
  changed = mutated (sections[section], random);
  g_bytes_unref (sections[section]);
  sections[section] = changed;
  if (section == BUNDLE_SECTION_HEADER)
    sections[section] = test_seal_header (sections[section]);
  else if (g_rand_int_range (random, 0, 20) != 0)
    test_reseal (sections, (enum bundle_section) section);
  keep_sections (sections);
  try_sections (sections);
  bundle_sections_clear (sections);
}

static GBytes *
make_bundle (bool compress)
{
  static const char *const names[] = { "all", "fill", "nothing" };
  GPtrArray *members = g_ptr_array_new_with_free_func (bundle_member_free);
  GBytes *bytes;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      struct bundle_member *member = g_new0 (struct bundle_member, 1);

      member->name = g_strdup (names[i]);
      for (guint j = 0; j < BUNDLE_N_SECTIONS; j++)
        member->sections[j] = g_bytes_ref (originals[i][j]);
      g_ptr_array_add (members, member);
    }
  bytes = bundle_archive_write (members, "Fuzz", compress, NULL);
  g_ptr_array_unref (members);
  return bytes;
}

/* Sums of tar's headers that fit. */
static GBytes *
mend_sums (GBytes *bytes)
{
  gsize size;
  guint8 *data = g_bytes_unref_to_data (bytes, &size);

  for (gsize at = 0; at + 512 <= size; at += 512)
    {
      guint sum = 0;

      if (memcmp (data + at + 257, "ustar", 5) != 0)
        continue;
      memset (data + at + 148, ' ', 8);
      for (guint i = 0; i < 512; i++)
        sum += data[at + i];
      g_snprintf ((char *) data + at + 148, 8, "%06o", sum);
    }
  return g_bytes_new_take (data, size);
}

static void
round_of_bundle (GRand *random)
{
  GBytes *bundle = make_bundle (g_rand_int_range (random, 0, 4) == 0), *changed = mutated (bundle, random);

  if (g_rand_int_range (random, 0, 4) != 0)
    changed = mend_sums (changed);
  keep (changed);
  try_bytes (changed);
  g_bytes_unref (changed);
  g_bytes_unref (bundle);
}

static void
run_rounds (guint32 seed, guint64 rounds)
{
  GRand *random = g_rand_new_with_seed (seed);

  for (guint64 i = 0; i < rounds; i++)
    if (i % 4 == 0)
      round_of_bundle (random);
    else
      round_of_artifact (random);
  g_rand_free (random);
}

static guint64
number_from (const char *variable, guint64 otherwise)
{
  const char *text = g_getenv (variable);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static char **arguments;

START_TEST (corpus)
{
  for (char **file = arguments + 2; *file != NULL; file++)
    {
      GError *error = NULL;
      char *data;
      gsize size;
      GBytes *bytes;

      g_file_get_contents (*file, &data, &size, &error);
      assert_fine (error);
      bytes = g_bytes_new_take (data, size);
      try_bytes (bytes);
      g_bytes_unref (bytes);
    }
}
END_TEST

START_TEST (mutations)
{
  guint64 rounds = number_from ("GABBRO_FUZZ_ROUNDS", DEFAULT_ROUNDS);
  guint32 seed = (guint32) number_from ("GABBRO_FUZZ_SEED", 1);
  gint64 end = arguments[1] != NULL ? g_get_monotonic_time () + g_ascii_strtoll (arguments[1], NULL, 10) * G_USEC_PER_SEC : 0;

  make_originals ();
  do
    run_rounds (seed++, arguments[1] != NULL ? 1000 : rounds);
  while (g_get_monotonic_time () < end);
  for (guint i = 0; i < N_KERNELS; i++)
    bundle_sections_clear (originals[i]);
  remove ("fuzz-failure");
  printf ("%" G_GUINT64_FORMAT " inputs taken, %" G_GUINT64_FORMAT " refused\n", n_taken, n_refused);
  ck_assert_uint_gt (n_taken, 0);
  ck_assert_uint_gt (n_refused, 0);
}
END_TEST

/* In this very process, where debuggers and sanitizers are. */
int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("fuzz");
  TCase *test_case = gb_test_case (suite, "fuzz");
  SRunner *runner;
  int failed;

  arguments = argv;
  tcase_add_test (test_case, argc > 1 && g_str_equal (argv[1], "--") ? corpus : mutations);
  runner = srunner_create (suite);
  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
