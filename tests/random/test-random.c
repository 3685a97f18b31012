/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random kernels agree at all levels and with the path that they should take; and what is wrong would be found, shrunk
 * and survived. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/xir/xir.h"
#include "tests/random/bounds.h"
#include "tests/random/builtins.h"
#include "tests/random/generate.h"
#include "tests/random/report.h"
#include "tests/test-main.h"

#define N_SEEDS   50
#define SECONDS   300                    /* of one kernel, on a slow machine */
#define N_JOBS    2

/* Where a kernel is wrong, the smallest that is says more. */
static void
show (struct campaign *campaign, guint64 seed, const struct finding *finding)
{
  struct report_result result;
  char *source;

  report_shrink (campaign, seed, finding, 300, &result);
  source = kernel_print (result.kernel, FALSE);
  printf ("seed %" G_GUINT64_FORMAT ": %s\n%s\n%s\n", seed, finding->message, result.finding.message, source);
  fflush (stdout);
  g_free (source);
  report_result_clear (&result);
}

static struct campaign
campaign_of (enum kernel_kind kind, guint64 first, guint64 count)
{
  struct campaign campaign = {
    .worker = { "reference,vulkan", FALSE, SECONDS }, .kind = kind, .first = first, .count = count, .n_jobs = N_JOBS, .found = show,
  };
  return campaign;
}

START_TEST (test_seeds_agree)
{
  struct campaign campaign = campaign_of ((enum kernel_kind) _i, 1, N_SEEDS);

  ck_assert (campaign_run (&campaign));
  ck_assert_uint_eq (campaign.n_agreed, N_SEEDS);
  ck_assert_uint_eq (campaign.n_differed, 0);
  /* Not one binary a kernel: the levels are there. */
  ck_assert_uint_gt (campaign.n_binaries, 4 * N_SEEDS);
}
END_TEST

START_TEST (test_validation_is_silent)
{
  struct campaign campaign = campaign_of ((enum kernel_kind) _i, 101, 6);

  campaign.worker.validation = TRUE;
  ck_assert (campaign_run (&campaign));
  ck_assert_uint_eq (campaign.n_agreed, 6);
}
END_TEST

/* The generators. */

START_TEST (test_seed_means_one_kernel)
{
  static const char *const digests[N_KERNEL_KINDS] = { [KERNEL_VALUES] = "ad485e3700e63886", [KERNEL_FLOW] = "dfaa19abd90cfd82" };
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint64 seed = 1; seed <= 100; seed++)
    {
      struct kernel *kernel = generate_kernel ((enum kernel_kind) _i, seed);
      char *source = kernel_print (kernel, FALSE);
      g_checksum_update (checksum, (const guchar *) source, -1);
      g_free (source);
      kernel_free (kernel);
    }
  ck_assert_msg (g_str_has_prefix (g_checksum_get_string (checksum), digests[_i]),
                 "seeds mean other kernels (%.16s): GENERATE_VERSION has to change", g_checksum_get_string (checksum));
  g_checksum_free (checksum);
}
END_TEST

/* The language is in the kernels: what it gains has to come into them, or into the list of what they do without. */

static const char *const left_out[] = { "clock" };

static const char *const words[] = {
  "const byte_buffer ", " byte_buffer ", "volatile const byte_buffer", "volatile byte_buffer", ".load<", ".load<bool>", ".store(",
  "volatile buffer<", "volatile const buffer<", "buffer<bool>", "buffer<bool3>", "buffer<double3>", "buffer<long4>", ".length", ".size", ".read(",
  ".write(", "print(", "assert(", "{{", "unreachable(", "fallthrough;", "default:", "else\n", "switch (", "while (", "do\n", "for (", "[[unroll]]",
  "[[unroll(2)]]", "[[noinline]]", "shared ", "inout ", "out ", "option ", "import ", "struct ", "bitcast<", "0x", "0b", "'", "ul", ".0h", ".0d",
  "break;", "continue;", "return;", "float2x2", "float3x3", "float4x4", "bfloat", "fp8e4m3", "fp8e5m2", "image2d<", "image3d<",
};

