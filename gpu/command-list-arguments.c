/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Command lists: arguments and dispatches. */

#include "config.h"

#include "gpu/command-list-private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "gpu/element-type.h"
#include "lib/checked.h"

/* Of one dispatch; each is a command, so that their number has to be bounded. */
#define MAX_DISPATCH_PARTS 65536

static const char *const kind_names[] = {
  [GABBRO_ARGUMENT_VALUE] = N_("a value"), [GABBRO_ARGUMENT_BUFFER] = N_("a buffer"), [GABBRO_ARGUMENT_IMAGE] = N_("an image")
};

/* The argument, when the list has a shader with one of that number and kind. */
static const struct gabbro_shader_argument *
find_argument (GabbroCommandList *self, guint index, GabbroArgumentKind kind, GError **error)
{
  const struct gabbro_shader_core *shader = self->recorder->shader;

  if (G_UNLIKELY (!gabbro_command_list_check_recording (self, error)))
    return NULL;
  if (G_UNLIKELY (shader == NULL))
    gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_STATE, _("Arguments can be set once the list has a shader"));
  else if (G_UNLIKELY (index >= shader->n_arguments))
    gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT, _("The kernel “%s” has %u arguments, there is no number %u"),
                              shader->name, shader->n_arguments, index);
  else if (G_UNLIKELY (shader->arguments[index].kind != kind))
    gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT, _("Argument %u (“%s”) of “%s” is %s, not %s"), index,
                              shader->arguments[index].name, shader->name, _(kind_names[shader->arguments[index].kind]),
                              _(kind_names[kind]));
  else
    return &shader->arguments[index];
  return NULL;
}

/**
 * gabbro_command_list_set_shader:
 * @self: a list
 * @shader: a shader of the same device
 * @error: return location for an error
 *
 * Says what later dispatches run. Arguments that were set for another shader are
 * forgotten. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_shader (GabbroCommandList *self, GabbroShader *shader, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_shader_is_whole (shader), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error))
    return FALSE;
  if (gabbro_shader_get_device (shader) != self->device)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_WRONG_DEVICE, _("The shader belongs to another device than the list"));
  gabbro_recorder_set_shader (self->recorder, gabbro_shader_get_core (shader));
  return TRUE;
}

static gboolean
check_buffer_argument (GabbroCommandList *self,
                       const struct gabbro_shader_argument *argument,
                       const struct gabbro_buffer_place *place,
                       GError **error)
{
  const struct gabbro_shader_core *shader = self->recorder->shader;
  const char *type = place->type;
  guint64 size = place->size, offset = place->offset, range;

  if (place->device != self->device)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_WRONG_DEVICE, _("The buffer for “%s” belongs to another device than the list"),
                                     argument->name);
  /* Both are interned. Bytes fit every type. */
  if (type != NULL && argument->type != NULL && type != argument->type)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("The argument “%s” of “%s” takes a buffer of %s, not of %s"), argument->name, shader->name,
                                     gabbro_element_type_name (argument->type), gabbro_element_type_name (type));
  if (type == NULL && (size % argument->element_size != 0 || offset % argument->element_size != 0))
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("A buffer of %" PRIu64 " bytes from byte %" PRIu64 " on is no whole number of elements of %" PRIu64 " bytes, which “%s” of “%s” takes"),
                                     size, offset, (guint64) argument->element_size, argument->name, shader->name);
  if (argument->type == NULL && offset % 4 != 0)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("The byte buffer “%s” of “%s” has to begin at a multiple of 4 bytes, not at byte %" PRIu64),
                                     argument->name, shader->name, offset);
  /* A view may begin where no descriptor can, and is seen through a longer one then. */
  range = offset + size - gabbro_recorder_descriptor_offset (offset, argument->element_size, self->core->limits.storage_buffer_offset_alignment);
  range = GB_ALIGN_UP (range, 4);
  if (range > self->core->limits.max_storage_buffer_range)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_LIMIT_EXCEEDED,
                                     _("A kernel can be given %" PRIu64 " bytes of a buffer on “%s”, and “%s” would have %" PRIu64 "; give it a view"),
                                     (guint64) self->core->limits.max_storage_buffer_range, self->core->name, argument->name, range);
  return TRUE;
}

