/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Local memory, calls, walks into composites, and buffers. */

#include "config.h"

#include "codegen/spirv/emit.h"

/* A checked walk: ids of the indices, and where it is still constant. */
struct walk
{
  uint32_t ids[XIR_TYPE_MAX_DEPTH + 2];
  uint32_t literals[XIR_TYPE_MAX_DEPTH + 2];
  uint32_t n;
  uint32_t n_constant;           /* leading indices that are constants */
  const struct xir_type *at_dynamic;     /* what the first other one walks into */
};

/* Structure indices become uint constants whatever they were. A constant index out
 * of range is undefined by the language but no valid SPIR-V: it takes the nearest
 * element. Depth of types is limited, and so is that of walks. */
static void
plan_walk (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint32_t first, const struct xir_type *type,
           struct walk *walk)
{
  *walk = (struct walk) { .n = 0 };
  for (uint32_t i = first; i < instruction->n_operands && walk->n < G_N_ELEMENTS (walk->ids); i++, walk->n++)
    {
      const struct xir_value *index = xir_operand (instruction, i);
      int64_t value;
      uint64_t child = 0;
      if (xir_constant_to_int (index, &value))
        {
          child = value < 0 ? 0 : MIN ((uint64_t) value, type->count - 1);
          walk->literals[walk->n] = (uint32_t) child;
          walk->ids[walk->n] = spirv_constant_word (&emitter->types, (uint32_t) child);
          if (walk->n_constant == walk->n)
            walk->n_constant++;
        }
      else
        {
          if (walk->at_dynamic == NULL)
            walk->at_dynamic = type;
          walk->ids[walk->n] = spirv_value (emitter, index);
        }
      type = xir_type_child (type, child);
    }
}

static SpvStorageClass
storage_class (const struct xir_value *lvalue)
{
  const struct xir_instruction *instruction;
  while ((instruction = xir_value_instruction (lvalue)) != NULL && instruction->op == XIR_OP_GEP)
    lvalue = xir_operand (instruction, 0);
  return instruction != NULL && instruction->op == XIR_OP_ALLOCA && instruction->u.alloca_.storage == XIR_STORAGE_SHARED
         ? SpvStorageClassWorkgroup : SpvStorageClassFunction;
}

SPIRV_EMITTER (spirv_emit_alloca)
{
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  if (instruction->u.alloca_.storage == XIR_STORAGE_SHARED)
    return spirv_emit_global_variable (emitter, SpvStorageClassWorkgroup, type, 0, instruction->u.alloca_.name);
  uint32_t id = spirv_op_variable (&emitter->writer, spirv_type_pointer (&emitter->types, SpvStorageClassFunction, type));
  if (emitter->options->debug_names && instruction->u.alloca_.name != NULL)
    spirv_name (&emitter->writer, id, instruction->u.alloca_.name);
  return id;
}

SPIRV_EMITTER (spirv_emit_load)
{
  return spirv_op_load (&emitter->writer, spirv_type (&emitter->types, instruction->value.type),
                        spirv_operand (emitter, instruction, 0));
}

SPIRV_EMITTER (spirv_emit_store)
{
  spirv_op_store (&emitter->writer, spirv_operand (emitter, instruction, 0), spirv_operand (emitter, instruction, 1));
  return 0;
}

SPIRV_EMITTER (spirv_emit_gep)
{
  struct walk walk;
  const struct xir_value *base = xir_operand (instruction, 0);
  plan_walk (emitter, instruction, 1, base->type, &walk);
  uint32_t type = spirv_type_pointer (&emitter->types, storage_class (base), spirv_type (&emitter->types, instruction->value.type));
  return spirv_op_access_chain (&emitter->writer, type, spirv_value (emitter, base), walk.ids, walk.n);
}

