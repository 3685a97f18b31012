/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The front layer of command lists: every documented precondition is checked here,
 * once, and a fault names what is wrong; recorder.c records. Setting arguments is
 * in command-list-arguments.c. */

#include "config.h"

#include "gpu/command-list-private.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/async.h"
#include "lib/checked.h"

/**
 * GabbroCommandList:
 *
 * Commands to be run by a stream: copies, fills and dispatches of kernels. They take
 * effect as if one ran after the other; those that do not touch the same bytes may run
 * side by side, and the memory barriers between the others are found by the list
 * itself (gabbro_command_list_explain_barriers()).
 *
 * A list is recorded by one thread at a time and then submitted once; a frozen one can be
 * submitted any number of times. Whatever a command names is kept until it has
 * run, so it can be dropped right after.
 *
 * Each call that records gives an error at once, and the list keeps the first: when no
 * call is checked, gabbro_stream_submit() gives it.
 *
 * Since: 0.1
 */

G_DEFINE_FINAL_TYPE (GabbroCommandList, gabbro_command_list, G_TYPE_OBJECT)

gboolean
gabbro_command_list_is_whole (gpointer object)
{
  GabbroCommandList *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroCommandList:device:
 *
 * The device that it belongs to.
 *
 * Since: 0.1
 */

/**
 * GabbroCommandList:is-frozen:
 *
 * Whether it is frozen. Not notified.
 *
 * Since: 0.1
 */

/**
 * GabbroCommandList:n-commands:
 *
 * Commands that the device will be given so far. Not notified.
 *
 * Since: 0.1
 */

/**
 * GabbroCommandList:n-barriers:
 *
 * Memory barriers between the commands recorded so far. Not notified.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_command_list_property_rows[] = {
  GABBRO_OWNER ("device", GabbroCommandList, device, gabbro_device_get_type),
  GABBRO_PLAIN ("is-frozen", BOOLEAN, gabbro_command_list_is_frozen),
  GABBRO_PLAIN ("n-commands", UINT, gabbro_command_list_get_n_commands),
  GABBRO_PLAIN ("n-barriers", UINT, gabbro_command_list_get_n_barriers),
};

GABBRO_DEFINE_PROPERTIES (gabbro_command_list)

enum { COMPLETED, N_SIGNALS };

static guint signals[N_SIGNALS];

static void
gabbro_command_list_finalize (GObject *object)
{
  GabbroCommandList *self = GABBRO_COMMAND_LIST (object);

  g_clear_pointer (&self->recorder, gabbro_recorder_unref);
  g_clear_error (&self->failure);
  g_clear_object (&self->device);
  g_clear_pointer (&self->main_context, g_main_context_unref);
  G_OBJECT_CLASS (gabbro_command_list_parent_class)->finalize (object);
}

static void
gabbro_command_list_class_init (GabbroCommandListClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_command_list_finalize;
  gabbro_properties_install (class, &gabbro_command_list_properties);

  /**
   * GabbroCommandList::completed:
   * @self: a list
   * @error: (nullable): why the commands were not carried out, or %NULL
   *
   * A submission of the list is done: its downloads have arrived and its completion functions have been
   * called. Emitted once for each submission that was made while a handler was connected, in the main
   * context that was the thread-default one when the list was made, and never under a lock.
   *
   * Such a submission keeps the list until it has been emitted, so that the list may be dropped; a main
   * context that is never run keeps it for ever.
   *
   * Since: 0.1
   */
  signals[COMPLETED] = g_signal_new ("completed", GABBRO_TYPE_COMMAND_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 1, G_TYPE_ERROR | G_SIGNAL_TYPE_STATIC_SCOPE);
}

static void
gabbro_command_list_init (GabbroCommandList *self)
{
}

struct gabbro_recorder *
gabbro_command_list_get_recorder (GabbroCommandList *self)
{
  return self->recorder;
}

/* Keeps the first failure and gives the caller a copy. Always FALSE, to be returned. */
static gboolean
fail_with (GabbroCommandList *self, GError *failure, GError **error)
{
  if (self->failure == NULL)
    self->failure = g_error_copy (failure);
  g_propagate_error (error, failure);
  return FALSE;
}

gboolean
gabbro_command_list_fail (GabbroCommandList *self, GError **error, GabbroError code, const char *format, ...)
{
  va_list arguments;
  GError *failure;

  va_start (arguments, format);
  failure = g_error_new_valist (GABBRO_ERROR, code, format, arguments);
  va_end (arguments);
  return fail_with (self, failure, error);
}

