/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads that need each other: barriers, shared memory, atomics, operations over a subgroup. */

#include "config.h"

#include <string.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/verify.h"
#include "tests/interpret/interpret-test.h"
#include "tests/test-main.h"

#define GROUP_SIZE 40
#define N_GROUPS   5
#define THREADS    (GROUP_SIZE * N_GROUPS)

/* A kernel of an `in` and an `out` of ints under construction. */
struct kernel
{
  struct xir_context *context;
  struct xir_module *module;
  const struct xir_type *int_type, *uint_type, *bool_type, *float_type;
  struct xir_builder b;
  struct xir_value *in, *out;
  struct xir_value *global, *local, *x;  /* ids along x; in[global] */
};

static struct xir_value *
special (struct kernel *k, enum xir_special which, uint32_t axis)
{
  struct xir_value *value = xir_special_get (k->module, which), *index = xir_constant_uint (k->module, axis);
  return xir_type_is_vector (value->type) ? xir_build_extract (&k->b, value, &index, 1) : value;
}

static void
begin (struct kernel *k, const struct xir_type *(*element) (const struct kernel *k))
{
  struct xir_function *kernel;
  const struct xir_type *buffer;

  k->context = xir_context_new ();
  k->module = xir_module_new (k->context, NULL);
  k->int_type = xir_type_scalar (k->context, XIR_TYPE_INT32);
  k->uint_type = xir_type_scalar (k->context, XIR_TYPE_UINT32);
  k->bool_type = xir_type_scalar (k->context, XIR_TYPE_BOOL);
  k->float_type = xir_type_scalar (k->context, XIR_TYPE_FLOAT32);
  kernel = xir_function_new (k->module, XIR_FUNCTION_KERNEL, "main_", NULL);
  kernel->group_size[0] = GROUP_SIZE;
  kernel->group_size[1] = kernel->group_size[2] = 1;
  buffer = xir_type_buffer (k->context, element (k));
  k->in = &xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, buffer, "in")->value;
  k->out = &xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, buffer, "out")->value;
  xir_block_new (kernel);
  xir_builder_init (&k->b, kernel);
  k->global = special (k, XIR_SPECIAL_GLOBAL_ID, 0);
  k->local = special (k, XIR_SPECIAL_LOCAL_ID, 0);
  k->x = xir_build_buffer_read (&k->b, k->in, &k->global, 1);
}

static const struct xir_type *
ints (const struct kernel *k)
{
  return k->int_type;
}

static const struct xir_type *
uints (const struct kernel *k)
{
  return k->uint_type;
}

static const struct xir_type *
floats (const struct kernel *k)
{
  return k->float_type;
}

static struct xir_value *
integer (struct kernel *k, int32_t value)
{
  return xir_constant_int (k->module, value);
}

static struct xir_value *
binary (struct kernel *k, enum xir_op op, struct xir_value *a, struct xir_value *b)
{
  return xir_build_binary (&k->b, op, a, b);
}

static void
barrier (struct kernel *k)
{
  xir_build_op (&k->b, XIR_OP_BARRIER, NULL, NULL, 0);
}

/* Writes the result, ends the kernel and runs it. */
static void
finish (struct kernel *k, struct xir_value *result)
{
  GString *report = g_string_new (NULL);

  if (result != NULL)
    xir_build_buffer_write (&k->b, k->out, result, &k->global, 1);
  xir_build_return (&k->b, NULL);
  ck_assert_msg (xir_verify_module (k->module, report) == 0, "%s", report->str);
  g_string_free (report, TRUE);
}

static void
run (const struct kernel *k, void *in, void *out, uint32_t width, uint32_t n_workers, uint64_t seed)
{
  struct interpreted kernels = { k->context, k->module };
  struct interpret_program *program = interpreted_program (&kernels, "main_", width);
  struct interpret_binding bindings[] = { { .data = in, .size = 4 * THREADS }, { .data = out, .size = 4 * THREADS } };

  interpreted_run (program, bindings, THREADS, GROUP_SIZE, n_workers, seed);
  interpret_program_free (program);
}

static void
clear (struct kernel *k)
{
  xir_module_free (k->module);
  xir_context_unref (k->context);
}

static void
fill (int32_t *in)
{
  for (int i = 0; i < THREADS; i++)
    in[i] = i * 37 % 101 - 20;
}

