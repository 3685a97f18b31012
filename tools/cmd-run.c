/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro run: one kernel, with pictures, arrays and values from the command line. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/adapters.h"
#include "tools/arguments.h"
#include "tools/arrays.h"
#include "tools/bundles.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/formats.h"
#include "tools/kernels.h"
#include "tools/npy.h"
#include "tools/picture.h"
#include "tools/report.h"
#include "tools/session.h"
#include "tools/values.h"
#include "tools/watch.h"

#define MAX_RUNS 1000000
#define MAX_TIMEOUT_SECONDS 1000000
#define N_SHOWN 16

static const struct tool_option options_of_run[] = {
  { "dispatch", 'd', N_("W[xH[xD]]"), N_("how many threads; by default the size of the image that is written") },
  { "device", 0, N_("ADAPTER"), N_("where to run: a name, UUID, PCI address or path") },
  TOOL_COMPILE_OPTIONS,
  { "repeat", 0, N_("N"), N_("run N times, one after the other (1)") },
  TOOL_WATCH_OPTIONS,
  { "print-buffer", 0, N_("KIB"), N_("room for what the kernel prints in one run, in kibibytes (1024)") },
  { "timeout", 0, N_("SECONDS"), N_("give up when a run takes longer") },
  { "time", 0, NULL, N_("print the shortest, median, mean and longest run, and threads a second") },
  { "quiet", 'q', NULL, N_("print no summary") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "run sobel.gk source=image:in.jpg target=image:@source:rgba8:out.png gain=1", N_("a picture in, a picture of the same size out") },
  { "run gaussian-blur.gk:blur_rows source=image:in.png target=image:640x480:rgba32f:out.npy", N_("one of several kernels") },
  { "run saxpy.gk --dispatch=1024 a=2.5 x=buffer:x.npy y=buffer:y.npy:out.npy", N_("arrays of NumPy") },
  { "run filters.gabbro:sobel source=image:in.jpg target=image:@source:rgba8:out.png gain=1", N_("a kernel of a bundle") },
  { "run saxpy.gk --dispatch=8 a=2 x=buffer:float:8 y=buffer:float:8", N_("no file: the first values are printed") },
  { "run saxpy.gk --check --dispatch=9 a=2 x=buffer:float:8 y=buffer:float:9", N_("what is wrong with it?") },
  { "run loud.gk -d 100000 --print-buffer=65536 out=buffer:int:8", N_("a kernel that prints very much") },
  { "run saxpy.gk --trace=3 --dispatch=8 a=2 x=buffer:float:8 y=buffer:float:8", N_("how does thread 3 run?") },
  { NULL }
};

struct job
{
  char *filename;
  const char *kernel_name;      /* NULL: the only one */
  struct tool_request request;
  struct tool_arguments arguments;
  struct tool_times times;
  struct tool_result *results;
  struct tool_watch watch;
  GHashTable *sources;
  struct tool_prints prints;
  guint64 print_buffer;         /* kibibytes; 0: not said */
  bool quiet;
  bool detail;
};

static bool
parse_dispatch (const char *text, guint32 size[3], GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", 4);
  guint n_parts = g_strv_length (parts);

  if (n_parts > 3)
    return tool_usage (error, _("--dispatch: '%s' has more than three numbers"), text);
  size[0] = size[1] = size[2] = 1;
  for (guint i = 0; i < n_parts; i++)
    {
      guint64 number;
      if (!tool_parse_whole (parts[i], "--dispatch", 1, G_MAXUINT32, &number, error))
        return false;
      size[i] = (guint32) number;
    }
  return true;
}

static bool
parse_options (struct job *job, const struct tool_options *options, GError **error)
{
  guint64 n_runs = 1, seconds = 0;
  const char *dispatch = tool_options_get (options, "dispatch");

  if (tool_options_n_operands (options) == 0)
    return tool_usage (error, _("a file with kernels is missing: gabbro run FILE[:KERNEL] name=value…"));
  if (!tool_options_get_number (options, "repeat", 1, MAX_RUNS, &n_runs, error)
      || !tool_options_get_number (options, "timeout", 1, MAX_TIMEOUT_SECONDS, &seconds, error)
      || !tool_compile_options (options, &job->request.flags, &job->request.level, error))
    return false;
  if (!tool_options_get_number (options, "print-buffer", 4, 1 << 20, &job->print_buffer, error))
    return false;
  if (dispatch != NULL && !parse_dispatch (dispatch, job->request.size, error))
    return false;
  job->request.n_runs = (guint) n_runs;
  job->request.timeout_us = seconds > 0 ? (gint64) seconds * G_USEC_PER_SEC : -1;
  job->quiet = tool_options_has (options, "quiet");
  job->detail = tool_options_has (options, "time");
  job->request.progress = !job->quiet && tool_stderr_is_terminal ();
  job->filename = tool_split_operand (tool_options_operand (options, 0), &job->kernel_name);
  return tool_watch_parse (&job->watch, options, error);
}

