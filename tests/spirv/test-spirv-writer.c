/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "codegen/spirv/types.h"
#include "tests/spirv/fixture.h"

START_TEST (test_header_and_sections)
{
  struct spirv_writer w;
  gsize n;
  spirv_writer_init (&w);
  uint32_t type = spirv_intern (&w, SpvOpTypeVoid, 0, NULL, 0, NULL);
  spirv_name (&w, type, "abcd");
  spirv_capability (&w, SpvCapabilityShader);
  uint32_t *words = spirv_writer_finish (&w, &n);
  const uint32_t expected[] = {
    SpvMagicNumber, 0x00010500, 0, 2, 0,
    2 << 16 | SpvOpCapability, SpvCapabilityShader,
    3 << 16 | SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450,
    4 << 16 | SpvOpName, 1, 0x64636261, 0,
    2 << 16 | SpvOpTypeVoid, 1
  };
  ck_assert_uint_eq (n, G_N_ELEMENTS (expected));
  ck_assert_mem_eq (words, expected, sizeof expected);
  g_free (words);
  spirv_writer_clear (&w);
}
END_TEST

START_TEST (test_text)
{
  static const struct { const char *text; uint32_t words; } cases[] = { { "", 1 }, { "abc", 1 }, { "abcd", 2 }, { "abcdefg", 2 }, { "abcdefgh", 3 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      struct spirv_writer w;
      spirv_writer_init (&w);
      ck_assert_uint_eq (spirv_text_words (cases[i].text), cases[i].words);
      spirv_begin (&w, SPIRV_SECTION_DEBUG_STRINGS, SpvOpString);
      spirv_word (&w, SPIRV_SECTION_DEBUG_STRINGS, 1);
      spirv_text (&w, SPIRV_SECTION_DEBUG_STRINGS, cases[i].text);
      spirv_end (&w, SPIRV_SECTION_DEBUG_STRINGS);
      const struct spirv_stream *stream = &w.sections[SPIRV_SECTION_DEBUG_STRINGS];
      ck_assert_uint_eq (stream->words[0], (cases[i].words + 2) << 16 | SpvOpString);
      ck_assert_str_eq ((const char *) (stream->words + 2), cases[i].text);
      ck_assert_uint_eq (stream->words[stream->n - 1] >> 24, 0);
      spirv_writer_clear (&w);
    }
}
END_TEST

START_TEST (test_interning)
{
  struct spirv_writer w;
  bool is_new;
  spirv_writer_init (&w);
  const uint32_t as_int[] = { 32, 1 }, as_uint[] = { 32, 0 };
  uint32_t a = spirv_intern (&w, SpvOpTypeInt, 0, as_int, 2, &is_new);
  ck_assert (is_new);
  uint32_t b = spirv_intern (&w, SpvOpTypeInt, 0, as_uint, 2, &is_new);
  ck_assert (is_new && a != b);
  ck_assert_uint_eq (spirv_intern (&w, SpvOpTypeInt, 0, as_int, 2, &is_new), a);
  ck_assert (!is_new);
  /* Many, so that the table grows; equal words under another type are another constant. */
  uint32_t ids[2000];
  for (uint32_t i = 0; i < 2000; i++)
    ids[i] = spirv_intern (&w, SpvOpConstant, i % 2 == 0 ? a : b, &(uint32_t) { i / 2 }, 1, NULL);
  for (uint32_t i = 0; i < 2000; i++)
    {
      ck_assert_uint_eq (spirv_intern (&w, SpvOpConstant, i % 2 == 0 ? a : b, &(uint32_t) { i / 2 }, 1, NULL), ids[i]);
      ck_assert (i == 0 || ids[i] != ids[i - 1]);
    }
  spirv_writer_clear (&w);
}
END_TEST

START_TEST (test_capabilities_are_sorted)
{
  struct spirv_writer w;
  gsize n;
  spirv_writer_init (&w);
  spirv_capability (&w, SpvCapabilityRoundingModeRTE);
  spirv_capability (&w, SpvCapabilityShader);
  spirv_capability (&w, SpvCapabilityImageQuery);
  spirv_capability (&w, SpvCapabilityShader);
  spirv_extension (&w, "SPV_b");
  spirv_extension (&w, "SPV_a");
  spirv_extension (&w, "SPV_b");
  uint32_t *words = spirv_writer_finish (&w, &n);
  ck_assert_uint_eq (words[6], SpvCapabilityShader);
  ck_assert_uint_eq (words[8], SpvCapabilityImageQuery);
  ck_assert_uint_eq (words[10], SpvCapabilityRoundingModeRTE);
  ck_assert_uint_eq (words[11], 3 << 16 | SpvOpExtension);
  ck_assert_str_eq ((const char *) (words + 12), "SPV_a");
  ck_assert_str_eq ((const char *) (words + 15), "SPV_b");
  ck_assert_uint_eq (words[17] & SpvOpCodeMask, SpvOpMemoryModel);
  g_free (words);
  spirv_writer_clear (&w);
}
END_TEST

/* The largest instruction is written, one word more is an error that stays. */
START_TEST (test_word_count)
{
  uint32_t *operands = g_new0 (uint32_t, SPIRV_MAX_INSTRUCTION_WORDS);
  for (int over = 0; over < 2; over++)
    {
      struct spirv_writer w;
      gsize n = 0;
      spirv_writer_init (&w);
      spirv_write (&w, SPIRV_SECTION_GLOBALS, SpvOpTypeStruct, operands, SPIRV_MAX_INSTRUCTION_WORDS - 1 + over);
      ck_assert_int_eq (w.error != NULL, over);
      spirv_writer_fail (&w, "a later error");
      uint32_t *words = spirv_writer_finish (&w, &n);
      ck_assert_ptr_null (words);
      ck_assert_ptr_nonnull (strstr (w.error, over ? "at most 65535" : "a later error"));
      spirv_writer_clear (&w);
    }
  struct spirv_writer w;
  gsize n = 0;
  spirv_writer_init (&w);
  spirv_write (&w, SPIRV_SECTION_GLOBALS, SpvOpTypeStruct, operands, SPIRV_MAX_INSTRUCTION_WORDS - 1);
  uint32_t *words = spirv_writer_finish (&w, &n);
  ck_assert_ptr_nonnull (words);
  ck_assert_uint_eq (words[8], UINT32_C (65535) << 16 | SpvOpTypeStruct);
  g_free (words);
  spirv_writer_clear (&w);
  g_free (operands);
}
END_TEST

START_TEST (test_function_streams)
{
  struct spirv_writer w;
  gsize n;
  spirv_writer_init (&w);
  spirv_function_begin (&w, 7, 8, 9, SpvFunctionControlMaskNone);
  spirv_op_return (&w);
  spirv_op_variable (&w, 5);
  spirv_function_end (&w, 3);
  uint32_t *words = spirv_writer_finish (&w, &n);
  static const uint16_t order[] = { SpvOpMemoryModel, SpvOpFunction, SpvOpLabel, SpvOpVariable, SpvOpReturn, SpvOpFunctionEnd };
  gsize at = 5;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++, at += words[at] >> 16)
    ck_assert_uint_eq (words[at] & SpvOpCodeMask, order[i]);
  ck_assert_uint_eq (at, n);
  g_free (words);
  spirv_writer_clear (&w);
}
END_TEST

