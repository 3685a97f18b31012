/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/bundle/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"

#define MAX_FILE      (BUNDLE_MAX_CODE + BUNDLE_MAX_ARGUMENTS + BUNDLE_MAX_PRINTER_SIZE + BUNDLE_MAX_CONSTANTS + BUNDLE_MAX_SOURCE_MAP)
/* Seconds after which a file that is being written never will be finished, and a time of use is worth renewing. */
#define STALE         3600
/* What is left of a cache that had become too large, of what it may have. */
#define KEEP(size)    ((size) / 4 * 3)
/* The folder is looked through after this part of what it may have was stored. */
#define LOOK_EVERY(size) ((size) / 16)

struct bundle_cache
{
  char *folder;
  uint64_t max_size;
  GMutex lock;
  uint64_t stored;                       /* bytes since the folder was last looked through; lock */
  bool looked;                           /* lock */
};

struct bundle_cache *
bundle_cache_new (const char *folder, uint64_t max_size)
{
  struct bundle_cache *cache = g_new0 (struct bundle_cache, 1);

  g_mutex_init (&cache->lock);
  cache->folder = g_canonicalize_filename (folder, NULL);
  cache->max_size = max_size;
  return cache;
}

void
bundle_cache_free (struct bundle_cache *cache)
{
  g_mutex_clear (&cache->lock);
  g_free (cache->folder);
  g_free (cache);
}

char *
bundle_cache_default_folder (void)
{
  /* A program that runs with the rights of another must not take files from where its user says. */
  if (getauxval (AT_SECURE) != 0)
    return NULL;
  return g_build_filename (g_get_user_cache_dir (), "gabbro", NULL);
}

static bool
fail (const char *path, int number, GError **error)
{
  char *shown = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (number), "%s: %s", shown, g_strerror (number));
  g_free (shown);
  return false;
}

/* Kernels run with our rights, so nobody else may have put them there. */
static bool
check_folder (const char *folder, GError **error)
{
  struct stat status;
  char *shown;

  if (stat (folder, &status) != 0)
    return fail (folder, errno, error);
  if (S_ISDIR (status.st_mode) && status.st_uid == geteuid () && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return true;
  shown = g_filename_display_name (folder);
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_FAILED, _("The folder “%s” is no shader cache: it belongs to others, or they may write in it"), shown);
  g_free (shown);
  return false;
}

static char *
path_of (const struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE], const char *suffix)
{
  char hex[GB_DIGEST_HEX_SIZE], *name, *path;

  gb_digest_to_hex (key, hex);
  name = g_strconcat (hex, suffix, NULL);
  path = g_build_filename (cache->folder, name, NULL);
  g_free (name);
  return path;
}

static struct bundle_artifact *
read_artifact (const char *path, const struct bundle_expectation *expectation, GError **error)
{
  GBytes *sections[BUNDLE_N_SECTIONS] = { NULL }, *bytes = gb_file_read (path, MAX_FILE, error);
  struct bundle_artifact *artifact = NULL;

  if (bytes == NULL)
    return NULL;
  if (bundle_artifact_split (bytes, sections, error))
    artifact = bundle_artifact_decode (sections, expectation, error);
  bundle_sections_clear (sections);
  g_bytes_unref (bytes);
  return artifact;
}

/* So that what is used stays longest. */
static void
note_use (const char *path)
{
  struct stat status;

  if (stat (path, &status) == 0 && g_get_real_time () / G_USEC_PER_SEC - status.st_mtime > STALE
      && utimensat (AT_FDCWD, path, NULL, 0) != 0)
    g_debug ("%s: %s", path, g_strerror (errno));
}

struct bundle_artifact *
bundle_cache_load (struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE], const char *kernel)
{
  const struct bundle_expectation expectation = { .dialect = BUNDLE_DIALECT_XIR_SPIRV, .identity = key, .kernel = kernel };
  struct bundle_artifact *artifact;
  GError *error = NULL;
  char *path;

  if (!check_folder (cache->folder, &error))
    {
      g_debug ("%s", error->message);
      g_error_free (error);
      return NULL;
    }
  path = path_of (cache, key, BUNDLE_CACHE_SUFFIX);
  artifact = read_artifact (path, &expectation, &error);
  if (artifact != NULL)
    note_use (path);
  else
    {
      g_debug ("%s: %s", path, error->message);
      g_error_free (error);
    }
  g_free (path);
  return artifact;
}

