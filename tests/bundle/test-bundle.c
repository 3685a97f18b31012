/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bundles: what is written is loaded, from everywhere; the same kernels give the same bytes; archives made by hand to
 * do harm are refused by name; a file is replaced whole or not at all. */

#include "config.h"

#include <archive.h>
#include <archive_entry.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/reader.h"
#include "tests/bundle/bundle-test.h"

static GabbroBundle *
make_bundle (const char *const *names)
{
  GPtrArray *kernels = g_ptr_array_new_with_free_func (g_object_unref);
  GError *error = NULL;
  GabbroBundle *bundle;

  for (; *names != NULL; names++)
    g_ptr_array_add (kernels, test_kernel (BUNDLE_TEST_SOURCE, *names));
  bundle = gabbro_bundle_new_from_kernels ((GabbroKernel **) kernels->pdata, kernels->len, NULL, GABBRO_COMPILE_DEFAULT, 1, &error);
  assert_fine (error);
  g_ptr_array_unref (kernels);
  return bundle;
}

static const char *const all_names[] = { "fill", "all", "nothing", NULL };

static GBytes *
bundle_bytes (GabbroBundleFlags flags)
{
  GError *error = NULL;
  GabbroBundle *bundle = make_bundle (all_names);
  GBytes *bytes = gabbro_bundle_to_bytes (bundle, flags, &error);

  assert_fine (error);
  g_object_unref (bundle);
  return bytes;
}

static void
assert_is_whole (GabbroBundle *bundle)
{
  char **names = gabbro_bundle_list_kernels (bundle), *all = g_strjoinv (" ", names);
  GError *error = NULL;

  ck_assert_str_eq (all, "all fill nothing");
  gabbro_bundle_verify (bundle, &error);
  assert_fine (error);
  g_free (all);
  g_strfreev (names);
  g_object_unref (bundle);
}

START_TEST (test_same_bytes)
{
  static const char *const other_order[] = { "nothing", "all", "fill", NULL };
  GabbroBundleFlags flags = _i == 0 ? GABBRO_BUNDLE_DEFAULT : GABBRO_BUNDLE_COMPRESS;
  GBytes *one = bundle_bytes (flags), *other;
  GabbroBundle *bundle = make_bundle (other_order), *loaded;
  GError *error = NULL;

  other = gabbro_bundle_to_bytes (bundle, flags, &error);
  assert_fine (error);
  ck_assert (g_bytes_equal (one, other));
  loaded = gabbro_bundle_new_from_bytes (one, &error);
  assert_fine (error);
  g_bytes_unref (other);
  other = gabbro_bundle_to_bytes (loaded, flags, &error);
  assert_fine (error);
  ck_assert (g_bytes_equal (one, other));
  assert_is_whole (loaded);
  g_bytes_unref (one);
  g_bytes_unref (other);
  g_object_unref (bundle);
}
END_TEST

static char *
scratch (const char *name)
{
  return g_build_filename (g_getenv ("TEST_TMPDIR") != NULL ? g_getenv ("TEST_TMPDIR") : g_get_tmp_dir (), name, NULL);
}

START_TEST (test_files)
{
  char *path = scratch ("kernels.gabbro");
  GFile *file = g_file_new_for_path (path), *missing = g_file_new_for_path ("/nowhere/x.gabbro");
  GabbroBundle *bundle = make_bundle (all_names), *loaded;
  GError *error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      gabbro_bundle_save (bundle, file, i == 0 ? GABBRO_BUNDLE_DEFAULT : GABBRO_BUNDLE_COMPRESS, NULL, &error);
      assert_fine (error);
      loaded = gabbro_bundle_new_from_file (file, NULL, &error);
      assert_fine (error);
      assert_is_whole (loaded);
    }
  ck_assert_ptr_null (gabbro_bundle_new_from_file (missing, NULL, &error));
  ck_assert (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND));
  g_clear_error (&error);
  ck_assert (!gabbro_bundle_save (bundle, missing, GABBRO_BUNDLE_DEFAULT, NULL, &error));
  ck_assert (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND));
  g_clear_error (&error);
  g_object_unref (bundle);
  g_object_unref (file);
  g_object_unref (missing);
  g_unlink (path);
  g_free (path);
}
END_TEST

