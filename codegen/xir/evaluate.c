/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/evaluate.h"

#include <string.h>

#include "codegen/xir/evaluate-private.h"
#include "codegen/xir/xir-private.h"

/* What one evaluation works on. `data` are the bytes of the constant operands. */
struct evaluation
{
  enum xir_op op;
  const struct xir_type *type;   /* of the result */
  struct xir_value *const *operands;
  uint32_t n_operands;
  const uint8_t *lanes;
  uint8_t *out;                  /* type->size bytes, zero */
};

static const uint8_t *
data_of (const struct evaluation *evaluation,
         uint32_t index)
{
  return xir_value_constant (evaluation->operands[index])->data;
}

static const struct xir_type *
type_of (const struct evaluation *evaluation,
         uint32_t index)
{
  return evaluation->operands[index]->type;
}

/* The bytes that a scalar or vector's lanes take, without padding. */
static gsize
lane_bytes (const struct xir_type *type)
{
  return (gsize) (xir_type_lanes (type) * xir_type_scalar_of (type)->size);
}

static bool
lane_by_lane (struct evaluation *evaluation)
{
  const struct xir_type *scalar = xir_type_scalar_of (type_of (evaluation, 0));
  const struct xir_type *result = xir_type_scalar_of (evaluation->type);
  enum xir_type_kind second = scalar->kind;
  uint32_t lanes = xir_type_lanes (evaluation->type);

  if (lanes == 0 || evaluation->n_operands > 3)
    return false;
  if (evaluation->n_operands > 1)
    second = xir_type_scalar_of (type_of (evaluation, 1))->kind;
  for (uint32_t lane = 0; lane < lanes; lane++)
    {
      struct evaluate_lane operands[3] = { { 0, 0 } }, out = { 0, 0 };

      for (uint32_t i = 0; i < evaluation->n_operands; i++)
        {
          const struct xir_type *operand = xir_type_scalar_of (type_of (evaluation, i));

          if (xir_type_lanes (type_of (evaluation, i)) != lanes)
            return false;
          evaluate_load (operand->kind, data_of (evaluation, i) + lane * operand->size, &operands[i]);
        }
      if (evaluation->op == XIR_OP_CAST)
        {
          if (!evaluate_cast (scalar->kind, result->kind, &operands[0], &out))
            return false;
        }
      else if (!evaluate_scalar (evaluation->op, scalar->kind, second, operands, &out))
        return false;
      evaluate_store (result->kind, &out, evaluation->out + lane * result->size);
    }
  return true;
}

static bool
across_lanes (struct evaluation *evaluation)
{
  const struct xir_type *vector = type_of (evaluation, 0), *scalar = xir_type_scalar_of (vector);
  const struct xir_type *result = xir_type_scalar_of (evaluation->type);
  struct evaluate_lane operands[3][4] = { { { 0, 0 } } }, out[4] = { { 0, 0 } };
  uint32_t lanes = xir_type_lanes (vector);

  if (lanes == 0 || evaluation->n_operands > 3 || xir_type_lanes (evaluation->type) == 0)
    return false;
  for (uint32_t i = 0; i < evaluation->n_operands; i++)
    {
      if (type_of (evaluation, i) != vector)
        return false;
      for (uint32_t lane = 0; lane < lanes; lane++)
        evaluate_load (scalar->kind, data_of (evaluation, i) + lane * scalar->size, &operands[i][lane]);
    }
  if (!evaluate_vector (evaluation->op, scalar->kind, lanes,
                        (const struct evaluate_lane (*)[4]) operands, out))
    return false;
  for (uint32_t lane = 0; lane < xir_type_lanes (evaluation->type); lane++)
    evaluate_store (result->kind, &out[lane], evaluation->out + lane * result->size);
  return true;
}

static bool
bitcast (struct evaluation *evaluation)
{
  const struct xir_type *from = type_of (evaluation, 0);

  if (xir_type_lanes (from) == 0 || xir_type_lanes (evaluation->type) == 0
      || lane_bytes (from) != lane_bytes (evaluation->type)
      || xir_type_is_bool (from) || xir_type_is_bool (evaluation->type))
    return false;
  memcpy (evaluation->out, data_of (evaluation, 0), lane_bytes (from));
  return true;
}

static bool
choose (struct evaluation *evaluation)
{
  const struct xir_type *condition = type_of (evaluation, 2);
  const uint8_t *flags = data_of (evaluation, 2);
  gsize part = (gsize) evaluation->type->size;
  uint32_t parts = 1;

  if (!xir_type_is_bool (condition) || type_of (evaluation, 1) != evaluation->type)
    return false;
  if (xir_type_is_vector (condition))
    {
      parts = xir_type_lanes (condition);
      if (xir_type_lanes (evaluation->type) != parts)
        return false;
      part = (gsize) xir_type_scalar_of (evaluation->type)->size;
    }
  for (uint32_t i = 0; i < parts; i++)
    memcpy (evaluation->out + i * part, data_of (evaluation, flags[i] != 0 ? 1 : 0) + i * part, part);
  return true;
}

/* Walks constant indices from operand `first` on. False where one is out of range. */
static bool
find_part (const struct evaluation *evaluation,
           uint32_t first,
           const struct xir_type **type,
           uint64_t *offset)
{
  *type = type_of (evaluation, 0);
  *offset = 0;
  for (uint32_t i = first; i < evaluation->n_operands; i++)
    {
      const struct xir_type *child;
      int64_t index;

      if (!xir_constant_to_int (evaluation->operands[i], &index)
          || index < 0 || (uint64_t) index >= (*type)->count)
        return false;
      child = xir_type_child (*type, (uint64_t) index);
      if (child == NULL)
        return false;
      *offset += (*type)->kind == XIR_TYPE_STRUCTURE ? (*type)->offsets[index] : (uint64_t) index * child->size;
      *type = child;
    }
  return true;
}