/* Integers that depend on their operands alone are written once in a block, and once at all in the first blocks. */
START_TEST (test_repeated_values)
{
  const uint32_t type = 100, a = 101, b = 102;
  struct spirv_writer w;
  spirv_writer_init (&w);
  w.next_id = 200;
  spirv_function_begin (&w, 7, 8, 9, SpvFunctionControlMaskNone);
  uint32_t first = spirv_op_i_add (&w, type, a, b);
  gsize n = w.sections[SPIRV_SECTION_BODY].n;
  ck_assert_uint_eq (spirv_op_i_add (&w, type, a, b), first);
  ck_assert_uint_eq (w.sections[SPIRV_SECTION_BODY].n, n);
  ck_assert_uint_eq (w.next_id, first + 1);
  ck_assert_uint_ne (spirv_op_i_add (&w, type, b, a), first);
  ck_assert_uint_ne (spirv_op_i_add (&w, type + 1, a, b), first);
  ck_assert_uint_ne (spirv_op_i_sub (&w, type, a, b), first);
  uint32_t chain = spirv_op_access_chain (&w, type, a, &b, 1);
  ck_assert_uint_eq (spirv_op_access_chain (&w, type, a, &b, 1), chain);
  /* What is read may have been written between, and sums of floats have decorations. */
  ck_assert_uint_ne (spirv_op_load (&w, type, chain), spirv_op_load (&w, type, chain));
  ck_assert_uint_ne (spirv_op_f_add (&w, type, a, b), spirv_op_f_add (&w, type, a, b));
  spirv_op_label_first (&w, 110);
  uint32_t below = spirv_op_i_mul (&w, type, a, b);
  spirv_op_label (&w, 111);
  uint32_t inner = spirv_op_not (&w, type, a);
  ck_assert_uint_eq (spirv_op_i_add (&w, type, a, b), first);
  ck_assert_uint_eq (spirv_op_i_mul (&w, type, a, b), below);
  ck_assert_uint_eq (spirv_op_not (&w, type, a), inner);
  spirv_op_label (&w, 112);
  ck_assert_uint_ne (spirv_op_not (&w, type, a), inner);
  ck_assert_uint_eq (spirv_op_i_add (&w, type, a, b), first);
  /* More than the table holds: nothing is mistaken for another. */
  for (uint32_t i = 0; i < 3 * SPIRV_KNOWN_SLOTS; i++)
    ck_assert_uint_eq (spirv_op_i_sub (&w, type, a, 1000 + i), w.next_id - 1);
  ck_assert_uint_eq (spirv_op_i_mul (&w, type, a, b), below);
  spirv_function_end (&w, 3);
  /* Another function has values of its own. */
  spirv_function_begin (&w, 7, 8, 9, SpvFunctionControlMaskNone);
  ck_assert_uint_ne (spirv_op_i_add (&w, type, a, b), first);
  spirv_writer_clear (&w);
}
END_TEST

