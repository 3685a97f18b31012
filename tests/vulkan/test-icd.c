/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Broken Vulkan drivers beside a good one: the good one is found, the broken one
 * is named. */

#include "config.h"

#include "tests/vulkan/harness.h"

#include <glib/gstdio.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "gpu/drivers/vulkan/icd.h"

static struct harness h;
static char *folder, *good;

static char *
write_file (const char *name, const char *text)
{
  char *file = g_build_filename (folder, name, NULL);

  ck_assert (g_file_set_contents (file, text, -1, NULL));
  return file;
}

/* A manifest in our folder. */
static char *
write_manifest (const char *name, const char *library)
{
  char *text = g_strdup_printf ("{\n  \"file_format_version\": \"1.0.0\",\n  \"ICD\": { \"library_path\": \"%s\", "
                                "\"api_version\": \"1.3.0\" }\n}\n",
                                library);
  char *file = write_file (name, text);

  g_free (text);
  return file;
}

static char *
fake (const char *kind)
{
  const char *builddir = g_getenv ("FAKE_ICD_DIR");
  char *name = g_strdup_printf ("fake-icd-%s.so", kind);
  char *library = g_build_filename (builddir != NULL ? builddir : "tests/vulkan/.libs", name, NULL);
  char *file = g_strconcat (kind, ".json", NULL);
  char *manifest, *absolute = g_canonicalize_filename (library, NULL);

  ck_assert_msg (g_file_test (absolute, G_FILE_TEST_EXISTS), "%s is not built", absolute);
  manifest = write_manifest (file, absolute);
  g_free (file);
  g_free (name);
  g_free (library);
  g_free (absolute);
  return manifest;
}

static void
use_drivers (const char *first, const char *second)
{
  char *files = second != NULL ? g_strdup_printf ("%s:%s", first, second) : g_strdup (first);

  g_setenv ("VK_DRIVER_FILES", files, TRUE);
  g_setenv ("VK_ICD_FILENAMES", files, TRUE);
  g_free (files);
}

/* The good one works beside it, through the whole driver, and the log names it. */
static void
beside (const char *bad)
{
  struct gabbro_buffer_info buffer;

  for (unsigned order = 0; order < 2; order++)
    {
      use_drivers (order == 0 ? bad : good, order == 0 ? good : bad);
      harness_open (&h, false, NULL);
      ck_assert_uint_eq (h.instance->n_adapters, 1);
      ck_assert_msg (harness_said (&h, bad), "nothing was said of %s", bad);
      ck_assert_uint_eq (h.n_bad, 1);
      h.n_bad = 0;
      buffer = harness_buffer (&h, 1000, GABBRO_MEMORY_UPLOAD);
      memset (buffer.mapped, 1, 1000);
      harness_buffer_free (&h, &buffer);
      harness_close (&h);
    }
}

/* With nothing else there is an error that names it. */
static void
alone (const char *bad, const char *reason)
{
  GError *error = NULL;

  use_drivers (bad, NULL);
  harness_init (&h, false, NULL);
  ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_FAILED);
  ck_assert_ptr_nonnull (error);
  ck_assert_msg (strstr (error->message, bad) != NULL, "“%s” lacks %s", error->message, bad);
  ck_assert_msg (strstr (error->message, reason) != NULL, "“%s” lacks %s", error->message, reason);
  ck_assert_ptr_null (h.instance);
  g_clear_error (&error);
  h.n_bad = 0;
  harness_close (&h);
}

static void
setup (void)
{
  GPtrArray *icds = vulkan_icd_list ();

  /* Any that has devices will do. */
  for (unsigned i = 0; i < icds->len && good == NULL; i++)
    {
      const struct vulkan_icd *icd = g_ptr_array_index (icds, i);
      use_drivers (icd->manifest, NULL);
      harness_init (&h, false, NULL);
      if (harness_probe (&h, NULL) == GABBRO_PROBE_BOUND)
        good = g_strdup (icd->manifest);
      h.n_bad = 0;
      harness_close (&h);
    }
  g_ptr_array_unref (icds);
  ck_assert_ptr_nonnull (good);
  folder = g_dir_make_tmp (NULL, NULL);
  ck_assert_ptr_nonnull (folder);
}

