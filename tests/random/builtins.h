/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The built-in functions of the language with the class of their arithmetic, from the compiler's own tables. */

#pragma once

#include "codegen/frontend/unit.h"
#include "codegen/xir/xir.h"

struct builtin
{
  const char *name;
  enum gk_rule rule;
  guint op;                              /* enum xir_op */
  guint n_arguments;
};

extern const struct builtin builtins[];
extern const guint n_builtins;

gboolean builtin_is_bounded (const struct builtin *builtin);
