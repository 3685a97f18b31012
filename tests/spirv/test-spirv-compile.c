/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whole compiles: decorations, determinism, refusals, the tools' face. */

#include "config.h"

#include <string.h>

#include "codegen/spirv/emit.h"
#include "codegen/spirv/plan.h"
#include "tests/spirv/fixture.h"
#include "tests/spirv/shapes.h"

START_TEST (test_argument_block_decorations)
{
  struct fixture f;
  struct spirv_result result;
  fixture_init (&f);
  const struct xir_type *words = xir_type_array (f.context, fixture_type (&f, XIR_TYPE_UINT32, 1), 100);
  struct xir_value *table = fixture_argument (&f, XIR_ARGUMENT_VALUE, words, "table");
  struct xir_value *index = fixture_source (&f, fixture_type (&f, XIR_TYPE_UINT32, 1), 0);
  fixture_sink (&f, xir_build_extract (&f.builder, table, &index, 1));
  xir_build_return (&f.builder, NULL);
  fixture_compile (&f, &fixture_options, &result);
  ck_assert (result.arguments_in_block);
  ck_assert_int_eq (result.bindings[0].kind, SPIRV_BINDING_ARGUMENT_BLOCK);
  ck_assert_uint_eq (result.bindings[0].argument, G_MAXUINT32);
  uint32_t block = fixture_variable (&result, 0);
  ck_assert (fixture_is_decorated (&result, block, SpvDecorationNonWritable));
  ck_assert (!fixture_is_decorated (&result, block, SpvDecorationAliased));
  /* The table is read where it lies, never copied as a whole. */
  ck_assert_uint_eq (fixture_count (&result, SpvOpCopyLogical), 0);
  ck_assert_uint_eq (fixture_count (&result, SpvOpVariable), 6);
  fixture_compile_all (&f);
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

/* A table of constants that is indexed lies in one private, constant variable, however often. */
START_TEST (test_constant_table)
{
  struct fixture f;
  struct spirv_result result;
  fixture_init (&f);
  const float numbers[] = { 1, 2, 3, 4, 5 };
  const struct xir_type *array = xir_type_array (f.context, fixture_type (&f, XIR_TYPE_FLOAT32, 1), 5);
  struct xir_value *table = xir_constant_get (f.module, array, numbers);
  for (uint32_t i = 0; i < 3; i++)
    {
      struct xir_value *index = fixture_source (&f, fixture_type (&f, XIR_TYPE_UINT32, 1), i);
      fixture_sink (&f, xir_build_extract (&f.builder, table, &index, 1));
    }
  xir_build_return (&f.builder, NULL);
  fixture_compile (&f, &fixture_options, &result);
  uint32_t n_private = 0;
  for (gsize at = 5; at < result.n_words; at += result.words[at] >> SpvWordCountShift)
    if ((result.words[at] & SpvOpCodeMask) == SpvOpVariable && result.words[at + 3] == SpvStorageClassPrivate)
      {
        n_private++;
        ck_assert_uint_eq (result.words[at] >> SpvWordCountShift, 5);
        ck_assert (fixture_is_decorated (&result, result.words[at + 2], SpvDecorationNonWritable));
      }
  ck_assert_uint_eq (n_private, 1);
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

/* Guards stand where they are needed and nowhere else. */
START_TEST (test_guards)
{
  static const struct { bool is_constant; int32_t divisor; bool unchecked; uint32_t selects; } cases[] = {
    { false, 0, false, 1 }, { true, 3, false, 0 }, { true, -1, false, 1 }, { true, 0, false, 1 }, { false, 0, true, 0 }
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      struct fixture f;
      struct spirv_result result;
      fixture_init (&f);
      f.kernel->unchecked = cases[i].unchecked;
      struct xir_value *x = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0);
      struct xir_value *y = cases[i].is_constant ? fixture_int (&f, cases[i].divisor) : fixture_source (&f, x->type, 1);
      fixture_sink (&f, xir_build_binary (&f.builder, XIR_OP_DIV, x, y));
      xir_build_return (&f.builder, NULL);
      fixture_compile (&f, &fixture_options, &result);
      ck_assert_uint_eq (fixture_count (&result, SpvOpSelect), cases[i].selects);
      ck_assert_uint_eq (fixture_count (&result, SpvOpSDiv), 1);
      spirv_result_clear (&result);
      fixture_clear (&f);
    }
}
END_TEST

/* Counts are masked where they may be too large. */
START_TEST (test_shift_guards)
{
  static const struct { bool is_constant; int32_t count; bool unchecked; uint32_t masks; } cases[] = {
    { false, 0, false, 1 }, { true, 31, false, 0 }, { true, 32, false, 1 }, { true, -1, false, 1 }, { false, 0, true, 0 }
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int right = 0; right < 2; right++)
      {
        struct fixture f;
        struct spirv_result result;
        fixture_init (&f);
        f.kernel->unchecked = cases[i].unchecked;
        struct xir_value *x = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0);
        struct xir_value *n = cases[i].is_constant ? fixture_int (&f, cases[i].count) : fixture_source (&f, x->type, 1);
        fixture_sink (&f, xir_build_binary (&f.builder, right ? XIR_OP_SHIFT_RIGHT : XIR_OP_SHIFT_LEFT, x, n));
        xir_build_return (&f.builder, NULL);
        fixture_compile (&f, &fixture_options, &result);
        ck_assert_uint_eq (fixture_count (&result, SpvOpBitwiseAnd), cases[i].masks);
        ck_assert_uint_eq (fixture_count (&result, right ? SpvOpShiftRightArithmetic : SpvOpShiftLeftLogical), 1);
        spirv_result_clear (&result);
        fixture_clear (&f);
      }
}
END_TEST

static uint32_t
constant_bits (const struct spirv_result *result, uint32_t id)
{
  const uint32_t *constant = fixture_definition (result, id);
  ck_assert (constant != NULL && (constant[0] & SpvOpCodeMask) == SpvOpConstant);
  return constant[3];
}

