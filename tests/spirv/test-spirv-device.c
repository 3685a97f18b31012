/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compiled kernels run, by values: every scalar op against the evaluator on edge
 * values, the control-flow shapes, buffers, images, arguments. Skipped without a
 * Vulkan device. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/xir/evaluate.h"
#include "tests/spirv/device.h"
#include "tests/spirv/shapes.h"

#define N_VALUES 64              /* threads of the fixture's workgroup */
#define N_PAIRS  (32 * 32)       /* every edge value against every other */

static struct device *device;

static void
set_up (void)
{
  device = device_open ();
  ck_assert_ptr_nonnull (device);
}

static void
tear_down (void)
{
  device_close (device);
  device = NULL;
}

static void
compile_for_device (struct fixture *fixture, uint32_t level, struct spirv_result *result)
{
  struct spirv_options options = { .optimization_level = level, .xir_optimization = level >= 2 };
  GError *error = NULL;
  ck_assert_msg (spirv_compile (fixture->module, "test", &device->target, &options, result, &error), "%s",
                 error != NULL ? error->message : "");
}

static const struct spirv_dispatch_constants one_group = { .dispatch_size = { N_VALUES, 1, 1 } };

/* Control flow. */

START_TEST (test_shape)
{
  const struct shape *shape = &shapes[_i];
  for (uint32_t level = 0; level <= 3; level++)
    {
      struct fixture fixture;
      struct spirv_result result;
      int32_t input[N_VALUES] = { 0 }, output[N_VALUES] = { 0 };
      fixture_init (&fixture);
      shape_build (shape, &fixture);
      compile_for_device (&fixture, level, &result);
      for (uint32_t i = 0; i < N_VALUES; i++)
        input[i] = shape->cases[i % shape->n_cases].input;
      const struct device_argument arguments[] = { { input, sizeof input, 0, N_VALUES, 0, 0 }, { output, sizeof output, 0, N_VALUES, 0, 0 } };
      ck_assert (device_run (device, &result, arguments, &one_group));
      for (uint32_t i = 0; i < N_VALUES; i++)
        ck_assert_msg (output[i] == shape->cases[i % shape->n_cases].expected, "%s, level %u: %d gives %d, not %d", shape->name, level,
                       input[i], output[i], shape->cases[i % shape->n_cases].expected);
      spirv_result_clear (&result);
      fixture_clear (&fixture);
    }
}
END_TEST

/* Arithmetic. */

static const float edge_floats[] = {
  0.0f, -0.0f, 0.5f, -0.5f, 0.49999997f, -0.49999997f, 1.0f, -1.0f, 1.5f, -1.5f, 2.5f, -2.5f, 3.0f, -7.25f, 10.0f,
  8388607.5f, -8388609.0f, 2147483520.0f, 2147483648.0f, -2147483648.0f, 4294967040.0f, 4294967296.0f, 1e10f, -1e10f,
  3.0e38f, INFINITY, -INFINITY, NAN, 0.1f, 100.75f, -5.5f, 0.99999994f
};

static const uint32_t edge_integers[] = {
  0, 1, 2, 3, 7, 31, 32, 33, 40, 255, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xfffffff8, 0x55555555, 0x00010000, 63, 64
};

/* The edge value number `i`, round and round. */
static uint32_t
edge_bits (enum xir_type_kind kind, uint32_t i)
{
  uint32_t bits;
  if (kind == XIR_TYPE_FLOAT32)
    memcpy (&bits, &edge_floats[i % G_N_ELEMENTS (edge_floats)], sizeof bits);
  else if (kind == XIR_TYPE_BOOL)
    bits = i & 1;
  else
    bits = edge_integers[i % G_N_ELEMENTS (edge_integers)];
  return bits;
}

static bool
takes (enum xir_operand_rule rule, enum xir_type_kind kind)
{
  switch (rule)
    {
    case XIR_OPERANDS_NUMERIC:
      return kind != XIR_TYPE_BOOL;
    case XIR_OPERANDS_INTEGER:
    case XIR_OPERANDS_SHIFT:
      return kind == XIR_TYPE_INT32 || kind == XIR_TYPE_UINT32;
    case XIR_OPERANDS_INTBOOL:
      return kind != XIR_TYPE_FLOAT32;
    case XIR_OPERANDS_FLOAT:
      return kind == XIR_TYPE_FLOAT32;
    case XIR_OPERANDS_UNSIGNED:
      return kind == XIR_TYPE_UINT32;
    case XIR_OPERANDS_SAME:
      return true;
    default:
      return false;
    }
}

/* Equal bits for exact ops but for NaN payloads and the sign of zero of min and max;
 * bounded ones within `tolerance` of the evaluator, relative. */