/* Whether it is time to look through the folder. */
static bool
is_due (struct bundle_cache *cache, uint64_t stored)
{
  bool due;

  g_mutex_lock (&cache->lock);
  cache->stored += stored;
  due = !cache->looked || cache->stored > LOOK_EVERY (cache->max_size);
  if (due)
    cache->stored = 0;
  cache->looked = true;
  g_mutex_unlock (&cache->lock);
  return due;
}

static uint64_t
total_size (const GPtrArray *files)
{
  uint64_t total = 0;

  for (guint i = 0; i < files->len; i++)
    total += ((const struct bundle_cache_file *) files->pdata[i])->size;
  return total;
}

static void
look_through (struct bundle_cache *cache)
{
  GPtrArray *files = bundle_cache_list (cache->folder, NULL);

  if (files != NULL && total_size (files) > cache->max_size)
    bundle_cache_trim (cache->folder, KEEP (cache->max_size), NULL);
  g_clear_pointer (&files, g_ptr_array_unref);
}

bool
bundle_cache_store (struct bundle_cache *cache, struct bundle_artifact *artifact, GError **error)
{
  GBytes *sections[BUNDLE_N_SECTIONS], *bytes;
  gsize size;
  const void *data;
  bool good;
  char *path;

  if (g_mkdir_with_parents (cache->folder, 0700) != 0)
    return fail (cache->folder, errno, error);
  if (!check_folder (cache->folder, error))
    return false;
  bundle_artifact_write (artifact, sections);
  bytes = bundle_artifact_join (sections);
  data = g_bytes_get_data (bytes, &size);
  path = path_of (cache, artifact->identity, BUNDLE_CACHE_SUFFIX);
  /* A machine that goes down may leave half of it, which the digests tell; so nothing waits for a disk. */
  good = size <= cache->max_size && gb_file_replace (path, data, size, GB_FILE_PRIVATE | GB_FILE_ITSELF, error);
  if (good && is_due (cache, size))
    look_through (cache);
  if (size > cache->max_size)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_LIMIT_EXCEEDED, _("The kernel “%s” is larger than the whole shader cache"), artifact->kernel);
  g_free (path);
  g_bytes_unref (bytes);
  bundle_sections_clear (sections);
  return good;
}

/* What drivers have compiled: a magic word, the key, SHA-256 of all behind it, the length of the adapter's name in 32 bits,
 * little-endian, the name, the data. */

#define PIPELINES_MAGIC  "GABPIPE1"
#define PIPELINES_HEADER (8 + 2 * GB_DIGEST_SIZE)

static bool
split_pipelines (GBytes *bytes, const char *name, gsize *data, GError **error)
{
  gsize size;
  const uint8_t *at = g_bytes_get_data (bytes, &size);
  uint8_t digest[GB_DIGEST_SIZE];
  char hex[GB_DIGEST_HEX_SIZE];
  uint32_t length;

  if (size < PIPELINES_HEADER + sizeof length || memcmp (at, PIPELINES_MAGIC, 8) != 0)
    return bundle_refuse (error, _("it is no cache of pipelines, or is cut short"));
  gb_digest_to_hex (at + 8, hex);
  if (!g_str_has_prefix (name, hex))
    return bundle_refuse (error, _("it has the name of another"));
  gb_digest_of (at + PIPELINES_HEADER, size - PIPELINES_HEADER, digest);
  if (memcmp (at + 8 + GB_DIGEST_SIZE, digest, GB_DIGEST_SIZE) != 0)
    return bundle_refuse (error, _("its digest does not fit"));
  memcpy (&length, at + PIPELINES_HEADER, sizeof length);
  length = GUINT32_FROM_LE (length);
  if (length > size - PIPELINES_HEADER - sizeof length || !g_utf8_validate ((const char *) at + PIPELINES_HEADER + sizeof length, length, NULL))
    return bundle_refuse (error, _("it names no adapter"));
  *data = PIPELINES_HEADER + sizeof length + length;
  return true;
}

