/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/generate.h"
#include "tests/random/machine.h"

#include <string.h>

#define WAIT        (60 * G_USEC_PER_SEC)
#define MAX_DEVICES 4

struct machine
{
  GabbroContext *context;
  guint n_devices;
  guint n_messages;
  GString *lines;                        /* of the kernel that runs */
  guint64 n_dropped;                     /* of them */
  struct
  {
    char *name;
    GabbroDevice *device;
    GabbroStream *stream;
  } devices[MAX_DEVICES];
};

/* Not the column, nor the condition, which is text of the kernel: of one with a fault it is another. */
static void
on_print (GabbroDevice *device G_GNUC_UNUSED, const GabbroPrint *print, struct machine *machine)
{
  guint x, y, z;

  gabbro_print_get_thread (print, &x, &y, &z);
  g_string_append_printf (machine->lines, "thread (%u, %u, %u), line %u%s: %s\n", x, y, z, gabbro_print_get_line (print),
                          gabbro_print_is_failure (print) ? ", fails" : "", gabbro_print_get_text (print));
}

static void
on_dropped (GabbroDevice *device G_GNUC_UNUSED, guint64 count, struct machine *machine)
{
  machine->n_dropped += count;
}

static gboolean
open_device (struct machine *machine, const char *name, GError **error)
{
  guint i = machine->n_devices;
  GabbroDevice *device;

  device = gabbro_context_open_device (machine->context, name, error);
  if (device == NULL)
    return FALSE;
  machine->devices[i].name = g_strdup (name);
  machine->devices[i].device = device;
  g_signal_connect (device, "print", G_CALLBACK (on_print), machine);
  g_signal_connect (device, "prints-dropped", G_CALLBACK (on_dropped), machine);
  machine->devices[i].stream = gabbro_stream_new (device, NULL, error);
  machine->n_devices++;
  return machine->devices[i].stream != NULL;
}

/* Subgroups as wide as those of llvmpipe, so that they can be compared. */
static void
set_reference_width (void)
{
  const char *bits = g_getenv ("LP_NATIVE_VECTOR_WIDTH");
  char *settings = g_strdup_printf ("width=%u,threads=1", bits != NULL ? (guint) g_ascii_strtoull (bits, NULL, 10) / 32 : 32);

  g_setenv ("GABBRO_REFERENCE", settings, FALSE);
  g_free (settings);
}

struct machine *
machine_new (const char *names, gboolean validation, GError **error)
{
  struct machine *machine = g_new0 (struct machine, 1);
  GVariantBuilder options;
  char **list = g_strsplit (names, ",", MAX_DEVICES);
  gboolean ok;

  set_reference_width ();
  g_variant_builder_init (&options, G_VARIANT_TYPE_VARDICT);
  if (validation)
    g_variant_builder_add (&options, "{sv}", "validation", g_variant_new_string ("1"));
  machine->lines = g_string_new (NULL);
  machine->context = gabbro_context_new (g_variant_builder_end (&options), error);
  ok = machine->context != NULL;
  for (char **name = list; ok && *name != NULL; name++)
    ok = open_device (machine, *name, error);
  g_strfreev (list);
  if (!ok)
    g_clear_pointer (&machine, machine_free);
  return machine;
}

void
machine_free (struct machine *machine)
{
  for (guint i = 0; i < machine->n_devices; i++)
    {
      g_clear_object (&machine->devices[i].stream);
      g_clear_object (&machine->devices[i].device);
      g_free (machine->devices[i].name);
    }
  g_clear_object (&machine->context);
  g_string_free (machine->lines, TRUE);
  g_free (machine);
}

guint
machine_n_devices (const struct machine *machine)
{
  return machine->n_devices;
}

const char *
machine_device_name (const struct machine *machine, guint device)
{
  return machine->devices[device].name;
}

gboolean
machine_has_levels (const struct machine *machine, guint device)
{
  return strcmp (machine->devices[device].name, "reference") != 0;
}

