/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handlers of atomics and of operations over the subgroup (see lanes.h, which includes this). */

#pragma once

static inline void
load_number (enum xir_type_kind kind, uint64_t bits, struct evaluate_lane *out)
{
  uint32_t word = (uint32_t) bits;
  evaluate_load (kind, interpret_kind_is_wide (kind) ? (const uint8_t *) &bits : (const uint8_t *) &word, out);
}

/* False: nothing is to be written. */
static inline bool
atomic_result (const struct atomic *how, uint64_t old, uint64_t value, uint64_t expected, uint64_t *result)
{
  static const enum xir_op ops[] = {
    [XIR_OP_ATOMIC_ADD - XIR_OP_ATOMIC_EXCHANGE] = XIR_OP_ADD, [XIR_OP_ATOMIC_SUB - XIR_OP_ATOMIC_EXCHANGE] = XIR_OP_SUB,
    [XIR_OP_ATOMIC_MIN - XIR_OP_ATOMIC_EXCHANGE] = XIR_OP_MIN, [XIR_OP_ATOMIC_MAX - XIR_OP_ATOMIC_EXCHANGE] = XIR_OP_MAX,
    [XIR_OP_ATOMIC_AND - XIR_OP_ATOMIC_EXCHANGE] = XIR_OP_AND, [XIR_OP_ATOMIC_OR - XIR_OP_ATOMIC_EXCHANGE] = XIR_OP_OR,
    [XIR_OP_ATOMIC_XOR - XIR_OP_ATOMIC_EXCHANGE] = XIR_OP_XOR
  };
  struct evaluate_lane operands[3] = { { 0, 0 } }, out = { 0, 0 };
  *result = value;
  if (how->op == XIR_OP_ATOMIC_EXCHANGE)
    return true;
  if (how->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE)
    return old == expected;
  load_number (how->kind, old, &operands[0]);
  load_number (how->kind, value, &operands[1]);
  evaluate_scalar (ops[how->op - XIR_OP_ATOMIC_EXCHANGE], how->kind, how->kind, operands, &out);
  *result = out.bits;
  return true;
}