static void
append_kernel (GString *all, const struct kernel *kernel)
{
  for (guint part = 0; part < N_PARTS; part++)
    {
      char *source = kernel_print_part (kernel, FALSE, (enum part) part);
      g_string_append (all, source);
      g_free (source);
    }
}

/* As itself, and not as a member of something. */
static gboolean
has_call (const char *all, const char *name)
{
  char *pattern = g_strdup_printf ("(?<![.\\w])%s\\b", name);
  gboolean found = g_regex_match_simple (pattern, all, 0, 0);

  g_free (pattern);
  return found;
}

START_TEST (test_language_is_covered)
{
  GString *all = g_string_new (NULL);

  for (guint64 seed = 1; seed <= 3000; seed++)
    {
      struct kernel *kernel = generate_values (seed);
      append_kernel (all, kernel);
      kernel_free (kernel);
    }
  for (guint i = 0; i < n_builtins; i++)
    {
      gboolean is_left_out = FALSE;
      for (guint k = 0; k < G_N_ELEMENTS (left_out); k++)
        is_left_out = is_left_out || strcmp (builtins[i].name, left_out[k]) == 0;
      ck_assert_msg (has_call (all->str, builtins[i].name) != is_left_out, "%s", builtins[i].name);
    }
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    ck_assert_msg (strstr (all->str, words[i]) != NULL, "%s", words[i]);
  g_string_free (all, TRUE);
}
END_TEST

/* What is wrong is found. */

struct first_find
{
  gboolean any;
  guint64 seed;
  struct finding finding;
};

static void
remember (struct campaign *campaign, guint64 seed, const struct finding *finding)
{
  struct first_find *first = campaign->data;

  if (first->any)
    return;
  first->any = TRUE;
  first->seed = seed;
  first->finding = *finding;
  first->finding.message = g_strdup (finding->message);
}

static void
find_fault (enum kernel_kind kind, enum fault fault, enum verdict verdict)
{
  struct campaign campaign = campaign_of (kind, 1, 4);
  struct first_find first = { .any = FALSE };
  struct report_result result;

  campaign.check.fault = fault;
  campaign.found = remember;
  campaign.data = &first;
  /* Not every kernel has a product that matters. */
  for (; !first.any && campaign.first < 200; campaign.first += campaign.count)
    ck_assert (campaign_run (&campaign));
  ck_assert (first.any);
  ck_assert_int_eq (first.finding.verdict, verdict);
  ck_assert_ptr_nonnull (first.finding.message);
  report_shrink (&campaign, first.seed, &first.finding, 1000, &result);
  ck_assert_int_eq (result.finding.verdict, verdict);
  ck_assert_uint_le (kernel_count_statements (result.kernel), 5);
  ck_assert_uint_eq (kernel_n_threads (result.kernel), 1);
  report_result_clear (&result);
  finding_clear (&first.finding);
}

START_TEST (test_fault_is_found_and_shrunk)
{
  find_fault ((enum kernel_kind) _i, FAULT_PRODUCT, VERDICT_DIFFER);
}
END_TEST

START_TEST (test_crash_is_survived_and_shrunk)
{
  find_fault (KERNEL_VALUES, FAULT_CRASH, VERDICT_STOPPED);
}
END_TEST

/* Bounds. */

static gboolean
is_within_of (gboolean is_half, guint op, float x, float y, float result)
{
  const float operands[3][16] = { { x }, { y }, { 0 } };
  char *wanted = bounds_check (op, is_half, 1, 0, operands, result);
  gboolean ok = wanted == NULL;
  g_free (wanted);
  return ok;
}

static gboolean
is_within (guint op, float x, float y, float result)
{
  return is_within_of (FALSE, op, x, y, result);
}

