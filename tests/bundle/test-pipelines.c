/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What drivers compile is kept beside the kernels: the second start compiles nothing, and whatever happens to the file,
 * no driver sees a changed bit of it. Counted by the attributes compiled-pipelines and cached-pipelines of devices; the
 * null driver keeps a digest of each shader, and has no other way to know it. */

#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/device-test.h"

static char *folder, *cache;

static void
set_up (void)
{
  folder = g_build_filename (g_getenv ("TEST_TMPDIR"), "pipelines-XXXXXX", NULL);
  ck_assert_ptr_nonnull (g_mkdtemp (folder));
  cache = g_build_filename (folder, "gabbro", NULL);
}

static void
tear_down (void)
{
  char *command = g_strdup_printf ("chmod -R u+w '%s'; rm -rf '%s'", folder, folder);

  ck_assert_int_eq (system (command), 0);
  g_free (command);
  g_free (folder);
  g_free (cache);
}

static guint64
number_of (GabbroDevice *device, const char *name)
{
  GabbroContext *context = gabbro_device_get_context (device);
  GError *error = NULL;
  GVariant *value = gabbro_context_get_attribute (context, gabbro_device_get_path (device), name, &error);
  guint64 number;

  assert_no_error (error);
  number = g_variant_get_uint64 (value);
  g_variant_unref (value);
  return number;
}

struct program
{
  GabbroContext *context;
  GabbroDevice *device;
};

static struct program
begin_with (const char *settings, const char *where)
{
  struct program program = { context_with ("null", settings, "driver-path", empty_folder, "cache", where, NULL), NULL };

  program.device = open_device (program.context, "null");
  return program;
}

static struct program
begin (void)
{
  return begin_with ("adapters=1,pipelines", cache);
}

/* The shader that writes this number. */
static void
make (struct program *program, guint number)
{
  char *text = g_strdup_printf ("kernel(64) void add(buffer<uint> out) { out[global_id.x] = %uu; }", number);
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("pipelines.gk", text, -1, &error);
  GabbroKernel *kernel = gabbro_module_get_kernel (module, "add", &error);
  GabbroShader *shader = gabbro_shader_new (program->device, kernel, GABBRO_COMPILE_DEFAULT, 0, &error);

  assert_no_error (error);
  g_object_unref (shader);
  g_object_unref (kernel);
  g_object_unref (module);
  g_free (text);
}

static void
end (struct program *program)
{
  char **messages = gabbro_context_list_messages (program->context);

  ck_assert_msg (messages[0] == NULL, "%s", messages[0]);
  g_strfreev (messages);
  g_object_unref (program->device);
  g_object_unref (program->context);
}

#define assert_counts(program, compiled, found)                                          \
  do                                                                                     \
    {                                                                                    \
      ck_assert_uint_eq (number_of ((program)->device, "compiled-pipelines"), compiled); \
      ck_assert_uint_eq (number_of ((program)->device, "cached-pipelines"), found);      \
    }                                                                                    \
  while (0)

/* A process that wants one shader, in what concerns the cache; whether the driver had it. */
static bool
finds_with (const char *settings, const char *where, guint number)
{
  struct program program = begin_with (settings, where);
  bool found;

  make (&program, number);
  found = number_of (program.device, "cached-pipelines") == 1;
  assert_counts (&program, !found, found);
  end (&program);
  return found;
}

static bool
finds (guint number)
{
  return finds_with ("adapters=1,pipelines", cache, number);
}

/* The path of the one file of pipelines. */
static char *
only_file (void)
{
  GDir *dir = g_dir_open (cache, 0, NULL);
  char *path = NULL;
  const char *name;

  ck_assert_ptr_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".pipelines"))
      {
        ck_assert_ptr_null (path);
        path = g_build_filename (cache, name, NULL);
      }
  g_dir_close (dir);
  ck_assert_ptr_nonnull (path);
  return path;
}

/* What gabbro_cache_list() says of the file: the adapter, or NULL if it is damaged. */
static char *
listed_adapter (void)
{
  GError *error = NULL;
  GabbroCache *object = gabbro_cache_new (cache, &error);
  GVariant *list = gabbro_cache_list (object, &error), *file;
  char *adapter = NULL;
  GVariantIter iter;
  guint n = 0;

  assert_no_error (error);
  g_variant_iter_init (&iter, list);
  while ((file = g_variant_iter_next_value (&iter)) != NULL)
    {
      const char *name;

      ck_assert (g_variant_lookup (file, "name", "&s", &name));
      if (g_str_has_suffix (name, ".pipelines"))
        {
          const char *wrong;

          n++;
          ck_assert (g_variant_lookup (file, "adapter", "s", &adapter) != g_variant_lookup (file, "error", "&s", &wrong));
        }
      g_variant_unref (file);
    }
  ck_assert_uint_eq (n, 1);
  g_variant_unref (list);
  g_object_unref (object);
  return adapter;
}

