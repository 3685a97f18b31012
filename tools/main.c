/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro: lists GPUs, compiles kernels, runs them. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <locale.h>
#include <string.h>

#include "tools/command.h"
#include "tools/files.h"
#include "tools/report.h"

static bool
print_version (GError **error)
{
  guint major, minor, micro;

  gabbro_get_version (&major, &minor, &micro);
  g_autofree char *text = g_strdup_printf (_("gabbro %s (library %u.%u.%u)\n"
                                             "License LGPL-2.1-or-later. There is no warranty.\n"),
                                           PACKAGE_VERSION, major, minor, micro);
  return tool_write_stdout (text, strlen (text), error);
}

static bool
print_help (const struct tool_command *command, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (command != NULL)
    tool_help_command (command, text);
  else
    tool_help_overview (text);
  return tool_write_stdout (text->str, text->len, error);
}

static bool
help (char **arguments, GError **error)
{
  const struct tool_command *command = NULL;

  if (arguments[0] != NULL && arguments[1] != NULL)
    return tool_usage (error, _("'%s' is one argument too many"), arguments[1]);
  if (arguments[0] != NULL && strcmp (arguments[0], "help") != 0)
    {
      command = tool_find_command (arguments[0], error);
      if (command == NULL)
        return false;
    }
  return print_help (command, error);
}

static bool
run_command (const struct tool_command *command, char **arguments, GError **error)
{
  struct tool_options options;

  if (!tool_options_parse (&options, command->options, arguments, error))
    return false;
  bool good = options.help ? print_help (command, error) : command->run (&options, error);
  tool_options_clear (&options);
  return good;
}

static bool
run (char **arguments, GError **error)
{
  const char *first = arguments[0];

  if (first == NULL)
    return tool_usage (error, _("a command is missing; 'gabbro help' lists them"));
  if (strcmp (first, "--version") == 0 || strcmp (first, "-V") == 0)
    return print_version (error);
  if (strcmp (first, "help") == 0 || strcmp (first, "--help") == 0 || strcmp (first, "-h") == 0)
    return help (arguments + 1, error);
  if (first[0] == '-')
    return tool_usage (error, _("unknown option '%s'; a command comes first, 'gabbro help' lists them"), first);
  const struct tool_command *command = tool_find_command (first, error);
  return command != NULL && run_command (command, arguments + 1, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, GABBRO_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_set_prgname ("gabbro");

  /* A process may be started without even its own name. */
  if (argc < 1 || run (argv + 1, &error))
    return argc < 1 ? TOOL_STATUS_USAGE : TOOL_STATUS_OK;
  return tool_report (error);
}
