/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the library reads. */

#include "config.h"

#include "tests/fuzz/targets.h"

const struct fuzz_target *const fuzz_targets[] = { &fuzz_source, &fuzz_artifact, &fuzz_bundle, NULL };
