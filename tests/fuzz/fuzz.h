/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the fuzzers share: inputs come from the tree's own files by a seed and a round, so that any of them can be made
 * again; each is tried in a process that is watched. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "tests/random/dice.h"

/* The largest input, in bytes. */
#define FUZZ_MAX_INPUT (4 << 20)

struct fuzz_target
{
  const char *name;
  const char *extension;                 /* of files that were found */
  guint smoke_rounds;                    /* of a run that says nothing else */
  void (*prepare) (void);                /* reads the corpus */
  /* A new input. The same dice give the same bytes. */
  GByteArray *(*make) (struct dice *dice);
  /* Tries it; whether it was taken. The memory of `data` ends where it does. */
  bool (*attempt) (const guint8 *data, gsize size);
};

/* Of the program that links the driver; ends with NULL. */
extern const struct fuzz_target *const fuzz_targets[];

/* A finding, unless `condition` holds. */
#define fuzz_check(condition, ...)                          \
  do                                                        \
    {                                                       \
      if (!(condition))                                     \
        fuzz_fail (__FILE__, __LINE__, __VA_ARGS__);        \
    }                                                       \
  while (0)

G_NORETURN void fuzz_fail (const char *file, int line, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Texts of files, sorted by name. */
struct fuzz_corpus
{
  GPtrArray *texts;                      /* of GBytes * */
};

/* Adds the files of a folder of the source tree whose names end so. */
void          fuzz_corpus_add_folder (struct fuzz_corpus *corpus, const char *folder, const char *suffix);
/* Takes the bytes. */
void          fuzz_corpus_add   (struct fuzz_corpus *corpus, GBytes *bytes);
const GBytes *fuzz_corpus_pick  (const struct fuzz_corpus *corpus, struct dice *dice);
GByteArray   *fuzz_copy         (const GBytes *bytes);

/* A number that lies at the edge of something, more often than not. */
guint64 fuzz_odd_number (struct dice *dice);
/* One to six changes: bits, bytes, words, pieces. */
void    fuzz_mutate_bytes (GByteArray *data, struct dice *dice);
/* The same with words, numbers, signs and lines; others come from `corpus`, and from the `words`, which end with NULL. */
void    fuzz_mutate_text  (GByteArray *text, const struct fuzz_corpus *corpus, const char *const *words, struct dice *dice);
