/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is done with a bundle: shaders of its kernels, and files. */

#include "config.h"

#include "gpu/async.h"
#include "gpu/bundle/archive.h"
#include "gpu/gabbro-private.h"
#include "lib/file.h"

/**
 * gabbro_bundle_create_shader:
 * @self: a bundle
 * @device: a device
 * @name: (nullable): the name of a kernel, or %NULL for the only one
 * @error: return location for an error
 *
 * Makes a kernel ready for a device, as gabbro_shader_new() does with what gabbro_bundle_get_kernel() gives. Nothing
 * is compiled but what the driver of the device does. Thread-safe; blocks meanwhile.
 *
 * Returns: (transfer full): a new shader, or %NULL: %GABBRO_ERROR_NOT_FOUND,
 *   %GABBRO_ERROR_BAD_BUNDLE, or %GABBRO_COMPILE_ERROR_TARGET when the device cannot run it
 *
 * Since: 0.1
 */
GabbroShader *
gabbro_bundle_create_shader (GabbroBundle *self, GabbroDevice *device, const char *name, GError **error)
{
  GabbroKernel *kernel;
  GabbroShader *shader;

  g_return_val_if_fail (gabbro_bundle_is_whole (self), NULL);
  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  kernel = gabbro_bundle_get_kernel (self, name, error);
  if (kernel == NULL)
    return NULL;
  shader = gabbro_shader_new (device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, error);
  g_object_unref (kernel);
  return shader;
}

static gpointer
run_create_shader (const struct gabbro_work *work, GError **error)
{
  return gabbro_bundle_create_shader (work->objects[0], work->objects[1], work->texts[0], error);
}

/**
 * gabbro_bundle_create_shader_async:
 * @self: a bundle
 * @device: a device
 * @name: (nullable): as of gabbro_bundle_create_shader()
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_bundle_create_shader(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_bundle_create_shader_async (GabbroBundle *self,
                                   GabbroDevice *device,
                                   const char *name,
                                   GCancellable *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  const struct gabbro_work work = {
    .run = run_create_shader, .free_result = g_object_unref, .objects = { self, device }, .texts = { name }
  };

  g_return_if_fail (gabbro_bundle_is_whole (self));
  g_return_if_fail (gabbro_device_is_whole (device));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (self, gabbro_bundle_create_shader_async), &work);
}

/**
 * gabbro_bundle_create_shader_finish:
 * @self: a bundle
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_bundle_create_shader_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new shader, or %NULL
 *
 * Since: 0.1
 */
GabbroShader *
gabbro_bundle_create_shader_finish (GabbroBundle *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_bundle_create_shader_async, error);
}

/**
 * gabbro_bundle_to_bytes:
 * @self: a bundle
 * @flags: options
 * @error: return location for an error
 *
 * Gives a bundle as the bytes of a file. The same kernels give the same bytes. Thread-safe; blocks while it
 * compresses.
 *
 * Returns: (transfer full): the bytes, or %NULL: %GABBRO_ERROR_NOT_SUPPORTED where bundles cannot be
 *   compressed
 *
 * Since: 0.1
 */
GBytes *
gabbro_bundle_to_bytes (GabbroBundle *self, GabbroBundleFlags flags, GError **error)
{
  g_return_val_if_fail (gabbro_bundle_is_whole (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return bundle_archive_write (gabbro_bundle_get_members (self), gabbro_bundle_get_generator (self),
                               (flags & GABBRO_BUNDLE_COMPRESS) != 0, error);
}

/* Of this machine's own files; errors as GIO has them. */
static bool
save_locally (const char *path, GBytes *bytes, GError **error)
{
  GError *file_error = NULL;
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);

  if (gb_file_replace (path, data, size, GB_FILE_DURABLE, &file_error))
    return true;
  g_set_error_literal (error, G_IO_ERROR, (int) g_io_error_from_file_error ((GFileError) file_error->code), file_error->message);
  g_error_free (file_error);
  return false;
}

/**
 * gabbro_bundle_save:
 * @self: a bundle
 * @file: where to
 * @flags: options
 * @cancellable: (nullable): a #GCancellable
 * @error: return location for an error
 *
 * Writes a bundle to a file. A file that is there already is replaced when all has been written and is on the disk;
 * until then, and when that fails, it is as it was. Thread-safe; blocks while it writes.
 *
 * Returns: %TRUE, or %FALSE with an error of %G_IO_ERROR or %GABBRO_ERROR
 *
 * Since: 0.1
 */
gboolean
gabbro_bundle_save (GabbroBundle *self, GFile *file, GabbroBundleFlags flags, GCancellable *cancellable, GError **error)
{
  GBytes *bytes;
  char *path;
  gboolean good;

  g_return_val_if_fail (gabbro_bundle_is_whole (self), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  bytes = gabbro_bundle_to_bytes (self, flags, error);
  if (bytes == NULL)
    return FALSE;
  path = g_file_is_native (file) ? g_file_get_path (file) : NULL;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    good = FALSE;
  else if (path != NULL)
    good = save_locally (path, bytes, error);
  else
    good = g_file_replace_contents (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), NULL, FALSE, G_FILE_CREATE_NONE,
                                    NULL, cancellable, error);
  g_free (path);
  g_bytes_unref (bytes);
  return good;
}

/* Not NULL: it went well. */
static gpointer
run_save (const struct gabbro_work *work, GError **error)
{
  return gabbro_bundle_save (work->objects[0], work->objects[1], (GabbroBundleFlags) work->flags, NULL, error) ? work->objects[0] : NULL;
}

/**
 * gabbro_bundle_save_async:
 * @self: a bundle
 * @file: where to
 * @flags: options
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_bundle_save(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller. Cancelling ends the waiting; the file may be written then or not.
 *
 * Since: 0.1
 */
void
gabbro_bundle_save_async (GabbroBundle *self,
                          GFile *file,
                          GabbroBundleFlags flags,
                          GCancellable *cancellable,
                          GAsyncReadyCallback callback,
                          gpointer user_data)
{
  const struct gabbro_work work = { .run = run_save, .objects = { self, file }, .flags = flags };

  g_return_if_fail (gabbro_bundle_is_whole (self));
  g_return_if_fail (G_IS_FILE (file));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (self, gabbro_bundle_save_async), &work);
}

/**
 * gabbro_bundle_save_finish:
 * @self: a bundle
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_bundle_save_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: %TRUE, or %FALSE with an error
 *
 * Since: 0.1
 */
gboolean
gabbro_bundle_save_finish (GabbroBundle *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_bundle_save_async, error) != NULL;
}
