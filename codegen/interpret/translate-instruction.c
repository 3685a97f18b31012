/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arithmetic, composites and calls. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "codegen/interpret/translate.h"
#include "codegen/xir/evaluate-private.h"

/* The loops of lanes.def, by op and kind of operand 0; 0: none. */
static const uint16_t loops[XIR_N_OPS][XIR_N_TYPE_KINDS] = {
#define LANES_1(name, op, kind, result, type, expression) [XIR_OP_##op][XIR_TYPE_##kind] = INTERPRET_OP_##name,
#define LANES_2(name, op, kind, result, type, expression) [XIR_OP_##op][XIR_TYPE_##kind] = INTERPRET_OP_##name,
#define LANES_3(name, op, kind, result, type, expression) [XIR_OP_##op][XIR_TYPE_##kind] = INTERPRET_OP_##name,
#define LANES_CAST(name, to, from, result, type, expression)
#include "codegen/interpret/lanes.def"
#undef LANES_1
#undef LANES_2
#undef LANES_3
};

static const uint16_t casts[XIR_N_TYPE_KINDS][XIR_N_TYPE_KINDS] = {
#define LANES_1(name, op, kind, result, type, expression)
#define LANES_2(name, op, kind, result, type, expression)
#define LANES_3(name, op, kind, result, type, expression)
#define LANES_CAST(name, to, from, result, type, expression) [XIR_TYPE_##to][XIR_TYPE_##from] = INTERPRET_OP_##name,
#include "codegen/interpret/lanes.def"
#undef LANES_1
#undef LANES_2
#undef LANES_3
};

/* Ops with an instruction of their own over the scalars of float vectors. */
static const struct
{
  enum xir_op op;
  enum interpret_op instruction;
} across[] = {
  { XIR_OP_DOT, INTERPRET_OP_DOT_F32 },
  { XIR_OP_LENGTH, INTERPRET_OP_LENGTH_F32 },
  { XIR_OP_LENGTH_SQUARED, INTERPRET_OP_LENGTH_SQUARED_F32 },
  { XIR_OP_NORMALIZE, INTERPRET_OP_NORMALIZE_F32 },
  { XIR_OP_CROSS, INTERPRET_OP_CROSS_F32 },
  { XIR_OP_REFLECT, INTERPRET_OP_REFLECT_F32 },
};

static bool
mixes_lanes (enum xir_op op)
{
  return op == XIR_OP_ALL || op == XIR_OP_ANY || (op >= XIR_OP_CROSS && op <= XIR_OP_REDUCE_MAX);
}

static const struct xir_type *
operand_type (const struct xir_instruction *instruction, uint32_t index)
{
  return xir_operand (instruction, index)->type;
}

static enum xir_type_kind
operand_kind (const struct xir_instruction *instruction, uint32_t index)
{
  return xir_type_scalar_of (operand_type (instruction, index))->kind;
}

static void
emit_operands (struct translator *translator, const struct xir_instruction *instruction, enum interpret_op op, uint32_t n,
               uint32_t x)
{
  uint32_t slots[3] = { 0 };
  struct code *code;
  uint32_t d;
  for (uint32_t i = 0; i < instruction->n_operands && i < 3; i++)
    slots[i] = translate_operand (translator, xir_operand (instruction, i));
  d = translate_result (translator, instruction);
  code = translate_emit_slots (translator, op, d, slots[0], slots[1], n);
  code->c = words_at (translator, slots[2]);
  code->x = x;
}

static void
emit_generic (struct translator *translator, const struct xir_instruction *instruction)
{
  struct generic how = { .op = instruction->op, .n_operands = (uint8_t) instruction->n_operands,
                         .across = mixes_lanes (instruction->op) };
  const struct xir_type *type = instruction->value.type;
  bool fits = (instruction->n_operands >= 1 || xir_op_is_subgroup (instruction->op)) && instruction->n_operands <= 3 && xir_type_lanes (type) != 0
              && ((xir_op_info (instruction->op)->flags & XIR_FLAG_FOLD) != 0 || xir_op_is_subgroup (instruction->op));
  for (uint32_t i = 0; fits && i < instruction->n_operands; i++)
    {
      fits = xir_type_lanes (operand_type (instruction, i)) != 0;
      if (!fits)
        break;
      how.kinds[i] = operand_kind (instruction, i);
      how.lanes[i] = (uint8_t) xir_type_lanes (operand_type (instruction, i));
    }
  if (!fits)
    {
      translate_fail (translator, INTERPRET_ERROR_UNSUPPORTED, _("%s of %s is not known to the interpreter"),
                      xir_op_info (instruction->op)->mnemonic, type != NULL ? type->text : "void");
      return;
    }
  if (instruction->n_operands < 2)
    how.kinds[1] = how.kinds[0];
  how.result = xir_type_scalar_of (type)->kind;
  how.result_lanes = (uint8_t) xir_type_lanes (type);
  emit_operands (translator, instruction,
                 xir_op_is_subgroup (instruction->op) ? INTERPRET_OP_SUBGROUP : INTERPRET_OP_GENERIC, how.result_lanes,
                 translator->program->generics->len);
  g_array_append_val (translator->program->generics, how);
}

