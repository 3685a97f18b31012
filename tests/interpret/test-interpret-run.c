/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dispatches: which threads run and what they are told, what is out of range, images, values of every
 * type, and what ends a run. */

#include "config.h"

#include <string.h>

#include "codegen/interpret/order.h"
#include "codegen/xir/builder.h"
#include "codegen/xir/verify.h"
#include "tests/interpret/interpret-test.h"
#include "tests/test-main.h"

#define DISPATCH_X 11
#define DISPATCH_Y 5
#define DISPATCH_Z 3

/* Every thread of a split dispatch says who it is. */
START_TEST (test_ids)
{
  static const char text[] =
    "kernel(4, 2, 2)\nvoid main_(buffer<uint> out)\n{\n"
    "    uint at = global_id.x + dispatch_size.x * (global_id.y + dispatch_size.y * global_id.z);\n"
    "    out[8 * at] += 1;\n    out[8 * at + 1] = local_id.x + 10 * local_id.y + 100 * local_id.z;\n"
    "    out[8 * at + 2] = group_id.x + 10 * group_id.y + 100 * group_id.z;\n"
    "    out[8 * at + 3] = num_groups.x + 10 * num_groups.y + 100 * num_groups.z;\n"
    "    out[8 * at + 4] = group_size.x + 10 * group_size.y + 100 * group_size.z;\n"
    "    out[8 * at + 5] = kernel_id;\n    out[8 * at + 6] = in_dispatch() ? 1 : 0;\n}\n";
  uint32_t width = 1u << _i, out[8 * DISPATCH_X * DISPATCH_Y * DISPATCH_Z + 64] = { 0 };
  struct interpret_binding bindings[] = { INTERPRETED_BUFFER (out) };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { DISPATCH_X, DISPATCH_Y, DISPATCH_Z },
                                         .kernel_id = 77, .n_workers = 2, .seed = 5 };
  struct interpreted kernels;
  struct interpret_program *program;

  interpreted_init (&kernels, "ids", text);
  dispatch.program = program = interpreted_program (&kernels, "main_", width);
  /* 3 × 3 × 2 groups in two parts. */
  dispatch.groups[0] = 3, dispatch.groups[1] = 1, dispatch.groups[2] = 2;
  ck_assert (interpret_run (&dispatch, NULL));
  dispatch.groups[1] = 2, dispatch.group_offset[1] = 1;
  ck_assert (interpret_run (&dispatch, NULL));
  for (uint32_t z = 0, at = 0; z < DISPATCH_Z; z++)
    for (uint32_t y = 0; y < DISPATCH_Y; y++)
      for (uint32_t x = 0; x < DISPATCH_X; x++, at++)
        {
          const uint32_t expected[8] = { 1, x % 4 + 10 * (y % 2) + 100 * (z % 2), x / 4 + 10 * (y / 2) + 100 * (z / 2),
                                         3 + 10 * 3 + 100 * 2, 4 + 10 * 2 + 100 * 2, 77, 1, 0 };
          ck_assert_mem_eq (out + 8 * at, expected, sizeof expected);
        }
  for (uint32_t i = 8 * DISPATCH_X * DISPATCH_Y * DISPATCH_Z; i < G_N_ELEMENTS (out); i++)
    ck_assert_uint_eq (out[i], 0);
  interpret_program_free (program);
  interpreted_clear (&kernels);
}
END_TEST

