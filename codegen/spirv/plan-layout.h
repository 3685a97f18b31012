/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the host layout of a type is one that Vulkan's standard storage layout
 * allows, member by member, so that the type can be declared in a storage buffer
 * with the host's offsets and strides. */

#pragma once

#include "codegen/type/type.h"

/* Bytes of arguments in a block; what is larger belongs in a buffer. */
#define SPIRV_MAX_ARGUMENT_SIZE (64 * 1024)

enum spirv_layout_status
{
  SPIRV_LAYOUT_COMPATIBLE,
  SPIRV_LAYOUT_UNSUPPORTED_TYPE,
  SPIRV_LAYOUT_LOGICAL_BOOL,
  SPIRV_LAYOUT_INVALID_MATRIX_STRIDE,
  SPIRV_LAYOUT_INVALID_ARRAY_STRIDE,
  SPIRV_LAYOUT_MISALIGNED_MEMBER,
  SPIRV_LAYOUT_INVALID_STRUCT_STRIDE,
  SPIRV_LAYOUT_INVALID_RUNTIME_STRIDE
};

/* `element` as the element of a buffer's runtime array. */
enum spirv_layout_status spirv_plan_layout (const struct xir_type *element);
/* `type` as a member at `offset` of a block. */
enum spirv_layout_status spirv_plan_layout_member (const struct xir_type *type, uint64_t offset);
/* Alignment that standard storage layout asks of a type; 0: has none. */
uint32_t spirv_layout_alignment (const struct xir_type *type);
/* Whether the type has to be words in memory: as element of a buffer, or else as an argument by value, which may have no
 * numbers of fewer than 32 bits. A bool that is an argument of its own travels as a uint instead. */
bool spirv_needs_words (const struct xir_type *type, bool in_buffer);
/* Whether numbers of 8 or 16 bits are in it. */
bool spirv_type_has_narrow (const struct xir_type *type);
/* The type in which a value argument travels: bool as uint, lane by lane. */
const struct xir_type *spirv_argument_storage_type (struct xir_context *context, const struct xir_type *type);
/* A place of `size` bytes among the argument bytes, at or behind `*cursor`, which is its end then. False where that is
 * behind SPIRV_MAX_ARGUMENT_SIZE. */
bool spirv_place (uint64_t *cursor, uint64_t size, uint64_t alignment, uint32_t *offset);
/* The place of an argument by value; where the arguments before it are decides, and nothing else that the kernel has. */
bool spirv_place_value (struct xir_context *context, const struct xir_type *type, uint64_t *cursor, uint32_t *offset);
/* For messages, translated. */
const char *spirv_layout_status_text (enum spirv_layout_status status);