static bool
agrees (enum xir_op op, enum xir_type_kind kind, bool exact, uint32_t got, uint32_t wanted)
{
  float a, b;
  if (got == wanted)
    return true;
  if (kind != XIR_TYPE_FLOAT32)
    return false;
  memcpy (&a, &got, sizeof a);
  memcpy (&b, &wanted, sizeof b);
  if (isnan (b))
    return isnan (a);
  bool signs_are_free = op == XIR_OP_MIN || op == XIR_OP_MAX || op == XIR_OP_CLAMP || op == XIR_OP_SATURATE;
  if (signs_are_free && a == 0.0f && b == 0.0f)
    return true;
  if (exact)
    return false;
  if (a == b)
    return true;
  /* Denormals are free, and a result next to overflow may be either side of it. */
  if (fabsf (b) < 1e-37f && fabsf (a) < 1e-37f)
    return true;
  if (isinf (b) || isinf (a))
    return fabsf (isinf (b) ? a : b) > 1e38f;
  return fabsf (a - b) <= 1e-3f * fabsf (b) + 2e-6f;
}

static struct xir_value *
constant_of (struct fixture *fixture, const struct xir_type *type, uint32_t bits)
{
  if (xir_type_is_bool (type))
    return xir_constant_bool (fixture->module, bits != 0);
  return xir_constant_get (fixture->module, type, &bits);
}

struct op_run
{
  enum xir_op op;
  uint32_t n_operands;
  enum xir_type_kind kinds[3];
  enum xir_type_kind result;
};

/* Where GLSL's functions say nothing, or a driver is known to be far off. */
static bool
in_domain (enum xir_op op, const uint32_t bits[3])
{
  float x, y;
  memcpy (&x, &bits[0], sizeof x);
  memcpy (&y, &bits[1], sizeof y);
  switch (op)
    {
    case XIR_OP_ACOS:
    case XIR_OP_ASIN:
    case XIR_OP_ATANH:
      return fabsf (x) < 1.0f;
    case XIR_OP_ACOSH:
      return x >= 1.0f && x < 1e6f;
    case XIR_OP_ASINH:
    case XIR_OP_SINH:
    case XIR_OP_COSH:
    case XIR_OP_TANH:
      return fabsf (x) < 80.0f;
    case XIR_OP_SIN:
    case XIR_OP_COS:
    case XIR_OP_TAN:
      return fabsf (x) < 200.0f;
    case XIR_OP_ATAN2:
      return isfinite (x) && isfinite (y) && (x != 0.0f || y != 0.0f) && fabsf (x) < 1e20f && fabsf (y) < 1e20f;
    case XIR_OP_ATAN:
      return !isnan (x);
    case XIR_OP_EXP:
    case XIR_OP_EXP2:
    case XIR_OP_EXP10:
      return fabsf (x) < 30.0f;
    case XIR_OP_LOG:
    case XIR_OP_LOG2:
    case XIR_OP_LOG10:
      return x > 0.0f && isfinite (x);
    case XIR_OP_POW:
      return isfinite (x) && fabsf (x) < 200.0f && fabsf (y) < 12.0f && x != 0.0f;
    case XIR_OP_POW_INT:
      return isfinite (x) && fabsf (x) < 200.0f && x != 0.0f && ((int32_t) bits[1] < 12 && (int32_t) bits[1] > -12);
    case XIR_OP_SQRT:
    case XIR_OP_RSQRT:
      return x > 0.0f && isfinite (x);
    case XIR_OP_DIV:
      return isfinite (x) && isfinite (y) && fabsf (y) < 1e30f;
    case XIR_OP_LERP:
    case XIR_OP_FMA:
    case XIR_OP_SMOOTHSTEP:
      for (int i = 0; i < 3; i++)
        {
          float z;
          memcpy (&z, &bits[i], sizeof z);
          if (!(fabsf (z) < 1e6f))
            return false;
        }
      return op != XIR_OP_SMOOTHSTEP || x < y;
    default:
      return true;
    }
}