/**
 * gabbro_command_list_set_buffer:
 * @self: a list
 * @index: the number of an argument
 * @buffer: a buffer or view of the same device, of the type of the argument or of bytes
 * @error: return location for an error
 *
 * Gives later dispatches a buffer. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_buffer (GabbroCommandList *self, guint index, GabbroBuffer *buffer, GError **error)
{
  const struct gabbro_shader_argument *argument;
  struct gabbro_buffer_place place;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_buffer_is_whole (buffer), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  place = gabbro_buffer_get_place (buffer);
  argument = find_argument (self, index, GABBRO_ARGUMENT_BUFFER, error);
  if (argument == NULL || !check_buffer_argument (self, argument, &place, error))
    return FALSE;
  gabbro_recorder_set_buffer (self->recorder, index, place.resource, place.offset, place.size);
  return TRUE;
}

static enum gabbro_texel_class
texel_class_of (enum gb_texel_component component)
{
  switch (component)
    {
    case GB_TEXEL_UINT8:
    case GB_TEXEL_UINT16:
    case GB_TEXEL_UINT32:
      return GABBRO_TEXEL_UINT;
    case GB_TEXEL_SINT8:
    case GB_TEXEL_SINT16:
    case GB_TEXEL_SINT32:
      return GABBRO_TEXEL_INT;
    default:
      return GABBRO_TEXEL_FLOAT;
    }
}

/* What the kernel does with the image has to be possible with its format. Asking for a size is reading. */
static gboolean
check_format_use (GabbroCommandList *self, const struct gabbro_shader_argument *argument, GabbroImage *image, GError **error)
{
  static const struct { enum gabbro_format_use use; const char *text; } uses[] = {
    { GABBRO_FORMAT_CAN_READ, N_("be read by kernels") },
    { GABBRO_FORMAT_CAN_STORAGE_READ, N_("be read by kernels that may also write them") },
    { GABBRO_FORMAT_CAN_STORAGE_WRITE, N_("be written by kernels") },
  };
  GabbroFormat format = gabbro_image_get_format (image);
  uint32_t has = self->core->formats[format][gabbro_image_get_n_dimensions (image) - 2].uses, needs = 0;

  if (argument->binding == HAZARD_NONE)
    return TRUE;
  if ((argument->usage & GABBRO_USAGE_READ) != 0)
    needs |= argument->is_const ? GABBRO_FORMAT_CAN_READ : GABBRO_FORMAT_CAN_STORAGE_READ;
  if ((argument->usage & GABBRO_USAGE_WRITE) != 0)
    needs |= GABBRO_FORMAT_CAN_STORAGE_WRITE;
  for (guint i = 0; i < G_N_ELEMENTS (uses); i++)
    if ((needs & ~has & uses[i].use) != 0)
      return gabbro_command_list_fail (self, error, GABBRO_ERROR_NOT_SUPPORTED,
                                       _("The argument “%s” of “%s” cannot be an image of %s: on “%s” these cannot %s"), argument->name,
                                       self->recorder->shader->name, gb_texel_infos[format].name, self->core->name, _(uses[i].text));
  return TRUE;
}

static gboolean
check_image_argument (GabbroCommandList *self, const struct gabbro_shader_argument *argument, GabbroImage *image, GError **error)
{
  static const char *const classes[] = {
    [GABBRO_TEXEL_FLOAT] = N_("float"), [GABBRO_TEXEL_INT] = N_("int"), [GABBRO_TEXEL_UINT] = N_("uint")
  };
  const struct gb_texel_info *info = &gb_texel_infos[gabbro_image_get_format (image)];

  if (gabbro_image_get_device (image) != self->device)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_WRONG_DEVICE, _("The image for “%s” belongs to another device than the list"),
                                     argument->name);
  if (argument->dimension != gabbro_image_get_n_dimensions (image))
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("The argument “%s” of “%s” takes an image of %u dimensions, not of %u"), argument->name,
                                     self->recorder->shader->name, argument->dimension, gabbro_image_get_n_dimensions (image));
  if (argument->texel != texel_class_of (info->component))
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("The argument “%s” of “%s” takes an image of %s, and %s is read as %s"), argument->name,
                                     self->recorder->shader->name, _(classes[argument->texel]), info->name,
                                     _(classes[texel_class_of (info->component)]));
  return check_format_use (self, argument, image, error);
}

