/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What cannot be declared in memory as it lies there becomes words: byte buffers, buffers whose elements have a layout
 * that the target does not allow, and arguments by value that it cannot hold. A buffer becomes one of uint, an argument
 * an array of uint, and every access reads or writes words and takes them apart or together.
 *
 * An address is a base, computed in words wherever everything that moves it is a multiple of a word and in bytes
 * otherwise, and a constant number of bytes. Parts of less than a word never cross two: they are aligned. A word that is
 * written in part only changes by compare-exchange, so that threads may write neighbouring bytes; padding is not
 * written. */

#include "config.h"

#include "codegen/passes/passes.h"

#include <glib/gi18n-lib.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

/* Parts of a value that is read or written whole. */
#define MAX_PARTS 4096

struct lowering
{
  struct xir_module *module;
  const struct xir_type *word;
  GError **error;
};

/* One access. What is built for it stands before `instruction`. */
struct access
{
  struct xir_builder builder;
  struct xir_instruction *instruction;
  struct xir_value *memory;      /* a buffer of words, or an argument that is an array of them */
  struct xir_value *base;        /* NULL: 0 */
  bool in_bytes;                 /* the base counts bytes, else words */
  /* The word that was read last, or that is put together to be written; NULL: none. By its number behind the base. */
  struct xir_value *word;
  uint32_t word_number;
  uint32_t word_mask;            /* written: which bits of it */
};

/* How a word changes in a loop: to (word & keep) | value, or else to op (word, value) at the type. */
struct change
{
  struct xir_value *keep;
  struct xir_value *value;
  enum xir_op op;
  const struct xir_type *type;
};

static struct xir_value *
number (struct access *access,
        uint32_t value)
{
  return xir_constant_uint (access->builder.module, value);
}

static struct xir_value *
apply (struct access *access,
       enum xir_op op,
       struct xir_value *a,
       uint32_t b)
{
  return xir_build_binary (&access->builder, op, a, number (access, b));
}

static struct xir_value *
sum (struct access *access,
     struct xir_value *a,
     struct xir_value *b)
{
  return a == NULL ? b : b == NULL ? a : xir_build_binary (&access->builder, XIR_OP_ADD, a, b);
}

static struct xir_value *
scaled (struct access *access,
        struct xir_value *value,
        uint32_t factor)
{
  return factor == 1 ? value : apply (access, XIR_OP_MUL, value, factor);
}

/* An index as a uint: addresses are of 32 bits. */
static struct xir_value *
as_word (struct access *access,
         struct xir_value *index)
{
  const struct xir_type *word = xir_type_scalar (access->builder.module->context, XIR_TYPE_UINT32);

  if (index->type == word)
    return index;
  return index->type->kind == XIR_TYPE_INT32 ? xir_build_bitcast (&access->builder, word, index)
                                             : xir_build_cast (&access->builder, word, index);
}

/* Addresses. */

struct term { struct xir_value *index; uint32_t stride; };

struct path
{
  struct term terms[XIR_TYPE_MAX_DEPTH + 2];
  uint32_t n;
  uint32_t offset;
  bool in_bytes;
};

static void
add_term (struct path *path,
          struct xir_value *index,
          uint64_t stride)
{
  path->terms[path->n++] = (struct term) { index, (uint32_t) stride };
  path->in_bytes = path->in_bytes || stride % 4 != 0;
}

/* Walks from `type` by the operands from `first` on; constants out of range take the nearest element. */
static const struct xir_type *
walk (const struct xir_instruction *instruction,
      uint32_t first,
      const struct xir_type *type,
      struct path *path)
{
  for (uint32_t i = first; i < instruction->n_operands; i++)
    {
      struct xir_value *index = xir_operand (instruction, i);
      const struct xir_type *child;
      int64_t value;

      if (xir_constant_to_int (index, &value))
        {
          uint64_t position = value < 0 ? 0 : MIN ((uint64_t) value, type->count - 1);

          child = xir_type_child (type, position);
          path->offset += (uint32_t) (type->kind == XIR_TYPE_STRUCTURE ? type->offsets[position] : position * child->size);
        }
      else
        {
          child = xir_type_child (type, 0);
          add_term (path, index, child->size);
        }
      type = child;
    }
  return type;
}