/* Nothing beyond a buffer, a variable or a vector is touched; what is read there is 0. */
START_TEST (test_bounds)
{
  static const char text[] =
    "struct Pair { int a; int b[3]; };\n"
    "kernel(32)\nvoid main_(const buffer<int> at, buffer<int> data, buffer<Pair> pairs, buffer<int> out)\n{\n"
    "    int i = at[global_id.x];\n    int local[4] = { 1, 2, 3, 4 };\n    int3 v = int3(5, 6, 7);\n"
    "    local[i] = 50;\n    v[i] = 60;\n    int r = data[i] + 1000 * local[i] + 100000 * v[i];\n"
    "    pairs[0].b[i] = 8;\n    pairs[i].b[1] += 3;\n    data[i] = -1;\n    data[uint(i)] = -2;\n"
    "    for (int k = 0; k < 4; ++k) r += local[k];\n    out[global_id.x] = r + v.x + v.y + v.z;\n}\n";
  static const int32_t indices[] = { 0, 1, 2, 3, 4, 5, -1, INT32_MIN, INT32_MAX, 1000000 };
  struct interpreted kernels;

  interpreted_init (&kernels, "bounds", text);
  for (gsize i = 0; i < G_N_ELEMENTS (indices); i++)
    {
      int32_t index = indices[i], data[8] = { 9, 9, 11, 12, 13, 9, 9, 9 }, pairs[16] = { 0 }, out = 0, expected = 0;
      struct interpret_binding bindings[] = {
        INTERPRETED_VALUE (index), { .data = (uint8_t *) (data + 2), .size = 14 }, { .data = (uint8_t *) (pairs + 4), .size = 32 },
        { .data = (uint8_t *) &out, .size = 4 }
      };
      struct interpret_program *program = interpreted_program (&kernels, "main_", 8);
      bool in_data = index >= 0 && index < 3, in_local = index >= 0 && index < 4, in_vector = index >= 0 && index < 3;

      bindings[0] = (struct interpret_binding) { .data = (uint8_t *) &index, .size = 4 };
      interpreted_run (program, bindings, 1, 32, 1, 0);
      expected = (in_data ? 11 + index : 0) + (in_local ? 50000 : 0) + (in_vector ? 6000000 : 0);
      expected += 10 + (in_local ? 50 - (index + 1) : 0) + 18 + (in_vector ? 60 - (index + 5) : 0);
      ck_assert_msg (out == expected, "index %d: %d, not %d", index, out, expected);
      for (int k = 0; k < 8; k++)
        {
          static const int32_t before[] = { 9, 9, 11, 12, 13, 9, 9, 9 };
          ck_assert_int_eq (data[k], in_data && k == index + 2 ? -2 : before[k]);
        }
      for (int k = 0; k < 16; k++)
        {
          int32_t value = in_vector && k == 5 + index ? 8 : 0;
          if ((index == 0 || index == 1) && k == 6 + 4 * index)
            value += 3;
          ck_assert_msg (pairs[k] == value, "index %d: pairs[%d] is %d, not %d", index, k, pairs[k], value);
        }
      interpret_program_free (program);
    }
  interpreted_clear (&kernels);
}
END_TEST

/* What is bounded is computed as double and rounded once: sums that would be 0 if each step were rounded. */
START_TEST (test_rounded_once)
{
  static const char text[] =
    "kernel(4)\nvoid main_(float big, float e, buffer<float> out)\n{\n"
    "    float3 v = float3(big, 1, -big), ones = float3(1);\n"
    "    float3x3 m = float3x3(v, v, v), n = float3x3(ones, ones, ones);\n"
    "    float2x2 near = float2x2(1 + e, 1 + 2 * e, 1, 1 + e);\n"
    "    half3 h = half3(2048, 1, -2048);\n"
    "    out[0] = dot(v, ones);\n    out[1] = (ones * m).y;\n    out[2] = (transpose(m) * ones).z;\n"
    "    out[3] = (n * m)[1].z;\n    out[4] = outer_product(transpose(m), n)[2].x;\n"
    "    out[5] = determinant(near) / e / e;\n    out[6] = inverse(near)[0].y * e * e;\n"
    "    out[7] = cross(float3(near[0], 0), float3(near[1], 0)).z / e / e;\n    out[8] = fma(1 + e, 1 + e, -1 - 2 * e) / e / e;\n"
    "    out[9] = float(dot(h, half3(1)));\n    out[10] = reflect(ones, v * float3(1, 0.5, 1)).x + big;\n"
    "    float mine = global_id.x == 0 ? big : global_id.x == 1 ? 1 : global_id.x == 2 ? -big : 0;\n"
    "    float sum = subgroup_sum(mine), before = subgroup_prefix_sum(mine);\n"
    "    if (global_id.x == 3)\n    {\n        out[11] = sum;\n        out[12] = before;\n    }\n}\n";
  float big = 1e8f, e = 0x1p-12f, out[13] = { 0 };
  const float once[13] = { 1, 1, 1, 1, 1, 1, -1 - 2 * e, 1, 1, 1, 0, 1, 1 };
  struct interpret_binding bindings[] = { INTERPRETED_VALUE (big), INTERPRETED_VALUE (e), INTERPRETED_BUFFER (out) };
  struct interpreted kernels;
  struct interpret_program *program;

  interpreted_init (&kernels, "once", text);
  program = interpreted_program (&kernels, "main_", 4);
  interpreted_run (program, bindings, 4, 4, 1, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (out); i++)
    ck_assert_msg (out[i] == once[i], "out[%" G_GSIZE_FORMAT "] is %.9g, not %.9g", i, (double) out[i], (double) once[i]);
  interpret_program_free (program);
  interpreted_clear (&kernels);
}
END_TEST

