/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Artifacts and bundles: what is taken is whole, and gives the same bytes when it is written again. */

#include "config.h"

#include <string.h>

#include "lib/reader.h"
#include "tests/fuzz/targets.h"
#include "tests/test-main.h"

/* Check's own want a test that runs. */
#undef ck_assert
#undef ck_assert_ptr_nonnull
#undef ck_abort_msg
#define ck_assert(condition)           fuzz_check (condition, "%s", #condition)
#define ck_assert_ptr_nonnull(pointer) fuzz_check ((pointer) != NULL, "%s is NULL", #pointer)
#define ck_abort_msg(...)              fuzz_fail (__FILE__, __LINE__, __VA_ARGS__)
#include "tests/bundle/bundle-test.h"

/* Of a file that holds sections whose sizes need not be those that the header says: a bundle's need not either. */
#define LOOSE_MAGIC      "gabbro loose sections\n"
#define LOOSE_MAGIC_SIZE (sizeof LOOSE_MAGIC - 1)
#define MAX_KERNELS      16

static GBytes *originals[MAX_KERNELS][BUNDLE_N_SECTIONS];
static char *names[MAX_KERNELS];
static guint n_originals;

/* Takes the artifact. */
static void
add_original (const char *name, struct bundle_artifact *artifact)
{
  g_assert (n_originals < MAX_KERNELS);
  names[n_originals] = g_strdup (name);
  test_encode (artifact, originals[n_originals++]);
  bundle_artifact_unref (artifact);
}

static void
add_example (const char *folder, const char *file, const char *name)
{
  const char *top = g_getenv ("top_srcdir");
  g_autofree char *path = g_build_filename (top != NULL ? top : ".", folder, file, NULL), *text = NULL;
  g_autoptr (GabbroKernel) kernel = NULL;
  GError *error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  assert_fine (error);
  kernel = test_kernel (text, name);
  add_original (name, gabbro_compile_artifact (kernel, NULL, GABBRO_COMPILE_DEFAULT, 1, &error));
}

static void
prepare (void)
{
  /* Sorted, as bundles are. */
  if (n_originals > 0)
    return;
  add_original ("all", test_artifact ("all"));
  add_original ("fill", test_artifact ("fill"));
  add_original ("full", test_full_artifact ());
  add_example ("data/examples", "mandelbrot.gk", "mandelbrot");
  add_original ("nothing", test_artifact ("nothing"));
  add_example ("data/examples", "saxpy.gk", "saxpy");
  add_example ("data/examples", "sobel.gk", "sobel");
  add_original ("together", test_artifact ("together"));
}

static GBytes *
mutated (GBytes *bytes, struct dice *dice)
{
  GByteArray *data = fuzz_copy (bytes);

  fuzz_mutate_bytes (data, dice);
  return g_byte_array_free_to_bytes (data);
}

/* One section is changed; the digests fit nearly always, or nothing behind them would be reached. */
static void
make_sections (struct dice *dice, guint kernel, GBytes *sections[BUNDLE_N_SECTIONS])
{
  guint section = dice_below (dice, BUNDLE_N_SECTIONS);
  GBytes *changed;

  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    sections[i] = g_bytes_ref (originals[kernel][i]);
  /* The section of another kernel is whole, and wrong. */
  if (dice_percent (dice, 10))
    changed = g_bytes_ref (originals[dice_below (dice, n_originals)][section]);
  else
    changed = mutated (sections[section], dice);
  g_bytes_unref (sections[section]);
  sections[section] = changed;
  if (section == BUNDLE_SECTION_HEADER)
    sections[section] = test_seal_header (sections[section]);
  else if (!dice_percent (dice, 5))
    test_reseal (sections, (enum bundle_section) section);
}

/* --- artifacts --------------------------------------------------------------------------------- */

static GByteArray *
make_artifact (struct dice *dice)
{
  GBytes *sections[BUNDLE_N_SECTIONS];
  GByteArray *data = g_byte_array_new ();

  make_sections (dice, dice_below (dice, n_originals), sections);
  if (dice_percent (dice, 50))
    {
      GBytes *joined = bundle_artifact_join (sections);

      g_byte_array_unref (data);
      data = fuzz_copy (joined);
      g_bytes_unref (joined);
      if (dice_percent (dice, 5))
        fuzz_mutate_bytes (data, dice);
    }
  else
    {
      g_byte_array_append (data, (const guint8 *) LOOSE_MAGIC, LOOSE_MAGIC_SIZE);
      for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
        {
          gsize size;
          const void *bytes = g_bytes_get_data (sections[i], &size);
          guint32 written = GUINT32_TO_LE ((guint32) size);

          g_byte_array_append (data, (const guint8 *) &written, sizeof written);
          g_byte_array_append (data, bytes, (guint) size);
        }
    }
  bundle_sections_clear (sections);
  return data;
}

/* Exactly as large in memory as they are, for the sanitizer's sake. */
static bool
read_loose (const guint8 *data, gsize size, GBytes *sections[BUNDLE_N_SECTIONS])
{
  gsize at = LOOSE_MAGIC_SIZE;

  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    {
      guint32 length;

      if (size - at < sizeof length)
        return false;
      memcpy (&length, data + at, sizeof length);
      length = GUINT32_FROM_LE (length);
      at += sizeof length;
      if (size - at < length)
        return false;
      sections[i] = g_bytes_new (data + at, length);
      at += length;
    }
  return at == size;
}

