/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handlers of control flow (see lanes.h, which includes this). */

#pragma once

#include "codegen/interpret/trace-private.h"

static const struct code *
block (struct subgroup *subgroup, const struct code *code)
{
  uint64_t mask = subgroup->masks[code->a];
  subgroup->masks[code->a] = 0;
  subgroup->mask = mask;
  return mask != 0 ? code + 1 : subgroup->program->code + code->x;
}

static const struct code *
branch (struct subgroup *subgroup, const struct code *code)
{
  subgroup->masks[code->a] |= subgroup->mask;
  return code + 1;
}

static const struct code *
back (struct subgroup *subgroup, const struct code *code)
{
  return subgroup->program->code + code->x;
}

static const struct code *
if_true (struct subgroup *subgroup, const struct code *code)
{
  uint64_t yes = lane_bits (REGISTER (u32, code->a)), mask = subgroup->mask;
  subgroup->masks[code->b] |= mask & ~yes;
  subgroup->mask = mask &= yes;
  return mask != 0 ? code + 1 : subgroup->program->code + code->x;
}

static const struct code *
if_false (struct subgroup *subgroup, const struct code *code)
{
  uint64_t yes = lane_bits (REGISTER (u32, code->a)), mask = subgroup->mask;
  subgroup->masks[code->b] |= mask & yes;
  subgroup->mask = mask &= ~yes;
  return mask != 0 ? code + 1 : subgroup->program->code + code->x;
}

static const struct code *
split (struct subgroup *subgroup, const struct code *code)
{
  uint64_t yes = lane_bits (REGISTER (u32, code->a)), mask = subgroup->mask;
  subgroup->masks[code->b] = mask & yes;
  subgroup->mask = mask & ~yes;
  return code + 1;
}

static uint32_t
find_case (const struct switch_table *table, uint64_t value)
{
  uint32_t low = 0, high = table->n_cases;
  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      if (table->cases[middle].value == value)
        return table->cases[middle].mask;
      if (table->cases[middle].value < value)
        low = middle + 1;
      else
        high = middle;
    }
  return table->default_mask;
}

static const struct code *
switch_ (struct subgroup *subgroup, const struct code *code)
{
  const struct switch_table *table = &g_array_index (subgroup->program->switches, struct switch_table, code->x);
  const lane_u32 *narrow = REGISTER (u32, code->a);
  const lane_u64 *wide = REGISTER (u64, code->a);
  uint64_t rest = subgroup->mask;
  while (rest != 0)
    {
      uint32_t first = (uint32_t) __builtin_ctzll (rest);
      uint64_t value = code->n == 1 ? narrow[first] : wide[first], same = 0;
      for (uint32_t i = 0; i < LANES; i++)
        same |= (uint64_t) ((code->n == 1 ? narrow[i] : wide[i]) == value) << i;
      subgroup->masks[find_case (table, value)] |= same & rest;
      rest &= ~same;
    }
  return code + 1;
}

static const struct code *
peek (struct subgroup *subgroup, const struct code *code)
{
  subgroup->mask = subgroup->masks[code->a];
  return code + 1;
}

static const struct code *
call (struct subgroup *subgroup, const struct code *code)
{
  subgroup->frame->code = code + 1;
  subgroup->frame->mask = subgroup->mask;
  subgroup->frame++;
  return subgroup->program->code + code->x;
}

static const struct code *
return_ (struct subgroup *subgroup, const struct code *code G_GNUC_UNUSED)
{
  subgroup->frame--;
  subgroup->mask = subgroup->frame->mask;
  return subgroup->frame->code;
}

static const struct code *
end (struct subgroup *subgroup, const struct code *code G_GNUC_UNUSED)
{
  subgroup->state = SUBGROUP_ENDED;
  return NULL;
}

static const struct code *
trace (struct subgroup *subgroup, const struct code *code)
{
  trace_at (subgroup, &g_array_index (subgroup->program->trace->entries, struct trace_entry, code->x));
  return code + 1;
}

static const struct code *
barrier (struct subgroup *subgroup, const struct code *code)
{
  subgroup->state = SUBGROUP_AT_BARRIER;
  subgroup->code = code + 1;
  return NULL;
}
