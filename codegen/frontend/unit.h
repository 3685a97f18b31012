/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts of the front end share: names, types, symbols, the unit. */

#pragma once

#include "codegen/frontend/ast.h"
#include "lib/arena.h"

/* Bytes of nodes and names of one unit; all else grows with them. */
#define GK_MAX_UNIT_MEMORY   (80u * 1024 * 1024)
/* Bytes of one variable, by-value parameter or constant table. */
#define GK_MAX_VARIABLE_SIZE (64u * 1024)

enum gk_token_kind
{
  GK_TOKEN_END,
  GK_TOKEN_IDENTIFIER,
  GK_TOKEN_INTEGER,
  GK_TOKEN_REAL,
  GK_TOKEN_STRING,
#define GK_PUNCTUATION(name, text) GK_TOKEN_##name,
#define GK_KEYWORD(name, text) GK_TOKEN_##name,
#define GK_RESERVED(name, text)
#include "codegen/frontend/tokens.def"
#undef GK_PUNCTUATION
#undef GK_KEYWORD
#undef GK_RESERVED
  GK_TOKEN_RESERVED_TYPE,
  GK_TOKEN_RESERVED_SCOPE,
  GK_TOKEN_BAD,                  /* the lexer has complained about it */
  GK_N_TOKENS
};

static inline bool
gk_token_is_value_type (enum gk_token_kind kind)
{
  return kind >= GK_TOKEN_BOOL && kind <= GK_TOKEN_FLOAT4X4;
}

/* As written in the source; "" for kinds with many spellings. */
const char *gk_token_text (enum gk_token_kind kind);

/* One spelling, interned; equal names are one pointer. */
struct gk_name
{
  const char *text;
  uint32_t length;
  uint32_t hash;
  enum gk_token_kind token;      /* IDENTIFIER or the keyword that it is */
  struct gk_symbol *symbol;      /* what it means here and now */
  const struct gk_builtin *builtin;
};

struct gk_name_table
{
  struct gk_name **slots;
  uint32_t n_slots;              /* a power of two */
  uint32_t n_names;
};

/* Types of the language: nominal structures, and the types of unsettled literals. */
enum gk_type_kind
{
  GK_TYPE_POISON,                /* of what has been complained about: fits everywhere */
  GK_TYPE_VOID,
  GK_TYPE_LITERAL_INTEGER,
  GK_TYPE_LITERAL_REAL,
  GK_TYPE_VALUE,                 /* scalar or vector */
  GK_TYPE_MATRIX,                /* of float; its lanes are its columns, its element is a column */
  GK_TYPE_ARRAY,
  GK_TYPE_STRUCTURE,
  GK_TYPE_BUFFER,
  GK_TYPE_BYTE_BUFFER,
  GK_TYPE_IMAGE
};

/* In the order of the tokens; of two numbers the later one is richer. */
enum gk_scalar
{
  GK_BOOL, GK_CHAR, GK_UCHAR, GK_SHORT, GK_USHORT, GK_INT, GK_UINT, GK_LONG, GK_ULONG, GK_HALF, GK_FLOAT, GK_DOUBLE,
  GK_BFLOAT, GK_FP8E4M3, GK_FP8E5M2,     /* stored, moved and converted, not computed with */
  GK_N_SCALARS
};

struct gk_type
{
  enum gk_type_kind kind;
  enum gk_scalar scalar;         /* value; image: its element */
  uint32_t lanes;                /* value: 1 to 4 */
  bool has_array;
  uint64_t length;               /* array */
  const struct gk_type *element; /* array, buffer */
  struct gk_structure *structure;
  const struct xir_type *xir;
  const char *text;
  struct gk_type *buffer;        /* buffer<this>, made when asked for */
};

struct gk_member { struct gk_name *name; const struct gk_type *type; };

enum gk_state { GK_STATE_NEW, GK_STATE_BUSY, GK_STATE_DONE };

