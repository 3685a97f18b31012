/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Images: constant ones are fetched from, others are storage images without a
 * format, so that one kernel serves every format. */

#include "config.h"

#include "codegen/spirv/emit.h"

struct image
{
  uint32_t id;
  bool fetched;
};

static struct image
load_image (struct spirv_emitter *emitter, const struct xir_instruction *instruction)
{
  const struct xir_argument *argument = xir_value_argument (xir_operand (instruction, 0));
  const struct spirv_emitter_argument *out = &emitter->arguments[argument->index];
  return (struct image) { spirv_op_load (&emitter->writer, out->image_type, out->variable), argument->is_const };
}

SPIRV_EMITTER (spirv_emit_texture_size)
{
  struct image image = load_image (emitter, instruction);
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  return image.fetched ? spirv_op_image_query_size_lod (&emitter->writer, type, image.id, spirv_constant_word (&emitter->types, 0))
                       : spirv_op_image_query_size (&emitter->writer, type, image.id);
}

SPIRV_EMITTER (spirv_emit_texture_read)
{
  struct image image = load_image (emitter, instruction);
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  uint32_t at = spirv_operand (emitter, instruction, 1);
  return image.fetched ? spirv_op_image_fetch_lod (&emitter->writer, type, image.id, at, spirv_constant_word (&emitter->types, 0))
                       : spirv_op_image_read (&emitter->writer, type, image.id, at);
}

SPIRV_EMITTER (spirv_emit_texture_write)
{
  struct image image = load_image (emitter, instruction);
  spirv_op_image_write (&emitter->writer, image.id, spirv_operand (emitter, instruction, 1), spirv_operand (emitter, instruction, 2));
  return 0;
}
