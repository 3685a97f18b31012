/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/async.h"
#include "gpu/command/copy.h"
#include "lib/checked.h"

/**
 * GabbroImage:
 *
 * A picture in the memory of a device, in a layout that suits it, or a volume of several planes. On the host
 * an image is its rows from top to bottom without gaps, and the planes of a volume one behind the other. Of a
 * compressed format it is its blocks, with those at the edges whole.
 *
 * An image may have several mip levels, each with half the sides of the one before it. Uploads, downloads,
 * copies and kernels mean the first of them; the others are reached by views
 * ([method@Gabbro.Image.new_view]).
 *
 * Fresh images have no defined contents. Thread-safe, as far as concurrent copies go.
 *
 * Since: 0.1
 */
struct _GabbroImage
{
  GObject parent_instance;

  GabbroDevice *device;
  struct gabbro_resource *resource;
  struct gabbro_image_request whole;     /* of the resource */
  struct gabbro_image_level place;
  bool is_view;
};

#define GB_TEXEL(NAME, name, block, side, n, component, vulkan) \
  G_STATIC_ASSERT ((int) GABBRO_FORMAT_##NAME == (int) GB_TEXEL_##NAME);
#include "lib/texel.def"
#undef GB_TEXEL

G_DEFINE_FINAL_TYPE (GabbroImage, gabbro_image, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_IMAGE (self) && (self)->resource != NULL)

gboolean
gabbro_image_is_whole (gpointer object)
{
  GabbroImage *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroImage:device:
 *
 * The device that it belongs to.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:format:
 *
 * What a texel is. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:width:
 *
 * Texels of a row. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:height:
 *
 * Rows. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:depth:
 *
 * Planes: 1 for an image of two dimensions. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:n-dimensions:
 *
 * Two or three. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:n-levels:
 *
 * Mip levels; 1 for a view. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:level:
 *
 * The mip level that a view is of; 0 for others. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroImage:size:
 *
 * Bytes of its contents on the host: of the first level. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_image_property_rows[] = {
  GABBRO_OWNER ("device", GabbroImage, device, gabbro_device_get_type),
  GABBRO_TYPED ("format", ENUM, gabbro_image_get_format, gabbro_format_get_type),
  GABBRO_PLAIN ("width", UINT, gabbro_image_get_width),
  GABBRO_PLAIN ("height", UINT, gabbro_image_get_height),
  GABBRO_PLAIN ("depth", UINT, gabbro_image_get_depth),
  GABBRO_PLAIN ("n-dimensions", UINT, gabbro_image_get_n_dimensions),
  GABBRO_PLAIN ("n-levels", UINT, gabbro_image_get_n_levels),
  GABBRO_PLAIN ("level", UINT, gabbro_image_get_level),
  GABBRO_PLAIN ("size", SIZE, gabbro_image_get_size),
};

GABBRO_DEFINE_PROPERTIES (gabbro_image)

static void
gabbro_image_finalize (GObject *object)
{
  GabbroImage *self = GABBRO_IMAGE (object);

  g_clear_pointer (&self->resource, gabbro_resource_unref);
  g_clear_object (&self->device);
  G_OBJECT_CLASS (gabbro_image_parent_class)->finalize (object);
}

static void
gabbro_image_class_init (GabbroImageClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_image_finalize;
  gabbro_properties_install (class, &gabbro_image_properties);
}

static void
gabbro_image_init (GabbroImage *self)
{
}

struct gabbro_resource *
gabbro_image_get_resource (GabbroImage *self)
{
  return self->resource;
}

const struct gabbro_image_level *
gabbro_image_get_place (GabbroImage *self)
{
  return &self->place;
}

static char *
describe_size (guint width, guint height, guint depth)
{
  return depth > 0 ? g_strdup_printf ("%u×%u×%u", width, height, depth) : g_strdup_printf ("%u×%u", width, height);
}

char *
gabbro_image_describe (GabbroImage *self)
{
  return describe_size (self->place.width, self->place.height, self->whole.depth > 0 ? self->place.depth : 0);
}

static bool
refuse (GError **error, GabbroError code, const struct gabbro_image_request *request, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* "An image of 64×64 texels of r8-uint cannot be made: …" */
static bool
refuse (GError **error, GabbroError code, const struct gabbro_image_request *request, const char *format, ...)
{
  char *size = describe_size (request->width, request->height, request->depth), *why;
  va_list arguments;

  va_start (arguments, format);
  why = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, GABBRO_ERROR, code, _("An image of %s texels of %s cannot be made: %s"), size,
               gb_texel_infos[request->format].name, why);
  g_free (size);
  g_free (why);
  return false;
}

static bool
check_sides (const struct gabbro_core *core, const struct gabbro_image_request *request, GError **error)
{
  const struct gabbro_format_support *support = &core->formats[request->format][request->depth > 0];
  guint most = request->depth > 0 ? core->limits.max_image_3d : core->limits.max_image_2d;
  guint wide = MIN (support->max_size[0], most), high = MIN (support->max_size[1], most), deep = MIN (support->max_size[2], most);
  guint levels;

  if (request->width > wide || request->height > high || request->depth > deep)
    return request->depth > 0 ? refuse (error, GABBRO_ERROR_LIMIT_EXCEEDED, request, _("“%s” allows %u×%u×%u"), core->name, wide, high, deep)
                              : refuse (error, GABBRO_ERROR_LIMIT_EXCEEDED, request, _("“%s” allows %u×%u"), core->name, wide, high);
  levels = gb_texel_max_levels (request->width, request->height, request->depth);
  if (request->n_levels > MIN (levels, support->max_levels))
    return refuse (error, GABBRO_ERROR_LIMIT_EXCEEDED, request, _("%u levels were asked for, and there are %u"), request->n_levels,
                   MIN (levels, support->max_levels));
  return true;
}

gboolean
gabbro_image_check_request (GabbroDevice *device, const struct gabbro_image_request *request, guint64 *size, GError **error)
{
  struct gabbro_core *core = gabbro_device_get_core (device);
  const struct gabbro_format_support *support;
  guint64 bytes = 0;

  if ((guint) request->format >= GB_N_TEXEL_FORMATS || request->width == 0 || request->height == 0)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("An image of format %d and %u×%u texels cannot be made: there are formats 0 to %u, and at least one texel"),
                   (int) request->format, request->width, request->height, (guint) GB_N_TEXEL_FORMATS - 1);
      return FALSE;
    }
  if (core->ops->image_create == NULL)
    return refuse (error, GABBRO_ERROR_NOT_SUPPORTED, request, _("the driver of “%s” has no images"), core->name);
  support = &core->formats[request->format][request->depth > 0];
  if ((support->uses & GABBRO_FORMAT_CAN_COPY) == 0)
    return refuse (error, GABBRO_ERROR_NOT_SUPPORTED, request,
                   request->depth > 0 ? _("“%s” has no images of that format in three dimensions") : _("“%s” has no images of that format"),
                   core->name);
  if (!check_sides (core, request, error))
    return FALSE;
  /* Sides are at most 2^16 and levels 17, so that this cannot overflow. */
  for (uint32_t level = 0; level < request->n_levels; level++)
    bytes += gb_texel_size (request->format, gb_texel_level_side (request->width, level), gb_texel_level_side (request->height, level),
                            gb_texel_level_side (request->depth, level));
  if (bytes > support->max_bytes)
    return refuse (error, GABBRO_ERROR_LIMIT_EXCEEDED, request, _("it has %" PRIu64 " bytes, and “%s” allows %" PRIu64), bytes, core->name,
                   support->max_bytes);
  *size = bytes;
  return TRUE;
}

