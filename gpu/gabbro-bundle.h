/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_BUNDLE_H
#define GABBRO_BUNDLE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_BUNDLE (gabbro_bundle_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroBundle, gabbro_bundle, GABBRO, BUNDLE, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_bytes           (GBytes               *bytes,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_bundle_new_from_bytes_async     (GBytes               *bytes,
                                                      GCancellable         *cancellable,
                                                      GAsyncReadyCallback   callback,
                                                      gpointer              user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_bytes_finish    (GAsyncResult         *result,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_file            (GFile                *file,
                                                      GCancellable         *cancellable,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_bundle_new_from_file_async      (GFile                *file,
                                                      GCancellable         *cancellable,
                                                      GAsyncReadyCallback   callback,
                                                      gpointer              user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_file_finish     (GAsyncResult         *result,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_resource        (GResource            *resource,
                                                      const char           *path,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_bundle_new_from_resource_async  (GResource            *resource,
                                                      const char           *path,
                                                      GCancellable         *cancellable,
                                                      GAsyncReadyCallback   callback,
                                                      gpointer              user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_resource_finish (GAsyncResult         *result,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_kernels         (GabbroKernel        **kernels,
                                                      guint                 n_kernels,
                                                      GabbroAdapter        *adapter,
                                                      GabbroCompileFlags    flags,
                                                      gint                  optimization_level,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_bundle_new_from_kernels_async   (GabbroKernel        **kernels,
                                                      guint                 n_kernels,
                                                      GabbroAdapter        *adapter,
                                                      GabbroCompileFlags    flags,
                                                      gint                  optimization_level,
                                                      GCancellable         *cancellable,
                                                      GAsyncReadyCallback   callback,
                                                      gpointer              user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroBundle *gabbro_bundle_new_from_kernels_finish  (GAsyncResult         *result,
                                                      GError              **error);

GABBRO_AVAILABLE_IN_0_1
const char   *gabbro_bundle_get_generator            (GabbroBundle         *self);
GABBRO_AVAILABLE_IN_0_1
char        **gabbro_bundle_list_kernels             (GabbroBundle         *self);
GABBRO_AVAILABLE_IN_0_1
GabbroKernel *gabbro_bundle_get_kernel               (GabbroBundle         *self,
                                                      const char           *name,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
GVariant     *gabbro_bundle_describe_kernel          (GabbroBundle         *self,
                                                      const char           *name,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
GBytes       *gabbro_bundle_get_section              (GabbroBundle         *self,
                                                      const char           *name,
                                                      const char           *section,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_bundle_verify                   (GabbroBundle         *self,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_bundle_check_adapter            (GabbroBundle         *self,
                                                      const char           *name,
                                                      GabbroAdapter        *adapter,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
GabbroShader *gabbro_bundle_create_shader            (GabbroBundle         *self,
                                                      GabbroDevice         *device,
                                                      const char           *name,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_bundle_create_shader_async      (GabbroBundle         *self,
                                                      GabbroDevice         *device,
                                                      const char           *name,
                                                      GCancellable         *cancellable,
                                                      GAsyncReadyCallback   callback,
                                                      gpointer              user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroShader *gabbro_bundle_create_shader_finish     (GabbroBundle         *self,
                                                      GAsyncResult         *result,
                                                      GError              **error);

GABBRO_AVAILABLE_IN_0_1
GBytes       *gabbro_bundle_to_bytes                 (GabbroBundle         *self,
                                                      GabbroBundleFlags     flags,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_bundle_save                     (GabbroBundle         *self,
                                                      GFile                *file,
                                                      GabbroBundleFlags     flags,
                                                      GCancellable         *cancellable,
                                                      GError              **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_bundle_save_async               (GabbroBundle         *self,
                                                      GFile                *file,
                                                      GabbroBundleFlags     flags,
                                                      GCancellable         *cancellable,
                                                      GAsyncReadyCallback   callback,
                                                      gpointer              user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_bundle_save_finish              (GabbroBundle         *self,
                                                      GAsyncResult         *result,
                                                      GError              **error);

G_END_DECLS

#endif
