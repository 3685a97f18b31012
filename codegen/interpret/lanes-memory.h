/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handlers of indices, buffers, memory and images (see lanes.h, which includes this).
 * An offset or pointer is valid or says that it is not; what is valid needs no further check. */

#pragma once

static const struct code *
extend_8 (struct subgroup *subgroup, const struct code *code)
{
  lane_i32 *d = REGISTER (i32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a);
  EACH_LANE
    d[i] = (int8_t) a[i];
  return code + 1;
}

static const struct code *
extend_16 (struct subgroup *subgroup, const struct code *code)
{
  lane_i32 *d = REGISTER (i32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a);
  EACH_LANE
    d[i] = (int16_t) a[i];
  return code + 1;
}

static const struct code *
narrow (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u64 *a = REGISTER (u64, code->a);
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = a[i] > UINT32_MAX ? UINT32_MAX : (uint32_t) a[i];
  return code + 1;
}

static const struct code *
widen_signed (struct subgroup *subgroup, const struct code *code)
{
  lane_i64 *d = REGISTER (i64, code->d);
  const lane_i32 *a = REGISTER (i32, code->a);
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = a[i];
  return code + 1;
}

static const struct code *
widen (struct subgroup *subgroup, const struct code *code)
{
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u32 *a = REGISTER (u32, code->a);
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = a[i];
  return code + 1;
}

static const struct code *
offset_32 (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a), *b = REGISTER (u32, code->b);
  const uint32_t stride = code->n, count = code->c;
  EACH_LANE
    d[i] = b[i] < count && a[i] != POINTER_INVALID ? a[i] + b[i] * stride : POINTER_INVALID;
  return code + 1;
}

static const struct code *
offset_64 (struct subgroup *subgroup, const struct code *code)
{
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u64 *a = REGISTER (u64, code->a);
  const lane_u32 *b = REGISTER (u32, code->b);
  const uint32_t stride = code->n, count = code->c;
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = b[i] < count && a[i] != OFFSET_INVALID ? a[i] + (uint64_t) b[i] * stride : OFFSET_INVALID;
  return code + 1;
}

/* Parts of values at a place that each lane has for itself. */

static const struct code *
pick_32 (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a), *b = REGISTER (u32, code->b);
  for (uint32_t k = 0; k < code->n; k++, d += LANES, a += LANES)
    for (uint32_t i = 0; i < LANES; i++)
      d[i] = b[i] == POINTER_INVALID ? 0 : a[(uint64_t) b[i] * LANES + i];
  return code + 1;
}

static const struct code *
pick_64 (struct subgroup *subgroup, const struct code *code)
{
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u32 *a = REGISTER (u32, code->a), *b = REGISTER (u32, code->b);
  for (uint32_t k = 0; k < code->n; k++, d += LANES, a += 2 * LANES)
    for (uint32_t i = 0; i < LANES; i++)
      d[i] = b[i] == POINTER_INVALID ? 0 : ((const lane_u64 *) (a + (uint64_t) b[i] * LANES))[i];
  return code + 1;
}

static const struct code *
put_32 (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u32 *a = REGISTER (u32, code->a), *b = REGISTER (u32, code->b);
  for (uint32_t k = 0; k < code->n; k++, d += LANES, a += LANES)
    for (uint32_t i = 0; i < LANES; i++)
      if (b[i] != POINTER_INVALID)
        d[(uint64_t) b[i] * LANES + i] = a[i];
  return code + 1;
}

static const struct code *
put_64 (struct subgroup *subgroup, const struct code *code)
{
  lane_u32 *d = REGISTER (u32, code->d);
  const lane_u64 *a = REGISTER (u64, code->a);
  const lane_u32 *b = REGISTER (u32, code->b);
  for (uint32_t k = 0; k < code->n; k++, d += 2 * LANES, a += LANES)
    for (uint32_t i = 0; i < LANES; i++)
      if (b[i] != POINTER_INVALID)
        ((lane_u64 *) (d + (uint64_t) b[i] * LANES))[i] = a[i];
  return code + 1;
}

/* Buffers. */

static const struct code *
element (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u32 *a = REGISTER (u32, code->a), *active = lane_spread (subgroup);
  const uint64_t size = resource->element_size;
  const uint64_t n = code->c != 0 ? MIN (resource->n_elements, UINT64_C (1) << 31) : resource->n_elements;
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = a[i] < n && active[i] != 0 ? a[i] * size : OFFSET_INVALID;
  return code + 1;
}

static const struct code *
element_wide (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u64 *a = REGISTER (u64, code->a);
  const lane_u32 *active = lane_spread (subgroup);
  const uint64_t n = resource->n_elements, size = resource->element_size;
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = a[i] < n && active[i] != 0 ? a[i] * size : OFFSET_INVALID;
  return code + 1;
}

static inline uint64_t
byte_offset (const struct resource *resource, const struct code *code, uint64_t offset, bool active)
{
  uint64_t rounded = offset & -(uint64_t) code->c;
  return active && rounded < resource->n_elements && resource->n_elements - rounded >= code->n ? rounded : OFFSET_INVALID;
}

