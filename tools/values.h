/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values from the command line into the bytes of a type, and back into text. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

/* Numbers separated by commas, in the order of memory, as many as the type has;
 * "true" and "false" for bool. Decimal, or 0x for whole numbers. `what` is named in
 * the error. The bytes have the host layout, padding zero. */
GBytes *tool_value_parse (GabbroLayout *layout, const char *what, const char *text, GError **error);

/* Appends one element: "2.5", or "(1, 2, 3)" for what has parts. */
void tool_value_append (GString *text, GabbroLayout *layout, gconstpointer data);
