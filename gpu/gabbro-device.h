/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_DEVICE_H
#define GABBRO_DEVICE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>
#include <gabbro/gabbro-report.h>
#include <gabbro/gabbro-trace-point.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_DEVICE (gabbro_device_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroDevice, gabbro_device, GABBRO, DEVICE, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroAdapter *gabbro_device_get_adapter  (GabbroDevice  *self);
GABBRO_AVAILABLE_IN_0_1
GabbroContext *gabbro_device_get_context  (GabbroDevice  *self);
GABBRO_AVAILABLE_IN_0_1
const char    *gabbro_device_get_path     (GabbroDevice  *self);
GABBRO_AVAILABLE_IN_0_1
guint          gabbro_device_get_n_queues (GabbroDevice  *self);
GABBRO_AVAILABLE_IN_0_1
GabbroQueue   *gabbro_device_get_queue    (GabbroDevice  *self,
                                           guint          index);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_device_is_lost      (GabbroDevice  *self);
GABBRO_AVAILABLE_IN_0_1
GPtrArray     *gabbro_device_list_reports (GabbroDevice  *self);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_device_set_trace    (GabbroDevice  *self,
                                           const guint   *thread,
                                           const char    *file,
                                           guint          line,
                                           GabbroTraceFunc function,
                                           gpointer       user_data,
                                           GDestroyNotify destroy,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_device_synchronize  (GabbroDevice  *self,
                                           gint64         timeout_us,
                                           GError       **error);
GABBRO_AVAILABLE_IN_0_1
void           gabbro_device_synchronize_async (GabbroDevice *self,
                                           GCancellable  *cancellable,
                                           GAsyncReadyCallback callback,
                                           gpointer       user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean       gabbro_device_synchronize_finish (GabbroDevice *self,
                                           GAsyncResult  *result,
                                           GError       **error);

G_END_DECLS

#endif
