/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types. Interned by their description text in a counted xir_context, so that
 * two types are equal exactly when their pointers are. NULL stands for void.
 * Sizes and alignments are the host layout of gabbro-kernel(5). */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The order is part of the artifact format: append only. */
enum xir_type_kind
{
  XIR_TYPE_BOOL,
  XIR_TYPE_INT8,
  XIR_TYPE_UINT8,
  XIR_TYPE_INT16,
  XIR_TYPE_UINT16,
  XIR_TYPE_INT32,
  XIR_TYPE_UINT32,
  XIR_TYPE_INT64,
  XIR_TYPE_UINT64,
  XIR_TYPE_FLOAT16,
  XIR_TYPE_FLOAT32,
  XIR_TYPE_FLOAT64,
  XIR_TYPE_FLOAT8_E4M3,
  XIR_TYPE_FLOAT8_E5M2,
  XIR_TYPE_VECTOR,
  XIR_TYPE_MATRIX,
  XIR_TYPE_ARRAY,
  XIR_TYPE_STRUCTURE,
  XIR_TYPE_BUFFER,
  XIR_TYPE_TEXTURE,
  XIR_TYPE_BINDLESS_ARRAY,
  XIR_TYPE_ACCEL,
  XIR_TYPE_COOPERATIVE_VECTOR,
  XIR_TYPE_COOPERATIVE_VECTOR_REF,
  XIR_TYPE_COOPERATIVE_MATRIX_REF,
  XIR_TYPE_CUSTOM,
  XIR_TYPE_BFLOAT16,
  XIR_N_TYPE_KINDS
};

struct xir_type
{
  enum xir_type_kind kind;
  uint32_t index;              /* position in the context: members come first */
  uint64_t size;               /* bytes */
  uint32_t alignment;          /* bytes */
  uint64_t count;              /* vector lanes, matrix columns, array length, structure members */
  uint32_t dimension;          /* texture: 2 or 3 */
  const struct xir_type *element;         /* vector, matrix column, array, texture; buffer: NULL is a byte buffer */
  const struct xir_type *const *members;  /* structure */
  const uint64_t *offsets;                /* structure: bytes from its start */
  const char *text;            /* canonical description, as "vector<float,4>" */
};

/* Limits that keep hostile input small; breaking one yields NULL. */
#define XIR_TYPE_MAX_TEXT  (16 * 1024)
#define XIR_TYPE_MAX_DEPTH 64
#define XIR_TYPE_MAX_SIZE  (UINT64_C (1) << 32)
#define XIR_TYPE_MAX_MEMBERS 1024

struct xir_context;

/* Thread-safe counting and interning: one context may serve several compiles. */
struct xir_context *xir_context_new   (void);
struct xir_context *xir_context_ref   (struct xir_context *context);
void                xir_context_unref (struct xir_context *context);

const struct xir_type *xir_type_scalar    (struct xir_context *context, enum xir_type_kind kind);
/* `lanes` in 2..4. */
const struct xir_type *xir_type_vector    (struct xir_context *context, const struct xir_type *element, uint32_t lanes);
const struct xir_type *xir_type_array     (struct xir_context *context, const struct xir_type *element, uint64_t length);
/* `alignment` 0: the largest of the members'. NULL for a resource member, an empty list or one above the limits. */
const struct xir_type *xir_type_structure (struct xir_context *context, uint32_t alignment,
                                           const struct xir_type *const *members, uint32_t n_members);
const struct xir_type *xir_type_buffer    (struct xir_context *context, const struct xir_type *element);
/* `element` is float, int or uint; `dimension` 2 or 3. */
const struct xir_type *xir_type_texture   (struct xir_context *context, uint32_t dimension, const struct xir_type *element);
/* Reads a description text; NULL when it is malformed or above the limits. */
const struct xir_type *xir_type_parse     (struct xir_context *context, const char *text);

/* Predicates accept NULL (void) and answer false. */
bool xir_type_is_bool     (const struct xir_type *type);      /* bool or vector of bool */
bool xir_type_is_integer  (const struct xir_type *type);      /* scalar or vector, signed or not */
bool xir_type_is_signed   (const struct xir_type *type);      /* signed integer scalar or vector */
bool xir_type_is_float    (const struct xir_type *type);      /* scalar or vector of float16/32/64 */
bool xir_type_is_numeric  (const struct xir_type *type);      /* integer or float */
/* Scalar or vector of bfloat16 or FP8: stored, moved and converted, never computed with. */
bool xir_type_is_storage_float (const struct xir_type *type);
bool xir_type_is_scalar   (const struct xir_type *type);
bool xir_type_is_vector   (const struct xir_type *type);
bool xir_type_is_resource (const struct xir_type *type);      /* buffer, texture, bindless array, accel */
bool xir_type_is_data     (const struct xir_type *type);      /* scalar, vector, matrix, array, structure */
bool xir_type_contains    (const struct xir_type *type, enum xir_type_kind kind);
/* The scalar of a scalar or vector; the type itself otherwise. */
const struct xir_type *xir_type_scalar_of (const struct xir_type *type);
/* Lanes of a vector, 1 for a scalar, 0 otherwise. */
uint32_t xir_type_lanes   (const struct xir_type *type);
/* The same shape with another scalar: float3, bool -> bool3. */
const struct xir_type *xir_type_with_scalar (struct xir_context *context, const struct xir_type *shape, enum xir_type_kind scalar);
/* Element `index` of a composite (vector, matrix, array: `index` ignored), or NULL. */
const struct xir_type *xir_type_child     (const struct xir_type *type, uint64_t index);
/* What an offset into a byte buffer is a multiple of where a value of the type lies: its alignment, but words are
 * aligned enough for all. */
uint32_t xir_type_byte_alignment (const struct xir_type *type);
/* Bits of a scalar's value: 1 for bool, 8 to 64 otherwise. */
uint32_t xir_type_bits    (const struct xir_type *type);
