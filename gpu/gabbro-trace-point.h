/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_TRACE_POINT_H
#define GABBRO_TRACE_POINT_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

/**
 * GabbroTraceFunc: (skip)
 * @point: where the thread is; only during the call
 * @user_data: as given
 *
 * Called before each line of the source that a thread runs, and once when it has ended, in a thread of
 * the driver, which waits meanwhile. It must not wait for the device, nor change what it traces.
 *
 * Returns: whether the dispatch goes on; %FALSE gives it up where it is
 *
 * Since: 0.1
 */
typedef gboolean (*GabbroTraceFunc) (const GabbroTracePoint *point,
                                     gpointer                user_data);

GABBRO_AVAILABLE_IN_0_1
const char *gabbro_trace_point_get_kernel      (const GabbroTracePoint *self);
GABBRO_AVAILABLE_IN_0_1
const char *gabbro_trace_point_get_function    (const GabbroTracePoint *self);
GABBRO_AVAILABLE_IN_0_1
const char *gabbro_trace_point_get_file        (const GabbroTracePoint *self);
GABBRO_AVAILABLE_IN_0_1
guint       gabbro_trace_point_get_line        (const GabbroTracePoint *self);
GABBRO_AVAILABLE_IN_0_1
guint       gabbro_trace_point_get_depth       (const GabbroTracePoint *self);
GABBRO_AVAILABLE_IN_0_1
void        gabbro_trace_point_get_thread      (const GabbroTracePoint *self,
                                                guint                  *x,
                                                guint                  *y,
                                                guint                  *z);
GABBRO_AVAILABLE_IN_0_1
char      **gabbro_trace_point_list_made       (const GabbroTracePoint *self);
GABBRO_AVAILABLE_IN_0_1
char      **gabbro_trace_point_list_variables  (const GabbroTracePoint *self);
GABBRO_AVAILABLE_IN_0_1
char       *gabbro_trace_point_dup_value       (const GabbroTracePoint *self,
                                                const char             *name);

G_END_DECLS

#endif
