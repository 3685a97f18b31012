/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints the classes of gabbro-kernel(5) as codegen/xir/ops.def has them, each operation under the name that it has in
 * codegen/frontend/builtins.def or as an operator, and the bounds of tests/random/bounds.def. Fails where an operation
 * has no name here or no bound. test-arithmetic.sh compares with the page. */

#include "config.h"

#include <glib.h>
#include <string.h>

#include "codegen/xir/xir.h"

/* What is no function; `is_text`: words of English. */
static const struct
{
  enum xir_op op;
  bool is_text;
  const char *name;
} others[] = {
  { XIR_OP_CAST, true, "conversions" }, { XIR_OP_BITCAST, false, "bitcast" }, { XIR_OP_AGGREGATE, true, "constructors" },
  { XIR_OP_SHUFFLE, true, "components" }, { XIR_OP_INSERT, true, "components" }, { XIR_OP_EXTRACT, true, "components" },
  { XIR_OP_NEG, false, "-x" }, { XIR_OP_NOT, false, "~ !" }, { XIR_OP_ADD, false, "+" }, { XIR_OP_SUB, false, "-" },
  { XIR_OP_MUL, false, "*" }, { XIR_OP_DIV, false, "/" }, { XIR_OP_MOD, false, "%" }, { XIR_OP_AND, false, "& &&" },
  { XIR_OP_OR, false, "| ||" }, { XIR_OP_XOR, false, "^" }, { XIR_OP_SHIFT_LEFT, false, "<<" },
  { XIR_OP_SHIFT_RIGHT, false, ">>" }, { XIR_OP_LESS, false, "<" }, { XIR_OP_GREATER, false, ">" },
  { XIR_OP_LESS_EQUAL, false, "<=" }, { XIR_OP_GREATER_EQUAL, false, ">=" }, { XIR_OP_EQUAL, false, "==" },
  { XIR_OP_NOT_EQUAL, false, "!=" }, { XIR_OP_POW_INT, true, ".Fn pow x n" },
  { XIR_OP_MATRIX_NEG, true, "sums, differences and negatives of matrices" },
  { XIR_OP_MATRIX_ADD, true, "sums, differences and negatives of matrices" }, { XIR_OP_MATRIX_SUB, true, "the same of matrices" },
  { XIR_OP_MATRIX_DIV, true, "matrix / number" }, { XIR_OP_MATRIX_MULTIPLY, true, "matrix * matrix, matrix * vector" }
};

static const struct
{
  enum xir_op op;
  const char *name;
} functions[] = {
#define GK_BUILTIN(name, rule, op, n_arguments) { XIR_OP_##op, name },
#define GK_BUILTIN_PRINT(name, op)
#define GK_BUILTIN_VALUE(name, value)
#define GK_UNSUPPORTED(name)
#include "codegen/frontend/builtins.def"
#undef GK_BUILTIN
#undef GK_BUILTIN_PRINT
#undef GK_BUILTIN_VALUE
#undef GK_UNSUPPORTED
};

static const struct
{
  double limit;
  const char *text;
} bounds[XIR_N_OPS] = {
#define BOUND(op, check, limit, text) [XIR_OP_##op] = { limit, text },
#define BOUND_ELSEWHERE(op, text) [XIR_OP_##op] = { 0, text },
#include "tests/random/bounds.def"
#undef BOUND
#undef BOUND_ELSEWHERE
};

static int n_errors;

/* As a macro of mdoc(7) or as words. */
static char *
name_of (enum xir_op op)
{
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i].op == op)
      return others[i].is_text ? g_strdup (others[i].name) : g_strdup_printf (".Ql %s", others[i].name);
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (functions[i].op == op)
      return g_strdup_printf (".Fn %s", functions[i].name);
  g_printerr ("arithmetic: '%s' has no name in the language: it belongs into the table of tests/lint/arithmetic.c\n",
              xir_op_info (op)->mnemonic);
  n_errors++;
  return g_strdup ("?");
}

static char *
bound_of (enum xir_op op)
{
  const char *text = bounds[op].text, *mark = text != NULL ? strchr (text, '@') : NULL;

  if (text == NULL)
    {
      g_printerr ("arithmetic: '%s' is bounded, and has no row in tests/random/bounds.def\n", xir_op_info (op)->mnemonic);
      n_errors++;
      return g_strdup ("?");
    }
  if (mark == NULL)
    return g_strdup (text);
  g_autofree char *number = g_strdup_printf ("%g", bounds[op].limit);
  g_auto (GStrv) parts = g_strsplit (text, "@", -1);
  return g_strjoinv (number, parts);
}

static void
print_exact (const struct xir_type *integer, const struct xir_type *real)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (int op = 0; op < XIR_N_OPS; op++)
    if (xir_op_class (op, integer) == XIR_CLASS_EXACT)
      {
        char *name = name_of (op);
        if (xir_op_class (op, real) == XIR_CLASS_EXACT && !g_hash_table_add (seen, g_strdup (name)))
          g_free (name);
        else if (xir_op_class (op, real) != XIR_CLASS_EXACT)
          {
            g_ptr_array_add (names, g_strconcat (name, "\nof integers", NULL));
            g_free (name);
          }
        else
          g_ptr_array_add (names, name);
      }
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i], *end = i + 1 < names->len ? "," : ".";
      bool is_macro = name[0] == '.' && strchr (name, '\n') == NULL;
      g_print ("%s%s%s\n", name, is_macro ? " " : "", end);
    }
}

static void
print_bounded (const struct xir_type *real)
{
  g_print (".Bl -tag -width subgroup_prefix_product -compact\n");
  for (int op = 0; op < XIR_N_OPS; op++)
    if (xir_op_class (op, real) == XIR_CLASS_BOUNDED)
      {
        g_autofree char *name = name_of (op), *bound = bound_of (op);
        g_print (".It %s\n%s\n", name[0] == '.' ? name + 1 : name, bound);
      }
    else if (bounds[op].text != NULL)
      {
        g_printerr ("arithmetic: '%s' has a bound, and is not bounded\n", xir_op_info (op)->mnemonic);
        n_errors++;
      }
  g_print (".El\n");
}

int
main (void)
{
  struct xir_context *context = xir_context_new ();
  const struct xir_type *real = xir_type_scalar (context, XIR_TYPE_FLOAT32);

  g_print (".Bl -tag -width Ds\n.It exact\nThe same to the bit, whether folded by the compiler or computed by a device that has the float\n"
           "controls for it:\n");
  print_exact (xir_type_scalar (context, XIR_TYPE_INT32), real);
  g_print (".It bounded\nOf reals, as far from the exact result as is said here:\n");
  print_bounded (real);
  g_print (".El\n");
  xir_context_unref (context);
  return n_errors == 0 ? 0 : 1;
}