static void
load_word (const uint8_t *texel, uint32_t components[4])
{
  memcpy (components, texel, 16);
}

static void
store_word (uint8_t *texel, const uint32_t components[4])
{
  memcpy (texel, components, 16);
}

/* A tick each time that a subgroup asks, whoever of it does; it goes on from run to run. */
START_TEST (test_clock)
{
  static const char text[] =
    "kernel(8)\nvoid main_(buffer<ulong> out)\n{\n    uint at = global_id.x;\n    out[at] = clock();\n"
    "    if (at % 2 == 0)\n        out[at] = clock();\n}\n";
  uint64_t out[16] = { 0 }, clock = 100;
  struct interpret_binding bindings[] = { INTERPRETED_BUFFER (out) };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { 16, 1, 1 }, .groups = { 2, 1, 1 }, .n_workers = 1,
                                         .clock = &clock };
  struct interpreted kernels;
  struct interpret_program *program;

  interpreted_init (&kernels, "clock", text);
  dispatch.program = program = interpreted_program (&kernels, "main_", 4);
  for (uint64_t run = 0; run < 2; run++)
    {
      ck_assert (interpret_run (&dispatch, NULL));
      for (uint64_t i = 0; i < 16; i++)
        ck_assert_uint_eq (out[i], 100 + 8 * run + 2 * (i / 4) + (i % 2 == 0 ? 2 : 1));
    }
  ck_assert_uint_eq (clock, 116);
  dispatch.clock = NULL;
  ck_assert (interpret_run (&dispatch, NULL));
  ck_assert_uint_eq (out[0], 2);
  interpret_program_free (program);
  interpreted_clear (&kernels);
}
END_TEST

/* A shift by one along each axis, with texels from outside. */
START_TEST (test_images)
{
  static const char text[] =
    "kernel(4, 4)\nvoid main_(const image2d<int> source, image2d<int> target, buffer<uint> size)\n{\n"
    "    int2 at = int2(global_id.xy);\n    target.write(at - int2(2, 0), source.read(at - int2(0, 1)));\n"
    "    size[0] = source.size.x + 10 * source.size.y;\n}\n";
  int32_t source[4 * 3 * 4], target[4 * 3 * 4];
  struct interpret_image images[2] = {
    { (uint8_t *) source, { 4, 3, 1 }, 16, load_word, store_word }, { (uint8_t *) target, { 4, 3, 1 }, 16, load_word, store_word }
  };
  uint32_t size = 0;
  struct interpret_binding bindings[] = { { .image = &images[0] }, { .image = &images[1] }, { .data = (uint8_t *) &size, .size = 4 } };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { 7, 5, 1 }, .groups = { 2, 2, 1 }, .n_workers = 1 };
  struct interpreted kernels;
  struct interpret_program *program;

  for (int i = 0; i < 48; i++)
    source[i] = i + 1;
  memset (target, 0xff, sizeof target);
  interpreted_init (&kernels, "images", text);
  dispatch.program = program = interpreted_program (&kernels, "main_", 16);
  ck_assert (interpret_run (&dispatch, NULL));
  ck_assert_uint_eq (size, 4 + 30);
  for (int y = 0, i = 0; y < 3; y++)
    for (int x = 0; x < 4; x++)
      for (int k = 0; k < 4; k++, i++)
        ck_assert_int_eq (target[i], x + 2 < 4 && y - 1 >= 0 ? 1 + 4 * (x + 2 + 4 * (y - 1)) + k : 0);
  interpret_program_free (program);
  interpreted_clear (&kernels);
}
END_TEST

