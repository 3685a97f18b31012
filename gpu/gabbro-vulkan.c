/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one file of the library proper that knows Vulkan's types, and no more of it than
 * those: nothing here calls Vulkan. */

#include "config.h"

#ifndef VK_NO_PROTOTYPES
# define VK_NO_PROTOTYPES 1
#endif
#include <gabbro/gabbro-vulkan.h>

#include <inttypes.h>

#include "gpu/command/recorder.h"
#include "gpu/command/wait.h"
#include "gpu/element-type.h"
#include "gpu/gabbro-private.h"
#include "lib/checked.h"

/**
 * SECTION:gabbro-vulkan
 * @title: Vulkan interoperation
 * @include: gabbro/gabbro-vulkan.h
 *
 * For programs that use Vulkan beside Gabbro, on the VkDevice that Gabbro made. (To have
 * Gabbro work on a VkDevice that somebody else made is not offered: it needs features and
 * queues of its own choice.) All of it is C alone: it is not in the introspection data.
 *
 * Functions of Vulkan have to come from gabbro_vulkan_adapter_get_instance_proc_addr(),
 * since Gabbro may talk to a Vulkan driver without the loader. The instance and the device
 * are of Vulkan 1.3; of features that are no matter of course timelineSemaphore and
 * synchronization2 are enabled. Handles that come out are borrowed: never destroy them, and
 * keep the object from which one came as long as it is used. They stay the same for the
 * life of the object.
 *
 * What Gabbro does not know of it does not wait for. Work that an application submits
 * itself and that uses resources of Gabbro, or resources that it has lent to Gabbro, has to
 * be ordered by the application:
 *
 * - The host waits. Work of Gabbro is done when gabbro_stream_synchronize() or the like has
 *   returned; all its writes are then available, and visible to the host.
 * - Or both use one queue, the application under gabbro_vulkan_queue_lock(). Every command
 *   list of Gabbro begins with a barrier from all commands and memory writes before it to
 *   all of its own; so the application's work is seen by lists that are submitted after
 *   it. The other way round the application's command buffer has to begin with such a
 *   barrier, and lists that it builds on must have been handed to Vulkan: a list that waits
 *   for a #GabbroEvent has perhaps not been.
 * - gabbro_buffer_download(), gabbro_buffer_upload() and gabbro_buffer_map() may touch the
 *   memory directly and wait for work of Gabbro alone.
 *
 * Images of Gabbro and images that are lent to it stay in VK_IMAGE_LAYOUT_GENERAL. Work of
 * the application has to leave them in it.
 */

/* False with an error in a forked child and for drivers that do not stand on Vulkan. */
static gboolean
get_native (struct gabbro_core *core, enum gabbro_native_kind kind, uint64_t object, struct gabbro_native *out, GError **error)
{
  GError *driver_error = NULL;

  if (!gabbro_core_check (core, error))
    return FALSE;
  if (core->ops->get_native == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED, _("The driver of “%s” does not use Vulkan"), core->name);
      return FALSE;
    }
  if (core->ops->get_native (core->driver, kind, object, out, &driver_error))
    return TRUE;
  gabbro_core_translate_error (core, driver_error, error, _("Vulkan's handles on “%s”"), core->name);
  return FALSE;
}

static uint64_t
get_adapter_native (GabbroAdapter *adapter, enum gabbro_native_kind kind, GError **error)
{
  uint64_t handle = 0;

  return gabbro_adapter_get_native (adapter, kind, &handle, error) ? handle : 0;
}

/**
 * gabbro_vulkan_adapter_get_instance_proc_addr: (skip)
 * @adapter: an adapter
 * @error: return location for an error
 *
 * Where every function of Vulkan comes from that is called with the handles of this adapter
 * and of its devices. Thread-safe; does not block.
 *
 * Returns: vkGetInstanceProcAddr of the loader, or of the Vulkan driver itself; or %NULL:
 *   %GABBRO_ERROR_NOT_SUPPORTED for an adapter of another driver, %GABBRO_ERROR_WRONG_PROCESS
 *
 * Since: 0.1
 */
