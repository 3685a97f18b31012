/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program with checks has more: instructions that look at what the others are
 * going to do, and the tables that reports are made from.
 *
 * Scalars and vectors are checked where they are read. Structures and arrays are copied
 * with what is not defined of them, slot by slot, and a part is checked where it is taken
 * out: padding and members that nobody looks at are never reported. */

#include "config.h"

#include "codegen/interpret/execute.h"
#include "codegen/interpret/translate.h"
#include "codegen/passes/print-record.h"

static const char *
keep_name (struct translator *translator, const char *name)
{
  return name != NULL ? g_string_chunk_insert_const (translator->program->names, name) : NULL;
}

/* The variable or argument that a value or lvalue is read from. */
static const char *
object_of (const struct xir_value *value, uint32_t *argument)
{
  /* What is never written again has no memory, but a name. */
  const char *name = NULL;
  *argument = CHECK_NO_ARGUMENT;
  while (value != NULL)
    {
      const struct xir_instruction *instruction = xir_value_instruction (value);
      const struct xir_argument *source = xir_value_argument (value);
      if (source != NULL)
        {
          if (source->argument_kind == XIR_ARGUMENT_RESOURCE)
            *argument = source->index;
          return source->name;
        }
      if (instruction == NULL)
        return name;
      if (instruction->op == XIR_OP_ALLOCA)
        return instruction->u.alloca_.name;
      if (instruction->names != NULL && name == NULL)
        name = instruction->names->name;
      if (instruction->op != XIR_OP_GEP && instruction->op != XIR_OP_LOAD && instruction->op != XIR_OP_EXTRACT
          && instruction->op != XIR_OP_INSERT && instruction->op != XIR_OP_BUFFER_READ
          && instruction->op != XIR_OP_BYTE_BUFFER_READ)
        return name;
      value = xir_operand (instruction, 0);
    }
  return name;
}

static uint32_t
add_site (struct translator *translator, struct xir_location location, const struct xir_value *object)
{
  struct check_site site = { .location = location };
  site.object = keep_name (translator, object_of (object, &site.argument));
  g_array_append_val (translator->program->sites, site);
  return translator->program->sites->len - 1;
}

static enum check_storage
storage_of (const struct xir_value *object)
{
  const struct xir_instruction *instruction;
  while ((instruction = xir_value_instruction (object)) != NULL && instruction->op != XIR_OP_ALLOCA
         && instruction->n_operands > 0)
    object = xir_operand (instruction, 0);
  if (object->kind == XIR_VALUE_ARGUMENT && object->type->kind == XIR_TYPE_BUFFER)
    return CHECK_STORAGE_BUFFER;
  return instruction != NULL && instruction->op == XIR_OP_ALLOCA && instruction->u.alloca_.storage == XIR_STORAGE_SHARED
         ? CHECK_STORAGE_SHARED : CHECK_STORAGE_LOCAL;
}

static enum check_access
access_of (const struct xir_instruction *instruction)
{
  if (instruction->op == XIR_OP_STORE || instruction->op == XIR_OP_BUFFER_WRITE || instruction->op == XIR_OP_BYTE_BUFFER_WRITE
      || instruction->op == XIR_OP_TEXTURE_WRITE)
    return CHECK_WRITE;
  return xir_op_is_atomic (instruction->op) ? CHECK_ATOMIC : CHECK_READ;
}

/* How an address that is computed now will be used: as the first of its uses says. */
static enum check_access
use_of (const struct xir_value *lvalue)
{
  gb_list_for_each (use, &lvalue->uses, struct xir_use, value_link)
    if (use->user->op == XIR_OP_GEP)
      return use_of (&use->user->value);
    else if (use == use->user->operands)
      return access_of (use->user);
  return CHECK_READ;
}

/* Whether `value` is known where `instruction` stands. */
static bool
is_known_at (const struct translator *translator, const struct xir_value *value, const struct xir_instruction *instruction)
{
  const struct xir_instruction *source = xir_value_instruction (value);
  return source == NULL || source->block != instruction->block
         || item_of (translator, value)->ordinal < item_of (translator, &instruction->value)->ordinal;
}

static void
add_condition (struct translator *translator, struct checked *checked, const struct xir_value *condition, bool inverted)
{
  if (checked->n_conditions == CHECKED_CONDITIONS)
    return;
  checked->conditions[checked->n_conditions] = words_at (translator, translate_operand (translator, condition));
  checked->inverted |= (uint8_t) (inverted << checked->n_conditions);
  checked->n_conditions++;
}