/* Constants keep their bits; laid-out types are apart from logical ones. */
START_TEST (test_types)
{
  struct spirv_writer w;
  struct spirv_types types;
  struct fixture f;
  fixture_init (&f);
  spirv_writer_init (&w);
  spirv_types_init (&types, &w);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1);
  const struct xir_type *array = xir_type_array (f.context, fixture_type (&f, XIR_TYPE_FLOAT32, 3), 5);
  ck_assert_uint_eq (spirv_type (&types, scalar), spirv_type_laid_out (&types, scalar));
  ck_assert_uint_ne (spirv_type (&types, array), spirv_type_laid_out (&types, array));
  ck_assert_uint_eq (spirv_type (&types, array), spirv_type (&types, array));
  const struct spirv_stream *annotations = &w.sections[SPIRV_SECTION_ANNOTATIONS];
  ck_assert_uint_eq (annotations->n, 4);
  ck_assert_uint_eq (annotations->words[2], SpvDecorationArrayStride);
  ck_assert_uint_eq (annotations->words[3], 16);
  static const uint32_t bits[] = { 0x80000000, 0x7fc12345, 0xff800001, 0 };
  for (guint i = 0; i < G_N_ELEMENTS (bits); i++)
    {
      struct xir_value *value = xir_constant_get (f.module, scalar, &bits[i]);
      spirv_constant (&types, xir_value_constant (value));
      const struct spirv_stream *globals = &w.sections[SPIRV_SECTION_GLOBALS];
      ck_assert_uint_eq (globals->words[globals->n - 1], bits[i]);
    }
  spirv_types_clear (&types);
  spirv_writer_clear (&w);
  fixture_clear (&f);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv writer");
  TCase *test_case = gb_test_case (suite, "writer");
  tcase_add_test (test_case, test_header_and_sections);
  tcase_add_test (test_case, test_text);
  tcase_add_test (test_case, test_interning);
  tcase_add_test (test_case, test_capabilities_are_sorted);
  tcase_add_test (test_case, test_word_count);
  tcase_add_test (test_case, test_function_streams);
  tcase_add_test (test_case, test_repeated_values);
  tcase_add_test (test_case, test_types);
  return suite;
}

GB_TEST_MAIN (make_suite)
