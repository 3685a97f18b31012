/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handlers that move values, and of what mixes the scalars of one (see lanes.h, which
 * includes this). */

#pragma once

#include "codegen/xir/evaluate-private.h"

static const struct code *
copy (struct subgroup *subgroup, const struct code *code)
{
  memcpy (REGISTER (u32, code->d), REGISTER (u32, code->a), (gsize) code->n * LANES * sizeof (uint32_t));
  return code + 1;
}

static const struct code *
zero (struct subgroup *subgroup, const struct code *code)
{
  memset (REGISTER (u32, code->d), 0, (gsize) code->n * LANES * sizeof (uint32_t));
  return code + 1;
}

static const struct code *
move_32 (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a), *active;
  if (subgroup->mask == subgroup->launched)
    {
      memmove (d, a, (gsize) code->n * LANES * sizeof *d);
      return code + 1;
    }
  active = lane_spread (subgroup);
  for (uint32_t k = code->n; k > 0; k--, d += LANES, a += LANES)
    EACH_LANE
      d[i] = (a[i] & active[i]) | (d[i] & ~active[i]);
  return code + 1;
}

static const struct code *
move_64 (struct subgroup *subgroup, const struct code *code)
{
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u64 *a = REGISTER (u64, code->a);
  const lane_u32 *active = lane_spread (subgroup);
  for (uint32_t k = code->n; k > 0; k--, d += LANES, a += LANES)
    EACH_LANE
      d[i] = active[i] != 0 ? a[i] : d[i];
  return code + 1;
}

#define SELECT(name, type, step)                                                                 \
  static const struct code *                                                                     \
  name (struct subgroup *subgroup, const struct code *code)                                      \
  {                                                                                              \
    lane_##type *d = REGISTER (type, code->d);                                                   \
    const lane_##type *a = REGISTER (type, code->a), *b = REGISTER (type, code->b);              \
    const lane_u32 *c = REGISTER (u32, code->c);                                                 \
    for (uint32_t k = code->n; k > 0; k--, d += LANES, a += LANES, b += LANES, c += (step))      \
      EACH_LANE                                                                                  \
        d[i] = c[i] != 0 ? b[i] : a[i];                                                          \
    return code + 1;                                                                             \
  }

SELECT (select_32, u32, 0)
SELECT (select_64, u64, 0)
SELECT (select_each_32, u32, LANES)
SELECT (select_each_64, u64, LANES)

static const struct code *
all (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a);
  EACH_LANE
    {
      uint32_t result = a[i];
      for (uint32_t k = 1; k < code->n; k++)
        result &= a[k * LANES + i];
      d[i] = result;
    }
  return code + 1;
}

static const struct code *
any (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a);
  EACH_LANE
    {
      uint32_t result = a[i];
      for (uint32_t k = 1; k < code->n; k++)
        result |= a[k * LANES + i];
      d[i] = result;
    }
  return code + 1;
}

/* Sums of products in double precision, as the evaluator makes them. */

static inline void
sum_products (double *sums, const lane_f32 *a, const lane_f32 *b, uint32_t n)
{
  EACH_LANE
    sums[i] = 0;
  for (uint32_t k = 0; k < n; k++, a += LANES, b += LANES)
    EACH_LANE
      sums[i] += (double) a[i] * (double) b[i];
}

static const struct code *
dot_f32 (struct subgroup *subgroup, const struct code *code)
{
  lane_f32 *d = REGISTER (f32, code->d);
  double sums[LANES];
  sum_products (sums, REGISTER (f32, code->a), REGISTER (f32, code->b), code->n);
  EACH_LANE
    d[i] = (float) sums[i];
  return code + 1;
}

static const struct code *
length_f32 (struct subgroup *subgroup, const struct code *code)
{
  lane_f32 *d = REGISTER (f32, code->d);
  double sums[LANES];
  sum_products (sums, REGISTER (f32, code->a), REGISTER (f32, code->a), code->n);
  EACH_LANE
    d[i] = (float) sqrt (sums[i]);
  return code + 1;
}

