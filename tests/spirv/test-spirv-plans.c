/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The plans by themselves: each at its boundary and one over. */

#include "config.h"

#include <string.h>

#include "codegen/spirv/plan-layout.h"
#include "codegen/spirv/plan-size.h"
#include "codegen/spirv/plan.h"
#include "tests/spirv/fixture.h"

START_TEST (test_sizes)
{
  static const struct { enum spirv_sized what; uint64_t limit; uint32_t words; uint32_t of_three; } cases[] = {
    { SPIRV_SIZED_PHI, 32766, 65535, 9 },
    { SPIRV_SIZED_SWITCH, 32766, 65535, 9 },
    { SPIRV_SIZED_SWITCH_64, 21844, 65535, 12 },
    { SPIRV_SIZED_TYPE_STRUCT, 65533, 65535, 5 },
    { SPIRV_SIZED_TYPE_FUNCTION, 65532, 65535, 6 },
    { SPIRV_SIZED_CONSTANT_COMPOSITE, 65532, 65535, 6 },
    { SPIRV_SIZED_COMPOSITE_CONSTRUCT, 65532, 65535, 6 },
    { SPIRV_SIZED_COMPOSITE_EXTRACT, 65531, 65535, 7 },
    { SPIRV_SIZED_COMPOSITE_INSERT, 65530, 65535, 8 },
    { SPIRV_SIZED_ACCESS_CHAIN, 65531, 65535, 7 },
    { SPIRV_SIZED_FUNCTION_CALL, 65531, 65535, 7 },
    { SPIRV_SIZED_NAME, 262131, 65535, 3 },
    { SPIRV_SIZED_ENTRY_POINT, 65530, 65535, 8 }
  };
  ck_assert_uint_eq (G_N_ELEMENTS (cases), SPIRV_N_SIZED);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      uint32_t words = 0;
      ck_assert (spirv_plan_size (cases[i].what, 3, &words));
      ck_assert_uint_eq (words, cases[i].of_three);
      ck_assert_uint_eq (spirv_plan_size_limit (cases[i].what), cases[i].limit);
      ck_assert (spirv_plan_size (cases[i].what, cases[i].limit, &words));
      ck_assert_uint_eq (words, cases[i].words);
      words = 42;
      ck_assert (!spirv_plan_size (cases[i].what, cases[i].limit + 1, &words));
      ck_assert (!spirv_plan_size (cases[i].what, UINT64_MAX, &words));
      ck_assert_uint_eq (words, 42);
    }
}
END_TEST

/* What the planner says must be what the writer writes. */
START_TEST (test_sizes_are_the_writers)
{
  struct spirv_writer w;
  const uint32_t list[] = { 1, 2, 3 };
  uint32_t words = 0;
  spirv_writer_init (&w);
  const struct spirv_stream *body = &w.sections[SPIRV_SECTION_BODY];
#define CHECK(what, call)                              \
  do                                                   \
    {                                                  \
      gsize before = body->n;                          \
      call;                                            \
      spirv_plan_size (what, 3, &words);               \
      ck_assert_uint_eq (body->n - before, words);     \
    }                                                  \
  while (0)
  CHECK (SPIRV_SIZED_COMPOSITE_CONSTRUCT, spirv_op_composite_construct (&w, 1, list, 3));
  CHECK (SPIRV_SIZED_COMPOSITE_EXTRACT, spirv_op_composite_extract (&w, 1, 2, list, 3));
  CHECK (SPIRV_SIZED_COMPOSITE_INSERT, spirv_op_composite_insert (&w, 1, 2, 3, list, 3));
  CHECK (SPIRV_SIZED_ACCESS_CHAIN, spirv_op_access_chain (&w, 1, 2, list, 3));
  CHECK (SPIRV_SIZED_FUNCTION_CALL, spirv_op_function_call (&w, 1, 2, list, 3));
#undef CHECK
  spirv_writer_clear (&w);
}
END_TEST

