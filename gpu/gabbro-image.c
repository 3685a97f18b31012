/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/async.h"
#include "gpu/command/copy.h"
#include "lib/checked.h"

/**
 * GabbroImage:
 *
 * A picture in the memory of a device, in a layout that suits it. On the host an image
 * is its rows from top to bottom without gaps.
 *
 * Fresh images have no defined contents. Thread-safe, as far as concurrent copies go.
 *
 * Since: 0.1
 */
struct _GabbroImage
{
  GObject parent_instance;

  GabbroDevice *device;
  struct gabbro_resource *resource;
  GabbroFormat format;
  guint width, height;
};

G_DEFINE_FINAL_TYPE (GabbroImage, gabbro_image, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_IMAGE (self) && (self)->resource != NULL)

gboolean
gabbro_image_is_whole (gpointer object)
{
  GabbroImage *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroImage:device:
 *
 * The device that it belongs to.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:format:
 *
 * What a texel is. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:width:
 *
 * Texels of a row. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:height:
 *
 * Rows. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:size:
 *
 * Bytes of its contents on the host. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_image_property_rows[] = {
  GABBRO_OWNER ("device", GabbroImage, device, gabbro_device_get_type),
  GABBRO_TYPED ("format", ENUM, gabbro_image_get_format, gabbro_format_get_type),
  GABBRO_PLAIN ("width", UINT, gabbro_image_get_width),
  GABBRO_PLAIN ("height", UINT, gabbro_image_get_height),
  GABBRO_PLAIN ("size", SIZE, gabbro_image_get_size),
};

GABBRO_DEFINE_PROPERTIES (gabbro_image)

static void
gabbro_image_finalize (GObject *object)
{
  GabbroImage *self = GABBRO_IMAGE (object);

  g_clear_pointer (&self->resource, gabbro_resource_unref);
  g_clear_object (&self->device);
  G_OBJECT_CLASS (gabbro_image_parent_class)->finalize (object);
}

static void
gabbro_image_class_init (GabbroImageClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_image_finalize;
  gabbro_properties_install (class, &gabbro_image_properties);
}

static void
gabbro_image_init (GabbroImage *self)
{
}

struct gabbro_resource *
gabbro_image_get_resource (GabbroImage *self)
{
  return self->resource;
}

static const struct
{
  enum gabbro_image_format driver;
  guint texel_size;
} formats[] = {
  [GABBRO_FORMAT_RGBA8_UNORM] = { GABBRO_IMAGE_FORMAT_RGBA8_UNORM, 4 },
  [GABBRO_FORMAT_RGBA32_FLOAT] = { GABBRO_IMAGE_FORMAT_RGBA32_FLOAT, 16 },
};

gboolean
gabbro_image_check_request (GabbroDevice *device, GabbroFormat format, guint width, guint height,
                            struct gabbro_image_request *request, guint64 *size, GError **error)
{
  struct gabbro_core *core = gabbro_device_get_core (device);

  if ((guint) format >= G_N_ELEMENTS (formats) || width == 0 || height == 0)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("An image of format %d and %u×%u texels cannot be made: there are formats 0 to %u, and at least one texel"),
                   (int) format, width, height, (guint) G_N_ELEMENTS (formats) - 1);
      return FALSE;
    }
  if (width > core->limits.max_image_2d || height > core->limits.max_image_2d)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_LIMIT_EXCEEDED,
                   _("An image of %u×%u texels is larger than “%s” allows: %u×%u"), width, height, core->name,
                   core->limits.max_image_2d, core->limits.max_image_2d);
      return FALSE;
    }
  *request = (struct gabbro_image_request) { formats[format].driver, width, height };
  *size = (guint64) width * height * formats[format].texel_size;
  return TRUE;
}

GabbroImage *
gabbro_image_new_of_resource (GabbroDevice *device, struct gabbro_resource *resource, GabbroFormat format, guint width, guint height)
{
  GabbroImage *self = g_object_new (GABBRO_TYPE_IMAGE, NULL);

  self->device = g_object_ref (device);
  self->resource = resource;
  self->format = format;
  self->width = width;
  self->height = height;
  return self;
}

/**
 * gabbro_image_new_2d:
 * @device: a device
 * @format: what a texel is
 * @width: texels of a row, at least 1
 * @height: rows, at least 1
 * @error: return location for an error
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): a new image, or %NULL: %GABBRO_ERROR_LIMIT_EXCEEDED,
 *   %GABBRO_ERROR_OUT_OF_MEMORY, %GABBRO_ERROR_INVALID_ARGUMENT, %GABBRO_ERROR_NOT_SUPPORTED
 *
 * Since: 0.1
 */
GabbroImage *
gabbro_image_new_2d (GabbroDevice *device, GabbroFormat format, guint width, guint height, GError **error)
{
  struct gabbro_core *core;
  struct gabbro_resource *resource;
  struct gabbro_image_request request;
  guint64 size;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (device, error))
    return NULL;
  core = gabbro_device_get_core (device);
  if (!gabbro_image_check_request (device, format, width, height, &request, &size, error))
    return NULL;
  if (core->ops->image_create == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED, _("The driver of “%s” has no images"), core->name);
      return NULL;
    }
  resource = gabbro_resource_new_image (core, &request, size, error);
  return resource != NULL ? gabbro_image_new_of_resource (device, resource, format, width, height) : NULL;
}

/**
 * gabbro_image_get_device:
 * @self: an image
 *
 * Gets the device of an image. Thread-safe; does not block.
 *
 * Returns: (transfer none): the device that it belongs to
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_image_get_device (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->device;
}

/**
 * gabbro_image_get_format:
 * @self: an image
 *
 * Gets the format of an image. Thread-safe; does not block.
 *
 * Returns: what a texel is
 *
 * Since: 0.1
 */
