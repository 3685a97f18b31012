/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "tests/test-main.h"

/* A folder of its own for files of a test; the caller frees the name. */
char *make_folder (void);
char *write_bytes (const char *folder, const char *name, gconstpointer data, gsize size);

void add_debugger_tests (Suite *suite);
void add_picture_tests (Suite *suite);
