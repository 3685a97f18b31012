/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "tests/fuzz/fuzz.h"

extern const struct fuzz_target fuzz_source;
extern const struct fuzz_target fuzz_artifact;
extern const struct fuzz_target fuzz_bundle;
extern const struct fuzz_target fuzz_tool;
