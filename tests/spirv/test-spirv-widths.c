/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scalars of every width on a device: each op against the evaluator at edge values, all
 * conversions between all kinds. Skipped without a Vulkan device. */

#include "config.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/xir/evaluate-private.h"
#include "codegen/xir/evaluate.h"
#include "tests/spirv/device.h"
#include "tests/spirv/fixture.h"

#define N_THREADS 4096

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

/* All but 32 bits, which test-spirv-device has. */
static const enum xir_type_kind computed[] = {
  XIR_TYPE_INT8, XIR_TYPE_UINT8, XIR_TYPE_INT16, XIR_TYPE_UINT16, XIR_TYPE_INT64, XIR_TYPE_UINT64, XIR_TYPE_FLOAT16,
  XIR_TYPE_FLOAT64
};

static const enum xir_type_kind all_kinds[] = {
  XIR_TYPE_BOOL, XIR_TYPE_INT8, XIR_TYPE_UINT8, XIR_TYPE_INT16, XIR_TYPE_UINT16, XIR_TYPE_INT32, XIR_TYPE_UINT32,
  XIR_TYPE_INT64, XIR_TYPE_UINT64, XIR_TYPE_FLOAT16, XIR_TYPE_FLOAT32, XIR_TYPE_FLOAT64, XIR_TYPE_BFLOAT16,
  XIR_TYPE_FLOAT8_E4M3, XIR_TYPE_FLOAT8_E5M2
};

static const double edge_reals[] = {
  0.0, 0.5, 0.49999997, 1.0, 1.5, 2.5, 3.0, 7.25, 10.0, 127.5, 128.0, 255.9, 256.0, 448.0, 464.0, 465.0, 2047.5, 32767.0,
  32768.0, 57344.0, 61440.0, 65504.0, 65519.0, 65520.0, 65536.0, 8388607.5, 2147483647.0, 2147483648.0, 4294967295.5,
  4294967296.0, 9007199254740993.0, 9223372036854774784.0, 9223372036854775808.0, 18446744073709549568.0,
  18446744073709551616.0, 1e10, 3.0e38, 1e300, 0.1, 100.75, 0.99999994, 1.0009765625, 1.00048828125, 1.000488281250000222,
  1.00390625, 1.003906250000000222, 1.0625, 0.0009765625, 6.103515625e-5, 6.0e-5, 5.9604644775390625e-8,
  2.98023223876953125e-8, 2.98023223876953162e-8, 0.001953125, 0.0009765625001, 1.52587890625e-5, 1e-10
};

static const uint64_t edge_integers[] = {
  0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 100, 127, 128, 129, 254, 255, 256, 257, 259, 32767, 32768, 65535, 65536,
  0x1000001, 0x1010000, 0x1010001, 0x1030000, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_C (0x100000001),
  UINT64_C (0x4040000000000000), UINT64_C (0x4040000000000001), UINT64_C (0x1010000000001), UINT64_C (0x101000000000),
  UINT64_C (0x0123456789abcdef), UINT64_C (0x5555555555555555), UINT64_C (0x7fffffffffffffff), UINT64_C (0x8000000000000000),
  UINT64_C (0x8000000000000001), UINT64_C (0xfffffffffffffff8), UINT64_C (0xfffffffffffffffe), UINT64_MAX
};

/* Edge value number `i` of a kind, round and round. The 256 of a byte are all tried. */
static uint64_t
edge_bits (enum xir_type_kind kind, uint32_t i)
{
  uint32_t n = 2 * G_N_ELEMENTS (edge_reals) + 3;
  if (evaluate_width (kind) == 8)
    return i & 0xff;
  if (kind == XIR_TYPE_BOOL)
    return i & 1;
  if (!evaluate_is_real (kind))
    return edge_integers[i % G_N_ELEMENTS (edge_integers)] & (UINT64_MAX >> (64 - evaluate_width (kind)));
  i %= n;
  if (i >= n - 3)
    return evaluate_bits_of_real (kind, i == n - 1 ? (double) NAN : i == n - 2 ? INFINITY : -INFINITY);
  return evaluate_bits_of_real (kind, i % 2 == 0 ? edge_reals[i / 2] : -edge_reals[i / 2]);
}

struct op_run
{
  enum xir_op op;
  uint32_t n_operands;
  enum xir_type_kind kinds[3];
  enum xir_type_kind result;
};

