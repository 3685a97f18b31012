/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/inspect.h"

#include <glib/gi18n-lib.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#include "codegen/spirv/plan-features.h"
#include "lib/checked.h"

#define HEADER_WORDS 5
#define MIN_VERSION  0x00010000
#define MAX_VERSION  0x00010500
/* Types are made of earlier ones, so that a chain of them could be as long as the module. */
#define MAX_DEPTH    XIR_TYPE_MAX_DEPTH

/* A type, a constant or a variable; what an id stands for. */
struct definition
{
  SpvOp op;
  uint32_t operands[7];                  /* those behind the id, as far as there is room */
  uint32_t n_operands;
  const uint32_t *members;               /* structures, in the words */
  uint32_t n_members;
  uint64_t size;                         /* types: bytes; 0: opaque */
  uint32_t alignment;
  uint32_t depth;
  /* Decorations, which stand before what they decorate. */
  bool has_set, has_binding;
  uint32_t set, binding;
  uint32_t stride;                       /* arrays; 0: none */
  bool has_offsets;                      /* structures: they say where their members are */
  uint32_t last_offset;                  /* of the member that is furthest */
  uint32_t last_member;
};

struct inspector
{
  GHashTable *definitions;               /* id -> struct definition */
  struct gb_arena arena;
  struct spirv_interface *out;
  uint32_t entry;                        /* id of the entry point; 0: none yet */
  bool has_group_size;
  GError **error;
};

static bool refuse (struct inspector *inspector, const char *format, ...) G_GNUC_PRINTF (2, 3);

static bool
refuse (struct inspector *inspector, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (inspector->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, what);
  g_free (what);
  return false;
}

static struct definition *
define (struct inspector *inspector, uint32_t id)
{
  struct definition *definition = g_hash_table_lookup (inspector->definitions, GUINT_TO_POINTER (id));
  if (definition == NULL)
    {
      definition = gb_arena_new0 (&inspector->arena, struct definition);
      g_hash_table_insert (inspector->definitions, GUINT_TO_POINTER (id), definition);
    }
  return definition;
}

/* NULL where it is not of that op. */
static const struct definition *
find (const struct inspector *inspector, uint32_t id, SpvOp op)
{
  const struct definition *definition = g_hash_table_lookup (inspector->definitions, GUINT_TO_POINTER (id));
  return definition != NULL && definition->op == op ? definition : NULL;
}

static const struct definition *
find_type (struct inspector *inspector, uint32_t id)
{
  const struct definition *type = g_hash_table_lookup (inspector->definitions, GUINT_TO_POINTER (id));
  if (type != NULL && type->depth > 0 && type->depth < MAX_DEPTH)
    return type;
  refuse (inspector, type != NULL && type->depth > 0 ? _("type %u is nested too deep") : _("%u is no type that comes before its use"), id);
  return NULL;
}

static bool
read_capability (struct inspector *inspector, const uint32_t *operands, uint32_t n)
{
  static const SpvCapability plain[] = { SpvCapabilityMatrix, SpvCapabilityShader, SpvCapabilityImageQuery };
  struct spirv_interface *out = inspector->out;
  uint64_t features = spirv_features_of_capability (operands[0]);
  for (gsize i = 0; i < G_N_ELEMENTS (plain); i++)
    if ((uint32_t) plain[i] == operands[0])
      return true;
  if (features == 0 || out->n_features == G_N_ELEMENTS (out->features))
    return refuse (inspector, _("it declares the capability %u, which Gabbro does not use"), operands[0]);
  out->features[out->n_features++] = features;
  return true;
}

static bool
read_entry_point (struct inspector *inspector, const uint32_t *operands, uint32_t n)
{
  /* "main", least significant byte first, and the end of the text. */
  const uint32_t name[2] = { 0x6e69616d, 0 };
  if (inspector->entry != 0)
    return refuse (inspector, _("it has more than one entry point"));
  if (n < 4 || operands[0] != SpvExecutionModelGLCompute || operands[2] != name[0] || operands[3] != name[1])
    return refuse (inspector, _("its entry point is no compute kernel “main”"));
  inspector->entry = operands[1];
  return operands[1] != 0 || refuse (inspector, _("its entry point has no number"));
}

