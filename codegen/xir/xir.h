/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* XIR: the SSA form between the kernel language and SPIR-V. This header is the
 * data structure; builder.h makes it, verify.h checks it, print.h shows it.
 *
 * Control flow is structured. Blocks that an instruction names stand in its
 * `blocks` array, never among its value operands:
 *
 *   if                  true, false, merge           (three different blocks)
 *   switch              merge, default, case 0, …    (neighbouring cases, the default among them, may share a block)
 *   loop                prepare, body, update, merge
 *   branch              target
 *   conditional_branch  true, false                  (only at the end of a loop's prepare or update, below)
 *   break               merge of the innermost enclosing loop or switch
 *   continue            update of the innermost enclosing loop
 *   phi                 one predecessor a value operand
 *
 * A loop's `prepare` is one block that ends in `branch body` or in
 * `conditional_branch c, body, merge`. Its update region begins at `update` and
 * its last block ends in `branch prepare` or, for do-while, in
 * `conditional_branch c, prepare, merge`. A body that runs to its end branches to
 * `update`. An arm of an `if` that runs to its end branches to the merge; a case
 * does so too, or branches to the block of the next case in source order (fall
 * through; the default counts in its place: `default_position`). Every block but
 * an unreachable merge or update has a way in from the function's entry.
 *
 * Every block but the entry has exactly one role: arm, case, prepare, body, update or
 * merge of one construct. A branch has no other targets than those above. Prepare
 * and update regions are left only by their last branch: no return, break, continue
 * or unreachable in them. A block that follows the same construct as its owner
 * belongs to the owner's region, so the roles form a tree.
 */

#pragma once

#include "codegen/type/type.h"
#include "lib/arena.h"
#include "lib/list.h"
#include "lib/slab.h"

enum xir_op
{
#define XIR_OP(name, mnemonic, min, max, operands, result, arithmetic, flags) XIR_OP_##name,
#include "codegen/xir/ops.def"
#undef XIR_OP
  XIR_N_OPS
};

enum xir_operand_rule
{
  XIR_OPERANDS_ANY, XIR_OPERANDS_NUMERIC, XIR_OPERANDS_INTEGER, XIR_OPERANDS_INTBOOL,
  XIR_OPERANDS_FLOAT, XIR_OPERANDS_FLOATVEC, XIR_OPERANDS_UNSIGNED, XIR_OPERANDS_SHIFT,
  XIR_OPERANDS_BOOLEAN, XIR_OPERANDS_MATRIX, XIR_OPERANDS_SAME, XIR_OPERANDS_FLAG
};

enum xir_result_rule
{
  XIR_RESULT_NONE, XIR_RESULT_EXPLICIT, XIR_RESULT_SAME, XIR_RESULT_BOOL,
  XIR_RESULT_BOOL_SHAPE, XIR_RESULT_ELEMENT
};

enum xir_arithmetic_class { XIR_CLASS_NONE, XIR_CLASS_EXACT, XIR_CLASS_BOUNDED, XIR_CLASS_FREE };

enum xir_op_flags
{
  XIR_FLAG_TERMINATOR = 1 << 0,
  XIR_FLAG_STRUCTURED = 1 << 1,
  XIR_FLAG_EFFECT     = 1 << 2,
  XIR_FLAG_READ       = 1 << 3,
  XIR_FLAG_FOLD       = 1 << 4,
  XIR_FLAG_CONVERGENT = 1 << 5
};

struct xir_op_info
{
  const char *mnemonic;
  int min_operands;
  int max_operands;              /* -1: any */
  enum xir_operand_rule operands;
  enum xir_result_rule result;
  enum xir_arithmetic_class arithmetic;
  unsigned flags;
};

const struct xir_op_info *xir_op_info (enum xir_op op);
/* The class of an op at a type: division and sums of floats over a subgroup are bounded, of integers exact. */
enum xir_arithmetic_class xir_op_class (enum xir_op op, const struct xir_type *type);

/* Values. */

enum xir_value_kind
{
  XIR_VALUE_CONSTANT,
  XIR_VALUE_UNDEFINED,
  XIR_VALUE_SPECIAL,             /* enum xir_special */
  XIR_VALUE_ARGUMENT,
  XIR_VALUE_INSTRUCTION
};

struct xir_value
{
  enum xir_value_kind kind;
  uint32_t id;                   /* unique in its module, given out in order of creation */
  const struct xir_type *type;   /* NULL: no result */
  bool is_lvalue;                /* names memory of `type`: alloca, gep, reference argument */
  struct gb_list uses;           /* of struct xir_use, .value_link */
};

/* One operand slot. */
struct xir_use
{
  struct xir_value *value;
  struct xir_instruction *user;
  struct gb_list value_link;     /* in value->uses */
};

struct xir_constant
{
  struct xir_value value;
  const uint8_t *data;           /* value.type->size bytes, host layout, padding zero, bool 0 or 1 */
};

enum xir_special
{
  XIR_SPECIAL_LOCAL_ID,          /* uint3: thread in its workgroup */
  XIR_SPECIAL_GROUP_ID,          /* uint3: workgroup in the logical dispatch (split dispatches included) */
  XIR_SPECIAL_GLOBAL_ID,         /* uint3 */
  XIR_SPECIAL_DISPATCH_SIZE,     /* uint3: logical, not rounded up */
  XIR_SPECIAL_GROUP_SIZE,        /* uint3 */
  XIR_SPECIAL_KERNEL_ID,         /* uint */
  XIR_SPECIAL_NUM_GROUPS,        /* uint3: workgroups of the logical dispatch */
  XIR_SPECIAL_IN_DISPATCH,       /* bool: global_id is inside dispatch_size */
  XIR_SPECIAL_SUBGROUP_LANE,     /* uint: thread in its subgroup */
  XIR_SPECIAL_SUBGROUP_SIZE,     /* uint */
  XIR_N_SPECIALS
};

struct xir_special_value
{
  struct xir_value value;
  enum xir_special special;
};

enum xir_argument_kind
{
  XIR_ARGUMENT_VALUE,
  XIR_ARGUMENT_REFERENCE,        /* an lvalue in function memory */
  XIR_ARGUMENT_RESOURCE
};

struct xir_argument
{
  struct xir_value value;
  enum xir_argument_kind argument_kind;
  uint32_t index;
  bool is_const;                 /* resource declared read-only */
  bool is_restrict;              /* kernel's buffer: shares no memory that is written with another argument */
  const struct xir_type *declared_type;  /* what lower-words made words of; NULL: the value's own type */
  bool is_hidden;                /* of a pass: who calls the kernel does not know it */
  const char *name;              /* may be NULL */
  const char *source_type;       /* as written in the source, may be NULL */
  /* A kernel's resource arguments are also visible in the functions that only it
   * calls: the specialize-resources pass makes copies of callees that name them. */
  struct xir_function *function;
};

struct xir_location
{
  uint32_t line;                 /* 1-based; 0: unknown */
  uint32_t column;               /* 1-based, in bytes */
  uint32_t file;                 /* xir_module_file; 0: the module's source_name */
};

/* What the source calls a value: a variable that is never written again is one. For people who look at a run;
 * passes need not keep it. */
struct xir_name
{
  const struct xir_name *next;
  struct xir_value *value;
  const char *name;
  struct xir_location location;  /* of the declaration */
  struct xir_location end;       /* the first place behind where the name means it; line 0: unknown */
};

enum xir_storage { XIR_STORAGE_LOCAL, XIR_STORAGE_SHARED };

enum xir_loop_hint { XIR_LOOP_PLAIN, XIR_LOOP_UNROLL };

/* Operands and blocks are arrays of the module's arena; `n_…` never changes
 * after creation but for phi and switch, which grow while they are built. */
struct xir_instruction
{
  struct xir_value value;
  enum xir_op op;
  struct xir_location location;
  struct xir_block *block;       /* NULL while not inserted */
  struct gb_list link;           /* in block->instructions */
  struct xir_use *operands;
  struct xir_block **blocks;
  uint32_t n_operands;
  uint32_t n_blocks;
  const struct xir_name *names;  /* of its value */
  union
  {
    struct xir_function *callee;                    /* call */
    struct { enum xir_storage storage; struct xir_location end; const char *name; } alloca_;    /* `end` as of xir_name */
    struct { uint64_t *values; uint32_t default_position; } switch_;   /* values[n_blocks - 2] in source order,
                                    widths as the selector's; default stands before case `default_position` */
    struct { enum xir_loop_hint hint; uint32_t unroll_count; } loop;   /* count 0: as the compiler likes */
    uint8_t lanes[4];                               /* shuffle */
    bool is_volatile;                               /* read or write of a buffer: done as often as written, in that order */
    const char *message;                            /* unreachable, may be NULL */
    struct { const char *format, *condition; } print;    /* print, assert: format.h; the condition as in the source:
                                                       assert, may be NULL */
  } u;
};

struct xir_block
{
  uint32_t id;
  struct xir_function *function;
  struct gb_list link;           /* in function->blocks */
  struct gb_list instructions;
};

enum xir_function_kind { XIR_FUNCTION_KERNEL, XIR_FUNCTION_CALLABLE };

struct xir_function
{
  uint32_t id;
  enum xir_function_kind kind;
  const char *name;
  const struct xir_type *return_type;    /* NULL: void */
  uint32_t group_size[3];                /* kernel */
  bool fast_math;
  bool unchecked;                        /* division, shift and conversion as the hardware has them */
  bool no_inline;
  bool is_helper;                        /* made by a pass, not in the source */
  struct xir_argument **arguments;
  uint32_t n_arguments;
  struct gb_list blocks;                 /* the first is the entry; it has no predecessor */
  struct xir_instruction *last_alloca;   /* of those at the top of the entry; may be NULL */
  const struct xir_name *names;          /* of constants, arguments and the like: values that no instruction makes */
  struct gb_list link;                   /* in module->functions */
  struct xir_location location;
  struct xir_module *module;
};

/* What lower-print leaves of a print or assert: where it stood, and how its values are read. */
struct xir_print_site
{
  const char *format;
  const char *condition;                 /* of an assert, may be NULL there */
  bool is_assert;
  struct xir_location location;
  const struct xir_type **types;         /* of the values */
  uint32_t n_types;
};

#define XIR_N_ARRAY_CLASSES 48

struct xir_module
{
  struct xir_context *context;
  struct gb_arena arena;                 /* names, arrays */
  void *free_arrays[XIR_N_ARRAY_CLASSES];   /* by the power of two of their size */
  struct gb_slab instruction_slab;
  struct gb_slab block_slab;
  struct gb_list functions;
  GHashTable *constants;                 /* by type and content */
  GHashTable *undefined;                 /* by type */
  struct xir_special_value *specials[XIR_N_SPECIALS];
  GPtrArray *constant_list;              /* in order of creation */
  const char *source_name;               /* for messages */
  GPtrArray *files;                      /* other sources, in the arena: the first is file 1 */
  GPtrArray *print_sites;                /* struct xir_print_site, in the arena; NULL: none */
  GHashTable *members;                   /* structure to const char **, one for each member, in the arena; NULL: none */
  uint32_t next_id;
};

struct xir_module *xir_module_new  (struct xir_context *context, const char *source_name);
void               xir_module_free (struct xir_module *module);
/* Another source that locations may name; files are numbered from 1. */
void        xir_module_add_file (struct xir_module *module, const char *name);
/* May be NULL for 0. */
const char *xir_module_file     (const struct xir_module *module, uint32_t file);
/* What the source calls the members of a structure, as many as it has; for those who look at values. Structures of the source
 * that are alike have one type here: of a member that they call differently there is no name. */
void        xir_module_name_members (struct xir_module *module, const struct xir_type *type, const char *const *names);
/* NULL: nobody knows, or what is known is not one. */
const char *xir_module_member_name  (const struct xir_module *module, const struct xir_type *type, uint64_t member);
struct xir_function *xir_module_find_function (const struct xir_module *module, const char *name);
/* A deep copy in the same context. */
struct xir_module *xir_module_clone (const struct xir_module *module);

/* A copy of `function` under a new name in the same module, its blocks and instructions new. */
struct xir_function *xir_function_clone (struct xir_function *function, const char *name);
void               xir_function_free  (struct xir_function *function);

static inline struct xir_block *
xir_function_entry (const struct xir_function *function)
{
  return gb_list_first (&function->blocks, struct xir_block, link);
}

static inline struct xir_instruction *
xir_block_terminator (const struct xir_block *block)
{
  struct xir_instruction *last = gb_list_last (&block->instructions, struct xir_instruction, link);
  return last != NULL && (xir_op_info (last->op)->flags & XIR_FLAG_TERMINATOR) ? last : NULL;
}

static inline struct xir_value *
xir_operand (const struct xir_instruction *instruction, uint32_t index)
{
  return instruction->operands[index].value;
}

static inline struct xir_instruction *
xir_value_instruction (const struct xir_value *value)
{
  return value != NULL && value->kind == XIR_VALUE_INSTRUCTION
         ? gb_container_of (value, struct xir_instruction, value) : NULL;
}

static inline struct xir_constant *
xir_value_constant (const struct xir_value *value)
{
  return value != NULL && value->kind == XIR_VALUE_CONSTANT
         ? gb_container_of (value, struct xir_constant, value) : NULL;
}

static inline struct xir_argument *
xir_value_argument (const struct xir_value *value)
{
  return value != NULL && value->kind == XIR_VALUE_ARGUMENT
         ? gb_container_of (value, struct xir_argument, value) : NULL;
}

/* What the source says that it is. */
static inline const struct xir_type *
xir_argument_type (const struct xir_argument *argument)
{
  return argument->declared_type != NULL ? argument->declared_type : argument->value.type;
}

static inline struct xir_special_value *
xir_value_special (const struct xir_value *value)
{
  return value != NULL && value->kind == XIR_VALUE_SPECIAL
         ? gb_container_of (value, struct xir_special_value, value) : NULL;
}

void xir_instruction_set_operand (struct xir_instruction *instruction, uint32_t index, struct xir_value *value);
/* Every use of `from` becomes one of `to`. */
void xir_value_replace           (struct xir_value *from, struct xir_value *to);
bool xir_value_is_used           (const struct xir_value *value);
/* One more name, for the variable of `function` that `value` is. */
void xir_value_add_name          (struct xir_function *function, struct xir_value *value, const char *name,
                                  struct xir_location location, struct xir_location end);
/* Takes the instruction out of its block, drops its uses and frees it. It must be unused. */
void xir_instruction_remove      (struct xir_instruction *instruction);
void xir_block_remove            (struct xir_block *block);
/* Moves `first` and what follows it to a new block behind this one, which is left
 * without a terminator. Phis that named this block as predecessor name the new one. */
struct xir_block *xir_block_split (struct xir_block *block, struct xir_instruction *first);

/* The blocks that control may go to from a terminator, each once: not the merges
 * of if, switch and loop, whose ways in are the branches to them. Start with 0 in
 * `*cursor`; NULL: no more. */
struct xir_block *xir_next_successor (const struct xir_instruction *terminator, uint32_t *cursor);
/* The block at which the construct of an if, switch or loop ends. */
struct xir_block *xir_merge_block    (const struct xir_instruction *structured);
bool              xir_op_is_atomic   (enum xir_op op);
/* The first index operand of an atomic: where its fixed operands end. */
uint32_t          xir_atomic_first_index (enum xir_op op);
bool              xir_op_is_subgroup (enum xir_op op);
/* Reads and writes of elements and bytes of a buffer: those that may be volatile. */
bool              xir_op_is_buffer_access (enum xir_op op);

/* Constants, deduplicated by type and content. `data`: type->size bytes, as in xir_constant. */
struct xir_value *xir_constant_get   (struct xir_module *module, const struct xir_type *type, const void *data);
struct xir_value *xir_constant_zero  (struct xir_module *module, const struct xir_type *type);
struct xir_value *xir_constant_bool  (struct xir_module *module, bool value);
struct xir_value *xir_constant_int   (struct xir_module *module, int32_t value);
struct xir_value *xir_constant_uint  (struct xir_module *module, uint32_t value);
struct xir_value *xir_constant_float (struct xir_module *module, float value);
/* The scalar constant repeated over the lanes of `type` (a scalar or vector of its type). */
struct xir_value *xir_constant_splat (struct xir_module *module, const struct xir_type *type, struct xir_value *scalar);
/* An integer constant's value, sign- or zero-extended by its type; false for anything else. */
bool              xir_constant_to_int (const struct xir_value *value, int64_t *out);
struct xir_value *xir_undefined_get  (struct xir_module *module, const struct xir_type *type);
struct xir_value *xir_special_get    (struct xir_module *module, enum xir_special special);