gboolean
gabbro_command_list_check_recording (GabbroCommandList *self, GError **error)
{
  static const char *const states[] = { NULL, N_("submitted"), N_("frozen") };

  if (G_UNLIKELY (gabbro_core_is_foreign (self->core)))
    return gabbro_device_check (self->device, error);
  if (G_LIKELY (self->recorder->state == GABBRO_RECORDER_RECORDING))
    return TRUE;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE, _("Nothing can be recorded to a list that has been %s"),
               _(states[self->recorder->state]));
  return FALSE;
}

static gboolean
check_buffer (GabbroCommandList *self, GabbroBuffer *buffer, guint64 offset, guint64 size, GError **error)
{
  GError *failure = NULL;

  if (gabbro_buffer_get_device (buffer) != self->device)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_WRONG_DEVICE, _("The buffer belongs to another device than the list"));
  if (size == 0)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT, _("A command touches at least one byte of a buffer, not 0"));
  if (!gabbro_buffer_check_range (buffer, offset, size, &failure))
    return fail_with (self, failure, error);
  return TRUE;
}

static gboolean
check_image (GabbroCommandList *self, GabbroImage *image, GError **error)
{
  if (gabbro_image_get_device (image) == self->device)
    return TRUE;
  return gabbro_command_list_fail (self, error, GABBRO_ERROR_WRONG_DEVICE, _("The image belongs to another device than the list"));
}

/**
 * gabbro_command_list_new:
 * @device: a device
 * @error: return location for an error
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): a new, empty list, or %NULL
 *
 * Since: 0.1
 */
GabbroCommandList *
gabbro_command_list_new (GabbroDevice *device, GError **error)
{
  GabbroCommandList *self;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (device, error))
    return NULL;
  self = g_object_new (GABBRO_TYPE_COMMAND_LIST, NULL);
  self->device = g_object_ref (device);
  self->core = gabbro_device_get_core (device);
  self->recorder = gabbro_recorder_new (self->core);
  self->main_context = gabbro_signal_context ();
  return self;
}

/**
 * gabbro_command_list_get_device:
 * @self: a list
 *
 * Gets the device of a list. Not thread-safe; does not block.
 *
 * Returns: (transfer none): the device that it belongs to
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_command_list_get_device (GabbroCommandList *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->device;
}

/* Copies from and to the host. */

/* Staging memory of the list; `data` is copied there at once for an upload. */
static gboolean
stage (GabbroCommandList *self, gconstpointer data, gsize size, enum gabbro_memory_use use, struct gabbro_slice *slice, GError **error)
{
  GError *failure = NULL;

  if (!gabbro_staging_alloc (self->core, &self->recorder->chunks, use, size,
                             MAX (16, self->core->limits.buffer_image_copy_offset_alignment), slice, &failure))
    return fail_with (self, failure, error);
  if (data != NULL)
    memcpy (slice->pointer, data, size);
  return TRUE;
}

