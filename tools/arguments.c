/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/arguments.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "tools/arrays.h"
#include "tools/files.h"
#include "tools/formats.h"
#include "tools/npy.h"
#include "tools/options.h"
#include "tools/picture.h"
#include "tools/report.h"
#include "tools/suggest.h"
#include "tools/types.h"
#include "tools/values.h"

static void
clear_argument (struct tool_argument *argument)
{
  g_free (argument->name);
  g_clear_pointer (&argument->layout, gabbro_layout_unref);
  g_clear_pointer (&argument->data, g_bytes_unref);
  g_free (argument->output);
}

void
tool_arguments_clear (struct tool_arguments *arguments)
{
  for (guint i = 0; i < arguments->n_arguments; i++)
    clear_argument (&arguments->list[i]);
  g_free (arguments->list);
  *arguments = (struct tool_arguments) { 0 };
}

const char *
tool_argument_element_name (const struct tool_argument *argument)
{
  return argument->has_type ? gabbro_layout_get_name (argument->layout) : "byte";
}

/* The name of a file that the kernel's results go to. */
static bool
set_output (struct tool_argument *argument, const char *filename, GError **error)
{
  if ((argument->usage & GABBRO_USAGE_WRITE) == 0)
    return tool_usage (error, _("argument '%s': the kernel does not write it, so there is nothing for %s"),
                       argument->name, filename);
  argument->output = g_strdup (filename);
  return tool_check_output (filename, error);
}

/* --- buffers --------------------------------------------------------------------------- */

/* "IN" or "IN:OUT". What looks like a type with a slip in it is no file. */
static bool
parse_array_buffer (struct tool_argument *argument, const char *text, GError **error)
{
  const char *colon = strchr (text, ':');
  g_autofree char *input = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);

  bool missing = colon != NULL && !g_file_test (input, G_FILE_TEST_EXISTS);
  if (missing && g_ascii_isdigit (colon[1]) && strchr (input, '.') == NULL && strchr (input, '/') == NULL && tool_nearest (input, tool_type_names ()) == NULL)
    return tool_usage (error, _("argument '%s': the buffer is of %s, not of %s"), argument->name, gabbro_layout_get_name (argument->layout), input);
  if (missing && tool_nearest (input, tool_type_names ()) != NULL)
    {
      g_autofree char *suggestion = tool_suggestion (input, tool_type_names (), "");
      return tool_usage (error, _("argument '%s': there is no type '%s'%s"), argument->name, input, suggestion);
    }
  if (colon != NULL && !set_output (argument, colon + 1, error))
    return false;
  return tool_array_read (argument->layout, argument->name, input, &argument->data, &argument->length, error);
}

/* "IN" or "IN:OUT": bytes as they are in memory. */
static bool
parse_raw_buffer (struct tool_argument *argument, const char *text, GError **error)
{
  const char *colon = strchr (text, ':');
  g_autofree char *input = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);

  argument->raw = true;
  if (colon != NULL && !set_output (argument, colon + 1, error))
    return false;
  return tool_array_read_raw (argument->layout, argument->name, input, &argument->data, &argument->length, error);
}

/* "LENGTH" or "LENGTH:OUT", NULL for neither. */
static bool
parse_sized_buffer (struct tool_argument *argument, const char *text, GError **error)
{
  const char *name = tool_argument_element_name (argument);
  g_autofree char *what = g_strdup_printf (_("argument '%s': the length"), argument->name);

  if (text == NULL)
    return tool_usage (error, _("argument '%s': the length is missing: buffer:%s:LENGTH"), argument->name, name);
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);
  if (parts[0] == NULL || !tool_parse_whole (parts[0], what, 1, TOOL_BUFFER_LIMIT / gabbro_layout_get_size (argument->layout), &argument->length, error))
    return parts[0] != NULL ? false : tool_usage (error, _("argument '%s': the length is missing: buffer:%s:LENGTH"), argument->name, name);
  return parts[1] == NULL || set_output (argument, parts[1], error);
}

