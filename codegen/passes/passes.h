/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The passes. One file each, one row each in the table of passes.c. A pass says
 * whether it changed anything, and either proves that it may work or leaves the
 * module as it was. */

#pragma once

#include "codegen/xir/builder.h"

enum xir_analysis
{
  XIR_ANALYSIS_NONE         = 0,
  XIR_ANALYSIS_CALL_GRAPH   = 1 << 0,
  XIR_ANALYSIS_CONTROL_FLOW = 1 << 1,
  XIR_ANALYSIS_DOMINATORS   = 1 << 2,
  XIR_ANALYSIS_ALL          = (1 << 3) - 1
};

/* Float atomics that a target may lack. */
enum xir_float_atomics
{
  XIR_BUFFER_FLOAT_EXCHANGE = 1 << 0,
  XIR_BUFFER_FLOAT_ADD      = 1 << 1,
  XIR_BUFFER_FLOAT_MIN_MAX  = 1 << 2,
  XIR_SHARED_FLOAT_EXCHANGE = 1 << 3,
  XIR_SHARED_FLOAT_ADD      = 1 << 4,
  XIR_SHARED_FLOAT_MIN_MAX  = 1 << 5
};

struct xir_pass_options
{
  bool bounds_checks;
  unsigned missing_atomics;      /* enum xir_float_atomics */
  /* Whether the target cannot have the type in memory as it lies there: as element of a buffer, or else as an
   * argument by value. NULL: it can have all. */
  bool (*needs_words) (const struct xir_type *type, bool in_buffer);
};

struct xir_pass
{
  const char *name;
  const char *description;
  /* Returns whether the module changed. A pass that cannot do its duty sets `error`. */
  bool (*run) (struct xir_module *module, const struct xir_pass_options *options, GError **error);
  unsigned keeps;                /* analyses that stay true when it changed something */
};

#define XIR_PASS_ERROR (xir_pass_error_quark ())
GQuark xir_pass_error_quark (void);

enum xir_pass_error
{
  XIR_PASS_ERROR_RECURSION,      /* the call graph has a circle */
  XIR_PASS_ERROR_RESOURCE,       /* a resource that leads to no kernel argument */
  XIR_PASS_ERROR_TOO_LARGE       /* the result would pass a limit */
};

const struct xir_pass *xir_passes     (guint *n_passes);
const struct xir_pass *xir_pass_find  (const char *name);

/* What every compile runs before the dialect gate, in order: the mandatory
 * lowerings, and with `optimise` the constant folder and dead code elimination.
 * After each pass the module is handed to `observe` (may be NULL): dumps, and
 * verification after each pass, hang there. */
typedef void (*xir_pass_observer) (const struct xir_pass *pass, const struct xir_module *module, gpointer data);
bool xir_run_pipeline (struct xir_module *module, const struct xir_pass_options *options, bool optimise,
                       xir_pass_observer observe, gpointer data, GError **error);

bool xir_pass_constant_fold        (struct xir_module *module, const struct xir_pass_options *options, GError **error);
bool xir_pass_dead_code            (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* Prints and asserts become records in a buffer that is a hidden argument of the kernel: print-record.h. Before
 * specialize-resources, which carries that argument to where it is used. */
bool xir_pass_lower_print          (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* Functions with resource parameters become copies, one for each set of actual resources. */
bool xir_pass_specialize_resources (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* Bitcasts that change the lanes become shifts; for the interpreter alone, and so in no pipeline. */
bool xir_pass_lower_bitcasts       (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* Ops on matrices become ops on columns; the SPIR-V writer and the interpreter know no others. */
bool xir_pass_lower_matrices       (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* Float % is exact: calls of a generated function, since OpFRem is not. Left alone under fast math. */
bool xir_pass_lower_float_mod      (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* Byte buffers, and what options->needs_words names, become words. */
bool xir_pass_lower_words          (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* Float atomics that the target lacks become loops around the exchange of words. */
bool xir_pass_lower_atomics        (struct xir_module *module, const struct xir_pass_options *options, GError **error);
/* With options->bounds_checks: reads out of range give zero, writes do nothing. */
bool xir_pass_bounds_checks        (struct xir_module *module, const struct xir_pass_options *options, GError **error);

/* What passes share (blocks.c). */

struct xir_block *xir_block_new_behind (struct xir_block *block);
/* A loop's prepare is one block. What is in it moves to the start of the body, and
 * its way out of the loop becomes an `if` there whose false arm breaks. Returns
 * the block that the instructions are in now. */
struct xir_block *xir_loop_open_prepare (struct xir_instruction *loop);
/* Does so with each loop in whose prepare there is an instruction of which `wanted` is true: one that becomes blocks. */
void xir_function_open_prepares (struct xir_function *function,
                                 bool (*wanted) (const struct xir_instruction *instruction, gconstpointer data), gconstpointer data);
/* In front of `before`: do { old = compare_exchange (place, guess, change (guess)); again = old != guess; guess = old; }
 * while (again), with indices as in xir_build_atomic. Gives the word that was there before; what `builder` builds next
 * stands in front of `before` too. */
struct xir_value *xir_build_exchange_loop (struct xir_builder *builder, struct xir_instruction *before, struct xir_value *place,
                                           struct xir_value *const *indices, uint32_t n,
                                           struct xir_value *(*change) (struct xir_builder *builder, struct xir_value *guess,
                                                                        gconstpointer data),
                                           gconstpointer data);