START_TEST (test_second_start)
{
  struct stat status;
  char *path, *adapter;

  ck_assert (!finds (1));
  ck_assert (finds (1));
  ck_assert (finds (1));
  path = only_file ();
  ck_assert_int_eq (stat (path, &status), 0);
  ck_assert_int_eq (status.st_mode & 0777, 0600);
  adapter = listed_adapter ();
  ck_assert_str_eq (adapter, "Null 0");
  g_free (adapter);
  g_free (path);
}
END_TEST

/* Each adds to what is there, also when they are open at the same time. */
START_TEST (test_together)
{
  struct program one, two;

  ck_assert (!finds (1));
  ck_assert (!finds (2));
  ck_assert (finds (1));
  one = begin ();
  two = begin ();
  make (&one, 3);
  make (&two, 4);
  make (&two, 2);
  assert_counts (&two, 1, 1);
  end (&one);
  end (&two);
  for (guint i = 1; i <= 4; i++)
    ck_assert (finds (i));
}
END_TEST

/* Nothing is written that says nothing new. */
START_TEST (test_not_again)
{
  struct stat before, after;
  char *path;

  finds (1);
  path = only_file ();
  ck_assert_int_eq (stat (path, &before), 0);
  ck_assert (finds (1));
  ck_assert_int_eq (stat (path, &after), 0);
  ck_assert_uint_eq (before.st_ino, after.st_ino);
  g_free (path);
}
END_TEST

/* When it was last used, as far as the library has noted it: long ago at first. */
static void
make_old (const char *path)
{
  const struct timespec long_ago[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };

  ck_assert_int_eq (utimensat (AT_FDCWD, path, long_ago, 0), 0);
}

static bool
is_old (const char *path)
{
  struct stat status;

  ck_assert_int_eq (stat (path, &status), 0);
  return status.st_mtime == 1000000;
}

/* Not by a device without shaders, and later only to add to it. */
START_TEST (test_rarely_read)
{
  struct program program;
  char *path;

  finds (1);
  path = only_file ();
  make_old (path);
  program = begin ();
  end (&program);
  ck_assert (is_old (path));
  program = begin ();
  make (&program, 1);
  ck_assert (!is_old (path));
  for (guint i = 0; i < 16; i++)
    make (&program, 100 + i);
  make_old (path);
  make (&program, 1);
  make (&program, 100);
  assert_counts (&program, 16, 3);
  end (&program);
  ck_assert (is_old (path));
  g_free (path);
}
END_TEST

static void
write_file (const char *path, const char *data, gsize size)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  ck_assert_int_ge (fd, 0);
  ck_assert_int_eq (write (fd, data, size), size);
  close (fd);
}

/* Cut anywhere, any bit changed, something else: it is not there, and is put right. */
START_TEST (test_damage)
{
  char *path, *data;
  gsize size;

  finds (1);
  path = only_file ();
  ck_assert (g_file_get_contents (path, &data, &size, NULL));
  for (gsize n = 0; n < size; n += 7)
    {
      write_file (path, data, n);
      ck_assert_ptr_null (listed_adapter ());
      ck_assert_msg (!finds (1), "cut at %zu", n);
      ck_assert (finds (1));
    }
  for (gsize at = 0; at < size; at++)
    {
      data[at] ^= 4;
      write_file (path, data, size);
      data[at] ^= 4;
      ck_assert_ptr_null (listed_adapter ());
      ck_assert_msg (!finds (1), "a bit of byte %zu", at);
    }
  ck_assert (finds (1));
  g_unlink (path);
  ck_assert_int_eq (symlink ("/dev/zero", path), 0);
  ck_assert (!finds (1));
  ck_assert (finds (1));
  g_unlink (path);
  ck_assert_int_eq (mkfifo (path, 0600), 0);
  ck_assert (!finds (1));
  ck_assert (finds (1));
  g_free (data);
  g_free (path);
}
END_TEST

/* Of another adapter, by its own name and by ours. */
START_TEST (test_others)
{
  char *ours, *theirs;

  finds (1);
  ours = only_file ();
  g_unlink (ours);
  ck_assert (!finds_with ("first=5,pipelines", cache, 1));
  theirs = only_file ();
  ck_assert_str_ne (ours, theirs);
  ck_assert_int_eq (rename (theirs, ours), 0);
  ck_assert (!finds (1));
  ck_assert (finds (1));
  g_free (ours);
  g_free (theirs);
}
END_TEST

