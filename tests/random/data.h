/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a kernel is given, and what it leaves. */

#pragma once

#include <gabbro/gabbro.h>

#include "tests/random/tree.h"

/* A kernel argument. */
struct slot
{
  char name[16];
  const struct variable *variable;       /* NULL: what print.c adds: records, trace, conditions */
  enum role role;
  guint first, length, whole;            /* of buffers: elements of the view, and of all; of byte buffers: bytes */
  gsize size;
  guint8 *bytes;                         /* before the kernel runs */
};

struct data
{
  GArray *slots;                         /* of struct slot */
  gsize output_size;                     /* of all outputs together */
};

struct data *data_new  (const struct kernel *kernel);
void         data_free (struct data *data);

gboolean slot_is_output (const struct slot *slot);
/* The words of the conditions that a flow kernel reads. */
const guint32 *data_conditions (const struct data *data);

#define N_CONDITIONS 4                   /* words of a thread, a vector */