/* The sum of the terms; `first` is a number of elements that stand before the first term's. */
static void
build_base (struct access *access,
            const struct path *path,
            struct xir_value *first)
{
  access->in_bytes = path->in_bytes;
  for (uint32_t i = 0; i < path->n; i++)
    {
      struct xir_value *index = as_word (access, path->terms[i].index);
      uint32_t stride = path->terms[i].stride;

      if (i == 0)
        index = sum (access, first, index);
      access->base = sum (access, access->base, scaled (access, index, path->in_bytes ? stride : stride / 4));
    }
}

static void
address_element (struct access *access,
                 const struct xir_argument *buffer,
                 uint32_t first,
                 const struct xir_type **type,
                 uint32_t *offset)
{
  const struct xir_type *element = buffer->declared_type->element;
  struct path path = { .n = 0 };

  add_term (&path, xir_operand (access->instruction, first), element->size);
  *type = walk (access->instruction, first + 1, element, &path);
  *offset = path.offset;
  build_base (access, &path, xir_build_buffer_first (&access->builder, access->memory));
}

/* Views of byte buffers begin at whole words. An offset is rounded down to what the type is aligned to. */
static void
address_byte (struct access *access,
              struct xir_value *at,
              const struct xir_type *type,
              uint32_t *offset)
{
  struct xir_value *first = xir_build_buffer_first (&access->builder, access->memory);
  uint32_t alignment = xir_type_byte_alignment (type);
  int64_t value;

  *offset = 0;
  if (xir_constant_to_int (at, &value))
    {
      *offset = (uint32_t) value & -alignment;
      access->base = apply (access, XIR_OP_SHIFT_RIGHT, first, 2);
      return;
    }
  at = as_word (access, at);
  access->in_bytes = alignment < 4;
  if (alignment == 2)
    at = apply (access, XIR_OP_AND, at, -alignment);
  access->base = sum (access, first, at);
  if (!access->in_bytes)
    access->base = apply (access, XIR_OP_SHIFT_RIGHT, access->base, 2);
}

/* The number of the word that holds the byte at base + offset. */
static struct xir_value *
word_index (struct access *access,
            uint32_t offset)
{
  if (access->in_bytes)
    return apply (access, XIR_OP_SHIFT_RIGHT, offset == 0 ? access->base : apply (access, XIR_OP_ADD, access->base, offset), 2);
  if (access->base == NULL)
    return number (access, offset / 4);
  return offset / 4 == 0 ? access->base : apply (access, XIR_OP_ADD, access->base, offset / 4);
}

/* By how many bits the byte at base + offset is shifted in its word. */
static struct xir_value *
byte_shift (struct access *access,
            uint32_t offset)
{
  struct xir_value *byte;

  if (!access->in_bytes)
    return number (access, offset % 4 * 8);
  byte = offset == 0 ? access->base : apply (access, XIR_OP_ADD, access->base, offset);
  return apply (access, XIR_OP_SHIFT_LEFT, apply (access, XIR_OP_AND, byte, 3), 3);
}

/* Scalars as bits. */

static const struct xir_type *
unsigned_of (struct xir_context *context,
             const struct xir_type *type)
{
  static const enum xir_type_kind kinds[] = { 0, XIR_TYPE_UINT8, XIR_TYPE_UINT16, 0, XIR_TYPE_UINT32 };

  return xir_type_scalar (context, kinds[type->size]);
}

/* `bits` may have more above those of the type. */
static struct xir_value *
from_bits (struct access *access,
           const struct xir_type *type,
           struct xir_value *bits)
{
  const struct xir_type *same = unsigned_of (access->builder.module->context, type);

  if (type->kind == XIR_TYPE_BOOL)
    return xir_build_binary (&access->builder, XIR_OP_NOT_EQUAL, apply (access, XIR_OP_AND, bits, 0xff), number (access, 0));
  if (type->size < 4)
    bits = xir_build_cast (&access->builder, same, bits);
  return type == same ? bits : xir_build_bitcast (&access->builder, type, bits);
}

