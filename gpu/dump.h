/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files for those who work on the compiler: with GABBRO_DUMP=FOLDER each step of each
 * compile leaves what it made there. Never read back. */

#pragma once

#include <glib.h>

#include "codegen/spirv/spirv.h"

struct gabbro_dump
{
  const char *folder;                    /* NULL: no dump */
  const char *name;
  guint step;
};

/* `text` becomes FOLDER/NAME.SUFFIX, characters that do not belong in file names replaced. */
void gabbro_dump_text (const struct gabbro_dump *dump, const char *suffix, const char *text);
/* As observer of a compile, with the struct as its data. */
extern const struct spirv_observer gabbro_dump_observer;
