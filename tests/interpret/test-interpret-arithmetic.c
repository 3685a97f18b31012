/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every op that the evaluator knows, at every type that the verifier allows, on edge values and random
 * ones: the interpreter gives the evaluator's bits, whether it has a loop of its own for the op or not.
 * Any NaN is as good as another. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "codegen/interpret/interpret.h"
#include "codegen/xir/builder.h"
#include "codegen/xir/evaluate.h"
#include "codegen/xir/verify.h"
#include "tests/test-main.h"

#define THREADS    600
#define MAX_BYTES  64            /* of a matrix of four columns */
#define GROUP_SIZE 100

static uint64_t state;

static uint64_t
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static const double reals[] = {
  0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997f, -0.49999997f, 0.50000006f, 3.0, 100.25, -7.75,
  8388607.5, -8388607.5, 8388608.0, 16777216.0, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0,
  4294967296.0, 9.2e18, 1.8446744073709552e19, -1e20, 1e-40, -1e-40, 1.17549435e-38, 3.4028234e38, -3.4028234e38, 65504.0,
  65520.0, 6e-8, 1e300, 5e-324, 0.33333334, 127.0, 128.0, 255.5, 256.0, 32767.5, 65535.5, 88.0, 0.9999999, 1e-7
};

static const uint64_t integers[] = {
  0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 32767, 32768, 65535, 65536, 0x7fffffff,
  0x80000000, 0x80000001, 0xffffffff, UINT64_C (0x100000000), UINT64_C (0x7fffffffffffffff), UINT64_C (0x8000000000000000),
  UINT64_MAX, UINT64_MAX - 1, 16777217, 0x55555555, 12345678
};

static void
fill_scalar (const struct xir_type *type, uint8_t *to)
{
  uint64_t bits = next_random ();
  double real = bits % 8 == 0 ? NAN : bits % 8 == 1 ? INFINITY : bits % 8 == 2 ? -INFINITY : reals[bits / 8 % G_N_ELEMENTS (reals)];
  float narrow = (float) real;

  if (type->kind == XIR_TYPE_BOOL)
    {
      *to = bits & 1;
      return;
    }
  /* A third of all values are random bits. */
  if (bits % 3 == 0)
    bits = next_random ();
  else if (type->kind == XIR_TYPE_FLOAT32)
    {
      memcpy (to, &narrow, sizeof narrow);
      return;
    }
  else if (type->kind == XIR_TYPE_FLOAT64)
    {
      memcpy (to, &real, sizeof real);
      return;
    }
  else if (!xir_type_is_float (type))
    bits = integers[bits / 3 % G_N_ELEMENTS (integers)];
  memcpy (to, &bits, (gsize) type->size);
}

static void
fill (const struct xir_type *type, uint8_t *to)
{
  const struct xir_type *scalar = xir_type_scalar_of (type);

  for (uint64_t i = 0; type->kind == XIR_TYPE_MATRIX && i < type->count; i++)
    fill (type->element, to + i * type->element->size);
  if (type->kind == XIR_TYPE_MATRIX)
    return;
  memset (to, 0, (gsize) type->size);
  for (uint32_t lane = 0; lane < xir_type_lanes (type); lane++)
    fill_scalar (scalar, to + lane * scalar->size);
}

static bool
is_nan (const struct xir_type *scalar, const uint8_t *bytes)
{
  uint64_t bits = 0;

  memcpy (&bits, bytes, (gsize) scalar->size);
  switch (scalar->kind)
    {
    case XIR_TYPE_FLOAT8_E4M3:
      return (bits & 0x7f) == 0x7f;
    case XIR_TYPE_FLOAT8_E5M2:
      return (bits & 0x7f) > 0x7c;
    case XIR_TYPE_FLOAT16:
      return (bits & 0x7fff) > 0x7c00;
    case XIR_TYPE_BFLOAT16:
      return (bits & 0x7fff) > 0x7f80;
    case XIR_TYPE_FLOAT32:
      return (bits & 0x7fffffff) > 0x7f800000;
    case XIR_TYPE_FLOAT64:
      return (bits & UINT64_C (0x7fffffffffffffff)) > UINT64_C (0x7ff0000000000000);
    default:
      return false;
    }
}

static bool
is_same (const struct xir_type *type, const uint8_t *a, const uint8_t *b)
{
  const struct xir_type *scalar = xir_type_scalar_of (type);

  for (uint64_t i = 0; type->kind == XIR_TYPE_MATRIX && i < type->count; i++)
    if (!is_same (type->element, a + i * type->element->size, b + i * type->element->size))
      return false;
  for (uint32_t lane = 0; lane < xir_type_lanes (type); lane++, a += scalar->size, b += scalar->size)
    if (memcmp (a, b, (gsize) scalar->size) != 0 && !(is_nan (scalar, a) && is_nan (scalar, b)))
      return false;
  return true;
}