static void
teardown (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      char *file = g_build_filename (folder, name, NULL);
      g_unlink (file);
      g_free (file);
    }
  if (dir != NULL)
    g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
  g_free (good);
}

START_TEST (test_good_alone)
{
  use_drivers (good, NULL);
  harness_open (&h, false, NULL);
  ck_assert_uint_eq (h.instance->n_adapters, 1);
  ck_assert (!harness_said (&h, "left out"));
  harness_close (&h);
}
END_TEST

/* The same driver named by two files: two adapters, never one dropped (T02). */
START_TEST (test_good_twice)
{
  GPtrArray *icds;
  const struct vulkan_icd *icd;
  char *second;

  use_drivers (good, NULL);
  icds = vulkan_icd_list ();
  ck_assert_uint_eq (icds->len, 1);
  icd = g_ptr_array_index (icds, 0);
  second = write_manifest ("second.json", icd->library);
  use_drivers (good, second);
  harness_open (&h, false, NULL);
  ck_assert_uint_eq (h.instance->n_adapters, 2);
  ck_assert (memcmp (h.instance->adapters[0]->info.device_uuid, h.instance->adapters[1]->info.device_uuid, 16) == 0);
  harness_close (&h);
  g_free (second);
  g_ptr_array_unref (icds);
}
END_TEST

START_TEST (test_create_fails)
{
  char *bad = fake ("create");
  beside (bad);
  alone (bad, "vkCreateInstance");
  g_free (bad);
}
END_TEST

START_TEST (test_create_out_of_memory)
{
  char *bad = fake ("memory");
  beside (bad);
  alone (bad, "VK_ERROR_OUT_OF_HOST_MEMORY");
  g_free (bad);
}
END_TEST

START_TEST (test_enumerate_fails)
{
  char *bad = fake ("enumerate");
  beside (bad);
  alone (bad, "vkEnumeratePhysicalDevices");
  g_free (bad);
}
END_TEST

START_TEST (test_library_is_missing)
{
  char *bad = write_manifest ("missing.json", "/nowhere/libvulkan_missing.so");
  beside (bad);
  alone (bad, "/nowhere/libvulkan_missing.so");
  g_free (bad);
}
END_TEST

START_TEST (test_library_is_no_library)
{
  char *library = write_file ("text.so", "not a library\n");
  char *bad = write_manifest ("text.json", library);
  beside (bad);
  alone (bad, "text.so");
  g_free (bad);
  g_free (library);
}
END_TEST

/* A driver whose hardware is not here says so, and that is no fault. */
START_TEST (test_incompatible_is_quiet)
{
  char *other = fake ("incompatible");
  GError *error = NULL;

  use_drivers (other, good);
  harness_open (&h, false, NULL);
  ck_assert_uint_eq (h.instance->n_adapters, 1);
  harness_close (&h);
  use_drivers (other, NULL);
  harness_init (&h, false, NULL);
  ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_NOTHING);
  ck_assert_ptr_null (error);
  harness_close (&h);
  g_free (other);
}
END_TEST

/* So are drivers for other processes: 32 bits where we have 64, another processor. The header of the file says it. */
START_TEST (test_other_machine_is_quiet)
{
  static const struct { gsize at; guint8 flip; } changes[] = { { EI_CLASS, 3 }, { EI_DATA, 3 }, { offsetof (ElfW (Ehdr), e_machine), 1 } };
  GError *error = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      char *ours, *library = g_build_filename (folder, "other.so", NULL), *manifest;
      gsize size;

      ck_assert (g_file_get_contents ("/proc/self/exe", &ours, &size, NULL));
      ours[changes[i].at] ^= changes[i].flip;
      ck_assert (g_file_set_contents (library, ours, 4096, NULL));
      manifest = write_manifest ("other.json", library);
      use_drivers (manifest, NULL);
      harness_init (&h, false, NULL);
      ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_NOTHING);
      ck_assert_ptr_null (error);
      harness_close (&h);
      g_free (ours);
      g_free (library);
      g_free (manifest);
    }
}
END_TEST