struct gk_structure
{
  struct gk_symbol *symbol;
  struct gk_member *members;
  uint32_t n_members;
  enum gk_state state;
  struct gk_type *type;          /* poison kind while its members are broken */
};

enum gk_symbol_kind
{
  GK_SYMBOL_POISON,              /* an unknown name, complained about once */
  GK_SYMBOL_STRUCTURE,
  GK_SYMBOL_FUNCTION,
  GK_SYMBOL_VARIABLE,
  GK_SYMBOL_PARAMETER
};

struct gk_symbol
{
  enum gk_symbol_kind kind;
  bool is_global;
  bool is_const;
  bool is_volatile;              /* buffer */
  bool is_restrict;              /* buffer of a kernel */
  bool is_reference;             /* inout or out parameter */
  bool is_shared;
  bool is_written;
  bool is_used;
  /* While sema-together walks. */
  bool varies;                   /* its value differs from thread to thread */
  bool written_atomically;
  uint32_t written_phase;
  uint32_t written_arm;
  const struct gk_node *written; /* shared: the place that was written last */
  enum gk_state state;           /* file-scope constants */
  struct gk_name *name;
  struct gk_node *node;
  const struct gk_type *type;
  struct gk_symbol *shadowed;    /* what the name meant outside */
  struct gk_symbol *next;        /* in its scope */
  const struct gk_scope *scope;  /* NULL: the file's */
  struct xir_value *constant;    /* in unit->constants: known when compiling */
  uint32_t index;                /* of its value while lowering: in the function, or in the file */
  union
  {
    struct gk_structure *structure;
    struct gk_function *function;
  } u;
};

struct gk_function
{
  struct gk_symbol *symbol;
  struct gk_node *node;
  const struct gk_type *return_type;
  struct gk_symbol **parameters;
  uint32_t n_parameters;
  uint32_t n_locals;             /* indices given out, parameters included */
  uint32_t index;
  uint32_t group_size[3];
  bool is_kernel;
  bool has_barrier;              /* in it, or in what it calls */
  GPtrArray *calls;              /* of struct gk_node *, first call of each callee; NULL: none */
  /* Search for recursion. */
  enum gk_state search;
  uint32_t next_call;
  struct gk_function *caller;
};

/* A text of the unit: the one that it was made of, imported ones, values of options. */
struct gk_source
{
  char *name;
  uint32_t start;                /* in unit->text; up to the NUL before the next */
  uint32_t first_line;           /* in unit->lines */
  uint32_t importer;             /* the first is its own */
};

struct gk_unit
{
  struct xir_context *context;
  struct gk_diagnostics *diagnostics;    /* only while the unit is made */
  struct gb_arena arena;
  char *name;
  char *text;                    /* all sources, a NUL behind each */
  uint32_t length;
  GArray *lines;                 /* of uint32_t: offset of each line's first byte */
  GArray *sources;               /* of struct gk_source */
  const struct gk_source_options *options;       /* only while the unit is made */
  bool *options_used;            /* as options->values */
  gsize parsed_memory;           /* of the nodes so far */
  struct gk_name_table names;
  struct gk_type poison, void_type, literal_integer, literal_real, byte_buffer;
  struct gk_type values[GK_N_SCALARS][4];
  struct gk_type matrices[3];    /* of 2 to 4 columns */
  struct gk_type images[2][GK_N_SCALARS];        /* of two and three dimensions */
  GHashTable *arrays;            /* of struct gk_type, by element and length */
  struct gk_node *file;
  GPtrArray *functions;          /* of struct gk_function, in source order */
  uint32_t n_globals;
  struct xir_module *constants;  /* where constant expressions live; made when the first is met */
  bool is_good;
  bool told_words;               /* that a buffer is stored as words: said once */
};