static bool
extract (struct evaluation *evaluation)
{
  const struct xir_type *part;
  uint64_t offset;

  if (!find_part (evaluation, 1, &part, &offset) || part != evaluation->type)
    return false;
  memcpy (evaluation->out, data_of (evaluation, 0) + offset, (gsize) part->size);
  return true;
}

static bool
insert (struct evaluation *evaluation)
{
  const struct xir_type *part;
  uint64_t offset;

  if (!find_part (evaluation, 2, &part, &offset) || part != type_of (evaluation, 1))
    return false;
  memcpy (evaluation->out, data_of (evaluation, 0), (gsize) evaluation->type->size);
  memcpy (evaluation->out + offset, data_of (evaluation, 1), (gsize) part->size);
  return true;
}

static bool
aggregate (struct evaluation *evaluation)
{
  const struct xir_type *type = evaluation->type;

  if (evaluation->n_operands != type->count)
    return false;
  for (uint32_t i = 0; i < evaluation->n_operands; i++)
    {
      const struct xir_type *part = xir_type_child (type, i);

      if (part == NULL || part != type_of (evaluation, i))
        return false;
      memcpy (evaluation->out + (type->kind == XIR_TYPE_STRUCTURE ? type->offsets[i] : i * part->size),
              data_of (evaluation, i), (gsize) part->size);
    }
  return true;
}

static bool
shuffle (struct evaluation *evaluation)
{
  gsize size = (gsize) xir_type_scalar_of (evaluation->type)->size;

  if (evaluation->lanes == NULL || xir_type_lanes (evaluation->type) == 0
      || xir_type_scalar_of (type_of (evaluation, 0)) != xir_type_scalar_of (evaluation->type))
    return false;
  for (uint32_t i = 0; i < xir_type_lanes (evaluation->type); i++)
    {
      if (evaluation->lanes[i] >= xir_type_lanes (type_of (evaluation, 0)))
        return false;
      memcpy (evaluation->out + i * size, data_of (evaluation, 0) + evaluation->lanes[i] * size, size);
    }
  return true;
}

static bool
matrix (struct evaluation *evaluation)
{
  bool binary = evaluation->n_operands > 1;
  const struct xir_type *const types[] = { type_of (evaluation, 0), binary ? type_of (evaluation, 1) : NULL };
  const uint8_t *const data[] = { data_of (evaluation, 0), binary ? data_of (evaluation, 1) : NULL };

  return evaluate_matrix (evaluation->op, types, data, evaluation->type, evaluation->out);
}

static bool
dispatch (struct evaluation *evaluation)
{
  switch (evaluation->op)
    {
    case XIR_OP_BITCAST:
      return bitcast (evaluation);
    case XIR_OP_OUTER_PRODUCT:
    case XIR_OP_MATRIX_NEG:
    case XIR_OP_MATRIX_ADD:
    case XIR_OP_MATRIX_SUB:
    case XIR_OP_MATRIX_MUL:
    case XIR_OP_MATRIX_DIV:
    case XIR_OP_MATRIX_MULTIPLY:
    case XIR_OP_MATRIX_TRANSPOSE:
    case XIR_OP_MATRIX_DETERMINANT:
    case XIR_OP_MATRIX_INVERSE:
      return matrix (evaluation);
    case XIR_OP_SELECT:
      return choose (evaluation);
    case XIR_OP_AGGREGATE:
      return aggregate (evaluation);
    case XIR_OP_SHUFFLE:
      return shuffle (evaluation);
    case XIR_OP_INSERT:
      return insert (evaluation);
    case XIR_OP_EXTRACT:
      return extract (evaluation);
    case XIR_OP_ALL:
    case XIR_OP_ANY:
    case XIR_OP_CROSS:
    case XIR_OP_DOT:
    case XIR_OP_LENGTH:
    case XIR_OP_LENGTH_SQUARED:
    case XIR_OP_NORMALIZE:
    case XIR_OP_FACEFORWARD:
    case XIR_OP_REFLECT:
    case XIR_OP_REDUCE_SUM:
    case XIR_OP_REDUCE_PRODUCT:
    case XIR_OP_REDUCE_MIN:
    case XIR_OP_REDUCE_MAX:
      return across_lanes (evaluation);
    default:
      return lane_by_lane (evaluation);
    }
}

struct xir_value *
xir_evaluate (struct xir_module *module,
              enum xir_op op,
              const struct xir_type *type,
              struct xir_value *const *operands,
              uint32_t n_operands,
              const uint8_t *lanes)
{
  const struct xir_op_info *info = xir_op_info (op);
  struct evaluation evaluation = { op, NULL, operands, n_operands, lanes, NULL };
  uint8_t small[64] = { 0 };
  struct xir_value *result = NULL;

  if ((info->flags & XIR_FLAG_FOLD) == 0 || n_operands < (uint32_t) info->min_operands || n_operands == 0
      || (info->max_operands >= 0 && n_operands > (uint32_t) info->max_operands))
    return NULL;
  for (uint32_t i = 0; i < n_operands; i++)
    if (xir_value_constant (operands[i]) == NULL)
      return NULL;
  evaluation.type = xir_op_result_type (module->context, op, type, operands[0]->type);
  if (!xir_type_is_data (evaluation.type))
    return NULL;

  evaluation.out = evaluation.type->size <= sizeof small ? small : g_malloc0 ((gsize) evaluation.type->size);
  if (dispatch (&evaluation))
    result = xir_constant_get (module, evaluation.type, evaluation.out);
  if (evaluation.out != small)
    g_free (evaluation.out);
  return result;
}