/**
 * gabbro_command_list_set_image:
 * @self: a list
 * @index: the number of an argument
 * @image: an image of the same device, of as many dimensions as the argument and of a format that is read as
 *   the type in it; of several mip levels the first
 * @error: return location for an error
 *
 * Gives later dispatches an image. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_image (GabbroCommandList *self, guint index, GabbroImage *image, GError **error)
{
  const struct gabbro_shader_argument *argument;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_image_is_whole (image), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  argument = find_argument (self, index, GABBRO_ARGUMENT_IMAGE, error);
  if (argument == NULL || !check_image_argument (self, argument, image, error))
    return FALSE;
  gabbro_recorder_set_image (self->recorder, index, gabbro_image_get_resource (image), gabbro_image_get_place (image));
  return TRUE;
}

/**
 * gabbro_command_list_set_value:
 * @self: a list
 * @index: the number of an argument
 * @data: (array length=size) (element-type guint8): its bytes, laid out as gabbro-kernel(5) says; of a
 *   bool a 32-bit 0 or 1 for each lane
 * @size: bytes: gabbro_kernel_get_argument_size()
 * @error: return location for an error
 *
 * Gives later dispatches a value: scalars, vectors, arrays and structures by their
 * bytes. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_value (GabbroCommandList *self, guint index, gconstpointer data, gsize size, GError **error)
{
  const struct gabbro_shader_argument *argument;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  argument = find_argument (self, index, GABBRO_ARGUMENT_VALUE, error);
  if (argument == NULL)
    return FALSE;
  if (size != argument->size)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                     _("The argument “%s” of “%s” is a %s of %u bytes, not %zu"), argument->name,
                                     self->recorder->shader->name, gabbro_element_type_name (argument->type), argument->size, size);
  gabbro_recorder_set_value (self->recorder, index, data);
  return TRUE;
}

static gboolean
set_scalar (GabbroCommandList *self, guint index, const char *type, gconstpointer data, GError **error)
{
  const struct gabbro_shader_argument *argument = find_argument (self, index, GABBRO_ARGUMENT_VALUE, error);

  if (argument == NULL)
    return FALSE;
  if (strcmp (argument->type, type) != 0)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT, _("The argument “%s” of “%s” is a %s, not a %s"),
                                     argument->name, self->recorder->shader->name, gabbro_element_type_name (argument->type), type);
  gabbro_recorder_set_value (self->recorder, index, data);
  return TRUE;
}

/**
 * gabbro_command_list_set_bool:
 * @self: a list
 * @index: the number of an argument of type bool
 * @value: its value
 * @error: return location for an error
 *
 * Gives later dispatches a value. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_bool (GabbroCommandList *self, guint index, gboolean value, GError **error)
{
  guint32 word = value != FALSE;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return set_scalar (self, index, "bool", &word, error);
}

/**
 * gabbro_command_list_set_int:
 * @self: a list
 * @index: the number of an argument of type int
 * @value: its value
 * @error: return location for an error
 *
 * Gives later dispatches a value. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_int (GabbroCommandList *self, guint index, gint32 value, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return set_scalar (self, index, "int", &value, error);
}

/**
 * gabbro_command_list_set_uint:
 * @self: a list
 * @index: the number of an argument of type uint
 * @value: its value
 * @error: return location for an error
 *
 * Gives later dispatches a value. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_uint (GabbroCommandList *self, guint index, guint32 value, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return set_scalar (self, index, "uint", &value, error);
}

/**
 * gabbro_command_list_set_float:
 * @self: a list
 * @index: the number of an argument of type float
 * @value: its value
 * @error: return location for an error
 *
 * Gives later dispatches a value. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_float (GabbroCommandList *self, guint index, gfloat value, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return set_scalar (self, index, "float", &value, error);
}

/**
 * gabbro_command_list_set_variant:
 * @self: a list
 * @index: the number of an argument that is a value
 * @value: its value, as gabbro_layout_pack() takes it; consumed when it is floating
 * @error: return location for an error
 *
 * Gives later dispatches a value of any type: numbers, tuples for vectors, arrays, dictionaries
 * for structures. Not thread-safe; does not block.
 *
 * Returns: whether it could be set
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_set_variant (GabbroCommandList *self, guint index, GVariant *value, GError **error)
{
  const struct gabbro_shader_argument *argument;
  GBytes *bytes = NULL;
  GError *failure = NULL;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (value != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  g_variant_ref_sink (value);
  argument = find_argument (self, index, GABBRO_ARGUMENT_VALUE, error);
  if (argument != NULL)
    bytes = gabbro_layout_pack (argument->layout, value, &failure);
  g_variant_unref (value);
  if (bytes != NULL)
    {
      gabbro_recorder_set_value (self->recorder, index, g_bytes_get_data (bytes, NULL));
      g_bytes_unref (bytes);
      return TRUE;
    }
  if (failure != NULL)
    gabbro_command_list_fail (self, error, (GabbroError) failure->code, _("Argument “%s” of “%s”: %s"), argument->name,
                              self->recorder->shader->name, failure->message);
  g_clear_error (&failure);
  return FALSE;
}

/* The bytes that two buffers of a dispatch have in common where a restrict one forbids it: what neither writes may be. */
static bool
find_shared (const struct gabbro_recorder *recorder, uint32_t one, uint32_t other, struct gabbro_bound *shared)
{
  const struct gabbro_shader_argument *a = &recorder->shader->arguments[one], *b = &recorder->shader->arguments[other];
  const struct gabbro_bound *x = &recorder->bound[one], *y = &recorder->bound[other];

  if (one == other || b->kind != GABBRO_ARGUMENT_BUFFER || a->usage == 0 || b->usage == 0
      || ((a->usage | b->usage) & GABBRO_USAGE_WRITE) == 0)
    return false;
  *shared = (struct gabbro_bound) { x->resource, MAX (x->begin, y->begin), MIN (x->end, y->end) };
  return x->resource == y->resource && shared->begin < shared->end;
}