/* A GResource made by hand: the bundle at /kernels. */
static GResource *
make_resource (GBytes *bundle)
{
  char *folder = scratch ("resource-XXXXXX"), *path, *xml, *target, *quoted;
  GError *error = NULL;
  GResource *resource;
  int status;

  ck_assert_ptr_nonnull (g_mkdtemp (folder));
  path = g_build_filename (folder, "kernels.gabbro", NULL);
  xml = g_build_filename (folder, "r.xml", NULL);
  target = g_build_filename (folder, "r.gresource", NULL);
  g_file_set_contents (path, g_bytes_get_data (bundle, NULL), (gssize) g_bytes_get_size (bundle), &error);
  assert_fine (error);
  g_file_set_contents (xml, "<gresources><gresource prefix='/org/example'><file>kernels.gabbro</file></gresource></gresources>", -1, &error);
  assert_fine (error);
  quoted = g_strdup_printf ("glib-compile-resources --sourcedir='%s' --target='%s' '%s'", folder, target, xml);
  ck_assert (g_spawn_command_line_sync (quoted, NULL, NULL, &status, &error));
  ck_assert_int_eq (status, 0);
  resource = g_resource_load (target, &error);
  assert_fine (error);
  g_unlink (path);
  g_unlink (xml);
  g_unlink (target);
  g_rmdir (folder);
  g_free (quoted);
  g_free (target);
  g_free (xml);
  g_free (path);
  g_free (folder);
  return resource;
}

START_TEST (test_resources)
{
  GBytes *bytes = bundle_bytes (GABBRO_BUNDLE_DEFAULT);
  GResource *resource = make_resource (bytes);
  GabbroBundle *bundle = NULL;
  GError *error = NULL;

  bundle = gabbro_bundle_new_from_resource (resource, "/org/example/kernels.gabbro", &error);
  assert_fine (error);
  assert_is_whole (bundle);
  g_resources_register (resource);
  bundle = gabbro_bundle_new_from_resource (NULL, "/org/example/kernels.gabbro", &error);
  assert_fine (error);
  assert_is_whole (bundle);
  ck_assert_ptr_null (gabbro_bundle_new_from_resource (resource, "/org/example/none", &error));
  ck_assert (g_error_matches (error, G_RESOURCE_ERROR, G_RESOURCE_ERROR_NOT_FOUND));
  g_clear_error (&error);
  g_resources_unregister (resource);
  g_resource_unref (resource);
  g_bytes_unref (bytes);
}
END_TEST

/* Without blocking. */

