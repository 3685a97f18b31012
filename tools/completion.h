/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Completion scripts for shells, made from the tables of commands and options, so that they cannot
 * say anything else. */

#pragma once

#include <glib.h>

#include "tools/command.h"

/* What may stand somewhere. */
enum tool_completion_kind
{
  TOOL_COMPLETE_FILES = 1 << 0,
  TOOL_COMPLETE_ADAPTERS = 1 << 1,
  TOOL_COMPLETE_CODES = 1 << 2
};

struct tool_completion
{
  guint kinds;                  /* of enum tool_completion_kind */
  char *words;                  /* with blanks between; NULL: none */
};

/* Of the value of an option, and of what stands behind a command, which its usage says. Give
 * `words` to g_free(). */
struct tool_completion tool_completion_of_option  (const struct tool_option *option);
struct tool_completion tool_completion_of_command (const struct tool_command *command);

void tool_completion_bash (GString *text);
void tool_completion_zsh  (GString *text);
void tool_completion_fish (GString *text);