static gboolean
check_restricted (GabbroCommandList *self, GError **error)
{
  const struct gabbro_shader_core *shader = self->recorder->shader;
  struct gabbro_bound shared;

  for (uint64_t left = shader->restricted; left != 0; left &= left - 1)
    for (uint32_t i = (uint32_t) __builtin_ctzll (left), j = 0; j < shader->n_arguments; j++)
      if (find_shared (self->recorder, i, j, &shared))
        return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                         _("The argument “%s” of “%s” is restrict, and “%s” has the bytes from %" PRIu64 " to %" PRIu64 " of the same buffer, too, "
                                           "of which the kernel writes; give one of them another range, or a copy"),
                                         shader->arguments[i].name, shader->name, shader->arguments[j].name, shared.begin, shared.end);
  return TRUE;
}

static gboolean
check_dispatch (GabbroCommandList *self, const uint32_t size[3], GError **error)
{
  const struct gabbro_shader_core *shader = self->recorder->shader;
  const uint32_t *most = self->core->limits.max_group_count;
  uint64_t missing, n_parts = 1;

  if (shader == NULL)
    return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_STATE, _("The list has no shader to dispatch"));
  missing = shader->required & ~self->recorder->set;
  if (missing != 0)
    {
      GString *names = g_string_new (NULL);

      for (uint32_t i = 0; i < shader->n_arguments; i++)
        if (missing & (UINT64_C (1) << i))
          g_string_append_printf (names, "%s“%s”", names->len > 0 ? ", " : "", shader->arguments[i].name);
      gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_STATE, _("The kernel “%s” lacks arguments: %s"), shader->name, names->str);
      g_string_free (names, TRUE);
      return FALSE;
    }
  if (G_UNLIKELY (shader->restricted != 0) && !check_restricted (self, error))
    return FALSE;
  /* The number of the last thread, rounded up to a workgroup, has to fit 32 bits. */
  for (int i = 0; i < 3; i++)
    if (size[i] == 0)
      return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                       _("A dispatch has at least one thread in each dimension, not %u×%u×%u"), size[0], size[1],
                                       size[2]);
    else if ((uint64_t) size[i] + shader->group_size[i] - 1 > UINT32_MAX)
      return gabbro_command_list_fail (self, error, GABBRO_ERROR_LIMIT_EXCEEDED,
                                       _("A dispatch has from 1 to %u threads in each dimension, not %u×%u×%u"),
                                       UINT32_MAX - shader->group_size[i] + 1, size[0], size[1], size[2]);
  for (int i = 0; i < 3; i++)
    if (shader->needs_whole_groups && size[i] % shader->group_size[i] != 0)
      return gabbro_command_list_fail (self, error, GABBRO_ERROR_INVALID_ARGUMENT,
                                       _("Threads of the kernel “%s” work together and it does not ask in_dispatch(), so it cannot run for %u×%u×%u threads, "
                                         "which are no multiple of its workgroup, %u×%u×%u"),
                                       shader->name, size[0], size[1], size[2], shader->group_size[0], shader->group_size[1],
                                       shader->group_size[2]);
  for (int i = 0; i < 3; i++)
    {
      uint64_t groups = ((uint64_t) size[i] + shader->group_size[i] - 1) / shader->group_size[i];

      n_parts *= (groups + most[i] - 1) / most[i];
      if (n_parts > MAX_DISPATCH_PARTS)
        return gabbro_command_list_fail (self, error, GABBRO_ERROR_LIMIT_EXCEEDED,
                                         _("A dispatch of %u×%u×%u threads has %" PRIu64 " parts or more, the limit is %u: “%s” takes %u×%u×%u workgroups at once"),
                                         size[0], size[1], size[2], n_parts, MAX_DISPATCH_PARTS, self->core->name, most[0], most[1], most[2]);
    }
  return TRUE;
}