static void
keep_result (GObject *object, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static GAsyncResult *
wait_for (GAsyncResult **result)
{
  while (*result == NULL)
    g_main_context_iteration (NULL, TRUE);
  return *result;
}

START_TEST (test_async)
{
  GBytes *bytes = bundle_bytes (GABBRO_BUNDLE_COMPRESS);
  GResource *resource = make_resource (bytes);
  char *path = scratch ("async.gabbro");
  GFile *file = g_file_new_for_path (path);
  GabbroKernel *kernel = test_kernel (BUNDLE_TEST_SOURCE, "fill");
  GabbroBundle *bundle;
  GError *error = NULL;
  GAsyncResult *result = NULL;

  gabbro_bundle_new_from_bytes_async (bytes, NULL, keep_result, &result);
  bundle = gabbro_bundle_new_from_bytes_finish (wait_for (&result), &error);
  assert_fine (error);
  g_clear_object (&result);
  gabbro_bundle_save_async (bundle, file, GABBRO_BUNDLE_DEFAULT, NULL, keep_result, &result);
  ck_assert (gabbro_bundle_save_finish (bundle, wait_for (&result), &error));
  g_clear_object (&result);
  assert_is_whole (bundle);
  gabbro_bundle_new_from_file_async (file, NULL, keep_result, &result);
  bundle = gabbro_bundle_new_from_file_finish (wait_for (&result), &error);
  assert_fine (error);
  g_clear_object (&result);
  assert_is_whole (bundle);
  gabbro_bundle_new_from_resource_async (resource, "/org/example/kernels.gabbro", NULL, keep_result, &result);
  bundle = gabbro_bundle_new_from_resource_finish (wait_for (&result), &error);
  assert_fine (error);
  g_clear_object (&result);
  assert_is_whole (bundle);
  gabbro_bundle_new_from_resource_async (resource, "/none", NULL, keep_result, &result);
  ck_assert_ptr_null (gabbro_bundle_new_from_resource_finish (wait_for (&result), &error));
  ck_assert (g_error_matches (error, G_RESOURCE_ERROR, G_RESOURCE_ERROR_NOT_FOUND));
  g_clear_error (&error);
  g_clear_object (&result);
  gabbro_bundle_new_from_kernels_async (&kernel, 1, NULL, GABBRO_COMPILE_DEFAULT, 1, NULL, keep_result, &result);
  bundle = gabbro_bundle_new_from_kernels_finish (wait_for (&result), &error);
  assert_fine (error);
  g_clear_object (&result);
  g_object_unref (bundle);
  g_object_unref (kernel);
  g_object_unref (file);
  g_resource_unref (resource);
  g_bytes_unref (bytes);
  g_unlink (path);
  g_free (path);
}
END_TEST

/* What a kernel of a bundle says of itself is what that of the source says. */
START_TEST (test_kernels)
{
  GBytes *bytes = bundle_bytes (GABBRO_BUNDLE_DEFAULT), *section;
  GError *error = NULL;
  GabbroBundle *bundle = gabbro_bundle_new_from_bytes (bytes, &error);
  GabbroKernel *one = test_kernel (BUNDLE_TEST_SOURCE, "all"), *other = gabbro_bundle_get_kernel (bundle, "all", &error);
  GVariant *description;
  const char *text;
  guint a[3], b[3];

  assert_fine (error);
  ck_assert_str_eq (gabbro_kernel_get_name (other), "all");
  ck_assert_ptr_null (gabbro_kernel_get_module (other));
  gabbro_kernel_get_group_size (one, &a[0], &a[1], &a[2]);
  gabbro_kernel_get_group_size (other, &b[0], &b[1], &b[2]);
  ck_assert_mem_eq (a, b, sizeof a);
  ck_assert_uint_eq (gabbro_kernel_get_n_arguments (one), gabbro_kernel_get_n_arguments (other));
  for (guint i = 0; i < gabbro_kernel_get_n_arguments (one); i++)
    {
      ck_assert_str_eq (gabbro_kernel_get_argument_name (one, i), gabbro_kernel_get_argument_name (other, i));
      ck_assert_int_eq (gabbro_kernel_get_argument_kind (one, i), gabbro_kernel_get_argument_kind (other, i));
      ck_assert_str_eq (gabbro_kernel_get_argument_type (one, i), gabbro_kernel_get_argument_type (other, i));
      ck_assert_pstr_eq (gabbro_kernel_get_argument_element_type (one, i), gabbro_kernel_get_argument_element_type (other, i));
      ck_assert_uint_eq (gabbro_kernel_get_argument_size (one, i), gabbro_kernel_get_argument_size (other, i));
      ck_assert_uint_eq (gabbro_kernel_get_argument_usage (one, i), gabbro_kernel_get_argument_usage (other, i));
      ck_assert_int_eq (gabbro_kernel_find_argument (other, gabbro_kernel_get_argument_name (one, i)), i);
    }
  description = gabbro_bundle_describe_kernel (bundle, "all", &error);
  assert_fine (error);
  ck_assert (g_variant_lookup (description, "source-name", "&s", &text));
  ck_assert_str_eq (text, "test.gk");
  section = gabbro_bundle_get_section (bundle, "all", "code", &error);
  assert_fine (error);
  ck_assert_mem_eq (g_bytes_get_data (section, NULL), "\3\2\x23\7", 4);
  ck_assert_ptr_null (gabbro_bundle_get_section (bundle, "all", "nonsense", &error));
  ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND));
  g_clear_error (&error);
  ck_assert_ptr_null (gabbro_bundle_get_kernel (bundle, "al", &error));
  ck_assert_ptr_nonnull (strstr (error->message, "did you mean “all”?"));
  g_clear_error (&error);
  ck_assert_ptr_null (gabbro_bundle_get_kernel (bundle, NULL, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "all, fill, nothing"));
  g_clear_error (&error);
  g_variant_unref (description);
  g_bytes_unref (section);
  g_object_unref (one);
  g_object_unref (other);
  g_object_unref (bundle);
  g_bytes_unref (bytes);
}
END_TEST