static bool
takes (enum xir_operand_rule rule, enum xir_type_kind kind)
{
  switch (rule)
    {
    case XIR_OPERANDS_NUMERIC:
    case XIR_OPERANDS_SAME:
      return true;
    case XIR_OPERANDS_INTEGER:
    case XIR_OPERANDS_INTBOOL:
    case XIR_OPERANDS_SHIFT:
      return evaluate_is_integer (kind);
    case XIR_OPERANDS_UNSIGNED:
      return evaluate_is_integer (kind) && !evaluate_is_signed (kind);
    case XIR_OPERANDS_FLOAT:
      return evaluate_is_float (kind);
    default:
      return false;
    }
}

/* Functions that have no double. */
static bool
is_transcendental (enum xir_op op)
{
  return op >= XIR_OP_ACOS && op <= XIR_OP_POW;
}

/* Bounded ops where their operands and results are no extremes. */
static bool
is_tame (const struct op_run *run, const uint64_t bits[3])
{
  double x[3];
  for (uint32_t i = 0; i < run->n_operands; i++)
    {
      x[i] = evaluate_is_real (run->kinds[i]) ? evaluate_real_of_bits (run->kinds[i], bits[i]) : 0;
      if (!(fabs (x[i]) < 100) || (x[i] != 0 && fabs (x[i]) < 0.01))
        return false;
    }
  switch (run->op)
    {
    case XIR_OP_ACOS:
    case XIR_OP_ASIN:
    case XIR_OP_ATANH:
      return fabs (x[0]) < 0.9;
    case XIR_OP_ACOSH:
      return x[0] > 1;
    case XIR_OP_SINH:
    case XIR_OP_COSH:
    case XIR_OP_EXP:
    case XIR_OP_EXP2:
    case XIR_OP_EXP10:
      return fabs (x[0]) < 4;
    case XIR_OP_LOG:
    case XIR_OP_LOG2:
    case XIR_OP_LOG10:
    case XIR_OP_SQRT:
    case XIR_OP_RSQRT:
      return x[0] > 0;
    case XIR_OP_TAN:
      return fabs (x[0]) < 1.2;
    case XIR_OP_ATAN2:
      return x[0] != 0 || x[1] != 0;
    case XIR_OP_POW:
      return x[0] > 0 && fabs (x[1] * log (x[0])) < 5;
    case XIR_OP_POW_INT:
      return fabs (x[0]) > 0.4 && fabs (x[0]) < 3;
    case XIR_OP_DIV:
      return x[1] != 0;
    case XIR_OP_SMOOTHSTEP:
      return x[0] < x[1];
    default:
      return true;
    }
}

static bool
agrees (enum xir_op op, enum xir_type_kind kind, bool exact, uint64_t got, uint64_t wanted)
{
  double a, b;
  if (got == wanted)
    return true;
  if (!evaluate_is_real (kind))
    return false;
  a = evaluate_real_of_bits (kind, got);
  b = evaluate_real_of_bits (kind, wanted);
  if (isnan (b))
    return isnan (a);
  if (a == 0 && b == 0)
    return !exact || op == XIR_OP_MIN || op == XIR_OP_MAX || op == XIR_OP_CLAMP || op == XIR_OP_SATURATE;
  if (exact)
    return false;
  return fabs (a - b) <= (kind == XIR_TYPE_FLOAT16 ? 1e-2 : 1e-6) * fabs (b) + (kind == XIR_TYPE_FLOAT16 ? 2e-2 : 1e-6);
}

static const struct xir_type *
stored_type (struct fixture *fixture, enum xir_type_kind kind)
{
  return fixture_type (fixture, kind == XIR_TYPE_BOOL ? XIR_TYPE_UINT32 : kind, 1);
}

static void
put (enum xir_type_kind kind, uint8_t *data, uint32_t i, uint64_t bits)
{
  const struct evaluate_lane lane = { .bits = bits };
  uint32_t size = kind == XIR_TYPE_BOOL ? 4 : evaluate_width (kind) / 8;
  evaluate_store (kind == XIR_TYPE_BOOL ? XIR_TYPE_UINT32 : kind, &lane, data + (gsize) i * size);
}

