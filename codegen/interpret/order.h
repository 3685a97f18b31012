/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A seeded order of the numbers below a count: any place of it is computed alone, so that
 * workers need no list and a run can be repeated. */

#pragma once

#include <stdint.h>

struct interpret_order
{
  uint64_t count, seed;          /* seed 0: as they are numbered */
  uint32_t half_bits;
};

void     interpret_order_init (struct interpret_order *order, uint64_t count, uint64_t seed);
uint64_t interpret_order_at   (const struct interpret_order *order, uint64_t place);
