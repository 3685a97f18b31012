/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values from the command line into the bytes of a type, and back into text. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "tools/types.h"

/* Numbers separated by commas, in the order of memory, as many as the type has;
 * "true" and "false" for bool. Decimal, or 0x for whole numbers. `what` is named in
 * the error. The bytes have the host layout, padding zero. */
GBytes *tool_value_parse (const struct tool_type *type, const char *what, const char *text, GError **error);

/* Appends the scalars of one element: "1 2.5 3", or "(1, 2, 3)" for a vector. */
void tool_value_append (GString *text, const struct tool_type *type, gconstpointer data);

/* Scalars without padding (an array file) into elements with it, and back. The
 * type is a scalar or a vector of 32-bit numbers; `n_elements` of them. NULL when
 * there is not enough memory. */
gpointer tool_values_pad   (const struct tool_type *type, gconstpointer tight, gsize n_elements);
gpointer tool_values_unpad (const struct tool_type *type, gconstpointer padded, gsize n_elements);
