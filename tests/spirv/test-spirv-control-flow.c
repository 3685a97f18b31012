/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "codegen/spirv/plan.h"
#include "tests/spirv/shapes.h"

START_TEST (test_shape)
{
  struct fixture fixture;
  fixture_init (&fixture);
  shape_build (&shapes[_i], &fixture);
  fixture.optimizer_may_give_up = shapes[_i].optimizer_gives_up;
  fixture_compile_all (&fixture);
  fixture_clear (&fixture);
}
END_TEST

/* The plan against a second way to know: every target has its source among its predecessors, dominators stand in front. */
START_TEST (test_plan_of_shape)
{
  struct fixture fixture;
  struct spirv_plans plans;
  GError *error = NULL;
  fixture_init (&fixture);
  shape_build (&shapes[_i], &fixture);
  ck_assert_msg (spirv_plans_init (&plans, fixture.module, "test", &fixture_target, &error), "%s", error != NULL ? error->message : "");
  for (uint32_t f = 0; f < plans.call_graph.n_functions; f++)
    {
      const struct spirv_control_flow *flow = &plans.control_flows[f];
      for (uint32_t i = 0; i < flow->n_blocks; i++)
        {
          const struct spirv_control_block *block = &flow->blocks[i];
          if (block->merge_kind != SPIRV_MERGE_NONE)
            ck_assert_uint_gt (block->merge, i);
          if (block->merge_kind == SPIRV_MERGE_LOOP)
            {
              ck_assert_uint_gt (block->continue_target, i);
              ck_assert_uint_lt (block->continue_target, block->merge);
              ck_assert_uint_eq (block->n_predecessors, 2);
            }
          for (uint32_t c = 1; c < block->n_cases; c++)
            ck_assert_uint_le (block->cases[c - 1].target, block->cases[c].target);
        }
    }
  spirv_plans_clear (&plans);
  fixture_clear (&fixture);
}
END_TEST

static const char *
compile_text (const struct shape *shape, char **kept)
{
  struct fixture fixture;
  struct spirv_result result;
  GError *error = NULL;
  fixture_init (&fixture);
  shape_build (shape, &fixture);
  fixture_compile (&fixture, &fixture_options, &result);
  *kept = spirv_disassemble (result.words, result.n_words, &error);
  ck_assert_ptr_nonnull (*kept);
  spirv_result_clear (&result);
  fixture_clear (&fixture);
  return *kept;
}

static uint32_t
occurrences (const char *text, const char *needle)
{
  uint32_t n = 0;
  for (const char *at = text; (at = strstr (at, needle)) != NULL; at += strlen (needle))
    n++;
  return n;
}

static const struct shape *
find_shape (const char *name)
{
  for (uint32_t i = 0; i < n_shapes; i++)
    if (strcmp (shapes[i].name, name) == 0)
      return &shapes[i];
  ck_abort_msg ("no shape %s", name);
  return NULL;
}

/* Blocks that nothing reaches have no content, only a label and an end. */
START_TEST (test_canonical_blocks)
{
  char *text;
  compile_text (find_shape ("merges never reached"), &text);
  ck_assert_uint_eq (occurrences (text, "OpUnreachable"), 3);
  g_free (text);
  compile_text (find_shape ("A09 both arms break"), &text);
  /* The dead sum with 7 is gone though the front end wrote it. */
  ck_assert_uint_eq (occurrences (text, "%int_7"), 0);
  g_free (text);
  compile_text (find_shape ("update never reached"), &text);
  ck_assert_uint_eq (occurrences (text, "OpUndef"), 1);
  g_free (text);
}
END_TEST

/* One selection a kernel keeps threads outside the dispatch away. */
START_TEST (test_prologue)
{
  struct fixture fixture;
  struct spirv_result result;
  fixture_init (&fixture);
  fixture_sink (&fixture, fixture_uint (&fixture, 1));
  xir_build_return (&fixture.builder, NULL);
  fixture_compile (&fixture, &fixture_options, &result);
  ck_assert_uint_eq (fixture_count (&result, SpvOpSelectionMerge), 1);
  ck_assert_uint_eq (fixture_count (&result, SpvOpULessThan), 1);
  ck_assert_uint_eq (fixture_count (&result, SpvOpAll), 1);
  ck_assert_uint_eq (fixture_count (&result, SpvOpReturn), 2);
  spirv_result_clear (&result);
  fixture_clear (&fixture);
}
END_TEST

/* Malformed graphs built behind the verifier's back: the plans alone must refuse them. */
static void
plans_refuse (struct fixture *fixture, const char *needle)
{
  struct spirv_plans plans;
  GError *error = NULL;
  ck_assert (!spirv_plans_init (&plans, fixture->module, "test", &fixture_target, &error));
  ck_assert_msg (strstr (error->message, needle) != NULL, "“%s” does not say “%s”", error->message, needle);
  g_error_free (error);
  fixture_clear (fixture);
}

