/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#define LANES    32
#define HANDLERS interpret_handlers_32

#include "codegen/interpret/lanes.h"
