/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/types.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/spirv/plan-size.h"
#include "codegen/xir/evaluate-private.h"

void
spirv_types_init (struct spirv_types *types, struct spirv_writer *writer)
{
  memset (types, 0, sizeof *types);
  types->writer = writer;
}

void
spirv_types_clear (struct spirv_types *types)
{
  g_free (types->logical);
  g_free (types->laid_out);
  memset (types, 0, sizeof *types);
}

static void
ensure_index (struct spirv_types *types, uint32_t index)
{
  if (G_LIKELY (index < types->n))
    return;
  uint32_t n = MAX (index + 1, MAX (types->n * 2, 32));
  types->logical = g_renew (uint32_t, types->logical, n);
  types->laid_out = g_renew (uint32_t, types->laid_out, n);
  memset (types->logical + types->n, 0, (n - types->n) * sizeof (uint32_t));
  memset (types->laid_out + types->n, 0, (n - types->n) * sizeof (uint32_t));
  types->n = n;
}

/* Those that are only stored are the unsigned integers of their bits. */
static uint32_t
make_scalar (struct spirv_types *types, enum xir_type_kind kind)
{
  static const struct { uint8_t width, sign; bool is_float; } table[XIR_N_TYPE_KINDS] = {
    [XIR_TYPE_INT8] = { 8, 1, false }, [XIR_TYPE_UINT8] = { 8, 0, false }, [XIR_TYPE_INT16] = { 16, 1, false },
    [XIR_TYPE_UINT16] = { 16, 0, false }, [XIR_TYPE_INT32] = { 32, 1, false }, [XIR_TYPE_UINT32] = { 32, 0, false },
    [XIR_TYPE_INT64] = { 64, 1, false }, [XIR_TYPE_UINT64] = { 64, 0, false }, [XIR_TYPE_FLOAT16] = { 16, 0, true },
    [XIR_TYPE_FLOAT32] = { 32, 0, true }, [XIR_TYPE_FLOAT64] = { 64, 0, true }, [XIR_TYPE_BFLOAT16] = { 16, 0, false },
    [XIR_TYPE_FLOAT8_E4M3] = { 8, 0, false }, [XIR_TYPE_FLOAT8_E5M2] = { 8, 0, false }
  };
  if (kind == XIR_TYPE_BOOL)
    return spirv_intern (types->writer, SpvOpTypeBool, 0, NULL, 0, NULL);
  if ((unsigned) kind >= XIR_N_TYPE_KINDS || table[kind].width == 0)
    {
      spirv_writer_fail (types->writer, "a type of kind %d passed the gate", (int) kind);
      return 0;
    }
  const uint32_t operands[] = { table[kind].width, table[kind].sign };
  return table[kind].is_float ? spirv_intern (types->writer, SpvOpTypeFloat, 0, operands, 1, NULL)
                              : spirv_intern (types->writer, SpvOpTypeInt, 0, operands, 2, NULL);
}

uint32_t
spirv_type_kind (struct spirv_types *types, enum xir_type_kind scalar, uint32_t lanes)
{
  if ((unsigned) scalar >= XIR_N_TYPE_KINDS || lanes > 4)
    return make_scalar (types, XIR_N_TYPE_KINDS);
  uint32_t *cached = &types->kinds[scalar][lanes];
  if (*cached != 0)
    return *cached;
  uint32_t id = make_scalar (types, scalar);
  if (lanes > 1)
    {
      const uint32_t operands[] = { id, lanes };
      id = spirv_intern (types->writer, SpvOpTypeVector, 0, operands, 2, NULL);
    }
  *cached = id;
  return id;
}