/* The bounds of a conversion to the bit: a driver that saturates by itself would hide a wrong one. */
START_TEST (test_conversion_bounds)
{
  static const uint32_t bounds[2][3] = { { 0xcf000000, 0x4f000000, 0x4effffff }, { 0x00000000, 0x4f800000, 0x4f7fffff } };
  for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++)
    {
      struct fixture f;
      struct spirv_result result;
      fixture_init (&f);
      struct xir_value *x = fixture_source (&f, fixture_type (&f, XIR_TYPE_FLOAT32, 1), 0);
      fixture_sink (&f, xir_build_cast (&f.builder, fixture_type (&f, is_unsigned ? XIR_TYPE_UINT32 : XIR_TYPE_INT32, 1), x));
      xir_build_return (&f.builder, NULL);
      fixture_compile (&f, &fixture_options, &result);
      const uint32_t *convert = fixture_find (&result, is_unsigned ? SpvOpConvertFToU : SpvOpConvertFToS, 0, 0);
      const uint32_t *clamped = fixture_definition (&result, convert[3]);
      const uint32_t *raised = fixture_definition (&result, clamped[4]);
      const uint32_t *above = fixture_definition (&result, raised[3]), *below = fixture_definition (&result, clamped[3]);
      ck_assert_uint_eq (above[0] & SpvOpCodeMask, SpvOpFOrdGreaterThanEqual);
      ck_assert_uint_eq (below[0] & SpvOpCodeMask, SpvOpFOrdLessThan);
      ck_assert_uint_eq (constant_bits (&result, above[4]), bounds[is_unsigned][0]);
      ck_assert_uint_eq (constant_bits (&result, raised[5]), bounds[is_unsigned][0]);
      ck_assert_uint_eq (constant_bits (&result, below[4]), bounds[is_unsigned][1]);
      ck_assert_uint_eq (constant_bits (&result, clamped[5]), bounds[is_unsigned][2]);
      spirv_result_clear (&result);
      fixture_clear (&f);
    }
}
END_TEST

/* An index out of range is undefined, but the words must be valid. */
START_TEST (test_constant_index_out_of_range)
{
  struct fixture f;
  struct spirv_plans plans;
  uint32_t *words = NULL;
  gsize n_words = 0;
  GError *error = NULL;
  fixture_init (&f);
  const float numbers[] = { 1, 2, 3, 4 };
  const struct xir_type *array = xir_type_array (f.context, fixture_type (&f, XIR_TYPE_FLOAT32, 1), 4);
  struct xir_value *table = xir_constant_get (f.module, array, numbers);
  struct xir_value *variable = xir_build_alloca (&f.builder, XIR_STORAGE_LOCAL, array, NULL);
  for (int i = 0; i < 2; i++)
    {
      struct xir_value *index = i == 0 ? fixture_int (&f, -1) : fixture_uint (&f, 4);
      fixture_sink (&f, xir_build_extract (&f.builder, table, &index, 1));
      fixture_sink (&f, xir_build_insert (&f.builder, table, fixture_float (&f, 0), &index, 1));
      fixture_sink (&f, xir_build_load (&f.builder, xir_build_gep (&f.builder, variable, &index, 1)));
    }
  xir_build_return (&f.builder, NULL);
  ck_assert_msg (spirv_plans_init (&plans, f.module, "test", &fixture_target, &error), "%s", error != NULL ? error->message : "");
  ck_assert (spirv_emit_module (&plans, &fixture_options, &words, &n_words, &error));
  ck_assert_msg (spirv_validate (words, n_words, &error), "%s", error != NULL ? error->message : "");
  g_free (words);
  spirv_plans_clear (&plans);
  fixture_clear (&f);
}
END_TEST

/* Expansions carry the decoration part by part: a dot is 1, lerp 4, cross 3, a sum of four lanes 3. */
START_TEST (test_contraction_counts)
{
  static const struct { enum xir_op op; uint32_t lanes, count; } cases[] = {
    { XIR_OP_ADD, 1, 1 }, { XIR_OP_DOT, 4, 1 }, { XIR_OP_LENGTH_SQUARED, 3, 1 }, { XIR_OP_LENGTH, 3, 1 }, { XIR_OP_LERP, 2, 4 },
    { XIR_OP_CROSS, 3, 3 }, { XIR_OP_REDUCE_SUM, 4, 3 }, { XIR_OP_REDUCE_PRODUCT, 3, 2 }, { XIR_OP_NORMALIZE, 3, 2 },
    { XIR_OP_REFLECT, 3, 4 }, { XIR_OP_FRACT, 1, 1 }, { XIR_OP_DIV, 2, 1 }, { XIR_OP_NEG, 1, 1 }, { XIR_OP_SMOOTHSTEP, 1, 7 },
    { XIR_OP_FACEFORWARD, 3, 2 }, { XIR_OP_MIN, 4, 0 }, { XIR_OP_FMA, 1, 0 }
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int fast = 0; fast < 2; fast++)
      {
        struct fixture f;
        struct spirv_result result;
        struct xir_value *operands[3];
        fixture_init (&f);
        f.kernel->fast_math = fast;
        uint32_t n = (uint32_t) xir_op_info (cases[i].op)->min_operands;
        for (uint32_t k = 0; k < n; k++)
          operands[k] = fixture_source (&f, fixture_type (&f, XIR_TYPE_FLOAT32, cases[i].lanes), k);
        fixture_sink (&f, xir_build_op (&f.builder, cases[i].op, NULL, operands, n));
        xir_build_return (&f.builder, NULL);
        fixture_compile (&f, &fixture_options, &result);
        ck_assert_msg (fixture_count_decoration (&result, SpvDecorationNoContraction) == (fast ? 0 : cases[i].count), "%s: %u",
                       xir_op_info (cases[i].op)->mnemonic, fixture_count_decoration (&result, SpvDecorationNoContraction));
        spirv_result_clear (&result);
        fixture_clear (&f);
      }
}
END_TEST