/* A type whose numbers are set by hand, since the type system makes no bad ones. */
static struct xir_type
crafted (enum xir_type_kind kind, const struct xir_type *element, uint64_t count, uint64_t size, uint32_t alignment)
{
  return (struct xir_type) { .kind = kind, .element = element, .count = count, .size = size, .alignment = alignment, .text = "crafted" };
}

START_TEST (test_layouts)
{
  struct fixture f;
  fixture_init (&f);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1), *three = fixture_type (&f, XIR_TYPE_FLOAT32, 3);
  const struct xir_type *flag = fixture_type (&f, XIR_TYPE_BOOL, 1);
  for (uint32_t lanes = 1; lanes <= 4; lanes++)
    ck_assert_int_eq (spirv_plan_layout (fixture_type (&f, XIR_TYPE_INT32, lanes)), SPIRV_LAYOUT_COMPATIBLE);
  ck_assert_uint_eq (spirv_layout_alignment (three), 16);
  const struct xir_type *good[] = { scalar, three, xir_type_array (f.context, three, 3) };
  const struct xir_type *structure = xir_type_structure (f.context, 0, good, 3);
  ck_assert_int_eq (spirv_plan_layout (structure), SPIRV_LAYOUT_COMPATIBLE);
  ck_assert_uint_eq (spirv_layout_alignment (structure), 16);
  ck_assert_int_eq (spirv_plan_layout (NULL), SPIRV_LAYOUT_UNSUPPORTED_TYPE);
  ck_assert_int_eq (spirv_plan_layout (xir_type_buffer (f.context, scalar)), SPIRV_LAYOUT_UNSUPPORTED_TYPE);
  ck_assert_int_eq (spirv_plan_layout (flag), SPIRV_LAYOUT_LOGICAL_BOOL);
  const struct xir_type *with_flag[] = { scalar, xir_type_array (f.context, flag, 2) };
  ck_assert_int_eq (spirv_plan_layout (xir_type_structure (f.context, 0, with_flag, 2)), SPIRV_LAYOUT_LOGICAL_BOOL);
  /* Three lanes of 64 bits: the host aligns them to 16, Vulkan wants 32. */
  const struct xir_type *wide = fixture_type (&f, XIR_TYPE_FLOAT64, 3);
  const struct xir_type *odd[] = { fixture_type (&f, XIR_TYPE_FLOAT64, 2), wide };
  ck_assert_int_eq (spirv_plan_layout (xir_type_structure (f.context, 0, odd, 2)), SPIRV_LAYOUT_MISALIGNED_MEMBER);
  const struct xir_type packed = crafted (XIR_TYPE_VECTOR, scalar, 3, 12, 4);
  const struct xir_type of_packed = crafted (XIR_TYPE_ARRAY, &packed, 4, 48, 4);
  ck_assert_int_eq (spirv_plan_layout (&packed), SPIRV_LAYOUT_INVALID_RUNTIME_STRIDE);
  ck_assert_int_eq (spirv_plan_layout (&of_packed), SPIRV_LAYOUT_INVALID_ARRAY_STRIDE);
  const struct xir_type matrix = crafted (XIR_TYPE_MATRIX, &packed, 3, 36, 4);
  ck_assert_int_eq (spirv_plan_layout (&matrix), SPIRV_LAYOUT_INVALID_MATRIX_STRIDE);
  const struct xir_type empty = crafted (XIR_TYPE_ARRAY, scalar, 0, 0, 4);
  ck_assert_int_eq (spirv_plan_layout (&empty), SPIRV_LAYOUT_UNSUPPORTED_TYPE);
  const uint64_t offsets[] = { 0, 8 };
  const struct xir_type *members[] = { three, scalar };
  struct xir_type bad = crafted (XIR_TYPE_STRUCTURE, NULL, 2, 16, 16);
  bad.members = members;
  bad.offsets = offsets;
  bad.size = 20;
  ck_assert_int_eq (spirv_plan_layout (&bad), SPIRV_LAYOUT_INVALID_STRUCT_STRIDE);
  ck_assert_int_eq (spirv_plan_layout_member (three, 16), SPIRV_LAYOUT_COMPATIBLE);
  ck_assert_int_eq (spirv_plan_layout_member (three, 8), SPIRV_LAYOUT_MISALIGNED_MEMBER);
  ck_assert_int_eq (spirv_plan_layout_member (scalar, UINT64_C (1) << 32), SPIRV_LAYOUT_MISALIGNED_MEMBER);
  fixture_clear (&f);
}
END_TEST