/* Runs one op over all edge values, shifted against each other by one more each 32 threads. */
static void
run_op (const struct op_run *run, uint32_t level)
{
  struct fixture fixture;
  struct spirv_result result;
  uint32_t data[4][N_PAIRS];
  struct device_argument arguments[4];
  struct xir_value *operands[3], *buffers[4];
  fixture_init (&fixture);
  const struct xir_type *result_type = fixture_type (&fixture, run->result, 1);
  uint32_t n = run->n_operands;
  struct xir_value *zero = fixture_uint (&fixture, 0);
  for (uint32_t i = 0; i <= n; i++)
    {
      enum xir_type_kind kind = i < n ? run->kinds[i] : run->result;
      const struct xir_type *stored = fixture_type (&fixture, kind == XIR_TYPE_BOOL ? XIR_TYPE_UINT32 : kind, 1);
      buffers[i] = fixture_argument (&fixture, XIR_ARGUMENT_RESOURCE, xir_type_buffer (fixture.context, stored), "buffer");
      arguments[i] = (struct device_argument) { data[i], sizeof data[i], 0, N_PAIRS, 0, 0 };
    }
  struct xir_value *thread = xir_build_extract (&fixture.builder, xir_special_get (fixture.module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  for (uint32_t i = 0; i < n; i++)
    {
      operands[i] = xir_build_buffer_read (&fixture.builder, buffers[i], &thread, 1);
      if (run->kinds[i] == XIR_TYPE_BOOL)
        operands[i] = xir_build_cast (&fixture.builder, fixture_type (&fixture, XIR_TYPE_BOOL, 1), operands[i]);
    }
  struct xir_value *value = xir_build_op (&fixture.builder, run->op, result_type, operands, n);
  if (run->result == XIR_TYPE_BOOL)
    value = xir_build_cast (&fixture.builder, fixture_type (&fixture, XIR_TYPE_UINT32, 1), value);
  xir_build_buffer_write (&fixture.builder, buffers[n], value, &thread, 1);
  xir_build_return (&fixture.builder, NULL);
  compile_for_device (&fixture, level, &result);
  memset (data, 0, sizeof data);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < N_PAIRS; k++)
      data[i][k] = edge_bits (run->kinds[i], i == 0 ? k : i == 1 ? k + k / 32 : k * 3 + k / 32);
  const struct spirv_dispatch_constants dispatch = { .dispatch_size = { N_PAIRS, 1, 1 } };
  ck_assert (device_run (device, &result, arguments, &dispatch));
  for (uint32_t k = 0; k < N_PAIRS; k++)
    {
      struct xir_value *constants[3];
      uint32_t bits[3] = { 0, 0, 0 }, wanted = 0;
      for (uint32_t i = 0; i < n; i++)
        {
          bits[i] = data[i][k];
          constants[i] = constant_of (&fixture, fixture_type (&fixture, run->kinds[i], 1), bits[i]);
        }
      bool exact = xir_op_class (run->op, constants[0]->type) == XIR_CLASS_EXACT;
      if (!exact && !in_domain (run->op, bits))
        continue;
      struct xir_value *folded = xir_evaluate (fixture.module, run->op, result_type, constants, n, NULL);
      ck_assert_msg (folded != NULL, "%s is not evaluated", xir_op_info (run->op)->mnemonic);
      memcpy (&wanted, xir_value_constant (folded)->data, folded->type->size);
      ck_assert_msg (agrees (run->op, run->result, exact, data[n][k], wanted),
                     "%s (kind %d) of %08x %08x %08x at level %u: device %08x, evaluator %08x", xir_op_info (run->op)->mnemonic,
                     (int) run->kinds[0], bits[0], bits[1], bits[2], level, data[n][k], wanted);
    }
  spirv_result_clear (&result);
  fixture_clear (&fixture);
}

static const enum xir_type_kind kinds[] = { XIR_TYPE_FLOAT32, XIR_TYPE_INT32, XIR_TYPE_UINT32, XIR_TYPE_BOOL };

static void
run_casts (enum xir_op op, uint32_t level)
{
  for (guint from = 0; from < G_N_ELEMENTS (kinds); from++)
    for (guint to = 0; to < G_N_ELEMENTS (kinds); to++)
      if (op == XIR_OP_CAST || (kinds[from] != XIR_TYPE_BOOL && kinds[to] != XIR_TYPE_BOOL))
        run_op (&(struct op_run) { op, 1, { kinds[from] }, kinds[to] }, level);
}

START_TEST (test_op)
{
  enum xir_op op = (enum xir_op) _i;
  const struct xir_op_info *info = xir_op_info (op);
  if ((info->flags & XIR_FLAG_FOLD) == 0)
    return;
  for (uint32_t level = 0; level <= 3; level += 3)
    {
      if (op == XIR_OP_CAST || op == XIR_OP_BITCAST)
        run_casts (op, level);
      else if (op == XIR_OP_POW_INT)
        run_op (&(struct op_run) { op, 2, { XIR_TYPE_FLOAT32, XIR_TYPE_INT32 }, XIR_TYPE_FLOAT32 }, level);
      else if (op == XIR_OP_SELECT)
        run_op (&(struct op_run) { op, 3, { XIR_TYPE_INT32, XIR_TYPE_INT32, XIR_TYPE_BOOL }, XIR_TYPE_INT32 }, level);
      else
        for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
          if (takes (info->operands, kinds[k]) && info->result != XIR_RESULT_ELEMENT && info->min_operands <= 3)
            run_op (&(struct op_run) { op, (uint32_t) info->min_operands, { kinds[k], kinds[k], kinds[k] },
                                       info->result == XIR_RESULT_BOOL_SHAPE ? XIR_TYPE_BOOL : kinds[k] }, level);
    }
}
END_TEST

/* Vectors: what mixes lanes, moves them, or calls a function for each. */

struct vector_run
{
  enum xir_op op;
  enum xir_type_kind kind;
  uint32_t n_operands;
  int32_t exponent;              /* pow_int: 99 takes it from memory */
};

static const struct vector_run vector_runs[] = {
  { XIR_OP_CROSS, XIR_TYPE_FLOAT32, 2, 0 }, { XIR_OP_DOT, XIR_TYPE_FLOAT32, 2, 0 }, { XIR_OP_LENGTH, XIR_TYPE_FLOAT32, 1, 0 },
  { XIR_OP_LENGTH_SQUARED, XIR_TYPE_FLOAT32, 1, 0 }, { XIR_OP_NORMALIZE, XIR_TYPE_FLOAT32, 1, 0 },
  { XIR_OP_FACEFORWARD, XIR_TYPE_FLOAT32, 3, 0 }, { XIR_OP_REFLECT, XIR_TYPE_FLOAT32, 2, 0 },
  { XIR_OP_REDUCE_SUM, XIR_TYPE_FLOAT32, 1, 0 }, { XIR_OP_REDUCE_PRODUCT, XIR_TYPE_FLOAT32, 1, 0 },
  { XIR_OP_REDUCE_MIN, XIR_TYPE_FLOAT32, 1, 0 }, { XIR_OP_REDUCE_MAX, XIR_TYPE_FLOAT32, 1, 0 },
  { XIR_OP_REDUCE_SUM, XIR_TYPE_INT32, 1, 0 }, { XIR_OP_REDUCE_PRODUCT, XIR_TYPE_UINT32, 1, 0 },
  { XIR_OP_REDUCE_MIN, XIR_TYPE_INT32, 1, 0 }, { XIR_OP_REDUCE_MAX, XIR_TYPE_INT32, 1, 0 }, { XIR_OP_REDUCE_MIN, XIR_TYPE_UINT32, 1, 0 },
  { XIR_OP_ROUND, XIR_TYPE_FLOAT32, 1, 0 }, { XIR_OP_DIV, XIR_TYPE_INT32, 2, 0 }, { XIR_OP_MOD, XIR_TYPE_INT32, 2, 0 },
  { XIR_OP_MOD, XIR_TYPE_FLOAT32, 2, 0 }, { XIR_OP_ROTATE_LEFT, XIR_TYPE_INT32, 2, 0 }, { XIR_OP_CTZ, XIR_TYPE_UINT32, 1, 0 },
  { XIR_OP_COPYSIGN, XIR_TYPE_FLOAT32, 2, 0 }, { XIR_OP_POW_INT, XIR_TYPE_FLOAT32, 2, 99 }, { XIR_OP_POW_INT, XIR_TYPE_FLOAT32, 2, -3 },
  { XIR_OP_POW_INT, XIR_TYPE_FLOAT32, 2, 5 }, { XIR_OP_POW_INT, XIR_TYPE_FLOAT32, 2, 0 }, { XIR_OP_POW, XIR_TYPE_FLOAT32, 2, 0 }
};

/* Moderate numbers, so that the bounds of agrees () hold for sums of products too. */
static uint32_t
moderate_bits (enum xir_type_kind kind, uint32_t i, bool exponent)
{
  static const float floats[] = { 1.0f, -2.0f, 0.5f, 3.0f, -0.25f, 4.5f, -1.5f, 7.0f, 2.5f, -3.5f, 1.25f };
  static const int32_t integers[] = { 5, -3, 0, 1, -1, 7, 100, -100, INT32_MIN, 2, INT32_MAX };
  uint32_t bits;
  if (exponent)
    return (uint32_t) ((int32_t) (i % 7) - 3);
  if (kind == XIR_TYPE_FLOAT32)
    memcpy (&bits, &floats[i % G_N_ELEMENTS (floats)], sizeof bits);
  else
    bits = (uint32_t) integers[i % G_N_ELEMENTS (integers)];
  return bits;
}

static void
run_vector (const struct vector_run *run, uint32_t lanes, uint32_t level)
{
  struct fixture f;
  struct spirv_result result;
  static uint32_t data[4][N_VALUES * 4];
  struct device_argument arguments[4];
  struct xir_value *operands[3], *buffers[4];
  const struct xir_type *types[4];
  uint32_t n = run->n_operands, slot = 0;
  fixture_init (&f);
  struct xir_value *zero = fixture_uint (&f, 0);
  struct xir_value *thread = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  bool whole = run->exponent == 99, to_scalar = xir_op_info (run->op)->result == XIR_RESULT_ELEMENT;
  for (uint32_t i = 0; i < n; i++)
    {
      bool exponent = run->op == XIR_OP_POW_INT && i == 1;
      types[i] = fixture_type (&f, exponent ? XIR_TYPE_INT32 : run->kind, lanes);
      for (uint32_t k = 0; k < N_VALUES * 4; k++)
        data[i][k] = exponent && !whole ? (uint32_t) run->exponent : moderate_bits (run->kind, k * (i + 1) + i, exponent);
      if (exponent && !whole)
        {
          operands[i] = xir_constant_splat (f.module, types[i], fixture_int (&f, run->exponent));
          continue;
        }
      buffers[i] = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, types[i]), "in");
      operands[i] = xir_build_buffer_read (&f.builder, buffers[i], &thread, 1);
      arguments[slot++] = (struct device_argument) { data[i], sizeof data[i], 0, N_VALUES, 0, 0 };
    }
  const struct xir_type *result_type = to_scalar ? fixture_type (&f, run->kind, 1) : types[0];
  struct xir_value *out = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, result_type), "out");
  arguments[slot++] = (struct device_argument) { data[3], sizeof data[3], 0, N_VALUES, 0, 0 };
  xir_build_buffer_write (&f.builder, out, xir_build_op (&f.builder, run->op, result_type, operands, n), &thread, 1);
  xir_build_return (&f.builder, NULL);
  compile_for_device (&f, level, &result);
  ck_assert (device_run (device, &result, arguments, &one_group));
  uint32_t stride = lanes == 2 ? 2 : 4, out_stride = to_scalar ? 1 : stride, out_lanes = to_scalar ? 1 : lanes;
  for (uint32_t k = 0; k < N_VALUES; k++)
    {
      struct xir_value *constants[3];
      for (uint32_t i = 0; i < n; i++)
        {
          uint8_t bytes[16] = { 0 };
          memcpy (bytes, data[i] + k * stride, lanes * 4);
          constants[i] = xir_constant_get (f.module, types[i], bytes);
        }
      struct xir_value *folded = xir_evaluate (f.module, run->op, result_type, constants, n, NULL);
      ck_assert_msg (folded != NULL, "%s is not evaluated", xir_op_info (run->op)->mnemonic);
      bool exact = xir_op_class (run->op, types[0]) == XIR_CLASS_EXACT;
      for (uint32_t lane = 0; lane < out_lanes; lane++)
        {
          uint32_t wanted;
          memcpy (&wanted, xir_value_constant (folded)->data + lane * 4, sizeof wanted);
          ck_assert_msg (agrees (run->op, run->kind, exact, data[3][k * out_stride + lane], wanted),
                         "%s of %u lanes at level %u, thread %u, lane %u: device %08x, evaluator %08x", xir_op_info (run->op)->mnemonic,
                         lanes, level, k, lane, data[3][k * out_stride + lane], wanted);
        }
    }
  spirv_result_clear (&result);
  fixture_clear (&f);
}

