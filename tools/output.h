/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the listings print: text for people and JSON for programs out of the same
 * calls. Nothing is written before tool_output_finish(). Absent values (NULL) are
 * said in text and left out of JSON. */

#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>

#include "tools/options.h"

/* The version of all JSON that is printed; data/gabbro-1.schema.json says what that is. */
#define TOOL_SCHEMA_VERSION 1

/* --json and --color, which all listings have. */
#define TOOL_COLOR_OPTION                                                                \
  { "color", 0, N_("WHEN"), N_("colour: auto (on a terminal), always or never"), "auto always never" }
#define TOOL_OUTPUT_OPTIONS                                                              \
  { "json", 0, NULL, N_("print JSON for programs") },                                    \
  TOOL_COLOR_OPTION

struct tool_output;

struct tool_output *tool_output_new (bool json);
/* As the options say; the JSON names the document and the version of the schema. */
struct tool_output *tool_output_new_document (const struct tool_options *options, const char *document);
/* JSON, whatever the options say. */
struct tool_output *tool_output_new_json (const char *document);
/* One line of JSON, whatever the options say, that is sent off at once; for streams of documents. */
struct tool_output *tool_output_new_line (const char *document);
/* Writes to standard output and frees; tool_output_free() when it came to nothing. */
bool tool_output_finish (struct tool_output *output, GError **error);
void tool_output_free   (struct tool_output *output);

/* `key` is the name in JSON, NULL in a list; `title` is text, NULL for none. */
void tool_output_begin_object (struct tool_output *output, const char *key, const char *title);
void tool_output_end_object   (struct tool_output *output);
void tool_output_begin_list   (struct tool_output *output, const char *key, const char *title);
void tool_output_end_list     (struct tool_output *output);

void tool_output_string  (struct tool_output *output, const char *key, const char *title, const char *value);
/* A word of a fixed list: `word` for programs, `text` for people. */
void tool_output_word    (struct tool_output *output, const char *key, const char *title, const char *word, const char *text);
void tool_output_boolean (struct tool_output *output, const char *key, const char *title, bool value);
void tool_output_strings (struct tool_output *output, const char *key, const char *title, const char *const *values);
/* Booleans, numbers, strings, lists of numbers or strings, bytes. `unit` is "bytes"
 * and its like, or NULL; `description` a sentence for text, or NULL. */
void tool_output_variant (struct tool_output *output,
                          const char *key,
                          const char *title,
                          GVariant *value,
                          const char *unit,
                          const char *description);
/* As it stands in a file. NULL: absent. */
void tool_output_node    (struct tool_output *output, const char *key, const char *title, JsonNode *value);
/* Whether that is good or bad: yes or no, green or red. */
void tool_output_verdict (struct tool_output *output, const char *key, const char *title, bool good);
/* What the text says in another way, such as the title of an object. */
void tool_output_for_programs (struct tool_output *output, const char *key, GVariant *value);
/* Text that JSON says in another way, broken into lines. */
void tool_output_paragraph (struct tool_output *output, const char *text);
/* A line of text that JSON has no place for. */
void tool_output_line    (struct tool_output *output, const char *text);

/* "1.5 GiB (1610612736 bytes)". */
char *tool_humanise (guint64 number, const char *unit);

/* Numbers, words and lists as JSON has them. */
JsonNode *tool_variant_to_json (GVariant *value);
/* Exact, without units; a list with commas between its parts. */
char     *tool_json_text (JsonNode *value);