static void
emit_arithmetic (struct translator *translator, const struct xir_instruction *instruction)
{
  enum xir_type_kind kind = operand_kind (instruction, 0);
  enum interpret_op op = loops[instruction->op][kind];
  uint32_t lanes = xir_type_lanes (operand_type (instruction, 0));
  if (kind == XIR_TYPE_FLOAT32)
    for (gsize i = 0; i < G_N_ELEMENTS (across); i++)
      if (across[i].op == instruction->op)
        op = across[i].instruction;
  if (instruction->op == XIR_OP_ALL || instruction->op == XIR_OP_ANY)
    op = instruction->op == XIR_OP_ALL ? INTERPRET_OP_ALL : INTERPRET_OP_ANY;
  for (uint32_t i = 1; i < instruction->n_operands; i++)
    if (interpret_kind_is_wide (operand_kind (instruction, i)) != interpret_kind_is_wide (kind))
      op = 0;
  if (op != 0 && lanes != 0)
    emit_operands (translator, instruction, op, lanes, 0);
  else
    emit_generic (translator, instruction);
}

static uint8_t
numbers_of (const struct xir_type *type)
{
  return (uint8_t) (type->kind == XIR_TYPE_MATRIX ? type->count * type->count : xir_type_lanes (type));
}

static bool
is_of_matrices (enum xir_op op)
{
  return op >= XIR_OP_OUTER_PRODUCT && op <= XIR_OP_MATRIX_INVERSE;
}

static void
emit_matrix (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_type *types[2] = { operand_type (instruction, 0), NULL }, *type = instruction->value.type;
  struct matrix_shapes shapes = { .op = instruction->op, .result_numbers = numbers_of (type) };
  if (instruction->n_operands > 1)
    types[1] = operand_type (instruction, 1);
  shapes.n = (uint32_t) evaluate_matrix_shape (types, type)->count;
  for (uint32_t i = 0; i < 2 && types[i] != NULL; i++)
    {
      shapes.numbers[i] = numbers_of (types[i]);
      if (translate_carries (translator, types[i]))
        translate_check_defined (translator, instruction, xir_operand (instruction, i), types[i],
                                 translate_operand (translator, xir_operand (instruction, i)), INTERPRET_NO_SLOT);
    }
  emit_operands (translator, instruction,
                 instruction->op == XIR_OP_MATRIX_MULTIPLY ? INTERPRET_OP_MATRIX_MULTIPLY : INTERPRET_OP_MATRIX,
                 shapes.result_numbers, translator->program->matrices->len);
  if (translate_carries (translator, type))
    translate_undefined_none (translator, translate_result (translator, instruction), shapes.result_numbers);
  g_array_append_val (translator->program->matrices, shapes);
}

/* Whether the registers of one kind are those of the other too. */
static bool
is_same_in_registers (enum xir_type_kind from, enum xir_type_kind to)
{
  static const uint8_t bits[XIR_N_TYPE_KINDS] = {
    [XIR_TYPE_BOOL] = 1, [XIR_TYPE_UINT8] = 8, [XIR_TYPE_UINT16] = 16, [XIR_TYPE_INT32] = 32, [XIR_TYPE_UINT32] = 32
  };
  /* A float of eight bits is made without infinity. */
  if (from == to)
    return from != XIR_TYPE_FLOAT8_E4M3 && from != XIR_TYPE_FLOAT8_E5M2;
  if ((from == XIR_TYPE_INT64 || from == XIR_TYPE_UINT64) && (to == XIR_TYPE_INT64 || to == XIR_TYPE_UINT64))
    return true;
  /* Unsigned ones that become wider, and int to uint and back. */
  if (from != XIR_TYPE_INT32 && bits[from] != 0 && bits[to] > bits[from])
    return true;
  return bits[from] == 32 && bits[to] == 32;
}