static const struct code *
bytes (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u32 *a = REGISTER (u32, code->a), *active = lane_spread (subgroup);
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = byte_offset (resource, code, a[i], active[i] != 0);
  return code + 1;
}

static const struct code *
bytes_wide (struct subgroup *subgroup, const struct code *code)
{
  const struct resource *resource = &subgroup->resources[code->b];
  lane_u64 *d = REGISTER (u64, code->d);
  const lane_u64 *a = REGISTER (u64, code->a);
  const lane_u32 *active = lane_spread (subgroup);
  for (uint32_t i = 0; i < LANES; i++)
    d[i] = byte_offset (resource, code, a[i], active[i] != 0);
  return code + 1;
}

/* Whether all lanes are active and look at one place, as in loops over a table. */
static inline bool
is_uniform (const lane_u64 *offsets)
{
  uint64_t first = offsets[0], differ = 0;
  EACH_LANE
    differ |= offsets[i] ^ first;
  return differ == 0 && first != OFFSET_INVALID;
}

#define BUFFER_READ(name, type, register_type, convert)                                          \
  static const struct code *                                                                     \
  name (struct subgroup *subgroup, const struct code *code)                                      \
  {                                                                                              \
    const uint8_t *data = subgroup->resources[code->b].data;                                     \
    const lane_u64 *a = REGISTER (u64, code->a);                                                 \
    const uint32_t n = code->n;                                                                  \
    if (is_uniform (a))                                                                          \
      {                                                                                          \
        lane_##register_type *d = REGISTER (register_type, code->d);                             \
        const uint8_t *from = data + a[0] + code->c;                                             \
        for (uint32_t k = 0; k < n; k++, d += LANES, from += sizeof (type))                      \
          {                                                                                      \
            type value;                                                                          \
            memcpy (&value, from, sizeof value);                                                 \
            EACH_LANE                                                                            \
              d[i] = convert (value);                                                            \
          }                                                                                      \
        return code + 1;                                                                         \
      }                                                                                          \
    for (uint32_t i = 0; i < LANES; i++)                                                         \
      {                                                                                          \
        lane_##register_type *d = REGISTER (register_type, code->d) + i;                         \
        if (a[i] == OFFSET_INVALID)                                                              \
          for (uint32_t k = 0; k < n; k++, d += LANES)                                           \
            *d = 0;                                                                              \
        else                                                                                     \
          {                                                                                      \
            const uint8_t *from = data + a[i] + code->c;                                         \
            for (uint32_t k = 0; k < n; k++, d += LANES, from += sizeof (type))                  \
              {                                                                                  \
                type value;                                                                      \
                memcpy (&value, from, sizeof value);                                             \
                *d = convert (value);                                                            \
              }                                                                                  \
          }                                                                                      \
      }                                                                                          \
    return code + 1;                                                                             \
  }

#define AS_IT_IS(value) (value)
#define AS_BOOL(value)  ((value) != 0)

BUFFER_READ (buffer_read_bool, uint8_t, u32, AS_BOOL)
BUFFER_READ (buffer_read_8, uint8_t, u32, AS_IT_IS)
BUFFER_READ (buffer_read_16, uint16_t, u32, AS_IT_IS)
BUFFER_READ (buffer_read_32, uint32_t, u32, AS_IT_IS)
BUFFER_READ (buffer_read_64, uint64_t, u64, AS_IT_IS)

#define BUFFER_WRITE(name, type, register_type)                                                  \
  static const struct code *                                                                     \
  name (struct subgroup *subgroup, const struct code *code)                                      \
  {                                                                                              \
    uint8_t *data = subgroup->resources[code->b].data;                                           \
    const lane_u64 *a = REGISTER (u64, code->a);                                                 \
    for (uint32_t i = 0; i < LANES; i++)                                                         \
      if (a[i] != OFFSET_INVALID)                                                                \
        {                                                                                        \
          const lane_##register_type *d = REGISTER (register_type, code->d) + i;                 \
          uint8_t *to = data + a[i] + code->c;                                                   \
          for (uint32_t k = 0; k < code->n; k++, d += LANES, to += sizeof (type))                \
            {                                                                                    \
              type value = (type) *d;                                                            \
              memcpy (to, &value, sizeof value);                                                 \
            }                                                                                    \
        }                                                                                        \
    return code + 1;                                                                             \
  }

BUFFER_WRITE (buffer_write_8, uint8_t, u32)
BUFFER_WRITE (buffer_write_16, uint16_t, u32)
BUFFER_WRITE (buffer_write_32, uint32_t, u32)
BUFFER_WRITE (buffer_write_64, uint64_t, u64)

static const struct code *
buffer_size (struct subgroup *subgroup, const struct code *code)
{
  uint64_t n = subgroup->resources[code->b].n_elements;
  for (uint32_t i = 0; i < LANES; i++)
    if (code->n == 1)
      REGISTER (u32, code->d)[i] = (uint32_t) n;
    else
      REGISTER (u64, code->d)[i] = n;
  return code + 1;
}

/* Memory. */

