/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/completion.h"

#include <glib/gi18n.h>
#include <string.h>

/* What the shells run to learn of adapters and codes. */
#define LIST_ADAPTERS "gabbro list --paths 2>/dev/null"
#define LIST_CODES "gabbro explain 2>/dev/null | cut -d' ' -f1"

static guint
kinds_of (const char *name)
{
  guint kinds = 0;

  if (strstr (name, "FILE") != NULL)
    kinds |= TOOL_COMPLETE_FILES;
  if (strstr (name, "ADAPTER") != NULL)
    kinds |= TOOL_COMPLETE_ADAPTERS;
  if (strstr (name, "CODE") != NULL)
    kinds |= TOOL_COMPLETE_CODES;
  return kinds;
}

struct tool_completion
tool_completion_of_option (const struct tool_option *option)
{
  struct tool_completion completion = { 0, g_strdup (option->words) };

  if (option->value_name != NULL && option->words == NULL)
    completion.kinds = kinds_of (option->value_name);
  return completion;
}

/* "list|show" are words, "FILE" is a kind, "--json" is known from the options. */
struct tool_completion
tool_completion_of_command (const struct tool_command *command)
{
  struct tool_completion completion = { 0, NULL };
  g_auto (GStrv) tokens = g_strsplit (command->usage, " ", -1);

  for (guint i = 0; tokens[i] != NULL; i++)
    {
      const char *token = tokens[i] + (tokens[i][0] == '[');
      gsize length = strspn (token, "abcdefghijklmnopqrstuvwxyz|");
      if (token[0] == '-')
        continue;
      completion.kinds |= kinds_of (token);
      if (completion.words == NULL && g_ascii_islower (token[0]) && memchr (token, '|', length) != NULL)
        completion.words = g_strdelimit (g_strndup (token, length), "|", ' ');
    }
  return completion;
}

static char *
command_names (void)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; tool_commands[i] != NULL; i++)
    g_string_append_printf (names, "%s ", tool_commands[i]->name);
  g_string_append (names, "help");
  return g_string_free (names, FALSE);
}

/* --- bash -------------------------------------------------------------------------------------- */

static void
append_bash_reply (GString *text, const struct tool_completion *completion)
{
  if (completion->words != NULL)
    g_string_append_printf (text, " words=\"%s\"", completion->words);
  if (completion->kinds & TOOL_COMPLETE_ADAPTERS)
    g_string_append (text, " adapters=1");
  if (completion->kinds & TOOL_COMPLETE_CODES)
    g_string_append (text, " codes=1");
  if (completion->kinds & TOOL_COMPLETE_FILES)
    g_string_append (text, " files=1");
  g_string_append (text, " ;;\n");
}

static void
append_bash_options (GString *text, const struct tool_command *command)
{
  g_string_append_printf (text, "    %s) options=\"", command->name);
  for (const struct tool_option *option = command->options; option->name != NULL; option++)
    g_string_append_printf (text, "--%s%s ", option->name, option->value_name != NULL ? "=" : "");
  g_string_append (text, "--help\"");
  struct tool_completion completion = tool_completion_of_command (command);
  append_bash_reply (text, &completion);
  g_free (completion.words);
}

static void
append_bash_values (GString *text, const struct tool_command *command)
{
  for (const struct tool_option *option = command->options; option->name != NULL; option++)
    {
      struct tool_completion completion = tool_completion_of_option (option);
      if (option->value_name != NULL)
        {
          g_string_append_printf (text, "    '%s --%s'", command->name, option->name);
          if (option->letter != '\0')
            g_string_append_printf (text, " | '%s -%c'", command->name, option->letter);
          g_string_append (text, ") value=1");
          append_bash_reply (text, &completion);
        }
      g_free (completion.words);
    }
}