static struct xir_value *
to_bits (struct access *access,
         struct xir_value *value)
{
  struct xir_context *context = access->builder.module->context;
  const struct xir_type *word = xir_type_scalar (context, XIR_TYPE_UINT32), *same = unsigned_of (context, value->type);

  if (value->type->kind != XIR_TYPE_BOOL && value->type != same)
    value = xir_build_bitcast (&access->builder, same, value);
  return value->type == word ? value : xir_build_cast (&access->builder, word, value);
}

/* Reading. */

static struct xir_value *
read_word (struct access *access,
           uint32_t offset)
{
  struct xir_value *index, *word;

  if (!access->in_bytes && access->word != NULL && access->word_number == offset / 4)
    return access->word;
  index = word_index (access, offset);
  if (access->memory->type->kind == XIR_TYPE_BUFFER)
    word = xir_build_buffer_read (&access->builder, access->memory, &index, 1);
  else
    word = xir_build_extract (&access->builder, access->memory, &index, 1);
  access->word = word;
  access->word_number = offset / 4;
  return word;
}

static struct xir_value *
read_scalar (struct access *access,
             const struct xir_type *type,
             uint32_t offset)
{
  struct xir_context *context = access->builder.module->context;
  struct xir_value *word;

  if (type->size == 8)
    {
      const struct xir_type *pair = xir_type_vector (context, xir_type_scalar (context, XIR_TYPE_UINT32), 2);
      struct xir_value *words[2] = { read_word (access, offset), NULL };

      words[1] = read_word (access, offset + 4);
      return xir_build_bitcast (&access->builder, type, xir_build_aggregate (&access->builder, pair, words, 2));
    }
  word = read_word (access, offset);
  if (type->size < 4 && (access->in_bytes || offset % 4 != 0))
    word = xir_build_binary (&access->builder, XIR_OP_SHIFT_RIGHT, word, byte_shift (access, offset));
  return from_bits (access, type, word);
}

static uint64_t
place_of (const struct xir_type *type,
          uint64_t index)
{
  return type->kind == XIR_TYPE_STRUCTURE ? type->offsets[index] : index * type->element->size;
}

static struct xir_value *
read_part (struct access *access,
           const struct xir_type *type,
           uint32_t offset)
{
  struct xir_value **parts, *value;

  if (xir_type_is_scalar (type))
    return read_scalar (access, type, offset);
  parts = g_new (struct xir_value *, type->count);
  for (uint64_t i = 0; i < type->count; i++)
    parts[i] = read_part (access, xir_type_child (type, i), offset + (uint32_t) place_of (type, i));
  value = xir_build_aggregate (&access->builder, type, parts, (uint32_t) type->count);
  g_free (parts);
  return value;
}

/* Writing. */

static struct xir_value *
changed (struct xir_builder *builder,
         struct xir_value *guess,
         gconstpointer data)
{
  const struct change *change = data;
  struct xir_value *old;

  if (change->keep != NULL)
    return xir_build_binary (builder, XIR_OP_OR, xir_build_binary (builder, XIR_OP_AND, guess, change->keep), change->value);
  old = change->type == guess->type ? guess : xir_build_bitcast (builder, change->type, guess);
  old = xir_build_binary (builder, change->op, old, change->value);
  return old->type == guess->type ? old : xir_build_bitcast (builder, guess->type, old);
}

/* Gives what was there before. */
static struct xir_value *
change_word (struct access *access,
             struct xir_value *index,
             const struct change *change)
{
  return xir_build_exchange_loop (&access->builder, access->instruction, access->memory, &index, 1, changed, change);
}

/* The word that has been put together goes out. */
static void
flush (struct access *access)
{
  struct xir_value *word = access->word, *index;

  if (word == NULL)
    return;
  access->word = NULL;
  index = word_index (access, access->word_number * 4);
  if (access->word_mask == G_MAXUINT32)
    xir_build_buffer_write (&access->builder, access->memory, word, &index, 1);
  else
    change_word (access, index, &(struct change) { .keep = number (access, ~access->word_mask), .value = word });
}