static bool
parse_typed_buffer (struct tool_argument *argument, GabbroKernel *kernel, const char *text, GError **error)
{
  argument->has_type = true;
  argument->layout = gabbro_kernel_dup_argument_layout (kernel, argument->index);
  if (argument->layout == NULL || gabbro_layout_get_size (argument->layout) == 0)
    return tool_fail (error, _("argument '%s': a buffer of %s cannot be given on the command line"), argument->name,
                      gabbro_kernel_get_argument_type (kernel, argument->index));
  if (!g_str_has_prefix (text, "buffer:"))
    return tool_usage (error, _("argument '%s' is a buffer: give %s=buffer:IN.npy or %s=buffer:TYPE:LENGTH:OUT.npy, not '%s'"),
                       argument->name, argument->name, argument->name, text);
  text += strlen ("buffer:");
  const char *name = gabbro_layout_get_name (argument->layout), *colon = strchr (text, ':');
  g_autofree char *first = g_strndup (text, strcspn (text, ":"));
  if (strcmp (first, name) == 0)
    return parse_sized_buffer (argument, colon != NULL ? colon + 1 : NULL, error);
  if (tool_type_is_name (first))
    return tool_usage (error, _("argument '%s': the buffer is of %s, not of %s"), argument->name, name, first);
  if (strcmp (first, "raw") == 0 && colon != NULL)
    return parse_raw_buffer (argument, colon + 1, error);
  return parse_array_buffer (argument, text, error);
}

/* A byte buffer has no type. What is no array file, in or out, is its bytes. */
static bool
parse_byte_buffer (struct tool_argument *argument, const char *text, GError **error)
{
  argument->layout = tool_type_of_bytes (error);
  if (argument->layout == NULL)
    return false;
  if (!g_str_has_prefix (text, "buffer:"))
    return tool_usage (error, _("argument '%s' is a byte buffer: give %s=buffer:IN or %s=buffer:byte:LENGTH:OUT, not '%s'"), argument->name,
                       argument->name, argument->name, text);
  text += strlen ("buffer:");
  const char *colon = strchr (text, ':');
  g_autofree char *first = g_strndup (text, strcspn (text, ":"));
  if (strcmp (first, "raw") == 0 && colon != NULL)
    return parse_raw_buffer (argument, colon + 1, error);
  bool good;
  if (strcmp (first, "byte") == 0)
    good = parse_sized_buffer (argument, colon != NULL ? colon + 1 : NULL, error);
  else if (tool_type_is_name (first))
    return tool_usage (error, _("argument '%s': the buffer is of byte, not of %s"), argument->name, first);
  else if (g_str_has_suffix (first, ".npy"))
    good = parse_array_buffer (argument, text, error);
  else
    good = parse_raw_buffer (argument, text, error);
  argument->raw = argument->output != NULL && !g_str_has_suffix (argument->output, ".npy");
  return good;
}

static bool
parse_buffer (struct tool_argument *argument, GabbroKernel *kernel, const char *text, GError **error)
{
  if (gabbro_kernel_get_argument_element_type (kernel, argument->index) == NULL)
    return parse_byte_buffer (argument, text, error);
  return parse_typed_buffer (argument, kernel, text, error);
}

/* --- images ---------------------------------------------------------------------------- */

/* What is known of an image from its type, "const image3d<uint>". */
struct image_type
{
  bool deep;
  const char *seen;             /* "float", "int" or "uint" */
};

static struct image_type
image_type_of (GabbroKernel *kernel, const struct tool_argument *argument)
{
  const char *type = gabbro_kernel_get_argument_type (kernel, argument->index);
  const char *seen = gabbro_kernel_get_argument_element_type (kernel, argument->index);
  struct image_type image = { type != NULL && strstr (type, "image3d") != NULL, "float" };

  if (g_strcmp0 (seen, "int") == 0 || g_strcmp0 (seen, "uint") == 0)
    image.seen = seen;
  return image;
}

