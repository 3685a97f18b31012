/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <string.h>

#include "gpu/async.h"
#include "gpu/command/copy.h"

/**
 * GabbroMapping:
 *
 * The contents of a buffer as the host sees them, made by gabbro_buffer_map(). Not
 * thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroMapping
{
  GObject parent_instance;

  GabbroBuffer *buffer;
  GabbroMapFlags flags;
  guint8 *pointer;                       /* NULL once unmapped */
  GBytes *copy;                          /* the memory, where it is none of the device's */
  gsize size;
  gboolean is_direct;
};

G_DEFINE_FINAL_TYPE (GabbroMapping, gabbro_mapping, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_MAPPING (self) && (self)->size > 0)

gboolean
gabbro_mapping_is_whole (gpointer object)
{
  GabbroMapping *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroMapping:buffer:
 *
 * The buffer that is mapped.
 *
 * Since: 0.1
 */

/**
 * GabbroMapping:size:
 *
 * Bytes that are mapped. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroMapping:is-direct:
 *
 * Whether it is the device's memory itself and no copy of it. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_mapping_property_rows[] = {
  GABBRO_OWNER ("buffer", GabbroMapping, buffer, gabbro_buffer_get_type),
  GABBRO_PLAIN ("size", SIZE, gabbro_mapping_get_size),
  GABBRO_PLAIN ("is-direct", BOOLEAN, gabbro_mapping_is_direct),
};

GABBRO_DEFINE_PROPERTIES (gabbro_mapping)

static void
gabbro_mapping_finalize (GObject *object)
{
  GabbroMapping *self = GABBRO_MAPPING (object);

  /* Finalising never waits: what was written to a copy and not unmapped is lost. */
  g_clear_pointer (&self->copy, g_bytes_unref);
  g_clear_object (&self->buffer);
  G_OBJECT_CLASS (gabbro_mapping_parent_class)->finalize (object);
}

static void
gabbro_mapping_class_init (GabbroMappingClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_mapping_finalize;
  gabbro_properties_install (class, &gabbro_mapping_properties);
}

static void
gabbro_mapping_init (GabbroMapping *self)
{
}

GabbroMapping *
gabbro_mapping_new (GabbroBuffer *buffer, GabbroMapFlags flags, GError **error)
{
  struct gabbro_resource *resource = gabbro_buffer_get_resource (buffer);
  GabbroMapping *self;

  if ((flags & (GABBRO_MAP_READ | GABBRO_MAP_WRITE)) == 0)
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("A mapping is for reading, for writing or for both"));
      return NULL;
    }
  self = g_object_new (GABBRO_TYPE_MAPPING, NULL);
  self->buffer = g_object_ref (buffer);
  self->flags = flags;
  self->size = gabbro_buffer_get_size (buffer);
  /* Reading across a bus word by word takes longer than a copy. */
  self->is_direct = resource->mapped != NULL && (resource->cached || !(flags & GABBRO_MAP_READ));
  if (self->is_direct)
    self->pointer = (guint8 *) resource->mapped + gabbro_buffer_get_offset (buffer);
  else
    {
      self->pointer = gabbro_try_alloc (self->size, error);
      if (self->pointer == NULL)
        g_clear_object (&self);
      else
        self->copy = g_bytes_new_take (memset (self->pointer, 0, self->size), self->size);
    }
  return self;
}

/* The copy that brings the contents; of no bytes where there is nothing to bring. */
static struct gabbro_copy *
new_copy (GabbroMapping *self)
{
  gboolean is_needed = !self->is_direct && (self->flags & GABBRO_MAP_READ) != 0;

  return gabbro_copy_new (gabbro_buffer_get_resource (self->buffer), gabbro_buffer_get_offset (self->buffer), self->pointer,
                          is_needed ? self->size : 0, false);
}

gboolean
gabbro_mapping_fill (GabbroMapping *self, GError **error)
{
  struct gabbro_copy *copy = new_copy (self);
  bool ok = gabbro_copy_run (copy, error);

  gabbro_copy_unref (copy);
  return ok;
}

static void
finish_fill (GTask *task, struct gabbro_copy *copy)
{
  g_task_return_pointer (task, g_steal_pointer (&copy->owner), g_object_unref);
}

void
gabbro_mapping_fill_async (GabbroMapping *self, GTask *task)
{
  struct gabbro_copy *copy = new_copy (self);

  copy->owner = self;
  copy->release_owner = g_object_unref;
  copy->finish = finish_fill;
  gabbro_copy_start (copy, task);
}

/**
 * gabbro_mapping_get_buffer:
 * @self: a mapping
 *
 * Gets the buffer of a mapping. Not thread-safe; does not block.
 *
 * Returns: (transfer none): the buffer that is mapped
 *
 * Since: 0.1
 */