static void
write_bits (struct access *access,
            struct xir_value *bits,
            uint32_t size,
            uint32_t offset)
{
  uint32_t mask = size == 4 ? G_MAXUINT32 : (UINT32_C (1) << size * 8) - 1, shift = offset % 4 * 8;

  if (access->in_bytes)
    {
      struct xir_value *by = byte_shift (access, offset);
      struct change change = {
        .keep = xir_build_unary (&access->builder, XIR_OP_NOT,
                                 xir_build_binary (&access->builder, XIR_OP_SHIFT_LEFT, number (access, mask), by)),
        .value = xir_build_binary (&access->builder, XIR_OP_SHIFT_LEFT, bits, by)
      };

      change_word (access, word_index (access, offset), &change);
      return;
    }
  if (access->word != NULL && access->word_number != offset / 4)
    flush (access);
  if (shift != 0)
    bits = apply (access, XIR_OP_SHIFT_LEFT, bits, shift);
  access->word_mask = (access->word != NULL ? access->word_mask : 0) | mask << shift;
  access->word = access->word != NULL ? xir_build_binary (&access->builder, XIR_OP_OR, access->word, bits) : bits;
  access->word_number = offset / 4;
}

static void
write_part (struct access *access,
            struct xir_value *value,
            uint32_t offset)
{
  struct xir_context *context = access->builder.module->context;
  const struct xir_type *type = value->type;

  if (xir_type_is_scalar (type) && type->size <= 4)
    {
      write_bits (access, to_bits (access, value), (uint32_t) type->size, offset);
      return;
    }
  if (xir_type_is_scalar (type))
    value = xir_build_bitcast (&access->builder, xir_type_vector (context, xir_type_scalar (context, XIR_TYPE_UINT32), 2), value);
  for (uint64_t i = 0; i < value->type->count; i++)
    {
      struct xir_value *index = number (access, (uint32_t) i);

      write_part (access, xir_build_extract (&access->builder, value, &index, 1), offset + (uint32_t) place_of (value->type, i));
    }
}

/* Atomics. What has no form for words of uint becomes a loop. */

static void
lower_atomic (struct lowering *lowering,
              struct access *access,
              const struct xir_argument *buffer)
{
  struct xir_instruction *atomic = access->instruction;
  bool compares = atomic->op == XIR_OP_ATOMIC_COMPARE_EXCHANGE, exchanges = compares || atomic->op == XIR_OP_ATOMIC_EXCHANGE;
  bool by_value = atomic->op == XIR_OP_ATOMIC_MIN || atomic->op == XIR_OP_ATOMIC_MAX;
  struct xir_value *value = xir_operand (atomic, compares ? 2 : 1), *index, *expected, *old;
  const struct xir_type *type;
  uint32_t offset;

  address_element (access, buffer, xir_atomic_first_index (atomic->op), &type, &offset);
  if (type->size != 4)
    {
      g_set_error (lowering->error, XIR_PASS_ERROR, XIR_PASS_ERROR_RESOURCE,
                   _("argument “%s”: its elements are stored as words, on which there is no atomic of %s"),
                   buffer->name != NULL ? buffer->name : "?", type->text);
      return;
    }
  index = word_index (access, offset);
  if (exchanges || (xir_type_is_integer (type) && (!by_value || type == lowering->word)))
    {
      expected = compares ? to_bits (access, xir_operand (atomic, 1)) : NULL;
      old = xir_build_atomic (&access->builder, atomic->op, access->memory, expected, to_bits (access, value), &index, 1);
    }
  else
    {
      struct change change = {
        .value = value, .type = type,
        .op = atomic->op == XIR_OP_ATOMIC_MIN ? XIR_OP_MIN : atomic->op == XIR_OP_ATOMIC_MAX ? XIR_OP_MAX
              : atomic->op == XIR_OP_ATOMIC_SUB ? XIR_OP_SUB : XIR_OP_ADD
      };

      old = change_word (access, index, &change);
    }
  xir_value_replace (&atomic->value, from_bits (access, type, old));
  xir_instruction_remove (atomic);
}

/* Instructions. */