/* --- results --------------------------------------------------------------------------- */

static bool
write_buffer (struct tool_writer *writer, const struct tool_argument *argument, struct tool_result *result, GError **error)
{
  if (argument->raw)
    return tool_writer_write (writer, result->data, result->size, error);
  return tool_array_write (writer, argument->layout, argument->name, result->data, argument->length, error);
}

static bool
write_image (struct tool_writer *writer, const struct tool_argument *argument, struct tool_result *result, GError **error)
{
  enum tool_picture_type type = tool_picture_type (argument->output);
  const struct tool_format *format = tool_format_of (argument->format);
  guint64 shape[4] = { argument->depth, argument->height, argument->width, format->n_components };
  guint first = argument->depth > 0 ? 0 : 1, n = format->n_components > 1 ? 4 : 3;

  if (type == TOOL_PICTURE_NONE)
    return tool_npy_write (writer, format->type, shape + first, n - first, result->data, result->size, error);
  return tool_picture_write (writer, type, argument->width, argument->height,
                             argument->format == GABBRO_FORMAT_RGBA32_FLOAT, result->data, error);
}

/* All files are complete before the first one takes the place of another. */
static bool
write_files (struct job *job, GError **error)
{
  guint n_arguments = job->arguments.n_arguments;
  g_autofree struct tool_writer **writers = g_new0 (struct tool_writer *, n_arguments + 1);
  bool good = true;

  for (guint i = 0; good && i < n_arguments; i++)
    {
      const struct tool_argument *argument = &job->arguments.list[i];
      if (argument->output == NULL)
        continue;
      writers[i] = tool_writer_new (argument->output, error);
      good = writers[i] != NULL
             && (argument->kind == GABBRO_ARGUMENT_BUFFER ? write_buffer (writers[i], argument, &job->results[i], error)
                                                          : write_image (writers[i], argument, &job->results[i], error))
             && tool_writer_finish (writers[i], error);
    }
  for (guint i = 0; i < n_arguments; i++)
    {
      if (writers[i] == NULL)
        continue;
      if (good)
        good = tool_writer_commit (writers[i], error);
      else
        tool_writer_give_up (writers[i]);
    }
  return good;
}

static bool
is_shown (const struct tool_argument *argument)
{
  return argument->kind == GABBRO_ARGUMENT_BUFFER && argument->output == NULL
         && (argument->usage & GABBRO_USAGE_WRITE) != 0;
}

/* Results without a file: the first values, one line a buffer. */
static bool
show_values (struct job *job, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < job->arguments.n_arguments; i++)
    {
      const struct tool_argument *argument = &job->arguments.list[i];
      if (!is_shown (argument))
        continue;
      g_string_append_printf (text, "%s =", argument->name);
      guint64 n_shown = MIN (argument->length, N_SHOWN);
      for (guint64 j = 0; j < n_shown; j++)
        {
          g_string_append_c (text, ' ');
          tool_value_append (text, argument->layout, (const guint8 *) job->results[i].data + j * gabbro_layout_get_size (argument->layout));
        }
      g_string_append (text, n_shown < argument->length ? " …\n" : "\n");
    }
  return tool_write_stdout (text->str, text->len, error);
}

/* --- summary --------------------------------------------------------------------------- */

static char *
milliseconds (gint64 microseconds)
{
  return g_strdup_printf (_("%.3f ms"), (double) microseconds / 1000.0);
}

static int
compare_times (const void *a, const void *b)
{
  gint64 one = *(const gint64 *) a, two = *(const gint64 *) b;
  return (one > two) - (one < two);
}

static void
print_detail (const struct job *job, gint64 total)
{
  guint n_runs = job->request.n_runs;
  const guint32 *size = job->request.size;
  g_autofree gint64 *sorted = g_memdup2 (job->times.runs, n_runs * sizeof *sorted);

  qsort (sorted, n_runs, sizeof *sorted, compare_times);
  g_autofree char *least = milliseconds (sorted[0]);
  g_autofree char *middle = milliseconds (sorted[n_runs / 2]);
  g_autofree char *most = milliseconds (sorted[n_runs - 1]);
  g_autofree char *mean = milliseconds (total / n_runs);
  g_printerr (ngettext ("%u run: shortest %s, median %s, mean %s, longest %s\n",
                        "%u runs: shortest %s, median %s, mean %s, longest %s\n", n_runs),
              n_runs, least, middle, mean, most);
  double n_threads = (double) size[0] * size[1] * size[2];
  g_printerr (_("%.3g threads a second in the shortest run\n"),
              n_threads / ((double) MAX (sorted[0], 1) / G_USEC_PER_SEC));
}

