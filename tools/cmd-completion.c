/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro completion: what a shell reads to complete the arguments of this command. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "tools/command.h"
#include "tools/completion.h"
#include "tools/files.h"
#include "tools/report.h"
#include "tools/suggest.h"

static const struct tool_option options_of_completion[] = {
  { NULL }
};

static const struct tool_example examples[] = {
  { "completion bash > ~/.local/share/bash-completion/completions/gabbro", N_("for one user") },
  { "completion zsh > ~/.zfunc/_gabbro", N_("in a folder of $fpath") },
  { "completion fish > ~/.config/fish/completions/gabbro.fish", N_("for one user") },
  { NULL }
};

static const struct
{
  const char *name;
  void (*write) (GString *text);
} shells[] = {
  { "bash", tool_completion_bash },
  { "zsh", tool_completion_zsh },
  { "fish", tool_completion_fish },
};

static bool
run (const struct tool_options *options, GError **error)
{
  const char *wanted = tool_options_operand (options, 0);
  const char *names[G_N_ELEMENTS (shells) + 1];

  if (wanted == NULL)
    return tool_usage (error, _("the name of a shell is missing: bash, zsh or fish"));
  if (!tool_options_at_most (options, 1, error))
    return false;
  for (guint i = 0; i < G_N_ELEMENTS (shells); i++)
    {
      names[i] = shells[i].name;
      if (strcmp (wanted, names[i]) != 0)
        continue;
      g_autoptr (GString) text = g_string_new (NULL);
      shells[i].write (text);
      return tool_write_stdout (text->str, text->len, error);
    }
  names[G_N_ELEMENTS (shells)] = NULL;
  g_autofree char *suggestion = tool_suggestion (wanted, names, "");
  return tool_usage (error, _("'%s' is none of bash, zsh, fish%s"), wanted, suggestion);
}

const struct tool_command tool_command_completion = {
  .name = "completion",
  .usage = N_("bash|zsh|fish"),
  .summary = N_("print what completes this command in a shell"),
  .text = N_("Packages install it where the shells look; this is for those who have none.\n"),
  .options = options_of_completion,
  .examples = examples,
  .run = run,
};
