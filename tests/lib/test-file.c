/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/file.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test-main.h"

static char *folder;

static void
setup (void)
{
  folder = g_dir_make_tmp ("gabbro-file-XXXXXX", NULL);
  ck_assert_ptr_nonnull (folder);
}

static void
teardown (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, name, NULL);
      /* Whatever was written is whole, or gone. */
      ck_assert_msg (!g_str_has_prefix (name, GB_FILE_TEMPORARY), "%s was left behind", name);
      g_unlink (path);
      g_rmdir (path);
      g_free (path);
    }
  g_dir_close (dir);
  ck_assert_int_eq (g_rmdir (folder), 0);
  g_free (folder);
}

static char *
path_of (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
assert_has (const char *path, const char *text)
{
  GError *error = NULL;
  GBytes *bytes = gb_file_read (path, 100, &error);

  ck_assert_msg (bytes != NULL, "%s", error != NULL ? error->message : "?");
  ck_assert_uint_eq (g_bytes_get_size (bytes), strlen (text));
  ck_assert_mem_eq (g_bytes_get_data (bytes, NULL), text, strlen (text));
  g_bytes_unref (bytes);
}

static guint
mode_of (const char *path)
{
  struct stat status;

  ck_assert_int_eq (lstat (path, &status), 0);
  return status.st_mode & 0777;
}

START_TEST (test_replace)
{
  char *path = path_of ("a"), *missing = g_build_filename (folder, "none", "a", NULL);
  GError *error = NULL;

  umask (027);
  ck_assert (gb_file_replace (path, "one", 3, GB_FILE_PLAIN, &error));
  assert_has (path, "one");
  ck_assert_uint_eq (mode_of (path), 0640);
  ck_assert_int_eq (chmod (path, 0604), 0);
  ck_assert (gb_file_replace (path, "two!", 4, GB_FILE_DURABLE, &error));
  assert_has (path, "two!");
  ck_assert_uint_eq (mode_of (path), 0604);
  ck_assert (gb_file_replace (path, "", 0, GB_FILE_PRIVATE, &error));
  assert_has (path, "");
  ck_assert_uint_eq (mode_of (path), 0600);
  ck_assert (!gb_file_replace (missing, "x", 1, GB_FILE_PLAIN, &error));
  ck_assert (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT));
  g_clear_error (&error);
  ck_assert (!gb_file_replace (folder, "x", 1, GB_FILE_PLAIN, &error));
  ck_assert (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR));
  g_clear_error (&error);
  g_free (path);
  g_free (missing);
}
END_TEST

/* A link is followed, or is what is replaced. */
START_TEST (test_links)
{
  char *path = path_of ("a"), *link = path_of ("l"), *fifo = path_of ("f");
  GError *error = NULL;
  GBytes *bytes;

  ck_assert (gb_file_replace (path, "one", 3, GB_FILE_PLAIN, &error));
  ck_assert_int_eq (symlink ("a", link), 0);
  ck_assert_int_eq (mkfifo (fifo, 0600), 0);
  ck_assert (gb_file_replace (link, "two", 3, GB_FILE_PLAIN, &error));
  assert_has (path, "two");
  ck_assert (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  ck_assert_ptr_null (gb_file_read (link, 100, &error));
  g_clear_error (&error);
  bytes = gb_file_read_linked (link, 3, &error);
  ck_assert_ptr_nonnull (bytes);
  ck_assert_mem_eq (g_bytes_get_data (bytes, NULL), "two", 3);
  g_bytes_unref (bytes);
  ck_assert_ptr_null (gb_file_read_linked (link, 2, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "has 3 bytes, the limit is 2"));
  g_clear_error (&error);
  ck_assert (gb_file_replace (link, "three", 5, GB_FILE_ITSELF, &error));
  assert_has (path, "two");
  assert_has (link, "three");
  ck_assert (!gb_file_replace (fifo, "x", 1, GB_FILE_PLAIN, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "no regular file"));
  g_clear_error (&error);
  /* Nobody writes into it: reading must not wait. */
  ck_assert_ptr_null (gb_file_read (fifo, 100, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "no regular file"));
  g_clear_error (&error);
  ck_assert (gb_file_replace (fifo, "x", 1, GB_FILE_ITSELF, &error));
  assert_has (fifo, "x");
  g_free (path);
  g_free (link);
  g_free (fifo);
}
END_TEST

START_TEST (test_limits)
{
  char *path = path_of ("a");
  struct rlimit old, small;
  GError *error = NULL;
  char *large = g_malloc0 (8192);

  ck_assert (gb_file_replace (path, "old", 3, GB_FILE_PLAIN, &error));
  ck_assert_ptr_null (gb_file_read (path, 2, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "has 3 bytes, the limit is 2"));
  g_clear_error (&error);
  signal (SIGXFSZ, SIG_IGN);
  ck_assert_int_eq (getrlimit (RLIMIT_FSIZE, &old), 0);
  small = old;
  small.rlim_cur = 4096;
  ck_assert_int_eq (setrlimit (RLIMIT_FSIZE, &small), 0);
  ck_assert (!gb_file_replace (path, large, 8192, GB_FILE_DURABLE, &error));
  ck_assert_int_eq (setrlimit (RLIMIT_FSIZE, &old), 0);
  ck_assert_ptr_nonnull (error);
  g_clear_error (&error);
  assert_has (path, "old");
  g_free (large);
  g_free (path);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("file");
  TCase *test_case = gb_test_case (suite, "file");

  tcase_add_checked_fixture (test_case, setup, teardown);
  tcase_add_test (test_case, test_replace);
  tcase_add_test (test_case, test_links);
  tcase_add_test (test_case, test_limits);
  return suite;
}

GB_TEST_MAIN (make_suite)