/* Each texel of a volume to the place that is as far from the other end along z. */
START_TEST (test_volumes)
{
  struct interpreted kernels = { xir_context_new (), NULL };
  struct xir_module *module = kernels.module = xir_module_new (kernels.context, NULL);
  const struct xir_type *texture = xir_type_texture (kernels.context, 3, xir_type_scalar (kernels.context, XIR_TYPE_INT32));
  struct xir_function *kernel = xir_function_new (module, XIR_FUNCTION_KERNEL, "main_", NULL);
  struct xir_value *source = &xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, texture, "source")->value;
  struct xir_value *target = &xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, texture, "target")->value;
  struct xir_value *at = xir_special_get (module, XIR_SPECIAL_GLOBAL_ID), *axis = xir_constant_uint (module, 2), *z;
  int32_t texels[2][2 * 3 * 4 * 4] = { { 0 } };
  struct interpret_image images[2] = {
    { (uint8_t *) texels[0], { 2, 3, 4 }, 16, load_word, store_word }, { (uint8_t *) texels[1], { 2, 3, 4 }, 16, load_word, store_word }
  };
  struct interpret_binding bindings[] = { { .image = &images[0] }, { .image = &images[1] } };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { 3, 3, 5 }, .groups = { 2, 2, 2 }, .n_workers = 1 };
  struct interpret_program *program;
  struct xir_builder b;

  kernel->group_size[0] = kernel->group_size[1] = 2, kernel->group_size[2] = 3;
  xir_block_new (kernel);
  xir_builder_init (&b, kernel);
  z = xir_build_binary (&b, XIR_OP_SUB, xir_constant_uint (module, 3), xir_build_extract (&b, at, &axis, 1));
  xir_build_texture_write (&b, target, xir_build_insert (&b, at, z, &axis, 1), xir_build_texture_read (&b, source, at));
  xir_build_return (&b, NULL);
  for (int i = 0; i < 96; i++)
    texels[0][i] = i + 1;
  dispatch.program = program = interpreted_program (&kernels, "main_", 8);
  ck_assert (interpret_run (&dispatch, NULL));
  for (int i = 0; i < 96; i++)
    ck_assert_int_eq (texels[1][i], 1 + i % 24 + 24 * (3 - i / 24));
  interpret_program_free (program);
  interpreted_clear (&kernels);
}
END_TEST

