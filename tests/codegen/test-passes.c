/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each pass on small modules: the text before and after, that the result
 * verifies, and where it computes, that it computes the same. */

#include "config.h"

#include "codegen/passes/passes.h"

#include <math.h>
#include <string.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/print.h"
#include "codegen/xir/verify.h"
#include "tests/codegen/interpreter.h"
#include "tests/codegen/sample-module.h"
#include "tests/test-main.h"

static const struct xir_pass_options checked = { .bounds_checks = true };

static void
assert_verified (const struct xir_module *module)
{
  GString *report = g_string_new (NULL);

  ck_assert_msg (xir_verify_module (module, report) == 0, "%s", report->str);
  g_string_free (report, TRUE);
}

static void
assert_text (const struct xir_function *function,
             const char *expected)
{
  GString *out = g_string_new (NULL);

  ck_assert_ptr_nonnull (function);
  xir_print_function (function, out);
  ck_assert_str_eq (out->str, expected);
  g_string_free (out, TRUE);
}

static void
run (struct xir_module *module,
     const char *name,
     bool changes)
{
  GError *error = NULL;

  assert_verified (module);
  ck_assert_int_eq (xir_pass_find (name)->run (module, &checked, &error), changes);
  ck_assert_ptr_null (error);
  assert_verified (module);
}

/* A module with types at hand and one function to write into. */
struct bench
{
  struct xir_context *context;
  struct xir_module *module;
  const struct xir_type *bool_type, *int_type, *uint_type, *float_type;
  struct xir_function *function;
  struct xir_builder b;
};

static void
bench_function (struct bench *t,
                enum xir_function_kind kind,
                const char *name,
                const struct xir_type *type)
{
  t->function = xir_function_new (t->module, kind, name, type);
  xir_block_new (t->function);
  xir_builder_init (&t->b, t->function);
}

static void
bench_init (struct bench *t)
{
  t->context = xir_context_new ();
  t->module = xir_module_new (t->context, NULL);
  t->bool_type = xir_type_scalar (t->context, XIR_TYPE_BOOL);
  t->int_type = xir_type_scalar (t->context, XIR_TYPE_INT32);
  t->uint_type = xir_type_scalar (t->context, XIR_TYPE_UINT32);
  t->float_type = xir_type_scalar (t->context, XIR_TYPE_FLOAT32);
}

static void
bench_clear (struct bench *t)
{
  xir_module_free (t->module);
  xir_context_unref (t->context);
}

static struct xir_value *
argument (struct bench *t,
          enum xir_argument_kind kind,
          const struct xir_type *type,
          const char *name)
{
  return &xir_function_add_argument (t->function, kind, type, name)->value;
}

static struct xir_value *
i (struct bench *t,
   int32_t value)
{
  return xir_constant_int (t->module, value);
}

/* constant-fold */

START_TEST (folding)
{
  struct bench t;
  struct xir_value *x, *sum, *parts[2], *vector, *bad;

  bench_init (&t);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "f", t.int_type);
  x = argument (&t, XIR_ARGUMENT_VALUE, t.int_type, "x");
  sum = xir_build_binary (&t.b, XIR_OP_ADD, i (&t, 2), i (&t, 3));
  parts[0] = xir_build_binary (&t.b, XIR_OP_MUL, sum, sum);
  parts[1] = xir_build_unary (&t.b, XIR_OP_NEG, sum);
  vector = xir_build_aggregate (&t.b, xir_type_vector (t.context, t.int_type, 2), parts, 2);
  sum = xir_build_binary (&t.b, XIR_OP_ADD, x, xir_build_shuffle (&t.b, vector, (uint8_t[]) { 1 }, 1));
  bad = i (&t, 7);
  sum = xir_build_binary (&t.b, XIR_OP_ADD, sum, xir_build_extract (&t.b, vector, &bad, 1));
  xir_build_return (&t.b, sum);
  assert_text (t.function,
               "function f (%0 x: int) : int\n{\nb0:\n"
               "  %1 = add 2, 3 : int\n"
               "  %2 = mul %1, %1 : int\n"
               "  %3 = neg %1 : int\n"
               "  %4 = aggregate %2, %3 : vector<int,2>\n"
               "  %5 = shuffle %4 [1] : int\n"
               "  %6 = add %0, %5 : int\n"
               "  %7 = extract %4, 7 : int\n"
               "  %8 = add %6, %7 : int\n"
               "  return %8\n}\n");
  run (t.module, "constant-fold", true);
  assert_text (t.function,
               "function f (%0 x: int) : int\n{\nb0:\n"
               "  %1 = add %0, -5 : int\n"
               "  %2 = extract vector<int,2>(25, -5), 7 : int\n"
               "  %3 = add %1, %2 : int\n"
               "  return %3\n}\n");
  run (t.module, "constant-fold", false);
  bench_clear (&t);
}
END_TEST

