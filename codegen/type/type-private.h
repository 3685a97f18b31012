/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kinds that only description texts make so far; shared by type.c and parse.c. */

#pragma once

#include "codegen/type/type.h"

/* XIR_N_TYPE_KINDS for a name of no scalar. */
enum xir_type_kind     xir_type_scalar_kind (const char *name, gsize length);
const struct xir_type *xir_type_matrix      (struct xir_context *context, uint32_t columns);
/* Bindless array, accel and the custom types. */
const struct xir_type *xir_type_opaque      (struct xir_context *context, enum xir_type_kind kind, const char *name);
/* `columns` is 0 but for a matrix reference. */
const struct xir_type *xir_type_cooperative (struct xir_context *context, enum xir_type_kind kind,
                                             const struct xir_type *element, uint64_t count, uint32_t columns,
                                             const char *text);