static uint32_t
make_structure (struct spirv_types *types, const struct xir_type *type, bool laid_out)
{
  uint32_t words = 0;
  if (!spirv_plan_size (SPIRV_SIZED_TYPE_STRUCT, type->count, &words))
    {
      spirv_writer_fail (types->writer, "structure of %" PRIu64 " members does not fit an instruction", type->count);
      return 0;
    }
  uint32_t *members = g_new (uint32_t, type->count);
  for (uint64_t i = 0; i < type->count; i++)
    members[i] = laid_out ? spirv_type_laid_out (types, type->members[i]) : spirv_type (types, type->members[i]);
  uint32_t id = spirv_global (types->writer, SpvOpTypeStruct, 0, members, type->count);
  g_free (members);
  for (uint64_t i = 0; laid_out && i < type->count; i++)
    spirv_decorate_member (types->writer, id, (uint32_t) i, SpvDecorationOffset, (uint32_t) type->offsets[i]);
  return id;
}

static uint32_t
make_array (struct spirv_types *types, const struct xir_type *type, bool laid_out)
{
  const uint32_t operands[] = {
    laid_out ? spirv_type_laid_out (types, type->element) : spirv_type (types, type->element),
    spirv_constant_word (types, (uint32_t) type->count)
  };
  uint32_t id = spirv_global (types->writer, SpvOpTypeArray, 0, operands, 2);
  if (laid_out)
    spirv_decorate_word (types->writer, id, SpvDecorationArrayStride, (uint32_t) type->element->size);
  return id;
}

bool
spirv_type_is_laid_out_apart (const struct xir_type *type)
{
  return type->kind == XIR_TYPE_ARRAY || type->kind == XIR_TYPE_MATRIX || type->kind == XIR_TYPE_STRUCTURE;
}

uint32_t
spirv_type (struct spirv_types *types, const struct xir_type *type)
{
  if (type == NULL)
    return spirv_intern (types->writer, SpvOpTypeVoid, 0, NULL, 0, NULL);
  ensure_index (types, type->index);
  if (types->logical[type->index] != 0)
    return types->logical[type->index];
  uint32_t id;
  switch (type->kind)
    {
    case XIR_TYPE_VECTOR:
      id = spirv_type_kind (types, type->element->kind, (uint32_t) type->count);
      break;
    /* A matrix is the array of its columns: nothing in SPIR-V multiplies it, and arrays need no more
     * than a stride. */
    case XIR_TYPE_MATRIX:
    case XIR_TYPE_ARRAY:
      id = make_array (types, type, false);
      break;
    case XIR_TYPE_STRUCTURE:
      id = make_structure (types, type, false);
      break;
    default:
      id = make_scalar (types, type->kind);
    }
  types->logical[type->index] = id;
  return id;
}

uint32_t
spirv_type_laid_out (struct spirv_types *types, const struct xir_type *type)
{
  if (!spirv_type_is_laid_out_apart (type))
    return spirv_type (types, type);
  ensure_index (types, type->index);
  if (types->laid_out[type->index] != 0)
    return types->laid_out[type->index];
  uint32_t id = type->kind != XIR_TYPE_STRUCTURE ? make_array (types, type, true) : make_structure (types, type, true);
  types->laid_out[type->index] = id;
  return id;
}

uint32_t
spirv_type_pointer (struct spirv_types *types, SpvStorageClass class, uint32_t pointee)
{
  const uint32_t operands[] = { class, pointee };
  return spirv_intern (types->writer, SpvOpTypePointer, 0, operands, 2, NULL);
}

uint32_t
spirv_type_image (struct spirv_types *types, const struct xir_type *texture, uint32_t sampled)
{
  const uint32_t operands[] = {
    spirv_type (types, texture->element),
    texture->dimension == 3 ? SpvDim3D : SpvDim2D,
    0, 0, 0, sampled, SpvImageFormatUnknown
  };
  return spirv_intern (types->writer, SpvOpTypeImage, 0, operands, G_N_ELEMENTS (operands), NULL);
}

/* Constants. */

/* Two words for 64 bits, low one first, even for zero; narrow signed ones are extended, as
 * the specification wants. */