static void
emit_conversion (struct translator *translator, const struct xir_instruction *instruction)
{
  enum xir_type_kind from = operand_kind (instruction, 0), to = xir_type_scalar_of (instruction->value.type)->kind;
  enum interpret_op op = casts[to][from];
  bool same = is_same_in_registers (from, to);
  if (instruction->op == XIR_OP_BITCAST)
    {
      same = interpret_kind_is_wide (from) == interpret_kind_is_wide (to)
             && xir_type_lanes (operand_type (instruction, 0)) == xir_type_lanes (instruction->value.type);
      if (!same)
        translate_fail (translator, INTERPRET_ERROR_UNSUPPORTED, _("bitcast from %s to %s is not known to the interpreter"),
                        operand_type (instruction, 0)->text, instruction->value.type->text);
    }
  if (same)
    item_of (translator, &instruction->value)->slot = translate_operand (translator, xir_operand (instruction, 0));
  else if (op != 0)
    emit_operands (translator, instruction, op, xir_type_lanes (instruction->value.type), 0);
  else
    emit_generic (translator, instruction);
}

static void
emit_select (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_type *type = instruction->value.type;
  uint32_t a = translate_operand (translator, xir_operand (instruction, 0));
  uint32_t b = translate_operand (translator, xir_operand (instruction, 1));
  uint32_t c = translate_operand (translator, xir_operand (instruction, 2));
  uint32_t d = translate_result (translator, instruction);
  bool each = xir_type_is_vector (operand_type (instruction, 2));
  uint64_t n = 0;
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (struct value_run));
  if (translator->error == NULL)
    interpret_type_runs (type, 0, 0, runs);
  for (uint32_t i = 0; i < runs->len; i++)
    {
      const struct value_run *run = &g_array_index (runs, struct value_run, i);
      bool wide = interpret_kind_is_wide (run->kind);
      enum interpret_op op = each ? (wide ? INTERPRET_OP_SELECT_EACH_64 : INTERPRET_OP_SELECT_EACH_32)
                                  : (wide ? INTERPRET_OP_SELECT_64 : INTERPRET_OP_SELECT_32);
      translate_emit_slots (translator, op, d + run->slot, a + run->slot, b + run->slot, run->count)->c
        = words_at (translator, c);
    }
  g_array_unref (runs);
  if (translate_carries (translator, type) && interpret_type_slots (type, &n))
    translate_emit_slots (translator, INTERPRET_OP_UNDEFINED_SELECT, d, a, b, (uint32_t) n)->c = words_at (translator, c);
}

/* Composites. */

/* What is undefined of the parts of a structure or array. */
static void
aggregate_undefined (struct translator *translator, const struct xir_instruction *instruction, uint32_t d)
{
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      const struct xir_value *part = xir_operand (instruction, i);
      uint64_t n = 0;
      interpret_type_slots (part->type, &n);
      if (translate_carries (translator, part->type))
        translate_undefined_copy (translator, part->type, d, translate_operand (translator, part));
      else
        translate_undefined_none (translator, d, n);
      d += (uint32_t) n;
    }
}

static void
emit_aggregate (struct translator *translator, const struct xir_instruction *instruction)
{
  uint32_t d = translate_result (translator, instruction), from = 0, to = d;
  uint64_t together = 0;
  /* Parts that stand side by side are copied in one go. */
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    {
      uint32_t a = translate_operand (translator, xir_operand (instruction, i));
      uint64_t n = 0;
      interpret_type_slots (operand_type (instruction, i), &n);
      if (together == 0 || from + together != a)
        {
          if (together != 0)
            translate_copy (translator, to, from, together);
          to += (uint32_t) together;
          from = a;
          together = 0;
        }
      together += n;
    }
  translate_copy (translator, to, from, together);
  if (translate_carries (translator, instruction->value.type))
    aggregate_undefined (translator, instruction, d);
}

static void
emit_shuffle (struct translator *translator, const struct xir_instruction *instruction)
{
  uint32_t a = translate_operand (translator, xir_operand (instruction, 0)), d;
  uint32_t each = interpret_kind_is_wide (operand_kind (instruction, 0)) ? 2 : 1;
  uint32_t lanes = xir_type_lanes (instruction->value.type);
  bool in_order = true;
  for (uint32_t i = 1; i < lanes; i++)
    in_order = in_order && instruction->u.lanes[i] == instruction->u.lanes[0] + i;
  if (in_order)
    {
      item_of (translator, &instruction->value)->slot = a + instruction->u.lanes[0] * each;
      return;
    }
  d = translate_result (translator, instruction);
  for (uint32_t i = 0; i < lanes; i++)
    translate_copy (translator, d + i * each, a + instruction->u.lanes[i] * each, each);
}

