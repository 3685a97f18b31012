/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/async.h"
#include "gpu/command/copy.h"
#include "gpu/element-type.h"
#include "lib/checked.h"

/**
 * GabbroBuffer:
 *
 * Memory of a device: a number of elements of one type, or plain bytes. A view is a
 * buffer too: a stretch of elements of another buffer's memory, which lives as long
 * as the last of them.
 *
 * The calls of this class that copy are for set-up and results; inside a stream of
 * work use those of #GabbroCommandList. Fresh memory has no defined contents.
 *
 * Thread-safe, as far as concurrent copies do not overlap.
 *
 * Since: 0.1
 */
struct _GabbroBuffer
{
  GObject parent_instance;

  GabbroDevice *device;
  struct gabbro_resource *resource;
  const char *element_type;              /* interned description; NULL: bytes */
  const char *element_name;
  guint64 element_size, length, offset;  /* offset in bytes of the whole memory */
};

G_DEFINE_FINAL_TYPE (GabbroBuffer, gabbro_buffer, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_BUFFER (self) && (self)->resource != NULL)

gboolean
gabbro_buffer_is_whole (gpointer object)
{
  GabbroBuffer *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroBuffer:device:
 *
 * The device that it belongs to.
 *
 * Since: 0.1
 */

/**
 * GabbroBuffer:element-type:
 *
 * The type of its elements, or %NULL for plain bytes. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroBuffer:element-size:
 *
 * Bytes from one element to the next. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroBuffer:length:
 *
 * Its number of elements. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroBuffer:size:
 *
 * Its size in bytes. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroBuffer:offset:
 *
 * Bytes from the start of the memory that it shares with others. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_buffer_property_rows[] = {
  GABBRO_OWNER ("device", GabbroBuffer, device, gabbro_device_get_type),
  GABBRO_PLAIN ("element-type", STRING, gabbro_buffer_get_element_type),
  GABBRO_PLAIN ("element-size", UINT64, gabbro_buffer_get_element_size),
  GABBRO_PLAIN ("length", UINT64, gabbro_buffer_get_length),
  GABBRO_PLAIN ("size", UINT64, gabbro_buffer_get_size),
  GABBRO_PLAIN ("offset", UINT64, gabbro_buffer_get_offset),
};

GABBRO_DEFINE_PROPERTIES (gabbro_buffer)

static void
gabbro_buffer_finalize (GObject *object)
{
  GabbroBuffer *self = GABBRO_BUFFER (object);

  g_clear_pointer (&self->resource, gabbro_resource_unref);
  g_clear_object (&self->device);
  G_OBJECT_CLASS (gabbro_buffer_parent_class)->finalize (object);
}

static void
gabbro_buffer_class_init (GabbroBufferClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_buffer_finalize;
  gabbro_properties_install (class, &gabbro_buffer_properties);
}

static void
gabbro_buffer_init (GabbroBuffer *self)
{
}

struct gabbro_resource *
gabbro_buffer_get_resource (GabbroBuffer *self)
{
  return self->resource;
}

struct gabbro_buffer_place
gabbro_buffer_get_place (GabbroBuffer *self)
{
  return (struct gabbro_buffer_place) {
    .device = self->device,
    .resource = self->resource,
    .type = self->element_type,
    .offset = self->offset,
    .size = self->length * self->element_size,
  };
}

GabbroBuffer *
gabbro_buffer_new_of_resource (GabbroDevice *device, struct gabbro_resource *resource, const struct gabbro_element_type *type,
                               guint64 length, guint64 offset)
{
  GabbroBuffer *self = g_object_new (GABBRO_TYPE_BUFFER, NULL);

  self->device = g_object_ref (device);
  self->resource = resource;
  self->element_type = type->text;
  self->element_name = type->name;
  self->element_size = type->size;
  self->length = length;
  self->offset = offset;
  return self;
}

static GabbroBuffer *
buffer_create (GabbroDevice *device, const struct gabbro_element_type *type, guint64 length, GError **error)
{
  struct gabbro_core *core = gabbro_device_get_core (device);
  struct gabbro_resource *resource;
  uint64_t size = 0, allocated = 0;

  if (!gabbro_device_check (device, error))
    return NULL;
  if (length == 0)
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("A buffer has at least one element, not 0"));
      return NULL;
    }
  /* Copies and fills work on words, so the memory is a whole number of them. */
  if (!gb_checked_mul (type->size, length, &size) || !gb_checked_align (size, 4, &allocated) || allocated > core->limits.max_buffer_size)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_LIMIT_EXCEEDED,
                   _("A buffer of %" PRIu64 " elements of %" PRIu64 " bytes is larger than “%s” allows: %" PRIu64 " bytes"),
                   length, type->size, core->name, (guint64) core->limits.max_buffer_size);
      return NULL;
    }
  resource = gabbro_resource_new_buffer (core, allocated, GABBRO_MEMORY_DEVICE, error);
  return resource != NULL ? gabbro_buffer_new_of_resource (device, resource, type, length, 0) : NULL;
}