/* What an image can be written as depends on its format. */
static bool
set_image_output (struct tool_argument *argument, const char *filename, GError **error)
{
  bool picture = argument->depth == 0
                 && (argument->format == GABBRO_FORMAT_RGBA8_UNORM || argument->format == GABBRO_FORMAT_RGBA32_FLOAT);

  if (!g_str_has_suffix (filename, ".npy") && (!picture || tool_picture_type (filename) == TOOL_PICTURE_NONE))
    return tool_usage (error, picture ? _("argument '%s': '%s' does not end in .png, .jpg, .jpeg or .npy")
                                      : _("argument '%s': '%s' does not end in .npy, and pictures cannot hold such an image"),
                       argument->name, filename);
  return set_output (argument, filename, error);
}

/* The dimensions of an array are planes of an image3d, rows, texels, components; the last where there are several. */
static bool
take_image_array (struct tool_argument *argument, const struct image_type *image, const char *filename, const struct tool_npy *npy,
                  GError **error)
{
  guint n_sides = image->deep ? 3 : 2;
  bool several = npy->n_dimensions == n_sides + 1;
  guint64 n_components = several ? npy->shape[n_sides] : 1;
  const struct tool_format *format;
  g_autofree char *shown = g_filename_display_name (filename);

  if (npy->n_dimensions != n_sides && !several)
    return tool_usage (error, _("argument '%s': the array in %s has %u dimensions; an image of the kernel's type has %u, or %u with components"),
                       argument->name, shown, npy->n_dimensions, n_sides, n_sides + 1);
  for (guint i = 0; i < n_sides; i++)
    if (npy->shape[i] == 0 || npy->shape[i] > TOOL_PICTURE_MAX_SIDE)
      return tool_usage (error, _("argument '%s': a side of the array in %s has %" PRIu64 " texels, not 1 to %d"), argument->name, shown,
                         npy->shape[i], TOOL_PICTURE_MAX_SIDE);
  format = n_components <= 4 ? tool_format_for_array (npy->type, (guint) n_components, image->seen) : NULL;
  if (format == NULL)
    {
      g_autofree char *type = tool_npy_type_name (npy->type);
      return tool_usage (error, _("argument '%s': there is no format for texels of %" PRIu64 " numbers of type %s that the kernel reads as %s"),
                         argument->name, n_components, type, image->seen);
    }
  argument->format = format->format;
  argument->width = (guint) npy->shape[n_sides - 1];
  argument->height = (guint) npy->shape[n_sides - 2];
  argument->depth = image->deep ? (guint) npy->shape[0] : 0;
  argument->data = g_bytes_ref (npy->data);
  return true;
}

static bool
parse_array_image (struct tool_argument *argument, const struct image_type *image, const char *input, const char *output, GError **error)
{
  struct tool_npy npy;

  if (!tool_npy_read (&npy, input, TOOL_ARRAY_LIMIT, error))
    return false;
  bool good = take_image_array (argument, image, input, &npy, error);
  tool_npy_clear (&npy);
  return good && (output == NULL || set_image_output (argument, output, error));
}

/* "IN" or "IN:OUT". */
static bool
parse_picture_image (struct tool_argument *argument, const struct image_type *image, const char *text, GError **error)
{
  const char *colon = strchr (text, ':'), *output = colon != NULL ? colon + 1 : NULL;
  g_autofree char *input = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  struct tool_picture picture;

  if (g_str_has_suffix (input, ".npy"))
    return parse_array_image (argument, image, input, output, error);
  if (image->deep)
    return tool_usage (error, _("argument '%s' is an image3d: give %s=image:IN.npy or %s=image:WxHxD:FORMAT:OUT.npy"), argument->name,
                       argument->name, argument->name);
  argument->format = GABBRO_FORMAT_RGBA8_UNORM;
  if (output != NULL && !set_image_output (argument, output, error))
    return false;
  if (!tool_picture_read (&picture, input, error))
    return false;
  argument->width = picture.width;
  argument->height = picture.height;
  argument->data = picture.texels;
  return true;
}