/* Each thread writes its number to shared memory and reads what the last but it has written. */
START_TEST (test_shared_memory)
{
  int32_t in[THREADS], out[THREADS];
  struct xir_value *array, *place, *from;
  struct kernel k;

  begin (&k, ints);
  array = xir_build_alloca (&k.b, XIR_STORAGE_SHARED, xir_type_array (k.context, k.int_type, GROUP_SIZE), "array");
  place = xir_build_gep (&k.b, array, &k.local, 1);
  xir_build_store (&k.b, place, k.x);
  barrier (&k);
  from = binary (&k, XIR_OP_SUB, xir_constant_uint (k.module, GROUP_SIZE - 1), k.local);
  finish (&k, xir_build_load (&k.b, xir_build_gep (&k.b, array, &from, 1)));
  fill (in);
  for (uint32_t width = 1; width <= 64; width *= 2)
    for (uint64_t seed = 0; seed < 4; seed++)
      {
        run (&k, in, out, width, 2, seed);
        for (int i = 0; i < THREADS; i++)
          ck_assert_int_eq (out[i], in[i / GROUP_SIZE * GROUP_SIZE + GROUP_SIZE - 1 - i % GROUP_SIZE]);
      }
  clear (&k);
}
END_TEST

/* Sums of all before, in rounds with two barriers each. */
static void
build_scan (struct kernel *k)
{
  struct xir_function *f = k->b.function;
  struct xir_block *entry = k->b.block, *prepare = xir_block_new (f), *body = xir_block_new (f), *add = xir_block_new (f);
  struct xir_block *skip = xir_block_new (f), *joined = xir_block_new (f), *update = xir_block_new (f), *merge = xir_block_new (f);
  struct xir_value *array, *distance, *sum, *place, *from, *found, *next, *twice, *limit;

  array = xir_build_alloca (&k->b, XIR_STORAGE_SHARED, xir_type_array (k->context, k->int_type, GROUP_SIZE), "array");
  place = xir_build_gep (&k->b, array, &k->local, 1);
  xir_build_store (&k->b, place, k->x);
  barrier (k);
  limit = xir_constant_uint (k->module, GROUP_SIZE);
  xir_build_loop (&k->b, prepare, body, update, merge);
  xir_builder_at_end (&k->b, prepare);
  distance = xir_build_phi (&k->b, k->uint_type);
  sum = xir_build_phi (&k->b, k->int_type);
  xir_build_conditional_branch (&k->b, binary (k, XIR_OP_LESS, distance, limit), body, merge);
  xir_builder_at_end (&k->b, body);
  xir_build_if (&k->b, binary (k, XIR_OP_GREATER_EQUAL, k->local, distance), add, skip, joined);
  xir_builder_at_end (&k->b, add);
  from = binary (k, XIR_OP_SUB, k->local, distance);
  found = binary (k, XIR_OP_ADD, sum, xir_build_load (&k->b, xir_build_gep (&k->b, array, &from, 1)));
  xir_build_branch (&k->b, joined);
  xir_builder_at_end (&k->b, skip);
  xir_build_branch (&k->b, joined);
  xir_builder_at_end (&k->b, joined);
  next = xir_build_phi (&k->b, k->int_type);
  xir_phi_add (next, found, add);
  xir_phi_add (next, sum, skip);
  barrier (k);
  xir_build_store (&k->b, place, next);
  barrier (k);
  xir_build_branch (&k->b, update);
  xir_builder_at_end (&k->b, update);
  twice = binary (k, XIR_OP_ADD, distance, distance);
  xir_build_branch (&k->b, prepare);
  xir_phi_add (distance, xir_constant_uint (k->module, 1), entry);
  xir_phi_add (distance, twice, update);
  xir_phi_add (sum, k->x, entry);
  xir_phi_add (sum, next, update);
  xir_builder_at_end (&k->b, merge);
  finish (k, sum);
}