/* out[i] = op (a[i], b[i], c[i]) */
struct matrix
{
  struct xir_context *context;
  struct xir_module *module;
  const struct xir_type *result;
  guint n_tried;
};

static bool
build (struct matrix *matrix, enum xir_op op, const struct xir_type *type, const struct xir_type *const *operands, uint32_t n)
{
  struct xir_function *kernel = xir_function_new (matrix->module, XIR_FUNCTION_KERNEL, "k", NULL);
  struct xir_value *values[3], *index = xir_special_get (matrix->module, XIR_SPECIAL_GLOBAL_ID);
  struct xir_value *buffers[3], *zero = xir_constant_uint (matrix->module, 0), *result;
  struct xir_argument *out;
  struct xir_builder b;
  GString *report = g_string_new (NULL);
  bool fits;

  kernel->group_size[0] = GROUP_SIZE;
  kernel->group_size[1] = kernel->group_size[2] = 1;
  for (uint32_t i = 0; i < n; i++)
    buffers[i] = &xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, xir_type_buffer (matrix->context, operands[i]),
                                             NULL)->value;
  xir_block_new (kernel);
  xir_builder_init (&b, kernel);
  index = xir_build_extract (&b, index, &zero, 1);
  for (uint32_t i = 0; i < n; i++)
    values[i] = xir_build_buffer_read (&b, buffers[i], &index, 1);
  result = xir_build_op (&b, op, type, values, n);
  matrix->result = result->type;
  if (!xir_type_is_data (result->type))
    return false;
  out = xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, xir_type_buffer (matrix->context, result->type), NULL);
  xir_build_buffer_write (&b, &out->value, result, &index, 1);
  xir_build_return (&b, NULL);
  fits = xir_verify_module (matrix->module, report) == 0;
  g_string_free (report, TRUE);
  return fits;
}

static void
compare (struct matrix *matrix, enum xir_op op, const struct xir_type *const *operands, uint32_t n,
         uint8_t *const *data, const uint8_t *got, uint32_t width)
{
  for (uint32_t i = 0; i < THREADS; i++)
    {
      struct xir_value *constants[3], *expected;
      GString *text;

      for (uint32_t k = 0; k < n; k++)
        constants[k] = xir_constant_get (matrix->module, operands[k], data[k] + i * operands[k]->size);
      expected = xir_evaluate (matrix->module, op, matrix->result, constants, n, NULL);
      if (expected == NULL && i == 0)
        return;
      ck_assert_ptr_nonnull (expected);
      if (is_same (matrix->result, xir_value_constant (expected)->data, got + i * matrix->result->size))
        continue;
      text = g_string_new (NULL);
      for (uint32_t k = 0; k < n; k++)
        for (uint32_t byte = 0; byte < operands[k]->size; byte++)
          g_string_append_printf (text, "%s%02x", byte == 0 ? " " : "", data[k][i * operands[k]->size + byte]);
      for (uint32_t byte = 0; byte < matrix->result->size; byte++)
        g_string_append_printf (text, "%s%02x/%02x", byte == 0 ? " -> " : " ", got[i * matrix->result->size + byte],
                                xir_value_constant (expected)->data[byte]);
      ck_abort_msg ("%s of %s in %u lanes:%s", xir_op_info (op)->mnemonic, operands[0]->text, width, text->str);
    }
  matrix->n_tried++;
}

static void
run_widths (struct matrix *matrix, enum xir_op op, const struct xir_type *const *operands, uint32_t n)
{
  static const uint32_t widths[] = { 32, 64 };
  uint8_t *data[4] = { NULL };
  struct interpret_binding bindings[4] = { { .value = NULL } };

  for (uint32_t i = 0; i <= n; i++)
    {
      const struct xir_type *type = i < n ? operands[i] : matrix->result;
      data[i] = g_malloc0 (THREADS * MAX_BYTES);
      bindings[i].data = data[i];
      bindings[i].size = THREADS * type->size;
      for (uint32_t k = 0; i < n && k < THREADS; k++)
        fill (type, data[i] + k * type->size);
    }
  for (gsize w = 0; w < G_N_ELEMENTS (widths); w++)
    {
      struct interpret_options options = { .subgroup_size = widths[w] };
      GError *error = NULL;
      struct interpret_program *program = interpret_program_new (matrix->module, "k", &options, &error);
      struct interpret_dispatch dispatch = { .program = program, .bindings = bindings, .dispatch_size = { THREADS, 1, 1 },
                                             .groups = { THREADS / GROUP_SIZE, 1, 1 }, .n_workers = 1 };

      ck_assert_msg (program != NULL, "%s of %s: %s", xir_op_info (op)->mnemonic, operands[0]->text,
                     error != NULL ? error->message : "?");
      memset (data[n], 0, THREADS * MAX_BYTES);
      ck_assert (interpret_run (&dispatch, NULL));
      compare (matrix, op, operands, n, data, data[n], widths[w]);
      interpret_program_free (program);
    }
  for (uint32_t i = 0; i <= n; i++)
    g_free (data[i]);
}

