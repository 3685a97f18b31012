/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_VERSION_H
#define GABBRO_VERSION_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-version-macros.h>

G_BEGIN_DECLS

/**
 * GABBRO_MAJOR_VERSION:
 *
 * The first number of the version that a program is compiled with.
 *
 * Since: 0.1
 */
#define GABBRO_MAJOR_VERSION 0

/**
 * GABBRO_MINOR_VERSION:
 *
 * The second number of the version that a program is compiled with.
 *
 * Since: 0.1
 */
#define GABBRO_MINOR_VERSION 1

/**
 * GABBRO_MICRO_VERSION:
 *
 * The third number of the version that a program is compiled with.
 *
 * Since: 0.1
 */
#define GABBRO_MICRO_VERSION 0

/**
 * GABBRO_CHECK_VERSION:
 * @major: the first number of a version
 * @minor: the second
 * @micro: the third
 *
 * Whether a program is compiled with that version or a later one, for the preprocessor;
 * gabbro_get_version() says what it runs with.
 *
 * Since: 0.1
 */
#define GABBRO_CHECK_VERSION(major, minor, micro)                              \
  (GABBRO_MAJOR_VERSION > (major)                                              \
   || (GABBRO_MAJOR_VERSION == (major) && GABBRO_MINOR_VERSION > (minor))      \
   || (GABBRO_MAJOR_VERSION == (major) && GABBRO_MINOR_VERSION == (minor)      \
       && GABBRO_MICRO_VERSION >= (micro)))

GABBRO_AVAILABLE_IN_0_1
void gabbro_get_version (guint *major, guint *minor, guint *micro);

G_END_DECLS

#endif