static uint32_t
scalar_constant (struct spirv_types *types, enum xir_type_kind kind, uint64_t bits)
{
  uint32_t type = spirv_type_kind (types, kind, 1);
  if (kind == XIR_TYPE_BOOL)
    return spirv_intern (types->writer, bits != 0 ? SpvOpConstantTrue : SpvOpConstantFalse, type, NULL, 0, NULL);
  uint32_t words[] = { (uint32_t) bits, (uint32_t) (bits >> 32) };
  if (kind == XIR_TYPE_INT8)
    words[0] = (uint32_t) (int8_t) bits;
  else if (kind == XIR_TYPE_INT16)
    words[0] = (uint32_t) (int16_t) bits;
  bool is_long = kind == XIR_TYPE_INT64 || kind == XIR_TYPE_UINT64 || kind == XIR_TYPE_FLOAT64;
  return spirv_intern (types->writer, SpvOpConstant, type, words, is_long ? 2 : 1, NULL);
}

uint32_t
spirv_constant_bits (struct spirv_types *types, enum xir_type_kind scalar, uint32_t lanes, uint64_t bits)
{
  uint32_t id = scalar_constant (types, scalar, bits);
  if (lanes <= 1)
    return id;
  const uint32_t parts[] = { id, id, id, id };
  return spirv_intern (types->writer, SpvOpConstantComposite, spirv_type_kind (types, scalar, lanes), parts, lanes, NULL);
}

uint32_t
spirv_constant_word (struct spirv_types *types, uint32_t value)
{
  return scalar_constant (types, XIR_TYPE_UINT32, value);
}

uint32_t
spirv_constant_real (struct spirv_types *types, enum xir_type_kind kind, uint32_t lanes, double value)
{
  return spirv_constant_bits (types, kind, lanes, evaluate_bits_of_real (kind, value));
}

static bool
all_zero (const uint8_t *data, uint64_t size)
{
  return size == 0 || (data[0] == 0 && memcmp (data, data + 1, size - 1) == 0);
}

static uint32_t constant_at (struct spirv_types *types, const struct xir_type *type, const uint8_t *data);

static uint32_t
composite_constant (struct spirv_types *types, const struct xir_type *type, const uint8_t *data)
{
  uint32_t id_of_type = spirv_type (types, type);
  if (type->kind != XIR_TYPE_VECTOR && all_zero (data, type->size))
    return spirv_intern (types->writer, SpvOpConstantNull, id_of_type, NULL, 0, NULL);
  uint32_t words = 0;
  if (!spirv_plan_size (SPIRV_SIZED_CONSTANT_COMPOSITE, type->count, &words))
    {
      spirv_writer_fail (types->writer, "constant of %" PRIu64 " parts does not fit an instruction", type->count);
      return 0;
    }
  uint32_t few[4];
  uint32_t *parts = type->count <= G_N_ELEMENTS (few) ? few : g_new (uint32_t, type->count);
  for (uint64_t i = 0; i < type->count; i++)
    parts[i] = type->kind == XIR_TYPE_STRUCTURE
               ? constant_at (types, type->members[i], data + type->offsets[i])
               : constant_at (types, type->element, data + i * type->element->size);
  uint32_t id = spirv_intern (types->writer, SpvOpConstantComposite, id_of_type, parts, type->count, NULL);
  if (parts != few)
    g_free (parts);
  return id;
}

static uint32_t
constant_at (struct spirv_types *types, const struct xir_type *type, const uint8_t *data)
{
  if (xir_type_is_scalar (type))
    {
      struct evaluate_lane lane;
      evaluate_load (type->kind, data, &lane);
      return scalar_constant (types, type->kind, lane.bits);
    }
  return composite_constant (types, type, data);
}

uint32_t
spirv_constant (struct spirv_types *types, const struct xir_constant *constant)
{
  return constant_at (types, constant->value.type, constant->data);
}

uint32_t
spirv_undefined (struct spirv_types *types, const struct xir_type *type)
{
  return spirv_intern (types->writer, SpvOpUndef, spirv_type (types, type), NULL, 0, NULL);
}
