/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an adapter says of itself, in values: of one that is here, or as gabbro info --json
 * has saved it, on this machine or another. Comparing and checking are the same for both. */

#pragma once

#include <gabbro/gabbro.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>

/* Bytes of a file with a saved adapter, and how deep its lists and objects may be nested. */
#define TOOL_RECORD_LIMIT (G_GUINT64_CONSTANT (4) << 20)
#define TOOL_RECORD_DEPTH 64

struct tool_fact
{
  char *section;
  char *name;
  JsonNode *value;              /* no object; NULL: absent */
};

struct tool_record
{
  char *name;
  char *source;                 /* its path, or the file */
  GabbroAdapter *adapter;       /* lent by the context; NULL: from a file */
  GPtrArray *facts;             /* of struct tool_fact *, in the order in which they are shown */
};

/* Whether the operand is meant as a file: it ends in ".json". */
bool tool_is_record_file (const char *text);

struct tool_record *tool_record_new_from_adapter (GabbroContext *context, GabbroAdapter *adapter, GError **error);
struct tool_record *tool_record_new_from_file    (const char *filename, GError **error);
/* A file, or an adapter as for gabbro info. `*context` is made where it is needed and NULL so far. */
struct tool_record *tool_record_new (GabbroContext **context, const char *wanted, GError **error);
void tool_record_free (struct tool_record *record);

/* "name" or "section/name"; case, "-" and "_" do not matter, so that Vulkan's spelling will do:
 * shaderInt64 is shader-int64. */
bool tool_fact_is_named (const struct tool_fact *fact, const char *wanted);
const struct tool_fact *tool_record_find (const struct tool_record *record, const char *wanted);

/* `description` as of gabbro_bundle_describe_kernel(). NULL: such an adapter can run the kernel; otherwise why not. */
char *tool_record_check_kernel (const struct tool_record *record, GVariant *description);
