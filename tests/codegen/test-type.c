/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/type/type.h"

#include <string.h>

#include "tests/test-main.h"

/* The layout table, written out: text, size, alignment. */
static const struct
{
  const char *text;
  uint64_t size;
  uint32_t alignment;
  enum xir_type_kind kind;
} layouts[] = {
  { "bool", 1, 1, XIR_TYPE_BOOL },
  { "byte", 1, 1, XIR_TYPE_INT8 },
  { "ubyte", 1, 1, XIR_TYPE_UINT8 },
  { "short", 2, 2, XIR_TYPE_INT16 },
  { "ushort", 2, 2, XIR_TYPE_UINT16 },
  { "int", 4, 4, XIR_TYPE_INT32 },
  { "uint", 4, 4, XIR_TYPE_UINT32 },
  { "long", 8, 8, XIR_TYPE_INT64 },
  { "ulong", 8, 8, XIR_TYPE_UINT64 },
  { "half", 2, 2, XIR_TYPE_FLOAT16 },
  { "float", 4, 4, XIR_TYPE_FLOAT32 },
  { "double", 8, 8, XIR_TYPE_FLOAT64 },
  { "float8e4m3", 1, 1, XIR_TYPE_FLOAT8_E4M3 },
  { "float8e5m2", 1, 1, XIR_TYPE_FLOAT8_E5M2 },
  { "bfloat", 2, 2, XIR_TYPE_BFLOAT16 },
  { "vector<bfloat,3>", 8, 8, XIR_TYPE_VECTOR },
  { "vector<bool,2>", 2, 2, XIR_TYPE_VECTOR },
  { "vector<bool,3>", 4, 4, XIR_TYPE_VECTOR },
  { "vector<bool,4>", 4, 4, XIR_TYPE_VECTOR },
  { "vector<byte,2>", 2, 2, XIR_TYPE_VECTOR },
  { "vector<ubyte,3>", 4, 4, XIR_TYPE_VECTOR },
  { "vector<ubyte,4>", 4, 4, XIR_TYPE_VECTOR },
  { "vector<float8e4m3,3>", 4, 4, XIR_TYPE_VECTOR },
  { "vector<half,2>", 4, 4, XIR_TYPE_VECTOR },
  { "vector<half,3>", 8, 8, XIR_TYPE_VECTOR },
  { "vector<short,4>", 8, 8, XIR_TYPE_VECTOR },
  { "vector<float,2>", 8, 8, XIR_TYPE_VECTOR },
  { "vector<float,3>", 16, 16, XIR_TYPE_VECTOR },
  { "vector<float,4>", 16, 16, XIR_TYPE_VECTOR },
  { "vector<int,2>", 8, 8, XIR_TYPE_VECTOR },
  { "vector<uint,3>", 16, 16, XIR_TYPE_VECTOR },
  { "vector<double,2>", 16, 16, XIR_TYPE_VECTOR },
  { "vector<double,3>", 32, 16, XIR_TYPE_VECTOR },
  { "vector<long,4>", 32, 16, XIR_TYPE_VECTOR },
  { "matrix<2>", 16, 8, XIR_TYPE_MATRIX },
  { "matrix<3>", 48, 16, XIR_TYPE_MATRIX },
  { "matrix<4>", 64, 16, XIR_TYPE_MATRIX },
  { "array<float,5>", 20, 4, XIR_TYPE_ARRAY },
  { "array<vector<float,3>,3>", 48, 16, XIR_TYPE_ARRAY },
  { "array<array<short,3>,2>", 12, 2, XIR_TYPE_ARRAY },
  { "array<int,0>", 0, 4, XIR_TYPE_ARRAY },
  { "struct<1,bool,byte>", 2, 1, XIR_TYPE_STRUCTURE },
  { "struct<4,bool,int>", 8, 4, XIR_TYPE_STRUCTURE },
  { "struct<4,short>", 4, 4, XIR_TYPE_STRUCTURE },
  { "struct<8,float>", 8, 8, XIR_TYPE_STRUCTURE },
  { "struct<16,float,vector<int,2>>", 16, 16, XIR_TYPE_STRUCTURE },
  { "struct<16,vector<float,3>,float>", 32, 16, XIR_TYPE_STRUCTURE },
  { "struct<8,byte,double,byte>", 24, 8, XIR_TYPE_STRUCTURE },
  { "struct<16,struct<4,bool,int>,matrix<3>>", 64, 16, XIR_TYPE_STRUCTURE },
  { "buffer<float>", 8, 8, XIR_TYPE_BUFFER },
  { "buffer<void>", 8, 8, XIR_TYPE_BUFFER },
  { "buffer<struct<4,bool,int>>", 8, 8, XIR_TYPE_BUFFER },
  { "texture<2,float>", 8, 8, XIR_TYPE_TEXTURE },
  { "texture<3,uint>", 8, 8, XIR_TYPE_TEXTURE },
  { "texture<2,int>", 8, 8, XIR_TYPE_TEXTURE },
  { "bindless_array", 8, 8, XIR_TYPE_BINDLESS_ARRAY },
  { "accel", 8, 8, XIR_TYPE_ACCEL },
  { "coopvec<half,8>", 16, 2, XIR_TYPE_COOPERATIVE_VECTOR },
  { "coopvec_ref<8,4>", 4, 4, XIR_TYPE_COOPERATIVE_VECTOR_REF },
  { "coopmat_ref<8,16,7>", 4, 4, XIR_TYPE_COOPERATIVE_MATRIX_REF },
  { "LC_RayQueryAll", 4, 4, XIR_TYPE_CUSTOM },
  { "LC_RayQueryAny", 4, 4, XIR_TYPE_CUSTOM },
  { "LC_IndirectDispatchBuffer", 4, 4, XIR_TYPE_CUSTOM },
  { "LC_IndirectKernelDispatch", 4, 4, XIR_TYPE_CUSTOM },
};

