/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro tree: the nodes of the object tree. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <string.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/nodes.h"
#include "tools/report.h"

#define MAX_DEPTH 64

static const struct tool_option options_of_tree[] = {
  TOOL_OUTPUT_OPTIONS,
  { "attributes", 'a', NULL, N_("show the attributes of each node") },
  { "depth", 0, N_("N"), N_("no more than so many levels below the first") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "tree", N_("what there is: adapters, and what belongs to them") },
  { "tree /adapters --depth=1", N_("one level below a node") },
  { "tree -a /adapters/vulkan0", N_("with attributes") },
  { "tree --json", N_("for programs") },
  { NULL }
};

/* Drawn with lines where the locale has them. */
struct drawing
{
  GabbroContext *context;
  GString *text;
  guint depth;
  const char *branch, *last, *bar, *blank;
};

static const char *
name_of (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static bool
draw (const struct drawing *drawing, const char *path, const char *indent, guint level, GError **error)
{
  g_auto (GStrv) children = gabbro_context_list_nodes (drawing->context, path, error);
  bool good = children != NULL;

  for (guint i = 0; good && level < drawing->depth && children[i] != NULL; i++)
    {
      bool last = children[i + 1] == NULL;
      g_autofree char *name = tool_printable (name_of (children[i]));
      g_autofree char *deeper = g_strconcat (indent, last ? drawing->blank : drawing->bar, NULL);
      g_string_append_printf (drawing->text, "%s%s%s\n", indent, last ? drawing->last : drawing->branch, name);
      good = draw (drawing, children[i], deeper, level + 1, error);
    }
  return good;
}

static bool
print_drawing (GabbroContext *context, const char *path, guint depth, GError **error)
{
  bool lines = g_get_charset (NULL);
  g_autoptr (GString) text = g_string_new (path);
  struct drawing drawing = {
    .context = context,
    .text = text,
    .depth = depth,
    .branch = lines ? "├─ " : "|- ",
    .last = lines ? "└─ " : "`- ",
    .bar = lines ? "│  " : "|  ",
    .blank = "   ",
  };

  g_string_append_c (text, '\n');
  return draw (&drawing, path, "", 0, error) && tool_write_stdout (text->str, text->len, error);
}

static bool
print_nodes (const struct tool_options *options, GabbroContext *context, const char *path, guint depth, GError **error)
{
  static const struct tool_filter all = { NULL, NULL };
  struct tool_output *output = tool_output_new_document (options, "tree");
  struct tool_walk walk = {
    .context = context,
    .output = output,
    .depth = depth,
    .attributes = tool_options_has (options, "attributes"),
  };
  bool good = true;

  tool_output_begin_object (output, "node", path);
  tool_output_for_programs (output, "path", g_variant_new_string (path));
  if (walk.attributes && strcmp (path, "/") != 0)
    {
      g_autoptr (GPtrArray) attributes = gabbro_context_list_attributes (context, path, error);
      good = attributes != NULL;
      if (good)
        tool_show_attributes (output, attributes, &all, false);
    }
  good = good && tool_show_children (&walk, path, error);
  tool_output_end_object (output);
  if (good)
    return tool_output_finish (output, error);
  tool_output_free (output);
  return false;
}

static bool
run (const struct tool_options *options, GError **error)
{
  guint64 depth = MAX_DEPTH;
  const char *path = tool_options_n_operands (options) > 0 ? tool_options_operand (options, 0) : "/";

  if (!tool_options_at_most (options, 1, error)
      || !tool_options_get_number (options, "depth", 0, MAX_DEPTH, &depth, error))
    return false;
  if (path[0] != '/')
    return tool_usage (error, _("'%s' is no path; one begins with '/'"), path);
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, error);
  if (context == NULL)
    return false;
  bool drawn = !tool_options_has (options, "json") && !tool_options_has (options, "attributes");
  if (!(drawn ? print_drawing (context, path, (guint) depth, error)
              : print_nodes (options, context, path, (guint) depth, error)))
    return false;
  tool_report_messages (context, NULL);
  return true;
}

const struct tool_command tool_command_tree = {
  .name = "tree",
  .usage = N_("[PATH] [--attributes] [--depth=N] [--json]"),
  .summary = N_("show the object tree"),
  .text = N_("Adapters, devices, queues and all else that lives in the library are nodes of one tree,\n"
             "each with attributes.\n"),
  .options = options_of_tree,
  .examples = examples,
  .run = run,
};
