/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro cache: the shader cache, in which compiled kernels are kept. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "tools/command.h"
#include "tools/files.h"
#include "tools/output.h"
#include "tools/report.h"
#include "tools/suggest.h"

#define DEFAULT_MEBIBYTES 256
#define MAX_MEBIBYTES     (1024 * 1024)

static const struct tool_option options_of_cache[] = {
  { "json", 0, NULL, N_("list: print JSON for programs") },
  TOOL_COLOR_OPTION,
  { "folder", 0, N_("FOLDER"), N_("another cache than the user's") },
  { "remove", 0, NULL, N_("verify: remove what is damaged") },
  { "max-size", 0, N_("MIB"), N_("gc: how many MiB may stay (256)") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "cache list", N_("the kernels in the cache, and how large it is") },
  { "cache verify --remove", N_("check every byte, and remove what is damaged") },
  { "cache gc --max-size=64", N_("remove what was not used for long, until 64 MiB are left") },
  { "cache gc --max-size=0", N_("remove all of it") },
  { NULL }
};

static void
show_file (struct tool_output *output, GVariant *file)
{
  const char *name = "", *kernel = NULL, *source = NULL, *adapter = NULL, *wrong = NULL;
  g_autoptr (GVariant) size = g_variant_lookup_value (file, "size", NULL);
  gint64 used = 0;

  g_variant_lookup (file, "name", "&s", &name);
  g_variant_lookup (file, "kernel", "&s", &kernel);
  g_variant_lookup (file, "source-name", "&s", &source);
  g_variant_lookup (file, "adapter", "&s", &adapter);
  g_variant_lookup (file, "error", "&s", &wrong);
  g_variant_lookup (file, "used", "x", &used);
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (used);
  g_autofree char *when = time != NULL ? g_date_time_format_iso8601 (time) : NULL;

  tool_output_begin_object (output, NULL, name);
  tool_output_for_programs (output, "name", g_variant_new_string (name));
  if (wrong != NULL)
    tool_output_string (output, "error", _("Damaged"), wrong);
  else if (adapter != NULL)
    tool_output_string (output, "adapter", _("Compiled by the driver of"), adapter);
  else
    {
      tool_output_string (output, "kernel", _("Kernel"), kernel);
      tool_output_string (output, "source-name", _("Source"), source);
    }
  tool_output_variant (output, "size", _("Size"), size, "bytes", NULL);
  tool_output_string (output, "used", _("Last used"), when);
  tool_output_end_object (output);
}

static bool
list (GabbroCache *cache, const struct tool_options *options, GError **error)
{
  g_autoptr (GVariant) files = gabbro_cache_list (cache, error);
  guint64 total = 0;

  if (files == NULL)
    return false;
  struct tool_output *output = tool_output_new_document (options, "cache-list");
  g_autofree char *folder = g_filename_display_name (gabbro_cache_get_folder (cache));
  tool_output_string (output, "folder", _("Folder"), folder);
  tool_output_begin_list (output, "kernels", NULL);
  for (gsize i = 0; i < g_variant_n_children (files); i++)
    {
      g_autoptr (GVariant) file = g_variant_get_child_value (files, i);
      guint64 size = 0;

      g_variant_lookup (file, "size", "t", &size);
      total += size;
      show_file (output, file);
    }
  tool_output_end_list (output);
  g_autoptr (GVariant) whole = g_variant_ref_sink (g_variant_new_uint64 (total));
  tool_output_variant (output, "size", _("All together"), whole, "bytes", NULL);
  return tool_output_finish (output, error);
}

static bool
verify (GabbroCache *cache, const struct tool_options *options, GError **error)
{
  g_autoptr (GVariant) files = gabbro_cache_list (cache, error);
  guint n_bad = 0;

  if (files == NULL)
    return false;
  for (gsize i = 0; i < g_variant_n_children (files); i++)
    {
      g_autoptr (GVariant) file = g_variant_get_child_value (files, i);
      const char *name, *wrong;

      if (!g_variant_lookup (file, "error", "&s", &wrong) || !g_variant_lookup (file, "name", "&s", &name))
        continue;
      n_bad++;
      tool_remark ("%s: %s", name, wrong);
      if (tool_options_has (options, "remove") && !gabbro_cache_remove (cache, name, error))
        return false;
    }
  if (n_bad == 0 || tool_options_has (options, "remove"))
    return true;
  return tool_fail (error, ngettext ("%u file of the cache is damaged, which does no harm; --remove removes it",
                                     "%u files of the cache are damaged, which does no harm; --remove removes them", n_bad), n_bad);
}

static bool
collect (GabbroCache *cache, const struct tool_options *options, GError **error)
{
  guint64 mebibytes = DEFAULT_MEBIBYTES, removed;

  if (!tool_options_get_number (options, "max-size", 0, MAX_MEBIBYTES, &mebibytes, error)
      || !gabbro_cache_trim (cache, mebibytes << 20, &removed, error))
    return false;
  if (removed > 0)
    {
      g_autofree char *size = tool_humanise (removed, "bytes");
      tool_remark (_("removed %s"), size);
    }
  return true;
}

static const struct
{
  const char *name;
  bool (*run) (GabbroCache *cache, const struct tool_options *options, GError **error);
  const char *options;          /* between blanks */
} actions[] = {
  { "list", list, " json color folder " },
  { "verify", verify, " folder remove " },
  { "gc", collect, " folder max-size " },
};

static bool
find_action (const char *name, guint *index, GError **error)
{
  const char *names[G_N_ELEMENTS (actions) + 1] = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      names[i] = actions[i].name;
      *index = i;
      if (strcmp (name, actions[i].name) == 0)
        return true;
    }
  g_autofree char *suggestion = tool_suggestion (name, names, "");
  return tool_usage (error, _("'%s' is none of list, verify, gc%s"), name, suggestion);
}

static bool
run (const struct tool_options *options, GError **error)
{
  guint action = 0;

  if (tool_options_n_operands (options) == 0)
    return tool_usage (error, _("what to do is missing: list, verify or gc"));
  if (!find_action (tool_options_operand (options, 0), &action, error) || !tool_options_at_most (options, 1, error))
    return false;
  for (guint i = 0; options_of_cache[i].name != NULL; i++)
    {
      g_autofree char *word = g_strconcat (" ", options_of_cache[i].name, " ", NULL);
      if (tool_options_has (options, options_of_cache[i].name) && strstr (actions[action].options, word) == NULL)
        return tool_usage (error, _("--%s: 'cache %s' has no such option"), options_of_cache[i].name, actions[action].name);
    }
  /* A cache that is not there yet is an empty one. */
  const char *folder = tool_options_get (options, "folder");
  if (folder != NULL && g_file_test (folder, G_FILE_TEST_EXISTS) && !tool_check_folder (folder, error))
    return false;
  g_autoptr (GabbroCache) cache = gabbro_cache_new (folder, error);
  return cache != NULL && actions[action].run (cache, options, error);
}

const struct tool_command tool_command_cache = {
  .name = "cache",
  .usage = N_("list|verify|gc [OPTION]…"),
  .summary = N_("look after the cache of compiled kernels"),
  .text = N_("Programs fill the cache by themselves and keep it to a size; GABBRO_CACHE says where it is.\n"),
  .options = options_of_cache,
  .examples = examples,
  .run = run,
};