/* A chain whose blocks stand in the text in reverse: one run must still reach its end. */
START_TEST (folding_reaches_the_fixed_point)
{
  struct bench t;
  struct xir_block *prepare, *body, *update, *merge;
  struct xir_value *value;

  bench_init (&t);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "f", t.int_type);
  merge = xir_block_new (t.function);
  update = xir_block_new (t.function);
  body = xir_block_new (t.function);
  prepare = xir_block_new (t.function);
  xir_build_loop (&t.b, prepare, body, update, merge);
  xir_builder_at_end (&t.b, prepare);
  value = xir_build_binary (&t.b, XIR_OP_ADD, i (&t, 1), i (&t, 2));
  xir_build_branch (&t.b, body);
  xir_builder_at_end (&t.b, body);
  value = xir_build_binary (&t.b, XIR_OP_ADD, value, i (&t, 4));
  xir_build_break (&t.b, merge);
  xir_builder_at_end (&t.b, update);
  xir_build_branch (&t.b, prepare);
  xir_builder_at_end (&t.b, merge);
  xir_build_return (&t.b, xir_build_binary (&t.b, XIR_OP_ADD, value, i (&t, 8)));
  run (t.module, "constant-fold", true);
  assert_text (t.function,
               "function f () : int\n{\nb0:\n"
               "  loop prepare b4 body b3 update b2 merge b1\n"
               "b1:\n  return 15\nb2:\n  branch b4\nb3:\n  break b1\nb4:\n  branch b3\n}\n");
  bench_clear (&t);
}
END_TEST

/* dead-code */

START_TEST (dead_values_go)
{
  struct sample s;
  GString *before = g_string_new (NULL), *after = g_string_new (NULL);

  sample_init (&s);
  run (s.module, "dead-code", true);
  assert_text (s.kernel,
               "kernel work (%0 source: const buffer<struct<16,vector<float,4>,int>>, %1 target: buffer<float>, "
               "%2 picture: texture<2,float>, %3 record: struct<16,vector<float,4>,int>) : void group_size 64 1 1\n"
               "{\n"
               "b0:\n"
               "  %4 = alloca local \"total\" : &float\n"
               "  %5 = alloca local : &array<float,4>\n"
               "  %6 = extract %3, 0, 1 : float\n"
               "  %7 = extract %3, 1 : int\n"
               "  store %4, %6\n"
               "  %8 = gep %5, %7 : &float\n"
               "  %9 = load %8 : float\n"
               "  %10 = less %7, 1 : bool\n"
               "  if %10 then b1 else b2 merge b3\n"
               "b1:\n"
               "  %11 = call scale (%9) : float\n"
               "  branch b3\n"
               "b2:\n"
               "  %12 = select %9, -0.0f, %10 : float\n"
               "  branch b3\n"
               "b3:\n"
               "  %13 = phi [%11 from b1], [%12 from b2] : float\n"
               "  loop prepare b4 body b5 update b6 merge b7 unroll\n"
               "b4:\n"
               "  %14 = phi [0 from b3], [%16 from b6] : int\n"
               "  %15 = less %14, 4 : bool\n"
               "  conditional_branch %15 then b5 else b7\n"
               "b5:\n"
               "  call sum (%4, %0)\n"
               "  branch b6\n"
               "b6:\n"
               "  %16 = add %14, 1 : int\n"
               "  branch b4\n"
               "b7:\n"
               "  %17 = shuffle global_id [0, 1] : vector<uint,2>\n"
               "  switch %14 merge b11 { 1: b8, default: b9, -2: b10 }\n"
               "b8:\n"
               "  branch b9\n"
               "b9:\n"
               "  %18 = texture_read %2, %17 : vector<float,4>\n"
               "  texture_write %2, %17, %18\n"
               "  break b11\n"
               "b10:\n"
               "  branch b11\n"
               "b11:\n"
               "  %19 = cast %13 : uint\n"
               "  %20 = load %4 : float\n"
               "  buffer_write %1, %20, %19\n"
               "  return\n"
               "}\n");
  xir_print_module (s.module, before);
  run (s.module, "dead-code", false);
  xir_print_module (s.module, after);
  ck_assert_str_eq (before->str, after->str);
  g_string_free (before, TRUE);
  g_string_free (after, TRUE);
  sample_clear (&s);
}
END_TEST