SPIRV_EMITTER (spirv_emit_call)
{
  uint32_t few[16];
  uint32_t n = instruction->n_operands;
  uint32_t *arguments = n <= G_N_ELEMENTS (few) ? few : g_new (uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    arguments[i] = spirv_operand (emitter, instruction, i);
  uint32_t callee = emitter->functions[spirv_plan_function_index (emitter->plans, instruction->u.callee)];
  uint32_t id = spirv_op_function_call (&emitter->writer, spirv_type (&emitter->types, instruction->value.type), callee, arguments, n);
  if (arguments != few)
    g_free (arguments);
  return id;
}

/* Composites in values. */

/* A variable that lends its memory to a dynamic index. */
static uint32_t
spill (struct spirv_emitter *emitter, const struct xir_type *type, uint32_t value)
{
  uint32_t pointer_type = spirv_type_pointer (&emitter->types, SpvStorageClassFunction, spirv_type (&emitter->types, type));
  uint32_t variable = spirv_op_variable (&emitter->writer, pointer_type);
  spirv_op_store (&emitter->writer, variable, value);
  return variable;
}

static uint32_t
load_part (struct spirv_emitter *emitter, SpvStorageClass class, uint32_t base, uint32_t type, const uint32_t *indices, uint32_t n)
{
  uint32_t pointer = spirv_op_access_chain (&emitter->writer, spirv_type_pointer (&emitter->types, class, type), base, indices, n);
  return spirv_op_load (&emitter->writer, type, pointer);
}

static uint32_t
to_logical (struct spirv_emitter *emitter, const struct xir_type *type, uint32_t id)
{
  return spirv_type_is_laid_out_apart (type) ? spirv_op_copy_logical (&emitter->writer, spirv_type (&emitter->types, type), id)
                                             : id;
}

/* From a kernel's argument, straight from where it lies. */
static uint32_t
extract_argument (struct spirv_emitter *emitter, const struct xir_instruction *instruction, const struct walk *walk)
{
  const struct xir_argument *argument = xir_value_argument (xir_operand (instruction, 0));
  uint32_t type = spirv_type_laid_out (&emitter->types, instruction->value.type);
  uint32_t pointer = spirv_emit_argument_pointer (emitter, emitter->arguments[argument->index].member, walk->ids, walk->n, type);
  return to_logical (emitter, instruction->value.type, spirv_op_load (&emitter->writer, type, pointer));
}

SPIRV_EMITTER (spirv_emit_extract)
{
  struct spirv_writer *writer = &emitter->writer;
  const struct xir_value *aggregate = xir_operand (instruction, 0);
  const struct xir_argument *argument = xir_value_argument (aggregate);
  uint32_t type = spirv_type (&emitter->types, instruction->value.type);
  struct walk walk;
  plan_walk (emitter, instruction, 1, aggregate->type, &walk);
  if (argument != NULL && argument->function == emitter->plans->kernel && spirv_type_is_laid_out_apart (aggregate->type))
    return extract_argument (emitter, instruction, &walk);
  uint32_t id = spirv_value (emitter, aggregate);
  if (walk.n_constant == walk.n)
    return spirv_op_composite_extract (writer, type, id, walk.literals, walk.n);
  bool lane = walk.at_dynamic->kind == XIR_TYPE_VECTOR;
  if (!lane && aggregate->kind == XIR_VALUE_CONSTANT)
    return load_part (emitter, SpvStorageClassPrivate, spirv_emit_constant_variable (emitter, aggregate), type, walk.ids, walk.n);
  if (walk.n_constant > 0)
    id = spirv_op_composite_extract (writer, spirv_type (&emitter->types, walk.at_dynamic), id, walk.literals, walk.n_constant);
  if (lane)
    return spirv_op_vector_extract_dynamic (writer, type, id, walk.ids[walk.n - 1]);
  return load_part (emitter, SpvStorageClassFunction, spill (emitter, walk.at_dynamic, id), type, walk.ids + walk.n_constant,
                    walk.n - walk.n_constant);
}

SPIRV_EMITTER (spirv_emit_insert)
{
  struct spirv_writer *writer = &emitter->writer;
  const struct xir_type *whole = instruction->value.type;
  uint32_t type = spirv_type (&emitter->types, whole);
  uint32_t aggregate = spirv_operand (emitter, instruction, 0), value = spirv_operand (emitter, instruction, 1);
  struct walk walk;
  plan_walk (emitter, instruction, 2, whole, &walk);
  if (walk.n_constant == walk.n)
    return spirv_op_composite_insert (writer, type, value, aggregate, walk.literals, walk.n);
  if (walk.at_dynamic->kind == XIR_TYPE_VECTOR)
    {
      uint32_t vector_type = spirv_type (&emitter->types, walk.at_dynamic);
      uint32_t vector = walk.n_constant == 0 ? aggregate
                        : spirv_op_composite_extract (writer, vector_type, aggregate, walk.literals, walk.n_constant);
      vector = spirv_op_vector_insert_dynamic (writer, vector_type, vector, value, walk.ids[walk.n - 1]);
      return walk.n_constant == 0 ? vector
             : spirv_op_composite_insert (writer, type, vector, aggregate, walk.literals, walk.n_constant);
    }
  uint32_t variable = spill (emitter, whole, aggregate);
  uint32_t part = spirv_type (&emitter->types, xir_operand (instruction, 1)->type);
  uint32_t pointer = spirv_op_access_chain (writer, spirv_type_pointer (&emitter->types, SpvStorageClassFunction, part), variable,
                                            walk.ids, walk.n);
  spirv_op_store (writer, pointer, value);
  return spirv_op_load (writer, type, variable);
}

/* Buffers. */

static const struct spirv_emitter_argument *
resource (const struct spirv_emitter *emitter, const struct xir_instruction *instruction)
{
  return &emitter->arguments[xir_value_argument (xir_operand (instruction, 0))->index];
}

/* The element counts from the view's first; further indices walk into it, so that
 * nothing beside the part is touched. `index` is the operand of the element's number. */
static uint32_t
element_pointer (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint32_t index, uint32_t part_type)
{
  const struct spirv_emitter_argument *buffer = resource (emitter, instruction);
  uint32_t word = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 1);
  uint32_t chain[XIR_TYPE_MAX_DEPTH + 4];
  struct walk walk;
  plan_walk (emitter, instruction, index + 1, xir_operand (instruction, 0)->type->element, &walk);
  /* Words are counted from where the memory begins: lower-words has added what lies before the view. */
  bool from_view = xir_value_argument (xir_operand (instruction, 0))->declared_type == NULL;
  uint32_t at = spirv_operand (emitter, instruction, index);
  chain[0] = spirv_constant_word (&emitter->types, 0);
  chain[1] = from_view ? spirv_op_i_add (&emitter->writer, word, buffer->first, at) : at;
  for (uint32_t i = 0; i < walk.n; i++)
    chain[2 + i] = walk.ids[i];
  return spirv_op_access_chain (&emitter->writer, spirv_type_pointer (&emitter->types, SpvStorageClassStorageBuffer, part_type),
                                buffer->variable, chain, 2 + walk.n);
}