START_TEST (test_barriers_in_loops)
{
  int32_t in[THREADS], out[THREADS];
  struct kernel k;

  begin (&k, ints);
  build_scan (&k);
  fill (in);
  for (uint32_t width = 1; width <= 64; width *= 2)
    for (uint64_t seed = 0; seed < 4; seed++)
      {
        run (&k, in, out, width, 2, seed);
        for (int i = 0, sum = 0; i < THREADS; i++)
          {
            sum = (i % GROUP_SIZE == 0 ? 0 : sum) + in[i];
            ck_assert_msg (out[i] == sum, "subgroups of %u: thread %d has %d, not %d", width, i, out[i], sum);
          }
      }
  clear (&k);
}
END_TEST

/* Some threads wait where others never come by: it must end all the same. */
START_TEST (test_divergent_barrier)
{
  int32_t in[THREADS], out[THREADS];
  struct xir_block *yes, *no, *merge;
  struct kernel k;

  begin (&k, ints);
  yes = xir_block_new (k.b.function);
  no = xir_block_new (k.b.function);
  merge = xir_block_new (k.b.function);
  xir_build_if (&k.b, binary (&k, XIR_OP_LESS, k.x, integer (&k, 0)), yes, no, merge);
  xir_builder_at_end (&k.b, yes);
  barrier (&k);
  barrier (&k);
  xir_build_branch (&k.b, merge);
  xir_builder_at_end (&k.b, no);
  xir_build_branch (&k.b, merge);
  xir_builder_at_end (&k.b, merge);
  finish (&k, k.x);
  fill (in);
  for (uint32_t width = 1; width <= 64; width *= 8)
    {
      run (&k, in, out, width, 2, 0);
      ck_assert_mem_eq (in, out, sizeof in);
    }
  clear (&k);
}
END_TEST

/* Atomics: all threads on one number, whose order nobody knows; what comes out does not depend on it. */

static const struct atomic_case
{
  enum xir_op op;
  int32_t start, expected;       /* with in[i] = i + 1 */
} atomics[] = {
  { XIR_OP_ATOMIC_ADD, 5, 5 + THREADS * (THREADS + 1) / 2 },
  { XIR_OP_ATOMIC_SUB, 0, -THREADS * (THREADS + 1) / 2 },
  { XIR_OP_ATOMIC_MIN, 1000, 1 },
  { XIR_OP_ATOMIC_MAX, -4, THREADS },
  { XIR_OP_ATOMIC_AND, -1, 0 },
  { XIR_OP_ATOMIC_OR, 0, 255 },
  { XIR_OP_ATOMIC_XOR, 0, 200 },         /* 1 ^ 2 ^ … ^ 200 */
};

START_TEST (test_atomic)
{
  const struct atomic_case *test = &atomics[_i];
  int32_t in[THREADS], out[THREADS];
  struct xir_value *zero, *one;
  struct kernel k;

  begin (&k, ints);
  zero = xir_constant_uint (k.module, 0);
  one = xir_constant_uint (k.module, 1);
  xir_build_atomic (&k.b, test->op, k.out, NULL, k.x, &zero, 1);
  /* Old values are all different: each thread takes a number of its own. */
  xir_build_buffer_write (&k.b, k.in, xir_build_atomic (&k.b, XIR_OP_ATOMIC_ADD, k.out, NULL, integer (&k, 1), &one, 1),
                          &k.global, 1);
  finish (&k, NULL);
  for (uint32_t width = 1; width <= 64; width *= 4)
    {
      bool seen[THREADS] = { false };

      memset (out, 0, sizeof out);
      out[0] = test->start;
      for (int i = 0; i < THREADS; i++)
        in[i] = i + 1;
      run (&k, in, out, width, 4, width);
      ck_assert_int_eq (out[0], test->expected);
      ck_assert_int_eq (out[1], THREADS);
      for (int i = 0; i < THREADS; i++)
        {
          ck_assert (in[i] >= 0 && in[i] < THREADS && !seen[in[i]]);
          seen[in[i]] = true;
        }
    }
  clear (&k);
}
END_TEST

