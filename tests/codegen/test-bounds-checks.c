/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bounds checks: with the pass, every index computes what the table says; without
 * it, the interpreter sees the access that would have gone astray. */

#include "config.h"

#include "codegen/passes/passes.h"

#include <string.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/print.h"
#include "codegen/xir/verify.h"
#include "tests/codegen/interpreter.h"
#include "tests/test-main.h"

#define N 4

static const struct xir_pass_options on = { .bounds_checks = true };

struct bench
{
  struct xir_context *context;
  struct xir_module *module;
  const struct xir_type *int_type, *uint_type, *float_type, *array_type;
  struct xir_function *kernel;
  struct xir_value *index, *buffer;
  struct xir_builder b;
  int32_t data[N];
  const char *fault;
};

static void
bench_init (struct bench *t)
{
  memset (t, 0, sizeof *t);
  t->context = xir_context_new ();
  t->module = xir_module_new (t->context, NULL);
  t->int_type = xir_type_scalar (t->context, XIR_TYPE_INT32);
  t->uint_type = xir_type_scalar (t->context, XIR_TYPE_UINT32);
  t->float_type = xir_type_scalar (t->context, XIR_TYPE_FLOAT32);
  t->array_type = xir_type_array (t->context, t->int_type, N);
}

/* A kernel of a buffer of ints and an index. */
static void
make_kernel (struct bench *t,
             enum xir_type_kind index_kind)
{
  bench_init (t);
  t->kernel = xir_function_new (t->module, XIR_FUNCTION_KERNEL, "k", NULL);
  t->buffer = &xir_function_add_argument (t->kernel, XIR_ARGUMENT_RESOURCE,
                                          xir_type_buffer (t->context, t->int_type), "buffer")->value;
  t->index = &xir_function_add_argument (t->kernel, XIR_ARGUMENT_VALUE, xir_type_scalar (t->context, index_kind),
                                         "index")->value;
  xir_block_new (t->kernel);
  xir_builder_init (&t->b, t->kernel);
}

static void
bench_clear (struct bench *t)
{
  xir_module_free (t->module);
  xir_context_unref (t->context);
}

static void
check (struct bench *t)
{
  GString *report = g_string_new (NULL);

  ck_assert_msg (xir_verify_module (t->module, report) == 0, "%s", report->str);
  xir_pass_bounds_checks (t->module, &on, NULL);
  ck_assert_msg (xir_verify_module (t->module, report) == 0, "%s", report->str);
  g_string_free (report, TRUE);
}

static struct xir_value *
i (struct bench *t,
   int32_t value)
{
  return xir_constant_int (t->module, value);
}

/* Runs with fresh data 100, 101, … and leaves what became of it in t->data. */
static void
run (struct bench *t,
     int64_t index)
{
  struct interpreter_buffer buffer = { t->int_type, (uint8_t *) t->data, N };
  struct interpreter interpreter = { t->module, g_hash_table_new (NULL, NULL), 2, 5000, NULL };
  struct xir_value *values[3] = { NULL };

  for (int k = 0; k < N; k++)
    t->data[k] = 100 + k;
  values[1] = xir_constant_get (t->module, t->index->type, &index);
  g_hash_table_insert (interpreter.buffers, t->buffer, &buffer);
  interpreter_run (&interpreter, t->kernel, values);
  t->fault = interpreter.fault;
  g_hash_table_destroy (interpreter.buffers);
}

static void
write_result (struct bench *t,
              struct xir_value *value)
{
  struct xir_value *zero = i (t, 0);

  xir_build_buffer_write (&t->b, t->buffer, value, &zero, 1);
  xir_build_return (&t->b, NULL);
}

static const int64_t indices[] = { 0, 1, 3, 4, -1, 5, 1000, INT32_MAX, INT32_MIN };

static const enum xir_type_kind index_kinds[] = {
  XIR_TYPE_INT32, XIR_TYPE_UINT32, XIR_TYPE_INT8, XIR_TYPE_UINT8, XIR_TYPE_INT16, XIR_TYPE_UINT16, XIR_TYPE_INT64,
  XIR_TYPE_UINT64
};

/* What the index becomes in its type. */
static bool
index_is_inside (const struct bench *t,
                 int64_t index)
{
  int64_t value;

  ck_assert (xir_constant_to_int (xir_constant_get (t->module, t->index->type, &index), &value));
  return value >= 0 && value < N;
}