/* What must hold for the result to matter: it goes, used once only, into choices of its block. */
static void
find_conditions (struct translator *translator, const struct xir_instruction *instruction, struct checked *checked)
{
  const struct xir_value *value = &instruction->value;
  while (value->type != NULL && !gb_list_is_empty (&value->uses) && value->uses.next == value->uses.prev)
    {
      const struct xir_use *use = gb_list_entry (value->uses.next, struct xir_use, value_link);
      const struct xir_instruction *user = use->user;
      uint32_t index = (uint32_t) (use - user->operands);
      const struct xir_value *condition = NULL;
      bool inverted = false;
      if (user->block != instruction->block || user->op == XIR_OP_PHI || user->op == XIR_OP_CALL)
        return;
      if (user->op == XIR_OP_SELECT && index < 2 && xir_type_lanes (xir_operand (user, 2)->type) == 1)
        {
          condition = xir_operand (user, 2);
          inverted = index == 0;
        }
      else if ((user->op == XIR_OP_AND || user->op == XIR_OP_OR) && index == 1 && user->value.type->kind == XIR_TYPE_BOOL)
        {
          condition = xir_operand (user, 0);
          inverted = user->op == XIR_OP_OR;
        }
      if (condition != NULL && is_known_at (translator, condition, instruction))
        add_condition (translator, checked, condition, inverted);
      value = &user->value;
    }
}

static struct checked
checked_at (struct translator *translator, const struct xir_instruction *instruction)
{
  struct checked checked = { .op = instruction->op, .access = access_of (instruction) };
  const struct xir_value *object = instruction->n_operands > 0 ? xir_operand (instruction, 0) : NULL;
  bool is_memory = instruction->op == XIR_OP_LOAD || instruction->op == XIR_OP_STORE || instruction->op == XIR_OP_GEP
                   || instruction->op == XIR_OP_EXTRACT || instruction->op == XIR_OP_INSERT
                   || xir_op_is_buffer_access (instruction->op)
                   || instruction->op == XIR_OP_TEXTURE_READ || instruction->op == XIR_OP_TEXTURE_WRITE
                   || xir_op_is_atomic (instruction->op);
  checked.site = add_site (translator, instruction->location, is_memory ? object : NULL);
  checked.storage = is_memory ? storage_of (object) : CHECK_STORAGE_LOCAL;
  if (instruction->op == XIR_OP_GEP)
    checked.access = use_of (&instruction->value);
  else
    find_conditions (translator, instruction, &checked);
  return checked;
}

static struct code *
emit (struct translator *translator, enum interpret_op op, const struct checked *checked, uint32_t d, uint32_t a, uint32_t n)
{
  struct code *code = translate_emit_slots (translator, op, d, a, 0, n);
  code->x = translator->program->checked->len;
  g_array_append_vals (translator->program->checked, checked, 1);
  return code;
}

/* Indices. */

void
translate_check_element (struct translator *translator, const struct xir_instruction *instruction, uint32_t at,
                         const struct xir_value *index, uint32_t buffer)
{
  struct checked checked;
  if (!translate_checks (translator))
    return;
  checked = checked_at (translator, instruction);
  /* What has been made 32 bits wide has lost its sign for nobody. */
  checked.kinds[0] = index->type->kind == XIR_TYPE_INT8 || index->type->kind == XIR_TYPE_INT16 ? XIR_TYPE_INT32
                                                                                               : index->type->kind;
  emit (translator, INTERPRET_OP_CHECK_ELEMENT, &checked, 0, at, 1)->b = buffer;
}

void
translate_check_bytes (struct translator *translator, const struct xir_instruction *instruction, uint32_t at,
                       const struct xir_value *offset, const struct xir_type *type, uint32_t buffer)
{
  struct checked checked;
  struct code *code;
  if (!translate_checks (translator))
    return;
  checked = checked_at (translator, instruction);
  checked.kinds[0] = offset->type->kind == XIR_TYPE_INT8 || offset->type->kind == XIR_TYPE_INT16 ? XIR_TYPE_INT32
                                                                                                 : offset->type->kind;
  code = emit (translator, INTERPRET_OP_CHECK_BYTES, &checked, 0, at, (uint32_t) MIN (type->size, UINT32_MAX));
  code->b = buffer;
  code->c = xir_type_byte_alignment (type);
}

void
translate_check_index (struct translator *translator, const struct xir_instruction *instruction,
                       const struct xir_value *index, uint64_t count)
{
  struct checked checked;
  if (!translate_checks (translator))
    return;
  checked = checked_at (translator, instruction);
  checked.kinds[0] = index->type->kind;
  emit (translator, INTERPRET_OP_CHECK_INDEX, &checked, 0, translate_operand (translator, index), 1)->c
    = (uint32_t) MIN (count, UINT32_MAX);
}

