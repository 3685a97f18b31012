/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What each barrier orders, by its words: shared memory always, buffers and images where threads could tell. */

#include "config.h"

#include <string.h>

#include "codegen/spirv/plan.h"
#include "tests/spirv/fixture.h"

#define SHARED  (SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask)
#define BUFFERS (SHARED | SpvMemorySemanticsUniformMemoryMask)
#define IMAGES  (SHARED | SpvMemorySemanticsImageMemoryMask)
#define BOTH    (BUFFERS | SpvMemorySemanticsImageMemoryMask)
/* A memory barrier before or behind a loop. */
#define BUFFERS_END (SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsUniformMemoryMask)
#define IMAGES_END  (SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsImageMemoryMask)
#define BOTH_END    (BUFFERS_END | SpvMemorySemanticsImageMemoryMask)
#define MAX_BARRIERS 6

/* `body` is that of a kernel with the parameters below, which uses all of `tile` at its end; `functions` stand before it. */
struct row
{
  const char *body;
  uint32_t semantics[MAX_BARRIERS];      /* in the order of the words, callees first; 0: no more */
  const char *functions;
};

#define PARAMETERS \
  "const buffer<uint> in, const buffer<uint> other, buffer<uint> out, buffer<uint> more, byte_buffer bytes, " \
  "volatile buffer<uint> flags, buffer<bool> bools, const image2d<float> picture, image2d<float> canvas, uint n, " \
  "restrict buffer<uint> alone, const restrict buffer<uint> given, restrict byte_buffer apart"

