/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

/**
 * gabbro_get_version:
 * @major: (out) (optional): the major version
 * @minor: (out) (optional): the minor version
 * @micro: (out) (optional): the micro version
 *
 * Tells the version of the library that runs, which may be newer than the one
 * that the program was compiled against (GABBRO_MAJOR_VERSION and so on).
 *
 * Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_get_version (guint *major, guint *minor, guint *micro)
{
  if (major != NULL)
    *major = GABBRO_MAJOR_VERSION;
  if (minor != NULL)
    *minor = GABBRO_MINOR_VERSION;
  if (micro != NULL)
    *micro = GABBRO_MICRO_VERSION;
}