/* Names. */
struct gk_name *gk_name_intern (struct gk_unit *unit, const char *text, uint32_t length);
/* The visible name nearest to `name`, or NULL where none is near. */
const struct gk_name *gk_name_suggest (struct gk_unit *unit, const struct gk_name *name);
/* What a word of another language is called here, or NULL. */
const char *gk_name_foreign (const char *text);
/* What may be meant by a name that nobody knows, or NULL. */
const char *gk_name_hint (struct gk_unit *unit, const struct gk_name *name);
/* Changes that make one of the other; anything above `limit` is limit + 1. */
unsigned gk_edit_distance (const char *a, uint32_t a_length, const char *b, uint32_t b_length, unsigned limit);

/* Messages. */
enum gk_diagnostic_id
{
#define GK_DIAGNOSTIC(name, code, severity, format) GK_D_##name,
#include "codegen/frontend/diagnostics.def"
#undef GK_DIAGNOSTIC
  GK_N_DIAGNOSTICS
};

/* `hint` may be NULL; it is copied. The arguments are those of the row's format. */
void gk_report      (struct gk_unit *unit, enum gk_diagnostic_id id, uint32_t offset, uint32_t length,
                     const char *hint, ...);
void gk_report_node (struct gk_unit *unit, enum gk_diagnostic_id id, const struct gk_node *node, const char *hint, ...);
/* Under the operator or name of the node alone. */
void gk_report_mark (struct gk_unit *unit, enum gk_diagnostic_id id, const struct gk_node *node, const char *hint, ...);
/* The line number counts in its source, whose number is `file`. */
struct xir_location gk_locate (const struct gk_unit *unit, uint32_t offset);
/* The node's source text for a hint, or "…" where it is long; in the arena. */
const char *gk_node_source (const struct gk_unit *unit, const struct gk_node *node);

/* Types. */
void                  gk_types_init  (struct gk_unit *unit);
/* NULL where the array breaks a limit of xir_type_array. */
const struct gk_type *gk_type_array  (struct gk_unit *unit, const struct gk_type *element, uint64_t length);
const struct gk_type *gk_type_buffer (struct gk_unit *unit, const struct gk_type *element);

static inline const struct gk_type *
gk_type_value (struct gk_unit *unit, enum gk_scalar scalar, uint32_t lanes)
{
  return &unit->values[scalar][lanes - 1];
}

enum xir_type_kind gk_scalar_kind (enum gk_scalar scalar);

static inline bool
gk_scalar_is_integer (enum gk_scalar scalar)
{
  return scalar >= GK_CHAR && scalar <= GK_ULONG;
}

static inline bool
gk_scalar_is_signed (enum gk_scalar scalar)
{
  return gk_scalar_is_integer (scalar) && (scalar - GK_CHAR) % 2 == 0;
}

static inline bool
gk_scalar_is_float (enum gk_scalar scalar)
{
  return scalar >= GK_HALF && scalar <= GK_DOUBLE;
}

/* What + and < are for. */
static inline bool
gk_scalar_is_number (enum gk_scalar scalar)
{
  return scalar >= GK_CHAR && scalar <= GK_DOUBLE;
}

static inline const struct gk_type *
gk_type_matrix (struct gk_unit *unit, uint32_t columns)
{
  return &unit->matrices[columns - 2];
}

static inline bool
gk_type_is_literal (const struct gk_type *type)
{
  return type->kind == GK_TYPE_LITERAL_INTEGER || type->kind == GK_TYPE_LITERAL_REAL;
}

static inline bool
gk_type_is_resource (const struct gk_type *type)
{
  return type->kind == GK_TYPE_BUFFER || type->kind == GK_TYPE_BYTE_BUFFER || type->kind == GK_TYPE_IMAGE;
}

static inline bool
gk_type_is_scalar (const struct gk_type *type)
{
  return type->kind == GK_TYPE_VALUE && type->lanes == 1;
}