/**
 * gabbro_buffer_new:
 * @device: a device
 * @element_type: the type of its elements: a type of the kernel language such as "float" or
 *   "uint2", or a description such as "struct<16,float,vector<float,3>>"
 * @length: elements, at least 1
 * @error: return location for an error
 *
 * Makes a buffer. Elements lie as gabbro-kernel(5) says, which is as C lays them out,
 * with vectors of three padded to four. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new buffer, or %NULL: %GABBRO_ERROR_LIMIT_EXCEEDED,
 *   %GABBRO_ERROR_OUT_OF_MEMORY, %GABBRO_ERROR_INVALID_ARGUMENT
 *
 * Since: 0.1
 */
GabbroBuffer *
gabbro_buffer_new (GabbroDevice *device, const char *element_type, guint64 length, GError **error)
{
  struct gabbro_element_type type;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (element_type != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_element_type_parse (element_type, &type, error))
    return NULL;
  return buffer_create (device, &type, length, error);
}

/**
 * gabbro_buffer_new_bytes:
 * @device: a device
 * @size: bytes, at least 1
 * @error: return location for an error
 *
 * Makes a buffer of plain bytes, which can be given to kernels as a buffer of any type
 * whose size divides its own. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new buffer, or %NULL
 *
 * Since: 0.1
 */
GabbroBuffer *
gabbro_buffer_new_bytes (GabbroDevice *device, guint64 size, GError **error)
{
  static const struct gabbro_element_type bytes = { NULL, NULL, 1 };

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return buffer_create (device, &bytes, size, error);
}

/**
 * gabbro_buffer_new_for_argument:
 * @device: a device
 * @kernel: a kernel
 * @argument: the number of one of its buffers
 * @length: elements, at least 1
 * @error: return location for an error
 *
 * Makes a buffer whose elements have the type that @kernel asks for. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new buffer, or %NULL
 *
 * Since: 0.1
 */
GabbroBuffer *
gabbro_buffer_new_for_argument (GabbroDevice *device, GabbroKernel *kernel, guint argument, guint64 length, GError **error)
{
  const char *type = NULL;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (gabbro_kernel_is_whole (kernel), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (gabbro_kernel_get_argument_kind (kernel, argument) == GABBRO_ARGUMENT_BUFFER)
    type = gabbro_kernel_get_argument_element_type (kernel, argument);
  if (type == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("Argument %u of kernel “%s” is no buffer"),
                   argument, gabbro_kernel_get_name (kernel));
      return NULL;
    }
  return gabbro_buffer_new (device, type, length, error);
}

/**
 * gabbro_buffer_new_view:
 * @self: a buffer
 * @first: its element with which the view begins
 * @length: elements, at least 1
 * @error: return location for an error
 *
 * Makes a view: a buffer that shares a stretch of the memory of @self. Thread-safe;
 * does not block.
 *
 * Returns: (transfer full): a new view, or %NULL (%GABBRO_ERROR_INVALID_ARGUMENT)
 *
 * Since: 0.1
 */
GabbroBuffer *
gabbro_buffer_new_view (GabbroBuffer *self, guint64 first, guint64 length, GError **error)
{
  GabbroBuffer *view;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (self->device, error))
    return NULL;
  if (length == 0 || !gb_range_fits (first, length, self->length))
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("A view of %" PRIu64 " elements from element %" PRIu64 " on does not lie in a buffer of %" PRIu64),
                   length, first, self->length);
      return NULL;
    }
  view = g_object_new (GABBRO_TYPE_BUFFER, NULL);
  view->device = g_object_ref (self->device);
  view->resource = gabbro_resource_ref (self->resource);
  view->element_type = self->element_type;
  view->element_name = self->element_name;
  view->element_size = self->element_size;
  view->length = length;
  view->offset = self->offset + first * self->element_size;
  return view;
}

/**
 * gabbro_buffer_get_device:
 * @self: a buffer
 *
 * Gets the device of a buffer. Thread-safe; does not block.
 *
 * Returns: (transfer none): the device that it belongs to
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_buffer_get_device (GabbroBuffer *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->device;
}

/**
 * gabbro_buffer_get_element_type:
 * @self: a buffer
 *
 * Gets the type of a buffer's elements. Thread-safe; does not block.
 *
 * Returns: (nullable): the type of its elements, or %NULL for plain bytes
 *
 * Since: 0.1
 */
