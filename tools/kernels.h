/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What several commands do with kernel files. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>

#include "tools/options.h"

/* The file as a module, with -D and -I; warnings go to standard error. `sources`, which may be NULL, gets the text of the file and
 * of all that it imports, as GBytes by the name that messages have for each. */
GabbroModule *tool_load_module (const char *filename, const struct tool_options *options, GHashTable *sources, GError **error);

/* `name` if it is among them, or the only one for NULL; NULL with what to do about it. `shown` is their file. */
const char *tool_choose_kernel (char **kernels, const char *shown, const char *name, GError **error);

/* The kernel `name` of the module, or its only one for NULL. */
GabbroKernel *tool_find_kernel (GabbroModule *module, const char *filename, const char *name, GError **error);

/* What all that read source share. */
#define TOOL_SOURCE_OPTIONS                                                                     \
  { "define", 'D', N_("NAME=VALUE"), N_("the value of an option of the source"), .many = true }, \
  { "include", 'I', N_("FOLDER"), N_("where imported files are, if not beside their importer"), .many = true }

/* Whether their folders are there, also where nothing is imported. */
bool tool_source_options (const struct tool_options *options, GError **error);

/* What compile and run share. */
#define TOOL_COMPILE_OPTIONS                                                                    \
  { "optimization", 'O', N_("LEVEL"), N_("how much to optimise: 0 (nothing) to 3 (all)") },    \
  { "bounds-checks", 0, NULL, N_("indices out of range read 0 and write nothing") },           \
  TOOL_SOURCE_OPTIONS

bool tool_compile_options (const struct tool_options *options,
                           GabbroCompileFlags *flags,
                           gint *level,
                           GError **error);
