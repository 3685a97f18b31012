/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/builder.h"

#include <math.h>
#include <string.h>

#include "codegen/xir/print.h"
#include "codegen/xir/verify.h"
#include "codegen/xir/xir-private.h"
#include "tests/codegen/sample-module.h"
#include "tests/test-main.h"

static const char golden[] =
  "module \"sample.gk\"\n"
  "\n"
  "function scale (%0 x: float) : float\n"
  "{\n"
  "b0:\n"
  "  %1 = mul %0, 2.0f : float\n"
  "  return %1\n"
  "}\n"
  "\n"
  "function sum (%0 total: &float, %1 data: const buffer<struct<16,vector<float,4>,int>>) : void\n"
  "{\n"
  "b0:\n"
  "  %2 = buffer_read %1, 0u, 0, 0 : float\n"
  "  %3 = load %0 : float\n"
  "  %4 = add %3, %2 : float\n"
  "  store %0, %4\n"
  "  return\n"
  "}\n"
  "\n"
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
  "  %10 = aggregate %9, %9, %9, %9 : vector<float,4>\n"
  "  %11 = shuffle %10 [3, 1] : vector<float,2>\n"
  "  %12 = insert %10, %6, %7 : vector<float,4>\n"
  "  %13 = less %7, 1 : bool\n"
  "  if %13 then b1 else b2 merge b3\n"
  "b1:\n"
  "  %14 = call scale (%9) : float\n"
  "  branch b3\n"
  "b2:\n"
  "  %15 = select %9, -0.0f, %13 : float\n"
  "  branch b3\n"
  "b3:\n"
  "  %16 = phi [%14 from b1], [%15 from b2] : float\n"
  "  loop prepare b4 body b5 update b6 merge b7 unroll\n"
  "b4:\n"
  "  %17 = phi [0 from b3], [%19 from b6] : int\n"
  "  %18 = less %17, 4 : bool\n"
  "  conditional_branch %18 then b5 else b7\n"
  "b5:\n"
  "  call sum (%4, %0)\n"
  "  branch b6\n"
  "b6:\n"
  "  %19 = add %17, 1 : int\n"
  "  branch b4\n"
  "b7:\n"
  "  %20 = shuffle global_id [0, 1] : vector<uint,2>\n"
  "  switch %17 merge b11 { 1: b8, default: b9, -2: b10 }\n"
  "b8:\n"
  "  branch b9\n"
  "b9:\n"
  "  %21 = texture_read %2, %20 : vector<float,4>\n"
  "  texture_write %2, %20, %21\n"
  "  break b11\n"
  "b10:\n"
  "  %22 = buffer_read %1, 0u : float\n"
  "  branch b11\n"
  "b11:\n"
  "  %23 = cast %16 : uint\n"
  "  %24 = load %4 : float\n"
  "  buffer_write %1, %24, %23\n"
  "  return\n"
  "}\n";

static char *
printed (const struct xir_module *module)
{
  GString *out = g_string_new (NULL);

  xir_print_module (module, out);
  return g_string_free (out, FALSE);
}

START_TEST (golden_text)
{
  struct sample sample;
  GString *report = g_string_new (NULL);
  char *text;

  sample_init (&sample);
  text = printed (sample.module);
  ck_assert_str_eq (text, golden);
  ck_assert_msg (xir_verify_module (sample.module, report) == 0, "%s", report->str);
  g_string_free (report, TRUE);
  g_free (text);
  sample_clear (&sample);
}
END_TEST

START_TEST (clone_is_equal_and_independent)
{
  struct sample sample;
  struct xir_module *clone, *again;
  char *text;

  sample_init (&sample);
  clone = xir_module_clone (sample.module);
  xir_instruction_remove (sample.texel_write);
  xir_module_free (sample.module);
  ck_assert_uint_eq (xir_verify_module (clone, NULL), 0);
  text = printed (clone);
  ck_assert_str_eq (text, golden);
  g_free (text);
  again = xir_module_clone (clone);
  xir_module_free (clone);
  text = printed (again);
  ck_assert_str_eq (text, golden);
  g_free (text);
  xir_module_free (again);
  xir_context_unref (sample.context);
}
END_TEST

static const struct xir_name *
find_name (const struct xir_name *names, const char *name)
{
  while (names != NULL && strcmp (names->name, name) != 0)
    names = names->next;
  return names;
}