PFN_vkGetInstanceProcAddr
gabbro_vulkan_adapter_get_instance_proc_addr (GabbroAdapter *adapter, GError **error)
{
  g_return_val_if_fail (gabbro_adapter_is_whole (adapter), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return (PFN_vkGetInstanceProcAddr) (uintptr_t) get_adapter_native (adapter, GABBRO_NATIVE_VULKAN_GET_INSTANCE_PROC_ADDR, error);
}

/**
 * gabbro_vulkan_adapter_get_instance: (skip)
 * @adapter: an adapter
 * @error: return location for an error
 *
 * The instance lives as long as the context of the adapter and its devices. Adapters of one
 * context may have different ones. Thread-safe; does not block.
 *
 * Returns: (transfer none): the VkInstance, or %VK_NULL_HANDLE: %GABBRO_ERROR_NOT_SUPPORTED
 *   for an adapter of another driver, %GABBRO_ERROR_WRONG_PROCESS
 *
 * Since: 0.1
 */
VkInstance
gabbro_vulkan_adapter_get_instance (GabbroAdapter *adapter, GError **error)
{
  g_return_val_if_fail (gabbro_adapter_is_whole (adapter), VK_NULL_HANDLE);
  g_return_val_if_fail (error == NULL || *error == NULL, VK_NULL_HANDLE);

  return (VkInstance) (uintptr_t) get_adapter_native (adapter, GABBRO_NATIVE_VULKAN_INSTANCE, error);
}

/**
 * gabbro_vulkan_adapter_get_physical_device: (skip)
 * @adapter: an adapter
 * @error: return location for an error
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none): the VkPhysicalDevice, or %VK_NULL_HANDLE:
 *   %GABBRO_ERROR_NOT_SUPPORTED for an adapter of another driver, %GABBRO_ERROR_WRONG_PROCESS
 *
 * Since: 0.1
 */
VkPhysicalDevice
gabbro_vulkan_adapter_get_physical_device (GabbroAdapter *adapter, GError **error)
{
  g_return_val_if_fail (gabbro_adapter_is_whole (adapter), VK_NULL_HANDLE);
  g_return_val_if_fail (error == NULL || *error == NULL, VK_NULL_HANDLE);

  return (VkPhysicalDevice) (uintptr_t) get_adapter_native (adapter, GABBRO_NATIVE_VULKAN_PHYSICAL_DEVICE, error);
}

/**
 * gabbro_vulkan_device_get_handle: (skip)
 * @device: a device
 * @error: return location for an error
 *
 * A device that was lost still has its handle. The VkDevice lives as long as @device and
 * anything of it that is in flight. Thread-safe; does not block.
 *
 * Returns: (transfer none): the VkDevice, or %VK_NULL_HANDLE: %GABBRO_ERROR_NOT_SUPPORTED
 *   for a device of another driver, %GABBRO_ERROR_WRONG_PROCESS
 *
 * Since: 0.1
 */
VkDevice
gabbro_vulkan_device_get_handle (GabbroDevice *device, GError **error)
{
  struct gabbro_native native = { 0 };

  g_return_val_if_fail (gabbro_device_is_whole (device), VK_NULL_HANDLE);
  g_return_val_if_fail (error == NULL || *error == NULL, VK_NULL_HANDLE);

  get_native (gabbro_device_get_core (device), GABBRO_NATIVE_VULKAN_DEVICE, 0, &native, error);
  return (VkDevice) (uintptr_t) native.handle;
}

/* The inside of the queue's device, which the caller keeps. */
static struct gabbro_core *
queue_core (GabbroQueue *queue, GError **error)
{
  GabbroDevice *device = gabbro_queue_dup_device (queue);
  struct gabbro_core *core;

  if (device != NULL)
    {
      core = gabbro_device_get_core (device);
      g_object_unref (device);
      return core;
    }
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE, _("The device of the queue is gone"));
  return NULL;
}