/* Forty levels of { A, A }: 2^40 leaves, looked at once each. */
START_TEST (test_layout_of_shared_members)
{
  struct xir_type types[41];
  const struct xir_type *members[41][2];
  uint64_t offsets[41][2];
  struct fixture f;
  fixture_init (&f);
  types[0] = *fixture_type (&f, XIR_TYPE_UINT32, 1);
  for (int i = 1; i <= 40; i++)
    {
      types[i] = crafted (XIR_TYPE_STRUCTURE, NULL, 2, 8, 4);
      members[i][0] = members[i][1] = &types[i - 1];
      offsets[i][0] = 0;
      offsets[i][1] = 4;
      types[i].members = members[i];
      types[i].offsets = offsets[i];
    }
  ck_assert_int_eq (spirv_plan_layout (&types[40]), SPIRV_LAYOUT_COMPATIBLE);
  fixture_clear (&f);
}
END_TEST

static void
plan (struct fixture *f, const struct spirv_target *target, struct spirv_plans *plans)
{
  GError *error = NULL;
  ck_assert_msg (spirv_plans_init (plans, f->module, "test", target, &error), "%s", error != NULL ? error->message : "");
}

/* Values first, in order and aligned, then the records; unused resources have neither record nor binding. */
START_TEST (test_bindings)
{
  struct fixture f;
  struct spirv_plans plans;
  fixture_init (&f);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1), *buffer = xir_type_buffer (f.context, scalar);
  struct xir_value *size_only = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, buffer, "size_only");
  struct xir_value *flag = fixture_argument (&f, XIR_ARGUMENT_VALUE, fixture_type (&f, XIR_TYPE_BOOL, 1), "flag");
  struct xir_value *unused = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, buffer, "unused");
  fixture_argument (&f, XIR_ARGUMENT_VALUE, fixture_type (&f, XIR_TYPE_BOOL, 3), "flags");
  struct xir_value *written = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, buffer, "written");
  fixture_argument (&f, XIR_ARGUMENT_VALUE, scalar, "last");
  (void) unused;
  struct xir_value *size = xir_build_buffer_size (&f.builder, size_only);
  struct xir_value *value = xir_build_cast (&f.builder, scalar, flag);
  xir_build_buffer_write (&f.builder, written, value, &size, 1);
  xir_build_return (&f.builder, NULL);
  plan (&f, &fixture_target, &plans);
  const struct spirv_binding_plan *p = &plans.binding;
  static const struct { uint32_t offset, size, metadata, binding, usage; } expected[] = {
    { 0, 0, 36, G_MAXUINT32, 0 },
    { 0, 4, G_MAXUINT32, G_MAXUINT32, SPIRV_USAGE_READ },
    { 0, 0, G_MAXUINT32, G_MAXUINT32, 0 },
    { 16, 16, G_MAXUINT32, G_MAXUINT32, 0 },
    { 0, 0, 44, 0, SPIRV_USAGE_WRITE },
    { 32, 4, G_MAXUINT32, G_MAXUINT32, 0 }
  };
  ck_assert_uint_eq (p->n_arguments, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      ck_assert_uint_eq (p->arguments[i].offset, expected[i].offset);
      ck_assert_uint_eq (p->arguments[i].size, expected[i].size);
      ck_assert_uint_eq (p->arguments[i].metadata_offset, expected[i].metadata);
      ck_assert_uint_eq (p->arguments[i].binding, expected[i].binding);
      ck_assert_uint_eq (p->arguments[i].usage, expected[i].usage);
    }
  ck_assert_uint_eq (p->argument_size, 52);
  ck_assert_uint_eq (p->push_constant_size, 84);
  ck_assert (!p->arguments_in_block);
  ck_assert_uint_eq (p->n_bindings, 1);
  ck_assert_uint_eq (p->bindings[0].argument, 4);
  spirv_plans_clear (&plans);
  fixture_clear (&f);
}
END_TEST