static const struct row rows[] = {
  /* Nothing before, nothing behind, and reads alone. */
  { "barrier();", { SHARED }, NULL },
  { "barrier(); out[l] = in[l]; canvas.write(at, picture.read(at));", { SHARED }, NULL },
  { "out[l] = in[l]; canvas.write(at, picture.read(at)); barrier();", { SHARED }, NULL },
  { "tile[l] = in[l]; barrier(); tile[l] += other[63 - l];", { SHARED }, NULL },
  { "tile[l] = uint(picture.read(at).x); barrier(); tile[l] += uint(picture.read(at.yx).x);", { SHARED }, NULL },
  { "tile[l] = in.length + out.length; barrier(); out[l] = tile[63 - l];", { SHARED }, NULL },
  { "tile[l] = n; barrier(); out[l] = tile[63 - l];", { SHARED }, NULL },
  { "tile[l] = canvas.size.x; barrier(); canvas.write(at, float4(float(tile[63 - l])));", { SHARED }, NULL },
  /* A read behind a write, of the same buffer and of what may be the same memory; and the other way round. */
  { "out[l] = n; barrier(); tile[l] = out[63 - l];", { BUFFERS }, NULL },
  { "out[l] = n; barrier(); tile[l] = in[63 - l];", { BUFFERS }, NULL },
  { "tile[l] = in[63 - l]; barrier(); out[l] = n;", { BUFFERS }, NULL },
  { "out[l] = n; barrier(); more[63 - l] = n;", { BUFFERS }, NULL },
  { "bytes.store(4 * l, n); barrier(); tile[l] = in[63 - l];", { BUFFERS }, NULL },
  { "out[l] = n; barrier(); tile[l] = bytes.load<uint>(252 - 4 * l);", { BUFFERS }, NULL },
  { "bools[l] = n > 1; barrier(); tile[l] = bools[63 - l] ? 1 : 0;", { BUFFERS }, NULL },
  { "flags[l] = n; barrier(); tile[l] = flags[63 - l];", { BUFFERS }, NULL },
  { "print(\"{}\", n); barrier(); print(\"{}\", l);", { BUFFERS }, NULL },
  { "assert(n > 1); barrier(); print(\"{}\", l);", { BUFFERS }, NULL },
  /* Atomics read and write; those of shared memory do neither to a buffer. */
  { "atomic_add(out[0], 1); barrier(); tile[l] = out[1];", { BUFFERS }, NULL },
  { "tile[l] = in[l]; barrier(); atomic_max(out[0], tile[0]);", { BUFFERS }, NULL },
  { "atomic_add(out[0], 1); barrier(); atomic_add(out[0], 1);", { BUFFERS }, NULL },
  { "atomic_add(tile[0], in[l]); barrier(); tile[l] = atomic_exchange(tile[1], in[0]);", { SHARED }, NULL },
  { "atomic_add(tile[0], 1); barrier(); atomic_add(out[0], tile[0]);", { SHARED }, NULL },
  /* Images, and images apart from buffers. */
  { "canvas.write(at, float4(1)); barrier(); tile[l] = uint(canvas.read(at.yx).x);", { IMAGES }, NULL },
  { "canvas.write(at, float4(1)); barrier(); tile[l] = uint(picture.read(at.yx).x);", { IMAGES }, NULL },
  { "tile[l] = uint(picture.read(at.yx).x); barrier(); canvas.write(at, float4(1));", { IMAGES }, NULL },
  { "canvas.write(at, float4(1)); barrier(); canvas.write(at.yx, float4(1));", { IMAGES }, NULL },
  { "canvas.write(at, float4(1)); barrier(); tile[l] = in[l];", { SHARED }, NULL },
  { "out[l] = n; barrier(); tile[l] = uint(picture.read(at.yx).x);", { SHARED }, NULL },
  { "tile[l] = uint(picture.read(at).x); barrier(); out[l] = tile[63 - l];", { SHARED }, NULL },
  { "canvas.write(at, float4(float(n))); out[l] = n; barrier(); tile[l] = in[l] + uint(picture.read(at.yx).x);", { BOTH }, NULL },
  /* Of several barriers the last before the access does it. */
  { "tile[l] = in[l]; barrier(); tile[l] += tile[63 - l]; barrier(); out[l] = tile[l];", { SHARED, BUFFERS }, NULL },
  { "out[l] = n; barrier(); tile[l] = in[l]; barrier(); barrier(); tile[l] = in[0];", { BUFFERS, SHARED, BUFFERS }, NULL },
  { "out[l] = n; barrier(); barrier(); barrier(); tile[l] = uint(picture.read(at).x);", { SHARED, SHARED, SHARED }, NULL },
  /* Ways that part and meet. */
  { "if (n > 1) { out[l] = n; barrier(); } else { tile[l] = in[l]; barrier(); } tile[l] += in[63 - l];", { BUFFERS, SHARED }, NULL },
  { "if (n > 1) out[l] = n; barrier(); if (n > 2) tile[l] = in[63 - l];", { BUFFERS }, NULL },
  { "if (n > 1) { out[l] = n; return; } barrier(); tile[l] = in[63 - l];", { SHARED }, NULL },
  { "out[l] = n; barrier(); if (n > 1) return; tile[l] = in[63 - l];", { BUFFERS }, NULL },
  { "switch (n) { case 1: out[l] = n; case 2: barrier(); break; default: barrier(); } tile[l] = in[63 - l];",
    { BUFFERS, SHARED }, NULL },
  { "out[l] = n; barrier(); if (n > 1) barrier(); tile[l] = in[63 - l];", { BUFFERS, BUFFERS }, NULL },
  /* Loops lead back. */
  { "for (uint i = 0; i < n; i++) { barrier(); tile[l] += in[i]; }", { SHARED }, NULL },
  { "for (uint i = 0; i < n; i++) { barrier(); out[l] += i; }", { BUFFERS }, NULL },
  { "for (uint i = 0; i < n; i++) { tile[l] += in[i]; barrier(); out[i] = tile[0]; barrier(); }", { BUFFERS, BUFFERS }, NULL },
  { "for (uint i = 0; i < n; i++) { barrier(); tile[l] = in[i]; barrier(); } out[l] = tile[63 - l];", { SHARED, BUFFERS }, NULL },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) { barrier(); tile[l] += tile[i]; barrier(); } barrier(); out[l] = tile[0];",
    { SHARED, SHARED, BUFFERS }, NULL },
  { "while (true) { barrier(); if (tile[0] > n) break; if (tile[1] > n) continue; out[l] = n; barrier(); tile[l] = n; }",
    { BUFFERS, SHARED }, NULL },
  { "do { tile[l] = in[l]; barrier(); } while (tile[0] < n); out[l] = tile[0];", { BUFFERS }, NULL },
  /* Loops without access leave it to their ends, the outermost that can. */
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) { barrier(); tile[l] += tile[i]; } out[l] = tile[0];",
    { BUFFERS_END, SHARED, BUFFERS_END }, NULL },
  { "tile[l] = in[l]; do { barrier(); tile[l] += tile[1]; } while (tile[0] < n); out[l] = tile[0];",
    { BUFFERS_END, SHARED, BUFFERS_END }, NULL },
  { "out[l] = n; while (true) { barrier(); if (tile[1] > n) break; if (tile[0] > n) continue; barrier(); } tile[l] = in[63 - l];",
    { BUFFERS_END, SHARED, SHARED, BUFFERS_END }, NULL },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) { barrier(); for (uint k = 0; k < i; k++) barrier(); } out[l] = tile[0];",
    { BUFFERS_END, SHARED, SHARED, BUFFERS_END }, NULL },
  { "for (uint i = 0; i < n; i++) { for (uint k = 0; k < i; k++) barrier(); out[l] += i; } tile[l] = n;",
    { BUFFERS_END, SHARED, BUFFERS_END }, NULL },
  { "for (uint i = 0; i < n; i++) { for (uint k = 0; k < i; k++) barrier(); tile[l] += in[i]; } out[l] = tile[0];",
    { BUFFERS_END, SHARED, BUFFERS_END }, NULL },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) tile[l] += i; barrier(); out[l] = tile[0];", { BUFFERS }, NULL },
  { "tile[l] = in[l]; barrier(); for (uint i = 0; i < n; i++) tile[l] += i; out[l] = tile[0];", { BUFFERS }, NULL },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) { barrier(); if (tile[i] > n) return; } out[l] = tile[0];", { BUFFERS }, NULL },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) { barrier(); tile[l] += tile[i]; } tile[l] += in[63 - l];", { SHARED }, NULL },
  { "out[l] = n; while (true) barrier();", { SHARED }, NULL },
  { "canvas.write(at, float4(1)); for (uint i = 0; i < n; i++) { barrier(); tile[l] += in[i]; } tile[0] = uint(picture.read(at).x);",
    { IMAGES_END, SHARED, IMAGES_END }, NULL },
  { "out[l] = n; for (uint i = 0; i < n; i++) { barrier(); tile[l] += in[i]; } canvas.write(at, float4(float(in[l])));",
    { BUFFERS }, NULL },
  { "out[l] = n; canvas.write(at, float4(1)); for (uint i = 0; i < n; i++) barrier(); tile[l] = in[0] + uint(picture.read(at.yx).x);",
    { BOTH_END, SHARED, BOTH_END }, NULL },
  { "out[l] = n; canvas.write(at, float4(1));\n    for (uint i = 0; i < n; i++) { barrier(); tile[l] = in[l]; }\n"
    "    tile[l] = uint(picture.read(at.yx).x);", { IMAGES_END, BUFFERS, IMAGES_END }, NULL },
  /* Calls: the callee's barriers, what it does, and whether it always has one. */
  { "out[l] = n; meet(); tile[l] = in[63 - l];", { BUFFERS }, "void meet() { barrier(); }\n" },
  { "tile[l] = in[l]; meet(); tile[l] += in[63 - l];", { SHARED }, "void meet() { barrier(); }\n" },
  { "meet(); out[l] = in[l]; meet();", { BUFFERS }, "void meet() { barrier(); }\n" },
  { "write(out, l); barrier(); tile[l] = read(in, l);", { BUFFERS },
    "void write(buffer<uint> out, uint l) { out[l] = l; }\nuint read(const buffer<uint> in, uint l) { return in[63 - l]; }\n" },
  { "tile[l] = read(in, l); barrier(); tile[l] += read(in, l);", { SHARED },
    "uint read(const buffer<uint> in, uint l) { return in[63 - l]; }\n" },
  { "out[l] = n; barrier(); meet(n); tile[l] = in[63 - l];", { BUFFERS, BUFFERS }, "void meet(uint n) { if (n > 1) barrier(); }\n" },
  { "out[l] = n; barrier(); meet(); tile[l] = in[63 - l];", { BUFFERS, SHARED }, "void meet() { barrier(); }\n" },
  { "out[l] = n; barrier(); meet(out, n); barrier();", { BUFFERS, SHARED, SHARED },
    "void meet(buffer<uint> out, uint n) { barrier(); out[0] = n; }\n" },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) meet(); out[l] = tile[0];", { BUFFERS }, "void meet() { barrier(); }\n" },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) { barrier(); tile[l] += twice(i); } out[l] = tile[0];",
    { BUFFERS_END, SHARED, BUFFERS_END }, "uint twice(uint i) { return 2 * i; }\n" },
  { "tile[l] = in[l]; for (uint i = 0; i < n; i++) { barrier(); tile[l] += read(in, i); } out[l] = tile[0];", { BUFFERS },
    "uint read(const buffer<uint> in, uint l) { return in[63 - l]; }\n" },
  { "out[l] = n; outer(n); tile[l] = in[63 - l];", { BUFFERS_END, SHARED, BUFFERS_END },
    "void inner(uint n) { for (uint i = 0; i < n; i++) barrier(); }\nvoid outer(uint n) { inner(n); inner(n + 1); }\n" },
  /* What is restrict conflicts with itself alone. */
  { "tile[l] = in[l]; barrier(); alone[l] = tile[63 - l];", { SHARED }, NULL },
  { "alone[l] = n; barrier(); tile[l] = in[63 - l] + out[63 - l];", { SHARED }, NULL },
  { "alone[l] = n; barrier(); out[l] = n;", { SHARED }, NULL },
  { "alone[l] = n; barrier(); apart.store(4 * l, n);", { SHARED }, NULL },
  { "apart.store(4 * l, n); barrier(); tile[l] = apart.load<uint>(252 - 4 * l);", { BUFFERS }, NULL },
  { "out[l] = n; barrier(); tile[l] = given[63 - l];", { SHARED }, NULL },
  { "tile[l] = given[63 - l]; barrier(); out[l] = n;", { SHARED }, NULL },
  { "alone[l] = n; barrier(); tile[l] = alone[63 - l];", { BUFFERS }, NULL },
  { "tile[l] = alone[63 - l]; barrier(); alone[l] = n;", { BUFFERS }, NULL },
  { "alone[l] = n; barrier(); alone[63 - l] = n;", { BUFFERS }, NULL },
  { "atomic_add(alone[0], 1); barrier(); atomic_add(alone[0], 1);", { BUFFERS }, NULL },
  { "atomic_add(alone[0], 1); barrier(); atomic_add(out[0], 1);", { SHARED }, NULL },
  { "alone[l] = n; out[l] = n; barrier(); tile[l] = in[63 - l];", { BUFFERS }, NULL },
  { "alone[l] = n; canvas.write(at, float4(1)); barrier(); tile[l] = in[l] + uint(picture.read(at.yx).x);", { IMAGES }, NULL },
  { "out[l] = n; barrier(); print(\"{}\", n);", { SHARED }, NULL },
  { "for (uint i = 0; i < n; i++) { tile[l] = in[i]; barrier(); tile[l] += tile[i]; barrier(); } alone[l] = tile[0];",
    { SHARED, SHARED }, NULL },
  { "for (uint i = 0; i < n; i++) { tile[l] = alone[i]; barrier(); alone[i] = tile[0]; barrier(); }", { BUFFERS, BUFFERS }, NULL },
  /* A loop leaves to its ends what it does not touch, where its barriers then have no buffer to order. */
  { "alone[l] = n; for (uint i = 0; i < n; i++) { barrier(); tile[l] += in[i]; } tile[l] = alone[63 - l];",
    { BUFFERS_END, SHARED, BUFFERS_END }, NULL },
  { "alone[l] = n; for (uint i = 0; i < n; i++) { barrier(); out[i] = in[l]; } tile[l] = alone[63 - l];", { BUFFERS }, NULL },
  { "alone[l] = n; canvas.write(at, float4(1));\n    for (uint i = 0; i < n; i++) { barrier(); out[i] = in[l]; }\n"
    "    tile[l] = alone[0] + uint(picture.read(at.yx).x);", { IMAGES_END, BUFFERS, IMAGES_END }, NULL },
  /* In functions it is the kernel's argument that counts. */
  { "write(alone, l); barrier(); tile[l] = read(in, l);", { SHARED },
    "void write(buffer<uint> out, uint l) { out[l] = l; }\nuint read(const buffer<uint> in, uint l) { return in[63 - l]; }\n" },
  { "write(alone, l); barrier(); tile[l] = read(alone, l);", { BUFFERS },
    "void write(buffer<uint> out, uint l) { out[l] = l; }\nuint read(const buffer<uint> in, uint l) { return in[63 - l]; }\n" },
  { "tile[l] = in[l]; meet(alone); alone[l] = tile[0];", { BUFFERS }, "void meet(buffer<uint> b) { b[0] = 1; barrier(); }\n" },
  { "out[l] = n; tile[l] = meet(alone, in);", { BUFFERS },
    "uint meet(const buffer<uint> a, const buffer<uint> b) { barrier(); return a[0] + b[0]; }\n" },
  { "alone[l] = n; tile[l] = meet(in) + given[l];", { SHARED }, "uint meet(const buffer<uint> b) { barrier(); return b[0]; }\n" }
};

