/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/kernels.h"

#include <glib/gi18n.h>
#include <string.h>

#include "tools/files.h"
#include "tools/report.h"
#include "tools/suggest.h"

/* What imports need to know. */
struct search
{
  const char *filename;         /* of the first source, */
  const char *name;             /* and what messages call it */
  const char *const *folders;   /* of -I; may be NULL */
  GHashTable *names;            /* absolute path -> name, so that one file has one name */
  GHashTable *sources;          /* name -> text; may be NULL */
};

/* Beside the importer, else in the folders in their order; what is nowhere is missed beside the importer. */
static char *
find_import (const struct search *search, const char *path, const char *importer)
{
  if (g_path_is_absolute (path))
    return g_strdup (path);
  g_autofree char *folder = g_path_get_dirname (strcmp (importer, search->name) == 0 ? search->filename : importer);
  char *beside = strcmp (folder, ".") == 0 ? g_strdup (path) : g_build_filename (folder, path, NULL);
  for (const char *const *at = search->folders; at != NULL && *at != NULL && !g_file_test (beside, G_FILE_TEST_EXISTS); at++)
    {
      g_autofree char *other = g_build_filename (*at, path, NULL);
      if (g_file_test (other, G_FILE_TEST_EXISTS))
        {
          g_free (beside);
          return g_steal_pointer (&other);
        }
    }
  return beside;
}

static GBytes *
import (const char *path, const char *importer, char **name, gpointer data, GError **error)
{
  const struct search *search = data;
  g_autofree char *found = find_import (search, path, importer);
  g_autofree char *absolute = g_canonicalize_filename (found, NULL);
  const char *known = g_hash_table_lookup (search->names, absolute);
  GBytes *bytes = tool_read_file (found, TOOL_SOURCE_LIMIT, error);

  if (bytes == NULL)
    return NULL;
  *name = g_strdup (known != NULL ? known : found);
  if (search->sources != NULL)
    g_hash_table_insert (search->sources, g_strdup (*name), g_bytes_ref (bytes));
  if (known == NULL)
    g_hash_table_insert (search->names, g_steal_pointer (&absolute), g_strdup (found));
  return bytes;
}

/* NAME=VALUE of each -D as a dictionary. */
static GVariant *
collect_defines (const struct tool_options *options, GError **error)
{
  const char *const *defines = tool_options_get_all (options, "define");
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a{ss}"));

  for (const char *const *at = defines; at != NULL && *at != NULL; at++)
    {
      const char *text = *at, *equals = strchr (text, '=');
      if (equals == NULL || equals == text || equals[1] == '\0' || !g_utf8_validate (text, -1, NULL))
        {
          g_autofree char *shown = g_filename_display_name (text);
          tool_usage (error, _("'-D %s': expected NAME=VALUE"), shown);
          return NULL;
        }
      g_autofree char *name = g_strndup (text, (gsize) (equals - text));
      g_variant_builder_add (&builder, "{ss}", name, equals + 1);
    }
  return g_variant_builder_end (&builder);
}

GabbroModule *
tool_load_module (const char *filename, const struct tool_options *options, GHashTable *sources, GError **error)
{
  g_autofree char *name = g_filename_display_name (filename);
  g_autoptr (GVariant) defines = collect_defines (options, error);
  g_autoptr (GBytes) source = defines != NULL ? tool_read_file (filename, TOOL_SOURCE_LIMIT, error) : NULL;
  if (source == NULL)
    return NULL;
  g_variant_ref_sink (defines);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  struct search search = { filename, name, tool_options_get_all (options, "include"), names, sources };
  if (sources != NULL)
    g_hash_table_insert (sources, g_strdup (name), g_bytes_ref (source));
  g_hash_table_insert (names, g_canonicalize_filename (filename, NULL), g_strdup (name));
  gsize size;
  const char *text = g_bytes_get_data (source, &size);
  GabbroModule *module = gabbro_module_new_with_options (name, text, (gssize) size, defines, import, &search, error);
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
tool_source_options (const struct tool_options *options, GError **error)
{
  const char *const *folders = tool_options_get_all (options, "include");

  for (const char *const *at = folders; at != NULL && *at != NULL; at++)
    {
      if (!tool_check_folder (*at, error))
        return false;
    }
  return true;
}

bool
tool_compile_options (const struct tool_options *options,
                      GabbroCompileFlags *flags,
                      gint *level,
                      GError **error)
{
  guint64 number = 0;

  if (!tool_source_options (options, error) || !tool_options_get_number (options, "optimization", 0, 3, &number, error))
    return false;
  *level = tool_options_has (options, "optimization") ? (gint) number : GABBRO_OPTIMIZATION_DEFAULT;
  *flags = tool_options_has (options, "bounds-checks") ? GABBRO_COMPILE_BOUNDS_CHECKS : GABBRO_COMPILE_DEFAULT;
  return true;
}