START_TEST (test_vector)
{
  const struct vector_run *run = &vector_runs[_i];
  for (uint32_t lanes = run->op == XIR_OP_CROSS ? 3 : 2; lanes <= (run->op == XIR_OP_CROSS ? 3 : 4); lanes++)
    for (uint32_t level = 0; level <= 3; level += 3)
      run_vector (run, lanes, level);
}
END_TEST

/* Dynamic places in values: vector and array, read and replaced; a table of constants. */
START_TEST (test_dynamic_places)
{
  struct fixture f;
  struct spirv_result result;
  fixture_init (&f);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_INT32, 1), *four = fixture_type (&f, XIR_TYPE_INT32, 4);
  const struct xir_type *array = xir_type_array (f.context, four, 3);
  const int32_t numbers[] = { 10, 20, 30, 40 };
  struct xir_value *vector = fixture_source (&f, four, 0), *zero = fixture_int (&f, 0);
  struct xir_value *i = xir_build_binary (&f.builder, XIR_OP_AND, xir_build_extract (&f.builder, vector, &zero, 1), fixture_int (&f, 3));
  struct xir_value *row = xir_build_binary (&f.builder, XIR_OP_MOD, i, fixture_int (&f, 3));
  struct xir_value *from_table = xir_build_extract (&f.builder, xir_constant_get (f.module, xir_type_array (f.context, scalar, 4), numbers), &i, 1);
  struct xir_value *parts[] = { vector, vector, vector }, *path[] = { row, i };
  struct xir_value *whole = xir_build_aggregate (&f.builder, array, parts, 3);
  whole = xir_build_insert (&f.builder, whole, from_table, path, 2);
  struct xir_value *back = xir_build_extract (&f.builder, whole, &row, 1);
  const struct xir_type *members[] = { four, array };
  struct xir_value *pair_parts[] = { vector, whole }, *pair_path[] = { fixture_int (&f, 1), row, i };
  struct xir_value *pair = xir_build_aggregate (&f.builder, xir_type_structure (f.context, 0, members, 2), pair_parts, 2);
  fixture_sink (&f, xir_build_insert (&f.builder, back, xir_build_extract (&f.builder, pair, pair_path, 3), &zero, 1));
  xir_build_return (&f.builder, NULL);
  for (uint32_t level = 0; level <= 3; level++)
    {
      int32_t in[N_VALUES * 4], out[N_VALUES * 4];
      for (int32_t k = 0; k < N_VALUES * 4; k++)
        in[k] = k / 4 + 100 * (k % 4);
      compile_for_device (&f, level, &result);
      const struct device_argument arguments[] = { { in, sizeof in, 0, N_VALUES, 0, 0 }, { out, sizeof out, 0, N_VALUES, 0, 0 } };
      ck_assert (device_run (device, &result, arguments, &one_group));
      for (int32_t k = 0; k < N_VALUES; k++)
        for (int32_t lane = 0; lane < 4; lane++)
          {
            int32_t wanted = lane == k % 4 || lane == 0 ? numbers[k % 4] : in[k * 4 + lane];
            ck_assert_msg (out[k * 4 + lane] == wanted, "level %u, thread %d, lane %d: %d, not %d", level, k, lane, out[k * 4 + lane], wanted);
          }
      spirv_result_clear (&result);
    }
  fixture_clear (&f);
}
END_TEST