/* More restrict buffers than there are classes: the last ones count as all others. */
static const struct row many_rows[] = {
  { "b0[l] = n; barrier(); tile[l] = b1[63 - l];", { SHARED }, NULL },
  { "b28[l] = n; barrier(); tile[l] = b39[63 - l];", { SHARED }, NULL },
  { "b28[l] = n; barrier(); tile[l] = b28[63 - l];", { BUFFERS }, NULL },
  { "b38[l] = n; barrier(); tile[l] = b39[63 - l];", { BUFFERS }, NULL }
};

static uint32_t
constant (const struct spirv_result *result, uint32_t id)
{
  const uint32_t *definition = fixture_definition (result, id);
  ck_assert_ptr_nonnull (definition);
  ck_assert_uint_eq (definition[0] & SpvOpCodeMask, SpvOpConstant);
  return definition[3];
}

static void
check_words (const struct row *row, const struct spirv_result *result)
{
  uint32_t n = 0;
  for (gsize at = 5; at < result->n_words; at += result->words[at] >> SpvWordCountShift)
    {
      const uint32_t *words = result->words + at;
      uint32_t op = words[0] & SpvOpCodeMask;
      if (op != SpvOpControlBarrier && op != SpvOpMemoryBarrier)
        continue;
      ck_assert_msg (n < MAX_BARRIERS && row->semantics[n] != 0, "%s: more than %u barriers", row->body, n);
      for (uint32_t scope = 0; scope < (op == SpvOpControlBarrier ? 2 : 1); scope++)
        ck_assert_uint_eq (constant (result, *++words), SpvScopeWorkgroup);
      uint32_t semantics = constant (result, words[1]);
      ck_assert_int_eq (op == SpvOpControlBarrier, (semantics & SpvMemorySemanticsWorkgroupMemoryMask) != 0);
      ck_assert_msg (semantics == row->semantics[n], "%s: barrier %u has %u, not %u", row->body, n, semantics, row->semantics[n]);
      n++;
    }
  ck_assert_msg (n == MAX_BARRIERS || row->semantics[n] == 0, "%s: only %u barriers", row->body, n);
}

