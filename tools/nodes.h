/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What several commands do with nodes of the object tree and their attributes. There is no
 * list of fields: what the nodes show is what there is. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/output.h"

/* The section of attributes that have no group. */
#define TOOL_GENERAL_SECTION "general"

/* Which attributes are shown: globs, NULL for all. */
struct tool_filter
{
  const char *const *sections;
  const char *const *attributes;
};

/* The group it is in, or the general one. */
const char *tool_attribute_section (GabbroAttribute *attribute);
bool tool_filter_fits (const struct tool_filter *filter, GabbroAttribute *attribute);
/* Fails for a glob that fits nothing of the node: it was misspelt. */
bool tool_filter_check (const struct tool_filter *filter, GPtrArray *attributes, const char *path, GError **error);

/* An object "attributes", with an object for each group. */
void tool_show_attributes (struct tool_output *output,
                           GPtrArray *attributes,
                           const struct tool_filter *filter,
                           bool describe);

struct tool_walk
{
  GabbroContext *context;
  struct tool_output *output;
  guint depth;                  /* levels below the first node that are shown */
  bool attributes;              /* show them */
  bool describe;
};

/* A list "nodes" of the nodes below `path`, and so on. */
bool tool_show_children (const struct tool_walk *walk, const char *path, GError **error);
