/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/prints.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "tools/report.h"

/* Standard output for what is printed, standard error for what has failed, in the order in which they come. */
static void
show (GabbroPrint *print)
{
  g_autofree char *text = gabbro_print_to_string (print);

  if (gabbro_print_is_failure (print))
    {
      tool_report_text (text);
      return;
    }
  g_autofree char *safe = tool_printable_lines (text);
  g_print ("%s\n", safe);
}

static void
on_print (GabbroDevice *device, GabbroPrint *print, gpointer data)
{
  struct tool_prints *prints = data;

  prints->n_failures += gabbro_print_is_failure (print);
  if (prints->keep)
    g_ptr_array_add (prints->kept, gabbro_print_ref (print));
  else
    show (print);
}

static void
on_dropped (GabbroDevice *device, guint64 count, gpointer data)
{
  struct tool_prints *prints = data;

  prints->n_dropped += count;
}

void
tool_prints_attach (struct tool_prints *prints, GabbroDevice *device)
{
  prints->kept = g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_print_unref);
  g_signal_connect (device, "print", G_CALLBACK (on_print), prints);
  g_signal_connect (device, "prints-dropped", G_CALLBACK (on_dropped), prints);
}

void
tool_prints_clear (struct tool_prints *prints)
{
  g_clear_pointer (&prints->kept, g_ptr_array_unref);
}

void
tool_prints_hear (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

void
tool_prints_write (const struct tool_prints *prints, struct tool_output *output)
{
  tool_output_begin_list (output, "prints", NULL);
  for (guint i = 0; i < prints->kept->len; i++)
    {
      g_autoptr (GVariant) variant = gabbro_print_to_variant (prints->kept->pdata[i]);
      GVariantIter iterator;
      const char *key;
      GVariant *value;

      tool_output_begin_object (output, NULL, NULL);
      g_variant_iter_init (&iterator, variant);
      while (g_variant_iter_loop (&iterator, "{&sv}", &key, &value))
        tool_output_for_programs (output, key, value);
      tool_output_end_object (output);
    }
  tool_output_end_list (output);
  g_autoptr (GVariant) dropped = g_variant_ref_sink (g_variant_new_uint64 (prints->n_dropped));
  tool_output_for_programs (output, "dropped-prints", dropped);
}

bool
tool_prints_check (const struct tool_prints *prints, GError **error)
{
  if (prints->n_dropped > 0 && !prints->keep)
    tool_remark (ngettext ("%" PRIu64 " line that the kernel printed was dropped: --print-buffer makes room for more",
                           "%" PRIu64 " lines that the kernel printed were dropped: --print-buffer makes room for more",
                           (gulong) prints->n_dropped),
                 (uint64_t) prints->n_dropped);
  if (prints->n_failures == 0)
    return true;
  g_set_error (error, TOOL_ERROR, TOOL_ERROR_REPORTS,
               ngettext ("%u assertion of the kernel failed", "%u assertions of the kernel failed", prints->n_failures),
               prints->n_failures);
  return false;
}
