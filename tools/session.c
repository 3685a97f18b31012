/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/session.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/prints.h"
#include "tools/report.h"

struct session
{
  GabbroDevice *device;
  const struct tool_request *request;
  const struct tool_arguments *arguments;
  GabbroShader *shader;
  GabbroStream *stream;
  GObject **resources;          /* one an argument, NULL for values */
};

static GabbroImage *
make_image (GabbroDevice *device, const struct tool_argument *argument, GError **error)
{
  return gabbro_image_new_with_levels (device, argument->format, argument->depth > 0 ? 3 : 2, argument->width, argument->height,
                                       MAX (argument->depth, 1), argument->n_levels, error);
}

static GabbroBuffer *
make_buffer (const struct session *session, const struct tool_argument *argument, GError **error)
{
  if (!argument->has_type)
    return gabbro_buffer_new_bytes (session->device, argument->length, error);
  return gabbro_buffer_new_for_argument (session->device, session->request->kernel, argument->index, argument->length, error);
}

static GObject *
make_resource (const struct session *session, const struct tool_argument *argument, GError **error)
{
  if (argument->kind == GABBRO_ARGUMENT_BUFFER)
    return (GObject *) make_buffer (session, argument, error);
  if (argument->n_levels > 0)
    return (GObject *) make_image (session->device, argument, error);
  return (GObject *) gabbro_image_new_view (GABBRO_IMAGE (session->resources[argument->owner]), argument->level, error);
}

static bool
make_resources (struct session *session, GError **error)
{
  guint n_arguments = session->arguments->n_arguments;

  /* Levels need the images that they are of. */
  for (guint i = 0; i < 2 * n_arguments; i++)
    {
      const struct tool_argument *argument = &session->arguments->list[i % n_arguments];
      bool is_level = argument->kind == GABBRO_ARGUMENT_IMAGE && argument->n_levels == 0;
      if (argument->kind == GABBRO_ARGUMENT_VALUE || is_level != (i >= n_arguments))
        continue;
      session->resources[argument->index] = make_resource (session, argument, error);
      if (session->resources[argument->index] == NULL)
        {
          g_prefix_error (error, _("argument '%s': "), argument->name);
          return false;
        }
    }
  return true;
}

static gsize
resource_size (GObject *resource)
{
  if (GABBRO_IS_BUFFER (resource))
    return (gsize) gabbro_buffer_get_size (GABBRO_BUFFER (resource));
  return gabbro_image_get_size (GABBRO_IMAGE (resource));
}

static bool
submit_and_wait (struct session *session, GabbroCommandList *list, gint64 timeout_us, GError **error)
{
  return gabbro_stream_submit (session->stream, list, error)
         && gabbro_stream_synchronize (session->stream, timeout_us, error);
}

/* Devices fill whole words; elements may be smaller. */
static bool
fill_with_zeros (GabbroCommandList *list, GabbroBuffer *buffer, gsize size, GError **error)
{
  static const guint8 zeros[3];
  gsize words = size & ~(gsize) 3;

  return (words == 0 || gabbro_command_list_fill (list, buffer, 0, words, 0, error))
         && (words == size || gabbro_command_list_upload (list, buffer, words, zeros, size - words, error));
}

/* What a resource begins with is never left to chance. */
static bool
upload_resource (GabbroCommandList *list, const struct tool_argument *argument, GObject *resource, GError **error)
{
  gsize size = resource_size (resource);

  if (GABBRO_IS_BUFFER (resource))
    {
      if (argument->data != NULL)
        return gabbro_command_list_upload_bytes (list, GABBRO_BUFFER (resource), 0, argument->data, error);
      return fill_with_zeros (list, GABBRO_BUFFER (resource), size, error);
    }
  if (argument->data != NULL)
    {
      gsize n_bytes;
      gconstpointer texels = g_bytes_get_data (argument->data, &n_bytes);
      return gabbro_command_list_upload_image (list, GABBRO_IMAGE (resource), texels, n_bytes, error);
    }
  gpointer zeros = g_try_malloc0 (size);
  if (zeros == NULL)
    return tool_fail (error, _("argument '%s': not enough memory for %" PRIu64 " bytes"),
                      argument->name, (guint64) size);
  bool good = gabbro_command_list_upload_image (list, GABBRO_IMAGE (resource), zeros, size, error);
  g_free (zeros);
  return good;
}

static bool
upload (struct session *session, GError **error)
{
  g_autoptr (GabbroCommandList) list = gabbro_command_list_new (session->device, error);
  guint n_uploads = 0;

  if (list == NULL)
    return false;
  for (guint i = 0; i < session->arguments->n_arguments; i++)
    {
      if (session->resources[i] == NULL)
        continue;
      if (!upload_resource (list, &session->arguments->list[i], session->resources[i], error))
        return false;
      n_uploads++;
    }
  return n_uploads == 0 || submit_and_wait (session, list, -1, error);
}