/**
 * gabbro_vulkan_queue_get_handle: (skip)
 * @queue: a queue of a device that the caller keeps
 * @family: (out) (optional): its queue family
 * @index: (out) (optional): its number in the family
 * @error: return location for an error
 *
 * Nothing but Gabbro may use the VkQueue outside of gabbro_vulkan_queue_lock() and
 * gabbro_vulkan_queue_unlock(). Thread-safe; does not block.
 *
 * Returns: (transfer none): the VkQueue, or %VK_NULL_HANDLE: %GABBRO_ERROR_NOT_SUPPORTED
 *   for a queue of another driver, %GABBRO_ERROR_INVALID_STATE when the device is gone,
 *   %GABBRO_ERROR_WRONG_PROCESS
 *
 * Since: 0.1
 */
VkQueue
gabbro_vulkan_queue_get_handle (GabbroQueue *queue, guint32 *family, guint32 *index, GError **error)
{
  struct gabbro_native native = { 0 };
  struct gabbro_core *core;

  g_return_val_if_fail (gabbro_queue_is_whole (queue), VK_NULL_HANDLE);
  g_return_val_if_fail (error == NULL || *error == NULL, VK_NULL_HANDLE);

  core = queue_core (queue, error);
  if (core == NULL || !get_native (core, GABBRO_NATIVE_VULKAN_QUEUE, gabbro_queue_get_index (queue), &native, error))
    return VK_NULL_HANDLE;
  if (family != NULL)
    *family = native.family;
  if (index != NULL)
    *index = native.index;
  return (VkQueue) (uintptr_t) native.handle;
}

/**
 * gabbro_vulkan_queue_lock: (skip)
 * @queue: a queue of a device that the caller keeps until it has unlocked the queue
 * @error: return location for an error
 *
 * Keeps Gabbro from submitting to the VkQueue, so that the caller may: vkQueueSubmit2() and
 * other functions that want the queue for themselves alone. The lock is not recursive.
 * Until gabbro_vulkan_queue_unlock(), by the same thread, that thread may call no function
 * of Gabbro but those of this header that only read, and other threads that submit to the
 * queue wait. So hold it for the call and not for the work.
 *
 * Thread-safe; blocks while another thread has the queue.
 *
 * Returns: whether the queue was locked: %FALSE with %GABBRO_ERROR_NOT_SUPPORTED for a
 *   queue of another driver, %GABBRO_ERROR_INVALID_STATE when the device is gone,
 *   %GABBRO_ERROR_WRONG_PROCESS
 *
 * Since: 0.1
 */
gboolean
gabbro_vulkan_queue_lock (GabbroQueue *queue, GError **error)
{
  struct gabbro_native native;
  struct gabbro_core *core;

  g_return_val_if_fail (gabbro_queue_is_whole (queue), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  core = queue_core (queue, error);
  if (core == NULL || !get_native (core, GABBRO_NATIVE_VULKAN_QUEUE, gabbro_queue_get_index (queue), &native, error))
    return FALSE;
  if (core->ops->queue_lock == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED, _("The driver of “%s” cannot lock its queues"), core->name);
      return FALSE;
    }
  core->ops->queue_lock (core->driver, gabbro_queue_get_index (queue));
  return TRUE;
}

/**
 * gabbro_vulkan_queue_unlock: (skip)
 * @queue: a queue that this thread has locked
 *
 * Ends what gabbro_vulkan_queue_lock() began. Does nothing in a forked child. Thread-safe, but only the
 * thread that locked the queue may unlock it; does not block.
 *
 * Since: 0.1
 */
void
gabbro_vulkan_queue_unlock (GabbroQueue *queue)
{
  struct gabbro_core *core;

  g_return_if_fail (gabbro_queue_is_whole (queue));

  core = queue_core (queue, NULL);
  if (core != NULL && !gabbro_core_is_foreign (core) && core->ops->queue_unlock != NULL)
    core->ops->queue_unlock (core->driver, gabbro_queue_get_index (queue));
}