START_TEST (layout_and_round_trip)
{
  struct xir_context *context = xir_context_new ();
  const struct xir_type *type = xir_type_parse (context, layouts[_i].text);

  ck_assert_msg (type != NULL, "%s is refused", layouts[_i].text);
  ck_assert_str_eq (type->text, layouts[_i].text);
  ck_assert_uint_eq (type->size, layouts[_i].size);
  ck_assert_uint_eq (type->alignment, layouts[_i].alignment);
  ck_assert_int_eq (type->kind, layouts[_i].kind);
  ck_assert_ptr_eq (xir_type_parse (context, type->text), type);
  xir_context_unref (context);
}
END_TEST

static const char *const malformed[] = {
  "", " ", "flaot", "void", "float ", " float", "float,", "float>", "Float",
  "vector", "vector<", "vector<float", "vector<float,", "vector<float,1>", "vector<float,5>", "vector<float,03>",
  "vector<float,3", "vector<float,3>>", "vector<float, 3>", "vector<vector<float,2>,2>", "vector<buffer<int>,2>",
  "vector<,2>", "vector<float,-2>", "vector<float,4294967298>", "vector<float,18446744073709551618>",
  "matrix<1>", "matrix<5>", "matrix<>", "matrix<float>", "matrix<2,2>",
  "array<float>", "array<float,>", "array<buffer<float>,2>", "array<texture<2,float>,2>", "array<accel,1>",
  "array<LC_RayQueryAll,1>", "array<int,1073741825>", "array<double,18446744073709551615>",
  "array<array<double,1000000>,1000000>", "array<float,00>", "array<float,+1>",
  "struct<>", "struct<4>", "struct<4,>", "struct<0,int>", "struct<3,int>", "struct<32,int>", "struct<2,int>",
  "struct<8,vector<float,4>>", "struct<8,buffer<int>>", "struct<4,int", "struct<4,int,,int>", "struct<float,int>",
  "struct<16,array<double,400000000>,array<double,400000000>>",
  "buffer", "buffer<>", "buffer<buffer<int>>", "buffer<texture<2,float>>", "buffer<void", "buffer<void>>",
  "buffer<LC_RayQueryAny>",
  "texture<1,float>", "texture<4,float>", "texture<2,double>", "texture<2,bool>", "texture<2>", "texture<float,2>",
  "texture<2,vector<float,4>>", "texture<2,float", "bindless_array<1>", "accel<>",
  "coopvec<float>", "coopvec<vector<float,2>,2>", "coopvec_ref<8,8>", "coopmat_ref<8,8>", "LC_Other",
};

