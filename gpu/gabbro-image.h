/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_IMAGE_H
#define GABBRO_IMAGE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_IMAGE (gabbro_image_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroImage, gabbro_image, GABBRO, IMAGE, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroImage  *gabbro_image_new_2d         (GabbroDevice  *device,
                                           GabbroFormat   format,
                                           guint          width,
                                           guint          height,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
GabbroImage  *gabbro_image_new_3d         (GabbroDevice  *device,
                                           GabbroFormat   format,
                                           guint          width,
                                           guint          height,
                                           guint          depth,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
GabbroImage  *gabbro_image_new_with_levels (GabbroDevice *device,
                                           GabbroFormat   format,
                                           guint          n_dimensions,
                                           guint          width,
                                           guint          height,
                                           guint          depth,
                                           guint          n_levels,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
GabbroImage  *gabbro_image_new_view       (GabbroImage   *self,
                                           guint          level,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice *gabbro_image_get_device     (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
GabbroFormat  gabbro_image_get_format     (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
guint         gabbro_image_get_width      (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
guint         gabbro_image_get_height     (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
guint         gabbro_image_get_depth      (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
guint         gabbro_image_get_n_dimensions (GabbroImage *self);
GABBRO_AVAILABLE_IN_0_1
guint         gabbro_image_get_n_levels   (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
guint         gabbro_image_get_level      (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
gsize         gabbro_image_get_size       (GabbroImage   *self);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_image_upload         (GabbroImage   *self,
                                           gconstpointer  data,
                                           gsize          size,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_image_upload_bytes   (GabbroImage   *self,
                                           GBytes        *bytes,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_image_upload_bytes_async (GabbroImage *self,
                                           GBytes        *bytes,
                                           GCancellable  *cancellable,
                                           GAsyncReadyCallback callback,
                                           gpointer       user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_image_upload_bytes_finish (GabbroImage *self,
                                           GAsyncResult  *result,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_image_download       (GabbroImage   *self,
                                           gpointer       data,
                                           gsize          size,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
GBytes       *gabbro_image_download_bytes (GabbroImage   *self,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_image_download_bytes_async (GabbroImage *self,
                                           GCancellable  *cancellable,
                                           GAsyncReadyCallback callback,
                                           gpointer       user_data);
GABBRO_AVAILABLE_IN_0_1
GBytes       *gabbro_image_download_bytes_finish (GabbroImage *self,
                                           GAsyncResult  *result,
                                           GError       **error);

G_END_DECLS

#endif