static bool
parse_side (const char *name, const char *text, guint *side, GError **error)
{
  g_autofree char *what = g_strdup_printf (_("argument '%s': the size of the image"), name);
  guint64 number;

  if (!tool_parse_whole (text, what, 1, TOOL_PICTURE_MAX_SIDE, &number, error))
    return false;
  *side = (guint) number;
  return true;
}

/* "WxH", or "WxHxD" for an image3d. */
static bool
parse_sides (struct tool_argument *argument, const struct image_type *image, const char *text, GError **error)
{
  g_auto (GStrv) sides = g_strsplit (text, "x", 3);
  guint n = g_strv_length (sides);

  if (n == 3 && !image->deep)
    return tool_usage (error, _("argument '%s' is an image2d, whose size is WxH, not '%s'"), argument->name, text);
  if (n == 2 && image->deep)
    return tool_usage (error, _("argument '%s' is an image3d, whose size is WxHxD, not '%s'"), argument->name, text);
  if (!parse_side (argument->name, sides[0], &argument->width, error) || !parse_side (argument->name, sides[1], &argument->height, error)
      || (n == 3 && !parse_side (argument->name, sides[2], &argument->depth, error)))
    return false;
  if ((guint64) argument->width * argument->height > TOOL_PICTURE_MAX_TEXELS / MAX (argument->depth, 1))
    return tool_usage (error, _("argument '%s': an image of %s has more than %u texels"), argument->name, text, TOOL_PICTURE_MAX_TEXELS);
  return true;
}

static guint64
n_blocks (guint side)
{
  return ((guint64) side + 3) / 4;
}

/* The blocks of a compressed image as they are in memory: row after row, and plane after plane. */
static bool
read_blocks (struct tool_argument *argument, const char *filename, GError **error)
{
  guint64 size = n_blocks (argument->width) * n_blocks (argument->height) * MAX (argument->depth, 1) * tool_format_block_size (argument->format);
  GBytes *bytes = tool_read_file (filename, TOOL_ARRAY_LIMIT, error);

  if (bytes == NULL)
    return false;
  guint64 n_bytes = g_bytes_get_size (bytes);
  if (n_bytes == size)
    {
      argument->data = bytes;
      return true;
    }
  g_bytes_unref (bytes);
  g_autofree char *shown = g_filename_display_name (filename);
  return tool_usage (error, _("argument '%s': the blocks of the image have %" PRIu64 " bytes, %s has %" PRIu64), argument->name, size, shown, n_bytes);
}

/* "IN", NULL for none. */
static bool
parse_blocks (struct tool_argument *argument, const struct image_type *image, const char *format, const char *filename, GError **error)
{
  if ((argument->usage & GABBRO_USAGE_WRITE) != 0)
    return tool_usage (error, _("argument '%s': %s is compressed, and the kernel writes the image"), argument->name, format);
  if (strcmp (image->seen, "float") != 0)
    return tool_usage (error, _("argument '%s': the kernel takes an image of %s, and %s is read as %s"), argument->name, image->seen, format, "float");
  if (filename == NULL)
    return tool_usage (error, _("argument '%s': %s is compressed: its blocks come from a file, image:WxH:%s:IN"), argument->name, format, format);
  return read_blocks (argument, filename, error);
}

