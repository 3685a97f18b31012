/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the tests of the SPIR-V back end share: a module with one kernel, buffers
 * that come when they are asked for, compiles under every option, and a look at words. */

#pragma once

#include "codegen/spirv/spirv.h"
#include "codegen/spirv/writer.h"
#include "codegen/xir/builder.h"
#include "tests/test-main.h"

struct fixture
{
  struct xir_context *context;
  struct xir_module *module;
  struct xir_function *kernel;
  struct xir_builder builder;
  struct xir_block *entry;
  GHashTable *inputs;            /* element type -> struct xir_argument * */
  GHashTable *outputs;
  struct xir_value *thread;      /* global_id.x, made when first asked for */
  uint32_t n_sinks;
  bool optimizer_may_give_up;
};

void fixture_init  (struct fixture *fixture);
/* A program of the kernel language in place of a module that is built; its kernel is “test”. */
void fixture_init_text (struct fixture *fixture, const char *text);
void fixture_clear (struct fixture *fixture);

/* float, int, uint or bool in 1 to 4 lanes. */
const struct xir_type *fixture_type (struct fixture *fixture, enum xir_type_kind kind, uint32_t lanes);
struct xir_value *fixture_argument (struct fixture *fixture, enum xir_argument_kind kind, const struct xir_type *type,
                                    const char *name);
/* A value of `type` out of memory; another `salt` is another value. */
struct xir_value *fixture_source (struct fixture *fixture, const struct xir_type *type, uint32_t salt);
/* Writes a value of any type to memory. */
void fixture_sink (struct fixture *fixture, struct xir_value *value);
struct xir_value *fixture_uint (struct fixture *fixture, uint32_t value);
struct xir_value *fixture_int  (struct fixture *fixture, int32_t value);
struct xir_value *fixture_float (struct fixture *fixture, float value);

extern const struct spirv_target fixture_target;
extern const struct spirv_options fixture_options;

/* Fails the test with the message where the compile fails. */
void fixture_compile (struct fixture *fixture, const struct spirv_options *options, struct spirv_result *result);
/* At every level, with and without XIR optimisation and names, in both environments. */
void fixture_compile_all (struct fixture *fixture);
/* Expects a refusal whose message contains `needle`. */
void fixture_refused (struct fixture *fixture, enum spirv_error code, const char *needle);
void fixture_refused_by (struct fixture *fixture, const struct spirv_target *target, enum spirv_error code, const char *needle);

/* Instructions with this opcode. */
uint32_t fixture_count (const struct spirv_result *result, SpvOp op);
uint32_t fixture_count_decoration (const struct spirv_result *result, SpvDecoration decoration);
/* The first instruction with this opcode and, for `word` > 0, this word at that place; NULL: none. */
const uint32_t *fixture_find (const struct spirv_result *result, SpvOp op, uint32_t word, uint32_t value);
bool fixture_is_decorated (const struct spirv_result *result, uint32_t id, SpvDecoration decoration);
/* The variable of a binding, the first where it has two. */
uint32_t fixture_variable (const struct spirv_result *result, uint32_t binding);
/* The instruction whose result is `id`. */
const uint32_t *fixture_definition (const struct spirv_result *result, uint32_t id);
/* The words of a text, which must be SPIR-V of Vulkan 1.2, and valid. Free them. */
uint32_t *fixture_assemble (const char *text, gsize *n_words);