SPIRV_EMITTER (spirv_emit_buffer_size)
{
  return resource (emitter, instruction)->length;
}

static bool
is_word (const struct xir_type *type)
{
  return type->kind == XIR_TYPE_INT32 || type->kind == XIR_TYPE_UINT32;
}

/* SPIRV-Tools drop a volatile load that nobody uses, and the loop that waits for it. An atomic one they leave alone; it is
 * of words, and lower-words sees to it that whatever is read volatile is. */
static uint32_t
volatile_load (struct spirv_emitter *emitter, const struct xir_type *type, uint32_t id, uint32_t pointer)
{
  uint32_t plain[] = { pointer, SpvMemoryAccessVolatileMask };
  if (!is_word (type))
    return spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, SpvOpLoad, id, plain, G_N_ELEMENTS (plain));
  uint32_t atomic[] = { pointer, spirv_constant_word (&emitter->types, SpvScopeDevice), spirv_constant_word (&emitter->types, 0) };
  return spirv_write_result (&emitter->writer, SPIRV_SECTION_BODY, SpvOpAtomicLoad, id, atomic, G_N_ELEMENTS (atomic));
}

static void
volatile_store (struct spirv_emitter *emitter, const struct xir_type *type, uint32_t pointer, uint32_t value)
{
  uint32_t plain[] = { pointer, value, SpvMemoryAccessVolatileMask };
  uint32_t atomic[] = { pointer, spirv_constant_word (&emitter->types, SpvScopeDevice), spirv_constant_word (&emitter->types, 0),
                        value };
  if (is_word (type))
    spirv_write (&emitter->writer, SPIRV_SECTION_BODY, SpvOpAtomicStore, atomic, G_N_ELEMENTS (atomic));
  else
    spirv_write (&emitter->writer, SPIRV_SECTION_BODY, SpvOpStore, plain, G_N_ELEMENTS (plain));
}