static int32_t
inside_value (const struct bench *t,
              int64_t index)
{
  int64_t value;

  xir_constant_to_int (xir_constant_get (t->module, t->index->type, &index), &value);
  return (int32_t) value;
}

START_TEST (buffer_reads)
{
  struct bench t;

  make_kernel (&t, index_kinds[_i]);
  write_result (&t, xir_build_binary (&t.b, XIR_OP_ADD, i (&t, 7),
                                      xir_build_buffer_read (&t.b, t.buffer, &t.index, 1)));
  run (&t, index_kinds[_i] == XIR_TYPE_INT8 ? 100 : 200);
  ck_assert_ptr_nonnull (t.fault);
  check (&t);
  for (gsize k = 0; k < G_N_ELEMENTS (indices); k++)
    {
      run (&t, indices[k]);
      ck_assert_ptr_null (t.fault);
      ck_assert_int_eq (t.data[0], index_is_inside (&t, indices[k]) ? 107 + inside_value (&t, indices[k]) : 7);
    }
  bench_clear (&t);
}
END_TEST

START_TEST (buffer_writes)
{
  struct bench t;

  make_kernel (&t, index_kinds[_i]);
  xir_build_buffer_write (&t.b, t.buffer, i (&t, 5), &t.index, 1);
  xir_build_return (&t.b, NULL);
  check (&t);
  for (gsize k = 0; k < G_N_ELEMENTS (indices); k++)
    {
      run (&t, indices[k]);
      ck_assert_ptr_null (t.fault);
      for (int element = 0; element < N; element++)
        ck_assert_int_eq (t.data[element],
                          index_is_inside (&t, indices[k]) && inside_value (&t, indices[k]) == element
                          ? 5 : 100 + element);
    }
  bench_clear (&t);
}
END_TEST

/* array[index] = 5; array[1] = 6; result = array[index] + array[1] */
START_TEST (local_arrays)
{
  struct bench t;
  struct xir_value *array, *one, *sum, *place;

  make_kernel (&t, XIR_TYPE_INT32);
  array = xir_build_alloca (&t.b, XIR_STORAGE_LOCAL, t.array_type, "array");
  xir_build_store (&t.b, array, xir_constant_zero (t.module, t.array_type));
  place = xir_build_gep (&t.b, array, &t.index, 1);
  xir_build_store (&t.b, place, i (&t, 5));
  one = i (&t, 1);
  xir_build_store (&t.b, xir_build_gep (&t.b, array, &one, 1), i (&t, 6));
  sum = xir_build_binary (&t.b, XIR_OP_ADD, xir_build_load (&t.b, place),
                          xir_build_load (&t.b, xir_build_gep (&t.b, array, &one, 1)));
  write_result (&t, sum);
  run (&t, 4);
  ck_assert_ptr_nonnull (t.fault);
  check (&t);
  for (gsize k = 0; k < G_N_ELEMENTS (indices); k++)
    {
      run (&t, indices[k]);
      ck_assert_ptr_null (t.fault);
      ck_assert_int_eq (t.data[0], indices[k] == 1 ? 12 : index_is_inside (&t, indices[k]) ? 11 : 6);
    }
  bench_clear (&t);
}
END_TEST

/* A gep of a gep, the outer index dynamic in one, the inner in the other. */
START_TEST (nested_walks)
{
  struct bench t;
  struct xir_value *rows, *row, *place, *two;

  make_kernel (&t, XIR_TYPE_INT32);
  rows = xir_build_alloca (&t.b, XIR_STORAGE_LOCAL, xir_type_array (t.context, t.array_type, 3), "rows");
  row = xir_build_gep (&t.b, rows, &t.index, 1);
  two = i (&t, 2);
  place = xir_build_gep (&t.b, row, &two, 1);
  xir_build_store (&t.b, place, i (&t, 9));
  row = xir_build_gep (&t.b, rows, &two, 1);
  place = xir_build_gep (&t.b, row, &t.index, 1);
  xir_build_store (&t.b, place, i (&t, 8));
  write_result (&t, xir_build_load (&t.b, xir_build_gep (&t.b, rows, (struct xir_value *[]) { t.index, two }, 2)));
  check (&t);
  for (int k = -1; k < 6; k++)
    {
      run (&t, k);
      ck_assert_ptr_null (t.fault);
      ck_assert_int_eq (t.data[0], k < 0 || k > 2 ? 0 : k == 2 ? 8 : 9);
    }
  bench_clear (&t);
}
END_TEST

