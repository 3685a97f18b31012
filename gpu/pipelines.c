/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/pipelines.h"

#include "gpu/bundle/cache.h"
#include "gpu/bundle/identity.h"
#include "gpu/context-core.h"

/* Shaders of a device between two times that the file is written. A process that is killed loses no more. */
#define SAVE_EVERY 16

/* NULL: there is nowhere to keep it, or nothing to keep. */
static struct bundle_cache *
find_cache (GabbroAdapter *adapter, struct gabbro_core *core, uint8_t key[GB_DIGEST_SIZE])
{
  static const uint8_t none[GB_DIGEST_SIZE];
  struct bundle_cache *cache = core->ops->pipelines_save != NULL ? gabbro_adapter_get_core (adapter)->cache : NULL;

  if (cache != NULL)
    bundle_identify_here (none, gabbro_adapter_get_driver (adapter), &gabbro_adapter_get_driver_adapter (adapter)->info, key);
  return cache;
}

void
gabbro_pipelines_load (GabbroAdapter *adapter, struct gabbro_core *core)
{
  uint8_t key[GB_DIGEST_SIZE];
  struct bundle_cache *cache;
  const void *data = NULL;
  GBytes *stored;
  gsize size = 0;

  if (!g_once_init_enter (&core->pipelines_loaded))
    return;
  cache = find_cache (adapter, core, key);
  if (cache != NULL)
    {
      stored = bundle_cache_load_pipelines (cache, key);
      if (stored != NULL)
        data = g_bytes_get_data (stored, &size);
      core->ops->pipelines_load (core->driver, data, size);
      g_clear_pointer (&stored, g_bytes_unref);
    }
  g_once_init_leave (&core->pipelines_loaded, 1);
}

void
gabbro_pipelines_save (GabbroAdapter *adapter, struct gabbro_core *core)
{
  guint64 n_compiled = __atomic_load_n (&core->driver->n_pipelines_compiled, __ATOMIC_RELAXED);
  uint8_t key[GB_DIGEST_SIZE];
  gsize stored_size = 0, size;
  const void *others = NULL;
  struct bundle_cache *cache;
  GError *error = NULL;
  GBytes *stored;
  void *data;

  /* Before the file is read: most that is asked for here is nothing new. */
  if (__atomic_exchange_n (&core->n_pipelines_saved, n_compiled, __ATOMIC_RELAXED) == n_compiled)
    return;
  cache = find_cache (adapter, core, key);
  if (cache == NULL)
    return;
  /* What others have stored meanwhile stays, unless they store at this very moment. */
  stored = bundle_cache_load_pipelines (cache, key);
  if (stored != NULL)
    others = g_bytes_get_data (stored, &stored_size);
  data = core->ops->pipelines_save (core->driver, others, stored_size, &size);
  if (data != NULL && !bundle_cache_store_pipelines (cache, key, gabbro_adapter_get_name (adapter), data, size, &error))
    {
      gabbro_context_core_log (gabbro_adapter_get_core (adapter), GABBRO_LOG_INFO, _("The shader cache: %s"), error->message);
      g_error_free (error);
    }
  g_free (data);
  g_clear_pointer (&stored, g_bytes_unref);
}

void
gabbro_pipelines_note (GabbroAdapter *adapter, struct gabbro_core *core)
{
  guint64 n_saved = __atomic_load_n (&core->n_pipelines_saved, __ATOMIC_RELAXED);

  if (__atomic_load_n (&core->driver->n_pipelines_compiled, __ATOMIC_RELAXED) >= n_saved + SAVE_EVERY)
    gabbro_pipelines_save (adapter, core);
}
