/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A permutation of a power of two by four rounds of Feistel; what falls outside of the
 * count is permuted again until it does not. */

#include "config.h"

#include "codegen/interpret/order.h"

static uint64_t
mix (uint64_t value)
{
  value = (value ^ value >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  value = (value ^ value >> 27) * UINT64_C (0x94d049bb133111eb);
  return value ^ value >> 31;
}

void
interpret_order_init (struct interpret_order *order, uint64_t count, uint64_t seed)
{
  order->count = count;
  order->seed = seed;
  order->half_bits = 1;
  while (order->half_bits < 32 && UINT64_C (1) << (2 * order->half_bits) < count)
    order->half_bits++;
}

uint64_t
interpret_order_at (const struct interpret_order *order, uint64_t place)
{
  uint64_t half = (UINT64_C (1) << order->half_bits) - 1;
  if (order->seed == 0)
    return place;
  do
    {
      uint64_t left = place >> order->half_bits, right = place & half;
      for (uint64_t round = 1; round <= 4; round++)
        {
          uint64_t next = left ^ (mix (right ^ mix (order->seed + round)) & half);
          left = right;
          right = next;
        }
      place = left << order->half_bits | right;
    }
  while (place >= order->count);
  return place;
}