START_TEST (test_names)
{
  GabbroKernel *kernels[] = { test_kernel (BUNDLE_TEST_SOURCE, "fill"), test_kernel (BUNDLE_TEST_SOURCE, "fill") };
  GError *error = NULL;

  ck_assert_ptr_null (gabbro_bundle_new_from_kernels (kernels, 2, NULL, GABBRO_COMPILE_DEFAULT, 1, &error));
  ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT));
  ck_assert_ptr_nonnull (strstr (error->message, "“fill”"));
  g_clear_error (&error);
  ck_assert_ptr_null (gabbro_bundle_new_from_kernels (NULL, 0, NULL, GABBRO_COMPILE_DEFAULT, 1, &error));
  ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT));
  g_clear_error (&error);
  g_object_unref (kernels[0]);
  g_object_unref (kernels[1]);
}
END_TEST

/* Archives made by hand. */

static la_ssize_t
append (struct archive *archive, void *data, const void *buffer, size_t length)
{
  g_byte_array_append (data, buffer, (guint) length);
  return (la_ssize_t) length;
}

struct maker
{
  struct archive *archive;
  GByteArray *out;
};

static void
begin (struct maker *maker, int format)
{
  maker->archive = archive_write_new ();
  maker->out = g_byte_array_new ();
  ck_assert_int_eq (archive_write_set_format (maker->archive, format), ARCHIVE_OK);
  archive_write_set_bytes_in_last_block (maker->archive, 1);
  ck_assert_int_eq (archive_write_open2 (maker->archive, maker->out, NULL, append, NULL, NULL), ARCHIVE_OK);
}

static void
add_kind (struct maker *maker, const char *name, const void *data, gsize size, unsigned kind, const char *link)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, name);
  archive_entry_set_filetype (entry, kind);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_size (entry, (la_int64_t) size);
  /* What is later than ustar can say makes the pax format write more than ustar does. */
  if (archive_format (maker->archive) == ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE)
    archive_entry_set_mtime (entry, 1, 500);
  if (link != NULL && kind == AE_IFLNK)
    archive_entry_set_symlink (entry, link);
  else if (link != NULL)
    archive_entry_set_hardlink (entry, link);
  ck_assert_int_eq (archive_write_header (maker->archive, entry), ARCHIVE_OK);
  if (size > 0)
    ck_assert_int_eq (archive_write_data (maker->archive, data, size), size);
  archive_entry_free (entry);
}

static void
add (struct maker *maker, const char *name, GBytes *bytes)
{
  add_kind (maker, name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), AE_IFREG, NULL);
}

static GBytes *
end (struct maker *maker)
{
  ck_assert_int_eq (archive_write_close (maker->archive), ARCHIVE_OK);
  archive_write_free (maker->archive);
  return g_byte_array_free_to_bytes (maker->out);
}

