/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/frontend/unit.h"

#include <string.h>

static const struct gk_builtin builtins[] =
{
#define GK_BUILTIN(name, rule, op, n_arguments) { name, GK_RULE_##rule, XIR_OP_##op, n_arguments },
#define GK_BUILTIN_PRINT(name, op) { name, GK_RULE_PRINT, XIR_OP_##op, 1 },
#define GK_BUILTIN_VALUE(name, value) { name, GK_RULE_VALUE, GK_VALUE_##value, 0 },
#define GK_UNSUPPORTED(name) { name, GK_RULE_UNSUPPORTED, 0, 0 },
#include "codegen/frontend/builtins.def"
#undef GK_BUILTIN
#undef GK_BUILTIN_PRINT
#undef GK_BUILTIN_VALUE
#undef GK_UNSUPPORTED
};

void
gk_builtins_intern (struct gk_unit *unit)
{
  for (gsize i = 0; i < G_N_ELEMENTS (builtins); i++)
    gk_name_intern (unit, builtins[i].name, strlen (builtins[i].name))->builtin = &builtins[i];
}