START_TEST (vectors_in_registers)
{
  struct bench t;
  const struct xir_type *vector;
  struct xir_value *value, *zero;

  make_kernel (&t, XIR_TYPE_INT32);
  vector = xir_type_vector (t.context, t.int_type, 3);
  zero = i (&t, 0);
  value = xir_build_buffer_read (&t.b, t.buffer, &zero, 1);
  value = xir_build_aggregate (&t.b, vector, (struct xir_value *[]) { value, value, value }, 3);
  value = xir_build_insert (&t.b, value, i (&t, 1), &t.index, 1);
  value = xir_build_binary (&t.b, XIR_OP_SUB, xir_build_unary (&t.b, XIR_OP_REDUCE_SUM, value),
                            xir_build_extract (&t.b, value, &t.index, 1));
  write_result (&t, value);
  check (&t);
  for (int k = -1; k < 6; k++)
    {
      run (&t, k);
      ck_assert_ptr_null (t.fault);
      ck_assert_int_eq (t.data[0], k < 0 || k > 2 ? 300 : 200);
    }
  bench_clear (&t);
}
END_TEST

static gsize
n_blocks (const struct bench *t)
{
  gsize n = 0;

  gb_list_for_each (block, &t->kernel->blocks, struct xir_block, link)
    n++;
  return n;
}

START_TEST (constants_are_proof)
{
  struct bench t;
  struct xir_value *array, *value, *inside, *outside;

  make_kernel (&t, XIR_TYPE_INT32);
  array = xir_build_alloca (&t.b, XIR_STORAGE_LOCAL, t.array_type, "array");
  inside = i (&t, 3);
  outside = i (&t, 4);
  xir_build_store (&t.b, array, xir_constant_zero (t.module, t.array_type));
  xir_build_store (&t.b, xir_build_gep (&t.b, array, &inside, 1), i (&t, 1));
  xir_build_store (&t.b, xir_build_gep (&t.b, array, &outside, 1), i (&t, 2));
  value = xir_build_load (&t.b, array);
  value = xir_build_insert (&t.b, value, i (&t, 4), &outside, 1);
  value = xir_build_binary (&t.b, XIR_OP_ADD, xir_build_extract (&t.b, value, &outside, 1),
                            xir_build_extract (&t.b, value, &inside, 1));
  xir_build_store (&t.b, array, xir_build_load (&t.b, array));
  xir_build_store (&t.b, xir_build_gep (&t.b, array, &inside, 1), value);
  xir_build_return (&t.b, NULL);
  check (&t);
  ck_assert_uint_eq (n_blocks (&t), 1);
  run (&t, 0);
  ck_assert_ptr_null (t.fault);
  bench_clear (&t);
}
END_TEST

START_TEST (nothing_without_the_option)
{
  struct bench t;
  struct xir_pass_options off = { .bounds_checks = false };

  make_kernel (&t, XIR_TYPE_INT32);
  write_result (&t, xir_build_buffer_read (&t.b, t.buffer, &t.index, 1));
  ck_assert (!xir_pass_bounds_checks (t.module, &off, NULL));
  ck_assert_uint_eq (n_blocks (&t), 1);
  bench_clear (&t);
}
END_TEST

/* while (buffer[i] < limit) ++i, with a way out of the data: reads zero there and
 * goes on, until i reaches 20. The condition stands in the loop's prepare. */
static void
make_search (struct bench *t,
             bool with_phi_behind)
{
  struct xir_block *prepare, *body, *update, *merge, *leave, *stay, *join;
  struct xir_value *at, *read, *next, *out;

  prepare = xir_block_new (t->kernel);
  body = xir_block_new (t->kernel);
  leave = xir_block_new (t->kernel);
  stay = xir_block_new (t->kernel);
  join = xir_block_new (t->kernel);
  update = xir_block_new (t->kernel);
  merge = xir_block_new (t->kernel);
  xir_build_loop (&t->b, prepare, body, update, merge);
  xir_builder_at_end (&t->b, prepare);
  at = xir_build_phi (&t->b, t->int_type);
  read = xir_build_buffer_read (&t->b, t->buffer, &at, 1);
  xir_build_conditional_branch (&t->b, xir_build_binary (&t->b, XIR_OP_LESS, read, i (t, 103)), body, merge);
  xir_builder_at_end (&t->b, body);
  xir_build_if (&t->b, xir_build_binary (&t->b, XIR_OP_GREATER, at, i (t, 20)), leave, stay, join);
  xir_builder_at_end (&t->b, leave);
  xir_build_break (&t->b, merge);
  xir_builder_at_end (&t->b, stay);
  xir_build_branch (&t->b, join);
  xir_builder_at_end (&t->b, join);
  xir_build_branch (&t->b, update);
  xir_builder_at_end (&t->b, update);
  next = xir_build_binary (&t->b, XIR_OP_ADD, at, i (t, 1));
  xir_build_branch (&t->b, prepare);
  xir_phi_add (at, t->index, xir_function_entry (t->kernel));
  xir_phi_add (at, next, update);
  xir_builder_at_end (&t->b, merge);
  out = at;
  if (with_phi_behind)
    {
      out = xir_build_phi (&t->b, t->int_type);
      xir_phi_add (out, at, prepare);
      xir_phi_add (out, i (t, -5), leave);
    }
  write_result (t, out);
}