/**
 * gabbro_vulkan_buffer_get_handle: (skip)
 * @buffer: a buffer
 * @offset: (out): the byte of the VkBuffer with which @buffer begins
 * @size: (out) (optional): bytes of @buffer
 * @error: return location for an error
 *
 * Views and other buffers may lie in the same VkBuffer. Its usage is
 * %GABBRO_VULKAN_BUFFER_USAGE; where the queues of the device are of several families, its
 * sharing mode is concurrent between them. Thread-safe; does not block.
 *
 * Returns: (transfer none): the VkBuffer, or %VK_NULL_HANDLE: %GABBRO_ERROR_NOT_SUPPORTED
 *   for a buffer of another driver, %GABBRO_ERROR_WRONG_PROCESS
 *
 * Since: 0.1
 */
VkBuffer
gabbro_vulkan_buffer_get_handle (GabbroBuffer *buffer, VkDeviceSize *offset, VkDeviceSize *size, GError **error)
{
  struct gabbro_resource *resource;
  struct gabbro_native native;

  g_return_val_if_fail (gabbro_buffer_is_whole (buffer), VK_NULL_HANDLE);
  g_return_val_if_fail (offset != NULL, VK_NULL_HANDLE);
  g_return_val_if_fail (error == NULL || *error == NULL, VK_NULL_HANDLE);

  resource = gabbro_buffer_get_resource (buffer);
  g_return_val_if_fail (resource != NULL, VK_NULL_HANDLE);
  if (!get_native (resource->core, GABBRO_NATIVE_VULKAN_BUFFER, resource->handle, &native, error))
    return VK_NULL_HANDLE;
  *offset = native.offset + gabbro_buffer_get_offset (buffer);
  if (size != NULL)
    *size = gabbro_buffer_get_size (buffer);
  return (VkBuffer) native.handle;
}

static gboolean
check_usage (guint32 usage, guint32 needed, const char *type, GError **error)
{
  if ((usage & needed) == needed)
    return TRUE;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
               _("The %s was created with the usage flags 0x%x and lacks 0x%x; all of 0x%x are needed"), type, usage, needed & ~usage,
               needed);
  return FALSE;
}

static gboolean
check_wrapped_range (struct gabbro_core *core, guint64 offset, guint64 size, guint64 element_size, GError **error)
{
  uint64_t end;

  if (size == 0 || offset % 4 != 0 || size % 4 != 0 || offset % element_size != 0 || size % element_size != 0)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("%" PRIu64 " bytes from byte %" PRIu64 " of a VkBuffer on cannot be a buffer: both have to be multiples of 4 "
                     "and of the %" PRIu64 " bytes of an element, and the size not 0"), size, offset, element_size);
      return FALSE;
    }
  if (gb_checked_add (offset, size, &end) && end <= core->limits.max_buffer_size)
    return TRUE;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_LIMIT_EXCEEDED,
               _("%" PRIu64 " bytes from byte %" PRIu64 " of a VkBuffer on are more than “%s” allows: %" PRIu64 " bytes"),
               size, offset, core->name, (guint64) core->limits.max_buffer_size);
  return FALSE;
}

/**
 * gabbro_vulkan_buffer_new_for_handle: (skip)
 * @device: a device
 * @handle: a buffer of its VkDevice, with memory bound to it
 * @offset: the byte of @handle to begin with: a multiple of 4 and of the size of an element
 * @size: bytes, likewise; not 0
 * @usage: what @handle was created with: at least %GABBRO_VULKAN_BUFFER_USAGE
 * @element_type: (nullable): the type of its elements as for gabbro_buffer_new(), or %NULL
 *   for plain bytes
 * @released: (nullable) (scope async): called when nothing uses @handle any more
 * @user_data: for @released
 * @error: return location for an error
 *
 * Makes a buffer of Gabbro out of one of the caller's. It can do what any other can;
 * gabbro_buffer_map() makes a copy.
 *
 * @handle stays the caller's, who keeps it and its memory as they are until @released is
 * called. That happens once: when the new buffer, its views and all lists that use them
 * are gone and nothing in flight uses @handle, on the thread that drops the last of them.
 * This is often a thread of Gabbro, on which nothing may block and no device be waited for.
 * The VkDevice still exists then, and @handle and its memory may be destroyed at once.
 * @released is not called when this function fails, in a forked child, and for a device
 * that was closed while its work did not end (which is reported, and all of it leaked).
 *
 * Hazards are known by the new buffer and its views: make one for each stretch of memory,
 * and views of it, not two that overlap. Where the queues of @device are of several
 * families, @handle has to be of concurrent sharing mode between them or be used by streams
 * of one family alone. See above for the order of Gabbro's work and the caller's.
 *
 * Thread-safe; does not wait for the device.
 *
 * Returns: (transfer full): a new buffer, or %NULL: %GABBRO_ERROR_INVALID_ARGUMENT,
 *   %GABBRO_ERROR_LIMIT_EXCEEDED, %GABBRO_ERROR_NOT_SUPPORTED for a device of another
 *   driver, %GABBRO_ERROR_WRONG_PROCESS, %GABBRO_ERROR_DEVICE_LOST
 *
 * Since: 0.1
 */