/* Without float controls the decoration alone keeps the optimiser from its algebra. */
START_TEST (test_ieee_without_float_controls)
{
  struct fixture f;
  struct spirv_target plain = fixture_target;
  plain.features = 3;
  fixture_init_text (&f,
                     "kernel(1) void test(const buffer<float> a, buffer<float> o)\n"
                     "{\n"
                     "  o[0] = 0.0 / a[0];\n"
                     "  o[1] = (a[0] / 1e30) / 1e30;\n"
                     "  o[2] = (a[0] * a[1]) / a[0];\n"
                     "  o[3] = a[3] * 0.0;\n"
                     "  o[4] = -(a[0] / 3.0);\n"
                     "  o[5] = -(a[0] * 3.0);\n"
                     "}\n");
  for (uint32_t level = 0; level <= 3; level++)
    for (int controls = 0; controls < 2; controls++)
      {
        struct spirv_options options = { .optimization_level = level, .xir_optimization = level >= 2 };
        struct spirv_result result;
        GError *error = NULL;
        ck_assert (spirv_compile (f.module, "test", controls ? &fixture_target : &plain, &options, &result, &error));
        ck_assert_uint_eq (fixture_count (&result, SpvOpFDiv), 5);
        ck_assert_uint_eq (fixture_count (&result, SpvOpFMul), 3);
        ck_assert_uint_eq (fixture_count (&result, SpvOpFNegate), 2);
        spirv_result_clear (&result);
      }
  fixture_clear (&f);
}
END_TEST

START_TEST (test_same_bytes)
{
  for (uint32_t shape = 0; shape < n_shapes; shape++)
    for (uint32_t level = 0; level <= 3; level += 3)
      {
        struct spirv_options options = { .optimization_level = level, .debug_names = true };
        struct spirv_result results[2];
        struct fixture fixtures[2];
        for (int i = 0; i < 2; i++)
          {
            fixture_init (&fixtures[i]);
            shape_build (&shapes[shape], &fixtures[i]);
            fixture_compile (&fixtures[i], &options, &results[i]);
          }
        ck_assert_uint_eq (results[0].n_words, results[1].n_words);
        ck_assert_mem_eq (results[0].words, results[1].words, results[0].n_words * 4);
        for (int i = 0; i < 2; i++)
          {
            spirv_result_clear (&results[i]);
            fixture_clear (&fixtures[i]);
          }
      }
}
END_TEST

/* The module that is compiled stays as it was; a second compile of it gives the same. */
START_TEST (test_module_is_not_changed)
{
  struct fixture f;
  struct spirv_result first, second;
  struct spirv_options options = { .xir_optimization = true, .bounds_checks = true };
  fixture_init (&f);
  struct xir_value *x = fixture_source (&f, fixture_type (&f, XIR_TYPE_FLOAT32, 1), 0);
  fixture_sink (&f, xir_build_binary (&f.builder, XIR_OP_MOD, x, x));
  xir_build_return (&f.builder, NULL);
  fixture_compile (&f, &options, &first);
  fixture_compile (&f, &options, &second);
  ck_assert_uint_eq (first.n_words, second.n_words);
  ck_assert_mem_eq (first.words, second.words, first.n_words * 4);
  spirv_result_clear (&first);
  spirv_result_clear (&second);
  fixture_clear (&f);
}
END_TEST

START_TEST (test_names)
{
  struct fixture f;
  struct spirv_result result;
  struct spirv_options options = { .debug_names = true };
  fixture_init (&f);
  f.builder.location = (struct xir_location) { 12, 3 };
  xir_build_alloca (&f.builder, XIR_STORAGE_LOCAL, fixture_type (&f, XIR_TYPE_INT32, 1), "counter");
  fixture_sink (&f, fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0));
  xir_build_return (&f.builder, NULL);
  fixture_compile (&f, &options, &result);
  char *text = spirv_disassemble (result.words, result.n_words, NULL);
  ck_assert_ptr_nonnull (strstr (text, "\"counter\""));
  ck_assert_ptr_nonnull (strstr (text, "\"test.gk\""));
  const uint32_t *line = fixture_find (&result, SpvOpLine, 2, 12);
  ck_assert (line != NULL && line[3] == 3);
  g_free (text);
  spirv_result_clear (&result);
  fixture_compile (&f, &fixture_options, &result);
  ck_assert_uint_eq (fixture_count (&result, SpvOpName) + fixture_count (&result, SpvOpLine) + fixture_count (&result, SpvOpString), 0);
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

START_TEST (test_reflection)
{
  struct fixture f;
  struct spirv_result result;
  GError *error = NULL;
  fixture_init (&f);
  struct xir_value *gain = fixture_argument (&f, XIR_ARGUMENT_VALUE, fixture_type (&f, XIR_TYPE_FLOAT32, 3), "gain");
  fixture_sink (&f, gain);
  xir_build_return (&f.builder, NULL);
  ck_assert (spirv_reflect (f.module, "test", &result, &error));
  ck_assert_ptr_null (result.words);
  ck_assert_uint_eq (result.n_bindings, 0);
  ck_assert_uint_eq (result.n_arguments, 2);
  ck_assert_str_eq (result.arguments[0].name, "gain");
  ck_assert_uint_eq (result.arguments[0].size, 16);
  ck_assert_uint_eq (result.arguments[1].usage, SPIRV_USAGE_WRITE);
  ck_assert_uint_eq (result.group_size[0], 64);
  spirv_result_clear (&result);
  ck_assert (!spirv_reflect (f.module, "nothing", &result, &error));
  ck_assert_str_eq (error->message, "there is no kernel “nothing”");
  g_clear_error (&error);
  fixture_clear (&f);
}
END_TEST

