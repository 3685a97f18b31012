/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_PRINT_H
#define GABBRO_PRINT_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-types.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_PRINT (gabbro_print_get_type ())

GABBRO_AVAILABLE_IN_0_1
GType        gabbro_print_get_type      (void) G_GNUC_CONST;
GABBRO_AVAILABLE_IN_0_1
GabbroPrint *gabbro_print_ref           (GabbroPrint       *self);
GABBRO_AVAILABLE_IN_0_1
void         gabbro_print_unref         (GabbroPrint       *self);
GABBRO_AVAILABLE_IN_0_1
const char  *gabbro_print_get_text      (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
gboolean     gabbro_print_is_failure    (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
const char  *gabbro_print_get_condition (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
const char  *gabbro_print_get_kernel    (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
const char  *gabbro_print_get_file      (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
guint        gabbro_print_get_line      (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
guint        gabbro_print_get_column    (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
guint        gabbro_print_get_dispatch  (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
void         gabbro_print_get_thread    (const GabbroPrint *self,
                                         guint             *x,
                                         guint             *y,
                                         guint             *z);
GABBRO_AVAILABLE_IN_0_1
GVariant    *gabbro_print_to_variant    (const GabbroPrint *self);
GABBRO_AVAILABLE_IN_0_1
char        *gabbro_print_to_string     (const GabbroPrint *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GabbroPrint, gabbro_print_unref)

G_END_DECLS

#endif