GabbroBuffer *
gabbro_mapping_get_buffer (GabbroMapping *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->buffer;
}

/**
 * gabbro_mapping_get_pointer:
 * @self: a mapping
 *
 * The memory may be read and written, as the flags of the mapping say, until
 * gabbro_mapping_unmap() or the end of the mapping, and no longer. Bindings see an address;
 * gabbro_mapping_dup_bytes() gives them a copy that is theirs. Not thread-safe; does not block.
 *
 * Returns: (nullable): the first byte of the buffer, or %NULL once it has been unmapped
 *
 * Since: 0.1
 */
gpointer
gabbro_mapping_get_pointer (GabbroMapping *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->pointer;
}

/**
 * gabbro_mapping_get_size:
 * @self: a mapping
 *
 * Gets the size of a mapping. Not thread-safe; does not block.
 *
 * Returns: bytes that are mapped
 *
 * Since: 0.1
 */
gsize
gabbro_mapping_get_size (GabbroMapping *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->size;
}

/**
 * gabbro_mapping_is_direct:
 * @self: a mapping
 *
 * Asks whether a mapping costs no copy. Not thread-safe; does not block.
 *
 * Returns: whether it is the device's memory itself and no copy of it
 *
 * Since: 0.1
 */
gboolean
gabbro_mapping_is_direct (GabbroMapping *self)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);

  return self->is_direct;
}

/**
 * gabbro_mapping_dup_bytes:
 * @self: a mapping
 * @error: return location for an error
 *
 * Copies what is mapped, for languages without pointers. Not thread-safe; does not block.
 *
 * Returns: (transfer full): a copy of the contents, or %NULL once it has been unmapped
 *   (%GABBRO_ERROR_INVALID_STATE)
 *
 * Since: 0.1
 */
GBytes *
gabbro_mapping_dup_bytes (GabbroMapping *self, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  if (!gabbro_device_check (gabbro_buffer_get_device (self->buffer), error))
    return NULL;
  if (self->pointer != NULL)
    return g_bytes_new (self->pointer, self->size);
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE, _("The buffer has been unmapped"));
  return NULL;
}

/**
 * gabbro_mapping_unmap:
 * @self: a mapping
 * @error: return location for an error
 *
 * Ends the mapping; what was written is in the buffer then. Does nothing the second
 * time. Blocks where the mapping was a copy and had %GABBRO_MAP_WRITE. Dropping a mapping
 * without this call loses what was written to a copy. Not thread-safe.
 *
 * Returns: whether the contents arrived
 *
 * Since: 0.1
 */
gboolean
gabbro_mapping_unmap (GabbroMapping *self, GError **error)
{
  gboolean ok = TRUE;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (self->pointer == NULL)
    return TRUE;
  if (!gabbro_core_check (gabbro_buffer_get_resource (self->buffer)->core, error))
    return FALSE;
  if (!self->is_direct && (self->flags & GABBRO_MAP_WRITE) != 0)
    ok = gabbro_buffer_upload (self->buffer, 0, self->pointer, self->size, error);
  /* The memory stays as long as the object: a binding's views of it may still be there. */
  self->pointer = NULL;
  return ok;
}

/**
 * gabbro_mapping_unmap_async:
 * @self: a mapping
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_mapping_unmap(), without blocking: the mapping has ended when the call returns, and
 * the contents have arrived when @callback is called, in the thread-default main context of the
 * caller. Not thread-safe.
 *
 * Since: 0.1
 */
void
gabbro_mapping_unmap_async (GabbroMapping *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  struct gabbro_copy *copy;
  GError *error = NULL;
  gboolean is_needed;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_mapping_unmap_async);
  if (!gabbro_core_check (gabbro_buffer_get_resource (self->buffer)->core, &error))
    {
      gabbro_task_fail (task, error);
      return;
    }
  is_needed = self->pointer != NULL && !self->is_direct;
  if (is_needed && (self->flags & GABBRO_MAP_WRITE) != 0)
    {
      copy = gabbro_copy_new (gabbro_buffer_get_resource (self->buffer), gabbro_buffer_get_offset (self->buffer),
                              self->pointer, self->size, true);
      copy->owner = g_bytes_ref (self->copy);
      copy->release_owner = (GDestroyNotify) g_bytes_unref;
      self->pointer = NULL;
      gabbro_copy_start (copy, task);
      return;
    }
  self->pointer = NULL;
  g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

/**
 * gabbro_mapping_unmap_finish:
 * @self: a mapping
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_mapping_unmap_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether the contents arrived
 *
 * Since: 0.1
 */
gboolean
gabbro_mapping_unmap_finish (GabbroMapping *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_mapping_unmap_async, error);
}
