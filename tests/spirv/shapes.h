/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Control-flow shapes that have broken compilers (known-faults A01 to A16, and the
 * plain ones), built by hand: a kernel that makes an int of an int. */

#pragma once

#include "tests/spirv/fixture.h"

struct shape_case
{
  int32_t input;
  int32_t expected;
};

struct shape
{
  const char *name;
  /* Builds up to the point where the result is known; returns it. */
  struct xir_value *(*build) (struct fixture *fixture, struct xir_value *input);
  const struct shape_case *cases;
  uint32_t n_cases;
  /* SPIRV-Tools itself makes an invalid module of this one (an unreachable end inside a loop's
   * update); then the passes that do so are left out. */
  bool optimizer_gives_up;
};

extern const struct shape shapes[];
extern const uint32_t n_shapes;

/* The whole kernel: reads input[global_id.x], writes output[global_id.x]. */
void shape_build (const struct shape *shape, struct fixture *fixture);
