/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where kernels and shaders meet the code generator. */

#pragma once

#include "codegen/spirv/spirv.h"
#include "gpu/gabbro-private.h"

/* `adapter` may be NULL: for no device in particular. Free `*out` with spirv_result_clear(). */
gboolean gabbro_compile (GabbroKernel *kernel, GabbroAdapter *adapter, GabbroCompileFlags flags, gint optimization_level,
                         struct spirv_result *out, GError **error);
/* The same as an artifact for a file; of a kernel of a bundle the one that it has. */
struct bundle_artifact *gabbro_compile_artifact (GabbroKernel *kernel, GabbroAdapter *adapter, GabbroCompileFlags flags,
                                                 gint optimization_level, GError **error);
/* How a shader came by its code. */
enum gabbro_compiled { GABBRO_COMPILED_NOW, GABBRO_COMPILED_CACHED, GABBRO_COMPILED_BEFORE };

/* What the driver of `adapter` takes: words, by way of the shader cache, or the lowered module. */
gboolean gabbro_compile_for_device (GabbroKernel *kernel, GabbroAdapter *adapter, GabbroCompileFlags flags, gint optimization_level,
                                    struct spirv_result *out, enum gabbro_compiled *how, GError **error);
/* Consumes `spirv_error`. `module` NULL: it has no source. */
void gabbro_compile_translate_error (GabbroModule *module, const char *kernel, GError *spirv_error, GError **error);