START_TEST (test_malformed)
{
  struct fixture f;
  struct xir_builder *b = &f.builder;
  fixture_init (&f);
  plans_refuse (&f, "the block has no end");

  fixture_init (&f);
  struct xir_block *yes = xir_block_new (f.kernel), *merge = xir_block_new (f.kernel);
  xir_build_if (b, xir_constant_bool (f.module, true), yes, yes, merge);
  plans_refuse (&f, "a role in two constructs");

  fixture_init (&f);
  yes = xir_block_new (f.kernel);
  xir_build_branch (b, yes);
  plans_refuse (&f, "that no construct names");

  fixture_init (&f);
  yes = xir_block_new (f.kernel);
  struct xir_block *no = xir_block_new (f.kernel);
  merge = xir_block_new (f.kernel);
  xir_build_if (b, xir_constant_bool (f.module, true), yes, no, merge);
  xir_builder_at_end (b, yes);
  xir_build_branch (b, f.entry);
  xir_builder_at_end (b, no);
  xir_build_branch (b, merge);
  xir_builder_at_end (b, merge);
  xir_build_return (b, NULL);
  plans_refuse (&f, "the entry has a predecessor");

  fixture_init (&f);
  struct xir_block *prepare = xir_block_new (f.kernel), *body = xir_block_new (f.kernel), *update = xir_block_new (f.kernel);
  merge = xir_block_new (f.kernel);
  xir_build_loop (b, prepare, body, update, merge);
  xir_builder_at_end (b, prepare);
  xir_build_branch (b, body);
  xir_builder_at_end (b, body);
  xir_build_branch (b, prepare);
  plans_refuse (&f, "needs one way in and one way back");
}
END_TEST

START_TEST (test_phi_mismatch)
{
  struct fixture f;
  struct xir_builder *b = &f.builder;
  for (int fault = 0; fault < 2; fault++)
    {
      fixture_init (&f);
      struct xir_block *yes = xir_block_new (f.kernel), *no = xir_block_new (f.kernel), *merge = xir_block_new (f.kernel);
      xir_build_if (b, xir_constant_bool (f.module, true), yes, no, merge);
      xir_builder_at_end (b, yes);
      xir_build_branch (b, merge);
      xir_builder_at_end (b, no);
      xir_build_branch (b, merge);
      xir_builder_at_end (b, merge);
      struct xir_value *phi = xir_build_phi (b, fixture_type (&f, XIR_TYPE_INT32, 1));
      xir_phi_add (phi, fixture_int (&f, 1), yes);
      if (fault == 1)
        {
          xir_phi_add (phi, fixture_int (&f, 2), yes);
          xir_phi_add (phi, fixture_int (&f, 3), no);
        }
      xir_build_return (b, NULL);
      plans_refuse (&f, "does not name every way into its block once");
    }
}
END_TEST

/* A case that falls into one that is not the next in source order. */
START_TEST (test_bad_fall_through)
{
  struct fixture f;
  struct xir_builder *b = &f.builder;
  fixture_init (&f);
  struct xir_block *cases[3], *merge = xir_block_new (f.kernel);
  struct xir_value *selector = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0);
  struct xir_instruction *choice = xir_build_switch (b, selector, merge);
  for (uint64_t i = 0; i < 3; i++)
    xir_switch_add_case (choice, i, cases[i] = xir_block_new (f.kernel));
  xir_builder_at_end (b, cases[0]);
  xir_build_branch (b, cases[2]);
  xir_builder_at_end (b, cases[1]);
  xir_build_break (b, merge);
  xir_builder_at_end (b, cases[2]);
  xir_build_break (b, merge);
  xir_builder_at_end (b, merge);
  xir_build_return (b, NULL);
  plans_refuse (&f, "that does not stand in front of it");
}
END_TEST

/* Both arms of an if in a case fall into the next one: SPIR-V allows one way only. */
START_TEST (test_two_falls)
{
  struct fixture f;
  struct xir_builder *b = &f.builder;
  fixture_init (&f);
  struct xir_block *first = xir_block_new (f.kernel), *second = xir_block_new (f.kernel), *merge = xir_block_new (f.kernel);
  struct xir_block *yes = xir_block_new (f.kernel), *no = xir_block_new (f.kernel), *joined = xir_block_new (f.kernel);
  struct xir_value *selector = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0);
  struct xir_instruction *choice = xir_build_switch (b, selector, merge);
  xir_switch_add_case (choice, 0, first);
  xir_switch_add_case (choice, 1, second);
  xir_builder_at_end (b, first);
  xir_build_if (b, xir_constant_bool (f.module, true), yes, no, joined);
  xir_builder_at_end (b, yes);
  xir_build_branch (b, second);
  xir_builder_at_end (b, no);
  xir_build_branch (b, second);
  xir_builder_at_end (b, joined);
  xir_build_branch (b, merge);
  xir_builder_at_end (b, second);
  xir_build_break (b, merge);
  xir_builder_at_end (b, merge);
  xir_build_return (b, NULL);
  plans_refuse (&f, "a case is fallen into at two places");
}
END_TEST