/* "SIZE:FORMAT" or "SIZE:FORMAT:OUT"; "SIZE:FORMAT:IN" where the format is compressed. */
static bool
parse_sized_image (struct tool_argument *argument, const struct image_type *image, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 3);
  g_autofree const char **names = NULL;
  const struct tool_format *format;

  if (!parse_sides (argument, image, parts[0], error))
    return false;
  if (parts[1] == NULL)
    return tool_usage (error, _("argument '%s': the format is missing: image:%s:rgba8"), argument->name, parts[0]);
  if (tool_format_find_compressed (parts[1], &argument->format))
    return parse_blocks (argument, image, parts[1], parts[2], error);
  format = tool_format_find (parts[1], &names);
  if (format == NULL)
    {
      g_autofree char *suggestion = tool_suggestion (parts[1], names, "");
      g_autofree char *all = g_strjoinv (" ", (char **) names);
      return tool_usage (error, _("argument '%s': there is no format '%s'%s; there are: %s"), argument->name, parts[1], suggestion, all);
    }
  if (strcmp (format->seen, image->seen) != 0)
    return tool_usage (error, _("argument '%s': the kernel takes an image of %s, and %s is read as %s"), argument->name, image->seen, parts[1],
                       format->seen);
  argument->format = format->format;
  return parts[2] == NULL || set_image_output (argument, parts[2], error);
}

/* The image of that name, if its size is known. */
static struct tool_argument *
find_image (const struct tool_arguments *arguments, const struct tool_argument *argument, const char *name, GError **error)
{
  for (guint i = 0; i < arguments->n_arguments; i++)
    {
      struct tool_argument *other = &arguments->list[i];
      if (strcmp (other->name, name) == 0 && other->width > 0 && other->n_levels > 0)
        return other;
    }
  tool_usage (error, _("argument '%s': '%s' is no image with a size of its own"), argument->name, name);
  return NULL;
}

/* What a level begins with: a picture or an array that fits, or the blocks of a compressed image. */
static bool
read_level (struct tool_argument *argument, const struct image_type *image, const char *filename, GError **error)
{
  struct tool_argument whole = { .name = argument->name, .usage = argument->usage };

  if (tool_format_block_size (argument->format) > 0)
    return read_blocks (argument, filename, error);
  if (!parse_picture_image (&whole, image, filename, error))
    return false;
  bool fits = whole.width == argument->width && whole.height == argument->height && whole.depth == argument->depth && whole.format == argument->format;
  if (fits)
    argument->data = g_bytes_ref (whole.data);
  g_bytes_unref (whole.data);
  g_autofree char *shown = g_filename_display_name (filename);
  return fits || tool_usage (error, _("argument '%s': %s has another size or format than the level, which is %u×%u×%u"), argument->name, shown,
                             argument->width, argument->height, MAX (argument->depth, 1));
}

static bool
check_level (const struct tool_arguments *arguments, const struct tool_argument *argument, const struct tool_argument *owner,
             const struct image_type *image, GError **error)
{
  const struct tool_format *format = tool_format_of (owner->format);

  for (guint i = 0; i < arguments->n_arguments; i++)
    {
      const struct tool_argument *other = &arguments->list[i];
      if (other != argument && other->level == argument->level && other->owner == owner->index)
        return tool_usage (error, _("arguments '%s' and '%s' are the same level of '%s'"), other->name, argument->name, owner->name);
    }
  if (image->deep != (owner->depth > 0))
    return tool_usage (error, _("argument '%s': '%s' is no image of as many dimensions"), argument->name, owner->name);
  if (strcmp (format != NULL ? format->seen : "float", image->seen) != 0)
    return tool_usage (error, _("argument '%s': the kernel takes an image of %s, and %s is one of another kind"), argument->name, image->seen, owner->name);
  if (format == NULL && (argument->usage & GABBRO_USAGE_WRITE) != 0)
    return tool_usage (error, _("argument '%s': '%s' is compressed, and the kernel writes the level"), argument->name, owner->name);
  return true;
}