/* What the source calls a value is copied with it, and goes with it. */
START_TEST (names)
{
  struct sample sample;
  struct xir_function *function, *copy;
  struct xir_module *clone;
  struct xir_instruction *named;
  const struct xir_name *name;
  char buffer[] = "total";

  sample_init (&sample);
  function = sample.texel_write->block->function;
  named = gb_list_first (&xir_function_entry (function)->instructions, struct xir_instruction, link);
  xir_value_add_name (function, &named->value, buffer, (struct xir_location) { 3, 7 }, (struct xir_location) { 9, 1 });
  xir_value_add_name (function, &named->value, "other", (struct xir_location) { 4, 1 }, (struct xir_location) { 9, 2 });
  xir_value_add_name (function, xir_constant_int (sample.module, 5), "five", (struct xir_location) { 5, 1 }, (struct xir_location) { 0 });
  buffer[0] = 'x';
  copy = xir_function_clone (function, "copy");
  named = gb_list_first (&xir_function_entry (copy)->instructions, struct xir_instruction, link);
  name = find_name (named->names, "total");
  ck_assert_ptr_nonnull (name);
  ck_assert_ptr_eq (name->value, &named->value);
  ck_assert_uint_eq (name->location.line, 3);
  ck_assert_uint_eq (name->location.column, 7);
  ck_assert_uint_eq (name->end.line, 9);
  ck_assert_uint_eq (name->end.column, 1);
  ck_assert_ptr_nonnull (find_name (named->names, "other"));
  ck_assert_ptr_eq (find_name (copy->names, "five")->value, xir_constant_int (sample.module, 5));
  clone = xir_module_clone (sample.module);
  xir_module_free (sample.module);
  function = xir_module_find_function (clone, "copy");
  named = gb_list_first (&xir_function_entry (function)->instructions, struct xir_instruction, link);
  ck_assert_ptr_eq (find_name (named->names, "total")->value, &named->value);
  ck_assert_ptr_eq (find_name (function->names, "five")->value, xir_constant_int (clone, 5));
  ck_assert_ptr_null (find_name (function->names, "total"));
  xir_module_free (clone);
  xir_context_unref (sample.context);
}
END_TEST

START_TEST (function_clone_is_equal)
{
  struct sample sample;
  struct xir_function *copy;
  GString *first = g_string_new (NULL), *second = g_string_new (NULL);

  sample_init (&sample);
  copy = xir_function_clone (sample.kernel, "work");
  xir_print_function (sample.kernel, first);
  xir_print_function (copy, second);
  ck_assert_str_eq (first->str, second->str);
  copy->name = "other";
  ck_assert_uint_eq (xir_verify_module (sample.module, NULL), 0);
  xir_function_free (copy);
  ck_assert_uint_eq (xir_verify_module (sample.module, NULL), 0);
  g_string_free (first, TRUE);
  g_string_free (second, TRUE);
  sample_clear (&sample);
}
END_TEST

static void
check_value (struct xir_value *value,
             const char *expected)
{
  GString *out = g_string_new (NULL);

  ck_assert_ptr_nonnull (value);
  xir_print_value (value, out);
  ck_assert_str_eq (out->str, expected);
  g_string_free (out, TRUE);
}

static struct xir_value *
float_of_bits (struct xir_module *module,
               uint32_t bits)
{
  return xir_constant_get (module, xir_type_scalar (module->context, XIR_TYPE_FLOAT32), &bits);
}

