/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_KERNEL_H
#define GABBRO_KERNEL_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_KERNEL (gabbro_kernel_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroKernel, gabbro_kernel, GABBRO, KERNEL, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroModule      *gabbro_kernel_get_module            (GabbroKernel        *self);
GABBRO_AVAILABLE_IN_0_1
const char        *gabbro_kernel_get_name              (GabbroKernel        *self);
GABBRO_AVAILABLE_IN_0_1
void               gabbro_kernel_get_group_size        (GabbroKernel        *self,
                                                        guint               *x,
                                                        guint               *y,
                                                        guint               *z);
GABBRO_AVAILABLE_IN_0_1
guint              gabbro_kernel_get_n_arguments       (GabbroKernel        *self);
GABBRO_AVAILABLE_IN_0_1
gint               gabbro_kernel_find_argument         (GabbroKernel        *self,
                                                        const char          *name);
GABBRO_AVAILABLE_IN_0_1
const char        *gabbro_kernel_get_argument_name     (GabbroKernel        *self,
                                                        guint                index);
GABBRO_AVAILABLE_IN_0_1
GabbroArgumentKind gabbro_kernel_get_argument_kind     (GabbroKernel        *self,
                                                        guint                index);
GABBRO_AVAILABLE_IN_0_1
const char        *gabbro_kernel_get_argument_type     (GabbroKernel        *self,
                                                        guint                index);
GABBRO_AVAILABLE_IN_0_1
const char        *gabbro_kernel_get_argument_element_type (GabbroKernel    *self,
                                                        guint                index);
GABBRO_AVAILABLE_IN_0_1
gsize              gabbro_kernel_get_argument_size     (GabbroKernel        *self,
                                                        guint                index);
GABBRO_AVAILABLE_IN_0_1
GabbroUsage        gabbro_kernel_get_argument_usage    (GabbroKernel        *self,
                                                        guint                index);
GABBRO_AVAILABLE_IN_0_1
GabbroLayout      *gabbro_kernel_dup_argument_layout   (GabbroKernel        *self,
                                                        guint                index);
GABBRO_AVAILABLE_IN_0_1
GBytes            *gabbro_kernel_compile_spirv         (GabbroKernel        *self,
                                                        GabbroAdapter       *adapter,
                                                        GabbroCompileFlags   flags,
                                                        gint                 optimization_level,
                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
void               gabbro_kernel_compile_spirv_async (GabbroKernel    *self,
                                                        GabbroAdapter       *adapter,
                                                        GabbroCompileFlags   flags,
                                                        gint                 optimization_level,
                                                        GCancellable        *cancellable,
                                                        GAsyncReadyCallback  callback,
                                                        gpointer             user_data);
GABBRO_AVAILABLE_IN_0_1
GBytes            *gabbro_kernel_compile_spirv_finish (GabbroKernel   *self,
                                                        GAsyncResult        *result,
                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
char              *gabbro_kernel_compile_assembly      (GabbroKernel        *self,
                                                        GabbroAdapter       *adapter,
                                                        GabbroCompileFlags   flags,
                                                        gint                 optimization_level,
                                                        GError             **error);
GABBRO_AVAILABLE_IN_0_1
void               gabbro_kernel_compile_assembly_async (GabbroKernel    *self,
                                                        GabbroAdapter       *adapter,
                                                        GabbroCompileFlags   flags,
                                                        gint                 optimization_level,
                                                        GCancellable        *cancellable,
                                                        GAsyncReadyCallback  callback,
                                                        gpointer             user_data);
GABBRO_AVAILABLE_IN_0_1
char              *gabbro_kernel_compile_assembly_finish (GabbroKernel   *self,
                                                        GAsyncResult        *result,
                                                        GError             **error);

G_END_DECLS

#endif