/* The manifest may say it, too, and then the library need not be there. */
START_TEST (test_other_width_is_quiet)
{
  static const char format[] = "{ \"ICD\": { \"library_path\": \"/nowhere/libvulkan_x.so\", \"library_arch\" : \"%u\" } }";
  GError *error = NULL;
  char *text = g_strdup_printf (format, sizeof (void *) == 8 ? 32 : 64), *manifest = write_file ("width.json", text);
  char *same_text = g_strdup_printf (format, (guint) (8 * sizeof (void *))), *same = write_file ("same.json", same_text);

  use_drivers (manifest, NULL);
  harness_init (&h, false, NULL);
  ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_NOTHING);
  ck_assert_ptr_null (error);
  harness_close (&h);
  alone (same, "/nowhere/libvulkan_x.so");
  g_free (text);
  g_free (same_text);
  g_free (manifest);
  g_free (same);
}
END_TEST

START_TEST (test_large_manifest)
{
  /* Sound but for its size: some loaders leak where a manifest is not. */
  static const char sound[] = "{ \"file_format_version\": \"1.0.0\", \"ICD\": { \"api_version\": \"1.3.0\", "
                              "\"library_path\": \"/nowhere/libvulkan_x.so\" } }";
  char *blanks = g_strnfill ((2 << 20) - strlen (sound), ' '), *text = g_strconcat (sound, blanks, NULL);
  char *manifest = write_file ("large.json", text);
  beside (manifest);
  alone (manifest, "has 2097152 bytes, the limit is 1048576");
  g_free (blanks);
  g_free (text);
  g_free (manifest);
}
END_TEST

START_TEST (test_no_driver)
{
  GError *error = NULL;

  use_drivers ("/nowhere/none.json", NULL);
  harness_init (&h, false, NULL);
  ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_NOTHING);
  ck_assert_ptr_null (error);
  ck_assert_ptr_null (h.instance);
  harness_close (&h);
}
END_TEST

START_TEST (test_manifests)
{
  GPtrArray *icds;
  char *relative = write_manifest ("a.json", "./lib/libfoo.so");
  char *bare = write_manifest ("b.json", "libbar.so");
  char *broken = write_file ("c.json", "{ \"ICD\": { \"library_path\" : 5 } }");
  char *note = write_file ("note.txt", "\"library_path\": \"x\"");
  char *expected = g_build_filename (folder, "./lib/libfoo.so", NULL);

  use_drivers (folder, relative);
  icds = vulkan_icd_list ();
  ck_assert_uint_eq (icds->len, 3);
  ck_assert_str_eq (((const struct vulkan_icd *) g_ptr_array_index (icds, 0))->library, expected);
  ck_assert_str_eq (((const struct vulkan_icd *) g_ptr_array_index (icds, 1))->library, "libbar.so");
  ck_assert_ptr_null (((const struct vulkan_icd *) g_ptr_array_index (icds, 2))->library);
  g_ptr_array_unref (icds);
  g_setenv ("VK_LOADER_DRIVERS_DISABLE", "b*", TRUE);
  g_setenv ("VK_LOADER_DRIVERS_SELECT", "*.json", TRUE);
  icds = vulkan_icd_list ();
  ck_assert_uint_eq (icds->len, 2);
  g_ptr_array_unref (icds);
  g_free (relative);
  g_free (bare);
  g_free (broken);
  g_free (note);
  g_free (expected);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("icd");
  TCase *test_case = gb_test_case (suite, "icd");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_test (test_case, test_good_alone);
  tcase_add_test (test_case, test_good_twice);
  tcase_add_test (test_case, test_create_fails);
  tcase_add_test (test_case, test_create_out_of_memory);
  tcase_add_test (test_case, test_enumerate_fails);
  tcase_add_test (test_case, test_library_is_missing);
  tcase_add_test (test_case, test_library_is_no_library);
  tcase_add_test (test_case, test_incompatible_is_quiet);
  tcase_add_test (test_case, test_other_machine_is_quiet);
  tcase_add_test (test_case, test_other_width_is_quiet);
  tcase_add_test (test_case, test_large_manifest);
  tcase_add_test (test_case, test_no_driver);
  tcase_add_test (test_case, test_manifests);
  return suite;
}

int
main (void)
{
  int status = harness_device_status ();
  SRunner *runner;

  if (status != 0)
    return status;
  runner = srunner_create (make_suite ());
  srunner_run_all (runner, CK_ENV);
  status = srunner_ntests_failed (runner) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  srunner_free (runner);
  return status;
}