/**
 * gabbro_command_list_upload:
 * @self: a list
 * @buffer: a buffer of the same device
 * @offset: the byte of the buffer to begin with
 * @data: (array length=size) (element-type guint8): what to copy; may be changed or
 *   freed once the call has returned
 * @size: bytes, at least 1
 * @error: return location for an error
 *
 * Records a copy from the host. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_upload (GabbroCommandList *self,
                            GabbroBuffer *buffer,
                            guint64 offset,
                            gconstpointer data,
                            gsize size,
                            GError **error)
{
  struct gabbro_slice slice;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (buffer), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error) || !check_buffer (self, buffer, offset, size, error)
      || !stage (self, data, size, GABBRO_MEMORY_UPLOAD, &slice, error))
    return FALSE;
  gabbro_recorder_copy_buffer (self->recorder, slice.buffer, slice.offset, gabbro_buffer_get_resource (buffer),
                               gabbro_buffer_get_offset (buffer) + offset, size);
  return TRUE;
}

/**
 * gabbro_command_list_upload_bytes:
 * @self: a list
 * @buffer: a buffer of the same device
 * @offset: the byte of the buffer to begin with
 * @bytes: what to copy
 * @error: return location for an error
 *
 * As gabbro_command_list_upload(). Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_upload_bytes (GabbroCommandList *self, GabbroBuffer *buffer, guint64 offset, GBytes *bytes, GError **error)
{
  gsize size;
  gconstpointer data;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);

  data = g_bytes_get_data (bytes, &size);
  return gabbro_command_list_upload (self, buffer, offset, size > 0 ? data : "", size, error);
}

/**
 * gabbro_command_list_download: (skip)
 * @self: a list
 * @buffer: a buffer of the same device
 * @offset: the byte of the buffer to begin with
 * @data: (array length=size) (element-type guint8): where to copy to; has to stay valid
 *   until the submission has completed, before the list's completion functions run
 * @size: bytes, at least 1
 * @error: return location for an error
 *
 * Records a copy to the host. Such a list cannot be frozen. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_download (GabbroCommandList *self,
                              GabbroBuffer *buffer,
                              guint64 offset,
                              gpointer data,
                              gsize size,
                              GError **error)
{
  struct gabbro_slice slice;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (buffer), FALSE);
  g_return_val_if_fail (data != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error) || !check_buffer (self, buffer, offset, size, error)
      || !stage (self, NULL, size, GABBRO_MEMORY_READBACK, &slice, error))
    return FALSE;
  gabbro_recorder_copy_buffer (self->recorder, gabbro_buffer_get_resource (buffer), gabbro_buffer_get_offset (buffer) + offset,
                               slice.buffer, slice.offset, size);
  gabbro_recorder_add_download (self->recorder, slice.pointer, data, size);
  return TRUE;
}

static gboolean
check_image_size (GabbroCommandList *self, GabbroImage *image, gsize size, GError **error)
{
  char *sides;

  if (!gabbro_command_list_check_recording (self, error) || !check_image (self, image, error))
    return FALSE;
  if (size == gabbro_image_get_size (image))
    return TRUE;
  sides = gabbro_image_describe (image);
  gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT, _("An image of %s texels has %zu bytes, not %zu"), sides,
                            gabbro_image_get_size (image), size);
  g_free (sides);
  return FALSE;
}

/**
 * gabbro_command_list_upload_image:
 * @self: a list
 * @image: an image of the same device
 * @data: (array length=size) (element-type guint8): its rows; may be changed or freed once
 *   the call has returned
 * @size: bytes: gabbro_image_get_size()
 * @error: return location for an error
 *
 * Records a copy from the host. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_upload_image (GabbroCommandList *self, GabbroImage *image, gconstpointer data, gsize size, GError **error)
{
  struct gabbro_slice slice;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_image_is_whole (image), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!check_image_size (self, image, size, error) || !stage (self, data, size, GABBRO_MEMORY_UPLOAD, &slice, error))
    return FALSE;
  gabbro_recorder_copy_image (self->recorder, GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE, slice.buffer, slice.offset,
                              gabbro_image_get_resource (image), gabbro_image_get_place (image));
  return TRUE;
}

/**
 * gabbro_command_list_download_image: (skip)
 * @self: a list
 * @image: an image of the same device
 * @data: (array length=size) (element-type guint8): where its rows go; as of
 *   gabbro_command_list_download()
 * @size: bytes: gabbro_image_get_size()
 * @error: return location for an error
 *
 * Records a copy to the host. Such a list cannot be frozen. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_download_image (GabbroCommandList *self, GabbroImage *image, gpointer data, gsize size, GError **error)
{
  struct gabbro_slice slice;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_image_is_whole (image), FALSE);
  g_return_val_if_fail (data != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!check_image_size (self, image, size, error) || !stage (self, NULL, size, GABBRO_MEMORY_READBACK, &slice, error))
    return FALSE;
  gabbro_recorder_copy_image (self->recorder, GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER, slice.buffer, slice.offset,
                              gabbro_image_get_resource (image), gabbro_image_get_place (image));
  gabbro_recorder_add_download (self->recorder, slice.pointer, data, size);
  return TRUE;
}

/* Copies on the device. */

