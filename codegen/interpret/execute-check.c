/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The handlers of checks. They look lane by lane and change no register, so that a run
 * with checks computes what one without does. */

#include "config.h"

#include "codegen/interpret/execute.h"
#include "codegen/xir/evaluate-private.h"

#include <math.h>
#include <string.h>

#define EACH_LANE_OF(i, bits) \
  for (uint32_t i; bits != 0 && (i = (uint32_t) __builtin_ctzll (bits), bits &= bits - 1, true);)

static const struct checked *
checked_of (const struct subgroup *subgroup, const struct code *code)
{
  return &g_array_index (subgroup->program->checked, struct checked, code->x);
}

static const struct check_site *
site_of (const struct subgroup *subgroup, const struct checked *how)
{
  return &g_array_index (subgroup->program->sites, struct check_site, how->site);
}

static struct check_thread
thread_of (const struct subgroup *subgroup, uint32_t lane)
{
  return (struct check_thread) { subgroup->group, subgroup->first_thread + lane };
}

static uint32_t
word (const struct subgroup *subgroup, uint32_t offset, uint32_t lane)
{
  return subgroup->registers[offset + lane];
}

/* The active lanes in which somebody will look at the result. The front end computes what `?:` and `&&` might skip
 * where that costs little, and then chooses: what is thrown away is no fault. */
static uint64_t
lanes_of (const struct subgroup *subgroup, const struct checked *how)
{
  uint64_t lanes = subgroup->mask;
  for (uint32_t k = 0; k < how->n_conditions; k++)
    {
      uint64_t rest = lanes;
      EACH_LANE_OF (i, rest)
        if ((word (subgroup, how->conditions[k], i) != 0) == (how->inverted >> k & 1))
          lanes &= ~(UINT64_C (1) << i);
    }
  return lanes;
}

static uint64_t
double_word (const struct subgroup *subgroup, uint32_t offset, uint32_t lane)
{
  uint64_t value;
  memcpy (&value, subgroup->registers + offset + 2 * lane, sizeof value);
  return value;
}

static void
load (const struct subgroup *subgroup, enum xir_type_kind kind, uint32_t offset, uint32_t scalar, uint32_t lane,
      struct evaluate_lane *out)
{
  uint32_t width = subgroup->program->width, step = interpret_kind_is_wide (kind) ? 2 : 1;
  evaluate_load (kind, (const uint8_t *) (subgroup->registers + offset + step * (scalar * width + lane)), out);
}

/* With its sign, if it has one. */
static int64_t
extended (enum xir_type_kind kind, uint64_t bits)
{
  switch (kind)
    {
    case XIR_TYPE_INT8:
      return (int8_t) bits;
    case XIR_TYPE_INT16:
      return (int16_t) bits;
    case XIR_TYPE_INT32:
      return (int32_t) bits;
    default:
      return (int64_t) bits;
    }
}

/* Indices. */

static const struct code *
check_below (struct subgroup *subgroup, const struct code *code, uint64_t limit, const struct check_memory *memory)
{
  const struct checked *how = checked_of (subgroup, code);
  enum xir_type_kind kind = how->kinds[0];
  uint64_t active = subgroup->mask;
  EACH_LANE_OF (i, active)
    {
      struct evaluate_lane lane = { 0, 0 };
      int64_t index;
      load (subgroup, kind, code->a, 0, i, &lane);
      index = extended (kind, lane.bits);
      if ((uint64_t) index >= limit)
        {
          struct check_thread thread = thread_of (subgroup, i);
          check_report_bounds (subgroup->check, &thread, site_of (subgroup, how), how->storage, how->access, memory, 1,
                               &index, &limit);
        }
    }
  return code + 1;
}

const struct code *
interpret_check_element (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  return subgroup->check != NULL ? check_below (subgroup, code, resource->n_elements, resource->shadow) : code + 1;
}

const struct code *
interpret_check_bytes (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  const struct checked *how = checked_of (subgroup, code);
  uint64_t active = subgroup->mask;
  if (subgroup->check == NULL)
    return code + 1;
  EACH_LANE_OF (i, active)
    {
      struct check_thread thread = thread_of (subgroup, i);
      struct evaluate_lane lane = { 0, 0 };
      int64_t offset;
      load (subgroup, how->kinds[0], code->a, 0, i, &lane);
      offset = extended (how->kinds[0], lane.bits);
      check_report_bytes (subgroup->check, &thread, site_of (subgroup, how), how->access, resource->shadow, offset, code->n,
                          code->c, resource->n_elements);
    }
  return code + 1;
}

