/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Formats of print and assert: text in which `{}` is the place of a value, `{{` and `}}` are braces. */

#pragma once

#include "codegen/type/type.h"

/* Words of 32 bits that the values of one line may take together. */
#define XIR_PRINT_MAX_WORDS 256

/* Appends the text up to the next place to `out` (may be NULL), and moves `*at` behind it, or to the end of the
 * format. Whether there was a place. `*is_wrong` is set where a brace is neither. */
bool     xir_format_next  (const char **at, GString *out, bool *is_wrong);
/* Places in a format; false where a brace is wrong. */
bool     xir_format_count (const char *format, uint32_t *n_places);
/* What a value of the type takes in a record: each number a word, or two where it has 64 bits. Stops counting
 * above XIR_PRINT_MAX_WORDS. */
uint32_t xir_print_words  (const struct xir_type *type);