/* A feature that only dead code needs is not asked for in the end. */
START_TEST (test_features_of_final_words)
{
  struct fixture f;
  struct spirv_result result;
  fixture_init (&f);
  fixture_sink (&f, fixture_uint (&f, 1));
  xir_build_return (&f.builder, NULL);
  fixture_compile (&f, &fixture_options, &result);
  ck_assert_uint_eq (result.required_features, 12);
  ck_assert_uint_eq (spirv_features_of_module (result.words, result.n_words), 12);
  /* Truncated and undersized instructions end the walk. */
  uint32_t broken[] = { SpvMagicNumber, 0x10500, 0, 9, 0, 1 << 16 | SpvOpCapability, 55 };
  ck_assert_uint_eq (spirv_features_of_module (broken, G_N_ELEMENTS (broken)), 0);
  broken[5] = 9 << 16 | SpvOpCapability;
  ck_assert_uint_eq (spirv_features_of_module (broken, G_N_ELEMENTS (broken)), 0);
  broken[5] = 2 << 16 | SpvOpCapability;
  ck_assert_uint_eq (spirv_features_of_module (broken, G_N_ELEMENTS (broken)), 1);
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

/* The tools. */

START_TEST (test_tools_refuse)
{
  static const uint32_t garbage[] = { SpvMagicNumber, 0x00010500, 0, 100, 0, 0xffffffff, 7, 7, 7 };
  uint32_t *out = (uint32_t *) 1;
  gsize n_out = 77;
  char *note = (char *) 2;
  GError *error = NULL;
  ck_assert (!spirv_validate (garbage, G_N_ELEMENTS (garbage), &error));
  ck_assert (g_error_matches (error, SPIRV_ERROR, SPIRV_ERROR_INTERNAL));
  g_clear_error (&error);
  ck_assert (!spirv_validate (NULL, 0, &error));
  g_clear_error (&error);
  for (uint32_t level = 0; level <= 3; level++)
    {
      ck_assert (!spirv_optimize (garbage, G_N_ELEMENTS (garbage), level, NULL, &out, &n_out, &note, &error));
      ck_assert_ptr_nonnull (error);
      g_clear_error (&error);
      ck_assert (out == (uint32_t *) 1 && n_out == 77 && note == (char *) 2);
    }
  ck_assert_ptr_null (spirv_disassemble (garbage, G_N_ELEMENTS (garbage), &error));
  ck_assert_ptr_nonnull (error);
  g_clear_error (&error);
}
END_TEST

/* Above the size limit the optimiser is not even asked, and the compile keeps its words. */
START_TEST (test_optimizer_limits)
{
  gsize n = 1024 * 1024 + 1;
  uint32_t *words = g_new0 (uint32_t, n), *out = NULL;
  gsize n_out = 0;
  char *note = NULL;
  GError *error = NULL;
  ck_assert (!spirv_optimize (words, n, 1, NULL, &out, &n_out, &note, &error));
  ck_assert_ptr_null (note);
  ck_assert (g_error_matches (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE));
  ck_assert_ptr_nonnull (strstr (error->message, "1048577"));
  g_clear_error (&error);
  g_free (words);
}
END_TEST

/* Two calls of a function that is much larger than a call: inlining makes the module grow. */
static void
init_growing (struct fixture *f)
{
  GString *text = g_string_new ("float h(float x)\n{\n");
  for (int i = 0; i < 40; i++)
    g_string_append_printf (text, "  x = sin(x) * cos(x + %d.0);\n", i);
  g_string_append (text, "  return x;\n}\nkernel(1) void test(buffer<float> o)\n{\n  float unused = o[1] * 2.0;\n"
                   "  o[0] = h(o[0]) + h(o[1]) + h(o[2]) + h(o[3]);\n}\n");
  fixture_init_text (f, text->str);
  g_string_free (text, TRUE);
}

/* Stopped in time, it gives what it has done so far. */
START_TEST (test_optimizer_deadline)
{
  static const struct spirv_optimizer_limits no_time = { 0, 1000000 };
  struct fixture f;
  struct spirv_result plain;
  init_growing (&f);
  fixture_compile (&f, &fixture_options, &plain);
  for (uint32_t level = 1; level <= 3; level++)
    {
      uint32_t *words = NULL, *all = NULL;
      gsize n_words = 0, n_all = 0;
      char *note = NULL;
      GError *error = NULL;
      ck_assert (spirv_optimize (plain.words, plain.n_words, level, &no_time, &words, &n_words, &note, &error));
      ck_assert_msg (spirv_validate (words, n_words, &error), "%s", error != NULL ? error->message : "");
      ck_assert (n_words != plain.n_words || memcmp (words, plain.words, n_words * sizeof *words) != 0);
      /* Level 1 is one group: it is always whole. */
      ck_assert_msg (level == 1 ? note == NULL : note != NULL && strstr (note, "stopped") != NULL, "%s", note);
      g_free (note);
      ck_assert (spirv_optimize (plain.words, plain.n_words, level, NULL, &all, &n_all, &note, &error));
      ck_assert_ptr_null (note);
      ck_assert_int_eq (n_words != n_all || memcmp (words, all, n_all * sizeof *all) != 0, level != 1);
      g_free (all);
      g_free (words);
    }
  spirv_result_clear (&plain);
  fixture_clear (&f);
}
END_TEST

/* Level 3 begins by inlining all. Where that is too much, level 2 does its part. */
START_TEST (test_optimizer_growth)
{
  struct fixture f;
  struct spirv_result plain;
  uint32_t *words = NULL, *modest = NULL;
  gsize n_words = 0, n_modest = 0;
  char *note = NULL;
  GError *error = NULL;
  init_growing (&f);
  fixture_compile (&f, &fixture_options, &plain);
  struct spirv_optimizer_limits limits = { 60 * G_USEC_PER_SEC, plain.n_words };
  ck_assert (spirv_optimize (plain.words, plain.n_words, 2, &limits, &modest, &n_modest, &note, &error));
  ck_assert_ptr_null (note);
  ck_assert (spirv_optimize (plain.words, plain.n_words, 3, &limits, &words, &n_words, &note, &error));
  ck_assert_msg (note != NULL && strstr (note, "limit") != NULL && strstr (note, "level 2") != NULL, "%s", note);
  ck_assert_uint_eq (n_words, n_modest);
  ck_assert_mem_eq (words, modest, n_words * sizeof *words);
  g_free (note);
  g_free (words);
  g_free (modest);
  /* Where nothing at all fits, the error says so and nothing is given. */
  limits.words = 1;
  words = NULL;
  ck_assert (!spirv_optimize (plain.words, plain.n_words, 3, &limits, &words, &n_words, &note, &error));
  ck_assert_ptr_null (words);
  ck_assert_ptr_nonnull (strstr (error->message, "the limit is 1"));
  g_clear_error (&error);
  spirv_result_clear (&plain);
  fixture_clear (&f);
}
END_TEST

/* The dead-branch pass of SPIRV-Tools makes an invalid module of these shapes: it alone is left out, and that is said. */
START_TEST (test_optimizer_does_without_a_pass)
{
  uint32_t n_notes = 0;
  for (uint32_t i = 0; i < n_shapes; i++)
    for (uint32_t level = 1; level <= 3 && shapes[i].optimizer_gives_up; level++)
      {
        struct spirv_result plain, optimized;
        struct spirv_options options = { .optimization_level = level };
        struct fixture f;
        GError *error = NULL;
        fixture_init (&f);
        shape_build (&shapes[i], &f);
        fixture_compile (&f, &fixture_options, &plain);
        fixture_compile (&f, &options, &optimized);
        ck_assert_ptr_null (plain.optimizer_note);
        ck_assert_msg (spirv_validate (optimized.words, optimized.n_words, &error), "%s", error != NULL ? error->message : "");
        ck_assert (plain.n_words != optimized.n_words || memcmp (plain.words, optimized.words, plain.n_words * 4) != 0);
        if (optimized.optimizer_note != NULL)
          {
            ck_assert_ptr_nonnull (strstr (optimized.optimizer_note, "--"));
            n_notes++;
          }
        spirv_result_clear (&plain);
        spirv_result_clear (&optimized);
        fixture_clear (&f);
      }
  ck_assert_uint_gt (n_notes, 0);
}
END_TEST

/* Hints to unroll: kept where the copies are known to be few. */
START_TEST (test_unroll_hint)
{
  enum { NONE = SpvLoopControlMaskNone, UNROLL = SpvLoopControlUnrollMask, PARTIAL = SpvLoopControlPartialCountMask };
  static const struct { const char *loop; uint32_t control; } rows[] = {
    { "[[unroll]] for (int i = 0; i < 3; ++i) o[i] = 1;", UNROLL },
    { "[[unroll]] for (int i = 0; i <= 8; i += 2) o[i] = 1;", UNROLL },
    { "[[unroll]] for (uint i = 7u; i > 0u; i--) o[i] = 1;", UNROLL },
    { "[[unroll]] for (int i = 7; 0 <= i; i = i - 1) o[i] = 1;", UNROLL },
    { "[[unroll]] for (int i = 0; i != 4; i = 1 + i) o[i] = 1;", UNROLL },
    { "[[unroll]] for (int i = 0; i < 1000000; ++i) o[i] = 1;", NONE },
    { "[[unroll]] for (int i = 0; i < 0x7fffffff; i += 0x40000000) o[i] = 1;", NONE },
    { "[[unroll]] for (uint i = 7u; i >= 0u; i--) o[i] = 1;", NONE },
    { "[[unroll]] for (int i = 0; i < 3; --i) o[i] = 1;", NONE },
    { "[[unroll]] for (int i = 0; i != 5; i += 2) o[i] = 1;", NONE },
    { "[[unroll]] for (int i = o[0]; i < 3; ++i) o[i] = 1;", NONE },
    { "[[unroll]] for (int i = 0; i < o[0]; ++i) o[i] = 1;", NONE },
    { "[[unroll]] for (int i = 0; i < 3; ++i) { o[i] = 1; i = o[1]; }", NONE },
    { "[[unroll]] while (o[0] < 3) o[0] = o[0] + 1;", NONE },
    { "[[unroll(4)]] while (o[0] < 3) o[0] = o[0] + 1;", PARTIAL },
    { "[[unroll(1)]] while (o[0] < 3) o[0] = o[0] + 1;", SpvLoopControlDontUnrollMask },
    { "[[unroll(1024)]] while (o[0] < 3) o[0] = o[0] * 3 + o[0] * o[1] + o[1] * o[2] + o[3];", NONE },
    /* The outer loop comes first. */
    { "[[unroll]] for (int i = 0; i < 3; ++i) [[unroll]] for (int j = 0; j < 3; ++j) o[i + j] = 1;", UNROLL },
    { "[[unroll]] for (int i = 0; i < 60; ++i) [[unroll]] for (int j = 0; j < 60; ++j) o[i + j] = 1;", NONE },
    { "[[unroll]] for (int i = 0; i < 3; ++i) for (int j = 0; j < 1000000; ++j) o[i + j] = 1;", UNROLL },
    { "[[unroll]] for (int i = 0; i < 90; ++i) o[i] = h(i);", NONE },
  };
  GString *helper = g_string_new ("int h(int x)\n{\n  int y = x;\n");
  for (int i = 0; i < 100; i++)
    g_string_append_printf (helper, "  y = y * x + %d;\n", i);
  g_string_append (helper, "  return y;\n}\n");
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char *text = g_strconcat (helper->str, "kernel(1) void test(buffer<int> o)\n{\n", rows[i].loop, "\n}\n", NULL);
      struct spirv_result result;
      struct fixture f;
      fixture_init_text (&f, text);
      fixture_compile (&f, &fixture_options, &result);
      const uint32_t *merge = fixture_find (&result, SpvOpLoopMerge, 0, 0);
      ck_assert_ptr_nonnull (merge);
      ck_assert_msg (merge[3] == rows[i].control, "%s: control %u", rows[i].loop, merge[3]);
      spirv_result_clear (&result);
      fixture_clear (&f);
      g_free (text);
    }
  g_string_free (helper, TRUE);
}
END_TEST