const struct code *
interpret_check_index (struct subgroup *subgroup, const struct code *code)
{
  return subgroup->check != NULL ? check_below (subgroup, code, code->c, NULL) : code + 1;
}

/* Memory. */

/* Of the lanes with an offset, those and their places in the shadow. */
static uint64_t
buffer_places (const struct subgroup *subgroup, const struct code *code, const struct resource *resource, uint64_t offsets[64])
{
  uint64_t active = subgroup->mask, valid = 0;
  EACH_LANE_OF (i, active)
    {
      uint64_t offset = double_word (subgroup, code->a, i);
      if (offset == OFFSET_INVALID)
        continue;
      offsets[i] = offset + code->c + resource->shadow_offset;
      valid |= UINT64_C (1) << i;
    }
  return valid;
}

const struct code *
interpret_check_buffer (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  const struct checked *how = checked_of (subgroup, code);
  uint64_t offsets[64], lanes;
  if (subgroup->check == NULL || resource->shadow == NULL)
    return code + 1;
  lanes = buffer_places (subgroup, code, resource, offsets);
  check_access_lanes (subgroup->check, resource->shadow, offsets, code->n, how->access, subgroup->group,
                      subgroup->first_thread, lanes, site_of (subgroup, how));
  return code + 1;
}

/* The same of pointers: of the lanes, those with shared and those with local memory. */
static void
memory_places (const struct subgroup *subgroup, const struct code *code, uint64_t offsets[64], uint64_t *shared, uint64_t *local)
{
  uint64_t active = subgroup->mask;
  *shared = *local = 0;
  EACH_LANE_OF (i, active)
    {
      uint32_t pointer = word (subgroup, code->a, i);
      if (pointer == POINTER_INVALID)
        continue;
      if ((pointer & POINTER_SHARED) != 0)
        {
          offsets[i] = (pointer & ~POINTER_SHARED) + (uint64_t) code->c;
          *shared |= UINT64_C (1) << i;
        }
      else
        {
          offsets[i] = i * subgroup->local_size + pointer + code->c;
          *local |= UINT64_C (1) << i;
        }
    }
}

const struct code *
interpret_check_memory (struct subgroup *subgroup, const struct code *code)
{
  const struct checked *how = checked_of (subgroup, code);
  const struct check_site *site = site_of (subgroup, how);
  uint64_t offsets[64], shared, local;
  if (subgroup->check == NULL)
    return code + 1;
  memory_places (subgroup, code, offsets, &shared, &local);
  if (shared != 0)
    check_access_lanes (subgroup->check, subgroup->shared_shadow, offsets, code->n, how->access, subgroup->group,
                        subgroup->first_thread, shared, site);
  if (how->n_conditions > 0)
    local &= lanes_of (subgroup, how);
  if (local != 0)
    check_access_lanes (subgroup->check, subgroup->local_shadow, offsets, code->n, how->access, subgroup->group,
                        subgroup->first_thread, local, site);
  return code + 1;
}

const struct code *
interpret_forget (struct subgroup *subgroup, const struct code *code)
{
  uint64_t offsets[64], shared, local;
  if (subgroup->check == NULL)
    return code + 1;
  memory_places (subgroup, code, offsets, &shared, &local);
  EACH_LANE_OF (i, local)
    check_memory_uninitialise (subgroup->local_shadow, offsets[i], code->n);
  return code + 1;
}

static void
check_texel (struct subgroup *subgroup, const struct code *code, const struct checked *how, uint32_t lane)
{
  const struct resource *resource = &subgroup->resources[code->b];
  const struct interpret_image *image = resource->image;
  struct check_thread thread = thread_of (subgroup, lane);
  int64_t at[3] = { 0 };
  uint64_t limit[3] = { 0 }, texel = 0;
  bool inside = true;
  for (uint32_t k = code->n; k-- > 0;)
    {
      uint32_t coordinate = word (subgroup, code->a + k * subgroup->program->width, lane);
      at[k] = extended (how->kinds[0], coordinate);
      limit[k] = image->size[k];
      inside = inside && coordinate < limit[k];
      texel = texel * limit[k] + coordinate;
    }
  if (!inside)
    check_report_bounds (subgroup->check, &thread, site_of (subgroup, how), CHECK_STORAGE_IMAGE, how->access,
                         resource->shadow, code->n, at, limit);
  else if (resource->shadow != NULL)
    check_access (subgroup->check, resource->shadow, resource->shadow_offset + texel * image->texel_size, image->texel_size,
                  how->access, &thread, site_of (subgroup, how));
}

