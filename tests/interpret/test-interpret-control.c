/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads of one subgroup that go different ways: loops that they leave one by one, with values that must stay
 * what they were, breaks and continues out of switches, calls with references from both arms, elements that
 * each thread chooses. The same in C says what must come out, whatever the size of subgroups, the number of
 * workers and the seed. */

#include "config.h"

#include <string.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/verify.h"
#include "tests/interpret/interpret-test.h"
#include "tests/test-main.h"

#define THREADS    150           /* the last workgroup and its last subgroup are not whole */
#define GROUP_SIZE 40

#define HEAD "kernel(40)\nvoid main_(const buffer<int> in, buffer<int> out)\n{\n    int x = in[global_id.x];\n    int r = 0;\n"
#define TAIL "    out[global_id.x] = r;\n}\n"

/* A body once as kernel language and once as C. */
struct program
{
  const char *name, *before, *body;
  int32_t (*function) (int32_t x);
};

/* The text is that of the kernel, too, and knows no attributes. */
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

#define PROGRAM(name, before, body)                                              \
  before static int32_t name (int32_t x) { int32_t r = 0; body return r; }       \
  static const struct program program_##name = { #name, #before, #body, name };

PROGRAM (branches, ,
  if (x % 3 == 0) r = x + 1;
  else if (x % 3 == 1) { if (x % 2 == 0) r = 100 - x; else r = 7; }
  r += x;
)

PROGRAM (leave_one_by_one, ,
  int a = 1;
  int b = x;
  for (int i = 0; i < x % 17; ++i)
  {
    a = a * 3 + i;
    b = a ^ b;
    if (b % 11 == 5) break;
  }
  r = a + b;
)

PROGRAM (inner_value_outlives, ,
  int last = -1;
  for (int i = 0; i < 5; ++i)
  {
    int k = 0;
    while (true)
    {
      int t = k * 7 + x;
      k = k + 1;
      if (t % 5 == i) { last = t; break; }
      if (k > 6) break;
    }
    r = r * 2 + last + k;
    if (r > 5000) break;
  }
)

PROGRAM (continues, ,
  for (int i = 0; i < 12; ++i)
  {
    if ((x + i) % 4 == 0) continue;
    if (i > x % 13) break;
    r = r * 2 + i;
    int k = 0;
    do
    {
      k = k + 1;
      if (k == 2) continue;
      r = r + k;
    } while (k < (x + i) % 5);
  }
)

PROGRAM (switches, ,
  for (int i = 0; i < 6; ++i)
  {
    switch ((x + i) % 7)
    {
    case 0: r = r + 1; break;
    case 1: r = r + 10;
    case 2: r = r + 100; break;
    case 5: continue;
    default: r = r * 2;
    case 3: r = r + 1000;
    }
    if (r > 20000) break;
    r = r + 3;
  }
)

PROGRAM (changing_places, ,
  int a = x;
  int b = 1000;
  for (int i = 0; i < x % 9; ++i)
  {
    int t = a;
    a = b;
    b = t + i;
  }
  r = a * 2 + b;
)

PROGRAM (logic, ,
  bool p = (x % 2 == 0 && x / (x % 3 + 1) > 4) || x % 7 == 1;
  r = p ? x % 5 == 0 ? 5 : 6 : x > 70 ? 7 : 8;
)

static int32_t
fibonacci (int32_t x)
{
  int32_t a = 0, b = 1;
  for (int32_t i = 0; i < x % 20; i++)
    {
      int32_t next = a + b;
      a = b;
      b = next;
    }
  return a;
}

static const struct program program_functions = {
  "functions",
  "int step(inout int a, inout int b, int n)\n{\n    if (n % 2 == 0) return a;\n    int t = a;\n    a = b;\n    b = t + b;\n"
  "    return b - a;\n}\n"
  "int fibonacci(int n)\n{\n    int a = 0;\n    int b = 1;\n    for (int i = 0; i < 2 * n; ++i)\n        step(a, b, i);\n"
  "    return a;\n}\n",
  "if (x % 2 == 0) r = fibonacci(x % 20);\n    else { r = fibonacci((x + 20) % 20); }\n",
  fibonacci
};

static int32_t
arrays (int32_t x)
{
  int32_t a[5] = { 3, 1, 4, 1, 5 }, r = 0;
  a[x % 5] = x;
  for (int32_t i = 0; i < 5; i++)
    r = r * 3 + a[(i + x) % 5];
  return r + (x % 3 == 0 ? x : x % 3 == 1 ? x + 1 : 9);
}