static GBytes *
read_pipelines (const char *path, gsize *data, GError **error)
{
  GBytes *bytes = gb_file_read (path, BUNDLE_CACHE_MAX_PIPELINES, error);
  char *name = g_path_get_basename (path);

  if (bytes != NULL && !split_pipelines (bytes, name, data, error))
    g_clear_pointer (&bytes, g_bytes_unref);
  g_free (name);
  return bytes;
}

GBytes *
bundle_cache_load_pipelines (struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE])
{
  char *path = path_of (cache, key, BUNDLE_CACHE_PIPELINES);
  GBytes *bytes = NULL, *data = NULL;
  GError *error = NULL;
  gsize offset;

  if (check_folder (cache->folder, &error))
    bytes = read_pipelines (path, &offset, &error);
  if (bytes != NULL)
    {
      data = g_bytes_new_from_bytes (bytes, offset, g_bytes_get_size (bytes) - offset);
      g_bytes_unref (bytes);
      note_use (path);
    }
  else
    {
      g_debug ("%s: %s", path, error->message);
      g_error_free (error);
    }
  g_free (path);
  return data;
}

bool
bundle_cache_store_pipelines (struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE], const char *adapter, gconstpointer data, gsize size,
                              GError **error)
{
  uint32_t length = GUINT32_TO_LE ((uint32_t) strlen (adapter));
  uint64_t most = MIN (BUNDLE_CACHE_MAX_PIPELINES, cache->max_size), whole = PIPELINES_HEADER + sizeof length + strlen (adapter);
  GByteArray *file;
  char *path;
  bool good;

  if (whole > most || size > most - whole)
    {
      /* Whoever reads it has as much again, and can never add to it. */
      path = path_of (cache, key, BUNDLE_CACHE_PIPELINES);
      if (check_folder (cache->folder, NULL))
        g_unlink (path);
      g_free (path);
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_LIMIT_EXCEEDED, _("What the driver has compiled is larger than the shader cache may keep"));
      return false;
    }
  if (g_mkdir_with_parents (cache->folder, 0700) != 0)
    return fail (cache->folder, errno, error);
  if (!check_folder (cache->folder, error))
    return false;
  file = g_byte_array_sized_new ((guint) (whole + size));
  g_byte_array_append (file, (const uint8_t *) PIPELINES_MAGIC, 8);
  g_byte_array_append (file, key, GB_DIGEST_SIZE);
  g_byte_array_set_size (file, PIPELINES_HEADER);
  g_byte_array_append (file, (const uint8_t *) &length, sizeof length);
  g_byte_array_append (file, (const uint8_t *) adapter, (guint) strlen (adapter));
  g_byte_array_append (file, data, (guint) size);
  gb_digest_of (file->data + PIPELINES_HEADER, file->len - PIPELINES_HEADER, file->data + 8 + GB_DIGEST_SIZE);
  path = path_of (cache, key, BUNDLE_CACHE_PIPELINES);
  good = gb_file_replace (path, file->data, file->len, GB_FILE_PRIVATE | GB_FILE_ITSELF, error);
  if (good && is_due (cache, file->len))
    look_through (cache);
  g_byte_array_unref (file);
  g_free (path);
  return good;
}

char *
bundle_cache_read_pipelines (const char *path, GError **error)
{
  gsize offset, begin = PIPELINES_HEADER + sizeof (uint32_t);
  GBytes *bytes = read_pipelines (path, &offset, error);
  char *name;

  if (bytes == NULL)
    return NULL;
  name = g_strndup ((const char *) g_bytes_get_data (bytes, NULL) + begin, offset - begin);
  g_bytes_unref (bytes);
  return name;
}

/* Looking after one. */

static void
free_file (gpointer data)
{
  struct bundle_cache_file *file = data;

  g_free (file->path);
  g_free (file->name);
  g_free (file);
}