/* Memory. */

static uint32_t
scalar_size (enum xir_type_kind kind)
{
  return kind == XIR_TYPE_UINT64 ? 8 : kind == XIR_TYPE_UINT32 ? 4 : kind == XIR_TYPE_UINT16 ? 2 : 1;
}

void
translate_check_access (struct translator *translator, const struct xir_instruction *instruction,
                        const struct value_run *run, uint32_t place, const uint32_t *buffer, enum check_access access)
{
  struct checked checked;
  struct code *code;
  if (!translate_checks (translator))
    return;
  checked = checked_at (translator, instruction);
  checked.access = access;
  code = emit (translator, buffer != NULL ? INTERPRET_OP_CHECK_BUFFER : INTERPRET_OP_CHECK_MEMORY, &checked, 0, place,
               run->count * scalar_size (run->kind));
  code->b = buffer != NULL ? *buffer : 0;
  code->c = (uint32_t) run->offset;
}

void
translate_undefined_access (struct translator *translator, const struct value_run *run, uint32_t place,
                            const uint32_t *buffer, bool writes)
{
  enum interpret_op op = buffer != NULL ? (writes ? INTERPRET_OP_UNDEFINED_WRITE_BUFFER : INTERPRET_OP_UNDEFINED_READ_BUFFER)
                                        : (writes ? INTERPRET_OP_UNDEFINED_WRITE : INTERPRET_OP_UNDEFINED_READ);
  struct code *code = translate_emit_slots (translator, op, run->slot, place, 0, run->count);
  code->b = buffer != NULL ? *buffer : 0;
  code->c = (uint32_t) run->offset;
  code->x = scalar_size (run->kind);
}

void
translate_undefined_copy (struct translator *translator, const struct xir_type *type, uint32_t d, uint32_t a)
{
  uint64_t n = 0;
  if (translate_carries (translator, type) && d != a && interpret_type_slots (type, &n))
    translate_emit_slots (translator, INTERPRET_OP_UNDEFINED_COPY, d, a, 0, (uint32_t) n);
}

void
translate_undefined_none (struct translator *translator, uint32_t d, uint64_t n)
{
  translate_emit_slots (translator, INTERPRET_OP_UNDEFINED_NONE, d, 0, 0, (uint32_t) n);
}

void
translate_check_defined (struct translator *translator, const struct xir_instruction *instruction,
                         const struct xir_value *whole, const struct xir_type *type, uint32_t a, uint32_t dynamic)
{
  struct checked checked;
  struct code *code;
  uint64_t n = 0;
  if (whole->kind == XIR_VALUE_CONSTANT || !interpret_type_slots (type, &n))
    return;
  checked = checked_at (translator, instruction);
  if (instruction->op != XIR_OP_EXTRACT)
    {
      checked.site = add_site (translator, instruction->location, whole);
      checked.storage = storage_of (whole);
    }
  code = emit (translator, INTERPRET_OP_CHECK_DEFINED, &checked, 0, a, (uint32_t) n);
  code->c = dynamic != INTERPRET_NO_SLOT;
  code->b = code->c != 0 ? words_at (translator, dynamic) : 0;
}

void
translate_check_image (struct translator *translator, const struct xir_instruction *instruction, uint32_t at, uint32_t image)
{
  const struct xir_type *type = xir_operand (instruction, 1)->type;
  struct checked checked;
  if (!translate_checks (translator))
    return;
  checked = checked_at (translator, instruction);
  checked.kinds[0] = xir_type_scalar_of (type)->kind;
  emit (translator, INTERPRET_OP_CHECK_IMAGE, &checked, 0, at, xir_type_lanes (type))->b = image;
}

/* Arithmetic. */

/* The scalar numbers of a vector or matrix side by side; 0: it is neither. */
static uint32_t
numbers_of (const struct xir_type *type)
{
  return type->kind == XIR_TYPE_MATRIX ? (uint32_t) (type->count * type->count) : xir_type_lanes (type);
}

static enum xir_type_kind
number_kind (const struct xir_type *type)
{
  return type->kind == XIR_TYPE_MATRIX ? XIR_TYPE_FLOAT32 : xir_type_scalar_of (type)->kind;
}