const struct code *
interpret_check_image (struct subgroup *subgroup, const struct code *code)
{
  uint64_t active = subgroup->mask;
  if (subgroup->check == NULL)
    return code + 1;
  EACH_LANE_OF (i, active)
    check_texel (subgroup, code, checked_of (subgroup, code), i);
  return code + 1;
}

/* Arithmetic. */

/* For each active lane and each scalar of the first operand. */
typedef void (*check_scalar) (struct subgroup *subgroup, const struct code *code, const struct checked *how, uint32_t scalar,
                              uint32_t lane);

static const struct code *
check_scalars (struct subgroup *subgroup, const struct code *code, enum check_kind kind, check_scalar check)
{
  const struct checked *how = checked_of (subgroup, code);
  uint64_t active;
  if (subgroup->check == NULL || !check_run_wants (subgroup->check, kind))
    return code + 1;
  active = lanes_of (subgroup, how);
  EACH_LANE_OF (i, active)
    for (uint32_t scalar = 0; scalar < how->lanes[0]; scalar++)
      check (subgroup, code, how, scalar, i);
  return code + 1;
}

static void
operand (const struct subgroup *subgroup, const struct checked *how, uint32_t k, uint32_t scalar, uint32_t lane,
         struct evaluate_lane *out)
{
  load (subgroup, how->kinds[k], how->operands[k], how->lanes[k] > 1 ? scalar : 0, lane, out);
}

static uint32_t
bits_of (enum xir_type_kind kind)
{
  static const uint8_t bits[XIR_N_TYPE_KINDS] = {
    [XIR_TYPE_INT8] = 8, [XIR_TYPE_UINT8] = 8, [XIR_TYPE_INT16] = 16, [XIR_TYPE_UINT16] = 16,
    [XIR_TYPE_INT32] = 32, [XIR_TYPE_UINT32] = 32, [XIR_TYPE_INT64] = 64, [XIR_TYPE_UINT64] = 64
  };
  return bits[kind];
}

static void
check_count (struct subgroup *subgroup, const struct code *code G_GNUC_UNUSED, const struct checked *how, uint32_t scalar,
             uint32_t lane)
{
  struct evaluate_lane count = { 0, 0 };
  struct check_thread thread = thread_of (subgroup, lane);
  uint64_t value;
  operand (subgroup, how, 1, scalar, lane, &count);
  value = (uint64_t) extended (how->kinds[1], count.bits);
  if (value >= bits_of (how->kinds[0]))
    check_report_shift (subgroup->check, &thread, site_of (subgroup, how), value, evaluate_is_signed (how->kinds[1]),
                        bits_of (how->kinds[0]));
}

const struct code *
interpret_check_shift (struct subgroup *subgroup, const struct code *code)
{
  return check_scalars (subgroup, code, CHECK_SHIFT_RANGE, check_count);
}

static void
check_divisor (struct subgroup *subgroup, const struct code *code G_GNUC_UNUSED, const struct checked *how, uint32_t scalar,
               uint32_t lane)
{
  enum xir_type_kind kind = how->kinds[0];
  struct evaluate_lane operands[2] = { { 0, 0 }, { 0, 0 } };
  struct check_thread thread = thread_of (subgroup, lane);
  bool is_signed = evaluate_is_signed (kind), overflow;
  int64_t dividend, divisor;
  operand (subgroup, how, 0, scalar, lane, &operands[0]);
  operand (subgroup, how, 1, scalar, lane, &operands[1]);
  dividend = extended (kind, operands[0].bits);
  divisor = extended (kind, operands[1].bits);
  overflow = is_signed && divisor == -1 && operands[0].bits == UINT64_C (1) << (bits_of (kind) - 1);
  if (divisor == 0 || overflow)
    check_report_division (subgroup->check, &thread, site_of (subgroup, how), (uint64_t) dividend, is_signed, overflow);
}

const struct code *
interpret_check_divide (struct subgroup *subgroup, const struct code *code)
{
  return check_scalars (subgroup, code, CHECK_DIVISION_BY_ZERO, check_divisor);
}