static void
set_level (GabbroImage *self, guint level)
{
  const struct gabbro_image_request *whole = &self->whole;
  struct gabbro_image_level *place = &self->place;

  *place = (struct gabbro_image_level) { .image = self->resource->handle };
  for (place->level = 0;; place->level++)
    {
      place->width = gb_texel_level_side (whole->width, place->level);
      place->height = gb_texel_level_side (whole->height, place->level);
      place->depth = gb_texel_level_side (whole->depth, place->level);
      place->size = gb_texel_size (whole->format, place->width, place->height, place->depth);
      if (place->level == level)
        return;
      place->offset += place->size;
    }
}

GabbroImage *
gabbro_image_new_of_resource (GabbroDevice *device, struct gabbro_resource *resource, const struct gabbro_image_request *request)
{
  GabbroImage *self = g_object_new (GABBRO_TYPE_IMAGE, NULL);

  self->device = g_object_ref (device);
  self->resource = resource;
  self->whole = *request;
  set_level (self, 0);
  return self;
}

static GabbroImage *
image_create (GabbroDevice *device, const struct gabbro_image_request *request, GError **error)
{
  struct gabbro_resource *resource;
  guint64 size;

  if (!gabbro_device_check (device, error) || !gabbro_image_check_request (device, request, &size, error))
    return NULL;
  resource = gabbro_resource_new_image (gabbro_device_get_core (device), request, size, error);
  return resource != NULL ? gabbro_image_new_of_resource (device, resource, request) : NULL;
}

