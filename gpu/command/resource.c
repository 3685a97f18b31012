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
      gabbro_core_translate_error (core, driver_error, error, _("An image of %u×%u×%u texels on “%s”"),
                                   request->width, request->height, MAX (request->depth, 1), core->name);
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

static bool
check_wrap (struct gabbro_core *core, bool possible, GError **error)
{
  if (!possible)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
                 _("The driver of “%s” takes no buffers and images that were made elsewhere"), core->name);
  return possible;
}

/* Tells nobody of its end if it did not become anything. */
static struct gabbro_resource *
finish_wrap (struct gabbro_resource *resource, bool ok, GDestroyNotify released, gpointer data)
{
  if (!ok)
    {
      resource_free (resource);
      return NULL;
    }
  resource->released = released;
  resource->released_data = data;
  return resource;
}

struct gabbro_resource *
gabbro_resource_wrap_buffer (struct gabbro_core *core,
                             enum gabbro_native_kind kind,
                             uint64_t native,
                             uint64_t size,
                             GDestroyNotify released,
                             gpointer data,
                             GError **error)
{
  struct gabbro_resource *resource;
  GError *driver_error = NULL;
  bool ok;

  if (!check_wrap (core, core->ops->buffer_wrap != NULL, error))
    return NULL;
  resource = resource_new (core, GABBRO_RESOURCE_BUFFER, size);
  ok = core->ops->buffer_wrap (core->driver, kind, native, size, &resource->handle, &driver_error);
  if (!ok)
    gabbro_core_translate_error (core, driver_error, error, _("A buffer that was made elsewhere, on “%s”"), core->name);
  return finish_wrap (resource, ok, released, data);
}

struct gabbro_resource *
gabbro_resource_wrap_image (struct gabbro_core *core,
                            enum gabbro_native_kind kind,
                            uint64_t native,
                            const struct gabbro_image_request *request,
                            uint64_t size,
                            GDestroyNotify released,
                            gpointer data,
                            GError **error)
{
  struct gabbro_resource *resource;
  GError *driver_error = NULL;
  bool ok;

  if (!check_wrap (core, core->ops->image_wrap != NULL, error))
    return NULL;
  resource = resource_new (core, GABBRO_RESOURCE_IMAGE, size);
  ok = core->ops->image_wrap (core->driver, kind, native, request, &resource->handle, &driver_error);
  if (!ok)
    gabbro_core_translate_error (core, driver_error, error, _("An image of %u×%u texels that was made elsewhere, on “%s”"),
                                 request->width, request->height, core->name);
  return finish_wrap (resource, ok, released, data);
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
  /* The resource still keeps the device, on which the application may now destroy what it made there. In a
   * forked child that is the parent's. */
  if (resource->released != NULL && !gabbro_core_is_foreign (core))
    resource->released (resource->released_data);
  resource_free (resource);
}

bool
gabbro_resource_wait_idle (struct gabbro_resource *resource, GError **error)
{
  struct gabbro_wait wait = { 0 };

  gabbro_wait_init_resource (&wait, resource);
  return gabbro_wait_block (&wait, -1, error);
}