/* In the language. */
static const char *
integer_name (enum xir_type_kind kind)
{
  static const char *const names[XIR_N_TYPE_KINDS] = {
    [XIR_TYPE_INT8] = "char", [XIR_TYPE_UINT8] = "uchar", [XIR_TYPE_INT16] = "short", [XIR_TYPE_UINT16] = "ushort",
    [XIR_TYPE_INT32] = "int", [XIR_TYPE_UINT32] = "uint", [XIR_TYPE_INT64] = "long", [XIR_TYPE_UINT64] = "ulong"
  };
  return names[kind];
}

static void
check_value (struct subgroup *subgroup, const struct code *code G_GNUC_UNUSED, const struct checked *how, uint32_t scalar,
             uint32_t lane)
{
  struct evaluate_lane value = { 0, 0 };
  struct check_thread thread = thread_of (subgroup, lane);
  uint32_t bits = bits_of (how->result);
  bool is_signed = evaluate_is_signed (how->result);
  double whole, top;
  operand (subgroup, how, 0, scalar, lane, &value);
  whole = trunc (value.real);
  top = ldexp (1.0, (int) bits - (is_signed ? 1 : 0));
  if (!(whole < top && whole >= (is_signed ? -top : 0.0)))
    check_report_convert (subgroup->check, &thread, site_of (subgroup, how), value.real, integer_name (how->result));
}

const struct code *
interpret_check_convert (struct subgroup *subgroup, const struct code *code)
{
  return check_scalars (subgroup, code, CHECK_CONVERT_RANGE, check_value);
}

/* Among scalars `first` to `last`. */
static bool
has_nan (const struct subgroup *subgroup, enum xir_type_kind kind, uint32_t offset, uint32_t first, uint32_t last, uint32_t lane)
{
  for (uint32_t scalar = first; scalar <= last && evaluate_is_float (kind); scalar++)
    {
      struct evaluate_lane value = { 0, 0 };
      load (subgroup, kind, offset, scalar, lane, &value);
      if (isnan (value.real))
        return true;
    }
  return false;
}

static bool
makes_nan (const struct subgroup *subgroup, const struct code *code, const struct checked *how, uint32_t scalar, uint32_t lane)
{
  if (!has_nan (subgroup, how->result, code->d, scalar, scalar, lane))
    return false;
  for (uint32_t k = 0; k < how->n_operands; k++)
    {
      uint32_t last = how->lanes[k] - 1u;
      if (has_nan (subgroup, how->kinds[k], how->operands[k], how->across ? 0 : MIN (scalar, last),
                   how->across ? last : MIN (scalar, last), lane))
        return false;
    }
  return true;
}

const struct code *
interpret_check_nan (struct subgroup *subgroup, const struct code *code)
{
  const struct checked *how = checked_of (subgroup, code);
  uint64_t active;
  if (subgroup->check == NULL || !check_run_wants (subgroup->check, CHECK_NAN))
    return code + 1;
  active = lanes_of (subgroup, how);
  EACH_LANE_OF (i, active)
    {
      struct check_thread thread = thread_of (subgroup, i);
      bool makes = false;
      for (uint32_t scalar = 0; scalar < code->n && !makes; scalar++)
        makes = makes_nan (subgroup, code, how, scalar, i);
      if (makes)
        check_report_nan (subgroup->check, &thread, site_of (subgroup, how), xir_op_info (how->op)->mnemonic);
    }
  return code + 1;
}

/* All threads that the subgroup began with must be here; how it is in other subgroups is looked at when
 * all have stopped. */
const struct code *
interpret_check_barrier (struct subgroup *subgroup, const struct code *code)
{
  const struct checked *how = checked_of (subgroup, code);
  uint64_t absent = subgroup->launched & ~subgroup->mask;
  if (subgroup->check == NULL)
    return code + 1;
  subgroup->waits_at = site_of (subgroup, how);
  if (absent != 0)
    {
      struct check_thread here = thread_of (subgroup, (uint32_t) __builtin_ctzll (subgroup->mask));
      struct check_thread there = thread_of (subgroup, (uint32_t) __builtin_ctzll (absent));
      check_report_barrier (subgroup->check, &here, subgroup->waits_at, &there, NULL);
    }
  return code + 1;
}

typedef void (*report_function) (struct check_run *run, const struct check_thread *thread, const struct check_site *site, const char *text);

