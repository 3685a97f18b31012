/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/kernels.h"

#include <glib/gi18n.h>

#include "tools/files.h"
#include "tools/report.h"
#include "tools/suggest.h"

GabbroModule *
tool_load_module (const char *filename, GError **error)
{
  g_autofree char *name = g_filename_display_name (filename);
  g_autoptr (GBytes) source = tool_read_file (filename, TOOL_SOURCE_LIMIT, error);
  if (source == NULL)
    return NULL;
  gsize size;
  const char *text = g_bytes_get_data (source, &size);
  GabbroModule *module = gabbro_module_new_from_source (name, text, (gssize) size, error);
  if (module == NULL)
    return NULL;
  const char *warnings = gabbro_module_get_warnings (module);
  if (warnings != NULL && warnings[0] != '\0')
    tool_report_text (warnings);
  return module;
}

const char *
tool_choose_kernel (char **kernels, const char *shown, const char *name, GError **error)
{
  if (kernels == NULL || kernels[0] == NULL)
    {
      tool_fail (error, _("%s: there is no kernel in it"), shown);
      return NULL;
    }
  if (name == NULL && kernels[1] != NULL)
    {
      g_autofree char *all = g_strjoinv (", ", kernels);
      tool_usage (error, _("%s: there are several kernels in it; name one of %s"), shown, all);
      return NULL;
    }
  if (name == NULL)
    return kernels[0];
  if (!g_strv_contains ((const char *const *) kernels, name))
    {
      g_autofree char *suggestion = tool_suggestion (name, (const char *const *) kernels, "");
      tool_usage (error, _("%s: there is no kernel '%s' in it%s"), shown, name, suggestion);
      return NULL;
    }
  return name;
}

GabbroKernel *
tool_find_kernel (GabbroModule *module, const char *filename, const char *name, GError **error)
{
  g_autofree char *shown = g_filename_display_name (filename);
  g_auto (GStrv) kernels = gabbro_module_list_kernels (module);

  name = tool_choose_kernel (kernels, shown, name, error);
  return name != NULL ? gabbro_module_get_kernel (module, name, error) : NULL;
}

bool
tool_compile_options (const struct tool_options *options,
                      GabbroCompileFlags *flags,
                      gint *level,
                      GError **error)
{
  guint64 number = 0;

  if (!tool_options_get_number (options, "optimization", 0, 3, &number, error))
    return false;
  *level = tool_options_has (options, "optimization") ? (gint) number : GABBRO_OPTIMIZATION_DEFAULT;
  *flags = tool_options_has (options, "bounds-checks") ? GABBRO_COMPILE_BOUNDS_CHECKS : GABBRO_COMPILE_DEFAULT;
  return true;
}
