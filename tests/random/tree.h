/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A kernel as a tree: what the generators make, print.c writes as kernel language, flow.c executes
 * and shrink.c makes smaller. Everything belongs to its struct kernel and lives as long as that. */

#pragma once

#include <glib.h>

#include "tests/random/dice.h"

/* Types. */

/* The first four are most of what kernels are made of, and the last three can only be stored and converted. */
enum scalar
{
  SCALAR_BOOL, SCALAR_INT, SCALAR_UINT, SCALAR_FLOAT,
  SCALAR_CHAR, SCALAR_UCHAR, SCALAR_SHORT, SCALAR_USHORT, SCALAR_LONG, SCALAR_ULONG,
  SCALAR_HALF, SCALAR_DOUBLE,
  SCALAR_BFLOAT, SCALAR_E4M3, SCALAR_E5M2,
  N_SCALARS
};

#define N_COMMON_SCALARS   4
#define N_COMPUTED_SCALARS SCALAR_BFLOAT

enum scalar_family { FAMILY_BOOL, FAMILY_SIGNED, FAMILY_UNSIGNED, FAMILY_FLOAT, FAMILY_STORED };

struct scalar_info
{
  const char *name;
  enum scalar_family family;
  guint bits;                            /* in memory */
  guint exponent_bits, mantissa_bits;
};

extern const struct scalar_info scalar_infos[N_SCALARS];

enum type_kind { TYPE_VALUE, TYPE_MATRIX, TYPE_ARRAY, TYPE_STRUCTURE };

struct type
{
  enum type_kind kind;
  enum scalar scalar;                    /* of a value or matrix */
  guint lanes;                           /* of a value, 1 to 4 */
  const struct type *element;            /* of an array; of a matrix: a column */
  guint length;                          /* of an array: a power of two, so that indices can be masked; of a matrix: columns */
  struct structure *structure;
};

#define MAX_MEMBERS 4

struct member
{
  const struct type *type;
  char name[8];
  gboolean removed;
};

struct structure
{
  char name[8];
  struct member members[MAX_MEMBERS];
  guint n_members;
  gboolean removed;
};

/* What is promised of a float, so that nothing that the language leaves free is seen where bits are compared or
 * paths chosen. All finite values are multiples of two to the `grain`: from -126 on none is a denormal. In a `strict`
 * value no zero has a sign that is free, as that of min (-0, +0) is. Other values need no promise. A half has fewer
 * exponents: its numbers are multiples of two to the grain divided by HALF_GRAINS, towards 0. */
struct promise
{
  int grain;
  gboolean strict;
};

#define GRAIN_LEAST    -126              /* of any float that is computed exactly */
#define GRAIN_VARIABLE -44               /* of what is kept in variables */
#define GRAIN_INPUT    -20
#define GRAIN_LITERAL  -4
#define HALF_GRAINS    9

/* Variables and resources. */

enum role
{
  ROLE_LOCAL,
  ROLE_COUNTER,                          /* of a loop: read freely, written by the loop alone */
  ROLE_CONSTANT,                         /* at file scope */
  ROLE_OPTION,                           /* the same, with a value that may come from outside */
  ROLE_VALUE,                            /* parameter */
  ROLE_INOUT,
  ROLE_OUT,
  ROLE_INPUT_BUFFER,                     /* const buffer; `type` is that of the elements */
  ROLE_OUTPUT_BUFFER,                    /* buffer in which each thread has `length` elements of its own */
  ROLE_INPUT_IMAGE,
  ROLE_OUTPUT_IMAGE,
  ROLE_TOTALS,                           /* buffer with one word for each atomic on it, of all threads */
  ROLE_INPUT_BYTES,                      /* const byte buffer of N_INPUTS records */
  ROLE_OUTPUT_BYTES                      /* byte buffer in which each thread has a record */
};

/* What lies at a place of the records of a byte buffer. */
struct cell
{
  const struct type *type;
  guint offset;
};

#define MAX_CELLS 4

struct variable
{
  char name[12];
  enum role role;
  const struct type *type;
  struct promise promise;
  guint length;                          /* of a buffer: elements, or elements a thread; of a byte buffer: bytes of a record */
  guint n_dimensions;                    /* of an image */
  guint view_offset;                     /* of a buffer: elements in front of what the kernel sees; of a byte buffer: words */
  const struct cell *cells;              /* of a byte buffer */
  guint n_cells;
  struct expression *initializer;        /* of a constant or option */
  struct expression *chosen;             /* of an option: what comes from outside, a literal */
  gboolean removed;
  gboolean is_plain;                     /* its data is zeros */
  gboolean is_unread;                    /* outputs: written only */
  gboolean is_volatile;                  /* buffers */
  gboolean is_restrict;                  /* buffers of the kernel, which never share memory */
  gboolean is_constant;                  /* of a local variable: it keeps the value that it has been declared with */
  gboolean is_default;                   /* of an option: nothing comes from outside */
  gint32 value;                          /* flow.c: what it holds */
};