/* That a thread comes here at all is what is wrong. */
static const struct code *
report_each (struct subgroup *subgroup, const struct code *code, report_function report)
{
  const struct checked *how = checked_of (subgroup, code);
  uint64_t active = subgroup->mask;
  if (subgroup->check == NULL)
    return code + 1;
  EACH_LANE_OF (i, active)
    {
      struct check_thread thread = thread_of (subgroup, i);
      report (subgroup->check, &thread, site_of (subgroup, how), how->text);
    }
  return code + 1;
}

const struct code *
interpret_check_unreachable (struct subgroup *subgroup, const struct code *code)
{
  return report_each (subgroup, code, check_report_unreachable);
}

/* Where only threads come whose assertion does not hold. */
const struct code *
interpret_check_assert (struct subgroup *subgroup, const struct code *code)
{
  return report_each (subgroup, code, check_report_assert);
}

/* The lane that another thread's value is read from. */
const struct code *
interpret_check_lane (struct subgroup *subgroup, const struct code *code)
{
  const struct checked *how = checked_of (subgroup, code);
  uint32_t size = subgroup->program->options.subgroup_size;
  uint64_t active;
  if (subgroup->check == NULL)
    return code + 1;
  active = lanes_of (subgroup, how);
  EACH_LANE_OF (i, active)
    {
      struct check_thread thread = thread_of (subgroup, i);
      uint32_t lane = word (subgroup, how->operands[1], i);
      if (lane >= size || (subgroup->mask >> lane & 1) == 0)
        check_report_inactive (subgroup->check, &thread, site_of (subgroup, how), lane, size);
    }
  return code + 1;
}

/* What is not defined of structures and arrays. */

static uint64_t *
undefined_at (const struct subgroup *subgroup, uint32_t offset)
{
  return subgroup->undefined + offset / subgroup->program->width;
}

static void
set_undefined (uint64_t *slots, uint32_t n, uint64_t lanes, bool undefined)
{
  for (uint32_t k = 0; k < n; k++)
    slots[k] = undefined ? slots[k] | lanes : slots[k] & ~lanes;
}

/* `n` scalars of `size` bytes at places of `lanes`: between slots and memory. */
static void
read_undefined (uint64_t *slots, uint32_t n, uint32_t size, const struct check_memory *memory, const uint64_t offsets[64],
                uint64_t lanes)
{
  uint32_t step = size == 8 ? 2 : 1;
  EACH_LANE_OF (i, lanes)
    for (uint32_t k = 0; k < n; k++)
      set_undefined (slots + k * step, step, UINT64_C (1) << i,
                     !check_memory_is_initialised (memory, offsets[i] + (uint64_t) k * size, size));
}

static void
write_undefined (const uint64_t *slots, uint32_t n, uint32_t size, struct check_memory *memory, const uint64_t offsets[64],
                 uint64_t lanes)
{
  uint32_t step = size == 8 ? 2 : 1;
  for (uint32_t k = 0; k < n; k++)
    {
      uint64_t some = slots[k * step] & lanes;
      EACH_LANE_OF (i, some)
        check_memory_uninitialise (memory, offsets[i] + (uint64_t) k * size, size);
    }
}

const struct code *
interpret_undefined_read_buffer (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  uint64_t offsets[64], lanes;
  if (subgroup->undefined == NULL)
    return code + 1;
  set_undefined (undefined_at (subgroup, code->d), code->n * (code->x == 8 ? 2 : 1), subgroup->mask, false);
  lanes = buffer_places (subgroup, code, resource, offsets);
  if (resource->shadow != NULL)
    read_undefined (undefined_at (subgroup, code->d), code->n, code->x, resource->shadow, offsets, lanes);
  return code + 1;
}

const struct code *
interpret_undefined_read (struct subgroup *subgroup, const struct code *code)
{
  uint64_t offsets[64], shared, local, *slots;
  if (subgroup->undefined == NULL)
    return code + 1;
  slots = undefined_at (subgroup, code->d);
  set_undefined (slots, code->n * (code->x == 8 ? 2 : 1), subgroup->mask, false);
  memory_places (subgroup, code, offsets, &shared, &local);
  if (shared != 0)
    read_undefined (slots, code->n, code->x, subgroup->shared_shadow, offsets, shared);
  if (local != 0)
    read_undefined (slots, code->n, code->x, subgroup->local_shadow, offsets, local);
  return code + 1;
}

