/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sub-command: what help says of it, its options and what it does. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "tools/options.h"

struct tool_example
{
  const char *command;          /* behind "gabbro " */
  const char *meaning;          /* N_() */
};

struct tool_command
{
  const char *name;
  const char *usage;            /* N_(): what stands behind the name */
  const char *summary;          /* N_(): one line, no full stop */
  const char *text;             /* N_(): what else there is to say, or NULL */
  const struct tool_option *options;
  const struct tool_example *examples;   /* ends with a NULL command */
  bool (*run) (const struct tool_options *options, GError **error);
};

extern const struct tool_command tool_command_list;
extern const struct tool_command tool_command_info;
extern const struct tool_command tool_command_tree;
extern const struct tool_command tool_command_get;
extern const struct tool_command tool_command_monitor;
extern const struct tool_command tool_command_select;
extern const struct tool_command tool_command_check;
extern const struct tool_command tool_command_diff;
extern const struct tool_command tool_command_compile;
extern const struct tool_command tool_command_explain;
extern const struct tool_command tool_command_run;
extern const struct tool_command tool_command_bundle;
extern const struct tool_command tool_command_cache;
extern const struct tool_command tool_command_completion;

/* All of them, ends with NULL. */
extern const struct tool_command *const tool_commands[];

const struct tool_command *tool_find_command (const char *name, GError **error);

void tool_help_overview (GString *text);
void tool_help_command  (const struct tool_command *command, GString *text);