char *
configuration_print (const struct machine *machine, const struct configuration *configuration)
{
  const char *name = machine->devices[configuration->device].name;

  if (!machine_has_levels (machine, configuration->device))
    return g_strdup (name);
  return g_strdup_printf ("%s -O%d%s", name, configuration->level,
                          configuration->flags & GABBRO_COMPILE_NO_XIR_OPTIMIZATION ? " without XIR optimisation" : "");
}

GBytes *
machine_compile (struct machine *machine, const struct configuration *configuration, GabbroKernel *kernel, GError **error)
{
  if (!machine_has_levels (machine, configuration->device))
    return NULL;
  return gabbro_kernel_compile_spirv (kernel, gabbro_device_get_adapter (machine->devices[configuration->device].device),
                                      configuration->flags, configuration->level, error);
}

/* Running. */

struct run
{
  GabbroDevice *device;
  GabbroKernel *kernel;
  GabbroCommandList *list;
  GPtrArray *objects;                    /* buffers and images, one a slot; views behind them */
};

static gboolean
set_value (struct run *run, const struct slot *slot, gint index, GError **error)
{
  gsize size = gabbro_kernel_get_argument_size (run->kernel, (guint) index);

  if (size > slot->size)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s has %" G_GSIZE_FORMAT " bytes, not %" G_GSIZE_FORMAT, slot->name, size, slot->size);
      return FALSE;
    }
  return gabbro_command_list_set_value (run->list, (guint) index, slot->bytes, size, error);
}

static gboolean
set_image (struct run *run, const struct slot *slot, gint index, GError **error)
{
  enum scalar scalar = slot->variable->type->scalar;
  guint n = slot->variable->n_dimensions;
  GabbroFormat format = scalar == SCALAR_FLOAT ? GABBRO_FORMAT_RGBA32_FLOAT : scalar == SCALAR_INT ? GABBRO_FORMAT_RGBA32_SINT : GABBRO_FORMAT_RGBA32_UINT;
  GabbroImage *image = n == 2 ? gabbro_image_new_2d (run->device, format, image_sizes[n][0], image_sizes[n][1], error)
                       : gabbro_image_new_3d (run->device, format, image_sizes[n][0], image_sizes[n][1], image_sizes[n][2], error);

  if (image == NULL)
    return FALSE;
  g_ptr_array_add (run->objects, image);
  return gabbro_command_list_upload_image (run->list, image, slot->bytes, slot->size, error)
         && gabbro_command_list_set_image (run->list, (guint) index, image, error);
}

static gboolean
set_buffer (struct run *run, const struct slot *slot, gint index, GError **error)
{
  gboolean is_bytes = slot->role == ROLE_INPUT_BYTES || slot->role == ROLE_OUTPUT_BYTES;
  GabbroBuffer *whole = is_bytes ? gabbro_buffer_new_bytes (run->device, slot->whole, error)
                        : gabbro_buffer_new_for_argument (run->device, run->kernel, (guint) index, slot->whole, error);
  GabbroBuffer *view;

  if (whole == NULL)
    return FALSE;
  g_ptr_array_add (run->objects, whole);
  if (gabbro_buffer_get_size (whole) != slot->size)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s has %" G_GUINT64_FORMAT " bytes, not %" G_GSIZE_FORMAT, slot->name,
                   gabbro_buffer_get_size (whole), slot->size);
      return FALSE;
    }
  view = gabbro_buffer_new_view (whole, slot->first, slot->length, error);
  if (view == NULL)
    return FALSE;
  g_object_set_data_full (G_OBJECT (whole), "view", view, g_object_unref);
  return gabbro_command_list_upload (run->list, whole, 0, slot->bytes, slot->size, error)
         && gabbro_command_list_set_buffer (run->list, (guint) index, view, error);
}