SPIRV_EMITTER (spirv_emit_buffer_first)
{
  return resource (emitter, instruction)->first;
}

SPIRV_EMITTER (spirv_emit_buffer_read)
{
  uint32_t type = spirv_type_laid_out (&emitter->types, instruction->value.type);
  uint32_t pointer = element_pointer (emitter, instruction, 1, type);
  uint32_t id = instruction->u.is_volatile ? volatile_load (emitter, instruction->value.type, type, pointer)
                                           : spirv_op_load (&emitter->writer, type, pointer);
  return to_logical (emitter, instruction->value.type, id);
}

SPIRV_EMITTER (spirv_emit_buffer_write)
{
  const struct xir_type *written = xir_operand (instruction, 1)->type;
  uint32_t type = spirv_type_laid_out (&emitter->types, written);
  uint32_t pointer = element_pointer (emitter, instruction, 2, type);
  uint32_t value = spirv_operand (emitter, instruction, 1);
  if (spirv_type_is_laid_out_apart (written))
    value = spirv_op_copy_logical (&emitter->writer, type, value);
  if (instruction->u.is_volatile)
    volatile_store (emitter, written, pointer, value);
  else
    spirv_op_store (&emitter->writer, pointer, value);
  return 0;
}

/* The number of the word in the buffer where the walk ends. */
static uint32_t
word_index (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint32_t index)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t word = spirv_type_kind (&emitter->types, XIR_TYPE_UINT32, 1);
  const struct xir_type *type = xir_operand (instruction, 0)->type->element;
  struct walk walk;
  plan_walk (emitter, instruction, index + 1, type, &walk);
  uint32_t at = spirv_op_i_add (writer, word, resource (emitter, instruction)->first, spirv_operand (emitter, instruction, index));
  at = spirv_op_i_mul (writer, word, at, spirv_constant_word (&emitter->types, (uint32_t) (type->size / 4)));
  for (uint32_t i = 0; i < walk.n; i++)
    {
      uint32_t step;
      if (type->kind == XIR_TYPE_STRUCTURE)
        step = spirv_constant_word (&emitter->types, (uint32_t) (type->offsets[walk.literals[i]] / 4));
      else
        step = spirv_op_i_mul (writer, word, walk.ids[i], spirv_constant_word (&emitter->types, (uint32_t) (type->element->size / 4)));
      at = spirv_op_i_add (writer, word, at, step);
      type = xir_type_child (type, type->kind == XIR_TYPE_STRUCTURE ? walk.literals[i] : 0);
    }
  return at;
}

uint32_t
spirv_emit_atomic_pointer (struct spirv_emitter *emitter, const struct xir_instruction *instruction, uint32_t index)
{
  const struct xir_type *type = instruction->value.type;
  uint32_t id = spirv_type (&emitter->types, type);
  if (spirv_atomic_place_type (instruction) == type)
    return element_pointer (emitter, instruction, index, id);
  const uint32_t chain[] = { spirv_constant_word (&emitter->types, 0), word_index (emitter, instruction, index) };
  return spirv_op_access_chain (&emitter->writer, spirv_type_pointer (&emitter->types, SpvStorageClassStorageBuffer, id),
                                resource (emitter, instruction)->words, chain, 2);
}
