/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_CACHE_H
#define GABBRO_CACHE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-types.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_CACHE (gabbro_cache_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroCache, gabbro_cache, GABBRO, CACHE, GObject)

GABBRO_AVAILABLE_IN_0_1
GabbroCache *gabbro_cache_new        (const char   *folder,
                                      GError      **error);
GABBRO_AVAILABLE_IN_0_1
const char  *gabbro_cache_get_folder (GabbroCache  *self);
GABBRO_AVAILABLE_IN_0_1
GVariant    *gabbro_cache_list       (GabbroCache  *self,
                                      GError      **error);
GABBRO_AVAILABLE_IN_0_1
gboolean     gabbro_cache_remove     (GabbroCache  *self,
                                      const char   *name,
                                      GError      **error);
GABBRO_AVAILABLE_IN_0_1
gboolean     gabbro_cache_trim       (GabbroCache  *self,
                                      guint64       max_size,
                                      guint64      *removed,
                                      GError      **error);

G_END_DECLS

#endif
