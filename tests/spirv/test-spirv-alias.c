/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a module says of memory that may come through several arguments: Aliased where it may, NonWritable where nothing
 * that is written can be the same. */

#include "config.h"

#include "tests/spirv/fixture.h"

#define MAX_BINDINGS 4

enum { PLAIN = 0, ALIASED = 1, CONSTANT = 2, COHERENT = 4, WRITE_ONLY = 8 };

struct row
{
  const char *parameters;
  const char *body;
  unsigned bindings[MAX_BINDINGS];
};

static const struct row rows[] = {
  /* One that is written may be any other. */
  { "const buffer<uint> a, buffer<uint> b", "b[i] = a[i];", { ALIASED, ALIASED } },
  { "const buffer<uint> a, buffer<uint> b", "b[0] = a[i]; b[1] = b[i];", { ALIASED, ALIASED } },
  { "const buffer<uint> a, const buffer<uint> b, buffer<uint> c", "c[i] = a[i] + b[i];", { ALIASED, ALIASED, ALIASED } },
  { "buffer<uint> a, buffer<uint> b", "a[i] = b[i] = 1;", { ALIASED, ALIASED } },
  { "const byte_buffer a, buffer<float> b", "b[i] = a.load<float>(4 * i);", { ALIASED, ALIASED } },
  /* Nothing is written, or nothing else is there. */
  { "const buffer<uint> a, const buffer<uint> b", "uint x = a[i] + b[i]; if (x > 3) return;", { CONSTANT, CONSTANT } },
  { "buffer<uint> a", "a[i] += 1;", { PLAIN } },
  { "buffer<uint> a, const buffer<uint> b", "a[i] = b.length;", { PLAIN } },
  { "const buffer<uint> a, image2d<float> b", "b.write(int2(0), float4(float(a[i])));", { CONSTANT, WRITE_ONLY } },
  { "const image2d<float> a, image2d<float> b", "b.write(int2(0), a.read(int2(1)));", { PLAIN, ALIASED | WRITE_ONLY } },
  { "image2d<float> a, image2d<float> b, buffer<float> c", "b.write(int2(0), a.read(int2(1))); c[i] = 0;",
    { ALIASED, ALIASED | WRITE_ONLY, PLAIN } },
  { "image2d<float> a, buffer<float> c", "c[i] = a.read(int2(1)).x;", { CONSTANT, PLAIN } },
  /* restrict, on the one that is written or on that which is read. */
  { "const buffer<uint> a, restrict buffer<uint> b", "b[i] = a[i];", { CONSTANT, PLAIN } },
  { "const restrict buffer<uint> a, buffer<uint> b", "b[i] = a[i];", { CONSTANT, PLAIN } },
  { "const buffer<uint> a, const buffer<uint> b, restrict buffer<uint> c", "c[i] = a[i] + b[i];", { CONSTANT, CONSTANT, PLAIN } },
  { "const restrict buffer<uint> a, const buffer<uint> b, buffer<uint> c", "c[i] = a[i] + b[i];", { CONSTANT, ALIASED, ALIASED } },
  { "const buffer<uint> a, restrict buffer<uint> b, buffer<uint> c", "b[i] = c[i] = a[i];", { ALIASED, PLAIN, ALIASED } },
  { "restrict buffer<uint> a, restrict buffer<uint> b", "b[i] = a[i];", { CONSTANT, PLAIN } },
  { "restrict buffer<uint> a, buffer<uint> b", "b[i] = a[i]; a[i] = 1;", { PLAIN, PLAIN } },
  { "restrict byte_buffer a, const buffer<uint> b", "a.store(4 * i, b[i]);", { PLAIN, CONSTANT } },
  { "restrict buffer<bool> a, const buffer<uint> b", "a[i] = b[i] > 1;", { PLAIN, CONSTANT } },
  { "const buffer<uint> a, restrict buffer<uint> b", "copy(b, a, i);", { CONSTANT, PLAIN } },
  /* Others may change what is volatile. */
  { "const volatile buffer<uint> a, restrict buffer<uint> b", "b[i] = a[i];", { COHERENT, PLAIN } },
  { "const volatile restrict buffer<uint> a, buffer<uint> b", "b[i] = a[i];", { COHERENT, PLAIN } },
  /* Seen as numbers and as words, a buffer has two variables, which are the same memory. */
  { "restrict buffer<float> a, const buffer<uint> b", "atomic_compare_exchange(a[i], 1.0, float(b[i]));", { ALIASED, CONSTANT } },
  /* What prints is nobody else's. */
  { "const buffer<uint> a", "print(\"{}\", a[i]);", { CONSTANT, PLAIN } }
};

static unsigned
decorations (const struct spirv_result *result, uint32_t variable)
{
  return (fixture_is_decorated (result, variable, SpvDecorationAliased) ? ALIASED : 0)
         | (fixture_is_decorated (result, variable, SpvDecorationNonWritable) ? CONSTANT : 0)
         | (fixture_is_decorated (result, variable, SpvDecorationCoherent) ? COHERENT : 0)
         | (fixture_is_decorated (result, variable, SpvDecorationNonReadable) ? WRITE_ONLY : 0);
}

START_TEST (test_row)
{
  const struct row *row = &rows[_i];
  char *text = g_strdup_printf ("void copy(buffer<uint> to, const buffer<uint> from, uint i) { to[i] = from[i]; }\n"
                                "kernel(64) void test(%s)\n{\n    uint i = global_id.x;\n    %s\n}\n", row->parameters, row->body);
  struct fixture fixture;
  struct spirv_result result;
  fixture_init_text (&fixture, text);
  fixture_compile (&fixture, &fixture_options, &result);
  for (uint32_t i = 0; i < MAX_BINDINGS; i++)
    {
      unsigned found = i < result.n_bindings ? decorations (&result, fixture_variable (&result, i)) : 0;
      ck_assert_msg (found == row->bindings[i], "%s: %s: binding %u is %u, not %u", row->parameters, row->body, i, found, row->bindings[i]);
    }
  /* All levels, validated. */
  fixture_compile_all (&fixture);
  spirv_result_clear (&result);
  fixture_clear (&fixture);
  g_free (text);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv alias");
  TCase *test_case = gb_test_case (suite, "rows");
  tcase_add_loop_test (test_case, test_row, 0, (int) G_N_ELEMENTS (rows));
  return suite;
}

GB_TEST_MAIN (make_suite)