static bool
take_operands (struct translator *translator, const struct xir_instruction *instruction, struct checked *checked)
{
  checked->n_operands = (uint8_t) MIN (instruction->n_operands, 3);
  for (uint32_t k = 0; k < checked->n_operands; k++)
    {
      const struct xir_value *value = xir_operand (instruction, k);
      if (numbers_of (value->type) == 0)
        return false;
      checked->kinds[k] = number_kind (value->type);
      checked->lanes[k] = (uint8_t) numbers_of (value->type);
      checked->operands[k] = words_at (translator, translate_operand (translator, value));
    }
  checked->result = instruction->value.type != NULL ? number_kind (instruction->value.type) : XIR_TYPE_BOOL;
  return true;
}

/* A scalar constant that cannot be wrong. */
static bool
is_harmless (const struct xir_instruction *instruction, bool is_shift)
{
  const struct xir_value *value = xir_operand (instruction, 1);
  int64_t constant;
  if (!xir_constant_to_int (value, &constant))
    return false;
  return is_shift ? constant >= 0 && constant < xir_type_bits (xir_type_scalar_of (xir_operand (instruction, 0)->type))
                  : constant != 0 && constant != -1;
}

/* The assertion whose record this call begins, or NULL. */
static const struct xir_print_site *
failed_assert (const struct xir_instruction *instruction)
{
  const struct xir_print_site *site = xir_print_site_of_call (instruction);
  return site != NULL && site->is_assert ? site : NULL;
}

/* What is asserted, as the source has it; failing that, what is said when it does not hold. */
static const char *
assertion_text (const struct xir_print_site *site)
{
  return site->condition != NULL ? site->condition : site->format;
}

static enum interpret_op
check_before (const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->value.type;
  switch (instruction->op)
    {
    case XIR_OP_SHIFT_LEFT:
    case XIR_OP_SHIFT_RIGHT:
    case XIR_OP_ROTATE_LEFT:
    case XIR_OP_ROTATE_RIGHT:
      return is_harmless (instruction, true) ? 0 : INTERPRET_OP_CHECK_SHIFT;
    case XIR_OP_DIV:
    case XIR_OP_MOD:
      return !xir_type_is_integer (type) || is_harmless (instruction, false) ? 0 : INTERPRET_OP_CHECK_DIVIDE;
    case XIR_OP_CAST:
      return xir_type_is_integer (type) && !xir_type_is_integer (xir_operand (instruction, 0)->type)
             && !xir_type_is_bool (xir_operand (instruction, 0)->type) ? INTERPRET_OP_CHECK_CONVERT : 0;
    case XIR_OP_BARRIER:
      return INTERPRET_OP_CHECK_BARRIER;
    case XIR_OP_UNREACHABLE:
      return INTERPRET_OP_CHECK_UNREACHABLE;
    case XIR_OP_SUBGROUP_READ:
      return INTERPRET_OP_CHECK_LANE;
    case XIR_OP_CALL:
      return failed_assert (instruction) != NULL ? INTERPRET_OP_CHECK_ASSERT : 0;
    default:
      return 0;
    }
}

void
translate_check_before (struct translator *translator, const struct xir_instruction *instruction)
{
  enum interpret_op op = translate_checks (translator) ? check_before (instruction) : 0;
  struct checked checked;
  if (op == 0)
    return;
  checked = checked_at (translator, instruction);
  if (instruction->op == XIR_OP_UNREACHABLE)
    checked.text = keep_name (translator, instruction->u.message);
  if (op == INTERPRET_OP_CHECK_ASSERT)
    {
      checked.text = keep_name (translator, assertion_text (failed_assert (instruction)));
      emit (translator, op, &checked, 0, 0, 1);
    }
  else if (take_operands (translator, instruction, &checked))
    emit (translator, op, &checked, 0, 0, 1);
}

/* Of what is computed; what only moves values makes none. */
void
translate_check_after (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->value.type;
  struct checked checked;
  if (!translate_checks (translator) || !(xir_op_info (instruction->op)->flags & XIR_FLAG_FOLD)
      || (!xir_type_is_float (type) && type->kind != XIR_TYPE_MATRIX)
      || instruction->n_operands == 0 || instruction->op == XIR_OP_SELECT || instruction->op == XIR_OP_BITCAST
      || instruction->op == XIR_OP_AGGREGATE || instruction->op == XIR_OP_SHUFFLE || instruction->op == XIR_OP_INSERT
      || instruction->op == XIR_OP_EXTRACT)
    return;
  checked = checked_at (translator, instruction);
  /* Rows and reductions look at all numbers of their operands. */
  checked.across = instruction->op >= XIR_OP_CROSS && instruction->op <= XIR_OP_MATRIX_INVERSE;
  if (take_operands (translator, instruction, &checked))
    emit (translator, INTERPRET_OP_CHECK_NAN, &checked, translate_operand (translator, &instruction->value), 0,
          numbers_of (type));
}