/* Other workers change the same buffers. */
#define PERFORM_ATOMIC(name, type)                                                               \
  static inline uint64_t                                                                         \
  name (const struct atomic *how, uint8_t *at, uint64_t value, uint64_t expected)                \
  {                                                                                              \
    lane_##type *place = (lane_##type *) (void *) at, old;                                       \
    uint64_t result;                                                                             \
    if (((uintptr_t) at & (sizeof *place - 1)) != 0)                                             \
      return 0;                                                                                  \
    old = __atomic_load_n (place, __ATOMIC_RELAXED);                                             \
    while (atomic_result (how, old, value, expected, &result)                                    \
           && !__atomic_compare_exchange_n (place, &old, (lane_##type) result, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) \
      ;                                                                                          \
    return old;                                                                                  \
  }

PERFORM_ATOMIC (perform_atomic_32, u32)
PERFORM_ATOMIC (perform_atomic_64, u64)

static inline void
atomic_lane (struct subgroup *subgroup, const struct code *code, uint8_t *at, uint32_t i)
{
  const struct atomic *how = &g_array_index (subgroup->program->atomics, struct atomic, code->x);
  if (interpret_kind_is_wide (how->kind))
    REGISTER (u64, code->d)[i] = at == NULL ? 0 : perform_atomic_64 (how, at, REGISTER (u64, how->value)[i],
                                                                     REGISTER (u64, how->expected)[i]);
  else
    REGISTER (u32, code->d)[i] = at == NULL ? 0 : (uint32_t) perform_atomic_32 (how, at, REGISTER (u32, how->value)[i],
                                                                                REGISTER (u32, how->expected)[i]);
}

static const struct code *
atomic_buffer (struct subgroup *subgroup, const struct code *code)
{
  uint8_t *data = subgroup->resources[code->b].data;
  const lane_u64 *a = REGISTER (u64, code->a);
  uint64_t active = subgroup->mask;
  EACH_ACTIVE (i, active)
    atomic_lane (subgroup, code, a[i] == OFFSET_INVALID ? NULL : data + a[i] + code->c, i);
  return code + 1;
}

static const struct code *
atomic_shared (struct subgroup *subgroup, const struct code *code)
{
  const lane_u32 *a = REGISTER (u32, code->a);
  uint64_t active = subgroup->mask;
  EACH_ACTIVE (i, active)
    atomic_lane (subgroup, code, a[i] == POINTER_INVALID ? NULL : pointed_at (subgroup, i, a[i]) + code->c, i);
  return code + 1;
}

/* The same value for all lanes. */
static inline void
store_all (struct subgroup *subgroup, enum xir_type_kind kind, const struct evaluate_lane *value, uint32_t d, uint32_t scalar)
{
  for (uint32_t i = 0; i < LANES; i++)
    store_lane (kind, value, subgroup->registers + d, scalar, i);
}

/* Of a reduction or a scan: how two values become one, and what comes before the first. */
static inline enum xir_op
reducing_op (enum xir_op op)
{
  switch (op)
    {
    case XIR_OP_SUBGROUP_AND:
      return XIR_OP_AND;
    case XIR_OP_SUBGROUP_OR:
      return XIR_OP_OR;
    case XIR_OP_SUBGROUP_XOR:
      return XIR_OP_XOR;
    case XIR_OP_SUBGROUP_PRODUCT:
    case XIR_OP_SUBGROUP_PREFIX_PRODUCT:
      return XIR_OP_MUL;
    case XIR_OP_SUBGROUP_MIN:
      return XIR_OP_MIN;
    case XIR_OP_SUBGROUP_MAX:
      return XIR_OP_MAX;
    default:
      return XIR_OP_ADD;
    }
}

/* Sums and products of floats have one rounding, at the end. */
static inline bool
is_rounded_last (enum xir_op op, enum xir_type_kind kind)
{
  return evaluate_is_float (kind) && (reducing_op (op) == XIR_OP_ADD || reducing_op (op) == XIR_OP_MUL);
}

static inline void
reduce_two (enum xir_op op, enum xir_type_kind kind, const struct evaluate_lane operands[3], struct evaluate_lane *out)
{
  if (is_rounded_last (op, kind))
    out->real = reducing_op (op) == XIR_OP_ADD ? operands[0].real + operands[1].real : operands[0].real * operands[1].real;
  else
    evaluate_scalar (reducing_op (op), kind, kind, operands, out);
}

static void
reduce_scalar (struct subgroup *subgroup, const struct code *code, const struct generic *how, uint32_t scalar)
{
  enum xir_type_kind kind = how->kinds[0];
  struct evaluate_lane operands[3] = { { 0, 0 } }, out = { 0, 0 };
  uint64_t active = subgroup->mask;
  bool first = true;
  EACH_ACTIVE (i, active)
    {
      load_lane (kind, subgroup->registers + code->a, scalar, i, &operands[1]);
      if (first)
        out = operands[1];
      else
        reduce_two (how->op, kind, operands, &out);
      operands[0] = out;
      first = false;
    }
  if (is_rounded_last (how->op, kind))
    evaluate_set_real (kind, out.real, &out);
  store_all (subgroup, kind, &out, code->d, scalar);
}

static void
scan_scalar (struct subgroup *subgroup, const struct code *code, const struct generic *how, uint32_t scalar)
{
  enum xir_type_kind kind = how->kinds[0];
  bool product = how->op == XIR_OP_SUBGROUP_PREFIX_PRODUCT;
  struct evaluate_lane operands[3] = { { 0, 0 } }, one = { 1, 0 };
  uint64_t active = subgroup->mask;
  if (evaluate_is_float (kind))
    evaluate_set_real (kind, product ? 1.0 : 0.0, &operands[0]);
  else
    operands[0].bits = product ? one.bits : 0;
  EACH_ACTIVE (i, active)
    {
      struct evaluate_lane next = { 0, 0 }, before = operands[0];
      load_lane (kind, subgroup->registers + code->a, scalar, i, &operands[1]);
      reduce_two (how->op, kind, operands, &next);
      if (is_rounded_last (how->op, kind))
        evaluate_set_real (kind, before.real, &before);
      store_lane (kind, &before, subgroup->registers + code->d, scalar, i);
      operands[0] = next;
    }
}

static void
all_equal_scalar (struct subgroup *subgroup, const struct code *code, const struct generic *how, uint32_t scalar)
{
  enum xir_type_kind kind = how->kinds[0];
  struct evaluate_lane operands[3] = { { 0, 0 } }, out = { 1, 0 };
  uint64_t active = subgroup->mask;
  bool first = true;
  EACH_ACTIVE (i, active)
    {
      struct evaluate_lane same = { 0, 0 };
      load_lane (kind, subgroup->registers + code->a, scalar, i, &operands[1]);
      if (first)
        operands[0] = operands[1];
      /* The first is compared with itself too: it may be no number. */
      evaluate_scalar (XIR_OP_EQUAL, kind, kind, operands, &same);
      out.bits &= same.bits;
      first = false;
    }
  store_all (subgroup, XIR_TYPE_BOOL, &out, code->d, scalar);
}

static void
read_scalar (struct subgroup *subgroup, const struct code *code, const struct generic *how, uint32_t scalar)
{
  enum xir_type_kind kind = how->kinds[0];
  struct evaluate_lane values[LANES];
  uint32_t size = subgroup->program->options.subgroup_size;
  uint64_t active = subgroup->mask;
  uint32_t lowest = (uint32_t) __builtin_ctzll (active | UINT64_C (1) << 63);
  for (uint32_t i = 0; i < LANES; i++)
    load_lane (kind, subgroup->registers + code->a, scalar, i, &values[i]);
  EACH_ACTIVE (i, active)
    {
      uint32_t from = how->op == XIR_OP_SUBGROUP_READ_FIRST ? lowest : REGISTER (u32, code->b)[i];
      const struct evaluate_lane none = { 0, 0 };
      bool there = from < size && (subgroup->mask >> from & 1) != 0;
      store_lane (kind, there ? &values[from] : &none, subgroup->registers + code->d, scalar, i);
    }
}

/* What looks at one bool of each lane. */
static void
count_flags (struct subgroup *subgroup, const struct code *code, const struct generic *how)
{
  uint64_t active = subgroup->mask, flags = 0;
  lane_u32 *d = REGISTER (u32, code->d);
  if (how->op != XIR_OP_SUBGROUP_IS_FIRST)
    flags = lane_bits (REGISTER (u32, code->a)) & active;
  for (uint32_t i = 0; i < LANES; i++)
    switch (how->op)
      {
      case XIR_OP_SUBGROUP_IS_FIRST:
        d[i] = active != 0 && i == (uint32_t) __builtin_ctzll (active);
        break;
      case XIR_OP_SUBGROUP_ALL:
        d[i] = flags == active;
        break;
      case XIR_OP_SUBGROUP_ANY:
        d[i] = flags != 0;
        break;
      case XIR_OP_SUBGROUP_COUNT:
        d[i] = (uint32_t) __builtin_popcountll (flags);
        break;
      case XIR_OP_SUBGROUP_PREFIX_COUNT:
        d[i] = (uint32_t) __builtin_popcountll (flags & ((UINT64_C (1) << i) - 1));
        break;
      default:
        d[i] = (uint32_t) flags;
        d[LANES + i] = (uint32_t) (flags >> 32);
        d[2 * LANES + i] = d[3 * LANES + i] = 0;
        break;
      }
}

static const struct code *
subgroup_op (struct subgroup *subgroup, const struct code *code)
{
  const struct generic *how = &g_array_index (subgroup->program->generics, struct generic, code->x);
  void (*each) (struct subgroup *, const struct code *, const struct generic *, uint32_t) = reduce_scalar;
  switch (how->op)
    {
    case XIR_OP_SUBGROUP_IS_FIRST:
    case XIR_OP_SUBGROUP_ALL:
    case XIR_OP_SUBGROUP_ANY:
    case XIR_OP_SUBGROUP_COUNT:
    case XIR_OP_SUBGROUP_PREFIX_COUNT:
    case XIR_OP_SUBGROUP_BALLOT:
      count_flags (subgroup, code, how);
      return code + 1;
    case XIR_OP_SUBGROUP_PREFIX_SUM:
    case XIR_OP_SUBGROUP_PREFIX_PRODUCT:
      each = scan_scalar;
      break;
    case XIR_OP_SUBGROUP_ALL_EQUAL:
      each = all_equal_scalar;
      break;
    case XIR_OP_SUBGROUP_READ:
    case XIR_OP_SUBGROUP_READ_FIRST:
      each = read_scalar;
      break;
    default:
      break;
    }
  for (uint32_t scalar = 0; scalar < how->lanes[0]; scalar++)
    each (subgroup, code, how, scalar);
  return code + 1;
}

/* Other workers read it, too. */
static const struct code *
read_clock (struct subgroup *subgroup, const struct code *code)
{
  uint64_t tick = __atomic_add_fetch (subgroup->clock, 1, __ATOMIC_RELAXED);
  lane_u64 *d = REGISTER (u64, code->d);
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = tick;
  return code + 1;
}