/* A structure of everything goes through registers and memory of threads, whole, and comes out as it was. */
START_TEST (test_every_type)
{
  struct xir_context *context = xir_context_new ();
  struct xir_module *module = xir_module_new (context, NULL);
  const struct xir_type *members[XIR_N_TYPE_KINDS * 2], *type, *array, *buffer;
  struct xir_function *kernel = xir_function_new (module, XIR_FUNCTION_KERNEL, "main_", NULL);
  struct xir_value *in, *out, *variable, *place, *zero = xir_constant_uint (module, 0), *index;
  struct xir_builder b;
  GString *report = g_string_new (NULL);
  uint32_t n = 0;
  struct interpreted kernels = { context, module };
  struct interpret_program *program;
  uint8_t *bytes, *got;

  for (uint32_t kind = 0; kind < XIR_N_TYPE_KINDS; kind++)
    if (xir_type_scalar (context, kind) != NULL)
      {
        members[n] = xir_type_scalar (context, kind);
        members[n + 1] = xir_type_vector (context, members[n], 2 + kind % 3);
        n += 2;
      }
  type = xir_type_structure (context, 0, members, n);
  array = xir_type_array (context, type, 3);
  buffer = xir_type_buffer (context, type);
  kernel->group_size[0] = 8;
  kernel->group_size[1] = kernel->group_size[2] = 1;
  in = &xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, buffer, "in")->value;
  out = &xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, buffer, "out")->value;
  xir_block_new (kernel);
  xir_builder_init (&b, kernel);
  index = xir_build_extract (&b, xir_special_get (module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  variable = xir_build_alloca (&b, XIR_STORAGE_LOCAL, array, "variable");
  place = xir_build_gep (&b, variable, (struct xir_value *[]) { xir_build_binary (&b, XIR_OP_MOD, index,
                                                                                  xir_constant_uint (module, 3)) }, 1);
  xir_build_store (&b, place, xir_build_buffer_read (&b, in, &index, 1));
  xir_build_buffer_write (&b, out, xir_build_load (&b, place), &index, 1);
  xir_build_return (&b, NULL);
  ck_assert_msg (xir_verify_module (module, report) == 0, "%s", report->str);

  bytes = g_malloc0 (20 * type->size);
  got = g_malloc0 (20 * type->size);
  for (uint32_t thread = 0; thread < 20; thread++)
    for (gsize i = 0; i < n; i++)
      for (uint64_t k = 0; k < xir_type_lanes (members[i]) * xir_type_scalar_of (members[i])->size; k++)
        bytes[thread * type->size + type->offsets[i] + k]
          = xir_type_is_bool (members[i]) ? (thread + k) % 2 : (uint8_t) (thread * 31 + i * 17 + k * 101);
  for (uint32_t width = 1; width <= 64; width *= 8)
    {
      struct interpret_binding bindings[] = { { .data = bytes, .size = 20 * type->size }, { .data = got, .size = 20 * type->size } };
      memset (got, 0, 20 * type->size);
      program = interpreted_program (&kernels, "main_", width);
      interpreted_run (program, bindings, 20, 8, 1, 0);
      ck_assert_mem_eq (got, bytes, 20 * type->size);
      interpret_program_free (program);
    }
  g_free (bytes);
  g_free (got);
  g_string_free (report, TRUE);
  interpreted_clear (&kernels);
}
END_TEST

/* Ends. */

static const char endless[] =
  "kernel(8)\nvoid main_(buffer<int> data)\n{\n    int i = 0;\n    while (i >= 0) { i = (i + 1) % 7; data[0] = i; }\n}\n";

START_TEST (test_step_limit)
{
  int32_t data[1] = { 0 };
  struct interpret_binding bindings[] = { INTERPRETED_BUFFER (data) };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { 32, 1, 1 }, .groups = { 4, 1, 1 },
                                         .n_workers = 2, .step_limit = 10000 };
  struct interpreted kernels;
  struct interpret_program *program;
  GError *error = NULL;

  interpreted_init (&kernels, "endless", endless);
  dispatch.program = program = interpreted_program (&kernels, "main_", 8);
  ck_assert (!interpret_run (&dispatch, &error));
  ck_assert (g_error_matches (error, INTERPRET_ERROR, INTERPRET_ERROR_STEP_LIMIT));
  ck_assert_ptr_nonnull (strstr (error->message, "10000"));
  g_error_free (error);
  interpret_program_free (program);
  interpreted_clear (&kernels);
}
END_TEST

static gint cancelled;

static gpointer
cancel (gpointer data G_GNUC_UNUSED)
{
  g_usleep (20000);
  g_atomic_int_set (&cancelled, 1);
  return NULL;
}

START_TEST (test_cancelled)
{
  int32_t data[1] = { 0 };
  struct interpret_binding bindings[] = { INTERPRETED_BUFFER (data) };
  struct interpret_dispatch dispatch = { .bindings = bindings, .dispatch_size = { 32, 1, 1 }, .groups = { 4, 1, 1 },
                                         .n_workers = 2, .cancelled = &cancelled };
  struct interpreted kernels;
  struct interpret_program *program;
  GThread *thread = g_thread_new ("cancel", cancel, NULL);
  GError *error = NULL;

  interpreted_init (&kernels, "endless", endless);
  dispatch.program = program = interpreted_program (&kernels, "main_", 8);
  ck_assert (!interpret_run (&dispatch, &error));
  ck_assert (g_error_matches (error, INTERPRET_ERROR, INTERPRET_ERROR_CANCELLED));
  g_error_free (error);
  g_thread_join (thread);
  interpret_program_free (program);
  interpreted_clear (&kernels);
}
END_TEST