START_TEST (test_bounds)
{
  const float ulp = 0x1p-23f, half_ulp = 0x1p-10f;

  ck_assert (is_within (XIR_OP_DIV, 1, 3, 1.0f / 3));
  ck_assert (is_within (XIR_OP_DIV, 1, 3, 1.0f / 3 * (1 + ulp)));
  ck_assert (!is_within (XIR_OP_DIV, 1, 3, 1.0f / 3 * (1 + 8 * ulp)));
  ck_assert (!is_within (XIR_OP_DIV, 1, 3, (float) NAN));
  ck_assert (is_within (XIR_OP_DIV, 1, 0, 17));
  ck_assert (is_within (XIR_OP_EXP, 10, 0, expf (10) * (1 + 20 * ulp)));
  ck_assert (!is_within (XIR_OP_EXP, 1, 0, expf (1) * (1 + 20 * ulp)));
  ck_assert (is_within (XIR_OP_SIN, 1, 0, sinf (1) + 0x1p-12f));
  ck_assert (!is_within (XIR_OP_SIN, 1, 0, sinf (1) + 0x1p-10f));
  ck_assert (!is_within (XIR_OP_LENGTH_SQUARED, 3, 0, -9));
  ck_assert (is_within_of (TRUE, XIR_OP_DIV, 1, 3, 1.0f / 3 * (1 + half_ulp)));
  ck_assert (!is_within_of (TRUE, XIR_OP_DIV, 1, 3, 1.0f / 3 * (1 + 8 * half_ulp)));
  ck_assert (is_within_of (TRUE, XIR_OP_SIN, 1, 0, sinf (1) + 0x1p-8f));
  ck_assert (!is_within_of (TRUE, XIR_OP_SIN, 1, 0, sinf (1) + 0x1p-6f));
  /* An operation without a bound is not let through. */
  ck_assert (!is_within (XIR_OP_ADD, 1, 2, 3));
  ck_assert (!is_within_of (TRUE, XIR_OP_ADD, 1, 2, 3));
}
END_TEST

START_TEST (test_bounds_of_matrices)
{
  /* By columns: | 1 3 |, its determinant is -2; | 1 2 | times it is | 5 11 |. */
  /*             | 2 4 |                                                      */
  const float numbers[] = { 1, 2, 3, 4 }, vector[] = { 1, 2 };
  const struct bounds_matrix matrix = { numbers, 2, FALSE }, row = { vector, 2, TRUE };
  const struct bounds_matrix product[2] = { row, matrix }, other[2] = { matrix, row }, squared[2] = { matrix, matrix };
  static const struct
  {
    guint op, lane;
    float right;
    guint of;
  } cases[] = {
    { XIR_OP_MATRIX_MULTIPLY, 0, 5, 0 }, { XIR_OP_MATRIX_MULTIPLY, 1, 11, 0 },
    { XIR_OP_MATRIX_MULTIPLY, 0, 7, 1 }, { XIR_OP_MATRIX_MULTIPLY, 1, 10, 1 },
    { XIR_OP_MATRIX_MULTIPLY, 1, 10, 2 }, { XIR_OP_MATRIX_MULTIPLY, 2, 15, 2 },
    { XIR_OP_OUTER_PRODUCT, 1, 14, 2 }, { XIR_OP_MATRIX_DETERMINANT, 0, -2, 2 },
    /* By columns: -2, 1 and 1.5, -0.5. */
    { XIR_OP_MATRIX_INVERSE, 0, -2, 2 }, { XIR_OP_MATRIX_INVERSE, 1, 1, 2 }, { XIR_OP_MATRIX_INVERSE, 2, 1.5, 2 },
    { XIR_OP_MATRIX_INVERSE, 3, -0.5, 2 },
  };
  const struct bounds_matrix *const operands[] = { product, other, squared };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char *is = bounds_check_matrix (cases[i].op, operands[cases[i].of], cases[i].lane, cases[i].right);
      char *is_not = bounds_check_matrix (cases[i].op, operands[cases[i].of], cases[i].lane, cases[i].right * 1.001f);
      ck_assert_msg (is == NULL, "case %u: %s", i, is);
      ck_assert_ptr_nonnull (is_not);
      g_free (is_not);
    }
  /* Nothing is said of the inverse of what has none, and what has no bound is never let through. */
  const float singular[] = { 1, 2, 2, 4 };
  const struct bounds_matrix none[2] = { { singular, 2, FALSE } };
  ck_assert_ptr_null (bounds_check_matrix (XIR_OP_MATRIX_INVERSE, none, 0, 7));
  char *unknown = bounds_check_matrix (XIR_OP_MATRIX_TRANSPOSE, squared, 0, 1);
  ck_assert_ptr_nonnull (unknown);
  g_free (unknown);
}
END_TEST

