/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of the emitter share. It reads the plans and writes words; all
 * that could be refused has been refused by the gate and the plans. */

#pragma once

#include "codegen/spirv/op-rules.h"
#include "codegen/spirv/plan.h"
#include "codegen/spirv/types.h"
#include "codegen/spirv/writer.h"

/* One a kernel argument. */
struct spirv_emitter_argument
{
  uint32_t variable;             /* buffer, image */
  uint32_t words;                /* buffer: a second variable over the same memory, of uint; 0: not needed */
  uint32_t image_type;
  uint32_t member;               /* of the argument block or the push constants: the value, or the first of two of a record */
  uint32_t first;                /* in the function being written: first element of the view */
  uint32_t length;
};

struct spirv_phi_patch
{
  gsize at;                      /* word in the body */
  const struct xir_value *value;
};

struct spirv_emitter
{
  struct spirv_writer writer;
  struct spirv_types types;
  const struct spirv_plans *plans;
  const struct spirv_options *options;
  uint32_t *ids;                 /* by id of a value; 0: not written yet */
  GHashTable *constant_variables;        /* id of a constant -> private variable */
  GArray *interface;             /* ids of global variables */
  uint32_t *functions;           /* ids, as the call graph's */
  struct spirv_emitter_argument *arguments;
  uint32_t push_constants;       /* variables */
  uint32_t argument_block;       /* 0: arguments are in the push constants */
  uint32_t inputs[2];            /* local id, group id; 0: not used */
  uint32_t subgroup_inputs[2];   /* lane, size; 0: not used */
  uint32_t source;               /* OpString of the source's name, 0: none */
  uint32_t *files;               /* the same of module->files, made when they are needed; NULL: none */
  uint32_t pow_int[2];           /* functions of emit-pow-int.c for float and double, 0: not called */

  /* The function being written. */
  const struct xir_function *function;
  const struct spirv_control_flow *control_flow;
  uint32_t function_index;
  uint32_t specials[XIR_N_SPECIALS];
  uint32_t *labels;              /* as control_flow->blocks */
  GArray *phi_patches;           /* struct spirv_phi_patch */
  struct xir_location location;  /* of the last OpLine */
};

/* emit.c. False with `error` set when the writer failed; otherwise the words. */
bool spirv_emit_module (const struct spirv_plans *plans, const struct spirv_options *options, uint32_t **words,
                        gsize *n_words, GError **error);

/* The OpString of a file's name; 0: no lines are written. */
uint32_t spirv_emit_file (struct spirv_emitter *emitter, uint32_t file);

/* emit-function.c */
void spirv_emit_function (struct spirv_emitter *emitter, uint32_t index);
uint32_t spirv_value     (struct spirv_emitter *emitter, const struct xir_value *value);

/* emit-global.c */
void spirv_emit_globals       (struct spirv_emitter *emitter);
uint32_t spirv_emit_global_variable (struct spirv_emitter *emitter, SpvStorageClass class, uint32_t pointee,
                                     uint32_t initializer, const char *name);
/* What a function needs of the globals, at its beginning. `registers`: 1 << enum xir_special. */
void spirv_emit_specials      (struct spirv_emitter *emitter, uint32_t registers);
void spirv_emit_arguments     (struct spirv_emitter *emitter);
/* Pointer to the place of a kernel's value argument or of a part of it. */
uint32_t spirv_emit_argument_pointer (struct spirv_emitter *emitter, uint32_t member, const uint32_t *indices, uint32_t n,
                                      uint32_t part_type);
/* A private, constant variable with this initial value. */
uint32_t spirv_emit_constant_variable (struct spirv_emitter *emitter, const struct xir_value *constant);

/* emit-arithmetic.c: pieces that other files use. */
static inline uint32_t
spirv_operand (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint32_t index)
{
  return spirv_value (emitter, xir_operand (instruction, index));
}

uint32_t spirv_emit_exact (struct spirv_emitter *emitter, uint32_t id);  /* NoContraction, but for fast math */
uint32_t spirv_emit_fadd  (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b);
uint32_t spirv_emit_fsub  (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b);
uint32_t spirv_emit_fmul  (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b);
uint32_t spirv_emit_fdiv  (struct spirv_emitter *emitter, uint32_t type, uint32_t a, uint32_t b);
uint32_t spirv_emit_fnegate (struct spirv_emitter *emitter, uint32_t type, uint32_t a);
uint32_t spirv_emit_glsl1 (struct spirv_emitter *emitter, uint32_t type, enum GLSLstd450 op, uint32_t a);
uint32_t spirv_emit_glsl2 (struct spirv_emitter *emitter, uint32_t type, enum GLSLstd450 op, uint32_t a, uint32_t b);

/* The types of one shape. Integers and floats are of the width of the scalar that the shape
 * was made for, 32 bits for bool. Those of a width that the module need not know are 0. */
struct spirv_shape
{
  uint32_t lanes;
  uint32_t as_bool, as_int, as_uint, as_float;
  enum xir_type_kind int_kind, uint_kind, float_kind;
};

struct spirv_shape spirv_shape (struct spirv_emitter *emitter, const struct xir_type *type);
/* As many lanes of another scalar. */
struct spirv_shape spirv_shape_of (struct spirv_emitter *emitter, enum xir_type_kind scalar, uint32_t lanes);
uint32_t spirv_shape_float (struct spirv_emitter *emitter, const struct spirv_shape *shape, double value);
uint32_t spirv_shape_uint  (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint64_t value);
uint32_t spirv_shape_int   (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint64_t bits);
/* NaN by its bits: no driver may assume this away. */
uint32_t spirv_emit_is_nan (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x);
/* The magnitude of one and the sign of the other. */
uint32_t spirv_emit_copysign_bits (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t magnitude,
                                   uint32_t sign);

/* emit-memory.c: where an atomic on a buffer works; `index` is the operand of the element's number. */
uint32_t spirv_emit_atomic_pointer (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint32_t index);

/* emit-together.c: what stands before and behind a loop whose barriers leave it to the loop's ends. */
void spirv_emit_loop_order (struct spirv_emitter *emitter, const struct xir_instruction *loop);

/* emit-convert.c: float of 32 bits to another float width, and from it. */
uint32_t spirv_emit_widen  (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x);
uint32_t spirv_emit_narrow (struct spirv_emitter *emitter, const struct spirv_shape *shape, uint32_t x);

/* emit-pow-int.c: the function that spirv_emit_pow_int calls. */
void spirv_emit_pow_int_functions (struct spirv_emitter *emitter);