static bool
try_sections (GBytes *sections[BUNDLE_N_SECTIONS])
{
  GError *error = NULL;
  GBytes *again[BUNDLE_N_SECTIONS];
  struct bundle_artifact *artifact = test_decode (sections, &error);

  if (artifact == NULL)
    {
      fuzz_check (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_BAD_BUNDLE), "refused as no artifact is: %s", error->message);
      g_error_free (error);
      return false;
    }
  fuzz_check (error == NULL, "taken with an error: %s", error->message);
  bundle_artifact_encode (artifact, again, &error);
  fuzz_check (error == NULL, "what was taken cannot be written: %s", error->message);
  for (guint i = 1; i < BUNDLE_N_SECTIONS; i++)
    fuzz_check (i == BUNDLE_SECTION_ARGUMENTS || g_bytes_equal (sections[i], again[i]), "the section %s is not the same",
                bundle_section_name ((enum bundle_section) i));
  bundle_sections_clear (again);
  bundle_artifact_unref (artifact);
  return true;
}

static bool
attempt_artifact (const guint8 *data, gsize size)
{
  GBytes *sections[BUNDLE_N_SECTIONS] = { NULL };
  bool taken;

  if (size >= LOOSE_MAGIC_SIZE && memcmp (data, LOOSE_MAGIC, LOOSE_MAGIC_SIZE) == 0)
    taken = read_loose (data, size, sections) && try_sections (sections);
  else
    {
      GBytes *bytes = g_bytes_new_static (data, size);
      GError *error = NULL;

      taken = bundle_artifact_split (bytes, sections, &error);
      fuzz_check (taken == (error == NULL), "a refusal says why, and nothing else does");
      fuzz_check (error == NULL || g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_BAD_BUNDLE), "refused as no artifact is: %s", error->message);
      g_clear_error (&error);
      taken = taken && try_sections (sections);
      g_bytes_unref (bytes);
    }
  bundle_sections_clear (sections);
  return taken;
}

/* --- bundles ----------------------------------------------------------------------------------- */

static GBytes *
write_bundle (struct dice *dice)
{
  GPtrArray *members = g_ptr_array_new_with_free_func (bundle_member_free);
  bool compress = dice_percent (dice, 25);
  GBytes *bytes;

  for (guint i = 0; i < n_originals; i++)
    {
      struct bundle_member *member;

      if (!dice_percent (dice, 40))
        continue;
      member = g_new0 (struct bundle_member, 1);
      member->name = g_strdup (names[i]);
      if (dice_percent (dice, 40))
        make_sections (dice, i, member->sections);
      else
        for (guint j = 0; j < BUNDLE_N_SECTIONS; j++)
          member->sections[j] = g_bytes_ref (originals[i][j]);
      g_ptr_array_add (members, member);
    }
  bytes = bundle_archive_write (members, "Fuzz", compress, NULL);
  g_ptr_array_unref (members);
  return bytes;
}

/* Sums of tar's headers that fit. */
static void
mend_sums (GByteArray *data)
{
  for (guint at = 0; at + 512 <= data->len; at += 512)
    {
      guint sum = 0;

      if (memcmp (data->data + at + 257, "ustar", 5) != 0)
        continue;
      memset (data->data + at + 148, ' ', 8);
      for (guint i = 0; i < 512; i++)
        sum += data->data[at + i];
      g_snprintf ((char *) data->data + at + 148, 8, "%06o", sum);
    }
}

static GByteArray *
make_bundle (struct dice *dice)
{
  GBytes *bytes = write_bundle (dice);
  GByteArray *data = bytes != NULL ? fuzz_copy (bytes) : g_byte_array_new ();

  if (!dice_percent (dice, 25))
    {
      fuzz_mutate_bytes (data, dice);
      if (dice_percent (dice, 75))
        mend_sums (data);
    }
  g_clear_pointer (&bytes, g_bytes_unref);
  return data;
}

static void
look_at_kernels (GabbroBundle *bundle)
{
  g_auto (GStrv) kernels = gabbro_bundle_list_kernels (bundle);

  for (guint i = 0; kernels[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GVariant) description = gabbro_bundle_describe_kernel (bundle, kernels[i], &error);

      fuzz_check (description != NULL, "a kernel of a sound bundle cannot be described: %s", error->message);
    }
}

static bool
attempt_bundle (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroBundle) bundle = gabbro_bundle_new_from_bytes (bytes, &error);
  bool good = bundle != NULL && gabbro_bundle_verify (bundle, &error);

  fuzz_check (good == (error == NULL), "a refusal says why, and nothing else does");
  fuzz_check (good || error->domain == GABBRO_ERROR, "refused as no bundle is: %s", error->message);
  if (good)
    {
      g_autoptr (GBytes) again = gabbro_bundle_to_bytes (bundle, GABBRO_BUNDLE_DEFAULT, &error);

      fuzz_check (again != NULL, "what was taken cannot be written: %s", error->message);
      look_at_kernels (bundle);
    }
  return good;
}

const struct fuzz_target fuzz_artifact = {
  .name = "artifact",
  .extension = "shader",
  .smoke_rounds = 4000,
  .prepare = prepare,
  .make = make_artifact,
  .attempt = attempt_artifact,
};

const struct fuzz_target fuzz_bundle = {
  .name = "bundle",
  .extension = "gabbro",
  .smoke_rounds = 800,
  .prepare = prepare,
  .make = make_bundle,
  .attempt = attempt_bundle,
};
