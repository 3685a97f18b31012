/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Instructions: their memory, their uses and their place. */

#include "config.h"

#include "codegen/xir/xir.h"

#include <string.h>

#include "codegen/xir/builder.h"
#include "codegen/xir/xir-private.h"

/* Arrays have room for a power of two of elements, so that their count alone
 * says whether one more fits. */
static uint32_t
capacity_for (uint32_t count)
{
  uint32_t capacity = 1;

  while (capacity < count)
    capacity *= 2;
  return count == 0 ? 0 : capacity;
}

static gsize
operand_bytes (uint32_t count)
{
  return capacity_for (count) * sizeof (struct xir_use);
}

static gsize
block_bytes (uint32_t count)
{
  return capacity_for (count) * sizeof (struct xir_block *);
}

static gsize
value_bytes (uint32_t count)
{
  return capacity_for (count) * sizeof (uint64_t);
}

static uint32_t
n_switch_values (const struct xir_instruction *instruction)
{
  return instruction->op == XIR_OP_SWITCH && instruction->n_blocks > 2 ? instruction->n_blocks - 2 : 0;
}

static struct xir_module *
module_of (const struct xir_instruction *instruction)
{
  return instruction->block->function->module;
}

struct xir_instruction *
xir_instruction_new (struct xir_module *module,
                     enum xir_op op,
                     const struct xir_type *type,
                     uint32_t n_operands,
                     uint32_t n_blocks)
{
  struct xir_instruction *instruction = gb_slab_alloc (&module->instruction_slab);

  xir_value_init (module, &instruction->value, XIR_VALUE_INSTRUCTION, type);
  instruction->op = op;
  gb_list_init (&instruction->link);
  instruction->n_operands = n_operands;
  instruction->n_blocks = n_blocks;
  instruction->operands = xir_array_alloc (module, operand_bytes (n_operands));
  for (uint32_t i = 0; i < n_operands; i++)
    {
      instruction->operands[i].user = instruction;
      gb_list_init (&instruction->operands[i].value_link);
    }
  instruction->blocks = xir_array_alloc (module, block_bytes (n_blocks));
  if (op == XIR_OP_SWITCH)
    instruction->u.switch_.values = xir_array_alloc (module, value_bytes (n_switch_values (instruction)));
  return instruction;
}

void
xir_instruction_insert (struct xir_instruction *instruction,
                        struct xir_block *block,
                        struct xir_instruction *before)
{
  struct xir_function *function = block->function;
  struct gb_list *position = before != NULL ? &before->link : &block->instructions;

  instruction->block = block;
  gb_list_append (position, &instruction->link);
  if (instruction->op == XIR_OP_ALLOCA && block == xir_function_entry (function))
    {
      struct gb_list *last = function->last_alloca != NULL ? &function->last_alloca->link : &block->instructions;

      if (instruction->link.prev == last)
        function->last_alloca = instruction;
    }
}

static void
forget_alloca (struct xir_instruction *instruction)
{
  struct xir_function *function = instruction->block->function;
  struct gb_list *previous = instruction->link.prev;

  if (function->last_alloca == instruction)
    function->last_alloca = previous == &instruction->block->instructions
                            ? NULL : gb_list_entry (previous, struct xir_instruction, link);
}

void
xir_instruction_set_operand (struct xir_instruction *instruction,
                             uint32_t index,
                             struct xir_value *value)
{
  struct xir_use *use = &instruction->operands[index];

  gb_list_remove (&use->value_link);
  use->value = value;
  if (value != NULL)
    gb_list_append (&value->uses, &use->value_link);
}

void
xir_instruction_drop_operands (struct xir_instruction *instruction)
{
  for (uint32_t i = 0; i < instruction->n_operands; i++)
    xir_instruction_set_operand (instruction, i, NULL);
}

void
xir_instruction_add_operand (struct xir_instruction *instruction,
                             struct xir_value *value)
{
  struct xir_module *module = module_of (instruction);
  uint32_t count = instruction->n_operands;

  if (count == capacity_for (count))
    {
      struct xir_use *old = instruction->operands;

      instruction->operands = xir_array_alloc (module, operand_bytes (count + 1));
      for (uint32_t i = 0; i < count; i++)
        {
          struct xir_use *use = &instruction->operands[i];

          use->user = instruction;
          use->value = old[i].value;
          gb_list_init (&use->value_link);
          if (use->value != NULL)
            {
              gb_list_insert_after (&old[i].value_link, &use->value_link);
              gb_list_remove (&old[i].value_link);
            }
        }
      xir_array_free (module, old, operand_bytes (count));
    }
  instruction->n_operands++;
  instruction->operands[count].user = instruction;
  gb_list_init (&instruction->operands[count].value_link);
  xir_instruction_set_operand (instruction, count, value);
}

/* A copy with room for one more when `count` elements fill the array. */
static gpointer
grow_array (struct xir_module *module,
            gpointer array,
            uint32_t count,
            gsize element_size)
{
  gsize old_size = capacity_for (count) * element_size;
  gpointer grown;

  if (count != capacity_for (count))
    return array;
  grown = xir_array_alloc (module, capacity_for (count + 1) * element_size);
  if (count != 0)
    memcpy (grown, array, count * element_size);
  xir_array_free (module, array, old_size);
  return grown;
}

