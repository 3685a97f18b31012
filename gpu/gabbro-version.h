/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_VERSION_H
#define GABBRO_VERSION_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-version-macros.h>

G_BEGIN_DECLS

#define GABBRO_MAJOR_VERSION 0
#define GABBRO_MINOR_VERSION 1
#define GABBRO_MICRO_VERSION 0

#define GABBRO_CHECK_VERSION(major, minor, micro)                              \
  (GABBRO_MAJOR_VERSION > (major)                                              \
   || (GABBRO_MAJOR_VERSION == (major) && GABBRO_MINOR_VERSION > (minor))      \
   || (GABBRO_MAJOR_VERSION == (major) && GABBRO_MINOR_VERSION == (minor)      \
       && GABBRO_MICRO_VERSION >= (micro)))

GABBRO_AVAILABLE_IN_0_1
void gabbro_get_version (guint *major, guint *minor, guint *micro);

G_END_DECLS

#endif