static uint64_t
count_parts (const struct xir_type *type)
{
  uint64_t n = 0;

  if (xir_type_lanes (type) > 0)
    return xir_type_lanes (type);
  if (type->kind != XIR_TYPE_STRUCTURE)
    return MIN (type->count, MAX_PARTS + 1) * count_parts (type->element);
  for (uint64_t i = 0; i < type->count && n <= MAX_PARTS; i++)
    n += count_parts (type->members[i]);
  return n;
}

static bool
check_parts (struct lowering *lowering,
             const struct xir_argument *argument,
             const struct xir_type *type)
{
  if (count_parts (type) <= MAX_PARTS)
    return true;
  if (*lowering->error == NULL)
    g_set_error (lowering->error, XIR_PASS_ERROR, XIR_PASS_ERROR_TOO_LARGE,
                 _("argument “%s”: a value of more than %d parts is copied as a whole, which is stored as words and has to be "
                   "taken apart"),
                 argument->name != NULL ? argument->name : "?", MAX_PARTS);
  return false;
}

static struct access
begin (struct xir_instruction *instruction,
       struct xir_value *memory)
{
  struct access access = { .instruction = instruction, .memory = memory };

  xir_builder_init (&access.builder, instruction->block->function);
  access.builder.location = instruction->location;
  xir_builder_before (&access.builder, instruction);
  return access;
}

static void
lower_access (struct lowering *lowering,
              struct xir_instruction *instruction)
{
  struct access access = begin (instruction, xir_operand (instruction, 0));
  const struct xir_argument *buffer = xir_value_argument (access.memory);
  bool writes = instruction->op == XIR_OP_BUFFER_WRITE || instruction->op == XIR_OP_BYTE_BUFFER_WRITE;
  const struct xir_type *type = writes ? xir_operand (instruction, 1)->type : instruction->value.type;
  uint32_t offset;

  if (xir_op_is_atomic (instruction->op))
    {
      lower_atomic (lowering, &access, buffer);
      return;
    }
  if (!check_parts (lowering, buffer, type))
    return;
  access.builder.is_volatile = instruction->u.is_volatile;
  if (buffer->declared_type->element == NULL)
    address_byte (&access, xir_operand (instruction, writes ? 2 : 1), type, &offset);
  else
    address_element (&access, buffer, writes ? 2 : 1, &type, &offset);
  if (!writes)
    xir_value_replace (&instruction->value, read_part (&access, type, offset));
  else
    {
      write_part (&access, xir_operand (instruction, 1), offset);
      flush (&access);
    }
  xir_instruction_remove (instruction);
}

static bool
is_ours (const struct xir_instruction *instruction)
{
  const struct xir_argument *argument = instruction->n_operands > 0 ? xir_value_argument (xir_operand (instruction, 0)) : NULL;

  if (argument == NULL || argument->declared_type == NULL || argument->argument_kind != XIR_ARGUMENT_RESOURCE)
    return false;
  return instruction->op == XIR_OP_BUFFER_READ || instruction->op == XIR_OP_BUFFER_WRITE
         || instruction->op == XIR_OP_BYTE_BUFFER_READ || instruction->op == XIR_OP_BYTE_BUFFER_WRITE
         || xir_op_is_atomic (instruction->op);
}

/* A loop cannot stand in another's prepare, which is one block. */
static bool
may_become_loop (const struct xir_instruction *instruction,
                 gconstpointer data)
{
  return is_ours (instruction) && (xir_op_info (instruction->op)->flags & XIR_FLAG_EFFECT) != 0;
}

static void
lower_function (struct lowering *lowering,
                struct xir_function *function)
{
  GPtrArray *accesses = g_ptr_array_new ();

  xir_function_open_prepares (function, may_become_loop, NULL);
  gb_list_for_each (block, &function->blocks, struct xir_block, link)
    gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
      if (is_ours (instruction))
        g_ptr_array_add (accesses, instruction);
  /* From the last to the first: what stands behind one is moved once. */
  for (guint i = accesses->len; i-- > 0 && *lowering->error == NULL;)
    lower_access (lowering, accesses->pdata[i]);
  g_ptr_array_free (accesses, TRUE);
}

/* Arguments. */

static struct xir_instruction *
first_behind_variables (struct xir_function *function)
{
  gb_list_for_each (instruction, &xir_function_entry (function)->instructions, struct xir_instruction, link)
    if (instruction->op != XIR_OP_ALLOCA)
      return instruction;
  return NULL;
}