static bool
set_argument (GabbroCommandList *list, const struct tool_argument *argument, GObject *resource, GError **error)
{
  gsize size;

  if (argument->kind == GABBRO_ARGUMENT_BUFFER)
    return gabbro_command_list_set_buffer (list, argument->index, GABBRO_BUFFER (resource), error);
  if (argument->kind == GABBRO_ARGUMENT_IMAGE)
    return gabbro_command_list_set_image (list, argument->index, GABBRO_IMAGE (resource), error);
  gconstpointer data = g_bytes_get_data (argument->data, &size);
  return gabbro_command_list_set_value (list, argument->index, data, size, error);
}

static bool
run_once (struct session *session, GError **error)
{
  const guint32 *size = session->request->size;
  g_autoptr (GabbroCommandList) list = gabbro_command_list_new (session->device, error);

  if (list == NULL || !gabbro_command_list_set_shader (list, session->shader, error))
    return false;
  for (guint i = 0; i < session->arguments->n_arguments; i++)
    {
      if (!set_argument (list, &session->arguments->list[i], session->resources[i], error))
        return false;
    }
  return gabbro_command_list_dispatch (list, size[0], size[1], size[2], error)
         && submit_and_wait (session, list, session->request->timeout_us, error);
}

static bool
run_all (struct session *session, gint64 *runs, GError **error)
{
  bool good = true;

  for (guint i = 0; good && i < session->request->n_runs; i++)
    {
      if (session->request->progress && session->request->n_runs > 1)
        {
          g_printerr ("\r");
          g_printerr (_("run %u of %u"), i + 1, session->request->n_runs);
        }
      gint64 begin = g_get_monotonic_time ();
      good = run_once (session, error);
      runs[i] = g_get_monotonic_time () - begin;
      tool_prints_hear ();
    }
  if (session->request->progress && session->request->n_runs > 1)
    g_printerr ("\r\033[K");
  return good;
}

static bool
download (struct session *session, const bool *wanted, struct tool_result *results, GError **error)
{
  g_autoptr (GabbroCommandList) list = gabbro_command_list_new (session->device, error);
  guint n_downloads = 0;

  if (list == NULL)
    return false;
  for (guint i = 0; i < session->arguments->n_arguments; i++)
    {
      GObject *resource = session->resources[i];
      if (!wanted[i])
        continue;
      gsize size = resource_size (resource);
      results[i].data = g_try_malloc (size);
      results[i].size = size;
      if (results[i].data == NULL)
        return tool_fail (error, _("argument '%s': not enough memory for %" PRIu64 " bytes"),
                          session->arguments->list[i].name, (guint64) size);
      bool good = GABBRO_IS_BUFFER (resource)
                    ? gabbro_command_list_download (list, GABBRO_BUFFER (resource), 0, results[i].data, size, error)
                    : gabbro_command_list_download_image (list, GABBRO_IMAGE (resource), results[i].data, size, error);
      if (!good)
        return false;
      n_downloads++;
    }
  return n_downloads == 0 || submit_and_wait (session, list, -1, error);
}

static bool
work (struct session *session,
      const bool *wanted,
      struct tool_result *results,
      struct tool_times *times,
      GError **error)
{
  gint64 begin = g_get_monotonic_time ();

  session->shader = gabbro_shader_new (session->device, session->request->kernel, session->request->flags,
                                       session->request->level, error);
  if (session->shader == NULL)
    return false;
  times->compile += g_get_monotonic_time () - begin;

  begin = g_get_monotonic_time ();
  session->stream = gabbro_stream_new (session->device, NULL, error);
  if (session->stream == NULL || !make_resources (session, error) || !upload (session, error))
    return false;
  times->upload = g_get_monotonic_time () - begin;

  if (!run_all (session, times->runs, error))
    return false;

  begin = g_get_monotonic_time ();
  if (!download (session, wanted, results, error))
    return false;
  times->download = g_get_monotonic_time () - begin;
  return true;
}

bool
tool_session_run (GabbroDevice *device,
                  const struct tool_request *request,
                  const struct tool_arguments *arguments,
                  const bool *wanted,
                  struct tool_result *results,
                  struct tool_times *times,
                  bool *abandoned,
                  GError **error)
{
  g_autoptr (GError) failure = NULL;
  struct session session = {
    .device = device,
    .request = request,
    .arguments = arguments,
    .resources = g_new0 (GObject *, arguments->n_arguments + 1),
  };

  bool good = work (&session, wanted, results, times, &failure);
  *abandoned = g_error_matches (failure, GABBRO_ERROR, GABBRO_ERROR_TIMED_OUT);
  /* A kernel that never ends still has everything; letting go of it could wait for it. */
  if (!*abandoned)
    {
      for (guint i = 0; i < arguments->n_arguments; i++)
        g_clear_object (&session.resources[i]);
      g_clear_object (&session.stream);
      g_clear_object (&session.shader);
    }
  g_free (session.resources);
  if (!good)
    g_propagate_error (error, g_steal_pointer (&failure));
  return good;
}