static void
check_row (const struct row *row, const char *parameters)
{
  char *text = g_strdup_printf ("%skernel(64) void test(%s)\n{\n    shared uint tile[64];\n    uint2 at = local_id.xy;\n"
                                "    uint l = at.x;\n    tile[l] = 0;\n    %s\n    atomic_add(tile[0], tile[l]);\n}\n", row->functions != NULL ? row->functions : "",
                                parameters, row->body);
  for (unsigned way = 0; way < 2; way++)
    {
      struct fixture fixture;
      struct spirv_result result;
      struct spirv_options options = { .optimization_level = 0, .xir_optimization = way == 1, .verify_passes = true };
      fixture_init_text (&fixture, text);
      fixture_compile (&fixture, &options, &result);
      check_words (row, &result);
      spirv_result_clear (&result);
      fixture_clear (&fixture);
    }
  g_free (text);
}

START_TEST (test_row)
{
  check_row (&rows[_i], PARAMETERS);
}
END_TEST

START_TEST (test_many)
{
  GString *parameters = g_string_new ("uint n");
  for (unsigned i = 0; i < 40; i++)
    g_string_append_printf (parameters, ", restrict buffer<uint> b%u", i);
  check_row (&many_rows[_i], parameters->str);
  g_string_free (parameters, TRUE);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv barrier");
  TCase *test_case = gb_test_case (suite, "rows");
  tcase_add_loop_test (test_case, test_row, 0, (int) G_N_ELEMENTS (rows));
  tcase_add_loop_test (test_case, test_many, 0, (int) G_N_ELEMENTS (many_rows));
  return suite;
}

GB_TEST_MAIN (make_suite)
