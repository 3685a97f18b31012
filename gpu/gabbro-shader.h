/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_SHADER_H
#define GABBRO_SHADER_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_SHADER (gabbro_shader_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroShader, gabbro_shader, GABBRO, SHADER, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroShader *gabbro_shader_new         (GabbroDevice        *device,
                                         GabbroKernel        *kernel,
                                         GabbroCompileFlags   flags,
                                         gint                 optimization_level,
                                         GError             **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_shader_new_async   (GabbroDevice        *device,
                                         GabbroKernel        *kernel,
                                         GabbroCompileFlags   flags,
                                         gint                 optimization_level,
                                         GCancellable        *cancellable,
                                         GAsyncReadyCallback  callback,
                                         gpointer             user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroShader *gabbro_shader_new_finish  (GAsyncResult        *result,
                                         GError             **error);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice *gabbro_shader_get_device  (GabbroShader        *self);
GABBRO_AVAILABLE_IN_0_1
GabbroKernel *gabbro_shader_get_kernel  (GabbroShader        *self);

G_END_DECLS

#endif