/* 41 functions that each call the next one twice: a small source, and 2^40 calls when all are inlined. */
START_TEST (test_inlining_limit)
{
  struct spirv_options options = { .optimization_level = 3, .xir_optimization = true };
  struct spirv_result result;
  for (int n = 3; n <= 41; n += 38)
    {
      struct fixture f;
      GString *text = g_string_new ("float f0(float x)\n{\n  return x * 0.5;\n}\n");
      for (int i = 1; i < n; i++)
        g_string_append_printf (text, "float f%d(float x)\n{\n  return f%d(x) + f%d(x + 1.0);\n}\n", i, i - 1, i - 1);
      g_string_append_printf (text, "kernel(1) void test(buffer<float> o)\n{\n  o[0] = f%d(o[0]);\n}\n", n - 1);
      fixture_init_text (&f, text->str);
      g_string_free (text, TRUE);
      fixture_compile (&f, &options, &result);
      const char *note = result.optimizer_note;
      ck_assert_msg (n == 3 ? note == NULL
                     : note != NULL && strstr (note, "262144") != NULL && strstr (note, "level 2") != NULL, "%s", note);
      ck_assert_uint_eq (fixture_count (&result, SpvOpFunction), n == 3 ? 1 : 42);
      spirv_result_clear (&result);
      fixture_clear (&f);
    }
}
END_TEST

