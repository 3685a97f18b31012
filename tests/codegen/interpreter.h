/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A slow, simple interpreter of XIR for tests: one thread of one function. It
 * reaches constants through xir_evaluate and does control flow, memory and typed
 * buffers itself, so that a module can be run before and after a pass. An index
 * out of range is noted, not followed. */

#pragma once

#include "codegen/xir/xir.h"

struct interpreter_buffer
{
  const struct xir_type *element;
  uint8_t *data;
  uint32_t n_elements;
};

struct interpreter
{
  struct xir_module *module;
  GHashTable *buffers;           /* resource argument -> struct interpreter_buffer; textures: one texel a element, */
  uint32_t texture_width;        /* rows of this many */
  uint64_t steps_left;           /* instructions until it gives up */
  const char *fault;             /* NULL: none */
};

/* Returns the function's result (a constant of the module), NULL for void or a fault. */
struct xir_value *interpreter_run (struct interpreter *interpreter, const struct xir_function *function,
                                   struct xir_value *const *arguments);
