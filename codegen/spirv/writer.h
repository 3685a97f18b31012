/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The SPIR-V writer. It knows SPIR-V and nothing of XIR: streams of words, one
 * a section of the module, so that things can be written in any order; interned
 * types and constants; the 16-bit word count checked at one place; one sticky
 * error, asked for at the end. The same calls in the same order give the same
 * words. */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

/* In the order in which a module has them. Capabilities, extensions, the import
 * and the memory model are kept apart and made at the end. The two last are
 * scratch: a function's variables and its instructions, joined when it ends. */
enum spirv_section
{
  SPIRV_SECTION_ENTRY_POINTS,
  SPIRV_SECTION_EXECUTION_MODES,
  SPIRV_SECTION_DEBUG_STRINGS,
  SPIRV_SECTION_DEBUG_NAMES,
  SPIRV_SECTION_ANNOTATIONS,
  SPIRV_SECTION_GLOBALS,         /* types, constants, global variables */
  SPIRV_SECTION_FUNCTIONS,
  SPIRV_SECTION_VARIABLES,
  SPIRV_SECTION_BODY,
  SPIRV_N_SECTIONS
};

/* Words in one instruction, the first included. */
#define SPIRV_MAX_INSTRUCTION_WORDS 65535
/* The generator's number of the registry: none is registered for us. */
#define SPIRV_GENERATOR 0
#define SPIRV_VERSION_WORD 0x00010500u

struct spirv_stream
{
  uint32_t *words;
  gsize n;
  gsize capacity;
};

struct spirv_interned
{
  uint32_t hash;
  uint32_t id;                   /* 0: free slot */
  uint32_t offset;               /* of the instruction in the globals */
};

/* An instruction of a body whose value may be taken again. */
struct spirv_known
{
  uint32_t hash;
  uint32_t scope;
  uint32_t offset;               /* of the instruction in the body */
};

#define SPIRV_KNOWN_SLOTS 256u

struct spirv_writer
{
  struct spirv_stream sections[SPIRV_N_SECTIONS];
  uint32_t next_id;
  struct spirv_interned *interned;       /* open addressing, a power of two slots */
  uint32_t n_interned;
  uint32_t interned_mask;
  /* Open addressing. What is of neither scope is a free slot. */
  struct spirv_known known[SPIRV_KNOWN_SLOTS];
  uint32_t n_known;                      /* of both scopes */
  uint32_t n_known_first;                /* of the first scope */
  uint32_t scope;                        /* the block being written */
  uint32_t first_scope;                  /* blocks that dominate all of the function */
  uint32_t *capabilities;                /* sorted, without repetition */
  uint32_t n_capabilities;
  GPtrArray *extensions;                 /* sorted, without repetition */
  uint32_t glsl;                         /* id of the GLSL.std.450 import, 0: not asked for */
  gsize start;                           /* of the instruction being written */
  char *error;                           /* the first one, NULL: none */
};