const char *
gabbro_buffer_get_element_type (GabbroBuffer *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->element_name;
}

/**
 * gabbro_buffer_get_element_size:
 * @self: a buffer
 *
 * Gets the size of a buffer's elements. Thread-safe; does not block.
 *
 * Returns: bytes from one element to the next
 *
 * Since: 0.1
 */
guint64
gabbro_buffer_get_element_size (GabbroBuffer *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->element_size;
}

/**
 * gabbro_buffer_get_length:
 * @self: a buffer
 *
 * Gets the length of a buffer. Thread-safe; does not block.
 *
 * Returns: its number of elements
 *
 * Since: 0.1
 */
guint64
gabbro_buffer_get_length (GabbroBuffer *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->length;
}

/**
 * gabbro_buffer_get_size:
 * @self: a buffer
 *
 * Gets the size of a buffer in bytes. Thread-safe; does not block.
 *
 * Returns: its size in bytes: length times element size
 *
 * Since: 0.1
 */
guint64
gabbro_buffer_get_size (GabbroBuffer *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->length * self->element_size;
}

/**
 * gabbro_buffer_get_offset:
 * @self: a buffer
 *
 * Gets where a view begins. Thread-safe; does not block.
 *
 * Returns: bytes from the start of the memory that it shares with others; 0 for a
 *   buffer that is no view and was not made around a part of something else
 *
 * Since: 0.1
 */
guint64
gabbro_buffer_get_offset (GabbroBuffer *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->offset;
}

gboolean
gabbro_buffer_check_range (GabbroBuffer *self, guint64 offset, guint64 size, GError **error)
{
  if (gb_range_fits (offset, size, self->length * self->element_size))
    return TRUE;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
               _("%" PRIu64 " bytes from byte %" PRIu64 " on do not lie in a buffer of %" PRIu64 " bytes"),
               size, offset, self->length * self->element_size);
  return FALSE;
}

static struct gabbro_copy *
new_copy (GabbroBuffer *self, guint64 offset, gconstpointer data, gsize size, bool upload, GError **error)
{
  if (!gabbro_device_check (self->device, error) || !gabbro_buffer_check_range (self, offset, size, error))
    return NULL;
  return gabbro_copy_new (self->resource, self->offset + offset, data, size, upload);
}

static gboolean
copy_blocking (GabbroBuffer *self, guint64 offset, gconstpointer data, gsize size, bool upload, GError **error)
{
  struct gabbro_copy *copy = new_copy (self, offset, data, size, upload, error);
  bool ok;

  if (copy == NULL)
    return FALSE;
  ok = gabbro_copy_run (copy, error);
  gabbro_copy_unref (copy);
  return ok;
}

/**
 * gabbro_buffer_upload:
 * @self: a buffer
 * @offset: the byte of the buffer to begin with
 * @data: (array length=size) (element-type guint8): what to copy
 * @size: bytes
 * @error: return location for an error
 *
 * Copies from the host, after everything that was submitted so far and uses the
 * buffer. Thread-safe; blocks.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_buffer_upload (GabbroBuffer *self, guint64 offset, gconstpointer data, gsize size, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, offset, data, size, true, error);
}

/**
 * gabbro_buffer_upload_bytes:
 * @self: a buffer
 * @offset: the byte of the buffer to begin with
 * @bytes: what to copy
 * @error: return location for an error
 *
 * As gabbro_buffer_upload(). Thread-safe; blocks.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_buffer_upload_bytes (GabbroBuffer *self, guint64 offset, GBytes *bytes, GError **error)
{
  gconstpointer data;
  gsize size;

  g_return_val_if_fail (bytes != NULL, FALSE);

  data = g_bytes_get_data (bytes, &size);
  return gabbro_buffer_upload (self, offset, data, size, error);
}

/**
 * gabbro_buffer_upload_bytes_async:
 * @self: a buffer
 * @offset: the byte of the buffer to begin with
 * @bytes: what to copy; kept until it is done
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_buffer_upload_bytes(), without blocking. Cancelling stops waiting for it: what
 * was begun may still arrive. Thread-safe; @callback is called in the thread-default main
 * context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_buffer_upload_bytes_async (GabbroBuffer *self,
                                  guint64 offset,
                                  GBytes *bytes,
                                  GCancellable *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  struct gabbro_copy *copy;
  GError *error = NULL;
  GTask *task;
  gconstpointer data;
  gsize size;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (bytes != NULL);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_buffer_upload_bytes_async);
  data = g_bytes_get_data (bytes, &size);
  copy = new_copy (self, offset, data, size, true, &error);
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
 * gabbro_buffer_upload_bytes_finish:
 * @self: a buffer
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_buffer_upload_bytes_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_buffer_upload_bytes_finish (GabbroBuffer *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_buffer_upload_bytes_async, error);
}

/**
 * gabbro_buffer_download: (skip)
 * @self: a buffer
 * @offset: the byte of the buffer to begin with
 * @data: (array length=size) (element-type guint8): where to copy to
 * @size: bytes
 * @error: return location for an error
 *
 * Copies to the host, after everything that was submitted so far and uses the buffer.
 * Thread-safe; blocks.
 *
 * Returns: whether it was copied; @data is untouched otherwise
 *
 * Since: 0.1
 */
