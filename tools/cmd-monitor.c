/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro monitor: adapters that come and go, and what the library says meanwhile. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/output.h"
#include "tools/report.h"

#define INTERVAL 2
#define LONGEST 86400

static const struct tool_option options_of_monitor[] = {
  { "json-lines", 0, NULL, N_("print each event as one line of JSON") },
  { "interval", 0, N_("SECONDS"), N_("look again so often (2); 0: only when asked by SIGHUP") },
  { "timeout", 0, N_("SECONDS"), N_("end after so long") },
  { "once", 0, NULL, N_("end after the first adapter that comes or goes") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "monitor", N_("say which adapters there are, then each that comes or goes, until Ctrl-C") },
  { "monitor --json-lines", N_("for programs") },
  { "monitor --once --timeout=60", N_("wait for a change, at most a minute") },
  { "monitor --interval=0", N_("look again only on SIGHUP: kill -HUP, from an udev rule for example") },
  { NULL }
};

struct monitor
{
  GabbroContext *context;
  GMainLoop *loop;
  bool json;
  bool once;
  bool scanning;
  bool again;                   /* asked for while it was scanning */
  guint interval;               /* seconds */
  GError *error;
};

static void
end (struct monitor *monitor)
{
  g_main_loop_quit (monitor->loop);
}

/* Each is sent off at once: the next may come in an hour. */
static void
tell (struct monitor *monitor, const char *event, const char *title, GabbroAdapter *adapter, const char *message)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  bool good;

  if (monitor->error != NULL)
    return;
  if (monitor->json)
    {
      g_autofree char *time = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S.%fZ");
      struct tool_output *output = tool_output_new_line ("event");
      tool_output_string (output, "time", NULL, time);
      tool_output_string (output, "event", NULL, event);
      if (message != NULL)
        tool_output_string (output, "message", NULL, message);
      if (adapter != NULL)
        {
          tool_output_begin_object (output, "adapter", NULL);
          tool_output_string (output, "name", NULL, gabbro_adapter_get_name (adapter));
          tool_describe_adapter (output, adapter);
          tool_output_end_object (output);
        }
      good = tool_output_finish (output, &monitor->error);
    }
  else
    {
      g_autoptr (GDateTime) local = g_date_time_to_local (now);
      g_autofree char *time = g_date_time_format (local, "%H:%M:%S");
      g_autofree char *what = tool_printable (adapter != NULL ? gabbro_adapter_get_name (adapter) : message);
      g_autofree char *line = g_strdup_printf ("%s  %s  %s%s%s\n", time, title,
                                               adapter != NULL ? gabbro_adapter_get_path (adapter) : "",
                                               adapter != NULL ? "  " : "", what);
      good = tool_write_stdout (line, strlen (line), &monitor->error);
    }
  if (!good)
    end (monitor);
}

static void
added (GabbroContext *context, GabbroAdapter *adapter, gpointer data)
{
  struct monitor *monitor = data;

  tell (monitor, "added", _("added"), adapter, NULL);
  if (monitor->once)
    end (monitor);
}

static void
removed (GabbroContext *context, GabbroAdapter *adapter, gpointer data)
{
  struct monitor *monitor = data;

  tell (monitor, "removed", _("removed"), adapter, NULL);
  if (monitor->once)
    end (monitor);
}

static void
said (GabbroContext *context, const char *message, gpointer data)
{
  tell (data, "message", _("message"), NULL, message);
}

static void scan (struct monitor *monitor);

static void
scanned (GObject *source, GAsyncResult *result, gpointer data)
{
  struct monitor *monitor = data;

  monitor->scanning = false;
  if (!gabbro_context_rescan_finish (GABBRO_CONTEXT (source), result,
                                     monitor->error == NULL ? &monitor->error : NULL))
    end (monitor);
  else if (monitor->again)
    scan (monitor);
}

static void
scan (struct monitor *monitor)
{
  monitor->again = monitor->scanning;
  if (monitor->scanning)
    return;
  monitor->scanning = true;
  gabbro_context_rescan_async (monitor->context, NULL, scanned, monitor);
}

static gboolean
on_interval (gpointer data)
{
  scan (data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_end (gpointer data)
{
  end (data);
  return G_SOURCE_CONTINUE;
}

static void
tell_what_there_is (struct monitor *monitor)
{
  guint n_adapters = gabbro_context_get_n_adapters (monitor->context);
  g_auto (GStrv) messages = gabbro_context_list_messages (monitor->context);

  for (guint i = 0; i < n_adapters; i++)
    tell (monitor, "present", _("present"), gabbro_context_get_adapter (monitor->context, i), NULL);
  for (guint i = 0; messages != NULL && messages[i] != NULL; i++)
    tell (monitor, "message", _("message"), NULL, messages[i]);
}

static void
watch (struct monitor *monitor, guint timeout)
{
  guint sources[5];
  guint n_sources = 0;

  g_signal_connect (monitor->context, "adapter-added", G_CALLBACK (added), monitor);
  g_signal_connect (monitor->context, "adapter-removed", G_CALLBACK (removed), monitor);
  g_signal_connect (monitor->context, "message", G_CALLBACK (said), monitor);
  sources[n_sources++] = g_unix_signal_add (SIGHUP, on_interval, monitor);
  sources[n_sources++] = g_unix_signal_add (SIGINT, on_end, monitor);
  sources[n_sources++] = g_unix_signal_add (SIGTERM, on_end, monitor);
  if (monitor->interval > 0)
    sources[n_sources++] = g_timeout_add_seconds (monitor->interval, on_interval, monitor);
  if (timeout > 0)
    sources[n_sources++] = g_timeout_add_seconds (timeout, on_end, monitor);
  tell_what_there_is (monitor);
  if (monitor->error == NULL)
    g_main_loop_run (monitor->loop);
  g_signal_handlers_disconnect_by_data (monitor->context, monitor);
  for (guint i = 0; i < n_sources; i++)
    g_source_remove (sources[i]);
  /* Its answer still needs the monitor. */
  while (monitor->scanning)
    g_main_context_iteration (NULL, TRUE);
}

static bool
run (const struct tool_options *options, GError **error)
{
  guint64 interval = INTERVAL, timeout = 0;

  if (!tool_options_at_most (options, 0, error)
      || !tool_options_get_number (options, "interval", 0, LONGEST, &interval, error)
      || !tool_options_get_number (options, "timeout", 1, LONGEST, &timeout, error))
    return false;
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  if (context == NULL)
    return false;
  struct monitor monitor = {
    .context = context,
    .loop = g_main_loop_new (NULL, FALSE),
    .json = tool_options_has (options, "json-lines"),
    .once = tool_options_has (options, "once"),
    .interval = (guint) interval,
  };
  watch (&monitor, (guint) timeout);
  g_main_loop_unref (monitor.loop);
  if (monitor.error == NULL)
    return true;
  g_propagate_error (error, monitor.error);
  return false;
}

const struct tool_command tool_command_monitor = {
  .name = "monitor",
  .usage = N_("[--json-lines] [--interval=SECONDS] [--timeout=SECONDS] [--once]"),
  .summary = N_("report adapters that come and go"),
  .text = N_("Events are present (there at the start), added, removed and message. SIGHUP looks again\n"
             "at once; SIGINT and SIGTERM end it, with exit status 0.\n"),
  .options = options_of_monitor,
  .examples = examples,
  .run = run,
};