void spirv_writer_init  (struct spirv_writer *writer);
void spirv_writer_clear (struct spirv_writer *writer);
/* The first error stays; later ones are dropped. */
void spirv_writer_fail  (struct spirv_writer *writer, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The whole module, to be freed with g_free. NULL when the writer failed: see writer->error. */
uint32_t *spirv_writer_finish (struct spirv_writer *writer, gsize *n_words);

static inline uint32_t
spirv_new_id (struct spirv_writer *writer)
{
  return writer->next_id++;
}

void spirv_capability (struct spirv_writer *writer, SpvCapability capability);
void spirv_extension  (struct spirv_writer *writer, const char *name);

/* Any instruction: operands follow the opcode as they are. */
void spirv_write (struct spirv_writer *writer, enum spirv_section section, SpvOp op,
                  const uint32_t *operands, gsize n);
/* `type` and a new result id before the operands; returns the id. */
uint32_t spirv_write_result (struct spirv_writer *writer, enum spirv_section section, SpvOp op, uint32_t type,
                             const uint32_t *operands, gsize n);

/* The same in pieces, for what has strings or many operands. */
void spirv_begin  (struct spirv_writer *writer, enum spirv_section section, SpvOp op);
void spirv_word   (struct spirv_writer *writer, enum spirv_section section, uint32_t word);
void spirv_text   (struct spirv_writer *writer, enum spirv_section section, const char *text);
void spirv_end    (struct spirv_writer *writer, enum spirv_section section);
/* Words that `text` takes as an operand. */
gsize spirv_text_words (const char *text);

/* Types and constants: one id for equal opcode and operands. `type` is 0 for types,
 * which have none. `*is_new` (may be NULL) says whether it was made now. */
uint32_t spirv_intern (struct spirv_writer *writer, SpvOp op, uint32_t type, const uint32_t *operands, gsize n,
                       bool *is_new);
/* The same without interning, for types whose decorations tell them apart. */
uint32_t spirv_global (struct spirv_writer *writer, SpvOp op, uint32_t type, const uint32_t *operands, gsize n);

void spirv_decorate        (struct spirv_writer *writer, uint32_t id, SpvDecoration decoration);
void spirv_decorate_word   (struct spirv_writer *writer, uint32_t id, SpvDecoration decoration, uint32_t word);
void spirv_decorate_member (struct spirv_writer *writer, uint32_t id, uint32_t member, SpvDecoration decoration,
                            uint32_t word);
void spirv_name            (struct spirv_writer *writer, uint32_t id, const char *name);
void spirv_name_member     (struct spirv_writer *writer, uint32_t id, uint32_t member, const char *name);

/* Joins OpFunction and parameters (already in the functions section), the entry
 * label, the variables and the body; adds OpFunctionEnd. */
void spirv_function_begin (struct spirv_writer *writer, uint32_t function, uint32_t result_type, uint32_t function_type,
                           SpvFunctionControlMask control);
uint32_t spirv_function_parameter (struct spirv_writer *writer, uint32_t type);
void spirv_function_end   (struct spirv_writer *writer, uint32_t entry_label);

/* Function bodies. What depends on its operands alone, but for floats, which may have decorations, is written once in
 * a block and not at all where a first block of the function has it. */

#define SPIRV_OPERANDS_1 uint32_t a
#define SPIRV_OPERANDS_2 uint32_t a, uint32_t b
#define SPIRV_OPERANDS_3 uint32_t a, uint32_t b, uint32_t c
#define SPIRV_VALUES_1 a
#define SPIRV_VALUES_2 a, b
#define SPIRV_VALUES_3 a, b, c
#define SPIRV_OP(n, name, opcode)                                                                  \
  static inline uint32_t                                                                           \
  spirv_op_##name (struct spirv_writer *writer, uint32_t type, SPIRV_OPERANDS_##n)                 \
  {                                                                                                \
    const uint32_t operands[] = { SPIRV_VALUES_##n };                                              \
    return spirv_write_result (writer, SPIRV_SECTION_BODY, SpvOp##opcode, type, operands, n);      \
  }
#include "codegen/spirv/opcodes.def"
#undef SPIRV_OP

/* OpVariable of class Function, among the variables of the function being written. */
uint32_t spirv_op_variable            (struct spirv_writer *writer, uint32_t pointer_type);
uint32_t spirv_op_access_chain        (struct spirv_writer *writer, uint32_t type, uint32_t base, const uint32_t *indices, gsize n);
uint32_t spirv_op_composite_construct (struct spirv_writer *writer, uint32_t type, const uint32_t *parts, gsize n);
uint32_t spirv_op_composite_extract   (struct spirv_writer *writer, uint32_t type, uint32_t composite, const uint32_t *indices, gsize n);
uint32_t spirv_op_composite_insert    (struct spirv_writer *writer, uint32_t type, uint32_t object, uint32_t composite, const uint32_t *indices, gsize n);
uint32_t spirv_op_vector_shuffle      (struct spirv_writer *writer, uint32_t type, uint32_t vector, const uint32_t *lanes, gsize n);
uint32_t spirv_op_function_call       (struct spirv_writer *writer, uint32_t type, uint32_t function, const uint32_t *arguments, gsize n);
uint32_t spirv_op_image_fetch_lod     (struct spirv_writer *writer, uint32_t type, uint32_t image, uint32_t coordinate, uint32_t lod);
/* Extended instructions of GLSL.std.450; imports the set. */
uint32_t spirv_op_glsl                (struct spirv_writer *writer, uint32_t type, enum GLSLstd450 instruction, const uint32_t *operands, gsize n);
void spirv_op_label                (struct spirv_writer *writer, uint32_t label);
/* Of a block that is entered from the one before alone, at the beginning of a function: all that follows is dominated by it. */
void spirv_op_label_first          (struct spirv_writer *writer, uint32_t label);
void spirv_op_branch               (struct spirv_writer *writer, uint32_t target);
void spirv_op_branch_conditional   (struct spirv_writer *writer, uint32_t condition, uint32_t if_true, uint32_t if_false);
void spirv_op_selection_merge      (struct spirv_writer *writer, uint32_t merge);
/* `partial_count` is written when `control` has that bit. */
void spirv_op_loop_merge           (struct spirv_writer *writer, uint32_t merge, uint32_t target, uint32_t control,
                                    uint32_t partial_count);
void spirv_op_store                (struct spirv_writer *writer, uint32_t pointer, uint32_t value);
void spirv_op_image_write          (struct spirv_writer *writer, uint32_t image, uint32_t coordinate, uint32_t texel);
void spirv_op_return               (struct spirv_writer *writer);
void spirv_op_return_value         (struct spirv_writer *writer, uint32_t value);
void spirv_op_unreachable          (struct spirv_writer *writer);
void spirv_op_line                 (struct spirv_writer *writer, uint32_t file, uint32_t line, uint32_t column);
