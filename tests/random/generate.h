/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random kernels. A seed means the same kernel until GENERATE_VERSION changes. */

#pragma once

#include "tests/random/tree.h"

#define GENERATE_VERSION 13

/* Well-typed, without races, and it ends. Nothing that gabbro-kernel(5) leaves free is seen in what it writes, but for
 * NaN's payload, and the sign of zeros in outputs that do not promise it. */
struct kernel *generate_values (guint64 seed);
/* Control flow that leaves a trace. */
struct kernel *generate_flow   (guint64 seed);
struct kernel *generate_kernel (enum kernel_kind kind, guint64 seed);

/* What outputs hold before, word by word: floats of few bits of each width, too, so that they may be read. */
#define BACKGROUND   0x40400000u
#define N_INPUTS     16                  /* elements of each input buffer, as the kernel sees it */
#define IMAGE_TEXELS 256                 /* as many as there are threads at most */
/* Width, height and depth of an image of two or three dimensions. */
extern const guint image_sizes[4][3];

/* The rest is between the files of the generator. */

struct generator
{
  struct dice dice;
  struct kernel *kernel;
  struct function *function;             /* NULL: the kernel */
  GPtrArray *scope;                      /* of struct variable *: what can be named here */
  GPtrArray *busy;                       /* of struct variable *: what a call of this statement writes */
  guint depth;                           /* of blocks */
  guint n_places;                        /* places that are being made, one in an index of the other */
  guint n_loops;                         /* around this place, in this function */
  guint n_switches;                      /* around this place, inside the innermost loop */
  guint fuel;                            /* statements left */
  guint64 weight;                        /* how often this place runs, at most */
  guint64 cost;                          /* of the function so far */
  guint size;
  guint64 print_size;                    /* bytes that the function prints so far, at most */
  gsize shared_size;                     /* bytes of shared arrays so far */
};

/* Of a thread: those of all find room in the buffer for them, which has 1 MiB. */
#define MAX_PRINT_SIZE 8192
/* Every device has 16 KiB; a bool may take a word there. */
#define MAX_SHARED    4096
#define MAX_COST      4000
#define MAX_FLOW_COST 600
#define MAX_PATH      500
#define MAX_SIZE      90                 /* statements with all calls inlined, since that is what drivers do */

void generator_init  (struct generator *generator, enum kernel_kind kind, guint64 seed, guint attempt);
void generator_clear (struct generator *generator);

guint pick (struct generator *generator, guint n);
gboolean chance (struct generator *generator, guint percent);
/* Not one that can only be stored. */
enum scalar any_scalar (struct generator *generator);
enum scalar any_integer (struct generator *generator);

#define generate_type(generator, scalar, lanes) ((generator)->kernel->values[scalar][lanes])
const struct type *generate_value_type (struct generator *generator);
const struct type *generate_variable_type (struct generator *generator);
/* What buffers hold. */
const struct type *generate_element_type (struct generator *generator);

static const struct promise promise_variable = { GRAIN_VARIABLE, FALSE };
static const struct promise promise_nothing = { GRAIN_LEAST, FALSE };

/* An expression of this type that holds what is wanted. */
struct expression *generate_expression (struct generator *generator, const struct type *type, struct promise wanted, guint depth);
/* Something in scope of this type, or NULL; writable: a place whose promise is exactly what may be written to it. */
struct expression *generate_place (struct generator *generator, const struct type *type, struct promise wanted, gboolean writable);
/* An index below `length`, a power of two. */
struct expression *generate_index (struct generator *generator, guint length, guint depth);
struct expression *generate_literal (struct generator *generator, const struct type *type, struct promise wanted);
/* Whether a kernel and a function can have a parameter of it; not the totals, of which each atomic has a word of its own. */
gboolean role_is_resource (enum role role);
struct expression *generate_call (struct generator *generator, struct function *function, guint depth);
/* Whether one more call is not too much. */
gboolean can_call (struct generator *generator, const struct function *function);
struct expression *generate_binary (struct generator *generator, const struct type *type, struct promise promise, const char *text,
                                    struct expression *left, struct expression *right);
struct expression *generate_builtin (struct generator *generator, const struct type *type, struct promise wanted, guint depth);
struct expression *generate_bounded (struct generator *generator);
struct expression *generate_cast (struct generator *generator, const struct type *type, struct promise wanted, guint depth);
/* Whether a number of one type may become one of the other that has to hold `wanted`, and what it has to hold itself. */
gboolean can_convert (enum scalar from, enum scalar to, struct promise wanted);
struct promise before_conversion (enum scalar from, enum scalar to, struct promise wanted);
struct expression *generate_bitcast (struct generator *generator, const struct type *type, struct promise wanted, guint depth);
struct expression *generate_matrix (struct generator *generator, const struct type *type, struct promise wanted, guint depth);
struct expression *generate_matrix_product (struct generator *generator);
/* What a variable of that kind may take. */
gboolean promise_holds (const struct type *type, struct promise is, struct promise wanted);
gboolean type_has_float (const struct type *type);

void generate_block  (struct generator *generator, struct block *block);
void generate_if     (struct generator *generator, struct block *block);
void generate_switch (struct generator *generator, struct block *block);
void generate_loop   (struct generator *generator, struct block *block);
/* Byte buffers: parameters of the kernel, what is read of one and what is written. */
void generate_bytes (struct generator *generator);
struct expression *generate_load (struct generator *generator, const struct type *type, struct promise wanted);
const struct type *generate_cell_type (struct generator *generator);
void generate_store (struct generator *generator, struct block *block, struct variable *bytes, guint number);
/* A line, or an assertion that may fail. */
void generate_print (struct generator *generator, struct block *block);
void generate_together (struct generator *generator, struct block *block);
/* An atomic on what is the thread's own, so that its result is defined. */
void generate_atomic (struct generator *generator, struct block *block);

/* The same of flow kernels. */
struct expression *generate_flow_expression (struct generator *generator, const struct type *type, guint depth);
void generate_flow_statement (struct generator *generator, struct block *block);