static bool
read_execution_mode (struct inspector *inspector, const uint32_t *operands, uint32_t n)
{
  if (n < 2 || operands[0] != inspector->entry)
    return refuse (inspector, _("an execution mode is not of its entry point"));
  if (operands[1] != SpvExecutionModeLocalSize)
    return true;
  if (n != 5 || inspector->has_group_size)
    return refuse (inspector, _("the size of its workgroups is malformed"));
  memcpy (inspector->out->group_size, operands + 2, sizeof inspector->out->group_size);
  inspector->has_group_size = true;
  return true;
}

static bool
read_decoration (struct inspector *inspector, const uint32_t *operands, uint32_t n)
{
  struct definition *definition = define (inspector, operands[0]);
  if (n < 3)
    return true;
  if (operands[1] == SpvDecorationBinding)
    {
      definition->has_binding = true;
      definition->binding = operands[2];
    }
  else if (operands[1] == SpvDecorationDescriptorSet)
    {
      definition->has_set = true;
      definition->set = operands[2];
    }
  else if (operands[1] == SpvDecorationArrayStride)
    definition->stride = operands[2];
  return true;
}

static bool
read_member_decoration (struct inspector *inspector, const uint32_t *operands, uint32_t n)
{
  struct definition *definition = define (inspector, operands[0]);
  if (n >= 4 && operands[2] == SpvDecorationOffset && operands[3] >= definition->last_offset)
    {
      definition->has_offsets = true;
      definition->last_offset = operands[3];
      definition->last_member = operands[1];
    }
  return true;
}

/* Sizes as they lie in memory: that of a vector of three is that of four, as the alignment says. */
static bool
measure_vector (struct inspector *inspector, struct definition *type)
{
  const struct definition *element = find_type (inspector, type->operands[0]);
  uint32_t lanes = type->operands[1];
  if (element == NULL)
    return false;
  if (lanes < 2 || lanes > 4 || element->size == 0)
    return refuse (inspector, _("a vector is malformed"));
  /* Columns of a matrix are vectors, one after the other. */
  type->size = element->size * (type->op == SpvOpTypeVector && lanes == 3 ? 4 : lanes);
  type->alignment = type->op == SpvOpTypeVector ? (uint32_t) type->size : element->alignment;
  type->depth = element->depth + 1;
  return true;
}

static bool
measure_array (struct inspector *inspector, struct definition *type)
{
  const struct definition *element = find_type (inspector, type->operands[0]);
  const struct definition *length;
  uint64_t stride;
  if (element == NULL)
    return false;
  type->depth = element->depth + 1;
  type->alignment = element->alignment;
  if (type->op == SpvOpTypeRuntimeArray)
    return true;
  length = find (inspector, type->operands[1], SpvOpConstant);
  stride = type->stride != 0 ? type->stride : element->size;
  if (length == NULL || length->operands[0] == 0 || !gb_checked_mul (stride, length->operands[0], &type->size)
      || type->size > XIR_TYPE_MAX_SIZE)
    return refuse (inspector, _("the length of an array is malformed"));
  return true;
}

static bool
measure_structure (struct inspector *inspector, struct definition *type)
{
  uint64_t end = 0;
  type->alignment = 1;
  for (uint32_t i = 0; i < type->n_members; i++)
    {
      const struct definition *member = find_type (inspector, type->members[i]);
      if (member == NULL)
        return false;
      type->depth = MAX (type->depth, member->depth + 1);
      type->alignment = MAX (type->alignment, member->alignment);
      end = GB_ALIGN_UP (end, (uint64_t) MAX (member->alignment, 1)) + member->size;
      if (type->has_offsets && i == type->last_member)
        type->size = type->last_offset + member->size;
      if (end > XIR_TYPE_MAX_SIZE)
        return refuse (inspector, _("a structure is too large"));
    }
  if (!type->has_offsets)
    type->size = GB_ALIGN_UP (end, (uint64_t) type->alignment);
  return true;
}

/* What has no depth yet is no type that another could be made of: a type does not contain itself. */
static bool
measure (struct inspector *inspector, struct definition *type)
{
  switch (type->op)
    {
    case SpvOpTypeBool:
      type->size = type->alignment = 4;
      return true;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
      if (type->operands[0] < 8 || type->operands[0] > 64 || !gb_is_power_of_two (type->operands[0]))
        return refuse (inspector, _("a number has %u bits"), type->operands[0]);
      type->size = type->alignment = type->operands[0] / 8;
      return true;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
      return measure_vector (inspector, type);
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
      return measure_array (inspector, type);
    case SpvOpTypeStruct:
      return measure_structure (inspector, type);
    default:
      return true;
    }
}

