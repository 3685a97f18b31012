/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random numbers that are the same for ever: splitmix64, since the generators of libraries may change. */

#pragma once

#include <glib.h>

struct dice
{
  guint64 state;
};

static inline guint64
dice_next (struct dice *dice)
{
  guint64 z = dice->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Two seeds give unlike streams, even neighbours. */
static inline struct dice
dice_new (guint64 seed, guint64 stream)
{
  struct dice dice = { seed * G_GUINT64_CONSTANT (0x2545f4914f6cdd1d) + stream };
  dice.state = dice_next (&dice) ^ stream;
  return dice;
}

/* 0 to n - 1. */
static inline guint
dice_below (struct dice *dice, guint n)
{
  return (guint) ((dice_next (dice) >> 32) * n >> 32);
}

static inline gboolean
dice_percent (struct dice *dice, guint percent)
{
  return dice_below (dice, 100) < percent;
}