const struct code *
interpret_undefined_write_buffer (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  uint64_t offsets[64], lanes;
  if (subgroup->undefined == NULL || resource->shadow == NULL)
    return code + 1;
  lanes = buffer_places (subgroup, code, resource, offsets);
  write_undefined (undefined_at (subgroup, code->d), code->n, code->x, resource->shadow, offsets, lanes);
  return code + 1;
}

const struct code *
interpret_undefined_write (struct subgroup *subgroup, const struct code *code)
{
  uint64_t offsets[64], shared, local;
  if (subgroup->undefined == NULL)
    return code + 1;
  memory_places (subgroup, code, offsets, &shared, &local);
  if (shared != 0)
    write_undefined (undefined_at (subgroup, code->d), code->n, code->x, subgroup->shared_shadow, offsets, shared);
  if (local != 0)
    write_undefined (undefined_at (subgroup, code->d), code->n, code->x, subgroup->local_shadow, offsets, local);
  return code + 1;
}

const struct code *
interpret_undefined_copy (struct subgroup *subgroup, const struct code *code)
{
  uint64_t mask = subgroup->mask, *to;
  const uint64_t *from;
  if (subgroup->undefined == NULL)
    return code + 1;
  to = undefined_at (subgroup, code->d);
  from = undefined_at (subgroup, code->a);
  for (uint32_t k = 0; k < code->n; k++)
    to[k] = (to[k] & ~mask) | (from[k] & mask);
  return code + 1;
}

const struct code *
interpret_undefined_none (struct subgroup *subgroup, const struct code *code)
{
  if (subgroup->undefined != NULL)
    set_undefined (undefined_at (subgroup, code->d), code->n, subgroup->mask, false);
  return code + 1;
}

static void
move_undefined (uint64_t *to, const uint64_t *from, uint32_t n, uint32_t lane)
{
  uint64_t bit = UINT64_C (1) << lane;
  for (uint32_t k = 0; k < n; k++)
    to[k] = (to[k] & ~bit) | (from != NULL ? from[k] & bit : 0);
}

const struct code *
interpret_undefined_pick (struct subgroup *subgroup, const struct code *code)
{
  uint64_t active = subgroup->mask;
  if (subgroup->undefined == NULL)
    return code + 1;
  EACH_LANE_OF (i, active)
    {
      uint32_t at = word (subgroup, code->b, i);
      move_undefined (undefined_at (subgroup, code->d), at == POINTER_INVALID ? NULL : undefined_at (subgroup, code->a) + at,
                      code->n, i);
    }
  return code + 1;
}

const struct code *
interpret_undefined_put (struct subgroup *subgroup, const struct code *code)
{
  uint64_t active = subgroup->mask;
  if (subgroup->undefined == NULL)
    return code + 1;
  EACH_LANE_OF (i, active)
    {
      uint32_t at = word (subgroup, code->b, i);
      if (at != POINTER_INVALID)
        move_undefined (undefined_at (subgroup, code->d) + at, code->x != 0 ? undefined_at (subgroup, code->a) : NULL, code->n, i);
    }
  return code + 1;
}

const struct code *
interpret_undefined_select (struct subgroup *subgroup, const struct code *code)
{
  uint64_t active = subgroup->mask;
  if (subgroup->undefined == NULL)
    return code + 1;
  EACH_LANE_OF (i, active)
    move_undefined (undefined_at (subgroup, code->d),
                    undefined_at (subgroup, word (subgroup, code->c, i) != 0 ? code->b : code->a), code->n, i);
  return code + 1;
}

const struct code *
interpret_check_defined (struct subgroup *subgroup, const struct code *code)
{
  const struct checked *how = checked_of (subgroup, code);
  uint64_t active;
  if (subgroup->undefined == NULL)
    return code + 1;
  active = lanes_of (subgroup, how);
  EACH_LANE_OF (i, active)
    {
      const uint64_t *slots = undefined_at (subgroup, code->a);
      struct check_thread thread = thread_of (subgroup, i);
      bool undefined = false;
      if (code->c != 0)
        {
          uint32_t at = word (subgroup, code->b, i);
          if (at == POINTER_INVALID)
            continue;
          slots += at;
        }
      for (uint32_t k = 0; k < code->n; k++)
        undefined = undefined || (slots[k] >> i & 1) != 0;
      if (undefined)
        check_report_undefined (subgroup->check, &thread, site_of (subgroup, how), how->storage);
    }
  return code + 1;
}
