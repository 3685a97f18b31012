/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_EVENT_H
#define GABBRO_EVENT_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-types.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_EVENT (gabbro_event_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroEvent, gabbro_event, GABBRO, EVENT, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroEvent  *gabbro_event_new          (GabbroDevice  *device,
                                         GError       **error);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice *gabbro_event_get_device   (GabbroEvent   *self);
GABBRO_AVAILABLE_IN_0_1
guint64       gabbro_event_get_value    (GabbroEvent   *self);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_event_signal       (GabbroEvent   *self,
                                         guint64        value,
                                         GError       **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_event_is_completed (GabbroEvent   *self,
                                         guint64        value);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_event_synchronize  (GabbroEvent   *self,
                                         guint64        value,
                                         gint64         timeout_us,
                                         GError       **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_event_synchronize_async (GabbroEvent *self,
                                         guint64        value,
                                         GCancellable  *cancellable,
                                         GAsyncReadyCallback callback,
                                         gpointer       user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_event_synchronize_finish (GabbroEvent *self,
                                         GAsyncResult  *result,
                                         GError       **error);

G_END_DECLS

#endif