/* Expressions. */

enum expression_kind
{
  EXPRESSION_LITERAL,                    /* `bits` in each lane; `text` says how it is written, see print.c */
  EXPRESSION_VARIABLE,
  EXPRESSION_NAME,                       /* a built-in value: `text` */
  EXPRESSION_UNARY,                      /* `text` is the operator */
  EXPRESSION_BINARY,
  EXPRESSION_CONDITIONAL,                /* condition, if true, if false */
  EXPRESSION_STEP,                       /* ++ or --, in front or, where `is_postfix`, behind */
  EXPRESSION_CALL,                       /* of a function of the kernel */
  EXPRESSION_BUILTIN,                    /* `text` is its name */
  EXPRESSION_CONSTRUCT,                  /* of a vector, structure; of an array: braces */
  EXPRESSION_BITCAST,
  EXPRESSION_SWIZZLE,                    /* `text` is "zyx" */
  EXPRESSION_MEMBER,                     /* `member` of the first operand */
  EXPRESSION_INDEX,                      /* array, vector or buffer; index */
  EXPRESSION_OWN,                        /* an element of an output buffer that is the thread's: number `bits` */
  EXPRESSION_LENGTH,                     /* b.length */
  EXPRESSION_IMAGE_READ,                 /* of `variable` at x, y and, in three dimensions, z */
  EXPRESSION_IMAGE_SIZE,
  EXPRESSION_LOAD                        /* of a byte buffer: from byte `bits` of the thread's record, of that with the number
                                            in front or, with a `text`, from a byte that is computed */
};

#define MAX_OPERANDS 8

struct expression
{
  enum expression_kind kind;
  const struct type *type;
  struct promise promise;                /* what it was made to hold, at least */
  const char *text;
  guint64 bits;
  struct variable *variable;
  struct function *function;
  struct member *member;
  gboolean is_postfix;
  gboolean is_braced;                    /* a structure in braces, as an initialiser */
  gboolean is_fixed;                     /* what ends loops and keeps indices in range: shrink.c does not replace it */
  gboolean is_frozen;                    /* nor anything in it */
  guint n_operands;
  struct expression *operands[MAX_OPERANDS];
};

/* Statements. */

enum statement_kind
{
  STATEMENT_DECLARE,                     /* `variable` = `value`, which may be NULL */
  STATEMENT_ASSIGN,                      /* `place` `text` `value` */
  STATEMENT_EXPRESSION,                  /* `value`: a call, a step */
  STATEMENT_IF,                          /* `value`; one or two bodies */
  STATEMENT_SWITCH,                      /* `value`; one body a group of labels */
  STATEMENT_FOR,                         /* counter `variable` from `place` while `value`; `step` */
  STATEMENT_WHILE,                       /* `variable` is declared as `place` in front */
  STATEMENT_DO,
  STATEMENT_BREAK,
  STATEMENT_CONTINUE,
  STATEMENT_RETURN,                      /* `value` may be NULL */
  STATEMENT_BLOCK,
  STATEMENT_STORE,                       /* `value` to cell `number` of the thread's record in `variable`, a byte buffer */
  STATEMENT_IMAGE_WRITE,                 /* `value` at the thread's own texel of `variable` */
  STATEMENT_BOUNDED,                     /* records the operands and the result of the bounded `value` */
  STATEMENT_PRINT,                       /* print or assert: `value` has what it is given, `text` what stands in front, or NULL,
                                            `number` says what stands between */
  STATEMENT_UNREACHABLE,                 /* behind a condition of `value` that is never true */
  STATEMENT_ATOMIC,                      /* `variable` is what was in the thread's own `place` before: `text`, `step`, `value` */
  STATEMENT_MARK,                        /* writes `number` into the trace */
  STATEMENT_EXCHANGE,                    /* `variable` becomes the `value` of the workgroup's thread `place` */
  STATEMENT_COUNT,                       /* `variable` becomes what atomics of the workgroup make of `place`: `text`, `step`, `value` */
  STATEMENT_TOTAL                        /* an atomic on word `number` of `variable` */
};

struct label
{
  gint64 value;
  gboolean is_default;
};

#define MAX_LABELS 3

struct block
{
  GPtrArray *statements;                 /* of struct statement * */
  struct label labels[MAX_LABELS];       /* of a group in a switch */
  guint n_labels;
  gboolean falls_through;                /* of such a group: no `break;` is printed behind it */
  gboolean removed;
};

#define MAX_BODIES 6

struct statement
{
  enum statement_kind kind;
  gboolean removed;
  gboolean is_ladder;                    /* an `if` whose other body is an `if`: printed as `else if` */
  gboolean is_fixed;                     /* what ends a loop: shrink.c leaves it alone */
  const char *text;                      /* of an assignment: "="; in front of a loop: an attribute, or NULL */
  struct variable *variable;
  struct expression *place, *value, *step;
  guint number;
  guint n_bodies;
  struct block *bodies[MAX_BODIES];
};

