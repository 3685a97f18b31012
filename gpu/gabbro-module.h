/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_MODULE_H
#define GABBRO_MODULE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_MODULE (gabbro_module_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroModule, gabbro_module, GABBRO, MODULE, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroModule *gabbro_module_new_from_source  (const char          *name,
                                              const char          *source,
                                              gssize               length,
                                              GError             **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_module_new_from_source_async (const char     *name,
                                              const char          *source,
                                              gssize               length,
                                              GCancellable        *cancellable,
                                              GAsyncReadyCallback  callback,
                                              gpointer             user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroModule *gabbro_module_new_from_source_finish (GAsyncResult  *result,
                                              GError             **error);
GABBRO_AVAILABLE_IN_0_1
GPtrArray    *gabbro_module_check_source     (const char          *name,
                                              const char          *source,
                                              gssize               length);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_module_check_source_async (const char        *name,
                                              const char          *source,
                                              gssize               length,
                                              GCancellable        *cancellable,
                                              GAsyncReadyCallback  callback,
                                              gpointer             user_data);
GABBRO_AVAILABLE_IN_0_1
GPtrArray    *gabbro_module_check_source_finish (GAsyncResult     *result,
                                              GError             **error);
GABBRO_AVAILABLE_IN_0_1
const char   *gabbro_module_get_name         (GabbroModule        *self);
GABBRO_AVAILABLE_IN_0_1
const char   *gabbro_module_get_warnings     (GabbroModule        *self);
GABBRO_AVAILABLE_IN_0_1
char         *gabbro_module_print            (GabbroModule        *self,
                                              GabbroModuleFormat   format);
GABBRO_AVAILABLE_IN_0_1
char        **gabbro_module_list_kernels     (GabbroModule        *self);
GABBRO_AVAILABLE_IN_0_1
GabbroKernel *gabbro_module_get_kernel       (GabbroModule        *self,
                                              const char          *name,
                                              GError             **error);

G_END_DECLS

#endif