START_TEST (test_bits_of_scalars)
{
  static const struct
  {
    enum scalar scalar;
    double number;
    guint64 bits;
  } cases[] = {
    { SCALAR_HALF, 1, 0x3c00 }, { SCALAR_HALF, -2.5, 0xc100 }, { SCALAR_HALF, 65504, 0x7bff }, { SCALAR_HALF, 65520, 0x7c00 },
    { SCALAR_HALF, 2049, 0x6800 }, { SCALAR_HALF, 2051, 0x6802 }, { SCALAR_HALF, 0x1p-24, 1 }, { SCALAR_HALF, -0.0, 0x8000 },
    { SCALAR_FLOAT, 0.1f, 0x3dcccccd }, { SCALAR_FLOAT, 16777217, 0x4b800000 }, { SCALAR_FLOAT, 1e39, 0x7f800000 },
    { SCALAR_DOUBLE, 1.5, G_GUINT64_CONSTANT (0x3ff8000000000000) }, { SCALAR_BFLOAT, 1.00390625, 0x3f80 }, { SCALAR_BFLOAT, -3, 0xc040 },
    { SCALAR_E4M3, 448, 0x7e }, { SCALAR_E4M3, 1e9, 0x7e }, { SCALAR_E4M3, 0x1p-9, 1 }, { SCALAR_E4M3, 17, 0x58 },
    { SCALAR_E5M2, 57344, 0x7b }, { SCALAR_E5M2, 1.125, 0x3c }, { SCALAR_E5M2, -1.375, 0xbe },
    { SCALAR_CHAR, -1, 0xff }, { SCALAR_ULONG, 4294967296, G_GUINT64_CONSTANT (0x100000000) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    ck_assert_msg (scalar_bits (cases[i].scalar, cases[i].number) == cases[i].bits, "case %u: 0x%" G_GINT64_MODIFIER "x", i,
                   scalar_bits (cases[i].scalar, cases[i].number));
  /* Every one is the nearest number to itself. */
  for (guint bits = 0; bits < 0x10000; bits++)
    for (guint k = 0; k < 4; k++)
      {
        static const enum scalar scalars[] = { SCALAR_HALF, SCALAR_BFLOAT, SCALAR_E4M3, SCALAR_E5M2 };
        guint64 of = scalar_infos[scalars[k]].bits == 8 ? bits & 0xff : bits;
        double value = scalar_value (scalars[k], of);
        if (!isnan (value) && (k < 3 || !isinf (value)))
          ck_assert_uint_eq (scalar_bits (scalars[k], value), of);
      }
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("random kernels");
  TCase *test_case = gb_test_case (suite, "generators");
  tcase_add_loop_test (test_case, test_seed_means_one_kernel, 0, N_KERNEL_KINDS);
  tcase_add_test (test_case, test_language_is_covered);
  tcase_add_test (test_case, test_bounds);
  tcase_add_test (test_case, test_bounds_of_matrices);
  tcase_add_test (test_case, test_bits_of_scalars);
  test_case = gb_test_case (suite, "faults");
  tcase_set_timeout (test_case, 900);
  tcase_add_loop_test (test_case, test_fault_is_found_and_shrunk, 0, N_KERNEL_KINDS);
  tcase_add_test (test_case, test_crash_is_survived_and_shrunk);
  test_case = gb_test_case (suite, "seeds");
  tcase_set_timeout (test_case, 900);
  tcase_add_loop_test (test_case, test_validation_is_silent, 0, N_KERNEL_KINDS);
  tcase_add_loop_test (test_case, test_seeds_agree, 0, N_KERNEL_KINDS);
  return suite;
}

int
main (void)
{
  /* Kernels are small and all different; LLVM's optimiser takes a third of the time, and is not what is tested. */
  g_setenv ("MESA_SHADER_CACHE_DISABLE", "1", TRUE);
  g_setenv ("LP_NUM_THREADS", "0", TRUE);
  g_setenv ("GALLIVM_PERF", "nopt", TRUE);
  SRunner *runner = srunner_create (make_suite ());
  srunner_run_all (runner, CK_ENV);
  int failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