START_TEST (dead_variables_and_circles_go)
{
  struct bench t;
  struct xir_block *prepare, *body, *update, *merge;
  struct xir_value *variable, *index, *element, *circle, *x, *copy;

  bench_init (&t);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "f", NULL);
  x = argument (&t, XIR_ARGUMENT_VALUE, t.int_type, "x");
  variable = xir_build_alloca (&t.b, XIR_STORAGE_LOCAL, xir_type_array (t.context, t.int_type, 4), "written");
  copy = xir_build_alloca (&t.b, XIR_STORAGE_LOCAL, t.int_type, "copy");
  prepare = xir_block_new (t.function);
  body = xir_block_new (t.function);
  update = xir_block_new (t.function);
  merge = xir_block_new (t.function);
  xir_build_loop (&t.b, prepare, body, update, merge);
  xir_builder_at_end (&t.b, prepare);
  /* A phi that only feeds itself, and a variable that is read only to be stored. */
  circle = xir_build_phi (&t.b, t.int_type);
  index = xir_build_binary (&t.b, XIR_OP_ADD, circle, x);
  element = xir_build_gep (&t.b, variable, &x, 1);
  xir_build_store (&t.b, element, index);
  xir_build_store (&t.b, copy, xir_build_load (&t.b, element));
  xir_build_branch (&t.b, body);
  xir_builder_at_end (&t.b, body);
  xir_build_break (&t.b, merge);
  xir_builder_at_end (&t.b, update);
  xir_build_branch (&t.b, prepare);
  xir_phi_add (circle, x, xir_function_entry (t.function));
  xir_phi_add (circle, index, update);
  xir_builder_at_end (&t.b, merge);
  xir_build_return (&t.b, NULL);
  run (t.module, "dead-code", true);
  assert_text (t.function,
               "function f (%0 x: int) : void\n{\nb0:\n"
               "  loop prepare b1 body b2 update b3 merge b4\n"
               "b1:\n  branch b2\nb2:\n  break b4\nb3:\n  branch b1\nb4:\n  return\n}\n");
  bench_clear (&t);
}
END_TEST

START_TEST (stores_that_matter_stay)
{
  struct bench t;
  struct xir_value *variable, *place, *reference, *zero;

  bench_init (&t);
  zero = i (&t, 0);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "f", t.int_type);
  reference = argument (&t, XIR_ARGUMENT_REFERENCE, t.int_type, "out");
  variable = xir_build_alloca (&t.b, XIR_STORAGE_LOCAL, xir_type_array (t.context, t.int_type, 4), NULL);
  place = xir_build_gep (&t.b, variable, &zero, 1);
  xir_build_store (&t.b, place, i (&t, 5));
  xir_build_store (&t.b, reference, i (&t, 6));
  zero = i (&t, 1);
  xir_build_return (&t.b, xir_build_load (&t.b, xir_build_gep (&t.b, variable, &zero, 1)));
  run (t.module, "dead-code", false);
  bench_clear (&t);
}
END_TEST