static gboolean
set_slot (struct run *run, const struct slot *slot, GError **error)
{
  gint index = gabbro_kernel_find_argument (run->kernel, slot->name);

  if (index < 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "there is no argument %s", slot->name);
      return FALSE;
    }
  switch (slot->role)
    {
    case ROLE_INPUT_BUFFER:
    case ROLE_OUTPUT_BUFFER:
    case ROLE_TOTALS:
    case ROLE_INPUT_BYTES:
    case ROLE_OUTPUT_BYTES:
      return set_buffer (run, slot, index, error);
    case ROLE_INPUT_IMAGE:
    case ROLE_OUTPUT_IMAGE:
      return set_image (run, slot, index, error);
    default:
      g_ptr_array_add (run->objects, g_object_new (G_TYPE_OBJECT, NULL));
      return set_value (run, slot, index, error);
    }
}

static gboolean
fetch (struct run *run, const struct data *data, guint8 *outputs, GError **error)
{
  for (guint i = 0; i < data->slots->len; i++)
    {
      const struct slot *slot = &g_array_index (data->slots, struct slot, i);
      if (!slot_is_output (slot))
        continue;
      if (!(slot->role != ROLE_OUTPUT_IMAGE ? gabbro_command_list_download (run->list, run->objects->pdata[i], 0, outputs, slot->size, error)
            : gabbro_command_list_download_image (run->list, run->objects->pdata[i], outputs, slot->size, error)))
        return FALSE;
      outputs += slot->size;
    }
  return TRUE;
}

static gboolean
record (struct run *run, GabbroShader *shader, const struct kernel *tree, const struct data *data, guint8 *outputs, GError **error)
{
  if (!gabbro_command_list_set_shader (run->list, shader, error))
    return FALSE;
  for (guint i = 0; i < data->slots->len; i++)
    if (!set_slot (run, &g_array_index (data->slots, struct slot, i), error))
      return FALSE;
  return gabbro_command_list_dispatch (run->list, tree->threads[0], tree->threads[1], tree->threads[2], error)
         && fetch (run, data, outputs, error);
}

/* They have come into the main context. */
static gboolean
take_lines (struct machine *machine, char **lines, GError **error)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
  if (machine->n_dropped == 0)
    {
      *lines = g_strdup (machine->lines->str);
      return TRUE;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%" G_GUINT64_FORMAT " lines were dropped", machine->n_dropped);
  return FALSE;
}

guint8 *
machine_run (struct machine *machine,
             const struct configuration *configuration,
             GabbroKernel *kernel,
             const struct kernel *tree,
             const struct data *data,
             char **lines,
             GError **error)
{
  struct run run = { .device = machine->devices[configuration->device].device, .kernel = kernel };
  g_autoptr (GabbroShader) shader = gabbro_shader_new (run.device, kernel, configuration->flags, configuration->level, error);
  guint8 *outputs;
  gboolean ok;

  if (shader == NULL)
    return NULL;
  run.list = gabbro_command_list_new (run.device, error);
  if (run.list == NULL)
    return NULL;
  run.objects = g_ptr_array_new_with_free_func (g_object_unref);
  outputs = g_malloc0 (data->output_size + 1);
  g_string_set_size (machine->lines, 0);
  machine->n_dropped = 0;
  ok = record (&run, shader, tree, data, outputs, error)
       && gabbro_stream_run (machine->devices[configuration->device].stream, run.list, WAIT, error)
       && take_lines (machine, lines, error);
  g_object_unref (run.list);
  g_ptr_array_unref (run.objects);
  if (!ok)
    g_clear_pointer (&outputs, g_free);
  return outputs;
}

char *
machine_take_messages (struct machine *machine)
{
  char **messages = gabbro_context_list_messages (machine->context);
  guint n = g_strv_length (messages);
  char *text = n > machine->n_messages ? g_strdup (messages[machine->n_messages]) : NULL;

  machine->n_messages = n;
  g_strfreev (messages);
  return text;
}
