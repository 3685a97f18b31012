/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "codegen/xir/xir.h"

/* Readable text: functions, blocks, one instruction a line. Values are named %N
 * by their order in the text, so that equal modules print equally whatever their
 * history. */
void xir_print_module   (const struct xir_module *module, GString *out);
void xir_print_function (const struct xir_function *function, GString *out);
void xir_print_value    (const struct xir_value *value, GString *out);
