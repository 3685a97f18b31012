/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The buffer that kernels print to, in words of 32 bits, all zero before:
 *
 *   0           words that records have taken; more than there are: the last ones found no room
 *   1           records that found no room
 *   HEADER …    records without gaps: number of the site plus one, number of the dispatch, global_id x, y, z, then the
 *               values, each number a word, the low one of two first: bool as 0 or 1, integers as int or uint, halves
 *               and smaller floats as float */

#pragma once

#include "codegen/xir/xir.h"

/* The function that begins a record; no source can name one like that. */
#define XIR_PRINT_HELPER        "gabbro.print"

#define XIR_PRINT_HEADER        4        /* words in front of the records; two are spare */
#define XIR_PRINT_RECORD_HEADER 5        /* words in front of the values */
/* A buffer has room for one record of any size. */
#define XIR_PRINT_MIN_WORDS     1024

/* Of lowered code: the print or assertion whose record this instruction begins; NULL: it is another instruction. */
const struct xir_print_site *xir_print_site_of_call (const struct xir_instruction *call);