static const struct program program_arrays = {
  "arrays",
  "struct Part { int2 at; float size[3]; };\n",
  "int a[5] = { 3, 1, 4, 1, 5 };\n    a[x % 5] = x;\n    for (int i = 0; i < 5; ++i)\n        r = r * 3 + a[(i + x) % 5];\n"
  "    int3 v = int3(x, x + 1, 9);\n    Part parts[2];\n    parts[x % 2].at = v.xy;\n    parts[x % 2].size[x % 3] = float(v[x % 3]);\n"
  "    r += int(parts[x % 2].size[x % 3]);\n    r += parts[x % 2].at.y - x - 1;\n",
  arrays
};

static const struct program *programs[] = {
  &program_branches, &program_leave_one_by_one, &program_inner_value_outlives, &program_continues, &program_switches,
  &program_changing_places, &program_logic, &program_functions, &program_arrays
};

static void
check_program (const struct xir_module *module, const char *name, int32_t (*function) (int32_t x), uint32_t width,
               uint32_t n_workers, uint64_t seed)
{
  struct interpreted kernels = { .module = (struct xir_module *) module };
  struct interpret_program *program = interpreted_program (&kernels, "main_", width);
  int32_t in[THREADS], out[THREADS + 8];
  struct interpret_binding bindings[] = { INTERPRETED_BUFFER (in), INTERPRETED_BUFFER (out) };

  for (int i = 0; i < THREADS; i++)
    in[i] = i * 7 % 143;
  memset (out, 0x55, sizeof out);
  interpreted_run (program, bindings, THREADS, GROUP_SIZE, n_workers, seed);
  for (int i = 0; i < THREADS; i++)
    ck_assert_msg (out[i] == function (in[i]), "%s, subgroups of %u: thread %d has %d, not %d", name, width, i, out[i],
                   function (in[i]));
  /* Threads past the dispatch do nothing. */
  for (int i = THREADS; i < THREADS + 8; i++)
    ck_assert_int_eq (out[i], 0x55555555);
  interpret_program_free (program);
}

static void
check_all (const struct xir_module *module, const char *name, int32_t (*function) (int32_t x))
{
  for (uint32_t width = 1; width <= 64; width *= 2)
    check_program (module, name, function, width, 1, 0);
  check_program (module, name, function, 16, 3, 0);
  for (uint64_t seed = 1; seed < 5; seed++)
    check_program (module, name, function, 32, 2, seed);
}

START_TEST (test_program)
{
  const struct program *program = programs[_i];
  struct interpreted kernels;
  char *text = g_strconcat (program->before, HEAD, program->body, TAIL, NULL);

  interpreted_init (&kernels, program->name, text);
  check_all (kernels.module, program->name, program->function);
  interpreted_clear (&kernels);
  g_free (text);
}
END_TEST

/* Phis that change places: what the front end never makes. */

static int32_t
swapped (int32_t x)
{
  int32_t a = x, b = 1000, i = 0;
  for (; i < x % 9; i++)
    {
      int32_t t = a;
      a = b;
      b = t;
    }
  return a * 2 + b + i;
}

