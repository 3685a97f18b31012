/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A kernel from its text on the interpreter. */

#pragma once

#include "codegen/interpret/interpret.h"

struct interpreted
{
  struct xir_context *context;
  struct xir_module *module;
};

/* Fails the test where the text is not right. */
void interpreted_init  (struct interpreted *kernels, const char *name, const char *text);
void interpreted_clear (struct interpreted *kernels);

/* Fails the test where there is no such program. */
struct interpret_program *interpreted_program (const struct interpreted *kernels, const char *kernel, uint32_t subgroup_size);

/* A buffer as a binding. */
#define INTERPRETED_BUFFER(array) { .data = (uint8_t *) (array), .size = sizeof (array) }
#define INTERPRETED_VALUE(variable) { .value = &(variable) }

/* Runs threads × 1 × 1 of a kernel of as many as make whole workgroups; fails the test where it fails. */
void interpreted_run (const struct interpret_program *program, const struct interpret_binding *bindings, uint32_t threads,
                      uint32_t group_size, uint32_t n_workers, uint64_t seed);
