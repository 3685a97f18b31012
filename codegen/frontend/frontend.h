/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The front end: source text to AST to structured XIR. It opens no file and
 * knows no device. No input can crash, hang or exhaust the process: see the limits. */

#pragma once

#include "codegen/diagnostic.h"
#include "codegen/xir/xir.h"

#define GK_MAX_SOURCE_SIZE   (16u * 1024 * 1024)   /* bytes */
#define GK_MAX_NAME          128                   /* bytes */
#define GK_MAX_TEXT          4096                  /* bytes in the quotes of a text */
#define GK_MAX_NESTING       256                   /* parentheses, blocks, operators in one expression */
#define GK_MAX_PARAMETERS    64
#define GK_MAX_FUNCTIONS     4096
#define GK_MAX_GROUP_THREADS 1024
#define GK_MAX_CASES         16383                 /* of a switch: what SPIR-V promises */

#define GK_MAX_IMPORTS       256

struct gk_unit;
struct gk_type;

/* A value from outside for an `option`, as text of the language. */
struct gk_option_value { const char *name; const char *value; };

struct gk_source_options
{
  const struct gk_option_value *values;
  guint n_values;
  /* Finds what `importer` imports as `path`. `*name` is what the text is known by: equal names are one text,
   * and messages call it so. Both results are freed with g_free. NULL: nothing can be imported. */
  char *(*import) (const char *path, const char *importer, char **name, gsize *length, gpointer data, GError **error);
  gpointer import_data;
};

/* Parses and checks. Never NULL; `diagnostics` says whether it can be lowered
 * (n_errors == 0). The text is copied. */
struct gk_unit *gk_unit_new   (struct xir_context *context, const char *name, const char *text, gsize length,
                               struct gk_diagnostics *diagnostics);
/* The same with values and imports; `options` may be NULL. */
struct gk_unit *gk_unit_new_with (struct xir_context *context, const char *name, const char *text, gsize length,
                                  const struct gk_source_options *options, struct gk_diagnostics *diagnostics);
/* All that it was made of: its text, what it imports, values of options, one after the other. */
const char     *gk_unit_text  (const struct gk_unit *unit, gsize *length);
void            gk_unit_free  (struct gk_unit *unit);
/* The AST as indented text, one node a line, with types where sema found them. */
void            gk_unit_print (const struct gk_unit *unit, GString *out);
/* What the kernels' arguments and their structures are in memory, as text; only for a unit without errors. */
void            gk_unit_print_layout (const struct gk_unit *unit, GString *out);
/* The same for programs: a header of C, a module of Python that makes types of numpy, types of GVariant. */
void            gk_unit_print_layout_c        (const struct gk_unit *unit, GString *out);
void            gk_unit_print_layout_python   (const struct gk_unit *unit, GString *out);
void            gk_unit_print_layout_gvariant (const struct gk_unit *unit, GString *out);
/* The type of a kernel's parameter, with the names of the source (unit.h); NULL where there is none. */
const struct gk_type *gk_unit_parameter_type (const struct gk_unit *unit, const char *kernel, uint32_t index);
/* Structured XIR of every function and kernel; only for a unit without errors. */
struct xir_module *gk_unit_lower (const struct gk_unit *unit);