/**
 * gabbro_command_list_dispatch:
 * @self: a list
 * @x: threads in the first dimension, at least 1
 * @y: threads in the second dimension, at least 1
 * @z: threads in the third dimension, at least 1
 * @error: return location for an error
 *
 * Records running the shader with the arguments as they are set now. The size need not
 * be a multiple of the workgroup size, and may be larger than what the device takes at
 * once: it is split then. Where the kernel has a buffer as restrict, no other argument may have a part of
 * it that the kernel writes: such a dispatch is refused. Not thread-safe; does not block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_dispatch (GabbroCommandList *self, guint32 x, guint32 y, guint32 z, GError **error)
{
  const uint32_t size[3] = { x, y, z };
  GError *failure = NULL;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_command_list_check_recording (self, error) || !check_dispatch (self, size, error))
    return FALSE;
  if (G_LIKELY (gabbro_recorder_dispatch (self->recorder, size, &failure)))
    return TRUE;
  if (self->failure == NULL)
    self->failure = g_error_copy (failure);
  g_propagate_error (error, failure);
  return FALSE;
}

/**
 * gabbro_command_list_update_value:
 * @self: a frozen list
 * @dispatch: the number of a dispatch, in the order in which they were recorded, from 0
 * @index: the number of one of its arguments, a value
 * @data: (array length=size) (element-type guint8): as of gabbro_command_list_set_value()
 * @size: bytes
 * @error: return location for an error
 *
 * Changes a value for later submissions of a frozen list; those that were submitted
 * before keep the old one, finished or not. The next submission takes as long as
 * freezing did. Not thread-safe; does not block.
 *
 * Returns: whether it was changed
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_update_value (GabbroCommandList *self,
                                  guint dispatch,
                                  guint index,
                                  gconstpointer data,
                                  gsize size,
                                  GError **error)
{
  const struct gabbro_shader_core *shader;
  struct gabbro_recorder *recorder;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (data != NULL || size == 0, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  recorder = self->recorder;
  if (!gabbro_device_check (self->device, error))
    return FALSE;
  if (recorder->state != GABBRO_RECORDER_FROZEN || dispatch >= recorder->dispatches->len)
    {
      g_set_error (error, GABBRO_ERROR, recorder->state != GABBRO_RECORDER_FROZEN ? GABBRO_ERROR_INVALID_STATE : GABBRO_ERROR_INVALID_ARGUMENT,
                   recorder->state != GABBRO_RECORDER_FROZEN ? _("Values can be changed later in a frozen list only; this list has %u dispatches, and number %u was asked for")
                                                             : _("The list has %u dispatches, there is no number %u"),
                   recorder->dispatches->len, dispatch);
      return FALSE;
    }
  shader = g_array_index (recorder->dispatches, struct gabbro_dispatch_record, dispatch).shader;
  if (index >= shader->n_arguments || shader->arguments[index].kind != GABBRO_ARGUMENT_VALUE || shader->arguments[index].size != size)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("The kernel “%s” has no value of %zu bytes as argument %u"),
                   shader->name, size, index);
      return FALSE;
    }
  gabbro_recorder_update_value (recorder, dispatch, index, data);
  return TRUE;
}

/* One argument of gabbro_command_list_run(). */
static gboolean
set_next (GabbroCommandList *self, guint index, va_list *arguments, GError **error)
{
  const struct gabbro_shader_argument *argument = &self->recorder->shader->arguments[index];

  if (argument->kind == GABBRO_ARGUMENT_BUFFER)
    return gabbro_command_list_set_buffer (self, index, va_arg (*arguments, GabbroBuffer *), error);
  if (argument->kind == GABBRO_ARGUMENT_IMAGE)
    return gabbro_command_list_set_image (self, index, va_arg (*arguments, GabbroImage *), error);
  if (strcmp (argument->type, "float") == 0)
    return gabbro_command_list_set_float (self, index, (gfloat) va_arg (*arguments, double), error);
  if (strcmp (argument->type, "int") == 0)
    return gabbro_command_list_set_int (self, index, va_arg (*arguments, int), error);
  if (strcmp (argument->type, "uint") == 0)
    return gabbro_command_list_set_uint (self, index, va_arg (*arguments, guint), error);
  if (strcmp (argument->type, "bool") == 0)
    return gabbro_command_list_set_bool (self, index, va_arg (*arguments, gboolean), error);
  return gabbro_command_list_set_value (self, index, va_arg (*arguments, gconstpointer), argument->size, error);
}

