/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The handlers, for registers of LANES lanes: included by one file for each width. */

#pragma once

#include <math.h>
#include <string.h>

#include "codegen/interpret/execute.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize ("O3", "no-trapping-math", "no-math-errno", "fp-contract=off")
#define EACH_LANE _Pragma ("GCC ivdep") for (uint32_t i = 0; i < LANES; i++)
#else
#pragma STDC FP_CONTRACT OFF
/* Some loops cannot be made vectors, such as those that divide integers. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define EACH_LANE _Pragma ("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < LANES; i++)
#endif

/* Registers hold all of these at one time or another. */
typedef uint32_t __attribute__ ((may_alias)) lane_u32;
typedef int32_t __attribute__ ((may_alias)) lane_i32;
typedef uint64_t __attribute__ ((may_alias)) lane_u64;
typedef int64_t __attribute__ ((may_alias)) lane_i64;
typedef float __attribute__ ((may_alias)) lane_f32;
typedef double __attribute__ ((may_alias)) lane_f64;

#define REGISTER(type, offset) \
  ((lane_##type *) __builtin_assume_aligned (subgroup->registers + (offset), LANES * sizeof (uint32_t)))

static inline int32_t
lane_divide_i32 (int32_t a, int32_t b)
{
  if (b == 0)
    return a;
  return b == -1 ? (int32_t) (0 - (uint32_t) a) : a / b;
}

static inline int64_t
lane_divide_i64 (int64_t a, int64_t b)
{
  if (b == 0)
    return a;
  return b == -1 ? (int64_t) (0 - (uint64_t) a) : a / b;
}

static inline uint32_t
lane_count_bits (uint32_t a)
{
  a -= (a >> 1) & UINT32_C (0x55555555);
  a = (a & UINT32_C (0x33333333)) + ((a >> 2) & UINT32_C (0x33333333));
  a = (a + (a >> 4)) & UINT32_C (0x0f0f0f0f);
  return (a * UINT32_C (0x01010101)) >> 24;
}

static inline uint32_t
lane_reverse_bits (uint32_t a)
{
  a = (a >> 1 & UINT32_C (0x55555555)) | (a & UINT32_C (0x55555555)) << 1;
  a = (a >> 2 & UINT32_C (0x33333333)) | (a & UINT32_C (0x33333333)) << 2;
  a = (a >> 4 & UINT32_C (0x0f0f0f0f)) | (a & UINT32_C (0x0f0f0f0f)) << 4;
  a = (a >> 8 & UINT32_C (0x00ff00ff)) | (a & UINT32_C (0x00ff00ff)) << 8;
  return a >> 16 | a << 16;
}

/* Truncates, saturates, NaN gives 0. */
static inline int32_t
lane_truncate_i32 (float a)
{
  float inside = a >= -0x1p31f && a < 0x1p31f ? a : 0;
  int32_t result = (int32_t) inside;
  result = a >= 0x1p31f ? INT32_MAX : result;
  return a < -0x1p31f ? INT32_MIN : result;
}

static inline uint32_t
lane_truncate_u32 (float a)
{
  float inside = a > 0 && a < 0x1p32f ? a : 0;
  uint32_t result = (uint32_t) (int64_t) inside;
  return a >= 0x1p32f ? UINT32_MAX : result;
}

/* The bits of a bool register, without lanes that are not there. */
static inline uint64_t
lane_bits (const lane_u32 *flags)
{
  static const uint32_t bits[32] = {
    1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
    1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31
  };
  uint64_t result = 0;
  for (uint32_t half = 0; half < LANES / 32; half++)
    {
      uint32_t word = 0;
      for (uint32_t i = 0; i < 32; i++)
        word |= (0 - flags[half * 32 + i]) & bits[i];
      result |= (uint64_t) word << (32 * half);
    }
  return result;
}

/* Words of all ones for the active lanes. */
static inline const uint32_t *
lane_spread (struct subgroup *subgroup)
{
  if (subgroup->spread_mask != subgroup->mask)
    {
      uint64_t mask = subgroup->mask;
      for (uint32_t i = 0; i < LANES; i++)
        subgroup->spread[i] = 0 - (uint32_t) (mask >> i & 1);
      subgroup->spread_mask = mask;
    }
  return subgroup->spread;
}

/* For lanes one by one: `bits` is a copy of a mask that is used up. */
#define EACH_ACTIVE(i, bits) \
  for (uint32_t i; bits != 0 && (i = (uint32_t) __builtin_ctzll (bits), bits &= bits - 1, true);)

#include "codegen/interpret/lanes-control.h"
#include "codegen/interpret/lanes-memory.h"
#include "codegen/interpret/lanes-values.h"
#include "codegen/interpret/lanes-together.h"

#define LANES_1(name, xir_op, kind, result, type, expression)                                    \
  static const struct code *                                                                     \
  run_##name (struct subgroup *subgroup, const struct code *code)                                \
  {                                                                                              \
    lane_##result *d = REGISTER (result, code->d);                                               \
    const lane_##type *a_ = REGISTER (type, code->a);                                            \
    for (uint32_t k = code->n; k > 0; k--, d += LANES, a_ += LANES)                              \
      EACH_LANE                                                                                  \
        {                                                                                        \
          const lane_##type a = a_[i];                                                           \
          d[i] = (lane_##result) (expression);                                                   \
        }                                                                                        \
    return code + 1;                                                                             \
  }
#define LANES_2(name, xir_op, kind, result, type, expression)                                    \
  static const struct code *                                                                     \
  run_##name (struct subgroup *subgroup, const struct code *code)                                \
  {                                                                                              \
    lane_##result *d = REGISTER (result, code->d);                                               \
    const lane_##type *a_ = REGISTER (type, code->a), *b_ = REGISTER (type, code->b);            \
    for (uint32_t k = code->n; k > 0; k--, d += LANES, a_ += LANES, b_ += LANES)                 \
      EACH_LANE                                                                                  \
        {                                                                                        \
          const lane_##type a = a_[i], b = b_[i];                                                \
          d[i] = (lane_##result) (expression);                                                   \
        }                                                                                        \
    return code + 1;                                                                             \
  }
#define LANES_3(name, xir_op, kind, result, type, expression)                                    \
  static const struct code *                                                                     \
  run_##name (struct subgroup *subgroup, const struct code *code)                                \
  {                                                                                              \
    lane_##result *d = REGISTER (result, code->d);                                               \
    const lane_##type *a_ = REGISTER (type, code->a), *b_ = REGISTER (type, code->b);            \
    const lane_##type *c_ = REGISTER (type, code->c);                                            \
    for (uint32_t k = code->n; k > 0; k--, d += LANES, a_ += LANES, b_ += LANES, c_ += LANES)    \
      EACH_LANE                                                                                  \
        {                                                                                        \
          const lane_##type a = a_[i], b = b_[i], c = c_[i];                                     \
          d[i] = (lane_##result) (expression);                                                   \
        }                                                                                        \
    return code + 1;                                                                             \
  }
#define LANES_EACH_1(name, xir_op, kind, result, type, expression)                               \
  static const struct code *                                                                     \
  run_##name (struct subgroup *subgroup, const struct code *code)                                \
  {                                                                                              \
    lane_##result *d = REGISTER (result, code->d);                                               \
    const lane_##type *a_ = REGISTER (type, code->a);                                            \
    for (uint32_t k = code->n; k > 0; k--, d += LANES, a_ += LANES)                              \
      {                                                                                          \
        uint64_t active = subgroup->mask;                                                        \
        EACH_ACTIVE (i, active)                                                                  \
          {                                                                                      \
            const lane_##type a = a_[i];                                                         \
            d[i] = (lane_##result) (expression);                                                 \
          }                                                                                      \
      }                                                                                          \
    return code + 1;                                                                             \
  }
#define LANES_EACH_2(name, xir_op, kind, result, type, expression)                               \
  static const struct code *                                                                     \
  run_##name (struct subgroup *subgroup, const struct code *code)                                \
  {                                                                                              \
    lane_##result *d = REGISTER (result, code->d);                                               \
    const lane_##type *a_ = REGISTER (type, code->a), *b_ = REGISTER (type, code->b);            \
    for (uint32_t k = code->n; k > 0; k--, d += LANES, a_ += LANES, b_ += LANES)                 \
      {                                                                                          \
        uint64_t active = subgroup->mask;                                                        \
        EACH_ACTIVE (i, active)                                                                  \
          {                                                                                      \
            const lane_##type a = a_[i], b = b_[i];                                              \
            d[i] = (lane_##result) (expression);                                                 \
          }                                                                                      \
      }                                                                                          \
    return code + 1;                                                                             \
  }
#include "codegen/interpret/lanes.def"
#undef LANES_1
#undef LANES_2
#undef LANES_3

const interpret_handler HANDLERS[INTERPRET_N_OPS] = {
#define INTERPRET_OP(name, function) [INTERPRET_OP_##name] = function,
#include "codegen/interpret/instructions.def"
#undef INTERPRET_OP
#define LANES_1(name, xir_op, kind, result, type, expression) [INTERPRET_OP_##name] = run_##name,
#define LANES_2(name, xir_op, kind, result, type, expression) [INTERPRET_OP_##name] = run_##name,
#define LANES_3(name, xir_op, kind, result, type, expression) [INTERPRET_OP_##name] = run_##name,
#include "codegen/interpret/lanes.def"
#undef LANES_1
#undef LANES_2
#undef LANES_3
};
