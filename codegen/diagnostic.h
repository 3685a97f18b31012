/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Diagnostics of the compiler: collected, never printed by it. */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum gk_severity { GK_SEVERITY_ERROR, GK_SEVERITY_WARNING, GK_SEVERITY_NOTE };

struct gk_diagnostic
{
  enum gk_severity severity;
  uint32_t code;                 /* 123 is shown as GK0123; 0: none */
  uint32_t line;                 /* 1-based, 0: no place */
  uint32_t column;               /* 1-based, in bytes */
  uint32_t length;               /* bytes underlined, at least 1 */
  char *message;                 /* translated */
  char *hint;                    /* translated, may be NULL */
  char *source_line;             /* the line itself, may be NULL */
  char *file;                    /* NULL: the source that the list is of */
  uint32_t file_number;          /* they are sorted by; 0 for that one */
};

struct gk_diagnostics
{
  char *source_name;
  GPtrArray *list;               /* of struct gk_diagnostic * */
  guint n_errors;
  guint n_warnings;
  guint limit;                   /* errors kept; one more says that there were more */
  bool overflowed;
};

void gk_diagnostics_init  (struct gk_diagnostics *diagnostics, const char *source_name);
void gk_diagnostics_clear (struct gk_diagnostics *diagnostics);
/* Takes ownership of nothing. `source_line` need not be terminated: `source_line_length` bytes. */
void gk_diagnostics_add   (struct gk_diagnostics *diagnostics, enum gk_severity severity, uint32_t code,
                           uint32_t line, uint32_t column, uint32_t length,
                           const char *source_line, gsize source_line_length,
                           const char *hint, const char *format, ...) G_GNUC_PRINTF (10, 11);
/* Says which other file the diagnostic is of that was added last. */
void gk_diagnostics_name_last (struct gk_diagnostics *diagnostics, const char *file, uint32_t file_number);
/* As clang prints: "name:line:column: error: message [GK0123]", the line, carets, the hint. */
void gk_diagnostic_format  (const struct gk_diagnostic *diagnostic, const char *source_name, GString *out);
void gk_diagnostics_format (const struct gk_diagnostics *diagnostics, GString *out);