GabbroFormat
gabbro_image_get_format (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), GABBRO_FORMAT_RGBA8_UNORM);

  return self->format;
}

/**
 * gabbro_image_get_width:
 * @self: an image
 *
 * Gets the width of an image. Thread-safe; does not block.
 *
 * Returns: texels of a row
 *
 * Since: 0.1
 */
guint
gabbro_image_get_width (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->width;
}

/**
 * gabbro_image_get_height:
 * @self: an image
 *
 * Gets the height of an image. Thread-safe; does not block.
 *
 * Returns: rows
 *
 * Since: 0.1
 */
guint
gabbro_image_get_height (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->height;
}

/**
 * gabbro_image_get_size:
 * @self: an image
 *
 * Gets how many bytes an upload or a download of an image has. Thread-safe; does not block.
 *
 * Returns: bytes of its contents on the host
 *
 * Since: 0.1
 */
gsize
gabbro_image_get_size (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->resource->size;
}

static struct gabbro_copy *
new_copy (GabbroImage *self, gconstpointer data, gsize size, bool upload, GError **error)
{
  struct gabbro_copy *copy;

  if (!gabbro_device_check (self->device, error))
    return NULL;
  if (size != self->resource->size)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("An image of %u×%u texels has %" PRIu64 " bytes, not %zu"), self->width, self->height,
                   (guint64) self->resource->size, size);
      return NULL;
    }
  copy = gabbro_copy_new (self->resource, 0, data, size, upload);
  copy->width = self->width;
  copy->height = self->height;
  return copy;
}

static gboolean
copy_blocking (GabbroImage *self, gconstpointer data, gsize size, bool upload, GError **error)
{
  struct gabbro_copy *copy = new_copy (self, data, size, upload, error);
  bool ok;

  if (copy == NULL)
    return FALSE;
  ok = gabbro_copy_run (copy, error);
  gabbro_copy_unref (copy);
  return ok;
}

/**
 * gabbro_image_upload:
 * @self: an image
 * @data: (array length=size) (element-type guint8): its rows
 * @size: bytes: gabbro_image_get_size()
 * @error: return location for an error
 *
 * Copies from the host, after everything that was submitted so far and uses the image.
 * Thread-safe; blocks.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_image_upload (GabbroImage *self, gconstpointer data, gsize size, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, data, size, true, error);
}

/**
 * gabbro_image_upload_bytes:
 * @self: an image
 * @bytes: its rows
 * @error: return location for an error
 *
 * As gabbro_image_upload(). Thread-safe; blocks.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_image_upload_bytes (GabbroImage *self, GBytes *bytes, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), true, error);
}

/**
 * gabbro_image_upload_bytes_async:
 * @self: an image
 * @bytes: its rows; kept until it is done
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_image_upload_bytes(), without blocking. Cancelling stops waiting for it: what was
 * begun may still arrive. Thread-safe; @callback is called in the thread-default main context of the
 * caller.
 *
 * Since: 0.1
 */
void
gabbro_image_upload_bytes_async (GabbroImage *self,
                                 GBytes *bytes,
                                 GCancellable *cancellable,
                                 GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  struct gabbro_copy *copy;
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (bytes != NULL);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_image_upload_bytes_async);
  copy = new_copy (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), true, &error);
  if (copy == NULL)
    {
      gabbro_task_fail (task, error);
      return;
    }
  copy->owner = g_bytes_ref (bytes);
  copy->release_owner = (GDestroyNotify) g_bytes_unref;
  gabbro_copy_start (copy, task);
}

/**
 * gabbro_image_upload_bytes_finish:
 * @self: an image
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_image_upload_bytes_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_image_upload_bytes_finish (GabbroImage *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_image_upload_bytes_async, error);
}

/**
 * gabbro_image_download: (skip)
 * @self: an image
 * @data: (array length=size) (element-type guint8): where its rows go
 * @size: bytes: gabbro_image_get_size()
 * @error: return location for an error
 *
 * Copies to the host, after everything that was submitted so far and uses the image.
 * Thread-safe; blocks.
 *
 * Returns: whether it was copied; @data is untouched otherwise
 *
 * Since: 0.1
 */
gboolean
gabbro_image_download (GabbroImage *self, gpointer data, gsize size, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, data, size, false, error);
}

/**
 * gabbro_image_download_bytes:
 * @self: an image
 * @error: return location for an error
 *
 * As gabbro_image_download(). Thread-safe; blocks.
 *
 * Returns: (transfer full): its rows, or %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_image_download_bytes (GabbroImage *self, GError **error)
{
  gsize size;
  gpointer data;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  size = self->resource->size;
  data = gabbro_try_alloc (size, error);
  if (data == NULL)
    return NULL;
  if (copy_blocking (self, data, size, false, error))
    return g_bytes_new_take (data, size);
  g_free (data);
  return NULL;
}

/**
 * gabbro_image_download_bytes_async:
 * @self: an image
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_image_download_bytes(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_image_download_bytes_async (GabbroImage *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  struct gabbro_copy *copy;
  GError *error = NULL;
  GTask *task;
  gsize size;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_image_download_bytes_async);
  size = self->resource->size;
  copy = new_copy (self, NULL, size, false, &error);
  if (copy != NULL)
    gabbro_copy_start_download (copy, task);
  else
    gabbro_task_fail (task, error);
}

/**
 * gabbro_image_download_bytes_finish:
 * @self: an image
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_image_download_bytes_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): its rows, or %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_image_download_bytes_finish (GabbroImage *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_image_download_bytes_async, error);
}