START_TEST (test_atomic_floats)
{
  float in[THREADS], out[THREADS] = { 0.5f, 3, -3 };
  struct xir_value *index[3];
  struct kernel k;

  begin (&k, floats);
  for (uint32_t i = 0; i < 3; i++)
    index[i] = xir_constant_uint (k.module, i);
  xir_build_atomic (&k.b, XIR_OP_ATOMIC_ADD, k.out, NULL, k.x, &index[0], 1);
  xir_build_atomic (&k.b, XIR_OP_ATOMIC_MIN, k.out, NULL, k.x, &index[1], 1);
  xir_build_atomic (&k.b, XIR_OP_ATOMIC_MAX, k.out, NULL, k.x, &index[2], 1);
  finish (&k, NULL);
  for (int i = 0; i < THREADS; i++)
    in[i] = (float) i * 0.25f - 10;
  run (&k, in, out, 32, 4, 3);
  ck_assert (out[0] == 0.5f + 0.25f * THREADS * (THREADS - 1) / 2 - 10 * THREADS);
  ck_assert (out[1] == -10);
  ck_assert (out[2] == 0.25f * (THREADS - 1) - 10);
  clear (&k);
}
END_TEST

/* One thread a workgroup wins, and the others see who; a shared counter counts them all. */
START_TEST (test_atomic_exchanges)
{
  int32_t in[THREADS], out[THREADS];
  struct xir_value *counter, *old, *won, *owner;
  struct kernel k;

  begin (&k, ints);
  counter = xir_build_alloca (&k.b, XIR_STORAGE_SHARED, k.int_type, "counter");
  owner = xir_build_alloca (&k.b, XIR_STORAGE_SHARED, k.int_type, "owner");
  xir_build_atomic (&k.b, XIR_OP_ATOMIC_ADD, counter, NULL, integer (&k, 3), NULL, 0);
  old = xir_build_atomic (&k.b, XIR_OP_ATOMIC_COMPARE_EXCHANGE, owner, integer (&k, 0), k.x, NULL, 0);
  barrier (&k);
  /* 1000000 where it has won, 1000 times who has, and the count. */
  won = xir_build_ternary (&k.b, XIR_OP_SELECT, integer (&k, 0), integer (&k, 1000000),
                           binary (&k, XIR_OP_EQUAL, old, integer (&k, 0)));
  won = binary (&k, XIR_OP_ADD, won, binary (&k, XIR_OP_MUL, xir_build_load (&k.b, owner), integer (&k, 1000)));
  finish (&k, binary (&k, XIR_OP_ADD, won, xir_build_load (&k.b, counter)));
  for (int i = 0; i < THREADS; i++)
    in[i] = i + 1;
  for (uint32_t width = 1; width <= 64; width *= 4)
    {
      run (&k, in, out, width, 2, width);
      for (int group = 0; group < N_GROUPS; group++)
        {
          int32_t winner = out[group * GROUP_SIZE] / 1000 % 1000, winners = 0;

          for (int i = group * GROUP_SIZE; i < (group + 1) * GROUP_SIZE; i++)
            {
              ck_assert_int_eq (out[i] % 1000, 3 * GROUP_SIZE);
              ck_assert_int_eq (out[i] / 1000 % 1000, winner);
              winners += out[i] >= 1000000;
              ck_assert (out[i] < 1000000 || in[i] == winner);
            }
          ck_assert_int_eq (winners, 1);
        }
    }
  clear (&k);
}
END_TEST

/* Operations over a subgroup, within an if that only threads with x >= 0 enter. */

struct members
{
  uint32_t n, self;              /* of the active threads, in order, this one is number `self` */
  uint32_t lane[64];
  int32_t x[64];
};

static uint32_t
member_sum (const struct members *m)
{
  uint32_t sum = 0;
  for (uint32_t i = 0; i < m->n; i++)
    sum += (uint32_t) m->x[i];
  return sum;
}

static uint32_t
member_product (const struct members *m)
{
  uint32_t product = 1;
  for (uint32_t i = 0; i < m->n; i++)
    product *= (uint32_t) m->x[i];
  return product;
}

static uint32_t
member_least (const struct members *m)
{
  int32_t least = INT32_MAX;
  for (uint32_t i = 0; i < m->n; i++)
    least = MIN (least, m->x[i]);
  return (uint32_t) least;
}

static uint32_t
member_largest (const struct members *m)
{
  int32_t largest = INT32_MIN;
  for (uint32_t i = 0; i < m->n; i++)
    largest = MAX (largest, m->x[i]);
  return (uint32_t) largest;
}

static uint32_t
member_and (const struct members *m)
{
  uint32_t bits = UINT32_MAX;
  for (uint32_t i = 0; i < m->n; i++)
    bits &= (uint32_t) m->x[i];
  return bits;
}

