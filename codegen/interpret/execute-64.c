/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#define LANES    64
#define HANDLERS interpret_handlers_64

#include "codegen/interpret/lanes.h"
