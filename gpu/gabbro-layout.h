/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_LAYOUT_H
#define GABBRO_LAYOUT_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_LAYOUT (gabbro_layout_get_type ())

GABBRO_AVAILABLE_IN_0_1
GType            gabbro_layout_get_type          (void) G_GNUC_CONST;
GABBRO_AVAILABLE_IN_0_1
GabbroLayout    *gabbro_layout_ref               (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
void             gabbro_layout_unref             (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_layout_get_name          (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
GabbroLayoutKind gabbro_layout_get_kind          (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
guint64          gabbro_layout_get_size          (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
guint            gabbro_layout_get_alignment     (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
guint64          gabbro_layout_get_length        (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
guint64          gabbro_layout_get_stride        (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
GabbroLayout    *gabbro_layout_get_element       (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
guint            gabbro_layout_get_n_members     (GabbroLayout *layout);
GABBRO_AVAILABLE_IN_0_1
const char      *gabbro_layout_get_member_name   (GabbroLayout *layout,
                                                  guint         index);
GABBRO_AVAILABLE_IN_0_1
guint64          gabbro_layout_get_member_offset (GabbroLayout *layout,
                                                  guint         index);
GABBRO_AVAILABLE_IN_0_1
GabbroLayout    *gabbro_layout_get_member_layout (GabbroLayout *layout,
                                                  guint         index);
GABBRO_AVAILABLE_IN_0_1
GBytes          *gabbro_layout_pack              (GabbroLayout *layout,
                                                  GVariant     *value,
                                                  GError      **error);
GABBRO_AVAILABLE_IN_0_1
GVariant        *gabbro_layout_unpack            (GabbroLayout *layout,
                                                  GBytes       *bytes,
                                                  gsize         offset,
                                                  GError      **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GabbroLayout, gabbro_layout_unref)

G_END_DECLS

#endif