START_TEST (malformed_text_is_refused)
{
  struct xir_context *context = xir_context_new ();

  ck_assert_msg (xir_type_parse (context, malformed[_i]) == NULL, "\"%s\" is accepted", malformed[_i]);
  xir_context_unref (context);
}
END_TEST

/* Every prefix of a good text that is not good itself is refused without harm. */
START_TEST (truncated_text_is_refused)
{
  static const char text[] = "struct<16,array<struct<8,matrix<4>,vector<double,3>>,7>,coopmat_ref<1,2,3>>";
  struct xir_context *context = xir_context_new ();
  char *copy = g_strdup (text);

  for (gsize length = strlen (text) - 1; length > 0; length--)
    {
      copy[length] = '\0';
      ck_assert_ptr_null (xir_type_parse (context, copy));
    }
  g_free (copy);
  xir_context_unref (context);
}
END_TEST

START_TEST (structure_offsets)
{
  struct xir_context *context = xir_context_new ();
  const struct xir_type *type = xir_type_parse (context, "struct<16,bool,vector<float,3>,short,array<long,2>,byte>");
  static const uint64_t offsets[] = { 0, 16, 32, 40, 56 };

  ck_assert_ptr_nonnull (type);
  ck_assert_uint_eq (type->count, 5);
  for (int i = 0; i < 5; i++)
    ck_assert_uint_eq (type->offsets[i], offsets[i]);
  ck_assert_uint_eq (type->size, 64);
  for (int i = 0; i < 5; i++)
    ck_assert_uint_lt (type->members[i]->index, type->index);
  xir_context_unref (context);
}
END_TEST

START_TEST (constructors_intern)
{
  struct xir_context *context = xir_context_new ();
  const struct xir_type *number = xir_type_scalar (context, XIR_TYPE_FLOAT32);
  const struct xir_type *vector = xir_type_vector (context, number, 3);
  const struct xir_type *members[] = { number, vector };
  const struct xir_type *structure = xir_type_structure (context, 0, members, 2);

  ck_assert_ptr_eq (vector, xir_type_parse (context, "vector<float,3>"));
  ck_assert_str_eq (structure->text, "struct<16,float,vector<float,3>>");
  ck_assert_ptr_eq (structure, xir_type_structure (context, 16, members, 2));
  ck_assert_ptr_eq (xir_type_array (context, structure, 4),
                    xir_type_parse (context, "array<struct<16,float,vector<float,3>>,4>"));
  ck_assert_ptr_eq (xir_type_buffer (context, NULL), xir_type_parse (context, "buffer<void>"));
  ck_assert_ptr_eq (xir_type_texture (context, 2, number), xir_type_parse (context, "texture<2,float>"));
  ck_assert_ptr_null (xir_type_structure (context, 0, members, 0));
  ck_assert_ptr_null (xir_type_structure (context, 8, members, 2));
  ck_assert_ptr_null (xir_type_vector (context, vector, 2));
  ck_assert_ptr_null (xir_type_vector (context, number, 5));
  ck_assert_ptr_null (xir_type_scalar (context, XIR_TYPE_VECTOR));
  ck_assert_ptr_null (xir_type_array (context, NULL, 2));
  ck_assert_ptr_null (xir_type_texture (context, 2, NULL));
  xir_context_unref (context);
}
END_TEST

