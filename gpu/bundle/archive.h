/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bundles as bytes: a POSIX tar (ustar), whole or as one zstd stream, of a manifest and, for each kernel, a folder
 * with the sections of its artifact. The same kernels give the same bytes.
 *
 * Reading trusts nothing: only regular files with the names that there can be, each once, no links, no paths that
 * lead elsewhere, bounded in size and number before memory is taken, nothing behind the end. */

#pragma once

#include "gpu/bundle/artifact.h"

#define BUNDLE_MAX_SIZE    (UINT64_C (512) << 20)        /* bytes, not compressed */
#define BUNDLE_MAX_KERNELS 4096
/* A compressed bundle is at the most so many times as large as it looks, and a MiB. */
#define BUNDLE_MAX_RATIO   1000

#define BUNDLE_MANIFEST    "gabbro-manifest"

/* A kernel of a bundle. */
struct bundle_member
{
  char *name;
  GBytes *sections[BUNDLE_N_SECTIONS];
};

void bundle_member_free (gpointer member);

/* What made it, as the manifest says. */
#define BUNDLE_GENERATOR "Gabbro " PACKAGE_VERSION

/* `members`: of struct bundle_member, sorted by name, each name once. */
GBytes    *bundle_archive_write (GPtrArray *members, const char *generator, bool compress, GError **error);
/* A new array of members, sorted, with headers that are in the manifest; the sections have not been looked at. */
GPtrArray *bundle_archive_read  (GBytes *bytes, char **generator, GError **error);
