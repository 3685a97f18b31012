/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How the tool says that something went wrong: one line on standard error,
 * whatever the names in it hold, and an exit status. */

#pragma once

#include <glib.h>
#include <stdbool.h>

/* Exit statuses, documented in gabbro(1). */
enum tool_status
{
  TOOL_STATUS_OK = 0,
  TOOL_STATUS_FAILURE = 1,
  TOOL_STATUS_USAGE = 2,
  TOOL_STATUS_REPORTS = 3
};

#define TOOL_ERROR (tool_error_quark ())

enum tool_error
{
  TOOL_ERROR_FAILED,
  TOOL_ERROR_USAGE,             /* the command line is wrong */
  TOOL_ERROR_ANSWER,            /* nothing went wrong, but what was asked is not so: said already */
  TOOL_ERROR_REPORTS            /* checks have found something */
};

GQuark tool_error_quark (void);

/* Always false, so that "return tool_fail (error, …);" reads well. The message is
 * translated by the caller and needs no "gabbro: ". */
bool tool_fail  (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
bool tool_usage (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* As these, for an answer that is on standard output: exit status 1 and no more words. */
bool tool_answer_no (GError **error);

/* Prints the error and answers the exit status that belongs to it. The
 * diagnostics of a compile are printed whole; all else is one line. */
enum tool_status tool_report (const GError *error);
/* One line on standard error, "gabbro: …", for what is worth a word but no failure. */
void tool_remark (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Lines of others, such as compiler warnings, made safe for a terminal. */
void tool_report_text (const char *text);

/* Valid UTF-8 without control characters; for names that come from outside. */
char *tool_printable (const char *text);
/* The same, with its lines. */
char *tool_printable_lines (const char *text);

bool tool_stderr_is_terminal (void);
