/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/command.h"

#include <glib/gi18n.h>
#include <string.h>

#include "tools/report.h"
#include "tools/suggest.h"

const struct tool_command *const tool_commands[] = {
  &tool_command_list,
  &tool_command_info,
  &tool_command_tree,
  &tool_command_get,
  &tool_command_monitor,
  &tool_command_select,
  &tool_command_check,
  &tool_command_diff,
  &tool_command_compile,
  &tool_command_explain,
  &tool_command_run,
  &tool_command_bundle,
  &tool_command_cache,
  &tool_command_completion,
  NULL
};

const struct tool_command *
tool_find_command (const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS (tool_commands) + 1];
  guint n_names = 0;

  for (guint i = 0; tool_commands[i] != NULL; i++)
    {
      if (strcmp (tool_commands[i]->name, name) == 0)
        return tool_commands[i];
      names[n_names++] = tool_commands[i]->name;
    }
  names[n_names++] = "help";
  names[n_names] = NULL;
  g_autofree char *suggestion = tool_suggestion (name, names, "");
  tool_usage (error, _("unknown command '%s'%s; 'gabbro help' lists them"), name, suggestion);
  return NULL;
}

static void
append_padded (GString *text, const char *left, guint width, const char *right)
{
  g_string_append_printf (text, "  %s", left);
  for (guint i = (guint) g_utf8_strlen (left, -1); i < width; i++)
    g_string_append_c (text, ' ');
  g_string_append_printf (text, "  %s\n", right);
}

void
tool_help_overview (GString *text)
{
  static const struct tool_example examples[] = {
    { "list", N_("which devices there are") },
    { "run sobel.gk source=image:in.png target=image:@source:rgba8:out.png gain=1", N_("filter a picture") },
    { "compile saxpy.gk --emit=asm", N_("look at the code") },
  };

  g_string_append (text, _("Usage: gabbro COMMAND [ARGUMENT]…\n\n"
                           "Lists GPUs, compiles kernels and runs them on pictures and arrays.\n\n"));
  for (gsize i = 0; i < G_N_ELEMENTS (examples); i++)
    g_string_append_printf (text, "  gabbro %s\n      %s\n", examples[i].command, _(examples[i].meaning));
  g_string_append (text, _("\nCommands:\n"));
  for (guint i = 0; tool_commands[i] != NULL; i++)
    append_padded (text, tool_commands[i]->name, 10, _(tool_commands[i]->summary));
  append_padded (text, "help", 10, _("explain a command: gabbro help run"));
  g_string_append (text, _("\n"
                           "Exit status: 0 when all went well, 1 when something failed, 2 when the command\n"
                           "line is wrong. The manual: gabbro(1), gabbro-kernel(5), gabbro-environment(7).\n"));
}

static char *
option_heading (const struct tool_option *option)
{
  GString *heading = g_string_new (NULL);

  if (option->letter != '\0')
    g_string_append_printf (heading, "-%c, ", option->letter);
  g_string_append_printf (heading, "--%s", option->name);
  if (option->value_name != NULL)
    g_string_append_printf (heading, "=%s", _(option->value_name));
  return g_string_free (heading, FALSE);
}

void
tool_help_command (const struct tool_command *command, GString *text)
{
  g_string_append_printf (text, _("Usage: gabbro %s %s\n\n"), command->name, _(command->usage));
  for (const struct tool_example *example = command->examples; example->command != NULL; example++)
    g_string_append_printf (text, "  gabbro %s\n      %s\n", example->command, _(example->meaning));
  if (command->text != NULL)
    g_string_append_printf (text, "\n%s", _(command->text));
  g_string_append (text, _("\nOptions:\n"));
  for (const struct tool_option *option = command->options; option->name != NULL; option++)
    {
      g_autofree char *heading = option_heading (option);
      append_padded (text, heading, 26, _(option->description));
    }
  append_padded (text, "-h, --help", 26, _("this text"));
}
