/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options of a sub-command, read by a table. */

#pragma once

#include <glib.h>
#include <stdbool.h>

struct tool_option
{
  const char *name;             /* without "--"; NULL ends a table */
  char letter;                  /* or 0 */
  const char *value_name;       /* N_(); NULL: a flag */
  const char *description;      /* N_() */
  const char *words;            /* what its value is one of, with blanks between; NULL: anything */
  bool many;                    /* may be given several times */
};

struct tool_options
{
  GPtrArray *operands;          /* of char *, as given; ends with NULL in pdata */
  GHashTable *values;           /* name -> GPtrArray of its values, "" for a flag */
  bool help;
};

/* `arguments` ends with NULL and is not kept, its strings are. Takes "--name=value",
 * "--name value", "-Ovalue", "-O value"; "--" ends the options. --help and -h are
 * known everywhere. A value that is none of its `words` is refused. */
bool tool_options_parse (struct tool_options *options,
                         const struct tool_option *table,
                         char **arguments,
                         GError **error);
void tool_options_clear (struct tool_options *options);

bool        tool_options_has (const struct tool_options *options, const char *name);
/* NULL when it was not given. */
const char *tool_options_get (const struct tool_options *options, const char *name);
/* All values of one that may be given several times, in order, the last NULL; NULL for none. */
const char *const *tool_options_get_all (const struct tool_options *options, const char *name);
/* A whole number in least..most; `number` keeps its value when the option was not given. */
bool        tool_options_get_number (const struct tool_options *options,
                                     const char *name,
                                     guint64 least,
                                     guint64 most,
                                     guint64 *number,
                                     GError **error);
guint       tool_options_n_operands (const struct tool_options *options);
const char *tool_options_operand (const struct tool_options *options, guint index);
/* Fails when more than `most` operands were given. */
bool        tool_options_at_most (const struct tool_options *options, guint most, GError **error);

/* Decimal digits alone, in least..most; the message names `what`. */
bool tool_parse_whole (const char *text,
                       const char *what,
                       guint64 least,
                       guint64 most,
                       guint64 *number,
                       GError **error);