/* "@NAME/LEVEL", ":IN" or ":OUT" (as the kernel only reads the level, or writes it), or ":IN:OUT": a mip level of another image. */
static bool
parse_level (const struct tool_arguments *arguments, struct tool_argument *argument, const struct image_type *image, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 3);
  char *slash = strchr (parts[0], '/');
  g_autofree char *name = g_strndup (parts[0], (gsize) (slash - parts[0]));
  g_autofree char *what = g_strdup_printf (_("argument '%s': the mip level"), argument->name);
  struct tool_argument *owner = find_image (arguments, argument, name, error);
  guint64 level, most = 0;

  if (owner == NULL)
    return false;
  for (guint side = MAX (MAX (owner->width, owner->height), owner->depth); side > 1; side /= 2)
    most++;
  if (most == 0)
    return tool_usage (error, _("argument '%s': '%s' is one texel and has no more levels"), argument->name, name);
  if (!tool_parse_whole (slash + 1, what, 1, most, &level, error))
    return false;
  argument->level = (guint) level;
  argument->owner = owner->index;
  argument->n_levels = 0;
  argument->format = owner->format;
  argument->width = MAX (1, owner->width >> level);
  argument->height = MAX (1, owner->height >> level);
  argument->depth = owner->depth > 0 ? MAX (1, owner->depth >> level) : 0;
  owner->n_levels = MAX (owner->n_levels, (guint) level + 1);
  if (!check_level (arguments, argument, owner, image, error))
    return false;
  bool both = parts[1] != NULL && parts[2] != NULL, written = (argument->usage & GABBRO_USAGE_WRITE) != 0;
  const char *input = both || !written ? parts[1] : NULL, *output = both ? parts[2] : written ? parts[1] : NULL;
  return (input == NULL || read_level (argument, image, input, error)) && (output == NULL || set_image_output (argument, output, error));
}

/* "@NAME:FORMAT" or "@NAME:FORMAT:OUT": as large as another image, which is known by now. */
static bool
parse_like_image (const struct tool_arguments *arguments, struct tool_argument *argument, const struct image_type *image, const char *text,
                  GError **error)
{
  g_autofree char *name = g_strndup (text, strcspn (text, ":"));
  const struct tool_argument *other = find_image (arguments, argument, name, error);

  if (other == NULL)
    return false;
  g_autofree char *sized = other->depth > 0
                             ? g_strdup_printf ("%ux%ux%u%s", other->width, other->height, other->depth, text + strlen (name))
                             : g_strdup_printf ("%ux%u%s", other->width, other->height, text + strlen (name));
  return parse_sized_image (argument, image, sized, error);
}

/* An image that is like another, or a level of it, comes when that is known. */
enum turn
{
  TURN_FIRST,
  TURN_LIKE_OTHERS,
  TURN_LEVELS,
  N_TURNS
};

static enum turn
turn_of (const char *text)
{
  if (!g_str_has_prefix (text, "image:@"))
    return TURN_FIRST;
  text += strlen ("image:@");
  return memchr (text, '/', strcspn (text, ":")) != NULL ? TURN_LEVELS : TURN_LIKE_OTHERS;
}

static bool
parse_image (const struct tool_arguments *arguments, struct tool_argument *argument, GabbroKernel *kernel, const char *text, GError **error)
{
  const struct image_type image = image_type_of (kernel, argument);

  if (!g_str_has_prefix (text, "image:"))
    return tool_usage (error, _("argument '%s' is an image: give %s=image:IN.png or %s=image:WxH:rgba8:OUT.png, not '%s'"),
                       argument->name, argument->name, argument->name, text);
  text += strlen ("image:");
  argument->n_levels = 1;
  if (turn_of (text - strlen ("image:")) == TURN_LEVELS)
    return parse_level (arguments, argument, &image, text + 1, error);
  if (text[0] == '@')
    return parse_like_image (arguments, argument, &image, text + 1, error);
  /* What is made of digits, signs and an x is a size, if perhaps a wrong one. */
  gsize n_size = strspn (text, "0123456789x+-.");
  if (n_size > 0 && (text[n_size] == ':' || text[n_size] == '\0') && memchr (text, 'x', n_size) != NULL)
    return parse_sized_image (argument, &image, text, error);
  return parse_picture_image (argument, &image, text, error);
}

