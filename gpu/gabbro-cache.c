/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "gpu/bundle/cache.h"

/**
 * GabbroCache:
 *
 * The folder in which compiled kernels are kept, so that a program compiles nothing when it starts the second time.
 * Devices use it by themselves (see `cache` of gabbro_context_new()); this object is for those who want to
 * look after it.
 *
 * Thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroCache
{
  GObject parent_instance;

  char *folder;
};

G_DEFINE_FINAL_TYPE (GabbroCache, gabbro_cache, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_CACHE (self) && (self)->folder != NULL)

/**
 * GabbroCache:folder:
 *
 * Its folder, which need not be there. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_cache_property_rows[] = {
  GABBRO_PLAIN ("folder", STRING, gabbro_cache_get_folder),
};

gboolean
gabbro_cache_is_whole (gpointer object)
{
  GabbroCache *self = object;

  return IS_WHOLE (self);
}

GABBRO_DEFINE_PROPERTIES (gabbro_cache)

static void
gabbro_cache_finalize (GObject *object)
{
  GabbroCache *self = GABBRO_CACHE (object);

  g_free (self->folder);
  G_OBJECT_CLASS (gabbro_cache_parent_class)->finalize (object);
}

static void
gabbro_cache_class_init (GabbroCacheClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_cache_finalize;
  gabbro_properties_install (class, &gabbro_cache_properties);
}

static void
gabbro_cache_init (GabbroCache *self)
{
}

/**
 * gabbro_cache_new:
 * @folder: (nullable) (type filename): a folder, or %NULL for that of the user, or of `GABBRO_CACHE`
 * @error: return location for an error
 *
 * Opens a shader cache to look at it. Nothing is made or changed. Thread-safe; does not block.
 *
 * Returns: (transfer full): a cache, or %NULL: %GABBRO_ERROR_NOT_FOUND when the environment says that
 *   there is to be none
 *
 * Since: 0.1
 */
GabbroCache *
gabbro_cache_new (const char *folder, GError **error)
{
  GabbroCache *self;
  const char *wanted = secure_getenv ("GABBRO_CACHE");
  char *chosen = NULL;

  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (folder != NULL)
    chosen = g_strdup (folder);
  else if (wanted == NULL || wanted[0] == '\0')
    chosen = bundle_cache_default_folder ();
  else if (!g_str_equal (wanted, "0"))
    chosen = g_strdup (wanted);
  if (chosen == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The shader cache is switched off by GABBRO_CACHE, or the process has the rights of another user"));
      return NULL;
    }
  self = g_object_new (GABBRO_TYPE_CACHE, NULL);
  self->folder = g_canonicalize_filename (chosen, NULL);
  g_free (chosen);
  return self;
}

/**
 * gabbro_cache_get_folder:
 * @self: a cache
 *
 * Gets the folder of a cache. Thread-safe; does not block.
 *
 * Returns: (type filename): its path
 *
 * Since: 0.1
 */
const char *
gabbro_cache_get_folder (GabbroCache *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->folder;
}

static void
add_file (GVariantBuilder *builder, const struct bundle_cache_file *file)
{
  GError *error = NULL;
  struct bundle_artifact *artifact = file->is_pipelines ? NULL : bundle_cache_read (file->path, &error);
  char *adapter = file->is_pipelines ? bundle_cache_read_pipelines (file->path, &error) : NULL;
  GVariantDict dict;

  /* Somebody has removed it meanwhile. */
  if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    {
      g_error_free (error);
      return;
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "name", "s", file->name);
  g_variant_dict_insert (&dict, "size", "t", (guint64) file->size);
  g_variant_dict_insert (&dict, "used", "x", (gint64) file->used);
  if (artifact != NULL)
    {
      g_variant_dict_insert (&dict, "kernel", "s", artifact->kernel);
      g_variant_dict_insert (&dict, "source-name", "s", artifact->source_name);
      bundle_artifact_unref (artifact);
    }
  else if (adapter != NULL)
    g_variant_dict_insert (&dict, "adapter", "s", adapter);
  else
    {
      g_variant_dict_insert (&dict, "error", "s", error->message);
      g_error_free (error);
    }
  g_free (adapter);
  g_variant_builder_add_value (builder, g_variant_dict_end (&dict));
}

/**
 * gabbro_cache_list:
 * @self: a cache
 * @error: return location for an error
 *
 * Lists what a cache has, and checks it. Of each kernel: "name", of its file; "size" in bytes; "used", when it was
 * last stored or found, in seconds since 1970; "kernel" and "source-name", or "error", what is wrong with it. In place
 * of a kernel a file may have what a driver itself has compiled, and names the "adapter". A damaged
 * file does no harm: it counts as not there. Thread-safe; blocks for a time proportional to the size of the cache.
 *
 * Returns: (transfer full): dictionaries, type aa{sv}, the one that was used last first; or %NULL when the
 *   folder cannot be read
 *
 * Since: 0.1
 */
GVariant *
gabbro_cache_list (GabbroCache *self, GError **error)
{
  GVariantBuilder builder;
  GPtrArray *files;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  files = bundle_cache_list (self->folder, error);
  if (files == NULL)
    return NULL;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < files->len; i++)
    add_file (&builder, files->pdata[i]);
  g_ptr_array_unref (files);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/**
 * gabbro_cache_remove:
 * @self: a cache
 * @name: the name of a file, as gabbro_cache_list() gives it
 * @error: return location for an error
 *
 * Removes a kernel from a cache. Who uses it now goes on. Thread-safe; blocks while the file goes.
 *
 * Returns: %TRUE, or %FALSE: %GABBRO_ERROR_NOT_FOUND when there is no such file, or an error of %G_FILE_ERROR
 *
 * Since: 0.1
 */
gboolean
gabbro_cache_remove (GabbroCache *self, const char *name, GError **error)
{
  char *path, *shown;
  bool known = false;
  GPtrArray *files;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  files = bundle_cache_list (self->folder, error);
  if (files == NULL)
    return FALSE;
  for (guint i = 0; i < files->len && !known; i++)
    known = g_str_equal (((const struct bundle_cache_file *) files->pdata[i])->name, name);
  g_ptr_array_unref (files);
  shown = g_utf8_make_valid (name, -1);
  path = g_build_filename (self->folder, name, NULL);
  if (!known)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The shader cache has no file “%s”"), shown);
  else if (g_unlink (path) != 0)
    {
      known = false;
      g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno), "%s: %s", shown, g_strerror (errno));
    }
  g_free (path);
  g_free (shown);
  return known;
}

/**
 * gabbro_cache_trim:
 * @self: a cache
 * @max_size: bytes that may stay
 * @removed: (out) (optional): bytes that went
 * @error: return location for an error
 *
 * Removes the kernels that have not been used for the longest time until the others have at the most @max_size
 * bytes, and what was left by writers that died. Caches do that by themselves when they pass `cache-size`.
 * Thread-safe; blocks for a time proportional to the number of files.
 *
 * Returns: %TRUE, or %FALSE when the folder cannot be read
 *
 * Since: 0.1
 */
gboolean
gabbro_cache_trim (GabbroCache *self, guint64 max_size, guint64 *removed, GError **error)
{
  GError *failure = NULL;
  guint64 bytes;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  bytes = bundle_cache_trim (self->folder, max_size, &failure);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (removed != NULL)
    *removed = bytes;
  return TRUE;
}