/* Where a walk through a value leads: slots from its start, and registers that hold how many more where an index
 * is not a constant in range. */
struct part
{
  uint64_t slots;
  uint32_t dynamic;
  const struct xir_type *type;
};

static void
walk (struct translator *translator, const struct xir_instruction *instruction, uint32_t first, struct part *part)
{
  part->slots = 0;
  part->dynamic = INTERPRET_NO_SLOT;
  part->type = operand_type (instruction, 0);
  for (uint32_t i = first; i < instruction->n_operands; i++)
    {
      const struct xir_value *value = xir_operand (instruction, i);
      const struct xir_type *type = part->type;
      int64_t index;
      uint64_t slots = 0;
      if (xir_constant_to_int (value, &index) && index >= 0 && (uint64_t) index < type->count)
        {
          part->type = xir_type_child (type, (uint64_t) index);
          for (int64_t k = 0; k < (type->kind == XIR_TYPE_STRUCTURE ? index : 0); k++)
            {
              interpret_type_slots (type->members[k], &slots);
              part->slots += slots;
            }
          if (type->kind != XIR_TYPE_STRUCTURE && interpret_type_slots (part->type, &slots))
            part->slots += slots * (uint64_t) index;
        }
      else
        {
          uint32_t before = part->dynamic != INTERPRET_NO_SLOT ? part->dynamic : translate_word (translator, 0);
          uint32_t at = translate_index (translator, value);
          part->type = xir_type_child (type, 0);
          part->dynamic = translate_slots (translator, 1);
          translate_check_index (translator, instruction, value, type->count);
          interpret_type_slots (part->type, &slots);
          translate_emit_slots (translator, INTERPRET_OP_OFFSET_32, part->dynamic, before, at, (uint32_t) slots)->c
            = (uint32_t) MIN (type->count, UINT32_MAX);
        }
    }
}

static void
emit_dynamic (struct translator *translator, const struct part *part, bool picks, uint32_t d, uint32_t a)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (struct value_run));
  if (translator->error == NULL)
    interpret_type_runs (part->type, 0, 0, runs);
  for (uint32_t i = 0; i < runs->len; i++)
    {
      const struct value_run *run = &g_array_index (runs, struct value_run, i);
      bool wide = interpret_kind_is_wide (run->kind);
      enum interpret_op op = picks ? (wide ? INTERPRET_OP_PICK_64 : INTERPRET_OP_PICK_32)
                                   : (wide ? INTERPRET_OP_PUT_64 : INTERPRET_OP_PUT_32);
      translate_emit_slots (translator, op, d + run->slot, a + run->slot, part->dynamic, run->count);
    }
  g_array_unref (runs);
}

/* A structure or array goes on with what is undefined of it; anything else is used now. */
static void
extract_undefined (struct translator *translator, const struct xir_instruction *instruction, const struct part *part, uint32_t a)
{
  uint64_t n = 0;
  if (!translate_carries (translator, part->type))
    translate_check_defined (translator, instruction, xir_operand (instruction, 0), part->type, a, part->dynamic);
  else if (part->dynamic != INTERPRET_NO_SLOT && interpret_type_slots (part->type, &n))
    translate_emit_slots (translator, INTERPRET_OP_UNDEFINED_PICK, translate_result (translator, instruction), a, part->dynamic,
                          (uint32_t) n);
}

static void
insert_undefined (struct translator *translator, const struct part *part, uint32_t d, uint32_t a)
{
  bool carries = translate_carries (translator, part->type);
  uint64_t n = 0;
  interpret_type_slots (part->type, &n);
  if (part->dynamic != INTERPRET_NO_SLOT)
    translate_emit_slots (translator, INTERPRET_OP_UNDEFINED_PUT, d, a, part->dynamic, (uint32_t) n)->x = carries;
  else if (carries)
    translate_undefined_copy (translator, part->type, d, a);
  else
    translate_undefined_none (translator, d, n);
}

static void
emit_extract (struct translator *translator, const struct xir_instruction *instruction)
{
  uint32_t a = translate_operand (translator, xir_operand (instruction, 0));
  struct part part;
  walk (translator, instruction, 1, &part);
  if (translate_carries (translator, operand_type (instruction, 0)))
    extract_undefined (translator, instruction, &part, a + (uint32_t) part.slots);
  if (part.dynamic == INTERPRET_NO_SLOT)
    item_of (translator, &instruction->value)->slot = a + (uint32_t) part.slots;
  else
    emit_dynamic (translator, &part, true, translate_result (translator, instruction), a + (uint32_t) part.slots);
}

