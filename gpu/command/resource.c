/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/wait.h"

#include <inttypes.h>

#include "gpu/gabbro-private.h"

static struct gabbro_resource *
resource_new (struct gabbro_core *core, enum gabbro_resource_kind kind, uint64_t size)
{
  struct gabbro_resource *resource = g_new0 (struct gabbro_resource, 1);

  g_atomic_ref_count_init (&resource->references);
  resource->core = gabbro_core_ref (core);
  resource->kind = kind;
  resource->size = size;
  resource->serial = 1 + (guint) g_atomic_int_add ((gint *) &core->next_id, 1);
  return resource;
}

static void
resource_free (struct gabbro_resource *resource)
{
  gabbro_core_unref (resource->core);
  g_free (resource);
}

struct gabbro_resource *
gabbro_resource_new_buffer (struct gabbro_core *core,
                            uint64_t size,
                            enum gabbro_memory_use use,
                            GError **error)
{
  struct gabbro_resource *resource = resource_new (core, GABBRO_RESOURCE_BUFFER, size);
  struct gabbro_buffer_info info = { 0 };
  GError *driver_error = NULL;

  if (!core->ops->buffer_create (core->driver, size, use, &info, &driver_error))
    {
      gabbro_core_translate_error (core, driver_error, error,
                                   _("A buffer of %" PRIu64 " bytes on “%s”"), (guint64) size, core->name);
      resource_free (resource);
      return NULL;
    }
  resource->handle = info.handle;
  resource->mapped = info.mapped;
  resource->cached = info.cached;
  resource->allocated = info.allocated;
  __atomic_add_fetch (&core->allocated_bytes, info.allocated, __ATOMIC_RELAXED);
  return resource;
}

struct gabbro_resource *
gabbro_resource_new_image (struct gabbro_core *core,
                           const struct gabbro_image_request *request,
                           uint64_t size,
                           GError **error)
{
  struct gabbro_resource *resource = resource_new (core, GABBRO_RESOURCE_IMAGE, size);
  GError *driver_error = NULL;

  if (!core->ops->image_create (core->driver, request, &resource->handle, &driver_error))
    {
      gabbro_core_translate_error (core, driver_error, error, _("An image of %u×%u texels on “%s”"),
                                   request->width, request->height, core->name);
      resource_free (resource);
      return NULL;
    }
  resource->allocated = size;
  __atomic_add_fetch (&core->allocated_bytes, size, __ATOMIC_RELAXED);
  return resource;
}

struct gabbro_resource *
gabbro_resource_new_shader (struct gabbro_core *core,
                            const struct gabbro_artifact *artifact,
                            GError **error)
{
  struct gabbro_resource *resource = resource_new (core, GABBRO_RESOURCE_SHADER, 0);
  GError *driver_error = NULL;

  if (!core->ops->shader_create (core->driver, artifact, &resource->handle, &driver_error))
    {
      gabbro_core_translate_error (core, driver_error, error, _("The kernel “%s” on “%s”"), artifact->name, core->name);
      resource_free (resource);
      return NULL;
    }
  return resource;
}

struct gabbro_resource *
gabbro_resource_ref (struct gabbro_resource *resource)
{
  g_atomic_ref_count_inc (&resource->references);
  return resource;
}

void
gabbro_resource_unref (struct gabbro_resource *resource)
{
  struct gabbro_core *core = resource->core;

  if (!g_atomic_ref_count_dec (&resource->references))
    return;
  if (!gabbro_core_is_foreign (core))
    switch (resource->kind)
      {
      case GABBRO_RESOURCE_BUFFER:
        core->ops->buffer_destroy (core->driver, resource->handle);
        break;
      case GABBRO_RESOURCE_IMAGE:
        core->ops->image_destroy (core->driver, resource->handle);
        break;
      case GABBRO_RESOURCE_SHADER:
        core->ops->shader_destroy (core->driver, resource->handle);
        break;
      default:
        break;
      }
  __atomic_sub_fetch (&core->allocated_bytes, resource->allocated, __ATOMIC_RELAXED);
  resource_free (resource);
}

bool
gabbro_resource_wait_idle (struct gabbro_resource *resource, GError **error)
{
  struct gabbro_wait wait = { 0 };

  gabbro_wait_init_resource (&wait, resource);
  return gabbro_wait_block (&wait, -1, error);
}