START_TEST (test_no_folder)
{
  static const char *const places[] = { "0", "/proc/nowhere/gabbro", "/dev/null", "/dev/null/gabbro" };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      ck_assert (!finds_with ("adapters=1,pipelines", places[i], 1));
      ck_assert (!finds_with ("adapters=1,pipelines", places[i], 1));
    }
  ck_assert_int_eq (g_mkdir (cache, 0700), 0);
  finds (1);
  ck_assert_int_eq (chmod (cache, 0777), 0);
  ck_assert (!finds (1));
  ck_assert_int_eq (chmod (cache, 0700), 0);
  ck_assert (finds (1));
}
END_TEST

/* What has become too large for the cache is given up; nothing could be added to it any more. */
START_TEST (test_too_large)
{
  GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA256);
  struct program program = begin_with ("adapters=1", cache);
  gsize size, header = 8 + 2 * 32, n_digest = 32;
  char *path, *data;

  /* So that no kernel is stored below, which would look through the folder. */
  make (&program, 2);
  end (&program);
  finds (1);
  path = only_file ();
  ck_assert (g_file_get_contents (path, &data, &size, NULL));
  data = g_realloc (data, size + (2 << 20));
  memset (data + size, 0, 2 << 20);
  size += 2 << 20;
  g_checksum_update (sum, (guchar *) data + header, (gssize) (size - header));
  g_checksum_get_digest (sum, (guint8 *) data + 8 + 32, &n_digest);
  write_file (path, data, size);
  ck_assert (finds (1));
  for (guint i = 0; i < 2; i++)
    {
      GabbroContext *context = context_with ("null", "adapters=1,pipelines", "driver-path", empty_folder, "cache", cache, "cache-size", "1", NULL);

      program = (struct program) { context, open_device (context, "null") };
      make (&program, 2);
      assert_counts (&program, 1, 0);
      end (&program);
      ck_assert (g_file_test (path, G_FILE_TEST_EXISTS) == (i > 0));
    }
  ck_assert (finds (2));
  g_checksum_free (sum);
  g_free (data);
  g_free (path);
}
END_TEST

/* A process that ends without closing anything loses no more than the last few. */
START_TEST (test_killed)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      struct program program = begin ();

      for (guint i = 0; i < 20; i++)
        make (&program, i);
      raise (SIGKILL);
    }
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  ck_assert (WIFSIGNALED (status));
  for (guint i = 0; i < 16; i++)
    ck_assert (finds (i));
  ck_assert (!finds (17));
}
END_TEST

/* It goes with what has not been used for long. */
START_TEST (test_trim)
{
  GError *error = NULL;
  GabbroCache *object;
  guint64 removed;

  finds (1);
  object = gabbro_cache_new (cache, &error);
  ck_assert (gabbro_cache_trim (object, 0, &removed, &error));
  assert_no_error (error);
  ck_assert_uint_gt (removed, 0);
  ck_assert (!finds (1));
  g_object_unref (object);
}
END_TEST

/* A driver that keeps nothing has no such numbers, and no file. */
START_TEST (test_without)
{
  struct program program = begin_with ("adapters=1", cache);
  GError *error = NULL;

  make (&program, 1);
  ck_assert_ptr_null (gabbro_context_get_attribute (program.context, gabbro_device_get_path (program.device), "compiled-pipelines", &error));
  assert_no_error (error);
  end (&program);
  ck_assert (!finds (1));
}
END_TEST

/* llvmpipe keeps nothing behind the header, and says so by compiling again. With validation. */
START_TEST (test_vulkan)
{
  for (guint i = 0; i < 2; i++)
    {
      struct device_test test = device_test_on (vulkan_context ("cache", cache, NULL), "vulkan");
      struct program program = { NULL, test.device };

      make (&program, 1);
      make (&program, 2);
      ck_assert_uint_eq (number_of (test.device, "compiled-pipelines") + number_of (test.device, "cached-pipelines"), 2);
      device_test_end (&test);
    }
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("pipelines");
  TCase *test_case = null_test_case (suite, "pipelines");

  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_test (test_case, test_second_start);
  tcase_add_test (test_case, test_together);
  tcase_add_test (test_case, test_not_again);
  tcase_add_test (test_case, test_rarely_read);
  tcase_add_test (test_case, test_damage);
  tcase_add_test (test_case, test_others);
  tcase_add_test (test_case, test_no_folder);
  tcase_add_test (test_case, test_too_large);
  tcase_add_test (test_case, test_killed);
  tcase_add_test (test_case, test_trim);
  tcase_add_test (test_case, test_without);
  tcase_add_test (test_case, test_vulkan);
  return suite;
}

GB_TEST_MAIN (make_suite)