START_TEST (limits)
{
  struct xir_context *context = xir_context_new ();
  const struct xir_type *type = xir_type_scalar (context, XIR_TYPE_INT8);
  const struct xir_type **members = g_new (const struct xir_type *, XIR_TYPE_MAX_MEMBERS + 1);
  GString *text = g_string_new (NULL);
  int depth;

  ck_assert_ptr_nonnull (xir_type_array (context, type, XIR_TYPE_MAX_SIZE));
  ck_assert_ptr_null (xir_type_array (context, type, XIR_TYPE_MAX_SIZE + 1));
  for (int i = 0; i <= XIR_TYPE_MAX_MEMBERS; i++)
    members[i] = type;
  ck_assert_ptr_nonnull (xir_type_structure (context, 0, members, XIR_TYPE_MAX_MEMBERS));
  ck_assert_ptr_null (xir_type_structure (context, 0, members, XIR_TYPE_MAX_MEMBERS + 1));

  for (depth = 1; type != NULL; depth++)
    type = xir_type_array (context, type, 1);
  ck_assert_int_eq (depth - 1, XIR_TYPE_MAX_DEPTH);
  for (int i = 0; i < 1000; i++)
    g_string_append (text, "array<");
  ck_assert_ptr_null (xir_type_parse (context, text->str));

  /* A hundred levels of doubling text: stopped by the length, not by memory. */
  type = xir_type_scalar (context, XIR_TYPE_INT32);
  for (depth = 0; type != NULL && depth < 100; depth++)
    {
      members[0] = members[1] = type;
      type = xir_type_structure (context, 0, members, 2);
    }
  ck_assert_int_lt (depth, 20);

  g_string_set_size (text, 0);
  while (text->len <= XIR_TYPE_MAX_TEXT)
    g_string_append_c (text, 'a');
  ck_assert_ptr_null (xir_type_parse (context, text->str));
  g_string_free (text, TRUE);
  g_free (members);
  xir_context_unref (context);
}
END_TEST