static gint
argument_by_name (const struct gabbro_shader_core *shader, const char *name)
{
  for (uint32_t i = 0; i < shader->n_arguments; i++)
    if (strcmp (shader->arguments[i].name, name) == 0)
      return (gint) i;
  return -1;
}

/**
 * gabbro_command_list_run: (skip)
 * @self: a list
 * @shader: a shader of the same device
 * @x: threads in the first dimension
 * @y: threads in the second dimension
 * @z: threads in the third dimension
 * @error: return location for an error
 * @first_argument: (nullable): the name of an argument
 * @...: its value, then further names and values, then %NULL
 *
 * For C: gabbro_command_list_set_shader(), all arguments and gabbro_command_list_dispatch() in
 * one call. Values follow their names as #GabbroBuffer, #GabbroImage, double (for a float), int,
 * guint, gboolean, or, for all other types, a pointer to their bytes. Not thread-safe; does not
 * block.
 *
 * Returns: whether it was recorded
 *
 * Since: 0.1
 */
gboolean
gabbro_command_list_run (GabbroCommandList *self,
                         GabbroShader *shader,
                         guint32 x,
                         guint32 y,
                         guint32 z,
                         GError **error,
                         const char *first_argument,
                         ...)
{
  va_list arguments;
  gboolean ok;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_shader_is_whole (shader), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  ok = gabbro_command_list_set_shader (self, shader, error);
  va_start (arguments, first_argument);
  for (const char *name = first_argument; ok && name != NULL; name = va_arg (arguments, const char *))
    {
      gint index = argument_by_name (self->recorder->shader, name);

      if (index < 0)
        {
          ok = gabbro_command_list_fail (self, error, GABBRO_ERROR_NOT_FOUND, _("The kernel “%s” has no argument “%s”"),
                                         self->recorder->shader->name, name);
          break;
        }
      ok = set_next (self, (guint) index, &arguments, error);
    }
  va_end (arguments);
  return ok && gabbro_command_list_dispatch (self, x, y, z, error);
}