/* 96 bytes of arguments fit 128 bytes of push constants, 100 do not; a larger target takes them. */
START_TEST (test_push_constant_boundary)
{
  for (uint64_t words = 24; words <= 25; words++)
    {
      struct fixture f;
      struct spirv_plans plans;
      struct spirv_target target = fixture_target;
      fixture_init (&f);
      fixture_argument (&f, XIR_ARGUMENT_VALUE, xir_type_array (f.context, fixture_type (&f, XIR_TYPE_UINT32, 1), words), "a");
      xir_build_return (&f.builder, NULL);
      plan (&f, &target, &plans);
      bool over = words == 25;
      ck_assert_int_eq (plans.binding.arguments_in_block, over);
      ck_assert_uint_eq (plans.binding.push_constant_size, over ? 32 : 128);
      ck_assert_uint_eq (plans.binding.n_bindings, over ? 1 : 0);
      if (over)
        ck_assert_int_eq (plans.binding.bindings[0].kind, SPIRV_BINDING_ARGUMENT_BLOCK);
      spirv_plans_clear (&plans);
      target.max_push_constants = 132;
      plan (&f, &target, &plans);
      ck_assert (!plans.binding.arguments_in_block);
      spirv_plans_clear (&plans);
      fixture_clear (&f);
    }
}
END_TEST

START_TEST (test_argument_size_boundary)
{
  for (int over = 0; over < 2; over++)
    {
      struct fixture f;
      fixture_init (&f);
      fixture_argument (&f, XIR_ARGUMENT_VALUE,
                        xir_type_array (f.context, fixture_type (&f, XIR_TYPE_UINT32, 1), SPIRV_MAX_ARGUMENT_SIZE / 4 + (uint64_t) over), "huge");
      xir_build_return (&f.builder, NULL);
      if (over)
        fixture_refused (&f, SPIRV_ERROR_TOO_LARGE, "“huge”: all arguments by value up to it take 65540 bytes, the limit is 65536");
      else
        fixture_compile_all (&f);
      fixture_clear (&f);
    }
}
END_TEST