/* The validator quotes the whole instruction, whatever its length. */
START_TEST (test_long_validator_message)
{
  struct fixture f;
  GError *error = NULL;
  struct spirv_result result;
  fixture_init (&f);
  struct xir_value *selector = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0);
  struct xir_block *merge = xir_block_new (f.kernel), *target = xir_block_new (f.kernel);
  struct xir_instruction *choice = xir_build_switch (&f.builder, selector, merge);
  for (uint64_t i = 0; i < 30000; i++)
    xir_switch_add_case (choice, i, target);
  xir_builder_at_end (&f.builder, target);
  xir_build_break (&f.builder, merge);
  xir_builder_at_end (&f.builder, merge);
  xir_build_return (&f.builder, NULL);
  ck_assert (!spirv_compile (f.module, "test", &fixture_target, &fixture_options, &result, &error));
  ck_assert_uint_le (strlen (error->message), 300);
  ck_assert (g_utf8_validate (error->message, -1, NULL) && g_str_has_suffix (error->message, "…"));
  g_error_free (error);
  fixture_clear (&f);
}
END_TEST

/* The gate, by name. */

/* An op on a type that no device has for it. */
static void
refuse_op (enum xir_op op, enum xir_type_kind kind, const char *needle)
{
  struct fixture f;
  fixture_init (&f);
  struct xir_value *x = fixture_source (&f, fixture_type (&f, kind, 1), 0);
  fixture_sink (&f, xir_build_unary (&f.builder, op, x));
  xir_build_return (&f.builder, NULL);
  fixture_refused (&f, SPIRV_ERROR_UNSUPPORTED, needle);
  fixture_clear (&f);
}

