/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_QUEUE_H
#define GABBRO_QUEUE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_QUEUE (gabbro_queue_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroQueue, gabbro_queue, GABBRO, QUEUE, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroDevice    *gabbro_queue_dup_device (GabbroQueue *self);
GABBRO_AVAILABLE_IN_0_1
guint            gabbro_queue_get_index  (GabbroQueue *self);
GABBRO_AVAILABLE_IN_0_1
GabbroQueueFlags gabbro_queue_get_flags  (GabbroQueue *self);

G_END_DECLS

#endif