/**
 * gabbro_image_new_2d:
 * @device: a device
 * @format: what a texel is
 * @width: texels of a row, at least 1
 * @height: rows, at least 1
 * @error: return location for an error
 *
 * Makes an image of two dimensions with one mip level. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new image, or %NULL: %GABBRO_ERROR_LIMIT_EXCEEDED,
 *   %GABBRO_ERROR_OUT_OF_MEMORY, %GABBRO_ERROR_INVALID_ARGUMENT, %GABBRO_ERROR_NOT_SUPPORTED
 *   for a format that the device has not
 *
 * Since: 0.1
 */
GabbroImage *
gabbro_image_new_2d (GabbroDevice *device, GabbroFormat format, guint width, guint height, GError **error)
{
  const struct gabbro_image_request request = { (enum gb_texel_format) format, width, height, 0, 1 };

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return image_create (device, &request, error);
}

static bool
check_depth (guint width, guint height, guint depth, GError **error)
{
  if (depth > 0)
    return true;
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
               _("An image of %u×%u×%u texels cannot be made: it has at least one plane"), width, height, depth);
  return false;
}

/**
 * gabbro_image_new_3d:
 * @device: a device
 * @format: what a texel is
 * @width: texels of a row, at least 1
 * @height: rows of a plane, at least 1
 * @depth: planes, at least 1
 * @error: return location for an error
 *
 * Makes an image of three dimensions with one mip level. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new image, or %NULL, as of gabbro_image_new_2d()
 *
 * Since: 0.1
 */
GabbroImage *
gabbro_image_new_3d (GabbroDevice *device, GabbroFormat format, guint width, guint height, guint depth, GError **error)
{
  const struct gabbro_image_request request = { (enum gb_texel_format) format, width, height, depth, 1 };

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return check_depth (width, height, depth, error) ? image_create (device, &request, error) : NULL;
}

/**
 * gabbro_image_new_with_levels:
 * @device: a device
 * @format: what a texel is
 * @n_dimensions: 2 or 3
 * @width: texels of a row, at least 1
 * @height: rows of a plane, at least 1
 * @depth: planes, at least 1; 1 in two dimensions
 * @n_levels: mip levels, or 0 for as many as there can be: until one texel is left
 * @error: return location for an error
 *
 * Makes an image with several mip levels. The sides of each are half of those of the level before it, rounded
 * down, and at least 1. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new image, or %NULL, as of gabbro_image_new_2d()
 *
 * Since: 0.1
 */
GabbroImage *
gabbro_image_new_with_levels (GabbroDevice *device,
                              GabbroFormat format,
                              guint n_dimensions,
                              guint width,
                              guint height,
                              guint depth,
                              guint n_levels,
                              GError **error)
{
  struct gabbro_image_request request = { (enum gb_texel_format) format, width, height, n_dimensions == 3 ? depth : 0, n_levels };

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if ((n_dimensions != 2 && n_dimensions != 3) || (n_dimensions == 2 && depth != 1))
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("An image of %u dimensions and %u planes cannot be made: there are 2 with one plane, and 3"), n_dimensions, depth);
      return NULL;
    }
  if (!check_depth (width, height, depth, error))
    return NULL;
  if (n_levels == 0)
    request.n_levels = MAX (1, gb_texel_max_levels (width, height, request.depth));
  return image_create (device, &request, error);
}