START_TEST (test_refusals)
{
  static const uint32_t sizes[] = { 0, 3, 128 };
  struct interpreted kernels;
  GError *error = NULL;

  interpreted_init (&kernels, "endless", endless);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      struct interpret_options options = { .subgroup_size = sizes[i] };
      ck_assert_ptr_null (interpret_program_new (kernels.module, "main_", &options, &error));
      ck_assert (g_error_matches (error, INTERPRET_ERROR, INTERPRET_ERROR_UNSUPPORTED));
      g_clear_error (&error);
    }
  ck_assert_ptr_null (interpret_program_new (kernels.module, "nobody", &(struct interpret_options) { .subgroup_size = 8 }, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "nobody"));
  g_clear_error (&error);
  interpreted_clear (&kernels);
}
END_TEST

/* A circle of calls, which only XIR can have, is an error and no endless translation. */
START_TEST (test_recursion)
{
  struct xir_context *context = xir_context_new ();
  struct xir_module *module = xir_module_new (context, NULL);
  struct xir_function *kernel = xir_function_new (module, XIR_FUNCTION_KERNEL, "main_", NULL), *functions[2];
  struct xir_builder b;
  GError *error = NULL;

  functions[0] = xir_function_new (module, XIR_FUNCTION_CALLABLE, "ping", NULL);
  functions[1] = xir_function_new (module, XIR_FUNCTION_CALLABLE, "pong", NULL);
  for (int i = 0; i < 3; i++)
    {
      struct xir_function *function = i < 2 ? functions[i] : kernel;
      xir_block_new (function);
      xir_builder_init (&b, function);
      xir_build_call (&b, functions[(i + 1) % 2], NULL, 0);
      xir_build_return (&b, NULL);
    }
  ck_assert_ptr_null (interpret_program_new (module, "main_", &(struct interpret_options) { .subgroup_size = 8 }, &error));
  ck_assert (g_error_matches (error, INTERPRET_ERROR, INTERPRET_ERROR_UNSUPPORTED));
  ck_assert_ptr_nonnull (strstr (error->message, "pong"));
  g_error_free (error);
  xir_module_free (module);
  xir_context_unref (context);
}
END_TEST

/* Each number once, whatever the seed; the same order for the same seed, another for another. */
START_TEST (test_order)
{
  static const uint64_t counts[] = { 1, 2, 3, 5, 64, 100, 1000 };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    for (uint64_t seed = 0; seed < 20; seed++)
      {
        bool seen[1000] = { false };
        struct interpret_order order, other;
        uint64_t differ = 0;

        interpret_order_init (&order, counts[i], seed);
        interpret_order_init (&other, counts[i], seed + 1);
        for (uint64_t k = 0; k < counts[i]; k++)
          {
            uint64_t at = interpret_order_at (&order, k);
            ck_assert (at < counts[i] && !seen[at]);
            seen[at] = true;
            differ += at != interpret_order_at (&other, k);
            ck_assert (seed != 0 || at == k);
          }
        ck_assert (counts[i] < 64 || differ > counts[i] / 2);
      }
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("interpret-run");
  TCase *test_case = gb_test_case (suite, "dispatches");

  tcase_add_loop_test (test_case, test_ids, 0, 7);
  tcase_add_test (test_case, test_bounds);
  tcase_add_test (test_case, test_rounded_once);
  tcase_add_test (test_case, test_clock);
  tcase_add_test (test_case, test_images);
  tcase_add_test (test_case, test_volumes);
  tcase_add_test (test_case, test_every_type);
  tcase_add_test (test_case, test_step_limit);
  tcase_add_test (test_case, test_cancelled);
  tcase_add_test (test_case, test_refusals);
  tcase_add_test (test_case, test_recursion);
  tcase_add_test (test_case, test_order);
  return suite;
}

GB_TEST_MAIN (make_suite)