START_TEST (predicates)
{
  struct xir_context *context = xir_context_new ();
  const struct xir_type *int3 = xir_type_parse (context, "vector<int,3>");
  const struct xir_type *flag = xir_type_scalar (context, XIR_TYPE_BOOL);
  const struct xir_type *half4 = xir_type_parse (context, "vector<half,4>");
  const struct xir_type *tiny = xir_type_scalar (context, XIR_TYPE_FLOAT8_E4M3);
  const struct xir_type *record = xir_type_parse (context, "struct<8,array<double,2>,bool>");

  ck_assert (xir_type_is_integer (int3) && xir_type_is_signed (int3) && xir_type_is_vector (int3));
  ck_assert (!xir_type_is_scalar (int3) && !xir_type_is_float (int3) && !xir_type_is_bool (int3));
  ck_assert (xir_type_is_bool (flag) && xir_type_is_bool (xir_type_vector (context, flag, 2)));
  ck_assert (!xir_type_is_numeric (flag) && !xir_type_is_integer (flag));
  ck_assert (xir_type_is_float (half4) && !xir_type_is_float (tiny) && !xir_type_is_numeric (tiny));
  ck_assert (xir_type_is_storage_float (tiny) && !xir_type_is_storage_float (half4));
  ck_assert (xir_type_is_storage_float (xir_type_parse (context, "vector<bfloat,2>")));
  ck_assert (xir_type_is_data (xir_type_scalar (context, XIR_TYPE_BFLOAT16)));
  ck_assert (!xir_type_is_signed (xir_type_scalar (context, XIR_TYPE_UINT8)));
  ck_assert (xir_type_is_signed (xir_type_scalar (context, XIR_TYPE_INT64)));
  ck_assert (xir_type_is_data (record) && !xir_type_is_resource (record));
  ck_assert (xir_type_contains (record, XIR_TYPE_FLOAT64) && xir_type_contains (record, XIR_TYPE_ARRAY));
  ck_assert (!xir_type_contains (record, XIR_TYPE_FLOAT32));
  ck_assert (xir_type_is_resource (xir_type_parse (context, "accel")));
  ck_assert (!xir_type_is_data (NULL) && !xir_type_is_numeric (NULL) && !xir_type_contains (NULL, XIR_TYPE_BOOL));
  ck_assert_ptr_null (xir_type_scalar_of (NULL));
  ck_assert_uint_eq (xir_type_lanes (int3), 3);
  ck_assert_uint_eq (xir_type_lanes (flag), 1);
  ck_assert_uint_eq (xir_type_lanes (record), 0);
  ck_assert_uint_eq (xir_type_bits (flag), 1);
  ck_assert_uint_eq (xir_type_bits (xir_type_scalar (context, XIR_TYPE_INT16)), 16);
  ck_assert_ptr_eq (xir_type_with_scalar (context, half4, XIR_TYPE_BOOL), xir_type_vector (context, flag, 4));
  ck_assert_ptr_eq (xir_type_with_scalar (context, tiny, XIR_TYPE_BOOL), flag);
  ck_assert_ptr_null (xir_type_with_scalar (context, record, XIR_TYPE_BOOL));
  ck_assert_ptr_eq (xir_type_child (record, 1), flag);
  ck_assert_ptr_null (xir_type_child (record, 2));
  ck_assert_ptr_null (xir_type_child (flag, 0));
  ck_assert_ptr_eq (xir_type_child (xir_type_parse (context, "matrix<3>"), 0),
                    xir_type_parse (context, "vector<float,3>"));
  xir_context_unref (context);
}
END_TEST

#define N_ROUNDS 300

static gpointer
intern_many (gpointer data)
{
  struct xir_context *context = data;
  const struct xir_type **types = g_new (const struct xir_type *, N_ROUNDS);

  for (int i = 0; i < N_ROUNDS; i++)
    {
      char *text = g_strdup_printf ("buffer<struct<16,array<vector<float,4>,%d>,matrix<%d>>>", i, i % 3 + 2);

      types[i] = xir_type_parse (context, text);
      g_free (text);
    }
  xir_context_unref (context);
  return types;
}

START_TEST (two_threads_intern_the_same)
{
  struct xir_context *context = xir_context_new ();
  GThread *threads[2];
  const struct xir_type **types[2];

  for (int i = 0; i < 2; i++)
    threads[i] = g_thread_new ("intern", intern_many, xir_context_ref (context));
  for (int i = 0; i < 2; i++)
    types[i] = g_thread_join (threads[i]);
  for (int i = 0; i < N_ROUNDS; i++)
    {
      ck_assert_ptr_nonnull (types[0][i]);
      ck_assert_ptr_eq (types[0][i], types[1][i]);
      ck_assert (i == 0 || types[0][i] != types[0][i - 1]);
    }
  g_free (types[0]);
  g_free (types[1]);
  xir_context_unref (context);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("type");
  TCase *test_case = gb_test_case (suite, "type");

  tcase_add_loop_test (test_case, layout_and_round_trip, 0, G_N_ELEMENTS (layouts));
  tcase_add_loop_test (test_case, malformed_text_is_refused, 0, G_N_ELEMENTS (malformed));
  tcase_add_test (test_case, truncated_text_is_refused);
  tcase_add_test (test_case, structure_offsets);
  tcase_add_test (test_case, constructors_intern);
  tcase_add_test (test_case, limits);
  tcase_add_test (test_case, predicates);
  tcase_add_test (test_case, two_threads_intern_the_same);
  return suite;
}

GB_TEST_MAIN (make_suite)