/**
 * gabbro_command_list_copy_buffer:
 * @self: a list
 * @source: a buffer of the same device
 * @source_offset: its byte to begin with
 * @destination: a buffer of the same device
 * @destination_offset: its byte to begin with
 * @size: bytes, at least 1
 * @error: return location for an error
 *
 * Records a copy. Within one buffer the two ranges must not overlap. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_copy_buffer (GabbroCommandList *self,
                                 GabbroBuffer *source,
                                 guint64 source_offset,
                                 GabbroBuffer *destination,
                                 guint64 destination_offset,
                                 guint64 size,
                                 GError **error)
{
  struct gabbro_resource *from, *to;
  guint64 at_from, at_to;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (source), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (destination), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error) || !check_buffer (self, source, source_offset, size, error)
      || !check_buffer (self, destination, destination_offset, size, error))
    return FALSE;
  from = gabbro_buffer_get_resource (source);
  to = gabbro_buffer_get_resource (destination);
  at_from = gabbro_buffer_get_offset (source) + source_offset;
  at_to = gabbro_buffer_get_offset (destination) + destination_offset;
  if (from == to && at_from < at_to + size && at_to < at_from + size)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("Bytes %" PRIu64 " and %" PRIu64 " of one buffer are too near for a copy of %" PRIu64 " bytes: the ranges overlap"),
                                     at_from, at_to, size);
  gabbro_recorder_copy_buffer (self->recorder, from, at_from, to, at_to, size);
  return TRUE;
}

static gboolean
check_image_copy (GabbroCommandList *self, GabbroBuffer *buffer, guint64 offset, GabbroImage *image, GError **error)
{
  /* VUID-vkCmdCopyBufferToImage-dstImage-07975, and -commandBuffer-07737 for queues that only copy: the size of a texel, and at
   * least 4; the device's own limit only makes copies faster. */
  guint32 alignment = MAX (4, gb_texel_infos[gabbro_image_get_format (image)].block_size);
  guint64 at = gabbro_buffer_get_offset (buffer) + offset;

  if (!gabbro_command_list_check_recording (self, error) || !check_image (self, image, error)
      || !check_buffer (self, buffer, offset, gabbro_image_get_size (image), error))
    return FALSE;
  if ((at & (alignment - 1)) == 0)
    return TRUE;
  return gabbro_command_list_fail (self, error, GABBRO_ERROR_LIMIT_EXCEEDED,
                                   _("Byte %" PRIu64 " of a buffer cannot be where rows of an image begin: “%s” wants a multiple of %u"),
                                   at, self->core->name, alignment);
}

/**
 * gabbro_command_list_copy_buffer_to_image:
 * @self: a list
 * @source: a buffer of the same device with the rows of the image, without gaps
 * @source_offset: its byte to begin with: a multiple of the size of a texel, or a block, and of 4
 * @destination: an image of the same device
 * @error: return location for an error
 *
 * Records a copy. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_copy_buffer_to_image (GabbroCommandList *self,
                                          GabbroBuffer *source,
                                          guint64 source_offset,
                                          GabbroImage *destination,
                                          GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (source), FALSE);
  g_return_val_if_fail (gabbro_image_is_whole (destination), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!check_image_copy (self, source, source_offset, destination, error))
    return FALSE;
  gabbro_recorder_copy_image (self->recorder, GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE, gabbro_buffer_get_resource (source),
                              gabbro_buffer_get_offset (source) + source_offset, gabbro_image_get_resource (destination),
                              gabbro_image_get_place (destination));
  return TRUE;
}

/**
 * gabbro_command_list_copy_image_to_buffer:
 * @self: a list
 * @source: an image of the same device
 * @destination: a buffer of the same device
 * @destination_offset: its byte to begin with: a multiple of the size of a texel, or a block, and of 4
 * @error: return location for an error
 *
 * Records a copy. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_copy_image_to_buffer (GabbroCommandList *self,
                                          GabbroImage *source,
                                          GabbroBuffer *destination,
                                          guint64 destination_offset,
                                          GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_image_is_whole (source), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (destination), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!check_image_copy (self, destination, destination_offset, source, error))
    return FALSE;
  gabbro_recorder_copy_image (self->recorder, GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER, gabbro_buffer_get_resource (destination),
                              gabbro_buffer_get_offset (destination) + destination_offset, gabbro_image_get_resource (source),
                              gabbro_image_get_place (source));
  return TRUE;
}

/**
 * gabbro_command_list_copy_image:
 * @self: a list
 * @source: an image of the same device
 * @destination: another of the same format and size
 * @error: return location for an error
 *
 * Records a copy. Two levels of one image are two images. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_copy_image (GabbroCommandList *self, GabbroImage *source, GabbroImage *destination, GError **error)
{
  const struct gabbro_image_level *from, *to;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_image_is_whole (source), FALSE);
  g_return_val_if_fail (gabbro_image_is_whole (destination), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error) || !check_image (self, source, error) || !check_image (self, destination, error))
    return FALSE;
  from = gabbro_image_get_place (source);
  to = gabbro_image_get_place (destination);
  if (from->image == to->image && from->level == to->level)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT, _("An image cannot be copied to itself"));
  if (gabbro_image_get_format (source) != gabbro_image_get_format (destination)
      || gabbro_image_get_n_dimensions (source) != gabbro_image_get_n_dimensions (destination) || from->width != to->width
      || from->height != to->height || from->depth != to->depth)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("An image of %u×%u×%u texels of %s cannot be copied to one of %u×%u×%u texels of %s"),
                                     from->width, from->height, from->depth, gb_texel_infos[gabbro_image_get_format (source)].name,
                                     to->width, to->height, to->depth, gb_texel_infos[gabbro_image_get_format (destination)].name);
  gabbro_recorder_copy_image_to_image (self->recorder, gabbro_image_get_resource (source), from,
                                       gabbro_image_get_resource (destination), to);
  return TRUE;
}

/**
 * gabbro_command_list_fill:
 * @self: a list
 * @buffer: a buffer of the same device
 * @offset: its byte to begin with: a multiple of 4 (counted from the start of its memory)
 * @size: bytes, a multiple of 4, at least 4
 * @value: the word to repeat
 * @error: return location for an error
 *
 * Records filling a range with one 32-bit word. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_fill (GabbroCommandList *self, GabbroBuffer *buffer, guint64 offset, guint64 size, guint32 value, GError **error)
{
  guint64 at;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (buffer), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error) || !check_buffer (self, buffer, offset, size, error))
    return FALSE;
  at = gabbro_buffer_get_offset (buffer) + offset;
  if (at % 4 != 0 || size % 4 != 0)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("A fill of %" PRIu64 " bytes from byte %" PRIu64 " on is not one of whole 4-byte words"), size, at);
  gabbro_recorder_fill (self->recorder, gabbro_buffer_get_resource (buffer), at, size, value);
  return TRUE;
}

/* The end of recording. */