/* Types have their id first. */
static bool
read_type (struct inspector *inspector, SpvOp op, const uint32_t *operands, uint32_t n)
{
  /* Words behind the id that the op must have. */
  static const struct
  {
    SpvOp op;
    uint32_t least;
  } least[] = {
    { SpvOpTypeInt, 2 }, { SpvOpTypeFloat, 1 }, { SpvOpTypeVector, 2 }, { SpvOpTypeMatrix, 2 }, { SpvOpTypeImage, 7 },
    { SpvOpTypeArray, 2 }, { SpvOpTypeRuntimeArray, 1 }, { SpvOpTypePointer, 2 }
  };
  struct definition *type = define (inspector, operands[0]);
  if (type->op != SpvOpNop)
    return refuse (inspector, _("the number %u stands for two things"), operands[0]);
  for (gsize i = 0; i < G_N_ELEMENTS (least); i++)
    if (least[i].op == op && n - 1 < least[i].least)
      return refuse (inspector, _("a type is cut off"));
  type->op = op;
  type->n_operands = MIN (n - 1, G_N_ELEMENTS (type->operands));
  memcpy (type->operands, operands + 1, type->n_operands * sizeof *operands);
  if (op == SpvOpTypeStruct)
    {
      type->members = operands + 1;
      type->n_members = n - 1;
    }
  if (!measure (inspector, type))
    return false;
  type->depth = MAX (type->depth, 1);
  return true;
}

static bool
read_constant (struct inspector *inspector, const uint32_t *operands, uint32_t n)
{
  struct definition *constant;
  if (n < 3)
    return refuse (inspector, _("a constant is cut off"));
  constant = define (inspector, operands[1]);
  if (constant->op != SpvOpNop)
    return refuse (inspector, _("the number %u stands for two things"), operands[1]);
  constant->op = SpvOpConstant;
  /* One that is longer than a word is no length of an array that we take. */
  constant->operands[0] = n == 3 ? operands[2] : 0;
  return true;
}

static bool
read_image (struct inspector *inspector, const struct definition *image, struct spirv_interface_binding *binding)
{
  const struct definition *component = find_type (inspector, image->operands[0]);
  if (component == NULL)
    return false;
  /* The operands: component, dimension, depth, arrayed, multisampled, sampled. */
  if (image->operands[3] != 0 || image->operands[4] != 0 || (image->operands[1] != SpvDim2D && image->operands[1] != SpvDim3D)
      || component->size != 4 || (image->operands[5] != 1 && image->operands[5] != 2))
    return refuse (inspector, _("an image is of a kind that Gabbro does not use"));
  binding->dimension = image->operands[1] == SpvDim3D ? 3 : 2;
  binding->component = component->op == SpvOpTypeFloat ? XIR_TYPE_FLOAT32
                       : component->operands[1] != 0 ? XIR_TYPE_INT32 : XIR_TYPE_UINT32;
  binding->kind = image->operands[5] == 1 ? SPIRV_BINDING_SAMPLED_IMAGE : SPIRV_BINDING_STORAGE_IMAGE;
  return true;
}

static bool
read_resource (struct inspector *inspector, const struct definition *variable, uint32_t storage, const struct definition *pointee)
{
  struct spirv_interface_binding binding = { .used = true, .kind = SPIRV_BINDING_STORAGE_BUFFER };
  if (!variable->has_set || !variable->has_binding || variable->set != 0 || variable->binding >= SPIRV_MAX_BINDINGS)
    return refuse (inspector, _("a resource has no binding, or one that is out of range"));
  if (inspector->out->bindings[variable->binding].used)
    return refuse (inspector, _("two resources have the binding %u"), variable->binding);
  if (storage == SpvStorageClassUniformConstant)
    {
      if (pointee->op != SpvOpTypeImage)
        return refuse (inspector, _("the resource of binding %u is no image"), variable->binding);
      if (!read_image (inspector, pointee, &binding))
        return false;
    }
  else if (pointee->op != SpvOpTypeStruct)
    return refuse (inspector, _("the resource of binding %u is no buffer"), variable->binding);
  inspector->out->bindings[variable->binding] = binding;
  inspector->out->n_bindings = MAX (inspector->out->n_bindings, variable->binding + 1);
  return true;
}