static void
print_summary (const struct job *job, GabbroAdapter *adapter)
{
  const guint32 *size = job->request.size;
  gint64 total = 0;
  guint group[3];

  for (guint i = 0; i < job->request.n_runs; i++)
    total += job->times.runs[i];
  gabbro_kernel_get_group_size (job->request.kernel, &group[0], &group[1], &group[2]);
  g_autofree char *name = tool_printable (gabbro_adapter_get_name (adapter));
  g_printerr (_("%s on %s, driver %s: %u×%u×%u threads in groups of %u×%u×%u\n"),
              gabbro_kernel_get_name (job->request.kernel), name, gabbro_adapter_get_driver (adapter),
              size[0], size[1], size[2], group[0], group[1], group[2]);
  g_autofree char *compile = milliseconds (job->times.compile);
  g_autofree char *upload = milliseconds (job->times.upload);
  g_autofree char *run = milliseconds (total);
  g_autofree char *download = milliseconds (job->times.download);
  g_printerr (_("compile %s, upload %s, run %s, download %s\n"), compile, upload, run, download);
  if (job->detail)
    print_detail (job, total);
  for (guint i = 0; i < job->arguments.n_arguments; i++)
    {
      const struct tool_argument *argument = &job->arguments.list[i];
      if (argument->output == NULL)
        continue;
      g_autofree char *shown = g_filename_display_name (argument->output);
      g_autofree char *file = tool_printable (shown);
      if (argument->kind == GABBRO_ARGUMENT_IMAGE && argument->depth > 0)
        g_printerr (_("%s written to %s: %u×%u×%u\n"), argument->name, file, argument->width, argument->height, argument->depth);
      else if (argument->kind == GABBRO_ARGUMENT_IMAGE)
        g_printerr (_("%s written to %s: %u×%u\n"), argument->name, file, argument->width, argument->height);
      else
        g_printerr (_("%s written to %s: %" PRIu64 " of %s\n"), argument->name, file, argument->length,
                    tool_argument_element_name (argument));
    }
}

/* --- the command ------------------------------------------------------------------------- */

/* NULL where nobody looks at a thread. */
static struct tool_debugger *
make_debugger (const struct job *job)
{
  g_autofree char *name = g_filename_display_name (job->filename);

  if (!tool_watch_sees_lines (&job->watch))
    return NULL;
  return tool_debugger_new (&job->watch, name, job->sources, stdin, isatty (STDIN_FILENO) == 1);
}

static bool
finish (struct job *job, GabbroAdapter *adapter, GError **error)
{
  if (!write_files (job, error) || (!job->watch.json && !show_values (job, error)))
    return false;
  if (!job->quiet && !job->watch.json)
    print_summary (job, adapter);
  return true;
}

/* Also of a run that failed: what was reported may say why. */
static bool
report (const struct job *job, GabbroContext *context, GabbroDevice *device, bool good, GError **error)
{
  bool is_explained;
  GError *found = NULL;

  if (tool_watch_report (&job->watch, device, &job->prints, &is_explained, &found))
    {
      if (good || tool_watch_is_on (&job->watch))
        tool_report_messages (context, *error);
      return good;
    }
  if (!is_explained)
    tool_report_messages (context, *error);
  if (!good && !is_explained)
    tool_remark ("%s", (*error)->message);
  g_clear_error (error);
  g_propagate_error (error, found);
  return false;
}

static GabbroContext *
make_context (const struct job *job, GError **error)
{
  GVariantDict options;

  g_variant_dict_init (&options, NULL);
  tool_watch_context_options (&job->watch, &options);
  if (job->print_buffer > 0)
    {
      g_autofree char *size = g_strdup_printf ("%" PRIu64, (uint64_t) job->print_buffer);
      g_variant_dict_insert (&options, "print-buffer", "s", size);
    }
  return gabbro_context_new (g_variant_dict_end (&options), error);
}