GabbroBuffer *
gabbro_vulkan_buffer_new_for_handle (GabbroDevice *device, VkBuffer handle, VkDeviceSize offset, VkDeviceSize size,
                                     VkBufferUsageFlags usage, const char *element_type, GDestroyNotify released,
                                     gpointer user_data, GError **error)
{
  struct gabbro_element_type type = { NULL, NULL, 1 };
  struct gabbro_resource *resource;
  struct gabbro_core *core;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (handle != VK_NULL_HANDLE, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  core = gabbro_device_get_core (device);
  g_return_val_if_fail (core != NULL, NULL);
  if (!gabbro_device_check (device, error)
      || (element_type != NULL && !gabbro_element_type_parse (element_type, &type, error))
      || !check_usage (usage, GABBRO_VULKAN_BUFFER_USAGE, "VkBuffer", error)
      || !check_wrapped_range (core, offset, size, type.size, error))
    return NULL;
  resource = gabbro_resource_wrap_buffer (core, GABBRO_NATIVE_VULKAN_BUFFER, (uint64_t) handle, offset + size, released, user_data,
                                          error);
  return resource != NULL ? gabbro_buffer_new_of_resource (device, resource, &type, size / type.size, offset) : NULL;
}

/* Brings an image that nothing has used into its layout, by a list that does nothing else. */
static gboolean
touch_image (struct gabbro_resource *image, GError **error)
{
  struct gabbro_wait wait = { 0 };
  struct gabbro_stream_core *stream;
  struct gabbro_recorder *recorder;
  gboolean ok;

  if (!gabbro_core_check_alive (image->core, error))
    return FALSE;
  stream = gabbro_stream_core_new (image->core, 0);
  recorder = gabbro_recorder_new (image->core);
  gabbro_recorder_touch_image (recorder, image);
  gabbro_recorder_finish (recorder);
  ok = gabbro_stream_core_submit (stream, recorder, error);
  gabbro_recorder_unref (recorder);
  gabbro_wait_init_stream (&wait, stream);
  ok = ok && gabbro_wait_block (&wait, -1, error);
  gabbro_stream_core_release (stream);
  return ok;
}

/**
 * gabbro_vulkan_image_get_handle: (skip)
 * @image: an image
 * @format: (out) (optional): its format
 * @layout: (out) (optional): its layout: VK_IMAGE_LAYOUT_GENERAL
 * @error: return location for an error
 *
 * The image has one layer and one sample, and the usage %GABBRO_VULKAN_IMAGE_USAGE as far as its
 * format allows that on the device. Of a view it is the whole image. It is in @layout as soon as what was submitted to Gabbro
 * before is done; an image that nothing has used is brought into it by this call. The
 * application has to leave it there. Thread-safe; blocks for an image that nothing has used.
 *
 * Returns: (transfer none): the VkImage, or %VK_NULL_HANDLE: %GABBRO_ERROR_NOT_SUPPORTED
 *   for an image of another driver, %GABBRO_ERROR_WRONG_PROCESS, %GABBRO_ERROR_DEVICE_LOST
 *
 * Since: 0.1
 */
VkImage
gabbro_vulkan_image_get_handle (GabbroImage *image, VkFormat *format, VkImageLayout *layout, GError **error)
{
  struct gabbro_resource *resource;
  struct gabbro_native native;

  g_return_val_if_fail (gabbro_image_is_whole (image), VK_NULL_HANDLE);
  g_return_val_if_fail (error == NULL || *error == NULL, VK_NULL_HANDLE);

  resource = gabbro_image_get_resource (image);
  g_return_val_if_fail (resource != NULL, VK_NULL_HANDLE);
  if (!get_native (resource->core, GABBRO_NATIVE_VULKAN_IMAGE, resource->handle, &native, error))
    return VK_NULL_HANDLE;
  if (native.layout != VK_IMAGE_LAYOUT_GENERAL
      && (!touch_image (resource, error)
          || !get_native (resource->core, GABBRO_NATIVE_VULKAN_IMAGE, resource->handle, &native, error)))
    return VK_NULL_HANDLE;
  if (format != NULL)
    *format = (VkFormat) native.format;
  if (layout != NULL)
    *layout = (VkImageLayout) native.layout;
  return (VkImage) native.handle;
}

static const VkFormat formats[GB_N_TEXEL_FORMATS] = {
#define GB_TEXEL(NAME, name, block, side, n, component, vulkan) [GB_TEXEL_##NAME] = VK_FORMAT_##vulkan,
#include "lib/texel.def"
#undef GB_TEXEL
};

static gboolean
find_format (VkFormat vulkan, enum gb_texel_format *out, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i] == vulkan)
      {
        *out = (enum gb_texel_format) i;
        return TRUE;
      }
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
               _("Images of VkFormat %d are unknown here: those of GabbroFormat are known"), (int) vulkan);
  return FALSE;
}

