/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where kernels and shaders meet the code generator. */

#pragma once

#include "codegen/spirv/spirv.h"
#include "gpu/gabbro-private.h"

/* `adapter` may be NULL: for no device in particular. Free `*out` with spirv_result_clear(). */
gboolean gabbro_compile (GabbroKernel *kernel, GabbroAdapter *adapter, GabbroCompileFlags flags, gint optimization_level,
                         struct spirv_result *out, GError **error);
/* Consumes `spirv_error`. */
void gabbro_compile_translate_error (GabbroModule *module, const char *kernel, GError *spirv_error, GError **error);