/**
 * gabbro_image_new_view:
 * @self: an image
 * @level: one of its mip levels, from 0 on; a view has 0 only
 * @error: return location for an error
 *
 * Makes a view: an image that shares the memory of one mip level of @self. Copies and kernels
 * take it like any other image; commands that use several levels of one image wait for each other only
 * where they use the same one. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new image, or %NULL: %GABBRO_ERROR_INVALID_ARGUMENT
 *
 * Since: 0.1
 */
GabbroImage *
gabbro_image_new_view (GabbroImage *self, guint level, GError **error)
{
  GabbroImage *view;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (self->device, error))
    return NULL;
  if (level >= gabbro_image_get_n_levels (self))
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("There is no level %u: the image has %u"), level,
                   gabbro_image_get_n_levels (self));
      return NULL;
    }
  view = gabbro_image_new_of_resource (self->device, gabbro_resource_ref (self->resource), &self->whole);
  set_level (view, self->place.level + level);
  view->is_view = true;
  return view;
}

/**
 * gabbro_image_get_device:
 * @self: an image
 *
 * Gets the device of an image. Thread-safe; does not block.
 *
 * Returns: (transfer none): the device that it belongs to
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_image_get_device (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->device;
}

/**
 * gabbro_image_get_format:
 * @self: an image
 *
 * Gets the format of an image. Thread-safe; does not block.
 *
 * Returns: what a texel is
 *
 * Since: 0.1
 */
GabbroFormat
gabbro_image_get_format (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), GABBRO_FORMAT_RGBA8_UNORM);

  return (GabbroFormat) self->whole.format;
}

/**
 * gabbro_image_get_width:
 * @self: an image
 *
 * Gets the width of an image. Thread-safe; does not block.
 *
 * Returns: texels of a row
 *
 * Since: 0.1
 */
guint
gabbro_image_get_width (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->place.width;
}

/**
 * gabbro_image_get_height:
 * @self: an image
 *
 * Gets the height of an image. Thread-safe; does not block.
 *
 * Returns: rows
 *
 * Since: 0.1
 */
guint
gabbro_image_get_height (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->place.height;
}

/**
 * gabbro_image_get_depth:
 * @self: an image
 *
 * Gets the depth of an image. Thread-safe; does not block.
 *
 * Returns: planes: 1 for an image of two dimensions
 *
 * Since: 0.1
 */
guint
gabbro_image_get_depth (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->place.depth;
}

/**
 * gabbro_image_get_n_dimensions:
 * @self: an image
 *
 * Gets how many coordinates a texel has. Thread-safe; does not block.
 *
 * Returns: 2 or 3
 *
 * Since: 0.1
 */
guint
gabbro_image_get_n_dimensions (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->whole.depth > 0 ? 3 : 2;
}

/**
 * gabbro_image_get_n_levels:
 * @self: an image
 *
 * Gets how many mip levels an image has. Thread-safe; does not block.
 *
 * Returns: mip levels; 1 for a view
 *
 * Since: 0.1
 */
guint
gabbro_image_get_n_levels (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->is_view ? 1 : self->whole.n_levels;
}

/**
 * gabbro_image_get_level:
 * @self: an image
 *
 * Gets which mip level a view is of, counted in the image that was made first. Thread-safe; does not block.
 *
 * Returns: the mip level; 0 for an image that is no view
 *
 * Since: 0.1
 */
guint
gabbro_image_get_level (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->place.level;
}

/**
 * gabbro_image_get_size:
 * @self: an image
 *
 * Gets how many bytes an upload or a download of an image has: those of its first level. Thread-safe; does
 * not block.
 *
 * Returns: bytes of its contents on the host
 *
 * Since: 0.1
 */
gsize
gabbro_image_get_size (GabbroImage *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->place.size;
}

static struct gabbro_copy *
new_copy (GabbroImage *self, gconstpointer data, gsize size, bool upload, GError **error)
{
  struct gabbro_copy *copy;

  if (!gabbro_device_check (self->device, error))
    return NULL;
  if (size != self->place.size)
    {
      char *sides = gabbro_image_describe (self);
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("An image of %s texels has %" PRIu64 " bytes, not %zu"), sides,
                   (guint64) self->place.size, size);
      g_free (sides);
      return NULL;
    }
  copy = gabbro_copy_new (self->resource, 0, data, size, upload);
  copy->level = self->place;
  return copy;
}

