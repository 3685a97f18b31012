/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the verifier's files: verify.c walks the module, verify-ops.c knows
 * what each op wants, verify-control.c the shape of control flow and dominance. */

#pragma once

#include "codegen/xir/xir.h"

/* A stretch of blocks inside one construct, left in the way of its kind. */
enum verify_region_kind
{
  VERIFY_REGION_FUNCTION,
  VERIFY_REGION_ARM,
  VERIFY_REGION_CASE,
  VERIFY_REGION_PREPARE,
  VERIFY_REGION_BODY,
  VERIFY_REGION_UPDATE
};

struct verify_region
{
  enum verify_region_kind kind;
  const struct xir_instruction *owner;
  const struct xir_block *break_target;      /* NULL: no break here */
  const struct xir_block *continue_target;   /* NULL: no continue here */
  const struct xir_block *next_case;         /* where a case may fall through to */
  bool closed;                               /* in a prepare or update: no return, no unreachable */
};

#define VERIFY_NONE G_MAXUINT32

struct verify_block
{
  const struct xir_block *block;
  uint32_t region;               /* VERIFY_NONE: no role */
  uint32_t first_predecessor;    /* into verifier.predecessors */
  uint32_t n_predecessors;
  uint32_t order;                /* in reverse post order; VERIFY_NONE: unreachable */
  uint32_t dominator;            /* of the immediate dominator; entry: itself */
  uint32_t jump;                 /* an ancestor further up in the dominator tree */
  uint32_t depth;
};

struct verifier
{
  const struct xir_module *module;
  GHashTable *notes;             /* function, block, instruction -> GString */
  GHashTable *functions;         /* those of the module */
  GHashTable *failed;            /* functions with errors */
  GString *module_notes;
  guint n_errors;

  /* The function at hand. */
  const struct xir_function *function;
  guint n_function_errors;
  GHashTable *block_index;       /* block -> index + 1 */
  GHashTable *positions;         /* instruction -> place in the function's text + 1 */
  GArray *blocks;                /* of struct verify_block */
  GArray *regions;               /* of struct verify_region */
  uint32_t *predecessors;
};

/* `object`: an instruction, block or function of `function`. */
void verify_error (struct verifier *verifier, const struct xir_function *function, gconstpointer object,
                   const char *format, ...) G_GNUC_PRINTF (4, 5);

void verify_instruction (struct verifier *verifier, const struct xir_instruction *instruction);
/* Whether counts of operands and blocks are such that the op's own rules can be looked at. */
bool verify_counts      (struct verifier *verifier, const struct xir_instruction *instruction);
bool verify_blocks_fit  (const struct xir_instruction *instruction);
void verify_switch      (struct verifier *verifier, const struct xir_instruction *instruction);
void verify_call        (struct verifier *verifier, const struct xir_instruction *instruction);
void verify_resource_op (struct verifier *verifier, const struct xir_instruction *instruction);
void verify_atomic      (struct verifier *verifier, const struct xir_instruction *instruction);
/* An operand that must be a plain value of data type. */
void verify_print       (struct verifier *verifier, const struct xir_instruction *instruction);
bool verify_data        (struct verifier *verifier, const struct xir_instruction *instruction, uint32_t index);
bool verify_indices     (struct verifier *verifier, const struct xir_instruction *instruction, uint32_t first);
void verify_type        (struct verifier *verifier, const struct xir_instruction *instruction, const char *what,
                         const struct xir_type *is, const struct xir_type *should_be);

/* Roles, ways out, predecessors, phis, dominance. */
void verify_control     (struct verifier *verifier);
/* No recursion; a kernel's resources are named only by what that kernel alone calls. */
void verify_call_graph  (struct verifier *verifier);
/* VERIFY_NONE for a block of another function. */
uint32_t verify_block_index (const struct verifier *verifier, const struct xir_block *block);