/* What a kernel needs is asked for by name, whatever else the target has. */
START_TEST (test_widths_need_features)
{
  static const struct { const char *body; enum spirv_feature feature; } rows[] = {
    { "buffer<long> b) { b[0] = b[1] + 1; }", SPIRV_FEATURE_INT64 },
    { "buffer<int> b) { b[0] = int(double(b[1]) * 1.5); }", SPIRV_FEATURE_FLOAT64 },
    { "buffer<float> b) { half h = half(b[0]); b[0] = float(h * h); }", SPIRV_FEATURE_FLOAT16 },
    { "buffer<int> b) { short s = short(b[0]); b[0] = int(s * s); }", SPIRV_FEATURE_INT16 },
    { "buffer<int> b) { uchar c = uchar(b[0]); b[0] = int(c + c); }", SPIRV_FEATURE_INT8 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      struct fixture f;
      struct spirv_result result;
      struct spirv_target target = fixture_target;
      char *text = g_strdup_printf ("kernel(1) void test(%s\n", rows[i].body);
      fixture_init_text (&f, text);
      fixture_compile (&f, &fixture_options, &result);
      ck_assert_msg ((result.required_features >> rows[i].feature & 1) != 0, "%s", rows[i].body);
      spirv_result_clear (&result);
      target.features &= ~(UINT64_C (1) << rows[i].feature);
      fixture_refused_by (&f, &target, SPIRV_ERROR_TARGET, spirv_feature_name (rows[i].feature));
      fixture_clear (&f);
      g_free (text);
    }
}
END_TEST

/* Values that are only loaded, converted and stored need no arithmetic of their width. */
START_TEST (test_narrow_storage_needs_no_arithmetic)
{
  static const char *const types[] = { "char", "uchar", "short", "ushort", "half", "bfloat", "fp8e4m3", "fp8e5m2" };
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    for (int with_rounding = 0; with_rounding < 2; with_rounding++)
      {
        struct fixture f;
        struct spirv_result result;
        struct spirv_target target = fixture_target;
        GError *error = NULL;
        char *text = g_strdup_printf ("kernel(1) void test(buffer<%s> b) { b[0] = %s(float(b[1]) * 2); }\n", types[i], types[i]);
        target.features &= ~(UINT64_C (1) << SPIRV_FEATURE_INT8 | UINT64_C (1) << SPIRV_FEATURE_INT16
                             | UINT64_C (1) << SPIRV_FEATURE_FLOAT16);
        if (!with_rounding)
          target.features &= ~(UINT64_C (1) << SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT16);
        fixture_init_text (&f, text);
        if (i == 4 && !with_rounding)
          /* Rounding by hand makes halves of words. */
          fixture_refused_by (&f, &target, SPIRV_ERROR_TARGET, "shaderFloat16");
        else
          {
            ck_assert_msg (spirv_compile (f.module, "test", &target, &fixture_options, &result, &error), "%s: %s", types[i],
                           error != NULL ? error->message : "");
            ck_assert_uint_eq (result.required_features >> SPIRV_FEATURE_STORAGE_BUFFER_8 & 3,
                               strstr (types[i], "char") != NULL || strstr (types[i], "fp8") != NULL ? 1 : 2);
            spirv_result_clear (&result);
          }
        fixture_clear (&f);
        g_free (text);
      }
}
END_TEST

static guint
count_code (const struct spirv_result *result, SpvOp wanted, guint operand, uint32_t mask)
{
  guint n = 0;
  for (gsize at = 5; at < result->n_words; at += result->words[at] >> SpvWordCountShift)
    n += (result->words[at] & SpvOpCodeMask) == wanted
         && (mask == 0 || (result->words[at] >> SpvWordCountShift > operand && (result->words[at + operand] & mask) != 0));
  return n;
}

/* Volatile accesses are done as often as they are written, and loops that only wait stay, whatever is optimised. */
START_TEST (test_volatile)
{
  static const char text[] =
    "struct S { float a; double b; };\n"
    "kernel(1) void test(const volatile buffer<uint> in, const volatile buffer<S> s, volatile buffer<uint> out,\n"
    "                    volatile byte_buffer bytes, volatile buffer<float4> plain)\n"
    "{\n"
    "    in[0];\n"
    "    out[0] = in[1] + in[1];\n"
    "    out[0] = in[1];\n"
    "    while (s[0].a < 1) { }\n"
    "    while (s[1].b < 1) { }\n"
    "    bytes.store(0, bytes.load<ushort>(2));\n"
    "    plain[0] = float4(1); plain[0] = float4(2);\n"
    "}\n";
  for (uint32_t level = 0; level <= 3; level++)
    {
      struct fixture f;
      struct spirv_result result;
      struct spirv_options options = { .optimization_level = level, .xir_optimization = true };
      fixture_init_text (&f, text);
      fixture_compile (&f, &options, &result);
      ck_assert_uint_eq (count_code (&result, SpvOpAtomicLoad, 0, 0), 4 + 1 + 2 + 1);
      ck_assert_uint_eq (count_code (&result, SpvOpAtomicStore, 0, 0), 2);
      ck_assert_uint_eq (count_code (&result, SpvOpStore, 3, SpvMemoryAccessVolatileMask), 2);
      ck_assert_uint_eq (count_code (&result, SpvOpAtomicCompareExchange, 0, 0), 1);
      ck_assert_uint_eq (count_code (&result, SpvOpLoopMerge, 0, 0), 3);
      spirv_result_clear (&result);
      fixture_clear (&f);
    }
}
END_TEST

START_TEST (test_gate_types)
{
  refuse_op (XIR_OP_SIN, XIR_TYPE_FLOAT64, "sin: operands of type double are not supported");
  refuse_op (XIR_OP_LOG10, XIR_TYPE_FLOAT64, "log10: operands of type double are not supported");
}
END_TEST

/* Past the verifier, straight to the plans: what only the gate knows. */
static void
gate_refuses (struct fixture *f, const char *needle)
{
  struct spirv_plans plans;
  GError *error = NULL;
  if (!xir_builder_terminated (&f->builder))
    xir_build_return (&f->builder, NULL);
  ck_assert (!spirv_plans_init (&plans, f->module, "test", &fixture_target, &error));
  ck_assert_msg (strstr (error->message, needle) != NULL, "“%s” does not say “%s”", error->message, needle);
  ck_assert_int_eq (error->code, SPIRV_ERROR_UNSUPPORTED);
  g_error_free (error);
  fixture_clear (f);
}

START_TEST (test_gate_ops)
{
  struct fixture f;
  fixture_init (&f);
  struct xir_value *x = fixture_source (&f, fixture_type (&f, XIR_TYPE_FLOAT32, 1), 0);
  f.builder.location.line = 33;
  xir_build_binary (&f.builder, XIR_OP_MOD, x, x);
  gate_refuses (&f, "line 33, function “test”, mod: the exact remainder of float has not been lowered");

  fixture_init (&f);
  x = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0);
  xir_build_unary (&f.builder, XIR_OP_SQRT, x);
  gate_refuses (&f, "sqrt: operands of type int are not supported");

  fixture_init (&f);
  xir_build_unary (&f.builder, XIR_OP_CLZ, fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 1), 0));
  gate_refuses (&f, "clz: operands of type int are not supported");

  fixture_init (&f);
  struct xir_value *a = fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 2), 0);
  xir_build_binary (&f.builder, XIR_OP_ADD, a, fixture_int (&f, 1));
  gate_refuses (&f, "add: int does not go with vector<int,2>");

  fixture_init (&f);
  xir_build_binary (&f.builder, XIR_OP_CROSS, fixture_source (&f, fixture_type (&f, XIR_TYPE_FLOAT32, 2), 0),
                    fixture_source (&f, fixture_type (&f, XIR_TYPE_FLOAT32, 2), 1));
  gate_refuses (&f, "cross: operands of type vector<float,2>");

  fixture_init (&f);
  xir_build_cast (&f.builder, fixture_type (&f, XIR_TYPE_FLOAT32, 2), fixture_source (&f, fixture_type (&f, XIR_TYPE_INT32, 3), 0));
  gate_refuses (&f, "cast: from vector<int,3> to vector<float,2>");

  fixture_init (&f);
  struct xir_value *variable = xir_build_alloca (&f.builder, XIR_STORAGE_LOCAL, fixture_type (&f, XIR_TYPE_INT32, 1), NULL);
  xir_build_store (&f.builder, variable, fixture_float (&f, 1));
  gate_refuses (&f, "store: a store of float to int");

  fixture_init (&f);
  struct xir_function *helper = xir_function_new (f.module, XIR_FUNCTION_CALLABLE, "helper", NULL);
  xir_function_add_argument (helper, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, fixture_type (&f, XIR_TYPE_INT32, 1)), "b");
  struct xir_builder b;
  xir_builder_init (&b, helper);
  xir_builder_at_end (&b, xir_block_new (helper));
  xir_build_return (&b, NULL);
  struct xir_value *buffer = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, helper->arguments[0]->value.type, "b");
  xir_build_call (&f.builder, helper, &buffer, 1);
  gate_refuses (&f, "function “helper”: argument “b” is a resource that has not been specialised");

  fixture_init (&f);
  fixture_argument (&f, XIR_ARGUMENT_REFERENCE, fixture_type (&f, XIR_TYPE_INT32, 1), "r");
  gate_refuses (&f, "argument “r” of a kernel is a reference");
}
END_TEST