void
xir_instruction_add_block (struct xir_instruction *instruction,
                           struct xir_block *block)
{
  instruction->blocks = grow_array (module_of (instruction), instruction->blocks,
                                    instruction->n_blocks, sizeof *instruction->blocks);
  instruction->blocks[instruction->n_blocks++] = block;
}

void
xir_switch_add_case (struct xir_instruction *instruction,
                     uint64_t value,
                     struct xir_block *block)
{
  uint32_t count = n_switch_values (instruction);

  instruction->u.switch_.values = grow_array (module_of (instruction), instruction->u.switch_.values, count,
                                              sizeof (uint64_t));
  instruction->u.switch_.values[count] = value;
  xir_instruction_add_block (instruction, block);
}

void
xir_switch_set_default (struct xir_instruction *instruction,
                        struct xir_block *block)
{
  instruction->blocks[1] = block;
  instruction->u.switch_.default_position = n_switch_values (instruction);
}

/* Element counts may fall below a power of two here: arrays that shrink are
 * moved, so that their size follows from their count again. */
void
xir_phi_remove (struct xir_instruction *phi,
                uint32_t index)
{
  struct xir_module *module = module_of (phi);
  uint32_t count = phi->n_operands - 1;
  struct xir_block **blocks = xir_array_alloc (module, block_bytes (count));
  struct xir_use *operands = xir_array_alloc (module, operand_bytes (count));

  for (uint32_t from = 0, to = 0; from < phi->n_operands; from++)
    if (from != index)
      {
        blocks[to] = phi->blocks[from];
        operands[to].user = phi;
        operands[to].value = phi->operands[from].value;
        gb_list_init (&operands[to].value_link);
        if (operands[to].value != NULL)
          gb_list_insert_after (&phi->operands[from].value_link, &operands[to].value_link);
        to++;
      }
  xir_instruction_drop_operands (phi);
  xir_array_free (module, phi->operands, operand_bytes (phi->n_operands));
  xir_array_free (module, phi->blocks, block_bytes (phi->n_blocks));
  phi->operands = operands;
  phi->blocks = blocks;
  phi->n_operands = count;
  phi->n_blocks = count;
}

bool
xir_value_is_used (const struct xir_value *value)
{
  return !gb_list_is_empty (&value->uses);
}

void
xir_value_replace (struct xir_value *from,
                   struct xir_value *to)
{
  if (from == to)
    return;
  gb_list_for_each (use, &from->uses, struct xir_use, value_link)
    use->value = to;
  gb_list_splice (&to->uses, &from->uses);
}

void
xir_value_add_name (struct xir_function *function,
                    struct xir_value *value,
                    const char *name,
                    struct xir_location location,
                    struct xir_location end)
{
  struct xir_instruction *instruction = xir_value_instruction (value);
  const struct xir_name **names = instruction != NULL ? &instruction->names : &function->names;
  struct xir_name *added = gb_arena_new (&function->module->arena, struct xir_name);

  *added = (struct xir_name) { *names, value, gb_arena_strdup (&function->module->arena, name), location, end };
  *names = added;
}

void
xir_instruction_remove (struct xir_instruction *instruction)
{
  struct xir_module *module = module_of (instruction);

  g_return_if_fail (!xir_value_is_used (&instruction->value));

  forget_alloca (instruction);
  xir_instruction_drop_operands (instruction);
  gb_list_remove (&instruction->link);
  if (instruction->op == XIR_OP_SWITCH)
    xir_array_free (module, instruction->u.switch_.values, value_bytes (n_switch_values (instruction)));
  xir_array_free (module, instruction->operands, operand_bytes (instruction->n_operands));
  xir_array_free (module, instruction->blocks, block_bytes (instruction->n_blocks));
  gb_slab_free (&module->instruction_slab, instruction);
}

struct xir_block *
xir_block_split (struct xir_block *block,
                 struct xir_instruction *first)
{
  struct xir_block *tail = xir_block_new (block->function);
  struct xir_instruction *terminator;
  struct xir_block *successor;
  uint32_t cursor = 0;

  gb_list_remove (&tail->link);
  gb_list_insert_after (&block->link, &tail->link);
  for (struct xir_instruction *next; first != NULL; first = next)
    {
      next = first->link.next != &block->instructions
             ? gb_list_entry (first->link.next, struct xir_instruction, link) : NULL;
      forget_alloca (first);
      gb_list_remove (&first->link);
      gb_list_append (&tail->instructions, &first->link);
      first->block = tail;
    }

  terminator = xir_block_terminator (tail);
  while (terminator != NULL && (successor = xir_next_successor (terminator, &cursor)) != NULL)
    gb_list_for_each (phi, &successor->instructions, struct xir_instruction, link)
      {
        if (phi->op != XIR_OP_PHI)
          break;
        for (uint32_t i = 0; i < phi->n_blocks; i++)
          if (phi->blocks[i] == block)
            phi->blocks[i] = tail;
      }
  return tail;
}
