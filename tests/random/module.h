/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels as modules of the library: their files, and the values of their options. */

#pragma once

#include <gabbro/gabbro.h>

#include "tests/random/tree.h"

GabbroModule *module_new (const struct kernel *kernel, gboolean fault, GError **error);