/* Fail closed: what has no row in the table is refused, and every op of today has one. */
START_TEST (test_gate_knows_every_op)
{
  for (int op = 0; op < XIR_N_OPS; op++)
    {
      const struct spirv_op_rule *rule = spirv_op_rule ((enum xir_op) op);
      ck_assert_msg (rule->status != SPIRV_OP_UNSUPPORTED, "%s has no row", xir_op_info ((enum xir_op) op)->mnemonic);
      ck_assert_int_eq (rule->emit != NULL, rule->status == SPIRV_OP_SUPPORTED);
    }
  ck_assert_int_eq (spirv_op_rule (XIR_N_OPS)->status, SPIRV_OP_UNSUPPORTED);
}
END_TEST

START_TEST (test_gate_references)
{
  for (int fault = 0; fault < 2; fault++)
    {
      struct fixture f;
      struct xir_builder b;
      fixture_init (&f);
      const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1);
      struct xir_function *helper = xir_function_new (f.module, XIR_FUNCTION_CALLABLE, "helper", NULL);
      xir_function_add_argument (helper, XIR_ARGUMENT_REFERENCE, scalar, "r");
      xir_builder_init (&b, helper);
      xir_builder_at_end (&b, xir_block_new (helper));
      xir_build_return (&b, NULL);
      struct xir_value *place, *zero = fixture_int (&f, 0);
      if (fault == 0)
        place = xir_build_alloca (&f.builder, XIR_STORAGE_SHARED, scalar, NULL);
      else
        place = xir_build_gep (&f.builder, xir_build_alloca (&f.builder, XIR_STORAGE_LOCAL, xir_type_array (f.context, scalar, 2), NULL), &zero, 1);
      xir_build_call (&f.builder, helper, &place, 1);
      gate_refuses (&f, fault == 0 ? "is shared, a reference needs a local variable" : "is a part of a variable");
    }
}
END_TEST

START_TEST (test_gate_resources)
{
  struct fixture f;
  fixture_init (&f);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1);
  struct xir_value *buffer = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, scalar), "b");
  struct xir_value *zero = fixture_uint (&f, 0);
  xir_value_argument (buffer)->is_const = true;
  xir_build_buffer_write (&f.builder, buffer, fixture_float (&f, 0), &zero, 1);
  gate_refuses (&f, "buffer_write: “b” is declared const");

  fixture_init (&f);
  struct xir_value *image = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_texture (f.context, 2, fixture_type (&f, XIR_TYPE_FLOAT32, 1)), "i");
  xir_build_texture_read (&f.builder, image, xir_constant_zero (f.module, fixture_type (&f, XIR_TYPE_INT32, 3)));
  gate_refuses (&f, "texture_read: the place is no vector of 2 integers");

  fixture_init (&f);
  image = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_texture (f.context, 2, fixture_type (&f, XIR_TYPE_FLOAT32, 1)), "i");
  xir_build_texture_write (&f.builder, image, xir_constant_zero (f.module, fixture_type (&f, XIR_TYPE_INT32, 2)), fixture_float (&f, 1));
  gate_refuses (&f, "texture_write: a texel has four components of float");
}
END_TEST

/* The block of a buffer has the types of all members, be they read or not. */
START_TEST (test_wide_member_that_is_not_read)
{
  struct fixture f;
  struct spirv_target target = fixture_target;

  target.features &= ~(UINT64_C (1) << SPIRV_FEATURE_INT64);
  fixture_init_text (&f, "struct S { ulong a; int b; };\n"
                         "kernel(1) void test(const buffer<S> in, buffer<int> out) { out[0] = in[0].b; }");
  fixture_compile_all (&f);
  fixture_refused_by (&f, &target, SPIRV_ERROR_TARGET, "shaderInt64");
  fixture_clear (&f);
  fixture_init_text (&f, "kernel(1) void test(ulong unread, buffer<int> out) { out[0] = 1; }");
  fixture_compile_all (&f);
  fixture_refused_by (&f, &target, SPIRV_ERROR_TARGET, "shaderInt64");
  fixture_clear (&f);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv compile");
  TCase *test_case = gb_test_case (suite, "compile");
  tcase_add_test (test_case, test_argument_block_decorations);
  tcase_add_test (test_case, test_constant_table);
  tcase_add_test (test_case, test_guards);
  tcase_add_test (test_case, test_shift_guards);
  tcase_add_test (test_case, test_conversion_bounds);
  tcase_add_test (test_case, test_constant_index_out_of_range);
  tcase_add_test (test_case, test_contraction_counts);
  tcase_add_test (test_case, test_ieee_without_float_controls);
  tcase_add_test (test_case, test_same_bytes);
  tcase_add_test (test_case, test_module_is_not_changed);
  tcase_add_test (test_case, test_names);
  tcase_add_test (test_case, test_reflection);
  tcase_add_test (test_case, test_features_of_final_words);
  test_case = gb_test_case (suite, "tools");
  tcase_add_test (test_case, test_tools_refuse);
  tcase_add_test (test_case, test_optimizer_limits);
  tcase_add_test (test_case, test_optimizer_deadline);
  tcase_add_test (test_case, test_optimizer_growth);
  tcase_add_test (test_case, test_unroll_hint);
  tcase_add_test (test_case, test_inlining_limit);
  tcase_add_test (test_case, test_long_validator_message);
  tcase_add_test (test_case, test_optimizer_does_without_a_pass);
  test_case = gb_test_case (suite, "gate");
  tcase_add_test (test_case, test_gate_types);
  tcase_add_test (test_case, test_widths_need_features);
  tcase_add_test (test_case, test_wide_member_that_is_not_read);
  tcase_add_test (test_case, test_narrow_storage_needs_no_arithmetic);
  tcase_add_test (test_case, test_volatile);
  tcase_add_test (test_case, test_gate_ops);
  tcase_add_test (test_case, test_gate_knows_every_op);
  tcase_add_test (test_case, test_gate_references);
  tcase_add_test (test_case, test_gate_resources);
  return suite;
}

GB_TEST_MAIN (make_suite)