static bool
read_variable (struct inspector *inspector, const uint32_t *operands, uint32_t n)
{
  const struct definition *pointer, *pointee, *variable;
  if (n < 3)
    return refuse (inspector, _("a variable is cut off"));
  pointer = find (inspector, operands[0], SpvOpTypePointer);
  if (pointer == NULL)
    return refuse (inspector, _("a variable has no type"));
  pointee = find_type (inspector, pointer->operands[1]);
  if (pointee == NULL)
    return false;
  variable = define (inspector, operands[1]);
  switch (operands[2])
    {
    case SpvStorageClassInput:
    case SpvStorageClassPrivate:
      return true;
    case SpvStorageClassWorkgroup:
      inspector->out->shared_size += pointee->size;
      return true;
    case SpvStorageClassPushConstant:
      if (pointee->size > G_MAXUINT32 || inspector->out->push_constant_size != 0)
        return refuse (inspector, _("its push constants are malformed"));
      inspector->out->push_constant_size = (uint32_t) pointee->size;
      return true;
    case SpvStorageClassUniformConstant:
    case SpvStorageClassStorageBuffer:
      return read_resource (inspector, variable, operands[2], pointee);
    default:
      return refuse (inspector, _("a variable is of the storage class %u, which Gabbro does not use"), operands[2]);
    }
}

/* One instruction in front of the functions; `n` operands, at least one for those that are looked at. */
static bool
read_instruction (struct inspector *inspector, SpvOp op, const uint32_t *operands, uint32_t n)
{
  if (n == 0)
    return true;
  switch (op)
    {
    case SpvOpCapability:
      return read_capability (inspector, operands, n);
    case SpvOpEntryPoint:
      return read_entry_point (inspector, operands, n);
    case SpvOpExecutionMode:
      return read_execution_mode (inspector, operands, n);
    case SpvOpExecutionModeId:
      return refuse (inspector, _("an execution mode is not constant"));
    case SpvOpDecorate:
      return read_decoration (inspector, operands, n);
    case SpvOpMemberDecorate:
      return read_member_decoration (inspector, operands, n);
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
      return refuse (inspector, _("it has groups of decorations, which Gabbro does not use"));
    case SpvOpConstant:
      return read_constant (inspector, operands, n);
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp:
      return refuse (inspector, _("it has specialisation constants, which Gabbro does not use"));
    case SpvOpVariable:
      return read_variable (inspector, operands, n);
    default:
      return op < SpvOpTypeVoid || op > SpvOpTypeForwardPointer || read_type (inspector, op, operands, n);
    }
}

static bool
read_words (struct inspector *inspector, const uint32_t *words, gsize n_words)
{
  if (n_words < HEADER_WORDS || words[0] != SpvMagicNumber)
    return refuse (inspector, _("it does not begin as SPIR-V does"));
  inspector->out->version = words[1];
  if (words[1] < MIN_VERSION || words[1] > MAX_VERSION || (words[1] & 0xff) != 0)
    return refuse (inspector, _("its version is %u.%u; versions 1.0 to 1.5 are known"), words[1] >> 16, words[1] >> 8 & 0xff);
  if (words[4] != 0)
    return refuse (inspector, _("its schema is %u; only 0 is known"), words[4]);
  for (gsize at = HEADER_WORDS; at < n_words;)
    {
      uint32_t count = words[at] >> SpvWordCountShift;
      SpvOp op = (SpvOp) (words[at] & SpvOpCodeMask);
      if (count == 0 || count > n_words - at)
        return refuse (inspector, _("the instruction at word %zu runs past the end"), at);
      if (op == SpvOpFunction)
        break;
      if (!read_instruction (inspector, op, words + at + 1, count - 1))
        return false;
      at += count;
    }
  if (inspector->entry == 0)
    return refuse (inspector, _("it has no entry point"));
  return inspector->has_group_size || refuse (inspector, _("it does not say how large its workgroups are"));
}

bool
spirv_inspect (const uint32_t *words, gsize n_words, struct spirv_interface *out, GError **error)
{
  struct spirv_interface interface;
  struct inspector inspector = { .out = &interface, .error = error };
  memset (&interface, 0, sizeof interface);
  inspector.definitions = g_hash_table_new (NULL, NULL);
  gb_arena_init (&inspector.arena, 0);
  bool good = read_words (&inspector, words, n_words);
  g_hash_table_unref (inspector.definitions);
  gb_arena_clear (&inspector.arena);
  if (good)
    *out = interface;
  return good;
}