/* Arguments: values of every kind, views of buffers, in push constants and in the block. */
START_TEST (test_arguments)
{
  for (int large = 0; large < 2; large++)
    {
      struct fixture f;
      struct spirv_result result;
      fixture_init (&f);
      const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1), *three = fixture_type (&f, XIR_TYPE_FLOAT32, 3);
      const struct xir_type *members[] = { three, scalar, xir_type_array (f.context, scalar, large ? 100 : 3) };
      const struct xir_type *structure = xir_type_structure (f.context, 0, members, 3);
      struct xir_value *flag = fixture_argument (&f, XIR_ARGUMENT_VALUE, fixture_type (&f, XIR_TYPE_BOOL, 1), "flag");
      struct xir_value *parameters = fixture_argument (&f, XIR_ARGUMENT_VALUE, structure, "parameters");
      struct xir_value *buffer = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, scalar), "view");
      struct xir_value *zero = fixture_int (&f, 0);
      struct xir_value *thread = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
      struct xir_value *x = xir_build_buffer_read (&f.builder, buffer, &thread, 1);
      struct xir_value *remainder = xir_build_binary (&f.builder, XIR_OP_MOD, thread, fixture_uint (&f, 3));
      struct xir_value *path[] = { fixture_int (&f, 2), remainder }, *y_of_first[] = { fixture_int (&f, 0), fixture_int (&f, 1) };
      struct xir_value *second[] = { fixture_int (&f, 1) };
      x = xir_build_binary (&f.builder, XIR_OP_ADD, x, xir_build_extract (&f.builder, parameters, path, 2));
      x = xir_build_binary (&f.builder, XIR_OP_MUL, x, xir_build_extract (&f.builder, parameters, y_of_first, 2));
      x = xir_build_binary (&f.builder, XIR_OP_ADD, x, xir_build_extract (&f.builder, parameters, second, 1));
      struct xir_value *length = xir_build_cast (&f.builder, scalar, xir_build_buffer_size (&f.builder, buffer));
      x = xir_build_ternary (&f.builder, XIR_OP_SELECT, length, x, flag);
      xir_build_buffer_write (&f.builder, buffer, x, &thread, 1);
      xir_build_return (&f.builder, NULL);
      for (uint32_t level = 0; level <= 3; level++)
        {
          float data[20], host[108] = { 0 };
          uint32_t yes = level != 1;
          host[1] = 2.0f;          /* parameters.0.y */
          host[3] = 0.5f;          /* a float behind a float3 of 16 bytes stands at 16 */
          host[4] = 0.25f;
          for (int i = 0; i < 3; i++)
            host[5 + i] = (float) (10 * i);
          for (int i = 0; i < 20; i++)
            data[i] = (float) i;
          compile_for_device (&f, level, &result);
          ck_assert_int_eq (result.arguments_in_block, large);
          ck_assert_uint_eq (result.arguments[1].size, structure->size);
          const struct device_argument arguments[] = { { &yes, 4, 0, 0, 0, 0 }, { host, sizeof host, 0, 0, 0, 0 }, { data, sizeof data, 4, 9, 0, 0 } };
          const struct spirv_dispatch_constants dispatch = { .dispatch_size = { 9, 1, 1 } };
          ck_assert (device_run (device, &result, arguments, &dispatch));
          for (int i = 0; i < 20; i++)
            {
              bool inside = i >= 4 && i < 13;
              float wanted = !inside ? (float) i : yes ? ((float) i + (float) (10 * ((i - 4) % 3))) * 2.0f + 0.25f : 9.0f;
              ck_assert_msg (data[i] == wanted, "block %d, level %u, element %d: %g, not %g", large, level, i, (double) data[i], (double) wanted);
            }
          spirv_result_clear (&result);
        }
      fixture_clear (&f);
    }
}
END_TEST

