/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_MAPPING_H
#define GABBRO_MAPPING_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_MAPPING (gabbro_mapping_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroMapping, gabbro_mapping, GABBRO, MAPPING, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroBuffer *gabbro_mapping_get_buffer  (GabbroMapping  *self);
GABBRO_AVAILABLE_IN_0_1
gpointer      gabbro_mapping_get_pointer (GabbroMapping  *self);
GABBRO_AVAILABLE_IN_0_1
gsize         gabbro_mapping_get_size    (GabbroMapping  *self);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_mapping_is_direct   (GabbroMapping  *self);
GABBRO_AVAILABLE_IN_0_1
GBytes       *gabbro_mapping_dup_bytes   (GabbroMapping  *self,
                                          GError        **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_mapping_unmap       (GabbroMapping  *self,
                                          GError        **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_mapping_unmap_async (GabbroMapping  *self,
                                          GCancellable   *cancellable,
                                          GAsyncReadyCallback callback,
                                          gpointer        user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_mapping_unmap_finish (GabbroMapping *self,
                                          GAsyncResult   *result,
                                          GError        **error);

G_END_DECLS

#endif