START_TEST (reads_in_the_loop_condition)
{
  struct bench t;

  make_kernel (&t, XIR_TYPE_INT32);
  make_search (&t, _i);
  check (&t);
  run (&t, 0);
  ck_assert_ptr_null (t.fault);
  ck_assert_int_eq (t.data[0], 3);
  run (&t, -3);
  ck_assert_ptr_null (t.fault);
  ck_assert_int_eq (t.data[0], 3);
  run (&t, 4);
  ck_assert_ptr_null (t.fault);
  ck_assert_int_eq (t.data[0], _i ? -5 : 21);
  bench_clear (&t);
}
END_TEST

/* do { sum += buffer[i]; } while (buffer[++i] != 102), the test in the update; the
 * prepare reads too, though it has one way out. */
START_TEST (reads_in_the_update)
{
  struct bench t;
  struct xir_block *prepare, *body, *update, *merge;
  struct xir_value *at, *sum, *first, *next, *read, *total;

  make_kernel (&t, XIR_TYPE_INT32);
  prepare = xir_block_new (t.kernel);
  body = xir_block_new (t.kernel);
  update = xir_block_new (t.kernel);
  merge = xir_block_new (t.kernel);
  xir_build_loop (&t.b, prepare, body, update, merge);
  xir_builder_at_end (&t.b, prepare);
  at = xir_build_phi (&t.b, t.int_type);
  sum = xir_build_phi (&t.b, t.int_type);
  first = xir_build_buffer_read (&t.b, t.buffer, &at, 1);
  xir_build_branch (&t.b, body);
  xir_builder_at_end (&t.b, body);
  read = xir_build_phi (&t.b, t.int_type);
  xir_phi_add (read, first, prepare);
  total = xir_build_binary (&t.b, XIR_OP_ADD, sum, read);
  xir_build_branch (&t.b, update);
  xir_builder_at_end (&t.b, update);
  next = xir_build_binary (&t.b, XIR_OP_ADD, at, i (&t, 1));
  read = xir_build_buffer_read (&t.b, t.buffer, &next, 1);
  xir_build_conditional_branch (&t.b, xir_build_binary (&t.b, XIR_OP_NOT_EQUAL, read, i (&t, 102)), prepare, merge);
  xir_phi_add (at, t.index, xir_function_entry (t.kernel));
  xir_phi_add (at, next, update);
  xir_phi_add (sum, i (&t, 0), xir_function_entry (t.kernel));
  xir_phi_add (sum, total, update);
  xir_builder_at_end (&t.b, merge);
  write_result (&t, total);
  check (&t);
  run (&t, -7);
  ck_assert_ptr_null (t.fault);
  ck_assert_int_eq (t.data[0], 201);
  run (&t, 1);
  ck_assert_int_eq (t.data[0], 101);
  bench_clear (&t);
}
END_TEST