/* A fast_math helper must not take zeros, infinities and NaN from the kernel that calls it. */
START_TEST (test_fast_helper)
{
  for (uint32_t level = 0; level <= 3; level++)
    {
      struct fixture f;
      struct spirv_result result;
      float in[4] = { 3e38f, 0.0f, 3.0f, NAN }, out[4] = { 7, 7, 7, 7 };
      fixture_init_text (&f,
                         "[[fast_math]] float h(float x) { return x * 2.0; }\n"
                         "kernel(1) void test(const buffer<float> a, buffer<float> o)\n"
                         "{\n"
                         "  o[0] = (a[0] / 1e30) / 1e30;\n"
                         "  o[1] = (a[1] * a[2]) / a[1];\n"
                         "  o[2] = a[3] * 0.0;\n"
                         "  o[3] = h(1.0);\n"
                         "}\n");
      compile_for_device (&f, level, &result);
      const struct device_argument arguments[] = { { in, sizeof in, 0, 4, 0, 0 }, { out, sizeof out, 0, 4, 0, 0 } };
      const struct spirv_dispatch_constants dispatch = { .dispatch_size = { 1, 1, 1 } };
      ck_assert (device_run (device, &result, arguments, &dispatch));
      ck_assert_msg (out[0] > 2.9e-22f && out[0] < 3.1e-22f, "level %u: %g", level, (double) out[0]);
      ck_assert_msg (isnan (out[1]), "level %u: %g", level, (double) out[1]);
      ck_assert_msg (isnan (out[2]), "level %u: %g", level, (double) out[2]);
      ck_assert_msg (out[3] == 2.0f, "level %u: %g", level, (double) out[3]);
      spirv_result_clear (&result);
      fixture_clear (&f);
    }
}
END_TEST