START_TEST (unused_helpers_go)
{
  struct bench t;

  bench_init (&t);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "inner", NULL);
  t.function->is_helper = true;
  xir_build_return (&t.b, NULL);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "outer", NULL);
  t.function->is_helper = true;
  xir_build_call (&t.b, xir_module_find_function (t.module, "inner"), NULL, 0);
  xir_build_return (&t.b, NULL);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "used", NULL);
  t.function->is_helper = true;
  xir_build_return (&t.b, NULL);
  bench_function (&t, XIR_FUNCTION_CALLABLE, "source", NULL);
  xir_build_call (&t.b, xir_module_find_function (t.module, "used"), NULL, 0);
  xir_build_return (&t.b, NULL);
  run (t.module, "dead-code", true);
  ck_assert_ptr_null (xir_module_find_function (t.module, "inner"));
  ck_assert_ptr_null (xir_module_find_function (t.module, "outer"));
  ck_assert_ptr_nonnull (xir_module_find_function (t.module, "used"));
  ck_assert_ptr_nonnull (xir_module_find_function (t.module, "source"));
  bench_clear (&t);
}
END_TEST

/* specialize-resources */

/* copy (from, to, at): to[at] = from[at] + 1; twice (a, b): copy (a, b, 0), copy (b, a, 1);
 * two kernels call twice, one with its arguments exchanged too. */
static void
make_copies (struct bench *t)
{
  const struct xir_type *buffer = xir_type_buffer (t->context, t->int_type);
  struct xir_value *a, *b, *at, *value, *operands[3];
  struct xir_function *copy, *twice;

  bench_function (t, XIR_FUNCTION_CALLABLE, "copy", t->int_type);
  copy = t->function;
  a = argument (t, XIR_ARGUMENT_RESOURCE, buffer, "from");
  at = argument (t, XIR_ARGUMENT_VALUE, t->int_type, "at");
  b = argument (t, XIR_ARGUMENT_RESOURCE, buffer, "to");
  value = xir_build_binary (&t->b, XIR_OP_ADD, xir_build_buffer_read (&t->b, a, &at, 1), i (t, 1));
  xir_build_buffer_write (&t->b, b, value, &at, 1);
  xir_build_return (&t->b, value);

  bench_function (t, XIR_FUNCTION_CALLABLE, "twice", t->int_type);
  twice = t->function;
  operands[0] = argument (t, XIR_ARGUMENT_RESOURCE, buffer, "a");
  operands[2] = argument (t, XIR_ARGUMENT_RESOURCE, buffer, "b");
  operands[1] = i (t, 0);
  value = xir_build_call (&t->b, copy, operands, 3);
  a = operands[0];
  operands[0] = operands[2];
  operands[2] = a;
  operands[1] = i (t, 1);
  value = xir_build_binary (&t->b, XIR_OP_ADD, value, xir_build_call (&t->b, copy, operands, 3));
  xir_build_return (&t->b, value);

  for (int kernel = 0; kernel < 2; kernel++)
    {
      bench_function (t, XIR_FUNCTION_KERNEL, kernel == 0 ? "one" : "two", NULL);
      operands[0] = argument (t, XIR_ARGUMENT_RESOURCE, buffer, "x");
      operands[1] = argument (t, XIR_ARGUMENT_RESOURCE, buffer, "y");
      xir_build_call (&t->b, twice, operands, 2);
      if (kernel == 1)
        {
          a = operands[0];
          operands[0] = operands[1];
          operands[1] = a;
          xir_build_call (&t->b, twice, operands, 2);
          xir_build_call (&t->b, twice, operands, 2);
        }
      xir_build_return (&t->b, NULL);
    }
}

static void
run_kernel (struct xir_module *module,
            const char *name,
            int32_t *x,
            int32_t *y)
{
  const struct xir_function *kernel = xir_module_find_function (module, name);
  struct interpreter_buffer buffers[2] = {
    { xir_type_scalar (module->context, XIR_TYPE_INT32), (uint8_t *) x, 2 },
    { xir_type_scalar (module->context, XIR_TYPE_INT32), (uint8_t *) y, 2 }
  };
  struct interpreter interpreter = { module, g_hash_table_new (NULL, NULL), 1, 10000, NULL };
  struct xir_value *none[2] = { NULL, NULL };

  for (int k = 0; k < 2; k++)
    g_hash_table_insert (interpreter.buffers, &kernel->arguments[k]->value, &buffers[k]);
  interpreter_run (&interpreter, kernel, none);
  ck_assert_ptr_null (interpreter.fault);
  g_hash_table_destroy (interpreter.buffers);
}

