/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/error.h"

G_DEFINE_QUARK (gb-error-quark, gb_error)
