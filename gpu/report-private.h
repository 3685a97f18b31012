/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What checks have found, on its way to the program. */

#pragma once

#include "codegen/interpret/check.h"
#include "gpu/gabbro-private.h"

/* What is known of a kernel's source. Counted by g_atomic_rc_box. */
struct gabbro_origin
{
  GBytes *text;                          /* of its file */
  char **files;                          /* names of those that it imports, by number from 1 on */
};

struct gabbro_origin *gabbro_origin_new (GBytes *text, const struct xir_module *module);
void                  gabbro_origin_unref (struct gabbro_origin *origin);

/* `origin` may be NULL. */
GabbroReport *gabbro_report_new (const struct check_report *report, const struct gabbro_origin *origin);