struct function
{
  char name[8];
  const struct type *returns;            /* NULL: void */
  struct promise promise;                /* of what it returns */
  const char *attribute;                 /* in front of it, or NULL */
  GPtrArray *parameters;                 /* of struct variable * */
  struct block *body;
  guint64 cost;                          /* steps of a call, at most */
  guint size;                            /* statements, those of what it calls, too */
  guint64 print_size;                    /* bytes that a call prints, at most */
  gboolean has_references;
  gboolean removed;
};

/* What a bounded operation leaves in the buffer of records, see bounds.h. */
struct record
{
  const struct expression *operation;
  guint first;                           /* slot in the thread's part */
};

enum kernel_kind { KERNEL_VALUES, KERNEL_FLOW, N_KERNEL_KINDS };

struct kernel
{
  enum kernel_kind kind;
  guint64 seed;
  GPtrArray *memory, *arrays;            /* everything else */
  GPtrArray *structures, *constants, *options, *functions, *parameters;
  struct block *body;
  guint group_size[3];
  guint threads[3];                      /* of the dispatch */
  gboolean has_prints;
  gboolean is_together;                  /* has barriers, so that workgroups are whole and no thread returns early */
  gboolean has_imports;                  /* is in several files, see print.c */
  const struct type *values[N_SCALARS][5];   /* by lanes */
  const struct type *matrices[5];
  GPtrArray *records;                    /* of struct record * */
  guint record_size;                     /* floats of a thread in the buffer of records */
  guint trace_size;                      /* words of a thread in the trace: a power of two */
  guint n_names, n_marks;
};

/* The number of threads of the dispatch. */
guint kernel_n_threads (const struct kernel *kernel);

struct kernel *kernel_new  (enum kernel_kind kind, guint64 seed);
void           kernel_free (struct kernel *kernel);

gpointer           tree_allocate   (struct kernel *kernel, gsize size);
#define tree_new(kernel, type) ((type *) tree_allocate ((kernel), sizeof (type)))
GPtrArray         *tree_new_array  (struct kernel *kernel);
struct block      *tree_block      (struct kernel *kernel);
struct statement  *tree_statement  (struct kernel *kernel, enum statement_kind kind);
struct variable   *tree_variable   (struct kernel *kernel, enum role role, const struct type *type, struct promise promise);
struct expression *tree_expression (struct kernel *kernel, enum expression_kind kind, const struct type *type,
                                    struct promise promise, guint n_operands, ...);
struct expression *tree_copy       (struct kernel *kernel, const struct expression *expression);
const struct type *tree_array      (struct kernel *kernel, const struct type *element, guint length);
const struct type *tree_structure  (struct kernel *kernel, struct structure *structure);
gboolean           type_equal      (const struct type *a, const struct type *b);

/* Literals. */
struct expression *tree_literal (struct kernel *kernel, const struct type *type, guint64 bits);
struct expression *tree_number  (struct kernel *kernel, enum scalar scalar, gint64 number);

/* scalar.c */
gboolean scalar_is_float (enum scalar scalar);
/* The nearest number of the type; of integers the low bits. */
guint64  scalar_bits        (enum scalar scalar, double number);
double   scalar_value       (enum scalar scalar, guint64 bits);
gboolean scalar_is_denormal (enum scalar scalar, guint64 bits);
/* What a promise of `grain` says of this type. */
int      scalar_grain       (enum scalar scalar, int grain);
/* What a float has to promise that is converted to another one of which something is wanted. */
struct promise scalar_promise (enum scalar from, enum scalar to, struct promise wanted);

/* Of a vector or matrix. */
guint type_count_numbers (const struct type *type);

/* The layout that buffers and arguments have. */
gsize type_size      (const struct type *type);
gsize type_alignment (const struct type *type);
/* Calls `leaf` for each lane in the order of memory. */
typedef void (*type_leaf_function) (enum scalar scalar, gsize offset, gpointer data);
void  type_each_leaf (const struct type *type, gsize offset, type_leaf_function leaf, gpointer data);

/* Statements that are printed, nested ones too. */
guint kernel_count_statements (const struct kernel *kernel);

/* print.c: the kernel as one file; with `fault`, each * of integers gives one too many: what the shrinker is tried with. */
char *kernel_print (const struct kernel *kernel, gboolean fault);
/* The same in files that import each other; the last one has the kernel. */
enum part { PART_TYPES, PART_FUNCTIONS, PART_KERNEL, N_PARTS };
extern const char *const part_names[N_PARTS];
char *kernel_print_part (const struct kernel *kernel, gboolean fault, enum part part);
/* A literal as it is written where its type is known. */
char *literal_print (const struct expression *literal);
