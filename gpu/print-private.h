/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines that kernels print, on their way to the program. */

#pragma once

#include "gpu/command/print.h"
#include "gpu/gabbro-private.h"

/* `record` is whole: passes/print-record.h. */
GabbroPrint *gabbro_print_new (const struct gabbro_printer *printer, const struct spirv_print_site *site, const uint32_t *record);