START_TEST (constants_are_readable)
{
  struct sample s;
  struct xir_module *m;

  sample_init (&s);
  m = s.module;
  check_value (xir_constant_float (m, 1.5f), "1.5f");
  check_value (xir_constant_float (m, 1.0f), "1.0f");
  check_value (xir_constant_float (m, 0.1f), "0.1f");
  check_value (xir_constant_float (m, 3.4028235e38f), "3.4028235e+38f");
  check_value (xir_constant_float (m, 1e-45f), "1e-45f");
  check_value (xir_constant_float (m, 16777216.0f), "16777216.0f");
  check_value (xir_constant_float (m, INFINITY), "inf");
  check_value (xir_constant_float (m, -INFINITY), "-inf");
  check_value (float_of_bits (m, 0x7fc00001), "nan(0x7fc00001)");
  check_value (float_of_bits (m, 0x80000000), "-0.0f");
  check_value (xir_constant_int (m, INT32_MIN), "-2147483648");
  check_value (xir_constant_uint (m, UINT32_MAX), "4294967295u");
  check_value (xir_constant_bool (m, true), "true");
  check_value (xir_constant_splat (m, s.float4_type, xir_constant_float (m, 2.0f)),
               "vector<float,4>(2.0f, 2.0f, 2.0f, 2.0f)");
  check_value (xir_constant_zero (m, s.record_type), "struct<16,vector<float,4>,int>(zero)");
  check_value (xir_constant_get (m, xir_type_scalar (s.context, XIR_TYPE_INT8), "\xff"), "byte(-1)");
  check_value (xir_constant_get (m, xir_type_scalar (s.context, XIR_TYPE_FLOAT16), "\x00\x3c"), "half(0x3c00)");
  check_value (xir_constant_get (m, xir_type_scalar (s.context, XIR_TYPE_UINT64), &(uint64_t) { UINT64_MAX }),
               "ulong(18446744073709551615)");
  check_value (xir_undefined_get (m, s.int_type), "undefined int");
  check_value (xir_special_get (m, XIR_SPECIAL_GLOBAL_ID), "global_id");
  check_value (&s.condition->value, "%13 = less %7, 1 : bool");
  check_value (&s.picture->value, "%2");
  sample_clear (&s);
}
END_TEST

START_TEST (constants_are_shared)
{
  struct sample s;
  int64_t value;

  sample_init (&s);
  ck_assert_ptr_eq (xir_constant_float (s.module, 2.5f), xir_constant_float (s.module, 2.5f));
  ck_assert_ptr_ne (xir_constant_float (s.module, 0.0f), xir_constant_float (s.module, -0.0f));
  ck_assert_ptr_ne (xir_constant_int (s.module, 1), xir_constant_uint (s.module, 1));
  ck_assert_ptr_eq (xir_undefined_get (s.module, s.int_type), xir_undefined_get (s.module, s.int_type));
  ck_assert_ptr_null (xir_constant_get (s.module, xir_type_buffer (s.context, NULL), "12345678"));
  ck_assert (xir_constant_to_int (xir_constant_int (s.module, -5), &value) && value == -5);
  ck_assert (xir_constant_to_int (xir_constant_uint (s.module, UINT32_MAX), &value) && value == UINT32_MAX);
  ck_assert (!xir_constant_to_int (xir_constant_float (s.module, 1.0f), &value));
  ck_assert (!xir_constant_to_int (&s.condition->value, &value));
  ck_assert_ptr_null (xir_constant_splat (s.module, s.float4_type, xir_constant_int (s.module, 1)));
  sample_clear (&s);
}
END_TEST

START_TEST (replacing_moves_every_use)
{
  struct sample s;
  struct xir_value *constant;

  sample_init (&s);
  constant = xir_constant_float (s.module, 9.0f);
  xir_value_replace (&s.load->value, constant);
  ck_assert (!xir_value_is_used (&s.load->value));
  for (int i = 0; i < 4; i++)
    ck_assert_ptr_eq (xir_operand (s.aggregate, i), constant);
  xir_instruction_remove (s.load);
  ck_assert_uint_eq (xir_verify_module (s.module, NULL), 0);
  sample_clear (&s);
}
END_TEST

START_TEST (splitting_renames_predecessors)
{
  struct sample s;
  struct xir_block *tail;
  struct xir_builder b;
  struct xir_block *yes, *no;

  sample_init (&s);
  tail = xir_block_split (s.then_block, xir_block_terminator (s.then_block));
  ck_assert_ptr_eq (s.phi->blocks[0], tail);
  ck_assert_ptr_null (xir_block_terminator (s.then_block));
  yes = xir_block_new (s.kernel);
  no = xir_block_new (s.kernel);
  xir_builder_init (&b, s.kernel);
  xir_builder_at_end (&b, s.then_block);
  xir_build_if (&b, &s.condition->value, yes, no, tail);
  xir_builder_at_end (&b, yes);
  xir_build_branch (&b, tail);
  xir_builder_at_end (&b, no);
  ck_assert (!xir_builder_terminated (&b));
  xir_build_branch (&b, tail);
  ck_assert (xir_builder_terminated (&b));
  ck_assert_uint_eq (xir_verify_module (s.module, NULL), 0);
  sample_clear (&s);
}
END_TEST