static void
try (struct matrix *matrix, enum xir_op op, const struct xir_type *type, const struct xir_type *const *operands, uint32_t n)
{
  matrix->context = xir_context_ref (matrix->context);
  matrix->module = xir_module_new (matrix->context, NULL);
  if (build (matrix, op, type, operands, n))
    run_widths (matrix, op, operands, n);
  xir_module_free (matrix->module);
  xir_context_unref (matrix->context);
}

/* Operand types for an op whose operand 0 is `type`. */
static void
try_second (struct matrix *matrix, enum xir_op op, const struct xir_type *type)
{
  static const enum xir_type_kind counts[] = { XIR_TYPE_INT32, XIR_TYPE_UINT32, XIR_TYPE_UINT8, XIR_TYPE_INT16, XIR_TYPE_UINT64 };
  const struct xir_op_info *info = xir_op_info (op);
  const struct xir_type *operands[3] = { type, type, type };
  bool varies = info->operands == XIR_OPERANDS_SHIFT || op == XIR_OP_POW_INT;

  if (op == XIR_OP_SELECT)
    {
      operands[2] = xir_type_scalar (matrix->context, XIR_TYPE_BOOL);
      try (matrix, op, type, operands, 3);
      operands[2] = xir_type_with_scalar (matrix->context, type, XIR_TYPE_BOOL);
    }
  for (gsize i = 0; i < (varies ? G_N_ELEMENTS (counts) : 1); i++)
    {
      if (varies)
        operands[1] = xir_type_with_scalar (matrix->context, type, counts[i]);
      try (matrix, op, type, operands, (uint32_t) info->max_operands);
    }
}

static void
try_type (struct matrix *matrix, enum xir_op op, const struct xir_type *type)
{
  if (op != XIR_OP_CAST && op != XIR_OP_BITCAST)
    {
      try_second (matrix, op, type);
      return;
    }
  if (xir_type_lanes (type) % 2 == 0)
    return;
  for (int to = 0; to < XIR_N_TYPE_KINDS; to++)
    if (xir_type_scalar (matrix->context, to) != NULL)
      try (matrix, op, xir_type_with_scalar (matrix->context, type, to), &type, 1);
}

/* Matrices, vectors and scalars in all places of an op of matrices. */
static void
try_matrices (struct matrix *matrix, enum xir_op op)
{
  const struct xir_type *scalar = xir_type_scalar (matrix->context, XIR_TYPE_FLOAT32);
  static const char *const names[] = { "matrix<2>", "matrix<3>", "matrix<4>" };
  for (uint32_t n = 2; n <= 4; n++)
    {
      const struct xir_type *const types[] = { xir_type_parse (matrix->context, names[n - 2]), xir_type_vector (matrix->context, scalar, n),
                                               scalar };
      for (gsize i = 0; i < 27; i++)
        {
          const struct xir_type *const operands[] = { types[i / 3 % 3], types[i / 9] };
          if (i < 9 || xir_op_info (op)->max_operands == 2)
            try (matrix, op, types[i % 3], operands, (uint32_t) xir_op_info (op)->max_operands);
        }
    }
}

/* What the table says of composites is tested with programs. */
static bool
is_composite (enum xir_op op)
{
  return op == XIR_OP_AGGREGATE || op == XIR_OP_SHUFFLE || op == XIR_OP_INSERT || op == XIR_OP_EXTRACT;
}

START_TEST (test_op)
{
  enum xir_op op = (enum xir_op) _i;
  struct matrix matrix = { .context = NULL };

  if ((xir_op_info (op)->flags & XIR_FLAG_FOLD) == 0 || is_composite (op))
    return;
  state = 0x9e3779b97f4a7c15 + (uint64_t) _i;
  matrix.context = xir_context_new ();
  if (op >= XIR_OP_OUTER_PRODUCT && op <= XIR_OP_MATRIX_INVERSE)
    try_matrices (&matrix, op);
  for (int kind = 0; kind < XIR_N_TYPE_KINDS; kind++)
    {
      const struct xir_type *scalar = xir_type_scalar (matrix.context, kind);
      if (scalar == NULL || (op >= XIR_OP_OUTER_PRODUCT && op <= XIR_OP_MATRIX_INVERSE))
        continue;
      try_type (&matrix, op, scalar);
      for (uint32_t lanes = 2; lanes <= 4; lanes++)
        try_type (&matrix, op, xir_type_vector (matrix.context, scalar, lanes));
    }
  ck_assert_msg (matrix.n_tried > 0, "%s was tried at no type", xir_op_info (op)->mnemonic);
  xir_context_unref (matrix.context);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("interpret-arithmetic");
  TCase *test_case = gb_test_case (suite, "ops");

  tcase_add_loop_test (test_case, test_op, 0, XIR_N_OPS);
  return suite;
}

GB_TEST_MAIN (make_suite)