gboolean
gabbro_buffer_download (GabbroBuffer *self, guint64 offset, gpointer data, gsize size, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, offset, data, size, false, error);
}

/**
 * gabbro_buffer_download_bytes:
 * @self: a buffer
 * @offset: the byte of the buffer to begin with
 * @size: bytes
 * @error: return location for an error
 *
 * As gabbro_buffer_download(). Thread-safe; blocks.
 *
 * Returns: (transfer full): the bytes, or %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_buffer_download_bytes (GabbroBuffer *self, guint64 offset, gsize size, GError **error)
{
  gpointer data;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_buffer_check_range (self, offset, size, error))
    return NULL;
  data = gabbro_try_alloc (size, error);
  if (data == NULL)
    return NULL;
  if (copy_blocking (self, offset, data, size, false, error))
    return g_bytes_new_take (data, size);
  g_free (data);
  return NULL;
}

/**
 * gabbro_buffer_download_bytes_async:
 * @self: a buffer
 * @offset: the byte of the buffer to begin with
 * @size: bytes
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_buffer_download_bytes(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_buffer_download_bytes_async (GabbroBuffer *self,
                                    guint64 offset,
                                    gsize size,
                                    GCancellable *cancellable,
                                    GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  struct gabbro_copy *copy;
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_buffer_download_bytes_async);
  copy = new_copy (self, offset, NULL, size, false, &error);
  if (copy != NULL)
    gabbro_copy_start_download (copy, task);
  else
    gabbro_task_fail (task, error);
}

/**
 * gabbro_buffer_download_bytes_finish:
 * @self: a buffer
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_buffer_download_bytes_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): the bytes, or %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_buffer_download_bytes_finish (GabbroBuffer *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_buffer_download_bytes_async, error);
}

/**
 * gabbro_buffer_map:
 * @self: a buffer
 * @flags: what the host will do
 * @error: return location for an error
 *
 * Makes the contents accessible to the host, after everything that was submitted so far
 * and uses the buffer. Where the device's memory can be mapped this costs nothing;
 * elsewhere the contents are copied: down when @flags has %GABBRO_MAP_READ, up by
 * gabbro_mapping_unmap() when it has %GABBRO_MAP_WRITE (bytes that were not written then
 * have no defined value without %GABBRO_MAP_READ).
 *
 * Work that uses the buffer may be submitted while it is mapped; whose turn it is, the
 * caller decides. Where gabbro_mapping_is_direct() says so both see the same memory: wait
 * for the work before touching it. Elsewhere the host goes on seeing what was there before,
 * and gabbro_mapping_unmap() puts all of that back.
 *
 * Thread-safe; blocks.
 *
 * Returns: (transfer full): a mapping, or %NULL
 *
 * Since: 0.1
 */
GabbroMapping *
gabbro_buffer_map (GabbroBuffer *self, GabbroMapFlags flags, GError **error)
{
  GabbroMapping *mapping;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (self->device, error) || !gabbro_resource_wait_idle (self->resource, error))
    return NULL;
  mapping = gabbro_mapping_new (self, flags, error);
  if (mapping != NULL && !gabbro_mapping_fill (mapping, error))
    g_clear_object (&mapping);
  return mapping;
}

/**
 * gabbro_buffer_map_async:
 * @self: a buffer
 * @flags: what the host will do
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_buffer_map(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_buffer_map_async (GabbroBuffer *self,
                         GabbroMapFlags flags,
                         GCancellable *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer user_data)
{
  GabbroMapping *mapping = NULL;
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_buffer_map_async);
  if (gabbro_device_check (self->device, &error))
    mapping = gabbro_mapping_new (self, flags, &error);
  if (mapping != NULL)
    gabbro_mapping_fill_async (mapping, task);
  else
    gabbro_task_fail (task, error);
}

/**
 * gabbro_buffer_map_finish:
 * @self: a buffer
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_buffer_map_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a mapping, or %NULL
 *
 * Since: 0.1
 */
GabbroMapping *
gabbro_buffer_map_finish (GabbroBuffer *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_buffer_map_async, error);
}
