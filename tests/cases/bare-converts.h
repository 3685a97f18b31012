/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conversions of float to integer that SPIR-V leaves undefined, found in its assembly. */

#pragma once

#include <glib.h>

/* The first conversion whose operand nothing has limited, as its line, or NULL. A guarded one
 * takes a constant, or what a selection or a clamping function made of the value: never the value
 * itself. */
char *find_bare_convert (const char *assembly, guint *n_converts);