/**
 * gabbro_command_list_add_completion: (skip)
 * @self: a list
 * @function: (scope notified) (closure user_data) (destroy destroy): called when a submission
 *   of the list has completed
 * @user_data: for @function
 * @destroy: (nullable): called with @user_data when the list is done with it
 * @error: return location for an error
 *
 * For C programs that cannot use a main loop. @function runs on the device's watcher thread, where
 * no binding's interpreter can run: they have the signal #GabbroCommandList::completed and
 * gabbro_stream_run_async() instead. Not thread-safe; does not block.
 *
 * Returns: whether it was added; @destroy is not called otherwise
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_add_completion (GabbroCommandList *self,
                                    GabbroCompletionFunc function,
                                    gpointer user_data,
                                    GDestroyNotify destroy,
                                    GError **error)
{
  struct gabbro_completion completion = { function, user_data, destroy };

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (function != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error))
    return FALSE;
  g_array_append_val (self->recorder->completions, completion);
  return TRUE;
}

static gboolean
check_failure (GabbroCommandList *self, GError **error)
{
  if (self->failure == NULL)
    return TRUE;
  if (error != NULL)
    {
      *error = g_error_copy (self->failure);
      g_prefix_error (error, "%s: ", _("The list could not be recorded"));
    }
  return FALSE;
}

static gboolean
check_queue (GabbroCommandList *self, guint queue, GError **error)
{
  if (self->recorder->dispatches->len == 0 || (self->core->driver->queues[queue].flags & GABBRO_QUEUE_COMPUTE))
    return TRUE;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED, _("Queue %u of “%s” only copies and cannot run the %u dispatches of the list"),
               queue, self->core->name, self->recorder->dispatches->len);
  return FALSE;
}

/**
 * gabbro_command_list_freeze:
 * @self: a list
 * @queue: (nullable): the queue on which it will run, or %NULL for queue 0
 * @error: return location for an error
 *
 * Makes the list ready to be submitted any number of times, to streams on @queue, at the
 * least cost. Nothing can be recorded to it any more. A list with downloads cannot be
 * frozen: copy to a buffer and map that.
 *
 * Not thread-safe; does not block.
 *
 * Returns: whether it was frozen
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_freeze (GabbroCommandList *self, GabbroQueue *queue, GError **error)
{
  GError *failure = NULL;
  guint index;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (queue == NULL || gabbro_queue_is_whole (queue), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error) || !check_failure (self, error) || !gabbro_device_check (self->device, error))
    return FALSE;
  if (queue != NULL && !gabbro_queue_is_of (queue, self->device))
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_WRONG_DEVICE, _("The queue belongs to another device than the list"));
      return FALSE;
    }
  if (self->recorder->downloads->len > 0)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE,
                   _("A list with downloads (%u of them) cannot be frozen: copy to a buffer and map that"), self->recorder->downloads->len);
      return FALSE;
    }
  index = queue != NULL ? gabbro_queue_get_index (queue) : 0;
  if (!check_queue (self, index, error))
    return FALSE;
  /* A list that could not be frozen names slices that are gone: it is spoilt. */
  if (!gabbro_recorder_freeze (self->recorder, index, &failure))
    return fail_with (self, failure, error);
  return TRUE;
}

