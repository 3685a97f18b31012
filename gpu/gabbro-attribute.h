/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_ATTRIBUTE_H
#define GABBRO_ATTRIBUTE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-types.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_ATTRIBUTE (gabbro_attribute_get_type ())

GABBRO_AVAILABLE_IN_0_1
GType            gabbro_attribute_get_type        (void) G_GNUC_CONST;
GABBRO_AVAILABLE_IN_0_1
GabbroAttribute *gabbro_attribute_ref             (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
void             gabbro_attribute_unref           (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_attribute_get_name        (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_attribute_get_group       (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_attribute_get_group_title (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_attribute_get_description (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_attribute_get_unit        (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
gboolean         gabbro_attribute_is_writable     (GabbroAttribute *attribute);
GABBRO_AVAILABLE_IN_0_1
GVariant        *gabbro_attribute_get_value       (GabbroAttribute *attribute);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GabbroAttribute, gabbro_attribute_unref)

G_END_DECLS

#endif
