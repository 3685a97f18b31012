/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The shader cache: a folder of compiled kernels, one file each, named by a key of all that decides what a compile
 * makes (identity.h). It may be lost, cut, written by others or by two at once, and be read-only or missing: each
 * file is replaced as a whole and is checked as a bundle is, and what does not fit counts as not there. Nothing
 * here is an error to who compiles. Thread-safe. */

#pragma once

#include "gpu/bundle/artifact.h"

#define BUNDLE_CACHE_SUFFIX       ".shader"
#define BUNDLE_CACHE_PIPELINES    ".pipelines"
/* Bytes of what a driver has compiled. More is given up, and it begins anew. */
#define BUNDLE_CACHE_MAX_PIPELINES (UINT64_C (64) << 20)
#define BUNDLE_CACHE_DEFAULT_SIZE (UINT64_C (256) << 20) /* bytes */

struct bundle_cache;

/* `folder` is made when something is stored. */
struct bundle_cache    *bundle_cache_new   (const char *folder, uint64_t max_size);
void                    bundle_cache_free  (struct bundle_cache *cache);
/* NULL: there is none that can be used. */
struct bundle_artifact *bundle_cache_load  (struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE], const char *kernel);
/* Its identity is the key. False with why it was not stored. */
bool                    bundle_cache_store (struct bundle_cache *cache, struct bundle_artifact *artifact, GError **error);

/* For those who look after a cache, and what is beside the kernels. */

/* $XDG_CACHE_HOME/gabbro; NULL where the environment is not to be trusted. */
char *bundle_cache_default_folder (void);

/* What a driver itself has compiled, all of an adapter in one file, BUNDLE_CACHE_PIPELINES behind its key. NULL: there
 * is none that can be used. */
GBytes                 *bundle_cache_load_pipelines  (struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE]);
/* `adapter` is for those who look at the cache. */
bool                    bundle_cache_store_pipelines (struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE], const char *adapter,
                                                      gconstpointer data, gsize size, GError **error);

struct bundle_cache_file
{
  char *path;
  char *name;
  bool is_pipelines;                     /* else a kernel */
  uint64_t size;
  int64_t used;                          /* when it was last stored or found, in seconds since 1970 */
  long used_part;                        /* and nanoseconds */
};

/* Of struct bundle_cache_file, the one that was used last first; a folder that is not there has none. */
GPtrArray              *bundle_cache_list (const char *folder, GError **error);
/* NULL with what is wrong with it. */
struct bundle_artifact *bundle_cache_read (const char *path, GError **error);
/* The name of the adapter. */
char                   *bundle_cache_read_pipelines (const char *path, GError **error);
/* Removes what is oldest until the rest has at the most `max_size` bytes, and files that were never finished.
 * Returns how many bytes went. */
uint64_t                bundle_cache_trim (const char *folder, uint64_t max_size, GError **error);
