/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ops that mix the lanes of vectors. */

#include "config.h"

#include "codegen/xir/evaluate-private.h"

#include <math.h>

static double
dot (const struct evaluate_lane *a,
     const struct evaluate_lane *b,
     uint32_t lanes)
{
  double sum = 0;

  for (uint32_t i = 0; i < lanes; i++)
    sum += a[i].real * b[i].real;
  return sum;
}

/* Lane after lane, rounded after each step: the table calls these exact. */
static bool
reduce (enum xir_op op,
        enum xir_type_kind kind,
        uint32_t lanes,
        const struct evaluate_lane *vector,
        struct evaluate_lane *out)
{
  struct evaluate_lane operands[3] = { vector[0] };

  for (uint32_t i = 1; i < lanes; i++)
    {
      operands[1] = vector[i];
      if (!evaluate_scalar (op, kind, kind, operands, out))
        return false;
      operands[0] = *out;
    }
  *out = operands[0];
  return evaluate_is_float (kind) || evaluate_is_integer (kind);
}

static void
cross (const struct evaluate_lane *a,
       const struct evaluate_lane *b,
       struct evaluate_lane *out)
{
  for (uint32_t i = 0; i < 3; i++)
    {
      uint32_t next = (i + 1) % 3, last = (i + 2) % 3;

      out[i].real = a[next].real * b[last].real - a[last].real * b[next].real;
    }
}

/* `n_out` says how many lanes were made. */
static bool
geometry (enum xir_op op,
          uint32_t lanes,
          const struct evaluate_lane operands[3][4],
          struct evaluate_lane *out,
          uint32_t *n_out)
{
  const struct evaluate_lane *a = operands[0], *b = operands[1], *c = operands[2];
  double scale;

  *n_out = lanes;
  switch (op)
    {
    case XIR_OP_DOT:
      out[0].real = dot (a, b, lanes);
      *n_out = 1;
      return true;
    case XIR_OP_LENGTH:
      out[0].real = sqrt (dot (a, a, lanes));
      *n_out = 1;
      return true;
    case XIR_OP_LENGTH_SQUARED:
      out[0].real = dot (a, a, lanes);
      *n_out = 1;
      return true;
    case XIR_OP_CROSS:
      cross (a, b, out);
      return lanes == 3;
    case XIR_OP_NORMALIZE:
      scale = sqrt (dot (a, a, lanes));
      for (uint32_t i = 0; i < lanes; i++)
        out[i].real = a[i].real / scale;
      return true;
    case XIR_OP_FACEFORWARD:
      scale = dot (c, b, lanes) < 0 ? 1.0 : -1.0;
      for (uint32_t i = 0; i < lanes; i++)
        out[i].real = scale * a[i].real;
      return true;
    case XIR_OP_REFLECT:
      scale = 2.0 * dot (b, a, lanes);
      for (uint32_t i = 0; i < lanes; i++)
        out[i].real = a[i].real - scale * b[i].real;
      return true;
    default:
      return false;
    }
}

bool
evaluate_vector (enum xir_op op,
                 enum xir_type_kind kind,
                 uint32_t lanes,
                 const struct evaluate_lane operands[3][4],
                 struct evaluate_lane *out)
{
  uint32_t n_out;

  switch (op)
    {
    case XIR_OP_ALL:
    case XIR_OP_ANY:
      if (kind != XIR_TYPE_BOOL)
        return false;
      out->bits = op == XIR_OP_ALL;
      for (uint32_t i = 0; i < lanes; i++)
        out->bits = op == XIR_OP_ALL ? out->bits & operands[0][i].bits : out->bits | operands[0][i].bits;
      return true;
    case XIR_OP_REDUCE_SUM:
    case XIR_OP_REDUCE_PRODUCT:
    case XIR_OP_REDUCE_MIN:
    case XIR_OP_REDUCE_MAX:
      return reduce (op, kind, lanes, operands[0], out);
    default:
      if (!evaluate_is_float (kind) || !geometry (op, lanes, operands, out, &n_out))
        return false;
      for (uint32_t i = 0; i < n_out; i++)
        evaluate_set_real (kind, out[i].real, &out[i]);
      return true;
    }
}