/* Where a device may have vectors of 64-bit numbers, whatever comes before them. */
START_TEST (test_wide_vectors_by_value)
{
  static const struct spirv_options options = { .optimization_level = 0 };
  struct fixture f;
  struct spirv_result result;
  GError *error = NULL;

  fixture_init_text (&f, "kernel(1) void test(int a[4], long3 b[2], int c, double4 d, buffer<int> out)\n"
                         "{ out[0] = a[1] + int(b[1].z) + c + int(d.w); }");
  fixture_compile_all (&f);
  ck_assert_msg (spirv_compile (f.module, "test", &fixture_target, &options, &result, &error), "%s", error != NULL ? error->message : "");
  ck_assert_uint_eq (result.arguments[0].offset, 0);
  ck_assert_uint_eq (result.arguments[1].offset, 32);
  ck_assert_uint_eq (result.arguments[2].offset, 96);
  ck_assert_uint_eq (result.arguments[3].offset, 128);
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

/* Each limit of the target exactly met, and missed by one with both numbers in the message. */
START_TEST (test_limits)
{
  struct fixture f;
  struct spirv_result result;
  GError *error = NULL;
  fixture_init (&f);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1), *texture = xir_type_texture (f.context, 2, scalar);
  struct xir_value *read_image = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, texture, "read");
  struct xir_value *write_image = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, texture, "written");
  xir_value_argument (read_image)->is_const = true;
  struct xir_value *at = xir_constant_zero (f.module, fixture_type (&f, XIR_TYPE_UINT32, 2));
  xir_build_texture_write (&f.builder, write_image, at, xir_build_texture_read (&f.builder, read_image, at));
  struct xir_value *shared = xir_build_alloca (&f.builder, XIR_STORAGE_SHARED, xir_type_array (f.context, scalar, 100), "tile");
  struct xir_value *zero = fixture_uint (&f, 0);
  fixture_sink (&f, xir_build_load (&f.builder, xir_build_gep (&f.builder, shared, &zero, 1)));
  fixture_sink (&f, fixture_source (&f, scalar, 0));
  xir_build_return (&f.builder, NULL);
  f.kernel->group_size[1] = 2;
  struct spirv_target exact = {
    .features = fixture_target.features, .max_group_size = { 64, 2, 1 }, .max_group_invocations = 128, .max_shared_memory = 400,
    .max_push_constants = 128, .max_storage_buffers = 2, .max_storage_images = 1, .max_sampled_images = 1, .max_resources = 4
  };
  ck_assert_msg (spirv_compile (f.module, "test", &exact, &fixture_options, &result, &error), "%s", error != NULL ? error->message : "");
  spirv_result_clear (&result);
#define ONE_LESS(member, text)                                         \
  do                                                                   \
    {                                                                  \
      struct spirv_target less = exact;                                \
      less.member--;                                                   \
      fixture_refused_by (&f, &less, SPIRV_ERROR_TARGET, text);        \
    }                                                                  \
  while (0)
  ONE_LESS (max_group_size[0], "needs 64 threads in a workgroup along x, the device has at most 63");
  ONE_LESS (max_group_size[1], "needs 2 threads in a workgroup along y, the device has at most 1");
  ONE_LESS (max_group_invocations, "needs 128 threads in a workgroup, the device has at most 127");
  ONE_LESS (max_shared_memory, "needs 400 bytes of shared memory, the device has at most 399");
  ONE_LESS (max_storage_buffers, "needs 2 storage buffers, the device has at most 1");
  ONE_LESS (max_storage_images, "needs 1 images that are written, the device has at most 0");
  ONE_LESS (max_sampled_images, "needs 1 images that are read, the device has at most 0");
  ONE_LESS (max_resources, "needs 4 resources, the device has at most 3");
#undef ONE_LESS
  struct spirv_target tiny = exact;
  tiny.max_push_constants = 31;
  tiny.max_resources = tiny.max_storage_buffers = 10;
  fixture_refused_by (&f, &tiny, SPIRV_ERROR_TARGET, "needs 32 bytes of push constants, the device has at most 31");
  f.kernel->group_size[2] = 0;
  fixture_refused_by (&f, &exact, SPIRV_ERROR_UNSUPPORTED, "");
  fixture_clear (&f);
}
END_TEST

START_TEST (test_features)
{
  struct fixture f;
  struct spirv_plans plans;
  fixture_init (&f);
  const struct xir_type *texture = xir_type_texture (f.context, 2, fixture_type (&f, XIR_TYPE_FLOAT32, 1));
  struct xir_value *image = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, texture, "image");
  struct xir_value *at = xir_constant_zero (f.module, fixture_type (&f, XIR_TYPE_INT32, 2));
  xir_build_texture_write (&f.builder, image, at, xir_build_texture_read (&f.builder, image, at));
  xir_build_return (&f.builder, NULL);
  for (unsigned feature = 0; feature < 2; feature++)
    {
      struct spirv_target target = fixture_target;
      target.features &= ~(UINT64_C (1) << feature);
      fixture_refused_by (&f, &target, SPIRV_ERROR_TARGET, spirv_feature_name ((enum spirv_feature) feature));
    }
  plan (&f, &fixture_target, &plans);
  ck_assert_uint_eq (plans.features.required, 15);
  spirv_plans_clear (&plans);
  /* Float modes are used where they are and never asked for. */
  struct spirv_target plain = fixture_target;
  plain.features = 3;
  plan (&f, &plain, &plans);
  ck_assert_uint_eq (plans.features.required, 3);
  spirv_plans_clear (&plans);
  /* Only where every function is fast are they left out. */
  f.kernel->fast_math = true;
  plan (&f, &fixture_target, &plans);
  ck_assert_uint_eq (plans.features.required, 3);
  spirv_plans_clear (&plans);
  ck_assert_ptr_null (spirv_feature_name (SPIRV_N_FEATURES));
  fixture_clear (&f);
}
END_TEST

