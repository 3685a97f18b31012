/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_CONTEXT_H
#define GABBRO_CONTEXT_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-attribute.h>
#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_CONTEXT (gabbro_context_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroContext, gabbro_context, GABBRO, CONTEXT, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroContext *gabbro_context_new             (GVariant       *options,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
void           gabbro_context_new_async       (GVariant       *options,
                                               GCancellable   *cancellable,
                                               GAsyncReadyCallback callback,
                                               gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroContext *gabbro_context_new_finish      (GAsyncResult   *result,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
guint          gabbro_context_get_n_adapters  (GabbroContext  *self);
GABBRO_AVAILABLE_IN_0_1
GabbroAdapter *gabbro_context_get_adapter     (GabbroContext  *self,
                                               guint           index);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_context_rescan          (GabbroContext  *self,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
void           gabbro_context_rescan_async    (GabbroContext  *self,
                                               GCancellable   *cancellable,
                                               GAsyncReadyCallback callback,
                                               gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_context_rescan_finish   (GabbroContext  *self,
                                               GAsyncResult   *result,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GabbroAdapter *gabbro_context_select_adapter  (GabbroContext  *self,
                                               const char     *wanted,
                                               char          **reason,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GVariant      *gabbro_context_explain_selection (GabbroContext *self,
                                               const char     *wanted);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice  *gabbro_context_open_device     (GabbroContext  *self,
                                               const char     *wanted,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
void           gabbro_context_open_device_async (GabbroContext *self,
                                               const char     *wanted,
                                               GCancellable   *cancellable,
                                               GAsyncReadyCallback callback,
                                               gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice  *gabbro_context_open_device_finish (GabbroContext *self,
                                               GAsyncResult   *result,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
char         **gabbro_context_list_drivers    (GabbroContext  *self);
GABBRO_AVAILABLE_IN_0_1
char         **gabbro_context_list_messages   (GabbroContext  *self);
GABBRO_AVAILABLE_IN_0_1
char         **gabbro_context_list_nodes      (GabbroContext  *self,
                                               const char     *path,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GPtrArray     *gabbro_context_list_attributes (GabbroContext  *self,
                                               const char     *path,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
GVariant      *gabbro_context_get_attribute   (GabbroContext  *self,
                                               const char     *path,
                                               const char     *name,
                                               GError        **error);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_context_set_attribute   (GabbroContext  *self,
                                               const char     *path,
                                               const char     *name,
                                               GVariant       *value,
                                               GError        **error);

G_END_DECLS

#endif
