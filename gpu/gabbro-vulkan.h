/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For programs that use Vulkan beside Gabbro: handles out, and buffers and images in. Not
 * part of <gabbro/gabbro.h> and of the introspection data; needs the headers of Vulkan. With
 * VK_NO_PROTOTYPES set before, it declares types alone. */

#ifndef GABBRO_VULKAN_H
#define GABBRO_VULKAN_H

#include <gabbro/gabbro.h>
#include <vulkan/vulkan.h>

G_BEGIN_DECLS

/**
 * GABBRO_VULKAN_BUFFER_USAGE: (skip)
 *
 * What a VkBuffer has to allow for gabbro_vulkan_buffer_new_for_handle().
 *
 * Since: 0.1
 */
#define GABBRO_VULKAN_BUFFER_USAGE \
  ((VkBufferUsageFlags) (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT \
                         | VK_BUFFER_USAGE_TRANSFER_DST_BIT))

/**
 * GABBRO_VULKAN_IMAGE_USAGE: (skip)
 *
 * What a VkImage has to allow for gabbro_vulkan_image_new_for_handle().
 *
 * Since: 0.1
 */
#define GABBRO_VULKAN_IMAGE_USAGE \
  ((VkImageUsageFlags) (VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT \
                        | VK_IMAGE_USAGE_TRANSFER_DST_BIT))

GABBRO_AVAILABLE_IN_0_1
PFN_vkGetInstanceProcAddr gabbro_vulkan_adapter_get_instance_proc_addr (GabbroAdapter       *adapter,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
VkInstance                gabbro_vulkan_adapter_get_instance           (GabbroAdapter       *adapter,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
VkPhysicalDevice          gabbro_vulkan_adapter_get_physical_device    (GabbroAdapter       *adapter,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
VkDevice                  gabbro_vulkan_device_get_handle              (GabbroDevice        *device,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
VkQueue                   gabbro_vulkan_queue_get_handle               (GabbroQueue         *queue,
                                                                        guint32             *family,
                                                                        guint32             *index,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
gboolean                  gabbro_vulkan_queue_lock                     (GabbroQueue         *queue,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
void                      gabbro_vulkan_queue_unlock                   (GabbroQueue         *queue);
GABBRO_AVAILABLE_IN_0_1
VkBuffer                  gabbro_vulkan_buffer_get_handle              (GabbroBuffer        *buffer,
                                                                        VkDeviceSize        *offset,
                                                                        VkDeviceSize        *size,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
GabbroBuffer             *gabbro_vulkan_buffer_new_for_handle          (GabbroDevice        *device,
                                                                        VkBuffer             handle,
                                                                        VkDeviceSize         offset,
                                                                        VkDeviceSize         size,
                                                                        VkBufferUsageFlags   usage,
                                                                        const char          *element_type,
                                                                        GDestroyNotify       released,
                                                                        gpointer             user_data,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
VkImage                   gabbro_vulkan_image_get_handle               (GabbroImage         *image,
                                                                        VkFormat            *format,
                                                                        VkImageLayout       *layout,
                                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
GabbroImage              *gabbro_vulkan_image_new_for_handle           (GabbroDevice        *device,
                                                                        VkImage              handle,
                                                                        VkFormat             format,
                                                                        guint                width,
                                                                        guint                height,
                                                                        VkImageUsageFlags    usage,
                                                                        GDestroyNotify       released,
                                                                        gpointer             user_data,
                                                                        GError             **error);

G_END_DECLS

#endif