/* A fast function takes nothing from the others, whichever calls the other. */
START_TEST (test_float_modes_of_calls)
{
  for (int fast = 0; fast < 4; fast++)
    {
      struct fixture f;
      struct spirv_plans plans;
      char *text = g_strdup_printf ("%s float h(float x) { return x * 2.0; }\n"
                                    "%s kernel(1) void test(buffer<float> o) { o[0] = h(o[1]); }\n",
                                    fast & 1 ? "[[fast_math]]" : "", fast & 2 ? "[[fast_math]]" : "");
      fixture_init_text (&f, text);
      plan (&f, &fixture_target, &plans);
      ck_assert_uint_eq (plans.features.required, fast != 3 ? 12 : 0);
      spirv_plans_clear (&plans);
      fixture_clear (&f);
      g_free (text);
    }
}
END_TEST

/* outer calls inner; both get a reference; inner alone writes and reads a special register. */
START_TEST (test_usage_over_calls)
{
  struct fixture f;
  struct spirv_plans plans;
  struct xir_builder b;
  fixture_init (&f);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_UINT32, 1);
  struct xir_function *functions[3];
  struct xir_value *references[3];
  for (int i = 0; i < 3; i++)
    {
      functions[i] = xir_function_new (f.module, XIR_FUNCTION_CALLABLE, i == 0 ? "inner" : i == 1 ? "outer" : "never", NULL);
      references[i] = &xir_function_add_argument (functions[i], XIR_ARGUMENT_REFERENCE, scalar, "place")->value;
      xir_builder_init (&b, functions[i]);
      xir_builder_at_end (&b, xir_block_new (functions[i]));
      if (i == 0)
        xir_build_store (&b, references[i], xir_special_get (f.module, XIR_SPECIAL_KERNEL_ID));
      else if (i == 1)
        xir_build_call (&b, functions[0], &references[1], 1);
      xir_build_return (&b, NULL);
    }
  struct xir_value *variable = xir_build_alloca (&f.builder, XIR_STORAGE_LOCAL, scalar, NULL);
  xir_build_store (&f.builder, variable, fixture_uint (&f, 0));
  xir_build_call (&f.builder, functions[1], &variable, 1);
  fixture_sink (&f, xir_build_load (&f.builder, variable));
  xir_build_return (&f.builder, NULL);
  plan (&f, &fixture_target, &plans);
  ck_assert_uint_eq (plans.call_graph.n_functions, 3);
  ck_assert_ptr_eq (plans.call_graph.functions[0], functions[0]);
  ck_assert_ptr_eq (plans.call_graph.functions[1], functions[1]);
  ck_assert_ptr_eq (plans.call_graph.functions[2], f.kernel);
  ck_assert_uint_eq (plans.usage.arguments[references[0]->id], SPIRV_NEED_WRITE);
  ck_assert_uint_eq (plans.usage.arguments[references[1]->id], SPIRV_NEED_WRITE);
  ck_assert_uint_eq (plans.usage.functions[0].specials, 1u << XIR_SPECIAL_KERNEL_ID);
  ck_assert_uint_eq (plans.usage.functions[1].specials, 0);
  spirv_plans_clear (&plans);
  fixture_clear (&f);
}
END_TEST

