/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads together, by values from a device: shared memory and barriers in workgroups
 * of many sizes, atomics native and by words, subgroups. Skipped without a Vulkan device. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/spirv/device.h"
#include "tests/spirv/fixture.h"

#define N_WORDS 4096
#define BIT(feature) (UINT64_C (1) << (feature))

static const uint64_t float_atomics
  = BIT (SPIRV_FEATURE_BUFFER_FLOAT32_ATOMICS) | BIT (SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_ADD)
    | BIT (SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_MIN_MAX) | BIT (SPIRV_FEATURE_SHARED_FLOAT32_ATOMICS)
    | BIT (SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_ADD) | BIT (SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_MIN_MAX);

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
}

/* One compile of one text, in every way that there is: `way` counts them. */
struct bench
{
  struct fixture fixture;
  struct spirv_result result;
  struct spirv_target target;
};

#define N_WAYS 16

static void
bench_init (struct bench *bench, const char *text, unsigned way)
{
  GError *error = NULL;
  struct spirv_options options = { .optimization_level = way % 4, .xir_optimization = way / 4 % 2 != 0, .verify_passes = true,
                                   .bounds_checks = way / 4 % 2 == 0 };
  fixture_init_text (&bench->fixture, text);
  bench->target = device->target;
  if (way >= 8)
    bench->target.features &= ~float_atomics;
  bool done = spirv_compile (bench->fixture.module, "test", &bench->target, &options, &bench->result, &error);
  ck_assert_msg (done, "%s\n%s", text, error != NULL ? error->message : "");
  ck_assert_uint_eq (bench->result.required_features & ~bench->target.features, 0);
}

static void
bench_clear (struct bench *bench)
{
  spirv_result_clear (&bench->result);
  fixture_clear (&bench->fixture);
}

/* Arguments of the kernel in order, all of them buffers of words. */
static void
bench_run (struct bench *bench, const uint32_t size[3], uint32_t **buffers)
{
  struct device_argument arguments[4] = { { NULL, 0, 0, 0, 0, 0 } };
  struct spirv_dispatch_constants dispatch = { .dispatch_size = { size[0], size[1], size[2] } };
  for (uint32_t i = 0; i < bench->result.n_arguments; i++)
    arguments[i] = (struct device_argument) { buffers[i], N_WORDS * 4, 0,
                                              N_WORDS * 4 / (uint32_t) bench->result.arguments[i].type->element->size, 0, 0 };
  ck_assert (device_run (device, &bench->result, arguments, &dispatch));
}

/* Compiles in every way, and runs with fresh buffers: `fill` before, `check` behind. */
struct test
{
  const char *text;
  uint32_t size[3];
  void (*fill) (uint32_t *in, uint32_t *out);
  void (*check) (const uint32_t *in, const uint32_t *out, const struct bench *bench);
};

static void
run_everywhere (const struct test *test)
{
  uint32_t *in = g_new (uint32_t, N_WORDS), *out = g_new (uint32_t, N_WORDS);
  for (unsigned way = 0; way < N_WAYS; way++)
    {
      struct bench bench;
      memset (in, 0, N_WORDS * 4);
      memset (out, 0, N_WORDS * 4);
      if (test->fill != NULL)
        test->fill (in, out);
      bench_init (&bench, test->text, way);
      uint32_t *buffers[] = { in, out };
      bench_run (&bench, test->size, buffers);
      test->check (in, out, &bench);
      bench_clear (&bench);
    }
  g_free (in);
  g_free (out);
}