static const struct code *
length_squared_f32 (struct subgroup *subgroup, const struct code *code)
{
  lane_f32 *d = REGISTER (f32, code->d);
  double sums[LANES];
  sum_products (sums, REGISTER (f32, code->a), REGISTER (f32, code->a), code->n);
  EACH_LANE
    d[i] = (float) sums[i];
  return code + 1;
}

static const struct code *
normalize_f32 (struct subgroup *subgroup, const struct code *code)
{
  lane_f32 *d = REGISTER (f32, code->d);
  const lane_f32 *a = REGISTER (f32, code->a);
  double sums[LANES];
  sum_products (sums, a, a, code->n);
  EACH_LANE
    sums[i] = sqrt (sums[i]);
  for (uint32_t k = 0; k < code->n; k++, a += LANES, d += LANES)
    EACH_LANE
      d[i] = (float) ((double) a[i] / sums[i]);
  return code + 1;
}

static const struct code *
cross_f32 (struct subgroup *subgroup, const struct code *code)
{
  lane_f32 *d = REGISTER (f32, code->d);
  const lane_f32 *a = REGISTER (f32, code->a), *b = REGISTER (f32, code->b);
  for (uint32_t k = 0; k < 3; k++)
    {
      uint32_t next = (k + 1) % 3 * LANES, last = (k + 2) % 3 * LANES;
      EACH_LANE
        d[k * LANES + i] = (float) ((double) a[next + i] * (double) b[last + i] - (double) a[last + i] * (double) b[next + i]);
    }
  return code + 1;
}

static const struct code *
reflect_f32 (struct subgroup *subgroup, const struct code *code)
{
  lane_f32 *d = REGISTER (f32, code->d);
  const lane_f32 *a = REGISTER (f32, code->a), *b = REGISTER (f32, code->b);
  double sums[LANES];
  sum_products (sums, b, a, code->n);
  EACH_LANE
    sums[i] = 2.0 * sums[i];
  for (uint32_t k = 0; k < code->n; k++, a += LANES, b += LANES, d += LANES)
    EACH_LANE
      d[i] = (float) ((double) a[i] - sums[i] * (double) b[i]);
  return code + 1;
}

/* Matrices by columns, in double precision. A vector on the left is a row. */
static const struct code *
matrix_multiply (struct subgroup *subgroup, const struct code *code)
{
  const struct matrix_shapes *how = &g_array_index (subgroup->program->matrices, struct matrix_shapes, code->x);
  const lane_f32 *a = REGISTER (f32, code->a), *b = REGISTER (f32, code->b);
  lane_f32 *d = REGISTER (f32, code->d);
  uint32_t n = how->n;
  bool row = how->numbers[0] == n;
  for (uint32_t to = 0; to < how->result_numbers; to++, d += LANES)
    {
      const lane_f32 *left = row ? a : a + to % n * LANES, *right = b + (row ? to : to / n) * n * LANES;
      double sums[LANES];
      EACH_LANE
        sums[i] = (double) left[i] * (double) right[i];
      for (uint32_t m = 1; m < n; m++)
        {
          left += (row ? 1 : n) * LANES;
          right += LANES;
          EACH_LANE
            sums[i] += (double) left[i] * (double) right[i];
        }
      EACH_LANE
        d[i] = (float) sums[i];
    }
  return code + 1;
}

static inline void
load_matrix (const lane_f32 *registers, uint32_t n, uint32_t numbers, uint32_t lane, struct evaluate_matrix *out)
{
  out->is_vector = numbers == n;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      out->at[i][k] = registers[(numbers == 1 ? 0 : numbers == n ? k : i * n + k) * LANES + lane];
}