static inline uint8_t *
pointed_at (const struct subgroup *subgroup, uint32_t lane, uint32_t pointer)
{
  if ((pointer & POINTER_SHARED) != 0)
    return subgroup->shared + (pointer & ~POINTER_SHARED);
  return subgroup->local + lane * subgroup->local_size + pointer;
}

#define READ(name, type, register_type, convert)                                                 \
  static const struct code *                                                                     \
  name (struct subgroup *subgroup, const struct code *code)                                      \
  {                                                                                              \
    const lane_u32 *a = REGISTER (u32, code->a);                                                 \
    const lane_u32 *active = lane_spread (subgroup);                                             \
    for (uint32_t i = 0; i < LANES; i++)                                                         \
      {                                                                                          \
        lane_##register_type *d = REGISTER (register_type, code->d) + i;                         \
        bool valid = a[i] != POINTER_INVALID && active[i] != 0;                                  \
        const uint8_t *from = valid ? pointed_at (subgroup, i, a[i]) + code->c : NULL;           \
        for (uint32_t k = 0; k < code->n; k++, d += LANES)                                       \
          {                                                                                      \
            type value = 0;                                                                      \
            if (valid)                                                                           \
              memcpy (&value, from + k * sizeof (type), sizeof value);                           \
            *d = convert (value);                                                                \
          }                                                                                      \
      }                                                                                          \
    return code + 1;                                                                             \
  }

READ (read_bool, uint8_t, u32, AS_BOOL)
READ (read_8, uint8_t, u32, AS_IT_IS)
READ (read_16, uint16_t, u32, AS_IT_IS)
READ (read_32, uint32_t, u32, AS_IT_IS)
READ (read_64, uint64_t, u64, AS_IT_IS)

#define WRITE(name, type, register_type)                                                         \
  static const struct code *                                                                     \
  name (struct subgroup *subgroup, const struct code *code)                                      \
  {                                                                                              \
    const lane_u32 *a = REGISTER (u32, code->a);                                                 \
    uint64_t active = subgroup->mask;                                                            \
    EACH_ACTIVE (i, active)                                                                      \
      if (a[i] != POINTER_INVALID)                                                               \
        {                                                                                        \
          const lane_##register_type *d = REGISTER (register_type, code->d) + i;                 \
          uint8_t *to = pointed_at (subgroup, i, a[i]) + code->c;                                \
          for (uint32_t k = 0; k < code->n; k++, d += LANES, to += sizeof (type))                \
            {                                                                                    \
              type value = (type) *d;                                                            \
              memcpy (to, &value, sizeof value);                                                 \
            }                                                                                    \
        }                                                                                        \
    return code + 1;                                                                             \
  }

WRITE (write_8, uint8_t, u32)
WRITE (write_16, uint16_t, u32)
WRITE (write_32, uint32_t, u32)
WRITE (write_64, uint64_t, u64)

static const struct code *
clear (struct subgroup *subgroup, const struct code *code)
{
  const lane_u32 *a = REGISTER (u32, code->a);
  uint64_t active = subgroup->mask;
  EACH_ACTIVE (i, active)
    memset (pointed_at (subgroup, i, a[i]), 0, code->n);
  return code + 1;
}

/* Images. */

static const struct code *
image_size (struct subgroup *subgroup, const struct code *code)
{
  const struct interpret_image *image = subgroup->resources[code->b].image;
  for (uint32_t k = 0; k < code->n; k++)
    for (uint32_t i = 0; i < LANES; i++)
      REGISTER (u32, code->d)[k * LANES + i] = image->size[k];
  return code + 1;
}

static inline uint8_t *
texel_at (const struct interpret_image *image, const lane_u32 *at, uint32_t n)
{
  uint64_t index = 0;
  for (uint32_t k = n; k-- > 0;)
    {
      if (at[k * LANES] >= image->size[k])
        return NULL;
      index = index * image->size[k] + at[k * LANES];
    }
  return image->texels + index * image->texel_size;
}

static const struct code *
image_read (struct subgroup *subgroup, const struct code *code)
{
  const struct interpret_image *image = subgroup->resources[code->b].image;
  uint64_t active = subgroup->mask;
  EACH_ACTIVE (i, active)
    {
      const uint8_t *texel = texel_at (image, REGISTER (u32, code->a) + i, code->n);
      uint32_t components[4] = { 0 };
      if (texel != NULL)
        image->load (texel, components);
      for (uint32_t k = 0; k < 4; k++)
        REGISTER (u32, code->d)[k * LANES + i] = components[k];
    }
  return code + 1;
}

static const struct code *
image_write (struct subgroup *subgroup, const struct code *code)
{
  const struct interpret_image *image = subgroup->resources[code->b].image;
  uint64_t active = subgroup->mask;
  EACH_ACTIVE (i, active)
    {
      uint8_t *texel = texel_at (image, REGISTER (u32, code->a) + i, code->n);
      uint32_t components[4];
      for (uint32_t k = 0; k < 4; k++)
        components[k] = REGISTER (u32, code->d)[k * LANES + i];
      if (texel != NULL)
        image->store (texel, components);
    }
  return code + 1;
}