static void
check_copies (struct xir_module *module)
{
  int32_t x[2] = { 10, 20 }, y[2] = { 30, 40 };

  run_kernel (module, "one", x, y);
  ck_assert_int_eq (y[0], 11);
  ck_assert_int_eq (x[1], 41);
  run_kernel (module, "two", x, y);
  ck_assert_int_eq (x[0], 12);
  ck_assert_int_eq (x[1], 41);
  ck_assert_int_eq (y[0], 11);
  ck_assert_int_eq (y[1], 42);
}

START_TEST (resources_are_specialized)
{
  struct bench t;
  guint n_before = 0, n_after = 0;

  bench_init (&t);
  make_copies (&t);
  gb_list_for_each (function, &t.module->functions, struct xir_function, link)
    n_before++;
  run (t.module, "specialize-resources", true);
  gb_list_for_each (function, &t.module->functions, struct xir_function, link)
    n_after++;
  /* One kernel: twice (x, y) with copy (x, y), copy (y, x). The other: twice both
   * ways round, and the two copies shared between them. */
  ck_assert_uint_eq (n_after - n_before, 3 + 4);
  assert_text (xir_module_find_function (t.module, "one"),
               "kernel one (%0 x: buffer<int>, %1 y: buffer<int>) : void group_size 1 1 1\n{\nb0:\n"
               "  %2 = call twice.1 () : int\n"
               "  return\n}\n");
  assert_text (xir_module_find_function (t.module, "twice.1"),
               "function twice.1 () : int helper\n{\nb0:\n"
               "  %0 = call copy.1 (0) : int\n"
               "  %1 = call copy.2 (1) : int\n"
               "  %2 = add %0, %1 : int\n"
               "  return %2\n}\n");
  assert_text (xir_module_find_function (t.module, "copy.2"),
               "function copy.2 (%0 at: int) : int helper\n{\nb0:\n"
               "  %1 = buffer_read %one.1, %0 : int\n"
               "  %2 = add %1, 1 : int\n"
               "  buffer_write %one.0, %2, %0\n"
               "  return %2\n}\n");
  check_copies (t.module);
  run (t.module, "specialize-resources", false);
  bench_clear (&t);
}
END_TEST

START_TEST (recursion_is_refused_before_anything_changes)
{
  struct bench t;
  struct xir_module *copy;
  GError *error = NULL;
  GString *before = g_string_new (NULL), *after = g_string_new (NULL);

  bench_init (&t);
  make_copies (&t);
  copy = t.module;
  bench_function (&t, XIR_FUNCTION_CALLABLE, "again", NULL);
  xir_build_call (&t.b, t.function, NULL, 0);
  xir_build_return (&t.b, NULL);
  xir_print_module (copy, before);
  ck_assert (!xir_pass_specialize_resources (copy, &checked, &error));
  ck_assert (g_error_matches (error, XIR_PASS_ERROR, XIR_PASS_ERROR_RECURSION));
  ck_assert_ptr_nonnull (strstr (error->message, "again"));
  xir_print_module (copy, after);
  ck_assert_str_eq (before->str, after->str);
  g_error_free (error);
  g_string_free (before, TRUE);
  g_string_free (after, TRUE);
  bench_clear (&t);
}
END_TEST

START_TEST (unresolved_resource_is_named)
{
  struct bench t;
  struct xir_function *kernel;
  GError *error = NULL;
  GString *before = g_string_new (NULL), *after = g_string_new (NULL);

  bench_init (&t);
  make_copies (&t);
  kernel = xir_module_find_function (t.module, "two");
  gb_list_for_each (instruction, &xir_function_entry (kernel)->instructions, struct xir_instruction, link)
    if (instruction->op == XIR_OP_CALL)
      xir_instruction_set_operand (instruction, 1,
                                   xir_undefined_get (t.module, kernel->arguments[0]->value.type));
  xir_print_module (t.module, before);
  ck_assert (!xir_pass_specialize_resources (t.module, &checked, &error));
  ck_assert (g_error_matches (error, XIR_PASS_ERROR, XIR_PASS_ERROR_RESOURCE));
  ck_assert_str_eq (error->message, "two: parameter 1 (b) of twice is not given a kernel argument");
  xir_print_module (t.module, after);
  ck_assert_str_eq (before->str, after->str);
  g_error_free (error);
  g_string_free (before, TRUE);
  g_string_free (after, TRUE);
  bench_clear (&t);
}
END_TEST