static void
add_manifest (struct maker *maker, GBytes *const sections[BUNDLE_N_SECTIONS])
{
  uint8_t digest[GB_DIGEST_SIZE];
  char hex[GB_DIGEST_HEX_SIZE], *text, *whole;

  gb_digest_of (g_bytes_get_data (sections[0], NULL), g_bytes_get_size (sections[0]), digest);
  gb_digest_to_hex (digest, hex);
  text = g_strdup_printf ("gabbro-bundle 1\ngenerator Hand 1\nkernel fill %s\n", hex);
  gb_digest_of (text, strlen (text), digest);
  gb_digest_to_hex (digest, hex);
  whole = g_strdup_printf ("%smanifest %s\n", text, hex);
  add_kind (maker, "gabbro-manifest", whole, strlen (whole), AE_IFREG, NULL);
  g_free (whole);
  g_free (text);
}

static void
add_sections (struct maker *maker, GBytes *const sections[BUNDLE_N_SECTIONS])
{
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    {
      char *name = g_strconcat ("fill/", bundle_section_name ((enum bundle_section) i), NULL);

      add (maker, name, sections[i]);
      g_free (name);
    }
}

static void
refused (GBytes *bytes, const char *part)
{
  GError *error = NULL;
  GabbroBundle *bundle = gabbro_bundle_new_from_bytes (bytes, &error);

  ck_assert_msg (bundle == NULL, "taken, where it should be refused: %s", part);
  assert_refused (error, part);
  g_bytes_unref (bytes);
}

/* What is put behind a bundle that is right. */
static const struct
{
  const char *name;
  unsigned kind;
  const char *link;
  const char *part;
} intruders[] = {
  { "/etc/passwd", AE_IFREG, NULL, "leads out of the bundle" },
  { "../evil", AE_IFREG, NULL, "leads out of the bundle" },
  { "fill/../../evil", AE_IFREG, NULL, "leads out of the bundle" },
  { "fill/..", AE_IFREG, NULL, "leads out of the bundle" },
  { "fill/code", AE_IFREG, NULL, "is there twice" },
  { "gabbro-manifest", AE_IFREG, NULL, "is there twice" },
  { "fill/link", AE_IFLNK, "/etc/passwd", "is a link" },
  { "copy/code", AE_IFREG, "fill/code", "is a link" },
  { "fill", AE_IFDIR, NULL, "is no regular file" },
  { "fill/fifo", AE_IFIFO, NULL, "is no regular file" },
  { "fill/null", AE_IFCHR, NULL, "is no regular file" },
  { "fill/extra", AE_IFREG, NULL, "is none that a bundle has" },
  { "./fill/code", AE_IFREG, NULL, "is none that a bundle has" },
  { "fill//code", AE_IFREG, NULL, "is none that a bundle has" },
  { "fi ll/code", AE_IFREG, NULL, "is none that a bundle has" },
  { "readme", AE_IFREG, NULL, "is none that a bundle has" },
  { "other/code", AE_IFREG, NULL, "has no section" },
};