/* --- all ------------------------------------------------------------------------------- */

/* The bytes of a value from a file. */
static bool
parse_raw_value (struct tool_argument *argument, const char *filename, GError **error)
{
  guint64 length;

  if (!tool_array_read_raw (argument->layout, argument->name, filename, &argument->data, &length, error))
    return false;
  if (length == 1)
    return true;
  g_autofree char *shown = g_filename_display_name (filename);
  return tool_usage (error, _("argument '%s': a %s has %" PRIu64 " bytes, %s has %" PRIu64), argument->name, gabbro_layout_get_name (argument->layout),
                     gabbro_layout_get_size (argument->layout), shown, (guint64) g_bytes_get_size (argument->data));
}

static bool
parse_value (struct tool_argument *argument, GabbroKernel *kernel, const char *text, GError **error)
{
  argument->layout = gabbro_kernel_dup_argument_layout (kernel, argument->index);
  if (argument->layout == NULL || gabbro_layout_get_size (argument->layout) != gabbro_kernel_get_argument_size (kernel, argument->index))
    return tool_fail (error, _("argument '%s': a value of type %s cannot be given on the command line"),
                      argument->name, gabbro_kernel_get_argument_type (kernel, argument->index));
  if (g_str_has_prefix (text, "buffer:") || g_str_has_prefix (text, "image:"))
    return tool_usage (error, _("argument '%s' is a value of %s, not '%s'"), argument->name, gabbro_layout_get_name (argument->layout), text);
  if (g_str_has_prefix (text, "raw:"))
    return parse_raw_value (argument, text + strlen ("raw:"), error);
  argument->data = tool_value_parse (argument->layout, argument->name, text, error);
  return argument->data != NULL;
}

static bool
parse_argument (const struct tool_arguments *arguments,
                struct tool_argument *argument,
                GabbroKernel *kernel,
                const char *text,
                GError **error)
{
  switch (argument->kind)
    {
    case GABBRO_ARGUMENT_BUFFER:
      return parse_buffer (argument, kernel, text, error);
    case GABBRO_ARGUMENT_IMAGE:
      return parse_image (arguments, argument, kernel, text, error);
    default:
      return parse_value (argument, kernel, text, error);
    }
}

/* "gain (float), src (image)" of what has no text yet. */
static bool
refuse_missing (const struct tool_arguments *arguments, GabbroKernel *kernel, const char *const *values, GError **error)
{
  static const char *const kinds[] = {
    [GABBRO_ARGUMENT_VALUE] = N_("value"),
    [GABBRO_ARGUMENT_BUFFER] = N_("buffer"),
    [GABBRO_ARGUMENT_IMAGE] = N_("image"),
  };
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; i < arguments->n_arguments; i++)
    {
      if (values[i] == NULL)
        g_string_append_printf (missing, "%s%s (%s)", missing->len > 0 ? ", " : "", arguments->list[i].name,
                                _(kinds[arguments->list[i].kind]));
    }
  if (missing->len == 0)
    return true;
  return tool_usage (error, _("kernel '%s' also needs: %s"), gabbro_kernel_get_name (kernel), missing->str);
}