static uint64_t
get (enum xir_type_kind kind, const uint8_t *data, uint32_t i)
{
  struct evaluate_lane lane;
  uint32_t size = kind == XIR_TYPE_BOOL ? 4 : evaluate_width (kind) / 8;
  evaluate_load (kind == XIR_TYPE_BOOL ? XIR_TYPE_UINT32 : kind, data + (gsize) i * size, &lane);
  return lane.bits;
}

static void
build (struct fixture *fixture, const struct op_run *run, uint32_t lanes)
{
  struct xir_builder *b = &fixture->builder;
  struct xir_value *operands[3], *buffers[4], *zero = fixture_uint (fixture, 0);
  const struct xir_type *result = fixture_type (fixture, run->result, lanes);
  for (uint32_t i = 0; i <= run->n_operands; i++)
    {
      const struct xir_type *type = stored_type (fixture, i < run->n_operands ? run->kinds[i] : run->result);
      buffers[i] = fixture_argument (fixture, XIR_ARGUMENT_RESOURCE, xir_type_buffer (fixture->context, type), "buffer");
    }
  struct xir_value *thread = xir_build_extract (b, xir_special_get (fixture->module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  for (uint32_t i = 0; i < run->n_operands; i++)
    {
      operands[i] = xir_build_buffer_read (b, buffers[i], &thread, 1);
      if (run->kinds[i] == XIR_TYPE_BOOL)
        operands[i] = xir_build_cast (b, fixture_type (fixture, XIR_TYPE_BOOL, 1), operands[i]);
      struct xir_value *parts[4] = { operands[i], operands[i], operands[i], operands[i] };
      if (lanes > 1)
        operands[i] = xir_build_aggregate (b, fixture_type (fixture, run->kinds[i], lanes), parts, lanes);
    }
  struct xir_value *value = xir_build_op (b, run->op, result, operands, run->n_operands);
  struct xir_value *last = fixture_uint (fixture, lanes - 1);
  if (lanes > 1)
    value = xir_build_extract (b, value, &last, 1);
  if (run->result == XIR_TYPE_BOOL)
    value = xir_build_cast (b, fixture_type (fixture, XIR_TYPE_UINT32, 1), value);
  xir_build_buffer_write (b, buffers[run->n_operands], value, &thread, 1);
  xir_build_return (b, NULL);
}

static void
compare (struct fixture *fixture, const struct op_run *run, uint32_t level, uint8_t *const data[4])
{
  for (uint32_t k = 0; k < N_THREADS; k++)
    {
      struct xir_value *constants[3];
      uint64_t bits[3] = { 0, 0, 0 }, is = get (run->result, data[run->n_operands], k), wanted;
      struct evaluate_lane lane;
      for (uint32_t i = 0; i < run->n_operands; i++)
        {
          uint8_t bytes[8];
          bits[i] = get (run->kinds[i], data[i], k);
          evaluate_store (run->kinds[i], &(struct evaluate_lane) { .bits = bits[i] }, bytes);
          constants[i] = xir_constant_get (fixture->module, fixture_type (fixture, run->kinds[i], 1), bytes);
        }
      bool exact = xir_op_class (run->op, constants[0]->type) == XIR_CLASS_EXACT;
      if (!exact && !is_tame (run, bits))
        continue;
      struct xir_value *folded = xir_evaluate (fixture->module, run->op, fixture_type (fixture, run->result, 1), constants,
                                               run->n_operands, NULL);
      ck_assert_msg (folded != NULL, "%s is not evaluated", xir_op_info (run->op)->mnemonic);
      evaluate_load (run->result, xir_value_constant (folded)->data, &lane);
      wanted = lane.bits;
      ck_assert_msg (agrees (run->op, run->result, exact, is, wanted),
                     "%s (%s to %s) of %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
                     "x at level %u: device %" G_GINT64_MODIFIER "x, evaluator %" G_GINT64_MODIFIER "x",
                     xir_op_info (run->op)->mnemonic, constants[0]->type->text, folded->type->text, bits[0], bits[1], bits[2],
                     level, is, wanted);
    }
}

static bool
has_kind (enum xir_type_kind kind)
{
  uint64_t features = device->target.features;
  switch (kind)
    {
    case XIR_TYPE_INT64:
    case XIR_TYPE_UINT64:
      return (features & UINT64_C (1) << SPIRV_FEATURE_INT64) != 0;
    case XIR_TYPE_FLOAT64:
      return (features & UINT64_C (1) << SPIRV_FEATURE_FLOAT64) != 0;
    default:
      return true;
    }
}

/* Runs one op over edge values, the second operand going through all of its while the first stands. */
static void
run_op (const struct op_run *run, uint32_t lanes, uint32_t level)
{
  struct fixture fixture;
  struct spirv_result result;
  uint8_t *data[4];
  struct device_argument arguments[4];
  GError *error = NULL;
  for (uint32_t i = 0; i <= run->n_operands; i++)
    if (!has_kind (i < run->n_operands ? run->kinds[i] : run->result))
      return;
  fixture_init (&fixture);
  build (&fixture, run, lanes);
  const struct spirv_options options = { .optimization_level = level, .xir_optimization = level >= 2 };
  ck_assert_msg (spirv_compile (fixture.module, "test", &device->target, &options, &result, &error), "%s (%s): %s",
                 xir_op_info (run->op)->mnemonic, fixture_type (&fixture, run->kinds[0], 1)->text,
                 error != NULL ? error->message : "");
  for (uint32_t i = 0; i <= run->n_operands; i++)
    {
      gsize size = (gsize) N_THREADS * stored_type (&fixture, i < run->n_operands ? run->kinds[i] : run->result)->size;
      data[i] = g_malloc0 (size);
      arguments[i] = (struct device_argument) { data[i], size, 0, N_THREADS, 0, 0 };
      for (uint32_t k = 0; k < N_THREADS && i < run->n_operands; k++)
        put (run->kinds[i], data[i], k, edge_bits (run->kinds[i], i == 0 ? k / 97 + k % 97 * 7 : i == 1 ? k : k * 3 + k / 32));
    }
  const struct spirv_dispatch_constants dispatch = { .dispatch_size = { N_THREADS, 1, 1 } };
  ck_assert (device_run (device, &result, arguments, &dispatch));
  compare (&fixture, run, level, data);
  for (uint32_t i = 0; i <= run->n_operands; i++)
    g_free (data[i]);
  spirv_result_clear (&result);
  fixture_clear (&fixture);
}

START_TEST (test_op)
{
  enum xir_op op = (enum xir_op) _i;
  const struct xir_op_info *info = xir_op_info (op);
  if ((info->flags & XIR_FLAG_FOLD) == 0 || info->result == XIR_RESULT_ELEMENT || info->min_operands > 3)
    return;
  for (guint k = 0; k < G_N_ELEMENTS (computed); k++)
    {
      enum xir_type_kind kind = computed[k];
      struct op_run run = { op, (uint32_t) info->min_operands, { kind, kind, kind },
                            info->result == XIR_RESULT_BOOL_SHAPE ? XIR_TYPE_BOOL : kind };
      if (op == XIR_OP_POW_INT)
        run.kinds[1] = XIR_TYPE_INT32;
      else if (op == XIR_OP_SELECT)
        run.kinds[2] = XIR_TYPE_BOOL;
      else if (!takes (info->operands, kind))
        continue;
      if ((op == XIR_OP_POW_INT && !evaluate_is_float (kind)) || (kind == XIR_TYPE_FLOAT64 && is_transcendental (op)))
        continue;
      for (uint32_t level = 0; level <= 3; level += 3)
        run_op (&run, level == 0 ? 3 : 1, level);
      if (info->operands == XIR_OPERANDS_SHIFT)
        {
          run.kinds[1] = kind == XIR_TYPE_INT64 ? XIR_TYPE_INT32 : XIR_TYPE_UINT64;
          run_op (&run, 1, 1);
        }
    }
}
END_TEST

/* From one kind to all. */
START_TEST (test_cast)
{
  for (guint to = 0; to < G_N_ELEMENTS (all_kinds); to++)
    for (uint32_t level = 0; level <= 3; level++)
      run_op (&(struct op_run) { XIR_OP_CAST, 1, { all_kinds[_i] }, all_kinds[to] }, level % 3 + 1, level);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv widths");
  TCase *test_case = gb_test_case (suite, "values");
  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_loop_test (test_case, test_op, 0, XIR_N_OPS);
  tcase_add_loop_test (test_case, test_cast, 0, (int) G_N_ELEMENTS (all_kinds));
  return suite;
}

int
main (void)
{
  return device_test_main (make_suite);
}
