/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

/**
 * gabbro_error_quark:
 *
 * The domain of #GabbroError, as %GABBRO_ERROR. Thread-safe.
 *
 * Returns: the quark
 *
 * Since: 0.1
 */
G_DEFINE_QUARK (gabbro-error-quark, gabbro_error)

/**
 * gabbro_compile_error_quark:
 *
 * The domain of #GabbroCompileError, as %GABBRO_COMPILE_ERROR. Thread-safe.
 *
 * Returns: the quark
 *
 * Since: 0.1
 */
G_DEFINE_QUARK (gabbro-compile-error-quark, gabbro_compile_error)