/* Finds out which text belongs to which argument. */
static bool
assign (const struct tool_arguments *arguments,
        GabbroKernel *kernel,
        const char *const *texts,
        guint n_texts,
        const char **values,
        GError **error)
{
  g_autofree const char **names = g_new0 (const char *, arguments->n_arguments + 1);

  for (guint i = 0; i < arguments->n_arguments; i++)
    names[i] = arguments->list[i].name;
  for (guint i = 0; i < n_texts; i++)
    {
      const char *equals = strchr (texts[i], '=');
      if (equals == NULL || equals == texts[i])
        return tool_usage (error, _("'%s' is not of the form name=value"), texts[i]);
      g_autofree char *name = g_strndup (texts[i], (gsize) (equals - texts[i]));
      guint at = 0;
      while (at < arguments->n_arguments && strcmp (names[at], name) != 0)
        at++;
      if (at == arguments->n_arguments)
        {
          g_autofree char *suggestion = tool_suggestion (name, names, "");
          return tool_usage (error, _("kernel '%s' has no argument '%s'%s"), gabbro_kernel_get_name (kernel), name,
                             suggestion);
        }
      if (values[at] != NULL)
        return tool_usage (error, _("argument '%s' was given twice"), name);
      values[at] = equals + 1;
    }
  return refuse_missing (arguments, kernel, values, error);
}

/* Two results in one file would leave the second alone. */
static bool
check_outputs (const struct tool_arguments *arguments, GError **error)
{
  for (guint i = 0; i < arguments->n_arguments; i++)
    {
      const char *output = arguments->list[i].output;
      for (guint j = 0; output != NULL && j < i; j++)
        {
          const char *other = arguments->list[j].output;
          if (other == NULL)
            continue;
          g_autofree char *one = g_canonicalize_filename (output, NULL);
          g_autofree char *two = g_canonicalize_filename (other, NULL);
          if (strcmp (one, two) == 0)
            return tool_usage (error, _("arguments '%s' and '%s' would both be written to %s"),
                               arguments->list[j].name, arguments->list[i].name, output);
        }
    }
  return true;
}

bool
tool_arguments_parse (struct tool_arguments *arguments,
                      GabbroKernel *kernel,
                      const char *const *texts,
                      guint n_texts,
                      GError **error)
{
  guint n_arguments = gabbro_kernel_get_n_arguments (kernel);
  g_autofree const char **values = g_new0 (const char *, n_arguments + 1);

  arguments->list = g_new0 (struct tool_argument, n_arguments);
  arguments->n_arguments = n_arguments;
  for (guint i = 0; i < n_arguments; i++)
    {
      struct tool_argument *argument = &arguments->list[i];
      argument->index = i;
      argument->name = g_strdup (gabbro_kernel_get_argument_name (kernel, i));
      argument->kind = gabbro_kernel_get_argument_kind (kernel, i);
      argument->usage = gabbro_kernel_get_argument_usage (kernel, i);
    }
  bool good = assign (arguments, kernel, texts, n_texts, values, error);
  for (guint i = 0; good && i < N_TURNS * n_arguments; i++)
    {
      guint at = i % n_arguments;
      if (turn_of (values[at]) == (enum turn) (i / n_arguments))
        good = parse_argument (arguments, &arguments->list[at], kernel, values[at], error);
    }
  good = good && check_outputs (arguments, error);
  if (!good)
    tool_arguments_clear (arguments);
  return good;
}

bool
tool_arguments_dispatch_size (const struct tool_arguments *arguments, guint32 size[3], GError **error)
{
  bool found = false;

  for (guint i = 0; i < arguments->n_arguments; i++)
    {
      const struct tool_argument *argument = &arguments->list[i];
      if (argument->kind != GABBRO_ARGUMENT_IMAGE || (argument->usage & GABBRO_USAGE_WRITE) == 0)
        continue;
      guint depth = MAX (argument->depth, 1);
      if (found && (size[0] != argument->width || size[1] != argument->height || size[2] != depth))
        return tool_usage (error, _("the images that are written differ in size; say how many threads: --dispatch=W[xH[xD]]"));
      size[0] = argument->width;
      size[1] = argument->height;
      size[2] = depth;
      found = true;
    }
  if (!found)
    return tool_usage (error, _("no image is written; say how many threads: --dispatch=W[xH[xD]]"));
  return true;
}