/* A28: { float, float3, float, int2, struct { float3 } [2] } by the documented offsets; whole elements and parts. */
START_TEST (test_layout)
{
  struct fixture f;
  struct spirv_result result;
  fixture_init (&f);
  const struct xir_type *scalar = fixture_type (&f, XIR_TYPE_FLOAT32, 1), *three = fixture_type (&f, XIR_TYPE_FLOAT32, 3);
  const struct xir_type *inner = xir_type_structure (f.context, 0, &three, 1);
  const struct xir_type *members[] = { scalar, three, scalar, fixture_type (&f, XIR_TYPE_INT32, 2), xir_type_array (f.context, inner, 2) };
  const struct xir_type *structure = xir_type_structure (f.context, 0, members, 5);
  struct xir_value *from = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, structure), "from");
  struct xir_value *to = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, structure), "to");
  struct xir_value *zero = fixture_int (&f, 0);
  struct xir_value *thread = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  struct xir_value *whole = xir_build_buffer_read (&f.builder, from, &thread, 1);
  xir_build_buffer_write (&f.builder, to, whole, &thread, 1);
  struct xir_value *path[] = { thread, fixture_int (&f, 4), fixture_int (&f, 1), fixture_int (&f, 0), fixture_int (&f, 2) };
  xir_build_buffer_write (&f.builder, to, fixture_float (&f, 77.0f), path, 5);
  xir_build_return (&f.builder, NULL);
  ck_assert_uint_eq (structure->offsets[1], 16);
  ck_assert_uint_eq (structure->offsets[4], 48);
  ck_assert_uint_eq (structure->size, 80);
  for (uint32_t level = 0; level <= 3; level++)
    {
      uint32_t in[40], out[40];
      compile_for_device (&f, level, &result);
      for (uint32_t i = 0; i < 40; i++)
        {
          in[i] = 1000 + i;
          out[i] = 0xaaaaaaaa;
        }
      const struct device_argument arguments[] = { { in, sizeof in, 0, 2, 0, 0 }, { out, sizeof out, 0, 2, 0, 0 } };
      const struct spirv_dispatch_constants dispatch = { .dispatch_size = { 2, 1, 1 } };
      ck_assert (device_run (device, &result, arguments, &dispatch));
      static const uint32_t words[] = { 0, 4, 5, 6, 8, 10, 11, 12, 13, 14, 16, 17 };
      const float last = 77.0f;
      uint32_t last_bits;
      memcpy (&last_bits, &last, sizeof last_bits);
      for (uint32_t element = 0; element < 2; element++)
        {
          for (guint i = 0; i < G_N_ELEMENTS (words); i++)
            ck_assert_uint_eq (out[element * 20 + words[i]], in[element * 20 + words[i]]);
          ck_assert_uint_eq (out[element * 20 + 18], last_bits);
          /* Padding is nobody's to write. */
          ck_assert_uint_eq (out[element * 20 + 1], 0xaaaaaaaa);
          ck_assert_uint_eq (out[element * 20 + 15], 0xaaaaaaaa);
          ck_assert_uint_eq (out[element * 20 + 19], 0xaaaaaaaa);
        }
      spirv_result_clear (&result);
    }
  fixture_clear (&f);
}
END_TEST

