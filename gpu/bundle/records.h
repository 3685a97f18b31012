/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The records inside the sections of an artifact. */

#pragma once

#include "gpu/bundle/artifact.h"

/* All sections but the header. */
void bundle_write_records (const struct bundle_artifact *artifact, GBytes *sections[BUNDLE_N_SECTIONS]);
/* Sizes and digests have been checked. Fills in what the header does not say; on failure what there is belongs to
 * the artifact. */
bool bundle_read_records  (const struct bundle_header *header, GBytes *const sections[BUNDLE_N_SECTIONS],
                           struct bundle_artifact *artifact, GError **error);

/* Bytes of values and records of buffers together. */
uint64_t bundle_argument_end (const struct spirv_result *result);
