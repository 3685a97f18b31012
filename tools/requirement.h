/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is asked of an adapter: a feature that it must have, a limit that must be large enough. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "tools/record.h"

enum tool_comparison
{
  TOOL_AT_LEAST,
  TOOL_AT_MOST,
  TOOL_MORE,
  TOOL_LESS,
  TOOL_EQUAL
};

struct tool_requirement
{
  char *text;                   /* as it was given */
  char *name;
  bool is_limit;
  enum tool_comparison comparison;
  char *value;                  /* of a limit: digits with a suffix, a version, a word */
};

/* "NAME", a feature. */
struct tool_requirement *tool_requirement_new_feature (const char *text, GError **error);
/* "NAME>=VALUE" and so on. */
struct tool_requirement *tool_requirement_new_limit   (const char *text, GError **error);
void tool_requirement_free (struct tool_requirement *requirement);

/* NULL when the adapter meets it, else why not. */
char *tool_requirement_check (const struct tool_requirement *requirement, const struct tool_record *record);
/* Whether the adapter knows what is asked for at all, met or not. */
bool  tool_requirement_is_known (const struct tool_requirement *requirement, const struct tool_record *record);