static uint32_t
member_or (const struct members *m)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < m->n; i++)
    bits |= (uint32_t) m->x[i];
  return bits;
}

static uint32_t
member_xor (const struct members *m)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < m->n; i++)
    bits ^= (uint32_t) m->x[i];
  return bits;
}

static uint32_t
member_prefix_sum (const struct members *m)
{
  uint32_t sum = 0;
  for (uint32_t i = 0; i < m->self; i++)
    sum += (uint32_t) m->x[i];
  return sum;
}

static uint32_t
member_prefix_product (const struct members *m)
{
  uint32_t product = 1;
  for (uint32_t i = 0; i < m->self; i++)
    product *= (uint32_t) m->x[i];
  return product;
}

static uint32_t
member_first (const struct members *m)
{
  return (uint32_t) m->x[0];
}

static uint32_t
member_is_first (const struct members *m)
{
  return m->self == 0;
}

/* The rest ask whether x is odd. */

static uint32_t
member_count (const struct members *m)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->n; i++)
    count += m->x[i] & 1;
  return count;
}

static uint32_t
member_prefix_count (const struct members *m)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->self; i++)
    count += m->x[i] & 1;
  return count;
}

static uint32_t
member_all (const struct members *m)
{
  return member_count (m) == m->n;
}

static uint32_t
member_any (const struct members *m)
{
  return member_count (m) > 0;
}

static uint32_t
member_ballot (const struct members *m)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < m->n; i++)
    if ((m->x[i] & 1) != 0)
      bits ^= UINT32_C (1) << (m->lane[i] % 32);
  return bits;
}

static uint32_t
member_all_equal (const struct members *m)
{
  for (uint32_t i = 1; i < m->n; i++)
    if (m->x[i] != m->x[0])
      return 0;
  return 1;
}

/* What lane 2 has, if it is there. */
static uint32_t
member_read (const struct members *m)
{
  for (uint32_t i = 0; i < m->n; i++)
    if (m->lane[i] == 2)
      return (uint32_t) m->x[i];
  return 0;
}

static const struct subgroup_case
{
  enum xir_op op;
  uint32_t (*function) (const struct members *members);
  enum { OF_X, OF_ODD, OF_NOTHING } operand;
} subgroup_cases[] = {
  { XIR_OP_SUBGROUP_SUM, member_sum, OF_X },
  { XIR_OP_SUBGROUP_PRODUCT, member_product, OF_X },
  { XIR_OP_SUBGROUP_MIN, member_least, OF_X },
  { XIR_OP_SUBGROUP_MAX, member_largest, OF_X },
  { XIR_OP_SUBGROUP_AND, member_and, OF_X },
  { XIR_OP_SUBGROUP_OR, member_or, OF_X },
  { XIR_OP_SUBGROUP_XOR, member_xor, OF_X },
  { XIR_OP_SUBGROUP_PREFIX_SUM, member_prefix_sum, OF_X },
  { XIR_OP_SUBGROUP_PREFIX_PRODUCT, member_prefix_product, OF_X },
  { XIR_OP_SUBGROUP_READ_FIRST, member_first, OF_X },
  { XIR_OP_SUBGROUP_READ, member_read, OF_X },
  { XIR_OP_SUBGROUP_ALL_EQUAL, member_all_equal, OF_X },
  { XIR_OP_SUBGROUP_IS_FIRST, member_is_first, OF_NOTHING },
  { XIR_OP_SUBGROUP_COUNT, member_count, OF_ODD },
  { XIR_OP_SUBGROUP_PREFIX_COUNT, member_prefix_count, OF_ODD },
  { XIR_OP_SUBGROUP_ALL, member_all, OF_ODD },
  { XIR_OP_SUBGROUP_ANY, member_any, OF_ODD },
  { XIR_OP_SUBGROUP_BALLOT, member_ballot, OF_ODD },
};

