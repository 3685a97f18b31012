/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values that belong to no function: constants, undefined values, special
 * registers. They live as long as their module. */

#include "config.h"

#include "codegen/xir/xir.h"

#include <string.h>

#include "codegen/xir/xir-private.h"
#include "lib/checked.h"

static guint
constant_hash (gconstpointer key)
{
  const struct xir_constant *constant = key;
  guint hash = 2166136261u ^ constant->value.type->index;

  for (uint64_t i = 0; i < constant->value.type->size; i++)
    hash = (hash ^ constant->data[i]) * 16777619u;
  return hash;
}

static gboolean
constant_equal (gconstpointer a,
                gconstpointer b)
{
  const struct xir_constant *left = a, *right = b;

  return left->value.type == right->value.type
         && (left->value.type->size == 0
             || memcmp (left->data, right->data, (gsize) left->value.type->size) == 0);
}

void
xir_constants_init (struct xir_module *module)
{
  module->constants = g_hash_table_new (constant_hash, constant_equal);
  module->undefined = g_hash_table_new (NULL, NULL);
  module->constant_list = g_ptr_array_new ();
}

void
xir_constants_clear (struct xir_module *module)
{
  g_hash_table_destroy (module->constants);
  g_hash_table_destroy (module->undefined);
  g_ptr_array_free (module->constant_list, TRUE);
}

struct xir_value *
xir_constant_get (struct xir_module *module,
                  const struct xir_type *type,
                  const void *data)
{
  struct xir_constant key = { .value = { .type = type }, .data = data };
  struct xir_constant *constant;

  if (!xir_type_is_data (type))
    return NULL;
  constant = g_hash_table_lookup (module->constants, &key);
  if (constant == NULL)
    {
      constant = gb_arena_new0 (&module->arena, struct xir_constant);
      xir_value_init (module, &constant->value, XIR_VALUE_CONSTANT, type);
      constant->data = gb_arena_memdup (&module->arena, data, (gsize) type->size);
      g_hash_table_add (module->constants, constant);
      g_ptr_array_add (module->constant_list, constant);
    }
  return &constant->value;
}

struct xir_value *
xir_constant_zero (struct xir_module *module,
                   const struct xir_type *type)
{
  uint8_t small[64] = { 0 };
  struct xir_value *result;
  uint8_t *data;

  if (!xir_type_is_data (type))
    return NULL;
  if (type->size <= sizeof small)
    return xir_constant_get (module, type, small);
  data = g_malloc0 ((gsize) type->size);
  result = xir_constant_get (module, type, data);
  g_free (data);
  return result;
}

struct xir_value *
xir_constant_bool (struct xir_module *module,
                   bool value)
{
  uint8_t data = value;

  return xir_constant_get (module, xir_type_scalar (module->context, XIR_TYPE_BOOL), &data);
}

struct xir_value *
xir_constant_int (struct xir_module *module,
                  int32_t value)
{
  return xir_constant_get (module, xir_type_scalar (module->context, XIR_TYPE_INT32), &value);
}

struct xir_value *
xir_constant_uint (struct xir_module *module,
                   uint32_t value)
{
  return xir_constant_get (module, xir_type_scalar (module->context, XIR_TYPE_UINT32), &value);
}

struct xir_value *
xir_constant_float (struct xir_module *module,
                    float value)
{
  return xir_constant_get (module, xir_type_scalar (module->context, XIR_TYPE_FLOAT32), &value);
}

struct xir_value *
xir_constant_splat (struct xir_module *module,
                    const struct xir_type *type,
                    struct xir_value *scalar)
{
  const struct xir_constant *constant = xir_value_constant (scalar);
  uint8_t data[32] = { 0 };
  uint32_t lanes = xir_type_lanes (type);

  if (constant == NULL || lanes == 0 || xir_type_scalar_of (type) != scalar->type)
    return NULL;
  for (uint32_t i = 0; i < lanes; i++)
    memcpy (data + i * scalar->type->size, constant->data, (gsize) scalar->type->size);
  return xir_constant_get (module, type, data);
}

bool
xir_constant_to_int (const struct xir_value *value,
                     int64_t *out)
{
  const struct xir_constant *constant = xir_value_constant (value);
  uint64_t bits = 0;
  uint32_t width;

  if (constant == NULL || !xir_type_is_scalar (value->type) || !xir_type_is_integer (value->type))
    return false;
  width = xir_type_bits (value->type);
  for (uint32_t i = 0; i < width / 8; i++)
    {
      uint32_t byte = G_BYTE_ORDER == G_LITTLE_ENDIAN ? i : width / 8 - 1 - i;
      bits |= (uint64_t) constant->data[byte] << (8 * i);
    }
  if (xir_type_is_signed (value->type) && width < 64 && (bits >> (width - 1) & 1) != 0)
    bits |= ~UINT64_C (0) << width;
  *out = (int64_t) bits;
  return true;
}

struct xir_value *
xir_undefined_get (struct xir_module *module,
                   const struct xir_type *type)
{
  struct xir_value *value;

  if (type == NULL)
    return NULL;
  value = g_hash_table_lookup (module->undefined, type);
  if (value == NULL)
    {
      value = gb_arena_new0 (&module->arena, struct xir_value);
      xir_value_init (module, value, XIR_VALUE_UNDEFINED, type);
      g_hash_table_insert (module->undefined, (gpointer) type, value);
    }
  return value;
}

static const struct
{
  const char *name;
  enum xir_type_kind kind;
  bool is_vector;
} special_table[XIR_N_SPECIALS] = {
  [XIR_SPECIAL_LOCAL_ID]      = { "local_id", XIR_TYPE_UINT32, true },
  [XIR_SPECIAL_GROUP_ID]      = { "group_id", XIR_TYPE_UINT32, true },
  [XIR_SPECIAL_GLOBAL_ID]     = { "global_id", XIR_TYPE_UINT32, true },
  [XIR_SPECIAL_DISPATCH_SIZE] = { "dispatch_size", XIR_TYPE_UINT32, true },
  [XIR_SPECIAL_GROUP_SIZE]    = { "group_size", XIR_TYPE_UINT32, true },
  [XIR_SPECIAL_KERNEL_ID]     = { "kernel_id", XIR_TYPE_UINT32, false },
  [XIR_SPECIAL_NUM_GROUPS]    = { "num_groups", XIR_TYPE_UINT32, true },
  [XIR_SPECIAL_IN_DISPATCH]   = { "in_dispatch", XIR_TYPE_BOOL, false },
  [XIR_SPECIAL_SUBGROUP_LANE] = { "subgroup_lane", XIR_TYPE_UINT32, false },
  [XIR_SPECIAL_SUBGROUP_SIZE] = { "subgroup_size", XIR_TYPE_UINT32, false },
};

const char *
xir_special_name (enum xir_special special)
{
  return (unsigned) special < XIR_N_SPECIALS ? special_table[special].name : "unknown_special";
}

struct xir_value *
xir_special_get (struct xir_module *module,
                 enum xir_special special)
{
  const struct xir_type *type;

  if ((unsigned) special >= XIR_N_SPECIALS)
    return NULL;
  if (module->specials[special] == NULL)
    {
      struct xir_special_value *value = gb_arena_new0 (&module->arena, struct xir_special_value);

      type = xir_type_scalar (module->context, special_table[special].kind);
      if (special_table[special].is_vector)
        type = xir_type_vector (module->context, type, 3);
      xir_value_init (module, &value->value, XIR_VALUE_SPECIAL, type);
      value->special = special;
      module->specials[special] = value;
    }
  return &module->specials[special]->value;
}
