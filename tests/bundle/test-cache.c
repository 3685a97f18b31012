/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The shader cache: the second start compiles nothing; and whatever happens to its files, kernels are made and are the
 * right ones. Counted by the attributes compiled-kernels and cached-kernels of devices. */

#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "tests/gpu/device-test.h"

static const char source[] = "kernel(64) void add(buffer<uint> out, uint value) { out[global_id.x] = global_id.x + value; }\n"
                             "kernel(1) void other(buffer<uint> out) { out[0] = 7u; }\n";

static char *folder, *cache;

static void
set_up (void)
{
  folder = g_build_filename (g_getenv ("TEST_TMPDIR"), "cache-XXXXXX", NULL);
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

static GabbroShader *
make_shader (GabbroDevice *device, const char *text, const char *name, GabbroCompileFlags flags, gint level)
{
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("cache.gk", text, -1, &error);
  GabbroKernel *kernel;
  GabbroShader *shader;

  assert_no_error (error);
  kernel = gabbro_module_get_kernel (module, name, &error);
  assert_no_error (error);
  shader = gabbro_shader_new (device, kernel, flags, level, &error);
  assert_no_error (error);
  g_object_unref (kernel);
  g_object_unref (module);
  return shader;
}

struct start
{
  guint64 compiled, cached;
};

/* A process that begins, in what concerns the cache. */
static struct start
start_with (const char *settings, const char *where, const char *size, const char *name, GabbroCompileFlags flags, gint level)
{
  GabbroContext *context = context_with ("null", settings, "driver-path", empty_folder, "cache", where, "cache-size", size, NULL);
  GabbroDevice *device = open_device (context, "null");
  GabbroShader *shader = make_shader (device, source, name, flags, level);
  struct start start = { number_of (device, "compiled-kernels"), number_of (device, "cached-kernels") };
  char **messages = gabbro_context_list_messages (context);

  ck_assert_msg (messages[0] == NULL, "%s", messages[0]);
  g_strfreev (messages);
  g_object_unref (shader);
  g_object_unref (device);
  g_object_unref (context);
  return start;
}

static struct start
start (void)
{
  return start_with ("adapters=1", cache, "16", "add", GABBRO_COMPILE_DEFAULT, 1);
}

#define assert_compiles(call) do { struct start s_ = call; ck_assert_uint_eq (s_.compiled, 1); ck_assert_uint_eq (s_.cached, 0); } while (0)
#define assert_finds(call)    do { struct start s_ = call; ck_assert_uint_eq (s_.compiled, 0); ck_assert_uint_eq (s_.cached, 1); } while (0)

/* The names in the cache, sorted; each one has to be a kernel that is whole, or "bad" of them not. */
static char **
list_files (guint bad)
{
  GError *error = NULL;
  GabbroCache *object = gabbro_cache_new (cache, &error);
  GVariant *list = gabbro_cache_list (object, &error);
  GPtrArray *names = g_ptr_array_new ();
  GVariantIter iter;
  GVariant *file;
  guint n_bad = 0;

  assert_no_error (error);
  g_variant_iter_init (&iter, list);
  while ((file = g_variant_iter_next_value (&iter)) != NULL)
    {
      char *name;

      ck_assert (g_variant_lookup (file, "name", "s", &name));
      g_ptr_array_add (names, name);
      n_bad += g_variant_lookup (file, "error", "&s", &name);
      g_variant_unref (file);
    }
  ck_assert_uint_eq (n_bad, bad);
  g_ptr_array_add (names, NULL);
  g_variant_unref (list);
  g_object_unref (object);
  return (char **) g_ptr_array_free (names, FALSE);
}

static char *
only_file (void)
{
  char **names = list_files (0), *path;

  ck_assert_uint_eq (g_strv_length (names), 1);
  path = g_build_filename (cache, names[0], NULL);
  g_strfreev (names);
  return path;
}

START_TEST (test_second_start)
{
  struct stat status;
  char *path;

  assert_compiles (start ());
  assert_finds (start ());
  assert_finds (start ());
  path = only_file ();
  ck_assert_int_eq (stat (path, &status), 0);
  ck_assert_int_eq (status.st_mode & 0777, 0600);
  ck_assert_int_eq (stat (cache, &status), 0);
  ck_assert_int_eq (status.st_mode & 0777, 0700);
  g_free (path);
}
END_TEST

/* Everything that decides what a compile makes is in the key. */
START_TEST (test_keys)
{
  assert_compiles (start ());
  assert_compiles (start_with ("adapters=1", cache, "16", "other", GABBRO_COMPILE_DEFAULT, 1));
  assert_compiles (start_with ("adapters=1", cache, "16", "add", GABBRO_COMPILE_BOUNDS_CHECKS, 1));
  assert_compiles (start_with ("adapters=1", cache, "16", "add", GABBRO_COMPILE_DEFAULT, 2));
  assert_compiles (start_with ("max-push-constants=160", cache, "16", "add", GABBRO_COMPILE_DEFAULT, 1));
  assert_finds (start ());
  g_strfreev (list_files (0));
}
END_TEST

START_TEST (test_off)
{
  assert_compiles (start_with ("adapters=1", "0", "16", "add", GABBRO_COMPILE_DEFAULT, 1));
  assert_compiles (start_with ("adapters=1", "0", "16", "add", GABBRO_COMPILE_DEFAULT, 1));
  ck_assert (!g_file_test (cache, G_FILE_TEST_EXISTS));
}
END_TEST

/* As the environment says, and the user's folder where it says nothing. */
START_TEST (test_environment)
{
  GError *error = NULL;
  GabbroCache *object;

  g_setenv ("GABBRO_CACHE", cache, TRUE);
  object = gabbro_cache_new (NULL, &error);
  assert_no_error (error);
  ck_assert_str_eq (gabbro_cache_get_folder (object), cache);
  g_object_unref (object);
  g_setenv ("GABBRO_CACHE", "0", TRUE);
  ck_assert_ptr_null (gabbro_cache_new (NULL, &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  g_unsetenv ("GABBRO_CACHE");
  object = gabbro_cache_new (NULL, &error);
  assert_no_error (error);
  ck_assert (g_str_has_prefix (gabbro_cache_get_folder (object), g_get_user_cache_dir ()));
  g_object_unref (object);
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

/* Cut at many places, a bit of many bytes, nothing, and something else: compiled again, and put right. */
START_TEST (test_damage)
{
  char *path, *data;
  gsize size;

  start ();
  path = only_file ();
  ck_assert (g_file_get_contents (path, &data, &size, NULL));
  for (gsize n = 0; n < size; n += 1 + size / 40)
    {
      write_file (path, data, n);
      assert_compiles (start ());
      assert_finds (start ());
    }
  for (gsize at = 0; at < size; at += 1 + size / 100)
    {
      data[at] ^= 4;
      write_file (path, data, size);
      data[at] ^= 4;
      g_strfreev (list_files (1));
      assert_compiles (start ());
      assert_finds (start ());
    }
  write_file (path, "GABBROAF but no more", 20);
  assert_compiles (start ());
  g_unlink (path);
  ck_assert_int_eq (symlink ("/dev/zero", path), 0);
  assert_compiles (start ());
  assert_finds (start ());
  g_unlink (path);
  ck_assert_int_eq (mkfifo (path, 0600), 0);
  assert_compiles (start ());
  assert_finds (start ());
  g_free (data);
  g_free (path);
}
END_TEST

/* What another driver or device has made, under the name that ours would have. */
START_TEST (test_others)
{
  char *ours, *theirs, **names;

  start ();
  ours = only_file ();
  g_unlink (ours);
  assert_compiles (start_with ("first=5", cache, "16", "add", GABBRO_COMPILE_DEFAULT, 1));
  names = list_files (0);
  theirs = g_build_filename (cache, names[0], NULL);
  ck_assert_str_ne (ours, theirs);
  ck_assert_int_eq (rename (theirs, ours), 0);
  g_strfreev (list_files (1));
  assert_compiles (start ());
  assert_finds (start ());
  g_strfreev (names);
  g_free (theirs);
  g_free (ours);
}
END_TEST

/* No home, a file in the place of the folder, a folder that cannot be written or that others may write: all goes on. */
START_TEST (test_no_folder)
{
  static const char *const places[] = { "/proc/nowhere/gabbro", "/dev/null", "/dev/null/gabbro" };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    assert_compiles (start_with ("adapters=1", places[i], "16", "add", GABBRO_COMPILE_DEFAULT, 1));
  ck_assert_int_eq (g_mkdir (cache, 0700), 0);
  start ();
  ck_assert_int_eq (chmod (cache, 0500), 0);
  assert_finds (start ());
  /* Root may write everywhere. */
  if (geteuid () != 0)
    assert_compiles (start_with ("adapters=1", cache, "16", "other", GABBRO_COMPILE_DEFAULT, 1));
  ck_assert_int_eq (chmod (cache, 0777), 0);
  assert_compiles (start ());
  assert_compiles (start ());
  ck_assert_int_eq (chmod (cache, 0700), 0);
  assert_finds (start ());
}
END_TEST

/* A child that starts again and again, with kernels that differ, until it is killed. */
static pid_t
fork_writer (guint seed)
{
  pid_t child = fork ();

  if (child != 0)
    return child;
  for (guint i = 0;; i++)
    {
      char *text = g_strdup_printf ("kernel(64) void add(buffer<uint> out) { out[global_id.x] = %uu; }", (i + seed) % 4);
      GabbroContext *context = context_with ("null", "adapters=1", "driver-path", empty_folder, "cache", cache, NULL);
      GabbroDevice *device = open_device (context, "null");

      g_object_unref (make_shader (device, text, "add", GABBRO_COMPILE_DEFAULT, 1));
      g_object_unref (device);
      g_object_unref (context);
      g_free (text);
      if (i % 8 == 7)
        {
          char *command = g_strdup_printf ("rm -f '%s'/*.shader", cache);
          ck_assert_int_eq (system (command), 0);
          g_free (command);
        }
    }
}

/* Writers that are killed at any time, two at once: no file is ever anything but whole. */
START_TEST (test_killed)
{
  for (guint i = 0; i < rounds (25); i++)
    {
      pid_t one = fork_writer (i), other = fork_writer (i + 1);

      g_usleep (20000 + i * 4000);
      kill (one, SIGKILL);
      kill (other, SIGKILL);
      while (waitpid (one, NULL, 0) < 0)
        ;
      while (waitpid (other, NULL, 0) < 0)
        ;
      g_strfreev (list_files (0));
    }
}
END_TEST

static guint64
size_of_cache (guint *n)
{
  GError *error = NULL;
  GabbroCache *object = gabbro_cache_new (cache, &error);
  GVariant *list = gabbro_cache_list (object, &error), *file;
  GVariantIter iter;
  guint64 total = 0, size;

  *n = (guint) g_variant_n_children (list);
  g_variant_iter_init (&iter, list);
  while ((file = g_variant_iter_next_value (&iter)) != NULL)
    {
      ck_assert (g_variant_lookup (file, "size", "t", &size));
      total += size;
      g_variant_unref (file);
    }
  g_variant_unref (list);
  g_object_unref (object);
  return total;
}

/* The kernels that were not used for the longest time go first; writers that died are cleaned up after. */
START_TEST (test_trim)
{
  static const char *const names[] = { "add", "other" };
  struct utimbuf old = { 1000, 1000 };
  GError *error = NULL;
  GabbroCache *object;
  char *path, *left = g_build_filename (cache, ".gabbro-abcdef", NULL), *fresh = g_build_filename (cache, ".gabbro-ghijkl", NULL);
  guint64 removed, total;
  guint n;

  start ();
  path = only_file ();
  ck_assert_int_eq (utime (path, &old), 0);
  start_with ("adapters=1", cache, "16", names[1], GABBRO_COMPILE_DEFAULT, 1);
  write_file (left, "half", 4);
  write_file (fresh, "half", 4);
  ck_assert_int_eq (utime (left, &old), 0);
  total = size_of_cache (&n);
  ck_assert_uint_eq (n, 2);
  object = gabbro_cache_new (cache, &error);
  ck_assert (gabbro_cache_trim (object, total, &removed, &error));
  ck_assert_uint_eq (removed, 4);
  ck_assert (!g_file_test (left, G_FILE_TEST_EXISTS) && g_file_test (fresh, G_FILE_TEST_EXISTS));
  ck_assert (gabbro_cache_trim (object, total - 1, &removed, &error));
  size_of_cache (&n);
  ck_assert_uint_eq (n, 1);
  ck_assert (!g_file_test (path, G_FILE_TEST_EXISTS));
  /* Being found is use. */
  start ();
  ck_assert_int_eq (utime (path, &old), 0);
  assert_finds (start ());
  ck_assert (gabbro_cache_trim (object, total - 1, &removed, &error));
  ck_assert (g_file_test (path, G_FILE_TEST_EXISTS));
  ck_assert (!gabbro_cache_remove (object, "../x", &error));
  assert_gabbro_error (error, GABBRO_ERROR_NOT_FOUND);
  {
    char *name = g_path_get_basename (path);
    ck_assert (gabbro_cache_remove (object, name, &error));
    g_free (name);
  }
  ck_assert (gabbro_cache_trim (object, 0, NULL, &error));
  size_of_cache (&n);
  ck_assert_uint_eq (n, 0);
  g_object_unref (object);
  g_free (path);
  g_free (left);
  g_free (fresh);
}
END_TEST

/* A cache keeps to its size by itself: here a MiB, with kernels of some KiB each. */
START_TEST (test_bound)
{
  GString *text = g_string_new ("kernel(64) void add(buffer<uint> out) { uint x = global_id.x;\n");
  guint n;

  for (guint i = 0; i < 600; i++)
    g_string_append_printf (text, "x = x * %uu + out[x %% %uu]; if ((x & %uu) == 0u) x ^= %uu;\n", 2 * i + 3, i + 7, i, i * 77);
  g_string_append (text, "out[0] = x; }\n");
  for (guint i = 0; i < 24; i++)
    {
      GabbroContext *context = context_with ("null", "adapters=1", "driver-path", empty_folder, "cache", cache, "cache-size", "1", NULL);
      GabbroDevice *device = open_device (context, "null");
      char *one = g_strdup_printf ("%s// %u\n", text->str, i);

      g_object_unref (make_shader (device, one, "add", GABBRO_COMPILE_DEFAULT, 0));
      g_free (one);
      g_object_unref (device);
      g_object_unref (context);
      ck_assert_uint_le (size_of_cache (&n), 1 << 20);
    }
  ck_assert_uint_gt (n, 1);
  ck_assert_uint_lt (n, 24);
  g_string_free (text, TRUE);
}
END_TEST

/* On a device: what comes from the cache and from a bundle computes as what was compiled. */

static void
assert_adds (struct device_test *test, GabbroShader *shader)
{
  GabbroBuffer *out = new_buffer (test->device, "uint", 128);
  GError *error = NULL;
  GabbroCommandList *list = gabbro_command_list_new (test->device, &error);
  GBytes *bytes;
  const guint32 *words, value = 41;

  assert_no_error (error);
  gabbro_command_list_set_shader (list, shader, &error);
  gabbro_command_list_set_buffer (list, 0, out, &error);
  gabbro_command_list_set_value (list, 1, &value, sizeof value, &error);
  gabbro_command_list_dispatch (list, 128, 1, 1, &error);
  assert_no_error (error);
  ck_assert (gabbro_stream_submit (test->stream, list, &error));
  ck_assert (gabbro_stream_synchronize (test->stream, 60 * SECOND, &error));
  bytes = gabbro_buffer_download_bytes (out, 0, 512, &error);
  assert_no_error (error);
  words = g_bytes_get_data (bytes, NULL);
  for (guint i = 0; i < 128; i++)
    ck_assert_uint_eq (words[i], i + 41);
  g_bytes_unref (bytes);
  g_object_unref (list);
  g_object_unref (out);
}

/* What is asked of a dispatch travels with the code. */
START_TEST (test_whole_groups)
{
  static const char together[] = "kernel(64) void t(buffer<uint> out) { shared uint n; if (local_id.x == 0) n = 0; barrier(); atomic_add(n, 1);\n"
                                 "barrier(); out[global_id.x] = n; }";

  for (guint i = 0; i < 2; i++)
    {
      struct device_test test = device_test_on (vulkan_context ("cache", cache, NULL), "vulkan");
      GabbroShader *shader = make_shader (test.device, together, "t", GABBRO_COMPILE_DEFAULT, 2);
      GabbroBuffer *out = new_buffer (test.device, "uint", 128);
      GError *error = NULL;
      GabbroCommandList *list = gabbro_command_list_new (test.device, &error);

      ck_assert_uint_eq (number_of (test.device, "cached-kernels"), i);
      gabbro_command_list_set_shader (list, shader, &error);
      gabbro_command_list_set_buffer (list, 0, out, &error);
      assert_no_error (error);
      ck_assert (!gabbro_command_list_dispatch (list, 100, 1, 1, &error));
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
      g_object_unref (list);
      g_object_unref (out);
      g_object_unref (shader);
      device_test_end (&test);
    }
}
END_TEST

START_TEST (test_device)
{
  for (guint i = 0; i < 2; i++)
    {
      struct device_test test = device_test_on (vulkan_context ("cache", cache, NULL), "vulkan");
      GabbroShader *shader = make_shader (test.device, source, "add", GABBRO_COMPILE_DEFAULT, 2);

      ck_assert_uint_eq (number_of (test.device, "compiled-kernels"), i == 0);
      ck_assert_uint_eq (number_of (test.device, "cached-kernels"), i == 1);
      assert_adds (&test, shader);
      g_object_unref (shader);
      device_test_end (&test);
    }
}
END_TEST

START_TEST (test_bundle)
{
  struct device_test test = device_test_on (vulkan_context ("cache", "0", NULL), "vulkan");
  GabbroAdapter *adapter = _i == 0 ? NULL : gabbro_device_get_adapter (test.device);
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("b.gk", source, -1, &error);
  GabbroKernel *kernel = gabbro_module_get_kernel (module, "add", &error);
  GabbroBundle *made = gabbro_bundle_new_from_kernels (&kernel, 1, adapter, GABBRO_COMPILE_DEFAULT, 2, &error), *bundle;
  GBytes *bytes;
  GabbroShader *shader;

  assert_no_error (error);
  bytes = gabbro_bundle_to_bytes (made, GABBRO_BUNDLE_COMPRESS, &error);
  bundle = gabbro_bundle_new_from_bytes (bytes, &error);
  assert_no_error (error);
  ck_assert (gabbro_bundle_check_adapter (bundle, "add", gabbro_device_get_adapter (test.device), &error));
  shader = gabbro_bundle_create_shader (bundle, test.device, "add", &error);
  assert_no_error (error);
  ck_assert_uint_eq (number_of (test.device, "compiled-kernels"), 0);
  assert_adds (&test, shader);
  g_object_unref (shader);
  g_object_unref (kernel);
  kernel = gabbro_bundle_get_kernel (bundle, NULL, &error);
  ck_assert_ptr_null (gabbro_shader_new (test.device, kernel, GABBRO_COMPILE_BOUNDS_CHECKS, 2, &error));
  assert_message (error, "without bounds checks");
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  g_object_unref (kernel);
  g_object_unref (module);
  g_object_unref (made);
  g_object_unref (bundle);
  g_bytes_unref (bytes);
  device_test_end (&test);
}
END_TEST

/* A device that has less than the kernel needs says what. */
START_TEST (test_refused)
{
  struct device_test test = null_test_begin ("max-group-invocations=32");
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("b.gk", source, -1, &error);
  GabbroKernel *kernel = gabbro_module_get_kernel (module, "add", &error);
  GabbroBundle *bundle = gabbro_bundle_new_from_kernels (&kernel, 1, NULL, GABBRO_COMPILE_DEFAULT, 2, &error);

  assert_no_error (error);
  ck_assert (!gabbro_bundle_check_adapter (bundle, "add", gabbro_device_get_adapter (test.device), &error));
  assert_message (error, "the kernel needs 64 threads in a workgroup, the device has at most 32");
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET);
  ck_assert_ptr_null (gabbro_bundle_create_shader (bundle, test.device, "add", &error));
  assert_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET);
  g_object_unref (bundle);
  g_object_unref (kernel);
  g_object_unref (module);
  device_test_end (&test);
}
END_TEST

/* One kernel; counts it where it can be compiled. */
static void
bundle_one (GabbroAdapter *adapter, GabbroModule *module, const char *name, guint *n)
{
  GError *error = NULL;
  GabbroKernel *kernel = gabbro_module_get_kernel (module, name, &error);
  GabbroBundle *bundle = kernel != NULL ? gabbro_bundle_new_from_kernels (&kernel, 1, adapter, GABBRO_COMPILE_DEFAULT, 1, &error) : NULL;

  if (bundle != NULL)
    {
      gabbro_bundle_verify (bundle, &error);
      ck_assert_msg (error == NULL, "%s, %s: %s", gabbro_module_get_name (module), name, error != NULL ? error->message : "");
      gabbro_bundle_check_adapter (bundle, name, adapter, &error);
      ck_assert_msg (error == NULL, "%s, %s: %s", gabbro_module_get_name (module), name, error != NULL ? error->message : "");
      *n += 1;
    }
  else
    ck_assert_msg (error->domain == GABBRO_COMPILE_ERROR, "%s, %s: %s", gabbro_module_get_name (module), name, error->message);
  g_clear_error (&error);
  g_clear_object (&bundle);
  g_clear_object (&kernel);
}

/* All that the language has: what can be compiled can be saved, and loaded. */
START_TEST (test_language)
{
  static const char *const folders[] = { "data/examples", "tests/cases", "tests/frontend/good" };
  struct device_test test = device_test_on (vulkan_context ("cache", "0", NULL), "vulkan");
  guint n = 0, n_kernels = 0;

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      char *path = g_build_filename (g_getenv ("top_srcdir"), folders[i], NULL);
      GDir *dir = g_dir_open (path, 0, NULL);
      const char *file;

      while ((file = g_dir_read_name (dir)) != NULL)
        {
          char *full = g_build_filename (path, file, NULL), *text;
          GabbroModule *module = NULL;
          char **names;

          if (g_str_has_suffix (file, ".gk") && g_file_get_contents (full, &text, NULL, NULL))
            {
              module = gabbro_module_new_from_source (file, text, -1, NULL);
              g_free (text);
            }
          names = module != NULL ? gabbro_module_list_kernels (module) : NULL;
          for (guint j = 0; names != NULL && names[j] != NULL; j++, n_kernels++)
            bundle_one (gabbro_device_get_adapter (test.device), module, names[j], &n);
          g_strfreev (names);
          g_clear_object (&module);
          g_free (full);
        }
      g_dir_close (dir);
      g_free (path);
    }
  ck_assert_uint_gt (n, 40);
  ck_assert_msg (n * 10 >= n_kernels * 9, "only %u of %u kernels", n, n_kernels);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("cache");
  TCase *test_case = null_test_case (suite, "cache"), *device = null_test_case (suite, "device");

  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_test (test_case, test_second_start);
  tcase_add_test (test_case, test_keys);
  tcase_add_test (test_case, test_off);
  tcase_add_test (test_case, test_environment);
  tcase_add_test (test_case, test_damage);
  tcase_add_test (test_case, test_others);
  tcase_add_test (test_case, test_no_folder);
  tcase_add_test (test_case, test_killed);
  tcase_add_test (test_case, test_trim);
  tcase_add_test (test_case, test_bound);
  tcase_add_checked_fixture (device, set_up, tear_down);
  tcase_add_test (device, test_device);
  tcase_add_test (device, test_whole_groups);
  tcase_add_loop_test (device, test_bundle, 0, 2);
  tcase_add_test (device, test_refused);
  tcase_add_test (device, test_language);
  return suite;
}

GB_TEST_MAIN (make_suite)
