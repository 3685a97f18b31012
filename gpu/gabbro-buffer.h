/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_BUFFER_H
#define GABBRO_BUFFER_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_BUFFER (gabbro_buffer_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroBuffer, gabbro_buffer, GABBRO, BUFFER, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroBuffer  *gabbro_buffer_new              (GabbroDevice   *device,
                                               const char     *element_type,
                                               guint64         length,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GabbroBuffer  *gabbro_buffer_new_bytes        (GabbroDevice   *device,
                                               guint64         size,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GabbroBuffer  *gabbro_buffer_new_for_argument (GabbroDevice   *device,
                                               GabbroKernel   *kernel,
                                               guint           argument,
                                               guint64         length,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GabbroBuffer  *gabbro_buffer_new_view         (GabbroBuffer   *self,
                                               guint64         first,
                                               guint64         length,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice  *gabbro_buffer_get_device       (GabbroBuffer   *self);
GABBRO_AVAILABLE_IN_0_1
const char    *gabbro_buffer_get_element_type (GabbroBuffer   *self);
GABBRO_AVAILABLE_IN_0_1
guint64        gabbro_buffer_get_element_size (GabbroBuffer   *self);
GABBRO_AVAILABLE_IN_0_1
guint64        gabbro_buffer_get_length       (GabbroBuffer   *self);
GABBRO_AVAILABLE_IN_0_1
guint64        gabbro_buffer_get_size         (GabbroBuffer   *self);
GABBRO_AVAILABLE_IN_0_1
guint64        gabbro_buffer_get_offset       (GabbroBuffer   *self);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_buffer_upload           (GabbroBuffer   *self,
                                               guint64         offset,
                                               gconstpointer   data,
                                               gsize           size,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_buffer_upload_bytes     (GabbroBuffer   *self,
                                               guint64         offset,
                                               GBytes         *bytes,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
void           gabbro_buffer_upload_bytes_async (GabbroBuffer *self,
                                               guint64         offset,
                                               GBytes         *bytes,
                                               GCancellable   *cancellable,
                                               GAsyncReadyCallback callback,
                                               gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_buffer_upload_bytes_finish (GabbroBuffer *self,
                                               GAsyncResult   *result,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_buffer_download         (GabbroBuffer   *self,
                                               guint64         offset,
                                               gpointer        data,
                                               gsize           size,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GBytes        *gabbro_buffer_download_bytes   (GabbroBuffer   *self,
                                               guint64         offset,
                                               gsize           size,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
void           gabbro_buffer_download_bytes_async (GabbroBuffer *self,
                                               guint64         offset,
                                               gsize           size,
                                               GCancellable   *cancellable,
                                               GAsyncReadyCallback callback,
                                               gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
GBytes        *gabbro_buffer_download_bytes_finish (GabbroBuffer *self,
                                               GAsyncResult   *result,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GabbroMapping *gabbro_buffer_map              (GabbroBuffer   *self,
                                               GabbroMapFlags  flags,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
void           gabbro_buffer_map_async        (GabbroBuffer   *self,
                                               GabbroMapFlags  flags,
                                               GCancellable   *cancellable,
                                               GAsyncReadyCallback callback,
                                               gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroMapping *gabbro_buffer_map_finish       (GabbroBuffer   *self,
                                               GAsyncResult   *result,
                                               GError        **error);

G_END_DECLS

#endif