/* Many blocks. 1,360 ifs in a row, as many as a function may have, then a switch of 20,000 cases over few blocks. */
START_TEST (test_many_blocks)
{
  struct fixture f;
  struct spirv_result result;
  GError *error = NULL;
  fixture_init (&f);
  struct xir_builder *b = &f.builder;
  struct xir_value *v = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0);
  struct xir_value *sum = v;
  for (int i = 0; i < 1360; i++)
    {
      struct xir_block *yes = xir_block_new (f.kernel), *no = xir_block_new (f.kernel), *merge = xir_block_new (f.kernel);
      xir_build_if (b, xir_build_binary (b, XIR_OP_LESS, v, fixture_int (&f, i)), yes, no, merge);
      xir_builder_at_end (b, yes);
      struct xir_value *more = xir_build_binary (b, XIR_OP_ADD, sum, v);
      xir_build_branch (b, merge);
      xir_builder_at_end (b, no);
      xir_build_branch (b, merge);
      xir_builder_at_end (b, merge);
      struct xir_value *phi = xir_build_phi (b, sum->type);
      xir_phi_add (phi, more, yes);
      xir_phi_add (phi, sum, no);
      sum = phi;
    }
  struct xir_block *merge = xir_block_new (f.kernel), *targets[3];
  struct xir_instruction *choice = xir_build_switch (b, sum, merge);
  for (int i = 0; i < 3; i++)
    targets[i] = xir_block_new (f.kernel);
  for (uint64_t i = 0; i < 20000; i++)
    xir_switch_add_case (choice, i, targets[i / 7000]);
  for (int i = 0; i < 3; i++)
    {
      xir_builder_at_end (b, targets[i]);
      xir_build_break (b, merge);
    }
  xir_builder_at_end (b, merge);
  fixture_sink (&f, sum);
  xir_build_return (b, NULL);
  ck_assert_msg (spirv_emit (f.module, "test", &fixture_target, &fixture_options, &result, &error), "%s",
                 error != NULL ? error->message : "");
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

/* An arm with nothing in it is no block, if a phi can still tell the ways apart. */
START_TEST (test_empty_arms)
{
  /* The entry, where threads leave, and the first block of the body stand before these. */
  static const struct { const char *body; uint32_t n_labels; } rows[] = {
    { "if (o[0] > 0) o[1] = 2;", 2 },
    { "if (o[0] > 0) o[1] = 2; else o[2] = 3;", 3 },
    { "if (o[0] > 0) { } else o[2] = 3;", 2 },
    { "if (o[0] > 0) { }", 2 },
    { "o[1] = o[0] > 0 ? o[2] : 5;", 2 },
    { "o[1] = o[0] > 0 ? 5 : o[2];", 2 },
    { "if (o[0] > 0) { if (o[1] > 0) o[2] = 3; }", 4 },
    { "int x = 1; if (o[0] > 0) x = o[3] + 4; o[1] = x;", 2 },
    /* One that leaves a loop is not empty: loop, body, break, merge of the if, update, merge. */
    { "for (int i = 0; i < o[0]; ++i) { if (o[i] > 0) break; o[i] = 1; }", 6 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char *text = g_strconcat ("kernel(1) void test(buffer<int> o)\n{\n", rows[i].body, "\n}\n", NULL);
      struct spirv_result result;
      struct fixture f;
      fixture_init_text (&f, text);
      fixture_compile (&f, &fixture_options, &result);
      ck_assert_msg (fixture_count (&result, SpvOpLabel) == rows[i].n_labels + 3, "%s: %u labels", rows[i].body,
                     fixture_count (&result, SpvOpLabel));
      spirv_result_clear (&result);
      fixture_compile_all (&f);
      fixture_clear (&f);
      g_free (text);
    }
}
END_TEST

/* What would keep SPIRV-Tools busy for minutes is refused. */
START_TEST (test_too_many_blocks)
{
  GString *text = g_string_new ("kernel(1) void test(buffer<int> o)\n{\n");
  struct fixture f;
  for (int i = 0; i < 1366; i++)
    g_string_append (text, "  if (o[0] > 0) o[1] = 2;\n");
  g_string_append (text, "}\n");
  fixture_init_text (&f, text->str);
  fixture_refused (&f, SPIRV_ERROR_TOO_LARGE, "function “test” has 4099 blocks, the limit is 4096");
  fixture_clear (&f);
  g_string_free (text, TRUE);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv control flow");
  TCase *test_case = gb_test_case (suite, "shapes");
  tcase_add_loop_test (test_case, test_shape, 0, (int) n_shapes);
  tcase_add_loop_test (test_case, test_plan_of_shape, 0, (int) n_shapes);
  tcase_add_test (test_case, test_canonical_blocks);
  tcase_add_test (test_case, test_prologue);
  tcase_add_test (test_case, test_empty_arms);
  test_case = gb_test_case (suite, "refusals");
  tcase_add_test (test_case, test_malformed);
  tcase_add_test (test_case, test_phi_mismatch);
  tcase_add_test (test_case, test_bad_fall_through);
  tcase_add_test (test_case, test_two_falls);
  tcase_add_test (test_case, test_many_blocks);
  tcase_add_test (test_case, test_too_many_blocks);
  return suite;
}

GB_TEST_MAIN (make_suite)