START_TEST (test_intruders)
{
  struct bundle_artifact *artifact = test_artifact ("fill");
  GBytes *sections[BUNDLE_N_SECTIONS];
  struct maker maker;
  GError *error = NULL;
  GBytes *good;
  GabbroBundle *bundle;

  test_encode (artifact, sections);
  begin (&maker, ARCHIVE_FORMAT_TAR_USTAR);
  add_manifest (&maker, sections);
  add_sections (&maker, sections);
  good = end (&maker);
  bundle = gabbro_bundle_new_from_bytes (good, &error);
  assert_fine (error);
  ck_assert_str_eq (gabbro_bundle_get_generator (bundle), "Hand 1");
  g_object_unref (bundle);
  g_bytes_unref (good);
  for (guint i = 0; i < G_N_ELEMENTS (intruders); i++)
    {
      begin (&maker, ARCHIVE_FORMAT_TAR_USTAR);
      add_manifest (&maker, sections);
      add_sections (&maker, sections);
      add_kind (&maker, intruders[i].name, NULL, 0, intruders[i].kind, intruders[i].link);
      refused (end (&maker), intruders[i].part);
    }
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

START_TEST (test_order_and_parts)
{
  static const int formats[] = { ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FORMAT_CPIO_POSIX, ARCHIVE_FORMAT_ZIP };
  struct bundle_artifact *artifact = test_artifact ("fill");
  GBytes *sections[BUNDLE_N_SECTIONS];
  struct maker maker;

  test_encode (artifact, sections);
  begin (&maker, ARCHIVE_FORMAT_TAR_USTAR);
  add_sections (&maker, sections);
  add_manifest (&maker, sections);
  refused (end (&maker), "first entry");
  begin (&maker, ARCHIVE_FORMAT_TAR_USTAR);
  add_manifest (&maker, sections);
  refused (end (&maker), "does not fit");
  begin (&maker, ARCHIVE_FORMAT_TAR_USTAR);
  add_kind (&maker, "gabbro-manifest", "gabbro-bundle 2\n", 16, AE_IFREG, NULL);
  add_sections (&maker, sections);
  refused (end (&maker), "version");
  begin (&maker, ARCHIVE_FORMAT_TAR_USTAR);
  add_kind (&maker, "gabbro-manifest", "gabbro-bundle 1\ngenerator \33[31m\n", 32, AE_IFREG, NULL);
  refused (end (&maker), "malformed");
  begin (&maker, ARCHIVE_FORMAT_TAR_USTAR);
  refused (end (&maker), "no entry");
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      begin (&maker, formats[i]);
      add_manifest (&maker, sections);
      add_sections (&maker, sections);
      refused (end (&maker), i < 2 ? "ustar" : "no tar archive");
    }
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* Claims a size that is not there; the sum of the header is mended. */
static GBytes *
claim_size (GBytes *bytes, gsize entry, const char *octal)
{
  gsize size;
  guint8 *data = g_bytes_unref_to_data (bytes, &size);
  guint sum = 0;

  memcpy (data + entry + 124, octal, 12);
  memset (data + entry + 148, ' ', 8);
  for (guint i = 0; i < 512; i++)
    sum += data[entry + i];
  g_snprintf ((char *) data + entry + 148, 8, "%06o", sum);
  return g_bytes_new_take (data, size);
}

START_TEST (test_sizes)
{
  GBytes *bytes = bundle_bytes (GABBRO_BUNDLE_DEFAULT);
  gsize size, whole = g_bytes_get_size (bytes), manifest = 1024;
  guint8 *longer;

  /* The entry behind the manifest. */
  while (memcmp ((const guint8 *) g_bytes_get_data (bytes, NULL) + manifest + 257, "ustar", 5) != 0)
    manifest += 512;
  refused (claim_size (g_bytes_new_from_bytes (bytes, 0, whole), 0, "77777777777"), "the limit is");
  refused (claim_size (g_bytes_new_from_bytes (bytes, 0, whole), manifest, "77777777777"), "the limit is");
  refused (claim_size (g_bytes_new_from_bytes (bytes, 0, whole), 0, "00000000000"), "");
  size = whole;
  longer = g_malloc0 (size + 4096);
  memcpy (longer, g_bytes_get_data (bytes, NULL), size);
  for (gsize n = 0; n < size; n += n + 600 < size && n > 4000 ? 53 : 1)
    refused (g_bytes_new (longer, n), "");
  refused (g_bytes_new (longer, size + 1), "its end is missing");
  /* Zeros may follow, as tar(1) adds them. */
  {
    GError *error = NULL;
    GBytes *padded = g_bytes_new (longer, size + 1024);
    GabbroBundle *bundle = gabbro_bundle_new_from_bytes (padded, &error);

    assert_fine (error);
    g_object_unref (bundle);
    g_bytes_unref (padded);
  }
  longer[size + 700] = 1;
  refused (g_bytes_new (longer, size + 1024), "Something follows");
  g_free (longer);
  g_bytes_unref (bytes);
}
END_TEST

/* Each byte of a small bundle. What is no part of what tar says of an entry's contents may change: names of owners
 * and times. Those bytes are under tar's own sum, so that none of them alone can. */
START_TEST (test_flips)
{
  static const char *const names[] = { "nothing", NULL };
  GabbroBundle *bundle = make_bundle (names);
  GError *error = NULL;
  GabbroBundleFlags flags = _i == 0 ? GABBRO_BUNDLE_DEFAULT : GABBRO_BUNDLE_COMPRESS;
  GBytes *bytes = gabbro_bundle_to_bytes (bundle, flags, &error);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  guint n_taken = 0;

  assert_fine (error);
  for (gsize at = 0; at < size; at++)
    {
      guint8 *copy = g_memdup2 (data, size);
      GBytes *changed;
      GabbroBundle *read;

      copy[at] ^= (guint8) (1 << at % 8);
      changed = g_bytes_new_take (copy, size);
      read = gabbro_bundle_new_from_bytes (changed, &error);
      if (read != NULL && gabbro_bundle_verify (read, &error))
        {
          GBytes *again = gabbro_bundle_to_bytes (read, flags, &error);

          /* Between entries there is room that nothing reads. */
          n_taken++;
          ck_assert (g_bytes_equal (again, bytes));
          g_bytes_unref (again);
        }
      else
        ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_BAD_BUNDLE)
                   || g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED));
      g_clear_error (&error);
      g_clear_object (&read);
      g_bytes_unref (changed);
    }
  ck_assert_uint_lt (n_taken, size / 2);
  g_bytes_unref (bytes);
  g_object_unref (bundle);
}
END_TEST

