/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/bundles.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "tools/files.h"
#include "tools/kernels.h"
#include "tools/report.h"
#include "tools/suggest.h"

#define BUNDLE_LIMIT (G_GUINT64_CONSTANT (512) << 20)

char *
tool_split_operand (const char *operand, const char **kernel)
{
  const char *colon = strrchr (operand, ':');

  *kernel = NULL;
  if (colon == NULL || !(g_ascii_isalpha (colon[1]) || colon[1] == '_'))
    return g_strdup (operand);
  for (const char *at = colon + 1; *at != '\0'; at++)
    {
      if (!g_ascii_isalnum (*at) && *at != '_')
        return g_strdup (operand);
    }
  *kernel = colon + 1;
  return g_strndup (operand, (gsize) (colon - operand));
}

bool
tool_is_bundle (const char *filename)
{
  static const char tar[] = "gabbro-manifest", zstd[] = "\x28\xb5\x2f\xfd";
  char begin[sizeof tar] = "";
  guint64 size;
  int fd = tool_open_input (filename, G_MAXUINT64, &size, NULL);

  if (fd < 0)
    return false;
  gssize n = tool_read_some (fd, filename, begin, sizeof begin, NULL);
  close (fd);
  return (n >= (gssize) sizeof tar && memcmp (begin, tar, sizeof tar) == 0) || (n >= 4 && memcmp (begin, zstd, 4) == 0);
}

GabbroBundle *
tool_load_bundle (const char *filename, GError **error)
{
  g_autofree char *shown = g_filename_display_name (filename);
  g_autoptr (GBytes) bytes = tool_read_file (filename, BUNDLE_LIMIT, error);

  if (bytes == NULL)
    return NULL;
  GabbroBundle *bundle = gabbro_bundle_new_from_bytes (bytes, error);
  if (bundle == NULL)
    g_prefix_error (error, "%s: ", shown);
  return bundle;
}

GabbroKernel *
tool_find_bundle_kernel (GabbroBundle *bundle, const char *filename, const char *name, GError **error)
{
  g_autofree char *shown = g_filename_display_name (filename);
  g_auto (GStrv) kernels = gabbro_bundle_list_kernels (bundle);

  name = tool_choose_kernel (kernels, shown, name, error);
  if (name == NULL)
    return NULL;
  GabbroKernel *kernel = gabbro_bundle_get_kernel (bundle, name, error);
  if (kernel == NULL)
    g_prefix_error (error, "%s: ", shown);
  return kernel;
}

GabbroKernel *
tool_load_kernel (const char *filename, const char *name, const struct tool_options *options, GHashTable *sources,
                  GError **error)
{
  if (tool_is_bundle (filename))
    {
      if (tool_options_has (options, "define"))
        {
          tool_usage (error, _("-D: a bundle is compiled already"));
          return NULL;
        }
      g_autoptr (GabbroBundle) bundle = tool_load_bundle (filename, error);
      return bundle != NULL ? tool_find_bundle_kernel (bundle, filename, name, error) : NULL;
    }
  g_autoptr (GabbroModule) module = tool_load_module (filename, options, sources, error);
  return module != NULL ? tool_find_kernel (module, filename, name, error) : NULL;
}
