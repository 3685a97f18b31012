/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_STREAM_H
#define GABBRO_STREAM_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_STREAM (gabbro_stream_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroStream, gabbro_stream, GABBRO, STREAM, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroStream *gabbro_stream_new           (GabbroDevice      *device,
                                           GabbroQueue       *queue,
                                           GError           **error);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice *gabbro_stream_get_device    (GabbroStream      *self);
GABBRO_AVAILABLE_IN_0_1
GabbroQueue  *gabbro_stream_get_queue     (GabbroStream      *self);
GABBRO_AVAILABLE_IN_0_1
const GError *gabbro_stream_get_failure   (GabbroStream      *self);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_stream_submit        (GabbroStream      *self,
                                           GabbroCommandList *list,
                                           GError           **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_stream_signal        (GabbroStream      *self,
                                           GabbroEvent       *event,
                                           guint64            value,
                                           GError           **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_stream_wait          (GabbroStream      *self,
                                           GabbroEvent       *event,
                                           guint64            value,
                                           GError           **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_stream_synchronize   (GabbroStream      *self,
                                           gint64             timeout_us,
                                           GError           **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_stream_synchronize_async (GabbroStream  *self,
                                           GCancellable      *cancellable,
                                           GAsyncReadyCallback callback,
                                           gpointer           user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_stream_synchronize_finish (GabbroStream *self,
                                           GAsyncResult      *result,
                                           GError           **error);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_stream_run           (GabbroStream      *self,
                                           GabbroCommandList *list,
                                           gint64             timeout_us,
                                           GError           **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_stream_run_async     (GabbroStream      *self,
                                           GabbroCommandList *list,
                                           GCancellable      *cancellable,
                                           GAsyncReadyCallback callback,
                                           gpointer           user_data);
GABBRO_AVAILABLE_IN_0_1
gboolean      gabbro_stream_run_finish    (GabbroStream      *self,
                                           GAsyncResult      *result,
                                           GError           **error);

G_END_DECLS

#endif