/**
 * gabbro_vulkan_image_new_for_handle: (skip)
 * @device: a device
 * @handle: an image of its VkDevice, with memory bound to it: two-dimensional, with one mip
 *   level, one layer and one sample, in VK_IMAGE_LAYOUT_GENERAL
 * @format: its format: one of those of #GabbroFormat, and one that allows @usage
 * @width: texels of a row
 * @height: rows
 * @usage: what @handle was created with: at least %GABBRO_VULKAN_IMAGE_USAGE
 * @released: (nullable) (scope async): called when nothing uses @handle any more
 * @user_data: for @released
 * @error: return location for an error
 *
 * Makes an image of Gabbro out of one of the caller's. Who owns @handle, when and where
 * @released is called, sharing mode, hazards and order are as for
 * gabbro_vulkan_buffer_new_for_handle(). The transition of @handle into its layout has to be
 * ordered before Gabbro's work too. When @released is called the image is in
 * VK_IMAGE_LAYOUT_GENERAL.
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): a new image, or %NULL: %GABBRO_ERROR_INVALID_ARGUMENT,
 *   %GABBRO_ERROR_LIMIT_EXCEEDED, %GABBRO_ERROR_NOT_SUPPORTED for another format and for a
 *   device of another driver, %GABBRO_ERROR_OUT_OF_MEMORY, %GABBRO_ERROR_WRONG_PROCESS,
 *   %GABBRO_ERROR_DEVICE_LOST
 *
 * Since: 0.1
 */
GabbroImage *
gabbro_vulkan_image_new_for_handle (GabbroDevice *device, VkImage handle, VkFormat format, guint width, guint height,
                                    VkImageUsageFlags usage, GDestroyNotify released, gpointer user_data, GError **error)
{
  struct gabbro_image_request request = { .width = width, .height = height, .n_levels = 1 };
  struct gabbro_resource *resource;
  guint64 size;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (gabbro_device_get_core (device) != NULL, NULL);
  g_return_val_if_fail (handle != VK_NULL_HANDLE, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (device, error) || !find_format (format, &request.format, error)
      || !check_usage (usage, GABBRO_VULKAN_IMAGE_USAGE, "VkImage", error)
      || !gabbro_image_check_request (device, &request, &size, error))
    return NULL;
  resource = gabbro_resource_wrap_image (gabbro_device_get_core (device), GABBRO_NATIVE_VULKAN_IMAGE, (uint64_t) handle, &request,
                                         size, released, user_data, error);
  return resource != NULL ? gabbro_image_new_of_resource (device, resource, &request) : NULL;
}