START_TEST (test_recursion)
{
  struct fixture f;
  struct spirv_plans plans;
  struct xir_builder b;
  GError *error = NULL;
  fixture_init (&f);
  struct xir_function *even = xir_function_new (f.module, XIR_FUNCTION_CALLABLE, "even", NULL);
  struct xir_function *odd = xir_function_new (f.module, XIR_FUNCTION_CALLABLE, "odd", NULL);
  for (int i = 0; i < 2; i++)
    {
      xir_builder_init (&b, i == 0 ? even : odd);
      xir_builder_at_end (&b, xir_block_new (b.function));
      xir_build_call (&b, i == 0 ? odd : even, NULL, 0);
      xir_build_return (&b, NULL);
    }
  xir_build_call (&f.builder, even, NULL, 0);
  xir_build_return (&f.builder, NULL);
  ck_assert (!spirv_plans_init (&plans, f.module, "test", &fixture_target, &error));
  ck_assert_str_eq (error->message, "function “even” calls itself");
  g_error_free (error);
  fixture_clear (&f);
}
END_TEST

/* Functions that are never called cost nothing, whatever is in them; nor does what stands in blocks that nothing reaches. */
START_TEST (test_unused_is_not_seen)
{
  struct fixture f;
  struct spirv_plans plans;
  struct xir_builder b;
  fixture_init (&f);
  struct xir_value *buffer = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, fixture_type (&f, XIR_TYPE_UINT32, 1)), "b");
  struct xir_function *wide = xir_function_new (f.module, XIR_FUNCTION_CALLABLE, "wide", fixture_type (&f, XIR_TYPE_FLOAT64, 1));
  xir_builder_init (&b, wide);
  xir_builder_at_end (&b, xir_block_new (wide));
  xir_build_return (&b, xir_constant_zero (f.module, wide->return_type));
  struct xir_block *yes = xir_block_new (f.kernel), *no = xir_block_new (f.kernel), *merge = xir_block_new (f.kernel);
  xir_build_if (&f.builder, xir_constant_bool (f.module, true), yes, no, merge);
  xir_builder_at_end (&f.builder, yes);
  xir_build_return (&f.builder, NULL);
  xir_builder_at_end (&f.builder, no);
  xir_build_return (&f.builder, NULL);
  xir_builder_at_end (&f.builder, merge);
  struct xir_value *zero = fixture_uint (&f, 0);
  xir_build_call (&f.builder, wide, NULL, 0);
  xir_build_buffer_write (&f.builder, buffer, zero, &zero, 1);
  xir_build_return (&f.builder, NULL);
  plan (&f, &fixture_target, &plans);
  ck_assert_uint_eq (plans.call_graph.n_functions, 1);
  ck_assert_uint_eq (plans.binding.n_bindings, 0);
  ck_assert_uint_eq (plans.usage.arguments[buffer->id], 0);
  spirv_plans_clear (&plans);
  fixture_compile_all (&f);
  fixture_clear (&f);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv plans");
  TCase *test_case = gb_test_case (suite, "plans");
  tcase_add_test (test_case, test_sizes);
  tcase_add_test (test_case, test_sizes_are_the_writers);
  tcase_add_test (test_case, test_layouts);
  tcase_add_test (test_case, test_layout_of_shared_members);
  tcase_add_test (test_case, test_bindings);
  tcase_add_test (test_case, test_push_constant_boundary);
  tcase_add_test (test_case, test_argument_size_boundary);
  tcase_add_test (test_case, test_wide_vectors_by_value);
  tcase_add_test (test_case, test_limits);
  tcase_add_test (test_case, test_features);
  tcase_add_test (test_case, test_float_modes_of_calls);
  tcase_add_test (test_case, test_usage_over_calls);
  tcase_add_test (test_case, test_recursion);
  tcase_add_test (test_case, test_unused_is_not_seen);
  return suite;
}

GB_TEST_MAIN (make_suite)