START_TEST (allocas_keep_their_order)
{
  struct sample s;
  struct xir_builder b;
  struct xir_value *third;

  sample_init (&s);
  xir_builder_init (&b, s.kernel);
  xir_builder_at_end (&b, s.body);
  third = xir_build_alloca (&b, XIR_STORAGE_LOCAL, s.int_type, "third");
  ck_assert_ptr_eq (s.elements->link.next, &xir_value_instruction (third)->link);
  xir_instruction_remove (xir_value_instruction (third));
  third = xir_build_alloca (&b, XIR_STORAGE_LOCAL, s.int_type, "third");
  ck_assert_ptr_eq (s.elements->link.next, &xir_value_instruction (third)->link);
  sample_clear (&s);
}
END_TEST

START_TEST (phis_shrink)
{
  struct sample s;

  sample_init (&s);
  xir_phi_add (&s.phi->value, &s.load->value, s.entry);
  ck_assert_uint_eq (s.phi->n_operands, 3);
  xir_phi_remove (s.phi, 1);
  ck_assert_uint_eq (s.phi->n_operands, 2);
  ck_assert_ptr_eq (xir_operand (s.phi, 1), &s.load->value);
  ck_assert_ptr_eq (s.phi->blocks[1], s.entry);
  ck_assert (!xir_value_is_used (&s.select->value));
  sample_clear (&s);
}
END_TEST

/* Rounds of adding and removing 100k instructions, phis and switches of many
 * sizes among them, must not grow the module. */
START_TEST (memory_is_reused)
{
  struct sample s;
  struct xir_builder b;
  gsize footprint = 0, pages = 0;

  sample_init (&s);
  for (int round = 0; round < 30; round++)
    {
      struct xir_block *block = xir_block_new (s.kernel);
      struct xir_value *value = xir_constant_int (s.module, 1), *operands[7];

      xir_builder_init (&b, s.kernel);
      xir_builder_at_end (&b, block);
      for (int i = 0; i < 100000; i++)
        {
          for (int k = 0; k < 7; k++)
            operands[k] = value;
          if (i % 50 == 0)
            {
              value = xir_build_phi (&b, s.int_type);
              for (int k = 0; k < i % 37; k++)
                xir_phi_add (value, operands[0], block);
            }
          else
            value = xir_build_op (&b, XIR_OP_AGGREGATE, s.int_type, operands, (uint32_t) (i % 7) + 1);
        }
      struct xir_instruction *selector = xir_build_switch (&b, value, block);
      for (int i = 0; i < 1000; i++)
        xir_switch_add_case (selector, (uint64_t) i, block);
      xir_block_remove (block);
      ck_assert_uint_lt (s.module->instruction_slab.n_objects, 100);
      if (round == 1)
        {
          footprint = gb_arena_footprint (&s.module->arena);
          pages = s.module->instruction_slab.n_pages;
        }
    }
  ck_assert_uint_eq (gb_arena_footprint (&s.module->arena), footprint);
  ck_assert_uint_eq (s.module->instruction_slab.n_pages, pages);
  sample_clear (&s);
}
END_TEST

START_TEST (functions_are_reused)
{
  struct sample s;
  gsize footprint = 0;

  sample_init (&s);
  for (int round = 0; round < 2000; round++)
    {
      xir_function_free (xir_function_clone (s.kernel, "a"));
      if (round == 100)
        footprint = gb_arena_footprint (&s.module->arena);
    }
  /* Names are not given back. */
  ck_assert_uint_le (gb_arena_footprint (&s.module->arena), footprint + 64 * 1024);
  ck_assert_uint_eq (xir_verify_module (s.module, NULL), 0);
  sample_clear (&s);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("builder");
  TCase *test_case = gb_test_case (suite, "builder");

  tcase_add_test (test_case, golden_text);
  tcase_add_test (test_case, clone_is_equal_and_independent);
  tcase_add_test (test_case, names);
  tcase_add_test (test_case, function_clone_is_equal);
  tcase_add_test (test_case, constants_are_readable);
  tcase_add_test (test_case, constants_are_shared);
  tcase_add_test (test_case, replacing_moves_every_use);
  tcase_add_test (test_case, splitting_renames_predecessors);
  tcase_add_test (test_case, allocas_keep_their_order);
  tcase_add_test (test_case, phis_shrink);
  tcase_add_test (test_case, memory_is_reused);
  tcase_add_test (test_case, functions_are_reused);
  return suite;
}

GB_TEST_MAIN (make_suite)