void
tool_completion_bash (GString *text)
{
  g_autofree char *names = command_names ();

  g_string_append_printf (text,
    "# bash completion of gabbro, made by 'gabbro completion bash'\n\n"
    "_gabbro ()\n"
    "{\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
    "  local options='' words='' adapters='' codes='' files='' value=''\n"
    "  COMPREPLY=()\n"
    "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "    COMPREPLY=($(compgen -W '%s --help --version' -- \"$current\"))\n"
    "    return\n"
    "  fi\n"
    "  # --name=value is three words here.\n"
    "  if [ \"$current\" = = ]; then\n"
    "    current=''\n"
    "  elif [ \"$option\" = = ]; then\n"
    "    option=${COMP_WORDS[COMP_CWORD-2]}\n"
    "  fi\n"
    "  case \"$command $option\" in\n", names);
  for (guint i = 0; tool_commands[i] != NULL; i++)
    append_bash_values (text, tool_commands[i]);
  g_string_append (text, "  esac\n  if [ -z \"$value\" ]; then\n    case \"$command\" in\n");
  for (guint i = 0; tool_commands[i] != NULL; i++)
    append_bash_options (text, tool_commands[i]);
  g_string_append_printf (text,
    "    help) words=\"%s\" ;;\n"
    "    esac\n"
    "  fi\n"
    "  case \"$current\" in\n"
    "    -*) words=$options files='' adapters='' codes='' ;;\n"
    "  esac\n"
    "  [ -z \"$adapters\" ] || words=\"$words $(" LIST_ADAPTERS ")\"\n"
    "  [ -z \"$codes\" ] || words=\"$words $(" LIST_CODES ")\"\n"
    "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
    "  case \"${COMPREPLY[0]}\" in\n"
    "    *=) compopt -o nospace ;;\n"
    "  esac\n"
    "  if [ -n \"$files\" ]; then\n"
    "    local IFS=$'\\n'\n"
    "    compopt -o filenames\n"
    "    COMPREPLY+=($(compgen -f -- \"$current\"))\n"
    "  fi\n"
    "}\n\n"
    "complete -F _gabbro gabbro\n", names);
}

/* --- zsh --------------------------------------------------------------------------------------- */

/* Inside of '…[…]': quotes, brackets and colons mean something. */
static void
append_zsh_quoted (GString *text, const char *plain)
{
  for (; *plain != '\0'; plain++)
    {
      if (*plain == '\'')
        g_string_append (text, "'\\''");
      else if (strchr ("[]:\\", *plain) != NULL)
        g_string_append_printf (text, "\\%c", *plain);
      else
        g_string_append_c (text, *plain);
    }
}

static void
append_zsh_action (GString *text, const struct tool_completion *completion)
{
  if (completion->words != NULL && completion->kinds == 0)
    g_string_append_printf (text, "(%s)", completion->words);
  else if (completion->kinds == TOOL_COMPLETE_FILES && completion->words == NULL)
    g_string_append (text, "_files");
  else if (completion->kinds == TOOL_COMPLETE_ADAPTERS)
    g_string_append (text, "_gabbro_adapters");
  else if (completion->kinds == TOOL_COMPLETE_CODES)
    g_string_append (text, "_gabbro_codes");
  else if (completion->words != NULL)
    g_string_append_printf (text, "{_alternative \"words:word:(%s)\" \"files:file:_files\"}", completion->words);
  else if (completion->kinds != 0)
    g_string_append (text, "{_alternative \"adapters:adapter:_gabbro_adapters\" \"files:file:_files\"}");
}

static void
append_zsh_option (GString *text, const struct tool_option *option)
{
  struct tool_completion completion = tool_completion_of_option (option);
  const char *repeat = option->many ? "*" : "";

  for (guint form = option->letter != '\0' ? 0 : 1; form < 2; form++)
    {
      if (form == 0)
        g_string_append_printf (text, " \\\n        '%s-%c%s[", repeat, option->letter,
                                option->value_name != NULL ? "+" : "");
      else
        g_string_append_printf (text, " \\\n        '%s--%s%s[", repeat, option->name,
                                option->value_name != NULL ? "=" : "");
      append_zsh_quoted (text, _(option->description));
      g_string_append_c (text, ']');
      if (option->value_name != NULL)
        {
          g_string_append_c (text, ':');
          append_zsh_quoted (text, _(option->value_name));
          g_string_append_c (text, ':');
          append_zsh_action (text, &completion);
        }
      g_string_append_c (text, '\'');
    }
  g_free (completion.words);
}

static void
append_zsh_command (GString *text, const struct tool_command *command)
{
  struct tool_completion completion = tool_completion_of_command (command);

  g_string_append_printf (text, "    %s)\n      _arguments", command->name);
  for (const struct tool_option *option = command->options; option->name != NULL; option++)
    append_zsh_option (text, option);
  g_string_append (text, " \\\n        '(-h --help)'{-h,--help}'[");
  append_zsh_quoted (text, _("this text"));
  g_string_append (text, "]'");
  if (completion.kinds != 0 || completion.words != NULL)
    {
      g_string_append (text, " \\\n        '*:argument:");
      append_zsh_action (text, &completion);
      g_string_append_c (text, '\'');
    }
  g_string_append (text, "\n      ;;\n");
  g_free (completion.words);
}

void
tool_completion_zsh (GString *text)
{
  g_autofree char *names = command_names ();

  g_string_append (text,
    "#compdef gabbro\n"
    "# zsh completion of gabbro, made by 'gabbro completion zsh'\n\n"
    "_gabbro_adapters ()\n"
    "{\n"
    "  compadd -- ${(f)\"$(" LIST_ADAPTERS ")\"}\n"
    "}\n\n"
    "_gabbro_codes ()\n"
    "{\n"
    "  compadd -- ${(f)\"$(" LIST_CODES ")\"}\n"
    "}\n\n"
    "_gabbro ()\n"
    "{\n"
    "  local -a commands\n"
    "  commands=(\n");
  for (guint i = 0; tool_commands[i] != NULL; i++)
    {
      g_string_append_printf (text, "    '%s:", tool_commands[i]->name);
      append_zsh_quoted (text, _(tool_commands[i]->summary));
      g_string_append (text, "'\n");
    }
  g_string_append (text, "    'help:");
  append_zsh_quoted (text, _("explain a command: gabbro help run"));
  g_string_append (text, "'\n"
    "  )\n"
    "  if (( CURRENT == 2 )); then\n"
    "    _describe -t commands 'gabbro command' commands\n"
    "    return\n"
    "  fi\n"
    "  local command=$words[2]\n"
    "  shift words\n"
    "  (( CURRENT-- ))\n"
    "  case $command in\n");
  for (guint i = 0; tool_commands[i] != NULL; i++)
    append_zsh_command (text, tool_commands[i]);
  g_string_append_printf (text,
    "    help)\n      _arguments '1:command:(%s)'\n      ;;\n"
    "  esac\n"
    "}\n\n"
    "_gabbro \"$@\"\n", names);
}

/* --- fish -------------------------------------------------------------------------------------- */

static void
append_fish_quoted (GString *text, const char *plain)
{
  g_string_append_c (text, '\'');
  for (; *plain != '\0'; plain++)
    {
      if (*plain == '\'' || *plain == '\\')
        g_string_append_c (text, '\\');
      g_string_append_c (text, *plain);
    }
  g_string_append_c (text, '\'');
}

static void
append_fish_arguments (GString *text, const struct tool_completion *completion)
{
  /* Without -f, files are offered. */
  if (!(completion->kinds & TOOL_COMPLETE_FILES))
    g_string_append (text, " -f");
  if (completion->words != NULL)
    g_string_append_printf (text, " -a '%s'", completion->words);
  if (completion->kinds & TOOL_COMPLETE_ADAPTERS)
    g_string_append (text, " -a '(" LIST_ADAPTERS ")'");
  if (completion->kinds & TOOL_COMPLETE_CODES)
    g_string_append (text, " -a \"(" LIST_CODES ")\"");
}

static void
append_fish_command (GString *text, const struct tool_command *command)
{
  struct tool_completion operands = tool_completion_of_command (command);

  g_string_append_printf (text, "complete -c gabbro -n __fish_use_subcommand -f -a %s -d ", command->name);
  append_fish_quoted (text, _(command->summary));
  g_string_append_printf (text, "\ncomplete -c gabbro -n '__fish_seen_subcommand_from %s'", command->name);
  append_fish_arguments (text, &operands);
  g_string_append_c (text, '\n');
  for (const struct tool_option *option = command->options; option->name != NULL; option++)
    {
      struct tool_completion completion = tool_completion_of_option (option);
      g_string_append_printf (text, "complete -c gabbro -n '__fish_seen_subcommand_from %s'", command->name);
      if (option->letter != '\0')
        g_string_append_printf (text, " -s %c", option->letter);
      g_string_append_printf (text, " -l %s", option->name);
      if (option->value_name != NULL)
        {
          g_string_append (text, " -r");
          append_fish_arguments (text, &completion);
        }
      g_string_append (text, " -d ");
      append_fish_quoted (text, _(option->description));
      g_string_append_c (text, '\n');
      g_free (completion.words);
    }
  g_free (operands.words);
}

void
tool_completion_fish (GString *text)
{
  g_autofree char *names = command_names ();

  g_string_append (text, "# fish completion of gabbro, made by 'gabbro completion fish'\n\n");
  for (guint i = 0; tool_commands[i] != NULL; i++)
    append_fish_command (text, tool_commands[i]);
  g_string_append (text, "complete -c gabbro -n __fish_use_subcommand -f -a help -d ");
  append_fish_quoted (text, _("explain a command: gabbro help run"));
  g_string_append_printf (text, "\ncomplete -c gabbro -n '__fish_seen_subcommand_from help' -f -a '%s'\n"
                                "complete -c gabbro -s h -l help -f -d ", names);
  append_fish_quoted (text, _("this text"));
  g_string_append_c (text, '\n');
}
