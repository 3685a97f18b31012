/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_REPORT_H
#define GABBRO_REPORT_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_REPORT (gabbro_report_get_type ())

GABBRO_AVAILABLE_IN_0_1
GType            gabbro_report_get_type    (void) G_GNUC_CONST;
GABBRO_AVAILABLE_IN_0_1
GabbroReport    *gabbro_report_ref         (GabbroReport       *self);
GABBRO_AVAILABLE_IN_0_1
void             gabbro_report_unref       (GabbroReport       *self);
GABBRO_AVAILABLE_IN_0_1
GabbroReportKind gabbro_report_get_kind    (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_report_get_message (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_report_get_hint    (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_report_get_kernel  (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_report_get_file    (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
guint            gabbro_report_get_line    (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
guint            gabbro_report_get_column  (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_report_get_object  (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
gboolean         gabbro_report_get_thread  (const GabbroReport *self,
                                            guint              *x,
                                            guint              *y,
                                            guint              *z);
GABBRO_AVAILABLE_IN_0_1
guint64          gabbro_report_get_count   (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
GVariant        *gabbro_report_to_variant  (const GabbroReport *self);
GABBRO_AVAILABLE_IN_0_1
char            *gabbro_report_to_string   (const GabbroReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GabbroReport, gabbro_report_unref)

G_END_DECLS

#endif