/* Built-in functions and values (builtins.def). */
enum gk_rule
{
  GK_RULE_FLOAT,                 /* floats of one shape; scalars spread */
  GK_RULE_TRANSCENDENTAL,        /* the same without double */
  GK_RULE_NUMERIC,               /* numbers of one kind; scalars spread */
  GK_RULE_FLOAT_VECTOR,
  GK_RULE_FLOAT3,
  GK_RULE_FLOAT_PREDICATE,       /* float of any shape -> bool of that shape */
  GK_RULE_DOT,                   /* float vectors -> float */
  GK_RULE_BITS,                  /* an integer, by way of the unsigned one of its width */
  GK_RULE_ROTATE,
  GK_RULE_BOOL,                  /* bool of any shape -> bool */
  GK_RULE_REDUCE,                /* numeric vector -> its scalar */
  GK_RULE_SELECT,
  GK_RULE_POW,
  GK_RULE_ATAN,
  GK_RULE_MATRIX,                /* a matrix, or two for mul_elements; outer_product of vectors, too */
  GK_RULE_IN_DISPATCH,
  GK_RULE_BARRIER,
  GK_RULE_ATOMIC,                /* a place in a buffer or shared variable, and values of its type */
  GK_RULE_PRINT,                 /* a format and any values; assert: a bool in front, and nothing else is needed */
  GK_RULE_SUBGROUP_NOTHING,      /* -> bool */
  GK_RULE_SUBGROUP_NUMERIC,
  GK_RULE_SUBGROUP_INTEGER,
  GK_RULE_SUBGROUP_FLAG,         /* bool -> bool, uint or uint4, by the op */
  GK_RULE_SUBGROUP_ANY,          /* any value */
  GK_RULE_SUBGROUP_READ,         /* any value, and the number of a lane */
  GK_RULE_CLOCK,                 /* -> ulong */
  GK_RULE_VALUE,                 /* a name without arguments */
  GK_RULE_UNSUPPORTED            /* a name of a later version */
};

enum gk_builtin_value
{
  GK_VALUE_GLOBAL_ID, GK_VALUE_LOCAL_ID, GK_VALUE_GROUP_ID, GK_VALUE_DISPATCH_SIZE, GK_VALUE_GROUP_SIZE,
  GK_VALUE_NUM_GROUPS, GK_VALUE_GLOBAL_INDEX, GK_VALUE_KERNEL_ID, GK_VALUE_SUBGROUP_LANE, GK_VALUE_SUBGROUP_SIZE
};

struct gk_builtin
{
  const char *name;
  enum gk_rule rule;
  uint32_t op;                   /* enum xir_op, or enum gk_builtin_value */
  uint32_t n_arguments;
};

void gk_builtins_intern (struct gk_unit *unit);

/* Whether a call does something besides giving a value. */
static inline bool
gk_builtin_acts (const struct gk_builtin *builtin)
{
  return builtin->rule == GK_RULE_BARRIER || builtin->rule == GK_RULE_ATOMIC || builtin->rule == GK_RULE_PRINT;
}

/* Appends a text; false after a message: `place` is where it is asked for. */
bool            gk_source_add (struct gk_unit *unit, const char *name, const char *text, gsize length, uint32_t importer,
                               const struct gk_node *place);
/* First byte of the line that holds `offset`, and of the next. */
void            gk_line_bounds (const struct gk_unit *unit, uint32_t offset, uint32_t *start, uint32_t *end);

/* The stages. */
struct gk_node *gk_parse       (struct gk_unit *unit, uint32_t start);
/* The value of an option; NULL after a message. */
struct gk_node *gk_parse_value (struct gk_unit *unit, uint32_t start);
/* Reads what is imported, to the end of the file's list. */
void            gk_import      (struct gk_unit *unit, struct gk_node *file);
void            gk_sema  (struct gk_unit *unit);
/* The value of a checked expression in unit->constants, or NULL with the part that is not constant. */
struct xir_value *gk_constant_evaluate (struct gk_unit *unit, const struct gk_node *node, const struct gk_node **culprit);
/* A text in the unit's arena, for hints. */
const char *gk_hint (struct gk_unit *unit, const char *format, ...) G_GNUC_PRINTF (2, 3);