static void
emit_insert (struct translator *translator, const struct xir_instruction *instruction)
{
  uint32_t a = translate_operand (translator, xir_operand (instruction, 0));
  uint32_t value = translate_operand (translator, xir_operand (instruction, 1));
  uint32_t d = translate_result (translator, instruction);
  uint64_t n = 0;
  struct part part;
  walk (translator, instruction, 2, &part);
  interpret_type_slots (instruction->value.type, &n);
  translate_copy (translator, d, a, n);
  if (translate_carries (translator, instruction->value.type))
    {
      translate_undefined_copy (translator, instruction->value.type, d, a);
      insert_undefined (translator, &part, d + (uint32_t) part.slots, value);
    }
  interpret_type_slots (part.type, &n);
  if (part.dynamic == INTERPRET_NO_SLOT)
    translate_copy (translator, d + (uint32_t) part.slots, value, n);
  else
    emit_dynamic (translator, &part, false, d + (uint32_t) part.slots, value);
}

static void
emit_call (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct xir_function *callee = instruction->u.callee;
  const struct item *function = &translator->items[callee->id];
  uint64_t n = 0;
  for (uint32_t i = 0; i < instruction->n_operands && i < callee->n_arguments; i++)
    {
      const struct xir_argument *argument = callee->arguments[i];
      uint32_t d = item_of (translator, &argument->value)->slot;
      const struct item *actual = item_of (translator, xir_operand (instruction, i));
      uint32_t a = translate_operand (translator, xir_operand (instruction, i));
      if (argument->argument_kind == XIR_ARGUMENT_VALUE)
        {
          interpret_type_slots (argument->value.type, &n);
          translate_copy (translator, d, a, n);
          translate_undefined_copy (translator, argument->value.type, d, a);
        }
      else if (actual->offset == 0)
        translate_copy (translator, d, a, 1);
      else
        translate_emit_slots (translator, INTERPRET_OP_OFFSET_32, d, a, translate_word (translator, 1), actual->offset)->c = 2;
    }
  translate_emit (translator, INTERPRET_OP_CALL)->x = function->entry;
  if (instruction->value.type == NULL)
    return;
  interpret_type_slots (instruction->value.type, &n);
  translate_copy (translator, translate_result (translator, instruction), function->return_slot, n);
  translate_undefined_copy (translator, instruction->value.type, translate_result (translator, instruction),
                            function->return_slot);
}

static void
translate_value (struct translator *translator, const struct xir_instruction *instruction)
{
  switch (instruction->op)
    {
    case XIR_OP_CALL:
      emit_call (translator, instruction);
      break;
    case XIR_OP_CAST:
    case XIR_OP_BITCAST:
      emit_conversion (translator, instruction);
      break;
    case XIR_OP_SELECT:
      emit_select (translator, instruction);
      break;
    case XIR_OP_AGGREGATE:
      emit_aggregate (translator, instruction);
      break;
    case XIR_OP_SHUFFLE:
      emit_shuffle (translator, instruction);
      break;
    case XIR_OP_EXTRACT:
      emit_extract (translator, instruction);
      break;
    case XIR_OP_INSERT:
      emit_insert (translator, instruction);
      break;
    case XIR_OP_CLOCK:
      emit_operands (translator, instruction, INTERPRET_OP_CLOCK, 1, 0);
      break;
    case XIR_OP_BARRIER:
      translator->program->has_barrier = true;
      translator->program->runs_outside = true;
      translate_emit (translator, INTERPRET_OP_BARRIER);
      break;
    default:
      if (xir_op_is_subgroup (instruction->op))
        {
          translator->program->runs_outside = true;
          emit_generic (translator, instruction);
        }
      else if (is_of_matrices (instruction->op))
        emit_matrix (translator, instruction);
      else
        emit_arithmetic (translator, instruction);
      break;
    }
}

void
translate_instruction (struct translator *translator, const struct xir_instruction *instruction)
{
  const struct item *item = item_of (translator, &instruction->value);
  translate_check_before (translator, instruction);
  if (!translate_memory (translator, instruction))
    translate_value (translator, instruction);
  if (translator->error == NULL)
    translate_check_after (translator, instruction);
  if (item->shadow == INTERPRET_NO_SLOT || translator->error != NULL)
    return;
  if (instruction->value.is_lvalue)
    translate_emit_slots (translator, INTERPRET_OP_MOVE_32, item->shadow, item->slot, 0, 1);
  else
    translate_move (translator, instruction->value.type, item->shadow, item->slot);
}