/* A MiB of zeros for each few bytes. */
START_TEST (test_bomb)
{
  struct archive *archive = archive_write_new ();
  GByteArray *out = g_byte_array_new ();
  struct archive_entry *entry = archive_entry_new ();
  guint8 *zeros = g_malloc0 (1 << 20);
  GError *error = NULL;
  GBytes *bytes;

  ck_assert_int_eq (archive_write_add_filter_zstd (archive), ARCHIVE_OK);
  ck_assert_int_eq (archive_write_set_format_ustar (archive), ARCHIVE_OK);
  ck_assert_int_eq (archive_write_open2 (archive, out, NULL, append, NULL, NULL), ARCHIVE_OK);
  archive_entry_set_pathname (entry, "gabbro-manifest");
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_size (entry, 600 << 20);
  ck_assert_int_eq (archive_write_header (archive, entry), ARCHIVE_OK);
  for (guint i = 0; i < 600; i++)
    ck_assert_int_eq (archive_write_data (archive, zeros, 1 << 20), 1 << 20);
  archive_entry_free (entry);
  ck_assert_int_eq (archive_write_close (archive), ARCHIVE_OK);
  archive_write_free (archive);
  g_free (zeros);
  bytes = g_byte_array_free_to_bytes (out);
  ck_assert_uint_lt (g_bytes_get_size (bytes), 1 << 20);
  ck_assert_ptr_null (gabbro_bundle_new_from_bytes (bytes, &error));
  assert_refused (error, "larger than");
  g_bytes_unref (bytes);
}
END_TEST

/* Writing: the old file stays when the new one does not come to its end. */

static void
assert_old (const char *path, const char *folder)
{
  char *text;
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  ck_assert (g_file_get_contents (path, &text, NULL, NULL));
  ck_assert_str_eq (text, "old");
  g_free (text);
  while (g_dir_read_name (dir) != NULL)
    n++;
  ck_assert_uint_eq (n, 1);
  g_dir_close (dir);
}