START_TEST (textures)
{
  struct bench t;
  struct xir_value *texture, *at, *texel;
  const struct xir_type *int4;
  int32_t texels[4][4];
  struct interpreter_buffer buffer;

  make_kernel (&t, XIR_TYPE_INT32);
  int4 = xir_type_vector (t.context, t.int_type, 4);
  texture = &xir_function_add_argument (t.kernel, XIR_ARGUMENT_RESOURCE,
                                        xir_type_texture (t.context, 2, t.int_type), "image")->value;
  at = xir_build_aggregate (&t.b, xir_type_vector (t.context, t.int_type, 2),
                            (struct xir_value *[]) { t.index, i (&t, 1) }, 2);
  texel = xir_build_texture_read (&t.b, texture, at);
  at = xir_build_aggregate (&t.b, xir_type_vector (t.context, t.int_type, 2),
                            (struct xir_value *[]) { i (&t, 0), t.index }, 2);
  xir_build_texture_write (&t.b, texture, at, xir_build_binary (&t.b, XIR_OP_ADD, texel, texel));
  xir_build_return (&t.b, NULL);
  check (&t);
  for (int index = -2; index < 5; index++)
    {
      struct interpreter interpreter = { t.module, g_hash_table_new (NULL, NULL), 2, 5000, NULL };
      struct xir_value *values[3] = { NULL, i (&t, index), NULL };

      for (int k = 0; k < 16; k++)
        texels[k / 4][k % 4] = k;
      buffer = (struct interpreter_buffer) { int4, (uint8_t *) texels, 4 };
      g_hash_table_insert (interpreter.buffers, texture, &buffer);
      interpreter_run (&interpreter, t.kernel, values);
      ck_assert_ptr_null (interpreter.fault);
      /* Texel (index, 1) doubled goes to (0, index): two rows of two texels. */
      for (int k = 0; k < 16; k++)
        ck_assert_int_eq (texels[k / 4][k % 4],
                          index >= 0 && index < 2 && k / 4 == index * 2 ? 2 * ((index + 2) * 4 + k % 4) : k);
      g_hash_table_destroy (interpreter.buffers);
    }
  bench_clear (&t);
}
END_TEST

START_TEST (text)
{
  struct bench t;
  GString *out = g_string_new (NULL);

  make_kernel (&t, XIR_TYPE_INT32);
  write_result (&t, xir_build_buffer_read (&t.b, t.buffer, &t.index, 1));
  check (&t);
  xir_print_function (t.kernel, out);
  ck_assert_str_eq (out->str,
                    "kernel k (%0 buffer: buffer<int>, %1 index: int) : void group_size 1 1 1\n{\n"
                    "b0:\n"
                    "  %2 = bitcast %1 : uint\n"
                    "  %3 = buffer_size %0 : uint\n"
                    "  %4 = less %2, %3 : bool\n"
                    "  if %4 then b1 else b2 merge b3\n"
                    "b1:\n"
                    "  %5 = buffer_read %0, %1 : int\n"
                    "  branch b3\n"
                    "b2:\n"
                    "  branch b3\n"
                    "b3:\n"
                    "  %6 = phi [%5 from b1], [0 from b2] : int\n"
                    "  %7 = bitcast 0 : uint\n"
                    "  %8 = buffer_size %0 : uint\n"
                    "  %9 = less %7, %8 : bool\n"
                    "  if %9 then b4 else b5 merge b6\n"
                    "b4:\n"
                    "  buffer_write %0, %6, 0\n"
                    "  branch b6\n"
                    "b5:\n"
                    "  branch b6\n"
                    "b6:\n"
                    "  return\n}\n");
  g_string_free (out, TRUE);
  bench_clear (&t);
}
END_TEST

/* One block with very many accesses: each instruction moves once. */
START_TEST (many_accesses_are_quick)
{
  struct bench t;
  struct xir_value *value;

  make_kernel (&t, XIR_TYPE_INT32);
  value = t.index;
  for (int k = 0; k < 50000; k++)
    value = xir_build_buffer_read (&t.b, t.buffer, &value, 1);
  write_result (&t, value);
  check (&t);
  ck_assert_uint_eq (n_blocks (&t), 3 * 50001 + 1);
  bench_clear (&t);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("bounds-checks");
  TCase *test_case = gb_test_case (suite, "bounds-checks");

  tcase_add_loop_test (test_case, buffer_reads, 0, G_N_ELEMENTS (index_kinds));
  tcase_add_loop_test (test_case, buffer_writes, 0, G_N_ELEMENTS (index_kinds));
  tcase_add_test (test_case, local_arrays);
  tcase_add_test (test_case, nested_walks);
  tcase_add_test (test_case, vectors_in_registers);
  tcase_add_test (test_case, constants_are_proof);
  tcase_add_test (test_case, nothing_without_the_option);
  tcase_add_loop_test (test_case, reads_in_the_loop_condition, 0, 2);
  tcase_add_test (test_case, reads_in_the_update);
  tcase_add_test (test_case, textures);
  tcase_add_test (test_case, text);
  tcase_add_test (test_case, many_accesses_are_quick);
  return suite;
}

GB_TEST_MAIN (make_suite)
