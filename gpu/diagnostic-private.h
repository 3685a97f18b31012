/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the compiler says, on its way to the caller. */

#pragma once

#include "codegen/diagnostic.h"
#include "gpu/gabbro-private.h"

/* All of them, in their order; never NULL. */
GPtrArray *gabbro_diagnostics_new    (const struct gk_diagnostics *diagnostics);
/* One error of which nothing but this is known. `line` 0: no place. */
GPtrArray *gabbro_diagnostics_single (const char *file, guint line, guint column, const char *message);
/* Another array of the same; NULL is none. */
GPtrArray *gabbro_diagnostics_copy   (const GPtrArray *diagnostics);

/* An error of GABBRO_COMPILE_ERROR that keeps `diagnostics`, whose reference it takes. */
void       gabbro_compile_error_set  (GError **error, GabbroCompileError code, GPtrArray *diagnostics, const char *message);