START_TEST (test_full_disk)
{
  char *folder = scratch ("full-XXXXXX"), *path;
  GabbroBundle *bundle = make_bundle (all_names);
  struct rlimit old, small = { 4096, 4096 };
  GError *error = NULL;
  GFile *file;

  ck_assert_ptr_nonnull (g_mkdtemp (folder));
  path = g_build_filename (folder, "b.gabbro", NULL);
  file = g_file_new_for_path (path);
  ck_assert (g_file_set_contents (path, "old", 3, NULL));
  /* As a disk that is full: no file may become larger. */
  signal (SIGXFSZ, SIG_IGN);
  ck_assert_int_eq (getrlimit (RLIMIT_FSIZE, &old), 0);
  small.rlim_max = old.rlim_max;
  ck_assert_int_eq (setrlimit (RLIMIT_FSIZE, &small), 0);
  ck_assert (!gabbro_bundle_save (bundle, file, GABBRO_BUNDLE_DEFAULT, NULL, &error));
  ck_assert_int_eq (setrlimit (RLIMIT_FSIZE, &old), 0);
  ck_assert_ptr_nonnull (strstr (error->message, "b.gabbro"));
  g_clear_error (&error);
  assert_old (path, folder);
  ck_assert (gabbro_bundle_save (bundle, file, GABBRO_BUNDLE_DEFAULT, NULL, &error));
  g_object_unref (file);
  file = g_file_new_for_path ("/dev/full");
  ck_assert (!gabbro_bundle_save (bundle, file, GABBRO_BUNDLE_DEFAULT, NULL, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "no regular file"));
  ck_assert (g_file_test ("/dev/full", G_FILE_TEST_EXISTS) && !g_file_test ("/dev/full", G_FILE_TEST_IS_REGULAR));
  g_clear_error (&error);
  g_unlink (path);
  g_rmdir (folder);
  g_object_unref (file);
  g_object_unref (bundle);
  g_free (path);
  g_free (folder);
}
END_TEST

/* A writer that dies at any time leaves a whole bundle. */
START_TEST (test_killed)
{
  char *folder = scratch ("killed-XXXXXX"), *path;
  GabbroBundle *bundle = make_bundle (all_names), *loaded;
  GFile *file;
  GError *error = NULL;
  GDir *dir;
  const char *name;

  ck_assert_ptr_nonnull (g_mkdtemp (folder));
  path = g_build_filename (folder, "b.gabbro", NULL);
  file = g_file_new_for_path (path);
  ck_assert (gabbro_bundle_save (bundle, file, GABBRO_BUNDLE_DEFAULT, NULL, &error));
  for (guint i = 0; i < 30; i++)
    {
      pid_t child = fork ();

      if (child == 0)
        for (guint j = 0;; j++)
          gabbro_bundle_save (bundle, file, j % 2 != 0 ? GABBRO_BUNDLE_DEFAULT : GABBRO_BUNDLE_COMPRESS, NULL, NULL);
      g_usleep (500 + i * 700);
      kill (child, SIGKILL);
      while (waitpid (child, NULL, 0) < 0)
        ;
      loaded = gabbro_bundle_new_from_file (file, NULL, &error);
      assert_fine (error);
      assert_is_whole (loaded);
    }
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      char *left = g_build_filename (folder, name, NULL);

      ck_assert (g_str_equal (name, "b.gabbro") || g_str_has_prefix (name, ".gabbro-"));
      g_unlink (left);
      g_free (left);
    }
  g_dir_close (dir);
  g_rmdir (folder);
  g_object_unref (file);
  g_object_unref (bundle);
  g_free (path);
  g_free (folder);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("bundle");
  TCase *load = gb_test_case (suite, "load"), *hostile = gb_test_case (suite, "hostile"), *save = gb_test_case (suite, "save");

  tcase_add_loop_test (load, test_same_bytes, 0, 2);
  tcase_add_test (load, test_files);
  tcase_add_test (load, test_resources);
  tcase_add_test (load, test_async);
  tcase_add_test (load, test_kernels);
  tcase_add_test (load, test_names);
  tcase_add_test (hostile, test_intruders);
  tcase_add_test (hostile, test_order_and_parts);
  tcase_add_test (hostile, test_sizes);
  tcase_add_loop_test (hostile, test_flips, 0, 2);
  tcase_add_test (hostile, test_bomb);
  tcase_add_test (save, test_full_disk);
  tcase_add_test (save, test_killed);
  return suite;
}

GB_TEST_MAIN (make_suite)