static gboolean
copy_blocking (GabbroImage *self, gconstpointer data, gsize size, bool upload, GError **error)
{
  struct gabbro_copy *copy = new_copy (self, data, size, upload, error);
  bool ok;

  if (copy == NULL)
    return FALSE;
  ok = gabbro_copy_run (copy, error);
  gabbro_copy_unref (copy);
  return ok;
}

/**
 * gabbro_image_upload:
 * @self: an image
 * @data: (array length=size) (element-type guint8): its rows
 * @size: bytes: gabbro_image_get_size()
 * @error: return location for an error
 *
 * Copies from the host, after everything that was submitted so far and uses the image.
 * Thread-safe; blocks.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_image_upload (GabbroImage *self, gconstpointer data, gsize size, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, data, size, true, error);
}

/**
 * gabbro_image_upload_bytes:
 * @self: an image
 * @bytes: its rows
 * @error: return location for an error
 *
 * As gabbro_image_upload(). Thread-safe; blocks.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_image_upload_bytes (GabbroImage *self, GBytes *bytes, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), true, error);
}

/**
 * gabbro_image_upload_bytes_async:
 * @self: an image
 * @bytes: its rows; kept until it is done
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_image_upload_bytes(), without blocking. Cancelling stops waiting for it: what was
 * begun may still arrive. Thread-safe; @callback is called in the thread-default main context of the
 * caller.
 *
 * Since: 0.1
 */
void
gabbro_image_upload_bytes_async (GabbroImage *self,
                                 GBytes *bytes,
                                 GCancellable *cancellable,
                                 GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  struct gabbro_copy *copy;
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (bytes != NULL);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_image_upload_bytes_async);
  copy = new_copy (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), true, &error);
  if (copy == NULL)
    {
      gabbro_task_fail (task, error);
      return;
    }
  copy->owner = g_bytes_ref (bytes);
  copy->release_owner = (GDestroyNotify) g_bytes_unref;
  gabbro_copy_start (copy, task);
}

/**
 * gabbro_image_upload_bytes_finish:
 * @self: an image
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_image_upload_bytes_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether it was copied
 *
 * Since: 0.1
 */
gboolean
gabbro_image_upload_bytes_finish (GabbroImage *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_image_upload_bytes_async, error);
}

/**
 * gabbro_image_download: (skip)
 * @self: an image
 * @data: (array length=size) (element-type guint8): where its rows go
 * @size: bytes: gabbro_image_get_size()
 * @error: return location for an error
 *
 * Copies to the host, after everything that was submitted so far and uses the image.
 * Thread-safe; blocks.
 *
 * Returns: whether it was copied; @data is untouched otherwise
 *
 * Since: 0.1
 */
gboolean
gabbro_image_download (GabbroImage *self, gpointer data, gsize size, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return copy_blocking (self, data, size, false, error);
}

/**
 * gabbro_image_download_bytes:
 * @self: an image
 * @error: return location for an error
 *
 * As gabbro_image_download(). Thread-safe; blocks.
 *
 * Returns: (transfer full): its rows, or %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_image_download_bytes (GabbroImage *self, GError **error)
{
  gsize size;
  gpointer data;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  size = self->place.size;
  data = gabbro_try_alloc (size, error);
  if (data == NULL)
    return NULL;
  if (copy_blocking (self, data, size, false, error))
    return g_bytes_new_take (data, size);
  g_free (data);
  return NULL;
}

/**
 * gabbro_image_download_bytes_async:
 * @self: an image
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_image_download_bytes(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_image_download_bytes_async (GabbroImage *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  struct gabbro_copy *copy;
  GError *error = NULL;
  GTask *task;
  gsize size;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_image_download_bytes_async);
  size = self->place.size;
  copy = new_copy (self, NULL, size, false, &error);
  if (copy != NULL)
    gabbro_copy_start_download (copy, task);
  else
    gabbro_task_fail (task, error);
}

/**
 * gabbro_image_download_bytes_finish:
 * @self: an image
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_image_download_bytes_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): its rows, or %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_image_download_bytes_finish (GabbroImage *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_image_download_bytes_async, error);
}