static void
build_swap (struct xir_builder *b, struct xir_module *module, struct xir_value *in, struct xir_value *out)
{
  const struct xir_type *type = xir_type_scalar (module->context, XIR_TYPE_INT32);
  struct xir_block *entry = xir_function_entry (b->function), *prepare = xir_block_new (b->function);
  struct xir_block *body = xir_block_new (b->function), *update = xir_block_new (b->function), *merge = xir_block_new (b->function);
  struct xir_value *zero = xir_constant_uint (module, 0), *index, *x, *limit, *first, *second, *count, *result;

  index = xir_build_extract (b, xir_special_get (module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  x = xir_build_buffer_read (b, in, &index, 1);
  limit = xir_build_binary (b, XIR_OP_MOD, x, xir_constant_int (module, 9));
  xir_build_loop (b, prepare, body, update, merge);

  xir_builder_at_end (b, prepare);
  first = xir_build_phi (b, type);
  second = xir_build_phi (b, type);
  count = xir_build_phi (b, type);
  xir_build_conditional_branch (b, xir_build_binary (b, XIR_OP_LESS, count, limit), body, merge);
  xir_builder_at_end (b, body);
  xir_build_branch (b, update);
  xir_builder_at_end (b, update);
  xir_phi_add (first, x, entry);
  xir_phi_add (first, second, update);
  xir_phi_add (second, xir_constant_int (module, 1000), entry);
  xir_phi_add (second, first, update);
  xir_phi_add (count, xir_constant_int (module, 0), entry);
  xir_phi_add (count, xir_build_binary (b, XIR_OP_ADD, count, xir_constant_int (module, 1)), update);
  xir_build_branch (b, prepare);

  xir_builder_at_end (b, merge);
  result = xir_build_binary (b, XIR_OP_MUL, first, xir_constant_int (module, 2));
  result = xir_build_binary (b, XIR_OP_ADD, xir_build_binary (b, XIR_OP_ADD, result, second), count);
  xir_build_buffer_write (b, out, result, &index, 1);
  xir_build_return (b, NULL);
}

/* A do-while of which values are used behind it: what a thread has read last is no longer read when it has
 * left and others go on. in[i] is 7 * i. */
static int32_t
last_value (int32_t x)
{
  int32_t i = 0, square;
  do
    square = (i + x) * (i * 7);
  while (++i < x % 7);
  return square * 10 + i;
}

static void
build_last_value (struct xir_builder *b, struct xir_module *module, struct xir_value *in, struct xir_value *out)
{
  const struct xir_type *type = xir_type_scalar (module->context, XIR_TYPE_INT32);
  struct xir_block *entry = xir_function_entry (b->function), *prepare = xir_block_new (b->function);
  struct xir_block *body = xir_block_new (b->function), *update = xir_block_new (b->function), *merge = xir_block_new (b->function);
  struct xir_value *zero = xir_constant_uint (module, 0), *index, *x, *limit, *count, *next, *square, *kept, *result;
  struct xir_value *read;

  index = xir_build_extract (b, xir_special_get (module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
  x = xir_build_buffer_read (b, in, &index, 1);
  limit = xir_build_binary (b, XIR_OP_MOD, x, xir_constant_int (module, 7));
  xir_build_loop (b, prepare, body, update, merge);

  xir_builder_at_end (b, prepare);
  count = xir_build_phi (b, type);
  xir_build_branch (b, body);
  xir_builder_at_end (b, body);
  read = xir_build_buffer_read (b, in, &count, 1);
  square = xir_build_binary (b, XIR_OP_MUL, xir_build_binary (b, XIR_OP_ADD, count, x), read);
  xir_build_branch (b, update);
  xir_builder_at_end (b, update);
  next = xir_build_binary (b, XIR_OP_ADD, count, xir_constant_int (module, 1));
  xir_phi_add (count, xir_constant_int (module, 0), entry);
  xir_phi_add (count, next, update);
  xir_build_conditional_branch (b, xir_build_binary (b, XIR_OP_LESS, next, limit), prepare, merge);

  xir_builder_at_end (b, merge);
  kept = xir_build_phi (b, type);
  xir_phi_add (kept, square, update);
  result = xir_build_binary (b, XIR_OP_ADD, xir_build_binary (b, XIR_OP_MUL, kept, xir_constant_int (module, 10)), next);
  /* `square` itself must still be what the phi has kept. */
  result = xir_build_binary (b, XIR_OP_ADD, result, xir_build_binary (b, XIR_OP_SUB, square, kept));
  xir_build_buffer_write (b, out, result, &index, 1);
  xir_build_return (b, NULL);
}

static const struct
{
  const char *name;
  void (*build) (struct xir_builder *b, struct xir_module *module, struct xir_value *in, struct xir_value *out);
  int32_t (*function) (int32_t x);
} built[] = {
  { "swapped phis", build_swap, swapped },
  { "values behind a do-while", build_last_value, last_value },
};

START_TEST (test_built)
{
  struct xir_context *context = xir_context_new ();
  struct xir_module *module = xir_module_new (context, NULL);
  struct xir_function *kernel = xir_function_new (module, XIR_FUNCTION_KERNEL, "main_", NULL);
  const struct xir_type *buffer = xir_type_buffer (context, xir_type_scalar (context, XIR_TYPE_INT32));
  struct xir_argument *in = xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, buffer, "in");
  struct xir_argument *out = xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, buffer, "out");
  struct xir_builder b;
  GString *report = g_string_new (NULL);

  kernel->group_size[0] = GROUP_SIZE;
  kernel->group_size[1] = kernel->group_size[2] = 1;
  xir_block_new (kernel);
  xir_builder_init (&b, kernel);
  built[_i].build (&b, module, &in->value, &out->value);
  ck_assert_msg (xir_verify_module (module, report) == 0, "%s", report->str);
  check_all (module, built[_i].name, built[_i].function);
  g_string_free (report, TRUE);
  xir_module_free (module);
  xir_context_unref (context);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("interpret-control");
  TCase *test_case = gb_test_case (suite, "divergence");

  tcase_add_loop_test (test_case, test_program, 0, G_N_ELEMENTS (programs));
  tcase_add_loop_test (test_case, test_built, 0, G_N_ELEMENTS (built));
  return suite;
}

GB_TEST_MAIN (make_suite)
