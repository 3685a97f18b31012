/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands and barriers in words. */

#include "config.h"

#include "gpu/command/recorder.h"

#include "gpu/gabbro-private.h"

#include <inttypes.h>

struct command_ops
{
  void (*print) (const struct gabbro_recorder *recorder, const struct gabbro_command *command, GString *out);
};

static void
print_copy_buffer (const struct gabbro_recorder *recorder, const struct gabbro_command *command, GString *out)
{
  const struct gabbro_copy_buffer *copy = (const struct gabbro_copy_buffer *) command;
  g_string_append_printf (out, _("copy of %" PRIu64 " bytes"), (guint64) copy->size);
}

static void
print_copy_image (const struct gabbro_recorder *recorder, const struct gabbro_command *command, GString *out)
{
  const struct gabbro_copy_image *copy = (const struct gabbro_copy_image *) command;
  const struct gabbro_image_level *level = &copy->level;

  if (command->kind == GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE)
    g_string_append_printf (out, _("copy to an image of %u×%u×%u texels"), level->width, level->height, level->depth);
  else
    g_string_append_printf (out, _("copy from an image of %u×%u×%u texels"), level->width, level->height, level->depth);
}

static void
print_copy_image_to_image (const struct gabbro_recorder *recorder, const struct gabbro_command *command, GString *out)
{
  const struct gabbro_image_level *level = &((const struct gabbro_copy_image_to_image *) command)->source;

  g_string_append_printf (out, _("copy between images of %u×%u×%u texels"), level->width, level->height, level->depth);
}

static void
print_fill (const struct gabbro_recorder *recorder, const struct gabbro_command *command, GString *out)
{
  const struct gabbro_fill_buffer *fill = (const struct gabbro_fill_buffer *) command;
  g_string_append_printf (out, _("fill of %" PRIu64 " bytes"), (guint64) fill->size);
}

static void
print_dispatch (const struct gabbro_recorder *recorder, const struct gabbro_command *command, GString *out)
{
  const struct gabbro_dispatch *dispatch = (const struct gabbro_dispatch *) command;
  const char *name = "?";

  for (guint i = 0; i < recorder->shaders->len; i++)
    {
      const struct gabbro_shader_core *shader = recorder->shaders->pdata[i];
      if (shader->resource->handle == dispatch->shader)
        name = shader->name;
    }
  g_string_append_printf (out, _("dispatch of “%s”, %u×%u×%u groups"), name,
                          dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]);
}

static const struct command_ops command_ops[] = {
  [GABBRO_COMMAND_COPY_BUFFER] = { print_copy_buffer },
  [GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE] = { print_copy_image },
  [GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER] = { print_copy_image },
  [GABBRO_COMMAND_COPY_IMAGE] = { print_copy_image_to_image },
  [GABBRO_COMMAND_FILL_BUFFER] = { print_fill },
  [GABBRO_COMMAND_DISPATCH] = { print_dispatch },
};

static void
print_command (const struct gabbro_recorder *recorder, uint32_t index, GString *out)
{
  const struct gabbro_command *command = recorder->commands[index];

  g_string_append_printf (out, "#%u (", index);
  command_ops[command->kind].print (recorder, command, out);
  g_string_append_c (out, ')');
}

char **
gabbro_recorder_explain (const struct gabbro_recorder *recorder)
{
  GPtrArray *lines = g_ptr_array_new ();

  for (uint32_t i = 0; i < recorder->tracker.n_layers; i++)
    {
      const struct hazard_layer *layer = &recorder->tracker.layers[i];
      const struct gabbro_resource *resource = layer->cause.resource;
      GString *line;

      if (layer->before.source_stages == 0)
        continue;
      line = g_string_new (NULL);
      g_string_append_printf (line, _("barrier %u: "), lines->len);
      print_command (recorder, layer->cause.later, line);
      g_string_append (line, _(" after "));
      print_command (recorder, layer->cause.earlier, line);
      g_string_append_printf (line, _(": %s, %s %u, bytes %" PRIu64 " to %" PRIu64),
                              hazard_kind_name (layer->cause.kind),
                              resource->kind == GABBRO_RESOURCE_IMAGE ? _("image") : _("buffer"), resource->serial,
                              (guint64) layer->cause.begin, (guint64) layer->cause.end);
      g_ptr_array_add (lines, g_string_free (line, FALSE));
    }
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}
