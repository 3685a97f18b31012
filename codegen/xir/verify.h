/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "codegen/xir/xir.h"

/* Checks a whole module, unused functions included: types, operand counts, use
 * lists, that definitions dominate uses, structured control flow (xir.h), phis,
 * lvalues, call signatures, no recursion. All errors are collected: `report`, if not NULL, gets
 * each function that has any, printed, with each error under its line. Returns the
 * number of errors. */
guint xir_verify_module (const struct xir_module *module, GString *report);