static bool
run_on_device (struct job *job, const char *wanted_device, GError **error)
{
  g_autoptr (GabbroContext) context = make_context (job, error);
  const char *device_name = wanted_device == NULL && tool_watch_is_on (&job->watch) ? "reference" : wanted_device;
  GabbroAdapter *adapter = context != NULL ? tool_select_adapter (context, device_name, NULL, error) : NULL;
  g_autoptr (GabbroDevice) device = NULL;
  guint n_arguments = job->arguments.n_arguments;
  g_autofree bool *wanted = g_new0 (bool, n_arguments + 1);
  bool abandoned = false;

  if (adapter != NULL && tool_watch_fits (&job->watch, adapter, job->request.size, error))
    device = gabbro_adapter_open (adapter, error);
  if (device == NULL)
    return false;
  job->prints.keep = job->watch.json;
  tool_prints_attach (&job->prints, device);
  for (guint i = 0; i < n_arguments; i++)
    wanted[i] = job->arguments.list[i].output != NULL || is_shown (&job->arguments.list[i]);
  struct tool_debugger *debugger = make_debugger (job);
  GError *failure = NULL;
  bool good = (debugger == NULL || tool_debugger_attach (debugger, device, &failure))
              && tool_session_run (device, &job->request, &job->arguments, wanted, job->results, &job->times, &abandoned, &failure);
  if (abandoned)
    {
      tool_remark (_("the kernel still runs after %" PRId64 " s, given up"), job->request.timeout_us / G_USEC_PER_SEC);
      /* Letting go of a device that is busy would wait for it, so the process ends around it. */
      _exit (TOOL_STATUS_FAILURE);
    }
  tool_debugger_finish (debugger, device, good);
  if (good && !tool_debugger_has_quit (debugger))
    good = finish (job, adapter, &failure);
  good = report (job, context, device, good, &failure);
  /* The device calls the debugger until then. */
  g_clear_object (&device);
  tool_debugger_free (debugger);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return good;
}

static bool
run_job (struct job *job, const struct tool_options *options, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  job->sources = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_autoptr (GabbroKernel) kernel = tool_load_kernel (job->filename, job->kernel_name, options, job->sources, error);

  if (kernel == NULL)
    return false;
  job->times.compile = g_get_monotonic_time () - begin;
  job->request.kernel = kernel;

  const char *const *texts = (const char *const *) options->operands->pdata + 1;
  if (!tool_arguments_parse (&job->arguments, kernel, texts, tool_options_n_operands (options) - 1, error))
    return false;
  if (!tool_options_has (options, "dispatch")
      && !tool_arguments_dispatch_size (&job->arguments, job->request.size, error))
    return false;
  job->times.runs = g_new0 (gint64, job->request.n_runs);
  job->results = g_new0 (struct tool_result, job->arguments.n_arguments + 1);
  return run_on_device (job, tool_options_get (options, "device"), error);
}

static bool
run (const struct tool_options *options, GError **error)
{
  struct job job = { 0 };

  bool good = parse_options (&job, options, error) && run_job (&job, options, error);
  for (guint i = 0; job.results != NULL && i < job.arguments.n_arguments; i++)
    g_free (job.results[i].data);
  g_free (job.results);
  g_free (job.times.runs);
  g_free (job.filename);
  g_clear_pointer (&job.sources, g_hash_table_unref);
  tool_watch_clear (&job.watch);
  tool_prints_clear (&job.prints);
  tool_arguments_clear (&job.arguments);
  return good;
}

const struct tool_command tool_command_run = {
  .name = "run",
  .usage = N_("FILE[:KERNEL] [--dispatch=W[xH[xD]]] [OPTION]… name=value…"),
  .summary = N_("run a kernel on pictures, arrays and numbers"),
  .text = N_("Each argument of the kernel needs a value:\n"
             "  2.5   -3   true   1,2,3     numbers, bool, vectors; matrices, arrays and structures likewise\n"
             "  raw:FILE                    the bytes of a value\n"
             "  image:IN                    a PNG or JPEG picture\n"
             "  image:IN:OUT                … that is written afterwards\n"
             "  image:IN.npy[:OUT.npy]      an array of rows, or of planes for an image3d\n"
             "  image:WxH:FORMAT[:OUT]      a new image, such as rgba8, rgba32f or r16-uint; OUT is .npy or,\n"
             "                              for these first two, .png or .jpg\n"
             "  image:WxHxD:FORMAT[:OUT]    … for an image3d; OUT is .npy\n"
             "  image:@NAME:FORMAT[:OUT]    … as large as the image NAME\n"
             "  image:@NAME/LEVEL[:OUT]     a mip level of the image NAME, from 1 on; :IN where it is only\n"
             "                              read, or :IN:OUT\n"
             "  image:WxH:FORMAT:IN         the blocks of a compressed image, such as bc7-unorm\n"
             "  buffer:IN                   an array file of NumPy (.npy)\n"
             "  buffer:IN:OUT               … that is written afterwards\n"
             "  buffer:raw:IN[:OUT]         bytes as they are in memory\n"
             "  buffer:TYPE:LENGTH[:OUT]    a new buffer, such as float4:1024\n"
             "  buffer:byte:LENGTH[:OUT]    … for a byte_buffer, whose files are bytes if not .npy\n"
             "New images and buffers begin with zeros. Results go to standard output, the summary\n"
             "to standard error.\n"),
  .options = options_of_run,
  .examples = examples,
  .run = run,
};