/* Layers that call the next one in every order of their parameters: refused, not
 * carried out until memory ends. */
START_TEST (growth_is_bounded)
{
  struct bench t;
  const struct xir_type *buffer;
  struct xir_function *below = NULL;
  GError *error = NULL;

  bench_init (&t);
  buffer = xir_type_buffer (t.context, t.int_type);
  for (int layer = 0; layer < 12; layer++)
    {
      struct xir_value *formals[8], *operands[8];

      bench_function (&t, layer == 11 ? XIR_FUNCTION_KERNEL : XIR_FUNCTION_CALLABLE,
                      (char[]) { 'a', (char) ('a' + layer), 0 }, NULL);
      for (int k = 0; k < 8; k++)
        formals[k] = argument (&t, XIR_ARGUMENT_RESOURCE, buffer, NULL);
      for (int swapped = 0; swapped < 7 && below != NULL; swapped++)
        {
          memcpy (operands, formals, sizeof operands);
          operands[swapped] = formals[swapped + 1];
          operands[swapped + 1] = formals[swapped];
          xir_build_call (&t.b, below, operands, 8);
          operands[swapped + 1] = operands[swapped];
          xir_build_call (&t.b, below, operands, 8);
        }
      for (int filler = 0; filler < 60; filler++)
        xir_build_binary (&t.b, XIR_OP_ADD, i (&t, 1), i (&t, filler));
      xir_build_return (&t.b, NULL);
      below = t.function;
    }
  assert_verified (t.module);
  ck_assert (!xir_pass_specialize_resources (t.module, &checked, &error));
  ck_assert (g_error_matches (error, XIR_PASS_ERROR, XIR_PASS_ERROR_TOO_LARGE));
  g_error_free (error);
  bench_clear (&t);
}
END_TEST

/* lower-float-mod */