/* Variables. */

void
translate_check_variable (struct translator *translator, const struct xir_instruction *variable, uint64_t begin)
{
  const struct xir_type *type = variable->value.type;
  bool shared = variable->u.alloca_.storage == XIR_STORAGE_SHARED;
  struct check_variable entry = { shared ? CHECK_STORAGE_SHARED : CHECK_STORAGE_LOCAL, begin, type->size, 0, NULL };
  struct item *item = item_of (translator, &variable->value);
  if (!translate_checks (translator))
    return;
  entry.name = keep_name (translator, variable->u.alloca_.name);
  if (type->kind == XIR_TYPE_ARRAY)
    entry.element_size = type->element->size;
  g_array_append_val (translator->program->variables, entry);
  item->is_defined = !shared && translate_is_always_written (translator, variable);
  if (!shared && !item->is_defined)
    translate_emit_slots (translator, INTERPRET_OP_FORGET, 0, item->slot, 0, (uint32_t) type->size);
}

static bool
is_behind (const struct translator *translator, const struct xir_instruction *later, const struct xir_instruction *earlier)
{
  const struct item *here = block_item (translator, earlier->block);
  uint32_t position = block_item (translator, later->block)->position;
  if (later->block == earlier->block)
    return item_of (translator, &later->value)->ordinal > item_of (translator, &earlier->value)->ordinal;
  return position > here->position
         && position - 1 < g_array_index (translator->blocks, struct ordered_block, here->position - 1).end;
}

/* The first write of all of it. */
static const struct xir_instruction *
whole_write (const struct translator *translator, const struct xir_instruction *variable)
{
  const struct xir_instruction *first = NULL;
  gb_list_for_each (use, &variable->value.uses, struct xir_use, value_link)
    if (use->user->op == XIR_OP_STORE && use == use->user->operands && (first == NULL || is_behind (translator, first, use->user)))
      first = use->user;
  return first;
}

/* Nothing of it is undefined. As deep as types may nest. */
static bool
is_plain (const struct xir_value *value)
{
  const struct xir_instruction *instruction = xir_value_instruction (value);
  if (value->kind == XIR_VALUE_CONSTANT || xir_type_lanes (value->type) != 0)
    return true;
  if (instruction == NULL || instruction->op != XIR_OP_AGGREGATE)
    return false;
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    if (!is_plain (xir_operand (instruction, i)))
      return false;
  return true;
}

bool
translate_is_always_written (const struct translator *translator, const struct xir_instruction *variable)
{
  const struct xir_instruction *first = whole_write (translator, variable);
  GPtrArray *pending;
  bool result = first != NULL;
  if (first == NULL)
    return false;
  pending = g_ptr_array_new ();
  g_ptr_array_add (pending, (gpointer) &variable->value);
  while (result && pending->len > 0)
    {
      const struct xir_value *value = g_ptr_array_remove_index_fast (pending, pending->len - 1);
      gb_list_for_each (use, &value->uses, struct xir_use, value_link)
        {
          const struct xir_instruction *user = use->user;
          bool fine = user == first || is_behind (translator, user, first);
          if (use != user->operands)
            fine = false;
          else if (user->op == XIR_OP_GEP)
            g_ptr_array_add (pending, (gpointer) &user->value);
          else if (user->op == XIR_OP_STORE)
            fine = fine && is_plain (xir_operand (user, 1));
          else if (user->op != XIR_OP_LOAD)
            fine = false;
          if (!fine)
            {
              result = false;
              break;
            }
        }
    }
  g_ptr_array_unref (pending);
  return result;
}

/* Of the function that has just been translated. */
void
translate_check_loops (struct translator *translator)
{
  const struct interpret_program *program = translator->program;
  if (!translate_checks (translator))
    return;
  for (uint32_t i = 0; i < translator->loops->len; i++)
    {
      const struct loop *loop = &g_array_index (translator->loops, struct loop, i);
      const struct ordered_block *prepare = &g_array_index (translator->blocks, struct ordered_block, loop->start);
      const struct xir_instruction *owner = block_item (translator, prepare->block)->owner;
      struct program_loop entry;
      entry.begin = prepare->code;
      entry.end = loop->end < translator->blocks->len ? g_array_index (translator->blocks, struct ordered_block, loop->end).code
                                                      : translator->code->len;
      entry.site = add_site (translator, owner != NULL ? owner->location : translator->function->location, NULL);
      g_array_append_val (program->loops, entry);
    }
}
