/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arithmetic on sizes that says when it does not fit. Every function returns
 * true and writes `*out` when the result is exact, and returns false and leaves
 * `*out` alone otherwise. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool
gb_checked_add (uint64_t a, uint64_t b, uint64_t *out)
{
  uint64_t result;
  if (__builtin_add_overflow (a, b, &result))
    return false;
  *out = result;
  return true;
}

static inline bool
gb_checked_mul (uint64_t a, uint64_t b, uint64_t *out)
{
  uint64_t result;
  if (__builtin_mul_overflow (a, b, &result))
    return false;
  *out = result;
  return true;
}

static inline bool
gb_is_power_of_two (uint64_t value)
{
  return value != 0 && (value & (value - 1)) == 0;
}

/* Rounds up to a multiple of `alignment`, a power of two. */
static inline bool
gb_checked_align (uint64_t value, uint64_t alignment, uint64_t *out)
{
  uint64_t sum;
  if (!gb_is_power_of_two (alignment)
      || !gb_checked_add (value, alignment - 1, &sum))
    return false;
  *out = sum & ~(alignment - 1);
  return true;
}

/* Whether [offset, offset + size) lies inside [0, limit). */
static inline bool
gb_range_fits (uint64_t offset, uint64_t size, uint64_t limit)
{
  return offset <= limit && size <= limit - offset;
}

/* For values whose sum with `alignment` is known not to wrap. */
#define GB_ALIGN_UP(value, alignment) \
  (((value) + (alignment) - 1) / (alignment) * (alignment))