START_TEST (test_images)
{
  static const enum xir_type_kind components[] = { XIR_TYPE_FLOAT32, XIR_TYPE_INT32, XIR_TYPE_UINT32 };
  struct fixture f;
  struct spirv_result result;
  fixture_init (&f);
  const struct xir_type *component = fixture_type (&f, components[_i], 1);
  const struct xir_type *texture = xir_type_texture (f.context, 2, component), *two = fixture_type (&f, XIR_TYPE_UINT32, 2);
  f.kernel->group_size[0] = f.kernel->group_size[1] = 8;
  struct xir_value *from = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, texture, "from"), *to = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, texture, "to");
  xir_value_argument (from)->is_const = true;
  static const uint8_t xy[] = { 0, 1 };
  struct xir_value *place = xir_build_shuffle (&f.builder, xir_special_get (f.module, XIR_SPECIAL_GLOBAL_ID), xy, 2);
  struct xir_value *size = xir_build_texture_size (&f.builder, from);
  struct xir_value *one = xir_constant_splat (f.module, two, fixture_uint (&f, 1));
  struct xir_value *mirrored = xir_build_binary (&f.builder, XIR_OP_SUB, xir_build_binary (&f.builder, XIR_OP_SUB, size, one), place);
  struct xir_value *texel = xir_build_texture_read (&f.builder, from, mirrored);
  xir_build_texture_write (&f.builder, to, place, xir_build_binary (&f.builder, XIR_OP_ADD, texel, xir_build_texture_read (&f.builder, to, place)));
  xir_build_return (&f.builder, NULL);
  for (uint32_t level = 0; level <= 3; level++)
    {
      uint32_t in[4 * 15], out[4 * 15];
      for (uint32_t i = 0; i < 60; i++)
        {
          float value = (float) i, old = (float) (100 + i);
          memcpy (&in[i], &value, sizeof value);
          memcpy (&out[i], &old, sizeof old);
          if (component->kind != XIR_TYPE_FLOAT32)
            {
              in[i] = i;
              out[i] = 100 + i;
            }
        }
      compile_for_device (&f, level, &result);
      const struct device_argument arguments[] = { { in, sizeof in, 0, 0, 5, 3 }, { out, sizeof out, 0, 0, 5, 3 } };
      const struct spirv_dispatch_constants dispatch = { .dispatch_size = { 5, 3, 1 } };
      ck_assert (device_run (device, &result, arguments, &dispatch));
      for (uint32_t i = 0; i < 60; i++)
        {
          float wanted = (float) (4 * (14 - i / 4) + i % 4 + 100 + i);
          uint32_t bits = (uint32_t) wanted;
          if (component->kind == XIR_TYPE_FLOAT32)
            memcpy (&bits, &wanted, sizeof bits);
          ck_assert_uint_eq (out[i], bits);
        }
      spirv_result_clear (&result);
    }
  fixture_clear (&f);
}
END_TEST

/* Threads outside the dispatch do nothing; a split dispatch counts its groups from the offset. */
START_TEST (test_dispatch)
{
  struct fixture f;
  struct spirv_result result;
  fixture_init (&f);
  struct xir_value *zero = fixture_uint (&f, 0);
  struct xir_value *buffer = fixture_argument (&f, XIR_ARGUMENT_RESOURCE, xir_type_buffer (f.context, zero->type), "out");
  struct xir_value *thread = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  struct xir_value *group = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_GROUP_ID), &zero, 1);
  struct xir_value *local = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_LOCAL_ID), &zero, 1);
  struct xir_value *of_group = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_GROUP_SIZE), &zero, 1);
  struct xir_value *all = xir_build_extract (&f.builder, xir_special_get (f.module, XIR_SPECIAL_DISPATCH_SIZE), &zero, 1);
  struct xir_value *sum = xir_build_binary (&f.builder, XIR_OP_MUL, group, fixture_uint (&f, 1000));
  sum = xir_build_binary (&f.builder, XIR_OP_ADD, sum, local);
  sum = xir_build_binary (&f.builder, XIR_OP_ADD, sum, xir_build_binary (&f.builder, XIR_OP_MUL, all, fixture_uint (&f, 100000)));
  sum = xir_build_binary (&f.builder, XIR_OP_ADD, sum, of_group);
  sum = xir_build_binary (&f.builder, XIR_OP_ADD, sum, xir_special_get (f.module, XIR_SPECIAL_KERNEL_ID));
  xir_build_buffer_write (&f.builder, buffer, sum, &thread, 1);
  xir_build_return (&f.builder, NULL);
  compile_for_device (&f, 2, &result);
  uint32_t data[256];
  memset (data, 0xff, sizeof data);
  const struct device_argument arguments[] = { { data, sizeof data, 0, 256, 0, 0 } };
  const struct spirv_dispatch_constants dispatch = { .dispatch_size = { 150, 1, 1 }, .kernel_id = 5, .group_offset = { 1, 0, 0 } };
  ck_assert (device_run (device, &result, arguments, &dispatch));
  for (uint32_t i = 0; i < 256; i++)
    {
      uint32_t wanted = i < 64 || i >= 150 ? UINT32_MAX : i / 64 * 1000 + i % 64 + 150 * 100000 + 64 + 5;
      ck_assert_msg (data[i] == wanted, "thread %u: %u, not %u", i, data[i], wanted);
    }
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv device");
  TCase *test_case = gb_test_case (suite, "values");
  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_loop_test (test_case, test_shape, 0, (int) n_shapes);
  tcase_add_loop_test (test_case, test_op, 0, XIR_N_OPS);
  tcase_add_loop_test (test_case, test_vector, 0, (int) G_N_ELEMENTS (vector_runs));
  tcase_add_test (test_case, test_dynamic_places);
  tcase_add_test (test_case, test_arguments);
  tcase_add_test (test_case, test_fast_helper);
  tcase_add_test (test_case, test_layout);
  tcase_add_loop_test (test_case, test_images, 0, 3);
  tcase_add_test (test_case, test_dispatch);
  return suite;
}

int
main (void)
{
  return device_test_main (make_suite);
}