static uint32_t
bits_of (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static float
float_of (uint32_t bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* The pass's algorithm written in C. */
static uint32_t
model (uint32_t x,
       uint32_t y)
{
  uint32_t ax = x & 0x7fffffff, ay = y & 0x7fffffff;
  uint32_t ex = MAX (ax >> 23, 1), ey = MAX (ay >> 23, 1);
  uint32_t mx = (ax & 0x7fffff) | (ax >> 23 != 0 ? 0x800000 : 0);
  uint32_t my = (ay & 0x7fffff) | (ay >> 23 != 0 ? 0x800000 : 0);
  uint32_t rest, shift;

  if (ax >= 0x7f800000 || ay > 0x7f800000 || ay == 0)
    return 0x7fc00000;
  if (ex < ey)
    return x;
  rest = mx % my;
  for (uint32_t left = ex - ey; left > 0; left -= MIN (left, 8))
    rest = (rest << MIN (left, 8)) % my;
  if (rest == 0)
    return x & 0x80000000;
  shift = MIN ((uint32_t) __builtin_clz (rest) - 8, ey - 1);
  return (x & 0x80000000) | (((ey - shift) << 23) + (rest << shift) - 0x800000);
}

/* Bits that stress exponents and edges as well as everything else. */
static uint32_t
random_bits (GRand *random)
{
  static const uint32_t edges[] = {
    0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x3f800000, 0x3f7fffff, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x4b800000
  };
  uint32_t bits = g_rand_int (random);

  switch (bits & 7)
    {
    case 0:
      return edges[(bits >> 8) % G_N_ELEMENTS (edges)] | (bits & 0x80000000);
    case 1:
      return bits & 0x807fffff;
    case 2:
      return (bits & 0x80ffffff) | 0x3f000000;
    default:
      return bits;
    }
}

static bool
same_remainder (uint32_t is,
                uint32_t should)
{
  return is == should || (isnan (float_of (is)) && isnan (float_of (should)));
}

START_TEST (the_model_is_fmodf)
{
  GRand *random = g_rand_new_with_seed (20240601);

  for (int n = 0; n < 1000000; n++)
    {
      uint32_t x = random_bits (random), y = random_bits (random);
      uint32_t should = bits_of (fmodf (float_of (x), float_of (y)));

      ck_assert_msg (same_remainder (model (x, y), should), "fmod (%08x, %08x) is %08x, not %08x", x, y, model (x, y),
                     should);
    }
  g_rand_free (random);
}
END_TEST

static void
make_mod (struct bench *t,
          const struct xir_type *type)
{
  struct xir_value *x, *y;

  bench_function (t, XIR_FUNCTION_CALLABLE, "f", type);
  x = argument (t, XIR_ARGUMENT_VALUE, type, "x");
  y = argument (t, XIR_ARGUMENT_VALUE, type, "y");
  xir_build_return (&t->b, xir_build_binary (&t->b, XIR_OP_MOD, x, y));
}

START_TEST (the_helper_is_the_model)
{
  GRand *random = g_rand_new_with_seed (7);

  for (int round = 0; round < 20; round++)
    {
      struct bench t;

      bench_init (&t);
      make_mod (&t, t.float_type);
      run (t.module, "lower-float-mod", true);
      for (int n = 0; n < 200; n++)
        {
          uint32_t x = random_bits (random), y = random_bits (random), is;
          struct interpreter interpreter = { .module = t.module, .steps_left = 10000 };
          struct xir_value *operands[2] = {
            xir_constant_float (t.module, float_of (x)), xir_constant_float (t.module, float_of (y))
          };
          struct xir_value *result = interpreter_run (&interpreter, t.function, operands);

          ck_assert_msg (result != NULL, "%s", interpreter.fault);
          memcpy (&is, xir_value_constant (result)->data, sizeof is);
          ck_assert_msg (same_remainder (is, model (x, y)), "fmod (%08x, %08x) is %08x, not %08x", x, y, is,
                         model (x, y));
        }
      bench_clear (&t);
    }
  g_rand_free (random);
}
END_TEST

START_TEST (mod_of_vectors_and_halves)
{
  struct bench t;

  bench_init (&t);
  make_mod (&t, xir_type_vector (t.context, t.float_type, 2));
  run (t.module, "lower-float-mod", true);
  assert_text (t.function,
               "function f (%0 x: vector<float,2>, %1 y: vector<float,2>) : vector<float,2>\n{\nb0:\n"
               "  %2 = extract %0, 0u : float\n"
               "  %3 = extract %1, 0u : float\n"
               "  %4 = call gabbro.fmod (%2, %3) : float\n"
               "  %5 = extract %0, 1u : float\n"
               "  %6 = extract %1, 1u : float\n"
               "  %7 = call gabbro.fmod (%5, %6) : float\n"
               "  %8 = aggregate %4, %7 : vector<float,2>\n"
               "  return %8\n}\n");
  t.function->name = "g";
  make_mod (&t, xir_type_scalar (t.context, XIR_TYPE_FLOAT16));
  run (t.module, "lower-float-mod", true);
  assert_text (t.function,
               "function f (%0 x: half, %1 y: half) : half\n{\nb0:\n"
               "  %2 = cast %0 : float\n"
               "  %3 = cast %1 : float\n"
               "  %4 = call gabbro.fmod (%2, %3) : float\n"
               "  %5 = cast %4 : half\n"
               "  return %5\n}\n");
  bench_clear (&t);
}
END_TEST

START_TEST (mod_that_is_left_alone)
{
  struct bench t;

  bench_init (&t);
  make_mod (&t, t.float_type);
  t.function->fast_math = true;
  t.function->name = "fast";
  make_mod (&t, t.int_type);
  run (t.module, "lower-float-mod", false);
  ck_assert_ptr_null (xir_module_find_function (t.module, "gabbro.fmod"));
  bench_clear (&t);
}
END_TEST

/* The pipeline. */

static void
note_pass (const struct xir_pass *pass,
           const struct xir_module *module,
           gpointer data)
{
  assert_verified (module);
  g_string_append_printf (data, "%s ", pass->name);
}

START_TEST (pipeline_order)
{
  struct sample s;
  GString *names = g_string_new (NULL);
  struct xir_pass_options plain = { .bounds_checks = false };

  sample_init (&s);
  ck_assert (xir_run_pipeline (s.module, &plain, false, note_pass, names, NULL));
  ck_assert_str_eq (names->str, "lower-print specialize-resources lower-words lower-atomics lower-matrices lower-float-mod ");
  sample_clear (&s);
  g_string_set_size (names, 0);
  sample_init (&s);
  ck_assert (xir_run_pipeline (s.module, &checked, true, note_pass, names, NULL));
  ck_assert_str_eq (names->str, "lower-print specialize-resources bounds-checks lower-words lower-atomics constant-fold dead-code "
                                "lower-matrices lower-float-mod dead-code ");
  sample_clear (&s);
  g_string_free (names, TRUE);
}
END_TEST

START_TEST (pass_table)
{
  guint n;
  const struct xir_pass *passes = xir_passes (&n);

  ck_assert_uint_eq (n, 10);
  for (guint k = 0; k < n; k++)
    ck_assert_ptr_eq (xir_pass_find (passes[k].name), &passes[k]);
  ck_assert_ptr_null (xir_pass_find ("no-such-pass"));
}
END_TEST

/* Thirty rounds over 100k instructions: what one round makes, the next uses again. */
START_TEST (passes_do_not_grow)
{
  struct bench t;
  gsize footprint = 0;

  bench_init (&t);
  for (int round = 0; round < 30; round++)
    {
      struct xir_value *value, *variable;

      bench_function (&t, XIR_FUNCTION_CALLABLE, "f", t.int_type);
      value = argument (&t, XIR_ARGUMENT_VALUE, t.int_type, "x");
      variable = xir_build_alloca (&t.b, XIR_STORAGE_LOCAL, t.int_type, NULL);
      for (int k = 0; k < 25000; k++)
        {
          struct xir_value *constant = xir_build_binary (&t.b, XIR_OP_ADD, i (&t, k % 100), i (&t, 1));

          xir_build_store (&t.b, variable, constant);
          xir_build_binary (&t.b, XIR_OP_MUL, constant, constant);
          value = xir_build_binary (&t.b, XIR_OP_XOR, value, constant);
        }
      xir_build_return (&t.b, value);
      ck_assert (xir_pass_constant_fold (t.module, &checked, NULL));
      ck_assert (xir_pass_dead_code (t.module, &checked, NULL));
      ck_assert_uint_eq (t.module->instruction_slab.n_objects, 25001);
      xir_function_free (t.function);
      if (round == 1)
        footprint = gb_arena_footprint (&t.module->arena);
    }
  ck_assert_uint_eq (gb_arena_footprint (&t.module->arena), footprint);
  bench_clear (&t);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("passes");
  TCase *test_case = gb_test_case (suite, "passes");

  tcase_add_test (test_case, folding);
  tcase_add_test (test_case, folding_reaches_the_fixed_point);
  tcase_add_test (test_case, dead_values_go);
  tcase_add_test (test_case, dead_variables_and_circles_go);
  tcase_add_test (test_case, stores_that_matter_stay);
  tcase_add_test (test_case, unused_helpers_go);
  tcase_add_test (test_case, resources_are_specialized);
  tcase_add_test (test_case, recursion_is_refused_before_anything_changes);
  tcase_add_test (test_case, unresolved_resource_is_named);
  tcase_add_test (test_case, growth_is_bounded);
  tcase_add_test (test_case, the_model_is_fmodf);
  tcase_add_test (test_case, the_helper_is_the_model);
  tcase_add_test (test_case, mod_of_vectors_and_halves);
  tcase_add_test (test_case, mod_that_is_left_alone);
  tcase_add_test (test_case, pipeline_order);
  tcase_add_test (test_case, pass_table);
  tcase_add_test (test_case, passes_do_not_grow);
  return suite;
}

GB_TEST_MAIN (make_suite)