static const struct code *
matrix (struct subgroup *subgroup, const struct code *code)
{
  const struct matrix_shapes *how = &g_array_index (subgroup->program->matrices, struct matrix_shapes, code->x);
  lane_f32 *d = REGISTER (f32, code->d);
  uint64_t active = subgroup->mask;
  uint32_t n = how->n;
  EACH_ACTIVE (i, active)
    {
      struct evaluate_matrix a, b, result;
      load_matrix (REGISTER (f32, code->a), n, how->numbers[0], i, &a);
      if (how->numbers[1] != 0)
        load_matrix (REGISTER (f32, code->b), n, how->numbers[1], i, &b);
      evaluate_matrix_numbers (how->op, n, &a, how->numbers[1] != 0 ? &b : &a, &result);
      for (uint32_t to = 0; to < how->result_numbers; to++)
        d[to * LANES + i] = (float) result.at[to / n][to % n];
    }
  return code + 1;
}

/* Everything else of the evaluator, one active lane after the other. */

static inline void
load_lane (enum xir_type_kind kind, const uint32_t *registers, uint32_t scalar, uint32_t i, struct evaluate_lane *out)
{
  if (interpret_kind_is_wide (kind))
    evaluate_load (kind, (const uint8_t *) (registers + 2 * (scalar * LANES + i)), out);
  else
    evaluate_load (kind, (const uint8_t *) (registers + scalar * LANES + i), out);
}

static inline void
store_lane (enum xir_type_kind kind, const struct evaluate_lane *lane, uint32_t *registers, uint32_t scalar, uint32_t i)
{
  if (interpret_kind_is_wide (kind))
    {
      evaluate_store (kind, lane, (uint8_t *) (registers + 2 * (scalar * LANES + i)));
      return;
    }
  registers[scalar * LANES + i] = 0;
  evaluate_store (kind, lane, (uint8_t *) (registers + scalar * LANES + i));
}

static void
evaluate_each (struct subgroup *subgroup, const struct code *code, const struct generic *how, uint32_t i)
{
  const uint32_t offsets[3] = { code->a, code->b, code->c };
  for (uint32_t lane = 0; lane < how->result_lanes; lane++)
    {
      struct evaluate_lane operands[3] = { { 0, 0 } }, out = { 0, 0 };
      for (uint32_t k = 0; k < how->n_operands; k++)
        load_lane (how->kinds[k], subgroup->registers + offsets[k], lane, i, &operands[k]);
      if (how->op == XIR_OP_CAST)
        evaluate_cast (how->kinds[0], how->result, &operands[0], &out);
      else
        evaluate_scalar (how->op, how->kinds[0], how->kinds[1], operands, &out);
      store_lane (how->result, &out, subgroup->registers + code->d, lane, i);
    }
}

static void
evaluate_across (struct subgroup *subgroup, const struct code *code, const struct generic *how, uint32_t i)
{
  const uint32_t offsets[3] = { code->a, code->b, code->c };
  struct evaluate_lane operands[3][4] = { { { 0, 0 } } }, out[4] = { { 0, 0 } };
  for (uint32_t k = 0; k < how->n_operands; k++)
    for (uint32_t lane = 0; lane < how->lanes[k]; lane++)
      load_lane (how->kinds[k], subgroup->registers + offsets[k], lane, i, &operands[k][lane]);
  evaluate_vector (how->op, how->kinds[0], how->lanes[0], (const struct evaluate_lane (*)[4]) operands, out);
  for (uint32_t lane = 0; lane < how->result_lanes; lane++)
    store_lane (how->result, &out[lane], subgroup->registers + code->d, lane, i);
}

static const struct code *
generic (struct subgroup *subgroup, const struct code *code)
{
  const struct generic *how = &g_array_index (subgroup->program->generics, struct generic, code->x);
  uint64_t active = subgroup->mask;
  EACH_ACTIVE (i, active)
    if (how->across)
      evaluate_across (subgroup, code, how, i);
    else
      evaluate_each (subgroup, code, how, i);
  return code + 1;
}