/* The signal of a submission. */

struct gabbro_notice
{
  GabbroCommandList *list;
  GError *error;
};

static void
notice_free (gpointer data)
{
  struct gabbro_notice *notice = data;

  g_clear_error (&notice->error);
  g_object_unref (notice->list);
  g_free (notice);
}

static gboolean
emit_completed (gpointer data)
{
  const struct gabbro_notice *notice = data;

  if (!gabbro_core_is_foreign (notice->list->core))
    g_signal_emit (notice->list, signals[COMPLETED], 0, notice->error);
  return G_SOURCE_REMOVE;
}

void
gabbro_notice_set_error (struct gabbro_notice *notice, const GError *error)
{
  g_clear_error (&notice->error);
  notice->error = g_error_copy (error);
}

void
gabbro_notice_send (struct gabbro_notice *notice)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "gabbro-notice");
  g_source_set_callback (source, emit_completed, notice, notice_free);
  g_source_attach (source, notice->list->main_context);
  g_source_unref (source);
}

static gboolean
prepare_submit (GabbroCommandList *self, guint queue, GError **error)
{
  struct gabbro_recorder *recorder = self->recorder;

  if (recorder->state == GABBRO_RECORDER_FROZEN)
    {
      if (recorder->queue == queue)
        return gabbro_recorder_refresh (recorder, error);
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE, _("The list was frozen for queue %u, the stream runs on queue %u"),
                   recorder->queue, queue);
      return FALSE;
    }
  if (recorder->state == GABBRO_RECORDER_FINISHED)
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE,
                           _("The list has been submitted; only a frozen list can be submitted again"));
      return FALSE;
    }
  if (!check_failure (self, error) || !check_queue (self, queue, error))
    return FALSE;
  gabbro_recorder_finish (recorder);
  return TRUE;
}

gboolean
gabbro_command_list_prepare_submit (GabbroCommandList *self, guint queue, GError **error)
{
  if (!prepare_submit (self, queue, error))
    return FALSE;
  if (G_UNLIKELY (gabbro_has_handler (self, signals[COMPLETED], NULL)))
    {
      self->recorder->notice = g_new0 (struct gabbro_notice, 1);
      self->recorder->notice->list = g_object_ref (self);
    }
  return TRUE;
}

void
gabbro_command_list_end_submit (struct gabbro_recorder *recorder)
{
  /* It is still there if the stream has taken nothing. */
  g_clear_pointer (&recorder->notice, notice_free);
  gabbro_recorder_unref (recorder);
}

/**
 * gabbro_command_list_is_frozen:
 * @self: a list
 *
 * Asks whether a list was frozen and can be submitted again. Not thread-safe; does not block.
 *
 * Returns: whether it is frozen
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_is_frozen (GabbroCommandList *self)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);

  return self->recorder->state == GABBRO_RECORDER_FROZEN;
}

/**
 * gabbro_command_list_get_n_commands:
 * @self: a list
 *
 * Counts the commands of a list. Not thread-safe; does not block.
 *
 * Returns: commands that the device will be given so far: a dispatch with more workgroups than
 *   the device takes at once counts once for each of its parts
 *
 * Since: 0.1
 */
guint
gabbro_command_list_get_n_commands (GabbroCommandList *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->recorder->n_commands;
}

/**
 * gabbro_command_list_get_n_barriers:
 * @self: a list
 *
 * Counts the barriers that the commands of a list need. Not thread-safe; does not block.
 *
 * Returns: memory barriers between the commands recorded so far
 *
 * Since: 0.1
 */
guint
gabbro_command_list_get_n_barriers (GabbroCommandList *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return hazard_tracker_n_barriers (&self->recorder->tracker);
}

/**
 * gabbro_command_list_explain_barriers:
 * @self: a list
 *
 * Says of each barrier which command waits for which, and for which bytes of what. Not thread-safe; does
 * not block.
 *
 * Returns: (transfer full): a line for each barrier, in the user's language
 *
 * Since: 0.1
 */
char **
gabbro_command_list_explain_barriers (GabbroCommandList *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return gabbro_recorder_explain (self->recorder);
}