static void
build_subgroup (struct kernel *k, const struct subgroup_case *test)
{
  struct xir_block *yes = xir_block_new (k->b.function), *no = xir_block_new (k->b.function), *merge = xir_block_new (k->b.function);
  struct xir_value *operands[2] = { k->x, xir_constant_uint (k->module, 2) }, *result;
  const struct xir_type *type = test->op == XIR_OP_SUBGROUP_BALLOT ? xir_type_vector (k->context, k->uint_type, 4) : k->uint_type;
  uint32_t n = test->operand == OF_NOTHING ? 0 : test->op == XIR_OP_SUBGROUP_READ ? 2 : 1;

  xir_build_if (&k->b, binary (k, XIR_OP_GREATER_EQUAL, xir_build_cast (&k->b, k->int_type, k->x), integer (k, 0)), yes, no, merge);
  xir_builder_at_end (&k->b, yes);
  if (test->operand == OF_ODD)
    operands[0] = xir_build_cast (&k->b, k->bool_type, binary (k, XIR_OP_AND, k->x, xir_constant_uint (k->module, 1)));
  /* min and max are those of ints. */
  else if (test->operand == OF_X)
    operands[0] = xir_build_cast (&k->b, k->int_type, k->x);
  result = xir_build_op (&k->b, test->op, type, operands, n);
  if (xir_type_is_vector (result->type))
    {
      struct xir_value *parts[2], *index[2] = { xir_constant_uint (k->module, 0), xir_constant_uint (k->module, 1) };
      parts[0] = xir_build_extract (&k->b, result, &index[0], 1);
      parts[1] = xir_build_extract (&k->b, result, &index[1], 1);
      result = binary (k, XIR_OP_XOR, parts[0], parts[1]);
    }
  if (result->type != k->uint_type)
    result = xir_build_cast (&k->b, k->uint_type, result);
  xir_build_buffer_write (&k->b, k->out, result, &k->global, 1);
  xir_build_branch (&k->b, merge);
  xir_builder_at_end (&k->b, no);
  xir_build_branch (&k->b, merge);
  xir_builder_at_end (&k->b, merge);
  finish (k, NULL);
}

static void
check_subgroup (const struct subgroup_case *test, uint32_t width, const int32_t *in, const uint32_t *out)
{
  for (uint32_t first = 0; first < THREADS; first++)
    {
      uint32_t group = first / GROUP_SIZE * GROUP_SIZE, begin = group + (first - group) / width * width;
      struct members members = { 0, 0, { 0 }, { 0 } };

      if (in[first] < 0)
        {
          ck_assert_uint_eq (out[first], 0xaaaaaaaa);
          continue;
        }
      for (uint32_t i = begin; i < MIN (begin + width, group + GROUP_SIZE); i++)
        if (in[i] >= 0)
          {
            if (i == first)
              members.self = members.n;
            members.lane[members.n] = i - begin;
            members.x[members.n++] = in[i];
          }
      if (test->op == XIR_OP_SUBGROUP_READ && member_read (&members) == 0)
        continue;
      ck_assert_msg (out[first] == test->function (&members), "%s, subgroups of %u: thread %u has %u, not %u",
                     xir_op_info (test->op)->mnemonic, width, first, out[first], test->function (&members));
    }
}

START_TEST (test_subgroup)
{
  const struct subgroup_case *test = &subgroup_cases[_i];
  int32_t in[THREADS];
  uint32_t out[THREADS];
  struct kernel k;

  begin (&k, uints);
  build_subgroup (&k, test);
  for (int equal = 0; equal < 2; equal++)
    {
      fill (in);
      for (int i = 0; i < THREADS && equal; i++)
        in[i] = i % 3 == 0 ? -1 : 3;
      for (uint32_t width = 1; width <= 64; width *= 2)
        {
          memset (out, 0xaa, sizeof out);
          run (&k, in, out, width, 1, 0);
          check_subgroup (test, width, in, out);
        }
    }
  clear (&k);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("interpret-together");
  TCase *test_case = gb_test_case (suite, "workgroups");

  tcase_add_test (test_case, test_shared_memory);
  tcase_add_test (test_case, test_barriers_in_loops);
  tcase_add_test (test_case, test_divergent_barrier);
  tcase_add_loop_test (test_case, test_atomic, 0, G_N_ELEMENTS (atomics));
  tcase_add_test (test_case, test_atomic_floats);
  tcase_add_test (test_case, test_atomic_exchanges);
  tcase_add_loop_test (test_case, test_subgroup, 0, G_N_ELEMENTS (subgroup_cases));
  return suite;
}

GB_TEST_MAIN (make_suite)