static int
compare_use (gconstpointer a, gconstpointer b)
{
  const struct bundle_cache_file *const *first = a, *const *second = b;

  if ((*first)->used != (*second)->used)
    return (*first)->used > (*second)->used ? -1 : 1;
  if ((*first)->used_part != (*second)->used_part)
    return (*first)->used_part > (*second)->used_part ? -1 : 1;
  return strcmp ((*first)->name, (*second)->name);
}

/* Hexadecimal, as keys are, and the suffix. */
static bool
is_file_name (const char *name, const char *suffix)
{
  gsize length = strspn (name, "0123456789abcdef");

  return length == GB_DIGEST_SIZE * 2 && g_str_equal (name + length, suffix);
}

/* Calls `visit` for each entry of the folder. */
static bool
visit_folder (const char *folder, void (*visit) (const char *path, const char *name, const struct stat *status, gpointer data), gpointer data,
              GError **error)
{
  GError *failure = NULL;
  GDir *dir = g_dir_open (folder, 0, &failure);
  const char *name;

  if (dir == NULL)
    {
      bool is_missing = g_error_matches (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT);

      if (is_missing)
        g_error_free (failure);
      else
        g_propagate_error (error, failure);
      return is_missing;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, name, NULL);
      struct stat status;

      if (lstat (path, &status) == 0 && S_ISREG (status.st_mode))
        visit (path, name, &status, data);
      g_free (path);
    }
  g_dir_close (dir);
  return true;
}

static void
add_file (const char *path, const char *name, const struct stat *status, gpointer data)
{
  bool is_pipelines = is_file_name (name, BUNDLE_CACHE_PIPELINES);
  struct bundle_cache_file *file;

  if (!is_pipelines && !is_file_name (name, BUNDLE_CACHE_SUFFIX))
    return;
  file = g_new0 (struct bundle_cache_file, 1);
  file->is_pipelines = is_pipelines;
  file->path = g_strdup (path);
  file->name = g_strdup (name);
  file->size = (uint64_t) status->st_size;
  file->used = status->st_mtim.tv_sec;
  file->used_part = status->st_mtim.tv_nsec;
  g_ptr_array_add (data, file);
}

GPtrArray *
bundle_cache_list (const char *folder, GError **error)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (free_file);

  if (visit_folder (folder, add_file, files, error))
    g_ptr_array_sort (files, compare_use);
  else
    g_clear_pointer (&files, g_ptr_array_unref);
  return files;
}

struct bundle_artifact *
bundle_cache_read (const char *path, GError **error)
{
  const struct bundle_expectation any = { .dialect = BUNDLE_DIALECT_XIR_SPIRV };
  struct bundle_artifact *artifact = read_artifact (path, &any, error);
  char hex[GB_DIGEST_HEX_SIZE], *name;

  if (artifact == NULL)
    return NULL;
  gb_digest_to_hex (artifact->identity, hex);
  name = g_path_get_basename (path);
  if (!g_str_has_prefix (name, hex))
    {
      bundle_refuse (error, _("it has the name of another"));
      g_clear_pointer (&artifact, bundle_artifact_unref);
    }
  g_free (name);
  return artifact;
}

/* Somebody died while writing it. */
static void
remove_unfinished (const char *path, const char *name, const struct stat *status, gpointer data)
{
  uint64_t *removed = data;

  if (g_str_has_prefix (name, GB_FILE_TEMPORARY) && g_get_real_time () / G_USEC_PER_SEC - status->st_mtime > STALE && g_unlink (path) == 0)
    *removed += (uint64_t) status->st_size;
}

uint64_t
bundle_cache_trim (const char *folder, uint64_t max_size, GError **error)
{
  uint64_t removed = 0, kept = 0;
  GPtrArray *files;

  if (!visit_folder (folder, remove_unfinished, &removed, error))
    return 0;
  files = bundle_cache_list (folder, error);
  for (guint i = 0; files != NULL && i < files->len; i++)
    {
      const struct bundle_cache_file *file = files->pdata[i];

      /* From the first that has no room on, all older ones go. */
      kept += file->size;
      if (kept > max_size && g_unlink (file->path) == 0)
        removed += file->size;
    }
  g_clear_pointer (&files, g_ptr_array_unref);
  return removed;
}