/* Parts are read where they are taken, the whole at the beginning. */
static void
lower_value (struct lowering *lowering,
             struct xir_argument *argument)
{
  GPtrArray *users = g_ptr_array_new ();
  struct xir_value *whole = NULL;

  gb_list_for_each (use, &argument->value.uses, struct xir_use, value_link)
    g_ptr_array_add (users, use);
  for (guint i = 0; i < users->len && *lowering->error == NULL; i++)
    {
      struct xir_use *use = users->pdata[i];
      struct xir_instruction *user = use->user;

      if (user->op == XIR_OP_EXTRACT && use == user->operands)
        {
          struct access access = begin (user, &argument->value);
          struct path path = { .n = 0 };
          const struct xir_type *type = walk (user, 1, argument->declared_type, &path);

          if (!check_parts (lowering, argument, type))
            break;
          build_base (&access, &path, NULL);
          xir_value_replace (&user->value, read_part (&access, type, path.offset));
          xir_instruction_remove (user);
          continue;
        }
      if (whole == NULL && check_parts (lowering, argument, argument->declared_type))
        {
          struct access access = begin (first_behind_variables (argument->function), &argument->value);

          whole = read_part (&access, argument->declared_type, 0);
        }
      if (whole != NULL)
        xir_instruction_set_operand (user, (uint32_t) (use - user->operands), whole);
    }
  g_ptr_array_free (users, TRUE);
}

static void
declare_words (struct lowering *lowering,
               struct xir_argument *argument)
{
  struct xir_context *context = lowering->module->context;
  const struct xir_type *type = argument->value.type;

  argument->declared_type = type;
  argument->value.type = argument->argument_kind == XIR_ARGUMENT_RESOURCE ? xir_type_buffer (context, lowering->word)
                         : xir_type_array (context, lowering->word, type->size / 4 + (type->size % 4 != 0));
}

/* Volatile memory is read in words, each at once: a writer can make sense of that. */
static bool
is_read_volatile (const struct xir_argument *argument)
{
  gb_list_for_each (use, &argument->value.uses, struct xir_use, value_link)
    if (use->user->op == XIR_OP_BUFFER_READ && use->user->u.is_volatile
        && use->user->value.type->kind != XIR_TYPE_UINT32 && use->user->value.type->kind != XIR_TYPE_INT32)
      return true;
  return false;
}

static bool
needs_words (const struct xir_pass_options *options,
             const struct xir_argument *argument)
{
  const struct xir_type *type = argument->value.type;

  if (argument->declared_type != NULL || argument->argument_kind == XIR_ARGUMENT_REFERENCE)
    return false;
  if (argument->argument_kind == XIR_ARGUMENT_RESOURCE)
    {
      if (type->kind != XIR_TYPE_BUFFER)
        return false;
      if (type->element == NULL || is_read_volatile (argument))
        return true;
      return options != NULL && options->needs_words != NULL && options->needs_words (type->element, true);
    }
  return options != NULL && options->needs_words != NULL && options->needs_words (type, false);
}

bool
xir_pass_lower_words (struct xir_module *module,
                      const struct xir_pass_options *options,
                      GError **error)
{
  GError *own_error = NULL;
  struct lowering lowering = { module, xir_type_scalar (module->context, XIR_TYPE_UINT32), &own_error };
  bool changed = false;

  gb_list_for_each (function, &module->functions, struct xir_function, link)
    for (uint32_t i = 0; function->kind == XIR_FUNCTION_KERNEL && i < function->n_arguments; i++)
      if (needs_words (options, function->arguments[i]))
        {
          declare_words (&lowering, function->arguments[i]);
          if (function->arguments[i]->argument_kind == XIR_ARGUMENT_VALUE)
            lower_value (&lowering, function->arguments[i]);
          changed = true;
        }
  if (changed)
    gb_list_for_each (function, &module->functions, struct xir_function, link)
      if (own_error == NULL)
        lower_function (&lowering, function);
  if (own_error != NULL)
    g_propagate_error (error, own_error);
  return changed;
}
