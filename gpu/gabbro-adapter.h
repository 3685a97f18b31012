/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_ADAPTER_H
#define GABBRO_ADAPTER_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_ADAPTER (gabbro_adapter_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroAdapter, gabbro_adapter, GABBRO, ADAPTER, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroContext    *gabbro_adapter_dup_context     (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_adapter_get_name        (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_adapter_get_driver      (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_adapter_get_path        (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_adapter_get_uuid        (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_adapter_get_pci_address (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
GabbroAdapterKind gabbro_adapter_get_kind        (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
guint64           gabbro_adapter_get_memory_size (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
GabbroFormatUsage gabbro_adapter_get_format_usage (GabbroAdapter *self,
                                                  GabbroFormat    format,
                                                  guint           n_dimensions);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_adapter_get_unusable_reason (GabbroAdapter *self);
GABBRO_AVAILABLE_IN_0_1
GabbroAdapter    *gabbro_adapter_dup_twin        (GabbroAdapter  *self);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice     *gabbro_adapter_open            (GabbroAdapter  *self,
                                                  GError        **error);
GABBRO_AVAILABLE_IN_0_1
void              gabbro_adapter_open_async      (GabbroAdapter  *self,
                                                  GCancellable   *cancellable,
                                                  GAsyncReadyCallback callback,
                                                  gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice     *gabbro_adapter_open_finish     (GabbroAdapter  *self,
                                                  GAsyncResult   *result,
                                                  GError        **error);

G_END_DECLS

#endif