static float
real (uint32_t bits)
{
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static uint32_t
bits_of (float value)
{
  uint32_t bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static void
fill_numbers (uint32_t *in, uint32_t *out)
{
  for (uint32_t i = 0; i < N_WORDS; i++)
    in[i] = i * 2654435761u >> 8;
}

/* Shared memory and barriers. */

static const uint32_t group_sizes[][3] = {
  { 1, 1, 1 }, { 3, 1, 1 }, { 7, 1, 1 }, { 8, 1, 1 }, { 32, 1, 1 }, { 64, 1, 1 }, { 100, 1, 1 }, { 256, 1, 1 }, { 1024, 1, 1 },
  { 5, 3, 1 }, { 16, 16, 1 }, { 4, 4, 4 }, { 1, 1, 9 }
};

/* Each workgroup turns its part around, then sums it up in log2 steps. */
START_TEST (test_shared)
{
  const uint32_t *group = group_sizes[_i];
  uint32_t n = group[0] * group[1] * group[2], *in = g_new0 (uint32_t, N_WORDS), *out = g_new0 (uint32_t, N_WORDS);
  char *text = g_strdup_printf ("kernel(%u, %u, %u) void test(const buffer<uint> in, buffer<uint> out)\n"
                                "{\n"
                                "    shared uint part[%u];\n"
                                "    shared uint2 sums[%u];\n"
                                "    uint l = (local_id.z * group_size.y + local_id.y) * group_size.x + local_id.x;\n"
                                "    uint first = ((group_id.z * num_groups.y + group_id.y) * num_groups.x + group_id.x) * %u;\n"
                                "    part[l] = in[first + l];\n"
                                "    barrier();\n"
                                "    out[first + l] = part[%u - l];\n"
                                "    sums[l] = uint2(part[l], 1);\n"
                                "    for (uint step = 1; step < %u; step *= 2)\n"
                                "    {\n"
                                "        barrier();\n"
                                "        uint2 other = uint2(0);\n"
                                "        if (l >= step) other = sums[l - step];\n"
                                "        barrier();\n"
                                "        sums[l] += other;\n"
                                "    }\n"
                                "    out[2048 + first + l] = sums[l].x;\n"
                                "    if (sums[l].y != l + 1) out[2048 + first + l] = 0;\n"
                                "}\n", group[0], group[1], group[2], n, n, n, n - 1, n);
  fill_numbers (in, out);
  for (unsigned way = 0; way < N_WAYS / 2; way++)
    {
      struct bench bench;
      uint32_t *buffers[] = { in, out };
      const uint32_t size[] = { group[0] * 2, group[1], group[2] };
      memset (out, 0, N_WORDS * 4);
      bench_init (&bench, text, way);
      ck_assert (bench.result.needs_whole_groups);
      bench_run (&bench, size, buffers);
      for (uint32_t i = 0, sum = 0; i < 2 * n; i++)
        {
          uint32_t first = i / n * n;
          sum = i == first ? in[i] : sum + in[i];
          ck_assert_uint_eq (out[i], in[first + n - 1 - (i - first)]);
          ck_assert_uint_eq (out[2048 + i], sum);
        }
      bench_clear (&bench);
    }
  g_free (text);
  g_free (in);
  g_free (out);
}
END_TEST

/* Threads past the dispatch run to the barrier, and in_dispatch tells them. */
static void
check_partial (const uint32_t *in, const uint32_t *out, const struct bench *bench)
{
  ck_assert (!bench->result.needs_whole_groups);
  for (uint32_t i = 0; i < 128; i++)
    ck_assert_uint_eq (out[i], i < 100 ? 64 * 1000 + (i < 64 ? 64 : 36) : 0);
  ck_assert_uint_eq (out[200], 2);
  ck_assert_uint_eq (out[201], 28);
}

START_TEST (test_partial_groups)
{
  const struct test test = {
    "kernel(64) void test(const buffer<uint> in, buffer<uint> out)\n"
    "{\n"
    "    shared uint all;\n"
    "    shared uint inside;\n"
    "    if (local_id.x == 0) { all = 0; inside = 0; }\n"
    "    barrier();\n"
    "    atomic_add(all, 1);\n"
    "    if (in_dispatch()) atomic_add(inside, 1);\n"
    "    else atomic_add(out[201], 1);\n"
    "    barrier();\n"
    "    if (in_dispatch()) out[global_id.x] = all * 1000 + inside;\n"
    "    if (local_id.x == 0) out[200] = num_groups.x;\n"
    "}\n", { 100, 1, 1 }, NULL, check_partial
  };
  run_everywhere (&test);
}
END_TEST

/* A kernel whose threads do not meet leaves early and needs nothing. */
static void
check_alone (const uint32_t *in, const uint32_t *out, const struct bench *bench)
{
  ck_assert (!bench->result.needs_whole_groups);
  for (uint32_t i = 0; i < 128; i++)
    ck_assert_uint_eq (out[i], i < 100);
}

START_TEST (test_no_barrier)
{
  const struct test test = {
    "void f(buffer<uint> o) { o[global_id.x] += 1; }\n"
    "void unused() { barrier(); }\n"
    "kernel(64) void other() { unused(); }\n"
    "kernel(64) void test(const buffer<uint> in, buffer<uint> out) { f(out); }\n", { 100, 1, 1 }, NULL, check_alone
  };
  run_everywhere (&test);
}
END_TEST

/* Atomics. */

static void
fill_integers (uint32_t *in, uint32_t *out)
{
  out[2] = 1000;
  out[4] = UINT32_MAX;
  out[10] = (uint32_t) -5;
  out[11] = 7;
}

static void
check_integers (const uint32_t *in, const uint32_t *out, const struct bench *bench)
{
  static const uint32_t wanted[12] = { 2016, (uint32_t) -2016, 0, 63, 0xffffff00u, 0x3f, 0, 42, 64, 0, 3, (uint32_t) -60 };
  bool seen[64] = { false };
  uint32_t won = 0;
  for (int i = 0; i < 12; i++)
    ck_assert_msg (i == 9 ? out[i] < 64 : out[i] == wanted[i], "word %d: %u", i, out[i]);
  for (uint32_t i = 0; i < 64; i++)
    {
      /* The old values of adding one are all that there were; one thread alone sees the old 0 (case A32). */
      ck_assert_uint_lt (out[100 + i], 64);
      ck_assert (!seen[out[100 + i]]);
      seen[out[100 + i]] = true;
      ck_assert (out[200 + i] == 0 || out[200 + i] == 42);
      won += out[200 + i] == 0;
    }
  ck_assert_uint_eq (won, 1);
  ck_assert_uint_eq (bench->result.arguments[1].usage, SPIRV_USAGE_READ | SPIRV_USAGE_WRITE);
  ck_assert_uint_eq (bench->result.required_features & float_atomics, 0);
}

/* AT(n) is a word of the buffer, or of shared memory. */
static const char integer_text[] =
  "struct S { int numbers[2]; uint words[9]; };\n"
  "kernel(64) void test(const buffer<uint> in, buffer<uint> out)\n"
  "{\n"
  "    shared S s;\n"
  "    uint l = local_id.x;\n"
  "    if (l < 9) s.words[l] = out[l];\n"
  "    if (l < 2) s.numbers[l] = int(out[10 + l]);\n"
  "    barrier();\n"
  "    atomic_add(AT(0), l);\n"
  "    atomic_sub(AT(1), l);\n"
  "    atomic_min(AT(2), l);\n"
  "    atomic_max(AT(3), l);\n"
  "    atomic_and(AT(4), ~(1u << (l % 8)));\n"
  "    atomic_or(AT(5), 1u << (l % 6));\n"
  "    atomic_xor(AT(6), l);\n"
  "    out[100 + l] = atomic_add(AT(8), 1);\n"
  "    out[200 + l] = atomic_compare_exchange(AT(7), 0, 42);\n"
  "    atomic_exchange(out[9], l);\n"
  "    atomic_max(s.numbers[0], int(l / 16));\n"
  "    atomic_min(s.numbers[1], 3 - int(l));\n"
  "    barrier();\n"
  "    uint mine = l < 9 ? AT(l) : 0;\n"
  "    if (l < 9) out[l] = mine;\n"
  "    if (l < 2) out[10 + l] = uint(s.numbers[l]);\n"
  "}\n";

START_TEST (test_integer_atomics)
{
  char **parts = g_strsplit (integer_text, "AT(", -1);
  GString *text = g_string_new (parts[0]);
  for (int i = 1; parts[i] != NULL; i++)
    {
      *strchr (parts[i], ')') = ']';
      g_string_append_printf (text, "%s[%s", _i == 0 ? "out" : "s.words", parts[i]);
    }
  g_strfreev (parts);
  const struct test test = { text->str, { 64, 1, 1 }, fill_integers, check_integers };
  run_everywhere (&test);
  g_string_free (text, TRUE);
}
END_TEST

/* Sixty-four threads add one; what they saw is 0 to 63, each once (case A33). */
static void
check_sums (const uint32_t *in, const uint32_t *out, const struct bench *bench)
{
  for (int which = 0; which < 2; which++)
    {
      bool seen[64] = { false };
      ck_assert (real (out[which]) == 64.0f);
      for (uint32_t i = 0; i < 64; i++)
        {
          float old = real (out[64 * (which + 1) + i]);
          ck_assert_msg (old >= 0 && old < 64 && old == floorf (old) && !seen[(int) old], "%g", (double) old);
          seen[(int) old] = true;
        }
    }
  ck_assert (real (out[2]) == -2016.0f);
  bool native = (bench->target.features & float_atomics) != 0;
  ck_assert_int_eq ((bench->result.required_features & float_atomics) != 0, native);
}

START_TEST (test_float_sums)
{
  const struct test test = {
    "kernel(64) void test(const buffer<float> in, buffer<float> out)\n"
    "{\n"
    "    shared float sum;\n"
    "    uint l = local_id.x;\n"
    "    if (l == 0) sum = 0.0;\n"
    "    barrier();\n"
    "    out[64 + l] = atomic_add(out[0], 1.0);\n"
    "    out[128 + l] = atomic_add(sum, 1.0);\n"
    "    atomic_sub(out[2], float(l));\n"
    "    barrier();\n"
    "    if (l == 0) out[1] = sum;\n"
    "}\n", { 64, 1, 1 }, NULL, check_sums
  };
  run_everywhere (&test);
}
END_TEST

/* Every other float atomic, on parts of structures, with special values. */
static void
fill_floats (uint32_t *in, uint32_t *out)
{
  out[0] = bits_of (100.0f);
  out[8] = bits_of (NAN);
  out[20] = bits_of (-0.0f);
  out[21] = bits_of (NAN);
}

static void
check_floats (const uint32_t *in, const uint32_t *out, const struct bench *bench)
{
  uint32_t zero_sum = 0;
  ck_assert (real (out[0]) == -63.0f);
  ck_assert (real (out[1]) == 31.5f);
  ck_assert (real (out[8]) == 5.0f);                    /* min with one NaN: the other */
  ck_assert (real (out[2]) == -63.0f && real (out[3]) == 31.5f);
  /* Bits are compared: 0 is not -0, and a NaN is what it is. */
  ck_assert_uint_eq (out[20], bits_of (7.0f));
  ck_assert_uint_eq (out[21], bits_of (8.0f));
  ck_assert_uint_eq (out[22], bits_of (-0.0f));
  ck_assert (isnan (real (out[23])));
  ck_assert_uint_eq (out[24], bits_of (-0.0f));
  /* Exchanges hand each value on once. */
  for (uint32_t i = 0; i < 64; i++)
    zero_sum += (uint32_t) real (out[64 + i]) + (uint32_t) real (out[128 + i]);
  ck_assert_uint_eq (zero_sum + (uint32_t) real (out[4]) + (uint32_t) real (out[5]), 2 * 2080);
  ck_assert (real (out[6]) == 10.0f);
  ck_assert (real (out[7]) == 10.0f);
}

START_TEST (test_float_atomics)
{
  const struct test test = {
    "struct S { float low, high; float2 pair; float a[3]; int n; };\n"
    "kernel(64) void test(const buffer<float> in, buffer<float> out)\n"
    "{\n"
    "    shared S s;\n"
    "    uint l = local_id.x;\n"
    "    float x = float(l);\n"
    "    S begin = { 100.0, 0.0, float2(0, 0), { 0, 0, 0 }, 3 };\n"
    "    if (l == 0) s = begin;\n"
    "    barrier();\n"
    "    atomic_min(out[0], -x);\n"
    "    atomic_max(out[1], x / 2);\n"
    "    if (l == 5) atomic_min(out[8], x);\n"
    "    atomic_min(s.low, -x);\n"
    "    atomic_max(s.a[l % 3], x / 2);\n"
    "    out[64 + l] = atomic_exchange(out[4], x + 1);\n"
    "    out[128 + l] = atomic_exchange(s.pair.y, x + 1);\n"
    "    if (l == 1)\n"
    "    {\n"
    "        out[24] = atomic_compare_exchange(out[20], 0.0, 6.0);\n"
    "        out[22] = atomic_compare_exchange(out[20], -0.0, 7.0);\n"
    "        out[23] = atomic_compare_exchange(out[21], bitcast<float>(0x7fc00000), 8.0);\n"
    "    }\n"
    "    while (atomic_add(out[16], 1.0) < 73.0)\n"
    "        atomic_add(out[6], 1.0);\n"
    "    for (int i = 0; atomic_compare_exchange(s.pair.x, float(i), float(i) + 1) == float(i) && i < 10; i++)\n"
    "        if (l == 99) break;\n"
    "    barrier();\n"
    "    if (l == 0)\n"
    "    {\n"
    "        S all = s;\n"
    "        out[2] = all.low;\n"
    "        out[3] = max(all.a[0], max(all.a[1], s.a[2]));\n"
    "        out[5] = s.pair.y;\n"
    "        out[7] = min(s.pair.x, 10.0);\n"
    "        out[6] = out[16] - 127;\n"
    "        if (s.n != 3) out[2] = 0;\n"
    "    }\n"
    "}\n", { 64, 1, 1 }, fill_floats, check_floats
  };
  run_everywhere (&test);
}
END_TEST

/* With bounds checks an atomic out of range gives zero and changes nothing. */
static void
fill_sevens (uint32_t *in, uint32_t *out)
{
  for (uint32_t i = 0; i < N_WORDS; i++)
    out[i] = 7;
}

static void
check_bounds (const uint32_t *in, const uint32_t *out, const struct bench *bench)
{
  static const uint32_t wanted[] = { 0, 0, 7, 0, 0, 7 };
  for (uint32_t i = 0; i < G_N_ELEMENTS (wanted); i++)
    ck_assert_msg (out[i] == wanted[i], "word %u: %u", i, out[i]);
  for (uint32_t i = G_N_ELEMENTS (wanted); i < N_WORDS; i++)
    ck_assert_uint_eq (out[i], 7);
}

START_TEST (test_bounds)
{
  const char *text = "kernel(8) void test(buffer<uint> in, buffer<uint2> out)\n"
                     "{\n"
                     "    shared uint a[4];\n"
                     "    uint far = in[1] + 2048;\n"
                     "    if (local_id.x < 4) a[local_id.x] = 5;\n"
                     "    barrier();\n"
                     "    uint x = local_id.x == 0 ? atomic_add(out[far].x, 1) : 9;\n"
                     "    uint y = local_id.x == 0 ? atomic_exchange(a[far], 1) : 9;\n"
                     "    uint z = local_id.x == 0 ? atomic_compare_exchange(out[2][far], 7, 1) : 9;\n"
                     "    barrier();\n"
                     "    if (local_id.x == 0)\n"
                     "    {\n"
                     "        out[0] = uint2(x, y);\n"
                     "        out[1].y = z;\n"
                     "        out[2].x = a[0] + a[1] + a[2] + a[3] - 20;\n"
                     "    }\n"
                     "}\n";
  uint32_t *in = g_new0 (uint32_t, N_WORDS), *out = g_new0 (uint32_t, N_WORDS);
  for (unsigned way = 0; way < 4; way++)
    {
      struct bench bench;
      uint32_t *buffers[] = { in, out };
      const uint32_t size[] = { 8, 1, 1 };
      fill_sevens (in, out);
      bench_init (&bench, text, way);
      bench_run (&bench, size, buffers);
      check_bounds (in, out, &bench);
      bench_clear (&bench);
    }
  g_free (in);
  g_free (out);
}
END_TEST

/* Subgroups. */

/* The kernel writes what each op gave to its own row; the host computes the same from subgroups of the device's size
 * within a workgroup of N threads, all or every third of them active. */
enum row
{
  ROW_LANE, ROW_SUM, ROW_PRODUCT, ROW_MIN, ROW_MAX, ROW_AND, ROW_OR, ROW_XOR, ROW_ALL, ROW_ANY, ROW_COUNT, ROW_BALLOT, ROW_PREFIX_SUM,
  ROW_PREFIX_PRODUCT, ROW_PREFIX_COUNT, ROW_READ, ROW_READ_FIRST, ROW_IS_FIRST, ROW_EQUAL, ROW_FLOAT, ROW_VECTOR, N_ROWS
};

#define ROW_SIZE 128

static const char subgroup_text[] =
  "kernel(%u) void test(const buffer<uint> in, buffer<uint> out)\n"
  "{\n"
  "    uint l = local_id.x;\n"
  "    uint x = in[l];\n"
  "    bool odd = (x & 1) == 1;\n"
  "    out[l] = subgroup_lane * 1000 + subgroup_size;\n"
  "    if (l %% %u == 0)\n"
  "    {\n"
  "        out[128 * 1 + l] = subgroup_sum(x);\n"
  "        out[128 * 2 + l] = subgroup_product(x | 1);\n"
  "        out[128 * 3 + l] = uint(subgroup_min(int(x) - 100));\n"
  "        out[128 * 4 + l] = subgroup_max(x);\n"
  "        out[128 * 5 + l] = subgroup_and(x | 8);\n"
  "        out[128 * 6 + l] = subgroup_or(x);\n"
  "        out[128 * 7 + l] = subgroup_xor(x);\n"
  "        out[128 * 8 + l] = uint(subgroup_all(odd));\n"
  "        out[128 * 9 + l] = uint(subgroup_any(odd));\n"
  "        out[128 * 10 + l] = subgroup_count(odd);\n"
  "        uint4 ballot = subgroup_ballot(odd);\n"
  "        out[128 * 11 + l] = ballot.x ^ ballot.z;\n"
  "        out[128 * 12 + l] = subgroup_prefix_sum(x);\n"
  "        out[128 * 13 + l] = subgroup_prefix_product(x | 1);\n"
  "        out[128 * 14 + l] = subgroup_prefix_count(odd);\n"
  "        out[128 * 15 + l] = subgroup_read(x, subgroup_lane);\n"
  "        out[128 * 16 + l] = subgroup_read_first(x);\n"
  "        out[128 * 17 + l] = uint(subgroup_is_first());\n"
  "        bool2 equal = subgroup_all_equal(uint2(x, 3));\n"
  "        out[128 * 18 + l] = uint(equal.x) + uint(equal.y) * 2;\n"
  "        out[128 * 19 + l] = bitcast<uint>(subgroup_sum(float(x)));\n"
  "        int3 v = subgroup_max(int3(-int(x), int(x), 5));\n"
  "        out[128 * 20 + l] = uint(v.x * 10000 + v.y * 10 + v.z);\n"
  "    }\n"
  "}\n";

/* What one thread must see in the rows, from the active threads `members` of its subgroup; it is number `self` of them. */
static void
expect_subgroup (const uint32_t *in, const uint32_t *members, uint32_t n, uint32_t self, uint32_t subgroup_size, uint32_t *rows)
{
  uint32_t min = UINT32_MAX, max = 0;
  memset (rows, 0, N_ROWS * sizeof *rows);
  rows[ROW_PRODUCT] = rows[ROW_PREFIX_PRODUCT] = rows[ROW_ALL] = 1;
  rows[ROW_AND] = UINT32_MAX;
  rows[ROW_EQUAL] = 3;
  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t x = in[members[i]];
      min = MIN (min, x);
      max = MAX (max, x);
      rows[ROW_SUM] += x;
      rows[ROW_PRODUCT] *= x | 1;
      rows[ROW_AND] &= x | 8;
      rows[ROW_OR] |= x;
      rows[ROW_XOR] ^= x;
      rows[ROW_ALL] &= x & 1;
      rows[ROW_ANY] |= x & 1;
      rows[ROW_COUNT] += x & 1;
      rows[ROW_BALLOT] |= (x & 1) << (members[i] % subgroup_size);
      if (x != in[members[0]])
        rows[ROW_EQUAL] = 2;
      if (i < self)
        {
          rows[ROW_PREFIX_SUM] += x;
          rows[ROW_PREFIX_PRODUCT] *= x | 1;
          rows[ROW_PREFIX_COUNT] += x & 1;
        }
    }
  rows[ROW_LANE] = members[self] % subgroup_size * 1000 + subgroup_size;
  rows[ROW_MIN] = min - 100;
  rows[ROW_MAX] = max;
  rows[ROW_READ] = in[members[self]];
  rows[ROW_READ_FIRST] = in[members[0]];
  rows[ROW_IS_FIRST] = self == 0;
  rows[ROW_FLOAT] = bits_of ((float) rows[ROW_SUM]);
  rows[ROW_VECTOR] = (uint32_t) (-(int32_t) min * 10000 + (int32_t) max * 10 + 5);
}

START_TEST (test_subgroups)
{
  static const struct { uint32_t threads, every; } runs[] = { { 64, 1 }, { 64, 3 }, { 20, 1 }, { 1, 1 }, { 128, 7 } };
  uint32_t threads = runs[_i].threads, every = runs[_i].every, *in = g_new0 (uint32_t, N_WORDS), *out = g_new0 (uint32_t, N_WORDS);
  char *text = g_strdup_printf (subgroup_text, threads, every);
  for (uint32_t i = 0; i < threads; i++)
    in[i] = i / 32 == 1 ? 7 : (i * 37 + 3) % 29;
  for (unsigned way = 0; way < N_WAYS / 2; way++)
    {
      struct bench bench;
      uint32_t *buffers[] = { in, out };
      const uint32_t size[] = { threads, 1, 1 };
      memset (out, 0, N_WORDS * 4);
      bench_init (&bench, text, way);
      bench_run (&bench, size, buffers);
      for (uint32_t i = 0; i < threads; i += every)
        {
          uint32_t members[ROW_SIZE] = { 0 }, n = 0, self = 0, rows[N_ROWS], first = i / device->subgroup_size * device->subgroup_size;
          for (uint32_t j = first; j < first + device->subgroup_size && j < threads; j++)
            if (j % every == 0)
              {
                if (j == i)
                  self = n;
                members[n++] = j;
              }
          expect_subgroup (in, members, n, self, device->subgroup_size, rows);
          for (uint32_t row = 0; row < N_ROWS; row++)
            ck_assert_msg (out[row * ROW_SIZE + i] == rows[row], "way %u, thread %u, row %u: %u, not %u", way, i, row,
                           out[row * ROW_SIZE + i], rows[row]);
        }
      bench_clear (&bench);
    }
  g_free (text);
  g_free (in);
  g_free (out);
}
END_TEST

/* Sums and products of floats, which the device may make in any order: within the bounds of gabbro-kernel(5). */

enum { REAL_SUM, REAL_PRODUCT, REAL_PREFIX_SUM, REAL_PREFIX_PRODUCT, N_REALS };

static float
float_of (uint32_t bits)
{
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* The results before thread `end` of the threads from `first` on, and by how much they may differ. */
static void
expect_reals (const uint32_t *in, uint32_t first, uint32_t end, uint32_t n, double *sum, double *product, double *sum_off, double *product_off)
{
  double magnitudes = 0;
  *sum = 0;
  *product = 1;
  for (uint32_t i = first; i < end; i++)
    {
      double x = (double) float_of (in[i]);
      *sum += x;
      magnitudes += fabs (x);
      *product *= 1 + x / 1024;
    }
  *sum_off = magnitudes > 0 ? n * ldexp (1, ilogb (magnitudes) - 23) : 0;
  *product_off = n * ldexp (1, ilogb (*product) - 23);
}

static void
check_reals (const uint32_t *in, const uint32_t *out, uint32_t thread, uint32_t threads)
{
  static const char *const names[N_REALS] = { "sum", "product", "prefix sum", "prefix product" };
  uint32_t first = thread / device->subgroup_size * device->subgroup_size, end = MIN (first + device->subgroup_size, threads);
  double is[N_REALS], may[N_REALS];
  expect_reals (in, first, end, end - first, &is[REAL_SUM], &is[REAL_PRODUCT], &may[REAL_SUM], &may[REAL_PRODUCT]);
  expect_reals (in, first, thread, end - first, &is[REAL_PREFIX_SUM], &is[REAL_PREFIX_PRODUCT], &may[REAL_PREFIX_SUM],
                &may[REAL_PREFIX_PRODUCT]);
  for (uint32_t row = 0; row < N_REALS; row++)
    {
      double found = (double) float_of (out[row * ROW_SIZE + thread]);
      ck_assert_msg (fabs (found - is[row]) <= may[row], "%s of thread %u: %.9g, not %.9g, by more than %.3g", names[row], thread, found,
                     is[row], may[row]);
    }
}

START_TEST (test_subgroups_of_floats)
{
  static const char text[] =
    "kernel(64) void test(const buffer<float> in, buffer<float> out)\n"
    "{\n"
    "    uint l = local_id.x;\n"
    "    float x = in[l], near_one = 1.0 + x / 1024.0;\n"
    "    out[l] = subgroup_sum(x);\n"
    "    out[128 + l] = subgroup_product(near_one);\n"
    "    out[256 + l] = subgroup_prefix_sum(x);\n"
    "    out[384 + l] = subgroup_prefix_product(near_one);\n"
    "}\n";
  uint32_t *in = g_new0 (uint32_t, N_WORDS), *out = g_new0 (uint32_t, N_WORDS);
  const uint32_t size[] = { 64, 1, 1 };
  uint32_t *buffers[] = { in, out };
  for (uint32_t round = 0; round < 8; round++)
    {
      struct bench bench;
      /* So few bits that 1 + x / 1024 is exact, of very different size and both signs. */
      for (uint32_t i = 0; i < 64; i++)
        in[i] = bits_of ((float) ((i % 3 == 0 ? -1 : 1) * (double) ((i * 89 + round * 131) % 251 + 1) / (double) (1u << ((i + round) % 7))));
      memset (out, 0, N_WORDS * 4);
      bench_init (&bench, text, round);
      bench_run (&bench, size, buffers);
      for (uint32_t i = 0; i < 64; i++)
        check_reals (in, out, i, 64);
      bench_clear (&bench);
    }
  g_free (in);
  g_free (out);
}
END_TEST

/* What a device lacks is said by name. */
START_TEST (test_missing_operations)
{
  static const struct { enum spirv_feature feature; const char *value, *name; } table[] = {
    { SPIRV_FEATURE_SUBGROUP_BASIC, "subgroup_lane", "subgroupBasic" },
    { SPIRV_FEATURE_SUBGROUP_BASIC, "uint(subgroup_is_first())", "subgroupBasic" },
    { SPIRV_FEATURE_SUBGROUP_VOTE, "uint(subgroup_any(out[1] > 0))", "subgroupVote" },
    { SPIRV_FEATURE_SUBGROUP_ARITHMETIC, "subgroup_sum(out[1])", "subgroupArithmetic" },
    { SPIRV_FEATURE_SUBGROUP_BALLOT, "subgroup_count(out[1] > 0)", "subgroupBallot" },
    { SPIRV_FEATURE_SUBGROUP_SHUFFLE, "subgroup_read(out[1], 1)", "subgroupShuffle" },
    { SPIRV_FEATURE_DEVICE_CLOCK, "uint(clock())", "shaderDeviceClock" },
    { SPIRV_FEATURE_INT64, "uint(clock())", "shaderInt64" }
  };
  struct fixture f;
  struct spirv_target target = fixture_target;
  char *text = g_strdup_printf ("kernel(64) void test(buffer<uint> out) { out[0] = %s; }\n", table[_i].value);
  target.features &= ~BIT (table[_i].feature);
  fixture_init_text (&f, text);
  fixture_refused_by (&f, &target, SPIRV_ERROR_TARGET, table[_i].name);
  fixture_clear (&f);
  g_free (text);
}
END_TEST

START_TEST (test_shared_limit)
{
  struct fixture f;
  struct spirv_target target = fixture_target;
  fixture_init_text (&f, "int f() { shared int a[100]; a[local_id.x] = 1; barrier(); return a[0]; }\n"
                         "kernel(64) void test(buffer<int> out)\n"
                         "{\n"
                         "    shared float4 b[10];\n"
                         "    b[local_id.x % 10] = float4(1);\n"
                         "    barrier();\n"
                         "    out[0] = int(b[0].x) + f();\n"
                         "}\n");
  target.max_shared_memory = 559;
  fixture_refused_by (&f, &target, SPIRV_ERROR_TARGET, "needs 560 bytes of shared memory, the device has at most 559");
  target.max_shared_memory = 560;
  struct spirv_result result;
  ck_assert (spirv_compile (f.module, "test", &target, &fixture_options, &result, NULL));
  spirv_result_clear (&result);
  fixture_clear (&f);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv together");
  TCase *test_case = gb_test_case (suite, "values");
  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_loop_test (test_case, test_shared, 0, (int) G_N_ELEMENTS (group_sizes));
  tcase_add_test (test_case, test_partial_groups);
  tcase_add_test (test_case, test_no_barrier);
  tcase_add_loop_test (test_case, test_integer_atomics, 0, 2);
  tcase_add_test (test_case, test_float_sums);
  tcase_add_test (test_case, test_float_atomics);
  tcase_add_test (test_case, test_bounds);
  tcase_add_loop_test (test_case, test_subgroups, 0, 5);
  tcase_add_test (test_case, test_subgroups_of_floats);
  test_case = gb_test_case (suite, "targets");
  tcase_add_loop_test (test_case, test_missing_operations, 0, 6);
  tcase_add_test (test_case, test_shared_limit);
  return suite;
}

int
main (void)
{
  return device_test_main (make_suite);
}
